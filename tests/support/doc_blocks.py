"""The Python blocks of the documentation: found in a page, run in their order, held to what they say is printed."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
NOT_RUN = "no-run"
PROVIDERS = "docs/providers.md"
"""Its recipes are run one by one, each against the API of its provider."""
_SAID = re.compile(r"# →(?P<line>.*)")


@dataclass(frozen=True)
class Block:
    """One Python block of a page; `line` is where its code begins."""

    page: str
    line: int
    info: str
    code: str

    @property
    def is_run(self) -> bool:
        """Whether it is executed."""
        return self.info == "python"

    @property
    def reason(self) -> str:
        """Why it is not: its first line, a comment."""
        first = self.code.lstrip().partition("\n")[0]
        return first.removeprefix("#").strip() if first.startswith("#") else ""

    @property
    def said(self) -> list[str]:
        """What it says is printed: the comments `# → …`, in their order."""
        return [found["line"].strip() for found in _SAID.finditer(self.code)]


def pages() -> list[str]:
    """Every page with Markdown, by its path below the repository."""
    found = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").glob("**/*.md"))
    return ["README.md", *(str(path) for path in found if "_build" not in path.parts)]


def blocks(page: str) -> list[Block]:
    """The Python blocks of a page, those that are not run included."""
    found: list[Block] = []
    for token in MarkdownIt().parse((ROOT / page).read_text(encoding="utf-8")):
        info = token.info.strip()
        if token.type == "fence" and info.lower().startswith("py"):
            found.append(Block(page, (token.map or [0])[0] + 2, info, textwrap.dedent(token.content)))
    return found


def run_block(block: Block, namespace: dict[str, Any], *, compared: bool) -> None:
    """Execute a block; what it prints must be what it says, where it says anything and that is to be compared."""
    # Empty lines before the code, so that a traceback points into the page.
    code = compile("\n" * (block.line - 1) + block.code, str(ROOT / block.page), "exec")
    printed = StringIO()
    with redirect_stdout(printed):
        exec(code, namespace)  # noqa: S102 - the documentation's own code
    if block.said and compared:
        shown = [line.rstrip() for line in printed.getvalue().splitlines()]
        fits = len(shown) == len(block.said) and all(map(_fits, block.said, shown))
        assert fits, f"{block.page}, line {block.line} says {block.said} is printed, and prints {shown}"


def run_page(page: str, names: Mapping[str, Any], *, compared: bool = True) -> None:
    """Execute the blocks of a page in one namespace, which holds `names` at first."""
    namespace: dict[str, Any] = {"__name__": "__main__", **names}
    for block in blocks(page):
        if block.is_run:
            run_block(block, namespace, compared=compared)


def _fits(said: str, shown: str) -> bool:
    """Whether a printed line is the one that was promised, in which `…` stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, said.split("…"))), shown.strip()) is not None
