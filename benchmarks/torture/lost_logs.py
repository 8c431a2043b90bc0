"""SQLite's write-ahead log, lost or damaged behind a kill: the newest state is read, or an error says that it went."""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from effort import Effort, Row
from killed import forked
from runs import Story, begin, taken_up
from thoughtgraph import open_checkpoints
from thoughtgraph.errors import CheckpointError

NAME = "runs.sqlite"
UNTOUCHED = "left as it was"
THREAD: Any = {"configurable": {"thread_id": "1"}}


def lost_logs(effort: Effort, stories: Sequence[Story]) -> Row:
    """Kill a run, damage the log that it left, and look at what another process makes of it."""
    broke: list[str] = []
    ends: Counter[str] = Counter()
    tries = effort.count(100)
    with tempfile.TemporaryDirectory(prefix="torture") as name:
        for number in range(tries):
            story, chance = stories[number % len(stories)], effort.random("lost logs", number)
            folder = Path(name) / str(number)
            folder.mkdir()
            child = forked(partial(killed_behind, story, folder, chance.randrange(1, 12)), folder / "died.txt")
            os.waitpid(child, 0)
            if (folder / "died.txt").exists():
                broke.append(f"log {number} of seed {effort.seed}: {(folder / 'died.txt').read_text()[-300:]}")
                continue
            words = spoil_log(folder / f"{NAME}-wal", chance)
            end = read(folder)
            held = end in ("whole", "refused", "refused, with an earlier checkpoint")
            ends[end if held else "older"] += 1
            if not held or (words == UNTOUCHED and end != "whole"):
                broke.append(f"log {number} of seed {effort.seed} ({story.loop}, {words}): {end}")
            shutil.rmtree(folder)
    note = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    return Row("a lost or damaged write-ahead log", tries, broke, note)


def killed_behind(story: Story, folder: Path, steps: int) -> None:
    """Leave a run after so many steps, and what its newest state was; never returns."""
    with taken_up(story, folder, folder / NAME) as graph:
        begin(graph, story, "1", steps)
        (folder / "newest.txt").write_text(newest(graph.checkpointer))
        os.kill(os.getpid(), signal.SIGKILL)


def newest(checkpoints: Any) -> str:
    """Names the newest state of the thread: its checkpoint, and how much is written behind it."""
    found = checkpoints.get_tuple(THREAD)
    return f"{found.checkpoint['id']} {len(found.pending_writes)}" if found else "an empty thread"


def spoil_log(path: Path, chance: random.Random) -> str:
    """Lose the log, or a part of it."""
    content = bytearray(path.read_bytes())
    start = chance.randrange(len(content))
    match chance.choice(["nothing", "gone", "cut", "bits", "page"]):
        case "nothing":
            return UNTOUCHED
        case "gone":
            path.unlink()
            return "gone"
        case "cut":
            del content[start:]
            words = f"cut at {start}"
        case "bits":
            content[start] ^= 1 << chance.randrange(8)
            words = f"a bit turned at {start}"
        case _:
            content[start : start + 4096] = bytes(len(content[start : start + 4096]))
            words = f"zeros at {start}"
    path.write_bytes(content)
    return words


def read(folder: Path) -> str:
    """How another process finds the thread."""
    was = (folder / "newest.txt").read_text()
    try:
        with open_checkpoints(folder / NAME) as checkpoints:
            is_now = newest(checkpoints)
    except CheckpointError as error:
        return "refused, with an earlier checkpoint" if error.readable else "refused"
    except Exception as error:  # noqa: BLE001 - a line of the table
        return f"{type(error).__name__}: {error}"[:300]
    return "whole" if is_now == was else f"{is_now} was read for {was}"
