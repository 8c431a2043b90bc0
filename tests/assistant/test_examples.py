"""The bank of example requests: each is a right call of its tool, and a run is shown those that are like its own."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from functools import cache
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from support.plan_act import TWINS, act, done, planned, play, replanned, twin
from thoughtgraph.models.messages import estimate_tokens
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser
from thoughtgraph.nodes.plan_act.prompts.context import Coordinator
from thoughtgraph.nodes.plan_act.prompts.examples import demonstration
from thoughtgraph.nodes.plan_act.prompts.shown_plans import SHOWN, ShownPlan, example_turns, like_call, plan_examples
from thoughtgraph.nodes.plan_act.prompts.turns import components, turn_tokens
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.line import ORDERS
from thoughtgraph.tools.agenda.schedule import SCHEDULE_ORDERS
from thoughtgraph.tools.agenda.todo import TODO_ORDERS
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool
from thoughtgraph.tools.calls.action_check import action_check
from thoughtgraph.tools.calls.grounding import Sources, ungrounded
from thoughtgraph.tools.calls.hooks import grounded_texts
from thoughtgraph.tools.calls.required import missing
from thoughtgraph.tools.likeness import marks
from thoughtgraph.tools.metadata import Told
from thoughtgraph.tools.ranking import most_alike
from thoughtgraph.tools.search import internet_search_tool
from thoughtgraph.tools.search.bing import BingSearchProvider

NOW = datetime(2024, 5, 6, 8)
LANGUAGES: Any = ("en", "zh")


@cache
def tools(language: Any = "en") -> dict[str, BaseTool]:
    """The assistant's tools over an empty agenda, which no test changes."""
    agenda = Agenda(":memory:", language=language, clock=lambda: NOW)
    made = [todo_tool(agenda), schedule_tool(agenda), internet_search_tool(BingSearchProvider(), language=language)]
    return {tool.name: tool for tool in made}


@cache
def bank_of(name: str) -> tuple[ShownPlan, ...]:
    """The plans of one tool as turns."""
    return plan_examples({name: tools()[name]}, "en")


def examples() -> list[tuple[str, Any]]:
    """Every example plan with its tool."""
    return [(name, plan) for name, tool in tools().items() for plan in (tool.metadata or {})["plans"]]


def test_the_bank_has_hundreds_of_requests_none_of_them_twice() -> None:
    goals = Counter((plan["goal"], plan.get("background", "")) for _, plan in examples())
    print(f"{len(goals)} requests")
    assert len(goals) >= 500
    assert max(goals.values()) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_covers_every_order_of_every_tool_in_both_languages(language: str) -> None:
    seen: set[tuple[str, str]] = set()
    for name, plan in examples():
        chinese = bool(re.search(r"[\u4e00-\u9fff]", plan["goal"]))
        if chinese == (language == "zh") and "input" in plan and name != "internet_search":
            word = plan["input"].split()[1]
            seen.add((plan["input"].split()[0], ORDERS.get(word, word)))
    # What an order is asked for alone tells nothing new in the second language; help is for people.
    rare = {"help", "show"} if language == "zh" else {"help"}
    wanted = {("/todo", order) for order in TODO_ORDERS} | {("/schedule", order) for order in SCHEDULE_ORDERS}
    assert {pair for pair in wanted if pair[1] not in rare} <= seen
    kinds = [plan for _, plan in examples() if bool(re.search(r"[\u4e00-\u9fff]", plan["goal"])) == (language == "zh")]
    assert any("response" in plan for plan in kinds) and any(len(plan["steps"]) > 1 for plan in kinds)
    assert any("background" in plan for plan in kinds)
    assert any(not plan.get("input") and len(plan["steps"]) == 1 for plan in kinds), "none leaves a question open"


