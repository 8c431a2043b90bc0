"""What an agenda order works with: the file, the time, the language, and the entries that its words refer to."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, TypeVar

from ..._internal.texts import Language
from ...errors import CommandError
from ..dates.when import is_when
from ..dates.words import fold
from ..likeness import is_spread, marks
from .line import ids_of, next_word, unquoted
from .texts import text

Kind = Literal["todo", "schedule"]
NAMES: Mapping[Kind, tuple[str, ...]] = {
    "todo": ("todos", "to-do", "task", "tasks", "list", "note", "notes", "reminder", "reminders", "待办", "任务"),
    "schedule": ("calendar", "diary", "agenda", "appointment", "appointments", "event", "events", "日程", "日历"),
}
"""What a small model calls the tools, and begins their commands with, where the user says so."""
KINDS: tuple[Kind, Kind] = ("todo", "schedule")
MOMENT_OPTION: Mapping[Kind, str] = {"todo": "due", "schedule": "at"}
"""The option for when something is due, or takes place."""


def kind_of(name: str) -> Kind:
    """The list of a command's first word, which may be that of the view."""
    return "todo" if name == "todo" else "schedule"


_SHOWN = 20
_AS_SHOWN = re.compile(
    r"^(?:the )?(?:todo|task|item|entry|appointment|待办|日程)\s*#?(\d{1,9})(?:[:：].*)?$|^(\d{1,9})[:：]\s+\S.*$",
    re.IGNORECASE,
)
"""An id as lists show it: `todo 1`, `1: buy milk`."""
_OPTION = re.compile(r"(?<!\S)--\w")
_MOMENT = re.compile(r"(?<!\S)--(?:due|at)(?!\S)", re.IGNORECASE)
_MOVES = frozenset(("move", "reschedule", "postpone", "推迟"))
_BY_ID = re.compile(r"\s*(#?\d+)[:.,]?\s+((?:(?P<link>to|until|till|on|at|by)\s+|[到至]\s*)?(?P<value>.*\S))\s*", re.I)
_TO = re.compile(r"\s+to\s+|\s*[到至]\s*", re.IGNORECASE)
_GAP = re.compile(r"\s+(?:(?:to|until|till|on|at|by)\s+)?|\s*[到至]\s*", re.IGNORECASE)
"""What may stand between an entry and what becomes of it, if a word for moving comes before."""
_ORDERING = re.compile(r"^/?\s*(?:(?:todo|schedule)\s+)?\S+", re.IGNORECASE)
_SAYS_DONE = frozenset("完了啦好掉过已经把都吧呢啊嘛的这条个项 ")
"""Characters that say of a Chinese entry that it is done, and nothing of what it is."""
EVERY = frozenset({"all", "everything", "all of them", "全部", "所有"})
"""What stands for all entries that a command may mean."""


@dataclass(frozen=True, slots=True)
class Request:
    """One line being carried out; inside a transaction if it changes something."""

    db: sqlite3.Connection
    language: Language
    now: datetime
    line: str

    def say(self, key: str, **fields: object) -> str:
        """A text of the catalogue."""
        return text(self.language, key, **fields)

    def remember(self, kind: Kind, entry_id: int, line: str, command: str) -> None:
        """Keep what an entry was before an edit, and the command that makes it so again."""
        self.db.execute("INSERT OR REPLACE INTO former VALUES (?, ?, ?, ?)", (kind, entry_id, line, command))

    def refuse(self, key: str, **fields: object) -> CommandError:
        """An error with a text of the catalogue."""
        return CommandError(self.line, self.say(key, **fields))


class Order(NamedTuple):
    """The function that carries out an order, given the text after its word, and whether it changes anything."""

    carry_out: Callable[[Request, str], str]
    changes: bool = False


class Entry(Protocol):
    """Something that an id or a text can refer to."""

    @property
    def id(self) -> int: ...
    @property
    def text(self) -> str: ...


