"""Mistral's chat completions: reasoning is a block of the content, with its text in a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .chat_completions import ChatCompletions, reason
from .server import INPUT_TOKENS, OUTPUT_TOKENS, Said, events, halves

_USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}


def thinking(text: str) -> dict[str, Any]:
    """A block of reasoning."""
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}


class Mistral(ChatCompletions):
    """Mistral's API."""

    def whole(self, said: Said) -> dict[str, Any]:
        """One choice; its content is a list if the model reasoned."""
        blocks = [thinking(said.reasoning), {"type": "text", "text": said.text}]
        message = {"role": "assistant", "content": blocks if said.reasoning else said.text}
        choice = {"index": 0, "message": message, "finish_reason": reason(said)}
        return {"id": "1", "object": "chat.completion", "model": "scripted", "choices": [choice], "usage": _USAGE}

    def streamed(self, said: Said) -> Iterator[bytes]:
        """Blocks of reasoning in pieces, then the reply as text."""
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": [thinking(piece)]} for piece in halves(said.reasoning)]
        deltas += [{"content": piece} for piece in halves(said.text)]
        frame = {"id": "1", "object": "chat.completion.chunk", "model": "scripted"}
        yield from events(*({**frame, "choices": [{"index": 0, "delta": delta}]} for delta in deltas))
        last = {"index": 0, "delta": {"content": ""}, "finish_reason": reason(said)}
        yield from events({**frame, "choices": [last], "usage": _USAGE})
        yield b"data: [DONE]\n\n"
