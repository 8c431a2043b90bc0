"""The control at equal cost: it is the mode best_of_n, and N grows without anything being asked twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.types import interrupt
from support.plan_act import no_waiting
from support.worth import CALL, RETRY, Answering, Killed, answered, judge, rows, scorer
from thoughtgraph import ContextGraph, Verdict
from thoughtgraph.evaluation import Condition, evaluate
from thoughtgraph.evaluation.comparison import Comparison
from thoughtgraph.evaluation.conditions import RETRY_ONLY

pytestmark = pytest.mark.slow

MODE = answered(1, 2, 3)
"""What the retries get: three attempts that fail."""


def controlled(samples: dict[str, list[Any]], **options: Any) -> tuple[Comparison, list[str]]:
    """A comparison of retries with their control, and the tasks in the order in which samples were asked for."""
    model = Answering(answers={name: ["one shot 0", *MODE, *said] for name, said in samples.items()})
    settings: dict[str, Any] = {"concurrency": 1, "verifier": judge, "scorer": scorer, **options}
    comparison = evaluate(rows("".join(samples)), model, modes=[RETRY_ONLY], **settings)
    return comparison, model.asked[4 * len(samples) :]


def going_on(samples: dict[str, list[Any]], folder: Path, verifier: Any = judge) -> tuple[Comparison, list[str]]:
    """The same comparison once more, of which all but the control is there."""
    model = Answering(answers=samples)
    comparison = evaluate(
        rows("".join(samples)), model, modes=[RETRY_ONLY], verifier=verifier, scorer=scorer, save=folder
    )
    return comparison, model.asked


def test_only_tasks_whose_samples_all_failed_get_another_one(tmp_path: Path) -> None:
    samples = {"a": answered(*range(1, 7)), "b": answered(9), "c": answered(1, 9)}
    comparison, asked = controlled(samples, save=tmp_path)
    assert asked == [*"abc", *"ac", *"aaaa"]
    best = comparison.conditions[-1]
    assert best.title == "best of 6 (≥ tokens of retry only)"
    assert [run.metrics.attempts for run in best.runs] == [6, 1, 2]
    assert [run.correct for run in best.runs] == [False, True, True]
    (last,) = tmp_path.glob("best-of-2/c.jsonl")
    assert run_kinds(last) == ["thought", "attempt", "verdict"] * 2


def run_kinds(path: Path) -> list[str]:
    """The kinds of a saved run's events between its goal and its outcome, of a run of the mode."""
    events = ContextGraph.from_run(path).events
    assert (events[0]["data"].get("mode"), events[-1]["kind"]) == ("best_of_n", "outcome")
    assert [event["seq"] for event in events] == list(range(len(events)))
    return [event["kind"] for event in events[1:-1]]


def test_n_grows_up_to_the_tokens_of_the_mode() -> None:
    comparison, asked = controlled({"a": answered(1, 2, 3, 4, 5), "b": answered(9)})
    assert comparison[RETRY].tokens == 6 * CALL
    best = comparison.conditions[-1]
    assert (best.title, best.tokens) == ("best of 5 (≥ tokens of retry only)", 6 * CALL)
    assert asked == ["a", "b", *"aaaa"]
    assert [run.stop for run in best.runs] == ["max_iterations", "passed"]


def test_the_scorer_is_asked_once_about_an_answer_however_large_n_grows() -> None:
    scored: list[str] = []

    def counting(task: str, answer: str) -> bool:
        scored.append(answer)
        return scorer(task, answer)

    samples = [f"sample {number} {points}" for number, points in enumerate((5, 1, 7, 2, 9))]
    controlled({"a": samples, "b": ["sample 9"]}, scorer=counting)
    assert sorted(answer for answer in scored if answer.startswith("sample")) == [
        "sample 0 5", "sample 2 7", "sample 4 9", "sample 9",
    ]  # fmt: skip


def test_samples_of_the_control_differ_as_those_of_the_mode() -> None:
    model = Answering(answers={"a": ["one shot 0", *MODE, *answered(1, 2, 3)]}, temperature=0.0)
    evaluate(rows("a"), model, modes=[RETRY_ONLY], verifier=judge, scorer=scorer)
    assert model.asked == ["a"] * 7


