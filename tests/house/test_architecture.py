"""The page on the architecture says what the code does: its drawing, its rooms, the files it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.doc_api import docs_script
from support.paths import ROOT

pytestmark = pytest.mark.slow

house = docs_script("house_graph")
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = sorted({name for name in re.findall(r"`([\w./]+)`", PAGE) if name.endswith(("/", ".py", ".pyi", ".json"))})
FOLDERS = [ROOT / name for name in (*house.rooms(), "_internal", "docs", "tests")]
PATHS = [*ROOT.glob("*"), *(path for folder in FOLDERS for path in folder.rglob("*"))]
FILES = [f"/{path.relative_to(ROOT)}" for path in PATHS]


def test_the_drawing_is_the_one_that_the_code_gives() -> None:
    drawn = house.BLOCK.search(PAGE)
    assert drawn is not None and drawn[0] == house.drawing(), "run: python docs/house_graph.py"


def test_an_import_is_an_arrow_unless_it_follows_from_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        "graphs/deep/edges.py": "from ...nodes.loop import Loop\nfrom ... import traces\n",
        "nodes/loop.py": "def f():\n    from ..traces import events\n",
        "traces/events.py": "from .._internal.plain import plain\nfrom . import stops\n",
        **{f"{room}/__init__.py": "" for room in ("graphs", "graphs/deep", "nodes", "traces")},
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(house, "ROOT", tmp_path)
    assert ("graphs", "traces") in house.imports().edges
    arrows = [line.strip() for line in house.drawing().splitlines() if "-->" in line]
    assert arrows == ["graphs --> nodes", "nodes --> traces", "traces --> ground"]
    assert 'graphs["graphs/<br/>deep"]' in house.drawing()


def test_every_room_has_a_row() -> None:
    rows = "\n".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))
    assert [room for room in house.rooms() if f"`{room}/`" not in rows] == []


def test_what_the_page_names_is_there() -> None:
    assert len(NAMED) > 100
    assert [name for name in NAMED if not any(file.endswith(f"/{name}".rstrip("/")) for file in FILES)] == []
