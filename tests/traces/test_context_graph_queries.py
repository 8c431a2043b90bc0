"""What a run is asked: its path, its end, its failures, its cost, its repetitions, and how it differs from another."""

from __future__ import annotations

import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.plan_act import (
    GOAL,
    THREAD,
    act,
    acts,
    broken_tool,
    done,
    echo_tool,
    parallel,
    plan_step,
    planned,
    replanned,
)
from support.scripted import ScriptedModel, code
from thoughtgraph import ContextGraph, PythonTests, Verdict, create_plan_act_graph, create_reflection_graph, think
from thoughtgraph.errors import RunFileError
from thoughtgraph.tools import solver_tool
from thoughtgraph.traces.events import Link, Recorder

pytestmark = pytest.mark.slow

TASK: Any = {"task": "Write `double(x)`, which doubles a number."}
TESTS = PythonTests("assert double(2) == 4\nassert double(0) == 0\nassert double(3) == 6")
GOOD = code("def double(x):\n    return x * 2")
HALF = code("def double(x):\n    return x * 2 if x < 3 else 7")
ZERO = code("def double(x):\n    return 0")
BAD = code("def double(x):\n    return x - 9")


def reflection(replies: list[Any], **options: Any) -> ContextGraph:
    graph = create_reflection_graph(actor=ScriptedModel(replies=replies), **{"verifier": TESTS, **options})
    return ContextGraph.from_run(graph.invoke(TASK))


def judges_zero(task: str, answer: str) -> Verdict:
    return Verdict("failed", "half", score=0.5) if "return 0" in answer else Verdict("unverified", "no tool")


def plan_act(replies: list[Any], tools: list[Any] | None = None, **options: Any) -> ContextGraph:
    graph = create_plan_act_graph(ScriptedModel(replies=replies), tools or [echo_tool()], interactive=False, **options)
    return ContextGraph.from_run(graph.invoke(dict(GOAL)))


def solver(replies: list[Any]) -> Any:
    return solver_tool(create_reflection_graph(actor=ScriptedModel(replies=replies), verifier=TESTS))


def shown(events: Any) -> list[str]:
    return [f"{event['kind']} {event['data'].get('number', '')}".strip() for event in events]


def made(*parts: tuple[str, dict[str, Any]]) -> ContextGraph:
    """A run of events of which each led to the next."""
    recorder = Recorder("run")
    for kind, data in parts:
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")] if recorder.events else []
        recorder.add(kind, links, **data)  # type: ignore[arg-type]
    return ContextGraph(recorder.events)


def test_the_path_goes_through_the_attempt_that_counts_and_not_the_last() -> None:
    run = reflection([HALF, BAD, ZERO], max_attempts=3)
    path = shown(run.path_to_outcome())
    assert path == ["goal", "thought", "attempt 1", "verdict", "outcome"]
    assert run.events[-1]["data"]["best"] == 1


def test_the_path_leaves_out_the_run_inside_a_tool() -> None:
    replies = [planned("a"), act("solve", "double"), done("ok"), replanned(response="end")]
    run = plan_act(replies, [solver([ZERO, GOOD])])
    assert len([event for event in run.events if event["kind"] == "goal"]) == 2
    path = shown(run.path_to_outcome())
    assert path.count("goal") == path.count("outcome") == 1
    assert path.count("attempt 1") == 0
    assert run.path_to_outcome()[-1]["data"]["response"] == "end"


def test_links_in_a_circle_and_into_nowhere_end_the_path() -> None:
    run = made(("goal", {}), ("thought", {}), ("thought", {}))
    run.events[1]["links"] = [{"source": "run:2", "relation": "led_to"}, {"source": "gone", "relation": "led_to"}]
    assert [event["seq"] for event in run.path_to_outcome()] == [1, 2]


