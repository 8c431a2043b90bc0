"""A command as the user's words have it: without what nobody asked for, and with what they leave no doubt about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, time

from ....errors import CommandError
from ...dates.durations import is_duration, length_of
from ...dates.found import claims_in, days_of_month, follows_another, read_from
from ...dates.grammar import plain
from ...dates.periods import read_period
from ...dates.told import as_clock, is_afternoon, only_moment, told_times
from ...dates.when import When, is_when, leading_when, parse_when, read_when
from ...dates.words import ORDERS, VALUE, fold, is_nothing, option, option_value, without_option
from ...likeness import is_unheard, marks
from ...metadata import Told
from ..request import split_options
from ..schedule import read_add
from .pointing import points_back, thing_meant
from .which import CLAUSES, times_in, with_what_goes_on

_PRIORITY = option("prio(?:rity)?", r"(?!--)\S+")
_PRESSING = re.compile(
    r"\b(?:urgent(?:ly)?|urgency|important(?:ly)?|asap|priority|prio|critical|crucial|pressing|high|low|medium|normal"
    r"|top|essential|vital|rush|hurry|first thing|right away|immediately|quick(?:ly)?|soon|time|whenever|some ?when"
    r"|some ?day|some ?time|eventually|badly|really must)\b|!!|急|重要|优先|尽快|马上|立刻|赶紧|有空|随时|级",
    re.IGNORECASE,
)
_TAG = option("tag")
_LABELED = re.compile(r"#|\b(?:tag|label|mark|categor|file (?:it |them )?under)|标签|分类|标记|归", re.IGNORECASE)
_GIVEN = rf"(?!none\b|无){VALUE}"
_PLACE = option("place|where|venue", _GIVEN)
_DUE = option("due", _GIVEN)
_FOR = option("for|duration")
_DATED = option("due|at")
_AT = option("at|when")
_ENDS = re.compile(
    r"\b(?:finish\w*|ends?|ending|over|wraps? up|stay\w*|lasts?|runs?|go(?:es|ing) on)(?: \w+)? (?:at|by|till?|until)\b"
    r"|\d(?::\d\d)? ?(?:[ap]\.?m\.?|o['’]?clock)? (?:till?|until)\b",
    re.IGNORECASE,
)
"""What stands before the time at which an appointment ends."""
_TIME_DOT = re.compile(r"(?<=\d)\.(?=[0-5]\d\b)")
_OF_THE_SPEAKER = marks("said told promised agreed reckon come coming start starting begin still finally today oclock")
_REMINDS = re.compile(r"\bremind me (?:at|an?|in)\b", re.IGNORECASE)
_INTO_THE_DIARY = re.compile(
    r"\s+(?:on|onto|to|in|into) (?:my|the) (?:calendar|diary|agenda|schedule)"
    r"(?: (?:before|by|on|for|at)\b(?:(?!\s--).)*)?(?=\s--|\s*$)",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?<![\d:.-])(\d{1,2}):([0-5]\d)(?![\d:])(?!\s*[ap]\.?m)", re.IGNORECASE)
_SHIFTED = re.compile(
    r"\b(?:later|earlier|sooner|longer|forward|back by|push\w*|shift\w*)\b|推|提前|延后|顺延|[晚早]\w*[小时分]",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(?:before|after|within|in(?! the\b)|ago|since|notice|every)\b|[内后前]", re.IGNORECASE)
_FROM_NOW = re.compile(
    r"\bin (?:about |roughly )?(?:an?|half|one|two|three|four|five|ten|\d+)\b[^.,;!?\d]{0,24}?"
    r"\b(?:hours?|hrs?|minutes?|mins?)\b",
    re.IGNORECASE,
)
"""Tells when something is: "in three quarters of an hour"."""
_SPAN = re.compile(r"\d\s*(?:[-–~]|to|until|till)\s*\d{1,2}:\d\d", re.IGNORECASE)
_NEW_APPOINTMENT = re.compile(r"/?\s*schedule\s+add\b", re.IGNORECASE)
_DATE_LENGTH = len("2026-03-13")
_ORDERING = re.compile(r"^/?\s*(?:(?:todo|schedule)\s+)?\S+", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:it|they) (?:wants?|needs?|must|ha(?:s|ve) to|should|ought)\b|\b(?:wants?|needs?|expects?) (?:it|them)\b"
    r"|\b(?:the|is|at the) (?:absolute |very )?latest\b|它|最晚|最迟",
    re.IGNORECASE,
)
"""A clause that says what is to be done with the thing of the one before."""
_SAME_DAY = re.compile(
    r"\b(?:then|before|that day|that morning|that evening|both|too|also)\b|之前|当天|那天|也", re.IGNORECASE
)
TIME_WORDS = marks("morning afternoon evening noon night oclock week next both all until hour hours am pm")
_LIMITS = marks("latest last due deadline final end before earliest absolute absolutely cutoff")
_OVERDUE = re.compile(r"\b(?:overdue|late)\b|逾期|过期", re.IGNORECASE)
_NAMED_PERIOD = re.compile(
    r"\b(?:the |this |next )?week(?:end)?\b|(?:这个?|本|下)?周末|[本这下]周(?![一二三四五六日天])", re.IGNORECASE
)
_OF_DAYS = re.compile(r"^(/?\s*(?:schedule\s+(?:list|show)|view)\s+)(\S.*)$", re.IGNORECASE)
_DATE_IN_TEXT = re.compile(r"\s+(?:on|for|by)\s+((?:(?!\s--).)+?)(?=\s+--(?:at|due)\b)", re.IGNORECASE)


def as_told(command: str, told: Told) -> str:
    """A command that adds, changes or lists, as the user's words have it; any other as it is.

    A small model adds a priority, a date, a length or a place because its examples have them: where the user said
    nothing at all of the kind, it goes. It drops the day where only the time is to change, writes 2:00 for two in the
    afternoon, another time altogether, or one that cannot be read: where the user named one day, the hour in one way,
    or one moment, that counts. What else a command says of times is for the check of its grounds.
    """
    order = next((one for word in command.split()[:2] if (one := ORDERS.get(word.lstrip("/").casefold()))), "")
    if order == "list" or command.lstrip("/ ").casefold().startswith("view "):
        command = _without_unasked(command, told)
        return _OF_DAYS.sub(lambda found: f"{found[1]}{_period(found[2], told)}", command)
    if order not in ("add", "edit"):
        return command
    command = _without_unasked(command, told)
    if order == "add" and points_back(text := _named(command)) and (thing := thing_meant(text, told)):
        command = command.replace(text, thing, 1)
    if order == "add" and _date_is_of_another(command, told):
        command = without_option(command, _DUE)
    command = _DATE_IN_TEXT.sub(lambda found: "" if is_when(found[1].strip()) else found[0], command)
    new = order == "add" and bool(_named(command))
    command = _DATED.sub(lambda at: at["mark"] + _dated(at["value"], at["name"].casefold(), told, new), command)
    if _NEW_APPOINTMENT.match(command):
        command = _with_length(_with_moment(command, told), told)
    return _with_end(command, told)


def _with_end(command: str, told: Told) -> str:
    """An appointment's time with the one end that the user gave: "I'll start at 2, still have to be finished at 4"."""
    at = _AT.search(command)
    clauses = [clause for said in map(fold, told.request) for clause in re.split("[,.;]", said)]
    ends = [(clause, found) for clause in clauses for found in _ENDS.finditer(clause)]
    if at is None or len(ends) != 1 or _SPAN.search(at["value"]):
        return command
    start = read_when(at["value"].strip(), told.now)
    if start is None:
        return command
    clause, found = ends[0]
    stated, begun = (read_from(words, told.now).times for words in (clause[found.end() :], clause[: found.end()]))
    of_another = _content(clause.replace(found[0], " "), told) - marks(_named(command))
    if not start.has_time or start.end or start.moment.time() in stated or of_another:
        return command
    if begun and start.moment.time() not in begun:
        return command
    later = sorted(one for one in stated if one > start.moment.time())
    if not later:
        return command
    return without_option(f"{command[: at.end()].rstrip()}-{later[0]:%H:%M}{command[at.end() :]}", _FOR)


