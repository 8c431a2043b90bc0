"""Commands of a small model, and what becomes of them by the user's words."""

from __future__ import annotations

import pytest
from support.commands import NOW, becomes
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.agenda.checks.rules import missing_of
from thoughtgraph.tools.calls.required import meant_for
from thoughtgraph.tools.dates.told import moment_in, told_times
from thoughtgraph.tools.metadata import Told
from thoughtgraph.traces.shapes import Action

pytestmark = pytest.mark.slow

DENTIST = "/schedule add Dentist --at 2026-03-17 15:00 --for 30m"
QUILT = "/todo add finish the quilt --due 2026-03-20"


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        (
            "I'll walk straight past the chemist tomorrow. Get it on the list for then, will you",
            "/schedule add walk past the chemist --at tomorrow",
            "/todo add walk past the chemist --due 2026-03-12",
        ),
        (
            "remind me to call the tailor on friday",
            "/schedule add call the tailor --at friday",
            "/todo add call the tailor --due 2026-03-13",
        ),
        (
            "remind me to call the tailor on friday at 9",
            "/schedule add call the tailor --at friday 9:00",
            "/schedule add call the tailor --at friday 9:00",
        ),
        (
            "lunch with Bo on friday, and milk on the list",
            "/schedule add lunch with Bo --at friday",
            "/schedule add lunch with Bo --at friday",
        ),
        (
            "He saw to the boiler, but now it falls to me, and they say it wants servicing by the 25th of this month.",
            "/todo add keep the boiler --due june 25",
            "/todo add keep the boiler --due 2026-03-25",
        ),
        (
            "Lady say I must to bring her the birth certificate of my wife, latest is 31 of march. Please write it.",
            "/todo add bring the birth certificate of my wife --due 31 march --tag birth certificate --tag wife",
            "/todo add bring the birth certificate of my wife --due 31 march",
        ),
        (
            "fish man wants to haggle. told him in three quarters of an hour. 20 minutes is all he's getting",
            "/schedule add haggle with the fish man --at in 30 minutes",
            "/schedule add haggle with the fish man --at 2026-03-11 09:45 --for 20m",
        ),
        (
            "they want to sit down an hour sooner and they're staying till eleven at night",
            "/schedule edit 1 --at 2026-03-13 18:30-23:00",
            "/schedule edit 1 --at 2026-03-13 18:30-23:00",
        ),
        ("anything else to finish before the week is over?", "/schedule list next week", "/view the week"),
        ("what is on my list for friday?", "/todo list --due friday", "/todo list --due friday"),
        ("which meetings are there on friday?", "/schedule list friday", "/schedule list friday"),
    ],
)
def test_a_command_is_for_the_list_and_the_day_that_the_user_speaks_of(said: str, command: str, right: str) -> None:
    assert becomes(said, command)[0] == right


@pytest.mark.parametrize(
    ("answer", "at"),
    [
        ("We're on the 26th now, at ten past four in the afternoon", "2026-03-26 16:10"),
        ("It's on the 26th now, 4.10pm", "2026-03-26 16:10"),
        ("A quarter to five, so 16:45", "16:45"),
        ("Thursday or Friday", None),
        ("Yes, sorry! In the letter stands 11:20, before noon", "11:20"),
        ("改到26号下午四点十分", "2026-03-26 16:10"),
    ],
)
def test_an_answer_moves_to_the_day_and_the_time_that_it_gives(answer: str, at: str | None) -> None:
    _, found = becomes("The dentist had to reschedule us.", "/schedule edit 1 appointment 1 --at 15:30", DENTIST)
    assert found is not None
    moved = found.completed(answer)
    assert (None if moved is None else " ".join(str(moved).split())) == (at and f"/schedule edit 1 --at {at}")


@pytest.mark.parametrize(
    ("command", "itself"),
    [
        ("/schedule edit 1 appointment 1 --at friday 10:00", True),
        ("/schedule edit 1, the appointment 1 --at friday 10:00", True),
        ("/schedule edit 1 appointment 12 --at friday 10:00", False),
    ],
)
def test_an_entry_named_once_more_is_no_new_text(command: str, itself: bool) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(DENTIST)
        schedule_tool(agenda).invoke({"command": command})
        assert (agenda.appointments()[0].text == "Dentist") == itself


