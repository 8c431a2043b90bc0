"""What a person changes in a waiting run, by `update_state` or in a fork, is in its trace; nothing else is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from support.modes import EXTERNAL_LOOP, RIGHT, TASK, THREAD, Mode, all_modes, wrong
from support.plan_act import GOAL, TWINS, Invoke, act, done, echo_tool, planned, replanned, twin, with_call
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph

ITEM: Any = {"tool": None, "requires": [], "status": "open", "response": ""}


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def changes(result: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Field, before and after of every change in the trace."""
    seen = [event["data"] for event in result["events"] if event["data"].get("tool") == "update_state"]
    return [(data["input"]["field"], data["input"]["before"], data["result"]) for data in seen]


def event_of(result: dict[str, Any], kind: str) -> Any:
    return next(event for event in result["events"] if event["kind"] == kind)


@all_modes
def test_an_edited_answer_is_judged_and_traced(mode: Mode, invoke: Invoke) -> None:
    graph = mode.script([wrong(0.2)]).graph(checkpointer=InMemorySaver(), interrupt_before=["verify"])
    invoke(graph, dict(TASK), THREAD)
    current = graph.get_state(THREAD).values["current"]
    graph.update_state(THREAD, {"current": {**current, "answer": RIGHT}})
    result = invoke(graph, None, THREAD)
    assert (result["answer"], result["verdict"]) == (RIGHT, "passed")
    assert changes(result) == [("answer", wrong(0.2), RIGHT)]
    edit = next(event for event in result["events"] if event["data"].get("tool") == "update_state")
    assert edit["links"] == [{"source": current["event"], "relation": "revised"}]
    assert edit["id"] in [link["source"] for link in event_of(result, "verdict")["links"]]
    trace = ContextGraph.from_run(result)
    assert [event["kind"] for event in trace.why_stopped().evidence] == ["attempt", "observation", "verdict"]
    assert edit in trace.path_to_outcome()
    agents = json.loads(trace.to_prov())["agent"]
    assert "agent:user" in agents and "tool:update_state" not in agents


@all_modes
def test_a_task_that_was_changed_twice_has_both_changes(mode: Mode, invoke: Invoke) -> None:
    graph = mode.script([wrong(0.2), RIGHT]).graph(checkpointer=InMemorySaver(), interrupt_before=[mode.asks])
    invoke(graph, dict(TASK), THREAD)
    graph.update_state(THREAD, {"task": "Say it."})
    invoke(graph, None, THREAD)
    graph.update_state(THREAD, {"task": "Say it now."})
    result = invoke(graph, None, THREAD)
    assert changes(result) == [("task", TASK["task"], "Say it."), ("task", "Say it.", "Say it now.")]
    assert result["verdict"] == "passed"


@all_modes
def test_a_run_that_only_waited_has_no_change(mode: Mode, invoke: Invoke) -> None:
    script = mode.script([wrong(0.2), RIGHT])
    graph = script.graph(checkpointer=InMemorySaver(), interrupt_before=["attempt", "verify"])
    result = invoke(graph, dict(TASK), THREAD)
    while graph.get_state(THREAD).next:
        result = invoke(graph, None, THREAD)
    assert result["verdict"] == "passed" and changes(result) == []


@all_modes
def test_an_update_that_changes_nothing_is_no_change(mode: Mode, invoke: Invoke) -> None:
    graph = mode.script([RIGHT]).graph(checkpointer=InMemorySaver(), interrupt_before=[mode.asks])
    invoke(graph, dict(TASK), THREAD)
    graph.update_state(THREAD, dict(TASK))
    assert changes(invoke(graph, None, THREAD)) == []


def plan_run(*replies: str, before: str, tool: Any = None) -> Any:
    return create_plan_act_graph(
        ScriptedModel(replies=list(replies)),
        [tool or echo_tool()],
        interactive=False,
        checkpointer=InMemorySaver(),
        interrupt_before=[before],
    )


def test_an_edited_call_is_made_and_traced(invoke: Invoke) -> None:
    calls: list[str] = []
    replies = [planned("a"), act("echo", "x"), done("A"), replanned(response="end")]
    graph = plan_run(*replies, before="act", tool=echo_tool(calls))
    invoke(graph, dict(GOAL), THREAD)
    decision = graph.get_state(THREAD).values["decision"]
    graph.update_state(THREAD, {"decision": {**decision, "next_action": {"tool": "echo", "input": "y"}}})
    result = invoke(graph, None, THREAD)
    assert calls == ["y"]
    [(field, before, after)] = changes(result)
    assert (field, json.loads(before)["input"], json.loads(after)["input"]) == ("decision", "x", "y")


