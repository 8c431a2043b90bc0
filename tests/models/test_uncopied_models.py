"""Classes of which there can be no copy, or no whole one, or that give no defaults."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.outputs import ChatResult
from pydantic import Field
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_reflection_graph, think
from thoughtgraph.traces.metrics.money import Price, Prices


def never(task: str, answer: str) -> Verdict:
    """Passes nothing."""
    return Verdict("failed", "no")


class Uncopied(ScriptedModel):
    """Forbids copies."""

    def __copy__(self) -> Any:
        raise TypeError("there is one of these")


class Closes(ScriptedModel):
    """Closes its client when it goes."""

    client: list[str] = Field(default_factory=lambda: ["open"])

    def __del__(self) -> None:
        self.client[:] = ["closed"]

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        if self.client != ["open"]:
            raise RuntimeError("the client is closed")
        return super()._generate(*args, **kwargs)


@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
@pytest.mark.parametrize("kind", [Uncopied, Closes])
def test_a_model_of_which_there_can_be_no_copy_is_asked_as_it_is(mode: Any, kind: type[ScriptedModel]) -> None:
    graph = create_reflection_graph(mode, actor=kind(replies=["1", "2", "3"]), verifier=never, max_attempts=3)
    assert [attempt["answer"] for attempt in graph.invoke({"task": "Count."})["attempts"]] == ["1", "2", "3"]


@pytest.mark.parametrize("kind", [Uncopied, Closes])
def test_an_option_for_a_model_of_which_there_can_be_no_copy_is_a_keyword(kind: type[ScriptedModel]) -> None:
    model = kind(replies=["1"])
    think(model, "Count.", temperature=0.5)
    assert model.options == [{"temperature": 0.5}]


class Slotted(ScriptedModel):
    """Counts its calls in a slot of its own, and has one that nobody fills."""

    __slots__ = ("__calls", "empty")

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        object.__setattr__(self, "_Slotted__calls", [])

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        self.__calls.append(self.temperature)
        return super()._generate(*args, **kwargs)

    @property
    def calls(self) -> list[float | None]:
        """The temperature of each."""
        return self.__calls


@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
def test_a_model_with_slots_keeps_what_is_in_them_at_another_temperature(mode: Any) -> None:
    model = Slotted(replies=["1", "2", "3"], temperature=0.0)
    run = create_reflection_graph(mode, actor=model, verifier=never, max_attempts=3).invoke({"task": "Count."})
    assert [attempt["answer"] for attempt in run["attempts"]] == ["1", "2", "3"]
    assert len(model.calls) == 3 and model.calls[0] == 0 < min(model.calls[1:]) and model.temperature == 0


class Cool(Slotted):
    """Allows low temperatures alone."""

    temperature: float | None = Field(default=0.0, le=0.5)


def test_no_temperature_is_set_that_the_class_forbids() -> None:
    model = Cool(replies=["1", "2", "3"])
    create_reflection_graph("external_loop", actor=model, verifier=never, max_attempts=3).invoke({"task": "Count."})
    assert model.calls == [0.0, 0.5, 0.5]


class Named(ScriptedModel):
    """Takes what LangChain gives it, and gives no defaults."""

    def _get_ls_params(self, stop: list[str] | None, **kwargs: Any) -> Any:
        return {"ls_provider": "own"}


def test_a_provider_is_asked_for_as_langchain_does() -> None:
    prices = Prices({"Named": Price(input=1, output=1)})
    graph = create_reflection_graph(actor=Named(replies=["1"]), max_cost=1.0, prices=prices)
    assert graph.invoke({"task": "Count."})["answer"] == "1"
