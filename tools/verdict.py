"""What a verifier says of an answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from ..parsers.contract import ParseDict, any_text
from ..traces.shapes import VerdictStatus


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a verification.

    Attributes:
        status: `"passed"`, `"failed"`, or `"unverified"` where nothing could check the answer; never read the latter
            as a success.
        feedback: what the actor reads before its next attempt: short, exact, about the answer alone.
        score: how good the answer is, from 0 to 1; 1 for a pass and 0 otherwise where none is given.
        kind: the kind of failure (`"failed"`, `"error"`, `"timeout"`, …), for statistics.
        details: anything JSON-ready that the trace should keep.
    """

    status: VerdictStatus
    feedback: str = ""
    score: float | None = None
    kind: str = ""
    details: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def points(self) -> float:
        """The score, with its default filled in."""
        if self.score is not None:
            return self.score
        return 1.0 if self.status == "passed" else 0.0


Verifier = Callable[[str, str], "Verdict | Awaitable[Verdict]"]
"""`verifier(task, answer)` → `Verdict`; may be async. `PythonTests` is one."""


@runtime_checkable
class FormattedVerifier(Protocol):
    """A verifier that also says how an answer is written; `PythonTests` is one.

    Derive a verifier of your own from it and give what you need; a verifier that is not derived from it has all three
    attributes, or none.

    Attributes:
        instructions: the format of an answer, for the system message.
        criteria: what an answer is held to; stands after the task.
    """

    instructions: str = ""
    criteria: str = ""

    def parse(self, raw_reply: str, /) -> ParseDict:
        """Take the answer out of a reply; the whole reply, where a verifier does not say otherwise."""
        return any_text(raw_reply)

    @abstractmethod
    def __call__(self, task: str, answer: str, /) -> Verdict | Awaitable[Verdict]:
        """Judge an answer."""
        ...