@pytest.mark.parametrize(
    ("replies", "options", "kind", "evidence"),
    [
        ([ZERO, GOOD], {}, "passed", ["attempt 2", "verdict"]),
        ([ZERO, BAD], {"max_attempts": 2}, "max_iterations", ["attempt 1", "attempt 2"]),
        ([ZERO, ZERO, ZERO], {}, "max_iterations", ["attempt 1", "attempt 2", "attempt 3"]),
        ([ZERO] * 3, {"max_attempts": 9}, "repeated_answer", ["attempt 1", "attempt 2", "attempt 3"]),
        ([ZERO, BAD], {"max_attempts": 9, "patience": 1}, "no_improvement", ["attempt 1", "attempt 2"]),
        ([ZERO, BAD], {"max_attempts": 9, "min_score": 0.9}, "low_score", ["attempt 1", "attempt 2"]),
        (["It is so."], {"verifier": None}, "unverified", ["attempt 1", "verdict"]),
        ([ZERO, BAD], {"verifier": judges_zero}, "unverified", ["attempt 2", "verdict"]),
    ],
    ids=["passed", "limit", "limit-first", "repeats", "patience", "low-score", "unverified", "unverified-later"],
)
def test_a_reflection_run_says_why_it_stopped(
    replies: list[Any], options: dict[str, Any], kind: str, evidence: list[str]
) -> None:
    run = reflection(replies, **options)
    stop = run.why_stopped()
    assert stop.kind == kind
    assert {"kind": kind, "value": stop.value, "limit": stop.limit} == run.events[-1]["data"]["stop_reason"]
    assert shown(stop.evidence) == evidence
    assert "{" not in stop.sentence
    assert stop.sentence.endswith(".") and ".." not in stop.sentence
    assert str(stop).startswith(stop.sentence)


@pytest.mark.parametrize(
    ("replies", "options", "kind", "evidence"),
    [
        ([planned(response="At once.")], {}, "answered", [2]),
        ([planned("a"), act("broken", "1"), done("A"), done("A"), replanned()], {}, "steps_failed", [5]),
        ([planned("a"), done("A"), replanned()], {}, "goal_met", [5]),
        ([planned("a"), act("broken", "1"), *"??????"], {}, "planner_unavailable", [6, 7, 8, 9, 10, 11]),
    ],
    ids=["answered", "failed", "goal-met", "unreadable"],
)
def test_a_plan_act_run_says_why_it_stopped(
    replies: list[Any], options: dict[str, Any], kind: str, evidence: list[int]
) -> None:
    stop = plan_act(replies, [broken_tool()], **options).why_stopped()
    assert (stop.kind, [event["seq"] for event in stop.evidence]) == (kind, evidence)


def test_a_run_without_an_outcome_was_interrupted_even_if_one_inside_it_was_not() -> None:
    run = plan_act([planned("a"), act("solve", "x"), done("ok"), replanned()], [solver([GOOD])])
    cut = next(event["seq"] for event in run.events if event["kind"] == "outcome") + 1
    stop = ContextGraph(run.events[:cut]).why_stopped()
    assert stop.kind == "interrupted"
    assert "after outcome passed (event 9)" in stop.sentence


def test_the_last_error_of_a_run_without_an_outcome_has_one_full_stop() -> None:
    assert (
        made(("goal", {}), ("thought", {"error": "It broke."}))
        .why_stopped()
        .sentence.endswith("the last error: It broke.")
    )


def test_a_reason_that_nobody_knows_yet_is_shown_as_it_is() -> None:
    stop = made(("goal", {}), ("outcome", {"stop_reason": {"kind": "moonrise", "value": 3, "limit": 4}})).why_stopped()
    assert stop.sentence == "It stopped because moonrise, 3, 4."
    assert made(("goal", {}), ("outcome", {})).why_stopped().kind == "unknown"


def test_failures_name_what_mended_them() -> None:
    run = reflection([ZERO, "no code", HALF, GOOD])
    found = [(each.kind, each.event["seq"], each.fixed_by["seq"] if each.fixed_by else None) for each in run.failures()]
    assert found == [("failed_verdict", 3, 10), ("unreadable_reply", 4, 5), ("failed_verdict", 7, 10)]
    assert "expected 4, got 0" in run.failures()[0].error


def test_what_was_never_mended_says_so() -> None:
    run = reflection([ZERO, BAD], max_attempts=2)
    assert [failure.fixed_by for failure in run.failures()] == [None, None]
    assert "[not fixed]" in str(run.failures()[0])


