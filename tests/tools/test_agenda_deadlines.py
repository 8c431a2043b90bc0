"""A day that is the latest for a todo, and one to which a todo that is there is moved."""

from datetime import datetime

import pytest
from support.commands import becomes
from thoughtgraph._internal.texts import Language
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.calls.required import as_told, meant_for, missing
from thoughtgraph.tools.metadata import Told
from thoughtgraph.traces.shapes import Action

NOW = datetime(2026, 3, 11, 9)


def as_made(said: str, command: str, *setup: str, language: Language = "en") -> str:
    """A command as it is meant, by the user's words."""
    with Agenda(":memory:", language=language, clock=lambda: NOW) as agenda:
        for line in setup:
            agenda.run(line)
        tools = {"todo": todo_tool(agenda), "schedule": schedule_tool(agenda)}
        told = Told([said], "", (), NOW)
        called = Action(tool=command.split()[0].lstrip("/"), input=command)
        meant = meant_for(tools, called, told)
        return str(as_told(tools[meant["tool"]], meant, told)["input"])


@pytest.mark.parametrize(
    ("said", "text", "due"),
    [
        ("remind me to pay the electricity bill by Friday", "pay the electricity bill", " --due 2026-03-13"),
        ("need to finish the report by the end of the month", "finish the report", " --due 2026-03-31"),
        ("call mum by 6pm tomorrow", "call mum", " --due 2026-03-12 18:00"),
        ("pay the rent before the 1st, and lunch with Eva friday at noon", "pay the rent", " --due 2026-04-01"),
        ("pay the rent before the 1st, and water the plants", "water the plants", ""),
        ("buy a present for Lisa before the party on Saturday", "buy a present for Lisa", ""),
        ("book a table for Saturday", "book a table", ""),
        ("the taxi comes by 5, remind me to pack", "pack", ""),
    ],
)
def test_a_new_todo_gets_the_latest_day_that_the_user_gave(said: str, text: str, due: str) -> None:
    assert as_made(said, f"/todo add {text}") == f"/todo add {text}{due}"


def test_the_same_in_chinese() -> None:
    said = "对了，再提醒我今天之内把物业费交了"
    assert as_made(said, "/todo add 交物业费", language="zh") == "/todo add 交物业费 --due 2026-03-11"


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            "make the insurance thing tomorrow",
            "ring the insurance people --at tomorrow",
            "/todo edit 1 --due 2026-03-12",
        ),
        ("insurance call tomorrow at 3", "ring the insurance people --at tomorrow 15:00", None),
        ("put the insurance call in my calendar for tomorrow", "ring the insurance people --at tomorrow", None),
        ("make the bank thing tomorrow", "ring the bank --at tomorrow", None),
    ],
)
def test_a_todo_that_is_there_gets_another_day_and_no_appointment(said: str, command: str, made: str | None) -> None:
    there = "/todo add ring the insurance people"
    assert as_made(said, f"/schedule add {command}", there).startswith(made or "/schedule add")


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("they brought the interview forward to Thursday at 10am", "en"),
        ("the interview is delayed until Thursday at 10am", "en"),
        ("人事通知interview提前到周四上午十点了", "zh"),
    ],
)
def test_an_appointment_that_others_have_moved_is_changed_and_not_added_again(said: str, language: Language) -> None:
    with Agenda(":memory:", language=language, clock=lambda: NOW) as agenda:
        agenda.run("/schedule add interview --at 2026-03-13 14:00")
        tool = schedule_tool(agenda)
        action = Action(tool="schedule", input="/schedule add interview --at 2026-03-12 10:00")
        found = missing(tool, action, Told([said], "", (), NOW), language)
    assert found is not None and "/schedule edit 1 --at 2026-03-12 10:00" in found.hint


