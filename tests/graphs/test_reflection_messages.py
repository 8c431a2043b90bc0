"""A conversation as input of a reflection graph: a node of a graph whose state has messages, like any agent."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command
from support.modes import RIGHT, THREAD, Judge, Mode, all_modes, wrong
from support.plan_act import TWINS, Invoke, planned, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph, create_reflection_graph, pair_graphs
from thoughtgraph.tools.verifiers import HumanVerifier
from typing_extensions import TypedDict


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def said(result: Any) -> list[tuple[str, str]]:
    return [(one.type, one.content) for one in result["messages"]]


def around(loop: Any, **options: Any) -> Any:
    outer = StateGraph(MessagesState).add_node("solve", loop).add_edge(START, "solve").add_edge("solve", END)
    return outer.compile(**options)


@all_modes
@pytest.mark.parametrize("message", [HumanMessage("Go"), ("user", "Go"), {"role": "user", "content": "Go"}])
def test_the_last_message_is_the_task_and_the_best_answer_joins_the_messages(
    invoke: Invoke, mode: Mode, message: Any
) -> None:
    script = mode.script([wrong(0.2), wrong(0.9), wrong(0.1)])
    earlier = [SystemMessage("Be kind."), HumanMessage("Hi"), AIMessage("Hello")]
    result = invoke(script.graph(max_attempts=3), {"messages": [*earlier, message]})
    assert said(result)[3:] == [("human", "Go"), ("ai", wrong(0.9))]
    assert ContextGraph.from_run(result).events[0]["data"]["task"] == "Go"
    assert "Go" in str(script.actor.requests[0]) and "Hello" not in str(script.actor.requests[0])


@all_modes
def test_a_loop_is_a_node_of_a_graph_of_messages_and_its_thread_is_used_again(invoke: Invoke, mode: Mode) -> None:
    for inner in (None, True):
        actor = ScriptedModel(replies=[RIGHT] * 2)
        loop = create_reflection_graph(mode.name, actor=actor, verifier=Judge(), checkpointer=inner)
        app = around(loop, checkpointer=InMemorySaver())
        invoke(app, {"messages": [HumanMessage("One")]}, THREAD)
        result = invoke(app, {"messages": [HumanMessage("Two")]}, THREAD)
        assert said(result) == [("human", "One"), ("ai", RIGHT), ("human", "Two"), ("ai", RIGHT)]


@all_modes
def test_a_thread_takes_messages_and_tasks_in_turns(invoke: Invoke, mode: Mode) -> None:
    actor = ScriptedModel(replies=[RIGHT] * 3)
    graph = create_reflection_graph(mode.name, actor=actor, verifier=Judge(), checkpointer=InMemorySaver())
    invoke(graph, {"messages": [HumanMessage("One")]}, THREAD)
    invoke(graph, {"task": "Two"}, THREAD)
    result = invoke(graph, {"messages": [HumanMessage("Three")]}, THREAD)
    assert said(result) == [("human", "One"), ("ai", RIGHT), ("human", "Three"), ("ai", RIGHT)]
    assert [event["data"]["task"] for event in result["events"] if event["kind"] == "goal"] == ["Three"]
    with pytest.raises(ValueError, match=r"there is no new task: invoke the graph with .* or a new message"):
        invoke(graph, {}, THREAD)


def test_a_task_given_with_messages_is_the_task(invoke: Invoke) -> None:
    actor = ScriptedModel(replies=["Done."])
    result = invoke(create_reflection_graph(actor=actor), {"task": "Sum it up", "messages": [HumanMessage("Hello")]})
    assert actor.requests[0][-1].content == "Sum it up" and said(result) == [("human", "Hello")]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], 'task is empty: invoke the graph with {"task": '),
        ([HumanMessage(" ")], "task is empty"),
        ([AIMessage("Hello")], "the last message is of the type 'ai': end with the user's"),
        (
            [HumanMessage([{"type": "text", "text": "What is it?"}, {"type": "image", "url": "https://x.test/a.png"}])],
            "the last message holds more than text .*'image'.*: say in words",
        ),
    ],
    ids=["none", "blank", "of the model", "image"],
)
def test_what_is_no_task_is_refused(invoke: Invoke, given: list[Any], words: str) -> None:
    actor = ScriptedModel(replies=[])
    with pytest.raises(ValueError, match=words):
        invoke(create_reflection_graph(actor=actor), {"messages": given})
    assert not actor.requests


def test_a_node_of_a_state_without_a_task_says_what_it_reads(invoke: Invoke) -> None:
    class Asked(TypedDict):
        question: str

    loop = create_reflection_graph(actor=ScriptedModel(replies=[]))
    outer = StateGraph(Asked).add_node("solve", loop).add_edge(START, "solve").compile()
    with pytest.raises(ValueError, match="As a node it reads `task` or `messages` of the state around it"):
        invoke(outer, {"question": "What is tea?"})
    with pytest.raises(ValueError, match=r"task is empty: invoke the graph with [^.]*$"):
        invoke(loop, {})


@pytest.mark.parametrize("given", [Command(), Command(resume=None), Command(update={})])
def test_a_command_without_an_answer_says_so_and_leaves_the_pause(invoke: Invoke, given: Command[Any]) -> None:
    thread: Any = {"configurable": {"thread_id": "1"}}
    replies = ['{"status": "planned", "plan": ["ask"]}', '{"status": "ask_user", "question": "Which one?"}']
    replies.append('{"status": "replanned", "plan": [], "response": "It is tea."}')
    loop = create_plan_act_graph(ScriptedModel(replies=replies), [], checkpointer=InMemorySaver())
    assert "__interrupt__" in invoke(loop, {"goal": "Is it?"}, thread)
    with pytest.raises(ValueError, match="None answers nothing"):
        invoke(loop, given, thread)
    assert invoke(loop, Command(resume=False), thread)["response"] == "It is tea."


@pytest.mark.parametrize("given", ["What is tea?", HumanMessage("What is tea?")], ids=["text", "message"])
def test_an_input_without_a_key_says_which_there_are(invoke: Invoke, given: Any) -> None:
    actor = ScriptedModel(replies=[])
    for loop, key in (
        (create_reflection_graph(actor=actor), "task"),
        (create_plan_act_graph(actor, [], interactive=False), "goal"),
    ):
        wanted = rf'without a key: invoke the graph with {{"{key}": …}}, or {{"messages": …}}'
        with pytest.raises(ValueError, match=wanted):
            invoke(loop, given)


@pytest.mark.parametrize("given", [{"input": "What is tea?"}, {"question": "?", "messages_": []}], ids=len)
def test_an_input_of_unknown_keys_alone_names_them_and_the_right_ones(invoke: Invoke, given: dict[str, Any]) -> None:
    actor = ScriptedModel(replies=[])
    for loop, key in (
        (create_reflection_graph(actor=actor), "task"),
        (create_plan_act_graph(actor, [], interactive=False), "goal"),
    ):
        named = ", ".join(map(repr, given))
        wanted = rf'but {named}: invoke the graph with {{"{key}": …}}, or {{"messages": …}}$'
        with pytest.raises(ValueError, match=wanted):
            invoke(loop, given)


def test_unknown_keys_beside_a_known_one_are_left_alone(invoke: Invoke) -> None:
    actor = ScriptedModel(replies=["Tea."])
    assert invoke(create_reflection_graph(actor=actor), {"task": "Which?", "user": "Eva"})["answer"] == "Tea."


def test_a_call_from_a_node_with_unknown_keys_names_them(invoke: Invoke) -> None:
    class Asked(TypedDict):
        question: str

    loop = create_reflection_graph(actor=ScriptedModel(replies=[]))
    outer = (
        StateGraph(Asked).add_node("solve", lambda state: loop.invoke(dict(state))).add_edge(START, "solve").compile()
    )
    with pytest.raises(ValueError, match="but 'question': invoke the graph with"):
        invoke(outer, {"question": "What is tea?"})


def test_a_text_that_is_attached_belongs_to_the_task(invoke: Invoke) -> None:
    actor = ScriptedModel(replies=["Tea."])
    blocks: Any = [{"type": "text", "text": "Sum up:"}, {"type": "text-plain", "text": "Tea is hot."}]
    invoke(create_reflection_graph(actor=actor), {"messages": [HumanMessage(blocks)]})
    assert actor.requests[0][-1].content == "Sum up:\n\nTea is hot."


def test_a_run_that_waited_for_a_person_answers_behind_what_a_resume_adds(invoke: Invoke) -> None:
    actor = ScriptedModel(replies=["a poem"])
    app = around(create_reflection_graph(actor=actor, verifier=HumanVerifier()), checkpointer=InMemorySaver())
    invoke(app, {"messages": [HumanMessage("Write")]}, THREAD)
    assert app.get_state(THREAD).interrupts
    assert said(invoke(app, Command(resume=True), THREAD)) == [("human", "Write"), ("ai", "a poem")]


def test_a_run_without_an_answer_says_so_in_its_message(invoke: Invoke) -> None:
    actor = ScriptedModel(replies=[""] * 4)
    result = invoke(create_reflection_graph(actor=actor, max_attempts=2), {"messages": [HumanMessage("Go")]})
    assert result["answer"] == ""
    assert said(result)[-1] == ("ai", "There is no answer: the limit of 2 attempts was reached.")


def test_a_loop_is_the_main_graph_of_a_pair(invoke: Invoke) -> None:
    loop = create_reflection_graph(actor=ScriptedModel(replies=["draft", "final"]))
    critics = iter([{"messages": [HumanMessage("Longer")]}, {"messages": []}])
    judge = StateGraph(MessagesState).add_node("judge", lambda _: next(critics)).add_edge(START, "judge").compile()
    app = pair_graphs(loop, judge, state_schema=MessagesState).compile()
    assert said(invoke(app, {"messages": [HumanMessage("Write")]}))[-1] == ("ai", "final")


def test_the_schema_of_the_input_names_messages_in_full() -> None:
    schema = create_reflection_graph(actor=ScriptedModel(replies=[])).get_input_jsonschema()
    assert {"$ref": "#/$defs/HumanMessage"} in schema["properties"]["messages"]["items"]["oneOf"]


def both() -> list[tuple[Any, str]]:
    """Either kind of graph, and the key of its text."""
    planner = create_plan_act_graph(ScriptedModel(replies=[planned(response="a")]), [], interactive=False)
    return [(planner, "goal"), (create_reflection_graph(actor=ScriptedModel(replies=["a"])), "task")]


def test_none_in_place_of_messages_gives_none(invoke: Invoke) -> None:
    for graph, key in both():
        assert invoke(graph, {key: "Go", "messages": None})["messages"] == []
        with pytest.raises(ValueError, match=f"{key} is empty"):
            invoke(graph, {"messages": None})


@pytest.mark.parametrize("wrong", [5, [None]])
def test_what_are_no_messages_is_refused_in_words(invoke: Invoke, wrong: Any) -> None:
    for graph, key in both():
        with pytest.raises(ValueError, match="messages has to be a list of messages, got"):
            invoke(graph, {key: "Go", "messages": wrong})
