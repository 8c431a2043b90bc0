"""Tests that import the code look into a module that holds what the code defines, and nothing of theirs or ours."""

from __future__ import annotations

import pytest
from thoughtgraph.tools.sandbox import run

pytestmark = pytest.mark.slow

CODE = "K = 1\n\ndef f(x):\n    return 2 * x\n"
LOOKS: dict[str, tuple[str, str]] = {
    # What the wrong code has beside that, the tests.
    "modules in it": (
        "import math",
        "import solution, types\n"
        "assert [n for n, v in vars(solution).items() if isinstance(v, types.ModuleType)] == []",
    ),
    "public names": (
        "L = 2", "import solution\nassert [n for n in dir(solution) if not n.startswith('_')] == ['K', 'f']",
    ),
    "public names under pytest": (
        "L = 2",
        "import pytest\nimport solution\ndef test_a():\n"
        "    assert {n for n in vars(solution) if n[:1] != '_'} == {'K', 'f'}",
    ),
    "what is offered": ("__all__ = []", "import solution\nassert not hasattr(solution, '__all__')"),
    "names of the tests' own": (
        "import math\ndef f(x):\n    return math.sqrt(4) * x + found",
        "from solution import f\nfound = eval('f(2)')\nassert found == 4 and 'found' in globals()",
    ),
    "tests that are found by their names": (
        "def f(x):\n    return x",
        "from solution import f\ndef test_a():\n    assert f(2) == 4\nfor name, one in list(globals().items()):\n"
        "    if name.startswith('test_'):\n        one()",
    ),
}  # fmt: skip


@pytest.mark.parametrize("looks", LOOKS)
def test_a_module_holds_what_the_code_defines(looks: str) -> None:
    more, tests = LOOKS[looks]
    verdict = run(CODE, tests)
    assert verdict.status == "passed", verdict.feedback
    assert run(f"{CODE}{more}\n", tests).status == "failed"


def test_a_script_has_the_names_of_both() -> None:
    tests = "found = globals()['f'](2)\nassert found == 4 and eval('K') == 1"
    assert run(CODE, tests).status == "passed"
    assert run(CODE.replace("2 *", "3 *"), tests).status == "failed"


def test_all_is_still_imported() -> None:
    tests = "from solution import *\nassert f(2) == 4 and K == 1"
    assert run(CODE, tests).status == "passed"
    assert run(CODE.replace("K", "L"), tests).status == "failed"
