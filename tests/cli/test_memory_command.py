"""`thoughtgraph memory`: list, show, delete, clear, against a memory on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from thoughtgraph.cli.memory import memory_app
from thoughtgraph.memory.failure_memory import open_failure_memory
from thoughtgraph.memory.lessons import Lesson
from typer.testing import CliRunner

EMPTY: Any = {"key": "", "kind": "wrong_answer", "lesson": "", "fix": "", "evidence": [], "similarity": 0.0}
LESSONS: list[Lesson] = [
    {**EMPTY, "task": "Reverse [bold]a list[/bold].\x1b[2J", "error": "expected 4,\ngot 2", "time": "2026-01-02"},
    {**EMPTY, "task": "Rotate " + "x" * 200, "error": "", "time": "2026-01-03", "fix": "a\nb", "evidence": ["r:1"]},
]


def invoke(*arguments: str, answer: str = "") -> tuple[int, str]:
    """Run the sub-command; exit code and output."""
    result = CliRunner().invoke(memory_app, list(arguments), input=answer)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A memory with two lessons."""
    path = tmp_path / "memory.sqlite"
    with open_failure_memory(path) as memory:
        memory.remember(LESSONS)
    return str(path)


def keys(file: str) -> list[str]:
    """The keys in a memory, newest first."""
    with open_failure_memory(file) as memory:
        return [lesson["key"] for lesson in memory.lessons()]


def test_lessons_are_listed_newest_first_in_a_line_each(file: str) -> None:
    exit_code, output = invoke("list", "--file", file)
    first, second, last = output.splitlines()
    assert exit_code == 0
    assert first.startswith(f"{keys(file)[0]}  2026-01-03  wrong_answer")
    assert "fixed  Rotate xxx" in first
    assert first.endswith("x…")
    assert "open   Reverse [bold]a list[/bold]." in second, "a model's text was read as markup"
    assert "\x1b" not in output
    assert last == f"2 lessons in {file}"


def test_only_the_newest_are_listed_where_a_limit_is_given(file: str) -> None:
    exit_code, output = invoke("list", "--limit", "1", "--file", file)
    assert exit_code == 0
    assert output.splitlines()[1:] == [f"2 lessons in {file}, the newest 1 shown"]


def test_a_lesson_is_shown_whole(file: str) -> None:
    newest, oldest = keys(file)
    output = invoke("show", newest, "--file", file)[1]
    assert "x" * 200 in output
    assert "fix:\na\nb\n" in output
    assert "evidence: r:1" in output
    assert "error" not in output
    assert "error:\nexpected 4,\ngot 2\n" in invoke("show", oldest, "--file", file)[1]


def test_a_lesson_is_deleted(file: str) -> None:
    newest, oldest = keys(file)
    assert invoke("delete", newest, "--file", file) == (0, f"forgot {newest}\n")
    assert keys(file) == [oldest]


@pytest.mark.parametrize("command", ["show", "delete"])
def test_an_unknown_key_exits_with_2_and_says_where_the_keys_are(file: str, command: str) -> None:
    exit_code, output = invoke(command, "nothing", "--file", file)
    assert exit_code == 2
    assert "thoughtgraph memory list" in output


@pytest.mark.parametrize(
    ("arguments", "answer", "exit_code", "left"),
    [(["--yes"], "", 0, 0), ([], "y\n", 0, 0), ([], "n\n", 2, 2), ([], "?\n", 2, 2)],
    ids=["yes", "asked-yes", "asked-no", "end-of-input"],
)
def test_everything_is_forgotten_only_after_a_yes(
    file: str, arguments: list[str], answer: str, exit_code: int, left: int
) -> None:
    code, output = invoke("clear", *arguments, "--file", file, answer=answer)
    assert code == exit_code
    assert ("forgot 2 lessons" in output) is (left == 0)
    assert ("forget all 2 lessons" in output) is bool(answer)
    assert len(keys(file)) == left


@pytest.mark.parametrize("arguments", [["list"], ["show", "x"], ["delete", "x"], ["clear", "--yes"]], ids=" ".join)
def test_a_file_that_is_not_there_exits_with_2_and_is_not_made(tmp_path: Path, arguments: list[str]) -> None:
    path = tmp_path / "none.sqlite"
    exit_code, output = invoke(*arguments, "--file", str(path))
    assert exit_code == 2
    assert "there is no such file" in output
    assert not path.exists()


def test_a_file_that_is_no_memory_exits_with_2(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    path.write_text("no database " * 100)
    exit_code, output = invoke("list", "--file", str(path))
    assert exit_code == 2
    assert "cannot open" in output


def test_without_a_file_the_usual_one_is_meant_and_may_be_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep" / "memory.sqlite"
    monkeypatch.setattr("thoughtgraph.memory.failure_memory.default_memory_file", lambda: path)
    assert invoke("list") == (0, f"0 lessons in {path}\n")
    with open_failure_memory(path) as memory:
        memory.remember(LESSONS[:1])
    assert f"1 lesson in {path}" in invoke("list")[1]
    assert invoke("clear", "--yes") == (0, "forgot 1 lesson\n")


def test_a_program_gets_lessons_as_json(file: str) -> None:
    listed = json.loads(invoke("list", "--file", file, "--json")[1])["lessons"]
    assert [lesson["key"] for lesson in listed] == keys(file)
    assert json.loads(invoke("show", listed[0]["key"], "--file", file, "--json")[1]) == listed[0]
