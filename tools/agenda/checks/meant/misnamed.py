"""An entry with a wrong name, which the user puts right: "it's Ottoline who comes on Monday, not Florian".

A small model changes another entry that has one of the two names, ticks it off, or removes one and adds another.
"""

from __future__ import annotations

import re

from ....dates.told import dated_moments
from ....dates.words import fold
from ....likeness import is_chinese, marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import ORDERS, parted, unquoted
from ...request import KINDS, MOMENT_OPTION, Kind, entries_named, kind_of, named_to_edit, split_options
from ..entries import Entry, entries_meant, is_at, spoken_of, times_in
from ..put_right.lenient import parts_meant
from ..said.clauses import clauses_of
from ..said.pointing import orders_anew

_LEADS = r"(?:(?:the|an?|my|our|for|with|to|from|about|at) )*"
_WRONG = re.compile(
    rf"(?:\bnot|\b(?:is|was|are)n['’]?t|\binstead of|\brather than) {_LEADS}(?P<wrong>[^\W\d_][\w-]*)", re.IGNORECASE
)
_RIGHT = re.compile(
    rf"(?:\b(?:it|that|this)(?:['’]?s| is| was)|\bshould (?:be|say|read)|\bmeant?|\bbut) {_LEADS}"
    r"(?P<right>[^\W\d_][\w-]*)(?P<clear>['’]s\b| (?:who|that|which)\b|(?=[,.;!]|\s*$| not\b| instead\b| rather\b))?",
    re.IGNORECASE,
)
_BEFORE_NOT = re.compile(
    r"\b(?:it['’]?s|that['’]?s|is|was|be|with|for|meant?|say|read|seeing|make (?:it|that))\b[^.;!?]*?"
    r"(?<!\w)(?P<right>[^\W\d_][\w-]*)(?:['’]s)?,? (?:and )?(?:not|instead of|rather than) ",
    re.IGNORECASE,
)
_OWNER = re.compile(r"\b(?:[Tt]hat|[Ii]t|[Tt]his)(?: one)?(?:['’]s| is| was) (?P<right>[A-Z][\w-]*)['’]s\b(?! \w)")
"""Whose something is that was spoken of: "that one's Ayub's"."""
_OWNED = re.compile(r"(?<!\w)(?P<wrong>[A-Z][\w-]*)['’]s\b")
_INSTEAD = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)
_ENDS = re.compile(
    rf"(?:(?:please|can you|could you|just|so|and|no)\b\W*)*(?:{'|'.join(ORDERS)}|cross|strike)\b", re.IGNORECASE
)
_LATEST = re.compile(r"\b(?:by|due|before|deadline|until|till)\b", re.IGNORECASE)
_CHANGES = ("add", "edit", "rm", "done", "undo")


def named_rightly(agenda: Agenda, told: Told) -> str:
    """The change of the one entry whose name the user puts right; "" where they put none right, leave open which entry
    it is, or a call of the run has changed it."""
    return mend[1] if (mend := _mend(agenda, told)) else ""


def _mend(agenda: Agenda, told: Told) -> tuple[Entry, str] | None:
    """The entry whose name the user puts right, and the change of it."""
    said = fold(told.request[0])
    if len(told.request) > 1 or is_chinese(said) or "off" in traits(said):
        return None
    denied = [one["wrong"] for one in _WRONG.finditer(said)]
    found: list[tuple[Kind, Entry, str]] = [
        (kind, one, name) for kind in KINDS for one, name in _with_name(agenda, kind, denied, told)
    ]
    owner = None if found else _OWNER.search(said)
    if owner is not None:
        found = _of_another_owner(agenda, owner["right"], told)
    if len(found) != 1:
        return None
    kind, entry, wrong = found[0]
    right = owner["right"] if owner is not None else _right(said, entry, wrong)
    if not right:
        return None
    new = re.sub(rf"(?<!\w){re.escape(wrong)}(?!\w)", right, entry.text, flags=re.IGNORECASE)
    known = [one.text.casefold() for one in entries_meant(agenda, kind, told.now)]
    # "Cancel Ben's, not Anna's" says which of the two is meant.
    if new.casefold() in known or any(new in one for one in told.done):
        return None
    # "That one's Ayub's. Noor isn't seen until April" tells more of the wrong name.
    if _is_another_wish((right,) if owner is not None else (right, wrong), told):
        return None
    days = set(dated_moments([said], told.now))
    dated = kind == "todo" and len(days) == 1 and _LATEST.search(said)
    option = f" --{MOMENT_OPTION[kind]} {days.pop()}" if dated else ""
    return entry, f"/{kind} edit {entry.id} {new}{option}"


