"""Classes of the user's own, and LangChain's fakes: what they hold and count costs no reply."""

from __future__ import annotations

import weakref
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from thoughtgraph import Verdict, create_reflection_graph, think
from thoughtgraph.errors import ModelUnavailableError
from thoughtgraph.models import Backoff

KEY = "0123-key-of-the-user"


def never(task: str, answer: str) -> Verdict:
    """Passes nothing."""
    return Verdict("failed", "no")


class Own(BaseChatModel):
    """Fails at first, if it is to; then it counts."""

    held: Any = None
    api_key: str = KEY
    seed: Any = None
    fails: bool = False
    calls: int = 0

    @property
    def _llm_type(self) -> str:
        return "own"

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        self.calls += 1
        if self.fails and self.calls == 1:
            raise ConnectionResetError(f"dropped {KEY}")
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"answer {self.calls}"))])


class Unbound:
    """A proxy outside of its context: it cannot be asked for anything."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("outside of context")


class Vault:
    """A secret that cannot be had now."""

    def get_secret_value(self) -> str:
        """As pydantic's has it."""
        raise OSError("sealed")


HELD = {"proxy": Unbound(), "proxies": [Unbound()], "vault": Vault(), "gone": weakref.proxy(Vault())}


@pytest.mark.parametrize("held", HELD)
def test_what_cannot_be_searched_for_secrets_replaces_no_error(held: str) -> None:
    again = Backoff(max_attempts=2, initial_interval=0.001)
    assert think(Own(held=HELD[held], fails=True), "x", backoff=again).reply == "answer 2"
    with pytest.raises(ModelUnavailableError, match=r"dropped \[redacted\]"):
        think(Own(held=HELD[held], fails=True), "x", backoff=Backoff(max_attempts=1))


FAKES = {"chat": FakeListChatModel, "text": FakeListLLM}


@pytest.mark.parametrize("fake", FAKES)
@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
def test_a_model_that_counts_its_calls_in_a_field_is_no_copy_where_nothing_is_set(mode: Any, fake: str) -> None:
    model: Any = FAKES[fake](responses=["a", "b", "c"])
    graph = create_reflection_graph(mode, actor=model, verifier=never, max_attempts=3)
    run = graph.with_config(max_concurrency=1).invoke({"task": "t"})
    assert [attempt["answer"] for attempt in run["attempts"]] == ["a", "b", "c"]


@pytest.mark.parametrize("seed", ["fixed", [1, 2]], ids=str)
@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
def test_a_seed_that_is_no_number_stays_what_it_is(mode: Any, seed: Any) -> None:
    graph = create_reflection_graph(mode, actor=Own(seed=seed), verifier=never, max_attempts=2)
    answers = [attempt["answer"] for attempt in graph.invoke({"task": "t"})["attempts"]]
    assert sorted(map(str, answers)) == ["answer 1", "answer 2"]
