"""What the commands share: consoles, progress, failures, and safe printing of text from a model."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import fields
from enum import IntEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from .._internal.atomic import check_replaceable, local_path
from .._internal.plain import READER_GONE, plain
from .._internal.redact import redacted
from .._internal.strict_json import dumps
from ..errors import (
    ModelSetupError,
    ModelUnavailableError,
    RedirectRefusedError,
    RequestTooLongError,
    ThoughtGraphError,
)
from ..traces.metrics.money import dollars

if TYPE_CHECKING:
    from ..evaluation.backends.on_ray import RayBackend
    from ..evaluation.backends.ray_workers import BatchStatus

if os.environ.get("COLUMNS") == "0":
    # Who does not know the width of a terminal may say so; rich would print nothing.
    del os.environ["COLUMNS"]
console = Console(stderr=False)
errors = Console(stderr=True)


ModelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="local:NAME, FILE.gguf, http://…/v1#name, openai:NAME, provider:NAME. "
        "Repeated: a cascade, the cheapest first.",
    ),
]
AttemptsOption = Annotated[int, typer.Option(min=1, help="Attempts per task, including the first.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON on standard output, and all else on standard error.")
]
RayOption = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Run the tasks on Ray: local, auto, or a cluster's address."),
]
WorkersOption = Annotated[int | None, typer.Option(min=1, help="With --ray: worker processes. Default: one a CPU.")]
CheckpointsOption = Annotated[
    str | None, typer.Option(metavar="URL", help="With --ray: a PostgreSQL database that keeps the runs.")
]
BatchOption = Annotated[str, typer.Option(help="With --checkpoints: the batch's name; it goes on under the same one.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result alone, no progress.")]

# What Python puts into its messages, and no user needs.
_NUMBER = re.compile(r"\[Errno -?\d{1,9}\] ")
_NOT_TEXT = re.compile(r"'utf-8' codec can't decode bytes? [^:]{1,99}: [a-z ]{1,99}")
_SHARES = 10
"""How many lines of progress a pipe gets for each thing that is counted."""


class Exit(IntEnum):
    """Exit codes; scripts can rely on them."""

    PASSED = 0
    FAILED = 1
    USAGE = 2
    UNVERIFIED = 3
    MODEL = 4
    INTERRUPTED = 130
    READER_GONE = READER_GONE


def print_json(result: object) -> None:
    """Print a result for a program, escaped to ASCII so that any terminal or pipe takes it; dataclasses as objects."""
    typer.echo(dumps(result, default=_fields))


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def print_plain(text: object) -> None:
    """Print text that may come from a model: no markup, no terminal control characters."""
    console.print(Text(plain(text)), soft_wrap=True)


def fail(message: str, code: Exit = Exit.USAGE) -> NoReturn:
    """Print a line on standard error and end the command."""
    # Not a string: rich would search it for things to highlight, in time quadratic in the length of a name.
    said = _NOT_TEXT.sub("it is not UTF-8 text", _NUMBER.sub("", message))
    errors.print(Text(f"thoughtgraph: {plain(redacted(said))}", style="red"), soft_wrap=True)
    raise typer.Exit(code)


@contextmanager
def reported(*, resumes: bool = False) -> Generator[None]:
    """Turn the library's errors into one line and an exit code; of an interrupted command that `resumes`, say so."""
    try:
        yield
    except KeyboardInterrupt:
        fail(f"interrupted{'; the same command goes on from here' if resumes else ''}", Exit.INTERRUPTED)
    except (ModelSetupError, RedirectRefusedError, ModelUnavailableError, RequestTooLongError) as problem:
        fail(str(problem), Exit.MODEL)
    except Exception as problem:
        _fail_of_model(problem)
        if isinstance(problem, OSError) and problem.strerror and problem.filename:
            fail(f"cannot use {problem.filename}: {problem.strerror}")
        if not isinstance(problem, (ThoughtGraphError, ValueError, OSError)):
            raise
        fail(str(problem))


def _fail_of_model(problem: Exception) -> None:
    # Here, for help and completion load no model's client.
    from ..models.streams.answers import provider_said
    from ..models.transport import is_model_error, is_refused_key

    if is_model_error(problem):
        refused = "the provider refused the key" if is_refused_key(problem) else "the model refused the request"
        fail(f"{refused}: {provider_said(problem)}", Exit.MODEL)


