"""What is kept of a batch was made with its models' options: other ones make other runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langgraph.store.memory import InMemoryStore
from thoughtgraph import Verdict
from thoughtgraph.errors import RunFileError
from thoughtgraph.evaluation import asolve_many, astream_many, evaluate
from thoughtgraph.evaluation.comparison import Comparison
from thoughtgraph.memory import FailureMemory
from thoughtgraph.models import ScriptedModel

ROWS: list[dict[str, Any]] = [{"task_id": "one", "prompt": "Say A."}]
REFUSED = "holds runs of other settings"
HERE = Path(__file__)


def says_a(task: str, answer: str) -> Verdict:
    return Verdict("passed" if answer == "A" else "failed", "Say A.")


def script(**options: Any) -> ScriptedModel:
    return ScriptedModel(replies=["A"] * 4, **options)


def judged(models: Any, save: Path, **options: Any) -> Comparison:
    given: dict[str, Any] = {"modes": ["external_loop"], "verifier": says_a, **options}
    return evaluate(ROWS, models, controls=False, concurrency=1, save=save, **given)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 2}, "options of ScriptedModel {'seed': 1, 'temperature': 0.0}, not {'seed': 2, 'temperature': 0.0}"),
        ({"temperature": 0.7}, "'temperature': 0.7"),
        ({"max_tokens": 9}, "'max_tokens': 9"),
        ({"seed": None}, "not {'temperature': 0.0}"),
    ],
)
def test_runs_of_other_options_are_not_taken_for_those_of_a_model(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    judged(script(seed=1), tmp_path)

    with pytest.raises(RunFileError, match=REFUSED) as refused:
        judged(script(**{"seed": 1, **changed}), tmp_path)

    assert said in str(refused.value)


def test_the_same_options_go_on_with_the_same_runs(tmp_path: Path) -> None:
    first = judged(script(seed=1, temperature=1), tmp_path)

    again = script(seed=1, temperature=1.0)
    assert str(judged(again, tmp_path)) == str(first)
    assert not again.requests


def test_options_bound_around_a_model_count(tmp_path: Path) -> None:
    judged(script().bind(top_p=0.5), tmp_path)

    with pytest.raises(RunFileError, match=REFUSED):
        judged(script().bind(top_p=0.9), tmp_path)


def test_two_seeds_of_one_model_do_not_change_places(tmp_path: Path) -> None:
    judged([script(seed=1), script(seed=2)], tmp_path)

    with pytest.raises(RunFileError, match=REFUSED):
        judged([script(seed=2), script(seed=1)], tmp_path)
    judged([script(seed=1), script(seed=2)], tmp_path)


def test_the_options_of_the_critic_count(tmp_path: Path) -> None:
    judged(script(), tmp_path, modes=["actor_critic"], critic=script(seed=1))

    with pytest.raises(RunFileError, match="options of the critic"):
        judged(script(), tmp_path, modes=["actor_critic"], critic=script(seed=2))


def test_a_folder_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    judged(script(seed=1), tmp_path)
    path = tmp_path / "settings.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({name: value for name, value in kept.items() if not name.startswith("options of")}))

    judged(script(seed=2), tmp_path)

    # From now on they are known.
    with pytest.raises(RunFileError, match=REFUSED):
        judged(script(seed=1), tmp_path)


def named() -> BaseChatModel:
    """The model that is given by a name."""
    return script(seed=1)


def test_a_model_by_its_name_goes_on_with_what_it_has_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE.parent))
    judged(script(seed=1), tmp_path)

    judged(f"import:{HERE.stem}:named", tmp_path)

    # What it did not know is kept.
    with pytest.raises(RunFileError, match=REFUSED):
        judged(script(seed=2), tmp_path)


async def test_many_tasks_are_not_taken_for_those_of_other_options(tmp_path: Path) -> None:
    tests = [{"task_id": "one", "prompt": "Say A."}]
    await asolve_many(script(seed=1), tests, mode="best_of_n", save=tmp_path, max_attempts=1)

    with pytest.raises(RunFileError, match=REFUSED):
        await asolve_many(script(seed=2), tests, mode="best_of_n", save=tmp_path, max_attempts=1)
    with pytest.raises(RunFileError, match=REFUSED):
        [_ async for _ in astream_many(script(seed=2), tests, mode="best_of_n", save=tmp_path, max_attempts=1)]
    await asolve_many(script(seed=1), tests, mode="best_of_n", save=tmp_path, max_attempts=1)


async def test_runs_with_a_memory_are_not_those_without_one(tmp_path: Path) -> None:
    tests = [{"task_id": "one", "prompt": "Say A."}]
    given: dict[str, Any] = {"mode": "best_of_n", "save": tmp_path, "max_attempts": 1}
    memory = FailureMemory(InMemoryStore())
    await asolve_many(script(), tests, memory=memory, **given)

    with pytest.raises(RunFileError, match="memory True, not 'unset'"):
        await asolve_many(script(), tests, **given)
    await asolve_many(script(), tests, memory=memory, **given)