@pytest.mark.parametrize(
    ("said", "command", "asked"),
    [
        ("remind me of that would ya, else i forget", "/todo add that", True),
        ("one more for my list, you know the one", "/todo add you know the one", True),
        ("add the usual to my list", "/todo add the usual", True),
        ("add 'It' to my reading list", "/todo add It", False),
        ("add this month's report", "/todo add this month's report", False),
        ("put the laundry on my list", "/todo add the laundry", False),
        ("Dentist on Friday at 3. Put that on my list.", "/todo add that --due friday 15:00", False),
        (
            "remind me of that would ya, or else I forget",
            "/todo add remind me of that would ya, or else I forget",
            True,
        ),
        ("remind me of that bet, or else I forget", "/todo add that bet", False),
        ("One more for my list, love. You know the one.", "/todo add love", True),
        ("You know what I need? Milk! On my list, please", "/todo add milk", False),
        ("add 'call the plumber' to my list, you know the one who came", "/todo add call the plumber", False),
        ("I have to let you know which. Put 'return keys' on my list", "/todo add return keys", False),
        ("你知道的，我妈周五来，帮我记一下买花", "/todo add 买花", False),
    ],
)
def test_an_entry_that_only_points_is_asked_about(said: str, command: str, asked: bool) -> None:
    found = becomes(said, command)[1]
    assert (found is not None and found.question == "what should be on the todo list?") is asked
    assert not asked or found.completed("descale the kettle, I mean") == "/todo add descale the kettle"


@pytest.mark.parametrize(
    ("said", "command", "asked"),
    [
        ("the check belongs in the calendar all the same", "/schedule add check", "when is"),
        ("she told me when I was there. Put the check in my calendar", "/schedule add check", "when is"),
        (
            "put the check in my calendar, at the same time as the gym",
            "/schedule add check --at the same time as the gym",
            "when is",
        ),
        ("put the check in my calendar, at the same time as the gym", "/schedule add check --at friday 18:00", ""),
        ("the briefing is 1415-1500, do diary it", "/schedule add briefing", "on which day is “briefing” at 14:15"),
        ("the briefing is 1415-1500 on friday, do diary it", "/schedule add briefing", ""),
        ("the choir meets in the evening, once the hall is free", "/schedule add choir --at evening", "when is"),
        ("after work one of these days I see the roofer", "/schedule add roofer", "when is"),
        ("after work on Friday I see the roofer", "/schedule add roofer --at friday 18:00", ""),
        ("bowls at two in the afternoon, mark it in my calendar", "/schedule add bowls --at 14:00", "on which day"),
        ("bowls at two this afternoon, mark it in my calendar", "/schedule add bowls --at 14:00", ""),
        ("practice is 5pm, whenever his parents are away", "/schedule add practice --at 17:00", "on which day"),
        ("the escape room has to move, gran is visiting", "/schedule edit 1 --place gran's visiting", "to when"),
        ("move the escape room to the old mill", "/schedule edit 1 --place the old mill", ""),
        ("gran comes when we have the escape room, so it has to move", "/schedule edit 1 --at 19:00", "to when"),
        ("friday's escape room is off, find another time for it", "/schedule edit 1 --at friday 10:00", "to when"),
        ("move friday's escape room to seven in the evening", "/schedule edit 1 --at 19:00", ""),
        ("the escape room can begin when gran has left at seven", "/schedule edit 1 --at 19:00", ""),
    ],
)
def test_a_day_or_a_time_that_nobody_gave_is_asked_for(said: str, command: str, asked: str) -> None:
    found = becomes(said, command, "/schedule add escape room --at friday 18:00")[1]
    assert (found is not None and asked in found.question) if asked else found is None


@pytest.mark.parametrize(
    ("said", "command", "asked"),
    [
        ("Bowls at two in the afternoon. Mark it in my calendar!", "/schedule add bowls --at 2026-03-13 14:00", True),
        ("Bowls at two in the afternoon. Put it down!", "/schedule add bowls --at 2026-03-13 14:00", True),
        ("bowls at two in the afternoon, then", "/schedule add bowls --at 2026-03-13 14:00", False),
        ("Lunch is at two in the afternoon. Put it down!", "/schedule add lunch --at 2026-03-13 14:00", False),
        ("Bowls at two on Saturday. Mark it in my calendar!", "/schedule add bowls --at saturday 14:00", False),
        ("Bowls that day, at two. Mark it in my calendar!", "/schedule add bowls --at 2026-03-13 14:00", False),
    ],
)
def test_the_day_of_what_was_said_before_is_none_of_another_entry(said: str, command: str, asked: bool) -> None:
    before = "User: Lunch on Friday at noon\nAssistant: Added appointment 1: Lunch, Fri 2026-03-13 12:00-13:00."
    found = becomes(said, command, "/schedule add lunch --at 2026-03-13 12:00", before=before)[1]
    assert (found is not None and "on which day is “bowls”" in found.question) is asked


@pytest.mark.parametrize(
    ("answer", "is_held"),
    [
        ("I have told you all there is, please go by that.", True),
        ("no idea", True),
        ("yes, move it", False),
        ("it is at 9:15 now", False),
        ("add it for Saturday", False),
    ],
)
def test_a_question_stays_one_after_an_answer_that_asks_for_nothing(answer: str, is_held: bool) -> None:
    said = ["Was it 9:15 or 9:50, the ultrasound?", answer]
    found = becomes(said, "/schedule edit 1 --at 9:15", "/schedule add ultrasound --at 2026-03-18 09:50")[1]
    assert (found is not None and "only asks a question" in found.hint) is is_held
    assert found is None or not is_held or found.stands


