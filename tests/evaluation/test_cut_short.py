"""Batches cut short by a kill or a full disk, and called again: nothing lost, nothing told twice, nothing in vain."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from support.worth import CALL, REFLECTION, Answering, Killed, judge, rows, scorer
from thoughtgraph import Verdict
from thoughtgraph.checkpoints.checkpoints import Checkpoints
from thoughtgraph.errors import CheckpointError, RunFileError
from thoughtgraph.evaluation import Comparison, evaluate

pytestmark = pytest.mark.slow


class Deriving(Answering):
    """Answers by the request alone, so that whoever asks again gets the same."""

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = "\n".join(str(message.content) for message in messages)
        self.asked.append(text)
        number = int(hashlib.sha256(f"{text}{kwargs.get('seed')}".encode()).hexdigest(), 16) % 9
        reply = REFLECTION + f" {number}" if "[Mistake]" in text else f"answer {len(text)} {number}"
        usage: Any = {"input_tokens": CALL - 100, "output_tokens": 100, "total_tokens": CALL}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply, usage_metadata=usage))])


def evaluated(folder: Path, **options: Any) -> Comparison:
    settings: dict[str, Any] = {
        "modes": ["reflexion"],
        "verifier": judge,
        "scorer": scorer,
        "concurrency": 1,
        **options,
    }
    return evaluate(rows("ab"), Deriving(answers={}), save=folder, **settings)


def told(comparison: Comparison) -> list[dict[str, Any]]:
    rows = [{**row, "seconds": 0} for row in comparison.rows()]
    return [*rows, *({"curve": [str(point) for point in each.curve]} for each in comparison.conditions)]


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Let only so many checkpoints be stored: the results of the step before the next one are."""
    left = {"checkpoints": 0}
    put = Checkpoints.put

    def limited(self: Checkpoints, *arguments: Any) -> Any:
        left["checkpoints"] -= 1
        if left["checkpoints"] < 0:
            cause = OSError("database or disk is full")
            raise CheckpointError("checkpoints.sqlite", "full", str(cause)) from cause
        return put(self, *arguments)

    monkeypatch.setattr(Checkpoints, "put", limited)
    yield left


@pytest.mark.parametrize("budget", [{"max_tokens": 8 * CALL, "controls": False}, {"max_attempts": 2}], ids=str)
@pytest.mark.parametrize("moment", [2, 7, 11, 16])
def test_a_batch_whose_checkpoints_end_anywhere_goes_on_to_the_same_end(
    stored: dict[str, int], budget: dict[str, Any], moment: int, tmp_path: Path
) -> None:
    stored["checkpoints"] = 1_000
    whole = evaluated(tmp_path / "whole", **budget)
    stored["checkpoints"] = moment
    try:
        evaluated(tmp_path / "cut", **budget)
    except RunFileError as problem:
        assert "full. Fix that and call this again" in str(problem)
    stored["checkpoints"] = 1_000
    assert told(evaluated(tmp_path / "cut", **budget)) == told(whole)


def test_an_attempt_that_was_begun_is_finished_before_another_begins(tmp_path: Path) -> None:
    judged: list[str] = []
    deadly = True

    def killing(task: str, answer: str) -> Verdict:
        judged.append(task)
        # Once for one shot, and for the second attempt behind that, whose reflection is paid by then.
        if deadly and judged.count(task) == 3:
            raise Killed
        return judge(task, answer)

    options: dict[str, Any] = {"max_tokens": 4 * CALL, "max_attempts": 2, "controls": False, "verifier": killing}
    with pytest.raises(Killed):
        evaluated(tmp_path / "cut", **options)
    deadly = False
    assert told(evaluated(tmp_path / "cut", **options)) == told(evaluated(tmp_path / "whole", **options))
