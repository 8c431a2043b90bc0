"""Every Python and the lowest and latest allowed versions of every dependency; deprecation warnings are errors.

    python benchmarks/torture/compatibility.py            the whole suite in every combination, one after another
    python benchmarks/torture/compatibility.py 3.12       on some Pythons

The torture runs a part of the tests in each combination that goes through every loop, parser, tool and way of keeping
a run; a part of the torture runs it on this Python with the lowest versions alone. What is tested is a wheel built from
a copy of the checkout, in environments that are kept in the user's cache for as long as `pyproject.toml` is the same.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from compatibility_environments import RUNNING, Combination, combinations, copied_checkout, prepared, unreached_bounds
from effort import Effort, Row

SUBSET = (
    "chain_of_thought",
    "chat",
    "checkpoint_order",
    "code_parser",
    "context",
    "context_graph",
    "contract",
    "corpus",
    "critique",
    "duckduckgo",
    "executor",
    "failure_memory",
    "files",
    "generate",
    "guidance",
    "markdown_blocks",
    "middleware_agents",
    "persistence",
    "plan_act",
    "reflection_modes_graph",
    "retry",
    "schedule",
    "search",
    "solver",
    "streaming",
    "survivors_retry",
    "survivors_state",
    "todo",
    "trace_command",
    "transport",
    "when",
)
"""Tests of every loop, parser and tool, of keeping, streaming and showing a run."""
_SUBSET_LIMIT = 300.0
_WHOLE_LIMIT = 3600.0

_IMPORTS = """
import importlib, pkgutil, sys, thoughtgraph
assert "site-packages" in thoughtgraph.__file__, thoughtgraph.__file__
for name in thoughtgraph.__all__:
    getattr(thoughtgraph, name)
count = len(thoughtgraph.__all__)
for module in pkgutil.walk_packages(thoughtgraph.__path__, "thoughtgraph."):
    # One runs the command line, the other is the text that runs inside the sandbox.
    if module.name not in ("thoughtgraph.__main__", "thoughtgraph.tools.harness"):
        importlib.import_module(module.name)
        count += 1
print(count)
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """A program's end: its exit code, None where its time was up, and what it printed."""

    code: int | None
    output: str


def run(command: Sequence[str], folder: Path, limit: float) -> Ended:
    """Run a program with warnings as errors where it is Python; what it started ends with it."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))},
        # Checkpoints may hold nothing but what is declared to be safe to read back.
        "LANGGRAPH_STRICT_MSGPACK": "true",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / ".hypothesis"),
        "PYTHONIOENCODING": "utf-8",
    }
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        output.seek(0)
        return Ended(code, output.read())


def imported(combination: Combination, folder: Path) -> Row:
    """Import every module and every public name, with warnings as errors."""
    ended = run([str(combination.python), "-W", "error", "-c", _IMPORTS], folder, 120)
    lines = ended.output.strip().splitlines() or [""]
    broke = [] if ended.code == 0 else [f"{combination}: {lines[-1][:300]}"]
    return Row(f"imports, {combination}", int(lines[-1]) if not broke else 1, broke)


def tested(combination: Combination, folder: Path, files: Sequence[str], limit: float) -> Row:
    """Run tests; every failure is a line."""
    # Two suites at a time must not clear each other's files.
    with tempfile.TemporaryDirectory() as place:
        command = [str(combination.python), "-m", "pytest", "-v", "--tb=line", "-p", "no:cacheprovider"]
        command += ["-m", "not model and not browser", "--disable-socket", "--allow-unix-socket"]
        command += [f"--basetemp={place}/tests", *files]
        started = time.monotonic()
        ended = run(command, folder, limit)
        seconds = time.monotonic() - started
    counts = {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|failed|errors?)\b", ended.output)}
    broke = [f"{combination}: {line[:300]}" for line in re.findall(r"^(?:FAILED|ERROR) .*", ended.output, re.MULTILINE)]
    if ended.code is None:
        begun = re.findall(r"^tests/\S+::.*", ended.output, re.MULTILINE)
        broke.append(f"{combination}: hangs after {limit:.0f} s in {(begun or ['the beginning'])[-1]}")
    elif ended.code != 0 and not broke:
        broke.append(f"{combination}: pytest ended with {ended.code}: {ended.output.strip()[-300:]}")
    elif not counts.get("passed"):
        broke.append(f"{combination}: no test was run")
    return Row(f"tests, {combination}", sum(counts.values()), broke, f"{seconds:.0f} s")


def tried(combination: Combination, folder: Path, files: Sequence[str], limit: float) -> Row:
    """All that is tried with one combination of versions."""
    try:
        note = prepared(combination, folder)
    except subprocess.CalledProcessError as failed:
        return Row(str(combination), 1, [f"{combination}: cannot be installed: {failed.output.strip()[-500:]}"])
    imports, tests = imported(combination, folder), tested(combination, folder, files, limit)
    unreached = unreached_bounds(combination) if combination.lowest else []
    broke = [*imports.broke, *unreached, *tests.broke]
    return Row(str(combination), imports.tried + tests.tried, broke, f"{note}, tests in {tests.note}")


def torture(effort: Effort) -> Iterator[Row]:
    """A part of the tests in every combination; at a share of less than 1 in one."""
    chosen = combinations()
    if effort.share < 1:
        chosen = [each for each in chosen if each.lowest and each.version == RUNNING]
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(effort.workers) as pool:
        folder = copied_checkout(Path(place))
        files = [f"tests/test_{name}.py" for name in SUBSET if (folder / f"tests/test_{name}.py").exists()]
        yield from pool.map(partial(tried, folder=folder, files=files, limit=_SUBSET_LIMIT), chosen)


def main(versions: Sequence[str]) -> int:
    """The whole suite in every combination; 1 if anything broke."""
    broke = 0
    with tempfile.TemporaryDirectory() as place:
        folder = copied_checkout(Path(place))
        for combination in combinations():
            if not versions or combination.version in versions:
                row = tried(combination, folder, ["tests"], _WHOLE_LIMIT)
                print(f"{row.what}: {row.tried:,} tried, {len(row.broke)} broke; {row.note}", *row.broke, sep="\n    ")
                sys.stdout.flush()
                broke += len(row.broke)
    return 1 if broke else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
