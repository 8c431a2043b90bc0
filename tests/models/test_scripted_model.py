"""The scripted model that users test their loops with."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool as as_tool
from pydantic import BaseModel
from thoughtgraph import create_reflection_graph, think
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
