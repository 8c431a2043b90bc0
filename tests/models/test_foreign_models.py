"""Models and servers as people write them: what they do to messages, chunks and usage costs no answer and no count."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import httpx
import openai
import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.plan_act import act, done, echo_tool, planned, replanned
from support.scripted import ScriptedModel
from support.wires.responses import Responses
from support.wires.server import Said, WireServer
from thoughtgraph import (
    Verdict,
    athink,
    create_plan_act_graph,
    create_reflection_graph,
    generate_with_retry,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.errors import ModelUnavailableError, ParseFailedError, TruncatedError
from thoughtgraph.models import Backoff, reasoning_openai
from thoughtgraph.traces import recording

AT_ONCE = Backoff(max_attempts=2, initial_interval=0.001)


class Scribbler(ScriptedModel):
    """Writes into the messages that it is given."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        result = super()._generate(deepcopy(messages), *args, **kwargs)
        for message in messages:
            message.additional_kwargs["cache"] = True
            if isinstance(message.content, list):
                message.content.append("scribble")
            else:
                message.content = "scribble"
        messages.clear()
        return result


def wants_yes(raw_reply: str) -> Any:
    """Accepts the word yes."""
    done = raw_reply == "yes"
    return {"status": "success", "content": raw_reply} if done else {"status": "error", "feedback": "Say yes."}


@pytest.mark.parametrize("content", ["Hello", [{"type": "text", "text": "Hello"}]], ids=["text", "blocks"])
def test_a_model_that_writes_into_its_messages_writes_into_copies(content: Any) -> None:
    given = HumanMessage(content)
    model = Scribbler(replies=["no", "yes"])
    assert think_with_retry(model, [given], wants_yes) == "yes"
    assert (given.content, given.additional_kwargs) == (content, {})
    assert [message.content for message in model.requests[1]] == [content, "no", "Say yes."]


def test_what_one_model_writes_into_its_request_is_in_no_other_models() -> None:
    replies = [planned("look up"), act("echo", "x"), done("Done."), replanned(response="Done.")]

    def requests_of(kind: type[ScriptedModel]) -> list[list[Any]]:
        model = kind(replies=replies)
        create_plan_act_graph(model, [echo_tool()], interactive=False).invoke({"goal": "Get it done"})
        return [[message.content for message in request] for request in model.requests]

    clean = requests_of(ScriptedModel)
    assert requests_of(Scribbler) == requests_of(ScriptedModel) == clean
    assert len(clean) == len(replies)


class Chunked(ScriptedModel):
    """Streams what it says in chunks, though nobody has set `streaming`."""

    chunks: list[AIMessageChunk]
    reuses: bool = False

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        one = AIMessageChunk(content="")
        for chunk in self.chunks:
            for name in ("content", "response_metadata", "usage_metadata"):
                setattr(one, name, getattr(chunk, name))
            yield ChatGenerationChunk(message=one if self.reuses else chunk.model_copy())


def told(**metadata: Any) -> AIMessageChunk:
    """The end of a stream."""
    return AIMessageChunk(content="", response_metadata=metadata)


def never(task: str, answer: str) -> Verdict:
    """Passes nothing."""
    return Verdict("failed", "no")


