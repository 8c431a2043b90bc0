"""Takes commands as small models write them."""

from __future__ import annotations

import re
from functools import lru_cache

from ....._internal.texts import Language
from .....errors import CommandError
from ....dates.durations import is_duration
from ....dates.found import SOME_DAY
from ....dates.when import is_when, read_when
from ....dates.words import IN_A_LIST, fold
from ....likeness import reports
from ....metadata import Told
from ...agenda import Agenda
from ...line import (
    DATED,
    ORDERS,
    VALUE,
    is_nothing,
    next_word,
    one_line,
    option,
    option_value,
    parted,
    unquoted,
    without_option,
)
from ...request import (
    NAMES,
    Kind,
    entries_named,
    fitting_entries,
    kind_of,
    options_for,
    split_options,
    with_option_named,
)
from ...schedule import SCHEDULE_ORDERS
from ...texts import text
from ...todo import TODO_ORDERS
from ..entries import entries_meant, named_in
from ..said.clauses import SENTENCE
from ..said.news import ended_by
from ..said.words import is_for_calendar
from .deadlines import OF_TODOS, as_appointment, as_deadline, as_errand, as_new_day
from .lists import list_meant, with_filters
from .named import as_next_planned, as_ticked_off, as_wished, by_id, of_the_entry
from .spans import in_one_moment
from .worded import with_its_moment

