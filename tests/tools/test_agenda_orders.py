"""Commands that do another thing than the user's words speak of, by their order, and what becomes of them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from support.commands import becomes
from thoughtgraph.errors import CommandError
from thoughtgraph.nodes.plan_act.checks.covered import left_out
from thoughtgraph.tools.agenda import Agenda, todo_tool

NURSE = "Off-duty is out. Extra shift this Saturday, 2000 till 0730 on Ward 9. stick it in the diary for me"
SHIFTS = (
    "/schedule add Late shift --at 2026-03-15 13:00-21:00",
    "/schedule add Late shift --at 2026-03-17 13:00-21:00",
)
PARTY = ("/schedule add Party of 30 --at 2026-03-13 19:30-21:30 --place garden room",)
TASTING = ("/schedule add Cheese tasting --at 2026-03-12 11:00-12:30",)
REVIEW = ("/todo add review the grant --due 2026-03-20",)


@pytest.mark.parametrize(
    ("command", "right"),
    [
        ("/schedule add essay --date friday --time 3pm", "/schedule add essay --at 2026-03-13 3pm"),
        ("/schedule add essay --at 3pm --date friday", "/schedule add essay --at 2026-03-13 3pm"),
        ("/todo add essay --due friday --time 3pm", "/todo add essay --due 2026-03-13 3pm"),
        ("/todo add essay --time 3pm", "/todo add essay --due 2026-03-13 3pm"),
        ("/schedule add essay --at friday 3pm --date friday", "/schedule add essay --at 2026-03-13 3pm"),
        ("/todo add essay --due friday --deadline monday", "/todo add essay --due 2026-03-13 15:00"),
    ],
)
def test_a_day_and_a_time_in_two_options_are_one_moment(command: str, right: str) -> None:
    assert becomes("essay on friday at 3pm", command)[0].replace("friday 3pm", "2026-03-13 3pm") == right.replace(
        "friday 3pm", "2026-03-13 3pm"
    )


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        (
            "Shop shuts 5pm tomorrow. Need two valves before then. On the list with the time on it",
            "/todo add two valves --time 5pm",
            "/todo add two valves --due 2026-03-12 5pm",
        ),
        (
            "The vicar has asked me to dine with him, half past six in the evening, at the Capstan",
            "/schedule add dine with the vicar --at the Capstan 16:00",
            "/schedule add dine with the vicar --at 18:30 --place the Capstan",
        ),
        (
            "the jab is on the 25th. into the diary with it",
            "/schedule add jab into the diary due the 25th --at the 25th",
            "/schedule add jab --at the 25th",
        ),
        ("put milk on my list", "/todo add milk on my list", "/todo add milk"),
        ("remind me to write in my diary", "/todo add write in my diary", "/todo add write in my diary"),
        (
            NURSE.replace("2000 till 0730", "0730 till 2000"),
            "/schedule add stick it in the diary",
            "/schedule add Extra shift --at 2026-03-14 07:30-20:00 --place Ward 9",
        ),
        ("friday at 2", "/schedule add dentist --at 2026-03-13 2", "/schedule add dentist --at 2026-03-13 14:00"),
        ("friday at 9", "/schedule add dentist --at 2026-03-13 9", "/schedule add dentist --at 2026-03-13 9:00"),
        ("moved to wednesday", "/schedule edit 1 --at wednesday in same week", "/schedule edit 1 --at 2026-03-18"),
        ("周五之前交房租", "/todo add 交房租 --due 周五之前", "/todo add 交房租 --due 周五"),
        ("rent before friday", "/todo add rent --due before friday", "/todo add rent --due friday"),
        (
            "linen is here. oh and one more for the list: the menus have to go back to the printer",
            "/todo one more for the list: the menus have to go back to the printer",
            "/todo add menus have to go back to the printer",
        ),
        ("linen has to be here today", "/todo linen is here", "/todo linen is here"),
        ("what do I have to do today?", "/todo what do I have to do today", "/view 2026-03-11"),
        # What is asked about without a word of the list is both.
        ("what's on in December?", "/todo list", "/view December"),
        ("what have I got on friday?", "/todo list", "/view 2026-03-13"),
        ("by the 25th of this month", "/todo list --due 2026-03-25", "/view 2026-03-25"),
        ("what is on my list in December?", "/todo list", "/todo list"),
        ("what have I got to do?", "/todo list", "/todo list"),
        # The whole question in place of a command.
        (
            "Good morning! What have I got on today?",
            "/todo Good morning! What have I got on today?",
            "/view 2026-03-11",
        ),
        ("what's left to do?", "/todo find what's left to do?", "/todo list"),
        ("早上好，今天有什么安排？", "/schedule 早上好，今天有什么安排？", "/view 2026-03-11"),
        ("Evening. Have I got milk on the list?", "/todo find milk", "/todo find milk"),
        ("Good morning! Cancel the lab", "/todo Good morning! Cancel the lab", "/todo Good morning! Cancel the lab"),
        ("is there anything after friday?", "/schedule list", "/schedule list"),
        ("my sunday late is at 0700 now", "/schedule edit 1 --at the 0700 start", "/schedule edit 1 --at 07:00"),
    ],
)
def test_a_new_entry_is_as_the_user_has_it(said: str, command: str, right: str) -> None:
    assert becomes(said, command)[0] == right


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        ("cancel the late shift on tuesday", "/schedule rm Late shift", "/schedule rm 2"),
        ("my sunday late becomes an early: 0700", "/schedule edit Late shift --at 07:00", "/schedule edit 1 --at"),
        ("my sunday late becomes an early: 0700", "/schedule rm Late shift", "/schedule rm Late shift"),
        ("move the late shift to sunday", "/schedule edit Late shift --at sunday", "/schedule edit Late shift"),
        ("cancel the late shift", "/schedule rm Late shift", "/schedule rm Late shift"),
    ],
)
def test_the_day_that_the_user_names_tells_which_of_several(said: str, command: str, right: str) -> None:
    assert becomes(said, command, *SHIFTS)[0].startswith(right)


@pytest.mark.parametrize(
    ("said", "command", "setup", "hint"),
    [
        # What the user moves, corrects or lengthens is neither done nor off.
        ("the grant review is two days earlier now", "/todo done review the grant", REVIEW, "edit 1 --due 2026-03-18"),
        ("reviewed the grant two days earlier than I had to", "/todo done review the grant", REVIEW, ""),
        (
            "the grant is due two days later",
            "/todo done mend the gate",
            (*REVIEW, "/todo add mend the gate"),
            "does not say that this is done",
        ),
        ("the date of the grant is wrong, correct it", "/todo done review the grant", REVIEW, "/todo edit 1"),
        ("I have done the grant, correct the list", "/todo done review the grant", REVIEW, ""),
        ("No way the cheese is over by then, stretch it", "/schedule rm Cheese tasting", TASTING, "/schedule edit 1"),
        ("the cheese tasting is off, no need to stretch it", "/schedule rm Cheese tasting", TASTING, ""),
        ("find the cheese another spot", "/schedule add Cheese tasting --at friday 10:00", TASTING, "/schedule edit 1"),
        ("another cheese tasting, friday at 3", "/schedule add Cheese tasting --at friday 15:00", TASTING, ""),
        # Of what is not named, it is asked which is meant.
        ("No way that is over by then, stretch it", "/schedule rm Cheese tasting", TASTING, ""),
        # A new appointment at the very moment of the one that the user speaks of.
        (
            "the 30 on friday sit down an hour sooner and stay till eleven at night, so the garden room is gone",
            "/schedule add garden room --at friday 19:30-21:30",
            PARTY,
            "/schedule edit 1",
        ),
        (
            "taxi at 23:00 on friday, and tea at the same time as the party",
            "/schedule add tea --at friday 19:30",
            PARTY,
            "",
        ),
        ("the grant: make it two pages", "/todo done review the grant", REVIEW, "/todo edit 1"),
        ("thanks, that's all", "/todo add eggs", (), "Answer without a call"),
        ("thanks, that's all I need: eggs", "/todo add eggs", (), ""),
        # News with a word of today.
        ("This morning they reviewed the grant", "/todo edit review the grant --due the 15th", REVIEW, "/todo done 1"),
        ("The review of the grant is due on friday", "/todo edit review the grant --due friday", REVIEW, ""),
        # A wish with words that elsewhere end an entry.
        (
            "The brass has gone as green as grass. No day set, but it ought to be on my list before I forget",
            "/todo rm brass",
            ("/todo add mend the chair",),
            "/todo add",
        ),
    ],
)
def test_what_speaks_against_an_order(said: str, command: str, setup: tuple[str, ...], hint: str) -> None:
    gap = becomes(said, command, *setup)[1]
    assert hint in (gap.hint if gap else "")
    assert bool(gap and gap.hint) == bool(hint)


@pytest.mark.parametrize(
    ("said", "command", "mend"),
    [
        ("I'll start at 2. still have to be finished at 4", "/schedule add cake day --at 2026-03-13 2", "edit 1 --at"),
        # A question, and what has a thing of its own, moves nothing.
        ("so until when am I tied up there on friday?", "/schedule add cake day --at 2026-03-13 15:00", ""),
        ("oh and ring the bakery about it at 5", "/schedule add cake day --at 2026-03-13 17:00", ""),
        ("the same again at 5", "/schedule add cake day --at 2026-03-13 17:00", ""),
        ("and cake day on friday at 6 as well", "/schedule add cake day --at 2026-03-13 18:00", ""),
    ],
)
def test_what_goes_on_about_an_entry_moves_it(said: str, command: str, mend: str) -> None:
    before = (
        "User: cake day on friday from 1 to 4\nAssistant: Added appointment 1: Cake day, Fri 2026-03-13 13:00-16:00."
    )
    gap = becomes(said, command, "/schedule add Cake day --at 2026-03-13 13:00-16:00", before=before)[1]
    assert mend in (gap.hint if gap else "")
    assert ("edit 1" in (gap.hint if gap else "")) == bool(mend)


@pytest.mark.parametrize(("words", "priority"), [("1 to top", "high"), ("1 to the top of my list", "high"), ("", "")])
def test_to_the_top_is_a_priority(words: str, priority: str) -> None:
    with Agenda(":memory:") as agenda:
        agenda.run("/todo add invoices")
        if words:
            todo_tool(agenda).invoke({"command": f"/todo edit {words}"})
        assert [(one.text, one.priority) for one in agenda.todos()] == [("invoices", priority or "normal")]


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        # One hour that the user gives, in place of one that nobody gave.
        ("the fete starts at half one", "/schedule edit fete --at 2026-03-14 14:30", "--at 2026-03-14 13:30"),
        ("no wait, the fete stays at noon", "/schedule edit fete --at 2026-03-14 15:00", "--at 2026-03-14 12:00"),
        ("the fete is an hour later", "/schedule edit fete --at 2026-03-14 15:00", "--at 2026-03-14 15:00"),
        # An hour by which another time is told is not that time.
        ("put the fete after my call at 11", "/schedule edit fete --at 2026-03-14 12:30", "--at 2026-03-14 12:30"),
        ("lunch with Bo after my call at 11", "/schedule add lunch with Bo --at 2026-03-13 12:30", "12:30"),
        # A date of before is none of something else; one that the request goes on about is.
        ("I still have to mark the year 9 essays", "/todo add 9 essays --due 2026-03-14", "mark the year 9 essays"),
        ("remind me to paint the sign for it", "/todo add paint the sign --due 2026-03-14", "--due 2026-03-14"),
    ],
)
def test_a_chat_lends_no_time_that_was_not_said(said: str, command: str, right: str) -> None:
    before = "User: fete on saturday\nAssistant: Added appointment 1: Fete, Sat 2026-03-14 14:00-15:00."
    assert becomes(said, command, "/schedule add Fete --at 2026-03-14 14:00", before=before)[0].endswith(right)


@pytest.mark.parametrize(
    ("said", "moves"),
    [
        ("actually the fete starts at half one", True),
        ("book another fete at half one", False),
        ("the fete on saturday at half one as well", False),
    ],
)
def test_the_same_entry_at_another_time_of_its_day_is_a_move(said: str, moves: bool) -> None:
    before = "User: fete on saturday\nAssistant: Added appointment 1: Fete, Sat 2026-03-14 14:00-15:00."
    command, setup = "/schedule add fete --at 2026-03-14 13:30", "/schedule add Fete --at 2026-03-14 14:00"
    gap = becomes(said, command, setup, before=before)[1]
    assert ("/schedule edit 1" in (gap.hint if gap else "")) is moves


def test_a_day_after_next_leaves_its_hour_to_be_asked_for() -> None:
    gap = becomes("lunch with Bo the friday after next", "/schedule add lunch with Bo --at 2026-03-20 12:00")[1]
    assert gap is not None and "at what time" in gap.question
    assert becomes("lunch with Bo after the meeting", "/schedule add lunch with Bo --at friday 12:00")[1] is None


def test_that_all_was_told_chooses_no_entry() -> None:
    said = ["my sister's wedding is Saturday 2pm", "I have told you all there is, please go by that."]
    before = "User: the suit by friday\nAssistant: 'take the suit to the cleaner' is on your list."
    gap = becomes(said, "/todo edit 1 --due saturday", "/todo add take the suit to the cleaner", before=before)[1]
    assert gap is not None and "do you mean this" in gap.question


def test_a_changed_text_for_the_same_entry_corrects_it() -> None:
    said = "And the gulls, too. Let that same entry say terns and gulls, please."
    before = "User: the terns want counting\nAssistant: 'count the terns' is on your list."
    gap = becomes(said, "/todo add terns and gulls", "/todo add count the terns", before=before)[1]
    assert gap is not None and "/todo edit 1" in gap.hint
    assert becomes("the terns and gulls want counting", "/todo add terns and gulls")[1] is None


def test_an_order_needs_no_space_before_chinese() -> None:
    with Agenda(":memory:", language="zh") as agenda:
        assert "买牛奶" in agenda.run("/todo 添加买牛奶")
        assert "已完成" in todo_tool(agenda).invoke({"command": "/todo done买牛奶"})
        # What begins with the same characters is a text.
        agenda.run("/todo add 取消订阅")
        assert [one.text for one in agenda.todos("open")] == ["取消订阅"]


@pytest.mark.parametrize(
    ("named", "done"), [("车洗完啦", ["洗车"]), ("洗了车", ["洗车"]), ("洗车店", []), ("水果买好了", [])]
)
def test_an_entry_is_named_by_its_characters_in_another_order(named: str, done: list[str]) -> None:
    with Agenda(":memory:", language="zh") as agenda:
        agenda.run("/todo add 洗车")
        agenda.run("/todo add 买水")
        with suppress(CommandError):
            agenda.run(f"/todo done {named}")
        assert [one.text for one in agenda.todos("done")] == done


@pytest.mark.parametrize(
    ("goal", "plan", "left"),
    [
        ("no, a meeting. take it off the list and put it in my calendar instead", "remove the todo 'tea'", True),
        ("take it off the list and put it in my calendar", "remove the todo 'tea', schedule 'tea' on friday", False),
        ("take it off the list", "remove the todo 'tea'", False),
    ],
)
def test_what_goes_from_the_list_into_the_calendar_is_two_steps(goal: str, plan: str, left: bool) -> None:
    assert bool(left_out(goal, plan)) is left


BEDS = "bed 6's letter is written, cross that off. bed 9 still needs one by noon tomorrow, add it"


@pytest.mark.parametrize(
    ("goal", "plan", "left"),
    [
        (BEDS, "mark the todo 'write the letter for bed 6' as done", True),
        (BEDS, "mark the todo 'letter for bed 6' as done\nadd the todo 'letter for bed 9'", False),
        ("buy 3 eggs and buy 2 cards, list them", "add the todo 'buy 3 eggs', add the todo 'buy 2 cards'", False),
    ],
)
def test_things_that_are_told_apart_by_a_number_are_each_a_wish(goal: str, plan: str, left: bool) -> None:
    assert bool(left_out(goal, plan)) is left
