"""Several tool calls in one reply: who may make them, for which steps they are, and how many there is room for.

A tool says that its calls may be made beside others: `metadata={"parallel": True}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.tools import BaseTool

from ....tools.calls.action_check import ActionCheck
from ....tools.metadata import metadata_of
from ....traces.shapes import Action, PlanItem
from .marks import call_fingerprint

MAX_AT_ONCE = 8
"""Calls in one reply, and steps in one round."""


def parallel_tools(tools: Mapping[str, BaseTool]) -> frozenset[str]:
    """The tools that may be called beside others.

    Raises:
        ValueError: such a tool also ends the run with its result, which is for one call alone.
    """
    found = {name for name, tool in tools.items() if metadata_of(tool).get("parallel")}
    if direct := sorted(name for name in found if tools[name].return_direct):
        raise ValueError(f"{', '.join(direct)}: a tool with return_direct=True cannot be parallel as well")
    return frozenset(found)


def independent(items: Sequence[PlanItem], parallel: frozenset[str]) -> list[int]:
    """Indices of the open steps to work on in one round: the first, and what needs no open step and may run beside it.

    Args:
        items: the open steps in the order of their dependencies; their `requires` name no finished step.
        parallel: the tools that may be called beside others.
    """

    def free(item: PlanItem) -> bool:
        return not item["requires"] and item["tool"] in parallel

    if not items:
        return []
    if not free(items[0]):
        return [0]
    return [index for index, item in enumerate(items) if free(item)][:MAX_AT_ONCE]


@dataclass(frozen=True, slots=True)
class AtOnce:
    """What several calls in one reply are held to.

    Attributes:
        check: what every call is held to.
        parallel: the tools that may be called beside others.
        steps: the steps of the round by their numbers in the whole plan.
        room: calls that the limit of steps leaves.
    """

    check: ActionCheck
    parallel: frozenset[str]
    steps: Mapping[int, PlanItem]
    room: int

    def call(self, given: Mapping[str, Any]) -> Action | str:
        """A single call, or exact feedback on it."""
        calls = self.calls([given])
        return calls if isinstance(calls, str) else calls[0]

    def calls(self, given: Sequence[Mapping[str, Any]]) -> list[Action] | str:
        """The calls, or exact feedback on the first problem."""
        if len(given) > 1 and not self.parallel:
            return "`next_actions` has several calls, and no tool may be called beside others: make the first alone."
        most = max(1, min(MAX_AT_ONCE, self.room))
        if len(given) > most:
            return f"`next_actions` has {len(given)} calls; there is room for {most}: make those that matter most."
        found: list[Action] = []
        for place, one in enumerate(given, 1):
            action = self.check(one)
            if isinstance(action, str):
                return f"Call {place}: {action}" if len(given) > 1 else action
            if len(given) > 1 and action["tool"] not in self.parallel:
                alone = f"{action['tool']} may not be called beside other tools"
                return f"Call {place}: {alone}: make it alone, or only calls of {', '.join(sorted(self.parallel))}."
            if call_fingerprint(action) in map(call_fingerprint, found):
                return f"Call {place} is the same as one before it: make every call once."
            found.append(action)
        return self._for_steps(given, found)

    def _for_steps(self, given: Sequence[Mapping[str, Any]], calls: list[Action]) -> list[Action] | str:
        """The calls with the numbers of their steps, where the round has several steps."""
        if len(self.steps) < 2:
            return calls
        numbers = ", ".join(map(str, self.steps))
        for place, (one, action) in enumerate(zip(given, calls, strict=True)):
            step = _number(one.get("step"))
            if step is None:
                fitting = [number for number, item in self.steps.items() if item["tool"] == action["tool"]]
                if len(calls) == len(self.steps):
                    # A call for each step, in their order.
                    step = list(self.steps)[place]
                elif len(fitting) == 1:
                    step = fitting[0]
            if step not in self.steps:
                return f'{action["tool"]} is called for no step: add `"step"` to the call, one of {numbers}.'
            action["step"] = cast(int, step)
        return calls


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value) if len(value) < 10 else 0
    return value if isinstance(value, int) and not isinstance(value, bool) else None
