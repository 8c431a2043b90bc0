"""HTTP with a limit on total time and size, which sends keys and prompts to the intended origin only.

One deadline covers look-up, connection, headers, interim responses, body, trailers and redirects together. One size
limit covers them too; it applies to the bytes on the wire and to the decompressed bytes.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from ssl import SSLContext
from typing import Any, cast
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from ..._internal.network import AsyncNetwork, Exchange, Network
from ..._internal.steps import Call, Steps, arun, run
from ...errors import RedirectRefusedError

MAX_SECONDS = 3_600.0
MAX_BYTES = 64 * 1024 * 1024

Rewrite = Callable[[bytes], bytes]
"""Takes a request's body and returns the body to send."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PIECE = 65_536
_EXCHANGE = "thoughtgraph.exchange"


def bounded_clients(
    max_seconds: float | None = None,
    max_bytes: int = MAX_BYTES,
    *,
    rewrite: Rewrite | None = None,
    proxies: str | bool = True,
) -> dict[str, Any]:
    """The two HTTP clients that `ChatOpenAI` takes, as its keyword arguments, with what goes along with them.

    An answer that exceeds a limit fails like a connection that timed out or broke. A redirect to another origin raises
    `RedirectRefusedError`. Connections are not reused: waiting on one opened under an earlier `asyncio.run` would never
    end.

    Args:
        max_seconds: limit for a request and its answer together; None means an hour.
        max_bytes: limit for the answer, both on the wire and decompressed.
        rewrite: applied to the body of every request.
        proxies: True for those of the environment, False for none, or the address of one for every request.

    Raises:
        ValueError: that is no address of a proxy.
    """
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

    if isinstance(proxies, str):
        _proxy(proxies)
    # httpx or its successor, whichever OpenAI's client is built on.
    library = next(base.__module__ for base in DefaultHttpxClient.__mro__ if base.__name__ == "Client")
    transport = bounded_transport(library.partition(".")[0], max_seconds, max_bytes, rewrite=rewrite, proxies=proxies)
    return {
        "http_client": DefaultHttpxClient(transport=transport),
        "http_async_client": DefaultAsyncHttpxClient(transport=transport),
        # Else the class warns that it goes past the environment's proxies, as clients of its own would.
        "http_socket_options": (),
    }


def bounded_transport(
    library: str = "httpx",
    max_seconds: float | None = None,
    max_bytes: int = MAX_BYTES,
    *,
    rewrite: Rewrite | None = None,
    proxies: str | bool = True,
    same_origin: bool = True,
) -> Any:
    """A transport for httpx clients, sync and async, with the limits of `bounded_clients`.

    Args:
        library: `"httpx"`, or a successor with the same interface.
        max_seconds, max_bytes, rewrite, proxies: see `bounded_clients`.
        same_origin: refuse redirects to other origins; set it to False only for requests without secrets.
    """
    seconds = MAX_SECONDS if max_seconds is None else max_seconds
    return _transport_class(library)(seconds, max_bytes, rewrite, proxies, same_origin)


