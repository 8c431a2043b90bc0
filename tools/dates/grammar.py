"""The grammar of dates, times and spans in words: which texts are one, and their parts.

English, in lower case and with single spaces; `in_english` puts Chinese into these words first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .chinese import in_english
from .words import MONTH, WEEKDAY, fold

LONGEST = 72
"""The most characters a date or a span may have."""

PARTS_OF_DAY = {"predawn": None, "morning": 9, "noon": 12, "afternoon": 15, "evening": 19, "night": 20}
"""The hour that a part of the day means if no hour is given; None if it means none."""

_PART = "|".join(PARTS_OF_DAY)
_IN_PART = rf"(?:in the |at )?(?:{_PART})"
_HALF = r" ?[ap]\.?m\b\.?"
_CLOCK = rf"\d{{1,2}}(?::\d{{1,2}}(?::\d{{2}})?(?:{_HALF}| ?h\b)?|{_HALF})"
_HOUR = rf"(?:{_CLOCK}|\d{{1,2}}(?: ?o'clock)?)"
_MOMENT = (
    rf"(?:(?:at |@ ?|from )?(?:{_IN_PART},? (?:at )?{_HOUR}|{_HOUR} (?:in the|at) (?:{_PART})|{_CLOCK}|noon|midnight)"
    rf"|(?:at |@ ?)\d{{1,2}}(?: ?o'clock)?|\d{{1,2}} ?o'clock)"
)
_TIME = rf"{_MOMENT}(?: ?(?:-|~|to|until|till) ?{_MOMENT})?"

_MONTH = rf"(?P<month>{MONTH})\.?"
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>\d{4}))?"

NUMBERS = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", re.ASCII)
TWO_WAYS = re.compile(r"\d{1,2}(?:[-/]\d{1,2}(?:[-/]\d{2,4})?|\.\d{1,2}\.\d{2,4})", re.ASCII)
MONTH_DAY = re.compile(rf"(?:the )?{_MONTH}(?: the)? {_NTH}{_YEAR}", re.ASCII)
DAY_MONTH = re.compile(rf"(?:the )?{_NTH}(?: (?:of )?|-|\. ){_MONTH}{_YEAR}", re.ASCII)
DAY_OF_WEEK = re.compile(
    rf"(?:(this|next|(?:this )?coming) )?({WEEKDAY})(?: coming| (this week|next week|in 2 weeks))?"
)
RELATIVE = re.compile(
    r"today|tomorrow|(?:the )?day after tomorrow|next (?:week|month|year)|in (?:\d{1,4}|an?) (?:day|week|month|year)s?",
    re.ASCII,
)
_ISO_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
_ISO = rf"\d{{4}}-\d\d-\d\d[t ]{_ISO_TIME} ?(?:z|[+-]\d\d:?\d\d)?"

_HOURS = r"(?P<hours>\d{1,4}(?:\.\d{1,2})?|an?(?= )) ?(?:hours?|hrs?|h)"
_MINUTES = r"(?P<minutes>\d{1,5}) ?(?:minutes?|mins?|m)"
DURATION = re.compile(
    rf"(?=[\da])(?:(?P<days>\d{{1,4}}|a(?= )) ?(?:days?|d))? ?(?:and )?(?:{_HOURS})? ?(?:and )?(?:{_MINUTES})?",
    re.ASCII,
)


def without_names(pattern: str) -> str:
    """A pattern without its groups, to be a part of another one."""
    return re.sub(r"\(\?P<\w+>|(?<!\\)\((?!\?)", "(?:", pattern)


_DATE = "|".join(
    without_names(known.pattern) for known in (NUMBERS, TWO_WAYS, MONTH_DAY, DAY_MONTH, DAY_OF_WEEK, RELATIVE)
)
# The last but one: `2026-12-01 10:00-11:30` is a span before it is a time with a zone.
_SHAPE = re.compile(
    rf"(?:on |for |by )?(?:(?P<date>{_DATE})(?:(?: ?[,@] ?| )(?P<time>{_TIME}|{_IN_PART}))?"
    rf"|(?P<time_first>{_TIME}),? (?:on )?(?P<date_last>{_DATE})|(?P<time_alone>{_TIME}))"
    rf"|(?P<iso>{_ISO})"
    rf"|in (?P<span>{without_names(_HOURS)}(?: ?(?:and )?{without_names(_MINUTES)})?|{without_names(_MINUTES)})",
    re.ASCII,
)

_IN_TEXT = re.compile(rf"(?<![\w.:/-])(?:{_SHAPE.pattern})(?!\w|[.,:/-]\d)", re.ASCII)

CLOCK = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2}))?(?::\d{2})?(?: ?(?P<half>[ap])\.?m\b)?", re.ASCII)
PART_OF_DAY = re.compile(rf"\b(?:{_PART}|midnight)\b")
_BARE = r"(\d{1,2})(?::?([0-5]\d))?(?: ?([ap])\.?m\b\.?| ?o'?clock)?"
BARE_SPAN = re.compile(
    rf"(?<![\w:.,/-]){_BARE}(?:(?: in the \w+)? ?(?:[-–~]|\b(?:to|till?|until)\b) ?|(?<=\d) and (?=\d)){_BARE}"
    rf"(?![\w:/-]|\.\d| (?:of )?{without_names(_MONTH)}| ?(?:min|hour|hr|day|week|month|year)s?\b)",
    re.ASCII,
)
"""Two times of day, each perhaps of both halves of the day: "9-11", "between 1 and 3", "0800-1600"."""
FROM_TO = re.compile(rf"({_MOMENT}) ?(?:-|~|to|until|till) ?({_MOMENT})", re.ASCII)


class Shape(NamedTuple):
    """The parts of a text that names a moment; "" for a missing part."""

    date: str = ""
    time: str = ""
    span: str = ""
    iso: str = ""


def shape_of(text: str) -> Shape | None:
    """Split a text that is only a date, a time or both into its parts; None for any other text."""
    if len(text) > LONGEST:
        return None
    found = _SHAPE.fullmatch(plain(text))
    return _parts(found) if found else None


def shapes_in(words: str) -> Iterator[tuple[Shape, re.Match[str]]]:
    """Every date, time or both in a running text that `plain` has put into the grammar's form, with its place."""
    return ((_parts(found), found) for found in _IN_TEXT.finditer(words))


