"""How an evaluation is shown: rows, pandas, text of 80 columns, HTML, a picture."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from thoughtgraph import ThoughtGraphError
from thoughtgraph.cli.compare import show_comparison
from thoughtgraph.errors import MissingLibraryError
from thoughtgraph.evaluation import Comparison, save_plot
from thoughtgraph.evaluation.scored import ConditionResult, ScoredRun
from thoughtgraph.traces.metrics.run import RunMetrics

COLUMNS = [
    "task_id", "level", "model", "condition", "solved", "first_solved", "change", "verdict", "scored", "score", "stop",
    "attempts", "input_tokens", "output_tokens", "cached_tokens", "seconds", "cost", "problem",
]  # fmt: skip
HOSTILE = "<script>alert(1)</script>'\"&\x1b[31m\ud800" + "long " * 40


def run(name: str, scored: str, first: str) -> ScoredRun:
    """A run that nobody made."""
    metrics = RunMetrics(attempts=4, input_tokens=1_800, output_tokens=200, cached_tokens=900)
    why = "" if scored != "unverified" else HOSTILE
    score = {"passed": 1.0, "failed": 0.25}.get(scored)
    return ScoredRun(name, "", True, "passed", scored, first, score, "passed", 2.5, "", why, metrics)


@pytest.fixture
def comparison() -> Comparison:
    """Two models under one shot, one of them also under a mode with a hostile name."""
    shot = (run("a", "passed", "failed"), run("b", "failed", "passed"), run(HOSTILE, "unverified", "failed"))
    conditions = (
        ConditionResult("small: one shot", shot, model="small"),
        ConditionResult(f"small: {HOSTILE}", shot, True, ("small: one shot",), "small"),
        ConditionResult("large: one shot", shot, True, ("small: one shot",), "large"),
    )
    return Comparison(conditions, 3, {HOSTILE: HOSTILE}, 1)


def page(comparison: Comparison) -> str:
    """The page inside of a notebook's frame."""
    frame: str = comparison._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert frame.startswith("<iframe ") and 'sandbox="allow-scripts"' in frame
    return unescape(frame.partition("srcdoc='")[2])


def test_a_row_is_a_task_under_a_condition_of_a_model(comparison: Comparison) -> None:
    rows = comparison.rows()
    assert len(rows) == 9
    assert [list(row) for row in rows] == [COLUMNS] * 9
    assert rows[0] == {
        "task_id": "a",
        "level": "",
        "model": "small",
        "condition": "one shot",
        "solved": True,
        "first_solved": False,
        "change": "fixed",
        "verdict": "passed",
        "scored": "passed",
        "score": 1.0,
        "stop": "passed",
        "attempts": 4,
        "input_tokens": 1_800,
        "output_tokens": 200,
        "cached_tokens": 900,
        "seconds": 2.5,
        "cost": None,
        "problem": "",
    }
    assert [row["change"] for row in rows[:3]] == ["fixed", "broken", ""]
    assert (rows[2]["solved"], rows[2]["score"]) == (False, None)
    assert json.loads(json.dumps(rows)) == rows


def test_a_data_frame_has_the_same_rows(comparison: Comparison) -> None:
    pandas: Any = pytest.importorskip("pandas")
    frame = comparison.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert (list(frame.columns), len(frame)) == (COLUMNS, 9)
    assert frame.groupby("model")["solved"].sum().to_dict() == {"small": 2, "large": 1}
    assert "\ufffd" in frame.to_csv().encode().decode()


