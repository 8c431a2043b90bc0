"""What a model is called in traces, tables and prices, whatever is wrapped around it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnableLambda
from support.cascades import small
from support.modes import RIGHT, TASK, Judge, wrong
from support.scripted import ScriptedModel
from thoughtgraph import create_reflection_graph, think
from thoughtgraph.models.named import model_name
from thoughtgraph.traces import Price, Prices

PROMPT = ChatPromptTemplate.from_messages([("placeholder", "{messages}")])
WRAPPED: dict[str, Callable[[Any], Any]] = {
    "alone": lambda model: model,
    "bound": lambda model: model.bind(stop=["x"]),
    "retried": lambda model: model.with_retry(),
    "configured": lambda model: model.with_config(tags=["x"]),
    "with-fallbacks": lambda model: model.with_fallbacks([small(name="other")]),
    "behind-a-step": lambda model: RunnableLambda(lambda given: given) | model,
    "behind-a-prompt": lambda model: PROMPT | model.with_retry(),
    "before-a-parser": lambda model: model | StrOutputParser(),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_wrapped_model_keeps_its_name(name: str) -> None:
    assert model_name(WRAPPED[name](small())) == "small"


def test_a_chain_without_a_model_is_named_by_its_last_step() -> None:
    assert model_name(RunnableLambda(len) | RunnableLambda(str)) == "str"
    assert model_name(RunnableLambda(lambda given: given)) == "RunnableLambda"


def test_functions_as_models_are_told_apart_by_their_names() -> None:
    def quick(messages: Any) -> str:
        return wrong()

    def slow(messages: Any) -> str:
        return RIGHT

    graph = create_reflection_graph(actor=[RunnableLambda(quick), RunnableLambda(slow)], verifier=Judge())
    assert [attempt.get("model") for attempt in graph.invoke(TASK)["attempts"]] == ["quick", "slow"]


def alternatives() -> Any:
    """A model of which a run's configuration selects one of two, and may change the name."""
    large = Held(replies=[RIGHT], model="large").configurable_fields(model=ConfigurableField("name"))
    return Held(replies=[RIGHT], model="small").configurable_alternatives(ConfigurableField("which"), large=large)


@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
@pytest.mark.parametrize(
    ("given", "name"),
    [({}, "small"), ({"which": "large"}, "large"), ({"which": "large", "name": "larger"}, "larger")],
    ids=lambda given: str(given),
)
def test_a_configurable_model_has_the_name_of_the_one_that_the_run_selects(
    mode: str, given: dict[str, str], name: str
) -> None:
    at_the_run = create_reflection_graph(mode, actor=alternatives(), verifier=Judge())
    bound = create_reflection_graph(mode, actor=alternatives().with_config(configurable=given), verifier=Judge())
    for run in (at_the_run.invoke(TASK, {"configurable": given}), bound.invoke(TASK)):
        assert [attempt.get("model") for attempt in run["attempts"]] == [name]


class Named(StrEnum):
    """Names as some programs keep them."""

    SMALL = "small"


class Held(ScriptedModel):
    """Holds something under the names that classes have for a model's name."""

    model_name: Any = None
    model: Any = None
    model_id: Any = None


WEIGHTS = SimpleNamespace(layers=["linear"] * 1000)


@pytest.mark.parametrize(
    ("held", "name"),
    [
        ({"model": WEIGHTS}, "Held"),
        ({"model_name": WEIGHTS, "model": "small"}, "small"),
        ({"model": WEIGHTS, "model_id": "small"}, "small"),
        ({"model_name": Named.SMALL}, "small"),
        ({"model_name": "", "model": None}, "Held"),
    ],
)
def test_a_name_is_a_text(held: dict[str, Any], name: str) -> None:
    run = create_reflection_graph(actor=Held(replies=[RIGHT], **held), verifier=Judge()).invoke(dict(TASK))
    found = run["attempts"][0]["model"]
    assert (found, type(found)) == (name, str)


@pytest.mark.parametrize(
    ("reported", "name"),
    [("smallsmallsmall", "small"), ("small" * 99, "small"), ("mmm", "mmm"), ("small", "small"), ("smalls", "smalls")],
)
def test_a_name_that_every_chunk_of_a_stream_reported_is_said_once(reported: str, name: str) -> None:
    reply = AIMessage(RIGHT, response_metadata={"model_name": reported, "finish_reason": "stop" * 2})
    run = create_reflection_graph(actor=ScriptedModel(replies=[reply]), verifier=Judge()).invoke(dict(TASK))
    assert [event["data"]["model"] for event in run["events"] if event["kind"] == "thought"] == [name]
    assert think(ScriptedModel(replies=[reply]), "x").finish_reason == "stop"


@pytest.mark.parametrize("name", [name for name in WRAPPED if "parser" not in name and "prompt" not in name])
def test_a_cascade_of_wrapped_models_names_and_prices_each(name: str) -> None:
    models = [WRAPPED[name](small(wrong(0.0, "no"))), WRAPPED[name](small(RIGHT, name="large"))]
    prices = Prices({"small": Price(1, 1), "large": Price(10, 10)})
    # A budget in dollars needs the price of each under its name.
    graph = create_reflection_graph(actor=models, verifier=Judge(), max_cost=1, prices=prices)
    run = graph.invoke(dict(TASK))
    assert [attempt["model"] for attempt in run["attempts"]] == ["small", "large"]
