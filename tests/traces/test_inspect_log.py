"""Logs of Inspect AI: read back by Inspect itself, with every run, reply, call and verdict in its place."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.analysis import evals_df, events_df, samples_df
from inspect_ai.event import EventTreeSpan, InfoEvent, ModelEvent, ScoreEvent, SpanBeginEvent, ToolEvent, event_tree
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from support.modes import RIGHT, Judge, always, critique, wrong
from support.page_runs import planned_run, solved
from support.paths import TESTS
from support.plan_act import act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.cli.main import app
from thoughtgraph.errors import MissingLibraryError, ThoughtGraphError
from thoughtgraph.tools import solver_tool
from thoughtgraph.traces import inspect_log, save_inspect_log
from thoughtgraph.traces.events import Recorder
from typer.testing import CliRunner

pytestmark = pytest.mark.slow

HOSTILE = "half \ud83d pair \x00\x1b[31m <script>alert(1)</script> \u2028 中文"
FIXTURES = sorted((TESTS / "fixtures" / "events").glob("v1_*.jsonl"))


def run(replies: Sequence[Any], task: str = "Say it.", mode: str = "external_loop", **options: Any) -> ContextGraph:
    """A reflection run over scripted replies."""
    options = {"verifier": Judge(), **options}
    loop = create_reflection_graph(mode, actor=ScriptedModel(replies=list(replies)), **options)
    return ContextGraph.from_run(loop.invoke({"task": task}))


def read_back(runs: Sequence[ContextGraph], folder: Path, name: str = "runs.eval", **options: Any) -> EvalLog:
    """The log of some runs, written and read."""
    return read_eval_log(str(save_inspect_log(runs, folder / name, **options)))


def sample_of(graph: ContextGraph, folder: Path) -> EvalSample:
    """The one sample of a run's log."""
    (sample,) = read_back([graph], folder).samples or []
    return sample


def of_type(sample: EvalSample, kind: Any) -> list[Any]:
    """A sample's events of a kind, in their order."""
    return [event for event in sample.events if isinstance(event, kind)]


def metrics(log: EvalLog) -> dict[str, dict[str, float]]:
    """The metrics by scorer."""
    assert log.results
    return {score.name: {n: metric.value for n, metric in score.metrics.items()} for score in log.results.scores}


@pytest.mark.parametrize("name", ["runs.eval", "runs.json"])
def test_many_runs_are_one_log_with_their_accuracy(name: str, tmp_path: Path) -> None:
    log = read_back([run([RIGHT]), run([wrong()] * 3, "Say that.", max_attempts=2)], tmp_path, name)
    assert log.status == "success"
    assert [(sample.id, sample.epoch, sample.input) for sample in log.samples or []] == [
        (1, 1, "Say it."),
        (2, 1, "Say that."),
    ]
    assert [(sample.scores or {})["verifier"].value for sample in log.samples or []] == ["C", "I"]
    assert metrics(log)["verifier"]["accuracy"] == 0.5


def test_another_run_of_a_task_is_another_epoch_of_its_sample(tmp_path: Path) -> None:
    log = read_back([run([RIGHT]), run([RIGHT], "Say that."), run([wrong()], max_attempts=1)], tmp_path)
    assert [(sample.id, sample.epoch) for sample in log.samples or []] == [(1, 1), (2, 1), (1, 2)]
    assert (log.eval.config.epochs, log.eval.dataset.samples) == (2, 2)
    # The first task was solved once in two tries, the second always.
    assert metrics(log)["verifier"]["accuracy"] == 0.75


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")  # Inspect's own call of pandas
def test_inspect_makes_data_frames_of_a_log(tmp_path: Path) -> None:
    runs = [run([wrong(0.3), RIGHT], "one"), run([wrong(0.5)], "two", max_attempts=1)]
    log = str(save_inspect_log(runs, tmp_path / "runs.eval"))
    frame: Any = evals_df(log)
    assert list(frame["total_samples"]) == [2]
    samples: Any = samples_df(log)
    tasks = [text.split()[-1] for text in samples["input"]]
    assert sorted(tasks) == ["one", "two"]
    scores = dict(zip(tasks, samples["score_verifier"], strict=True))
    assert scores == {"one": "C", "two": "I"}
    kinds = set(events_df(log)["event"])
    assert {"model", "score"} <= kinds


def test_a_sample_has_answer_target_mode_stop_reason_and_usage(tmp_path: Path) -> None:
    graph = run([wrong(), RIGHT])
    targets = {"Say it.": "the target"}
    log = read_back([graph], tmp_path, task="nightly", model="openai/some", targets=targets)
    assert (log.eval.task, log.eval.model, log.eval.solver) == ("nightly", "openai/some", "external_loop")
    (sample,) = log.samples or []
    assert (sample.target, sample.output.completion) == ("the target", RIGHT)
    assert [message.role for message in sample.messages] == ["user", "assistant"]
    assert sample.metadata["mode"] == "external_loop"
    assert sample.metadata["stop_reason"] == {"kind": "passed", "value": 2, "limit": None}
    assert sample.metadata["run_id"] == graph.run_id
    assert sample.model_usage["openai/some"].total_tokens == graph.events[-1]["data"]["usage"]["total_tokens"]  # type: ignore[typeddict-item]
    assert log.stats.model_usage == sample.model_usage