WRAPPINGS: dict[str, Callable[[Any], Any]] = {
    "alone": lambda model: model,
    "bound": lambda model: model.bind(stop=["###"]),
    "behind a prompt": lambda model: ChatPromptTemplate([MessagesPlaceholder("messages")]) | model.bind(stop=["###"]),
    "retried": lambda model: model.with_retry(),
    "with fallbacks": lambda model: model.with_fallbacks([model]),
    "chosen": lambda model: RunnableLambda(lambda messages: model),
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("way", ["sync", "async"])
async def test_a_watched_run_reads_what_chunks_say_twice_as_one(way: str, wrapping: str) -> None:
    ends = [told(finish_reason="length", model_name="small")] * 3
    model = Chunked(replies=["half"] * 9, chunks=[AIMessageChunk(content="half"), *ends], max_tokens=5)
    graph: Any = create_reflection_graph(actor=WRAPPINGS[wrapping](model), verifier=never, max_attempts=1)
    modes: Any = ["messages", "values"]
    if way == "sync":
        seen: list[Any] = list(graph.stream({"task": "t"}, stream_mode=modes))
    else:
        seen = [piece async for piece in graph.astream({"task": "t"}, stream_mode=modes)]
    thoughts = [event["data"] for event in seen[-1][1]["events"] if event["kind"] == "thought"]
    assert [(data["model"], data["truncated"]) for data in thoughts] == [("small", True)] * 2
    assert any(kind == "messages" and piece[0].content == "half" for kind, piece in seen)


def test_a_model_may_fill_the_same_chunk_again() -> None:
    words = [AIMessageChunk(content=word) for word in ("The ", "answer ", "is 42.")]
    model = Chunked(replies=[], chunks=[*words, told(finish_reason="stop")], reuses=True)
    assert list(stream_think(model, "x"))[-1].thought == think(ScriptedModel(replies=[reply("The answer is 42.")]), "x")


def reply(text: str) -> AIMessage:
    """A whole reply without usage."""
    return AIMessage(text, response_metadata={"finish_reason": "stop"})


@pytest.mark.parametrize(
    "block",
    [{"text": "42"}, {"type": None, "text": "42"}, {"type": "output_text", "text": "42", "annotations": []}],
    ids=["bedrock", "null", "responses"],
)
def test_text_is_read_from_the_blocks_of_providers_own_apis(block: Any) -> None:
    odd: Any = [{"type": ["text"], "text": "no"}, {"no": "type"}, {"type": "image", "text": "no"}]
    assert think(ScriptedModel(replies=[AIMessage([*odd, block])]), "x").reply == "42"


ODD_TEXTS: list[Any] = [
    {"value": "42"},
    {"text": {"value": "42", "annotations": []}},
    {"type": "text", "text": {"value": "42", "annotations": []}},
    {"type": "text", "text": [{"type": "text", "text": "4"}, "2"]},
    {"type": "text", "content": "42"},
    {"type": "text", "text": "", "value": "42"},
    {"type": "message", "content": [{"type": "output_text", "text": "42"}]},
    {"type": "non_standard", "value": {"text": "42"}},
    [{"type": "text", "text": "4"}, ["2"]],
]


def given_by(content: Any) -> Any:
    """A model that is no class of LangChain's, whose checks some contents do not meet."""
    return RunnableLambda(lambda _: AIMessage.model_construct(content=content, **EMPTY))


EMPTY: dict[str, Any] = {
    **{name: getattr(AIMessage(""), name) for name in ("additional_kwargs", "response_metadata", "usage_metadata")},
    "tool_calls": [],
    "invalid_tool_calls": [],
    "type": "ai",
    "id": None,
    "name": None,
}


@pytest.mark.parametrize("block", ODD_TEXTS, ids=str)
async def test_text_is_read_however_its_block_holds_it(block: Any) -> None:
    for content in ([block], ["4", {"type": "thinking", "thinking": "Hm."}, "2"]):
        model = given_by(content)
        assert think(model, "x").reply == (await athink(model, "x")).reply == "42"
        assert [piece.thought.reply for piece in stream_think(model, "x") if piece.thought] == ["42"]


UNREADABLE: list[Any] = [{"answer": "42"}, {"type": "markdown", "text": "42"}, {"type": "", "json": {"a": 1}}]


@pytest.mark.parametrize("block", UNREADABLE, ids=str)
async def test_a_reply_of_which_nothing_can_be_read_is_refused_with_its_shape(block: Any) -> None:
    model = ScriptedModel(replies=[AIMessage([block])] * 4)
    names = "a chat model has to return its text as a str, or in blocks .*, and this one returned {'"
    with pytest.raises(TypeError, match=names):
        think(model, "x")
    with pytest.raises(TypeError, match=names):
        await athink(model, "x")
    with pytest.raises(TypeError, match=names):
        list(stream_think(model, "x"))
    with pytest.raises(TypeError, match=names):
        create_reflection_graph(actor=model).invoke({"task": "t"})


SILENT: list[Any] = [{}, {"text": ""}, {"type": "text"}, {"type": "image", "url": "https://x"}, {"type": "web_search"}]


@pytest.mark.parametrize("block", SILENT, ids=str)
def test_a_reply_without_a_text_is_an_empty_one(block: Any) -> None:
    assert think(ScriptedModel(replies=[AIMessage([block])]), "x").reply == ""


CALLS: list[dict[str, Any]] = [
    {"tool_calls": [{"name": "stock", "args": {"item": "apples"}, "id": "1"}]},
    {"invalid_tool_calls": [{"name": "stock", "args": "{", "id": "1", "error": "cut", "type": "invalid_tool_call"}]},
]


@pytest.mark.parametrize("calls", CALLS, ids=["call", "broken call"])
def test_a_model_that_calls_a_tool_in_place_of_a_reply_is_told_so(calls: Any) -> None:
    model = ScriptedModel(replies=[AIMessage("", **calls), AIMessage("no", **calls), AIMessage("yes", **calls)])
    assert think_with_retry(model, "x", wants_yes) == "yes"
    called, written = [str(request[-1].content) for request in model.requests[1:]]
    assert called.startswith("You called a tool in place of a reply") and called.endswith(" Say yes.")
    assert written == "Say yes."


SHOWN = ['<tool_call>{"name": "stock", "arguments": {"item": "apples"}}</tool_call>', "stock{"]


@pytest.mark.parametrize("echo", [False, True], ids=["plain", "with its reasoning"])
@pytest.mark.parametrize("before", ["", "I look. "], ids=["alone", "behind words"])
@pytest.mark.parametrize(("calls", "shown"), [*zip(CALLS, SHOWN, strict=True)], ids=["call", "broken call"])
def test_a_refused_call_is_shown_to_the_model_as_it_sent_it(calls: Any, shown: str, before: str, echo: bool) -> None:
    refused = AIMessage(before, **calls, additional_kwargs={"reasoning_content": "Hm."})
    model = ScriptedModel(replies=[refused, "yes"])
    with recording() as recorder:
        assert think_with_retry(model, "x", wants_yes, echo_reasoning=echo) == "yes"
    assert model.requests[1][1].content == before + shown == recorder.events[0]["data"]["reply"]
    with pytest.raises(ParseFailedError) as failed:
        think_with_retry(ScriptedModel(replies=[refused]), "x", wants_yes, max_retries=1)
    assert failed.value.raw_replies == [before + shown]


def test_a_refused_call_is_shown_behind_its_blocks_of_reasoning() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    use = {"type": "tool_use", "id": "1", "name": "stock", "input": {"item": "apples"}}
    model = ScriptedModel(replies=[AIMessage([thought, use], **CALLS[0]), "yes"])
    assert think_with_retry(model, "x", wants_yes, echo_reasoning=True) == "yes"
    assert model.requests[1][1].content == [thought, {"type": "text", "text": SHOWN[0]}]


@pytest.mark.parametrize(("calls", "shown"), [*zip(CALLS, SHOWN, strict=True)], ids=["call", "broken call"])
def test_a_call_that_was_cut_off_or_is_no_file_is_kept_as_it_was_sent(calls: Any, shown: str) -> None:
    cut = AIMessage("", **calls, response_metadata={"finish_reason": "length"})
    with pytest.raises(TruncatedError) as broken:
        think_with_retry(ScriptedModel(replies=[cut] * 2), "x", wants_yes)
    assert broken.value.raw_reply == shown
    with recording() as recorder, pytest.raises(ParseFailedError) as failed:
        generate_with_retry(ScriptedModel(replies=[AIMessage("", **calls)]), "x", "python", max_attempts=1)
    assert failed.value.raw_replies == [shown] == [event["data"]["reply"] for event in recorder.events]


def test_a_call_in_place_of_an_answer_is_shown_to_the_actor() -> None:
    model = ScriptedModel(replies=[AIMessage("", **CALLS[0])] * 2 + ["yes"])
    run = create_reflection_graph(actor=model, verifier=lambda task, answer: True).invoke({"task": "t"})
    assert (run["verdict"], run["attempts"][0]["reply"]) == ("passed", SHOWN[0])
    assert model.requests[1][2].content == SHOWN[0]


def test_a_parser_may_accept_a_call_in_place_of_a_reply() -> None:
    model = ScriptedModel(replies=[AIMessage("", **CALLS[0])])
    assert think_with_retry(model, "x", lambda reply: {"status": "success", "content": reply}) == ""


class Capless(BaseChatModel):
    """Has no field for an output cap, and is cut off at first."""

    calls: list[int]

    @property
    def _llm_type(self) -> str:
        return "capless"

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        self.calls.append(1)
        said, reason = ("half", "length") if len(self.calls) == 1 else ("yes", "stop")
        message = AIMessage(said, response_metadata={"finish_reason": reason})
        return ChatResult(generations=[ChatGeneration(message=message)])


@pytest.mark.parametrize("cache", [InMemoryCache(), None], ids=["cache", "no cache"])
def test_a_cut_off_reply_from_a_cache_is_asked_for_again(cache: Any) -> None:
    model = Capless(cache=cache, calls=[])
    assert (think_with_retry(model, "x", wants_yes), len(model.calls)) == ("yes", 2)


class Told(ScriptedModel):
    """Tells LangChain's cache of all its fields, as most providers' classes do, but not Ollama's."""

    @classmethod
    def is_lc_serializable(cls) -> bool:
        """It does so by what it is made of."""
        return True


@pytest.mark.parametrize("kind", [ScriptedModel, Told])
@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
def test_another_attempt_is_no_reply_from_the_cache(kind: type[ScriptedModel], mode: Any) -> None:
    model = kind(replies=["a", "b", "c"], cache=InMemoryCache())
    graph: Any = create_reflection_graph(mode, actor=model, verifier=never, max_attempts=3)
    graph = graph.with_config(max_concurrency=1)
    assert [attempt["answer"] for attempt in graph.invoke({"task": "t"})["attempts"]] == ["a", "b", "c"]
    if kind is Told:
        # The same run again asks for nothing.
        assert [attempt["answer"] for attempt in graph.invoke({"task": "t"})["attempts"]] == ["a", "b", "c"]


@pytest.mark.parametrize("kind", [ScriptedModel, Told])
def test_a_reply_under_a_higher_cap_is_not_the_one_from_the_cache(kind: type[ScriptedModel]) -> None:
    cut = AIMessage("ye", response_metadata={"finish_reason": "length"})
    model = kind(replies=[cut, "yes"], max_tokens=5, cache=InMemoryCache())
    assert think_with_retry(model, "x", wants_yes) == "yes"
    assert kind is ScriptedModel or think_with_retry(model, "x", wants_yes) == "yes"


@pytest.mark.parametrize("kind", [ScriptedModel, Told])
def test_a_file_that_is_asked_for_again_is_not_the_one_from_the_cache(kind: type[ScriptedModel]) -> None:
    replies = ["no", "still no", "```path\na.txt\n```\n```text\nhello\n```"]
    model = kind(replies=replies, cache=InMemoryCache())
    assert generate_with_retry(model, "Say hello.", "text").file_content.strip() == "hello"


def raises_first(error: Exception) -> Callable[[Any], AIMessage]:
    """A model that answers from its second call on."""
    calls: list[Any] = []

    def model(messages: Any) -> AIMessage:
        calls.append(messages)
        if len(calls) == 1:
            raise error
        return AIMessage("fine")

    return model


def test_a_group_of_errors_is_waited_out_if_all_of_them_are() -> None:
    dropped = [ConnectionResetError("dropped"), ExceptionGroup("inner", [TimeoutError("late")])]
    assert think(RunnableLambda(raises_first(ExceptionGroup("tasks", dropped))), "x", backoff=AT_ONCE).reply == "fine"
    with pytest.raises(ExceptionGroup):
        mixed = ExceptionGroup("tasks", [*dropped, KeyError("x")])
        think(RunnableLambda(raises_first(mixed)), "x", backoff=AT_ONCE)


async def test_a_group_of_one_error_is_that_error() -> None:
    model = ChatOpenAI(base_url="http://127.0.0.1:99999/v1", api_key=SecretStr("none"), model="m", max_retries=0)
    with pytest.raises(OverflowError, match="port must be 0-65535"):
        await athink(model, "x", backoff=AT_ONCE)
    group = ExceptionGroup("tasks", [ExceptionGroup("inner", [KeyError("x")])])
    with pytest.raises(KeyError):
        think(RunnableLambda(raises_first(group)), "x", backoff=AT_ONCE)


def client(server: OpenAIServer, **options: Any) -> ChatOpenAI:
    """A plain client of a server."""
    return ChatOpenAI(base_url=server.base_url, api_key=SecretStr("none"), model="m", max_retries=0, **options)


def chunk(delta: dict[str, Any], finish: str | None = None, usage: tuple[int, int] | None = None) -> str:
    """An event of a stream, with a usage of its own."""
    body: dict[str, Any] = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    body["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return f"data: {json.dumps(body)}\n\n"


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("usages", [[(10, 1), (10, 2), (10, 5)], [(10, 5)] * 3, [(10, 0), None, (0, 5)]])
async def test_a_usage_with_every_chunk_is_that_of_the_reply_so_far(usages: list[Any], way: str) -> None:
    first, second, last = usages
    events = chunk({"content": "4"}, None, first) + chunk({"content": "2"}, None, second) + chunk({}, "stop", last)
    streamed = Reply(raw_body=f"{events}data: [DONE]\n\n", content_type="text/event-stream")
    with OpenAIServer([streamed]) as server:
        model = client(server, streaming=True)
        thought = think(model, "x") if way == "sync" else await athink(model, "x")
    assert (thought.reply, thought.usage["input_tokens"], thought.usage["output_tokens"]) == ("42", 10, 5)
    assert thought.usage["total_tokens"] == 15


@pytest.mark.parametrize("tier", ["", "priority_", "flex_"])
def test_tokens_from_the_servers_cache_are_told_in_every_tier(tier: str) -> None:
    usage: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    usage["input_token_details"] = {f"{tier}cache_read": 8, f"{tier}cache_creation": 1, "audio": 1}
    assert think(ScriptedModel(replies=[AIMessage("x", usage_metadata=usage)]), "x").usage["cached_tokens"] == 8


async def test_a_server_that_does_not_stream_is_told_of_and_can_be_asked_as_a_whole() -> None:
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    whole["choices"] = [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]
    with OpenAIServer(lambda body, index: Reply(raw_body=json.dumps(whole))) as server:
        with pytest.raises(ModelUnavailableError, match="disable_streaming=True"):
            think(client(server, streaming=True), "x", backoff=AT_ONCE)
        with pytest.raises(ModelUnavailableError, match="disable_streaming=True"):
            await athink(client(server, streaming=True), "x", backoff=AT_ONCE)
        graph: Any = create_reflection_graph(actor=client(server, disable_streaming=True))
        assert list(graph.stream({"task": "t"}, stream_mode=["messages", "values"]))[-1][1]["answer"] == "Hi"
        # As the error advises.
        advised = client(server, streaming=True, disable_streaming=True)
        assert think(advised, "x").reply == (await athink(advised, "x")).reply == "Hi"
        assert list(stream_think(advised, "x"))[-1].thought.reply == "Hi"  # type: ignore[union-attr]


BODIES = {
    "FastAPI": (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "NAME"], "msg": "not permitted"}]}),
    "in a field": (400, {"error": {"message": "Unknown field", "param": "NAME"}}),
    "silent": (400, {"error": {"message": "bad request"}}),
}