ERRANDS = "pick up the keys from Lena, drop the parcel at the post office, and email the tax office"
"""Three duties without a time."""


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            ERRANDS,
            "/schedule add pick up the keys from Lena --place the post office",
            "/todo add pick up the keys from Lena",
        ),
        (ERRANDS, "/schedule add drop the parcel at the post office", "/todo add drop the parcel at the post office"),
        ("I have to clean the gutters", "/schedule add clean the gutters", "/todo add clean the gutters"),
        ("see the dentist", "/schedule add see the dentist", None),
        ("lunch with the team", "/schedule add lunch with the team", None),
        ("book me a haircut", "/schedule add haircut", None),
        ("sweep the yard on Friday", "/schedule add sweep the yard --at friday", "/todo add sweep the yard --due"),
        ("see the dentist on Friday", "/schedule add see the dentist --at friday", None),
        ("clean the gutters on Friday at 3 pm", "/schedule add clean the gutters --at friday 15:00", None),
        ("an appointment: clean the gutters", "/schedule add clean the gutters", None),
    ],
)
def test_a_duty_without_any_time_is_a_todo(said: str, command: str, made: str | None) -> None:
    assert as_made(said, command).startswith(made or command)


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            "remind me on Friday to call Bo",
            "/schedule add call Bo --at friday 9:00",
            "/todo add call Bo --due 2026-03-13",
        ),
        ("remind me of the trip to Rome on Friday", "/schedule add trip to Rome --at friday 9:00", None),
        ("remind me to take the pills tomorrow at 8", "/schedule add take the pills --at tomorrow 8:00", None),
        ("remind me to call Bo on Friday, same time", "/schedule add call Bo --at friday 14:00", None),
    ],
)
def test_what_the_user_is_to_be_reminded_of_on_a_day_is_a_todo(said: str, command: str, made: str | None) -> None:
    assert as_made(said, command) == (made or command)


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        ("lay the table before they come at six", "/todo add lay the table --due today", "/todo add lay the table"),
        ("lay the table by six", "/todo add lay the table --due today 18:00", "/todo add lay the table --due 18:00"),
        ("lay the table tonight", "/todo add lay the table --due today", None),
        ("lay the table in an hour", "/todo add lay the table --due today 10:00", None),
    ],
)
def test_today_is_the_day_of_a_todo_only_if_the_user_says_so(said: str, command: str, made: str | None) -> None:
    assert as_made(said, command).startswith(made or command[: command.index(" --")] + " --due")
    assert made is None or "--due" in made or "--due" not in as_made(said, command)


SYNC = "/schedule add Team sync --at monday 9:30"
"""An appointment that is there."""


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        ("the sync is an hour later this week", "edit Team sync --at this week", "edit 1 --at 2026-03-16 10:30"),
        ("the sync is an hour later this week", "done 1", "edit 1 --at 2026-03-16 10:30"),
        ("the sync takes half an hour longer", "edit 1 --at longer", None),
        ("the gym is an hour later this week", "edit 1 --at this week", None),
        ("is the sync an hour later?", "edit 1 --at this week", None),
        ("move the sync to friday", "edit 1 --at friday", None),
    ],
)
def test_a_length_that_moves_an_appointment_counts_for_what_is_no_time(
    said: str, command: str, made: str | None
) -> None:
    assert as_made(said, f"/schedule {command}", SYNC) == f"/schedule {made or command}"


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("and the sync is at ten now", "/schedule edit 1 --at 10:00"),
        ("the sync is done", None),
        ("the sync is off, not at ten", None),
        ("the sync at 9:30 on monday was fine", None),
        ("is the sync at ten now?", None),
    ],
)
@pytest.mark.parametrize("named", ["Team sync", "1"])
def test_an_appointment_that_is_at_another_time_is_moved_not_done(said: str, named: str, made: str | None) -> None:
    assert as_made(said, f"/schedule done {named}", SYNC) == (made or f"/schedule done {named}")


