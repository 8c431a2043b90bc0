"""The plan-act loop: what follows what, what counts, and how a run ends."""

from __future__ import annotations

import copy
from datetime import datetime
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    Invoke,
    act,
    ask,
    done,
    echo_tool,
    last_words,
    planned,
    play,
    replanned,
    twin,
    with_call,
)
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import create_plan_act_graph
from thoughtgraph.nodes.plan_act.guards import Guards

TWO_STEPS = [
    planned("first", "second"),
    act("echo", "one"),
    done("one is said"),
    replanned("second"),
    act("echo", "two"),
    done("two is said"),
    replanned(response="Both are said."),
]
ROUND = ["thought", "act", "observe"]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def test_each_item_is_thought_acted_observed_and_replanned_and_the_plan_is_made_once(invoke: Invoke) -> None:
    calls: list[str] = []
    result, _, _ = play(invoke, TWO_STEPS, [echo_tool(calls)])
    assert calls == ["one", "two"]
    assert result["response"] == "Both are said."
    assert result["stop_reason"] == {"kind": "goal_met", "value": result["steps"], "limit": None}
    assert [(item["step"], item["status"], item["response"]) for item in result["plan"]] == [
        ("first", "done", "one is said"),
        ("second", "done", "two is said"),
    ]
    assert result["observations"] == [
        {"tool": "echo", "input": "one", "ok": True, "result": "echo one"},
        {"tool": "echo", "input": "two", "ok": True, "result": "echo two"},
    ]
    phases = [event["data"]["phase"] for event in result["events"] if event["kind"] == "plan"]
    assert phases == ["plan", "replan", "replan"]


def test_a_plan_of_one_step_brings_its_call_and_no_thought_is_asked_for(invoke: Invoke) -> None:
    calls: list[str] = []
    replies = [with_call(planned("first"), "echo", "x"), done("x is said")]
    result, _, _ = play(invoke, replies, [echo_tool(calls)])
    assert (calls, result["plan"][0]["status"]) == (["x"], "done")
    brought = next(event for event in result["events"] if event["kind"] == "plan")
    assert brought["data"]["next_action"] == {"tool": "echo", "input": "x"}


def test_a_call_that_comes_with_finished_steps_alone_is_not_made(invoke: Invoke) -> None:
    calls: list[str] = []
    again = with_call(replanned("first"), "echo", "one more")
    result, _, _ = play(invoke, [*TWO_STEPS[:3], again, *TWO_STEPS[4:]], [echo_tool(calls)])
    assert calls == ["one", "two"]
    assert result["response"] == "Both are said."
    assert [event["data"].get("next_action") for event in result["events"] if event["kind"] == "plan"] == [None] * 3


def test_the_nodes_run_in_the_order_of_the_source() -> None:
    graph = create_plan_act_graph(ScriptedModel(replies=TWO_STEPS), [echo_tool()], interactive=False)
    nodes = [next(iter(update)) for update in graph.stream(dict(GOAL), stream_mode="updates")]
    item = [*ROUND, "thought", "guidance", "replan"]
    assert nodes == [
        "begin",
        "plan",
        "validate_plan",
        "guidance",
        *item,
        "validate_plan",
        "guidance",
        *item,
        "finalize",
    ]


def test_the_thought_behind_a_call_sees_its_result(invoke: Invoke) -> None:
    _, model, _ = play(invoke, TWO_STEPS)
    assert "echo one" in last_words(model, 2)
    assert "echo two" in last_words(model, 5)


def test_a_replan_shows_what_is_finished_and_what_is_open(invoke: Invoke) -> None:
    _, model, _ = play(invoke, TWO_STEPS)
    assert "one is said" in last_words(model, 3)
    assert "second" in last_words(model, 3)


def test_a_replan_replaces_the_open_steps_and_keeps_the_finished_ones(invoke: Invoke) -> None:
    replies = [planned("a", "b", "c"), done("A"), replanned("d"), done("D"), replanned(response="end")]
    result, model, _ = play(invoke, replies)
    assert [item["step"] for item in result["plan"]] == ["a", "d"]
    assert "d" in last_words(model, 3)


