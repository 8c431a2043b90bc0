"""Retries network failures with back-off, so that they never reach a prompt or a parser."""

from __future__ import annotations

import errno
import re
from asyncio import IncompleteReadError
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.client import BadStatusLine, IncompleteRead
from json import JSONDecodeError
from random import uniform
from socket import gaierror
from ssl import SSLEOFError, SSLZeroReturnError
from typing import Any, NoReturn, TypeVar, cast

from langchain_core.exceptions import (
    ModelAuthenticationError,
    ModelError,
    ModelInvalidRequestError,
    ModelPermissionDeniedError,
)
from tenacity import AsyncRetrying, RetryCallState, Retrying, retry_if_exception

from .._internal.numbers import check_kind, keep, number, whole_number
from .._internal.redact import message_of
from .._internal.steps import Call
from ..errors import ModelUnavailableError, RedirectRefusedError, RequestTooLongError, ThoughtGraphError
from .streams.answers import IN_STREAM, is_quota_spent, is_too_long, origins, retry_after, status_of
from .streams.no_reply import is_unreadable
from .streams.turns import TurnsRefused

T = TypeVar("T")

LOST = (ModelUnavailableError, RequestTooLongError)
"""The errors of a model that is lost for this call: another model may still help."""

# 424 is of TGI and Bedrock, over a generation that failed; 498 of Groq, over a tier that is full.
_RETRIED_STATUS = frozenset({408, 409, 424, 425, 429, 498})
_OF_THE_NETWORK = (gaierror, BadStatusLine, IncompleteRead, IncompleteReadError, SSLEOFError, SSLZeroReturnError)
_UNREACHED = frozenset({errno.ENETDOWN, errno.ENETUNREACH, errno.ENETRESET, errno.EHOSTDOWN, errno.EHOSTUNREACH})
# What is not implemented.
_STAYS = frozenset({501, 505})
_REFUSED_STATUS = frozenset({400, 413, 422})
_AN_HOUR = 3_600.0
_NOT_THERE = frozenset({404, 410})
# For models whose errors are not LangChain's `ModelError`: matched by name, to avoid importing a provider's package.
_TRANSPORT_NAMES = re.compile(
    "APIConnectionError|ChecksumMismatch|ChunkedEncodingError|ClientConnectionError|ClientPayloadError|ConnectionClosed"
    "|ConnectionError|ContentDecodingError|ContentTypeError|DecodingError|EventStreamError|HTTPClientError"
    "|HttpProcessingError|IncompleteReadError|NewConnectionError|ProtocolError|ResourceExhausted|ServiceUnavailable"
    "|Timeout|TimeoutError|TransportError|UnknownApiResponseError"
)
# LangChain's messages for a stream without any chunk.
_EMPTY_STREAM = (
    "No generation chunks were returned",
    "No generations found in stream.",
    "No data received from Ollama stream.",
    "Received empty stream from Fireworks",
    "v2 stream finished without producing a message",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How to wait between calls that failed in transport. The fields have the names of LangGraph's `RetryPolicy`.

    There is no `retry_on`: only errors after which the same call may work are retried (429, 5xx, time-outs, resets). An
    account without money left, by 402 or whatever its server says, is not waited for. If a server sends `Retry-After`,
    in seconds or as a date, that wait is used instead; if it asks for more than an hour, as once the requests of a day
    are used up, and for more than the longest wait, no further call is made.

    Attributes:
        max_attempts: total calls, including the first.
        initial_interval: seconds before the second call, doubled for each further one.
        max_interval: the longest wait in seconds, jitter and `Retry-After` included.
        jitter: draw each wait at random between one and two intervals (once two intervals exceed the longest wait,
            between half of it and all of it), so that calls that failed together do not retry together.

    Raises:
        ValueError: `max_attempts` is below 1, an interval is below 0 or no number, or `jitter` is not True or False.
    """

    max_attempts: int = 5
    initial_interval: float = 0.5
    max_interval: float = 30.0
    jitter: bool = True

    def __post_init__(self) -> None:
        keep(self, whole_number, "max_attempts")
        keep(self, number, "initial_interval", "max_interval", least=0)
        check_kind("jitter", self.jitter, bool, "True or False")

    def seconds(self, attempt: int, error: BaseException | None = None) -> float:
        """The wait after an attempt, counted from 1, that failed with `error`."""
        asked = retry_after(error)
        if asked is not None:
            return min(asked, self.max_interval)
        # A float can overflow, and no real wait is doubled this often.
        interval = self.initial_interval * 2.0 ** min(attempt - 1, 500)
        if not self.jitter:
            return min(interval, self.max_interval)
        longest = min(2 * interval, self.max_interval)
        return uniform(longest / 2, longest)

    def retry(self, invoke: Callable[[], T]) -> T:
        """Make a call, and retry it while it fails in transport.

        Raises:
            ModelUnavailableError: every attempt failed in transport, or the account has no money left. Any other error
                is passed on at once.
        """
        # Nearly every call works at once; building a retry for it would cost as much as the rest of a step.
        try:
            return invoke()
        except Exception as error:
            if not _is_lost(error):
                raise
            return Retrying(**self._policy())(_after(error, invoke))

    async def aretry(self, ainvoke: Callable[[], Awaitable[T]]) -> T:
        """Async twin of `retry`."""
        try:
            return await ainvoke()
        except Exception as error:
            if not _is_lost(error):
                raise
            again = _after(error, ainvoke)

        async def awaited() -> T:
            # tenacity awaits what is declared `async`, not what merely returns an awaitable.
            return await again()

        return await AsyncRetrying(**self._policy())(awaited)

    def call(self, invoke: Callable[[], Any], ainvoke: Callable[[], Awaitable[Any]]) -> Call:
        """`retry` and `aretry` as a step."""
        return Call(lambda: self.retry(invoke), lambda: self.aretry(ainvoke))

    def _policy(self) -> dict[str, Any]:
        return {
            "stop": self._stops,
            "wait": self._wait,
            "retry": retry_if_exception(_is_lost),
            "retry_error_callback": _give_up,
        }

    def _stops(self, state: RetryCallState) -> bool:
        error = _error_of(state)
        too_far = (retry_after(error) or 0.0) > max(_AN_HOUR, self.max_interval)
        # LangChain's classes take every 5xx for one that passes.
        in_vain = too_far or is_quota_spent(error) or status_of(error) in _STAYS
        return in_vain or state.attempt_number >= self.max_attempts

    def _wait(self, state: RetryCallState) -> float:
        return self.seconds(state.attempt_number, _error_of(state))


def _after(error: Exception, invoke: Callable[[], T]) -> Callable[[], T]:
    """The same call, except that its first attempt raises the error that already happened."""
    first = [error]

    def again() -> T:
        if first:
            raise first.pop()
        return invoke()

    return again


_OF_ANOTHER_LOOP = re.compile(r"Event loop is closed|bound to a different event loop|attached to a different loop")


def is_transport_error(error: BaseException) -> bool:
    """Whether the same call may well succeed a moment later: 429, 5xx, time-outs, resets, broken streams."""
    if isinstance(error, TurnsRefused) or _refused(error) or is_too_long(error):
        return False
    # A call inside of this one has been waited out.
    if any(isinstance(one, ModelUnavailableError) for one in origins(error, lambda raised: raised.__cause__)):
        return False
    # What the tasks of a client that has several came to.
    if isinstance(error, ExceptionGroup):
        return all(map(is_transport_error, cast("ExceptionGroup[Exception]", error).exceptions))
    if isinstance(error, ModelError):
        return error.is_retryable
    status = status_of(error)
    # An unreadable body also carries its response, with a success status. A redirect without a target comes from a
    # proxy.
    if status is not None and status >= 300:
        return status < 400 or status in _RETRIED_STATUS or (status >= 500 and status not in _STAYS)
    # The connection was opened under another `asyncio.run`; the next call opens its own.
    if isinstance(error, RuntimeError) and _OF_ANOTHER_LOOP.search(str(error)):
        return True
    # A body that is not JSON, or not text, comes from a proxy or a dying server, not from the model.
    if isinstance(error, (JSONDecodeError, UnicodeDecodeError)) or is_unreadable(error):
        return True
    return any(map(_is_of_network, origins(error, _inside)))


def _inside(error: BaseException) -> BaseException | None:
    """The error inside another one: its cause, as with tenacity's, or one that it holds, as with urllib's."""
    held = (error.__cause__, getattr(error, "reason", None), *error.args[:1])
    return next((one for one in held if isinstance(one, Exception) and not isinstance(one, ThoughtGraphError)), None)


def _is_of_network(error: BaseException) -> bool:
    if isinstance(error, (ConnectionError, TimeoutError, *_OF_THE_NETWORK)):
        return True
    if isinstance(error, OSError) and error.errno in _UNREACHED:
        return True
    if isinstance(error, ModelError):
        return error.is_retryable
    if message_of(error) in _EMPTY_STREAM:
        return True
    return type(error).__name__ in IN_STREAM or any(
        _TRANSPORT_NAMES.fullmatch(base.__name__) for base in type(error).__mro__
    )


def is_model_error(error: BaseException) -> bool:
    """Whether the model's server made a call fail: it could not be reached, or it rejected the request.

    Anything else is a bug in the program, which a loop must not hide.
    """
    if isinstance(error, (ModelUnavailableError, ModelError)) or _refused(error) or is_too_long(error):
        return True
    # Providers' clients have their own classes for 402, 413 or 422, which are not `ModelError`s.
    status = status_of(error)
    return status is not None and 400 <= status < 600


def loss_of(error: Exception, *, achieved: bool = True, others: bool = False) -> str:
    """Why the model gave no reply, for a run that goes on without it; an error that is a mistake is raised again.

    Args:
        error: what the call raised.
        achieved: the run has results that an error would lose. Without any, a wrong key or a wrong request is a
            mistake; a request that is too long never is.
        others: another model is left to ask, so that a wrong key is no mistake.
    """
    lost = is_gone(error) if others else isinstance(error, LOST)
    if not is_model_error(error) or not (achieved or lost):
        raise error
    return str(error)


def is_gone(error: BaseException) -> bool:
    """Whether only another model may help: this one's server is gone, or it refuses every request, as over its key, its
    address or its name."""
    return isinstance(error, LOST) or is_refused_key(error) or _refused(error) or status_of(error) in _NOT_THERE


def is_refused_key(error: BaseException) -> bool:
    """Whether the provider refused the key, as it will with every further request."""
    return isinstance(error, (ModelAuthenticationError, ModelPermissionDeniedError)) or status_of(error) in (401, 403)


def is_refusal(error: BaseException) -> bool:
    """Whether the provider rejected a request for what it asks, or LangChain's class for the model did before."""
    refused = is_too_long(error) or isinstance(error, ModelInvalidRequestError) or status_of(error) in _REFUSED_STATUS
    return refused or (isinstance(error, ValueError) and not is_transport_error(error))


def is_refused_form(error: BaseException) -> bool:
    """Whether a server rejected a request for what it is made of, and not as too long."""
    return status_of(error) in (400, 422) and not is_too_long(error)


def _is_lost(error: BaseException) -> bool:
    """Whether a call that fails so ends in a `ModelUnavailableError`, at once or after further calls."""
    return is_transport_error(error) or is_quota_spent(error)


def _refused(error: BaseException) -> bool:
    """Whether a redirect was refused; some versions of OpenAI's client wrap the errors raised below them."""
    return isinstance(error, RedirectRefusedError) or isinstance(error.__cause__, RedirectRefusedError)


def _give_up(state: RetryCallState) -> NoReturn:
    error = _error_of(state)
    attempts, wait = state.attempt_number, retry_after(error)
    raise ModelUnavailableError(error or RuntimeError("no outcome"), attempts, retry_after=wait) from error


def _error_of(state: RetryCallState) -> Any:
    return state.outcome.exception() if state.outcome else None
