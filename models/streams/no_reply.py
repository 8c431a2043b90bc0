"""Answers of a server that hold no reply."""

from __future__ import annotations

from traceback import walk_tb

_READERS = frozenset(
    {"_create_chat_result", "_convert_chunk_to_generation_chunk", "_construct_lc_result_from_responses_api"}
)
"""Functions of LangChain's packages that make a reply of an answer."""


def is_unreadable(error: BaseException) -> bool:
    """Whether a class of LangChain's found no reply in its server's answer.

    A server under load, or a proxy, answers with a success status and an error, without choices, or with null for
    what holds them. The classes raise whatever that causes, which is told from a mistake of the program by its place.
    """
    if not isinstance(error, (AttributeError, LookupError, TypeError, ValueError)):
        return False
    places = [(str(frame.f_globals.get("__name__")), frame.f_code.co_name) for frame, _ in walk_tb(error.__traceback__)]
    if any(module.startswith("langchain_") and function in _READERS for module, function in places):
        return True
    # A result without a reply: `BaseChatModel.invoke` takes the first of none.
    last = places[-1] if places else ("", "")
    return isinstance(error, IndexError) and last in (
        ("langchain_core.language_models.chat_models", "invoke"),
        ("langchain_core.language_models.chat_models", "ainvoke"),
    )
