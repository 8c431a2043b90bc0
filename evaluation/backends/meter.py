"""What a batch reports to OpenTelemetry's metrics: nothing, unless the program has set a meter provider."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ..results import TaskResult

_SECONDS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)


def this_process() -> str:
    """What this process is called in traces and metrics: its host and its number."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Meter:
    """The instruments of a batch, from OpenTelemetry's global meter provider; without the library they do nothing.

    Args:
        mode: of the batch's loop; "" if unknown.
    """

    def __init__(self, mode: str = "") -> None:
        self._about = {"thoughtgraph.mode": mode} if mode else {}
        self._made: dict[str, Any] = {}
        try:
            meter: Any = import_module("opentelemetry.metrics").get_meter("thoughtgraph")
        except ImportError:
            return
        self._made = {
            "tasks": meter.create_counter("thoughtgraph.batch.tasks", "{task}", "Tasks that ended"),
            "seconds": meter.create_histogram(
                "thoughtgraph.batch.task.duration",
                "s",
                "How long a task took",
                explicit_bucket_boundaries_advisory=_SECONDS,
            ),
            "tokens": meter.create_counter("thoughtgraph.batch.tokens", "{token}", "Tokens that tasks took"),
            "cost": meter.create_counter("thoughtgraph.batch.cost", "USD", "What tasks cost, where that is known"),
            "active": meter.create_up_down_counter("thoughtgraph.batch.active_tasks", "{task}", "Tasks being run"),
            "losses": meter.create_counter("thoughtgraph.batch.worker_losses", "{worker}", "Workers that died"),
        }

    @contextmanager
    def running(self, worker: str) -> Generator[None]:
        """Count a task as being run by a worker."""
        about = {**self._about, "thoughtgraph.worker": worker}
        self._add("active", 1, about)
        try:
            yield
        finally:
            self._add("active", -1, about)

    def ended(self, result: TaskResult) -> None:
        """Count a task's result."""
        about = {
            **self._about,
            "thoughtgraph.verdict": result.final_verdict,
            "thoughtgraph.stop.kind": str(result.stop_reason["kind"]),
        }
        self._add("tasks", 1, about)
        for kind in ("input", "output"):
            self._add("tokens", result.usage[f"{kind}_tokens"], {**self._about, "gen_ai.token.type": kind})
        if self._made:
            self._made["seconds"].record(result.seconds, about)

    def cost(self, dollars: float) -> None:
        """Count what a task cost."""
        self._add("cost", dollars, self._about)

    def lost(self, worker: str) -> None:
        """Count a worker that died."""
        self._add("losses", 1, {**self._about, "thoughtgraph.worker": worker})

    def _add(self, name: str, amount: float, about: dict[str, str]) -> None:
        if self._made:
            self._made[name].add(amount, about)
