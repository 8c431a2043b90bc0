"""A tool call that a model wrote as text is a call; every other reply stays as it was written."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.tools import tool
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from thoughtgraph.models import ReasoningChatOpenAI
from thoughtgraph.models.streams.written_calls import written_calls

pytestmark = pytest.mark.slow

CALL = '{"name": "add", "arguments": {"x": 1, "y": 2}}'
WRITTEN = [
    CALL,
    f"  {CALL}\n",
    f"```json\n{CALL}\n```",
    f"<tool_call>\n{CALL}\n</tool_call>",
    f"<tool_call>{CALL}",
    f"[{CALL}]",
    '{"name": "add", "parameters": {"x": 1, "y": 2}}',
    '{"name": "add", "arguments": "{\\"x\\": 1, \\"y\\": 2}", "id": "7", "type": "function"}',
]
ARGUMENTS = '{"x": 1, "y": 2}'
WRITTEN += [
    f"<|python_tag|>{CALL}<|eom_id|>",
    f"<function=add>{ARGUMENTS}</function>",
    f"[TOOL_CALLS] [{CALL}]",
    f"[TOOL_CALLS]add{ARGUMENTS}",
    f"[TOOL_CALLS]add[ARGS]{ARGUMENTS}",
    f"<|tool_call|>[{CALL}]<|/tool_call|>",
    f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜>",
    f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{ARGUMENTS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    f"<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{ARGUMENTS}"
    "<|tool_call_end|><|tool_calls_section_end|>",
    f"<|channel|>commentary to=functions.add <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
    "<tool_call>\n<function=add>\n<parameter=x>\n1\n</parameter>\n<parameter=y>\n2\n</parameter>\n</function>\n</tool_call>",
    "<tool_call>add\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n<arg_key>y</arg_key>\n<arg_value>2</arg_value>\n"
    "</tool_call>",
]
PROSE = [
    "",
    "The sum is 3.",
    f"I call {CALL}",
    f"{CALL} That is the call.",
    '{"name": "subtract", "arguments": {"x": 1}}',
    '{"name": "add"}',
    '{"name": "add", "arguments": [1, 2]}',
    '{"name": "add", "arguments": "x=1"}',
    '{"name": "add", "arguments": {"x": 1}, "status": "done"}',
    '{"sum": 3}',
    "[1, 2]",
    f"{CALL} 3",
    f"{CALL[:-1]}",
    f"<function=subtract>{ARGUMENTS}</function>",
    f"[TOOL_CALLS]add{ARGUMENTS} is a call.",
    "<|python_tag|>print(1)",
    "<function=add>",
    "[TOOL_CALLS]",
]


@tool
def add(x: int, y: int) -> int:
    """Add two numbers."""
    return x + y


def client(server: OpenAIServer) -> ReasoningChatOpenAI:
    return ReasoningChatOpenAI(
        base_url=server.base_url,
        api_key=SecretStr("none"),
        model="scripted",
        max_retries=0,
        default_headers={"Connection": "close"},  # or the client's idle connections outlive the event loop
    )


def reply_of(way: str, model: Any) -> AIMessage:
    """A reply by one of LangChain's four ways."""
    if way == "invoke":
        return model.invoke("Add 1 and 2.")
    if way == "ainvoke":
        return asyncio.run(model.ainvoke("Add 1 and 2."))

    async def pieces() -> list[Any]:
        return [chunk async for chunk in model.astream("Add 1 and 2.")]

    joined = AIMessageChunk(content="")
    for chunk in list(model.stream("Add 1 and 2.")) if way == "stream" else asyncio.run(pieces()):
        joined += chunk
    return joined


every_way = pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream"])
# How a text is read does not hang on who drives the call.
whole_and_streamed = pytest.mark.parametrize("way", ["invoke", "astream"])


@whole_and_streamed
@pytest.mark.parametrize("written", WRITTEN)
def test_a_written_call_is_a_call(way: str, written: str) -> None:
    with OpenAIServer([Reply(written)]) as server:
        message = reply_of(way, client(server).bind_tools([add]))
    [call] = message.tool_calls
    assert (message.content, call["name"], call["args"]) == ("", "add", {"x": 1, "y": 2})
    assert call["id"] and message.response_metadata["finish_reason"] == "stop"


@whole_and_streamed
@pytest.mark.parametrize("written", PROSE)
def test_anything_else_is_the_answer(way: str, written: str) -> None:
    with OpenAIServer([Reply(written)]) as server:
        message = reply_of(way, client(server).bind_tools([add]))
    assert (message.content, message.tool_calls) == (written, [])


@every_way
@pytest.mark.parametrize("options", [{}, {"tool_choice": "none"}], ids=["no-tools", "no-choice"])
def test_without_a_tool_to_call_json_is_the_answer(way: str, options: dict[str, Any]) -> None:
    with OpenAIServer([Reply(CALL)]) as server:
        model = client(server)
        message = reply_of(way, model.bind_tools([add], **options) if options else model)
    assert (message.content, message.tool_calls) == (CALL, [])


def test_several_calls_are_all_made() -> None:
    calls = written_calls(f"<tool_call>{CALL}</tool_call>\n<tool_call>{CALL}</tool_call>", ["add"])
    assert [call["args"] for call in calls] == [{"x": 1, "y": 2}] * 2
    assert len({call["id"] for call in calls}) == 2


def test_an_answer_is_streamed_from_its_first_words() -> None:
    with OpenAIServer([Reply("The sum of the two numbers is three.")]) as server:
        first = next(chunk for chunk in client(server).bind_tools([add]).stream("Add 1 and 2.") if chunk.content)
    assert first.content != "The sum of the two numbers is three."


def test_an_agent_calls_the_tool_and_goes_on() -> None:
    with OpenAIServer([Reply(CALL), Reply("It is 3.")]) as server:
        agent = create_agent(client(server), [add])
        result = agent.invoke({"messages": [("user", "Add 1 and 2.")]})
    assert [message.type for message in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert result["messages"][2].content == "3"


@given(st.text(alphabet='{}[]":,` adnmegrut\\1<>/_call', max_size=80))
def test_any_text_is_read_and_only_whole_calls_count(text: str) -> None:
    for call in written_calls(text, ["add", "a"]):
        assert call["name"] in ("add", "a") and json.dumps(call["args"])


def test_hostile_nesting_is_no_call() -> None:
    assert written_calls('{"name": "add", "arguments": ' + '{"x": ' * 5_000, ["add"]) == []
    assert written_calls("[" * 200_000, ["add"]) == []