def _with_moment(command: str, told: Told) -> str:
    """A new appointment at the one moment that the user named for it, where it has no time, or none that can be
    read."""
    details = _NEW_APPOINTMENT.sub("", command).strip()
    try:
        # Another option may be what cannot be read.
        read = " ".join([_named(command), *(found[0].strip() for found in _AT.finditer(command))])
        when = read_add(read, told.now, "en").when if details else None
    except CommandError:
        when = None
    about = marks(_named(command))
    clauses = with_what_goes_on(CLAUSES.split(_TIME_DOT.sub(":", fold(told.request[0]))))
    own = [clause for clause in clauses if marks(clause) & about or not _content(clause, told)]
    moment = only_moment([*own, *map(as_clock, told.request[1:])], told.now)
    if not details or not moment or (when is not None and (when.has_time or len(moment) == _DATE_LENGTH)):
        return command
    if _REMINDS.search(told.request[0]) or (when and when.has_date and str(when.moment.date()) != moment[:10]):
        return command
    return f"{without_option(_INTO_THE_DIARY.sub('', command), _AT).rstrip()} --at {moment}"


def _content(clause: str, told: Told) -> frozenset[str]:
    """What a clause is about beside times and the one who speaks: nothing in "said I'd be there at one"."""
    about = marks(claims_in(clause, told.now)[1]) - TIME_WORDS - _OF_THE_SPEAKER
    return frozenset(word for word in about if len(word) > 3)


