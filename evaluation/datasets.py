"""Coding tasks from JSONL files in our own format, HumanEval's or MBPP's; the fields tell which.

Visible tests may stop a loop; hidden tests only score its answer.
"""

from __future__ import annotations

import ast
import doctest
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..errors import DatasetError
from ..tools.sandbox.suite import read_suite


@dataclass(frozen=True, slots=True)
class CodingTask:
    """A task with tests.

    Attributes:
        task_id: the id from the file.
        prompt: the prompt for the actor.
        entry_point: the function to write; "" if the tests name it.
        visible_tests: asserts that a loop may run; "" for none.
        hidden_tests: asserts that score the answer; "" for none.
        level: difficulty; "" if unknown.
    """

    task_id: str
    prompt: str
    entry_point: str
    visible_tests: str
    hidden_tests: str
    level: str = ""

    @property
    def all_tests(self) -> str:
        """Visible and hidden tests together; an answer must pass both to count as solved."""
        return f"{self.visible_tests}\n{self.hidden_tests}".strip()


def load_tasks(path: str | Path, limit: int | None = None) -> list[CodingTask]:
    """Read a JSONL file of tasks.

    Args:
        path: a file whose lines have the fields of our own tasks (`prompt`, `visible_tests`, `hidden_tests`), of
            HumanEval (`prompt`, `test`, `entry_point`) or of MBPP (`text`, `test_list`).
        limit: the most tasks to read, from the start of the file.

    Raises:
        DatasetError: the file cannot be read, or a line has none of these formats.
    """
    tasks: list[CodingTask] = []
    for number, line in _lines(Path(path)):
        if limit is not None and len(tasks) >= limit:
            break
        try:
            row: object = json.loads(line)
        except ValueError as problem:
            raise DatasetError(f"{path}, line {number}: not JSON ({problem})") from None
        if not isinstance(row, dict):
            raise DatasetError(f"{path}, line {number}: not a JSON object")
        try:
            tasks.append(_task(cast("dict[str, Any]", row)))
        except (KeyError, TypeError, AttributeError, SyntaxError) as problem:
            raise DatasetError(
                f"{path}, line {number}: neither our own, nor HumanEval's, nor MBPP's fields ({problem})"
            ) from None
    if not tasks:
        raise DatasetError(f"the dataset {path} holds no task")
    return tasks


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise DatasetError(f"cannot read the dataset {path}: {problem}") from problem
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _task(row: Mapping[str, Any]) -> CodingTask:
    if "visible_tests" in row:
        return CodingTask(
            str(row["task_id"]),
            row["prompt"],
            row.get("entry_point", ""),
            row["visible_tests"].strip(),
            row.get("hidden_tests", "").strip(),
            row.get("level", ""),
        )
    if "test_list" in row:
        return _mbpp(row)
    return _human_eval(row)


def _mbpp(row: Mapping[str, Any]) -> CodingTask:
    """Show the first test, because the function's name cannot be guessed; hide the others."""
    setup = str(row.get("test_setup_code") or "")
    tests: list[str] = row["test_list"]
    challenges: list[str] = row.get("challenge_test_list") or []
    hidden = [*tests[1:], *challenges]
    prompt = str(row.get("text") or row["prompt"])
    join = "\n".join
    return CodingTask(str(row["task_id"]), prompt, "", join([setup, tests[0]]).strip(), join([setup, *hidden]).strip())


def _human_eval(row: Mapping[str, Any]) -> CodingTask:
    """Show the docstring's examples; hide `check(candidate)`."""
    entry_point = str(row["entry_point"])
    examples = doctest.DocTestParser().get_examples(_docstring(str(row["prompt"]), entry_point))
    asserts = [
        f"assert {example.source.strip()} == {example.want.strip()}"
        for example in examples
        if entry_point in example.source and _is_literal(example.want)
    ]
    hidden = f"{str(row['test']).rstrip()}\n\ncheck({entry_point})"
    read_suite(hidden)
    prompt = f"Complete this function:\n\n```python\n{str(row['prompt']).strip()}\n```"
    return CodingTask(str(row["task_id"]), prompt, entry_point, "\n".join(asserts), hidden)


def _docstring(prompt: str, entry_point: str) -> str:
    functions = (node for node in ast.walk(ast.parse(prompt)) if isinstance(node, ast.FunctionDef))
    return next((ast.get_docstring(node) or "" for node in functions if node.name == entry_point), "")


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return False
    return True
