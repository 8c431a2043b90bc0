"""Corrected methods that a reply shows without their class: put into it only where nothing is doubtful."""

from __future__ import annotations

import pytest
from thoughtgraph import python_parser

STACK = (
    "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, x):\n"
    "        self.items.append(x)\n\n    def pop(self):\n        return self.items[0]"
)
POP = "def pop(self):\n    return self.items.pop()"
PUSH = "def push(self, x):\n    self.items += [x]"
IN_CLASS = "class Stack:\n    def pop(self):\n        return self.items.pop()"


def block(body: str) -> str:
    return f"```python\n{body}\n```"


def taken(first: str, label: str, second: str, name: str = "Stack") -> str | None:
    return python_parser(f"{block(first)}\n{label}\n{block(second)}", [name]).get("content")


@pytest.mark.parametrize(
    ("label", "part"),
    [
        ("A common mistake:", POP),
        ("The old method:", POP),
        ("错误的写法：", POP),
        ("原来的 `pop` 方法是：", POP),
        ("In a subclass you would override it:", "    def pop(self):\n        return 1"),
        ("The key part is:", "def pop(self):\n    ...\n    return self.items.pop()"),
        ("So:", "def pop(self):\n    # ... as before\n    return self.items.pop()"),
        ("So:", "def push(self, x): ..."),
        ("Fixed:", f"{POP}\n\n{POP}"),
        ("Fixed:", f"@staticmethod\n{POP}"),
        ("Fixed:", f"import Stack\n\n{POP}"),
        ("Fixed:", "def pop(self):\n    yield\n    break"),
    ],
)
def test_a_method_that_may_be_something_else_changes_no_class(label: str, part: str) -> None:
    assert taken(STACK, label, part) == STACK


@pytest.mark.parametrize(
    "part",
    [
        f"@final\n{IN_CLASS}",
        f"{IN_CLASS}\n    # an existing key moves to the end\n    def __init__(self):\n        pass",
    ],
)
def test_a_class_that_may_be_a_new_version_is_no_excerpt(part: str) -> None:
    assert taken(STACK, "Simpler:", part) == part


def test_a_class_of_stubs_is_an_outline() -> None:
    outline = "class Stack:\n    def push(self, x): ...\n    def pop(self): ..."
    assert taken(STACK, "The interface:", outline) == STACK


def test_imports_of_a_method_stand_behind_those_from_the_future() -> None:
    first = f'"""Stacks."""\nfrom __future__ import annotations\n\n{STACK}'
    part = f"from functools import lru_cache\n\n@lru_cache(maxsize=None)\n{POP}"
    found = taken(first, "Fixed:", part) or ""
    assert found.startswith('"""Stacks."""\nfrom __future__ import annotations\nfrom functools import lru_cache\n')
    assert "    @lru_cache(maxsize=None)\n    def pop(self):\n        return self.items.pop()" in found
    future = taken(STACK, "Fixed:", f"from __future__ import annotations\nimport math\n{POP}") or ""
    assert future.startswith("from __future__ import annotations\nimport math\n") and POP.split()[-1] in future


def test_texts_of_several_lines_keep_their_value() -> None:
    part = 'def pop(self):\n    """Pop.\n\n    The last.\n    """\n    return """\nempty\n"""'
    for shown in (
        part,
        f"class Stack:\n    # ... as before\n    {part.replace(chr(10) + '    ', chr(10) + '        ')}",
    ):
        found = taken(STACK, "Fixed:", shown) or ""
        scope: dict[str, type] = {}
        exec(found, scope)  # noqa: S102
        assert scope["Stack"]().pop() == "\nempty\n"  # type: ignore[attr-defined]


def test_a_method_goes_into_the_class_that_is_told_of() -> None:
    both = (
        "class Node:\n    def get(self):\n        return 1\n\nclass Tree:\n    def insert(self, v):\n        self.v = v"
    )
    assert taken(both, "Also add this to `Node`:", "def insert(self, v):\n    pass; self.w = v", "Tree") == both
    two = f"{STACK}\n\n{STACK.replace('Stack', 'Queue')}"
    reply = "\n".join(map(block, [STACK, two])) + f"\nFixed:\n{block(POP)}"
    assert python_parser(reply, ["Stack"]).get("content") == two


def test_twins_and_overloads_are_left_alone() -> None:
    twice = f"{STACK}\n\n    def pop(self):\n        return 2"
    assert taken(twice, "Fixed:", POP) == twice


def test_a_missing_name_is_told_beside_a_merged_method() -> None:
    result = python_parser(f"{block(STACK)}\nCorrected:\n{block(POP)}", ["solve"])
    assert "has to define `solve`" in result.get("feedback", "")


@pytest.mark.parametrize("names", [(), ("solve",)])
def test_a_program_stands_behind_its_function(names: tuple[str, ...]) -> None:
    solve, program = "def solve(n):\n    return n + 1", 'n = int("3")\nprint(solve(n))'
    found = python_parser(f"{block(solve)}\nThe program:\n{block(program)}", names).get("content")
    assert found == (solve if names else f"{solve}\n\n{program}")


def test_deep_and_long_code_is_read() -> None:
    deep = f"def f():\n    raise {'.'.join('a' * 600)}"
    assert python_parser(block(deep), ["f"]).get("content") == deep
    assert "Stack" in (taken(STACK, "Fixed:", f"@{'.'.join('a' * 600)}\n{POP}") or "")
    chain = "x = 1\nif x == 0:\n    y = 0\n" + "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(1, 160))
    assert python_parser(block(f"{chain}def f(): pass"), ["f"])["status"] == "success"


def test_a_pattern_binds_what_it_captures() -> None:
    match = "match v:\n        case [a, *rest]:\n            return rest\n"
    match += "        case {'a': 1, **others}:\n            return others"
    first, second = "rest = others = 1\ndef f(v): return 0", f"def f(v):\n    {match}"
    assert taken(first, "Better:", second, "f") == second


def test_a_method_is_put_into_its_class() -> None:
    wanted = STACK.replace("self.items[0]", "self.items.pop()")
    for part in (POP, IN_CLASS, "    def pop(self):\n        return self.items.pop()"):
        assert taken(STACK, "Fixed:", part) == wanted
