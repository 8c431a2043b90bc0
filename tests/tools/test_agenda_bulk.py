"""Several entries at once: by their ids, by "all", and where a user says "everything" and the model names one."""

from collections.abc import Iterator

import pytest
from support.commands import NOW, becomes
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.agenda import Agenda

SETUP = (
    "/todo add water the tomatoes --due tomorrow",
    "/todo add take the bins out --due tomorrow",
    "/todo add call grandma",
    "/todo add read the report --due 2026-03-20",
    "/todo done 3",
    "/schedule add gym --at friday 7:00",
    "/schedule add lunch with Eva --at friday 13:00",
    "/schedule add parent evening --at 2026-03-24 18:30",
)


@pytest.fixture
def agenda() -> Iterator[Agenda]:
    """An agenda with four todos, one of them done, and three appointments."""
    with Agenda(":memory:", clock=lambda: NOW) as made:
        for command in SETUP:
            made.run(command)
        yield made


@pytest.mark.parametrize("named", ["1,2", "1, 2", "1 and 2"])
def test_several_todos_are_changed_at_once(agenda: Agenda, named: str) -> None:
    result = agenda.run(f"/todo edit {named} --due friday --priority high")
    assert [f"{one.due:%d}" for one in agenda.todos("open") if one.priority == "high" and one.due] == ["13", "13"]
    assert "1: water the tomatoes" in result and "2: take the bins out" in result


def test_several_appointments_keep_their_times(agenda: Agenda) -> None:
    agenda.run("/schedule edit 1, 2 --at 2026-03-20")
    assert [f"{one.start:%d %H:%M}" for one in agenda.appointments()] == ["20 07:00", "20 13:00", "24 18:30"]


def test_a_number_behind_an_id_is_a_new_text(agenda: Agenda) -> None:
    agenda.run("/todo edit 1 2 --due friday")
    assert next(one for one in agenda.todos() if one.id == 1).text == "2"


def test_what_is_so_already_is_left_out_and_refused_alone(agenda: Agenda) -> None:
    assert "2:" not in agenda.run("/todo edit 2, 4 --due tomorrow")
    with pytest.raises(CommandError, match="Nothing would change"):
        agenda.run("/todo edit 2, 4 --due tomorrow")


def test_an_entry_that_was_so_already_keeps_what_it_was_before(agenda: Agenda) -> None:
    agenda.run("/todo edit 1 --due friday")
    former = agenda.former("todo", 1)
    agenda.run("/todo edit 1, 2 --due friday")
    assert former and agenda.former("todo", 1) == former
    assert agenda.former("todo", 2)


@pytest.mark.parametrize("command", ["/todo help", "/schedule help"])
def test_the_help_tells_how_several_are_named(agenda: Agenda, command: str) -> None:
    agenda.run("/schedule edit 1 --at 2026-03-20")
    shown = agenda.run(command)
    line = next(line for line in shown.splitlines() if line.startswith("Several at once"))
    for example in line.partition(": ")[2].split(", "):
        agenda.run(example)


def test_one_wrong_id_changes_nothing(agenda: Agenda) -> None:
    with pytest.raises(CommandError, match="no todo 9"):
        agenda.run("/todo edit 1, 9 --due friday")
    assert next(one for one in agenda.todos() if one.id == 1).due == NOW.replace(day=12, hour=0)


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("/todo done all", []),
        ("/todo done everything", []),
        ("/todo rm all", []),
        ("/todo rm call grandma", ["water the tomatoes", "take the bins out", "read the report"]),
    ],
)
def test_all_stands_for_all_and_is_no_part_of_a_word(agenda: Agenda, command: str, left: list[str]) -> None:
    agenda.run(command)
    assert sorted(one.text for one in agenda.todos("open")) == sorted(left)
    assert [one.text for one in agenda.appointments()] == ["gym", "lunch with Eva", "parent evening"]


def test_an_entry_that_is_called_all_is_meant_by_it() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for text in ("all", "milk"):
            agenda.run(f"/todo add {text}")
        agenda.run("/todo rm all")
        assert [one.text for one in agenda.todos()] == ["milk"]


