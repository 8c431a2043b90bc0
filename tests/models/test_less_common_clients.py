"""Errors and answers as the packages of Cohere, Fireworks, Hugging Face, NVIDIA, OpenRouter, Perplexity have them."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from pydantic import create_model
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_reflection_graph, think, think_with_retry
from thoughtgraph.errors import ModelUnavailableError, RequestTooLongError
from thoughtgraph.models import Backoff

ONCE = Backoff(max_attempts=1)
TWICE = Backoff(max_attempts=2, initial_interval=0.001)


def never(task: str, answer: str) -> Verdict:
    """Passes nothing."""
    return Verdict("failed", "no")


def accepts(raw_reply: str) -> Any:
    """Accepts anything."""
    return {"status": "success", "content": raw_reply}


def named(name: str, **fields: Any) -> Callable[[str], Exception]:
    """An error class by its name alone, as its package is optional."""
    return type(name, (Exception,), fields)


def calls_over(error: Exception) -> int:
    """How often a model is called that fails at first."""
    model = ScriptedModel(replies=[error, "fine"])
    try:
        assert think(model, "x", backoff=TWICE).reply == "fine"
    except type(error) as raised:
        assert raised is error
    return len(model.requests)


class OwnError(Exception):
    """Has a class of its own, so that its text tells no status."""


PASSING = {
    "NVIDIA's, busy": Exception("[429] Too Many Requests\n{'status': 429}"),
    "NVIDIA's, down": Exception("[503] {'message': 'down'}\n{'status': 503}"),
    "Fireworks', of an empty stream": named("FireworksError")("Received empty stream from Fireworks"),
    "Hugging Face's, in a stream": named("OverloadedError")("Model is overloaded"),
    "Hugging Face's, of an unknown kind": named("UnknownError")("{'message': 'overloaded', 'code': 503}"),
}
STAYING = {
    "NVIDIA's, refused": Exception("[400] {'message': 'no such field'}"),
    "NVIDIA's, of a key": Exception("[401] Unauthorized"),
    "of another class": OwnError("[503] down"),
    "of a list": Exception("[503, 504] are no codes"),
    "of a status further on": Exception("it said [503] "),
    "Fireworks'": named("FireworksError")("no such model"),
    "Hugging Face's, refused": named("ValidationError")("`temperature` must be strictly positive"),
}


@pytest.mark.parametrize("error", PASSING.values(), ids=PASSING)
def test_what_passes_is_waited_out(error: Exception) -> None:
    assert calls_over(error) == 2


@pytest.mark.parametrize("error", STAYING.values(), ids=STAYING)
def test_what_stays_is_raised_at_once(error: Exception) -> None:
    assert calls_over(error) == 1


@pytest.mark.parametrize("said", ["[401] Unauthorized", "[402] no credits", "[404] no such model"])
def test_what_was_achieved_is_kept_where_a_status_stands_in_the_text(said: str) -> None:
    actor = ScriptedModel(replies=["a", Exception(said)])
    run = create_reflection_graph(actor=actor, verifier=never).invoke({"task": "x"})
    assert (run["answer"], run["stop_reason"]["kind"]) == ("a", "model_unavailable")


def test_the_next_model_is_asked_where_a_status_stands_in_the_text() -> None:
    first, second = ScriptedModel(replies=[Exception("[404] no such model")]), ScriptedModel(replies=["fine"])
    assert think_with_retry([first, second], "x", accepts, backoff=ONCE) == "fine"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Bad request:\n\n{'message': 'maximum context length'}\nmore", "Bad request: {'message': 'maximum context"),
        ("prompt is too long: 9 tokens\nmore", "prompt is too long: 9 tokens"),
        ("prompt is too long:", "prompt is too long:"),
    ],
    ids=["behind a colon", "in the first line", "nowhere"],
)
def test_what_a_server_says_behind_the_first_line_is_told_where_that_leads_to_it(text: str, said: str) -> None:
    with pytest.raises(RequestTooLongError) as refused:
        think(ScriptedModel(replies=[named("BadRequestError", status_code=400)(text)]), "x")
    assert refused.value.said.startswith(said)
    assert "more" not in refused.value.said


def _generate(answer: Any) -> Any:
    return _message(answer.choices)


def _stream(answer: Any) -> Any:
    return answer["choices"][0]["delta"]


def _message(choices: Any) -> Any:
    return choices["request"]


def unmarshal_json(make: Any) -> Any:
    """What reads answers in clients such as OpenRouter's."""
    return make(body="no number")


def _get_stream_info_v2(delta: Any) -> Any:
    return delta.usage.billed_units


def _asked(messages: Any) -> Any:
    return messages[0]["role"][0]


