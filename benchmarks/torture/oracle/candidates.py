"""Pairs drawn from the bank: right programs in many styles under many shapes of tests, and wrong ones."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from functools import cache, partial

from .bank import FUNCTIONS, Program, programs
from .dishonest import dishonest
from .mutants import mutants
from .pair import Kind, Pair
from .shapes import SCRIPTS, Shape, Tests, asserts, bare, human_eval, mbpp
from .styles import WITH_DEMO, WITHOUT_DEMO, Style
from .suites import PYTESTS, UNITTESTS

_HUMAN_EVAL_PROBLEMS = 170
_MUTANTS = 3


def candidates(kind: Kind, seed: int) -> Iterator[Pair]:
    """The pairs of a kind, in an order by chance; the same seed draws the same. What they are, the judge decides."""
    rng = random.Random(f"{kind}:{seed}")
    if kind == "dishonest":
        yield from rng.sample(list(dishonest()), len(dishonest()))
        return
    make = _right if kind == "right" else _wrong
    drawn = [partial(make, program, seed) for program in programs()]
    rng.shuffle(drawn)
    # A pair of every program first, then the second of each: a small share has seen as many programs as it can.
    waiting = [_shuffled(draw, rng) for draw in drawn]
    while waiting:
        going: list[Iterator[Pair]] = []
        for pairs in waiting:
            pair = next(pairs, None)
            if pair is not None:
                yield pair
                going.append(pairs)
        waiting = going


def _shuffled(draw: Callable[[], Iterator[Pair]], rng: random.Random) -> Iterator[Pair]:
    """A program's pairs in an order by chance, made when the first is asked for."""
    made = list(draw())
    rng.shuffle(made)
    yield from made


def _right(program: Program, seed: int) -> Iterator[Pair]:
    rng = random.Random(f"right:{seed}:{program.topic}:{program.name}")
    for runner, tests in program.tests:
        for style in (WITHOUT_DEMO[0], rng.choice(WITHOUT_DEMO[3:6])):
            code = style(program.code, program, rng)
            if code is not None:
                yield _as_written("right", program, code, runner, tests)
    if not program.cases:
        return
    problem = _problem_shape(program)
    shapes: list[Shape] = [problem] if problem else [asserts]
    shapes += [rng.choice(SCRIPTS), rng.choice(SCRIPTS), rng.choice((*UNITTESTS, *PYTESTS))]
    for number, shape in enumerate(shapes):
        fitting, tests = _shaped(program, shape, rng)
        style, code = _styled(program, program.code, rng, WITHOUT_DEMO if number % 2 else (*WITHOUT_DEMO, *WITH_DEMO))
        yield _pair("right", program, style.__name__, fitting, code, tests)


def _wrong(program: Program, seed: int) -> Iterator[Pair]:
    rng = random.Random(f"wrong:{seed}:{program.topic}:{program.name}")
    made = [(f"by hand {number}", code) for number, code in enumerate(program.wrong, 1)]
    again = list(made) if program.cases else []
    made += mutants(program.code, _MUTANTS, rng)
    for name, code in [*made, *again]:
        if not program.cases:
            for runner, tests in program.tests:
                yield _as_written("wrong", program, code, runner, tests, name)
            continue
        shape = rng.choice((asserts, *SCRIPTS, *SCRIPTS, *UNITTESTS, *PYTESTS[:3]))
        fitting, tests = _shaped(program, shape, rng)
        styles = WITHOUT_DEMO if rng.random() < 0.7 else WITH_DEMO
        try:
            style, styled = _styled(program, code, rng, styles)
        except SyntaxError:
            style, styled = WITHOUT_DEMO[0], code
        demo = style in WITH_DEMO
        yield _pair("wrong", program, f"{name}, {style.__name__}", fitting, styled, tests, code if demo else "")


def _problem_shape(program: Program) -> Shape | None:
    """The form of HumanEval for most programs that are a function, that of MBPP for the others."""
    if not program.is_function or program.topic not in FUNCTIONS:
        return None
    return human_eval if program.name in _human_eval_names() else mbpp


@cache
def _human_eval_names() -> frozenset[str]:
    functions = [program.name for program in programs() if program.is_function and program.topic in FUNCTIONS]
    # Spread over the topics, for both forms want some of each.
    return frozenset(functions) - frozenset(functions[::3][: max(0, len(functions) - _HUMAN_EVAL_PROBLEMS)])


def _shaped(program: Program, shape: Shape, rng: random.Random) -> tuple[Shape, Tests]:
    """Tests in a shape, or bare asserts where the cases do not fit into it."""
    tests = shape(program, rng)
    return (shape, tests) if tests else (bare, bare(program, rng))


def _styled(program: Program, code: str, rng: random.Random, styles: tuple[Style, ...]) -> tuple[Style, str]:
    style = rng.choice(styles)
    styled = style(code, program, rng)
    return (style, styled) if styled is not None else (WITHOUT_DEMO[0], code)


def _pair(
    kind: Kind, program: Program, made: str, shape: Shape, code: str, tests: Tests, without_demo: str = ""
) -> Pair:
    name = f"{program.topic}/{program.name}, {made}"
    return Pair(kind, name, shape.__name__, code, tests.source, tests.runner, tests.entry_point, without_demo)


def _tested(program: Program) -> str:
    """The function that `check(candidate)` is called with; of a program without cases the last one."""
    functions = [node.name for node in ast.parse(program.code).body if isinstance(node, ast.FunctionDef)]
    return program.entry_point or functions[-1]


def _as_written(kind: Kind, program: Program, code: str, runner: str, tests: str, made: str = "as written") -> Pair:
    by: dict[str, str] = {"humaneval": "script"}
    return Pair(
        kind,
        f"{program.topic}/{program.name}, {made}",
        runner,
        code,
        tests,
        by.get(runner, runner),  # pyright: ignore[reportArgumentType]
        _tested(program) if runner == "humaneval" else "",
    )
