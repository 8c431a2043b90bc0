"""Finds failures that say nothing about the code: it or its tests need what a sandbox does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from shutil import which

from .limits import CheckFailure
from .suites.names import Definition, Function, Import, top_of

_OPENS = frozenset({"subprocess", "Popen", "run_path", "system", "open", "read_text", "read_bytes", "connect"})
_OF_THE_FILE = re.compile(r"(?:^|[/\s\"'])solution\.py(?=$|[\s\"'])|(?:^\s*|[;\n]\s*)(?:import|from) solution\b")
_STARTS = re.compile(r"\bsubprocess\b|\bos\.(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*)\b")
_IMPORTERS = frozenset({"import_module", "__import__"})
_NOT_THERE = re.compile(r"FileNotFoundError: \[Errno 2\] No such file or directory: '([^']+)'")
_NO_SHELL = re.compile(r"got 32512\b")
"""What `os.system` returns where there is no shell."""
_NO_NETWORK = re.compile(r"\b(?:gaierror|Temporary failure in name resolution|Network is unreachable)\b")
_NO_SUCH_HOST = re.compile(r"^(?:\w+://)?[^/\s]*[\w-]\.(?:invalid|test|example)(?:[:/?#]|$)")
"""A name that no host has: the code has to cope with that."""
_NO_HOST = (
    "The code wants another host, and a sandbox has no network. Have the tests serve what it asks for, or stub it."
)
_SCRATCH = re.compile(r"\btmp_path\b|\btempfile\b|\btmpdir\b")
_NO_FILE = (
    "The tests use the answer as the file solution.py, which is not there. Have them import what it defines from "
    "`solution`. To run it as a program, have them give `sys.stdin` and take what it prints in memory around "
    '`runpy.run_module("solution", run_name="__main__")`, or use `CommandVerifier`.'
)
_OF_A_PLUGIN = re.compile(r"(?:[^\n]*\n){0,3}fixture '(\w+)' not found")
_NO_PLUGIN = "The tests use the fixture `{name}` of a pytest plugin, and a sandbox has none. Write it into the tests."
_NO_PROGRAM = "The code starts {name}, and a sandbox has no programs but Python. It cannot be tested here."
_NO_DATA = "The tests read the file {name}, which is not in the sandbox. Put what it holds into the tests."
INSIDE = re.compile(r" \(line \d+: `.*`\)$", re.DOTALL)
"""What pytest's message of an exception ends with that the code itself raised."""


def beyond_the_sandbox(
    tests: str, code: str, failures: Sequence[CheckFailure], names: Collection[str], homes: Collection[str]
) -> dict[CheckFailure, str]:
    """The failures that say nothing about the code, each with the reason.

    Args:
        tests: the tests' source.
        code: the code under test.
        failures: of the code under the tests.
        names: what the tests call.
        homes: the modules that they import the code from.
    """
    read, starts = _Tests(tests, names, homes), bool(_STARTS.search(code + tests))
    reasons = {failure: _excuse(failure, read, starts=starts) for failure in failures}
    return {failure: reason for failure, reason in reasons.items() if reason}


def _excuse(failure: CheckFailure, tests: _Tests, *, starts: bool) -> str:
    shown = f"{failure.check}{failure.got}"
    calls = any(f"{name}(" in shown for name in tests.names)
    calls = calls or any(re.search(rf"\b{name}(?:\.\w+)*\(", failure.check) for name in tests.imported)
    said, by_code = str(failure), failure.code_line or INSIDE.search(failure.got)
    absent = found[1] if (found := _NOT_THERE.search(said)) else ""
    if (not calls or Path(absent).name == "solution.py") and tests.uses_the_file(failure.line):
        return _NO_FILE
    if not failure.code_line and (plugin := _OF_A_PLUGIN.match(failure.got)):
        return _NO_PLUGIN.format(name=plugin[1])
    if by_code and _NO_NETWORK.search(failure.got) and not any(map(_NO_SUCH_HOST.search, tests.texts(failure.line))):
        return _NO_HOST
    if starts and (which(absent) if absent else _NO_SHELL.search(said)):
        return _NO_PROGRAM.format(name=f"`{absent}`" if absent else "a shell")
    # A file that the code is given, or is to write, is another matter.
    is_data = bool(absent) and not by_code and not tests.has_scratch
    is_data = is_data and tests.source.count(Path(absent).name) == 1 and tests.reads_data(failure.line)
    return _NO_DATA.format(name=f"`{absent}`") if is_data else ""


