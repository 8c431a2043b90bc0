"""`thoughtgraph trace`: read saved runs, or compare two."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from .._internal.plain import plain
from ..errors import ThoughtGraphError
from ..traces.events import Event
from ..traces.lookup import brief, line
from .terminal import JsonOption, console, errors, fail, print_json, print_plain, reported

if TYPE_CHECKING:
    from ..traces.context_graph import ContextGraph

trace_app = typer.Typer(no_args_is_help=True, help="Saved runs: list, show, draw, export, compare.")
_SHOWN_NAME = 60
_SHOWN_TEXT = 4_000
_OF_A_BATCH = ("results.jsonl", "attempts.jsonl", "settings.json")
"""What `--save` keeps beside the runs of a batch."""

RunArgument = Annotated[Path, typer.Argument(help="A file written by --save or ContextGraph.save.")]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")]


class Format(StrEnum):
    """The formats for exporting a run."""

    JSON = "json"
    GRAPHML = "graphml"
    MERMAID = "mermaid"
    PROV = "prov"
    INSPECT = "inspect"


@trace_app.command("list")
def list_runs(
    folder: Annotated[Path, typer.Argument(help="Folder to search, with its subfolders.")] = Path("runs"),
    limit: Annotated[int, typer.Option(min=1, help="Show only the newest N.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List the runs in a folder and its subfolders, newest first: file, verdict or end, events, tokens, goal.

    Files named .json or .jsonl are read. Those that hold no run that can be read are counted below the list, and named
    in the JSON as `unread`.
    """
    with reported():
        if not folder.is_dir():
            fail(f"{folder} is not a folder: name the one that runs were saved to")
        unread: list[str] = []
        newest_first = sorted(_files(folder), key=lambda path: path.stat().st_mtime, reverse=True)
        found = list(islice((row for path in newest_first if (row := _row(path, unread))), limit + 1))
        if as_json:
            print_json({"runs": found[:limit], "more": len(found) > limit, "unread": unread})
            return
        rows = [row.cells() for row in found]
        widths = [max((len(row[place]) for row in rows[:limit]), default=0) for place in range(4)]
        for row in rows[:limit]:
            # Not a table: the other commands take a run's name, so it must not be cut on a narrow screen.
            print_plain("  ".join(f"{cell:{width}}" for cell, width in zip(row, (*widths, 0), strict=True)))
        if len(rows) > limit:
            console.print(f"the newest {limit} shown", style="dim")
        elif not rows:
            console.print(f"no run below {folder} in a file named .json or .jsonl", markup=False)
        if unread:
            others = f"{len(unread)} files hold no run, {unread[0]} is the newest: thoughtgraph trace show tells why"
            one = f"{unread[0]} holds no run: thoughtgraph trace show tells why"
            errors.print(plain(others if unread[1:] else one), style="dim", markup=False, soft_wrap=True)