def _agenerate(messages: Any) -> Any:
    client: Any = _message
    return _asked(messages), client(messages, seed=1)


OF_CLASSES = (_generate, _stream, _message, unmarshal_json, _get_stream_info_v2, _asked, _agenerate)


def in_package(name: str, function: str) -> Callable[[Any], Any]:
    """What a class of LangChain's packages does, in short, as of a package with that name."""
    code: dict[str, Any] = {"__name__": name}
    code |= {one.__name__: FunctionType(one.__code__, code) for one in OF_CLASSES}
    return code[function]


def calls_in(package: str, function: str, given: Any) -> int:
    """How often a model is called of which a function of its package fails at first."""
    called: list[Any] = []
    fails = in_package(package, function)

    def ask(messages: Any) -> AIMessage:
        called.append(messages)
        return AIMessage("fine") if len(called) > 1 else fails(given)

    try:
        assert think(RunnableLambda(ask), "x", backoff=TWICE).reply == "fine"
    except (AttributeError, LookupError, TypeError, ValueError):
        assert len(called) == 1
    return len(called)


NUMBER = create_model("Unmarshaller", body=(int, ...))
OVER_NOTHING: dict[str, tuple[str, Any]] = {
    "None for the answer": ("_generate", None),
    "None for the choices": ("_stream", {"choices": None}),
    "no choices": ("_stream", {"choices": []}),
    "another form": ("unmarshal_json", NUMBER),
    "no usage": ("_get_stream_info_v2", type("Delta", (), {"usage": None})),
}
MISTAKES: dict[str, tuple[str, Any]] = {
    "in what makes the request": ("_agenerate", []),
    "of the messages": ("_agenerate", [{"role": None}]),
    "a keyword that the client does not take": ("_agenerate", [{"role": "user"}]),
    "in a function of another name": ("_asked", [None]),
}


@pytest.mark.parametrize(("function", "given"), OVER_NOTHING.values(), ids=OVER_NOTHING)
def test_a_class_that_fails_over_an_answer_without_a_reply_is_asked_again(function: str, given: Any) -> None:
    assert calls_in("langchain_odd.chat_models", function, given) == 2


@pytest.mark.parametrize(("function", "given"), MISTAKES.values(), ids=MISTAKES)
def test_a_class_that_fails_over_a_request_is_not(function: str, given: Any) -> None:
    assert calls_in("langchain_odd.chat_models", function, given) == 1


@pytest.mark.parametrize(
    ("package", "function", "given"),
    [(package, *OVER_NOTHING["no choices"]) for package in ("mine.models", "langchain_core.language_models.mine")],
)
def test_the_same_in_a_class_of_ones_own_is_a_mistake(package: str, function: str, given: Any) -> None:
    assert calls_in(package, function, given) == 1


def unreadable(status: int) -> Exception:
    """What OpenRouter's client raises over an answer of another form."""
    body = '{"error": {"message": "Provider returned error"}}'
    return named("ResponseValidationError", status_code=status, body=body)("6 validation errors")


def test_an_error_in_place_of_an_answer_is_waited_out_and_told() -> None:
    assert calls_over(unreadable(200)) == 2
    with pytest.raises(ModelUnavailableError, match=r"holds no reply \(.*Provider returned error"):
        think(ScriptedModel(replies=[unreadable(200)]), "x", backoff=ONCE)


def test_an_error_of_another_form_counts_by_its_status() -> None:
    assert calls_over(unreadable(401)) == 1
    assert calls_over(unreadable(503)) == 2


def test_a_validation_error_of_an_answer_says_what_it_is() -> None:
    read = in_package("openrouter.utils", "unmarshal_json")
    with pytest.raises(ModelUnavailableError, match=r"holds no reply \(1 validation error"):
        think(RunnableLambda(lambda messages: read(NUMBER)), "x", backoff=ONCE)


FAULT = {"error": {"message": "overloaded", "code": 503}, "model_name": "m"}


def test_an_error_that_a_class_makes_an_empty_reply_of_is_waited_out_and_told() -> None:
    assert think(ScriptedModel(replies=[AIMessage("", response_metadata=FAULT), "fine"]), "x").reply == "fine"
    with pytest.raises(ModelUnavailableError, match=r"answered with an error: .*overloaded"):
        think(ScriptedModel(replies=[AIMessage("", response_metadata=FAULT)]), "x", backoff=ONCE)


@pytest.mark.parametrize("reply", [AIMessage("42", response_metadata=FAULT), AIMessage("", response_metadata={})])
def test_a_reply_without_an_error_in_its_place_is_one(reply: AIMessage) -> None:
    assert think(ScriptedModel(replies=[reply]), "x", backoff=ONCE).reply == reply.content