@pytest.mark.parametrize(
    ("said", "call", "carried_out"),
    [
        (
            "push everything that is still open to friday",
            "/schedule edit gym --at friday",
            "/todo edit 1, 2, 4 --due friday",
        ),
        (
            "push everything that is still open to friday",
            "/todo edit 1 --due friday",
            "/todo edit 1, 2, 4 --due friday",
        ),
        ("tick off everything about the tomatoes", "/todo done 1", "/todo done 1"),
        ("mark everything as done", "/todo done water the tomatoes", "/todo done 1, 2, 4"),
        ("everything on my list is done", "/todo done 1", "/todo done 1, 2, 4"),
        ("tick off all my todos but the bins", "/todo done 1", "/todo done 1, 4"),
        ("mark all as done except the bins", "/todo done all", "/todo done 1, 4"),
        ("delete all finished tasks", "/todo rm all", "/todo rm 3"),
        ("move all of tomorrow's tasks to friday", "/todo edit 1 --due friday", "/todo edit 1, 2 --due friday"),
        ("cancel everything on friday", "/schedule rm gym", "/schedule rm 1, 2"),
        ("cancel all my appointments on friday", "/schedule rm gym", "/schedule rm 1, 2"),
        ("cancel all appointments on friday except lunch", "/schedule rm all", "/schedule rm 1"),
        ("all my open tasks are urgent", "/todo edit 1 --priority high", "/todo edit 1, 2, 4 --priority high"),
        ("把所有待办都标记为完成", "/todo done 1", "/todo done 1, 2, 4"),
    ],
)
def test_everything_means_all_of_it(said: str, call: str, carried_out: str) -> None:
    assert becomes(said, call, *SETUP) == (carried_out, None)


WEEK = (
    "/schedule add dentist --at thursday 10:00",
    "/schedule add team meeting --at friday 14:00",
    "/schedule add dinner with Sam --at friday 19:30",
    "/schedule add yoga --at saturday 9:00",
    "/todo add buy milk",
    "/todo add pay rent --due friday",
    "/todo add call mum --tag home",
)


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("Keep everything, but cancel the dentist", "/schedule rm 1"),
        ("everything stays but yoga is cancelled", "/schedule rm 4"),
        ("that's all as planned, but cancel yoga", "/schedule rm 4"),
        ("I need everything but the milk, delete it", "/todo rm 1"),
        ("all the tasks are fine except pay rent, delete it", "/todo rm 2"),
        ("all meetings are fine, except that the team meeting moves to 15:00", "/schedule edit 2 --at 15:00"),
        ("cancel all my evening appointments", "/schedule rm 3"),
        ("cancel all my appointments with Tom", "/schedule rm 3"),
        ("cancel all work appointments", "/schedule rm 2"),
        ("cancel everything at the gym", "/schedule rm 4"),
        ("delete all todos without a date", "/todo rm 1"),
        ("delete all todos tagged shopping", "/todo rm 1"),
        ("cancel everything on friday evening", "/schedule rm 3"),
        ("cancel everything after 3 on friday", "/schedule rm 3"),
        ("cancel everything on friday before 5pm", "/schedule rm 2"),
        ("All my meetings are a pain. Cancel yoga", "/schedule rm 4"),
        ("no need to cancel all the meetings. only drop yoga", "/schedule rm 4"),
        ("move all my things for Friday morning to Saturday", "/schedule edit 2 --at saturday"),
        ("push all my appointments by one hour", "/schedule edit 1 --at 11:00"),
        ("move all appointments one day later", "/schedule edit 1 --at 2026-03-13 10:00"),
        ("delete every meeting with the team", "/schedule rm 2"),
        ("全部都好，只取消瑜伽", "/schedule rm 4"),
    ],
)
def test_where_more_is_said_than_all_the_command_stays_as_it_is(said: str, call: str) -> None:
    assert becomes(said, call, *WEEK)[0] == call


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("delete the milk todo", "/todo rm all"),
        ("drop call mum", "/todo rm everything"),
        ("delete all shopping todos", "/todo rm all"),
    ],
)
def test_all_from_a_model_is_asked_about_where_the_user_does_not_say_so(said: str, call: str) -> None:
    command, held = becomes(said, call, *WEEK)
    assert command.endswith(("all", "everything")) and held and "which todo" in held.question


def test_there_is_nothing_to_remove_of_an_empty_list() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda, pytest.raises(CommandError):
        agenda.run("/schedule rm all")


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("water the tomatoes is done, that's everything", "/todo done 1"),
        ("the gym is on friday all day now", "/schedule edit 1 --at 2026-03-20"),
        ("call off the gym after all", "/schedule rm 1"),
        ("did I do all my tasks?", "/todo done 1"),
        ("tomatoes watered, everything else stays", "/todo done 1"),
        ("read all the mails from the insurance", "/todo add read all the mails from the insurance"),
    ],
)
def test_other_words_with_all_mean_one(said: str, call: str) -> None:
    assert becomes(said, call, *SETUP)[0] == call
