"""Texts that try to be SQL, shell or paths, through everything that writes to a database or names a file."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langgraph.store.sqlite import SqliteStore
from support.scripted import ScriptedModel
from thoughtgraph import create_reflection_graph
from thoughtgraph.cli.main import app
from thoughtgraph.errors import CommandError
from thoughtgraph.evaluation import Task
from thoughtgraph.evaluation.many import arun_many
from thoughtgraph.memory.failure_memory import FailureMemory, open_failure_memory
from thoughtgraph.tools.agenda import Agenda
from typer.testing import CliRunner

_NUMBERS = (
    "0",
    "-1",
    "9" * 19,
    "9" * 30,
    "9" * 400,
    "1e400",
    "0x1",
    "1.5",
    "1;2",
    "1 OR 1=1",
    "١",
    "¹",
    "1,1,1",
    "*",
    "all",
)


def agenda_problems(text: str, place: Path) -> list[str]:
    """What came of commands that hold a text: nothing but what a command says may change, and that wholly."""
    found: list[str] = []
    file = place / "agenda.sqlite"
    file.unlink(missing_ok=True)
    with Agenda(file) as agenda:
        agenda.run("/todo add keep this")
        agenda.run("/schedule add keep that 2030-01-01 10:00")
        shape = _dump(file, "SELECT sql FROM sqlite_master")
        for line in _commands(text):
            before = _dump(file, "SELECT * FROM todos"), _dump(file, "SELECT * FROM appointments")
            try:
                agenda.run(line)
            except CommandError as refused:
                str(refused).encode()
                expected = before
            except Exception as error:  # noqa: BLE001
                found.append(f"{line[:50]!r} raised {type(error).__name__}: {error}")
                continue
            else:
                expected = None
            after = _dump(file, "SELECT * FROM todos"), _dump(file, "SELECT * FROM appointments")
            if expected is None and (added := line.startswith(("/todo add", "/schedule add"))):
                old, new = before[0] + before[1], after[0] + after[1]
                expected = after if added and len(new) == len(old) + 1 and not set(old) - set(new) else before
            if after != (expected or before):
                found.append(f"{line[:50]!r} changed {sorted(set(map(str, before)) ^ set(map(str, after)))[:2]}")
            if (
                _dump(file, "PRAGMA integrity_check") != [("ok",)]
                or _dump(file, "SELECT sql FROM sqlite_master") != shape
            ):
                found.append(f"{line[:50]!r} damaged the database")
        kept = [todo.text for todo in agenda.todos()]
        if "keep this" not in kept:
            found.append(f"a todo was lost by {text[:40]!r}")
        if text.strip() in ("' OR '1'='1", "%", "_", "?", "milk'; DROP TABLE todos;--") and text not in kept:
            found.append(f"{text!r} was not kept as it is: {kept}")
    return found


def _commands(text: str) -> Iterator[str]:
    yield f"/todo add {text}"
    yield f'/todo add "{text}"'
    yield f"/schedule add {text} 2030-02-02 10:00"
    for order in ("find", "show", "list", "list --tag", "list --due", "list --priority"):
        yield f"/todo {order} {text}"
    for order in ("find", "show", "list"):
        yield f"/schedule {order} {text}"
    yield f"/view {text}"
    for number in _NUMBERS:
        yield f"/todo show {number} {text}"
        yield f"/todo rm {number}{text}"
    for number in ("0", "-1", "9" * 19, "9" * 400, "1 OR 1=1"):
        yield f"/todo rm {number}"
        yield f"/todo done {number}"
        yield f"/schedule rm {number}"


def _dump(file: Path, query: str) -> list[Any]:
    connection = sqlite3.connect(file)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def memory_problems(text: str, place: Path) -> list[str]:
    """What came of a text in every field of a lesson, in the keys that are asked for, and on the command line."""
    found: list[str] = []
    file = place / "memory.sqlite"
    file.unlink(missing_ok=True)
    other: Any = _lesson("something else")
    # What no database takes is replaced.
    kept = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    with open_failure_memory(file) as memory:
        memory.remember([other, _lesson(text)])
        known = memory.lessons()
        if sorted(lesson["fix"] for lesson in known) != sorted([other["fix"], kept]):
            found.append(f"other lessons than were given: {[lesson['fix'][:40] for lesson in known]}")
        memory.recall(text, kind=text, error=text)
        if memory.get(text) or memory.delete(text) or len(memory.lessons()) != 2:
            found.append("a text that is no key was taken for one")
    for arguments in (["show", text], ["delete", text]):
        result = CliRunner().invoke(app, ["memory", arguments[0], "--file", str(file), "--", arguments[1]])
        if result.exit_code != 2 or not isinstance(result.exception, SystemExit):
            found.append(f"memory {arguments[0]} ended with {result.exit_code} {result.exception!r}")
    with open_failure_memory(file) as memory:
        if memory.lessons() != known:
            found.append("the command line changed what is remembered")
    if _dump(file, "PRAGMA integrity_check") != [("ok",)]:
        found.append("the database is damaged")
    return [f"{problem}, for {text[:40]!r}" for problem in found]


def namespace_problems(text: str, place: Path) -> list[str]:
    """What came of a text as the namespace of a memory: another user's lessons are never seen."""
    with SqliteStore.from_conn_string(str(place / "store.sqlite")) as store:
        store.setup()
        mine = FailureMemory(store, namespace=("users", "me"))
        mine.clear()
        mine.remember([_lesson("mine")])
        try:
            theirs = FailureMemory(store, namespace=("users", text))
            theirs.remember([_lesson("theirs")])
            seen = [lesson["task"] for lesson in theirs.lessons()]
            theirs.clear()
        except Exception as error:  # noqa: BLE001 - a namespace that the memory or the store refuses
            own = type(error).__module__.startswith("thoughtgraph") or str(error).startswith("namespace has to be")
            seen = [] if own else [repr(error)]
        left = [lesson["task"] for lesson in mine.lessons()]
    good = seen in ([], ["theirs"]) and left == ["mine"]
    return [] if good else [f"namespace {text[:40]!r}: seen {seen}, left {left}"]


