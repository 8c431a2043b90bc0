"""A graph with `checkpointer=True` inside of another one: which call of it the run in its thread belongs to.

LangGraph gives all calls by one node one thread, and numbers them only inside of a task. So calls from several tasks
share a thread: those of a fan-out by `Send`, of the tool calls in one message, or of a `@task`. Where such a call goes
on with whatever run is there, it returns another call's answer.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command, StateSnapshot

from ..errors import SharedThreadError
from ..nodes.recursion import SCRATCHPAD

_CHECKPOINTER, _TASK = "__pregel_checkpointer", "__pregel_task_id"
_RESUMING, _PARENT_CHECKPOINTS = "__pregel_resuming", "checkpoint_map"
"""Keys in the configuration of a subgraph: the parent's checkpointer and task, whether the parent was resumed, and from
which checkpoints."""
_CALLER = "thoughtgraph_caller"
"""The key in the metadata of a checkpoint under which the task stands that called the graph."""

_under_way = set[tuple[int, str, str]]()
_lock = Lock()


@dataclass(frozen=True, slots=True)
class NestedCall:
    """A call with new input of a graph that has a thread of its own inside of another one.

    Attributes:
        name: the graph's.
        config: of the call.
        thread: the configuration of the graph's own thread.
    """

    name: str
    config: RunnableConfig
    thread: RunnableConfig

    def begun(self, saved: StateSnapshot) -> RunnableConfig:
        """The configuration to call the graph with.

        It has no mark of a resumed parent if the thread's last run has ended and is not this call's own: LangGraph
        would return its result again.

        Args:
            saved: the newest state of the graph's own thread.

        Raises:
            SharedThreadError: the thread holds the unfinished run of another call at the same step of the parent.
        """
        configurable, found = self.config.get("configurable", {}), saved.metadata or {}
        task, steps, before = configurable.get(_TASK), configurable.get(_PARENT_CHECKPOINTS), found.get("parents")
        # A checkpoint of an earlier version does not name its caller.
        caller = cast("dict[str, Any]", found).get(_CALLER)
        own = caller == task if caller else before == steps
        # `update_state` takes the parent to another step, at which its task has another id.
        if caller and not own and saved.tasks and (before or {}).get("") == (steps or {}).get(""):
            raise self._conflict()
        config: RunnableConfig = {**self.config, "metadata": {**self.config.get("metadata", {}), _CALLER: task}}
        if not found or saved.tasks or own:
            return config
        return {**config, "configurable": {**configurable, _RESUMING: False}}

    @contextmanager
    def alone(self) -> Generator[None]:
        """While the call is made: no other one may write to the thread.

        Raises:
            SharedThreadError: another call is being made, in this process.
        """
        configurable = self.thread.get("configurable", {})
        # LangGraph leaves the ids of tasks out of the place of such a thread.
        place = "|".join(part.partition(":")[0] for part in configurable["checkpoint_ns"].split("|"))
        key = (id(configurable[_CHECKPOINTER]), self._thread_id, place)
        with _lock:
            if key in _under_way:
                raise self._conflict()
            _under_way.add(key)
        try:
            yield
        finally:
            with _lock:
                _under_way.remove(key)

    @property
    def _thread_id(self) -> str:
        return str(self.config.get("configurable", {}).get("thread_id", ""))

    def _conflict(self) -> SharedThreadError:
        return SharedThreadError(self._thread_id, self.name)


def nested_call(name: str, input: Any, config: RunnableConfig | None) -> NestedCall | None:
    """The call of a graph with `checkpointer=True`; None without input, and outside of a graph that is saved.

    Args:
        name: the graph's.
        input: of the call.
        config: of the call.
    """
    nested = ensure_config(config)
    configurable = nested.get("configurable", {})
    saved = isinstance(configurable.get(_CHECKPOINTER), BaseCheckpointSaver)
    if input is None or isinstance(input, Command) or not saved or SCRATCHPAD not in configurable:
        return None
    # If one node calls several subgraphs, LangGraph numbers their threads in the order of the calls. Reading the
    # counter raises it, so the number is read once and kept.
    number = configurable[SCRATCHPAD].subgraph_counter()
    scratchpad = replace(configurable[SCRATCHPAD], subgraph_counter=lambda: number)
    configurable = {**configurable, SCRATCHPAD: scratchpad}
    namespace = configurable["checkpoint_ns"]
    thread = {**configurable, "checkpoint_ns": f"{namespace}|{number}" if number else namespace}
    return NestedCall(name, {**nested, "configurable": configurable}, {**nested, "configurable": thread})
