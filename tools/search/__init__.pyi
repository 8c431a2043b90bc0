from .bing import BingSearchProvider as BingSearchProvider
from .duckduckgo import DuckDuckGoSearchProvider as DuckDuckGoSearchProvider
from .search import SearchProvider as SearchProvider
from .search import SearchQueryError as SearchQueryError
from .search import SearchResult as SearchResult
from .search import internet_search_tool as internet_search_tool