def test_a_failed_call_is_mended_by_the_same_tool_in_the_same_step() -> None:
    def pick(number: int) -> str:
        """Pick a number below three."""
        if number > 2:
            raise ValueError("too large")
        return "picked"

    replies = [planned("a", "b"), act("pick", {"number": 5}), act("echo", "x"), act("pick", {"number": 1}), done("A")]
    replies += [replanned("b"), act("pick", {"number": 7}), done("B"), done("B"), replanned()]
    run = plan_act(replies, [pick, echo_tool()])
    failed = run.failures()
    assert [failure.kind for failure in failed] == ["tool_call", "tool_call", "unreadable_reply"]
    assert failed[0].fixed_by is not None
    assert failed[0].fixed_by["data"]["input"] == {"number": 1}
    assert failed[1].fixed_by is None


def weather(city: str) -> str:
    """Look up the weather."""
    if city == "oslo":
        raise ValueError("no data for oslo")
    return f"sunny in {city}"


STEPS = [plan_step("look oslo", "weather"), plan_step("look rome", "weather")]
BESIDE = acts(("weather", "oslo", 1), ("weather", "rome", 2))


@pytest.mark.parametrize(
    ("rounds", "fixed"),
    [
        ([BESIDE], None),
        ([acts(("weather", "rome", 2), ("weather", "oslo", 1))], None),
        # The first is made again, as that of another step is.
        ([BESIDE, acts(("weather", "bergen", 1))], "bergen"),
        ([BESIDE, acts(("weather", "bergen", 2))], None),
        ([BESIDE, acts(("weather", "pisa", 2), ("weather", "bari", 1))], "bari"),
    ],
    ids=["for another step", "before it", "later", "later, for another step", "later, for both"],
)
def test_a_call_made_beside_another_for_another_step_mends_nothing(rounds: list[Any], fixed: str | None) -> None:
    replies = [planned(*STEPS), *rounds, done("seen"), replanned(response="end")]
    (failed,) = plan_act(replies, [parallel(weather)]).failures()
    assert (failed.fixed_by and failed.fixed_by["data"]["input"]) == fixed


def test_a_call_made_beside_another_for_the_same_step_mends_nothing_but_a_later_one_does() -> None:
    beside = acts(("weather", "oslo"), ("weather", "rome"))
    for rounds, fixed in (([beside], None), ([beside, act("weather", "bergen")], "bergen")):
        run = plan_act([planned("look"), *rounds, done("seen"), replanned(response="end")], [parallel(weather)])
        (failed,) = run.failures()
        assert (failed.fixed_by and failed.fixed_by["data"]["input"]) == fixed


def test_a_rejected_call_is_not_mended_by_the_one_that_was_approved_with_it() -> None:
    replies = [planned("send"), acts(("weather", "rome"), ("weather", "pisa")), done("sent"), replanned(response="end")]
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies),
        [parallel(weather)],
        interactive=False,
        interrupt_on={"weather": True},
        checkpointer=InMemorySaver(),
    )
    graph.invoke(dict(GOAL), THREAD)
    decisions = [{"type": "reject"}, {"type": "approve"}]
    run = ContextGraph.from_run(graph.invoke(Command(resume={"decisions": decisions}), THREAD))
    assert [(failure.kind, failure.fixed_by) for failure in run.failures()] == [("tool_call", None)]


def test_the_next_try_of_a_call_mends_the_one_before() -> None:
    tries: list[str] = []

    def flaky(city: str) -> str:
        """Fail once."""
        tries.append(city)
        if len(tries) == 1:
            raise ConnectionError("reset")
        return "sunny"

    run = plan_act([planned("look"), act("flaky", "rome"), done("seen"), replanned(response="end")], [flaky])
    (failed,) = run.failures()
    assert failed.fixed_by is not None and failed.fixed_by["data"]["result"] == "sunny"


