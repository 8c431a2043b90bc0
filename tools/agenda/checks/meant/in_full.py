"""The entries that the user's words name in full, or side by side: a small model takes another, or one alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....dates.words import fold
from ....likeness import marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...request import KINDS, Kind, entries_named, named_and_rest, options_for
from ..entries import Entry, entries_meant, named_in, shared
from ..put_right.lenient import parts_meant
from ..said.clauses import SENTENCE
from ..said.words import AND, TO_DO

_NOT_BOTH = re.compile(r"\bnot\b|n['’]t\b|\b(?:still|but|only|except|one of|either)\b|[没还不]|除了|只", re.IGNORECASE)
_LEAST = 2
"""Words of a text that names its entry; one word may be said of something else."""


def both_done(agenda: Agenda, kind: Kind, command: str, told: Told) -> tuple[Kind, str]:
    """A command that marks one todo as done, for both where the user's news names two: "the tea and the coffee are both
    ordered", 鸭肠和毛肚都订好了; any other as it is."""
    _, order, details = parts_meant(command, kind, agenda.language)
    if (kind, order) != ("todo", "done") or told.done or len(told.request) > 1:
        return kind, command
    pool = entries_meant(agenda, "todo", told.now, "done")
    chosen = entries_named(details, pool)
    for said in SENTENCE.split(fold(told.request[0])):
        parts = AND.split(said)
        # "The rent is paid, and add milk."
        if len(parts) != 2 or _NOT_BOTH.search(said) or "done" not in traits(said) or TO_DO.search(parts[1]):
            continue
        named = [named_in(part, pool, told.now, by_time=False) for part in parts]
        both = named[0] + named[1]
        if [len(one) for one in named] == [1, 1] and both[0] != both[1] and len(chosen) == 1 and chosen[0] in both:
            return kind, f"/todo done {', '.join(str(number) for number in sorted(entry.id for entry in both))}"
    return kind, command


def named_in_full(
    agenda: Agenda, kind: Kind, command: str, told: Told, lists: Sequence[Kind] = KINDS
) -> tuple[Kind, str]:
    """A command that changes or removes an entry, for the one entry of these lists whose text the user's words have, if
    they have no more of the chosen one: 给豆瓣酱厂打款那个改到20号; any other as it is."""
    _, order, details = parts_meant(command, kind, agenda.language)
    if order not in ("edit", "rm") or len(told.request) > 1:
        return kind, command
    named, options = named_and_rest(order, details)
    said = fold(told.request[0]).casefold()
    chosen = entries_named(named, entries_meant(agenda, kind, told.now, order))
    whole: list[tuple[Kind, Entry]] = []
    for one in lists:
        pool = entries_meant(agenda, one, told.now, order)
        whole.extend((one, entry) for entry in pool if _is_said(entry, said))
    if len(chosen) != 1 or len(whole) != 1 or _is_said(chosen[0], said) or (options and not options.startswith("--")):
        return kind, command
    other, entry = whole[0]
    if not shared(chosen[0], told) <= marks(entry.text):
        return kind, command
    return other, f"/{other} {order} {entry.id} {options_for(other, options)}".rstrip()


def _is_said(entry: Entry, said: str) -> bool:
    whole = fold(entry.text).casefold()
    return len(marks(whole)) >= _LEAST and bool(re.search(rf"(?<![a-z\d]){re.escape(whole)}(?![a-z\d])", said))
