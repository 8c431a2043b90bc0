"""Models and servers that are not like most: what they cost is counted, and what they break is waited out."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import ssl
import urllib.error
from collections.abc import Callable, Iterator
from email.message import Message
from typing import Any, cast
from unittest.mock import AsyncMock, MagicMock, create_autospec

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, athink, create_plan_act_graph, create_reflection_graph, think, think_with_retry
from thoughtgraph.errors import ModelUnavailableError
from thoughtgraph.models import Backoff
from thoughtgraph.traces import Price, Prices, recording, run_metrics

pytestmark = pytest.mark.slow

DEAR = Prices({"m": Price(1e6, 1e6)})
AT_ONCE = Backoff(max_attempts=2, initial_interval=0.001)


def client(server: OpenAIServer, **options: Any) -> ChatOpenAI:
    """A plain client of a server."""
    return ChatOpenAI(base_url=server.base_url, api_key=SecretStr("none"), model="m", max_retries=0, **options)


def failing(task: str, answer: str) -> Verdict:
    """Finds nothing right."""
    return Verdict("failed", "no")


def test_the_usage_of_a_stream_is_asked_for_unless_the_user_does_not_want_it() -> None:
    with OpenAIServer([Reply("Hello"), Reply("Hello")]) as server:
        assert think(client(server, streaming=True), "x").usage["total_tokens"] == 11
        think(client(server, streaming=True, stream_usage=False), "x")
        asked = [request.body.get("stream_options") for request in server.requests]
    assert asked == [{"include_usage": True}, None]


def test_a_budget_of_tokens_holds_where_the_run_is_watched() -> None:
    with OpenAIServer(lambda body, index: Reply("Hello")) as server:
        graph = create_reflection_graph(actor=client(server), verifier=failing, max_attempts=4, max_tokens=12)
        whole = graph.invoke({"task": "t"})
        watched: Any = [*graph.stream({"task": "t"}, stream_mode=["messages", "values"])][-1][1]
    assert whole["stop_reason"] == watched["stop_reason"] and whole["usage"] == watched["usage"]
    assert whole["stop_reason"]["kind"] == "token_budget"


class Own(ChatOpenAI):
    """A class of one's own, which LangChain streams without its usage."""


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: model | StrOutputParser()], ids=["plain", "text"])
def test_a_budget_of_tokens_holds_where_no_usage_is_told(wrap: Callable[[Any], Any]) -> None:
    with OpenAIServer(lambda body, index: Reply(f"Hello {index}")) as server:
        actor = wrap(Own(base_url=server.base_url, api_key=SecretStr("none"), model="m", streaming=True))
        graph = create_reflection_graph(actor=actor, verifier=failing, max_attempts=4, max_tokens=12)
        result = graph.invoke({"task": "t"})
    assert result["stop_reason"]["kind"] == "token_budget" and len(result["attempts"]) == 1
    assert [event["data"]["estimated"] for event in result["events"] if event["kind"] == "thought"] == [True]


class Chunked(ScriptedModel):
    """Streams its chunks as they are."""

    chunks: list[AIMessageChunk]
    streaming: bool = True

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        for chunk in self.chunks:
            yield ChatGenerationChunk(message=chunk)


@pytest.mark.parametrize(
    ("reasons", "finish"),
    [(("length", "length"), "length"), (("", "length"), "length"), (("not_finished", "stop"), "stop")],
)
def test_what_a_stream_says_of_its_reply_twice_counts_once(reasons: tuple[str, str], finish: str) -> None:
    told: list[Any] = [{"finish_reason": reason, "model_name": "m"} for reason in reasons]
    ends = [AIMessageChunk(content="", response_metadata=one) for one in told]
    with recording() as recorder:
        thought = think(Chunked(replies=[], chunks=[AIMessageChunk(content="The answer is"), *ends]), "x")
        think_with_retry(
            Chunked(
                replies=[],
                chunks=[
                    AIMessageChunk(content="42"),
                    ends[0].model_copy(update={"response_metadata": {"finish_reason": "stop", "model_name": "m"}}),
                    ends[1].model_copy(update={"response_metadata": {"finish_reason": "stop", "model_name": "m"}}),
                ],
            ),
            "x",
            lambda reply: {"status": "success", "content": reply},
        )
    assert (thought.finish_reason, thought.reply) == (finish, "The answer is")
    assert [event["data"].get("model") for event in recorder.events] == ["m", "m"]


SPENT: dict[str, tuple[list[tuple[int, int]], tuple[int, int]]] = {
    "of the reply so far": ([(10, 1), (10, 2), (10, 2), (10, 4)], (10, 4)),
    "of the prompt first": ([(10, 0), (0, 3), (0, 1)], (10, 4)),
    "at the end": ([(0, 0), (10, 4)], (10, 4)),
    "of two prompts": ([(10, 4), (12, 5)], (22, 9)),
    "of two replies": ([(10, 4), (10, 1)], (20, 5)),
}


