"""What a client's error says of its server's answer: the status, the wait that it asks for, and why it refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from langchain_core.exceptions import ContextOverflowError, ModelError, ModelRateLimitError

from ..._internal.redact import message_of
from ..._internal.strict_json import mapping
from ...errors import RequestTooLongError, ThoughtGraphError

_DEEPEST = 5
# What each of gRPC's codes is over HTTP.
_OF_GRPC = {
    **dict.fromkeys(("INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE"), 400),
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ABORTED": 409,
    "RESOURCE_EXHAUSTED": 429,
    **dict.fromkeys(("UNKNOWN", "INTERNAL", "DATA_LOSS"), 500),
    "CANCELLED": 499,
    "UNIMPLEMENTED": 501,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
_STATUS = re.compile("[1-5][0-9]{2}")
_STATUS_FIRST = re.compile(r"\[([1-5][0-9]{2})\] ")
# Classes that clients raise for an error inside of a stream: without a status, or with the stream's own, a success.
IN_STREAM = (
    *("APIError", "APIStatusError", "ResponseError"),
    # Hugging Face's
    *("GenerationError", "IncompleteGenerationError", "OverloadedError", "UnknownError"),
)
_SPENT = frozenset({"insufficient_quota", "exceeded_current_quota_error", "budget_exceeded", "Arrearage"})
# Anthropic, SiliconFlow, xAI and Zhipu have no code of their own for it.
_OF_MONEY = frozenset({400, 403, 429})
_NO_MONEY = re.compile(
    "credit balance is too low|balance is insufficient|insufficient balance|used all available credits|余额不足",
    re.IGNORECASE,
)
_LIMITED = re.compile("rate_?limit|throttl", re.IGNORECASE)
# These statuses say something else, whatever the words; of a limit per minute only one names a request that never fits.
_OF_NO_LENGTH = frozenset({401, 403, 404, 429})
_NEVER_FITS = re.compile(r"request[ _]too[ _]large", re.IGNORECASE)
_TOO_LONG = re.compile(
    # OpenAI's, vLLM's, SGLang's, llama.cpp's, LM Studio's, Ollama's, Mistral's, DeepSeek's, Anthropic's, MiniMax'.
    r"context[_ ]?(?:length|window|size|limit)"
    # Anthropic's, Bedrock's, Fireworks', proxies'.
    r"|(?:prompt|inputs?|request|messages?|entity)(?: is| are)?[_ ]too[_ ](?:long|large)"
    # Gemini's, TensorRT's, Copilot's, watsonx', Vertex AI's.
    r"|(?:prompt|input|sequence)[_ ](?:tokens?|length)\b.{0,80}?(?:exceed|longer than|greater than|only supports)"
    # xAI's, SGLang's, Zhipu's, DashScope's; Moonshot's; Groq's and Cerebras'; Cohere's and Nova's; TGI's.
    r"|max(?:imum)? (?:allowed )?(?:prompt|input|sequence) length|prompt exceeds max length|range of input length"
    r"|exceed\w* (?:the )?model'?s? (?:token limit|maximum)|reduce the length of the messages"
    r"|too many (?:input |prompt )?tokens|`inputs`.{0,60}?(?:less than|<=)"
    # vLLM's, where the prompt leaves nothing of the context, and nobody has set a cap.
    r"|max_tokens must be at least 1, got -\d",
    re.IGNORECASE,
)
# A server that checks the form of a request shows what it was sent: anything may be in there.
_ECHO = re.compile(r"input_value=|['\"]input['\"]: ")


def is_too_long(error: BaseException) -> bool:
    """Whether a server, or a model inside of this process, refused a request as longer than it takes.

    LangChain's classes know the words of a few providers; servers that speak like OpenAI's have their own.
    """
    if isinstance(error, (ContextOverflowError, RequestTooLongError)):
        return True
    status = status_of(error)
    kind = mapping(mapping(getattr(error, "body", None)).get("error")).get("type")
    codes = [code for code in (_code_of(error), getattr(error, "type", None), kind) if isinstance(code, str)]
    from_server = isinstance(error, (ModelError, RuntimeError, ValueError)) or type(error).__name__ in IN_STREAM
    if isinstance(error, ThoughtGraphError) or not (from_server or codes or status):
        return False
    said, *_ = _ECHO.split(" ".join([*codes, str(error)]), maxsplit=1)
    # Inside of a stream there is no status, or a success.
    limited = (status or 0) < 300 and (isinstance(error, ModelRateLimitError) or any(map(_LIMITED.search, codes)))
    if status in _OF_NO_LENGTH or limited:
        return (status == 429 or limited) and bool(_NEVER_FITS.search(said))
    return status == 413 or bool(_TOO_LONG.search(said))


def is_quota_spent(error: BaseException) -> bool:
    """Whether the account has no money left, so that waiting helps nothing, though some servers answer 429."""
    codes = (_code_of(error), getattr(error, "type", None))
    if any(isinstance(code, str) and code in _SPENT for code in codes):
        return True
    status = status_of(error)
    return status == 402 or (status in _OF_MONEY and bool(_NO_MONEY.search(provider_said(error))))


def provider_said(error: BaseException) -> str:
    """What the provider says about an error, in a line and without what its client wraps around it."""
    body = mapping(getattr(error, "body", None))
    message = mapping(body.get("error")).get("message") or body.get("message")
    told = str(cast(object, message or _grpc(error, "details") or error))
    first, *others = told.strip().splitlines() or [""]
    # Behind a colon the next line tells what was said.
    said = next((line.strip() for line in others if line.strip()), "") if first.endswith(":") else ""
    return f"{first} {said}".strip()


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error reports, or one that it was raised from."""
    raised_from = list(origins(error, lambda raised: raised.__cause__))
    # What aiohttp cannot read of an answer it gives the status with which a server refuses a request, and over that its
    # own errors have it as well.
    if any(base.__name__ == "HttpProcessingError" for origin in raised_from for base in type(origin).__mro__):
        return None
    for origin in raised_from:
        response: Any = getattr(origin, "response", None)
        status = (
            getattr(origin, "status_code", None)
            or _whole(getattr(origin, "status", None))
            or _code_of(origin)
            or getattr(response, "status_code", None)
            or _of_amazon(response)
            or _said_first(origin)
        )
        # Of an error inside of a stream, OpenAI's client has it as a text.
        if isinstance(status, str) and _STATUS.fullmatch(status):
            status = int(status)
        # A provider's own codes are no statuses.
        if isinstance(status, int) and 100 <= status < 600:
            return status
    return None


