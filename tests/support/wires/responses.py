"""OpenAI's Responses API: items of output, reasoning as a summary or, from open models, as its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .server import INPUT_TOKENS, OUTPUT_TOKENS, Said, events, halves


class Responses:
    """The Responses API.

    Args:
        in_full: send the text of the reasoning, as servers of open models do, instead of a summary.
    """

    content_type = "text/event-stream"

    def __init__(self, in_full: bool = False) -> None:
        self._in_full = in_full

    def whole(self, said: Said) -> dict[str, Any]:
        """A response with its items."""
        items = [self._reasoning(said.reasoning)] if said.reasoning else []
        return _response(said, [*items, _message(said)])

    def streamed(self, said: Said) -> Iterator[bytes]:
        """Every item is added, written and done."""
        number = 0
        told: list[dict[str, Any]] = [{"type": "response.created", "response": _response(said, [], "in_progress")}]
        if said.reasoning:
            told += self._thought(said.reasoning)
            number = 1
        at = {"output_index": number, "item_id": "msg_1", "content_index": 0}
        begun = {**_message(Said()), "content": [], "status": "in_progress"}
        told += [
            {"type": "response.output_item.added", "output_index": number, "item": begun},
            {"type": "response.content_part.added", **at, "part": _message(Said())["content"][0]},
            *({"type": "response.output_text.delta", **at, "delta": p, "logprobs": []} for p in halves(said.text)),
            {"type": "response.output_text.done", **at, "text": said.text, "logprobs": []},
            {"type": "response.content_part.done", **at, "part": _message(said)["content"][0]},
            {"type": "response.output_item.done", "output_index": number, "item": _message(said)},
        ]
        ended = "response.incomplete" if said.is_cut else "response.completed"
        told.append({"type": ended, "response": self.whole(said)})
        yield from events(*({**event, "sequence_number": n} for n, event in enumerate(told)), named=True)

    def _thought(self, text: str) -> list[dict[str, Any]]:
        done, begun = self._reasoning(text), {"id": "rs_1", "type": "reasoning", "summary": []}
        at: dict[str, Any] = {"output_index": 0, "item_id": "rs_1"}
        if self._in_full:
            deltas = [
                {"type": "response.reasoning_text.delta", **at, "content_index": 0, "delta": piece}
                for piece in halves(text)
            ]
        else:
            at["summary_index"] = 0
            added = {
                "type": "response.reasoning_summary_part.added",
                **at,
                "part": {"type": "summary_text", "text": ""},
            }
            deltas = [
                added,
                *({"type": "response.reasoning_summary_text.delta", **at, "delta": p} for p in halves(text)),
            ]
        return [
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
            *deltas,
            {"type": "response.output_item.done", "output_index": 0, "item": done},
        ]

    def _reasoning(self, text: str) -> dict[str, Any]:
        item: dict[str, Any] = {"id": "rs_1", "type": "reasoning", "summary": []}
        if self._in_full:
            return {**item, "content": [{"type": "reasoning_text", "text": text}]}
        return {**item, "summary": [{"type": "summary_text", "text": text}], "encrypted_content": "sealed"}

    def is_stream(self, path: str, body: dict[str, Any]) -> bool:
        """The body says so."""
        return bool(body.get("stream"))

    def error(self, said: Said) -> tuple[dict[str, Any], dict[str, str]]:
        """An `error` object."""
        return {"error": {"message": said.text, "type": "error", "param": None, "code": None}}, {}


def _message(said: Said) -> dict[str, Any]:
    part = {"type": "output_text", "text": said.text, "annotations": [], "logprobs": []}
    status = "incomplete" if said.is_cut else "completed"
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": status, "content": [part]}


def _response(said: Said, items: list[dict[str, Any]], status: str = "") -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "scripted",
        "status": status or ("incomplete" if said.is_cut else "completed"),
        "incomplete_details": {"reason": "max_output_tokens"} if said.is_cut else None,
        "error": None,
        "instructions": None,
        "metadata": {},
        "output": items,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        # LangChain reads it only if it asked for a schema.
        "text": {"format": {"type": "json_schema", "name": "Answer", "schema": {"type": "object"}}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": INPUT_TOKENS,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": OUTPUT_TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        },
    }
