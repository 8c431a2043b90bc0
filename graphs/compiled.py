"""Compiles an assembled loop, with the checkpointer, the store and the other arguments that LangGraph takes.

`CompiledLoop` differs from LangGraph's compiled graph in three ways:

- A run whose next node is not in the graph raises a `ThreadStateError`. LangGraph would end it without a word.
- As a tool it takes one text, the task or the goal. LangChain would make an argument of every input key.
- As a subgraph with `checkpointer=True` it starts a new run when a resumed parent graph calls it with new input, and
  refuses calls that would go on in each other's run (`nested.py`). LangGraph would return the result of another call.
"""
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.errors import EmptyInputError
from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import All, Command, Send
from langgraph.typing import ContextT, InputT, OutputT, StateT
from pydantic import BaseModel

from .._internal.numbers import check_kind, items_of
from ..errors import ThreadStateError
from ..tools.solver import goal_tool, solver_tool
from .nested import NestedCall, nested_call
from .shape import check_shape

_BRANCH_PREFIX, _SENDS = "branch:to:", "__pregel_tasks"
"""LangGraph's channels that say which nodes come next: one for each edge, and one for all `Send`s."""
_TOOL_MAKERS: dict[str, Callable[..., BaseTool]] = {"task": solver_tool, "goal": goal_tool}
"""What makes a tool of a graph, by the graph's input key."""


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
    """Compile a loop, and check that every node can be reached and leads to the end.

    Args:
        builder: the loop, not compiled.
        context_schema: type of the `context` that a run is invoked with.
        checkpointer: saves the run.
        store: LangGraph's store.
        interrupt_before: names of nodes, or "*" for all.
        interrupt_after: the same.
        name: the graph's name.
        last: the node that every run has to pass before it ends; "" for none.

    Raises:
        GraphShapeError: a node cannot be reached, cannot reach the end, or leads there past `last`.
        ValueError: an argument has the wrong type, or no node has a name given in `interrupt_before` or
            `interrupt_after`.
    """
    check_kind("name", name, str, "a text")
    saver = "a LangGraph checkpointer, as `with open_checkpoints(…) as checkpointer:` gives one, or True or False"
    check_kind("checkpointer", checkpointer, BaseCheckpointSaver | bool | None, saver)
    check_kind("store", store, BaseStore | None, "a LangGraph store")
    check_kind("context_schema", context_schema, type | None, "a type, such as a dataclass")
    untyped: Any = builder
    untyped.context_schema = context_schema
    graph: CompiledStateGraph[StateT, ContextT, InputT, OutputT] = untyped.compile(
        checkpointer=checkpointer,
        store=store,
        interrupt_before=_nodes("interrupt_before", interrupt_before),
        interrupt_after=_nodes("interrupt_after", interrupt_after),
        name=name,
    )
    check_shape(graph, last)
    # `StateGraph.compile` takes no class for the compiled graph.
    cast(Any, graph).__class__ = CompiledLoop
    return graph


def _nodes(name: str, named: str | Sequence[str] | None) -> All | list[str]:
    if named == "*":
        return "*"
    if isinstance(named, str):
        return [named]
    return list(items_of(name, () if named is None else named, "a node's name, a list of them, or '*'"))


def _is_inside(config: RunnableConfig) -> bool:
    """Whether another graph makes this call: LangGraph's own keys are there."""
    return any(key.startswith("__pregel_") for key in config.get("configurable", {}))