E = TypeVar("E", bound=Entry)


def chosen(request: Request, kind: Kind, words: str, entries: Sequence[E], named: Sequence[E] | None = None) -> list[E]:
    """The entries that words refer to: by ids, by the text of exactly one entry, a part of it or its main words, or all
    of those that a text may refer to.

    Args:
        request: the current line.
        kind: the kind of the entries, for messages.
        words: the text after the order.
        entries: the entries that ids may refer to.
        named: the entries that a text may refer to; None for the same.

    Raises:
        CommandError: an id is unknown, or the text fits no entry or several; the message lists the entries.
    """
    words = _AS_SHOWN.sub(lambda found: found[1] or found[2], unquoted(words))
    if not words:
        raise request.refuse(f"{kind}.which", known=listed(request, kind, entries))
    if ids := ids_of(words):
        by_id = {entry.id: entry for entry in entries}
        if missing := [number for number in ids if number not in by_id]:
            unknown = ", ".join(map(str, missing))
            raise request.refuse(f"{kind}.unknown_id", ids=unknown, known=listed(request, kind, entries))
        return [by_id[number] for number in ids]
    pool = entries if named is None else named
    fitting = fitting_entries(words, pool)
    if pool and not fitting and fold(words).casefold() in EVERY:
        return list(pool)
    if len(fitting) != 1:
        problem = f"{kind}.several" if fitting else f"{kind}.unknown_text"
        raise request.refuse(problem, words=words[:100], known=listed(request, kind, fitting or pool))
    return fitting


def fitting_entries(words: str, entries: Sequence[E]) -> list[E]:
    """The entries that have a text; else those that have it as a part; else those that have all that it is about; else
    those whose Chinese characters it has in another order, and says of them that they are done."""
    wanted, about = fold(words).casefold(), marks(words)
    if not wanted:
        return []
    exact = [entry for entry in entries if fold(entry.text).casefold() == wanted]
    # "All" is no part of "call".
    begins = re.compile(rf"(?<![a-z\d]){re.escape(wanted)}")
    part = [entry for entry in entries if begins.search(fold(entry.text).casefold())]
    if not all(len(mark) > 1 and mark.isalpha() for mark in about):
        # A number or a sign is no word; what looks like an id is not to find an entry that has it in its text.
        about = frozenset[str]()
    worded = [entry for entry in entries if about and about <= marks(entry.text)]
    # 车洗完啦 is 洗车.
    told = [one for one in entries if set(words) <= set(one.text) | _SAYS_DONE and is_spread(one.text, words)]
    return exact or part or worded or told


def entries_named(words: str, entries: Sequence[E]) -> list[E]:
    """The entries that a command names: by their ids, where its words are nothing else, or by their texts."""
    ids = ids_of(words)
    return [entry for entry in entries if entry.id in ids] if ids else fitting_entries(unquoted(words), entries)


def chosen_to_edit(
    request: Request, kind: Kind, words: str, entries: Sequence[E], named: Sequence[E] | None = None
) -> tuple[list[E], str]:
    """The entries to change, and the words that say how: an id comes first, or ids, a text or "all", with only options
    behind them.

    Args:
        request: the current line.
        kind: the kind of the entries, for messages.
        words: the text after the order.
        entries: the entries that an id may refer to.
        named: the entries that a text may refer to; None for the same.

    Raises:
        CommandError: the id is unknown, the text fits no entry or several, or neither was given.
    """
    words = with_option_named(kind, next_word(next_word(request.line.lstrip("/"))[1])[0], words)
    name, rest = named_to_edit(words)
    if not name and len(fitting_entries(words, entries if named is None else named)) == 1:
        # It names an entry, and no change.
        name, rest = words, ""
    if not name:
        raise request.refuse(f"{kind}.which", known=listed(request, kind, entries))
    if not entries and not ids_of(name):
        raise request.refuse("agenda.nothing_there", mend=f"/{kind} add {name} {rest}".rstrip())
    return chosen(request, kind, name, entries, named), rest


