"""Commands in which a small model puts the right words in the wrong place, and what becomes of them."""

from __future__ import annotations

import pytest
from support.commands import becomes

pytestmark = pytest.mark.slow

BLOOD = "/schedule add blood donation --at friday 12:00"


@pytest.mark.parametrize(
    ("said", "written", "right"),
    [
        (
            "dress fitting friday no wait SATURDAY 11:15 maison clothilde, diary!!",
            "saturday 11:15 Maison clothilde",
            "saturday 11:15 --place Maison clothilde",
        ),
        (
            "fitting sat 11am no sorry sunday 11am at the Bull and Bush",
            "sunday 11am the Bull and Bush",
            "sunday 11am --place the Bull and Bush",
        ),
        ("fitting tuesday 3pm, the Crown. bring shoes", "tuesday 3pm the Crown", "tuesday 3pm --place the Crown"),
        # None of these is a place, or none that the user gave.
        ("fitting tuesday 3pm bring the shoes", "tuesday 3pm bring the shoes", "2026-03-17 15:00"),
        ("fitting tuesday 3pm Eva", "tuesday 3pm Eva", "2026-03-17 15:00"),
        ("fitting tuesday 3pm", "tuesday 3pm Old Barn", "2026-03-17 15:00"),
        ("fitting tuesday 3pm before Tom Baker", "tuesday 3pm Tom Baker", "2026-03-17 15:00"),
        ("phone fitting tuesday 3pm Maison Clothilde", "tuesday 3pm Maison Clothilde", "2026-03-17 15:00"),
    ],
)
def test_a_name_behind_the_time_that_the_user_says_there_is_the_place(said: str, written: str, right: str) -> None:
    text = "phone fitting" if said.startswith("phone") else "fitting"
    made, lacking = becomes(said, f"/schedule add {text} --at {written}")
    assert (made, lacking) == (f"/schedule add {text} --at {right}", None)


@pytest.mark.parametrize(
    ("said", "length"),
    [
        ("I give blood on Friday at 12, they reckon three quarters of an hour with the biscuit after.", "45m"),
        ("blood donation on Friday at 12 in Quaker Barn, takes 45 minutes", "45m"),
        ("blood donation friday at 12, half an hour and a coffee after", "30m"),
        ("blood donation friday at 12, be there an hour before", ""),
        ("blood donation friday at 12, eat an hour or so before.", ""),
        ("blood donation friday at 12, no sport for two hours after", ""),
        ("blood donation friday at 12, I call them in an hour", ""),
        ("blood donation friday at 12, no food in the two hours before", ""),
        ("blood donation friday at 12, with a snack half an hour after.", ""),
    ],
)
def test_the_length_is_that_of_the_entry_unless_it_says_how_far_something_else_is_from_it(
    said: str, length: str
) -> None:
    made, lacking = becomes(said, BLOOD)
    assert made.split(" --place")[0] == BLOOD + (f" --for {length}" if length else "")
    assert lacking is None


@pytest.mark.parametrize(
    ("said", "written", "right"),
    [
        ("she knows now, caught her in the car park. tick it", "tick 'catched her in the car park'", "done"),
        ("tick off the leak thing, Odile knows", "tick off tell Odile about the leak", "done"),
        ("把给Odile说漏水划掉", "完成 tell Odile about the leak", "done"),
        # The word is that of an entry, or of a new text.
        ("check the boiler is now check the stove", "check the boiler --text check the stove", "edit"),
        ("check the boiler on friday, the leak's done", "check the boiler --due friday", "edit"),
        ("rename the boiler thing: check the stove", "check the stove", "edit"),
    ],
)
def test_an_edit_whose_text_begins_with_the_word_for_done_ticks_off(said: str, written: str, right: str) -> None:
    todos = "/todo add tell Odile about the leak", "/todo add check the boiler", "/todo add tell Bram about the gate"
    made, lacking = becomes(said, f"/todo edit {written}", *todos)
    assert made.split()[1] == right
    if "catched" in written:
        assert lacking is not None
        assert lacking.question.startswith("which todo do you mean?\n1: tell Odile about the leak\n")
        assert lacking.completed("odlie, srry") == "/todo done 1"
        assert becomes([said, "odlie, srry"], f"/todo edit {written}", *todos)[0] == "/todo done 1"


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        ("the jab is Monday 8.30, and Tuesday at 3 the groomer", "groomer --at monday 15:00", "2026-03-17 15:00"),
        ("the jab is Monday 8.30, and Tuesday at 3 the groomer", "jab --at tuesday 8:30", "2026-03-16 08:30"),
        (
            "the jab is Monday 8.30, and he's got the groomer Tuesday",
            "groomer --at 2026-03-16 15:00",
            "2026-03-17 15:00",
        ),
        # Its own day, or one that was told anew.
        ("the jab is Monday 8.30, and Tuesday at 3 the groomer", "jab --at monday 8:30", "monday 8:30"),
        ("groomer on Tuesday, no sorry Monday at 8.30", "groomer --at monday 8:30", "monday 8:30"),
        ("groomer on Tuesday at 3, not Monday at 8.30", "groomer --at 2026-03-17 15:00", "2026-03-17 15:00"),
    ],
)
def test_an_entry_is_on_the_day_of_its_own_clause(said: str, command: str, right: str) -> None:
    made, _ = becomes(said, f"/schedule add {command}")
    assert made.partition(" --at ")[2] == right


