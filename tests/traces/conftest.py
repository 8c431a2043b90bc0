"""A browser for the pages that traces become."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.viewer import Viewer, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One for all tests of a file."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def viewer(browser: Any, tmp_path: Path) -> Iterator[Viewer]:
    """A tab that is closed after the test."""
    viewer = Viewer(browser, tmp_path)
    yield viewer
    viewer.close()
