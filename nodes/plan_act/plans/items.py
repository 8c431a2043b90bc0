"""The steps of a plan: which are the same when they are planned again, and which have failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from ...._internal.strict_json import mapping
from ....traces.shapes import PlanItem
from .check import in_order

_STATUSES = ("open", "done", "failed")


def normalized(words: str) -> str:
    """A step or a question without what makes no difference between two of them: case, quotes, emphasis, its end."""
    return " ".join(re.sub(r"[\"'`“”‘’「」]|\*\*|__", "", words.lower()).split()).rstrip(" .!?。！？")


def failed_items(finished: Sequence[PlanItem]) -> list[PlanItem]:
    """The finished steps that failed; of one that was planned again, what came of it last counts."""
    last = {normalized(item["step"]): item for item in finished}
    return [item for item in last.values() if item["status"] == "failed"]


def first_step(items: Sequence[PlanItem]) -> str:
    """The step of a plan that comes first, as `validate_plan` orders it; "" for an empty plan."""
    return normalized(items[in_order(items)[0]]["step"]) if items else ""


def arranged(items: Sequence[PlanItem], order: Sequence[int]) -> list[PlanItem]:
    """The items at these indices in this order, renumbered; what they require of others is dropped."""
    numbers = {index + 1: place for place, index in enumerate(order, 1)}
    return [
        {**items[index], "requires": [numbers[number] for number in items[index]["requires"] if number in numbers]}
        for index in order
    ]


def without_finished(steps: Sequence[dict[str, Any]], settled: Sequence[PlanItem]) -> list[PlanItem]:
    """The steps of a new plan that are not settled yet, renumbered; what a step required of those is met."""
    known = {normalized(item["step"]) for item in settled}
    kept = [number for number, step in enumerate(steps, 1) if normalized(step["step"]) not in known]
    renumbered = {old: new for new, old in enumerate(kept, 1)}
    items: list[PlanItem] = []
    for number in kept:
        step = steps[number - 1]
        required: list[int] = step["requires"]
        requires = [renumbered.get(n, n) for n in required if n in renumbered or not 1 <= n <= len(steps)]
        items.append({**open_item(step["step"]), "tool": step["tool"], "requires": requires})
    return items


def open_item(step: str) -> PlanItem:
    """A step that is not done."""
    return PlanItem(step=step, tool=None, requires=[], status="open", response="")


def merged_plan(items: list[PlanItem] | None, writes: Sequence[list[PlanItem]]) -> list[PlanItem]:
    """Finished steps join those before; open ones, even if there are none, replace the open ones."""
    kept = items or []
    for write in writes:
        if not isinstance(cast(object, write), list) or not all(map(_is_step, write)):
            raise ValueError(
                "a step of the plan has `step`, `tool`, `requires`, `status` (open, done or failed) and `response`, "
                f"got {write}"
            )
        done = [item for item in (*kept, *write) if item["status"] != "open"]
        kept = [*done, *(item for item in write if item["status"] == "open")]
    return kept


def _is_step(item: object) -> bool:
    """Whether an item says what becomes of it: a step of any other status would be neither worked on nor done."""
    found = mapping(item)
    return "step" in found and found.get("status") in _STATUSES
