"""What the model is told near a limit and behind it, and how a guarded agent ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, hook_config
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel
from support.agent_model import AgentModel, Played, calls, counter_tool, echo_tool, echoes, invoke, play
from support.texts import text
from thoughtgraph._internal.fences import fenced
from thoughtgraph.graphs.middleware import (
    BudgetMiddleware,
    DuplicateCallMiddleware,
    ErrorRateMiddleware,
    LoopMiddleware,
)

BEST = "My best answer."
THREAD: Any = {"configurable": {"thread_id": "1"}}


@pytest.fixture(params=["sync", "async"])
def how(request: pytest.FixtureRequest) -> str:
    """Invoke an agent by either twin."""
    return request.param


def last_words(played: Played, number: int = -1) -> str:
    """The last message of a request."""
    return played.model.requests[number][-1].text


def is_warned(request: Sequence[BaseMessage]) -> bool:
    """Whether a request says that a limit is near or met."""
    return any("⚠️" in message.text for message in request)


class Settings(AgentMiddleware[Any, Any, Any]):
    """Sets what a provider refuses where there are no tools."""

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Any:
        return handler(request.override(model_settings={"parallel_tool_calls": False, "seed": 7}))

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Any:
        return await self.wrap_model_call(request, handler)


class Again(AgentMiddleware[Any, Any, Any]):
    """Is content with no answer, and asks for another one."""

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        if state["messages"][-1].tool_calls:
            return None
        return {"jump_to": "model", "messages": [HumanMessage("Again, please")]}


class AskFirst(AgentMiddleware[Any, Any, Any]):
    """Asks a human before a call without tools."""

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Any:
        if not request.tools:
            interrupt("May it end?")
        return handler(request)

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Any:
        return await self.wrap_model_call(request, handler)


@pytest.mark.parametrize(
    ("guard", "letters", "key"),
    [
        (DuplicateCallMiddleware(), "xxxxx", "stop.duplicate_tool_calls"),
        (LoopMiddleware(), "xyxyx", "stop.loop_pattern"),
        (BudgetMiddleware(run_limit=2), "ab", "stop.max_iterations"),
        (BudgetMiddleware(max_tokens=30), "ab", "stop.budget"),
    ],
    ids=["duplicates", "loop", "model-calls", "tokens"],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_last_call_has_no_tools_and_says_why(how: str, guard: Any, letters: str, key: str, language: Any) -> None:
    guard.language = language
    played = play(how, [*echoes(letters), BEST], [Settings(), guard])
    assert all(options["tools"] == ["echo"] for options in played.model.options[:-1])
    assert played.model.options[-1] == {"seed": 7}
    assert last_words(played).endswith(text(language, key))
    assert played.answer == BEST


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (calls(("echo", {"text": "x"}), says="It is x."), "It is x."),
        (AIMessage([{"type": "text", "text": "Blocks."}]), "Blocks."),
        ("<think>well</think>\nIt is x.", "<think>well</think>\nIt is x."),
    ],
    ids=["with-another-call", "blocks", "after-thinking"],
)
def test_the_words_of_the_last_call_are_the_answer(how: str, reply: Any, answer: str) -> None:
    assert play(how, [*echoes("ab"), reply], [BudgetMiddleware(run_limit=2)]).answer == answer


@pytest.mark.parametrize(
    "reply",
    ["", " \n", "<think>never closed", calls(("echo", {"text": "x"})), TimeoutError("the server is gone")],
    ids=["empty", "blank", "only-thought", "only-a-call", "failed"],
)
def test_without_words_of_the_model_the_answer_says_what_is_known(how: str, reply: Any) -> None:
    replies = [*echoes("a"), calls(("broken", {"text": "b"})), *echoes("a"), reply]

    def broken(text: int) -> str:
        """Refuse every text."""
        return "never"

    played = play(how, replies, [BudgetMiddleware(run_limit=3)], [echo_tool(), broken])
    assert played.answer.splitlines()[:3] == [
        text("en", "end.done"),
        '- echo {"text": "a"} → echo a',
        f"{text('en', 'end.why')} {text('en', 'why.max_iterations', value=3, limit=3)}",
    ]
    assert ("the server is gone" in played.answer) == isinstance(reply, TimeoutError)


def test_an_answer_of_nothing_known_says_so_in_the_users_language(how: str) -> None:
    def broken(text: int) -> str:
        """Refuse every text."""
        return "never"

    guard = ErrorRateMiddleware(min_calls=1, language="zh")
    played = play(how, [calls(("broken", {"text": "b"})), ""], [guard], [broken])
    assert played.answer.splitlines()[:2] == [text("zh", "end.done"), f"- {text('zh', 'end.nothing_done')}"]


def test_a_failure_before_the_limit_is_the_callers(how: str) -> None:
    with pytest.raises(TimeoutError, match="gone"):
        play(how, [TimeoutError("gone")], [BudgetMiddleware(run_limit=1)])


class Verdict(BaseModel):
    """A form for the answer."""

    answer: str


def test_a_form_for_the_answer_is_kept_in_the_last_call(how: str) -> None:
    form = calls(("Verdict", {"answer": "x"}))
    guards = [BudgetMiddleware(run_limit=2)]
    played = play(how, [*echoes("ab"), form], guards, response_format=ToolStrategy(Verdict))
    assert played.model.options[-1]["tools"] == ["Verdict"]
    assert played.result["structured_response"] == Verdict(answer="x")
    assert played.result["stop_reason"]["kind"] == "max_iterations"
    unfit = calls(("Verdict", {"reply": "x"}))
    played = play(how, [*echoes("ab"), unfit], guards, response_format=ToolStrategy(Verdict))
    assert played.answer.startswith(text("en", "end.done"))


def test_the_first_limit_that_is_met_is_the_reason(how: str) -> None:
    guards = [BudgetMiddleware(run_limit=5), LoopMiddleware(), DuplicateCallMiddleware(), ErrorRateMiddleware()]
    for ordered in (guards, guards[::-1]):
        played = play(how, [*echoes("xyxyx"), BEST], ordered)
        assert played.result["stop_reason"]["kind"] == ("max_iterations" if ordered is guards else "loop_pattern")
        assert last_words(played).count("⚠️") == 1
        assert played.answer == BEST


def test_nothing_keeps_a_run_alive_behind_its_last_answer(how: str) -> None:
    played = play(how, [*echoes("ab"), BEST], [Again(), BudgetMiddleware(run_limit=2)])
    assert played.result["stop_reason"]["kind"] == "max_iterations"
    assert played.answer.startswith(text("en", "end.done"))


def test_a_pause_before_the_last_answer_is_not_taken_for_a_failure(how: str) -> None:
    model = AgentModel(replies=[*echoes("a"), BEST])
    guards = [BudgetMiddleware(run_limit=1), AskFirst()]
    agent = create_agent(model, [echo_tool()], middleware=guards, checkpointer=InMemorySaver())
    paused = invoke(how, agent, {"messages": [HumanMessage("Get it done")]}, THREAD)
    assert paused["__interrupt__"][0].value == "May it end?"
    assert invoke(how, agent, Command(resume="yes"), THREAD)["messages"][-1].text == BEST
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("guard", "letters", "number", "words"),
    [
        (DuplicateCallMiddleware(), "xxxy", 3, text("en", "warn.repeats", tool="echo")),
        (LoopMiddleware(), "xyxyz", 4, text("en", "warn.repeats", tool="echo")),
        (BudgetMiddleware(run_limit=5), "abcd", 4, text("en", "warn.steps", remaining=1)),
        (BudgetMiddleware(max_tokens=75), "abcd", 4, text("en", "warn.tokens", used=60, limit=75)),
        (BudgetMiddleware(run_limit=8, warn_at=0.5), "abcdef", 4, text("en", "warn.steps", remaining=4)),
    ],
    ids=["duplicates", "loop", "model-calls", "tokens", "earlier"],
)
def test_near_a_limit_the_model_is_warned_once_behind_the_last_result(
    how: str, guard: Any, letters: str, number: int, words: str
) -> None:
    played = play(how, [*echoes(letters), BEST], [guard])
    warned = [index for index, request in enumerate(played.model.requests) if is_warned(request)]
    assert warned == [number]
    assert last_words(played, number) == f"{fenced(f'echo {letters[number - 1]}')}\n\n{words}"
    assert not is_warned(played.result["messages"])


def test_near_too_many_errors_the_model_is_warned(how: str) -> None:
    def broken(text: int) -> str:
        """Refuse every text."""
        return "never"

    actions = [calls((name, {"text": str(index) + "x"})) for index, name in enumerate(["broken", "echo"] * 2)]
    played = play(how, [*actions, BEST], [ErrorRateMiddleware()], [broken, echo_tool()])
    assert last_words(played) == f"{fenced('echo 3x')}\n\n{text('en', 'warn.errors', rate='50%')}"


def test_a_limit_that_is_neared_again_is_warned_of_again(how: str) -> None:
    played = play(how, [*echoes("xxxxyxxx"), BEST], [DuplicateCallMiddleware()])
    assert [index for index, request in enumerate(played.model.requests) if is_warned(request)] == [3, 8]


@pytest.mark.parametrize(
    "guard", [DuplicateCallMiddleware(threshold=1), LoopMiddleware(warn_at=0.0), ErrorRateMiddleware(threshold=0)]
)
def test_nothing_is_said_of_what_has_not_happened(how: str, guard: Any) -> None:
    played = play(how, [*echoes("ab"), BEST], [guard])
    assert not any(map(is_warned, played.model.requests))


def test_the_first_request_can_be_a_warning_too(how: str) -> None:
    played = play(how, [BEST], [BudgetMiddleware(run_limit=1, warn_at=0.0)])
    assert last_words(played) == f"Get it done\n\n{text('en', 'warn.steps', remaining=1)}"


def test_warnings_of_several_guards_stand_together_behind_a_result_of_blocks(how: str) -> None:
    def look(place: str) -> list[dict[str, str]]:
        """Look at a place."""
        return [{"type": "text", "text": f"{place} in blocks"}]

    actions = [calls(("look", {"place": "home"})) for _ in range(3)]
    guards = [DuplicateCallMiddleware(), BudgetMiddleware(run_limit=5, warn_at=0.6)]
    played = play(how, [*actions, BEST], guards, [look])
    assert [block["text"] for block in played.model.requests[3][-1].content if isinstance(block, dict)] == [
        fenced("home in blocks"),
        text("en", "warn.repeats", tool="look"),
        text("en", "warn.steps", remaining=2),
    ]


def test_all_but_the_last_message_of_a_request_stays_as_it_is_in_the_next(how: str) -> None:
    guards = [DuplicateCallMiddleware(), LoopMiddleware(), BudgetMiddleware(run_limit=6)]
    actions = [calls(("count", {"name": "x"})) for _ in range(6)]
    requests = play(how, [*actions, BEST], guards, [counter_tool()]).model.requests
    assert any(map(is_warned, requests))
    for one, after in pairwise(requests):
        assert [message.text for message in one[:-1]] == [message.text for message in after[: len(one) - 1]]
