"""Tries the mutants of modules in a process of its own: `mutation_session.py JOBS RESULTS SECONDS`.

What costs the time of a mutant is starting Python, importing LangGraph and collecting tests. So all but thoughtgraph
is imported once; a fork of that collects a module's tests, and finds out how long each takes and what it calls; and
each mutant is tried in a fork of that in turn, which gives the functions of the imported module the mutant's code and
runs the tests that call the changed function, quick ones first. What has its effect while a module is imported is
tried in a fork of the first process, which imports the mutant in the module's place.

A job is a line `{"module", "tests", "numbers"}`, a result a line `{"module", "number", "outcome"}`. The outcome is
`"killed"`, `"timeout"`, `"survived"`, `"untested"` where no test calls the function, or `"red"` where the tests fail
without any mutant.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import hypothesis
import langchain_core.tools
import langchain_openai
import langgraph.checkpoint.sqlite
import langgraph.graph
import pytest
from mutation_code import Function, called, marked, replace_code
from mutation_operators import Mutant, mutants

ROOT = Path(__file__).resolve().parents[2]
PRELOADED = (langchain_core.tools, langchain_openai, langgraph.graph, langgraph.checkpoint.sqlite)
_SPEC = find_spec("thoughtgraph")
PACKAGE = Path(_SPEC.origin).parent if _SPEC and _SPEC.origin else ROOT
"""As its modules know it, which may be through a link."""
_MEMORY = 6 << 30
_EXAMPLES = 25


def in_fork(work: Callable[[], int], seconds: float) -> int | None:
    """The exit code of some work in a fork; None where it was ended because its time was up."""
    left = signal.getitimer(signal.ITIMER_REAL)[0]
    child = os.fork()
    if child == 0:
        os.setsid()
        # The default action ends the process wherever it hangs.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, min(seconds, left) if left else seconds)
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        code = 70
        try:
            code = work()
        except BaseException:  # noqa: BLE001 - the fork ends here
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    # Not reaped yet, so that the number of its group is still its own.
    ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if ended is None or ended.si_code != os.CLD_EXITED:
        return None
    return ended.si_status


def run_pytest(tests: list[str], plugin: object, folder: Path) -> int:
    """pytest over some files, with few examples for each property."""
    few = hypothesis.settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=_EXAMPLES,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.register_profile("mutation", few)
    hypothesis.settings.load_profile("mutation")
    os.chdir(ROOT)
    output = os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(output, stream)
    quick = ["-p", "no:cacheprovider", "-q", "-x", "-s", "-m", "not model and not browser"]
    # The plugins that are imported already keep their plain assertions.
    options = [*quick, "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    places = ["-c", str(ROOT / "pyproject.toml"), f"--basetemp={folder / 'tests'}"]
    return int(pytest.main([*options, *places, *tests], plugins=[plugin]))


def lessened(items: list[pytest.Item]) -> None:
    """Fewer examples for the properties that ask for a number of their own, too."""
    for item in items:
        test: Any = getattr(item, "obj", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None and own.max_examples > _EXAMPLES:
            test._hypothesis_internal_use_settings = hypothesis.settings(own, max_examples=_EXAMPLES)


def run_items(session: pytest.Session, items: list[pytest.Item]) -> int:
    """Run tests up to the first failure; 1 if there is one."""
    for index, item in enumerate(items):
        following = items[index + 1] if index + 1 < len(items) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    return 0


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a module's tests; times in the order of the tests.

    Attributes:
        seconds: of each test, by its id.
        calls: the tests that call a function.
        early: functions that are called while the module and its tests are imported.
    """

    seconds: dict[str, float]
    calls: dict[Function, list[str]]
    early: set[Function]

    def limit(self, tests: list[str]) -> float:
        """Seconds after which a mutant hangs: more than the tests take on a busy machine."""
        return 10 + 4 * sum(self.seconds[name] for name in tests)


