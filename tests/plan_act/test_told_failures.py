"""Calls of which the result says that nothing was done, and wishes that no call was made for, with other's tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned
from thoughtgraph.nodes.plan_act.checks.clauses import OF_WORDS
from thoughtgraph.tools.calls.results import tells_failure

MARCH: dict[str, Any] = {"clock": lambda: datetime(2026, 3, 11, 9, 0)}


def giving(name: str, description: str, result: Any, **fields: str) -> BaseTool:
    """A tool with text arguments that always returns this; described by a JSON schema, as MCP's are."""
    schema = {"type": "object", "properties": {field: {"type": kind} for field, kind in fields.items()}}
    schema["required"] = list(fields)

    def give(**_: Any) -> Any:
        return result

    return StructuredTool(name=name, description=description, args_schema=schema, func=give)


def run(invoke: Invoke, goal: str, tools: Sequence[Any], calls: Sequence[str], *said: str, **options: Any) -> Any:
    """A run of one step with these calls, then what the model says, the last twice."""
    replies = [planned("do it"), *calls, *map(done, said), replanned(response=said[-1])]
    return play(invoke, replies, tools, goal={"goal": goal}, **options)


def is_met(played: Any) -> bool:
    """Whether a run ended with its goal met."""
    return played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(
    "result",
    [
        "Error: the device is offline",
        "ValueError: offline",
        "error: failed to reach it",
        "Sorry, it is offline.",
        "Could not lock it: offline",
        "It can't be reached",
        "Request refused: somebody is inside",
        "lock G: error E4",
        json.dumps({"error": "offline"}),
        json.dumps({"status": "failed", "message": "offline"}),
        json.dumps({"Success": False}),
        json.dumps({"ok": False, "errors": []}),
    ],
)
def test_what_a_call_says_it_did_not_do_is_not_claimed(invoke: Invoke, result: str) -> None:
    lock = giving("lock_door", "Lock a door.", result, door="string")
    calls = [act("lock_door", {"door": "garage"})]
    lie, truth = "I locked the garage.", "The garage could not be locked, it is offline."
    played = run(invoke, "Lock the garage", [lock], calls, lie, truth)
    assert lie.rstrip(".") in last_words(played.model, 3)
    assert played.result["response"] == truth


@pytest.mark.parametrize(
    "result",
    [
        "Locked, not bolted",
        "0 errors",
        "Locked without error",
        "3 failed, 4 locked",
        "",
        "Notes locked",
        "[]",
        "true",
        json.dumps({"error": None, "door": "garage"}),
        json.dumps({"success": True, "errors": ["low battery"]}),
        json.dumps({"status": "locked", "error": ""}),
        json.dumps({"status": None}),
        json.dumps([{"status": "failed"}]),
    ],
)
def test_what_a_call_did_may_be_told(invoke: Invoke, result: str) -> None:
    lock = giving("lock_door", "Lock a door.", result, door="string")
    calls = [act("lock_door", {"door": "garage"})]
    assert not tells_failure(result)
    assert (
        run(invoke, "Lock the garage", [lock], calls, "I locked the garage.").result["stop_reason"]["kind"]
        == "goal_met"
    )


def test_a_failure_that_was_looked_up_is_no_failed_call(invoke: Invoke) -> None:
    status = giving("get_pipeline", "Get a pipeline.", json.dumps({"status": "failed"}), ref="string")
    start = giving("start_pipeline", "Start a pipeline.", "started", ref="string")
    calls = [act("get_pipeline", {"ref": "main"}), act("start_pipeline", {"ref": "main"})]
    told = "It was red, so I started the pipeline on main again."
    played = run(invoke, "Start the pipeline on main again if it is red", [status, start], calls, told)
    assert played.result["response"] == told


def test_of_a_tool_for_anything_the_goal_says_what_the_call_was_to_do(invoke: Invoke) -> None:
    shell = giving("run_command", "Run a command.", "error: failed to push some refs", command="string")
    calls = [act("run_command", {"command": "git push origin main"})]
    lie, truth = "I pushed main.", "The push was rejected: some refs failed."
    assert run(invoke, "Push main", [shell], calls, lie, truth).result["response"] == truth


def test_a_call_that_worked_the_second_time_may_be_told(invoke: Invoke) -> None:
    results = iter(["Error: try again", "locked"])

    def lock_door(door: str) -> str:
        """Lock a door."""
        return next(results)

    calls = [act("lock_door", {"door": "garage"}), act("lock_door", {"door": "Garage"})]
    played = run(invoke, "Lock the garage", [lock_door], calls, "I locked the garage.")
    assert is_met(played)


@pytest.mark.parametrize(
    ("goal", "of_words"),
    [
        ("write them off", False),
        ("Write off two crates", False),
        ("Write a text on the day off", True),
        ("Write Bo", True),
    ],
)
def test_writing_off_is_no_writing(goal: str, of_words: bool) -> None:
    assert bool(OF_WORDS.search(goal)) is of_words
