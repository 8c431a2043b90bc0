"""A model that answers in plain words is heard, unless its words hide a payload or claim what no tool did."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import BaseTool
from langchain_core.tools import tool as as_tool
from support.plan_act import (
    Invoke,
    act,
    broken_tool,
    done,
    echo_tool,
    last_words,
    planned,
    play,
    replanned,
)
from thoughtgraph import ContextGraph
from thoughtgraph.nodes.plan_act.plans.prose import can_stand_as_answer, is_echo
from thoughtgraph.tools.search import SearchResult, internet_search_tool

pytestmark = pytest.mark.slow

HELLO = "Hello! How can I help you today?"
SORRY = "I'm sorry about that. What would you like?"


ANSWERS = [
    HELLO,
    SORRY,
    "Hi there! 😊 What's up?",
    "Paris is the capital of France.",
    "**Paris** is the capital of France (about 2.1 million people).",
    "You can:\n- drink more water;\n- sleep longer.\n\nThat helps most.",
    "That's a good question! Most plans fail for lack of time.",
    "I can add todos and put appointments into your calendar. What do you need?",
    "I don't know that, sorry.",
    "你好！有什么可以帮您？",
    "法国的首都是巴黎。",
    "我可以帮您添加待办，也可以安排日程。请问需要什么？",
]
NO_ANSWERS = {
    "nothing": "",
    "no words": "???",
    "no sentence": "no JSON at all",
    "braces": f"{HELLO} {{",
    "full-width braces": f"{HELLO} ｛",
    "broken payload": '{"status": "planned", "plan": [',
    "a fence": f"```\n{HELLO}\n```",
    "a field": f"status: planned\nresponse: {HELLO}",
    "a field in bold": f"**Response:** {HELLO}",
    "a field in a list": f"- response: {HELLO}",
    "a Chinese field": f"回答：{HELLO}",
    "a field's name": "I would use next_action for that.",
    "a plan": "Here is the plan:\n1. Buy milk.\n2. Call the bank.",
    "steps": "Step 1: buy milk.\nStep 2: call the bank.",
    "Chinese steps": "计划如下：\n1. 买牛奶。",
    "ReAct": "Thought: I need the tool.\nAction: search\nAction Input: zoo.",
    "a command": "/todo add milk.",
    "a call": "todo(add milk). That is it.",
    "a claim": "I've added milk to your list.",
    "a claim in the past": "I just successfully scheduled your lunch.",
    "a claim about us": "We have booked the table.",
    "a passive claim": "The lunch has been added to your calendar.",
    "a passive claim of now": "Your lunch is now scheduled.",
    "a short claim": "Done!",
    "a short claim behind a word": "Sure! Added milk to your list.",
    "an announcement": "I'll add milk to your list.",
    "an announcement to look": "Let me search the internet for that.",
    "something going on": "Okay, adding milk to your list now.",
    "a Chinese claim": "已为您添加待办：买牛奶。",
    "a Chinese claim at the end": "买牛奶添加成功。",
    "a Chinese claim without 已": "待办添加好了。",
    "a Chinese announcement": "我来帮您查询天气。",
}


@pytest.mark.parametrize("words", ANSWERS)
def test_plain_words_are_an_answer(words: str) -> None:
    assert can_stand_as_answer(words)


@pytest.mark.parametrize("words", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_signs_of_a_payload_and_claimed_effects_are_none(words: str) -> None:
    assert not can_stand_as_answer(words)


HIDDEN = [planned("a"), act("echo", "x"), done("A"), replanned("b"), "I've added it."]


@given(st.text(), st.text(), st.sampled_from(HIDDEN))
def test_no_text_around_it_hides_a_payload_or_a_claim(before: str, behind: str, hidden: str) -> None:
    assert not can_stand_as_answer(f"{before} {hidden} {behind}")


@pytest.mark.parametrize("words", ANSWERS)
def test_plain_talk_is_answered_after_one_request_for_the_payload(invoke: Invoke, words: str) -> None:
    result, model, _ = play(invoke, [f" {words}\n", SORRY])
    assert result["response"] == words
    assert result["stop_reason"] == {"kind": "answered", "value": 0, "limit": None}
    assert "There is no JSON in the reply" in last_words(model)
    thoughts = [event["data"] for event in result["events"] if event["kind"] == "thought"]
    assert [bool(data["feedback"]) for data in thoughts] == [True, False]
    assert [data.get("prose") for data in thoughts] == [None, True]
    assert result["events"][-1]["data"]["response"] == words


def test_a_payload_that_the_feedback_brought_counts(invoke: Invoke) -> None:
    result, _, _ = play(invoke, [HELLO, planned(response="Hi.")])
    assert result["response"] == "Hi."
    assert not any(event["data"].get("prose") for event in result["events"])


def test_broken_json_keeps_its_retries(invoke: Invoke) -> None:
    replies = ["{broken", HELLO, planned("a"), done("A"), replanned(response="end")]
    result, _, _ = play(invoke, replies)
    assert (result["response"], result["stop_reason"]["kind"]) == ("end", "goal_met")
    result, _, _ = play(invoke, [HELLO, "{broken", HELLO])
    assert (result["response"], result["stop_reason"]["kind"]) == (HELLO, "answered")


@pytest.mark.parametrize("words", [words for words in NO_ANSWERS.values() if words.strip()])
def test_what_is_no_answer_ends_as_before(invoke: Invoke, words: str) -> None:
    result, _, _ = play(invoke, [words] * 6)
    assert result["stop_reason"]["kind"] == "planner_unavailable"
    assert words not in result["response"]


def test_a_thought_in_plain_words_ends_a_run_without_calls(invoke: Invoke) -> None:
    result, model, _ = play(invoke, [planned("greet", "ask what to do"), HELLO, SORRY])
    assert (result["response"], result["stop_reason"]) == (HELLO, {"kind": "answered", "value": 1, "limit": None})
    assert [item["status"] for item in result["plan"]] == ["open", "open"]
    data = [event for event in result["events"] if event["kind"] == "thought"][-1]["data"]
    assert (data["prose"], data["item"], data["of"], data["step"]) == (True, 1, 2, "greet")
    assert "decision" not in data
    assert len(model.requests) == 3


def test_plain_words_about_what_a_tool_found_end_the_last_step(invoke: Invoke) -> None:
    words = "The zoo opens at 9."
    result, _, _ = play(invoke, [planned("look"), act("echo", "zoo"), words, words])
    assert (result["response"], result["stop_reason"]["kind"]) == (words, "answered")


@pytest.mark.parametrize(
    ("before", "tools", "words"),
    [
        ([planned("look", "add"), act("echo", "zoo")], [echo_tool()], "The zoo opens at 9."),
        ([planned("look"), act("broken", "zoo")], [broken_tool()], "The zoo opens at 9."),
        ([planned("add"), act("echo", "milk")], [echo_tool()], "I've added milk."),
        ([planned("add")], [echo_tool()], "I've added milk."),
        ([planned("look"), act("echo", "zoo"), done("A")], [echo_tool()], "The zoo opens at 9."),
    ],
    ids=["a step is open", "a call failed", "a claim", "a claim without a call", "replan"],
)
def test_plain_words_do_not_end_a_run_that_has_more_to_show(
    invoke: Invoke, before: list[str], tools: list[Any], words: str
) -> None:
    result, _, _ = play(invoke, [*before, *[words] * 6], tools)
    assert result["stop_reason"]["kind"] == "planner_unavailable"
    assert not any(event["data"].get("prose") for event in result["events"])


ASKED = "How warm is it in Rome?"


@pytest.mark.parametrize(
    ("response", "request_", "echoes"),
    [
        (ASKED, ASKED, True),
        ("how warm is it in rome", ASKED, True),
        (f"{ASKED} What can I do for you?", ASKED, True),
        ("罗马现在有多热？", "罗马现在有多热？", True),
        (f"{ASKED} It is 24 degrees.", ASKED, False),
        ("It is 24 degrees in Rome.", ASKED, False),
        ("Which Rome do you mean?", ASKED, False),
        ("Hello!", "Hello", False),
        ("Good morning everyone.", "Say good morning everyone.", False),
        ("", ASKED, False),
    ],
)
def test_the_request_again_is_no_answer(response: str, request_: str, echoes: bool) -> None:
    assert is_echo(response, request_) is echoes


# No clock shows this number.
WARM = "It is 22.5 degrees in Rome."
NO_ANSWERS = [
    ASKED,
    WARM,
    "I used echo; it answered ok.",
    "I have called the `echo` tool: ok.",
    "已使用 echo，返回 ok。",
]


@pytest.mark.parametrize("words", NO_ANSWERS)
def test_in_the_place_of_what_cannot_be_an_answer_the_goal_is_the_plan(invoke: Invoke, words: str) -> None:
    replies = [planned(response=words), act("echo", "24"), done("24"), replanned(response="24 degrees.")]
    played = play(invoke, replies, goal={"goal": ASKED})
    assert f"Step 1 of 1: {ASKED}" in last_words(played.model, 1)
    assert (played.result["response"], played.result["stop_reason"]["kind"]) == ("24 degrees.", "goal_met")
    [verdict] = [event for event in played.result["events"] if event["kind"] == "verdict"]
    assert (verdict["data"]["kind"], verdict["data"]["status"]) == ("unfounded", "failed")


def test_a_number_that_the_model_knows_is_the_answer_of_its_step(invoke: Invoke) -> None:
    replies = [planned(response=WARM), done(WARM), replanned(response=WARM)]
    assert play(invoke, replies, goal={"goal": ASKED}).result["response"] == WARM


def test_a_step_is_not_done_by_the_request_or_by_a_call_that_was_not_made(invoke: Invoke) -> None:
    replies = [planned("a"), done(ASKED), done("I used echo; it answered ok."), done("It is warm.")]
    played = play(invoke, [*replies, replanned(response="It is warm.")], goal={"goal": ASKED})
    assert "only repeats the user's words" in last_words(played.model, 2)
    assert "echo has not been called" in last_words(played.model, 3)


@pytest.mark.parametrize("response", ["Rome is in Italy.", "You said 3 and 4.", "Which of the two?"])
def test_other_answers_are_taken_at_once(invoke: Invoke, response: str) -> None:
    result = play(invoke, [planned(response=response)], goal={"goal": "Where is Rome, and what are 3 and 4?"}).result
    assert (result["response"], result["stop_reason"]["kind"]) == (response, "answered")


def acting(**metadata: Any) -> BaseTool:
    """A tool that sends something."""

    def send(text: str) -> str:
        """Send a text."""
        return f"sent {text}"

    made = as_tool("send")(send)
    made.metadata = {"effects": True, **metadata}
    return made


REVOLUTION = "When did the French revolution begin?"
BEGAN = "The French revolution began in 1789."


class Nothing:
    """A search provider."""

    name = "nothing"

    def search(self, query: str, top_k: int) -> list[SearchResult]:
        """Find nothing."""
        return []


def nothing_known(told: Any) -> str:
    return ""


@pytest.mark.parametrize(
    ("goal", "tools", "stands"),
    [
        (REVOLUTION, [acting()], True),
        (ASKED, [acting()], True),
        # What says nothing of its calls, or that some change nothing, may look something up.
        (REVOLUTION, [acting(), echo_tool()], False),
        (REVOLUTION, [acting(effects=lambda given: True)], False),
        (REVOLUTION, [acting(effects=False)], False),
        (REVOLUTION, [acting(context=nothing_known)], False),
        (REVOLUTION, [acting(), internet_search_tool(Nothing())], False),
    ],
    ids=["asks", "asks of now", "one that says nothing", "some", "reads", "knows", "searches"],
)
def test_an_answer_with_a_number_stands_where_no_tool_can_tell_anything(
    invoke: Invoke, goal: str, tools: list[Any], stands: bool
) -> None:
    replies = [planned(response=BEGAN), done(BEGAN), replanned(response=BEGAN)][: 1 if stands else 3]
    played = play(invoke, replies, tools, goal={"goal": goal})
    assert (played.result["response"], played.result["stop_reason"]["kind"]) == (
        BEGAN,
        "answered" if stands else "goal_met",
    )
    # The plan that was made in its place is what fixed it.
    fixed = [
        (one.kind, one.fixed_by and one.fixed_by["kind"]) for one in ContextGraph.from_run(played.result).failures()
    ]
    assert fixed == ([] if stands else [("failed_verdict", "plan")])


def test_an_order_that_no_call_has_met_is_sent_back_twice_and_ends_as_answered(invoke: Invoke) -> None:
    replies = [planned(response=BEGAN), done(BEGAN), replanned(response=BEGAN), replanned(response=BEGAN)]
    played = play(invoke, replies, [acting()], goal={"goal": "Send the year of the French revolution"})
    assert played.result["response"].startswith(BEGAN)
    assert played.result["stop_reason"]["kind"] == "answered"


def test_without_tools_nothing_could_have_been_asked(invoke: Invoke) -> None:
    result = play(invoke, [planned(response=WARM)], [], goal={"goal": ASKED}).result
    assert result["response"] == WARM


def test_a_call_or_an_answer_in_the_place_of_a_plan_is_understood(invoke: Invoke) -> None:
    calls: list[str] = []
    replies = [act("echo", "x"), done("It is x.")]
    played = play(invoke, replies, [echo_tool(calls)], goal={"goal": "Ask echo for x."})
    assert (calls, [item["step"] for item in played.result["plan"]]) == (["x"], ["Ask echo for x."])
    assert played.result["response"] == "It is x."
    assert play(invoke, [done("Hello!")]).result["stop_reason"]["kind"] == "answered"
