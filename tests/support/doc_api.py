"""The names that the API reference has to list, as the reference itself finds them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_PATH = Path(__file__).resolve().parents[2] / "docs" / "api_names.py"
_spec = importlib.util.spec_from_file_location("api_names", _PATH)
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)


def homes() -> dict[str, tuple[str, str]]:
    """By name: the room that offers it, and the module that defines it."""
    return _module.homes()
