"""DuckDuckGo through its library, whose client is played here."""

from __future__ import annotations

import inspect
import sys
import time
from typing import Any

import pytest
from ddgs.ddgs import DDGS
from ddgs.engines import ENGINES
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
from thoughtgraph import ThoughtGraphError
from thoughtgraph.errors import SearchError
from thoughtgraph.tools.search import SearchResult, internet_search_tool
from thoughtgraph.tools.search.duckduckgo import DuckDuckGoSearchProvider

HITS = [
    {"title": "Owl", "href": "https://wiki.example/owl", "body": "A bird of the night."},
    {"title": "Barn owl", "href": "https://wiki.example/barn", "body": ""},
]


class Client:
    """Plays `ddgs.DDGS`."""

    gives: Any = HITS
    pause = 0.0
    made: list[float]
    asked: list[tuple[str, dict[str, Any]]]

    def __init__(self, timeout: float) -> None:
        type(self).made.append(timeout)

    def text(self, query: str, **options: Any) -> list[dict[str, Any]]:
        self.asked.append((query, options))
        time.sleep(self.pause)
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> type[Client]:
    fake: type[Client] = type("Fake", (Client,), {"made": [], "asked": []})
    monkeypatch.setattr("ddgs.DDGS", fake)
    return fake


def failure(client: type[Client], gives: Any, **options: float) -> SearchError:
    client.gives = gives
    with pytest.raises(SearchError) as error:
        DuckDuckGoSearchProvider(**options).search("owls", 3)
    return error.value


def test_results_have_title_snippet_and_link(client: type[Client]) -> None:
    assert DuckDuckGoSearchProvider().search("owls", 3) == [
        SearchResult("Owl", "A bird of the night.", "https://wiki.example/owl"),
        SearchResult("Barn owl", "", "https://wiki.example/barn"),
    ]


def test_only_duckduckgo_is_asked_for_as_many_as_wanted_and_in_the_given_time(client: type[Client]) -> None:
    DuckDuckGoSearchProvider(timeout=2.5).search("owls", 7)
    assert client.made == [2.5]
    assert client.asked == [("owls", {"max_results": 7, "backend": "duckduckgo"})]


def test_no_more_results_than_asked_for(client: type[Client]) -> None:
    assert len(DuckDuckGoSearchProvider().search("owls", 1)) == 1


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (TimeoutException("slow"), "timeout"),
        (DDGSException(TimeoutException("slow")), "timeout"),
        (DDGSException(TimeoutError("slow")), "timeout"),
        (RatelimitException("202"), "network"),
        (DDGSException("ConnectError: ConnectError('dns error')"), "network"),
        (DDGSException(DDGSException("RequestError: broken")), "network"),
        (DDGSException(OSError("no route")), "network"),
        (OSError("no route"), "network"),
        (DDGSException(ValueError("document is empty")), "parse"),
        (AttributeError("odd"), "parse"),
        (DDGSException("No results found."), "empty"),
        (DDGSException(), "network"),
    ],
    ids=repr,
)
def test_each_error_of_the_library_has_its_kind(client: type[Client], raised: Exception, kind: str) -> None:
    error = failure(client, raised)
    assert (error.kind, error.provider, error.query) == (kind, "duckduckgo", "owls")
    assert error.__cause__ is raised


def test_a_search_that_drips_on_is_given_up(client: type[Client]) -> None:
    client.pause = 2.0
    error = failure(client, HITS, timeout=0.05)
    assert (error.kind, type(error.__cause__)) == ("timeout", TimeoutError)


def test_no_results_after_the_whole_time_is_a_time_out(client: type[Client]) -> None:
    client.pause = 0.1
    assert failure(client, DDGSException("No results found."), timeout=0.1).kind == "timeout"


@pytest.mark.parametrize(
    ("gives", "kind"),
    [
        ([], "empty"),
        ([{"title": "T", "href": "javascript:x", "body": ""}], "empty"),
        ([{"title": "T"}], "parse"),
        (None, "parse"),
    ],
    ids=["none", "no web link", "no link", "no list"],
)
def test_an_odd_answer_has_its_kind(client: type[Client], gives: Any, kind: str) -> None:
    assert failure(client, gives).kind == kind


def test_the_tool_works_with_it_as_with_any_provider(client: type[Client]) -> None:
    found = internet_search_tool(DuckDuckGoSearchProvider(), top_k=1).invoke("owls")
    assert found.splitlines()[1:] == ["1. Owl", "   A bird of the night.", "   https://wiki.example/owl"]


@pytest.mark.parametrize("module", ["ddgs", "ddgs.exceptions"])
def test_a_missing_library_is_an_error_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ThoughtGraphError, match=r"pip install 'thoughtgraph\[search\]'"):
        DuckDuckGoSearchProvider()


def test_the_real_client_takes_what_is_handed_to_it() -> None:
    search = inspect.signature(DDGS._search_sync).parameters  # pyright: ignore[reportPrivateUsage]
    assert {"query", "max_results", "backend"} <= set(search)
    assert "timeout" in inspect.signature(DDGS.__init__).parameters
    assert "duckduckgo" in ENGINES["text"]
