"""A task's loop that waits between two attempts, and goes on in the same run if the budget allows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from ...errors import CheckpointError, NotKeptError
from ...graphs.loop_graph import LoopGraph
from ...graphs.reflection.create import ReflectionGraph
from ...models.messages import NO_USAGE
from ...nodes.reflection.loop import ReflectionLoop
from ...nodes.reflection.outcome import outcome
from ...nodes.reflection.request import attempt_messages
from ...nodes.reflection.state import ReflectionState
from ...nodes.reflection.stop import best_attempt, find_stop, reported_attempt
from ...tools.verdict import FormattedVerifier, Verifier
from ...traces.events import Event, Place, current_place, recording
from ...traces.shapes import Attempt, StopReason, Usage
from ..datasets import Task

_NEVER_NONE = 0.3
"""What a task of score 0 may still hope for, beside the score itself."""
_FAILED_AGAIN = 0.5
"""What a further failed attempt leaves of the hope."""

CostOf = Callable[[Sequence[Event]], float]
"""Dollars of a run, by its events."""


def no_cost(events: Sequence[Event]) -> float:
    """Where nobody counts dollars."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a task's run has come, and what it has cost.

    Attributes:
        attempts: those that have been judged.
        score: of the best of them, 0 to 1.
        tokens: of the run, read and written.
        cost: of the run in dollars; 0 without a budget of them.
        reports_tokens: the model reports its tokens; also true for a reply from LangChain's cache, which takes none.
        ended: the loop has ended by itself: solved, accepted, or given up.
        failure: why the model could not be reached; "" if it could.
        usage: what `tokens` sums up.
    """

    attempts: int = 0
    score: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    reports_tokens: bool = False
    ended: bool = False
    failure: str = ""
    usage: Usage = field(default_factory=lambda: NO_USAGE)

    @property
    def promise(self) -> float:
        """The larger, the sooner the task gets a further attempt: what may be hoped for, over what an attempt costs.

        Hope grows with the score and is halved by each further attempt that failed. So neither a task that is nearly
        right and never becomes so takes all of its attempts first, nor one whose attempts are long.
        `benchmarks/solving/run.py` replays what the order brings.
        """
        hope = (self.score + _NEVER_NONE) * _FAILED_AGAIN ** max(0, self.attempts - 1)
        return hope * self.attempts / (self.cost or self.tokens or 1)


def thread_of(task: Task) -> RunnableConfig:
    """The thread of a task's run: its id, in which a half of a surrogate pair is spelled out for the checkpoints."""
    return {"configurable": {"thread_id": task.task_id.encode("utf-8", "backslashreplace").decode()}}


def held_open(graph: ReflectionGraph) -> ReflectionGraph:
    """A loop that does not end at its limit of attempts: a later call may raise the limit."""
    builder = builder_of(graph)
    builder.loop = replace(builder.loop, held=True)
    return graph


def builder_of(graph: ReflectionGraph) -> LoopGraph[Any, Any, Any]:
    """What built a graph: it has the settings of the loop. LangGraph knows it as a plain `StateGraph`."""
    return cast("LoopGraph[Any, Any, Any]", graph.builder)


