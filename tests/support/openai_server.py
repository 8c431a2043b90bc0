"""A scripted, deliberately misbehaving OpenAI-style HTTP server on loopback, for tests."""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, Self, cast
from uuid import uuid4


@dataclass(frozen=True)
class Reply:
    """One scripted answer; with an error status, `content` is the error message."""

    content: str = ""
    reasoning_content: str | None = None
    reasoning: str | None = None  # some servers name the field so
    finish_reason: str = "stop"  # sent as given, also with tool_calls
    status: int = 200
    retry_after: float | str | None = None
    delay: float = 0.0  # seconds before the first byte
    chunk_delay: float = 0.0  # seconds between streamed chunks
    reset: bool = False  # TCP RST before any byte
    cut_after: int | None = None  # streamed: content chunks before the cut; else half of the body is sent
    raw_body: str | bytes | None = None  # sent as it is, streamed or not, whatever the status
    raw_response: bytes | None = None  # a whole response with its headers; then the connection is closed
    content_type: str = "application/json"
    prompt_tokens: int = 10
    completion_tokens: int | None = None  # default: words in `content`
    cached_tokens: int = 0
    tool_calls: list[dict[str, Any]] | None = None  # as in a message: {"id", "type", "function": {...}}

    def usage(self) -> dict[str, Any]:
        """The `usage` object."""
        completion = len(self.content.split()) if self.completion_tokens is None else self.completion_tokens
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": completion,
            "total_tokens": self.prompt_tokens + completion,
            "prompt_tokens_details": {"cached_tokens": self.cached_tokens},
        }

    def message(self) -> dict[str, Any]:
        """The assistant message, as sent when not streaming."""
        content = self.content or None if self.tool_calls else self.content
        names = ("reasoning_content", "reasoning", "tool_calls")
        optional = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return {"role": "assistant", "content": content, **optional}

    def deltas(self) -> Iterator[dict[str, Any]]:
        """The streamed deltas, up to the cut if there is to be one."""
        yield {"role": "assistant", "content": ""}
        yield from ({"reasoning_content": piece} for piece in _pieces(self.reasoning_content or ""))
        yield from ({"reasoning": piece} for piece in _pieces(self.reasoning or ""))
        yield from ({"content": piece} for piece in _pieces(self.content)[: self.cut_after])
        for index, call in enumerate(self.tool_calls or [] if self.cut_after is None else []):
            yield {"tool_calls": [{"index": index, **call, "function": {**call["function"], "arguments": ""}}]}
            for piece in _pieces(call["function"]["arguments"]):
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


