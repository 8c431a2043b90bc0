"""The scripted model that users test their loops with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool as as_tool
from pydantic import BaseModel
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph, stream_think, think
from thoughtgraph.errors import ScriptExhaustedError
from thoughtgraph.models import Backoff, ScriptedModel


def test_replies_come_in_order_with_their_usage_and_the_requests_are_kept() -> None:
    model = ScriptedModel(replies=["one", AIMessage("two", usage_metadata=None)])
    first, second = think(model, "First?"), think(model, "Second?")
    assert (first.reply, second.reply) == ("one", "two")
    assert (first.usage["output_tokens"], second.estimated) == (5, True)
    assert [request[-1].content for request in model.requests] == ["First?", "Second?"]


def test_a_scripted_error_is_raised_and_retried_like_a_real_one() -> None:
    model = ScriptedModel(replies=[ConnectionError("reset"), "there"])
    assert think(model, "Anyone?", backoff=Backoff(initial_interval=0.0)).reply == "there"


class Answer(BaseModel):
    """The answer."""

    number: int


def test_an_agent_gives_it_tools_and_makes_the_calls_of_the_script() -> None:
    agents = pytest.importorskip("langchain.agents")

    def double(x: int) -> int:
        """Double a number."""
        return 2 * x

    call = AIMessage("", tool_calls=[{"name": "double", "args": {"x": 2}, "id": "1"}])
    model = ScriptedModel(replies=[call, "It is 4."])
    agent = agents.create_agent(model, [as_tool(double)])
    said = agent.invoke({"messages": [("user", "Double 2.")]})["messages"]
    assert [message.content for message in said] == ["Double 2.", "", "4", "It is 4."]
    assert [options["tools"] for options in model.options] == [["double"], ["double"]]


def test_every_form_of_a_tool_has_its_name() -> None:
    model = ScriptedModel(replies=["x"])
    model.bind_tools([Answer, {"name": "mine", "description": "", "parameters": {}}, {"type": "web_search"}]).invoke(
        "?"
    )
    assert model.options[0]["tools"] == ["Answer", "mine", "web_search"]


def test_a_scripted_call_is_a_structured_output() -> None:
    call = AIMessage("", tool_calls=[{"name": "Answer", "args": {"number": 4}, "id": "1"}])
    assert ScriptedModel(replies=[call]).with_structured_output(Answer).invoke("2 + 2?") == Answer(number=4)


def test_a_call_too_many_ends_the_test_and_says_which_it_was() -> None:
    graph = create_reflection_graph(actor=ScriptedModel(replies=[]))
    with pytest.raises(ScriptExhaustedError, match="call 1 of 0 scripted") as caught:
        graph.invoke({"task": "Say hello."})
    assert isinstance(caught.value, AssertionError)
    assert caught.value.scripted == 0


async def astream(graph: Any, given: Any) -> list[Any]:
    """All messages of a run."""
    return [chunk async for chunk in graph.astream(given, stream_mode="messages")]


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "invoke": lambda graph, given: graph.invoke(given),
    "ainvoke": lambda graph, given: asyncio.run(graph.ainvoke(given)),
    "stream": lambda graph, given: list(graph.stream(given, stream_mode="messages")),
    "astream": lambda graph, given: asyncio.run(astream(graph, given)),
}


@pytest.mark.parametrize("replies", [[], ["a"]], ids=len)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_fake_model_of_langchain_that_has_no_reply_left_says_so(call: Any, replies: list[str]) -> None:
    def fake() -> Any:
        return GenericFakeChatModel(messages=iter(replies))

    loop = create_reflection_graph(actor=fake(), verifier=lambda task, answer: Verdict("failed"))
    for graph, given in (
        (loop, {"task": "Hello"}),
        (create_plan_act_graph(fake(), [], interactive=False), {"goal": "Hello"}),
    ):
        with pytest.raises(ScriptExhaustedError, match=r"GenericFakeChatModel .* no reply left.* each call") as raised:
            call(graph, given)
        assert raised.value.scripted is None


def test_so_it_does_outside_of_a_loop() -> None:
    with pytest.raises(ScriptExhaustedError, match="no reply left"):
        think(GenericFakeChatModel(messages=iter([])), "Hello")
    with pytest.raises(ScriptExhaustedError, match="no reply left"):
        list(stream_think(GenericFakeChatModel(messages=iter([])), "Hello"))
    assert think(GenericFakeChatModel(messages=iter(["Hi."])), "Hello").reply == "Hi."
