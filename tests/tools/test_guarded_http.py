"""A fetch that stays off private networks, ends in time, and says what went wrong."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import raw_server
from support.search_server import CERTIFICATE, Mode, SearchServer
from thoughtgraph import ThoughtGraphError
from thoughtgraph.errors import FetchError
from thoughtgraph.tools.search.guarded_http import Page, get_page

pytestmark = pytest.mark.slow

PUBLIC = "93.184.215.14"
DEAD = "93.184.215.99"
_getaddrinfo = socket.getaddrinfo
_create_connection = socket.create_connection


class Names:
    """Plays the name service, and leads connections to public addresses to a server on this machine."""

    def __init__(self, names: dict[str, list[list[str]]], port: int) -> None:
        self.names = names
        self.port = port
        self.looked_up: list[str] = []
        self.connected: list[str] = []
        self.timeouts: list[float] = []

    def getaddrinfo(self, host: str, port: int, *args: Any, **kwargs: Any) -> list[Any]:
        host.encode("idna")  # as the real one begins
        try:
            ipaddress.ip_address(host)
        except ValueError:
            if host not in self.names:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None
            self.looked_up.append(host)
            answers = self.names[host]
            addresses = answers.pop(0) if len(answers) > 1 else answers[0]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]
        return _getaddrinfo(host, port, *args, **kwargs)

    def create_connection(self, address: tuple[str, int], timeout: float, **kwargs: Any) -> socket.socket:
        self.connected.append(address[0])
        self.timeouts.append(timeout)
        if address[0] == DEAD:
            raise ConnectionRefusedError("nobody there")
        return _create_connection(("127.0.0.1", self.port), timeout)


@contextmanager
def names(port: int, /, **known: list[str] | list[list[str]]) -> Iterator[Names]:
    """Name look-ups answer what is given here: one list of addresses, or one for each look-up in turn."""
    answers: dict[str, Any] = {
        f"{name}.test": value if isinstance(value[0], list) else [value] for name, value in known.items()
    }
    service = Names(answers, port)
    with (
        patch.object(socket, "getaddrinfo", service.getaddrinfo),
        patch.object(socket, "create_connection", service.create_connection),
    ):
        yield service


def fetch(url: str, *, seconds: float = 5, **options: Any) -> Page:
    return get_page(url, deadline=time.monotonic() + seconds, **options)


def local(server: SearchServer, **options: Any) -> Page:
    return fetch(f"{server.base_url}/search?q=owls", allow_private=True, **options)


def test_a_page_comes_with_its_address_and_text() -> None:
    with SearchServer() as server:
        page = fetch(
            f"{server.base_url}/search", params={"q": "été & ?"}, headers={"User-Agent": "me"}, allow_private=True
        )
    assert "Owls hunt by night" in page.html
    assert page.url.startswith(f"{server.base_url}/search?q=")
    assert server.queries == ["été & ?"]
    assert server.requests[0][1]["user-agent"] == "me"
    assert server.requests[0][1]["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.255.254",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%lo",
        "fc00::1",
        "fec0::1",
        "ff0e::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::ffff:93.184.215.14",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::1",
        "2001:0:7f00:1::1",
    ],
)
def test_an_address_that_is_not_public_is_never_connected_to(address: str) -> None:
    with names(1, inside=[address]) as service, pytest.raises(FetchError) as refusal:
        fetch("http://inside.test/")
    assert refusal.value.kind == "refused"
    assert "allow_private=True" in str(refusal.value)
    assert service.looked_up == ["inside.test"]
    assert service.connected == []


@pytest.mark.parametrize("address", [PUBLIC, "2606:4700::1111", "64:ff9b::5db8:d70e"])
def test_a_public_address_is_connected_to_as_it_was_checked(address: str) -> None:
    with SearchServer() as server, names(server.port, bing=[address]) as service:
        assert "Owls" in fetch("http://bing.test/search?q=owls").html
    assert service.connected == [address]
    assert server.requests[0][1]["host"] == "bing.test"


@pytest.mark.parametrize("addresses", [[PUBLIC, "10.0.0.1"], ["10.0.0.1", PUBLIC]], ids=["last", "first"])
def test_one_private_address_among_public_ones_is_enough_to_refuse(addresses: list[str]) -> None:
    with names(1, mixed=addresses) as service, pytest.raises(FetchError, match="not public"):
        fetch("http://mixed.test/")
    assert service.connected == []


def test_a_name_that_changes_its_address_after_the_check_gains_nothing() -> None:
    with SearchServer() as server, names(server.port, rebind=[[PUBLIC], ["127.0.0.1"]]) as service:
        fetch("http://rebind.test/search?q=owls")
    assert service.looked_up == ["rebind.test"]
    assert service.connected == [PUBLIC]


def test_the_next_address_is_tried_where_one_does_not_answer_in_its_share_of_the_time() -> None:
    with SearchServer() as server, names(server.port, bing=[DEAD, PUBLIC]) as service:
        assert "Owls" in fetch("http://bing.test/search?q=owls").html
    assert service.connected == [DEAD, PUBLIC]
    assert service.timeouts[0] <= 2.5 < service.timeouts[1] <= 5


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0"]
)
def test_this_machine_is_refused_however_it_is_spelt(host: str) -> None:
    with SearchServer() as server:
        with pytest.raises(FetchError) as refusal:
            fetch(f"http://{host}:{server.port}/search?q=owls")
        assert refusal.value.kind == "refused"
        assert server.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://bing.test/",
        "ws://bing.test/",
        "gopher://bing.test/",
        "//bing.test/",
        "bing.test",
        "",
        "http://",
        "http:///search",
        "http://[::1",
        "http://bing.test:port/",
        "http://" + "a" * 70 + ".test/",
    ],
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with names(1, bing=[PUBLIC]) as service, pytest.raises(FetchError) as refusal:
        fetch(url)
    assert refusal.value.kind == "refused"
    assert service.connected == []


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:{port}/search?q=owls",
        "http://inside.test/search?q=owls",
        "//inside.test/search?q=owls",
        "file:///etc/passwd",
        "ws://bing.test/search?q=owls",
    ],
)
def test_a_redirect_is_checked_like_the_first_address(location: str) -> None:
    server = SearchServer(mode="redirect_to", location=lambda: location.format(port=server.port))
    with server, names(server.port, bing=[PUBLIC], inside=["192.168.0.7"]) as service:
        with pytest.raises(FetchError) as refusal:
            fetch("http://bing.test/search?q=owls")
        assert refusal.value.kind == "refused"
        assert len(server.requests) == 1
    assert service.connected == [PUBLIC]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(location=st.text(st.characters(max_codepoint=255, exclude_categories=["Cc"]), max_size=40))
@example("http://[::1")
@example("http://bing.test:port/")
@example("http://" + "a" * 70 + ".test/")
def test_a_redirect_to_anything_odd_is_a_fetch_error(location: str) -> None:
    server = SearchServer(mode="redirect_to", location=location)
    with server, names(server.port, bing=[PUBLIC]), pytest.raises(FetchError):
        fetch("http://bing.test/search?q=owls")


def test_three_redirects_are_followed() -> None:
    with SearchServer(mode="redirects", redirects=3) as server:
        page = local(server)
    assert "Owls" in page.html
    assert page.url.endswith("hop=3")


def test_a_fourth_redirect_is_not() -> None:
    with SearchServer(mode="redirects", redirects=4) as server:
        with pytest.raises(FetchError, match="more than 3 times") as error:
            local(server)
        assert len(server.requests) == 4
    assert error.value.kind == "network"


@pytest.mark.parametrize(
    ("mode", "kind", "says"),
    [
        ("error_500", "network", "HTTP 500"),
        ("rate_limited", "network", "wait"),
        ("not_html", "parse", "application/json"),
        ("compressed", "parse", "compressed"),
        ("garbage", "network", "status line"),
        ("reset", "network", "reset"),
    ],
)
def test_a_bad_answer_is_told_by_its_kind(mode: Mode, kind: str, says: str) -> None:
    with SearchServer(mode=mode) as server, pytest.raises(ThoughtGraphError, match=says) as error:
        local(server)
    assert isinstance(error.value, FetchError)
    assert error.value.kind == kind


@pytest.mark.parametrize("mode", ["slow_headers", "slow_drip"])
def test_the_deadline_holds_for_a_server_that_dawdles(mode: Mode) -> None:
    with SearchServer(mode=mode) as server, pytest.raises(FetchError) as error:
        local(server, seconds=0.2)
    assert error.value.kind == "timeout"


@pytest.mark.parametrize("answer", [*raw_server.DRIPS, raw_server.flood_of_100s], ids=lambda answer: answer.__name__)
def test_the_deadline_holds_for_every_part_of_an_answer(answer: raw_server.Answer) -> None:
    def page(client: raw_server.Connection) -> None:
        send = client.send
        client.send = lambda data: send(data.replace(b"application/json", b"text/html"))  # type: ignore[method-assign]
        answer(client)

    with raw_server.RawServer(page) as server, pytest.raises(FetchError) as error:
        fetch(f"{server.url}/search", allow_private=True, seconds=0.2)
    assert error.value.kind == "timeout"


def test_the_deadline_holds_for_a_name_look_up_that_hangs() -> None:
    hanging = threading.Event()

    def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
        hanging.wait(5)
        return []

    with patch.object(socket, "getaddrinfo", getaddrinfo), pytest.raises(FetchError) as error:
        fetch("http://slow.test/", seconds=0.1)
    hanging.set()
    assert error.value.kind == "timeout"


def test_a_deadline_that_has_passed_asks_nothing() -> None:
    with SearchServer() as server:
        with pytest.raises(FetchError) as error:
            local(server, seconds=-1)
        assert server.requests == []
    assert error.value.kind == "timeout"


def test_a_page_without_end_is_read_for_two_megabytes_and_no_further() -> None:
    with SearchServer(mode="huge") as server:
        page = local(server)
        assert len(page.html.encode()) == 2_000_000
        assert server.sent < 20_000_000


def test_nobody_listening_is_a_network_error() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with pytest.raises(FetchError, match="refused") as error:
        fetch(f"http://127.0.0.1:{port}/", allow_private=True)
    assert error.value.kind == "network"


def test_an_unknown_name_is_a_network_error() -> None:
    with names(1), pytest.raises(FetchError, match="Name or service") as error:
        fetch("http://nowhere.test/")
    assert error.value.kind == "network"


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with SearchServer() as server, SearchServer() as proxy:
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(variable, proxy.base_url)
        local(server)
        assert (len(server.requests), proxy.requests) == (1, [])


def test_tls_verifies_the_name_although_the_connection_goes_to_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with SearchServer(tls=True) as server, names(server.port, search=[PUBLIC], other=[PUBLIC]) as service:
        assert "Owls" in fetch("https://search.test/search?q=owls").html
        with pytest.raises(FetchError, match=r"(?i)certificate") as error:
            fetch("https://other.test/search?q=owls")
        assert len(server.requests) == 1
    assert error.value.kind == "network"
    assert service.connected == [PUBLIC, PUBLIC]


def test_the_deadline_holds_over_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with SearchServer(tls=True, mode="slow_drip") as server, names(server.port, search=[PUBLIC]):
        with pytest.raises(FetchError) as error:
            fetch("https://search.test/search?q=owls", seconds=0.3)
        assert len(server.requests) == 1
    assert error.value.kind == "timeout"


def test_a_certificate_nobody_vouches_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(variable, raising=False)
    with SearchServer(tls=True) as server, names(server.port, search=[PUBLIC]), pytest.raises(FetchError) as error:
        fetch("https://search.test/search?q=owls")
    assert error.value.kind == "network"
