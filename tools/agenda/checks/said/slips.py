"""The user's words without a day that is taken back in the same breath, "friday no wait SATURDAY", and with "them" for
"'em"."""

from __future__ import annotations

import re
from dataclasses import replace

from ....dates.words import WEEKDAY
from ....metadata import Told
from .words import HINDERS

_DAY = rf"(?:{WEEKDAY}|today|tonight|tomorrow)\b"
_DAY_ZH = r"(?:(?:这|下)?(?:周|星期|礼拜)[一二三四五六日天]|[今明后]天)"
_TAKES_BACK = r"(?:no|wait|sorry|oops|actually|i mean|i meant|scratch that|make (?:it|that))"
_MAKE_IT = re.compile(r"\bmake (?:it|that)\b", re.IGNORECASE)
_SLIP = re.compile(
    rf"(?<!\bno )(?<!\w){_DAY}[\s,.;:?!–—-]+(?:{_TAKES_BACK}\b[\s,.;:!–—-]+)+(?:it['’]s |on )*"
    rf"(?=(?:next |this )?{_DAY})"
    rf"|{_DAY_ZH}[，,。、—\s]*(?:[哦啊]?(?:不对|不是(?=[，,。！!])|说错了?|搞错了|错了)[，,。！!\s]*)+(?:应该)?是?(?={_DAY_ZH})",
    re.IGNORECASE,
)
_THEM = re.compile(r"(?<![\w'’.-])['’]?em\b(?![-'’.]\w)")


def _taken_back(slip: re.Match[str]) -> str:
    """Nothing of a day that is taken back; all of one on which the user is elsewhere: "I'm away tomorrow, make it
    Friday"."""
    before = re.split(r"[,.;!?]", slip.string[: slip.start()])[-1]
    return slip[0] if HINDERS.search(f"{before}{slip[0][:1]}") and _MAKE_IT.search(slip[0]) else ""


def without_slips(told: Told) -> Told:
    """What is known, with only the second of two days in the request where the first is taken back at once, and with
    pronouns in full."""
    first, *answers = [_THEM.sub("them", one) for one in told.request]
    request = [_SLIP.sub(_taken_back, first), *answers]
    return told if request == list(told.request) else replace(told, request=request)