def test_an_agents_call_is_mended_by_a_later_one_of_the_tool_and_by_none_of_the_same_reply() -> None:
    def call(name: str) -> Any:
        return {"name": "weather", "args": {"city": name}, "id": name}

    def came(name: str, **more: Any) -> ToolMessage:
        return ToolMessage(name, tool_call_id=name, **more)

    reply = AIMessage("", tool_calls=[call("oslo"), call("rome")])
    messages = [HumanMessage("weather"), reply, came("oslo", status="error"), came("rome")]
    (failed,) = ContextGraph.from_run({"messages": messages}).failures()
    assert failed.fixed_by is None
    messages += [AIMessage("", tool_calls=[call("bergen")]), came("bergen")]
    (failed,) = ContextGraph.from_run({"messages": messages}).failures()
    assert failed.fixed_by is not None and failed.fixed_by["data"]["result"] == "bergen"


def test_refused_critiques_errors_and_cut_off_replies_are_failures() -> None:
    run = made(
        ("goal", {}),
        ("thought", {"truncated": True, "reply": "x", "feedback": ""}),
        ("thought", {"reply": "y", "parser": "p", "feedback": ""}),
        ("attempt", {"number": 1}),
        ("critique", {"accepted": False, "feedback": "weak"}),
        ("critique", {"accepted": True}),
        ("thought", {"error": "the parser raised", "parser": "q"}),
    )
    found = [(each.kind, each.error, each.fixed_by["seq"] if each.fixed_by else None) for each in run.failures()]
    assert found[0][0] == "unreadable_reply"
    assert found[0][2] == 2
    assert found[1:] == [("refused_critique", "weak", 5), ("error", "the parser raised", None)]


def test_tokens_of_a_reflection_run_are_counted_once() -> None:
    run = reflection([ZERO, "no code", GOOD])
    cost = run.cost()
    tokens = [(branch.branch, branch.input_tokens, branch.output_tokens) for branch in cost.branches]
    assert tokens == [("run", 0, 0), ("attempt 1", 10, 5), ("attempt 2", 20, 10)]
    usage = run.events[-1]["data"]["usage"]
    assert (cost.total.input_tokens, cost.total.output_tokens) == (usage["input_tokens"], usage["output_tokens"])
    assert sum(branch.events for branch in cost.branches) == cost.total.events == len(run.events)
    assert str(cost).splitlines()[-1].startswith("total: 30 tokens in (0 cached), 15 out")


NOTE = "[Mistake]\nIt never multiplies.\n[Next time]\nMultiply."
WEAK = "[Critique]\nToo short.\n[Score]\n2\n[Verdict]\nreject"
FINE = "[Critique]\nGood.\n[Score]\n9\n[Verdict]\naccept"


@pytest.mark.parametrize(
    ("mode", "actor", "critic", "verifier"),
    [
        ("reflexion", [ZERO, NOTE, GOOD], [], TESTS),
        ("actor_critic", ["one", "two"], [WEAK, FINE], None),
    ],
)
def test_what_a_critic_or_a_reflection_cost_belongs_to_the_attempt_before(
    mode: str, actor: list[str], critic: list[str], verifier: Any
) -> None:
    parts: dict[str, Any] = {"critic": ScriptedModel(replies=critic)} if critic else {}
    graph = create_reflection_graph(mode, actor=ScriptedModel(replies=actor), verifier=verifier, **parts)
    run = ContextGraph.from_run(graph.invoke(TASK))
    calls = len(actor) + len(critic)
    cost = run.cost()
    assert [branch.branch for branch in cost.branches] == ["run", "attempt 1", "attempt 2"]
    assert [branch.output_tokens for branch in cost.branches] == [0, 10, 5 * (calls - 2)]
    assert cost.total.output_tokens == run.events[-1]["data"]["usage"]["output_tokens"] == 5 * calls
    assert run.why_stopped().kind in ("passed", "accepted")
    assert shown(run.why_stopped().evidence)[0] == "attempt 2"
    failed = run.failures()
    assert [failure.kind for failure in failed] == ["failed_verdict" if verifier else "refused_critique"]
    assert failed[0].fixed_by is not None


