"""The trace of a run of LangChain's `create_agent`, or of any graph with messages, read from its messages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ..._internal.strict_json import dumps, entries, mapping
from ..events import Event, Link, Recorder
from ..lookup import number
from ..shapes import StopReason, Usage

_TOLD = (HumanMessage, AIMessage, ToolMessage)
_COUNTS = ("input_tokens", "output_tokens", "total_tokens", "cached_tokens")


def events_of(run: Any) -> list[Event]:
    """What a graph with messages did, as events.

    The first user's message is the goal, later ones are what the user answered; every reply is a thought, every tool
    call an action, every tool message an observation, the last reply the outcome. The trace of a run inside a tool
    comes with the tool's artifact. Messages hold no times: those of the events are when they were read.

    Args:
        run: what the graph returned: `messages`, and `stop_reason` where this library's middleware ended the run.
    """
    messages = [message for message in entries(mapping(run).get("messages")) if isinstance(message, BaseMessage)]
    recorder = Recorder(_run_id(messages))
    conversation = [message for message in messages if isinstance(message, _TOLD)]
    if conversation and isinstance(conversation[0], HumanMessage):
        recorder.add("goal", task=conversation[0].text, mode="messages")
    add_messages(recorder, conversation[len(recorder.events) :], [])
    replies = [message for message in messages if isinstance(message, AIMessage)]
    usages = list(map(_usage, replies))
    total = Usage(**{name: sum(usage[name] for usage in usages) for name in _COUNTS})
    steps = sum(len(reply.tool_calls) for reply in replies)
    answer = next((reply.text for reply in reversed(replies) if reply.text), "")
    stopped: Any = mapping(run).get("stop_reason")
    last = messages[-1] if messages else None
    if stopped or (isinstance(last, AIMessage) and not last.tool_calls):
        reason = stopped or StopReason(kind="answered", value=steps, limit=None)
        recorder.add("outcome", recorder.after_last(), response=answer, stop_reason=reason, steps=steps, usage=total)
    return recorder.events


def add_messages(recorder: Recorder, messages: Sequence[BaseMessage], cause: Sequence[Link]) -> None:
    """Record messages after the first: of the user, of a model, and of tools.

    Args:
        recorder: what is recorded goes on where it ends.
        messages: in their order.
        cause: what led to the first of them, where the recorder holds no event yet.
    """
    calls: dict[str, tuple[str, str, dict[str, Any]]] = {}
    for message in messages:
        links = recorder.after_last() or cause
        if isinstance(message, HumanMessage):
            recorder.add("observation", links, tool="ask_user", input="", ok=True, result=message.text)
        elif isinstance(message, AIMessage):
            said = recorder.add(
                "thought",
                links,
                reply=message.text,
                reasoning=_reasoning(message),
                usage=_usage(message),
                seconds=0.0,
                feedback="",
            )
            for call in message.tool_calls:
                key = call["id"] or ""
                link = [Link(source=said, relation="led_to")]
                step = len(calls) + 1
                action = recorder.add(
                    "action", link, tool=call["name"], input=call["args"], key=key, steps=step, max_steps=0
                )
                calls[key] = (action, call["name"], call["args"])
        elif isinstance(message, ToolMessage):
            ok = message.status != "error"
            action, name, given = calls.get(message.tool_call_id, ("", message.name or "", {}))
            link = [Link(source=action, relation="led_to" if ok else "failed")] if action else links
            recorder.adopt(entries(mapping(message.artifact).get("events")), link)
            recorder.add("observation", link, tool=name, input=given, ok=ok, result=message.text)


def _usage(message: AIMessage) -> Usage:
    reported = mapping(message.usage_metadata)
    cached = mapping(reported.get("input_token_details")).get("cache_read")
    return Usage(**{name: int(number({**reported, "cached_tokens": cached}.get(name))) for name in _COUNTS})


def _reasoning(message: AIMessage) -> str:
    blocks = [block for block in message.content if isinstance(block, dict)]
    parts = [message.additional_kwargs.get("reasoning_content")]
    parts += [block.get("thinking") or block.get("reasoning") for block in blocks]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _run_id(messages: Sequence[BaseMessage]) -> str:
    """The same for the same messages, so that two readings are one run."""
    content = dumps([[message.type, message.id or "", message.text] for message in messages])
    return hashlib.sha256(content.encode()).hexdigest()[:12]