@pytest.mark.slow
@pytest.mark.parametrize("name", tools())
def test_every_example_parses_and_its_call_passes_every_check(name: str) -> None:
    for plan in (tools()[name].metadata or {})["plans"]:
        try:
            check_plan(name, plan)
        except Exception as failed:
            failed.add_note(plan["goal"])
            raise


def check_plan(name: str, plan: Any) -> None:
    assert (plan.get("response") is None) == bool(plan["steps"])
    known = tools()
    [shown] = [
        one
        for one in bank_of(name)
        if one.turns[0]["words"].count(plan["goal"]) and one.recalls == ("background" in plan)
    ][:1]
    assert PayloadParser("plan", action_check(known))(shown.turns[1]["words"])["status"] == "success"
    if "input" not in plan:
        return
    action = action_check(known)({"tool": name, "input": plan["input"]})
    assert isinstance(action, dict)
    said = [plan["goal"], plan.get("background", "")]
    assert ungrounded(grounded_texts(known[name], action), Sources(said), NOW) == []
    assert missing(known[name], action, Told(said[:1], said[1], (), NOW), "en") is None


@pytest.mark.slow
def test_the_agenda_takes_every_command_or_says_only_that_the_entry_is_not_there() -> None:
    commands = [plan["input"] for _, plan in examples() if plan.get("input", "").startswith("/")]
    assert len(commands) > 400
    for command in commands:
        with Agenda(":memory:", clock=lambda: NOW) as agenda:
            try:
                assert agenda.run(command)
            except Exception as refused:  # noqa: BLE001 - the words of the refusal are what is tested
                assert re.search(r"There is no|No \w+ (?:here )?is called", str(refused)), (command, refused)


@pytest.mark.parametrize(
    ("goal", "like"),
    [
        ("the dentist was called, cross it off", "done "),
        ("my swimming lesson moves to 17:00", "edit "),
        ("I don't need to buy bread any more", "rm "),
        ("what is on my calendar on sunday?", "list "),
        ("上午的按摩改到十一点", "edit "),
        ("不用买牛奶了", "rm "),
    ],
)
def test_a_run_is_shown_the_order_that_it_needs_among_the_last(goal: str, like: str) -> None:
    turns = example_turns(goal, plan_examples(tools(), "en"), recalls=False, of_known=like != "list ", room=10_000)
    assert len(turns) == 2 * SHOWN
    assert any(f" {like}" in turn["words"] for turn in turns[-6:])


@pytest.mark.parametrize("goal", ["cat food, nearly out", "whatever", "clear the done, leave the rest", "我要开会", ""])
def test_the_usual_orders_of_every_tool_are_shown_and_each_order_once(goal: str) -> None:
    calls = [
        turn["words"]
        for turn in example_turns(goal, plan_examples(tools(), "en"), recalls=False, of_known=False, room=10_000)[1::2]
    ]
    assert any('"/todo add ' in words and "--" not in words for words in calls)
    assert any('"/schedule add ' in words for words in calls)
    orders = [(*found[0], *sorted(found[1])) for words in calls if (found := order_of(words))]
    assert len(orders) == len(set(orders))


def test_a_search_is_shown_to_a_question_and_to_what_is_most_like_one() -> None:
    for goal in ("how deep is Lake Baikal?", "look up the opening hours of the zoo"):
        turns = example_turns(goal, plan_examples(tools(), "en"), recalls=False, of_known=False, room=10_000)
        assert any('"internet_search"' in turn["words"] for turn in turns)
    wish = "my permit runs out on the 20th, I have to have renewed it by then"
    turns = example_turns(wish, plan_examples(tools(), "en"), recalls=False, of_known=False, room=10_000)
    assert not any('"internet_search"' in turn["words"] for turn in turns)


