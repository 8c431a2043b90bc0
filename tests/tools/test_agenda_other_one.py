"""What was removed is back, and the other one of its name goes, where the user says that it is the other one."""

import pytest
from support.commands import becomes
from thoughtgraph.nodes.plan_act.checks.draft import taken_back

SETUP = ("/schedule add Lido swim --at 2026-03-15 08:00", "/schedule add Gym --at 2026-03-15 18:00")
DONE = "/schedule rm 1 → Removed appointment 1: Lido swim, Sat 2026-03-14 07:30-08:30."
BEFORE = f"User: take Saturday's swim out, the lido's shut\nAssistant: I took it out.\n(What was done: {DONE})"
BACK = "/schedule add Lido swim --at 2026-03-14 07:30 --for 60m"
SAID = "oh blast no, Saturday's still on, it's the Sunday one they've cancelled. Can you swap that round"


@pytest.mark.parametrize(
    "said",
    [
        SAID,
        "sorry, Saturday isn't cancelled, it's Sunday's",
        "Saturday stays, the Sunday one is the one that's off",
        "no, keep Saturday! It's the one on Sunday",
    ],
)
def test_the_other_one_goes_and_this_one_is_back(said: str) -> None:
    setup = SETUP
    assert becomes(said, "/schedule edit Lido swim --at 14:00", *setup, before=BEFORE) == ("/schedule rm 1", None)
    added = becomes(said, "/schedule add Lido swim --at 2026-03-14 14:00", *setup, before=BEFORE)
    assert added == (BACK, None)
    assert taken_back(said, "move the appointment 'Lido swim' to 14:00", BEFORE, "en") == [DONE]
    assert becomes(said, "/schedule rm Gym", *setup, before=BEFORE, step=f"take back: {DONE}")[0] == BACK


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("and cancel the gym on Sunday", "/schedule rm Gym"),
        ("is Sunday's swim still on?", "/schedule show 1"),
        ("Saturday's still on my mind. Add gym on Saturday at 8", "/schedule add Gym --at saturday 8:00"),
        ("the Sunday one goes too", "/schedule rm 2"),
    ],
)
def test_another_wish_is_left_alone(said: str, call: str) -> None:
    assert becomes(said, call, *SETUP, before=BEFORE)[0].partition(" --")[0] == call.partition(" --")[0]


def test_a_plan_that_brings_it_back_is_left_alone() -> None:
    assert not taken_back(SAID, "add the appointment 'Lido swim' on Saturday at 7:30", BEFORE, "en")
