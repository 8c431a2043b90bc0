"""Puts a text into every field of a run, and finds where it became more than text."""

from __future__ import annotations

import html as entities
import json
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from thoughtgraph import ContextGraph
from thoughtgraph.traces.exports.graph import legal

_MERMAID_LINE = re.compile(
    r'flowchart TD|  (?:n\d+|more)\["(?:[\w .\-]|#\d+;)*"\]|  n\d+ -->\|"(?:[\w .\-]|#\d+;)*"\| n\d+'
    r"|  (?:n\d+|more) -\.-> (?:n\d+|more)|  classDef \w+ fill:#[\w,:#]+|  class [\w,]+ \w+"
)


def filled(events: list[Any], text: str) -> list[Any]:
    """A run whose every text is this one, names and times included; numbers and links stay.

    The kinds of events and links stay as well: a run with others is refused when it is loaded.
    """
    ids = {event["id"]: f"{text}{event['seq']}" for event in events}
    return [
        {
            **event,
            "id": ids[event["id"]],
            "run_id": text,
            "time": event["time"] if event["seq"] % 2 else text,
            "links": [
                {**dict.fromkeys(link, text), "source": ids.get(link["source"], text), "relation": link["relation"]}
                for link in event["links"]
            ],
            "data": _filled(event["data"], text),
        }
        for event in events
    ]


_WORDS = {"phase", "strategy", "status", "verdict", "by", "source", "kind"}
"""Fields with a closed set of words; another text loads, but one with half a character is refused there."""


def _filled(value: Any, text: str) -> Any:
    if isinstance(value, str):
        return text
    if isinstance(value, dict):
        kept = _WORDS if "\ud800" in text else set[str]()
        return {name: item if name in kept else _filled(item, text) for name, item in value.items()} | {text: text}
    return [_filled(item, text) for item in value] if isinstance(value, list) else value


def problems(plain: list[Any], text: str) -> list[str]:
    """Every form in which a run full of a text has more in it than the same run full of "plain"."""
    try:
        clean, hostile = ContextGraph(filled(plain, "plain")), ContextGraph(filled(plain, text))
        found = [
            *_page(clean, hostile, text),
            *_frame(hostile),
            *_mermaid(hostile),
            *_graphml(clean, hostile),
            *_prov(hostile),
            *_json(hostile),
        ]
    except Exception as error:  # noqa: BLE001 - whatever breaks is found, too
        found = [f"{type(error).__name__}: {str(error)[:120]}"]
    return [f"{problem}, for {text[:40]!r}" for problem in found]


class _Elements(HTMLParser):
    """Tags with their attributes, scripts with their text, and every comment."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[tuple[str, Any]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.seen.append((f"/{tag}", None))
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data

    def handle_comment(self, data: str) -> None:
        self.seen.append(("!", data))

    def handle_decl(self, decl: str) -> None:
        self.seen.append(("!decl", decl))


def _page(clean: ContextGraph, hostile: ContextGraph, text: str) -> list[str]:
    found: list[str] = []
    page = hostile.to_html(title=text)
    page.encode()
    ours, theirs = _Elements(clean.to_html(title="plain")), _Elements(page)
    if ours.seen != theirs.seen:
        found.append("page: other elements or attributes than the template's")
    if ours.scripts[1:] != theirs.scripts[1:]:
        found.append("page: another script than the template's")
    soup, plain = (BeautifulSoup(document, "lxml") for document in (page, clean.to_html(title="plain")))
    if [(tag.name, tag.attrs) for tag in soup.find_all(True)] != [
        (tag.name, tag.attrs) for tag in plain.find_all(True)
    ]:
        found.append("page: lxml sees other elements than the template's")
    if json.loads(theirs.scripts[0])["events"] != hostile.events:
        found.append("page: the events do not come back as they were")
    return found


def _frame(hostile: ContextGraph) -> list[str]:
    shown = hostile._repr_html_()
    elements = _Elements(shown)
    if [tag for tag, _ in elements.seen] != ["iframe", "/iframe"]:
        return ["frame: something beside the frame"]
    attributes = dict(elements.seen[0][1])
    if attributes.get("sandbox") != "allow-scripts" or set(attributes) != {"title", "sandbox", "style", "srcdoc"}:
        return ["frame: other attributes"]
    inner = entities.unescape(shown.partition("srcdoc='")[2].rpartition("'")[0])
    return [] if inner == hostile.to_html() else ["frame: not the page"]


def _mermaid(hostile: ContextGraph) -> list[str]:
    lines = hostile.to_mermaid().split("\n")[:-1]
    return [f"Mermaid: {line[:80]!r}" for line in lines if not _MERMAID_LINE.fullmatch(line)]


def _graphml(clean: ContextGraph, hostile: ContextGraph) -> list[str]:
    def shape(graph: ContextGraph) -> list[Any]:
        return [(element.tag, sorted(element.attrib)) for element in ElementTree.fromstring(graph.to_graphml()).iter()]

    tree = ElementTree.fromstring(hostile.to_graphml())
    data = [element.text or "" for element in tree.iter() if element.get("key") == "data"]
    found = [] if shape(clean) == shape(hostile) else ["GraphML: other elements"]
    events = [event["data"] for event in hostile.events]
    return found if [json.loads(text) for text in data] == events else [*found, "GraphML: other data"]


def _prov(hostile: ContextGraph) -> list[str]:
    document = json.loads(hostile.to_prov())
    data = [json.loads(entity["tg:data"]) for entity in document["entity"].values()]
    names = [name for part in ("entity", "activity", "agent") for name in document[part]]
    found = [f"PROV: a name {name[:60]!r}" for name in names if not re.fullmatch(r"\w+:[\w.~%-]*", name, re.ASCII)]
    labels = [entity["prov:label"] for entity in document["entity"].values()]
    found += [] if all(label == legal(label) for label in labels) else ["PROV: a label that XML cannot hold"]
    return found if data == [event["data"] for event in hostile.events] else [*found, "PROV: other data"]


def _json(hostile: ContextGraph) -> list[str]:
    return [] if ContextGraph.from_run(hostile.to_json()).events == hostile.events else ["JSON: other events"]
