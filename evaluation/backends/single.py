"""Runs and scores single tasks, and makes what is kept of each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

from ..._internal.redact import line_of, redacted
from ...errors import BackendError, MissingCheckpointerError, NotKeptError, ThoughtGraphError
from ...graphs.reflection.create import ReflectionGraph
from ...models.messages import NO_USAGE, add_usage, usage_of
from ...traces.context_graph import ContextGraph
from ...traces.shapes import Usage
from ..datasets import Task
from ..judges import ASKS_THE_USER, Score, Scorer, ascore
from ..results import TaskResult, add_result, keeping, run_of
from .loop import Solve

Build = Callable[[Task], ReflectionGraph]
ScorerOf = Callable[[Task], Scorer | None]
_KEPT = ("strategy", "model", "verdict", "score", "kind", "failed_on", "feedback")


class Spent(BaseCallbackHandler):
    """Counts the tokens of a task's models; of a run that raises, nothing else tells them."""

    usage = NO_USAGE
    run_inline = True

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """Count a reply."""
        for one in chain.from_iterable(response.generations):
            if isinstance(one, ChatGeneration):
                self.usage = add_usage(self.usage, usage_of(one.message))


_spending: ContextVar[Spent | None] = ContextVar("thoughtgraph_spending", default=None)
register_configure_hook(_spending, inheritable=True)


def counting() -> Spent:
    """Counts what models take from now on, in this context."""
    spent = Spent()
    _spending.set(spent)
    return spent


class SingleRuns:
    """Runs and scores tasks, each for itself.

    Args:
        build: builds the graph for a task.
        scorer_of: gives a task's scorer, or None to let the loop's verdict count.
        folder: for results and runs; None to keep neither.
        solve: who runs and scores a task instead of this process.
    """

    def __init__(self, build: Build, scorer_of: ScorerOf, folder: Path | None, *, solve: Solve | None = None) -> None:
        self.build = build
        self._scorer_of = scorer_of
        self._folder = folder
        self._solve = solve

    async def result(self, task: Task, name: str, known: TaskResult | None) -> TaskResult:
        """Run and score a task, and note the result next to its run. An error in one task must not end the others."""
        result, first = known, None
        has_scorer = bool(task.hidden_tests)
        # A task runs in a context of its own.
        spent = counting()
        try:
            if self._solve and known is None:
                result = await self._solve(task, name)
                return result
            # Find unreadable tests before the loop, which may take long.
            scorer = self._scorer_of(task)
            has_scorer = scorer is not None
            if known and (scorer is None or known.is_scored):
                return known
            if result is None:
                result, first = await self.solved(task, name)
            elif self._folder:
                first = _saved_first_answer(run_of(self._folder, result)) if len(result.attempts) > 1 else result.answer
            if scorer is not None:
                result = await scored_result(partial(ascore, scorer, task), result, first)
            return result
        except (BackendError, NotKeptError):
            raise
        except Exception as problem:  # noqa: BLE001
            result = broken_result(task, problem, has_scorer, spent.usage)
            return result
        finally:
            # Keep the answer even if an interrupt comes while it is scored.
            if self._folder and result and result != known:
                self.note(result)

    async def solved(self, task: Task, name: str) -> tuple[TaskResult, str]:
        """The result, and the first attempt's answer; "" if there is none."""
        graph = self.build(task)
        started = time.perf_counter()
        try:
            ended = await self.run(graph, task)
        except MissingCheckpointerError:
            raise ValueError(ASKS_THE_USER) from None
        if name:
            # Not on the event loop: where runs are kept may be far away.
            await asyncio.to_thread(self.keep, ended, name)
        if "__interrupt__" in ended:
            raise ValueError(ASKS_THE_USER)
        seconds = round(time.perf_counter() - started, 2)
        result = task_result(task, ended, seconds, name)
        return result, first_answer(ended)

    async def run(self, graph: ReflectionGraph, task: Task) -> dict[str, Any]:
        """Run a task's graph to its end."""
        return await graph.ainvoke({"task": task.prompt})

    def keep(self, ended: dict[str, Any], name: str) -> None:
        """Save a run."""
        assert self._folder
        with keeping(self._folder / name):
            ContextGraph.from_run(ended).save(self._folder / name)

    def note(self, result: TaskResult) -> None:
        """Note a result."""
        assert self._folder
        add_result(self._folder, result)


def task_result(task: Task, ended: Mapping[str, Any], seconds: float, run_file: str) -> TaskResult:
    """What is kept of what a graph returned; not scored yet."""
    attempts = [{key: attempt[key] for key in _KEPT if key in attempt} for attempt in ended["attempts"]]
    return TaskResult(
        task.task_id,
        ended["verdict"],
        dict(ended["stop_reason"]),
        ended["answer"],
        attempts,
        dict(ended["usage"]),
        seconds,
        run_file,
    )


def broken_result(task: Task, problem: Exception, has_scorer: bool, usage: Usage) -> TaskResult:
    """The result of a task that raised, and the tokens that it had spent."""
    stop = {"kind": "error", "value": redacted(line_of(problem))[:500], "limit": None}
    scored = "unverified" if has_scorer else ""
    tokens: dict[str, Any] = {**usage}
    return TaskResult(task.task_id, "unverified", stop, "", [], tokens, 0.0, "", scored, scored)


def first_answer(ended: Mapping[str, Any]) -> str:
    """The first attempt's answer, of what a graph returned; "" if there is none."""
    return (ended["attempts"][0]["answer"] or "") if ended["attempts"] else ""


async def scored_result(ask: Callable[[str], Awaitable[Score]], result: TaskResult, first: str | None) -> TaskResult:
    """The result with the scorer's verdicts on the final and on the first answer.

    If the first answer is lost (None), its earlier verdict stays.
    """
    final = start = await ask(result.answer) if result.answer else None
    if first != result.answer:
        start = await ask(first) if first else None
    return replace(
        result,
        scored=final.status if final else result.verdict,
        first_scored=(result.first_scored or "unverified") if first is None else start.status if start else "failed",
        # Where there is no answer, it has failed; a mean of scores must not leave it out.
        score=final.points if final else 0.0 if result.verdict == "failed" else None,
        scoring=final.reason if final else "",
    )


def _saved_first_answer(file: str | Path) -> str | None:
    """The first attempt's answer in a saved run, "" for none; None if the run cannot be read."""
    try:
        events = ContextGraph.from_run(file).events
    except (ThoughtGraphError, OSError):
        return None
    return next((str(event["data"].get("answer") or "") for event in events if event["kind"] == "attempt"), "")
