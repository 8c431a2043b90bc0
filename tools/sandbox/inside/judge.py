"""Runs the tests: over calls into the candidate's process, or beside the candidate."""

from __future__ import annotations

import builtins
import marshal
import os
import sys
from _sitebuiltins import Quitter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType

from .candidate import FILE, RESERVE, describe, global_reads, imported, offer
from .children import end_child
from .decoys import Plain, Seen, values
from .findings.equals import Equals
from .findings.groups import first_of
from .findings.in_tasks import TaskWatch
from .findings.swallowed import SwallowGuard
from .projects import awaited, run_pytest
from .remote import Remote, RemoteModule
from .telling import TESTS, failed, place_of, wanted
from .wire import Report, flush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_PRISTINE = dict(vars(builtins))
"""Taken before any candidate was loaded."""
_ENDS = {name: Quitter(name, "Ctrl-D") for name in ("exit", "quit")}
"""What Python has from `site`, which takes long to import; a candidate may well have functions of these names."""
for _name, _end in _ENDS.items():
    setattr(builtins, _name, _end)
_SET_UP_SHARE = 0.5
"""Of the time limit, for statements of the candidate's that are neither imports nor definitions."""


class Names(dict[str, object]):
    """The tests' own globals; what they do not define is looked up in the candidate."""

    def __init__(self, look_up: Callable[[str], Any], names: Iterable[str], job: Mapping[str, Any]) -> None:
        super().__init__(__name__="__main__", __builtins__=_PRISTINE)
        self._look_up = look_up
        self._candidates = _of_the_candidate(frozenset(names), job)
        self._wanted = frozenset[str](job["wanted"])
        for name in job["in_classes"]:
            # The body of a class looks into a dict itself, and asks nobody for what is missing.
            try:
                self[name] = self[name]
            except KeyError:
                continue

    def __missing__(self, name: str) -> Any:
        if (name in _PRISTINE and name not in self._candidates) or (name[:2] == "__" and name not in self._wanted):
            raise KeyError(name)
        try:
            return self._look_up(name)
        except KeyError:
            if name in _ENDS:
                return _ENDS[name]
            raise


class Main(ModuleType):
    """The tests' names as a module, where `pickle` and `patch` look for them."""

    def __init__(self, space: dict[str, Any]) -> None:
        super().__init__("__main__")
        self.__dict__["_tg_space"] = space

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_tg_space"][name]
        except KeyError:
            raise AttributeError(f"module '__main__' has no attribute '{name}'", name=name, obj=self) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_tg_space"][name] = value

    def __delattr__(self, name: str) -> None:
        self.__dict__["_tg_space"].pop(name, None)


class Package(ModuleType):
    """A package that has the candidate's names."""

    def __init__(self, name: str, candidate: ModuleType) -> None:
        super().__init__(name)
        self.__dict__.update(__path__=[], _tg_candidate=candidate)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_tg_candidate"], name)


def _offered(names: list[str], job: Mapping[str, Any]) -> list[str]:
    """What `import *` brings out of the candidate: what tests read, and no built-in name that they do not test."""
    own = _of_the_candidate(frozenset(names), job)
    wanted = set(job["wanted"]) - {"__file__", "__name__", *vars(ModuleType("any"))}
    return [name for name in names if name in wanted and (name not in _PRISTINE or name in own)]


def _takes_all(job: Mapping[str, Any]) -> bool:
    """Whether tests import all there is: only then is a module without an `__all__` given one."""
    return "import *" in " ".join(str(job["tests"]).split())


def _of_the_candidate(names: frozenset[str], job: Mapping[str, Any]) -> frozenset[str]:
    """Built-in names that mean the candidate's: those under test. Others, which it redefines for itself, do not."""
    wanted = names.intersection(job["wanted"])
    if not job["entry"] and not wanted.difference(_PRISTINE):
        return wanted
    return names.intersection([*job["subjects"], job["entry"] or ""])


