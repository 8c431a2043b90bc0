"""What a text states that its sources do not: by meaning for dates and times, in English and Chinese."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.tools import tool
from thoughtgraph.tools.calls.grounding import Sources, ungrounded
from thoughtgraph.tools.calls.hooks import grounded_texts
from thoughtgraph.tools.dates.found import read_from
from thoughtgraph.tools.dates.numbers import chinese_numbers, in_digits
from thoughtgraph.tools.metadata import check_metadata

NOW = datetime(2026, 3, 11, 9, 0)
"""A Wednesday."""
_PIECES = """\
Call Bob|at 18:30|on friday|tomorrow|2026-03-20 10:00-12:00|in 2 hours|500 euros|1,250.50|bob@example.org|half past six
for 30m|"the red one"|+49 151 2345678|3pm|next monday at noon|12/3|twenty|A4|#7|3 weeks|two dozen|the 3rd|v1.2.3|10-15
和王老师|明天下午3点|两盒|周五|16号|一个半小时|小林|https://x.example/a?b=1|Zoë's|, |. |--at|(|/"""
PIECES = st.sampled_from(_PIECES.replace("\n", "|").split("|"))


@given(st.lists(PIECES, max_size=6).map(" ".join) | st.text(max_size=60))
@example("in 2 hours 10-15")
def test_what_was_said_is_never_an_invention(text: str) -> None:
    assert ungrounded([text], Sources([text]), NOW) == []
    assert ungrounded([text.upper()], Sources([text.upper()]), NOW) == []


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared(text: str, said: str) -> None:
    found = ungrounded([text], Sources([], [said], [said]), NOW)
    assert all(found) and len(set(found)) == len(found)


@given(st.times().map(lambda one: one.replace(second=0, microsecond=0)), st.times())
def test_a_time_counts_as_given_exactly_if_it_was(one: time, other: time) -> None:
    said = f"{other:%H:%M} on 2026-05-05" if other.hour > 12 else f"{other:%I:%M %p}, 2026-05-05"
    found = ungrounded([f"x --at 2026-05-05 {one:%H:%M}"], Sources([said]), NOW)
    midnight = one in (time(0, 0), time(23, 59))
    assert found == ([] if midnight or f"{one:%H:%M}" == f"{other:%H:%M}" else [f"{one:%H:%M}"])


@given(st.dates(date(1971, 1, 1), date(2198, 12, 31)), st.dates(date(1971, 1, 1), date(2198, 12, 31)))
def test_a_date_counts_as_given_exactly_if_it_was(one: date, other: date) -> None:
    found = ungrounded([f"{one}"], Sources([f"It is on {other:%Y/%m/%d}"]), NOW)
    near = (one.month, one.day) == (other.month, other.day) and abs(one.year - NOW.year) <= 1
    assert found == ([] if one == other or near else [str(one)])


@given(st.integers(0, 99_999), st.integers(0, 99_999))
def test_a_number_counts_as_given_exactly_if_it_was(one: int, other: int) -> None:
    found = ungrounded([f"pay {one} euros"], Sources([f"it is €{other:,}, I think"]), NOW)
    parts = {str(other), *(part.lstrip("0") or "0" for part in f"{other:,}".split(",")), "2025", "2026", "2027"}
    assert found == ([] if str(one) in parts or one == other else [str(one)])


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("half past six", {"06:30", "18:30"}),
        ("tomorrow at three", {"03:00", "15:00"}),
        ("tomorrow night at 3", {"03:00", "15:00"}),
        ("half past six in the evening", {"18:30"}),
        ("quarter to nine", {"08:45", "20:45"}),
        ("twenty past seven", {"07:20", "19:20"}),
        ("seven thirty pm", {"19:30"}),
        ("18h30", {"18:30"}),
        ("6.30pm", {"18:30"}),
        ("around ten", {"10:00", "22:00"}),
        ("12 noon", {"12:00"}),
        ("at midday", {"12:00"}),
        ("on Friday 11", {"11:00", "23:00"}),
        ("3", {"03:00", "15:00"}),
        ("in two hours", {"11:00"}),
        ("晚上七点", {"19:00"}),
        ("下午三点半", {"15:30"}),
        ("七点", {"07:00", "19:00"}),
    ],
)
def test_a_time_of_day_in_words_has_every_meaning_that_it_may_have(said: str, times: set[str]) -> None:
    assert times <= {f"{one:%H:%M}" for one in read_from(said, NOW).times}
    far = {f"{hour:02}:17" for hour in range(24)}
    assert not far & {f"{one:%H:%M}" for one in read_from(said, NOW).times}


