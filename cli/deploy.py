"""Graphs for `langgraph.json`: built from the user's settings instead of arguments.

LangGraph's server loads this file by its path, outside any package, so its imports are absolute.
"""

from __future__ import annotations

from contextlib import ExitStack

from platformdirs import user_data_path
from thoughtgraph import create_plan_act_graph, create_reflection_graph, open_model
from thoughtgraph.graphs import PlanActGraph, ReflectionGraph
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.search import BingSearchProvider, internet_search_tool

# An embedded model must be served as long as the process that serves the graph runs.
_open = ExitStack()


def external_loop() -> ReflectionGraph:
    """The external loop with the chosen model (see `chosen_model`) and no verifier: answers come back unverified."""
    return create_reflection_graph("external_loop", actor=_open.enter_context(open_model()))


def plan_act() -> PlanActGraph:
    """The plan-act loop with the chosen model and the assistant's tools; the server provides the checkpointer."""
    agenda = _open.enter_context(Agenda(user_data_path("thoughtgraph") / "agenda.sqlite"))
    tools = [todo_tool(agenda), schedule_tool(agenda), internet_search_tool(BingSearchProvider())]
    return create_plan_act_graph(_open.enter_context(open_model()), tools, checkpointer=True)