def run_apart(job: Mapping[str, Any], report: Report, reader: int, writer: int) -> None:
    """Run the tests in this process; the candidate's functions are called in their own."""
    remote = Remote(reader, writer, report)

    def load() -> list[str]:
        if job["pytest"]:
            # The candidate's process sees the same files; until now it held no candidate. pytest wants to find it.
            os.truncate(job["pytest"], 0)
        loaded = remote.ask(job["code"], job["module"], job["limits"], job["paths"])
        if loaded[0] == "error":
            report(check=-1, **{name: str(loaded[1][name]) for name in ("error", "message", "code_line")})
            report(done=True)
            os._exit(0)
        if _shares_names(job, *loaded[1:]):
            remote.together("the code reads names that the tests bind")
        remote.strict = job["looks_at_objects"]
        return loaded[1]

    loaded: list[list[str]] = []

    def names() -> list[str]:
        if not loaded:
            loaded.append(load())
        return loaded[0]

    module = RemoteModule(job["module"], remote, names, (lambda: _offered(names(), job)) if _takes_all(job) else None)
    sys.modules[job["module"]] = module
    _stand(module, job["aliases"])
    space: dict[str, Any] = {}
    if not job["pytest"]:
        space = Names(remote.get, names(), job)
    run_tests(job, report, space, remote.together)
    names()


def run_together(job: Mapping[str, Any], report: Report) -> None:
    """Run the tests in the process of the candidate."""
    if job["files"]:
        run_pytest(job["files"], job["tests"], job["collected"], report, None)
        return
    code, name = job["code"], job["module"]

    def loaded(made: ModuleType | BaseException) -> None:
        if isinstance(made, BaseException):
            flush()
            report(check=-1, done=True, **describe(made, code))
            os._exit(0)
        if _takes_all(job):
            vars(made).setdefault("__all__", _offered(list(vars(made)), job))

    offer(code, name, job["limits"]["seconds"] * _SET_UP_SHARE, loaded)
    own: dict[str, Any] = {} if job["late"] else vars(imported(name))
    _stand(sys.modules.get(name), job["aliases"])
    has_own = not own or not _shares_names(job, own, global_reads(code))
    space = Names(lambda each: (own or vars(imported(name)))[each], own, job) if has_own else own
    run_tests(job, report, space, None)


def _stand(module: Any, aliases: Sequence[str]) -> None:
    """Let the candidate's module stand for others, each of which comes behind its package."""
    for name in aliases:
        is_package = any(other.startswith(f"{name}.") for other in aliases)
        made = sys.modules.setdefault(name, Package(name, module) if is_package else module)
        above, _, last = name.rpartition(".")
        if above:
            vars(sys.modules[above]).setdefault(last, made)


def _shares_names(job: Mapping[str, Any], names: Iterable[str], reads: Iterable[str]) -> bool:
    """Whether tests and code need one set of globals, as in a script: the code may read a name that the tests bind."""
    return job["introspects"] or not set(reads).isdisjoint({*job["bound"], *set(job["imported"]).difference(names)})


def run_tests(
    job: Mapping[str, Any], report: Report, space: dict[str, Any], doubt: Callable[[str], NoReturn] | None
) -> None:
    """Run either kind of tests; `doubt` is called where a failure may be due to the distance from the candidate."""
    if job["pytest"]:
        if doubt:
            # What the candidate writes is not to be imported here; as another user it has no way into this folder.
            os.mkdir("apart", 0o700)  # noqa: PTH102
            os.chdir("apart")
        file = [job["pytest"]]
        run_pytest({job["pytest"]: job["tests"]}, file, file, report, doubt, job["code"])
    else:
        sys.modules["__main__"] = Main(space)
        _Checks(job, report, space, doubt).run(job["checks"])


