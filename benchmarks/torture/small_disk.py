"""Runs on a disk that is full and on one that is read-only; started by `databases.py` where /mnt and /media are such.

python small_disk.py SEED TRIES
"""

from __future__ import annotations

import gc
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from runs import LOOPS, go_on, problems, taken_up, told  # noqa: E402 - beside this file
from thoughtgraph.errors import CheckpointError  # noqa: E402

FULL, READ_ONLY = Path("/mnt"), Path("/media")


def full(seed: int, tries: int) -> dict[str, Any]:
    """Fill the disk at random, let a run meet it, make room, and see the run through."""
    broke: list[str] = []
    met = 0
    with tempfile.TemporaryDirectory() as name:
        stories = [told(loop, Path(name)) for loop in LOOPS[1:]]
    for number in range(tries):
        story, chance = stories[number % len(stories)], random.Random(f"{seed}-{number}")
        folder, filler = FULL / str(number), FULL / "filler"
        folder.mkdir()
        fill(filler, chance.randrange(100_000, 400_000))
        try:
            try:
                with taken_up(story, folder, folder / "runs.sqlite") as graph:
                    try:
                        go_on(graph, story, "1", durability=chance.choice(["sync", "async"]))
                    except CheckpointError as error:
                        met += error.kind == "full"
                        broke += [f"{number}: {error}"] if error.kind != "full" else []
                        filler.unlink()
                        values = go_on(graph, story, "1")
                        broke += [f"{number}, same connection: {found}" for found in problems(story, values, folder)]
            except CheckpointError as error:
                met += error.kind == "full"
                broke += [f"{number}: {error}"] if error.kind != "full" else []
            filler.unlink(missing_ok=True)
            with taken_up(story, folder, folder / "runs.sqlite") as graph:
                values = go_on(graph, story, "1")
            broke += [f"{number}: {found}" for found in problems(story, values, folder)]
        except Exception as error:  # noqa: BLE001 - a line of the table
            broke.append(f"{number} of seed {seed}: {type(error).__name__}: {error}"[:300])
        filler.unlink(missing_ok=True)
        shutil.rmtree(folder)
        # A file takes its room until nothing holds it: the frames of an error are let go by the collector alone.
        gc.collect()
    if not met:
        broke.append("no run met the full disk")
    return {
        "what": "a full disk under a run",
        "tried": tries,
        "broke": broke,
        "note": f"{met} runs met it, then resumed",
    }


def fill(path: Path, left: int) -> None:
    """Leave so many bytes."""
    with path.open("wb") as file:
        file.write(bytes(max(0, shutil.disk_usage(path.parent).free - left)))


def read_only() -> dict[str, Any]:
    """A run that was cut short on a disk that is read-only now."""
    broke: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        story = told(LOOPS[0], Path(name))
        ways = {"opened": READ_ONLY / "runs.sqlite", "new": READ_ONLY / "new.sqlite", "folder": READ_ONLY / "a" / "b"}
        for way, path in ways.items():
            try:
                with taken_up(story, Path(name), path) as graph:
                    go_on(graph, story, "1")
                broke.append(f"{way}: nothing was said")
            except CheckpointError as error:
                broke += [f"{way}: {error}"] if error.kind != "read_only" else []
            except Exception as error:  # noqa: BLE001 - a line of the table
                broke.append(f"{way}: {type(error).__name__}: {error}")
    return {"what": "a read-only disk", "tried": len(ways), "broke": broke, "note": "file, new file, new folder"}


if __name__ == "__main__":
    print(json.dumps([full(int(sys.argv[1]), int(sys.argv[2])), read_only()]))
