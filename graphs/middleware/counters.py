"""The agent guards' counters, read from the messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolCall, ToolMessage
from typing_extensions import TypedDict

from ...models.messages import NO_USAGE, add_usage
from ...models.streams.pieces import cost_of
from ...nodes.plan_act.guards import Guards, trail_length, would_repeat
from ...nodes.plan_act.plans.marks import CallMark, call_fingerprint, mark_of
from ...traces.lookup import number
from ...traces.shapes import Action, StopReason, Usage
from .messages import last_reply, rounds_of

REFUSED = {"refused": "repeated call"}
"""Artifact of the tool message for a call that was not executed; artifacts are never sent to a provider."""
SECONDS = "thoughtgraph_seconds"
"""The key in a tool message's `response_metadata` for how long the call took."""
CallKey = tuple[str | None, str | None]
"""A tool call: the ids of its message and of the call."""


class Counters(TypedDict):
    """One guard's counters for the current run.

    Attributes:
        seen: id of the last AI message whose tool calls are counted; "" for none.
        trail: the latest calls, oldest first.
        calls: executed calls of tools that are not exempt.
        errors: how many of those failed.
        steps: model calls.
        usage: tokens of the model calls.
        seconds: time in the model and in tools; parallel tools count only as long as the slowest.
        warned: limits that are near and about which the model has been warned.
        stop: why this guard ends the run; None until it does.
    """

    seen: str
    trail: list[CallMark]
    calls: int
    errors: int
    steps: int
    usage: Usage
    seconds: float
    warned: list[str]
    stop: StopReason | None


def fresh_counters(messages: Sequence[AnyMessage]) -> Counters:
    """The counters at the start of a run; earlier messages of the conversation do not count."""
    last = last_reply(messages)
    return Counters(
        seen=(last.id or "") if last else "",
        trail=[],
        calls=0,
        errors=0,
        steps=0,
        usage=NO_USAGE,
        seconds=0.0,
        warned=[],
        stop=None,
    )


def merged(before: dict[str, Counters], after: dict[str, Counters]) -> dict[str, Counters]:
    """Reducer: each guard updates only its own counters."""
    return {**before, **after}


def with_results(
    counters: Counters, messages: Sequence[AnyMessage], guards: Guards, raised: Collection[CallKey] = ()
) -> Counters:
    """The counters updated with the results of the last AI message's tool calls, in the order of the calls.

    A call that is among `raised` has failed, whatever its message says.
    """
    rounds = rounds_of(messages)
    if not rounds or rounds[-1][0].id == counters["seen"]:
        return counters
    reply, answered = rounds[-1]
    trail, calls, errors, slowest = list(counters["trail"]), counters["calls"], counters["errors"], 0.0
    refused_now: set[str] = set()
    for call, result in answered:
        action, refused = _action(call), _is_refusal(result.artifact)
        ok = result.status != "error" and (reply.id, call["id"]) not in raised
        mark = mark_of(action, ok, _result_text(result), refused=refused)
        if not (refused and mark["call"] in refused_now):
            # One message counts once, however often it repeats the call: the model has seen one refusal.
            trail.append(mark)
        if refused:
            refused_now.add(mark["call"])
            continue
        counts = call["name"] not in guards.exempt_tools
        calls += counts
        errors += counts and not mark["ok"]
        slowest = max(slowest, number(result.response_metadata.get(SECONDS)))
    return {
        **counters,
        "seen": reply.id or "",
        "trail": trail[-trail_length(guards) :],
        "calls": calls,
        "errors": errors,
        "seconds": counters["seconds"] + slowest,
    }


def with_model_call(
    counters: Counters, sent: Sequence[BaseMessage], replies: Sequence[BaseMessage], seconds: float, warned: list[str]
) -> Counters:
    """The counters updated with one more model call."""
    told = (cost_of(reply, sent) for reply in replies if isinstance(reply, AIMessage))
    usage = add_usage(counters["usage"], *told)
    taken = counters["seconds"] + seconds
    return {**counters, "steps": counters["steps"] + 1, "usage": usage, "seconds": taken, "warned": warned}


def is_repeat(counters: Counters, messages: Sequence[AnyMessage], call: ToolCall, guards: Guards) -> bool:
    """Whether a pending call only repeats the last ones; not if a different call precedes it in the message."""
    if not would_repeat(counters, _action(call), guards):
        return False
    reply = last_reply(messages)
    earlier = takewhile(lambda other: other["id"] != call["id"], reply.tool_calls if reply else ())
    fingerprint = call_fingerprint(_action(call))
    return all(call_fingerprint(_action(other)) == fingerprint for other in earlier)


def _action(call: ToolCall) -> Action:
    return Action(tool=call["name"], input=call["args"])


def _is_refusal(artifact: object) -> bool:
    # Other artifacts can be anything, such as data frames, whose comparison does not give a bool.
    if type(artifact) is not dict:
        return False
    mark = cast("dict[Any, Any]", artifact)
    return mark.keys() == REFUSED.keys() and all(isinstance(value, str) for value in mark.values()) and mark == REFUSED


def _result_text(result: ToolMessage) -> str:
    content = cast(object, result.content)
    return content if isinstance(content, str) else json.dumps(content, sort_keys=True, default=str)
