"""Errors of clients that are not HTTP's, or that are raised over others: what waits, what is refused, what is lost."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

import pytest
from langchain_core.exceptions import ModelConnectionError, ModelRateLimitError
from pydantic import SecretStr
from support.raw_server import JSON, RawServer, whole
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_reflection_graph, think
from thoughtgraph.errors import ModelUnavailableError, RequestTooLongError
from thoughtgraph.models import Backoff

TWICE = Backoff(max_attempts=2, initial_interval=0.001)


def never(task: str, answer: str) -> Verdict:
    """Passes nothing."""
    return Verdict("failed", "no")


def calls_over(error: Exception) -> int:
    """How often a model is called that fails at first."""
    model = ScriptedModel(replies=[error, "fine"])
    try:
        assert think(model, "x", backoff=TWICE).reply == "fine"
    except type(error) as raised:
        assert raised is error
    return len(model.requests)


Code = Enum("Code", "UNAVAILABLE DEADLINE_EXCEEDED RESOURCE_EXHAUSTED UNAUTHENTICATED INVALID_ARGUMENT UNIMPLEMENTED")


class RpcError(Exception):
    """As gRPC's, of which the code and the words are methods."""

    def __init__(self, code: Any, words: str = "words") -> None:
        super().__init__()
        self._said = code, words

    def __str__(self) -> str:
        return f"<RPC that terminated with:\n\t{self._said}>"

    def code(self) -> Any:
        """Why the call ended."""
        return self._said[0]

    def details(self) -> str:
        """What the server says of it."""
        return self._said[1]


@pytest.mark.parametrize("code", [Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.RESOURCE_EXHAUSTED])
def test_a_code_of_grpc_that_passes_is_waited_out(code: Code) -> None:
    assert calls_over(RpcError(code)) == 2


@pytest.mark.parametrize("code", [Code.UNAUTHENTICATED, Code.INVALID_ARGUMENT, Code.UNIMPLEMENTED, None])
def test_a_code_of_grpc_that_stays_is_raised_at_once(code: Code | None) -> None:
    assert calls_over(RpcError(code)) == 1


@pytest.mark.parametrize("code", [Code.UNAUTHENTICATED, Code.INVALID_ARGUMENT])
def test_what_was_achieved_is_kept_where_a_grpc_server_refuses(code: Code) -> None:
    model = ScriptedModel(replies=["a", *[RpcError(code)] * 2])
    run = create_reflection_graph(actor=model, verifier=never, max_attempts=3).invoke({"task": "t"})
    assert (run["answer"], run["stop_reason"]["kind"]) == ("a", "model_unavailable")


def test_a_grpc_server_says_in_its_own_words_that_a_request_is_too_long() -> None:
    words = "This model's maximum prompt length is 131072 but the request contains 200000 tokens."
    with pytest.raises(RequestTooLongError, match="takes: This model's maximum prompt length"):
        think(ScriptedModel(replies=[RpcError(Code.INVALID_ARGUMENT, words)]), "x", backoff=TWICE)


def test_a_method_of_another_error_is_not_called() -> None:
    class OwnError(Exception):
        def code(self) -> int:
            raise AssertionError("it may do anything")

    assert calls_over(OwnError()) == 1


class AmazonsError(Exception):
    """As Amazon's client raises it; inside of a stream it knows no status."""

    def __init__(self, code: str, words: str, status: int | None = None) -> None:
        super().__init__(f"An error occurred ({code}): {words}")
        about = {"HTTPStatusCode": status} if status else {}
        self.response = {"Error": {"Code": code, "Message": words}, "ResponseMetadata": about}


