"""Runs pytest, over a candidate that is imported or over a project's files; or a command over files."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence

from .wire import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    # At run time `typing` would take longer to import than a verdict takes.
    from typing import Any, NoReturn


def run_pytest(
    files: Mapping[str, str], tests: Sequence[str], report: Report, doubt: Callable[[str], Any] | None
) -> None:
    """Write files and run pytest over some of them.

    Args:
        files: relative path → text.
        tests: the paths to run.
        report: told of each test.
        doubt: called on a failure that may be due to where the candidate runs.
    """
    _write(files)
    import asyncio
    from inspect import iscoroutinefunction, signature

    import pytest

    # Behind the import: the project may hold a module of the same name.
    sys.path.insert(0, os.getcwd())  # noqa: PTH109

    class Listener:
        def pytest_itemcollected(self, item: Any) -> None:
            report(collected=item.nodeid)

        def pytest_runtest_logstart(self, nodeid: str) -> None:
            report(running=nodeid)

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, Any]:
            made = yield
            raised = call.excinfo.value if call.excinfo else None
            made.declared = item.get_closest_marker("xfail") is not None or _says(item, "expecting_failure")
            made.left_out = _says(item, "skip")
            made.said = vars(raised).get("_tg_said") if raised is not None else None
            if doubt and made.failed and made.said is None and not isinstance(raised, (AssertionError, failed)):
                doubt(f"{type(raised).__name__} in the tests")
            return made

        def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool | None:
            """Run an async test, as the plugins do that tests are written for."""
            if not iscoroutinefunction(pyfuncitem.obj):
                return None
            wanted = signature(pyfuncitem.obj).parameters
            asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
            return True

        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                if doubt:
                    doubt("tests that cannot be collected")
                send(test=report.nodeid or "collection", passed=False, message=_shortened(report.longrepr), line=0)

        def pytest_runtest_logreport(self, report: Any) -> None:
            at_setup = report.when == "setup" and not hasattr(report, "wasxfail")
            if report.skipped and (at_setup or report.left_out):
                send(skipped=report.nodeid)
            elif report.failed or report.skipped or report.when == "call":
                crash = getattr(report.longrepr, "reprcrash", None)
                message = (crash.message if crash else _shortened(report.longrepr)).replace(f"{os.getcwd()}/", "")  # noqa: PTH109
                if report.said and report.said["code_line"]:
                    message = f"{report.said['message']} ({report.said['code_line']})"
                # A skip or an expected failure out of the code under test would be an easy way to pass.
                expected = hasattr(report, "wasxfail") and report.declared and report.skipped
                send(
                    test=report.nodeid,
                    passed=report.passed or expected,
                    message=message[:1500],
                    line=crash.lineno if crash else 0,
                )

    send = report
    failed = pytest.fail.Exception
    pytest.main(["-q", "-p", "no:cacheprovider", *tests], [Listener()])


def run_command(files: Mapping[str, str], command: Sequence[str], search: str, report: Report) -> NoReturn:
    """Write files and become a command: its exit status is this process's.

    Args:
        files: relative path → text.
        command: the program's path and its arguments.
        search: the `PATH` that the program gets.
        report: told why the program cannot be started.
    """
    _write(files)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores them, and what it becomes would inherit that.
        signal.signal(number, signal.SIG_DFL)
    report(started=True)
    try:
        os.execve(command[0], list(command), {"HOME": os.getcwd(), "LANG": "C.UTF-8", "PATH": search})  # noqa: PTH109
    except OSError as error:
        report(unrunnable=str(error))
    os._exit(1)


def _write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        folder = os.path.dirname(name)  # noqa: PTH120 - pathlib takes longer to import than a verdict takes
        if folder:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        with open(name, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
            file.write(text)


def _says(item: Any, what: str) -> bool:
    """Whether a decorator of `unittest` says something of a test, or of its class."""
    method = getattr(item.cls, item.originalname or item.name, None) if getattr(item, "cls", None) else None
    return any(getattr(place, f"__unittest_{what}__", False) for place in (method, getattr(item, "cls", None)))


def _shortened(representation: Any) -> str:
    """The last lines of a failure that has no single point where it crashed: a file that could not be imported."""
    lines = (line.removeprefix("E").strip() for line in str(representation).splitlines() if line.startswith("E"))
    return "\n".join(lines).replace(f"{os.getcwd()}/", "")[-1500:]  # noqa: PTH109