def test_the_call_that_came_with_a_plan_is_watched_as_well(invoke: Invoke) -> None:
    replies = [with_call(planned("a"), "echo", "x"), done("A")] * 2
    graph = plan_run(*replies, before="act")
    for edited, expected in (("x", []), ("y", ["y"])):
        invoke(graph, dict(GOAL), THREAD)
        decision = graph.get_state(THREAD).values["decision"]
        graph.update_state(THREAD, {"decision": {**decision, "next_action": {"tool": "echo", "input": edited}}})
        result = invoke(graph, None, THREAD)
        assert [json.loads(after)["input"] for _, _, after in changes(result)] == expected


def test_an_edited_plan_is_worked_on_and_traced(invoke: Invoke) -> None:
    graph = plan_run(planned("a", "b"), done("C"), replanned(response="end"), before="thought")
    invoke(graph, dict(GOAL), THREAD)
    graph.update_state(THREAD, {"plan": {"__overwrite__": [{**ITEM, "step": "c"}]}})
    result = invoke(graph, None, THREAD)
    assert [item["step"] for item in result["plan"]] == ["c"]
    assert changes(result) == [("plan", '["a", "b"]', '["c"]')]


def test_a_plan_that_the_loop_itself_worked_on_is_no_change(invoke: Invoke) -> None:
    replies = [planned("a", "b"), done("A"), replanned("b", "c"), done("B"), replanned("c"), done("C")]
    graph = plan_run(*replies, replanned(response="end"), before="thought")
    result = invoke(graph, dict(GOAL), THREAD)
    while graph.get_state(THREAD).next:
        result = invoke(graph, None, THREAD)
    assert result["response"] == "end" and changes(result) == []


def test_a_fork_with_another_goal_says_so_and_the_first_run_does_not(invoke: Invoke) -> None:
    replies = [planned("a"), done("A"), replanned(response="end")]
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies * 2), [echo_tool()], interactive=False, checkpointer=InMemorySaver()
    )
    first = invoke(graph, dict(GOAL), THREAD)
    past = next(state for state in graph.get_state_history(THREAD) if state.next == ("plan",))
    forked = invoke(graph, None, graph.update_state(past.config, {"goal": "Do the other thing"}))
    assert changes(first) == []
    assert changes(forked) == [("goal", GOAL["goal"], "Do the other thing")]


def test_a_thread_that_is_used_again_has_a_new_goal_and_no_change(invoke: Invoke) -> None:
    replies = [planned(response="one"), planned(response="two")]
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies), [echo_tool()], interactive=False, checkpointer=InMemorySaver()
    )
    invoke(graph, dict(GOAL), THREAD)
    assert changes(invoke(graph, {"goal": "Something else"}, THREAD)) == []


@all_modes
def test_an_attempt_that_is_given_again_takes_the_place_of_the_one_before(mode: Mode, invoke: Invoke) -> None:
    graph = mode.script([wrong(0.1), wrong(0.3), RIGHT]).graph(checkpointer=InMemorySaver(), max_attempts=3)
    assert invoke(graph, dict(TASK), THREAD)["verdict"] == "passed"
    past = next(one for one in graph.get_state_history(THREAD) if one.next == ("outcome",))
    first, second, last = past.values["attempts"]
    corrected = [first, second, {**last, "verdict": "failed", "score": 0.0}]
    result = invoke(graph, None, graph.update_state(past.config, {"attempts": corrected}))
    assert result["attempts"] == corrected
    assert (result["answer"], result["verdict"]) == (wrong(0.3), "failed")
    assert result["stop_reason"] == {"kind": "max_iterations", "value": 3, "limit": 3}


def test_one_attempt_alone_can_be_corrected_and_what_is_none_is_refused(invoke: Invoke) -> None:
    graph = EXTERNAL_LOOP.script([wrong(0.2), RIGHT]).graph(checkpointer=InMemorySaver(), interrupt_before=["verify"])
    invoke(graph, dict(TASK), THREAD)
    invoke(graph, None, THREAD)
    attempt = graph.get_state(THREAD).values["attempts"][0]
    graph.update_state(THREAD, {"attempts": [{**attempt, "feedback": "Say more."}]})
    for unfit in ([{"answer": "x"}], {"number": 1}, [1]):
        with pytest.raises(ValueError, match="attempts is a list of attempts, each with its `number`"):
            graph.update_state(THREAD, {"attempts": unfit})
    result = invoke(graph, None, THREAD)
    assert [(one["number"], one["feedback"]) for one in result["attempts"]] == [(1, "Say more."), (2, "")]
