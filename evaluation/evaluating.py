"""Runs the same tasks through several conditions and models, and the controls that a fair comparison needs.

The verifier may stop the loops; the scorer judges the answers, and no loop sees it. For coding tasks these are the
visible and the hidden tests. Controls: one attempt; attempts without any feedback ("retry only"); and the mode
`best_of_n`, where N is the smallest number that spends at least as many tokens, read and written, as the other mode.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from .._internal.atomic import local_path
from .._internal.numbers import check_kind, whole_number
from .._internal.steps import run_awaitable
from ..models.named import as_model, names_of
from ..models.thought import ChatModel
from ..nodes.reflection.loop import check_critic
from ..nodes.reflection_defaults import DEFAULT_ATTEMPTS
from ..traces.metrics.money import Prices, check_prices
from .backends.loop import Backend, Loop, Models, named_models, options_of, spoken_name
from .bench import ONE_SHOT, Bench, Progress, Study
from .budget.held import prompt_tokens
from .budget.limits import BudgetLimits, check_budgets
from .comparison import Comparison
from .conditions import Condition, Modes, cascade_of, conditions_of
from .datasets import Task, TaskSource, load_tasks
from .judges import Judges, ScorerSource, VerifierSource
from .results import check_settings, held_alone
from .scored import ConditionResult


def evaluate(
    tasks: TaskSource,
    models: Models,
    *,
    modes: Modes | None = None,
    verifier: VerifierSource | None = None,
    scorer: ScorerSource | None = None,
    critic: ChatModel | str | None = None,
    max_attempts: int = DEFAULT_ATTEMPTS,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    concurrency: int = 4,
    save: str | Path | None = None,
    controls: bool = True,
    prices: Prices | None = None,
    on_progress: Progress | None = None,
    backend: Backend | None = None,
) -> Comparison:
    """Run tasks through several modes and models, and score the answers.

    Args:
        tasks: the path of a JSONL file, or rows, prompts and `Task`s, as `load_tasks` takes them. A task whose tests
            cannot be read, or that nothing judges, is left out and named in the result.
        models: the actor, or several of them: LangChain chat models, or names as `open_model` takes them.
        modes: names of modes, or conditions of your own, which may name several of the models as a cascade. By default
            `external_loop` (if there is a verifier), `reflexion` and `actor_critic`.
        verifier: what the loops may see: a `Verifier`, or a function of a task's row that returns one (or None). By
            default the row's visible tests.
        scorer: what judges the final answer, hidden from the loops: called with `(task, answer)`, it returns a
            `Verdict`, True or False, or a number from 0 to 1, of which only 1 passes. Or a function of a task's row
            that returns such a scorer. By default the row's visible and hidden tests together; without hidden tests,
            the verifier. A scorer that raises, or returns something else, has not judged: the answer counts as
            `unverified`, and not as solved.
        critic: the model that judges and criticizes; the actor by default.
        max_attempts: attempts per task, in each mode.
        max_tokens: one budget for all tasks of a condition together, read and written: every task gets one attempt,
            whatever it costs, and then the unsolved ones get further attempts while there is something left: first the
            one with the most to hope for (its score and 0.3, halved by each further attempt that failed) over what one
            of its attempts costs. With `save`, a later call with a larger budget or `max_attempts` goes on
            with the same runs. One shot and the best of N have no budget. By default there is none.
        max_cost: the same in dollars, by `prices`; beside `max_tokens`, whichever is spent first.
        concurrency: tasks to run at the same time.
        save: a folder for the runs, with a subfolder per condition as `asolve_many` writes it. Runs already there are
            not repeated. With a budget a subfolder also holds the checkpoints of the runs that wait.
        controls: where there is a verifier, also run "retry only" and the best of N at equal tokens. One shot always
            runs.
        prices: of the models, for the column `cost`, which changes no run; and for `max_cost`, under their names.
        on_progress: called when a task ends.
        backend: where the tasks run, such as `RayBackend`; by default in this process. Models are then given by name,
            and a verifier or a scorer is a function at the top level of a module. The best of N runs in this process
            in any case; with `controls=False` there is none.

    Raises:
        BackendError: something cannot be sent to the backend's workers, or these cannot be started.
        DatasetError: the tasks cannot be read, or two have the same id.
        ModelSetupError: a model that was given by its name cannot be opened.
        RunFileError: `save` holds an evaluation with other settings, cannot be read or written, or another one is
            saving to it.
        ValueError: a mode is unknown, a number is below 1, something is no model, a condition names a model that there
            is not, or no task can be scored; a budget does not pay for reading every task once, `max_cost` is given
            without the prices of all models, or the model reports no tokens.
        VerifierContractError: the verifier or the scorer cannot be called as one.

    Example:
        >>> rows = [{"prompt": "What is 6 * 7? The number alone.", "answer": "42"}]
        >>> result = evaluate(                                                    # doctest: +SKIP
        ...     rows, model, scorer=lambda row: lambda task, answer: answer.strip() == row["answer"]
        ... )
        >>> result.to_pandas()                                                    # doctest: +SKIP
    """
    evaluating = aevaluate(
        tasks,
        models,
        modes=modes,
        verifier=verifier,
        scorer=scorer,
        critic=critic,
        max_attempts=max_attempts,
        max_tokens=max_tokens,
        max_cost=max_cost,
        concurrency=concurrency,
        save=save,
        controls=controls,
        prices=prices,
        on_progress=on_progress,
        backend=backend,
    )
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(evaluating)
    # A notebook's cell runs in an event loop of its own.
    return run_awaitable(evaluating)


async def aevaluate(
    tasks: TaskSource,
    models: Models,
    *,
    modes: Modes | None = None,
    verifier: VerifierSource | None = None,
    scorer: ScorerSource | None = None,
    critic: ChatModel | str | None = None,
    max_attempts: int = DEFAULT_ATTEMPTS,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    concurrency: int = 4,
    save: str | Path | None = None,
    controls: bool = True,
    prices: Prices | None = None,
    on_progress: Progress | None = None,
    backend: Backend | None = None,
) -> Comparison:
    """Async twin of `evaluate`."""
    concurrency = whole_number("concurrency", concurrency)
    limits = BudgetLimits(max_attempts, max_tokens, max_cost)
    check_prices(prices)
    check_kind("controls", controls, bool, "True or False")
    kept = None if save is None else local_path(save)
    if backend is not None and limits.shared:
        budget = "max_cost" if max_tokens is None else "max_tokens"
        raise ValueError(f"{budget} is one budget, which this process divides: leave out {budget} or the backend")
    judges = Judges(verifier, scorer)
    scorable, skipped = _scorable(load_tasks(tasks), judges)
    verified = any(judges.verifier_of(task) is not None for task in scorable)
    chosen = conditions_of(modes, verified=verified, controls=controls)
    # Fail on what is no model before one is opened, and on an unknown mode before anything runs.
    if critic is not None and not isinstance(critic, str):
        as_model(critic, "critic")
    check_critic([condition.mode for condition in chosen], critic)
    sent = backend is not None
    actors = named_models(models, opened=not sent)
    judge = critic if critic is None or sent else as_model(critic, "critic")
    lineup = _Lineup(chosen, actors, judge, limits)
    everywhere = all(judges.verifier_of(task) is not None for task in scorable)
    loops = lineup.checked_loops(judges, sent=sent, verified=everywhere)
    if limits.shared:
        prompts = [prompt_tokens(task, judges.verifier_of(task)) for task in scorable]
        asked = [*actors.values(), *([] if judge is None else [judge])]
        check_budgets(limits, prices, prompts, names_of(asked), names_of([loop.models[0] for loop in loops]))
    async with AsyncExitStack() as stack:
        if kept:
            stack.enter_context(held_alone(kept))
            settings = lineup.settings(judges) | options_of(actors, models, critic)
            check_settings(kept, settings, scorable, whole_rows=bool(judges.names))
        # A worker of a batch that is interrupted may still write.
        folder = kept or stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
        workers = await stack.enter_async_context(backend.open()) if backend else None
        bench = Bench(scorable, Path(folder), concurrency, on_progress or _silent, judges, prices, workers)
        results = await lineup.results(bench, verified=verified, controls=controls)
    unhidden = sum(not judges.has_scorer(task) for task in scorable)
    return Comparison(tuple(results), limits.max_attempts, skipped, unhidden)


@dataclass(frozen=True, slots=True)
class _Lineup:
    """Which models run which conditions; it builds all loops once to check them, and then runs them.

    Attributes:
        conditions: those that each model runs alone, and those that are cascades.
        actors: the models by their names.
        critic: None for the actor.
        limits: of each condition.
    """

    conditions: list[Condition]
    actors: dict[str, ChatModel | str]
    critic: ChatModel | str | None
    limits: BudgetLimits

    @property
    def _alone(self) -> list[Condition]:
        return [condition for condition in self.conditions if condition.models is None]

    @property
    def _cascades(self) -> list[tuple[Condition, tuple[ChatModel | str, ...]]]:
        named = [condition for condition in self.conditions if condition.models is not None]
        return [(condition, cascade_of(condition, self.actors)) for condition in named]

    def checked_loops(self, judges: Judges, *, sent: bool, verified: bool) -> list[Loop]:
        """Every condition's loop; one that cannot be built, or not be sent, raises before anything runs."""
        alone = product(self._alone, [(actor,) for actor in self.actors.values()])
        pairs = [*alone, *self._cascades]
        loops = [Loop(condition, asked, self.critic, self.limits.max_attempts, judges) for condition, asked in pairs]
        for loop in loops:
            loop.check(sent=sent, verified=verified)
            if sent:
                loop.as_json()
        return loops

    def settings(self, judges: Judges) -> dict[str, Any]:
        """The settings that a folder of runs belongs to: with others, its runs would be different ones."""
        model = next(iter(self.actors)) if len(self.actors) == 1 else list(self.actors)
        # What a later call may raise is no setting that makes other runs.
        limit = {"one_budget": True} if self.limits.shared else {"max_attempts": self.limits.max_attempts}
        critics = spoken_name(self.critic) if self.critic else model
        return {"model": model, **limit, "critic": critics, **judges.names}

    async def results(self, bench: Bench, *, verified: bool, controls: bool) -> list[ConditionResult]:
        """Run every condition: first those of each model alone, then the cascades."""
        results: list[ConditionResult] = []
        for name, actor in self.actors.items():
            prefix = f"{name}: " if len(self.actors) > 1 else ""
            study = Study(bench, (actor,), self.critic, self.limits, prefix, verified)
            found = await study.results(self._alone, controls and verified)
            results += _named(found, name, prefix, results)
        for condition, asked in self._cascades:
            model = " → ".join(condition.models or ())
            study = Study(bench, asked, self.critic, self.limits, f"{model}: ", verified)
            results.append(_of_cascade(await study.result(condition), condition, model, results))
        return results


