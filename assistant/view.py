"""Progress of a plan-act run as a person sees it: plan, step i of N, thought, action, result, steps used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from .._internal.plain import plain
from .._internal.texts import Language
from ..traces.events import Event
from .texts import text

_WIDTH = 160


def progress_lines(event: Event, language: Language) -> list[Text]:
    """What an event adds to the progress display; nothing for most of them."""
    data: Mapping[str, Any] = event["data"]
    kind = event["kind"]
    if kind == "plan" and data["items"]:
        shown = [Text(text(language, "chat.planned"), style="bold")]
        return shown + [Text(f"  {number}. {_line(item['step'])}") for number, item in enumerate(data["items"], 1)]
    if kind == "thought" and data.get("decision"):
        return _decision(data, language)
    if kind == "thought" and data.get("feedback"):
        return [Text(f"  ↻ {_line(data['feedback'])}", style="yellow")]
    if kind == "action":
        used = text(language, "chat.steps", steps=data["steps"], max_steps=data["max_steps"])
        line = Text(f"  ▶ {_line(data['tool'])}: {_line(data['input'])}", style="cyan")
        return [line.append(f"  ({used})", style="dim")]
    if kind == "observation" and data["tool"] != "ask_user":
        mark, color = ("✔", "green") if data["ok"] else ("✘", "red")
        return [Text(f"  {mark} {_line(data['result'])}", style=color)]
    return []


def _decision(data: Mapping[str, Any], language: Language) -> list[Text]:
    decision = data["decision"]
    if decision["status"] == "done":
        return [Text(f"  ● {_line(decision['response'])}")]
    if decision["status"] == "ask_user":
        return []
    heading = text(language, "chat.item", item=data["item"], of=data["of"], step=_line(data["step"]))
    lines = [Text(heading, style="bold")]
    if decision["thought"]:
        lines.append(Text(f"  … {_line(decision['thought'])}", style="dim"))
    return lines


def _line(value: object) -> str:
    shown = " ".join(plain(value).split())
    return shown if len(shown) <= _WIDTH else f"{shown[:_WIDTH]}…"
