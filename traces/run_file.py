"""Runs as they come in: checked event by event, from a file, a document, a result or a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from .._internal.strict_json import deeper_than, finite, loads
from ..errors import RunFileError
from .events import EVENT_VERSION, Event
from .lookup import mapping

_FIELDS = {"version": int, "id": str, "run_id": str, "seq": int, "kind": str, "time": str, "links": list, "data": dict}
_MAX_DEPTH = 300
"""Levels of lists and objects in an event: far more than a run has, and few enough for every export."""


def checked(events: Iterable[object]) -> list[Event]:
    """The events in their order, each once.

    Raises:
        RunFileError: an event is of a version this library does not know, or is no event; they are of several runs.
    """
    known: dict[str, Event] = {}
    for event in events:
        found = _checked(event)
        known[found["id"]] = found
    if len(runs := {event["run_id"] for event in known.values()}) > 1:
        raise RunFileError(f"these are the events of {len(runs)} runs: give those of one")
    return sorted(known.values(), key=lambda event: event["seq"])


def read_run(run: Any) -> list[object]:
    """The events of whatever `ContextGraph.from_run` is given.

    Raises:
        RunFileError: it holds no events, or cannot be read.
    """
    if isinstance(run, str) and run.lstrip().startswith("{"):
        return _of(_parsed(run.encode("utf-8", "surrogatepass"), "the document"))
    if isinstance(run, (str, Path)):
        return _of_file(Path(run))
    if isinstance(run, Mapping):
        return _of(cast(object, run))
    return _of(getattr(run, "values", None))


def _checked(event: object) -> Event:
    found = mapping(event)
    version = found.get("version")
    if isinstance(version, int) and version > EVENT_VERSION:
        raise RunFileError(f"event version {version} is newer than {EVENT_VERSION}: upgrade thoughtgraph")
    if deeper_than(_MAX_DEPTH, event):
        raise RunFileError(f"an event is nested deeper than {_MAX_DEPTH} levels: no export could show it")
    whole = all(isinstance(found.get(name), kind) for name, kind in _FIELDS.items())
    if not whole or not all(_is_link(link) for link in found["links"]):
        raise RunFileError(f"not an event: {str(event)[:120]}")
    return cast(Event, finite(event))


def _is_link(link: object) -> bool:
    found = mapping(link)
    return all(isinstance(found.get(name), str) for name in ("source", "relation"))


def _of(run: object) -> list[object]:
    events = mapping(run).get("events")
    if not isinstance(events, list) or not events:
        raise RunFileError("the run has no events: pass what a thoughtgraph graph returned, or a file of a run")
    return cast("list[object]", events)


def _of_file(path: Path) -> list[object]:
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as problem:
        raise RunFileError(f"cannot read the run {path}: {problem}") from problem
    # Split as bytes: a line that a crash cut off may end inside a character.
    lines = content.split(b"\n")
    events: list[object] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = _parsed(line, f"the run {path}, line {number}")
        except RunFileError:
            if not events and (document := _document(content)) is not None:
                return _of(document)
            if events and number == len(lines):
                # Whoever appended it was stopped before the end of the line; what came before is whole.
                break
            raise
        if not events and "events" in mapping(event):
            return _of(event)
        events.append(event)
    if not events:
        raise RunFileError(f"cannot read the run {path}: it holds no events")
    return events


def _parsed(line: bytes, where: str) -> object:
    try:
        return loads(line.decode("utf-8-sig", "surrogatepass"))
    except (ValueError, RecursionError) as problem:
        raise RunFileError(f"cannot read {where}: {problem}") from problem


def _document(content: bytes) -> object:
    """A document that somebody has laid out over several lines."""
    try:
        return _parsed(content, "the document")
    except RunFileError:
        return None
