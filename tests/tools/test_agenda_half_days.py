"""An hour that may be of the morning or of the evening: of what is there, and of what it is for."""

from datetime import datetime

import pytest
from support.plan_act import act, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.tools.agenda import Agenda, schedule_tool

NOW = datetime(2026, 3, 11, 9)


def start_of(said: str, call: str, *setup: str) -> str:
    """When the first appointment begins after a request with one call."""
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for command in setup:
            agenda.run(command)
        model = ScriptedModel(
            replies=[planned("do it"), *[act("schedule", call)] * 3, *[replanned(response="OK.")] * 9]
        )
        graph = create_plan_act_graph(model, [schedule_tool(agenda)], clock=lambda: NOW, interactive=False)
        graph.invoke({"goal": said})
        return f"{agenda.appointments()[0].start:%a %H:%M}-{agenda.appointments()[0].end:%H:%M}"


@pytest.mark.parametrize(
    ("said", "call", "there", "start"),
    [
        ("Can you move Friday's gym to 8?", "edit 1 --at 8", "gym --at friday 7:00", "Fri 08:00-09:00"),
        ("Can you move Friday's gym to 8?", "edit gym --at friday 8", "gym --at friday 7:00", "Fri 08:00-09:00"),
        ("Can you move Friday's gym to 8?", "edit gym --at 20:00", "gym --at friday 7:00", "Fri 08:00-09:00"),
        ("move dinner to 8", "edit dinner --at 8:00", "dinner --at friday 19:00", "Fri 20:00-21:00"),
        ("make the dinner half past 8", "edit dinner --at 8:30", "dinner --at friday 19:00", "Fri 20:30-21:30"),
        ("bring the recital forward to five", "edit 1 --at 5:00", "recital --at friday 17:30", "Fri 17:00-18:00"),
        (
            "move the dentist to Friday at 3",
            "edit dentist --at friday 3",
            "dentist --at thursday 10:00",
            "Fri 15:00-16:00",
        ),
        ("move the gym to 8pm", "edit gym --at 20:00", "gym --at friday 7:00", "Fri 20:00-21:00"),
        (
            "the gym is in the evening, at seven, not at seven in the morning",
            "edit 1 --at 19:00",
            "gym --at friday 7:00",
            "Fri 19:00-20:00",
        ),
        ("move dinner to 8 in the morning", "edit dinner --at 8:00", "dinner --at friday 19:00", "Fri 08:00-09:00"),
    ],
)
def test_an_appointment_that_is_moved_stays_in_its_half_of_the_day(
    said: str, call: str, there: str, start: str
) -> None:
    assert start_of(said, f"/schedule {call}", f"/schedule add {there}") == start


@pytest.mark.parametrize(
    ("said", "call", "start"),
    [
        ("dinner with mum friday at 8", "dinner with mum --at friday 8:00", "Fri 20:00-21:00"),
        ("dinner friday 7 to 9 at Joe's", "dinner at Joe's --at friday 7:00-9:00", "Fri 19:00-21:00"),
        ("drinks with Tom thursday half 6", "drinks with Tom --at thursday 6:30", "Thu 18:30-19:30"),
        ("dinner at Mum's sunday at 1", "dinner at Mum's --at sunday 13:00", "Sun 13:00-14:00"),
        ("cook dinner sunday at 12", "cook dinner --at sunday 12:00", "Sun 12:00-13:00"),
        ("breakfast with mum friday at 8", "breakfast with mum --at friday 8:00", "Fri 08:00-09:00"),
        ("gym tomorrow at 7:30", "gym --at tomorrow 7:30", "Thu 07:30-08:30"),
        ("night shift saturday at 8am", "night shift --at saturday 8:00", "Sat 08:00-09:00"),
        ("party planning tuesday at 10", "party planning --at tuesday 10:00", "Tue 10:00-11:00"),
        ("shop for the party saturday at 10", "shop for the party --at saturday 10:00", "Sat 10:00-11:00"),
    ],
)
def test_a_new_one_is_in_the_evening_if_what_it_is_takes_place_then(said: str, call: str, start: str) -> None:
    assert start_of(said, f"/schedule add {call}") == start


@pytest.mark.parametrize(
    ("said", "call", "lasts"),
    [
        ("ballet in the hall, 6 in the evening on friday, goes on till 8", "friday 18:00-8:00", "Fri 18:00-20:00"),
        ("ballet friday 6 pm until 8:30", "friday 18:00 --until 8:30", "Fri 18:00-20:30"),
        ("night shift friday 10 pm until 8", "friday 22:00-8:00", "Fri 22:00-08:00"),
        ("vigil friday 6 pm until 8 in the morning", "friday 18:00-8:00", "Fri 18:00-08:00"),
    ],
)
def test_an_appointment_ends_on_its_day_where_its_end_may_be_in_the_evening(said: str, call: str, lasts: str) -> None:
    assert start_of(said, f"/schedule add {said.split()[0]} --at {call}") == lasts
