"""Bing's pages, as they should be and as they should not."""

from __future__ import annotations

import base64
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.search_server import DEFAULT_HITS, Mode, SearchServer, redirect_link, result_entry, result_page
from thoughtgraph.errors import SearchError
from thoughtgraph.tools.search import SearchResult
from thoughtgraph.tools.search.bing import BingSearchProvider, read_results

EXPECTED = [SearchResult(*hit) for hit in DEFAULT_HITS]


def bing(server: SearchServer, **options: str) -> BingSearchProvider:
    return BingSearchProvider(base_url=server.base_url, timeout=5, allow_private=True, **options)  # pyright: ignore[reportArgumentType]


def entry(heading: str, rest: str = "") -> str:
    return f'<ol id="b_results"><li class="b_algo"><h2>{heading}</h2>{rest}</li></ol>'


def test_results_have_title_snippet_and_the_link_behind_bings_redirect() -> None:
    with SearchServer() as server:
        results = bing(server).search("owls", 10)
    assert results == EXPECTED


@pytest.mark.parametrize("top_k", [1, 3])
def test_no_more_results_than_asked_for(top_k: int) -> None:
    with SearchServer() as server:
        assert bing(server).search("owls", top_k) == EXPECTED[:top_k]


def test_what_is_found_depends_on_the_query() -> None:
    answers = {"OWL": DEFAULT_HITS[:1], "": DEFAULT_HITS[1:2]}
    with SearchServer(answers) as server:
        assert bing(server).search("an owl", 3) == EXPECTED[:1]
        assert bing(server).search("a lark", 3) == EXPECTED[1:2]
    assert server.queries == ["an owl", "a lark"]


@pytest.mark.parametrize("query", ["a & b = c?", "猫头鹰", "50% #1 +x", '"quoted" site:x.org'])
def test_a_query_arrives_as_it_was_given(query: str) -> None:
    with SearchServer() as server:
        bing(server).search(query, 1)
    assert server.queries == [query]


def test_the_market_is_passed_on() -> None:
    with SearchServer() as server:
        bing(server, market="zh-CN").search("owls", 1)
        bing(server).search("owls", 1)
    (path, headers), (plain, plain_headers) = server.requests
    assert "mkt=zh-CN" in path
    assert headers["accept-language"] == "zh-CN"
    assert "mkt" not in plain
    assert "accept-language" not in plain_headers


def test_a_base_url_may_end_with_a_slash_and_hold_a_path() -> None:
    with SearchServer() as server:
        provider = BingSearchProvider(base_url=f"{server.base_url}/", allow_private=True)
        assert provider.search("owls", 1) == EXPECTED[:1]
        with pytest.raises(SearchError, match="404"):
            BingSearchProvider(base_url=f"{server.base_url}/elsewhere", allow_private=True).search("owls", 1)
    assert server.requests[1][0].startswith("/elsewhere/search?")


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("no_results", "empty"),
        ("empty_list", "parse"),
        ("empty_page", "parse"),
        ("captcha", "parse"),
        ("consent", "parse"),
        ("not_html", "parse"),
        ("compressed", "parse"),
        ("garbage_page", "parse"),
        ("garbage", "network"),
        ("error_500", "network"),
        ("rate_limited", "network"),
        ("reset", "network"),
    ],
)
def test_a_search_that_gives_nothing_says_why(mode: Mode, kind: str) -> None:
    with SearchServer(mode=mode) as server, pytest.raises(SearchError) as error:
        bing(server).search("owls", 3)
    assert (error.value.kind, error.value.provider, error.value.query) == (kind, "bing", "owls")
    assert len(server.requests) == 1


@pytest.mark.parametrize("mode", ["slow_headers", "slow_drip"])
def test_the_time_out_is_for_everything(mode: Mode) -> None:
    with SearchServer(mode=mode) as server:
        provider = BingSearchProvider(base_url=server.base_url, timeout=0.2, allow_private=True)
        with pytest.raises(SearchError) as error:
            provider.search("owls", 3)
    assert error.value.kind == "timeout"


