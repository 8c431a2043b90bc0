"""The built documentation on a phone: nothing is wider than the window."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.paths import ROOT
from support.viewer import chromium

# The other tests of this folder run from a source distribution without a browser.
pytest.importorskip("playwright.sync_api")
PHONE = 390
# Furo scrolls the whole article or cuts it off: only a box inside with a scroll bar of its own may hold what is wide.
CUT_OFF = """() => {
  const scrolls = e => e.tagName !== 'ARTICLE' &&
    (['auto', 'scroll'].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  return [...document.querySelectorAll('article *')]
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e) && !e.closest('.headerlink'))
    .map(e => `${e.tagName} ${e.textContent.slice(0, 60)}`).slice(0, 3);
}"""
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation as `make docs` builds it."""
    target = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", "html", str(ROOT / "docs"), str(target)], check=True)
    return target


@pytest.fixture(scope="module")
def tab(site: Path) -> Iterator[Any]:
    """A browser as wide as a phone."""
    with chromium() as browser:
        yield browser.new_page(viewport={"width": PHONE, "height": 844})


def test_what_is_too_wide_is_found(site: Path, tab: Any) -> None:
    tab.goto((site / "index.html").as_uri())
    assert tab.evaluate(CUT_OFF) == []
    tab.evaluate("document.querySelector('article').insertAdjacentHTML('beforeend', '<p style=width:900px>wide</p>')")
    assert tab.evaluate(CUT_OFF) == ["P wide"]


def test_no_page_is_cut_off_on_a_phone(site: Path, tab: Any) -> None:
    lost: dict[str, list[str]] = {}
    for page in sorted(site.rglob("*.html")):
        # Code of other files, made by Sphinx.
        if "_modules" not in page.parts:
            tab.goto(page.as_uri())
            lost[str(page.relative_to(site))] = tab.evaluate(CUT_OFF)
    assert len(lost) > 30
    assert {page: found for page, found in lost.items() if found} == {}
