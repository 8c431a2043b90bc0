"""A call in the form that a model was trained to write, or that its server reports, in place of a payload."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from support.plan_act import GOAL, Invoke, ask, done, echo_tool, parallel, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph

CALL = json.dumps({"name": "echo", "arguments": {"text": "x"}})
MARKED = f"<tool_call>\n{CALL}\n</tool_call>"
REPORTED: list[Any] = [{"name": "echo", "args": {"text": "x"}, "id": "1"}]
ONE_LINE = f"<tool_call>{CALL}</tool_call>"
FORMS: dict[str, Any] = {
    "alone": CALL,
    "marked": MARKED,
    "behind words": f"I repeat it now.\n{MARKED}",
    "with a name before": '[TOOL_CALLS]echo[ARGS]{"text": "x"}',
    "as its action alone": '{"tool": "echo", "input": "x"}',
    "as LangChain's agents": '```json\n{"action": "echo", "action_input": {"text": "x"}}\n```',
    "as a function": 'I repeat it: {"function": "echo", "arguments": {"text": "x"}}',
    "without its status": '{"next_action": {"tool": "echo", "input": "x"}}',
    "reported": AIMessage("", tool_calls=REPORTED),
    "reported behind words": AIMessage("I repeat it now.", tool_calls=REPORTED),
}


def run(invoke: Invoke, replies: list[Any], tool: Any = None) -> tuple[dict[str, Any], int]:
    """A run over these replies, and how many of them it took."""
    model = ScriptedModel(replies=replies)
    result = invoke(create_plan_act_graph(model, [tool or echo_tool()], interactive=False), dict(GOAL))
    return result, len(model.requests)


@pytest.mark.parametrize("reply", FORMS.values(), ids=FORMS)
def test_the_call_is_made_without_another_try(invoke: Invoke, reply: Any) -> None:
    result, asked = run(invoke, [planned("a"), reply, done("It is x."), replanned(response="It is x.")])
    assert [seen["result"] for seen in result["observations"]] == ["echo x"]
    assert (asked, result["stop_reason"]["kind"]) == (4, "goal_met")


@pytest.mark.parametrize("reply", FORMS.values(), ids=FORMS)
def test_where_a_plan_was_asked_for_its_one_step_is_the_goal(invoke: Invoke, reply: Any) -> None:
    result, asked = run(invoke, [reply, done("It is x.")])
    assert [seen["result"] for seen in result["observations"]] == ["echo x"]
    assert (asked, [item["step"] for item in result["plan"]]) == (2, [GOAL["goal"]])


def test_where_the_rest_was_to_be_planned_its_open_steps_stay(invoke: Invoke) -> None:
    replies = [planned("a", "b", "c"), done("a is done"), MARKED, done("b is done"), replanned(response="All done.")]
    result, asked = run(invoke, replies)
    assert [seen["result"] for seen in result["observations"]] == ["echo x"]
    assert [item["step"] for item in result["plan"]] == ["a", "b"]
    assert (asked, result["stop_reason"]["kind"], result["response"]) == (5, "goal_met", "All done.")


def test_several_calls_are_made_at_once(invoke: Invoke) -> None:
    replies = [planned("a"), MARKED + MARKED.replace('"x"', '"y"'), done("seen"), replanned(response="Seen.")]
    result, _ = run(invoke, replies, parallel(echo_tool()))
    assert [seen["result"] for seen in result["observations"]] == ["echo x", "echo y"]


@pytest.mark.parametrize(
    "reply",
    [
        f"I would write {CALL} here.",
        f"{MARKED} is how I would call it.",
        MARKED.replace("echo", "shout"),
        MARKED.replace("text", "words"),
        '{"tool": "echo", "input": "x"} or {"tool": "echo", "input": "y"}',
        '{"tool": "echo", "input": "x", "result": "echo x"}',
    ],
)
def test_what_is_no_such_call_is_asked_for_again(invoke: Invoke, reply: str) -> None:
    result, asked = run(invoke, [planned("a"), reply, MARKED, done("It is x."), replanned(response="It is x.")])
    assert [seen["result"] for seen in result["observations"]] == ["echo x"]
    assert asked == 5


def test_a_payload_counts_before_a_call_beside_it(invoke: Invoke) -> None:
    both = AIMessage(done("It is y."), tool_calls=REPORTED)
    result, _ = run(invoke, [planned("a"), both, replanned(response="It is y.")])
    assert result["observations"] == [] and result["response"] == "It is y."


def test_a_question_to_the_user_is_one(invoke: Invoke) -> None:
    question = json.dumps({"name": "ask_user", "arguments": {"question": "Which one?"}})
    for reply in (f"<tool_call>{question}</tool_call>", ask("Which one?")):
        result, _ = run(invoke, [planned("a"), reply, replanned("a"), done("It is x."), replanned(response="x.")])
        assert [one["question"] for one in result["clarifications"]] == ["Which one?"]


def test_a_call_that_a_server_reports_stands_in_the_trace(invoke: Invoke) -> None:
    replies = [planned("a"), FORMS["reported"], done("It is x."), replanned(response="It is x.")]
    result, _ = run(invoke, replies)
    assert [event["data"]["reply"] for event in result["events"] if event["kind"] == "thought"][1] == ONE_LINE


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([{**REPORTED[0], "name": "shout"}], "There is no tool 'shout'."),
        ([*REPORTED, {**REPORTED[0], "id": "2"}], "make the first alone."),
    ],
    ids=["no such tool", "several"],
)
def test_a_reported_call_that_is_refused_is_told_why_and_kept(invoke: Invoke, calls: Any, said: str) -> None:
    refused = AIMessage("", tool_calls=calls)
    result, asked = run(invoke, [planned("a"), refused, MARKED, done("It is x."), replanned(response="It is x.")])
    told = next(event["data"] for event in result["events"] if event["data"].get("feedback"))
    assert said in told["feedback"] and "write text" not in told["feedback"]
    assert told["reply"].count("<tool_call>") == len(calls)
    assert asked == 5


def test_a_reported_call_that_nobody_could_read_is_told_to_be_text(invoke: Invoke) -> None:
    broken: Any = [{"name": "echo", "args": "{", "id": "1", "error": None, "type": "invalid_tool_call"}]
    replies = [planned("a"), AIMessage("", invalid_tool_calls=broken), MARKED, done("x."), replanned(response="x.")]
    result, _ = run(invoke, replies)
    told = next(event["data"] for event in result["events"] if event["data"].get("feedback"))
    assert told["feedback"].startswith("You called a tool in place of a reply")


def test_two_reported_calls_are_not_the_same_reply(invoke: Invoke) -> None:
    calls = [AIMessage("", tool_calls=[{**REPORTED[0], "name": name}]) for name in ("shout", "sing")]
    model = ScriptedModel(replies=[planned("a"), *calls, done("x."), replanned(response="x.")], temperature=0.0)
    invoke(create_plan_act_graph(model, [echo_tool()], interactive=False), dict(GOAL))
    assert not any(options.get("temperature") for options in model.options)