def _with_length(command: str, told: Told) -> str:
    """A command with the one length that the user gave, if it has none, or one that nobody gave."""
    length = option_value(command, _FOR)
    said = [_FROM_NOW.sub(" ", fold(one)) for one in told.request]
    lengths = [item for one in said for item in told_times(one, told.now) if item[-1:] in ("h", "m")]
    if length and is_duration(length) and (given := length_of(plain(length))) not in map(length_of, lengths):
        if len(lengths) == 1:
            return f"{without_option(command, _FOR)} --for {lengths[0]}"
        # "In two hours" tells when something is, not how long it takes.
        return without_option(command, _FOR) if given in times_in(told.request, told.now).lengths else command
    has_one = length is not None or _SPAN.search(command)
    of_another = len(lengths) != 1 or _SHIFTED.search(" ".join(said)) or _BESIDE.search(" ".join(said))
    return command if has_one or of_another else f"{command} --for {lengths[0]}"


def _without_unasked(command: str, told: Told) -> str:
    said = [*told.request, told.before]
    times = [read_from(one, told.now) for one in [*said, *told.elsewhere]]
    # Ten is 10:00 and 22:00, which is no span.
    hours = {(at.hour % 12, at.minute) for one in times for at in one.times}
    if not any(map(_PRESSING.search, map(fold, said))):
        command = without_option(command, _PRIORITY)
    if not any(map(_LABELED.search, map(fold, said))):
        tags = [found["value"] for found in _TAG.finditer(command)]
        if len(tags) > 1 or not marks(" ".join(tags)) & marks(" ".join(said)):
            command = without_option(command, _TAG)
    dated = any(one.dates or one.implied or one.times or one.lengths for one in times)
    if not dated and not any(_NAMED_PERIOD.search(one) or _OVERDUE.search(one) for one in map(fold, said)):
        command = without_option(command, _DUE)
    place, heard = option_value(command, _PLACE), "\n".join([*said, *told.elsewhere])
    if place and (is_when(place) or is_unheard(place, heard)):
        command = without_option(command, _PLACE)
    if not any(one.lengths for one in times) and len(hours) < 2:
        command = without_option(command, _FOR)
    return command


def _date_is_of_another(command: str, told: Told) -> bool:
    """Whether the user gave dates and times with other words alone than those of a new todo: of "water the plants, and
    lunch with Eva on Friday" the plants have no date."""
    about = marks(_named(command))
    # What it is may be the answer to a question, and its date in the request.
    clauses = with_what_goes_on(CLAUSES.split(fold(told.request[0])))
    own = [clause for clause in clauses if marks(clause) & about]
    others = [clause for clause in clauses if told_times(clause, told.now) and clause not in own]
    others = [clause for clause in others if not _POINTS_BACK.search(clause)]
    has_own = any(told_times(clause, told.now) or _SAME_DAY.search(clause) for clause in own)
    return bool(own and others) and not has_own and not any(_tells_only_when(clause, told) for clause in others)


