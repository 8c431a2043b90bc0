"""Internet search as a tool over any provider; the graph sees the same format from all of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.errors import GraphBubbleUp

from ..._internal.numbers import check_kind, whole_number
from ..._internal.steps import Call, Steps, arun, run
from ..._internal.texts import Language, as_language
from ...errors import SearchError, SearchErrorKind, SearchQueryError, ThoughtGraphError
from ...models.transport import is_transport_error
from ..dates.found import SOME_DAY, claims_in
from ..dates.told import told_times
from ..likeness import is_unheard, marks, traits
from ..metadata import Missing, Told
from .examples import SEARCH_EXAMPLES, SEARCH_PLANS
from .texts import text

_MAX_QUERY = 400
_MAX_TITLE = 200
_MAX_SNIPPET = 500
_MAX_LINK = 500
# Persian and several Indian scripts need these two; all other format characters are removed.
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result of a search.

    Attributes:
        title: the page's title.
        snippet: what the provider quotes from the page; may be empty.
        link: the page's http or https address.
    """

    title: str
    snippet: str
    link: str


@runtime_checkable
class SearchProvider(Protocol):
    """A search provider: any class with these two members.

    Async runs use a method `async asearch(query, top_k)` if the class has one; otherwise they call `search` in a
    thread.

    Attributes:
        name: the provider's name in errors.

    Example:
        >>> class Wiki:
        ...     name = "wiki"
        ...
        ...     def search(self, query, top_k):
        ...         return [SearchResult("Owl", "A bird of the night.", "https://wiki.example/owl")][:top_k]
        >>> internet_search_tool(Wiki()).name
        'internet_search'
    """

    name: str

    def search(self, query: str, top_k: int) -> list[SearchResult]:
        """Return the best `top_k` results; raise `SearchError`, or any other exception, if there are none."""
        ...


def internet_search_tool(provider: SearchProvider, *, top_k: int = 3, language: Language = "en") -> BaseTool:
    """The tool `internet_search`, with one argument `query`, sync and async.

    It answers with a text for a model: a line saying that what follows is quoted data, then the numbered results with
    title, snippet and link. Line breaks and control characters inside them are flattened, and each is capped (title
    200, snippet and link 500 characters). Results without an http or https link are dropped.

    Args:
        provider: the provider to ask.
        top_k: the most results to show.
        language: of the tool's own text and examples.

    Raises:
        ValueError: `top_k` is below 1 or no whole number, the language is unknown, or the provider is none.
        SearchQueryError: from the tool, before it asks the provider: the query is blank or over 400 characters.
        SearchError: from the tool: no results, for the reason in its `kind`; an error from the provider is chained as
            the cause.
    """
    check_kind("provider", provider, SearchProvider, "a search provider, with `name` and `search`")
    top_k = whole_number("top_k", top_k)
    language = as_language(language)

    def internet_search(query: str) -> str:
        return run(_searched(provider, query, top_k, language))

    async def ainternet_search(query: str) -> str:
        return await arun(_searched(provider, query, top_k, language))

    return StructuredTool.from_function(
        internet_search,
        ainternet_search,
        name="internet_search",
        description=text(language, "search.description", top_k=top_k, max_query=_MAX_QUERY),
        metadata={
            "effects": False,
            "examples": SEARCH_EXAMPLES[language],
            "plans": SEARCH_PLANS[language],
            "grounded": _held,
            "required": ["query", partial(_unasked, language)],
        },
    )


