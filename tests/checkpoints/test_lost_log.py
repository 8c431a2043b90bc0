"""SQLite's write-ahead log, lost or damaged behind a crash: an error that says so, never an older state as if it were
the newest; and no error where nothing was lost."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from support.paths import TESTS
from support.plan_act import GOAL, act, done, echo_tool, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph, open_checkpoints
from thoughtgraph.checkpoints import SqliteCheckpoints
from thoughtgraph.errors import CheckpointError

pytestmark = [pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL"), pytest.mark.slow]

NAME = "runs.sqlite"
REPLIES = [planned("a"), act("echo", "x"), act("echo", "y"), done("A"), replanned(response="end")]
CRASHING = """
import os, signal, sys
from contextlib import ExitStack
from test_lost_log import GOAL, NAME, REPLIES, graph, thread
from thoughtgraph import open_checkpoints

with ExitStack() as opened:
    for folder in sys.argv[1:]:
        with open_checkpoints(f"{folder}/{NAME}") as checkpointer:
            graph(checkpointer).invoke(GOAL, thread("earlier"))
        checkpointer = opened.enter_context(open_checkpoints(f"{folder}/{NAME}"))
        graph(checkpointer).invoke(GOAL, thread("ended"))
        stream = graph(checkpointer).stream(GOAL, thread("cut"), durability="sync")
        acts = (update for update in stream if "act" in update)
        next(acts), next(acts), next(stream)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def graph(checkpointer: Any, replies: list[Any] | None = None) -> Any:
    """Two calls of a tool."""
    return create_plan_act_graph(
        ScriptedModel(replies=replies or list(REPLIES)), [echo_tool()], checkpointer=checkpointer
    )


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def crash(*folders: Path) -> None:
    """Have a process killed that has a finished and an unfinished run in the log of a file in each folder."""
    for folder in folders:
        folder.mkdir()
    child = subprocess.run(
        [sys.executable, "-c", CRASHING, *map(str, folders)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(TESTS), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a killed process has left it; copied, never opened."""
    folder = tmp_path_factory.mktemp("crash") / "left"
    crash(folder)
    return folder


@pytest.fixture
def left(crashed: Path, tmp_path: Path) -> Path:
    """A copy of that folder: its file."""
    return Path(shutil.copytree(crashed, tmp_path / "left")) / NAME


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def state(path: Path, name: str, form: str = "sync") -> dict[str, Any]:
    """A thread's newest state."""
    with open_checkpoints(path) as checkpointer:
        built = graph(checkpointer)
        read = built.get_state(thread(name)) if form == "sync" else asyncio.run(built.aget_state(thread(name)))
    return read.values


def steps(values: dict[str, Any]) -> int:
    return len(values.get("observations", ()))


def test_a_log_that_is_whole_is_taken_up_and_nothing_is_left_beside_the_file(left: Path) -> None:
    assert log_of(left).stat().st_size > 0
    with open_checkpoints(left) as checkpointer:
        assert steps(graph(checkpointer).get_state(thread("cut")).values) == 2
        ended = graph(checkpointer, [done("A"), replanned(response="end")]).invoke(None, thread("cut"))
    assert (ended["response"], steps(ended)) == ("end", 2)
    assert [path.name for path in left.parent.iterdir()] == [NAME]


@pytest.mark.parametrize("form", ["sync", "async"])
@pytest.mark.parametrize("way", ["deleted", "empty", "half", "head"])
def test_a_log_that_is_lost_is_an_error_and_no_empty_thread(left: Path, way: str, form: str) -> None:
    log = log_of(left)
    content = log.read_bytes()
    if way == "deleted":
        log.unlink()
    else:
        log.write_bytes({"empty": b"", "half": content[: len(content) // 2], "head": b"\0" * 32 + content[32:]}[way])
    for _ in range(2):
        with pytest.raises(CheckpointError, match="write-ahead log") as lost:
            state(left, "cut", form)
        assert (lost.value.kind, lost.value.thread_id, lost.value.readable) == ("damaged", "cut", None)
    assert state(left, "earlier", form)["response"] == "end"


def damages(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The log cut at, or with a bit turned in, many places."""
    for number in range(1, 30):
        place = number * len(content) // 30
        yield f"cut at {place}", content[:place]
        turned = bytearray(content)
        turned[place] ^= 1
        yield f"bit {place}", bytes(turned)


def test_whatever_is_wrong_with_a_log_no_older_state_is_taken_for_the_newest(left: Path) -> None:
    log, main = log_of(left), left.read_bytes()
    beside = {path: path.read_bytes() for path in left.parent.iterdir() if path not in (left, log)}
    whole, readable = {"ended": 0, "cut": 0}, 0
    for words, content in damages(log.read_bytes()):
        left.write_bytes(main)
        log.write_bytes(content)
        for path, kept in beside.items():
            path.write_bytes(kept)
        with open_checkpoints(left) as checkpointer:
            built = graph(checkpointer)
            for name in whole:
                try:
                    values = built.get_state(thread(name)).values
                except CheckpointError as error:
                    assert error.kind == "damaged", words
                    if error.readable:
                        readable += 1
                        older = {"configurable": {"thread_id": name, "checkpoint_id": error.readable}}
                        assert built.get_state(older).created_at, words
                else:
                    assert steps(values) == 2, words
                    assert name == "cut" or values["response"] == "end", words
                    whole[name] += 1
    assert readable > 10
    assert whole["ended"] > whole["cut"] >= 0


def test_a_run_goes_on_from_the_newest_step_that_is_left_and_the_alarm_is_over(left: Path) -> None:
    content = log_of(left).read_bytes()
    log_of(left).write_bytes(content[: len(content) - len(content) // 8])
    with open_checkpoints(left) as checkpointer:
        with pytest.raises(CheckpointError) as lost:
            graph(checkpointer).invoke(None, thread("cut"))
        assert lost.value.readable
        with pytest.raises(CheckpointError):
            list(graph(checkpointer).get_state_history(thread("cut")))
        older = {"configurable": {"thread_id": "cut", "checkpoint_id": lost.value.readable}}
        made = steps(graph(checkpointer).get_state(older).values)
        rest = [act("echo", "y")] * (2 - made) + [done("A"), replanned(response="end")]
        for replies in (rest, [act("echo", "z"), *rest]):
            try:
                assert graph(checkpointer, replies).invoke(None, older)["response"] == "end"
                break
            except AssertionError:
                continue
    assert state(left, "cut")["response"] == "end"
    assert [path.name for path in left.parent.iterdir()] == [NAME]


def test_looking_at_the_file_with_another_tool_does_not_end_the_alarm(left: Path) -> None:
    content = log_of(left).read_bytes()
    log_of(left).write_bytes(content[: len(content) // 2])
    with closing(sqlite3.connect(left)) as tool:
        tool.execute("SELECT count(*) FROM checkpoints").fetchone()
    assert not log_of(left).exists()
    with pytest.raises(CheckpointError, match="write-ahead log"):
        state(left, "cut")


def test_a_lost_log_is_no_concern_of_new_threads_and_of_those_in_the_file(left: Path) -> None:
    log_of(left).unlink()
    with open_checkpoints(left) as checkpointer:
        assert graph(checkpointer).invoke(GOAL, thread("new"))["response"] == "end"
        assert graph(checkpointer).invoke(GOAL, thread("earlier"))["response"] == "end"
        with pytest.raises(CheckpointError):
            graph(checkpointer).invoke(GOAL, thread("ended"))
        with pytest.raises(CheckpointError):
            list(checkpointer.list(None))
        for name in ("cut", "ended"):
            checkpointer.delete_thread(name)
        assert graph(checkpointer).invoke(GOAL, thread("ended"))["response"] == "end"
    assert [path.name for path in left.parent.iterdir()] == [NAME]


def test_a_whole_file_that_others_have_moved_the_log_into_is_no_alarm(left: Path) -> None:
    with closing(sqlite3.connect(left)) as tool:
        tool.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert steps(state(left, "cut")) == 2


def test_a_thread_that_was_deleted_is_no_alarm_and_a_lost_deletion_is_one(tmp_path: Path) -> None:
    path = tmp_path / "runs" / NAME
    with open_checkpoints(path) as checkpointer:
        graph(checkpointer).invoke(GOAL, thread("1"))
    with open_checkpoints(path) as checkpointer:
        checkpointer.delete_thread("1")
        # What a process leaves that is killed now.
        whole = Path(shutil.copytree(path.parent, tmp_path / "whole")) / NAME
        torn = Path(shutil.copytree(path.parent, tmp_path / "torn")) / NAME
    assert state(whole, "1") == {}
    log_of(torn).unlink()
    with pytest.raises(CheckpointError):
        state(torn, "1")


def test_a_thread_that_langgraphs_own_saver_deleted_is_no_alarm(left: Path) -> None:
    with SqliteSaver.from_conn_string(str(left)) as saver:
        saver.delete_thread("cut")
    assert state(left, "cut") == {}


def test_several_may_have_the_file_open_and_the_last_one_tidies_up(tmp_path: Path) -> None:
    path = tmp_path / "shared" / NAME
    with open_checkpoints(path) as one:
        graph(one).invoke(GOAL, thread("1"))
        with open_checkpoints(path) as other:
            assert graph(other).get_state(thread("1")).values["response"] == "end"
            graph(other).invoke(GOAL, thread("1"))
            graph(other).invoke(GOAL, thread("2"))
        assert graph(one).get_state(thread("2")).values["response"] == "end"
        graph(one).invoke(GOAL, thread("2"))
        torn = Path(shutil.copytree(path.parent, tmp_path / "torn")) / NAME
    assert [found.name for found in path.parent.iterdir()] == [NAME]
    log_of(torn).unlink()
    for name in ("1", "2"):
        with pytest.raises(CheckpointError):
            state(torn, name)


def by_backup(path: Path, copy: Path) -> None:
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def by_vacuum(path: Path, copy: Path) -> None:
    with closing(sqlite3.connect(path)) as source:
        source.execute("VACUUM INTO ?", (str(copy),))


def by_copying(path: Path, copy: Path) -> None:
    shutil.copy(path, copy)


@pytest.mark.parametrize("way", [by_backup, by_vacuum, by_copying])
def test_a_copy_is_no_alarm_wherever_it_is_put(tmp_path: Path, way: Callable[[Path, Path], None]) -> None:
    path, copy = tmp_path / NAME, tmp_path / "copy.sqlite"
    with open_checkpoints(path) as checkpointer:
        graph(checkpointer).invoke(GOAL, thread("1"))
    way(path, copy)
    with open_checkpoints(path) as checkpointer:
        graph(checkpointer).invoke(GOAL, thread("1"))
        graph(checkpointer).invoke(GOAL, thread("2"))
    assert state(copy, "1")["response"] == "end"
    shutil.copy(copy, path)
    assert (state(path, "1")["response"], state(path, "2")) == ("end", {})


IN_PLACE = ("backup", "vacuum", "deleted", "langgraph's", "moved")


@pytest.fixture(scope="module")
def in_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one killed process has left in several folders, none of them copied."""
    root = tmp_path_factory.mktemp("in place")
    crash(*(root / way for way in IN_PLACE))
    return root


@pytest.mark.parametrize("way", IN_PLACE)
def test_another_file_in_the_place_of_one_that_a_crash_left_is_no_alarm(
    in_place: Path, tmp_path: Path, way: str
) -> None:
    path, copy = in_place / way / NAME, tmp_path / "copy.sqlite"
    whole = Path(shutil.copytree(path.parent, tmp_path / "whole")) / NAME
    for beside in (log_of(path), path.with_name(f"{NAME}-shm")):
        beside.unlink()
    if way == "deleted":
        path.unlink()
    elif way == "langgraph's":
        path.unlink()
        with SqliteSaver.from_conn_string(str(path)) as saver:
            saver.setup()
    elif way == "moved":
        shutil.copy(path, copy)
        copy.replace(path)
    else:
        with open_checkpoints(whole) as checkpointer:
            checkpointer.delete_thread("cut")
        (by_backup if way == "backup" else by_vacuum)(whole, copy)
        shutil.copy(copy, path)
    assert state(path, "cut") == {}
    with open_checkpoints(path) as checkpointer:
        graph(checkpointer).invoke(GOAL, thread("cut"))
    assert state(path, "cut")["response"] == "end"


def test_a_file_that_may_only_be_read_is_read(left: Path) -> None:
    def read(name: str) -> Any:
        with closing(sqlite3.connect(f"{left.as_uri()}?mode=ro", uri=True, check_same_thread=False)) as connection:
            return graph(SqliteCheckpoints(connection)).get_state(thread(name)).values

    assert steps(read("cut")) == 2
    log_of(left).unlink()
    assert read("earlier")["response"] == "end"
    with pytest.raises(CheckpointError, match="write-ahead log"):
        read("cut")


def test_a_database_in_memory_has_no_log_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_checkpoints(":memory:") as checkpointer:
        assert graph(checkpointer).invoke(GOAL, thread("1"))["response"] == "end"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"nonsense" * 100, b"\0" * 500])
def test_a_note_that_cannot_be_read_is_none(left: Path, content: bytes) -> None:
    left.with_name(f"{NAME}-commits").write_bytes(content)
    assert steps(state(left, "cut")) == 2


def test_a_note_that_cannot_be_written_stops_no_run(tmp_path: Path) -> None:
    (tmp_path / f"{NAME}-commits").mkdir()
    with open_checkpoints(tmp_path / NAME) as checkpointer:
        assert graph(checkpointer).invoke(GOAL, thread("1"))["response"] == "end"
