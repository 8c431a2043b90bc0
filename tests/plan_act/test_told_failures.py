"""Calls of which the result says that nothing was done, and wishes that no call was made for, with other's tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool, Tool
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned
from thoughtgraph.nodes.plan_act.checks.clauses import OF_WORDS
from thoughtgraph.tools.calls.effects import acts, named_effect, only_reads
from thoughtgraph.tools.calls.results import tells_failure

MARCH: dict[str, Any] = {"clock": lambda: datetime(2026, 3, 11, 9, 0)}


def giving(name: str, description: str, result: Any, **fields: str) -> BaseTool:
    """A tool with text arguments that always returns this; described by a JSON schema, as MCP's are."""
    schema: dict[str, Any] = {"type": "object", "properties": {field: {"type": kind} for field, kind in fields.items()}}
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


PLAN = giving("add_to_meal_plan", "Add a recipe to the meal plan.", "added", day="string", recipe="string")
SHOP = giving("shopping_list", "Append to the shopping list.", "added", item="string")
FREEZE = giving("freeze_card", "Freeze a card.", "true", last_four="string")
PAY = giving("send_payment", "Send money.", "sent", to="string", amount="number")
LASAGNE = act("add_to_meal_plan", {"day": "saturday", "recipe": "lasagne"})
FROZEN = act("freeze_card", {"last_four": "7731"})


@pytest.mark.parametrize(
    ("goal", "tools", "first", "second"),
    [
        (
            "Plan lasagne for saturday and put the mince on my shopping list",
            [PLAN, SHOP],
            LASAGNE,
            act("shopping_list", {"item": "mince"}),
        ),
        (
            "Freeze the card ending in 7731 and pay Stadtwerke 84.20",
            [FREEZE, PAY],
            FROZEN,
            act("send_payment", {"to": "Stadtwerke", "amount": 84.2}),
        ),
    ],
)
def test_a_wish_that_no_call_has_a_word_of_goes_back(
    invoke: Invoke, goal: str, tools: list[BaseTool], first: str, second: str
) -> None:
    replies = [planned("do it"), first, done("Both are seen to."), second, done("Both are seen to.")]
    replies += [replanned(response="Both are seen to.")]
    played = play(invoke, replies, tools, goal={"goal": goal}, **MARCH)
    assert tools[1].name in last_words(played.model, 3)
    assert len(played.result["observations"]) == 2
    assert (
        run(invoke, goal, tools, [first, second], "Both are seen to.", **MARCH).result["stop_reason"]["kind"]
        == "goal_met"
    )


SCENE = giving("activate_scene", "Activate a scene.", "ok", scene="string")
DIM = giving("dim", "Dim a light.", "ok", light="string")
NOTE = giving("add_note", "Add a note.", "added", text="string")


@pytest.mark.parametrize(
    ("goal", "tools", "call"),
    [
        # One call has words of neither wish, and may have done both.
        ("Dim the light and close the curtain", [SCENE, DIM], act("activate_scene", {"scene": "film"})),
        # The second wish is about the answer, or only tells more of the first.
        ("Freeze card 7731, it was stolen, please hurry", [FREEZE, PAY], FROZEN),
        ("Freeze card 7731 and give me a short summary", [FREEZE, PAY], FROZEN),
        # No other tool fits it.
        ("Freeze card 7731 and order a replacement", [FREEZE, PAY], FROZEN),
        # The call has words of both.
        ("Note the visit and add that Bo comes", [NOTE, PAY], act("add_note", {"text": "visit, Bo comes"})),
    ],
)
def test_a_run_whose_calls_may_have_done_all_of_it_stands(
    invoke: Invoke, goal: str, tools: list[BaseTool], call: str
) -> None:
    assert is_met(run(invoke, goal, tools, [call], "That is seen to."))


