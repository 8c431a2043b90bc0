"""Connections that end at a deadline, no matter what the server sends.

An HTTP client's time-out starts again with every byte. Here every operation gets the time left until one deadline, and
every incoming byte counts: headers, interim responses, bodies and trailers.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any, cast
from urllib.parse import urlsplit

import httpcore

from ..errors import ModelSetupError
from .steps import in_thread

_PIECE = 16_384


def checked_address(url: str) -> str:
    """An address as it is, if there can be its port; over any other port each client raises something else, and late.

    Raises:
        ModelSetupError: there can be no such port.
    """
    try:
        _ = urlsplit(url).port
    except ValueError as odd:
        raise ModelSetupError(f"{url} is no address of a server: {odd}") from None
    return url


class Exchange:
    """The limits of one exchange with a server, from the name look-up to the last byte, redirects included.

    Args:
        deadline: the `time.monotonic()` value at which it times out.
        max_bytes: maximum bytes to receive, counted on the wire.
    """

    def __init__(self, deadline: float, max_bytes: int) -> None:
        self._deadline = deadline
        self._left_bytes = max_bytes
        self._too_late = f"the exchange took more than {max(0.0, round(deadline - time.monotonic(), 1)):g} s"
        self._too_long = f"the answer has more than {max_bytes} bytes"

    def left(self, timeout: float | None = None) -> float:
        """Seconds that an operation may take, at most `timeout`.

        Raises:
            httpcore.ReadTimeout: no time is left.
        """
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise httpcore.ReadTimeout(self._too_late)
        return seconds if timeout is None else min(seconds, timeout)

    def counted(self, data: bytes) -> bytes:
        """Count the data and return it.

        Raises:
            httpcore.RemoteProtocolError: the data exceeds the limit.
        """
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            raise httpcore.RemoteProtocolError(self._too_long)
        return data


class Network(httpcore.NetworkBackend):
    """Connects within the limits of an exchange."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._plain = httpcore.SyncBackend()

    def check(self, host: str, addresses: list[str]) -> None:
        """Subclasses refuse addresses by raising here, before any connection is made."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        exchange = self._exchange
        addresses = _resolve(host, port, exchange.left(timeout))
        self.check(host, addresses)
        failure: Exception = httpcore.ConnectError(f"{host[:100]!r} has no address")
        for number, address in enumerate(addresses):
            # Each address gets a share of the time, so that one that never answers leaves time for the others.
            seconds = exchange.left(timeout) / (len(addresses) - number)
            try:
                stream = self._plain.connect_tcp(address, port, seconds, local_address, socket_options)
                return _Stream(stream, exchange)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class AsyncNetwork(httpcore.AsyncNetworkBackend):
    """Connects within the limits of an exchange, for an event loop."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        # The stubs declare this class without its methods.
        self._plain: httpcore.AsyncNetworkBackend = cast(Any, httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        seconds = self._exchange.left(timeout)
        stream = await self._plain.connect_tcp(host, port, seconds, local_address, socket_options)
        return _AsyncStream(stream, self._exchange)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, exchange: Exchange) -> None:
        self._stream = stream
        self._exchange = exchange

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._exchange.counted(self._stream.read(max_bytes, self._exchange.left(timeout)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # In pieces: the stream's own time-out starts again whenever the server accepts part of a long request.
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], self._exchange.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, self._exchange.left(timeout))
        return _Stream(stream, self._exchange)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _AsyncStream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: httpcore.AsyncNetworkStream, exchange: Exchange) -> None:
        self._stream = stream
        self._exchange = exchange

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._exchange.counted(await self._stream.read(max_bytes, self._exchange.left(timeout)))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, self._exchange.left(timeout))

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        stream = await self._stream.start_tls(ssl_context, server_hostname, self._exchange.left(timeout))
        return _AsyncStream(stream, self._exchange)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _resolve(host: str, port: int, seconds: float) -> list[str]:
    """All addresses of a name, without duplicates; in a thread, since the system's look-up has no time-out."""

    def look_up() -> list[str]:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    try:
        return in_thread(look_up).result(timeout=seconds)
    except TimeoutError:
        raise httpcore.ConnectTimeout(f"no address for {host[:100]!r} in time") from None
    except OSError as unknown:
        raise httpcore.ConnectError(str(unknown)) from unknown
