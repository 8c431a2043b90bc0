"""The day of an entry, where the user's words leave it open: "some time next week", "Thursday or Friday"."""

from __future__ import annotations

import re

from ....dates.found import days_of_month
from ....dates.told import told_times
from ....dates.when import When
from ....dates.words import MONTH, WEEKDAY, fold
from ....metadata import Told
from ...line import AT
from ..entries import times_in
from ..said.pointing import said_before
from ..said.words import CALENDAR, says

_RELATIVE = re.compile(
    r"\b(?:after(?! (?:next|all)\b(?! (?:the|my|our|that|this)\b))|before"
    r"|same (?:time|day|date|hour|slot|week|again|as)|once (?!again|more|and|upon|or)|until"
    r"|when (?!(?:i|we|he|she|they|it|you) (?:was|were|had|did|got|went|came|saw|heard|said|told|called|rang|looked)\b)"
    r"|then(?=\s*(?:[,.;!?]|$))|following|between|during|any ?time|whenever|doesn't matter"
    r"|you (?:choose|pick|decide)|earliest|as soon as|(?<!feel )free(?! of\b)|all[- ]day|earlier|later|back by|forward"
    r"|instead)\b"
    r"|之后|之前|以后|以前|完了|同一|同时|随便|任何时间|什么时候都|全天|有空|推迟|提前|顺延",
    re.IGNORECASE,
)
"""A time that depends on something else, or that the user leaves to the assistant."""
_HASTE = re.compile(
    r"\bbefore (?:i|we|they|he|she|it|you|\w+one) (?:all )?(?:forgets?"
    r"|changes? (?:my|your|his|her|its|our|their) minds?|slips? (?:my|our) minds?)\b",
    re.IGNORECASE,
)
"""Tells no time: "before they change their minds"."""
_DAY = (
    rf"(?:(?:on |this |next |the )*(?:{WEEKDAY}\b"
    r"|today\b|tomorrow\b|\d{1,2}(?:st|nd|rd|th)\b)|(?:周|星期|礼拜)[一二三四五六日天]|[今明后]天|\d{1,2}[号日])"
)
_OPEN = re.compile(
    r"\b(?:(?:at |in |during |on )?(?:some ?(?:time|day)|one (?:day|morning|afternoon|evening)"
    r"|one of the (?:\w+ )?(?:days|mornings|afternoons|evenings)) )?"
    r"(?:(?:in|during|of|for) )?(?:the )?(?:next|coming|following) (?:week|month)(?:['’]s)?\b"
    r"|\bsome (?:day|time) (?:this|in the) (?:week|month)\b"
    r"|下{1,3}个?(?:周|星期|礼拜|月)(?![一二三四五六七八九十日天末初底\d])(?:里|内|中)?(?:的?某天|哪天|找?一天)?"
    r"|\b(?:(?:at|on|over|for) )?(?:(?:the|this|next|coming) )*weekend\b|(?:这个?|本|下个?)?周末"
    rf"|\b(?:(?:the )?(?:first|second|third|last) week (?:of|in) |(?:in|early|mid|late)[ -](?:in )?){MONTH}\b(?! \d)"
    rf"|\b(?:either )?{_DAY}(?:,? (?:or|else)|\s*(?:或者?|还是))\s*(?:maybe )?{_DAY}"
    rf"|{_DAY}(?:或者?|还是){_DAY}",
    re.IGNORECASE,
)
"""Several days of which none is named, or two of which one is meant."""
_SOME_TIME = re.compile(
    r"\bwhenever (?:i|we|he|she|they|it|my|our|his|her|their|the)\b|\bnext time (?:i|we|he|she|they)\b", re.IGNORECASE
)
"""A day that only something else tells, which nobody knows: "at 5, whenever his parents are away"."""
_OFFERED = re.compile(
    r"\b(?:reckons?|says?|said|thinks?|thought|told (?:me|us)|texted|rang|suggest(?:s|ed)|offer(?:s|ed))\b"
    r"(?:(?!\b(?:now|soon|minutes?|later|straight|right)\b)[^.;!?]){0,40}\b(?:fit|squeeze|slot)\b"
    r"(?!.*\b(?:now|soon|minutes?|later|straight|right)\b)|[说讲].{0,6}[能可][以够]?.{0,6}(?:挤出|腾出|安排)",
    re.IGNORECASE,
)
"""A time that somebody else has found, who spoke of a day as well: "the farrier reckons he can fit her in at two"."""
_SOME_HOUR = re.compile(
    r"\b(?:at )?some ?(?:time|point)\b((?: \w+){0,3}?) (?:morning|afternoon|evening)\b", re.IGNORECASE
)
"""A part of a day of which no hour is named."""


def without_open_days(told: Told) -> list[str]:
    """What the user said, without the days and hours that are left open: weeks, weekends, one day or another."""
    said = list(map(fold, told.request))
    rests = [_SOME_HOUR.sub(r"\1", _OPEN.sub(" ", one)) for one in said]
    named = [bool(times_in([rest], told.now).dates or days_of_month(rest)) for rest in rests]
    return [
        _SOME_HOUR.sub(r"\1", one) if by_day else rest for one, rest, by_day in zip(said, rests, named, strict=True)
    ]


def without_open_day(details: str) -> str:
    """An appointment with the hour alone, where its time has the open day too: "monday or friday 2pm"."""
    return AT.sub(lambda at: at["mark"] + (_OPEN.sub(" ", at["value"]).strip() or at["value"]), details)


def days_of(told: Told) -> list[str]:
    """The days that the user names without a time of day, in ISO form."""
    items = [item for one in without_open_days(told) for item in told_times(one, told.now)]
    return list(dict.fromkeys(item for item in items if re.fullmatch(r"\d{4}-\d\d-\d\d", item)))


def on_a_guessed_day(when: When | None, words: str, told: Told) -> When | None:
    """The moment of a new appointment if the user left the day open, or gave no day at all and a time that is over for
    today, or that is for the calendar; or if its day is that of something else that was said before."""
    known = times_in([*without_open_days(told), said_before(told, words), *told.elsewhere], told.now)
    if when is None or known.dates:
        return None
    if says(told, _SOME_TIME) or (says(told, _OPEN) and not is_relative(told)):
        return when
    if is_relative(told):
        return None
    day = when.moment.date()
    is_today = day == told.now.date()
    # What is for the calendar, or what others offer, is seldom of the next hours, unless the user says so.
    if says(told, CALENDAR, _OFFERED) or (not is_today and day in times_in([told.before], told.now).dates):
        return when
    if is_today:
        return None
    over = {at for at in times_in(told.request, told.now).times if at <= told.now.time()}
    return when if when.moment.time() in over else None


def written(at: When) -> str:
    """A moment as a command has it."""
    shown = [f"{at.moment:%Y-%m-%d}"] if at.has_date else []
    if at.has_time:
        end = f"-{at.end:%H:%M}" if at.end and at.end.date() == at.moment.date() else ""
        shown.append(f"{at.moment:%H:%M}{end}")
    return " ".join(shown)


def is_relative(told: Told) -> bool:
    """Whether the user tells a time by something else, or leaves it to the assistant."""
    return any(_RELATIVE.search(_HASTE.sub("", fold(said))) for said in told.request)
