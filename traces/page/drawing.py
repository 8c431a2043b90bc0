"""The graph of a loop with what a run did in it: as text, as a page, in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..._internal.plain import plain
from ..events import Event
from ..lookup import brief
from ..reading.walk import Walk, walks
from .document import framed
from .page import page


@dataclass(frozen=True, slots=True)
class LoopDrawing:
    """A loop's graph as it was compiled, and the way that a run took through it.

    It prints as text. In a notebook it is a drawing with a slider over the steps.

    Attributes:
        events: of the run.
    """

    events: Sequence[Event]

    @property
    def walks(self) -> tuple[Walk, ...]:
        """The way of the run, then those of the runs inside it; none if the trace has no graph."""
        return tuple(walks(self.events))

    def __str__(self) -> str:
        """The steps of every way, one a line."""
        texts = [f"{plain(f'{walk.mode}: {brief(walk.goal)}')}\n{walk}" for walk in self.walks]
        return "\n\n".join(texts) or "The trace holds no graph: no loop of this version recorded it."

    def to_html(self, title: str = "") -> str:
        """The drawing as one self-contained page, which needs no network.

        Args:
            title: of the page; the goal where it is empty.
        """
        return page(self.events, title=title, only_loop=True)

    def _repr_html_(self) -> str:
        return framed(self.to_html())
