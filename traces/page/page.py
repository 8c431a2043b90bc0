"""A run as one page: self-contained HTML that opens anywhere, without a network.

The page is made of `page.html`, `page.css`, `page_events.js`, `page_loop.js` and `page.js` beside this file. What came
from a model is in it twice removed from being markup: it travels as JSON in a block that no browser executes, and the
script puts it on the page as text alone. A content security policy allows that one style sheet and that one script, by
hash, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from string import Template
from typing import Any, cast

from ..._internal.plain import plain
from ..._internal.strict_json import dumps, mapping
from ..events import Event
from ..lookup import brief
from ..metrics.run import run_metrics
from ..metrics.together import metrics_of
from ..reading.walk import Walk, walks
from ..stops import limited, stop_words
from .document import framed, part, policy, referenced
from .layout import drawn_walks

# U+2028 and U+2029 end a line for some readers, and half a surrogate pair cannot be written as UTF-8: JSON in ASCII
# escapes all of them. What could end the block or begin a reference is left to be escaped here.
_MARKUP = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}

_TOTALS = ("attempts", "tool_calls", "input_tokens", "output_tokens", "cached_tokens", "seconds")


def page(events: Sequence[Event], *, title: str = "", only_loop: bool = False) -> str:
    """Show a run as one HTML document: its outcome, its timeline, its graph, and every event in full.

    The document needs neither a network nor a server, and grows linearly with the events. A run that has not finished
    is shown as far as it went. Event kinds and fields that it does not know are shown as they are.

    Args:
        events: of one run, as a graph returned them, as `stream_trace` gave them, or `ContextGraph.events`.
        title: of the page; the goal where it is empty.
        only_loop: show nothing but the drawing of the loop's graph.

    Returns:
        The HTML; half surrogate pairs are escaped in it, so that it can always be written as UTF-8.

    Example:
        >>> html = page(result["events"])                            # doctest: +SKIP
        >>> Path("run.html").write_text(html, encoding="utf-8")      # doctest: +SKIP
    """
    style, script = part("page.css"), part("page_events.js") + part("page_loop.js") + part("page.js")
    data: dict[str, Any] = {
        "title": title,
        "events": list(events),
        "totals": _totals(events),
        "stops": _stops(events),
        "walks": drawn_walks(events),
        "only_loop": only_loop,
    }
    return Template(part("page.html")).substitute(
        policy=policy(style, script),
        style=style,
        script=script,
        title=referenced(escape(brief(title) or brief(_goal(events)) or "A run")),
        data=dumps(data, default=str).translate(_MARKUP),
    )


def _totals(events: Sequence[Event]) -> dict[str, float | None]:
    """The figures at the top: those that `ContextGraph.metrics` gives."""
    known = cast("list[Event]", [mapping(event) for event in events])
    try:
        metrics = metrics_of(known)
    except (KeyError, TypeError):
        # Events of another origin may lack what tells runs apart.
        metrics = run_metrics(known)
    return {name: getattr(metrics, name) for name in _TOTALS}


def _stops(events: Sequence[Event]) -> dict[str, str]:
    """Why each run among the events ended, by the id of its outcome."""
    stops: dict[str, str] = {}
    for event in events:
        found, data = mapping(event), mapping(mapping(event).get("data"))
        if found.get("kind") == "outcome" and data.get("stop_reason"):
            words = stop_words(mapping(data["stop_reason"]), unit=limited(data))
            stops[str(found.get("id"))] = f"{words[:1].upper()}{words[1:]}."
    return stops


def _goal(events: Sequence[Event]) -> str:
    """The task of the first event; "" if it has none."""
    try:
        return str(cast(Any, events[0])["data"]["task"])
    except (IndexError, KeyError, TypeError):
        return ""


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
