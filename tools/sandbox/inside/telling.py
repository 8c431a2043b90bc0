"""What feedback tells of a failure: where in the tests it was, and as much of long texts as tells them apart."""

from __future__ import annotations

import _ast
from types import TracebackType

from .decoys import LONGEST_VALUE, MOST, from_where_they_differ, shown, values, without_middle
from .findings.trees import children_of
from .mirror import ATOMS, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from typing import Any

_FIRST, _MOST_LINES = 4 * MOST, 8
_SHORT = 120
_PARTED = ("- ", "+ ")
"""What a line of a comparison line by line starts with, if it is only on one side."""
_Position = tuple[int, int]
"""A line and a column."""
TESTS = "tests.py"
_FUNCTIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef)
_LOOPS = (_ast.For, _ast.AsyncFor, _ast.While)


def told(message: str) -> str:
    """What an exception says, in lines that are not too long, nor too many."""
    first, *lines = [line for line in message.split("\n") if line.strip()] or [""]
    if len(lines) > _MOST_LINES:
        lines = [line for line in lines if line.startswith(_PARTED)] or lines
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES // 2 : -_MOST_LINES // 2] = ["…"]
    return "\n".join([without_middle(first, _FIRST), *map(without_middle, lines)])


def failed(got: object, expected: str, source: str, line: int, values: str, *message: object) -> AssertionError:
    """What an assert of the tests raises: as Python does, with what it saw beside it."""
    error = AssertionError(*message)
    said = f", {without_middle(shown(message[0]), 2 * LONGEST_VALUE)}" if message else ""
    error.__dict__["_tg_shown"] = (shown(got), expected, f"{source}{said}{values}", line)
    return error


def wanted(operator: str, value: object) -> str:
    """What an assert expected."""
    return operator + shown(value)


_IN_FULL = 30
"""Characters of a value that pytest always shows."""


def compared(operator: str, left: Any, right: Any) -> list[str] | None:
    """What pytest's message says of two values, where it would cut what tells them apart; None where it would not."""
    kinds = kind_of(left), kind_of(right)
    if operator == "not in" or any(
        kind in (set, frozenset) or str(kind.__module__).startswith("_pytest") for kind in kinds
    ):
        # It tells where a text is contained, the items, and those out of tolerance.
        return None
    if kinds == (dict, dict):
        left = {**{key: left[key] for key in right if key in left}, **left}
    one, other = shown(left), shown(right)
    if max(len(one), len(other)) <= _IN_FULL:
        return None
    if one == other and kinds[0] in (list, tuple) and len(left) != len(right):
        # Beyond what is shown; pytest tells the items that are too many.
        return None
    if operator in ("==", "!="):
        one, other = from_where_they_differ(one, other, _SHORT)
    lines = [f"{without_middle(one)} {operator} {without_middle(other)}"]
    return lines + _first_apart(left, right) if operator == "==" and kinds in ((list, list), (tuple, tuple)) else lines


def _first_apart(left: Any, right: Any) -> list[str]:
    """Where two lists first differ, as pytest tells it."""
    try:
        pairs = enumerate(zip(left, right, strict=False))
        place = next(place for place, (one, other) in pairs if one is not other and one != other)
    except Exception:  # noqa: BLE001 - one is longer, or its items are of the code's own
        return []
    one, other = from_where_they_differ(shown(left[place]), shown(right[place]), _SHORT)
    return [f"At index {place} diff: {one} != {other}"]


class Place:
    """Where in the tests an exception was raised, or what raised it was called.

    Attributes:
        source: the statement, below its condition.
        line: its first line.
        names: the names in it, with spaces between them.
        space: what names stand for there, as far as that is still known.
        has_seen: whether what the code gave inside of it is what `Seen` has now: an assert, not a round of one.
    """

    def __init__(
        self, lines: Sequence[str], path: Sequence[Any], space: dict[str, object], in_part: bool, whole: bool
    ) -> None:
        node, around = path[-1], [one for one in path[:-1] if not isinstance(one, _ast.ExceptHandler)][-1:]
        self.source = _head(lines, node, whole)
        kinds = _ast.If if isinstance(node, _ast.Assert) else (_ast.If, _ast.With)
        if around and isinstance(around[0], kinds) and node in around[0].body:
            self.source = f"{_head(lines, around[0])} {self.source}"
        elif around and isinstance(node, _ast.Raise) and not isinstance(around[0], (*_FUNCTIONS, *_LOOPS)):
            # Another branch says what makes it wrong.
            self.source = _head(lines, around[0], whole=True)
        self.names = " ".join(sorted(_names(self.source, node)))
        self.source = without_middle(self.source)
        self.line: int = node.lineno
        self.space = _lasting(space, path)
        self.has_seen = isinstance(node, _ast.Assert) and not in_part


