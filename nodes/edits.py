"""Records in the trace what a person changed in the state of a run, by `update_state` or in a fork.

LangGraph does not tell a run that its state was changed. But some values of the state are in the trace, too, as the run
itself last wrote them. A value that differs from the trace was changed by a person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..traces.events import Event, Link, Recorder, current_place
from ..traces.lookup import own_events
from ..traces.shapes import UPDATE_STATE


@dataclass(frozen=True, slots=True)
class Watched:
    """A value of the state that is also in the trace.

    Attributes:
        field: its key in the state.
        value: the value in the state, as text.
        recorded: returns the value that an event recorded, as text; None for an event that does not record it.
        differs: whether two such texts are different values.
    """

    field: str
    value: str
    recorded: Callable[[Event], str | None]
    differs: Callable[[str, str], bool] = str.__ne__


def edits(state: Any, step: int, watched: Callable[[Any], Iterable[Watched]]) -> list[Event]:
    """An observation for each value that differs from the trace, linked to the event that recorded it last.

    Args:
        state: the run's state, with its `events`, and with `silent_nodes`: the nodes that ran since the last event and
            recorded none.
        step: LangGraph's number of the step.
        watched: returns the values to compare.
    """
    events = cast("Sequence[Event]", state.get("events") or ())
    if not is_edited(state, step):
        return []
    own = own_events(events)
    recorder = Recorder(events[0]["run_id"], len(events), place=current_place.get())
    for item in watched(state):
        records = ((event, _recorded(event, item)) for event in reversed(own))
        event, before = next(((event, value) for event, value in records if value is not None), (None, ""))
        if event and item.differs(item.value, before):
            link = Link(source=event["id"], relation="revised")
            change = {"field": item.field, "before": before}
            recorder.add("observation", [link], tool=UPDATE_STATE, input=change, ok=True, result=item.value)
    return recorder.events


def is_edited(state: Any, step: int) -> bool:
    """Whether somebody may have changed a state since its run wrote it last: `update_state` takes a step, too."""
    events = cast("Sequence[Event]", state.get("events") or ())
    # The tasks of one step have the same name, and count once.
    silent = len(set(state.get("silent_nodes") or ()))
    return bool(events) and step > events[-1].get("step", step) + silent + 1


def _recorded(event: Event, item: Watched) -> str | None:
    data = cast("dict[str, Any]", event["data"])
    if event["kind"] == "observation" and data.get("tool") == UPDATE_STATE:
        return str(data["result"]) if data["input"].get("field") == item.field else None
    return item.recorded(event)


def recorded_field(event: Event, kind: str, name: str) -> str | None:
    """A field of an event of this kind, as text, "" if it is missing; None for an event of another kind."""
    return str(cast("dict[str, Any]", event["data"]).get(name) or "") if event["kind"] == kind else None


def with_edits(update: dict[str, Any], found: Sequence[Event]) -> dict[str, Any]:
    """A node's update with the events of `edits` before its own; what the node did follows from them.

    An update without events is returned as it is: the next node finds the same edits. So is that of a node that begins
    a run.
    """
    own = update.get("events")
    if not found or not own or not isinstance(own, list):
        return update
    first, *rest = cast("list[Event]", own)
    sources = {link["source"] for link in first["links"]}
    missing = [Link(source=event["id"], relation="led_to") for event in found if event["id"] not in sources]
    first = cast(Event, {**first, "links": [*first["links"], *missing]})
    return {**update, "events": [*found, first, *rest]}
