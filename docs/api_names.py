"""A directive that documents names from their docstrings: ```` ```{api} ````, one name a line.

A name is one that a room offers, shown with that room; or a path below the package.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from thoughtgraph import errors

ROOT = Path(__file__).resolve().parent.parent


def homes() -> dict[str, tuple[str, str]]:
    """By name: the room that offers it, the innermost one, and the module that defines it; from the rooms' stubs."""
    found: dict[str, tuple[str, str]] = {}
    for stub in sorted(ROOT.glob("[a-z]*/**/__init__.pyi"), key=lambda path: len(path.parts)):
        room = ".".join(("thoughtgraph", *stub.parent.relative_to(ROOT).parts))
        for module, name in re.findall(r"from \.([\w.]+) import (\w+)", stub.read_text(encoding="utf-8")):
            found[name] = (room, f"{room}.{module}")
    for name, error in inspect.getmembers(errors, inspect.isclass):
        if issubclass(error, errors.ThoughtGraphError):
            found[name] = ("thoughtgraph.errors", "thoughtgraph.errors")
    return found


def directive(name: str) -> list[str]:
    """The autodoc directive for a name, line by line."""
    if "." in name:
        module, _, name = f"thoughtgraph.{name}".rpartition(".")
        room = module
    else:
        room, module = homes()[name]
    found = getattr(import_module(module), name)
    offered = f"{room}.{name}"
    if inspect.isclass(found) and issubclass(found, BaseException):
        return [f".. autoexception:: {offered}", "   :show-inheritance:", ""]
    if inspect.isclass(found):
        return [f".. autoclass:: {offered}", "   :members:", ""]
    if inspect.isroutine(found):
        return [f".. autofunction:: {offered}", ""]
    # Its comment is in the module that defines it.
    return [f".. autodata:: {module}.{name}", "   :no-value:", ""]


_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def as_literals(app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Double the backticks of a docstring, which writes code as Markdown does; its examples stay as they are."""
    parts = re.split(r"(^ *(?:>>>|\.\.\.) .*$)", "\n".join(lines), flags=re.MULTILINE)
    parts[::2] = [_CODE.sub(lambda code: f"``{code[1].strip()}``", part) for part in parts[::2]]
    lines[:] = "".join(parts).split("\n")


class Api(SphinxDirective):
    """Documents the names in its content, in their order."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """What autodoc makes of the names."""
        lines = ["```{eval-rst}"]
        for name in self.content:
            lines += directive(name.strip())
        found = nodes.container()
        self.state.nested_parse(StringList([*lines, "```"], self.get_source_info()[0]), self.content_offset, found)
        return found.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("api", Api)
    # Before napoleon, which would take a colon between single backticks for the end of a type.
    app.connect("autodoc-process-docstring", as_literals, priority=400)
    return {"parallel_read_safe": True}
