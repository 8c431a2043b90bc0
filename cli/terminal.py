"""What the commands share: consoles, failures, and safe printing of text from a model."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import IntEnum
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from .._internal.plain import plain
from .._internal.redact import redacted
from ..errors import ModelSetupError, ModelUnavailableError, RedirectRefusedError, ThoughtGraphError
from ..models.transport import is_model_error

console = Console(stderr=False)
errors = Console(stderr=True)


ModelOption = Annotated[
    str | None, typer.Option("--model", help="local:NAME, FILE.gguf, http://…/v1#name, openai:NAME, provider:NAME")
]


class Exit(IntEnum):
    """Exit codes; scripts can rely on them."""

    PASSED = 0
    FAILED = 1
    USAGE = 2
    UNVERIFIED = 3
    MODEL = 4
    INTERRUPTED = 130


def print_plain(text: object) -> None:
    """Print text that may come from a model: no markup, no terminal control characters."""
    console.print(Text(plain(text)), soft_wrap=True)


def fail(message: str, code: Exit = Exit.USAGE) -> NoReturn:
    """Print a line on standard error and end the command."""
    # Not a string: rich would search it for things to highlight, in time quadratic in the length of a name.
    errors.print(Text(f"thoughtgraph: {plain(redacted(message))}", style="red"), soft_wrap=True)
    raise typer.Exit(code)


@contextmanager
def reported() -> Generator[None]:
    """Turn the library's errors into one line and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        fail("interrupted; a dataset run with --save resumes when you start it again", Exit.INTERRUPTED)
    except (ModelSetupError, ModelUnavailableError, RedirectRefusedError) as problem:
        fail(str(problem), Exit.MODEL)
    except Exception as problem:
        if is_model_error(problem):
            fail(f"the model refused the request: {problem}", Exit.MODEL)
        if not isinstance(problem, (ThoughtGraphError, ValueError, OSError)):
            raise
        fail(str(problem))


@contextmanager
def fetching() -> Generator[Callable[[str, int, int], None]]:
    """A progress bar for downloading weights; it appears only if there is a download."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=errors, transient=True)
    rows: dict[str, Any] = {}

    def tell(what: str, done: int, total: int) -> None:
        if not rows:
            bar.start()
            rows["row"] = bar.add_task(what, total=total)
        bar.update(rows["row"], description=what, completed=done, total=total)
        if done >= total:
            bar.stop()

    try:
        yield tell
    finally:
        bar.stop()
