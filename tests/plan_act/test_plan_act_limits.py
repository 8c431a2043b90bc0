"""Budgets of a plan-act run, warnings on the way to them, and the last answer behind every limit."""

from __future__ import annotations

import re
from typing import Any

import pytest
from langchain_core.exceptions import ModelInvalidRequestError
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    CyclingModel,
    FakeTimer,
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
from support.scripted import ScriptedModel, lint_order
from support.texts import TEXTS, text
from thoughtgraph import ContextGraph, create_plan_act_graph
from thoughtgraph.nodes.plan_act.guards import Guards

BEST = "My best answer."
END = [done("A"), replanned(response="end")]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def echoes(count: int) -> list[str]:
    """Different calls."""
    return [act("echo", f"x{number}") for number in range(count)]


def warned(model: ScriptedModel, key: str) -> list[int]:
    """The requests, the last one aside, whose last turn holds a warning, whatever its numbers."""
    template = re.sub(r"\\\{.*?\\\}", ".+", re.escape(TEXTS[key][0]))
    return [number for number in range(len(model.requests) - 1) if re.search(template, last_words(model, number))]


def test_a_call_that_was_repeated_is_told_of_once(invoke: Invoke) -> None:
    result, _, _ = play(invoke, [planned("a"), act("echo", "y"), *[act("echo", "x")] * 5, BEST])
    assert result["stop_reason"]["kind"] == "duplicate_tool_calls"
    assert [line for line in result["response"].splitlines() if line.startswith("- echo ")] == [
        "- echo y → echo y",
        "- echo x → echo x",
    ]


def test_the_budget_of_tokens_ends_the_run(invoke: Invoke) -> None:
    result, model, _ = play(invoke, [planned("a"), *echoes(2), BEST], guards=Guards(max_tokens=45))
    assert result["stop_reason"] == {"kind": "token_budget", "value": 45, "limit": 45}
    assert text("en", "stop.budget") in last_words(model)
    assert result["usage"]["total_tokens"] == 60, "the last call is not counted"


