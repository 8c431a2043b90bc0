"""Tools that ask a person by LangGraph's `interrupt()`: a question is put once, and gets its own answer."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel, ValidationError
from support.plan_act import GOAL, THREAD, TWINS, Invoke, act, done, planned, replanned, twin
from support.scripted import ScriptedModel
from support.waits import no_waits
from thoughtgraph import create_plan_act_graph

END = [done("A"), replanned(response="end")]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def asking(tool: Any, **options: Any) -> Any:
    model = ScriptedModel(replies=[planned("a"), act(tool.__name__, "eva"), *END])
    return create_plan_act_graph(model, [tool], checkpointer=InMemorySaver(), **options)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync-tool", "async-tool"])
@pytest.mark.parametrize("timeout", [None, 30], ids=["no-limit", "limit"])
def test_a_call_that_is_made_again_has_the_answers_of_its_first_attempt(
    invoke: Invoke, is_async: bool, timeout: float | None
) -> None:
    answers: list[str] = []

    def send(to: str) -> str:
        """Send after asking twice."""
        answers.append(f"{interrupt(f'To {to}?')} {interrupt('Now?')}")
        if len(answers) == 1:
            raise ConnectionError("reset by peer")
        return answers[-1]

    async def asend(to: str) -> str:
        """Send after asking twice, async."""
        return send(to)

    graph = asking(asend if is_async else send, tool_timeout=timeout)
    invoke(graph, dict(GOAL), THREAD)
    assert invoke(graph, Command(resume="yes"), THREAD)["__interrupt__"][0].value == "Now?"
    with no_waits():
        result = invoke(graph, Command(resume="now"), THREAD)
    assert "__interrupt__" not in result
    assert answers == ["yes now", "yes now"]
    assert [(seen["ok"], seen["result"]) for seen in result["observations"]] == [(True, "yes now")]


def test_a_question_that_only_a_further_attempt_comes_to_is_put(invoke: Invoke) -> None:
    attempts: list[str] = []

    def send(to: str) -> str:
        """Send, and ask on a busy line."""
        attempts.append(interrupt(f"To {to}?"))
        if len(attempts) % 2:
            raise ConnectionError("busy")
        return f"{attempts[-1]}, {interrupt('By post?')}"

    graph = asking(send)
    invoke(graph, dict(GOAL), THREAD)
    with no_waits():
        assert invoke(graph, Command(resume="yes"), THREAD)["__interrupt__"][0].value == "By post?"
        result = invoke(graph, Command(resume="no"), THREAD)
    assert [seen["result"] for seen in result["observations"]] == ["yes, no"]


class Answer(BaseModel):
    send: bool


def test_an_answer_of_another_kind_than_a_tool_asks_for_can_be_given_again(invoke: Invoke) -> None:
    def send(to: str) -> str:
        """Send after asking."""
        return str(interrupt(f"To {to}?", response_schema=Answer).send)

    graph = asking(send)
    invoke(graph, dict(GOAL), THREAD)
    with pytest.raises(ValidationError, match="Answer"):
        invoke(graph, Command(resume="hello"), THREAD)
    assert graph.get_state(THREAD).interrupts[0].value == "To eva?"
    result = invoke(graph, Command(resume={"send": True}), THREAD)
    assert [(seen["ok"], seen["result"]) for seen in result["observations"]] == [(True, "True")]
