"""What the user corrects of what was said before: the entry that is meant, and what becomes of it."""

from __future__ import annotations

import re
from functools import partial

from ....dates.numbers import in_digits
from ....dates.told import told_moments, told_times
from ....dates.words import fold
from ....likeness import marks, starred, traits
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import ids_of, unquoted
from ...request import KINDS, MOMENT_OPTION, Kind, entries_named, fitting_entries, kind_of, named_to_edit
from ...texts import text
from ..asked_about.answers import LONG_AGO, agreed_or_named, agreed_to, hinted
from ..command import Command
from ..entries import Entry, entries_meant, text_about
from ..said.clauses import clauses_with
from ..said.pointing import orders_anew
from .name_parts import starred_part

_CORRECTS = re.compile(
    r"\b(?:i meant?\b|meant to say|not (?!urgent|important|sure|now|yet)(?:an? |the )?\w+,|instead"
    r"|make (?:that|it)|correction"
    r"|(?:that|this|the) (?:same|last|first|one)? ?(?:entry|item|to-?do|note|one) (?:say|read|be called)\b)"
    r"|^\*\w|^\w+\*"
    r"|说错|不对|不是|搞错|弄错|记错|应该是|改成|改到|我是说",
    re.IGNORECASE,
)
_REGRETS = re.compile(
    r"\b(?:sorry|oops|rather|mistaken?|wrong \w+"
    r"|(?:that|it)(?:['’]s| is| was) wrong|got (?:that|it) wrong|no,? (?:wait|it|that|the|not))\b"
    r"|^wrong\b|^no\b(?! (?:rush|hurry|need|idea|more|longer|one|pressure)\b)",
    re.IGNORECASE,
)
"""By which a correction may begin, and many another request."""
_NOT_BUT = re.compile(
    r"(?:\bnot (?:an? |the )?|不是)(?P<wrong>\w+?)(?:[,.;]? (?:but )?(?:an? |the )?|[,，]而?是)(?P<right>\w+)"
    r"(?P<rest>(?: \w+)?)\W*$",
    re.IGNORECASE,
)
_RATHER_THAN = [
    re.compile(r"(?P<right>\d+)(?: [^\W\d]+)?,? not (?P<wrong>\d+)\W*$"),
    re.compile(r"(?P<right>[^\W\d]\w*),? not (?:an? |the )?(?P<wrong>[^\W\d]\w*)\W*$", re.IGNORECASE),
]
"""What ends with the wrong word: "year 8 essays, not 9"."""
_NOT_DONE = re.compile(
    r"\b(?:is|are|am|was|were) still\b|['’](?:s|re) still\b|\bstill (?:is|are|not|to|needs?|has|have|un\w+)\b"
    r"|\bnot\b|\bnever\b|n['’]t\b|还没|没有?[做弄]",
    re.IGNORECASE,
)
"""What says of a todo that was ticked off that it is not done."""
_MAKE_IT = re.compile(r"\bmake (?:that|it) (\d+)\b")


def corrected(agenda: Agenda, told: Told) -> tuple[Kind, Entry] | None:
    """The entry that was spoken of last, where the user corrects what was said then: "sorry, and add milk" does not."""
    said, last = fold(told.request[0]).strip(), last_spoken_of(agenda, told)
    if last is None:
        return None
    kind, entry = last
    if _CORRECTS.search(said) or _replaced(said, entry):
        return kind, entry
    heard = fold(" ".join(told.request))
    is_new = orders_anew(heard, told.now) and not marks(entry.about) & marks(heard)
    return (kind, entry) if _REGRETS.search(said) and not is_new else None


def last_spoken_of(agenda: Agenda, told: Told) -> tuple[Kind, Entry] | None:
    """The entry that was spoken of last, and its list; None if none was."""
    before = fold(told.before).casefold()
    if not before:
        return None
    found: list[tuple[int, Kind, Entry]] = [
        (before.rfind(fold(one.text).casefold()), kind, one)
        for kind in KINDS
        for one in entries_meant(agenda, kind, told.now, "done")
    ]
    place, kind, entry = max(found, key=lambda one: one[0]) if found else (-1, KINDS[0], None)
    return (kind, entry) if entry and place >= 0 else None


def corrects_without_a_name(command: Command) -> Missing | None:
    """A correction whose call names no entry, where the user's words tell both the entry and what becomes of it."""
    agenda, kind, _, details, told = command
    named, found = named_to_edit(unquoted(details))[0], corrected(agenda, told)
    entries = entries_meant(agenda, kind, told.now)
    if found is None or found[0] != kind or ids_of(named) or fitting_entries(named, entries):
        return None
    change = _correction(kind, found[1], told)
    return rather(agenda, "agenda.corrected", found[1], f"/{kind} edit {found[1].id} {change}") if change else None


