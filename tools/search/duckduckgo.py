"""Searches DuckDuckGo through the library `ddgs`."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

from ..._internal.numbers import number
from ..._internal.steps import in_thread
from ...errors import MissingLibraryError, SearchError, SearchErrorKind
from .search import SearchResult, is_web_link, search_error

_GRACE = 0.5
"""Extra seconds for the library to report its own time-out, which restarts with every byte."""


class DuckDuckGoSearchProvider:
    """Asks DuckDuckGo.

    Attributes:
        name: `"duckduckgo"`.
    """

    name = "duckduckgo"

    def __init__(self, *, timeout: float = 10.0) -> None:
        """Set up the search; sends no request yet.

        Args:
            timeout: seconds for everything; work that the library has not finished by then is abandoned.

        Raises:
            MissingLibraryError: the extra `search` is not installed.
            ValueError: `timeout` is not above 0.
        """
        self._timeout = number("timeout", timeout, above=0)
        try:
            self._library: Any = import_module("ddgs")
            self._errors: Any = import_module("ddgs.exceptions")
        except ImportError as missing:
            raise MissingLibraryError(
                "DuckDuckGo is asked through the library ddgs: pip install 'thoughtgraph[search]'"
            ) from missing

    def search(self, query: str, top_k: int) -> list[SearchResult]:
        """Search once, without retries.

        Args:
            query: the words to search for.
            top_k: the most results to return.

        Returns:
            One to `top_k` results.

        Raises:
            SearchError: there are no results, for the reason in its `kind`.
        """
        started = time.monotonic()
        try:
            # Only DuckDuckGo: by default the library also sends the query to half a dozen other services.
            client = self._library.DDGS(timeout=self._timeout)
            found: list[dict[str, Any]] = in_thread(
                lambda: client.text(query, max_results=top_k, backend="duckduckgo")
            ).result(self._timeout + _GRACE)
            results = [SearchResult(hit["title"], hit.get("body", ""), hit["href"]) for hit in found]
        except self._errors.DDGSException as error:
            kind, problem = self._reason(error, time.monotonic() - started)
            raise SearchError(kind, self.name, query, problem) from error
        except Exception as error:
            raise search_error(error, self.name, query) from error
        usable = [result for result in results if is_web_link(result.link)]
        if not usable:
            raise SearchError("empty", self.name, query, "nothing was found; try other words")
        return usable[:top_k]

    def _reason(self, error: Exception, seconds: float) -> tuple[SearchErrorKind, str]:
        """The reason for an error of the library, which wraps the original error or reports that it found nothing."""
        met = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
        if isinstance(met, self._errors.TimeoutException):
            return "timeout", f"no answer within {self._timeout:g} s"
        if isinstance(met, self._errors.RatelimitException):
            return "network", "DuckDuckGo asks for fewer requests; wait before the next one"
        if "no results found" in str(met).lower():
            # The library counts an engine that is still working at the time-out as one without results.
            if seconds >= self._timeout:
                return "timeout", f"no answer within {self._timeout:g} s"
            return "empty", "nothing was found, or DuckDuckGo refused to answer; try other words or wait"
        if isinstance(met, self._errors.DDGSException):
            return "network", str(met)[:300]
        translated = search_error(met, self.name, "")
        return translated.kind, f"{type(met).__name__}: {str(met)[:300]}"
