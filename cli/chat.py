"""`thoughtgraph chat`: talk to the assistant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..tools.search.search import SearchProvider
from .terminal import Exit, ModelsOption, console, fail, fetching, import_from_here, reported


def chat(
    model: ModelsOption = None,
    folder: Annotated[Path | None, typer.Option(help="Folder for the agenda, runs and pauses.")] = None,
    language: Annotated[str | None, typer.Option(help="en or zh. Default: your locale's.")] = None,
    search: Annotated[
        str, typer.Option(help="bing, duckduckgo, or the URL of a server that answers like Bing; it may be private.")
    ] = "bing",
    no_model: Annotated[bool, typer.Option("--no-model", help="Slash commands only.")] = False,
) -> None:
    """Talk to the assistant: a todo list, a calendar and internet search, by plain words or slash commands."""
    import_from_here()
    with reported():
        from .._internal.texts import as_language
        from ..assistant.assistant import Assistant
        from ..models.open import CHAT_MODEL, chosen_model
        from .talk import remember_inputs, talk

        spoken = as_language(language) if language else None
        provider = _search_provider(search)
        with fetching() as progress:
            chosen = None if no_model else model or [chosen_model(None, CHAT_MODEL)]
            assistant = Assistant(chosen, folder=folder, language=spoken, search=provider, progress=progress)
        with assistant:
            write_history = remember_inputs(assistant.folder / "history")
            try:
                talk(assistant, console)
            finally:
                write_history()


def _search_provider(name: str) -> SearchProvider:
    from ..tools.search.bing import BingSearchProvider
    from ..tools.search.duckduckgo import DuckDuckGoSearchProvider

    if name.startswith(("http://", "https://")):
        return BingSearchProvider(base_url=name, allow_private=True)
    providers: dict[str, Callable[[], SearchProvider]] = {
        "bing": BingSearchProvider,
        "duckduckgo": DuckDuckGoSearchProvider,
    }
    if name not in providers:
        fail(f"unknown search {name!r}: choose one of {', '.join(providers)}, or give an address", Exit.USAGE)
    return providers[name]()
