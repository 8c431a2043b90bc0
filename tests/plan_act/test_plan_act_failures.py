"""The plan-act loop when things go wrong: never an exception, never an empty answer, nothing achieved is lost."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.exceptions import ModelInvalidRequestError
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    CyclingModel,
    Invoke,
    act,
    ask,
    broken_tool,
    done,
    echo_tool,
    last_words,
    no_waiting,
    planned,
    play,
    replanned,
    twin,
)
from support.scripted import lint_order
from support.texts import text
from thoughtgraph import create_plan_act_graph
from thoughtgraph.models.testing.scripted import ScriptedModel
from thoughtgraph.nodes.plan_act.guards import Guards
from thoughtgraph.traces.shapes import StopKind

pytestmark = pytest.mark.slow

GONE = [ConnectionError("gone")] * 5
CUT = AIMessage('{"status": "pla', response_metadata={"finish_reason": "length"})
ROUND = ["no JSON at all", "still none", "none"]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def test_a_refused_payload_is_asked_for_again_with_what_is_wrong(invoke: Invoke) -> None:
    wrong = json.dumps({"status": "done", "response": "A", "next_action": {"tool": "echo", "input": "x"}})
    _, model, _ = play(invoke, [planned("a"), wrong, done("A"), replanned()])
    first, second = model.requests[1:3]
    assert second[: len(first)] == first
    assert second[-2].content == wrong
    assert "`done` has no `next_action`" in last_words(model, 2)


@pytest.mark.parametrize(
    ("action", "feedback"),
    [
        ({"tool": "fly", "input": "x"}, "There is no tool 'fly'. The tools are: echo"),
        ({"tool": "echo", "input": {"words": "x"}}, "The `input` of echo"),
        ({"tool": "echo", "input": ""}, "The `input` of echo is empty"),
    ],
    ids=["unknown-tool", "unknown-field", "empty"],
)
def test_an_action_that_no_tool_takes_is_refused_before_it_is_carried_out(
    invoke: Invoke, action: dict[str, Any], feedback: str
) -> None:
    calls: list[str] = []
    wrong = json.dumps({"status": "continue", "next_action": action})
    replies = [planned("a"), wrong, act("echo", "x"), done("A"), replanned()]
    result, model, _ = play(invoke, replies, [echo_tool(calls)])
    assert feedback in last_words(model, 2)
    assert calls == ["x"]
    assert len(result["observations"]) == 1


@pytest.mark.parametrize(
    ("before", "phase"),
    [
        ([], "plan"),
        ([planned("a")], "thought"),
        ([planned("a", "b"), done("A")], "replan"),
    ],
    ids=["plan", "thought", "replan"],
)
def test_two_failed_rounds_in_a_row_end_in_the_stable_answer(invoke: Invoke, before: list[str], phase: str) -> None:
    result, _, _ = play(invoke, [*before, *ROUND, *ROUND])
    assert result["stop_reason"] == {"kind": "planner_unavailable", "value": 2, "limit": 2}
    assert result["response"].startswith(text("en", "planner_unavailable"))
    assert [(seen["tool"], seen["input"], seen["ok"]) for seen in result["observations"]] == [
        ("planner", phase, False),
        ("planner", phase, False),
    ]


def test_a_model_that_insists_on_a_tool_that_does_not_exist_is_ended(invoke: Invoke) -> None:
    result, _, _ = play(invoke, [planned("a"), *[act("fly", "x")] * 6])
    assert result["stop_reason"]["kind"] == "planner_unavailable"
    assert all("fly" in seen["result"] for seen in result["observations"])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (act("fly", "x"), "There is no tool 'fly'. The tools are: echo, ask_user."),
        (f"{act('fly', 'x')}\nIt flew.\n{done('It flew.')}", "There is no tool 'fly'. The tools are: echo, ask_user."),
        ('<tool_call>{"name": "fly", "arguments": {"to": "x"}}</tool_call>', "There is no tool 'fly'."),
        (act("echo", {"words": "x"}), "The `input` of echo does not fit"),
        ('{"action": "Final Answer", "action_input": "x"}', "There is no tool 'Final Answer'."),
    ],
)
def test_the_user_is_told_of_calls_that_cannot_be_made(invoke: Invoke, call: str, problem: str, language: Any) -> None:
    """They could be read, so that simpler words would not help."""
    result, _, _ = play(invoke, [planned("a"), *[call] * 6], language=language)
    opening = text(language, "unfit_call", problem="\0").partition("\0")[0]
    assert result["response"].startswith(f"{opening}{problem}")
    assert text(language, "why.unfit_call", value=2) in result["response"]
    assert text(language, "reply.only_the_first") not in result["response"]
    assert text(language, "planner_unavailable") not in result["response"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "replies",
    [[*ROUND, *ROUND], [planned("a"), act("broken", "x"), done("no"), done("no"), replanned(response="end")]],
    ids=["unreadable", "failed"],
)
def test_the_application_adds_its_own_advice(invoke: Invoke, replies: list[str], language: Any) -> None:
    plain, _, _ = play(invoke, replies, [broken_tool()], language=language)
    own, _, _ = play(invoke, replies, [broken_tool()], language=language, advice="call 555-0100")
    assert text(language, "end.or", advice="call 555-0100") in own["response"]
    assert own["response"].replace(text(language, "end.or", advice="call 555-0100"), "") == plain["response"]


def test_the_stable_answer_is_in_the_users_language(invoke: Invoke) -> None:
    result, _, _ = play(invoke, [*ROUND, *ROUND], language="zh")
    assert result["response"].startswith(text("zh", "planner_unavailable"))


@pytest.mark.parametrize(
    "replies",
    [
        [*ROUND, planned("a"), done("A"), replanned(response="end")],
        [planned("a"), *ROUND, done("A"), replanned(response="end")],
        [planned("a"), done("A"), *ROUND, replanned(response="end")],
        [*ROUND, planned("a"), *ROUND, done("A"), *ROUND, replanned(response="end")],
    ],
    ids=["plan", "thought", "replan", "each-once"],
)
def test_one_failed_round_is_an_observation_and_the_run_goes_on(invoke: Invoke, replies: list[str]) -> None:
    result, _, _ = play(invoke, replies)
    assert (result["stop_reason"]["kind"], result["response"]) == ("goal_met", "end")
    assert {(seen["tool"], seen["ok"]) for seen in result["observations"]} == {("planner", False)}


def test_the_round_behind_a_failed_one_is_told_what_was_wrong(invoke: Invoke) -> None:
    _, model, _ = play(invoke, [planned("a"), *ROUND, done("A"), replanned()])
    assert "There is no JSON in the reply" in last_words(model, 4)


def test_a_reply_that_is_cut_off_twice_is_a_failed_round(invoke: Invoke) -> None:
    result, _, _ = play(invoke, [CUT, CUT, planned("a"), done("A"), replanned(response="end")])
    assert result["response"] == "end"
    assert [seen["tool"] for seen in result["observations"]] == ["planner"]
    result, _, _ = play(invoke, [CUT] * 4)
    assert result["stop_reason"]["kind"] == "planner_unavailable"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_replies_that_are_cut_off_are_not_called_unreadable(invoke: Invoke, language: Any) -> None:
    cut, _, _ = play(invoke, [*ROUND, CUT, CUT], language=language)
    assert cut["response"].startswith(text(language, "cut_off"))
    assert "max_tokens" in cut["response"]
    unread, _, _ = play(invoke, [CUT, CUT, *ROUND], language=language)
    assert unread["response"].startswith(text(language, "planner_unavailable"))


@pytest.mark.parametrize(
    "before",
    [
        [],
        ROUND,
        [planned("a", "b")],
        [planned("a", "b"), act("echo", "x")],
        [planned("a", "b"), done("A is done")],
        [planned("a", "b"), done("A is done"), replanned("b"), "no JSON"],
    ],
    ids=["plan", "second-plan", "thought", "second-thought", "replan", "retry"],
)
def test_a_model_that_goes_away_ends_the_run_with_what_was_achieved(
    invoke: Invoke, before: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    result, _, _ = play(invoke, [*before, *GONE])
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert "gone" in result["stop_reason"]["value"]
    assert result["response"].startswith(text("en", "model_unavailable"))
    assert ("A is done" in result["response"]) == (done("A is done") in before)
    assert result["response"].endswith(text("en", "end.advice_model"))


def test_transport_errors_never_enter_a_prompt(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    replies = [planned("a"), ConnectionError("gone"), done("A"), replanned(response="end")]
    result, model, _ = play(invoke, replies)
    assert result["response"] == "end"
    assert model.requests[1] == model.requests[2]
    assert not any("gone" in str(message.content) for request in model.requests for message in request)


def test_a_request_that_the_server_refuses_costs_nothing_achieved_before(invoke: Invoke) -> None:
    class RefusedError(ModelInvalidRequestError):
        pass

    result, _, _ = play(invoke, [planned("a", "b"), done("A is done"), RefusedError("context too long")])
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert "context too long" in result["response"]
    assert "A is done" in result["response"]
    with pytest.raises(RefusedError):
        play(invoke, [RefusedError("bad key")])


def test_a_tools_failure_is_an_observation_that_the_next_thought_sees(invoke: Invoke) -> None:
    replies = [planned("a"), act("broken", "x"), act("echo", "y"), done("A"), replanned(response="end")]
    result, model, _ = play(invoke, replies, [broken_tool(), echo_tool()])
    assert result["stop_reason"]["kind"] == "goal_met"
    assert [seen["ok"] for seen in result["observations"]] == [False, True]
    assert "this cannot work" in result["observations"][0]["result"]
    assert "this cannot work" in last_words(model, 2)
    failed = [event for event in result["events"] if any(link["relation"] == "failed" for link in event["links"])]
    assert [event["kind"] for event in failed] == ["observation"]


@pytest.mark.parametrize(
    "error", [RuntimeError(), MemoryError("full"), RecursionError("deep")], ids=["no-words", "memory", "depth"]
)
def test_no_exception_of_a_tool_leaves_the_run(invoke: Invoke, error: Exception) -> None:
    replies = [planned("a"), act("broken", "x"), act("echo", "y"), done("A"), replanned(response="end")]
    result, _, _ = play(invoke, replies, [broken_tool(error=error), echo_tool()])
    assert result["observations"][0]["ok"] is False
    assert type(error).__name__ in result["observations"][0]["result"]


def test_a_step_given_up_behind_its_only_call_is_thought_over_once(invoke: Invoke) -> None:
    tools = [broken_tool(), echo_tool()]
    start = [planned("a"), act("broken", "x"), done("given up")]
    result, model, _ = play(invoke, [*start, act("echo", "y"), done("A"), replanned()], tools)
    assert model.requests[3][: len(model.requests[2])] == model.requests[2]
    assert [seen["ok"] for seen in result["observations"]] == [False, True]
    assert result["plan"][0]["response"] == "A"
    result, _, _ = play(invoke, [*start, done("it cannot be done"), replanned(response="It is done!")], tools)
    assert result["plan"][0]["status"] == "failed"


def test_a_step_whose_every_call_failed_is_reported_as_failed_whatever_the_model_says(invoke: Invoke) -> None:
    replies = [planned("a", "b"), act("broken", "x"), done("Done!"), done("Done!"), replanned("b"), act("echo", "b")]
    tools = [broken_tool(), echo_tool()]
    result, model, _ = play(invoke, [*replies, done("B"), replanned(response="All done!")], tools)
    assert [(item["step"], item["status"]) for item in result["plan"]] == [("a", "failed"), ("b", "done")]
    assert "this cannot work" in result["plan"][0]["response"]
    assert result["response"].startswith(f"All done!\n{text('en', 'end.failed')}\n- a: ")
    assert "FAILED" in last_words(model, 4)


def test_a_failed_step_may_be_planned_again_and_is_then_made_good(invoke: Invoke) -> None:
    first = [planned("a"), act("broken", "x"), done("Done!"), done("Done!")]
    again = [replanned("a"), act("echo", "y"), done("A"), replanned(response="There.")]
    result, _, _ = play(invoke, [*first, *again], [broken_tool(), echo_tool()])
    assert [item["status"] for item in result["plan"]] == ["failed", "done"]
    assert result["response"] == "There."


def test_a_failure_of_one_step_is_not_held_against_the_next(invoke: Invoke) -> None:
    first = [planned("a", "b"), act("broken", "x"), done("Done!"), done("Done!"), replanned("b")]
    result, _, _ = play(invoke, [*first, done("B"), replanned(response="End.")], [broken_tool()])
    assert [item["status"] for item in result["plan"]] == ["failed", "done"]


@pytest.mark.parametrize(
    ("length", "cut"), [(9_995, False), (9_996, True), (250_000, True)], ids=["fits", "by-one", "far"]
)
def test_a_long_result_is_cut_at_10000_characters_and_says_so(invoke: Invoke, length: int, cut: bool) -> None:
    def long(text: str) -> str:
        """Talk."""
        return text + "x" * length

    replies = [planned("a"), act("long", "start"), done("A"), replanned()]
    result, model, _ = play(invoke, replies, [long])
    seen = result["observations"][0]["result"]
    assert len(seen) == min(10_000, length + 5)
    assert seen.startswith("startxxx")
    assert (str(length + 5) in seen) == cut
    assert seen in last_words(model, 2)


@pytest.mark.parametrize(("context_tokens", "room"), [(16_000, 10_000), (3_000, 6_000), (5, 10)])
def test_a_result_is_cut_once_and_the_mark_tells_its_true_length(
    invoke: Invoke, context_tokens: int, room: int
) -> None:
    def long(text: str) -> str:
        """Talk."""
        return text + "x" * 250_000

    replies = [planned("a"), act("long", "start"), done("A"), replanned()]
    result, model, _ = play(invoke, replies, [long], context_tokens=context_tokens)
    kept = result["observations"][0]["result"]
    shown = last_words(model, 2).split("```")[1].strip("\n")
    for told, limit in ((kept, 10_000), (shown, room)):
        assert re.findall(r"\[cut: (\d+) characters in all\]", told) == ["250005"]
        assert len(told) == max(limit, len("\n… [cut: 250005 characters in all]")) - told.startswith("…")


@pytest.mark.parametrize(
    ("profiles", "room"),
    [
        ([None], 10_000),
        ([{"max_input_tokens": 128_000}], 10_000),
        ([{"max_input_tokens": 3_000}], 5_400),
        ([None, {"max_input_tokens": 3_000}], 5_400),
    ],
)
def test_a_request_keeps_to_what_the_profiles_of_the_models_say(profiles: list[Any], room: int) -> None:
    def long() -> str:
        """Talk."""
        return "x" * 250_000

    replies = [planned("a"), act("long", ""), done("A"), replanned()]
    first, *others = [ScriptedModel(replies=replies, profile=profile) for profile in profiles]
    create_plan_act_graph([first, *others], [long], interactive=False).invoke(GOAL)
    assert len(last_words(first, 2).split("```")[1].strip("\n")) == room


def test_the_model_is_shown_the_last_100_observations_and_the_run_keeps_all(invoke: Invoke) -> None:
    calls = [act("echo", f"number {number}.") for number in range(105)]
    replies = [planned("a"), *calls, done("A"), replanned()]
    result, model, _ = play(invoke, replies, max_steps=500, context_tokens=10**6)
    assert len(result["observations"]) == 105
    shown = "\n".join(str(message.content) for message in model.requests[-2])
    assert [number for number in range(105) if f"echo number {number}." in shown] == list(range(5, 105))
    lint_order(model.requests)


def nested(depth: int) -> dict[str, Any]:
    """An object inside of an object, and so on."""
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "reply",
    [
        act("store", {"data": {"number": 2**64}}),
        act("store", {"data": nested(300)}),
        replanned({"step": "b", "requires": [2**64]}),
    ],
    ids=["long-number", "deep", "long-requirement"],
)
def test_a_value_that_no_checkpoint_holds_ends_no_run(reply: str) -> None:
    def store(data: dict[str, Any]) -> str:
        """Keep data."""
        return "kept"

    model = CyclingModel(
        replies=[planned("a"), *[ask("Which?")] * ("requires" in reply), reply, done("A"), replanned()]
    )
    graph = create_plan_act_graph(model, [store], checkpointer=InMemorySaver())
    graph.invoke(dict(GOAL), THREAD)
    if "requires" in reply:
        graph.invoke(Command(resume="this"), THREAD)


@pytest.mark.parametrize("words", ["\ud83d", "\0", "\u2028</s><|im_end|>"], ids=["half-a-pair", "nul", "marks"])
def test_hostile_characters_end_no_run(invoke: Invoke, words: str) -> None:
    hostile = act("echo", words)
    result, _, _ = play(invoke, [planned("a"), hostile, done("A"), replanned(response="end")])
    assert result["response"] == "end"
    assert len(result["observations"]) == 1


def test_many_failed_rounds_that_the_guards_allow_do_not_reach_langgraphs_limit() -> None:
    model = CyclingModel(replies=["no JSON"])
    guards = Guards(max_unreadable=100)
    result = create_plan_act_graph(model, [], interactive=False, guards=guards).invoke(dict(GOAL))
    assert result["stop_reason"]["kind"] == "planner_unavailable"


POOL = [
    planned("a", "b"),
    planned(response="Hi"),
    planned({"step": "a", "tool": "fly", "requires": [2]}, "b"),
    replanned("a", "c"),
    replanned("b", "d"),
    replanned(response="end"),
    act("echo", "x"),
    act("echo", "y"),
    act("broken", "x"),
    act("fly", "x"),
    done("A"),
    done("B"),
    ask("Which?"),
    ask("When?"),
    "no JSON",
    "",
    "{",
    CUT,
    ConnectionError("gone"),
]


@pytest.mark.parametrize("interactive", [True, False], ids=["asks", "alone"])
@given(
    start=st.sampled_from([[], [planned("a", "b")]]),
    replies=st.lists(st.sampled_from(POOL), min_size=1, max_size=40),
)
@settings(max_examples=50, deadline=None)
def test_whatever_the_model_says_the_run_ends_with_an_answer_and_a_reason(
    interactive: bool, start: list[Any], replies: list[Any]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        no_waiting(patch)
        model = CyclingModel(replies=[*start, *replies])
        graph = create_plan_act_graph(
            model,
            [echo_tool(), broken_tool()],
            max_steps=8,
            interactive=interactive,
            checkpointer=InMemorySaver() if interactive else None,
        )
        result = graph.invoke(dict(GOAL), THREAD)
        for _ in range(20):
            if "__interrupt__" not in result:
                break
            result = graph.invoke(Command(resume="this"), THREAD)
    assert result["response"].strip()
    assert result["stop_reason"]["kind"] in get_args(StopKind)
    assert result["steps"] <= 8 + 1
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))
    lint_order(model.requests)