def test_a_question_behind_other_words_is_one() -> None:
    said = "Be honest with me: is there anything I've let slide?"
    found = becomes(said, "/todo add what should be")[1]
    assert found is not None and "only asks a question" in found.hint


def test_by_then_is_the_day_that_was_said_before() -> None:
    before = "User: Lunch on Friday at noon\nAssistant: Added appointment 1: Lunch, Fri 2026-03-13 12:00-13:00."
    command = "/todo add finish the budget --due 2026-03-13"
    assert becomes("Finish the budget by then. Put it on my list.", command, before=before)[0] == command


@pytest.mark.parametrize(
    ("said", "command", "becoming"),
    [
        (
            "lunch with the dean this Friday at noon, enter it",
            "/todo add lunch with the dean --at noon",
            "/schedule add",
        ),
        (
            "Ivy's settling-in visit is on Tuesday, enter it",
            "/todo add Ivy's settling-in visit --due tuesday",
            "/schedule",
        ),
        ("remind me about lunch with Ann on Friday", "/todo add lunch with Ann --due friday", "/todo add"),
        ("a wedding gift by Friday", "/todo add wedding gift --due friday", "/todo add"),
        ("book lunch with Ann on Friday", "/todo add book lunch with Ann --due friday", "/todo add"),
    ],
)
def test_an_occasion_on_a_day_is_an_appointment(said: str, command: str, becoming: str) -> None:
    assert becomes(said, command)[0].startswith(becoming)


@pytest.mark.parametrize(
    ("answer", "done"),
    [("我妈的那份", "2"), ("妈的", "2"), ("爸的", "1"), ("对", "2"), ("不是", ""), ("那份", ""), ("什么妈的药？", "")],
)
def test_one_character_may_tell_two_entries_apart(answer: str, done: str) -> None:
    found = becomes("药拿回来了，这条可以消掉", "/todo done 2", "/todo add 给爸拿药", "/todo add 给妈拿药")[1]
    assert found is not None and "给妈拿药" in found.question
    assert found.completed(answer) == (f"/todo done {done}" if done else None)


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        ("跟几个老战友周六十点出海钓鱼", "/schedule add 跟几个老战友出海钓鱼 --at 2026-03-14 10:00", "/schedule add"),
        # A question about a day is answered by what there is on it.
        ("我周六有几个日程？", "/schedule add 日程 --at 2026-03-14 10:00", "/schedule list 2026-03-14"),
    ],
)
def test_a_few_are_no_question(said: str, command: str, made: str) -> None:
    becoming, missing = becomes(said, command)
    assert becoming.startswith(made)
    assert missing is None


@pytest.mark.parametrize(
    ("said", "command", "copied"),
    [
        ("half an hour at noon today: I promised to ring my granddaughter", "/todo add ring the vet", True),
        ("water my plants", "/todo add water the ferns", True),
        ("water my ferns", "/todo add water the ferns", False),
        ("give the plumber a ring", "/todo add call the plumber", False),
        ("花要浇水", "/todo add 浇花", False),
    ],
)
def test_an_entry_of_the_examples_with_a_thing_that_nobody_spoke_of_is_asked_about(
    said: str, command: str, copied: bool
) -> None:
    found = becomes(said, command)[1]
    # With a length and a time, it is an appointment.
    questions = ("what should be on the todo list?", "what is the appointment?")
    assert (found is not None and found.question in questions) == copied


def test_who_lifts_a_deadline_removes_nothing() -> None:
    _, found = becomes("no deadline on the quilt any more, whenever it's finished is fine", "/todo rm 1", QUILT)
    assert found is not None
    assert "/todo edit 1 --due none" in found.hint
    assert becomes("the quilt is finished!", "/todo rm 1", QUILT) == ("/todo done 1", None)
    assert becomes("drop the quilt", "/todo rm 1", QUILT)[1] is None


SHIFTS = ["/schedule add Late shift --at 2026-03-15 13:00", "/schedule add Late shift --at 2026-03-17 13:00"]


