"""The shapes of events: what loops write has them, a file is held to them, and whatever reads events knows them."""

from __future__ import annotations

import inspect
import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NotRequired, cast, get_args, get_origin, get_type_hints

import pytest
from pydantic import ConfigDict, Discriminator, TypeAdapter, ValidationError
from support.paths import ROOT, TESTS
from support.writers import WRITERS
from thoughtgraph import ContextGraph
from thoughtgraph.errors import RunFileError
from thoughtgraph.traces import recording, telemetry
from thoughtgraph.traces.events import Event, EventKind
from thoughtgraph.traces.shapes import Decision, PlanItem, StopReason, Usage
from typing_extensions import is_typeddict

PAGE = ROOT / "docs" / "context_graph.md"
BEGIN = "<!-- kinds: made from traces/shapes.py by UPDATE_SNAPSHOTS=1 pytest tests/traces/test_shapes.py -->\n"
END = "<!-- end of kinds -->"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "traces" / "page").glob("page*.js")}
OLD = sorted((TESTS / "fixtures" / "events").glob("v1_*.jsonl"))
# Stricter than the library is with a file: nothing may be missing, and nothing may be there that no shape has.
WRITTEN: TypeAdapter[Any] = TypeAdapter(Annotated[Event, Discriminator("kind")], config=ConfigDict(extra="forbid"))


def fields(shape: Any) -> dict[str, Any]:
    """The fields of a shape, and their types."""
    return get_type_hints(shape, include_extras=True)


KINDS: dict[str, Any] = {get_args(get_args(event)[0])[0]: get_args(event)[1] for event in get_args(Event)}
"""The shape of the data of every kind."""
EVERY_FIELD = {name for shape in KINDS.values() for name in fields(shape)}


def problems(events: Sequence[Any]) -> list[str]:
    """What is not as the shapes say: a field too many, too few, or of another type."""
    found: list[str] = []
    for event in events:
        try:
            WRITTEN.validate_python(event, strict=True)
        except ValidationError as invalid:
            found += [f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in invalid.errors()]
    return found


