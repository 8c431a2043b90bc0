"""Changes of an entry other than the user's words have it, and the command that the words speak of."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from functools import partial

from ....dates.durations import LONGER, SHORTER, is_duration, parse_duration
from ....dates.found import claims_in
from ....dates.told import on_a_clock, only_moment, told_days, told_moments, told_times
from ....dates.when import When, read_when
from ....dates.words import fold
from ....likeness import is_unheard, marks, traits
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import FOR, MOMENT, ids_of, is_nothing, moment_of, option, option_value, unquoted
from ...request import MOMENT_OPTION, Kind, fitting_entries, named_to_edit
from ..asked_about.answers import hinted
from ..asked_about.times import changed_as_told, moves_away, to_when
from ..command import Command
from ..entries import Entry, clauses_about, entries_meant, is_at, line_of, text_about, times_in
from ..said.news import CHANGES, tells_it_done
from ..said.relative import A_WEEK_ON, BY_ITS_DAY, EARLIER, LATER, WEEKDAY_AFTER, weeks_on
from ..said.words import ANOTHER_TIME, NOW, TIME_WORDS, says
from .corrected import corrected, rather
from .name_parts import as_place, called, starred_part

_BESIDES = re.compile(r"\b(?:too|also|as well|add|besides|forgot\w*|plus)\b|也|还|加上|忘", re.IGNORECASE)
_OPTIONS = re.compile(r"(?<!\S)--\w.*")
_PLACE = option("place|where|location")
_ADDED = re.compile(r"\b(?:add|book|schedule|put|another|new)\b|加|新|再", re.IGNORECASE)


def changes_otherwise(command: Command) -> Missing | None:
    """A change of an entry other than the user's words have it."""
    agenda, kind, _, details, told = command
    named, rest = named_to_edit(unquoted(details))
    entries = entries_meant(agenda, kind, told.now)
    found = [one for one in entries if ids_of(named) == [one.id]] or fitting_entries(named, entries)
    found = found or [one for one in entries if fold(one.text).casefold() in fold(details).casefold()]
    if len(found) != 1:
        return None
    entry, at = found[0], option_value(rest, MOMENT)
    if at is not None and _goes_back(agenda, kind, entry, at, told):
        return hinted(text_about(agenda, "agenda.as_it_is", entry), stands=True, unwanted=True)
    if is_nothing(at or ""):
        return None
    if mend := _says_otherwise(agenda, kind, entry, rest, told):
        return mend
    return _moves_otherwise(agenda, kind, entry, entry.moment, rest, told) if entry.moment else None


def _says_otherwise(agenda: Agenda, kind: Kind, entry: Entry, rest: str, told: Told) -> Missing | None:
    """What speaks against the new text or place of an entry, or for another change than the command has."""
    new, options = _OPTIONS.sub("", rest), _OPTIONS.search(rest)
    question = text_about(agenda, "agenda.ask_change", entry)
    if is_unheard(new, "\n".join([*told.request, told.before, *told.elsewhere, told.context, entry.about])):
        return hinted(text_about(agenda, "agenda.nobodys_words", entry, words=new.strip()[:100]), stands=True)
    if kind == "schedule" and says(told, LONGER, SHORTER) and not rest.strip():
        return hinted("", partial(changed_as_told, kind, entry, told.now), question=question)
    # "Done this morning" moves nothing to today.
    today, now = f"{told.now:%Y-%m-%d}", f"{told.now:%Y-%m-%d %H:%M}"
    timed = any(not today <= item <= now for one in told.request for item in told_times(one, told.now))
    if kind == "todo" and not timed and any(tells_it_done(entry.text, fold(one)) for one in told.request):
        return rather(agenda, "agenda.there_already", entry, f"/todo done {entry.id}")
    if _is_its_line(entry, new, told):
        if entry.moment and (shifted := _shifted(entry, entry.moment, told)):
            return _move(agenda, kind, entry, shifted[0])
        hint = text_about(agenda, "agenda.own_line", entry, command=f"/{kind} edit {entry.id}")
        return hinted(hint, question=question, stands=True)
    if kind == "schedule" and (mend := _placed(agenda, entry, rest, told)):
        return mend
    if marks(new) and marks(new) < marks(name := called(entry.text, told)):
        return rather(agenda, "agenda.there_already", entry, f"/{kind} edit {entry.id} {name}")
    if renamed := _with_a_part_changed(entry.text, new.strip(), told):
        edit = f"/{kind} edit {entry.id} {renamed} {options[0] if options else ''}".rstrip()
        return rather(agenda, "agenda.there_already", entry, edit)
    return None


