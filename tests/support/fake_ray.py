"""Stands for Ray: its actors are objects of this process, their calls tasks of its event loop."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
from thoughtgraph.evaluation.backends import ray_workers


class RayError(Exception):
    """The root of Ray's errors."""


class RayActorError(RayError):
    """An actor is dead."""


class ActorUnavailableError(RayActorError):
    """An actor cannot be reached now."""


class RayTaskError(RayError):
    """A call raised."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause
        super().__init__(str(cause))


class Actor:
    """A handle to an object."""

    def __init__(self, ray: FakeRay, made: Callable[[], Any]) -> None:
        self._ray = ray
        self._object = made()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._object, name)
        if not inspect.iscoroutinefunction(method):
            return SimpleNamespace(remote=method)

        async def called(*arguments: Any) -> Any:
            failures = self._ray.failures.get(name)
            if failures and (failure := failures.pop()):
                raise failure
            try:
                return await method(*arguments)
            except Exception as problem:
                raise RayTaskError(problem) from problem

        return SimpleNamespace(remote=lambda *arguments: asyncio.ensure_future(called(*arguments)))


@dataclass
class FakeRay:
    """What this library uses of Ray.

    Attributes:
        failures: by the name of an actor's method, what its next calls raise, the last first; None for nothing.
        running: it was started, and not shut down.
        killed: how many actors were.
    """

    failures: dict[str, list[Exception | None]] = field(default_factory=dict[str, list[Exception | None]])
    running: bool = False
    killed: int = 0
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    named: dict[str, Actor] = field(default_factory=dict[str, Actor])
    exceptions: Any = field(
        default_factory=lambda: SimpleNamespace(
            RayError=RayError,
            RayActorError=RayActorError,
            ActorUnavailableError=ActorUnavailableError,
            RayTaskError=RayTaskError,
        )
    )

    def is_initialized(self) -> bool:
        """Whether it was started."""
        return self.running

    def init(self, address: str, **settings: Any) -> None:
        """Start, or connect to an address that is not "nowhere"."""
        if address == "nowhere":
            raise ConnectionError("no answer")
        self.settings = settings
        self.running = True

    def shutdown(self) -> None:
        """End."""
        self.running = False

    def cluster_resources(self) -> dict[str, float]:
        """Two CPUs."""
        return {"CPU": 2.0}

    def get_runtime_context(self) -> Any:
        """On the only node."""
        return SimpleNamespace(get_node_id=lambda: "node")

    def remote(self, actor: type) -> Any:
        """A class of actors."""

        def options(*, name: str = "", **_: Any) -> Any:
            def made(*arguments: Any) -> Actor:
                if name not in self.named or not name:
                    self.named[name] = Actor(self, lambda: actor(*arguments))
                return self.named[name]

            return SimpleNamespace(remote=made)

        return SimpleNamespace(options=options)

    def get_actor(self, name: str, namespace: str) -> Actor:
        """An actor by its name."""
        return self.named[name]

    def get(self, value: Any) -> Any:
        """What a call returned."""
        return value

    def kill(self, actor: Actor) -> None:
        """End an actor."""
        self.killed += 1

    def cancel(self, call: asyncio.Task[Any]) -> None:
        """End a call."""
        call.cancel()


def in_this_process(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    """Put this Ray in place of the library; nobody waits."""
    fake = FakeRay()
    strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: None)
    modules: dict[str, Any] = cast("dict[str, Any]", sys.modules)
    monkeypatch.setitem(modules, "ray", fake)
    monkeypatch.setitem(modules, "ray.util.scheduling_strategies", strategies)
    monkeypatch.setattr(ray_workers, "uniform", lambda least, most: 0.0)
    return fake
