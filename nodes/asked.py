"""What a run is asked for: a text of its own, or messages whose last one, the user's, is it; and the answer to it."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.config import get_config

from ..models.messages import content_parts, documents_in, whole_characters


def asked(state: Mapping[str, Any], key: str) -> tuple[object, AnyMessage | None]:
    """What the run is to do, unchecked, and the message that says so, if one does.

    Args:
        state: of the thread, with `messages`, and with `heard`, the id of the last one that a run has seen.
        key: of the text in the state.
    """
    given, messages = state.get(key), _messages(state)
    # A state keeps the text of the thread's last run, whose effects must not come twice.
    is_taken = isinstance(given, str) and state.get("events") and getattr(given, "number", None) == state.get("taken")
    given = None if is_taken else given
    if given or not messages or messages[-1].id == state.get("heard", ""):
        return given, None
    last = messages[-1]
    if last.type != "human":
        return None, None
    return "\n\n".join(filter(None, [content_parts(last)[1], *documents_in(last)])), last


def checked_text(given: object, state: Mapping[str, Any], key: str, wanted: str) -> str:
    """That text; a `ValueError` says what to invoke the graph with.

    Args:
        given: what `asked` found.
        state: of the thread.
        key: of the text in the state.
        wanted: what the text says, in words.
    """
    messages, right = _messages(state), f'invoke the graph with {{"{key}": "{wanted}"}}'
    if given is None and messages and messages[-1].id != state.get("heard"):
        raise ValueError(f"the last message is of the type {messages[-1].type!r}: end with the user's, or {right}")
    if given is None and state.get("events"):
        raise ValueError(
            f"there is no new {key}: {right} or a new message of the user's. A run that had not ended goes on from its "
            "own last checkpoint: see `get_state_history`"
        )
    if not isinstance(given, (str, NoneType)):
        raise ValueError(f"{key} has to be a text, got {type(given).__name__}")
    if not given or not given.strip():
        raise ValueError(f"{key} is empty: {right}{_around(key) if given is None else ''}")
    return whole_characters(given)


def _around(key: str) -> str:
    """Of a graph that is a node: where it looks for what it is to do."""
    inside = "|" in str((get_config().get("configurable") or {}).get("checkpoint_ns", ""))
    hint = f". As a node it reads `{key}` or `messages` of the state around it; for other keys, invoke it in a node"
    return hint if inside else ""


def answered(state: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """What the last node of a run writes of its messages: the answer, if one of them asked, and how far it has seen."""
    messages = _messages(state)
    if messages and state.get("heard"):
        # Others may have added to them meanwhile: what the user answered, or the question as it was shown.
        said = AIMessage(answer, id=uuid4().hex)
        return {"messages": [said], "heard": said.id}
    return {"heard": messages[-1].id if messages else None}


def _messages(state: Mapping[str, Any]) -> list[AnyMessage]:
    return cast("list[AnyMessage]", state.get("messages") or [])
