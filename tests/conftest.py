"""No test may leave this machine: sockets are open for loopback alone."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A newcomer waits for these tests; CI tries more.
settings.register_profile("newcomer", max_examples=25)
settings.register_profile("ci", max_examples=100)
settings.load_profile("ci" if os.environ.get("CI") else "newcomer")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests talk to servers on loopback, as real HTTP is tested against one."""
    for item in items:
        if not item.get_closest_marker("model"):
            item.add_marker(pytest.mark.allow_hosts(["127.0.0.1", "::1", "localhost"]))
