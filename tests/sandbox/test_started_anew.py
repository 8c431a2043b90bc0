"""Processes that the code starts anew, as `multiprocessing` does, find its module as forked ones do."""

from __future__ import annotations

import pytest
from thoughtgraph.tools.sandbox import run, run_project

pytestmark = pytest.mark.slow

CODE = """\
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

context = multiprocessing.get_context("{}")
POWER = 2
POWER += 1

def power(x):
    return x ** POWER

def put(queue, x):
    queue.put(power(x))

def in_pool(numbers):
    with context.Pool(2) as pool:
        return pool.map(power, numbers)

def in_futures(numbers):
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        return list(pool.map(power, numbers))

def in_process(x):
    queue = context.Queue()
    process = context.Process(target=put, args=(queue, x))
    process.start()
    found = queue.get()
    process.join()
    return found
"""
DEMO = "if __name__ == '__main__':\n    print(in_process(7))\n"
CALLS = {
    "in a pool": "assert in_pool([1, 2]) == [1, 8]",
    "as futures": "assert in_futures([1, 2]) == [1, 8]",
    "as a process": "assert in_process(2) == 8",
    "as a process of a module": "from src.calc import in_process\nassert in_process(2) == 8",
    "under pytest": "import pytest\nfrom solution import in_pool\n\n"
    "def test_a(capsys):\n    assert in_pool([1, 2]) == [1, 8]",
}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("call", CALLS)
def test_a_process_that_is_started_anew_finds_the_code(call: str, method: str) -> None:
    code = CODE.format(method) + DEMO
    assert run(code, CALLS[call]).status == "passed"
    verdict = run(code.replace("+= 1", "+= 2"), CALLS[call])
    assert verdict.status == "failed", verdict.feedback


def test_it_finds_the_files_of_a_project() -> None:
    tests = {"tests/test_app.py": "from pkg.app import in_pool\n\ndef test_a():\n    assert in_pool([1, 2]) == [1, 8]"}
    code = CODE.format("spawn")
    found = [run_project({"pkg/app.py": each}, tests) for each in (code, code.replace("+= 1", "+= 2"))]
    assert [one.status for one in found] == ["passed", "failed"]


def test_the_folder_of_the_code_stays_as_it_was() -> None:
    code = CODE.format("spawn") + "import os\ndef look(x):\n    return in_process(x), os.listdir()\n"
    assert run(code, "assert look(2) == (8, [])").status == "passed"
