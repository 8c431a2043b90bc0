"""What is not the model's answer is not verified as one: a notice of another middleware, and feedback of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelCallLimitMiddleware, ToolCallLimitMiddleware, hook_config
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from support.agent_model import AgentModel, echo_tool, echoes, invoke
from thoughtgraph import ContextGraph, Verdict
from thoughtgraph.graphs.middleware import BudgetMiddleware, VerifyMiddleware

ASK: Any = {"messages": [HumanMessage("Say it.")]}
BOTH = ["sync", "async"]


def is_short(task: str, answer: str) -> Verdict:
    """Passes what a notice is, too."""
    return Verdict("passed") if len(answer.split()) <= 40 else Verdict("failed", "It is too long.")


def quotes_a_result(task: str, answer: str) -> Verdict:
    """Passes what names a tool's result."""
    return Verdict("passed") if "echo" in answer else Verdict("failed", "Name the result.")


def fails(task: str, answer: str) -> Verdict:
    """Passes nothing."""
    return Verdict("failed", "no", 0.1)


def ended(how: str, replies: list[Any], limit: Any, verifier: Callable[[str, str], Verdict], first: bool) -> Any:
    """The result of an agent that a limit ends, and its model."""
    model = AgentModel(replies=replies)
    middleware = [limit, VerifyMiddleware(verifier)]
    agent = create_agent(model, [echo_tool()], middleware=middleware if first else middleware[::-1])
    return invoke(how, agent, ASK), model


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize("first", [True, False], ids=["limit-first", "verifier-first"])
@pytest.mark.parametrize("verifier", [is_short, fails], ids=["passes", "fails"])
@pytest.mark.parametrize("limit", ["model", "tools"])
def test_a_notice_in_place_of_an_answer_is_none_and_ends_the_run(
    how: str, first: bool, verifier: Callable[[str, str], Verdict], limit: str
) -> None:
    limits: dict[str, Any] = {
        "model": ModelCallLimitMiddleware(run_limit=1, exit_behavior="end"),
        "tools": ToolCallLimitMiddleware(run_limit=1, exit_behavior="end"),
    }
    replies = echoes("a") if limit == "model" else echoes("ab")
    result, model = ended(how, replies, limits[limit], verifier, first)
    assert (result["verdict"], result["stop_reason"]["kind"]) == ("failed", "cut_short")
    assert [attempt["answer"] for attempt in result["attempts"]] == [None]
    assert len(model.requests) == len(replies), "the run went on after its limit"
    assert "limit" in str(ContextGraph.from_run(result).why_stopped())


@pytest.mark.parametrize("how", BOTH)
def test_a_notice_after_a_failed_answer_leaves_that_as_the_best(how: str) -> None:
    result, _ = ended(how, ["no"], ModelCallLimitMiddleware(run_limit=1), fails, True)
    assert [attempt["answer"] for attempt in result["attempts"]] == ["no", None]
    assert "limit" in result["attempts"][-1]["reply"]
    assert (result["verdict"], result["messages"][-1].text) == ("failed", "no")


class Translating(AgentMiddleware[Any, Any]):
    """Adds the answer in another language."""

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Add it after the model's own."""
        return None if state["messages"][-1].tool_calls else {"messages": [AIMessage("ja")]}


@pytest.mark.parametrize("first", [True, False])
def test_an_answer_that_another_middleware_rewrites_is_verified(first: bool) -> None:
    result, _ = ended("sync", [*echoes("a"), "yes"], Translating(), is_short, first)
    assert (result["verdict"], result["attempts"][0]["answer"]) == ("passed", "ja")


class Replacing(AgentMiddleware[Any, Any]):
    """Puts another message in the place of the answer."""

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Remove the model's own."""
        last = state["messages"][-1]
        return None if last.tool_calls else {"messages": [RemoveMessage(last.id), AIMessage("ja")]}


@pytest.mark.parametrize("first", [True, False])
def test_an_answer_in_the_place_of_the_models_is_verified(first: bool) -> None:
    result, _ = ended("sync", [*echoes("a"), "yes"], Replacing(), is_short, first)
    assert (result["verdict"], result["attempts"][0]["answer"]) == ("passed", "ja")


class Ending(AgentMiddleware[Any, Any]):
    """Ends the run with the model's answer, before any other middleware sees it."""

    @hook_config(can_jump_to=["end"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """End it where no tool is called."""
        return None if state["messages"][-1].tool_calls else {"jump_to": "end"}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("replies", [["yes"], [*echoes("a"), "yes"]], ids=["at-once", "after-a-tool"])
def test_an_answer_with_which_another_middleware_ends_the_run_is_verified(replies: list[Any], first: bool) -> None:
    result, _ = ended("sync", replies, Ending(), is_short, first)
    assert (result["verdict"], result["attempts"][0]["answer"]) == ("passed", "yes")


class SameId(FakeMessagesListChatModel):
    """Gives all its replies one id."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """It calls none."""
        return self


def test_feedback_is_never_judged_where_all_replies_have_one_id() -> None:
    def says_ok(task: str, answer: str) -> Verdict:
        return Verdict("passed") if "ok" in answer else Verdict("failed", "say ok")

    usage: Any = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    replies = [AIMessage(words, id="chatcmpl-0", usage_metadata=usage) for words in ("no", "no way", "ok")]
    agent: Any = create_agent(SameId(responses=replies), [], middleware=[VerifyMiddleware(says_ok)])
    result = agent.invoke(ASK)
    assert [attempt["answer"] for attempt in result["attempts"]] == ["no", "no way", "ok"]
    assert [attempt["usage"]["total_tokens"] for attempt in result["attempts"]] == [2, 2, 2]
    assert result["verdict"] == "passed"


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize("first", [True, False], ids=["limit-first", "verifier-first"])
def test_what_a_guard_of_ours_reports_is_no_answer(how: str, first: bool) -> None:
    result, model = ended(how, echoes("abc"), BudgetMiddleware(run_limit=2), quotes_a_result, first)
    assert (result["verdict"], [attempt["answer"] for attempt in result["attempts"]]) == ("failed", [None])
    assert result["stop_reason"]["kind"] == "max_iterations"
    assert len(model.requests) == 3, "two steps, and the one for the last answer"
