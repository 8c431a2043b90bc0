"""OpenTelemetry: which node, attempt and verdict a span belongs to, as attributes of the spans that LangChain's
instrumentation makes.

OpenInference's instrumentation turns every LangChain run (graph, node, model call, tool call) into a span. When such a
run ends, what the node wrote to the trace is read here and set on its span, while that is still open. No text of a
prompt, a reply or a result is. Nothing of OpenTelemetry is imported before `instrument()`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from .._internal.channel import written
from .._internal.strict_json import finite, mapping
from ..errors import MissingLibraryError
from .events import Event, EventKind, Recorded

if TYPE_CHECKING:
    from uuid import UUID

    from langchain_core.tracers.schemas import Run
    from opentelemetry.trace import TracerProvider

    _EndTrace = Callable[[Any, Run], None]

Attributes = dict[str, str | bool | int | float]

_logger = logging.getLogger(__name__)
_LONGEST = 100
_EVENT_FIELDS = Recorded.__required_keys__

_FAILED = {"kind": "failure", "failed_on": "failed_on"}
_FIELDS: dict[EventKind, dict[str, str]] = {
    "attempt": {"number": "attempt", "strategy": "strategy", "model": "model", "verdict": "verdict", **_FAILED},
    "verdict": {"status": "verdict", "score": "score", **_FAILED},
    "critique": {"attempt": "attempt", "by": "critique.by", "accepted": "critique.accepted", "score": "critique.score"},
    "reflection": {"attempt": "attempt"},
    "plan": {"phase": "phase", "steps": "steps", "max_steps": "max_steps"},
    "thought": {"item": "plan.item", "of": "plan.items", "steps": "steps", "max_steps": "max_steps"},
    "action": {"tool": "tool", "steps": "steps", "max_steps": "max_steps"},
    "observation": {"tool": "tool", "ok": "tool.ok", "kind_of_failure": "failure"},
    "outcome": {"verdict": "verdict", "best": "best_attempt", "steps": "steps"},
}
_NESTED: dict[EventKind, dict[tuple[str, str], str]] = {
    "thought": {("decision", "status"): "decision"},
    "outcome": {
        ("stop_reason", "kind"): "stop.kind",
        ("stop_reason", "limit"): "stop.limit",
        ("usage", "total_tokens"): "tokens",
    },
}


@dataclass(slots=True)
class _GraphRun:
    """What is known of a graph's run while it is running."""

    run_id: str
    mode: str = ""
    attempt: int | None = None
    summary: Attributes = field(default_factory=lambda: Attributes())


@dataclass(slots=True)
class _Installed:
    """What `instrument` changed, so that `uninstrument` can take it back."""

    tracer_type: Any
    end_trace: _EndTrace
    instrumentor: Any | None


_lock = Lock()
_installed: list[_Installed] = []
# By the id of the graph's LangChain run: every run has an end, in which its entry goes.
_graph_runs: dict[UUID, _GraphRun] = {}


def instrument(tracer_provider: TracerProvider | None = None) -> None:
    """Report runs to OpenTelemetry, as spans of OpenInference's instrumentation with `thoughtgraph.*` attributes.

    Turns `openinference.instrumentation.langchain` on if it is off. To mask inputs and outputs, or to set anything
    else of it, turn it on before. Calling this again without an argument changes nothing.
    The attributes are listed in docs/observability.md.

    Args:
        tracer_provider: where the spans go; by default OpenTelemetry's global one.

    Raises:
        MissingLibraryError: the extra `otel` is not installed.
        ValueError: a tracer provider is given, and LangChain is instrumented with another one already.

    Example:
        >>> instrument(provider)                                       # doctest: +SKIP
        >>> graph.invoke({"task": "Write `double(x)`."})["verdict"]    # doctest: +SKIP
        'passed'
    """
    with _lock:
        instrumentor, tracer_type = _instrumentation()
        if instrumentor.is_instrumented_by_opentelemetry:
            if tracer_provider is not None:
                raise ValueError(
                    "LangChain is instrumented already, and its spans go elsewhere: call instrument() without a tracer "
                    "provider, or uninstrument LangChain first"
                )
            turned_on = None
        else:
            instrumentor.instrument(tracer_provider=tracer_provider)
            if not instrumentor.is_instrumented_by_opentelemetry:
                raise MissingLibraryError(
                    "OpenInference refused to instrument the installed LangChain, and logged why: "
                    "pip install -U 'thoughtgraph[otel]'"
                )
            turned_on = instrumentor
        if not _installed:
            end_trace: _EndTrace = tracer_type._end_trace
            tracer_type._end_trace = _annotating(end_trace)
            _installed.append(_Installed(tracer_type, end_trace, turned_on))


