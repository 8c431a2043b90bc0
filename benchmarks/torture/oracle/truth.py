"""The judge of truth: the ordinary interpreter in a fresh process, with nothing of ours in between.

The program stands in front of the tests, or in `solution.py` where they import it, in a folder of its own; then a
script is run as a script, a pytest file by pytest, a suite of unittest by `python -m unittest`. What is right ends with
0. What has to do with sets or hashes is judged under two seeds of hashing: a pair that depends on the seed is
`"unsteady"`, and left out. Verdicts are kept in the user's cache folder by checksum, because a process a pair takes its
time.
"""

from __future__ import annotations

import ast
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import pytest
from effort import spread
from platformdirs import user_cache_path

from .pair import Pair, digest, imports_solution

Truth = Literal["passed", "failed", "late", "unsteady"]

_SECONDS = 20
_PROCESSOR_SECONDS = 4
_SECONDS_A_LOOK = 0.004
_MIB = 1024 * 1024
_MANY_SEEDS = 12
_PIECE = 100


def judge(pairs: Sequence[Pair], workers: int) -> list[Truth]:
    """What plain CPython says of each pair."""
    known = _known()
    unknown = list({_key(pair): pair for pair in pairs if _key(pair) not in known}.values())
    path = _file()
    path.parent.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(unknown), _PIECE):
        piece = unknown[start : start + _PIECE]
        found = {_key(pair): truth for pair, truth in zip(piece, spread(_truth, piece, workers), strict=True)}
        known |= found
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(item)}\n" for item in found.items())
    return [known[_key(pair)] for pair in pairs]


def is_steady(pair: Pair) -> bool:
    """Whether many seeds of hashing say the same: asked where the sandbox disagrees, before it is blamed."""
    return not _hashes(pair) or len({_outcome(pair, seed) for seed in range(_MANY_SEEDS)}) == 1


def said(pair: Pair) -> str:
    """What the tests print in the end when plain CPython runs them, for a reader."""
    with tempfile.TemporaryDirectory() as folder:
        return _run(pair, Path(folder), 0)[1]


def _truth(pair: Pair) -> Truth:
    first = _outcome(pair, 1)
    if first == "late" or not _hashes(pair):
        return first
    return first if _outcome(pair, 2) == first else "unsteady"


def _hashes(pair: Pair) -> bool:
    """Whether a pair has to do with sets or hashes: what has not is the same under every seed."""
    for node in ast.walk(ast.parse(f"{pair.code}\n{pair.tests}")):
        if isinstance(node, (ast.Set, ast.SetComp)):
            return True
        if isinstance(node, ast.Name) and node.id in ("set", "frozenset", "hash", "id"):
            return True
    return False


def _outcome(pair: Pair, seed: int) -> Truth:
    with tempfile.TemporaryDirectory() as folder:
        return _run(pair, Path(folder), seed)[0]


def _run(pair: Pair, folder: Path, seed: int) -> tuple[Truth, str]:
    name = "test_solution.py" if pair.runner != "script" else "main.py"
    tests = pair.tests
    if pair.entry_point and f"check({pair.entry_point})" not in tests:
        tests += f"\n\ncheck({pair.entry_point})\n"
    if imports_solution(tests):
        (folder / "solution.py").write_text(pair.code, encoding="utf-8")
        (folder / name).write_text(tests, encoding="utf-8")
    else:
        (folder / name).write_text(f"{pair.code}\n\n{tests}", encoding="utf-8")
    how = {
        "script": [name],
        "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", name],
        "unittest": ["-m", "unittest", "-q", "test_solution"],
    }[pair.runner]
    with (folder / "said").open("w+b") as output:
        process = subprocess.Popen(
            [sys.executable, "-s", "-B", *how],
            cwd=folder,
            env={**_ENVIRONMENT, "PYTHONHASHSEED": str(seed), "HOME": str(folder), "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_limited,
        )
        ended = _ended(process)
        output.seek(0)
        text = output.read()[-4_000:].decode("utf-8", "replace")
    if ended in (-signal.SIGXCPU, -signal.SIGKILL):
        return "late", text
    return ("passed" if ended == 0 else "failed"), text


def _ended(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process that gets so many seconds; what it started ends with it."""
    deadline = time.monotonic() + _SECONDS
    # It stays a zombie while its group is ended, for its number must not be another's by then.
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while os.waitid(os.P_PID, process.pid, options) is None and time.monotonic() < deadline:
        time.sleep(_SECONDS_A_LOOK)
    os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_PROCESSOR_SECONDS, _PROCESSOR_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (4096 * _MIB, 4096 * _MIB))
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 * _MIB, 8 * _MIB))


_ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _key(pair: Pair) -> str:
    return digest(pair.runner, pair.entry_point, pair.code, pair.tests)[:32]


def _file() -> Path:
    version = f"{platform.python_implementation()}-{platform.python_version()}-pytest-{pytest.__version__}"
    return user_cache_path("thoughtgraph") / "oracle" / f"{version}.jsonl"


@cache
def _known() -> dict[str, Truth]:
    if not _file().is_file():
        return {}
    lines: Iterable[str] = _file().read_text(encoding="utf-8").splitlines()
    return dict(json.loads(line) for line in lines if line.endswith("]"))
