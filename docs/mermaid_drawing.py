"""Draws ```` ```mermaid ```` blocks as SVG while the site is built, without a browser or the network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from mermaidx import render
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_COLORS = re.compile(r"^\s*classDef .*\n", re.MULTILINE)
_WIDTH = re.compile(r'width="100%"(.*?)style="max-width: ([\d.]+)px;', re.DOTALL)
_SMALLEST = 0.75
"""Of its own size: a wider diagram is scrolled rather than made smaller."""
_DIGITS = re.compile(r"(\.\d)\d+")


def figure(mermaid: str, label: str, key: str) -> str:
    """A Mermaid diagram as HTML.

    Colors are left to the page's style sheet, which knows of light and dark; `key` sets the ids of one diagram of a
    page apart from those of the others.
    """
    svg = render(_COLORS.sub("", mermaid)).svg().replace("my-svg", f"diagram-{key}")
    svg = _WIDTH.sub(_sized, svg, count=1)
    drawn = _DIGITS.sub(r"\1", svg)
    return f'<figure class="loop" role="img" tabindex="0" aria-label="{label}">{drawn}</figure>'


def _sized(found: re.Match[str]) -> str:
    widest = float(found[2])
    return f'width="100%"{found[1]}style="max-width: {widest:.0f}px; min-width: {_SMALLEST * widest:.0f}px;'


class Mermaid(SphinxDirective):
    """Draws its content."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The drawing as it stands in the page."""
        try:
            drawn = figure("\n".join(self.content), "A diagram", str(self.lineno))
        except RuntimeError as problem:
            raise self.error(str(problem)) from problem
        return [nodes.raw("", drawn, format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("mermaid", Mermaid)
    return {"parallel_read_safe": True}
