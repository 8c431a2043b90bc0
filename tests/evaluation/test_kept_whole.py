"""The folder of a batch: what it cannot keep ends the batch, its lines stay whole, and one batch at a time writes."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
from pathlib import Path
from typing import Any

import pytest
from support.worth import Answering, answered, rows
from thoughtgraph._internal.strict_json import dumps, loads
from thoughtgraph.errors import RunFileError
from thoughtgraph.evaluation import asolve_many
from thoughtgraph.traces import context_graph

pytestmark = pytest.mark.slow


def model() -> Answering:
    return Answering(answers={name: answered(1, 2) for name in "abcdef"})


def solved(actor: Answering, folder: Path, names: str = "abcdef") -> list[Any]:
    return asyncio.run(asolve_many(actor, rows(names), save=folder, concurrency=2, max_attempts=1))


def test_a_full_disk_ends_a_batch_before_more_is_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = context_graph.write_whole

    def full(target: Path, content: bytes) -> None:
        if target.name[0] in "cdef":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(target, content)

    monkeypatch.setattr(context_graph, "write_whole", full)
    first = model()
    with pytest.raises(RunFileError, match=r"cannot save to .*[cd]\.jsonl: No space left on device\. Fix that and"):
        solved(first, tmp_path)
    assert len(first.asked) <= 4
    assert {path.name for path in tmp_path.glob("?.jsonl")} == {"a.jsonl", "b.jsonl"}
    monkeypatch.setattr(context_graph, "write_whole", write)
    assert [result.stop_reason["kind"] for result in solved(model(), tmp_path)] == ["unverified"] * 6
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 6


def test_a_task_that_raises_an_error_of_the_system_does_not_end_the_batch(tmp_path: Path) -> None:
    answers = {"a": [PermissionError("not this one")], "b": ["fine"]}
    first, second = solved(Answering(answers=answers), tmp_path, "ab")
    assert (first.stop_reason["kind"], second.answer) == ("error", "fine")


@pytest.mark.parametrize(
    ("field", "value"), [("task_id", ["a"]), ("run_file", 7), ("usage", None), ("attempts", [1]), ("stop_reason", {})]
)
def test_a_line_with_a_value_of_another_kind_is_named(tmp_path: Path, field: str, value: Any) -> None:
    solved(model(), tmp_path, "ab")
    path = tmp_path / "results.jsonl"
    first, second = path.read_text().splitlines()
    path.write_text(f"{dumps({**loads(first), field: value})}\n{second}\n")
    with pytest.raises(RunFileError, match=r"results\.jsonl, line 1: .*Choose another folder, or fix the line"):
        solved(model(), tmp_path, "ab")


async def test_a_folder_is_for_one_batch_at_a_time(tmp_path: Path) -> None:
    def started(folder: str) -> asyncio.Task[list[Any]]:
        return asyncio.create_task(asolve_many(model(), rows("ab"), save=tmp_path / folder, concurrency=1))

    found = await asyncio.gather(started("one"), started("one"), started("other"), return_exceptions=True)
    assert [type(each) for each in found] == [list, RunFileError, list]
    assert "another batch is saving to" in str(found[1])
    assert len((tmp_path / "one" / "results.jsonl").read_text().splitlines()) == 2
    assert len(await started("one")) == 2


def test_a_line_that_does_not_fit_leaves_those_before_it_as_they_were(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    solved(model(), tmp_path, "ab")
    before = results.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The run's own file has to fit: the limit is for each file.
    results.write_bytes(before + before.replace(b'"a"', b'"x"').replace(b'"b"', b'"y"') * 9)
    whole = results.read_bytes()
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 30, limits[1]))
    try:
        with pytest.raises(RunFileError, match=r"cannot save to .*results\.jsonl: File too large"):
            solved(model(), tmp_path, "abc")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert results.read_bytes() == whole
    assert [result.task_id for result in solved(model(), tmp_path, "abc")] == ["a", "b", "c"]
