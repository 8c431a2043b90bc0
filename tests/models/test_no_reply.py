"""Answers of servers for which clients raise: those without a reply are asked for again whatever class reads them,
errors say what they hold, and a reply that a client holds back is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_ollama import ChatOllama
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from pydantic import SecretStr, ValidationError
from support.model_classes import CASES
from support.openai_server import OpenAIServer, Reply
from support.plan_act import no_waiting
from support.raw_server import JSON, Connection, RawServer, whole
from support.scripted import ScriptedModel
from support.wires.server import Said
from thoughtgraph import (
    Verdict,
    athink,
    athink_with_retry,
    create_reflection_graph,
    json_parser,
    open_model,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.errors import ModelUnavailableError
from thoughtgraph.models import Backoff

pytestmark = pytest.mark.slow

ONCE = Backoff(max_attempts=1)
SCHEMA = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": True}}
KEY = "sk-0123456789abcdef"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)


class Own(ChatOpenAI):
    """A class of one's own, which is called as it is."""


class OfMistakes(ChatOpenAI):
    """Reads its server's answers with a mistake."""

    def _create_chat_result(self, *args: Any, **kwargs: Any) -> ChatResult:
        return super()._create_chat_result(*args, **kwargs).no_such_attribute  # type: ignore[attr-defined]


class Empty(ScriptedModel):
    """Returns no reply at first."""

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        result = super()._generate(*args, **kwargs)
        return result if len(self.requests) > 1 else ChatResult(generations=[])


def client(kind: type[ChatOpenAI], server: OpenAIServer, **options: Any) -> ChatOpenAI:
    """A client of a server."""
    # Idle connections would outlive the event loop.
    headers = {"Connection": "close"}
    key = SecretStr(KEY)
    return kind(base_url=server.base_url, model="m", api_key=key, max_retries=0, default_headers=headers, **options)


def choices(given: Any) -> str:
    """A completion with these choices."""
    return json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": given})


WITHOUT_REPLY = {
    "an error": '{"error": {"message": "overloaded"}}',
    "no choices": choices([]),
    "null": choices(None),
    "a null message": choices([{"index": 0, "message": None, "finish_reason": "stop"}]),
    "no object": '"busy"',
    "a list for the usage": choices([{"index": 0, "message": {"role": "assistant", "content": "x"}}])[:-1]
    + ', "usage": []}',
}


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("body", WITHOUT_REPLY.values(), ids=WITHOUT_REPLY)
async def test_an_answer_without_a_reply_is_asked_for_again(body: str, way: str) -> None:
    with OpenAIServer([Reply(raw_body=body), Reply("fine")]) as server:
        model = client(Own, server)
        thought = think(model, "Say fine.") if way == "sync" else await athink(model, "Say fine.")
    assert thought.reply == "fine"


# OpenAI's client warns while it dumps what a server got wrong.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_a_chunk_without_a_reply_is_asked_for_again() -> None:
    odd = Reply(raw_body='data: {"choices": [5]}\n\n', content_type="text/event-stream")
    with OpenAIServer([odd, Reply("fine")]) as server:
        assert think(client(Own, server, streaming=True), "Say fine.").reply == "fine"


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_a_result_without_a_reply_is_asked_for_again(way: str) -> None:
    model = Empty(replies=["lost", "fine"])
    assert (think(model, "Say fine.") if way == "sync" else await athink(model, "Say fine.")).reply == "fine"


def test_what_was_achieved_before_such_answers_is_kept() -> None:
    def script(request: Any, index: int) -> Reply:
        return Reply("first") if not index else Reply(raw_body=choices(None))

    with OpenAIServer(script) as server:
        graph = create_reflection_graph(
            actor=client(Own, server), verifier=lambda task, answer: Verdict("failed", "no")
        )
        run = graph.invoke({"task": "Say the right thing."})
    assert (run["stop_reason"]["kind"], run["answer"]) == ("model_unavailable", "first")


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
def test_a_stream_without_a_reply_is_opened_again_where_it_is_watched_in_the_newer_way() -> None:
    with OpenAIServer([Reply(raw_body=choices(None)), Reply("fine")]) as server:
        run: Any = create_reflection_graph(actor=client(Own, server)).stream_events({"task": "Say fine."}, version="v3")
        assert list(run.messages)
        assert run.output["answer"] == "fine"


