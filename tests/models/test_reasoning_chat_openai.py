"""`ReasoningChatOpenAI` by itself, as a LangChain user takes it: reasoning in and out, and answers that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.exceptions import ModelAPIError
from langchain_core.load import dumpd, load
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from pydantic import BaseModel, SecretStr
from support.openai_server import OpenAIServer, Reply
from support.wires.chat_completions import ChatCompletions
from support.wires.responses import Responses
from support.wires.server import Said, Wire, WireServer
from thoughtgraph import athink_with_retry, json_parser, stream_think, think, think_with_retry
from thoughtgraph.models import ReasoningChatOpenAI, Thought

pytestmark = pytest.mark.slow

WAYS = ["invoke", "ainvoke", "stream", "astream"]
HISTORY = [HumanMessage("Go."), AIMessage("no", additional_kwargs={"reasoning_content": "Hm."}), HumanMessage("Again.")]
USED: Any = {"input_tokens": 10, "output_tokens": 3, "total_tokens": 13, "cached_tokens": 0}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}}


def client(server: OpenAIServer, **options: Any) -> ReasoningChatOpenAI:
    """A client as a user would make it."""
    return ReasoningChatOpenAI(
        base_url=server.base_url,
        api_key=SecretStr("none"),
        model="scripted",
        max_retries=0,
        default_headers={"Connection": "close"},  # or the client's idle connections outlive the event loop
        **options,
    )


async def asked(way: str, model: Any, given: Any = "Why?", **options: Any) -> AIMessage:
    """A reply by one of LangChain's four ways, the pieces of a stream joined."""
    if way == "invoke":
        return model.invoke(given, **options)
    if way == "ainvoke":
        return await model.ainvoke(given, **options)
    chunks = (
        list(model.stream(given, **options)) if way == "stream" else [c async for c in model.astream(given, **options)]
    )
    joined = AIMessageChunk(content="")
    for chunk in chunks:
        joined += chunk
    return joined


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("constrained", [False, True], ids=["free", "constrained"])
async def test_reasoning_is_kept_beside_the_reply(way: str, field: str, constrained: bool) -> None:
    options = {"response_format": SCHEMA} if constrained else {}
    with OpenAIServer([Reply("It is 42.", **{field: "Six times seven."})]) as server:
        message = await asked(way, client(server), **options)
        assert server.requests[0].body.get("response_format") == (SCHEMA if constrained else None)
    assert (message.content, message.additional_kwargs["reasoning_content"]) == ("It is 42.", "Six times seven.")


@pytest.mark.parametrize("version", ["v0", "v1"])
def test_reasoning_is_read_once_in_either_form_of_langchains_messages(version: Any) -> None:
    with OpenAIServer([Reply("It is 42.", reasoning_content="Six times seven.")] * 2) as server:
        model = client(server, output_version=version)
        *_, last = stream_think(model, "Why?")
        assert think(model, "Why?") == last.thought == Thought("Six times seven.", "It is 42.", USED, "stop")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("echo", [True, False])
async def test_reasoning_is_sent_back_where_that_was_asked_for(way: str, echo: bool) -> None:
    with OpenAIServer([Reply("yes")]) as server:
        await asked(way, client(server, echo_reasoning=echo), HISTORY)
        sent = server.requests[0].body["messages"][1]
    assert sent == {"role": "assistant", "content": "no"} | ({"reasoning_content": "Hm."} if echo else {})


@pytest.mark.parametrize("way", WAYS)
async def test_a_constrained_reply_that_is_cut_off_says_so(way: str) -> None:
    with OpenAIServer([Reply('{"a', finish_reason="length")]) as server:
        message = await asked(way, client(server), response_format=SCHEMA, extra_body={"mine": 1})
        assert server.requests[0].body["mine"] == 1
    assert (message.content, message.response_metadata["finish_reason"]) == ('{"a', "length")


class Answer(BaseModel):
    """What the model is to say."""

    number: int


APIS = pytest.mark.parametrize("wire", [ChatCompletions(), Responses()], ids=["Chat Completions", "Responses"])


def on(server: WireServer) -> ReasoningChatOpenAI:
    """A client of either API."""
    responses = isinstance(server.wire, Responses)
    key = SecretStr("none")
    base_url = f"{server.url}/v1"
    return ReasoningChatOpenAI(
        base_url=base_url, api_key=key, model="scripted", max_retries=0, use_responses_api=responses
    )


@APIS
@pytest.mark.parametrize("way", WAYS)
async def test_structured_output_works_as_for_any_chat_model(way: str, wire: Wire) -> None:
    with WireServer(wire, [Said('{"number": 42}', "Hm.")]) as server:
        structured: Any = on(server).with_structured_output(Answer)
        if way == "stream":
            found = list(structured.stream("Why?"))[-1]
        elif way == "astream":
            found = [piece async for piece in structured.astream("Why?")][-1]
        else:
            found = await asked(way, structured)
        sent = server.bodies[0].get("response_format", {}).get("json_schema") or server.bodies[0]["text"]["format"]
    assert found == Answer(number=42)
    assert (sent["name"], sent["strict"], sent["schema"]["additionalProperties"]) == ("Answer", True, False)


