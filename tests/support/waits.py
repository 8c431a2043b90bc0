"""Runs whose tools or models fail and are tried again, without the waits between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from thoughtgraph.models import Backoff


@contextmanager
def no_waits() -> Iterator[None]:
    """Try again at once while the block runs; how long a wait is has tests of its own."""
    with patch.object(Backoff, "seconds", return_value=0.0):
        yield
