"""The limits of a condition: of each task, and the budget of all tasks together, checked before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..._internal.numbers import keep, number, whole_number
from ...traces.metrics.money import Named, Prices, check_max_cost, dollars
from ...traces.shapes import StopKind
from .held import CostOf, Standing, no_cost


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """What all tasks of a condition may take.

    Attributes:
        max_attempts: of each task.
        max_tokens: of all tasks together, after which no further attempt begins; None for any number.
        max_cost: likewise in dollars.
        cost_of: what the events of a run have cost; needed with `max_cost`.

    Raises:
        ValueError: a number is below 1; `max_cost`: not above 0.
    """

    max_attempts: int
    max_tokens: int | None = None
    max_cost: float | None = None
    cost_of: CostOf = no_cost

    def __post_init__(self) -> None:
        keep(self, whole_number, "max_attempts")
        keep(self, whole_number, "max_tokens", may_be_none=True)
        keep(self, number, "max_cost", may_be_none=True, above=0)

    @property
    def shared(self) -> bool:
        """There is a budget for all tasks together."""
        return self.max_tokens is not None or self.max_cost is not None

    def measured(self) -> Iterator[tuple[StopKind, float, Callable[[Standing], float]]]:
        """Each budget: the kind of stop, its size, and how much of it a run has spent."""
        if self.max_tokens is not None:
            yield "token_budget", self.max_tokens, lambda standing: standing.tokens
        if self.max_cost is not None:
            yield "cost_budget", self.max_cost, lambda standing: standing.cost


def check_budgets(
    limits: BudgetLimits,
    prices: Prices | None,
    prompts: Sequence[int],
    asked: Sequence[Named],
    readers: Sequence[Named],
) -> None:
    """Refuse a budget that cannot be held, or that not even the prompts of the first attempts fit into.

    Args:
        limits: with the budgets.
        prices: of the models.
        prompts: tokens of the first prompt of each task, about.
        asked: the names of all models, and of their providers.
        readers: of these, the ones that are asked first.
    """
    least, tasks = sum(prompts), len(prompts)
    if limits.max_tokens is not None and limits.max_tokens < least:
        raise ValueError(
            f"max_tokens is {limits.max_tokens:,}, but the first prompts of {tasks:,} tasks have about {least:,} "
            "tokens: give more, or fewer tasks"
        )
    if limits.max_cost is None:
        return
    check_max_cost(limits.max_cost, prices, asked)
    assert prices is not None, "checked"
    for reader in readers:
        cost = prices.of(*reader, {"input_tokens": least}) or 0.0
        if limits.max_cost < cost:
            raise ValueError(
                f"max_cost is {dollars(limits.max_cost)}, but to read the first prompts of {tasks:,} tasks costs "
                f"{reader[0]} about {dollars(cost)}: give more, or fewer tasks"
            )
