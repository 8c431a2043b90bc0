"""Finds what a run is asked to do, in its own key (`task`, `goal`) or in the last message; and writes the answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.config import get_config

from ..models.messages import content_parts, documents_in, whole_characters


def asked(state: Mapping[str, Any], key: str) -> tuple[object, AnyMessage | None]:
    """What the run is to do, unchecked, and the message that it comes from; None for the message if the key has it.

    Args:
        state: the thread's state, with `messages`, and with `last_read`: the id of the last message that a run has
            read.
        key: the key of the text in the state.
    """
    given, messages = state.get(key), _messages(state)
    # The state still has the text of the thread's last run, which must not be run twice.
    number = getattr(given, "number", None)
    is_used = isinstance(given, str) and state.get("events") and number == state.get("given_number")
    given = None if is_used else given
    if given or not messages or messages[-1].id == state.get("last_read", ""):
        return given, None
    last = messages[-1]
    if last.type != "human":
        return None, None
    return "\n\n".join(filter(None, [content_parts(last)[1], *documents_in(last)])), last


def checked_text(given: object, state: Mapping[str, Any], key: str, wanted: str) -> str:
    """The text that `asked` found, checked.

    Args:
        given: what `asked` found.
        state: the thread's state.
        key: the key of the text in the state.
        wanted: what the text has to say, for the error.

    Raises:
        ValueError: there is no text; the message says what to invoke the graph with.
    """
    messages, right = _messages(state), f'invoke the graph with {{"{key}": "{wanted}"}}'
    if given is None and messages and messages[-1].id != state.get("last_read"):
        raise ValueError(f"the last message is of the type {messages[-1].type!r}: end with the user's, or {right}")
    if given is None and state.get("events"):
        raise ValueError(
            f"there is no new {key}: {right} or a new message of the user's. A run that had not ended goes on from its "
            "own last checkpoint: see `get_state_history`"
        )
    if not isinstance(given, (str, NoneType)):
        raise ValueError(f"{key} has to be a text, got {type(given).__name__}")
    if not given or not given.strip():
        raise ValueError(f"{key} is empty: {right}{_subgraph_hint(key) if given is None else ''}")
    return whole_characters(given)


def _subgraph_hint(key: str) -> str:
    """Where a graph that is a node of another graph looks for its task; "" for any other graph."""
    inside = "|" in str((get_config().get("configurable") or {}).get("checkpoint_ns", ""))
    hint = f". As a node it reads `{key}` or `messages` of the state around it; for other keys, invoke it in a node"
    return hint if inside else ""


def answered(state: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """The last node's update: the answer as a message, if a message asked for it, and the id of the last message."""
    messages = _messages(state)
    if messages and state.get("last_read"):
        # Messages may have been added meanwhile, such as a question and the user's answer. All count as seen.
        message = AIMessage(answer, id=uuid4().hex)
        return {"messages": [message], "last_read": message.id}
    return {"last_read": messages[-1].id if messages else None}


def _messages(state: Mapping[str, Any]) -> list[AnyMessage]:
    return cast("list[AnyMessage]", state.get("messages") or [])