def test_a_private_server_is_refused_unless_allowed() -> None:
    with SearchServer() as server:
        with pytest.raises(SearchError, match="allow_private=True") as error:
            BingSearchProvider(base_url=server.base_url).search("owls", 3)
        assert server.requests == []
    assert error.value.kind == "refused"


def test_results_at_the_head_of_an_endless_page_are_read() -> None:
    with SearchServer(mode="huge") as server:
        assert bing(server).search("owls", 10) == EXPECTED


def test_a_redirected_search_gives_results() -> None:
    with SearchServer(mode="redirects", redirects=3) as server:
        assert bing(server).search("owls & larks", 10) == EXPECTED
    assert server.queries == ["owls & larks"] * 4


def test_a_relative_link_begins_where_the_page_was_found() -> None:
    with SearchServer({"": [("Owl", "", "https://a.example/"), ("Local", "", "/owl?x=1")]}) as server:
        assert bing(server).search("owls", 2)[1].link == f"{server.base_url}/owl?x=1"


def test_adverts_are_left_out() -> None:
    advert = '<li class="b_algo b_ad"><h2><a href="https://ads.example/">Buy</a></h2></li>'
    click = entry('<a href="https://www.bing.com/aclk?u=a1aHR0cHM6Ly9hZHMuZXhhbXBsZS8">Buy</a>')
    page = result_page("owls", DEFAULT_HITS).replace("<ol", f"{advert}{click}<ol", 1)
    assert "b_adTop" in page
    assert read_results(page, "owls", 10) == EXPECTED


def test_a_link_that_comes_twice_counts_once() -> None:
    first, second = DEFAULT_HITS[:2]
    again = result_entry(("Other words", "Other snippet", first[2]), wrapped=True)
    page = f'<ol id="b_results">{result_entry(first)}{again}{result_entry(second)}</ol>'
    assert read_results(page, "owls", 2) == EXPECTED[:2]


def coded(target: bytes) -> str:
    return "a1" + base64.urlsafe_b64encode(target).decode().rstrip("=")


@pytest.mark.parametrize(
    ("href", "link"),
    [
        ("https://a.example/x?y=1&amp;z=2", "https://a.example/x?y=1&z=2"),
        (redirect_link("https://a.example/ü?q=1"), "https://a.example/ü?q=1"),
        (redirect_link("http://a.example/" + "x" * 5), "http://a.example/xxxxx"),
        (f"/ck/a?u={coded(b'https://a.example/')}", "https://a.example/"),
        (f"https://cn.bing.com/ck/a?u={coded(b'https://a.example/')}", "https://a.example/"),
        ("  https://a.example/  ", "https://a.example/"),
        ("//a.example/path", "https://a.example/path"),
    ],
    ids=["plain", "coded", "other padding", "relative", "other country", "blanks", "no scheme"],
)
def test_a_link_is_the_address_of_the_page_that_was_found(href: str, link: str) -> None:
    assert [result.link for result in read_results(entry(f'<a href="{href}">T</a>'), "q", 3)] == [link]


@pytest.mark.parametrize(
    "href",
    [
        "https://www.bing.com/ck/a?u=a1%F0%9F",
        "https://www.bing.com/ck/a?u=a1A",
        "https://www.bing.com/ck/a?u=a1_____w",
        "https://www.bing.com/ck/a?u=b2aHR0cHM6Ly9h",
        "https://www.bing.com/ck/a?p=1",
        "https://www.bing.com/videos?u=a1aHR0cHM6Ly9h",
        f"https://notbing.com/ck/a?u={coded(b'https://a.example/')}",
        "https://a.example/ck/a?u=a1aHR0cHM6Ly9h",
    ],
)
def test_a_redirect_that_cannot_be_read_or_is_not_bings_stays_as_it_is(href: str) -> None:
    assert [result.link for result in read_results(entry(f'<a href="{href}">T</a>'), "q", 3)] == [href]


