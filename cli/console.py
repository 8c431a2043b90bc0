"""How a terminal shows a run.

Text from a model is shown as plain text: never as markup, and without terminal control characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, cast

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from .._internal.channel import written
from .._internal.plain import plain
from ..evaluation.results import UNFINISHED, TaskResult
from ..traces.events import Event
from ..traces.shapes import Attempt
from ..traces.stops import stop_words

_MARKS = {"passed": ("✔", "green"), "failed": ("✘", "red"), "unverified": ("?", "yellow")}
_FEEDBACK_LINES = 4
_SHOWN = ("number", "strategy", "model", "verdict", "failed_on", "score", "feedback")


class LiveRun:
    """Follows a reflection graph's `stream(stream_mode="updates")` and shows attempts and verdicts as they come.

    A terminal shows the run so far, redrawn in place; a pipe or a file gets each part once, as soon as it is known.

    Attributes:
        events: the trace so far.
        verdict: the run's verdict; "unverified" until it ends.
        stop_kind: the kind of the stop reason; "" until the run ends.
    """

    def __init__(self, console: Console, task: str) -> None:
        self.events: list[Event] = []
        self.verdict = "unverified"
        self.stop_kind = ""
        self._task = task
        self._attempts: list[Attempt] = []
        self._current: Attempt | None = None
        self._doing = "starting"
        self._end: Mapping[str, Any] | None = None
        self._console = console
        self._printed = 0
        self._live = Live(self.view(), console=console, refresh_per_second=8)

    def __enter__(self) -> LiveRun:
        if self._console.is_terminal:
            self._live.start()
        else:
            self._print_new()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.update(self.view(), refresh=True)
            self._live.stop()

    def update(self, update: Mapping[str, Any]) -> None:
        """Take in one update of the stream."""
        for node, changes in cast("Mapping[str, Mapping[str, Any] | None]", update).items():
            if not changes:
                continue
            self.events += written(changes.get("events"))
            self._attempts += written(changes.get("attempts"))
            if "current" in changes:
                self._current = changes["current"]
            self._doing = {
                "begin": "the model writes its first attempt",
                "attempt": "judging the answer" if self._current else "the model tries again",
                "verify": "a model judges the answer" if self._current else "the model thinks of what to do next",
                "evaluate": "the model thinks about what went wrong",
                "repair_form": "the answer goes back: its form is to be repaired",
                "escalate": "the next model is asked",
                "draw": f"samples asked for at once: {changes.get('batch')}",
                "outcome": "done",
            }.get(node, "the model tries again")
            if node == "outcome":
                self._end = changes
                self.verdict, self.stop_kind = changes["verdict"], changes["stop_reason"]["kind"]
        if self._console.is_terminal:
            self._live.update(self.view())
        else:
            self._print_new()

    @property
    def result(self) -> dict[str, Any]:
        """What came out, for a program; what is known so far until the run ends."""
        end = self._end or {}
        return {
            "verdict": self.verdict,
            "stop_reason": end.get("stop_reason"),
            "answer": end.get("answer", ""),
            "attempts": [{name: attempt.get(name) for name in _SHOWN} for attempt in self._attempts],
            "usage": self.events[-1]["data"].get("usage") if end else None,
        }

    def view(self) -> Group:
        """The run so far, as rich shows it."""
        doing = [Spinner("dots", text=Text(self._doing, style="dim"))] if self._end is None else []
        return Group(*self._parts(), *doing)

    def _print_new(self) -> None:
        parts = self._parts()
        for part in parts[self._printed :]:
            self._console.print(part, soft_wrap=True)
        self._printed = len(parts)

    def _parts(self) -> list[Any]:
        parts: list[Any] = [Text(plain(self._task.strip()), style="bold"), Text()]
        parts += [self._attempt(attempt) for attempt in self._attempts]
        if self._end is None:
            return parts
        stop = self._end["stop_reason"]
        mark, color = _MARKS[self.verdict]
        parts.append(Text(f"\n{mark} {self.verdict}: {plain(stop_words(stop))}", style=f"bold {color}"))
        if answer := plain(self._end["answer"]):
            colored = Syntax(answer, "python", theme="ansi_dark", background_color="default", word_wrap=True)
            parts.append(colored if self._console.is_terminal else Text(answer))
        return parts

    def _attempt(self, attempt: Attempt) -> Text:
        mark, color = _MARKS[attempt["verdict"] or "unverified"]
        by = f", {plain(attempt['model'])}" if "model" in attempt else ""
        text = Text(f"{mark} attempt {attempt['number']} ({attempt['strategy']})", style=color)
        count = attempt["usage"]["output_tokens"]
        text.append(f"  score {attempt['score']:.2f}, {count} tokens written{by}", style="dim")
        if attempt["verdict"] != "passed":
            lines = plain(attempt["feedback"]).splitlines()[:_FEEDBACK_LINES]
            text.append("".join(f"\n    {line[:160]}" for line in lines), style="default")
        return text


def show_result(console: Console, result: TaskResult) -> None:
    """Print one task of a batch: its attempts, test results and stop reason."""
    mark, color = _MARKS[result.final_verdict]
    text = Text(f"{mark} {plain(result.task_id)}", style=f"bold {color}")
    steps = " → ".join(f"{a['strategy']} {_MARKS[a['verdict']][0]} {a['score']:.2f}" for a in result.attempts)
    text.append(f"  {steps or 'no attempt'}", style="default")
    hidden = f", hidden tests: {result.scored}" if result.scored else ""
    text.append(f"  loop: {result.verdict}{hidden}", style=color)
    if result.scoring:
        text.append(f" ({plain(result.scoring)})", style="yellow")
    text.append(f"  [{plain(stop_words(result.stop_reason))}; ", style="dim")
    text.append(f"{result.usage['output_tokens']} tokens written, {result.seconds:.1f} s]", style="dim")
    for number, attempt in enumerate(result.attempts, 1):
        # Without a verifier there is no kind.
        if attempt["verdict"] == "failed" or (attempt["verdict"] == "unverified" and attempt.get("kind")):
            lines = plain(attempt["feedback"]).splitlines()
            text.append(f"\n    attempt {number}: {' '.join(lines)[:150]}", style="dim")
    console.print(text, soft_wrap=not console.is_terminal)


def show_summary(console: Console, results: Sequence[TaskResult], seconds: float) -> None:
    """Print a table that sums up a batch."""
    table = Table(title=None, show_header=False, box=None)
    for _ in range(2):
        # In a narrow terminal no figure is cut.
        table.add_column(overflow="fold")
    solved = [result for result in results if result.solved]
    later = [result for result in solved if len(result.attempts) > 1]
    unhidden = sum(not result.scored for result in results)
    judged = ", by visible and hidden tests" if unhidden < len(results) else ""
    table.add_row("solved", f"{len(solved)} of {len(results)}{judged}")
    table.add_row("at the first attempt", str(len(solved) - len(later)))
    table.add_row("after feedback or a new attempt", str(len(later)))
    passed = sum(result.verdict == "passed" for result in results)
    table.add_row("passed in the loop", f"{passed} of {len(results)}")
    if judged:
        table.add_row("of these, failed the hidden tests", str(sum(result.false_accept for result in results)))
        if unhidden:
            table.add_row("without hidden tests", str(unhidden))
    broken = sum(result.stop_reason["kind"] in UNFINISHED for result in results)
    if unjudged := sum(result.final_verdict == "unverified" for result in results) - broken:
        table.add_row("could not be judged, so not solved", str(unjudged))
    if broken:
        table.add_row("could not be run, so not solved", str(broken))
    table.add_row("tokens written", f"{sum(result.usage['output_tokens'] for result in results):,}")
    table.add_row("wall time", f"{seconds:.0f} s")
    console.print(table)
