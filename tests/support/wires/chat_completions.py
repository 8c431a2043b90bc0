"""OpenAI's Chat Completions as compatible servers of thinking models send them; DeepSeek's API has the same shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .server import INPUT_TOKENS, OUTPUT_TOKENS, Said, events, halves

_USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}


def reason(said: Said) -> str:
    """Why the model stopped."""
    return "length" if said.is_cut else "stop"


class ChatCompletions:
    """The API of OpenAI and of whoever imitates it."""

    content_type = "text/event-stream"

    def whole(self, said: Said) -> dict[str, Any]:
        """One choice."""
        thought = {"reasoning_content": said.reasoning} if said.reasoning else {}
        message = {"role": "assistant", "content": said.text, **thought}
        choice = {"index": 0, "message": message, "finish_reason": reason(said), "logprobs": None}
        return {**_frame("chat.completion"), "choices": [choice], "usage": _USAGE}

    def streamed(self, said: Said) -> Iterator[bytes]:
        """Reasoning first, then the reply, then why it ended and what it cost."""
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"reasoning_content": piece} for piece in halves(said.reasoning)]
        deltas += [{"content": piece} for piece in halves(said.text)]
        frame = _frame("chat.completion.chunk")
        choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": reason(said)})
        yield from events(*({**frame, "choices": [choice]} for choice in choices))
        yield from events({**frame, "choices": [], "usage": _USAGE})
        yield b"data: [DONE]\n\n"

    def is_stream(self, path: str, body: dict[str, Any]) -> bool:
        """The body says so."""
        return bool(body.get("stream"))

    def error(self, said: Said) -> tuple[dict[str, Any], dict[str, str]]:
        """An `error` object."""
        return {"error": {"message": said.text, "type": "error", "param": None, "code": None}}, {}


def _frame(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": "scripted"}
