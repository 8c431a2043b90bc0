"""A directive that documents names from their docstrings: ```` ```{api} ````, one name a line.

A name is one of `thoughtgraph.__all__`, or, for what is imported from its own module, the path below the package.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

import thoughtgraph
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def home(name: str) -> str:
    """The full path of a name in the module that defines it: autodoc reads comments and types there."""
    if "." in name:
        return f"thoughtgraph.{name}"
    # The package loads its names when they are first used, and keeps where they are.
    return f"thoughtgraph.{thoughtgraph._HOME[name]}.{name}"


def directive(path: str) -> list[str]:
    """The autodoc directive for a full path, line by line."""
    module, _, name = path.rpartition(".")
    found = getattr(import_module(module), name)
    if inspect.isclass(found) and issubclass(found, BaseException):
        return [f".. autoexception:: {path}", "   :show-inheritance:", ""]
    if inspect.isclass(found):
        return [f".. autoclass:: {path}", "   :members:", ""]
    kind = "autofunction" if inspect.isroutine(found) else "autodata"
    return [f".. {kind}:: {path}", *(["   :no-value:"] if kind == "autodata" else []), ""]


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
            lines += directive(home(name.strip()))
        found = nodes.container()
        self.state.nested_parse(StringList([*lines, "```"], self.get_source_info()[0]), self.content_offset, found)
        return found.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("api", Api)
    # Before napoleon, which would take a colon between single backticks for the end of a type.
    app.connect("autodoc-process-docstring", as_literals, priority=400)
    return {"parallel_read_safe": True}
