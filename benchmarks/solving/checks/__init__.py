"""The checks of the benchmark's four domains: for a row of a task, what a loop may see and what scores its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from thoughtgraph import PythonTests
from thoughtgraph.evaluation.datasets import Task, load_tasks
from thoughtgraph.tools.verdict import Verdict, Verifier

from . import extraction, sql, writing

TASKS = Path(__file__).parents[1] / "tasks"

Row = Mapping[str, Any]
Score = Callable[[str, str], Verdict]


def tasks_of(domain: str, limit: int | None = None) -> list[Task]:
    """The tasks of one of the domains, or of a file of coding tasks, given by its path."""
    return load_tasks(TASKS / f"{domain}.jsonl" if domain in DOMAINS else domain, limit)


def verifier_of(row: Row) -> Verifier:
    """The visible check of a row: its feedback says exactly what is wrong, as far as the prompt asks for it."""
    return _VISIBLE[row["domain"]](row)


def scorer_of(row: Row) -> Score:
    """What scores an answer, hidden from every loop: the visible and the hidden check together."""
    visible: Callable[[str, str], Any] = verifier_of(row)
    hidden = _HIDDEN[row["domain"]](row)

    def score(task: str, answer: str) -> Verdict:
        shown: Verdict = visible(task, answer)
        return hidden(task, answer) if shown.status == "passed" else shown

    return score


def _tests(name: str) -> Callable[[Row], PythonTests]:
    return lambda row: PythonTests(row[name], entry_point=row["entry_point"])


_VISIBLE: dict[str, Callable[[Row], Verifier]] = {
    "functions": _tests("visible_tests"),
    "extraction": lambda row: extraction.Fields(row["schema"]),
    "writing": lambda row: writing.Rules(row["visible_rules"]),
    "sql": lambda row: sql.FirstDatabase(row["database"], row["reference"], ordered=row["ordered"]),
}
_HIDDEN: dict[str, Callable[[Row], Score]] = {
    "functions": _tests("hidden_tests"),
    "extraction": lambda row: extraction.Values(row["schema"], row["reference"]),
    "writing": lambda row: writing.Rules(row["hidden_rules"]),
    "sql": lambda row: sql.FurtherDatabases(row["database"], row["reference"], ordered=row["ordered"]),
}
DOMAINS = tuple(_VISIBLE)