def _moves_otherwise(
    agenda: Agenda, kind: Kind, entry: Entry, moment: datetime, rest: str, told: Told
) -> Missing | None:
    """What speaks against the new moment of an entry, or against leaving it where it is."""
    at, lasting = option_value(rest, MOMENT), option_value(rest, FOR)
    when = moment_of(rest, MOMENT, told.now)
    if kind == "schedule" and _ends_otherwise(entry, moment, when):
        return None
    if at is not None and says(told, LATER, EARLIER) and moved_now(entry, moment, told):
        return hinted(text_about(agenda, "agenda.as_it_is", entry), stands=True, unwanted=True)
    if moved := _moved_by_a_length(entry, moment, at, lasting, told) or _still_there(entry, moment, at, told):
        return _move(agenda, kind, entry, moved)
    if MOMENT.sub("", rest).strip() or at is None or not _is_its_own(entry, when):
        return None
    said = times_in(told.request, told.now)
    # Where the user gives another time, the agenda's own error says that nothing would change.
    if said.lengths or (said.dates and not is_at(entry, said)[0]) or (said.times and not is_at(entry, said)[1]):
        return None
    if kind == "schedule" and (moves_away(entry, told) or says(told, ANOTHER_TIME)):
        return to_when(agenda, kind, entry, told)
    if "off" in traits(told.request[0]):
        return rather(agenda, "agenda.off_instead", entry, f"/{kind} rm {entry.id}")
    # What is to be corrected, and to what, may be left open: "they go by another name, correct that".
    is_open = len(told.request) == 1 and says(told, CHANGES)
    question = text_about(agenda, "agenda.ask_change", entry) if is_open else ""
    return hinted(text_about(agenda, "agenda.as_it_is", entry), question=question, stands=not is_open)


def _goes_back(agenda: Agenda, kind: Kind, entry: Entry, at: str, told: Told) -> bool:
    """Whether a change takes an entry back to where it was before this run has moved it."""
    former, read = agenda.former(kind, entry.id), read_when(at, told.now)
    changed = any(line_of(agenda, entry) in one for one in told.done)
    was = moment_of(former[1], MOMENT, told.now) if former and changed else None
    return bool(was and read and read.has_date and was.moment == read.moment)


def _placed(agenda: Agenda, entry: Entry, rest: str, told: Told) -> Missing | None:
    """The new place of an appointment, where a command has it for the text, has only the part that changes, or changes
    another one than the one whose place the user corrects."""
    new, place, last = _OPTIONS.sub("", rest).strip(), option_value(rest, _PLACE), corrected(agenda, told)
    if last and last[1].place and last[1].id != entry.id and (placed := starred_part(last[1].place, told)):
        return rather(agenda, "agenda.corrected", last[1], f"/schedule edit {last[1].id} --place {placed}")
    if not entry.place or (new and place):
        return None
    placed = as_place(entry.text, entry.place, new, told) if new else starred_part(entry.place, told)
    if not placed or (place is not None and fold(place).casefold() == fold(placed).casefold()):
        return None
    if not new and not (place and fold(place).casefold() in fold(told.request[0]).casefold()):
        return None
    options = " ".join(filter(None, [f"--place {placed}", *map(str.strip, _OPTIONS.findall(_PLACE.sub("", rest)))]))
    return rather(agenda, "agenda.there_already", entry, f"/schedule edit {entry.id} {options}")


def _ends_otherwise(entry: Entry, moment: datetime, when: When | None) -> bool:
    """Whether a change leaves the start of an appointment as it is, and gives it another end."""
    if when is None or when.end is None or when.moment.time() != moment.time():
        return False
    return when.end - when.moment != entry.lasts


