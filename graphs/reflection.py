"""One call for every reflection mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from ..nodes.think import ChatModel
from ..tools.verdict import Verifier
from .edges import DEFAULT_PATIENCE, DEFAULT_STRATEGIES, LoopSettings, RetryStrategy
from .external_loop import Collaborators, external_loop
from .shape import check_shape
from .state import ReflectionInput, ReflectionOutput, ReflectionState

_MODES = {"external_loop": external_loop}
_STEPS_AN_ATTEMPT = 3
_STEPS_AROUND = 4

ReflectionGraph = CompiledStateGraph[ReflectionState, None, ReflectionInput, ReflectionOutput]


def create_reflection_graph(
    mode: str = "external_loop",
    *,
    actor: ChatModel,
    verifier: Verifier | None = None,
    max_iterations: int = 3,
    strategies: Sequence[RetryStrategy] = DEFAULT_STRATEGIES,
    patience: int = DEFAULT_PATIENCE,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    store: BaseStore | None = None,
) -> ReflectionGraph:
    """Build a loop that attempts a task, has the answer judged, and tries again.

    Invoke it with `{"task": "…"}`; it returns `answer` (the best one), `verdict` (`"passed"`, `"failed"`,
    `"unverified"`), `stop_reason` (`kind`, `value`, `limit`), `attempts`, `usage` and `events`. It is an ordinary
    compiled LangGraph: `invoke`, `ainvoke`, `stream`, threads, use as a subgraph.

    Args:
        mode: `"external_loop"`: verdicts come from running something.
        actor: any LangChain chat model.
        verifier: `PythonTests`, or any callable `(task, answer) -> Verdict`, sync or async. Its attributes
            `instructions` (the format of an answer, for the system message), `criteria` (what it is held to, put behind
            the task) and `parse` (the parser of answers) are used where it has them.
            Without a verifier the single answer is reported as `"unverified"`.
        max_iterations: attempts in all, the first included.
        strategies: how to try again, in order: the loop stays with one while it gains, and takes the next, up to the
            last, when an attempt brought nothing. `"repair"` continues the conversation with the feedback, `"fresh"`
            asks anew at a higher temperature, `"lesson"` asks anew with what went wrong. By default `"fresh"` alone,
            which solved most with small models; where feedback says what is wanted, as a user's does, or the model is
            a large one, try `["repair", "fresh"]` or `["lesson", "fresh"]`.
        patience: attempts in a row without a better score after which the loop gives up, before `max_iterations`.
        checkpointer: keeps the run, so that it can be resumed.
        store: LangGraph's store, passed on to the graph.

    Raises:
        ValueError: an unknown mode or strategy, or `max_iterations` below 1.

    Example:
        >>> verifier = PythonTests("assert double(2) == 4")
        >>> graph = create_reflection_graph(actor=model, verifier=verifier)     # doctest: +SKIP
        >>> graph.invoke({"task": "Write `double(x)`."})["verdict"]              # doctest: +SKIP
        'passed'
    """
    if mode not in _MODES:
        raise ValueError(f"unknown mode {mode!r}: choose one of {sorted(_MODES)}")
    settings = LoopSettings(max_iterations=max_iterations, strategies=tuple(strategies), patience=patience)
    builder = _MODES[mode](Collaborators(actor, verifier, settings))
    graph = builder.compile(checkpointer=checkpointer, store=store, name=mode)
    check_shape(graph)
    # LangGraph's own limit is ten thousand steps; this loop knows how many it can need.
    return graph.with_config(recursion_limit=_STEPS_AN_ATTEMPT * max_iterations + _STEPS_AROUND)
