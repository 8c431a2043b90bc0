"""A main graph and a critique graph as a pair: its edges in both directions, its end, its messages, its trace."""

from __future__ import annotations

import os
from typing import Any

import networkx
import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.errors import GraphRecursionError
from langgraph.graph import MessagesState
from support.paired import TWINS, adds, alone, ask, objects, says, texts
from support.paths import TESTS
from support.scripted import ScriptedModel, code, lint_order
from thoughtgraph import ContextGraph, json_parser, python_parser, think_with_retry
from thoughtgraph.graphs.reflection.pair import after_attempt, after_critique, pair_graphs
from thoughtgraph.graphs.shape import check_shape
from thoughtgraph.traces import stream_trace

SNAPSHOT = TESTS / "snapshots" / "paired.mmd"


@pytest.fixture(params=TWINS, ids=["sync", "async"])
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return request.param


def paired(replies: list[str], critiques: list[str], **options: Any) -> Any:
    return pair_graphs(says(*replies), objects(*critiques), **options).compile()


def chat(model: ScriptedModel) -> Any:
    """A main graph that is one call of a model."""
    return alone(lambda state: {"messages": [model.invoke(state["messages"])]})


def test_a_judge_model_sends_an_answer_back_until_it_is_content(invoke: Any) -> None:
    actor = ScriptedModel(replies=["The sky is blue.", "Air scatters blue light most."])
    critic = ScriptedModel(replies=['{"pass": false, "why": "Say why."}', "Fine!", '{"pass": true, "why": ""}'])

    def judge(state: MessagesState) -> dict[str, Any] | None:
        prompt = f'Does this explain it? Reply with JSON: {{"pass": …, "why": …}}\n{state["messages"][-1].text}'
        verdict = think_with_retry(critic, prompt, json_parser)
        return None if verdict["pass"] else {"messages": [{"role": "user", "content": verdict["why"]}]}

    result = invoke(pair_graphs(chat(actor), alone(judge)).compile(), ask("Why is the sky blue?"))
    assert result["stop_reason"] == {"kind": "accepted", "value": 2, "limit": None}
    assert texts(result)[1:] == ["The sky is blue.", "Say why.", "Air scatters blue light most."]
    assert str(actor.requests[1][-1].text) == "Say why."
    lint_order(actor.requests)


def test_a_checker_of_the_code_sends_what_does_not_parse_back(invoke: Any) -> None:
    actor = ScriptedModel(replies=[code("def double(x:\n    return 2 * x"), code("def double(x):\n    return 2 * x")])

    def check(state: MessagesState) -> dict[str, Any] | None:
        parsed = python_parser(str(state["messages"][-1].text))
        return {"messages": [("user", parsed["feedback"])]} if parsed["status"] == "error" else None

    result = invoke(pair_graphs(chat(actor), alone(check)).compile(), ask("Write `double(x)`."))
    assert (result["stop_reason"]["kind"], len(result["attempts"])) == ("accepted", 2)
    assert "line 1" in result["attempts"][0]["feedback"]
    assert "line 1" in actor.requests[1][-1].text


def test_an_accepted_first_answer_ends_the_run_and_stays_an_opinion(invoke: Any) -> None:
    result = invoke(paired(["7"], [""]), ask())
    assert texts(result) == ["Name a prime.", "7"]
    (only,) = result["attempts"]
    assert (only["answer"], only["accepted"], only["verdict"], only["feedback"]) == ("7", True, "unverified", "")
    assert result["events"][-1]["data"]["verdict"] == "unverified"


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_the_loop_ends_after_its_own_number_of_answers(invoke: Any, limit: int) -> None:
    numbers = [str(number) for number in range(9)]
    result = invoke(paired(numbers, [f"not {number}" for number in numbers], max_attempts=limit), ask())
    assert result["stop_reason"] == {"kind": "max_iterations", "value": limit, "limit": limit}
    assert [done["feedback"] for done in result["attempts"]] == [f"not {number}" for number in range(limit)]
    assert result["messages"][-1].type == "ai"
    assert texts(result)[-1] == str(limit - 1)


