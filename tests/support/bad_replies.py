"""What a bad model and a bad server answer with, drawn by chance: faults, bodies of the wrong shape, hostile texts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from support.openai_server import Reply
from support.plan_act import act, ask, done, planned, replanned

MARK = "fault-3f9a"
"""Stands in every fault, and must never come back in a prompt."""

Fate = Literal["retried", "refused", "read", "unknown"]
"""What a client has to make of it: call again, give up, take it for a reply; or one of them, as LangChain likes."""


@dataclass(frozen=True)
class Drawn:
    """An answer of the server, and what is to become of it."""

    name: str
    fate: Fate
    reply: Reply


RETRIED = (408, 409, 425, 429, 500, 501, 502, 503, 504, 507, 520, 529, 599, 999)
REFUSED = (400, 401, 402, 403, 404, 405, 406, 411, 413, 415, 418, 422, 431, 451)
WAITS = (
    None,
    0.01,
    "0",
    "-5",
    "nan",
    "inf",
    "1e999",
    "99999999999",
    "soon",
    "",
    "Wed, 21 Oct 2099 07:28:00 GMT",
    "1_0",
)
ERROR_BODIES = (
    "",
    "null",
    "[1]",
    "5",
    '{"error": 5}',
    '{"error": {"message": 7}}',
    "<html>",
    "[" * 50_000,
    b"\xff\xfe\x00",
)
_PHASE = re.compile(r"Phase (PLAN|THOUGHT|REPLAN)")


def response(status: str, headers: str = "", body: bytes = b"{}", *, length: int | str | None = None) -> Reply:
    """A whole response, lies included."""
    size = len(body) if length is None else length
    head = f"HTTP/1.1 {status}\r\nX-Mark: {MARK}\r\n{headers}Content-Length: {size}\r\nConnection: close\r\n\r\n"
    return Reply(raw_response=head.encode("latin-1") + body)


JSON_TYPE = "Content-Type: application/json\r\n"
BROKEN: dict[str, Reply] = {
    "reset": Reply(reset=True),
    "nothing": Reply(raw_response=b""),
    "garbage": Reply(raw_response=b"\x00\xff\xfe garbage " + MARK.encode()),
    "not HTTP/1.1": Reply(raw_response=b"HTTP/9 200\r\n\r\n"),
    "no status": Reply(raw_response=b"\r\n\r\n"),
    "half a body": Reply(f"half {MARK}", cut_after=1),
    "half a JSON": Reply(raw_body='{"id": "x", "cho'),
    "empty body": Reply(raw_body=""),
    "blank body": Reply(raw_body=" \r\n\t "),
    "page": Reply(raw_body=f"<html>{MARK}</html>", content_type="text/html"),
    "page as JSON": Reply(raw_body=f"<html>{MARK}</html>"),
    "image": Reply(raw_body=b"\x89PNG\r\n\x1a\n\x00", content_type="image/png"),
    "no text": Reply(raw_body=b'{"choices": "\xff\xfe\xc0"}'),
    "nested deep": Reply(raw_body="[" * 60_000),
    "long number": Reply(raw_body='{"choices": ' + "9" * 5_000 + "}"),
    "too short": response("200 OK", JSON_TYPE, b'{"choices": []}', length=5),
    "too long": response("200 OK", JSON_TYPE, b'{"choices": []}', length=9_999),
    "length no number": response("200 OK", JSON_TYPE, b"{}", length="many"),
    "not gzip": response("200 OK", JSON_TYPE + "Content-Encoding: gzip\r\n"),
    "no chunks": Reply(raw_response=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc"),
    "huge header": response("200 OK", f"X-Huge: {'a' * 150_000}\r\n"),
    "204": response("204 No Content", "", b""),
    "redirect nowhere": response("302 Found", ""),
    "redirect abroad": response("302 Found", "Location: ftp://x/\r\n"),
    "not modified": response("304 Not Modified", "", b""),
}
SHAPES: dict[str, Any] = {
    "null": None,
    "number": 3,
    "text": MARK,
    "list": [1],
    "true": True,
    "no choices": {"id": "x"},
    "empty choices": {"choices": []},
    "null choices": {"choices": None},
    "choices object": {"choices": {"a": 1}},
    "choices text": {"choices": "abc"},
    "choice null": {"choices": [None]},
    "choice text": {"choices": ["a"]},
    "choice empty": {"choices": [{}]},
    "error": {"error": {"message": MARK, "code": 429}},
    "error text": {"error": MARK},
}
# A message that LangChain cannot read.
UNREADABLE: dict[str, Any] = {
    "null": None,
    "text": "x",
    "list": [],
    "content number": {"role": "assistant", "content": 5},
    "content true": {"role": "assistant", "content": True},
    "content object": {"role": "assistant", "content": {"a": 1}},
    "content nested": {"role": "assistant", "content": [[["a"]]]},
    "content numbers": {"role": "assistant", "content": [1, 2]},
    "role number": {"role": 5, "content": "x"},
    "role tool": {"role": "tool", "content": "x"},
    "name number": {"role": "assistant", "content": "x", "name": 5},
    "calls number": {"role": "assistant", "content": "x", "tool_calls": 5},
    "calls text": {"role": "assistant", "content": "x", "tool_calls": "abc"},
    "calls numbers": {"role": "assistant", "content": "x", "tool_calls": [1]},
    "arguments object": {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}],
    },
}
USAGES: tuple[Any, ...] = (
    None,
    {},
    {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10},
    {"prompt_tokens": -5, "completion_tokens": -5, "total_tokens": -10},
    {"prompt_tokens": 2**70, "completion_tokens": 2**70, "total_tokens": 2**71},
    {"prompt_tokens": "a", "completion_tokens": "b", "total_tokens": "c"},
    {"prompt_tokens": "1", "completion_tokens": "1", "total_tokens": "2"},
    {"prompt_tokens": 1.5, "completion_tokens": 0.5, "total_tokens": 2.0},
    {"prompt_tokens": float("nan"), "completion_tokens": float("inf"), "total_tokens": float("nan")},
    {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "prompt_tokens_details": {"cached_tokens": "x"}},
    {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "prompt_tokens_details": {"cached_tokens": -7}},
)
NATIVE_CALL = {"id": "call_1", "type": "function", "function": {"name": "echo", "arguments": '{"text": "x"}'}}


def fault(chance: Random) -> Drawn:
    """What a server or a network does wrong, before any reply of the model."""
    kind = chance.choice(("status", "status", "refusal", "broken", "broken", "shape", "unreadable"))
    if kind in ("status", "refusal"):
        status = chance.choice(RETRIED if kind == "status" else REFUSED)
        body = chance.choice((None, *ERROR_BODIES))
        wait: Any = chance.choice(WAITS) if kind == "status" else None
        page = "text/html" if chance.random() < 0.3 else "application/json"
        reply = Reply(MARK, status=status, retry_after=wait, raw_body=body, content_type=page)
        return Drawn(f"HTTP {status}", "retried" if kind == "status" else "refused", reply)
    if kind == "broken":
        name = chance.choice(list(BROKEN))
        return Drawn(name, "refused" if name == "redirect abroad" else "retried", BROKEN[name])
    if kind == "shape":
        name = chance.choice(list(SHAPES))
        return Drawn(f"body: {name}", "retried", Reply(raw_body=json.dumps(SHAPES[name])))
    name = chance.choice(list(UNREADABLE))
    message = UNREADABLE[name]
    return Drawn(f"message: {name}", "retried", Reply(raw_body=json.dumps({"choices": [{"message": message}]})))


SLOW = Drawn("time-out", "retried", Reply(f"too late {MARK}", delay=2.0))
"""Longer than the client waits."""


def spoken(chance: Random, text: str, *, name: str = "reply") -> Drawn:
    """A text as a reply, with whatever else may stand around it."""
    reason: Any = chance.choice(("stop", "stop", "stop", "stop", "length", None, "banana", 5, ["stop"], "tool_calls"))
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if chance.random() < 0.1:
        message["content"] = chance.choice(
            (
                [{"type": "text", "text": text}],
                [{"type": "text", "text": None}, text],
                [{"type": "reasoning", "summary": "abc"}, {"type": "text", "text": text}],
                [{"type": "thinking", "thinking": 7}, {"type": "reasoning", "summary": [1]}, text],
                [{"type": "image_url", "image_url": "x"}],
                [{"no": "type"}, text],
            )
        )
    if chance.random() < 0.1:
        message |= {"tool_calls": [NATIVE_CALL], "content": chance.choice((None, text))}
    if chance.random() < 0.1:
        message["reasoning_content"] = chance.choice(("thinking", text[:5_000], 5, None, [1]))
    body = {
        "id": chance.choice(("x", None, 5)),
        "object": "chat.completion",
        "model": chance.choice(("m", None, 5)),
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": chance.choice(USAGES),
    }
    return Drawn(name, "read", Reply(raw_body=json.dumps(body)))


def streamed(drawn: Drawn) -> Drawn:
    """The same as a server that streams would send it; what LangChain makes of a broken chunk is its own affair."""
    body = drawn.reply.raw_body
    if drawn.fate == "refused" or body is None or drawn.reply.status >= 400:
        return drawn
    if drawn.name in BROKEN:
        return Drawn(drawn.name, "unknown", drawn.reply)
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    events = f"data: {text.replace(chr(34) + 'message' + chr(34) + ': {', chr(34) + 'delta' + chr(34) + ': {')}\n\n"
    return Drawn(drawn.name, "unknown", Reply(raw_body=f"{events}data: [DONE]\n\n", content_type="text/event-stream"))


def phase(body: dict[str, Any]) -> str:
    """What a request asks for: a payload of the plan-act loop, a critique, a reflection, a file, or an answer."""
    messages = body.get("messages") or [{}]
    last, first = str(messages[-1].get("content")), str(messages[0].get("content"))
    if found := _PHASE.findall(last):
        return found[-1].lower()
    if first.startswith("You review answers"):
        return "critique"
    if "[Mistake]" in first or "[Mistake]" in last:
        return "reflection"
    return "file" if "`path` block" in first else "answer"


def valid(chance: Random, body: dict[str, Any]) -> str:
    """A reply as it is asked for, so that runs go deep."""
    asked = phase(body)
    number = chance.randrange(50)
    if asked == "plan":
        steps: list[Any] = [f"step {chance.randrange(6)}" for _ in range(chance.randrange(4))]
        steps += [{"step": "tool", "tool": chance.choice(("echo", "fly", None)), "requires": [1]}] * (number % 2)
        return planned(*steps, response=chance.choice((None, "at once")) if steps else "at once")
    if asked == "replan":
        steps = [f"step {chance.randrange(6)}" for _ in range(chance.randrange(3))]
        return replanned(*steps, response="the end" if not steps else None)
    if asked == "thought":
        return chance.choice(
            (
                act("echo", f"text {number}"),
                act("echo", "the same"),
                act("store", {"data": {"number": number}}),
                act("broken", "x"),
                done(f"done {number}"),
                done("done"),
                ask(f"Which {number % 4}?"),
            )
        )
    if asked == "critique":
        verdict = chance.choice(("ACCEPT", "REVISE", "REVISE", "REVISE"))
        return f"[Critique]\nNumber {number} is missing.\n[Score]\n{number % 11}\n[Verdict]\n{verdict}"
    if asked == "reflection":
        return f"[Mistake]\nI forgot {number}.\n[Next time]\nI will think of {number}."
    if asked == "file":
        return f"```path\nfile{number}.txt\n```\n\n```text\nbody {number}\n```"
    return chance.choice(
        (f"answer {number}", f"```python\nx = {number}\n```", f'```json\n{{"a": {number}}}\n```', "right")
    )
