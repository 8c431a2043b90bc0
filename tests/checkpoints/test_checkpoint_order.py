"""A run that keeps its checkpoints in the background ends, however few threads there are to do it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.paths import TESTS

# LangGraph before 1.2.15 let a checkpoint wait for writes that stood behind it in the queue, and so for ever; it did so
# at times on any machine, and always with one thread.
RUN = """
from langgraph.checkpoint.memory import InMemorySaver
from support.modes import EXTERNAL_LOOP, RIGHT, TASK, wrong
script = EXTERNAL_LOOP.script([wrong(0.0, f"no {number}") for number in range(8)] + [RIGHT])
config = {"configurable": {"thread_id": "1"}, "max_concurrency": 1}
print(script.graph(checkpointer=InMemorySaver()).invoke(dict(TASK), config)["verdict"])
"""


@pytest.mark.slow
def test_a_run_with_one_thread_for_its_checkpoints_ends() -> None:
    # A process of its own: threads that wait for ever would keep this one from ending.
    ended = subprocess.run(
        [sys.executable, "-c", RUN],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=TESTS,
        check=False,
    )
    assert ended.stdout.strip() == "passed", ended.stderr[-500:]