@pytest.mark.parametrize(
    ("said", "command", "setup", "hint"),
    [
        (
            "my refresher module has to be finished. can it live on the list",
            "/todo rm my refresher module",
            ["/todo add wash the uniforms"],
            "/todo add my refresher module",
        ),
        ("cancel my refresher module", "/todo rm my refresher module", ["/todo add wash the uniforms"], None),
        (
            "his shower tray can wait, he's off to Spain. low as you like",
            "/todo done fit the shower tray",
            ["/todo add fit the shower tray --priority high"],
            "/todo edit 1 --priority low",
        ),
        ("the shower tray is done, that was urgent", "/todo done 1", ["/todo add fit the shower tray"], ""),
        ("low-fat milk is in the fridge", "/todo done 1", ["/todo add buy low-fat milk"], ""),
        (
            "they brought the deadline for my manuscript review forward by two days",
            "/todo edit 1 review the manuscript, Fri 2026-03-22",
            ["/todo add review the manuscript --due 2026-03-20"],
            "/todo edit 1 --due 2026-03-18",
        ),
        (
            "tomorrow's client report moves to the hall upstairs",
            "/schedule rm 1",
            ["/schedule add client report --at tomorrow 15:00"],
            "/schedule edit 1",
        ),
        (
            "bin the yoga, push the dinner back by an hour",
            "/schedule rm 1",
            ["/schedule add Yoga --at tomorrow 18:00", "/schedule add Dinner --at tomorrow 19:30"],
            "",
        ),
        (
            "my sunday late becomes an early: 0700 start",
            "/schedule edit 1 Early shift --at 2026-03-15 07:00",
            SHIFTS,
            "",
        ),
        (
            "my sunday late becomes an early: 0700 start",
            "/schedule edit 1 Early --at 2026-03-15 07:00",
            SHIFTS,
            "/schedule edit 1 Early shift --at 2026-03-15 07:00",
        ),
        ("my late becomes an early: 0700 start", "/schedule edit 1 Early shift --at 2026-03-15 07:00", SHIFTS, None),
    ],
)
def test_what_a_command_does_is_held_against_the_words(
    said: str, command: str, setup: list[str], hint: str | None
) -> None:
    found = becomes(said, command, *setup)[1]
    if hint == "":
        assert found is None
    else:
        assert found is not None
        assert found.hint.endswith(hint) or hint in found.hint if hint else found.question


def test_what_comes_first_in_an_answer_is_the_answer() -> None:
    rehearsals = [
        "/schedule add Rehearsal with the men --at 2026-03-17 19:00",
        "/schedule add Rehearsal with the ladies --at 2026-03-19 19:00",
    ]
    found = becomes("we need 90 minutes for that rehearsal", "/schedule edit 1 --for 90m", *rehearsals)[1]
    assert found is not None
    assert found.completed("The men's. The ladies know theirs by heart") == "/schedule edit 1 --for 90m"
    assert found.completed("The gentlemen's. The ladies know theirs by heart") is None


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("from my to-do list delete the groceries", "/todo rm groceries", ["/todo add buy milk"]),
        ("take swimming out of my calendar", "/schedule rm swimming", ["/schedule add pool --at tomorrow 9:00"]),
        ("tick off the urgent one: call the bank", "/todo done 1", ["/todo add call the bank"]),
    ],
)
def test_a_removal_adds_nothing_and_what_was_urgent_may_be_done(said: str, command: str, setup: list[str]) -> None:
    found = becomes(said, command, *setup)[1]
    assert found is None or (" add " not in found.hint and "--priority" not in found.hint)


def test_a_list_is_no_name_of_a_tool() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(DENTIST)
        agenda.run(QUILT)
        assert "Dentist" in schedule_tool(agenda).invoke({"command": "list all"})
        assert "quilt" in todo_tool(agenda).invoke({"command": "list --due 2026-03-20"})
        told = Told(["what appointments are there?"], "", (), NOW)
        tools = {"schedule": schedule_tool(agenda), "todo": todo_tool(agenda)}
        assert meant_for(tools, Action(tool="schedule", input="list all"), told)["tool"] == "schedule"


def test_a_command_may_begin_with_what_the_user_calls_the_tool() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        assert "leak" in schedule_tool(agenda).invoke({"command": "/diary add leak --at 2026-03-12 13:00"})
        told = Told(["diary it: the leak, one o'clock"], "", (), NOW)
        tools = {"schedule": schedule_tool(agenda), "todo": todo_tool(agenda)}
        action = meant_for(tools, Action(tool="todo", input="/diary add leak --at 2026-03-12 13:00"), told)
        assert action["tool"] == "schedule"


def test_an_early_hour_of_an_answer_is_not_moved_to_the_evening() -> None:
    found = becomes("The dentist had to reschedule us.", "/schedule edit 1 --at 15:30", DENTIST)[1]
    assert found is not None
    assert str(found.completed("it starts at 06:15 sharp, they say")).endswith("06:15")


def test_a_number_in_the_text_of_an_entry_is_no_id() -> None:
    setup = ("/todo add call the bank", "/todo add wash the car", "/todo add buy 2 apples")
    assert becomes("the apples are bought", "/todo rm buy 2 apples", *setup) == ("/todo done 3", None)


def test_what_is_done_already_is_not_asked_about() -> None:
    setup = ("/todo add buy pens", "/todo add hand in the form", "/todo done 2")
    said = "so i walked in with the form and she took it"
    assert becomes(said, "/todo done hand in the form", *setup) == ("/todo done hand in the form", None)


