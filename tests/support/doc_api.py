"""The scripts of the documentation, which lie outside of the package."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from support.paths import ROOT


def docs_script(name: str) -> ModuleType:
    """A module of the folder `docs`, by its name."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_api_names = docs_script("api_names")


def homes() -> dict[str, tuple[str, str]]:
    """The names that the API reference has to list, as the reference itself finds them: by name, room and module."""
    return _api_names.homes()
