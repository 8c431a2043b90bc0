"""What the workers import: a model that waits, one that does not, and a verifier with an effect."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import psycopg
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from thoughtgraph import Verdict
from thoughtgraph.tools import Verifier

TABLES = (
    "CREATE TABLE effects (key text PRIMARY KEY, worker integer)",
    "CREATE TABLE asked (key text, worker integer)",
)
ORDER = """
WITH noted AS (INSERT INTO asked VALUES (%s, %s)) INSERT INTO effects VALUES (%s, %s) ON CONFLICT DO NOTHING
"""


class Waiting(BaseChatModel):
    """Answers with the task's name and the number of the attempt, after so many seconds."""

    seconds: float = 0.2

    @property
    def _llm_type(self) -> str:
        return "waiting"

    def _generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatResult:
        text = "\n".join(str(message.content) for message in messages)
        found = re.search(r"Task (\w+)", text)
        number = 1 + text.count("is wrong")
        usage: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        metadata = {"finish_reason": "stop"}
        reply = AIMessage(f"{found and found[1]} {number}", usage_metadata=usage, response_metadata=metadata)
        return ChatResult(generations=[ChatGeneration(message=reply)])

    async def _agenerate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatResult:
        if self.seconds:
            await asyncio.sleep(self.seconds)
        return self._generate(messages)


def waiting() -> Waiting:
    """A model that takes 200 ms, as a fast hosted one does."""
    return Waiting()


def instant() -> Waiting:
    """A model that takes no time."""
    return Waiting(seconds=0.0)


@cache
def _database() -> psycopg.Connection[Any]:
    return psycopg.connect(os.environ["EFFECTS"], autocommit=True)


def effect(row: Mapping[str, Any]) -> Verifier:
    """A verifier that orders something for every answer, under a key; the first answer is wrong."""

    def order(task: str, answer: str) -> Verdict:
        key = f"{row['task_id']}: {answer}"
        for _ in range(20):
            try:
                # One statement: threads share the connection.
                _database().execute(ORDER, (key, os.getpid(), key, os.getpid()))
                break
            except psycopg.OperationalError:
                _database.cache_clear()
        return Verdict("failed", f"{answer} is wrong") if answer.endswith(" 1") else Verdict("passed")

    return order
