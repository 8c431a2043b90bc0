"""What the queries and exports share: which events belong together, and what an event says in one line.

A run may be older than some field of its events: nothing here relies on one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from .._internal.strict_json import mapping
from .events import AttemptEvent, Event, OutcomeEvent
from .shapes import UPDATE_STATE

_SHOWN = 80


def given_events(events: Iterable[Event]) -> Iterable[Event]:
    """Events as a caller gives them.

    Raises:
        ValueError: they are a run itself, or something else that holds no events.
    """
    given = cast(object, events)
    if isinstance(given, (Mapping, str)) or not isinstance(given, Iterable):
        raise ValueError('events are those of a run: give run["events"], or ContextGraph.from_run(run).events')
    return events


def number(value: object) -> float:
    """A count or a duration; 0 for any other value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    try:
        found = float(value)
    except OverflowError:
        return 0.0
    return found if math.isfinite(found) and found > 0 else 0.0


def text(data: object, name: str) -> str:
    """The string under a name; "" for anything else."""
    value = mapping(data).get(name)
    return value if isinstance(value, str) else ""


def brief(value: object, limit: int = _SHOWN) -> str:
    """A value on one line of at most `limit` characters."""
    if not isinstance(value, str):
        value = "" if value is None else str(value)
    # A reply may be long: what is cut off need not be looked through.
    shown = " ".join(value[: 8 * limit].split())
    return shown if len(shown) <= limit and len(value) <= 8 * limit else f"{shown[: limit - 1]}…"


def name(event: Event) -> str:
    """What an event is called: its kind, and its number, tool or status."""
    about: object = None
    match event["kind"]:
        case "attempt":
            about = event["data"].get("number")
        case "action" | "observation":
            about = event["data"].get("tool")
        case "verdict":
            on_form = event["data"].get("failed_on") == "form"
            about = "failed on form" if on_form else event["data"].get("status")
        case "outcome":
            about = event["data"].get("verdict") or mapping(event["data"].get("stop_reason")).get("kind")
        case "critique":
            about = {True: "accepted", False: "refused", None: "unreadable"}[event["data"].get("accepted")]
        case _:
            pass
    return brief(f"{event['kind']} {about}" if about is not None else event["kind"], 60)


def said(event: Event, limit: int = _SHOWN) -> str:
    """What an event says, on one line."""
    words: object
    match event["kind"]:
        case "goal":
            words = event["data"].get("task")
        case "plan":
            words = "; ".join(item.get("step", "") for item in event["data"].get("items", ())[:20])
        case "thought":
            decision = mapping(event["data"].get("decision"))
            words = (
                decision.get("thought")
                or decision.get("response")
                or decision.get("question")
                or event["data"].get("reply")
            )
        case "action":
            words = event["data"].get("input")
        case "observation":
            words = event["data"].get("result")
        case "attempt":
            words = event["data"].get("answer") or event["data"].get("feedback") or event["data"].get("reply")
        case "verdict" | "critique":
            words = event["data"].get("feedback")
        case "reflection":
            words = event["data"].get("reflection") or event["data"].get("lessons")
        case "outcome":
            words = event["data"].get("answer") or event["data"].get("response")
    return brief(words, limit)


def answer_lines(answer: str | None) -> list[str]:
    """The lines by which answers are compared: blank lines and trailing white space do not count."""
    return [row.rstrip() for row in (answer or "").splitlines() if row.strip()]


def line(event: Event, limit: int = _SHOWN) -> str:
    """What an event is called and says, on one line."""
    words = said(event, limit)
    return f"{name(event)}: {words}" if words else name(event)


def goals(events: Sequence[Event]) -> dict[str, str]:
    """The goal that every event belongs to, by their ids: a run inside a run has a goal of its own."""
    found: dict[str, str] = {}
    first = ""
    for event in events:
        if event["kind"] == "goal":
            found[event["id"]] = event["id"]
            first = first or event["id"]
        else:
            causes = (link["source"] for link in event["links"])
            found[event["id"]] = next((found[source] for source in causes if source in found), first)
    return found


def side_by_side(events: Sequence[Event]) -> list[list[int]]:
    """The indexes of the events of each run that is inside no other: a `recording` may hold several such runs."""
    belongs = goals(events)
    outermost: dict[str, str] = {}
    found: dict[str, list[int]] = {}
    for place, event in enumerate(events):
        goal = belongs[event["id"]]
        if event["kind"] == "goal":
            causes = [belongs[link["source"]] for link in event["links"] if link["source"] in belongs]
            outermost[goal] = outermost.get(causes[0], causes[0]) if causes else goal
        found.setdefault(outermost.get(goal, goal), []).append(place)
    return list(found.values())


