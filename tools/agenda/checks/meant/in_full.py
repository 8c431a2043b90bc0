"""The entries that the user's words name in full, or side by side: a small model takes another, or one alone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....dates.words import fold
from ....likeness import marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...request import Kind, entries_named, named_and_rest, options_for
from ..entries import Entry, entries_meant, named_in, shared
from ..put_right.lenient import parts_meant
from ..said.clauses import SENTENCE
from ..said.words import AND, TO_DO

_NOT_BOTH = re.compile(r"\bnot\b|n['’]t\b|\b(?:still|but|only|except|one of|either)\b|[没还不]|除了|只", re.IGNORECASE)
_DID = re.compile(
    r"\s*(?:\w+ed|bought|got|sent|paid|made|took|taken|wrote|written|rang|brought|found|sold|did|done)\b",
    re.IGNORECASE,
)
"""How news goes on: "I've paid the rent and bought the milk"."""
_OTHER: Mapping[Kind, Kind] = {"todo": "schedule", "schedule": "todo"}
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
        about = marks(parts[1]) - frozenset[str]().union(*(marks(one.text) for one in pool))
        # "I've posted the letter, and the parcel goes tomorrow" tells of the second that it is to come.
        if traits(parts[1]) & {"date", "time"} or not (not about or "done" in traits(parts[1]) or _DID.match(parts[1])):
            continue
        named = [named_in(part, pool, told.now, by_time=False) for part in parts]
        both = named[0] + named[1]
        if [len(one) for one in named] == [1, 1] and both[0] != both[1] and len(chosen) == 1 and chosen[0] in both:
            return kind, f"/todo done {', '.join(str(number) for number in sorted(entry.id for entry in both))}"
    return kind, command


def named_in_full(agenda: Agenda, kind: Kind, command: str, told: Told) -> tuple[Kind, str]:
    """A command that changes or removes an entry, for the one entry of the other list whose text the user's words have,
    if they have no more of the chosen one: 给豆瓣酱厂打款那个改到20号; any other as it is. Of two in one list, the user
    is asked which, for what the command says besides is of the wrong one."""
    _, order, details = parts_meant(command, kind, agenda.language)
    if order not in ("edit", "rm") or len(told.request) > 1:
        return kind, command
    named, options = named_and_rest(order, details)
    said, other = fold(told.request[0]).casefold(), _OTHER[kind]
    own = entries_meant(agenda, kind, told.now, order)
    chosen, whole = entries_named(named, own), [one for one in own if _is_said(one, said)]
    meant = [one for one in entries_meant(agenda, other, told.now, order) if _is_said(one, said)]
    if len(chosen) != 1 or whole or len(meant) != 1 or (options and not options.startswith("--")):
        return kind, command
    if not shared(chosen[0], told) <= marks(meant[0].text):
        return kind, command
    return other, f"/{other} {order} {meant[0].id} {options_for(other, options)}".rstrip()


def _is_said(entry: Entry, said: str) -> bool:
    whole = fold(entry.text).casefold()
    return len(marks(whole)) >= _LEAST and bool(re.search(rf"(?<![a-z\d]){re.escape(whole)}(?![a-z\d])", said))
