"""What workers import by its name: models, verifiers and scorers at the top level of a module."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from support.modes import critique
from thoughtgraph import Verdict


class Echo(BaseChatModel):
    """Answers with the task, and criticizes by accepting; keeps nothing, so any process may hold it."""

    model_name: str = "echo"
    temperature: float | None = 0.0
    seed: int | None = None
    deadly: bool = False

    @property
    def _llm_type(self) -> str:
        return "echo"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = "\n".join(str(message.content) for message in messages)
        if "[Verdict]" in text:
            return _result(critique(accept=True, score=0.9))
        task = re.search(r"Task (\w+)(?: in (\S+))?", text)
        assert task
        if task[2] is None:
            return _result(f"echo of {task[1]}{'' if self.seed is None else f' {self.seed}'}")
        number = noted(Path(task[2]) / f"calls-{task[1]}")
        if self.deadly and number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return _result(f"answer {number}")


def _result(text: str) -> ChatResult:
    usage: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    reply = AIMessage(text, response_metadata={"finish_reason": "stop", "model_name": "echo"}, usage_metadata=usage)
    return ChatResult(generations=[ChatGeneration(message=reply)])


def noted(file: Path) -> int:
    """Add a line to a file, and count its lines."""
    with file.open("a+", encoding="utf-8") as lines:
        lines.write(f"{os.getpid()}\n")
        lines.flush()
        lines.seek(0)
        return len(lines.readlines())


def echo() -> Echo:
    """A model that can be sent by the name of this function."""
    return Echo()


def deadly() -> Echo:
    """A model whose second call for a task kills its process, where the task names a folder."""
    return Echo(deadly=True)


def verifier(task: str, answer: str) -> Verdict:
    """Passes every answer but the first of a task that names a folder, and those to a task with an "x"."""
    wrong = answer == "answer 1" or "x" in answer
    return Verdict("failed", f"{answer} is wrong") if wrong else Verdict("passed")


def scorer(row: Mapping[str, Any]) -> Callable[[str, str], bool]:
    """Holds an answer to the row's."""
    return lambda task, answer: answer.startswith(f"echo of {row['task_id']}")
