"""The drawing of a loop's graph in a browser: a slider over the steps, by mouse and keyboard, on any screen."""

from __future__ import annotations

from typing import Any, cast

import pytest
from support.page_runs import planned_run, solved
from support.viewer import Viewer
from thoughtgraph import ContextGraph
from thoughtgraph.traces import Event
from thoughtgraph.traces.page.document import framed
from thoughtgraph.traces.page.page import page

pytestmark = pytest.mark.browser
HOSTILE = "</title><img src=x onerror=alert(1)>"


def opened(viewer: Viewer, run: list[Event], **options: Any) -> Any:
    """The page of a run with the drawing unfolded."""
    tab = viewer.open(page(run), **options)
    tab.locator("#loop > summary").click()
    return tab


def slid(tab: Any, step: int) -> None:
    """Put the slider at a step."""
    tab.locator("#loop-view input").evaluate(
        "(slider, step) => { slider.value = step; slider.dispatchEvent(new Event('input')); }", step
    )


def picture(tab: Any) -> dict[str, tuple[str, str]]:
    """The nodes with their state and their count."""
    stops = tab.locator("#loop-view .stop").evaluate_all(
        """stops => stops.map((stop) => [stop.querySelector("title").textContent,
          stop.getAttribute("class").replace("stop", "").trim(), stop.querySelector(".times").textContent])"""
    )
    return {name: (state, times) for name, state, times in stops}


def edges(tab: Any, state: str) -> int:
    return tab.locator(f"#loop-view .edge.{state}").count()


def test_the_drawing_is_folded_until_somebody_asks_for_it(viewer: Viewer) -> None:
    tab = viewer.open(page(solved()))
    assert tab.locator("#loop summary").first.inner_text() == "The loop's graph 11 steps through 7 of 8 nodes"
    assert not tab.locator("#loop-view").is_visible()
    tab.locator("#loop > summary").click()
    assert tab.locator("#loop-view svg").is_visible()


def test_at_its_end_the_drawing_shows_the_whole_run(viewer: Viewer) -> None:
    run = planned_run()
    tab = opened(viewer, run)
    (walk,) = ContextGraph(run).loop_drawing().walks
    shown = picture(tab)
    for node, visits in walk.nodes.items():
        state, times = shown[{"__start__": "start", "__end__": "end"}.get(node, node)]
        assert ("visited" in state) == bool(visits), node
        assert times == (f"× {visits}" if visits > 1 else ""), node
    assert edges(tab, "taken") == sum(edge.taken > 0 for edge in walk.edges)


def test_the_slider_shows_the_run_up_to_a_step(viewer: Viewer) -> None:
    tab = opened(viewer, solved())
    slid(tab, 0)
    assert {name for name, (state, _) in picture(tab).items() if state} == {"start"}
    assert (edges(tab, "taken"), edges(tab, "here")) == (0, 0)
    slid(tab, 4)
    assert {name: state for name, (state, _) in picture(tab).items() if state} == {
        **dict.fromkeys(("start", "begin", "attempt", "verify"), "visited"),
        "repair": "visited here",
    }
    assert (edges(tab, "taken"), edges(tab, "here")) == (4, 1)
    assert tab.locator("#loop-view .now").inner_text() == "Step 4 of 11: repair, from verify"
    slid(tab, 5)
    assert picture(tab)["attempt"] == ("visited here", "× 2")


def test_the_slider_obeys_the_keyboard_and_tells_where_it_is(viewer: Viewer) -> None:
    tab = opened(viewer, solved())
    slider = tab.get_by_role("slider", name="Step of the run")
    slider.focus()
    tab.keyboard.press("Home")
    assert slider.get_attribute("aria-valuetext") == "0 of 11: start"
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "2 of 11: attempt, from begin"
    tab.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "11 of 11: end, from outcome"
    assert tab.get_by_role("button", name="Step on").is_disabled()
    tab.get_by_role("button", name="Step back").click()
    assert tab.locator("#loop-view .now").inner_text() == "Step 10 of 11: outcome, from verify"


def test_what_a_step_recorded_opens_among_the_events(viewer: Viewer) -> None:
    tab = opened(viewer, solved())
    slid(tab, 3)
    tab.locator("#loop-view .recorded button").click()
    assert tab.locator("#details h2").inner_text().strip().endswith("verdict")
    assert tab.locator(".row[aria-selected=true]").count() == 1


def test_the_tables_say_what_the_picture_shows(viewer: Viewer) -> None:
    run = solved()
    tab = opened(viewer, run)
    assert "tables" in (tab.locator("#loop-view svg").get_attribute("aria-label") or "")
    tab.locator("#loop-view .more summary").click()
    nodes, ways = (table.inner_text() for table in tab.locator("#loop-view table").all())
    assert "attempt\t3" in nodes
    assert "attempt\tverify\t3" in ways
    assert "attempt\toutcome\t0" in ways


@pytest.mark.parametrize("width", [360, 390, 768, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_drawing_fits_the_screen(viewer: Viewer, width: int, scheme: str) -> None:
    tab = opened(viewer, planned_run(), width=width, scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.locator("#loop-view .picture").evaluate("element => element.scrollWidth <= element.clientWidth")
    slider, drawn = (tab.locator(f"#loop-view {name}").bounding_box() for name in ("input", "svg"))
    assert slider["width"] >= 150
    # Names stay large enough to be read.
    assert drawn["height"] / len(picture(tab)) >= 31


def test_a_hostile_name_is_text(viewer: Viewer) -> None:
    run = solved()
    graph = cast(Any, run[0])["graph"]
    named = [{**graph, "nodes": [*graph["nodes"], HOSTILE]}]
    tab = opened(viewer, [cast(Event, {**run[0], "graph": named[0]}), *run[1:]])
    assert HOSTILE in picture(tab)
    assert tab.locator("img").count() == 0


def test_a_run_inside_a_run_has_a_drawing_of_its_own(viewer: Viewer) -> None:
    outer, inner = planned_run(), solved()
    ids = {event["id"]: f"{outer[0]['run_id']}:inner {event['seq']}" for event in inner}
    adopted: list[Any] = [
        {
            **event,
            "run_id": outer[0]["run_id"],
            "seq": len(outer) + event["seq"],
            "id": ids[event["id"]],
            "links": [{**link, "source": ids[link["source"]]} for link in event["links"]],
        }
        for event in inner
    ]
    tab = opened(viewer, [*outer, *adopted])
    assert "guidance" in picture(tab)
    tab.locator("#loop-view select").select_option(index=1)
    assert "verify" in picture(tab) and "guidance" not in picture(tab)


def test_the_drawing_alone_is_open_in_a_notebooks_frame(viewer: Viewer) -> None:
    tab = viewer.open(f"<!doctype html>{framed(ContextGraph(planned_run()).loop_drawing().to_html())}")
    frame = tab.frame_locator("iframe")
    frame.locator("#loop-view svg").wait_for()
    assert not frame.locator("main").is_visible()
    frame.get_by_role("slider").press("Home")
    assert frame.locator("#loop-view .now").inner_text() == "Step 0 of 31: start"


def test_a_page_without_a_graph_has_no_drawing(viewer: Viewer) -> None:
    plain = [cast(Event, {name: value for name, value in event.items() if name != "graph"}) for event in solved()]
    assert not viewer.open(page(plain)).locator("#loop").is_visible()
