"""When a new appointment begins, how long it takes and when it ends, by the user's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta

from .....errors import CommandError
from ....dates.durations import HALF_DAY, BareSpan, bare_spans, is_duration, length_of
from ....dates.found import SOME_DAY, claims_in, read_from
from ....dates.grammar import BARE_SPAN, plain
from ....dates.numbers import in_digits
from ....dates.spellings import spelled_out
from ....dates.told import DATE_LENGTH, as_clock, on_a_clock, only_moment, told_days, told_lengths, told_times
from ....dates.when import When, read_when
from ....dates.words import IN_A_LIST, fold
from ....likeness import marks
from ....metadata import Told
from ...line import (
    AT,
    DATED,
    FOR,
    NEW_APPOINTMENT,
    ORDERS,
    moment_of,
    next_word,
    option,
    option_value,
    with_value,
    without_option,
)
from ...request import KINDS, MOMENT_OPTION, NAMES, Kind, text_of
from ...schedule import read_add
from ..entries import times_in
from ..said.clauses import CLAUSES, with_what_goes_on
from ..said.words import OF_THE_SPEAKER, SHIFTED, TIME_DOT, TIME_WORDS

_ENDS = re.compile(
    r"\b(?:finish\w*|ends?|ending|over|wraps? up|lasts?|runs?|go(?:es|ing) on)(?: \w+)? (?:at|by|till?|until)\b"
    r"|\bstay\w*(?: \w+)? (?:till?|until)\b"
    r"|\d+(?::\d\d)? ?(?:[ap]\.?m\.?|o['’]?clock)? (?:till?|until)\b",
    re.IGNORECASE,
)
"""What stands before the time at which an appointment ends."""
_THEY = marks("they're we're they'll we'll you're")
"""Who comes to an entry that is there; of a new one it may be others."""
_SHORT_NAME = re.compile(r"\b[A-Z][a-z]{1,2}\b")
_AT_A_PLACE = re.compile(r"\W*@\W*(?:at|in|on) (?:(?!\b(?:and|then|to)\b).){2,40}")
_LATE = (22, 23)
"""Hours that are seldom meant where nobody says so."""
_AT_NIGHT = re.compile(r"\b(?:evening|tonight|night|late|pm|p\.m|party|drinks|gig|film|club)\b|晚|夜", re.IGNORECASE)
_BY_CLOCK = re.compile(r"(?<!\d)\d{1,2}:?[0-5]\d$")
_BEGINS = re.compile(r"(\d{1,2})")
_REMINDS = re.compile(r"\bremind me (?:at|an?|in)\b", re.IGNORECASE)
INTO_THE_DIARY = re.compile(
    rf"\s+{IN_A_LIST}(?: (?:before|by|on|for|at|due)\b(?:(?!\s--).)*)?(?=\s--|\s*$)",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:before|after(?! tomorrow)|within|ago|since|notice|every"
    r"|in(?= (?:(?:about|around|roughly|under|another) )?(?:an?|half|one|two|three|four|five|six|ten|\d+)\b))\b"
    r"|[内前]|后(?!天)",
    re.IGNORECASE,
)
_BESIDE_A_THING = re.compile(
    r"\b(?:the|an?|my|our|some|with|and) "
    r"(?:(?!hour|half|minute|min|bit|few|couple|day|week|little|while|so\b)[a-z'’]+ ){1,2}"
    r"(?:after|before)(?=\s*(?:[.,;!?\n]|$))",
    re.IGNORECASE,
)
"""What comes with an entry: "with a biscuit after" tells no time."""
_FROM_NOW = re.compile(
    r"\bin (?:about |roughly )?(?:an?|half|one|two|three|four|five|ten|\d+)\b[^.,;!?\d]{0,24}?"
    r"\b(?:hours?|hrs?|minutes?|mins?)\b",
    re.IGNORECASE,
)
"""Tells when something is: "in three quarters of an hour"."""
_CORRECTS = re.compile(
    r"\b(?:no|not|sorry|oops|actually|instead|rather|better|meant?|make (?:it|that)|moved?|wait|but)\b|n['’]t\b"
    r"|[不改错]",
    re.IGNORECASE,
)
"""By which a day may be told anew."""
_SPAN = re.compile(r"\d\s*(?:[-–~]|to|until|till)\s*\d{1,2}:\d\d", re.IGNORECASE)
_DATING = {"add", "edit"}
_MOMENTS = option("due|at|on|by|before|date|day|datetime|time|hour|when|start|from|deadline")


def in_one_moment(command: str, name: Kind) -> str:
    """A command with its day and its time of day in the one option that its list has: `--date friday --time 3pm`."""
    first, rest = next_word(command.lstrip("/／ "))
    found = list(_MOMENTS.finditer(command))
    read = [(value, when) for one in found if (when := read_when(value := one["value"].strip(), SOME_DAY))]
    if not found or len(read) < len(found) or not {ORDERS.get(first), ORDERS.get(next_word(rest)[0])} & _DATING:
        return command
    days = [value for value, when in read if not when.has_time]
    clocks = [value for value, when in read if when.has_time]
    if len(read) > 1 and not (len(days) == len(clocks) == 1 and not any(w.has_date for _, w in read if w.has_time)):
        return command
    start, end = command[: found[0].start()], command[found[0].end() :]
    kinds: list[Kind] = [kind for kind in KINDS if first.rstrip(":") in {kind, *NAMES[kind]}]
    option_name = MOMENT_OPTION[kinds[0] if kinds else name]
    return f"{start}--{option_name} {' '.join([*days, *clocks])}{without_option(end, _MOMENTS)}"


def with_end(command: str, told: Told) -> str:
    """An appointment's time with the one end that the user gave: "I'll start at 2, still have to be finished at 4"."""
    start, at = moment_of(command, AT, told.now), option_value(command, AT)
    clauses = [clause for said in map(fold, told.request) for clause in re.split(r"[,.;]|\band\b", said)]
    ends = [(clause, found) for clause in clauses for found in _ENDS.finditer(clause)]
    if start is None or at is None or len(ends) != 1 or _SPAN.search(at):
        return command
    clause, found = ends[0]
    stated, begun = (read_from(words, told.now).times for words in (clause[found.end() :], clause[: found.end()]))
    of_another = _content(clause, told) - marks(found[0]) - marks(command)
    of_another -= frozenset[str]() if NEW_APPOINTMENT.match(command) else _THEY
    if (begins := _BEGINS.match(found[0])) and int(begins[1]) % 12 != start.moment.hour % 12:
        return command
    if not start.has_time or start.end or start.moment.time() in stated or of_another:
        return command
    if begun and start.moment.time() not in begun:
        return command
    later = sorted(one for one in stated if one > start.moment.time())
    if not later:
        return command
    # "19:00 tomorrow" has no room for an end.
    at = at if read_when(f"{at}-{later[0]:%H:%M}", told.now) else f"{start.moment:%Y-%m-%d %H:%M}"
    return without_option(with_value(command, AT, f"{at}-{later[0]:%H:%M}"), FOR)