AT_ONE, THERE = "2026-03-11 13:00", "--place 14 Tansy Close"
LEAK = "leak at 14 Tansy Close. said I'd be there 1 o'clock today, reckon hour and a half. diary it"
BOOSTER = "they're finally giving me my booster, the 25th. into the diary with it before they change their minds"


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        (
            LEAK,
            "/schedule add leak --at today --for 1h30m",
            "/schedule add leak --for 1h30m --at 2026-03-11 13:00 --place 14 Tansy Close",
        ),
        (LEAK, "/schedule add leak", f"/schedule add leak --at {AT_ONE} --for 1h30m {THERE}"),
        (
            LEAK,
            "/schedule add leak --at 14 Tansy Close",
            "/schedule add leak --place 14 Tansy Close --at 2026-03-11 13:00 --for 1h30m",
        ),
        (BOOSTER, "/schedule add booster to the diary before 25th", "/schedule add booster --at 2026-03-25"),
        (
            "dinner with Bo at 7 tomorrow",
            "/schedule add dinner with Bo",
            "/schedule add dinner with Bo --at 2026-03-12 19:00",
        ),
        ("Bo comes at 7 tomorrow", "/schedule add Bo", "/schedule add Bo --at 2026-03-12 07:00"),
        ("lunch friday at 12, dentist monday at 9", "/schedule add lunch", "/schedule add lunch --at 2026-03-13 12:00"),
        ("gym at 7am and dinner at 7pm tomorrow", "/schedule add gym --at tomorrow", ""),
        ("I finish work at 5. Book the dentist tomorrow", "/schedule add dentist --at tomorrow", ""),
        ("the bill is due friday at 5pm. put lunch with Bo in my calendar", "/schedule add lunch with Bo", ""),
        ("remind me at 5pm about dinner with Bo tomorrow", "/schedule add dinner with Bo", ""),
        ("2026 budget meeting tomorrow", "/schedule add 2026 budget meeting --at tomorrow", ""),
        ("2000 pounds due to Bo, meet him tomorrow", "/schedule add meet Bo --at tomorrow", ""),
        ("log 1500 hours of flying", "/schedule add flying", "/schedule add flying --for 1500h"),
        ("gym tomorrow", "/schedule add gym --at tomorrow", "/schedule add gym --at tomorrow"),
    ],
)
def test_an_appointment_gets_the_one_moment_that_was_named(said: str, command: str, right: str) -> None:
    assert becomes(said, command)[0] == (right or command)


def test_haste_is_no_time() -> None:
    _, gap = becomes(BOOSTER, "/schedule add booster to the diary before 25th")
    assert gap is not None
    assert "at what time" in gap.question
    assert gap.completed("1340, straight after my early") == "/schedule add booster --at 2026-03-25 13:40"
    assert becomes("gym on friday, before I see Bo", "/schedule add gym --at friday")[1] is None
    assert becomes("gym on friday before it gets dark", "/schedule add gym --at friday")[1] is None


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        (
            "oven man only comes at 2 so i'll start at 2. still have to be finished at 4 tho",
            "/schedule edit 1 --at 14:00",
            "/schedule edit 1 --at 14:00-16:00",
        ),
        (
            "gym tomorrow 6pm till 8",
            "/schedule add gym --at tomorrow 18:00",
            "/schedule add gym --at tomorrow 18:00-20:00",
        ),
        (
            "the meeting is over at 5 tomorrow, starts at 3",
            "/schedule add meeting --at tomorrow 15:00 --for 1h",
            "/schedule add meeting --at tomorrow 15:00-17:00",
        ),
        (
            "the shop is open till 8, haircut there at 5pm tomorrow",
            "/schedule add haircut --at tomorrow 17:00",
            "/schedule add haircut --at tomorrow 17:00",
        ),
    ],
)
def test_an_appointment_ends_when_the_user_says(said: str, command: str, right: str) -> None:
    assert becomes(said, command, "/schedule add Cake --at 2026-03-13 13:00-16:00")[0] == right


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("I'm at work 9 till 5 tomorrow, dentist at 3pm", "/schedule add dentist --at tomorrow 15:00"),
        ("the shop is open 9 till 8 tomorrow, haircut there at 5pm", "/schedule add haircut --at tomorrow 17:00"),
        (
            "school ends at 3:30 tomorrow. dentist at 2pm for half an hour",
            "/schedule add dentist --at tomorrow 14:00 --for 30m",
        ),
        ("lunch at 12 tomorrow for an hour; my train runs until 2", "/schedule add lunch --at tomorrow 12:00 --for 1h"),
        ("move the cake to friday. my shift ends at 6", "/schedule edit 1 --at friday 15:00"),
    ],
)
def test_what_else_ends_does_not_end_an_appointment(said: str, command: str) -> None:
    assert becomes(said, command, "/schedule add Cake --at 2026-03-13 13:00-16:00")[0] == command


