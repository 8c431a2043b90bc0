"""The benchmark of the failure memory: its pairs of tasks, and what it measures over a scripted model."""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.store.memory import InMemoryStore
from pydantic import Field
from rich.console import Console
from support.paths import ROOT
from support.scripted import ScriptedModel, code
from thoughtgraph.evaluation.datasets import Task, load_tasks
from thoughtgraph.evaluation.judges import AllTests
from thoughtgraph.evaluation.judges import tests_of as run_tests
from thoughtgraph.memory import FailureMemory
from thoughtgraph.memory.lessons import Lesson

sys.path.insert(0, str(ROOT))

from benchmarks.memory.run import PAIRS, Passes, conclusion, measure, show

pytestmark = pytest.mark.slow

TASKS = load_tasks(PAIRS)
ROWS = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
BY_PAIR = list(zip(ROWS[::2], ROWS[1::2], strict=True))
each_task = pytest.mark.parametrize(
    ("task", "row"), list(zip(TASKS, ROWS, strict=True)), ids=[row["task_id"] for row in ROWS]
)
each_pair = pytest.mark.parametrize(("first", "second"), BY_PAIR, ids=[first["pair"] for first, _ in BY_PAIR])


def lesson(task: str) -> Lesson:
    """A failure at a task."""
    return Lesson(
        key="", task=task, kind="failed", error="it failed", lesson="", fix="", evidence=[], time="", similarity=0.0
    )


def calls(asserts: str) -> set[str]:
    """The calls that asserts make."""
    return {ast.unparse(node) for node in ast.walk(ast.parse(asserts)) if isinstance(node, ast.Call)}


def test_pairs_stand_one_behind_the_other() -> None:
    assert 20 <= len(BY_PAIR) <= 24
    assert [row["task_id"] for row in ROWS] == [
        f"{first['pair']}/{which}" for first, _ in BY_PAIR for which in ("first", "second")
    ]
    assert len({row["entry_point"] for row in ROWS}) == len(ROWS)
    assert len({first["pair"] for first, _ in BY_PAIR}) == len(BY_PAIR)


@each_task
def test_every_reference_passes_its_tests(task: Task, row: dict[str, str]) -> None:
    verdict = AllTests(task)(task.prompt, row["reference"])
    assert verdict.status == "passed", verdict.feedback


@each_task
def test_what_a_model_sees_gives_no_hidden_test_away(task: Task, row: dict[str, str]) -> None:
    examples = re.findall(rf"`({task.entry_point}\([^`]*\))` returns `([^`]*)`", task.prompt)
    assert examples
    shown = "\n".join(f"assert {call} == {result}" for call, result in examples)
    assert run_tests(shown, task)(task.prompt, row["reference"]).status == "passed"
    assert not calls(f"{task.visible_tests}\n{shown}") & calls(task.hidden_tests)
    results = {line.rpartition(" == ")[2] for line in task.hidden_tests.splitlines()}
    assert len(results) > 1


@each_pair
def test_the_solution_of_a_first_task_does_not_solve_the_second(first: dict[str, str], second: dict[str, str]) -> None:
    copied = re.sub(rf"\b{first['entry_point']}\b", second["entry_point"], first["reference"])
    task = TASKS[ROWS.index(second)]
    assert run_tests(task.visible_tests, task)(task.prompt, copied).status == "failed"


@each_pair
def test_a_second_task_recalls_its_own_first_task_before_all_others(
    first: dict[str, str], second: dict[str, str]
) -> None:
    memory = FailureMemory(InMemoryStore())
    memory.remember([lesson(row["prompt"]) for row in ROWS[::2]])
    recalled = memory.recall(second["prompt"])
    assert recalled[0]["task"] == first["prompt"]
    assert len(recalled) <= 3


class Learner(ScriptedModel):
    """Doubles at its second attempt, or with a lesson on the same thing; triples only with such a lesson."""

    replies: list[Any] = Field(default_factory=list[Any])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.requests.append(list(messages))
        text = str(messages[-1].content)
        lessons, task = text[: text.rindex("Write a function")], text[text.rindex("Write a function") :]
        thing = "herring" if "herring" in task else "lantern"
        able = thing in lessons or ("double" in task and self.seed is not None)
        body = f"def f(x):\n    return {(2 if 'double' in task else 3) if able else 0} * x"
        usage = {"input_tokens": len(text.split()), "output_tokens": 5, "total_tokens": len(text.split()) + 5}
        reply = AIMessage(code(body), response_metadata={"finish_reason": "stop"}, usage_metadata=usage)  # pyright: ignore[reportArgumentType]
        return ChatResult(generations=[ChatGeneration(message=reply)])