def _parts(found: re.Match[str]) -> Shape:
    date = found["date"] or found["date_last"] or ""
    time = found["time"] or found["time_first"] or found["time_alone"] or ""
    return Shape(date, time, found["span"] or "", found["iso"] or "")


def leading(words: str, fits: Callable[[str], bool]) -> int:
    """The length of the longest part at the start of a text that fits, 0 without one."""
    ends = (end for end in range(min(len(words), LONGEST), 0, -1) if _is_border(words, end))
    return next((end for end in ends if fits(words[:end])), 0)


def trailing(words: str, fits: Callable[[str], bool]) -> int:
    """Where the longest part at the end of a text that fits starts; the text's length without one."""
    starts = (start for start in range(max(0, len(words) - LONGEST), len(words)) if _is_border(words, start))
    return next((start for start in starts if fits(words[start:])), len(words))


def plain(text: str) -> str:
    """A text in the grammar's form: English words in lower case, digits of ordinary width, single spaces."""
    words = " ".join(in_english(fold(text).lower()).split()).rstrip(".,;!。")
    words = re.sub(r"\btonight\b", "today night", words)
    words = re.sub(r"\bthis (?=morning|afternoon|evening)", "today ", words)
    return re.sub(r"\b(?:a )?half[ -](?:an?[ -])?hour\b", "30 minutes", words)


def _is_border(words: str, position: int) -> bool:
    """Whether a word may end here: English words end at spaces and punctuation, Chinese words anywhere."""
    if not 0 < position < len(words):
        return True
    before, after = words[position - 1], words[position]
    chinese = any("\u4e00" <= character <= "\u9fff" for character in (before, after))
    mark = after in ",;:，；：、。!" and not words[position + 1 : position + 2].isdigit()
    return chinese or mark or before.isspace() or after.isspace() or before in "，；：、。"
