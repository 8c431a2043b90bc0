"""Where things are, whatever folder a test is in; and how a process of its own finds the tests' helpers."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"


def python_path(test_file: str) -> str:
    """PYTHONPATH of a process that imports `support`, and the test module that starts it."""
    return os.pathsep.join((str(TESTS), str(Path(test_file).resolve().parent)))
