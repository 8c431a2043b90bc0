"""What people ask of a run: how it came to its outcome, what went wrong and what fixed it, what it did twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from .._internal.plain import plain
from .cost import branches
from .events import Event
from .lookup import answer_lines, best_attempt, brief, chain, goals, judged_as, line, name, outcome_of
from .shapes import PERSON, ThoughtData

FailureSort = Literal["tool_call", "unreadable_reply", "failed_verdict", "refused_critique", "error"]
RepeatSort = Literal["answer", "tool_call", "plan", "reply"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that went wrong in a run.

    Attributes:
        event: the event that shows it.
        kind: `"tool_call"`, `"unreadable_reply"` (or one that was cut off), `"failed_verdict"`, `"refused_critique"`,
            or `"error"` (something was raised).
        error: the error message, or the feedback.
        fixed_by: the event that fixed it: the same call that worked, or a later one of the same tool for the same step;
            the reply that could be read, the verdict that passed, the plan that was made instead; None if nothing did.
    """

    event: Event
    kind: FailureSort
    error: str
    fixed_by: Event | None

    def __str__(self) -> str:
        fixed = f"fixed by {self.fixed_by['seq']}. {name(self.fixed_by)}" if self.fixed_by else "not fixed"
        return plain(f"{self.event['seq']}. {name(self.event)} ({self.kind}): {brief(self.error, 120)} [{fixed}]")


@dataclass(frozen=True, slots=True)
class Repeat:
    """Something that a run did more than once.

    Attributes:
        kind: `"answer"` (of an attempt), `"tool_call"` (the same call with the same result), `"plan"`, or `"reply"` (of
            the model).
        what: on one line.
        count: how often, the first time included.
        events: each time, oldest first.
    """

    kind: RepeatSort
    what: str
    count: int
    events: tuple[Event, ...]

    def __str__(self) -> str:
        places = ", ".join(str(event["seq"]) for event in self.events[:20])
        return plain(f"the same {self.kind.replace('_', ' ')} {self.count} times (events {places}): {self.what}")


def path_to_outcome(events: Sequence[Event]) -> list[Event]:
    """The chain from the goal to the outcome, through the attempt whose answer the outcome reports."""
    if not events:
        return []
    outcome = outcome_of(events)
    best = best_attempt(events, outcome)
    if outcome is None or best is None:
        return chain(events, outcome or events[-1])
    judged = judged_as(events, best)
    path = chain(events, judged[-1])
    if any(event not in path for event in judged):
        path = [*chain(events, best), *judged[1:]]
    return [*path, outcome]


def failures(events: Sequence[Event]) -> list[Failure]:
    """Everything that went wrong, oldest first, and what fixed it."""
    belongs = goals(events)
    places = branches(events)
    plans = {event["id"] for event in events if event["kind"] == "plan"}
    attempts = {event["id"] for event in events if event["kind"] == "attempt"}
    # The events that a later plan follows from, such as the check of the plan that it replaces.
    replaced: set[str] = set()
    rounds = _rounds(events)
    # From the end: what fixes a failure comes after it, and the first that does counts.
    fixes: dict[tuple[str, ...], list[Event]] = {}
    found: list[Failure] = []
    for event, place in zip(reversed(events), reversed(places), strict=True):
        failed = _failure(event)
        own = belongs[event["id"]]
        sources = {link["source"] for link in event["links"]}
        on_plan = bool(sources & plans) or (event["id"] in replaced and not sources & attempts)
        if event["kind"] == "plan" or (event["kind"] == "verdict" and event["id"] in replaced):
            replaced |= sources
        wanted = _mended_by(event, own, place, on_plan=on_plan)
        if failed:
            kind, error = failed
            known = [fix for key in wanted for fix in _next(fixes.get(key, ()), event, key, rounds)]
            found.append(Failure(event, kind, error, min(known, key=lambda fix: fix["seq"], default=None)))
        elif event["kind"] == "plan" or _mends(event):
            for key in wanted:
                fixes.setdefault(key, []).append(event)
    return found[::-1]


def _next(fixes: Sequence[Event], failed: Event, key: tuple[str, ...], rounds: Mapping[str, str]) -> Iterable[Event]:
    """The earliest of some fixes, which are given last first; not a call that was made together with the failed one."""
    beside = rounds[failed["id"]] if key[0] == "step" else ""
    return islice((fix for fix in reversed(fixes) if not beside or rounds[fix["id"]] != beside), 1)


