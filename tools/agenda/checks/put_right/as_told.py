"""A command as the user's words have it: without what nobody asked for, and with what they leave no doubt about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time

from ....dates.durations import USUAL_LENGTH, bare_spans
from ....dates.found import claims_in, days_of_month, follows_another, read_from
from ....dates.periods import NAMED_PERIOD
from ....dates.spellings import spelled_out
from ....dates.told import (
    DATE_LENGTH,
    dated_moments,
    is_afternoon,
    only_moment,
    spelled_by_day,
    told_days,
    told_lengths,
    told_moments,
    told_times,
)
from ....dates.when import When, is_when, leading_when, parse_when, read_when
from ....dates.words import WEEKDAY, fold
from ....likeness import is_unheard, marks
from ....metadata import Told
from ...line import (
    DATED,
    FOR,
    NEW_APPOINTMENT,
    ORDERS,
    VALUE,
    is_nothing,
    moment_of,
    option,
    option_value,
    with_value,
    without_option,
)
from ...request import text_of
from ..entries import times_in
from ..said.clauses import clauses_of, with_what_goes_on
from ..said.pointing import points_back, puts_somebody_in, said_before, thing_meant, whole_duty
from ..said.words import NOW, SHIFTED, TIME_WORDS, says
from .deadlines import on_its_due_day, tells_only_when, with_deadline
from .half_days import keeps_its_time
from .lists import period_told
from .places import at_the_place, with_place, with_whole_place
from .spans import (
    INTO_THE_DIARY,
    by_morning,
    on_its_day,
    span_told,
    with_end,
    with_length,
    with_moment,
    with_span,
)
from .urgency import with_priority, without_unasked_priority
from .worded import as_spelled, as_step_names, with_amount, with_options_in_words, without_request, without_tags

_ADDING = re.compile(r"/?\s*(?:(?:todo|schedule)\s+)?add\b", re.IGNORECASE)
_LABELED = re.compile(r"#|\b(?:tag|label|mark|categor|file (?:it |them )?under)|标签|分类|标记|归", re.IGNORECASE)
_GIVEN = rf"(?!none\b|无){VALUE}"
_PLACE = option("place|where|venue", _GIVEN)
_DUE = option("due", _GIVEN)
_AT_HOUR = re.compile(r"(?:\b(?:at|from)|@) ?\d{1,2}(?![\d:]|[.,]\d| (?-i:[A-Z]))", re.IGNORECASE)
_BESIDE_A_TIME = re.compile(
    r"\b(?:after\w*|before\w*|ahead|early|earlier|later|following|when|while|lunch\w*|breakfast|quarter|close\w*|opens?|ends?"
    r"|over|so|until|till)\b|[前后]",
    re.IGNORECASE,
)
"""By which a time may be told by another one, or be that of something else."""
_HOUR = re.compile(r"(?<![\d:.-])(\d{1,2}):([0-5]\d)(?![\d:])(?!\s*[ap]\.?m)", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:it|they) (?:wants?|needs?|must|ha(?:s|ve) to|should|ought)\b|\b(?:wants?|needs?|expects?) (?:it|them)\b"
    r"|\b(?:the|is|at the) (?:absolute |very )?latest\b|它|最晚|最迟",
    re.IGNORECASE,
)
"""A clause that says what is to be done with the thing of the one before."""
_SAME_DAY = re.compile(r"\b(?:then|before|that (?:day|morning|evening)|both|too|also)\b|之前|当天|那天|也", re.I)
_ITS_DAY = re.compile(
    r"^\s*(?:(?:on )?(?:the|that) (?:very )?(?:same )?day|same day|当天|那天|同一?天)[,，]?"
    r"\s*(?:at\b\s*)?(?=\S)(?!after|before|以?[前后])",
    re.IGNORECASE,
)
_SAY_NO_DAY = TIME_WORDS | marks("start starts starting begin beginning sharp earliest same")
_BY_THEN = re.compile(
    r"^\s*(?:before|until|till|no later than|latest)\s+(?!\w+ing\b)"
    r"|(?<=[\u4e00-\u9fff\d])(?:之前|以前|前|以内)(?=\s*$)",
    re.IGNORECASE,
)
"""What says of a date that it is the latest."""
_BESIDE_ANOTHER = re.compile(
    r"\b(?:after(?! tomorrow)|before|between|during|until|till|by|since)\b(?! all\b)|[之以][前后]", re.IGNORECASE
)
"""By which a user tells a time by another one: "after my call at 11"."""
_BARE_HOUR = re.compile(r"(\d{4}-\d\d-\d\d) (\d{1,2})\s*$")
_NO_LONGER = re.compile(
    rf"\b(?:rather than|instead of)(?: on)?(?: (?:next|this|the))? (?:{WEEKDAY}|\d\S*)|而不是\S?(?:周|星期)\S", re.I
)
_AN_HOUR = ("1h", "60m", "1 hour", "1hour")
_THAT_DAY = re.compile(r"\b(?:for|on|by) (?:that|the same) day\b|那天|当天", re.IGNORECASE)
_OVERDUE = re.compile(
    r"\b(?:overdue|late|past (?:its|their|the) (?:\w+ )?(?:dates?|deadlines?)|missed|slip\w*|expired?|lapsed?)\b"
    r"|逾期|过期|错过",
    re.IGNORECASE,
)
_OF_DAYS = re.compile(r"^(/?\s*(?:schedule\s+(?:list|show)|view)\s+)(\S.*)$", re.IGNORECASE)
_WRITTEN_THERE = re.compile(r"^(?:write|draw|look|read|check|update|fill|tidy|find|paste|glue)\b", re.IGNORECASE)
"""What may be done in a diary that is no calendar: "write in my diary"."""
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
        return _OF_DAYS.sub(lambda found: f"{found[1]}{period_told(found[2], told)}".rstrip(), command)
    if order not in ("add", "edit"):
        return command
    command = as_step_names(command, told) if order == "add" else command
    command = with_whole_place(command, told)
    command = at_the_place(_without_unasked(command, told), told)
    if order == "add":
        command = with_options_in_words(as_spelled(command, told), told)
        text = text_of(command)
        if (points_back(text) or puts_somebody_in(text, told)) and (thing := thing_meant(told)):
            command = command.replace(text, thing, 1)
        if duty := whole_duty(text := text_of(command), told):
            command = command.replace(text, duty, 1)
        command = on_its_due_day(with_deadline(with_amount(without_request(command, told), told), told), told)
    if order == "add" and _date_is_of_another(command, told):
        command = without_option(command, _DUE)
    if order == "add" and not _WRITTEN_THERE.search(text_of(command)):
        command = INTO_THE_DIARY.sub("", command)
    command = _DATE_IN_TEXT.sub(lambda found: "" if is_when(found[1].strip()) else found[0], command)
    text = text_of(command)
    new = order == "add" and bool(text)
    # The time of something else that was said before is none of a new entry's.
    of_it = replace(told, before=said_before(told, text)) if new else told
    command = DATED.sub(lambda at: at["mark"] + _dated(at["value"], at["name"].casefold(), of_it, new), command)
    if new:
        command = by_morning(command, told)
    command = with_priority(command, told)
    if NEW_APPOINTMENT.match(command):
        command = with_length(with_span(with_moment(on_its_day(command, told), told), told), told)
        command = with_place(command, text_of(command), told)
    return with_end(command, told)


def _without_unasked(command: str, told: Told) -> str:
    said = [*told.request, told.before]
    times = [read_from(one, told.now) for one in [*said, *told.elsewhere]]
    # Ten is 10:00 and 22:00, which is no span.
    hours = {(at.hour % 12, at.minute) for one in times for at in one.times}
    command = without_unasked_priority(command, said)
    if not any(map(_LABELED.search, map(fold, said))):
        command = without_tags(command, told)
    # The date of what was spoken of before is none of something else.
    about = said_before(told, text_of(command)) if _ADDING.match(command) else told.before
    of_it = [read_from(one, told.now) for one in (*told.request, about, *told.elsewhere)]
    dated = any(one.dates or one.implied or one.times or one.lengths for one in of_it)
    if not dated and not any(NAMED_PERIOD.search(one) or _OVERDUE.search(one) for one in map(fold, said)):
        command = without_option(command, _DUE)
    elif not any(one.dates or one.implied or one.lengths for one in of_it):
        command = _without_today(command, told)
    place, heard = option_value(command, _PLACE), "\n".join([*said, *told.elsewhere])
    # "The gala's original location" has no word of the user's but the name of the entry.
    unsaid = place and marks(place) - marks(text_of(command))
    if place and (is_when(place) or is_unheard(place, heard) or (unsaid and not unsaid & marks(heard))):
        command = without_option(command, _PLACE)
    # An appointment that is there keeps its length; the usual one is added out of habit.
    an_hour = any(span.length == USUAL_LENGTH for one in told.request for span in bare_spans(fold(one)))
    out_of_habit = option_value(command, FOR) in _AN_HOUR and not (_ADDING.match(command) or an_hour)
    if not any(one.lengths for one in times) and (len(hours) < 2 or out_of_habit):
        command = without_option(command, FOR)
    return command


def _without_today(command: str, told: Told) -> str:
    """A todo without today as its day, where the user gives at most a time of day: "before they come at six"."""
    read = moment_of(command, _DUE, told.now)
    if read is None or not read.has_date or read.moment.date() != told.now.date():
        return command
    if not read.has_time:
        return without_option(command, _DUE)
    return with_value(command, _DUE, f"{read.moment:%H:%M}")


def _date_is_of_another(command: str, told: Told) -> bool:
    """Whether the user gave dates and times with other words alone than those of a new todo: of "water the plants, and
    lunch with Eva on Friday" the plants have no date."""
    about = marks(text_of(command))
    # What it is may be the answer to a question, and its date in the request.
    said = fold(told.request[0])
    clauses = with_what_goes_on(clauses_of(told))
    # "Book a table" has a word in common with "return the library books".
    whole = any(about <= marks(clause) for clause in clauses)
    own = [clause for clause in clauses if 2 * len(marks(clause) & about) >= (len(about) if whole else 1)]
    others = [clause for clause in clauses if told_times(clause, told.now) and clause not in own]
    # What stands before a colon holds for what follows: "tomorrow's shopping: fish, meat".
    of_all = any(re.search(rf"{re.escape(clause.strip())}\s*[:：](?!\d)", said) for clause in others)
    others = [clause for clause in others if not _POINTS_BACK.search(clause)]
    of_all = of_all or _THAT_DAY.search(said) or any(tells_only_when(clause, told) for clause in others)
    has_own = any(told_times(clause, told.now) or _SAME_DAY.search(clause) for clause in own)
    return bool(own and others) and not (has_own or of_all)