def test_a_replan_follows_every_clarification(invoke: Invoke) -> None:
    replies = [planned("a"), ask("Which?"), replanned("b"), ask("When?"), replanned("c"), done("C"), replanned()]
    result, model, _ = play(invoke, replies, answers=["this one", "now"])
    assert "this one" in last_words(model, 2)
    assert "now" in last_words(model, 4)
    assert [item["step"] for item in result["plan"]] == ["c"]
    assert result["clarifications"] == [
        {"question": "Which?", "answer": "this one", "assumed": False},
        {"question": "When?", "answer": "now", "assumed": False},
    ]


@pytest.mark.parametrize(
    ("last", "response"),
    [(replanned(response="the end"), "the end"), (replanned(), "A"), (replanned(response="  "), "A")],
    ids=["with-response", "without", "blank"],
)
def test_an_empty_replan_ends_the_run_with_an_answer(invoke: Invoke, last: str, response: str) -> None:
    result, _, _ = play(invoke, [planned("a", "b"), done("A"), last])
    assert result["response"] == response
    assert result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize("again", ["Buy milk", "buy  MILK.", "**Buy** milk!"], ids=["same", "case", "marks"])
def test_a_finished_step_never_comes_back(invoke: Invoke, again: str) -> None:
    replies = [planned("Buy milk", "Go"), done("bought"), replanned(again, "Go"), done("gone"), replanned()]
    result, model, _ = play(invoke, replies)
    assert [item["step"] for item in result["plan"]] == ["Buy milk", "Go"]
    assert "Go" in last_words(model, 3)


def test_a_plan_of_finished_steps_alone_ends_the_run(invoke: Invoke) -> None:
    result, _, _ = play(invoke, [planned("a"), done("A"), replanned("a")])
    assert result["stop_reason"]["kind"] == "repeated_plan"
    assert result["response"] == "A"


def test_a_replan_that_repeats_a_finished_step_does_not_lose_the_open_ones() -> None:
    model = ScriptedModel(replies=[planned("a", "b"), done("A"), replanned("a"), done("B"), replanned(), ""])
    result = create_plan_act_graph(model, [echo_tool()], interactive=False).invoke(dict(GOAL))
    assert "b" in [item["step"] for item in result["plan"]]


def test_two_steps_that_differ_in_a_sign_are_two_steps(invoke: Invoke) -> None:
    replies = [planned("Compute 3 + 4", "Compute 3 * 4"), done("7"), replanned("Compute 3 * 4"), done("12")]
    result, _, _ = play(invoke, [*replies, replanned(response="7 and 12")])
    assert [item["response"] for item in result["plan"]] == ["7", "12"]


def test_plain_talk_is_answered_by_one_call_and_no_tool(invoke: Invoke) -> None:
    calls: list[str] = []
    result, _, _ = play(invoke, [planned(response="Hello!")], [echo_tool(calls)])
    assert (result["response"], result["plan"], result["observations"], calls) == ("Hello!", [], [], [])
    assert result["stop_reason"] == {"kind": "answered", "value": 0, "limit": None}


def test_it_works_without_any_tool(invoke: Invoke) -> None:
    assert play(invoke, [planned("think"), done("42"), replanned(response="42")], [])[0]["response"] == "42"