def by_morning(command: str, told: Told) -> str:
    """A new entry in the late evening, where the user gave the hour and said nothing of an evening, in the morning."""
    when = moment_of(command, DATED, told.now)
    said = TIME_DOT.sub(":", fold(told.request[0]))
    if when is None or when.end or not when.has_time or _AT_NIGHT.search(f"{said} {text_of(command)}"):
        return command
    given, early = {item[-5:] for item in told_times(said, told.now)}, when.moment - HALF_DAY
    if when.moment.hour not in _LATE or f"{when.moment:%H:%M}" in given or f"{early:%H:%M}" not in given:
        return command
    moment = f"{early:%Y-%m-%d %H:%M}" if when.has_date else f"{early:%H:%M}"
    return with_value(command, DATED, moment)


def with_span(command: str, told: Told) -> str:
    """A new appointment with both ends of a span that the user gives, where it has one of them: in "lab 9-11"."""
    when, given_at = moment_of(command, AT, told.now), option_value(command, AT) or ""
    if when is None or not when.has_time or when.end:
        return command
    words = [spelled_out(TIME_DOT.sub(":", fold(one)), told.now) for one in told.request]
    # "For 5-10 people at 5" is no span.
    if when.moment.time() in times_in([BARE_SPAN.sub(" ", one) for one in words], told.now).times:
        return command
    spans = _spans_in(told.request, told)
    given = timedelta(hours=when.moment.hour, minutes=when.moment.minute) % HALF_DAY
    begun = [one for one in spans if one.first % HALF_DAY == given]
    ended = [one for one in spans if one.last % HALF_DAY == given]
    if len(begun) != 1 and not (len(spans) == len(ended) == 1 and not begun):
        return command
    [span] = begun or ended
    start = when.moment if begun else when.moment - span.length
    if not span.length or start.date() != when.moment.date():
        return command
    end = f"{start + span.length:%H:%M}"
    if begun and _BY_CLOCK.search(given_at):
        value = f"{given_at}-{end}"
    else:
        value = f"{start:%Y-%m-%d} {start:%H:%M}-{end}" if when.has_date else f"{start:%H:%M}-{end}"
    return without_option(with_value(command, AT, value), FOR)


def bare_span(said: Sequence[str], told: Told) -> str:
    """The one span of bare hours in some words, as `BareSpan.hours`; "" for none or several."""
    spans = _spans_in(said, told)
    return next(iter(spans)).hours if len(spans) == 1 else ""


def _spans_in(said: Sequence[str], told: Told) -> set[BareSpan]:
    return {span for one in said for span in bare_spans(spelled_out(TIME_DOT.sub(":", fold(one)), told.now))}


