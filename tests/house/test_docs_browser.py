"""The built documentation on a phone: nothing makes a page scroll sideways."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api
from support.paths import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PHONE = 390
# Furo hides its side bars outside the window; what is inside a box with a scroll bar of its own may be wide.
WIDE = """() => document.documentElement.scrollWidth > document.documentElement.clientWidth
    ? [...document.querySelectorAll('article *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 60)).slice(0, 3).concat('wide') : []"""
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
    assert CHROMIUM, "no Chromium is installed: on Debian and Ubuntu `apt-get install chromium`"
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser.new_page(viewport={"width": PHONE, "height": 844})
        browser.close()


def test_no_page_scrolls_sideways_on_a_phone(site: Path, tab: Any) -> None:
    wide: dict[str, list[str]] = {}
    for page in sorted(site.rglob("*.html")):
        # Code of other files, made by Sphinx.
        if "_modules" not in page.parts:
            tab.goto(page.as_uri())
            wide[str(page.relative_to(site))] = tab.evaluate(WIDE)
    assert len(wide) > 30
    assert {page: found for page, found in wide.items() if found} == {}
