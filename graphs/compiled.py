"""Compiles an assembled loop with what a caller gives LangGraph beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import All
from langgraph.typing import ContextT, InputT, OutputT, StateT

from .._internal.numbers import check_kind, items_of
from .shape import check_shape
from .waiting import WaitingGraph


def compiled(
    builder: StateGraph[StateT, None, InputT, OutputT],
    *,
    context_schema: type[ContextT] | None,
    checkpointer: BaseCheckpointSaver[Any] | bool | None,
    store: BaseStore | None,
    interrupt_before: str | Sequence[str] | None,
    interrupt_after: str | Sequence[str] | None,
    name: str,
) -> CompiledStateGraph[StateT, ContextT, InputT, OutputT]:
    """The graph, of which every node can be reached, and the end from every node.

    Args:
        builder: the loop, not compiled.
        context_schema: of the context that a run is invoked with.
        checkpointer: saves the run.
        store: LangGraph's.
        interrupt_before: names of nodes, or "*" for all.
        interrupt_after: the same.
        name: of the graph.

    Raises:
        GraphShapeError: a node cannot be reached or cannot reach the end.
        ValueError: something is of another kind, or there is no node of a name.
    """
    check_kind("name", name, str, "a text")
    saver = "a LangGraph checkpointer, as `with open_checkpoints(…) as checkpointer:` gives one, or True or False"
    check_kind("checkpointer", checkpointer, BaseCheckpointSaver | bool | None, saver)
    check_kind("store", store, BaseStore | None, "a LangGraph store")
    check_kind("context_schema", context_schema, type | None, "a type, such as a dataclass")
    made: Any = builder
    made.context_schema = context_schema
    graph: CompiledStateGraph[StateT, ContextT, InputT, OutputT] = made.compile(
        checkpointer=checkpointer,
        store=store,
        interrupt_before=_nodes("interrupt_before", interrupt_before),
        interrupt_after=_nodes("interrupt_after", interrupt_after),
        name=name,
    )
    check_shape(graph)
    # LangGraph has no place in which to say what a builder's graphs are made of.
    cast(Any, graph).__class__ = WaitingGraph
    return graph


def _nodes(name: str, named: str | Sequence[str] | None) -> All | list[str]:
    if named == "*":
        return "*"
    if isinstance(named, str):
        return [named]
    return list(items_of(name, () if named is None else named, "a node's name, a list of them, or '*'"))
