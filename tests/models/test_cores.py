"""The embedded model takes as many threads as there are cores for this process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from thoughtgraph.models.local.cores import usable_cores


@pytest.fixture(autouse=True)
def eight_of_many_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)


def limits(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("cpu_max", "cpu.max").replace("cpu_cfs", "cpu.cfs")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_cores_of_the_cpu_set_count_and_not_those_of_the_machine(tmp_path: Path) -> None:
    assert usable_cores(tmp_path) == 8


@pytest.mark.parametrize(
    ("told", "cores"),
    [
        ("max 100000\n", 8),
        ("200000 100000\n", 2),
        ("250000 100000\n", 2),
        ("50000 100000\n", 1),
        ("9900000 100000\n", 8),
    ],
)
def test_a_container_s_share_of_time_counts(tmp_path: Path, told: str, cores: int) -> None:
    assert usable_cores(limits(tmp_path, cpu_max=told)) == cores


@pytest.mark.parametrize(("quota", "cores"), [("-1\n", 8), ("300000\n", 3)])
def test_so_does_that_of_the_older_control_groups(tmp_path: Path, quota: str, cores: int) -> None:
    folder = limits(tmp_path, cpu__cpu_cfs_quota_us=quota, cpu__cpu_cfs_period_us="100000\n")
    assert usable_cores(folder) == cores


@pytest.mark.parametrize("told", ["", "max", "many 100000", "200000 0"])
def test_limits_that_nobody_can_read_are_none(tmp_path: Path, told: str) -> None:
    assert usable_cores(limits(tmp_path, cpu_max=told)) == 8


def test_where_the_system_tells_no_cpu_set_all_cores_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores(tmp_path) == 1
