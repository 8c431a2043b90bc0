"""No test may leave this machine: sockets are open for loopback alone."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# A newcomer waits for these tests; CI tries more. A first example builds what later ones use, so none has a deadline.
settings.register_profile("newcomer", max_examples=25, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "newcomer")

_WHOLE_FILE = re.compile(r"^pytestmark = (?:\[[^]]*)?pytest\.mark\.(slow|browser|model)\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a file alone that `-m` deselects as a whole: what it imports is more than `make test` sets up."""
    if collection_path.suffix == ".py":
        marked = _WHOLE_FILE.search(collection_path.read_text(encoding="utf-8"))
        if marked and f"not {marked[1]}" in config.getoption("markexpr"):
            return True
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keep the garbage collector away from what collecting leaves: many thousand tests that live to the end.

    It would take a quarter of the time of collecting them, and go through them again and again while they run.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_sessionfinish() -> None:
    """Let the interpreter clean up at its end: a library that counts its objects would report all that are left."""
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests talk to servers on loopback, as real HTTP is tested against one."""
    for item in items:
        if not item.get_closest_marker("model"):
            item.add_marker(pytest.mark.allow_hosts(["127.0.0.1", "::1", "localhost"]))