def doing(name: str, what: str, factor: int) -> Task:
    """A task that multiplies."""
    hidden = f"assert f(5) == {5 * factor}"
    return Task(name, f"Write a function `f` that {what}.", "f", f"assert f(1) == {factor}", hidden)


SCRIPTED = [
    doing("a/first", "doubles the weight of smoked herring", 2),
    doing("a/second", "triples the weight of smoked herring", 3),
    doing("b/first", "doubles the height of a paper lantern", 2),
    doing("b/second", "triples the height of a paper lantern", 3),
]


async def passes(tmp_path: Path, model: Learner, memory: FailureMemory) -> Passes:
    """Both passes over the scripted tasks."""
    told: list[tuple[str, int, int]] = []
    result = await measure(
        model,
        SCRIPTED,
        memory,
        tmp_path,
        max_attempts=2,
        on_progress=lambda title, done, total: told.append((title, done, total)),
    )
    assert [(done, total) for _, done, total in told].count((2, 2)) >= 5
    return result


async def test_each_condition_reads_the_lessons_that_it_is_named_after(tmp_path: Path) -> None:
    memory = FailureMemory(InMemoryStore())
    result = await passes(tmp_path, Learner(), memory)
    shown = {
        title[0]: [[lesson["task"] for lesson in lessons] for lessons in tasks] for title, tasks in result.shown.items()
    }
    herring, lantern = SCRIPTED[0].prompt, SCRIPTED[2].prompt
    assert shown == {
        "p": [[], []],
        "a": [[], []],
        "b": [[herring], [lantern]],
        "c": [[lantern], [herring]],
        "d": [[herring], [lantern]],
    }
    unrelated = [lesson for tasks in result.shown[result.unrelated.title] for lesson in tasks]
    assert all(lesson["similarity"] < 0.3 for lesson in unrelated)


async def test_what_comes_out_is_scored_and_held_against_its_control(tmp_path: Path) -> None:
    result = await passes(tmp_path, Learner(), FailureMemory(InMemoryStore()))
    assert [condition.solved.count for condition in result.conditions] == [2, 0, 2, 0, 2]
    assert [sum(run.first_correct for run in condition.runs) for condition in result.conditions] == [0, 0, 2, 0, 2]
    assert [one.title[0] + other.title[0] for one, other in result.held_together] == ["ba", "ca", "bc", "dp"]
    text = conclusion(result)
    assert text.startswith("With the lessons of similar tasks 2 of 2 second tasks were solved, without them 0 (+2 −0;")
    assert "with as many unrelated lessons 0." in text
    assert "from 2 to 2." in text


async def test_the_second_pass_leaves_the_memory_as_it_was(tmp_path: Path) -> None:
    memory = FailureMemory(InMemoryStore())
    result = await passes(tmp_path, Learner(), memory)
    assert sorted(lesson["task"] for lesson in memory.lessons()) == [SCRIPTED[2].prompt, SCRIPTED[0].prompt]
    assert result.kept == memory.lessons()


async def test_the_table_has_a_line_for_every_condition(tmp_path: Path) -> None:
    result = await passes(tmp_path, Learner(), FailureMemory(InMemoryStore()))
    out = io.StringIO()
    show(Console(file=out, width=200), result, "a title")
    text = out.getvalue()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    assert [row[0] for row in cells[2:]] == [condition.title for condition in result.conditions]
    assert {len(row) for row in cells} == {12}
    similar = cells[4]
    assert similar[1:5] == ["2/2, 100% (34%–100%)", "2", "1.00", "0 of 2"]
    assert similar[9:11] == ["2/2", "2"]
    assert "pass 1 left 2 lessons, 2 of them with a fix" in text
    assert "at first: b: second tasks, memory against a: second tasks, no memory: +2 −0" in text
