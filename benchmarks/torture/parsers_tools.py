"""What the tools and the trace owe whoever hands them what a model, a page or a crash left behind."""

from __future__ import annotations

import json
import os
import random
import tempfile
import unicodedata
from datetime import datetime, timedelta
from pathlib import Path, PureWindowsPath
from typing import Any

from langchain_core.tools import StructuredTool
from parsers_contract import can_be_kept, hold
from thoughtgraph import ContextGraph
from thoughtgraph.errors import CommandError, RunFileError, SearchError, UnsafeFileNameError
from thoughtgraph.nodes.plan_act.plans.marks import call_fingerprint
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.tools import todo_tool
from thoughtgraph.tools.calls.action_check import action_check, arguments
from thoughtgraph.tools.dates.durations import parse_duration
from thoughtgraph.tools.dates.periods import parse_period
from thoughtgraph.tools.dates.when import parse_when, split_due, split_when
from thoughtgraph.tools.files import check_file_name
from thoughtgraph.tools.search import internet_search_tool
from thoughtgraph.tools.search.bing import read_results
from thoughtgraph.tools.search.search import flat, is_web_link

NOW = datetime(2026, 11, 22, 10, 0)
_LINES_PER_AGENDA = 200
_VIEWS = ("to_json", "to_graphml", "to_mermaid", "to_prov", "to_html", "why_stopped", "failures", "cost", "repeats")


def _said(problem: CommandError) -> None:
    hold(bool(str(problem).strip()) and len(str(problem)) < 12_000, "a refusal says something, and not too much")


def dates(text: str) -> None:
    """A date that is read is read again from its plain form; anything else is a `CommandError`."""
    for language in ("en", "zh"):
        try:
            when = parse_when(text, NOW, language)
            hold(1970 <= when.moment.year < 2200 and when.moment.tzinfo is None, "a moment is a possible, local one")
            plain = f"{when.moment:%Y-%m-%d %H:%M}"
            hold(parse_when(plain, NOW).moment == when.moment, "a moment is read again")
            hold(when.end is None or when.end >= when.moment, "a span does not end before it starts")
        except CommandError as problem:
            _said(problem)


def dates_in_text(text: str) -> None:
    """What is left beside a date is a part of the text; periods and durations have a length."""
    for split in (split_when, split_due):
        try:
            rest, when = split(text, NOW)
            hold(rest in text and (when is None) <= (rest == text), "what is left is a part of the text")
        except CommandError as problem:
            _said(problem)
    try:
        period = parse_period(text, NOW)
        hold(period.start < period.end, "a period has a length")
    except CommandError as problem:
        _said(problem)
    try:
        hold(timedelta(minutes=1) <= parse_duration(text) <= timedelta(days=31), "a duration is a possible one")
    except CommandError as problem:
        _said(problem)


class _Lines:
    def __init__(self) -> None:
        self._left = 0
        self._agenda = Agenda(":memory:", clock=lambda: NOW)

    def run(self, text: str) -> None:
        """Every line is carried out with an answer, or refused with a `CommandError`; as a command, and as a tool."""
        if not self._left:
            self._agenda.close()
            self._agenda, self._left = Agenda(":memory:", clock=lambda: NOW), _LINES_PER_AGENDA
            self._tool: Any = todo_tool(self._agenda)
        self._left -= 1
        for carry_out in (self._agenda.run, self._tool.func):
            try:
                hold(bool(carry_out(text).strip()), "a line that was carried out has an answer")
            except CommandError as problem:
                _said(problem)
        for todo in self._agenda.todos("open")[:3]:
            hold(bool(todo.text) and len(todo.text) <= 500 and "\n" not in todo.text, "a todo is one line")


lines = _Lines().run


class _Found:
    name = "page"

    def __init__(self, page: str) -> None:
        self._page = page

    def search(self, query: str, top_k: int) -> Any:
        return read_results(self._page, query, top_k)


