"""The text of a new entry without the words that ask for it, and which entry is meant once this run has ended one."""

from __future__ import annotations

import pytest
from support.commands import becomes
from thoughtgraph.tools.agenda import Agenda

ORDERS = ("/todo add order 50 chairs", "/todo add order 50 cushions")


@pytest.mark.parametrize(
    ("said", "command", "text"),
    [
        ("remind me to bleed the radiators", "/todo add remind me to bleed the radiators", "bleed the radiators"),
        ("please write: we need to grease the gate", "/todo add we need to grease the gate", "grease the gate"),
        ("can you note that I have to ring Osman", "/todo add note that I have to ring Osman", "ring Osman"),
        ("don't let me forget the lamp oil", "/todo add don't let me forget the lamp oil", "the lamp oil"),
        (
            "Please call Ruth about the rota",
            "/todo add pls call Ruth about the rota, thanks",
            "call Ruth about the rota",
        ),
        ("提醒我给绿萝浇水", "/todo add 提醒我给绿萝浇水", "给绿萝浇水"),
        # As it is said.
        ('put "I must stop buying lamps" on my list', "/todo add I must stop buying lamps", "I must stop buying lamps"),
        ("notes on the remembered order, file them", "/todo add file the notes", "file the notes"),
        ("I must not skip the pills", "/todo add I must not skip the pills", "I must not skip the pills"),
    ],
)
def test_the_text_of_an_entry_begins_with_what_it_is(said: str, command: str, text: str) -> None:
    made, against = becomes(said, command)
    assert made == f"/todo add {text}"
    assert against is None


@pytest.mark.parametrize(
    ("said", "text", "kept"),
    [
        ("Pencil the architect in for the 30th at nine", "pencil the architect", "the architect"),
        ("pencil the architect in, the 30th at nine", "pencil the architect in", "the architect"),
        ("can you squeeze in Mr Okoro on the 30th at nine?", "squeeze in Mr Okoro", "Mr Okoro"),
        ("pencil the architect in, the 30th at nine", "the architect in", "the architect"),
        ("squeeze in lunch with Bo, the 30th at nine", "squeeze lunch with Bo", "lunch with Bo"),
        # Its own words.
        ("slot in the weekly check in on the 30th at nine", "weekly check in", "weekly check in"),
        ("pencil Bo in for the move in on the 30th at nine", "Bo move in", "Bo move in"),
        ("pencil in pencil case shopping, the 30th at nine", "pencil case shopping", "pencil case shopping"),
        # No order of the user's.
        ("pencil drawing in studio 3, the 30th at nine", "pencil drawing", "pencil drawing"),
        ("slot the race cars in the hall, the 30th at nine", "slot race in the hall", "slot race in the hall"),
    ],
)
def test_an_appointment_is_not_called_by_the_order_for_it(said: str, text: str, kept: str) -> None:
    made, _ = becomes(said, f"/schedule add {text} --at 2026-03-30 09:00")
    assert made.startswith(f"/schedule add {kept} --at 2026-03-30 09:00")


def test_a_day_before_the_duty_is_no_part_of_the_text_where_an_option_has_it() -> None:
    said = "on friday we have to descale the urn"
    made, _ = becomes(said, "/todo add on friday we have to descale the urn --due friday")
    assert made == "/todo add descale the urn --due friday"


ORDER = "move the tasting to 4 and drop the cushion order"


def test_an_entry_that_only_shares_a_word_with_what_was_ended_is_left() -> None:
    gone = ["Removed todo 2: order 50 cushions."]
    _, against = becomes(ORDER, "/todo rm order 50 chairs", ORDERS[0], done=gone)
    assert against is not None
    assert against.stands
    assert "ended already" in against.hint
    # Before it is gone, it is the one that is meant; and what the user names is ended, too.
    assert becomes(ORDER, "/todo rm order 50 cushions", *ORDERS)[1] is None
    both = "drop the cushion order, and the chairs as well"
    assert becomes(both, "/todo rm order 50 chairs", ORDERS[0], done=gone)[1] is None


