"""What a run costs in money: the tokens of every reply at the price of the model that gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from ..._internal.numbers import check_kind, number, shown_number
from ..._internal.strict_json import mapping
from ...errors import MissingLibraryError
from ..events import Event
from ..lookup import text
from .tally import Data, whole

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in dollars for a million tokens.

    Attributes:
        input: tokens read.
        output: tokens written.
        cached: tokens read from the server's cache; None if they cost as much as others.

    Raises:
        ValueError: a price is below 0, or no finite number.
    """

    input: float
    output: float
    cached: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", *(["cached"] if self.cached is not None else [])):
            object.__setattr__(self, name, number(f"the price of {name}", getattr(self, name), least=0))

    def of(self, usage: Data) -> float:
        """Dollars for a usage."""
        cached = min(whole(usage, "cached_tokens"), whole(usage, "input_tokens"))
        read = (whole(usage, "input_tokens") - cached) * self.input
        read += cached * (self.input if self.cached is None else self.cached)
        return (read + whole(usage, "output_tokens") * self.output) / _MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of models. A model that has none here has an unknown price, never one of 0.

    Attributes:
        own: by the model's name, as the provider reports it with its replies; they go first.
        listed: also the list prices of the library `genai-prices`, by the name of the model and of its provider. They
            are those of the library's version: no network is asked.

    Raises:
        ValueError: a price is no `Price`.
        MissingLibraryError: `listed` without the extra `prices`.

    Example:
        >>> Prices({"my-model": Price(input=0.5, output=2)}).of("my-model", "", {"output_tokens": 1_000_000})
        2.0
    """

    own: Mapping[str, Price] = field(default_factory=dict[str, Price])
    listed: bool = False

    def __post_init__(self) -> None:
        check_kind("own", self.own, Mapping, "a dict of prices by the models' names")
        for model, price in self.own.items():
            if not isinstance(cast(object, price), Price):
                raise ValueError(f"the price of {model} has to be a Price(input=…, output=…), got {price!r:.80}")
        if self.listed and find_spec("genai_prices") is None:
            raise MissingLibraryError(
                "list prices need genai-prices: pip install 'thoughtgraph[prices]', or give prices of your own"
            )

    def of(self, model: str, provider: str, usage: Data) -> float | None:
        """Dollars for a reply; None if the model's price is unknown.

        Args:
            model: its name, as the provider reports it.
            provider: its name in LangChain, such as `"openai"`; "" if unknown.
            usage: tokens of the reply.
        """
        if model in self.own:
            return self.own[model].of(usage)
        # The name alone could be that of a free copy on a server of one's own.
        return _listed(model, provider, usage) if self.listed and model and provider else None


def money(thoughts: Sequence[Data], total: Data, prices: Prices) -> float | None:
    """Dollars for a run; None if the price or the tokens of one of its replies are unknown, or if it took tokens of no
    known reply.

    Args:
        thoughts: the data of every reply's event.
        total: the usage that the run itself reports; empty if it reports none.
        prices: of the models.
    """
    usages = [mapping(thought.get("usage")) for thought in thoughts]
    for name in ("input_tokens", "output_tokens"):
        if whole(total, name) > sum(whole(usage, name) for usage in usages):
            return None
    dollars = 0.0
    for thought, usage in zip(thoughts, usages, strict=True):
        if thought.get("from_cache"):
            continue
        named = text(thought, "model"), text(thought, "provider")
        cost = prices.of(*named, usage)
        # Every reply takes tokens: a server that reports none does not say how many.
        untold = thought.get("estimated") or not (whole(usage, "input_tokens") or whole(usage, "output_tokens"))
        if cost is None or (untold and prices.of(*named, {"input_tokens": 1, "output_tokens": 1})):
            return None
        dollars += cost
    return dollars


Named = tuple[str, str]
"""The names of a model and of its provider."""


def check_prices(prices: object) -> None:
    """Refuse what are no prices; None is for none.

    Raises:
        ValueError: they are of another kind.
    """
    check_kind("prices", prices, Prices | None, "Prices(…)")


def check_max_cost(max_cost: object, prices: Prices | None, models: Sequence[Named]) -> float:
    """Refuse a budget that cannot be held, before anything is spent; a number of another type becomes a float.

    Raises:
        ValueError: it is not above 0, there are no prices, or one of the models has none.
    """
    found = number("max_cost", max_cost, above=0)
    if prices is None:
        raise ValueError("max_cost needs the models' prices: give prices=Prices(…)")
    unknown = [name for name, provider in dict.fromkeys(models) if prices.of(name, provider, {}) is None]
    if unknown:
        listed = ", and not listed" if prices.listed else ""
        raise ValueError(
            f"max_cost cannot be held: the price of {', '.join(unknown)} is unknown{listed}. Leave max_cost out, or "
            f"give one under that name in Python, such as prices=Prices({{{unknown[0]!r}: Price(input=…, output=…)}})"
        )
    return found


def spent_money(events: Sequence[Event], prices: Prices, models: Sequence[Named]) -> float:
    """Dollars of all replies up to now, for a budget.

    Args:
        events: of a run.
        prices: know every one of `models`.
        models: that were asked. A reply under a name without a price has that of the dearest of them, so that a budget
            is not exceeded over a name.
    """
    spent = 0.0
    for event in events:
        if event["kind"] == "thought":
            thought: Data = event["data"]
            usage = mapping(thought.get("usage"))
            cost = prices.of(text(thought, "model"), text(thought, "provider"), usage)
            spent += max(prices.of(*named, usage) or 0.0 for named in models) if cost is None else cost
    return spent


def dollars(cost: float | None) -> str:
    """A cost in words, such as `$0.0123`; `unknown` for None."""
    if cost is None:
        return "unknown"
    return f"${cost:,.2f}" if cost >= 1 or not cost else f"${shown_number(cost)}"


def _listed(model: str, provider: str, usage: Data) -> float | None:
    library: Any = import_module("genai_prices")
    read = whole(usage, "input_tokens")
    counted = library.Usage(
        input_tokens=read,
        cache_read_tokens=min(whole(usage, "cached_tokens"), read),
        output_tokens=whole(usage, "output_tokens"),
    )
    try:
        return float(library.calc_price(counted, model, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None
