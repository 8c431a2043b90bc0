"""The Context Graph: a run's events as a `networkx.MultiDiGraph`, built on read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import networkx as nx

from .errors import RunFileError
from .events import EVENT_VERSION, Event


class ContextGraph:
    """What happened in a run, and what led to what.

    Every event is a node (its id; attributes `kind`, `seq`, `time` and the event's data); every link an edge from the
    earlier event to the later one, with its `relation` (`led_to`, `verified`, `failed`, `revised`, `retried`,
    `learned_from`) and, where something failed, the `error`.

    Args:
        events: of one run, in any order; an event that comes twice counts once.

    Raises:
        RunFileError: an event is of a version this library does not know, or is no event.

    Example:
        >>> graph = ContextGraph.from_run(result)                    # doctest: +SKIP
        >>> [data["kind"] for _, data in graph.nx.nodes(data=True)]  # doctest: +SKIP
        ['goal', 'thought', 'attempt', 'verdict', 'outcome']
    """

    def __init__(self, events: Iterable[Event]) -> None:
        known: dict[str, Event] = {}
        for event in events:
            try:
                if event["version"] > EVENT_VERSION:
                    raise RunFileError(
                        f"event version {event['version']} is newer than {EVENT_VERSION}: upgrade thoughtgraph"
                    )
                known[event["id"]] = event
            except (KeyError, TypeError) as problem:
                raise RunFileError(f"not an event: {str(event)[:120]}") from problem
        self.events: list[Event] = sorted(known.values(), key=lambda event: event["seq"])

    @classmethod
    def from_run(cls, run: Mapping[str, Any] | str | Path) -> ContextGraph:
        """Read a run: what a graph returned, or a file that `save` wrote.

        Raises:
            RunFileError: it holds no events, or cannot be read.
        """
        if isinstance(run, Mapping):
            if "events" not in run:
                raise RunFileError("the run has no events: pass what a thoughtgraph graph returned")
            return cls(cast("list[Event]", run["events"]))
        try:
            lines = Path(run).read_text(encoding="utf-8").split("\n")
            return cls(cast("list[Event]", [json.loads(line) for line in lines if line.strip()]))
        except (OSError, ValueError) as problem:
            raise RunFileError(f"cannot read the run {run}: {problem}") from problem

    @cached_property
    def nx(self) -> nx.MultiDiGraph[str]:
        """The graph."""
        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        for event in self.events:
            about: dict[str, Any] = {"kind": event["kind"], "seq": event["seq"], "time": event["time"]}
            graph.add_node(event["id"], **about, data=event["data"])
        for event in self.events:
            for link in event["links"]:
                error = {"error": link["error"]} if "error" in link else {}
                graph.add_edge(link["source"], event["id"], relation=link["relation"], **error)
        return graph

    def save(self, path: str | Path) -> Path:
        """Write the events, one JSON object a line; `from_run` reads them back."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Escaped to ASCII: a model may write half a surrogate pair, or line ends that only some readers know.
        partial = target.with_name(f"{target.name}.partial")
        partial.write_text("".join(f"{json.dumps(event)}\n" for event in self.events), encoding="ascii")
        partial.replace(target)
        return target
