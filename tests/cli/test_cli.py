"""The command line, against a model server on loopback: output, saved runs, exit codes."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from support.openai_server import OpenAIServer, Reply
from support.scripted import code
from thoughtgraph import ContextGraph
from thoughtgraph.cli.main import app
from thoughtgraph.errors import ModelSetupError
from typer.testing import CliRunner

GOOD = Reply(code("def double(x):\n    return 2 * x"))
BAD = Reply(code("def double(x):\n    return x"))
TASK = "Write `double(x)`."


@pytest.fixture
def tests_file(tmp_path: Path) -> str:
    """A file of tests."""
    path = tmp_path / "tests.py"
    path.write_text("assert double(2) == 4\nassert double(0) == 0\n")
    return str(path)


def invoke(*arguments: str) -> tuple[int, str]:
    """Run the command line; exit code and output."""
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_a_solved_task_shows_each_attempt_and_saves_the_run(tests_file: str, tmp_path: Path) -> None:
    with OpenAIServer([BAD, GOOD]) as server:
        exit_code, output = invoke(
            "solve", TASK, "--tests", tests_file, "--model", server.base_url, "--save", str(tmp_path / "run.jsonl")
        )
    assert exit_code == 0
    assert "✘ attempt 1 (first)" in output
    assert "expected 4, got 2" in output
    assert "✔ attempt 2 (fresh)  score 1.00, 11 tokens written" in output
    assert "the answer of attempt 2 passed its check" in output
    run = ContextGraph.from_run(tmp_path / "run.jsonl")
    assert [event["kind"] for event in run.events].count("attempt") == 2
    assert run.events[-1]["data"]["stop_reason"]["kind"] == "passed"


@pytest.mark.slow
def test_a_pipe_gets_each_attempt_before_the_next_one_is_asked_for(tests_file: str) -> None:
    shown = threading.Event()

    def answer(request: Any, index: int) -> Reply:
        # The second reply waits until the first attempt has come through the pipe.
        return BAD if index == 0 else GOOD if shown.wait(60) else Reply("The first attempt was not shown.")

    with OpenAIServer(answer) as server:
        command = [
            sys.executable,
            "-m",
            "thoughtgraph",
            "solve",
            TASK,
            "--tests",
            tests_file,
            "--model",
            server.base_url,
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
            assert process.stdout is not None
            lines: list[str] = []
            for line in process.stdout:
                lines.append(line)
                if "attempt 1 (first)" in line:
                    shown.set()
    output = "".join(lines)
    assert process.returncode == 0, output
    assert [output.count(part) for part in (TASK, "attempt 1 (first)", "attempt 2 (fresh)", "passed its check")] == [
        1
    ] * 4


def test_a_failed_task_exits_with_1_and_shows_the_best_answer(tests_file: str) -> None:
    with OpenAIServer([BAD, BAD]) as server:
        exit_code, output = invoke(
            "solve", TASK, "--tests", tests_file, "--model", server.base_url, "--max-attempts", "2"
        )
    assert exit_code == 1
    assert "the limit of 2 attempts was reached" in output
    assert "return x" in output


def test_a_task_without_tests_exits_with_3() -> None:
    with OpenAIServer([Reply("It is [bold]4[/bold].")]) as server:
        exit_code, output = invoke("solve", "What is 2 + 2?", "--model", server.base_url)
    assert exit_code == 3
    assert "nothing could check the last answer" in output
    assert "[bold]4[/bold]" in output, "a model's text was read as markup"


@pytest.mark.parametrize("terminal", [True, False])
def test_no_word_of_a_long_answer_is_cut_off(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = " ".join(f"word{number}" for number in range(100))
    shown = Console(file=io.StringIO(), force_terminal=terminal, width=40)
    monkeypatch.setattr("thoughtgraph.cli.solve.console", shown)
    with OpenAIServer([Reply(answer)]) as server:
        invoke("solve", "Why is the sky blue?", "--model", server.base_url)
    assert isinstance(shown.file, io.StringIO)
    output = shown.file.getvalue()
    if terminal:
        assert re.findall(r"word\d+", output)[-100:] == answer.split()
    else:
        assert answer in output.splitlines(), "a pipe gets the lines as they are"


def test_the_line_of_a_task_is_one_line_in_a_pipe(tmp_path: Path) -> None:
    dataset = tmp_path / "tasks.jsonl"
    dataset.write_text(json.dumps({"task_id": "double", "prompt": TASK, "visible_tests": "assert double(2) == 4"}))
    with OpenAIServer([GOOD]) as server:
        _, output = invoke("solve", "--dataset", str(dataset), "--model", server.base_url)
    (line,) = [line for line in output.splitlines() if "double" in line]
    assert "loop: passed" in line
    assert line.endswith("s]")


def test_samples_are_solved_with_and_shown_one_by_one(tests_file: str, tmp_path: Path) -> None:
    # Each bad answer is another one; the last two are drawn at once.
    replies = [Reply(code(f"def double(x):\n    return x + {number}")) for number in (1, 3)]
    with OpenAIServer([*replies, GOOD, GOOD]) as server:
        exit_code, output = invoke(
            *("solve", TASK, "--tests", tests_file, "--model", server.base_url, "--mode", "best_of_n"),
            *("--max-attempts", "4", "--save", str(tmp_path / "run.jsonl")),
        )
    assert exit_code == 0
    assert [f"attempt {number}" in output for number in (1, 2, 3, 4)] == [True, True, True, False]
    metrics = ContextGraph.from_run(tmp_path / "run.jsonl").metrics()
    assert (metrics.mode, metrics.model_calls, metrics.attempts) == ("best_of_n", 4, 3)


def test_samples_that_agree_exit_with_3() -> None:
    with OpenAIServer([Reply("4"), Reply("4")]) as server:
        exit_code, output = invoke("solve", "What is 2 + 2?", "--model", server.base_url, "--mode", "best_of_n")
    assert exit_code == 3
    assert "2 of 2 samples agree on the answer, which is no check" in " ".join(output.split())


def test_a_model_that_cannot_be_reached_exits_with_4(tests_file: str) -> None:
    exit_code, output = invoke("solve", TASK, "--tests", tests_file, "--model", "http://127.0.0.1:9/v1")
    assert exit_code == 4
    assert "names no model" in output


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve"],
        ["solve", "task", "--dataset", "x.jsonl"],
        ["solve", "task", "--tests", "/nowhere.py"],
        ["model", "fly"],
        ["solve", "task", "--model", "local:x", "--model", "local:x"],
        ["solve", "task", "--max-attempts", "1", "--model", "local:x", "--model", "local:y"],
    ],
    ids=["nothing", "both", "no-tests-file", "unknown-command", "one-model-twice", "more-models-than-attempts"],
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    assert invoke(*arguments)[0] == 2


def test_tests_that_check_nothing_are_wrong_usage(tmp_path: Path) -> None:
    path = tmp_path / "tests.py"
    path.write_text("x = 1\n")
    exit_code, output = invoke("solve", TASK, "--tests", str(path))
    assert exit_code == 2
    assert "contain no check" in output


def test_a_dataset_is_solved_summed_up_and_not_solved_twice(tmp_path: Path) -> None:
    rows = [
        {"task_id": f"t/{number}", "prompt": TASK, "visible_tests": "assert double(2) == 4", "hidden_tests": ""}
        for number in range(2)
    ]
    dataset = tmp_path / "tasks.jsonl"
    dataset.write_text("\n".join(map(json.dumps, rows)))
    arguments = ["solve", "--dataset", str(dataset), "--save", str(tmp_path / "runs"), "--concurrency", "1"]
    with OpenAIServer([GOOD, BAD, GOOD]) as server:
        exit_code, output = invoke(*arguments, "--model", server.base_url)
    assert exit_code == 0
    assert "t/0  first ✔ 1.00" in output
    assert "t/1  first ✘ 0.00 → fresh ✔ 1.00" in output
    assert "; 11 tokens written, " in " ".join(output.split())
    assert "after feedback or a new attempt  1" in " ".join(output.split("\n")).replace("   ", "  ")
    saved = ["results.jsonl", "settings.json", "t_0.jsonl", "t_1.jsonl"]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == saved
    with OpenAIServer([]) as server:
        exit_code, output = invoke(*arguments, "--model", server.base_url)
    assert exit_code == 0
    assert "2 tasks had been run before" in output


def test_models_given_in_a_row_are_a_cascade(tests_file: str, tmp_path: Path) -> None:
    with OpenAIServer([BAD]) as small, OpenAIServer([GOOD]) as large:
        models = ["--model", f"{small.base_url}#small", "--model", f"{large.base_url}#large"]
        exit_code, output = invoke("solve", TASK, "--tests", tests_file, *models)
    assert exit_code == 0
    assert re.search(r"✘ attempt 1 \(first\) .*, small\n", output)
    assert re.search(r"✔ attempt 2 \(escalate\) .*, large\n", output)


def test_a_dataset_is_solved_by_a_cascade_whose_results_name_the_models(tmp_path: Path) -> None:
    dataset, runs = tmp_path / "tasks.jsonl", tmp_path / "runs"
    dataset.write_text(json.dumps({"task_id": "1", "prompt": TASK, "visible_tests": "assert double(2) == 4"}))
    with OpenAIServer([BAD]) as small, OpenAIServer([GOOD]) as large:
        models = ["--model", f"{small.base_url}#small", "--model", f"{large.base_url}#large"]
        exit_code, _ = invoke("solve", "--dataset", str(dataset), "--save", str(runs), *models)
    assert exit_code == 0
    assert json.loads((runs / "settings.json").read_text())["model"] == ["small", "large"]
    (result,) = map(json.loads, (runs / "results.jsonl").read_text().splitlines())
    assert [attempt["model"] for attempt in result["attempts"]] == ["small", "large"]


def test_a_dataset_that_cannot_be_read_is_wrong_usage(tmp_path: Path) -> None:
    exit_code, output = invoke("solve", "--dataset", str(tmp_path / "none.jsonl"))
    assert exit_code == 2
    assert "cannot read the dataset" in output


def test_models_are_listed_with_what_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thoughtgraph.models.local.weights.cache_folder", lambda: tmp_path)
    exit_code, output = invoke("model", "list")
    assert exit_code == 0
    assert "qwen2.5-coder-0.5b" in output
    assert "not pulled" in output
    listed = json.loads(invoke("model", "list", "--json")[1])["models"]
    assert {"qwen2.5-coder-0.5b": False}.items() <= {one["name"]: one["pulled"] for one in listed}.items()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "/nowhere/model.gguf"], "there is no such file"),
        (["serve", "nope"], "no embedded model 'nope': choose one of"),
        (["pull", "nope"], "no embedded model 'nope': choose one of"),
    ],
)
def test_a_model_that_nobody_knows_is_wrong_usage(arguments: list[str], said: str) -> None:
    exit_code, output = invoke("model", *arguments)
    assert exit_code == 2
    assert said in output


@pytest.mark.parametrize("command", ["pull", "serve"])
def test_a_model_that_cannot_be_fetched_exits_with_4(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: Any) -> Path:
        raise ModelSetupError("nothing could be fetched")

    monkeypatch.setattr("thoughtgraph.models.local.weights.pull", unreachable)
    exit_code, output = invoke("model", command, "qwen2.5-coder-0.5b")
    assert exit_code == 4
    assert "nothing could be fetched" in output
