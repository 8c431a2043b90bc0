"""Runs a main graph and a critique graph in turns: answer → critique → answer, until the critique graph accepts.

The design is that of the package langgraph-reflection: both graphs work on `messages`, and the critique graph adds its
critique as a user message. The loop has its own limit, reports why it ended, and leaves a trace. The critique graph
gives an opinion: its acceptance verifies nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Annotated, Any, Literal, cast, get_type_hints

from langchain_core.messages import HumanMessage, RemoveMessage
from langchain_core.runnables import Runnable
from langgraph.channels.base import BaseChannel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from ..._internal.channel import appended, numbered
from ..._internal.numbers import whole_number
from ...nodes.node import Node
from ...nodes.pair import PairedState, attempt, begin, critique, outcome
from ...nodes.reflection_defaults import DEFAULT_ATTEMPTS

PairedBuilder = StateGraph[Any, Any, Any, Any]
_Graph = CompiledStateGraph[Any, Any, Any, Any]
# Plain dicts: pydantic makes the output's JSON schema, and refuses `typing.TypedDict` before Python 3.12.
_ADDED: dict[str, Any] = {
    "attempts": Annotated[list[dict[str, Any]], numbered()],
    "events": Annotated[list[dict[str, Any]], appended()],
    "stop_reason": dict[str, Any] | None,
}
_typed_dict = cast(Any, TypedDict)


def _assembled(
    schema: type[Any], graph: _Graph, reflection: _Graph, config_schema: type[Any] | None, max_attempts: int
) -> PairedBuilder:
    """Both graphs with the loop's own nodes between them."""
    plain: Any = StateGraph(schema)
    keys = frozenset[str](plain.schemas[schema])
    removes = _takes_removals(plain.channels["messages"])
    output = _output_schema(schema, keys - set(plain.managed))
    builder: PairedBuilder = StateGraph(schema, context_schema=config_schema, output_schema=output)
    builder.add_node("begin", Node(begin), input_schema=PairedState)
    builder.add_node("graph", _own_keys_of(graph, keys))
    builder.add_node("attempt", Node(attempt), input_schema=PairedState)
    builder.add_node("reflection", _own_keys_of(reflection, keys))
    builder.add_node("critique", Node(partial(critique, max_attempts=max_attempts)), input_schema=PairedState)
    builder.add_node("outcome", Node(partial(outcome, removes=removes)), input_schema=PairedState)

    builder.add_edge(START, "begin")
    builder.add_edge("begin", "graph")
    builder.add_edge("graph", "attempt")
    builder.add_conditional_edges("attempt", after_attempt, {"reflection": "reflection", "outcome": "outcome"})
    builder.add_edge("reflection", "critique")
    builder.add_conditional_edges("critique", after_critique, {"graph": "graph", "outcome": "outcome"})
    builder.add_edge("outcome", END)
    return builder


def pair_graphs(
    graph: _Graph,
    reflection: _Graph,
    state_schema: type[Any] | None = None,
    config_schema: type[Any] | None = None,
    *,
    max_attempts: int = DEFAULT_ATTEMPTS,
) -> PairedBuilder:
    """Run a critique graph after a main graph, and the main graph again after each critique.

    Both work on `messages`. The main graph answers; the critique graph ends with a user message if it has something to
    criticize, and otherwise adds none. Invoke the compiled graph as you would the main graph. Besides the keys of the
    state it returns `attempts` (as the other modes do; `accepted` and `feedback` are the critique graph's),
    `stop_reason` and `events`. The kinds of `stop_reason`: `"accepted"`; `"max_iterations"`; `"repeated_answer"`, the
    same critique of the same answer again; `"recursion_limit"`, another round did not fit into the caller's limit;
    `"unverified"`, there was no critique, but no answer either. If the run ends with an open critique, `attempts` has
    it, and the last message is the answer that it criticizes.

    Args:
        graph: the main graph, compiled.
        reflection: the critique graph, compiled.
        state_schema: a TypedDict, pydantic model or dataclass with `messages`; the main graph's by default.
        config_schema: the schema of the run's context (LangGraph's `context_schema`).
        max_attempts: limit on answers, including the first.

    Returns:
        The graph, not compiled: call `.compile()` on it, with a checkpointer if you like.

    Raises:
        ValueError: `max_attempts` is below 1, a graph is not compiled, the state has no `messages`, or it has keys
            that the loop itself writes.

    Example:
        >>> app = pair_graphs(assistant, judge).compile()             # doctest: +SKIP
        >>> app.invoke({"messages": [("user", "Why is the sky blue?")]})["stop_reason"]["kind"]  # doctest: +SKIP
        'accepted'
    """
    max_attempts = whole_number("max_attempts", max_attempts)
    schema = _checked_schema(graph, reflection, state_schema)
    return _assembled(schema, graph, reflection, config_schema, max_attempts)


def after_attempt(state: PairedState) -> Literal["reflection", "outcome"]:
    """Have the answer criticized, unless no steps are left for that."""
    return "outcome" if state["stop_reason"] else "reflection"


def after_critique(state: PairedState) -> Literal["graph", "outcome"]:
    """Return the critique to the main graph, unless there is a reason to stop."""
    return "outcome" if state["stop_reason"] else "graph"


def _checked_schema(graph: object, reflection: object, state_schema: type[Any] | None) -> type[Any]:
    for name, given in (("graph", graph), ("reflection", reflection)):
        if isinstance(given, StateGraph):
            raise ValueError(f"{name} is not compiled: pass {name}.compile()")
    schema = state_schema or getattr(getattr(graph, "builder", None), "state_schema", None)
    if schema is None:
        raise ValueError(
            "graph does not tell its state: give a compiled graph, or pass state_schema, such as MessagesState"
        )
    keys = set(get_type_hints(schema))
    if "messages" not in keys:
        raise ValueError(f"{schema.__name__} has no key 'messages': both graphs work on messages, add it")
    if taken := sorted(keys & (set(get_type_hints(PairedState)) - {"messages"})):
        raise ValueError(
            f"{schema.__name__} has {', '.join(taken)}, which this loop writes itself: rename it there, or pass a "
            "state_schema without it (the graphs keep keys of their own to themselves)"
        )
    return schema


def _output_schema(schema: type[Any], keys: Collection[str]) -> type[Any]:
    """The schema with the two graphs' keys and the keys that the loop adds."""
    # Without reducers: the state already has its channels, and LangGraph cannot compare every reducer.
    theirs = {key: hint for key, hint in get_type_hints(schema).items() if key in keys}
    return _typed_dict("PairedOutput", theirs | _ADDED, total=False)


def _own_keys_of(graph: _Graph, keys: Collection[str]) -> Runnable[Any, dict[str, Any]]:
    """A graph that returns only its own keys: a graph that is itself a pair would also return the loop's."""

    def own(result: dict[str, Any] | None) -> dict[str, Any]:
        return {key: value for key, value in (result or {}).items() if key in keys}

    return graph | Node(own)


def _takes_removals(messages: BaseChannel[Any, Any, Any]) -> bool:
    """Whether the reducer of `messages` can remove a message; if not, it would keep the removal as a message."""
    trial = messages.copy()
    try:
        trial.update([[HumanMessage("?", id="?")]])
        trial.update([[RemoveMessage(id="?")]])
        return trial.get() == []
    except Exception:  # noqa: BLE001 - the user's reducer does not accept such a message
        return False
