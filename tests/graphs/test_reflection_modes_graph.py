"""The reflection modes as LangGraphs: drawings, streams, states on disk, traces; and the prompts that they send."""

from __future__ import annotations

import doctest
import os
from typing import Any, TypedDict

import networkx
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore
from support.modes import (
    ACTOR_CRITIC,
    BEST_OF_N,
    EXTERNAL_LOOP,
    MODES,
    OWN,
    REFLEXION,
    RIGHT,
    TASK,
    THREAD,
    Judge,
    Mode,
    all_modes,
    comparable,
    judged_runs,
    judging_modes,
    retrying_modes,
    unless_right,
    wrong,
)
from support.paths import TESTS
from support.plan_act import TWINS, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_reflection_graph
from thoughtgraph.errors import GraphShapeError
from thoughtgraph.graphs import building
from thoughtgraph.graphs.building import ReflectionBuilder, ReflectionLoop, after_attempt, framed, verify
from thoughtgraph.graphs.reflection import create as reflection
from thoughtgraph.memory import FailureMemory
from thoughtgraph.nodes.reflection.critique import critique_messages, critique_parser
from thoughtgraph.nodes.reflection.reflect import reflection_messages, reflection_parser
from thoughtgraph.nodes.reflection.state import ReflectionState

SNAPSHOTS = TESTS / "snapshots"
ANSWERS = [wrong(0.2), None, wrong(0.4), wrong(0.2), RIGHT]
RETRIES = ("repair", "fresh", "lesson")


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


def drawn(mode: Mode, **options: Any) -> Any:
    """The drawing of a mode over models that are never asked."""
    return create_reflection_graph(mode.name, actor=ScriptedModel(replies=[]), **options).get_graph()


@pytest.mark.parametrize("mode", [EXTERNAL_LOOP, REFLEXION, ACTOR_CRITIC, BEST_OF_N], ids=lambda mode: mode.name)
def test_the_drawing_is_the_one_on_record(mode: Mode) -> None:
    shown = drawn(mode, verifier=Judge()).draw_mermaid()
    path = SNAPSHOTS / f"{mode.name}.mmd"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8"), "if the change is meant: UPDATE_SNAPSHOTS=1 pytest"


OWN_EDGES = {
    "external_loop": {("attempt", "verify", True), *(("verify", name, True) for name in (*RETRIES, "outcome"))},
    "reflexion": {
        ("attempt", "verify", True),
        *(("verify", name, True) for name in ("evaluate", "reflect", "outcome")),
        *(("evaluate", name, True) for name in ("reflect", "unreadable", "outcome")),
        *(("reflect", name, True) for name in (*RETRIES, "outcome")),
        ("unreadable", "outcome", False),
    },
    "actor_critic": {
        ("attempt", "verify", True),
        *(("verify", name, True) for name in ("critique", "outcome")),
        *(("critique", name, True) for name in (*RETRIES, "unreadable", "outcome")),
        ("unreadable", "outcome", False),
    },
    "second_thoughts": {
        ("attempt", "verify", True),
        ("verify", "ponder", False),
        *(("ponder", name, True) for name in (*RETRIES, "outcome")),
    },
}


@retrying_modes
def test_the_drawing_shows_exactly_the_declared_edges(mode: Mode) -> None:
    assert {
        (edge.source, edge.target, edge.conditional) for edge in drawn(mode, strategies=RETRIES, form_repairs=0).edges
    } == {
        ("__start__", "begin", False),
        ("begin", "attempt", False),
        *(("attempt", name, True) for name in (*RETRIES, "outcome")),
        *((name, "attempt", False) for name in RETRIES),
        ("outcome", "__end__", False),
        *OWN_EDGES[mode.name],
    }


SAMPLED_EDGES = {
    ("__start__", "begin", False),
    ("begin", "draw", False),
    ("draw", "sample", True),
    ("sample", "attempt", False),
    *(("attempt", name, True) for name in ("attempt", "outcome")),
    ("fresh", "draw", False),
    ("outcome", "__end__", False),
}
JUDGED_EDGES = {
    "verifier": {
        *(("attempt", name, True) for name in ("fresh", "verify")),
        *(("verify", name, True) for name in ("attempt", "fresh", "outcome")),
    },
    "agreement": {("attempt", "agree", True), *(("agree", name, True) for name in ("fresh", "outcome"))},
}


