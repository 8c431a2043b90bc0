"""What could not be judged, or not be read again: it is told, with the reason, and costs nothing else its result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.scripted import ScriptedModel
from support.worth import CALL, RETRY, Answering, answered, judge, rows
from thoughtgraph import Verdict
from thoughtgraph.errors import RunFileError
from thoughtgraph.evaluation import Comparison, evaluate
from thoughtgraph.evaluation.conditions import RETRY_ONLY
from thoughtgraph.evaluation.results import TaskResult, add_result, known_results
from thoughtgraph.tools.verifiers import HumanVerifier
from thoughtgraph.traces import Price, Prices
from thoughtgraph.traces.metrics.share import Share

pytestmark = pytest.mark.slow

RAISED = "The verifier raised KeyError: 'API_KEY'"


def broken(task: str, answer: str) -> Verdict:
    """A verifier that has lost its key."""
    raise KeyError("API_KEY")


def broken_for_b(task: str, answer: str) -> Verdict:
    """Judges one of two tasks."""
    return broken(task, answer) if "task b" in task else Verdict("passed")


@pytest.mark.parametrize("max_tokens", [None, 100_000])
@pytest.mark.parametrize("mode", ["external_loop", "reflexion", "actor_critic", "best_of_n"])
def test_a_broken_verifier_is_told_and_not_counted_as_wrong_answers(mode: str, max_tokens: int | None) -> None:
    accept = "[Critique]\nRight.\n[Score]\n9\n[Verdict]\nACCEPT"
    model = ScriptedModel(replies=["x", "x", *["x", accept] * 20])
    comparison = evaluate(
        rows("ab"), model, modes=[mode], verifier=broken, controls=False, concurrency=1, max_tokens=max_tokens
    )
    condition = comparison[mode]
    assert condition.unjudged == {"a": RAISED, "b": RAISED}
    assert {row["problem"] for row in comparison.rows()} == {RAISED}
    shown = " ".join(str(comparison).split())
    assert f"! {mode}: 2 of 2 tasks could not be judged, and count as not solved" in shown
    assert f"! {mode}: a, b could not be judged: {RAISED}" in shown


def test_a_verifier_that_is_broken_for_some_tasks_is_told_of_these() -> None:
    comparison = evaluate(rows("ab"), ScriptedModel(replies=["x"] * 4), modes=[], verifier=broken_for_b, controls=False)
    assert (comparison.one_shot.solved, list(comparison.one_shot.unjudged)) == (Share(1, 2), ["b"])
    assert "one shot: 1 of 2 tasks could not be judged, and count as not solved" in comparison.notes()


def test_where_a_scorer_judged_the_note_says_that_the_loop_learned_nothing() -> None:
    comparison = evaluate(
        rows("ab"), ScriptedModel(replies=["x"] * 2), modes=[], verifier=broken, scorer=lambda task, answer: True
    )
    assert (comparison.one_shot.solved, comparison.one_shot.unjudged) == (Share(2, 2), {})
    what = "the verifier could not judge an attempt at a, b and the loop learned nothing from it"
    assert f"one shot: {what}: {RAISED}" in comparison.notes()


def test_a_loop_without_a_verifier_has_none_that_could_not_judge() -> None:
    comparison = evaluate(rows("a"), ScriptedModel(replies=["x"]), modes=[], scorer=lambda task, answer: True)
    assert (comparison.one_shot.unverified, comparison.notes()) == ({}, [])


def budgeted(folder: Path, answers: dict[str, list[Any]], scorer: Any, **options: Any) -> Comparison:
    settings: dict[str, Any] = {"max_tokens": 100 * CALL, "max_attempts": 2, "verifier": judge, **options}
    settings |= {"modes": [RETRY_ONLY], "concurrency": 1, "controls": False, "save": folder}
    return evaluate(rows("".join("ab")), Answering(answers=answers), scorer=scorer, **settings)


class Scorer:
    """Cannot judge some answers while it is down."""

    def __init__(self, *unknown: str) -> None:
        self.unknown = unknown
        self.asked: list[str] = []

    def __call__(self, task: str, answer: str) -> bool:
        self.asked.append(answer)
        if answer in self.unknown:
            raise TimeoutError("down")
        return answer.endswith(("8", "9"))


def solved(comparison: Comparison) -> list[int]:
    return [point.solved.count for point in comparison[RETRY].curve]


@pytest.mark.parametrize("unknown", [("first 8",), ("first 8", "second 9"), ("third 4",), ("fourth 9",)], ids=str)
def test_the_curve_is_scored_again_once_the_scorer_can_judge(tmp_path: Path, unknown: tuple[str, ...]) -> None:
    answers = {"a": ["one 0", "first 8", "second 9"], "b": ["one 0", "third 4", "fourth 9"]}
    whole = budgeted(tmp_path / "whole", {name: list(said) for name, said in answers.items()}, Scorer())
    assert solved(whole) == [1, 1, 1, 2]
    folder = tmp_path / "later"
    assert solved(budgeted(folder, answers, Scorer(*unknown))) != [1, 1, 1, 2] or "third 4" in unknown
    again = Scorer()
    after = budgeted(folder, {}, again)
    assert set(unknown) <= set(again.asked)
    assert (solved(after), after[RETRY].solved, after[RETRY].unjudged) == ([1, 1, 1, 2], Share(2, 2), {})
    assert [row["first_solved"] for row in after.rows()] == [row["first_solved"] for row in whole.rows()]
    idle = Scorer()
    assert (budgeted(folder, {}, idle).rows(), idle.asked) == (after.rows(), [])


def test_a_first_answer_that_could_not_be_judged_is_scored_again(tmp_path: Path) -> None:
    def run(scorer: Scorer, *said: str) -> Comparison:
        model = Answering(answers={"a": ["one 0", *said]})
        settings: dict[str, Any] = {"modes": [RETRY_ONLY], "verifier": judge, "controls": False, "save": tmp_path}
        return evaluate(rows("a"), model, scorer=scorer, max_attempts=2, **settings)

    assert run(Scorer("first 4"), "first 4", "second 9")[RETRY].changed == (0, 0)
    assert run(Scorer())[RETRY].changed == (1, 0)


def test_fewer_attempts_than_a_folder_holds_are_refused(tmp_path: Path) -> None:
    budgeted(tmp_path, {"a": ["one 0", *answered(1, 2, 9)], "b": ["one 0", *answered(9)]}, Scorer(), max_attempts=3)
    with pytest.raises(RunFileError, match="holds 3 attempts at a, more than max_attempts = 2: give 3 or more"):
        budgeted(tmp_path, {}, Scorer(), max_attempts=2)
    assert budgeted(tmp_path, {}, Scorer(), max_attempts=3).max_attempts == 3


@pytest.mark.parametrize("damage", ["missing", "unreadable", "empty"])
@pytest.mark.parametrize("budget", [{}, {"max_tokens": 100 * CALL}, {"max_cost": 5.0}], ids=str)
def test_a_lost_run_file_costs_no_result(tmp_path: Path, damage: str, budget: dict[str, Any]) -> None:
    options: dict[str, Any] = {"max_tokens": None, "prices": Prices({"Answering": Price(1, 1)}), **budget}
    answers = {"a": ["one 0", *answered(9)], "b": ["one 0", *answered(1, 2)]}
    before = budgeted(tmp_path, answers, Scorer(), **options)
    file = tmp_path / "retry-only--external-loop-" / "a.jsonl"
    kept = (file.parent / "results.jsonl").read_text()
    if damage == "missing":
        file.unlink()
    else:
        file.write_text("{not a run\n" if damage == "unreadable" else "")
    after = budgeted(tmp_path, {}, Scorer(), **options)
    assert (after[RETRY].solved, after[RETRY].tokens, after[RETRY].attempts) == (
        before[RETRY].solved,
        before[RETRY].tokens,
        before[RETRY].attempts,
    )
    assert list(after[RETRY].unread) == ["a"]
    assert str(file) in after[RETRY].unread["a"]
    assert any(note.startswith(f"{RETRY}: the run of a cannot be read") for note in after.notes())
    assert (file.parent / "results.jsonl").read_text() == kept
    assert json.loads(kept.splitlines()[0])["task_id"] == "a"


def test_of_a_task_with_one_attempt_whose_run_is_gone_the_first_answer_is_the_final_one(tmp_path: Path) -> None:
    down = True

    def scorer(task: str, answer: str) -> bool:
        if down:
            raise OSError("down")
        return True

    evaluate(["say x"], ScriptedModel(replies=["x"]), modes=[], scorer=scorer, save=tmp_path)
    runs = list(tmp_path.rglob("1.jsonl"))
    assert runs
    for run in runs:
        run.unlink()
    down = False
    row = evaluate(["say x"], ScriptedModel(replies=[]), modes=[], scorer=scorer, save=tmp_path).rows()[0]
    assert (row["solved"], row["first_solved"], row["change"]) == (True, True, "")


def test_of_a_task_with_two_attempts_whose_run_is_gone_nobody_can_tell_the_first_answer(tmp_path: Path) -> None:
    down = True

    def scorer(task: str, answer: str) -> bool:
        if down:
            raise OSError("down")
        return answer.endswith(" 9")

    options: dict[str, Any] = {"modes": [RETRY_ONLY], "verifier": judge, "controls": False, "save": tmp_path}
    evaluate(rows("a"), Answering(answers={"a": ["one 0", *answered(1, 9)]}), scorer=scorer, **options)
    (tmp_path / "retry-only--external-loop-" / "a.jsonl").unlink()
    down = False
    found = evaluate(rows("a"), Answering(answers={"a": []}), scorer=scorer, **options)[RETRY]
    assert (found.solved, found.changed) == (Share(1, 1), (0, 0))
    assert [run.first_scored for run in found.runs] == ["unverified"]


def test_a_verifier_that_asks_the_user_is_named_as_the_problem() -> None:
    model = ScriptedModel(replies=["a", "b"])
    with pytest.raises(ValueError, match="the verifier asks the user, who is not there"):
        evaluate(["Write a haiku."], model, modes=["external_loop"], verifier=HumanVerifier(), controls=False)
    assert model.requests == []


def test_a_verifier_that_turns_out_to_ask_the_user_is_named_as_the_problem() -> None:
    comparison = evaluate(
        ["Write a haiku."],
        ScriptedModel(replies=["a", "b"]),
        modes=["external_loop"],
        verifier=lambda task, answer: HumanVerifier()(task, answer),
        controls=False,
    )
    assert {row["problem"] for row in comparison.rows()} == {
        "ValueError: the verifier asks the user, who is not there: give one that judges by itself"
    }


def test_a_result_whose_line_has_no_end_is_not_glued_to_the_next_one(tmp_path: Path) -> None:
    def result(task: str) -> TaskResult:
        return TaskResult(task, "passed", {"kind": "passed"}, "x", [], {}, 0.0, "")

    add_result(tmp_path, result("a"))
    lines = tmp_path / "results.jsonl"
    lines.write_text(lines.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    assert list(known_results(tmp_path)) == ["a"]
    add_result(tmp_path, result("b"))
    assert list(known_results(tmp_path)) == ["a", "b"]
