"""The memory of failures in an SQLite file: reopened, damaged, and written by several processes at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from langgraph.store.sqlite import SqliteStore
from support.lessons import lesson
from thoughtgraph import open_failure_memory
from thoughtgraph.errors import MemoryStoreError

pytestmark = pytest.mark.slow


def test_a_memory_on_disk_is_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "memory.sqlite"
    with open_failure_memory(path) as memory:
        memory.remember([lesson("把列表中的偶数相加。", fix="代码")])
    with open_failure_memory(path) as memory:
        assert memory.recall("把列表中的奇数相加。")[0]["fix"] == "代码"


def test_the_usual_file_lies_with_the_users_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thoughtgraph.memory.failure_memory.user_data_path", lambda name: tmp_path / name)
    with open_failure_memory() as memory:
        memory.remember([lesson("Reverse.")])
    assert (tmp_path / "thoughtgraph" / "memory.sqlite").exists()


@pytest.mark.parametrize("kind", ["folder", "no-database"])
def test_a_file_that_cannot_be_opened_is_an_error_of_the_library(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "memory.sqlite"
    path.mkdir() if kind == "folder" else path.write_text("no database " * 100)
    with pytest.raises(MemoryStoreError, match="cannot open"), open_failure_memory(path):
        pass


def test_a_row_that_is_not_even_json_is_skipped(tmp_path: Path) -> None:
    with open_failure_memory(tmp_path / "memory.sqlite") as memory:
        memory.remember([lesson("Reverse.")])
    with SqliteStore.from_conn_string(str(tmp_path / "memory.sqlite")) as raw:
        raw.conn.execute("INSERT INTO store (prefix, key, value) VALUES ('thoughtgraph.failures', 'x', '{broken')")
        raw.conn.execute("INSERT INTO store (prefix, key, value) VALUES ('thoughtgraph.failures', 'y', '[1]')")
    with open_failure_memory(tmp_path / "memory.sqlite") as memory:
        assert len(memory.recall("Reverse.")) == 1


_WRITER = """
import sys
from thoughtgraph import open_failure_memory
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
empty = {"key": "", "kind": "k", "error": "", "lesson": "", "fix": "", "evidence": [], "time": "", "similarity": 0.0}
with open_failure_memory(path) as memory:
    for number in range(count):
        memory.remember([{**empty, "task": f"{name} {number}"}])
"""


@pytest.mark.parametrize(("count", "kept"), [(20, 60), (180, 500)], ids=["below-the-bound", "above-the-bound"])
def test_processes_that_open_and_write_one_file_lose_nothing_and_keep_the_bound(
    tmp_path: Path, count: int, kept: int
) -> None:
    path = tmp_path / "memory.sqlite"
    command = [sys.executable, "-c", _WRITER, str(path)]
    writers = [
        subprocess.Popen([*command, name, str(count)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for name in ("one", "two", "three")
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, problem = writer.communicate(timeout=120)
        assert writer.returncode == 0, problem
    with open_failure_memory(path) as memory:
        assert len(memory.lessons()) == kept
