"""The agenda's commands as LangChain tools with one argument, tolerant of how a model starts its line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..._internal.numbers import check_kind
from ...errors import CommandError
from ..calls.idempotency import idempotency_key
from ..dates.words import fold
from ..metadata import Missing, Told
from .agenda import Agenda
from .checks.asked_about.impossible import in_its_month
from .checks.known import known_entries, stands_alone
from .checks.meant.borrowed import in_own_words
from .checks.meant.bulk import in_bulk
from .checks.meant.emptied import with_a_change
from .checks.meant.followed import as_it_follows
from .checks.meant.in_full import both_done, named_in_full
from .checks.meant.latest import of_the_latest
from .checks.meant.misnamed import as_named, named_rightly
from .checks.meant.moved import as_done, as_its_appointment, as_moved, as_told_by_its_day
from .checks.meant.undone import other_one, undone
from .checks.put_right.as_told import as_told
from .checks.put_right.lasting import as_it_lasts
from .checks.put_right.lenient import changed, list_of, put_right
from .checks.put_right.lists import until_an_appointment, whole_list
from .checks.put_right.moments import in_half_of_day
from .checks.put_right.spans import in_one_moment
from .checks.rules import missing_in
from .checks.said.slips import without_slips
from .checks.scope import scoped
from .examples.runs import EXAMPLES, example_plans
from .line import first_command, ids_of
from .request import NAMES, Kind
from .texts import text

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def schedule_tool(agenda: Agenda) -> BaseTool:
    """The schedule as a LangChain tool named `schedule`, with one argument, `command`.

    It takes `/schedule …` lines, adds a missing slash or first word, and applies a command only once per idempotency
    key of the current call.

    Raises:
        CommandError: from the tool: the command is not one of these, or could not be carried out.
    """
    return _slash_tool(agenda, "schedule")


def todo_tool(agenda: Agenda) -> BaseTool:
    """The todo list as a LangChain tool named `todo`, with one argument, `command`.

    It takes `/todo …` and `/view …` lines, adds a missing slash or first word, and applies a command only once per
    idempotency key of the current call.

    Raises:
        CommandError: from the tool: the command is not one of these, or could not be carried out.
    """
    return _slash_tool(agenda, "todo")


def _slash_tool(agenda: Agenda, name: Kind) -> BaseTool:
    """A tool that carries out the slash commands of one kind.

    Args:
        agenda: the agenda that the commands work on.
        name: the tool's name, and the command to add to a line without one.
    """
    check_kind("agenda", agenda, Agenda, "an Agenda")
    # Imported here: it takes half a second, and the commands work without it.
    from langchain_core.tools import StructuredTool

    def carry_out(command: str) -> str:
        line = put_right(command, name, agenda.language)
        try:
            return agenda.run(line, idempotency_key())
        except CommandError as refused:
            whole, wanted = whole_list(line)
            if whole:
                return f"{text(agenda.language, 'agenda.all_instead', wanted=wanted[:100])}\n{agenda.run(whole)}"
            # Without the usage: a small model takes its words for the command, brackets and all.
            raise CommandError(refused.command, refused.problem) from None

    about = text(agenda.language, f"{name}.tool")

    def writes(given: Mapping[str, Any]) -> list[str]:
        return changed(str(given.get("command", "")), name, agenda.language)

    def held(given: Mapping[str, Any]) -> list[str]:
        # A date in the name of an entry is no other one: "finish the rota for next week".
        try:
            there = {fold(one.text).casefold() for one in (*agenda.todos("all"), *agenda.appointments())}
        except CommandError:
            # The call itself says that the file cannot be read.
            there = set[str]()
        # "1,3" names two entries, and is no number.
        written = [one.replace(",", ", ") if ids_of(one) else one for one in writes(given)]
        return [one for one in written if one.casefold() not in there]

    def changes(given: Mapping[str, Any]) -> bool:
        return bool(writes(given))

    def of_its_own(command: str, told: Told) -> Told:
        try:
            return scoped(agenda, put_right(command, name, agenda.language), in_its_month(without_slips(told)))
        except CommandError:
            return without_slips(told)

    def is_settled(command: str, told: Told) -> bool:
        # The user's words are about something else than what comes back, and of two names they have the wrong one.
        return command in (undone(agenda, told), named_rightly(agenda, told), other_one(agenda, command, told))

    def missing(given: Mapping[str, Any], told: Told) -> Missing | None:
        try:
            line = put_right(str(given.get("command", "")), name, agenda.language)
            if is_settled(line, told):
                return None
            return missing_in(agenda, line, in_its_month(without_slips(told)))
        except CommandError:
            # The call itself says what is wrong.
            return None

    def told_so(given: Mapping[str, Any], told: Told) -> dict[str, Any]:
        written = str(given.get("command", ""))
        try:
            command = put_right(written, name, agenda.language)
        except CommandError:
            command = in_one_moment(written, name)
        if is_settled(command, told):
            return {**given, "command": command}
        if listed := until_an_appointment(agenda, command, told):
            return {**given, "command": listed}
        about = of_its_own(command, told)
        if lasting := as_it_lasts(agenda, command, about):
            return {**given, "command": lasting}
        command = as_told(command, about)
        command = as_it_follows(agenda, command, told)
        return {**given, "command": in_half_of_day(agenda, command, about)}

    def meant_for(given: Mapping[str, Any], told: Told) -> tuple[str, dict[str, Any]]:
        command = first_command(str(given.get("command", "")), "\n".join(told.request))
        for meant in (as_told_by_its_day, as_its_appointment, as_moved, as_done):
            command = meant(agenda, command, told)
        if (back := undone(agenda, told) or other_one(agenda, command, told)) and changes(given):
            return back.split()[0].lstrip("/"), {"command": back}
        kind, line = list_of(agenda, command, name, of_its_own(command, told))
        line = with_a_change(agenda, kind, line, told, of_its_own(line, told))
        line = in_own_words(agenda, line, told)
        for instead in (of_the_latest, in_bulk, as_named, named_in_full, both_done):
            kind, line = instead(agenda, kind, line, told)
        return kind, {"command": line}

    metadata = {
        "examples": EXAMPLES[name][agenda.language],
        "plans": example_plans(name, agenda.language),
        "grounded": held,
        "effects": changes,
        "finishes_step": True,
        "required": missing,
        "as_told": told_so,
        "context": partial(known_entries, agenda, name),
        "stands_alone": partial(stands_alone, agenda),
        "meant_for": meant_for,
        "names": NAMES[name],
    }
    return StructuredTool.from_function(carry_out, name=name, description=about, metadata=metadata)
