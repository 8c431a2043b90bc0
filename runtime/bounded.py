"""Answers of a model's server, bounded as a whole: a time-out of HTTP clients begins anew with every byte."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from functools import cache
from importlib import import_module
from typing import Any

MAX_SECONDS = 3_600.0
MAX_BYTES = 64 * 1024 * 1024


def bounded_clients(max_seconds: float = MAX_SECONDS, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """The two HTTP clients that `ChatOpenAI` takes, as its keyword arguments.

    An answer beyond its bounds ends like one whose connection has timed out, or broken.

    Args:
        max_seconds: for the body of an answer; its headers have the client's own time-out.
        max_bytes: of that body.
    """
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

    def bound(response: Any) -> None:
        # httpx or its successor, whichever OpenAI's client is built on.
        library = type(response).__module__.partition(".")[0]
        response.stream = _stream_class(library, max_seconds, max_bytes)(response)

    async def abound(response: Any) -> None:
        bound(response)

    return {
        "http_client": DefaultHttpxClient(event_hooks={"response": [bound]}),
        "http_async_client": DefaultAsyncHttpxClient(event_hooks={"response": [abound]}),
    }


@cache
def _stream_class(library: str, max_seconds: float, max_bytes: int) -> type[Any]:
    httpx: Any = import_module(library)

    class Bounded(httpx.SyncByteStream, httpx.AsyncByteStream):  # pyright: ignore[reportUntypedBaseClass]
        """A body that is given up where it takes too long, or never ends."""

        def __init__(self, response: Any) -> None:
            self._inner = response.stream
            self._request = response.request
            self._end = time.monotonic() + max_seconds
            self._left = max_bytes

        def _checked(self, part: bytes) -> bytes:
            self._left -= len(part)
            if self._left < 0:
                raise httpx.RemoteProtocolError(f"the answer has more than {max_bytes} bytes", request=self._request)
            if time.monotonic() > self._end:
                raise httpx.ReadTimeout(f"the answer took more than {max_seconds:g} s", request=self._request)
            return part

        def __iter__(self) -> Iterator[bytes]:
            for part in self._inner:
                yield self._checked(part)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for part in self._inner:
                yield self._checked(part)

        def close(self) -> None:
            self._inner.close()

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Bounded
