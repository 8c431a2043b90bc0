"""The page of a run in a browser: it opens offline, is read by mouse and keyboard, and runs nothing it was given."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import quote

import pytest
from playwright import sync_api
from support.page_runs import event, long_run, planned_run, reflected, solved, solving
from support.sampled import run_in_vain
from support.scripted import ScriptedModel
from support.viewer import Viewer
from thoughtgraph import Verdict, create_reflection_graph
from thoughtgraph.traces import Event, recording
from thoughtgraph.traces.page.document import framed
from thoughtgraph.traces.page.page import page

pytestmark = pytest.mark.browser

RUNS = {"external loop": solved, "plan-act": planned_run, "Reflexion": reflected, "unfinished": lambda: long_run(30)}
every_run = pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)


def kinds(tab: Any) -> list[str]:
    """The kinds of the entries in the document."""
    return tab.locator(".row .kind b").all_inner_texts()


def nodes(tab: Any) -> int:
    return tab.evaluate("document.querySelectorAll('*').length")


def details(tab: Any) -> str:
    return tab.locator("#details").inner_text()


def side_by_side() -> list[Event]:
    """A run that passes, and one behind it that does not."""
    with recording() as recorder:
        solving().invoke({"task": "Write a function."})
        failing = create_reflection_graph(actor=ScriptedModel(replies=["no"]), verifier=fails, max_attempts=1)
        failing.invoke({"task": "Name a city."})
    return recorder.events


def fails(task: str, answer: str) -> Verdict:
    return Verdict("failed", "no")


@every_run
def test_a_run_opens_without_a_request_and_without_a_complaint(viewer: Viewer, run: Any) -> None:
    events = run()
    tab = viewer.open(page(events))
    assert tab.locator("#goal").inner_text().startswith(events[0]["data"]["task"].split("\n")[0])
    assert set(kinds(tab)) <= {event["kind"] for event in events}
    assert tab.locator("svg .node").count() == len(kinds(tab))
    assert tab.locator("svg path").count() > 0


@pytest.mark.parametrize(
    ("run", "word", "why", "totals"),
    [
        (
            solved,
            "Passed",
            "The answer of attempt 3 passed its check.",
            "Attempts\n3\nTokens in\n1,314\nTokens out\n382\nCached\n0",
        ),
        (planned_run, "Finished in part", "1 step of the plan failed.", "Tool calls\n4\nSteps done\n2 of 3"),
        (reflected, "Unverified", "Nothing could check the last answer", "Attempts\n2"),
        (lambda: long_run(30), "Not finished", "Still running, or interrupted", "Time\n29.0 s"),
        (side_by_side, "2 runs", "1 of them passed the check.", "Attempts\n4\nTokens in\n1,324\nTokens out\n387"),
    ],
    ids=["passed", "a step failed", "unverified", "unfinished", "side by side"],
)
def test_the_head_says_how_the_run_ended_and_what_it_took(
    viewer: Viewer, run: Any, word: str, why: str, totals: str
) -> None:
    tab = viewer.open(page(run()))
    verdict = tab.locator("#verdict").inner_text()
    assert word in verdict and why in verdict
    assert totals in tab.locator("#totals").inner_text().replace("\n\n", "\n")


@pytest.mark.parametrize(
    ("run", "titles"),
    [
        (solved, ["Start", "Attempt 1 ✘ failed", "Attempt 2 ✘ failed", "Attempt 3 ✔ passed", "Outcome"]),
        (planned_run, ["Start", "Step 1 ● done", "Step 2 ✘ failed", "Step 3 ● done", "Outcome"]),
        (reflected, ["Start", "Attempt 1 ✘ failed", "Attempt 2 ? unverified", "Outcome"]),
        (lambda: long_run(10), ["Start", "Attempt 1 ✘ failed", "Attempt 2 ✘ failed", "Under way"]),
        (
            lambda: run_in_vain()["events"],
            [
                "Start",
                *(f"Attempt {number} ✘ failed" for number in range(1, 6)),
                "Attempt 6 ✔ passed",
                "Not judged",
                "Outcome",
            ],
        ),
    ],
    ids=["external loop", "plan-act", "Reflexion", "unfinished", "samples"],
)
def test_entries_are_grouped_by_attempt_or_by_step_of_the_plan(viewer: Viewer, run: Any, titles: list[str]) -> None:
    tab = viewer.open(page(run()), height=4_000)
    groups = [group.locator("b, .tag").all_inner_texts() for group in tab.locator(".group").all()]
    assert [" ".join(texts) for texts in groups] == titles


def test_a_click_on_an_entry_or_on_its_node_shows_all_of_the_event(viewer: Viewer) -> None:
    events = solved()
    tab = viewer.open(page(events), height=2_000)
    tab.locator(".row", has_text="attempt").nth(1).click()
    shown = details(tab)
    second = [event for event in events if event["kind"] == "attempt"][1]
    for text in [second["data"]["request"][0]["content"][:40], "sorted(intervals)", "402 in, 131 out", second["id"]]:
        assert text in shown
    tab.locator(f'.node[data-index="{events[-2]["seq"]}"]').click()
    assert "All 4 checks passed." in details(tab)
    tab.locator("#details .to", has_text="attempt def").click()
    assert "Comes from" in details(tab) and "max(merged" in details(tab)


def test_reasoning_and_tool_calls_are_shown_in_full(viewer: Viewer) -> None:
    tab = viewer.open(page(solved()), height=2_000)
    tab.locator(".row", has_text="thought").nth(2).click()
    assert "They come in any order, so sort them." in details(tab)
    assert "monospace" in tab.evaluate("getComputedStyle(document.querySelector('#details pre')).fontFamily")
    tab = viewer.open(page(planned_run()), height=3_000)
    tab.locator(".row", has_text="TimeoutError").first.click()
    assert "four, inside" in details(tab) and "did not answer within 10 s" in details(tab)


def test_the_keyboard_walks_opens_and_closes(viewer: Viewer) -> None:
    tab = viewer.open(page(solved()))
    tab.locator("#list").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "End", "ArrowUp"):
        tab.keyboard.press(key)
    active = tab.locator("#list").get_attribute("aria-activedescendant")
    assert tab.locator(f"#{active}").get_attribute("aria-label").startswith("verdict, passed, Attempt 3")
    tab.keyboard.press("Enter")
    assert "All 4 checks passed." in details(tab)
    assert tab.evaluate("document.activeElement.id") == "details"
    tab.keyboard.press("Escape")
    assert "All 4 checks passed." not in details(tab)
    assert tab.evaluate("document.activeElement.id") == "list"


def test_filters_show_the_kinds_that_are_chosen_or_the_failures(viewer: Viewer) -> None:
    tab = viewer.open(page(solved()), height=2_000)
    tab.click("#chips >> text=verdict 3")
    assert kinds(tab) == ["verdict"] * 3
    tab.click("#chips >> text=failures only")
    assert kinds(tab) == ["verdict"] * 2
    tab.click("#chips >> text=verdict 3")
    assert kinds(tab) == ["thought", "attempt", "verdict", "attempt", "verdict"]
    tab.click("#chips >> text=goal 1")
    assert kinds(tab) == []
    tab.click("text=Show all events")
    assert len(kinds(tab)) == 12


def test_search_finds_text_that_only_the_details_show_and_walks_round(viewer: Viewer) -> None:
    tab = viewer.open(page(solved()))
    tab.keyboard.press("/")
    tab.keyboard.type("LATER INTERVAL MAY")
    assert tab.locator("#hits").inner_text() == "1"
    tab.keyboard.press("Enter")
    assert tab.locator("#hits").inner_text() == "1 of 1"
    assert "later interval may" in tab.locator("#details mark").first.inner_text()
    tab.fill("#query", "checks failed")
    count = int(tab.locator("#hits").inner_text())
    order: list[str] = []
    for button in ["#next"] * count + ["#next", "#previous"]:
        tab.click(button)
        order.append(tab.locator("#hits").inner_text())
        assert tab.locator(".row.active.hit").count() == 1
    assert sorted(order[:count]) == [f"{number} of {count}" for number in range(1, count + 1)]
    assert order[count:] == [order[0], order[count - 1]]
    tab.fill("#query", "first-rate")
    assert "no match" in tab.locator("#hits").inner_text()
    tab.fill("#query", "no such (text")
    assert tab.locator("#hits").inner_text() == "no match"


def test_an_address_with_an_event_opens_it(viewer: Viewer) -> None:
    events = [*reflected(), event(10, "thought", (9, "led_to"), reply="Behind the end")]
    events[-1]["id"] = "odd id/<b>%20"
    tab = viewer.open(page(events), fragment=f"#{quote(events[-1]['id'], safe='')}")
    assert "Behind the end" in details(tab)
    tab.locator("#details .close").click()
    assert "#" not in tab.url
    tab.locator(".row").first.click()
    assert tab.url.endswith("#run%3A0")


PAYLOADS = [
    "<script>window.__pwned = 1</script>",
    "<img src=x onerror='window.__pwned = 1'>",
    "</script><script>window.__pwned = 1</script>",
    "javascript:window.__pwned = 1",
    '"><svg onload="window.__pwned = 1">',
    "__proto__",
]


def hostile(payload: str) -> list[Event]:
    """Events of every kind with the payload in every field, and as the name of a field."""
    names = [
        "task",
        "reply",
        "reasoning",
        "answer",
        "feedback",
        "error",
        "tool",
        "input",
        "result",
        "status",
        "verdict",
    ]
    names += ["stop_reason", "items", "plan", "lessons", "reflection", "request", "decision", "usage", "number", "step"]
    made: list[Any] = []
    for name in [
        "goal",
        "plan",
        "thought",
        "action",
        "attempt",
        "verdict",
        "critique",
        "reflection",
        "outcome",
        payload,
    ]:
        for data in (
            dict.fromkeys([*names, payload], payload),
            {key: {"kind": payload, "value": payload, "input_tokens": payload, payload: payload} for key in names},
            {key: [{"role": payload, "content": payload, "step": payload, "status": payload}] for key in names},
        ):
            link = {"source": made[-1]["id"] if made else payload, "relation": payload, "error": payload}
            about = {"id": f"{payload}{len(made)}", "run_id": payload, "version": payload, "time": payload}
            made.append({**about, "kind": name, "seq": len(made), "links": [link], "data": data})
    return cast("list[Event]", made)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_a_run_holds_is_executed(viewer: Viewer, payload: str) -> None:
    events = hostile(payload)
    tab = viewer.open(page(events, title=payload))
    tab.fill("#query", payload)
    tab.keyboard.press("Enter")
    tab.locator("#list").focus()
    tab.keyboard.press("Home")
    for _ in events:
        tab.keyboard.press("Enter")
        assert payload in tab.locator("#details").text_content()
        tab.locator("#list").focus()
        tab.keyboard.press("ArrowDown")
    assert tab.evaluate("window.__pwned") is None
    assert tab.locator("img, iframe, a, svg[onload]").count() == 0
    assert tab.locator("script").count() == 2


@pytest.mark.parametrize(
    "events",
    [
        [],
        [{}],
        [None, 7],
        [{"kind": "telepathy", "data": {"heard": "a far voice"}}],
        [{"links": [{}, None], "data": None}],
    ],
    ids=["none", "an empty one", "no mappings", "an unknown kind", "broken links"],
)
def test_events_that_are_unknown_or_incomplete_break_nothing(viewer: Viewer, events: Any) -> None:
    tab = viewer.open(page(events))
    assert "Not finished" in tab.locator("#verdict").inner_text()
    for row in tab.locator(".row").all():
        row.click()
    if events and events[0] and "kind" in events[0]:
        assert "a far voice" in details(tab)


def test_a_run_of_2000_events_keeps_the_document_small_and_its_end_in_reach(viewer: Viewer) -> None:
    tab = viewer.open(page(long_run(2_000)))
    assert nodes(tab) < 1_000
    tab.locator("#list").focus()
    tab.keyboard.press("End")
    assert "500 is none" in tab.locator(".row.active").inner_text()
    tab.fill("#query", "333 is none")
    tab.keyboard.press("Enter")
    assert "333 is none" in details(tab)
    assert tab.locator("#hits").inner_text() == "1 of 1"
    tab.click("#chips >> text=failures only")
    assert set(kinds(tab)) == {"attempt", "verdict"}
    assert nodes(tab) < 1_000


@every_run
def test_a_phone_needs_no_sideways_scrolling_in_any_view(viewer: Viewer, run: Any) -> None:
    tab = viewer.open(page([*run(), event(999, "thought", reply="w" * 500)], title="t" * 300), width=375, height=812)

    def overflows() -> bool:
        return tab.evaluate("document.documentElement.scrollWidth > innerWidth")

    assert not overflows()
    assert not tab.locator("#list > svg").is_visible()
    tab.click("#views >> text=Graph")
    assert tab.locator("#list > svg").is_visible() and not overflows()
    tab.locator("#list").focus()
    tab.keyboard.press("End")
    tab.keyboard.press("Enter")
    assert "www" in details(tab) and not overflows()
    box = tab.locator("#details .close").bounding_box()
    assert 0 <= box["x"] <= 375 and 0 <= box["y"] <= 812


def test_dark_mode_changes_the_colours(viewer: Viewer) -> None:
    parts = [("body", "backgroundColor"), ("body", "color"), ("#details", "backgroundColor"), (".node circle", "fill")]

    def colours(scheme: str) -> list[str]:
        tab = viewer.open(page(solved()), scheme=scheme)
        return [tab.evaluate(f"getComputedStyle(document.querySelector('{part}')).{what}") for part, what in parts]

    assert all(light != dark for light, dark in zip(colours("light"), colours("dark"), strict=True))


def test_paper_gets_every_event(viewer: Viewer) -> None:
    tab = viewer.open(page(long_run(300)))
    assert len(kinds(tab)) < 300
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(kinds(tab)) == 300
    assert not tab.locator("#tools").is_visible()
    tops = tab.evaluate("[...document.querySelectorAll('.row')].map((row) => row.getBoundingClientRect().top)")
    assert tops == sorted(tops) and tops[-1] > 300 * 10


def test_every_control_has_a_name_and_every_entry_its_place(viewer: Viewer) -> None:
    tab = viewer.open(page(planned_run()))
    tab.locator(".row").nth(3).click()
    for control in tab.locator("button:visible, input:visible").all():
        assert (control.get_attribute("aria-label") or control.inner_text()).strip()
    places = [row.get_attribute("aria-posinset") for row in tab.locator("[role=option]").all()]
    assert places == [str(number) for number in range(int(places[0] or 0), int(places[0] or 0) + len(places))]
    tab.keyboard.press("Tab")
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_frame_of_a_notebook_shows_the_page_and_stays_with_the_newest_event(viewer: Viewer) -> None:
    tab = viewer.open(f"<!doctype html><title>Notebook</title>{framed(page(long_run(60)), 400)}")
    inside = tab.frame_locator("iframe")
    newest = inside.locator(".row.active")
    sync_api.expect(newest).to_be_in_viewport()
    assert "15 is none" in newest.inner_text()
    newest.click()
    assert "15 is none" in inside.locator("#details").inner_text()
    inside.locator("#details .to").first.click()
    assert "attempt" in inside.locator("#details h2").inner_text()
