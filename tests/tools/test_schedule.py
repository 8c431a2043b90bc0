"""`/schedule` and `/view`: orders in strict and loose form, overlaps, periods, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.appointments import Appointment

NOW = datetime(2026, 11, 20, 9, 30, 17)  # a Friday


@pytest.fixture
def agenda() -> Iterator[Agenda]:
    with Agenda(":memory:", clock=lambda: NOW) as opened:
        yield opened


def add(agenda: Agenda, *texts: str) -> None:
    for text in texts:
        agenda.run(f"/schedule add {text}")


def listed(answer: str) -> list[int]:
    return [int(line.split(":")[0]) for line in answer.splitlines()[1:]]


def test_add_keeps_every_field_and_names_it_in_the_answer(agenda: Agenda) -> None:
    answer = agenda.run('/schedule add Sync --at 2026-12-01 10:30 --for 90m --place "Room 4"')
    assert answer == "Added appointment 1: Sync, Tue 2026-12-01 10:30-12:00, at Room 4."
    start, end = datetime(2026, 12, 1, 10, 30), datetime(2026, 12, 1, 12)
    assert agenda.appointments() == [Appointment(1, "Sync", start, end, "Room 4")]


@pytest.mark.parametrize(
    ("line", "text", "start", "minutes"),
    [
        ("2026-12-01 10:00 Team meeting", "Team meeting", "2026-12-01 10:00", 60),
        ("2026-12-01T10:00 Team meeting", "Team meeting", "2026-12-01 10:00", 60),
        ('"Team meeting" 2026-12-01 10:00', "Team meeting", "2026-12-01 10:00", 60),
        ("Dentist tomorrow 15:00", "Dentist", "2026-11-21 15:00", 60),
        ("tomorrow at 3pm dentist", "dentist", "2026-11-21 15:00", 60),
        ("dentist on friday 9am", "dentist", "2026-11-27 09:00", 60),
        ("明天下午3点开会", "开会", "2026-11-21 15:00", 60),
        ("call mar --at friday 9am", "call mar", "2026-11-27 09:00", 60),
        ("--at friday 9am call mar", "call mar", "2026-11-27 09:00", 60),
        ("Monday prep --at tuesday 10:00", "Monday prep", "2026-11-24 10:00", 60),
        ("Call 2026-12-02 10:00-11:30", "Call", "2026-12-02 10:00", 90),
        ("Call 2026-12-02 10:00-11:30 --for 15m", "Call", "2026-12-02 10:00", 15),
        ("Gym for 2 hours tomorrow 18:00", "Gym", "2026-11-21 18:00", 120),
        ("Gym tomorrow 18:00 for 1h30m", "Gym", "2026-11-21 18:00", 90),
        ("look for Bob tomorrow 18:00", "look for Bob", "2026-11-21 18:00", 60),
        ("--for 1h30m Retro --when tomorrow 10:00", "Retro", "2026-11-21 10:00", 90),
        ("开会 --at 明天上午十点 --duration 半小时", "开会", "2026-11-21 10:00", 30),
        ("Flight --at 2026-12-31 23:00 --for 3h", "Flight", "2026-12-31 23:00", 180),
    ],
)
def test_strict_and_loose_orders_say_the_same(agenda: Agenda, line: str, text: str, start: str, minutes: int) -> None:
    add(agenda, line)
    (kept,) = agenda.appointments()
    assert (kept.text, kept.start, kept.place) == (text, datetime.fromisoformat(start), "")
    assert (kept.end - kept.start).total_seconds() == minutes * 60


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("/schedule add", "text is missing"),
        ("/schedule add tomorrow 15:00", "text is missing"),
        ("/schedule add Dentist", "date and time are missing"),
        ("/schedule add Dentist tomorrow", "time of day is missing"),
        ("/schedule add Dentist --at tomorrow", "time of day is missing"),
        ("/schedule add Dentist --at someday 15:00", '"someday 15:00" is not a date'),
        ("/schedule add Dentist 1/12/2026 10:00", "year-month-day"),
        ("/schedule add Dentist tomorrow 25:00", "does not exist"),
        ("/schedule add Dentist tomorrow at 3", "3pm or 15:00"),
        ("/schedule add Dentist tomorrow 15:00 --for ages", '"ages" is not a length of time'),
        ("/schedule add Dentist tomorrow 15:00 --for 40 days", "31 days"),
        ("/schedule add Dentist tomorrow 15:00 --place", "--place has no value"),
        ("/schedule add Dentist tomorrow 15:00 --due friday", "known here: --at, --for, --place"),
        ("/schedule add tomorrow 15:00 " + "x" * 501, "500 characters"),
        ("/schedule add Dentist tomorrow 15:00 --place " + "x" * 501, "500 characters"),
    ],
)
def test_a_refused_add_changes_nothing_and_shows_the_usage(agenda: Agenda, line: str, part: str) -> None:
    with pytest.raises(CommandError, match=part) as caught:
        agenda.run(line)
    assert agenda.appointments() == []
    assert "/schedule add dentist --at tomorrow 15:00 --for 30m" in str(caught.value)


def test_overlaps_are_allowed_but_named_and_touching_is_none(agenda: Agenda) -> None:
    add(agenda, "A tomorrow 10:00-11:00", "B tomorrow 11:00-12:00")
    answer = agenda.run("/schedule add C tomorrow 10:59-11:01")
    assert answer.splitlines()[1] == ("It overlaps 1: A, Sat 2026-11-21 10:00-11:00; 2: B, Sat 2026-11-21 11:00-12:00.")
    assert len(agenda.run("/schedule add D tomorrow 12:00").splitlines()) == 1
    assert "It overlaps 4: D" in agenda.run("/schedule edit 1 --at 12:30")
    assert len(agenda.run("/schedule edit 1 A renamed --at 14:00").splitlines()) == 1


def test_a_start_in_the_past_is_taken_with_a_note(agenda: Agenda) -> None:
    assert "Note: it starts in the past." in agenda.run("/schedule add Standup 2026-11-20 9:00")
    assert "past" not in agenda.run("/schedule add Standup 2026-11-20 9:31")


def test_an_appointment_past_midnight_shows_both_days(agenda: Agenda) -> None:
    add(agenda, "Party 2026-12-31 23:00 --for 3h")
    assert agenda.run("/schedule show 1") == (
        "1: Party, Thu 2026-12-31 23:00 - Fri 2027-01-01 02:00 (3h)\nThat is in 41 days."
    )
    assert listed(agenda.run("/schedule list 2027-01-01")) == [1]


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("/schedule", [2, 3, 4, 5]),
        ("/schedule list", [2, 3, 4, 5]),
        ("/schedule ls upcoming", [2, 3, 4, 5]),
        ("/schedule list all", [1, 2, 3, 4, 5]),
        ("/schedule show all", [1, 2, 3, 4, 5]),
        ("/schedule list today", [2, 3]),
        ("/schedule show tomorrow", [4]),
        ("/schedule list week", [2, 3, 4]),
        ("/schedule list 2026-12-01", [5]),
        ("/schedule list 2026-11-19..2026-11-20", [1, 2, 3]),
        ("/schedule list 12月1日", [5]),
        ("/schedule list 2030-01-01", []),
    ],
)
def test_list_shows_the_period_that_was_asked_for_in_order(agenda: Agenda, line: str, ids: list[int]) -> None:
    add(agenda, "past 2026-11-19 8:00", "running 2026-11-20 9:00", "soon 2026-11-20 10:00", "T tomorrow 9:00")
    add(agenda, "later 2026-12-01 10:00")
    assert listed(agenda.run(line)) == ids


@pytest.mark.parametrize(
    "line", ["/schedule list nonsense", "/schedule list 2026-12-02..2026-12-01", "/schedule list --due x"]
)
def test_a_period_that_cannot_be_read_is_refused(agenda: Agenda, line: str) -> None:
    with pytest.raises(CommandError, match="Usage: /schedule list"):
        agenda.run(line)


def test_next_is_the_first_that_has_not_begun(agenda: Agenda) -> None:
    assert "No upcoming appointments" in agenda.run("/schedule next")
    add(agenda, "later 2026-12-01 10:00", "running 2026-11-20 9:00", "soon 2026-11-20 10:00")
    assert agenda.run("/schedule next") == "Next: 3: soon, Fri 2026-11-20 10:00-11:00\nThat is today."


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("--at 16:00", ("Dentist", "2026-12-01 16:00", "2026-12-01 17:30", "here")),
        ("tomorrow 17:00", ("Dentist", "2026-11-21 17:00", "2026-11-21 18:30", "here")),
        ("--at 2026-12-05", ("Dentist", "2026-12-05 10:00", "2026-12-05 11:30", "here")),
        ("--at 2026-12-05 8:00-9:00", ("Dentist", "2026-12-05 08:00", "2026-12-05 09:00", "here")),
        ("--for 2h", ("Dentist", "2026-12-01 10:00", "2026-12-01 12:00", "here")),
        ("--place Room 5", ("Dentist", "2026-12-01 10:00", "2026-12-01 11:30", "Room 5")),
        ("--place none", ("Dentist", "2026-12-01 10:00", "2026-12-01 11:30", "")),
        ("Review of friday", ("Review of friday", "2026-12-01 10:00", "2026-12-01 11:30", "here")),
        ("Dr. No --at 9:00 --for 30m", ("Dr. No", "2026-12-01 09:00", "2026-12-01 09:30", "here")),
    ],
)
def test_edit_changes_what_is_named_and_keeps_the_rest(
    agenda: Agenda, change: str, expected: tuple[str, str, str, str]
) -> None:
    add(agenda, "Dentist --at 2026-12-01 10:00 --for 90m --place here")
    assert agenda.run(f"/schedule update 1 {change}").startswith("Changed appointment 1: ")
    text, start, end, place = expected
    changed = Appointment(1, text, datetime.fromisoformat(start), datetime.fromisoformat(end), place)
    assert agenda.appointments() == [changed]


@pytest.mark.parametrize(
    "line",
    [
        "edit",
        "edit 1",
        "edit dentist x",
        "edit 9 x",
        "edit 1 --at soon",
        "edit 1 25:00",
        "rm",
        "rm 9",
        "rm 1 9",
        "rm Zoo",
        "show 9",
        "find",
        "dance",
    ],
)
def test_a_refused_order_changes_nothing(agenda: Agenda, line: str) -> None:
    add(agenda, "Dentist --at 2026-12-01 10:00")
    before = agenda.appointments()
    with pytest.raises(CommandError, match="/schedule"):
        agenda.run(f"/schedule {line}")
    assert agenda.appointments() == before


def test_remove_takes_ids_or_one_whole_text(agenda: Agenda) -> None:
    add(agenda, "Dentist 2026-12-01 10:00", "Gym 2026-12-02 10:00", "Gym 2026-12-03 10:00")
    assert agenda.run("/schedule delete dentist") == "Removed appointment 1: Dentist, Tue 2026-12-01 10:00-11:00."
    with pytest.raises(CommandError, match=r"several appointments.*2: Gym; 3: Gym"):
        agenda.run("/schedule rm gym")
    agenda.run("/schedule rm #2 3")
    assert agenda.appointments() == []
    assert agenda.run("/schedule add New 2026-12-04 10:00").startswith("Added appointment 4")


def test_find_looks_in_texts_and_places(agenda: Agenda) -> None:
    add(agenda, "Sync with Bob 2026-12-01 10:00 --place Room 4", "Gym 2026-12-02 10:00")
    assert listed(agenda.run("/schedule find room bob")) == [1]
    assert "No appointment holds" in agenda.run("/schedule find alice")


def test_typed_reading_takes_a_stretch_of_time(agenda: Agenda) -> None:
    add(agenda, "A 2026-12-01 10:00", "B 2026-12-01 11:00", "C 2026-12-01 12:00")
    found = agenda.appointments(datetime(2026, 12, 1, 11), datetime(2026, 12, 1, 12))
    assert [appointment.text for appointment in found] == ["B"]


def test_help_shows_every_order(agenda: Agenda) -> None:
    shown = agenda.run("/schedule help")
    assert all(f"/schedule {order}" in shown for order in ("add", "list", "edit", "rm", "show", "next", "find"))


@pytest.mark.parametrize(
    ("line", "todos", "appointments"),
    [
        ("/view", ["open", "due", "eve"], ["soon", "tomorrow's"]),
        ("/VIEW all", ["open", "due", "eve", "finished"], ["past", "soon", "tomorrow's"]),
        ("/view today", ["due"], ["soon"]),
        ("/view tomorrow", ["eve"], ["tomorrow's"]),
        ("/view 2026-11-19", [], ["past"]),
        ("/view week", ["due", "eve"], ["soon", "tomorrow's"]),
        ("/view 2026-11-20", ["due"], ["soon"]),
        ("/view todo", ["open", "due", "eve"], []),
        ("/view schedule", [], ["soon", "tomorrow's"]),
        ("/view done", ["finished"], []),
    ],
)
def test_view_shows_both_lists_of_the_same_days(
    agenda: Agenda, line: str, todos: list[str], appointments: list[str]
) -> None:
    for text in ("open", "due --due today", "finished", "eve --due tomorrow"):
        agenda.run(f"/todo add {text}")
    agenda.run("/todo done 3")
    add(agenda, "past 2026-11-19 8:00", "soon 2026-11-20 10:00", "tomorrow's 2026-11-21 9:00")
    shown = agenda.run(line)
    texts = ["open", "due", "eve", "finished", "past", "soon", "tomorrow's"]
    found = [text for text in texts if any(row.partition(": ")[2].startswith(text) for row in shown.splitlines())]
    assert found == [text for text in texts if text in todos + appointments]


def test_a_view_of_what_there_is_not_is_refused(agenda: Agenda) -> None:
    with pytest.raises(CommandError, match=r"Usage: /view \[today"):
        agenda.run("/view nonsense")