@trace_app.command("show")
def show_run(
    run: RunArgument,
    event: Annotated[int | None, typer.Option("--event", help="Show one event in full, by its number.")] = None,
    failures: Annotated[bool, typer.Option("--failures", help="Show what failed and what fixed it.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a run: its events line by line, why it stopped, what it cost. As JSON: its metrics, and why it stopped."""
    if event is not None and failures:
        fail("--event and --failures do not go together: give one")
    with reported():
        graph = _read(run)
        if event is not None:
            found = _event(graph, event)
            print_json(found) if as_json else _show_event(found)
        elif failures:
            failed = graph.failures()
            print_json({"failures": failed}) if as_json else print_plain(
                "\n".join(map(str, failed)) or "nothing failed"
            )
        elif as_json:
            print_json({"metrics": graph.metrics(), "stop": graph.why_stopped()})
        else:
            _show(graph)


@trace_app.command("html")
def draw_run(
    run: RunArgument,
    output: OutputOption = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write a run as one HTML page that needs no network."""
    with reported():
        page = _read(run).to_html()
        target = output or run.with_suffix(".html")
        _spare(run, target)
        _write(target, page)
        print_plain(f"page written to {target}")
        if show:
            webbrowser.open(target.resolve().as_uri())


@trace_app.command("export")
def export_run(
    run: RunArgument,
    form: Annotated[Format, typer.Option("--format", "-f", help="The format to write.")] = Format.JSON,
    output: OutputOption = None,
) -> None:
    """Write a run as JSON, GraphML, Mermaid, W3C PROV-JSON or a log of Inspect AI, to a file or to standard output.

    For Inspect AI, RUN may be a folder: all runs in it become one log, in the file that --output names.
    """
    with reported():
        if output:
            _spare(run, output)
        if form is Format.INSPECT and output:
            _export_inspect(run, output)
            return
        if run.is_dir():
            fail(f"{run} is a folder: name a run, or export it with --format inspect and --output runs.eval")
        graph = _read(run)
        writers: dict[Format, Callable[[], str]] = {
            Format.JSON: graph.to_json,
            Format.GRAPHML: graph.to_graphml,
            Format.MERMAID: graph.to_mermaid,
            Format.PROV: graph.to_prov,
            Format.INSPECT: graph.to_inspect,
        }
        text = writers[form]()
        if output:
            _write(output, text)
            print_plain(f"{form} written to {output}")
        else:
            typer.echo(text.encode())


@trace_app.command("diff")
def compare_runs(
    run: RunArgument,
    other: Annotated[Path, typer.Argument(help="The run to compare it with.")],
    as_json: JsonOption = False,
) -> None:
    """Show where two runs diverge, and their verdicts, ends and costs side by side. Exit code 1 if they differ."""
    with reported():
        difference = _read(run).compare(_read(other))
        print_json(difference) if as_json else print_plain(str(difference))
    if difference.position is not None:
        raise typer.Exit(1)


def _spare(run: Path, target: Path) -> None:
    """Refuse to write over the run that is read, which is nowhere else."""
    if run.exists() and target.exists() and target.samefile(run):
        fail(f"{target} is the run itself, which would be lost: name another file with --output")


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def _export_inspect(run: Path, output: Path) -> None:
    from ..traces.exports.inspect_log import save_inspect_log

    if output.suffix not in (".eval", ".json"):
        fail(f"{output} is no name of a log of Inspect AI: end it with .eval or .json")
    if not run.is_dir():
        graphs = [_read(run)]
    else:
        found = [graph for graph in map(_run_in, sorted(_files(run))) if graph is not None]
        graphs = list({graph.run_id: graph for graph in found}.values())
        if not graphs:
            fail(f"no run below {run}")
    save_inspect_log(graphs, output)
    print_plain(f"{len(graphs)} {'run' if len(graphs) == 1 else 'runs'} written to {output}")


def _files(folder: Path) -> list[Path]:
    """The files below a folder that may hold runs."""
    return [path for path in folder.rglob("*.json*") if path.name not in _OF_A_BATCH and path.is_file()]


def _run_in(path: Path) -> ContextGraph | None:
    """The run in a file; None if it holds none."""
    try:
        graph = _read(path)
    except ThoughtGraphError:
        return None
    return graph if graph.events else None


@dataclass(frozen=True, slots=True)
class _Row:
    """One run of the list; `end` is its verdict, or how it ended."""

    file: str
    end: str
    events: int
    tokens: int
    goal: str

    def cells(self) -> list[str]:
        return [self.file, self.end, f"{self.events} events", f"{self.tokens:,} tokens", self.goal]


def _row(path: Path, unread: list[str]) -> _Row | None:
    """A run of the list; None, and the file is noted, if it holds none."""
    graph = _run_in(path)
    if graph is None:
        unread.append(str(path))
        return None
    metrics = graph.metrics()
    end = metrics.verdict or metrics.stop_kind or "not finished"
    return _Row(str(path), end, len(graph.events), metrics.tokens, line(graph.events[0], 70).removeprefix("goal: "))


def _show(graph: ContextGraph) -> None:
    if not graph.events:
        print_plain("the file holds no event")
        return
    names = {(event["kind"], str(event["data"].get("model"))) for event in graph.events if "model" in event["data"]}
    instead = any(event["data"].get("gone") for event in graph.events)
    several = instead or len(names) > len({kind for kind, _ in names})
    for event in graph.events:
        text = Text(f"{event['seq']:>4}  {_since(event, graph.events[0])}  ", style="dim")
        text.append(plain(line(event, 120)), style=_color(event))
        if several and "model" in event["data"]:
            text.append(f"  {plain(event['data']['model'])[:_SHOWN_NAME]}", style="dim")
        if gone := event["data"].get("gone"):
            text.append(f"  in place of one that gave no reply: {plain(brief(gone, 160))}", style="yellow")
        console.print(text, soft_wrap=True)
    print_plain(f"\n{graph.why_stopped().sentence}\n\n{graph.cost()}")


def _since(event: Event, start: Event) -> str:
    try:
        gone = datetime.fromisoformat(event["time"]) - datetime.fromisoformat(start["time"])
    except (ValueError, TypeError):
        # A malformed time must not keep the run from being shown.
        return f"{'–':>10}"
    return f"{gone.total_seconds():>8.2f} s"


def _event(graph: ContextGraph, seq: int) -> Event:
    event = next((event for event in graph.events if event["seq"] == seq), None)
    if event is None:
        fail(f"there is no event {seq}: the run has {len(graph.events)}, counted from 0")
    return event


def _show_event(event: Event) -> None:
    links = ", ".join(f"{link['relation']} from {link['source']}" for link in event["links"])
    print_plain(f"{event['seq']}. {event['kind']}  {event['time']}  {links}")
    for name, value in event["data"].items():
        text = value if isinstance(value, str) else str(value)
        more = f" … [{len(text)} characters in all]" if len(text) > _SHOWN_TEXT else ""
        print_plain(f"\n{name}:\n{text[:_SHOWN_TEXT]}{more}")


def _color(event: Event) -> str:
    data = event["data"]
    status = str(data.get("status") or data.get("verdict") or "")
    if status == "passed":
        return "green"
    failed = status == "failed" or data.get("ok") is False or bool(data.get("feedback") and event["kind"] == "thought")
    return "red" if failed else "default"


def _read(path: Path) -> ContextGraph:
    from ..traces.context_graph import ContextGraph

    if path.is_dir():
        fail(f"{path} is a folder: name a run in it; `thoughtgraph trace list {quote(str(path))}` shows them")
    return ContextGraph.from_run(path)