def _dated(when: str, option: str, told: Told, new: bool) -> str:
    said = [*told.request, told.before]
    known = frozenset[time]().union(*(read_from(one, told.now).times for one in said))

    def by_day(found: re.Match[str]) -> str:
        hour, minute = int(found[1]), int(found[2])
        if hour >= 12 or time(hour + 12, minute) not in known:
            return found[0]
        stays = time(hour, minute) in known and not is_afternoon(hour, said)
        return found[0] if stays else f"{hour + 12}:{found[2]}"

    # An entry that is changed keeps its day.
    when = _BY_THEN.sub("", when)
    when = spelled_by_day(when if new else _ITS_DAY.sub("", when), told.now)
    when = _HOUR.sub(by_day, when)
    # "It is now at eight" moves nothing to today.
    heard = told.request if new else [_NO_LONGER.sub(" ", NOW.sub(" ", one)) for one in told.request]
    moments, days = dated_moments(heard, told.now), told_days(heard, told.now)
    when = _BARE_HOUR.sub(lambda at: f"{at[1]} {int(at[2]) + 12 * is_afternoon(int(at[2]), said)}:00", when)
    read = read_when(when.strip(), told.now)
    if read is not None and (span := span_told(read, told)):
        return span
    if read is None:
        instead = _told_instead(when, moments, told) if new and not is_nothing(when) else when
        items = told_moments([when], told.now)
        # "The 0700 start" can only be that.
        rest = marks(claims_in(spelled_out(when, told.now), told.now)[1])
        return items[0] if instead == when and len(items) == 1 and not rest - _SAY_NO_DAY else instead
    by_a_length = any(read_from(one, told.now).lengths for one in told.request)
    planned = [item for item in told_times(told.step, told.now) if len(item) > DATE_LENGTH]
    # "An hour before 16:00" is another time.
    of_step = len(planned) == 1 and not by_a_length and not read_from(told.step, told.now).lengths
    if of_step and not _is_known(read, told) and _is_known(parse_when(planned[0], told.now), told):
        # A small model plans what was said, and calls for something else.
        return planned[0]
    invented = read.has_time and read.moment.time() not in times_in([*said, *told.elsewhere], told.now).times
    if invented and not new and read.has_date and keeps_its_time(told):
        return str(read.moment.date())
    if any(map(follows_another, told.request)):
        return when
    shifted = by_a_length and says(told, SHIFTED)
    # An answer may be the time alone.
    hours = len(told.request) > 1 or _AT_HOUR.search(fold(told.request[0]))
    replaced = new and invented and option == "at" and hours and not (shifted or says(told, _BESIDE_A_TIME))
    if replaced and len(given := only_moment(told.request, told.now)) > DATE_LENGTH:
        return given
    of_before = not new and read.has_time and read.moment.time() in times_in([told.before], told.now).times
    elsewhere = (invented and not moments) or of_before
    if elsewhere and not by_a_length and (clock := _only_clock(told, read)):
        return f"{read.moment:%Y-%m-%d} {clock}" if read.has_date else clock
    if len(moments) == 1 and len(moments[0]) > DATE_LENGTH and not shifted and not _is_known(read, told):
        return moments[0]
    if len(same := [day for day in days if date.fromisoformat(day).weekday() == read.moment.weekday()]) == 1:
        # Of "on nights till Sunday, the talk is Thursday week" the Thursday counts.
        days = same if read.has_date else days
    if read.has_date and len(days) == 1 and not by_a_length:
        known_times = times_in([*told.request, told.before, *told.elsewhere], told.now)
        at = f" {read.moment:%H:%M}" if read.has_time and (known_times.times or option == "at") else ""
        by_number = any(map(days_of_month, told.request)) and str(read.moment.date()) not in days
        # Of an entry that is moved, the user may have named the day where it is.
        if new and (by_number or read.moment.date() not in known_times.dates | known_times.implied):
            return f"{days.pop()}{at}"
        # A todo may do without a time of day, and nobody spoke of one.
        return f"{read.moment:%Y-%m-%d}{at}" if read.has_time and not at else when
    return f"{days.pop()} {when.strip()}" if read.has_time and not read.has_date and len(days) == 1 else when


def _only_clock(told: Told, read: When) -> str:
    """The one time of day that the user gives, where an entry gets another one, which nobody gave, or which was spoken
    of before; else ""."""
    if says(told, _BESIDE_ANOTHER):
        return ""
    given = {item[-5:] for item in told_moments(told.request, told.now) if ":" in item}
    # "From 2 to 4" gives two.
    clock = given.pop() if len(given) == 1 and not told_lengths(told.request, told.now) else ""
    same = clock and (int(clock[:2]) % 12, int(clock[3:])) == (read.moment.hour % 12, read.moment.minute)
    return "" if same else clock


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
