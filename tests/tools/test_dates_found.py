"""What is found of dates, times and lengths in running text: any text can be read."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st
from thoughtgraph.tools.dates.found import claims_in, read_from
from thoughtgraph.tools.dates.told import told_times

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


@given(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join))
def test_words_that_only_begin_like_a_length_are_none(words: str) -> None:
    claims, _ = claims_in(words, NOW)
    assert all(claim.meant for claim in claims if not hasattr(claim.meant, "hour"))
    assert read_from(words, NOW) is read_from(words, NOW)
    assert isinstance(told_times(words, NOW), list)


def test_a_day_and_something_else_is_a_day() -> None:
    assert told_times("it takes a day and a hammer", NOW) == ["24h"]