def as_named(agenda: Agenda, kind: Kind, command: str, told: Told) -> tuple[Kind, str]:
    """The list that a command is for, and the command: that which puts a name right, in place of any other change of
    what has one of the two names; any other as it is."""
    mend = _mend(agenda, told)
    name, order, details = parts_meant(command, kind, agenda.language)
    its_kind = kind_of(name)
    if mend is None or order not in _CHANGES:
        return kind, command
    named = named_to_edit(unquoted(details))[0] if order == "edit" else split_options(details)[0]
    pool = entries_meant(agenda, its_kind, told.now)
    meant = entries_named(named, pool)
    about = marks(" ".join([unquoted(details), *(one.text for one in meant)])) & marks(told.request[0])
    about = {word for word in about if not word[0].isdigit()}
    # "And add milk" is another wish.
    if (not about and mend[0] not in meant) or about - marks(f"{mend[0].about} {mend[1]}"):
        return kind, command
    return kind_of(parted(mend[1])[0]), mend[1]


def _with_name(agenda: Agenda, kind: Kind, denied: list[str], told: Told) -> list[tuple[Entry, str]]:
    """The entries that have a name which the user denies, with that name: those that their other words fit best, else
    those of the day that they name, else the one that was spoken of before."""
    pool = entries_meant(agenda, kind, told.now)
    named = [(one, name) for one in pool for name in denied if name.casefold() in _names(one.text)]
    words, said = marks(told.request[0]), times_in(told.request, told.now)

    def likeness(one: Entry, name: str) -> tuple[int, bool, bool]:
        return len((marks(one.text) - marks(name)) & words), is_at(one, said)[0], spoken_of(one, told)

    best = max((likeness(*one) for one in named), default=(0, False, False))
    # An entry of which nothing else is said, neither its day, may be any.
    return [one for one in named if likeness(*one) == best and any(best)]


def _of_another_owner(agenda: Agenda, right: str, told: Told) -> list[tuple[Kind, Entry, str]]:
    """The entries that were spoken of before and are called after somebody else, with that name."""
    found: list[tuple[Kind, Entry, str]] = []
    for kind in KINDS:
        spoken = [one for one in entries_meant(agenda, kind, told.now) if spoken_of(one, told)]
        owned = [(one, _OWNED.search(fold(one.text))) for one in spoken]
        found.extend((kind, one, name["wrong"]) for one, name in owned if name)
    return [one for one in found if one[2].casefold() != right.casefold()]


def _is_another_wish(names: tuple[str, ...], told: Told) -> bool:
    """Whether a clause about one of these names orders something, or tells what becomes of an entry."""
    named = re.compile("|".join(map(re.escape, names)), re.IGNORECASE)
    about = [_INSTEAD.sub(" ", one).strip() for one in clauses_of(told) if named.search(one)]
    return any(traits(one) & {"done", "moved"} or _ENDS.match(one) or orders_anew(one, told.now) for one in about)


def _names(entry: str) -> list[str]:
    """The words of a text that begin with a capital, its first one too, in small letters."""
    words = [word.removesuffix("'s") for word in re.findall(r"[^\W\d_][\w'-]*", fold(entry))]
    return [word.casefold() for word in words if word[:1].isupper()]


def _right(said: str, entry: Entry, wrong: str) -> str:
    """The name that is right, by words that say so; "" for none."""
    found = [one for one in _RIGHT.finditer(said) if one["clear"] is not None or one["right"][0].isupper()]
    found += [one for one in _BEFORE_NOT.finditer(said) if said[one.end() :].casefold().startswith(wrong.casefold())]
    known = marks(entry.about)
    rights = {one["right"] for one in found if marks(one["right"]) - known and not traits(one["right"])}
    capitals = {one for one in rights if one[0].isupper()}
    rights = capitals or rights
    right = rights.pop() if len(rights) == 1 else ""
    return f"{right[:1].upper()}{right[1:]}"
