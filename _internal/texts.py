"""Fixed texts in English and Chinese: each room has its own and looks them up by key; and what is given as text.

A test checks that both languages of every text have the same fields.
"""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping
from typing import Literal, Protocol, cast, get_args

from .numbers import check_kind

Language = Literal["en", "zh"]
Pairs = dict[str, tuple[str, str]]
"""English and Chinese by key, with `str.format` fields."""


class Lookup(Protocol):
    """Finds a text and fills in its fields."""

    def __call__(self, language: Language, key: str, /, **fields: object) -> str:
        """The text.

        Raises:
            KeyError: there is no such text, or a field is missing.
        """
        ...


def texts(pairs: Mapping[str, tuple[str, str]]) -> Lookup:
    """The look-up function for a room's texts."""

    def text(language: Language, key: str, /, **fields: object) -> str:
        return pairs[key][0 if language == "en" else 1].format(**fields)

    return text


def as_language(name: str) -> Language:
    """Check the name of a language.

    Raises:
        ValueError: there are no texts in that language.
    """
    if name not in get_args(Language):
        raise ValueError(f"unknown language {name!r}: choose one of {get_args(Language)}")
    return cast(Language, name)


def user_language() -> Language:
    """Chinese if the environment's locale is Chinese, else English."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return "zh" if value.lower().startswith("zh") else "en"
    return "zh" if (locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"


def instructions_of(system_prompt: object) -> str:
    """A system prompt as a text, also of a SystemMessage; "" for None.

    Raises:
        ValueError: it is neither a text nor a SystemMessage.
    """
    # Not before a graph is built: the commands need no messages.
    from langchain_core.messages import SystemMessage

    given = system_prompt.text if isinstance(system_prompt, SystemMessage) else system_prompt
    check_kind("system_prompt", given, str | None, "a text or a SystemMessage")
    # A message's text is a text of LangChain's own class.
    return str(given or "")


def shortened(text: str, limit: int) -> str:
    """A text within a limit; a longer one says at its end how long it was, so it must not be shortened already."""
    if len(text) <= limit:
        return text
    mark = f"\n… [cut: {len(text)} characters in all]"
    return text[: max(0, limit - len(mark))] + mark


def said_once(text: str) -> str:
    """A text without its repetitions where it is a word and the same again: LangChain joins what two chunks of a stream
    say of the reply, such as "stop" and "stop". A word of fewer than four characters stays as it is."""
    period = (text + text).find(text, 1)
    return text[:period] if period >= _SHORTEST else text


_SHORTEST = 4