def test_a_mistake_in_a_class_of_ones_own_is_raised() -> None:
    with OpenAIServer([Reply("fine")]) as server, pytest.raises(AttributeError, match="no_such_attribute"):
        think(client(OfMistakes, server), "Say fine.")


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_a_reply_that_the_client_holds_back_is_read(streaming: bool, way: str, reason: str) -> None:
    replies = [Reply('{"half": "of', finish_reason=reason), Reply('{"whole": 1}')]
    with OpenAIServer([replies[0], *replies]) as server:
        model = client(Own, server, streaming=streaming).bind(response_format=SCHEMA)
        thought = think(model, "Say fine.") if way == "sync" else await athink(model, "Say fine.")
        assert think_with_retry(model, "Say fine.", json_parser) == {"whole": 1}
        sent = server.requests[-1].body["messages"]
    assert (thought.finish_reason, thought.reply) == (reason, '{"half": "of')
    assert streaming or thought.usage["total_tokens"] == 12
    assert len(sent) == (1 if reason == "length" else 3), "a cut-off reply raises the cap, a filtered one is told of"


def anthropic(url: str, **options: Any) -> ChatAnthropic:
    """A client of a server with Anthropic's API."""
    given: Any = {"base_url": url, "api_key": SecretStr(KEY), "model": "m", "max_retries": 0, **options}
    return ChatAnthropic(**given)


def events(*given: Any) -> bytes:
    """A stream of Anthropic's."""
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in given).encode()


