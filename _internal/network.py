"""Connections that end when their time is up, whatever the server sends or does not send.

A time-out of HTTP clients starts again with every byte. Here every operation is given what is left of one deadline, and
every byte that comes in is counted: of headers, interim responses, bodies and trailers alike.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any, cast

import httpcore

from .steps import in_thread

_PIECE = 16_384


class Exchange:
    """What one exchange with a server may take, from the look-up of the name to the last byte, redirects included.

    Args:
        deadline: the `time.monotonic()` at which it is given up.
        max_bytes: that may come in, as they come over the wire.
    """

    def __init__(self, deadline: float, max_bytes: int) -> None:
        self._deadline = deadline
        self._left_bytes = max_bytes
        self._too_late = f"the exchange took more than {max(0.0, round(deadline - time.monotonic(), 1)):g} s"
        self._too_long = f"the answer has more than {max_bytes} bytes"

    def left(self, timeout: float | None = None) -> float:
        """Seconds that an operation may take, at most `timeout`.

        Raises:
            httpcore.ReadTimeout: there are none left.
        """
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise httpcore.ReadTimeout(self._too_late)
        return seconds if timeout is None else min(seconds, timeout)

    def counted(self, data: bytes) -> bytes:
        """The data, where it is within the bounds.

        Raises:
            httpcore.RemoteProtocolError: there was more than may be.
        """
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            raise httpcore.RemoteProtocolError(self._too_long)
        return data


class Network(httpcore.NetworkBackend):
    """Connects within the bounds of an exchange."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._plain = httpcore.SyncBackend()

    def check(self, host: str, addresses: list[str]) -> None:
        """Refuse addresses by raising; nothing has been connected to yet."""

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
            # A share of the time for each, so that one address that swallows everything does not cost the others.
            seconds = exchange.left(timeout) / (len(addresses) - number)
            try:
                stream = self._plain.connect_tcp(address, port, seconds, local_address, socket_options)
                return _Stream(stream, exchange)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class AsyncNetwork(httpcore.AsyncNetworkBackend):
    """Connects within the bounds of an exchange, for an event loop."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        # Its stubs name the class without its methods.
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
        # In pieces: the stream's own time-out starts again with whatever the server takes of a long request.
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
    """All addresses of a name, without doubles; in a thread, since the system's look-up knows no time-out."""

    def look_up() -> list[str]:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    try:
        return in_thread(look_up).result(timeout=seconds)
    except TimeoutError:
        raise httpcore.ConnectTimeout(f"no address for {host[:100]!r} in time") from None
    except OSError as unknown:
        raise httpcore.ConnectError(str(unknown)) from unknown