def test_an_attempt_without_thoughts_counts_by_its_own_usage_and_seconds() -> None:
    usage = {"input_tokens": 7, "output_tokens": 3, "cached_tokens": 2}
    run = made(
        ("goal", {}),
        ("thought", {"usage": {"input_tokens": 4, "output_tokens": 1}, "seconds": 1.5}),
        ("attempt", {"number": 1, "usage": usage, "seconds": 2.0}),
        ("attempt", {"number": 2, "usage": usage}),
    )
    cost = run.cost()
    assert [(b.input_tokens, b.output_tokens, b.cached_tokens) for b in cost.branches[1:]] == [(7, 3, 2), (7, 3, 2)]
    assert [branch.seconds for branch in cost.branches] == [None, 2.0, None]


class Judging(ScriptedModel):
    """A model that takes its time."""

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        time.sleep(0.05)
        return super()._generate(*args, **kwargs)


def by_a_reply(task: str, answer: str) -> Verdict:
    """Judge an answer by a model's reply."""
    return Verdict("failed", think(Judging(replies=["No."]), answer).reply)


def by_a_run(task: str, answer: str) -> Verdict:
    """Judge an answer by a run of another loop."""
    run = create_reflection_graph(actor=Judging(replies=["No."])).invoke({"task": answer})
    return Verdict("failed", run["answer"])


def ask_model(text: str) -> str:
    """Ask a model."""
    return think(Judging(replies=["It is so."]), text).reply


ASKING = parallel(ask_model)


@pytest.mark.parametrize(
    "run",
    [
        lambda: reflection(["one", "two"], verifier=by_a_reply, max_attempts=2),
        lambda: reflection(["one", "two"], verifier=by_a_run, max_attempts=2),
        lambda: reflection(["one", "two"], verifier=by_a_reply, max_attempts=2, strategies=["repair"]),
        lambda: plan_act([planned("a"), act("ask_model", "x"), done("A"), replanned(response="end")], [ASKING]),
        lambda: plan_act(
            [planned("a"), acts(("ask_model", "x"), ("ask_model", "y")), done("A"), replanned(response="end")], [ASKING]
        ),
    ],
    ids=["verifier-think", "verifier-loop", "repair", "tool-think", "tools-at-once"],
)
def test_the_time_of_a_model_that_a_verifier_or_a_tool_asks_counts_once(run: Any) -> None:
    graph = run()
    timed = [event for event in graph.events if event["kind"] in ("thought", "verdict", "observation")]
    # A reply that a verifier or a tool asked for is a part of its time.
    whole = sum(event["data"]["seconds"] for event in timed if event["data"].get("reply") not in ("No.", "It is so."))
    assert whole >= 0.05
    assert graph.cost().total.seconds == pytest.approx(whole, abs=0.03)


def test_a_plan_act_run_costs_its_items_its_planning_and_its_last_words() -> None:
    replies = [planned("a", "b"), act("solve", "x"), done("A"), replanned("b"), done("B"), replanned("c"), "best"]
    run = plan_act(replies, [solver([ZERO, GOOD])], max_steps=6)
    cost = run.cost()
    found = {branch.branch: (branch.kind, branch.output_tokens) for branch in cost.branches}
    assert found == {
        "run": ("run", 5),
        "planning": ("plan", 15),
        "1. a": ("item", 20),
        "2. b": ("item", 5),
    }
    assert cost.total.output_tokens == run.events[-1]["data"]["usage"]["output_tokens"]


def test_an_attempt_that_the_run_never_got_to_has_its_thoughts() -> None:
    run = reflection([ZERO, "no code", GOOD])
    cut = ContextGraph([event for event in run.events if event["seq"] <= 4])
    assert cut.cost().branches[-1].branch == "attempt 2"


@pytest.mark.parametrize("value", [True, "9", None, float("nan"), float("inf"), [], {}], ids=repr)
def test_usage_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(RunFileError, match=r"event 0 is not an event: data\.usage\.input_tokens: "):
        made(("thought", {"usage": {"input_tokens": value}}))
    with pytest.raises(RunFileError, match=r"event 0 is not an event: data\.seconds: "):
        made(("thought", {"seconds": value}))


@pytest.mark.parametrize("value", [-1, 10**400], ids=["negative", "huge"])
def test_usage_that_no_run_can_have_counts_nothing(value: int) -> None:
    total = made(("thought", {"usage": {"input_tokens": value}, "seconds": -1})).cost().total
    assert (total.input_tokens, total.seconds) == (0, 0.0)