def _rounds(events: Sequence[Event]) -> dict[str, str]:
    """The id of the reply or the result that each event follows from, by the event's id; "" if none is known.

    Calls that were made together have the same one.
    """
    found: dict[str, str] = {}
    led: dict[str, str] = {}
    for event in events:
        own = next((led[link["source"]] for link in event["links"] if link["source"] in led), "")
        # A person's decision about a call is part of its round.
        begins = event["kind"] in ("thought", "plan") or (
            event["kind"] == "observation" and event["data"].get("tool") not in PERSON
        )
        found[event["id"]], led[event["id"]] = own, event["id"] if begins else own
    return found


def repeats(events: Sequence[Event]) -> list[Repeat]:
    """What the run did more than once, in the order of the first time."""
    groups: dict[tuple[RepeatSort, str], list[Event]] = {}
    for event in events:
        for key in _repeatable(event):
            groups.setdefault(key, []).append(event)
    found = [Repeat(kind, line(same[0]), len(same), tuple(same)) for (kind, _), same in groups.items() if len(same) > 1]
    return sorted(found, key=lambda repeat: repeat.events[0]["seq"])


def _failure(event: Event) -> tuple[FailureSort, str] | None:
    match event["kind"]:
        case "observation" if event["data"].get("ok") is False:
            return "tool_call", event["data"].get("result", "")
        case "thought":
            return _unreadable(event["data"])
        case "verdict" if event["data"].get("status") == "failed":
            return "failed_verdict", event["data"].get("feedback", "")
        case "attempt" if event["data"].get("repeats") is not None and event["data"].get("verdict") == "failed":
            return "failed_verdict", event["data"].get("feedback", "")
        case "critique" if event["data"].get("accepted") is False:
            return "refused_critique", event["data"].get("feedback", "")
        case _:
            return None


def _unreadable(data: ThoughtData) -> tuple[FailureSort, str] | None:
    if error := data.get("error"):
        return "error", error
    if data.get("truncated"):
        return "unreadable_reply", "The reply was cut off by the output cap."
    return ("unreadable_reply", data["feedback"]) if data.get("feedback") else None


def _mends(event: Event) -> bool:
    match event["kind"]:
        case "observation":
            return event["data"].get("ok") is True
        case "verdict":
            return event["data"].get("status") == "passed"
        case "critique":
            return event["data"].get("accepted") is True
        case _:
            return event["kind"] == "thought"


def _mended_by(event: Event, goal: str, place: tuple[str, str], *, on_plan: bool) -> list[tuple[str, ...]]:
    """The keys under which an event looks for its fix, or is found as the fix of another."""
    match event["kind"]:
        case "observation":
            tool = event["data"].get("tool", "")
            step = str(event["data"].get("step", ""))
            return [
                ("step", goal, *place, tool, step),
                ("call", goal, tool, _canonical(event["data"].get("input"))),
            ]
        case "thought":
            parser = event["data"].get("parser", "")
            # A reply that was cut off was read by no parser.
            unread = [] if _failure(event) else [("thought", goal, "")]
            return [("thought", goal, parser), *unread]
        case "plan":
            return [("plan", goal)]
        case "verdict" if on_plan:
            return [("plan", goal)]
        # An opinion can fix what an opinion found wrong, never what was verified.
        case "critique":
            return [("opinion", goal)]
        case "verdict" if event["data"].get("status") == "passed":
            return [("answer", goal), ("opinion", goal)]
        case _:
            return [("answer", goal)]


def _repeatable(event: Event) -> Iterable[tuple[RepeatSort, str]]:
    match event["kind"]:
        case "attempt" if event["data"].get("answer") is not None:
            yield "answer", "\n".join(answer_lines(event["data"]["answer"]))
        case "observation":
            seen = event["data"]
            result = " ".join(seen.get("result", "").split())
            yield "tool_call", _canonical([seen.get("tool"), seen.get("input"), seen.get("ok"), result])
        case "plan" if event["data"].get("items"):
            yield "plan", _canonical([[item.get("step"), item.get("tool")] for item in event["data"]["items"]])
        case "thought" if reply := event["data"].get("reply", "").strip():
            yield "reply", reply
        case _:
            pass


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
