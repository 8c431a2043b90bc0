"""The figures of several runs as those of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

from ..events import Event
from ..lookup import separate_runs
from .money import Prices
from .run import RunMetrics, run_metrics

_WORST_FIRST = ("failed", "unverified", "", "passed")


def metrics_of(events: Sequence[Event], prices: Prices | None = None) -> RunMetrics:
    """The figures of a run; those of several runs in one recording are combined as if they were one run.

    Numbers are added up; the sum is None if one of them is None. The verdict is the worst one. A flag is true if it is
    true of all runs. The mode and the stop kind are "" if they differ, and `iterations_to_success` is None.

    Args:
        events: in order.
        prices: of the models, for `cost`.

    Raises:
        ValueError: `prices` are none.
    """
    runs = [run_metrics(run, prices) for run in separate_runs(events) or [[]]]
    if len(runs) == 1:
        return runs[0]
    values = {one.name: _combined([getattr(run, one.name) for run in runs]) for one in fields(RunMetrics)}
    values |= {"verdict": min((run.verdict for run in runs), key=_WORST_FIRST.index), "iterations_to_success": None}
    return RunMetrics(**values)


def _combined(values: list[Any]) -> Any:
    first = values[0]
    if isinstance(first, bool):
        return all(values)
    if isinstance(first, str):
        return first if set(values) == {first} else ""
    if isinstance(first, Mapping):
        added = Counter[str]()
        for counts in cast("list[Mapping[str, int]]", values):
            added.update(counts)
        return dict(added.most_common())
    return None if None in values else sum(values)
