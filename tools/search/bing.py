"""Searches with Bing's result pages."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import parse_qs, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from bs4.exceptions import ParserRejectedMarkup

from ..._internal.numbers import check_kind, number
from ...errors import FetchError, SearchError
from .guarded_http import get_page
from .search import SearchResult, is_web_link

# Bing reports no results to clients it does not know, so our name follows a browser's.
_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 thoughtgraph"
_ENTRY = re.compile(r"""<li\b[^<>]{0,300}?\bclass\s{0,9}=\s{0,9}["']?([^"'<>]{0,200})""", re.IGNORECASE)
_RESULT = frozenset({"b_algo"})
_TOLD_APART = _RESULT | {"b_ad", "b_no"}
# Python's parser takes quadratic time for unclosed tags, so parse entries one by one and cut each off at this length.
_MAX_ENTRY = 16_000


class BingSearchProvider:
    """Asks Bing for its page of results, as a browser would, and reads the results from it.

    Attributes:
        name: `"bing"`.
    """

    name = "bing"

    def __init__(
        self,
        *,
        base_url: str = "https://www.bing.com",
        timeout: float = 10.0,
        allow_private: bool = False,
        market: str | None = None,
    ) -> None:
        """Set up the search; sends no request yet.

        Args:
            base_url: the server; `/search` is appended.
            timeout: seconds for everything, from the name look-up to the last result read.
            allow_private: also allow addresses that are not public, such as a server on this machine.
            market: language and country of the results, as in `"zh-CN"`; None lets Bing guess.

        Raises:
            ValueError: `timeout` is not above 0, or another argument is not of its kind.
        """
        check_kind("base_url", base_url, str, "an address, as a text")
        check_kind("market", market, str | None, "a text such as 'zh-CN'")
        self._url = base_url.rstrip("/") + "/search"
        self._timeout = number("timeout", timeout, above=0)
        check_kind("allow_private", allow_private, bool, "True or False")
        self._allow_private = allow_private
        self._market = market

    def search(self, query: str, top_k: int) -> list[SearchResult]:
        """Search once, without retries.

        Args:
            query: the words to search for.
            top_k: the most results to return.

        Returns:
            One to `top_k` results, without ads and duplicates.

        Raises:
            SearchError: there are no results, for the reason in its `kind`.
        """
        deadline = time.monotonic() + self._timeout
        params, headers = {"q": query}, {"User-Agent": _AGENT}
        if self._market is not None:
            params["mkt"] = headers["Accept-Language"] = self._market
        try:
            page = get_page(
                self._url, deadline=deadline, params=params, headers=headers, allow_private=self._allow_private
            )
        except FetchError as error:
            raise SearchError(error.kind, self.name, query, str(error)) from error
        return read_results(page.html, query, top_k, page_url=page.url, deadline=deadline)


def read_results(
    html: str, query: str, top_k: int, *, page_url: str = "https://www.bing.com/search", deadline: float | None = None
) -> list[SearchResult]:
    """Read the results from one of Bing's pages.

    Args:
        html: the page.
        query: what was searched for, for errors.
        top_k: the most results to return.
        page_url: the page's address; the base of its relative links.
        deadline: the `time.monotonic()` at which reading ends.

    Returns:
        One to `top_k` results.

    Raises:
        SearchError: the page says there are no results (`"empty"`); it is not a page of results (`"parse"`), but asks
            for consent or a captcha, for example; or the time is up (`"timeout"`).
    """
    results: dict[str, SearchResult] = {}
    kinds = frozenset[str]()
    for entry in _entries(html):
        if deadline is not None and time.monotonic() > deadline:
            raise SearchError("timeout", BingSearchProvider.name, query, "the page took too long to read")
        kinds |= entry.kinds
        # An ad styled as a result has both kinds.
        result = _result(entry.html, page_url) if entry.kinds == _RESULT else None
        if result is not None:
            results.setdefault(result.link, result)
        if len(results) == top_k:
            break
    if results:
        return list(results.values())
    if "b_no" in kinds:
        raise SearchError("empty", BingSearchProvider.name, query, "Bing knows no page for this; try other words")
    raise SearchError(
        "parse",
        BingSearchProvider.name,
        query,
        "the answer is not a page of results; Bing may have asked for a captcha or for consent, so wait before the "
        "next search or use another provider",
    )


class _Entry(NamedTuple):
    kinds: frozenset[str]
    html: str


def _entries(html: str) -> Iterator[_Entry]:
    """The results, the ads, and the notice of no results; each with the HTML up to the next."""
    start, kinds = 0, frozenset[str]()
    for match in _ENTRY.finditer(html):
        found = _TOLD_APART.intersection(match[1].split())
        if found:
            if kinds:
                yield _Entry(kinds, html[start : min(match.start(), start + _MAX_ENTRY)])
            start, kinds = match.start(), found
    if kinds:
        yield _Entry(kinds, html[start : start + _MAX_ENTRY])


def _result(html: str, page_url: str) -> SearchResult | None:
    try:
        entry = BeautifulSoup(html, "html.parser").li
    except (ParserRejectedMarkup, ValueError):
        # Python's parser fails on a character reference with more digits than an integer may have.
        return None
    heading = entry and entry.select_one("h2 a[href]")
    if not entry or not heading:
        return None
    link = _target(str(heading["href"]), page_url)
    title = _words(heading)
    if not title or not is_web_link(link):
        return None
    for icon in entry.select(".algoSlug_icon"):
        icon.decompose()
    caption = entry.select_one(".b_caption p") or entry.select_one("p")
    return SearchResult(title, _words(caption) if caption else "", link)


def _words(tag: Tag) -> str:
    return " ".join(tag.get_text().split())


def _target(href: str, page_url: str) -> str:
    """Where a link leads; "" for an ad; a redirect that cannot be read stays as it is."""
    try:
        link = urljoin(page_url, href.strip())
        parts = urlsplit(link)
    except ValueError:
        return ""
    if parts.hostname != urlsplit(page_url).hostname and not f".{parts.hostname}".endswith(".bing.com"):
        return link
    if parts.path in ("/aclk", "/aclick"):
        return ""
    coded = parse_qs(parts.query).get("u", [""])[0]
    if parts.path != "/ck/a" or not coded.startswith("a1"):
        return link
    try:
        return base64.urlsafe_b64decode(coded[2:] + "=" * (-len(coded[2:]) % 4)).decode()
    except ValueError:
        return link
