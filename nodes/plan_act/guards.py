"""The checks that end a plan-act run before its goal: pure functions of the state and the limits.

Method: docs/background/parsing_and_feedback.md. A repeat is the same tool with the same arguments and the
same result, so polling with new results and paging are progress; each check gives a typed reason, or None.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal, get_args

from typing_extensions import TypedDict

from ..._internal.numbers import check_kind, items_of, keep, number, share, whole_number
from ...traces.shapes import Action, StopReason, Usage
from .plans.marks import CallMark, call_fingerprint
from .plans.progress import current_actions
from .state import PlanActState

Trip = Literal["max_iterations", "duplicate_tool_calls", "loop_pattern", "error_rate", "budget"]
TRIPPED: tuple[Trip, ...] = get_args(Trip)
"""The checks that end a run with the best answer there is; each is a node of its own in the graph."""
NUDGES = 1
"""How often a repeated call is refused with advice before it ends the run."""
LEAST_WINDOW = 4
"""Calls in the smallest window of a loop: twice the shortest pattern."""


def trip_of(stop: StopReason) -> Trip | None:
    """The node of the check that gave this reason; None for a reason of another kind."""
    kind = "budget" if stop["kind"] in ("token_budget", "time_budget") else stop["kind"]
    return kind if kind in TRIPPED else None


def as_names(tools: Iterable[str]) -> frozenset[str]:
    """The names that are given as `exempt_tools`, or a `ValueError`."""
    names = items_of("exempt_tools", tools, "a list of names")
    for name in names:
        check_kind("each of exempt_tools", name, str, "a tool's name")
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class Guards:
    """The limits of a run.

    Attributes:
        duplicate_threshold: a call that had the same result this many times in a row is not made again.
        loop_window: this many calls in a row that only repeat a shorter pattern are a loop.
        error_threshold: share of failed tool calls that is too much.
        error_min_calls: tool calls before that share means anything.
        exempt_tools: tools whose repeats and failures do not count.
        max_tokens: tokens of the run, prompts included; None for no limit.
        max_seconds: time spent in models and tools, pauses not counted; None for no limit.
        max_questions: questions to the user; None for no limit.
        max_repeated_questions: times that a question asked before may come up again.
        max_unreadable: rounds in a row without a readable reply.
        warn_at: share of a limit from which the model is warned.
        confirm_below: a call that changes something is confirmed by the user, once a goal, if the plan, or a reply
            that led from it to the call, was less likely to its model than this, from 0 to 1: the geometric mean of the
            probabilities of its tokens. A reply whose model reports none is not sure. Which calls change something,
            tools say in `metadata["effects"]`. None: no call is.

    Raises:
        ValueError: a limit below 1 (`max_seconds`: not above 0), a share outside of 0 to 1, or a tool's name that is no
            text.
    """

    duplicate_threshold: int = 3
    loop_window: int = 5
    error_threshold: float = 0.5
    error_min_calls: int = 4
    exempt_tools: Collection[str] = frozenset()
    max_tokens: int | None = None
    max_seconds: float | None = None
    max_questions: int | None = 5
    max_repeated_questions: int = 2
    max_unreadable: int = 2
    warn_at: float = 0.8
    confirm_below: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "exempt_tools", as_names(self.exempt_tools))
        keep(self, whole_number, "duplicate_threshold", "error_min_calls", "max_repeated_questions", "max_unreadable")
        keep(self, whole_number, "max_tokens", may_be_none=True)
        keep(self, number, "max_seconds", may_be_none=True, above=0)
        keep(self, whole_number, "loop_window", least=LEAST_WINDOW)
        keep(self, whole_number, "max_questions", may_be_none=True, least=0)
        keep(self, share, "error_threshold", "warn_at")
        keep(self, share, "confirm_below", may_be_none=True)


@dataclass(frozen=True, slots=True)
class Limits(Guards):
    """The guards and the limit of steps, which `create_plan_act_graph` takes as an argument of its own.

    Attributes:
        max_steps: thoughts, replans and tool calls in all.
    """

    max_steps: int = 20

    def __post_init__(self) -> None:
        # `super()` does not find its class in a dataclass with slots.
        Guards.__post_init__(self)
        keep(self, whole_number, "max_steps")


class Calls(TypedDict):
    """What the checks of tool calls read; a `PlanActState` is one.

    Attributes:
        trail: the latest calls, oldest first.
        calls: executed calls of tools that are not exempt.
        errors: how many of those failed.
    """

    trail: list[CallMark]
    calls: int
    errors: int


class Counted(Calls):
    """What all guards read: the calls, and what the checks of budgets need; a `PlanActState` is one."""

    steps: int
    usage: Usage
    seconds: float


def find_tripped(state: PlanActState, guards: Limits) -> StopReason | None:
    """The reason to end the run at the head of a round, or None. The checks that end a run are all here."""
    return next(filter(None, (check(state, guards) for check in CHECKS)), None)


def check_model(state: PlanActState, guards: Limits) -> StopReason | None:
    """The model could not be reached."""
    return StopReason(kind="model_unavailable", value=state["failure"], limit=None) if state["failure"] else None


def check_planner(state: PlanActState, guards: Limits) -> StopReason | None:
    """Rounds in a row without a readable reply."""
    return _reached("planner_unavailable", state["unreadable"], guards.max_unreadable)


def check_questions(state: PlanActState, guards: Limits) -> StopReason | None:
    """A question that keeps coming back, or one question too many."""
    if state["happening"]["kind"] == "repeated_question":
        return _reached("repeated_question", state["repeated_questions"], guards.max_repeated_questions)
    decision = state["decision"]
    if decision is None or decision["status"] != "ask_user":
        return None
    return _reached("too_many_questions", state["questions"], guards.max_questions)


def questions_left(state: PlanActState, guards: Guards) -> bool:
    """Whether the user may be asked once more."""
    return _reached("too_many_questions", state["questions"], guards.max_questions) is None


def check_iterations(state: Counted, guards: Limits) -> StopReason | None:
    """The limit of steps."""
    return _reached("max_iterations", state["steps"], guards.max_steps)


def check_duplicates(state: Calls, guards: Guards) -> StopReason | None:
    """A repeated call that was refused, and came again."""
    refused = sum(1 for _ in takewhile(lambda mark: mark["refused"], reversed(state["trail"])))
    if refused <= NUDGES:
        return None
    executed = repeats(state["trail"][: len(state["trail"]) - refused], guards)
    return StopReason(kind="duplicate_tool_calls", value=executed, limit=guards.duplicate_threshold)


def check_loop(state: Calls, guards: Guards) -> StopReason | None:
    """A pattern of calls, such as A-B-A-B-A, that fills the window and brings nothing new."""
    length = pattern_length(state["trail"], guards)
    if length < guards.loop_window:
        return None
    return StopReason(kind="loop_pattern", value=length, limit=guards.loop_window)


def check_errors(state: Calls, guards: Guards) -> StopReason | None:
    """Too large a share of failed tool calls."""
    if state["calls"] < guards.error_min_calls:
        return None
    rate = state["errors"] / state["calls"]
    if rate <= guards.error_threshold:
        return None
    return StopReason(kind="error_rate", value=rate, limit=guards.error_threshold)


def check_tokens(state: Counted, guards: Guards) -> StopReason | None:
    """The budget of tokens."""
    return _reached("token_budget", state["usage"]["total_tokens"], guards.max_tokens)


def check_time(state: Counted, guards: Guards) -> StopReason | None:
    """The budget of time."""
    return _reached("time_budget", state["seconds"], guards.max_seconds)


CHECKS = (
    check_model,
    check_planner,
    check_questions,
    check_duplicates,
    check_loop,
    check_errors,
    check_tokens,
    check_time,
    check_iterations,
)


def _reached(kind: Any, value: float, limit: float | None) -> StopReason | None:
    return StopReason(kind=kind, value=value, limit=limit) if limit is not None and value >= limit else None


def repeats(trail: Sequence[CallMark], guards: Guards) -> int:
    """How often the last executed call was made in a row with the same result; 0 for an exempt tool."""
    executed = [mark for mark in trail if not mark["refused"]]
    if not executed or executed[-1]["tool"] in guards.exempt_tools:
        return 0
    return sum(1 for _ in takewhile(lambda mark: mark["outcome"] == executed[-1]["outcome"], reversed(executed)))


def would_repeat(state: Calls, action: Action, guards: Guards) -> bool:
    """Whether a call has had the same result so often that making it again is useless."""
    executed = [mark for mark in state["trail"] if not mark["refused"]]
    if not executed or executed[-1]["call"] != call_fingerprint(action):
        return False
    return repeats(executed, guards) >= guards.duplicate_threshold


def calls_to_make(state: PlanActState, guards: Guards) -> list[int]:
    """The places of the round's calls that are to be made: all but those that would only repeat themselves, and those
    that have a result."""
    have = {result["place"] for result in state["results"]}
    actions = current_actions(state)
    return [n for n, action in enumerate(actions) if n not in have and not would_repeat(state, action, guards)]


def pattern_length(trail: Sequence[CallMark], guards: Guards) -> int:
    """How many calls in a row only repeat a pattern of two or more, up to the window; 0 if none do."""
    window = [mark["outcome"] for mark in trail if not mark["refused"] and mark["tool"] not in guards.exempt_tools]
    window = window[-guards.loop_window :]
    longest = 0
    for period in range(2, guards.loop_window // 2 + 1):
        length = period
        while length < len(window) and window[-length - 1] == window[-length - 1 + period]:
            length += 1
        if length >= 2 * period and len(set(window[-period:])) > 1:
            longest = max(longest, length)
    return longest


def trail_length(guards: Guards) -> int:
    """Marks that the checks need to look back on."""
    return guards.loop_window + guards.duplicate_threshold + NUDGES + 1
