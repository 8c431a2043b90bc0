"""Days and times that are told by those which an entry has: "the day after", "the same time next week", "later"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ....dates.words import WEEKDAY, WEEKDAYS

_OF_NO_OTHER = r"(?! (?:tomorrow|off|the|my|our|his|her|their|an?|that|next|i|we|you|he|she|they)\b)"
_AFTER_ITS_DAY = (
    rf"\b(?:(?:next|following) day|(?:the|its|that) (?:following week|(?:day|week) after)){_OF_NO_OTHER}"
    r"|\bdays? on\b(?=\W*$|[.,;!?])|第二天|次日|[后隔]一天"
)
"""A day told by the one that an entry has: not "the day after the wedding"."""
_BEFORE_ITS_DAY = rf"\b(?:previous day|(?:the|its|that) (?:(?:day|week) before|previous week)){_OF_NO_OTHER}|前一天"
BY_ITS_DAY = re.compile(rf"{_AFTER_ITS_DAY}|{_BEFORE_ITS_DAY}", re.IGNORECASE)
LATER = re.compile(
    r"\blater\b|\bback by\b|\b(?:push|put|move|shift)\w* .{0,30}\bback\b"
    rf"|{_AFTER_ITS_DAY}"
    r"|推迟|[往向]后推|延后|顺延|晚(?![餐饭上会])一?",
    re.IGNORECASE,
)
EARLIER = re.compile(rf"\b(?:earlier|sooner)\b|\bforward\b|{_BEFORE_ITS_DAY}|提前|早(?![餐饭上会])一?", re.IGNORECASE)
A_WEEK_ON = re.compile(
    r"\bsame (?:day|time|slot|hour)(?: and (?:the same )?(?:time|place))?,?(?: (?:the|of|in|on|but|for))*"
    r" (?:next week|week after|following week)\b"
    r"|\b(?:(?:next|following) week|week after),? (?:but )?(?:at |on )?(?:the )?same (?:day|time|slot|hour)\b"
    r"|下一?个?(?:周|星期|礼拜)(?:的)?(?:同一|同样的?|相同的?|老)(?:个)?(?:时间|时段|天)",
    re.IGNORECASE,
)
_WEEK = timedelta(days=7)
WEEKDAY_AFTER = re.compile(
    rf"\bthe (?P<after>{WEEKDAY}) (?:after|following)(?: (?:that|it|this)(?: one)?)?"
    rf"(?=\W*$|[.,;!?]| (?:at|same|instead|now)\b)|\bthe following (?P<following>{WEEKDAY})\b",
    re.IGNORECASE,
)
"""A day of the week after the one on which an entry is."""


def weeks_on(moment: datetime, said: str, now: datetime) -> datetime | None:
    """Where an entry goes of which the user says "the same time next week", or "the Tuesday after that"; else None.

    Args:
        moment: when the entry is.
        said: the user's words about it.
        now: what "next week" counts from.
    """
    if named := WEEKDAY_AFTER.search(said):
        weekday = WEEKDAYS.index((named["after"] or named["following"]).casefold()[:3])
        return moment + timedelta(days=(weekday - moment.weekday() - 1) % 7 + 1)
    weekly = A_WEEK_ON.search(said)
    # "Next week" counts from today, and "the week after" from where the entry is.
    near = moment.date() < now.date() + _WEEK
    from_it = weekly is not None and re.search(r"after|following", weekly[0], re.IGNORECASE)
    return moment + _WEEK if weekly and (near or from_it) else None
