"""Makes a reflection graph a tool, so that a plan's step can be solved by attempts and verification."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.pregel import Pregel

from .._internal.numbers import check_kind
from ..errors import ToolContractError
from ..traces.events import Event
from ..traces.stops import ANSWERED

_DESCRIPTION = (
    "Solve one self-contained task by trying, checking the answer, and trying again. The input is the whole task in "
    "words, with everything that is needed to solve it. Returns the best answer, and whether it passed its check."
)
_KNOWN = {
    "passed": "Verdict: passed, the answer was checked.",
    "failed": "Verdict: failed, the answer did not pass its check and is only the best one found.",
    "unverified": "Verdict: unverified, nothing could check the answer.",
}
_NO_ANSWER = "Verdict: failed, there is no answer."
_LONGEST_REASON = 200
_GOAL_DESCRIPTION = (
    "Reach one self-contained goal by planning and acting with tools. The input is the whole goal in words, with "
    "everything that is needed to reach it. Returns what was found or done, and what was not."
)

_NO_PAUSE = "Call it inside of a LangGraph run with a checkpointer, or give it a graph that asks nobody."

_Result = tuple[str, dict[str, list[Event]]]


def solver_tool(graph: Runnable[Any, Any], *, name: str = "solve", description: str = _DESCRIPTION) -> BaseTool:
    """Make a reflection graph a tool with one string argument, `task`.

    Inside a LangGraph run the graph is a subgraph of the step that calls the tool, and uses that step's callbacks and
    checkpointer. The tool returns the best answer and one line with the verdict and the stop reason. The artifact is
    `{"events": [...]}`, the trace of the inner run, which `create_plan_act_graph` copies into its own; there, a call
    whose answer failed its check, or that has none, is a failed call. One that nothing could check is not.

    Args:
        graph: a graph from `create_reflection_graph`, built without its own checkpointer.
        name: the tool's name.
        description: tells the model when to use it.

    Raises:
        ValueError: the graph takes no task, or providers take no tool of that name.
        ToolContractError: from a call of the tool, outside of a LangGraph run: the graph has paused, for a question or
            before a node.

    Example:
        >>> solver = create_reflection_graph(actor=model, verifier=verifier)                # doctest: +SKIP
        >>> graph = create_plan_act_graph(model, [solver_tool(solver)], interactive=False)  # doctest: +SKIP
    """

    if not isinstance(cast(object, graph), Runnable) or not _takes_a_task(graph):
        raise ValueError(f"solver_tool takes a graph from create_reflection_graph, got {graph!r:.200}")
    check_kind("description", description, str, "a text")
    if not isinstance(cast(object, name), str) or not re.fullmatch(r"[\w-]+", name):
        raise ValueError(f"name has to be a tool's name, of letters, digits, '_' and '-', got {name!r:.80}")

    def solve(task: str) -> _Result:
        return _reported(_ended(graph.invoke({"task": task}), name))

    async def asolve(task: str) -> _Result:
        return _reported(_ended(await graph.ainvoke({"task": task}), name))

    return _tool(solve, asolve, name, description)


def goal_tool(graph: Runnable[Any, Any], *, name: str, description: str = _GOAL_DESCRIPTION) -> BaseTool:
    """`solver_tool` for a graph from `create_plan_act_graph`: the argument is `goal`, the result the response.

    In another plan-act graph, a call whose goal was not met is a failed one.
    """

    def reach(goal: str) -> _Result:
        return _answered(_ended(graph.invoke({"goal": goal}), name))

    async def areach(goal: str) -> _Result:
        return _answered(_ended(await graph.ainvoke({"goal": goal}), name))

    return _tool(reach, areach, name, description)


def _tool(called: Any, awaited: Any, name: str, description: str) -> BaseTool:
    return StructuredTool.from_function(
        called, awaited, name=name, description=description, response_format="content_and_artifact"
    )


def _ended(result: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The result of a run that has ended: inside of a LangGraph run, one that pauses raises LangGraph's interrupt."""
    if not result.get("stop_reason"):
        raise ToolContractError(name, "paused where no graph around it hands the pause on", advice=_NO_PAUSE)
    return result


def _answered(result: Mapping[str, Any]) -> _Result:
    stop = result["stop_reason"]
    not_met = "" if stop["kind"] in ANSWERED else f"The goal was not met ({stop['kind']}).\n\n"
    return f"{not_met}{result['response']}", {"events": result["events"]}


def _takes_a_task(graph: Runnable[Any, Any]) -> bool:
    # Of what is around a graph, its schema need not tell what that takes.
    return not isinstance(graph, Pregel) or "task" in graph.channels


def _reported(result: Mapping[str, Any]) -> _Result:
    stop = result["stop_reason"]
    value = " ".join(str(stop["value"]).split())[:_LONGEST_REASON]
    limit = f" of {stop['limit']}" if stop["limit"] is not None else ""
    reason = f"Stop reason: {stop['kind']} ({value}{limit})."
    if not result["answer"]:
        content = f"{_NO_ANSWER} {reason}"
    elif result["verdict"] == "failed":
        # First, for of a failed call the first line is what is told of it.
        content = f"{_KNOWN['failed']} {reason}\n\n{result['answer']}"
    else:
        content = f"{result['answer']}\n\n{_KNOWN[result['verdict']]} {reason}"
    return content, {"events": result["events"]}
