"""A program with tests, which the oracle asks for a verdict on."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Runner = Literal["script", "pytest", "unittest"]
Kind = Literal["right", "wrong", "dishonest"]


@dataclass(frozen=True)
class Pair:
    """A program with tests.

    Attributes:
        kind: what it is meant to be; whether it is so, the judge of truth says.
        name: the program's, with what was made of it.
        shape: of the tests.
        code: the program.
        tests: the tests.
        runner: who runs the tests where they are run by hand.
        entry_point: the function for a `check(candidate)`; "" elsewhere.
        bare: the code without its demos, where it has some; it has to fail, too, if the pair is a wrong one.
    """

    kind: Kind
    name: str
    shape: str
    code: str
    tests: str
    runner: Runner
    entry_point: str = ""
    bare: str = ""

    @cached_property
    def id(self) -> str:
        """Ten digits that stand for the sources."""
        return digest(self.code, self.tests, self.entry_point)[:10]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} ({self.name}; {self.shape})"


def digest(*texts: str) -> str:
    """A checksum of texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def imports_solution(tests: str) -> bool:
    """Whether tests take the program from the module `solution`."""
    for node in ast.walk(ast.parse(tests)):
        if isinstance(node, ast.ImportFrom) and node.module == "solution":
            return True
        if isinstance(node, ast.Import) and any(alias.name == "solution" for alias in node.names):
            return True
    return False
