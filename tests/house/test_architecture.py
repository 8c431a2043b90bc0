"""The page on the architecture says what the code does: its drawing, its rooms, the files it names."""

from __future__ import annotations

import re

import pytest
from support.doc_api import docs_script
from support.paths import ROOT

house = docs_script("house_graph")
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = sorted({name for name in re.findall(r"`([\w./]+)`", PAGE) if name.endswith(("/", ".py", ".pyi", ".json"))})
FILES = [f"/{path.relative_to(ROOT)}" for path in ROOT.rglob("*") if not {".venv", ".git"} & set(path.parts)]


def test_the_drawing_is_the_one_that_the_code_gives() -> None:
    drawn = house.BLOCK.search(PAGE)
    assert drawn is not None and drawn[0] == house.drawing(), "run: python docs/house_graph.py"


def test_an_import_shows_in_the_drawing() -> None:
    graph = house.imports()
    assert graph.has_edge("cli", "tools") and "cli --> tools" not in house.drawing(), "it follows from other arrows"
    assert "graphs --> nodes" in house.drawing()


def test_every_room_has_a_row() -> None:
    rows = "\n".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))
    assert [room for room in house.rooms() if f"`{room}/`" not in rows] == []


@pytest.mark.parametrize("name", NAMED)
def test_what_the_page_names_is_there(name: str) -> None:
    assert any(file.endswith(f"/{name}".rstrip("/")) for file in FILES)
