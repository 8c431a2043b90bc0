"""Hostile programs, names, payloads, texts and servers: nothing let in, nothing let out, and every limit holds."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from effort import Effort, Row, spread
from hostile_cases import (
    bounded,
    leak_case,
    made_runs,
    markup_case,
    program_case,
    program_cases,
    prompt_case,
    source_case,
)
from support.hostile_names import FINE, random_names, refused_names, saving_problem
from support.hostile_payloads import document, parsing_problem, payloads, places, reading_problem
from support.hostile_programs import SOURCES
from support.hostile_secrets import MODES, STATUSES, errors
from support.hostile_terminal import problems as terminal_problems
from support.hostile_text import DATABASE, INSTRUCTIONS, MARKUP, TERMINAL
from support.hostile_tools import (
    agenda_problems,
    lookup_problems,
    memory_problems,
    namespace_problems,
    run_file_problems,
)
from support.page_runs import reflected

_TEXTS = (*MARKUP, *TERMINAL, *INSTRUCTIONS, *DATABASE)


def torture(effort: Effort) -> Iterator[Row]:
    """A row for each kind of hostility."""
    if sys.platform == "linux":
        chosen = _some(effort, "programs", program_cases())
        yield _row(
            "hostile programs in the sandbox",
            effort,
            program_case,
            chosen,
            "tests apart and beside, a world for each",
        )
    yield _row("hostile program texts", effort, source_case, _some(effort, "sources", list(SOURCES)), "")
    yield _names(effort)
    yield _payloads(effort)
    yield _runs(effort)
    texts = [(text, number) for text in _TEXTS for number in range(5)]
    chosen = _some(effort, "markup", texts)
    yield _row("runs full of markup, as page and exports", effort, markup_case, chosen, "every field of every event")
    yield _row(
        "texts that steer terminals", effort, _terminal_case, _some(effort, "terminal", list(TERMINAL)), "four commands"
    )
    yield _row(
        "results that instruct the model",
        effort,
        prompt_case,
        _some(effort, "prompts", list(_TEXTS)),
        "tool, error, search",
    )
    yield _tools(effort)
    ways = ("think", "stream_think", "bound", "plan_act", *MODES)
    servers = [("server", status, padding, way) for status in STATUSES for padding in (0, 180, 250) for way in ways]
    inner = [(kind, number, 0, "") for kind in ("tool", "verifier", "memory") for number in range(len(errors()))]
    chosen = [*_some(effort, "servers", servers), *_some(effort, "inner", inner)]
    yield _row("secrets that errors quote", effort, leak_case, chosen, "state, trace, page, log, traceback")


def _some(effort: Effort, name: str, cases: Sequence[Any]) -> list[Any]:
    """The share of the cases, another one for each seed."""
    count = min(len(cases), effort.count(len(cases)))
    return effort.random("hostile", name).sample(list(cases), count)


def _row(what: str, effort: Effort, case: Callable[[Any], list[str]], cases: Sequence[Any], note: str) -> Row:
    broke = [problem for found in spread(partial(bounded, case), cases, effort.workers) for problem in found]
    return Row(what, len(cases), broke, note)


def _names(effort: Effort) -> Row:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "target"
        folder.mkdir()
        cases = [(name, True) for name in refused_names()] + [(name, False) for name in FINE]
        cases += [(name, None) for name in islice(random_names(effort.random("names")), effort.count(20_000))]
        broke = [problem for name, refused in cases if (problem := saving_problem(name, folder, refused=refused))]
    named = _some(effort, "files", [*refused_names(), *FINE])
    with tempfile.TemporaryDirectory() as place:
        broke += run_file_problems(named, Path(place))
    looked_up = effort.random("lookup").sample(refused_names(), effort.count(40))
    with tempfile.TemporaryDirectory() as place:
        broke += [
            problem for name in looked_up for problem in lookup_problems(str(Path(place) / "x") + name, Path(place))
        ]
    return Row("hostile file names", len(cases) + len(named) + len(looked_up), broke, "saving, runs of tasks, trace")


def _payloads(effort: Effort) -> Row:
    cases = _some(effort, "payloads", list(payloads()))
    return Row("hostile JSON payloads", len(cases), [p for name, reply in cases if (p := parsing_problem(name, reply))])


def _runs(effort: Effort) -> Row:
    made = [*made_runs()[:2], reflected()]
    cases = [(number, place) for number, events in enumerate(made) for place in places(events)]
    chosen = effort.random("runs").sample(cases, min(len(cases), effort.count(2_000)))
    run_case = partial(_run_case, made)
    return _row("runs with a field replaced", effort, run_case, chosen, "read, twelve views, compared")


def _run_case(made: list[Any], case: tuple[int, Any]) -> list[str]:
    number, place = case
    problem = reading_problem(document(made[number], place))
    return [f"{problem}, for run {number}, event {place[0]}, {place[1]} = {place[2][:40]}"] if problem else []


def _terminal_case(text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as place:
        return terminal_problems(made_runs()[1], text, Path(place))


def _tools(effort: Effort) -> Row:
    kinds = (agenda_problems, memory_problems, namespace_problems)
    cases = _some(effort, "tools", [(kind, text) for kind in kinds for text in (*DATABASE, *TERMINAL)])
    return _row("SQL and commands through tools", effort, _tool_case, cases, "exact rows and integrity after each")


def _tool_case(case: tuple[Callable[[str, Path], list[str]], str]) -> list[str]:
    kind, text = case
    with tempfile.TemporaryDirectory() as place:
        return kind(text, Path(place))
