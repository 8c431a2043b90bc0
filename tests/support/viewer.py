"""A browser tab for pages that may ask for nothing and must not complain."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium of this machine."""
    # Most tests of this folder's users run where no browser is driven.
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no Chromium is installed: on Debian and Ubuntu `apt-get install chromium`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


class Viewer:
    """A browser tab without a network, which notes every request and every complaint."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self._browser, self._file = browser, folder / "run.html"
        self._contexts: list[Any] = []
        self.asked: list[str] = []
        self.complaints: list[str] = []

    def open(
        self, html: str, *, fragment: str = "", width: int = 1440, height: int = 900, scheme: str = "light"
    ) -> Any:
        self._file.write_text(html, encoding="utf-8")
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True, reduced_motion="reduce"
        )
        self._contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: self.complaints.append(message.text))
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        tab.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        tab.route("**/*", self._route)
        tab.goto(self._file.as_uri() + fragment)
        return tab

    def _route(self, route: Any) -> None:
        if route.request.url.partition("#")[0] == self._file.as_uri():
            route.continue_()
        else:
            self.asked.append(route.request.url)
            route.abort()

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        # Nothing but the tests' own files shows the values of an assert.
        assert not self.asked, self.asked
        assert not self.complaints, self.complaints
