"""Compiles an assembled loop with what a caller gives LangGraph beside it.

The graph does three things otherwise than LangGraph's own. A run whose next node its graph does not have, or no longer,
would end without a word. A graph as a tool would want every input that it can take. One that has a thread of its own in
another, which waited before it, would give the result of its last run again.
"""
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import All, Command, Send, StateSnapshot
from langgraph.typing import ContextT, InputT, OutputT, StateT
from pydantic import BaseModel

from .._internal.numbers import check_kind, items_of
from ..errors import ThreadStateError
from ..nodes.recursion import SCRATCHPAD
from ..tools.solver import goal_tool, solver_tool
from .shape import check_shape

_RESUMING, _AROUND = "__pregel_resuming", "checkpoint_map"
"""Where LangGraph tells a graph that the one around it was resumed, and at which checkpoint."""
_BRANCH, _SENT = "branch:to:", "__pregel_tasks"
"""The channels of LangGraph that say which nodes come next."""
_TOOLS: dict[str, Callable[..., BaseTool]] = {"task": solver_tool, "goal": goal_tool}
"""By the input that a graph is asked with."""


def compiled(
    builder: StateGraph[StateT, None, InputT, OutputT],
    *,
    context_schema: type[ContextT] | None,
    checkpointer: BaseCheckpointSaver[Any] | bool | None,
    store: BaseStore | None,
    interrupt_before: str | Sequence[str] | None,
    interrupt_after: str | Sequence[str] | None,
    name: str,
    last: str = "",
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
        last: the node that every run has to pass before it ends; "" for none.

    Raises:
        GraphShapeError: a node cannot be reached, cannot reach the end, or leads there past `last`.
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
    check_shape(graph, last)
    # LangGraph has no place in which to say what a builder's graphs are made of.
    cast(Any, graph).__class__ = CompiledLoop
    return graph


def _nodes(name: str, named: str | Sequence[str] | None) -> All | list[str]:
    if named == "*":
        return "*"
    if isinstance(named, str):
        return [named]
    return list(items_of(name, () if named is None else named, "a node's name, a list of them, or '*'"))


class CompiledLoop(CompiledStateGraph[StateT, ContextT, InputT, OutputT]):
    """A compiled graph that refuses to go on with a node which it does not have, before anything is written, and that
    is a tool of one argument."""

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Run the graph, step by step.

        Raises:
            ThreadStateError: the run waits before a node that this graph does not have, or is sent to one.
        """
        if known := self._resumed(input, config):
            self._check(cast(Any, self.checkpointer).get_tuple(known))
        if inside := self._resumed_around(input, config):
            config = _begun(inside, self.get_state(_thread_of(inside)))
        return super().stream(input, config, **options)

    def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Async twin of `stream`."""
        if inside := self._resumed_around(input, config):
            return self._inside(input, inside, options)
        chunks = super().astream(input, config, **options)
        known = self._resumed(input, config)
        return self._checked(known, chunks) if known else chunks

    async def _inside(self, input: Any, config: RunnableConfig, options: dict[str, Any]) -> AsyncIterator[Any]:
        begun = _begun(config, await self.aget_state(_thread_of(config)))
        async with aclosing(cast(Any, super().astream(input, begun, **options))) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _checked(self, known: RunnableConfig, chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async with aclosing(cast(Any, chunks)):
            self._check(await cast(Any, self.checkpointer).aget_tuple(known))
            async for chunk in chunks:
                yield chunk

    def as_tool(
        self,
        args_schema: type[BaseModel] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        arg_types: dict[str, type] | None = None,
    ) -> BaseTool:
        """The graph as a tool with one text as its argument, `task` or `goal`, and a result that a model can read.

        For a reflection graph it is what `solver_tool` makes of it. With `args_schema` or `arg_types` it is
        LangChain's: a tool with these arguments, whose result is all that the graph returns.

        Args:
            args_schema: the arguments, as a pydantic model.
            name: of the tool; by default the graph's.
            description: tells the model when to use it.
            arg_types: the arguments, by name.
        """
        given = args_schema or arg_types
        made = None if given else next((_TOOLS[key] for key in _TOOLS if key in self.channels), None)
        if made is None:
            return super().as_tool(args_schema, name=name, description=description, arg_types=arg_types)
        named: dict[str, Any] = {"description": description} if description else {}
        return made(self, name=name or self.get_name(), **named)

    def _resumed(self, input: Any, config: RunnableConfig | None) -> RunnableConfig | None:
        """The thread of a run that goes on where it waits; None inside of another graph, whose thread it is."""
        goto: Any = cast("Command[Any]", input).goto if isinstance(input, Command) else None
        if input is not None and goto is None:
            return None
        merged = merge_configs(self.config, config)
        given = merged.get("configurable", {})
        if goto:
            ways = cast("Sequence[Send | str]", goto if isinstance(goto, (list, tuple)) else [goto])
            names = (way.node if isinstance(way, Send) else way for way in ways)
            self._refuse(names, given.get("thread_id", ""), "this graph has no such node")
        own = "thread_id" in given and not any(key.startswith("__pregel_") for key in given)
        return merged if own and not goto and isinstance(self.checkpointer, BaseCheckpointSaver) else None

    def _resumed_around(self, input: Any, config: RunnableConfig | None) -> RunnableConfig | None:
        """The configuration of a run in its own thread inside of another graph, which was resumed."""
        own = self.checkpointer is True and input is not None and not isinstance(input, Command)
        around = ensure_config(config)
        given = around.get("configurable", {})
        if not own or not given.get(_RESUMING):
            return None
        # Of several calls by one node each has a thread, and LangGraph numbers them as they come.
        number = given[SCRATCHPAD].subgraph_counter()
        counted = replace(given[SCRATCHPAD], subgraph_counter=lambda: number)
        return {**around, "configurable": {**given, SCRATCHPAD: counted}}

    def _check(self, kept: CheckpointTuple | None) -> None:
        if kept is None:
            return
        values, versions = kept.checkpoint["channel_values"], kept.checkpoint["channel_versions"]
        # Some savers keep what an earlier step has written.
        newest = {channel for channel in values if versions.get(channel) == max(versions.values())}
        nodes = [channel.removeprefix(_BRANCH) for channel in newest if channel.startswith(_BRANCH)]
        nodes += [sent.node for sent in values.get(_SENT, ()) if _SENT in newest and isinstance(sent, Send)]
        if kind := values.get("thread_kind"):
            # Another kind of graph is told so.
            cast(Any, self.channels["thread_kind"]).from_checkpoint(kind)
        problem = "the run waits there, and this graph has no such node; a graph that has can resume it"
        self._refuse(nodes, kept.config.get("configurable", {})["thread_id"], problem)

    def _refuse(self, nodes: Iterable[str], thread: str, problem: str) -> None:
        if gone := sorted({*nodes} - {*self.nodes, END}):
            raise ThreadStateError(str(thread), ", ".join(gone), problem)


def _thread_of(config: RunnableConfig) -> RunnableConfig:
    """The configuration of the thread that such a run has."""
    given = config.get("configurable", {})
    number = given[SCRATCHPAD].subgraph_counter()
    place = f"{given['checkpoint_ns']}|{number}" if number else given["checkpoint_ns"]
    return {**config, "configurable": {**given, "checkpoint_ns": place}}


def _begun(config: RunnableConfig, kept: StateSnapshot) -> RunnableConfig:
    """The configuration of a run; it is no resumed one if its thread ended at another step of the graph around it."""
    given = config.get("configurable", {})
    if not kept.metadata or kept.tasks or kept.metadata.get("parents") == given.get(_AROUND):
        return config
    return {**config, "configurable": {**given, _RESUMING: False}}
