"""Dates and times in a call as its tool's schema wants them: a small model writes "Next Tuesday", as users say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any, cast

from langchain_core.tools import BaseTool

from .....tools.calls.action_check import text_argument
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
    if not isinstance(given, Mapping):
        # A text stands for the one argument that the tool needs.
        return {**call, key: _as_iso(given, wanted.get(text_argument(tool) or ""), now, was)}
    fields = cast("Mapping[str, Any]", given)
    return {**call, key: {name: _as_iso(value, wanted.get(name), now, was) for name, value in fields.items()}}


def _formats(tool: BaseTool) -> Iterator[tuple[str, str]]:
    """The arguments of a tool that are a date, a time or both, with their formats."""
    properties: Mapping[str, Mapping[str, Any]] = input_schema(tool).get("properties", {})
    for name, about in properties.items():
        for one in (about, *about.get("anyOf", ())):
            if one.get("format") in ("date", "time", "date-time"):
                yield name, one["format"]


def _as_iso(value: Any, wanted: str | None, now: datetime, was: bool) -> Any:
    if not isinstance(value, str) or wanted is None or _is_iso(value, wanted):
        return value
    # A small model writes "3:30:00Z" for a time.
    words = _SHORT_TIME.sub(r"\1", value.strip())
    read = read_when(words, now)
    if read and read.has_time and read.moment.hour in _AFTERNOON and not _SAYS_WHICH_HALF.search(words):
        read = replace(read, moment=read.moment.replace(hour=read.moment.hour + 12))
    if read and was and read.moment > now and _A_WEEKDAY.fullmatch(words):
        read = replace(read, moment=read.moment - _WEEK)
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
