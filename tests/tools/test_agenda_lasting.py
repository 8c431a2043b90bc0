"""How long an appointment takes that is there, and when it ends, by the user's words."""

from __future__ import annotations

import pytest
from support.commands import becomes

CLASS = "/schedule add Dance class --at 2026-03-12 19:00-20:00"
VISIT = "/schedule add Visit Grandpa --at 2026-03-13 13:00-15:00"
QUIZ = "/schedule add Pub quiz --at 2026-03-13 20:00-22:00"
TALK = "/schedule add 讲座 --at 2026-03-13 14:30-16:00"
CHAT = "/schedule add Chat with HR --at 2026-03-13 11:00 --for 30m"
DINNER = "/schedule add dinner 晚餐 --at 2026-03-12 19:30 --for 2h"


@pytest.mark.parametrize("given", ["--at {start}-{end}", "--at {end}", "--for {lasts}", "--at {day} {end}"])
@pytest.mark.parametrize(
    ("setup", "said", "end", "lasts"),
    [
        (CLASS, "our dance class runs till 9 now, not 8", "21:00", "2h"),
        (CLASS, "the dance class now finishes at quarter to nine", "20:45", "1h45m"),
        (CLASS, "Dance class is ending at 9.15 from now on, usually it's 8", "21:15", "2h15m"),
        (VISIT, "I can stay until half past three at Grandpa's, not only till three", "15:30", "2h30m"),
        (VISIT, "Grandpa's visit has to end by 2", "14:00", "1h"),
        (VISIT, "I have to leave Grandpa at 2 so end it there", "14:00", "1h"),
        (QUIZ, "The pub quiz goes on till 11, so stretch that entry to 11", "23:00", "3h"),
        (TALK, "讲座开到四点半结束，不是四点", "16:30", "2h"),
    ],
)
def test_a_new_end_is_no_new_start(setup: str, said: str, end: str, lasts: str, given: str) -> None:
    day, start = setup.split(" --at ")[1][:10], setup.split(" --at ")[1][11:16]
    name = setup.removeprefix("/schedule add ").split(" --")[0]
    command = f"/schedule edit {name} {given.format(day=day, start=start, end=end, lasts=lasts)}"
    made, against = becomes(said, command, setup)
    assert made.endswith(f"--at {day} {start}-{end}")
    assert against is None


@pytest.mark.parametrize("given", ["20:00-21:00", "thursday 20:00-21:00", "20:00", "8pm-9pm"])
def test_an_end_that_is_denied_is_no_start(given: str) -> None:
    made, against = becomes("our dance class runs till 9 now, not 8", f"/schedule edit dance class --at {given}", CLASS)
    assert made.endswith("--at 2026-03-12 19:00-21:00")
    assert against is None


@pytest.mark.parametrize(
    ("setup", "said", "given", "right"),
    [
        (DINNER, "make the dinner half an hour longer", "--for 30m", "19:30-22:00"),
        (DINNER, "make the dinner half an hour longer", "--for 2h30m", "19:30-22:00"),
        (DINNER, "tack another 30 mins onto the dinner, we always run over", "--for 30m", "19:30-22:00"),
        (DINNER, "cut the dinner by half an hour", "--for 30m", "19:30-21:00"),
        (DINNER, "make the dinner an hour shorter", "--for 1h", "19:30-20:30"),
        (DINNER, "晚餐再延长半小时", "--for 30m", "19:30-22:00"),
        (DINNER, "晚餐缩短到四十五分钟了", "--for 45m", "19:30-20:15"),
        (DINNER, "I'd like the dinner shortened to 40 minutes", "--at 19:30-20:10", "19:30-20:10"),
        (DINNER, "cut the dinner down from two hours to one", "--for 1h", "19:30-20:30"),
        (DINNER, "the dinner's going to end half an hour earlier than planned", "--for 1h30m", "19:30-21:00"),
        (CHAT, "knock ten minutes off my chat with HR", "--for 10m", "11:00-11:20"),
        (CHAT, "Give me five more minutes with HR", "--for 35m", "11:00-11:35"),
        (CHAT, "double the length of my chat with HR", "--for 1h", "11:00-12:00"),
        (CHAT, "make the HR chat half as long", "--for 15m", "11:00-11:15"),
    ],
)
def test_a_length_that_is_added_or_taken_off_is_worked_out(setup: str, said: str, given: str, right: str) -> None:
    made, _ = becomes(said, f"/schedule edit 1 {given}", setup)
    assert made.endswith(right)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("move the dance class to 8", "/schedule edit 1 --at 20:00"),
        ("the dance class has to be pushed until 8", "/schedule edit 1 --at 20:00"),
        ("the dance class is an hour later", "/schedule edit 1 --at 20:00"),
        ("the dance class takes two hours, and add milk to my list", "/schedule edit 1 --for 2h"),
        ("it must be no longer than 90 minutes, the dance class", "/schedule edit 1 --for 90m"),
        ("does the dance class end at 9?", "/schedule edit 1 --at 21:00"),
        ("the dance class is at 8 till 9 now", "/schedule edit 1 --at 20:00-21:00"),
        ("I'm at work till 8, so the dance class is at 8", "/schedule edit 1 --at 20:00"),
        ("the shop shuts at 9, and rename the dance class to salsa", "/schedule edit 1 salsa"),
    ],
)
def test_no_other_change_becomes_an_end(said: str, command: str) -> None:
    made, _ = becomes(said, command, CLASS)
    assert "19:00-2" not in made or "takes two hours" in said


@pytest.mark.parametrize(
    ("said", "command", "meant"),
    [
        (
            "Wicks want ordering. And the craft fair is on the 28th, 10 till 4, in the Guildhall, so I'm out all day",
            "/todo add go to the craft fair --at the 28th 10:00-14:00",
            "/schedule add go to the craft fair --at 2026-03-28 10:00-16:00",
        ),
        ("flea market Saturday 9-1", "/todo add flea market --due saturday", "2026-03-14 09:00-13:00"),
        ("first aid course is thursday 9 to 5", "/todo add first aid course --due thursday", "2026-03-12 09:00-17:00"),
    ],
)
def test_what_goes_on_from_one_hour_to_another_is_an_appointment(said: str, command: str, meant: str) -> None:
    line, problem = becomes(said, command)
    assert line.startswith("/schedule add ") and meant in line
    assert problem is None


@pytest.mark.parametrize(
    ("said", "command"),
    [
        # A duty, for whenever one likes; the hours of a shop; and hours that may be of the morning or of the evening.
        ("clean the windows saturday 10 till 12", "/todo add clean the windows --due saturday"),
        ("bakery's open 9 till 1 saturday, buy rolls then", "/todo add buy rolls --due saturday"),
        ("choir's on friday 7 to 9", "/todo add choir --due friday"),
        ("rake leaves on saturday. The fair is 10 till 4", "/todo add rake leaves --due saturday"),
    ],
)
def test_hours_make_no_appointment_of_a_duty(said: str, command: str) -> None:
    assert becomes(said, command)[0].startswith("/todo add ")