def uninstrument() -> None:
    """Take `instrument` back; what it turned on is turned off. Without an `instrument` before, nothing happens."""
    with _lock:
        for installed in _installed:
            installed.tracer_type._end_trace = installed.end_trace
            if installed.instrumentor is not None:
                installed.instrumentor.uninstrument()
        _installed.clear()
        _graph_runs.clear()


def _instrumentation() -> tuple[Any, Any]:
    try:
        instrumentor = import_module("openinference.instrumentation.langchain").LangChainInstrumentor()
        # Its tracer is the one place that has a run and its open span together. A handler of our own beside it would
        # depend on being called first, and LangChain merges handlers as a set, without an order.
        return instrumentor, import_module("openinference.instrumentation.langchain._tracer").OpenInferenceTracer
    except (ImportError, AttributeError) as missing:
        raise MissingLibraryError(
            "spans are made by OpenInference's instrumentation of LangChain: pip install 'thoughtgraph[otel]'"
        ) from missing


def _annotating(end_trace: _EndTrace) -> _EndTrace:
    @wraps(end_trace)
    def end(tracer: Any, run: Run) -> None:
        try:
            attributes = _attributes_of(run, tracer.run_map)
            span = tracer.get_span(run.id) if attributes else None
            if span is not None:
                span.set_attributes({f"thoughtgraph.{name}": value for name, value in attributes.items()})
                if "node" in attributes:
                    for result in _evaluations(run, attributes.get("mode")):
                        span.add_event("gen_ai.evaluation.result", result)
        except Exception:  # the span has to end whatever we make of it
            _logger.exception("no thoughtgraph attributes on the span of %s", run.name)
        end_trace(tracer, run)

    return end


def _attributes_of(run: Run, running: Mapping[str, Run]) -> Attributes:
    """What belongs on a run's span: a run of one of our graphs, or of one of its nodes; {} for every other."""
    known = _graph_runs.pop(run.id, None)
    if known:
        return {**_identity(known), **known.summary}
    extra, outputs = cast("dict[str, Any]", run.extra or {}), cast("dict[str, Any]", run.outputs or {})
    metadata: Mapping[str, Any] = extra.get("metadata") or {}
    # Branches and models below a node carry its name in their metadata, too. A node that was cancelled may end after
    # its graph.
    ours = run.run_type == "chain" and run.name == metadata.get("langgraph_node")
    if not ours or run.parent_run_id is None or running.get(str(run.parent_run_id)) is None:
        return {}
    graph_run = _graph_run(run, run.parent_run_id)
    if graph_run is None:
        return {}
    attributes = _attributes_from(_without_inner_runs(_events_in(outputs)))
    number = attributes.get("attempt")
    if isinstance(number, int):
        graph_run.attempt = number
    elif "stop.kind" in attributes:
        graph_run.summary |= attributes
    elif graph_run.attempt is not None and "verdict" in attributes:
        attributes["attempt"] = graph_run.attempt
    if graph_run.attempt is not None:
        graph_run.summary["attempts"] = graph_run.attempt
    if (run.error or "").startswith("GraphInterrupt("):
        graph_run.summary["paused"] = attributes["paused"] = True
    return {"node": run.name, **_identity(graph_run), **attributes}