class HeldRun:
    """A task's run, which goes on attempt by attempt; its checkpoints hold it between two of them.

    It waits where an attempt has failed and been judged, before anything is asked for the next one: a reflection or a
    critique of the failure belongs to the next attempt, which reads it.

    Args:
        graph: with a checkpointer; `held_open` for `make_attempt`.
        task: its id names the thread.
        cost_of: what its events have cost.
    """

    def __init__(self, graph: ReflectionGraph, task: Task, cost_of: CostOf = no_cost) -> None:
        self._graph = graph
        self._task = task
        self._cost_of = cost_of
        self._config = thread_of(task)
        builder = builder_of(graph)
        self._loop: ReflectionLoop = builder.loop
        self._shape = builder.shape

    async def standing(self) -> Standing:
        """How the run stands, also one that an earlier call left."""
        return self._standing(await self.snapshot())

    async def make_attempt(self) -> Standing:
        """Make one more attempt, the first one included, up to where it has been judged or the loop has ended.

        Raises:
            ValueError: the verifier asks the user, who is not there.
        """
        snapshot = await self.snapshot()
        wanted = _judged_count(snapshot) + 1
        given: Any = None if snapshot.next else {"task": self._task.prompt}
        start = await self._before_failure(snapshot) if snapshot.values.get("failure") else self._config
        while True:
            # One step of the graph at a time: what comes after a failed attempt depends on the mode, so no node has a
            # name at which every mode could be told to wait.
            await self.advance(given, start)
            given, start = None, self._config
            snapshot = await self.snapshot()
            if snapshot.interrupts:
                raise ValueError("the verifier asks the user: under one budget give one that judges by itself")
            if _is_attempt_over(snapshot, wanted):
                return self._standing(snapshot)

    async def answers(self) -> list[str]:
        """What the run would have answered if it had ended after its first attempt, its second, and so on."""
        attempts = _attempts((await self.snapshot()).values)
        counts = range(1, len(attempts) + 1)
        return [reported_attempt(attempts[:count], self._loop)["answer"] or "" for count in counts]

    async def result(self, max_attempts: int, budget: StopReason | None = None) -> dict[str, Any]:
        """What the graph returns, of a run that waits as if it had ended here.

        The checkpoints are left as they are, so that the run can still go on.

        Args:
            max_attempts: the limit for each task.
            budget: the reason to end, if the run has none of its own; None where it has.
        """
        snapshot = await self.snapshot()
        if not snapshot.next:
            return snapshot.values
        state = cast(ReflectionState, {**snapshot.values, "attempts": _attempts(snapshot.values)})
        loop = replace(self._loop, max_attempts=max_attempts, held=False)
        step = (snapshot.metadata or {}).get("step", 0) + 1
        token = current_place.set(Place("outcome", step, state.get("silent_nodes") or (), self._shape))
        try:
            # Whoever records around the evaluation gets the trace of a run that ends, once.
            with recording():
                last = outcome(state, loop, ended_by=find_stop(state, loop) or budget)
        finally:
            current_place.reset(token)
        return {**state, **last, "events": [*state["events"], *last["events"]]}

    async def advance(self, given: Any, config: RunnableConfig | None = None, *, before: str | list[str] = "*") -> None:
        """Run the graph until one of these nodes comes next.

        Raises:
            NotKeptError: the checkpoints cannot be written: no task's can.
        """
        try:
            await self._graph.ainvoke(given, config or self._config, interrupt_before=cast(Any, before))
        except CheckpointError as problem:
            if problem.kind == "damaged":
                raise
            raise NotKeptError(problem.where, problem.__cause__ or problem) from problem

    async def snapshot(self) -> StateSnapshot:
        """The run's state, with the nodes that come next; nothing comes next once it has ended."""
        found = await self._graph.aget_state(self._config)
        if found.tasks and not found.next:
            # The process was killed between a step's results and the checkpoint behind them. Until that is written,
            # LangGraph does not say what comes next. No node is run for it.
            await self.advance(None)
            found = await self._graph.aget_state(self._config)
        return found

    async def _before_failure(self, snapshot: StateSnapshot) -> RunnableConfig | None:
        """Where to start so that the node that could not reach the model is run again."""
        before = await self._graph.aget_state(snapshot.parent_config or self._config)
        # Samples are asked for in the step before the one that finds none of them.
        return before.parent_config if before.values.get("samples") else snapshot.parent_config

    def _standing(self, snapshot: StateSnapshot) -> Standing:
        attempts = _attempts(snapshot.values)
        usage: Usage = snapshot.values.get("usage") or NO_USAGE
        events: list[Event] = snapshot.values.get("events") or []
        return Standing(
            attempts=_judged_count(snapshot),
            score=best_attempt(attempts)["score"] if attempts else 0.0,
            tokens=usage["total_tokens"],
            cost=self._cost_of(events),
            reports_tokens=any(event["kind"] == "thought" and not event["data"].get("estimated") for event in events),
            ended=bool(snapshot.values) and not snapshot.next,
            failure=snapshot.values.get("failure") or "",
            usage=usage,
        )


def prompt_tokens(task: Task, verifier: Verifier | None) -> int:
    """About how many tokens the first attempt reads, counted by characters as LangChain does."""
    answers = verifier if isinstance(verifier, FormattedVerifier) else None
    instructions, criteria = (answers.instructions, answers.criteria) if answers else ("", "")
    return count_tokens_approximately(attempt_messages(task.prompt, instructions, criteria, "first"))


def _is_attempt_over(snapshot: StateSnapshot, wanted: int) -> bool:
    """Whether the run has ended, cannot go on, or has judged so many attempts and is not about to end."""
    if not snapshot.next or snapshot.values.get("failure"):
        return True
    return "outcome" not in snapshot.next and _judged_count(snapshot) >= wanted


def _judged_count(snapshot: StateSnapshot) -> int:
    return len(_attempts(snapshot.values))


def _attempts(values: dict[str, Any]) -> list[Attempt]:
    """The attempts, also one that failed and that a critic has not explained yet."""
    current: Attempt | None = values.get("current")
    failed = [current] if current is not None and current["verdict"] == "failed" else []
    return [*(values.get("attempts") or []), *failed]
