"""What all tasks of a condition may take together, and when it is refused before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...models.named import names_of
from ...models.thought import ChatModel
from ...traces.metrics.money import Named, Prices, check_max_cost, dollars
from ...traces.shapes import StopKind
from .held import CostOf, Standing, free


@dataclass(frozen=True, slots=True)
class Limits:
    """What all tasks of a condition may take.

    Attributes:
        max_attempts: of each task.
        max_tokens: of all tasks together, after which no further attempt begins; None for any number.
        max_cost: likewise in dollars.
        cost_of: what the events of a run have cost; needed with `max_cost`.
    """

    max_attempts: int
    max_tokens: int | None = None
    max_cost: float | None = None
    cost_of: CostOf = free

    def measured(self) -> Iterator[tuple[StopKind, float, Callable[[Standing], float]]]:
        """Each budget: the kind of stop, its size, and how much of it a run has spent."""
        if self.max_tokens is not None:
            yield "token_budget", self.max_tokens, lambda standing: standing.tokens
        if self.max_cost is not None:
            yield "cost_budget", self.max_cost, lambda standing: standing.cost


def check_budgets(
    max_tokens: int | None,
    max_cost: float | None,
    prices: Prices | None,
    least: int,
    tasks: int,
    actors: Sequence[Named],
    readers: Sequence[Named],
    critic: ChatModel | None,
) -> None:
    """Refuse a budget that cannot be held, or that not even the prompts of the first attempts fit into.

    Args:
        max_tokens: of all tasks together.
        max_cost: likewise in dollars.
        prices: of the models.
        least: tokens of these prompts, about.
        tasks: how many there are.
        actors: the names of the models, and of their providers.
        readers: of these, the ones that are asked first.
        critic: if there is one.
    """
    if max_tokens is not None and max_tokens < least:
        raise ValueError(
            f"max_tokens is {max_tokens:,}, but the first prompts of {tasks:,} tasks have about {least:,} tokens: "
            "give more, or fewer tasks"
        )
    if max_cost is None:
        return
    check_max_cost(max_cost, prices, [*actors, *names_of([] if critic is None else [critic])])
    assert prices is not None, "checked"
    for reader in readers:
        cost = prices.of(*reader, {"input_tokens": least}) or 0.0
        if max_cost < cost:
            raise ValueError(
                f"max_cost is {dollars(max_cost)}, but to read the first prompts of {tasks:,} tasks costs {reader[0]} "
                f"about {dollars(cost)}: give more, or fewer tasks"
            )
