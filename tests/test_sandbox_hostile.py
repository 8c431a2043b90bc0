"""Hostile programs in each tier: what is held back, and, named `known_limit`, what is not."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.hostile_programs import ALLOWED, ENDED, LIBC, REFUSED, SOURCES, TIERS, attack
from support.hostile_reports import FORGED, MALFORMED, reports
from support.hostile_world import World, hostile_world, processes_with
from thoughtgraph import Limits, run_project
from thoughtgraph import run as run_in_sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the second tier needs Linux")


@pytest.fixture
def world() -> Iterator[World]:
    """Canaries and listeners."""
    with tempfile.TemporaryDirectory() as place, hostile_world(Path(place)) as made:
        yield made


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", REFUSED)
def test_refused(world: World, tier: str, name: str) -> None:
    """The attack does not reach what it was after; where it ran at all, that counts as a failed check."""
    verdict = world.run(tier, REFUSED[name])
    assert verdict.status in (("failed", "error") if tier == "bubblewrap" else ("failed", "error", "unsupported"))


@pytest.mark.parametrize(
    ("tier", "name"), [pytest.param(tier, name, id=f"{name}-{tier}") for name in ENDED for tier in ENDED[name][1]]
)
def test_ended(world: World, tier: str, name: str) -> None:
    """The program is ended, and the verdict says which limit ended it."""
    status, _, code = ENDED[name]
    found = world.run(tier, code, "assert attack() == 1" if name == "repr-bomb" else "assert attack()").status
    # A busy machine may take longer to fill the memory than the program has.
    assert found == status or (status, found) == ("memory", "timeout")


def test_process_that_outruns_its_own_death_is_no_pass(world: World) -> None:
    """Whether it is stopped as ended, late or out of processes depends on who is faster."""
    code = attack("import os", "for _ in range(9999): os.fork() and os._exit(0)", "return True")
    assert world.run("bubblewrap", code).status in ("error", "failed", "timeout")


def test_first_tier_counts_sleep_as_time(world: World) -> None:
    assert world.run("monty", attack("import time", "time.sleep(1.5)", "return True")).status == "timeout"


def test_process_left_behind_dies_with_the_sandbox(world: World) -> None:
    leave = "os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(30)', '@MARK@'])"
    code = attack(
        "import os, sys, time",
        f"if os.fork() == 0: os.setsid(); os.fork() or {leave}; os._exit(0)",
        "os.wait(); time.sleep(0.2); return True",
    )
    assert world.run("bubblewrap", code).status == "passed"


def test_processes_of_a_running_sandbox_are_seen(world: World) -> None:
    """What the other tests rely on when they see none."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(world.run, "bubblewrap", attack("import time; time.sleep(0.3); return True"))
        seen = 0
        while not future.done():
            seen = max(seen, len(processes_with(world.mark)))
        assert future.result().status == "passed"
    assert seen >= 2


@pytest.mark.parametrize("name", ALLOWED)
def test_stays_inside(world: World, name: str) -> None:
    """What the program does may be allowed inside; the world outside is as it was."""
    world.run("bubblewrap", ALLOWED[name])


@pytest.mark.parametrize("name", SOURCES)
def test_hostile_source_is_a_verdict(name: str) -> None:
    """However the text of a program is made, it is no error of the caller and no pass."""
    verdict = run_in_sandbox(SOURCES[name], "assert f() == 1", Limits(seconds=1))
    assert verdict.status in ("failed", "error", "timeout", "memory")


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_report_is_not_an_error_of_the_caller(world: World, name: str) -> None:
    assert world.run("bubblewrap", reports(MALFORMED[name])).status in ("failed", "error")


def test_lost_report_is_not_a_pass(world: World) -> None:
    """Text without a line end swallows the report behind it, here that of a failed check."""
    assert world.run("bubblewrap", reports(b"x")).status != "passed"


@pytest.mark.parametrize("tier", TIERS)
def test_known_limit_object_equal_to_everything_passes(world: World, tier: str) -> None:
    code = "class A:\n    def __eq__(self, other):\n        return True\n" + attack("return A()")
    assert world.run(tier, code, "assert attack() == 7").status == "passed"


@pytest.mark.parametrize("name", FORGED)
def test_known_limit_second_tier_believes_a_forged_report(world: World, name: str) -> None:
    """The candidate shares its process with the reporter: a program that is out to cheat can pass."""
    assert world.run("bubblewrap", FORGED[name]).status == "passed"


def test_known_limit_shared_memory_is_not_counted(world: World) -> None:
    """System V segments live beyond the limit of a process, until the sandbox ends."""
    code = attack(
        "libc.shmat.restype = ctypes.c_void_p",
        "for _ in range(8):",
        "    place = libc.shmat(libc.shmget(0, 32 << 20, 0o1600), None, 0)",
        "    ctypes.memset(place, 1, 32 << 20); libc.shmdt(ctypes.c_void_p(place))",
        "return True",
        top=LIBC,
    )
    assert world.run("bubblewrap", code).status == "passed"


PROJECT = (
    "read-etc-passwd",
    "read-home",
    "read-host-tmp",
    "environment",
    "socket",
    "write-standard-library",
    "fork-bomb",
)


@pytest.mark.parametrize("name", PROJECT)
def test_refused_in_a_project(world: World, name: str) -> None:
    tests = {"test_it.py": "from solution import attack\ndef test_attack():\n    assert attack()\n"}
    limits = Limits(seconds=3, memory_mb=192, output_kb=64, processes=8)
    verdict = run_project({"solution.py": world.aim(REFUSED[name])}, tests, limits)
    world.check_untouched(verdict)
    assert verdict.status == "failed"
