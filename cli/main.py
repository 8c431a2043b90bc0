"""The command line: puts the commands together, each from its own file."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from contextlib import suppress
from functools import wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from .._internal.plain import ending_output, plain_marks
from .chat import chat
from .compare import compare
from .memory import memory_app
from .model import model_app
from .solve import solve
from .terminal import fail, print_plain, reported
from .trace import trace_app


class Commands(TyperGroup):
    """Commands that refuse an empty value, as of `--model "$MODEL"` where that is not set."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command, and look at the values that it is given."""
        name, command, given = super().resolve_command(ctx, args)
        values: dict[str, Any] = {}
        if command is not None and not isinstance(command, TyperGroup):
            with suppress(Exception):  # The command itself says what is wrong with its arguments.
                own = command.context_class(command, info_name=name, parent=ctx)
                values = command.make_parser(own).parse_args(list(given))[0]
            for parameter in command.params:
                value = values.get(parameter.name or "")
                if _is_blank(value) or (isinstance(value, list) and any(map(_is_blank, cast("list[object]", value)))):
                    fail(f"{parameter.opts[0]} is empty: give a value, or leave it out")
        return name, command, given


def _is_blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Reasoning loops that check every reply.",
)
app.add_typer(model_app, name="model", cls=Commands)
app.add_typer(memory_app, name="memory", cls=Commands)
app.add_typer(trace_app, name="trace", cls=Commands)
app.command()(solve)


@app.command("compare")
@wraps(compare)
def compare_reported(**options: Any) -> NoReturn:
    """Run `compare`; report an error as one line and an exit code."""
    with reported(resumes=bool(options["save"])):
        code = compare(**options)
    raise typer.Exit(code)


app.command()(chat)


def main() -> None:
    """Run a command; the program ends with its exit code."""
    sys.stdout, sys.stderr = ending_output(sys.stdout), ending_output(sys.stderr)
    plain_marks(sys.stdout, sys.stderr)
    if cast(object, sys.stdin) is None:
        # Closed by whoever started the program: nothing will ever be typed.
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - stays open
    if not sys.warnoptions:
        # What a library has to say to programmers is no answer to a command; `python -W default` shows it.
        warnings.simplefilter("ignore")
        logging.getLogger().addHandler(logging.NullHandler())
    try:
        if "--version" in sys.argv[1:2]:
            print_plain(f"thoughtgraph {version('thoughtgraph')}")
        else:
            app(prog_name="thoughtgraph")
    finally:
        if cast(object, sys.stdout) is not None:
            # Whatever a pipe has not taken by now; Python itself would only complain, and exit with 120.
            sys.stdout.flush()
