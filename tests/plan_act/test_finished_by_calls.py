"""A tool may say that one call of it is all that a step needs: the model is not asked about the step once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from support.plan_act import (
    GOAL,
    THREAD,
    Invoke,
    act,
    acts,
    done,
    plan_step,
    planned,
    play,
    replanned,
    with_call,
)
from support.scripted import ScriptedModel
from thoughtgraph import Guards, create_plan_act_graph
from thoughtgraph.tools.metadata import Missing


def keeper(*, finishes: bool = True) -> BaseTool:
    """A tool that writes what it is given down, unless it is asked to look."""

    @tool
    def keep(text: str) -> str:
        """Write a text down."""
        if text.startswith("refuse"):
            raise ValueError("too long")
        return f"Kept: {text}" if not text.startswith("look") else f"Found: {text}"

    def writes(given: Mapping[str, Any]) -> bool:
        return not given["text"].startswith("look")

    keep.metadata = {"effects": writes, "finishes_step": finishes}
    return keep


MILK, BREAD = act("keep", "milk"), act("keep", "bread")
END = [done("Both are kept."), replanned(response="Milk and bread are kept.")]


def phases(model: Any) -> list[str]:
    """What each request asked for."""
    last = [str(request[-1].content) for request in model.requests]
    return [next(one for one in ("REPLAN", "THOUGHT", "PLAN", "next") if one in words) for words in last]


def test_a_call_that_worked_finishes_its_step_and_the_rest_is_planned(invoke: Invoke) -> None:
    replies = [planned("note milk", "note bread"), MILK, replanned("note bread"), BREAD, *END]
    result, model, _ = play(invoke, replies, [keeper()])
    assert [(item["step"], item["status"]) for item in result["plan"]] == [
        ("note milk", "done"),
        ("note bread", "done"),
    ]
    assert (result["plan"][0]["response"], result["response"]) == ("Kept: milk", "Milk and bread are kept.")
    assert "Kept: milk" in str(model.requests[2][-1].content), "the planner is not shown the result"
    assert len(model.requests) == len(replies)
    assert result["steps"] == 7, "two calls, three thoughts and two replans"


def test_without_the_word_of_its_tool_a_step_is_finished_by_the_model(invoke: Invoke) -> None:
    replies = [planned("note milk", "note bread"), MILK, done("Milk."), replanned("note bread"), BREAD, *END]
    result, model, _ = play(invoke, replies, [keeper(finishes=False)])
    assert result["plan"][0]["response"] == "Milk."
    assert len(model.requests) == len(replies)


@pytest.mark.parametrize("first", ["look for milk", "refuse milk"])
def test_a_call_that_changed_nothing_finishes_nothing(invoke: Invoke, first: str) -> None:
    replies = [planned("note milk", "note bread"), act("keep", first), MILK, replanned("note bread"), BREAD, *END]
    result, model, _ = play(invoke, replies, [keeper()])
    assert [item["response"] for item in result["plan"]] == ["Kept: milk", "Both are kept."]
    assert len(model.requests) == len(replies)


def test_a_step_of_two_orders_is_finished_by_the_model(invoke: Invoke) -> None:
    both = "note milk and note eggs"
    replies = [planned(both, "note bread"), MILK, act("keep", "eggs"), done("Both."), replanned("note bread"), BREAD]
    result, _, _ = play(invoke, [*replies, *END], [keeper()])
    assert [item["response"] for item in result["plan"]] == ["Both.", "Both are kept."]
    assert [seen["result"] for seen in result["observations"]] == ["Kept: milk", "Kept: eggs", "Kept: bread"]


def test_a_call_for_a_later_step_finishes_that_one(invoke: Invoke) -> None:
    replies = [planned("note milk", "note bread"), BREAD, replanned("note milk"), MILK, *END]
    result, _, _ = play(invoke, replies, [keeper()])
    assert [(item["step"], item["response"]) for item in result["plan"]] == [
        ("note bread", "Kept: bread"),
        ("note milk", "Both are kept."),
    ]
    assert result["stop_reason"]["kind"] == "goal_met"


def test_the_step_that_ends_the_run_is_finished_by_the_model(invoke: Invoke) -> None:
    replies = [planned("note milk"), MILK, done("Milk is kept."), replanned(response="Milk is kept.")]
    result, model, _ = play(invoke, replies, [keeper()])
    assert result["response"] == "Milk is kept."
    assert len(model.requests) == len(replies)


def test_a_limit_holds_before_the_rest_is_planned(invoke: Invoke) -> None:
    replies = [planned("note milk", "note bread"), MILK, "Milk is kept, bread is not."]
    result, model, _ = play(invoke, replies, [keeper()], max_steps=2, guards=Guards())
    assert (result["stop_reason"]["kind"], result["steps"]) == ("max_iterations", 2)
    assert [item["status"] for item in result["plan"]] == ["done", "open"]
    assert len(model.requests) == len(replies)


def test_what_an_answer_leaves_out_of_several_changes_is_told(invoke: Invoke) -> None:
    replies = [planned("note milk", "note bread"), MILK, replanned("note bread"), BREAD, done("I kept the bread.")]
    result, _, _ = play(invoke, [*replies, replanned(response="I kept the bread.")], [keeper()])
    assert result["response"] == "Kept: milk\nI kept the bread."
    both = play(invoke, [*replies, replanned(response="Bread and milk are kept.")], [keeper()])[0]
    assert both["response"] == "Bread and milk are kept."
    neither = play(invoke, [*replies, replanned(response="All is kept.")], [keeper()])[0]
    assert neither["response"] == "All is kept.", "an answer for all of it is one"


def test_a_date_tells_no_step_from_another(invoke: Invoke) -> None:
    steps = ["note measuring on tuesday", "note delivery on 2026-03-24 09:00"]
    first = act("keep", "measuring 2026-03-17 09:00")
    replies = [planned(*steps), first, replanned(steps[1]), act("keep", "delivery 2026-03-24 09:00"), *END]
    result, _, _ = play(invoke, replies, [keeper()])
    assert [item["step"] for item in result["plan"]] == steps


def test_only_results_that_can_stand_for_a_step_are_told_beside_an_answer(invoke: Invoke) -> None:
    script = [planned("note milk", "note bread"), MILK, done("Milk."), replanned("note bread"), BREAD, done("Bread.")]
    said = "I kept the bread."
    result, _, _ = play(invoke, [*script, replanned(response=said)], [keeper(finishes=False)])
    assert result["response"] == said


def test_a_plan_brings_the_call_of_its_first_step_and_the_last_call_ends_the_run(invoke: Invoke) -> None:
    replies = [
        with_call(planned("note milk", "note bread", "note jam"), "keep", "milk"),
        with_call(replanned("note bread", "note jam"), "keep", "bread"),
        with_call(replanned("note jam"), "keep", "jam"),
        done("The jam is kept."),
    ]
    result, model, _ = play(invoke, replies, [keeper()])
    assert [item["response"] for item in result["plan"]] == ["Kept: milk", "Kept: bread", "The jam is kept."]
    assert result["response"] == "Kept: milk\nKept: bread\nThe jam is kept."
    assert (len(model.requests), result["stop_reason"]["kind"]) == (len(replies), "goal_met")


def test_the_last_call_does_not_end_a_run_that_has_lost_a_step(invoke: Invoke) -> None:
    replies = [planned("note milk", "note bread", "note jam"), MILK, with_call(replanned("note jam"), "keep", "jam")]
    replies += [done("The jam is kept."), with_call(replanned("note bread"), "keep", "bread"), done("Bread, too.")]
    result, _, _ = play(invoke, [*replies, replanned(response="All is kept.")], [keeper()])
    assert [seen["input"] for seen in result["observations"]] == ["milk", "jam", "bread"]


def test_an_answer_of_the_last_step_alone_is_told_beside_all_results(invoke: Invoke) -> None:
    replies = [with_call(planned("note milk", "note bread"), "keep", "milk")]
    replies += [with_call(replanned("note bread"), "keep", "bread"), done("Done.")]
    result, _, _ = play(invoke, replies, [keeper()])
    assert result["response"] == "Kept: milk\nKept: bread\nDone."


def test_a_call_whose_step_a_person_has_taken_out_is_not_made() -> None:
    replies = [with_call(planned("note milk", "note bread"), "keep", "milk"), BREAD, *END]
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies), [keeper()], checkpointer=InMemorySaver(), interrupt_after=["plan"]
    )
    graph.invoke(dict(GOAL), THREAD)
    plan = graph.get_state(THREAD).values["plan"]
    graph.update_state(THREAD, {"plan": plan[1:]})
    result = graph.invoke(None, THREAD)
    assert [seen["input"] for seen in result["observations"]] == ["bread"]


def test_a_plan_that_a_person_has_emptied_is_made_again() -> None:
    replies = [with_call(planned("note milk"), "keep", "milk"), replanned(response="Nothing to do.")]
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies), [keeper()], checkpointer=InMemorySaver(), interrupt_after=["plan"]
    )
    graph.invoke(dict(GOAL), THREAD)
    graph.update_state(THREAD, {"plan": []})
    result = graph.invoke(None, THREAD)
    assert (result["observations"], result["response"]) == ([], "Nothing to do.")


def test_an_unwanted_call_costs_no_step(invoke: Invoke) -> None:
    keep = keeper()

    def unwanted(given: Mapping[str, Any], told: Any) -> Missing | None:
        asks = Missing(question="What do you mean?", completed=lambda _: None, hint="Nobody asked.", unwanted=True)
        return asks if given["text"] == "ink" else None

    keep.metadata = {**(keep.metadata or {}), "required": [unwanted]}
    replies = [with_call(planned("note milk", "note bread"), "keep", "ink"), MILK, replanned("note bread"), BREAD, *END]
    result, _, _ = play(invoke, replies, [keep])
    assert [seen["input"] for seen in result["observations"]] == ["milk", "bread"]


def test_where_the_model_finishes_steps_the_rest_is_planned_after_the_last(invoke: Invoke) -> None:
    plan = with_call(planned("note milk", "note bread"), "keep", "milk")
    again = with_call(replanned("note bread"), "keep", "bread")
    replies = [plan, done("Milk."), again, done("Bread."), replanned(response="Milk and bread are kept.")]
    result, model, _ = play(invoke, replies, [keeper(finishes=False)])
    assert result["response"] == "Milk and bread are kept."
    assert len(model.requests) == len(replies)


@pytest.mark.parametrize(
    ("steps", "calls"),
    [
        ([plan_step("note bread", None, [2]), plan_step("note milk", None)], [MILK, replanned("note bread"), BREAD]),
        (
            [plan_step("note milk", "keep"), plan_step("note bread", "keep")],
            [acts(("keep", "milk", 1), ("keep", "bread", 2))],
        ),
    ],
    ids=["another step has to come first", "steps that are worked on at once"],
)
def test_a_call_that_came_for_a_step_behind_others_is_asked_for_again(
    invoke: Invoke, steps: list[Any], calls: list[str]
) -> None:
    keep = keeper()
    keep.metadata = {**(keep.metadata or {}), "parallel": steps[0]["tool"] == "keep"}
    result, _, _ = play(invoke, [with_call(planned(*steps), "keep", "too early"), *calls, *END], [keep])
    assert [seen["input"] for seen in result["observations"]] == ["milk", "bread"]


def test_a_call_that_came_for_a_finished_step_is_not_made(invoke: Invoke) -> None:
    again = with_call(replanned("note milk", "note bread"), "keep", "milk once more")
    replies = [planned("note milk", "note bread"), MILK, again, BREAD, *END]
    result, _, _ = play(invoke, replies, [keeper()])
    assert [seen["input"] for seen in result["observations"]] == ["milk", "bread"]
