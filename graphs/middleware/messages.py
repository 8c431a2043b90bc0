"""An agent's messages: what is read from them, and how words to the model are put among them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from ..._internal.fences import fenced
from ..._internal.texts import Language
from ...models.messages import content_parts
from ...nodes.plan_act.prompts.report import why
from ...nodes.plan_act.prompts.texts import text
from ...parsers.wrapping import split_think
from ...traces.lookup import brief
from ...traces.shapes import StopReason

_FOLDED = "thoughtgraph_folded"
"""Key in the `response_metadata` of a message to which a guard has added text; another guard may add more."""
_SOURCE = "lc_source"
"""LangChain's key for what has made a message that is neither the user's nor the model's."""
_GUARD = "guard"
_SHOWN = 200
_LINES = 20


def folded(messages: Sequence[AnyMessage], words: str) -> list[AnyMessage]:
    """A copy of the messages with words added to the last tool result or user turn, for one request only.

    A separate message would break the order that some chat templates require. A tool's result becomes a block of its
    own, to keep it apart from the added words.
    """
    if not messages or not isinstance(messages[-1], (ToolMessage, HumanMessage)):
        return [*messages, HumanMessage(words)]
    last = messages[-1]
    raw_parts: list[Any] = [last.content] if isinstance(last.content, str) else last.content
    bare = isinstance(last, ToolMessage) and _FOLDED not in last.response_metadata
    parts = [_as_block(part) for part in raw_parts] if bare else raw_parts
    content = f"{parts[0]}\n\n{words}" if isinstance(last.content, str) else [*parts, {"type": "text", "text": words}]
    metadata = {**last.response_metadata, _FOLDED: True}
    return [*messages[:-1], last.model_copy(update={"content": content, "response_metadata": metadata})]


def _as_block(part: Any) -> Any:
    if isinstance(part, str):
        return fenced(part)
    return {**part, "text": fenced(part["text"])} if isinstance(part.get("text"), str) else part


def best_reply(replies: Sequence[BaseMessage]) -> AIMessage | None:
    """The last AI message without its tool calls; None if it has no text."""
    reply = last_reply(replies)
    if reply is None:
        return None
    words = split_think(content_parts(reply)[1])[1].strip()
    if not words:
        return None
    if not (reply.tool_calls or reply.invalid_tool_calls):
        return reply
    return AIMessage(words, id=reply.id, name=reply.name, usage_metadata=reply.usage_metadata)


def known_so_far(messages: Sequence[AnyMessage], stop: StopReason, failure: str, language: Language) -> AIMessage:
    """The last message if the last model call gave none: the results since the user's turn, and why the run stopped."""
    turn = list(takewhile(lambda message: not _is_users(message), reversed(messages)))[::-1]
    lines: list[str] = []
    for _, answered in rounds_of(turn):
        for call, result in answered:
            if result.status != "error":
                arguments = json.dumps(call["args"], ensure_ascii=False, default=str)
                lines.append(f"- {call['name']} {brief(arguments, _SHOWN)} → {brief(result.text, _SHOWN)}")
    known = list(dict.fromkeys(lines))[-_LINES:] or [f"- {text(language, 'end.nothing_done')}"]
    parts = [text(language, "end.done"), *known, f"{text(language, 'end.why')} {why(language, stop)}"]
    if failure:
        parts.append(text(language, "why.model_unavailable", value=brief(failure, _SHOWN)))
    return AIMessage("\n".join(parts), additional_kwargs={_SOURCE: _GUARD})


def last_said(messages: Sequence[AnyMessage]) -> AnyMessage:
    """The message that may be an answer; what was sent back to the model is none."""
    return next((message for message in reversed(messages) if not isinstance(message, HumanMessage)), messages[-1])


def in_place_of_an_answer(messages: Sequence[AnyMessage], replied: str | None, answered: str) -> str:
    """What a middleware says in place of an answer, where it ends the run before the model has given one; "" where the
    model has, or where nobody noted what was its own.

    Args:
        messages: of the run.
        replied: the id of the model's last message, "" before the first; None if that was not noted.
        answered: the id of the message that was judged last.
    """
    last = last_said(messages)
    if last.additional_kwargs.get(_SOURCE) == _GUARD:
        return last.text
    if replied is None or not isinstance(last, AIMessage) or last.id == replied or _is_models(last):
        return ""
    own = next((message for message in messages if message.id == replied), None)
    if replied and own is None:
        # Another middleware has put one in its place.
        return ""
    has_answered = isinstance(own, AIMessage) and not own.tool_calls and replied != answered
    return "" if has_answered else content_parts(last)[1].strip() or "(no words)"


def _is_models(message: AIMessage) -> bool:
    """Whether a message bears the marks of a model's call: a middleware may end the run before anyone noted its id."""
    from_a_run = str(message.id or "").startswith(("lc_run-", "run-"))
    return from_a_run or bool(message.usage_metadata or message.response_metadata)


def sent_back(last: AnyMessage, words: str) -> AnyMessage:
    """What sends an answer back to the model: a turn of its own, or the result of the last tool with the words."""
    last_with_words = folded([last], words)[-1]
    return (
        last_with_words
        if isinstance(last_with_words, ToolMessage)
        else HumanMessage(words, additional_kwargs={_SOURCE: "verification"})
    )


def asked(messages: Sequence[BaseMessage]) -> str:
    """The text of the user's last message that has one; "" for none."""
    return next((message.text for message in reversed(messages) if _is_users(message) and message.text.strip()), "")


def _is_users(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and _SOURCE not in message.additional_kwargs


def last_reply(messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The last message of a model; None if there is none."""
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)


def rounds_of(messages: Sequence[BaseMessage]) -> list[tuple[AIMessage, list[tuple[ToolCall, ToolMessage]]]]:
    """Every AI message with its tool calls and their results, in the order of the calls."""
    rounds: list[tuple[AIMessage, list[tuple[ToolCall, ToolMessage]]]] = []
    behind: list[ToolMessage] = []
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            behind.append(message)
        elif isinstance(message, AIMessage):
            rounds.append((message, _answered(message.tool_calls, behind[::-1])))
            behind = []
    return rounds[::-1]


def _answered(calls: Sequence[ToolCall], results: Sequence[ToolMessage]) -> list[tuple[ToolCall, ToolMessage]]:
    # Some servers give all calls of a message the same id; their results then come in the order of the calls.
    by_id: dict[str, list[ToolMessage]] = {}
    for result in results:
        by_id.setdefault(result.tool_call_id, []).append(result)
    return [(call, found.pop(0)) for call in calls if (found := by_id.get(call["id"] or ""))]
