"""Runs in object storage: read by their address, and what is said if that cannot be, or where only a path will do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import pytest
from support.scripted import ScriptedModel
from thoughtgraph import Assistant, ContextGraph, create_reflection_graph, open_checkpoints, open_failure_memory
from thoughtgraph.errors import MissingLibraryError, RunFileError
from thoughtgraph.evaluation import evaluate
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.traces import save_inspect_log
from thoughtgraph.traces.reading.address import write_at


@pytest.fixture
def run() -> ContextGraph:
    """A run of one reply, which has half a surrogate pair."""
    graph = create_reflection_graph(actor=ScriptedModel(replies=["4 \ud800"]))
    return ContextGraph.from_run(graph.invoke({"task": "2+2"}))


def test_a_run_is_read_at_the_address_where_it_was_written(run: ContextGraph, tmp_path: Path) -> None:
    for address in ("memory://bucket/runs/a.jsonl", f"file://{tmp_path}/new/a.jsonl"):
        write_at(address, run.to_jsonl().encode("ascii"))
        assert ContextGraph.from_run(address).events == run.events
    assert (tmp_path / "new" / "a.jsonl").read_bytes() == run.save(tmp_path / "b.jsonl").read_bytes()


def test_a_document_at_an_address_is_read(run: ContextGraph) -> None:
    fsspec.filesystem("memory").pipe_file("/bucket/run.json", run.to_json().encode())
    assert ContextGraph.from_run("memory://bucket/run.json").events == run.events


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://bucket/none.jsonl", "cannot read the run memory://bucket/none.jsonl: FileNotFoundError"),
        ("nosuch://bucket/a.jsonl", "Protocol not known: nosuch"),
        ("memory://bucket/broken.jsonl", r"the run memory://bucket/broken.jsonl, line 1"),
        ("ftp://me:geheim@127.0.0.1:1/a.jsonl", r"\[redacted\]@127.0.0.1"),
    ],
)
def test_an_address_that_cannot_be_read_is_named(address: str, said: str) -> None:
    fsspec.filesystem("memory").pipe_file("/bucket/broken.jsonl", b"{\n")
    with pytest.raises(RunFileError, match=said) as refused:
        ContextGraph.from_run(address)
    assert "geheim" not in str(refused.value)


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunFileError, match="cannot write the run file://"):
        write_at(f"file://{tmp_path}/file/a.jsonl", b"")


@pytest.mark.parametrize(
    ("missing", "address", "said"),
    [
        ("s3fs", "s3://bucket/a.jsonl", "s3fs"),
        ("fsspec.core", "memory://bucket/a.jsonl", "pip install fsspec"),
    ],
)
def test_a_missing_library_is_named(missing: str, address: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingLibraryError, match=said):
        ContextGraph.from_run(address)
    with pytest.raises(MissingLibraryError, match=said):
        write_at(address, b"")


def judge(task: str, answer: str) -> bool:
    return True


def _opened(context: Any) -> None:
    with context:
        pass


WRITERS: dict[str, Callable[[Any], object]] = {
    "a run": lambda path: ContextGraph([]).save(path),
    "an agenda": Agenda,
    "a memory": lambda path: _opened(open_failure_memory(path)),
    "checkpoints": lambda path: _opened(open_checkpoints(path)),
    "an assistant": lambda path: Assistant(ScriptedModel(replies=[]), folder=path),
    "an evaluation": lambda path: evaluate(
        ["a"], ScriptedModel(replies=[]), modes=["reflexion"], scorer=judge, save=path
    ),
    "a log": lambda path: save_inspect_log([ContextGraph([])], path),
}


@pytest.mark.parametrize(
    "place", ["s3://bucket/runs/a.eval", Path("s3://bucket/runs/a.eval"), "file:/tmp/a.eval"], ids=repr
)
# The libraries for a log are installed for the slow tests.
@pytest.mark.parametrize(
    "what", [pytest.param(name, marks=[pytest.mark.slow] if name == "a log" else []) for name in WRITERS]
)
def test_an_address_is_no_folder_of_that_name(
    what: str, place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"address|checkpoints are kept in a file"):
        WRITERS[what](place)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["", "  "])
@pytest.mark.parametrize("what", WRITERS)
def test_a_blank_path_is_refused(what: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite would take it for a database that is gone when it is closed."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="is empty"):
        WRITERS[what](place)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [3, b"runs", True])
@pytest.mark.parametrize("what", WRITERS)
def test_what_is_no_path_is_refused(what: str, place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"the (path|place of the checkpoints) has to be a"):
        WRITERS[what](place)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a:b.jsonl", "C:run.jsonl", "x/y:z.jsonl", "12:30/run.jsonl", "ü:/run.jsonl"])
def test_a_colon_in_a_path_makes_no_address_of_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    graph = ContextGraph([])
    assert graph.save(name).exists()
    assert graph.save(tmp_path / name).exists()
