"""The entries that a command may mean, and what the user's words name of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from ...dates.durations import USUAL_LENGTH
from ...dates.found import Times, claims_in, read_from
from ...dates.when import tell
from ...dates.words import WEEKDAY, fold
from ...likeness import is_chinese, is_spread, marks
from ...metadata import Told
from ..agenda import Agenda
from ..line import ids_of
from ..request import KINDS, Kind, entries_named
from ..texts import text
from .said.clauses import SENTENCE, clauses_with
from .said.pointing import WISHES, tells_no_change, wants_something_new
from .said.words import AND, EXCEPT, THE_REST, is_for_calendar, is_listed

_CALLED = re.compile(
    r"\b([\w-]+)(?:['’]s)? (?:(?:has|have|just|only) )*"
    r"(?:rang|phoned|called|texted|emailed|messaged|wrote|written|says|said)\b",
    re.IGNORECASE,
)
_TWO_WORDS = re.compile(r"(?<![\w-])([\w-]+)(?= ([\w-]+))")
_FURTHER = 2
_TODAY = re.compile(r"\btoday\b|今天", re.IGNORECASE)
TO_A_DAY = re.compile(
    rf"\b(?:to|until|till) (?:\w+ )?(?:{WEEKDAY}|the \d|tomorrow)|[到至](?!(?:我的?)?(?:清单|日历|日程|列表|待办))",
    re.IGNORECASE,
)
GENERAL = re.compile(
    r"\b(?:that|this|the|my) (?:appointment|appt|event|thing|one)\b|[那这]个?(?:会(?!议室)|活动|安排|约|日程|事)",
    re.IGNORECASE,
)
"""What a user calls an entry that is named by its day alone: "the appointment tomorrow"."""
_PLACES = ("first|1st|top", "second|2nd", "third|3rd", "fourth|4th", "fifth|5th", "last|bottom")
_PLACES_ZH = ("第一", "第二", "第三", "第四", "第五", "最后一?")
_PLACE = re.compile(
    r"\b(?:the|my) (?:"
    + "|".join(f"({names})" for names in _PLACES)
    + r")(?: (?:one|item|entry|todo|task|appointment|point)\b| on (?:my|the)\b|\W*$)|(?:"
    + "|".join(f"({name})" for name in _PLACES_ZH)
    + ")[个件条项]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    id: int
    text: str
    about: str
    moment: datetime | None
    has_time: bool = True
    lasts: timedelta = USUAL_LENGTH
    is_urgent: bool = False
    place: str = ""


def entries_meant(agenda: Agenda, kind: Kind, now: datetime, order: str = "") -> list[Entry]:
    """The entries that a command may mean: todos that can be marked so, and appointments that are not over."""
    if kind == "schedule":
        return [
            Entry(one.id, one.text, f"{one.text} {one.place}", one.start, lasts=one.end - one.start, place=one.place)
            for one in agenda.appointments(start=now)
        ]
    todos = agenda.todos({"done": "open", "undo": "done"}.get(order, "all"))  # type: ignore[arg-type]
    return [
        Entry(
            one.id,
            one.text,
            f"{one.text} {' '.join(one.tags)}",
            one.due,
            one.due_has_time,
            is_urgent=one.priority == "high",
        )
        for one in todos
    ]


def only_named(agenda: Agenda, kind: Kind, named: str, now: datetime, order: str = "") -> Entry | None:
    """The one entry that a command names, by its id or its words; None for none, or for several."""
    found = entries_named(named, entries_meant(agenda, kind, now, order))
    return found[0] if len(found) == 1 and len(ids_of(named)) < 2 else None


def shared(entry: Entry, told: Told) -> frozenset[str]:
    if any(is_spread(entry.text, said) for said in told.request):
        return marks(entry.about)
    return marks(entry.about) & marks(" ".join(told.request))


def is_at(entry: Entry, said: Times) -> tuple[bool, bool]:
    """Whether the user's words name the day and the time of an entry."""
    if entry.moment is None:
        return False, False
    return entry.moment.date() in said.dates, entry.has_time and entry.moment.time() in said.times


