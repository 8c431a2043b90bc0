"""One checkpointer and one thread for graphs of different kinds: nothing is mixed, and nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from support.plan_act import THREAD, TWINS, Invoke, ask, planned, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph, create_reflection_graph, pair_graphs
from thoughtgraph.errors import ThreadKindError
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


@pytest.mark.parametrize("other", ["plan_act", "paired", *MODES])
@pytest.mark.parametrize("kind", ["plan_act", "paired", *MODES])
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


@pytest.mark.parametrize("other", MODES)
@pytest.mark.parametrize("mode", MODES)
def test_a_new_task_may_be_solved_in_another_mode_on_the_same_thread(invoke: Invoke, mode: str, other: str) -> None:
    saver = InMemorySaver()
    for kind in (mode, other):
        graph, given, answer = build(kind, saver)
        waiting = invoke(graph, given, THREAD)
        assert (waiting["answer"], waiting["stop_reason"]) == ("", None)
        ended = invoke(graph, Command(resume=answer), THREAD)
        assert (ended["answer"], ended["verdict"], len(ended["attempts"])) == (kind, "passed", 1)
        assert ended["events"][0]["data"]["mode"] == kind
