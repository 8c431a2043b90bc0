"""Runs pytest, over a candidate that is imported or over a project's files."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from types import CoroutineType

from .candidate import FILE, describe
from .decoys import MOST, without_middle
from .findings.equals import Equals
from .findings.groups import first_of
from .findings.in_tasks import TaskWatch, await_coroutines
from .findings.printed import mark_printed
from .findings.raised import files_of
from .findings.skipped import by_tests as is_by_tests
from .findings.skipped import keep_skips, left_out_by, of_skip, says
from .findings.swallowed import SwallowGuard
from .mirror import kind_of
from .telling import compared, is_test, lines_of, place_in, told, waited_for
from .wire import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ADVICE = ("Use -v to get more diff", "use -vv to show")


def run_pytest(
    files: Mapping[str, str],
    tests: Sequence[str],
    collected: Sequence[str],
    report: Report,
    doubt: Callable[[str], Any] | None,
    code: str = "",
) -> None:
    """Write files and run pytest over some of them.

    Args:
        files: relative path → text.
        tests: the paths of the tests, and of what they need beside them.
        collected: the paths to run. Of one that is none of Python's, pytest would collect nothing at all.
        report: told of each test.
        doubt: called on a failure that may be due to where the candidate runs.
        code: of a candidate that is imported; "" for a project's files.
    """
    write_files(files)
    import asyncio
    from contextvars import copy_context
    from inspect import isasyncgenfunction, iscoroutinefunction, signature
    from unittest import TestCase

    import pytest
    from _pytest.assertion import rewrite
    from _pytest.unittest import TestCaseFunction

    keep_skips(TestCaseFunction)
    sources = {name: files[name] for name in tests if name.endswith(".py")}
    guard = SwallowGuard(tests, pytest.fail.Exception)
    equals = Equals(None if doubt else guard.is_code, lambda path: is_test(path, tests))
    builtins.__dict__.update(equals.names(), _tg_awaited=awaited)
    equals.methods_of(TestCase)
    rewrite.rewrite_asserts = equals.around(guard.before(rewrite.rewrite_asserts, await_coroutines, mark_printed))
    if any("hypothesis" in source for source in sources.values()):
        _explain_nothing()
    # Behind the imports: the project may hold modules of the same names.
    sys.path.insert(0, os.getcwd())  # noqa: PTH109

    class Listener:
        @pytest.hookimpl(tryfirst=True)
        def pytest_load_initial_conftests(self, early_config: Any) -> None:
            # Before any code is imported, which could leave out others. A model's own configuration is not there.
            self.leaves_out = left_out_by(early_config.known_args_namespace)

        @pytest.hookimpl(tryfirst=True)
        def pytest_itemcollected(self, item: Any) -> None:
            report(collected=item.nodeid)
            if self.leaves_out(item):
                report(skipped=item.nodeid)

        def pytest_runtest_logstart(self, nodeid: str) -> None:
            begun.append(nodeid)
            report(running=nodeid)

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call(self) -> Generator[None, Any, Any]:
            stop = guard.watch_threads((found := list[BaseException]()).append)
            tasks = TaskWatch(sources, guard.is_failure, found.append)
            tasks.watch()
            try:
                made = yield
            except BaseExceptionGroup as group:
                if guard.is_failure(first := first_of(group)):
                    raise first from None
                raise
            finally:
                stop()
                tasks.stop()
            found += [error for _, error in tasks.left()]
            if found:
                raise found[0]
            return made

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, Any]:
            first = call.excinfo
            made = yield
            excinfo = first or call.excinfo
            # As it was raised: pytest makes another one of a skip by unittest.
            skipped: BaseException | None = getattr(item, "_tg_skip", None) if made.skipped else None
            raised = skipped or (excinfo.value if excinfo else None)
            made.declared = item.get_closest_marker("xfail") is not None or says(item, "expecting_failure")
            made.said = _said(raised, code)
            inner = first_of(raised) if raised else None
            made.place = place_in(inner, files, tests) or place_in(raised, files, tests)
            made.told = _by_code(raised, made.place)
            made.line = max((line for _, line, _ in [*lines_of(raised, tests)][-1:]), default=0)
            made.wanted = waited_for(raised, files, tests)
            by_tests = made.skipped and made.said is None and is_by_tests(raised, tests, by_mark=made.when == "setup")
            made.left_out = says(item, "skip") or by_tests
            if doubt and made.failed and made.said is None and not isinstance(raised, (AssertionError, failed)):
                doubt(f"{type(raised).__name__} in the tests")
            return made

        def pytest_assertrepr_compare(self, op: str, left: Any, right: Any) -> list[str] | None:
            return compared(op, left, right)

        def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool | None:
            """Run an async test, as the plugins do that tests are written for."""
            if not iscoroutinefunction(pyfuncitem.obj):
                return None
            made = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in signature(pyfuncitem.obj).parameters})
            # What a test sets and starts is its own.
            runner.run(_alone(made), context=copy_context())
            return True

        @pytest.hookimpl(tryfirst=True)
        def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
            """Make an async fixture, in the event loop of the async tests."""
            made = fixturedef.func
            if not (iscoroutinefunction(made) or isasyncgenfunction(made)):
                return None
            if (instance := request.instance) is not None and "self" in signature(made).parameters:
                made = made.__get__(instance)
            given = made(**{name: request.getfixturevalue(name) for name in fixturedef.argnames})
            if isasyncgenfunction(fixturedef.func):
                value = runner.run(_first(given))
                fixturedef.addfinalizer(lambda: runner.run(_rest(given)))
            else:
                value = runner.run(given)
            fixturedef.cached_result = (value, fixturedef.cache_key(request), None)
            # None would say that somebody else has to make it.
            return value if value is not None else True

        @pytest.hookimpl(wrapper=True)
        def pytest_make_collect_report(self) -> Generator[None, Any, Any]:
            made = yield
            raised = made.call.excinfo.value if made.call.excinfo else None
            place = place_in(raised, files, tests)
            made.told, made.place = _by_code(raised, place), place * isinstance(raised, AssertionError)
            return made

        def pytest_collectreport(self, report: Any) -> None:
            # A module of the code's that skips would take all tests with it that import it.
            path = of_skip(report.longrepr, 0)
            skipped = report.skipped and not is_test(path, tests)
            if report.failed or skipped:
                if doubt:
                    doubt("tests that cannot be collected")
                said = f"skipped by {os.path.basename(path)}" if skipped else _shortened(report.longrepr)  # noqa: PTH119
                said = report.told or f"{said}\n{report.place}".rstrip()
                send(test=report.nodeid or "collection", passed=False, message=said, line=0)
            elif report.skipped:
                send(skipped=report.nodeid)

        def pytest_internalerror(self, excinfo: Any) -> None:
            _end(excinfo.value)

        pytest_keyboard_interrupt = pytest_internalerror

        def pytest_runtest_logreport(self, report: Any) -> None:
            # A skip or expected failure out of the code would be an easy way to pass, as one that is not run.
            expected = "[NOTRUN]" not in getattr(report, "wasxfail", "[NOTRUN]") and report.declared and report.skipped
            if report.skipped and report.left_out and not expected:
                # Of a subtest, which has a context, the test goes on.
                if not hasattr(report, "context"):
                    send(skipped=report.nodeid)
            elif report.failed or report.skipped or report.when == "call":
                crash = getattr(report.longrepr, "reprcrash", None)
                said = of_skip(report.longrepr, 2) or _shortened(report.longrepr)
                message = (crash.message if crash else said).replace(f"{os.getcwd()}/", "")  # noqa: PTH109
                if report.told:
                    message = f"{report.wanted}{report.told}"
                else:
                    # Messages name values alone; how to have pytest say more, is for those who can.
                    lines = [line for line in message.split("\n") if not line.strip().endswith(_ADVICE)]
                    first, *rest = [line.replace(_ADVICE[0], "") for line in lines or [message]]
                    first = without_middle(first, 2 * MOST)
                    if report.wanted and first.endswith(": "):
                        # pytest compares a message with a pattern that is a plain text, and says not which is which.
                        first += "the message (-) is not the one waited for (+)"
                    message = "\n".join([f"{first} {report.place}".rstrip(), *rest])
                send(
                    test=report.nodeid,
                    passed=report.passed or expected,
                    message=told(message),
                    line=report.line or (crash.lineno if crash else 0),
                )

    def _by_code(raised: BaseException | None, place: str) -> str:
        """What the code raised, and where the tests called it; "" for what is not the code's."""
        if not (said := _said(raised, code)) or not said["code_line"]:
            return ""
        return f"{said['message']}{f' {place}' if place else ''} ({said['code_line']})"

    def _end(raised: BaseException) -> None:
        """Tell what has ended pytest itself."""
        if message := _by_code(raised, place_in(raised, files, tests)):
            send(test=begun[-1] if begun else tests[0], passed=False, message=message, line=0)
        else:
            send(stopped=str(raised) if isinstance(raised, pytest.exit.Exception) else type(raised).__name__)

    send, begun, failed = report, list[str](), pytest.fail.Exception
    with asyncio.Runner() as runner:
        if pytest.main(["-q", "-p", "no:cacheprovider", *collected], [Listener()]) == pytest.ExitCode.USAGE_ERROR:
            send(unstarted=True)