@pytest.mark.parametrize(
    ("said", "dates"),
    [
        ("tomorrow", {"2026-03-12"}),
        ("tmrw", {"2026-03-12"}),
        ("tomorrow at three", {"2026-03-12"}),
        ("at 3 on Friday", {"2026-03-13"}),
        ("next Friday", {"2026-03-13", "2026-03-20"}),
        ("on Sundays", {"2026-03-15"}),
        ("the 20th", {"2026-03-20", "2026-04-20"}),
        ("1/12", {"2026-01-12", "2026-12-01"}),
        ("at the weekend", {"2026-03-14", "2026-03-15"}),
        ("by the end of the month", {"2026-03-31"}),
        ("yesterday", {"2026-03-10"}),
        ("on Christmas Eve", {"2026-12-24"}),
        ("下周五", {"2026-03-20"}),
        ("16号", {"2026-03-16"}),
        ("后天", {"2026-03-13"}),
    ],
)
def test_a_day_in_words_has_every_meaning_that_it_may_have(said: str, dates: set[str]) -> None:
    assert dates <= {str(one) for one in read_from(said, NOW).dates}
    assert "2026-07-19" not in {str(one) for one in read_from(said, NOW).dates}


@pytest.mark.parametrize(
    ("said", "length"),
    [("an hour and a half", 90), ("half an hour", 30), ("a 90-minute talk", 90), ("two and a half hours", 150),
     ("3 quarters of an hour", 45), ("two weeks", 20_160), ("一个半小时", 90), ("半小时", 30)],
)  # fmt: skip
def test_a_length_in_words_is_read(said: str, length: int) -> None:
    assert timedelta(minutes=length) in read_from(said, NOW).lengths


@pytest.mark.parametrize(
    ("text", "said", "invented"),
    [
        ("Dentist --at friday 18:30", "dentist on Friday", ["18:30"]),
        ("Dentist --at friday 18:30", "dentist", ["2026-03-13", "18:30"]),
        ("Dentist --due today", "dentist at 8 am", ["2026-03-11"]),
        ("Talk --for 45m", "a talk", ["45m"]),
        ("Talk --at 10:00-12:00", "a talk at ten", ["12:00"]),
        ("call Bob about the car", "call about the car", ["Bob"]),
        ("Call Bob's sister", "call Ben's sister", ["Bob"]),
        ("pay 500 euros", "pay 50 euros", ["500"]),
        ("pay 30%", "pay it", ["30"]),
        ("rm 1,2,4", "1, 2 and 3", ["1,2,4"]),
        ("call 555-0199", "call 555-0198", ["555-0199"]),
        ("write to bob@example.com", "write to bob@example.org", ["bob@example.com"]),
        ("see https://x.example/b", "see https://x.example/a", ["https://x.example/b"]),
        ('write "best wishes"', "write a card", ["best wishes"]),
        ("和王老师开会", "和李老师开会", ["王老师"]),
        ("和小林开会", "开会", ["小林"]),
        ("买3盒鸡蛋", "买两盒鸡蛋", ["3"]),
        ("买三盒鸡蛋", "买两盒鸡蛋", ["三"]),
        ("体检 --at 明天 14:00", "明天晚上七点体检", ["14:00"]),
    ],
)
def test_what_nobody_said_is_named(text: str, said: str, invented: list[str]) -> None:
    assert ungrounded([text], Sources([said]), NOW) == invented


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Eye Doctor Appointment", "I see the eye doctor"),
        ("Renew the Passports", "my passport has to be renewed"),
        ("buy USB cables", "buy a usb cable"),
        ("meet Jose", "meet José"),
        ("12 eggs", "a dozen eggs"),
        ("rm 1,2,3", "1, 2 and 3"),
        ("Talk --at 10:00-11:00", "a talk at ten"),
        ("Teacher Wang", "和王老师开会"),
        ("A4 paper", "paper"),
        ("budget of 2026", "this year's budget"),
    ],
)
def test_what_a_request_implies_is_free(text: str, said: str) -> None:
    assert ungrounded([text], Sources([said]), NOW) == []


def test_a_tools_result_counts_and_a_failure_counts_but_for_its_dates() -> None:
    told = "There is no todo 9. Known: 3: pay Leo. Write for example tomorrow 15:00."
    assert ungrounded(["3 Pay Leo tomorrow 15:00"], Sources([], [told]), NOW) == []
    assert ungrounded(["3 Pay Leo tomorrow 15:00"], Sources([], [], [told]), NOW) == ["2026-03-12", "15:00"]


def test_a_time_of_day_in_a_result_names_no_day() -> None:
    sources = Sources(["move it"], ["1: Call, 15:00"])
    assert ungrounded(["1 --at today 15:00"], sources, NOW) == ["2026-03-11"]


