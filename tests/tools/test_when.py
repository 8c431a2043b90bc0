"""Dates in words: what they mean, what is refused, and that no text loses words that are no date."""

from __future__ import annotations

from calendar import Calendar
from datetime import date, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.dates.durations import parse_duration
from thoughtgraph.tools.dates.periods import parse_period, read_period
from thoughtgraph.tools.dates.told import told_times
from thoughtgraph.tools.dates.when import When, parse_when, read_when, split_due, split_when, tell
from thoughtgraph.tools.dates.words import MONTHS

NOW = datetime(2026, 11, 20, 9, 30, 17)  # a Friday
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("2026-12-01 10:00", "2026-12-01 10:00"),
        ("2026-12-01T10:00", "2026-12-01 10:00"),
        ("2026-12-01T10:00:45.5", "2026-12-01 10:00"),
        ("2026/12/1 9:05", "2026-12-01 09:05"),
        ("tomorrow 15:00", "2026-11-21 15:00"),
        ("Tomorrow at 3pm", "2026-11-21 15:00"),
        ("tomorrow at 3 p.m.", "2026-11-21 15:00"),
        ("3:30 pm tomorrow", "2026-11-21 15:30"),
        ("at 3pm on friday", "2026-11-27 15:00"),
        ("this friday 16:00", "2026-11-20 16:00"),
        ("this sat, 7:30pm", "2026-11-21 19:30"),
        ("next monday 8:00", "2026-11-23 08:00"),
        ("friday next week 9am", "2026-11-27 09:00"),
        ("thurs 12pm", "2026-11-26 12:00"),
        ("dec 3 at 5pm", "2026-12-03 17:00"),
        ("3rd of december 2027, 10:00", "2027-12-03 10:00"),
        ("november 20 18:00", "2026-11-20 18:00"),
        ("nov 19 18:00", "2027-11-19 18:00"),
        ("feb 29 8:00", "2028-02-29 08:00"),
        ("in 2 hours", "2026-11-20 11:30"),
        ("in half an hour", "2026-11-20 10:00"),
        ("in 1 hour and 30 minutes", "2026-11-20 11:00"),
        ("in 1h30m", "2026-11-20 11:00"),
        ("in 3 days at 10:00", "2026-11-23 10:00"),
        ("day after tomorrow noon", "2026-11-22 12:00"),
        ("tomorrow midnight", "2026-11-21 00:00"),
        ("tomorrow morning", "2026-11-21 09:00"),
        ("tonight", "2026-11-20 20:00"),
        ("tonight at 9", "2026-11-20 21:00"),
        ("3 in the afternoon", "2026-11-20 15:00"),
        ("12 in the afternoon", "2026-11-20 12:00"),
        ("tomorrow at 9", "2026-11-21 09:00"),
        ("tomorrow at seven-thirty in the evening", "2026-11-21 19:30"),
        ("tomorrow at 15", "2026-11-21 15:00"),
        ("12am tomorrow", "2026-11-21 00:00"),
        ("noon", "2026-11-20 12:00"),
        ("9:00", "2026-11-21 09:00"),
        ("9:30", "2026-11-20 09:30"),
        ("明天 15:00", "2026-11-21 15:00"),
        ("明天下午3点", "2026-11-21 15:00"),
        ("明天下午三点半", "2026-11-21 15:30"),
        ("下午3点半", "2026-11-20 15:30"),
        ("十二月三日下午两点一刻", "2026-12-03 14:15"),
        ("12月3号上午10点20分", "2026-12-03 10:20"),
        ("2027年1月5日 8:30", "2027-01-05 08:30"),
        ("下周一9点", "2026-11-23 09:00"),
        ("下下周三上午十点", "2026-12-02 10:00"),
        ("本周五晚上8点", "2026-11-20 20:00"),
        ("星期天中午12点", "2026-11-22 12:00"),
        ("星期二十点", "2026-11-24 10:00"),
        ("周六中午1点", "2026-11-21 13:00"),
        ("后天晚上12点", "2026-11-23 00:00"),
        ("大后天凌晨2点", "2026-11-23 02:00"),
        ("今晚", "2026-11-20 20:00"),
        ("明天下午15点", "2026-11-21 15:00"),
        ("明早7点三刻", "2026-11-21 07:45"),
        ("两小时后", "2026-11-20 11:30"),
        ("一个半小时后", "2026-11-20 11:00"),
        ("１２月３日　１５：００", "2026-12-03 15:00"),
    ],
)
def test_a_date_with_a_time_is_read(words: str, expected: str) -> None:
    when = parse_when(words, NOW)
    assert (when.moment, when.has_time) == (moment(expected), True)
    assert read_when(words, NOW) == when


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("today", "2026-11-20"),
        ("on friday", "2026-11-27"),
        ("this friday", "2026-11-20"),
        ("this saturday", "2026-11-21"),
        ("this sunday", "2026-11-22"),
        ("this wednesday", "2026-11-25"),
        ("coming wednesday", "2026-11-25"),
        ("next friday", "2026-11-27"),
        ("sun", "2026-11-22"),
        ("nov 20", "2026-11-20"),
        ("next week", "2026-11-27"),
        ("next month", "2026-12-20"),
        ("in a week", "2026-11-27"),
        ("in 10 days", "2026-11-30"),
        ("2026-12-01", "2026-12-01"),
        ("后天", "2026-11-22"),
        ("下周", "2026-11-27"),
        ("下个月", "2026-12-20"),
        ("三天后", "2026-11-23"),
        ("两周后", "2026-12-04"),
    ],
)
def test_a_date_without_a_time_says_so(words: str, expected: str) -> None:
    assert parse_when(words, NOW) == When(moment(expected), has_time=False)


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("tomorrow 10:00-11:30", "2026-11-21 10:00", "2026-11-21 11:30"),
        ("tomorrow 2pm to 4pm", "2026-11-21 14:00", "2026-11-21 16:00"),
        ("2026-12-01 10:00 - 11:00", "2026-12-01 10:00", "2026-12-01 11:00"),
        ("2026-12-31 22:00-01:00", "2026-12-31 22:00", "2027-01-01 01:00"),
        ("明天下午2点到4点", "2026-11-21 14:00", "2026-11-21 16:00"),
    ],
)
def test_a_span_of_times_has_an_end(words: str, start: str, end: str) -> None:
    when = parse_when(words, NOW)
    assert (when.moment, when.end) == (moment(start), moment(end))


