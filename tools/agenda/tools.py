"""The agenda's commands as LangChain tools with one argument, tolerant of how a model starts its line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._internal.texts import Language
from ...errors import CommandError
from ..calls.idempotency import idempotency_key
from ..calls.required import Missing, Told
from ..dates.words import ORDERS, fold, next_word, one_line, unquoted
from ..examples import PlanExample, ToolExample
from .agenda import Agenda
from .examples.runs import SCHEDULE_EXAMPLES, SCHEDULE_PLANS, TODO_EXAMPLES, TODO_PLANS
from .needs import missing_of
from .schedule import SCHEDULE_ORDERS
from .texts import text
from .todo import TODO_ORDERS

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def schedule_tool(agenda: Agenda) -> BaseTool:
    """The schedule as a LangChain tool named `schedule`, with one argument, `command`.

    It takes `/schedule …` lines, adds a missing slash or first word, and applies a command only once per idempotency
    key of the current call.

    Raises:
        CommandError: from the tool: the command is not one of these, or could not be carried out.
    """
    examples, plans = SCHEDULE_EXAMPLES[agenda.language], SCHEDULE_PLANS[agenda.language]
    return slash_tool(agenda, "schedule", ("schedule",), frozenset(SCHEDULE_ORDERS), examples, plans)


def todo_tool(agenda: Agenda) -> BaseTool:
    """The todo list as a LangChain tool named `todo`, with one argument, `command`.

    It takes `/todo …` and `/view …` lines, adds a missing slash or first word, and applies a command only once per
    idempotency key of the current call.

    Raises:
        CommandError: from the tool: the command is not one of these, or could not be carried out.
    """
    examples, plans = TODO_EXAMPLES[agenda.language], TODO_PLANS[agenda.language]
    return slash_tool(agenda, "todo", ("todo", "view"), frozenset(TODO_ORDERS), examples, plans)


def slash_tool(
    agenda: Agenda,
    name: str,
    accepted: tuple[str, ...],
    orders: frozenset[str],
    examples: Sequence[ToolExample],
    plans: Sequence[PlanExample],
) -> BaseTool:
    """A tool that carries out the slash commands of one kind.

    Args:
        agenda: the agenda that the commands work on.
        name: the tool's name, and the command to add to a line without one.
        accepted: the commands that the tool takes.
        orders: the orders of its main command.
        examples: examples of its use.
        plans: example plans that use it.
    """
    # Imported here: it takes half a second, and the commands work without it.
    from langchain_core.tools import StructuredTool

    def carry_out(command: str) -> str:
        line = _put_right(command, name, accepted, orders, agenda.language)
        return agenda.run(line, idempotency_key())

    about = text(agenda.language, f"{name}.tool")

    def held(given: Mapping[str, Any]) -> list[str]:
        return _changed(str(given.get("command", "")), name, accepted, orders, agenda.language)

    def changes(given: Mapping[str, Any]) -> bool:
        return bool(held(given))

    def missing(given: Mapping[str, Any], told: Told) -> Missing | None:
        try:
            line = _put_right(str(given.get("command", "")), name, accepted, orders, agenda.language)
            return missing_of(agenda, line, told)
        except CommandError:
            # The call itself says what is wrong.
            return None

    metadata = {"examples": examples, "plans": plans, "grounded": held, "effects": changes, "required": missing}
    return StructuredTool.from_function(carry_out, name=name, description=about, metadata=metadata)


def _changed(
    command: str, name: str, accepted: tuple[str, ...], orders: frozenset[str], language: Language
) -> list[str]:
    """What a command writes into the agenda; nothing of one that only reads, and of one that will be refused."""
    try:
        line = _put_right(command, name, accepted, orders, language)
    except CommandError:
        return []
    kind, rest = next_word(line.removeprefix("/"))
    word, details = next_word(rest)
    order = {"todo": TODO_ORDERS, "schedule": SCHEDULE_ORDERS}.get(kind, {}).get(ORDERS.get(word.rstrip(":,"), ""))
    # Quotes only hold a text together here, and its first word has a capital anyway.
    written = fold(details).replace('"', " ").strip()
    return [written[:1].lower() + written[1:]] if order and order.changes else []


def _usual(command: str, rest: str) -> str:
    """Correct what small models mix up between the commands: a todo's date, an appointment without an order."""
    order = ORDERS.get(next_word(rest)[0])
    if command == "todo" and order == "add":
        return re.sub(r"(?<!\S)--at(?!\S)", "--due", rest)
    if command == "schedule" and order is None and re.search(r"(?<!\S)--at(?!\S)", rest):
        return f"add {rest}"
    return rest


def _put_right(command: str, name: str, accepted: tuple[str, ...], orders: frozenset[str], language: Language) -> str:
    word, rest = next_word(unquoted(one_line(command)).lstrip("/／ "))
    first = word.rstrip(":")
    if first in accepted:
        return f"/{first} {_usual(first, rest)}"
    if ORDERS.get(first) in orders:
        return f"/{name} {first} {rest}"
    starts = " / ".join(f"/{command}" for command in accepted)
    raise CommandError(command, text(language, "agenda.wrong_tool", name=name, starts=starts, word=word[:100]))