def clauses_about(entry: Entry, told: Told) -> list[str]:
    """The clauses of a request that have a word of an entry."""
    return clauses_with(marks(entry.about), told)


def times_in(texts: Sequence[str], now: datetime) -> Times:
    """What texts say of dates and times; "today" is a day here, and no time."""
    # Its place is taken by a word that may stand behind a time.
    read = [read_from(_TODAY.sub("then", one), now) for one in texts]
    dates = frozenset[date]({now.date()} if any(map(_TODAY.search, texts)) else ())
    return Times(
        dates.union(*(one.dates for one in read)),
        frozenset[date]().union(*(one.implied for one in read)),
        frozenset[time]().union(*(one.times for one in read)),
        frozenset[timedelta]().union(*(one.lengths for one in read)),
    )


def all_meant(agenda: Agenda, now: datetime) -> list[Entry]:
    """The entries of both lists that a command may mean."""
    return [one for kind in KINDS for one in entries_meant(agenda, kind, now)]


def text_about(agenda: Agenda, key: str, entry: Entry, **fields: str) -> str:
    """A text of the agenda's that has the line of an entry."""
    return text(agenda.language, key, entry=line_of(agenda, entry), **fields)


def line_of(agenda: Agenda, entry: Entry) -> str:
    at = f", {tell(entry.moment, agenda.language, has_time=entry.has_time)}" if entry.moment else ""
    return f"{entry.id}: {entry.text}{at}"


def spoken_of(entry: Entry, told: Told) -> bool:
    """Whether an entry was spoken of before the request, which may go on about it."""
    return fold(entry.text).casefold() in fold(told.before).casefold()


def named_in(words: str, entries: Sequence[Entry], now: datetime, *, by_time: bool = True) -> list[Entry]:
    """The entries that a user's words name best: by words that they share, else by their day or time."""
    about = Told([words], "", (), now)
    # A character that stands alone may be all that tells two of them apart: 爸的 for 给爸拿药.
    alone = {mark for mark in marks(words) if len(mark) == 1 and is_chinese(mark)}
    likeness = [len(shared(entry, about)) + sum(mark in entry.text for mark in alone) for entry in entries]
    said = times_in([words], now)
    if best := max(likeness, default=0):
        return [entry for entry, alike in zip(entries, likeness, strict=True) if alike == best]
    return [entry for entry in entries if by_time and any(is_at(entry, said))]


def named_by_chance(entries: Sequence[Entry], told: Told) -> list[Entry]:
    """The entries with which a request has one word of several in common, or less than half of them, or some of those
    of an entry on another day, though it means another one, or something new: "the paper of Ludmila" is none of "buy
    rain trousers for Ludmila"."""
    heard = words_heard(told)
    both = [marks(entry.about) & heard for entry in entries]
    weak = [
        # Of "physio" at the clinic, its place is not said.
        # "Change" is no mark, and "crew change" no crew meeting.
        (not marks(one.text) <= words or _is_of_another_kind(one, words, told))
        and (
            (
                _in_a_row(words) == 1
                and (len(marks(one.about)) > 2 or _is_of_another_kind(one, words, told) or _only_called(words, told))
            )
            or (0 < 2 * len(words) < len(marks(one.text)) and not is_chinese(one.text))
            or is_on_another_day(one, told)
        )
        for one, words in zip(entries, both, strict=True)
    ]
    named = frozenset[str]().union(*(words for words, little in zip(both, weak, strict=True) if not little))
    request = fold(told.request[0])
    sentences, is_new = SENTENCE.split(request), wants_something_new(request)

    def is_of_something_new(words: frozenset[str]) -> bool:
        about = [one for one in sentences if marks(one) & words]
        new = all(wants_something_new(one) or (is_new and tells_no_change(one)) for one in about)
        return new and bool(about) and len(told.request) == 1

    found = zip(entries, both, weak, strict=True)
    return [one for one, words, little in found if little and (is_of_something_new(words) or words <= named)]


def words_heard(told: Told) -> frozenset[str]:
    """The words of a request that are no part of a time: "next week" is no word of "a note for last week"."""
    said, untimed = (
        marks(" ".join(some)) for some in (told.request, [claims_in(one, told.now)[1] for one in told.request])
    )
    # 三号 is the third, and one of 三号楼.
    return frozenset(one for one in said if one in untimed or not one.isascii())


