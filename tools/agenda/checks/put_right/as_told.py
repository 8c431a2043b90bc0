"""A command as the user's words have it: without what nobody asked for, and with what they leave no doubt about."""

from __future__ import annotations

import re
from dataclasses import replace

from ....dates.durations import USUAL_LENGTH, bare_spans
from ....dates.found import claims_in, read_from
from ....dates.periods import NAMED_PERIOD
from ....dates.told import on_a_clock
from ....dates.when import is_when, read_when
from ....dates.words import fold
from ....likeness import is_unheard, marks
from ....metadata import Told
from ...line import (
    DATED,
    FOR,
    MOMENT,
    NEW_APPOINTMENT,
    ORDERS,
    VALUE,
    moment_of,
    option,
    option_value,
    parted,
    unquoted,
    with_value,
    without_option,
)
from ...request import named_to_edit, text_of
from ..entries import times_in
from ..said.pointing import points_back, puts_somebody_in, said_before, thing_meant, whole_duty
from .deadlines import date_is_of_another, on_its_due_day, with_deadline
from .lists import period_told
from .moments import as_dated
from .places import at_the_place, with_place, with_whole_place
from .spans import (
    INTO_THE_DIARY,
    by_morning,
    on_its_day,
    with_end,
    with_length,
    with_moment,
    with_span,
)
from .urgency import with_priority, without_unasked_priority
from .worded import (
    as_spelled,
    as_step_names,
    with_amount,
    with_options_in_words,
    without_request,
    without_tags,
)

_ADDING = re.compile(r"/?\s*(?:(?:todo|schedule)\s+)?add\b", re.IGNORECASE)
_LABELED = re.compile(r"#|\b(?:tag|label|mark|categor|file (?:it |them )?under)|标签|分类|标记|归", re.IGNORECASE)
_GIVEN = rf"(?!none\b|无){VALUE}"
_PLACE = option("place|where|venue", _GIVEN)
_DUE = option("due", _GIVEN)
_AN_HOUR = ("1h", "60m", "1 hour", "1hour")
_OVERDUE = re.compile(
    r"\b(?:overdue|late|past (?:its|their|the) (?:\w+ )?(?:dates?|deadlines?)|missed|slip\w*|expired?|lapsed?)\b"
    r"|逾期|过期|错过",
    re.IGNORECASE,
)
_OF_DAYS = re.compile(r"^(/?\s*(?:schedule\s+(?:list|show)|view)\s+)(\S.*)$", re.IGNORECASE)
_WRITTEN_THERE = re.compile(r"^(?:write|draw|look|read|check|update|fill|tidy|find|paste|glue)\b", re.IGNORECASE)
"""What may be done in a diary that is no calendar: "write in my diary"."""
_ON_NO_DAY = re.compile(r"\s+(?:on|at|for|by)(?: the)?\s*(?=@|$)", re.IGNORECASE)
"""What leads to a day or a time in a text."""
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
    command = with_options_in_words(command, told)
    if order == "edit":
        command = _without_unasked_moment(command, told)
    if order == "add":
        command = as_spelled(command, told)
        text = text_of(command)
        timeless = _ON_NO_DAY.sub("", claims_in(text, told.now)[1]).replace("@", "")
        if (points_back(timeless) or puts_somebody_in(text, told)) and (thing := thing_meant(told)):
            command = command.replace(text, thing, 1)
        if duty := whole_duty(text := text_of(command), told):
            command = command.replace(text, duty, 1)
        command = on_its_due_day(with_deadline(with_amount(without_request(command, told), told), told), told)
    if order == "add" and date_is_of_another(command, told):
        command = without_option(command, _DUE)
    if order == "add" and not _WRITTEN_THERE.search(text_of(command)):
        command = INTO_THE_DIARY.sub("", command)
    command = _DATE_IN_TEXT.sub(lambda found: "" if is_when(found[1].strip()) else found[0], command)
    text = text_of(command)
    new = order == "add" and bool(text)
    # The time of something else that was said before is none of a new entry's.
    of_it = replace(told, before=said_before(told, text)) if new else told
    command = DATED.sub(lambda at: at["mark"] + as_dated(at["value"], at["name"].casefold(), of_it, new), command)
    if new:
        command = by_morning(command, told)
    command = with_priority(command, told)
    if NEW_APPOINTMENT.match(command):
        command = with_length(with_span(with_moment(on_its_day(command, told), told), told), told)
        command = with_end(command, told)
        return with_place(command, text_of(command), told)
    return with_end(command, told)


def _without_unasked(command: str, told: Told) -> str:
    said = [*told.request, told.before]
    times = [read_from(one, told.now) for one in [*said, *told.elsewhere]]
    # Ten is 10:00 and 22:00, which is no span.
    hours = {on_a_clock(at) for one in times for at in one.times}
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
    if place and (
        is_when(place)
        or read_when(place, told.now)
        or is_unheard(place, heard)
        or (unsaid and not unsaid & marks(heard))
    ):
        command = without_option(command, _PLACE)
    # An appointment that is there keeps its length; the usual one is added out of habit.
    an_hour = any(span.length == USUAL_LENGTH for one in told.request for span in bare_spans(fold(one)))
    out_of_habit = option_value(command, FOR) in _AN_HOUR and not (_ADDING.match(command) or an_hour)
    if not any(one.lengths for one in times) and (len(hours) < 2 or out_of_habit):
        command = without_option(command, FOR)
    return command


def _without_unasked_moment(command: str, told: Told) -> str:
    """A change of an entry's text or place without a moment that nobody gave, where the request gives none."""
    read, bare = moment_of(command, MOMENT, told.now), without_option(command, MOMENT)
    known, given = (times_in(said, told.now) for said in ([*told.request, told.before, *told.elsewhere], told.request))
    named, rest = named_to_edit(unquoted(parted(bare)[2]))
    if read is None or not (named and rest.strip()) or given.dates or given.implied or given.times or given.lengths:
        return command
    made_up = read.has_date and read.moment.date() not in known.dates | known.implied
    return bare if made_up else command


def _without_today(command: str, told: Told) -> str:
    """A todo without today as its day, where the user gives at most a time of day: "before they come at six"."""
    read = moment_of(command, _DUE, told.now)
    if read is None or not read.has_date or read.moment.date() != told.now.date():
        return command
    if not read.has_time:
        return without_option(command, _DUE)
    return with_value(command, _DUE, f"{read.moment:%H:%M}")