def refuses(name: str, said: str) -> Callable[[dict[str, Any], int], Reply]:
    """A server that knows no such parameter, and says so in its own way."""
    status, body = BODIES[said]
    refusal = Reply(status=status, raw_body=json.dumps(body).replace("NAME", name))
    return lambda request, index: refusal if name in request else Reply(f"answer {index}")


@pytest.mark.parametrize("said", BODIES)
def test_an_option_of_the_loops_own_that_a_server_refuses_costs_no_attempt(said: str) -> None:
    with OpenAIServer(refuses("seed", said)) as server:
        run = create_reflection_graph(actor=client(server), verifier=never, max_attempts=3).invoke({"task": "t"})
    assert (run["stop_reason"]["kind"], len(run["attempts"])) == ("max_iterations", 3)


@pytest.mark.parametrize("said", BODIES)
async def test_a_refused_wish_for_the_usage_of_a_stream_costs_no_reply(said: str) -> None:
    # A server of an earlier test may have had the same port, and what it refused is remembered.
    reasoning_openai._WITHOUT_USAGE.clear()
    with OpenAIServer(refuses("stream_options", said)) as server:
        assert think(client(server, streaming=True), "x").reply == "answer 1"
    reasoning_openai._WITHOUT_USAGE.clear()
    with OpenAIServer(refuses("stream_options", said)) as server:
        assert (await athink(client(server, streaming=True), "x")).reply == "answer 1"


@pytest.mark.parametrize("status", [400, 422])
async def test_a_refused_stream_of_the_responses_api_is_told_as_such(status: int) -> None:
    refusal = [Said("no such luck", status=status)] * 2
    # Its connections would outlive the event loop.
    async with httpx.AsyncClient() as connections:
        with WireServer(Responses(), refusal) as server:
            model = ChatOpenAI(
                base_url=f"{server.url}/v1",
                api_key=SecretStr("none"),
                model="m",
                max_retries=0,
                use_responses_api=True,
                http_async_client=connections,
            )
            with pytest.raises(openai.APIStatusError, match="no such luck"):
                list(stream_think(model, "x"))
            with pytest.raises(openai.APIStatusError, match="no such luck"):
                await athink(model.model_copy(update={"streaming": True}), "x")


def test_a_request_that_is_refused_without_these_options_as_well_is_refused() -> None:
    with OpenAIServer(lambda body, index: Reply("bad", status=400) if index else Reply("first")) as server:
        run = create_reflection_graph(actor=client(server), verifier=never, max_attempts=3).invoke({"task": "t"})
        assert (run["stop_reason"]["kind"], len(run["attempts"])) == ("model_unavailable", 1)
        assert len(server.requests) == 3
