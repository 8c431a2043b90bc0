"""Replies of several files, which a sandbox runs as one."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from thoughtgraph import PythonTests, python_parser

pytestmark = pytest.mark.slow

ITEM = "class Item:\n    def __init__(self, name, price):\n        self.name, self.price = name, price\nRATE = 2"
TOTAL = "from models import Item\n\ndef total(items: list[Item]):\n    return sum(i.price for i in items)"
OF_ITEMS = "assert total([Item('pen', 2), Item('ink', 3)]) == 5"


def block(body: str) -> str:
    return f"```python\n{body}\n```"


def files(**blocks: str) -> str:
    return "\n\n".join(f"`{name}.py`\n{block(body)}" for name, body in blocks.items())


@pytest.mark.parametrize(
    "calc",
    [
        TOTAL,
        TOTAL.replace("models", "app.models"),
        TOTAL.replace("models", ".models"),
        TOTAL.replace("from models import Item", "import models").replace("[Item", "[models.Item"),
        TOTAL.replace("from models import Item", "import app.models as m").replace("[Item", "[m.Item"),
        TOTAL.replace("from models import Item", "import app.models").replace("[Item", "[app.models.Item"),
        TOTAL.replace("from models import Item", "import my.app.models").replace("[Item", "[my.app.models.Item"),
        TOTAL.replace("from models import Item", "from . import models").replace("[Item", "[models.Item"),
        TOTAL.replace("Item\n", "Item as Thing\n", 1).replace("[Item", "[Thing"),
        TOTAL.replace("import Item", "import (\n    Item,\n    RATE as rate,\n)"),
        TOTAL.replace("import Item", "import *"),
        f"from __future__ import annotations; {TOTAL}".replace("\n\n", "; import sys\n\n"),
        "import models\n\ndef total(items):\n    return sum(i.price for i in items) * models.RATE // 2",
        "def total(items):\n    from models import RATE as rate\n    return sum(i.price for i in items) * rate // 2",
        TOTAL.replace("from", "try:\n    from").replace("Item\n", "Item\nexcept ImportError:\n    raise\n", 1),
    ],
)
@pytest.mark.parametrize("later", [False, True], ids=["in order", "the other way"])
def test_files_that_import_from_one_another_are_one(calc: str, later: bool) -> None:
    order = {"calc": calc, "models": ITEM} if later else {"models": ITEM, "calc": calc}
    reply = files(**order, main="from calc import total\nfrom models import Item\nprint(total([Item('a', 1)]))")
    of_none = OF_ITEMS.replace("Item('pen', 2), Item('ink', 3)", "").replace("5", "0")
    assert PythonTests(OF_ITEMS)("t", reply).status == "passed"
    assert PythonTests(of_none)("t", files(**order)).status == "passed"


def test_files_come_behind_what_they_load_however_long_the_way() -> None:
    models = f"from __future__ import annotations\nfrom base import Base\nfrom typing import TYPE_CHECKING\n\
if TYPE_CHECKING:\n    from calc import total\n{ITEM.replace('Item', 'Item(Base)')}"
    reply = files(calc=TOTAL, models=models, base="class Base:\n    pass")
    assert PythonTests(OF_ITEMS)("t", reply).status == "passed"
    assert PythonTests("assert total([]) == 0")("t", reply).status == "passed"


@pytest.mark.parametrize(
    ("calc", "kept"),
    [
        # Another library's name, an attribute that no block has, and one that is set.
        ("import requests\ndef total(url): return requests.get(url)", "requests.get(url)"),
        ("import models\ndef total(): return models.load()", "import models"),
        ("import models\ndef total(): models.RATE = 3", "import models"),
        ("import models\ndef total(): return vars(models)", "import models"),
        ("import app.models\ndef total(): return app.models.load()", "import app.models"),
        ("import app.models\ndef total(): return app.models.RATE, app.name", "import app.models"),
        ("import app.models\ndef total(): app.models.RATE = 3", "import app.models"),
        ("import xml.models\ndef total(): return xml.models.RATE", "import xml.models"),
        ("from math import pi as RATE\ndef total(): return RATE", "from math import pi as RATE"),
    ],
)
def test_an_import_of_anything_else_stays(calc: str, kept: str) -> None:
    reply = files(models=f"{ITEM}\ndef get(url): return url\npi = 3", calc=calc)
    assert kept in python_parser(reply, ["total"]).get("content", "")


def test_where_files_cannot_be_one_the_feedback_says_so() -> None:
    reply = files(models=ITEM, calc="import models\ndef total(items): return models.load(items)")
    verdict = PythonTests(OF_ITEMS)("t", reply)
    assert verdict.failed_on == "form"
    assert "no module `models` here, and no file but this one: write all of it in one" in verdict.feedback
    assert (
        "no file but"
        not in PythonTests("assert f(1) == 1")("t", block("from math import nope\ndef f(x): return x")).feedback
    )


HELPED = "def _cut(s): return s.split(', ')\ndef parse(s): return [int(p) for p in _cut(s)]"
MENDED = "def _cut(s): return [p for p in s.split(',') if p]"
PAIR = "def encode(x): return x + 1\ndef decode(x): return x"


@pytest.mark.parametrize(
    ("first", "part", "names", "call", "given"),
    [
        (HELPED, MENDED, ["parse"], "parse('1,2,')", [1, 2]),
        (HELPED, f"import re\n{MENDED}", ["parse"], "parse('')", []),
        (PAIR, "def decode(x): return x - 1", ["encode", "decode"], "decode(encode(7))", 7),
        (f"{PAIR}\nclass Code:\n    step = 1", "class Code:\n    step = 2", ["encode"], "Code.step", 2),
        # An alternative has a helper of its own; an outline, and a result, are no other version.
        (HELPED, "class Parser: pass\ndef _cut(s, sep): return s", ["parse"], "parse('1, 2')", [1, 2]),
        (HELPED, "def _cut(s): ...", ["parse"], "parse('1, 2')", [1, 2]),
        (HELPED, "_cut = _cut('1, 2')", ["parse"], "parse('1, 2')", [1, 2]),
    ],
)
def test_a_part_that_is_written_again_replaces_the_first_one(
    first: str, part: str, names: list[str], call: str, given: object
) -> None:
    found = python_parser(f"```python\n{first}\n```\nHere is the corrected part:\n```python\n{part}\n```", names)
    scope: dict[str, Any] = {}
    exec(compile(str(found.get("content")), "reply", "exec"), scope)  # noqa: S102 - the test's own code
    assert eval(call, scope) == given  # noqa: S307


OUTLINE = (
    'class Box:\n    """A box."""\n    def put(self, x): ...\n    def take(self):\n        raise NotImplementedError'
)
BOX = "class Box:\n    def put(self, x):\n        self.x = x\n    def take(self):\n        return self.x"


@pytest.mark.parametrize("blocks", [[OUTLINE, BOX], [BOX, OUTLINE]], ids=["before", "behind"])
def test_the_outline_of_a_class_is_not_the_class(blocks: list[str]) -> None:
    reply = "\nSo:\n".join(f"```python\n{block}\n```" for block in blocks)
    assert python_parser(reply, ["Box"]).get("content") == BOX
    # Where there is nothing else, it is the code; so is a class that needs no method.
    assert python_parser(f"```python\n{OUTLINE}\n```", ["Box"]).get("content") == OUTLINE
    error = "class Full(Exception):\n    pass"
    assert python_parser(f"```python\n{BOX}\n```\n```python\n{error}\n```", ["Full"]).get("content") == error


FLOOR = "import math\ndef low(x): return math.floor(x)\ndef f(x): return low(x) + 2"


@pytest.mark.parametrize("label", ["Draft:", "Original code:", "### Before"])
@pytest.mark.parametrize("fixed", ["def f(x): return low(x)", "def f(x): return math.floor(x)"])
def test_a_function_that_is_written_again_keeps_what_only_its_first_version_has(label: str, fixed: str) -> None:
    for reply in (f"{label}\n{block(FLOOR)}\nCorrected:\n{block(fixed)}",):
        assert PythonTests("assert f(2.5) == 2")("t", reply).status == "passed"
    found = python_parser(f"{label}\n{block(FLOOR)}\nCorrected:\n{block('def f(x): return int(x)')}", ["f"])
    assert found.get("content") == "def f(x): return int(x)"


def test_of_several_versions_each_may_have_a_part_of_what_the_last_one_needs() -> None:
    blocks = ["import math\ndef f(x): return 0", "import operator\ndef f(x): return 1", "def f(x): return {}"]
    last = blocks[2].format("operator.add(math.floor(x), 0)")
    reply = "\nBetter:\n".join(map(block, [*blocks[:2], last]))
    assert PythonTests("assert f(2.5) == 2")("t", reply).status == "passed"


def test_a_method_in_a_class_that_is_indented_by_tabs_is_replaced() -> None:
    tabs = "class A:\n\tdef f(self):\n\t\treturn 1\n\tdef g(self):\n\t\treturn 2"
    reply = "\n".join([block(tabs), "Fixed:", block("    def g(self):\n        return 3")])
    assert PythonTests("assert (A().f(), A().g()) == (1, 3)")("t", reply).status == "passed"


def test_a_version_that_is_put_aside_is_no_answer_though_the_answer_needs_its_imports() -> None:
    reply = f"{block('def f(x): return math.floor(x)')}\nHere's the original version:\n{block(FLOOR)}"
    assert PythonTests("assert f(2.5) == 2")("t", reply).status == "passed"


STACK = (
    "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, x):\n"
    "        self.items.append(x)\n\n    @property\n    def top(self):\n        return self.items[0]\n\n"
    "    @top.setter\n    def top(self, x):\n        self.items[-1] = x\n\n    @staticmethod\n    def name():\n"
    "        return 'stack'"
)
TOP = "@property\ndef top(self):\n    return self.items[-1]"
PARTS = {
    "alone": TOP,
    "alone and indented": textwrap.indent(TOP, "    "),
    "in an excerpt that says so": f"class Stack:\n    # ... the rest stays as it is\n{textwrap.indent(TOP, '    ')}",
    "in an excerpt with dots": f"class Stack:\n    ...\n\n{textwrap.indent(TOP, '    ')}",
    "in an excerpt": f"class Stack:\n{textwrap.indent(TOP, '    ')}",
    "with its import": f"import operator\n\n{TOP.replace('self.items[-1]', 'operator.getitem(self.items, -1)')}",
    "with a new one": f"{TOP}\n\ndef __len__(self):\n    return len(self.items)",
}


@pytest.mark.parametrize("part", PARTS)
def test_a_method_that_is_written_again_without_its_class_is_that_classs(part: str) -> None:
    tests = "s = Stack()\ns.push(1)\ns.push(2)\nassert s.top == 2\ns.top = 5\nassert s.top == 5\n"
    tests += "assert Stack.name() == 'stack'\n" + "assert len(s) == 2" * (part == "with a new one")
    reply = f"{block(STACK)}\nThere is a bug in `top`:\n{block(PARTS[part])}\nDone."
    verdict = PythonTests(tests)("t", reply)
    assert (verdict.status, verdict.feedback) == ("passed", f"All {tests.count('assert')} checks passed.")


def test_a_class_that_is_written_anew_with_less_is_no_excerpt() -> None:
    simple = "class Stack:\n    def __init__(self):\n        self.items = []\n    def push(self, x):\n        pass"
    for later in (simple, "class Stack(list):\n    def push(self, x):\n        self.append(x)"):
        assert python_parser(f"{block(STACK)}\nSimpler:\n{block(later)}", ["Stack"]).get("content") == later
    wanted = "def top(self):\n    return self.items[-1]"
    assert python_parser(f"{block(STACK)}\nSo:\n{block(wanted)}", ["top"]).get("content") == wanted