NUMERALS = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]


@pytest.mark.parametrize("phrase", ["{}月{}日", "{}月{}号", "{}月{}号（周{}）", "周{2}，{0}月{1}号", "{}月{}号 星期{}"])
def test_the_days_of_a_month_are_read_in_chinese(phrase: str) -> None:
    # How a day is read does not hang on how its month is.
    for month, day in [*((3, day) for day in (1, 2, 11, 12)), *((month, 12) for month in range(1, 13))]:
        meant = date(2027 if month < 11 or (month, day) < (11, 20) else 2026, month, day)
        for numbers in ((month, day), (NUMERALS[month - 1], NUMERALS[day - 1])):
            words = phrase.format(*numbers, "一二三四五六日"[meant.weekday()])
            read = read_when(words, NOW)
            assert read is not None
            assert read.moment.date() == meant
            assert told_times(f"{words}看牙", NOW) == [str(meant)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("下个月28号", "2026-12-28"),
        ("下月三号", "2026-12-03"),
        ("明天晚上差五分十一点", "2026-11-21 22:55"),
        ("明天上午差一刻十点", "2026-11-21 09:45"),
        ("明天上午九点过十分", "2026-11-21 09:10"),
    ],
)
def test_a_chinese_day_of_next_month_and_minutes_before_an_hour(words: str, expected: str) -> None:
    read = read_when(words, NOW)
    assert read is not None
    assert f"{read.moment:%Y-%m-%d %H:%M}".startswith(expected)
    assert told_times(f"{words}看牙", NOW) == [expected]