def test_an_attempt_is_a_span_of_its_replies_and_its_score(tmp_path: Path) -> None:
    sample = sample_of(ContextGraph(solved()), tmp_path)
    spans = {event.id: event.name for event in of_type(sample, SpanBeginEvent)}
    assert list(spans.values()) == ["attempt 1", "attempt 2", "attempt 3"]
    assert [spans[event.span_id] for event in of_type(sample, ModelEvent)] == [
        "attempt 1",
        "attempt 1",
        "attempt 2",
        "attempt 3",
    ]
    judged = [event for event in of_type(sample, ScoreEvent) if event.intermediate]
    assert [(spans[event.span_id], event.scorer, event.score.value) for event in judged] == [
        ("attempt 1", "verifier", "I"),
        ("attempt 2", "verifier", "I"),
        ("attempt 3", "verifier", "C"),
    ]
    assert [node.name for node in event_tree(sample.events) if isinstance(node, EventTreeSpan)] == list(spans.values())


def test_a_model_event_holds_what_was_sent_replied_thought_and_spent(tmp_path: Path) -> None:
    graph = ContextGraph(solved())
    first, second, *_ = of_type(sample_of(graph, tmp_path), ModelEvent)
    refused = graph.events[1]["data"]
    assert first.output.completion == refused["reply"]  # type: ignore[typeddict-item]
    assert (first.output.usage.input_tokens, first.output.usage.output_tokens) == (214, 11)
    assert [message.role for message in first.input][-1] == "user"
    # The second reply answers the parser's words on the first one.
    assert [message.text for message in second.input][-2:] == [refused["reply"], refused["feedback"]]  # type: ignore[typeddict-item]
    assert [part.type for part in second.output.message.content] == ["reasoning", "text"]


def test_tool_calls_are_tool_events_with_every_try(tmp_path: Path) -> None:
    graph = ContextGraph(planned_run())
    sample = sample_of(graph, tmp_path)
    tools = of_type(sample, ToolEvent)
    assert [event.function for event in tools] == ["lookup", *["book"] * 6, "note"]
    assert [event.error.type if event.error else None for event in tools[:4]] == [None, "unknown", "unknown", "timeout"]
    assert tools[0].arguments == {"input": "Bern"}
    assert tools[0].result.startswith("Bern: 12")
    assert {event.source for event in of_type(sample, InfoEvent)} == {"plan", "outcome"}
    assert sample.scores == {}


def test_a_run_inside_a_tool_is_a_span_of_the_samples(tmp_path: Path) -> None:
    inner = create_reflection_graph(actor=ScriptedModel(replies=[RIGHT]), verifier=Judge())
    replies = [planned("solve"), act("solve", "Say it."), done("solved"), replanned(response="over")]
    outer = create_plan_act_graph(
        ScriptedModel(replies=replies), [solver_tool(inner, name="solve", description="Solves.")], interactive=False
    )
    sample = sample_of(ContextGraph.from_run(outer.invoke({"goal": "Have it solved."})), tmp_path)
    spans = {event.name: event for event in of_type(sample, SpanBeginEvent)}
    assert list(spans) == ["external_loop", "attempt 1"]
    assert spans["attempt 1"].parent_id == spans["external_loop"].id
    assert sample.scores == {}


def test_what_nothing_could_verify_is_unscored_and_opinions_are_scores_of_their_own(tmp_path: Path) -> None:
    opinions = [wrong(0.2), critique(False, 0.2), RIGHT, critique(True, 0.9)]
    graph = run(opinions, mode="actor_critic", verifier=always(Verdict("unverified", "no tests")))
    log = read_back([graph], tmp_path)
    (sample,) = log.samples or []
    assert sample.scores is not None
    assert math.isnan(float(str(sample.scores["verifier"].value)))
    assert sample.scores["critic"].value == 0.9
    assert sample.scores["critic"].metadata == {"accepted": True}
    assert log.results
    assert {score.name: score.scored_samples for score in log.results.scores} == {"verifier": 0, "critic": 1}


@pytest.mark.parametrize("status", ["failed", "unverified"])
def test_a_score_explains_the_answer_that_the_run_returned_and_no_later_one(status: Any, tmp_path: Path) -> None:
    def judge(task: str, answer: str) -> Verdict:
        near = answer == "near"
        return Verdict(status if near else "failed", f"{answer} is wrong", score=0.8 * near)

    graph = run(["near", "far"], mode="best_of_n", verifier=judge, max_attempts=2)
    (score,) = (sample_of(graph, tmp_path).scores or {}).values()
    assert (score.answer, score.explanation) == ("near", "near is wrong")