def with_option_named(kind: Kind, verb: str, words: str) -> str:
    """The words of a change, with the new moment, or the place that an appointment is moved to, in the option for it.

    Args:
        kind: of the entry.
        verb: the word for the order; one that moves never names a new text.
        words: the text after the order.

    Example:
        >>> with_option_named("schedule", "edit", "1 to friday 9:00"), with_option_named("todo", "edit", "1 saturday")
        ('1 --at friday 9:00', '1 --due saturday')
        >>> with_option_named("schedule", "move", "boot sale to the Green")
        'boot sale --place the Green'
    """
    said, options = split_options(words, 1)
    if _MOMENT.search(options):
        return words
    moves, by_id = verb in _MOVES, _BY_ID.fullmatch(said)
    gaps = (_GAP if moves else _TO).finditer(said)
    named = [(by_id[1], by_id["value"])] if by_id else [(said[: gap.start()], said[gap.end() :]) for gap in gaps]
    for name, value in named:
        if name.strip() and is_when(value.strip()):
            return f"{name.strip()} --{MOMENT_OPTION[kind]} {value.strip()} {options}".rstrip()
    if by_id and by_id["link"] == "to":
        named = [(by_id[1], by_id["value"])]
    else:
        named = [(said[: gap.start()], said[gap.end() :]) for gap in _TO.finditer(said) if moves and not by_id]
    if not named:
        return words
    name, value = named[-1]
    place = "--place " if moves and kind == "schedule" else ""
    return f"{name.strip()} {place}{value.strip()} {options}".rstrip() if by_id or place else words


def named_to_edit(words: str) -> tuple[str, str]:
    """The ids or the text that say what to change, and the rest; "" for neither."""
    name, options = split_options(words, 1)
    # "1 2" may be a new text behind an id.
    if options and re.search(r"[,、和]|\band\b", name) and len(ids_of(name)) > 1:
        return name.strip(), options
    word, rest = next_word(words)
    ids = ids_of(word.rstrip(":.,"))
    if len(ids) == 1:
        return str(ids[0]), rest
    return (name.strip(), options) if options else ("", words)


def named_and_rest(order: str, details: str) -> tuple[str, str]:
    """What a command names, and what it says besides, as an edit alone does."""
    words = unquoted(details)
    return named_to_edit(words) if order == "edit" else (words, "")


def split_options(words: str, first: int = 0) -> tuple[str, str]:
    """The text before the options of a command, and the options; "" for none.

    Args:
        words: the text with its options.
        first: where the options may begin; 1 if there has to be a text.
    """
    option = _OPTION.search(fold(words), first)
    return (words[: option.start()], words[option.start() :]) if option else (words, "")


def text_of(command: str) -> str:
    """The words of a command that say what is added or changed, before its options."""
    return _ORDERING.sub("", split_options(fold(command), 1)[0]).strip()


def options_for(kind: Kind, options: str) -> str:
    """The options of a command with that for the moment as a list calls it."""
    return _MOMENT.sub(f"--{MOMENT_OPTION[kind]}", options)


def listed(request: Request, kind: Kind, entries: Sequence[Entry]) -> str:
    """The ids and texts of entries on one line, shortened if there are very many."""
    if not entries:
        return request.say(f"{kind}.none_there")
    first = sorted(entries, key=lambda entry: entry.id)[:_SHOWN]
    short = "; ".join(f"{entry.id}: {entry.text[:60]}" for entry in first)
    more = request.say("agenda.more", count=len(entries) - _SHOWN) if len(entries) > _SHOWN else ""
    return request.say(f"{kind}.there", entries=short + more)


def holds(words: str, *texts: str) -> bool:
    """Whether every word occurs in one of the texts, ignoring case."""
    searched = " ".join(fold(searchable).casefold() for searchable in texts)
    return all(word in searched for word in fold(words).casefold().split())
