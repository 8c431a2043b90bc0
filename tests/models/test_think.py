"""Reasoning and reply come apart, whole or streamed, from any chat model (row T8)."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel
from thoughtgraph import (
    astream_think,
    athink,
    athink_with_retry,
    multi_section_parser,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.errors import ModelUnavailableError
from thoughtgraph.models import Backoff, DonePiece, Thought, ThoughtPiece
from thoughtgraph.traces import recording

WAYS = ["think", "athink", "stream", "astream"]
ONE_OF_EACH = ["think", "astream"]
"""Whole and streamed, for what a reply holds: how it is read does not hang on who drives the call."""
NO_WAIT = Backoff(max_attempts=1)


def settings_for(server: OpenAIServer) -> dict[str, Any]:
    """What a client of the server is made with."""
    return {
        "base_url": server.base_url,
        "api_key": SecretStr("none"),
        "model": "scripted",
        "max_retries": 0,
        "default_headers": {"Connection": "close"},  # or the client's idle connections outlive the event loop
    }


def chat(server: OpenAIServer, **options: Any) -> ChatOpenAI:
    """A plain client, as a user of a local server would make it."""
    return ChatOpenAI(**settings_for(server), **options)


async def pieces_by(way: str, model: Any, messages: Any = "Why?", **options: Any) -> list[ThoughtPiece]:
    """A thought in one of the four ways, the unstreamed ones as a single piece."""
    if way == "think":
        return [DonePiece(think(model, messages, backoff=NO_WAIT, **options))]
    if way == "athink":
        return [DonePiece(await athink(model, messages, backoff=NO_WAIT, **options))]
    if way == "stream":
        return list(stream_think(model, messages, backoff=NO_WAIT, **options))
    return [piece async for piece in astream_think(model, messages, backoff=NO_WAIT, **options)]


def whole(pieces: list[ThoughtPiece]) -> Thought:
    """What the last piece, and only the last one, carries."""
    assert [piece.kind for piece in pieces].count("done") == 1
    assert pieces[-1].thought is not None
    return pieces[-1].thought


def joined(pieces: list[ThoughtPiece], kind: str) -> str:
    """The text of the pieces of one kind."""
    return "".join(piece.text for piece in pieces if piece.kind == kind)


BINDINGS = {
    "plain": lambda model: model,
    "bind": lambda model: model.bind(stop=["###"]),
    "bound twice": lambda model: model.bind(stop=["###"]).bind(seed=1),
    "with_config": lambda model: model.with_config(tags=["mine"]),
    "with_retry": lambda model: model.with_retry(stop_after_attempt=2),
    "with_fallbacks": lambda model: model.with_fallbacks([model]),
    "bound, then wrapped": lambda model: model.bind(stop=["###"]).with_retry().with_config(tags=["mine"]),
    "wrapped, then bound": lambda model: model.with_fallbacks([model]).bind(stop=["###"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "field"), [*((name, "reasoning_content") for name in BINDINGS), ("plain", "reasoning")]
)
async def test_chat_openai_keeps_what_the_server_reasoned(way: str, name: str, field: str) -> None:
    reply = Reply("It is 42, surely.", **{field: "Six times seven is forty-two."})
    with OpenAIServer([reply]) as server:
        pieces = await pieces_by(way, BINDINGS[name](chat(server)))
        assert server.requests[0].body.get("stop") == (["###"] if "bound" in name or "bind" in name else None)
    thought = whole(pieces)
    assert (thought.reasoning, thought.reply) == ("Six times seven is forty-two.", "It is 42, surely.")
    if len(pieces) > 1:
        assert joined(pieces, "reasoning") == thought.reasoning
        assert joined(pieces, "reply") == thought.reply
        assert [piece.kind for piece in pieces] == sorted(
            (piece.kind for piece in pieces), key=["reasoning", "reply", "done"].index
        )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", BINDINGS)
async def test_the_users_model_stays_what_it_was(way: str, name: str) -> None:
    with OpenAIServer([Reply("a", reasoning_content="r")] * 2) as server:
        model = chat(server, temperature=0.5)
        wrapped = BINDINGS[name](model)
        before = (type(model), dict(model.__dict__), set(model.model_fields_set))
        around = (type(wrapped), dict(wrapped.__dict__))
        assert whole(await pieces_by(way, wrapped, echo_reasoning=True)).reasoning == "r"
        assert (type(model), dict(model.__dict__), model.model_fields_set) == before
        assert (type(wrapped), dict(wrapped.__dict__)) == around
        assert type(model) is ChatOpenAI
        assert "reasoning_content" not in model.invoke("Why?").additional_kwargs


@pytest.mark.parametrize("way", WAYS)
async def test_what_the_user_changes_on_the_model_holds_from_the_next_call_on(way: str) -> None:
    with OpenAIServer([Reply("a")] * 2) as server:
        model = chat(server, temperature=0.5)
        await pieces_by(way, model)
        model.temperature = 0.1
        await pieces_by(way, model)
        assert [request.body["temperature"] for request in server.requests] == [0.5, 0.1]


class OwnChatOpenAI(ChatOpenAI):
    """A subclass, which may read what servers send itself."""

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        result.generations[0].message.additional_kwargs["reasoning_content"] = "my own"
        return result


@pytest.mark.parametrize("way", ["think", "athink"])
async def test_a_subclass_of_the_users_own_is_called_as_it_is(way: str) -> None:
    with OpenAIServer([Reply("a", reasoning_content="r")]) as server:
        model = OwnChatOpenAI(**settings_for(server))
        assert whole(await pieces_by(way, model)).reasoning == "my own"


ANALYSIS, FINAL = (f"<|channel|>{name}<|message|>" for name in ("analysis", "final"))
TO_ADD = "<|channel|>commentary to=functions.add<|message|>"
THINK = {
    "closed": ("<think>\nSix times seven.\n</think>\n\nIt is 42.", "Six times seven.", "It is 42."),
    "thinking": ("<thinking>Six times seven.</thinking>It is 42.", "Six times seven.", "It is 42."),
    "upper case": ("<THINK>Six times seven.</THINK>It is 42.", "Six times seven.", "It is 42."),
    "behind space": ("\n\n<think>Six.</think>42", "Six.", "42"),
    "empty": ("<think>\n\n</think>\n\nIt is 42.", "", "It is 42."),
    "cut off": ("<think>\nSix times seven, so", "Six times seven, so", ""),
    "absent": ("It is 42.", "", "It is 42."),
    "braces inside": ('<think>{"a": 1}</think>{"b": 2}', '{"a": 1}', '{"b": 2}'),
    "tag in the answer": ("<think>Six.</think>Write <think>x</think> so.", "Six.", "Write <think>x</think> so."),
    "literal later": ("Use <think> and </think> as tags.", "", "Use <think> and </think> as tags."),
    "literal on its line": ("Write:\n<think>\nx\n</think>\nso.", "", "Write:\n<think>\nx\n</think>\nso."),
    "literal in a fence": ("```\nx\n</think>\n```\nThat is it.", "", "```\nx\n</think>\n```\nThat is it."),
    "another tag": ("<thinker>x</thinker> 42", "", "<thinker>x</thinker> 42"),
    "empty reply": ("", "", ""),
    "Mistral": ("[THINK]Six times seven.[/THINK]42", "Six times seven.", "42"),
    "a section's header": ("[Think]\nSix times seven.\n[Answer]\n42", "", "[Think]\nSix times seven.\n[Answer]\n42"),
    "Seed": ("<seed:think>Six times seven.</seed:think>\n42", "Six times seven.", "42"),
    "Kimi": ("◁think▷Six times seven.◁/think▷42", "Six times seven.", "42"),
    "channels": (f"{ANALYSIS}Six times seven.<|end|><|start|>assistant{FINAL}42", "Six times seven.", "42"),
    "channels, begun": (f"<|start|>assistant{ANALYSIS}Six.{FINAL}42", "Six.", "42"),
    "channels, the last alone": (f"{FINAL}42", "", "42"),
    "channels, cut off": (f"{ANALYSIS}Six times", "Six times", ""),
    "channels, with a call": (
        f"{ANALYSIS}Six.<|end|><|start|>assistant{TO_ADD}{{}}<|call|>",
        "Six.",
        f"{TO_ADD}{{}}<|call|>",
    ),
    "a channel later": (f"Write {FINAL} so.", "", f"Write {FINAL} so."),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", ONE_OF_EACH)
@pytest.mark.parametrize(("text", "reasoning", "reply"), THINK.values(), ids=THINK)
async def test_a_leading_think_block_is_reasoning(way: str, text: str, reasoning: str, reply: str) -> None:
    with OpenAIServer([Reply(text)]) as server:
        pieces = await pieces_by(way, chat(server))
    thought = whole(pieces)
    assert (thought.reasoning, thought.reply) == (reasoning, reply)
    if len(pieces) > 1:
        assert (joined(pieces, "reasoning").strip(), joined(pieces, "reply")) == (reasoning, reply)


@pytest.mark.parametrize("way", WAYS)
async def test_a_lone_closing_tag_ends_the_reasoning(way: str) -> None:
    """Some chat templates put the opening tag into the prompt. While streaming, nobody can know that yet."""
    with OpenAIServer([Reply("Six times seven.\n</think>\n\nIt is 42.")]) as server:
        thought = whole(await pieces_by(way, chat(server)))
    assert (thought.reasoning, thought.reply) == ("Six times seven.", "It is 42.")


BLOCKS: dict[str, list[Any]] = {
    "reasoning": [{"type": "reasoning", "reasoning": "Six times seven."}, {"type": "text", "text": "42"}],
    "summary": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Six times seven."}]},
        {"type": "text", "text": "42"},
    ],
    "thinking": [
        {"type": "thinking", "thinking": "Six times seven.", "signature": "s"},
        {"type": "text", "text": "42"},
    ],
    "Bedrock": [
        {"type": "reasoning_content", "reasoning_content": {"text": "Six times seven.", "signature": "s"}},
        {"type": "text", "text": "42"},
    ],
    "Responses API, in full": [
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Six times seven."}]},
        {"type": "text", "text": "42"},
    ],
    "Mistral": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Six times "}, {"type": "text", "text": "seven."}]},
        {"type": "text", "text": "42"},
    ],
    "odd": [
        {"type": "reasoning", "content": [None, 3], "summary": None, "reasoning_content": {"text": None}},
        {"type": "thinking", "thinking": "Six times seven."},
        {"type": "text", "text": "42"},
    ],
    "think tag": [{"type": "text", "text": "<think>Six times seven.</think>"}, {"type": "text", "text": "42"}],
    "strings": [{"type": "thinking", "thinking": "Six times seven."}, "4", "2"],
    "other blocks": [
        {"type": "redacted_thinking", "data": "…"},
        {"type": "thinking", "thinking": "Six times seven."},
        {"type": "text", "text": "42"},
        {"type": "tool_use", "id": "1", "name": "f", "input": {}},
    ],
}


@pytest.mark.parametrize("way", ONE_OF_EACH)
@pytest.mark.parametrize("content", BLOCKS.values(), ids=BLOCKS)
async def test_content_blocks_are_sorted(way: str, content: list[Any]) -> None:
    thought = whole(await pieces_by(way, ScriptedModel(replies=[AIMessage(content)])))
    assert (thought.reasoning, thought.reply) == ("Six times seven.", "42")


def finicky(raw_reply: str) -> Any:
    """Accepts the word yes."""
    done = raw_reply == "yes"
    return {"status": "success", "content": raw_reply} if done else {"status": "error", "feedback": "Say yes."}


@pytest.mark.parametrize("twin", ["sync", "async"])
@pytest.mark.parametrize("echo", [True, False])
@pytest.mark.parametrize(
    "refused", [Reply("no", reasoning_content="Hm."), Reply("no", reasoning="Hm."), Reply("<think>Hm.</think>no")],
    ids=["reasoning_content", "reasoning", "tag"],
)  # fmt: skip
async def test_echo_says_whether_reasoning_goes_back(twin: str, echo: bool, refused: Reply) -> None:
    with OpenAIServer([refused, Reply("yes")]) as server:
        if twin == "sync":
            think_with_retry(chat(server), "Go.", finicky, echo_reasoning=echo)
        else:
            await athink_with_retry(chat(server), "Go.", finicky, echo_reasoning=echo)
        sent = server.requests[1].body["messages"][1]
    assert sent == {"role": "assistant", "content": "no"} | ({"reasoning_content": "Hm."} if echo else {})


HISTORY: dict[str, list[Any]] = {
    "messages": [
        HumanMessage("Go."),
        AIMessage("no", additional_kwargs={"reasoning_content": "Hm."}),
        HumanMessage("Say yes."),
    ],
    "dicts": [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "no", "reasoning_content": "Hm."},
        {"role": "user", "content": "Say yes."},
    ],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("echo", [True, False])
@pytest.mark.parametrize("history", HISTORY.values(), ids=HISTORY)
async def test_reasoning_in_the_callers_history_is_sent_or_withheld(way: str, echo: bool, history: list[Any]) -> None:
    with OpenAIServer([Reply("yes")]) as server:
        await pieces_by(way, chat(server), history, echo_reasoning=echo)
        assert server.requests[0].body["messages"][1].get("reasoning_content") == ("Hm." if echo else None)
    assert "Hm." in str(history[1])


@pytest.mark.parametrize("echo", [True, False])
@pytest.mark.parametrize("content", BLOCKS.values(), ids=BLOCKS)
def test_blocks_of_reasoning_in_the_history_are_kept_as_they_are_or_left_out(content: list[Any], echo: bool) -> None:
    model = ScriptedModel(replies=["yes"])
    before = copy.deepcopy(content)
    think(model, [HumanMessage("Go."), AIMessage(content), HumanMessage("Again.")], echo_reasoning=echo)
    names = {"reasoning", "thinking", "redacted_thinking", "reasoning_content"}
    rest = [block for block in content if isinstance(block, str) or block["type"] not in names]
    assert model.requests[0][1].content == (content if echo else rest)
    assert content == before


def test_a_turn_of_reasoning_alone_is_not_sent_empty() -> None:
    model = ScriptedModel(replies=["yes"])
    history = [HumanMessage("Go."), AIMessage([{"type": "thinking", "thinking": "Hm."}]), HumanMessage("Again.")]
    think(model, history)
    assert model.requests[0][1].content == "(empty reply)"


def test_a_refused_reply_of_reasoning_alone_goes_back_with_words() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    model = ScriptedModel(replies=[AIMessage([thought, call]), "yes"])
    think_with_retry(model, "Go.", finicky, echo_reasoning=True)
    assert model.requests[1][1].content == [thought, {"type": "text", "text": "(empty reply)"}]


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"finish_reason": "stop"}, "stop"),
        ({"stopReason": "max_tokens"}, "length"),
        ({"incomplete_details": "odd"}, None),
        ({"finish_reason": "length"}, "length"),
        ({"stop_reason": "max_tokens"}, "length"),
        ({"finish_reason": "MAX_TOKENS"}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"done_reason": "length"}, "length"),
        ({"stop_reason": "end_turn"}, "end_turn"),
        ({"finish_reason": "tool_calls"}, "tool_calls"),
        ({"incomplete_details": None}, None),
        ({"prompt_feedback": {"block_reason": "SAFETY"}}, "content_filter"),
        *(({"finish_reason": said}, "content_filter") for said in ("IMAGE_SAFETY", "MODEL_ARMOR", "ERROR_TOXIC")),
        ({"finish_reason": "ERROR_LIMIT"}, "length"),
        ({"prompt_feedback": {"block_reason": None}}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("way", ["think", "stream"])
async def test_the_output_cap_has_one_name(way: str, metadata: dict[str, Any], reason: str | None) -> None:
    thought = whole(await pieces_by(way, ScriptedModel(replies=[AIMessage("x", response_metadata=metadata)])))
    assert thought.finish_reason == reason


@pytest.mark.parametrize("way", WAYS)
async def test_usage_counts_cached_tokens(way: str) -> None:
    reply = Reply("It is 42.", prompt_tokens=30, completion_tokens=4, cached_tokens=20, finish_reason="length")
    with OpenAIServer([reply]) as server:
        thought = whole(await pieces_by(way, chat(server, stream_usage=True)))
    assert thought.usage == {"input_tokens": 30, "output_tokens": 4, "total_tokens": 34, "cached_tokens": 20}
    assert thought.finish_reason == "length"


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_model_does_not_report_is_estimated_and_marked(way: str) -> None:
    untold = AIMessage("x" * 40)
    told = AIMessage("x" * 40, usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2})
    with recording() as recorder:
        thought = whole(await pieces_by(way, ScriptedModel(replies=[untold]), "Why?" * 5))
        assert not whole(await pieces_by(way, ScriptedModel(replies=[told]), "Why?" * 5)).estimated
    assert thought.estimated
    assert thought.usage == {"input_tokens": 5, "output_tokens": 10, "total_tokens": 15, "cached_tokens": 0}
    assert [event["data"].get("estimated") for event in recorder.events] == [True, None]


@pytest.mark.parametrize("way", WAYS)
async def test_options_reach_the_model(way: str) -> None:
    with OpenAIServer([Reply("x")]) as server:
        await pieces_by(way, chat(server, temperature=0.9), temperature=0.2, seed=7)
        assert [server.requests[0].body[name] for name in ("temperature", "seed")] == [0.2, 7]


@pytest.mark.parametrize("way", WAYS)
async def test_no_message_at_all_is_refused(way: str) -> None:
    with pytest.raises(ValueError, match="messages is empty"):
        await pieces_by(way, ScriptedModel(replies=[]), [])


@pytest.mark.parametrize("way", WAYS)
async def test_one_message_is_a_prompt(way: str) -> None:
    model = ScriptedModel(replies=["x"])
    await pieces_by(way, model, HumanMessage("Why?"))
    assert [message.content for message in model.requests[0]] == ["Why?"]


class Chunked(ScriptedModel):
    """Streams one text in given chunks."""

    chunks: list[str]

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield from (ChatGenerationChunk(message=AIMessageChunk(chunk)) for chunk in self.chunks)

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self.chunks:
            yield ChatGenerationChunk(message=AIMessageChunk(chunk))


FRAGMENTS = ["<think>", "</think>", "<thinking>", "</thinking>", "<th", "<", ">", "\n", " ", "six", "42 is it", "</"]
# JSON writes a character in two halves, between which a chunk may end.
FRAGMENTS += [f"<|end|><|start|>assistant{FINAL}", FINAL, "<|end|>", "[/THINK]"]
FRAGMENTS += ["\ud83d\ude00", "\ud83d", "\ude00"]


@st.composite
def chunkings(draw: st.DrawFn) -> list[str]:
    """A text that mostly begins with a think block, cut anywhere."""
    prefix = draw(st.sampled_from(["<think>", "<thinking>", "\n<THINK>", ANALYSIS, FINAL, ""]))
    text = prefix + "".join(draw(st.lists(st.sampled_from(FRAGMENTS), max_size=12)))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=len(text))))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@settings(max_examples=200, deadline=None)
@given(chunks=chunkings(), streamed_by=st.sampled_from(["stream", "astream"]))
def test_however_a_stream_is_cut_its_pieces_join_to_the_same_thought(chunks: list[str], streamed_by: str) -> None:
    text = "".join(chunks)
    assume(text)  # a stream in which nothing is said is none
    expected = think(ScriptedModel(replies=[AIMessage(text)]), "Why?")
    pieces = asyncio.run(pieces_by(streamed_by, Chunked(replies=[], chunks=chunks)))
    assert whole(pieces) == expected
    assert all(piece.text.encode() for piece in pieces[:-1]), "a piece that cannot be printed"
    if text.lstrip().lower().startswith(("<think>", "<thinking>", ANALYSIS, FINAL)) or "</think" not in text:
        assert joined(pieces, "reasoning").strip() == expected.reasoning
        assert joined(pieces, "reply") == expected.reply


def test_what_may_be_the_header_of_a_section_is_reasoning_only_if_it_is_closed() -> None:
    model = ScriptedModel(replies=["[THINK]\nSix.\n\n[ANSWER]\n42"])
    sections = think_with_retry(model, "Why?", multi_section_parser, section_headers=["[THINK]", "[ANSWER]"])
    assert sections == {"[THINK]": "Six.", "[ANSWER]": "42"}


def test_reasoning_in_a_field_and_in_other_blocks_is_all_of_it() -> None:
    blocks: list[Any] = [{"type": "reasoning", "reasoning": "Then seven."}, {"type": "text", "text": "42"}]
    reply = AIMessage(blocks, additional_kwargs={"reasoning_content": "Six. "})
    assert think(ScriptedModel(replies=[reply]), "Why?").reasoning == "Six. Then seven."


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_pieces_come_while_the_model_still_writes(way: str) -> None:
    """Of a long block of reasoning, all but what may be the closing tag is shown at once."""
    chunks = ["<think>", *(["a word "] * 20), "</think>", *(["an answer "] * 20)]
    pieces = asyncio.run(pieces_by(way, Chunked(replies=[], chunks=chunks)))
    assert [len([piece for piece in pieces if piece.kind == kind]) >= 15 for kind in ("reasoning", "reply")] == [
        True
    ] * 2


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize(
    ("reply", "partial"),
    [(Reply("half an answer", cut_after=2), "half an "), (Reply("<think>x</think>an answer", cut_after=5), "an a")],
    ids=["reply", "behind a think block"],
)
async def test_a_stream_that_is_cut_carries_what_had_come(way: str, reply: Reply, partial: str) -> None:
    with OpenAIServer([reply]) as server:
        with pytest.raises(ModelUnavailableError) as caught:
            await pieces_by(way, chat(server))
        assert len(server.requests) == 1
    assert caught.value.partial == partial


@pytest.mark.parametrize("form", ["sync", "async"])
def test_a_chain_that_ends_in_an_output_parser_is_streamed_as_well(form: str) -> None:
    chain = ScriptedModel(replies=["hello there"]) | StrOutputParser()

    async def gathered() -> list[ThoughtPiece]:
        return [piece async for piece in astream_think(chain, "hi")]

    pieces = list(stream_think(chain, "hi")) if form == "sync" else asyncio.run(gathered())
    assert "".join(piece.text for piece in pieces if piece.kind == "reply") == "hello there"
    assert pieces[-1].thought is not None
    assert pieces[-1].thought.reply == "hello there"


@pytest.mark.parametrize(
    ("model", "messages", "words"),
    [
        (None, "Why?", "model has to be a LangChain chat model"),
        (ScriptedModel, "Why?", "model has to be a LangChain chat model, .*, got the class ScriptedModel"),
        (lambda messages: "yes", "Why?", "got function; RunnableLambda makes one of a function"),
        ("openai:gpt-4.1", "Why?", r"open it first, with open_model\('openai:gpt-4.1'\)"),
        (ScriptedModel(replies=["a"]), None, "messages has to be a prompt"),
        (ScriptedModel(replies=["a"]), 3, "messages has to be a prompt"),
        (ScriptedModel(replies=["a"]), [3], "messages has to be a prompt, .*: Unsupported message type"),
        (ScriptedModel(replies=["a"]), b"Why?", "messages has to be a prompt, .*: Unsupported message type"),
        (ScriptedModel(replies=["a"]), {"role": "user", "content": "Why?"}, "messages has to be a prompt"),
        (ScriptedModel(replies=["a"]), [], "messages is empty"),
        ("Why?", ScriptedModel(replies=["a"]), "messages has to be a prompt, .*, got ScriptedModel"),
    ],
)
@pytest.mark.parametrize("way", ONE_OF_EACH)
async def test_what_is_no_model_or_message_is_refused(way: str, model: Any, messages: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        await pieces_by(way, model, messages)


async def test_what_is_no_backoff_is_refused() -> None:
    model, wrong = ScriptedModel(replies=["a"]), cast(Any, 3)
    with pytest.raises(ValueError, match="backoff has to be a Backoff"):
        think(model, "Why?", backoff=wrong)
    with pytest.raises(ValueError, match="backoff has to be a Backoff"):
        await athink(model, "Why?", backoff=wrong)
    with pytest.raises(ValueError, match="backoff has to be a Backoff"):
        list(stream_think(model, "Why?", backoff=wrong))
    with pytest.raises(ValueError, match="backoff has to be a Backoff"):
        [piece async for piece in astream_think(model, "Why?", backoff=wrong)]


async def test_a_prompt_of_a_template_is_sent_as_its_messages() -> None:
    prompt = ChatPromptTemplate.from_messages([("system", "Be brief."), ("user", "{question}")])
    for way in WAYS:
        model = ScriptedModel(replies=["Because."])
        await pieces_by(way, model, prompt.invoke({"question": "Why?"}))
        assert [message.content for message in model.requests[0]] == ["Be brief.", "Why?"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reply", [{"raw": "yes"}, None, ["yes"]], ids=str)
async def test_a_reply_that_is_no_text_is_told_in_words_however_it_is_asked_for(way: str, reply: Any) -> None:
    chain: Any = RunnableLambda(lambda messages: reply)
    with pytest.raises(TypeError, match=f"a message or a text, and this one returned {type(reply).__name__}"):
        await pieces_by(way, chain)
