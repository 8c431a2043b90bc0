"""What a run cost: tokens and seconds of every branch, each counted once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .._internal.numbers import shown_number
from .._internal.plain import plain
from .._internal.strict_json import mapping
from .events import Event
from .lookup import brief, goals, in_turn, number, side_by_side

BranchKind = Literal["run", "attempt", "plan", "item"]
Branch = tuple[BranchKind, str]

_RUN: Branch = ("run", "run")
_OPENS_AN_ATTEMPT = ("revised", "retried", "learned_from")


@dataclass(frozen=True, slots=True)
class BranchCost:
    """What a part of a run cost.

    Attributes:
        branch: its name, such as `"attempt 2"` or `"1. find the address"`.
        kind: `"attempt"` (with its checks and what was learned of it), `"item"` of a plan, `"plan"` (planning and
            replanning), or `"run"` (what belongs to none of them, and the total).
        input_tokens: read by the model.
        output_tokens: written by it.
        cached_tokens: those of the input that a server took from its cache.
        seconds: measured work; None if no event measured any.
        events: how many there are.
    """

    branch: str
    kind: BranchKind
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    seconds: float | None = None
    events: int = 0

    def __str__(self) -> str:
        time = "" if self.seconds is None else f", {shown_number(self.seconds)} s"
        tokens = f"{self.input_tokens:,} tokens in ({self.cached_tokens:,} cached), {self.output_tokens:,} out"
        return plain(f"{brief(self.branch, 60)}: {tokens}{time}, {self.events:,} events")


@dataclass(frozen=True, slots=True)
class CostReport:
    """What a run cost.

    Attributes:
        branches: in the order in which they began; together they are the total.
        total: of the whole run.
    """

    branches: tuple[BranchCost, ...]
    total: BranchCost

    def __str__(self) -> str:
        return "\n".join(str(cost) for cost in (*self.branches, self.total))


@dataclass(slots=True)
class _Spent:
    input: int = 0
    output: int = 0
    cached: int = 0
    seconds: float | None = None
    events: int = 0

    def add(self, other: _Spent) -> None:
        self.input += other.input
        self.output += other.output
        self.cached += other.cached
        if other.seconds is not None:
            self.seconds = (self.seconds or 0.0) + other.seconds
        self.events += other.events

    def beyond(self, other: _Spent) -> _Spent:
        """This sum without what was counted before."""
        left = max(0, self.input - other.input), max(0, self.output - other.output), max(0, self.cached - other.cached)
        seconds = None if self.seconds is None else max(0.0, self.seconds - (other.seconds or 0.0))
        return _Spent(*left, seconds, self.events)

    def as_cost(self, branch: str, kind: BranchKind) -> BranchCost:
        return BranchCost(branch, kind, self.input, self.output, self.cached, self.seconds, self.events)


def cost(events: Sequence[Event]) -> CostReport:
    """What every branch of a run cost, and the whole run."""
    total = _Spent()
    sums: dict[Branch, _Spent] = {}
    for branch, spent in zip(branches(events), _spending(events), strict=True):
        sums.setdefault(branch, _Spent()).add(spent)
        total.add(spent)
    costs = tuple(spent.as_cost(branch, kind) for (kind, branch), spent in sums.items())
    return CostReport(costs, total.as_cost("total", "run"))


def branches(events: Sequence[Event]) -> list[Branch]:
    """The branch of every event: the kind and the name, which of several runs side by side tells the run, too."""
    runs = side_by_side(events)
    if len(runs) < 2:
        return _branches(events)
    found: dict[int, Branch] = {}
    for count, places in enumerate(runs, 1):
        for place, (kind, name) in zip(places, _branches([events[place] for place in places]), strict=True):
            found[place] = kind, f"run {count}" if kind == "run" else f"run {count}, {name}"
    return [found[place] for place in range(len(events))]


def _branches(events: Sequence[Event]) -> list[Branch]:
    sorting = _Sorting(events)
    for index in in_turn(events):
        sorting.take(index)
    return sorting.ended()


class _Sorting:
    """Sorts the events of one run into its branches, each in its turn."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._goals = goals(events)
        self._main = self._goals[events[0]["id"]] if events else ""
        self._current = _RUN
        self._found = [_RUN] * len(events)
        self._attempts = 0
        # Thoughts, and the calls after them: their branch is known once the event is known that they led to.
        self._waiting: list[int] = []
        # Calls that came with the plan: the next thought tells their item.
        self._called: list[int] = []

    def take(self, index: int) -> None:
        """Find the branch of an event, and of the events that waited for it."""
        event = self._events[index]
        kind, is_own = event["kind"], self._goals[event["id"]] == self._main
        self._found[index] = self._current
        if is_own and self._waits(event):
            self._waiting.append(index)
            return
        self._go_on(index, is_own)
        ends = kind == "outcome" and self._current[0] in ("plan", "item")
        for place in (*self._waiting, index):
            self._found[place] = _RUN if ends and _is_plain(self._events[place]) else self._current
        self._waiting.clear()
        if is_own and kind in ("goal", "outcome"):
            self._found[index] = _RUN
        if is_own and kind == "outcome":
            # What is recorded after the end belongs to no attempt.
            self._current = _RUN

    def _waits(self, event: Event) -> bool:
        """Whether the branch of an event is told by a later one."""
        if event["kind"] == "thought":
            return "item" not in event["data"]
        # An agent's calls on the way to an answer.
        return bool(self._waiting) and self._current[0] != "plan" and event["kind"] in ("action", "observation")

    def _go_on(self, index: int, is_own: bool) -> None:
        """Go on to the branch that an event begins; stay in the current one with any other."""
        event = self._events[index]
        kind, data = event["kind"] if is_own else "", event["data"]
        if kind == "attempt":
            self._attempts = int(number(data.get("number"))) or self._attempts + 1
            self._current = ("attempt", f"attempt {self._attempts}")
        elif kind == "thought":
            self._current = ("item", f"{data.get('item')}. {data.get('step', '')}")
            for place in self._called:
                self._found[place] = self._current
            self._called.clear()
        elif kind == "plan":
            self._current = ("plan", "planning")
            self._called.clear()
        elif self._current[0] == "plan" and (self._called or event["kind"] == "action"):
            self._called.append(index)
        elif self._would_attempt():
            # A run that has ended makes no attempt of them: samples beside the one that passed, a reply that was cut.
            ended = event["kind"] == "outcome"
            self._current = ("attempt", "no attempt" if ended else f"attempt {self._attempts + 1}")

    def _would_attempt(self) -> bool:
        """Whether the waiting thoughts belong to a further attempt: the model was lost, or the run was interrupted."""
        links = self._events[self._waiting[0]]["links"] if self._waiting and self._attempts else []
        return any(link["relation"] in _OPENS_AN_ATTEMPT for link in links)

    def ended(self) -> list[Branch]:
        """The branch of every event, once all have been taken."""
        if self._would_attempt():
            for place in self._waiting:
                self._found[place] = ("attempt", f"attempt {self._attempts + 1}")
        return self._found


