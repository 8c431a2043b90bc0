"""Draws the rooms of the package and who imports whom, from the imports that the code makes.

`python docs/house_graph.py` writes the drawing into `docs/architecture.md`; a test compares the two.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BLOCK = re.compile(r"(?<=```mermaid\n).*?(?=```)", re.DOTALL)
GROUND = "ground"
"""`errors.py` and `_internal/`: everything imports them, and they import nothing of ours."""


def rooms() -> list[str]:
    """The top folders of the package, the ground aside."""
    return sorted(path.parent.name for path in ROOT.glob("[a-z]*/__init__.py"))


def folders(room: str) -> list[str]:
    """The packages inside a room."""
    return sorted(path.parent.name for path in (ROOT / room).glob("*/__init__.py"))


def imported(path: Path) -> Iterator[str]:
    """The top-level names that a file of the package imports from relatively."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            module = (*package[: len(package) - node.level + 1], *(node.module or "").split("."))
            yield from [module[0]] if module[0] else [alias.name for alias in node.names]


def imports() -> nx.DiGraph[str]:
    """An edge from each room to each one that it imports from."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from([*rooms(), GROUND])
    for room in rooms():
        for path in (ROOT / room).rglob("*.py"):
            graph.add_edges_from((room, name if name in graph else GROUND) for name in imported(path) if name != room)
    return graph


def drawing() -> str:
    """The rooms in Mermaid. Where one import follows from others on the way, only those are drawn."""
    reduced = nx.transitive_reduction(imports())
    lines = ["graph TD"]
    for room in rooms():
        inside = f"<br/>{', '.join(folders(room))}" if folders(room) else ""
        lines.append(f'  {room}["{room}/{inside}"]')
    lines.append(f'  {GROUND}["errors.py, _internal/"]')
    lines += [f"  {here} --> {there}" for here, there in sorted(reduced.edges)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda _: drawing(), page, count=1), encoding="utf-8")
