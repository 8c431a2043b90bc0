"""The benchmark of solving: pieces that are kept and go on, and the tables that come of them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from support.paths import ROOT
from support.scripted import ScriptedModel, code

sys.path.insert(0, str(ROOT))

from benchmarks.solving import pieces as solving
from benchmarks.solving.checks import tasks_of
from benchmarks.solving.conditions import CASCADES, CONDITIONS, ONE_SHOT
from benchmarks.solving.pieces import Piece, Pieces, Reached, billions, pieces_of
from benchmarks.solving.report import bootstrap_interval, cells_of, tables
from benchmarks.solving.run import main

pytestmark = pytest.mark.slow

NAME = "test-0.5b"
ROWS = {task.prompt: task.row for domain in ("extraction", "writing", "sql") for task in tasks_of(domain)}


class Solver(ScriptedModel):
    """Answers a task wrong at first, so that no visible check passes; warmer, it knows what it is told to know."""

    replies: list[Any] = Field(default_factory=list[Any])
    right: str = "reference"
    """The field of the row that it answers with."""
    lost: tuple[int, ...] = ()
    """Seeds with which it never knows an answer."""
    clock: Any = None
    called: str = NAME
    breaks_at: str = ""
    """Words of the prompt that it breaks down over."""

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._requests.append(list(messages))
        if self.clock is not None:
            self.clock.now += 60
        if self.breaks_at and self.breaks_at in str(messages[1].content):
            raise TypeError("no more memory")
        row = next(row for prompt, row in ROWS.items() if prompt in str(messages[1].content))
        knows = bool(self.temperature) and (self.seed or 0) // 10_000 not in self.lost
        content: Any = row[self.right] if knows else ""
        text = content if isinstance(content, str) else json.dumps(content)
        language, mistake = {"extraction": ("json", "{}"), "sql": ("sql", "SELECT a")}.get(row["domain"], ("", "?"))
        reply = AIMessage(
            f"```{language}\n{text or mistake}\n```" if language else text or mistake,
            response_metadata={"model_name": self.called},
            usage_metadata={"input_tokens": 100, "output_tokens": 20, "total_tokens": 120},
        )
        return ChatResult(generations=[ChatGeneration(message=reply)])


@contextmanager
def always(model: Any) -> Generator[Any]:
    yield model


def opening(model: Any) -> Any:
    """Opens a scripted model under its name alone."""

    def opened(name: str) -> AbstractContextManager[Any]:
        assert name == NAME
        return always(model)

    return opened


def never(name: str) -> Any:
    raise AssertionError(f"opened {name}")


def run(folder: Path, model: Any, *options: str) -> None:
    common = ["--models", NAME, "--limit", "2", "--concurrency", "1", "--attempts", "2", "--out", str(folder)]
    main([*common, *options], never if model is None else opening(model))


SMALL = ("--domains", "extraction,sql", "--conditions", "one shot,fresh", "--seeds", "2")


def test_pieces_are_run_once_and_their_tables_say_what_each_condition_solves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Solver(lost=(1,))
    run(tmp_path, model, *SMALL)
    shown = capsys.readouterr().out
    # A task takes one call with one shot, and two with each of the two seeds.
    assert len(model.requests) == 2 * 2 * (1 + 2 * 2)
    assert "6 of 6 pieces are finished." in shown
    assert "left:" not in shown
    assert f"### {NAME}, extraction + sql (4 tasks)" in shown
    assert "| one shot | 1 | 0% (0%–0%) | – | – | – | 0 | 480 | 0.00024 |" in shown
    assert "| fresh | 2 | 50% (50%–50%) | +50.0 (+50.0 to +50.0) | 2 | 0 | 0 | 960 | 0.00048 |" in shown
    assert "- fresh: 0% for 0.00024 → 50% for 0.00048" in shown
    run(tmp_path, None, *SMALL)
    assert capsys.readouterr().out == shown


def test_one_budget_for_all_tasks_is_replayed() -> None:
    def task(name: str, *steps: tuple[float, bool]) -> list[Reached]:
        return [
            Reached(name, number, 100 * number, 1e6 * number, solved, solved, score)
            for number, (score, solved) in enumerate(steps, 1)
        ]

    never = task("never", (0.0, False), (0.0, False), (0.0, False), (0.0, False))
    soon = task("soon", (0.5, False), (1.0, True))
    piece = Piece(NAME, 0, "sql", "fresh")
    (cell,) = cells_of({piece: {"never": never, "soon": soon}}, NAME)["sql"]
    # One attempt each, and the second of the task that was half right.
    assert (cell.shared(0.5), cell.cost) == (3, 6)
    assert cell.shared(1.0) is None
    lines = "\n".join(tables({piece: cell.tasks[0]}, "fresh"))
    assert "one budget against so many attempts each: -25% (2), -40% (3), -50% (4)" in lines
    (alone,) = cells_of({piece: {"never": never}}, NAME)["sql"]
    assert alone.shared(0) == 1, "what is never solved needs no further attempt"


def test_the_curves_of_finished_pieces_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = tmp_path / "figures" / "curves.svg"
    run(tmp_path / "runs", Solver(), *SMALL, "--plot", str(drawn))
    assert f"The curves are in {drawn}." in capsys.readouterr().out
    picture = drawn.read_text()
    for title in ("extraction (2 tasks)", "sql (2 tasks)", "all domains (4 tasks)", f"fresh, {NAME}"):
        assert f"<!-- {title} -->" in picture
    run(tmp_path / "runs", None, *SMALL, "--plot", str(drawn))
    assert drawn.read_text() == picture, "the same runs give the same figure"
    with pytest.raises(SystemExit):
        run(tmp_path / "runs", None, *SMALL, "--plot", "curves.txt")
    assert "name a file that ends with .png or .svg" in capsys.readouterr().err


def test_best_of_n_draws_other_samples_with_each_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The last two of the four are drawn at once, and both count where the first of them is judged.
    options = ("--domains", "sql", "--conditions", "best_of_n", "--seeds", "2", "--attempts", "4")
    run(tmp_path, Solver(lost=(1,)), *options)
    shown = capsys.readouterr().out
    assert "| best_of_n | 2 | 50% (50%–50%) | – | – | – | 0 | 720 | 0.00036 |" in shown
    assert "- best_of_n: 0% for 0.00012 → 50% for 0.00024 → 50% for 0.00036" in shown


def test_a_wrong_answer_that_the_visible_check_passes_is_a_false_accept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, Solver(right="wrong"), "--domains", "writing", "--conditions", "fresh", "--seeds", "1")
    shown = capsys.readouterr().out
    assert "| fresh | 1 | 0% (0%–0%) | – | – | – | 2 | 480 | 0.00024 |" in shown
    assert shown.count("###") == 1


def test_when_the_time_is_over_no_further_task_begins_and_the_next_call_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(solving, "time", SimpleNamespace(monotonic=lambda: clock.now))
    model = Solver(clock=clock)
    run(tmp_path, model, *SMALL, "--minutes", "0")
    assert model.requests == []
    assert "0 of 6 pieces are finished." in capsys.readouterr().out
    run(tmp_path, model, *SMALL, "--minutes", "4.5")
    shown = capsys.readouterr().out
    # The second task of `fresh` begins before the end, and is finished after it.
    assert len(model.requests) == 6
    assert f"### {NAME}, extraction (2 tasks)" in shown
    assert re.findall(r"left: .*", shown) == [
        f"left: {NAME}, sql, one shot, seed 0: 2 tasks",
        f"left: {NAME}, sql, fresh, seed 0: 2 tasks",
        f"left: {NAME}, extraction, fresh, seed 1: 2 tasks",
        f"left: {NAME}, sql, fresh, seed 1: 2 tasks",
    ]
    run(tmp_path, model, *SMALL, "--minutes", "0.5")
    assert f"left: {NAME}, sql, one shot, seed 0: 1 tasks" in capsys.readouterr().out
    run(tmp_path, model, *SMALL)
    assert "6 of 6 pieces are finished." in capsys.readouterr().out
    assert len(model.requests) == 20, "nothing is asked twice"


def test_a_task_that_could_not_be_run_is_told_and_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--domains", "sql", "--conditions", "one shot", "--seeds", "1")
    run(tmp_path, Solver(breaks_at="all products"), *options)
    shown = capsys.readouterr().out
    assert f"left: {NAME}, sql, one shot, seed 0: 1 tasks" in shown
    assert "  sql/02 could not be run: TypeError: no more memory" in shown
    model = Solver()
    run(tmp_path, model, *options)
    assert "1 of 1 pieces are finished." in capsys.readouterr().out
    assert len(model.requests) == 1


def test_a_folder_of_other_settings_is_refused(tmp_path: Path) -> None:
    run(tmp_path, Solver(), *SMALL)
    with pytest.raises(ValueError, match="choose another folder"):
        run(tmp_path, None, *SMALL, "--attempts", "3")


def test_a_file_of_coding_tasks_is_a_domain_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "more.jsonl"
    path.write_text('{"prompt": "Write f.", "visible_tests": "assert f(1) == 2\\nassert f(2) == 4"}\n')
    replies = [code(f"def f(x):\n    return {body}") for body in ("0", "2", "x * 2")]
    options = ("--domains", str(path), "--conditions", "fresh", "--seeds", "1", "--attempts", "3")
    run(tmp_path / "runs", ScriptedModel(replies=replies), *options)
    shown = capsys.readouterr().out
    assert "1 of 1 pieces are finished." in shown
    assert "- fresh: 0% for 7.5e-06 → 0% for 1.5e-05 → 100% for 2.25e-05" in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--models", "big"], "add --parameters big=BILLIONS"),
        (["--domains", "poems"], "cannot read the dataset poems"),
        (["--conditions", "magic"], "unknown: magic; there are: one shot, fresh"),
        (["--parameters", "m=big"], "invalid"),
    ],
)
def test_what_can_be_refused_is_refused_at_once(
    tmp_path: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path / "runs", None, *options)
    assert words in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "size"),
    [("local:qwen2.5-coder-0.5b", 0.5), ("Qwen2.5-Coder-1.5B-Instruct-Q4", 1.5), ("llama-70b", 70), ("own", 3)],
)
def test_a_models_name_tells_its_size_or_a_given_one_does(name: str, size: float) -> None:
    assert billions(name, {"own": 3}) == size


def test_conditions_differ_and_every_seed_of_one_that_samples_is_a_piece() -> None:
    own = [condition for name, condition in CONDITIONS.items() if name != ONE_SHOT and name not in CASCADES]
    assert len(set(own)) == len(own)
    found = pieces_of(["a", "b"], ["sql", "writing"], [ONE_SHOT, "fresh", "cascade"], 3)
    assert len(found) == len(set(found)) == 2 * 2 * (1 + 3) + 2 * 3
    assert list(dict.fromkeys(piece.model for piece in found)) == ["a", "b", "a → b"]
    assert [name for name, _ in groupby(piece.model for piece in found)] == ["a", "b", "a → b"], "opened once"
    assert pieces_of(["a"], ["sql"], ["cascade"], 3) == [], "one model is no cascade"


def test_a_cascade_goes_from_the_first_model_to_the_next_and_costs_what_each_of_them_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, large = Solver(lost=(0, 1)), Solver(temperature=0.5, called="test-2b")
    models = {NAME: small, "test-2b": large}
    options = ["--domains", "sql", "--conditions", "one shot,cascade", "--seeds", "2", "--limit", "2"]
    main(
        ["--models", f"{NAME},test-2b", *options, "--attempts", "2", "--concurrency", "1", "--out", str(tmp_path)],
        lambda name: always(models[name]),
    )
    shown = capsys.readouterr().out
    assert "4 of 4 pieces are finished." in shown
    assert "| one shot | 1 | 100% (100%–100%) | – | – | – | 0 | 240 | 0.00048 |" in shown
    assert "| cascade | 2 | 100% (100%–100%) | +0.0 (+0.0 to +0.0) | 0 | 0 | 0 | 480 | 0.0006 |" in shown
    assert "- cascade: 0% for 0.00012 → 100% for 0.0006" in shown


def lines(solved: str, cost: float = 1e6) -> dict[str, list[Reached]]:
    """Tasks with one attempt each, solved or not."""
    numbered = enumerate(solved)
    return {str(n): [Reached(str(n), 1, 10, cost, one == "+", one != "-", 0.0)] for n, one in numbered}


def test_differences_are_paired_and_means_over_seeds() -> None:
    finished = {
        Piece("m", 0, "sql", ONE_SHOT): lines("++--"),
        Piece("m", 0, "sql", "fresh"): lines("+-++"),
        Piece("m", 1, "sql", "fresh"): lines("+++f", cost=3e6),
    }
    base, fresh = cells_of(finished, "m")["sql"]
    change, (low, high), fixed, broken = fresh.against(base)
    assert (base.share, fresh.share, change) == (0.5, 0.75, 0.25)
    assert -0.5 <= low < change < high <= 1
    assert (fixed, broken, fresh.cost, fresh.false_accepts) == (1.5, 0.5, 8, 0.5)
    assert fresh.against(fresh)[:2] == (0, (0, 0))


def test_all_domains_hold_the_seeds_that_are_finished_in_each_of_them() -> None:
    finished = {
        Piece("m", 0, "sql", ONE_SHOT): lines("++"),
        Piece("m", 0, "sql", "fresh"): lines("++"),
        Piece("m", 1, "sql", "fresh"): lines("--"),
        Piece("m", 0, "writing", ONE_SHOT): {f"w{name}": task for name, task in lines("--").items()},
        Piece("m", 1, "writing", "fresh"): {f"w{name}": task for name, task in lines("-+").items()},
    }
    cells = cells_of(finished, "m")
    assert [(cell.condition, cell.share) for cell in cells["sql + writing"]] == [(ONE_SHOT, 0.5), ("fresh", 0.25)]
    assert len(cells["sql"][1].tasks) == 2
    assert "| fresh | 1 | 25%" in "\n".join(tables(finished, ONE_SHOT))
    assert list(tables({}, ONE_SHOT)) == []


def test_the_curve_goes_from_the_first_attempts_to_the_last() -> None:
    finished = {
        Piece("m", 0, "sql", "fresh"): {
            "a": [Reached("a", 1, 10, 1e6, False, False, 0.0), Reached("a", 2, 20, 3e6, True, True, 0.0)],
            "b": [Reached("b", 1, 10, 1e6, True, True, 0.0)],
        }
    }
    (cell,) = cells_of(finished, "m")["sql"]
    assert cell.curve() == [(2.0, 0.5), (4.0, 1.0)]


def test_what_a_run_reached_is_read_from_its_events(tmp_path: Path) -> None:
    run(tmp_path, Solver(), "--domains", "sql", "--conditions", "fresh", "--seeds", "1")
    (path,) = tmp_path.glob("**/attempts.jsonl")
    noted = [Reached(**json.loads(line)) for line in path.read_text().splitlines()]
    assert noted == [
        Reached(name, number, 120 * number, 60.0 * number, number == 2, number == 2, float(number == 2))
        for name in ("sql/01", "sql/02")
        for number in (1, 2)
    ]
    work = Pieces(tmp_path, 2, 1, 2, {})
    assert work.left(Piece(NAME, 0, "sql", "fresh")) == 0


def test_lines_that_two_programs_wrote_count_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, Solver(), "--domains", "sql", "--conditions", "fresh", "--seeds", "1")
    shown = capsys.readouterr().out
    (path,) = tmp_path.glob("**/attempts.jsonl")
    path.write_text(path.read_text() * 2)
    run(tmp_path, None, "--domains", "sql", "--conditions", "fresh", "--seeds", "1")
    assert capsys.readouterr().out == shown


def test_it_says_for_what_a_condition_solves_as_many_as_the_baseline() -> None:
    def reached(*steps: tuple[float, bool]) -> dict[str, list[Reached]]:
        made = [Reached("a", number, 1, cost, won, won, 0.0) for number, (cost, won) in enumerate(steps, 1)]
        return {"a": made}

    finished = {
        Piece("m", 0, "sql", "best_of_n"): reached((1e6, False), (2e6, False), (4e6, True)),
        Piece("m", 0, "sql", "fresh"): reached((1e6, False), (3e6, True), (5e6, True)),
        Piece("m", 0, "sql", "lesson"): reached((1e6, False), (9e6, False)),
    }
    found = "\n".join(tables(finished, "best_of_n"))
    assert (
        "- fresh: 0% for 1 → 100% for 3 → 100% for 5; as many as best_of_n after attempt 2, for 75% of its cost"
        in found
    )
    assert "; never as many as best_of_n;" in found


def test_a_bootstrap_interval_holds_the_mean_and_narrows_with_more_values() -> None:
    few, many = [1.0, 0.0, 0.0, 0.5] * 3, [1.0, 0.0, 0.0, 0.5] * 30
    (low, high), (lower, upper) = bootstrap_interval(many), bootstrap_interval(few)
    assert lower < low < 0.375 < high < upper
    assert (bootstrap_interval([]), bootstrap_interval([0.25] * 4)) == ((0.0, 0.0), (0.25, 0.25))
    uneven = [n * n / 7 for n in range(12)]
    assert bootstrap_interval(uneven) == bootstrap_interval(uneven)


def test_the_bootstrap_of_a_mean_agrees_with_its_normal_approximation() -> None:
    low, high = bootstrap_interval([1.0] * 60 + [0.0] * 140)
    half = 1.96 * (0.3 * 0.7 / 200) ** 0.5
    assert (low, high) == (pytest.approx(0.3 - half, abs=0.01), pytest.approx(0.3 + half, abs=0.01))