@pytest.mark.parametrize(
    ("said", "listed", "right"),
    [
        ("When am I at the potter's wheel next? I've a nasty feeling it clashes.", "this week", "/view"),
        ("what day is the pottery on?", "today", "/view"),
        ("when's my next dentist?", "friday", "/view"),
        ("我下次陶艺课是什么时候？", "本周", "/view"),
        ("when was I at the dentist?", "this week", "/view all"),
        # The user names the days, or asks about those that are near.
        ("when am I at the wheel this week?", "this week", "/view this week"),
        ("what's on when the kids are at school?", "this week", "/view this week"),
        ("what have I got on?", "today", "/view today"),
        ("anything on tonight?", "today", "/view today"),
    ],
)
def test_who_asks_when_something_is_sees_more_than_the_days_that_a_model_thinks_of(
    said: str, listed: str, right: str
) -> None:
    assert becomes(said, f"/schedule list {listed}") == (right, None)


def test_after_days_that_were_spoken_of_those_are_listed() -> None:
    before = "User: what's on on Friday?\nAssistant: Pottery, Fri 2026-03-13 18:30"
    assert becomes("when is the pottery?", "/schedule list friday", before=before) == ("/view friday", None)


@pytest.mark.parametrize(
    ("said", "command", "asked"),
    [
        (
            "settle a bet. who took first at the leek show this year?? my brother in law swears it was him",
            "/todo done settle a bet",
            "who took first at the leek show this year",
        ),
        ("settle this: what year did the show start?", "/todo rm settle this", "what year did the show start"),
        ("打个赌，今年大葱节谁拿了第一？", "/todo done 打个赌", "今年大葱节谁拿了第一"),
        # These are about the lists, or tell what has become of something.
        ("bet's settled. who'd have thought?", "/todo done settle a bet", ""),
        ("who's done the dishes? tick it", "/todo done the dishes", ""),
        ("the man is paid, who's next?", "/todo done pay the man", ""),
        ("which of my jobs is late?", "/todo done jobs", ""),
        ("the boiler man came, who was lovely", "/todo done see to the boiler", ""),
        ("the bills of a mayor who died, and yet it is catalogued, to the last", "/todo done catalogue box 4", ""),
        ("the leeks are thinned. who won the show?", "/todo done thin the leeks", ""),
    ],
)
def test_a_change_of_what_is_not_there_is_no_answer_to_a_question_about_the_world(
    said: str, command: str, asked: str
) -> None:
    _, lacking = becomes(said, command, "/todo add thin the leeks", "/todo add order wicks")
    hint = lacking.hint if lacking else ""
    assert bool(f"“{asked}”" in hint) is bool(asked)


