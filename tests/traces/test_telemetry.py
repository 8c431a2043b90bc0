"""OpenTelemetry: spans of LangChain's instrumentation carry node, attempt and verdict, each its own and no text."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from openinference.instrumentation import TraceConfig
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from support.plan_act import GOAL, THREAD, act, ask, broken_tool, done, echo_tool, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ThoughtGraphError, Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.errors import MissingLibraryError, VerifierContractError
from thoughtgraph.tools import solver_tool
from thoughtgraph.traces import instrument, telemetry, uninstrument
from thoughtgraph.traces.events import Event, Recorder

TASK = {"task": "Say the right word."}
ACCEPT = "[Critique]\nFine.\n[Score]\n9\n[Verdict]\nACCEPT"
Runner = Callable[..., Any]


def in_memory() -> tuple[InMemorySpanExporter, TracerProvider]:
    """A provider whose spans can be read."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return exporter, provider


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    """The spans of a test, after which the library is as it was before, with no run left over."""
    exporter, provider = in_memory()
    instrument(provider)
    yield exporter
    assert telemetry._graph_runs == {}  # pyright: ignore[reportPrivateUsage]
    uninstrument()


def judge(task: str, answer: str) -> Verdict:
    """A verifier with a taste."""
    return Verdict("passed") if answer == "right" else Verdict("failed", "not that", score=0.25, kind="taste")


def loop(replies: Sequence[Any], mode: str = "external_loop", verifier: Any = judge, **options: Any) -> Any:
    """A reflection graph over scripted replies."""
    return create_reflection_graph(mode, actor=ScriptedModel(replies=list(replies)), verifier=verifier, **options)


def ours(span: ReadableSpan) -> dict[str, Any]:
    """The attributes of this library on a span, without their prefix."""
    found = {name: value for name, value in (span.attributes or {}).items() if name.startswith("thoughtgraph.")}
    return {name.removeprefix("thoughtgraph."): value for name, value in found.items()}


