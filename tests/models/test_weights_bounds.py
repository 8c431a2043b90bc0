"""A hub of weights that floods, drips or redirects fills no disk and holds no fetch for ever."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from support import raw_server
from support.raw_server import RawServer, whole
from thoughtgraph.errors import ModelSetupError
from thoughtgraph.models.local import weights as weights_module
from thoughtgraph.models.local.weights import CATALOG, Weights, pull

DATA = bytes(range(256)) * 4_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, an index without packages, and a key that no hub is to see."""
    monkeypatch.setattr(weights_module, "cache_folder", lambda: tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("THOUGHTGRAPH_API_KEY", "correct-horse-battery-staple")
    return tmp_path


def pulled(server: RawServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The weights, of which a server is the hub."""
    digest = hashlib.sha256(DATA).hexdigest()
    entry = Weights("tiny", "tiny.gguf", len(DATA), digest, f"{server.url}/x", "nosuch-tiny-{part}", "1.0", 1, "tiny")
    monkeypatch.setitem(CATALOG, "tiny", entry)
    return pull("tiny")


def test_a_hub_that_sends_more_than_the_weights_fills_no_disk(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []

    def flood(client: raw_server.Connection) -> None:
        client.send(b"HTTP/1.1 200 OK\r\n\r\n")
        client.flood(b"x" * 1_000, 30_000_000)

    monkeypatch.setattr(
        weights_module, "_from_wheels", lambda *_: written.append((cache / "tiny.partial").stat().st_size)
    )
    with RawServer(flood) as server, pytest.raises(ModelSetupError):
        pulled(server, monkeypatch)
    assert 0 < written[0] < 3_000_000


@pytest.mark.slow
@pytest.mark.parametrize("drip", [raw_server.dripped_headers, raw_server.dripped_body], ids=lambda drip: drip.__name__)
def test_a_hub_that_drips_is_given_up(drip: raw_server.Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights_module, "_HUB_SECONDS", 0.3)
    told: list[str] = []

    def answer(client: raw_server.Connection) -> None:
        drip(client)
        told.append("to the end")

    with RawServer(answer) as server, pytest.raises(ModelSetupError, match="could not fetch"):
        pulled(server, monkeypatch)
    assert told == []


def test_a_hub_may_redirect_to_another_host(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        RawServer(lambda client: client.send(whole(DATA))) as store,
        RawServer(raw_server.redirect(f"{store.url}/file", b"302 Found")) as server,
    ):
        assert pulled(server, monkeypatch).read_bytes() == DATA
        assert b"authorization" not in (server.requests[0] + store.requests[0]).lower()