def result_pages(text: str) -> None:
    """One to three results with web links, or a `SearchError`; and what a model is shown of them is flat."""
    try:
        results = read_results(text, "owls", 3)
    except SearchError as problem:
        hold(problem.kind in ("empty", "parse", "timeout"), "an error says its kind")
        return
    hold(1 <= len(results) <= 3, "one to three results")
    hold(
        all(is_web_link(result.link) and result.title.strip() for result in results), "a result has a title and a link"
    )
    shown = {unicodedata.category(character) for result in results for character in flat(result.title, 200)}
    hold(not shown & {"Cc", "Cs", "Zl", "Zp"}, "a title is shown on one line")
    tool: Any = internet_search_tool(_Found(text))
    try:
        hold(len(tool.func("owls")) < 5_000, "an answer is capped")
    except SearchError as problem:
        hold(problem.kind == "empty", "results that cannot be shown are none")


def file_names(text: str) -> None:
    """A name that passes is a bare one on every system."""
    try:
        check_file_name(text)
    except UnsafeFileNameError:
        return
    hold("/" not in text and text not in ("", ".", ".."), "a name is no path")
    windows = PureWindowsPath(text)
    hold(windows.name == text and not windows.drive and not windows.is_reserved(), "nor one on Windows")
    hold(
        len(text.encode()) <= 255 and not {*map(unicodedata.category, text)} & {"Cc", "Zl", "Zp"},
        "file systems take it",
    )


def _calculate(a: int, b: float = 1.0) -> str:
    """Multiply."""
    return str(a * b)


def _echo(text: str) -> str:
    """Say it again."""
    return text


def _keep(items: list[dict[str, Any]], note: Any = None) -> str:
    """Keep items."""
    return f"{len(items)} {note}"


TOOLS = {
    name: StructuredTool.from_function(function, name=name)
    for name, function in (("calculate", _calculate), ("echo", _echo), ("keep", _keep))
}
check_action = action_check(TOOLS)


def actions(text: str) -> None:
    """An action that passes can be kept, fits its tool, and is the same call in whatever order its fields come."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = {"tool": text[:9], "input": text}
    if not isinstance(given, dict):
        given = {"tool": "keep", "input": given}
    action = check_action(given)
    if isinstance(action, str):
        hold(bool(action.strip()) and len(action) < 2_000, "a refusal says something, and not too much")
        return
    can_be_kept(action)
    fields = arguments(TOOLS[action["tool"]], action["input"])
    again = check_action({"tool": action["tool"], "input": fields})
    hold(not isinstance(again, str), "an action that was taken is taken again")
    turned: Any = {"tool": action["tool"], "input": dict(reversed(list(fields.items())))}
    hold(
        call_fingerprint(turned) == call_fingerprint({**turned, "input": fields}),
        "the order of fields is no difference",
    )


_memory = Path("/dev/shm")
_folder = tempfile.TemporaryDirectory(prefix="torture-runs-", dir=_memory if _memory.is_dir() else None)


def run_files(text: str) -> None:
    """A damaged run is a `RunFileError`, or one that every view can show and that is read again as it is."""
    path = Path(_folder.name) / f"{os.getpid()}.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        graph = ContextGraph.from_run(path)
    except RunFileError as problem:
        hold(bool(str(problem).strip()), "a refusal says something")
        return
    for view in _VIEWS:
        getattr(graph, view)()
    graph.metrics()
    graph.path_to_outcome()
    graph.compare(graph)
    hold(graph.nx.number_of_nodes() == len(graph.events), "every event is a node")
    written = graph.to_json()
    hold(ContextGraph.from_run(written).to_json() == written, "a run is read again")


def damaged_run(rng: random.Random, rows: list[str]) -> str:
    """Some lines of a run, one of them at times with another value in it."""
    kept = [row for row in rows if rng.random() < 0.7]
    for index, row in enumerate(kept):
        if rng.random() < 0.15:
            event = json.loads(row)
            place = event["data"] if rng.random() < 0.7 else event
            if place:
                place[rng.choice(list(place))] = _VALUES[rng.randrange(len(_VALUES))]
            kept[index] = json.dumps(event) + "\n"
    return "".join(kept)


_VALUES: list[Any] = json.loads(
    r"""[null, true, 0, -5, 2.5, NaN, Infinity, "", "\ud83d", "\u0000<script>", [], {}, [1, [2]], {"a": {"b": []}},
    "r:1", "passed", "goal", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00", [{"source": "r:0", "relation": ""}],
    {"kind": "error_rate", "value": "x", "limit": {}}, [{"step": {}, "tool": []}], -1e30,
    100000000000000000000000000]"""
)
_VALUES += [10**400, "x" * 3_000]