def test_what_this_run_has_added_is_no_rival_of_what_was_there() -> None:
    said = "Hearing test 22 April 3.40pm, bin the one in March"
    there = ("/schedule add Hearing test --at 2026-03-24 11:00", "/schedule add Hearing test --at 2026-04-22 15:40")
    added = ["Added appointment 2: Hearing test, Wed 2026-04-22 15:40-16:40."]
    assert becomes(said, "/schedule rm 1", *there, done=added)[1] is None
    assert becomes(said, "/schedule rm 1", *there)[1] is not None


@pytest.mark.parametrize(
    ("said", "command", "left"),
    [
        (
            "cups came. chairs still haven't, leave that be. And the menus have to go back today",
            "/todo edit order 50 chairs --due today",
            True,
        ),
        ("cups came; the chairs still need ordering by friday", "/todo edit order 50 chairs --due friday", False),
        ("the chairs aren't for friday any more, they're for monday", "/todo edit order 50 chairs --due monday", False),
    ],
)
def test_an_entry_that_is_left_alone_is_not_changed_either(said: str, command: str, left: bool) -> None:
    against = becomes(said, command, ORDERS[0], "/todo add order cups")[1]
    assert (against is not None and "Leave it" in against.hint) == left


def test_what_is_due_is_no_appointment_at_the_hour_of_another_wish() -> None:
    said = "明天下午三点和会计对账；再记一条，后天之前把押金退了"
    _, against = becomes(said, "/schedule add 退押金 --at 2026-03-13 15:00")
    assert against is not None
    assert against.hint.endswith("/todo add 退押金 --due 2026-03-13")


@pytest.mark.parametrize(
    ("command", "right"),
    [
        ("/schedule add Osmans --at friday 8:30", "/schedule add Osmans --at friday 8:30 --for 3h"),
        ("/schedule add bakery --at friday 12:00", "/schedule add bakery --at friday 12:00 --for 40m"),
    ],
)
def test_each_of_two_visits_has_its_own_length(command: str, right: str) -> None:
    said = "Friday's packed. Half 8 in the morning the Osmans, oven, 3 hrs. Then 12 sharp it's the bakery, 40 mins"
    assert becomes(said, command)[0] == right


def test_to_open_what_is_open_marks_the_entry_that_the_news_are_of() -> None:
    said = "lamp oil: got it. And a note to Ruth has to be written by friday"
    command = "/todo undo lamp oil: got it (todo 1: buy lamp oil)"
    made, _ = becomes(said, command, "/todo add buy lamp oil", "/todo add write a note to Ruth")
    assert made == "/todo done 1"
    # Whatever the command names: nobody wants it open again.
    said, setup = (
        "Ruth has got her key back, so that is that",
        ("/todo add ring Ruth", "/todo add give the key to Ruth"),
    )
    assert becomes(said, "/todo undo ring Ruth", *setup)[0] == "/todo done 2"


def test_a_search_that_finds_nothing_shows_what_there_is() -> None:
    with Agenda(":memory:") as agenda:
        agenda.run("/todo add oil the gate")
        agenda.run("/schedule add choir --at 2099-01-02 18:00")
        assert agenda.run("/todo find shift") == 'No todo holds "shift".\nOpen todos (1):\n1: oil the gate'
        found = agenda.run("/schedule find shift")
    assert found.startswith('No appointment holds "shift".\nUpcoming appointments (1):\n1: choir')


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        (
            "周四的例会改到十二楼大会议室开",
            "/schedule edit 例会 --location 大会议室",
            "/schedule edit 例会 --place 十二楼大会议室",
        ),
        (
            "We all meet at the mill the day after tomorrow, half past ten in the morning, it takes ninety minutes.",
            "/todo add meet at the mill --due 2026-03-13 10:30",
            "/schedule add meet at the mill --at 2026-03-13 10:30 --for 1h30m",
        ),
        (
            "Meeting the guild after work on friday at half past ten, ninety minutes",
            "/todo add meet the guild --due 2026-03-13 10:30",
            "/todo add meet the guild --due 2026-03-13 10:30",
        ),
    ],
)
def test_a_command_is_judged_in_its_usual_form(said: str, command: str, right: str) -> None:
    assert becomes(said, command, "/schedule add 例会 --at 2026-03-12 10:00")[0] == right


