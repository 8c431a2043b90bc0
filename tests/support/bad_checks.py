"""What has to hold for a run against a bad model, whatever it said: each check returns what is wrong, a line each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, get_args

import networkx as nx
from langchain_core.exceptions import ModelError
from support.bad_replies import Drawn
from thoughtgraph import ContextGraph
from thoughtgraph.errors import ModelUnavailableError, RedirectRefusedError
from thoughtgraph.traces.shapes import StopKind

CALLS = 5
"""Calls in all that one request is worth, as the back-off has it."""
_MOST_EXPORTED = 300_000
"""Characters of a run up to which every run is exported; of the larger ones a sample is."""


def requests_problems(log: Sequence[Drawn], replies: int, streaming: bool) -> list[str]:
    """The server saw no more requests than budgets and retries allow.

    Args:
        log: what was answered.
        replies: that the budgets of the run allow, each of which may hit its cap once.
        streaming: faults inside of a stream are LangChain's to tell from replies.
    """
    problems: list[str] = []
    if len(log) > 2 * replies * CALLS:
        problems.append(f"{len(log)} requests for at most {replies} replies")
    if streaming:
        return problems
    read = sum(drawn.fate == "read" for drawn in log)
    if read > 2 * replies:
        problems.append(f"{read} replies were asked for, {replies} are allowed")
    streak = 0
    for place, drawn in enumerate(log):
        streak = streak + 1 if drawn.fate == "retried" else 0
        if streak >= CALLS and place + 1 < len(log):
            problems.append(f"the model was asked again after {CALLS} faults in a row")
            break
    return problems


def error_problems(error: BaseException, log: Sequence[Drawn], early: int) -> list[str]:
    """An error that ends a loop: only a refusal, and only before anything was achieved.

    Args:
        error: as raised.
        log: what was answered.
        early: replies that may come before anything is achieved.
    """
    refused = isinstance(error, (ModelError, RedirectRefusedError))
    refused = refused or isinstance(getattr(error, "status_code", None), int)
    read = sum(drawn.fate in ("read", "unknown") for drawn in log)
    if refused and not isinstance(error, ModelUnavailableError) and log and log[-1].fate == "refused":
        return [f"a refusal behind {read} replies was raised"] if read > early else []
    return [f"raised {type(error).__name__}: {str(error)[:200]!a}"]


def trace_problems(events: Sequence[Any], *, whole: bool = True) -> list[str]:
    """A trace without gaps, doubles or loose ends."""
    problems: list[str] = []
    own = [event for event in events if event["run_id"] == events[0]["run_id"]]
    if [event["seq"] for event in own] != list(range(len(own))):
        problems.append("the events' numbers have gaps")
    ids = [event["id"] for event in events]
    if len(set(ids)) != len(ids):
        problems.append("an event came twice")
    if events[0]["kind"] != "goal" or (whole and events[-1]["kind"] != "outcome"):
        problems.append(f"the trace goes from {events[0]['kind']} to {events[-1]['kind']}")
    known: set[str] = set()
    for event in events:
        if event["seq"] and not event["links"]:
            problems.append(f"{event['kind']} {event['seq']} follows from nothing")
        problems += [f"a link to {link['source']}" for link in event["links"] if link["source"] not in known]
        known.add(event["id"])
    return problems[:5]


def export_problems(run: Any, *, sample: bool) -> list[str]:
    """Every export works, and JSON and GraphML can be read back.

    Args:
        run: what the graph returned.
        sample: export a large run, too.
    """
    graph = ContextGraph.from_run(run)
    document = graph.to_json()
    if len(document) > _MOST_EXPORTED and not sample:
        return []
    problems: list[str] = []
    if ContextGraph.from_run(document).events != graph.events:
        problems.append("the JSON reads back as another run")
    read: Any = nx.parse_graphml(graph.to_graphml())
    if [json.loads(data["data"]) for _, data in read.nodes(data=True)] != [event["data"] for event in graph.events]:
        problems.append("the GraphML reads back as another run")
    if read.number_of_edges() != sum(len(event["links"]) for event in graph.events):
        problems.append("the GraphML lost an edge")
    mermaid = graph.to_mermaid()
    if len(mermaid) > 50_000:
        problems.append(f"the diagram has {len(mermaid)} characters")
    prov = json.loads(graph.to_prov())
    if len(prov["entity"]) != len(graph.events):
        problems.append("PROV lost an entity")
    for text in (document, mermaid, graph.to_prov(), graph.to_html(), graph.to_graphml()):
        text.encode()
    str(graph.why_stopped())
    for query in (graph.failures, graph.cost, graph.repeats, graph.metrics, graph.path_to_outcome):
        query()
    return problems


def budget_problems(events: Sequence[Any], budgets: dict[str, Any], slack: int) -> list[str]:
    """Nothing new was begun once a budget of tokens or seconds was spent.

    Args:
        events: of the run.
        budgets: `max_tokens` and `max_seconds`; None for none.
        slack: replies that may belong to what had been begun by then.
    """
    thoughts = [event["data"] for event in events if event["kind"] == "thought"]
    before = thoughts[: max(0, len(thoughts) - slack)]
    problems: list[str] = []
    tokens = sum(thought["usage"]["total_tokens"] for thought in before)
    if budgets["max_tokens"] is not None and tokens >= budgets["max_tokens"]:
        problems.append(f"{tokens} tokens of {budgets['max_tokens']} were used, and the run went on")
    seconds = sum(thought["seconds"] for thought in before)
    if budgets["max_seconds"] is not None and seconds >= budgets["max_seconds"] + 0.01 * len(before):
        problems.append(f"{seconds:.2f} seconds of {budgets['max_seconds']} were used, and the run went on")
    return problems


def usage_problems(result: Any) -> list[str]:
    """The tokens of a run are those of its replies, each a count."""
    spent = 0
    for event in result["events"]:
        if event["kind"] == "thought":
            usage = event["data"]["usage"]
            if not all(isinstance(count, int) and count >= 0 for count in usage.values()):
                return [f"a usage of {usage}"]
            spent += usage["total_tokens"]
    reported = result["usage"]["total_tokens"]
    return [f"{reported} tokens reported, {spent} used"] if reported < spent else []


def result_problems(result: Any) -> list[str]:
    """A typed reason, and nothing that JSON has no place for."""
    problems: list[str] = []
    kind = result["stop_reason"]["kind"]
    if kind not in get_args(StopKind):
        problems.append(f"a stop reason of kind {kind!r}")
    try:
        json.dumps({key: value for key, value in result.items() if key != "messages"}, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        problems.append(f"the result is no JSON: {error}")
    return problems


def reflection_problems(result: Any, settings: dict[str, Any]) -> list[str]:
    """What a reflection mode promises of its answer."""
    problems: list[str] = []
    attempts, answer, verdict = result["attempts"], result["answer"], result["verdict"]
    if len(attempts) > settings["max_attempts"]:
        problems.append(f"{len(attempts)} attempts of {settings['max_attempts']}")
    if [attempt["number"] for attempt in attempts] != list(range(1, len(attempts) + 1)):
        problems.append("the attempts' numbers have gaps")
    answers = [attempt["answer"] for attempt in attempts if attempt["answer"] is not None]
    if answer not in answers and (answer or answers):
        problems.append("the answer is of no attempt")
    if verdict == "passed" and not (settings["verifier"] and "right" in answer):
        problems.append("an answer that nothing passed is reported as passed")
    kind = result["stop_reason"]["kind"]
    if (verdict == "passed") != (kind == "passed"):
        problems.append(f"the verdict {verdict} with the stop reason {kind}")
    return problems


def plan_act_problems(result: Any, settings: dict[str, Any]) -> list[str]:
    """What the plan-act loop promises of its answer."""
    problems: list[str] = []
    if not result["response"].strip():
        problems.append("an empty response")
    if result["steps"] > settings["max_steps"] + 1:
        problems.append(f"{result['steps']} steps of {settings['max_steps']}")
    if any(len(seen["result"]) > 10_000 for seen in result["observations"]):
        problems.append("an observation that was not cut")
    return problems