@pytest.mark.parametrize(
    "phrase",
    [
        "{nth} of {name}",
        "the {nth} of {name}",
        "{name} {nth}",
        "{name} the {nth}",
        "{day} {name}",
        "{day}-{name}",
        "{day}. {name}",
        "{weekday} {nth} {name}",
        "{weekday}, {name} {day}",
        "{day} {name} {year}",
        "{name} {nth} at 7 in the evening",
    ],
)
def test_the_days_of_a_month_are_read_in_every_phrase(phrase: str) -> None:
    # How a day is read does not hang on how its month is.
    days, months = product([12], (1, 2, 3, 11, 12, 21, 22, 23, 28)), product(range(1, 13), [2, 21])
    for (month, day), short in product([*days, *months], (False, True)):
        meant = date(2026 if (month, day) >= (11, 20) else 2027, month, day)
        nth = f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
        name = f"{meant:%b}".lower() if short else f"{meant:%B}"
        words = phrase.format(day=day, nth=nth, name=name, weekday=f"{meant:%A}", year=meant.year)
        read = read_when(words, NOW)
        assert read is not None
        assert read.moment.date() == meant
        assert told_times(f"dentist {words}", NOW)[0].startswith(str(meant))


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("this month", "2026-11-20", "2026-11-30"),
        ("rest of the month", "2026-11-20", "2026-11-30"),
        ("November", "2026-11-20", "2026-11-30"),
        ("next month", "2026-12-01", "2026-12-31"),
        ("December", "2026-12-01", "2026-12-31"),
        ("in december", "2026-12-01", "2026-12-31"),
        ("january", "2027-01-01", "2027-01-31"),
        ("feb 2028", "2028-02-01", "2028-02-29"),
        ("august 2020", "2020-08-01", "2020-08-31"),
        ("下个月", "2026-12-01", "2026-12-31"),
        ("十二月", "2026-12-01", "2026-12-31"),
        ("1月份", "2027-01-01", "2027-01-31"),
        ("next 3 days", "2026-11-20", "2026-11-22"),
        ("the next two weeks", "2026-11-20", "2026-12-03"),
        ("未来三天", "2026-11-20", "2026-11-22"),
    ],
)
def test_a_month_and_some_days_are_periods(words: str, first: str, last: str) -> None:
    period = parse_period(words, NOW)
    assert (f"{period.start:%Y-%m-%d}", f"{period.end - timedelta(days=1):%Y-%m-%d}") == (first, last)


@pytest.mark.parametrize("words", ["13月", "may 0000", "next 9999 days", "next no days", "months"])
def test_no_other_words_are_such_a_period(words: str) -> None:
    assert read_period(words, NOW) is None


@pytest.mark.parametrize("weekday", DAYS)
@pytest.mark.parametrize(
    ("phrase", "days"),
    [
        ("{}", range(1, 8)),
        ("this {}", range(7)),
        ("next {}", range(1, 8)),
        ("coming {}", range(1, 8)),
        ("this coming {}", range(1, 8)),
        ("{} coming", range(1, 8)),
        ("by {}", range(1, 8)),
        ("on {} at 10:00", range(1, 8)),
        ("this {}, 7:30pm to 9pm", range(7)),
        ("{} evening", range(1, 8)),
        ("{} week", range(8, 15)),
        ("a week on {}", range(8, 15)),
        ("the {} after next", range(8, 15)),
        ("{} fortnight", range(15, 22)),
        ("{} of next week", range(3, 10)),
        ("next week on {}", range(3, 10)),
        ("{} the week after next", range(10, 17)),
    ],
)
def test_every_day_of_the_week_is_read_in_every_phrase(weekday: str, phrase: str, days: range) -> None:
    for words in (phrase.format(weekday), phrase.format(weekday.capitalize())):
        read = read_when(words, NOW)
        assert read is not None
        assert read.moment.weekday() == DAYS.index(weekday)
        assert (read.moment.date() - NOW.date()).days in days
        assert told_times(f"dentist {words}", NOW)[0].startswith(str(read.moment.date()))


