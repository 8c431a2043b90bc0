"""Threads that somebody changed, went back on, or used with no new goal: a run goes on, or says what does not fit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.plan_act import THREAD, TWINS, CyclingModel, Invoke, act, ask, done, planned, replanned, twin
from support.scripted import ScriptedModel, lint_order
from thoughtgraph import create_plan_act_graph
from thoughtgraph.checkpoints import open_checkpoints
from thoughtgraph.errors import ThreadStateError

pytestmark = pytest.mark.slow

DECISION: Any = {"status": "continue", "thought": None, "next_action": {"tool": "write", "input": "x"}}
DECISION |= {"question": None, "response": None}
STEP: Any = {"step": "more", "tool": None, "requires": [], "status": "open", "response": ""}


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def writing(*replies: str, **options: Any) -> tuple[Any, list[str]]:
    """A loop that writes once a run, and what it wrote."""
    made: list[str] = []

    def write(x: str) -> str:
        """Write."""
        made.append(x)
        return "ok"

    script = [*(replies or (planned("go"), act("write", {"x": "a"}), done("d"), replanned(response="e")))]
    options.setdefault("checkpointer", InMemorySaver())
    return create_plan_act_graph(CyclingModel(replies=script), [write], **options), made


@pytest.mark.parametrize("more", [{"background": "b"}, {}, {"messages": []}, {"goal": None}], ids=str)
@pytest.mark.parametrize("first", [{"goal": "g"}, {"messages": [HumanMessage("g", id="1")]}], ids=["goal", "messages"])
def test_without_a_new_goal_nothing_is_done_again(invoke: Invoke, first: Any, more: Any) -> None:
    graph, made = writing()
    invoke(graph, first, THREAD)
    with pytest.raises(ValueError, match="there is no new goal"):
        invoke(graph, more, THREAD)
    assert made == ["a"]
    assert graph.get_state(THREAD).values["goal"] == "g"
    assert invoke(graph, {"goal": "g"}, THREAD)["response"] == "e"
    assert made == ["a", "a"]


def test_a_run_that_waits_is_not_begun_again_without_a_goal(invoke: Invoke) -> None:
    graph, made = writing(planned("go"), act("write", {"x": "a"}), ask("Which?"), replanned(response="e"))
    invoke(graph, {"goal": "g"}, THREAD)
    with pytest.raises(ValueError, match="goes on from its own last checkpoint"):
        invoke(graph, {"background": "b"}, THREAD)
    waiting = next(state for state in graph.get_state_history(THREAD) if "ask_user" in state.next)
    assert invoke(graph, Command(resume="this"), waiting.config)["response"] == "e"
    assert made == ["a"]


def test_a_goal_that_no_run_took_up_is_new_after_a_restart(invoke: Invoke, tmp_path: Any) -> None:
    with open_checkpoints(tmp_path / "runs.sqlite") as saver:
        graph, made = writing(checkpointer=saver, interrupt_before=["begin"])
        for goal in ("g", "g"):
            invoke(graph, {"goal": goal}, THREAD)
            with open_checkpoints(tmp_path / "runs.sqlite") as again:
                restarted, more = writing(checkpointer=again)
                assert invoke(restarted, None, THREAD)["response"] == "e"
                assert more == ["a"]
        assert made == []


def test_a_goal_that_an_older_version_saved_is_taken_up(invoke: Invoke) -> None:
    saver = InMemorySaver()
    graph, made = writing(checkpointer=saver, interrupt_before=["begin"])
    invoke(graph, {"goal": "g"}, THREAD)
    (key,) = (key for key in saver.blobs if key[2] == "goal")
    saver.blobs[key] = saver.serde.dumps_typed("g")
    invoke(graph, None, THREAD)
    assert made == ["a"]


def test_a_run_whose_open_steps_were_taken_out_plans_again(invoke: Invoke) -> None:
    script = (planned("go", "then"), act("write", {"x": "a"}), replanned(response="e"))
    for node in ("thought", "guidance", "observe"):
        graph, _ = writing(*script, interrupt_before=[node])
        invoke(graph, {"goal": "g"}, THREAD)
        graph.update_state(THREAD, {"plan": []})
        graph.builder.loop.models[0].replies[:] = [*script[: 1 + (node == "observe")], replanned(response="e")]
        result = invoke(graph, None, THREAD)
        while graph.get_state(THREAD).next:
            result = invoke(graph, None, THREAD)
        assert (result["response"], result["plan"]) == ("e", [])


@pytest.mark.parametrize(
    ("node", "values", "said"),
    [
        ("act", {}, "observe: what it needs is not in the state"),
        ("thought", {"steps": "many", "stop": None}, "`steps` of its state does not fit"),
        ("guidance", {"phase": "later", "stop": None}, "returned 'later', and leads only to"),
        ("budget", {"stop": None}, "finalize: what it needs is not in the state"),
        ("change_goal", {"phase": "thought", "stop": None, "plan": [STEP]}, "returned 'thought', and leads only to"),
        ("guidance", {"events": {"__overwrite__": []}}, "no run has begun"),
        ("require", {"decision": DECISION}, "no question"),
    ],
    ids=str,
)
def test_a_state_that_does_not_fit_is_told_by_node_and_thread(
    invoke: Invoke, node: Any, values: Any, said: str
) -> None:
    graph, made = writing()
    invoke(graph, {"goal": "g"}, THREAD)
    with pytest.raises(ThreadStateError, match=said) as refused:
        graph.update_state(THREAD, values, as_node=node)
        invoke(graph, None, THREAD)
    assert "update_state" in str(refused.value) and refused.value.node
    assert invoke(graph, {"goal": "again"}, THREAD)["response"] == "e"
    assert made == ["a", "a"]


@pytest.mark.parametrize("node", ["ground", "require", "act", "observe", "read_answer", "change_goal", "finalize"])
def test_a_node_that_a_command_leads_to_too_early_says_so(invoke: Invoke, node: str) -> None:
    graph, made = writing(planned("go"), ask("Which?"), act("write", {"x": "a"}), done("d"), replanned(response="e"))
    invoke(graph, {"goal": "g"}, THREAD)
    with pytest.raises(ThreadStateError, match="what it needs is not in the state") as refused:
        invoke(graph, Command(goto=node), THREAD)
    assert (refused.value.node, made) == (node, [])


def test_a_call_without_a_result_is_none_that_was_refused(invoke: Invoke) -> None:
    graph, made = writing(interrupt_before=["act"])
    invoke(graph, {"goal": "g"}, THREAD)
    before = graph.get_state(THREAD).config
    graph.update_state(THREAD, {"observations": []}, as_node="act")
    with pytest.raises(ThreadStateError, match="a call has no result in `results`") as refused:
        invoke(graph, None, THREAD)
    assert (refused.value.thread_id, refused.value.node) == ("1", "observe")
    mine = {"results": [{"place": 0, "ok": True, "result": "mine", "kind": ""}]}
    forked = graph.update_state(before, mine, as_node="act")
    graph.builder.loop.models[0].replies[:] = [
        planned("go"),
        act("write", {"x": "a"}),
        done("d"),
        replanned(response="e"),
    ]
    assert [seen["result"] for seen in invoke(graph, None, forked)["observations"]] == ["mine"]
    assert made == []


@pytest.mark.parametrize(
    "plan",
    [["more"], [{"step": "more"}], [{"step": "more", "status": "pending"}], [{"step": "more", "status": ["open"]}]],
    ids=str,
)
def test_a_step_that_is_none_is_refused_and_nothing_is_changed(plan: Any) -> None:
    graph, _ = writing()
    graph.invoke({"goal": "g"}, THREAD)
    with pytest.raises(ValueError, match="a step of the plan has `step`, `tool`"):
        graph.update_state(THREAD, {"plan": plan})
    assert [item["step"] for item in graph.get_state(THREAD).values["plan"]] == ["go"]


@pytest.mark.parametrize("status", ["open", "done", "failed"])
def test_a_step_of_each_status_is_taken(status: Any) -> None:
    graph, _ = writing()
    graph.invoke({"goal": "g"}, THREAD)
    graph.update_state(THREAD, {"plan": [{**STEP, "status": status}]})
    plan = graph.get_state(THREAD).values["plan"]
    assert [(item["step"], item["status"]) for item in plan if item["step"] != "go"] == [("more", status)]


def test_every_checkpoint_of_a_run_can_be_gone_on_from(invoke: Invoke) -> None:
    script = [planned("go"), act("write", {"x": "a"}), ask("Which?"), replanned(response="e")]
    graph, _ = writing(*script)
    invoke(graph, {"goal": "g"}, THREAD)
    invoke(graph, Command(resume="this"), THREAD)
    for state in list(graph.get_state_history(THREAD)):
        result = invoke(graph, None, state.config)
        assert result["stop_reason"] or "__interrupt__" in result


def test_an_error_of_the_users_own_stays_what_it_is(invoke: Invoke) -> None:
    class Own:
        """A guidance that fails."""

        name = "own"

        def can_handle(self, task: str) -> bool:
            return True

        def generate_guidance(self, *_: Any) -> str:
            raise KeyError("mine")

    graph, _ = writing(task_handlers=[Own()])
    with pytest.raises(KeyError, match="mine"):
        invoke(graph, {"goal": "g"}, THREAD)


async def test_history_and_updates_have_their_async_form() -> None:
    graph, made = writing()
    await graph.ainvoke({"goal": "g"}, THREAD)
    with pytest.raises(ThreadStateError, match="observe"):
        await graph.aupdate_state(THREAD, {}, as_node="act")
        await graph.ainvoke(None, THREAD)
    oldest = [state async for state in graph.aget_state_history(THREAD) if "act" in state.next]
    await graph.ainvoke(None, oldest[-1].config)
    assert made[:2] == ["a", "a"]
    with pytest.raises(ValueError, match="the last message is of the type 'ai'"):
        await asyncio.wait_for(graph.ainvoke({"messages": [AIMessage("x")]}, THREAD), 20)


@pytest.mark.parametrize(
    ("node", "pauses", "change", "told", "untold"),
    [
        ("plan", 0, {"goal": "the other"}, "goal: the other", "the first"),
        ("thought", 0, {"goal": "the other"}, "goal: the other\nStep 1 of 2: go", "the first\nStep"),
        ("thought", 0, {"plan": [STEP]}, "Step 1 of 1: more", "Step 1 of 2"),
        ("thought", 1, {"plan": [STEP]}, "Result of write (ok):", "task: go"),
        ("thought", 1, {"plan": [STEP]}, "Step 1 of 1: more", "Step 1 of 2"),
        ("replan", 0, {"plan": [STEP]}, "Open steps: more", "Open steps: then"),
        ("replan", 0, {"goal": "the other"}, "goal: the other\nOpen steps: then", "the first\nOpen"),
    ],
    ids=str,
)
def test_the_model_is_told_the_goal_and_the_plan_as_they_were_changed(
    invoke: Invoke, node: str, pauses: int, change: Any, told: str, untold: str
) -> None:
    first = [planned("go", "then"), act("write", {"x": "a"}), done("d")]
    graph, _ = writing(*first, interrupt_before=[node])
    invoke(graph, {"goal": "the first"}, THREAD)
    for _ in range(pauses):
        invoke(graph, None, THREAD)
    graph.update_state(THREAD, change)
    model = graph.builder.loop.models[0]
    model.requests.clear()
    model.replies[:] = [replanned(response="e") if node == "replan" else planned("x") if node == "plan" else done("d")]
    graph.interrupt_after_nodes = [node]
    invoke(graph, None, THREAD)
    words = str(model.requests[0][-1].content)
    assert told in words and untold not in words
    speakers = [turn["speaker"] for turn in graph.get_state(THREAD).values["turns"]]
    assert speakers == ["user", "assistant"] * (len(speakers) // 2)
    lint_order(model.requests)


def test_an_error_of_the_models_own_stays_what_it_is(invoke: Invoke) -> None:
    graph = create_plan_act_graph(ScriptedModel(replies=[planned("go"), KeyError("own")]), [], interactive=False)
    with pytest.raises(KeyError, match="own"):
        invoke(graph, {"goal": "g"})


def test_an_error_of_the_models_own_stays_what_it_is_on_a_fork(invoke: Invoke) -> None:
    graph, _ = writing(interrupt_before=["thought"])
    invoke(graph, {"goal": "g"}, THREAD)
    waiting = next(state for state in graph.get_state_history(THREAD) if state.next == ("thought",))
    broken = create_plan_act_graph(BrokenModel(replies=[]), [], checkpointer=graph.checkpointer)
    with pytest.raises(LookupError, match="no such key"):
        invoke(broken, None, waiting.config)


class BrokenModel(CyclingModel):
    """Fails with an error of the user's own."""

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        raise LookupError("no such key")
