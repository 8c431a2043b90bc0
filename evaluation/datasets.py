"""Tasks from JSONL files or from rows in memory, in our own format, HumanEval's or MBPP's; the fields tell which.

docs/data_format.md describes the formats. Visible tests may stop a loop; hidden tests only score its answer.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any, cast

from .._internal.numbers import whole_number
from .._internal.strict_json import loads
from ..errors import DatasetError
from ..parsers.blocks.names import filled
from ..tools.sandbox.suites.documented import documented_tests
from ..tools.sandbox.suites.suite import read_suite, with_helpers

_FORMAT_PAGE = "docs/data_format.md describes the formats"


@dataclass(frozen=True, slots=True)
class Task:
    """A task to evaluate.

    Attributes:
        task_id: its name in tables and files.
        prompt: the prompt for the actor.
        entry_point: the function to write; "" if the tests name it, or for a task without tests.
        visible_tests: asserts that a loop may run; "" for none.
        hidden_tests: asserts that score the answer; "" for none.
        level: difficulty; "" if unknown.
        fields: the row that the task was read from, for a verifier or a scorer of your own.
    """

    task_id: str
    prompt: str
    entry_point: str = ""
    visible_tests: str = ""
    hidden_tests: str = ""
    level: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def row(self) -> dict[str, Any]:
        """What a function of the row is called with: the row's fields, with `task_id` and `prompt` as they are here."""
        return {**self.fields, "task_id": self.task_id, "prompt": self.prompt}


TaskSource = str | Path | Iterable[Task | Mapping[str, Any] | str]
"""The path of a JSONL file, or tasks, rows and prompts in any mixture."""


def load_tasks(source: TaskSource, limit: int | None = None) -> list[Task]:
    """Read tasks from a JSONL file or from rows in memory.

    Args:
        source: the path of a file, one JSON object a line; or an iterable of rows, prompts and `Task`s. A row has the
            fields of our own tasks (`prompt`, and optionally `task_id`, `visible_tests`, `hidden_tests`, `entry_point`,
            `level`), of HumanEval (`prompt`, `test`, `entry_point`) or of MBPP (`text`, `test_list`), and any others. A
            row without an id gets its number, counted from 1.
        limit: the most tasks to read, from the start.

    Raises:
        DatasetError: the file cannot be read, a row has none of these formats, two rows have the same id, or there is
            no task.
        ValueError: `limit` is no whole number, or below 1.

    Example:
        >>> [task.task_id for task in load_tasks(["Name a color.", {"task_id": "sea", "prompt": "Name a sea."}])]
        ['1', 'sea']
    """
    most = sys.maxsize if limit is None else min(whole_number("limit", limit), sys.maxsize)
    origin, place = _origin(source)
    tasks: list[Task] = []
    seen: dict[str, int] = {}
    for number, task in islice(_numbered_tasks(source), most):
        if task.task_id in seen:
            raise DatasetError(
                f'{origin}, {place} {number}: the field "task_id" has the value {task.task_id!r}, as in {place} '
                f"{seen[task.task_id]}: give each task an id of its own",
                origin,
                number,
                "task_id",
            )
        seen[task.task_id] = number
        tasks.append(task)
    if not tasks:
        raise DatasetError(f"the dataset {origin} holds no task: give at least one; {_FORMAT_PAGE}", origin)
    return tasks


def read_tasks(source: TaskSource) -> Iterator[Task]:
    """Read tasks as `load_tasks` does, but one by one: a `Task` is taken as it is, and two may have the same id.

    Raises:
        DatasetError: the file cannot be read, or a row has none of the formats.
    """
    return (task for _, task in _numbered_tasks(source, checked=False))


def _origin(source: TaskSource) -> tuple[str, str]:
    """What an error calls the tasks, and one of them."""
    return (str(source), "line") if isinstance(source, (str, Path)) else ("tasks", "row")