@pytest.mark.parametrize("weekday", DAYS)
@pytest.mark.parametrize("nth", ["first", "second", "third", "fourth", "last"])
def test_a_weekday_is_read_by_its_place_in_a_month(nth: str, weekday: str) -> None:
    place, number = ["first", "second", "third", "fourth", "last"].index(nth), DAYS.index(weekday)
    # Each pair in another month, so that all of them come up.
    month = (7 * place + number) % 12 + 1
    for year in (2026, 2027):
        days = [day for day in Calendar().itermonthdates(year, month) if day.month == month]
        wanted = [day for day in days if day.weekday() == number][-1 if nth == "last" else place]
        if wanted >= NOW.date():
            break
    english = [f"{nth} {weekday} of {MONTHS[month - 1]}", f"the {nth} {weekday} in {MONTHS[month - 1].capitalize()}"]
    zh = f"{month}月的{'最后一' if nth == 'last' else '第' + '一二三四'[place]}个周{'一二三四五六日'[number]}"
    for words in (*english, zh):
        assert told_times(f"{words}开会" if words == zh else f"lunch on {words}", NOW) == [str(wanted)]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("the last thursday of the month, 7.30pm", ["2026-11-26 19:30"]),
        ("the third monday of next month at noon", ["2026-12-21 12:00"]),
        ("下个月第二个星期五上午九点", ["2026-12-11 09:00"]),
        ("two weeks today", ["2026-12-04"]),
        ("a week tomorrow at 3pm", ["2026-11-28 15:00"]),
        ("tomorrow week", ["2026-11-28"]),
        ("christmas day", ["2026-12-25"]),
        ("xmas eve", ["2026-12-24"]),
        ("boxing day lunch", ["2026-12-26"]),
        ("the end of january", ["2027-01-31"]),
        ("last day of the month", ["2026-11-30"]),
        ("月末", ["2026-11-30"]),
        ("下周末", ["2026-11-28"]),
        ("half an hour from now", ["2026-11-20 10:00"]),
        ("on monday at 10 for 1h30", ["2026-11-23 10:00", "1h30m"]),
        ("on monday at 10 for half a day", ["2026-11-23 10:00"]),
        # Feasts that are on no day of next week, whatever their names say.
        ("good friday", []),
        ("lunch on easter monday", []),
        ("long day this saturday, 0730 till 2000 on Ward 6", ["2026-11-21 07:30", "12h30m"]),
        ("this coming monday from 7 until 11:30 in the morning", ["2026-11-23 07:00", "4h30m"]),
        ("saturday 0730-2000", ["2026-11-21 07:30", "12h30m"]),
        ("tomorrow 1300 to 1430", ["2026-11-21 13:00", "1h30m"]),
        ("from 1900 to 2100 on monday", ["2026-11-23 19:00", "2h"]),
        ("from 1914 to 1918", []),
        ("1914-1918", []),
        ("room 0730", []),
        ("webinar, 12th December, 1600-1715", ["2026-12-12 16:00", "1h15m"]),
        ("on monday morning by 8.30 at the latest", ["2026-11-23 08:30"]),
        ("shorten it to 20 minutes", ["20m"]),
        ("camping december 12-14", ["2026-12-12", "2026-12-14"]),
        ("maybe 2-4 on friday", ["2026-11-27"]),
        ("camping 12 to 14 dec", ["2026-12-12", "2026-12-14"]),
        ("fri 4-6 december", ["2026-12-04", "2026-12-06"]),
        ("december 12 2-4pm", ["2026-12-12 14:00", "2h"]),
        ("the first monday of the month", ["2026-12-07"]),
        ("by midnight on friday", ["2026-11-27 23:59"]),
        ("log 300 hours of it", ["300h"]),
        ("before 0001-01-01", []),
        ("thursday the third of december at noon", ["2026-12-03 12:00"]),
        ("thursday the twenty-sixth at noon", ["2026-11-26 12:00"]),
        ("thu 26th 5pm", ["2026-11-26 17:00"]),
        ("Sunday roast at Nell's, the 29th", ["2026-11-29"]),
        ("not on friday, put it in on the 25th, 9 am", ["2026-11-27", "2026-11-25", "09:00"]),
        ("before midnight tonight", ["2026-11-20 23:59"]),
        ("seminar thurs 2-4pm", ["2026-11-26 14:00", "2h"]),
        ("placement mon 23/11 0800-1600", ["2026-11-23"]),
        ("night shift tonight 2130-0730", ["2026-11-20 21:30", "10h"]),
        ("at eight hundred hours on monday", ["2026-11-23 08:00"]),
        ("before the month is out", ["2026-11-30"]),
        ("by month's end", ["2026-11-30"]),
        ("before the end of next week", []),
        ("down from three hours to two", ["3h", "2h"]),
        ("five more minutes", ["5m"]),
        ("延期一周", ["168h"]),
        ("the first friday", ["2026-11-27"]),
        ("order 1500 napkins for monday", ["2026-11-23"]),
    ],
)
def test_what_a_text_says_of_its_time_is_told_or_nothing_is(said: str, told: list[str]) -> None:
    assert told_times(said, NOW) == told


