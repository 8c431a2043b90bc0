"""The conditional edges of the loops: pure functions of the state and the settings, which name the next node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from .guards import Limits, would_repeat
from .guards import find_stop as guards_find_stop
from .plan_state import PlanActState
from .state import Attempt, ReflectionState, StopReason

RetryStrategy = Literal["repair", "fresh", "lesson"]
DEFAULT_STRATEGIES: tuple[RetryStrategy, ...] = ("fresh",)
"""What solved most over the measured models and task sets, at the fewest tokens (docs/benchmarks.md)."""
DEFAULT_PATIENCE = 4


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """When a reflection loop goes on, how, and when it stops.

    Attributes:
        max_iterations: attempts in all, the first included.
        strategies: how to try again, in order: the loop stays with one while it gains, and takes the next, up to the
            last, when an attempt brought nothing. `"repair"` continues the conversation with the feedback, `"fresh"`
            asks anew at a higher temperature, `"lesson"` asks anew with what went wrong.
        patience: attempts in a row without a better score after which the loop gives up.
        max_repeats: answers in a row that had been given before, after which the loop gives up.
        temperature: of every attempt but the first, for a model that was set to a lower one.
        max_tokens: tokens of the run, prompts and critiques included, after which no new attempt is made; None for no
            limit.
        max_seconds: time spent in models and verifiers, after which no new attempt is made; None for no limit.

    Raises:
        ValueError: a number below 1, an unknown strategy, or none.
    """

    max_iterations: int = 3
    strategies: tuple[RetryStrategy, ...] = DEFAULT_STRATEGIES
    patience: int = DEFAULT_PATIENCE
    max_repeats: int = 2
    temperature: float = 0.8
    max_tokens: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_iterations", "patience", "max_repeats", "max_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if self.max_seconds is not None and self.max_seconds <= 0:
            raise ValueError(f"max_seconds must be more than 0, got {self.max_seconds}")
        unknown = [name for name in self.strategies if name not in get_args(RetryStrategy)]
        if unknown or not self.strategies:
            raise ValueError(f"strategies are some of {get_args(RetryStrategy)} in order, got {self.strategies}")


def after_attempt(state: ReflectionState, settings: LoopSettings) -> Literal["new", "outcome"] | RetryStrategy:
    """A new answer is judged; a repeated or unreadable one is not, it changes the strategy or ends the run."""
    if state["current"] is not None:
        return "new"
    return after_verify(state, settings)


def after_verify(state: ReflectionState, settings: LoopSettings) -> Literal["outcome"] | RetryStrategy:
    """Ends the run where there is a reason to stop, else names the strategy of the next attempt."""
    if find_stop(state, settings):
        return "outcome"
    return next_strategy(state["attempts"], settings.strategies)


def before_evaluate(state: ReflectionState, settings: LoopSettings) -> Literal["evaluate", "reflect", "outcome"]:
    """A model evaluates what nothing could verify; a failure is reflected on, unless the run ends."""
    if state["current"] is not None:
        return "evaluate"
    return "outcome" if find_stop(state, settings) else "reflect"


def after_evaluate(state: ReflectionState, settings: LoopSettings) -> Literal["reflect", "outcome", "unreadable"]:
    """A failed answer is reflected on, unless the run ends; an evaluation that nobody can read says nothing of it."""
    if state["current"] is not None:
        return "unreadable"
    return "outcome" if find_stop(state, settings) else "reflect"


def after_reflect(state: ReflectionState, settings: LoopSettings) -> Literal["outcome"] | RetryStrategy:
    """On to the next attempt, unless the model was lost or the budget spent over the reflection."""
    return after_verify(state, settings)


def before_critique(state: ReflectionState) -> Literal["critique", "outcome"]:
    """What the verifier passed needs no critic, nor does a failure that no further attempt can follow."""
    return "outcome" if state["current"] is None else "critique"


def after_critique(state: ReflectionState, settings: LoopSettings) -> Literal["unreadable", "outcome"] | RetryStrategy:
    """Back to the actor, unless the run ends; a critique that nobody can read is neither acceptance nor rejection."""
    if state["current"] is not None:
        return "unreadable"
    return after_verify(state, settings)


def find_stop(state: ReflectionState, settings: LoopSettings) -> StopReason | None:
    """The reason to stop now, or None: the single place where a run's end is decided."""
    if state["failure"]:
        return StopReason(kind="model_unavailable", value=state["failure"], limit=None)
    attempts = state["attempts"]
    last, count = attempts[-1], len(attempts)
    if last["verdict"] == "passed":
        return StopReason(kind="passed", value=count, limit=None)
    if last["accepted"] and last["verdict"] != "failed":
        return StopReason(kind="accepted", value=count, limit=None)
    if last["verdict"] == "unverified" and last["accepted"] is None:
        kind = "unreadable_critique" if last["kind"] == "unreadable_critique" else "unverified"
        return StopReason(kind=kind, value=last["feedback"] or "no verifier", limit=None)
    if count >= settings.max_iterations:
        return StopReason(kind="max_iterations", value=count, limit=settings.max_iterations)
    if settings.max_tokens is not None and state["usage"]["total_tokens"] >= settings.max_tokens:
        return StopReason(kind="token_budget", value=state["usage"]["total_tokens"], limit=settings.max_tokens)
    if settings.max_seconds is not None and state["seconds"] >= settings.max_seconds:
        return StopReason(kind="time_budget", value=round(state["seconds"], 3), limit=settings.max_seconds)
    repeats = _trailing_repeats(attempts)
    if repeats >= settings.max_repeats:
        return StopReason(kind="repeated_answer", value=repeats, limit=settings.max_repeats)
    idle = count - best_attempt(attempts)["number"]
    if idle >= settings.patience:
        return StopReason(kind="no_improvement", value=idle, limit=settings.patience)
    return None


