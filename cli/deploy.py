"""Graphs for `langgraph.json`: built from the user's settings instead of arguments.

LangGraph's server loads this file by its path, outside any package, so its imports are absolute. It calls a function
for every request: each graph is built once, and all share one model, which stays open until the server ends.
"""

from __future__ import annotations

import asyncio
from functools import cache

from platformdirs import user_data_path
from thoughtgraph import create_plan_act_graph, create_reflection_graph
from thoughtgraph.assistant.tools import own_tools
from thoughtgraph.graphs import PlanActGraph, ReflectionGraph
from thoughtgraph.models.open import chosen_model
from thoughtgraph.tools.agenda import Agenda


@cache
def _reflection(mode: str) -> ReflectionGraph:
    return create_reflection_graph(mode, actor=chosen_model())


@cache
def _plan_act() -> PlanActGraph:
    agenda = Agenda(user_data_path("thoughtgraph") / "agenda.sqlite")
    return create_plan_act_graph(chosen_model(), own_tools(agenda), checkpointer=True)


async def external_loop() -> ReflectionGraph:
    """The external loop with the chosen model (see `chosen_model`) and no verifier: answers come back unverified."""
    # Opening a model reads files and may fetch weights, which the server's event loop must not wait for.
    return await asyncio.to_thread(_reflection, "external_loop")


async def reflexion() -> ReflectionGraph:
    """Reflexion with the chosen model, which also evaluates the answers: they come back unverified."""
    return await asyncio.to_thread(_reflection, "reflexion")


async def actor_critic() -> ReflectionGraph:
    """Actor-Critic with the chosen model in both parts: answers come back unverified."""
    return await asyncio.to_thread(_reflection, "actor_critic")


async def best_of_n() -> ReflectionGraph:
    """Best of N with the chosen model: the answer that most samples agree on comes back unverified."""
    return await asyncio.to_thread(_reflection, "best_of_n")


async def plan_act() -> PlanActGraph:
    """The plan-act loop with the chosen model and the assistant's tools; the server provides the checkpointer."""
    return await asyncio.to_thread(_plan_act)
