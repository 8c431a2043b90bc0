"""Files that are written whole or not at all have the mode, owner and group that writing in place would give."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph
from thoughtgraph.errors import RunFileError
from thoughtgraph.evaluation.datasets import Task
from thoughtgraph.evaluation.many import asolve_many
from thoughtgraph.models import GeneratedFile
from thoughtgraph.tools import save_file
from thoughtgraph.traces import recording
from thoughtgraph.traces.events import record

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
OTHERS = 12_345
"""A user and group that is not this one."""


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=["022", "077", "002"])
def umask(request: pytest.FixtureRequest) -> Generator[int]:
    """The umask of the process, for a test."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def generated(path: Path) -> None:
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    save_file(GeneratedFile(path.name, "new", "raw", usage), path.parent)


def a_run(path: Path) -> None:
    with recording() as recorder:
        record("goal", task="count")
    ContextGraph(recorder.events).save(path)


WRITERS = [generated, a_run]
Writer = Callable[[Path], None]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("write", WRITERS)
def test_a_new_file_has_the_mode_that_open_gives(tmp_path: Path, write: Writer, umask: int) -> None:
    (tmp_path / "by open").write_text("")
    write(tmp_path / "new")
    assert mode(tmp_path / "new") == mode(tmp_path / "by open") == 0o666 & ~umask
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("old", [0o600, 0o640, 0o664, 0o755, 0o444])
@pytest.mark.parametrize("write", WRITERS)
def test_a_file_that_is_overwritten_keeps_its_mode(tmp_path: Path, write: Writer, old: int, umask: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(old)
    write(path)
    assert mode(path) == old
    assert path.read_text() != "old"


@pytest.mark.parametrize("write", WRITERS)
def test_a_program_that_runs_as_its_owner_does_not_stay_one(tmp_path: Path, write: Writer) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o6755)
    write(path)
    assert mode(path) == 0o755


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("write", WRITERS)
def test_a_file_that_is_overwritten_keeps_its_owner_and_group(tmp_path: Path, write: Writer) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    os.chown(path, OTHERS, OTHERS)
    path.chmod(0o640)
    write(path)
    found = path.stat()
    assert (found.st_uid, found.st_gid, mode(path)) == (OTHERS, OTHERS, 0o640)


@pytest.mark.parametrize("write", WRITERS)
def test_a_group_that_cannot_be_kept_gives_its_rights_to_no_other(
    tmp_path: Path, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o664)
    if os.geteuid() == 0:
        os.chown(path, -1, OTHERS)

    def refused(*_: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refused)
    write(path)
    assert mode(path) == (0o644 if os.geteuid() == 0 else 0o664)


@pytest.mark.parametrize("write", WRITERS)
def test_what_is_private_is_never_readable_in_between(
    tmp_path: Path, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    seen: list[int] = []

    def looking(handle: int) -> None:
        seen.extend(mode(found) for found in tmp_path.iterdir())

    monkeypatch.setattr(os, "fsync", looking)
    write(path)
    assert seen == [0o600, 0o600]


@pytest.mark.parametrize("write", WRITERS)
def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, write: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(path)
    assert {found.name: found.read_text() for found in tmp_path.iterdir()} == {"file": "old"}


@pytest.mark.parametrize("write", WRITERS)
def test_a_name_as_long_as_names_may_be_is_written(tmp_path: Path, write: Writer) -> None:
    write(tmp_path / ("a" * 255))
    assert [len(path.name) for path in tmp_path.iterdir()] == [255]


async def test_results_and_settings_of_many_runs_are_never_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [Task(name, f"Say {name}.", "", "", "") for name in "ab"]
    await asolve_many(ScriptedModel(replies=["a", "b"]), tasks, save=tmp_path, concurrency=1)
    results = tmp_path / "results.jsonl"
    results.write_text(results.read_text() + '{"task_id": "c", "verd')
    results.chmod(0o640)
    before = {name: (tmp_path / name).read_bytes() for name in ("results.jsonl", "settings.json")}

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(RunFileError, match="No space left on device"):
            await asolve_many(ScriptedModel(replies=[]), tasks, save=tmp_path)
    assert before == {name: (tmp_path / name).read_bytes() for name in before}
    await asolve_many(ScriptedModel(replies=[]), tasks, save=tmp_path)
    assert [json.loads(line)["task_id"] for line in results.read_text().splitlines()] == ["a", "b"]
    assert mode(results) == 0o640


@pytest.mark.parametrize("linked", [False, True], ids=["there", "linked"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path, kind: str, linked: bool) -> None:
    path = there = tmp_path / "there"
    if kind == "pipe":
        os.mkfifo(there)
    elif kind == "folder":
        there.mkdir()
    else:
        # Never the device itself: a mistake would take it from the whole system.
        path = there = tmp_path / "link"
        there.symlink_to(os.devnull)
    if linked:
        path = tmp_path / "to it"
        path.symlink_to(there)
    before = path.lstat().st_mode
    with pytest.raises(FileExistsError, match="name a file"):
        a_run(path)
    assert path.lstat().st_mode == before
    assert not list(tmp_path.glob(".thoughtgraph-*"))
