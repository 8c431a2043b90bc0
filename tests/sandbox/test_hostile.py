"""Hostile programs in the sandbox: what is held back, and, named `known_limit`, what is not."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.hostile_programs import ALLOWED, ENDED, PLACES, REFUSED, SOURCES, attack
from support.hostile_reports import FORGED, MALFORMED, reports
from support.hostile_world import LIMITS, SHORT, World, hostile_world, processes_with
from thoughtgraph.tools.sandbox import SandboxLimits, run_project
from thoughtgraph.tools.sandbox import run as run_in_sandbox

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]


@pytest.fixture
def world() -> Iterator[World]:
    """Canaries and listeners."""
    with tempfile.TemporaryDirectory() as place, hostile_world(Path(place)) as made:
        yield made


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", REFUSED)
def test_refused(world: World, place: str, name: str) -> None:
    """The attack does not reach what it was after; where it ran at all, that counts as a failed check."""
    assert world.run(place, REFUSED[name]).status in ("failed", "error")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ENDED)
def test_ended(world: World, place: str, name: str) -> None:
    """The program is ended, and the verdict says which limit ended it."""
    status, code = ENDED[name]
    if place == "apart" and name in ("endless-reports", "close-and-wait", "become-another"):
        # It writes to the tests' process, or is no longer there for it: that is the end.
        status = "error"
    tests = "assert attack() == 1" if name == "repr-bomb" else "assert attack()"
    verdict = world.run(place, code, tests, SHORT if status == "timeout" else LIMITS)
    if status == "timeout" and verdict.status == "unsupported":
        assert "waited for a processor" in verdict.reason, "only a busy machine keeps it from being judged"
    else:
        assert verdict.status == status


def test_process_that_outruns_its_own_death_is_no_pass(world: World) -> None:
    """Whether it is stopped as ended, late or out of processes depends on who is faster."""
    code = attack("import os", "for _ in range(9999): os.fork() and os._exit(0)", "return True")
    assert world.run("apart", code, limits=SHORT).status in ("error", "failed", "timeout")


def test_processes_are_ended_that_take_too_much_together(world: World) -> None:
    """Each of them stays below the limit of one."""
    code = attack(
        "import os, time",
        "for _ in range(30):",
        "    if os.fork() == 0: held = b'x' * (100 * 2**20); time.sleep(9); os._exit(0)",
        "time.sleep(4); return True",
    )
    verdict = world.run("apart", code, limits=SandboxLimits(seconds=8, memory_mb=256))
    assert (verdict.status, verdict.seconds < 6) == ("memory", True)


def test_memory_that_processes_share_counts_once(world: World) -> None:
    code = attack(
        "import os, time",
        "for _ in range(20):",
        "    if os.fork() == 0: time.sleep(0.6); os._exit(0)",
        "for _ in range(20): os.wait()",
        "return True",
        top="held = b'x' * (100 * 2**20)\n",
    )
    assert world.run("apart", code, limits=SandboxLimits(seconds=8, memory_mb=256)).status == "passed"


def test_processes_that_take_little_together_are_not(world: World) -> None:
    code = attack(
        "import os, time",
        "for _ in range(30):",
        "    if os.fork() == 0: time.sleep(0.5); os._exit(0)",
        "for _ in range(30): os.wait()",
        "return True",
    )
    assert world.run("apart", code, limits=SandboxLimits(seconds=8, memory_mb=256)).status == "passed"


def test_process_left_behind_dies_with_the_sandbox(world: World) -> None:
    leave = "os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(30)', '@MARK@'])"
    code = attack(
        "import os, sys, time",
        f"if os.fork() == 0: os.setsid(); os.fork() or {leave}; os._exit(0)",
        "os.wait(); time.sleep(0.2); return True",
    )
    assert world.run("apart", code).status == "passed"


def test_processes_of_a_running_sandbox_are_seen(world: World) -> None:
    """What the other tests rely on when they see none."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(world.run, "apart", attack("import time; time.sleep(0.3); return True"))
        seen = 0
        while not future.done():
            seen = max(seen, len(processes_with(world.mark)))
        assert future.result().status == "passed"
    assert seen >= 2


@pytest.mark.parametrize("name", ALLOWED)
def test_stays_inside(world: World, name: str) -> None:
    """What the program does may be allowed inside; the world outside is as it was."""
    world.run("apart", ALLOWED[name], limits=SHORT)


@pytest.mark.parametrize("name", SOURCES)
def test_hostile_source_is_a_verdict(name: str) -> None:
    """However the text of a program is made, it is no error of the caller and no pass."""
    verdict = run_in_sandbox(SOURCES[name], "assert f() == 1", SandboxLimits(seconds=5))
    assert verdict.status in ("failed", "error", "timeout", "memory")


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_report_is_not_an_error_of_the_caller(world: World, name: str) -> None:
    assert world.run("apart", reports(MALFORMED[name])).status in ("failed", "error")


def test_lost_report_is_not_a_pass(world: World) -> None:
    """Text without a line end swallows the report behind it, here that of a failed check."""
    assert world.run("apart", reports(b"x"), limits=SHORT).status != "passed"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", FORGED)
def test_forged_report_is_not_believed(world: World, place: str, name: str) -> None:
    """What the program writes holds no secret; the words of a process apart are not its to say."""
    assert world.run(place, FORGED[name]).status != "passed"


def test_known_limit_program_beside_its_judge_can_find_the_secret(world: World) -> None:
    """Where both share a process, a program that is out to cheat can pass; the verdict says that they did."""
    code = attack(
        "import gc, os; found = [o for o in gc.get_objects() if type(o).__name__ == 'function']",
        "report = [o for o in found if o.__qualname__ == 'reporter.<locals>.report'][-1]",
        "report(check=1, passed=True); report(done=True); os._exit(0)",
    )
    verdict = world.run("together", code)
    assert (verdict.status, verdict.judged) == ("passed", "together")


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
    limits = SandboxLimits(seconds=3, memory_mb=192, output_kb=64, processes=8)
    verdict = run_project({"solution.py": world.aim(REFUSED[name])}, tests, limits)
    world.check_untouched(verdict)
    assert verdict.status == "failed"
