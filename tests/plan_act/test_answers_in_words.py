"""The last answer of a run that a check ended: words for the user, also where the model gave a payload out of habit."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support.plan_act import play, twin
from thoughtgraph import ContextGraph, Guards


@pytest.mark.parametrize(
    ("last", "shown"),
    [
        (json.dumps({"status": "done", "response": "Bread is on the list."}), "Bread is on the list."),
        ("Bread is on the list.", "Bread is on the list."),
        ('```json\n{"status": "done", "response": "Bread is on the list."}\n```', "Bread is on the list."),
        ('So:\n{"status": "replanned", "plan": [], "response": "Bread is on the list."}', "Bread is on the list."),
        ('{"response": "Bread is on the list."}', "Bread is on the list."),
        ("[1, 2]", "[1, 2]"),
    ],
    ids=["payload", "words", "in a fence", "behind words", "without a status", "another value"],
)
def test_a_last_answer_in_a_payload_is_unwrapped(last: str, shown: str) -> None:
    replies: list[Any] = [json.dumps({"status": "planned", "plan": ["buy bread"]}), last]
    result = play(twin("sync"), replies, [], guards=Guards(max_tokens=10)).result
    assert result["stop_reason"]["kind"] == "token_budget"
    first = result["response"].splitlines()[0]
    assert first.endswith(shown)


@pytest.mark.parametrize(
    "last",
    [
        '{"status": "done"}',
        '{"status": "continue", "next_action": {"tool": "echo", "input": "x"}, "response": null}',
        '```json\n{"status": "ask_user", "question": "Which bread?"}\n```',
        '{"status": "done", "response":',
    ],
    ids=["no response", "a call", "a question", "broken"],
)
def test_a_last_payload_without_words_for_the_user_is_not_shown(last: str) -> None:
    replies: list[Any] = [json.dumps({"status": "planned", "plan": ["buy bread"]}), last]
    result = play(twin("sync"), replies, [], guards=Guards(max_tokens=10)).result
    assert not set("{}") & set(result["response"])
    assert "best answer" not in result["response"]
    assert "buy bread" in result["response"]


PLAN = json.dumps({"status": "planned", "plan": ["a", "b"]})
ACT = json.dumps({"status": "continue", "next_action": {"tool": "echo", "input": "Phase ONE\n\nPhase TWO"}})
DONE = json.dumps({"status": "done", "response": "A"})


@pytest.mark.parametrize("role", ["user", "system"])
@pytest.mark.parametrize(
    ("replies", "steps"),
    [([PLAN], 0), ([PLAN, DONE], 1), ([PLAN, ACT], 2), ([PLAN, "no", "none", "nothing"], 1)],
    ids=["before a step", "before a replan", "after a result", "after an unreadable reply"],
)
def test_the_last_request_asks_for_words_and_never_for_json(replies: list[str], steps: int, role: Any) -> None:
    limits = {"guards": Guards(max_tokens=10)} if not steps else {"max_steps": steps}
    _, model, _ = play(twin("sync"), [*replies, "Best."], guidance_role=role, lint=lambda _: None, **limits)
    last = model.requests[-1]
    asked = str(last[-1].content)
    assert last[-1].type == "human"
    assert "plain sentences, not in JSON" in asked
    assert not re.findall("Phase [A-Z]+: reply|reply with JSON|as JSON", asked)
    assert last[-2].type == "ai", "advice on the next payload stands between"
    if replies[-1] == ACT:
        assert "echo Phase ONE\n\nPhase TWO" in asked


def test_a_run_is_shown_by_its_id_and_its_size() -> None:
    assert repr(ContextGraph([])) == "ContextGraph(run –, 0 events)"
