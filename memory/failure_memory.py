"""Keeps lessons from failures between runs in a LangGraph store and finds them by similarity.

Method: docs/background/reflection_modes.md (the five most similar failures go into the prompt).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore, PutOp
from platformdirs import user_data_path

from .._internal.numbers import check_kind, number, whole_number
from ..errors import MemoryStoreError
from .lessons import Lesson, teaches
from .records import ERROR_CHARACTERS, TASK_CHARACTERS, capped, cleaned, from_value, replaced, to_value
from .similarity import similarities, task_similarities
from .store import open_lesson_store

DEFAULT_THRESHOLD = 0.3

_FIXED = ".fixed"
_ALL = 2**31 - 1
_BATCH = 500
_ERROR_SHARE = 0.5
_KIND_SHARE = 0.15

_turns: WeakKeyDictionary[BaseStore, threading.Lock] = WeakKeyDictionary()
_turns_turn = threading.Lock()


class FailureMemory:
    """A memory of failures on any LangGraph store: what failed, what was learned, and what passed afterwards.

    Threads may share one, and any number of processes may write to the same store. A failure is identified by its task,
    kind and error. Remembering it again replaces its lesson, but a known fix stays until a newer one comes.

    Similarity is 0 to 1 and comes from the words of the tasks (`similarity.task_similarities`); the same task is 1. If
    an error is given, a similar error closes up to half of the gap to 1. The same kind adds up to 0.04, which decides
    between close ones.

    The default threshold of 0.3 was measured with labeled pairs of tasks: docs/memory.md has the figures, and
    `tests/memory/test_similarity.py` repeats the measurement.

    Example:
        >>> from langgraph.store.memory import InMemoryStore
        >>> memory = FailureMemory(InMemoryStore())
        >>> memory.recall("Sort a list of words.")
        []
    """

    def __init__(
        self,
        store: BaseStore,
        *,
        namespace: tuple[str, ...] = ("thoughtgraph", "failures"),
        k: int = 5,
        threshold: float = DEFAULT_THRESHOLD,
        max_lessons: int = 500,
        bare_failures: bool = False,
    ) -> None:
        """Use a store as a memory.

        Args:
            store: an `InMemoryStore`, `SqliteStore`, `PostgresStore`, or any other, including async ones.
            namespace: where in the store the lessons are. Other entries there are left alone.
            k: maximum number of lessons to recall.
            threshold: minimum similarity of a recalled lesson, 0 to 1.
            max_lessons: maximum number of lessons to keep. Lessons without a fix are deleted first, of these the ones
                without a lesson text, then the oldest.
            bare_failures: also put failures into the prompt that were never fixed and taught nothing, so only what was
                asked and what went wrong. The default rests on no measurement of its own, see docs/memory.md.

        Raises:
            ValueError: a number is out of range, or the store or the namespace is none.
        """
        k, max_lessons = whole_number("k", k), whole_number("max_lessons", max_lessons)
        if not 0 <= number("threshold", threshold) <= 1:
            raise ValueError(f"threshold is a similarity between 0 and 1, got {threshold}")
        check_kind("store", store, BaseStore, "a LangGraph store, such as an InMemoryStore")
        check_kind("bare_failures", bare_failures, bool, "True or False")
        check_kind("namespace", namespace, tuple | list, "a tuple of texts, such as ('team', 'failures')")
        # A store would refuse it at every call, and a run goes on without its memory.
        labels: tuple[Any, ...] = tuple(namespace)
        if odd := [one for one in labels if not isinstance(one, str) or not one or set(one) & {".", "\0"}]:
            raise ValueError(f"namespace has to be of texts without a period, none empty: replace {odd[0]!r:.80}")
        self._store = store
        self._namespace = labels
        self._k = k
        self._threshold = threshold
        self._max_lessons = max_lessons
        self.bare_failures = bare_failures
        with _turns_turn:
            # InMemoryStore cannot be read while another thread writes.
            self._turn = _turns.setdefault(store, threading.Lock())

    def recall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """The lessons of similar failures, the most similar first; among equals those with a fix, then the newest.

        Args:
            task: the task to be done.
            kind: the kind of failure that just happened, if any.
            error: the feedback that the failed attempt received.

        Returns:
            At most `k` lessons with their `similarity`, none below the threshold, and only the best one of each task.

        Raises:
            MemoryStoreError: the store cannot be read.
            ValueError: the task or the error is no text.
        """
        task, error = capped(task, TASK_CHARACTERS), capped(error, ERROR_CHARACTERS)
        known = self.lessons()
        by_task = task_similarities(task, [lesson["task"] for lesson in known])
        by_error = similarities(error, [lesson["error"] for lesson in known]) if error else [0.0] * len(known)
        found: list[Lesson] = []
        for lesson, alike, alike_error in zip(known, by_task, by_error, strict=True):
            alike += (1 - alike) * _ERROR_SHARE * alike_error
            if kind and kind == lesson["kind"]:
                alike += alike * (1 - alike) * _KIND_SHARE
            if alike >= self._threshold:
                found.append({**lesson, "similarity": round(alike, 4)})
        found.sort(key=lambda lesson: (lesson["similarity"], bool(lesson["fix"]), bool(lesson["lesson"])), reverse=True)
        # A failure without a lesson must not crowd out one with a lesson.
        found.sort(key=teaches, reverse=True)
        # Attempts at one task fail in many ways and teach the same thing: they must not crowd out other tasks.
        of_task: dict[str, Lesson] = {}
        for lesson in found:
            of_task.setdefault(lesson["task"].strip(), lesson)
        chosen = list(of_task.values())[: self._k]
        return sorted(chosen, key=lambda lesson: lesson["similarity"], reverse=True)

    async def arecall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """Async twin of `recall`."""
        return await asyncio.to_thread(self.recall, task, kind=kind, error=error)

    def remember(self, lessons: Sequence[Lesson]) -> None:
        """Store lessons; their `key` and `similarity` are ignored.

        Texts longer than the limits in `memory.records` lose their middle. A time that cannot be parsed becomes the
        current time.

        Args:
            lessons: oldest first.

        Raises:
            MemoryStoreError: the store cannot be read or written.
            ValueError: something is no lesson; then none is stored.
        """
        new = [cleaned(lesson) for lesson in lessons]
        with self._turn:
            known = self._read()
            changed: dict[str, Lesson] = {}
            for lesson in new:
                key = lesson["key"]
                changed[key] = known[key] = replaced(known.get(key), lesson)
            surplus = self._surplus(known)
            self._write(surplus, [lesson for key, lesson in changed.items() if key not in surplus])
            # Another process may have added lessons in the meantime.
            self._write(self._surplus(self._read()))

    async def aremember(self, lessons: Sequence[Lesson]) -> None:
        """Async twin of `remember`."""
        await asyncio.to_thread(self.remember, lessons)

    def lessons(self) -> list[Lesson]:
        """Every stored lesson, newest first.

        Raises:
            MemoryStoreError: the store cannot be read.
        """
        with self._turn:
            return sorted(self._read().values(), key=lambda lesson: (lesson["time"], lesson["key"]), reverse=True)

    async def alessons(self) -> list[Lesson]:
        """Async twin of `lessons`."""
        return await asyncio.to_thread(self.lessons)

    def get(self, key: str) -> Lesson | None:
        """The lesson with this key, or None.

        Raises:
            MemoryStoreError: the store cannot be read.
        """
        with self._turn:
            return self._read().get(key)

    async def aget(self, key: str) -> Lesson | None:
        """Async twin of `get`."""
        return await asyncio.to_thread(self.get, key)

    def delete(self, key: str) -> bool:
        """Delete a lesson; returns whether there was one with this key.

        Raises:
            MemoryStoreError: the store cannot be read or written.
        """
        with self._turn:
            there = key in self._read()
            if there:
                self._write([key])
            return there

    async def adelete(self, key: str) -> bool:
        """Async twin of `delete`."""
        return await asyncio.to_thread(self.delete, key)

    def clear(self) -> int:
        """Delete every lesson; returns how many there were.

        Raises:
            MemoryStoreError: the store cannot be read or written.
        """
        with self._turn:
            known = self._read()
            self._write(list(known))
            return len(known)

    async def aclear(self) -> int:
        """Async twin of `clear`."""
        return await asyncio.to_thread(self.clear)

    def _surplus(self, known: Mapping[str, Lesson]) -> list[str]:
        """The keys of the least useful lessons beyond the maximum."""
        if len(known) <= self._max_lessons:
            return []
        by_use = sorted(known.values(), key=lambda item: (bool(item["fix"]), bool(item["lesson"]), item["time"]))
        return [lesson["key"] for lesson in by_use[: -self._max_lessons]]

    def _read(self) -> dict[str, Lesson]:
        try:
            items = self._store.search(self._namespace, limit=_ALL)
        except Exception as error:
            raise MemoryStoreError("read", error) from error
        known: dict[str, Lesson] = {}
        for item in items:
            lesson = from_value(item.key.removesuffix(_FIXED), item.value)
            if lesson is None or tuple(item.namespace) != self._namespace:
                continue
            # A failure is stored twice if one process wrote its fix while another saw it without one.
            if lesson["fix"] or lesson["key"] not in known:
                known[lesson["key"]] = lesson
        return known

    def _write(self, forgotten: Sequence[str], changed: Sequence[Lesson] = ()) -> None:
        """Delete and put; a fix has its own entry, so that a writer that does not know it cannot overwrite it."""
        operations = [PutOp(self._namespace, key + ending, None) for key in forgotten for ending in ("", _FIXED)]
        for lesson in changed:
            key = lesson["key"] + (_FIXED if lesson["fix"] else "")
            operations.append(PutOp(self._namespace, key, to_value(lesson), index=False))
            if lesson["fix"]:
                operations.append(PutOp(self._namespace, lesson["key"], None))
        try:
            for start in range(0, len(operations), _BATCH):
                self._store.batch(operations[start : start + _BATCH])
        except Exception as error:
            raise MemoryStoreError("write", error) from error


def default_memory_file() -> Path:
    """The file where failures are stored by default."""
    return user_data_path("thoughtgraph") / "memory.sqlite"


@contextmanager
def open_failure_memory(path: str | Path | None = None, *, bare_failures: bool = False) -> Generator[FailureMemory]:
    """Open a memory in an SQLite file for the block; creates the file and its folder if needed.

    Threads may share it, and several processes may have the file open at once.

    Args:
        path: the file, or `":memory:"`; None means `default_memory_file()`.
        bare_failures: see `FailureMemory`.

    Raises:
        MemoryStoreError: the file cannot be opened, or is not an SQLite file.
        ValueError: the path is blank, or an address.

    Example:
        >>> with open_failure_memory("failures.sqlite") as memory:                                 # doctest: +SKIP
        ...     print(memory.lessons())
    """
    with open_lesson_store(default_memory_file() if path is None else path) as store:
        yield FailureMemory(store, bare_failures=bare_failures)
