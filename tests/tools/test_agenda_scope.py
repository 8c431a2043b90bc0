"""A request of several wishes: a command is judged by its own part. Spans, and days that are not said for sure."""

from __future__ import annotations

import pytest
from support.commands import becomes

ROOF = ("/todo add ring the roofer", "/todo add order tiles")
YOGA = ("/schedule add Yoga --at 2026-03-12 18:00", "/schedule add Haircut --at 2026-03-13 10:00")


@pytest.mark.parametrize(
    ("said", "command", "right", "setup"),
    [
        # The calendar is for the other one.
        (
            "list flour for friday and the boiler check is on thursday at 11.20, calendar",
            "/todo add flour --due friday",
            "/todo add flour --due friday",
            (),
        ),
        # A date of the other wish.
        (
            "Call the bank at 10 tomorrow morning, and the gardener comes Friday at 3 in the afternoon",
            "/todo add call the bank --due friday 15:00",
            "2026-03-12 10:00",
            (),
        ),
        # Both parts are about it, or only one is told in parts.
        ("Massage, Saturday, half eleven", "/schedule add Massage --at saturday 11:30", "--at saturday 11:30", ()),
        (
            "the parade is on the 17th, two p.m., three hours",
            "/schedule add Parade --at 2026-03-17 14:00 --for 3h",
            "--for 3h",
            (),
        ),
        (
            "The viewing's at 11 on Monday, at Mill Lane. And scratch the yoga that morning",
            "/schedule add Viewing --at monday 11am --place Mill Lane",
            "--place Mill Lane",
            YOGA,
        ),
        ("周日爬山，七点集合，爬到中午十二点", "/schedule add 爬山 --at 周日7:00-12:00", "7:00-12:00", ()),
    ],
)
def test_a_command_is_put_right_by_its_own_part(said: str, command: str, right: str, setup: tuple[str, ...]) -> None:
    made, against = becomes(said, command, *setup)
    assert made.endswith(right)
    assert against is None


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("Rang the roofer. The tiles can go, we have enough", "/todo rm order tiles", ROOF),
        ("Rang the roofer. The tiles can go, we have enough", "/todo done ring the roofer", ROOF),
        ("I rang the roofer, also need to get the gutter seen to by the 20th", "/todo done 1", ROOF),
        ("cancel the haircut and yoga starts at 7pm now", "/schedule rm haircut", YOGA),
        ("cancel the haircut and yoga starts at 7pm now", "/schedule edit yoga --at 7pm", YOGA),
    ],
)
def test_what_is_said_of_another_entry_speaks_against_none(said: str, command: str, setup: tuple[str, ...]) -> None:
    assert becomes(said, command, *setup)[1] is None


def test_a_wish_that_is_met_says_nothing_of_the_next() -> None:
    said, command = "remind me to ring the roofer, and put the choir in for thursday 7 to 9pm", "/todo add choir"
    made, against = becomes(said, f"{command} --due thursday 7pm", ROOF[0], done=["Added todo 1: ring the roofer."])
    assert (made, against) == ("/schedule add choir --at 2026-03-12 19:00-21:00", None)


KIDS = "I need to call the bank, and pick up the kids from school at 3 on Tuesday"


@pytest.mark.parametrize(
    ("step", "command", "made"),
    [
        ("schedule 'pick up the kids' on Tuesday 15:00", "/todo edit call the bank --due 2026-03-17 15:00", "schedule"),
        ("schedule 'pick up the kids' on Tuesday 15:00", "/todo edit 1 --due tuesday 15:00", "schedule"),
        ("schedule 'pick up the kids' on Tuesday 15:00", "/todo add call the bank --due tuesday 15:00", "schedule"),
        ("add the todo 'pick up the kids' due Tuesday 15:00", "/todo add call the bank", "todo"),
    ],
)
def test_a_step_does_nothing_more_to_what_an_earlier_one_has_added(step: str, command: str, made: str) -> None:
    option = {"schedule": "at", "todo": "due"}[made]
    done = becomes(KIDS, command, "/todo add call the bank", step=step, done=["Added todo 1: call the bank."])
    assert done == (f"/{made} add pick up the kids --{option} Tuesday 15:00", None)


@pytest.mark.parametrize(
    ("step", "command"),
    [
        ("change the todo 'call the bank' to Tuesday", "/todo edit call the bank --due tuesday"),
        ("schedule 'pick up the kids' on Tuesday 15:00", "/schedule add pick up the kids --at tuesday 15:00"),
    ],
)
def test_a_step_that_is_about_it_does(step: str, command: str) -> None:
    done = becomes(KIDS, command, "/todo add call the bank", step=step, done=["Added todo 1: call the bank."])
    assert done[0] == command


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("paid the roofer and rang him, the tiles not yet", "/todo done order tiles", ROOF),
    ],
)
def test_what_is_said_of_the_entry_speaks_against_it(said: str, command: str, setup: tuple[str, ...]) -> None:
    assert becomes(said, command, *setup)[1] is not None


def test_what_is_said_of_the_entry_alone_says_what_becomes_of_it() -> None:
    said = "Rang the roofer. The tiles can go, we have enough"
    ended = becomes(said, "/todo rm ring the roofer", *ROOF)[0]
    assert ended.startswith("/todo done ")


