"""Right programs made wrong in one place: by operators, and by the mistakes of models.

Whether a mutant is wrong is for the judge of truth to say; many are not.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator

from .mistakes import MISTAKES, Mistake
from .operators import mutated


def mutants(code: str, count: int, rng: random.Random) -> list[tuple[str, str]]:
    """At most so many mutants of a program, by chance, as name and code; half of them mistakes of models."""
    tree = ast.parse(code)
    plain = ast.unparse(tree)
    operators = list(mutated(tree))
    rng.shuffle(operators)
    wanted = [(f"line {line}", ast.unparse(made)) for line, made in operators[: count - count // 2]]
    places = list(_places(tree))
    rng.shuffle(places)
    for number, name, mistake in places:
        if len(wanted) >= count:
            break
        changed = _changed(tree, number, mistake)
        if changed and changed != plain:
            wanted.append((name, changed))
    return list({text + "\n": (name, text + "\n") for name, text in wanted}.values())


def _places(tree: ast.Module) -> Iterator[tuple[int, str, Mistake]]:
    """Where a mistake can be made; a kind of mistake with many places is no likelier than one with few."""
    by_kind: dict[str, list[tuple[int, str, Mistake]]] = {}
    for number, node in enumerate(ast.walk(tree)):
        for kind, mistake in MISTAKES:
            if isinstance(node, kind) and mistake(copy.deepcopy(node)) is not None:
                by_kind.setdefault(mistake.__name__, []).append((number, mistake.__name__, mistake))
    for places in by_kind.values():
        yield from places[:: max(1, len(places) // 3)]


def _changed(tree: ast.Module, number: int, mistake: Mistake) -> str | None:
    copied = copy.deepcopy(tree)
    target = list(ast.walk(copied))[number]
    made = mistake(target)
    for parent in ast.walk(copied):
        for field, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, field, made)
            elif isinstance(value, list) and any(item is target for item in value):
                place = next(index for index, item in enumerate(value) if item is target)
                value[place : place + 1] = [made]
    try:
        return ast.unparse(ast.fix_missing_locations(copied))
    except (ValueError, AttributeError, TypeError):
        return None