def test_an_interrupted_control_goes_on_with_the_same_runs(tmp_path: Path) -> None:
    deadly = ["deadly 2"]

    def killing(task: str, answer: str) -> Verdict:
        if answer in deadly:
            raise Killed
        return judge(task, answer)

    with pytest.raises(Killed):
        controlled({"a": [*answered(1), "deadly 2"], "b": answered(9)}, save=tmp_path, verifier=killing)
    deadly.clear()
    comparison, asked = going_on({"a": answered(3, 4, 5), "b": []}, tmp_path, verifier=killing)
    assert asked == ["a"] * 3, "a sample was asked for again"
    assert comparison.conditions[-1].title.startswith("best of 5")


def test_a_task_that_cannot_go_on_keeps_the_best_of_its_samples() -> None:
    def unable(task: str, answer: str) -> Any:
        return None if answer == "odd 2" else judge(task, answer)

    comparison, _ = controlled({"a": [*answered(5), "odd 2"], "b": answered(*range(1, 6))}, verifier=unable)
    lost, other = comparison.conditions[-1].runs
    assert "VerifierContractError" in lost.problem
    assert (lost.metrics.attempts, lost.tokens, other.metrics.attempts) == (1, CALL, 5)


def test_a_control_whose_model_was_gone_goes_on_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    before, _ = controlled({"a": [*answered(1), *[ConnectionError("gone")] * 5], "b": answered(9)}, save=tmp_path)
    assert "gone" in str(before.conditions[-1].problems["a"])
    comparison, asked = going_on({"a": answered(2, 3, 4, 5), "b": []}, tmp_path)
    assert (asked, comparison.conditions[-1].problems) == (["a"] * 4, {})


def test_a_verifier_that_asks_the_user_is_a_problem_of_the_task() -> None:
    def ask(task: str, answer: str) -> Verdict:
        interrupt(answer)
        raise AssertionError("nobody is there to go on")

    comparison, _ = controlled({"a": answered(1, 2)}, verifier=ask)
    assert "the verifier asks the user" in comparison.conditions[-1].problems["a"]


def test_a_task_without_a_verifier_among_others_is_sampled_until_enough_agree() -> None:
    def of_row(row: Any) -> Any:
        return judge if row["task_id"] == "a" else None

    said = {"a": ["one shot 0", *MODE, *answered(1, 2)], "b": ["one shot 0", "mode 0", "four 4", "four 4"]}
    model = Answering(answers=said)
    comparison = evaluate(rows("ab"), model, modes=[RETRY_ONLY], verifier=of_row, scorer=scorer, concurrency=1)
    assert model.asked[-4:] == [*"ab", *"ab"]
    best = comparison.conditions[-1]
    assert [(run.stop, run.metrics.attempts) for run in best.runs] == [("max_iterations", 2), ("agreement", 2)]


def test_it_is_a_mode_like_any_other_and_agrees_where_nothing_verifies() -> None:
    model = Answering(answers={"a": ["one shot 0", "the answer 9", "the answer 9"]})
    comparison = evaluate(rows("a"), model, modes=["best_of_n"], scorer=scorer)
    (run,) = comparison["best_of_n"].runs
    assert (run.stop, run.correct, run.metrics.attempts) == ("agreement", True, 2)


def test_it_cannot_go_without_its_verifier() -> None:
    with pytest.raises(ValueError, match="best_of_n judges by its verifier alone"):
        Condition("best_of_n", verify=False)


def test_under_one_budget_a_lost_batch_is_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    options: dict[str, Any] = {"max_tokens": 50 * CALL, "max_attempts": 3, "save": tmp_path, "controls": False}
    options |= {"verifier": judge, "scorer": scorer, "modes": ["best_of_n"]}
    model = Answering(answers={"a": ["one shot 0", *answered(1), *[ConnectionError("gone")] * 5]})
    assert evaluate(rows("a"), model, **options)["best_of_n"].runs[0].stop == "model_unavailable"
    model = Answering(answers={"a": answered(9)})
    comparison = evaluate(rows("a"), model, **options)
    assert (model.asked, comparison["best_of_n"].runs[0].verdict) == (["a"], "passed")
