"""Processes killed while the sandbox runs a program for them: nothing of it may live on."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from effort import Effort, Row
from killed import ended, forked
from support.scripted import ScriptedModel, code
from thoughtgraph import PythonTests, create_reflection_graph

SECONDS_TO_DIE = 3.0
PROGRAMS = {
    "loop": code("def wait(n):\n    total = 0\n    for i in range(10**9):\n        total += i\n    return total"),
    "sleep": code("import time\n\ndef wait(n):\n    time.sleep(n)\n    return n"),
    "children": code(
        "import subprocess, sys, time\n\ndef wait(n):\n"
        "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n"
        "    time.sleep(n)\n    return n"
    ),
}


def orphans(effort: Effort) -> Row:
    """Kill the process of a loop while its candidate runs; its descendants have to end by themselves."""
    broke: list[str] = []
    met = 0
    tries = effort.count(40)
    for number in range(tries):
        name = list(PROGRAMS)[number % len(PROGRAMS)]
        with tempfile.TemporaryDirectory(prefix="torture") as folder:
            died = Path(folder) / "died.txt"
            child = forked(lambda name=name: solve(PROGRAMS[name]), died)
            if ended(child, within=effort.random("orphans", number).uniform(0.05, 0.6)):
                broke.append(f"{name} {number}: ended by itself {died.read_text()[-300:] if died.exists() else ''}")
                continue
            os.kill(child, signal.SIGSTOP)  # so that nothing is started behind the list
            below = descendants(child)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        met += bool(below)
        deadline = time.monotonic() + SECONDS_TO_DIE
        while (left := [found for found in below if alive(found)]) and time.monotonic() < deadline:
            time.sleep(0.01)
        broke += [f"{name} {number}: {words(found)} lives on" for found in left]
    if not met:
        broke.append("no program was running when its process was killed")
    return Row("a loop killed while the sandbox runs a program", tries, broke, f"{met} with processes below it")


def solve(reply: str) -> None:
    """Run a loop over one candidate that takes its time."""
    tests = PythonTests("assert wait(30) == 30")
    create_reflection_graph(actor=ScriptedModel(replies=[reply]), verifier=tests, max_attempts=1).invoke(
        {"task": "Write `wait(n)`."}
    )


Found = tuple[int, str]


def descendants(process: int) -> list[Found]:
    """The processes below a process, with the time of their start."""
    parents: dict[int, list[Found]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := stat(int(entry.name))):
            parents.setdefault(int(fields[1]), []).append((int(entry.name), fields[19]))
    found: list[Found] = []
    left = [process]
    while left:
        below = parents.get(left.pop(), [])
        found += below
        left += [number for number, _ in below]
    return found


def alive(found: Found) -> bool:
    """Whether a process is still that one, and no zombie."""
    fields = stat(found[0])
    return bool(fields) and fields[19] == found[1] and fields[0] != "Z"


def stat(process: int) -> list[str]:
    """The fields of /proc/N/stat behind the name; none for a process that is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def words(found: Found) -> Any:
    """A process's command line."""
    return Path(f"/proc/{found[0]}/cmdline").read_bytes().replace(b"\0", b" ")[:120]