@cache
def _transport_class(library: str) -> type[Any]:
    client: Any = import_module(library)

    class Bounded(client.BaseTransport, client.AsyncBaseTransport):  # pyright: ignore[reportUntypedBaseClass]
        """Opens a connection for each request and drops it when a limit is exceeded."""

        def __init__(
            self, max_seconds: float, max_bytes: int, rewrite: Rewrite | None, proxies: str | bool, same_origin: bool
        ) -> None:
            self._max_seconds = max_seconds
            self._max_bytes = max_bytes
            self._rewrite = rewrite
            self._proxies = proxies
            self._same_origin = same_origin

        def handle_request(self, request: Any) -> Any:
            exchange = self._exchange(request)
            pools = (httpcore.ConnectionPool, httpcore.HTTPProxy, httpcore.SOCKSProxy)
            pool = self._pool(request, pools, Network(exchange))
            try:
                return run(self._steps(request, pool))
            except BaseException:
                pool.close()
                raise

        async def handle_async_request(self, request: Any) -> Any:
            exchange = self._exchange(request)
            pools = (httpcore.AsyncConnectionPool, httpcore.AsyncHTTPProxy, httpcore.AsyncSOCKSProxy)
            pool = self._pool(request, pools, AsyncNetwork(exchange))
            try:
                return await arun(self._steps(request, pool))
            except BaseException:  # a cancellation too, at which a connection may be open but not in use yet
                await pool.aclose()
                raise

        def _steps(self, request: Any, pool: Any) -> Steps[Any]:
            with _errors_of(client, request):
                content: bytes = yield Call(request.read, request.aread)
                sent = self._sent(request, content)
                answer: httpcore.Response = yield Call(
                    lambda: pool.handle_request(sent), lambda: pool.handle_async_request(sent)
                )
                self._check_redirect(request, answer)
                headers, unfold = _unfolding(answer.headers)
            body = Body(request, answer, pool, unfold, self._max_bytes)
            return client.Response(answer.status, headers=headers, stream=body, extensions=answer.extensions)

        def _exchange(self, request: Any) -> Exchange:
            # A redirected request carries the extensions of the original one.
            known: Any = request.extensions.get(_EXCHANGE)
            if known is None:
                known = Exchange(time.monotonic() + self._max_seconds, self._max_bytes)
                request.extensions = {**request.extensions, _EXCHANGE: known}
            return known

        def _sent(self, request: Any, content: bytes) -> httpcore.Request:
            headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"accept-encoding"]
            # An answer that is small on the wire may be large in memory.
            headers.append((b"Accept-Encoding", b"identity"))
            if self._rewrite is not None and content:
                content = self._rewrite(content)
                headers = [(name, value) for name, value in headers if name.lower() != b"content-length"]
                headers.append((b"Content-Length", b"%d" % len(content)))
            return httpcore.Request(
                request.method,
                _core_url(request.url),
                headers=headers,
                content=content,
                extensions=request.extensions,
            )

        def _check_redirect(self, request: Any, answer: httpcore.Response) -> None:
            if answer.status not in _REDIRECTS or not self._same_origin:
                return
            location = next((value for name, value in answer.headers if name.lower() == b"location"), b"")
            url, said = request.url, location.decode("utf-8", "replace")
            try:
                target: Any = url.join(said)
            except (client.InvalidURL, ValueError):
                raise RedirectRefusedError(str(url), said) from None
            if (target.scheme, target.host, target.port) != (url.scheme, url.host, url.port):
                raise RedirectRefusedError(str(url), str(target))

        def _pool(self, request: Any, pools: tuple[Any, Any, Any], network: Any) -> Any:
            direct, by_http, by_socks = pools
            secure = self._tls if request.url.scheme == "https" else None
            named = self._proxies
            if named is True:
                known = getproxies()
                named = not proxy_bypass(request.url.host) and (known.get(request.url.scheme) or known.get("all"))
            if not named:
                return direct(ssl_context=secure, network_backend=network)
            proxy = _proxy(named)
            pool = by_socks if proxy.url.scheme.startswith("socks") else by_http
            return pool(_core_url(proxy.url), proxy_auth=proxy.raw_auth, ssl_context=secure, network_backend=network)

        @cached_property
        def _tls(self) -> SSLContext:
            return httpx.create_ssl_context()

    class Body(client.SyncByteStream, client.AsyncByteStream):  # pyright: ignore[reportUntypedBaseClass]
        """The body of an answer, decompressed piece by piece."""

        def __init__(self, request: Any, answer: httpcore.Response, pool: Any, unfold: _Unfold, most: int) -> None:
            self._request = request
            self._answer = answer
            self._pool = pool
            self._unfold = unfold
            self._left = most
            self._most = most

        def _counted(self, data: bytes) -> Iterator[bytes]:
            for piece in self._unfold(data):
                self._left -= len(piece)
                if self._left < 0:
                    raise httpcore.RemoteProtocolError(f"the answer has more than {self._most} bytes")
                yield piece

        def __iter__(self) -> Iterator[bytes]:
            with _errors_of(client, self._request):
                # Not `iter_stream`, which works only once: OpenAI's client reads again after the last event.
                for data in cast("Iterable[bytes]", self._answer.stream):
                    yield from self._counted(data)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            with _errors_of(client, self._request):
                async for data in cast("AsyncIterable[bytes]", self._answer.stream):
                    for piece in self._counted(data):
                        yield piece

        def close(self) -> None:
            try:
                self._answer.close()
            finally:
                self._pool.close()

        async def aclose(self) -> None:
            try:
                await self._answer.aclose()
            finally:
                await self._pool.aclose()

    return Bounded


def _proxy(named: str) -> httpx.Proxy:
    return httpx.Proxy(named if "://" in named else f"http://{named}")


def _core_url(url: Any) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


@contextmanager
def _errors_of(client: Any, request: Any) -> Generator[None]:
    """Turn httpcore's errors into those of the client's library, which have the same names."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
        kind: Any = getattr(client, type(error).__name__)
        raise kind(str(error), request=request) from error
    except httpcore.UnsupportedProtocol as error:
        raise client.UnsupportedProtocol(str(error), request=request) from error
    except zlib.error as error:
        raise client.DecodingError(f"the answer cannot be unfolded: {error}", request=request) from error


_Unfold = Callable[[bytes], Iterator[bytes]]
_Headers = list[tuple[bytes, bytes]]


def _unfolding(headers: _Headers) -> tuple[_Headers, _Unfold]:
    """The decompressed answer's headers, and its decompressor; some servers compress although not asked to."""
    encoding = b",".join(value for name, value in headers if name.lower() == b"content-encoding").strip().lower()
    if encoding in (b"", b"identity"):
        return headers, lambda data: iter((data,))
    if encoding not in (b"gzip", b"x-gzip", b"deflate"):
        shown = encoding[:40].decode("latin-1")
        raise httpcore.RemoteProtocolError(f"the answer is compressed by {shown!r}, although it was asked for as it is")
    kept = [pair for pair in headers if pair[0].lower() not in (b"content-encoding", b"content-length")]
    return kept, _Inflating(encoding == b"deflate")


class _Inflating:
    """Decompresses gzip or deflate, a small piece at a time."""

    def __init__(self, may_be_raw: bool) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._may_be_raw = may_be_raw

    def __call__(self, data: bytes) -> Iterator[bytes]:
        while data:
            try:
                piece = self._stream.decompress(data, _PIECE)
            except zlib.error:
                if not self._may_be_raw:
                    raise
                # "deflate" means zlib's format, but some servers send the raw deflate data inside it.
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
                piece = self._stream.decompress(data, _PIECE)
            self._may_be_raw = False
            data = self._stream.unconsumed_tail
            if piece:
                yield piece
