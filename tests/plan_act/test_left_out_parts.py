"""Which parts of a goal a plan leaves out, of goals that are chatted: the step that the loop adds for each."""

from __future__ import annotations

import pytest
from thoughtgraph.nodes.plan_act.checks.covered import left_out

SHIFT = "swapped w tendai so im on nights thurs. change it pls and put on my list to get her a bottle of smth"
REP = "Rep from Tollgarth Flour is calling in at the bakery on Monday, get it in the book. Oh and the till rolls came"
KILN = "Kiln's mended, cross that off. Oh and Monday's class is in the annexe now, not the barn."


@pytest.mark.parametrize(
    ("goal", "plan", "context", "part"),
    [
        # The plan shares only a word for a time with the goal.
        (SHIFT, "change the time of 'Night shift' to 20:00", "schedule 1: Night shift", "put on my list to get her a"),
        # "It" is what the clause before is about.
        (REP, "mark the todo 'chase the till rolls' as done", "todo 1: chase the till rolls", "Rep from Tollgarth"),
        # News of where something is now.
        (
            KILN,
            "mark the todo 'repair the kiln' as done",
            "todo 1: repair the kiln\nschedule 1: Pottery class, Mon 2026-03-16 18:00",
            "Monday's class is in the annexe now",
        ),
    ],
)
def test_a_part_that_the_plan_has_no_step_for_is_left_out(goal: str, plan: str, context: str, part: str) -> None:
    assert any(one.startswith(part) for one in left_out(goal, plan, context))


@pytest.mark.parametrize(
    ("goal", "plan", "context"),
    [
        (
            "The recital is on 2 April at 5, no hang on, that's when the doors open, it starts at 6. In the diary!",
            "schedule 'recital' on 2 April 18:00",
            "",
        ),
        (
            KILN,
            "mark the todo 'repair the kiln' as done\nchange the place of 'Pottery class' to the annexe",
            "todo 1: repair the kiln\nschedule 1: Pottery class, Mon 2026-03-16 18:00",
        ),
        (
            REP,
            "mark the todo 'chase the till rolls' as done\nschedule 'rep from Tollgarth Flour at the bakery' on Monday",
            "todo 1: chase the till rolls",
        ),
    ],
)
def test_a_part_that_is_met_or_wants_nothing_is_not(goal: str, plan: str, context: str) -> None:
    assert left_out(goal, plan, context) == []


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (
            "Add cat litter to my list please, and I've got a haircut Saturday at 11 at Bella's",
            ["I've got a haircut Saturday at 11 at Bella's"],
        ),
        (
            "add litter to my list, and im measuring up at mrs kayes tomorow 8.15",
            ["im measuring up at mrs kayes tomorow 8.15"],
        ),
        ("add litter to my list, the train leaves on friday at 9", []),
        ("add litter to my list, I've got the list from Jo", []),
        ("add litter to my list, I've moved the haircut to friday at 9", []),
    ],
)
def test_what_the_user_has_on_with_its_day_and_time_is_a_wish(said: str, left: list[str]) -> None:
    assert left_out(said, "add the todo 'litter'") == left