@pytest.mark.parametrize("order", ["rm", "done"])
@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ("oven's done. landlord can wait till Monday", True),
        ("leave the landlord until monday", True),
        ("the landlord can wait", False),
        ("I called the landlord, and the oven can wait till monday", False),
    ],
)
def test_what_can_wait_until_a_day_is_neither_removed_nor_done(said: str, waits: bool, order: str) -> None:
    todos = ("/todo add call the landlord", "/todo add clean the oven")
    speaks_against = becomes(said, f"/todo {order} 1", *todos)[1]
    told = "" if speaks_against is None else speaks_against.hint
    assert ("/todo edit 1 --due 2026-03-16" in told) == waits


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("oven's done, recycling's done. landlord can wait till Monday", True),
        ("finished cleaning the oven", True),
        ("the oven is not done", False),
        ("is the oven done?", False),
        ("oven done, cross it off", False),
        ("take the oven off my list, it's done", False),
        ("forget the oven", False),
        ("the recycling's done, remove the oven", False),
    ],
)
def test_what_is_done_is_marked_and_not_removed(said: str, done: bool) -> None:
    todos = ("/todo add call the landlord", "/todo add clean the oven", "/todo add sort the recycling")
    assert as_made(said, "/todo rm clean the oven", *todos).startswith("/todo done 2" if done else "/todo rm")


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            "I must to hand in the vaccination paper at the kindergarten, latest day is the 20th.",
            "/todo add hand in the vaccination paper",
            "/todo add hand in the vaccination paper --due 2026-03-20",
        ),
        (
            "the bursary form has to be in by the end of the month so put that on my to do list, mark it as important",
            "/todo add hand in the bursary form --important",
            "/todo add hand in the bursary form --due 2026-03-31 --priority high",
        ),
        (
            "pay the deposit. Deadline: 20th March",
            "/todo add pay the deposit",
            "/todo add pay the deposit --due 2026-03-20",
        ),
        ("it's my last day on the 20th, water the ferns", "/todo add water the ferns", "/todo add water the ferns"),
        ("water the ferns, it isn't urgent", "/todo add water the ferns", "/todo add water the ferns"),
    ],
)
def test_a_latest_day_that_stands_alone_is_that_of_the_todo(said: str, command: str, made: str) -> None:
    assert becomes(said, command)[0] == made


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("remind me to bake cupcakes on thursday, they want them for the stall friday", "2026-03-12"),
        ("remind me to bake cupcakes on thursday, they have to be there by friday", "friday"),
        ("remind me to bake cupcakes, they want them for the stall friday", "friday"),
        ("remind me to bake cupcakes on thursday or friday", "friday"),
    ],
)
def test_a_todo_is_due_on_the_day_of_its_own_clause(said: str, day: str) -> None:
    made, _ = becomes(said, "/todo add bake cupcakes --due friday")
    assert made == f"/todo add bake cupcakes --due {day}"


def test_another_day_leaves_the_letters_of_the_former_in_the_text_alone() -> None:
    made, _ = becomes("fried rice on thursday, they want it for friday", "/todo add fried rice --due fri")
    assert made == "/todo add fried rice --due 2026-03-12"


@pytest.mark.parametrize("given", ["whenever", "no hurry", "low whenever", "someday", "low"])
def test_a_priority_in_other_words_is_low(given: str) -> None:
    made, _ = becomes(
        "3 tubs of grout want to go on my list, whenever", f"/todo add buy 3 tubs of grout --priority {given}"
    )
    assert made == "/todo add buy 3 tubs of grout --priority low"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I need to call the accountant, and pick up the kids from school at 3 on Tuesday", "call the accountant"),
        ("buy ribs, and parents evening saturday at 3", "buy ribs"),
        ("need to call mum, and dinner with Tom on Friday at 7", "call mum"),
        ("记一下要买两斤排骨，还有明天下午三点陪我爸去配眼镜", "买排骨"),
        ("I need to call the accountant", "call the accountant"),
    ],
)
def test_what_is_only_to_be_done_takes_no_time_of_another_wish(said: str, text: str) -> None:
    assert becomes(said, f"/schedule add {text} --at tomorrow 15:00") == (f"/todo add {text}", None)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("call Bo, he is free tuesday at 3", "call Bo"),
        ("call the office and tuesday at 3 is best", "call the office"),
        ("need to call mum and dad tuesday at 3", "call mum and dad"),
        ("put call the accountant in my calendar, and pick up the kids at 3 on Tuesday", "call the accountant"),
        ("call with the accountant, and pick up the kids at 3 on Tuesday", "call with the accountant"),
    ],
)
def test_what_has_a_time_or_is_for_the_calendar_stays_an_appointment(said: str, text: str) -> None:
    made, _ = becomes(said, f"/schedule add {text} --at tuesday 15:00")
    assert made == f"/schedule add {text} --at tuesday 15:00"
