"""Lessons from past failures: their fields, a memory's interface, and the text that the actor reads.

Method: docs/background/reflection_modes.md (the five most similar failures go into the prompt).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, runtime_checkable

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from .._internal.fences import fenced


class Lesson(TypedDict):
    """A failure, what it taught, and the evidence for it.

    Attributes:
        key: its key in the memory; "" until it is stored.
        task: the task that failed.
        kind: the kind of failure, from the verdict.
        error: the feedback that the failed attempt received.
        lesson: what to do differently, in words for the actor; "" if only the failure is known.
        fix: the answer that passed afterwards; "" if none did.
        evidence: ids of the events that show failure and fix.
        time: UTC, ISO 8601.
        similarity: similarity to the task in `recall`, 0 to 1; 0.0 outside of `recall`.
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


@runtime_checkable
class Memory(Protocol):
    """The interface that a loop needs from a memory of failures; `FailureMemory` has it.

    A loop leaves out failures that taught nothing, unless the memory has a true attribute `bare_failures`.
    """

    def recall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """Lessons of failures that are similar enough, the most similar first; an empty list if there are none.

        Args:
            task: the task to be done.
            kind: the kind of failure that just happened, from the verdict; "" before the first attempt.
            error: the feedback that the failed attempt received; "" before the first attempt.
        """
        ...

    async def arecall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """Async twin of `recall`."""
        ...

    def remember(self, lessons: Sequence[Lesson]) -> None:
        """Store lessons."""
        ...

    async def aremember(self, lessons: Sequence[Lesson]) -> None:
        """Async twin of `remember`."""
        ...


def check_memory(memory: object) -> None:
    """Refuse what is no memory of failures.

    Raises:
        ValueError: it is a class, or lacks methods.
    """
    kind = memory.__name__ if isinstance(memory, type) else type(memory).__name__
    lacks = [name for name in _METHODS if not callable(getattr(memory, name, None))]
    if not lacks and not isinstance(memory, type):
        return
    said = f"without {', '.join(lacks)}" if lacks else "a class"
    raise ValueError(
        f"memory has to be a FailureMemory, got {kind} ({said}): `with open_failure_memory(…) as memory:` "
        f"gives one, and FailureMemory(store) of a LangGraph store; one of your own has {', '.join(_METHODS)}"
    )


_METHODS = ("recall", "arecall", "remember", "aremember")


def checked(lessons: object) -> list[Lesson]:
    """What a memory of whatever kind gave, if these are lessons; what else is in them is left out.

    Raises:
        ValueError: they are none; the first thing that is wrong.
    """
    try:
        return _lessons().validate_python(lessons)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        raise ValueError(f"what was recalled is no list of Lesson: {first['loc']}: {first['msg']}") from None


@lru_cache(maxsize=1)
def _lessons() -> TypeAdapter[list[Lesson]]:
    return TypeAdapter(list[Lesson])


def teaches(lesson: Lesson) -> bool:
    """Whether a lesson says more than that something failed."""
    return bool(lesson["fix"] or lesson["lesson"])


_SHOWN_TASK = 400
_SHOWN_ERROR = 400
_SHOWN_FIX = 1_500


def lessons_text(lessons: Sequence[Lesson]) -> str:
    """Lessons as the text that the actor reads before its task; "" if there are none."""
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
    """Cut a text to `most` characters; inner white space stays, since the failure may be about it."""
    text = text.strip()
    return text if len(text) <= most else f"{text[:most]} …"