def test_repeats_tell_answers_calls_plans_and_replies() -> None:
    run = reflection([ZERO, ZERO, HALF], strategies=["fresh"])
    assert [(each.kind, each.count) for each in run.repeats()] == [("reply", 2), ("answer", 2)]
    assert shown(run.repeats()[1].events) == ["attempt 1", "attempt 2"]
    replies = [
        planned("a"),
        act("echo", "x"),
        act("echo", "x"),
        act("echo", "y"),
        done("A"),
        replanned("a b"),
        done(""),
    ]
    run = plan_act([*replies, replanned("a b"), done("B"), replanned()])
    kinds = {each.kind: each for each in run.repeats()}
    assert kinds["tool_call"].count == 2
    assert "echo x" in str(kinds["tool_call"])


def test_runs_that_did_the_same_do_not_differ() -> None:
    one, other = reflection([ZERO, GOOD]), reflection([ZERO, GOOD])
    assert one.run_id != other.run_id
    difference = one.compare(other)
    assert (difference.position, difference.events, difference.differs) == (None, (None, None), ())
    assert "do not differ" in str(difference)


def test_the_first_difference_is_named_with_costs_and_ends() -> None:
    one, other = reflection([ZERO, GOOD]), reflection([ZERO, HALF, GOOD])
    difference = one.compare(other)
    assert difference.position == 4
    assert difference.differs == ("data.reply",)
    assert difference.events == (one.events[4], other.events[4])
    assert difference.verdicts == (("failed", "passed"), ("failed", "failed", "passed"))
    assert [cost.output_tokens for cost in difference.costs] == [10, 15]
    assert [stop.value for stop in difference.stops] == [2, 3]
    text = str(difference)
    assert "part at event 4: data.reply" in text
    assert "verdicts, other: failed, failed, passed" in text


def test_a_run_that_had_ended_before_is_a_difference() -> None:
    run = reflection([GOOD])
    difference = ContextGraph(run.events[:-1]).compare(run)
    assert (difference.position, difference.differs) == (4, ("length",))
    assert difference.events == (None, run.events[4])
    assert "this: had ended" in str(difference)


@pytest.mark.parametrize(
    ("mine", "theirs", "differs"),
    [
        ({"input": {"city": "A", "seconds": 1}}, {"input": {"city": "A", "seconds": 2}}, ("data.input.seconds",)),
        ({"items": [1, 2]}, {"items": [1, 3]}, ("data.items[1]",)),
        ({"items": [1]}, {"items": [1, 2]}, ("data.items",)),
        ({"a": 1}, {"b": 1}, ("data.a", "data.b")),
        ({"seconds": 1, "usage": {"input_tokens": 2}}, {"seconds": 2}, ()),
        ({"ok": True}, {"ok": 1}, ("data.ok",)),
    ],
    ids=["nested", "list", "length", "names", "volatile", "type"],
)
def test_a_difference_is_named_by_its_path(
    mine: dict[str, Any], theirs: dict[str, Any], differs: tuple[str, ...]
) -> None:
    assert made(("action", mine)).compare(made(("action", theirs))).differs == differs


def test_events_of_another_order_of_links_part_where_they_do() -> None:
    one, other = (made(("goal", {}), ("thought", {}), ("thought", {})) for _ in range(2))
    other.events[2]["links"][0]["source"] = "run:0"
    assert one.compare(other).differs == ("links[0].source",)


def test_replies_that_became_no_attempt_are_told_apart() -> None:
    actor = ScriptedModel(replies=[ZERO, BAD, GOOD, ZERO, ZERO])
    run = ContextGraph.from_run(
        create_reflection_graph("best_of_n", actor=actor, verifier=TESTS, max_attempts=4).invoke(TASK)
    )
    names = [branch.branch for branch in run.cost().branches]
    attempts = [event for event in run.events if event["kind"] == "attempt"]
    # The samples of a batch take the replies in any order: the right one may be the last.
    left = ["no attempt"] if len(attempts) < 4 else []
    assert names == ["run", *(f"attempt {number}" for number in range(1, len(attempts) + 1)), *left]
