"""Where the command line's output goes, and values that are empty: no exit code there means a verdict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from support.openai_server import OpenAIServer
from thoughtgraph import ContextGraph, create_reflection_graph, open_model
from thoughtgraph.cli.main import app
from thoughtgraph.errors import ModelSetupError
from thoughtgraph.models import ScriptedModel
from typer.testing import CliRunner


@pytest.fixture
def runs(tmp_path: Path) -> str:
    """A folder with two runs."""
    for name in ("one", "two"):
        ended = create_reflection_graph(actor=ScriptedModel(replies=["Hello."])).invoke({"task": "Say hello."})
        ContextGraph.from_run(ended).save(tmp_path / "runs" / f"{name}.jsonl")
    return str(tmp_path / "runs")


def invoke(*arguments: str, **options: Any) -> tuple[int, str]:
    """Exit code and output."""
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, list(arguments), **options)
    return result.exit_code, result.output


def piped(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program; its standard output is somewhere else."""
    command = [sys.executable, "-m", "thoughtgraph", *arguments]
    return subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "unbuffered"),
    [("trace list {}", "1"), ("trace list {} --json", ""), ("trace export {}/one.jsonl", ""), ("--help", "1")],
)
def test_a_reader_that_is_gone_has_an_exit_code_of_its_own(runs: str, command: str, unbuffered: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = piped(
            *command.format(runs).split(), stdout=pipe, env={**os.environ, "PYTHONUNBUFFERED": unbuffered or ""}
        )
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_an_output_that_cannot_be_written_is_told(runs: str) -> None:
    for command in (["trace", "list", runs], ["trace", "list", runs, "--json"]):
        with Path("/dev/full").open("wb") as full:
            done = piped(*command, stdout=full)
        assert (done.returncode, done.stderr) == (2, "thoughtgraph: cannot write the output: No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("chat --no-model --language en --folder {}", 0, "Bye."),
        ("solve -", 2, "standard input holds no task"),
        ("memory clear", 2, "nothing was forgotten"),
    ],
)
def test_a_standard_input_that_is_closed_is_one_without_a_line(
    command: str, code: int, said: str, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", "thoughtgraph", *command.format(tmp_path / "agenda").split()]
    shell = ["sh", "-c", 'exec "$@" <&-', "sh", *words]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(shell, check=False, capture_output=True, text=True, env=environment)
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_width_of_zero_is_none(runs: str) -> None:
    done = piped("trace", "list", runs, stdout=subprocess.PIPE, env={**os.environ, "COLUMNS": "0"})
    assert "one.jsonl" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["solve", ""], "task"),
        (["solve", "Say hello.", "--model", ""], "--model"),
        (["solve", "Say hello.", "--model", "openai:x", "--model", " "], "--model"),
        (["solve", "--dataset", "", "--model", "x"], "--dataset"),
        (["compare", "--dataset", "tasks.jsonl", "--save", ""], "--save"),
        (["compare", "--dataset", "tasks.jsonl", "--critic="], "--critic"),
        (["chat", "--language", "\t"], "--language"),
        (["trace", "list", ""], "folder"),
        (["memory", "list", "--file", ""], "--file"),
        (["model", "pull", ""], "name"),
    ],
    ids=" ".join,
)
def test_an_empty_value_is_refused_and_no_default_taken(arguments: list[str], name: str) -> None:
    assert invoke(*arguments) == (2, f"thoughtgraph: {name} is empty: give a value, or leave it out\n")


def test_an_empty_name_opens_no_model() -> None:
    with pytest.raises(ModelSetupError, match="the model's name is empty"):
        open_model(" ")


def test_a_figure_that_cannot_be_saved_costs_nothing(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "tasks.jsonl").write_text('{"prompt": "Double.", "visible_tests": "assert f(1) == 2"}')
    (tmp_path / "file").write_text("")
    with OpenAIServer([]) as server:
        code, output = invoke(
            *("compare", "--dataset", str(tmp_path / "tasks.jsonl"), "--model", server.base_url),
            *("--plot", str(tmp_path / "file" / "modes.png")),
        )
        assert server.requests == []
    assert (code, "cannot save to" in output) == (2, True)


@pytest.mark.parametrize("command", ["trace list {}", "trace show {}/one.jsonl", "trace show {}/one.jsonl --failures"])
def test_every_json_is_one_object(runs: str, command: str) -> None:
    code, output = invoke(*command.format(runs).split(), "--json")
    assert (code, type(json.loads(output))) == (0, dict)


def test_an_address_to_save_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = invoke("solve", "x", "--save", "s3://bucket/run.jsonl")
    assert (code, "is an address" in output) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_name_of_another_format_is_refused_before_a_model_is_asked(tmp_path: Path) -> None:
    code, output = invoke("solve", "x", "--save", str(tmp_path / "run.html"))
    assert (code, "to_html()" in output) == (2, True)


INTERRUPTED_EARLY = """
import sys
from importlib.metadata import version
import thoughtgraph.__main__ as program

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
program.main()
"""


def test_an_interrupt_while_the_program_loads_is_an_exit_code() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_EARLY], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("solve x", "interrupted"),
        ("solve x --save run.jsonl", "interrupted"),
        ("solve --dataset tasks.jsonl", "interrupted"),
        ("solve --dataset tasks.jsonl --save runs", "interrupted; the same command goes on from here"),
        ("compare --dataset tasks.jsonl", "interrupted"),
        ("compare --dataset tasks.jsonl --save runs", "interrupted; the same command goes on from here"),
    ],
)
def test_an_interrupted_command_says_whether_it_goes_on(
    command: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("pressed.py").write_text("def ctrl_c(**options):\n    raise KeyboardInterrupt\n")
    Path("tasks.jsonl").write_text('{"prompt": "Write f.", "visible_tests": "assert f(1) == 1"}\n')
    code, output = invoke(*command.split(), "--model", "import:pressed:ctrl_c")
    assert (code, output.splitlines()[-1]) == (130, f"thoughtgraph: {said}")


def test_the_version_is_told_in_words() -> None:
    done = piped("--version", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, f"thoughtgraph {version('thoughtgraph')}\n")
