"""A span in the user's words that would end before it begins: "4 in the afternoon till half 2"."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from ....dates.found import claims_in
from ....dates.grammar import PART_OF_DAY
from ....dates.spellings import spelled_out
from ....dates.told import moment_in, told_days
from ....metadata import Told

_DAY, _HALF_DAY = timedelta(days=1), timedelta(hours=12)
_IN_PART = r"(?: ?([ap])\.?m\b\.?| in the (morning|afternoon|evening)| o'clock)?"
_PART_FIRST = r"(?:(morning|afternoon|evening|night) (?:at )?)?"
_CLOCK_TOLD = rf"{_PART_FIRST}(\d{{1,2}})(?::(\d\d))?{_IN_PART}"
_SPAN = re.compile(rf"(?<![\w:.,/-]){_CLOCK_TOLD} ?(?:-|~|to|until|till?)\s?(?:at )?{_CLOCK_TOLD}(?![\w:/-]|\.\d)")
_OVERNIGHT = re.compile(
    r"\b(?:over ?night|nights?|next (?:day|morning)|(?:day|morning) after|following|stag|hen do|party|rave|vigil"
    r"|lock-?in|sleep ?over|guard|on[ -]call|wake|shifts?|wedding|reception|ball|gig|festival|bbq|barbecue|disco"
    r"|flights?|fly|ferry|local time)\b|飞|航班|婚礼|通宵|过夜|夜班|次日|第二天|跨年",
    re.IGNORECASE,
)
"""What may go on into the next day, or end by the clock of another country."""
_LONGEST_NIGHT = timedelta(hours=9)
_NEARLY_A_DAY = timedelta(hours=18)
_GIVES_A_START = re.compile(r"\b(?:from|start\w*|begin\w*)\b|从|开始", re.IGNORECASE)
SPAN_ZH = re.compile(
    r"[上下中早晚]?[午上]?[^\s，,。；]{1,3}[点时][^\s，,。；]{0,3}[到至]"
    r"[^\s，,。；]{1,5}[点时](?:半|\d+分?|[一二三四五]?十?[一二三四五六七八九]?分)?"
)


def backwards_in(said: str, now: datetime) -> str:
    """The span of a text that would end before it begins, "4 in the afternoon till 2:30"; "" for none.

    One that goes into the night, or of which the end may be later on the same day, does not.
    """
    if _OVERNIGHT.search(said) or len(told_days([said], now)) > 1:
        return ""
    for found in _SPAN.finditer(spelled_out(said, now)):
        first, last = found.groups()[:5], found.groups()[5:]
        starts, ends = _readings(first), _readings(last)
        # "9-11" begins in one half of the day or the other.
        if len(starts) != 1 or not ends:
            continue
        lasts = min((end - starts[0]) % (2 * _HALF_DAY) or 2 * _HALF_DAY for end in ends)
        late = starts[0] >= _HALF_DAY and lasts > _LONGEST_NIGHT and len(ends) > 1
        past_midnight = starts[0] + lasts > 2 * _HALF_DAY
        if past_midnight and (late or lasts > _NEARLY_A_DAY):
            return found[0]
    return ""


def _readings(told: tuple[str | None, ...]) -> list[timedelta]:
    """The times since midnight that an hour may mean."""
    before, number, minutes, half, behind = told
    hour, minute = int(number or 0), int(minutes or 0)
    if hour > 23 or minute > 59:
        return []
    at, part = timedelta(hours=hour, minutes=minute), half or before or behind
    if not part:
        by_the_day = hour > 12 or hour == 0 or str(number).startswith("0")
        return [at] if by_the_day else [at % _HALF_DAY, at % _HALF_DAY + _HALF_DAY]
    if part == "night":
        return []
    return [at % _HALF_DAY + _HALF_DAY * (part not in ("a", "morning"))]


def with_new_end(span: str, said: str, told: Told, answer: str) -> str:
    """The span with the end that the answer gives, "till half six", or the whole one of the answer."""
    days = told_days([said], told.now)
    found = _SPAN.fullmatch(span)
    day = days.pop() if len(days) == 1 else ""
    at = moment_in(answer, date.fromisoformat(day) if day else None, told.now)
    if at and at.end and at.end > at.moment and day:
        return f"{day} {at.moment:%H:%M}-{at.end:%H:%M}"
    times = [claim.meant for claim in claims_in(answer, told.now)[0] if isinstance(claim.meant, time)]
    if not (found and day) or len(times) != 1 or _GIVES_A_START.search(answer):
        return ""
    start = _readings(found.groups()[:5])[0]
    end = timedelta(hours=times[0].hour, minutes=times[0].minute)
    end += _HALF_DAY if end <= start and end < _HALF_DAY and PART_OF_DAY.search(answer) is None else timedelta()
    midnight = datetime.fromisoformat(day)
    return f"{midnight + start:%Y-%m-%d %H:%M}-{midnight + end:%H:%M}" if start < end < _DAY else ""
