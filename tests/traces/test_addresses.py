"""Runs in object storage: read by their address, and what is said if that cannot be."""

from __future__ import annotations

import sys
from pathlib import Path

import fsspec
import pytest
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_reflection_graph
from thoughtgraph.errors import MissingLibraryError, RunFileError
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
