"""Which entry a correction means that names none: the one that was added or changed just before."""

import pytest
from support.commands import becomes

SETUP = (
    "/schedule add gym --at monday 7:00",
    "/schedule add gym --at friday 8:00",
    "/schedule add dinner --at saturday 19:30",
    "/todo add buy milk --due tomorrow",
    "/todo add water the plants",
)
DINNER = (
    "User: dinner on Saturday at 7:30\nAssistant: It is in.\n(What was done: /schedule add dinner --at saturday 19:30 "
    "→ Added appointment 3: dinner, Sat 2026-03-14 19:30-20:30.)"
)
MILK = (
    "User: milk by tomorrow\nAssistant: It is in.\n(What was done: /todo add buy milk --due tomorrow → "
    "Added todo 1: buy milk (due Thu 2026-03-12).)"
)
ASKED = "User: what's on today?\nAssistant: No appointments then."


@pytest.mark.parametrize(
    ("said", "call", "before", "becomes_this"),
    [
        ("actually make that 8 o'clock", "/schedule edit gym --at 8", DINNER, "/schedule edit 3 --at 20:00"),
        ("sorry, I meant 8", "/schedule edit 2 --at 8", DINNER, "/schedule edit 3 --at 20:00"),
        ("no wait, 8pm", "/schedule edit gym --at 8", DINNER, "/schedule edit 3 --at 20:00"),
        ("move it to sunday instead", "/schedule edit 1 --at sunday", DINNER, "/schedule edit 3 --at sunday"),
        ("move it to sunday instead", "/todo edit buy milk --due sunday", DINNER, "/schedule edit 3 --at sunday"),
        ("make it half past 8", "/todo edit 1 --due 20:30", DINNER, "/schedule edit 3 --at 20:30"),
        ("cancel that", "/schedule rm gym", DINNER, "/schedule rm 3"),
        ("make that friday", "/schedule edit gym --at friday", MILK, "/todo edit 1 --due friday"),
        ("make that friday", "edit 1 --due friday", MILK, "/todo edit 1 --due friday"),
        ("make that urgent", "/todo edit 2 --priority high", MILK, "/todo edit 1 --priority high"),
        ("改成周日晚上八点", "/schedule edit 1 --at 周日20:00", DINNER, "/schedule edit 3 --at 周日20:00"),
    ],
)
def test_a_correction_means_what_was_changed_last(said: str, call: str, before: str, becomes_this: str) -> None:
    call = call if call.startswith("/") else f"/todo {call}"
    assert becomes(said, call, *SETUP, before=before)[0] == becomes_this


@pytest.mark.parametrize(
    ("said", "call", "before"),
    [
        ("make the gym 8", "/schedule edit 1 --at 8:00", DINNER),
        ("the other one at 8 instead", "/schedule edit 1 --at 8:00", DINNER),
        ("move both to sunday", "/schedule edit 1 --at sunday", DINNER),
        ("cancel that", "/schedule rm 1", f"{DINNER}\n{ASKED}"),
        ("cancel that", "/schedule rm 1", ""),
        ("make that urgent", "/todo edit 1 --priority high", DINNER),
        ("add that to my list", "/todo add dinner", DINNER),
    ],
)
def test_no_other_request_is_taken_for_a_correction_of_it(said: str, call: str, before: str) -> None:
    assert becomes(said, call, *SETUP, before=before)[0] == call


def test_a_correction_of_several_changes_may_mean_any() -> None:
    before = (
        DINNER.removesuffix(")") + "; /schedule add gym --at friday 8:00 → Added appointment 2: gym, Fri 2026-03-13.)"
    )
    assert becomes("make that sunday", "/schedule edit 1 --at sunday", *SETUP, before=before)[0].startswith(
        "/schedule edit 1"
    )


def test_a_correction_of_what_is_gone_is_left_as_it_is() -> None:
    call = "/schedule edit 1 --at sunday"
    assert becomes("make that sunday", call, *SETUP, "/schedule rm 3", before=DINNER)[0] == call


@pytest.mark.parametrize(
    ("said", "call", "start"),
    [
        ("move dinner to 8 pm", "/schedule edit 3 --at 8", "/schedule edit 3 --at 20:00"),
        ("move dinner to 8 in the morning", "/schedule edit 3 --at 8", "/schedule edit 3 --at 08:00"),
    ],
)
def test_an_hour_alone_is_the_one_that_the_user_gave(said: str, call: str, start: str) -> None:
    assert becomes(said, call, *SETUP)[0] == start


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("also cancel what's at 7 on monday", "/schedule rm 1"),
        ("I can't make it on monday at 7, drop it", "/schedule rm 1"),
        ("I can't make it on monday at 7, move it to 11", "/schedule edit 1 --at monday 11:00"),
        ("the 8:00 on friday should be 9:00", "/schedule edit 2 --at friday 9:00"),
        ("取消周五的", "/schedule rm 2"),
    ],
)
def test_an_entry_that_is_named_by_its_day_is_meant(said: str, call: str) -> None:
    assert becomes(said, call, *SETUP, before=DINNER)[0] == call


def test_of_several_that_were_changed_at_once_none_is_the_latest() -> None:
    before = (
        "User: move both\nAssistant: Done.\n(What was done: /schedule edit 1, 2 --at monday → Changed appointment 1: "
        "gym, Mon 2026-03-16 07:00-08:00. Changed appointment 2: gym, Mon 2026-03-16 08:00-09:00.)"
    )
    assert becomes("undo that", "/schedule rm 3", *SETUP, before=before)[0] == "/schedule rm 3"
    call = "/schedule edit 3 --at tuesday"
    assert becomes("actually make it tuesday", call, *SETUP, before=before)[0] == call


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        ("会议改到下午四点", "/todo edit 准备会议材料 --due 下午四点", "/schedule edit 1 --at 下午四点"),
        ("the meeting is moved to 4pm", "/todo edit prepare the meeting --due 4pm", "/schedule edit 1 --at 4pm"),
        ("the review is moved to 4pm", "/todo edit prepare the meeting --due 4pm", None),
    ],
)
def test_what_was_just_put_in_may_be_called_a_meeting(said: str, command: str, made: str | None) -> None:
    chinese = "准备" in command
    todo = "/todo add 准备会议材料" if chinese else "/todo add prepare the meeting"
    name, moment = ("和王老师开会", "周五15:00") if chinese else ("Ms Wang", "friday 15:00")
    told = f"Added appointment 1: {name}, Fri 2026-03-13 15:00-16:00"
    before = f"(What was done: /schedule add {name} --at {moment} → {told})"
    got = becomes(said, command, todo, f"/schedule add {name} --at {moment}", before=before)[0]
    assert got.startswith(made or command.split(" --")[0]), got