@pytest.mark.parametrize("zoned", ["2026-12-01T10:00:00Z", "2026-12-01 10:00+08:00", "2026-12-01T10:00-05:00"])
def test_a_time_with_a_zone_becomes_local_time(zoned: str) -> None:
    assert parse_when(zoned, NOW).moment == moment(zoned).astimezone().replace(tzinfo=None)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("soonish", "can be read"),
        ("", "can be read"),
        ("2", "can be read"),
        ("may", "can be read"),
        ("call mar", "can be read"),
        ("friday mornin", "can be read"),
        ("3pm EST", "can be read"),
        ("明天凌晨", "can be read"),
        ("十二三号", "can be read"),
        ("十二三点", "does not exist"),
        ("tomorrow" + " " * 60 + "15:00", "can be read"),
        ("2026-02-30", "does not exist"),
        ("2026-13-45 10:00", "does not exist"),
        ("25:00", "does not exist"),
        ("tomorrow 24:00", "does not exist"),
        ("tomorrow 10:60", "does not exist"),
        ("tomorrow 0am", "does not exist"),
        ("13am", "does not exist"),
        ("31 april", "does not exist"),
        ("13月3日", "does not exist"),
        ("2026-02-30T10:00Z", "does not exist"),
        ("in 9999 years", "does not exist"),
        ("1/12/2026", "year-month-day"),
        ("12/25 10:00", "year-month-day"),
        ("1.12.2026 10:00", "year-month-day"),
        ("tomorrow at 3", "3pm or 15:00"),
        ("明天3点", "3pm or 15:00"),
        ("1 at night", "3pm or 15:00"),
        ("0001-01-01", "1970 to 2199"),
        ("9999-12-31T23:59", "1970 to 2199"),
    ],
)
def test_what_is_unclear_or_impossible_is_refused_with_advice(words: str, part: str) -> None:
    with pytest.raises(CommandError, match=part):
        parse_when(words, NOW)
    assert read_when(words, NOW) is None