def test_a_run_that_met_a_budget_says_so(tmp_path: Path) -> None:
    sample = sample_of(run([wrong()] * 3, max_tokens=1), tmp_path)
    assert sample.limit is not None
    assert (sample.limit.type, sample.limit.limit) == ("token", 1)


def test_a_run_without_an_end_has_an_error_and_no_score(tmp_path: Path) -> None:
    log = read_back([ContextGraph(solved()[:-1]), run([RIGHT])], tmp_path)
    unfinished, finished = log.samples or []
    assert unfinished.error
    assert (unfinished.scores, finished.error) == ({}, None)
    assert log.results
    assert (log.results.total_samples, log.results.completed_samples) == (2, 1)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", ["runs.eval", "runs.json"])
def test_every_saved_run_is_read_back_by_inspect(path: Path, name: str, tmp_path: Path) -> None:
    graph = ContextGraph.from_run(path)
    log = read_back([graph], tmp_path, name)
    (sample,) = log.samples or []
    thoughts = sum(event["kind"] == "thought" for event in graph.events)
    assert len(of_type(sample, ModelEvent)) == thoughts


def test_whatever_a_model_wrote_is_written_and_read(tmp_path: Path) -> None:
    recorder = Recorder("run")
    recorder.add("goal", task=HOSTILE, mode=HOSTILE)
    usage: Any = {"input_tokens": 10**30, "output_tokens": -3, "total_tokens": 0}
    recorder.add("thought", reply=HOSTILE, reasoning=HOSTILE, usage=usage, seconds=1e12, feedback=HOSTILE)
    deep: Any = []
    for _ in range(250):
        deep = [deep]
    action = recorder.add("action", tool=HOSTILE, input={HOSTILE: deep}, key="", steps=1, max_steps=1)
    seen: Any = {"tool": HOSTILE, "input": "", "ok": False, "result": HOSTILE}
    recorder.add("observation", [{"source": action, "relation": "failed"}], **seen)
    recorder.events[1]["time"] = "no time"
    sample = sample_of(ContextGraph(recorder.events), tmp_path)
    (reply,) = of_type(sample, ModelEvent)
    assert "half \\ud83d pair" in reply.output.completion
    assert "<script>" in reply.output.completion


def test_a_log_of_one_run_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(run([RIGHT]).to_inspect(), encoding="utf-8")
    assert metrics(read_eval_log(str(path)))["verifier"]["accuracy"] == 1.0


async def test_a_log_is_saved_while_a_loop_is_running(tmp_path: Path) -> None:
    await asyncio.sleep(0)
    assert save_inspect_log([ContextGraph(solved())], tmp_path / "new" / "run.eval").exists()


@pytest.mark.parametrize("runs", [[], [ContextGraph(())]], ids=["none", "without events"])
def test_a_log_needs_runs_with_events(runs: list[ContextGraph]) -> None:
    with pytest.raises(ValueError, match="each with events"):
        inspect_log(runs)


def test_a_log_needs_a_name_that_inspect_knows(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.eval"):
        save_inspect_log([ContextGraph(solved())], tmp_path / "runs.txt")


def test_without_inspect_an_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(MissingLibraryError, match=r"thoughtgraph\[inspect\]") as raised:
        ContextGraph(solved()).to_inspect()
    assert isinstance(raised.value, ThoughtGraphError)


def test_the_command_line_writes_a_run_or_a_folder_of_runs(tmp_path: Path) -> None:
    first, second = run([RIGHT]), run([wrong()], max_attempts=1)
    path = first.save(tmp_path / "runs" / "first.jsonl")
    second.save(tmp_path / "runs" / "deeper" / "second.jsonl")
    (tmp_path / "runs" / "other.json").write_text(json.dumps({"no": "run"}), encoding="utf-8")
    export = ["trace", "export", "--format", "inspect"]
    alone = CliRunner().invoke(app, [*export, str(path)])
    assert json.loads(alone.output)["samples"][0]["uuid"] == first.run_id
    target = tmp_path / "runs.eval"
    many = CliRunner().invoke(app, [*export, str(tmp_path / "runs"), "-o", str(target)])
    assert many.exit_code == 0, many.output
    assert "2 runs written" in many.output
    assert {sample.uuid for sample in read_eval_log(str(target)).samples or []} == {first.run_id, second.run_id}


def test_the_command_line_says_what_a_folder_and_a_log_need(tmp_path: Path) -> None:
    run([RIGHT]).save(tmp_path / "runs" / "first.jsonl")
    export = ["trace", "export", str(tmp_path / "runs")]
    assert "--format inspect" in CliRunner().invoke(app, export).output
    wrong_name = CliRunner().invoke(app, [*export, "--format", "inspect", "-o", str(tmp_path / "runs.txt")])
    assert (wrong_name.exit_code, ".eval" in wrong_name.output) == (2, True)