class APIError(Exception):
    """As OpenAI's client raises it over an error inside of a stream."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


class APIStatusError(Exception):
    """As Anthropic's client raises it over an error inside of a stream, with the stream's own status."""

    status_code = 200

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.body = {"type": "error", "error": {"type": kind, "message": words}}


TOO_MANY = "Too many tokens, please wait before trying again."
LIMITS = {
    "LangChain's": ModelRateLimitError(TOO_MANY),
    "Amazon's": AmazonsError("ThrottlingException", TOO_MANY, 400),
    "Amazon's in a stream": AmazonsError("throttlingException", TOO_MANY),
    "OpenAI's in a stream": APIError("rate_limit_exceeded", TOO_MANY),
    "Anthropic's in a stream": APIStatusError("rate_limit_error", TOO_MANY),
}
LENGTHS = {
    "LangChain's": ModelRateLimitError(
        "Request too large for model `m` on tokens per minute: Limit 6000, Requested 7000"
    ),
    "Amazon's": AmazonsError("ValidationException", "Input is too long for requested model.", 400),
    "Amazon's in a stream": AmazonsError("validationException", "Input is too long for requested model."),
    "OpenAI's in a stream": APIError("context_length_exceeded", "Too many tokens."),
    "Anthropic's in a stream": APIStatusError("invalid_request_error", "prompt is too long: 5 tokens > 4 maximum"),
    "without a code": APIError("", "Too many tokens: 9000."),
}


@pytest.mark.parametrize("whose", LIMITS)
def test_tokens_that_are_too_many_for_now_are_waited_for(whose: str) -> None:
    assert calls_over(LIMITS[whose]) == 2


@pytest.mark.parametrize("whose", LENGTHS)
def test_tokens_that_are_too_many_for_the_model_are_not(whose: str) -> None:
    model = ScriptedModel(replies=[LENGTHS[whose], "never asked for"])
    with pytest.raises(RequestTooLongError):
        think(model, "x", backoff=TWICE)
    assert len(model.requests) == 1


def test_what_is_refused_inside_of_a_stream_stays_refused() -> None:
    assert calls_over(AmazonsError("validationException", "The model does not take images.")) == 1


class RetryError(Exception):
    """As those of requests and tenacity, once their own calls have all failed."""


class ResponseError(Exception):
    """As urllib3's, over answers of a server under load."""


class DecodingError(Exception):
    """As httpx', over a compressed body that is none."""


def raised_over(cause: BaseException) -> Exception:
    """What a class of the user's own raises over an error of its client."""
    error = RuntimeError("the call failed")
    error.__cause__ = cause
    return error


def holding(reason: Exception) -> Exception:
    """What requests raises over urllib3's."""
    inner = Exception("Max retries exceeded")
    inner.reason = reason  # pyright: ignore[reportAttributeAccessIssue] # as urllib3 sets it
    return RetryError(inner)


PASSING = [
    raised_over(ConnectionResetError("dropped")),
    raised_over(raised_over(TimeoutError("slow"))),
    raised_over(ModelConnectionError("refused")),
    holding(ResponseError("too many 503 error responses")),
    DecodingError("Error -3 while decompressing data"),
]
STAYING = [
    raised_over(KeyError("a bug")),
    raised_over(json.JSONDecodeError("what the model wrote", "{", 1)),
    raised_over(PermissionError(13, "no")),
    raised_over(ModelUnavailableError(ConnectionResetError("dropped"), 5)),
    holding(KeyError("a bug")),
]


@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_an_error_that_is_raised_over_one_of_the_network_is_waited_out(error: Exception) -> None:
    assert calls_over(error) == 2


@pytest.mark.parametrize("error", STAYING, ids=repr)
def test_an_error_that_is_raised_over_another_is_not(error: Exception) -> None:
    assert calls_over(error) == 1


@pytest.mark.parametrize(
    "cause", [ConnectionResetError("dropped"), ModelRateLimitError("busy"), RpcError(Code.UNAVAILABLE)]
)
def test_what_a_call_inside_of_a_model_has_waited_out_is_not_waited_out_again(cause: Exception) -> None:
    gone = ModelUnavailableError(cause, 5)
    gone.__cause__ = cause
    assert calls_over(raised_over(gone)) == 1


def test_errors_that_are_raised_over_each_other_are_raised() -> None:
    one = raised_over(KeyError("x"))
    one.__cause__ = raised_over(one)
    assert calls_over(one) == 1


@pytest.mark.slow
@pytest.mark.parametrize("body", [b'{"error": {"type": "overloaded_error"}}', b'"Sign in"'])
def test_a_class_that_fails_over_an_answer_without_a_reply_says_so(body: bytes) -> None:
    from langchain_anthropic import ChatAnthropic

    said = r"Error: the server's answer holds no reply \(.+\)\. Check"
    with (
        RawServer(lambda connection: connection.send(whole(body, JSON))) as server,
        pytest.raises(ModelUnavailableError, match=said),
    ):
        given: Any = {"base_url": server.url, "api_key": SecretStr("0123-key"), "model": "m", "max_retries": 0}
        think(ChatAnthropic(**given), "x", backoff=Backoff(max_attempts=1))


def test_a_mistake_of_the_program_is_told_in_its_own_words() -> None:
    with pytest.raises(TypeError, match=r"^'NoneType' object is not iterable$"):
        think(ScriptedModel(replies=[TypeError("'NoneType' object is not iterable")]), "x", backoff=TWICE)