@pytest.mark.parametrize("usage", [{"output_tokens": 3}, {"input_tokens": None, "input_token_details": None}, object()])
def test_a_usage_of_a_stream_that_lacks_a_count_costs_no_reply(usage: Any) -> None:
    chunks = [AIMessageChunk(content=word) for word in ("It is", " 42.")]
    for chunk in chunks:
        chunk.usage_metadata = usage
    thought = think(Chunked(replies=[], chunks=chunks), "x" * 40)
    assert (thought.reply, thought.usage["input_tokens"], thought.estimated) == ("It is 42.", 10, True)


@pytest.mark.parametrize("way", SPENT)
def test_tokens_that_each_chunk_of_a_stream_tells_again_count_once(way: str) -> None:
    told, (read, written) = SPENT[way]
    chunks = [AIMessageChunk(content="") for _ in range(300)]
    for place, (prompt, reply) in enumerate(told):
        usage: Any = {"input_tokens": prompt, "output_tokens": reply, "total_tokens": prompt + reply}
        details = {"input_token_details": {"cache_read": prompt // 2}}
        chunks[place * 70] = AIMessageChunk(content="a", usage_metadata={**usage, **details})
    for _ in range(2):
        usage = think(Chunked(replies=[], chunks=chunks), "x").usage
        assert (usage["input_tokens"], usage["output_tokens"]) == (read, written)
        assert (usage["total_tokens"], usage["cached_tokens"]) == (read + written, read // 2)


def raises(error: Exception) -> Callable[[Any], AIMessage]:
    """A model that answers once the error is over."""
    calls: list[Any] = []

    def model(messages: Any) -> AIMessage:
        calls.append(messages)
        if len(calls) == 1:
            raise error
        return AIMessage("fine")

    return model


class ClientPayloadError(Exception):
    """As aiohttp's is called."""


class NewConnectionError(Exception):
    """As urllib3's is called."""


class ReadTimeoutError(type("TimeoutError", (Exception,), {})):
    """As urllib3's, which is none of Python's."""


class MaxRetryError(Exception):
    """As urllib3's, which has the last one in it."""

    def __init__(self, reason: Exception) -> None:
        super().__init__("Max retries exceeded")
        self.reason = reason


class OwnError(ConnectionError):
    """Has a code that is no status."""

    code = 1302


@pytest.mark.parametrize(
    "error",
    [
        urllib.error.URLError(ConnectionRefusedError(111, "refused")),
        urllib.error.URLError(socket.gaierror(-2, "Name or service not known")),
        socket.gaierror(-3, "Temporary failure in name resolution"),
        OSError(101, "Network is unreachable"),
        OSError(113, "No route to host"),
        urllib.error.URLError(ssl.SSLEOFError(8, "EOF occurred in violation of protocol")),
        ssl.SSLEOFError(8, "EOF occurred in violation of protocol"),
        ssl.SSLZeroReturnError(6, "TLS/SSL connection has been closed"),
        asyncio.IncompleteReadError(b"half", 8),
        ReadTimeoutError("Read timed out."),
        MaxRetryError(NewConnectionError("refused")),
        http.client.IncompleteRead(b"half"),
        http.client.BadStatusLine("?"),
        ClientPayloadError("half"),
        OwnError("dropped"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_dropped_connection_is_waited_out_whichever_client_it_is_of(error: Exception) -> None:
    assert think(RunnableLambda(raises(error)), "x", backoff=AT_ONCE).reply == "fine"


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(2, "no weights"),
        PermissionError(13, "no"),
        OSError(28, "No space left on device"),
        OSError("libcublas.so.12: cannot open shared object file"),
        urllib.error.URLError(FileNotFoundError(2, "no")),
        MaxRetryError(PermissionError(13, "no")),
        ssl.SSLCertVerificationError(1, "certificate verify failed"),
        EOFError("Ran out of input"),
        http.client.InvalidURL("no port"),
        KeyError("x"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_the_program_is_not_waited_out(error: Exception) -> None:
    with pytest.raises(type(error)):
        think(RunnableLambda(raises(error)), "x", backoff=AT_ONCE)


def test_a_wait_that_the_error_itself_has_is_kept_to() -> None:
    headers = Message()
    headers["Retry-After"] = "7"
    assert Backoff(jitter=False).seconds(1, urllib.error.HTTPError("http://x", 429, "busy", headers, None)) == 7


def test_a_full_context_is_a_reply_that_was_cut_off() -> None:
    told = {"stop_reason": "model_context_window_exceeded"}
    assert think(ScriptedModel(replies=[AIMessage("cut", response_metadata=told)]), "x").finish_reason == "length"


def test_messages_may_come_one_by_one() -> None:
    model = ScriptedModel(replies=["a"])
    think(model, (message for message in [HumanMessage("a"), AIMessage("b"), HumanMessage("c")]))  # pyright: ignore[reportArgumentType]
    assert [message.content for message in model.requests[0]] == ["a", "b", "c"]


def test_usage_in_the_metadata_alone_counts_and_that_of_none_costs_an_unknown_sum() -> None:
    told = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    names = ("token_usage", "usage", "token_count")
    replies = [AIMessage("a", response_metadata={name: told, "model_name": "m"}) for name in names]
    replies.append(AIMessage("a", response_metadata={"usage": told, "token_count": 2, "model_name": "m"}))
    summed = AIMessage("a", response_metadata={"token_usage": {"total_tokens": 7}, "model_name": "m"})
    for reply, tokens, cost in [*((one, 7, 7.0) for one in replies), (summed, 7, None), (AIMessage("a"), 2, None)]:
        with recording() as recorder:
            think_with_retry(ScriptedModel(replies=[reply]), "x", lambda text: {"status": "success", "content": text})
        assert recorder.events[0]["data"]["usage"]["total_tokens"] == tokens
        assert run_metrics(recorder.events, DEAR).cost == cost


@pytest.mark.parametrize(
    ("told", "total"), [({"input_tokens": 5, "output_tokens": 7}, 12), ({}, 9)], ids=["told", "not told"]
)
def test_usage_of_which_langchain_makes_zeros_counts(told: dict[str, int], total: int) -> None:
    zeros: Any = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 9}
    reply = AIMessage("hello", usage_metadata=zeros, response_metadata={"token_usage": told})
    thought = think(ScriptedModel(replies=[reply]), "x")
    assert (thought.usage["total_tokens"], thought.estimated) == (total, not told)


@pytest.mark.parametrize(("read", "cached", "counted"), [(10, 900, 10), (10, 10, 10), (10, 4, 4)])
def test_no_more_tokens_come_from_a_servers_cache_than_are_read(read: int, cached: int, counted: int) -> None:
    usage: Any = {"input_tokens": read, "output_tokens": 5, "total_tokens": read + 5}
    reply = AIMessage("hello", usage_metadata={**usage, "input_token_details": {"cache_read": cached}})
    assert think(ScriptedModel(replies=[reply]), "x").usage == {**usage, "cached_tokens": counted}


def test_a_reply_from_the_cache_costs_nothing() -> None:
    with OpenAIServer(lambda body, index: Reply("Hello")) as server:
        actor = client(server, cache=InMemoryCache())
        prices = Prices({"m": Price(1e6, 1e6), "scripted": Price(1e6, 1e6)})
        graph = create_reflection_graph(actor=actor, verifier=failing, max_attempts=2, max_cost=12, prices=prices)
        first, second = (graph.invoke({"task": "t"}) for _ in range(2))
        asked = len(server.requests)
    assert asked == len(first["attempts"]) == len(second["attempts"]) == 2
    assert (first["usage"]["total_tokens"], run_metrics(first["events"], prices).cost) == (22, 22)
    assert (second["usage"]["total_tokens"], run_metrics(second["events"], prices).cost) == (0, 0)


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_a_server_that_refuses_to_tell_the_usage_of_a_stream_is_asked_without_it(way: str) -> None:
    def reply(body: dict[str, Any], index: int) -> Reply:
        refused = Reply("Unknown parameter: stream_options", status=400)
        return refused if "stream_options" in body else Reply("Hello")

    with OpenAIServer(reply) as server:
        model = client(server, streaming=True)
        thoughts = [think(model, "x") if way == "sync" else await athink(model, "x") for _ in range(2)]
        assert [thought.reply for thought in thoughts] == ["Hello", "Hello"]
        assert len(server.requests) == 3


async def test_requests_at_once_are_all_asked_again_without_it() -> None:
    def reply(body: dict[str, Any], index: int) -> Reply:
        refused = Reply("Unknown parameter: stream_options", status=400)
        return refused if "stream_options" in body else Reply("Hello")

    with OpenAIServer(reply) as server:
        model = client(server, streaming=True)
        thoughts = await asyncio.gather(*(athink(model, "x") for _ in range(4)))
    assert [thought.reply for thought in thoughts] == ["Hello"] * 4


def test_a_server_of_ones_own_costs_nothing_whatever_it_reports() -> None:
    reply = AIMessage("a", response_metadata={"model_name": "m"})
    with recording() as recorder:
        think_with_retry(ScriptedModel(replies=[reply]), "x", lambda text: {"status": "success", "content": text})
    assert run_metrics(recorder.events, Prices({"m": Price(0, 0)})).cost == 0


@tool
def stock(item: str) -> str:
    """How many are in stock."""
    return f"3 {item}"


def test_the_last_call_for_an_answer_is_in_the_trace() -> None:
    usage: Any = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    replies = [
        '{"status": "planned", "plan": ["look up apples"]}',
        '{"status": "continue", "next_action": {"tool": "stock", "input": {"item": "apples"}}}',
        '{"status": "continue", "next_action": {"tool": "stock", "input": {"item": "pears"}}}',
        "About 3 apples.",
    ]
    told = [AIMessage(reply, usage_metadata=usage, response_metadata={"model_name": "m"}) for reply in replies]
    graph = create_plan_act_graph(ScriptedModel(replies=told), [stock], interactive=False, max_steps=3)
    run = graph.invoke({"goal": "How many apples are there?"})
    metrics = run_metrics(run["events"], DEAR)
    assert (metrics.model_calls, run["usage"]["total_tokens"], metrics.cost) == (4, 80, 80.0)


class OddError(Exception):
    """Cannot say what it is."""

    def __str__(self) -> str:
        return self.response.text  # type: ignore[attr-defined]  # pyright: ignore


async def waits_for_what_is_canceled(task: str, answer: str) -> Verdict:
    """A verifier whose own task is canceled."""
    inner = asyncio.create_task(asyncio.sleep(9))
    await asyncio.sleep(0)
    inner.cancel()
    await inner
    return Verdict("passed")


def raises_an_odd_error(task: str, answer: str) -> Verdict:
    """A verifier whose error cannot be shown."""
    raise OddError


@pytest.mark.parametrize("verifier", [waits_for_what_is_canceled, raises_an_odd_error])
async def test_a_verifier_that_breaks_costs_no_answer(verifier: Any) -> None:
    result = await create_reflection_graph(actor=ScriptedModel(replies=["a"]), verifier=verifier).ainvoke({"task": "t"})
    assert (result["verdict"], result["answer"]) == ("unverified", "a")


@pytest.mark.parametrize("make", [MagicMock, create_autospec], ids=["mock", "autospec"])
@pytest.mark.parametrize("kind", [BaseChatModel, ChatOpenAI])
async def test_a_mock_of_a_models_class_is_a_model(make: Callable[..., Any], kind: type[Any]) -> None:
    model = make(kind) if make is create_autospec else make(spec=kind)
    model.invoke.return_value, model.ainvoke = AIMessage("fine"), AsyncMock(return_value=AIMessage("fine"))
    graph, task = create_reflection_graph(actor=model), cast(Any, {"task": "Say fine."})
    assert [run["answer"] for run in (graph.invoke(task), await graph.ainvoke(task))] == ["fine", "fine"]


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_a_message_that_does_not_say_whose_it_is_is_the_models(way: str) -> None:
    message = {"content": "Hello", "reasoning": "Hm."}
    body = {"id": "1", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    with OpenAIServer([Reply(raw_body=json.dumps(body))]) as server:
        model = client(server, default_headers={"Connection": "close"})
        thought = think(model, "x", backoff=AT_ONCE) if way == "sync" else await athink(model, "x", backoff=AT_ONCE)
    assert (thought.reply, thought.reasoning, thought.finish_reason) == ("Hello", "Hm.", "stop")


class Canceled(ScriptedModel):
    """Its client is shared, and somebody else cancels what it waits for."""

    streaming: bool = False

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        message = self._generate(*args, **kwargs).generations[0].message
        yield ChatGenerationChunk(message=AIMessageChunk(message.content))

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        return self._generate(*args)


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("twin", ["sync", "async"])
def test_a_call_that_what_it_waits_for_has_canceled_is_made_again(twin: str, streaming: bool) -> None:
    model = Canceled(replies=[asyncio.CancelledError(), "Hello"], streaming=streaming)
    thought = think(model, "x", backoff=AT_ONCE) if twin == "sync" else asyncio.run(athink(model, "x", backoff=AT_ONCE))
    assert (thought.reply, len(model.requests)) == ("Hello", 2)
    lost = Canceled(replies=[asyncio.CancelledError()] * 2, streaming=streaming)
    with pytest.raises(ModelUnavailableError, match="the call was canceled by what it waits for"):
        think(lost, "x", backoff=AT_ONCE) if twin == "sync" else asyncio.run(athink(lost, "x", backoff=AT_ONCE))


async def test_a_task_that_is_canceled_makes_no_further_call() -> None:
    class Waiting(ScriptedModel):
        async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
            self.requests.append([])
            await asyncio.sleep(60)
            raise AssertionError("it is canceled")

    model = Waiting(replies=[])
    task = asyncio.ensure_future(athink(model, "x", backoff=AT_ONCE))
    while not model.requests:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(model.requests) == 1
