"""Makes the site's navigation from the lists of links on the index pages, which GitHub shows as they are."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

INDEXES = ("index", "api/index")
_LIST = re.compile(r"(?:^### (?P<caption>.+)\n\n)?(?P<links>(?:^- \[.+\]\(\S+\.md\)\n)+)", re.MULTILINE)
_LINK = re.compile(r"\]\((\S+)\.md\)")


def with_navigation(text: str) -> str:
    """An index page with a hidden `toctree` for each of its lists."""
    trees = [
        "\n".join(
            [
                "\n```{toctree}",
                ":hidden:",
                *([f":caption: {found['caption']}"] if found["caption"] else []),
                "",
                *_LINK.findall(found["links"]),
                "```\n",
            ]
        )
        for found in _LIST.finditer(text)
    ]
    return text + "".join(trees)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    if name in INDEXES:
        source[0] = with_navigation(source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Follow the reading of pages."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
