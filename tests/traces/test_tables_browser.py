"""Tables in a browser: sorted by mouse and keyboard, offline, and never running what is in a cell."""

from __future__ import annotations

from typing import Any

import pytest
from support.viewer import Viewer
from thoughtgraph.traces.page.tables import HtmlTable, tables_page

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=\"document.title='run'\">"
ROWS = [["b", 1_026, "9%", True], ["a10", 30, "100%", None], ["a9", 4.5, "20%", False], [HOSTILE, None, "", True]]
TABLE = HtmlTable("Some rows", ["name", "tokens", "share", "solved"], ROWS)


@pytest.fixture
def tab(viewer: Viewer) -> Any:
    return viewer.open(tables_page("Tables", [TABLE]))


def names(tab: Any) -> list[str]:
    return tab.locator("tbody tr td:first-child").all_inner_texts()


def test_a_click_on_a_heading_sorts_by_value_and_a_second_one_turns_it(tab: Any) -> None:
    assert names(tab) == ["b", "a10", "a9", HOSTILE]
    tab.get_by_role("button", name="share").click()
    assert [name for name in names(tab) if name != HOSTILE] == ["b", "a9", "a10"]
    tab.get_by_role("button", name="share").click()
    assert [name for name in names(tab) if name != HOSTILE] == ["a10", "a9", "b"]
    assert tab.locator("th").nth(2).get_attribute("aria-sort") == "descending"


def test_a_heading_is_pressed_by_keyboard(tab: Any) -> None:
    tab.get_by_role("button", name="name").focus()
    tab.keyboard.press("Enter")
    assert [name for name in names(tab) if name != HOSTILE] == ["a9", "a10", "b"]


def test_a_cell_is_text_alone(tab: Any) -> None:
    assert tab.title() == "Tables"
    assert tab.locator("img").count() == 0