def place_of(error: BaseException, tests: str, code_file: str) -> Place | None:
    """The place in a loop or a function of the tests; None where the check as a whole says as much.

    Args:
        error: what left the check.
        tests: their source.
        code_file: the file name of the candidate.
    """
    tree = _tree(tests)
    frames: list[tuple[list[Any], dict[str, object], bool]] = []
    for place, space, in_part in _frames(error.__traceback__, code_file):
        path = _path(tree.body, place)
        # A generator has names of its own beside those of the statement around it.
        around = [outer for there, outer, _ in frames[-1:] if in_part and there == path]
        frames.append((path, {**around[0], **space} if around else space, in_part))
    count = len(frames)
    while len(frames) > 1 and _only_says(frames[-1][0], frames[-2][0]):
        frames.pop()
    # The last assert; what it calls of the tests' own only makes ready for it.
    asserts = [one for one in frames if one[0] and isinstance(one[0][-1], _ast.Assert)]
    path, space, in_part = [*frames, *asserts][-1] if frames else ([], {}, False)
    lines = tests.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    inside = in_part or any(isinstance(one, (*_FUNCTIONS, *_LOOPS)) for one in path[:-1])
    # Of a long statement, nobody finds the place.
    inside = inside or (len(path) > 1 and (asserts or len(_head(lines, path[0], whole=True)) > 2 * MOST))
    if not path or not inside:
        return None
    return Place(lines, path, space, in_part, len(frames) < count)


def _only_says(path: Sequence[Any], outer: Sequence[Any]) -> bool:
    """Whether a helper of the tests only says what is wrong with what it is given: a call, or the body of a `with`."""
    node = path[-1] if len(path) > 1 else None
    if not isinstance(node, _ast.Raise) or isinstance(path[-2], _ast.If) or not outer:
        return False
    calls = [one for one in _parts(outer[-1]) if isinstance(one, _ast.Call)]
    return isinstance(outer[-1], _ast.With) or any(one.args or one.keywords for one in calls)


_TREES: dict[str, Any] = {}


