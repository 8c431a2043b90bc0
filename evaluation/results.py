"""What is kept of a batch of tasks: a line a task in `results.jsonl`, and the settings that made the folder's runs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeVar, cast

from .._internal.atomic import append_whole, local_path, write_whole
from .._internal.strict_json import dumps, loads
from ..errors import NotKeptError, RunFileError
from ..traces.reading.address import is_address
from .datasets import Task

RESULTS = "results.jsonl"
SETTINGS = "settings.json"
ATTEMPTS = "attempts.jsonl"
"""Under one budget for many tasks: a line an attempt, in the order in which they were made."""
CHECKPOINTS = "checkpoints.sqlite"
"""Of runs that wait, and go on with further attempts."""
OPTIONS_OF = "options of "
"""Begins the name of a setting: what a model was asked with, such as its temperature and its seed."""
UNFINISHED = ("model_unavailable", "error")
"""The kinds of stop after which a later call runs the task again."""

_KINDS = {"task_id": str, "stop_reason": dict, "attempts": list, "usage": dict, "run_file": str}

T = TypeVar("T")


@contextmanager
def keeping(path: Path) -> Generator[None]:
    """Keep something in a file of a batch's folder.

    Raises:
        NotKeptError: it cannot be written.
    """
    try:
        yield
    except OSError as problem:
        raise NotKeptError(path, problem.strerror or problem) from problem


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How one task of a batch ended.

    A task that raised (its tests check nothing, the model refuses the request) ends with the stop kind `"error"`.

    Attributes:
        task_id: of the `Task`.
        verdict: the loop's own verdict; the loop sees only the verifier, such as the visible tests.
        stop_reason: why the loop ended, a `StopReason`.
        answer: the final answer; "" for none.
        attempts: a short entry per attempt.
        usage: the tokens that the loop spent, a `Usage`.
        seconds: wall time.
        run_file: the name of the run's file in the results' folder, or its address in object storage; "" for none.
        scored: the scorer's verdict on the answer, such as that of visible and hidden tests together; the loop's
            verdict if there is no answer, and "" without a scorer.
        first_scored: the scorer's verdict on the first attempt's answer; "" without a scorer.
        score: the scorer's points for the answer, from 0 to 1, and 0 if there is no answer; None if it could not judge,
            or without a scorer.
        scoring: why the scorer could not judge; "" if it could.
    """

    task_id: str
    verdict: str
    stop_reason: dict[str, Any]
    answer: str
    attempts: list[dict[str, Any]]
    usage: dict[str, int]
    seconds: float
    run_file: str
    scored: str = ""
    first_scored: str = ""
    score: float | None = None
    scoring: str = ""

    def __post_init__(self) -> None:
        """Refuse what a damaged line may hold."""
        if wrong := [name for name, kind in _KINDS.items() if not isinstance(getattr(self, name), kind)]:
            raise ValueError(f"{wrong[0]} is no {_KINDS[wrong[0]].__name__}")
        if "kind" not in self.stop_reason:
            raise ValueError("stop_reason has no kind")
        if not all(isinstance(cast(object, attempt), dict) for attempt in self.attempts):
            raise ValueError("an attempt is no dict")

    @property
    def final_verdict(self) -> str:
        """The scorer's verdict; the loop's without a scorer."""
        return self.scored or self.verdict

    @property
    def first_verdict(self) -> str:
        """The verdict on the first attempt's answer: the scorer's, or the loop's without a scorer."""
        if self.scored:
            return self.first_scored or "unverified"
        return str(self.attempts[0]["verdict"] or "unverified") if self.attempts else "unverified"

    @property
    def points(self) -> float | None:
        """The answer's points from 0 to 1: the scorer's, or the loop's without a scorer; None if nothing judged it."""
        if self.scored or self.verdict == "unverified":
            return self.score
        # Of an answer that passed, a better score of one that failed says nothing.
        judged = [attempt for attempt in self.attempts if attempt["verdict"] == "passed"] or self.attempts
        return max((float(attempt["score"]) for attempt in judged), default=None)

    @property
    def is_scored(self) -> bool:
        """A scorer has judged the first and the final answer; if not, a later call asks it again."""
        return bool(self.scored and self.first_scored in ("passed", "failed") and not self.scoring)

    @property
    def solved(self) -> bool:
        """The final verdict is `"passed"`; an answer that nothing could judge is not solved."""
        return self.final_verdict == "passed"

    @property
    def false_accept(self) -> bool:
        """The loop accepted the answer, but the scorer did not."""
        return self.verdict == "passed" and self.scored == "failed"


def free_name(stem: str, is_taken: Callable[[str], bool], joint: str = "-") -> str:
    """The stem, or where that is taken, the stem with the first number behind it that is not."""
    return next(name for name in chain([stem], (f"{stem}{joint}{n}" for n in count(2))) if not is_taken(name))


def run_of(folder: Path, result: TaskResult) -> str | Path:
    """Where a result's run is: in the folder, or at an address."""
    return result.run_file if is_address(result.run_file) else folder / result.run_file


def add_result(folder: Path, result: TaskResult) -> None:
    """Note a result; a later line for the same task counts."""
    add_line(folder / RESULTS, asdict(result))


def add_line(path: Path, line: dict[str, Any]) -> None:
    """Append a line of JSON; the next one is not glued to a part of it if the disk is full."""
    with keeping(path):
        append_whole(path, f"{dumps(line)}\n".encode())


