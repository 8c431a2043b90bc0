"""`/view`: todos and appointments together."""

from __future__ import annotations

from ...errors import CommandError
from ..dates.periods import parse_period
from ..dates.words import fold
from .appointments import appointment_list, read_appointments
from .items import State, read_todos, todo_list
from .line import ORDERS, unquoted
from .request import Request

_ALL = ("all", "全部")


def show_view(request: Request, rest: str) -> str:
    """What `/view` shows.

    Args:
        request: the current line.
        rest: the text after `/view`: nothing for open todos and upcoming appointments, `all`, `todo`, `schedule`,
            `done`, or a period of days.

    Raises:
        CommandError: `rest` is none of these.
    """
    words = unquoted(rest)
    folded = fold(words).casefold()
    if folded in ("todo", "todos"):
        return _todos(request, "open")
    if folded == "schedule":
        return appointment_list(request, read_appointments(request.db, start=request.now), "upcoming")
    if ORDERS.get(folded) == "done":
        return _todos(request, "done")
    if folded in _ALL:
        both = _todos(request, "all"), appointment_list(request, read_appointments(request.db), "all")
    elif not folded:
        upcoming = read_appointments(request.db, start=request.now)
        both = _todos(request, "open"), appointment_list(request, upcoming, "upcoming")
    else:
        both = _of_days(request, words)
    return "\n\n".join(both)


def _todos(request: Request, state: State) -> str:
    todos = read_todos(request.db, state)
    return todo_list(request, todos, state) if todos else request.say(f"todo.none.{state}")


def _of_days(request: Request, words: str) -> tuple[str, str]:
    try:
        start, end = parse_period(words, request.now, request.language)
    except CommandError as problem:
        usage = request.say("view.usage")
        raise request.refuse("agenda.usage", problem=problem, usage=usage) from None
    todos = [todo for todo in read_todos(request.db, "open") if todo.due and start <= todo.due < end]
    due = todo_list(request, todos, "due") if todos else request.say("todo.none.due")
    return due, appointment_list(request, read_appointments(request.db, start, end), "period")
