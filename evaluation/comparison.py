"""The same tasks under several conditions, and how they are shown: as text, as HTML, and as rows for pandas."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .._internal.plain import plain
from .._internal.strict_json import map_texts
from ..errors import MissingLibraryError
from ..models.messages import whole_characters
from ..traces.metrics.money import dollars
from ..traces.page.document import framed
from ..traces.page.tables import HtmlTable, tables_page
from .scored import ConditionResult, Contrast, ScoredRun, contrast

SUMMARY = (
    "condition", "solved", "share (95 %)", "fixed/broken", "false accepts", "attempts", "tokens in", "cached",
    "tokens out", "tokens/solved", "solved/lost later", "s/task", "cost",
)  # fmt: skip
"""The columns of `Comparison.summary`."""

_WIDTH = 80
_SHOWN = ("condition", "solved", "share", "fixed/\nbroken", "false\naccepts", "attempts", "tokens\na task")
_MOST_ROWS = 5_000
"""The most rows of tasks in HTML: a notebook is saved with them."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The results of the same tasks under several conditions; the first condition of each model is one shot.

    `str()` shows it in 80 columns, a notebook as tables that can be sorted.

    Attributes:
        conditions: modes and controls, those of each model together.
        max_attempts: the most attempts a mode had per task.
        skipped: the tasks left out, and why.
        unhidden: how many tasks have no scorer beside the verifier, so that a false accept cannot be seen.
    """

    conditions: tuple[ConditionResult, ...]
    max_attempts: int
    skipped: dict[str, str]
    unhidden: int = 0

    @property
    def one_shot(self) -> ConditionResult:
        """One attempt per task of the first model: the baseline for its other conditions."""
        return self.conditions[0]

    @property
    def tasks(self) -> int:
        """How many tasks were compared."""
        return len(self.one_shot.runs)

    @property
    def models(self) -> list[str]:
        """The models' names; a cascade comes after them."""
        return list(dict.fromkeys(condition.model for condition in self.conditions))

    def __getitem__(self, title: str) -> ConditionResult:
        """The condition with this title.

        Raises:
            KeyError: no condition has it; the message lists the titles.
        """
        titles = [condition.title for condition in self.conditions]
        if title not in titles:
            raise KeyError(f"{title!r}: the conditions are {titles}")
        return self.conditions[titles.index(title)]

    def baseline(self, condition: ConditionResult) -> ConditionResult:
        """One shot of the condition's model, of a cascade of the last one."""
        model = condition.cascade[-1] if condition.cascade else condition.model
        return next(result for result in self.conditions if result.model == model)

    def contrasts(self) -> list[Contrast]:
        """Contrasts of each condition with one shot, with its controls at equal cost, and with the first model's."""
        return [contrast(condition, self[title]) for condition in self.conditions for title in condition.against]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each task under each condition of each model, of JSON values.

        The columns: `task_id`, `level`, `model`, `condition`; `solved` and `first_solved` (of the first attempt);
        `change` between the two, `"fixed"`, `"broken"` or ""; `verdict`, the loop's own; `scored`, the scorer's;
        `score` from 0 to 1, None if nothing could judge; `stop`, the kind of the stop reason; `attempts`;
        `input_tokens`, `output_tokens`, `cached_tokens`; `seconds` of wall time; `cost` in dollars, None if unknown;
        `problem`, why a task could not be run or judged, or its run not be read.
        """
        return [_row(condition, run) for condition in self.conditions for run in condition.runs]

    def to_pandas(self) -> Any:
        """`rows` as a `pandas.DataFrame`, in which a half of a surrogate pair is U+FFFD: Arrow refuses it.

        Raises:
            MissingLibraryError: pandas is not installed.
        """
        try:
            pandas: Any = import_module("pandas")
        except ImportError:
            raise MissingLibraryError(
                "a data frame needs pandas: pip install 'thoughtgraph[pandas]', or use rows()"
            ) from None
        rows = [map_texts(row, whole_characters) for row in self.rows()]
        return pandas.DataFrame(rows)

    def summary(self) -> list[list[str]]:
        """The lines of a table with the columns `SUMMARY`, one for each condition."""
        return [self._summed(condition) for condition in self.conditions]

    def notes(self) -> list[str]:
        """What a reader of the numbers has to know: tasks left out, not run, not judged."""
        notes = [f"left out {name}: {why}" for name, why in self.skipped.items()]
        if self.unhidden:
            what = "what is wrongly accepted there cannot be seen"
            notes.append(f"tasks without hidden tests or a scorer: {self.unhidden}; {what}")
        for condition in self.conditions:
            title = condition.title
            what = (
                "the first attempts are made in any case, one that has begun is finished, and what an earlier call "
                "has spent counts"
            )
            if condition.max_tokens is not None and condition.tokens > condition.max_tokens:
                notes.append(f"{title}: took {condition.tokens:,} of {condition.max_tokens:,} tokens; {what}")
            cost = condition.metrics.cost
            if condition.max_cost is not None and cost is not None and cost > condition.max_cost:
                notes.append(f"{title}: took {dollars(cost)} of {dollars(condition.max_cost)}; {what}")
            notes += _grouped(f"{title}: ", condition.problems, "could not be run")
            if unjudged := condition.unjudged:
                counts = f"{len(unjudged):,} of {len(condition.runs):,} tasks could not be judged"
                notes.append(f"{title}: {counts}, and count as not solved")
            notes += _grouped(f"{title}: ", unjudged, "could not be judged")
            silent = {name: why for name, why in condition.unverified.items() if name not in unjudged}
            unable = f"{title}: the verifier could not judge an attempt at "
            notes += _grouped(unable, silent, "and the loop learned nothing from it")
            notes += _grouped(f"{title}: the run of ", condition.unread, "cannot be read, and its cost is unknown")
        return [plain(" ".join(note.split())) for note in notes]

    def _summed(self, condition: ConditionResult) -> list[str]:
        fixed, broken = condition.changes(self.baseline(condition))
        later, lost = condition.changed
        metrics, each = condition.metrics, condition.tokens_per_solved
        cached = metrics.cached_tokens / metrics.input_tokens if metrics.input_tokens else 0.0
        return [
            condition.title,
            f"{condition.solved.count}/{condition.solved.of}",
            str(condition.solved).split(", ")[1],
            f"+{fixed} −{broken}",
            f"{condition.false_accepts} of {condition.accepted}",
            f"{condition.attempts:.1f}",
            f"{metrics.input_tokens:,}",
            f"{cached:.0%}",
            f"{metrics.output_tokens:,}",
            f"{each:,.0f}" if each is not None else "–",
            f"+{later} −{lost}",
            f"{condition.seconds:.1f}",
            dollars(metrics.cost),
        ]

    def __str__(self) -> str:
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for place, header in enumerate(_SHOWN):
            table.add_column(header, justify="right" if place else "left", overflow="fold", no_wrap=place > 0)
        for condition, row in zip(self.conditions, self.summary(), strict=True):
            cost = f"{condition.tokens / self.tasks:,.0f}"
            table.add_row(*map(Text, (plain(condition.title), *row[1:6], cost)))
        lines = _drawn(table)
        for said in [f"• {found}" for found in self.contrasts()] + [f"! {note}" for note in self.notes()]:
            lines += textwrap.wrap(plain(said), _WIDTH, subsequent_indent="  ")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = self.rows()
        shown = [list(row.values()) for row in rows[:_MOST_ROWS]]
        caption = f"{self.tasks} tasks, at most {self.max_attempts} attempts"
        cut = f"; the first {len(shown):,} of {len(rows):,} rows" if len(rows) > len(shown) else ""
        page = tables_page(
            "Comparison",
            [
                HtmlTable(caption, SUMMARY, self.summary()),
                HtmlTable(f"Each task under each condition{cut}", list(rows[0]) if rows else [], shown),
            ],
            [*map(str, self.contrasts()), *self.notes()],
        )
        return framed(page)


_MOST_NAMES = 5


def _grouped(start: str, reasons: dict[str, str], what: str) -> list[str]:
    """A note for each reason: a broken verifier says the same of every task."""
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(name)
    return [
        f"{start}{', '.join(some[:_MOST_NAMES])}"
        f"{f' and {len(some) - _MOST_NAMES:,} more' if len(some) > _MOST_NAMES else ''} {what}: {why}"
        for why, some in names.items()
    ]


def _row(condition: ConditionResult, run: ScoredRun) -> dict[str, Any]:
    return {
        "task_id": run.task_id,
        "level": run.level,
        "model": condition.model,
        "condition": condition.title.removeprefix(f"{condition.model}: "),
        "solved": run.correct,
        "first_solved": run.first_correct,
        "change": run.change,
        "verdict": run.verdict,
        "scored": run.scored,
        "score": run.score,
        "stop": run.stop,
        "attempts": run.metrics.attempts,
        "input_tokens": run.metrics.input_tokens,
        "output_tokens": run.metrics.output_tokens,
        "cached_tokens": run.metrics.cached_tokens,
        "seconds": run.seconds,
        "cost": run.metrics.cost,
        "problem": run.problem or run.unjudged or run.unverified or run.unread,
    }


def _drawn(table: Table) -> list[str]:
    """A table as text."""
    console = Console(file=StringIO(), width=_WIDTH, color_system=None)
    with console.capture() as drawn:
        console.print(table)
    lines = [line.rstrip() for line in drawn.get().split("\n")]
    return [line for line in lines if line]
