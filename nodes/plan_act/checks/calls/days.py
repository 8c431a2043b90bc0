"""Days and times of day in a call that are none of those that the user named."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, timedelta

from langchain_core.tools import BaseTool

from .....tools.calls.effects import acts
from .....tools.calls.names import spelled
from .....tools.dates.found import claims_in, read_from
from .....tools.dates.periods import NAMED_PERIOD
from .....tools.dates.words import WEEKDAY
from .....tools.likeness import marks
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...state import PlanActState, now_of, users_words
from ..clauses import is_unread
from .ids import readers_of
from .stated import observed, shown_texts, stated_values

DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
TIME = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?")
_TWO_WEEKS = 14
_WEEKDAY = re.compile(rf"\b(?:{WEEKDAY})\b|(?:周|星期|礼拜)[一二三四五六日天]", re.IGNORECASE)
_EVERY = re.compile(r"\b(?:every|each)\b|week|fortnight|recurr|repeat|\w{3}days\b|[每毎周週]|星期|礼拜", re.IGNORECASE)
_CHANGES_AN_ENTRY = re.compile(
    r"(?:cancel|withdraw|delete|remove|drop|move|reschedule|postpone|edit|update|change|close|reopen|revoke|undo)(?![a-z])"
)
_OF_TIME = re.compile(r"(?:\w+_)?(?:time|hour|slot|start|begin|end|from|to|until|at|when)(?:_\w+)?")
_CLOCK = re.compile(rf"{DAY.pattern}[T ]((?!00:00)\d\d:\d\d)")
_WHEN = frozenset(("at", "date", "datetime", "day", "moment", "start", "time", "when"))
_END = re.compile(r"(?:\w+_)?(?:until|till|end|ends_on|expires|expiry|return)(?:_\w+)?")
_PART_OF_DAY = re.compile(
    r"morning|noon|evening|night|midday|breakfast|lunch|dinner|\btea\b|all day|any ?time|whenever|\bnow\b|dawn"
    r"|sun(?:rise|set)|[早晚夜午晨]|全天|随时|现在",
    re.IGNORECASE,
)
_SOME_DAY = re.compile(
    r"month|quarter|night|weekend|year|season|easter|eve\b|spring|summer|autumn|thanksgiving|diwali|ramadan|passover|\bfall\b|winter|holiday|birthday|\bsoon\b"
    r"|asap|later|again|same|\bdays?\b|date\b|[月年季节周天日]|生日|假|中秋|除夕|元旦",
    re.IGNORECASE,
)
"""Words that may name a day which cannot be worked out."""
_SAYS_WHEN = re.compile(
    rf"{_PART_OF_DAY.pattern}|{_SOME_DAY.pattern}|{_EVERY.pattern}|{NAMED_PERIOD.pattern}|{WEEKDAY}"
    r"|\b(?:hour|minute|before|after|until|then|as soon|immediate|next|last|first|today|tomorrow|none|open|flexible)",
    re.IGNORECASE,
)


def other_times(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The days in a call that the user did not name, and its times of day if the user named a day but no time.

    Small models count weekdays wrongly, and fill in a day or a time that is missing. Without any day in the user's
    words, a new entry may still be for today or tomorrow."""
    now, words, given = now_of(state), users_words(state), stated_values(tool, action, loop)
    spoken = [*words, *shown_texts(state)]
    read = [read_from(said, now) for said in words]
    days = {day for one in read for day in (*one.dates, *one.implied)}
    dated = list(dict.fromkeys(value for _, value, _ in given if isinstance(value, str) and DAY.match(value)))
    if not days:
        # "Paused until today" is not paused.
        ends = [value for name, value, _ in given if _END.fullmatch(name) and str(value) in dated]
        # An entry that is there already may be of any day; what is new, of today, or in the morning.
        of_entry = _CHANGES_AN_ENTRY.match(tool.name) and readers_of(action, loop)
        near = [] if of_entry else [f"{now + timedelta(days=later):%Y-%m-%d}" for later in (0, 1)]
        is_free = not acts(tool) or _may_have_named_a_day(spoken, state)
        if is_free:
            return [] if _may_have_named_a_day(spoken, state) else ends
        has_time = any(_PART_OF_DAY.search(one) or read_from(one, now).times for one in spoken)
        timed = [] if has_time else [one for one in dated if (at := _CLOCK.match(one)) and at[1] != f"{now:%H:%M}"]
        return [value for value in dated if value[:10] not in near or value in ends or value in timed]
    between = _days_and_ends(words, state)
    # "Cada semana" is every week, too.
    every = any(_EVERY.search(said) or is_unread(said) for said in words)
    # The day of the week aside: of "Friday the 20th", the 20th.
    exact = {day for said in words if not every for day in read_from(_WEEKDAY.sub(" ", said), now).dates}
    # If one day is right, another may follow from it, such as the end of a stay.
    found = [] if any(_may_mean(value[:10], days, between, exact) for value in dated) else dated
    times = [value for name, value, _ in given if TIME.fullmatch(str(value)) and _OF_TIME.fullmatch(name)]
    if times and any(_PART_OF_DAY.search(one) or read_from(one, now).times for one in spoken):
        return found
    return found + times


def held_before(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The days in a call that was held back for them, where the user has named none since: what a look-up for another
    reason shows is no more given than it was."""
    words = users_words(state)
    if not acts(tool) or any(map(_SOME_DAY.search, words)) or any(read_from(one, now_of(state)).dates for one in words):
        return []
    held = {claim for seen in observed(state) for claim in seen.get("claims", ())}
    given = [value for _, value, _ in stated_values(tool, action, loop) if isinstance(value, str)]
    return [] if is_unread(state["goal"]) else [value for value in given if value in held and DAY.match(value)]


def no_moment(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> str:
    """The argument of a call that is to say when, with a text that does not: "when: nail trim"; "" for none."""
    for name, value, _ in stated_values(tool, action, loop) if acts(tool) else ():
        if not isinstance(value, str) or {*spelled(name)[-1:]} - _WHEN or not marks(value) or is_unread(value):
            continue
        if not (any(map(str.isdigit, value)) or _SAYS_WHEN.search(value) or claims_in(value, now_of(state))[0]):
            return f"{name}: {value}"
    return ""


def _may_have_named_a_day(spoken: Sequence[str], state: PlanActState) -> bool:
    """Whether a day may have been named though none was read in the user's words: "Am Freitag" is one, too."""
    is_some_day = any(map(_SOME_DAY.search, users_words(state)))
    return is_some_day or any(read_from(one, now_of(state)).dates for one in spoken) or is_unread(state["goal"])


def _days_and_ends(words: Sequence[str], state: PlanActState) -> list[date]:
    """The days that the user named, and those on which what begins then ends by a length that they said."""
    now = now_of(state)
    named = {one.meant for said in words for one in claims_in(said, now)[0] if type(one.meant) is date}
    lengths = {length for said in words for length in read_from(said, now).lengths}
    return sorted(named | {day + length for day in named for length in lengths})


def _may_mean(given: str, days: Collection[date], meant: Sequence[date], exact: Collection[date]) -> bool:
    """Whether a date may be one of the days that were named, or lies between those that are meant; a day of the week is
    read as the next one: "I ran on Monday" means the last."""
    try:
        day = date.fromisoformat(given)
    except ValueError:
        return False
    between = len(meant) > 1 and meant[0] < day < meant[-1]
    apart = [abs((day - named).days) for named in days if named not in exact]
    return between or day in (*days, *meant) or any(some % 7 == 0 and some <= _TWO_WEEKS for some in apart)