@pytest.fixture(scope="module")
def runs() -> dict[str, list[Event]]:
    """What every kind of loop writes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda seconds: None)
        return {name: run() for name, run in WRITERS.items()}


@pytest.mark.parametrize("name", WRITERS)
def test_every_event_that_a_loop_writes_has_its_shape_and_nothing_else(runs: dict[str, list[Event]], name: str) -> None:
    assert problems(runs[name]) == []


def test_these_runs_write_every_field_of_every_shape(runs: dict[str, list[Event]]) -> None:
    seen = {(event["kind"], name) for events in runs.values() for event in events for name in event["data"]}
    assert seen == {(kind, name) for kind, shape in KINDS.items() for name in fields(shape)}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"mood": "fine"}, "goal.data.mood: Extra inputs are not permitted"),
        ({"task": 3}, "goal.data.task: Input should be a valid string"),
        ({"task": None}, "goal.data.task: Input should be a valid string"),
    ],
    ids=["unknown", "type", "none"],
)
def test_a_planted_field_is_found(change: dict[str, Any], problem: str) -> None:
    with recording() as recorder:
        recorder.add("goal", task="x", mode="plan_act")
    cast("dict[str, Any]", recorder.events[0]["data"]).update(change)
    assert problems(recorder.events) == [problem]


def test_a_field_that_is_left_out_is_found() -> None:
    with recording() as recorder:
        cast(Any, recorder.add)("goal", task="x")
    assert problems(recorder.events) == ["goal.data.mode: Field required"]


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_old_runs_have_no_field_that_the_shapes_do_not_know(path: Path) -> None:
    events = ContextGraph.from_run(path).events
    assert [problem for problem in problems(events) if not problem.endswith(": Field required")] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "telepathy"}, "kind: "),
        ({"kind": "verdict", "data": {"status": 3}}, "data.status: "),
        ({"data": {"task": ["a"]}}, "data.task: Input should be a valid string"),
        ({"kind": "attempt", "data": {"number": "1"}}, "data.number: Input should be a valid integer"),
        ({"kind": "attempt", "data": {"number": 1, "usage": {"input_tokens": 0.5}}}, "data.usage.input_tokens: "),
        ({"kind": "observation", "data": {"ok": 1}}, "data.ok: Input should be a valid boolean"),
        ({"kind": "action", "data": {"input": 3}}, "data.input"),
        ({"kind": "plan", "data": {"items": [{"step": "a"}, {"step": 1}]}}, "data.items[1].step: "),
        ({"kind": "outcome", "data": {"stop_reason": "passed"}}, "data.stop_reason: "),
        ({"links": [{"source": "r:0"}]}, "links[0].relation: Field required"),
        ({"links": [{"source": "r:0", "relation": "hated"}]}, "links[0].relation: "),
        ({"data": None}, "data: Input should be a valid dictionary"),
        ({"seq": True}, "seq: Input should be a valid integer"),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_a_file_with_a_field_of_another_type_is_refused_by_line_and_field(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "run.jsonl"
    event = {"version": 1, "id": "r:0", "run_id": "r", "seq": 0, "kind": "goal", "time": "", "links": [], "data": {}}
    path.write_text(f"{json.dumps(event)}\n\n{json.dumps({**event, 'id': 'r:1', **change})}\n", encoding="utf-8")
    with pytest.raises(RunFileError, match=re.escape(f"line 3 is not an event: {message}")):
        ContextGraph.from_run(path)
    with pytest.raises(RunFileError, match=re.escape(f"event 1 is not an event: {message}")):
        ContextGraph.from_run({"events": [event, {**event, "id": "r:1", **change}]})


def test_what_a_newer_or_older_library_wrote_is_kept(tmp_path: Path) -> None:
    with recording("r") as recorder:
        add = cast(Any, recorder.add)
        add("goal", mood="fine")
        add("verdict", status="perhaps", details={"half \ud800": float("nan")})
        add("outcome", stop_reason={"kind": "moonrise", "why": 3}, best=None)
    path = ContextGraph(recorder.events).save(tmp_path / "run.jsonl")
    data = [event["data"] for event in ContextGraph.from_run(path).events]
    assert data[0] == {"mood": "fine"}
    assert data[1] == {"status": "perhaps", "details": {"half \ud800": "NaN"}}
    assert data[2] == {"stop_reason": {"kind": "moonrise", "why": 3}, "best": None}


def test_four_times_the_events_are_loaded_in_no_more_than_eight_times_as_long(tmp_path: Path) -> None:
    events, path = ContextGraph.from_run(OLD[0]).events, tmp_path / "run.jsonl"

    def seconds(count: int) -> float:
        many = [{**events[n % len(events)], "id": f"r:{n}", "seq": n} for n in range(count)]
        path.write_text("".join(f"{json.dumps(event)}\n" for event in many), encoding="utf-8")
        started = time.process_time()
        assert len(ContextGraph.from_run(path).events) == count
        return time.process_time() - started

    # Quadratic, it would be sixteen times.
    assert min(seconds(2_000) for _ in range(3)) < 8 * min(seconds(500) for _ in range(3))


def test_there_is_a_shape_for_every_kind() -> None:
    assert tuple(KINDS) == get_args(EventKind)


def told(shape: Any) -> dict[str, str]:
    """What a shape's docstring says of every field, of the shapes that it goes on included."""
    found: dict[str, str] = {}
    for part in (*cast("tuple[Any, ...]", getattr(shape, "__orig_bases__", ())), shape):
        section = inspect.cleandoc(part.__doc__ or "").partition("Attributes:\n")[2] if is_typeddict(part) else ""
        if part is not shape and is_typeddict(part):
            found |= told(part)
        for name, words in re.findall(r"^    (\w+): (.+(?:\n {8}.+)*)", section, re.MULTILINE):
            found[name] = " ".join(words.split())
    return found


def word(kind: Any) -> str:
    """A type in words."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is NotRequired:
        return word(parts[0])
    if origin is Literal:
        return ", ".join(f'`"{part}"`' for part in parts)
    if origin in (list, Sequence):
        return f"list of {word(parts[0])}"
    if origin in (dict, Mapping):
        return "object"
    if parts:
        return " or ".join(word(part) for part in parts)
    return {str: "text", int: "integer", float: "number", bool: "boolean", NoneType: "null"}.get(kind) or kind.__name__


def table() -> str:
    """The events' fields as the docs list them."""
    rows = ["| kind | `data` | type | holds |", "| --- | --- | --- | --- |"]
    for kind, shape in KINDS.items():
        first = " ".join(inspect.cleandoc(shape.__doc__).partition("\n\n")[0].split())
        rows.append(f"| **`{kind}`** | | | {first} |")
        for name, holds in told(shape).items():
            kind_of_field = fields(shape)[name]
            often = ", not always" if get_origin(kind_of_field) is NotRequired else ""
            rows.append(f"| | `{name}` | {word(kind_of_field)}{often} | {holds} |")
    return "\n".join(["", *rows, "", ""])


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described_and_nothing_else_is(kind: str) -> None:
    assert set(told(KINDS[kind])) == set(fields(KINDS[kind]))


