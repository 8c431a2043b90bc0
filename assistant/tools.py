"""The tools that the assistant has of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..tools.agenda.agenda import Agenda
from ..tools.agenda.tools import schedule_tool, todo_tool
from ..tools.search.bing import BingSearchProvider
from ..tools.search.search import SearchProvider, internet_search_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def own_tools(agenda: Agenda, search: SearchProvider | None = None) -> list[BaseTool]:
    """Todos, appointments and the internet search, in the language of the agenda.

    Args:
        agenda: the agenda that they work on.
        search: where they search; Bing by default.
    """
    found = internet_search_tool(search or BingSearchProvider(), language=agenda.language)
    return [todo_tool(agenda), schedule_tool(agenda), found]