@pytest.mark.parametrize(
    ("question", "answer", "invented"),
    [
        ("Friday or Saturday, at 18:30?", "friday", []),
        ("Is 18:30 on friday right?", "yes", []),
        ("Is 18:30 on friday right?", "no problem", []),
        ("Is 18:30 on friday right?", "decide yourself", []),
        ("Is 18:30 on friday right?", "no", ["2026-03-13", "18:30"]),
        ("Is 18:30 on friday right?", "at 19:00", ["18:30"]),
        ("周五 18:30 对吗？", "对", []),
        ("周五 18:30 对吗？", "没问题", []),
        ("周五 18:30 对吗？", "没错", []),
        ("周五 18:30 对吗？", "不错，就这样", []),
        ("周五 18:30 对吗？", "没有", ["2026-03-13", "18:30"]),
        ("Which one, 1: friday or 2: friday 18:30?", "No. 2", []),
        ("Is 18:30 on friday right?", "no. 19", ["2026-03-13", "18:30"]),
        ("Is 18:30 on friday right?", "wrong. 19", ["2026-03-13", "18:30"]),
        ("Is 18:30 on friday right?", "never. 2", ["2026-03-13", "18:30"]),
        ("周五 18:30 对吗？", "没有问题", []),
        ("周五 18:30 对吗？", "不对", ["2026-03-13", "18:30"]),
    ],
)
def test_a_question_counts_with_its_answer(question: str, answer: str, invented: list[str]) -> None:
    sources = Sources(["dentist"], answered=[(question, answer)])
    assert ungrounded(["dentist --at friday 18:30"], sources, NOW) == invented


def mail(to: str, subject: str, copies: int = 2, folder: str = "Sent") -> str:
    """Write a mail."""
    return to


@pytest.mark.parametrize(
    ("grounded", "texts"),
    [
        (None, []),
        (False, []),
        (True, ["Bob", "Hi", "3"]),
        (["to"], ["Bob"]),
        (lambda given: [given["subject"]], ["Hi"]),
    ],
    ids=["unset", "false", "true", "names", "function"],
)
def test_a_tool_says_which_arguments_are_held(grounded: Any, texts: list[str]) -> None:
    made = tool(mail)
    made.metadata = {"grounded": grounded}
    given = {"to": "Bob", "subject": "Hi", "copies": 3, "folder": "Sent"}
    assert grounded_texts(made, {"tool": "mail", "input": given}) == texts


def test_without_metadata_nothing_is_held() -> None:
    assert grounded_texts(tool(mail), {"tool": "mail", "input": {"to": "Bob", "subject": "Hi"}}) == []


@pytest.mark.parametrize(
    ("grounded", "message"), [(["from"], "'from'"), ("to", "a list of arguments"), (3, "give True")]
)
def test_a_wrong_declaration_is_refused(grounded: Any, message: str) -> None:
    made = tool(mail)
    made.metadata = {"grounded": grounded}
    with pytest.raises(ValueError, match=message):
        check_metadata(made)


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("twenty-five", "25"), ("two hundred and fifty", "250"), ("a dozen", "12"), ("two dozen", "24"),
        ("one thousand two hundred", "1200"), ("the third one", "the 3 1"), ("someone", "someone"),
        ("three million", "3000000"), ("ninety nine", "99"),
    ],
)  # fmt: skip
def test_english_number_words_become_digits(words: str, digits: str) -> None:
    assert in_digits(words) == digits


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("二十五", 25),
        ("十", 10),
        ("两百", 200),
        ("一千零五", 1005),
        ("三万", 30_000),
        ("二〇二六", 2026),
        ("一百二十万", 1_200_000),
    ],
)
def test_chinese_numerals_are_read(numeral: str, value: int) -> None:
    assert chinese_numbers(f"共{numeral}个") == [value]


@pytest.mark.parametrize("sign", ["1", "一", "十", "万", "hundred ", "万点"])
def test_a_number_without_end_is_no_error(sign: str) -> None:
    text = sign * 20_000
    assert ungrounded(["18:30"], Sources([text], [text]), NOW) == ["18:30"]


@pytest.mark.parametrize(
    ("said", "given", "unknown"),
    [
        ("make it half past", "14:30", []),
        ("make it quarter to", "13:45", []),
        ("quarter past, please", "14:15", []),
        ("make it half past four", "14:30", ["14:30"]),
        ("make it half past", "14:15", ["14:15"]),
        ("make it a bit later", "14:30", ["14:30"]),
    ],
)
def test_a_part_of_an_hour_is_of_one_that_was_shown(said: str, given: str, unknown: list[str]) -> None:
    shown = Sources([said], ["Added appointment 7: plumber, Tue 2026-03-17 14:00-15:00."])
    assert ungrounded([f"/schedule edit 7 --at {given}"], shown, datetime(2026, 3, 11, 9)) == unknown


def test_a_saint_and_a_street_may_be_written_for_short() -> None:
    said = "bell ringing at saint Osyths, then tea in Mill Street"
    assert ungrounded(["bell ringing", "St Osyths", "Mill St"], Sources([said]), NOW) == []
    assert ungrounded(["St Osyths"], Sources(["bell ringing at Osyths"]), NOW) == ["St"]
