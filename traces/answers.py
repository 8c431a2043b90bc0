"""How answers differ: from attempt to attempt of one run, and between the answers of two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest

from .._internal.plain import plain
from .._internal.strict_json import mapping
from .events import Event
from .lookup import brief, judgments, outcome_of, own_events, separate_runs, text
from .page.document import framed
from .page.tables import HtmlLines, tables_page

_MOST_LINES = 1_000
"""The most lines of an answer that are compared: the time grows with their square, and a model may write any number."""
_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """Two answers, line by line. `str()` shows the changed lines; a notebook shows the two beside each other.

    Attributes:
        names: what the two are called.
        pairs: the lines of both in order; None where an answer has no such line. Lines of a pair that differ were
            replaced.
        cut: how many lines at the ends of the two, beyond the first 1,000 of each, are left out.
    """

    names: tuple[str, str]
    pairs: tuple[tuple[str | None, str | None], ...]
    cut: int = 0

    @property
    def is_same(self) -> bool:
        """No line differs."""
        return all(left == right for left, right in self.pairs)

    def __str__(self) -> str:
        rows = [f"--- {self.names[0]}", f"+++ {self.names[1]}"]
        if self.is_same:
            rows.append("  the same")
        changed = [place for place, (left, right) in enumerate(self.pairs) if left != right]
        near = {place + step for place in changed for step in range(-_CONTEXT, _CONTEXT + 1)}
        removed: list[str] = []
        added: list[str] = []
        skipped = False
        for place, (left, right) in enumerate((*self.pairs, ("", ""))):
            if left != right:
                removed += [f"- {left}"] if left is not None else []
                added += [f"+ {right}"] if right is not None else []
                continue
            rows += [*removed, *added]
            removed, added = [], []
            if place in near and place < len(self.pairs):
                rows += ["  …"] if skipped else []
                rows.append(f"  {left}")
                skipped = False
            else:
                skipped = True
        rows += [self._left_out] if self.cut else []
        return "\n".join(plain(row).rstrip() for row in rows)

    @property
    def _left_out(self) -> str:
        return f"  … {self.cut:,} more lines are not compared"

    def shown(self) -> HtmlLines:
        """As a part of a page."""
        caption = f"{self.names[0]} → {self.names[1]}{': the same' if self.is_same else ''}"
        return HtmlLines(caption + (self._left_out if self.cut else ""), self.names, self.pairs)

    def _repr_html_(self) -> str:
        return framed(tables_page("Answers", [self.shown()]), title="Answers")


@dataclass(frozen=True, slots=True)
class Revisions:
    """How the answer changed from each attempt of a run to the next.

    Attributes:
        differences: between each attempt with an answer and the next one of the same run; empty for a run with fewer
            than two.
    """

    differences: tuple[AnswerDifference, ...]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.differences)) or "There are no two answers to compare."

    def _repr_html_(self) -> str:
        notes = [] if self.differences else [str(self)]
        shown = [difference.shown() for difference in self.differences]
        return framed(tables_page("Revisions", shown, notes), title="Revisions")


def difference_of(names: tuple[str, str], one: str, other: str) -> AnswerDifference:
    """Compare two answers line by line."""
    whole = one.splitlines(), other.splitlines()
    left, right = (lines[:_MOST_LINES] for lines in whole)
    pairs: list[tuple[str | None, str | None]] = []
    for _, start, end, other_start, other_end in SequenceMatcher(None, left, right).get_opcodes():
        pairs += zip_longest(left[start:end], right[other_start:other_end])
    cut = sum(len(lines) for lines in whole) - len(left) - len(right)
    return AnswerDifference(names, tuple(pairs), cut)


def revisions(events: Sequence[Event]) -> Revisions:
    """How the answer changed from each attempt with an answer to the next one."""
    runs = separate_runs(events)
    found: list[AnswerDifference] = []
    for count, run in enumerate(runs, 1):
        judged = judgments(run)
        prefix = f"run {count}, " if len(runs) > 1 else ""
        answers = [
            (prefix + _name(event, judged.get(event["id"])), answer)
            for event in _attempts(run)
            if (answer := text(event["data"], "answer"))
        ]
        found += [difference_of((one[0], other[0]), one[1], other[1]) for one, other in pairwise(answers)]
    return Revisions(tuple(found))


def reported(events: Sequence[Event]) -> str:
    """The answer or response of a run; without an outcome, the last attempt's; "" for none."""
    if outcome := outcome_of(events):
        return text(outcome["data"], "answer") or text(outcome["data"], "response")
    return next((answer for event in reversed(_attempts(events)) if (answer := text(event["data"], "answer"))), "")


def _attempts(events: Sequence[Event]) -> list[Event]:
    return [event for event in own_events(events) if event["kind"] == "attempt"]


def _name(attempt: Event, judged: Event | None) -> str:
    """An attempt's number, and what a verifier said of it last."""
    said = brief(judged["data"].get("status"), 20) if judged and judged["kind"] == "verdict" else ""
    return f"attempt {brief(mapping(attempt['data']).get('number'), 20)}{f' ({said})' if said else ''}"
