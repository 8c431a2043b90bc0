"""What a case is: what a user says to an application, what must come of it, and the calls that do it.

A case is judged by the state that it leaves behind and by the answer, never by the way. The state is a tree of plain
values, and is looked at leaf by leaf: what was asked for must be there, and every other leaf must be as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any, Literal, cast, get_args

from langchain_core.tools import BaseTool
from thoughtgraph._internal.texts import Language

from benchmarks.assistant.checks import Verdict, plain

Kind = Literal["act", "question", "lacking", "impossible"]
First = Literal["bank", "clinic", "home", "shop", "tracker"]
Second = Literal["library", "kitchen", "fleet", "mail", "course"]
Third = Literal["gym", "depot", "travel"]
Fourth = Literal["music", "property", "sales"]
Fifth = Literal["bikes", "hotel", "festival"]
Name = Literal[First, Second, Third, Fourth, Fifth]
NAMES: tuple[Name, ...] = get_args(Name)
Part = Literal["first", "second", "third", "fourth", "fifth"]
PARTS: Mapping[Part, tuple[Name, ...]] = {
    "first": get_args(First),
    "second": get_args(Second),
    "third": get_args(Third),
    "fourth": get_args(Fourth),
    "fifth": get_args(Fifth),
}
"""All but the first were written later, by somebody who had not seen the checks of the loop, to be measured first of
all."""
Tree = Mapping[str, Any]

_DENIES = re.compile(
    r"\b(?:could not|couldn.t|cannot|can.t|unable to|failed to|unfortunately|konnte nicht|leider)\b|无法|失败|未能"
)


@dataclass(frozen=True)
class Call:
    """A call of a tool with its arguments, as a model writes them."""

    tool: str
    given: Mapping[str, Any]


def call(tool: str, **given: Any) -> Call:
    """A `Call`."""
    return Call(tool, given)


@dataclass(frozen=True)
class Like:
    """A regular expression that a text must hold, whatever the case."""

    pattern: str


@dataclass(frozen=True)
class Case:
    """One thing that a user says to an application.

    Attributes:
        id: unique in its application.
        calls, answer: what a good assistant does and says, after `reply` if there is one; only `--right` and the tests
            use them.
        wants: what must become of the state: leaves with their values, with a `Like`, or with None for
            what must be gone.
        says: regular expressions that the answer must hold.
        never_says: regular expressions that it must not hold.
        reply: what the user says when asked for what the request lacks; "" where it lacks nothing.
        language: in which the user speaks.
    """

    id: str
    kind: Kind
    said: str
    calls: Sequence[Call]
    answer: str
    wants: Tree = field(default_factory=dict[str, Any])
    says: Sequence[str] = ()
    never_says: Sequence[str] = ()
    reply: str = ""
    language: Literal["en", "zh", "de"] = "en"

    @property
    def instructions(self) -> Language:
        """The language in which the loop speaks to the model."""
        return "zh" if self.language == "zh" else "en"


@dataclass(frozen=True)
class Application:
    """A program with tools.

    Attributes:
        about: what a developer tells the model that it is.
        state: makes what the tools work on, a dataclass of plain values.
        tools: the tools over a state.
    """

    name: Name
    about: str
    state: Callable[[], Any]
    tools: Callable[[Any], Sequence[BaseTool]]
    cases: Sequence[Case]


def application(name: Name) -> Application:
    """An application by its name."""
    return import_module(f"benchmarks.applications.apps.{name}").APPLICATION


def leaves(tree: Any) -> dict[str, Any]:
    """The values of a tree, or of a dataclass, by their paths."""
    return dict(_leaves(cast(Tree, tree) if isinstance(tree, Mapping) else asdict(tree), ""))


def _leaves(tree: Tree, path: str) -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(cast(Tree, value), f"{path}{name}/")
        else:
            yield f"{path}{name}", value


def judge(case: Case, before: Mapping[str, Any], after: Mapping[str, Any], answer: str, asked: int) -> Verdict:
    """Judge what came of a case.

    Args:
        case: what the user said.
        before: the leaves of the state when the user said it.
        after: the leaves in the end.
        answer: what the user was told in the end.
        asked: how often the user was asked something.
    """
    wanted = leaves(case.wants)
    gone = [path for path, want in wanted.items() if want is None]
    for path in before:
        if any(path.startswith(f"{one}/") for one in gone):
            wanted[path] = None
    wrong: list[str] = []
    missing: list[str] = []
    for path in sorted({*before, *after, *wanted}):
        old, new = before.get(path), after.get(path)
        if (path in wanted and _fits(new, wanted[path])) or (path not in wanted and new == old):
            continue
        told = f"{path} is {new!r}, was {old!r}" + (f", wanted {_shown(wanted[path])}" if path in wanted else "")
        (missing if new == old else wrong).append(told)
    return Verdict(wrong, missing, _wrong_answer(case, answer), bool(case.reply) and not asked)


def _fits(value: Any, want: Any) -> bool:
    if isinstance(want, Like):
        return value is not None and bool(re.search(want.pattern, str(value), re.IGNORECASE))
    return value == want


def _shown(want: Any) -> str:
    return f"like {want.pattern!r}" if isinstance(want, Like) else repr(want)


def _wrong_answer(case: Case, answer: str) -> str:
    said = plain(answer)
    if not said or said == plain(case.said):
        return "no answer" if not said else "the answer only repeats the user's words"
    for pattern in case.says:
        if not re.search(pattern, said):
            return f"the answer does not say {pattern!r}: {answer!r}"
    for pattern in case.never_says:
        if re.search(pattern, said):
            return f"the answer says {pattern!r}: {answer!r}"
    if case.wants and not case.says and _DENIES.search(said):
        return f"the answer denies what was done: {answer!r}"
    return ""
