"""What an order of the agenda works with: the file, the hour, the language; and the entries that its words point at."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, TypeVar

from ..._internal.texts import Language
from ...errors import CommandError
from ..dates.words import fold, ids_of, next_word, unquoted
from .texts import text

Kind = Literal["todo", "schedule"]

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Request:
    """One line on its way: inside its transaction where it changes something."""

    db: sqlite3.Connection
    language: Language
    now: datetime
    line: str

    def say(self, key: str, **fields: object) -> str:
        """A text of the catalogue."""
        return text(self.language, key, **fields)

    def refuse(self, key: str, **fields: object) -> CommandError:
        """An error with a text of the catalogue."""
        return CommandError(self.line, self.say(key, **fields))


class Order(NamedTuple):
    """What carries an order out, given what stands behind its word, and whether it changes anything."""

    carry_out: Callable[[Request, str], str]
    changes: bool = False


class Entry(Protocol):
    """What an id or a text can point at."""

    @property
    def id(self) -> int: ...
    @property
    def text(self) -> str: ...


E = TypeVar("E", bound=Entry)


def chosen(request: Request, kind: Kind, words: str, entries: Sequence[E], named: Sequence[E] | None = None) -> list[E]:
    """The entries that ids, or the text of exactly one entry or a part of it, point at.

    Args:
        request: the line on its way.
        kind: of the entries, for messages.
        words: what stands behind the order.
        entries: those that ids may point at.
        named: those that a text may point at; None for the same.

    Raises:
        CommandError: an id is unknown, or the text fits no entry or several; the message lists what there is.
    """
    words = unquoted(words)
    if not words:
        raise request.refuse(f"{kind}.which", known=listed(request, kind, entries))
    if ids := ids_of(words):
        by_id = {entry.id: entry for entry in entries}
        if missing := [number for number in ids if number not in by_id]:
            unknown = ", ".join(map(str, missing))
            raise request.refuse(f"{kind}.unknown_id", ids=unknown, known=listed(request, kind, entries))
        return [by_id[number] for number in ids]
    wanted = fold(words).casefold()
    pool = entries if named is None else named
    fitting = [entry for entry in pool if fold(entry.text).casefold() == wanted]
    if not fitting:
        fitting = [entry for entry in pool if wanted in fold(entry.text).casefold()]
    if len(fitting) != 1:
        problem = f"{kind}.several" if fitting else f"{kind}.unknown_text"
        raise request.refuse(problem, words=words[:100], known=listed(request, kind, fitting or pool))
    return fitting


def chosen_by_id(request: Request, kind: Kind, words: str, entries: Sequence[E]) -> tuple[E, str]:
    """The entry whose id is the first word, and the words behind it.

    Raises:
        CommandError: the first word is no id, or no entry has it.
    """
    word, rest = next_word(words)
    ids = ids_of(word.rstrip(":.,"))
    if len(ids) != 1:
        raise request.refuse(f"{kind}.which", known=listed(request, kind, entries))
    return chosen(request, kind, str(ids[0]), entries)[0], rest


def listed(request: Request, kind: Kind, entries: Sequence[Entry]) -> str:
    """The ids and texts of entries in one line, not all of very many."""
    if not entries:
        return request.say(f"{kind}.none_there")
    first = sorted(entries, key=lambda entry: entry.id)[:_SHOWN]
    short = "; ".join(f"{entry.id}: {entry.text[:60]}" for entry in first)
    more = request.say("agenda.more", count=len(entries) - _SHOWN) if len(entries) > _SHOWN else ""
    return request.say(f"{kind}.there", entries=short + more)


def holds(words: str, *texts: str) -> bool:
    """Whether every word occurs in one of the texts, whatever its case."""
    searched = " ".join(fold(searchable).casefold() for searchable in texts)
    return all(word in searched for word in fold(words).casefold().split())
