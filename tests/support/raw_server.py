"""A server of raw bytes on loopback, for answers that no HTTP library would send."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Self

STEP = 0.02
STEPS = 35
"""Of a drip: 0.7 seconds in all, so that a client without a deadline comes to an end, too."""

Answer = Callable[["Connection"], None]


class Connection:
    """One connection of a client."""

    def __init__(self, conn: socket.socket, stopping: threading.Event) -> None:
        self._conn = conn
        self._stopping = stopping

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._conn.sendall(data)

    def drip(self, pieces: Iterator[bytes]) -> None:
        """Send one piece after another, slowly."""
        for piece in pieces:
            if self._stopping.wait(STEP):
                return
            self._conn.sendall(piece)

    def flood(self, piece: bytes, most: int) -> None:
        """Send one piece again and again, as fast as it is taken, up to so many bytes."""
        data = piece * max(1, 65_536 // len(piece))
        for _ in range(most // len(data)):
            if self._stopping.is_set():
                return
            self._conn.sendall(data)


class RawServer:
    """Gives every request the answer, and closes the connection.

    Attributes:
        url: of the server, without a path.
        requests: what came, as bytes, head and body.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self.port = int(self._socket.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.requests: list[bytes] = []

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        # Closing alone would not wake the thread that waits for a connection.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            try:
                conn, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._handle, args=(conn,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _handle(self, conn: socket.socket) -> None:
        with conn, suppress(OSError):
            # A client that is gone must not keep a flood waiting.
            conn.settimeout(5)
            self.requests.append(_request(conn))
            self._answer(Connection(conn, self._stopping))


class SlowReader(RawServer):
    """Takes a request in small portions, and never answers."""

    def __init__(self) -> None:
        super().__init__(lambda client: None)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)

    def _handle(self, conn: socket.socket) -> None:
        with conn, suppress(OSError):
            for _ in range(STEPS):
                if self._stopping.wait(STEP) or not conn.recv(16_384):
                    return


def _request(conn: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = conn.recv(65_536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
    )
    while len(body) < length:
        piece = conn.recv(65_536)
        if not piece:
            break
        body += piece
    return head + b"\r\n\r\n" + body


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def whole(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """A complete response."""
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers, b"Connection: close"]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def completion(content: str = "hello") -> bytes:
    """A chat completion that is also a list of models."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    model = {"id": "m", "object": "model", "created": 0, "owned_by": "t"}
    return json.dumps(
        {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "data": [model]}
    ).encode()


JSON = b"Content-Type: application/json"
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
_LETTERS = tuple(bytes([letter]) for letter in b"x" * STEPS)


def dripped_headers(client: Connection) -> None:
    """A header whose value does not end."""
    client.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    client.drip(iter(_LETTERS))
    client.send(b"\r\n" + JSON + b"\r\nConnection: close\r\n\r\n" + completion())


def dripped_100s(client: Connection) -> None:
    """Interim responses, one after another."""
    client.drip(b"HTTP/1.1 100 Continue\r\n\r\n" for _ in range(STEPS))
    client.send(whole(completion(), JSON))


def dripped_103s(client: Connection) -> None:
    """Early hints, one after another."""
    client.drip(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" for _ in range(STEPS))
    client.send(whole(completion(), JSON))


def dripped_body(client: Connection) -> None:
    """A body of one byte after another."""
    body = completion() + b" " * STEPS
    client.send(CHUNKED + chunk(body[: len(body) - STEPS]))
    client.drip(chunk(b" ") for _ in range(STEPS))
    client.send(b"0\r\n\r\n")


def dripped_trailers(client: Connection) -> None:
    """A whole body, and trailers behind it."""
    client.send(CHUNKED + chunk(completion()) + b"0\r\n")
    client.drip(b"X-%d: y\r\n" % number for number in range(STEPS))
    client.send(b"\r\n")


DRIPS: tuple[Answer, ...] = (dripped_headers, dripped_100s, dripped_103s, dripped_body, dripped_trailers)


def flood_of_100s(client: Connection) -> None:
    """More interim responses than anybody wants, as fast as they are taken."""
    client.flood(b"HTTP/1.1 100 Continue\r\n\r\n", 20_000_000)
    client.send(whole(completion(), JSON))


def _unfolding(encoding: str) -> Answer:
    spaces = b" " * 60_000_000
    plain = completion() + spaces
    packed = gzip.compress(plain, 9) if encoding == "gzip" else zlib.compress(plain, 9)

    def answer(client: Connection) -> None:
        client.send(whole(packed, JSON, b"Content-Encoding: " + encoding.encode()))

    answer.__name__ = f"{encoding}_of_60_MB"
    return answer


def bombs() -> list[Answer]:
    """Answers of 60 kB that unfold to 60 MB."""
    return [_unfolding("gzip"), _unfolding("deflate")]


def redirect(location: str, status: bytes = b"307 Temporary Redirect") -> Answer:
    """A redirect to another address."""
    return lambda client: client.send(whole(b"", b"Location: " + location.encode("latin-1"), status=status))