def on_its_day(command: str, told: Told) -> str:
    """A new appointment on the one day that the user's clause about it gives, where it has the day of another clause,
    which gives that day with another time: of "the jab is Monday 8.30, and Tuesday the groomer" the groomer's."""
    when = moment_of(command, AT, told.now)
    if when is None or not when.has_date or when.end:
        return command
    about, given = marks(text_of(command)), str(when.moment.date())
    said = TIME_DOT.sub(":", fold(told.request[0]))
    clauses = [(one, told_times(one, told.now)) for one in CLAUSES.split(said)]
    days = told_days([one for one, _ in clauses if marks(one) & about], told.now)
    named = {one: marks(claims_in(one, told.now)[1]) - TIME_WORDS - OF_THE_SPEAKER for one, _ in clauses}
    others = [item for one, items in clauses if named[one] and not named[one] & about for item in items]
    of_another = [item[-5:] for item in others if item.startswith(given) and len(item) > DATE_LENGTH]
    if len(days) != 1 or not of_another or f"{when.moment:%H:%M}" in of_another or _CORRECTS.search(said):
        return command
    clock = f" {when.moment:%H:%M}" if when.has_time else ""
    moment = f"{days.pop()}{clock}"
    return command if moment.startswith(given) else with_value(command, AT, moment)


def with_moment(command: str, told: Told) -> str:
    """A new appointment at the one moment that the user named for it, where it has no time, or none that can be
    read."""
    details = NEW_APPOINTMENT.sub("", command).strip()
    try:
        # Another option may be what cannot be read.
        read = " ".join([text_of(command), *(found[0].strip() for found in AT.finditer(command))])
        when = read_add(read, told.now, "en").when if details else None
    except CommandError:
        when = None
    about = marks(text_of(command))
    clauses = with_what_goes_on(CLAUSES.split(TIME_DOT.sub(":", fold(told.request[0]))))
    own = [one for one in clauses if marks(one) & about or not _content(one, told) or _says_when_and_where(one, told)]
    moment = only_moment([*own, *map(as_clock, told.request[1:])], told.now)
    if not details or not moment or (when is not None and (when.has_time or len(moment) == DATE_LENGTH)):
        return command
    if _REMINDS.search(told.request[0]) or (when and when.has_date and str(when.moment.date()) != moment[:10]):
        return command
    return f"{without_option(INTO_THE_DIARY.sub('', command), AT).rstrip()} --at {moment}"


def _says_when_and_where(clause: str, told: Told) -> bool:
    """Whether a clause has a time and a place, and nothing else: "0730 till 2000 on Ward 6"."""
    return bool(_AT_A_PLACE.fullmatch(claims_in(spelled_out(clause, told.now), told.now)[1]))


def _content(clause: str, told: Told) -> frozenset[str]:
    """What a clause is about beside times and the one who speaks: nothing in "said I'd be there at one"."""
    about = marks(claims_in(in_digits(clause), told.now)[1]) - TIME_WORDS - OF_THE_SPEAKER
    names = marks(" ".join(_SHORT_NAME.findall(clause)))
    return frozenset(word for word in about if (len(word) > 3 or word in names) and not word[0].isdigit())


def with_length(command: str, told: Told) -> str:
    """A command with the one length that the user gave, if it has none, one that nobody gave, or none that can be
    read."""
    length = option_value(command, FOR)
    said = [_FROM_NOW.sub(" ", fold(one)) for one in told.request]
    lengths = told_lengths(said, told.now)
    given = length_of(plain(length)) if length and is_duration(length) else None
    if length and given not in [*map(length_of, lengths)]:
        if len(lengths) == 1:
            return f"{without_option(command, FOR)} --for {lengths[0]}"
        # "In two hours" tells when something is, not how long it takes.
        return without_option(command, FOR) if given in times_in(told.request, told.now).lengths else command
    has_one = length is not None or _SPAN.search(command)
    beside = _BESIDE.search(_BESIDE_A_THING.sub(" ", "; ".join(said)))
    of_another = len(lengths) != 1 or SHIFTED.search(" ".join(said)) or beside
    return command if has_one or of_another else f"{command} --for {lengths[0]}"


def span_told(read: When, told: Told) -> str:
    """The one span that the user gives, where a command has its hours in another half of the day."""
    spans = set[tuple[time, time]]()
    for one in told.request:
        items = told_times(one, told.now)
        clocks, lengths = [item[-5:] for item in items if ":" in item], told_lengths([one], told.now)
        if len(clocks) == len(lengths) == 1 and any(claim.length for claim in claims_in(one, told.now)[0]):
            start = datetime.combine(told.now, time.fromisoformat(clocks[0]))
            spans.add((start.time(), (start + length_of(plain(lengths[0]))).time()))
    if read.end is None or len(spans) != 1:
        return ""
    [(start, end)] = spans
    written = (read.moment.time(), read.end.time())
    if written == (start, end) or tuple(map(on_a_clock, written)) != (on_a_clock(start), on_a_clock(end)):
        return ""
    clock = f"{start:%H:%M}-{end:%H:%M}"
    return f"{read.moment:%Y-%m-%d} {clock}" if read.has_date else clock
