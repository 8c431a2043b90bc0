"""One checkpointer and one thread for graphs of different kinds: nothing is mixed, and nothing is lost."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import EmptyInputError
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Send
from support.plan_act import THREAD, TWINS, Invoke, ask, planned, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph, pair_graphs
from thoughtgraph.errors import ThreadKindError, ThreadStateError
from thoughtgraph.tools.verifiers import HumanVerifier

MODES = ("external_loop", "reflexion", "actor_critic", "best_of_n")


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def build(kind: str, saver: InMemorySaver) -> tuple[Any, Any, Any]:
    """A graph that waits for a person, its input, and what it is resumed with."""
    if kind == "plan_act":
        replies = [planned("go"), ask("Which?"), replanned(response="end")]
        return create_plan_act_graph(ScriptedModel(replies=replies), [], checkpointer=saver), {"goal": "g"}, "this"
    if kind == "paired":

        def answer(state: Any) -> Any:
            return {"messages": [AIMessage("a")]}

        both: Any = [
            StateGraph(MessagesState).add_node("n", node).add_edge(START, "n").compile()
            for node in (answer, lambda state: {"messages": []})
        ]
        pair = pair_graphs(*both).compile(checkpointer=saver, interrupt_before=["reflection"])
        return pair, {"messages": [("user", "q")]}, None
    actor = ScriptedModel(replies=[kind] * 5)
    return create_reflection_graph(kind, actor=actor, verifier=HumanVerifier(), checkpointer=saver), {"task": "t"}, True


def family(kind: str) -> str:
    return "reflection" if kind in MODES else kind


# Each mode before and behind another one; a plan-act graph and a pair ask for the family alone.
IN_TURNS = list(zip(MODES, [*MODES[1:], *MODES[:1]], strict=True))
OTHERS = [("plan_act", "paired"), ("paired", "plan_act"), *product(MODES, ["plan_act"]), *product(["paired"], MODES)]


@pytest.mark.parametrize(("kind", "other"), [*OTHERS, *IN_TURNS])
def test_a_graph_of_another_kind_is_refused_and_the_run_goes_on(invoke: Invoke, kind: str, other: str) -> None:
    saver = InMemorySaver()
    graph, given, answer = build(kind, saver)
    foreign, input_, resume = build(other, saver)
    invoke(graph, given, THREAD)
    before = graph.get_state(THREAD).config
    if family(kind) != family(other):
        for wrong in (input_, None, Command(resume=resume)):
            with pytest.raises(ThreadKindError, match="thread '1' holds a run of the kind") as refused:
                invoke(foreign, wrong, THREAD)
            told = refused.value
            assert (told.thread_id, told.found, told.expected) == ("1", family(kind), family(other))
    elif kind != other:
        with pytest.raises(ThreadKindError) as refused:
            invoke(foreign, Command(resume=resume), THREAD)
        told = refused.value
        assert (told.thread_id, told.found, told.expected) == ("1", kind, other)
    assert graph.get_state(THREAD).config == before
    ended = invoke(graph, Command(resume=answer) if answer else None, THREAD)
    assert ended["stop_reason"]["kind"] in ("goal_met", "accepted", "passed")


@pytest.mark.parametrize(("mode", "other"), IN_TURNS)
def test_a_new_task_may_be_solved_in_another_mode_on_the_same_thread(invoke: Invoke, mode: str, other: str) -> None:
    saver = InMemorySaver()
    for kind in (mode, other):
        graph, given, answer = build(kind, saver)
        waiting = invoke(graph, given, THREAD)
        assert (waiting["answer"], waiting["stop_reason"]) == ("", None)
        ended = invoke(graph, Command(resume=answer), THREAD)
        assert (ended["answer"], ended["verdict"], len(ended["attempts"])) == (kind, "passed", 1)
        assert ended["events"][0]["data"]["mode"] == kind


@pytest.mark.parametrize("given", [None, Command(resume=True)], ids=["go on", "answer"])
@pytest.mark.parametrize("kind", [*MODES, "plan_act"])
def test_on_a_thread_without_a_run_there_is_nothing_to_resume(invoke: Invoke, kind: str, given: Any) -> None:
    saver = InMemorySaver()
    graph, asked, answer = build(kind, saver)
    with pytest.raises(EmptyInputError, match=r"nothing to resume on thread '.+': invoke the graph with \{\"(ta|go)"):
        invoke(graph, given, THREAD)
    earlier = {"configurable": {**THREAD["configurable"], "checkpoint_id": "none"}}
    with pytest.raises(EmptyInputError, match="at checkpoint 'none'"):
        invoke(graph, given, earlier)
    assert not list(saver.list(None))
    assert "__interrupt__" in invoke(graph, asked, THREAD)
    assert invoke(graph, Command(resume=answer), THREAD)["stop_reason"]


def test_a_run_is_resumed_whatever_namespace_its_thread_is_given(invoke: Invoke) -> None:
    graph, asked, answer = build("external_loop", InMemorySaver())
    thread = {"configurable": {**THREAD["configurable"], "checkpoint_ns": "mine"}}
    assert "__interrupt__" in invoke(graph, asked, thread)
    assert invoke(graph, Command(resume=answer), thread)["verdict"] == "passed"


@pytest.mark.parametrize("way", TWINS)
def test_a_node_may_resume_a_loop_of_which_the_graph_around_keeps_the_run(way: str) -> None:
    loop: Any = create_reflection_graph(actor=ScriptedModel(replies=["a"]), verifier=HumanVerifier())
    inputs: list[Any] = [{"task": "t"}, None]

    def node(state: MessagesState) -> Any:
        return {"messages": [AIMessage(loop.invoke(inputs.pop(0))["answer"])]}

    async def anode(state: MessagesState) -> Any:
        return {"messages": [AIMessage((await loop.ainvoke(inputs.pop(0)))["answer"])]}

    around: Any = StateGraph(MessagesState).add_node("n", node if way == TWINS[0] else anode).add_edge(START, "n")
    graph = around.compile(checkpointer=InMemorySaver())
    assert "__interrupt__" in twin(way)(graph, {"messages": [("user", "q")]}, THREAD)
    assert twin(way)(graph, Command(resume=True), THREAD)["messages"][-1].content == "a"


def test_without_a_checkpointer_there_is_nothing_to_resume(invoke: Invoke) -> None:
    with pytest.raises(EmptyInputError, match="nothing to resume, as the graph has no checkpointer"):
        invoke(create_reflection_graph(actor=ScriptedModel(replies=[])), None)


@pytest.mark.parametrize("given", [{}, {"task": None}, {"goal": "t"}], ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_without_a_new_task_nothing_is_solved_again(invoke: Invoke, mode: str, given: Any) -> None:
    judged: list[str] = []

    def verifier(task: str, answer: str) -> Verdict:
        judged.append(task)
        return Verdict("passed")

    actor = ScriptedModel(replies=["a"] * 10)
    graph: Any = create_reflection_graph(mode, actor=actor, verifier=verifier, checkpointer=InMemorySaver())
    for count in (1, 2):
        assert invoke(graph, {"task": "t"}, THREAD)["answer"] == "a"
        with pytest.raises(ValueError, match=r"there is no new task|no key that this graph knows, but 'goal'"):
            invoke(graph, given, THREAD)
        assert graph.get_state(THREAD).values["task"] == "t"
        assert judged == ["t"] * count


@pytest.mark.parametrize(
    ("values", "node", "said"),
    [
        ({"current": None}, "attempt", "attempt: what it needs is not in the state"),
        ({"task": 5}, None, "verify: `task` of its state does not fit"),
        ({"events": {"__overwrite__": []}}, None, "no run has begun"),
    ],
    ids=str,
)
def test_a_state_that_does_not_fit_is_told(invoke: Invoke, values: Any, node: str | None, said: str) -> None:
    actor = ScriptedModel(replies=["a"] * 10)
    graph: Any = create_reflection_graph(
        actor=actor,
        verifier=lambda task, answer: Verdict("failed", "no"),
        checkpointer=InMemorySaver(),
        interrupt_before=["verify"],
    )
    invoke(graph, {"task": "t"}, THREAD)
    with pytest.raises(ThreadStateError, match=said):
        graph.update_state(THREAD, values, as_node=node)
        while graph.get_state(THREAD).next:
            invoke(graph, None, THREAD)


def replying(mode: str, saver: InMemorySaver, **options: Any) -> Any:
    """A graph whose first answer fails; any other passes."""

    def verifier(task: str, answer: str) -> Verdict:
        return Verdict("failed", "No.") if answer == "first" else Verdict("passed")

    actor = ScriptedModel(replies=["first", *["second"] * 9])
    return create_reflection_graph(mode, actor=actor, verifier=verifier, checkpointer=saver, **options)


@pytest.mark.parametrize("given", [None, Command(resume="this")])
@pytest.mark.parametrize(("mode", "node"), [("reflexion", "reflect"), ("best_of_n", "sample"), ("best_of_n", "draw")])
def test_a_run_does_not_end_unsaid_where_its_next_node_is_gone(
    invoke: Invoke, mode: str, node: str, given: Any
) -> None:
    saver = InMemorySaver()
    first = replying(mode, saver, interrupt_before=[node])
    invoke(first, {"task": "t"}, THREAD)
    before = first.get_state(THREAD).config
    with pytest.raises(ThreadStateError, match=f"cannot continue with {node}: .* no such node; a graph that has") as no:
        invoke(replying("external_loop", saver), given, THREAD)
    assert (no.value.thread_id, no.value.node) == ("1", node)
    assert first.get_state(THREAD).config == before
    assert invoke(replying(mode, saver), None, THREAD)["stop_reason"]


def test_where_a_run_waited_once_is_no_concern_of_those_that_go_elsewhere(invoke: Invoke) -> None:
    saver, threads = InMemorySaver(), [{"configurable": {"thread_id": name}} for name in "ab"]
    changed = replying("external_loop", saver, interrupt_before=["attempt"])
    for thread in threads:
        invoke(replying("reflexion", saver, interrupt_before=["reflect"]), {"task": "t"}, thread)
    invoke(changed, {"task": "another"}, threads[0])
    assert changed.get_state(threads[0]).next == ("attempt",)
    assert invoke(replying("external_loop", saver), None, threads[0])["verdict"] == "passed"
    with pytest.raises(ThreadKindError):
        invoke(replying("external_loop", saver), Command(goto="attempt"), threads[1])
    for gone in ("reflect", ["outcome", Send("nowhere", {})]):
        with pytest.raises(ThreadStateError, match="this graph has no such node"):
            invoke(changed, Command(goto=gone), threads[0])
