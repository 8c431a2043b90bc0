"""What a request of several wishes says of one of them: of "cancel the gym, and dinner is at eight now" the gym has no
eight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...dates.found import claims_in
from ...dates.numbers import in_digits
from ...dates.spellings import spelled_out
from ...dates.told import DATE_LENGTH, dated_moments, told_moments, told_times
from ...dates.words import fold
from ...likeness import marks, traits
from ...metadata import Told
from ..agenda import Agenda
from ..line import parted, unquoted
from ..request import KINDS, entries_named, kind_of, named_and_rest, split_options
from .entries import Entry, entries_meant
from .meant.followed import tells_when
from .said.clauses import GOES_ON, clauses_of, joined_clauses
from .said.pointing import points_back
from .said.words import TIME_WORDS

_DAY = "(?:day|morning|afternoon|evening|night|week)"
_POINTS = re.compile(
    # "Then it's the dentist" goes on to something else.
    r"\b(?:its?(?!['’]?s? (?:the|my|an?)\b)|they|them|their|he|him|she|her|this|those|these|which"
    r"|ones?(?! (?:more|hours?|minutes?|days?|weeks?|months?)\b)|both"
    rf"|there|instead|(?:that|same)(?! {_DAY})|i mean|make that|sorry|rather|except)\b"
    r"|^\W*(?:at|in|on|with|near|opposite|beside|for|from|over|under)\b"
    # 戚姐她们 are named.
    r"|它|[他她](?!们)|(?:^|[跟和给帮把让叫替对问请])[他她]们|这|那|同|也|都|^在",
    re.IGNORECASE,
)
"""By which a clause goes on about something that was said."""
_ASKS = re.compile(
    r"\W*(?:(?:and|also|but|so|oh|then)\b\W*)*(?:what|when|which|who|where|how (?:many|much|long))\b"
    r"|.*(?:什么|哪[些个天]|几点)",
    re.IGNORECASE,
)
"""A question of its own: its day is none of what the other parts are about."""
_THE_ONE = re.compile(r"\bthe (?:other )?one (?:on|at|in|with|from)\b", re.IGNORECASE)
"""By which a clause that ends something tells it from what was said before."""
_IN_ENGLISH = marks(
    "please kindly need needs remember forget book block put down mind pop stick note going comes coming wait oops yes"
    " okay half quarter past earlier later minutes sharp precisely exactly start starts starting begin end ends ending"
    " usual course fine"
)
_IN_CHINESE = {"再记", "记一", "加一", "一条", "还有", "有一", "一件", "件事", "顺便", "两件", "两条"}
_EMPTY = TIME_WORDS | _IN_ENGLISH | _IN_CHINESE
"""Words that make no clause about something of its own."""
_HALF = re.compile(r"\b([ap])\.m\b\.?", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|plus|also|另外|还有|再(?=[记加添订提安]))", re.IGNORECASE)
_DENIES = re.compile(r"\bnot\b|n['’]t\b|\binstead\b|[不没]", re.IGNORECASE)
_TO_AN_END = re.compile(r"\b(?:until|till|to|ends?|ending|finish\w*|over|done|back|out)\b|到|结束|完", re.IGNORECASE)
_ENDS = {"rm": "off", "done": "done"}
_TIMED = re.compile(r"(?<!\S)--(?:at|due|when|on|by)(?!\S)", re.IGNORECASE)


def scoped(agenda: Agenda, line: str, told: Told) -> Told:
    """What is known, with only that part of the request which is about the entry of a command.

    A part is left out if it is plainly about something else: about another entry, or, with a time of its own, about
    what is none. Where no part has a word of the command's, or what the command does is said in another one, the
    request stays whole.
    """
    name, order, details = parted(line)
    kind = kind_of(name)
    parts = _parts(fold(told.request[0]), told)
    if len(parts) < 2 or order not in ("add", "edit", "rm", "done", "undo"):
        return told
    entries = {one: entries_meant(agenda, one, told.now) for one in KINDS}
    if order == "add":
        text = split_options(details)[0]
        # "Pls" of "add pls" tells no part apart.
        meant, about = list[Entry](), frozenset[str]() if points_back(text) else marks(unquoted(text))
    else:
        named, _ = named_and_rest(order, details)
        meant = entries_named(named, entries[kind])
        about = frozenset[str]().union(*(marks(one.text) for one in meant))
    others = [one for pool in entries.values() for one in pool if one not in meant]
    own = [part for part in parts if marks(part) & about]
    settled = bool(traits(", ".join(own)) & set(_ENDS.values()))
    # What is done, or off, has no further date, and is nothing to add.
    new = order == "add"
    dated = new or settled
    hours = frozenset(item[-5:] for part in own for item in told_times(part, told.now) if ":" in item)
    kept = [
        part for part in parts if part in own or not _is_of_another(part, others, told, hours, new=new, dated=dated)
    ]
    if not own or len(kept) == len(parts) or (new and settled):
        return told
    rest = ", ".join(kept)
    ends = settled or (not new and bool(traits(rest) & set(_ENDS.values())))
    if _TIMED.search(details) and not ends and not told_times(rest, told.now):
        return told
    if order in _ENDS and _ENDS[order] not in traits(rest) and _ENDS[order] in traits(told.request[0]):
        return told
    if order in ("edit", "rm") and "moved" not in traits(rest) and _moves_alone(told):
        return told
    return replace(told, request=[rest, *told.request[1:]])


def _moves_alone(told: Told) -> bool:
    """Whether the one clause that moves something only points at it: "the auditors are in. Please move it" moves what
    was named before."""
    moving = [one for one in clauses_of(told) if "moved" in traits(one)]
    return len(moving) == 1 and bool(_POINTS.search(moving[0])) and len(_content(moving[0], told)) < 2


def _parts(said: str, told: Told) -> list[str]:
    """The parts of a request, each about one thing: clauses with those that go on about the same."""
    parts: list[str] = []
    for joint, clause in joined_clauses(_HALF.sub(r"\1m", said)):
        if not clause.strip():
            continue
        headless = parts and (not _content(parts[-1], told) or tells_when(parts[-1], told))
        # "Etta: dentist" is of one thing.
        headed = joint.strip() in (":", "：")
        ends_another = _THE_ONE.search(clause) and traits(clause) & {"off", "done", "moved"}
        goes_on = (
            headed
            or GOES_ON.match(clause.strip())
            or tells_when(clause, told)
            or (_POINTS.search(clause) and not ends_another)
        )
        if parts and (headless or not _content(clause, told) or goes_on):
            parts[-1] += f", {clause.strip()}"
        else:
            parts.append(f"{joint} {clause}".strip(" ,，") if _AND.match(joint) else clause.strip())
    return _with_lengths(parts, told)


def _with_lengths(parts: Sequence[str], told: Told) -> list[str]:
    """The parts, each with the one behind it that says only how long it takes: "the shop at 11, drain, 45 mins"."""
    whole: list[str] = []
    for part in parts:
        only_length = not told_moments([part], told.now) and "length" in traits(part)
        # "Push the dinner back by an hour" is an order of its own.
        only_length = only_length and not traits(part) & {"moved", *_ENDS.values()}
        if whole and only_length and told_times(whole[-1], told.now):
            whole[-1] += f", {part}"
        else:
            whole.append(part)
    return whole


def _content(clause: str, told: Told) -> frozenset[str]:
    rest = claims_in(spelled_out(in_digits(clause), told.now), told.now)[1]
    words = [one for one in marks(rest) if not one[0].isdigit() and not (one.isascii() and len(one) == 1)]
    return frozenset(words) - _EMPTY


def _is_of_another(
    part: str, others: Sequence[Entry], told: Told, hours: frozenset[str], *, new: bool, dated: bool
) -> bool:
    """Whether a part of a request is plainly about something else: another entry, or, where its date, or an hour other
    than those of the entry itself, is enough to tell, what is none."""
    if any(marks(one.about) & marks(part) for one in others):
        # What a new entry has to do with one that is there is looked for in the rest.
        settled = bool(traits(part) & set(_ENDS.values())) and not _DENIES.search(part)
        return not new or settled or any(marks(one) & marks(part) for one in told.done)
    if _ASKS.match(part):
        return True
    if _THE_ONE.search(part) and traits(part) & set(_ENDS.values()):
        return True
    times = told_times(part, told.now)
    # "Climb on Sunday, seven o'clock at the gate" is of one thing.
    days = dated_moments([part], told.now)
    other_hour = bool(hours) and not _TO_AN_END.search(part)
    other_hour = other_hour and any(":" in item and item[-5:] not in hours for item in times)
    return dated and (other_hour or (bool(days) and (len(days[0]) > DATE_LENGTH or bool(_AND.match(part)))))