def test_messages_come_in_chinese_too() -> None:
    with pytest.raises(CommandError, match="请按年-月-日书写"):
        parse_when("1/12/2026", NOW, "zh")
    assert tell(moment("2026-11-23 15:00"), "zh") == "2026-11-23 周一 15:00"
    assert tell(moment("2026-11-23 15:00"), "en", has_time=False) == "Mon 2026-11-23"


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        ("2026-12-01 10:00 Team meeting", "Team meeting", "2026-12-01 10:00"),
        ("Dentist tomorrow 15:00", "Dentist", "2026-11-21 15:00"),
        ("Dentist, tomorrow 15:00.", "Dentist", "2026-11-21 15:00"),
        ("tomorrow at 3pm dentist", "dentist", "2026-11-21 15:00"),
        ("tomorrow at 3pm: dentist", "dentist", "2026-11-21 15:00"),
        ("tomorrow at 3pm - dentist", "dentist", "2026-11-21 15:00"),
        ("dentist on friday 9am", "dentist", "2026-11-27 09:00"),
        ("tomorrow dentist at 3pm", "dentist", "2026-11-21 15:00"),
        ("dentist next weds 9am", "dentist", "2026-11-25 09:00"),
        ("3pm dentist tomorrow", "dentist", "2026-11-21 15:00"),
        ("lunch in 2 hours", "lunch", "2026-11-20 11:30"),
        ("call mar tomorrow 10:00", "call mar", "2026-11-21 10:00"),
        ("buy 2 apples friday 9am", "buy 2 apples", "2026-11-27 09:00"),
        ("Monday meeting on tuesday 10:00", "Monday meeting", "2026-11-24 10:00"),
        ("Coffee with Sun tomorrow 15:00", "Coffee with Sun", "2026-11-21 15:00"),
        ("march 3 miles tomorrow 10:00", "march 3 miles", "2026-11-21 10:00"),
        ("room 5 dec 3 10:00", "room 5", "2026-12-03 10:00"),
        ("tomorrow 15:00 upgrade to 3.11", "upgrade to 3.11", "2026-11-21 15:00"),
        ("明天下午3点开会", "开会", "2026-11-21 15:00"),
        ("明天下午3点的会议", "会议", "2026-11-21 15:00"),
        ("开会明天下午3点", "开会", "2026-11-21 15:00"),
        ("15:00开会", "开会", "2026-11-20 15:00"),
        ("周六 9:00 和小李开会", "和小李开会", "2026-11-21 09:00"),
    ],
)
def test_a_date_at_either_end_of_a_text_is_found_and_nothing_else_is_taken(
    words: str, text: str, expected: str
) -> None:
    rest, when = split_when(words, NOW)
    assert when is not None
    assert (rest, when.moment, when.has_time) == (text, moment(expected), True)


@pytest.mark.parametrize(
    "words", ["call mar", "buy 2 apples", "may", "read may 2 times", "2", "at 9:305 dentist", "sunny"]
)
def test_a_text_without_a_date_is_left_alone(words: str) -> None:
    assert split_when(words, NOW) == (words, None)


def test_two_dates_that_share_a_word_are_not_put_together() -> None:
    assert split_when("dec 3 pm", NOW) == ("pm", When(moment("2026-12-03"), has_time=False))


@pytest.mark.parametrize("words", ["Dentist 1/12/2026 10:00", "Dentist tomorrow 25:00", "2026-02-30 10:00 Dentist"])
def test_a_bad_date_in_a_text_is_an_error_and_never_a_part_of_the_text(words: str) -> None:
    with pytest.raises(CommandError):
        split_when(words, NOW)


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        ("buy milk by friday", "buy milk", "2026-11-27 00:00"),
        ("pay rent, due 2026-12-01 10:00", "pay rent", "2026-12-01 10:00"),
        ("pay rent due by tomorrow", "pay rent", "2026-11-21 00:00"),
        ("stand by me by 5pm", "stand by me", "2026-11-20 17:00"),
        ("买牛奶 截止明天", "买牛奶", "2026-11-21 00:00"),
        ("due tomorrow", "", "2026-11-21 00:00"),
        ("read it by may", "read it by may", None),
        ("multiply by 1/2", "multiply by 1/2", None),
        ("stand by", "stand by", None),
        ("pass by the shop tomorrow", "pass by the shop tomorrow", None),
        ("standby tomorrow", "standby tomorrow", None),
    ],
)
def test_a_due_date_is_taken_off_the_very_end_only(words: str, text: str, expected: str | None) -> None:
    rest, when = split_due(words, NOW)
    assert (rest, when and when.moment) == (text, expected and moment(expected))