_NOTES = re.compile(
    r"\b(?:add|put|enter|pencil|jot|note|list|book|block) (?:it|this|that|her|him|them|me)\b|\bremind me\b"
    r"|\b(?:on|onto|in|into|to|from|off) my (?:to-?do |task )?(?:list|calendar|diary|schedule|agenda)\b|\bdeadline\b"
    r"|\bdon['’]?t let me forget\b|提醒我|记下|加到|放进|别忘",
    re.IGNORECASE,
)
_SEARCHES = re.compile(
    r"\b(?:search\w*|google\w*|internet|online|web|look(?:ed|ing)? (?:(?:it|that|this|them|these) )?up|find out)\b"
    r"|查|搜|网",
    re.IGNORECASE,
)
_OWN_DOINGS = re.compile(
    r"\b(?:am|did|do|have|had|can|could|should|must|was|will) i\b|\bi(?:['’]m| am|['’]ve| have| had|['’]ll)\b"
    r"|我(?:有|要|得|该|还|今|明|周|下|这|那|是不是|能不能|什么时候)",
    re.IGNORECASE,
)
"""What the user has or does."""
_OWN_LISTS = re.compile(
    r"\bmy (?:\w+ ){0,2}(?:jobs?|tasks?|to-?dos?|lists?|calendar|diary|agenda|appointments?|meetings?|schedule"
    r"|reminders?|bookings?|plans)\b|\b(?:on|in|off) the (?:to-?do )?(?:list|calendar|diary)\b|待办|日程|日历|清单",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?<=[.!?;。！？；])\s*|\n|[,，]\s*(?=(?:(?:but|and|as|cos|because|since) )?I\b|因为|我)")
"""Where a sentence ends, and where one goes on about the user: "what does it cost, I'm skint"."""
_OF_THAT = re.compile(
    r"\W*(?:(?:and|so|oh) )?(?:is|was|when is|when was|what (?:day|date|time) (?:is|was)) (?:that|it|this)\b", re.I
)
_MY = re.compile(r"\bmy\b|我的", re.IGNORECASE)
_LOOKS_UP = re.compile(
    r"\b(?:search|look|find|google|internet|online|web|check|what|when|where|who|which|how|why|whether|latest|news"
    r"|price|weather|open|opening|recommend|compare|explain|summar\w+|learn|read)\b"
    r"|查|搜|找|什么|哪|几|多少|怎么|谁|网|开|推荐|介绍|攻略",
    re.IGNORECASE,
)


_YES_FIRST = re.compile(
    r"\W*(?:(?:y|yes|yeah|yep|sure|ok|okay|please|go ahead|do (?:it|that|so)|search)\b|[好是行嗯对查搜]|可以)",
    re.IGNORECASE,
)
"""An answer that begins with a yes, or with the word for what was asked."""


def _unasked(language: Language, given: Mapping[str, Any], told: Told) -> Missing | None:
    """A search for a request that wants something noted, that goes on about the last one and asks nothing, or that is
    about what the user has or does, before their own lists were read; one for what nobody spoke of; and, once, one for
    a question about something that their lists have."""
    said = " ".join(told.request)
    asks = "asks" in traits(said)
    noted = not _LOOKS_UP.search(said) and ((told.before and not asks) or _NOTES.search(said))
    is_own = _asks_of_own(said) if asks else _MY.search(said) or told_times(said, told.now)
    is_own = is_own and (asks or not _LOOKS_UP.search(said))
    latest = told.before.splitlines()[-1:]
    if _OF_THAT.match(said) and any(" → " in line for line in latest) and not marks(claims_in(said, told.now)[1]):
        # "Is that a Tuesday?" is about what a call has just changed.
        noted = not _SEARCHES.search(said)
    if not (asks or _LOOKS_UP.search(said)):
        # A small model searches for what an example has; who asks gets an answer in other words.
        heard = "\n".join([*told.request, told.before, *told.elsewhere, *told.done])
        noted = noted or is_unheard(str(given.get("query", "")), heard)
    kept = bool(asks and told.context)
    if not noted and (not (is_own or kept) or told.elsewhere or _SEARCHES.search(said)):
        return None

    def agreed(answer: str) -> dict[str, Any] | None:
        return dict(given) if _YES_FIRST.match(answer) else None

    if not (noted or is_own):
        return Missing("", agreed, at_once=False, hint=text(language, "search.kept"), unwanted=True)
    question = text(language, "search.ask", query=str(given.get("query", ""))[:_MAX_QUERY])
    return Missing(question, agreed, at_once=False, hint=text(language, "search.unasked"), stands=True, unwanted=True)