@pytest.mark.parametrize(
    ("said", "at", "right"),
    [
        ("choir thurs 9-11", "thursday 9:00", "thursday 9:00-11:00"),
        ("choir thurs 9-11", "thursday 21:00", "21:00-23:00"),
        ("choir thurs 9-11", "thursday 11:00", "09:00-11:00"),
        ("choir on thursday, 1600-1715", "thursday 17:15", "16:00-17:15"),
        ("the choir meets on thursday between 1 and 3", "thursday 13:00", "13:00-15:00"),
        ("choir thursday 7:30-10", "thursday 19:30", "19:30-22:00"),
        ("choir tonight 2130-0730", "today 21:30", "21:30-07:30"),
        ("the gate is open 9-5, choir on thursday at 9", "thursday 9:00", "thursday 9:00"),
        ("choir thursday 8am to 10pm", "thursday 8:00", "8:00-22:00"),
        ("choir thursday 9am-5", "thursday 9:00", "9:00-17:00"),
        ("choir thursday 11pm-1am", "thursday 23:00", "23:00-01:00"),
        ("choir for 5-10 people on thursday at 5pm", "thursday 17:00", "thursday 17:00"),
        ("choir at 10 on 12-13 march", "2026-03-12 10:00", "2026-03-12 10:00"),
        ("choir on thursday at 9", "thursday 9:00", "thursday 9:00"),
    ],
)
def test_a_span_has_both_its_ends(said: str, at: str, right: str) -> None:
    assert becomes(said, f"/schedule add Choir --at {at}")[0].endswith(right)


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("the plumber comes either Tuesday or Wednesday at 2pm, calendar", "tuesday 14:00"),
        ("plumber this weekend at 11", "saturday 11:00"),
        ("plumber at 11 in the first week of April", "2026-04-01 11:00"),
        ("周六或者周日上午十点 plumber", "周六10:00"),
    ],
)
def test_an_open_day_is_asked_for(said: str, at: str) -> None:
    against = becomes(said, f"/schedule add Plumber --at {at}")[1]
    assert against is not None
    completed = against.completed("Sunday the 15th")
    assert completed is not None
    assert "2026-03-15" in completed


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("plumber this weekend, sunday at 11", "sunday 11:00"),
        ("plumber on Tuesday at 11 or a bit later", "tuesday 11:00"),
        ("the weekend plumber comes on Friday at 11", "friday 11:00"),
    ],
)
def test_a_day_that_is_named_is_not_asked_for(said: str, at: str) -> None:
    assert becomes(said, f"/schedule add Plumber --at {at}")[1] is None


@pytest.mark.parametrize("at", ["monday or tuesday 14:00", "tuesday or wednesday 14:00", "this weekend 14:00"])
def test_an_open_day_in_the_command_itself_is_asked_for(at: str) -> None:
    against = becomes("plumber monday or tuesday at 2pm, calendar", f"/schedule add Plumber --at {at}")[1]
    assert against is not None
    assert against.completed("tuesday") == "/schedule add Plumber --at 2026-03-17 14:00"


def test_an_open_hour_is_asked_for() -> None:
    yoga = "/schedule edit 1 --at 2026-03-12 15:00"
    assert becomes("Move yoga to some time in the afternoon", yoga, *YOGA)[1] is not None
    assert becomes("Move yoga to 3 in the afternoon", yoga, *YOGA)[1] is None


DINNER = ("/schedule add Yoga --at 2026-03-12 18:00", "/schedule add Dinner with Sunita --at 2026-03-12 19:30")


def test_the_day_that_a_question_is_about_moves_nothing() -> None:
    said = (
        "Bin the yoga tomorrow, push the dinner with Sunita back by one hour, and what was it that I had to do today?"
    )
    against = becomes(said, "/schedule edit Yoga --at tomorrow", *DINNER)[1]
    assert against is not None and "/schedule rm 1" in against.hint
    against = becomes(said, "/schedule edit Dinner with Sunita --at thursday 18:30", *DINNER)[1]
    assert against is not None and "--at 2026-03-12 20:30" in against.hint
    assert becomes(said, "/schedule rm Yoga", *DINNER)[1] is None


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("明天那节瑜伽课我去不了，删了吧。还有，周五得把论文摘要发给导师，加到清单里", "1"),
        ("cancel tomorrow's 瑜伽课. Also, on Friday I have to send the abstract to my tutor", "1"),
        # Which one is meant, only the user knows.
        ("cancel tomorrow's 瑜伽课. Also, the one next Thursday", "瑜伽课"),
        ("明天的瑜伽课不去了，取消吧。还有周四的也取消", "瑜伽课"),
        ("瑜伽课改到明天了，周五的取消", "瑜伽课"),
    ],
)
def test_the_day_of_another_wish_tells_no_entry(said: str, right: str) -> None:
    lessons = [f"/schedule add 瑜伽课 --at 2026-03-{day} 10:00" for day in (12, 19)]
    assert becomes(said, "/schedule rm 瑜伽课", *lessons)[0] == f"/schedule rm {right}"