def test_tokens_of_a_round_in_which_the_model_went_away_are_counted(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    result, _, _ = play(invoke, [planned("a"), "no JSON", *[ConnectionError("gone")] * 5])
    assert result["usage"]["total_tokens"] == 30


def test_a_run_within_its_budgets_goes_on(invoke: Invoke) -> None:
    guards = Guards(max_tokens=75, max_seconds=60)
    assert play(invoke, [planned("a"), *echoes(1), *END], guards=guards)[0]["stop_reason"]["kind"] == "goal_met"


def timed(timer: FakeTimer, replies: list[Any], seconds: float) -> ScriptedModel:
    """A model whose every reply takes its time."""

    class SlowModel(ScriptedModel):
        def _generate(self, *args: Any, **kwargs: Any) -> Any:
            timer.seconds += seconds
            return super()._generate(*args, **kwargs)

    return SlowModel(replies=replies)


def test_the_budget_of_time_ends_the_run(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    timer = FakeTimer(monkeypatch)
    model = timed(timer, [planned("a"), *echoes(2), BEST], 10)
    graph = create_plan_act_graph(model, [echo_tool()], interactive=False, guards=Guards(max_seconds=30))
    result = invoke(graph, dict(GOAL))
    assert result["stop_reason"] == {"kind": "time_budget", "value": 30, "limit": 30}
    assert BEST in result["response"]
    assert warned(model, "warn.time") == []


@pytest.mark.parametrize(
    ("each", "limit", "said"),
    [
        (0.135, 0.3, ("0.405", "0.3")),
        (0.6, 1.5, ("1.8", "1.5")),
        (0.00002, 0.00005, ("0.00006", "0.00005")),
        (10, 30, ("30", "30")),
        (1200, 3600, ("3,600", "3,600")),
    ],
)
def test_the_seconds_that_ended_the_run_are_told_as_they_are(
    invoke: Invoke, each: float, limit: float, said: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for language in ("en", "zh"):
        model = timed(FakeTimer(monkeypatch), [planned("a"), *echoes(2), BEST], each)
        options: dict[str, Any] = {"guards": Guards(max_seconds=limit), "language": language}
        result = invoke(create_plan_act_graph(model, [echo_tool()], interactive=False, **options), dict(GOAL))
        assert text(language, "why.time_budget", value=said[0], limit=said[1]) in result["response"]
        why = ContextGraph.from_run(result).why_stopped().sentence
        assert why == f"It stopped because {said[0]} seconds were used; the limit is {said[1]}."


def test_a_small_share_of_a_budget_of_time_is_no_zero(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    model = timed(FakeTimer(monkeypatch), [planned("a"), *echoes(4), *END], 0.01)
    graph = create_plan_act_graph(model, [echo_tool()], interactive=False, guards=Guards(max_seconds=0.062))
    invoke(graph, dict(GOAL))
    assert text("en", "warn.time", used="0.05", limit="0.062") in last_words(model, 5)


def test_a_share_of_failed_calls_is_told_as_it_is(invoke: Invoke) -> None:
    for limit, said in ((0.5, "50%"), (0.665, "66.5%")):
        actions = [act("broken" if number else "echo", f"{number}") for number in range(3)]
        guards = Guards(error_threshold=limit, error_min_calls=3)
        replies = [planned("a"), *actions, BEST]
        result, _, _ = play(invoke, replies, [echo_tool(), broken_tool()], guards=guards)
        assert text("en", "why.error_rate", value="66.7%", limit=said) in result["response"]


def test_time_is_not_counted_while_the_user_thinks(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    timer = FakeTimer(monkeypatch)
    model = timed(timer, [planned("a"), ask("Which?"), replanned("a"), *END], 1)
    guards = Guards(max_seconds=30)
    graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver(), guards=guards)
    invoke(graph, dict(GOAL), THREAD)
    timer.seconds += 3600
    assert invoke(graph, Command(resume="this"), THREAD)["stop_reason"]["kind"] == "goal_met"


def test_time_in_tools_is_counted(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    timer = FakeTimer(monkeypatch)

    def slow(text: str) -> str:
        """Take long."""
        timer.seconds += 60
        return "at last"

    replies = [planned("a"), act("slow", "x"), BEST]
    result, _, _ = play(invoke, replies, [slow], guards=Guards(max_seconds=30))
    assert result["stop_reason"]["kind"] == "time_budget"


@pytest.mark.parametrize(
    ("warn_at", "numbers"), [(0.8, [5]), (0.5, [4, 5]), (1.0, [])], ids=["default", "earlier", "never"]
)
def test_the_model_is_warned_from_a_share_of_the_steps_on(invoke: Invoke, warn_at: float, numbers: list[int]) -> None:
    replies = [planned("a"), *echoes(5), BEST]
    _, model, _ = play(invoke, replies, max_steps=10, guards=Guards(warn_at=warn_at))
    assert warned(model, "warn.steps") == numbers
    if numbers:
        assert text("en", "warn.steps", remaining=2) in last_words(model, 5)


def test_a_step_without_a_result_is_warned_as_well(invoke: Invoke) -> None:
    replies = [planned("a", "b", "c"), done("A"), replanned("b", "c"), done("B"), replanned("c"), BEST]
    _, model, _ = play(invoke, replies, max_steps=4)
    assert warned(model, "warn.steps") == []
    _, model, _ = play(invoke, [*replies[:5], done("C"), BEST], max_steps=5)
    assert warned(model, "warn.steps") == [5]


@pytest.mark.parametrize(
    ("key", "guards", "numbers"),
    [
        ("warn.tokens", Guards(max_tokens=90), [5]),
        ("warn.tokens", Guards(max_tokens=1000), []),
        ("warn.errors", Guards(error_threshold=0.9, error_min_calls=2, warn_at=0.5), [3, 5]),
        ("warn.errors", Guards(error_threshold=0.9, error_min_calls=5), []),
    ],
    ids=["tokens", "no-tokens", "errors", "no-errors"],
)
def test_the_model_is_warned_before_the_other_limits(
    invoke: Invoke, key: str, guards: Guards, numbers: list[int]
) -> None:
    actions = [act("broken" if number % 2 else "echo", f"{number}") for number in range(5)]
    _, model, _ = play(invoke, [planned("a"), *actions, BEST], [echo_tool(), broken_tool()], guards=guards, max_steps=9)
    assert warned(model, key) == numbers


@pytest.mark.parametrize(("max_seconds", "numbers"), [(62, [5]), (100, [])], ids=["near", "far"])
def test_the_model_is_warned_before_its_time_is_up(
    invoke: Invoke, max_seconds: float, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = timed(FakeTimer(monkeypatch), [planned("a"), *echoes(4), *END], 10)
    guards = Guards(max_seconds=max_seconds)
    invoke(create_plan_act_graph(model, [echo_tool()], interactive=False, guards=guards), dict(GOAL))
    assert warned(model, "warn.time") == numbers


@pytest.mark.parametrize(
    ("letters", "numbers"), [("xxx", [4]), ("xyxy", [5]), ("xyzx", [])], ids=["repeats", "pattern", "neither"]
)
def test_the_model_is_warned_of_calls_that_repeat_themselves(invoke: Invoke, letters: str, numbers: list[int]) -> None:
    replies = [planned("a"), *(act("echo", letter) for letter in letters), *END]
    _, model, _ = play(invoke, replies)
    assert warned(model, "warn.repeats") == numbers


@pytest.mark.parametrize(
    ("tool", "letters", "numbers"),
    [("broken", "xx", [3]), ("broken", "xy", []), ("broken", "xyx", []), ("echo", "xx", [])],
    ids=["again", "another-input", "not-in-a-row", "worked"],
)
def test_the_model_is_told_that_a_call_failed_again_in_the_same_way(
    invoke: Invoke, tool: str, letters: str, numbers: list[int]
) -> None:
    replies = [planned("a"), *(act(tool, letter) for letter in letters), *END]
    _, model, _ = play(invoke, replies, [echo_tool(), broken_tool()])
    assert warned(model, "warn.failed_again") == numbers


def test_a_last_answer_that_runs_in_circles_is_told_once(invoke: Invoke) -> None:
    said = "The book is taken. " + "The user then tried it again, but it was taken. " * 40
    result, _, _ = play(invoke, [planned("a"), *echoes(2), said], max_steps=3)
    assert result["response"].count("tried it again") == 1


def test_warnings_are_in_the_language_of_the_run(invoke: Invoke) -> None:
    _, model, _ = play(invoke, [planned("a"), *echoes(2), BEST], max_steps=3, language="zh", guards=Guards(warn_at=0.5))
    assert text("zh", "warn.steps", remaining=1) in last_words(model, 2)


@pytest.mark.parametrize(
    "failures",
    [[ConnectionError("gone")] * 5, [ModelInvalidRequestError("too long")], [""]],
    ids=["unreachable", "refused", "empty"],
)
def test_a_last_call_that_fails_costs_nothing_but_its_words(
    invoke: Invoke, failures: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    result, _, _ = play(invoke, [planned("a", "b"), done("A"), replanned("b"), *echoes(1), *failures], max_steps=4)
    assert result["stop_reason"] == {"kind": "max_iterations", "value": 4, "limit": 4}
    assert "A" in result["response"]
    assert "echo x0" in result["response"]
    assert text("en", "end.best", answer="") not in result["response"]


def test_the_reasoning_of_a_last_answer_is_not_shown_to_the_user(invoke: Invoke) -> None:
    last = AIMessage("<think>the secret plan</think>It is 4.")
    result, _, _ = play(invoke, [planned("a"), *echoes(1), last], max_steps=2)
    assert "It is 4." in result["response"]
    assert "secret" not in result["response"]


@pytest.mark.parametrize(
    "replies",
    [
        [act("echo", f"x{number}") for number in range(7)],
        [act("echo", "x"), act("echo", "y"), done("A"), replanned("b")],
        [done("A"), replanned("c"), done("B"), replanned("d")],
        [done("A"), replanned("a", "b")],
        [act("echo", "x")],
        [act("broken", "x"), act("broken", "y")],
        ["no JSON", "none", "no", done("A"), replanned("c")],
        [ask("Which?"), replanned("a")],
        [replanned("b", {"step": "c", "requires": [9]})],
    ],
    ids=["acts", "items", "never-acts", "same-plan", "repeats", "fails", "unreadable", "asks", "bad-plans"],
)
@pytest.mark.parametrize("max_steps", [1, 20, 60])
def test_a_model_that_never_finishes_is_ended_by_the_loops_own_limit(replies: list[str], max_steps: int) -> None:
    model = CyclingModel(replies=[planned("a", "b", "c"), *replies * 100])
    graph = create_plan_act_graph(
        model,
        [echo_tool(), broken_tool()],
        max_steps=max_steps,
        checkpointer=InMemorySaver(),
        guards=Guards(max_questions=None),
    )
    result = graph.invoke(dict(GOAL), THREAD)
    answers = 0
    while "__interrupt__" in result:
        answers += 1
        result = graph.invoke(Command(resume=f"answer {answers}"), THREAD)
    assert result["response"].strip()
    assert result["steps"] <= max_steps + 1
    assert result["stop_reason"]["kind"] != "goal_met"
    lint_order(model.requests)


@pytest.mark.parametrize("max_steps", [1, 20, 1000])
def test_langgraphs_own_limit_is_always_set_and_grows_with_the_loops(max_steps: int) -> None:
    graph = create_plan_act_graph(ScriptedModel(replies=[]), [], max_steps=max_steps, interactive=False)
    assert graph.config is not None
    assert 5 * max_steps < graph.config["recursion_limit"] < 10 * max_steps + 100


def test_questions_without_a_limit_do_not_reach_langgraphs(invoke: Invoke) -> None:
    rounds = [reply for number in range(9) for reply in (ask(f"Which {number}?"), replanned("a"))]
    answers = [f"this {number}" for number in range(9)]
    guards = Guards(max_questions=None)
    result, _, _ = play(invoke, [planned("a"), *rounds, *END], answers=answers, guards=guards)
    assert len(result["clarifications"]) == 9
