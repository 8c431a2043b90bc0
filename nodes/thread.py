"""What a graph's thread must hold for its run to go on: its own run, in a state that its nodes can work with.

LangGraph checks neither: with `update_state`, `as_node` and an old checkpoint a run goes on anywhere, with anything.
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
"""What a node raises that finds something else than it needs."""
_ABSENT = (LookupError, AssertionError)
_OURS, _NODES = f"{__name__.partition('.')[0]}.", f"{__package__}."
_LONG = ("events", "turns", "messages")


class Thread:
    """Looks after the thread of one graph.

    Args:
        mode: what the runs of the graph say of themselves in their trace; None for a loop without a mode.
        schema: of the graph's state.
    """

    def __init__(self, mode: str | None, schema: type[Any]) -> None:
        self._mode = mode
        self._schema = schema

    @contextmanager
    def going_on(self, name: str, state: Any) -> Generator[None]:
        """A node at work, or the choice of a way out of it: what fails because of a change from outside says so.

        Raises:
            ThreadKindError: the thread's run is one of another mode.
            ThreadStateError: no run has begun, or the state does not fit.
        """
        # What a task of its own is sent is no state.
        if isinstance(state, Mapping) and "events" in state:
            self._check_run(name, cast("list[Event]", state["events"]))
        try:
            yield
        except _UNFIT as problem:
            if isinstance(problem, ThoughtGraphError) or not isinstance(state, Mapping):
                raise
            if said := self._misfit(cast("Mapping[str, Any]", state), problem):
                raise ThreadStateError(thread_id(), name, said) from problem
            raise

    def _check_run(self, name: str, events: list[Event]) -> None:
        if not events:
            raise ThreadStateError(thread_id(), name, "no run has begun on it")
        found: Any = cast("dict[str, Any]", events[0]["data"]).get("mode")
        if self._mode and found and found != self._mode:
            raise ThreadKindError(thread_id(), found, self._mode)

    def _misfit(self, state: Mapping[str, Any], problem: Exception) -> str:
        for key in filter(state.__contains__, self._adapters):
            try:
                self._adapters[key].validate_python(state[key], strict=True)
            except ValidationError as invalid:
                first = invalid.errors(include_url=False)[0]
                return f"`{'.'.join(map(str, (key, *first['loc'])))}` of its state does not fit: {first['msg']}"
        step = (get_config().get("metadata") or {}).get("langgraph_step")
        # An edge that `update_state` follows is in no step. A fork may be edited, too, and its model fail by itself.
        # What the routes to a node promise is missing only if another way led there, as with `Command(goto=…)`.
        misled = isinstance(problem, _ABSENT) and _module_of(problem).startswith(_NODES)
        if step is None or misled or (is_edited(state, step) and _module_of(problem).startswith(_OURS)):
            return f"what it needs is not in the state ({type(problem).__name__}: {problem})"
        return ""

    @cached_property
    def _adapters(self) -> dict[str, TypeAdapter[Any]]:
        adapters: dict[str, TypeAdapter[Any]] = {}
        for key, hint in get_type_hints(self._schema).items():
            # A field of the user's own may be of any type.
            with suppress(PydanticUserError, PydanticUndefinedAnnotation):
                adapters |= {} if key in _LONG else {key: TypeAdapter(hint)}
        return adapters


def _module_of(problem: Exception) -> str:
    """The module that raised it: the library's own, or one that it calls."""
    *_, (frame, _) = walk_tb(problem.__traceback__)
    return str(frame.f_globals.get("__name__", ""))
