"""Which parts of the context a model gets: task type and complexity set priorities, a token budget makes the cut.

Method: docs/background/parsing_and_feedback.md. Parts are rendered once and kept until their source changes;
those that fit always stand in the same order, so that a server's prompt cache keeps what it has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from ...._internal.numbers import check_kind
from ....models.messages import estimate_tokens

TaskType = Literal["sql", "testing", "reporting", "analysis", "generation", "general"]
ComponentKind = Literal["instructions", "tools", "examples", "schema", "guidance", "reference"]

# A word ends where Chinese begins, which it does not for `\b` unless it looks at ASCII alone.
_FLAGS = re.IGNORECASE | re.ASCII
_TASK_CUES: dict[TaskType, re.Pattern[str]] = {
    # The more special kind comes first: "analyze the SQL query" is about SQL.
    "sql": re.compile(r"\b(?:sql|quer(?:y|ies)|tables?|database|schema)\b|查询|数据库|表结构", _FLAGS),
    "testing": re.compile(r"\b(?:tests?|testing|pytest|coverage|assert\w*)\b|测试|覆盖率", _FLAGS),
    "reporting": re.compile(r"\b(?:reports?|reporting|summar\w+|overview)\b|报告|汇报|摘要", _FLAGS),
    "analysis": re.compile(
        r"\b(?:analy[sz]\w*|analysis|compar\w+|evaluat\w+|investigat\w+|why)\b|分析|比较|评估|调查",
        _FLAGS,
    ),
    "generation": re.compile(r"\b(?:writ\w+|generat\w+|creat\w+|draft|implement\w*)\b|编写|生成|创建|起草", _FLAGS),
}
_COMPLEX_CUES = re.compile(
    r"\b(?:and|then|after|before|each|every|all|compare|multiple|several|depend\w*|step)\b"
    r"|并且|然后|之后|每个|所有|比较|多个|步骤",
    _FLAGS,
)
COMPLEX = 0.5
"""Complexity from which on a task counts as complex."""

_BASE: dict[ComponentKind, int] = {
    "instructions": 100,
    "tools": 90,
    "schema": 50,
    "guidance": 50,
    "examples": 40,
    "reference": 30,
}


@dataclass(frozen=True, slots=True)
class ContextComponent:
    """A part of the context.

    Attributes:
        name: its heading, and its identity in the cache.
        source: the text; a file, read again when it changes; or a function, called again when `version` changes. A file
            that was read once and cannot be read any more, since it is gone or being written, keeps its last text.
        kind: what it is, from which its priority follows.
        version: for a function: what its text depends on; without it the function is called once.

    Raises:
        ValueError: something is not of its kind; later, the function gives no text.
    """

    name: str
    source: str | Path | Callable[[], str]
    kind: ComponentKind = "reference"
    version: Callable[[], Hashable] | None = None

    def __post_init__(self) -> None:
        check_kind("the name of a ContextComponent", self.name, str, "a text")
        check_kind(f"the source of {self.name!r}", self.source, str | Path | Callable, "a text, a Path or a function")
        check_kind(f"the version of {self.name!r}", self.version, Callable | None, "a function")
        if self.kind not in get_args(ComponentKind):
            raise ValueError(f"the kind of {self.name!r} is one of {', '.join(_BASE)}, got {self.kind!r}")


@dataclass(frozen=True, slots=True)
class Assembled:
    """A context under its budget.

    Attributes:
        text: the parts that fit, in the order they were given.
        tokens: their estimated size.
        left_out: names of the parts that did not fit, the least important first.
    """

    text: str
    tokens: int
    left_out: tuple[str, ...]


@lru_cache(maxsize=256)
def task_type(task: str) -> TaskType:
    """What kind of task this is, by its words in English or Chinese.

    Example:
        >>> task_type("Compare the two plans")
        'analysis'
    """
    for kind, cue in _TASK_CUES.items():
        if cue.search(task):
            return kind
    return "general"


def complexity(task: str, progress: float = 0.0) -> float:
    """How hard a task looks, 0 to 1: up to 0.3 for its length, 0.3 for cue words, 0.4 for how deep the run is.

    Args:
        task: its text.
        progress: share of the allowed depth that is used, 0 to 1.
    """
    length = min(len(task) / 1000, 0.3)
    cues = min(0.1 * _complex_cues(task), 0.3)
    return length + cues + 0.4 * min(1.0, max(0.0, progress))


@lru_cache(maxsize=256)
def _complex_cues(task: str) -> int:
    return len(_COMPLEX_CUES.findall(task))


def priorities(task: str, progress: float = 0.0) -> dict[ComponentKind, int]:
    """The priority of each kind of component: what a complex analysis or an SQL task needs goes up, and deep in a run
    the instructions stay while examples go.

    Args:
        task: its text.
        progress: share of the allowed depth that is used, 0 to 1.
    """
    of = dict(_BASE)
    kind = task_type(task)
    if kind == "analysis" and complexity(task, progress) >= COMPLEX:
        of["examples"] += 30
        of["guidance"] += 30
    if kind == "sql":
        of["schema"] += 35
        of["examples"] += 30
    if progress > 0.5:
        of["examples"] = 10
    return of


class Coordinator:
    """Puts a context together under a token budget, and remembers every part until its source changes.

    Args:
        components: in the order in which they are shown; instructions come whole, whatever the budget.

    Raises:
        ValueError: two components have the same name.

    Example:
        >>> parts = [ContextComponent("Rules", "Be brief.", "instructions"), ContextComponent("Notes", "x" * 4000)]
        >>> Coordinator(parts).assemble("Add milk", budget=100).left_out
        ('Notes',)
    """

    def __init__(self, components: Iterable[ContextComponent]) -> None:
        self._components = tuple(components)
        names = [component.name for component in self._components]
        if len(set(names)) < len(names):
            raise ValueError(f"context components need different names, got {names}")
        self._rendered: dict[str, tuple[Hashable, str, int]] = {}

    def assemble(self, task: str, budget: int, progress: float = 0.0) -> Assembled:
        """The parts that fit, the most important ones first in line for the budget.

        Args:
            task: what the context is for.
            budget: tokens, as `estimate_tokens` counts them.
            progress: share of the allowed depth that is used, 0 to 1.
        """
        rank = priorities(task, progress)
        ordered = sorted(self._components, key=lambda component: -rank[component.kind])
        kept: set[str] = set()
        left_out: list[str] = []
        tokens = 0
        for component in ordered:
            size = self._render(component)[1]
            if component.kind == "instructions" or tokens + size <= budget:
                kept.add(component.name)
                tokens += size
            else:
                left_out.insert(0, component.name)
        texts = [self._render(component)[0] for component in self._components if component.name in kept]
        return Assembled("\n\n".join(shown for shown in texts if shown), tokens, tuple(left_out))

    def of_the_program(self) -> str:
        """All parts but the first, which are the loop's own instructions, whatever the budget."""
        return "\n\n".join(self._render(component)[0] for component in self._components[1:])

    def _render(self, component: ContextComponent) -> tuple[str, int]:
        known = self._rendered.get(component.name)
        try:
            version = _version(component)
            if known is None or known[0] != version:
                body = _read(component).strip()
                shown = f"# {component.name}\n{body}" if body else ""
                known = (version, shown, estimate_tokens(f"{shown}\n\n") if shown else 0)
                self._rendered[component.name] = known
        except (OSError, UnicodeDecodeError):
            # A run that has begun is worth more than the news of one part.
            if known is None or not isinstance(component.source, Path):
                raise
        return known[1], known[2]


def _version(component: ContextComponent) -> Hashable:
    if isinstance(component.source, Path):
        about = component.source.stat()
        return about.st_mtime_ns, about.st_size
    return component.version() if component.version else None


def _read(component: ContextComponent) -> str:
    source = component.source
    if isinstance(source, str):
        return source
    if isinstance(source, Path):
        return source.read_text(encoding="utf-8")
    made = source()
    check_kind(f"what the function of {component.name!r} gives", made, str, "a text")
    return made