def test_the_table_in_the_docs_is_that_of_the_shapes() -> None:
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    shown, after = rest.split(END)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        PAGE.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")
        shown = table()
    assert shown == table(), "if the change is meant: UPDATE_SNAPSHOTS=1 pytest"


def test_telemetry_reads_fields_that_there_are() -> None:
    read = [(kind, name) for kind, names in telemetry._FIELDS.items() for name in names]  # pyright: ignore[reportPrivateUsage]
    assert [(kind, name) for kind, name in read if name not in fields(KINDS[kind])] == []
    nested = {"decision": Decision, "stop_reason": StopReason, "usage": Usage}
    for kind, names in telemetry._NESTED.items():  # pyright: ignore[reportPrivateUsage]
        for outer, inner in names:
            assert outer in fields(KINDS[kind]), (kind, outer)
            assert inner in fields(nested[outer]), (outer, inner)


def test_python_reads_fields_that_there_are() -> None:
    # A type checker refuses `data["mood"]`, and lets `data.get("mood")` pass.
    reads = re.compile(r'(?:\["data"\]|\bdata)(?:\.get\(|\[)"(\w+)"')
    files = [*(ROOT / "traces").rglob("*.py"), ROOT / "assistant" / "view.py", ROOT / "cli" / "trace.py"]
    found = [(path.name, name) for path in files for name in reads.findall(path.read_text(encoding="utf-8"))]
    assert len(found) > 40
    assert [(path, name) for path, name in found if name not in EVERY_FIELD] == []


def read_by(script: str) -> set[str]:
    """The fields of events' data that a script reads by name."""
    found = set(re.findall(r"\bdata\??\.(\w+)", script)) - {"index", "kind", "view"}
    for names in re.findall(r"const \{([^}]*)\} = [\w?.]*\bdata;", script):
        found |= {name.strip() for name in names.split(",")}
    for lists in re.findall(r"const (?:FIELDS|ELSEWHERE|BRIEF) = [^;]*;", script):
        found |= set(re.findall(r'"(\w+)"', lists))
    for labels in re.findall(r"const LABELS = [^;]*;", script):
        found |= set(re.findall(r"(\w+): \"", labels))
    return found


def by_kind(script: str) -> dict[str, set[str]]:
    """The fields that the script's `switch` over the kinds reads for each of them."""
    cases = re.split(r"\n      case \"(\w+)\":", script)[1:]
    return {
        kind: set(re.findall(r"\bdata\.(\w+)", code.partition("default:")[0]))
        for kind, code in zip(cases[::2], cases[1::2], strict=True)
    }


def test_the_page_reads_no_field_that_no_event_has() -> None:
    assert set(SCRIPTS) == {"page.js", "page_events.js", "page_loop.js"}
    read = {name: read_by(script) for name, script in SCRIPTS.items()}
    assert len(read["page.js"]) > 20
    assert len(read["page_events.js"]) > 20
    assert {name: found - EVERY_FIELD for name, found in read.items() if found - EVERY_FIELD} == {}
    cases = by_kind(SCRIPTS["page_events.js"])
    assert set(cases) == set(KINDS)
    assert {
        kind: found - set(fields(KINDS[kind])) for kind, found in cases.items() if found - set(fields(KINDS[kind]))
    } == {}


@pytest.mark.parametrize(
    ("name", "shape"),
    [("decision", Decision), ("usage", Usage), ("item", PlanItem), ("stop_reason", StopReason)],
    ids=["decision", "usage", "item", "stop_reason"],
)
def test_the_page_reads_no_field_inside_a_field_that_is_not_there(name: str, shape: Any) -> None:
    read = {field for script in SCRIPTS.values() for field in re.findall(rf"\b{name}\??\.(\w+)", script)}
    assert read
    assert read <= set(fields(shape))


@pytest.mark.parametrize(
    "planted",
    [
        "return data.mood;",
        "const { mood } = end.data;",
        'const FIELDS = ["mood"];',
        'const LABELS = ({ mood: "Mood" });',
    ],
)
def test_a_field_that_a_script_makes_up_is_found(planted: str) -> None:
    assert read_by(planted) - EVERY_FIELD == {"mood"}
    assert by_kind('\n      case "goal": return data.mood;')["goal"] == {"mood"}
