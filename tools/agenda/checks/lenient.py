"""Takes commands as small models write them, and leaves out what nobody asked for."""

from __future__ import annotations

import re
from datetime import datetime

from ...._internal.texts import Language
from ....errors import CommandError
from ...calls.required import Told
from ...dates.durations import is_duration
from ...dates.found import read_from
from ...dates.when import parse_when
from ...dates.words import ORDERS, fold, next_word, one_line, unquoted
from ..schedule import SCHEDULE_ORDERS
from ..texts import text
from ..todo import TODO_ORDERS

# Copied from a description of the command.
_PLACEHOLDER = re.compile(
    r"(?<=\s)(?:TEXT|WHEN|ID|WORDS|内容|编号|关键词)(?=…|\.\.\.|\s*\[|\s+--|\s*$)|\[--\w+|--\w+ WHEN\b"
)
_SOME_DAY = datetime(2024, 5, 6, 8)
_OPTION = re.compile(r"(?<!\S)--([a-z]+)", re.IGNORECASE)
_SYNONYMS = {
    "todo": [("at|by|deadline|until|till|before|on|date|when|time", "due"), ("prio|urgency", "priority")],
    "schedule": [
        ("due|on|by|date|time|from|start|deadline", "at"),
        ("duration|length|lasting", "for"),
        ("where|in|venue|room", "place"),
    ],
    "view": [],
}
"""By command: what is written for an option, and the option."""
_ALLOWED = {"todo": {"due", "tag", "priority"}, "schedule": {"at", "for", "place"}, "view": set[str]()}
_EMPTY_OPTION = re.compile(r"\s+--([a-z][a-z-]*)(?=\s+--|\s*$)", re.IGNORECASE)
_ANY_OPTION = re.compile(r"\s--[a-z].*", re.IGNORECASE)
_AT = re.compile(r"(?<!\S)--at[\s=:]+(?:(?!\s--).)*\d(?:(?!\s--).)*", re.IGNORECASE)
_AT_LENGTH = re.compile(r"(?<!\S)--at[\s=:]+((?:(?!\s--).)+)", re.IGNORECASE)
_UNTIL = re.compile(r"\s*(?<!\S)--(?:until|till|to|end)[\s=:]+((?:(?!\s--).)+)", re.IGNORECASE)
_DATED = re.compile(r"((?<!\S)--(?:due|at)[\s=:]+)((?:(?!\s--).)+)", re.IGNORECASE)
_PRIORITY = re.compile(r"\s*(?<!\S)--priority[\s=:]+(?:low|normal|medium|high|低|中|高)(?!\S)", re.IGNORECASE)
_PRESSING = re.compile(
    r"\b(?:urgent(?:ly)?|urgency|important(?:ly)?|asap|priority|prio|critical|crucial|pressing|high|low|medium|normal"
    r"|top|essential|vital|rush|hurry|first thing|right away|immediately|quick(?:ly)?|soon|time|whenever|some ?when"
    r"|some ?day|some ?time|eventually|badly|really must)\b|!!|急|重要|优先|尽快|马上|立刻|赶紧|有空|随时|级",
    re.IGNORECASE,
)
_DUE = re.compile(r"\s*(?<!\S)--due[\s=:]+(?:(?!\s--).)+", re.IGNORECASE)
_FOR = re.compile(r"\s*(?<!\S)--(?:for|duration)[\s=:]+(?:(?!\s--).)+", re.IGNORECASE)


def without_unasked(command: str, told: Told) -> str:
    """A command without a priority, a date or a length of which the user said nothing at all.

    A small model adds them because its examples have them. Where the user did say something of the kind, what the
    command says of it is for the check of its grounds.
    """
    order = next((one for word in command.split()[:2] if (one := ORDERS.get(word.lstrip("/").casefold()))), "")
    if order not in ("add", "edit"):
        return command
    said = [*told.request, told.before]
    times = [read_from(one, told.now) for one in [*said, *told.elsewhere]]
    # Ten is 10:00 and 22:00, which is no span.
    hours = {(at.hour % 12, at.minute) for one in times for at in one.times}
    if not any(map(_PRESSING.search, map(fold, said))):
        command = _PRIORITY.sub("", command)
    if not any(one.dates or one.implied or one.times or one.lengths for one in times):
        command = _DUE.sub("", command)
    if not any(one.lengths for one in times) and len(hours) < 2:
        command = _FOR.sub("", command)
    return command


def changed(
    command: str, name: str, accepted: tuple[str, ...], orders: frozenset[str], language: Language
) -> list[str]:
    """What a command writes into the agenda; nothing of one that only reads, and of one that will be refused."""
    try:
        line = put_right(command, name, accepted, orders, language)
    except CommandError:
        return []
    kind, rest = next_word(line.removeprefix("/"))
    word, details = next_word(rest)
    order = {"todo": TODO_ORDERS, "schedule": SCHEDULE_ORDERS}.get(kind, {}).get(ORDERS.get(word.rstrip(":,"), ""))
    # Quotes only hold a text together here, and its first word has a capital anyway.
    written = fold(details).replace('"', " ").strip()
    return [written[:1].lower() + written[1:]] if order and order.changes else []


def _usual(command: str, rest: str) -> str:
    """Correct what small models mix up: the names of options, a date with words after it, a missing order."""
    order = ORDERS.get(next_word(rest)[0])
    if command == "schedule" and order is None and re.search(r"(?<!\S)--at(?!\S)", rest):
        order, rest = "add", f"add {rest}"
    if order in ("done", "undo", "rm", "show"):
        return _ANY_OPTION.sub("", rest)
    if order not in ("add", "edit"):
        return rest
    known = {found.lower() for found in _OPTION.findall(fold(rest))}
    for names, name in _SYNONYMS[command]:
        if name not in known:
            rest = re.sub(rf"(?<!\S)--(?:{names})(?![\w-])", f"--{name}", rest, count=1, flags=re.IGNORECASE)
    if command == "schedule" and (until := _UNTIL.search(rest)) and (start := _AT.search(rest)):
        rest = _UNTIL.sub("", rest.replace(start[0], f"{start[0].rstrip()}-{until[1].strip()}"))
    rest = _AT_LENGTH.sub(lambda found: f"--for {found[1]}" if is_duration(found[1].strip()) else found[0], rest)
    names = _ALLOWED[command]
    rest = _EMPTY_OPTION.sub(lambda found: found[0] if found[1].lower() in names else "", rest)
    return _DATED.sub(_date_alone, rest)


def _date_alone(found: re.Match[str]) -> str:
    """A date without the remark after it: of `--due friday, by then` the day counts."""
    date, mark, _ = re.split(r"(\s*[,;(]\s*|$)", found[2], maxsplit=1)
    try:
        parse_when(date, _SOME_DAY)
    except CommandError:
        return found[0]
    return found[1] + date if mark else found[0]


def put_right(command: str, name: str, accepted: tuple[str, ...], orders: frozenset[str], language: Language) -> str:
    word, rest = next_word(unquoted(one_line(command)).lstrip("/／ "))
    first = word.rstrip(":")
    if copied := _PLACEHOLDER.search(rest):
        raise CommandError(command, text(language, "agenda.placeholder", word=copied[0]))
    if first in accepted:
        return f"/{first} {_usual(first, rest)}"
    if ORDERS.get(first) in orders:
        return f"/{name} {first} {rest}"
    starts = " / ".join(f"/{command}" for command in accepted)
    raise CommandError(command, text(language, "agenda.wrong_tool", name=name, starts=starts, word=word[:100]))