def _is_its_own(entry: Entry, when: When | None) -> bool:
    """Whether a moment is the one that an entry has."""
    if when is None or entry.moment is None:
        return False
    on_its_day = not when.has_date or when.moment.date() == entry.moment.date()
    return on_its_day and (not when.has_time or (entry.has_time and when.moment.time() == entry.moment.time()))


def moved_entry(kind: Kind, entry: Entry, told: Told) -> str:
    """The command that moves an entry by the length that the user gives, or an appointment of which they say that it is
    moved to the one other time that they give; "" for neither."""
    shifted = _shifted(entry, entry.moment, told) if entry.moment else None
    if shifted:
        return _moving(kind, entry, shifted[0])
    # "It is in the hall now" moves nothing to today.
    timed, said = NOW.sub(" ", told.request[0]), told.request[0]
    times = told_moments([timed], told.now)
    added = any(map(_ADDED.search, clauses_about(entry, told)))
    moved = (
        not added
        and marks(entry.about) & marks(said)
        and "moved" in traits(said)
        and not traits(said) & {"asks", "off"}
    )
    if len(times) == 1 and entry.moment and times[0] == f"{entry.moment:%Y-%m-%d}":
        # "At 4 today": the hour may be of the morning or of the afternoon.
        times = [only_moment([timed], told.now)]
    other = len(times) == 1 and not all(is_at(entry, times_in([timed], told.now)))
    return f"/schedule edit {entry.id} --at {times[0]}" if kind == "schedule" and moved and other and times[0] else ""


def _moving(kind: Kind, entry: Entry, to: datetime) -> str:
    when = f"{to:%Y-%m-%d %H:%M}" if entry.has_time else f"{to:%Y-%m-%d}"
    return f"/{kind} edit {entry.id} --{MOMENT_OPTION[kind]} {when}"


def _move(agenda: Agenda, kind: Kind, entry: Entry, to: datetime) -> Missing:
    return rather(agenda, "agenda.moved_instead", entry, _moving(kind, entry, to))


def _is_its_line(entry: Entry, new: str, told: Told) -> bool:
    """Whether a new text is the entry's own with its date behind it, as lists show it."""
    new = new.strip(" ,:")
    rest = new[len(entry.text) :]
    is_dated = bool(rest) and bool(told_times(rest, told.now)) and not marks(claims_in(rest, told.now)[1]) - TIME_WORDS
    return fold(new).casefold().startswith(fold(entry.text).casefold()) and is_dated


def _with_a_part_changed(entry: str, new: str, told: Told) -> str:
    """The text of an entry with the part of it that the user names changed, where a command has the new part alone:
    of "Uncle Bert ought to be Aunt Bertha" the rest of the entry stays. "" where it does not say so."""
    said = fold(told.request[0]).casefold()
    if not new or fold(new).casefold() not in said:
        return ""
    if marks(new) & marks(entry):
        return _with_a_part_longer(entry, new, said)
    words = entry.split()
    parts = [
        words[start : start + size] for size in range(len(words) - 1, 0, -1) for start in range(len(words) - size + 1)
    ]
    for part in map(" ".join, parts):
        if marks(part) and re.search(rf"(?<!\w){re.escape(fold(part).casefold())}(?!\w)", said):
            return entry.replace(part, new, 1) if marks(part) < marks(entry) else ""
    return ""


def _with_a_part_longer(entry: str, new: str, said: str) -> str:
    """The text of an entry in which the words that it shares with a new one, and that stand together, become the new
    one: "tenors and basses" for the tenors of "order folders for the tenors". "" where the user adds nothing."""
    words = entry.split()
    shared = [place for place, word in enumerate(words) if marks(word) & marks(new)]
    rest = marks(entry) - marks(new)
    part = " ".join(words[shared[0] : shared[-1] + 1]) if shared else ""
    more = re.match(rf"{re.escape(part)}(?: and |, | & |和|与|、)", new, re.IGNORECASE)
    return entry.replace(part, new, 1) if part and more and rest and _BESIDES.search(said) else ""