@pytest.mark.parametrize("judged", JUDGED_EDGES)
def test_the_drawing_of_samples_shows_what_judges_them(judged: str) -> None:
    shown = drawn(BEST_OF_N, verifier=Judge() if judged == "verifier" else None)
    edges = {(edge.source, edge.target, edge.conditional) for edge in shown.edges}
    assert edges == SAMPLED_EDGES | JUDGED_EDGES[judged]


@all_modes
def test_a_memory_is_asked_before_every_attempt_and_told_behind_the_outcome(mode: Mode) -> None:
    options = {} if mode.samples else {"strategies": RETRIES, "form_repairs": 1}
    shown = {(edge.source, edge.target) for edge in drawn(mode, memory=FailureMemory(InMemoryStore()), **options).edges}
    assert {edge for edge in shown if {"recall", "remember"} & set(edge)} == {
        *((source, "recall") for source in ("begin", *(["fresh"] if mode.samples else [*RETRIES, "repair_form"]))),
        ("recall", mode.asks),
        ("outcome", "remember"),
        ("remember", "__end__"),
    }
    assert ("begin", mode.asks) not in shown


def test_the_example_of_a_mode_of_ones_own_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflection, "_MODES", {})
    test = doctest.DocTestParser().get_doctest(
        str(reflection.register_reflection_mode.__doc__), {**vars(reflection), **vars(building)}, "example", None, 0
    )
    for example in test.examples:
        example.options.clear()
    assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
    (name,) = reflection.reflection_modes()
    graph = create_reflection_graph(name, actor=ScriptedModel(replies=[RIGHT]), verifier=Judge())
    assert graph.invoke(TASK)["verdict"] == "passed"


def test_a_mode_with_a_node_that_nothing_leads_to_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(loop: ReflectionLoop) -> ReflectionBuilder:
        graph = framed(loop)
        graph.add_edge("attempt", "outcome")
        return graph

    monkeypatch.setattr("thoughtgraph.graphs.reflection.create._MODES", {"lost": lost})
    for _ in range(2):
        with pytest.raises(GraphShapeError, match=r"no path leads to \['fresh'\]"):
            create_reflection_graph("lost", actor=ScriptedModel(replies=[]))


@pytest.mark.parametrize("ends", [(), (END,)], ids=["no edge", "the end"])
def test_a_mode_with_a_node_that_ends_the_run_without_an_outcome_is_refused(
    monkeypatch: pytest.MonkeyPatch, ends: tuple[str, ...]
) -> None:
    def cut_off(loop: ReflectionLoop) -> ReflectionBuilder:
        graph = framed(loop)
        graph.add_step("verify", verify)
        graph.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
        for end in ends:
            graph.add_edge("verify", end)
        return graph

    monkeypatch.setattr("thoughtgraph.graphs.reflection.create._MODES", {"cut_off": cut_off})
    with pytest.raises(GraphShapeError, match=r"\['verify'\] would end the run without 'outcome'"):
        create_reflection_graph("cut_off", actor=ScriptedModel(replies=[]))


def test_a_right_shape_says_nothing_of_one_with_an_edge_less(monkeypatch: pytest.MonkeyPatch) -> None:
    leads: list[str] = ["fresh"]

    def mode(loop: ReflectionLoop) -> ReflectionBuilder:
        graph = framed(loop)
        graph.add_conditional_edges("attempt", lambda state: "outcome", [*leads, "outcome"])
        return graph

    monkeypatch.setattr("thoughtgraph.graphs.reflection.create._MODES", {"mode": mode})
    settings: Any = {"actor": ScriptedModel(replies=[]), "form_repairs": 0, "strategies": ["fresh"]}
    create_reflection_graph("mode", **settings)
    leads.clear()
    with pytest.raises(GraphShapeError, match=r"no path leads to \['fresh'\]"):
        create_reflection_graph("mode", **settings)


SAMPLING = ["draw", "sample", "attempt", "verify"]
VISITED = {
    "external_loop": ["attempt", "verify", "fresh", "attempt", "verify", "outcome"],
    "reflexion": ["attempt", "verify", "reflect", "lesson", "attempt", "verify", "outcome"],
    "actor_critic": ["attempt", "verify", "critique", "repair", "attempt", "verify", "outcome"],
    "best_of_n": [*SAMPLING, "fresh", *SAMPLING, "outcome"],
    "second_thoughts": ["attempt", "verify", "ponder", "fresh", "attempt", "verify", "ponder", "outcome"],
}


