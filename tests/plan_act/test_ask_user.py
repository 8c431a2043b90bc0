"""Questions to the user: the pause, the answer, the limits of asking, and runs in which nobody can be asked."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    Invoke,
    act,
    ask,
    done,
    echo_tool,
    last_words,
    planned,
    play,
    replanned,
    twin,
    with_call,
)
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import ThoughtGraphError, create_plan_act_graph
from thoughtgraph.errors import MissingCheckpointerError
from thoughtgraph.nodes.plan_act.guards import Guards

END = [done("A"), replanned(response="end")]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({}, "Please confirm: Which?"),
        ({"language": "en"}, "Please confirm: Which?"),
        ({"language": "zh"}, "请确认：Which?"),
        ({"ask_prefix": "Q: "}, "Q: Which?"),
        ({"ask_prefix": "Q: ", "language": "zh"}, "Q: Which?"),
        ({"ask_prefix": ""}, "Which?"),
    ],
    ids=["default", "English", "Chinese", "own", "own-Chinese", "none"],
)
def test_a_question_pauses_the_run_and_is_shown_behind_its_prefix(
    invoke: Invoke, options: dict[str, Any], shown: str
) -> None:
    model = ScriptedModel(replies=[planned("a"), ask("Which?")])
    graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver(), **options)
    paused = invoke(graph, dict(GOAL), THREAD)
    assert [one.value for one in paused["__interrupt__"]] == [shown]
    assert graph.get_state(THREAD).next == ("ask_user",)


def test_the_answer_resumes_at_the_question_without_repeating_a_call(invoke: Invoke) -> None:
    calls: list[str] = []
    model = ScriptedModel(replies=[planned("a"), act("echo", "x"), ask("Which?"), replanned("a"), *END])
    graph = create_plan_act_graph(model, [echo_tool(calls)], checkpointer=InMemorySaver())
    paused = invoke(graph, dict(GOAL), THREAD)
    assert (len(model.requests), calls) == (3, ["x"])
    nodes = [next(iter(update)) for update in graph.stream(Command(resume="this"), THREAD, stream_mode="updates")]
    assert nodes[:4] == ["ask_user", "read_answer", "guidance", "replan"]
    assert (len(model.requests), calls) == (6, ["x"])
    values = graph.get_state(THREAD).values
    assert values["clarifications"] == [{"question": "Which?", "answer": "this", "assumed": False}]
    assert len(values["events"]) > len(paused["events"])
    assert [event["seq"] for event in values["events"]] == list(range(len(values["events"])))


def test_an_answer_is_taken_as_it_comes(invoke: Invoke) -> None:
    replies = [planned("a"), ask("How many?"), replanned("a"), *END]
    for given, taken in (("  three \n", "three"), (3, "3"), ({"number": 3}, "{'number': 3}")):
        result, model, _ = play(invoke, replies, answers=[given])  # type: ignore[list-item]
        assert result["clarifications"][0]["answer"] == taken
        assert taken in last_words(model, 2)


@pytest.mark.parametrize("again", ["Which?", " which ", "WHICH?!"], ids=["same", "case", "marks"])
def test_a_question_asked_before_is_not_put_again_but_answered_from_before(invoke: Invoke, again: str) -> None:
    replies = [planned("a"), ask("Which?"), replanned("a"), ask(again), *END]
    result, model, shown = play(invoke, replies, answers=["the red one"])
    assert shown == ["Please confirm: Which?"]
    assert "the red one" in last_words(model, 4)
    assert (result["response"], len(result["clarifications"])) == ("end", 1)


def test_an_action_behind_a_refused_question_is_carried_out(invoke: Invoke) -> None:
    calls: list[str] = []
    replies = [planned("a"), ask("Which?"), replanned("a"), ask("Which?"), act("echo", "x"), *END]
    play(invoke, replies, [echo_tool(calls)], answers=["this"])
    assert calls == ["x"]


def test_a_new_question_behind_a_refused_one_is_put(invoke: Invoke) -> None:
    replies = [planned("a"), ask("Which?"), replanned("a"), ask("Which?"), ask("When?"), replanned("a"), *END]
    _, _, shown = play(invoke, replies, answers=["this", "now"])
    assert shown == ["Please confirm: Which?", "Please confirm: When?"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_question_that_keeps_coming_back_ends_the_run_with_advice(invoke: Invoke, limit: int) -> None:
    guards = Guards(max_repeated_questions=limit)
    replies = [planned("a"), ask("Which?"), replanned("a"), *[ask("which")] * limit]
    result, _, _ = play(invoke, replies, answers=["this"], guards=guards)
    assert result["stop_reason"] == {"kind": "repeated_question", "value": limit, "limit": limit}
    assert result["response"].startswith(text("en", "repeated_question"))


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_one_question_too_many_ends_the_run_with_advice(invoke: Invoke, limit: int) -> None:
    rounds = [reply for number in range(limit) for reply in (ask(f"Question {number}?"), replanned("a"))]
    answers = [f"answer {number}" for number in range(limit)]
    replies = [planned("a"), *rounds, ask("One more?")]
    result, _, shown = play(invoke, replies, answers=answers, guards=Guards(max_questions=limit))
    assert len(shown) == limit
    assert result["stop_reason"] == {"kind": "too_many_questions", "value": limit, "limit": limit}
    assert result["response"].startswith(text("en", "too_many_questions"))


def test_the_number_of_questions_is_counted_for_each_run(invoke: Invoke) -> None:
    model = ScriptedModel(replies=[planned("a"), ask("Which?"), replanned("a"), *END] * 2)
    guards = Guards(max_questions=1)
    graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver(), guards=guards)
    for _ in range(2):
        paused = invoke(graph, dict(GOAL), THREAD)
        assert (len(paused["__interrupt__"]), paused["clarifications"]) == (1, [])
        assert invoke(graph, Command(resume="this"), THREAD)["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("command", [" 取消当前任务 ", "cancel", " Cancel\n", "/cancel", "/CANCEL", "／cancel"])
def test_the_cancel_command_ends_the_run(invoke: Invoke, command: str, language: Any) -> None:
    replies = [planned("a", "b"), done("A"), replanned("b"), ask("Which?")]
    result, _, _ = play(invoke, replies, answers=[command], language=language)
    assert result["stop_reason"]["kind"] == "cancelled"
    assert result["response"] == text(language, "cancelled")
    assert [item["status"] for item in result["plan"]] == ["done", "open"]
    assert result["clarifications"] == []


@pytest.mark.parametrize(
    "answer", ["never mind", "Oh, nevermind then!", "no, forget about it", "Leave it, thanks.", "算了", "不用了，谢谢"]
)
def test_an_answer_that_gives_up_ends_the_run(invoke: Invoke, answer: str) -> None:
    result, _, _ = play(invoke, [planned("a"), ask("Which?")], answers=[answer])
    assert result["stop_reason"]["kind"] == "cancelled"
    # Of two steps, the other one may still be wanted.
    result, _, _ = play(invoke, [planned("a", "b"), ask("Which?"), replanned("b"), *END], answers=[answer])
    assert result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize("answer", ["never mind the first, the second", "I forget", "cancel it", "leave it on Friday"])
def test_an_answer_that_says_more_is_an_answer(invoke: Invoke, answer: str) -> None:
    result, _, _ = play(invoke, [planned("a"), ask("Which?"), replanned("a"), *END], answers=[answer])
    assert result["stop_reason"]["kind"] == "goal_met"
    assert [given["answer"] for given in result["clarifications"]] == [answer]


@pytest.mark.parametrize("answer", ["请不要取消当前任务", "cancel the dentist", "/cancel it", "don't cancel"])
def test_words_that_only_contain_the_cancel_command_are_an_answer(invoke: Invoke, answer: str) -> None:
    replies = [planned("a"), ask("Which?"), replanned("a"), *END]
    result, _, _ = play(invoke, replies, answers=[answer])
    assert result["stop_reason"]["kind"] == "goal_met"


def test_a_new_goal_takes_the_place_of_a_paused_one(invoke: Invoke) -> None:
    model = ScriptedModel(replies=[planned("a"), ask("Which?"), planned(response="Hello!")])
    graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver())
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, {"goal": "Hi"}, THREAD)
    assert (result["response"], result["clarifications"]) == ("Hello!", [])
    assert "__interrupt__" not in result
    assert graph.get_state(THREAD).next == ()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_where_nobody_can_be_asked_an_assumption_is_made_and_recorded(invoke: Invoke, language: Any) -> None:
    replies = [planned("a"), ask("Which?"), replanned("a"), *END]
    result, model, _ = play(invoke, replies, interactive=False, language=language)
    assumption = text(language, "ask.assumption")
    assert result["clarifications"] == [{"question": "Which?", "answer": assumption, "assumed": True}]
    assert assumption in last_words(model, 2)
    assert result["response"] == "end"


def test_a_model_that_only_asks_is_ended_where_nobody_can_answer(invoke: Invoke) -> None:
    rounds = [reply for number in range(5) for reply in (ask(f"Question {number}?"), replanned("a"))]
    result, _, _ = play(invoke, [planned("a"), *rounds, ask("One more?")], interactive=False)
    assert result["stop_reason"]["kind"] == "too_many_questions"


@pytest.mark.parametrize("checkpointer", [None, False], ids=["none", "off"])
def test_a_graph_that_could_not_keep_its_pause_is_refused_at_build(checkpointer: Any) -> None:
    with pytest.raises(MissingCheckpointerError, match="interactive=False") as caught:
        create_plan_act_graph(ScriptedModel(replies=[]), [], checkpointer=checkpointer)
    assert isinstance(caught.value, ThoughtGraphError)
    assert isinstance(caught.value, ValueError)


def approve(text: str) -> str:
    """Ask before doing."""
    return f"{text}: {interrupt({'approve': text})}"


async def aapprove(text: str) -> str:
    """Ask before doing, async."""
    return f"{text}: {interrupt({'approve': text})}"


@pytest.mark.parametrize("tool", [approve, aapprove], ids=["sync-tool", "async-tool"])
@pytest.mark.parametrize("timeout", [None, 30], ids=["no-limit", "limit"])
def test_a_tool_may_pause_the_run_itself(invoke: Invoke, tool: Any, timeout: float | None) -> None:
    model = ScriptedModel(replies=[planned("a"), act(tool.__name__, "rm -r"), *END])
    graph = create_plan_act_graph(model, [tool], checkpointer=InMemorySaver(), tool_timeout=timeout)
    paused = invoke(graph, dict(GOAL), THREAD)
    assert [one.value for one in paused["__interrupt__"]] == [{"approve": "rm -r"}]
    assert (len(model.requests), paused["observations"]) == (2, [])
    result = invoke(graph, Command(resume="yes"), THREAD)
    assert result["observations"] == [{"tool": tool.__name__, "input": "rm -r", "ok": True, "result": "rm -r: yes"}]
    assert (result["response"], len(model.requests)) == ("end", 4)
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))


@pytest.mark.parametrize("tool", [approve, aapprove], ids=["sync-tool", "async-tool"])
@pytest.mark.parametrize("timeout", [None, 30], ids=["no-limit", "limit"])
def test_a_tool_that_pauses_needs_a_checkpointer_when_it_does(invoke: Invoke, tool: Any, timeout: float | None) -> None:
    model = ScriptedModel(replies=[planned("a"), act(tool.__name__, "rm -r")])
    graph = create_plan_act_graph(model, [tool], interactive=False, tool_timeout=timeout)
    with pytest.raises(MissingCheckpointerError, match="tools and verifiers that ask nobody"):
        invoke(graph, dict(GOAL))


@pytest.mark.parametrize("kept", [True, False], ids=["with a checkpointer", "without"])
@pytest.mark.parametrize(
    ("reply", "options"), [(ask("Which?"), {}), (act("echo", "x"), {"interrupt_on": {"echo": True}})]
)
def test_a_graph_inside_another_asks_where_that_one_has_a_checkpointer(
    invoke: Invoke, reply: str, options: dict[str, Any], kept: bool
) -> None:
    model = ScriptedModel(replies=[planned("a"), reply])
    inner = create_plan_act_graph(model, [echo_tool()], checkpointer=True, **options)
    outer = StateGraph(MessagesState).add_node("inner", inner).add_edge(START, "inner")
    graph = outer.compile(checkpointer=InMemorySaver() if kept else None)
    given = {"messages": [("user", "Get it done")]}
    if kept:
        assert invoke(graph, given, THREAD)["__interrupt__"]
        return
    with pytest.raises(MissingCheckpointerError, match="interactive=False"):
        invoke(graph, given)


@pytest.mark.parametrize("name", TWINS)
def test_a_paused_run_shows_its_plan(name: str) -> None:
    replies = [planned("one", "two"), act("echo", "x"), done("One is done."), replanned("two"), ask("Which?")]
    model = ScriptedModel(replies=replies)
    graph = create_plan_act_graph(model, [echo_tool()], checkpointer=InMemorySaver())
    paused = twin(name)(graph, dict(GOAL), THREAD)
    assert paused["__interrupt__"]
    assert [(item["step"], item["status"], item["response"]) for item in paused["plan"]] == [
        ("one", "done", "One is done."),
        ("two", "open", ""),
    ]


@pytest.mark.parametrize(
    ("goal", "question"),
    [
        ("who is it I'm seeing at the Botanical Cafe? total blank", "Who is it I'm seeing at the Botanical Cafe?"),
        ("Be honest: is there anything I've let slide?", "Is there anything I've let slide?"),
    ],
)
def test_the_users_own_question_is_not_put_to_the_user(invoke: Invoke, goal: str, question: str) -> None:
    replies = [
        planned("find out who"),
        ask(question),
        act("echo", "Henrike"),
        done("You are seeing Henrike."),
        replanned(response="You are seeing Henrike."),
    ]
    result, model, shown = play(invoke, replies, goal={"goal": goal})
    assert (shown, result["response"]) == ([], "You are seeing Henrike.")
    assert text("en", "note.own_question", context="-") in last_words(model, 2)


@pytest.mark.parametrize("goal", ["Is the kitchen light on?", "厨房的灯开着吗？"])
def test_nor_is_one_without_a_word_for_what_is_asked(invoke: Invoke, goal: str) -> None:
    replies = [planned("look"), ask(goal), act("echo", "off"), done("No, it is off."), replanned(response="It is off.")]
    assert play(invoke, replies, goal={"goal": goal}).shown == []


@pytest.mark.parametrize("direct", [False, True])
def test_what_was_found_out_is_the_answer_to_the_users_question_that_the_model_puts_again(
    invoke: Invoke, direct: bool
) -> None:
    goal = "Who is it I'm seeing at the Botanical Cafe?"
    plan = with_call(planned("find out who"), "echo", "Henrike") if direct else planned("find out who")
    calls = [] if direct else [act("echo", "Henrike")]
    replies = [plan, *calls, ask(goal), ask(goal), *([] if direct else [replanned(response="Henrike, it says.")])]
    result, _, shown = play(invoke, replies, goal={"goal": goal})
    assert (shown, result["stop_reason"]["kind"]) == ([], "goal_met")
    assert "Henrike" in result["response"]


def test_what_is_no_question_may_be_asked_back(invoke: Invoke) -> None:
    replies = [planned("look"), ask("The blue one"), done("The blue one."), replanned(response="The blue one.")]
    assert len(play(invoke, replies, goal={"goal": "the blue one"}, answers=["yes"]).shown) == 1


@pytest.mark.parametrize(
    ("goal", "question"),
    [
        ("who is it I'm seeing at the cafe?", "Which cafe?"),
        ("Can you book a table for dinner with Eva?", "When is the dinner with Eva?"),
        ("Book dinner with Eva", "When is the dinner with Eva?"),
    ],
)
def test_a_question_of_the_models_own_is_put(invoke: Invoke, goal: str, question: str) -> None:
    replies = [planned("a"), ask(question), replanned(response="Henrike.")]
    assert len(play(invoke, replies, goal={"goal": goal}, answers=["the Botanical"]).shown) == 1


def test_a_message_as_the_answer_is_read_as_its_words(invoke: Invoke) -> None:
    model = ScriptedModel(replies=[planned("go"), ask("Which?"), replanned(response="end")])
    graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver())
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, Command(resume=HumanMessage([{"type": "text", "text": "the blue one"}])), THREAD)
    assert [given["answer"] for given in result["clarifications"]] == ["the blue one"]