@pytest.mark.parametrize("effects", [True, False, None])
def test_only_a_tool_that_says_that_it_changes_nothing_counts_as_one_that_reads(effects: Any) -> None:
    """Of one that says nothing, nobody knows it: its plans stay among those shown."""
    plans = [{"goal": f"who sang {title}?", "steps": ["look"], "input": title} for title in ("Aida", "Norma", "Tosca")]
    metadata = {"plans": plans, "effects": effects}
    tool = StructuredTool.from_function(lambda query: "", name="opera", description="Opera.", metadata=metadata)
    turns = example_turns(
        "my permit runs out on the 20th, I have to have renewed it by then",
        plan_examples({**tools(), "opera": tool}, "en"),
        recalls=False,
        of_known=False,
        room=10_000,
    )
    assert any('"opera"' in turn["words"] for turn in turns) is (effects is not False)


def test_a_like_call_is_one_of_the_tools_asked_for() -> None:
    plans, todo = plan_examples(tools(), "en"), {"todo": tools()["todo"]}
    assert '{"tool": "todo", "input": "/todo add ' in like_call("I must renew the pass", plans, todo, of_known=False)
    assert like_call("I must renew the pass", plans, {}, of_known=False) == ""


@pytest.mark.parametrize("asked", ["what's still open?", "do I have time on Thursday afternoon?", "is the yoga due?"])
def test_a_call_that_is_like_a_question_reads(asked: str) -> None:
    like = like_call(asked, plan_examples(tools(), "en"), tools(), of_known=True)
    assert re.search(r'"/(?:todo|schedule|view) (?:list|find|show|next|week)', like), like


def order_of(words: str) -> tuple[tuple[str, str], list[str]] | None:
    """The command and the order of a reply's call, and its options."""
    if named := re.search(r'"/(\w+) (\w+)', words):
        return (named[1], named[2]), re.findall(r"--\w+", words)
    return None


def test_the_same_goal_is_shown_the_same_and_without_room_nothing() -> None:
    plans = plan_examples(tools(), "en")
    twice = [example_turns("buy milk", plans, recalls=True, of_known=False, room=9_000) for _ in range(2)]
    assert twice[0] == twice[1]
    assert len(example_turns("buy milk", plans, recalls=True, of_known=False, room=10)) == 2
    few = example_turns("buy milk", plans, recalls=False, of_known=False, room=200)
    assert 0 < sum(map(turn_tokens, few)) <= 200
    assert few == example_turns("buy milk", plans, recalls=False, of_known=False, room=10_000)[-len(few) :]


@pytest.mark.parametrize("of_known", [True, False])
def test_most_of_the_plans_are_about_what_is_there_where_the_request_is(of_known: bool) -> None:
    turns = example_turns(
        "the dentist was called", plan_examples(tools(), "en"), recalls=False, of_known=of_known, room=10_000
    )
    shown = ["What is there already" in turn["words"] for turn in turns[::2]]
    assert sum(there == of_known for there in shown) == SHOWN - 2
    assert shown[-1] is of_known


def test_likeness_is_of_rare_words_and_orders_the_least_alike_first() -> None:
    others = ["add the milk", "call the bank", "call Tom at the bank", "water the plants"]
    assert most_alike("the bank was called", others, 2) == [2, 1]
    assert most_alike("", others, 2) == [1, 0]
    assert marks("I have to call the bank tomorrow") == {"call", "bank"}
    assert marks("明天要给银行打电话") == {"银行", "行打", "打电", "电话"}


