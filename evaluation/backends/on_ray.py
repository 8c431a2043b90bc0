"""Runs a batch's tasks on Ray: in processes on this machine, or on the machines of a cluster."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ..._internal.numbers import check_kind, keep, number, whole_number
from ...errors import BackendError, MissingLibraryError
from ...traces.metrics.money import Prices, check_prices
from ...traces.reading.address import is_address
from .actors import NAMESPACE
from .ray_workers import BatchStatus, RayWorkers
from .worker import Settings

_LONGEST_FOLDER = 30
_OBJECT_STORE = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RayBackend:
    """Runs the tasks of a batch on Ray; needs the extra `ray`, also on the cluster's machines.

    Results, files and progress are those of a batch in one process. A worker that dies is replaced, and its tasks begin
    again; with `checkpoints` they go on where they stood, also when the whole batch is started again, on any machine. A
    task under which ten workers died ends with the stop kind `"error"`.

    Attributes:
        address: `"local"` starts a Ray of its own on this machine, and ends it after the batch; `"auto"` is the cluster
            that this machine belongs to; otherwise as `ray.init` takes it. A program that has called `ray.init` keeps
            its Ray.
        workers: processes; by default one for each CPU of the cluster.
        in_flight: tasks that a worker runs at the same time. While they wait for a model, 16 cost no more than one.
        checkpoints: `"postgresql://…"`, where the runs' checkpoints and results are kept; needs the extra `postgres`.
        batch: the batch's name, which `checkpoints` need: the same tasks with the same settings in a batch of the same
            name have the same runs, and are not run twice.
        calls_a_second: the most calls of models, by the beginning of their names, such as `{"openai:": 50}`, counted
            over all workers, and over all batches of the cluster.
        runtime_env: for `ray.init`: what the workers' machines need, such as `{"working_dir": "."}` for modules of your
            own, and environment variables with keys.
        runs: where the workers keep the runs' files: an address that fsspec knows, such as `"s3://bucket/autumn"`,
            whose library for that storage all machines need. `TaskResult.run_file` is then the run's address, and
            `ContextGraph.from_run` reads it. By default they are in the batch's folder, if it has one.
        prices: of the models, for the cost in the status.
        on_status: called when a task ends.

    Raises:
        ValueError: a number is below 1, `checkpoints` have no `batch` or are not in PostgreSQL, or `runs` is no
            address.

    Example:
        >>> backend = RayBackend(address="auto", checkpoints="postgresql://db/runs", batch="autumn")
        >>> evaluate("tasks.jsonl", "openai:gpt-4.1", backend=backend, save="runs/autumn")  # doctest: +SKIP
    """

    address: str = "local"
    workers: int | None = None
    in_flight: int = 16
    checkpoints: str | None = field(default=None, repr=False)
    batch: str = ""
    calls_a_second: Mapping[str, float] = field(default_factory=dict[str, float])
    runtime_env: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    runs: str | None = field(default=None, repr=False)
    prices: Prices | None = None
    on_status: Callable[[BatchStatus], None] | None = None

    def __post_init__(self) -> None:
        for name in ("address", "batch"):
            check_kind(name, getattr(self, name), str, "a text")
        for name in ("calls_a_second", "runtime_env"):
            check_kind(name, getattr(self, name), Mapping, "a dict")
        for name in ("checkpoints", "runs"):
            check_kind(name, getattr(self, name), str | None, "an address, as a text")
        check_prices(self.prices)
        keep(self, whole_number, "in_flight")
        keep(self, whole_number, "workers", may_be_none=True)
        for rate in self.calls_a_second.values():
            number("calls_a_second", rate, above=0)
        if self.runs is not None and not is_address(self.runs):
            raise ValueError("runs is an address such as s3://bucket/folder; a folder of this machine goes to save")
        if self.checkpoints is not None:
            if not self.checkpoints.startswith(("postgresql://", "postgres://")):
                raise ValueError("checkpoints of many machines are in PostgreSQL: give postgresql://…")
            if not self.batch:
                raise ValueError("checkpoints need a batch: a name by which a batch that is started again is known")

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[RayWorkers]:
        """Start the workers, and end them after the block.

        Raises:
            BackendError: Ray cannot be started or reached.
            MissingLibraryError: Ray is not installed.
        """
        # Ray reports its use to its makers by default.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray = import_module("ray")
        except ImportError as missing:
            raise MissingLibraryError("RayBackend needs the extra: pip install 'thoughtgraph[ray]'") from missing
        own = not ray.is_initialized()
        folder = self._init(ray) if own else None
        settings = Settings(
            self.checkpoints or "", self.batch, self.in_flight, (self.runs or "").rstrip("/"), self.prices
        )
        workers = RayWorkers(
            ray,
            self.workers,
            share=self.address == "local",
            settings=settings,
            limits=self.calls_a_second,
            on_status=self.on_status,
        )
        try:
            yield workers
        finally:
            await workers.close()
            if own:
                ray.shutdown()
            if folder:
                shutil.rmtree(folder, ignore_errors=True)

    def _init(self, ray: Any) -> str | None:
        """Connect to Ray, or start one; the folder of its files, if it has one of its own."""
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "namespace": NAMESPACE}
        folder = None
        if self.address == "local":
            settings |= {"include_dashboard": False, "object_store_memory": _OBJECT_STORE}
            if len(tempfile.gettempdir()) <= _LONGEST_FOLDER:  # Ray puts sockets there, and their names have a limit
                settings["_temp_dir"] = folder = tempfile.mkdtemp(prefix="ray")
        try:
            ray.init(self.address, runtime_env=dict(self.runtime_env) or None, **settings)
        except Exception as problem:  # noqa: BLE001 - Ray has many
            raise BackendError("backend", f"no Ray at {self.address!r}: {type(problem).__name__}: {problem}") from None
        return folder