def _tells_only_when(clause: str, told: Told) -> bool:
    """Whether a clause has nothing but a time: "latest is 31 March"."""
    return not marks(claims_in(fold(clause), told.now)[1]) - TIME_WORDS - _LIMITS


def _named(command: str) -> str:
    """The words of a command that say what is added or changed, before its options."""
    return _ORDERING.sub("", split_options(fold(command), 1)[0]).strip()


def _dated(when: str, option: str, told: Told, new: bool) -> str:
    said = [*told.request, told.before]
    known = frozenset[time]().union(*(read_from(one, told.now).times for one in said))

    def by_day(found: re.Match[str]) -> str:
        hour, minute = int(found[1]), int(found[2])
        if hour >= 12 or time(hour + 12, minute) not in known:
            return found[0]
        stays = time(hour, minute) in known and not is_afternoon(hour, said)
        return found[0] if stays else f"{hour + 12}:{found[2]}"

    when = _HOUR.sub(by_day, when)
    moments = [item for one in told.request for item in told_times(one, told.now) if _day_of(item)]
    days = {_day_of(item) for item in moments}
    read = read_when(when.strip(), told.now)
    if read is None:
        return _told_instead(when, moments, told) if new and not is_nothing(when) else when
    planned = [item for item in told_times(told.step, told.now) if len(item) > _DATE_LENGTH]
    if not _is_known(read, told) and len(planned) == 1 and _is_known(parse_when(planned[0], told.now), told):
        # A small model plans what was said, and calls for something else.
        return planned[0]
    if any(map(follows_another, told.request)):
        return when
    by_a_length = any(read_from(one, told.now).lengths for one in told.request)
    shifted = by_a_length and any(map(_SHIFTED.search, map(fold, told.request)))
    if len(moments) == 1 and len(moments[0]) > _DATE_LENGTH and not shifted and not _is_known(read, told):
        return moments[0]
    if read.has_date and len(days) == 1 and not by_a_length:
        known_times = times_in([*told.request, told.before, *told.elsewhere], told.now)
        at = f" {read.moment:%H:%M}" if read.has_time and (known_times.times or option == "at") else ""
        by_number = any(map(days_of_month, told.request)) and read.moment.date() not in days
        # Of an entry that is moved, the user may have named the day where it is.
        if new and (by_number or read.moment.date() not in known_times.dates | known_times.implied):
            return f"{days.pop()}{at}"
        # A todo may do without a time of day, and nobody spoke of one.
        return f"{read.moment:%Y-%m-%d}{at}" if read.has_time and not at else when
    return f"{days.pop()} {when.strip()}" if read.has_time and not read.has_date and len(days) == 1 else when


def _told_instead(when: str, moments: Sequence[str], told: Told) -> str:
    """The one moment that the user gave, in place of one that cannot be read; text that follows a time stays."""
    end = leading_when(when)
    rest = when[end:]
    if end and marks(claims_in(rest, told.now)[1]) - TIME_WORDS:
        return when
    return moments[0] if len(moments) == 1 else when


def _is_known(read: When, told: Told) -> bool:
    """Whether the user, or what was said or read before, gave the day and the time of a moment."""
    known = times_in([*told.request, told.before, *told.elsewhere], told.now)
    day, at = read.moment.date(), read.moment.time()
    given = not read.has_date or day in known.dates or day in known.implied
    return given and read.has_time and (at in known.times)


def _period(listed: str, told: Told) -> str:
    """The days to list: those that the user named, where the command names others."""
    named = [found[0] for one in told.request for found in _NAMED_PERIOD.finditer(fold(one))]
    named = named or [str(day) for one in told.request for item in told_times(one, told.now) if (day := _day_of(item))]
    if len(set(named)) != 1:
        return listed
    meant, shown = read_period(named[0], told.now), read_period(listed, told.now)
    if meant is None:
        return listed
    return listed if shown and shown.start <= meant.start and meant.end <= shown.end else named[0]


def _day_of(item: str) -> date | None:
    try:
        return date.fromisoformat(item[:10])
    except ValueError:
        return None
