"""Runs as a log of Inspect AI, for `inspect view` and `inspect_ai.analysis` (https://inspect.aisi.org.uk/eval-logs.html).

The log is made of Inspect's own classes, which check it; nothing of Inspect is imported before a log is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..._internal.atomic import local_path
from ..._internal.steps import in_thread
from ..._internal.strict_json import mapping
from ...errors import MissingLibraryError
from ..events import Event

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

NO_MODEL = "none/none"
"""Inspect's name for an evaluation without a model: a log has one, and the models of a trace may be several."""


class Run(Protocol):
    """What has the events of a run: a `ContextGraph`."""

    events: list[Event]


def inspect_log(
    runs: Iterable[Run], *, task: str = "thoughtgraph", model: str = NO_MODEL, targets: Mapping[str, str] | None = None
) -> EvalLog:
    """Put runs into one log of Inspect AI.

    A task is a sample, another run of it another epoch. Replies are model events, tool calls tool events, verdicts and
    critiques scores by `verifier`, `critic` and `evaluator`. A sample's scores are those of the answer that the run
    returned; what nothing could verify is unscored, and counts neither for nor against. Mode and stop reason are
    metadata. The accuracy by the verifier, and the mean of the critic's scores, are computed by Inspect.

    Args:
        runs: each a `ContextGraph`.
        task: the name of the evaluation.
        model: the name of the model that answered, such as `"openai/gpt-5-mini"`; it is not taken from the traces,
            which may name several.
        targets: the right answers, by the tasks' texts, where they are known.

    Returns:
        The log, an `inspect_ai.log.EvalLog`.

    Raises:
        MissingLibraryError: the extra `inspect` is not installed.
        ValueError: there is no run, or one of them has no events.

    Example:
        >>> log = inspect_log([graph])                       # doctest: +SKIP
        >>> log.results.scores[0].metrics["accuracy"].value  # doctest: +SKIP
        1.0
    """
    given = [run.events for run in runs]
    if not given or not all(given):
        raise ValueError("runs need at least one, each with events: give what ContextGraph.from_run returns")
    try:
        from inspect_ai import log as logs
    except ImportError as missing:
        raise MissingLibraryError(
            "a log of Inspect AI is made by its own classes: pip install 'thoughtgraph[inspect]'"
        ) from missing
    from .inspect_sample import sample_of, usage_sum

    numbers: dict[str, int] = {}
    epochs: dict[str, int] = {}
    samples: list[EvalSample] = []
    for events in given:
        text = str(mapping(events[0]["data"]).get("task") or "")
        sample_id, epoch = numbers.setdefault(text, len(numbers) + 1), epochs.get(text, 0) + 1
        epochs[text] = epoch
        samples.append(sample_of(events, sample_id, epoch, model, (targets or {}).get(text, "")))
    scorers = {name: None for sample in samples for name in sample.scores or {}}
    started = min((sample.started_at for sample in samples if sample.started_at), default=None)
    ended = max((sample.completed_at for sample in samples if sample.completed_at), default=None)
    spec = logs.EvalSpec.model_validate(
        {
            "created": started or datetime.now(UTC).isoformat(),
            "task": task,
            "task_id": task,
            "eval_id": samples[0].uuid,
            "run_id": samples[0].uuid,
            "dataset": {"name": task, "samples": len(numbers), "sample_ids": list(numbers.values())},
            "solver": ", ".join(dict.fromkeys(str(sample.metadata["mode"] or "unknown") for sample in samples)),
            "model": model,
            "config": {"epochs": max(epochs.values()), "epochs_reducer": ["mean"]},
            "scorers": [_scorer(name) for name in scorers],
            "packages": {"thoughtgraph": version("thoughtgraph")},
        }
    )
    used = usage_sum(sample.model_usage for sample in samples)
    stats = logs.EvalStats(started_at=started or "", completed_at=ended or "", model_usage=used)
    log = logs.EvalLog(status="success", eval=spec, stats=stats, samples=samples)
    logs.recompute_metrics(log)
    return log


def save_inspect_log(
    runs: Iterable[Run],
    path: str | Path,
    *,
    task: str = "thoughtgraph",
    model: str = NO_MODEL,
    targets: Mapping[str, str] | None = None,
) -> Path:
    """Write runs as one log of Inspect AI; see `inspect_log`. `inspect view` looks for logs in the folder `logs`.

    Args:
        runs: each a `ContextGraph`.
        path: of the file, which ends with `.eval`, or with `.json`, which is larger and can be read by anything.
        task: the name of the evaluation.
        model: the name of the model that answered.
        targets: the right answers, by the tasks' texts, where they are known.

    Returns:
        The path.

    Raises:
        MissingLibraryError: the extra `inspect` is not installed.
        ValueError: the path ends otherwise, there is no run, or one of them has no events.
    """
    target = local_path(path)
    if target.suffix not in (".eval", ".json"):
        raise ValueError(f"{target} is no name of a log: give one that ends with .eval or .json")
    log = inspect_log(runs, task=task, model=model, targets=targets)
    from inspect_ai.log import write_eval_log

    target.parent.mkdir(parents=True, exist_ok=True)
    # Inspect runs a loop of its own for it, which a notebook's would refuse.
    in_thread(lambda: write_eval_log(log, target)).result()
    return target


def to_inspect(run: Run) -> str:
    """A log of one run as a JSON document."""
    return inspect_log([run]).model_dump_json(indent=2, exclude_none=True)


def _scorer(name: str) -> dict[str, Any]:
    metrics = ("accuracy" if name == "verifier" else "mean", "stderr")
    return {"name": name, "metrics": [{"name": metric} for metric in metrics]}