def _attributes_from(events: Sequence[Event]) -> Attributes:
    """The attributes, without their prefix, for what one node recorded; of two events that say the same, the later."""
    attributes: Attributes = {}
    thoughts = [event["data"] for event in events if event["kind"] == "thought"]
    if thoughts:
        attributes["replies"] = len(thoughts)
        attributes["replies.rejected"] = sum(1 for data in thoughts if data.get("feedback"))
    for event in events:
        kind, data = event["kind"], event["data"]
        for name, attribute in _FIELDS.get(kind, {}).items():
            _put(attributes, attribute, data.get(name))
        for (name, inner), attribute in _NESTED.get(kind, {}).items():
            nested = data.get(name)
            if isinstance(nested, Mapping):
                _put(attributes, attribute, cast("Mapping[str, Any]", nested).get(inner))
        if kind == "critique" and data.get("accepted") is None:
            # It could not be read: its score says nothing.
            attributes.pop("critique.score", None)
    return attributes


def _evaluations(run: Run, mode: object) -> list[Attributes]:
    """What a node judged, as OpenTelemetry's conventions for generative AI name it (status: development).

    https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-events.md. The
    explanation is the kind of failure: feedback may quote the answer, the tests or a secret of either.
    """
    results: list[Attributes] = []
    for event in _without_inner_runs(_events_in(cast("dict[str, Any]", run.outputs or {}))):
        attributes: Attributes = {}
        if event["kind"] == "verdict":
            status = event["data"].get("status")
            _put(attributes, "name", "plan_check" if mode == "plan_act" else "verifier")
            _put(attributes, "score.label", status)
            _put(attributes, "score.value", None if status == "unverified" else event["data"].get("score"))
            _put(attributes, "explanation", event["data"].get("kind"))
        elif event["kind"] == "critique":
            accepted = event["data"].get("accepted")
            _put(attributes, "name", event["data"].get("by"))
            _put(
                attributes, "score.label", "unreadable" if accepted is None else "accepted" if accepted else "rejected"
            )
            _put(attributes, "score.value", None if accepted is None else event["data"].get("score"))
        if attributes:
            results.append({f"gen_ai.evaluation.{name}": value for name, value in attributes.items()})
    return results


def _put(attributes: Attributes, name: str, value: object) -> None:
    if isinstance(value, str) and value:
        attributes[name] = value[:_LONGEST]
    elif isinstance(value, (bool, int, float)):
        attributes[name] = finite(value)


def _identity(graph_run: _GraphRun) -> Attributes:
    return {"run_id": graph_run.run_id, "mode": graph_run.mode} if graph_run.mode else {"run_id": graph_run.run_id}


def _graph_run(run: Run, parent: UUID) -> _GraphRun | None:
    """The run of our graph that a node belongs to: known, begun by this node, or resumed with it."""
    begun = _first_seen(cast("dict[str, Any]", run.outputs or {}))
    known = begun or _graph_runs.get(parent) or _first_seen(cast("dict[str, Any]", run.inputs or {}))
    if known:
        _graph_runs[parent] = known
    return known


def _first_seen(state: Mapping[str, Any]) -> _GraphRun | None:
    events = _without_inner_runs(_events_in(state))
    # A pair of graphs keeps its own things apart from those of its users.
    run_id = state.get("run_id") or mapping(state.get("pairing")).get("run_id")
    if not events or events[0]["kind"] != "goal" or run_id != events[-1]["run_id"]:
        return None
    seen = _GraphRun(events[0]["run_id"], mode=str(events[0]["data"].get("mode") or "")[:_LONGEST])
    numbers = (event["data"].get("number") for event in reversed(events) if event["kind"] == "attempt")
    seen.attempt = next(numbers, None)
    return seen


def _events_in(state: Mapping[str, Any]) -> list[Event]:
    given: Any = state.get("events")
    listed: Any = getattr(given, "value", given)
    found: list[Any] = written(given) if isinstance(listed, list) else []
    # A graph of somebody else may have a channel of that name.
    traced = all(isinstance(event, dict) and cast("dict[str, Any]", event).keys() >= _EVENT_FIELDS for event in found)
    return found if traced else []


def _without_inner_runs(events: list[Event]) -> list[Event]:
    """The events without those of runs inside tools, which are on the spans of these runs."""
    own: list[Event] = []
    inside = 0
    for place, event in enumerate(events):
        inside += event["kind"] == "goal" and place > 0
        if not inside:
            own.append(event)
        elif event["kind"] == "outcome":
            inside -= 1
    return own
