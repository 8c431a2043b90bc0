"""Chat templates that refuse a system message, or turns that do not alternate: they are asked in the form they take."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.plan_act import GOAL, act, done, echo_tool, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import astream_think, athink, create_plan_act_graph, create_reflection_graph, stream_think, think

pytestmark = pytest.mark.slow

ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."
# What servers say, with their status.
SAID = [
    (400, ALTERNATE),
    (500, f"Error rendering prompt with jinja template: {ALTERNATE}"),
    (400, "System role not supported"),
    (422, "Template error: Only user and assistant roles are supported!"),
    (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
    (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
]


class Strict:
    """A server that takes turns of the user and of the model alone, and refuses any others with these words."""

    def __init__(self, status: int, said: str, replies: list[str]) -> None:
        self._refusal = Reply(said, status=status)
        self._replies = iter(replies)
        self.taken: list[list[str]] = []

    def __call__(self, body: dict[str, Any], index: int) -> Reply:
        """Answer a request."""
        roles = [message["role"] for message in body["messages"]]
        if roles != (["user", "assistant"] * len(roles))[: len(roles)]:
            return self._refusal
        self.taken.append([message["content"] for message in body["messages"]])
        return Reply(next(self._replies))


def client(server: OpenAIServer) -> ChatOpenAI:
    """A client that does not try again."""
    return ChatOpenAI(base_url=server.base_url, api_key=SecretStr("none"), model="m", max_retries=0)


REQUEST = [
    SystemMessage("Be brief."),
    HumanMessage("Hi."),
    AIMessage("Hi!"),
    HumanMessage("Why?"),
    SystemMessage("Say."),
]


@pytest.mark.parametrize("way", ["think", "athink", "stream_think", "astream_think"])
@pytest.mark.parametrize(("status", "said"), SAID)
async def test_a_refused_request_is_put_in_turns(status: int, said: str, way: str) -> None:
    strict = Strict(status, said, ["Because."])
    with OpenAIServer(strict) as server:
        model = client(server)
        if way == "think":
            thought = think(model, REQUEST)
        elif way == "athink":
            thought = await athink(model, REQUEST)
        elif way == "stream_think":
            *_, last = stream_think(model, REQUEST)
            thought = last.thought
        else:
            *_, last = [piece async for piece in astream_think(model, REQUEST)]
            thought = last.thought
        assert thought is not None and thought.reply == "Because."
    assert strict.taken == [["Be brief.\n\nHi.", "Hi!", "Why?\n\nSay."]]
    assert [message.type for message in REQUEST] == ["system", "human", "ai", "human", "system"]


def test_what_a_template_takes_is_sent_as_it_is() -> None:
    with OpenAIServer(lambda body, index: Reply("Because.")) as server:
        think(client(server), REQUEST)
        assert [message["role"] for message in server.requests[0].body["messages"]] == [
            "system",
            "user",
            "assistant",
            "user",
            "system",
        ]


@pytest.mark.parametrize("request_", ["Hi.", REQUEST], ids=["in turns", "not in turns"])
def test_a_server_that_refuses_any_turns_is_heard(request_: Any) -> None:
    with OpenAIServer(lambda body, index: Reply(ALTERNATE, status=400)) as server:
        with pytest.raises(Exception, match="must alternate") as caught:
            think(client(server), request_)
        assert getattr(caught.value, "status_code", None) == 400
        assert len(server.requests) == (1 if request_ == "Hi." else 2)


def test_loops_run_on_such_a_model() -> None:
    strict = Strict(400, ALTERNATE, [planned("a"), act("echo", "x"), done("It is x."), replanned(response="It is x.")])
    with OpenAIServer(strict) as server:
        graph = create_plan_act_graph(client(server), [echo_tool()], interactive=False, guidance_role="system")
        result = graph.invoke(GOAL)
    assert (result["response"], result["stop_reason"]["kind"]) == ("It is x.", "goal_met")
    with OpenAIServer(Strict(400, ALTERNATE, ["fine"])) as server:
        assert create_reflection_graph(actor=client(server), system_prompt="Be brief.").invoke({"task": "t"})["answer"]


def test_a_class_of_ones_own_may_refuse_them_before_anything_is_sent() -> None:
    refusal = ValueError("Received multiple non-consecutive system messages.")
    model = ScriptedModel(replies=[refusal, "Because."])
    assert think(model, REQUEST).reply == "Because."
    assert [message.type for message in model.requests[1]] == ["human", "ai", "human"]