def _explain_nothing() -> None:
    """Keep hypothesis from explaining a failure by the lines that ran: they are those of the comparison here."""
    try:
        from hypothesis import Phase, settings
    except ImportError:
        return
    phases = [one for one in settings().phases if one is not Phase.explain]
    settings.register_profile("sandbox", phases=phases)
    settings.load_profile("sandbox")


def awaited(given: Any) -> None:
    """Run what a test gives, if it is a coroutine, and none runs."""
    if kind_of(given) is CoroutineType:
        import asyncio

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(given)


async def _alone(test: Any) -> None:
    import asyncio

    before = asyncio.all_tasks()
    try:
        await test
    finally:
        for task in asyncio.all_tasks() - before:
            task.cancel()


async def _first(values: Any) -> Any:
    return await anext(values)


async def _rest(values: Any) -> None:
    await anext(values, None)


def write_files(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)  # noqa: PTH103, PTH120 - pathlib is slow to import
        with open(name, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
            file.write(text)


def _said(raised: BaseException | None, code: str) -> dict[str, str] | None:
    """What an exception out of the code says: its message, and the line of the code."""
    if raised is None:
        return None
    places = files_of(raised) + files_of(first_of(raised))
    return vars(raised).get("_tg_said") or (describe(raised, code) if FILE in places else None)


def _shortened(representation: Any) -> str:
    """The last lines of a failure that has no single point where it crashed: a file that could not be imported."""
    lines = [line.removeprefix("E").strip() for line in str(representation).splitlines() if line.startswith("E")]
    # Of a strict mark that does not hold there is nothing else.
    return ("\n".join(lines) or str(representation)).replace(f"{os.getcwd()}/", "")[-1500:]  # noqa: PTH109
