"""Builds any reflection mode in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from langchain_core.messages import SystemMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.typing import ContextT

from ..._internal.numbers import check_kind, items_of
from ..._internal.texts import instructions_of
from ...memory.lessons import Memory
from ...models.named import as_model, as_models
from ...models.thought import ChatModel
from ...nodes.reflection.loop import ReflectionLoop, check_critic
from ...nodes.reflection.state import ReflectionInput, ReflectionOutput, ReflectionState
from ...nodes.reflection_defaults import (
    DEFAULT_ATTEMPTS,
    DEFAULT_PATIENCE,
    RetryStrategy,
    form_repairs_of,
    strategies_of,
)
from ...tools.verdict import Verifier
from ...traces.metrics.money import Prices
from ..compiled import compiled
from .actor_critic import actor_critic
from .best_of_n import best_of_n
from .external_loop import external_loop
from .frame import ReflectionBuilder
from .reflexion import reflexion

ReflectionMode = Callable[[ReflectionLoop], ReflectionBuilder]
"""Assembles a loop without compiling it."""

ReflectionGraph = CompiledStateGraph[ReflectionState, ContextT, ReflectionInput, ReflectionOutput]
"""What `create_reflection_graph` returns; `ReflectionGraph[Context]` with a `context_schema`."""

_MODES: dict[str, ReflectionMode] = {
    "external_loop": external_loop,
    "reflexion": reflexion,
    "actor_critic": actor_critic,
    "best_of_n": best_of_n,
}


def create_reflection_graph(
    mode: str = "external_loop",
    *,
    actor: ChatModel | str | Sequence[ChatModel | str],
    critic: ChatModel | str | None = None,
    verifier: Verifier | None = None,
    system_prompt: str | SystemMessage | None = None,
    max_attempts: int = DEFAULT_ATTEMPTS,
    strategies: Sequence[RetryStrategy] | None = None,
    form_repairs: int | None = None,
    patience: int = DEFAULT_PATIENCE,
    min_score: float | None = None,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    prices: Prices | None = None,
    max_seconds: float | None = None,
    memory: Memory | None = None,
    key: Callable[[str], Any] | None = None,
    context_schema: type[ContextT] | None = None,
    checkpointer: BaseCheckpointSaver[Any] | bool | None = None,
    store: BaseStore | None = None,
    interrupt_before: str | Sequence[str] | None = None,
    interrupt_after: str | Sequence[str] | None = None,
    name: str | None = None,
) -> ReflectionGraph[ContextT]:
    """Build a loop that attempts a task, judges the answer, and tries again.

    Invoke it with `{"task": "…"}`, or with `{"messages": […]}`, whose last one, the user's, is the task and which the
    answer joins. It returns `answer` (the best one), `verdict` (`"passed"`, `"failed"`, `"unverified"`), `stop_reason`
    (`kind`, `value`, `limit`), `attempts`, `usage` and `events`, whatever the mode. It is an ordinary compiled
    LangGraph: `invoke`, `ainvoke`, `stream`, threads, use as a subgraph.

    Args:
        mode: how the loop judges an answer and what the next attempt learns from it. `"external_loop"`: only by running
            something. `"reflexion"`: the same, and the actor writes down why it failed and starts from scratch with
            its notes; without a verifier a model evaluates. `"actor_critic"`: a critic explains the verifier's
            failures, or judges if there is no verifier, and the actor revises. `"best_of_n"`: independent samples,
            several at once, until one passes; without a verifier until enough of them agree on an answer. Or a mode of
            your own, see `register_reflection_mode`.
        actor: any LangChain chat model, or the name of one as `open_model` takes it, which stays open until the program
            ends. Or several of them, the cheapest first: a cascade. Each but the last makes one attempt, repairs of its
            form aside; if its answer fails or cannot be read, or its server is gone, the next is asked from scratch
            (the strategy `"escalate"`). The last has the attempts that remain, with `strategies`. All limits hold for
            the whole run. In `"best_of_n"` a cascade needs a verifier.
        critic: the model that criticizes in `"actor_critic"`, and evaluates in `"reflexion"` if no verifier can; the
            actor by default, of several the last. It may be a smaller model. `"external_loop"` and `"best_of_n"` ask no
            model for its opinion.
        verifier: `PythonTests`, or any callable `(task, answer) -> Verdict`, sync or async. Its attributes
            `instructions` (the format of an answer, for the system message), `criteria` (what an answer must meet,
            placed after the task) and `parse` (the parser of answers) are used if it has them.
            Without a verifier no answer is ever reported as `"passed"`: one that a model accepted, or that most samples
            agree on, is `"unverified"`, with the stop reason `"accepted"` or `"agreement"`.
        system_prompt: your own instructions to the actor, before those of the verifier.
        max_attempts: limit on attempts, including the first; at least one for each model of a cascade.
        strategies: how to try again, in order: the loop stays with a strategy while the score improves, and otherwise
            takes the next, up to the last. `"repair"` continues the conversation with what was found wrong, `"fresh"`
            asks from scratch, in other words and at a higher temperature, as `"best_of_n"` does, `"lesson"` asks from
            scratch with what went wrong (in Reflexion, the reflections). The defaults: `"fresh"` in the external loop,
            which solved most with small models, `"lesson"` in Reflexion, `"repair"` and then `"lesson"` in
            Actor-Critic. If feedback says what is wanted, as a user's does, or the model is large, try
            `["repair", "fresh"]` or `["lesson", "fresh"]`. `"best_of_n"` has `["fresh"]` and no other.
        form_repairs: attempts in a row that ask again with what is missing, after an answer that could not be read or
            failed on its form (see `Verdict.failed_on`): the strategy `"repair_form"`. After these, and after every
            other failure, `strategies` decide; `"fresh"` and larger models are told, too. 0 turns all that off. The
            default: 1 in the external loop, 0 in other modes; not for `"best_of_n"`. A model of a cascade repairs the
            form of its answer before the next is asked, as long as the attempts suffice for every model.
        patience: attempts in a row without a better score after which the loop gives up, before `max_attempts`; not
            while a model of a cascade is left, and not in `"best_of_n"`, whose samples do not build on each other.
        min_score: from 0 to 1: the score that one of the first two attempts has to reach; if none does, the loop gives
            up. For a verifier that grades failed answers, as `PythonTests` does. With small models 0.5 saves a fifth of
            the tokens, and loses few tasks (docs/benchmarks.md). The default: no such limit; it holds wherever
            `patience` does, in a cascade for the attempts of the last model.
        max_tokens: tokens of the whole run after which the loop makes no new attempt.
        max_cost: dollars of the whole run, by `prices`, after which the loop makes no new attempt. A reply under a name
            without a price counts at the dearest of the loop's models.
        prices: of the models, under their names; every one of them is needed with `max_cost`.
        max_seconds: seconds in models and verifiers after which the loop makes no new attempt; pauses do not count.
        memory: of failures in earlier runs, such as `FailureMemory`: the prompt gets lessons from similar failures
            before the task, and the memory keeps this run's failures. Failures that were never fixed and taught nothing
            are left out, unless it has a true attribute `bare_failures`.
        key: in `"best_of_n"` without a verifier, from an answer to what answers are compared by, a JSON value such as
            the number in it; the answer itself by default. An answer for which it raises, or returns None
            or a number that is not finite, counts as unreadable.
        context_schema: of the `context` that a run is invoked with, which a verifier reads by `get_runtime()`.
        checkpointer: saves the run, so that it can be resumed. True inside a graph that has one.
        store: LangGraph's store, passed to the graph.
        interrupt_before: nodes before which a run pauses, for debugging, or `"*"` for all; resume with
            `invoke(None, config)`.
        interrupt_after: the same, after them.
        name: of the graph, as streams, traces and a graph around it call it; the mode by default.

    Raises:
        ModelSetupError: a model that was given by its name cannot be opened.
        ValueError: the mode or a strategy is unknown, a limit is below 1 (`form_repairs`: below 0; `min_score`: not
            from 0 to 1), `actor` or `critic` is no model, or another argument is not of its kind; `actor` is empty, has
            a model twice, or has more models than there are attempts; `max_cost` is given without the prices of all
            models; or `critic`, `key`, `strategies`, `form_repairs` or a cascade where the mode has no use for it.
        VerifierContractError: the verifier is not one: not callable with `(task, answer)`, a class instead of an
            instance, or without a part that `FormattedVerifier` names.
        GraphShapeError: in a mode of your own, a node cannot be reached, cannot reach the end, or leads there past
            `outcome`.

    Example:
        >>> verifier = PythonTests("assert double(2) == 4")
        >>> graph = create_reflection_graph(actor=model, verifier=verifier)     # doctest: +SKIP
        >>> graph.invoke({"task": "Write `double(x)`."})["verdict"]              # doctest: +SKIP
        'passed'
    """
    if not isinstance(cast(object, mode), str) or mode not in _MODES:
        raise ValueError(f"unknown mode {mode!r}: choose one of {sorted(_MODES)}, or register it")
    wanted_strategies = strategies_of(mode) if strategies is None else strategies
    chosen = items_of("strategies", wanted_strategies, "a list of strategies")
    models = as_models(actor, "actor")
    check_critic([mode], critic)
    loop = ReflectionLoop(
        mode=mode,
        actor=models[0],
        critic=models[-1] if critic is None else as_model(critic, "critic"),
        verifier=verifier,
        memory=memory,
        max_attempts=max_attempts,
        strategies=chosen,
        patience=patience,
        min_score=min_score,
        max_tokens=max_tokens,
        max_cost=max_cost,
        prices=prices,
        max_seconds=max_seconds,
        system_prompt=instructions_of(system_prompt),
        larger=tuple(models[1:]),
        form_repairs=form_repairs_of(mode) if form_repairs is None else form_repairs,
        key=key,
    )
    builder = _MODES[mode](loop)
    wanted = "framed(loop) with nodes and edges of its own, not compiled"
    check_kind(f"what the mode {mode!r} returns", builder, StateGraph, wanted)
    graph = compiled(
        builder,
        context_schema=context_schema,
        checkpointer=checkpointer,
        store=store,
        interrupt_before=interrupt_before,
        interrupt_after=interrupt_after,
        name=name or mode,
        last="outcome",
    )
    # LangGraph's own limit is ten thousand steps; an attempt passes each node once, and so does a model that is gone.
    return graph.with_config(recursion_limit=len(graph.nodes) * (loop.max_attempts + len(models)))


def register_reflection_mode(name: str, mode: ReflectionMode) -> None:
    """Register your own mode, for `create_reflection_graph(name, …)`.

    Args:
        name: the mode's name; it must not be taken.
        mode: assembles the loop: takes a `ReflectionLoop` and returns `framed(loop)` with its own nodes and edges
            added, not compiled. The run ends in the node `outcome`. Between two attempts each node may run once.
            All parts are in `thoughtgraph.graphs.building`.

    Raises:
        ValueError: the name is no text, empty or taken by another mode, or the mode cannot be called.

    Example:
        >>> def patient(loop):
        ...     graph = framed(loop)
        ...     graph.add_step("verify", verify)
        ...     graph.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
        ...     graph.add_route("verify", after_verify, *loop.ways, "outcome")
        ...     return graph
        >>> register_reflection_mode("patient", patient)                          # doctest: +SKIP
    """
    check_kind("name", name, str, "a text")
    if not name.strip():
        raise ValueError("a mode needs a name")
    if not callable(mode):
        raise ValueError(f"a mode is a function of a ReflectionLoop that returns its graph, got {mode!r:.100}")
    if _MODES.get(name, mode) is not mode:
        raise ValueError(f"a mode called {name!r} exists: choose another name")
    _MODES[name] = mode


def reflection_modes() -> list[str]:
    """The names that `create_reflection_graph` knows, including registered ones."""
    return list(_MODES)
