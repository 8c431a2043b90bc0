"""A local server that plays Bing, well-behaved or in one of many ways not."""

from __future__ import annotations

import base64
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any, Literal, Self
from urllib.parse import parse_qs, urlencode, urlsplit

Hit = tuple[str, str, str]
"""Title, snippet, link."""
Mode = Literal[
    "results",
    "no_results",  # a page that says so
    "empty_list",  # a page of results without any, and without saying so
    "empty_page",
    "captcha",
    "consent",
    "error_500",
    "rate_limited",
    "not_html",
    "compressed",
    "huge",  # results first, then filler without end
    "garbage_page",  # HTTP, but the body is noise
    "garbage",  # no HTTP at all
    "reset",
    "slow_headers",
    "slow_drip",
    "redirects",  # to itself, as often as `redirects` says
    "redirect_to",  # to `location`
]
CERTIFICATE = Path(__file__).with_name("search_test.pem")
"""Self-signed for `search.test`, with its key; worth nothing outside of tests."""

_ADVERT = "https://www.bing.com/aclk?ld=e8&u=a1aHR0cHM6Ly9hZC5leGFtcGxlLw"


class SearchServer:
    """Serves `/search?q=…` on 127.0.0.1.

    Args:
        answers: results for each query that contains the key, whatever the case; the first key that fits counts, and a
            query that none fits gets the page without results. The key "" fits every query.
        mode: how to behave.
        redirects: for the mode `redirects`: how many come before the results.
        location: for the mode `redirect_to`: the target, as sent in the header; a callable is asked each time.
        tls: speak HTTPS with `CERTIFICATE`.
    """

    def __init__(
        self,
        answers: Mapping[str, Sequence[Hit]] | None = None,
        *,
        mode: Mode = "results",
        redirects: int = 0,
        location: str | Callable[[], str] = "",
        tls: bool = False,
    ) -> None:
        self.answers = {"": DEFAULT_HITS} if answers is None else answers
        self.mode: Mode = mode
        self.redirects = redirects
        self.location = location
        self.tls = tls
        self.base_url = ""  # known from start() on; after stop() it refuses connections
        self.port = 0
        self.queries: list[str] = []  # of every request, redirected ones included
        self.requests: list[tuple[str, dict[str, str]]] = []  # target, and headers by lower-case names
        self.failures: list[BaseException | None] = []  # on the server's side; raised on leaving the `with` block
        self.sent = 0  # bytes of filler
        self.stopping = threading.Event()
        self._running: tuple[_HTTPServer, threading.Thread] | None = None

    def start(self) -> Self:
        """Bind a free port and serve it in a thread; a server starts only once."""
        assert not self.base_url, "the server was already started"
        http = _HTTPServer(self)
        self.port = http.server_port
        self.base_url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        self._running = http, thread
        return self

    def stop(self) -> None:
        """Stop and join every thread; delays under way are abandoned."""
        self.stopping.set()
        if self._running:
            (http, thread), self._running = self._running, None
            http.shutdown()
            thread.join()
            http.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop()
        if kind is None and self.failures:
            raise AssertionError(f"failures in the search server: {self.failures}") from self.failures[0]

    def hits(self, query: str) -> Sequence[Hit]:
        """What is found for a query."""
        return next((hits for key, hits in self.answers.items() if key.lower() in query.lower()), ())


DEFAULT_HITS: tuple[Hit, ...] = (
    ("Owls at night", "Owls hunt by night and hear very well.", "https://birds.example/owls"),
    ("Barn owl", "The barn owl lives in barns & towers.", "https://birds.example/barn?id=1&lang=en"),
    ("Feeding owls", "What owls eat, and when.", "https://zoo.example/owls/food"),
    ("Owl sounds", "Twelve recordings of owls.", "http://sounds.example/owl"),
)


def result_page(query: str, hits: Sequence[Hit]) -> str:
    """A page of results: an advert, an answer box, the results, and the pages that follow."""
    if not hits:
        words = f'<li class="b_no"><h1>There are no results for <strong>{escape(query)}</strong></h1></li>'
        return _page(query, f'<ol id="b_results">{words}</ol>')
    advert = (
        f'<li class="b_ad b_adTop"><ul><li><div class="sb_add"><h2><a href="{escape(_ADVERT)}">Cheap owls</a></h2>'
        '<div class="b_caption"><p>Buy an owl today.</p></div></div></li></ul></li>'
    )
    answer = '<li class="b_ans b_topborder"><div class="b_rich"><h2>People also ask</h2><p>Why owls?</p></div></li>'
    entries = [result_entry(hit, wrapped=number % 2 == 0) for number, hit in enumerate(hits)]
    pages = '<li class="b_pag"><nav><ul><li><a class="sb_bp" href="/search?q=x&amp;first=11">2</a></li></ul></nav></li>'
    return _page(query, f'<ol id="b_results">{advert}{entries[0]}{answer}{"".join(entries[1:])}{pages}</ol>')


