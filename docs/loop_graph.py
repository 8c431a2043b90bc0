"""Directives that draw graphs as SVG while the site is built, without a browser or the network.

- ```` ```{loop-graph} reflexion ```` draws a loop from the code: it is assembled as a user would, and LangGraph writes
  its Mermaid.
- ```` ```mermaid ```` draws a block that stands in a page, as GitHub does.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from langchain_core.language_models import FakeListChatModel
from langgraph.graph.state import CompiledStateGraph
from mermaidx import render
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph, reflection_modes

_COLOURS = re.compile(r"^\s*classDef .*\n", re.MULTILINE)
_WIDTH = re.compile(r'width="100%"(.*?)style="max-width: ([\d.]+)px;', re.DOTALL)
_SMALLEST = 0.75
"""Of its own size: a wider diagram is scrolled rather than made smaller."""
_DIGITS = re.compile(r"(\.\d)\d+")


def loop(name: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The loop of that name, with a model that is never asked."""
    model = FakeListChatModel(responses=[""])
    if name == "plan_act":
        return create_plan_act_graph(model, [], interactive=False)
    if name not in reflection_modes():
        raise ValueError(f"no loop is called {name!r}: choose plan_act or one of {reflection_modes()}")
    return create_reflection_graph(name, actor=model, verifier=lambda task, answer: Verdict("unverified"))


def figure(mermaid: str, label: str, key: str) -> str:
    """A Mermaid diagram as HTML.

    Colours are left to the page's style sheet, which knows of light and dark; `key` sets the ids of one diagram of a
    page apart from those of the others.
    """
    svg = render(_COLOURS.sub("", mermaid)).svg().replace("my-svg", f"diagram-{key}")
    svg = _WIDTH.sub(_sized, svg, count=1)
    drawn = _DIGITS.sub(r"\1", svg)
    return f'<figure class="loop" role="img" tabindex="0" aria-label="{label}">{drawn}</figure>'


def _sized(found: re.Match[str]) -> str:
    widest = float(found[2])
    return f'width="100%"{found[1]}style="max-width: {widest:.0f}px; min-width: {_SMALLEST * widest:.0f}px;'


class LoopGraph(SphinxDirective):
    """Draws the loop that the directive's argument names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The drawing as it stands in the page."""
        name = self.arguments[0]
        drawn = figure(loop(name).get_graph().draw_mermaid(), f"The graph of {name}", f"{name}-{self.lineno}")
        return [nodes.raw("", drawn, format="html")]


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
    """Register the directives."""
    app.add_directive("loop-graph", LoopGraph)
    app.add_directive("mermaid", Mermaid)
    return {"parallel_read_safe": True}
