"""What is found of dates, times and lengths in running text: any text can be read."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoughtgraph.tools.dates.found import claims_in, follows_another, read_from
from thoughtgraph.tools.dates.told import told_times
from thoughtgraph.tools.dates.when import parse_when

NOW = datetime(2026, 3, 11, 9)
WORDS = [
    "a",
    "an",
    "and",
    "half",
    "1",
    "2",
    "hour",
    "hours",
    "day",
    "days",
    "minutes",
    "min",
    "h",
    "d",
    "m",
    "at",
    "to",
    "by",
    "noon",
    "from",
    "till",
    "week",
    "the",
    "of",
    "一个",
    "半",
    "小时",
    "天",
    "3.5",
    "1h30m",
    "quarter",
    "past",
    "tomorrow",
    "friday",
    "@",
    "12:30",
]


@settings(deadline=None)  # the first example loads dateparser
@given(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join))
def test_words_that_only_begin_like_a_length_are_none(words: str) -> None:
    claims, _ = claims_in(words, NOW)
    assert all(claim.meant for claim in claims if not hasattr(claim.meant, "hour"))
    assert read_from(words, NOW) is read_from(words, NOW)
    assert isinstance(told_times(words, NOW), list)


def test_a_day_and_something_else_is_a_day() -> None:
    assert told_times("it takes a day and a hammer", NOW) == ["24h"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("half past four in the afternoon, lasts an hour and a quarter", "16:30 1h15m"),
        ("for two and a quarter hours", "2h15m"),
        ("two hours thirty", "2h30m"),
        ("a couple of hours", "2h"),
        ("twelve thirty on monday", "2026-03-16 12:30"),
        ("Monday, twelve thirty: lunch with Farah", "2026-03-16 12:30"),
        ("tomorrow at quarter to nine in the morning", "2026-03-12 08:45"),
        ("a quarter to one tomorrow afternoon", "2026-03-12 12:45"),
        ("ten to three this afternoon", "2026-03-11 14:50"),
        ("five past nine tonight", "2026-03-11 21:05"),
        ("tomorrow at five and twenty past four in the afternoon", "2026-03-12 16:25"),
        ("at five-and-twenty to four tomorrow afternoon", "2026-03-12 15:35"),
        ("tomorrow at ten after nine", "2026-03-12 09:10"),
        ("tomorrow at a quarter after nine", "2026-03-12 09:15"),
        ("half after nine tomorrow", "2026-03-12 09:30"),
        ("tomorrow at quarter of nine", "2026-03-12 08:45"),
        ("a quarter till nine tomorrow", "2026-03-12 08:45"),
        ("tomorrow at twenty till nine", "2026-03-12 08:40"),
        ("tomorrow at seven minutes past nine", "2026-03-12 09:07"),
        ("tomorrow at three minutes to nine", "2026-03-12 08:57"),
        ("take it ten minutes after two hours", "10m 2h"),
        ("tomorrow at 75 minutes past four", "2026-03-12"),
        ("a quarter of nine cakes", ""),
        ("a trip to the coast some weekend", ""),
        ("one Saturday we should go", ""),
        ("one of these days", ""),
        ("at the weekend", "2026-03-14"),
        ("周六正午出海", "2026-03-14 12:00"),
        ("周六午后三点", "2026-03-14 15:00"),
        ("周六晚间八点", "2026-03-14 20:00"),
        ("周六深夜十一点", "2026-03-14 23:00"),
        ("今夜十一点", "2026-03-11 23:00"),
        ("找个周末去爬山", ""),
        ("某个周五", ""),
        ("周六的夜班表", "2026-03-14"),
        ("half eight in the evening tomorrow", "2026-03-12 20:30"),
        ("nine oh five tomorrow morning", "2026-03-12 09:05"),
        ("sixteen hundred hours tomorrow", "2026-03-12 16:00"),
        ("tomorrow 1430", "2026-03-12 14:30"),
        ("thursday eight p m", "2026-03-12 20:00"),
        ("2moro at 6 pm", "2026-03-12 18:00"),
        ("fri arvo 3", "2026-03-13 15:00"),
        ("on Sat at 9ish", "2026-03-14 09:00"),
        ("sat the 21st 11am", "2026-03-21 11:00"),
        ("thursday from two till four in the afternoon", "2026-03-12 14:00 2h"),
        ("from 11 to 1 pm on thursday", "2026-03-12 11:00 2h"),
        ("at ten to six tomorrow", "2026-03-12 17:50"),
        ("at 10 to six tomorrow", "2026-03-12 17:50"),
        ("eight thirty instead tomorrow", "2026-03-12 08:30"),
        ("half nine please, on friday", "2026-03-13 09:30"),
        ("half sevenish tomorrow", "2026-03-12 07:30"),
        ("tomorrow, noonish", "2026-03-12 12:00"),
        ("tomorrow at 15:00h", "2026-03-12 15:00"),
        ("10:30-11:30 h on friday", "2026-03-13 10:30 1h"),
        ("finish it by EOD", "2026-03-11"),
        ("finish it by EOD friday", "2026-03-13"),
        ("finish it by end of day tomorrow please", "2026-03-12"),
        ("friday at 20 to three", "2026-03-13 14:40"),
        ("tomorrow 20 mins to 3", "2026-03-12 14:40"),
        ("my shift on friday is 10 to 6", "2026-03-13"),
        ("my shift on friday is ten to six", "2026-03-13"),
        ("yoga twice a week on monday", "2026-03-16 168h"),
        ("the training is 1430-1530", "14:30 1h"),
        ("the war of 1914-1918", ""),
        ("a sofa for 1000-1200 euros", ""),
        ("a sofa for $1000-1200", ""),
        ("the rent is 1200-1400 a month", ""),
        ("rooms 1204-1210", ""),
        ("0900-1000 works for me", "09:00 1h"),
        ("once the rain is over", ""),
        ("both of us at the pub on friday", "2026-03-13"),
        ("first thing on friday", "2026-03-13"),
        ("transfer on Monday 2000 euros", "2026-03-16"),
        ("pick up the keys at 1530 Oak Street", ""),
        ("the machine ran 2000 hours", "2000h"),
        ("the card says 1900 hours", "19:00"),
        ("we need 1000 hours of training", "1000h"),
        ("he logged 1200 hours last year", "1200h"),
        ("pay invoice 0815 by friday", "2026-03-13"),
        ("20 March Park run at 9", "2026-03-20 09:00"),
        ("call Bo on thursday and pay Ann by the 26th", "2026-03-12 2026-03-26"),
        ("ring the plumber on 0121 496 0000", ""),
        ("0700 start on sunday", "2026-03-15 07:00"),
        ("saturday 0730 till 2000", "2026-03-14 07:30 12h30m"),
        ("her pin 0730 and the code 0815", ""),
        ("the Thursday after next, that is the 26th, at ten to four in the afternoon", "2026-03-26 15:50"),
        ("thursday or the 20th", "2026-03-12"),
        ("reckon hour and a half", "1h30m"),
        ("leak at 14 Tansy Close", ""),
        ("tomorrow at 14 in Tansy Close", "2026-03-12 14:00"),
        ("friday afternoon 1 to 4: cake", "2026-03-13 13:00"),
        ("he saw to it, but now it falls to me", ""),
        ("do it now", "2026-03-11"),
        ("from 80 to 20 percent", ""),
        ("明晚六点十人的桌子", "2026-03-12 18:00"),
        ("明晚六点十个人", "2026-03-12 18:00"),
        ("in two hours", "2026-03-11 11:00"),
        ("in a fortnight", "2026-03-25"),
        ("two weeks from now", "2026-03-25"),
        ("friday week", "2026-03-20"),
        ("a week on monday", "2026-03-23"),
        ("the 3rd of next month", "2026-04-03"),
        ("next month on the 31st", ""),
        ("end of next week", ""),
        ("礼拜五上午十点二十", "2026-03-13 10:20"),
        ("明天下午三点零五分", "2026-03-12 15:05"),
        ("三点一起吃饭，明天下午", "2026-03-12 15:00"),
        ("下周三上午九点到十一点", "2026-03-18 09:00 2h"),
        ("lunch next fri (the 20th), noon", "2026-03-20 12:00"),
        ("eye test tuesday 17 march 10.30", "2026-03-17 10:30"),
        ("thursday, march 12", "2026-03-12"),
        ("5 april (sunday) at noon", "2026-04-05 12:00"),
        ("the 13th and the 16th", "2026-03-13 2026-03-16"),
        ("the meeting on monday may move", "2026-03-16"),
        ("the inspector can only make 11", "11:00"),
        ("she could still do 9 on friday", "2026-03-13 09:00"),
        ("I can't make 10, she says", "10:00"),
    ],
)
def test_a_time_is_read_however_it_is_said(said: str, meant: str) -> None:
    assert " ".join(told_times(said, NOW)) == meant


@pytest.mark.parametrize(
    "said",
    [
        "a half eaten pie",
        "the next 40 pages",
        "ten to three people",
        "two thirty watt bulbs",
        "day to day",
        "3 of 4",
        "a sturdy box",
        "I can only do 2 at a time",
        "we can make 12 cakes",
    ],
)
def test_other_words_are_no_time(said: str) -> None:
    assert told_times(said, NOW) == []


@pytest.mark.parametrize(
    ("said", "follows"),
    [
        ("the mri the day after at the very same time", True),
        ("same time on friday", True),
        ("第二天同一时间", True),
        ("to half past four, same day", False),
        ("the day after tomorrow", False),
        ("next week on friday", False),
        ("后天下午", False),
    ],
)
def test_a_moment_may_be_told_by_another_one(said: str, follows: bool) -> None:
    assert follows_another(said) is follows


@pytest.mark.parametrize(
    "words",
    ["friday quarter to nine in the morning", "the 3rd of next month", "thursday from two till four in the afternoon"],
)
def test_a_command_may_have_the_users_words(words: str) -> None:
    when = parse_when(words, NOW)
    assert told_times(words, NOW)[0] == f"{when.moment:%Y-%m-%d %H:%M}".removesuffix(" 00:00")


@pytest.mark.parametrize(("said", "meant"), [("The one to the council", ""), ("the one on friday", "2026-03-13")])
def test_a_word_for_a_thing_is_no_day_of_the_month(said: str, meant: str) -> None:
    assert " ".join(told_times(said, NOW)) == meant


def test_the_hour_at_which_something_starts_may_be_of_both_halves_of_the_day() -> None:
    now = datetime(2026, 3, 11, 9)

    assert {one.hour for one in read_from("on friday, starting 7. get it in right", now).times} == {7, 19}
    assert not read_from("starting 2 courses on friday", now).times