@dataclass(frozen=True)
class RecordedRequest:
    """A request as it arrived: header names in lower case, and {} for a body that is no JSON object."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class OpenAIServer:
    """Serves `script` on 127.0.0.1: replies in order, or a callable (request body, index) -> Reply."""

    def __init__(self, script: Sequence[Reply] | Callable[[dict[str, Any], int], Reply]) -> None:
        self.base_url = ""  # known from start() on; after stop() it refuses connections
        self.requests: list[RecordedRequest] = []
        self.failures: list[BaseException] = []  # on the server's side; raised on leaving the `with` block
        self.stopping = threading.Event()
        self._script = script
        self._lock = threading.Lock()
        self._completions = 0
        self._running: tuple[_HTTPServer, threading.Thread] | None = None

    def start(self) -> Self:
        """Bind a free port and serve it in a thread; a server starts only once."""
        assert not self.base_url, "the server was already started"
        http = _HTTPServer(self)
        self.base_url = f"http://127.0.0.1:{http.server_port}/v1"
        # shutdown() waits for one poll, so every test would pay for the default of half a second.
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        self._running = http, thread
        return self

    def stop(self) -> None:
        """Close every socket and join every thread; delays under way are abandoned."""
        self.stopping.set()
        if self._running:
            (http, thread), self._running = self._running, None
            http.shutdown()
            thread.join()
            for connection in http.connections:
                with suppress(OSError):  # wakes a thread that waits on an idle connection; others are closed by now
                    connection.shutdown(socket.SHUT_RDWR)
            http.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop()
        if kind is None and self.failures:
            raise AssertionError(f"failures in the scripted server: {self.failures}") from self.failures[0]

    def record(self, path: str, headers: Message, body: dict[str, Any], *, completion: bool) -> Reply | None:
        """Record a request; for a completion, also take the next reply from the script."""
        with self._lock:  # one lock for both, so that the n-th recorded completion gets the n-th reply
            self.requests.append(RecordedRequest(path, {name.lower(): text for name, text in headers.items()}, body))
            index = self._completions
            self._completions += completion
        try:
            if not completion:
                return None
            if callable(self._script):
                return self._script(body, index)
            if index < len(self._script):
                return self._script[index]
            raise AssertionError(f"the script is exhausted: request {index + 1} of {len(self._script)} scripted")
        except BaseException as error:  # noqa: BLE001 - pytest.fail() in a callable raises no Exception
            self.failures.append(error)
            return Reply(str(error) or repr(error), status=500)


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = False  # server_close() joins only threads that are not daemons
    request_queue_size = 128

    def __init__(self, owner: OpenAIServer) -> None:
        self._owner = owner
        self.connections: list[socket.socket] = []
        super().__init__(("127.0.0.1", 0), partial(_Handler, owner))

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer's own would look the host name up
        self.server_name, self.server_port = "127.0.0.1", int(self.socket.getsockname()[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.append(request)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(error := sys.exception(), ConnectionError | None):  # a client that left is no failure
            self._owner.failures.append(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, owner: OpenAIServer, *args: Any) -> None:
        self._owner = owner  # first, for the base class serves the connection from its __init__
        super().__init__(*args)

    def log_message(self, format: str, *args: Any) -> None: ...  # quiet

    def do_GET(self) -> None:
        self._owner.record(self.path, self.headers, {}, completion=False)
        model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "tests"}
        models = Reply(raw_body=_dump({"object": "list", "data": [model]}))
        self._send(models if self.path == "/v1/models" else Reply(f"no such path: {self.path}", status=404), {})

    def do_POST(self) -> None:
        parsed: Any = None
        with suppress(ValueError):
            parsed = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        valid, known = isinstance(parsed, dict), self.path == "/v1/chat/completions"
        body = cast("dict[str, Any]", parsed) if valid else {}
        reply = self._owner.record(self.path, self.headers, body, completion=known and valid)
        if reply is None:
            self._send(Reply(f"cannot serve {self.path} with this body", status=400 if known else 404), body)
        elif self._owner.stopping.wait(reply.delay):
            self.close_connection = True
        elif reply.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.rfile.close()  # it holds the socket open
            self.connection.close()  # here, as the server would first shut it down: a FIN before the RST
        elif reply.raw_response is not None:
            self.wfile.write(reply.raw_response)
            self.close_connection = True
        elif reply.status < 400 and reply.raw_body is None and body.get("stream"):
            self._stream(reply, body)
        else:
            self._send(reply, body)

    def _start(self, reply: Reply, *headers: tuple[str, str]) -> None:
        self.send_response(reply.status)
        retry = [] if reply.retry_after is None else [("Retry-After", str(reply.retry_after))]
        # LangChain keeps the last 128 clients that it made, and drops the ones before with their connections open.
        for name, value in (*headers, *retry, ("Connection", "close")):
            self.send_header(name, value)
        self.end_headers()

    def _send(self, reply: Reply, body: dict[str, Any]) -> None:
        choice = {"index": 0, "message": reply.message(), "finish_reason": reply.finish_reason, "logprobs": None}
        text = _dump({**_frame(body, "chat.completion"), "choices": [choice], "usage": reply.usage()})
        if reply.status >= 400:
            kind = "server_error" if reply.status >= 500 else "invalid_request_error"
            kind, code = ("rate_limit_error", "rate_limit_exceeded") if reply.status == 429 else (kind, None)
            message = reply.content or f"scripted HTTP {reply.status}"
            text = _dump({"error": {"message": message, "type": kind, "param": None, "code": code}})
        given = text if reply.raw_body is None else reply.raw_body
        data = given if isinstance(given, bytes) else given.encode()
        self._start(reply, ("Content-Type", reply.content_type), ("Content-Length", str(len(data))))
        self.wfile.write(data if reply.cut_after is None else data[: len(data) // 2])

    def _stream(self, reply: Reply, body: dict[str, Any]) -> None:
        self._start(reply, ("Content-Type", "text/event-stream; charset=utf-8"), ("Transfer-Encoding", "chunked"))
        for number, event in enumerate(_events(reply, body)):
            if number and self._owner.stopping.wait(reply.chunk_delay):
                self.close_connection = True
                return
            data = f"data: {event}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        if reply.cut_after is None:
            self.wfile.write(b"0\r\n\r\n")


def _events(reply: Reply, body: dict[str, Any]) -> Iterator[str]:
    options: dict[str, Any] = body.get("stream_options") or {}
    with_usage = bool(options.get("include_usage"))
    # As OpenAI has it: a null usage in every chunk but the last, if usage was asked for.
    frame = _frame(body, "chat.completion.chunk") | ({"usage": None} if with_usage else {})
    for delta in reply.deltas():
        yield _dump({**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    if reply.cut_after is None:
        yield _dump({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish_reason}]})
        if with_usage:
            yield _dump({**frame, "choices": [], "usage": reply.usage()})
        yield "[DONE]"


def _frame(body: dict[str, Any], kind: str) -> dict[str, Any]:
    model = body.get("model", "scripted")
    return {"id": f"chatcmpl-{uuid4()}", "object": kind, "created": int(time.time()), "model": model}


def _pieces(text: str) -> list[str]:
    return [text[start : start + 4] for start in range(0, len(text), 4)]


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)  # real servers send UTF-8
