"""What a verdict says of the end of a run: no more than is known."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph.tools.sandbox import SandboxLimits, run
from thoughtgraph.tools.verifiers import CommandVerifier

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

KILLED = "import os, signal\ndef f():\n    os.kill(os.getpid(), signal.SIGKILL)"
PYTEST = "import pytest\nfrom solution import f\ndef test_f():\n    assert f() == 1"


@pytest.mark.parametrize("tests", ["assert f() == 1", "import os\nassert f() == 1", PYTEST, f"import os\n{PYTEST}"])
def test_a_process_that_is_killed_may_have_done_that_itself(tests: str) -> None:
    verdict = run(KILLED, tests)
    assert verdict.status == "error"
    assert "was killed (signal 9)" in verdict.feedback and "by the code itself, or for memory" in verdict.feedback


def test_a_command_that_is_killed_may_have_done_that_itself() -> None:
    verdict = CommandVerifier(["sh", "-c", "kill -9 $$"])("task", "x")
    assert (verdict.status, verdict.kind) == ("failed", "error")
    assert "was killed (signal 9), by itself or for memory" in verdict.feedback


@pytest.mark.parametrize("tests", ["assert f()", "import os\nassert f()", PYTEST])
def test_what_is_known_to_be_memory_is_called_so(tests: str) -> None:
    verdict = run("def f():\n    return bytearray(10 << 30)", tests)
    assert (verdict.status, verdict.feedback.split("\n")[0]) == ("memory", "The code used more memory than allowed.")


@pytest.mark.parametrize("tests", ["assert f()", "import os\nassert f()"])
def test_the_limit_of_processor_time_is_one_of_time(tests: str) -> None:
    # Code that computes in several threads at the same time reaches it first.
    code = "import hashlib, threading\ndef slow():\n    hashlib.pbkdf2_hmac('sha256', b'x', b'y', 10**9)\n"
    code += "def f():\n    each = [threading.Thread(target=slow) for _ in range(2)]\n"
    code += "    [one.start() for one in each]\n    [one.join() for one in each]\n"
    verdict = run(code, tests, SandboxLimits(seconds=0.99))
    assert verdict.status == "timeout", verdict.feedback
