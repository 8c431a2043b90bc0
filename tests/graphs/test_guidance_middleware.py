"""An agent is told after every round what its results look like, what to do about them, and how far its run is."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from support.agent_model import AgentModel, calls, echo_tool, echoes, invoke, play
from support.modes import RIGHT, Judge, wrong
from support.texts import text
from thoughtgraph.graphs.middleware import BudgetMiddleware, GuidanceMiddleware, VerifyMiddleware

TASK = "Get it done"
"""What `play` asks for."""


@pytest.fixture(params=["sync", "async"])
def how(request: pytest.FixtureRequest) -> str:
    """Invoke an agent by either twin."""
    return request.param


@pytest.mark.parametrize("wrong", [[5], 5, ["weather"]])
def test_what_is_no_handler_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="task handler"):
        GuidanceMiddleware(wrong)


def returning(result: str, *, fails: bool = False) -> Any:
    """A tool named `look` that returns the same, or fails with it."""

    @tool
    def look(at: str) -> str:
        """Look."""
        if fails:
            raise ToolException(result)
        return result

    look.handle_tool_error = True
    return look


LOOK = ("look", {"at": "it"})


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("result", "fails", "key", "fields"),
    [
        ("Found 3 rows.", False, "guidance.continue", {"progress": "30%"}),
        ("Nothing here", False, "guidance.continue", {"progress": "0%"}),
        ("", False, "guidance.continue", {"progress": "0%"}),
        ("All done.", False, "guidance.complete", {}),
        ("Error: no such table", False, "guidance.errors", {}),
        ("odd", True, "guidance.errors", {}),
        ("已完成", False, "guidance.complete", {}),
    ],
)
def test_the_text_fits_the_result(how: str, language: Any, result: str, fails: bool, key: str, fields: Any) -> None:
    guide = GuidanceMiddleware(language=language)
    played = play(how, [calls(LOOK), "Fine."], [guide], [returning(result, fails=fails)])
    last = played.model.requests[1][-1]
    assert isinstance(last, ToolMessage)
    assert last.text.endswith(text(language, key, task=TASK, **fields))
    assert played.results[0].text == result
    assert played.model.requests[0][-1].text == TASK


def test_all_results_of_a_round_count(how: str) -> None:
    pair = calls(("echo", {"text": "done"}), ("echo", {"text": "error"}))
    played = play(how, [pair, "Fine."], [GuidanceMiddleware()])
    assert text("en", "guidance.errors", task=TASK) in played.model.requests[1][-1].text


def test_past_the_third_round_the_model_is_told_how_far_it_is_and_from_the_sixth_to_finish(how: str) -> None:
    played = play(how, [*echoes("abcdefg"), "Fine."], [GuidanceMiddleware(run_limit=10)])
    told = [request[-1].text for request in played.model.requests[1:]]
    progress = [{"depth": n, "max_depth": 10, "progress": f"{n}0%", "remaining": 10 - n} for n in range(1, 8)]
    hints = [text("en", "guidance.depth", **fields) for fields in progress]
    assert [hint in words for hint, words in zip(hints, told, strict=True)] == [False] * 3 + [True] * 4
    finish = text("en", "guidance.complete", task=TASK)
    assert [finish in words for words in told] == [False] * 5 + [True] * 2
    assert played.result["stop_reason"] is None


class OfDoing:
    """Knows what to do about getting things done."""

    def __init__(self, knows: str) -> None:
        self._knows = knows

    def can_handle(self, task: str) -> bool:
        return self._knows in task

    def generate_guidance(self, original_task: str, result_analysis: Any, recursion_depth: int) -> str:
        return f"{self._knows}: {original_task} {result_analysis['has_data']} {recursion_depth}"


def test_the_first_handler_that_knows_the_task_speaks(how: str) -> None:
    guide = GuidanceMiddleware([OfDoing("cook"), OfDoing("done"), OfDoing("Get")])
    played = play(how, [calls(LOOK), calls(LOOK), "Fine."], [guide], [returning("Found it.")])
    assert [request[-1].text.splitlines()[-1] for request in played.model.requests[1:]] == [
        f"done: {TASK} True 1",
        f"done: {TASK} True 2",
    ]


@pytest.mark.parametrize("first", [True, False])
def test_it_works_beside_a_budget_whose_warning_is_no_result(how: str, first: bool) -> None:
    # The warning holds the Chinese word for completion.
    both = [GuidanceMiddleware(run_limit=3, language="zh"), BudgetMiddleware(run_limit=3, warn_at=0.3, language="zh")]
    played = play(how, [calls(LOOK), calls(LOOK), "Fine."], both if first else both[::-1], [returning("Nothing yet")])
    told = played.model.requests[1][-1].text
    assert text("zh", "guidance.continue", task=TASK, progress="0%") in told
    assert text("zh", "warn.steps", remaining=2) in told


def test_a_verified_agent_keeps_its_count(how: str) -> None:
    replies = [*echoes("ab"), wrong(0.1), *echoes("cd"), RIGHT]
    played = play(how, replies, [GuidanceMiddleware(run_limit=10), VerifyMiddleware(Judge())])
    assert "Depth: 4/10" in played.model.requests[-2][-1].text
    assert "Depth: 5/10" in played.model.requests[-1][-1].text
    assert f"task: {TASK}" in played.model.requests[-1][-1].text
    assert played.result["verdict"] == "passed"


def test_a_pause_resets_no_count(how: str) -> None:
    @tool
    def ask(question: str) -> str:
        """Ask."""
        return interrupt(question)

    model = AgentModel(replies=[*echoes("abc"), calls(("ask", {"question": "?"})), "Fine."])
    agent = create_agent(model, [echo_tool(), ask], middleware=[GuidanceMiddleware()], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    invoke(how, agent, {"messages": [HumanMessage(TASK)]}, thread)
    invoke(how, agent, Command(resume="yes"), thread)
    assert "Depth: 4/20" in model.requests[-1][-1].text


def test_a_long_task_is_not_repeated_whole(how: str) -> None:
    model = AgentModel(replies=[calls(LOOK), "Fine."])
    agent = create_agent(model, [returning("x")], middleware=[GuidanceMiddleware()])
    invoke(how, agent, {"messages": [HumanMessage("word " * 1_000)]})
    assert len(model.requests[1][-1].text) < 1_000


@pytest.mark.parametrize("wrong_arguments", [{"run_limit": 0}, {"language": "fr"}])
def test_arguments_that_cannot_work_are_refused(wrong_arguments: Any) -> None:
    with pytest.raises(ValueError):
        GuidanceMiddleware(**wrong_arguments)
