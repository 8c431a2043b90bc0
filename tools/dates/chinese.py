"""Translates Chinese dates and spans into the English words that `when` reads."""

from __future__ import annotations

import re

from .numbers import chinese_number
from .words import MONTHS, WEEKDAYS

_WEEKDAYS = dict(zip("一二三四五六日天", (*WEEKDAYS, "sun"), strict=True))
_WEEKS = {"下下": " in 2 weeks", "下": " next week", "本": " this week", "这": " this week", "": ""}

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
# After 周, 星期 and 礼拜 a numeral names the day of the week.
_NUMERAL = re.compile(
    r"(?<![周拜])(?<!星期)[零〇一二两三四五六七八九十]{1,9}(?=[个点时月日号分小天周星刻年半])"
    r"|(?<=[点时])(?:[二三四五]?十[一二三四五六七八九]?|[零〇][一二三四五六七八九])(?![个人位名件张份块元只台])"
)
_WEEKDAY = re.compile(r"(下下|下|本|这)?个?(?:周|星期|礼拜)([一二三四五六日天])")
_SHORT_OF = re.compile(r"差(\d{1,2})(分钟?|刻)到?(\d{1,2})[点时]")
_NO_DAY = re.compile(r"(?:[某哪]一?|[找挑选]一?|(?<![加记添订排约建写])一)个(?:周|星期|礼拜)[一二三四五六日天末]")
_THIS_MONTH = re.compile(r"(?:这个?月|本月|当月)(?=(?:的)?\d{1,2}[日号])")
_MONTH_DAY = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]?")
_OF_NEXT_MONTH = re.compile(r"下个?月的?(\d{1,2}|[一二三四五六七八九十]{1,3})[日号]")
_WEEKDAY_OF_MONTH = re.compile(
    r"(?:(下)个?月|本月|这个?月|(1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?)的?(第[一二三四]|最后一)个?(?:周|星期|礼拜)([一二三四五六日天])"
)
_PLACES = {"一": "first", "二": "second", "三": "third", "四": "fourth"}

# In this order: a later rule reads what an earlier one leaves.
_RULES = [
    (re.compile(pattern), english)
    for pattern, english in (
        (r"(?<![\d月])(\d{1,2})号(?!\d)", r" \1th "),
        (r"大后天", " in 3 days "),
        (r"后天", " day after tomorrow "),
        (r"明[天日]", " tomorrow "),
        (r"今[天日]", " today "),
        (r"明(?=[早晚夜])", " tomorrow "),
        (r"今(?=[早晚夜])", " today "),
        (r"(\d+)(?:个半(?:小时|钟头)|个?(?:小时|钟头)半)", r" \1.5 hours "),
        (r"半个?(?:小时|钟头)", " 30 minutes "),
        (r"(\d+)个?(?:小时|钟头)", r" \1 hours "),
        (r"1刻钟", " 15 minutes "),
        (r"3刻钟", " 45 minutes "),
        (r"(?<=\d[点时])过(?=\d{1,2}分)", ""),
        (r"(\d+)[点时]半", r" \1:30 "),
        (r"(\d+)[点时]1刻", r" \1:15 "),
        (r"(\d+)[点时]3刻", r" \1:45 "),
        (r"(\d+)[点时](\d{1,2})(?![\d个人位名件张份块元只台])分?", r" \1:\2 "),
        (r"(\d+)[点时][整钟]?", r" \1 o'clock "),
        (r"(\d+)分钟?", r" \1 minutes "),
        (r"(\d+)天", r" \1 days "),
        (r"(\d+)个?(?:周|星期|礼拜)(?!末)", r" \1 weeks "),
        (r"(\d+)个月", r" \1 months "),
        (r"(\d+)年(?=[以之]?后)", r" \1 years "),
        (r"下个?(?:周|星期|礼拜)末", " sat next week "),
        (r"下下个?(?:周|星期|礼拜)", " in 2 weeks "),
        (r"下个?(?:周|星期|礼拜)", " next week "),
        (r"下个?月", " next month "),
        (r"明年", " next year "),
        (r"凌晨", " predawn "),
        (r"上午|早[上晨]|清[晨早]|早", " morning "),
        (r"下午|午后", " afternoon "),
        (r"傍晚|黄昏", " evening "),
        (r"[中正晌]午", " noon "),
        (r"午夜|半夜|子夜", " midnight "),
        (r"晚[上间]?|深夜|夜[里间晚]|(?<=today )夜|(?<=tomorrow )夜", " night "),
        (r"到|至", " to "),
        (r"(\d[\d.]* (?:(?:hour|minute|day|week|month|year)s[ \d]*)+)[以之]?后", r"in \1"),
    )
]


def in_english(text: str) -> str:
    """Translate Chinese words for dates, times of day and spans into English; leave everything else.

    Args:
        text: digits and punctuation of ordinary width.
    """
    if not _CHINESE.search(text):
        return text
    text = _NO_DAY.sub(" sometime ", text)
    text = _NUMERAL.sub(lambda numeral: str(_number(numeral[0])), text)
    text = _SHORT_OF.sub(_before, text)
    text = _MONTH_DAY.sub(_month_day, _THIS_MONTH.sub("", text))
    text = _WEEKDAY.sub(lambda day: f" {_WEEKDAYS[day[2]]}{_WEEKS[day[1] or '']} ", text)
    for pattern, english in _RULES:
        text = pattern.sub(english, text)
    return text


def months_in_english(text: str) -> str:
    """Translate the days that are told by a month alone: "the 5th of next month", "the last Friday of May"."""
    return _OF_NEXT_MONTH.sub(_in_next_month, _WEEKDAY_OF_MONTH.sub(_weekday_of_month, text))


def _in_next_month(said: re.Match[str]) -> str:
    return f" the {chinese_number(said[1])}th of next month "


def _weekday_of_month(said: re.Match[str]) -> str:
    following, number, place, weekday = said.groups()
    month = MONTHS[chinese_number(number) - 1] if number else "next month" if following else "this month"
    nth = "last" if place.startswith("最") else _PLACES[place[-1]]
    return f" {nth} {_WEEKDAYS[weekday]} of {month} "


def _number(numeral: str) -> int:
    tens, ten, ones = numeral.partition("十")
    if not ten:
        return chinese_number(numeral)
    # Of 十二三, twelve or thirteen, neither is to become a date: it is 33.
    return 10 * chinese_number(tens or "一") + chinese_number(ones.replace("十", "零") or "零")


def _before(clock: re.Match[str]) -> str:
    """ "5 minutes to 11" is 10:55."""
    minutes = int(clock[1]) * (15 if clock[2] == "刻" else 1)
    return f"{(int(clock[3]) - 2) % 12 + 1}点{60 - minutes}分" if 0 < minutes < 60 else clock[0]


def _month_day(date: re.Match[str]) -> str:
    year, month, day = date[1], int(date[2]), int(date[3])
    if year or not 1 <= month <= len(MONTHS):
        return f" {year or '0000'}-{month:02}-{day:02} "
    return f" {MONTHS[month - 1]} {day} "
