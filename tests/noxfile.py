"""Every Python with the lowest and the latest allowed versions of every dependency; warnings are errors.

    make compat                                                                  a part of the tests in each
    make compat SESSION='compat-3.12(highest)'                                   in one
    nox -f tests/noxfile.py -s 'compat-3.12(highest)' -- tests -m 'not model'    other tests, with options of pytest's

What is tested is the wheel. uv looks where its own variables and settings say, not where pip's do. This file is not at
the top level, where every module goes into the wheel.
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import nox
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
RESOLUTIONS = ("lowest-direct", "highest")
SUBSET = (
    "checkpoints/test_checkpoint_order.py",
    "checkpoints/test_persistence.py",
    "cli/test_chat.py",
    "cli/test_trace_command.py",
    "graphs/test_middleware_agents.py",
    "graphs/test_reflection_modes_graph.py",
    "house/test_layout.py",
    "memory/test_failure_memory.py",
    "models/test_generate.py",
    "models/test_retries_and_failures.py",
    "models/test_retry.py",
    "models/test_transport.py",
    "parsers",
    "plan_act/test_context.py",
    "plan_act/test_guidance.py",
    "plan_act/test_plan_act.py",
    "plan_act/test_state_and_events.py",
    "tools/test_duckduckgo.py",
    "tools/test_executor.py",
    "tools/test_files.py",
    "tools/test_schedule.py",
    "tools/test_search.py",
    "tools/test_solver.py",
    "tools/test_todo.py",
    "tools/test_when.py",
    "traces/test_context_graph.py",
    "traces/test_streaming.py",
)
"""Every module's import; every loop, parser and tool; keeping, streaming and showing a run."""

nox.options.default_venv_backend = "uv"
nox.options.envdir = ROOT / ".nox"


@nox.session(python=["3.11", "3.12", "3.13"])
@nox.parametrize("resolution", RESOLUTIONS, ids=RESOLUTIONS)
def compat(session: nox.Session, resolution: str) -> None:
    """Install the wheel with those versions, and run tests against it."""
    session.chdir(ROOT)
    session.install("--resolution", resolution, "--requirements", "pyproject.toml", "--extra", "dev")
    if resolution == "lowest-direct" and (unreached := unreached_bounds(session)):
        session.error("\n".join(unreached))
    # By way of the source archive: a build folder left in the tree would be taken into a wheel built there.
    place = session.create_tmp()
    session.run("python", "-m", "build", "--no-isolation", "--outdir", place, silent=True)
    session.install("--no-deps", *map(str, Path(place).glob("*.whl")))
    tests = session.posargs or [*(f"tests/{name}" for name in SUBSET), "-m", "not model and not browser and not slow"]
    command = ["python", "-m", "pytest", "-p", "no:cacheprovider", "--disable-socket", "--allow-unix-socket", *tests]
    # Checkpoints may hold nothing but what is declared to be safe to read back.
    session.run(*command, env={"LANGGRAPH_STRICT_MSGPACK": "true", "PYTHONPATH": None})


def unreached_bounds(session: nox.Session) -> list[str]:
    """Lower bounds that nobody can have, as other dependencies want more: they would promise what is never tried."""
    listed = str(session.run("uv", "pip", "freeze", silent=True))
    installed = {name: Version(version) for name, version in re.findall(r"^(\S+)==(\S+)$", listed, re.MULTILINE)}
    project = nox.project.load_toml(ROOT / "pyproject.toml")["project"]
    lines: list[str] = []
    for need in map(Requirement, chain(project["dependencies"], *project["optional-dependencies"].values())):
        low = next((Version(each.version) for each in need.specifier if each.operator == ">="), None)
        if low is None or (need.marker and need.name not in installed):
            continue
        there = installed[need.name]
        if there.release[: len(low.release)] != low.release:
            lines.append(f"{need.name}>={low} cannot be had, {there} is the lowest that can")
    return lines
