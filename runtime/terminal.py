"""What the commands share: where they print, how they fail, and text from a model that must not steer a terminal."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import typer
from langchain_core.exceptions import ModelError
from rich.console import Console
from rich.text import Text

from ..trace.errors import ModelSetupError, ModelUnavailableError, ThoughtGraphError

console = Console(stderr=False)
errors = Console(stderr=True)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Exit(IntEnum):
    """Exit codes; scripts can rely on them."""

    PASSED = 0
    FAILED = 1
    USAGE = 2
    UNVERIFIED = 3
    MODEL = 4
    INTERRUPTED = 130


def plain(text: object) -> str:
    """Text without control characters, but for line ends and tabs, and without those that reorder what is shown."""
    return _CONTROL.sub("\ufffd", str(text))


def print_plain(text: object) -> None:
    """Print what may come from a model: no markup, and nothing that steers the terminal."""
    console.print(Text(plain(text)), soft_wrap=True)


def fail(message: str, code: Exit = Exit.USAGE) -> NoReturn:
    """End the command with a line on standard error."""
    errors.print(f"thoughtgraph: {plain(message)}", style="red", markup=False, soft_wrap=True)
    raise typer.Exit(code)


@contextmanager
def reported() -> Generator[None]:
    """Turns the library's errors into a line and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        fail("interrupted; a dataset run with --save goes on where it was when it is started again", Exit.INTERRUPTED)
    except (ModelSetupError, ModelUnavailableError) as problem:
        fail(str(problem), Exit.MODEL)
    except ModelError as problem:
        fail(f"the model refused the request: {problem}", Exit.MODEL)
    except (ThoughtGraphError, ValueError, OSError) as problem:
        fail(str(problem))
