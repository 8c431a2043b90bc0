"""What a mode does where nobody says otherwise; the command line shows it, so it needs nothing to be imported."""

from __future__ import annotations

from typing import Literal

RetryStrategy = Literal["repair", "fresh", "lesson"]
Way = RetryStrategy | Literal["repair_form", "escalate"]
"""A node that leads to another attempt."""
DEFAULT_STRATEGIES: tuple[RetryStrategy, ...] = ("fresh",)
"""What solved most over the measured models and task sets, at the fewest tokens (docs/benchmarks.md)."""
_DEFINING: dict[str, tuple[RetryStrategy, ...]] = {"reflexion": ("lesson",), "actor_critic": ("repair", "lesson")}
"""Strategies that define a mode: Reflexion reads its reflections as a lesson, Actor-Critic a critique in the
conversation."""
DEFAULT_FORM_REPAIRS = {"external_loop": 1}
"""By mode. In every other it is 0: no answer is sent back for its form."""
DEFAULT_ATTEMPTS = 3
"""Of a task, wherever nobody says how many: what feedback achieves, it achieves in the first two rounds."""
DEFAULT_PATIENCE = 4
MAX_REPEATS = 2
"""Answers in a row that had been given before, after which a loop gives up."""
PROMISING_WITHIN = 2
"""Attempts after which one has to have reached `min_score`."""
BEST_OF_N = "best_of_n"
"""The mode whose attempts are independent samples."""
ASKS_NO_CRITIC = ("external_loop", BEST_OF_N)
"""The modes in which no model is asked for its opinion."""


def strategies_of(mode: str) -> tuple[RetryStrategy, ...]:
    """A mode's strategies where nobody chooses any."""
    return _DEFINING.get(mode, DEFAULT_STRATEGIES)


def form_repairs_of(mode: str) -> int:
    """How often in a row a mode repairs the form of an answer where nobody says."""
    return DEFAULT_FORM_REPAIRS.get(mode, 0)