def _tree(source: str) -> Any:
    """The tests' tree, made once: each of a thousand checks may fail."""
    if source not in _TREES:
        _TREES[source] = compile(source, TESTS, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    return _TREES[source]


def _on_line(node: Any, line: int) -> Iterator[Any]:
    """The nodes on a line, outermost first, without a look into what is elsewhere."""
    for one in children_of(node):
        if not isinstance(one, _ast.stmt) or one.lineno <= line <= (one.end_lineno or 0):
            yield one
            yield from _on_line(one, line)


def _frames(trace: TracebackType | None, code_file: str) -> Iterator[tuple[_Position, dict[str, object], bool]]:
    """The positions in the tests that an exception came through, outermost first, with what names stand for, and
    whether it was in a part of a statement."""
    while trace is not None and trace.tb_frame.f_code.co_filename != code_file:
        code = trace.tb_frame.f_code
        if code.co_filename == TESTS:
            line, _, column, _ = [*code.co_positions()][trace.tb_lasti // 2]
            place = line or trace.tb_lineno, column or 0
            yield place, trace.tb_frame.f_locals, code.co_name[:1] == "<" and code.co_name != "<module>"
        trace = trace.tb_next


def _path(body: Sequence[Any], place: _Position) -> list[Any]:
    """The statements around a position, the innermost last."""
    path: list[Any] = []
    while inner := [
        node for node in body if (node.lineno, node.col_offset) <= place < (node.end_lineno, node.end_col_offset)
    ]:
        path += inner
        parts = [inner[0], *getattr(inner[0], "cases", ())]
        names = ("body", "orelse", "finalbody", "handlers")
        body = [node for part in parts for name in names for node in getattr(part, name, ())]
    return path


def _names(text: str, node: Any) -> dict[str, None]:
    """The names in a text, without those that the statement was about to bind: they stand for what they did before."""
    import re

    stored, read = set[str](), set[str]()
    for part in _parts(node):
        if isinstance(part, _ast.Name):
            (read if isinstance(part.ctx, _ast.Load) else stored).add(part.id)
    return dict.fromkeys(name for name in re.findall(r"[^\W\d]\w*", text) if name in read or name not in stored)


def _parts(node: Any) -> list[Any]:
    """A statement and what stands in it, without the parts of other statements."""
    parts = [node]
    for part in parts:
        if part is node or not isinstance(part, _ast.stmt):
            parts += children_of(part)
    return parts


def _head(lines: Sequence[str], node: Any, whole: bool = False) -> str:
    """A statement as written, on one line; one with others in it up to the first of these."""
    inner = None if whole else (getattr(node, "body", None) or getattr(node, "cases", None) or [None])[0]
    inner = getattr(inner, "pattern", inner)
    end, column = (inner.lineno, inner.col_offset) if inner else (node.end_lineno, node.end_col_offset)
    text = [line.encode() for line in lines[node.lineno - 1 : end]]
    text[-1] = text[-1][:column]
    text[0] = text[0][node.col_offset :]
    return " ".join(line.decode().strip() for line in text if line.strip())


def is_test(path: str, tests: Sequence[str]) -> bool:
    """Whether a path is one of the tests'."""
    return any(path.endswith(f"/{name}") or path == name for name in tests)


def lines_of(raised: BaseException | None, tests: Sequence[str]) -> Generator[tuple[str, int, Any]]:
    """Where an exception came through the tests, the deepest place last: file, line, and what names stand for."""
    trace = raised.__traceback__ if raised is not None else None
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if name := next((name for name in tests if is_test(path, [name])), ""):
            yield name, trace.tb_lineno, trace.tb_frame.f_locals
        trace = trace.tb_next


def place_in(raised: BaseException | None, files: Mapping[str, str], tests: Sequence[str]) -> str:
    """The line of the tests that failed, with what its names stand for; "" if it is not known."""
    found = ""
    for name, number, space in [*lines_of(raised, tests)][-1:]:
        # What was to raise stands below.
        below = files[name].split("\n")[number - 1 :]
        line = " ".join(map(str.strip, below[: 2 if below[:1] and below[0][-1:] == ":" else 1]))
        tree = _tree(files[name])
        indent = len(below[0]) - len(below[0].lstrip()) if below else 0
        path = _path(tree.body, (number, indent)) or [tree]
        told = values(_names(line, path[-1]), _lasting(space, path))
        found = f"at `{without_middle(line, _SHORT)}`{told}" if line else ""
    return found


def _lasting(space: Mapping[str, object], path: Sequence[Any]) -> Mapping[str, object]:
    """What names stand for, without what may have changed: contexts, `finally` and tasks go on after a failure."""
    if not any(map(_goes_on, path[:-1])):
        return space
    return {name: value for name, value in space.items() if kind_of(value) in ATOMS}


def _goes_on(node: Any) -> bool:
    if isinstance(node, _ast.With):
        called = [getattr(item.context_expr, "func", None) for item in node.items]
        return not all(_waits(one) or getattr(one, "attr", "") == "subTest" for one in called)
    return isinstance(node, (_ast.AsyncWith, _ast.AsyncFunctionDef)) or bool(getattr(node, "finalbody", ()))


def waited_for(raised: BaseException | None, files: Mapping[str, str], tests: Sequence[str]) -> str:
    """What to put before another exception than the one that the tests wait for: "expected KeyError, got "."""
    import ast

    found = ""
    for name, line, _ in lines_of(raised, tests):
        for node in _on_line(_tree(files[name]), line):
            if isinstance(node, (ast.With, ast.Expr)):
                calls = [item.context_expr for item in node.items] if isinstance(node, ast.With) else [node.value]
                waiting = [call for call in calls if isinstance(call, ast.Call) and call.args and _waits(call.func)]
                found = f"expected {ast.unparse(waiting[-1].args[0])}, got " if waiting else found
    return found


def _waits(called: Any) -> bool:
    """Whether a function of pytest or unittest waits for an exception."""
    return getattr(called, "attr", getattr(called, "id", "")) in ("raises", "assertRaises", "assertRaisesRegex")
