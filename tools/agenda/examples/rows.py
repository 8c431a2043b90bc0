"""How the bank of requests is written down: a line each."""

from __future__ import annotations

from collections.abc import Sequence

from ...examples import PlanExample

Row = tuple[str, str, str]
"""A goal; its steps, with "; " between them; the command of the one step, without its first word, or "= " and the
answer at once, or "" where the plan alone is shown."""


def plans(
    command: str, rows: Sequence[Row], after: Sequence[tuple[str, str, Row]], speakers: tuple[str, str]
) -> list[PlanExample]:
    """The rows as examples.

    Args:
        command: the first word of the commands.
        rows: requests that stand alone.
        after: what was said and answered before, and a request that follows it.
        speakers: what stands before the words of the user and of the assistant.
    """
    user, assistant = speakers
    told = [_plan(command, row) for row in rows]
    for said, answered, row in after:
        told.append({**_plan(command, row), "background": f"{user}{said}{assistant}{answered}"})
    return told


def _plan(command: str, row: Row) -> PlanExample:
    goal, steps, call = row
    plan = PlanExample(goal=goal, steps=steps.split("; ") if steps else [])
    if call.startswith("= "):
        plan["response"] = call[2:]
    elif call:
        plan["input"] = call if call.startswith("/") else f"/{command} {call}"
    return plan