@pytest.mark.parametrize(
    "heading",
    [
        '<a href="javascript:alert(1)">T</a>',
        '<a href="data:text/html,x">T</a>',
        f'<a href="https://www.bing.com/ck/a?u={coded(b"javascript:alert(1)")}">T</a>',
        f'<a href="https://www.bing.com/ck/a?u={coded(b"file:///etc/passwd")}">T</a>',
        '<a href="http://[::1">T</a>',
        '<a href="https://a.example/"> </a>',
        "<a>T</a>",
        "T",
    ],
)
def test_an_entry_without_a_title_or_a_web_link_is_left_out(heading: str) -> None:
    with pytest.raises(SearchError) as error:
        read_results(entry(heading), "q", 3)
    assert error.value.kind == "parse"
    kept = read_results(entry(heading) + result_entry(DEFAULT_HITS[0]), "q", 3)
    assert kept == EXPECTED[:1]


@pytest.mark.parametrize(
    ("rest", "snippet"),
    [
        ('<div class="b_caption"><p>In the <strong>cap</strong>tion.</p></div><p>Later.</p>', "In the caption."),
        ('<p>Elsewhere.</p><div class="b_caption"><p>Own.</p></div>', "Own."),
        ("<p>No\n caption.</p>", "No caption."),
        ("", ""),
    ],
    ids=["caption", "caption behind another", "none", "no paragraph"],
)
def test_the_snippet_is_the_captions_paragraph(rest: str, snippet: str) -> None:
    (result,) = read_results(entry('<a href="https://a.example/">T</a>', rest) + "<p>Footer</p>", "q", 3)
    assert result.snippet == snippet


def test_a_page_that_names_no_results_is_empty_whatever_else_it_shows() -> None:
    page = '<li class="b_ad"><h2><a href="https://ads.example/">Buy</a></h2></li><li class="b_no"><h1>None</h1></li>'
    with pytest.raises(SearchError) as error:
        read_results(page, "q", 3)
    assert error.value.kind == "empty"


PIECES = st.sampled_from(
    [
        '<ol id="b_results">',
        '<li class="b_algo">',
        "<li class=b_algo",
        '<li class="b_ad">',
        '<li class="b_no">',
        "<h2>",
        "<a href='https://a.example/'>",
        '<a href="',
        '<a href="/ck/a?u=a1',
        "aHR0cHM6Ly9h",
        "</a>",
        "</h2>",
        "<p>",
        "</li>",
        '"',
        ">",
        "<![",
        "<!--",
        "<![CDATA[",
        "<?xml version='1.0'?>",
        "<!DOCTYPE",
        "&#xD800;",
        "&#0;",
        "<script>",
        "\0",
        "\ud800",
        "page.html",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join))
@example('<li class="b_algo"><![x y]>')
@example("<li class=b_algo>" + "<div>" * 3000)
def test_any_page_gives_results_or_a_search_error(html: str) -> None:
    try:
        results = read_results(html, "q", 3)
    except SearchError as error:
        assert error.kind in ("parse", "empty")
    else:
        assert 1 <= len(results) <= 3
        assert all(result.title and result.link.startswith(("http://", "https://")) for result in results)


def test_reading_ends_with_the_time_out() -> None:
    with pytest.raises(SearchError) as error:
        read_results(result_page("owls", DEFAULT_HITS), "owls", 3, deadline=time.monotonic() - 1)
    assert error.value.kind == "timeout"


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["<a ", "<!--", "<b>", "</"])
def test_an_entry_without_end_is_read_up_to_a_limit(piece: str) -> None:
    bloated = '<li class="b_algo"><h2><a href="https://a.example/">T</a></h2>' + piece * (2_000_000 // len(piece))
    assert read_results(bloated, "q", 1) == [SearchResult("T", "", "https://a.example/")]