def test_without_pandas_it_is_said_what_to_install(comparison: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'thoughtgraph\[pandas\]', or use rows\(\)") as caught:
        comparison.to_pandas()
    assert isinstance(caught.value, ThoughtGraphError) and isinstance(caught.value, ImportError)


def test_the_text_fits_a_terminal_of_80_columns(comparison: Comparison) -> None:
    lines = str(comparison).split("\n")
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in str(comparison)
    shown = " ".join(str(comparison).split())
    assert "1/3 33% (6%–79%) +0 −0 1 of 3" in shown
    assert "left out <script>alert(1)" in shown
    assert "tasks without hidden tests or a scorer: 1" in shown


def named(*titles: str) -> Comparison:
    """Conditions of these titles, each compared with the first."""
    shot = (run("a", "passed", "failed"),)
    conditions = [ConditionResult(title, shot, True, titles[:1], title) for title in titles]
    return Comparison(tuple(conditions), 3, {})


def test_brackets_in_a_name_are_a_part_of_it_and_those_of_a_control_are_left_out_of_a_contrast() -> None:
    titles = ("llama (q4): one shot", "llama (q8): mine (v2)", "llama (q8): best of 3 (≥ tokens of mine (v2))")
    said = [str(contrast).partition(": +")[0] for contrast in named(*titles).contrasts()]
    assert said[1:] == [f"{title} against llama (q4): one shot" for title in (titles[1], "llama (q8): best of 3")]
    told = str(named("one shot", "retry only (external_loop)").contrasts()[1])
    assert told.startswith("retry only against one shot: ")


def test_the_command_line_shows_square_brackets_in_a_name_as_they_are() -> None:
    console = Console(width=120, record=True, file=StringIO())
    show_comparison(console, named("llama[q4]: one shot", "llama[/q8]: one shot"))
    lines = [line.strip() for line in console.export_text().split("\n")]
    for title in ("llama[q4]: one shot", "llama[/q8]: one shot"):
        assert sum(line.startswith(title) for line in lines) == 3, "a line in each table, and a bar"


class Page(HTMLParser):
    """Counts a page's tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Note the tag."""
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        """Note the text."""
        self.text += data


def test_a_notebook_shows_conditions_and_tasks_and_every_text_as_text(comparison: Comparison) -> None:
    html = page(comparison)
    read = Page(html)
    assert read.tags.count("table") == 2
    assert read.tags.count("tr") == (1 + 3) + (1 + 9)
    assert read.tags.count("script") == 1
    assert "<script>alert(1)</script>" in read.text
    assert "\x1b" not in html
    html.encode("ascii")
    assert "default-src 'none'" in html and "unsafe" not in html
    assert '<td class="good">fixed</td>' in html and '<td class="bad">broken</td>' in html


def test_a_notebook_shows_what_costs_less_than_a_cent_and_sorts_by_it(comparison: Comparison) -> None:
    costs = (0.00084, 0.0012, 2.5, 0.0)
    runs = [run("a", "passed", "passed") for _ in costs]
    priced = tuple(replace(one, metrics=replace(one.metrics, cost=cost)) for one, cost in zip(runs, costs, strict=True))
    html = page(replace(comparison, conditions=(ConditionResult("one shot", priced),)))
    for shown in ("0.00084", "0.0012", "2.50", "0.00"):
        assert f'<td class="number" data-value="{shown}">{shown}</td>' in html


def test_of_very_many_rows_the_first_are_shown_and_the_rest_counted() -> None:
    runs = tuple(run(str(number), "passed", "passed") for number in range(5_003))
    html = page(Comparison((ConditionResult("one shot", runs, model="m"),), 3, {}))
    assert "the first 5,000 of 5,003 rows" in html
    assert html.count("<tr>") == (1 + 1) + (1 + 5_000)


def test_a_picture_takes_its_path_as_text(comparison: Comparison, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    two = Comparison((comparison.conditions[0], comparison.conditions[2]), 3, {})
    saved = save_plot(two, str(tmp_path / "new" / "modes.svg"))
    assert saved == tmp_path / "new" / "modes.svg"
    assert saved.read_text().rstrip().endswith("</svg>")
    assert save_plot(two, tmp_path / "again.svg").read_bytes() == saved.read_bytes(), "no date, no random ids"
