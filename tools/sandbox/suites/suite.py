"""Reads tests: their kind, what they need from a candidate, and where they can run."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeGuard

from ....parsers.code_forms import imported_names
from ...stand_ins import used_as_modules
from .checks import Check, compile_checks, local_names
from .collected import as_file, has_test, head, wants_pytest
from .documented import held
from .names import Definition, Import, names_in, top_of, written
from .needs import (
    Home,
    absolute,
    brought_from,
    foreign_packages,
    home_of,
    loads_late,
    looks_at_objects,
    looks_names_up,
    modules,
    names_of,
    subjects,
    why_together,
)
from .touching import Touching, refuse_always_true


@dataclass(frozen=True, slots=True)
class Suite:
    """What was read from tests.

    Attributes:
        text: their source, as it is run.
        added: the line that an import of the candidate was put in as; 0 for none.
        kind: `"checks"` run one by one; `"pytest"` needs pytest.
        checks: the checks to run one by one; none for a pytest file.
        home: the names by which the tests import the candidate.
        brought: what they import by name from other modules that are not installed.
        wanted: names that the tests read and do not bind themselves.
        in_classes: those of these names that the body of a class reads.
        local: names that a HumanEval `check(candidate)` binds.
        imported: names that they bind by an import, if they and the candidate are one script; tests that import the
            candidate are a file of their own, and neither sees the globals of the other.
        bound: names that they bind otherwise, likewise.
        together: why they must run in the candidate's process; "" if they can run in another.
        subjects: built-in names that they test as the candidate's: `assert repr("x") == "<x>"`.
        pytest: whether they need pytest.
        foreign: packages that they import: neither the standard library's nor the candidate.
        optional: those that they import, but can do without.
        introspects: whether they look names up themselves (`globals()`, `eval`).
        looks_at_objects: whether they look at the type or the representation of an object.
    """

    text: str
    added: int
    kind: Literal["checks", "pytest"]
    checks: tuple[Check, ...]
    home: Home
    brought: dict[str, frozenset[str]]
    wanted: tuple[str, ...]
    in_classes: tuple[str, ...]
    local: frozenset[str]
    imported: tuple[str, ...]
    bound: tuple[str, ...]
    together: str
    subjects: tuple[str, ...]
    pytest: bool
    foreign: frozenset[str]
    optional: frozenset[str]
    introspects: bool
    looks_at_objects: bool

    @property
    def total(self) -> int:
        """The number of checks, as far as it is known before they run."""
        return sum(check.counts for check in self.checks) if self.kind == "checks" else 1

    def job(self, code: str, aliases: Sequence[str], entry_point: str | None) -> dict[str, Any]:
        """What the sandbox needs to run a candidate's code under them; `aliases` are modules that it stands for."""
        alike = ("wanted", "in_classes", "imported", "bound", "subjects", "introspects", "looks_at_objects")
        job = {name: getattr(self, name) for name in alike}
        job |= {"checks": [check.code for check in self.checks], "needs_pytest": self.pytest}
        job |= {"together": bool(self.together), "module": self.home.module, "tests": self.text}
        job |= {"pytest": "test_solution.py"} if self.kind == "pytest" else {}
        job["late"] = bool(self.together) and not (aliases or self.introspects) and loads_late(self.text, self.home)
        return {**job, "code": code, "aliases": aliases, "entry": entry_point}


_PATH = re.compile(r"\s*[^\s'\"()]*\.py\s*")


@lru_cache(maxsize=256)
def read_suite(tests: str, entry_point: str | None = None, taken: frozenset[str] = frozenset()) -> Suite:
    """Read tests: bare asserts, functions, a HumanEval `check(candidate)`, unittest or pytest.

    Args:
        tests: their source.
        entry_point: the function that `check(candidate)` tests.
        taken: names that its local ones must not be mistaken for.

    Raises:
        ValueError: they do not parse, or check nothing.
    """
    if _PATH.fullmatch(tests):
        raise ValueError(f"the tests are the source text of tests, got the path {tests!r}: give its read_text()")
    try:
        return _read(absolute(tests), entry_point, taken)
    except SyntaxError as problem:
        raise ValueError(f"the tests do not parse: {problem.msg} at line {problem.lineno}") from None
    except RecursionError:
        raise ValueError("the tests hold an expression that is nested too deeply: split it") from None


def _read(tests: str, entry_point: str | None, taken: frozenset[str]) -> Suite:
    tree = ast.parse(tests)
    refuse_always_true(tree)
    imported, bound = _bound(tree.body)
    tables = _tables(tests)
    wanted = _wanted(tables, imported | bound, entry_point)
    in_classes = {s.get_name() for t in tables if t.get_type() == "class" for s in t.get_symbols() if s.is_referenced()}
    home = home_of(tree, wanted)
    has_import = not home.names.isdisjoint(modules(tree))
    imports_pytest = "pytest" in map(top_of, modules(tree))
    is_pytest = wants_pytest(tree, imports_pytest)
    if is_pytest and not has_test(tree):
        raise ValueError("the tests contain no test: name the functions `test_…`")
    touching = Touching(tree, home.tops)
    if touching.says_nothing(tree):
        raise ValueError(
            f"the tests contain no check: what they assert is true for any code, got {tests.strip()!r:.60}"
        )
    text, added = as_file(tests, tree, "" if has_import else home.module) if is_pytest else (tests, 0)
    foreign = foreign_packages(tree) - home.tops
    packages = frozenset(map(top_of, modules(tree))) - sys.stdlib_module_names
    return Suite(
        text=text,
        added=added,
        kind="pytest" if is_pytest else "checks",
        checks=() if is_pytest else compile_checks(held(tests), touching, home.module, entry_point, taken),
        home=home,
        brought=brought_from(tree, home.names),
        wanted=tuple(wanted),
        in_classes=tuple(sorted(in_classes.intersection(wanted))),
        local=frozenset(name for node in tree.body if _is_check(node) for name in local_names(node)),
        imported=() if has_import else tuple(sorted(imported)),
        bound=() if has_import else tuple(sorted(bound)),
        together=why_together(tree, home, imported, wanted),
        subjects=tuple(subjects(tree)),
        pytest=is_pytest or imports_pytest,
        foreign=foreign,
        optional=packages - foreign - home.tops,
        introspects=not has_import and looks_names_up(tree),
        looks_at_objects=looks_at_objects(tree),
    )