def _numbered_tasks(source: TaskSource, *, checked: bool = True) -> Iterator[tuple[int, Task]]:
    """The tasks with their numbers; one that is a `Task` already is taken as it is if it need not be checked."""
    origin, place = _origin(source)
    rows = _lines(Path(source)) if isinstance(source, (str, Path)) else _numbered(source)
    for number, row in rows:
        try:
            task = row if isinstance(row, Task) and not checked else _task_of(row, number)
        except _RowError as problem:
            raise DatasetError(
                f"{origin}, {place} {number}: {problem}; {_FORMAT_PAGE}", origin, number, problem.field
            ) from None
        yield number, task


class _RowError(Exception):
    """What is wrong with a row, and in which field."""

    def __init__(self, problem: str, field: str = "") -> None:
        self.field = field
        super().__init__(problem)


def _numbered(source: object) -> Iterator[tuple[int, object]]:
    if isinstance(source, (Task, Mapping)) or not isinstance(source, Iterable):
        kind = type(cast(object, source)).__name__
        raise DatasetError(f"tasks are a path or a list of rows, got one {kind}: give a list of rows", kind)
    if all(hasattr(cast(object, source), name) for name in ("columns", "to_dict")):
        # The names of its columns would be the prompts.
        raise DatasetError('a table gives no rows: pass them as dicts, such as table.to_dict("records")', "tasks")
    if isinstance(source, (set, frozenset)):
        raise DatasetError("a set has no order, by which tasks are numbered: pass a list", "tasks")
    return enumerate(cast("Iterable[object]", source), 1)


def _lines(path: Path) -> Iterator[tuple[int, object]]:
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as problem:
        raise DatasetError(f"cannot read the dataset {path}: {problem}", str(path)) from problem
    try:
        # Some editors put a byte order mark at the start, which a file that was put together has further down.
        lines = [line.removeprefix("\ufeff") for line in re.split("\r\n?|\n", content.decode())]
    except UnicodeDecodeError as problem:
        number = content.count(b"\n", 0, problem.start) + 1
        said = f"{path}, line {number}: not UTF-8 ({problem.reason}): save the file as UTF-8"
        raise DatasetError(said, str(path), number) from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row: object = loads(line)
        except (ValueError, RecursionError) as problem:
            said = f"{path}, line {number}: not JSON ({problem}): write one JSON object a line, whole"
            raise DatasetError(said, str(path), number) from None
        if not isinstance(row, dict):
            raise DatasetError(
                f"{path}, line {number}: not a JSON object but {_kind(row)}; {_FORMAT_PAGE}", str(path), number
            )
        yield number, cast("dict[str, Any]", row)


def _task_of(given: object, number: int) -> Task:
    if isinstance(given, str):
        given = {"prompt": given}
    if isinstance(given, Task):
        row: Mapping[str, Any] = {"task_id": given.task_id, "prompt": given.prompt}
        _text(row, "task_id", "a Task")
        _text(row, "prompt", "a Task")
        return given
    if not isinstance(given, Mapping):
        raise _RowError(f"a task is a row, a prompt or a Task, got {_kind(given)}")
    fields = dict(cast("Mapping[str, Any]", given))
    # A table holds NaN where a row lacks a field.
    row = {name: value for name, value in fields.items() if not (isinstance(value, float) and isnan(value))}
    mbpp = "test_list" in row or "challenge_test_list" in row
    human_eval = "canonical_solution" in row or ("test" in row and "entry_point" in row)
    read = _mbpp if mbpp else _human_eval if human_eval else _own
    return replace(read(row, number), fields=fields)


def _own(row: Mapping[str, Any], number: int) -> Task:
    why = "our own format"
    names = ("entry_point", "visible_tests", "hidden_tests", "level")
    texts = {name: _text(row, name, why, optional=True).strip() for name in names}
    return Task(_task_id(row, number), _text(row, "prompt", why), **texts, fields=row)


