"""The commands' options for Ray, with workers in this process instead."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from support.in_process import InProcess
from thoughtgraph.cli.main import app
from thoughtgraph.cli.terminal import LatestStatus
from thoughtgraph.evaluation import BatchStatus
from typer.testing import CliRunner

ECHO = "import:support.sent:echo"


@dataclass
class FakeRay(InProcess):
    """Takes what a `RayBackend` takes."""

    address: str = ""
    workers: int | None = None
    in_flight: int = 16
    checkpoints: str | None = None
    batch: str = ""
    on_status: Any = None
    runs: str | None = None
    prices: Any = None


@pytest.fixture(autouse=True)
def backends(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What every backend was made with."""
    made: list[dict[str, Any]] = []

    def fake(**settings: Any) -> FakeRay:
        made.append(settings)
        return FakeRay(**settings)

    monkeypatch.setattr("thoughtgraph.evaluation.backends.on_ray.RayBackend", fake)
    return made


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    """Two tasks without tests."""
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(json.dumps({"task_id": name, "prompt": f"Task {name}."}) for name in "ab"))
    return str(path)


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    return result.exit_code, result.output


def test_a_dataset_is_solved_by_workers(dataset: str, tmp_path: Path, backends: list[dict[str, Any]]) -> None:
    arguments = ["--mode", "actor_critic", "--model", ECHO, "--critic", ECHO, "--save", str(tmp_path / "runs")]
    code, output = invoke(
        "solve", "--dataset", dataset, *arguments, "--ray", "auto", "--workers", "2", "--concurrency", "7"
    )
    assert code == 3, output
    assert "worker" in (tmp_path / "runs" / "a.jsonl").read_text()
    assert backends == [{"address": "auto", "workers": 2, "in_flight": 7, "checkpoints": None, "batch": ""}]


def test_a_comparison_shows_where_its_tasks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Telling(FakeRay):
        """Says how far it is when it starts."""

        def __post_init__(self) -> None:
            if self.on_status:
                self.on_status(BatchStatus({"one:1": 2}, 1, 0, 30, 2.0, 0.5))

    monkeypatch.setattr("thoughtgraph.evaluation.backends.on_ray.RayBackend", Telling)
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({"prompt": "Task a.", "visible_tests": "assert f(1) == 2"}))
    arguments = ["--modes", "actor_critic", "--model", ECHO, "--no-controls", "--ray", "local", "--list-prices"]
    code, output = invoke("compare", "--dataset", str(path), *arguments)
    assert code == 0, output
    assert "1 of 1, 0 failed, 30 tokens for $0.5, 0.5 runs/s, 2 running in 1 workers on 1 machine(s)" in output


def test_modes_are_compared_by_workers(tmp_path: Path, backends: list[dict[str, Any]]) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({"prompt": "Task a.", "visible_tests": "assert f(1) == 2"}))
    code, output = invoke(
        "compare", "--dataset", str(path), "--modes", "actor_critic", "--model", ECHO, "--no-controls", "--ray", "local"
    )
    assert code == 0, output
    assert "actor_critic" in output
    assert backends[0]["address"] == "local"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["A task.", "--ray", "local"], "--ray goes with --dataset"),
        (["A task.", "--limit", "2"], "--limit goes with --dataset"),
        (["A task.", "--critic", ECHO], "external_loop asks no critic"),
        (["--dataset", "DATASET", "--mode", "best_of_n", "--critic", ECHO], "best_of_n asks no critic"),
        (["--dataset", "DATASET", "--workers", "2"], "go with --ray"),
        (["--dataset", "DATASET", "--batch", "b"], "go with --ray"),
        (["--dataset", "DATASET", "--runs", "s3://bucket"], "go with --ray"),
        (["--dataset", "DATASET", "--list-prices"], "go with --ray"),
        (["--dataset", "DATASET", "--ray", "local", "--memory", "--model", ECHO], "leave out memory"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: list[str], said: str, dataset: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    code, output = invoke("solve", *(dataset if part == "DATASET" else part for part in arguments))
    assert code == 2
    assert said in output


def test_a_status_says_how_far_a_batch_is_and_where_it_runs() -> None:
    status = BatchStatus({"one:1": 2, "one:2": 1, "two:1": 0}, done=1_200, failed=3, tokens=45_000, seconds=60.0)
    said = "3 failed, 45,000 tokens, 20.0 runs/s, 3 running in 3 workers on 2 machine(s)"
    latest = LatestStatus()
    latest.note(status)
    assert latest.words == said
    latest.note(replace(status, cost=0.12))
    assert "45,000 tokens for $0.12, 20.0" in latest.words
    assert BatchStatus({}, 0, 0, 0, 0.0).runs_a_second == 0.0