def called_names(tests: str, entry_point: str | None = None) -> list[str]:
    """Names that a candidate must define: those that the tests call or import from it."""
    if entry_point:
        return names_in(entry_point)
    tests = absolute(tests)
    tree = ast.parse(tests)
    imported, bound = _bound(tree.body)
    home = home_of(tree, _wanted(_tables(tests), imported | bound, None))
    as_modules = used_as_modules(tree, home.names)
    brought = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in home.names
        for alias in node.names
        if alias.name != "*" and alias.name not in as_modules
    ]
    if brought:
        return list(dict.fromkeys(brought))
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, Definition):
            own.add(node.name)
        if isinstance(node, Import):
            own |= imported_names(node)
    starred = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
    for name in starred:
        if name in home.names:
            continue
        library = names_of(name or "")
        if library is None:
            # Any name may come from there.
            return []
        own |= library
    called = [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    found = [name for name in called if name not in own and not hasattr(builtins, name)]
    return list(dict.fromkeys([*found, *_called_in_module(tree, home)]))


def _called_in_module(tree: ast.Module, home: Home) -> list[str]:
    """What tests call as an attribute of the candidate's module; not what they may do without or put there, by name."""
    nodes = [*ast.walk(tree)]
    imports = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    bound = {alias.asname or alias.name for alias in imports if alias.name in home.names - home.guessed}
    named = {node.value for node in nodes if isinstance(node, ast.Constant)}
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    functions = [one for one in calls if isinstance(one, ast.Attribute) and written(one.value) in bound]
    return [one.attr for one in functions if one.attr not in named and one.attr[:2] != "__"]


def defined_names(code: str) -> frozenset[str]:
    """The names that a candidate binds at its top level.

    Raises:
        SyntaxError: it does not parse.
    """
    return frozenset[str]().union(*_bound(ast.parse(code).body))


def taken_over(code: str, suite: Suite) -> list[str]:
    """The functions and variables of a candidate's that its functions read as the tests bind them anew: as in a script,
    the later ones count."""
    own = {node.name for node in ast.parse(code).body if isinstance(node, ast.ClassDef)}
    inside = [table for table in _tables(code) if table.get_type() == "function"]
    read = {
        one.get_name() for table in inside for one in table.get_symbols() if one.is_global() and one.is_referenced()
    }
    return sorted((defined_names(code) - own).intersection(read, suite.bound if suite.kind == "checks" else ()))


def _tables(tests: str) -> list[symtable.SymbolTable]:
    tables = [symtable.symtable(tests, "tests.py", "exec")]
    for table in tables:
        tables += table.get_children()
    return tables


def _wanted(tables: Sequence[symtable.SymbolTable], bound: frozenset[str], entry_point: str | None) -> list[str]:
    read: set[str] = set()
    for table in tables:
        at_top = table.get_type() == "module"
        read |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (at_top or s.is_global())}
    return sorted(read.union(names_in(entry_point)) - bound)


def _bound(body: Sequence[ast.stmt]) -> tuple[frozenset[str], frozenset[str]]:
    """Names that statements bind at the top level: by imports, and otherwise."""
    imported: set[str] = set()
    bound: set[str] = set()
    inside: list[ast.AST] = list(body)
    for node in inside:
        if isinstance(node, Import):
            imported |= imported_names(node)
        elif isinstance(node, Definition):
            bound.add(node.name)
            continue
        elif isinstance(node, (ast.Name, ast.ExceptHandler)) and not isinstance(getattr(node, "ctx", None), ast.Load):
            bound.add((node.id if isinstance(node, ast.Name) else node.name) or "")
        if not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            inside.extend(ast.iter_child_nodes(node))
    declared = (name for each in body for node in ast.walk(each) if isinstance(node, ast.Global) for name in node.names)
    return frozenset(imported), frozenset(bound | set(declared)) - {""}


def _is_check(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and node.name == "check"


def with_helpers(tests: str, others: str) -> str:
    """Tests, with what they need of other tests and do not have themselves: imports, helpers, values.

    Args:
        tests: their source.
        others: the source of those that run before them, such as the visible ones before the hidden ones.
    """
    try:
        tree, other = ast.parse(tests), ast.parse(others)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Whoever reads them says what is wrong.
        return tests
    wanted, taken = set(_wanted(_tables(tests), frozenset[str]().union(*_bound(tree.body)), None)), list[ast.stmt]()
    for node in reversed(other.body):
        names = frozenset[str]().union(*_bound([node]))
        if names & wanted and not isinstance(node, ast.Assert):
            taken.insert(0, node)
            wanted = (wanted - names) | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    lines, place = tests.split("\n"), head(tree)
    return "\n".join([*lines[:place], *map(ast.unparse, taken), *lines[place:]])
