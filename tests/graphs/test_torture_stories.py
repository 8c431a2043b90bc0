"""The runs that `make torture` disturbs: undisturbed on a file, each comes to the end that it is held to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.paths import ROOT

sys.path.insert(0, str(ROOT / "benchmarks" / "torture"))

from runs import LOOPS, begin, go_on, problems, taken_up, told

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("loop", LOOPS)
def test_a_run_that_is_taken_up_by_another_model_asks_the_same_and_comes_to_the_same_end(
    loop: str, tmp_path: Path
) -> None:
    story = told(loop, tmp_path)
    folder = tmp_path / "again"
    folder.mkdir()
    with taken_up(story, folder, folder / "runs.sqlite") as graph:
        begin(graph, story, "1", steps=5)
    with taken_up(story, folder, folder / "runs.sqlite") as graph:
        assert problems(story, go_on(graph, story, "1"), folder) == []