# Copied from a description of the command.
_PLACEHOLDER = re.compile(
    r"(?<=\s)(?:TEXT|WHEN|ID|WORDS|内容|编号|关键词)(?=…|\.\.\.|\s*\[|\s+--|\s*$)|\[--\w+|--\w+ WHEN\b"
)
_OPTION = re.compile(r"(?<!\S)--([a-z]+)", re.IGNORECASE)
_SYNONYMS = {
    "todo": [("at|by|before|deadline|until|till|before|on|to|date|when|time", "due"), ("prio|urgency", "priority")],
    "schedule": [
        ("due|on|by|before|date|time|from|start|deadline", "at"),
        ("to", "at"),
        ("duration|length|lasting", "for"),
        ("where|in|venue|room|location", "place"),
    ],
    "view": [],
}
"""By command: what is written for an option, and the option."""
_ALLOWED = {"todo": {"due", "tag", "priority"}, "schedule": {"at", "for", "place"}, "view": set[str]()}
_ON_MY_LIST = re.compile(
    r"^(\S+ )(?:please )?(?:put|add|note|enter|write)(?: down)? (?!some|smth|sth|the list)(\S.*?\S) "
    rf"{IN_A_LIST}",
    re.IGNORECASE,
)
_TO = option("to|into|with")
_OF_A_LIST = re.compile(
    r"\s--(?:at|to|in|on|into|due|when|list|place|where|location|venue)[\s=:]+"
    r"(?:the |my )?(?:diary|calendar|agenda|schedule|(?:to-?do )?list)"
    r"(?=\s*(?:--|$))",
    re.IGNORECASE,
)
"""An option that only says which list an entry is for."""
_BEGUN = re.compile(r"^[/／\s]*(?:[a-z]{2,8}\s+){1,2}(?=[/／](?:todo|schedule)\s)", re.IGNORECASE)
"""Before a command that a small model began anew: `todo add /todo add milk`."""
_DUE_IN_TEXT = re.compile(rf"\s+(?:is )?due (?:on |by |at )?({VALUE})", re.IGNORECASE)
_LIST = re.compile(r"\b(?:list|to-?dos?|tasks?|notes?|remind\w*)\b|待办|清单|任务|提醒", re.IGNORECASE)
_REOPENS = re.compile(
    r"\b(?:undo|un\w+|reopen|again|still|back|not|never|wrong\w*|after all)\b|n['’]t\b|撤销|还没|没有|不|又|重新",
    re.IGNORECASE,
)
_ITSELF = re.compile(
    r"^(edit\s+(\d+))[:,]?\s+(?:the )?(?:todo|to-do|task|appointment|event|entry|schedule|待办|任务|日程)\s*\2(?=\s|$)",
    re.IGNORECASE,
)
"""An entry that a command names once more after its id, where a new text would stand."""
_TEXT_OPTION = option("text|new|name|title|content", "")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00)?(?![\d:])", re.IGNORECASE)
_TEXT_LAST = re.compile(r'^(\S+)\s+(--\S+\s+[^\s"](?:(?!\s--)[^"])*)\s("[^"]+")(?=\s|$)')
"""A text in quotes behind the first option."""
_COMMANDS: dict[Kind, tuple[str, ...]] = {"todo": ("todo", "view"), "schedule": ("schedule",)}
_ORDERS: dict[Kind, frozenset[str]] = {"todo": frozenset(TODO_ORDERS), "schedule": frozenset(SCHEDULE_ORDERS)}
_AS_DONE = re.compile(
    r"\s+--(?:done|completed?|finished|mark|status|state)(?:[\s=:]+(?:done|completed?|finished|true|yes|as|完成))*\s*$",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\s*count(?: (?:all|open))?(?: \w+)?\s*", re.IGNORECASE)
_ID = re.compile(r"^(\d+)(?=\s)")
"""Of what is changed: with "Day trip" behind it, "1" is no length."""
_FILLERS = re.compile(r"^(\S+\s+)(?:(?:my|the|our|next|upcoming|any|all)\s+)+(?=\S)", re.IGNORECASE)
_EMPTY_OPTION = re.compile(r"\s+--([a-z][a-z-]*)(?=\s+--|\s*$)", re.IGNORECASE)
_ANY_OPTION = re.compile(r"\s--[a-z].*", re.IGNORECASE)
_ANY_VALUE = option("[a-z][a-z-]*")
_AT = option("at")
_AT_NUMBER = option("at", rf"(?:{VALUE})?\d(?:{VALUE})?")
_UNTIL = option("until|till|to|end")
_REMARKS = "with|notes?"
_FOR_THE_TEXT = {"todo": option(f"place|where|location|venue|for|duration|{_REMARKS}"), "schedule": option(_REMARKS)}
"""By command: what a new entry has no option for, and its text takes."""
_OF_ANOTHER = re.compile(r"--|\b(?:due|priority|tags?|n/?a|null)\b", re.IGNORECASE)
"""What a value has that belongs to another option, or says nothing."""
_LINKS = {"for": "for", "duration": "for", "with": "with"}
_HIGH = option("priority|prio", r"(?:urgent|important|critical|highest|top|asap|紧急|重要)(?!\S)")
_TO_THE_TOP = re.compile(
    r"^(edit\s+\S+)\s+(?:to )?(?:the )?(?:top|high|highest|urgent|first)(?: priority)?(?: of (?:the|my) list)?$",
    re.IGNORECASE,
)


def changed(command: str, name: Kind, language: Language) -> list[str]:
    """What a command writes into the agenda; nothing of one that only reads, and of one that will be refused."""
    kind, named, details = parts_meant(command, name, language)
    order = {"todo": TODO_ORDERS, "schedule": SCHEDULE_ORDERS}.get(kind, {}).get(named)
    # Quotes only hold a text together here, and its first word has a capital anyway.
    written = _ID.sub(r"\1,", fold(details).replace('"', " ").strip())
    return [written[:1].lower() + written[1:]] if order and order.changes else []


def _usual(command: str, rest: str) -> str:
    """Correct what small models mix up: the names of options, a date with words after it, a missing order."""
    order = ORDERS.get(next_word(rest)[0])
    if command == "schedule" and order is None and re.search(r"(?<!\S)--at(?!\S)", rest):
        order, rest = "add", f"add {rest}"
    if order == "find":
        # "Next shift" stands in no entry.
        return _FILLERS.sub(r"\1", rest)
    if _COUNTS.fullmatch(rest):
        return "list"
    if (command, order) == ("todo", "edit") and _AS_DONE.search(rest):
        return f"done {_AS_DONE.sub('', next_word(rest)[1])}"
    if order in ("done", "undo", "rm", "show"):
        return _ANY_OPTION.sub("", rest)
    rest = _HIGH.sub("--priority high", rest)
    if command == "todo":
        rest = _TO_THE_TOP.sub(r"\1 --priority high", rest)
    if order == "list" or command == "view":
        return with_filters(rest, of_todos=(command, order) == ("todo", "list"))
    if order not in ("add", "edit"):
        return rest
    rest = _TEXT_LAST.sub(r"\1 \3 \2", _ITSELF.sub(r"\1", _TEXT_OPTION.sub("", rest)))
    rest = _ANY_VALUE.sub(lambda found: f"{found['mark']}{_plain_value(found['value'])}", rest)
    if order == "edit":
        verb, words = next_word(rest)
        rest = f"{verb} {with_option_named(kind_of(command), verb, words)}"
        # What it is to be changed to may be a text as well.
        rest = _TO.sub(lambda found: found[0] if is_when(found["value"].strip()) else found["value"], rest)
    if order == "add":
        rest = _in_its_text(_ON_MY_LIST.sub(r"\1\2", rest), _FOR_THE_TEXT[command])
    if (command, order) == ("todo", "add") and "--due" not in rest:
        rest = _DUE_IN_TEXT.sub(lambda found: f" --due {found[1]}" if is_when(found[1]) else found[0], rest)
    known = {found.lower() for found in _OPTION.findall(fold(rest))}
    for names, name in _SYNONYMS[command]:
        if name in known and names != "to":
            # Said twice, in the option's own name and in another one; "to" is the end of a time.
            rest = without_option(rest, option(names))
        elif name not in known:
            rest = re.sub(rf"(?<!\S)--(?:{names})(?![\w-])", f"--{name}", rest, count=1, flags=re.IGNORECASE)
    if command == "schedule" and (until := option_value(rest, _UNTIL)) and (start := _AT_NUMBER.search(rest)):
        rest = without_option(rest.replace(start[0], f"{start[0].rstrip()}-{until}"), _UNTIL)
    rest = _AT.sub(lambda at: f"--for {at['value']}" if is_duration(at["value"].strip()) else at[0], rest)
    names = _ALLOWED[command]
    rest = _ANY_VALUE.sub(lambda found: found[0] if found["name"].lower() in names or _is_new(found) else "", rest)
    rest = _EMPTY_OPTION.sub(lambda found: found[0] if found[1].lower() in names else "", rest)
    return DATED.sub(_date_alone, rest)


def _plain_value(value: str) -> str:
    """The value of an option without quotes, and with a space between the day and the time of an ISO moment."""
    return _ISO.sub(r"\1 \2", unquoted(value))


def _in_its_text(rest: str, details: re.Pattern[str]) -> str:
    """A new entry with what it has no option for in its text."""
    words, options = split_options(rest)
    added = [
        f"{link} {value}" if (link := _LINKS.get(found["name"].lower())) else f"({value})"
        for found in details.finditer(options)
        if (value := unquoted(found["value"])) and value.casefold() not in words.casefold()
        if not (is_nothing(value) or _OF_ANOTHER.search(value))
    ]
    return " ".join([words.rstrip(), *added, without_option(options, details).strip()]).rstrip()


def _is_new(found: re.Match[str]) -> bool:
    """Whether the value of an option has a word that the rest of the line has not."""
    others = (found.string[: found.start()] + found.string[found.end() :]).casefold().split()
    return not set(unquoted(found["value"]).casefold().split()) <= set(others)


def _date_alone(found: re.Match[str]) -> str:
    """A date without the remark after it: of `--due friday, by then` the day counts."""
    date, mark, _ = re.split(r"(\s*[,;(]\s*|$)", found["value"], maxsplit=1)
    return found["mark"] + date if mark and read_when(date, SOME_DAY) else found[0]


@lru_cache(maxsize=256)
def put_right(command: str, name: Kind, language: Language) -> str:
    """The command as the agenda reads it: with its slash and first word, usual options, and no copied placeholder.

    Args:
        name: the list of the tool, whose orders may stand without the first word.

    Raises:
        CommandError: it is no command of this tool, or has a placeholder.
    """
    line = in_one_moment(_OF_A_LIST.sub("", _BEGUN.sub("", unquoted(one_line(command)))), name)
    word, rest = next_word(line.lstrip("/／ "))
    first = word.rstrip(":")
    if first not in ORDERS and next_word(rest)[0] in ORDERS:
        first = next((kind for kind, names in NAMES.items() if first in names), first)
    if copied := _PLACEHOLDER.search(rest):
        raise CommandError(command, text(language, "agenda.placeholder", word=copied[0]))
    if first in _COMMANDS[name]:
        return f"/{first} {_usual(first, rest)}"
    if ORDERS.get(first) in _ORDERS[name]:
        return f"/{name} {first} {rest}"
    starts = " / ".join(f"/{command}" for command in _COMMANDS[name])
    raise CommandError(command, text(language, "agenda.wrong_tool", name=name, starts=starts, word=word[:100]))


def parts_meant(command: str, name: Kind, language: Language) -> tuple[str, str, str]:
    """The parts of a command as the agenda reads it, as `parted` gives them; "" three times for one that is refused."""
    try:
        return parted(put_right(command, name, language))
    except CommandError:
        return "", "", ""


def list_of(agenda: Agenda, command: str, name: Kind, told: Told) -> tuple[Kind, str]:
    """The list that a command is for, and the command: the other one for a command that starts with its word, for one
    about an entry that it alone has, and for a new todo of which the user says that it is for the calendar."""
    other: Kind = "todo" if name == "schedule" else "schedule"
    command = with_its_moment(by_id(agenda, command, told), told)
    first, rest = next_word(_BEGUN.sub("", command).lstrip("/／ "))
    names = _COMMANDS[other] if next_word(rest)[0] not in ORDERS else (*_COMMANDS[other], *NAMES[other])
    if first.rstrip(":") in names and first not in ORDERS:
        return other, command
    kind, order, details = parts_meant(command, name, agenda.language)
    if not kind and (listed := list_meant(name, "", command, fold("\n".join(told.request)), told)):
        # The question itself, in place of a command.
        return name, listed
    if planned := as_next_planned(order, details, told):
        return planned
    if instead := _as_said(agenda, command, rest, (kind, order, details), told):
        return ("schedule" if instead.startswith("/schedule") else "todo"), instead
    if kind != name or order not in ("rm", "edit", "show", "done"):
        return name, command
    return of_the_entry(agenda, command, name, order, details, told)


def _as_said(agenda: Agenda, command: str, rest: str, parts: tuple[str, str, str], told: Told) -> str:
    """The command that is meant in place of one that adds, lists, opens again or has no order; "" for none."""
    kind, order, details = parts
    said = " ".join(map(fold, told.request))
    if (kind, order) == ("todo", ""):
        # The step itself, which names an entry or a wish, in place of a command.
        step = fold(rest).strip(" .").casefold()
        is_there = any(fold(one.text).casefold() == step for one in agenda.todos("open"))
        done = _ended(agenda, rest, said, told) if is_there and "done" in reports(said) else ""
        if instead := done or as_wished(rest, told):
            return instead
    if listed := list_meant(kind, order, details, said, told):
        return listed
    if (kind, order) == ("todo", "add") and is_for_calendar(said) and not _LIST.search(said):
        return f"/schedule add {options_for('schedule', without_option(details, OF_TODOS))}"
    if (kind, order) == ("todo", "add"):
        return as_ticked_off(agenda, details, told) or as_appointment(details, told)
    if (kind, order) == ("schedule", "add"):
        return as_new_day(agenda, details, told) or as_deadline(command, details, told) or as_errand(details, told)
    reopens = _REOPENS.search(said) and "done" not in reports(said)
    return _ended(agenda, details, said, told) if (kind, order) == ("todo", "undo") and not reopens else ""


def _ended(agenda: Agenda, details: str, said: str, told: Told) -> str:
    """The command that marks the one open todo of which the user says so as done, or removes it; "" for none."""
    news = " ".join(one for one in SENTENCE.split(said) if "done" in reports(one)) or told.request[0]
    meant = named_in(news, entries_meant(agenda, "todo", told.now, "done"), told.now, by_time=False)
    found = meant if len(meant) == 1 else fitting_entries(details, agenda.todos("open"))
    is_one = len(found) == 1 and not entries_named(details, agenda.todos("done"))
    return f"/todo {ended_by(said)} {found[0].id}" if is_one else ""
