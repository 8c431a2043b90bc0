"""The figures of several runs as those of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

from ..events import Event
from ..lookup import side_by_side
from .money import Prices
from .run import RunMetrics, run_metrics

_WORST_FIRST = ("failed", "unverified", "", "passed")


def metrics_of(events: Sequence[Event], prices: Prices | None = None) -> RunMetrics:
    """What a run came to, or the runs that stand side by side in one recording.

    Args:
        events: in order.
        prices: of the models, for `cost`.

    Raises:
        ValueError: `prices` are none.
    """
    parts = [[events[place] for place in places] for places in side_by_side(events)]
    return together([run_metrics(part, prices) for part in parts or [[]]])


def together(runs: Sequence[RunMetrics]) -> RunMetrics:
    """Runs that stand side by side in one recording, as one run.

    Numbers are added up, and None where one is not known. The verdict is the worst. What else is said of a run as a
    whole holds where it holds of all of them; its mode and its stop kind are "" where they differ, and there are no
    iterations to success.

    Args:
        runs: at least one.
    """
    if len(runs) == 1:
        return runs[0]
    values: dict[str, Any] = {one.name: _one([getattr(run, one.name) for run in runs]) for one in fields(RunMetrics)}
    values |= {"verdict": min((run.verdict for run in runs), key=_WORST_FIRST.index), "iterations_to_success": None}
    return RunMetrics(**values)


def _one(values: list[Any]) -> Any:
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
