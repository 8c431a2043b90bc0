"""`thoughtgraph compare`, against a model server on loopback: tables, bars, figures, saved runs, exit codes."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from support.openai_server import OpenAIServer, Reply
from support.scripted import code
from thoughtgraph import ThoughtGraphError
from thoughtgraph.cli.compare import compare, show_comparison
from thoughtgraph.errors import MissingLibraryError, PlotError
from thoughtgraph.evaluation.comparison import SUMMARY, Comparison
from thoughtgraph.evaluation.plot import bars, check_plot, save_plot
from thoughtgraph.evaluation.scored import ConditionResult, ScoredRun
from thoughtgraph.traces.metrics.run import RunMetrics
from typer.testing import CliRunner

pytestmark = pytest.mark.slow

ACCEPT = "[Critique]\nRight.\n[Score]\n9\n[Verdict]\nACCEPT"
RIGHT, WRONG = (code(f"def f(x):\n    return {value}") for value in ("2 * x", "-7"))


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    """Two tasks, of which the server solves one."""
    rows = [
        {
            "task_id": name,
            "prompt": f"Do task {name}.",
            "visible_tests": "assert f(1) == 2",
            "hidden_tests": "assert f(3) == 6",
        }
        for name in ("a", "b")
    ]
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def answer(body: dict[str, Any], index: int) -> Reply:
    """Solve task a alone; a critic accepts everything."""
    text = "\n".join(str(message["content"]) for message in body["messages"])
    if "[Verdict]" in text:
        return Reply(ACCEPT)
    if "[Mistake]" in text:
        return Reply("[Mistake]\nIt was wrong.\n[Next time]\nThink.")
    return Reply(RIGHT if "Do task a." in text else WRONG)


def invoke(*arguments: str) -> tuple[int, str]:
    """Run the command as the command line does; exit code and output."""
    app = typer.Typer()

    @app.callback()
    def root() -> None:  # pyright: ignore[reportUnusedFunction]
        """A command beside others."""

    app.command("compare")(compare)
    result = CliRunner(env={"COLUMNS": "120"}).invoke(app, ["compare", *arguments], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.return_value, result.output


def test_modes_are_compared_shown_saved_and_drawn(dataset: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder, picture = tmp_path / "runs", tmp_path / "new" / "picture.png"
    with OpenAIServer(answer) as server:
        exit_code, output = invoke(
            *("--dataset", dataset, "--model", server.base_url, "--modes", "external_loop, reflexion", "--self-judged"),
            *("--max-attempts", "2", "--save", str(folder), "--plot", str(picture)),
        )
    assert exit_code == 0
    assert "Tasks: 2; attempts at most: 2" in output
    for title in ("one shot", "retry only", "reflexion", "reflexion, self-judged", "best of"):
        assert title in output
    assert "50% (9%–91%)" in output
    assert "reflexion against one shot: +0 −0, the intervals overlap: n is too small to tell them apart" in output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert (folder / "reflexion--self-judged" / "a.jsonl").is_file()


def test_no_controls_leaves_them_out(dataset: str) -> None:
    with OpenAIServer(answer) as server:
        exit_code, output = invoke(
            "--dataset", dataset, "--model", server.base_url, "--modes", "actor_critic", "--no-controls", "--limit", "1"
        )
    assert exit_code == 0
    assert "Tasks: 1;" in output
    assert "retry only" not in output
    assert "best of" not in output


def test_a_task_that_could_not_be_run_is_named_and_exits_with_4(dataset: str) -> None:
    def refuse(body: dict[str, Any], index: int) -> Reply:
        return Reply("bad \x1b[31mrequest", status=400) if "Do task b." in str(body) else Reply(RIGHT)

    with OpenAIServer(refuse) as server:
        exit_code, output = invoke(
            "--dataset", dataset, "--model", server.base_url, "--modes", "external_loop", "--no-controls"
        )
    assert exit_code == 4
    assert "one shot: b could not be run" in output
    assert "\x1b" not in output


def test_list_prices_without_their_library_are_refused_before_the_model_is_asked(
    dataset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    with OpenAIServer([]) as server, pytest.raises(MissingLibraryError, match="need genai-prices"):
        invoke("--dataset", dataset, "--model", server.base_url, "--list-prices")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--modes", " , "], "names no mode"),
        (["--modes", "external_loop", "--self-judged"], "a mode in which a model judges"),
        (["--cascade"], "two different models"),
        (["--cascade", "--model", "local:x", "--model", "local:x"], "two different models"),
        (["--modes", "magic"], "unknown mode 'magic'"),
        (["--plot", "picture.pdf"], r"ends with \.png or \.svg"),
        (["--max-tokens", "10"], "first prompts of 2 tasks have about"),
        (["--scorer", "no_such_module:exact"], "--scorer no_such_module:exact: ModuleNotFoundError"),
        (["--verifier", "json:no_such_name"], "--verifier json:no_such_name: ImportError: the module json holds no"),
        (["--scorer", "exact"], "write package.module:name"),
    ],
    ids=[
        "no-mode",
        "self-judged",
        "no-cascade",
        "one-model-twice",
        "unknown-mode",
        "format",
        "budget",
        "no-module",
        "no-name",
        "no-path",
    ],
)
def test_wrong_usage_is_refused_before_the_model_is_asked(dataset: str, arguments: list[str], message: str) -> None:
    with OpenAIServer([]) as server, pytest.raises(ValueError, match=message):
        invoke("--dataset", dataset, "--model", server.base_url, *arguments)


def test_tasks_without_tests_are_judged_by_functions_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_judges.py").write_text(
        "from thoughtgraph import Verdict\n"
        "def has_digits(task, answer):\n"
        "    return Verdict('passed' if answer.strip().isdigit() else 'failed', 'Digits alone.')\n"
        "def exact(row):\n"
        "    return lambda task, answer: answer.strip() == row['answer']\n"
    )
    rows = [{"task_id": name, "prompt": f"{name}?", "answer": name} for name in ("4", "6")]
    (tmp_path / "sums.jsonl").write_text("\n".join(map(json.dumps, rows)))
    judges = ("--verifier", "own_judges:has_digits", "--scorer", "own_judges:exact")
    with OpenAIServer(lambda body, index: Reply("4")) as server:
        code, output = invoke(
            "--dataset", "sums.jsonl", "--model", server.base_url, *judges, "--modes", "external_loop", "--json"
        )
    shown = json.loads(output[output.index("{") : output.rindex("}") + 1])
    solved = {one["condition"]: (one["solved"], one["of"], one["false_accepts"]) for one in shown["conditions"]}
    assert code == 0
    assert solved["external_loop"] == (1, 2, 1)
    sys.modules.pop("own_judges", None)


def test_a_model_of_the_current_folder_is_opened(dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # The console script has its own folder in this place.
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    (tmp_path / "own_model.py").write_text(
        "from thoughtgraph.models import ScriptedModel\n"
        "def made(**options):\n"
        "    return ScriptedModel(replies=['def f(x): return 2 * x'] * 9, **options)\n"
    )
    options = ("--dataset", dataset, "--modes", "external_loop", "--no-controls", "--model", "import:own_model:made")
    code, output = invoke(*options)
    assert code == 0 and "one shot" in output
    sys.modules.pop("own_model", None)


def test_a_budget_of_dollars_needs_the_models_price(dataset: str) -> None:
    pytest.importorskip("genai_prices")
    with OpenAIServer([]) as server, pytest.raises(ValueError, match="the price of my-own is unknown"):
        invoke("--dataset", dataset, "--model", f"{server.base_url}#my-own", "--max-cost", "1")


def a_run(name: str, correct: bool, accepted: bool) -> ScoredRun:
    """A run that nobody made."""
    metrics = RunMetrics(attempts=2, input_tokens=900, output_tokens=100, cached_tokens=450)
    scored = "passed" if correct else "failed"
    return ScoredRun(name, "", accepted, scored, scored, "failed", 1.0, "passed", 2.5, "", "", metrics)


@pytest.fixture
def comparison() -> Comparison:
    """Four tasks, two of them solved; self-judged, all are accepted."""
    solved = [a_run(str(number), number < 2, number < 2) for number in range(4)]
    judged = [a_run(str(number), number < 2, True) for number in range(4)]
    conditions = (
        ConditionResult("one shot", tuple(a_run(str(number), number < 1, False) for number in range(4))),
        ConditionResult("retry only (external_loop)", tuple(solved), True, ("one shot",)),
        ConditionResult("reflexion, self-judged", tuple(judged), False, ("one shot",)),
    )
    return Comparison(conditions, 3, {"bad": "no tests"}, 1)


def test_a_row_has_a_cell_for_each_heading(comparison: Comparison) -> None:
    table = [dict(zip(SUMMARY, row, strict=True)) for row in comparison.summary()]
    assert table[2] == {
        "condition": "reflexion, self-judged",
        "solved": "2/4",
        "share (95 %)": "50% (15%–85%)",
        "fixed/broken": "+1 −0",
        "false accepts": "2 of 4",
        "attempts": "2.0",
        "tokens in": "3,600",
        "cached": "50%",
        "tokens out": "400",
        "tokens/solved": "2,000",
        "solved/lost later": "+2 −0",
        "s/task": "2.5",
        "cost": "unknown",
    }


@pytest.mark.parametrize("width", [80, 160])
def test_no_number_is_lost_in_a_terminal(comparison: Comparison, width: int) -> None:
    console = Console(width=width, record=True, file=None, quiet=False)
    with console.capture() as capture:
        show_comparison(console, comparison)
    shown = capture.get()
    numbers = {cell for row in comparison.summary() for cell in row[1:]}
    assert {cell for cell in numbers if cell not in shown} == set()
    assert "…" not in shown
    assert "left out bad: no tests" in shown
    assert "tasks without hidden tests or a scorer: 1" in shown


def test_no_number_gives_way_to_the_long_name_of_a_model() -> None:
    runs = tuple(a_run(str(number), number < 1, True) for number in range(4))
    name = "qwen2.5-coder-0.5b-instruct-q4_k_m → qwen2.5-coder-1.5b-instruct-q4_k_m: external_loop"
    comparison = Comparison((ConditionResult(name, runs),), 3, {}, 0)
    console = Console(width=80, record=True, file=None, quiet=False)
    with console.capture() as capture:
        show_comparison(console, comparison)
    shown = capture.get()
    for cell in ("solved", "1/4", "3 of 4", "3,600"):
        assert cell in shown, cell
    assert "…" not in shown


def test_bars_are_as_long_as_the_shares_and_their_intervals(comparison: Comparison) -> None:
    line = bars(comparison).plain.splitlines()[1]
    drawn = line.removeprefix("retry only").strip()
    counts = {sign: drawn.count(sign) for sign in "█▓░"}
    assert counts == {"█": 5, "▓": 13, "░": 13}, line
    assert line.endswith("50% (15%–85%)")


def test_a_bar_and_its_share_stay_on_one_line_in_a_narrow_terminal(comparison: Comparison) -> None:
    lines = bars(comparison, 60).plain.splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[2] == "retry only"
    assert lines[3].endswith("50% (15%–85%)")


def test_a_figure_as_svg_is_whole_and_names_every_condition(comparison: Comparison, tmp_path: Path) -> None:
    matplotlib: Any = pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        save_plot(comparison, path)
    words = " ".join(text for text in ElementTree.parse(path).getroot().itertext())
    for part in ("one shot", "retry only", "reflexion, self-judged", "accepted, but wrong", "tokens a task", "4 tasks"):
        assert part in words, part


def test_a_figure_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlotError, match=r"pip install 'thoughtgraph\[plots\]'"):
        check_plot(Path("figure.png"))
    assert issubclass(PlotError, ThoughtGraphError)


def test_several_models_are_compared_with_all_of_them_in_a_row(dataset: str) -> None:
    with OpenAIServer(lambda body, index: Reply(WRONG)) as small, OpenAIServer(answer) as large:
        models = ["--model", f"{small.base_url}#small", "--model", f"{large.base_url}#large"]
        options = (
            "--dataset",
            dataset,
            *models,
            "--modes",
            "external_loop",
            "--no-controls",
            "--cascade",
            "--json",
            "-q",
        )
        exit_code, output = invoke(*options)
    assert exit_code == 0
    shown = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    solved = {row["condition"]: row["solved"] for row in shown["conditions"]}
    assert solved == {
        "small: one shot": 0,
        "small: external_loop": 0,
        "large: one shot": 1,
        "large: external_loop": 1,
        "small → large: external_loop": 1,
    }


def test_tasks_that_nothing_could_judge_are_counted_and_exit_with_3(
    dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_judge.py").write_text("def broken(task, answer):\n    raise KeyError('API_KEY')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    options = ("--dataset", dataset, "--modes", "external_loop", "--no-controls", "--scorer", "broken_judge:broken")
    with OpenAIServer(answer) as server:
        exit_code, output = invoke(*options, "--model", server.base_url)
    assert exit_code == 3
    assert "one shot: 2 of 2 tasks could not be judged, and count as not solved" in output
    with OpenAIServer(answer) as server:
        _, output = invoke(*options, "--model", server.base_url, "--json", "--quiet")
    reason = "the scorer raised KeyError: 'API_KEY'"
    assert json.loads(output.splitlines()[0])["conditions"][1]["unjudged"] == {"a": reason, "b": reason}
