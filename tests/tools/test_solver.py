"""The solver as a tool: a reflection graph inside of a plan's step, its trace inside of the plan's trace."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import networkx
import pytest
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, interrupt
from support.scripted import ScriptedModel, code
from thoughtgraph import ContextGraph, PythonTests, Verdict, create_plan_act_graph, create_reflection_graph, think
from thoughtgraph.errors import ScriptExhaustedError, ToolContractError
from thoughtgraph.tools import solver_tool
from thoughtgraph.tools.calls import ToolExecutor

pytestmark = pytest.mark.slow

GOAL = {"goal": "Have `double` written."}
TASK = "Write `double(x)`."
THREAD: Any = {"configurable": {"thread_id": "1"}}
TESTS = PythonTests("assert double(2) == 4")
GOOD = code("def double(x):\n    return x * 2")
BAD = code("def double(x):\n    return x - 9")
WORSE = code("def double(x):\n    return 'no'")


@pytest.fixture(params=["sync", "async"])
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    if request.param == "sync":
        return lambda graph, *args, **options: graph.invoke(*args, **options)
    return lambda graph, *args, **options: asyncio.run(graph.ainvoke(*args, **options))


def solver(replies: list[Any], verifier: Any = TESTS, **options: Any) -> Any:
    """An external loop over scripted replies."""
    return create_reflection_graph(actor=ScriptedModel(replies=replies), verifier=verifier, **options)


def planner(*tasks: str, insists: bool = False) -> ScriptedModel:
    """A planner with one step for each task, which the solver gets, and which `insists` that all is done."""
    steps = [f"step {number}" for number in range(len(tasks))]
    replies: list[dict[str, Any]] = [{"status": "planned", "plan": steps}]
    for number, task in enumerate(tasks):
        replies += [
            {"status": "continue", "next_action": {"tool": "solve", "input": task}},
            {"status": "done", "response": "solved"},
            {"status": "replanned", "plan": steps[number + 1 :], "response": "All done."},
        ]
    return ScriptedModel(replies=[json.dumps(reply) for reply in [*replies, *replies[-1:] * insists]])


def planned(inner: Any, *tasks: str, insists: bool = False, **options: Any) -> Any:
    """A plan-act graph whose only tool is the solver."""
    return create_plan_act_graph(planner(*tasks, insists=insists), [solver_tool(inner)], interactive=False, **options)


def kinds(result: dict[str, Any]) -> list[str]:
    return [event["kind"] for event in result["events"]]


@pytest.mark.parametrize("timeout", [None, 20.0], ids=["no time-out", "time-out"])
@pytest.mark.parametrize("saver", [lambda: None, InMemorySaver], ids=["no checkpointer", "checkpointer"])
def test_the_trace_of_the_plan_holds_the_solvers_attempts_and_verdicts(
    invoke: Any, saver: Callable[[], Any], timeout: float | None
) -> None:
    graph = planned(solver([BAD, GOOD]), TASK, checkpointer=saver(), tool_timeout=timeout)
    result = invoke(graph, GOAL, THREAD)
    inside = ["goal", "thought", "attempt", "verdict", "thought", "attempt", "verdict", "outcome"]
    assert kinds(result) == [
        *("goal", "thought", "plan", "thought", "action"),
        *inside,
        *("observation", "thought", "thought", "plan", "outcome"),
    ]
    verdicts = [event["data"]["status"] for event in result["events"] if event["kind"] == "verdict"]
    assert verdicts == ["failed", "passed"]
    assert result["response"] == "All done."


def test_every_event_of_the_solver_hangs_together_with_the_plan(invoke: Any) -> None:
    result = invoke(planned(solver([BAD, GOOD, GOOD]), TASK, "Write it again."), GOAL)
    events = result["events"]
    seen: set[str] = set()
    for number, event in enumerate(events):
        assert (event["seq"], event["run_id"]) == (number, events[0]["run_id"])
        assert all(link["source"] in seen for link in event["links"]), event
        seen.add(event["id"])
    graph = ContextGraph(events).nx
    assert len(graph) == len(events)
    assert networkx.is_weakly_connected(graph)
    tasks = [event["data"]["task"] for event in events if event["kind"] == "goal"]
    assert tasks == [GOAL["goal"], TASK, "Write it again."]
    relations = {relation for *_, relation in graph.edges(data="relation")}
    assert relations == {"led_to", "failed", "retried", "verified"}


ENDINGS: dict[str, tuple[list[Any], Any, str, str]] = {
    "passed": (
        [BAD, GOOD],
        TESTS,
        "def double(x):\n    return x * 2",
        "Verdict: passed, the answer was checked. Stop reason: passed (2).",
    ),
    "failed": (
        [BAD, WORSE],
        TESTS,
        "def double(x):\n    return x - 9",
        "Verdict: failed, the answer did not pass its check and is only the best one found. "
        "Stop reason: max_iterations (2 of 2).",
    ),
    "unverified": (
        ["42"],
        None,
        "42",
        "Verdict: unverified, nothing could check the answer. Stop reason: unverified (There is no verifier.).",
    ),
    "no answer": (
        ["I cannot.", "I still cannot.", "No.", "No!", "No?", "Never."],
        TESTS,
        "",
        "Verdict: failed, there is no answer. Stop reason: max_iterations (2 of 2).",
    ),
}


@pytest.mark.parametrize(("replies", "verifier", "answer", "verdict"), ENDINGS.values(), ids=ENDINGS)
def test_the_tool_returns_the_best_answer_and_one_line_that_says_what_it_is_worth(
    invoke: Any, replies: list[Any], verifier: Any, answer: str, verdict: str
) -> None:
    tool = solver_tool(solver(replies, verifier, max_attempts=2))
    first, last = (verdict, answer) if "failed" in verdict else (answer, verdict)
    assert invoke(tool, {"task": TASK}) == f"{first}\n\n{last}".strip()


@pytest.mark.parametrize(("replies", "verifier", "answer", "verdict"), ENDINGS.values(), ids=ENDINGS)
def test_a_call_whose_answer_failed_its_check_is_a_failed_call(
    invoke: Any, replies: list[Any], verifier: Any, answer: str, verdict: str
) -> None:
    failed = "failed" in verdict
    inner = solver(replies, verifier, max_attempts=2)
    # Told that nothing has been done, the planner insists.
    result = invoke(planned(inner, TASK, insists=failed), GOAL)
    assert [seen["ok"] for seen in result["observations"]] == [not failed]
    assert answer in result["observations"][0]["result"]
    assert result["stop_reason"]["kind"] == ("steps_failed" if failed else "goal_met")
    assert (verdict in result["response"]) == failed


@pytest.mark.parametrize("failed", [True, False])
def test_a_call_whose_goal_was_not_met_is_a_failed_call(invoke: Any, failed: bool) -> None:
    inner = planned(solver([BAD if failed else GOOD], max_attempts=1), TASK, insists=failed)
    outer = create_plan_act_graph(planner(TASK, insists=failed), [inner.as_tool(name="solve")], interactive=False)
    result = invoke(outer, GOAL)
    [seen] = result["observations"]
    assert (seen["ok"], result["stop_reason"]["kind"]) == ((False, "steps_failed") if failed else (True, "goal_met"))
    assert seen["result"].startswith("The goal was not met (steps_failed).\n\nDone:" if failed else "All done.")


def test_a_long_reason_stays_one_short_line() -> None:
    def broken(task: str, answer: str) -> Verdict:
        raise RuntimeError("no\nbench\n" * 500)

    content = solver_tool(solver(["42"], broken)).invoke({"task": TASK})
    answer, _, line = content.partition("\n\n")
    assert answer == "42"
    assert "\n" not in line
    assert len(line) < 400


def test_the_trace_is_the_artifact_and_no_part_of_what_the_model_reads(invoke: Any) -> None:
    request = {"type": "tool_call", "id": "7", "name": "solve", "args": {"task": TASK}}
    message: ToolMessage = invoke(solver_tool(solver([GOOD])), request)
    assert list(message.artifact) == ["events"]
    assert kinds(message.artifact) == ["goal", "thought", "attempt", "verdict", "outcome"]
    assert "events" not in str(message.content)


def test_name_and_description_are_the_callers() -> None:
    tool = solver_tool(solver([]), name="write_python", description="Writes Python functions.")
    assert (tool.name, tool.description) == ("write_python", "Writes Python functions.")
    assert list(tool.args) == ["task"]


def test_an_error_of_the_solver_is_a_failed_call_and_no_crash() -> None:
    def sloppy(task: str, answer: str) -> Any:
        return f"{answer[:3]} looks good"

    executor = ToolExecutor({"solve": solver_tool(solver([GOOD], sloppy))})
    result = executor.execute({"tool": "solve", "input": TASK}, "run:1")
    assert (result.ok, result.attempts) == (False, 1)
    assert "not a valid Verdict" in result.result


async def test_the_async_form_stays_on_the_event_loop() -> None:
    async def verifier(task: str, answer: str) -> Verdict:
        return Verdict("passed" if asyncio.get_running_loop() is loop else "failed")

    loop = asyncio.get_running_loop()
    content = await solver_tool(solver(["42"], verifier, max_attempts=1)).ainvoke({"task": TASK})
    assert "Verdict: passed" in content


def test_the_solver_keeps_its_own_limit_of_steps_inside_of_a_shorter_plan(invoke: Any) -> None:
    def strict(task: str, answer: str) -> Verdict:
        return Verdict("failed", "Not yet.")

    inner = solver([str(number) for number in range(30)], strict, max_attempts=30, patience=30)
    result = invoke(planned(inner, TASK, insists=True, max_steps=4), GOAL)
    assert "max_iterations (30 of 30)" in result["observations"][0]["result"]


class CrashError(BaseException):
    """Nothing below the process survives it."""


@pytest.mark.parametrize("timeout", [None, 20.0], ids=["no time-out", "time-out"])
def test_a_run_that_crashed_inside_the_solver_goes_on_there(timeout: float | None) -> None:
    judged: list[str] = []

    def verifier(task: str, answer: str) -> Verdict:
        judged.append(answer)
        if len(judged) == 2:
            raise CrashError
        return Verdict("passed") if answer == "two" else Verdict("failed", "no")

    with SqliteSaver.from_conn_string(":memory:") as saver:
        # Each model's script is exhausted by a single call too many.
        graph = planned(solver(["one", "two"], verifier), TASK, checkpointer=saver, tool_timeout=timeout)
        with pytest.raises(CrashError):
            graph.invoke(GOAL, THREAD, durability="sync")
        result = graph.invoke(None, THREAD, durability="sync")
    assert judged == ["one", "two", "two"]
    assert kinds(result).count("attempt") == 2
    assert kinds(result).count("action") == 1
    assert len({event["id"] for event in result["events"]}) == len(result["events"])


def test_a_verifier_inside_the_solver_can_ask_the_user(invoke: Any) -> None:
    def asking(task: str, answer: str) -> Verdict:
        return (
            Verdict("passed") if interrupt(f"Is {answer} right?") == "yes" else Verdict("failed", "The user said no.")
        )

    graph = planned(solver(["41", "42"], asking), TASK, checkpointer=InMemorySaver())
    questions = [invoke(graph, given, THREAD)["__interrupt__"][0].value for given in (GOAL, Command(resume="no"))]
    result = invoke(graph, Command(resume="yes"), THREAD)
    assert questions == ["Is 41 right?", "Is 42 right?"]
    assert result["observations"][0]["result"].startswith("42\n")


def used(tool: Any, argument: str, how: str) -> ToolMessage:
    """What a tool says to a call with one argument."""
    call: Any = {"type": "tool_call", "id": "1", "name": tool.name, "args": {argument: TASK}}
    return asyncio.run(tool.ainvoke(call)) if how == "async" else tool.invoke(call)


@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("configured", [False, True])
def test_a_reflection_graph_is_a_tool_of_a_task_by_langchains_own_name_too(how: str, configured: bool) -> None:
    graph = solver([BAD, GOOD], name="coder")
    tool = (graph.with_config(tags=["x"]) if configured else graph).as_tool()
    assert (tool.name, list(tool.args)) == ("coder", ["task"])
    assert tool.description == solver_tool(graph).description
    told = used(tool, "task", how)
    assert told.content.endswith("Verdict: passed, the answer was checked. Stop reason: passed (2).")
    assert "attempt" in kinds(told.artifact)


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_plan_act_graph_is_a_tool_of_a_goal(how: str) -> None:
    tool = planned(solver([GOOD]), TASK).as_tool(name="plan", description="Plans.")
    assert (tool.name, tool.description, list(tool.args)) == ("plan", "Plans.", ["goal"])
    told = used(tool, "goal", how)
    assert "All done." in told.content
    assert kinds(told.artifact)[0] == "goal"


@pytest.mark.filterwarnings("ignore:This API is in beta")
def test_with_arguments_of_its_own_it_is_langchains_tool() -> None:
    tool = solver([GOOD]).as_tool(name="solve", description="Solves.", arg_types={"task": str})
    assert tool.invoke({"task": TASK})["verdict"] == "passed"


def test_a_solver_whose_script_is_exhausted_ends_the_test(invoke: Any) -> None:
    with pytest.raises(ScriptExhaustedError, match="call 1 of 0"):
        invoke(planned(solver([]), TASK), GOAL)


def test_a_verifier_whose_script_is_exhausted_ends_the_test(invoke: Any) -> None:
    judge = ScriptedModel(replies=[])

    def asking(task: str, answer: str) -> Verdict:
        return Verdict("passed" if "yes" in think(judge, answer).reply else "failed")

    with pytest.raises(ScriptExhaustedError, match="call 1 of 0"):
        invoke(solver([GOOD], asking), {"task": TASK})


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_loop_that_pauses_where_nobody_hands_the_pause_on_is_no_result(how: str) -> None:
    thread: Any = {"configurable": {"thread_id": "1"}}
    question = [json.dumps({"status": "planned", "plan": ["ask"]}), json.dumps({"status": "ask_user", "question": "?"})]
    asking = create_plan_act_graph(ScriptedModel(replies=question), [], checkpointer=InMemorySaver())
    paused = solver([GOOD], interrupt_before="verify", checkpointer=InMemorySaver())
    for graph in (asking, paused):
        tool = graph.with_config(thread).as_tool()
        with pytest.raises(ToolContractError, match="paused where no graph around it hands the pause on"):
            used(tool, next(iter(tool.args)), how)
