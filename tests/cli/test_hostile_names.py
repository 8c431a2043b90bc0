"""Hundreds of hostile names for files, runs and lessons: refused whole, or used as nothing but a name."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest
from support.hostile_names import FINE, random_names, refused_names, saving_problem
from support.hostile_tools import lookup_problems, run_file_problems
from thoughtgraph.errors import UnsafeFileNameError
from thoughtgraph.tools.files import check_file_name

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty target folder inside an otherwise empty one."""
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


def test_every_hostile_name_is_refused_and_nothing_is_written(folder: Path) -> None:
    names = refused_names()
    assert len(names) >= 200
    assert [problem for name in names if (problem := saving_problem(name, folder, refused=True))] == []


@pytest.mark.parametrize("name", FINE)
def test_an_odd_name_is_a_name(folder: Path, name: str) -> None:
    assert saving_problem(name, folder, refused=False) == ""


def test_random_names_are_refused_or_written_whole(folder: Path) -> None:
    names = islice(random_names(Random(7)), 1000)
    assert [problem for name in names if (problem := saving_problem(name, folder))] == []


def test_the_check_sees_what_was_written_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the other tests rely on when they see nothing."""
    monkeypatch.setattr("thoughtgraph.tools.files._refusal", lambda name: None)
    assert "was written" in saving_problem("../a.txt", folder, refused=True)
    (folder.parent / "a.txt").unlink(missing_ok=True)
    assert saving_problem("sub/../../b.txt", folder) != ""


def test_runs_of_hostilely_named_tasks_stay_in_their_folder(tmp_path: Path) -> None:
    assert run_file_problems([*FINE, *refused_names()[::9]], tmp_path) == []


def test_hostile_names_of_runs_are_a_line_and_an_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [*refused_names()[::40], "a" * 100_000, "*.jsonl", "$(id)", "; id", "--event"]
    assert [problem for name in names for problem in lookup_problems(name, tmp_path)] == []


def test_a_very_long_name_is_refused_before_its_marks_are_put_in_order() -> None:
    """Ordering combining marks takes the square of their number: of these, an hour."""
    with pytest.raises(UnsafeFileNameError, match="longer than"):
        check_file_name("\u0301\u0316" * 1_000_000)