@all_modes
def test_a_stream_tells_of_every_node(mode: Mode) -> None:
    graph = mode.script([wrong(0.2), RIGHT]).graph()
    nodes = [next(iter(update)) for update in graph.stream(dict(TASK), stream_mode="updates")]
    assert nodes == ["begin", *VISITED[mode.name]]


@all_modes
async def test_an_async_stream_tells_of_every_node(mode: Mode) -> None:
    graph = mode.script([wrong(0.2), RIGHT]).graph()
    nodes = [next(iter(update)) async for update in graph.astream(dict(TASK), stream_mode="updates")]
    assert nodes == ["begin", *VISITED[mode.name]]


class Parent(TypedDict):
    task: str
    answer: str
    verdict: str


@all_modes
@pytest.mark.parametrize("state", [ReflectionState, Parent], ids=["same-state", "own-state"])
def test_a_loop_is_a_subgraph_like_any_other(invoke: Any, mode: Mode, state: Any) -> None:
    parent = StateGraph(state)
    parent.add_node("solve", mode.script([wrong(0.2), RIGHT]).graph())
    parent.add_edge(START, "solve")
    parent.add_edge("solve", END)
    result = invoke(parent.compile(checkpointer=InMemorySaver()), dict(TASK), THREAD)
    assert (result["answer"], result["verdict"]) == (RIGHT, "passed")


@all_modes
def test_a_store_is_passed_on_to_the_graph(mode: Mode) -> None:
    store = InMemoryStore()
    assert mode.script([RIGHT]).graph(store=store).store is store