def result_entry(hit: Hit, *, wrapped: bool = False) -> str:
    """One result; a wrapped one has Bing's redirect for a link."""
    title, snippet, link = hit
    href = escape(redirect_link(link) if wrapped else link)
    return (
        f'<li class="b_algo" data-id iid="SERP.1"><div class="b_tpcn"><a class="tilk" href="{href}"><cite>'
        f'{escape(link)}</cite></a></div><h2><a href="{href}" h="ID=SERP,5160.2">{escape(title)}</a></h2>'
        '<div class="b_caption"><p class="b_lineclamp2"><span class="algoSlug_icon" data-priority="2">Web</span>'
        f"{escape(snippet)}</p></div></li>"
    )


def redirect_link(link: str) -> str:
    """The link as Bing sends it, with the target coded in its parameter `u`."""
    coded = base64.urlsafe_b64encode(link.encode()).decode().rstrip("=")
    return f"https://www.bing.com/ck/a?!&&p=4f2d0c9b1a&ptn=3&ver=2&hsh=4&fclid=1b0d&u=a1{coded}&ntb=1"


def _page(query: str, body: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>{escape(query)} - Search</title>'
        '<script>//<![CDATA[\nvar _G={ST:(new Date)};//]]></script></head><body class="b_respl"><header id="b_header">'
        f'<form action="/search"><input name="q" value="{escape(query)}"/></form></header>'
        f'<div id="b_content"><main>{body}</main></div></body></html>'
    )


_CAPTCHA = _page(
    "One last step",
    '<div class="captcha"><h1>One last step</h1><p>Please solve the challenge below to continue.</p>'
    '<iframe src="/turing/captcha/challenge"></iframe></div>',
)
_CONSENT = _page("Before you continue", '<form id="bnp_container"><p>We use cookies.</p><button>Accept</button></form>')


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = False  # server_close() joins only threads that are not daemons

    def __init__(self, owner: SearchServer) -> None:
        self._owner = owner
        super().__init__(("127.0.0.1", 0), partial(_Handler, owner))
        if owner.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer's own would look the host name up
        self.server_name, self.server_port = "127.0.0.1", int(self.socket.getsockname()[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that leaves early, or that does not like the certificate, is no failure of the server.
        if not isinstance(error := sys.exception(), ConnectionError | ssl.SSLError | None):
            self._owner.failures.append(error)


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, owner: SearchServer, *args: Any) -> None:
        self._owner = owner  # first, for the base class serves the connection from its __init__
        super().__init__(*args)

    def log_message(self, format: str, *args: Any) -> None: ...  # quiet

    def do_GET(self) -> None:
        owner = self._owner
        url = urlsplit(self.path)
        query = parse_qs(url.query).get("q", [""])[0]
        owner.queries.append(query)
        owner.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        hop = int(parse_qs(url.query).get("hop", ["0"])[0])
        if url.path != "/search":
            self._send(404, b"<p>no such page</p>")
        elif owner.mode == "redirects" and hop < owner.redirects:
            self._send(302, b"", location=f"/search?{urlencode({'q': query, 'hop': hop + 1})}")
        elif owner.mode == "redirect_to":
            self._send(302, b"", location=owner.location() if callable(owner.location) else owner.location)
        elif owner.mode in ("garbage", "reset", "slow_headers", "slow_drip", "huge"):
            self._misbehave(query)
        else:
            self._answer(query)

    def _answer(self, query: str) -> None:
        results = result_page(query, self._owner.hits(query)).encode()
        match self._owner.mode:
            case "no_results":
                self._send(200, result_page(query, ()).encode())
            case "empty_list":
                self._send(200, _page(query, '<ol id="b_results"></ol>').encode())
            case "empty_page":
                self._send(200, b"")
            case "captcha":
                self._send(200, _CAPTCHA.encode())
            case "consent":
                self._send(200, _CONSENT.encode())
            case "error_500":
                self._send(500, results)
            case "rate_limited":
                self._send(429, results)
            case "not_html":
                self._send(200, b'{"results": []}', "application/json")
            case "compressed":
                self._send(200, results, encoding="gzip")
            case "garbage_page":
                self._send(200, bytes(range(256)) * 40)
            case _:
                self._send(200, results)

    def _misbehave(self, query: str) -> None:
        owner = self._owner
        match owner.mode:
            case "garbage":
                self.wfile.write(b"\x00\xff\x16\x03 220 this is no HTTP\r\n\r\n")
            case "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.rfile.close()  # it holds the socket open
                self.connection.close()  # here, as the server would first shut it down: a FIN before the RST
            case "slow_headers":
                owner.stopping.wait(5)
            case _:
                self._send(200, b"", length=None)
                for piece in self._pieces(query):
                    self.wfile.write(piece)

    def _pieces(self, query: str) -> Iterator[bytes]:
        page = result_page(query, self._owner.hits(query)).encode()
        if self._owner.mode == "slow_drip":
            for byte in page:
                if self._owner.stopping.wait(0.02):
                    return
                yield bytes([byte])
            return
        yield page
        while not self._owner.stopping.is_set():
            yield b"<p>filler</p>" * 10_000
            self._owner.sent += 130_000

    def _send(
        self,
        status: int,
        body: bytes,
        content_type: str = "text/html; charset=utf-8",
        *,
        location: str | None = None,
        encoding: str | None = None,
        length: int | None = -1,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        if length is not None:
            self.send_header("Content-Length", str(len(body)))
        for name, value in (("Location", location), ("Content-Encoding", encoding)):
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
