"""Hundreds of hostile payloads: parsers answer every one of them, and a run that holds them opens or is refused."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from support.hostile_payloads import document, parsing_problem, payloads, places, reading_problem
from support.page_runs import planned_run, reflected, solved

pytestmark = pytest.mark.slow


def test_every_payload_is_accepted_or_answered() -> None:
    given = list(payloads())
    assert len(given) >= 200
    assert [problem for name, reply in given if (problem := parsing_problem(name, reply))] == []


@pytest.mark.parametrize("make", [solved, planned_run, reflected])
def test_a_run_with_any_field_replaced_opens_or_is_refused(make: Any) -> None:
    events = make()
    chosen = Random(3).sample(places(events), 200)
    assert [(place, problem) for place in chosen if (problem := reading_problem(document(events, place)))] == []


def test_keys_that_come_twice_count_once_and_change_nothing_else() -> None:
    text = json.dumps({"version": 1, "run_id": "run", "events": reflected()})
    assert reading_problem(text.replace('"kind":', '"__proto__": {"kind": 1}, "kind": "x", "kind":')) == ""
