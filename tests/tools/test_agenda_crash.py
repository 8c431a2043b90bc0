"""A process that is killed in the middle of an effect, and processes that work on one file at once."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from threading import Timer

import pytest
from thoughtgraph.tools.agenda import Agenda

pytestmark = pytest.mark.slow

KILLED_AT = """
import os, sqlite3, sys
from thoughtgraph.tools.agenda import Agenda

path, line, fatal = sys.argv[1:]
connect, connections = sqlite3.connect, []
sqlite3.connect = lambda *args, **kwargs: connections.append(connect(*args, **kwargs)) or connections[-1]
agenda = Agenda(path)
connections[-1].set_trace_callback(lambda sql: fatal and sql.startswith(fatal) and os.kill(os.getpid(), 9))
agenda.run(line, key="run:5")
os.kill(os.getpid(), 9)
"""

ADDS_FIFTY = """
import pathlib, sys, time
from thoughtgraph.tools.agenda import Agenda

path, name, go = sys.argv[1:]
print("ready", flush=True)
while not pathlib.Path(go).exists():
    time.sleep(0.001)
with Agenda(path) as agenda:
    for number in range(50):
        agenda.run(f"/todo add {name} {number}", key=f"{name}:{number}")
"""


def killed(path: Path, line: str, fatal: str) -> None:
    program = [sys.executable, "-c", KILLED_AT, str(path), line, fatal]
    result = subprocess.run(program, capture_output=True, text=True, check=False)
    assert result.returncode == -signal.SIGKILL, result.stderr


@pytest.mark.parametrize(
    ("fatal", "survives"),
    [
        ("BEGIN", False),
        ("INSERT INTO todos", False),
        ("INSERT INTO effects", False),
        ("COMMIT", False),
        ("", True),
    ],
    ids=["at begin", "before the effect", "between effect and key", "before the commit", "after the commit"],
)
def test_a_killed_command_is_applied_exactly_once_when_it_runs_again(
    tmp_path: Path, fatal: str, survives: bool
) -> None:
    path = tmp_path / "agenda.db"
    killed(path, "/todo add x", fatal)
    with Agenda(path) as agenda:
        assert [todo.text for todo in agenda.todos()] == (["x"] if survives else [])
        assert agenda.run("/todo add x", key="run:5") == "Added todo 1: x."
        assert [todo.text for todo in agenda.todos()] == ["x"]


def test_being_killed_again_and_again_does_not_add_up(tmp_path: Path) -> None:
    path = tmp_path / "agenda.db"
    for fatal in ("COMMIT", "INSERT INTO effects", "", ""):
        killed(path, "/todo add x", fatal)
    with Agenda(path) as agenda:
        assert len(agenda.todos()) == 1


def test_a_removal_that_was_killed_takes_nothing_else_when_it_runs_again(tmp_path: Path) -> None:
    path = tmp_path / "agenda.db"
    with Agenda(path) as agenda:
        agenda.run("/schedule add Gym 2030-01-01 10:00")
        agenda.run("/schedule add Gym 2030-01-02 10:00 --place there")
    killed(path, "/schedule rm 1", "")
    with Agenda(path) as agenda:
        assert agenda.run("/schedule rm 1", key="run:5").startswith("Removed appointment 1: Gym")
        assert [entry.start for entry in agenda.appointments()] == [datetime(2030, 1, 2, 10)]


def test_a_command_waits_for_another_writer_and_sees_what_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "agenda.db"
    with Agenda(path) as agenda, Agenda(path) as other, ThreadPoolExecutor() as pool:
        agenda.run("/todo add a")
        blocker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        blocker.execute("BEGIN IMMEDIATE")
        blocker.execute("UPDATE todos SET text = 'b'")
        waiting = pool.submit(other.run, "/todo done 1", "run:5")
        release = Timer(0.1, blocker.execute, ["COMMIT"])
        release.start()
        assert waiting.result() == "Done: 1: b."
        release.join()
        blocker.close()


def test_two_processes_add_to_one_new_file_at_once(tmp_path: Path) -> None:
    path, go = tmp_path / "agenda.db", tmp_path / "go"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", ADDS_FIFTY, str(path), name, str(go)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    go.touch()
    errors = [worker.communicate()[1] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], errors
    with Agenda(path) as agenda:
        todos = agenda.todos()
    assert {todo.text for todo in todos} == {f"{name} {number}" for name in ("one", "two") for number in range(50)}
    assert sorted(todo.id for todo in todos) == list(range(1, 101))
