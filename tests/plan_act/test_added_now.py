"""What the run itself has added is not added again, and the user is not asked about it."""

from __future__ import annotations

from datetime import datetime

from support.plan_act import Invoke, act, done, planned, play, replanned
from thoughtgraph.tools.agenda import Agenda, schedule_tool

ADD = "/schedule add electrician --at 24th 7:30"
SAID = "the electrician is booked for the 24th, 7.30, and the meter cupboard has to be empty by the 23rd"


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


def test_a_second_step_that_adds_the_first_ones_entry_is_left_without_a_question(invoke: Invoke) -> None:
    replies = [
        planned("schedule the electrician", "empty the meter cupboard"),
        act("schedule", ADD),
        done("The electrician is scheduled."),
        replanned("empty the meter cupboard"),
        act("schedule", ADD),
        act("schedule", f"{ADD} --status taken"),
        replanned(response="The electrician is scheduled; the cupboard is not noted."),
    ]
    with Agenda(":memory:", clock=now) as agenda:
        result, model, _ = play(invoke, replies, [schedule_tool(agenda)], goal={"goal": SAID}, clock=now)
        assert len(agenda.appointments(start=now())) == 1
    assert result["clarifications"] == []
    assert [item["status"] for item in result["plan"]] == ["done", "failed"]
    assert result["stop_reason"]["kind"] == "partly_done"
    told = [seen["data"]["result"] for seen in result["events"] if seen["kind"] == "observation"]
    assert sum("This run has added it already: 1: electrician" in one for one in told) == 2
    assert "This run has added it already" in str(model.requests[-1][-1].content), "the replanner is not told why"


def test_an_entry_of_an_earlier_run_is_asked_about_as_before(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run(ADD)
        replies = [planned("a"), act("schedule", ADD), act("schedule", ADD), done("D"), replanned(response="E")]
        goal = {"goal": "the electrician is booked for the 24th, 7.30"}
        tools, answers = [schedule_tool(agenda)], ["yes, another"]
        result, _, shown = play(invoke, replies, tools, goal=goal, clock=now, answers=answers)
    assert "“1: electrician” is on the list already. Is this another one?" in shown[0]
    assert len(result["clarifications"]) == 1


def test_another_one_at_another_time_of_the_same_day_that_the_user_says_is_added_unasked(invoke: Invoke) -> None:
    pills = "/schedule add pills --at friday"
    replies = [
        planned("schedule the first", "schedule the second"),
        act("schedule", f"{pills} 8:00"),
        done("D"),
        replanned("schedule the second"),
        act("schedule", f"{pills} 20:00"),
        done("D"),
        replanned(response="E"),
    ]
    goal = {"goal": "pills on friday at 8 and at 20"}
    with Agenda(":memory:", clock=now) as agenda:
        tools = [schedule_tool(agenda)]
        result, _, shown = play(invoke, replies, tools, goal=goal, clock=now)
        assert [one.start.hour for one in agenda.appointments(start=now())] == [8, 20]
    assert shown == []
    assert result["stop_reason"]["kind"] == "goal_met"