@pytest.mark.parametrize(
    ("said", "command", "mend"),
    [
        (
            "楼里电梯又趴窝了，给我记一条，回头问问物业到底啥时候能修好",
            "交物业费 --priority high",
            "/todo add 回头问问物业到底啥时候能修好",
        ),
        (
            "the lift is broken. note: ask the management when it works",
            "pay the management fee --priority high",
            "/todo add ask the management when it works",
        ),
        (
            "ask the management about the lift, jot that down",
            "pay the management fee",
            "/todo add ask the management about the lift",
        ),
        ("物业费已经交了，记一下", "交物业费", ""),
        ("the management fee has gone up, note it", "pay the management fee", ""),
        ("the management fee is urgent, note that", "pay the management fee --priority high", ""),
        ("给我记一条：交物业费改到周五", "交物业费 --due 周五", ""),
    ],
)
def test_an_edit_without_a_change_gives_way_to_what_is_to_be_noted(said: str, command: str, mend: str) -> None:
    todos = ["/todo add 交物业费 --due 2026-03-20", "/todo add pay the management fee --due 2026-03-20"]
    _, lacking = becomes(said, f"/todo edit {command}", *todos)
    hint = lacking.hint if lacking else ""
    assert ("/todo add" in hint) is bool(mend)
    if mend:
        assert hint.endswith(mend)
        assert lacking is not None
        assert lacking.completed("yes") == mend


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        ("fitting friday no wait SATURDAY 11:15", "/schedule add fitting --at friday 11:15", "2026-03-14 11:15"),
        ("fitting on friday, sorry I mean saturday at 9", "/schedule add fitting --at friday 9:00", "2026-03-14 09:00"),
        ("send the form by friday no wait thursday", "/todo add send the form --due friday", "2026-03-12"),
        ("体检周五，不对，周六上午九点", "/schedule add 体检 --at 周五 9:00", "2026-03-14 09:00"),
        # No day is taken back.
        ("the gym is friday, not saturday, at 9", "/schedule add gym --at friday 9:00", "friday 9:00"),
        ("no friday, no saturday, only sunday at 9 for the gym", "/schedule add gym --at sunday 9:00", "sunday 9:00"),
        ("gym on friday at 9, sauna on saturday", "/schedule add gym --at friday 9:00", "friday 9:00"),
        ("体检是周五不是周六，九点", "/schedule add 体检 --at 周五 9:00", "周五 9:00"),
    ],
)
def test_a_day_that_is_taken_back_at_once_is_none(said: str, command: str, right: str) -> None:
    assert becomes(said, command)[0].endswith(f" {right}")


CLEANER = ("/todo add pay the window cleaner --due 2026-03-13", "/schedule add Quiz night --at 2026-03-12 20:00")


@pytest.mark.parametrize(
    "said",
    [
        "Two for the list: pay the brewery (Friday) and descale the glasswasher",
        "add pay the brewery to my list, due friday",
        "remind me to pay the brewery on Friday",
        "note: pay the brewery Friday",
        "pay the brewery by Friday please, on the list",
        "I need to pay the brewery on Friday, and the cleaner can wait",
    ],
)
def test_what_is_changed_and_not_there_is_added_where_the_user_orders_it(said: str) -> None:
    made = becomes(said, "/todo edit pay the brewery --due Friday", *CLEANER)[0]
    assert made == "/todo add pay the brewery --due Friday"


def test_an_appointment_that_is_moved_and_not_there_is_added_where_the_user_tells_its_moment() -> None:
    command = "/schedule edit Lachlan --at tonight 20:00"
    for said in ("Lachlan is coming tonight at 8, put him in", "tonight at 8 Lachlan fixes the lights. Enter that"):
        assert becomes(said, command, *CLEANER)[0] == "/schedule add Lachlan --at tonight 20:00", said


@pytest.mark.parametrize(
    "said",
    [
        "paying the brewery is due Friday now",
        "change the date of pay the brewery to Friday",
        "is pay the brewery due on Friday?",
        "pay the brewery is done since Friday",
        "the brewery is urgent",
    ],
)
def test_a_change_of_what_is_not_there_adds_nothing(said: str) -> None:
    made = becomes(said, "/todo edit pay the brewery --due Friday", *CLEANER)[0]
    assert not made.startswith("/todo add")


@pytest.mark.parametrize(
    ("named", "made"),
    [
        # What is done is in common, and the thing is another one.
        ("pay the brewery", "/todo done pay the brewery"),
        ("pay the window man", "/todo done 1"),
        ("pay cleaner", "/todo done pay cleaner"),
        ("window clean", "/todo done window clean"),
    ],
)
def test_a_name_that_has_only_the_verb_of_an_entry_means_another_one(named: str, made: str) -> None:
    assert becomes(f"so I did {named} yesterday", f"/todo done {named}", *CLEANER)[0] == made
