"""A new plan that goes on, and has lost a step which nothing speaks against."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from support.plan_act import Invoke, act, ask, done, planned, play, replanned, with_call
from thoughtgraph.nodes.plan_act.checks.covered import left_out
from thoughtgraph.nodes.plan_act.checks.planned.repeated import is_there, told_twice
from thoughtgraph.tools.agenda import Agenda, todo_tool

STEPS = ("mark the todo 'order cups' as done", "mark the todo 'order chairs' as done", "add the todo 'print the menus'")
SAID = "cups and chairs are both ordered; the menus have to be printed, please note that"
CUPS, CHAIRS, MENUS = "/todo done order cups", "/todo done order chairs", "/todo add print the menus"


def run(invoke: Invoke, replies: list[str]) -> tuple[dict[str, bool], dict[str, Any]]:
    """Whether each todo is done, and the run."""
    with Agenda(":memory:") as agenda:
        for text in ("order cups", "order chairs"):
            agenda.run(f"/todo add {text}")
        result, _, _ = play(invoke, replies, [todo_tool(agenda)], goal={"goal": SAID})
        return {todo.text: todo.done for todo in agenda.todos()}, result


def test_a_step_that_a_new_plan_forgets_stays(invoke: Invoke) -> None:
    replies = [planned(*STEPS), act("todo", CUPS), done("The cups are done."), replanned(STEPS[2])]
    replies += [act("todo", MENUS), done("The menus are on the list."), replanned(STEPS[1])]
    replies += [act("todo", CHAIRS), done("The chairs are done."), replanned(response="All is done.")]
    todos, result = run(invoke, replies)
    assert todos == {"order cups": True, "order chairs": True, "print the menus": False}
    kept = [event["data"]["feedback"] for event in result["events"] if event["kind"] == "verdict"]
    assert any(STEPS[1] in one for one in kept), "the trace does not say why the step is there"


def test_a_step_whose_call_is_held_back_for_good_is_not_planned_again(invoke: Invoke) -> None:
    goal = "The boiler packed in at flat 3 again. Need to ring the heating engineer today, stick it on the list"
    step, call = "mark the todo 'send flat 3 their rent receipt' as done", "/todo done send flat 3 their rent receipt"
    add = "/todo add ring the heating engineer --due today"
    with Agenda(":memory:") as agenda:
        agenda.run("/todo add send flat 3 their rent receipt")
        replies = [with_call(planned(step), "todo", call), act("todo", call), with_call(replanned(step), "todo", call)]
        replies += [act("todo", add), done("It is on the list."), replanned(response="It is on the list.")]
        result, _, _ = play(invoke, replies, [todo_tool(agenda)], goal={"goal": goal})
        todos = {todo.text: todo.done for todo in agenda.todos()}
    assert todos == {"send flat 3 their rent receipt": False, "ring the heating engineer": False}
    assert [item["status"] for item in result["plan"]] == ["failed", "done"]


def test_open_steps_that_a_new_plan_makes_one_of_stay_two(invoke: Invoke) -> None:
    merged = f"{STEPS[1]} and {STEPS[2]}"
    replies = [planned(*STEPS), act("todo", CUPS), replanned(merged), act("todo", CHAIRS)]
    replies += [
        replanned(STEPS[2]),
        act("todo", MENUS),
        done("The menus are on the list."),
        replanned(response="Done."),
    ]
    todos, result = run(invoke, replies)
    assert todos == {"order cups": True, "order chairs": True, "print the menus": False}
    assert [item["step"] for item in result["plan"]] == list(STEPS)


@pytest.mark.parametrize(
    ("steps", "goal", "repeated"),
    [
        (["schedule 'Bo' on friday 7:00", "schedule 'boiler' on friday 7:00"], "Friday 7 Bo, boiler, 2 hrs", [1]),
        (["schedule 'Bo' on friday 7:00", "schedule 'boiler' on friday 7:00"], "Friday at 7 Bo and the boiler", []),
        (["schedule 'Bo' on friday 7:00", "schedule 'boiler' on friday 9:00"], "Friday 7 Bo, boiler at 9", []),
        (
            ["schedule 'Mia swims' friday 4 pm", "schedule 'Leo judo' friday 4 pm"],
            "Friday 4 pm: Mia swims, Leo judo",
            [],
        ),
        (["add the todo 'Bo' due friday", "add the todo 'boiler' due friday"], "by Friday: Bo, boiler", []),
    ],
)
def test_an_appointment_with_two_names_is_one(steps: list[str], goal: str, repeated: list[int]) -> None:
    assert told_twice(steps, goal) == repeated


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("tea", False),
        ("steak", True),
        ("two steaks", False),
        ("ink", False),
        ("drink", True),
        ("dish", True),
        ("caf", False),
    ],
)
def test_an_entry_whose_name_is_inside_a_longer_word_is_not_there(text: str, there: bool) -> None:
    brought = ["Added todo 1: steak.", "Added todo 2: drinks.", "Added todo 3: dishes at the café."]
    assert is_there(f"add the todo '{text}'", brought, datetime(2026, 3, 11)) is there


def test_a_step_whose_name_is_inside_a_longer_word_is_not_dropped(invoke: Invoke) -> None:
    steak, tea = "add the todo 'steak'", "add the todo 'tea'"
    replies = [planned(steak, tea), act("todo", "/todo add steak"), done("Steak is in."), replanned("list the todos")]
    replies += [act("todo", "/todo list"), done("Steak."), replanned(tea), act("todo", "/todo add tea")]
    with Agenda(":memory:") as agenda:
        goal = {"goal": "add steak and tea, and list my todos"}
        play(invoke, [*replies, done("Tea is in."), replanned(response="Done.")], [todo_tool(agenda)], goal=goal)
        assert [todo.text for todo in agenda.todos()] == ["steak", "tea"]


def test_what_the_user_has_made_one_of_two_stays_one(invoke: Invoke) -> None:
    steps = ("find the flights to Rome", "find the hotels in Rome")
    replies = [
        planned(*steps),
        ask("When?"),
        replanned(" and ".join(steps)),
        done("Found."),
        replanned(response="Found."),
    ]
    result, _, _ = play(invoke, replies, answers=["in May, and both at once"])
    assert [item["step"] for item in result["plan"]] == [" and ".join(steps)]


def test_a_step_that_says_more_than_the_open_ones_takes_their_place(invoke: Invoke) -> None:
    steps = ("find the flights to Rome", "find the hotels in Rome")
    more = f"{' and '.join(steps)} in autumn"
    replies = [planned("look", *steps), done("Looked."), replanned(more), done("Found."), replanned(response="Found.")]
    result, _, _ = play(invoke, replies)
    assert [item["step"] for item in result["plan"]] == ["look", more]


def test_a_step_that_was_open_before_is_no_two_steps_made_one(invoke: Invoke) -> None:
    steps = ("count the red cups", "buy new chairs", "count the red cups and buy new chairs at once")
    replies = [planned("list what is there", *steps), done("Nothing."), replanned(steps[2]), done("Done.")]
    result, _, _ = play(invoke, [*replies, replanned(response="Done.")])
    assert [item["step"] for item in result["plan"]] == ["list what is there", steps[2]]


def test_a_step_that_a_call_has_met_already_may_go(invoke: Invoke) -> None:
    both = "/todo done 1 2"
    replies = [planned(*STEPS), act("todo", both), done("Both are done."), replanned(STEPS[2])]
    replies += [act("todo", MENUS), done("The menus are on the list."), replanned(response="All is done.")]
    todos, result = run(invoke, replies)
    assert todos == {"order cups": True, "order chairs": True, "print the menus": False}
    assert not [event for event in result["events"] if event["kind"] == "verdict"]


def test_a_step_that_is_left_out_after_one_failed_may_go(invoke: Invoke) -> None:
    failed = '{"status": "failed", "response": "There are no cups."}'
    replies = [planned(*STEPS), act("todo", "/todo done mugs"), failed, replanned(STEPS[2])]
    replies += [act("todo", MENUS), done("The menus are on the list."), replanned(response="The menus are noted.")]
    todos, _ = run(invoke, replies)
    assert todos == {"order cups": False, "order chairs": False, "print the menus": False}


def test_a_step_that_was_tried_in_vain_is_put_back_once(invoke: Invoke) -> None:
    said = "The cups are ordered. Somebody must call the chairs in, they say"
    which = ask("Which chairs are called in?")
    where = ask("Where are the chairs to go?")
    over = replanned(response="The cups are done.")
    replies = [
        planned(STEPS[0]),
        act("todo", CUPS),
        done("The cups are done."),
        replanned("Somebody must call the chairs in"),
    ]
    replies += [which, over, where, over]
    with Agenda(":memory:") as agenda:
        agenda.run("/todo add order cups")
        tools, answers = [todo_tool(agenda)], ["I told you all there is", "as I said"]
        result, _, shown = play(invoke, replies, tools, goal={"goal": said}, answers=answers)
    assert len(shown) == 2
    assert result["stop_reason"]["kind"] == "goal_met"
    assert result["response"] == "The cups are done."


def test_entries_are_told_apart_by_the_words_that_they_do_not_share() -> None:
    there = "todo 1: buy wine for the fair (done)\ntodo 2: buy cheese for the fair"
    plan = "reopen the todo 'buy wine for the fair'"
    assert left_out("no, it was the cheese I got, the wine is still missing", plan, there) == [
        "it was the cheese I got (todo 2: buy cheese for the fair)"
    ]
    assert left_out("the wine is still missing", plan, there) == []


def test_what_i_still_have_to_do_is_a_wish_and_no_question() -> None:
    plan = "mark the todo 'buy rollers' as done"
    said = "I bought the rollers but what I still need to do is clean the grill by Sunday"
    assert left_out(said, plan) == ["what I still need to do is clean the grill by Sunday"]
    assert left_out("I bought the rollers, what do I still need to do?", "mark 'rollers', list the todos") == []


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("The rent is paid. What is still open?", True),
        ("The rent is paid, can you add milk to my list?", False),
        ("The rent is paid, note the bus pass", False),
    ],
)
def test_a_question_that_is_a_step_is_told_how_a_like_one_was_answered(invoke: Invoke, goal: str, told: bool) -> None:
    with Agenda(":memory:") as agenda:
        agenda.run("/todo add pay the rent")
        replies = [with_call(planned("mark the todo 'pay the rent' as done"), "todo", "/todo done 1")]
        replies += [
            replanned(response="Done."),
            act("todo", "/todo list"),
            done("Nothing."),
            replanned(response="Done."),
        ]
        _, model, _ = play(invoke, replies, [todo_tool(agenda)], goal={"goal": goal})
    asked = str(model.requests[1][-1].content)
    assert ("For a like request" in asked and '"/todo list' in asked) is told
    assert re.split("[.,] ", goal)[-1] in asked, "the part that the plan left out is no step"


def test_open_steps_stay_where_a_new_plan_has_nothing_but_what_nobody_asked_for(invoke: Invoke) -> None:
    invented = replanned("add the todo 'pay the scaffolders' due friday")
    replies = [planned(*STEPS), act("todo", CUPS), invented, act("todo", CHAIRS), invented, act("todo", MENUS)]
    replies += [done("The menus are on the list."), replanned(response="All is done.")]
    todos, result = run(invoke, replies)
    assert todos == {"order cups": True, "order chairs": True, "print the menus": False}
    assert [item["step"] for item in result["plan"]] == list(STEPS)


@pytest.mark.parametrize(
    ("goal", "plan", "left"),
    [
        ("Two things. Wicks want ordering, I'm down to a handful. And ring Bo", "order wicks, ring Bo", []),
        ("Two things: order wicks, we're nearly out. Ring Bo, he's cross", "order wicks, ring Bo", []),
        ("Two things. Wicks want ordering, they're all gone. The vet wants paying", "wicks", ["The vet wants paying"]),
        ("Two things: I'm out of wicks, I'm down to my last peg", "add the todo 'wicks'", ["I'm down to my last peg"]),
        ("Two things: order wicks, I have to ring Bo", "order wicks", ["I have to ring Bo"]),
        ("Two things: order wicks, I'm at the vet on Monday", "order wicks", ["I'm at the vet on Monday"]),
        ("Two things: order wicks, the boiler's dead", "order wicks", ["the boiler's dead"]),
        ("for my list: wicks, pegs", "add the todo 'wicks'", ["pegs"]),
    ],
)
def test_what_only_tells_more_of_a_wish_is_none(goal: str, plan: str, left: list[str]) -> None:
    assert left_out(goal, plan) == left


FIREWOOD = "mark the todo 'stack the firewood' as done"


@pytest.mark.parametrize(
    ("goal", "plan", "left"),
    [
        (
            "Sweep is coming on the 23rd, that wants to go in the diary, and the firewood's all stacked now",
            FIREWOOD,
            ["Sweep is coming on the 23rd"],
        ),
        ("The firewood is stacked. Sweep on the 23rd - it needs to go in the diary", FIREWOOD, ["Sweep on the 23rd"]),
        ("Firewood's stacked. Matches ran out, that goes on the list", FIREWOOD, ["Matches ran out"]),
        (
            "Firewood's stacked, and I'm out of matches so that's one to buy",
            FIREWOOD,
            ["I'm out of matches so that's one to buy"],
        ),
        ("Firewood's stacked. Matches are low, there's another one to get", FIREWOOD, ["Matches are low"]),
        ("快递我取回来了，再记一个明天订蛋糕", "添加待办 '订蛋糕'", ["快递我取回来了 (1: 取快递)"]),
        # What is planned, what stays where it is, and what only tells something.
        ("Firewood's stacked, that has to go in the diary", FIREWOOD, []),
        ("The firewood is stacked. That film was something to see", FIREWOOD, []),
        ("The firewood is stacked, it's something to think about", FIREWOOD, []),
        ("The firewood is stacked, that was in the diary all along", FIREWOOD, []),
        ("快递我取回来了", "把待办 '取快递' 标记为完成", []),
    ],
)
def test_a_wish_that_only_the_next_clause_makes_one_is_left_out_by_no_plan(
    goal: str, plan: str, left: list[str]
) -> None:
    assert left_out(goal, plan, "1: stack the firewood\n1: 取快递\n2: 给表妹寄快递") == left
