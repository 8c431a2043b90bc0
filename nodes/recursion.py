"""LangGraph's steps of a run, which the caller's `recursion_limit` bounds."""

from __future__ import annotations

from langchain_core.runnables.config import ensure_config
from langgraph.constants import CONFIG_KEY_CHECKPOINTER
from langgraph.managed.is_last_step import RemainingStepsManager

from ..traces.shapes import StopReason

SCRATCHPAD = "__pregel_scratchpad"
"""Where LangGraph keeps the counts of a step, by a name of its own: without it a run ends as LangGraph has it."""
_LONGEST_WAY = 8
"""More steps than any node's shortest way to the end has."""


def steps_left() -> int | None:
    """LangGraph's steps behind the one under way, up to the caller's `recursion_limit`; None where a checkpointer keeps
    a run that has met it, which can then go on."""
    # A canceled run asks outside of its task.
    configurable = ensure_config().get("configurable") or {}
    if configurable.get(CONFIG_KEY_CHECKPOINTER) or SCRATCHPAD not in configurable:
        return None
    return RemainingStepsManager.get(configurable[SCRATCHPAD]) - 1


def out_of_steps(rounds: int) -> StopReason | None:
    """Why a run ends that has no reason of its own: the shortest way led here, as the one it was on is too long."""
    left = steps_left()
    if left is None or left >= _LONGEST_WAY:
        return None
    return StopReason(kind="recursion_limit", value=rounds, limit=None)