def _asks_of_own(said: str) -> bool:
    """Whether a question is about what the user has or does: their own lists may know of it. "I'm on a budget" is only
    said beside one."""
    asking = [part for part in _PARTS.split(said) if "asks" in traits(part)]
    # "What's on Friday, I have no idea" names nothing that others know of.
    asking = asking if any(marks(claims_in(part, SOME_DAY)[1]) for part in asking) else []
    return bool(_OWN_LISTS.search(said)) or any(map(_OWN_DOINGS.search, asking or [said]))


def _held(given: Mapping[str, Any]) -> list[str]:
    """The query without its capitals: a model may well search with a name that it knows."""
    return [str(given.get("query", "")).lower()]


def search_error(error: Exception, provider: str, query: str) -> SearchError:
    """Translate a foreign error: a time-out, a network error, or anything else as an unreadable answer."""
    kind: SearchErrorKind = "parse"
    if isinstance(error, TimeoutError) or "timeout" in type(error).__name__.lower():
        kind = "timeout"
    elif (
        isinstance(error, OSError)
        or getattr(error, "response", None) is not None
        or (not isinstance(error, ValueError) and is_transport_error(error))
    ):
        # Not for a body that is not JSON: there the provider answered, only oddly (a model server may be at fault).
        kind = "network"
    return SearchError(kind, provider, query, f"{type(error).__name__}: {flat(str(error), 300)}")


def is_web_link(link: str) -> bool:
    """Whether a link is a complete http or https address."""
    try:
        parts = urlsplit(link)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def flat(words: str, limit: int) -> str:
    """One line without control, direction, private or invisible characters, cut to a number of characters."""
    # Cut twice: text that will not be shown need not be read, and dropped blanks make room for what follows.
    line = " ".join("".join(map(_plain, words[: 4 * limit])).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _searched(provider: SearchProvider, query: str, top_k: int, language: Language) -> Steps[str]:
    asked = flat(query, 2 * _MAX_QUERY)
    if not asked:
        raise SearchQueryError("the query is blank; give the words to search for")
    if len(asked) > _MAX_QUERY:
        raise SearchQueryError(f"the query is longer than {_MAX_QUERY} characters; give the most telling words alone")
    asearch = getattr(provider, "asearch", None)
    ainvoke = None if asearch is None else lambda: asearch(asked, top_k)
    try:
        found: Any = yield Call(lambda: provider.search(asked, top_k), ainvoke)
        results = _usable(found, top_k)
    except (ThoughtGraphError, GraphBubbleUp):
        # Our own errors are more precise, and a provider may pause the graph with `interrupt()`.
        raise
    except Exception as error:
        raise search_error(error, provider.name, asked) from error
    if not results:
        raise SearchError("empty", provider.name, asked, "nothing was found; try other words")
    shown = [_shown(number, result) for number, result in enumerate(results, 1)]
    return "\n".join([text(language, "search.quoted"), *shown])


def _usable(found: Iterable[object], top_k: int) -> list[SearchResult]:
    usable: list[SearchResult] = []
    for result in found:
        if not isinstance(result, SearchResult):
            raise TypeError(f"a provider returns a list of SearchResult, not of {type(result).__name__}")
        link = flat(result.link, _MAX_LINK).replace(" ", "%20")
        if is_web_link(link):
            usable.append(SearchResult(flat(result.title, _MAX_TITLE), flat(result.snippet, _MAX_SNIPPET), link))
        if len(usable) == top_k:
            break
    return usable


def _shown(number: int, result: SearchResult) -> str:
    indent = " " * len(f"{number}. ")
    lines = [part for part in (result.title, result.snippet, result.link) if part]
    return f"{number}. " + f"\n{indent}".join(lines)


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs", "Co") and character not in _JOINERS else character
