"""The scripted model that users test their loops with."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage
from thoughtgraph import create_reflection_graph, think
from thoughtgraph.errors import ScriptExhaustedError
from thoughtgraph.models import Backoff, ScriptedModel


def test_replies_come_in_order_with_their_usage_and_the_requests_are_kept() -> None:
    model = ScriptedModel(replies=["one", AIMessage("two", usage_metadata=None)])
    first, second = think(model, "First?"), think(model, "Second?")
    assert (first.reply, second.reply) == ("one", "two")
    assert (first.usage["output_tokens"], second.usage["output_tokens"]) == (5, 0)
    assert [request[-1].content for request in model.requests] == ["First?", "Second?"]


def test_a_scripted_error_is_raised_and_retried_like_a_real_one() -> None:
    model = ScriptedModel(replies=[ConnectionError("reset"), "there"])
    assert think(model, "Anyone?", backoff=Backoff(initial_interval=0.0)).reply == "there"


def test_a_call_too_many_ends_the_test_and_says_which_it_was() -> None:
    graph = create_reflection_graph(actor=ScriptedModel(replies=[]))
    with pytest.raises(ScriptExhaustedError, match="call 1 of 0 scripted") as caught:
        graph.invoke({"task": "Say hello."})
    assert isinstance(caught.value, AssertionError)
    assert caught.value.scripted == 0
