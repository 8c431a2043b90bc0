"""Reading events leniently, for metrics: whatever is missing or of another shape counts as nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from ..._internal.strict_json import entries, mapping
from ..events import Event
from ..lookup import given_events, number, text
from ..shapes import PERSON

Data = Mapping[str, Any]

_BLIND = ("fresh", "escalate")
"""Strategies whose request is the task alone."""
_WAITS_FOR = {"verdict": "attempt", "observation": "action"}
"""The kind of event that a run inside a verifier or a tool follows from, by the kind that ends it."""


class Tally:
    """The events of one run by kind, and its attempts with what was found of each.

    Args:
        events: in order; an event that comes twice counts once.

    Raises:
        ValueError: they are a run itself, or something else that holds no events.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self._times: list[str] = []
        self._by_kind: defaultdict[str, list[Data]] = defaultdict(list)
        self._own: defaultdict[str, list[Data]] = defaultdict(list)
        self._outermost: defaultdict[str, list[Data]] = defaultdict(list)
        self.attempts: list[dict[str, Any]] = []
        """The data of each attempt, with the `verdict` and `kind` that its verification brought, and whether it read a
        reflection (`reflected`), which one from scratch does not. Of a run with attempts of its own, those alone: its
        model or its verifier may be another loop."""
        self.loose_verdicts: list[Data] = []
        """Verdicts on something other than an attempt, such as a plan."""
        seen: set[str] = set()
        attempts: dict[str, dict[str, Any]] = {}
        inner: list[dict[str, Any]] = []
        runs = _Runs()
        reflected: set[str] = set()
        for event in cast("Iterable[Mapping[str, Any]]", given_events(events)):
            name = str(event.get("id") or "")
            if name and name in seen:
                continue
            seen.add(name)
            data = mapping(event.get("data"))
            kind = str(event.get("kind"))
            sources = [str(mapping(link).get("source")) for link in entries(event.get("links"))]
            goal = runs.goal_of(name, kind, sources)
            if _WAITS_FOR.get(kind) not in runs.begun_by.get(goal, ()):
                self._outermost[kind].append(data)
            if goal == runs.main:
                self._own[kind].append(data)
            self._by_kind[kind].append(data)
            self._times.append(str(event.get("time")))
            if kind == "reflection" and text(data, "reflection") and data.get("source") != "memory":
                reflected.add(goal)
            elif kind == "attempt":
                attempts[name] = {**data, "reflected": goal in reflected and self._reads(data.get("strategy"))}
                (self.attempts if goal == runs.main else inner).append(attempts[name])
            elif kind == "verdict":
                self._judge(data, [attempts.get(source) for source in sources])
        self.attempts = self.attempts or inner

    def of(self, kind: str) -> list[Data]:
        """The data of every event of a kind, in order."""
        return self._by_kind[kind]

    def outermost(self, kind: str) -> list[Data]:
        """The data of the verdicts or observations that are not inside another one's verifier or tool: their time is a
        part of that one's."""
        return self._outermost[kind]

    def last(self, kind: str) -> Data:
        """The data of the run's own last event of a kind, not of a run inside it; {} if it has none."""
        return self._own[kind][-1] if self._own[kind] else {}

    def tokens(self, name: str) -> int:
        """The tokens of all replies in the events, or those that the run itself reports, if these are more."""
        of_replies = sum(whole(mapping(thought.get("usage")), name) for thought in self.of("thought"))
        return max(of_replies, whole(mapping(self.last("outcome").get("usage")), name))

    def mode(self) -> str:
        """What kind of loop it was: as the goal has it, else by the events that only one kind leaves."""
        named = text(self.last("goal"), "mode")
        if named:
            return named
        own = self._own
        # What a tool or a verifier ran may be a loop of another kind.
        if own["plan"]:
            return "plan_act"
        if any(critique.get("by") == "critic" for critique in own["critique"]):
            return "actor_critic"
        if own["critique"] or any(data.get("source") != "memory" for data in own["reflection"]):
            return "reflexion"
        if own["attempt"]:
            return "external_loop"
        return "plan_act" if own["action"] else ""

    def calls(self) -> list[Data]:
        """What came of each tool call, without the tries that were followed by another of the same call."""
        return [data for data in self.of("observation") if data.get("tool") not in PERSON and "attempt" not in data]

    def failure_kinds(self, mode: str) -> dict[str, int]:
        """How often attempts, plans and calls failed, by kind, the commonest first."""
        kinds: Counter[str] = Counter()
        for judged in (*self.attempts, *self.loose_verdicts):
            kind, status = text(judged, "kind"), judged.get("verdict", judged.get("status"))
            # A solver inside a plan has attempts, which are no plans.
            of_plan = mode == "plan_act" and "verdict" not in judged
            if status == "failed":
                kinds[kind or ("plan" if of_plan else "failed")] += 1
            elif kind and status != "passed":
                kinds[kind] += 1
        kinds.update(text(call, "kind_of_failure") or "failed_call" for call in self.calls() if call.get("ok") is False)
        return dict(kinds.most_common())

    def seconds(self) -> float | None:
        """From the first event to the last; None if their times cannot be read."""
        try:
            times = [datetime.fromisoformat(time) for time in self._times]
            return round((max(times) - min(times)).total_seconds(), 3) if times else None
        except (ValueError, TypeError):
            return None

    def failed_on(self) -> dict[str, int]:
        """How many attempts failed on form, on substance, and on what nobody said; those that none did are left out."""
        failed = [attempt for attempt in self.attempts if attempt.get("verdict") == "failed"]
        reasons = Counter(text(attempt, "failed_on") for attempt in failed)
        known = {name: reasons[name] for name in ("form", "substance")}
        counts = {**known, "unknown": len(failed) - sum(known.values())}
        return {name: count for name, count in counts.items() if count}

    def _reads(self, strategy: object) -> bool:
        """Whether an attempt reads what was noted before; a repair of form goes on from the attempt before it."""
        if strategy == "repair_form":
            return bool(self.attempts) and self.attempts[-1]["reflected"]
        return strategy not in _BLIND

    def _judge(self, verdict: Data, linked: list[dict[str, Any] | None]) -> None:
        about = next((attempt for attempt in linked if attempt is not None), None)
        if about is None and self.attempts and self.attempts[-1].get("verdict") is None:
            about = self.attempts[-1]
        if about is None:
            self.loose_verdicts.append(verdict)
        else:
            about.update(verdict=verdict.get("status"), kind=verdict.get("kind"), failed_on=verdict.get("failed_on"))