def _lesson(text: str) -> Any:
    names = ("key", "task", "kind", "error", "lesson", "fix", "time")
    return {**dict.fromkeys(names, text), "evidence": [text], "similarity": 0.0}


def run_file_problems(names: list[str], place: Path) -> list[str]:
    """Where the runs of tasks with these names were saved but in a file of its own, in the folder."""
    tasks = [Task(name, "Say x.", "", "", "") for name in dict.fromkeys(names)]
    folder = place / "runs"

    def build(task: Task) -> Any:
        return create_reflection_graph(actor=ScriptedModel(replies=["x"]), max_attempts=1)

    results = asyncio.run(arun_many(build, tasks, save=folder, concurrency=1))
    files = {path.name for path in folder.iterdir()} - {"results.jsonl"}
    found = [
        f"{result.task_id[:40]!r} ended by {result.stop_reason}"
        for result in results
        if result.stop_reason["kind"] == "error"
    ]
    if files != {result.run_file for result in results} or len(files) != len(tasks):
        found.append(f"{len(tasks)} tasks have {len(files)} files")
    if [path.name for path in place.iterdir()] != ["runs"]:
        found.append(f"something was written beside the folder: {sorted(path.name for path in place.iterdir())}")
    return found


def lookup_problems(name: str, place: Path) -> list[str]:
    """What `thoughtgraph trace` makes of a name that is no run: a line and exit code 2, and nothing is written."""
    found: list[str] = []
    for arguments in (["show"], ["html"], ["export", "--format", "graphml"], ["diff", str(place)]):
        result = CliRunner().invoke(app, ["trace", *arguments, "--", name])
        if result.exit_code != 2 or not isinstance(result.exception, SystemExit):
            found.append(f"trace {arguments[0]} {name[:40]!r} ended with {result.exit_code} {result.exception!r}")
    if left := list(place.iterdir()):
        found.append(f"{name[:40]!r} left {left}")
    return found
