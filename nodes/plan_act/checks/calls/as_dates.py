"""Dates and times in a call as its tool's schema wants them: a small model writes "Next Tuesday", as users say it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any, cast

from langchain_core.tools import BaseTool

from ....._internal.strict_json import objects
from .....tools.calls.action_check import text_argument
from .....tools.dates.found import SOME_DAY, claims_in, read_from
from .....tools.dates.when import When, read_when
from .....tools.dates.words import WEEKDAY
from .....tools.schemas import input_schema

_SHORT_TIME = re.compile(r"^(\d:\d\d)(?::00)?Z?$")
_AFTERNOON = range(1, 7)
"""Hours by which people mean those of the afternoon, unless they say otherwise."""
_SAYS_WHICH_HALF = re.compile(r"(?<!\d)0\d:|[ap]\.?m\b|morning|night|early|\bdawn\b|[上早凌晨夜]", re.IGNORECASE)
_A_WEEKDAY = re.compile(rf"\W*(?:on |the )*{WEEKDAY}\W*|\W*(?:周|星期|礼拜)[一二三四五六日天]\W*", re.IGNORECASE)
_TELLS_OF_PAST = re.compile(
    r"\b(?:was|were|wasn['’]?t|weren['’]?t|did|didn['’]?t|missed|skipped|had|came|went|ran|walked|worked|spent|paid"
    r"|bought|ate|took|slept|war|waren|hatte\w*|gefehlt|gearbeitet)\b|了|没来|没有来",
    re.IGNORECASE,
)
_TELLS_OF_FUTURE = re.compile(
    r"\b(?:will|next|tomorrow|going to|want\w*|needs?|must|should|could|can|may|please|book|schedule|remind|move|put"
    r"|wird|werden|nächste\w*|morgen|bitte)\b|['’]ll\b|[要会下明请]",
    re.IGNORECASE,
)
_DAY_OF_EXAMPLES = re.compile(rf"{SOME_DAY.year}-\d\d-(\d\d)(?!\d)")
_HAS_WEEKDAY = re.compile(rf"\b{WEEKDAY}|(?:周|星期|礼拜)[一二三四五六日天]", re.IGNORECASE)
_WEEK = timedelta(days=7)
_INPUTS = ("input", "args", "arguments")


def with_iso_dates(
    call: Mapping[str, Any], tools: Mapping[str, BaseTool], now: datetime, said: str = ""
) -> Mapping[str, Any]:
    """A call with every date and time that its tool's schema has a `format` for in ISO 8601, where its words can be
    read; any other value is for the check of the arguments.

    Args:
        call: as the model wrote it.
        tools: by name.
        now: what relative dates count from: local, without a zone.
        said: the user's words. Where they tell of what was, a day of the week is the last one of its name.
    """
    was = bool(_TELLS_OF_PAST.search(said)) and not _TELLS_OF_FUTURE.search(said)
    tool = tools.get(str(call.get("tool")))
    key = next((name for name in _INPUTS if call.get(name)), None)
    if tool is None or key is None:
        return call
    given, wanted = call[key], dict(_formats(tool))
    named = _named_days(said, now)
    if not isinstance(given, Mapping):
        # A text stands for the one argument that the tool needs.
        told = _as_iso(given, wanted.get(text_argument(tool) or ""), now, was, named)
        return {**call, key: _of_this_time(told, now, said)}
    fields = cast("Mapping[str, Any]", given)
    told = {name: _as_iso(value, wanted.get(name), now, was, named) for name, value in fields.items()}
    return {**call, key: _of_this_time(told, now, said)}


def _named_days(said: str, now: datetime) -> set[date]:
    """The days that a user names, each as it is most likely meant."""
    return {one.meant for one in claims_in(said, now)[0] if type(one.meant) is date}


def _of_this_time(value: Any, now: datetime, said: str) -> Any:
    """Values with the date that the user named in the place of one from the examples' year, which a small model takes
    over: "the 25th" is none of 2024. Where the user named none whole, or several, the next one on the same day of a
    month counts."""
    if isinstance(value, Mapping):
        return {name: _of_this_time(one, now, said) for name, one in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [_of_this_time(one, now, said) for one in cast("list[Any]", value)]
    found = _DAY_OF_EXAMPLES.match(value) if isinstance(value, str) else None
    if found is None or now.year == SOME_DAY.year or str(SOME_DAY.year) in said:
        return value
    named = _named_days(said, now)
    ahead = sorted(one for one in read_from(said, now).dates if one.day == int(found[1]) and one >= now.date())
    meant = [*named] if len(named) == 1 else ahead
    return f"{meant[0]}{value[found.end() :]}" if meant else value


def _formats(tool: BaseTool) -> Iterator[tuple[str, str]]:
    """The arguments of a tool that are a date, a time or both, with their formats."""
    properties: Mapping[str, Mapping[str, Any]] = input_schema(tool).get("properties", {})
    for name, about in properties.items():
        for one in (about, *objects(about.get("anyOf"))):
            if one.get("format") in ("date", "time", "date-time"):
                yield name, one["format"]


def _as_iso(value: Any, wanted: str | None, now: datetime, was: bool, named: Collection[date]) -> Any:
    if not isinstance(value, str) or wanted is None or _is_iso(value, wanted):
        return value
    # A small model writes "3:30:00Z" for a time.
    words = _SHORT_TIME.sub(r"\1", value.strip())
    read = read_when(words, now)
    if read and read.has_time and read.moment.hour in _AFTERNOON and not _SAYS_WHICH_HALF.search(words):
        read = replace(read, moment=read.moment.replace(hour=read.moment.hour + 12))
    if read and was and read.moment > now and _A_WEEKDAY.fullmatch(words):
        read = replace(read, moment=read.moment - _WEEK)
    # The user's "Thursday next week", in words or in Chinese, may have become "next Thursday".
    meant = [day for day in named if read and read.has_date and day.weekday() == read.moment.weekday()]
    if read and not was and len(meant) == 1 and _HAS_WEEKDAY.search(words):
        read = replace(read, moment=datetime.combine(meant[0], read.moment.time()))
    return (_written(read, wanted) if read else None) or value


def _is_iso(value: str, wanted: str) -> bool:
    kinds = {"date": date, "time": time, "date-time": datetime}
    try:
        kinds[wanted].fromisoformat(value.strip())
    except ValueError:
        return False
    return True


def _written(read: When, wanted: str) -> str | None:
    """What was read in a format; None if it says too little for it, or more."""
    if wanted == "date":
        return f"{read.moment.date()}" if read.has_date and not read.has_time else None
    if wanted == "time":
        return f"{read.moment:%H:%M:%S}" if read.has_time and not read.has_date else None
    return read.moment.isoformat() if read.has_date and read.has_time else None
