"""The memory of failures: what is found again, what is kept, and what is dropped, in memory and on disk."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import BaseStore, Op, PutOp, Result
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from support.lessons import lesson
from thoughtgraph import ThoughtGraphError, open_failure_memory
from thoughtgraph.errors import MemoryStoreError
from thoughtgraph.memory import FailureMemory
from thoughtgraph.memory.records import ERROR_CHARACTERS, EVIDENCE_IDS, FIX_CHARACTERS, TASK_CHARACTERS

NAMESPACE = ("thoughtgraph", "failures")


def day(number: int) -> str:
    """A time of a lesson."""
    return f"2026-01-{number:02}T12:00:00+00:00"


@pytest.fixture(params=["in-memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BaseStore]:
    """Two of LangGraph's own stores."""
    if request.param == "in-memory":
        yield InMemoryStore()
        return
    with SqliteStore.from_conn_string(str(tmp_path / "store.sqlite")) as sqlite:
        sqlite.setup()
        yield sqlite


def test_similar_failures_are_recalled_the_most_similar_first(store: BaseStore) -> None:
    memory = FailureMemory(store)
    assert memory.recall("Sum the even numbers.") == []
    memory.remember(
        [
            lesson("Write a function that returns the sum of the odd numbers in a list.", lesson="Zero is even."),
            lesson("Write a function that returns the longest palindrome in a text."),
            lesson("Write a function that returns the sum of the even numbers in a list.", fix="sum(n for n in x)"),
        ]
    )
    found = memory.recall("Write a function that returns the sum of the even numbers in a list.")
    assert [item["task"].split("the ")[2] for item in found] == ["even numbers in a list.", "odd numbers in a list."]
    assert found[0]["similarity"] == 1.0 > found[1]["similarity"] >= 0.3
    assert found[0]["fix"] == "sum(n for n in x)"
    assert found[1]["lesson"] == "Zero is even."
    assert found[0]["key"] != found[1]["key"]


def test_of_each_task_the_best_lesson_is_recalled_fixed_and_new_ones_first(store: BaseStore) -> None:
    memory, words = FailureMemory(store, k=3), "Reverse the words of a sentence."
    memory.remember([lesson(words, error=str(n), time=day(n + 1), fix="x" * (n == 2)) for n in range(6)])
    memory.remember([lesson(f"{words} Do it twice.", error=str(n), time=day(n + 1)) for n in range(6)])
    assert [item["error"] for item in memory.recall(words)] == ["2", "5"]


def test_at_most_k_lessons_are_recalled(store: BaseStore) -> None:
    memory = FailureMemory(store, k=3)
    memory.remember([lesson(f"Reverse the list {n} times.") for n in range(6)])
    assert len(memory.recall("Reverse the list.")) == 3


@pytest.mark.parametrize(("threshold", "count"), [(0.0, 2), (1.0, 1)], ids=["none", "highest"])
def test_the_threshold_decides_what_is_similar_enough(threshold: float, count: int) -> None:
    memory = FailureMemory(InMemoryStore(), threshold=threshold)
    memory.remember([lesson("Reverse a list."), lesson("Transpose a matrix.")])
    assert len(memory.recall("Reverse a list.")) == count


def test_a_similar_error_brings_in_a_failure_of_another_task() -> None:
    memory = FailureMemory(InMemoryStore())
    memory.remember([lesson("Rotate a matrix.", error="NameError: name 'math' is not defined", kind="runtime_error")])
    asked = "Format a price with commas."
    assert memory.recall(asked) == []
    assert memory.recall(asked, error="expected 4, got 2") == []
    assert len(memory.recall(asked, error="NameError: name 'math' is not defined")) == 1


