"""What a reflection loop works with, and its limits; none of it is part of the state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from ..._internal.numbers import keep, number, share, whole_number
from ...memory.lessons import Memory, check_memory
from ...models.named import model_name, names_of
from ...models.thought import ChatModel
from ...parsers.contract import Parser, any_text
from ...tools.verdict import FormattedVerifier, Verifier, check_verifier
from ...traces.events import Event
from ...traces.metrics.money import Named, Prices, check_max_cost, check_prices, spent_money
from ..reflection_defaults import (
    ASKS_NO_CRITIC,
    BEST_OF_N,
    DEFAULT_ATTEMPTS,
    DEFAULT_PATIENCE,
    DEFAULT_STRATEGIES,
    RetryStrategy,
    Way,
)

_BROUGHT: dict[str, str] = {"escalate": "several models as the actor", "repair_form": "form_repairs"}
"""Strategies that cannot be chosen by name, and the arguments that turn them on."""


@dataclass(frozen=True, slots=True)
class ReflectionLoop:
    """The settings and parts that every node and edge of a reflection loop gets, beside the state.

    Attributes:
        mode: the loop's name.
        actor: gives the answers; the first to be asked, if there are larger ones.
        critic: judges them in modes in which a model does that; the actor itself if no other was given, or the
            largest model.
        verifier: judges them by running something; None if nothing can.
        memory: of failures in earlier runs; None for none.
        max_attempts: attempts in all, the first included.
        strategies: how to try again, in order; see `create_reflection_graph`.
        patience: attempts in a row without a better score after which the loop gives up.
        min_score: from 0 to 1, that one of the first two attempts has to reach for another one; None for no such limit.
        max_tokens: tokens of the run, prompts and critiques included, after which no new attempt is made; None for no
            limit.
        max_cost: dollars of the run by `prices`, after which no new attempt is made; None for no limit.
        prices: of the models; needed with `max_cost`.
        max_seconds: time spent in models and verifiers, after which no new attempt is made; None for no limit.
        system_prompt: the user's own instructions to the actor; "" for none.
        larger: the models of a cascade after the actor, in order: each is asked once the one before has failed.
        form_repairs: attempts in a row that may repair the form of an answer; 0 for none.
        key: from an answer to what answers are compared by, where samples only agree; None for the answer itself.
        held: the caller runs the attempts one by one and may raise `max_attempts` later. So reaching it does not end
            the run, and samples are drawn one at a time.

    Raises:
        ValueError: a number below 1 (`form_repairs`: below 0), a `min_score` not from 0 to 1, an unknown strategy, or
            none; more models than attempts; `prices` that are none, or `max_cost` without those of all models; a key
            where no answers are compared; or a memory that is none.
        VerifierContractError: the verifier is not one.
    """

    mode: str
    actor: ChatModel
    critic: ChatModel
    verifier: Verifier | None = None
    memory: Memory | None = None
    max_attempts: int = DEFAULT_ATTEMPTS
    strategies: tuple[RetryStrategy, ...] = DEFAULT_STRATEGIES
    patience: int = DEFAULT_PATIENCE
    min_score: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: Prices | None = None
    max_seconds: float | None = None
    system_prompt: str = ""
    larger: tuple[ChatModel, ...] = ()
    form_repairs: int = 0
    key: Callable[[str], Any] | None = None
    held: bool = False

    def __post_init__(self) -> None:
        keep(self, whole_number, "max_attempts", "patience")
        keep(self, whole_number, "max_tokens", may_be_none=True)
        keep(self, whole_number, "form_repairs", least=0)
        keep(self, number, "max_seconds", may_be_none=True, above=0)
        keep(self, share, "min_score", may_be_none=True)
        unknown = [name for name in self.strategies if name not in get_args(RetryStrategy)]
        if unknown or not self.strategies:
            brought = "".join(f"; {name!r} comes with {what}" for name, what in _BROUGHT.items() if name in unknown)
            wanted = f"strategies are some of {get_args(RetryStrategy)} in order"
            raise ValueError(f"{wanted}, got {self.strategies}{brought}")
        check_prices(self.prices)
        if self.max_cost is not None:
            object.__setattr__(self, "max_cost", check_max_cost(self.max_cost, self.prices, self.named_models))
        models = (self.actor, *self.larger)
        if len(models) > self.max_attempts:
            raise ValueError(
                f"{len(models)} models need at least {len(models)} attempts, got max_attempts={self.max_attempts}"
            )
        if self.verifier is not None:
            check_verifier(self.verifier)
        if self.memory is not None:
            check_memory(self.memory)
        if self.key is not None and not self.agrees:
            raise ValueError(
                f"key compares answers in {BEST_OF_N!r} without a verifier, and nowhere else: leave it out"
            )

    def attempts_left(self, made: int) -> int:
        """How many attempts may follow. A held loop always has some left: its caller may raise the limit."""
        left = max(0, self.max_attempts - made)
        return self.max_attempts if self.held and not left else left

    @property
    def independent(self) -> bool:
        """The attempts are independent samples: the result of one says nothing about whether to draw the next."""
        return self.mode == BEST_OF_N

    @property
    def agrees(self) -> bool:
        """The answer is the one that most samples agree on, since nothing can verify it."""
        return self.independent and self.verifier is None

    @property
    def ways(self) -> tuple[Way, ...]:
        """The nodes that lead to another attempt: one for each strategy, and the `detours`."""
        return (*dict.fromkeys(self.strategies), *self.detours)

    @property
    def notes_are_read(self) -> bool:
        """A later attempt may be told what was noted of an earlier one, or a memory keeps it; a fresh sample is not."""
        return self.memory is not None or any(name in ("lesson", "repair") for name in self.strategies)

    @property
    def detours(self) -> tuple[Literal["repair_form", "escalate"], ...]:
        """The nodes of `ways` that are no strategy; in every mode, `way_after` decides whether to go there."""
        form: tuple[Literal["repair_form"], ...] = ("repair_form",) if self.form_repairs else ()
        return (*form, "escalate") if self.larger else form

    @property
    def named_models(self) -> tuple[Named, ...]:
        """The names of all models that the loop may ask, with those of their providers, to look up prices."""
        return names_of([self.actor, *self.larger, self.critic])

    def cost(self, events: Sequence[Event]) -> float:
        """Dollars of a run up to now; only with `prices`."""
        return spent_money(events, cast(Prices, self.prices), self.named_models)

    def model(self, level: int) -> ChatModel:
        """The model at this place of the cascade; the last one if a resumed run began with more models."""
        return (self.actor, *self.larger)[min(level, len(self.larger))]

    def model_name(self, level: int) -> str:
        """The name of that model, as a trace has it."""
        return model_name(self.model(level))

    @property
    def parser(self) -> Parser:
        """Reads an answer from a reply: the verifier's parser, or one that takes the whole reply."""
        return self.verifier.parse if isinstance(self.verifier, FormattedVerifier) else any_text

    @property
    def instructions(self) -> str:
        """The actor's system message: the user's own words, then the format of an answer."""
        answer_format = self.verifier.instructions if isinstance(self.verifier, FormattedVerifier) else ""
        return "\n\n".join(part for part in (self.system_prompt.strip(), answer_format) if part)

    @property
    def criteria(self) -> str:
        """What an answer must meet, in the verifier's words."""
        return self.verifier.criteria if isinstance(self.verifier, FormattedVerifier) else ""


def check_critic(modes: Collection[str], critic: object) -> None:
    """Refuse a critic whom none of these modes would ask.

    Raises:
        ValueError: there is one.
    """
    if critic is not None and not set(modes) - set(ASKS_NO_CRITIC):
        names = list(dict.fromkeys(modes)) or ["one shot"]
        asks = "asks" if len(names) == 1 else "ask"
        raise ValueError(
            f"{' and '.join(names)} {asks} no critic: leave critic out, or choose actor_critic or reflexion"
        )
