"""An assistant on a scripted model, and the payloads that script it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from support.scripted import ScriptedModel
from thoughtgraph import Assistant
from thoughtgraph.tools.search import SearchResult


def clock() -> datetime:
    return datetime(2026, 3, 11, 9, 0)


class Searches:
    name = "fixed"

    def search(self, query: str, top_k: int) -> list[SearchResult]:
        return [SearchResult("Zoo", f"{query}: open from 9 to 17", "https://zoo.example/")]


def planned(*steps: str, response: str | None = None) -> str:
    return json.dumps({"status": "planned", "plan": list(steps), "response": response})


def replanned(*steps: str, response: str | None = None) -> str:
    return json.dumps({"status": "replanned", "plan": list(steps), "response": response})


def acts(name: str, value: Any) -> str:
    return json.dumps({"status": "continue", "next_action": {"tool": name, "input": value}})


def done(response: str) -> str:
    return json.dumps({"status": "done", "response": response})


def asks(question: str) -> str:
    return json.dumps({"status": "ask_user", "question": question})


def opened(folder: Path, *replies: Any, language: Any = "en", **options: Any) -> tuple[Assistant, ScriptedModel]:
    model = ScriptedModel(replies=list(replies))
    assistant = Assistant(model, folder=folder, language=language, search=Searches(), clock=clock, **options)
    return assistant, model