def test_the_same_kind_raises_the_similarity_and_another_one_does_not_lower_it() -> None:
    memory = FailureMemory(InMemoryStore())
    memory.remember(
        [lesson("Count the vowels in a sentence.", kind="timeout"), lesson("Rotate a matrix.", kind="timeout")]
    )
    asked = "Count the vowels of a word."
    without, same, other = (memory.recall(asked, kind=kind) for kind in ("", "timeout", "wrong_answer"))
    assert same[0]["similarity"] > without[0]["similarity"] == other[0]["similarity"]
    assert len(same) == 1, "the kind alone makes nothing similar"


@pytest.mark.parametrize(
    ("earlier", "later", "kept"),
    [
        ({"lesson": "old"}, {"lesson": "new"}, {"lesson": "new", "fix": "", "time": day(2)}),
        ({"lesson": "old"}, {"fix": "f"}, {"lesson": "old", "fix": "f", "time": day(2)}),
        ({"lesson": "old", "fix": "f"}, {"lesson": "guess"}, {"lesson": "old", "fix": "f", "time": day(2)}),
        ({"fix": "f"}, {"fix": "g", "lesson": "new"}, {"lesson": "new", "fix": "g", "time": day(2)}),
    ],
    ids=["nothing-fixed", "fixed-now", "fixed-before", "fixed-again"],
)
@pytest.mark.parametrize("together", [True, False], ids=["one-call", "two-calls"])
def test_the_same_failure_replaces_the_earlier_one_but_never_its_fix(
    store: BaseStore, earlier: dict[str, str], later: dict[str, str], kept: dict[str, str], together: bool
) -> None:
    memory = FailureMemory(store)
    both = [
        lesson("Reverse  a list.\n", error="e", time=day(1), **earlier),
        lesson("Reverse a list.", error=" e", time=day(2), **later),
    ]
    for part in [both] if together else [both[:1], both[1:]]:
        memory.remember(part)
    (only,) = memory.lessons()
    assert {name: only[name] for name in ("lesson", "fix")} == {name: kept[name] for name in ("lesson", "fix")}
    assert only["time"].startswith(kept["time"][:19])


@pytest.mark.parametrize("field", ["task", "kind", "error"])
def test_another_task_kind_or_error_is_another_failure(field: str) -> None:
    memory = FailureMemory(InMemoryStore())
    memory.remember([lesson("Reverse."), lesson(**{"task": "Reverse.", field: "other"})])
    assert len(memory.lessons()) == 2


def test_a_full_memory_drops_what_has_no_fix_then_no_lesson_then_the_oldest(store: BaseStore) -> None:
    memory = FailureMemory(store, max_lessons=3)
    memory.remember([lesson("a", fix="f", time=day(1)), lesson("b", lesson="l", time=day(2)), lesson("c", time=day(3))])
    memory.remember([lesson("d", time=day(4))])
    assert [item["task"] for item in memory.lessons()] == ["d", "b", "a"]
    memory.remember([lesson("e", fix="f", time=day(5)), lesson("g", fix="f", time=day(6))])
    assert [item["task"] for item in memory.lessons()] == ["g", "e", "a"]
    memory.remember([lesson("h", fix="f", time=day(7))])
    assert [item["task"] for item in memory.lessons()] == ["h", "g", "e"]
    memory.remember([lesson(f"many {number}", fix="f", time=day(8)) for number in range(30)])
    assert len(memory.lessons()) == 3 == len(store.search(NAMESPACE, limit=100))


def test_lessons_are_listed_newest_first_found_by_key_and_forgotten(store: BaseStore) -> None:
    memory = FailureMemory(store)
    memory.remember([lesson("old", time=day(1)), lesson("new", fix="f", time=day(3)), lesson("middle", time=day(2))])
    listed = memory.lessons()
    assert [item["task"] for item in listed] == ["new", "middle", "old"]
    assert memory.get(listed[0]["key"]) == listed[0]
    assert memory.get("nothing") is None
    assert memory.delete(listed[0]["key"]) is True
    assert memory.delete(listed[0]["key"]) is False
    assert [item["task"] for item in memory.lessons()] == ["middle", "old"]
    assert memory.clear() == 2
    assert memory.lessons() == store.search(NAMESPACE) == []


