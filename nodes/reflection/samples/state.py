"""What a loop over independent samples keeps beside the state of every reflection loop: JSON only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from ...._internal.channel import since_event
from ....memory.lessons import Lesson
from ....traces.events import Event
from ....traces.shapes import Strategy, Usage
from ..state import ReflectionState


class Sample(TypedDict):
    """One reply of the actor, or why there is none.

    Attributes:
        number: of the sample in the run, from 1.
        reply: the whole reply.
        answer: what the parser took out of it; None if nothing passed the parser.
        feedback: what was wrong with a reply without an answer.
        kind: the kind of that failure; "" for none.
        usage: tokens it cost.
        key: what the answer is compared by; None without a `key` of the user's.
        request: the messages that were sent, each with `role` and `content`.
        began: by the clock of the process.
        seconds: that it took.
        events: that it left, until they have joined the trace.
        source: the event that an attempt follows from; "" until then.
        lost: why the model gave no reply; "" if it did.
    """

    number: int
    reply: str
    answer: str | None
    feedback: str
    kind: str
    usage: Usage
    key: Any
    request: list[dict[str, Any]]
    began: float
    seconds: float
    events: list[Event]
    source: str
    lost: str


class SampleInput(TypedDict):
    """What one sample is drawn with: no more than that, since a checkpoint keeps it for every sample of a batch.

    Attributes:
        task: what the user wants.
        strategy: how it is asked for.
        level: the place in the cascade of the model that is asked.
        lessons: of similar failures in earlier runs.
        number: of the sample in the run, from 1.
        alone: nothing has been achieved yet that an error could lose.
        silent_nodes: for the first of a batch, the nodes that ran since the last event and recorded none.
    """

    task: str
    strategy: Strategy
    level: int
    lessons: list[Lesson]
    number: int
    alone: bool
    silent_nodes: Sequence[str]


class SampledState(ReflectionState):
    """The state of a loop over independent samples.

    Attributes:
        batch: how many samples are drawn at once.
        samples: those of the batch, in the order in which they came.
        waiting: those that have not been judged, in the order of their numbers.
        keys: what the answers of the attempts are compared by, if the user gave a `key`; None for no answer.
    """

    batch: int
    samples: Annotated[list[Sample], since_event]
    waiting: list[Sample]
    keys: list[Any]