@pytest.mark.parametrize(
    ("said", "command", "step", "made"),
    [
        (
            "shot for the cat friday half past two, in the calendar please",
            "/schedule add medical check-up --at friday 14:30",
            "schedule 'shot for the cat' on friday at 14:30",
            "/schedule add shot for the cat --at friday 14:30",
        ),
        (
            "后天下午三点我要带豆豆去洗澡，记到日程里",
            "/schedule add 体检 --at 后天 15:00",
            "安排日程 '带豆豆洗澡'，后天 15:00",
            "/schedule add 带豆豆洗澡 --at 后天 15:00",
        ),
        # What was said stays, and a step that names nothing of it has nothing better.
        ("dust the piano", "/todo add dust the piano", "add the todo 'dust'", "/todo add dust the piano"),
        ("dust the piano", "/todo add ring the vet", "add the todo 'call a doctor'", "/todo add ring the vet"),
        ("dust the piano", "/todo add ring the vet", "add 'dust' and 'piano'", "/todo add ring the vet"),
    ],
)
def test_a_new_entry_has_the_name_of_its_step_where_nobody_spoke_of_its_own(
    said: str, command: str, step: str, made: str
) -> None:
    assert becomes(said, command, step=step)[0] == made
    if made != command:
        assert becomes(said, command)[0] != made


def test_small_words_in_common_are_no_misspelled_ones() -> None:
    said = "coffee with Una on friday at nine"
    made, _ = becomes(said, "/schedule add tennis with Zoe --at friday 9:00", step="schedule 'coffee with Una'")
    assert made == "/schedule add coffee with Una --at friday 9:00"


TAKE_BACK = "take back: /schedule rm choir → Removed appointment 1: choir, Fri 2026-03-13 19:00-20:30, at the hall."


def test_a_step_that_takes_a_change_back_does_the_opposite_whatever_is_called() -> None:
    said = "no, the choir stays, it's the quiz that is off"
    gone = ["Removed appointment 2: quiz, Sat 2026-03-14 20:00-21:00."]
    back = "/schedule add choir --at 2026-03-13 19:00 --for 90m --place the hall"
    for command in ("/schedule rm choir", "/schedule add choir --at saturday 20:00"):
        assert becomes(said, command, done=gone, step=TAKE_BACK) == (back, None)
    # Once it is back, it is not added again; and another step is another step.
    added = [*gone, "Added appointment 3: choir, Fri 2026-03-13 19:00-20:30, at the hall."]
    assert becomes(said, "/schedule rm choir", done=added, step=TAKE_BACK)[0] != back
    assert becomes(said, "/schedule rm choir", done=gone, step="remove the appointment 'choir'")[0] != back


def test_what_is_not_there_may_be_what_is_to_be_added() -> None:
    there = "/schedule add Meeting with Ulla --at friday 11:00"
    _, against = becomes("task please: cancel the ferry by monday, I must", "/schedule rm the ferry", there)
    assert against is not None
    assert not against.at_once
    assert "/todo add cancel the ferry" in against.hint
    moved = becomes("task please: the ferry must go to monday", "/schedule edit the ferry --at monday 9:00", there)[1]
    assert moved is None or "cancel" not in moved.hint
    _, asked = becomes("cancel the ferry", "/schedule rm the ferry", there)
    assert asked is not None
    assert asked.at_once
    assert not asked.hint


def test_what_is_to_be_changed_is_told_from_what_is_done() -> None:
    there = "/todo add write the obituary --due friday"
    _, against = becomes("Move the obituary to monday, will you?", "/todo done write the obituary", there)
    assert against is not None
    assert "/todo edit 1" in against.hint
    _, asked = becomes("Change the date of the obituary, will you?", "/todo done write the obituary", there)
    assert asked is not None
    assert asked.at_once
    assert asked.completed("to monday") == "/todo edit 1 --due 2026-03-16"
    _, plainly = becomes("I have to write the obituary", "/todo done write the obituary", there)
    assert plainly is not None
    assert "/todo edit" not in plainly.hint


def test_a_meeting_with_somebody_is_no_todo_unless_it_is_for_the_list() -> None:
    command = "/todo add meeting with Dr Okafor"
    assert becomes("a meeting with Dr Okafor some time, enter it", command)[0].startswith("/schedule add meeting")
    assert becomes("put 'meeting with Dr Okafor' on my list", command)[0] == command
    assert becomes("remind me of the meeting with Dr Okafor", command)[0] == command
    assert becomes("meeting notes, finish them", "/todo add meeting notes")[0] == "/todo add meeting notes"
    assert becomes("别忘了准备面试", "/todo add 准备面试")[0] == "/todo add 准备面试"


