"""Answers that nothing can verify: which of them most samples agree on, and when further samples change nothing.

Source: Wang et al. 2023, Self-Consistency (arXiv 2203.11171), for the most frequent answer; Aggarwal et al. 2023, Let's
Sample Step by Step: Adaptive-Consistency (arXiv 2305.11860), for the end: the two most frequent answers are a coin with
an unknown bias, of which nothing is known before the first sample. Sampling ends once the bias is on the side of the
leading answer with a probability of more than 0.95. That depends on the counts alone.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import comb
from numbers import Integral, Real
from typing import Any, cast

from langgraph.errors import GraphBubbleUp

from ...._internal.numbers import as_pythons_own
from ...._internal.redact import line_of, redacted
from ...._internal.steps import exits_as_errors
from ...._internal.strict_json import finite, storable
from ....traces.events import Link, recording
from ....traces.shapes import Attempt, StopReason
from ..loop import ReflectionLoop
from ..request import Answered
from .state import SampledState

_SURE = 0.95


@dataclass(frozen=True, slots=True)
class Agreement:
    """The answer that most samples agree on.

    Attributes:
        members: the samples that gave it, the first one first; of equally frequent answers that which came first.
        runner_up: how many samples gave the next most frequent answer.
        samples: how many there are, unreadable ones included.
    """

    members: tuple[Attempt, ...]
    runner_up: int
    samples: int

    @property
    def agreed(self) -> int:
        """How many samples gave the answer."""
        return len(self.members)

    def is_settled(self, left: int) -> bool:
        """Whether so many further samples cannot, or most likely would not, put another answer in front."""
        if self.agreed > self.runner_up + left:
            return True
        # The bias has the density Beta(agreed + 1, runner_up + 1), whose upper half is a sum over a fair coin.
        tosses = self.agreed + self.runner_up + 1
        return sum(comb(tosses, heads) for heads in range(self.agreed + 1)) / 2**tosses > _SURE


def agreement_of(attempts: Sequence[Attempt]) -> Agreement | None:
    """What most samples agree on; None if none has an answer."""
    groups = Counter(_group(attempt) for attempt in attempts if attempt["answer"] is not None)
    if not groups:
        return None
    # Of equal counts, `most_common` keeps the order in which they were met.
    (leader, _), *others = groups.most_common(2)
    members = tuple(a for a in attempts if a["answer"] is not None and _group(a) == leader)
    return Agreement(members, others[0][1] if others else 0, len(attempts))


def _group(attempt: Attempt) -> int:
    return attempt["repeats"] or attempt["number"]


def agreement_stop(attempts: Sequence[Attempt], left: int) -> StopReason | None:
    """The reason to stop if the samples agree enough for so many further ones not to matter, or None."""
    agreement = agreement_of(attempts)
    if agreement is None or not agreement.is_settled(left):
        return None
    return StopReason(kind="agreement", value=agreement.agreed, limit=agreement.samples)


def agree(state: SampledState, loop: ReflectionLoop) -> dict[str, Any]:
    """Note which answer most samples agree on: that is no verification, and the verdict says so."""
    agreement = agreement_of(state["attempts"])
    if agreement is None:
        return {}
    number = agreement.members[0]["number"]
    compared = {"key": state["keys"][number - 1]} if loop.key else {}
    with recording(state["run_id"], len(state["events"])) as recorder:
        recorder.add(
            "verdict",
            [Link(source=attempt["event"], relation="led_to") for attempt in agreement.members],
            status="unverified",
            feedback=f"{agreement.agreed} of {agreement.samples} samples agree on the answer of attempt {number}.",
            score=agreement.agreed / agreement.samples,
            kind="",
            details={"agreed": agreement.agreed, "samples": agreement.samples, **compared},
            seconds=0.0,
        )
    return {"events": recorder.events}


def check_key(key: object) -> None:
    """Refuse what cannot be called with an answer alone.

    Raises:
        ValueError: it is not a function of one argument, or it is an async one.
    """
    wanted = "give a function of an answer that returns what answers are compared by"
    if not callable(key) or inspect.iscoroutinefunction(key):
        raise ValueError(f"key is {key!r}: {wanted}")
    try:
        inspect.signature(key).bind("answer")
    except TypeError as problem:
        raise ValueError(f"key cannot be called with an answer alone ({problem}): {wanted}") from None
    except ValueError:
        # A builtin such as `int` tells nothing of its arguments.
        return


def keyed(answered: Answered, key: Callable[[str], Any] | None) -> tuple[Answered, Any]:
    """What was answered, and what it is compared by; without the answer if it cannot be compared.

    Raises:
        ValueError: the key is no JSON value.
    """
    if key is None or answered.answer is None:
        return answered, None
    try:
        with exits_as_errors():
            value = key(answered.answer)
    except GraphBubbleUp:
        raise
    except Exception as problem:  # noqa: BLE001 - the model wrote what the key cannot read
        return _unread(answered, f"raised {line_of(problem)}"), None
    if value is None:
        return _unread(answered, "returned None"), None
    try:
        known = json.loads(json.dumps(value, default=_pythons_own))
        if finite(known) is not known:
            # Not a number equals nothing, and as JSON it would be the text "NaN", which all of them share.
            return _unread(answered, "returned a number that is not finite"), None
        return answered, storable(known)
    except (TypeError, ValueError, OverflowError) as problem:
        wanted = "return a JSON value, such as a text or a number"
        raise ValueError(f"key returned {type(value).__name__} for an answer ({problem}): {wanted}") from None


def _pythons_own(value: object) -> object:
    """A number of another kind, such as one of numpy's or a `Decimal`, as JSON has it."""
    own = as_pythons_own(value)
    if isinstance(own, bool):
        return own
    if isinstance(own, (Real, Decimal)):
        return int(own) if isinstance(own, Integral) else float(own)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def is_same_key(one: Any, other: Any) -> bool:
    """Whether two keys are the same JSON value: 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        here, there = cast("list[Any]", one), cast("list[Any]", other)
        return len(here) == len(there) and all(map(is_same_key, here, there))
    if isinstance(one, dict) and isinstance(other, dict):
        mine, yours = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        return mine.keys() == yours.keys() and all(is_same_key(mine[name], yours[name]) for name in mine)
    return one == other


def _unread(answered: Answered, what: str) -> Answered:
    return replace(answered, answer=None, feedback=redacted(f"The key of the answer {what}"), kind="no_answer")