def test_an_empty_text_is_the_input_of_a_tool_that_can_take_nothing_else(invoke: Invoke) -> None:
    def my_loans(_: str) -> str:
        return "Gilead, due soon"

    loans = Tool(name="my_loans", description="List my loans; input is ignored", func=my_loans)
    played = run(invoke, "Which book is due next?", [loans], [act("my_loans", "")], "Gilead")
    assert [seen["result"] for seen in played.result["observations"]] == ["Gilead, due soon"]


def pay(iban: str) -> str:
    """Pay the bill."""
    return "paid"


@pytest.mark.parametrize(("iban", "passes"), [("GB33BUKB20201555555555", True), ("GB94BARC10201530093459", False)])
def test_an_account_with_letters_in_its_middle_has_to_be_given(invoke: Invoke, iban: str, passes: bool) -> None:
    goal = {"goal": "Pay the bill to GB33 BUKB 2020 1555 5555 55"}
    right = [act("pay", {"iban": "GB33BUKB20201555555555"})]
    first = [] if passes else [act("pay", {"iban": iban})]
    replies = [planned("pay it"), *first, *right, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, replies, [pay], goal=goal)
    assert [seen["ok"] for seen in played.result["observations"]] == [True]


def book(day: str) -> str:
    """Book a room."""
    return "booked"


@pytest.mark.parametrize(
    ("goal", "day", "passes"),
    [
        ("Book a room for Friday the 20th", "2026-03-27", False),
        ("Book a room for March 20", "2026-04-03", False),
        ("Book a room for Friday the 20th", "2026-03-20", True),
        ("Book a room for Friday", "2026-03-20", True),
        ("Book a room every week from March 20 on", "2026-03-27", True),
        ("Book a room for March 20, or 7 days later", "2026-03-27", True),
    ],
)
def test_a_day_named_by_its_date_is_that_day(invoke: Invoke, goal: str, day: str, passes: bool) -> None:
    right = [] if passes else [act("book", {"day": "2026-03-20"})]
    replies = [planned("book it"), act("book", {"day": day}), *right, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, replies, [book], goal={"goal": goal}, **MARCH)
    assert len(played.result["observations"]) == 1


def test_what_an_object_of_any_fields_has_is_held_to_what_was_said(invoke: Invoke) -> None:
    def give(**_: Any) -> str:
        return "updated"

    update = StructuredTool(
        name="crm_update_company",
        description="Update fields of a company",
        args_schema={"type": "object", "properties": {"fields": {"type": "object"}}, "required": ["fields"]},
        func=give,
    )
    wrong, right = (act(update.name, {"fields": {"phone": f"+49 30 55577{end}"}}) for end in (91, 19))
    goal = {"goal": "Change the phone to +49 30 5557719"}
    replies = [planned("change it"), wrong, right, done("Seen to."), replanned(response="Seen to.")]
    assert len(play(invoke, replies, [update], goal=goal).result["observations"]) == 1


def test_a_name_may_begin_with_its_servers() -> None:
    def named(name: str, description: str) -> BaseTool:
        return giving(name, description, "", x="string")

    move = named("crm_move_deal", "Move a deal")
    assert acts(move) and named_effect(move) == ("move", "deal") and not only_reads(move)
    # A noun with words that may be verbs is a noun.
    lock = named("door_lock_state", "Which doors are locked")
    assert not acts(lock)


def relocate(units: int) -> str:
    """Relocate units."""
    return "relocated"


def simulate(units: int) -> str:
    """Simulate a move."""
    return "simulated"


@pytest.mark.parametrize(("tool", "held"), [(relocate, True), (simulate, False)])
def test_an_amount_of_a_tool_that_is_named_by_its_verb_has_to_be_given(
    invoke: Invoke, tool: Callable[..., str], held: bool
) -> None:
    wrong, right = (act(tool.__name__, {"units": units}) for units in (200, 20))
    replies = [planned("move it"), wrong, *[right] * held, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, replies, [tool], goal={"goal": "Move 20 units to the cold aisle"})
    assert len(played.result["observations"]) == 1


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
