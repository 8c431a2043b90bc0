"""Under one budget a task's loop holds to its limit of attempts as it does alone, and goes on once that is raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.worth import CALL, Answering, answered, rows, scorer
from support.worth import judge as points
from thoughtgraph import Verdict
from thoughtgraph.evaluation import Comparison, evaluate
from thoughtgraph.evaluation.conditions import Condition

pytestmark = pytest.mark.slow

BEST_OF_N = Condition("best_of_n")
CASCADE = Condition("external_loop", ("fresh",), form_repairs=1, models=("small", "large"))


class Named(Answering):
    """A model of a cascade."""

    model: str


def measured(models: Any, condition: Condition, max_attempts: int, save: Path | None = None, **options: Any) -> Any:
    """One task under a budget that is never spent."""
    settings: dict[str, Any] = {"verifier": points, "scorer": scorer, "controls": False, "concurrency": 1, **options}
    comparison: Comparison = evaluate(
        rows("a"), models, modes=[condition], max_tokens=100 * CALL, max_attempts=max_attempts, save=save, **settings
    )
    return next(found for found in comparison.conditions if found.title.endswith(condition.title))


@pytest.mark.parametrize("max_attempts", [1, 2, 3, 4, 5])
def test_no_more_samples_are_drawn_than_there_are_attempts(max_attempts: int) -> None:
    model = Answering(answers={"a": ["one shot 0", *answered(*[1] * max_attempts)]})
    found = measured(model, BEST_OF_N, max_attempts)
    assert found.tokens == max_attempts * CALL
    assert [run.stop for run in found.runs] == ["max_iterations"]


def test_samples_go_on_with_a_larger_limit(tmp_path: Path) -> None:
    model = Answering(answers={"a": ["one shot 0", *answered(1, 2, 3)]})
    measured(model, BEST_OF_N, 3, tmp_path)
    model = Answering(answers={"a": ["fourth 4", "fifth 9"]})
    assert measured(model, BEST_OF_N, 5, tmp_path).solved.count == 1
    assert model.answers == {"a": []}


def test_samples_that_only_agree_end_as_they_do_alone(tmp_path: Path) -> None:
    # Two against one is no agreement that further samples could not change, but with three attempts there are none.
    said = ["one shot 0", "yes 1", "no 2", "yes 1"]
    for budget in (100 * CALL, None):
        model = Answering(answers={"a": list(said)})
        found = evaluate(
            rows("a"), model, modes=[BEST_OF_N], scorer=scorer, controls=False, max_attempts=3, max_tokens=budget,
            save=tmp_path / str(budget),
        )[BEST_OF_N.title]  # fmt: skip
        assert [run.stop for run in found.runs] == ["agreement"]
    model = Answering(answers={"a": ["no 2"] * 3})
    evaluate(
        rows("a"), model, modes=[BEST_OF_N], scorer=scorer, controls=False, max_attempts=6, max_tokens=100 * CALL,
        save=tmp_path / str(100 * CALL),
    )  # fmt: skip
    assert model.asked == []


def formless(task: str, answer: str) -> Verdict:
    """Fails an answer of the small model on its form."""
    if answer.startswith("small"):
        return Verdict("failed", "A section is missing.", 0.5, failed_on="form")
    return points(task, answer)


@pytest.mark.parametrize(("max_attempts", "small_asked"), [(2, 1), (3, 2)])
def test_a_repair_of_form_leaves_the_attempt_that_the_next_model_needs(max_attempts: int, small_asked: int) -> None:
    small = Named(model="small", answers={"a": ["small one shot 0", "small 1", "small 2"]})
    large = Named(model="large", answers={"a": ["one shot 0", "large 9"]})
    found = measured([small, large], CASCADE, max_attempts, verifier=formless)
    assert (found.solved.count, len(small.asked)) == (1, 1 + small_asked)
