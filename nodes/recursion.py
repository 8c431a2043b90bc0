"""How many of LangGraph's steps a run has left, up to the caller's `recursion_limit`."""

from __future__ import annotations

from langchain_core.runnables.config import ensure_config
from langgraph.constants import CONFIG_KEY_CHECKPOINTER
from langgraph.managed.is_last_step import RemainingStepsManager

from ..traces.shapes import StopReason

SCRATCHPAD = "__pregel_scratchpad"
"""LangGraph's private key for the counters of a step. Where it is missing, a run that meets the limit ends with
LangGraph's own error."""
_LONGEST_WAY = 8
"""An upper bound for the steps of the shortest way from any node to the end."""


def steps_left() -> int | None:
    """The steps that may follow the current one, up to the caller's `recursion_limit`.

    None if the run has a checkpointer: LangGraph then raises its error at the limit, and the run can be resumed.
    """
    # `get_config` would fail in a canceled run, which asks outside of its task.
    configurable = ensure_config().get("configurable") or {}
    if configurable.get(CONFIG_KEY_CHECKPOINTER) or SCRATCHPAD not in configurable:
        return None
    return RemainingStepsManager.get(configurable[SCRATCHPAD]) - 1


def out_of_steps(rounds: int) -> StopReason | None:
    """The stop reason of a run that reached its last node only because no steps were left for another way; else None.

    Args:
        rounds: how many attempts, or steps of a plan-act loop, the run has made.
    """
    left = steps_left()
    if left is None or left >= _LONGEST_WAY:
        return None
    return StopReason(kind="recursion_limit", value=rounds, limit=None)
