"""A run in other forms: one JSON document, GraphML, a Mermaid flowchart.

What a model wrote may stand in any of them, so each escapes all that means something in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from itertools import count

import networkx as nx

from ..._internal.numbers import whole_number
from ..._internal.strict_json import dumps
from ..events import EVENT_VERSION, Event
from ..lookup import line

_ILLEGAL = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Mermaid refuses more than 50,000 characters, and a diagram cannot raise that itself.
_MERMAID_TEXT = 44_000
_MERMAID_LABEL = 80
_COLORS = {
    "goal": "#dbeafe,stroke:#1d4ed8",
    "plan": "#e0e7ff,stroke:#4338ca",
    "thought": "#f3f4f6,stroke:#6b7280",
    "action": "#cffafe,stroke:#0e7490",
    "observation": "#ecfeff,stroke:#0e7490",
    "attempt": "#fef9c3,stroke:#a16207",
    "verdict": "#dcfce7,stroke:#15803d",
    "critique": "#ffedd5,stroke:#c2410c",
    "reflection": "#fae8ff,stroke:#a21caf",
    "outcome": "#bbf7d0,stroke:#166534",
}


def to_json(events: Sequence[Event]) -> str:
    """One JSON document, in ASCII: a model may write half a surrogate pair."""
    run_id = events[0]["run_id"] if events else ""
    return dumps({"version": EVENT_VERSION, "run_id": run_id, "events": list(events)})


def to_graphml(events: Sequence[Event]) -> str:
    """GraphML; characters that XML has no place for are written as their code, `\\u0000`."""
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for event in events:
        about = {"kind": event["kind"], "time": event["time"], "label": line(event), "data": dumps(event["data"])}
        texts = {name: legal(text) for name, text in about.items()}
        graph.add_node(legal(event["id"]), seq=event["seq"], **texts)
    known = {event["id"] for event in events}
    # They are written as the edges' ids; networkx' own are unique between two nodes only, and Gephi wants more.
    numbers = count()
    for event in events:
        for link in event["links"]:
            if link["source"] in known:
                error = {"error": legal(str(link["error"]))} if "error" in link else {}
                relation = legal(link["relation"])
                graph.add_edge(legal(link["source"]), legal(event["id"]), next(numbers), relation=relation, **error)
    written = BytesIO()
    nx.write_graphml_xml(graph, written, named_key_ids=True)
    return written.getvalue().decode()


def to_mermaid(events: Sequence[Event], max_events: int) -> str:
    """A flowchart of the beginning and the end of a run; all of it if it has at most `max_events`."""
    max_events = whole_number("max_events", max_events, 2)
    left_out = max(0, len(events) - max_events)
    head = len(events) - left_out - max_events // 2 if left_out else len(events)
    shown = [*events[:head], *events[head + left_out :]]
    budget = max(12, min(4 * _MERMAID_LABEL, _MERMAID_TEXT // max(1, len(shown)) - 50))
    ids = {event["id"]: f"n{number}" for number, event in enumerate(shown)}
    rows = [_node(event, ids, budget) for event in shown]
    if left_out:
        rows.insert(head, f'  more["{left_out} more events were left out"]')
        rows += [f"  n{head - 1} -.-> more", f"  more -.-> n{head}"]
    for event in shown:
        for link in event["links"]:
            if link["source"] in ids:
                relation = _escaped(link["relation"], 60)
                rows.append(f'  {ids[link["source"]]} -->|"{relation}"| {ids[event["id"]]}')
    for kind, color in _COLORS.items():
        members = [ids[event["id"]] for event in shown if event["kind"] == kind]
        if members:
            rows += [f"  classDef {kind} fill:{color},color:#111827", f"  class {','.join(members)} {kind}"]
    return "\n".join(["flowchart TD", *rows]) + "\n"


def legal(text: str) -> str:
    """A text with the characters that XML cannot hold written as their code."""
    return _ILLEGAL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _node(event: Event, ids: dict[str, str], budget: int) -> str:
    return f'  {ids[event["id"]]}["{_escaped(line(event, _MERMAID_LABEL), budget)}"]'


def _escaped(text: str, budget: int) -> str:
    """Letters, digits and spaces as they are, all else by its code, so that nothing can be read as Mermaid or HTML."""
    parts: list[str] = []
    for character in text:
        plain = character.isalnum() or character == " "
        part = character if plain else f"#{ord(character)};" if character.isprintable() else "#65533;"
        budget -= len(part)
        if budget < 0:
            return f"{''.join(parts)}#8230;"
        parts.append(part)
    return "".join(parts) or "#8230;"
