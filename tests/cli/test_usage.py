"""The command line in a script's hands: keys, folders, encodings, pipes, JSON, and mistakes of the user's."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from support.openai_server import OpenAIServer, Reply
from support.scripted import code
from thoughtgraph import create_reflection_graph, pair_graphs
from thoughtgraph.cli.compare import compare
from thoughtgraph.cli.main import app
from thoughtgraph.cli.solve import solve
from thoughtgraph.evaluation import asolve_many, evaluate
from thoughtgraph.nodes.reflection_defaults import DEFAULT_ATTEMPTS
from typer.testing import CliRunner

pytestmark = pytest.mark.slow

GOOD = Reply(code("def double(x):\n    return 2 * x"))
REFUSED = Reply("Incorrect API key provided: sk-1234567890abcdef", status=401)
ROOT_COMMAND: Any = typer.main.get_command(app)
COMMANDS = [
    [name, *below]
    for name, command in ROOT_COMMAND.commands.items()
    for below in [[], *([under] for under in getattr(command, "commands", ()))]
]


def invoke(*arguments: str, given: bytes = b"") -> tuple[int, str, str]:
    """Run the command line: exit code, standard output, standard error."""
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, list(arguments), input=given)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run it as a program, in an environment of its own."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONUTF8"))}
    command = [sys.executable, "-m", "thoughtgraph", *arguments]
    return subprocess.run(command, capture_output=True, check=False, env={**kept, **environment})


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    """Twelve tasks."""
    tests = {"visible_tests": "assert double(2) == 4", "hidden_tests": "assert double(5) == 10"}
    rows = [{"task_id": f"t/{number}", "prompt": "Write `double(x)`.", **tests} for number in range(12)]
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


@pytest.mark.parametrize("command", ["solve", "compare"])
def test_a_refused_key_ends_a_dataset_at_its_first_tasks(command: str, dataset: str) -> None:
    with OpenAIServer(lambda body, index: REFUSED) as server:
        code, out, err = invoke(command, "--dataset", dataset, "--model", server.base_url, "--concurrency", "2")
        asked = sum(request.path.endswith("completions") for request in server.requests)
    assert code == 4
    assert asked <= 4, "the other tasks were run into the refused key"
    assert "thoughtgraph: the provider refused the key: Incorrect API key provided: [redacted]" in err
    assert "Error code" not in out + err


@pytest.mark.parametrize("command", ["solve", "compare"])
@pytest.mark.parametrize("wrapped", ["bound", "retrying", "with_fallback"])
def test_a_model_of_ones_own_may_be_wrapped_in_a_dataset(
    wrapped: str, command: str, dataset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--dataset", dataset, "--model", f"import:support.wrapped:{wrapped}", "--concurrency", "2"]
    with OpenAIServer(lambda body, index: REFUSED) as server:
        monkeypatch.setenv("WRAPPED", server.base_url)
        exit_code, out, err = invoke(command, *options, *["--limit", "2"] * (wrapped == "with_fallback"))
        asked = len(server.requests)
    if wrapped == "with_fallback":
        assert exit_code == 0, out + err
    else:
        assert exit_code == 4, out + err
        assert asked <= 8, "the other tasks were run into the refused key"
        assert "thoughtgraph: the provider refused the key: Incorrect API key provided: [redacted]" in err


FORBIDDEN = Reply("This is against our policy.", status=403)


@pytest.mark.parametrize("forbidden", [[0], [5], [0, 1], [3, 4, 5, 6]], ids=str)
def test_a_request_that_a_provider_forbids_costs_its_task_alone(forbidden: list[int], dataset: str) -> None:
    with OpenAIServer(lambda body, index: FORBIDDEN if index in forbidden else GOOD) as server:
        _, out, _ = invoke("solve", "--dataset", dataset, "--model", server.base_url, "--concurrency", "1")
    assert re.search(rf"solved +{12 - len(forbidden)} of 12", out)
    assert re.search(rf"could not be run, so not solved +{len(forbidden)}", out)


def test_a_provider_that_forbids_all_refuses_the_key(dataset: str) -> None:
    with OpenAIServer(lambda body, index: FORBIDDEN) as server:
        code, _, err = invoke("solve", "--dataset", dataset, "--model", server.base_url, "--concurrency", "1")
        assert sum(request.path.endswith("completions") for request in server.requests) == 3
    assert code == 4
    assert "thoughtgraph: the provider refused the key: This is against our policy." in err


def test_a_key_that_is_refused_later_ends_the_dataset(dataset: str) -> None:
    with OpenAIServer(lambda body, index: GOOD if index < 3 else REFUSED) as server:
        code, _, err = invoke("solve", "--dataset", dataset, "--model", server.base_url, "--concurrency", "1")
        assert sum(request.path.endswith("completions") for request in server.requests) == 4
    assert (code, "the provider refused the key" in err) == (4, True)


def test_a_cascade_goes_on_while_one_key_is_taken(dataset: str) -> None:
    with OpenAIServer(lambda body, index: REFUSED) as first, OpenAIServer(lambda body, index: GOOD) as last:
        models = ("--model", f"{first.base_url}#small", "--model", f"{last.base_url}#large")
        code, out, _ = invoke("solve", "--dataset", dataset, *models)
    assert (code, bool(re.search("solved +12 of 12", out))) == (0, True)


def test_a_cascade_ends_where_no_key_is_taken(dataset: str) -> None:
    with OpenAIServer(lambda body, index: REFUSED) as server:
        models = ("--model", f"{server.base_url}#small", "--model", f"{server.base_url}#large")
        code, _, err = invoke("solve", "--dataset", dataset, *models, "--concurrency", "1")
        assert sum(request.path.endswith("completions") for request in server.requests) == 2
    assert (code, "thoughtgraph: the provider refused the key" in err) == (4, True)


def test_a_refused_key_of_the_critic_costs_its_mode_alone(dataset: str) -> None:
    wrong = Reply(code("def double(x):\n    return 3 * x"))
    with OpenAIServer(lambda body, index: wrong) as actor, OpenAIServer(lambda body, index: REFUSED) as critic:
        models = ("--model", actor.base_url, "--critic", critic.base_url, "--modes", "external_loop,actor_critic")
        options = (*models, "--limit", "6", "--no-controls", "--max-attempts", "2")
        ended, out, _ = invoke("compare", "--dataset", dataset, *options)
    assert ended == 4
    assert re.search(r"external_loop +0/6", out)
    assert (
        "! actor_critic: t/0, t/1, t/2, t/3, t/4 and 1 more could not be run: the critic, scripted: Error code: 401"
        in out
    )


def test_a_refused_key_of_a_single_task_is_one_line(tmp_path: Path) -> None:
    with OpenAIServer([REFUSED]) as server:
        code, _, err = invoke("solve", "Say hello.", "--model", server.base_url)
    assert (code, err) == (4, "thoughtgraph: the provider refused the key: Incorrect API key provided: [redacted]\n")


def test_a_run_without_an_attempt_takes_no_other_runs_place(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for reply, told in ((GOOD, "run saved to"), (REFUSED, "no attempt was made"), (GOOD, "run saved to")):
        before = path.read_text() if path.exists() else ""
        with OpenAIServer([reply]) as server:
            _, out, _ = invoke("solve", "Double it.", "--model", server.base_url, "--save", str(path))
        assert told in out
        assert (path.read_text() == before) == (reply is REFUSED)


@pytest.mark.parametrize("command", ["solve", "compare"])
def test_a_folder_that_cannot_be_written_costs_nothing(command: str, dataset: str, tmp_path: Path) -> None:
    taken = tmp_path / "runs"
    taken.write_text("mine")
    with OpenAIServer([]) as server:
        options = ("--dataset", dataset, "--model", server.base_url, "--save")
        in_place, below = (invoke(command, *options, str(path)) for path in (taken, taken / "deeper"))
        assert server.requests == [], "a model was looked up for runs that cannot be saved"
    assert in_place[0] == below[0] == 2
    assert f"cannot save to {taken}: a file is there, and --save needs a folder" in in_place[2]
    assert "Not a directory" in below[2]
    assert taken.read_text() == "mine"


def test_a_run_cannot_be_saved_over_a_folder(tmp_path: Path) -> None:
    with OpenAIServer([]) as server:
        code, _, err = invoke("solve", "Say hello.", "--model", server.base_url, "--save", str(tmp_path))
        assert server.requests == []
    assert code == 2
    assert f"cannot save to {tmp_path}: it is a folder; name a file" in err


def test_a_name_that_ends_as_a_folder_is_none_of_a_run(tmp_path: Path) -> None:
    with OpenAIServer([]) as server:
        code, _, err = invoke("solve", "Say hello.", "--model", server.base_url, "--save", f"{tmp_path}/new/")
        assert server.requests == []
    assert (code, "is a folder: name a file in it" in err, (tmp_path / "new").exists()) == (2, True, False)


def test_a_run_cannot_be_saved_over_a_device(tmp_path: Path) -> None:
    device = tmp_path / "link"
    device.symlink_to(os.devnull)
    with OpenAIServer([]) as server:
        code, _, err = invoke("solve", "Say hello.", "--model", server.base_url, "--save", str(device))
        assert server.requests == [], "a model was paid for a run that cannot be saved"
    assert (code, "a device or a pipe is there; name a file" in err) == (2, True)
    assert device.is_symlink()


def test_a_folder_of_other_settings_costs_nothing(dataset: str, tmp_path: Path) -> None:
    options = ("solve", "--dataset", dataset, "--limit", "1", "--save", str(tmp_path / "runs"))
    with OpenAIServer([GOOD]) as server:
        assert invoke(*options, "--model", server.base_url)[0] == 0
    with OpenAIServer([]) as server:
        code, _, err = invoke(*options, "--model", server.base_url, "--max-attempts", "9")
    assert code == 2
    assert "holds runs of other settings (max_attempts 3, not 9): choose another folder" in err


@pytest.mark.slow
@pytest.mark.parametrize("environment", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX"}], ids=["ascii", "POSIX"])
def test_a_terminal_without_utf_8_gets_plain_marks(environment: dict[str, str], tmp_path: Path) -> None:
    tests = tmp_path / "tests.py"
    tests.write_text("assert double(2) == 4\n")
    with OpenAIServer([Reply(code("def double(x):\n    return x  # 你好")), GOOD]) as server:
        ran = program("solve", "Schreib „double“.", "--tests", str(tests), "--model", server.base_url, **environment)
    shown = ran.stdout.decode("ascii")
    assert ran.returncode == 0, ran.stderr
    assert 'Schreib "double".' in shown
    assert "x attempt 1" in shown
    assert "+ passed" in shown


@pytest.mark.slow
def test_an_export_is_utf_8_whatever_the_terminal_is(tmp_path: Path) -> None:
    with OpenAIServer([Reply("你好")]) as server:
        invoke("solve", "Sag „hallo“.", "--model", server.base_url, "--save", str(tmp_path / "run.jsonl"))
    ran = program("trace", "export", str(tmp_path / "run.jsonl"), "-f", "mermaid", PYTHONIOENCODING="ascii")
    assert "你好" in ran.stdout.decode("utf-8")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_h_shows_the_help_of_every_command(command: list[str]) -> None:
    code, out, _ = invoke(*command, "-h")
    assert code == 0
    assert out == invoke(*command, "--help")[1]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_word_of_a_help_is_read_as_markup(command: list[str]) -> None:
    found: Any = ROOT_COMMAND
    for name in command:
        found = found.commands[name]
    for text in filter(None, [found.help, *(option.help for option in found.params if hasattr(option, "help"))]):
        assert "[" not in text, text


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str) -> None:
    # As the script that `--install-completion` writes; the option itself goes by the shell that is around it.
    assert b"_THOUGHTGRAPH_COMPLETE=complete_" in program(_THOUGHTGRAPH_COMPLETE=f"source_{shell}").stdout


def test_completion_knows_the_commands() -> None:
    asked = {"_THOUGHTGRAPH_COMPLETE": "complete_bash", "COMP_WORDS": "thoughtgraph me", "COMP_CWORD": "1"}
    assert program(**asked).stdout.split() == [b"memory"]


def test_json_is_alone_on_standard_output(tmp_path: Path) -> None:
    tests = tmp_path / "tests.py"
    tests.write_text("assert double(2) == 4\n")
    with OpenAIServer([Reply(code("def double(x):\n    return x  # “”")), GOOD]) as server:
        exit_code, out, err = invoke("solve", "Double.", "--tests", str(tests), "--model", server.base_url, "--json")
    found = json.loads(out)
    assert exit_code == 0
    assert (found["verdict"], found["stop_reason"]["kind"]) == ("passed", "passed")
    assert found["answer"] == "def double(x):\n    return 2 * x"
    assert [attempt["verdict"] for attempt in found["attempts"]] == ["failed", "passed"]
    assert found["usage"]["output_tokens"] > 0
    assert "attempt 1" in err


def test_a_dataset_and_a_comparison_as_json(dataset: str) -> None:
    with OpenAIServer(lambda body, index: GOOD) as server:
        options = ("--dataset", dataset, "--limit", "2", "--model", server.base_url, "--json")
        solved, compared = invoke("solve", *options), invoke("compare", *options, "--modes", "external_loop")
    assert [task["scored"] for task in json.loads(solved[1])["tasks"]] == ["passed", "passed"]
    conditions = {each["condition"]: each for each in json.loads(compared[1])["conditions"]}
    assert conditions["one shot"]["solved"] == conditions["one shot"]["of"] == 2
    changes = ("fixed", "broken", "solved_later", "lost_later")
    assert [conditions["external_loop"][name] for name in changes] == [0, 0, 0, 0]
    contrast = next(each for each in json.loads(compared[1])["contrasts"] if each["condition"] == "external_loop")
    assert (contrast["against"], contrast["p_value"], contrast["told_apart"]) == ("one shot", 1.0, False)
    assert json.loads(compared[1])["notes"] == []
    assert "solved" in compared[2]


def test_quiet_prints_the_answer_alone_and_a_dash_reads_the_task() -> None:
    with OpenAIServer([Reply("grüß dich")]) as server:
        code, out, err = invoke("solve", "-", "-q", "--model", server.base_url, given="Sag „hallo“.".encode())
        asked = server.requests[-1].body["messages"][-1]["content"]
    assert (code, out, err) == (3, "grüß dich\n", "")
    assert "Sag „hallo“." in asked


@pytest.mark.parametrize("given", [b"", b" \n", b"\xff\xfe"], ids=["nothing", "blank", "no-text"])
def test_standard_input_without_a_task_is_wrong_usage(given: bytes) -> None:
    code, _, err = invoke("solve", "-", given=given)
    assert code == 2
    assert "standard input" in err


@pytest.mark.slow
def test_without_a_terminal_progress_is_a_line_now_and_then(dataset: str) -> None:
    with OpenAIServer(lambda body, index: GOOD) as server:
        options = ("--dataset", dataset, "--model", server.base_url, "--modes", "external_loop", "--no-controls")
        _, _, err = invoke("compare", *options)
        _, _, none = invoke("compare", *options, "--quiet")
    lines = [line for line in err.splitlines() if line.startswith("one shot")]
    assert lines[0] == "one shot: 0 of 12"
    assert lines[-1] == "one shot: 12 of 12"
    assert len(lines) == 11
    assert none == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "x", "--model", "nosuch:model"],
        ["solve", "x", "--model", "anthropic:claude"],
        ["solve", "x", "--model", "google_genai:gemini-2.5-flash"],
        ["solve", "x", "--model", "http://[::bad/v1"],
        ["solve", "x", "--tests", "{folder}"],
        ["solve", "x", "--tests", "{folder}/latin.py"],
        ["solve", "x", "--save", "/proc/nowhere/run.jsonl"],
        ["solve", "--dataset", "{folder}"],
        ["solve", "x", "--mode", "magic"],
        ["compare", "--dataset", "{folder}/latin.py"],
        ["trace", "show", "{folder}"],
        ["trace", "show", "{folder}/latin.py"],
        ["trace", "html", "{folder}/none.jsonl"],
        ["chat", "--language", "xx"],
        ["memory", "list", "--file", "{folder}/latin.py"],
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_line_without_a_librarys_words(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "latin.py").write_bytes("assert ä == 1".encode("latin-1"))
    code, out, err = invoke(*(argument.format(folder=tmp_path) for argument in arguments))
    assert code in (2, 4)
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert [word for word in ("Traceback", "pydantic", "httpx", "Warning", "Errno", "codec") if word in err] == []


def test_the_number_of_attempts_has_one_default() -> None:
    for function in (solve, compare, create_reflection_graph, pair_graphs, evaluate, asolve_many):
        assert inspect.signature(function).parameters["max_attempts"].default == DEFAULT_ATTEMPTS
