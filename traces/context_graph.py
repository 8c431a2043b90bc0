"""The Context Graph: a run's events as a `networkx.MultiDiGraph`, built on read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx

from .._internal.atomic import write_whole
from .._internal.numbers import check_kind
from .._internal.plain import plain
from .._internal.strict_json import dumps
from . import answers, difference, queries, stops
from . import cost as costs
from .events import Event, Recorder
from .exports import graph as exports
from .exports import inspect_log, prov
from .lookup import given_events, separate_runs
from .metrics.money import Prices
from .metrics.run import RunMetrics
from .metrics.together import metrics_of
from .page.document import framed
from .page.page import LoopDrawing, page
from .reading.run_file import checked, read_run, run_path

if TYPE_CHECKING:
    from langgraph.types import GraphOutput, StateSnapshot


class ContextGraph:
    """What happened in a run, and what led to what.

    Every event is a node (its id; attributes `kind`, `seq`, `time` and the event's data); every link an edge from the
    earlier event to the later one, with its `relation` (`led_to`, `verified`, `failed`, `revised`, `retried`,
    `learned_from`) and, if something failed, the `error`. A link to a missing event does not become an edge.

    Args:
        events: of one run, in any order; an event that comes twice counts once.

    Attributes:
        events: in their order.

    Raises:
        RunFileError: an event has a version this library does not know, or is not an event.
        ValueError: `events` are a run itself, or something else that holds no events.

    Example:
        >>> graph = ContextGraph.from_run(result)                    # doctest: +SKIP
        >>> [data["kind"] for _, data in graph.nx.nodes(data=True)]  # doctest: +SKIP
        ['goal', 'thought', 'attempt', 'verdict', 'outcome']
        >>> print(graph.why_stopped())                               # doctest: +SKIP
        It stopped because the answer of attempt 1 passed its check.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self.events: list[Event] = checked(given_events(events))

    def __repr__(self) -> str:
        return plain(f"ContextGraph(run {self.run_id or '–'}, {len(self.events)} events)")

    @classmethod
    def from_run(
        cls,
        run: Mapping[str, Any] | GraphOutput[Any] | StateSnapshot | Recorder | ContextGraph | list[Event] | str | Path,
    ) -> ContextGraph:
        """Read a run.

        Args:
            run: what a graph returned, `invoke(version="v2")` included, or its `events`; the recorder of a
                `recording()` around graphs that ended inside it; a `ContextGraph`; what `graph.get_state(config)`
                returns, for a run that is paused, was interrupted or crashed; what LangChain's `create_agent`, or
                another graph with `messages`, returned; a file that `save` wrote, or one that holds what `to_json`
                returned, or a list of events as JSON, by its path, or by an address such as `"s3://bucket/run.jsonl"`
                (through fsspec); or the text of such a file itself, as `to_json` and `to_jsonl` return it. A last line
                that was not written to its end, as a crash leaves it, is dropped.

        Raises:
            RunFileError: it holds no events, or cannot be read; a broken line is named by its number, and a field of
                another type by its name.
        """
        graph = cls(())
        graph.events = read_run(run)
        return graph

    @property
    def run_id(self) -> str:
        """The id of the run; "" if it has no events."""
        return self.events[0]["run_id"] if self.events else ""

    @cached_property
    def nx(self) -> nx.MultiDiGraph[str]:
        """The graph."""
        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        for event in self.events:
            about: dict[str, Any] = {"kind": event["kind"], "seq": event["seq"], "time": event["time"]}
            graph.add_node(event["id"], **about, data=event["data"])
        for event in self.events:
            for link in event["links"]:
                if link["source"] in graph:
                    error = {"error": link["error"]} if "error" in link else {}
                    graph.add_edge(link["source"], event["id"], relation=link["relation"], **error)
        return graph

    @property
    def runs(self) -> list[ContextGraph]:
        """The runs that are inside no other: the run itself, or each of those that a `recording` was around."""
        return [ContextGraph(events) for events in separate_runs(self.events)]

    def path_to_outcome(self) -> list[Event]:
        """The events that led from the goal to the outcome that counts, oldest first.

        In a reflection run the chain goes through the attempt whose answer is reported, which need not be the last one.
        In a run without an outcome it ends with the last event.
        """
        return queries.path_to_outcome(self.events)

    def why_stopped(self) -> stops.StopReport:
        """Why the run stopped, in words and with evidence; a run that is paused or was interrupted says so."""
        return stops.why_stopped(self.events)

    def failures(self) -> list[queries.Failure]:
        """Every failed tool call, unreadable reply, failed verdict, refusing critique and error, oldest first."""
        return queries.failures(self.events)

    def cost(self) -> costs.CostReport:
        """Tokens, seconds and events of every branch (an attempt, or an item of the plan) and of the whole run."""
        return costs.cost(self.events)

    def repeats(self) -> list[queries.Repeat]:
        """What happened more than once: an answer, a tool call with the same result, a plan, a reply of the model."""
        return queries.repeats(self.events)

    def revisions(self) -> answers.Revisions:
        """How the answer changed from attempt to attempt: as text, and in a notebook side by side."""
        return answers.revisions(self.events)

    def compare(self, other: ContextGraph) -> difference.RunDifference:
        """Where two runs part, and their costs, verdicts, ends and answers side by side.

        Raises:
            ValueError: the other one is no `ContextGraph`.
        """
        check_kind("other", other, ContextGraph, "a ContextGraph, as ContextGraph.from_run makes one of a run")
        return difference.compare(self.events, other.events)

    def to_json(self) -> str:
        """The run as one JSON document: `version`, `run_id`, `events`. `from_run` reads it back."""
        return exports.to_json(self.events)

    def to_graphml(self) -> str:
        """The graph as GraphML, for Gephi, yEd or `networkx.read_graphml`.

        Nodes have `kind`, `seq`, `time`, a short `label`, and `data` as JSON; edges `relation` and `error`.
        """
        return exports.to_graphml(self.events)

    def to_mermaid(self, max_events: int = 200) -> str:
        """The graph as a Mermaid flowchart.

        Args:
            max_events: of a longer run the beginning and the end are drawn, and between them how many were left out.
                Mermaid itself draws 500 edges at most unless it is told otherwise.

        Raises:
            ValueError: `max_events` is below 2.
        """
        return exports.to_mermaid(self.events, max_events)

    def to_prov(self) -> str:
        """The run as W3C PROV-JSON.

        Every event is an entity, the work that made it an activity, and models, tools, verifiers and the user are
        agents.
        """
        return prov.to_prov(self.events)

    def to_inspect(self) -> str:
        """The run as a log of Inspect AI, in JSON; `save_inspect_log` puts many runs into one, with more about them.

        Raises:
            MissingLibraryError: the extra `inspect` is not installed.
            ValueError: the run has no events.
        """
        return inspect_log.to_inspect(self)

    def to_html(self, title: str = "") -> str:
        """The run's picture: one HTML page with a timeline, the graph and every detail, which needs no network.

        Args:
            title: of the page; the goal where it is empty.
        """
        return page(self.events, title=title)

    def _repr_html_(self) -> str:
        return framed(self.to_html())

    def loop_drawing(self) -> LoopDrawing:
        """The loop's graph as it was compiled, how often each node was visited, and which edges were taken.

        A saved run is enough for it. In a notebook it is a drawing with a slider over the steps; the run's page has it,
        too.
        """
        return LoopDrawing(self.events)

    def metrics(self, prices: Prices | None = None) -> RunMetrics:
        """The run in numbers: attempts, verdict, failures by kind, tokens, time; `summarize` puts many together.

        Of several runs side by side the numbers are added up, and the verdict is the worst; `runs` has each of them.

        Args:
            prices: of the models, for `cost`.

        Raises:
            ValueError: `prices` are none.
        """
        return metrics_of(self.events, prices)

    def save(self, path: str | Path) -> Path:
        """Write the events, one JSON object a line, whole or not at all; `from_run` reads them back.

        Raises:
            OSError: the file cannot be written.
            ValueError: the path is blank, an address or a folder, or ends as a file of another format does.
        """
        target = run_path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, self.to_jsonl().encode("ascii"))
        return target

    def to_jsonl(self) -> str:
        """What `save` writes: the events, one JSON object a line, in ASCII."""
        # Escaped: a model may write half a surrogate pair, or line ends that only some readers know.
        return "".join(f"{dumps(event)}\n" for event in self.events)
