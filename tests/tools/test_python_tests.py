"""`PythonTests` as a verifier of answers, and pytest projects in the sandbox."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable
from dataclasses import asdict

import pytest
from support.scripted import ScriptedModel, code, lint_order
from thoughtgraph import PythonTests, create_reflection_graph
from thoughtgraph.errors import UnsafeFileNameError
from thoughtgraph.tools.sandbox import SandboxLimits, SandboxVerdict, arun_project, exchange, run, run_project

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

Files = dict[str, str]
LIMITS = SandboxLimits(seconds=3, memory_mb=256, output_kb=64)
INTERNALS = re.compile(r"/tmp|/root|/home|/usr|bwrap|bubblewrap|_tg_|harness|sandbox", re.IGNORECASE)
RIGHT, WRONG = "def f(x):\n    return x + 1", "def f(x):\n    return x"
TEST = {"test_f.py": "from solution import f\n\ndef test_f():\n    assert f(1) == 2\n"}
PYTEST = """\
import pytest
from {module} import f

@pytest.mark.parametrize("x", [1, 2])
def test_f(x):
    assert f(x) == x + 1
"""


def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give no time back for other programs: on a busy machine, endless code may be left without a verdict."""
    monkeypatch.setattr(exchange, "shares_below", lambda process: {})


@pytest.fixture(params=["sync", "async"])
def execute(request: pytest.FixtureRequest) -> Callable[..., SandboxVerdict]:
    """`run_project` or its async twin."""
    return run_project if request.param == "sync" else lambda *args: asyncio.run(arun_project(*args))