def _of_amazon(response: object) -> Any:
    """The status of Amazon's client; some services throttle under a 400, and inside of a stream there is none."""
    code = str(mapping(mapping(response).get("Error")).get("Code"))
    status = mapping(mapping(response).get("ResponseMetadata")).get("HTTPStatusCode")
    return 429 if _LIMITED.match(code) else status or (400 if code == "validationException" else None)


def _said_first(error: BaseException) -> str | None:
    """The status with which an error begins that has nothing else to tell it by: NVIDIA's client raises such."""
    found = _STATUS_FIRST.match(message_of(error)) if type(error) is Exception else None
    return found[1] if found else None


def _code_of(error: BaseException) -> Any:
    """The code of an error; None for one like aiohttp's, which is the status again, and warns whoever reads it."""
    if grpc := _grpc(error, "code"):
        return _OF_GRPC.get(getattr(grpc, "name", ""))
    made = isinstance(getattr(type(error), "code", None), property)
    return None if made and _whole(getattr(error, "status", None)) else getattr(error, "code", None)


def _grpc(error: BaseException, name: str) -> Any:
    """What an error of a gRPC client says of a call: such errors have methods, and no fields; None for any other."""
    if not any(base.__name__ == "RpcError" for base in type(error).__mro__):
        return None
    said: Any = getattr(error, name, None)
    return said() if callable(said) else None


def _whole(status: object) -> int | None:
    """A status of aiohttp's and Replicate's errors; others give one in words."""
    return status if isinstance(status, int) else None


def origins(
    error: BaseException | None, before: Callable[[BaseException], BaseException | None]
) -> Iterator[BaseException]:
    """An error and those before it; only the first may have the server's response."""
    for _ in range(_DEEPEST):
        if error is None:
            return
        yield error
        error = before(error)


def retry_after(error: BaseException | None) -> float | None:
    """The seconds that a server asks the client to wait, or None."""
    # Ollama's client hides the error with the response: it raises its own over it, from None.
    raised_from = origins(error, lambda raised: raised.__cause__ or raised.__context__)
    asked = next((header for header in map(_retry_header, raised_from) if header), "")
    with suppress(ValueError):
        return max(0.0, float(asked))
    with suppress(ValueError):
        when = parsedate_to_datetime(asked)
        # One HTTP date format names no time zone; all are in UTC.
        return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    return None


def _retry_header(error: BaseException) -> str:
    response: Any = getattr(error, "response", None)
    of_amazon = mapping(mapping(response).get("ResponseMetadata")).get("HTTPHeaders")
    # In urllib and aiohttp the error has them itself.
    headers: Any = getattr(response, "headers", None) or of_amazon or getattr(error, "headers", None)
    if not hasattr(headers, "get"):
        return ""
    return str(headers.get("retry-after") or headers.get("Retry-After") or "")