@pytest.mark.parametrize(
    ("replies", "steps"),
    [
        ([planned(response="Hi")], 0),
        (["no JSON", planned(response="Hi")], 0),
        ([planned("a"), done("A"), replanned()], 2),
        ([planned("a"), "no JSON", done("A"), replanned()], 2),
        ([planned("a"), act("echo", "x"), done("A"), replanned()], 4),
        ([planned("a"), ask("Which?"), replanned("a"), done("A"), replanned()], 4),
        ([planned("a"), *["no JSON"] * 3, done("A"), replanned()], 3),
        ([planned("a"), done("A"), *["no JSON"] * 3, replanned()], 3),
    ],
    ids=[
        "plan",
        "plan-retried",
        "thought+replan",
        "thought-retried",
        "tool",
        "question",
        "failed-thought",
        "failed-replan",
    ],
)
def test_thoughts_replans_and_tool_calls_count_and_nothing_else(invoke: Invoke, replies: list[str], steps: int) -> None:
    result, _, _ = play(invoke, replies, answers=["x"] if ask("Which?") in replies else [])
    assert result["steps"] == steps


@pytest.mark.parametrize(
    ("max_steps", "thoughts"), [(1, 1), (2, 1), (3, 2), (6, 3)], ids=["one", "even", "odd", "more"]
)
def test_the_limit_is_checked_at_the_head_of_every_round(invoke: Invoke, max_steps: int, thoughts: int) -> None:
    calls: list[str] = []
    replies = [planned("a"), *(act("echo", f"x{number}") for number in range(thoughts)), "The best I have."]
    result, _, _ = play(invoke, replies, [echo_tool(calls)], max_steps=max_steps)
    assert len(calls) == thoughts
    assert result["stop_reason"] == {"kind": "max_iterations", "value": 2 * thoughts, "limit": max_steps}
    assert result["steps"] == 2 * thoughts


def test_the_limit_of_steps_is_given_in_one_place_alone(invoke: Invoke) -> None:
    with pytest.raises(TypeError, match="max_steps"):
        Guards(max_steps=9)  # type: ignore[call-arg]
    replies = [planned("a"), act("echo", "x"), "best"]
    result, _, _ = play(invoke, replies, max_steps=2, guards=Guards(max_tokens=10_000))
    assert result["stop_reason"]["limit"] == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_at_the_limit_the_answer_says_what_is_done_why_it_stopped_and_what_to_do_next(
    invoke: Invoke, language: Any
) -> None:
    replies = [planned("a", "b"), done("A is bought"), replanned("b"), act("echo", "b1"), "My best guess."]
    result, model, _ = play(invoke, replies, max_steps=4, language=language)
    assert text(language, "stop.max_iterations") in last_words(model)
    for part in ("end.done", "end.open", "end.why", "end.next", "end.advice"):
        assert text(language, part) in result["response"]
    for part in ("A is bought", "echo b1", "My best guess.", text(language, "why.max_iterations", limit=4)):
        assert part in result["response"]
    assert [(item["step"], item["status"]) for item in result["plan"]] == [("a", "done"), ("b", "open")]


def test_the_time_is_told_and_what_was_said_before_stands_beside_the_goal(invoke: Invoke) -> None:
    goal = {"goal": "And tomorrow?", "background": "User: what is today?"}
    now = datetime(2031, 5, 6, 7, 8)
    _, model, _ = play(invoke, [planned(response="Wednesday")], goal=goal, clock=lambda: now)
    shown = last_words(model)
    # Beside the goal, a small model takes the time for the one that is asked for: it stands before the example plans.
    assert "2031-05-06 07:08" in str(model.requests[0])
    assert goal["background"] in shown
    assert goal["goal"] in shown


def test_tokens_of_every_call_are_summed(invoke: Invoke) -> None:
    result, _, _ = play(invoke, ["no JSON", *TWO_STEPS])
    assert result["usage"] == {"input_tokens": 80, "output_tokens": 40, "total_tokens": 120, "cached_tokens": 0}


def test_the_input_is_left_as_it_was(invoke: Invoke) -> None:
    given = {"goal": "Say it", "background": "before"}
    before = copy.deepcopy(given)
    play(invoke, TWO_STEPS, goal=given)
    assert given == before