@pytest.mark.parametrize(
    ("words", "minutes"),
    [
        ("90m", 90),
        ("1h30m", 90),
        ("2 hours", 120),
        ("1.5h", 90),
        ("an hour", 60),
        ("half an hour", 30),
        ("1 hour and 30 minutes", 90),
        ("1 day", 1440),
        ("一个半小时", 90),
        ("两小时30分钟", 150),
        ("半小时", 30),
        ("31d", 44640),
    ],
)
def test_a_duration_is_read(words: str, minutes: int) -> None:
    assert parse_duration(words) == timedelta(minutes=minutes)


@pytest.mark.parametrize("words", ["", "90", "0m", "32 days", "9999h", "-1h", "1h banana", "h", "nan h", "1e9h"])
def test_a_bad_duration_is_refused(words: str) -> None:
    with pytest.raises(CommandError, match=r"90m|31 days"):
        parse_duration(words)


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("today", "2026-11-20", "2026-11-21"),
        ("week", "2026-11-20", "2026-11-27"),
        ("本周", "2026-11-20", "2026-11-27"),
        ("next week", "2026-11-23", "2026-11-30"),
        ("2026-12-01..2026-12-05", "2026-12-01", "2026-12-06"),
        ("2026-12-01 to 2026-12-05", "2026-12-01", "2026-12-06"),
        ("2026-12-01到2026-12-05", "2026-12-01", "2026-12-06"),
        ("tomorrow 15:00", "2026-11-21", "2026-11-22"),
    ],
)
def test_a_period_is_whole_days_with_both_its_dates(words: str, start: str, end: str) -> None:
    assert parse_period(words, NOW) == read_period(words, NOW) == (moment(start), moment(end))


@pytest.mark.parametrize("words", ["2026-12-05..2026-12-01", "..", "tomorrow..", "soon"])
def test_a_bad_period_is_refused(words: str) -> None:
    with pytest.raises(CommandError):
        parse_period(words, NOW)
    assert read_period(words, NOW) is None


@given(st.datetimes(datetime(1970, 1, 1), datetime(2199, 12, 31)))
def test_every_iso_date_is_read_as_itself(when: datetime) -> None:
    to_the_minute = when.replace(second=0, microsecond=0)
    assert parse_when(when.isoformat(sep=" ", timespec="minutes"), NOW).moment == to_the_minute
    assert parse_when(when.isoformat(), NOW).moment == to_the_minute


@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2190, 1, 1)),
    st.sampled_from(["monday", "tue", "wednesday", "thurs", "fri", "saturday", "sun"]),
)
def test_a_day_of_the_week_is_the_next_one_after_today(now: datetime, name: str) -> None:
    ahead = parse_when(name, now).moment.date() - now.date()
    assert timedelta(days=1) <= ahead <= timedelta(days=7)
    assert parse_when(name, now).moment.strftime("%A").lower().startswith(name)


_PIECES = [
    *("tomorrow", "on", "at", "by", "in", "next", "friday", "may", "dec", "3", "15", "3pm", "25:00", "10:00-11:00"),
    *("noon", "2026-12-01", "2026-02-30", "1/12", "and", "a", "hour", "days", "week", "morning", "tonight", "to", ","),
    *("明天", "下午", "3点", "半", "下周", "周一", "12月", "3日", "后", "buy", "milk", "call", ":"),
]


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(_PIECES), max_size=8).map(" ".join)))
def test_any_text_is_split_or_refused_and_keeps_its_words(words: str) -> None:
    try:
        rest, _ = split_when(words, NOW)
    except CommandError:
        return
    assert rest in words