def known_results(folder: Path) -> dict[str, TaskResult]:
    """The results that a folder holds, by task; without those of tasks that have to run again.

    Raises:
        RunFileError: a line cannot be read.
    """
    _make(folder)
    results = read_lines(folder / RESULTS, TaskResult)
    # Run a task again if it failed by an error or because the model was unavailable.
    return {result.task_id: result for result in results if result.stop_reason["kind"] not in UNFINISHED}


def read_lines(path: Path, make: Callable[..., T]) -> list[T]:
    """The lines of a file, each read by `make` from its fields; a last line that was cut off is dropped from the file.

    Raises:
        RunFileError: a line cannot be read.
    """
    if not path.exists():
        return []
    try:
        whole = path.read_text(encoding="utf-8")
        lines = whole.rstrip("\n").split("\n")
    except UnicodeDecodeError as problem:
        raise RunFileError(f"{path} is not UTF-8: {problem.reason}. Choose another folder, or fix the file.") from None
    made: list[T] = []
    for number, line in enumerate(lines, 1):
        try:
            fields = loads(line)
        except ValueError as problem:
            if number == len(lines):
                # An interrupt cut this line off.
                with keeping(path):
                    write_whole(path, "".join(f"{kept}\n" for kept in lines[:-1]).encode())
                break
            raise RunFileError(f"{path}, line {number}: {problem}. Choose another folder, or fix the line.") from None
        try:
            made.append(make(**fields))
        except (ValueError, TypeError) as problem:
            # A whole line is not lost for what it holds, which has been paid for.
            raise RunFileError(f"{path}, line {number}: {problem}. Choose another folder, or fix the line.") from None
    if whole and not whole.endswith("\n") and len(made) == len(lines):
        # The next line is not to be glued to it.
        with keeping(path):
            write_whole(path, f"{whole}\n".encode())
    return made


def check_settings(folder: Path, settings: dict[str, Any], tasks: Sequence[Task], *, whole_rows: bool = False) -> None:
    """Record a folder's settings and tasks, and refuse a folder whose runs were made with others.

    Args:
        folder: of the runs; created if missing.
        settings: JSON values.
        tasks: all of them.
        whole_rows: a function reads the rows, so a change in any field makes another task.

    Raises:
        RunFileError: the folder is a file, or holds runs with other settings, or of a task whose text or tests have
            changed since.
    """
    path = folder / SETTINGS
    _make(folder)
    kept = _kept(path)
    known: dict[str, str] = kept.pop("tasks", {})
    if kept:
        # Nobody knows the options of a model that is given by its name, nor those of an earlier version's folder.
        settings = {**{name: kept[name] for name in kept if name.startswith(OPTIONS_OF)}, **settings}
        kept = {**{name: settings[name] for name in settings if name.startswith(OPTIONS_OF)}, **kept}
        both = {name: (kept.get(name, "unset"), settings.get(name, "unset")) for name in {**kept, **settings}}
        if said := "; ".join(f"{name} {old!r}, not {new!r}" for name, (old, new) in both.items() if old != new):
            raise RunFileError(f"{folder} holds runs of other settings ({said}): choose another folder")
    now = {task.task_id: fingerprint(task, whole_rows) for task in tasks}
    if changed := [name for name in now if known.get(name, now[name]) != now[name]]:
        names = ", ".join(changed[:5])
        raise RunFileError(f"{folder} holds runs of other tasks that are called {names}: choose another folder")
    with keeping(path):
        write_whole(path, dumps({**settings, "tasks": {**known, **now}}).encode())


def _make(folder: Path) -> None:
    if local_path(folder).is_file():
        raise RunFileError(f"cannot save to {folder}: a file is there, and `save` takes a folder")
    with keeping(folder):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def held_alone(folder: Path) -> Generator[None]:
    """Lock a folder for one batch: two batches would pay for the same runs twice, and break each other's files.

    If the system cannot lock folders, nothing is locked. A lock ends with its process and the forks of that.

    Args:
        folder: of the runs; created if missing.

    Raises:
        RunFileError: another batch holds it, or it is a file.
    """
    _make(folder)
    try:
        # Windows has none.
        import fcntl
    except ImportError:
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunFileError(
                f"another batch is saving to {folder}: wait for its end and call this again, or choose another folder"
            ) from None
        except OSError:
            # Some network file systems have no locks.
            pass
        yield
    finally:
        with suppress(OSError):
            # A process that was forked meanwhile, as for a scorer's pool, has the descriptor too, and keeps the lock.
            fcntl.flock(place, fcntl.LOCK_UN)
        os.close(place)


def fingerprint(task: Task, whole_row: bool) -> str:
    """A task's text and tests, or all of its row, as a hash."""
    names = ("task_id", "prompt", "entry_point", "visible_tests", "hidden_tests", "level")
    parts: dict[str, Any] = {name: getattr(task, name) for name in names}
    if whole_row:
        parts["fields"] = dict(task.fields)
    # What is not JSON has no text that stays the same from one program to the next.
    return hashlib.sha256(dumps(parts, default=lambda value: type(value).__name__).encode()).hexdigest()[:16]


def _kept(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        kept: object = loads(path.read_text(encoding="utf-8"))
        if not isinstance(kept, dict) or not isinstance(cast("dict[str, Any]", kept).get("tasks", {}), dict):
            raise TypeError("it holds no settings and tasks")
        return cast("dict[str, Any]", kept)
    except (ValueError, TypeError) as problem:
        raise RunFileError(f"cannot read {path}: {problem}. Choose another folder.") from None
