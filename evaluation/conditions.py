"""The conditions that an evaluation can run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .._internal.numbers import check_kind, items_of, keep, share, whole_number
from ..models.thought import ChatModel
from ..nodes.reflection_defaults import ASKS_NO_CRITIC, RetryStrategy, form_repairs_of, strategies_of
from ..tools.verdict import FormattedVerifier, Verdict

DEFAULT_MODES = ("external_loop", "reflexion", "actor_critic")


@dataclass(frozen=True, slots=True)
class Condition:
    """A way to work on the tasks.

    Attributes:
        mode: as in `create_reflection_graph`.
        strategies: how the loop tries again; None for the mode's default.
        form_repairs: how often in a row the loop repairs the form of an answer; None for the mode's default.
        min_score: that one of the first two attempts has to reach, or the loop gives up; None for no such limit.
        models: names of two or more of the evaluation's models, the cheapest first: a cascade, which runs once, beside
            the models alone. None: each model runs the condition.
        verify: True: the verifier judges the answers. False: only the critic or the evaluator does; it and the actor
            read what the verifier says about format and criteria, such as the tests, but nothing runs it.

    Raises:
        ValueError: `external_loop` or `best_of_n` without its verifier: in these no model judges; `form_repairs` is
            below 0; `min_score` is not from 0 to 1; `strategies` or `models` are no list; or `models` are fewer than
            two, or one of them twice.
    """

    mode: str
    strategies: tuple[RetryStrategy, ...] | None = None
    verify: bool = True
    form_repairs: int | None = None
    min_score: float | None = None
    models: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_kind("mode", self.mode, str, "a mode's name")
        check_kind("verify", self.verify, bool, "True or False")
        for name in ("strategies", "models"):
            # Conditions are compared and kept as keys, which a list cannot be.
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, items_of(name, given, "a list of names"))
        keep(self, whole_number, "form_repairs", may_be_none=True, least=0)
        keep(self, share, "min_score", may_be_none=True)
        if self.models is not None and (len(self.models) < 2 or len(set(self.models)) < len(self.models)):
            raise ValueError(f"a condition names two different models or more, the cheapest first, got {self.models}")
        if self.mode in ASKS_NO_CRITIC and not self.verify:
            raise ValueError(f"{self.mode} judges by its verifier alone: only other modes can go without it")

    @property
    def spelled_out(self) -> Condition:
        """The same condition with the defaults of its mode filled in, so that equal loops are equal conditions."""
        strategies = strategies_of(self.mode) if self.strategies is None else self.strategies
        repairs = form_repairs_of(self.mode) if self.form_repairs is None else self.form_repairs
        return replace(self, strategies=strategies, form_repairs=repairs)

    @property
    def title(self) -> str:
        """The condition's name in tables."""
        if replace(self.spelled_out, models=None) == RETRY_ONLY:
            return "retry only (external_loop)"
        how = f": {' → '.join(self.strategies)}" if self.strategies else ""
        repairs = "" if self.form_repairs is None else f", form repairs: {self.form_repairs}"
        score = "" if self.min_score is None else f", min score: {self.min_score:.15g}"
        return f"{self.mode}{how}{repairs}{score}{'' if self.verify else ', self-judged'}"


RETRY_ONLY = Condition("external_loop", ("fresh",), form_repairs=0)
"""The external loop with new attempts that see nothing of the failed ones: a control."""

Modes = str | Condition | Sequence[str | Condition]


class ShownOnly:
    """A verifier's format and criteria, such as tests, that the models read but nothing runs."""

    def __init__(self, verifier: FormattedVerifier) -> None:
        self.instructions = verifier.instructions
        self.criteria = verifier.criteria
        self.parse = verifier.parse

    def __call__(self, task: str, answer: str) -> Verdict:
        """Leave the judgment to a model."""
        return Verdict("unverified", "Nothing has run the answer.")


def conditions_of(modes: Modes | None, *, verified: bool, controls: bool) -> list[Condition]:
    """The conditions of an evaluation, each loop once; "retry only" among them, if controls are wanted and possible.

    Args:
        modes: what was asked for.
        verified: at least one task has a verifier.
        controls: controls are wanted.

    Raises:
        ValueError: one of them needs a verifier, and no task has one.
    """
    named = DEFAULT_MODES[0 if verified else 1 :] if modes is None else modes
    listed = [named] if isinstance(named, (str, Condition)) else items_of("modes", named, "a list of modes")
    chosen = [mode if isinstance(mode, Condition) else Condition(mode) for mode in listed]
    if not verified and any(condition.mode == RETRY_ONLY.mode for condition in chosen):
        raise ValueError(
            "external_loop judges by its verifier alone, and no task has one: give verifier=…, or other modes"
        )
    found: dict[Condition, Condition] = {}
    for condition in [RETRY_ONLY, *chosen] if controls and verified else chosen:
        found.setdefault(condition.spelled_out, condition)
    return list(found.values())


def cascade_of(condition: Condition, actors: Mapping[str, ChatModel | str]) -> tuple[ChatModel | str, ...]:
    """The models that a condition names.

    Args:
        condition: which names some.
        actors: the evaluation's models by their names.

    Raises:
        ValueError: the evaluation has no model of that name.
    """
    names = condition.models or ()
    if unknown := [name for name in names if name not in actors]:
        raise ValueError(f"a condition names the models {unknown}, but the evaluation has {list(actors)}")
    return tuple(actors[name] for name in names)
