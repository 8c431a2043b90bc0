"""What runs cost in money: prices of one's own, list prices, and what is said where a price is unknown."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_reflection_graph
from thoughtgraph.errors import MissingLibraryError
from thoughtgraph.evaluation import Comparison, evaluate
from thoughtgraph.models import think
from thoughtgraph.tools import Verdict
from thoughtgraph.traces import Price, Prices, run_metrics, summarize

ACCEPT = "[Critique]\nRight.\n[Score]\n9\n[Verdict]\nACCEPT"
PRICES = Prices({"large": Price(input=1.0, output=10.0, cached=0.5), "small": Price(input=0.1, output=0.2)})


def reply(text: str, model: str = "", provider: str = "") -> AIMessage:
    """A reply of a million tokens each way, half of those read from a cache."""
    metadata = {"model_name": model, "model_provider": provider, "finish_reason": "stop"}
    usage: Any = {"input_tokens": 1_000_000, "output_tokens": 1_000_000, "total_tokens": 2_000_000}
    usage["input_token_details"] = {"cache_read": 500_000}
    return AIMessage(text, response_metadata=metadata, usage_metadata=usage)


def criticized(actor: str, critic: str) -> list[Any]:
    """The events of a run whose critic is another model."""
    models = [ScriptedModel(replies=[reply("4", actor)]), ScriptedModel(replies=[reply(ACCEPT, critic)])]
    graph = create_reflection_graph("actor_critic", actor=models[0], critic=models[1])
    return graph.invoke({"task": "What is 2 + 2?"})["events"]


def test_every_reply_has_the_price_of_the_model_that_gave_it() -> None:
    cost = run_metrics(criticized("large", "small"), PRICES).cost
    assert cost == pytest.approx((0.5 * 1.0 + 0.5 * 0.5 + 10.0) + (0.1 + 0.2))


@pytest.mark.parametrize("model", ["other", ""], ids=["unknown", "unnamed"])
def test_a_price_that_is_unknown_is_not_zero(model: str) -> None:
    metrics = run_metrics(criticized("large", model), PRICES)
    assert metrics.cost is None
    assert run_metrics(criticized("large", "small")).cost is None


def test_a_run_with_tokens_of_no_known_reply_has_an_unknown_cost() -> None:
    events = criticized("large", "small")
    events[-1]["data"]["usage"]["output_tokens"] += 1
    assert run_metrics(events, PRICES).cost is None


@pytest.mark.parametrize(("answer", "written"), [("4", 1_000_000), ("", 0)], ids=["an answer", "reasoning alone"])
def test_reasoning_that_only_the_total_counts_is_paid_and_counted_as_written(answer: str, written: int) -> None:
    usage: Any = {"input_tokens": 1_000_000, "output_tokens": written, "total_tokens": 3_000_000}
    said = AIMessage(answer, response_metadata={"model_name": "small"}, usage_metadata=usage)
    thought = think(ScriptedModel(replies=[said]), "What is 2 + 2?")
    run = create_reflection_graph(actor=ScriptedModel(replies=[said] * 2), max_attempts=1).invoke({"task": "2 + 2?"})
    metrics = run_metrics(run["events"], PRICES)
    assert (thought.usage["output_tokens"], thought.estimated) == (2_000_000, False)
    assert metrics.tokens == run["usage"]["total_tokens"] == metrics.model_calls * 3_000_000
    assert metrics.cost == pytest.approx(metrics.model_calls * (0.1 + 2 * 0.2))


def test_a_sum_with_an_unknown_cost_is_unknown() -> None:
    known = run_metrics(criticized("large", "small"), PRICES)
    unknown = run_metrics(criticized("large", "other"), PRICES)
    both = summarize([known, known])
    assert both.cost == pytest.approx(2 * (known.cost or math.nan))
    assert "$22.1" in str(both)
    assert summarize([known, unknown]).cost is None
    assert str(summarize([known, unknown])).endswith("unknown")
    assert summarize([]).cost is None


def test_a_free_model_costs_nothing() -> None:
    events = criticized("own", "own")
    free = Prices({"own": Price(0, 0)})
    assert run_metrics(events, free).cost == ContextGraph.from_run(events).metrics(free).cost == 0


@pytest.mark.parametrize(
    ("price", "problem"),
    [
        ((-1, 1), "input must be at least 0"),
        ((1, -1), "output must be at least 0"),
        ((1, 1, -0.1), "cached must be at least 0"),
        ((math.nan, 1), "input has to be a finite number"),
        ((1, math.inf), "output has to be a finite number"),
        ((None, 1), "input has to be a number"),
        ((True, 1), "input has to be a number"),
        (("1", 1), "input has to be a number"),
    ],
)
def test_what_is_no_price_is_refused(price: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Price(*price)
    with pytest.raises(ValueError, match=r"the price of m has to be a Price\("):
        Prices(cast(Any, {"m": price}))


@pytest.mark.parametrize("wrong", [["m"], Price(1, 2), None])
def test_prices_are_a_dict(wrong: Any) -> None:
    with pytest.raises(ValueError, match="own has to be a dict of prices by the models' names"):
        Prices(wrong)


def test_a_price_may_be_a_decimal() -> None:
    assert Price(Decimal("0.5"), 2).of({"input_tokens": 1_000_000, "output_tokens": 1}) == pytest.approx(0.500002)


def test_list_prices_without_their_library_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'thoughtgraph\[prices\]'"):
        Prices(listed=True)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """A library that knows one model of one provider, and what it was asked."""
    asked: list[tuple[Any, ...]] = []

    def calc_price(usage: Any, model: str, *, provider_id: str) -> Any:
        asked.append((usage, model, provider_id))
        if (model, provider_id) != ("listed", "openai"):
            raise LookupError(model)
        return SimpleNamespace(total_price=3)

    module: Any = ModuleType("genai_prices")
    module.__spec__ = SimpleNamespace(name="genai_prices")
    module.Usage, module.calc_price = dict, calc_price
    monkeypatch.setitem(sys.modules, "genai_prices", module)
    return asked


def test_a_list_price_is_that_of_the_model_at_its_provider(library: list[tuple[Any, ...]]) -> None:
    prices = Prices(listed=True)
    usage = {"input_tokens": 100, "output_tokens": 7, "cached_tokens": 40}
    assert prices.of("listed", "openai", usage) == 3
    assert library == [({"input_tokens": 100, "cache_read_tokens": 40, "output_tokens": 7}, "listed", "openai")]
    assert prices.of("listed", "groq", usage) is None
    assert prices.of("gone", "openai", usage) is None


def test_a_name_alone_finds_no_list_price(library: list[tuple[Any, ...]]) -> None:
    assert Prices(listed=True).of("listed", "", {"input_tokens": 1}) is None
    assert library == []


def test_a_price_of_ones_own_goes_before_the_list(library: list[tuple[Any, ...]]) -> None:
    prices = Prices({"listed": Price(0, 0)}, listed=True)
    assert prices.of("listed", "openai", {"input_tokens": 1_000_000}) == 0
    assert library == []


def test_the_real_list_knows_a_well_known_model() -> None:
    pytest.importorskip("genai_prices")
    usage = {"input_tokens": 1_000_000, "output_tokens": 1_000_000, "cached_tokens": 500_000}
    cost = Prices(listed=True).of("gpt-4o-mini-2024-07-18", "openai", usage)
    assert cost == pytest.approx(0.5 * 0.15 + 0.5 * 0.075 + 0.6)
    assert Prices(listed=True).of("scripted", "openai", usage) is None


def compared(*models: str) -> Comparison:
    """One task a model, answered by models of these names."""
    actor = ScriptedModel(replies=[reply("4", model) for model in models])
    tasks = [{"prompt": f"Task {number}"} for number in range(len(models))]
    options: dict[str, Any] = {"modes": [], "controls": False, "concurrency": 1, "prices": PRICES}
    return evaluate(tasks, actor, verifier=lambda task, answer: Verdict("passed"), **options)


def test_a_comparison_shows_what_it_cost() -> None:
    known, unknown = compared("small", "small"), compared("small", "other")
    assert [row["cost"] for row in known.rows()] == [pytest.approx(0.3), pytest.approx(0.3)]
    assert [row["cost"] for row in unknown.rows()] == [pytest.approx(0.3), None]
    assert [comparison.summary()[0][-1] for comparison in (known, unknown)] == ["$0.6", "unknown"]
