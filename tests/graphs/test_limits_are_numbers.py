"""Limits are held to be numbers before a model is asked: what is none would never stop a run, or break its trace."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.modes import MODES, TASK, Judge, Mode, wrong
from support.scripted import ScriptedModel
from thoughtgraph import (
    ContextGraph,
    Guards,
    create_plan_act_graph,
    create_reflection_graph,
    json_parser,
    think_with_retry,
)
from thoughtgraph._internal.numbers import number, whole_number
from thoughtgraph.evaluation import evaluate
from thoughtgraph.graphs.middleware import (
    BudgetMiddleware,
    DuplicateCallMiddleware,
    ErrorRateMiddleware,
    GuidanceMiddleware,
    LoopMiddleware,
)
from thoughtgraph.memory import FailureMemory
from thoughtgraph.models import generate_with_retry
from thoughtgraph.tools.sandbox import SandboxLimits
from thoughtgraph.traces import Price, Prices

NONE = [True, False, "5", "", [], math.nan, math.inf, -math.inf, 1j]
MODEL = ScriptedModel(replies=[])


def reflection(**limits: Any) -> None:
    create_reflection_graph(actor=MODEL, **limits)


TAKEN: dict[str, Callable[[Any], object]] = {
    **{
        f"reflection-{name}": lambda value, name=name: reflection(**{name: value})
        for name in ("max_attempts", "max_tokens", "max_seconds", "patience", "form_repairs", "min_score")
    },
    **{
        f"guards-{name}": lambda value, name=name: Guards(**{name: value})
        for name in (
            "max_tokens", "max_seconds", "max_questions", "duplicate_threshold", "loop_window", "error_threshold",
            "error_min_calls", "max_unreadable", "warn_at",
        )
    },
    "plan-act-max_steps": lambda value: create_plan_act_graph(MODEL, [], interactive=False, max_steps=value),
    "evaluate-max_tokens": lambda value: evaluate(["t"], MODEL, scorer=Judge(), max_tokens=value),
    "evaluate-max_cost": lambda value: evaluate(["t"], MODEL, scorer=Judge(), max_cost=value, prices=Prices()),
    "evaluate-max_attempts": lambda value: evaluate(["t"], MODEL, scorer=Judge(), max_attempts=value),
    "evaluate-concurrency": lambda value: evaluate(["t"], MODEL, scorer=Judge(), concurrency=value),
    "retry-max_retries": lambda value: think_with_retry(MODEL, "t", json_parser, max_retries=value),
    "generate-max_attempts": lambda value: generate_with_retry(MODEL, "t", "python", max_attempts=value),
    "middleware-max_tokens": lambda value: BudgetMiddleware(max_tokens=value),
    "middleware-run_limit": lambda value: BudgetMiddleware(run_limit=value),
    "memory-k": lambda value: FailureMemory(None, k=value),  # type: ignore[arg-type]
    "sandbox-seconds": lambda value: SandboxLimits(seconds=value),
    "price": lambda value: Price(value, 1),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wrong_one"),
    [
        # A whole number, an amount and a share; every other limit is held to one of these checks.
        *product(("reflection-max_attempts", "reflection-max_seconds", "guards-warn_at"), NONE),
        *product(TAKEN, (True, math.nan)),
    ],
    ids=repr,
)
def test_what_is_no_number_is_refused_before_a_model_is_asked(name: str, wrong_one: Any) -> None:
    with pytest.raises(ValueError, match=r"has to be a (?:finite )?number"):
        TAKEN[name](wrong_one)
    assert MODEL.requests == []


@pytest.mark.parametrize(
    "name",
    [
        "reflection-max_attempts", "reflection-patience", "guards-duplicate_threshold", "guards-loop_window",
        "guards-error_threshold", "guards-error_min_calls", "guards-max_unreadable", "guards-warn_at",
        "plan-act-max_steps", "evaluate-max_attempts", "evaluate-concurrency", "retry-max_retries",
        "middleware-run_limit",
    ],
)  # fmt: skip
def test_a_limit_that_has_to_be_there_is_not_none(name: str) -> None:
    with pytest.raises(ValueError, match=r"has to be a number, got None|needs a limit"):
        TAKEN[name](None)


def test_a_limit_that_need_not_be_there_may_be_none_and_seconds_be_part_of_one() -> None:
    reflection(max_tokens=None, max_seconds=None)
    Guards(max_tokens=None, max_seconds=None, max_questions=None)
    reflection(max_seconds=0.5)
    assert Guards(max_seconds=0.5).max_seconds == 0.5
    for none in (0, -0.5):
        with pytest.raises(ValueError, match="max_seconds must be more than 0"):
            reflection(max_seconds=none)
        with pytest.raises(ValueError, match="max_seconds must be more than 0"):
            Guards(max_seconds=none)


@pytest.mark.parametrize("limit", [2, 2.0, Decimal(2), Fraction(2)], ids=repr)
@pytest.mark.parametrize("mode", [mode for mode in MODES if not mode.samples], ids=lambda mode: mode.name)
def test_a_number_of_another_type_is_that_number_and_leaves_a_trace_that_can_be_read(mode: Mode, limit: Any) -> None:
    graph = mode.script([wrong(0.0, "one"), wrong(0.0, "two")]).graph(max_attempts=limit)
    run = graph.invoke(dict(TASK))
    assert (run["stop_reason"]["value"], run["stop_reason"]["limit"]) == (2, 2)
    assert type(run["stop_reason"]["limit"]) is int
    json.dumps(run["events"])
    assert ContextGraph.from_run(run).events


@given(st.one_of(st.integers(), st.floats(), st.decimals(), st.fractions(), st.booleans(), st.text(), st.none()))
def test_any_value_is_a_whole_number_or_an_error(value: Any) -> None:
    try:
        found = whole_number("limit", value)
    except ValueError as refused:
        assert str(refused).startswith("limit ")
        return
    assert type(found) is int
    assert found >= 1
    assert found == value


@given(st.one_of(st.integers(-(10**300), 10**300), st.floats(), st.decimals(), st.fractions(max_denominator=9)))
def test_any_value_is_an_amount_above_zero_or_an_error(value: Any) -> None:
    try:
        found = number("amount", value, above=0)
    except ValueError as refused:
        assert str(refused).startswith("amount ")
        return
    assert type(found) in (int, float)
    assert 0 < found < math.inf


def test_a_share_of_one_attempt_is_no_limit() -> None:
    with pytest.raises(ValueError, match=r"max_attempts has to be a whole number, got 2\.5"):
        reflection(max_attempts=2.5)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: DuplicateCallMiddleware(threshold=0), "threshold must be at least 1, got 0"),
        (lambda: LoopMiddleware(window=3), "window must be at least 4, got 3"),
        (lambda: ErrorRateMiddleware(threshold=1.1), "threshold is a share between 0 and 1, got 1.1"),
        (lambda: ErrorRateMiddleware(min_calls=0), "min_calls must be at least 1, got 0"),
        (lambda: GuidanceMiddleware(cast(Any, 5)), "handlers has to be a list of task handlers, got 5"),
        (lambda: Guards(duplicate_threshold=0), "duplicate_threshold must be at least 1, got 0"),
        (lambda: Guards(loop_window=3), "loop_window must be at least 4, got 3"),
        (
            lambda: create_plan_act_graph(MODEL, [], interactive=False, task_handlers=cast(Any, 5)),
            "task_handlers has to be a list of task handlers, got 5",
        ),
    ],
)
def test_a_limit_that_is_refused_has_the_name_by_which_it_was_given(build: Any, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        build()
    assert str(caught.value) == said


def test_the_least_limits_are_taken() -> None:
    DuplicateCallMiddleware(threshold=1)
    LoopMiddleware(window=4)
    ErrorRateMiddleware(threshold=1, min_calls=1)
    ErrorRateMiddleware(threshold=0)