def named(exporter: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    """The finished spans of a name, in the order of their end."""
    return [span for span in exporter.get_finished_spans() if span.name == name]


async def _consumed(stream: Any) -> None:
    async for _ in stream:
        pass


RUNNERS: dict[str, Runner] = {
    "invoke": lambda graph, given, *config: graph.invoke(given, *config),
    "ainvoke": lambda graph, given, *config: asyncio.run(graph.ainvoke(given, *config)),
    "stream": lambda graph, given, *config: list(graph.stream(given, *config)),
    "astream": lambda graph, given, *config: asyncio.run(_consumed(graph.astream(given, *config))),
}
every_form = pytest.mark.parametrize("run", RUNNERS.values(), ids=list(RUNNERS))


@every_form
def test_every_node_says_which_attempt_it_served_and_what_came_of_it(run: Runner, exporter: Any) -> None:
    run(loop(["wrong", "right"]), dict(TASK))
    first, second = (ours(span) for span in named(exporter, "attempt"))
    run_id = first["run_id"]
    about = {"node": "attempt", "run_id": run_id, "mode": "external_loop", "replies": 1, "replies.rejected": 0}
    about["model"] = "ScriptedModel"
    assert run_id
    assert first == {**about, "attempt": 1, "strategy": "first"}
    assert second == {**about, "attempt": 2, "strategy": "fresh"}
    failed, passed = (ours(span) for span in named(exporter, "verify"))
    about = {"node": "verify", "run_id": run_id, "mode": "external_loop"}
    assert failed == {**about, "attempt": 1, "verdict": "failed", "score": 0.25, "failure": "taste"}
    assert passed == {**about, "attempt": 2, "verdict": "passed", "score": 1.0}
    assert ours(named(exporter, "fresh")[0]) == {"node": "fresh", "run_id": run_id, "mode": "external_loop"}


def evaluations(exporter: InMemorySpanExporter) -> list[tuple[str, dict[str, Any]]]:
    """The evaluation results on the finished spans, each with the name of its span."""
    return [
        (
            span.name,
            {name.removeprefix("gen_ai.evaluation."): value for name, value in (event.attributes or {}).items()},
        )
        for span in exporter.get_finished_spans()
        for event in span.events
        if event.name == "gen_ai.evaluation.result"
    ]


@every_form
def test_every_verdict_is_an_evaluation_result_on_the_span_that_judged(run: Runner, exporter: Any) -> None:
    run(loop(["wrong", "right"]), dict(TASK))
    assert evaluations(exporter) == [
        ("verify", {"name": "verifier", "score.label": "failed", "score.value": 0.25, "explanation": "taste"}),
        ("verify", {"name": "verifier", "score.label": "passed", "score.value": 1.0}),
    ]


def test_an_answer_that_nothing_could_verify_has_no_score(exporter: Any) -> None:
    loop(["an answer"], verifier=None).invoke(dict(TASK))
    assert evaluations(exporter) == [("verify", {"name": "verifier", "score.label": "unverified"})]


@pytest.mark.parametrize(
    ("mode", "node", "by"), [("actor_critic", "critique", "critic"), ("reflexion", "evaluate", "evaluator")]
)
def test_an_opinion_is_an_evaluation_result_of_another_name(mode: str, node: str, by: str, exporter: Any) -> None:
    loop(["an answer", ACCEPT], mode, verifier=None).invoke(dict(TASK))
    opinion = (node, {"name": by, "score.label": "accepted", "score.value": 0.9})
    assert [found for found in evaluations(exporter) if found[0] == node] == [opinion]


def test_an_opinion_that_could_not_be_read_has_no_score(exporter: Any) -> None:
    loop(["an answer", *["nonsense"] * 3], "actor_critic", verifier=None).invoke(dict(TASK))
    assert ("critique", {"name": "critic", "score.label": "unreadable"}) in evaluations(exporter)


def test_the_check_of_a_plan_is_an_evaluation_result_of_its_own(exporter: Any) -> None:
    looks: Any = {"step": "look", "tool": "no_such_tool"}
    replies = [planned(looks), planned("look"), done("x"), replanned(response="over")]
    create_plan_act_graph(ScriptedModel(replies=replies), [echo_tool()], interactive=False).invoke(dict(GOAL))
    assert evaluations(exporter) == [("validate_plan", {"name": "plan_check", "score.label": "failed"})]


def test_an_evaluation_result_holds_no_text_of_the_run(exporter: Any) -> None:
    def talkative(task: str, answer: str) -> Verdict:
        return Verdict("failed", "SECRET feedback", kind="k" * 500, details={"shown": "SECRET"})

    critique = "[Critique]\nSECRET\n[Score]\n1\n[Verdict]\nREVISE"
    loop(["SECRET", critique, "SECRET 2"], "actor_critic", verifier=talkative, max_attempts=2).invoke(dict(TASK))
    values = [value for _, told in evaluations(exporter) for value in told.values()]
    assert values
    assert not [value for value in values if "SECRET" in str(value)]
    assert max(len(str(value)) for value in values) == 100


@every_form
def test_the_graphs_own_span_says_how_the_run_ended(run: Runner, exporter: Any) -> None:
    run(loop(["wrong", "bad"], max_attempts=2), dict(TASK), {"run_name": "nightly"})
    (graph,) = named(exporter, "nightly")
    (begin,) = named(exporter, "begin")
    about = {"run_id": ours(begin)["run_id"], "mode": "external_loop", "attempts": 2, "best_attempt": 1, "tokens": 30}
    assert ours(graph) == {**about, "verdict": "failed", "stop.kind": "max_iterations", "stop.limit": 2}


def test_a_critics_opinion_is_told_apart_from_a_verdict(exporter: Any) -> None:
    loop(["an answer", ACCEPT], "actor_critic", verifier=None).invoke(dict(TASK))
    (critique,) = (ours(span) for span in named(exporter, "critique"))
    assert (critique["critique.accepted"], critique["critique.score"], critique["attempt"]) == (True, 0.9, 1)
    assert "verdict" not in critique
    assert ours(named(exporter, "actor_critic")[0])["verdict"] == "unverified"


def test_an_unreadable_critique_has_no_score(exporter: Any) -> None:
    loop(["an answer", *["nonsense"] * 3], "actor_critic", verifier=None).invoke(dict(TASK))
    (critique,) = (ours(span) for span in named(exporter, "critique"))
    assert critique["replies.rejected"] == 3
    assert not {"critique.accepted", "critique.score"} & critique.keys()


@every_form
def test_a_plan_act_run_tells_step_decision_tool_and_failure(run: Runner, exporter: Any) -> None:
    replies = [planned("look", "tell"), act("broken", "x"), act("echo", "x"), done("x"), replanned(response="over")]
    model = ScriptedModel(replies=replies)
    run(create_plan_act_graph(model, [broken_tool(), echo_tool()], interactive=False), dict(GOAL))
    (plan,) = (ours(span) for span in named(exporter, "plan"))
    assert (plan["phase"], plan["steps"], plan["max_steps"]) == ("plan", 0, 20)
    thoughts = [ours(span) for span in named(exporter, "thought")]
    assert [thought["decision"] for thought in thoughts] == ["continue", "continue", "done"]
    assert (thoughts[0]["plan.item"], thoughts[0]["plan.items"], thoughts[0]["steps"]) == (1, 2, 1)
    assert [ours(span)["tool"] for span in named(exporter, "act")] == ["broken", "echo"]
    failed, worked = (ours(span) for span in named(exporter, "observe"))
    assert (failed["tool"], failed["tool.ok"], failed["failure"]) == ("broken", False, "bad_arguments")
    assert (worked["tool"], worked["tool.ok"], worked.get("failure")) == ("echo", True, None)
    (graph,) = (ours(span) for span in named(exporter, "plan_act"))
    assert (graph["stop.kind"], graph["steps"], graph["tokens"]) == ("goal_met", 6, 75)


@every_form
def test_a_run_inside_a_tool_is_told_on_its_own_spans_and_nowhere_else(run: Runner, exporter: Any) -> None:
    replies = [planned("go"), act("solve", "Say it."), done("done"), replanned(response="over")]
    model = ScriptedModel(replies=replies)
    run(create_plan_act_graph(model, [solver_tool(loop(["wrong", "right"]))], interactive=False), dict(GOAL))
    (inner,) = named(exporter, "external_loop")
    (outer,) = named(exporter, "plan_act")
    assert (ours(inner)["verdict"], ours(inner)["attempts"]) == ("passed", 2)
    assert {ours(span)["run_id"] for span in named(exporter, "verify")} == {ours(inner)["run_id"]}
    assert ours(inner)["run_id"] != ours(outer)["run_id"]
    for span in (outer, *named(exporter, "act"), *named(exporter, "solve"), *named(exporter, "observe")):
        assert not {"attempt", "attempts", "verdict"} & ours(span).keys(), span.name
    (solve,), (acted,) = named(exporter, "solve"), named(exporter, "act")
    assert [inner.parent, solve.parent, acted.parent] == [solve.context, acted.context, outer.context]


def _together(form: str, graphs: list[Any]) -> list[dict[str, Any]]:
    if form == "threads":
        with ThreadPoolExecutor(len(graphs)) as pool:
            return list(pool.map(lambda graph: graph.invoke(dict(TASK)), graphs))

    async def gathered() -> list[dict[str, Any]]:
        return await asyncio.gather(*(graph.ainvoke(dict(TASK)) for graph in graphs))

    return asyncio.run(gathered())


@pytest.mark.parametrize("form", ["threads", "tasks"])
def test_concurrent_runs_never_mark_each_others_spans(form: str, exporter: Any) -> None:
    results = _together(form, [loop(["wrong"] * (number % 3) + ["right"]) for number in range(9)])
    runs: dict[int, list[ReadableSpan]] = {}
    for span in exporter.get_finished_spans():
        runs.setdefault(span.context.trace_id, []).append(span)
    told: dict[str, tuple[int, int]] = {}
    for spans in runs.values():
        (run_id,) = {ours(span)["run_id"] for span in spans if ours(span)}
        (attempts,) = (ours(span)["attempts"] for span in spans if span.parent is None)
        told[run_id] = (attempts, max(ours(span)["attempt"] for span in spans if span.name == "verify"))
    expected = {result["events"][0]["run_id"]: (len(result["attempts"]),) * 2 for result in results}
    assert told == expected


@every_form
def test_a_run_that_breaks_has_its_error_and_its_node_on_the_span(run: Runner, exporter: Any) -> None:
    def broken(task: str, answer: str) -> Any:
        return f"no verdict on {answer}"

    with pytest.raises(VerifierContractError):
        run(loop(["an answer"], verifier=broken), dict(TASK))
    wanted = f"{VerifierContractError.__module__}.VerifierContractError"
    for name, node in (("verify", "verify"), ("external_loop", None)):
        (span,) = named(exporter, name)
        assert span.status.status_code.name == "ERROR"
        assert [dict(event.attributes or {})["exception.type"] for event in span.events] == [wanted]
        assert ours(span)["run_id"] and ours(span).get("node") == node
    assert ours(named(exporter, "external_loop")[0])["attempts"] == 1


def test_a_resumed_run_is_told_with_the_attempt_that_came_before_the_break(exporter: Any) -> None:
    seen: list[str] = []

    def breaks_once(task: str, answer: str) -> Any:
        seen.append(answer)
        return "no verdict" if len(seen) == 2 else judge(task, answer)

    graph = loop(["wrong", "right"], verifier=breaks_once, checkpointer=InMemorySaver())
    with pytest.raises(VerifierContractError):
        graph.invoke(dict(TASK), THREAD)
    exporter.clear()
    graph.invoke(None, THREAD)
    assert ours(named(exporter, "verify")[0])["attempt"] == 2
    assert ours(named(exporter, "external_loop")[0])["attempts"] == 2
    assert ours(named(exporter, "verify")[0])["mode"] == "external_loop"


def test_a_pause_for_the_user_is_no_error_and_the_resumed_run_has_the_same_id(exporter: Any) -> None:
    replies = [planned("go"), ask("Which?"), replanned(response="over")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [echo_tool()], checkpointer=InMemorySaver())
    graph.invoke(dict(GOAL), THREAD)
    graph.invoke(Command(resume="blue"), THREAD)
    paused, resumed = named(exporter, "plan_act")
    assert paused.status.status_code.name == "OK"
    assert ours(paused)["paused"] is True and "stop.kind" not in ours(paused)
    assert "paused" not in ours(resumed) and ours(resumed)["stop.kind"] == "goal_met"
    assert ours(paused)["run_id"] == ours(resumed)["run_id"]


async def test_a_run_that_is_given_up_ends_its_spans(exporter: Any) -> None:
    started = asyncio.Event()

    async def waits(task: str, answer: str) -> Any:
        started.set()
        return await asyncio.Event().wait()

    run = asyncio.create_task(loop(["an answer"], verifier=waits).ainvoke(dict(TASK)))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    stream = loop(["right"]).stream(dict(TASK))
    next(stream)
    stream.close()
    cancelled, closed = named(exporter, "external_loop")
    assert (ours(cancelled)["attempts"], cancelled.status.status_code.name) == (1, "ERROR")
    assert ours(closed)["run_id"]


def test_attributes_hold_no_text_of_the_run_and_stay_short(exporter: Any) -> None:
    def talkative(task: str, answer: str) -> Verdict:
        return Verdict("failed", "SECRET feedback", kind="k" * 500, details={"shown": "SECRET"})

    loop(["SECRET reply"] * 2, verifier=talkative, max_attempts=2).invoke({"task": "SECRET task"})
    replies = [planned("SECRET step"), act("echo", "SECRET"), done("SECRET"), replanned(response="SECRET")]
    planner: Any = create_plan_act_graph(ScriptedModel(replies=replies), [echo_tool()], interactive=False)
    planner.invoke({"goal": "SECRET"})
    values = [value for span in exporter.get_finished_spans() for value in ours(span).values()]
    assert not [value for value in values if "SECRET" in str(value)]
    assert max(len(str(value)) for value in values) == 100


@pytest.mark.parametrize("events", [["a text"], [{"kind": "goal"}], "no list", None], ids=str)
def test_somebody_elses_graph_is_left_alone(events: Any, exporter: Any, caplog: pytest.LogCaptureFixture) -> None:
    graph: Any = StateGraph(cast(Any, dict))
    graph.add_node("theirs", lambda state: {"run_id": "1", "events": events})
    graph.add_edge(START, "theirs")
    graph.add_edge("theirs", END)
    graph.compile().invoke({})
    assert [ours(span) for span in exporter.get_finished_spans()] == [{}, {}]
    assert not caplog.records


def test_a_span_ends_even_where_its_attributes_cannot_be_read(exporter: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(events: list[Event]) -> Any:
        raise KeyError("a bug")

    monkeypatch.setattr(telemetry, "_attributes_from", broken)
    result = loop(["right"]).invoke(dict(TASK))
    assert result["verdict"] == "passed"
    assert len(named(exporter, "verify")) == len(named(exporter, "external_loop")) == 1


def test_events_of_an_older_version_of_the_library_are_read_as_far_as_they_go() -> None:
    recorder = Recorder("1")
    recorder.add("attempt")
    recorder.add("thought", decision="not a mapping", item="2")
    recorder.add("outcome", stop_reason=None, verdict=None)
    found = telemetry._attributes_from(recorder.events)  # pyright: ignore[reportPrivateUsage]
    assert found == {"replies": 1, "replies.rejected": 0, "plan.item": "2"}


def test_uninstrumenting_ends_all_reports_until_the_next_time(exporter: Any) -> None:
    uninstrument()
    uninstrument()
    loop(["right"]).invoke(dict(TASK))
    assert exporter.get_finished_spans() == ()
    exporter, provider = in_memory()
    instrument(provider)
    instrument()
    loop(["right"]).invoke(dict(TASK))
    assert [ours(span)["verdict"] for span in named(exporter, "verify")] == ["passed"]


def test_an_instrumentation_that_is_on_keeps_its_settings_and_stays_on() -> None:
    exporter, provider = in_memory()
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider, config=TraceConfig(hide_inputs=True))
    try:
        with pytest.raises(ValueError, match="without a tracer provider"):
            instrument(TracerProvider())
        instrument()
        loop(["right"]).invoke(dict(TASK))
        (verify,) = named(exporter, "verify")
        assert (verify.attributes or {})["input.value"] == "__REDACTED__"
        assert ours(verify)["verdict"] == "passed"
        uninstrument()
        exporter.clear()
        loop(["right"]).invoke(dict(TASK))
        assert [ours(span) for span in named(exporter, "verify")] == [{}]
    finally:
        uninstrument()
        instrumentor.uninstrument()


def test_a_missing_library_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openinference.instrumentation.langchain", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'thoughtgraph\[otel\]'") as raised:
        instrument()
    assert isinstance(raised.value, ThoughtGraphError)


@pytest.mark.slow
def test_nothing_of_opentelemetry_is_loaded_before_it_is_asked_for() -> None:
    # LangChain loads OpenTelemetry by itself where it is installed, OpenInference it does not.
    program = (
        "import sys, thoughtgraph.traces.telemetry; "
        "print([m for m in sys.modules if m.startswith('opentelemetry')]); "
        "from thoughtgraph import create_plan_act_graph as _; "
        "print([m for m in sys.modules if m.startswith('openinference')])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["[]", "[]"]