def test_an_answer_accepted_at_the_limit_is_accepted(invoke: Any) -> None:
    result = invoke(paired(["8", "9", "7"], ["even", "3 · 3", ""]), ask())
    assert result["stop_reason"] == {"kind": "accepted", "value": 3, "limit": None}
    assert texts(result) == ["Name a prime.", "8", "even", "9", "3 · 3", "7"]


@pytest.mark.parametrize(
    ("replies", "critiques", "kind"),
    [
        (["8", "8 \n\n"], ["even", "even\n"], "repeated_answer"),
        (["8", "9", "9"], ["no", "odd", "odd"], "repeated_answer"),
        (["8", "6", "7"], ["even", "even", ""], "accepted"),
        (["8", "8", "7"], ["even", "still even", ""], "accepted"),
        (["8", "9", "8", "7"], ["no", "odd", "no", ""], "accepted"),
    ],
    ids=["at-once", "later", "another-answer", "another-critique", "not-in-a-row"],
)
def test_only_the_same_critique_of_the_same_answer_is_a_stall(
    invoke: Any, replies: list[str], critiques: list[str], kind: str
) -> None:
    result = invoke(paired(replies, critiques, max_attempts=9), ask())
    assert result["stop_reason"]["kind"] == kind
    assert len(result["attempts"]) == len(replies)
    assert result["messages"][-1].type == "ai"


@pytest.mark.parametrize(
    ("limit", "attempts", "kind", "accepted"),
    [
        (5, 1, "recursion_limit", None),
        (6, 1, "recursion_limit", None),
        (7, 1, "recursion_limit", False),
        (10, 1, "recursion_limit", False),
        (11, 2, "recursion_limit", False),
        (15, 3, "accepted", True),
    ],
)
def test_a_callers_recursion_limit_is_kept_and_never_raises(
    invoke: Any, limit: int, attempts: int, kind: str, accepted: bool | None
) -> None:
    result = invoke(paired(["1", "2", "3"], ["a", "b", ""]), ask(), {"recursion_limit": limit})
    assert (len(result["attempts"]), result["stop_reason"]["kind"]) == (attempts, kind)
    assert result["attempts"][-1]["accepted"] is accepted
    assert texts(result)[-1] == str(attempts)
    if kind == "recursion_limit":
        assert result["stop_reason"]["value"] < result["stop_reason"]["limit"]
    ContextGraph.from_run(result)


def test_a_recursion_limit_without_room_for_one_answer_raises_as_in_any_graph(invoke: Any) -> None:
    with pytest.raises(GraphRecursionError):
        invoke(paired(["1"], [""]), ask(), {"recursion_limit": 4})


@pytest.mark.parametrize("stop", [None, {"kind": "accepted", "value": 1, "limit": None}], ids=["on", "stop"])
def test_the_edges_follow_the_reason_to_stop_alone(stop: Any) -> None:
    state: Any = {"stop_reason": stop}
    assert after_attempt(state) == ("outcome" if stop else "reflection")
    assert after_critique(state) == ("outcome" if stop else "graph")


def test_a_question_that_nobody_answered_is_not_taken_for_a_critique(invoke: Any) -> None:
    result = invoke(pair_graphs(adds([]), adds([])).compile(), ask())
    assert result["stop_reason"]["kind"] == "unverified"
    assert (result["attempts"][0]["answer"], result["attempts"][0]["kind"]) == (None, "no_answer")
    assert (result["events"][-1]["data"]["answer"], result["events"][-1]["data"]["verdict"]) == ("", "failed")
    assert texts(result) == ["Name a prime."]


@pytest.mark.parametrize("second", ["", "still no"], ids=["content", "complaint"])
def test_an_answer_stands_where_a_later_one_is_empty(invoke: Any, second: str) -> None:
    main = adds([AIMessage("8")], [AIMessage("")])
    result = invoke(pair_graphs(main, objects("no", second), max_attempts=2).compile(), ask())
    assert texts(result) == ["Name a prime.", "8"]
    assert result["events"][-1]["data"]["best"] == 1
    assert [done["answer"] for done in result["attempts"]] == ["8", None]