def said_of(entry: Entry, told: Told) -> str:
    """The clause about an entry that says how it changes in time; the whole request if none does."""
    named = clauses_about(entry, told)
    changes = (LATER, EARLIER, LONGER, SHORTER, A_WEEK_ON, WEEKDAY_AFTER)
    changing = [one for one in named if any(way.search(one) for way in changes)]
    # "Yoga on friday: could it be an hour earlier?" goes on about it; "yoga at nine, dinner an hour later" does not.
    timed = [one for one in named if any(":" in item or item[-1] in "hm" for item in told_times(one, told.now))]
    return next(iter([*changing, *timed]), fold(told.request[0]))


def _shifted(entry: Entry, moment: datetime, told: Told) -> tuple[datetime, timedelta] | None:
    """Where an entry goes that is to be moved by a length, and the length; None where the user says another thing."""
    said = said_of(entry, told)
    if later := weeks_on(moment, said, told.now):
        return later, later - moment
    shift, lengths = LATER.search(said) or EARLIER.search(said), times_in([said], told.now).lengths
    own = {str(moment.date()), f"{moment:%Y-%m-%d %H:%M}", f"{moment:%H:%M}"}
    given = [one for one in told_moments([said], told.now) if one not in own]
    if shift is None or len(lengths) != 1 or moved_now(entry, moment, told):
        return None
    [length] = lengths
    to = moment + (length if LATER.search(said) else -length)
    if not given:
        return to, length
    # "To the day after, at seven" tells both.
    clock = given[0].removeprefix(f"{moment:%Y-%m-%d} ")
    timed = len(given) == 1 and len(clock) == len("19:00") and BY_ITS_DAY.search(said)
    return (datetime.combine(to, time.fromisoformat(clock)), length) if timed else None


def moved_now(entry: Entry, moment: datetime, told: Told) -> bool:
    """Whether a call of this run has put an entry where it is; a list has more than one line."""
    line, shown = f"{entry.id}: {entry.text}", (f"{moment:%Y-%m-%d}", f"{moment:%H:%M}" if entry.has_time else "")
    return any(line in one and all(part in one for part in shown) for one in told.done if "\n" not in one)


def _moved_by_a_length(
    entry: Entry, moment: datetime, at: str | None, lasts: str | None, told: Told
) -> datetime | None:
    """Where an entry goes that is to be moved by a length, if it is made as long, or moved elsewhere."""
    shifted = _shifted(entry, moment, told)
    if shifted is None:
        return None
    moved, length = shifted
    given = parse_duration(lasts) if lasts is not None and is_duration(lasts) else None
    as_long = given is not None and (given == length or given != entry.lasts)
    if not as_long and (at is None or _starts(at, {moved} | ({moment} if entry.has_time else set()), told)):
        return None
    return moved


def _still_there(entry: Entry, moment: datetime, at: str | None, told: Told) -> datetime | None:
    """The other day or time that the user names for an entry which a command moves to where it is."""
    if at is None or read_when(at, told.now) is None or not _starts(at, {moment}, told):
        return None
    # "It is now on Friday" names no time.
    words = NOW.sub(" ", fold(told.request[0]))
    # "The parents' evening" tells no hour.
    words = re.sub(re.escape(fold(entry.text)), " ", words, flags=re.IGNORECASE)
    said = times_in([words], told.now)
    dates = set(map(date.fromisoformat, told_days([words], told.now))) - {moment.date()}
    # "Still 10 pm till 6" says where it begins and ends.
    own = (moment, moment + entry.lasts)
    twins = {one.time().replace(hour=(one.hour + half) % 24) for one in own for half in (0, 12)}
    times = sorted(said.times - twins, key=lambda one: abs(_minutes(one) - _minutes(moment.time())))
    hours = set(map(on_a_clock, times))
    if len(dates) > 1 or len(hours) > 1 or not (dates or hours):
        return None
    return datetime.combine(next(iter(dates), moment.date()), times[0] if times else moment.time())


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def _starts(at: str, moments: set[datetime], told: Told) -> bool:
    """Whether a time, on the day of the moment if it names none, is one of these; what cannot be read is refused."""
    when = read_when(at, told.now)
    if when is None:
        return True
    days = {one.date() for one in moments} if not when.has_date else {when.moment.date()}
    return any((one.time() == when.moment.time() or not when.has_time) and one.date() in days for one in moments)