def _of_cascade(
    result: ConditionResult, condition: Condition, model: str, earlier: Sequence[ConditionResult]
) -> ConditionResult:
    """A cascade's result, compared with one shot of its last model, and with the same condition of each model alone."""
    names = cast("tuple[str, ...]", condition.models)
    same = [f"{name}: {condition.title}" for name in names]
    known = {each.title for each in earlier}
    against = (f"{names[-1]}: {ONE_SHOT}", *(title for title in same if title in known))
    return replace(result, title=f"{model}: {result.title}", model=model, cascade=names, against=against)


def _named(
    results: Sequence[ConditionResult], model: str, prefix: str, earlier: Sequence[ConditionResult]
) -> list[ConditionResult]:
    """A model's results under titles that no other model has, also compared with the first model's."""
    titles = [result.title for result in earlier]
    named: list[ConditionResult] = []
    for result in results:
        against = [prefix + title for title in result.against]
        against += [title for title in titles if title == f"{earlier[0].model}: {result.title}"]
        named.append(replace(result, title=prefix + result.title, model=model, against=tuple(against)))
    return named


def _scorable(tasks: Sequence[Task], judges: Judges) -> tuple[list[Task], dict[str, str]]:
    """The tasks that can be scored, and why each of the others cannot."""
    scorable: list[Task] = []
    skipped: dict[str, str] = {}
    for task in tasks:
        if problem := judges.problem(task):
            skipped[task.task_id] = problem
        else:
            scorable.append(task)
    if not scorable:
        why = "; ".join(f"{name}: {problem}" for name, problem in list(skipped.items())[:3])
        raise ValueError(f"no task can be scored ({why}): give scorer=…, verifier=…, or tasks with tests")
    return scorable, skipped


def _silent(title: str, done: int, total: int) -> None:
    """Report nothing."""