@pytest.mark.parametrize(
    ("answer", "at"),
    [
        ("1340", "13:40"),
        ("at 1340.", "13:40"),
        ("1340, straight after my early", "13:40"),
        ("2026, march 14", "2026-03-14"),
        ("2026 march 14 at 3pm", "2026-03-14 15:00"),
        ("2000 words at 3pm", "15:00"),
    ],
)
def test_four_digits_alone_are_a_time(answer: str, at: str) -> None:
    when = moment_in(answer, None, NOW)
    assert when is not None
    shown = [f"{when.moment:%Y-%m-%d}"] * when.has_date + [f"{when.moment:%H:%M}"] * when.has_time
    assert " ".join(shown) == at


STAYS = "napkins turned up so that chase is done. linen still hasnt, leave that one be"


@pytest.mark.parametrize(
    ("said", "command", "held"),
    [
        (STAYS, "/todo done chase the linen", True),
        (STAYS, "/todo done chase the napkins", False),
        ("cancel the gym, the yoga stays", "/schedule rm yoga", True),
        ("cancel the gym, the yoga stays", "/schedule rm gym", False),
        ("cancel the gym", "/schedule rm gym", False),
        ("the plumber still hasn't come, but the yoga is off", "/schedule rm yoga", False),
        ("cancel the gym. I can't keep the yoga either", "/schedule rm yoga", False),
        ("drop the gym, the yoga is not on", "/schedule rm yoga", False),
        ("napkins are chased. the linen isn't an issue any more", "/todo done chase the linen", False),
    ],
)
def test_what_the_user_leaves_as_it_is_stays(said: str, command: str, held: bool) -> None:
    setup = ("/todo add chase the linen", "/todo add chase the napkins")
    setup += ("/schedule add gym --at tomorrow 18:00", "/schedule add yoga --at friday 18:00")
    _, gap = becomes(said, command, *setup)
    assert (gap is not None and gap.stands and "Leave it" in gap.hint) == held


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("be there tomorrow 1500 hours", ["2026-03-12 15:00"]),
        ("at 1500 hours in the hall", ["15:00"]),
        ("1500 hours to 1700 hours tomorrow", ["2026-03-12 15:00", "2h"]),
        ("it ran for 1500 hours", ["1500h"]),
        ("1000 hours of work", ["1000h"]),
        ("the battery lasts 1000 hours", ["1000h"]),
    ],
)
def test_four_digits_and_hours_are_a_time(said: str, times: list[str]) -> None:
    assert told_times(said, NOW) == times


@pytest.mark.parametrize(
    ("said", "at", "right"),
    [
        ("I said I'd be at the leak 1 o'clock tomorrow", "tomorrow 1:00", "tomorrow 13:00"),
        ("leak at 3 tomorrow", "tomorrow 3:00", "tomorrow 15:00"),
        ("the leak is at 1am tomorrow", "tomorrow 1:00", "tomorrow 1:00"),
        ("look after the leak at 1 in the night tomorrow", "tomorrow 1:00", "tomorrow 1:00"),
        ("leak at 04:30 tomorrow", "tomorrow 04:30", "tomorrow 04:30"),
        ("leak at 6 tomorrow", "tomorrow 6:00", "tomorrow 18:00"),
    ],
)
def test_an_early_hour_that_may_be_of_the_day_is_of_the_day(said: str, at: str, right: str) -> None:
    assert becomes(said, f"/schedule add leak --at {at}")[0] == f"/schedule add leak --at {right}"


DENTIST_AT_ONE = "said I'd be there 1 o'clock tomorrow at the dentist, reckon two hours. diary it"


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        (
            DENTIST_AT_ONE,
            "/schedule add diary it --at tomorrow 13:00 --for 2h",
            "/schedule add dentist --at tomorrow 13:00 --for 2h",
        ),
        (
            "The vet can see Rex at 10:30 on Monday, so book it",
            "/schedule add book it --at monday 10:30",
            "/schedule add vet can see Rex --at monday 10:30",
        ),
        ("We're out of milk. Put that on the list", "/todo add put that on the list", "/todo add milk"),
        (
            "Lunch with Bo friday noon - note it down",
            "/schedule add it --at friday 12:00",
            "/schedule add Lunch with Bo --at friday 12:00",
        ),
        (
            "Meeting in Room 4 tomorrow 10am, log it",
            "/schedule add log it --at tomorrow 10:00",
            "/schedule add Meeting in Room 4 --at tomorrow 10:00",
        ),
        ("Pay £40 to Bo, add it to my list", "/todo add it", "/todo add Pay £40 to Bo"),
        ('Add "It" to my reading list', '/todo add "It"', "as it was"),
        ("Add It by Stephen King to my list", "/todo add It", "as it was"),
        ("Tom lands at 3pm tomorrow, remind me to get him", "/todo add get him", "as it was"),
        ("remind me to ring her tomorrow", "/todo add ring her --due 2026-03-12", "as it was"),
        ("Book the plumber, and pick it up tomorrow", "/todo add pick it up --due 2026-03-12", "as it was"),
    ],
)
def test_what_an_entry_only_points_back_at_is_its_text(said: str, command: str, right: str) -> None:
    made, gap = becomes(said, command)
    assert (made, gap) == (command if right == "as it was" else right, None)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("please note it for friday noon", "/todo add note it"),
        ("please note it for friday noon", "/schedule add diary that --at friday 12:00"),
        ("I am not going to the gym tomorrow, note it", "/todo add note it"),
    ],
)
def test_what_points_back_at_nothing_is_asked_about(said: str, command: str) -> None:
    made, gap = becomes(said, command)
    assert gap is not None and gap.stands
    assert made == command


