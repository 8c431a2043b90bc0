"""The assistant in a terminal: reads lines, shows progress and answers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

from rich.console import Console
from rich.text import Text

from .._internal.plain import plain
from ..assistant.assistant import Assistant
from ..assistant.texts import text
from ..assistant.view import progress_lines
from ..errors import ThoughtGraphError

_PROMPT = "› "


def talk(assistant: Assistant, console: Console, read: Callable[[str], str] = input) -> None:
    """Talk until `/quit` or the end of the input. Ctrl-C and errors end the current task, not the program.

    Args:
        assistant: gives the answers.
        console: shows progress and answers.
        read: returns the next line; raises `EOFError` at the end.
    """
    name = assistant.model_name or text(assistant.language, "chat.none")
    console.print(Text(text(assistant.language, "chat.welcome", model=plain(name)), style="dim"))
    _take_up_pending(assistant, console)
    while True:
        try:
            said = read(_PROMPT)
        except (EOFError, KeyboardInterrupt):
            console.print()
            break
        if said.strip().lower() == "/quit":
            break
        if said.strip():
            _answer(assistant, console, said)
    console.print(Text(text(assistant.language, "chat.bye"), style="dim"))


def _take_up_pending(assistant: Assistant, console: Console) -> None:
    """Show a question that is still open, or resume an interrupted run."""
    pending, goal = assistant.pending, plain(assistant.goal)
    if pending == "question":
        console.print(Text(text(assistant.language, "chat.pending_question", goal=goal), style="dim"))
        console.print(Text(plain(assistant.question), style="bold"))
    elif pending == "run" and assistant.model_name:
        console.print(Text(text(assistant.language, "chat.pending_run", goal=goal), style="dim"))
        _answer(assistant, console, "/resume")


def _answer(assistant: Assistant, console: Console, said: str) -> None:
    live, answer = console.is_terminal, ""
    try:
        with console.status(text(assistant.language, "chat.thinking")) if live else nullcontext():
            for piece in assistant.stream(said):
                if isinstance(piece, str):
                    answer = piece
                    continue
                for line in progress_lines(piece, assistant.language):
                    console.print(line, soft_wrap=not live)
        console.print(Text(plain(answer), style="bold" if live else ""), soft_wrap=not live)
    except KeyboardInterrupt:
        console.print(Text(text(assistant.language, "chat.stopped"), style="yellow"))
    except ThoughtGraphError as problem:
        console.print(Text(plain(str(problem)), style="red"), soft_wrap=True)


def remember_inputs(path: Path) -> Callable[[], None]:
    """Load the prompt's history from earlier sessions; returns a function that saves it at the end.

    Needs the terminal's line editor (`readline`). A script's input is not saved.
    """
    if not sys.stdin.isatty():
        return lambda: None
    try:
        import readline
    except ImportError:
        return lambda: None
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(1000)

    def write() -> None:
        with suppress(OSError):
            readline.write_history_file(path)

    return write
