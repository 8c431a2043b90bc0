"""A budget in dollars: when a loop stops at it, what a reply of an unknown name counts, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from support.cascades import cascade, small
from support.modes import ACTOR_CRITIC, EXTERNAL_LOOP, RIGHT, TASK, THREAD, Mode, all_modes, comparable, wrong
from support.plan_act import TWINS, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_reflection_graph
from thoughtgraph.traces import Price, Prices

# A scripted reply reads 10 tokens and writes 5: 20 dollars by these prices.
PRICE = Price(input=1_000_000, output=2_000_000)
PRICES = Prices({"ScriptedModel": PRICE})
REPLY = 20


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


def named(text: str, model: str) -> AIMessage:
    """A reply that names its model."""
    usage: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return AIMessage(text, response_metadata={"model_name": model, "finish_reason": "stop"}, usage_metadata=usage)


@all_modes
def test_a_spent_budget_ends_the_run_with_the_best_answer(invoke: Any, mode: Mode) -> None:
    script = mode.script([wrong(0.4)])
    result = invoke(script.graph(max_cost=REPLY, prices=PRICES), dict(TASK))
    assert (result["answer"], result["verdict"]) == (wrong(0.4), "failed")
    assert result["stop_reason"] == {"kind": "cost_budget", "value": REPLY, "limit": REPLY}
    assert "because $20.00 were spent; the limit is $20.00" in str(ContextGraph.from_run(result).why_stopped())


@all_modes
def test_a_budget_that_is_not_spent_ends_nothing(invoke: Any, mode: Mode) -> None:
    script = mode.script([wrong(0.4), RIGHT])
    result = script.run(invoke, max_cost=1_000, prices=PRICES)
    assert result["stop_reason"]["kind"] == "passed"


def test_prices_alone_limit_nothing(invoke: Any) -> None:
    result = EXTERNAL_LOOP.script([wrong(0.4), RIGHT]).run(invoke, prices=PRICES)
    assert result["stop_reason"]["kind"] == "passed"


def test_whatever_limit_is_met_first_is_the_reason(invoke: Any) -> None:
    for tokens, kind in ((15, "token_budget"), (16, "cost_budget")):
        script = EXTERNAL_LOOP.script([wrong(0.4)])
        result = invoke(script.graph(max_cost=REPLY, prices=PRICES, max_tokens=tokens), dict(TASK))
        assert result["stop_reason"]["kind"] == kind


def test_critiques_count(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([wrong(0.4), RIGHT])
    result = invoke(script.graph(max_cost=2 * REPLY, prices=PRICES), dict(TASK))
    assert (result["stop_reason"]["kind"], len(result["attempts"])) == ("cost_budget", 1)


def test_every_reply_has_the_price_of_its_model(invoke: Any) -> None:
    prices = Prices({"ScriptedModel": PRICE, "small": Price(0, 0)})
    first, last = small(named(wrong(0.1), "small")), EXTERNAL_LOOP.script([wrong(0.2)])
    result = invoke(cascade([first], last, max_cost=REPLY, prices=prices), dict(TASK))
    assert result["stop_reason"] == {"kind": "cost_budget", "value": REPLY, "limit": REPLY}
    assert len(result["attempts"]) == 2


@pytest.mark.parametrize("name", ["another", ""])
def test_a_reply_under_a_name_without_a_price_counts_at_the_dearest(invoke: Any, name: str) -> None:
    prices = Prices({"ScriptedModel": PRICE, "small": Price(0, 0)})
    first, last = small(named(wrong(0.1), name)), EXTERNAL_LOOP.script([])
    result = invoke(cascade([first], last, max_cost=REPLY, prices=prices), dict(TASK))
    assert result["stop_reason"]["kind"] == "cost_budget"


@all_modes
def test_a_crashed_run_has_spent_what_it_spent_before(invoke: Any, mode: Mode) -> None:
    def script() -> Any:
        return mode.script([wrong(0.2), wrong(0.3), wrong(0.4)])

    limits: dict[str, Any] = {"max_cost": 3 * REPLY, "prices": PRICES}
    expected = invoke(script().graph(**limits), dict(TASK))
    crashing = script()
    crashing.actor.replies.insert(1, KeyboardInterrupt())
    graph = crashing.graph(checkpointer=InMemorySaver(), **limits)
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(dict(TASK), THREAD)
    assert comparable(invoke(graph, None, THREAD)) == comparable(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_cost": 0, "prices": PRICES}, "max_cost must be more than 0, got 0"),
        ({"max_cost": math.nan, "prices": PRICES}, "max_cost has to be a finite number, got nan"),
        ({"max_cost": math.inf, "prices": PRICES}, "max_cost has to be a finite number, got inf"),
        ({"max_cost": True, "prices": PRICES}, "max_cost has to be a number, got True"),
        ({"max_cost": "1", "prices": PRICES}, "max_cost has to be a number, got '1'"),
        ({"max_cost": 1, "prices": {"small": (1, 1)}}, r"prices has to be Prices\(…\), got \{'small'"),
        ({"max_cost": 1}, r"max_cost needs the models' prices: give prices=Prices"),
        ({"max_cost": 1, "prices": Prices()}, "the price of ScriptedModel is unknown"),
        ({"max_cost": 1, "prices": PRICES, "critic": small()}, "the price of small is unknown"),
    ],
    ids=["zero", "nan", "infinite", "bool", "text", "no-prices-class", "no-prices", "no-price", "critic"],
)
def test_a_budget_that_cannot_be_held_is_refused_when_the_graph_is_built(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_reflection_graph("actor_critic", actor=ScriptedModel(replies=[]), **options)
