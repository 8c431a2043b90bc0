"""The processes that a batch has in a Ray cluster: workers, a server for each node, a limit for each provider.

Nothing here imports Ray before it runs inside one of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.rate_limiters import BaseRateLimiter

from ..._internal.steps import run_awaitable
from ...models.local.server import LocalServer
from ...models.named import as_model
from ...models.open import is_embedded, served, serving
from ...models.options import rebuilt
from ...models.thought import ChatModel
from ..datasets import Task
from .meter import this_process
from .worker import Ended, Settings, Worker, WorkFolder

NAMESPACE = "thoughtgraph"
"""Of the named actors in a cluster; what they limit or serve is shared by all batches in it."""


class WorkerActor:
    """A process that runs tasks.

    Args:
        settings: what it is told.
        limits: calls a second, by the beginning of a model's name.
    """

    def __init__(self, settings: Settings, limits: Mapping[str, float]) -> None:
        self._limits = limits
        self._node: str = import_module("ray").get_runtime_context().get_node_id()
        self._name = this_process()
        self._worker = Worker(self._name, settings, self._opened)

    async def ready(self) -> tuple[str, str]:
        """Its name, and its node."""
        return self._name, self._node

    async def check(self, loop: str) -> None:
        """See `Worker.check`."""
        await self._worker.check(loop)

    async def solve(self, loop: str, task: Task, name: str, place: WorkFolder) -> Ended:
        """See `Worker.solve`."""
        return await self._worker.solve(loop, task, name, place)

    def _opened(self, spec: str) -> ChatModel:
        model = served(_server_of(spec, self._node)) if is_embedded(spec) else as_model(spec, "a model")
        rates = [(start, rate) for start, rate in self._limits.items() if spec.startswith(start)]
        if not rates:
            return model

        def limited(innermost: Any, _: Mapping[str, Any]) -> Any:
            if not isinstance(innermost, BaseChatModel):
                raise ValueError(f"{spec} is a {type(innermost).__name__}, whose calls cannot be limited")
            # All of the narrowest limit's models share it, in every worker.
            start, rate = max(rates, key=lambda each: len(each[0]))
            return innermost.model_copy(update={"rate_limiter": Limiter(start, rate)})

        return rebuilt(model, limited)


class Bucket:
    """Hands out moments for calls, so many a second.

    Args:
        rate: calls a second.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._next = 0.0

    async def reserve(self) -> float:
        """The seconds to wait before the call."""
        now = time.monotonic()
        start = max(now, self._next)
        self._next = start + 1 / self._rate
        return start - now


class Limiter(BaseRateLimiter):
    """Lets a model's calls wait for the cluster's bucket.

    Args:
        start: the beginning of the models' names.
        rate: calls a second; that of the batch which came first counts.
    """

    def __init__(self, start: str, rate: float) -> None:
        self._start = start
        self._rate = rate
        self._bucket: Any = None

    def acquire(self, *, blocking: bool = True) -> bool:
        """Wait for a moment; it does so in any case."""
        return run_awaitable(self.aacquire(blocking=blocking))

    async def aacquire(self, *, blocking: bool = True) -> bool:
        """Wait for a moment; it does so in any case."""
        await asyncio.sleep(await self._reserve())
        return True

    async def _reserve(self) -> float:
        ray = import_module("ray")
        while True:
            try:
                if self._bucket is None:
                    self._bucket = await asyncio.to_thread(bucket, self._start, self._rate)
                return await self._bucket.reserve.remote()
            except ray.exceptions.ActorUnavailableError:
                await asyncio.sleep(0.1)
            except ray.exceptions.RayActorError:
                # It ended with the batch that had made it.
                self._bucket = None


class ServerActor:
    """Serves an embedded model to the workers of its node.

    Args:
        spec: the model's name.
        slots: requests to work on at the same time.
    """

    def __init__(self, spec: str, slots: int) -> None:
        self._server = ExitStack().enter_context(serving(spec, slots))

    def server(self) -> LocalServer:
        """Where it listens."""
        return self._server


def bucket(start: str, rate: float) -> Any:
    """The cluster's bucket for models whose names begin so; a new one if there is none."""
    return _named(Bucket, f"calls {start}").remote(rate)


def server_on(spec: str, node: str, slots: int) -> Any:
    """The server of an embedded model on a node; a new one if there is none."""
    affinity: Any = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy(node, soft=False)
    return _named(ServerActor, f"{spec} on {node}", scheduling_strategy=affinity).remote(spec, slots)


def _server_of(spec: str, node: str) -> LocalServer:
    """Where the server of an embedded model listens on this node."""
    ray = import_module("ray")
    return ray.get(ray.get_actor(f"{spec} on {node}", namespace=NAMESPACE).server.remote())


def _named(actor: type, name: str, **options: Any) -> Any:
    return (
        import_module("ray")
        .remote(actor)
        .options(name=name, namespace=NAMESPACE, get_if_exists=True, num_cpus=0, max_restarts=-1, **options)
    )