REQUESTS = {
    "en": ("buy milk", "The bank has been called", "Coffee with Eva tomorrow at 3 pm"),
    "zh": ("买牛奶", "银行的电话打完了"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompt_is_shorter_than_with_every_example_and_most_of_it_is_fixed(language: Any) -> None:
    """Printed for the page on benchmarks: what a first request takes, and what of it a server's cache cannot hold."""
    known = tools(language)
    fixed = Coordinator(components(known, [], 6_000, language)).assemble("x", 3_000).tokens
    fixed += sum(map(turn_tokens, demonstration(known, language)))
    own = [
        sum(
            map(
                turn_tokens,
                example_turns(goal, plan_examples(known, language), recalls=False, of_known=False, room=10_000),
            )
        )
        for goal in REQUESTS[language]
    ]
    all_of_them = sum(turn_tokens(turn) for plan in plan_examples(known, language) for turn in plan.turns)
    print(f"{language}: fixed {fixed} tokens, chosen {own}, the whole bank {all_of_them}")
    assert max(own) < 800
    assert fixed + max(own) < {"en": 2_600, "zh": 3_400}[language]
    assert all_of_them > 5 * max(own)


@pytest.mark.parametrize("name", TWINS)
def test_what_is_fixed_stands_first_in_every_request_of_every_run(name: str) -> None:
    def first(goal: str) -> list[str]:
        reply = [planned(response="Hm.")]
        requests = play(twin(name), reply, list(tools().values()), goal={"goal": goal}).model.requests
        return [str(message.content) for message in requests[0]]

    one, other = first("buy milk"), first("Am I free on Sunday?")
    shared = next(place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    assert sum(map(estimate_tokens, one[:shared])) > 1_200
    assert 0 < len(one) - shared <= 2 * SHOWN + 1


@pytest.mark.parametrize("name", TWINS)
def test_a_plan_of_one_step_with_its_call_takes_two_replies(name: str) -> None:
    direct = json.dumps(
        {"status": "planned", "plan": ["add milk"], "next_action": {"tool": "todo", "input": "/todo add milk"}}
    )
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        replies = [direct, done("I added milk.")]
        result = play(twin(name), replies, [todo_tool(agenda)], goal={"goal": "buy milk"}).result
        assert [todo.text for todo in agenda.todos()] == ["milk"]
    assert (result["response"], result["stop_reason"]["kind"]) == ("I added milk.", "goal_met")
    assert [item["status"] for item in result["plan"]] == ["done"]
    kinds = [event["kind"] for event in result["events"]]
    assert kinds == ["goal", "thought", "plan", "action", "observation", "thought", "outcome"]


def direct(given: str, *steps: str) -> str:
    """A plan that brings its call along."""
    return json.dumps(
        {"status": "planned", "plan": list(steps) or ["a"], "next_action": {"tool": "todo", "input": given}}
    )


NINE = done("Nine is done.")
ADD = act("todo", "/todo add milk")
CALLED: dict[str, tuple[list[str], str, int]] = {
    "fails": ([direct("/todo done 9"), NINE, NINE, replanned(response="x")], "steps_failed", 0),
    "mended": ([direct("/todo done 9"), ADD, done("I added milk.")], "goal_met", 1),
    "two steps": ([direct("/todo add milk", "a", "b"), ADD, done("A"), replanned(response="x")], "goal_met", 1),
    "not a command": ([direct("nonsense"), ADD, done("A")], "goal_met", 1),
}


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize(("replies", "kind", "left"), CALLED.values(), ids=CALLED)
def test_a_call_that_comes_with_the_plan_is_held_to_everything(
    name: str, replies: list[str], kind: str, left: int
) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        result = play(twin(name), replies, [todo_tool(agenda)], goal={"goal": "buy milk"}).result
        assert (result["stop_reason"]["kind"], len(agenda.todos())) == (kind, left)


@pytest.mark.parametrize("name", TWINS)
def test_a_call_with_the_plan_that_lacks_its_time_is_asked_about_and_completed(name: str) -> None:
    call = {"tool": "schedule", "input": "/schedule add Haircut --at friday 16:00"}
    plan = json.dumps({"status": "planned", "plan": ["schedule the haircut"], "next_action": call})
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        played = play(
            twin(name),
            [plan, done("The haircut is scheduled.")],
            [schedule_tool(agenda)],
            goal={"goal": "book me a haircut"},
            answers=["tuesday 4 pm"],
            clock=lambda: NOW,
        )
        assert [one.start for one in agenda.appointments()] == [datetime(2024, 5, 7, 16)]
    assert played.result["stop_reason"]["kind"] == "goal_met"
