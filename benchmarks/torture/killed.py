"""Processes that are killed at random moments, and what takes up their runs."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sqlite3
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runs import Progress, Story, go_on, problems, taken_up

SECONDS_A_RUN = 60.0
KILLS_A_RUN = 6
MOMENT = 0.004  # seconds from a step to a kill, on average


@dataclass(frozen=True)
class Case:
    """A run to be killed, again and again.

    Attributes:
        database: the address of one; "" for a file of the run's own.
        kills: how often at most.
    """

    story: Story
    database: str
    number: int
    seed: str
    kills: int = KILLS_A_RUN


@dataclass
class Survived:
    """How a run came through: kills that hit it, and what broke."""

    kills: int = 0
    broke: str = ""


def killed_and_resumed(case: Case) -> Survived:
    """Kill a run's processes at random moments, see it through in the last one, and hold it to the undisturbed one."""
    chance = random.Random(case.seed)
    seen = Survived()
    with tempfile.TemporaryDirectory(prefix="torture") as name:
        folder = Path(name)
        place, thread = case.database or str(folder / "runs.sqlite"), f"{case.story.loop}-{case.seed}"
        # A tool's effect is promised to be made once where the decision is on disk before it is carried out.
        durability = "sync" if case.story.loop == "plan_act" else chance.choice(["sync", "async"])
        try:
            for _ in range(chance.randint(1, case.kills)):
                steps = chance.randint(0, len(case.story.known) // 2)
                if not killed(case, chance, folder, place, thread, durability, steps):
                    break
                seen.kills += 1
            child = forked(lambda: attempt(case.story, folder, place, thread, durability), folder / "died.txt")
            if died := died_of(child, folder / "died.txt"):
                seen.broke = f"{thread}: {died[-400:]} after {seen.kills} kills"
            else:
                found = json.loads((folder / "found.json").read_text())
                seen.broke = f"{thread}: {found} after {seen.kills} kills, {durability}" if found else ""
            seen.broke = seen.broke or locked(folder)
        except Exception as error:  # noqa: BLE001 - a line of the table
            seen.broke = f"{thread}: {error!r}"
    return seen


def killed(
    case: Case, chance: random.Random, folder: Path, place: str, thread: str, durability: str, steps: int
) -> bool:
    """Start a process on a run, and kill it a moment after it has made so many steps; whether it was still there.

    Moments by the clock would all be early ones on a machine that is busy.
    """
    listening, saying = os.pipe()

    def work() -> None:
        Progress.pipe = saying
        attempt(case.story, folder, place, thread, durability)

    child = forked(work, folder / "died.txt")
    os.close(saying)
    try:
        for _ in range(steps):
            if not select.select([listening], [], [], SECONDS_A_RUN)[0] or not os.read(listening, 1):
                break
        if ended(child, within=chance.expovariate(1 / MOMENT)):
            return False
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status)
    finally:
        os.close(listening)


def attempt(story: Story, folder: Path, place: str, thread: str, durability: str) -> None:
    """What each process does: take the run up where it is, and write down how its end compares."""
    with taken_up(story, folder, place) as graph:
        values = go_on(graph, story, thread, durability=durability)
    part = folder / "found.part"
    part.write_text(json.dumps(problems(story, values, folder)))
    part.replace(folder / "found.json")


def forked(work: Callable[[], None], died: Path) -> int:
    """Start a process that does something and exits; what it raises is written down."""
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:  # noqa: BLE001 - the parent reads it
        with suppress(OSError):
            died.write_text(traceback.format_exc())
    finally:
        os._exit(0)


def ended(child: int, within: float) -> bool:
    """Wait for a process for so many seconds; whether it has ended, and is no more."""
    deadline = time.monotonic() + within
    while True:
        found, _ = os.waitpid(child, os.WNOHANG)
        if found:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.0005)


def died_of(child: int, died: Path) -> str:
    """What a process has written down of its end; "" for a good one. One that hangs is killed."""
    if not ended(child, within=SECONDS_A_RUN):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return f"hung for {SECONDS_A_RUN:g} s"
    return died.read_text() if died.exists() else ""


def locked(folder: Path) -> str:
    """Which file of a run somebody still holds, or has left damaged."""
    for path in folder.glob("*.sqlite"):
        with closing(sqlite3.connect(path, timeout=0)) as store:
            try:
                store.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                return f"{path.name}: {error}"
            store.rollback()
            whole: Any = store.execute("PRAGMA integrity_check").fetchone()[0]
            if whole != "ok":
                return f"{path.name}: {whole}"
    return ""