def test_an_answer_in_the_users_name_is_no_critique(invoke: Any) -> None:
    main = adds([HumanMessage("7", name="worker")])
    result = invoke(pair_graphs(main, adds([])).compile(), ask())
    assert (result["attempts"][0]["answer"], result["stop_reason"]["kind"]) == ("7", "accepted")
    assert texts(result) == ["Name a prime.", "7"]


def test_an_answer_rewritten_in_place_is_judged_anew_and_ends_the_messages(invoke: Any) -> None:
    main = adds([AIMessage("8", id="a")], [AIMessage("7", id="a")])
    result = invoke(pair_graphs(main, objects("even", "")).compile(), ask())
    assert [done["answer"] for done in result["attempts"]] == ["8", "7"]
    assert result["stop_reason"]["kind"] == "accepted"
    assert texts(result) == ["Name a prime.", "7"]


def test_a_remark_of_the_critique_graph_that_is_not_the_users_accepts_and_stays(invoke: Any) -> None:
    result = invoke(pair_graphs(says("7"), adds([AIMessage("Looks good.")])).compile(), ask())
    assert (result["stop_reason"]["kind"], result["attempts"][0]["answer"]) == ("accepted", "7")
    assert texts(result)[-1] == "Looks good."


def test_a_tools_last_word_is_the_answer_and_keeps_its_call(invoke: Any) -> None:
    call = AIMessage("", tool_calls=[{"name": "Answer", "args": {"value": 8}, "id": "1"}])
    main = adds([call, ToolMessage("value=8", tool_call_id="1")])
    result = invoke(pair_graphs(main, objects("even"), max_attempts=1).compile(), ask())
    assert result["attempts"][0]["answer"] == "value=8"
    assert [message.type for message in result["messages"]] == ["human", "ai", "tool"]


def test_every_message_is_there_once(invoke: Any) -> None:
    result = invoke(paired(["1", "2", "3"], ["a", "b", ""]), ask())
    ids = [message.id for message in result["messages"]]
    assert len(set(ids)) == len(ids) == 6
    assert None not in ids


def test_tokens_are_counted_once_for_each_answer(invoke: Any) -> None:
    actor = ScriptedModel(replies=["8", "7"])
    result = invoke(pair_graphs(chat(actor), objects("even", "")).compile(), ask())
    assert [done["usage"]["total_tokens"] for done in result["attempts"]] == [15, 15]
    assert result["events"][-1]["data"]["usage"]["total_tokens"] == 30


def test_the_trace_tells_what_led_to_what(invoke: Any) -> None:
    result = invoke(paired(["8", "7"], ["even", ""]), ask())
    graph = ContextGraph.from_run(result)
    kinds = ["goal", "attempt", "critique", "attempt", "critique", "outcome"]
    assert [event["kind"] for event in graph.events] == kinds
    assert [event["seq"] for event in graph.events] == list(range(6))
    assert graph.events[0]["data"]["task"] == "Name a prime."
    relations = [relation for _, _, relation in sorted(graph.nx.edges(data="relation"))]
    assert relations == ["led_to", "led_to", "revised", "led_to", "led_to"]
    assert networkx.is_weakly_connected(graph.nx)
    critiques = [event["data"] for event in graph.events if event["kind"] == "critique"]
    assert [(said["accepted"], said["feedback"], said["by"]) for said in critiques] == [
        (False, "even", "critic"),
        (True, "", "critic"),
    ]


def test_events_come_while_the_run_is_under_way() -> None:
    batches = list(stream_trace(paired(["8", "7"], ["even", ""]), ask(), kinds=["attempt", "critique"], interval=0))
    assert [event["kind"] for batch in batches for event in batch] == ["attempt", "critique"] * 2


def test_the_shape_is_sound_and_drawn_as_on_record() -> None:
    graph = paired(["7"], [""])
    check_shape(graph)
    drawn = graph.get_graph().draw_mermaid()
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(drawn, encoding="utf-8")
    assert drawn == SNAPSHOT.read_text(encoding="utf-8"), "if the change is meant: UPDATE_SNAPSHOTS=1 pytest"