def test_long_texts_lose_their_middle_and_are_still_the_same_failure() -> None:
    memory = FailureMemory(InMemoryStore())
    task = "start " + "x" * 10_000 + " end"
    long = lesson(task, error="e" * 9000, fix="f" * 20_000, evidence=[f"r:{n}" for n in range(90)])
    memory.remember([long])
    (kept,) = memory.lessons()
    assert [len(kept[name]) for name in ("task", "error", "fix")] == [TASK_CHARACTERS, ERROR_CHARACTERS, FIX_CHARACTERS]
    assert kept["task"].startswith("start ")
    assert kept["task"].endswith(" end")
    assert kept["evidence"] == [f"r:{n}" for n in range(90)][-EVIDENCE_IDS:]
    memory.remember([long, kept])
    assert memory.lessons() == [{**kept}]
    assert memory.recall(task)[0]["similarity"] == 1.0


@pytest.mark.parametrize(
    ("time", "kept"),
    [("2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00"), ("2026-01-01", "2026-01-01T00:00:00"), ("soon", "20")],
    ids=["zone", "naive", "unreadable"],
)
def test_times_are_kept_in_utc(time: str, kept: str) -> None:
    memory = FailureMemory(InMemoryStore())
    memory.remember([lesson("a", time=time)])
    assert memory.lessons()[0]["time"].startswith(kept)
    assert memory.lessons()[0]["time"].endswith("+00:00")


GOOD = {"format": "thoughtgraph.lesson/1", "evidence": [], **dict.fromkeys(("kind", "error", "lesson", "fix"), "")}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"task": "Reverse."},
        {**GOOD, "task": "Reverse.", "time": day(1), "format": "thoughtgraph.lesson/0"},
        {**GOOD, "task": 3, "time": day(1)},
        {**GOOD, "task": "Reverse.", "time": day(1), "evidence": [1]},
        {**GOOD, "task": "Reverse.", "time": day(1), "evidence": "r:1"},
        {**GOOD, "task": "Reverse."},
    ],
    ids=["empty", "foreign", "other-version", "number", "evidence-of-numbers", "evidence-text", "no-time"],
)
def test_an_entry_that_is_no_lesson_is_skipped_and_left_alone(store: BaseStore, value: dict[str, Any]) -> None:
    store.put(NAMESPACE, "foreign", value)
    store.put((*NAMESPACE, "below"), "key", {**GOOD, "task": "Reverse.", "time": day(1)})
    memory = FailureMemory(store, max_lessons=1)
    assert memory.recall("Reverse.") == []
    memory.remember([lesson("Reverse.")])
    assert len(memory.recall("Reverse.")) == 1
    assert memory.clear() == 1
    assert len(store.search(NAMESPACE)) == 2


def test_a_fix_survives_a_writer_who_did_not_know_it(store: BaseStore) -> None:
    blind = FailureMemory(store)
    blind._read = dict  # pyright: ignore[reportPrivateUsage]
    FailureMemory(store).remember([lesson("Reverse.", fix="f")])
    blind.remember([lesson("Reverse.", lesson="guess")])
    assert [item["fix"] for item in FailureMemory(store).lessons()] == ["f"]


