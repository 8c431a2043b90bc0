"""Runs as they come in: checked event by event, from a file, a document, a result or a snapshot."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from mimetypes import MimeTypes
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from ..._internal.atomic import local_path
from ..._internal.redact import redacted
from ..._internal.strict_json import deeper_than, finite, loads, mapping
from ...errors import RunFileError
from ..events import EVENT_VERSION, Event
from .address import is_address, read_at

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_OLD_KINDS = {"authorisation": "authorization"}
"""Kinds of failure that older files spell otherwise."""
_WRITTEN = re.compile(r"\s*(?:\{|\[\s*\{)")
"""How a text begins that is a run itself, and no path of one."""
_WRITERS = {".html": "to_html", ".htm": "to_html", ".graphml": "to_graphml", ".mmd": "to_mermaid", ".md": "to_mermaid"}
"""Of files that programs take for something else than lines of JSON."""
_TEXTS = (None, "application/json", "text/plain")
"""What an ending may stand for in Python's own table of them, None for nothing."""
_NEWER = (".docx", ".parquet", ".pkl", ".sqlite", ".toml", ".xlsx", ".yaml", ".yml")
"""Endings of other formats that this table does not have yet in every version of Python."""
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
_MAX_DEPTH = 300
"""Levels of lists and objects in an event: far more than a run has, and few enough for every export."""


def checked(events: Iterable[object], places: Sequence[str] = ()) -> list[Event]:
    """The events in their order, each once.

    A field must have the type that the shape of the event's kind gives it. A missing field is accepted, since older
    files lack what was added later, and so is a word that only a newer version knows, such as the kind of a stop
    reason. Fields that no shape has are kept.

    Args:
        events: in any order.
        places: what an error calls each of them; by default it counts them.

    Raises:
        RunFileError: an event has an unknown version or is not an event; the events are of several runs.
    """
    known: dict[str, Event] = {}
    for number, event in enumerate(events):
        found = _checked(event, places[number] if places else f"event {number}")
        known[found["id"]] = found
    if len(runs := {event["run_id"] for event in known.values()}) > 1:
        raise RunFileError(f"these are the events of {len(runs)} runs: give those of one")
    return sorted(known.values(), key=lambda event: event["seq"])


def read_run(run: Any) -> list[Event]:
    """The events of whatever `ContextGraph.from_run` is given, checked.

    Raises:
        RunFileError: it holds no events, or cannot be read.
    """
    if isinstance(run, str) and _WRITTEN.match(run):
        return _of_content(run.encode("utf-8", "surrogatepass"), "the document")
    if isinstance(run, str) and is_address(run):
        return _of_content(read_at(run), f"the run {redacted(run)}")
    if isinstance(run, (str, Path)):
        return _of_file(Path(run))
    if isinstance(getattr(run, "events", None), list):
        # A recorder, or a graph that was read before.
        return checked(run.events)
    if isinstance(run, list):
        return checked(_of(cast("list[object]", run)))
    # What `invoke(version="v2")` returns has a value, a snapshot has values.
    found = cast(object, run) if isinstance(run, Mapping) else getattr(run, "value", getattr(run, "values", None))
    if "events" not in mapping(found) and mapping(found).get("messages"):
        # LangChain's messages are not loaded for the sake of a file.
        from .messages import events_of

        return checked(events_of(found))
    return checked(_of(found))


@cache
def _shapes() -> TypeAdapter[Event]:
    # Not before a run is read: making it takes longer than reading most runs.
    from pydantic import Discriminator, TypeAdapter

    return TypeAdapter(Annotated[Event, Discriminator("kind")])


def _checked(event: object, place: str) -> Event:
    found = mapping(event)
    version = found.get("version")
    if isinstance(version, int) and version > EVENT_VERSION:
        raise RunFileError(f"event version {version} is newer than {EVENT_VERSION}: upgrade thoughtgraph")
    if deeper_than(_MAX_DEPTH, event):
        raise RunFileError(f"an event is nested deeper than {_MAX_DEPTH} levels, which no export can show")
    if not found:
        raise RunFileError(f"{place} is not an event: {str(event)[:120]}")
    if "events" in found:
        raise RunFileError(f"{place} is a run itself: give one run at a time")
    whole = finite(event)
    if problem := _problem(whole):
        of_batch = "" if "kind" in found or "task_id" not in found else "; it tells of a task: give the file of its run"
        raise RunFileError(f"{place} is not an event: {problem}{of_batch}")
    read = cast(Event, whole)
    if read["kind"] == "observation" and (kind := read["data"].get("kind_of_failure")) in _OLD_KINDS:
        return cast(Event, {**read, "data": {**read["data"], "kind_of_failure": _OLD_KINDS[kind]}})
    return read


