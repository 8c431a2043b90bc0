"""Checks that a thread holds a run of its own graph, in a state that the graph's nodes can work with.

LangGraph checks neither: after `update_state`, with `as_node`, or from an old checkpoint, a run continues at any node,
with any state.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from traceback import walk_tb
from typing import Any, cast, get_type_hints

from langgraph.config import get_config
from pydantic import PydanticUndefinedAnnotation, PydanticUserError, TypeAdapter, ValidationError

from ..errors import ThoughtGraphError, ThreadKindError, ThreadStateError
from ..traces.events import Event
from .channels import thread_id
from .edits import is_edited

_UNFIT = (LookupError, TypeError, AttributeError, AssertionError, ValueError)
"""What a node raises if the state lacks what it needs, or has something else in its place."""
_ABSENT = (LookupError, AssertionError)
"""Those of them that say that something is missing."""
_OURS, _NODES = f"{__name__.partition('.')[0]}.", f"{__package__}."
_LONG = ("events", "turns", "messages")
"""Channels that are not checked, because they grow with the run."""


class Thread:
    """Checks the thread of a graph.

    Args:
        mode: the mode that the graph's runs have in their trace; None for a loop without a mode.
        schema: the schema of the graph's state.
    """

    def __init__(self, mode: str | None, schema: type[Any]) -> None:
        self._mode = mode
        self._schema = schema

    @contextmanager
    def checking(self, name: str, state: Any) -> Generator[None]:
        """Around a node, or the choice of its next node: an error that a state changed from outside has caused becomes
        a `ThreadStateError`.

        Raises:
            ThreadKindError: the thread's run has another mode.
            ThreadStateError: no run has begun, or the state does not fit.
        """
        # What `Send` gives a node is not the graph's state.
        if isinstance(state, Mapping) and "events" in state:
            self._check_run(name, cast("list[Event]", state["events"]))
        try:
            yield
        except _UNFIT as problem:
            if isinstance(problem, ThoughtGraphError) or not isinstance(state, Mapping):
                raise
            if misfit := self._misfit(cast("Mapping[str, Any]", state), problem):
                raise ThreadStateError(thread_id(), name, misfit) from problem
            raise

    def _check_run(self, name: str, events: list[Event]) -> None:
        if not events:
            raise ThreadStateError(thread_id(), name, "no run has begun on it")
        mode: Any = cast("dict[str, Any]", events[0]["data"]).get("mode")
        if self._mode and mode and mode != self._mode:
            raise ThreadKindError(thread_id(), mode, self._mode)

    def _misfit(self, state: Mapping[str, Any], problem: Exception) -> str:
        """What in the state has caused the error; "" if it has another cause, such as a failing model."""
        for key in filter(state.__contains__, self._adapters):
            try:
                self._adapters[key].validate_python(state[key], strict=True)
            except ValidationError as invalid:
                first = invalid.errors(include_url=False)[0]
                return f"`{'.'.join(map(str, (key, *first['loc'])))}` of its state does not fit: {first['msg']}"
        step = (get_config().get("metadata") or {}).get("langgraph_step")
        # There is no step while `update_state` chooses the next node. A node lacks what the edges to it guarantee only
        # if the run came another way, as by `Command(goto=…)`. After an edit, an error in the library's own code comes
        # from the edit; one from elsewhere, such as a model's, has its own cause.
        misled = isinstance(problem, _ABSENT) and _module_of(problem).startswith(_NODES)
        if step is None or misled or (is_edited(state, step) and _module_of(problem).startswith(_OURS)):
            return f"what it needs is not in the state ({type(problem).__name__}: {problem})"
        return ""

    @cached_property
    def _adapters(self) -> dict[str, TypeAdapter[Any]]:
        adapters: dict[str, TypeAdapter[Any]] = {}
        for key, hint in get_type_hints(self._schema).items():
            # A user's own field may have a type that pydantic does not know.
            with suppress(PydanticUserError, PydanticUndefinedAnnotation):
                adapters |= {} if key in _LONG else {key: TypeAdapter(hint)}
        return adapters


def _module_of(problem: Exception) -> str:
    """The module that raised it: the library's own, or one that it calls."""
    *_, (frame, _) = walk_tb(problem.__traceback__)
    return str(frame.f_globals.get("__name__", ""))