class ReadOnlyStore(InMemoryStore):
    """Takes no entries."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        listed = list(ops)
        if any(isinstance(operation, PutOp) for operation in listed):
            raise PermissionError("read-only")
        return super().batch(listed)


def test_a_store_that_fails_is_an_error_of_the_library(tmp_path: Path) -> None:
    with open_failure_memory(tmp_path / "memory.sqlite") as memory:
        pass
    with pytest.raises(MemoryStoreError, match=r"cannot read .* run without a memory"):
        memory.recall("Reverse.")
    with pytest.raises(ThoughtGraphError, match=r"cannot write .* PermissionError: read-only"):
        FailureMemory(ReadOnlyStore()).remember([lesson("Reverse.")])


@pytest.mark.parametrize("wrong", [{"k": 0}, {"max_lessons": 0}, {"threshold": 1.5}, {"threshold": -0.1}], ids=str)
def test_numbers_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        FailureMemory(InMemoryStore(), **wrong)


def test_threads_share_a_store(store: BaseStore) -> None:
    def write(name: str) -> None:
        memory = FailureMemory(store)
        for number in range(20):
            memory.remember([lesson(f"{name} {number}", fix="f" * (number % 2))])
            assert memory.recall(f"{name} {number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, ["alpha", "beta", "gamma", "delta"]))
    assert len(FailureMemory(store).lessons()) == 80


async def test_the_async_twins_do_the_same_on_every_store(tmp_path: Path) -> None:
    async def check(memory: FailureMemory) -> None:
        await memory.aremember([lesson("Reverse a list.", fix="f"), lesson("Transpose a matrix.")])
        (found,) = await memory.arecall("Reverse a list.", kind="wrong_answer", error="e")
        assert found["fix"] == "f"
        assert await memory.aget(found["key"]) == {**found, "similarity": 0.0}
        assert len(await memory.alessons()) == 2
        assert await memory.adelete(found["key"])
        assert await memory.aclear() == 1

    await check(FailureMemory(InMemoryStore()))
    with open_failure_memory(tmp_path / "one.sqlite") as memory:
        await asyncio.gather(check(memory))
    async with AsyncSqliteStore.from_conn_string(str(tmp_path / "two.sqlite")) as store:
        await check(FailureMemory(store))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.text(st.characters())] * 6), max_size=4), st.text(st.characters()))
def test_any_text_is_remembered_and_recalled(texts: list[tuple[str, ...]], asked: str) -> None:
    with open_failure_memory(":memory:") as memory:
        names = ("task", "kind", "error", "lesson", "fix", "time")
        memory.remember([lesson(**dict(zip(names, parts, strict=True)), evidence=[*parts]) for parts in texts])
        assert len(memory.lessons()) <= len(texts)
        assert all(memory.recall(parts[0]) for parts in texts)
        assert all(0.3 <= found["similarity"] <= 1 for found in memory.recall(asked, kind=asked, error=asked))
        json.dumps(memory.lessons()).encode("ascii")


WHOLE = lesson("a task")


@pytest.mark.parametrize(
    "fields",
    [{}, "text", None, {"task": "t"}, {**WHOLE, "task": 5}, {**WHOLE, "evidence": [1]}, {**WHOLE, "time": None}],
    ids=["empty", "text", "none", "task alone", "task", "evidence", "time"],
)
def test_what_is_no_lesson_is_refused_and_nothing_is_stored(store: BaseStore, fields: Any) -> None:
    memory = FailureMemory(store)
    with pytest.raises(ValueError, match="a lesson has the texts task, kind"):
        memory.remember([lesson("another task"), fields])
    with pytest.raises(ValueError, match="a lesson has the texts task, kind"):
        asyncio.run(memory.aremember([lesson("another task"), fields]))
    assert memory.lessons() == []


def test_a_task_that_is_no_text_is_refused(store: BaseStore) -> None:
    missing: Any = None
    with pytest.raises(ValueError, match="texts, got NoneType"):
        FailureMemory(store).recall(missing)


@pytest.mark.parametrize("label", ["eva@example.com", "", "a\0b", 5], ids=repr)
def test_a_namespace_that_every_store_refuses_is_refused_before_a_run_loses_its_lessons(label: Any) -> None:
    with pytest.raises(ValueError, match="namespace has to be of texts without a period, none empty: replace"):
        FailureMemory(InMemoryStore(), namespace=("users", label))
    FailureMemory(InMemoryStore(), namespace=("users", "eva@example-com")).remember([lesson("Reverse.")])
