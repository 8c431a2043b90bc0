"""`thoughtgraph memory`: list, show and forget the lessons of past failures."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..traces.lookup import brief
from .terminal import Exit, JsonOption, fail, print_json, print_plain, reported

if TYPE_CHECKING:
    from ..memory.failure_memory import FailureMemory
    from ..memory.lessons import Lesson

memory_app = typer.Typer(no_args_is_help=True, help="Lessons from past failures: list, show, forget.")
_TASK_SHOWN = 70

FileOption = Annotated[Path | None, typer.Option("--file", help="The memory's SQLite file. Default: the usual one.")]
KeyArgument = Annotated[str, typer.Argument(help="A key from `memory list`.")]


@memory_app.command("list")
def list_lessons(
    limit: Annotated[int, typer.Option(min=1, help="Show only the newest N.")] = 50,
    file: FileOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the lessons, newest first: key, day, kind, whether a fix is known, task."""
    with _opened(file) as (memory, path):
        lessons = memory.lessons()
    if as_json:
        print_json({"lessons": lessons[:limit], "of": len(lessons), "file": str(path)})
        return
    for lesson in lessons[:limit]:
        mark = "fixed" if lesson["fix"] else "open"
        print_plain(
            f"{lesson['key']}  {lesson['time'][:10]}  {brief(lesson['kind'], 16):16}  {mark:5}  "
            f"{brief(lesson['task'], _TASK_SHOWN)}"
        )
    count = f"{len(lessons)} lessons" if len(lessons) != 1 else "1 lesson"
    shown = f", the newest {limit} shown" if len(lessons) > limit else ""
    print_plain(f"{count} in {path}{shown}")


@memory_app.command("show")
def show_lesson(key: KeyArgument, file: FileOption = None, as_json: JsonOption = False) -> None:
    """Show a lesson in full. Exit code 2 if no lesson has this key."""
    with _opened(file) as (memory, path):
        lesson = memory.get(key)
    if lesson is None:
        fail(_unknown(key, path))
    print_json(lesson) if as_json else _show(lesson)


@memory_app.command("delete")
def delete_lesson(key: KeyArgument, file: FileOption = None) -> None:
    """Forget a lesson. Exit code 2 if no lesson has this key."""
    with _opened(file) as (memory, path):
        there = memory.delete(key)
    if not there:
        fail(_unknown(key, path))
    print_plain(f"forgot {key}")


@memory_app.command("clear")
def clear_memory(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False, file: FileOption = None
) -> None:
    """Forget every lesson, after asking."""
    with _opened(file) as (memory, path):
        if not yes and not _agreed(f"forget all {len(memory.lessons())} lessons in {path}?"):
            fail("nothing was forgotten: say y, or give --yes")
        count = memory.clear()
    print_plain(f"forgot {count} lessons" if count != 1 else "forgot 1 lesson")


def _agreed(question: str) -> bool:
    """Whether the user says yes; the end of the input does not."""
    try:
        return typer.confirm(question)
    except typer.Abort as aborted:
        if isinstance(aborted.__context__, KeyboardInterrupt):
            fail("interrupted", Exit.INTERRUPTED)
        return False


def _show(lesson: Lesson) -> None:
    for name in ("key", "time", "kind", "task", "error", "lesson", "fix"):
        text = lesson[name]
        if text:
            print_plain(f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    if lesson["evidence"]:
        print_plain(f"evidence: {', '.join(lesson['evidence'])}")


@contextmanager
def _opened(file: Path | None) -> Generator[tuple[FailureMemory, Path]]:
    """Open the memory and name its file; an error becomes one line and an exit code."""
    from ..memory.failure_memory import default_memory_file, open_failure_memory

    path = file or default_memory_file()
    if file is not None and not path.exists():
        # Opening would create it, and a mistyped name would look like an empty memory.
        fail(f"nothing is remembered in {path}: there is no such file")
    with reported(), open_failure_memory(path) as memory:
        yield memory, path


def _unknown(key: str, path: Path) -> str:
    return f"no lesson {key!r} in {path}: `thoughtgraph memory list` shows the keys"
