"""What runs came to, in numbers: pure functions on their events, for one run and over many.

An event needs nothing but its kind: runs that were interrupted, runs of an older version and runs with events of
another origin are counted as far as their events tell.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..._internal.numbers import check_kind, shown_number
from ..._internal.plain import plain
from ..._internal.strict_json import entries, mapping
from ..events import Event
from ..lookup import brief, text
from ..shapes import ASK_USER
from .money import Prices, check_prices, dollars, money
from .share import Share
from .tally import Tally, seconds_told, whole

_VERDICTS = ("passed", "failed", "unverified")
_COUNTED = (
    *("reflections", "critiques", "form_repairs", "repeats", "unreadable_replies"),
    *("tool_calls", "failed_calls", "questions", "replans"),
)
"""What is shown if there was any."""
_SHOWN_KINDS = 5


@dataclass(frozen=True, slots=True)
class RunMetrics:
    """One run in numbers.

    Attributes:
        mode: as the goal has it, such as `"external_loop"`, `"best_of_n"` or `"plan_act"`; without that as far as the
            events tell: a run of `reflexion` that passed at once looks like one of `external_loop`. "" for none.
        finished: there is an outcome.
        verdict: `"passed"`, `"failed"`, `"unverified"`; "" for a run without one: plan-act, or not finished.
        stop_kind: why it ended; "" if it did not.
        attempts: of the actor, unreadable and repeated ones included.
        solved_first_try: the first attempt passed its verification.
        failed_first: the first attempt failed; neither this nor `solved_first_try` if nothing verified it.
        iterations_to_success: the number of the attempt that passed, from 1; None if the run did not pass.
        attempts_after_reflection: attempts that were made with a reflection on an earlier failure; an attempt after a
            critique or a repair alone does not count.
        passed_after_reflection: whether the attempt that passed is one of those.
        failure_kinds: how often attempts, plans and calls failed, by kind.
        failed_on: how many attempts failed on `"form"`, on `"substance"`, and on what is `"unknown"`.
        form_repairs: attempts that repaired the form of the one before.
        repeats: attempts or calls that had been made before.
        unreadable_replies: replies that the parser refused, or that were cut off.
        reflections: on a failed attempt; those that a memory brought are not counted.
        recalled: lessons that a memory brought.
        critiques: of a critic or an evaluator.
        rejections: critiques that did not accept the answer.
        unreadable_critiques: critiques that were neither for nor against.
        accepted_unverified: a model's judgment ended the run, and nothing had verified the answer.
        steps: of a plan-act run, as it counts them.
        tool_calls: calls that were made.
        failed_calls: calls that failed, refused ones included.
        questions: put to the user.
        replans: how often the rest of the plan was planned again.
        model_calls: replies of all models of the run.
        input_tokens: read by the models in the whole run.
        output_tokens: written by the models in the whole run.
        cached_tokens: those of `input_tokens` that a server took from its cache.
        seconds: from the first event to the last, pauses included; None if the events do not tell.
        model_seconds: spent on waiting for models; None if the events do not tell.
        verifier_seconds: spent in verifiers, with the models that they ask; None if the events do not tell.
        tool_seconds: spent in tools, with the models that they ask; None if the events do not tell.
        cost: in dollars; None if no prices were given, or if one of a model is unknown.
    """

    mode: str = ""
    finished: bool = False
    verdict: str = ""
    stop_kind: str = ""
    attempts: int = 0
    solved_first_try: bool = False
    failed_first: bool = False
    iterations_to_success: int | None = None
    attempts_after_reflection: int = 0
    passed_after_reflection: bool = False
    failure_kinds: Mapping[str, int] = field(default_factory=dict[str, int])
    failed_on: Mapping[str, int] = field(default_factory=dict[str, int])
    form_repairs: int = 0
    repeats: int = 0
    unreadable_replies: int = 0
    reflections: int = 0
    recalled: int = 0
    critiques: int = 0
    rejections: int = 0
    unreadable_critiques: int = 0
    accepted_unverified: bool = False
    steps: int = 0
    tool_calls: int = 0
    failed_calls: int = 0
    questions: int = 0
    replans: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    seconds: float | None = None
    model_seconds: float | None = None
    verifier_seconds: float | None = None
    tool_seconds: float | None = None
    cost: float | None = None

    @property
    def passed(self) -> bool:
        """The answer was verified and passed."""
        return self.verdict == "passed"

    @property
    def tokens(self) -> int:
        """Read and written together."""
        return self.input_tokens + self.output_tokens

    def __str__(self) -> str:
        ended = f"{self.verdict or 'no verdict'} ({self.stop_kind or ('ended' if self.finished else 'not finished')})"
        parts = [f"{self.mode or 'run'}: {ended}", f"attempts {self.attempts}", f"model calls {self.model_calls}"]
        parts += [f"tokens {self.input_tokens:,} in ({self.cached_tokens:,} cached), {self.output_tokens:,} out"]
        parts += [f"{name.replace('_', ' ')} {count}" for name in _COUNTED if (count := getattr(self, name))]
        parts += [dollars(self.cost)] if self.cost is not None else []
        parts += [f"{shown_number(self.seconds)} s"] if self.seconds is not None else []
        parts += [f"failures: {_counts(self.failure_kinds)}"] if self.failure_kinds else []
        return plain(", ".join(parts))


@dataclass(frozen=True, slots=True)
class MetricsSummary:
    """Many runs in numbers. Shares of success leave out plan-act runs, which have no verdict.

    Attributes:
        runs: how many.
        passed: verified and passed; a run that was not finished counts as not passed.
        first_try: passed with the first attempt.
        after_failure: of the runs whose first attempt failed, those that passed later.
        after_reflection: of the runs with an attempt after a reflection, those that passed with such an attempt.
        unverified: ended with an answer that nothing verified.
        mean_iterations: attempts up to the one that passed, over the runs that passed; None if none did.
        median_iterations: likewise.
        failure_kinds: over all runs, the most common first.
        failed_on: attempts of all runs that failed on `"form"`, on `"substance"`, and on what is `"unknown"`.
        attempts: of all runs.
        model_calls: of all runs.
        input_tokens: of all runs.
        output_tokens: of all runs.
        cached_tokens: of all runs.
        tokens_per_passed: tokens read and written by all runs, for each that passed; None if none did.
        cost: of all runs in dollars; None if that of one is unknown.
    """

    runs: int
    passed: Share
    first_try: Share
    after_failure: Share
    after_reflection: Share
    unverified: Share
    mean_iterations: float | None
    median_iterations: float | None
    failure_kinds: Mapping[str, int]
    attempts: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    tokens_per_passed: float | None
    cost: float | None = None
    failed_on: Mapping[str, int] = field(default_factory=dict[str, int])

    def __str__(self) -> str:
        mean = self.mean_iterations
        per_passed = f"{self.tokens_per_passed:,.0f}" if self.tokens_per_passed is not None else "–"
        rows = {
            "runs": str(self.runs),
            "passed": str(self.passed),
            "with the first attempt": str(self.first_try),
            "after a failed first attempt": str(self.after_failure),
            "after a reflection": str(self.after_reflection),
            "unverified": str(self.unverified),
            "attempts to success": "–" if mean is None else f"{mean:.1f} on average, median {self.median_iterations:g}",
            "failures": _counts(self.failure_kinds) or "none",
            "failed on": _counts(self.failed_on) or "nothing",
            "tokens": f"{self.input_tokens:,} in ({self.cached_tokens:,} cached), {self.output_tokens:,} out",
            "tokens per passed run": per_passed,
            "cost": dollars(self.cost),
        }
        return "\n".join(f"{name:30}{value}" for name, value in rows.items())


def run_metrics(events: Iterable[Event], prices: Prices | None = None) -> RunMetrics:
    """Count a run.

    Args:
        events: of one run, in order; an event that comes twice counts once.
        prices: of the models, for `cost`.

    Raises:
        ValueError: `events` or `prices` are none.
    """
    check_prices(prices)
    run = Tally(events)
    mode, outcome, attempts, calls = run.mode(), run.last("outcome"), run.attempts, run.calls()
    thoughts, critiques, reflections = map(run.of, ("thought", "critique", "reflection"))
    verdicts, results = map(run.outermost, ("verdict", "observation"))
    verdict = text(outcome, "verdict") if text(outcome, "verdict") in _VERDICTS else ""
    stop_kind = text(mapping(outcome.get("stop_reason")), "kind")
    passing = next((number for number, attempt in enumerate(attempts, 1) if attempt.get("verdict") == "passed"), None)
    recalled = [data for data in reflections if data.get("source") == "memory"]
    total = mapping(outcome.get("usage"))
    return RunMetrics(
        mode=mode,
        finished=bool(outcome),
        verdict=verdict,
        stop_kind=stop_kind,
        attempts=len(attempts),
        solved_first_try=passing == 1,
        failed_first=bool(attempts) and attempts[0].get("verdict") == "failed",
        iterations_to_success=passing if verdict == "passed" else None,
        attempts_after_reflection=sum(attempt["reflected"] for attempt in attempts),
        passed_after_reflection=verdict == "passed" and passing is not None and attempts[passing - 1]["reflected"],
        failure_kinds=run.failure_kinds(mode),
        failed_on=run.failed_on(),
        form_repairs=sum(attempt.get("strategy") == "repair_form" for attempt in attempts),
        repeats=sum(attempt.get("repeats") is not None for attempt in attempts)
        + sum(call.get("kind_of_failure") == "repeated" for call in calls),
        unreadable_replies=sum(bool(thought.get("feedback") or thought.get("truncated")) for thought in thoughts),
        reflections=len(reflections) - len(recalled),
        recalled=sum(len(entries(data.get("lessons"))) for data in recalled),
        critiques=len(critiques),
        rejections=sum(critique.get("accepted") is False for critique in critiques),
        unreadable_critiques=sum(critique.get("accepted") is None for critique in critiques),
        accepted_unverified=stop_kind == "accepted" and verdict != "passed",
        steps=whole(outcome, "steps"),
        tool_calls=len(run.of("action")),
        failed_calls=sum(call.get("ok") is False for call in calls),
        questions=sum(data.get("tool") == ASK_USER for data in run.of("observation")),
        replans=sum(data.get("phase") == "replan" for data in run.of("plan")),
        model_calls=len(thoughts),
        input_tokens=run.tokens("input_tokens"),
        output_tokens=run.tokens("output_tokens"),
        cached_tokens=run.tokens("cached_tokens"),
        seconds=run.seconds(),
        model_seconds=seconds_told(thoughts, attempts),
        verifier_seconds=seconds_told(verdicts, [mapping(verdict.get("details")) for verdict in verdicts]),
        tool_seconds=seconds_told(results, run.of("action")),
        cost=money(thoughts, total, prices) if prices else None,
    )


def summarize(metrics: Iterable[RunMetrics]) -> MetricsSummary:
    """Sum runs up.

    Args:
        metrics: of each run, as `run_metrics` gives them.

    Raises:
        ValueError: one is of another kind.
    """
    runs, kinds, failed_on = list(metrics), Counter[str](), Counter[str]()
    for run in runs:
        check_kind("each of metrics", run, RunMetrics, "one of a run, as ContextGraph.from_run(run).metrics() gives it")
        kinds.update(run.failure_kinds)
        failed_on.update(run.failed_on)
    judged = [run for run in runs if run.mode != "plan_act"]
    passed = [run for run in judged if run.passed]
    iterations = [run.iterations_to_success for run in passed if run.iterations_to_success is not None]
    failed_first = [run for run in judged if run.failed_first]
    reflected = [run for run in judged if run.attempts_after_reflection]
    costs = [run.cost for run in runs if run.cost is not None]
    return MetricsSummary(
        runs=len(runs),
        passed=Share(len(passed), len(judged)),
        first_try=Share(sum(run.solved_first_try for run in passed), len(judged)),
        after_failure=Share(sum(run.passed for run in failed_first), len(failed_first)),
        after_reflection=Share(sum(run.passed_after_reflection for run in reflected), len(reflected)),
        unverified=Share(sum(run.verdict == "unverified" for run in judged), len(judged)),
        mean_iterations=statistics.mean(iterations) if iterations else None,
        median_iterations=statistics.median(iterations) if iterations else None,
        failure_kinds=dict(kinds.most_common()),
        attempts=sum(run.attempts for run in runs),
        model_calls=sum(run.model_calls for run in runs),
        input_tokens=sum(run.input_tokens for run in runs),
        output_tokens=sum(run.output_tokens for run in runs),
        cached_tokens=sum(run.cached_tokens for run in runs),
        tokens_per_passed=sum(run.tokens for run in judged) / len(passed) if passed else None,
        cost=sum(costs) if runs and len(costs) == len(runs) else None,
        failed_on=dict(failed_on.most_common()),
    )


def _counts(kinds: Mapping[str, int]) -> str:
    shown = [f"{brief(plain(kind), 60)} {count}" for kind, count in list(kinds.items())[:_SHOWN_KINDS]]
    more = len(kinds) - len(shown)
    return ", ".join(shown) + (f" and {more} more kinds" if more else "")