def next_strategy(attempts: Sequence[Attempt], strategies: Sequence[RetryStrategy]) -> RetryStrategy:
    """The first strategy after the first attempt; the same again while it gains; the next one when it did not."""
    last = attempts[-1]
    # A resumed run may have begun with other strategies.
    if last["strategy"] not in strategies:
        index = 0
    else:
        gained = best_attempt(attempts) is last
        index = strategies.index(last["strategy"]) + (0 if gained else 1)
    wanted: RetryStrategy = strategies[min(index, len(strategies) - 1)]
    if wanted == "repair" and last["answer"] is None:
        # Continuing the conversation needs an answer that can be corrected.
        others: Sequence[RetryStrategy] = [name for name in (*strategies[index:], *strategies) if name != "repair"]
        return others[0] if others else wanted
    return wanted


def best_attempt(attempts: Sequence[Attempt]) -> Attempt:
    """The best attempt so far; the earlier one of two that are equal, so a worse one never replaces a better."""
    return max(attempts, key=lambda attempt: (*_rank(attempt), -attempt["number"]))


def _rank(attempt: Attempt) -> tuple[bool, bool, float, bool, bool]:
    return (
        attempt["verdict"] == "passed",
        attempt["verdict"] != "failed" and attempt["accepted"] is True,
        attempt["score"],
        attempt["verdict"] == "unverified",
        attempt["answer"] is not None,
    )


def _trailing_repeats(attempts: Sequence[Attempt]) -> int:
    count = 0
    for attempt in reversed(attempts):
        if attempt["repeats"] is None:
            break
        count += 1
    return count


PlanActRoute = Literal[
    "plan",
    "replan",
    "thought",
    "max_iterations",
    "duplicate_tool_calls",
    "loop_pattern",
    "error_rate",
    "budget",
    "finalize",
]
TRIPPED: tuple[PlanActRoute, ...] = (
    "max_iterations",
    "duplicate_tool_calls",
    "loop_pattern",
    "error_rate",
    "budget",
)
"""Routes of the checks that end a run with the best answer there is; each is a node of its own in the graph."""


def after_plan(state: PlanActState) -> Literal["validate_plan", "unreadable", "ended"]:
    """A readable plan is validated, an unreadable one asked for again; an answer or a lost model ends the run."""
    if state["stop"] or state["failure"]:
        return "ended"
    return "unreadable" if state["unreadable"] else "validate_plan"


def after_validate_plan(state: PlanActState) -> Literal["plan", "replan", "sound"]:
    """A plan with issues goes back once to whoever made it."""
    if not state["issues"]:
        return "sound"
    return "replan" if state["phase"] == "replan" else "plan"


def next_round(state: PlanActState, guards: Limits) -> PlanActRoute:
    """The head of every round, behind guidance or a result: a check that trips ends the run, else it goes on."""
    reason = guards_find_stop(state, guards)
    if reason is None:
        return state["phase"]
    if reason["kind"] in ("token_budget", "time_budget"):
        return "budget"
    return cast(PlanActRoute, reason["kind"] if reason["kind"] in TRIPPED else "finalize")


def after_thought(state: PlanActState, guards: Limits) -> Literal["act", "repeated call", "ask_user", "guidance"]:
    """Where a thought leads: a call that would only repeat itself is not made, a question asked before not put."""
    decision = state["decision"]
    if decision is None or decision["status"] == "done" or state["happening"]["kind"] == "repeated_question":
        return "guidance"
    if decision["status"] == "ask_user":
        over = guards.max_questions is not None and state["questions"] >= guards.max_questions
        return "guidance" if over else "ask_user"
    action = decision["next_action"]
    return "repeated call" if action is not None and would_repeat(state, action, guards) else "act"


def after_ask_user(state: PlanActState) -> Literal["answered", "cancelled"]:
    """An answer goes into a new plan; a cancellation ends the run."""
    return "cancelled" if state["stop"] else "answered"
