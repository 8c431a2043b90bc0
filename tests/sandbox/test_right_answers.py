"""Right answers that were judged wrong: as code alone, in a block, and by the loop that takes the code from a reply."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.scripted import ScriptedModel
from thoughtgraph import PythonTests, create_reflection_graph
from thoughtgraph.tools.sandbox import run

DOUBLE = "assert f(2) == 4"
ANSWERS = {
    "async alone": ("async def f(x):\n    return x * 2", "import asyncio\nassert asyncio.run(f(2)) == 4"),
    "import alone": ("from math import factorial", "assert factorial(4) == 24"),
    "star import": ("from math import *", "assert factorial(4) == 24"),
    "fence in a docstring": (
        'def f(x):\n    """Double.\n\n    ```python\n    f(2)\n    ```\n    """\n    return x * 2', DOUBLE,
    ),
    "fence in a string": ('T = """\n~~~\ndef f(x): return 0\n~~~\n"""\ndef f(x):\n    return x * 2', DOUBLE),
    "under try": ("try:\n    from fast import f\nexcept ImportError:\n    def f(x):\n        return x * 2", DOUBLE),
    "under if": ("import sys\nif sys.version_info > (3,):\n    def f(x):\n        return x * 2", DOUBLE),
    "annotated": ("from typing import Callable\nf: Callable[[int], int] = lambda x: x * 2", DOUBLE),
    "unpacked": ("f, g = lambda x: x * 2, lambda x: x", DOUBLE),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_the_loop_judges_a_right_answer_right(name: str) -> None:
    code, tests = ANSWERS[name]
    verifier = PythonTests(tests)
    assert verifier("t", code).status == "passed"
    fence = "````" if "```" in code or "~~~" in code else "```"
    reply = f"Here it is:\n\n{fence}python\n{code}\n{fence}\n"
    graph = create_reflection_graph(actor=ScriptedModel(replies=[reply]), verifier=verifier, max_attempts=1)
    assert graph.invoke({"task": "t"})["verdict"] == "passed"


@pytest.mark.parametrize(
    "tag", ["python3", "py3", "python3.11", "python:solution.py", "{.python}", "ipython", "python,"]
)
def test_a_block_of_python_has_many_names(tag: str) -> None:
    assert PythonTests(DOUBLE)("t", f"```{tag}\ndef f(x):\n    return x * 2\n```").status == "passed"


def test_a_block_of_another_language_is_no_answer() -> None:
    for tag in ("javascript", "pyret", "text"):
        verdict = PythonTests(DOUBLE)("t", f"Look:\n```{tag}\ndef f(x):\n    return x * 2\n```")
        assert (verdict.status, verdict.kind) == ("failed", "no_code")


def test_a_helper_goes_behind_the_imports_from_the_future() -> None:
    helper = "```python\ndef g(x):\n    return x * 2\n```"
    main = "```python\nfrom __future__ import annotations\n\ndef f(x: int) -> int:\n    return g(x)\n```"
    assert PythonTests(DOUBLE)("t", f"{helper}\nand then\n{main}").status == "passed"


def test_an_exception_of_a_module_in_a_package_is_itself() -> None:
    code = "import json\ndef f(s):\n    return json.loads(s)"
    raised = "except json.JSONDecodeError as problem:\n    assert problem.pos == 1"
    tests = f"import json\ntry:\n    f('{{')\n    assert False\n{raised}"
    assert run(code, tests).status == "passed"
    assert run("def f(s):\n    raise ValueError(s)", tests).status == "failed"


@pytest.mark.parametrize(
    ("code", "check"),
    [
        ("def f(p):\n    return open(p).read()", "error.filename == '/nonexistent' and '/nonexistent' in str(error)"),
        ("def f(p):\n    return nowhere", "error.name == 'nowhere'"),
        ("def f(p):\n    import nowhere", "error.name == 'nowhere'"),
    ],
)
def test_an_exception_keeps_what_it_says_beside_its_arguments(code: str, check: str) -> None:
    raised = f"except (OSError, NameError, ImportError) as error:\n    assert {check}"
    tests = f"try:\n    f('/nonexistent')\n    assert False\n{raised}"
    verdict = run(code, tests)
    assert (verdict.status, verdict.judged) == ("passed", "apart")


def test_the_folder_of_the_program_that_asks_has_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "calculator.py").write_text("x = 1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in ("calculator", "elsewhere"):
        assert run("def f(x):\n    return x * 2", f"from {module} import f\nassert f(2) == 4").status == "passed"


def test_an_expression_without_end_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        run("def f(x):\n    return x", f"assert f(1) != {'+'.join(['1'] * 20_000)}")
