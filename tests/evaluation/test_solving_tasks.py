"""The benchmark's own tasks: each reference passes, each wrong answer is refused by the hidden check alone."""

from __future__ import annotations

import ast
import json
import re
import sys
from typing import Any

import pytest
from support.paths import ROOT
from thoughtgraph._internal.strict_json import dumps
from thoughtgraph.evaluation.datasets import load_tasks
from thoughtgraph.tools import FormattedVerifier

sys.path.insert(0, str(ROOT))

from benchmarks.solving.checks import DOMAINS, scorer_of, tasks_of, verifier_of
from benchmarks.solving.checks.sql import FOLDER, database

TASKS = {domain: tasks_of(domain) for domain in DOMAINS}
ROWS = [task.row for tasks in TASKS.values() for task in tasks]
LANGUAGES = {"functions": "python", "extraction": "json", "sql": "sql"}
each_row = pytest.mark.parametrize(
    "row",
    [
        # Functions run in the sandbox.
        pytest.param(row, id=row["task_id"], marks=[pytest.mark.slow] if row["domain"] == "functions" else [])
        for row in ROWS
    ],
)


def rows_of(domain: str) -> list[dict[str, Any]]:
    return [task.row for task in TASKS[domain]]


def answer_in(row: Any, content: Any) -> str:
    """What a loop takes out of a reply that gives this content in the format that is asked for."""
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    language = LANGUAGES.get(row["domain"])
    verifier: Any = verifier_of(row)
    assert isinstance(verifier, FormattedVerifier)
    parsed = verifier.parse(f"Here it is:\n\n```{language}\n{text}\n```" if language else text)
    assert parsed.get("status") == "success", parsed
    found: Any = parsed.get("content")
    return found if isinstance(found, str) else dumps(found, ensure_ascii=False)


def test_there_are_enough_tasks_in_every_domain_and_their_ids_are_unique() -> None:
    assert {domain: len(tasks) for domain, tasks in TASKS.items()} == {
        "functions": 60, "extraction": 50, "writing": 50, "sql": 50
    }  # fmt: skip
    assert len({row["task_id"] for row in ROWS}) == len({row["prompt"] for row in ROWS}) == len(ROWS)
    assert {row["level"] for row in ROWS} == {"basic", "easy", "medium", "hard"}
    assert all(row["domain"] == domain for domain in DOMAINS for row in rows_of(domain))


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_domain_is_a_file_of_rows_in_plain_ascii(domain: str) -> None:
    text = (ROOT / "benchmarks/solving/tasks" / f"{domain}.jsonl").read_text(encoding="utf-8")
    assert text.isascii()
    assert json.dumps([json.loads(line) for line in text.splitlines()], ensure_ascii=False).isascii()
    assert len(load_tasks([json.loads(line) for line in text.splitlines()])) == len(TASKS[domain])


@each_row
def test_the_reference_passes_both_checks_and_the_wrong_answer_only_the_visible_one(row: Any) -> None:
    visible: Any = verifier_of(row)
    score = scorer_of(row)
    reference, wrong = answer_in(row, row["reference"]), answer_in(row, row["wrong"])
    assert visible(row["prompt"], reference).status == "passed", visible(row["prompt"], reference).feedback
    assert score(row["prompt"], reference).status == "passed"
    assert visible(row["prompt"], wrong).status == "passed", visible(row["prompt"], wrong).feedback
    assert score(row["prompt"], wrong).status == "failed"


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_prompt_gives_no_hidden_expectation_away(domain: str) -> None:
    for row in rows_of(domain):
        check_prompt(row)


def check_prompt(row: Any) -> None:
    verifier: Any = verifier_of(row) if row["domain"] != "functions" else None
    shown = f"{row['prompt']}\n{row.get('visible_tests', '')}"
    shown += f"\n{verifier.instructions}\n{verifier.criteria}" if verifier else ""
    reference = row["reference"] if isinstance(row["reference"], str) else json.dumps(row["reference"])
    assert reference not in shown
    if row["domain"] == "functions":
        assert not calls(row["visible_tests"]) & calls(row["hidden_tests"])
        assert not any(call in row["prompt"] for call in calls(row["hidden_tests"]))
    if row["domain"] == "sql":
        assert "SELECT" not in row["prompt"]
        # An expected row that the prompt shows would be an answer.
        assert not re.search(r"\(\d+, '", shown)


def calls(asserts: str) -> set[str]:
    """The calls that asserts make."""
    return {ast.unparse(node) for node in ast.walk(ast.parse(asserts)) if isinstance(node, ast.Call)}


def test_many_questions_need_a_column_that_the_prompt_does_not_show() -> None:
    needing = 0
    for row in rows_of("sql"):
        schema, _ = database(row["database"])
        columns = re.findall(r"^\s+(\w+) (?:INTEGER|TEXT|REAL)", schema, re.MULTILINE)
        tables = re.findall(r"^(\w+)\((.*)\)$", row["prompt"], re.MULTILINE)
        shown = {name for _, listed in tables for name in listed.split(", ")}
        needing += any(re.search(rf"\b{name}\b", row["reference"]) for name in set(columns) - shown)
    assert 20 <= needing <= 35


def test_every_database_is_asked_for_and_differs_from_its_hidden_ones() -> None:
    used = {row["database"] for row in rows_of("sql")}
    assert {path.stem for path in FOLDER.glob("*.sql")} == used
    for name in used:
        _, contents = database(name)
        assert len(contents) == len(set(contents)) == 4
        assert contents[-1] == ""