class _Tests:
    """The source of the tests: which parts run together with a line, what these read, and where they call the code."""

    def __init__(self, source: str, names: Collection[str], homes: Collection[str]) -> None:
        self.source = source
        self.names = names
        self._homes = homes
        self.has_scratch = bool(_SCRATCH.search(source))
        self._parts: dict[ast.stmt, _Part] = {}
        self._code_calls: dict[_Part, list[ast.Call]] = {}

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(self.source)

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names that the code's module, or something in it, is imported by."""
        found = set[str]()
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Import):
                mine = [alias for alias in node.names if alias.name in self._homes]
                found |= {alias.asname or top_of(alias.name) for alias in mine}
            elif isinstance(node, ast.ImportFrom) and (node.level or node.module in self._homes):
                found |= {alias.asname or alias.name for alias in node.names if alias.name != "*"}
        return frozenset(found)

    @cached_property
    def _derived(self) -> frozenset[str]:
        """All names that may refer to something from the code; attributes are written with a dot before them."""
        found = {*self.names, *self.imported}
        bound = [pair for node in ast.walk(self._tree) for pair in _bindings(node)]
        while more := {name for name, value in bound if any(self._refers(n, found) for n in ast.walk(value))} - found:
            found |= more
        return frozenset(found)

    def _refers(self, node: ast.AST, found: Collection[str]) -> bool:
        """Whether a name, an attribute or an import refers to the code; `found` are the names known to do so."""
        if isinstance(node, ast.Call) and _called(node) in _IMPORTERS:
            return bool(node.args) and isinstance(name := node.args[0], ast.Constant) and name.value in self._homes
        return (isinstance(node, ast.Name) and node.id in found) or (
            isinstance(node, ast.Attribute) and f".{node.attr}" in found
        )

    def _is_of_code(self, call: ast.Call) -> bool:
        """Whether a call is one of a function, a method or an object from the code."""
        node: ast.AST = call.func
        while not self._refers(node, self._derived):
            if isinstance(node, (ast.Attribute, ast.Subscript, ast.Await)):
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.args[0] if _called(node) == "getattr" and node.args else node.func
            else:
                return False
        return True

    def _calls_to_code(self, part: _Part) -> Sequence[ast.Call]:
        if part not in self._code_calls:
            found = [call for call in part.calls if _called(call) in self.names or self._is_of_code(call)]
            self._code_calls[part] = found
        return self._code_calls[part]

    @cached_property
    def _defined(self) -> Mapping[str, Sequence[ast.stmt]]:
        """The statements that bind each name: functions and methods anywhere, variables at the top."""
        bound: dict[str, list[ast.stmt]] = {}
        for node in self._functions:
            bound.setdefault(node.name, []).append(node)
        for node in self._tree.body:
            for target in node.targets if isinstance(node, ast.Assign) else ():
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        bound.setdefault(name.id, []).append(node)
        return bound

    @cached_property
    def _functions(self) -> Sequence[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [node for node in ast.walk(self._tree) if isinstance(node, Function)]

    def _part(self, statement: ast.stmt) -> _Part:
        # Of a thousand checks, each may fail below all others.
        if statement not in self._parts:
            self._parts[statement] = _Part(statement)
        return self._parts[statement]

    def _reached_from(self, line: int) -> list[_Part]:
        """The parts of the tests that run up to a line, in order: the helpers that are used, then the test; for a line
        in no function, all statements at the top above it."""
        around = [node for node in self._functions if node.lineno <= line <= (node.end_lineno or 0)]
        above = [
            node
            for node in self._tree.body
            if node.lineno <= line and (not _defines(node) or line <= (node.end_lineno or 0))
        ]
        own: list[ast.stmt] = [around[0]] if around else above
        # Their order is kept.
        found: dict[ast.stmt, None] = {}
        waiting = [*own, *self._defined.get("setUp", ()), *self._defined.get("setUpClass", ())]
        while waiting:
            node = waiting.pop()
            if node in found:
                continue
            found[node] = None
            waiting += [one for name in self._part(node).names for one in self._defined.get(name, ())]
        own_ones = frozenset(own)
        return [*map(self._part, [*(node for node in found if node not in own_ones), *own])]

    def texts(self, line: int) -> Sequence[str]:
        """The texts in the statement at a line; none if the line is not known, as of an error that ended pytest."""
        return [text for part in self._reached_from(line)[-1:] for text in part.texts]

    def uses_the_file(self, line: int) -> bool:
        """Whether a test opens or starts the answer as a file."""
        parts = self._reached_from(line)
        used = frozenset[str]().union(*(part.names for part in parts))
        if used.isdisjoint(_OPENS):
            return False
        texts = [said for part in parts for said in part.texts]
        as_module = {"solution", "-m"}.issubset(texts)
        return as_module or any(part.uses_module_file for part in parts) or any(map(_OF_THE_FILE.search, texts))

    def reads_data(self, line: int) -> bool:
        """Whether the tests open a file for an argument of the code, or before they call any of it."""
        read = set[str]()
        parts = self._reached_from(line)
        # In the order in which they run, as far as calls do not change it.
        for nodes in (nodes for part in parts for nodes in part.bindings):
            if any(_is_read(node, read) for node in nodes):
                read |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        calls = [call for part in parts for call in part.calls]
        of_code = [call for part in parts for call in self._calls_to_code(part)]
        given = (node for call in of_code for part in (*call.args, *call.keywords) for node in ast.walk(part))
        if any(_is_read(node, read) for node in given):
            return True
        ours = frozenset(of_code)
        first = next((call for call in calls if call in ours or _opens(call)), None)
        return first is None or first not in ours


class _Part:
    """A statement of the tests, with the names, calls, bindings and texts in it."""

    def __init__(self, statement: ast.stmt) -> None:
        nodes = [*ast.walk(statement)]
        self.names = frozenset(name for node in nodes if (name := _name(node)))
        self.calls = [*_calls(statement)]
        self.bindings = [[*ast.walk(node)] for node in nodes if isinstance(node, (ast.Assign, ast.withitem))]
        for_readers = {id(part) for node in nodes for part in _for_readers(node)}
        self.texts = [
            node.value
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in for_readers
        ]
        """Its texts, without docstrings and the messages of asserts."""
        self.uses_module_file = any(
            isinstance(node, ast.Attribute) and node.attr == "__file__" and getattr(node.value, "id", "") == "solution"
            for node in nodes
        )


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The names that a node binds, attributes with a dot before them, each with what it is bound to."""
    if isinstance(node, Function):
        given = (one for one in ast.walk(node) if isinstance(one, (ast.Return, ast.Yield)) and one.value)
        yield from ((node.name, one) for one in given)
        return
    targets: Sequence[ast.AST | None] = ()
    value: ast.AST | None = None
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        targets, value = [node.target], node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        targets, value = [node.target], node.iter
    elif isinstance(node, ast.withitem):
        targets, value = [node.optional_vars], node.context_expr
    for one in (one for target in targets if target and value for one in ast.walk(target)):
        if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Store) and value:
            yield (one.id if isinstance(one, ast.Name) else f".{one.attr}"), value


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_read(node: ast.AST, read: Collection[str]) -> bool:
    """Whether a node opens a file, or is a name for what was read from one."""
    return _opens(node) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in read)


def _opens(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) in _OPENS


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, (*Definition, *Import))


def _name(node: ast.AST) -> str:
    """What a node names: a variable, an attribute, or a fixture; "" for any other."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else node.arg if isinstance(node, ast.arg) else ""


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls in the order in which they are made: those of the arguments come first."""
    for child in ast.iter_child_nodes(node):
        yield from _calls(child)
    if isinstance(node, ast.Call):
        yield node


def _for_readers(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that only people read: a docstring, or the message of an assert."""
    if isinstance(node, ast.Expr):
        yield node.value
    elif isinstance(node, ast.Assert) and node.msg:
        yield from ast.walk(node.msg)