class Trials:
    """A plugin that tries mutants in the collected session instead of running its tests once."""

    def __init__(self, module: str, chosen: list[Mutant], folder: Path, tell: Callable[[int, str], None]) -> None:
        self._module, self._chosen, self._folder, self._tell = module, chosen, folder, tell
        self._path = PACKAGE / module
        tree = marked(ast.parse(self._path.read_text(encoding="utf-8")))
        sys.meta_path.insert(0, InPlace(dotted(module), self._path, tree))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Before anything runs."""
        lessened(items)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Every mutant that the imported module can take, and what is known of the tests for the others."""
        early = set(called)
        if in_fork(lambda: self._without_mutant(session), 600) != 0:
            return True
        measured = json.loads((self._folder / "measured.json").read_text())
        calls: dict[Function, list[str]] = {}
        for name, _, functions in measured:
            for function in functions:
                calls.setdefault((function[0], function[1]), []).append(name)
        known = Known({name: seconds for name, seconds, _ in measured}, calls, early)
        (self._folder / "known.json").write_text(
            json.dumps([known.seconds, [[list(key), tests] for key, tests in calls.items()], [list(f) for f in early]])
        )
        items = {item.nodeid: item for item in session.items}
        for mutant in self._chosen:
            if mutant.function is not None:
                self._try(session, mutant, mutant.function, known, items)
        return True

    def _without_mutant(self, session: pytest.Session) -> int:
        measured: list[tuple[str, float, list[Function]]] = []
        for item in session.items:
            called.clear()
            started = time.perf_counter()
            failed = run_items(session, [item])
            seconds = time.perf_counter() - started
            measured.append((item.nodeid, seconds, sorted(called)))
            if failed:
                return 1
        (self._folder / "measured.json").write_text(json.dumps(measured))
        return 0

    def _try(
        self, session: pytest.Session, mutant: Mutant, function: Function, known: Known, items: dict[str, pytest.Item]
    ) -> None:
        early = function in known.early
        names = sorted(known.calls.get(function, []), key=lambda name: known.seconds[name])
        if not names:
            if not early:
                self._tell(mutant.number, "untested")
            return

        def work() -> int:
            replace_code(self._path, mutant, function)
            return run_items(session, [items[name] for name in names])

        code = in_fork(work, known.limit(names))
        if code == 1 or code is None:
            self._tell(mutant.number, "killed" if code == 1 else "timeout")
        elif code == 0 and not early:
            self._tell(mutant.number, "survived")
        # Else it is tried again in the module's place.


def dotted(module: str) -> str:
    """A module's name."""
    return "thoughtgraph." + module.removesuffix(".py").replace("/", ".")


class InPlace(MetaPathFinder, SourceFileLoader):
    """Imports a changed module in its own place."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        super().__init__(name, str(path))
        self._tree = tree

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The changed module, nothing for any other."""
        return spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None

    def get_code(self, fullname: str) -> Any:
        """The changed module's code."""
        return compile(self._tree, self.path, "exec")


class Ordered:
    """A plugin that runs quick tests first."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """By what each took without a mutant."""
        lessened(items)
        items.sort(key=lambda item: self._seconds.get(item.nodeid, 0.0))


def try_module(job: dict[str, Any], folder: Path, tell: Callable[[int, str], None]) -> None:
    """Try all of a job's mutants."""
    module, tests = job["module"], [str(ROOT / "tests" / name) for name in job["tests"]]
    made = mutants(PACKAGE / module)
    chosen = {number: made[number] for number in job["numbers"]}
    done: set[int] = set()
    outcomes = folder / "outcomes"
    outcomes.write_text("")
    known_file = folder / "known.json"
    known_file.unlink(missing_ok=True)

    def session() -> int:
        with outcomes.open("a", buffering=1) as lines:
            trials = Trials(
                module, list(chosen.values()), folder, lambda number, said: print(number, said, file=lines, flush=True)
            )
            return run_pytest(tests, trials, folder)

    in_fork(session, 3600)
    for line in outcomes.read_text().splitlines():
        number, said = line.split()
        done.add(int(number))
        tell(int(number), said)
    if not known_file.exists():
        print((folder / "output.txt").read_text()[-3000:], file=sys.stderr)
        for number in chosen:
            tell(number, "red")
        return
    seconds: dict[str, float] = json.loads(known_file.read_text())[0]
    for number in sorted(chosen.keys() - done):

        def in_place(mutant: Mutant = chosen[number]) -> int:
            sys.meta_path.insert(0, InPlace(dotted(module), PACKAGE / module, mutant.code))
            return run_pytest(tests, Ordered(seconds), folder)

        code = in_fork(in_place, 20 + 4 * sum(seconds.values()))
        tell(number, "survived" if code == 0 else "timeout" if code is None else "killed")


def main() -> None:
    """Try every job."""
    jobs, results = (Path(name) for name in sys.argv[1:3])
    signal.setitimer(signal.ITIMER_REAL, float(sys.argv[3]))
    with tempfile.TemporaryDirectory() as folder, results.open("a", buffering=1) as lines:
        for index, line in enumerate(jobs.read_text().splitlines()):
            try:
                # Several sessions share the jobs; whoever comes first has one.
                jobs.with_name(f"{jobs.name}-{index}").touch(exist_ok=False)
            except FileExistsError:
                continue
            job = json.loads(line)

            def tell(number: int, outcome: str, module: str = job["module"]) -> None:
                print(json.dumps({"module": module, "number": number, "outcome": outcome}), file=lines, flush=True)

            try_module(job, Path(folder), tell)


if __name__ == "__main__":
    main()