@judged_runs
def test_the_state_is_plain_json_for_a_strict_serializer(
    invoke: Any, mode: Mode, verified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    graph = mode.script(ANSWERS, verified=verified).graph(checkpointer=InMemorySaver())
    result = invoke(graph, dict(TASK), THREAD)
    kept = graph.get_state(THREAD).values
    assert (kept["attempts"], kept["events"]) == (result["attempts"], result["events"])
    assert comparable(result) == comparable(mode.script(ANSWERS, verified=verified).run(invoke))


REQUIRED = {
    "goal": {"task", "mode"},
    "thought": {"reply", "reasoning", "usage", "parser", "feedback", "seconds"},
    "attempt": {
        *("number", "strategy", "reply", "answer", "repeats", "verdict", "feedback", "score", "kind", "usage"),
        *("request", "seconds", "accepted"),
    },
    "verdict": {"status", "feedback", "score", "kind", "details", "seconds"},
    "critique": {"accepted", "score", "feedback", "by", "attempt"},
    "reflection": {"reflection", "attempt"},
    "outcome": {"answer", "verdict", "stop_reason", "best", "usage"},
}
COMMON = {"goal", "thought", "attempt", "verdict", "outcome"}


@judged_runs
def test_every_event_says_what_its_kind_promises(invoke: Any, mode: Mode, verified: bool) -> None:
    result = mode.script(ANSWERS, verified=verified).run(invoke)
    for event in result["events"]:
        assert REQUIRED[event["kind"]] <= set(event["data"]), event["kind"]
    also = {"reflection"} if mode.reflects else set[str]()
    also |= {"critique"} if mode.explains or not verified else set()
    assert {event["kind"] for event in result["events"]} == COMMON | also


@judged_runs
def test_a_run_is_one_context_graph_from_goal_to_outcome(invoke: Any, mode: Mode, verified: bool) -> None:
    result = mode.script(ANSWERS, verified=verified).run(invoke)
    graph = ContextGraph.from_run(result).nx
    assert networkx.number_weakly_connected_components(graph) == 1
    first, last = result["events"][0], result["events"][-1]
    assert (first["kind"], last["kind"]) == ("goal", "outcome")
    assert networkx.descendants(graph, first["id"]) == set(graph) - {first["id"]}
    for attempt, event in zip(result["attempts"], (e for e in result["events"] if e["kind"] == "attempt"), strict=True):
        assert attempt["event"] == event["id"]
        assert attempt["number"] == event["data"]["number"]


@judged_runs
def test_tokens_are_counted_once_whoever_spent_them(invoke: Any, mode: Mode, verified: bool) -> None:
    script = mode.script(ANSWERS, verified=verified)
    result = script.run(invoke)
    calls = len(script.actor.requests) + len(script.critic.requests)
    assert result["usage"]["total_tokens"] == 15 * calls == result["events"][-1]["data"]["usage"]["total_tokens"]
    thoughts = [event for event in result["events"] if event["kind"] == "thought"]
    assert sum(event["data"]["usage"]["total_tokens"] for event in thoughts) == 15 * calls


@all_modes
def test_the_reason_of_an_end_is_told_in_words(mode: Mode) -> None:
    told = ContextGraph.from_run(mode.script([wrong(0.2), RIGHT]).run(twin("sync"))).why_stopped()
    assert (told.kind, "attempt 2" in told.sentence) == ("passed", True)


@retrying_modes
@pytest.mark.parametrize("strategy", RETRIES)
def test_requests_of_one_strategy_change_at_their_end_only(mode: Mode, strategy: str) -> None:
    answers = [*(wrong(0.1 * number) for number in range(4)), RIGHT]
    script = mode.script(answers)
    if strategy == "fresh":
        # A sample that is told nothing is not reflected on.
        script.actor = ScriptedModel(replies=list(answers))
    result = script.run(twin("sync"), strategies=[strategy])
    sent = [event["data"]["request"] for event in result["events"] if event["kind"] == "attempt"]
    first = sent[0]
    for request in sent[1:]:
        assert request[0] == first[0], "the system message changed"
        assert request[1]["content"].startswith(first[1]["content"]), "the task moved"
        assert len(request) == (4 if strategy == "repair" else 2)
        assert strategy in ("lesson", "fresh") or request[1] == first[1]
    if mode.reflects and strategy == "lesson":
        notes = [request[1]["content"].partition("The last attempt failed")[0].rstrip() for request in sent[1:4]]
        assert notes[1].startswith(notes[0])
        assert notes[2].startswith(notes[1])


@all_modes
def test_the_system_message_holds_the_format_and_never_the_task(mode: Mode) -> None:
    script = mode.script([wrong(0.1), RIGHT])
    script.run(twin("sync"))
    for request in script.actor.requests[::2] if mode.reflects else script.actor.requests:
        assert request[0].content == "Answer in one line."
        assert str(request[1].content).startswith("Say the right thing.\n\nOnly the right answer counts.")


@all_modes
def test_no_request_grows_with_what_a_verifier_says(mode: Mode) -> None:
    script = mode.script([wrong(0.1), wrong(0.2), RIGHT], verifier=unless_right(Verdict("failed", "noise " * 20_000)))
    script.run(twin("sync"))
    for request in [*script.actor.requests, *script.critic.requests]:
        assert sum(len(str(message.content)) for message in request) < 8_000


@judging_modes
def test_no_request_grows_with_what_a_model_says_of_an_answer(mode: Mode) -> None:
    long = "noise " * 2_000
    script = mode.script([wrong(0.1 * number) for number in range(4)] + [RIGHT], verified=False)
    script.critic.replies = [reply.replace("The critic", long) for reply in script.critic.replies]
    script.actor.replies = [reply.replace("Mistake ", long) for reply in script.actor.replies]
    script.run(twin("sync"))
    for request in script.actor.requests:
        assert sum(len(str(message.content)) for message in request) < 8_000


@pytest.mark.parametrize(
    ("messages", "parser"),
    [
        (critique_messages("Task", "", "answer"), critique_parser),
        (reflection_messages("Task", "answer", "wrong"), reflection_parser),
    ],
    ids=["critique", "reflection"],
)
def test_every_prompt_shows_an_example_of_a_reply_that_its_own_parser_can_read(
    messages: list[Any], parser: Any
) -> None:
    examples = [str(message.content) for message in messages if message.type == "ai"]
    assert examples
    for shown in examples:
        # Word for word it would be a copy; backwards it has the same form.
        lines = [" ".join(reversed(line.split())) if len(line.split()) > 3 else line for line in shown.splitlines()]
        assert parser("\n".join(lines))["status"] == "success"


def test_all_modes_are_named_in_the_edges_of_this_suite() -> None:
    assert {mode.name for mode in MODES} == {*OWN_EDGES, BEST_OF_N.name} == set(VISITED)
    assert OWN.name in OWN_EDGES
