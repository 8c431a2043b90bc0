"""Two runs side by side: where they part, what each cost, and how each ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, cast

from .._internal.plain import plain
from .._internal.strict_json import mapping
from .answers import AnswerDifference, difference_of, reported
from .cost import BranchCost, cost
from .events import Event
from .lookup import brief, line, own_events
from .page.document import framed
from .page.tables import HtmlTable, tables_page
from .stops import StopReport, why_stopped

# That two runs are of different modes is what they are compared for, not where they part.
_VOLATILE = ("seconds", "usage", "likelihood", "event", "key", "mode")
_MAX_PATHS = 20
_COUNTS = ("input tokens", "output tokens", "cached tokens", "seconds", "events")


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Where two runs part; in every pair the run that was asked comes first.

    Attributes:
        position: the place, counted from 0, of the first two events that differ in more than ids, times, seconds,
            usage, likelihood and mode; None if none do.
        events: those two; None for a run that had ended before. `(None, None)` if none differ.
        differs: what differs between them, as paths such as `"kind"` or `"data.input.city"`, at most 20.
        costs: the total of each run.
        verdicts: the status of every verdict of each run.
        stops: why each run stopped.
        answers: the answers or responses of both, line by line.
    """

    position: int | None
    events: tuple[Event | None, Event | None]
    differs: tuple[str, ...]
    costs: tuple[BranchCost, BranchCost]
    verdicts: tuple[tuple[str, ...], tuple[str, ...]]
    stops: tuple[StopReport, StopReport]
    answers: AnswerDifference

    def __str__(self) -> str:
        rows = ["The runs do not differ."]
        if self.position is not None:
            rows = [f"The runs part at event {self.position}: {', '.join(self.differs)}"]
            rows += [
                f"  {side}: {line(event, 120) if event else 'had ended'}" for side, event in self._sides(self.events)
            ]
        rows += [f"verdicts, {side}: {', '.join(found) or 'none'}" for side, found in self._sides(self.verdicts)]
        rows += [f"stopped, {side}: {stop.sentence}" for side, stop in self._sides(self.stops)]
        return plain("\n".join([*rows, *(f"cost, {side}: {spent}" for side, spent in self._sides(self.costs))]))

    def _repr_html_(self) -> str:
        parted = [line(event, 400) if event else "had ended" for event in self.events]
        sides: list[list[object]] = [
            ["verdicts", *(", ".join(found) or "none" for found in self.verdicts)],
            ["stopped", *(stop.sentence for stop in self.stops)],
            *([name, *(getattr(spent, name.replace(" ", "_")) for spent in self.costs)] for name in _COUNTS),
        ]
        if self.position is not None:
            sides.insert(0, [f"event {self.position}", *parted])
        differences = [f"They part in {', '.join(self.differs)}."] if self.differs else ["The runs do not differ."]
        table = HtmlTable("Two runs", ["", "this", "other"], sides)
        return framed(tables_page("Two runs", [table, self.answers.shown()], differences), title="Two runs")

    @staticmethod
    def _sides(pair: tuple[Any, Any]) -> list[tuple[str, Any]]:
        return list(zip(("this", "other"), pair, strict=True))


def compare(one: Sequence[Event], other: Sequence[Event]) -> RunDifference:
    """Where two runs part, and how they compare."""
    position, events, differs = _first_difference(one, other)
    return RunDifference(
        position=position,
        events=events,
        differs=differs,
        costs=(cost(one).total, cost(other).total),
        verdicts=(_verdicts(one), _verdicts(other)),
        stops=(why_stopped(one), why_stopped(other)),
        answers=difference_of(("this answer", "other answer"), reported(one), reported(other)),
    )


def _first_difference(
    one: Sequence[Event], other: Sequence[Event]
) -> tuple[int | None, tuple[Event | None, Event | None], tuple[str, ...]]:
    places = [{event["id"]: place for place, event in enumerate(events)} for events in (one, other)]
    for position, (mine, theirs) in enumerate(zip_longest(one, other)):
        if mine is None or theirs is None:
            return position, (mine, theirs), ("length",)
        if paths := _paths(_comparable(mine, places[0]), _comparable(theirs, places[1])):
            return position, (mine, theirs), tuple(paths)
    return None, (None, None), ()


def _comparable(event: Event, places: Mapping[str, int]) -> dict[str, Any]:
    """An event without what no two runs share; its links by the places of the events they come from."""
    links = [{**link, "source": places.get(link["source"])} for link in event["links"]]
    data = {name: value for name, value in event["data"].items() if name not in _VOLATILE}
    if "details" in data:
        # Of a verdict: there, too, the time that it took. Elsewhere, in a tool's input, `seconds` may mean anything.
        data["details"] = {name: value for name, value in mapping(data["details"]).items() if name != "seconds"}
    return {"kind": event["kind"], "links": links, "data": data}


def _paths(one: object, other: object) -> list[str]:
    """The first paths at which two values differ."""
    found: list[str] = []
    # Not by recursion, and not with `==`, which recurses: an answer may be nested as deeply as a model likes.
    waiting: list[tuple[str, object, object]] = [("", one, other)]
    while waiting and len(found) < _MAX_PATHS:
        path, here, there = waiting.pop()
        if isinstance(here, dict) and isinstance(there, dict):
            ours, theirs = cast("dict[str, Any]", here), cast("dict[str, Any]", there)
            names = list(dict.fromkeys([*ours, *theirs]))
            found += [_joined(path, name) for name in names if name not in ours or name not in theirs]
            common = [name for name in names if name in ours and name in theirs]
            waiting += [(_joined(path, name), ours[name], theirs[name]) for name in reversed(common)]
        elif isinstance(here, list) and isinstance(there, list):
            left, right = cast("list[Any]", here), cast("list[Any]", there)
            if len(left) != len(right):
                found.append(path)
            else:
                places = range(len(left) - 1, -1, -1)
                waiting += [(f"{path}[{place}]", left[place], right[place]) for place in places]
        elif _unlike(cast(object, here), there):
            found.append(path)
    return found[:_MAX_PATHS]


def _unlike(one: object, other: object) -> bool:
    """Whether two values differ, at least one of which is not an object or array; NaN equals NaN."""
    return type(one) is not type(other) or repr(one) != repr(other)


def _joined(path: str, name: object) -> str:
    shown = brief(name, 60)
    return f"{path}.{shown}" if path else shown


def _verdicts(events: Sequence[Event]) -> tuple[str, ...]:
    verdicts = [event for event in own_events(events) if event["kind"] == "verdict"]
    return tuple(brief(event["data"].get("status"), 40) for event in verdicts)
