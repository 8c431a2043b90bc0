"""How the bank of requests is written down: a line each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ...._internal.texts import Language
from ...dates.when import tell
from ...examples import PlanExample
from ..texts import text

Row = tuple[str, str, str]
"""A goal; its steps, with "; " between them; the command of the one step, without its first word, or "= " and the
answer at once, or "" where the plan alone is shown."""


_OF_AN_ENTRY = ("done", "undo", "rm", "edit", "show", "find")
_SPEAKERS: dict[Language, tuple[str, str]] = {"en": ("User: ", "\nAssistant: "), "zh": ("用户：", "\n助手：")}
_SOME_DAY = datetime(2024, 5, 7, 17)


def plans(
    command: str, rows: Sequence[Row], after: Sequence[tuple[str, str, Row]], language: Language
) -> list[PlanExample]:
    """The rows as examples; one whose call names an entry shows that the entry is there.

    Args:
        command: the first word of the commands.
        rows: requests that stand alone.
        after: what was said and answered before, and a request that follows it.
        language: of the rows.
    """
    user, assistant = _SPEAKERS[language]
    told = [_plan(command, row, place, language) for place, row in enumerate(rows)]
    for place, (said, answered, row) in enumerate(after):
        told.append({**_plan(command, row, place, language), "background": f"{user}{said}{assistant}{answered}"})
    return told


def _plan(command: str, row: Row, place: int, language: Language) -> PlanExample:
    goal, steps, call = row
    plan = PlanExample(goal=goal, steps=steps.split("; ") if steps else [])
    order, _, details = call.partition(" ")
    entry = details.partition(" --")[0]
    if order in _OF_AN_ENTRY and not entry[:1].isdigit():
        line = f"{place % 7 + 1}: {entry}"
        if command == "schedule":
            line += f", {tell(_SOME_DAY + timedelta(days=place % 5, hours=place % 3), language)}"
        plan["context"] = text(language, "todo.known_done" if order == "undo" else f"{command}.known", entry=line)
    if call.startswith("= "):
        plan["response"] = call[2:]
    elif call:
        plan["input"] = call if call.startswith("/") else f"/{command} {call}"
    return plan
