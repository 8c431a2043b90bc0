"""LangChain's cache of replies: one kept reply is one sample, however often it is asked for."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.globals import get_llm_cache, set_llm_cache
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from thoughtgraph import Verdict, create_reflection_graph


class Counting(BaseChatModel):
    """Gives another answer whenever it is asked; it takes no seed."""

    temperature: float | None = None
    calls: list[int] = Field(default_factory=list[int])

    @property
    def _llm_type(self) -> str:
        return "counting"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.calls.append(1)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"answer {len(self.calls)}"))])


class Seeded(Counting):
    """Takes a seed, so that no two samples are the same request."""

    seed: int | None = None

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"temperature": self.temperature, "seed": self.seed}


@pytest.fixture(autouse=True)
def cache() -> Generator[None]:
    """A cache for every model."""
    before = get_llm_cache()
    set_llm_cache(InMemoryCache())
    yield
    set_llm_cache(before)


@pytest.mark.parametrize("temperature", [None, 0.0, 1.0])
@pytest.mark.parametrize("kind", [Counting, Seeded])
def test_a_kept_reply_does_not_agree_with_itself(kind: type[Counting], temperature: float | None) -> None:
    model = kind(temperature=temperature)
    result = create_reflection_graph("best_of_n", actor=model, max_attempts=8).invoke({"task": "x"})
    assert (len(model.calls), result["stop_reason"]["kind"]) == (8, "max_iterations")


@pytest.mark.parametrize("wrapped", [False, True])
def test_no_attempt_is_lost_to_a_kept_reply(wrapped: bool) -> None:
    def fails(task: str, answer: str) -> Verdict:
        return Verdict("failed", "no")

    model: Any = Counting()
    actor = model.with_retry() if wrapped else model
    result = create_reflection_graph(actor=actor, verifier=fails, max_attempts=4).invoke({"task": "x"})
    assert [attempt["answer"] for attempt in result["attempts"]] == [f"answer {number}" for number in (1, 2, 3, 4)]


def test_a_first_attempt_comes_from_the_cache() -> None:
    model = Counting()
    for _ in range(2):
        result = create_reflection_graph(actor=model, max_attempts=1).invoke({"task": "x"})
        assert result["answer"] == "answer 1"
    assert len(model.calls) == 1
