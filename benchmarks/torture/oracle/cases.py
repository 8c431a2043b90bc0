"""What a program has to do, case by case, and the ways in which people write a case down."""

from __future__ import annotations

import ast
import random
import re
import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A thing that a program has to do.

    Attributes:
        source: the case as the bank has it.
        setup: statements that come first, a line each.
        kind: `"equal"`, `"true"`, `"close"`, `"raises"`, `"prints"`, or `"block"` for statements that check themselves.
        left: the expression, or the statement that raises or prints, or the block.
        right: what it is equal to or prints, as source; the error's class for `"raises"`.
        pattern: what the error's message has to match.
    """

    source: str
    setup: tuple[str, ...]
    kind: str
    left: str
    right: str = ""
    pattern: str = ""


def parse_case(text: str) -> Case:
    """Read a case as the bank writes it.

    Raises:
        ValueError: it is none.
    """
    if "\n" in text:
        return Case(text, (), "block", text)
    before, mark, rest = text.rpartition("; !") if not text.startswith("!") else ("", "!", text[1:])
    raising = re.match(r"([\w.]+)(?:/([^/]*)/)? (.*)", rest) if mark else None
    if raising:
        return Case(text, _lines(before), "raises", raising[3], raising[1], raising[2] or "")
    if text.startswith(">> "):
        statement, _, printed = text[3:].partition(" -> ")
        return Case(text, (), "prints", statement, printed)
    if " ~= " in text:
        left, _, right = text.partition(" ~= ")
        return Case(text, (), "close", left, right)
    try:
        *first, last = ast.parse(text).body
    except (SyntaxError, ValueError) as problem:
        raise ValueError(f"not a case: {text!r}: {problem}") from None
    if not isinstance(last, ast.Expr):
        raise ValueError(f"a case has to end in an expression: {text!r}")
    setup = tuple(ast.unparse(node) for node in first)
    test = last.value
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        return Case(text, setup, "equal", _source(text, test.left), _source(text, test.comparators[0]))
    return Case(text, setup, "true", _source(text, test))


def _source(text: str, node: ast.expr) -> str:
    """An expression as written, with its brackets where it needs them."""
    found = ast.get_source_segment(text, node) or ast.unparse(node)
    return f"({found})" if isinstance(node, (ast.IfExp, ast.BoolOp, ast.Compare, ast.NamedExpr)) else found


def _lines(statements: str) -> tuple[str, ...]:
    return tuple(ast.unparse(node) for node in ast.parse(statements).body)


def asserted(case: Case, rng: random.Random) -> str:
    """A case as statements with asserts, in one of the forms that people use."""
    return "\n".join([*case.setup, _checked(case, rng)])


def _checked(case: Case, rng: random.Random) -> str:
    left, right = case.left, case.right
    if case.kind == "equal":
        return rng.choice(_EQUAL).format(left=left, right=right)
    if case.kind == "true":
        return rng.choice(_TRUE).format(left=left)
    if case.kind == "close":
        return rng.choice(_CLOSE).format(left=left, right=right)
    if case.kind == "prints":
        return rng.choice(_PRINTS).format(left=left, right=right)
    if case.kind == "block":
        return left
    form = rng.choice(_RAISES_MATCHING if case.pattern else _RAISES)
    return form.format(left=left, error=right, pattern=repr(case.pattern), call=_as_call(left))


def _as_call(statement: str) -> str:
    """What a helper such as `raises(error, function, *arguments)` is given."""
    node = ast.parse(statement).body[0]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not node.value.keywords:
        function = ast.unparse(node.value.func)
        return ", ".join([function, *map(ast.unparse, node.value.args)])
    return f"lambda: {statement}"


def is_literal(source: str) -> bool:
    """Whether an expression needs no name."""
    return not any(isinstance(node, (ast.Name, ast.Call)) for node in ast.walk(ast.parse(source, mode="eval")))


def arguments(case: Case, function: str) -> str | None:
    """The arguments of a case that is one call of a function with literals, as the source of a tuple; else None."""
    if case.kind != "equal" or case.setup or not is_literal(case.right):
        return None
    call = ast.parse(case.left, mode="eval").body
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function):
        return None
    if call.keywords or not all(is_literal(ast.unparse(argument)) for argument in call.args):
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    return ast.unparse(ast.Tuple([*call.args], ast.Load()))


def indented(text: str, by: int = 1) -> str:
    """Statements moved to the right; texts over several lines stay what they are."""
    inside: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            inside.update(range(node.lineno, node.end_lineno or node.lineno))
    lines = text.splitlines()
    return "\n".join(
        line if number in inside else textwrap.indent(line, "    " * by) for number, line in enumerate(lines)
    )


_EQUAL = (
    *["assert {left} == {right}"] * 6,
    'assert {left} == {right}, "wrong result"',
    "assert {right} == {left}",
    "result = {left}\nassert result == {right}",
    "expected = {right}\nactual = {left}\nassert actual == expected, f'expected {{expected!r}}, got {{actual!r}}'",
    "assert not ({left} != {right})",
    "assert ({left} == {right}) is True",
    "got, wanted = {left}, {right}\nif got != wanted:\n    raise AssertionError(f'{{got}} is not {{wanted}}')",
    "assert ({left}) in [{right}]",
    "assert bool({left} == {right})",
)
_TRUE = (
    *["assert {left}"] * 4,
    'assert {left}, "should hold"',
    "assert bool({left})",
    "assert ({left}) not in (False, None, 0)",
    "if not ({left}):\n    assert False, 'does not hold'",
)
_CLOSE = (
    "assert abs({left} - {right}) < 1e-9",
    "import math\nassert math.isclose({left}, {right}, rel_tol=1e-9, abs_tol=1e-9)",
    "assert round({left}, 6) == round({right}, 6)",
    "assert {right} - 1e-9 < {left} < {right} + 1e-9",
)
_PRINTS = (
    "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    {left}\n"
    "assert out.getvalue() == {right}",
    "import io, sys\nkept, sys.stdout = sys.stdout, io.StringIO()\ntry:\n    {left}\n"
    "    printed = sys.stdout.getvalue()\nfinally:\n    sys.stdout = kept\nassert printed == {right}, printed",
    "from unittest.mock import patch\nimport io\nwith patch('sys.stdout', new_callable=io.StringIO) as fake:\n"
    "    {left}\nassert fake.getvalue() == {right}",
)
_RAISES = (
    "try:\n    {left}\n    assert False, 'no error'\nexcept {error}:\n    pass",
    "try:\n    {left}\nexcept {error}:\n    pass\nelse:\n    assert False, 'expected {error}'",
    "raised = False\ntry:\n    {left}\nexcept {error}:\n    raised = True\nassert raised",
    "def raises(exc, fn, *args):\n    try:\n        fn(*args)\n    except exc:\n        return True\n"
    "    return False\n\nassert raises({error}, {call})",
    "try:\n    {left}\nexcept {error} as e:\n    assert isinstance(e, {error})\nelse:\n"
    "    raise AssertionError('{error} not raised')",
    "try:\n    {left}\n    caught = None\nexcept BaseException as e:\n    caught = e\n"
    "assert isinstance(caught, {error})",
    "import pytest\nwith pytest.raises({error}):\n    {left}",
    "import contextlib\nfinished = False\nwith contextlib.suppress({error}):\n    {left}\n    finished = True\n"
    "assert not finished",
)
_RAISES_MATCHING = (
    "import re\ntry:\n    {left}\nexcept {error} as error:\n    assert re.search({pattern}, str(error)), str(error)\n"
    "else:\n    assert False, 'expected {error}'",
    "import re\nmessage = None\ntry:\n    {left}\nexcept {error} as error:\n    message = str(error)\n"
    "assert message is not None and re.search({pattern}, message)",
    "import pytest\nwith pytest.raises({error}, match={pattern}):\n    {left}",
    *_RAISES[:3],
)