def is_on_another_day(entry: Entry, told: Told) -> bool:
    """Whether the user orders something new and names days, none of them that of an entry, and what it is has further
    words: "viewing at 14 Elm Road with the Hills this afternoon, pop that in" is no "Viewing at 3 Elm Close" of
    tomorrow."""
    said, words = fold(told.request[0]), marks(entry.about) & words_heard(told)
    days = times_in(told.request, told.now).dates
    if not words or not days or entry.moment is None or entry.moment.date() in days:
        return False
    if not (WISHES.search(said) or is_for_calendar(said) or is_listed(said)):
        return False
    about = [one for one in SENTENCE.split(said) if marks(one) & words]
    further = marks(" ".join(claims_in(one, told.now)[1] for one in about)) - marks(entry.about)
    return len(further) >= _FURTHER


def _is_of_another_kind(entry: Entry, shared_word: frozenset[str], told: Told) -> bool:
    """Whether the user speaks of a thing with another name behind the word that it shares with an entry: "my driving
    theory" is no "driving lesson"."""
    pairs = _TWO_WORDS.finditer(fold(told.request[0]))
    others = [found[2] for found in pairs if marks(found[1]) == shared_word]
    behind = any(marks(found[1]) == shared_word for found in _TWO_WORDS.finditer(entry.text))
    return behind and bool(others) and all(marks(one) - marks(entry.about) for one in others)


def _only_called(words: frozenset[str], told: Told) -> bool:
    """Whether the user has this word only for somebody who has told them something: "dentist rang"."""
    said = fold(told.request[0])
    return (
        marks(" ".join(found[1] for found in _CALLED.finditer(said))) == words
        and not marks(_CALLED.sub(" ", said)) & words
    )


def _in_a_row(words: frozenset[str]) -> int:
    """How many words these are; of Chinese ones, which are pairs of characters, those that go on from one another are
    one."""
    return len(words) - sum(first[-1] == second[0] for first in words for second in words if is_chinese(first))


def excepted(said: str, kind: Kind, entries: Sequence[Entry], now: datetime) -> list[Entry] | None:
    """The entries that a request says are not meant with "everything": by their words, their day or their priority.

    None where it excepts nothing, or nothing but the rest or the other list; none of them where it leaves open which:
    "all but the urgent one", of two.
    """
    found = EXCEPT.search(said)
    if found is None:
        return None
    words = next(filter(None, found.groups()), "")
    about = [" ".join(one for one in part.split() if not marks(one) <= _URGENT_WORDS) for part in AND.split(words)]
    best = [one for part in about for one in named_in(part, entries, now, by_time=False)]
    named = [one for one in entries if one in best]
    if not named and (THE_REST.search(words) or _OTHER_LIST[kind].search(words)):
        return None
    if not named and marks(words) & _URGENT_WORDS:
        named = [one for one in entries if one.is_urgent]
    if not named:
        named = [one for one in entries if is_at(one, times_in([words], now))[0]]
    return [] if len(named) > 1 and _ONE.search(words) else named


_OTHER_LIST: dict[Kind, re.Pattern[str]] = {
    "todo": re.compile(r"\b(?:appointments|meetings|events|calendar|diary|schedule)\b|日程|日历", re.IGNORECASE),
    "schedule": re.compile(r"\b(?:to-?dos|tasks|(?:to-?do )?list)\b|待办|任务|清单", re.IGNORECASE),
}
_ONE = re.compile(r"\bone\b|那[个条项件]", re.IGNORECASE)
_URGENT_WORDS = marks("urgent important priority high 紧急 重要 优先")


def counted_in(words: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that a user's words name by their place on the list: "the second one", "the last one"."""
    places = [((found.lastindex or 1) - 1) % len(_PLACES) for found in _PLACE.finditer(fold(words))]
    # The last of the places is the last one of the list, whatever its number.
    places = [-1 if place == len(_PLACES) - 1 else place for place in places]
    return [entries[place] for place in places if -len(entries) <= place < len(entries)]