@pytest.mark.parametrize("given", [{}, {"goal": ""}, {"goal": " \n"}], ids=["none", "empty", "blank"])
def test_an_empty_goal_is_refused_before_the_model_is_asked(invoke: Invoke, given: dict[str, Any]) -> None:
    graph = create_plan_act_graph(ScriptedModel(replies=[]), [], interactive=False)
    with pytest.raises(ValueError, match="goal is empty"):
        invoke(graph, given)


def test_a_thread_that_is_used_again_starts_anew(invoke: Invoke) -> None:
    replies = [*TWO_STEPS, planned("other"), done("done anew"), replanned()]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [echo_tool()], checkpointer=InMemorySaver())
    first = invoke(graph, dict(GOAL), THREAD)
    second = invoke(graph, {"goal": "Another thing"}, THREAD)
    assert (len(first["plan"]), [item["step"] for item in second["plan"]]) == (2, ["other"])
    assert (second["observations"], second["clarifications"], second["steps"]) == ([], [], 2)
    assert second["events"][0]["data"]["task"] == "Another thing"
    assert first["events"][0]["run_id"] not in {event["run_id"] for event in second["events"]}


def test_a_pause_shows_no_answer_of_the_run_before(invoke: Invoke) -> None:
    model = ScriptedModel(replies=[planned(response="the old answer"), planned("a"), ask("Which?")])
    graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver())
    invoke(graph, dict(GOAL), THREAD)
    paused = invoke(graph, {"goal": "Another thing"}, THREAD)
    assert paused["__interrupt__"]
    assert not paused.get("response")
    assert not paused.get("stop_reason")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_steps": 0}, "max_steps must be at least 1"),
        ({"language": "fr"}, "unknown language 'fr'"),
        ({"tools": [echo_tool(), echo_tool()]}, "two tools are called echo"),
    ],
    ids=["steps", "language", "names"],
)
def test_wrong_options_are_refused_at_build(options: dict[str, Any], message: str) -> None:
    tools = options.pop("tools", [])
    with pytest.raises(ValueError, match=message):
        create_plan_act_graph(ScriptedModel(replies=[]), tools, interactive=False, **options)


@pytest.mark.parametrize("name", ["ask_user", "human_review", "planner"])
def test_a_tool_may_not_take_the_name_of_what_a_person_says(name: str) -> None:
    def ask(text: str) -> str:
        """Ask."""
        return text

    ask.__name__ = name
    with pytest.raises(ValueError, match=f"{name} is the loop's own name"):
        create_plan_act_graph(ScriptedModel(replies=[]), [ask], interactive=False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"duplicate_threshold": 0},
        {"loop_window": 3},
        {"error_threshold": 1.5},
        {"error_min_calls": 0},
        {"max_tokens": 0},
        {"max_seconds": 0},
        {"max_questions": -1},
        {"max_repeated_questions": 0},
        {"max_unreadable": 0},
        {"warn_at": -0.1},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_limit_out_of_range_is_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Guards(**wrong)


def test_the_trace_tells_of_every_step_in_one_piece(invoke: Invoke) -> None:
    result, _, _ = play(invoke, TWO_STEPS)
    events = result["events"]
    item = ["thought", "action", "observation", "thought"]
    kinds = ["goal", "thought", "plan", *item, "thought", "plan", *item, "thought", "plan", "outcome"]
    assert [event["kind"] for event in events] == kinds
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert all(event["links"] for event in events[1:])
    known = {event["id"] for event in events}
    assert all(link["source"] in known for event in events for link in event["links"])


def test_the_trace_shows_how_far_a_run_is(invoke: Invoke) -> None:
    result, _, _ = play(invoke, TWO_STEPS)
    decided = [event["data"] for event in result["events"] if "decision" in event["data"]]
    assert [(data["item"], data["of"], data["step"]) for data in decided] == [
        (1, 2, "first"),
        (1, 2, "first"),
        (2, 2, "second"),
        (2, 2, "second"),
    ]
    assert [data["steps"] for data in decided] == [1, 3, 5, 7]
    assert {data["max_steps"] for data in decided} == {20}