def separate_runs(events: Sequence[Event]) -> list[list[Event]]:
    """The events of each run that is inside no other; one list for an ordinary run, none for no events."""
    return [[events[place] for place in places] for places in side_by_side(events)]


def own_events(events: Sequence[Event]) -> list[Event]:
    """The events of the run itself, without those of the runs inside it."""
    belongs = goals(events)
    return [event for event in events if belongs[event["id"]] == belongs[events[0]["id"]]]


def outcome_of(events: Sequence[Event]) -> OutcomeEvent | None:
    """The outcome of the run itself; None if it has none."""
    return next((event for event in reversed(own_events(events)) if event["kind"] == "outcome"), None)


def best_attempt(events: Sequence[Event], outcome: OutcomeEvent | None) -> AttemptEvent | None:
    """The attempt whose answer an outcome reports; None if it names none."""
    best = outcome["data"].get("best") if outcome else None
    attempts = [event for event in own_events(events) if event["kind"] == "attempt"]
    return next((event for event in attempts if best is not None and event["data"].get("number") == best), None)


def judgments(events: Sequence[Event]) -> dict[str, Event]:
    """The last verdict or critique of each attempt, by the attempt's id.

    One without a link to an attempt belongs to the last attempt before it.
    """
    own = own_events(events)
    attempts = {event["id"] for event in own if event["kind"] == "attempt"}
    found: dict[str, Event] = {}
    last = ""
    for event in own:
        if event["kind"] == "attempt":
            last = event["id"]
        elif event["kind"] in ("verdict", "critique"):
            judged = {link["source"] for link in event["links"]} & attempts
            found |= dict.fromkeys(judged or filter(None, [last]), event)
    return found


def judged_as(events: Sequence[Event], attempt: Event) -> list[Event]:
    """An attempt, a person's edits of it before it was judged, and its last verdict or critique, if there is one."""
    judged = judgments(events).get(attempt["id"])
    found = [attempt]
    for event in events:
        if judged is not None and event["id"] == judged["id"]:
            return [*found, judged]
        edited = event["kind"] == "observation" and event["data"].get("tool") == UPDATE_STATE
        if edited and {link["source"] for link in event["links"]} & {one["id"] for one in found}:
            found.append(event)
    return found


def in_turn(events: Sequence[Event]) -> list[int]:
    """The places of the events, with each reply right before the attempt that it led to.

    Samples that are drawn at once leave their replies before the first attempt of the batch. Those that led to no
    attempt stand before the outcome.
    """
    order: list[int] = []
    waiting: dict[str, int] = {}
    spare: dict[str, int] = {}
    for place, event in enumerate(events):
        if event["kind"] == "thought":
            waiting[event["id"]] = place
            continue
        behind = _behind(events, event, waiting, spare) if event["kind"] == "attempt" else []
        if behind:
            # A reply without links comes from another program, and belongs to the next event.
            spare |= {key: at for key, at in waiting.items() if events[at]["links"]}
            behind += [at for key, at in waiting.items() if key not in spare]
        else:
            behind = list(waiting.values())
        if event["kind"] == "outcome":
            behind += spare.values()
            spare = {}
        waiting = {}
        order += [*sorted(behind), place]
    return [*order, *sorted([*spare.values(), *waiting.values()])]


def _behind(events: Sequence[Event], event: Event, *waiting: dict[str, int]) -> list[int]:
    """Take out the places of the replies that led to an event."""
    found: list[int] = []
    sources = [link["source"] for link in event["links"]]
    while sources:
        source = sources.pop()
        for pool in waiting:
            if source in pool:
                found.append(pool.pop(source))
                sources += [link["source"] for link in events[found[-1]]["links"]]
    return found


def chain(events: Iterable[Event], end: Event) -> list[Event]:
    """What led to an event, oldest first, the event itself included: along the first link to a known event."""
    known = {event["id"]: event for event in events}
    path = {end["id"]: end}
    while True:
        last = next(reversed(path.values()))
        cause = next((link["source"] for link in last["links"] if link["source"] in known), None)
        if cause is None or cause in path:
            return list(reversed(path.values()))
        path[cause] = known[cause]