def _is_plain(event: Event) -> bool:
    """Whether an event is a reply that no parser read, such as the answer in words at the end of a run."""
    return event["kind"] == "thought" and "parser" not in event["data"] and not event["data"].get("truncated")


def _spending(events: Sequence[Event]) -> list[_Spent]:
    """What every event cost by itself.

    The usage of an attempt includes that of the thoughts right before it, the usage of an outcome that of its whole
    run, and the time of a tool or a verifier that of the replies and runs inside it. What was counted there already is
    taken off.
    """
    found: dict[int, _Spent] = {}
    for places in side_by_side(events):
        found |= zip(places, _spending_of([events[place] for place in places]), strict=True)
    return [found[place] for place in range(len(events))]


def _spending_of(events: Sequence[Event]) -> list[_Spent]:
    belongs = goals(events)
    main = belongs[events[0]["id"]]
    runs: dict[str, _Spent] = {}
    around: dict[str, str] = {}
    # For each run: the kind of the event that waits for its verdict or result, and what was spent since.
    waiting: dict[str, tuple[str, _Spent]] = {}
    thoughts = _Spent()
    found: list[_Spent] = [_Spent()] * len(events)
    for index in in_turn(events):
        event = events[index]
        own, kind, goal = _reported(event), event["kind"], belongs[event["id"]]
        run = runs.setdefault(goal, _Spent())
        if kind == "goal" and goal != main:
            causes = (belongs[link["source"]] for link in event["links"] if link["source"] in belongs)
            around[goal] = next(causes, main)
        about, inside = waiting.get(goal, ("", _Spent()))
        if kind == "attempt":
            own = own.beyond(thoughts)
        elif kind in ("observation", "verdict"):
            own = own.beyond(inside)
        elif kind == "outcome":
            own = own.beyond(run)
            own.seconds = None
        run.add(own)
        # What a run inside a run spends is that of each one around it, too.
        for outer in _runs_around(goal, around, main):
            runs.setdefault(outer, _Spent()).add(own)
            waiting.get(outer, ("", _Spent()))[1].add(own)
        if kind == "thought":
            thoughts.add(own)
            inside.add(own)
        if kind in ("attempt", "action"):
            # Calls that are made at once have their results behind all of them.
            waiting[goal] = (kind, inside if about == kind == "action" else _Spent())
        elif kind == "observation":
            # The rest belongs to the other calls of the same round. A try is followed by another one of the same call.
            waiting[goal] = (about if "attempt" in event["data"] else kind, inside.beyond(_reported(event)))
        elif kind != "thought" or about == "observation":
            waiting.pop(goal, None)
        if kind not in ("thought", "action", "observation"):
            thoughts = _Spent()
        found[index] = own
    return found


def _runs_around(goal: str, around: Mapping[str, str], main: str) -> Iterator[str]:
    """The runs around a run, from the inside out."""
    passed = {goal}
    while goal != main:
        goal = around.get(goal, main)
        # A file that was edited may have two runs inside of each other.
        goal = main if goal in passed else goal
        passed.add(goal)
        yield goal


def _reported(event: Event) -> _Spent:
    usage, seconds = mapping(event["data"].get("usage")), event["data"].get("seconds")
    tokens = [int(number(usage.get(name))) for name in ("input_tokens", "output_tokens", "cached_tokens")]
    return _Spent(*tokens, seconds=None if seconds is None else number(seconds), events=1)
