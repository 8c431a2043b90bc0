"""Gemini's `generateContent`: reasoning is a part of the content that is marked as a thought."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .server import INPUT_TOKENS, OUTPUT_TOKENS, Said, events, halves


class Gemini:
    """Gemini's API."""

    content_type = "text/event-stream"

    def whole(self, said: Said) -> dict[str, Any]:
        """One candidate."""
        thought = [{"text": said.reasoning, "thought": True}] if said.reasoning else []
        return _answer([*thought, {"text": said.text}], said)

    def streamed(self, said: Said) -> Iterator[bytes]:
        """Candidates in pieces; the last says why it ended."""
        parts: list[dict[str, Any]] = [{"text": piece, "thought": True} for piece in halves(said.reasoning)]
        *parts, last = [*parts, *({"text": piece} for piece in halves(said.text))]
        yield from events(*(_answer([part], None) for part in parts), _answer([last], said))

    def is_stream(self, path: str, body: dict[str, Any]) -> bool:
        """The address says so."""
        return "streamGenerateContent" in path

    def error(self, said: Said) -> tuple[dict[str, Any], dict[str, str]]:
        """An `error` object."""
        return {"error": {"code": said.status, "message": said.text, "status": "FAILED"}}, {}


def _answer(parts: list[dict[str, Any]], ended: Said | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    answer: dict[str, Any] = {"candidates": [candidate], "modelVersion": "scripted"}
    if ended:
        candidate["finishReason"] = "MAX_TOKENS" if ended.is_cut else "STOP"
        counts = {"promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": OUTPUT_TOKENS}
        answer["usageMetadata"] = {**counts, "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS}
    return answer