BLS = (
    "just off nights so brain = soup. my BLS module has to be finished before the 18th is out. can it live on the list"
)


@pytest.mark.parametrize(
    ("said", "command", "unwanted"),
    [
        (BLS, "/todo rm night shift", True),
        ("cancel the dry cleaning", "/todo rm dry cleaning", False),
        ("take the dry cleaning off my list", "/todo rm dry cleaning", False),
        ("the dry cleaning is off", "/todo rm dry cleaning", False),
        (BLS, "/todo rm wash the uniforms", False),
    ],
)
def test_a_removal_that_nobody_speaks_of_goes_back_to_the_model(said: str, command: str, unwanted: bool) -> None:
    _, gap = becomes(said, command, "/todo add wash the uniforms")
    assert gap is not None and gap.question
    assert (gap.unwanted, "does not say that anything is to be removed" in gap.hint) == (unwanted, unwanted)
    assert not (unwanted and gap.at_once)


@pytest.mark.parametrize(
    ("said", "command", "added"),
    [
        (BLS, "/todo done BLS module", "BLS module --due 2026-03-18"),
        (
            "the kiln wants emptying and has to be done by friday",
            "/todo done empty the kiln",
            "empty the kiln --due 2026-03-13",
        ),
        ("the kiln is emptied at last", "/todo done empty the kiln", ""),
        ("tick off the kiln", "/todo done empty the kiln", ""),
        ("需要周五前写完论文", "/todo done 写完论文", "写完论文"),
        ("论文写完了", "/todo done 写完论文", ""),
    ],
)
def test_what_is_still_to_be_done_and_not_there_is_added_and_not_ticked_off(
    said: str, command: str, added: str
) -> None:
    entry = "洗制服" if "论" in said else "wash the uniforms"
    made, gap = becomes(said, command, f"/todo add {entry}")
    assert made == (f"/todo add {added}" if added else command)
    assert not (gap and gap.unwanted)


REPORTS = ("/todo add write the report on rails --priority high", "/todo add write the report on soap --priority high")


@pytest.mark.parametrize(
    ("said", "command", "held"),
    [
        (["the report can wait, normal priority", "the one on soap"], "/todo edit 1 --priority normal", True),
        (["the report can wait, normal priority", "the one on soap"], "/todo edit 2 --priority normal", False),
        (["the report can wait, normal priority", "soap"], "/todo edit rails report --priority normal", True),
        (["one report is normal, the other one is low", "soap is normal"], "/todo edit 1 --priority low", False),
        (["both reports can wait, normal priority", "yes, soap too"], "/todo edit 1 --priority normal", False),
    ],
)
def test_of_two_entries_the_one_that_the_user_did_not_choose_stays(said: list[str], command: str, held: bool) -> None:
    found = becomes(said, command, *REPORTS)[1]
    is_held = found is not None and not found.question and "means 2: write the report on soap" in found.hint
    assert is_held is held


def test_an_appointment_that_needs_another_time_is_not_added_anew() -> None:
    said, setup = "周五的述职跟出差撞上了，只能另找时间，你给挪挪", "/schedule add 述职 --at 2026-03-13 15:00"
    found = becomes(said, "/schedule add 述职 --at 2026-03-13", setup)[1]
    assert found is not None and "/schedule edit 1" in found.hint
    found = becomes(said, "/schedule edit 1 --at 2026-03-13 10:00", setup)[1]
    assert found is not None and found.completed("挪到十六号上午十点") == "/schedule edit 1 --at 2026-03-16 10:00"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("yoga clashes with the meeting, move yoga to after the meeting", False),
        ("yoga clashes with the school run, so it has to move after that", True),
    ],
)
def test_where_one_entry_ends_another_may_begin(said: str, asked: bool) -> None:
    setup = (f"/schedule add {one} --at 2026-03-13 17:00" for one in ("yoga", "meeting"))
    found = becomes(said, "/schedule edit 1 --at 2026-03-13 18:00", *setup)[1]
    assert (found is not None and "to when" in found.question) is asked


@pytest.mark.parametrize(
    ("said", "thing", "kind"),
    [
        ("I have to book the visa by friday, book it in person", "book the visa", "todo"),
        ("the vet has us on friday, book it in please", "vet", "schedule"),
    ],
)
def test_book_it_in_is_for_the_calendar(said: str, thing: str, kind: str) -> None:
    assert becomes(said, f"/schedule add {thing} --at friday")[0].startswith(f"/{kind}")


