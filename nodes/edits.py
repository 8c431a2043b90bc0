"""What a person changed in a run's state from outside, by `update_state` or in a fork, as events of its trace.

Nothing tells a run that its state was changed: LangGraph keeps that with the checkpoint. But the trace holds what the
run itself last wrote, and a changed value differs from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..traces.events import Event, Link, Recorder, placed
from ..traces.lookup import own_events
from ..traces.shapes import UPDATE_STATE


@dataclass(frozen=True, slots=True)
class Watched:
    """A value of the state that is also in the trace.

    Attributes:
        field: its name in the state.
        value: what it is now, as text.
        told: what an event says of it, as text; None for an event that says nothing of it.
        differs: whether two such texts are different values.
    """

    field: str
    value: str
    told: Callable[[Event], str | None]
    differs: Callable[[str, str], bool] = str.__ne__


def edits(state: Any, step: int, watched: Callable[[Any], Iterable[Watched]]) -> list[Event]:
    """An observation for each value that is not what the trace says, linked to the event that wrote it.

    Args:
        state: of the run, with its `events`, and with `passed`, the nodes that left none since the last.
        step: LangGraph's number of the step.
        watched: the values to compare.
    """
    events = cast("Sequence[Event]", state.get("events") or ())
    if not is_edited(state, step):
        return []
    own = own_events(events)
    recorder = Recorder(events[0]["run_id"], len(events), place=placed.get())
    for one in watched(state):
        written = next(((event, told) for event in reversed(own) if (told := _told(event, one)) is not None), None)
        if written and one.differs(one.value, written[1]):
            event, before = written
            link = Link(source=event["id"], relation="revised")
            given = {"field": one.field, "before": before}
            recorder.add("observation", [link], tool=UPDATE_STATE, input=given, ok=True, result=one.value)
    return recorder.events


def is_edited(state: Any, step: int) -> bool:
    """Whether somebody may have changed a state since its run wrote it last."""
    events = cast("Sequence[Event]", state.get("events") or ())
    # Tasks of one step have the same name.
    silent = len(set(state.get("passed") or ()))
    return bool(events) and step > events[-1].get("step", step) + silent + 1


def _told(event: Event, one: Watched) -> str | None:
    data = cast("dict[str, Any]", event["data"])
    if event["kind"] == "observation" and data.get("tool") == UPDATE_STATE:
        return str(data["result"]) if data["input"].get("field") == one.field else None
    return one.told(event)


def told_by(event: Event, kind: str, name: str) -> str | None:
    """A field of an event of this kind, as text; "" for none. None for an event of another kind."""
    return str(cast("dict[str, Any]", event["data"]).get(name) or "") if event["kind"] == kind else None


def with_edits(update: dict[str, Any], found: Sequence[Event]) -> dict[str, Any]:
    """A node's update with such events before its own; what the node did follows from them.

    An update without events leaves them to the next node, and one that begins a run has nothing to do with them.
    """
    own = update.get("events")
    if not found or not own or not isinstance(own, list):
        return update
    first, *rest = cast("list[Event]", own)
    sources = {link["source"] for link in first["links"]}
    missing = [Link(source=event["id"], relation="led_to") for event in found if event["id"] not in sources]
    first = cast(Event, {**first, "links": [*first["links"], *missing]})
    return {**update, "events": [*found, first, *rest]}
