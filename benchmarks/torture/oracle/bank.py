"""The bank: small programs of our own, each with what it has to do, as text files by topic under `bank/`.

A file holds entries such as this one:

    === clamp: Hold a value between two bounds.
    def clamp(value, low, high):
        return max(low, min(value, high))
    ---
    clamp(5, 0, 10) == 5
    !TypeError clamp(1)
    ~ max(low => min(low

First the code, then a case a line, then what a model may get wrong in it: `~ what stands there => what it wrote`, with
`⏎` for a line break. Cases are expressions that have to be true, `left ~= right` for floats, `!Error/pattern/ code` for
what has to raise, `>> code -> "text"` for what has to print, each with statements in front (`xs = []; f(xs); xs ==
[1]`), and whole blocks, whose lines start with `|`. An entry with `--- script`, `--- pytest` or `--- unittest` instead
brings its tests as they stand, for those who run them so.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from .cases import Case, parse_case

FOLDER = Path(__file__).parent / "bank"
TASKS = Path(__file__).parents[2] / "solving" / "tasks" / "functions.jsonl"
FUNCTIONS = ("numbers", "text", "lists", "algorithms", "tasks")
"""Topics whose programs are a function each, which is what HumanEval and MBPP ask for."""


@dataclass(frozen=True)
class Program:
    """A right program.

    Attributes:
        topic: the file it comes from.
        name: within the bank.
        doc: what it does, in a sentence.
        code: the source.
        cases: what it has to do.
        wrong: versions of it that models may write.
        tests: tests as they stand, with who runs them; empty where the cases are to be put into shapes.
    """

    topic: str
    name: str
    doc: str
    code: str
    cases: tuple[Case, ...]
    wrong: tuple[str, ...] = ()
    tests: tuple[tuple[str, str], ...] = field(default=())

    @cached_property
    def entry_point(self) -> str:
        """The function that most cases call, the first one of equals; "" where they call none of the program's own."""
        functions = [node.name for node in ast.parse(self.code).body if isinstance(node, ast.FunctionDef)]
        calls = [re.findall(r"\w+", case.source) for case in self.cases]
        counted = [(sum(name in words for words in calls), name) for name in functions]
        best = max((count for count, _ in counted), default=0)
        return next((name for count, name in counted if count == best and count), "")

    @property
    def is_function(self) -> bool:
        """Whether every case calls the one function that matters."""
        return bool(self.entry_point) and all(re.search(rf"\b{self.entry_point}\b", case.source) for case in self.cases)


@cache
def programs() -> tuple[Program, ...]:
    """Every program of the bank, and the reference solutions of the benchmark's own tasks.

    Raises:
        ValueError: an entry cannot be read.
    """
    found = [program for path in sorted(FOLDER.glob("*.txt")) for program in _read(path)]
    return (*found, *_tasks())


def _tasks() -> Iterator[Program]:
    for line in TASKS.read_text(encoding="utf-8").splitlines():
        task = json.loads(line)
        body = ast.parse(f"{task['visible_tests']}\n{task['hidden_tests']}").body
        if all(isinstance(node, ast.Assert) for node in body):
            cases = tuple(parse_case(ast.unparse(node.test)) for node in body if isinstance(node, ast.Assert))
            doc = task["prompt"].partition(". ")[0] + "."
            yield Program("tasks", task["entry_point"], doc, task["reference"], cases)


def _read(path: Path) -> Iterator[Program]:
    for entry in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        header, _, rest = entry.partition("\n")
        name, _, doc = header.partition(": ")
        code, *sections = re.split(r"^---(.*)\n", rest, flags=re.MULTILINE)
        cases: list[Case] = []
        changes: list[str] = []
        tests: list[tuple[str, str]] = []
        for kind, text in zip(sections[::2], sections[1::2], strict=True):
            if kind.strip():
                runner, *_ = kind.split()
                written = [line for line in text.splitlines() if not line.startswith("~ ")]
                tests.append((runner, "\n".join(written).strip() + "\n"))
            else:
                cases += map(parse_case, _case_texts(text))
            changes += [line[2:] for line in text.splitlines() if line.startswith("~ ")]
        code = code.strip("\n") + "\n"
        wrong = tuple(_changed(code, change, f"{path.name}: {name}") for change in changes)
        yield Program(path.stem, name, doc.strip(), code, tuple(cases), wrong, tuple(tests))


def _case_texts(text: str) -> Iterator[str]:
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            block.append(line.removeprefix("|").removeprefix(" "))
            # A statement in column 0 behind an assert begins the next block.
            continue
        if block:
            yield "\n".join(block)
            block = []
        if line.strip() and not line.startswith("~ "):
            yield line


def _changed(code: str, change: str, where: str) -> str:
    old, arrow, new = change.replace("⏎", "\n").partition(" => ")
    before, found, after = code.partition(old)
    if not arrow or not found:
        raise ValueError(f"{where}: nothing to change for {change!r}")
    if not new and old.endswith("\n"):
        before = before.rstrip(" ")
    elif old.startswith(" ") and not new.startswith(" "):
        new = old[: len(old) - len(old.lstrip(" "))] + new
    changed = before + new + after
    try:
        ast.parse(changed)
    except SyntaxError as problem:
        raise ValueError(f"{where}: {change!r} is not Python any more: {problem.msg}") from None
    return changed