def _problem(event: object) -> str:
    """The first field that does not fit its shape, and what it should be; "" if all fit."""
    from pydantic import ValidationError

    try:
        _shapes().validate_python(event, strict=True)
    except ValidationError as invalid:
        for error in invalid.errors(include_url=False, include_context=False):
            # It begins with the kind of the event; if that is unknown, it is empty.
            _, *way = error["loc"] or ("", "kind")
            if error["type"] == "union_tag_not_found":
                return "it has no `kind`"
            unknown_word = error["type"] == "literal_error" and isinstance(error["input"], str)
            if way[0] != "data" or len(way) == 1 or not (error["type"] == "missing" or unknown_word):
                path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)
                return f"{path[1:]}: {error['msg']}"
    return ""


def _of(run: object) -> list[object]:
    events = cast(object, run) if isinstance(run, list) else mapping(run).get("events")
    if not isinstance(events, list) or not events:
        raise RunFileError("the run has no events: pass what a thoughtgraph graph returned, or a file of a run")
    return cast("list[object]", events)


def _of_file(path: Path) -> list[Event]:
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise RunFileError(f"cannot read the run {path}: it is a folder, give one of the runs in it") from None
    except (OSError, ValueError) as problem:
        raise RunFileError(f"cannot read the run {path}: {problem}") from problem
    return _of_content(content, f"the run {path}")


def _of_content(content: bytes, name: str) -> list[Event]:
    # Split as bytes: a line that a crash cut off may end inside a character.
    lines = content.split(b"\n")
    events: list[object] = []
    places: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = _parsed(line, place := f"{name}, line {number}")
        except RunFileError as problem:
            if not events and (document := _document(content)) is not None:
                return checked(_of(document))
            if not events:
                raise RunFileError(
                    f"{problem}. A run is what `save` or `to_json` wrote, no page or other export"
                ) from None
            if events and number == len(lines):
                # The program that appended it was stopped before the end of the line; what came before is whole.
                break
            raise
        if not events and (isinstance(event, list) or "events" in mapping(event)):
            if any(map(bytes.strip, lines[number:])):
                raise RunFileError(f"{name} holds more than one run: give `from_run` one line at a time")
            return checked(_of(cast(object, event)))
        events.append(event)
        places.append(place)
    if not events:
        raise RunFileError(f"cannot read {name}: it holds no events")
    return checked(events, places)


def _parsed(line: bytes, where: str) -> object:
    try:
        return loads(line.decode("utf-8-sig", "surrogatepass"))
    except (ValueError, RecursionError) as problem:
        raise RunFileError(f"cannot read {where}: {problem}") from problem


def _document(content: bytes) -> object:
    """A document that spans several lines."""
    try:
        return _parsed(content, "the document")
    except RunFileError:
        return None


def run_path(path: str | Path) -> Path:
    """Where a run can be saved.

    Raises:
        ValueError: the path is blank, an address or a folder, or ends as a file of another format does.
    """
    target = local_path(path)
    if str(path).endswith(_SEPARATORS):
        raise ValueError(f"{str(path)!r} is a folder: name a file in it, such as {target / 'run.jsonl'}")
    ending = target.suffix.lower()
    kind, packed = MimeTypes().guess_type(f"run{ending}")
    if packed or ending in _NEWER or kind not in _TEXTS or ending in _WRITERS:
        instead = f", or write what {_WRITERS[ending]}() returns" if ending in _WRITERS else ""
        raise ValueError(
            f"a run is saved as lines of JSON, which {target.name} does not look like: choose a name that ends with "
            f".jsonl{instead}"
        )
    return target