@APIS
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reply", [Said('{"num', is_cut=True), Said("I would rather not.")], ids=["cut", "no JSON"])
async def test_a_reply_that_does_not_fit_its_class_is_returned_as_it_is(way: str, wire: Wire, reply: Said) -> None:
    """OpenAI's client raises over it, and the reply is lost."""
    with WireServer(wire, [reply]) as server:
        message = await asked(way, on(server), response_format=Answer)
    assert message.text == reply.text
    assert "parsed" not in message.additional_kwargs


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
async def test_a_cut_reply_under_a_class_raises_the_cap(way: str) -> None:
    with WireServer(ChatCompletions(), [Said('{"num', is_cut=True), Said('{"number": 42}')]) as server:
        model = on(server).bind(response_format=Answer)
        args: Any = (model, "Why?", json_parser)
        assert (think_with_retry(*args) if way == "invoke" else await athink_with_retry(*args)) == {"number": 42}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("body", [5, "text", [1], None], ids=repr)
async def test_an_answer_that_is_no_chat_completion_may_be_asked_for_again(way: str, body: Any) -> None:
    text = json.dumps(body)
    streamed = Reply(raw_body=f"data: {text}\n\n", content_type="text/event-stream")
    with (
        OpenAIServer([streamed if "stream" in way else Reply(raw_body=text)]) as server,
        pytest.raises(ModelAPIError, match="no chat completion") as caught,
    ):
        await asked(way, client(server))
    assert caught.value.is_retryable


def events(*choices: dict[str, Any]) -> Reply:
    """A stream of chunks with one choice each."""
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    lines = [f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n" for choice in choices]
    return Reply(raw_body="".join(lines), content_type="text/event-stream")


def part(index: int = 0, finish_reason: str | None = None, **delta: Any) -> dict[str, Any]:
    """A chunk's choice."""
    return {"index": index, "delta": delta, "finish_reason": finish_reason}


@pytest.mark.parametrize("way", ["stream", "astream"])
async def test_a_streamed_refusal_is_the_reply(way: str) -> None:
    told = [part(role="assistant", content="", refusal=None), part(refusal="I can"), part(refusal="not.")]
    with OpenAIServer([events(*told, part(finish_reason="stop"))] * 2) as server:
        assert (await asked(way, client(server))).additional_kwargs["refusal"] == "I cannot."
        pieces = list(stream_think(client(server), "Why?"))
    assert [piece.text for piece in pieces] == ["I can", "not.", ""]
    assert pieces[-1].thought and pieces[-1].thought.reply == "I cannot."


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize("bound", [True, False], ids=["bound", "a field"])
async def test_of_several_choices_in_a_stream_the_first_is_the_reply(way: str, bound: bool) -> None:
    first = [part(content="It is"), part(content=" 42."), part(finish_reason="stop")]
    other = [part(1, content="Perhaps"), part(1, content=" 43"), part(1, finish_reason="length")]
    with OpenAIServer([events(*(choice for pair in zip(first, other, strict=True) for choice in pair))]) as server:
        message = await asked(way, client(server).bind(n=2) if bound else client(server, n=2))
        assert server.requests[0].body["n"] == 2
    assert (message.text, message.response_metadata["finish_reason"]) == ("It is 42.", "stop")


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize("index", [1, None])
async def test_a_choice_alone_is_the_reply_whatever_its_number(way: str, index: Any) -> None:
    with OpenAIServer([events(part(index, content="It is 42."), part(index, finish_reason="stop"))]) as server:
        assert (await asked(way, client(server))).text == "It is 42."


@pytest.mark.parametrize("way", ["stream", "astream"])
async def test_an_end_without_a_delta_still_says_why_the_reply_ended(way: str) -> None:
    ends = {**part(finish_reason="length"), "delta": None}
    with OpenAIServer([events(part(content="It is"), ends)]) as server:
        message = await asked(way, client(server))
    assert (message.text, message.response_metadata["finish_reason"]) == ("It is", "length")


@pytest.mark.parametrize("way", WAYS)
async def test_an_argument_that_does_not_fit_is_the_programs_mistake(way: str) -> None:
    with OpenAIServer([]) as server:
        with pytest.raises(TypeError, match="no_such_option"):
            await asked(way, client(server), no_such_option=1)
        assert server.requests == []


@pytest.mark.filterwarnings("ignore:The function `load` is in beta")
def test_it_says_what_it_is_and_can_be_loaded_by_that() -> None:
    with OpenAIServer([]) as server:
        model = client(server, echo_reasoning=True)
    saved = dumpd(model)
    assert saved["id"][-1] == type(model).__name__ == "ReasoningChatOpenAI"
    again: Any = load(
        saved,
        allowed_objects=[ReasoningChatOpenAI],
        secrets_map={"OPENAI_API_KEY": "none"},
        valid_namespaces=["thoughtgraph"],
    )
    assert (type(again), again.echo_reasoning, again.model_name) == (ReasoningChatOpenAI, True, "scripted")
