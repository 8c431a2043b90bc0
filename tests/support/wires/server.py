"""A scripted server on loopback for any provider's API: the script says what the model says, a wire how it is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, Protocol, Self


@dataclass(frozen=True)
class Said:
    """What the model says; with an error status, what the provider says instead.

    Attributes:
        text: the reply.
        reasoning: thought before.
        is_cut: the output cap was hit.
        status: of the answer.
        headers: of the answer, in addition.
    """

    text: str = ""
    reasoning: str = ""
    is_cut: bool = False
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])


INPUT_TOKENS, OUTPUT_TOKENS = 10, 700


class Wire(Protocol):
    """How a provider sends an answer."""

    content_type: str

    def whole(self, said: Said) -> dict[str, Any]:
        """The body of an answer that is not streamed."""
        ...

    def streamed(self, said: Said) -> Iterator[bytes]:
        """The body of a streamed answer, piece by piece."""
        ...

    def is_stream(self, path: str, body: dict[str, Any]) -> bool:
        """Whether a request asks for a stream."""
        ...

    def error(self, said: Said) -> tuple[dict[str, Any], dict[str, str]]:
        """The body and the headers of an error."""
        ...


class WireServer:
    """Serves the script in order, one line a request, and records what came.

    Attributes:
        url: of the server, without a path.
        bodies: of the requests.
        models: that it lists, by their names.
    """

    def __init__(self, wire: Wire, script: Sequence[Said], models: Sequence[str] = ("scripted",)) -> None:
        self.wire = wire
        self.models = models
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self._http = _HTTPServer(("127.0.0.1", 0), partial(_Handler, self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        # shutdown() waits for one poll.
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def next(self, body: dict[str, Any]) -> Said:
        """Record a request and take the next line."""
        self.bodies.append(body)
        if len(self.bodies) > len(self.script):
            return Said(f"the script is exhausted: request {len(self.bodies)} of {len(self.script)}", status=404)
        return self.script[len(self.bodies) - 1]


class _HTTPServer(ThreadingHTTPServer):
    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer's own would look the host name up


class _Handler(BaseHTTPRequestHandler):
    # HTTP/1.0 closes the connection after each answer, so that no client keeps one beyond its event loop.
    def __init__(self, owner: WireServer, *args: Any) -> None:
        self._owner = owner  # first, for the base class serves the connection from its __init__
        super().__init__(*args)

    def log_message(self, format: str, *args: Any) -> None: ...  # quiet

    def do_GET(self) -> None:
        # OpenAI's list of models and Ollama's.
        listed = {"data": [{"id": name} for name in self._owner.models]}
        self._start(Said(), "application/json", {})
        self.wfile.write(json.dumps({**listed, "models": [{"model": name} for name in self._owner.models]}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        said, wire = self._owner.next(body), self._owner.wire
        if said.status >= 400:
            answer, headers = wire.error(said)
            self._start(said, "application/json", headers)
            self.wfile.write(json.dumps(answer).encode())
        elif wire.is_stream(self.path, body):
            self._start(said, wire.content_type, {})
            for piece in wire.streamed(said):
                self.wfile.write(piece)
        else:
            self._start(said, "application/json", {})
            self.wfile.write(json.dumps(wire.whole(said)).encode())

    def _start(self, said: Said, content_type: str, headers: dict[str, str]) -> None:
        self.send_response(said.status)
        for name, text in {"Content-Type": content_type, **headers, **said.headers}.items():
            self.send_header(name, text)
        self.end_headers()


def events(*data: dict[str, Any], named: bool = False) -> Iterator[bytes]:
    """Server-sent events; `named` ones have their type also as the event's name."""
    for item in data:
        name = f"event: {item['type']}\n" if named else ""
        yield f"{name}data: {json.dumps(item)}\n\n".encode()


def halves(text: str) -> list[str]:
    """A text in two pieces; none for an empty one."""
    return [piece for piece in (text[: len(text) // 2], text[len(text) // 2 :]) if piece]