PASSING: dict[str, tuple[Files, Files, int]] = {
    "one-module": ({"solution.py": RIGHT}, TEST, 1),
    "packages": (
        {
            "app/__init__.py": "",
            "app/core/__init__.py": "from .add import f",
            "app/core/add.py": "from ..numbers import ONE\ndef f(x): return x + ONE",
            "app/numbers.py": "ONE = 1",
        },
        {"tests/test_f.py": "from app.core import f\ndef test_f(): assert f(1) == 2\n"},
        1,
    ),
    "parametrised": ({"solution.py": RIGHT}, {"test_f.py": PYTEST.format(module="solution")}, 2),
    "tmp-path": (
        {"solution.py": "def save(path): path.write_text('saved')"},
        {"test_f.py": "from solution import save\ndef test_save(tmp_path):\n    save(tmp_path / 'a')\n"
         "    assert (tmp_path / 'a').read_text() == 'saved'\n"},
        1,
    ),
    "conftest-of-the-tests": (
        {"solution.py": RIGHT},
        {"conftest.py": "import pytest\n@pytest.fixture\ndef two(): return 2\n",
         "test_f.py": "from solution import f\ndef test_f(two): assert f(1) == two\n"},
        1,
    ),
    "several-files": ({"solution.py": RIGHT}, {**TEST, "test_g.py": TEST["test_f.py"]}, 2),
    "data-file": (
        {"solution.py": "def f(): return open('data/a.txt', encoding='utf-8').read()", "data/a.txt": "ü"},
        {"test_f.py": "from solution import f\ndef test_f(): assert f() == 'ü'\n"},
        1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PASSING)
def test_project_passes(execute: Callable[..., SandboxVerdict], name: str) -> None:
    files, tests, total = PASSING[name]
    verdict = execute(files, tests, LIMITS)
    assert (verdict.status, verdict.passed, verdict.total, verdict.failures) == ("passed", total, total, ())


FAILING: dict[str, tuple[Files, str, str]] = {
    "assertion": ({"solution.py": WRONG}, "failed", "`test_f.py::test_f`: assert 1 == 2"),
    "exception": ({"solution.py": "def f(x): return x / 0"}, "failed", "ZeroDivisionError: division by zero"),
    "no-module": ({"other.py": RIGHT}, "failed", "No module named 'solution'"),
    "no-name": ({"solution.py": "x = 1"}, "failed", "cannot import name 'f'"),
    "syntax": ({"solution.py": "def f(x) return x"}, "failed", "SyntaxError: expected ':'"),
    "ended": ({"solution.py": "import os\ndef f(x): os._exit(0)"}, "error", "`test_f.py::test_f`: did not finish"),
    "ended-at-import": ({"solution.py": "import os\nos._exit(0)"}, "error", "ended its own process"),
    "endless": ({"solution.py": "def f(x):\n    while True: pass"}, "timeout", "`test_f.py::test_f`: did not finish"),
    "memory": ({"solution.py": "def f(x): return bytearray(10 << 30)"}, "memory", "more memory than allowed"),
    "output": ({"solution.py": "import os\ndef f(x):\n    while True: os.write(2, b'x' * 99)"}, "output_limit", "more"),
    "own-conftest": (
        {"solution.py": WRONG, "conftest.py": "def pytest_collection_modifyitems(items): items.clear()"},
        "failed",
        "assert 1 == 2",
    ),
    "own-ini": ({"solution.py": WRONG, "pytest.ini": "[pytest]\naddopts = -k nothing"}, "failed", "assert 1 == 2"),
    "own-hidden-ini": ({"solution.py": WRONG, ".pytest.ini": "[pytest]\naddopts = -k nothing"}, "failed", "1 == 2"),
    "own-pytest": (
        {"solution.py": WRONG, "pytest/__init__.py": "from types import SimpleNamespace as S\n"
         "def main(args, plugins): plugins[0].pytest_itemcollected(S(nodeid='test_f.py::test_f'))"},
        "failed",
        "assert 1 == 2",
    ),
    "own-test-of-that-name": ({"solution.py": WRONG, "./test_f.py": "def test_f(): pass"}, "failed", "assert 1 == 2"),
    "skipped-by-the-code": ({"solution.py": "import pytest\ndef f(x): pytest.skip('no')"}, "failed error", ""),
    "stopped-by-the-code": ({"solution.py": "import pytest\ndef f(x): pytest.exit('no', 0)"}, "failed error", ""),
    "malformed-report": (
        {"solution.py": "import os\ndef f(x):\n    for fd in range(3, 9):\n"
         "        try: os.write(fd, b'{\"test\": [1]}\\n')\n        except OSError: pass"},
        "failed error",
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING)
def test_project_does_not_pass(
    execute: Callable[..., SandboxVerdict], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict has its kind, and says why in words that know nothing of the sandbox."""
    files, statuses, feedback = FAILING[name]
    if statuses == "timeout":
        alone(monkeypatch)
    verdict = execute(files, TEST, LIMITS)
    assert verdict.status in statuses.split()
    assert feedback in verdict.feedback
    assert not INTERNALS.search(verdict.feedback)
    assert verdict.score < 1


def test_project_counts_what_passed() -> None:
    tests = {**TEST, "test_g.py": "def test_g(): pass\nclass TestH:\n    def test_h(self): assert 1 == 3, 'told so'\n"}
    verdict = run_project({"solution.py": RIGHT}, tests, LIMITS)
    assert (verdict.status, verdict.passed, verdict.total) == ("failed", 2, 3)
    assert [failure.check for failure in verdict.failures] == ["test_g.py::TestH::test_h"]
    assert "told so" in verdict.failures[0].got
    assert verdict.failures[0].line == 3


def test_project_without_a_test_function_says_so() -> None:
    verdict = run_project({"solution.py": RIGHT}, {"test_f.py": "from solution import f\nassert f(1) == 2\n"}, LIMITS)
    assert (verdict.status, verdict.score) == ("error", 0)
    assert "no test" in verdict.feedback


def test_project_without_tests_is_the_callers_error(execute: Callable[..., SandboxVerdict]) -> None:
    with pytest.raises(ValueError, match="no tests"):
        execute({"solution.py": RIGHT}, {}, LIMITS)


@pytest.mark.parametrize("name", ["../a.py", "/tmp/a.py", "a/../../a.py", "a\\b.py", "a\0.py", "", ".", "..", "/"])
@pytest.mark.parametrize("among", ["files", "tests"])
def test_path_that_leaves_the_project_is_refused(among: str, name: str) -> None:
    files, tests = {"solution.py": RIGHT}, dict(TEST)
    (files if among == "files" else tests)[name] = "x = 1"
    with pytest.raises(UnsafeFileNameError) as caught:
        run_project(files, tests, LIMITS)
    assert caught.value.file_name == name


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a sandbox."""
    monkeypatch.setattr("thoughtgraph.tools.sandbox.running.why_unavailable", lambda: "It needs Linux.")


@pytest.mark.usefixtures("no_sandbox")
def test_project_without_a_sandbox_is_unsupported(execute: Callable[..., SandboxVerdict]) -> None:
    verdict = execute({"solution.py": RIGHT}, TEST)
    assert (verdict.status, verdict.feedback) == ("unsupported", "The code could not be run: It needs Linux.")


HUMAN_EVAL = "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(0) == 1\n"
VERIFIERS = {
    "asserts": PythonTests("assert f(1) == 2\nassert f(0) == 1", limits=LIMITS),
    "entry-point": PythonTests(HUMAN_EVAL, entry_point="f", limits=LIMITS),
    "pytest-solution": PythonTests(PYTEST.format(module="solution"), limits=LIMITS),
    "pytest-other-module": PythonTests(PYTEST.format(module="rain_water"), limits=LIMITS),
    "pytest-no-import": PythonTests(
        "def test_f():\n    assert f(1) == 2\n\ndef test_g():\n    assert f(0) == 1", limits=LIMITS
    ),
    "pytest-import-module": PythonTests(
        "import rain\n\ndef test_f():\n    assert rain.f(1) == 2\n\ndef test_g():\n    assert rain.f(0) == 1",
        limits=LIMITS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", VERIFIERS)
def test_right_answer_passes(kind: str) -> None:
    verdict = VERIFIERS[kind]("Add one.", code(RIGHT))
    assert (verdict.status, verdict.points, verdict.kind) == ("passed", 1.0, "")
    assert (verdict.details["passed"], verdict.details["total"]) == (2, 2)


@pytest.mark.parametrize("kind", VERIFIERS)
def test_wrong_answer_fails_with_what_the_model_needs(kind: str) -> None:
    verdict = VERIFIERS[kind]("Add one.", code(WRONG))
    assert (verdict.status, verdict.points, verdict.kind) == ("failed", 0.0, "failed")
    assert verdict.feedback.startswith("2 of 2 checks failed:")
    assert not INTERNALS.search(verdict.feedback)


def test_half_right_answer_scores_half() -> None:
    assert VERIFIERS["asserts"]("Add one.", "def f(x): return 2").points == 0.5


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        pytest.param("I cannot do that.", "no_code", id="prose"),
        pytest.param("", "no_code", id="empty"),
        pytest.param(code("def f(x) return x"), "no_code", id="no-python"),
        pytest.param(code("def g(x): return x + 1"), "no_code", id="other-name"),
        pytest.param(code("def f(x):\n    while True: pass"), "timeout", id="endless"),
        pytest.param(code("import nothing_here\n" + RIGHT), "error", id="cannot-be-loaded"),
    ],
)
def test_answer_that_cannot_pass_names_its_kind(answer: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "timeout":
        alone(monkeypatch)
    verdict = PythonTests("assert f(1) == 2", limits=SandboxLimits(seconds=1))("Add one.", answer)
    assert (verdict.status, verdict.kind, verdict.points) == ("failed", kind, 0.0)
    assert verdict.feedback


def test_an_entry_point_may_say_how_to_get_the_function() -> None:
    verify = PythonTests(
        "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(0) == 1", entry_point="Solution().f"
    )
    method = "class Solution:\n    def {}(self, x):\n        return {}"
    assert verify("Add one.", code(method.format("f", "x + 1"))).details["passed"] == 2
    assert verify("Add one.", code(method.format("f", "2 * x"))).details["passed"] == 1
    assert "has to define `Solution`" in verify("Add one.", code(RIGHT)).feedback
    feedback = verify("Add one.", code(method.format("g", "x + 1"))).feedback
    assert feedback.count("\n- ") == feedback.count("- `candidate = Solution().f`: raised AttributeError") == 1
    with pytest.raises(ValueError, match="entry_point is a function's name, or how to get it, got 'two words'"):
        PythonTests(verify.tests, entry_point="two words")


@pytest.mark.parametrize("tests", ["assert f(1) == 2", TEST["test_f.py"]], ids=["asserts", "pytest"])
@pytest.mark.usefixtures("no_sandbox")
def test_what_cannot_be_run_is_unverified(tests: str) -> None:
    verdict = PythonTests(tests)("Add one.", code("import heapq\n" + RIGHT))
    assert (verdict.status, verdict.kind, verdict.points) == ("unverified", "unsupported", 0.0)


@pytest.mark.parametrize("tests", ["assert f(", "x = 1", "", "def test_f(:"])
def test_tests_that_check_nothing_are_refused_at_once(tests: str) -> None:
    with pytest.raises(ValueError):
        PythonTests(tests)


def test_a_check_that_nothing_calls_wants_an_entry_point() -> None:
    tests = "def check(candidate):\n    assert candidate(1) == 2"
    with pytest.raises(ValueError, match="contain no check: give entry_point, the function that `check` is to test"):
        PythonTests(tests)
    assert PythonTests(tests, entry_point="f")


@pytest.mark.parametrize(
    "tests",
    [
        "from pytest import raises\nwith raises(ValueError):\n    f(-1)",
        "import pytest\nwith pytest.warns(UserWarning):\n    f(-1)",
        "from assertpy import assert_that\ndef test_f():\n    assert_that(f(1)).is_equal_to(2)",
    ],
)
def test_checks_of_libraries_are_checks(tests: str) -> None:
    assert PythonTests(tests).criteria


def test_a_mark_of_the_encoding_is_no_part_of_code_or_tests() -> None:
    assert PythonTests("\ufeffassert f(1) == 2")("Write it.", f"\ufeff{RIGHT}").status == "passed"
    assert run(f"\ufeff{RIGHT}", "\ufeffassert f(1) == 2", LIMITS).status == "passed"


@pytest.mark.parametrize("path", ["tests.py", "./tests/test_f.py", "/home/me/my-tests.py"])
def test_the_path_of_tests_is_refused_as_that(path: str) -> None:
    with pytest.raises(ValueError, match=f"got the path '{path}': give its read_text"):
        PythonTests(path)


def test_criteria_hold_the_tests_only_when_shown() -> None:
    tests = "assert f(1) == 2\nassert f(0) == 1"
    assert f"```python\n{tests}\n```" in PythonTests(tests).criteria
    assert PythonTests(tests, show_tests=False).criteria == ""


def test_instructions_are_the_format_and_never_the_tests() -> None:
    shown, hidden = PythonTests("assert f(41) == 42"), PythonTests("assert f(41) == 42", show_tests=False)
    assert shown.instructions == hidden.instructions
    assert "```python" in shown.instructions and "f(41)" not in shown.instructions


def test_shown_tests_are_cut_to_3000_characters() -> None:
    assert 3_000 <= len(PythonTests("\n".join(f"assert f({n}) == {n}" for n in range(999))).criteria) < 3_200


def test_parser_takes_the_block_that_defines_what_the_tests_call() -> None:
    reply = code(RIGHT) + code("print(f(1))")
    assert VERIFIERS["asserts"].parse(reply).get("content") == RIGHT
    assert "`f`" in str(VERIFIERS["pytest-other-module"].parse(code("def g(): pass")).get("feedback"))


def test_details_and_verdict_are_ready_for_json() -> None:
    verdict = VERIFIERS["asserts"]("Add one.", code(WRONG))
    assert json.loads(json.dumps(asdict(verdict))) == asdict(verdict)
    assert verdict.details["failures"][0]["expected"] == "2"


def test_loop_shows_the_format_first_and_the_tests_behind_the_task() -> None:
    verify = VERIFIERS["asserts"]
    model = ScriptedModel(replies=[code(WRONG), code(RIGHT)])
    state = create_reflection_graph(actor=model, verifier=verify).invoke({"task": "Add one."})
    assert (state["verdict"], state["answer"].strip()) == ("passed", RIGHT)
    system, human = (str(message.content) for message in model.requests[0][:2])
    assert verify.instructions.strip() in system and "f(0)" not in system
    assert human.startswith("Add one.") and verify.criteria.strip() in human
    lint_order(model.requests)


@pytest.mark.parametrize("name", ["asserts", "pytest-solution"])
def test_code_that_python_can_read_and_not_write_again_failed(name: str) -> None:
    deep = "CONSTANT = 1; x = 2\n\ndef f(n):\n    return " + " + ".join(["n"] * 3_000)
    assert VERIFIERS[name]("Add one.", code(deep)).status == "failed"


@pytest.mark.parametrize(
    ("tests", "status"),
    [
        (
            "import subprocess, sys\nout = subprocess.run([sys.executable, 'solution.py'])\nassert not out.returncode",
            "unverified",
        ),
        ("import subprocess, sys\nassert not subprocess.call([sys.executable, '-m', 'solution'])", "unverified"),
        ("import solution\nassert 'def' in open(solution.__file__).read()", "unverified"),
        ("# of solution.py\nassert f(1) == 3", "failed"),
        ("import sys\nsys.argv = ['solution.py', '3']\nassert f(1) == 3", "failed"),
        ("import solution\nassert solution.f(1) == 3", "failed"),
        ("import solution\nassert solution.__file__ and f(1) == 2", "passed"),
    ],
)
def test_tests_that_want_the_answer_as_a_file_cannot_judge_it(tests: str, status: str) -> None:
    verdict = PythonTests(tests, limits=LIMITS)("", RIGHT)
    assert verdict.status == status
    assert ("what it defines from `solution`" in verdict.feedback) == (status == "unverified")


@pytest.mark.parametrize(
    "shown",
    ["import solution\nprint(solution.f(2))", "data = [1, 2]", "import solution\ndef test_f(): assert solution.f(1)"],
)
@pytest.mark.parametrize(
    "tests",
    [
        "import solution\nassert solution.f(2) == 4",
        "import src.calc as calc\nassert calc.f(2) == 4",
    ],
)
def test_an_example_is_not_the_answer_to_tests_that_call_it_in_its_module(tests: str, shown: str) -> None:
    reply = f"```python\ndef f(x): return 2 * x\n```\nUsage:\n```python\n{shown}\n```"
    assert PythonTests(tests)("t", reply).status == "passed"


def test_tests_that_call_a_function_in_its_module_ask_for_it_by_name() -> None:
    verdict = PythonTests("import solution\nassert solution.f(2) == 4")("t", "def g(x): return 2 * x")
    assert (verdict.failed_on, "`f`" in verdict.feedback) == ("form", True)
    # What they can do without, or put there, the answer need not have.
    may = "import solution\nassert solution.f(2) == 4\nif hasattr(solution, 'g'):\n    assert solution.g()"
    assert PythonTests(may)("t", "def f(x): return 2 * x").status == "passed"
