"""A GET that cannot be used to attack the network it runs in, and that ends at its deadline.

A name is resolved once, all its addresses must be public, and the connection goes to a checked address, so a name that
later resolves differently gains nothing. Each redirect opens a new connection and is checked like the first. Proxies
from the environment are not used, because they would resolve names without the check.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpcore
import httpx

from ..._internal.network import Exchange, Network
from ...errors import FetchError

_MAX_BYTES = 2_000_000
_MAX_TRANSFER = 8 * _MAX_BYTES
"""Limit on all bytes received, including headers, interim responses and the framing of chunks."""
_MAX_REDIRECTS = 3
_HTML = ("text/html", "application/xhtml+xml")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page.

    Attributes:
        url: its address after all redirects.
        html: its text, read as UTF-8; cut off after 2 MB.
    """

    url: str
    html: str


def get_page(
    url: str,
    *,
    deadline: float,
    params: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    allow_private: bool = False,
) -> Page:
    """Fetch an HTML page, following at most 3 redirects.

    Args:
        url: an http or https address.
        deadline: the `time.monotonic()` by which everything must be done, including name look-up and redirects.
        params: query parameters to add.
        headers: request headers.
        allow_private: also allow addresses that are not public, such as a server on this machine.

    Returns:
        The page, its first 2 MB at most.

    Raises:
        FetchError: the page cannot be fetched; `kind` says why.
    """
    asked = {**(headers or {}), "Accept": ", ".join(_HTML), "Accept-Encoding": "identity"}
    transport = _Transport(_CheckedNetwork(Exchange(deadline, _MAX_TRANSFER), allow_private))
    with _as_fetch_errors(), httpx.Client(transport=transport, trust_env=False) as client:
        request = client.build_request("GET", url, params=params, headers=asked)
        for _ in range(1 + _MAX_REDIRECTS):
            # Follow redirects here: the client would read the whole body of each one.
            response = client.send(request, stream=True, follow_redirects=False)
            try:
                if response.next_request is None:
                    return Page(str(response.url), _html(response))
                request = response.next_request
            finally:
                response.close()
    raise FetchError("network", f"the server redirected more than {_MAX_REDIRECTS} times")


def _is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, and to one machine there.

    An address that contains an IPv4 address (mapped, 6to4, NAT64) would reach that one past the check. Of these only
    NAT64, which IPv6-only networks need, is accepted, and judged by the address it contains.
    """
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return _is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)))
        if ip.ipv4_mapped or ip.sixtofour or ip.is_site_local:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def _html(response: httpx.Response) -> str:
    if response.status_code != 200:
        hint = "; it asks for fewer requests, so wait before the next one" if response.status_code == 429 else ""
        raise FetchError("network", f"the server answered with HTTP {response.status_code}{hint}")
    content_type = response.headers.get("content-type", "")
    if content_type.split(";")[0].strip().lower() not in _HTML:
        raise FetchError("parse", f"the answer is not an HTML page but {content_type[:80] or 'of no stated type'!r}")
    # Compression was not requested, and a few bytes of it can expand to gigabytes.
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise FetchError("parse", "the answer is compressed, although it was asked for as it is")
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) >= _MAX_BYTES:
            break
    return body[:_MAX_BYTES].decode("utf-8", "replace")


@contextmanager
def _as_fetch_errors() -> Generator[None]:
    try:
        yield
    except httpcore.TimeoutException as late:
        raise FetchError("timeout", "the time-out passed before the answer was complete") from late
    except (httpcore.NetworkError, httpcore.ProtocolError, httpx.RequestError, OSError) as broken:
        raise FetchError("network", f"{type(broken).__name__}: {str(broken)[:200]}") from broken
    except (httpx.InvalidURL, UnicodeError) as odd:
        raise FetchError("refused", f"this is not an address that can be asked: {str(odd)[:200]}") from odd


class _Transport(httpx.BaseTransport):
    """Carries httpx's requests over our own network."""

    def __init__(self, network: httpcore.NetworkBackend) -> None:
        self._pool = httpcore.ConnectionPool(ssl_context=httpx.create_ssl_context(), network_backend=network)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.scheme not in ("http", "https"):
            raise FetchError("refused", f"only http and https addresses are asked, not {str(request.url)[:100]!r}")
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        response = self._pool.handle_request(httpcore.Request(request.method, url, headers=request.headers.raw))
        return httpx.Response(response.status, headers=response.headers, stream=_Body(response))

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


class _CheckedNetwork(Network):
    """Connects only to checked addresses."""

    def __init__(self, exchange: Exchange, allow_private: bool) -> None:
        super().__init__(exchange)
        self._allow_private = allow_private

    def check(self, host: str, addresses: list[str]) -> None:
        if not self._allow_private and not all(map(_is_public, addresses)):
            raise FetchError(
                "refused",
                f"{host[:100]!r} has an address that is not public; allow_private=True permits that for a server of "
                "your own",
            )