def _mbpp(row: Mapping[str, Any], number: int) -> Task:
    """Show the first test, because the function's name cannot be guessed; hide the others."""
    why = 'MBPP\'s format, because it has "test_list" or "challenge_test_list"'
    setup = [*_texts(row, "test_imports", why, optional=True)]
    setup += [_text(row, "test_setup_code", why, optional=True)] if row.get("test_setup_code") else []
    tests = _texts(row, "test_list", why)
    hidden = [*tests[1:], *_texts(row, "challenge_test_list", why, optional=True)]
    prompt = _text(row, "prompt" if row.get("text") is None and "prompt" in row else "text", why)
    shown, held = ("\n".join([*setup, *some]).strip() for some in (tests[:1], hidden))
    return Task(_task_id(row, number), prompt, "", shown, held if hidden else "")


def _human_eval(row: Mapping[str, Any], number: int) -> Task:
    """Show the docstring's examples; hide the tests, which may use what the prompt has besides the function's head."""
    why = 'HumanEval\'s format, because it has "test" and "entry_point", or "canonical_solution"'
    prompt, entry_point = _text(row, "prompt", why), _text(row, "entry_point", why)
    try:
        tree = ast.parse(prompt)
        visible = documented_tests(tree, entry_point)
        given = [node for node in tree.body if getattr(node, "name", None) in {None, *filled(tree)} - {entry_point}]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise _RowError(f'the field "prompt" is not Python as in {why} ({problem})', "prompt") from None
    hidden = _text(row, "test", why).rstrip()
    try:
        read_suite(hidden, entry_point)
        heads = {ast.unparse(node).partition("(")[0] for node in ast.parse(hidden).body}
        if "def check" in heads and "check" not in heads:
            hidden += f"\n\ncheck({entry_point})"
        hidden = with_helpers(hidden, ast.unparse(ast.Module(given, [])))
    except (ValueError, RecursionError, MemoryError) as problem:
        raise _RowError(f'the field "test" holds no tests that can be read ({problem})', "test") from None
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    kind = "class" if entry_point.partition("(")[0] in classes else "function"
    shown = f"Complete this {kind}:\n\n```python\n{prompt.strip()}\n```"
    return Task(_task_id(row, number), shown, entry_point, visible, hidden)


def _task_id(row: Mapping[str, Any], number: int) -> str:
    name: object = row.get("task_id")
    if name is None:
        return str(number)
    if isinstance(name, bool) or not isinstance(name, (str, int)) or not str(name).strip():
        raise _RowError(f'the field "task_id" has to be a text or a whole number, got {_kind(name)}', "task_id")
    return str(name)


def _text(row: Mapping[str, Any], name: str, why: str, *, optional: bool = False) -> str:
    value = _given(row, name, why, "" if optional else None)
    if not isinstance(value, str) or not (optional or value.strip()):
        raise _RowError(f'the field "{name}" has to be a text, got {_kind(value)}; the row is read as {why}', name)
    return value


def _texts(row: Mapping[str, Any], name: str, why: str, *, optional: bool = False) -> list[str]:
    value = _given(row, name, why, [] if optional else None)
    texts = cast("list[Any]", value) if isinstance(value, list) else [None]
    if not all(isinstance(text, str) for text in texts) or not (optional or texts):
        wrong = f'the field "{name}" has to be a list of texts, got {_kind(cast(object, value))}'
        raise _RowError(f"{wrong}; the row is read as {why}", name)
    return cast("list[str]", texts)


def _given(row: Mapping[str, Any], name: str, why: str, otherwise: object) -> object:
    """A field's value, or what stands for one that is missing; None if nothing does."""
    value: object = row.get(name)
    if value is None and otherwise is None:
        raise _RowError(f'the field "{name}" is missing; the row is read as {why}: add the field', name)
    return otherwise if value is None else value


def _kind(value: object) -> str:
    """What a value is, for a message."""
    shown = json.dumps(value)[:40] if value is None or isinstance(value, (str, int, float)) else ""
    return f"{type(value).__name__} {shown}".strip()
