"""Progress of a plan-act run as a person sees it: plan, step i of N, thought, action, result, steps used."""

from __future__ import annotations

from rich.text import Text

from .._internal.plain import plain
from .._internal.texts import Language
from ..traces.events import Event
from ..traces.lookup import brief
from ..traces.shapes import PERSON, ThoughtData
from .texts import text

_WIDTH = 160


def progress_lines(event: Event, language: Language) -> list[Text]:
    """What an event adds to the progress display; nothing for most of them."""
    if event["kind"] == "plan" and event["data"]["items"]:
        shown = [Text(text(language, "chat.planned"), style="bold")]
        items = enumerate(event["data"]["items"], 1)
        return shown + [Text(f"  {number}. {_line(item['step'])}") for number, item in items]
    if event["kind"] == "thought":
        return _thought(event["data"], language)
    if event["kind"] == "action":
        action = event["data"]
        used = text(language, "chat.steps", steps=action["steps"], max_steps=action["max_steps"])
        line = Text(f"  ▶ {_line(action['tool'])}: {_line(action['input'])}", style="cyan")
        return [line.append(f"  ({used})", style="dim")]
    if event["kind"] == "observation" and event["data"]["tool"] not in PERSON:
        mark, color = ("✔", "green") if event["data"]["ok"] else ("✘", "red")
        return [Text(f"  {mark} {_line(event['data']['result'])}", style=color)]
    return []


def _thought(data: ThoughtData, language: Language) -> list[Text]:
    decision = data.get("decision")
    if decision is None:
        return [Text(f"  ↻ {_line(data['feedback'])}", style="yellow")] if data["feedback"] else []
    if decision["status"] == "done":
        return [Text(f"  ● {_line(decision['response'])}")]
    if decision["status"] == "ask_user":
        return []
    about = {"item": data.get("item"), "of": data.get("of"), "step": _line(data.get("step"))}
    heading = text(language, "chat.item", **about)
    lines = [Text(heading, style="bold")]
    if decision["thought"]:
        lines.append(Text(f"  … {_line(decision['thought'])}", style="dim"))
    return lines


def _line(value: object) -> str:
    return brief(plain(value), _WIDTH)
