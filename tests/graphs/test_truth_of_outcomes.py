"""What is told of a run stays true: no opinion mends a verification, no lesson is claimed that was not shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from support.modes import ACTOR_CRITIC, MODES, RIGHT, TASK, wrong
from support.plan_act import twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_reflection_graph
from thoughtgraph.errors import RunFileError, VerifierContractError
from thoughtgraph.evaluation.datasets import Task
from thoughtgraph.evaluation.many import asolve_many
from thoughtgraph.memory import FailureMemory, Lesson

TAUGHT: Lesson = {
    "key": "",
    "task": TASK["task"],
    "kind": "wrong",
    "error": "it is wrong",
    "lesson": "Look twice.",
    "fix": "right",
    "evidence": [],
    "time": "",
    "similarity": 0.0,
}


def test_the_opinion_of_a_critic_does_not_mend_a_failed_verification() -> None:
    verdicts = iter([Verdict("failed", "no"), Verdict("unverified", "cannot run it")])
    script = ACTOR_CRITIC.script([wrong(0.1), RIGHT], verifier=lambda task, answer: next(verdicts))
    script.critic.replies = [
        "[Critique]\nBad.\n[Score]\n2\n[Verdict]\nREVISE",
        "[Critique]\nFine.\n[Score]\n9\n[Verdict]\nACCEPT",
    ]
    result = script.graph().invoke(dict(TASK))
    assert result["stop_reason"]["kind"] == "accepted"
    failures = {failure.kind: failure for failure in ContextGraph.from_run(result).failures()}
    assert failures["failed_verdict"].fixed_by is None
    assert failures["refused_critique"].fixed_by is not None


@pytest.mark.parametrize(
    ("verifier", "why"),
    [
        (lambda task, answer: Verdict("unverified"), "The verifier could not judge the answer, and did not say why."),
        (lambda task, answer: Verdict("unverified", "No database here."), "No database here."),
        (None, "There is no verifier."),
    ],
    ids=["silent", "says why", "none"],
)
def test_a_run_that_nothing_verified_says_whether_there_is_a_verifier(verifier: Any, why: str) -> None:
    result = create_reflection_graph(actor=ScriptedModel(replies=["x"]), verifier=verifier).invoke({"task": "Say x."})
    assert result["stop_reason"] == {"kind": "unverified", "value": why, "limit": None}


def test_what_passed_has_no_kind_of_failure() -> None:
    def named(task: str, answer: str) -> Verdict:
        return Verdict("passed" if answer == RIGHT else "failed", "a word", kind="wording", failed_on="substance")

    script = ScriptedModel(replies=[wrong(0.1), RIGHT])
    result = create_reflection_graph(actor=script, verifier=named).invoke(dict(TASK))
    assert [(each["verdict"], each["kind"]) for each in result["attempts"]] == [("failed", "wording"), ("passed", "")]
    verdicts = [event["data"] for event in result["events"] if event["kind"] == "verdict"]
    assert [(each["status"], each["kind"]) for each in verdicts] == [("failed", "wording"), ("passed", "")]
    unable = create_reflection_graph(
        actor=ScriptedModel(replies=["x"]), verifier=lambda task, answer: Verdict("unverified", "", kind="no_network")
    )
    assert unable.invoke(dict(TASK))["attempts"][0]["kind"] == "no_network"


def test_an_attempt_that_goes_without_lessons_has_not_learned_from_them() -> None:
    memory = FailureMemory(InMemoryStore())
    memory.remember([TAUGHT])
    result = MODES[0].script([wrong(0.1), RIGHT]).run(twin("sync"), memory=memory, strategies=["fresh"])
    relations = [
        [link["relation"] for link in event["links"]] for event in result["events"] if event["kind"] == "thought"
    ]
    assert relations == [["led_to", "learned_from"], ["retried"]]


def test_what_taught_nothing_keeps_no_lesson_out() -> None:
    memory = FailureMemory(InMemoryStore(), k=1)
    memory.remember([TAUGHT, {**TAUGHT, "error": "another", "lesson": "", "fix": ""}])
    assert [lesson["fix"] for lesson in memory.recall(TASK["task"], error="another")] == ["right"]


def test_a_verifier_may_give_details_of_any_kind_and_the_run_can_be_saved(tmp_path: Path) -> None:
    def judge(task: str, answer: str) -> Verdict:
        return Verdict("passed", details={"missing": {1}, "where": Path("x")})

    result = create_reflection_graph(actor=ScriptedModel(replies=["4"]), verifier=judge).invoke(dict(TASK))
    saved = ContextGraph.from_run(ContextGraph.from_run(result).save(tmp_path / "run.jsonl"))
    verdict = next(event for event in saved.events if event["kind"] == "verdict")
    assert verdict["data"]["details"] == {"missing": "{1}", "where": "x"}


def test_feedback_that_is_no_text_breaks_the_verifiers_contract() -> None:
    verdict: Any = Verdict("failed", None)  # type: ignore[arg-type]
    graph = create_reflection_graph(actor=ScriptedModel(replies=["4"]), verifier=lambda task, answer: verdict)
    with pytest.raises(VerifierContractError):
        graph.invoke(dict(TASK))


def test_a_graph_without_an_actor_says_what_is_missing() -> None:
    with pytest.raises(TypeError, match="actor"):
        create_reflection_graph("reflexion")  # type: ignore[call-arg]


def test_the_events_of_two_runs_are_no_run() -> None:
    one, other = (
        create_reflection_graph(actor=ScriptedModel(replies=["4"])).invoke(dict(TASK))["events"] for _ in range(2)
    )
    with pytest.raises(RunFileError, match="the events of 2 runs"):
        ContextGraph([*one, *other])


async def test_a_task_may_be_called_like_the_file_of_results(tmp_path: Path) -> None:
    tasks = [Task(name, "What is 6 * 7?", "", "", "") for name in ("one", "results", "Settings")]
    for _ in range(2):
        results = await asolve_many(ScriptedModel(replies=["42"] * 3), tasks, save=tmp_path)
        assert [result.answer for result in results] == ["42"] * 3
    assert len({result.run_file for result in results}) == 3


async def test_results_of_a_task_that_has_changed_are_not_taken_over(tmp_path: Path) -> None:
    task = Task("1", "What is 6 * 7?", "", "", "")
    await asolve_many(ScriptedModel(replies=["42"]), [task], save=tmp_path)
    more = [task, Task("2", "What is 7 * 7?", "", "", "")]
    assert len(await asolve_many(ScriptedModel(replies=["49"]), more, save=tmp_path)) == 2
    with pytest.raises(RunFileError, match="runs of other tasks that are called 1"):
        await asolve_many(ScriptedModel(replies=[]), [Task("1", "What is 1 + 1?", "", "", "")], save=tmp_path)


def test_runs_of_two_modes_part_where_they_behave_differently() -> None:
    one, other = (mode.script([wrong(0.1), RIGHT]).run(twin("sync")) for mode in MODES[:2])
    assert [run["events"][0]["data"]["mode"] for run in (one, other)] == ["external_loop", "reflexion"]
    difference = ContextGraph.from_run(one).compare(ContextGraph.from_run(other))
    first, second = difference.events
    assert first is not None
    assert second is not None
    assert (difference.position, first["data"]["reply"][:5], second["data"]["reply"][:9]) == (4, "right", "[Mistake]")