def to_correct(command: Command, kind: Kind, entry: Entry, question: str) -> Missing:
    """The change of an entry that a correction means, if its words tell it; else what the model is told of a command,
    and the user is asked if it insists."""
    agenda, told = command.agenda, command.told
    edit, change = f"/{kind} edit {entry.id}", _correction(kind, entry, told)
    if change and command.kind == kind:
        return rather(agenda, "agenda.corrected", entry, f"{edit} {change}")
    hint = text_about(agenda, "agenda.corrects", entry, edit=edit)
    if change:
        hint = text_about(agenda, "agenda.corrected", entry, mend=f"{edit} {change}")
    return hinted(hint, command.agreed, question=question)


def reopens_what_is_open(command: Command) -> Missing | None:
    """An open todo that is to be opened again, where the user corrects what was said of it: "not zinc, aluminium"."""
    found, opened = (
        corrected(command.agenda, command.told),
        entries_meant(command.agenda, "todo", command.told.now, "done"),
    )
    if found is None or not entries_named(command.details, opened):
        return None
    return to_correct(command, *found, text(command.agenda.language, "agenda.ask_sure", command=command.line))


def reopened(agenda: Agenda, named: str, told: Told) -> Missing | None:
    """A todo that is marked as done or added once more, where it was ticked off and the user says that it is not done:
    "no, it was the records that I finished, the pens are still a mess"."""
    opened, ticked = (entries_meant(agenda, "todo", told.now, order) for order in ("done", "undo"))
    found = entries_named(named, ticked)
    if len(found) != 1 or entries_named(named, opened) or len(told.request) > 1:
        return None
    others = frozenset[str]().union(*(marks(one.about) for one in (*opened, *ticked) if one is not found[0]))
    own = marks(found[0].text) - others
    about = clauses_with(own, told)
    if not about or not all(_NOT_DONE.search(one) and "asks" not in traits(one) for one in about):
        return None
    return rather(agenda, "agenda.there_already", found[0], f"/todo undo {found[0].id}")


def _correction(kind: Kind, entry: Entry, told: Told) -> str:
    """What a correction makes of an entry, as `edit` takes it: new words, a new time; "" where it tells neither."""
    timed = [words for words in told.request if told_times(words, told.now)]
    times = told_moments(timed[-1:], told.now)
    # Of two days or two hours, which one is meant is the model's to say.
    moved = f"--{MOMENT_OPTION[kind]} {times[0]}" if len(times) == 1 else ""
    placed = reworded(entry.place, told) or starred_part(entry.place, told) if entry.place else ""
    place = f"--place {placed}" if placed else ""
    return " ".join(filter(None, [reworded(entry.text, told), moved, place]))


def reworded(entry: str, told: Told) -> str:
    """The text or the place of an entry by "not ink, toner", "*toner" or "make that fifty"; "" for any other words."""
    if words := starred(told.request[0], entry):
        return entry.replace(*words, 1)
    amount = _MAKE_IT.search(in_digits(fold(told.request[0]).casefold()))
    if amount and len(re.findall(r"\d+", entry)) == 1 and not told_times(amount[0], told.now):
        return re.sub(r"\d+", amount[1], entry)
    said = fold(told.request[0])
    found = _NOT_BUT.search(said) or _rather_than(said)
    # "Not zinc. Aluminium anodes" says of the anodes again that it is they.
    rest = found.groupdict().get("rest") or "" if found else ""
    if found is None or not _is_in(found["wrong"], entry) or (rest and not _is_in(rest.strip(), entry)):
        return ""
    return re.sub(rf"(?<!\w){re.escape(found['wrong'])}", found["right"], entry, count=1, flags=re.IGNORECASE)


def _replaced(said: str, entry: Entry) -> bool:
    """Whether words end with what is wrong in an entry or its place: "toner, not ink"."""
    found = _rather_than(said)
    return found is not None and _is_in(found["wrong"], f"{entry.text} {entry.place}")


def _rather_than(said: str) -> re.Match[str] | None:
    return next(filter(None, (one.search(said) for one in _RATHER_THAN)), None)


def _is_in(word: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(word)}", fold(text), re.IGNORECASE))


def rather(agenda: Agenda, key: str, entry: Entry, mend: str) -> Missing:
    """The command that the words speak of, for the model, and if it insists, for the user to agree to."""
    hint = text_about(agenda, key, entry, mend=mend)
    question = text_about(agenda, "agenda.ask_rather", entry, command=mend)
    completed = partial(agreed_to, mend)
    if marked := re.fullmatch(r"/(todo|schedule) (done|rm|undo) \d+", mend):
        kind = kind_of(marked[1])
        known = entries_meant(agenda, kind, LONG_AGO, marked[2])
        completed = partial(agreed_or_named, kind, marked[2], "", entry, known)
    return hinted(hint, completed, question=question)
