"""State of the reflection loops: JSON only, so that every checkpointer can keep it."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from ..._internal.channel import appended, numbered, since_event
from ...memory.lessons import Lesson
from ...models.messages import recorded_usage
from ...traces.events import Event, Recorder
from ...traces.shapes import Attempt, StopReason, Strategy, Usage, VerdictStatus
from ..channels import GivenMessages, GivenOnce, ReflectionThread, joined
from ..edits import Watched, recorded_field


class Reflection(TypedDict):
    """What the actor noted about a failed attempt, by its number."""

    attempt: int
    text: str


class ReflectionInput(TypedDict):
    """What a reflection graph is invoked with: a task, or messages.

    Attributes:
        task: what the user wants.
        messages: a conversation as LangChain writes it, whose last message, the user's, is the task.
    """

    task: NotRequired[str]
    messages: NotRequired[Annotated[GivenMessages, joined]]


class ReflectionOutput(TypedDict):
    """What a reflection graph returns.

    Attributes:
        answer: the best answer; "" only if the model gave none that could be read.
        messages: of a run that was invoked with messages: those and the best answer.
        verdict: what is known of that answer; `"unverified"` if nothing but a model's opinion could check it.
        stop_reason: why the run ended.
        attempts: every attempt, in order.
        usage: tokens of the whole run.
        events: the trace; `ContextGraph.from_run` reads it.
    """

    answer: str
    messages: Annotated[list[AnyMessage], joined]
    verdict: VerdictStatus
    stop_reason: StopReason
    attempts: list[Attempt]
    usage: Usage
    events: list[Event]


class ReflectionState(TypedDict):
    """The whole state of a reflection loop, in every mode.

    Attributes:
        task: what the user wants.
        given_number: of the task that the run works on; `GivenOnce` counts each one that is given.
        messages: of a run that was invoked with messages: the conversation.
        last_read: the id of the last message read: the one that is the task, if one is; after the run its own last.
        lessons: of similar failures in earlier runs.
        strategy: how the next attempt is asked for.
        current: the attempt that is being judged; None between attempts.
        attempts: those that are settled: judged, or in no need of a judgment.
        reflections: what the actor noted about its failures, oldest first: Reflexion's episodic memory.
        level: the place in the cascade of the model whose turn it is; 0 for the first, or the only one.
        gone: why models of the cascade could not be reached since the last attempt; the next attempt's event keeps it.
            "" if all could.
        failure: why no model can be reached, which ends the run; "" while one can.
        seconds: spent in models and verifiers.
        usage: tokens of the run.
        answer: the best answer; "" until the run ends, and if there is none.
        verdict: what is known of that answer; `"unverified"` until the run ends.
        stop_reason: why the run ended; None while it runs.
        run_id: of the trace.
        silent_nodes: the nodes that ran since the last event and recorded none.
        thread_kind: whose thread it is.
        events: the trace.
    """

    # What is given, and what is recalled before the first attempt.
    task: Annotated[str, GivenOnce]
    given_number: NotRequired[int]
    messages: Annotated[list[AnyMessage], joined]
    last_read: NotRequired[str | None]
    lessons: list[Lesson]
    # The round.
    strategy: Strategy
    current: Attempt | None
    attempts: Annotated[list[Attempt], numbered()]
    reflections: Annotated[list[Reflection], appended()]
    # The models.
    level: int
    gone: str
    failure: str
    # What the limits are held to, beside the attempts.
    seconds: float
    usage: Usage
    # The end.
    answer: str
    verdict: VerdictStatus
    stop_reason: StopReason | None
    # The trace.
    run_id: str
    silent_nodes: Annotated[list[str], since_event]
    thread_kind: Annotated[dict[str, str], ReflectionThread]
    events: Annotated[list[Event], appended()]


def spent(state: ReflectionState, recorder: Recorder, seconds: float) -> dict[str, Any]:
    """What every node that asks a model or a verifier writes: its events, and the tokens and seconds of the run so far.

    Args:
        state: before the node.
        recorder: has the node's events.
        seconds: that models or the verifier took.
    """
    usage = recorded_usage(state["usage"], recorder.events)
    return {"usage": usage, "seconds": state["seconds"] + seconds, "events": recorder.events}


def watched(state: ReflectionState) -> list[Watched]:
    """What a person may change while a run waits: the task, and the answer that is to be judged."""
    values = [Watched("task", state["task"], lambda event: recorded_field(event, "goal", "task"))]
    if current := state["current"]:
        values.append(
            Watched("answer", current["answer"] or "", lambda event: recorded_field(event, "attempt", "answer"))
        )
    return values


def current_attempt(state: ReflectionState) -> Attempt:
    """The attempt that is being judged."""
    assert state["current"] is not None, "the edge after `attempt` leads here only with a new answer"
    return state["current"]


def settled_or_current(attempt: Attempt, settled: bool) -> dict[str, Any]:
    """What a node writes of an attempt: a settled one joins `attempts`, any other stays in `current` to be judged."""
    return {"current": None if settled else attempt, "attempts": [attempt] if settled else []}