@contextmanager
def ungrouped() -> Generator[None]:
    """Raise the first error of a group on its own: tasks that run at the same time end together."""
    try:
        yield
    except BaseExceptionGroup as group:
        first: Any = group
        while isinstance(first, BaseExceptionGroup):
            first = cast(Any, first).exceptions[0]
        raise first from None


def import_from_here() -> None:
    """Find `module:function` in the current folder, too, where the console script does not look by itself."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        # Last, so that no file here stands for a module of the same name.
        sys.path.append(str(Path.cwd()))


def own_function(path: str | None, option: str) -> Any:
    """The function that an import path names; None for none.

    Raises:
        ValueError: it cannot be imported; the message names the option.
    """
    if path is None:
        return None
    from ..models.open import imported

    try:
        return imported(path)
    except Exception as problem:
        raise ValueError(f"{option} {path}: {type(problem).__name__}: {problem}") from problem


def ray_backend(
    address: str | None,
    workers: int | None,
    in_flight: int,
    checkpoints: str | None,
    batch: str,
) -> RayBackend | None:
    """The backend that the options ask for; None for this process.

    Raises:
        ValueError: the options do not go together.
    """
    if address is None:
        if workers or checkpoints or batch:
            raise ValueError("--workers, --checkpoints and --batch go with --ray")
        return None
    from ..evaluation.backends.on_ray import RayBackend

    return RayBackend(address=address, workers=workers, in_flight=in_flight, checkpoints=checkpoints, batch=batch)


class LatestStatus:
    """The last status of a batch on Ray, in words; "" before the first."""

    words = ""

    def note(self, status: BatchStatus) -> None:
        """Take the next one."""
        machines = len({name.rpartition(":")[0] for name in status.running})
        cost = "" if status.cost is None else f" for {dollars(status.cost)}"
        self.words = (
            f"{status.failed:,} failed, {status.tokens:,} tokens{cost}, {status.runs_a_second:,.1f} runs/s, "
            f"{sum(status.running.values()):,} running in {len(status.running):,} workers on {machines:,} machine(s)"
        )


def try_folder(folder: Path) -> None:
    """Make a folder, and write into it, before a model is paid for what is to be saved there.

    Raises:
        OSError: it cannot be made or written to, or a file is in its place.
    """
    try:
        local_path(folder).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"cannot save to {folder}: a file is there, and --save needs a folder") from None
    with TemporaryFile(dir=folder):
        pass


def try_file(path: Path) -> None:
    """Like `try_folder`, for a file; one that is there stays as it is."""
    if path.is_dir():
        raise ValueError(f"cannot save to {path}: it is a folder; name a file, such as {path / 'run.jsonl'}")
    check_replaceable(path)
    try_folder(path.parent)


@contextmanager
def progress_told(
    *columns: ProgressColumn, quiet: bool = False, about: Callable[[], str] = str
) -> Generator[Callable[[str, int, int], None]]:
    """Shows how far something is: a bar in a terminal, a line now and then elsewhere, both on standard error.

    Args:
        columns: of the bar, after what it is about.
        quiet: show nothing.
        about: what else is known at the moment, to be shown beside the title.
    """
    rows: dict[str, TaskID] = {}
    shown: dict[str, int] = {}
    bar = Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), *columns, console=errors, transient=True
    )

    def draw(title: str, done: int, total: int) -> None:
        bar.start()
        if title not in rows:
            rows[title] = bar.add_task(title, total=total)
        said = ": ".join(filter(None, [title, about()]))
        bar.update(rows[title], completed=done, total=total, description=said)

    def write(title: str, done: int, total: int) -> None:
        share = done * _SHARES // total if total else 0
        if shown.get(title) != share:
            shown[title] = share
            said = ", ".join(filter(None, [f"{plain(title)}: {done:,} of {total:,}", about()]))
            errors.print(Text(said), soft_wrap=True)

    def hide(title: str, done: int, total: int) -> None: ...

    try:
        yield hide if quiet else draw if errors.is_terminal else write
    finally:
        if rows:
            bar.stop()


def fetching(quiet: bool = False) -> Any:
    """`progress_told` for downloading weights, in bytes; nothing is shown if there is no download."""
    return progress_told(DownloadColumn(), TimeElapsedColumn(), quiet=quiet)
