"""Commands that a small model writes beside the user's words: put right where the words leave no doubt, else held back
with the command that they speak of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import pytest
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.checks.put_right.as_told import as_told
from thoughtgraph.tools.agenda.checks.put_right.lenient import list_of, put_right
from thoughtgraph.tools.agenda.checks.rules import missing_of
from thoughtgraph.tools.agenda.line import option, option_value, without_option
from thoughtgraph.tools.agenda.request import split_options
from thoughtgraph.tools.metadata import Missing, Told

NOW = datetime(2026, 3, 11, 9, 0)
BOOKS = "the library wants its books back no later than the day after tomorrow"
CARP = "lunch with Ottilie next fri (the 20th), noon, at the Golden Carp"
CONCERT = "the concert is on saturday, it starts at half past four in the afternoon"


@pytest.mark.parametrize(
    ("said", "command", "meant"),
    [
        (
            BOOKS,
            "/todo add bring the books back --due tomorrow tomorrow",
            "/todo add bring the books back --due 2026-03-13",
        ),
        (BOOKS, "/todo add bring the books back --due tomorrow", "/todo add bring the books back --due 2026-03-13"),
        (
            CARP,
            "/schedule add lunch --at friday 20:00 12:00",
            "/schedule add lunch --at 2026-03-20 12:00 --place the Golden Carp",
        ),
        (
            CARP,
            "/schedule add lunch --at friday 12:00",
            "/schedule add lunch --at 2026-03-20 12:00 --place the Golden Carp",
        ),
        (CARP, "/schedule add lunch --at 2026-03-20 12:00 --place Golden Carp", ""),
        (
            CONCERT,
            "/schedule add concert --at saturday 19:30 --place the Globe",
            "/schedule add concert --at 2026-03-14 16:30",
        ),
        (
            "大后天上午九点一刻打疫苗",
            "/schedule add 打疫苗 --at 周后天9:00 --place 大后天",
            "/schedule add 打疫苗 --at 2026-03-14 09:15",
        ),
        ("校服得在月底之前拿去改短", "/todo add 校服 --due 月底之前拿去改短", "/todo add 校服 --due 2026-03-31"),
        ("周五要交读书笔记", "/todo add 交读书笔记 --due 周五 13:00", "/todo add 交读书笔记 --due 2026-03-13"),
        (
            "pay Ludo by thursday",
            "/todo add pay Ludo --due thursday --priority urgent",
            "/todo add pay Ludo --due thursday",
        ),
        ("pay Ludo, it's urgent", "/todo add pay Ludo --priority urgent", ""),
        ("yoga has no place any more", "/schedule edit yoga --place none", ""),
        ("how many todos are still open?", "/todo list --due week", "/todo list"),
        ("what's due this week?", "/todo list --due week", ""),
        ("what's overdue?", "/todo list --due overdue", ""),
        ("is anything past its date?", "/todo list --due overdue", ""),
        ("have I missed something?", "/todo list --due overdue", ""),
        ("what is on my list?", "/todo list --due overdue", "/todo list"),
        ("remind me on friday to buy milk", "/todo add --due friday buy milk", ""),
        ("clear the due date of the rent", "/todo edit rent --due none", ""),
        ("the dentist on the 13th at ten, yoga on the 16th at eleven", "/schedule add yoga --at thursday 11:00", ""),
        ("see Mira on monday at three", "/schedule add see Mira --at monday 15:00", ""),
        ("move the dentist from friday to monday", "/schedule edit dentist --at monday", ""),
        ("ring Bo two days before friday", "/todo add ring Bo --due wednesday", ""),
    ],
)
def test_a_command_is_put_as_the_user_said_it(said: str, command: str, meant: str) -> None:
    assert as_told(command, Told([said], "", (), NOW)) == (meant or command)


def judged(setup: list[str], said: str, command: str) -> Missing | None:
    """What speaks against a command."""
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in setup:
            agenda.run(line)
        kind = "todo" if command.startswith("/todo") else "schedule"
        return missing_of(agenda, put_right(command, kind, "en"), Told([said], "", (), NOW))


INTERVIEW = "/schedule add interview with Ms Okafor --at tomorrow 15:00 --for 45m"
YOGA = "/schedule add yoga --at friday 18:00"
LEASE = "/todo add sign and post the lease --due tomorrow"
REPORT = "/todo add hand in the lab report --due friday"


@pytest.mark.parametrize(
    ("setup", "said", "command", "hint"),
    [
        (
            [INTERVIEW],
            "my 3 o'clock tomorrow has to shift to 4:30, same day",
            "/schedule edit interview with Ms Okafor --at thursday 15:00",
            "/schedule edit 1 --at 2026-03-12 16:30",
        ),
        ([YOGA], "move yoga to saturday", "/schedule edit yoga --at friday", "/schedule edit 1 --at 2026-03-14 18:00"),
        (
            ["/todo add pay the rent --due friday"],
            "the rent is due two days later",
            "/todo edit 1 --due saturday",
            "/todo edit 1 --due 2026-03-15",
        ),
        (
            ["/todo add 交读书笔记 --due 周五"],
            "周五要交的读书笔记可以晚三天交，帮我改一下",
            "/todo edit 1 --due 2026-03-13",
            "/todo edit 1 --due 2026-03-16",
        ),
        ([LEASE], "signed AND posted the lease!!", "/todo edit sign and post the lease today!!", "/todo done 1"),
        (
            [REPORT],
            "they gave us an extension for the lab report until the 27th",
            "/todo add hand in the lab report",
            "/todo edit 1 --due 2026-03-27",
        ),
        ([YOGA], "push my yoga back a bit", "/todo add push my yoga back", "/schedule edit 1"),
        (
            ["/todo add phone Uncle Bert about the will"],
            "Where it says Uncle Bert it ought to be Aunt Bertha",
            "/todo edit 1 --to Aunt Bertha",
            "/todo edit 1 phone Aunt Bertha about the will",
        ),
        (["/todo add clean the gutter"], "The gutter? Sorted since yesterday.", "/todo show 1", "/todo done 1"),
        (
            ["/todo add sort the records", "/todo add vacuum the car"],
            "the second one on my list is behind me now",
            "/todo list",
            "/todo done 2",
        ),
        (["/todo add buy tickets"], "tickets = purchased", "/todo add tickets = purchased", "/todo done 1"),
        (
            [],
            "I still owe gran the dumpling recipe, list it",
            "/todo list dumpling recipe",
            "/todo add dumpling recipe",
        ),
    ],
)
def test_a_command_beside_the_users_words_is_held_back_with_the_one_they_speak_of(
    setup: list[str], said: str, command: str, hint: str
) -> None:
    found = judged(setup, said, command)
    assert found is not None
    assert hint in found.hint
    assert not found.at_once


@pytest.mark.parametrize(
    ("setup", "said", "command"),
    [
        ([YOGA], "move yoga to saturday", "/schedule edit yoga --at saturday"),
        ([YOGA], "yoga on friday is at the town hall", "/schedule edit yoga --at friday 18:00 --place town hall"),
        ([YOGA], "make yoga two hours long", "/schedule edit yoga --for 2h"),
        ([LEASE], "call it: sign and scan the lease", "/todo edit 1 sign and scan the lease"),
        ([LEASE], "I signed the lease, but posting it can wait till monday", "/todo edit 1 --due monday"),
        ([YOGA], "yoga on friday and on sunday, both at six in the evening", "/schedule add yoga --at sunday 18:00"),
        (
            ["/todo add water the roses --due friday"],
            "water the roses on friday and sunday",
            "/todo add water the roses --due sunday",
        ),
        ([], "cancel the hotel", "/todo add cancel the hotel"),
        (["/todo add glue the vase"], "show me the vase todos", "/todo list vase"),
        (["/todo add pay the rent"], "I paid the rent, what is left?", "/todo list"),
        (["/todo add pay the rent"], "the rent is done? show me", "/todo list"),
        (["/todo add buy a cake"], "call it: buy a pie", "/todo edit 1 buy a pie"),
        (["/todo add glue the vase"], "list the urgent todos", "/todo list urgent"),
        ([], "call the man she mentioned", "/todo add call the man she mentioned"),
    ],
)
def test_a_command_that_is_what_the_user_said_is_not_held_back(setup: list[str], said: str, command: str) -> None:
    assert judged(setup, said, command) is None


@pytest.mark.parametrize(
    ("said", "command", "meant"),
    [
        ("by six on saturday, as a task please", "/schedule add cancel the hotel --due saturday 18:00", "todo"),
        ("an appointment, with the task of signing", "/schedule add notary --due saturday 18:00", "schedule"),
        ("the hotel on saturday at six", "/schedule add hotel --due saturday 18:00", "schedule"),
        ("a task for saturday", "/schedule add notary --at saturday 18:00", "schedule"),
        ("dentist on the 24th at 9, and the cupboard by the 23rd", "/schedule add dentist --at 24th 9:00", "schedule"),
        ("the cupboard by the 23rd in my calendar", "/schedule add cupboard --at 23rd 23:00", "schedule"),
        ("the plumber is due on the 23rd", "/schedule add plumber --at 23rd 9:00", "schedule"),
        ("the exhibition by Monet on the 23rd", "/schedule add exhibition --at 23rd 9:00", "schedule"),
        ("Eva drops by tomorrow", "/schedule add Eva --at tomorrow 9:00", "schedule"),
        ("dinner by the river on the 23rd", "/schedule add dinner --at 23rd 19:00", "schedule"),
        ("the cupboard by 9 on the 23rd at the latest", "/schedule add cupboard --at 23rd 9:00", "schedule"),
    ],
)
def test_a_task_with_a_deadline_is_a_todo(said: str, command: str, meant: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        kind, line = list_of(agenda, command, "schedule", Told([said], "", (), NOW))
    assert kind == meant
    assert line == ("/todo add cancel the hotel --due saturday 18:00" if meant == "todo" else command)


@pytest.mark.parametrize("at", ["23rd 23:00", "23rd", "2026-03-23 09:00"])
@pytest.mark.parametrize("said", ["has to be empty by the 23rd", "must be empty the 23rd at the latest; dentist at 9"])
def test_a_day_by_which_something_has_to_be_done_is_a_deadline(said: str, at: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        told = Told([f"the cupboard {said}"], "", (), NOW)
        kind, line = list_of(agenda, f"/schedule add empty cupboard --at {at} --for 1h", "schedule", told)
    assert (kind, line) == ("todo", "/todo add empty cupboard --due 2026-03-23")


@pytest.mark.parametrize("name", ["appointment 8:20", "my wife asked for", "the appointment"])
def test_an_entry_without_words_of_its_own_is_asked_about(name: str) -> None:
    found = judged([], f"{name}, tomorrow at 8:20", f"/schedule add {name} --at tomorrow 8:20")
    assert found is not None
    assert "what is the appointment?" in found.question


def test_an_id_that_one_list_has_not_may_be_of_the_other() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run("/todo add pay the rent")
        said = Told(["the rent is due on friday"], "", (), NOW)
        assert list_of(agenda, "/schedule edit 1 --due friday", "schedule", said) == (
            "todo",
            "/todo edit 1 --due friday",
        )
        agenda.run("/schedule add lunch --at friday 12:00")
        assert list_of(agenda, "/schedule edit 1 --at friday", "schedule", said)[0] == "schedule"


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("/schedule add fetch the car tomorrow at five pm", "2026-03-12 17:00"),
        ("/schedule add tea tomorrow at half past four in the afternoon", "2026-03-12 16:30"),
    ],
)
def test_a_time_in_words_may_end_a_command(line: str, start: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        assert start in agenda.run(line)


@pytest.mark.parametrize("title", ["read two of the five", "season two", "the day after tomorrow never dies"])
def test_other_words_stay_in_the_text(title: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(f"/schedule add {title} --at friday 12:00")
        assert agenda.appointments()[0].text == title


def test_who_edits_an_empty_list_is_told_how_to_add() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda, pytest.raises(CommandError) as refused:
        agenda.run("/todo edit the uniform --due friday")
    assert "/todo add the uniform --due friday" in str(refused.value)


@pytest.mark.parametrize(
    ("written", "kind", "read"),
    [
        ("todo add /todo add milk --due tomorrow", "todo", "/todo add milk --due tomorrow"),
        ("add /todo add receipts", "todo", "/todo add receipts"),
        ("/todo add /todo add receipts", "todo", "/todo add receipts"),
        ("read /todo list", "todo", "/todo list"),
        ("schedule add /schedule add gym --at 9:00", "schedule", "/schedule add gym --at 9:00"),
        ("/todo add read about / in paths", "todo", "/todo add read about / in paths"),
        ("/todo add see the /view of the sea", "todo", "/todo add see the /view of the sea"),
    ],
)
def test_a_command_that_was_begun_twice_counts_from_the_second_time(
    written: str, kind: Literal["todo", "schedule"], read: str
) -> None:
    assert put_right(written, kind, "en") == read


@pytest.mark.parametrize(
    ("said", "name", "command", "meant"),
    [
        ("what have I got on the 30th?", "todo", "/todo list --due 2026-03-30", "/view 2026-03-30"),
        ("how does thursday look", "schedule", "/schedule list thursday", "/view thursday"),
        ("anything on this weekend", "todo", "/todo list --due this weekend", "/view this weekend"),
        ("这周末有什么安排", "schedule", "/schedule list weekend", "/view weekend"),
        ("which todos are there for the 30th?", "todo", "/todo list --due 2026-03-30", ""),
        ("am I free on thursday", "schedule", "/schedule list thursday", ""),
        ("what's on my calendar for thursday", "schedule", "/schedule list thursday", ""),
        ("what is left", "todo", "/todo list open", ""),
        ("what is left", "todo", "/todo list", ""),
        ("what's urgent", "todo", "/todo list --priority high", ""),
        ("what's late", "todo", "/todo list --due overdue", ""),
        ("thursday's urgent ones", "todo", "/todo list --due thursday --priority high", ""),
    ],
)
def test_a_day_of_which_no_kind_is_named_is_shown_whole(said: str, name: Any, command: str, meant: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        found = list_of(agenda, command, name, Told([said], "", (), NOW))
    assert found == (("todo", meant) if meant else (name, command))


@pytest.mark.parametrize(
    ("line", "value", "rest"),
    [
        ("add milk --due friday", "friday", "add milk"),
        ("add milk  --by=friday 9:00 --tag shop", "friday 9:00", "add milk --tag shop"),
        ("--due: friday", "friday", ""),
        ("add milk --DUE friday --by monday", "friday", "add milk"),
        ("add milk --duedate friday", None, "add milk --duedate friday"),
        ("add milk--due friday", None, "add milk--due friday"),
        ("add milk --due", None, "add milk --due"),
    ],
)
def test_an_option_is_found_however_a_model_writes_it(line: str, value: str | None, rest: str) -> None:
    assert (option_value(line, option("due|by")), without_option(line, option("due|by"))) == (value, rest)


@pytest.mark.parametrize("ending", ["", " ", "  ", "="])
def test_a_time_that_is_not_there_is_no_crash(ending: str) -> None:
    told = Told(["dinner is over by 4"], "", (), NOW)
    assert "--at" in as_told(f"/schedule add dinner --at {ending}", told)


@pytest.mark.parametrize(
    ("words", "text", "options"),
    [
        ("milk --due friday --tag shop", "milk ", "--due friday --tag shop"),
        ("milk ——due friday", "milk ", "——due friday"),
        ("milk -- and bread", "milk -- and bread", ""),
        ("--due friday", "", "--due friday"),
        ("", "", ""),
    ],
)
def test_the_options_of_a_command_come_after_its_text(words: str, text: str, options: str) -> None:
    assert split_options(words) == (text, options)


def test_a_text_that_has_to_be_there_may_look_like_an_option() -> None:
    assert split_options("--due friday --tag shop", 1) == ("--due friday ", "--tag shop")