class CompiledLoop(CompiledStateGraph[StateT, ContextT, InputT, OutputT]):
    """LangGraph's compiled graph, with the three differences that this module's docstring lists."""

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Run the graph, step by step.

        Raises:
            EmptyInputError: the input is None, or answers a question, and no run is kept that could go on.
            ThreadStateError: the run waits before a node that this graph does not have, or is sent to one.
            ValueError: the input is a text or a message, without a key, has only keys that the graph does not know, or
                is an empty `Command`.
        """
        self._check_input(input, config)
        if resumed := self._resumed_config(input, config):
            self._check_resumed(input, resumed, cast(Any, self.checkpointer).get_tuple(resumed))
        if nested := self._nested_call(input, config):
            return self._stream_nested(input, nested, options)
        return super().stream(input, config, **options)

    def _stream_nested(self, input: Any, call: NestedCall, options: dict[str, Any]) -> Iterator[Any]:
        with call.alone():
            yield from super().stream(input, call.begun(self.get_state(call.thread)), **options)

    def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Async twin of `stream`."""
        self._check_input(input, config)
        if nested := self._nested_call(input, config):
            return self._astream_nested(input, nested, options)
        chunks = super().astream(input, config, **options)
        resumed = self._resumed_config(input, config)
        return self._astream_resumed(input, resumed, chunks) if resumed else chunks

    async def _astream_nested(self, input: Any, call: NestedCall, options: dict[str, Any]) -> AsyncIterator[Any]:
        with call.alone():
            config = call.begun(await self.aget_state(call.thread))
            async with aclosing(cast(Any, super().astream(input, config, **options))) as chunks:
                async for chunk in chunks:
                    yield chunk

    def _nested_call(self, input: Any, config: RunnableConfig | None) -> NestedCall | None:
        return nested_call(self.get_name(), input, config) if self.checkpointer is True else None

    async def _astream_resumed(
        self, input: Any, config: RunnableConfig, chunks: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async with aclosing(cast(Any, chunks)):
            self._check_resumed(input, config, await cast(Any, self.checkpointer).aget_tuple(config))
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

        For a reflection graph this is `solver_tool(graph)`. With `args_schema` or `arg_types` it is LangChain's tool:
        it takes these arguments, and its result is all that the graph returns.

        Args:
            args_schema: the arguments, as a pydantic model.
            name: the tool's name; by default the graph's.
            description: tells the model when to use the tool.
            arg_types: the types of the arguments, by name.
        """
        own_arguments = args_schema or arg_types
        key = None if own_arguments else next((key for key in _TOOL_MAKERS if key in self.channels), None)
        if key is None:
            return super().as_tool(args_schema, name=name, description=description, arg_types=arg_types)
        options: dict[str, Any] = {"description": description} if description else {}
        return _TOOL_MAKERS[key](self, name=name or self.get_name(), **options)

    def _check_input(self, input: Any, config: RunnableConfig | None) -> None:
        if isinstance(input, Command):
            command = cast("Command[Any]", input)
            if command.resume is None and not command.goto and not command.update:
                # LangGraph takes None for no answer, and breaks off with an `UnboundLocalError`.
                raise ValueError(
                    "the Command is empty, and None answers nothing: answer a question with Command(resume=…) and any "
                    "other value, such as a text or False, or go on with invoke(None, config)"
                )
        if isinstance(input, (str, BaseMessage)):
            given = "a text" if isinstance(input, str) else "a message"
            raise ValueError(f"the input is {given} without a key: {self._right_input}")
        # Called in a node it has the checkpointer, and the thread, of the graph around it.
        if input is None and self.checkpointer is None and not _is_inside(ensure_config(config)):
            raise EmptyInputError(
                f"there is nothing to resume, as the graph has no checkpointer to keep a run: {self._right_input}"
            )
        # LangGraph drops unknown keys without a word. The state around a node may have keys of all kinds.
        if isinstance(input, dict) and input and not _is_inside(merge_configs(self.config, config)):
            known = cast("dict[str, Any]", self.builder.schemas[self.builder.input_schema])
            if known.keys().isdisjoint(cast("dict[str, Any]", input)):
                given = ", ".join(f"{key!r:.40}" for key in list(cast("dict[str, Any]", input))[:3])
                raise ValueError(f"the input has no key that this graph knows, but {given}: {self._right_input}")

    @property
    def _right_input(self) -> str:
        keys = (key for key in (*_TOOL_MAKERS, "messages") if key in self.channels)
        return "invoke the graph with " + ", or ".join(f'{{"{key}": …}}' for key in keys)

    def _resumed_config(self, input: Any, config: RunnableConfig | None) -> RunnableConfig | None:
        """The configuration of a call that resumes a run of this graph's own thread; None for any other call.

        Raises:
            ThreadStateError: `Command(goto=…)` names a node that this graph does not have.
        """
        goto: Any = cast("Command[Any]", input).goto if isinstance(input, Command) else None
        if input is not None and goto is None:
            return None
        merged = merge_configs(self.config, config)
        configurable = merged.get("configurable", {})
        if goto:
            targets = cast("Sequence[Send | str]", goto if isinstance(goto, (list, tuple)) else [goto])
            names = (target.node if isinstance(target, Send) else target for target in targets)
            self._refuse_unknown(names, configurable.get("thread_id", ""), "this graph has no such node")
        # Inside another graph, the thread is that graph's.
        own = "thread_id" in configurable and not _is_inside(merged)
        if configurable.get("checkpoint_ns"):
            # Where no other graph is around, LangGraph keeps a run without a namespace, and looks only there.
            merged["configurable"] = {**configurable, "checkpoint_ns": "", "checkpoint_id": None}
        return merged if own and not goto and isinstance(self.checkpointer, BaseCheckpointSaver) else None

    def _check_resumed(self, input: Any, config: RunnableConfig, saved: CheckpointTuple | None) -> None:
        if saved is not None:
            self._check_next_nodes(saved)
        elif input is None or cast("Command[Any]", input).resume is not None:
            at = config.get("configurable", {})
            place = f", at checkpoint {at['checkpoint_id']!r}" if at.get("checkpoint_id") else ""
            raise EmptyInputError(
                f"there is nothing to resume on thread {at['thread_id']!r}{place}: {self._right_input}. A run can go "
                "on only on its own thread, with the checkpointer that kept it"
            )

    def _check_next_nodes(self, saved: CheckpointTuple) -> None:
        values, versions = saved.checkpoint["channel_values"], saved.checkpoint["channel_versions"]
        # Some savers also keep what an earlier step has written.
        newest = {channel for channel in values if versions.get(channel) == max(versions.values())}
        nodes = [channel.removeprefix(_BRANCH_PREFIX) for channel in newest if channel.startswith(_BRANCH_PREFIX)]
        nodes += [send.node for send in values.get(_SENDS, ()) if _SENDS in newest and isinstance(send, Send)]
        if kind := values.get("thread_kind"):
            # The channel raises a `ThreadKindError` for the thread of another kind of graph.
            cast(Any, self.channels["thread_kind"]).from_checkpoint(kind)
        problem = "the run waits there, and this graph has no such node; a graph that has can resume it"
        self._refuse_unknown(nodes, saved.config.get("configurable", {})["thread_id"], problem)

    def _refuse_unknown(self, nodes: Iterable[str], thread: str, problem: str) -> None:
        if unknown := sorted({*nodes} - {*self.nodes, END}):
            raise ThreadStateError(str(thread), ", ".join(unknown), problem)
