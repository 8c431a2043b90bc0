"""Several hundred requests with the reply to each, as people put them; a run is shown those that are like its own.

They stand in `en.jsonl` and `zh.jsonl`, a line each:

tool       whose plan it is: `"todo"` or `"schedule"`
before     what was said before and what was answered and done; only where the request follows it
said       the request
plan       its steps; none where it is answered at once
call       the call of the one step; left out where more than one is needed, or something has to be asked first
answer     the answer at once

The most usual ones stand first: where no words are alike, those are shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from ...._internal.texts import Language
from ...dates.when import tell
from ...examples import PlanExample
from ..request import Kind
from ..texts import text

_FOLDER = Path(__file__).parent
_OF_AN_ENTRY = ("done", "undo", "rm", "edit", "show", "find")
_SPEAKERS: Mapping[Language, tuple[str, str]] = {"en": ("User: ", "\nAssistant: "), "zh": ("用户：", "\n助手：")}
_SOME_DAY = datetime(2024, 5, 7, 17)


@cache
def plans(kind: Kind, language: Language) -> tuple[PlanExample, ...]:
    """The example plans of one tool in one language.

    Args:
        kind: of the tool.
        language: of the requests.

    Returns:
        Those that stand alone, then those that follow something that was said; one whose call names an entry shows
        that the entry is there.
    """
    lines = _FOLDER.joinpath(f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["tool"] == kind]
    alone = [row for row in rows if "before" not in row]
    after = [row for row in rows if "before" in row]
    return tuple(_plan(kind, row, place, language) for some in (alone, after) for place, row in enumerate(some))


def _plan(kind: Kind, row: Mapping[str, Any], place: int, language: Language) -> PlanExample:
    plan = PlanExample(goal=row["said"], steps=row["plan"])
    if "before" in row:
        user, assistant = _SPEAKERS[language]
        said, answered = row["before"]
        plan["background"] = f"{user}{said}{assistant}{answered}"
    if "answer" in row:
        plan["response"] = row["answer"]
    if "call" in row:
        plan["input"] = row["call"]
        if entry := _entry(kind, row["call"], place, language):
            plan["context"] = entry
    return plan


def _entry(kind: Kind, call: str, place: int, language: Language) -> str:
    """The line of the entry that a call names by its words; "" for other calls."""
    _, order, *rest = call.split(" ", 2)
    named = " ".join(rest).partition(" --")[0]
    if order not in _OF_AN_ENTRY or named[:1].isdigit():
        return ""
    line = f"{place % 7 + 1}: {named}"
    if kind == "schedule":
        line += f", {tell(_SOME_DAY + timedelta(days=place % 5, hours=place % 3), language)}"
    return text(language, "todo.known_done" if order == "undo" else f"{kind}.known", entry=line)
