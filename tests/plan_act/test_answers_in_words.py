"""The last answer of a run that a check ended: words for the user, also where the model gave a payload out of habit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.plan_act import play, twin
from thoughtgraph import ContextGraph, Guards


@pytest.mark.parametrize(
    ("last", "shown"),
    [
        (json.dumps({"status": "done", "response": "Bread is on the list."}), "Bread is on the list."),
        ("Bread is on the list.", "Bread is on the list."),
        ('{"status": "done"}', '{"status": "done"}'),
        ("[1, 2]", "[1, 2]"),
    ],
    ids=["payload", "words", "no response in it", "another value"],
)
def test_a_last_answer_in_a_payload_is_unwrapped(last: str, shown: str) -> None:
    replies: list[Any] = [json.dumps({"status": "planned", "plan": ["buy bread"]}), last]
    result = play(twin("sync"), replies, [], guards=Guards(max_tokens=10)).result
    assert result["stop_reason"]["kind"] == "token_budget"
    first = result["response"].splitlines()[0]
    assert first.endswith(shown)


def test_a_run_is_shown_by_its_id_and_its_size() -> None:
    assert repr(ContextGraph([])) == "ContextGraph(run –, 0 events)"
