"""The page of a run, as text: one document, closed to the network, in which nothing from a model is markup (row G3)."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.page_runs import event, long_run, planned_run, reflected, solved
from thoughtgraph import ContextGraph
from thoughtgraph.traces import Event
from thoughtgraph.traces.page.document import framed
from thoughtgraph.traces.page.page import page

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "\u2028\u2029&lt;b&gt;",
    "\ud83d half a pair",
    "$title $data ${script} $$",
    "'\" autofocus onfocus=alert(1) x='",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(), max_size=30))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=5,
)
EVENTS = st.lists(
    st.fixed_dictionaries(
        {"id": TEXTS, "kind": TEXTS, "data": st.fixed_dictionaries({"task": TEXTS, "reply": VALUES})},
        optional={"time": TEXTS, "seq": VALUES, "links": VALUES, "version": VALUES},
    ),
    max_size=3,
)


class Reader(HTMLParser):
    """The tags of a document with their attributes, and the text of some of them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = dict(attrs).get("id") or tag
        self.texts.setdefault(self._inside, "")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside] += data


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is no JSON")


def embedded(html: str) -> Any:
    """What the page's script will read."""
    return json.loads(Reader(html).texts["data"], parse_constant=refuse)


def some(*events: Any) -> list[Event]:
    """Events as they come from elsewhere, whatever they look like."""
    return cast("list[Event]", list(events))


@pytest.mark.parametrize(
    "run", [solved, planned_run, reflected, list[Any]], ids=["external loop", "plan-act", "Reflexion", "no event"]
)
def test_every_event_is_embedded_in_full_and_unchanged(run: Any) -> None:
    events = run()
    found = embedded(page(events, title="Monday"))
    assert (found["title"], found["events"]) == ("Monday", events)


def test_the_page_says_why_a_run_ended_in_the_words_of_every_other_way_of_asking() -> None:
    events = solved()
    (why,) = embedded(page(events))["stops"].values()
    assert f"It stopped because {why[0].lower()}{why[1:]}" == ContextGraph(events).why_stopped().sentence


@given(events=EVENTS, title=TEXTS)
def test_no_text_becomes_markup_and_all_of_it_comes_back(events: list[Any], title: str) -> None:
    html = page(events, title=title)
    assert [tag for tag, _ in Reader(html).tags] == [tag for tag, _ in Reader(page([])).tags]
    block = html.partition('type="application/json">')[2].partition("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(block)
    found = json.loads(block)
    assert (found["title"], found["events"]) == (title, events)
    assert html.encode("utf-8")


@pytest.mark.parametrize(
    ("title", "task", "shown"),
    [
        ("My <run>", "Count", "My <run>"),
        ("", "Count\n to three", "Count to three"),
        ("", "x" * 500, "x" * 79 + "…"),
        ("", "", "A run"),
    ],
    ids=["its own", "the goal", "a long goal", "none"],
)
def test_the_title_is_given_or_the_goal_on_one_line(title: str, task: str, shown: str) -> None:
    assert Reader(page([event(0, "goal", task=task)], title=title)).texts["title"] == shown


def test_the_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    html = page(solved())
    reader = Reader(html)
    (policy,) = (about["content"] for tag, about in reader.tags if about.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in str(policy).split(";"))
    hashes = {
        name: f"'sha256-{b64encode(sha256(reader.texts[name].encode()).digest()).decode()}'"
        for name in ("style", "script")
    }
    assert rules == {
        "default-src": "'none'",
        "script-src": hashes["script"],
        "style-src": hashes["style"],
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not any(name.startswith("on") or name == "style" for _, about in reader.tags for name in about)


def test_nothing_is_fetched_from_anywhere() -> None:
    html = page(solved())
    assert set(re.findall(r"https?://[^\"'\s)]+", html)) <= {"http://www.w3.org/2000/svg"}
    attributes = {name for _, about in Reader(html).tags for name in about}
    assert not attributes & {"src", "href", "srcset", "action", "data"}
    assert not re.search(
        r"@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|innerHTML|outerHTML|eval\(", html
    )


def test_the_page_grows_linearly_with_the_run() -> None:
    empty, one, two = (len(page(long_run()[:count])) for count in (0, 1_000, 2_000))
    assert two - empty < 2.1 * (one - empty)
    assert one < 1.5 * (empty + len(json.dumps(long_run()[:1_000])))


@pytest.mark.parametrize(
    "events",
    [
        some({}),
        some(None, 7, "text", []),
        some({"data": None}, {"id": 3, "links": "none", "data": [1]}),
        [event(0, "goal", task=None), event(1, "thought", score=float("nan"), cost=float("inf"))],
        [event(0, "goal", task={1, 2})],
    ],
    ids=["empty", "no mappings", "wrong types", "not a number", "not JSON"],
)
def test_events_that_are_none_still_make_a_page(events: list[Event]) -> None:
    assert len(embedded(page(events))["events"]) == len(events)


def test_a_frame_holds_the_very_page_and_may_run_scripts_alone() -> None:
    html = page([event(0, "goal", task='it\'s <b>5 & 6</b>, "quoted" &amp; &#39;')])
    ((tag, about),) = Reader(framed(html, 420)).tags
    assert tag == "iframe"
    assert about["srcdoc"] == html
    assert about["sandbox"] == "allow-scripts"
    assert "height:420px" in str(about["style"])


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("number", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["ground", "paper", "soft"])
def test_every_text_colour_stands_out_from_every_ground(number: int, ground: str) -> None:
    block = re.findall(r":root \{(.*?)\}", page([]), re.DOTALL)[number]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
    for name in ("text", "muted", "accent", "passed", "failed", "unverified", "revised", "retried", "learned_from"):
        light, dark = sorted((luminance(colours[name]), luminance(colours[ground])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name