NO_TOKENS = {"input_tokens": 0, "output_tokens": 0}
LINE = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": "half"}}
STOPPED = {"error": "the model runner has unexpectedly stopped"}
OF_CLASSES: dict[str, tuple[Callable[[str], BaseChatModel], bytes, bytes]] = {
    "Anthropic's": (
        lambda url: anthropic(url),
        b'{"error": {"type": "overloaded_error"}}',
        b'{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "fine"}]}',
    ),
    "Anthropic's, streamed": (
        lambda url: anthropic(url, streaming=True),
        events({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        events(
            {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": NO_TOKENS}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "fine"}},
            {"type": "message_stop"},
        ),
    ),
    "Ollama's": (
        lambda url: ChatOllama(base_url=url, model="m"),
        json.dumps({**LINE, "done": False}).encode() + b"\n" + json.dumps(STOPPED).encode() + b"\n",
        json.dumps({**LINE, "message": {"role": "assistant", "content": "fine"}, "done": True}).encode() + b"\n",
    ),
    "Ollama's, with null for a text": (
        lambda url: ChatOllama(base_url=url, model="m"),
        json.dumps({**LINE, "message": {"role": "assistant", "content": None}, "done": False}).encode() + b"\n",
        json.dumps({**LINE, "message": {"role": "assistant", "content": "fine"}, "done": True}).encode() + b"\n",
    ),
    "Ollama's, without a message": (
        lambda url: ChatOllama(base_url=url, model="m"),
        b'{"model": "m", "done": true}\n',
        json.dumps({**LINE, "message": {"role": "assistant", "content": "fine"}, "done": True}).encode() + b"\n",
    ),
    "Ollama's, empty": (
        lambda url: ChatOllama(base_url=url, model="m"),
        b"",
        json.dumps({**LINE, "message": {"role": "assistant", "content": "fine"}, "done": True}).encode() + b"\n",
    ),
}

BEDROCK = next(case for case in CASES if "Bedrock" in case.title)
for name, odd in {"Bedrock's": b"{}", "Bedrock's, cut short": b'{"output": {"mess'}.items():
    OF_CLASSES[name] = (BEDROCK.make, odd, json.dumps(BEDROCK.wire.whole(Said("fine"))).encode())


def test_a_message_that_a_class_of_ones_own_makes_wrongly_is_a_mistake() -> None:
    def wrong(*args: Any) -> None:
        AIMessage(None)  # pyright: ignore

    with pytest.raises(ValidationError):
        think(RunnableLambda(wrong), "x")


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(("make", "odd", "right"), OF_CLASSES.values(), ids=OF_CLASSES)
async def test_other_providers_answers_without_a_reply_are_asked_for_again(
    make: Callable[[str], BaseChatModel], odd: bytes, right: bytes, way: str
) -> None:
    def script(connection: Connection) -> None:
        kind = b"Content-Type: text/event-stream" if right.startswith(b"event:") else JSON
        connection.send(whole(odd if len(server.requests) == 1 else right, kind))

    with RawServer(script) as server:
        thought = think(make(server.url), "Say fine.") if way == "sync" else await athink(make(server.url), "Say fine.")
    assert thought.reply == "fine"


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_a_reply_that_azure_has_filtered_is_told_of(way: str) -> None:
    def script(connection: Connection) -> None:
        reason = "content_filter" if len(server.requests) == 1 else "stop"
        message = {"role": "assistant", "content": '{"whole": 1}'}
        connection.send(whole(choices([{"index": 0, "message": message, "finish_reason": reason}]).encode(), JSON))

    with RawServer(script) as server:
        model = AzureChatOpenAI(
            azure_endpoint=server.url, api_version="1", azure_deployment="m", api_key=SecretStr(KEY), max_retries=0
        )
        args: Any = (model, "Say fine.", json_parser)
        found = think_with_retry(*args) if way == "sync" else await athink_with_retry(*args)
    assert found == {"whole": 1}
    assert b"content filter cut your reply off" in server.requests[1]


BODIES: dict[str, tuple[str, str]] = {
    "a text as the error": ('{"error": "the context overflows"}', "the context overflows"),
    "a detail": ('{"detail": "not enough tokens"}', "not enough tokens"),
    "fields": ('{"detail": [{"loc": ["body", "n"], "msg": "too large"}]}', "too large"),
    "a list": ('[{"error": {"message": "not valid here"}}]', "not valid here"),
    "plain text": ("upstream\nis gone", "upstream is gone"),
    "its own words": ('{"error": {"message": "said already"}}', "said already"),
    "an error in an error": ('{"error": {"error": {"message": "no slot left"}}}', "no slot left"),
}


@pytest.mark.parametrize(("body", "words"), BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("status", [400, 503])
def test_an_error_says_once_what_the_server_answered(body: str, words: str, status: int) -> None:
    with OpenAIServer([Reply(raw_body=body, status=status)] * 2) as server, open_model(f"{server.base_url}#m") as model:
        for ask in (think, lambda *args, **options: list(stream_think(*args, **options))):
            with pytest.raises(Exception, match=words) as raised:
                ask(model, "Say fine.", backoff=ONCE)
            assert isinstance(raised.value, ModelUnavailableError) is (status == 503)
            assert str(raised.value).count(words) == 1


@pytest.mark.parametrize(
    ("address", "reason"),
    [("http://127.0.0.1:1/v1", "refused|attempts failed"), ("127.0.0.1:8000/v1", "missing an 'http://'")],
)
async def test_an_error_says_why_there_is_no_connection(address: str, reason: str) -> None:
    for kind in (ChatOpenAI, Own):
        model = kind(base_url=address, model="m", api_key=SecretStr(KEY), max_retries=0)
        with pytest.raises(ModelUnavailableError, match=f"Connection error: .*(?:{reason})"):
            think(model, "x", backoff=ONCE)
        with pytest.raises(ModelUnavailableError, match=f"Connection error: .*(?:{reason})"):
            await athink(model, "x", backoff=ONCE)


def test_the_reason_of_a_run_says_what_the_server_answered() -> None:
    def script(request: Any, index: int) -> Reply:
        return Reply("first") if not index else Reply(raw_body='{"error": "the context overflows"}', status=400)

    with OpenAIServer(script) as server, open_model(f"{server.base_url}#m") as model:
        graph = create_reflection_graph(actor=model, verifier=lambda task, answer: Verdict("failed", "no"))
        run = graph.invoke({"task": "Say the right thing."})
    assert "the context overflows" in str(run["stop_reason"]["value"])


def test_what_the_server_answered_is_short_and_holds_no_key() -> None:
    body = f"your key {KEY} " + "is wrong " * 1_000
    reply = Reply(raw_body=body, status=400)
    with OpenAIServer([reply]) as server, pytest.raises(Exception, match="your key") as raised:
        think(client(Own, server), "Say fine.")
    assert KEY not in str(raised.value)
    assert len(str(raised.value)) < 400


FAULTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a detail": ('{"detail": "no such route"}', {}, "no such route"),
    "a message": ('{"message": "no such route", "request_id": "7"}', {}, "no such route"),
    "an error beside a code": ('{"error": {"message": "the engine died"}, "code": 500}', {}, "the engine died"),
    "a page for a response": ("<html>Log in</html>", {"use_responses_api": True}, "<html>Log in</html>"),
    "a text for a response": ('"upstream is gone"', {"use_responses_api": True}, "upstream is gone"),
}


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(("body", "options", "words"), FAULTS.values(), ids=FAULTS)
async def test_what_is_said_in_place_of_a_reply_is_told(body: str, options: Any, words: str, way: str) -> None:
    answer = whole(body.encode(), b"Content-Type: text/html" if body.startswith("<") else JSON)
    with RawServer(lambda connection: connection.send(answer)) as server:
        model = ChatOpenAI(base_url=f"{server.url}/v1", model="m", api_key=SecretStr(KEY), max_retries=0, **options)
        with pytest.raises(ModelUnavailableError, match=words):
            _ = think(model, "x", backoff=ONCE) if way == "sync" else await athink(model, "x", backoff=ONCE)


@pytest.mark.parametrize("field", ["message", "detail", "code"])
def test_what_is_said_beside_a_reply_is_not_in_its_place(field: str) -> None:
    message = {"index": 0, "message": {"role": "assistant", "content": "fine"}, "finish_reason": "stop"}
    body = json.dumps({**json.loads(choices([message])), field: "0"})
    with OpenAIServer([Reply(raw_body=body)]) as server:
        assert think(client(ChatOpenAI, server), "x", backoff=ONCE).reply == "fine"
