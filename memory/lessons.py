"""Lessons of past failures: what a memory of failures keeps, what it has to offer, and how the actor reads it.

Method: docs/background/reflection_modes.md (the five most similar failures go into the prompt).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from typing_extensions import TypedDict

from .._internal.fences import fenced


class Lesson(TypedDict):
    """A failure, what it taught, and the evidence for it.

    Attributes:
        key: what the memory calls it; "" before it was stored.
        task: the task that failed.
        kind: the kind of failure, as the verdict named it.
        error: what the failed attempt was told.
        lesson: what to do differently, in words for the actor; "" where nothing but the failure is known.
        fix: the answer that passed afterwards; "" where none did.
        evidence: ids of the events that show failure and fix.
        time: UTC, ISO 8601.
        similarity: to what was asked for, 0 to 1; 0.0 where nothing was asked for.
    """

    key: str
    task: str
    kind: str
    error: str
    lesson: str
    fix: str
    evidence: list[str]
    time: str
    similarity: float


class Memory(Protocol):
    """What a loop wants of a memory of failures; `FailureMemory` is one."""

    def recall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """Lessons of failures that are similar enough, the most similar first; none where there is none."""
        ...

    async def arecall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """Async twin of `recall`."""
        ...

    def remember(self, lessons: Sequence[Lesson]) -> None:
        """Keep lessons."""
        ...

    async def aremember(self, lessons: Sequence[Lesson]) -> None:
        """Async twin of `remember`."""
        ...


def teaches(lesson: Lesson) -> bool:
    """Whether there is more to a lesson than that something failed: that alone led small models astray."""
    return bool(lesson["fix"] or lesson["lesson"])


_SHOWN_TASK = 400
_SHOWN_ERROR = 400
_SHOWN_FIX = 1_500


def lessons_text(lessons: Sequence[Lesson]) -> str:
    """Lessons as the actor reads them before its task; "" where there are none."""
    if not lessons:
        return ""
    return "Earlier tasks that resemble yours, and how they went wrong:\n\n" + "\n\n".join(map(_shown, lessons))


def _shown(lesson: Lesson) -> str:
    error = fenced(_cut(lesson["error"], _SHOWN_ERROR))
    parts = [f"Task: {_cut(lesson['task'], _SHOWN_TASK)}", f"Went wrong:\n{error}"]
    if lesson["lesson"]:
        parts.append(f"Lesson: {_cut(lesson['lesson'], _SHOWN_ERROR)}")
    if lesson["fix"]:
        parts.append(f"What passed for that task in the end:\n{fenced(_cut(lesson['fix'], _SHOWN_FIX))}")
    return "\n".join(parts)


def _cut(text: str, most: int) -> str:
    """At most so many characters; white space stays as it is, since it may be what a failure is about."""
    text = text.strip()
    return text if len(text) <= most else f"{text[:most]} …"