class _Checks:
    def __init__(
        self, job: Mapping[str, Any], report: Report, space: dict[str, Any], doubt: Callable[[str], NoReturn] | None
    ) -> None:
        self._code, self._tests = job["code"], job["tests"]
        self._report, self._space, self._doubt = report, space, doubt
        self._ran: bool | None = None
        self._escaped: AssertionError | None = None
        self._process, self._index = os.getpid(), 0
        self._seen = seen = Seen()
        guard = SwallowGuard()
        guard.watch_threads(self._left)
        self._tasks = TaskWatch({TESTS: self._tests}, guard.is_failure, self._left, lambda: self._index)
        equals = Equals(guard.is_code if doubt is None else None, lambda path: path == TESTS)
        space.update(guard.names(), **equals.names(), _tg_failed=self._failing, _tg_shown=wanted)
        space.update(_tg_seen=seen, _tg_round=seen.round, _tg_rounds=seen.rounds, _tg_values=seen.told)
        space.update(_tg_locals=locals, _tg_awaited=awaited, _tg_ended=_ended, _tg_plain=Plain, _tg_ran=self._went)
        space.update(_tg_assertion=AssertionError, _tg_escaped=self._left)
        self._reserve: bytes | None = bytes(RESERVE)

    def run(self, checks: Iterable[bytes]) -> None:
        passed = set[int]()
        for index, check in enumerate(checks):
            self._index = index
            self._report(check=index)
            self._ran, self._seen.touched = None, False
            try:
                exec(marshal.loads(check), self._space)  # noqa: S102
            except BaseException as error:  # noqa: BLE001 - SystemExit, too, is the candidate's doing
                end_child(self._process, error)
                if isinstance(error, MemoryError):
                    self._reserve = None
                self._failed(index, error)
                error.__traceback__ = self._escaped = None
                continue
            escaped, self._escaped = self._escaped, None
            if escaped:
                # Whoever ran the test has only printed that it failed.
                self._failed(index, escaped)
            else:
                passed.add(index)
                self._report(check=index, passed=True, idle=self._idle(), left_out=not self._seen.touched)
        for index, error in self._tasks.left():
            # A later check might still have asked for it.
            if index in passed:
                self._failed(index, error, asks=False)

    def _failing(self, *seen: Any) -> AssertionError:
        self._tasks.watch()
        return failed(*seen)

    def _idle(self) -> bool:
        return self._ran is False

    def _went(self, round_: bool) -> None:
        self._ran = self._ran or round_

    def _left(self, error: AssertionError) -> None:
        # Not one of the code's own, which the tests may want.
        if "_tg_shown" in vars(error):
            self._escaped = self._escaped or error

    def _failed(self, index: int, error: BaseException, *, asks: bool = True) -> None:
        first = first_of(error)
        own = vars(first if "_tg_shown" in vars(first) else error)
        if "_tg_shown" in own:
            got, expected, source, line = own["_tg_shown"]
            asked = self._seen.told("", {}) if asks else ""
            self._report(check=index, passed=False, got=got, expected=expected, source=source, line=line, asked=asked)
            return
        said = own.get("_tg_said")
        if not said and self._doubt and not isinstance(error, AssertionError):
            self._doubt(f"{type(error).__name__} in the tests")
        said = said or describe(error, self._code)
        places = (place_of(one, self._tests, FILE) for one in dict.fromkeys((first, error)))
        place = next(filter(None, places), None) if said["error"] != "MemoryError" else None
        if place is None:
            self._report(check=index, **said)
            return
        names, space = place.names, place.space
        asked = self._seen.told(names, space) if place.has_seen else values(names.split(), space)
        got = f"raised {said['message']}" + (f" ({said['code_line']})" if said["code_line"] else "")
        source, line = f"{place.source}{asked}", place.line
        self._report(check=index, passed=False, got=got, expected="", source=source, line=line, asked=asked)


def _ended(way: Callable[..., object], *status: object) -> None:
    """End the tests in their way, which may be a function of the candidate's. Status 0 says that they have passed."""
    if way is not SystemExit and way is not sys.exit and way not in _ENDS.values():
        way(*status)
    elif status not in ((), (None,), (0,)):
        raise SystemExit(*status)
