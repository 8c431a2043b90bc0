"""Replies for a scripted model, and what the requests it records must look like."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage
from thoughtgraph.models import ScriptedModel as ScriptedModel


def code(body: str) -> str:
    """A reply with one Python block."""
    return f"Here it is:\n\n```python\n{body}\n```\n"


def lint_order(requests: Sequence[Sequence[BaseMessage]]) -> None:
    """Assert what chat templates demand: one leading system message at most, then user and assistant in turns."""
    for request in requests:
        kinds = [message.type for message in request]
        turns = kinds[1:] if kinds[0] == "system" else kinds
        assert "system" not in turns, kinds
        assert turns == (["human", "ai"] * len(turns))[: len(turns)], kinds
        assert turns[-1] == "human", kinds
        assert all(message.content for message in request), "an empty turn"
