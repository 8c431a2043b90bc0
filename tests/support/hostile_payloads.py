"""JSON as a hostile or broken model writes it: for the parsers of payloads and for the reader of runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from thoughtgraph import ContextGraph
from thoughtgraph.errors import RunFileError
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser
from thoughtgraph.nodes.reflection.critique import critique_parser

LEAVES = (
    "null", "true", "false", "0", "-1", "1e999", "-1e999", "NaN", "-Infinity", "1e-999", "9" * 400, "9" * 5000, "-0.0",
    "0x10", "01", "\"\"", "\" \"", "\"\\u0000\"", "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\u2028\"", "\"\x1b[2J\"",
    "\"" + "x" * 200_000 + "\"", "[]", "{}", "[null]", "[[[[[]]]]]", "{\"__proto__\": {\"polluted\": 1}}",
    "{\"a\": 1, \"a\": 2}", "{\"\": \"\"}", "{\"constructor\": {\"prototype\": {}}}", "[" * 400 + "]" * 400,
    "[" * 5000 + "]" * 5000, "[" * 100_000, "{\"a\":" * 400 + "1" + "}" * 400, "{\"a\":" * 5000, "[1, 2,]", "// x\n1",
    "[" + "1," * 20_000 + "1]", "\"</script>\"", "undefined", "'single'", "{\"$ref\": \"#\"}", "\"\\x\"", "\"\n\"",
)  # fmt: skip
"""Values in place of any other, some of them no JSON."""

_TEMPLATES: dict[str, tuple[str, ...]] = {
    "plan": (
        "@",
        '{"status": @, "plan": ["a"]}',
        '{"status": "planned", "plan": @}',
        '{"status": "planned", "plan": [@]}',
        '{"status": "planned", "plan": [], "response": @}',
        '{"status": "planned", "plan": [{"step": "a", "requires": [@]}]}',
        '{"status": "planned", "status": @, "plan": ["a"]}',
    ),
    "replan": (
        '{"status": @, "plan": []}',
        '{"status": "replanned", "plan": @}',
        '{"status": "replanned", "plan": [{"step": @}]}',
    ),
    "thought": (
        '{"status": @, "response": "x"}',
        '{"status": "done", "response": @}',
        '{"status": "continue", "next_action": @}',
        '{"status": "continue", "next_action": {"tool": @, "input": "x"}}',
        '{"status": "continue", "next_action": {"tool": "echo", "input": @}}',
        '{"status": "ask_user", "question": @}',
        '{"status": "continue", "next_action": {"tool": "ask_user", "input": @}}',
    ),
    "critique": ("[Critique]\n@\n[Score]\n5\n[Verdict]\nREVISE", "[Critique]\nx\n[Score]\n@\n[Verdict]\n@", "@"),
}  # fmt: skip


def payloads() -> Iterator[tuple[str, str]]:
    """Which parser, and what it is given."""
    for name, templates in _TEMPLATES.items():
        for template in templates:
            for leaf in LEAVES:
                yield name, template.replace("@", leaf)


def parsing_problem(name: str, reply: str, check: Callable[[Any], Any] | None = None) -> str:
    """What a parser did with a reply that no parser may do, "" for nothing."""
    parser: Any = critique_parser if name == "critique" else PayloadParser(name, check)  # type: ignore[arg-type]
    try:
        parsed = parser(reply)
        if parsed["status"] == "error":
            return "" if parsed["feedback"].strip() else f"{name}: no feedback for {reply[:80]!r}"
        return "" if parsed["status"] == "success" else f"{name}: {parsed['status']!r} for {reply[:80]!r}"
    except Exception as error:  # noqa: BLE001 - a parser never raises
        return f"{name}: {type(error).__name__}: {str(error)[:80]} for {reply[:80]!r}"


VIEWS = (
    "to_json", "to_graphml", "to_mermaid", "to_prov", "to_html", "_repr_html_", "metrics", "why_stopped", "failures",
    "cost", "repeats", "path_to_outcome",
)  # fmt: skip


Place = tuple[int, tuple[Any, ...], str]
"""An event's number, the way to one of its fields, and what is put there."""


def places(events: list[Any]) -> list[Place]:
    """Each field of a run's events, those in its data included, with each of the leaves; alike events count once."""
    found: list[Place] = []
    seen: set[tuple[str, tuple[Any, ...]]] = set()
    for number, event in enumerate(events):
        for path in _paths(event):
            alike = event["kind"], tuple("#" if isinstance(step, int) else step for step in path)
            if alike not in seen:
                seen.add(alike)
                found += [(number, path, leaf) for leaf in LEAVES]
    return found


def document(events: list[Any], place: Place) -> str:
    """The document of a run with one of its fields replaced."""
    number, path, leaf = place
    whole = {"version": 1, "run_id": events[0]["run_id"], "events": _with(events, number, path)}
    return json.dumps(whole).replace('"@@"', leaf, 1)


def reading_problem(given: str) -> str:
    """What reading the document of a run came to, "" for a run that every view shows, or a documented error."""
    try:
        graph = ContextGraph.from_run(given)
    except RunFileError:
        return ""
    except Exception as error:  # noqa: BLE001
        return f"reading: {type(error).__name__}: {str(error)[:80]}"
    for view in VIEWS:
        try:
            str(getattr(graph, view)()).encode("utf-8", "surrogatepass")
        except Exception as error:  # noqa: BLE001
            return f"{view}: {type(error).__name__}: {str(error)[:80]}"
    try:
        str(graph.compare(graph))
    except Exception as error:  # noqa: BLE001
        return f"compare: {type(error).__name__}: {str(error)[:80]}"
    return ""


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value[:2]):
            yield from _paths(item, (*path, place))


def _with(events: list[Any], number: int, path: tuple[Any, ...]) -> list[Any]:
    copied = json.loads(json.dumps(events))
    inside = copied[number]
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = "@@"
    return copied
