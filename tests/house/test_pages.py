"""The pages of the documentation as files: readable on GitHub, drawings that are the code's, messages that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.doc_blocks import ROOT, pages

SNAPSHOTS = ROOT / "tests" / "snapshots"
OF_OTHERS = {"Failed to connect to Ollama", "Recursion limit", "command not found"}


@pytest.mark.parametrize("page", [page for page in pages() if not page.startswith("docs/api/")])
def test_a_page_is_readable_on_github(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    # The names of the reference become text only on the site: those pages list them.
    assert re.findall(r"^ *(?:`{3,}|:{3,})\{.*", text, re.MULTILINE) == []
    assert re.findall(r"\{(?:doc|ref|py:\w+|eval-rst)\}`", text) == []


def test_every_page_is_on_an_index() -> None:
    found = {page.removeprefix("docs/") for page in pages() if page.startswith("docs/")}
    listed = set(re.findall(r"^- \[.+\]\((\S+)\)$", (ROOT / "docs/index.md").read_text(), re.MULTILINE))
    below = re.findall(r"^- \[.+\]\((\S+)\)$", (ROOT / "docs/api/index.md").read_text(), re.MULTILINE)
    assert found == {"index.md", *listed, *(f"api/{name}" for name in below)}


@pytest.mark.parametrize(
    ("page", "loops"),
    [
        ("reflection", ["external_loop", "reflexion", "actor_critic", "best_of_n", "cascade"]),
        ("plan_act", ["plan_act"]),
    ],
)
def test_the_drawings_of_the_loops_are_those_of_the_code(page: str, loops: list[str]) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert re.findall(r"```mermaid\n(.*?)\n```", text, re.DOTALL) == [
        drawing(SNAPSHOTS / f"{name}.mmd") for name in loops
    ]


def drawing(snapshot: Path) -> str:
    """A drawing on record, without its settings and colors, which the page brings."""
    lines = snapshot.read_text(encoding="utf-8").split("---\n", 2)[2].strip().splitlines()
    return "\n".join(line.replace("\t", "  ") for line in lines if "classDef" not in line)


def test_the_messages_of_troubleshooting_are_ours() -> None:
    text = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("models", "tools", "evaluation", "cli")
        for path in (ROOT / folder).rglob("*.py")
    ) + (ROOT / "errors.py").read_text(encoding="utf-8")
    code = re.sub(r'"\n\s*f?"', "", code)
    said = {
        said for cell in re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE) for said in re.findall(r"`([^`]+)`", cell)
    }
    messages = {message for message in said if " " in message} - OF_OTHERS
    assert len(messages) > 10
    assert [message for message in messages if message not in code] == []
