"""The cases of the hostile part that run in processes of their own: each within a time limit, each as lines."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from effort import HangError, within
from support.hostile_markup import problems as markup_problems
from support.hostile_programs import ALLOWED, ENDED, PLACES, REFUSED, SOURCES
from support.hostile_prompts import quoting_problems, search_problems
from support.hostile_reports import FORGED, MALFORMED, reports
from support.hostile_secrets import (
    chat_model,
    errors,
    leaks,
    memory_run,
    model_runs,
    quoting_server,
    tool_run,
    verifier_run,
)
from support.hostile_world import LIMITS, SHORT, hostile_world
from support.modes import MODES
from support.page_runs import planned_run, solved
from support.plan_act import twin
from thoughtgraph.tools.sandbox import SandboxLimits
from thoughtgraph.tools.sandbox import run as run_in_sandbox

_SECONDS = 30
_NOT_PASSED = ("failed", "error", "unsupported", "timeout", "memory", "output_limit")
_RUNS: dict[str, Callable[[Exception], Any]] = {"tool": tool_run, "verifier": verifier_run, "memory": memory_run}


def bounded(case: Callable[[Any], list[str]], given: Any) -> list[str]:
    """What came of a case; one that takes too long is a line like any other."""
    try:
        with within(_SECONDS):
            return case(given)
    except (Exception, HangError) as error:  # noqa: BLE001 - whatever breaks is a line
        return [f"{ascii(given)[:80]}: {type(error).__name__}: {str(error)[:200]}"]


def program_cases() -> list[tuple[str, str, str, tuple[str, ...], str]]:
    """Name, place of the tests, program, statuses that it may end with, and the tests it is run under."""
    cases: list[tuple[str, str, str, tuple[str, ...], str]] = []
    for name, code in REFUSED.items():
        cases += [(name, place, code, _NOT_PASSED[:2], "assert attack()") for place in PLACES]
    for name, (status, code) in ENDED.items():
        allowed: tuple[str, ...] = (status,)
        # Apart, what writes to the tests' process, or leaves it, has ended.
        allowed = (*allowed, "error") if name in ("endless-reports", "close-and-wait", "become-another") else allowed
        tests = "assert attack() == 1" if name == "repr-bomb" else "assert attack()"
        cases += [(name, place, code, allowed, tests) for place in PLACES]
    cases += [(name, "apart", code, ("passed", *_NOT_PASSED), "assert attack()") for name, code in ALLOWED.items()]
    cases += [(name, "apart", reports(line), _NOT_PASSED[:2], "assert attack()") for name, line in MALFORMED.items()]
    cases += [(name, place, code, _NOT_PASSED, "assert attack()") for name, code in FORGED.items() for place in PLACES]
    return cases


def program_case(case: tuple[str, str, str, tuple[str, ...], str]) -> list[str]:
    """Run a hostile program among canaries."""
    name, place, code, allowed, tests = case
    with tempfile.TemporaryDirectory() as folder, hostile_world(Path(folder)) as world:
        try:
            verdict = world.run(place, code, tests, SHORT if "timeout" in allowed else LIMITS)
        except AssertionError as broke:
            return [f"{name} {place}: {broke}"]
    return (
        [] if verdict.status in allowed else [f"{name} {place} ended with {verdict.status}, not {' or '.join(allowed)}"]
    )


def source_case(name: str) -> list[str]:
    """Run a program whose text is the attack."""
    verdict = run_in_sandbox(SOURCES[name], "assert f() == 1", SandboxLimits(seconds=1))
    return [] if verdict.status in _NOT_PASSED else [f"{name} ended with {verdict.status}"]


@cache
def made_runs() -> list[list[Any]]:
    """A run of each loop; called before processes part."""
    modes = [mode.script(["wrong 0.1", "right"]).run(twin("sync"))["events"] for mode in MODES[:3]]
    return [solved(), planned_run(), *modes]


def markup_case(case: tuple[str, int]) -> list[str]:
    """Fill a run of one of the loops with a text."""
    text, number = case
    return markup_problems(made_runs()[number], text)


def prompt_case(text: str) -> list[str]:
    """Have a tool, a failing tool and a search say a text to the model."""
    return [*quoting_problems(text), *quoting_problems(text, fails=True), *search_problems(text)]


def leak_case(case: tuple[str, int, int, str]) -> list[str]:
    """Have a server, a tool, a verifier or a memory quote every secret in an error."""
    kind, number, padding, way = case
    if kind != "server":
        found = leaks(partial(_RUNS[kind], errors()[number]))
    else:
        with quoting_server(number, padding) as server:
            found = leaks(model_runs(chat_model(server.base_url))[way])
            if not server.requests:
                found = [*found, "the server was not called"]
    return [f"{problem}, for {case}" for problem in found]
