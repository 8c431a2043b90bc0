"""`thoughtgraph chat`: what a person sees, and what Ctrl-C, a restart and the end of the input do."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from support.assistants import acts, asks, clock, done, opened, planned, replanned
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import Assistant
from thoughtgraph.cli.main import app
from thoughtgraph.cli.talk import talk
from typer.testing import CliRunner


def reader(*lines: str | BaseException) -> Callable[[str], str]:
    left = list(lines)

    def read(prompt: str) -> str:
        if not left:
            raise EOFError
        line = left.pop(0)
        if isinstance(line, BaseException):
            raise line
        return line

    return read


def talked(folder: Path, lines: list[Any], *replies: Any, terminal: bool = False) -> str:
    assistant, _ = opened(folder, *replies)
    out = io.StringIO()
    with assistant:
        talk(assistant, Console(file=out, width=200, force_terminal=terminal), reader(*lines))
    return out.getvalue()


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_shows_plan_step_action_result_and_steps_used(tmp_path: Path, terminal: bool) -> None:
    script = (
        planned("add milk", "search the zoo"),
        acts("todo", "/todo add milk"),
        replanned("search the zoo"),
        acts("internet_search", "zoo"),
        done("9 to 17"),
        replanned(response="All done."),
    )
    shown = talked(tmp_path, ["milk, and the zoo"], *script, terminal=terminal)
    places = [
        shown.index(part)
        for part in (
            text("en", "chat.planned"),
            "Step 1 of 2",
            "todo: /todo add milk",
            "Added todo 1",
            "Step 2 of 2",
            "zoo: open from 9 to 17",
            "All done.",
        )
    ]
    assert places == sorted(places)
    assert "2 of 20 steps used" in shown


def test_ctrl_c_stops_the_run_and_not_the_program(tmp_path: Path) -> None:
    shown = talked(
        tmp_path,
        ["go", "/todo add still here", "/resume"],
        planned("a"),
        KeyboardInterrupt(),
        done("x"),
        replanned(response="End."),
    )
    places = [
        shown.index(part) for part in (text("en", "chat.stopped"), "Added todo 1", "End.", text("en", "chat.bye"))
    ]
    assert places == sorted(places)


def test_ctrl_c_at_the_prompt_and_quit_leave(tmp_path: Path) -> None:
    for line in (KeyboardInterrupt(), "/quit", EOFError()):
        assert talked(tmp_path, [line, "never read"]).rstrip().endswith(text("en", "chat.bye"))


def test_the_next_start_shows_the_question_that_was_left_open(tmp_path: Path) -> None:
    talked(tmp_path, ["book it"], planned("book"), asks("Which day?"))
    shown = talked(tmp_path, ["Friday"], replanned(response="Friday it is."))
    places = [shown.index(part) for part in ("book it", "Please confirm: Which day?", "Friday it is.")]
    assert places == sorted(places)


def test_the_next_start_goes_on_with_a_run_that_was_cut_short(tmp_path: Path) -> None:
    talked(tmp_path, ["go on later"], planned("a"), KeyboardInterrupt())
    shown = talked(tmp_path, [], done("x"), replanned(response="Finished now."))
    assert "go on later" in shown
    assert "Finished now." in shown


def test_what_a_model_writes_is_shown_as_text(tmp_path: Path) -> None:
    hostile = "[bold]x[/bold] \x1b[J\x07 [link=file:///etc/passwd]y[/link]"
    shown = talked(tmp_path, ["hello"], planned(response=hostile))
    assert "[bold]x[/bold]" in shown
    assert "\x1b[J" not in shown


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


def test_the_command_line_talks_without_a_model(tmp_path: Path, runner: CliRunner) -> None:
    arguments = ["chat", "--no-model", "--folder", str(tmp_path), "--language", "zh"]
    result = runner.invoke(app, arguments, input="/todo add 买牛奶\n你好\n/quit\n")
    assert result.exit_code == 0
    assert "买牛奶" in result.output
    assert text("zh", "no_model") in result.output
    assert "模型 无" in result.output


def test_the_larger_embedded_model_is_taken_by_default(tmp_path: Path, runner: CliRunner, monkeypatch: Any) -> None:
    asked: list[list[str] | None] = []

    def assistant(model: list[str] | None, **options: Any) -> Any:
        asked.append(model)
        raise ValueError("no need to go on")

    monkeypatch.delenv("THOUGHTGRAPH_MODEL", raising=False)
    monkeypatch.setattr("thoughtgraph.models.open.settings_file", lambda: tmp_path / "none.toml")
    monkeypatch.setattr("thoughtgraph.assistant.assistant.Assistant", assistant)
    cascade = ["--model", "local:qwen2.5-coder-0.5b", "--model", "local:qwen2.5-coder-1.5b"]
    for options in ([], cascade[:2], cascade, ["--no-model"]):
        runner.invoke(app, ["chat", "--folder", str(tmp_path), *options])
    assert asked == [["local:qwen2.5-coder-1.5b"], [cascade[1]], [cascade[1], cascade[3]], None]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--language", "fr"], "unknown language"), (["--search", "altavista"], "unknown search")],
)
def test_wrong_options_are_usage_errors(tmp_path: Path, runner: CliRunner, arguments: list[str], said: str) -> None:
    result = runner.invoke(app, ["chat", "--no-model", "--folder", str(tmp_path), *arguments])
    assert result.exit_code == 2
    assert said in result.output


def test_a_second_chat_in_the_same_folder_ends_the_firsts_task_and_not_its_program(tmp_path: Path) -> None:
    class Meddling(ScriptedModel):
        def _generate(self, *args: Any, **kwargs: Any) -> Any:
            if not self.requests:
                assert "Taken over." in talked(tmp_path, [], planned(response="Taken over."))
            return super()._generate(*args, **kwargs)

    model = Meddling(replies=[planned(response="Never shown."), planned(response="Still here.")])
    out = io.StringIO()
    with Assistant(model, folder=tmp_path, language="en", clock=clock) as assistant:
        talk(assistant, Console(file=out, width=200), reader("something", "hello"))
    shown = out.getvalue()
    assert "was continued by another run" in shown or "was deleted" in shown
    assert "Never shown." not in shown
    assert "Still here." in shown
