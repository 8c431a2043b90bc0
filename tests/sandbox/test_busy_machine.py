"""The time limit on a machine that is busy with other work."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.verifiers import judged
from thoughtgraph.tools.python_tests import PythonTests
from thoughtgraph.tools.sandbox import SandboxLimits, exchange, run
from thoughtgraph.tools.verifiers import CommandVerifier

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

LIMITS = SandboxLimits(seconds=0.5)
SLEEPS = "import time\ndef f(seconds):\n    time.sleep(seconds)\n    return seconds"


def waiting(share: float) -> Callable[[int], dict[str, tuple[int, int]]]:
    """A kernel that had a thread wait for a processor for a share of the time."""
    started = time.perf_counter()
    return lambda process: {str(process): (0, int((time.perf_counter() - started) * share * 1e9))}


@pytest.mark.parametrize(("share", "status"), [(0.0, "timeout"), (0.8, "passed")])
def test_time_that_a_program_waits_for_a_processor_is_not_counted(
    monkeypatch: pytest.MonkeyPatch, share: float, status: str
) -> None:
    monkeypatch.setattr(exchange, "shares_below", waiting(share))
    assert run(SLEEPS, "assert f(1.2) == 1.2", LIMITS).status == status


def test_processes_that_wait_in_turn_get_back_what_they_wait_together(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.perf_counter()

    def in_turn(process: int) -> dict[str, tuple[int, int]]:
        past = int((time.perf_counter() - started) * 1e9)
        return {f"/proc/{process + each}/task/{process + each}": (0, past * 3 // 10) for each in range(2)}

    monkeypatch.setattr(exchange, "shares_below", in_turn)
    assert run(SLEEPS, "assert f(1.6) == 1.6", LIMITS).status == "passed"


@pytest.mark.parametrize(("is_ready", "status"), [(False, "timeout"), (True, "unsupported")])
def test_a_wait_that_is_not_over_counts_already(monkeypatch: pytest.MonkeyPatch, is_ready: bool, status: str) -> None:
    # The kernel tells of a wait when the thread gets its processor: until then, nothing changes.
    monkeypatch.setattr(exchange, "shares_below", lambda process: {str(process): (0, 0)})
    monkeypatch.setattr(exchange, "is_ready", lambda thread: is_ready)
    assert run(SLEEPS, "assert f(1000)", LIMITS).status == status


def test_a_thread_that_sleeps_is_not_ready() -> None:
    assert exchange.is_ready(f"/proc/self/task/{threading.get_native_id()}")
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        thread = f"/proc/{sleeper.pid}/task/{sleeper.pid}"
        while exchange.is_ready(thread):
            time.sleep(0.01)
        assert Path(thread).exists()
        sleeper.kill()
    assert not exchange.is_ready(thread)


def test_code_that_gives_its_thread_a_name_of_odd_bytes_is_judged() -> None:
    named = SLEEPS.replace("    time", "    __import__('ctypes').CDLL(None).prctl(15, b'\\xff R')\n    time")
    assert run(named, "assert f(0.3) == 0.3", LIMITS).status == "passed"


def test_a_kernel_that_counts_nothing_gives_nothing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda path: "0 0 0\n" if path.name == "schedstat" else read(path))
    assert run("def f():\n    while True:\n        pass", "assert f()", LIMITS).status == "timeout"


def test_threads_that_wait_for_each_other_get_nothing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.perf_counter()

    def crowded(process: int) -> dict[str, tuple[int, int]]:
        # Two processors, which twenty threads share.
        past = int((time.perf_counter() - started) * 1e9)
        return {f"{process}/{thread}": (past // 10, past * 9 // 10) for thread in range(20)}

    monkeypatch.setattr(exchange, "shares_below", crowded)
    assert run(SLEEPS, "assert f(1.2) == 1.2", LIMITS).status == "timeout"


@pytest.mark.parametrize("tests", ["assert f(1000)", "def test_it(tmp_path):\n    assert f(1000)"])
def test_a_program_that_waits_for_a_processor_for_too_long_is_ended_and_not_judged(
    monkeypatch: pytest.MonkeyPatch, tests: str
) -> None:
    monkeypatch.setattr(exchange, "shares_below", waiting(1.0))
    verdict = run(SLEEPS, tests, LIMITS)
    assert verdict.status == "unsupported" and "the machine is too busy" in verdict.feedback
    assert 1 < verdict.seconds < 10
    judged = PythonTests(tests, limits=LIMITS)("Write f.", f"```python\n{SLEEPS}\n```")
    assert (judged.status, judged.score) == ("unverified", None) and "waited for a processor" in judged.feedback


def test_a_command_that_waits_for_too_long_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "shares_below", waiting(1.0))
    verdict = judged(CommandVerifier(["sleep", "1000"], limits=LIMITS), "tea")
    assert verdict.status == "unverified" and "the machine is too busy" in verdict.feedback


def test_a_check_that_failed_before_the_machine_was_too_busy_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "shares_below", waiting(1.0))
    verdict = run(SLEEPS, "assert f(0) == 1\nassert f(1000)", LIMITS)
    assert verdict.status == "failed" and "expected 1, got 0" in verdict.feedback
    assert "in time" not in verdict.feedback


def test_a_loop_that_never_ends_is_too_slow_on_a_busy_machine_too(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.perf_counter()

    def half(process: int) -> dict[str, tuple[int, int]]:
        past = int((time.perf_counter() - started) * 1e9)
        return {str(process): (past // 2, past // 2)}

    monkeypatch.setattr(exchange, "shares_below", half)
    assert run(SLEEPS, "assert f(1000)", LIMITS).status == "timeout"


def test_what_a_program_sends_in_time_counts_though_it_is_read_late(monkeypatch: pytest.MonkeyPatch) -> None:
    look = exchange.memory_below

    def late(process: int, *, shared: bool = False) -> int:
        time.sleep(1.5)
        return look(process, shared=shared)

    monkeypatch.setattr(exchange, "memory_below", late)
    assert run(SLEEPS, "assert f(0.3) == 0.3", LIMITS).status == "passed"


def test_what_ended_children_had_counts_as_had() -> None:
    def had() -> int:
        return sum(one for one, _ in exchange.shares_below(os.getpid()).values())

    before = had()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.2: pass"], check=True)
    assert had() - before > 0.15e9
