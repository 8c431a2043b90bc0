"""Keeps what judges as it was before the code was loaded: what unittest, pytest, NumPy and pandas have for that."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_JUDGES = ("unittest", "unittest.mock", "pytest", "doctest", "numpy.testing", "pandas.testing")


def keep(code: str) -> Callable[[], None]:
    """Note what judges, as far as the code may name it; call the result once the code is loaded, to have that again."""
    imports = [line for line in code.split("\n") if line.startswith(("import ", "from "))]
    named = [name for name in _JUDGES if all(part in code for part in name.split("."))]
    # What the code does not import as it is loaded would only take time.
    near = [name for name in named if name in sys.modules or name.partition(".")[0] in " ".join(imports)]
    modules = {name: _module(name) for name in near}
    owners = [owner for module in modules.values() if module for owner in _owners(module)]
    before: list[tuple[Any, dict[str, Any]]] = [(owner, {**owner.__dict__}) for owner in owners]

    def restore() -> None:
        sys.modules.update({name: module for name, module in modules.items() if module})
        for owner, names in before:
            for name, value in names.items():
                # What the code adds is no matter of anybody's.
                if owner.__dict__.get(name) is not value:
                    setattr(owner, name, value)

    return restore


def _module(name: str) -> Any:
    try:
        __import__(name)
    except ImportError:
        return None
    return sys.modules[name]


def _owners(module: Any) -> Iterator[Any]:
    """A module, and its classes with what they inherit from the same library."""
    yield module
    library = module.__name__.partition(".")[0]
    values: list[Any] = [*module.__dict__.values()]
    for value in values:
        for kind in value.__mro__ if isinstance(value, type) else ():
            if kind.__module__.partition(".")[0].lstrip("_") == library:
                yield kind
