"""Server answers over which a client raises: those without a reply, and replies that the client holds back."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from traceback import walk_tb
from typing import Any, cast

from langchain_core.exceptions import ModelAPIError
from langchain_core.messages import AIMessage
from pydantic import BaseModel, ValidationError

from ..._internal.redact import message_of
from ..._internal.steps import is_cancelled
from ..._internal.strict_json import entries, mapping
from ...traces.lookup import brief
from .answers import origins, status_of

_READERS = frozenset(
    {
        "_combine_llm_outputs",
        "_construct_lc_result_from_responses_api",
        "_convert_chunk_to_generation_chunk",
        "_create_chat_result",
        "_extract_content_and_thinking",
        "_format_output",
        "_get_generation_info_v2",
        "_get_stream_info_v2",
        "_parse_response",
    }
)
"""Functions of LangChain's packages that make a reply of an answer."""
_ASKING = frozenset({"_generate", "_agenerate", "_stream", "_astream"})
"""Those that make the request as well, by functions of their own."""
_MADE = frozenset({"AIMessage", "AIMessageChunk", "ChatResponse"})
"""What they and their clients make of it, by the names in pydantic's errors."""
_LONGEST = 300
_NO_CONNECTION = "Connection error."


def is_unreadable(error: BaseException) -> bool:
    """Whether a class of LangChain's found no reply in its server's answer.

    A server under load, or a proxy, answers with a success status and an error, without choices, or with null for
    what holds them. The classes raise whatever that causes, which is told from a mistake of the program by its place.
    """
    if type(error).__name__.endswith("ResponseValidationError"):
        return (status_of(error) or 200) < 300
    if not isinstance(error, (AttributeError, LookupError, TypeError, ValueError)):
        return False
    places = [(str(frame.f_globals.get("__name__")), frame.f_code.co_name) for frame, _ in walk_tb(error.__traceback__)]
    made = isinstance(error, ValidationError) and error.title in _MADE
    for module, function in places:
        package = module.partition(".")[0]
        if package.startswith("langchain_") and (function in _READERS or (made and package != "langchain_core")):
            return True
        # OpenRouter's client, and others of its maker.
        if isinstance(error, ValidationError) and function == "unmarshal_json":
            return True
    module, function = places[-1] if places else ("", "")
    if module.startswith("langchain_core."):
        # A result without a reply: `BaseChatModel.invoke` takes the first of none.
        in_invoke = module == "langchain_core.language_models.chat_models" and function in ("invoke", "ainvoke")
        return in_invoke and isinstance(error, IndexError)
    over_nothing = isinstance(error, IndexError) or "'NoneType' object" in message_of(error)
    return module.startswith("langchain_") and function in _ASKING and over_nothing


def reply_held_back(error: BaseException) -> AIMessage | None:
    """The reply that OpenAI's client raises over, under a `response_format`, as it was cut off or filtered; None if the
    error is another. Of a filtered one, older clients and Azure's class keep no text."""
    reason = _HELD_BACK.get(type(error).__name__)
    if isinstance(error, ValueError) and _OF_AZURE in str(error):
        reason = "content_filter"
    if reason is None:
        return None
    completion: Any = getattr(error, "completion", None)
    answer = mapping(completion.model_dump(warnings=False) if completion else None)
    choice = mapping(next(iter(entries(answer.get("choices"))), None))
    about = {"finish_reason": reason, "model_name": answer.get("model"), "token_usage": answer.get("usage")}
    return AIMessage(str(mapping(choice.get("message")).get("content") or ""), response_metadata=about)


def made_of(make: Callable[..., Any], answer: Any, *told: Any) -> Any:
    """What LangChain's class for OpenAI makes of an answer. One with a usage over which it raises holds a reply."""
    try:
        return make(answer, *told)
    except (AttributeError, TypeError):
        return make({**_fields(answer), "usage": None}, *told)


def fault_in(answer: Any) -> dict[str, Any]:
    """What an answer without choices says instead; {} if it has some, or an `error`, which LangChain reads itself."""
    if getattr(answer, "choices", None):
        return {}
    fields = _fields(answer)
    if fields.get("choices") or fields.get("error"):
        return {}
    return {name: fields[name] for name in ("message", "detail", "code") if fields.get(name)}


def _fields(answer: Any) -> Mapping[str, Any]:
    return mapping(answer) or (answer.model_dump(warnings=False) if isinstance(answer, BaseModel) else {})


_OF_AZURE = "a content filter being triggered"
_HELD_BACK = {"LengthFinishReasonError": "length", "ContentFilterFinishReasonError": "content_filter"}


@contextmanager
def lost_if_canceled() -> Generator[None]:
    """Treat a call as a dropped connection if it was canceled by what it waits for, such as a shared client."""
    try:
        yield
    except (CancelledError, AttributeError) as error:
        # LangChain's classes take a cancellation under `ainvoke` for a result.
        canceled = error.obj if isinstance(error, AttributeError) else error
        if not isinstance(canceled, CancelledError) or is_cancelled():
            raise
        raise ConnectionAbortedError("the call was canceled by what it waits for") from canceled


def alone(error: Exception) -> Exception:
    """The error of a group that has only one, such as for a port that there cannot be; any other error is itself."""
    only: Exception = error
    while isinstance(only, ExceptionGroup) and len(held := cast("ExceptionGroup[Exception]", only).exceptions) == 1:
        [only] = held
    return cast(Exception, only)


def tell_answer(error: BaseException) -> None:
    """Have a client's error say what the server answered, or why it could not be reached, in place.

    OpenAI's client tells an answer of OpenAI's own form, and of any other nothing but the status: `{"error": "…"}`,
    `{"detail": […]}`, a list, or plain text. Its and Anthropic's tell no reason why there is no connection: an unknown
    host, a certificate, an address without `http://`. What LangChain's classes raise over an answer without a reply
    tells of their code alone.
    """
    if error.args == (_NO_CONNECTION,):
        causes = [one for one in origins(error, lambda raised: raised.__cause__) if one.args != (_NO_CONNECTION,)]
        # Some, such as that for a connection that drops under asyncio, have nothing but their class.
        said = [*map(message_of, causes), *(type(one).__name__ for one in causes)]
        reason = next((one for one in said if one), "")
        error.args = (f"{_NO_CONNECTION[:-1]}: {reason}" if reason else _NO_CONNECTION,)
        return
    body: Any = getattr(error, "body", None)
    if is_unreadable(error):
        answer = brief(body, _LONGEST) if isinstance(body, str) and body else message_of(error)
        said = f"the server's answer holds no reply ({answer})"
        if isinstance(error, (AttributeError, LookupError, TypeError)):
            error.args = (said,)
            return
        # pydantic's, and those over them, have their text from elsewhere.
        raise ModelAPIError(said) from error
    fields = mapping(body)
    message = mapping(fields.get("error")).get("message") or fields.get("message")
    if not isinstance(body, (dict, list, str)) or not body or len(error.args) != 1:
        return
    if isinstance(message, str) and message in str(error):
        return
    # What is nested deep has no text.
    with suppress(RecursionError):
        words = brief(cast(object, body), _LONGEST)
        error.args = (error.args[0] if words in str(error) else f"{error.args[0]} - {words}",)