@pytest.mark.parametrize(
    ("said", "texts", "asked"),
    [
        ("that event tomorrow is off, delete it", ("judo", "choir"), True),
        ("明天那个会不开了，删掉吧", ("预算会", "采购会"), True),
        ("judo tomorrow is off, delete it", ("judo", "choir"), False),
        ("明天那个预算会不开了，删掉吧", ("预算会", "采购会"), False),
    ],
)
def test_what_is_named_by_its_day_alone_may_be_any_of_that_day(said: str, texts: tuple[str, str], asked: bool) -> None:
    there = [f"/schedule add {text} --at 2026-03-12 {hour}:00" for text, hour in zip(texts, (9, 16), strict=True)]
    _, against = becomes(said, "/schedule rm 1", *there, "/schedule add fair --at 2026-03-13 10:00")
    assert (against is not None and against.at_once) == asked
    if against and asked:
        assert all(text in against.question for text in texts)
        assert "fair" not in against.question


@pytest.mark.parametrize(
    ("said", "at", "becomes_"),
    [
        ("the quiz isn't in the barn any more, it's in the Greenway hall", "Greenway hall", "--place Greenway hall"),
        ("the quiz is at the Anchor now", "the Anchor", "--place the Anchor"),
        ("the quiz is on Monday now", "Monday", "--at Monday"),
    ],
)
def test_a_place_in_the_option_for_the_time_is_a_place(said: str, at: str, becomes_: str) -> None:
    there = "/schedule add quiz --at sunday 15:00 --place barn"
    made, against = becomes(said, f"/schedule edit quiz --at {at}", there)
    assert made == f"/schedule edit quiz {becomes_}"
    assert against is None


def test_who_has_to_be_somewhere_has_an_appointment_and_is_asked_when() -> None:
    said, command = "I have to be at the town hall some day next week, put it in please", "/todo add town hall"
    made, against = becomes(said, f"{command} --due next week")
    assert made.startswith("/schedule add town hall")
    assert against is not None
    assert "Give the day and the time" in against.question
    assert becomes("remind me that I have to be at the town hall", command)[0].startswith("/todo add")
    assert becomes("I have to be at least 18, note that", "/todo add be 18")[0] == "/todo add be 18"


def test_what_is_marked_as_done_by_mistake_is_not_marked_again() -> None:
    there = ("/todo add buy wine for the fair", "/todo add buy cheese for the fair", "/todo done 1")
    before = "User: the wine is bought\n(What was done: /todo done 1 → Done: 1: buy wine for the fair.)"
    _, against = becomes("no, I got the cheese, the wine is missing", "/todo rm 1", *there, before=before)
    assert against is not None
    assert "/todo undo 1" in against.hint
    assert "/todo done" not in against.hint


def test_the_deadline_that_the_user_points_at_is_that_of_the_todo() -> None:
    said = "the ferry can be cancelled free of charge until friday 18:00. Task with that deadline, please"
    made, _ = becomes(said, "/todo add cancel the ferry")
    assert made == "/todo add cancel the ferry --due 2026-03-13 18:00"
    said = "the ferry can be cancelled until friday or saturday. Task with that deadline, please"
    assert becomes(said, "/todo add cancel the ferry")[0] == "/todo add cancel the ferry"


def test_what_i_still_have_to_do_is_told_and_not_asked() -> None:
    said = "what I still have to do is wash the car by sunday can you bring my list up to date"
    assert becomes(said, "/todo add wash the car --due sunday") == ("/todo add wash the car --due sunday", None)
    assert becomes("what do I still have to do by sunday", "/todo add wash the car --due sunday")[1] is not None


def test_an_order_that_there_is_not_reads_where_the_user_only_asks() -> None:
    there = ("/todo add write the report --due 2026-03-31", "/schedule add fair --at friday 9:00")
    asked = "how long until the report is due?"
    assert becomes(asked, "/todo due 1", *there)[0] == "/todo show 1"
    assert becomes(asked, "/todo deadline", *there)[0] == "/todo list"
    assert becomes("when does the fair start?", "/schedule start 1", *there)[0] == "/schedule show 1"
    assert becomes("the report is due on monday", "/todo due 1", *there)[0] == "/todo due 1"