class _Runs:
    """Which run each event belongs to, if runs are nested.

    Attributes:
        main: the goal of the outermost run; "" before it.
        begun_by: the kinds of events that a run and the runs around it follow from, by the goal of the run.
    """

    def __init__(self) -> None:
        self.main = ""
        self.begun_by: dict[str, frozenset[str]] = {}
        self._goals: dict[str, str] = {}
        self._kinds: dict[str, str] = {}

    def goal_of(self, name: str, kind: str, sources: Sequence[str]) -> str:
        """The goal of the run to which the next event belongs."""
        causes = [source for source in sources if source in self._goals]
        goal = name if kind == "goal" else self._goals[causes[0]] if causes else self.main
        self._goals[name], self._kinds[name], self.main = goal, kind, self.main or goal
        if kind == "goal":
            around = (self.begun_by.get(self._goals[cause], ()) for cause in causes)
            self.begun_by[name] = frozenset(self._kinds[cause] for cause in causes).union(*around)
        return goal


def whole(data: Data, name: str) -> int:
    """A count under a name, anything else as 0."""
    return int(number(data.get(name)))


def seconds_told(*sources: Iterable[Data]) -> float | None:
    """The sum of `seconds` in the first source that has any; None if none has."""
    for source in sources:
        seconds = [data["seconds"] for data in source if isinstance(data.get("seconds"), int | float)]
        if seconds:
            return round(sum(map(number, seconds)), 3)
    return None
