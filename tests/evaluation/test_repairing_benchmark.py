"""The benchmark of repairing: the same wrong first answers, asked again in every way, and a table of the results."""

from __future__ import annotations

import json
import re
import sys
from io import StringIO
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from rich.console import Console
from support.paths import ROOT
from support.scripted import ScriptedModel

sys.path.insert(0, str(ROOT))

from benchmarks import repairing
from benchmarks.solving.checks import tasks_of

ROWS = {task.prompt: task.row for domain in repairing.WAYS for task in tasks_of(domain)}


class Copier(ScriptedModel):
    """Writes the wrong form, and the right answer only when it is told of its mistake and does not see the answer."""

    replies: list[Any] = Field(default_factory=list[Any])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        asked = str(messages[1].content)
        row = next(row for prompt, row in ROWS.items() if asked.startswith(prompt))
        told = asked not in ROWS
        right = row["reference"] if row["domain"] == "sql" else json.dumps(row["reference"])
        language, wrong = ("sql", "SELECT nothing") if row["domain"] == "sql" else ("json", '{"nothing": 1}')
        reply = f"```{language}\n{right if told else wrong}\n```"
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])


async def test_every_way_is_asked_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repairing, "tasks_of", lambda domain: tasks_of(domain, 3))
    shown = StringIO()
    await repairing.measure(Copier(), Console(file=shown, width=120))
    text = shown.getvalue()
    assert "extraction: 3 of 3 first answers have the wrong form" in text
    assert "sql: 3 of 3 first answers have the wrong form" in text
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    counted = [(way, counts[:4]) for way, *counts in rows]
    repaired, copied = ["3", "3", "3", "0"], ["0", "0", "0", "3"]
    assert counted.count(("whole, answer not in sight", repaired)) == 2
    assert counted.count(("wrong fields, answer not in sight", repaired)) == 1
    for way in ("whole, in the conversation", "fresh sample"):
        assert counted.count((way, copied)) == 2, "in both domains"
