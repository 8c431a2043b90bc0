"""State of the reflection loops: JSON only, so that every checkpointer can keep it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from ..._internal.channel import appended
from ...memory.lessons import Lesson
from ...models.messages import Usage
from ...models.retry import recorded_usage
from ...tools.verdict import VerdictStatus
from ...traces.events import Event, Recorder

Strategy = Literal["first", "repair", "fresh", "lesson"]
StopKind = Literal[
    "passed",
    "accepted",
    "unverified",
    "unreadable_critique",
    "max_iterations",
    "no_improvement",
    "repeated_answer",
    "recursion_limit",
    "model_unavailable",
    # of the plan-act loop
    "answered",
    "goal_met",
    "repeated_plan",
    "partly_done",
    "steps_failed",
    "cancelled",
    "duplicate_tool_calls",
    "loop_pattern",
    "error_rate",
    "token_budget",
    "time_budget",
    "planner_unavailable",
    "repeated_question",
    "too_many_questions",
]


class StopReason(TypedDict):
    """Why a run ended: the kind, and for a limit the value that met it."""

    kind: StopKind
    value: float | str
    limit: float | None


class Attempt(TypedDict):
    """One attempt of the actor.

    Attributes:
        number: from 1.
        strategy: how it was asked for.
        reply: the actor's whole reply.
        answer: what the parser took out of it; None where nothing passed the parser.
        repeats: the number of the earlier attempt with the same answer; None for a new answer.
        verdict: None until it was verified.
        feedback: what was wrong, in the words that the actor may read: the verifier's; a model's where it alone judged.
        critique: how a critic explains what the verifier has failed; "" for none.
        score: 0 to 1.
        accepted: what a critic or an evaluator said of it; None where none was asked, or none could be read. An
            opinion, never a verification.
        kind: the kind of failure; "" for none.
        usage: tokens it cost, retries included, critiques not.
        event: the id of its event in the trace.
    """

    number: int
    strategy: Strategy
    reply: str
    answer: str | None
    repeats: int | None
    verdict: VerdictStatus | None
    feedback: str
    critique: str
    score: float
    accepted: bool | None
    kind: str
    usage: Usage
    event: str


class Reflection(TypedDict):
    """What the actor noted about a failed attempt, by its number."""

    attempt: int
    text: str


class ReflectionInput(TypedDict):
    """What a reflection graph is invoked with."""

    task: str


class ReflectionOutput(TypedDict):
    """What a reflection graph returns.

    Attributes:
        answer: the best answer; "" only where the model gave none that could be read.
        verdict: what is known of that answer; `"unverified"` where nothing but a model's opinion could check it.
        stop_reason: why the run ended.
        attempts: every attempt, in order.
        usage: tokens of the whole run.
        events: the trace; `ContextGraph.from_run` reads it.
    """

    answer: str
    verdict: VerdictStatus
    stop_reason: StopReason
    attempts: list[Attempt]
    usage: Usage
    events: list[Event]


class ReflectionState(TypedDict):
    """The whole state of a reflection loop, in every mode.

    Attributes:
        strategy: how the next attempt is asked for.
        attempts: those that have been judged, or need not be.
        current: the attempt that is being judged.
        reflections: what the actor noted about its failures, oldest first: Reflexion's episodic memory.
        lessons: of similar failures in earlier runs.
        failure: why the model cannot be reached; "" while it can.
        seconds: spent in models and verifiers.
    """

    task: str
    run_id: str
    strategy: Strategy
    attempts: Annotated[list[Attempt], appended()]
    current: Attempt | None
    reflections: Annotated[list[Reflection], appended()]
    lessons: list[Lesson]
    failure: str
    seconds: float
    events: Annotated[list[Event], appended()]
    answer: str
    verdict: VerdictStatus
    stop_reason: StopReason
    usage: Usage


def spent(state: ReflectionState, recorder: Recorder, seconds: float) -> dict[str, Any]:
    """What every node that asks a model or a verifier writes: its events, and the tokens and seconds of the run so far.

    Args:
        state: before the node.
        recorder: has the node's events.
        seconds: that models or the verifier took.
    """
    usage = recorded_usage(state["usage"], recorder.events)
    return {"usage": usage, "seconds": state["seconds"] + seconds, "events": recorder.events}


def current_attempt(state: ReflectionState) -> Attempt:
    """The attempt that is being judged."""
    assert state["current"] is not None, "the edge behind `attempt` leads on with a new answer only"
    return state["current"]


def kept(attempt: Attempt, settled: bool) -> dict[str, Any]:
    """What a node writes of an attempt: settled it joins those before it, else it waits for further judgment."""
    return {"current": None if settled else attempt, "attempts": [attempt] if settled else []}