RIVALS = ("/todo add review the book on glaciers", "/todo add review the book on salt marshes")


@pytest.mark.parametrize(
    ("said", "command", "mend"),
    [
        ("the glaciers review is in, strike that one through", "/todo rm 1", "/todo done 1"),
        ("Another victim was found for glaciers. My list need no longer mention it.", "/todo done 1", "/todo rm 1"),
        ("the glaciers review went off, strike it from the list", "/todo rm 1", ""),
    ],
)
def test_what_becomes_of_a_todo_goes_by_the_users_words(said: str, command: str, mend: str) -> None:
    gap = becomes(said, command, *RIVALS)[1]
    assert (gap.hint if gap else "").endswith(mend) and (gap is None) == (not mend)


def test_a_removal_of_what_is_not_there_asks_which_where_the_user_calls_something_off() -> None:
    said = "Bo has hurt his arm so he's not coming, away with him from the calendar"
    gap = becomes(said, "/schedule rm Bo has hurt his arm", "/schedule add gym --at friday 9:00")[1]
    assert gap is not None and gap.question.startswith("which appointment")


@pytest.mark.parametrize(
    ("answer", "is_held"),
    [
        ("the second", True),
        ("2", True),
        ("The last one, please", True),
        ("第二个", True),
        ("hand hygiene", True),
        ("the first", False),
        ("1", False),
        ("both", False),
    ],
)
def test_the_entry_that_the_user_did_not_choose_stays_as_it_is(answer: str, is_held: bool) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in ("/todo add write the report on bed rails", "/todo add write the report on hand hygiene"):
            agenda.run(line)
        told = Told(["the report can go back to normal", answer], before="", elsewhere=[], now=NOW)
        gap = missing_of(agenda, "/todo edit 1 --priority normal", told)
    assert (gap.hint if gap else "").endswith("Leave it, and go on.") is is_held


def test_an_answer_that_is_a_day_chooses_no_entry() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in ("/todo add write the report on bed rails", "/todo add write the report on hand hygiene"):
            agenda.run(line)
        told = Told(["the report is due later", "on the 2nd"], before="", elsewhere=[], now=NOW)
        gap = missing_of(agenda, "/todo edit 1 --due 2", told)
    assert gap is not None and gap.question.startswith("which todo")


@pytest.mark.parametrize("command", ["/schedule edit Dentist", "/schedule edit 1", "/schedule edit dentist"])
def test_a_move_without_a_time_in_the_command_is_asked_for_its_time(command: str) -> None:
    gap = becomes("The dentist has to move, my gran is visiting", command, DENTIST)[1]
    assert gap is not None and gap.question.startswith("to when should this be moved")
    assert gap.completed("friday at 9").split() == ["/schedule", "edit", "1", "--at", "2026-03-13", "09:00"]
    assert becomes("The dentist has to move to friday at 9", command, DENTIST)[1] is None
    gap = becomes("The dentist is called Dr. Fry", command, DENTIST)[1]
    assert gap is not None and gap.question.startswith("what should become of this?") and not gap.at_once


def test_a_command_that_names_an_entry_and_no_change_says_so() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(DENTIST)
        for command in ("/schedule edit dentist", "/schedule edit 1"):
            with pytest.raises(CommandError, match="Nothing to change"):
                agenda.run(command)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("the review is off, drop that one", True),
        ("drop both reviews", False),
        ("drop the review on glaciers and the one on marshes", False),
    ],
)
def test_a_command_with_the_texts_of_two_where_the_user_names_one_is_asked_about(said: str, asked: bool) -> None:
    command = "/todo rm review the book on glaciers review the book on salt marshes"
    gap = becomes(said, command, *RIVALS)[1]
    assert (gap is not None and gap.question.startswith("which todo")) is asked
    assert not asked or gap.completed("the marshes one") == "/todo rm 2"


@pytest.mark.parametrize(
    ("said", "command", "at"),
    [
        (
            "on nights til sunday, so put my induction in. thursday week, 0715",
            "induction --at thursday 7:15",
            "2026-03-19 07:15",
        ),
        ("tasting tomorrow at 5, no hang on, half 5", "tasting --at tomorrow 5:30", "tomorrow 17:30"),
        ("dentist tomorrow at 6", "dentist --at tomorrow 6:00", "tomorrow 18:00"),
        # Two Thursdays are named, and some things begin early.
        ("vet thursday at 10, and thursday week the talk at 10", "vet --at thursday 10:00", "thursday 10:00"),
        ("taxi to the airport tomorrow at 5:30", "taxi to the airport --at tomorrow 5:30", "tomorrow 5:30"),
    ],
)
def test_a_day_and_an_hour_are_those_that_the_user_means(said: str, command: str, at: str) -> None:
    assert f"--at {at}" in becomes(said, f"/schedule add {command}")[0]
