"""The command line: puts the commands together, each from its own file."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from functools import wraps
from importlib.metadata import version
from typing import Any, NoReturn

import typer

from .._internal.plain import plain_marks
from .chat import chat
from .compare import compare
from .memory import memory_app
from .model import model_app
from .solve import solve
from .terminal import console, reported
from .trace import trace_app

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Reasoning loops that check every reply.",
)
app.add_typer(model_app, name="model")
app.add_typer(memory_app, name="memory")
app.add_typer(trace_app, name="trace")
app.command()(solve)


@app.command("compare")
@wraps(compare)
def compare_reported(**options: Any) -> NoReturn:
    """Run `compare`; report an error as one line and an exit code."""
    with reported():
        code = compare(**options)
    raise typer.Exit(code)


app.command()(chat)


def main() -> None:
    """Entry point of the console script."""
    plain_marks(sys.stdout, sys.stderr)
    if not sys.warnoptions:
        # What a library has to say to programmers is no answer to a command; `python -W default` shows it.
        warnings.simplefilter("ignore")
        logging.getLogger().addHandler(logging.NullHandler())
    if "--version" in sys.argv[1:2]:
        console.print(json.dumps({"thoughtgraph": version("thoughtgraph")}))
        return
    app(prog_name="thoughtgraph")
