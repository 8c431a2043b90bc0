"""The node that asks what to do about the current step, and the one that sends back what has no grounds."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, cast

from ..._internal.steps import Steps
from ...models.retry import recorded_usage
from ...tools.calls.grounding import Sources, held, ungrounded
from ...traces.events import Link
from ...traces.shapes import Action, Decision, PlanItem, StopReason
from .loop import PlanActLoop
from .plans.items import arranged, plain
from .prompts.conversation import ask
from .prompts.report import calls_of_step, step_error
from .prompts.texts import text
from .prompts.turns import finished_note
from .state import (
    PlanActState,
    cause_of,
    current_actions,
    current_steps,
    cut,
    happened,
    remaining,
    run_recording,
)

_SHOWN = 200


def thought(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Ask what to do about the current step: act, finish it, or put a question."""
    guards = loop.guards
    with run_recording(state) as recorder:
        asked = yield from ask("thought", state, loop)
        writes: dict[str, Any] = {**asked.writes, "steps": state["steps"] + 1, "depth": state["depth"] + 1}
        writes |= {"decision": asked.payload, "events": recorder.events}
        writes["usage"] = recorded_usage(state["usage"], recorder.events)
        if asked.payload is None:
            return writes
        writes["happening"] = happened("decided")
        items = current_steps(state)
        number = min(items)
        words = text(loop.language, "turn.between").join(item["step"] for item in items.values())
        said = recorder.events[-1]
        assert said["kind"] == "thought", "a payload was read from the reply before it"
        said["data"].update(
            item=number,
            of=len(state["plan"]),
            step=words,
            steps=writes["steps"],
            max_steps=guards.max_steps,
        )
        if asked.prose:
            said["data"]["prose"] = True
            stop = StopReason(kind="answered", value=writes["steps"], limit=None)
            return {**writes, "decision": None, "stop": stop, "response": asked.payload["response"]}
        said["data"]["decision"] = asked.payload
        if asked.payload["status"] == "done":
            done, notes = _finished(state, asked.payload["response"], loop)
            rest = [index for index in range(len(remaining(state))) if index + number not in done]
            writes |= {"plan": [*done.values(), *arranged(remaining(state), rest)], "phase": "replan"}
            writes |= {"depth": 0, "ungrounded": 0}
            writes["seen_before"] = len(state["observations"])
            writes["happening"] = happened("done", "\n".join(notes))
        elif asked.payload["status"] == "ask_user":
            question = asked.payload["question"]
            earlier = next((c for c in state["clarifications"] if plain(c["question"]) == plain(question)), None)
            if earlier:
                note = text(loop.language, "note.asked_before", question=question, answer=earlier["answer"])
                writes["happening"] = happened("repeated_question", note)
                writes["repeated_questions"] = state["repeated_questions"] + 1
        return writes


def _finished(state: PlanActState, said: str, loop: PlanActLoop) -> tuple[dict[int, PlanItem], list[str]]:
    """The steps that are finished, by number, and what to tell the model of each.

    Of several, those that were called for are; the first alone if none was.
    """
    items = current_steps(state)
    called = {number for number in items if calls_of_step(state, number)} or {min(items)}
    done: dict[int, PlanItem] = {}
    notes: list[str] = []
    for number in sorted(called):
        item, error = items[number], step_error(state, number)
        # What a model says of a step whose every call failed is not what came of it.
        done[number] = {**item, "status": "failed" if error else "done", "response": error or said}
        notes.append(finished_note(loop.language, number, item["step"], error or said, failed=bool(error)))
    return done, notes


def ungrounded_calls(state: PlanActState, loop: PlanActLoop) -> list[tuple[Action, list[str]]]:
    """The calls decided on that state something nobody gave, with what that is: a pure function of the state."""
    found: list[tuple[Action, list[str]]] = []
    for action in current_actions(state):
        if texts := held(loop.executor.tools[action["tool"]], action):
            # As `begin` wrote it, with the day of the week behind it.
            now = datetime.fromisoformat(state["now"][:16])
            if claims := ungrounded(texts, _sources(state), now):
                found.append((action, claims))
    return found


def ground(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Send a call back that states something nobody gave; the second time in a step, ask the user about it."""
    found = ungrounded_calls(state, loop)
    action, claims = found[0]
    named = ", ".join(dict.fromkeys(claim for _, some in found for claim in some))
    note = text(loop.language, "note.ungrounded", tool=action["tool"], claims=named)
    with run_recording(state) as recorder:
        link = Link(source=cause_of(state)[0]["source"], relation="failed", error=note)
        recorder.add("observation", [link], **action, ok=False, result=note, kind_of_failure="ungrounded")
    writes: dict[str, Any] = {"ungrounded": state["ungrounded"] + 1, "events": recorder.events, "decision": None}
    if state["ungrounded"]:
        given = action["input"]
        call = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        about = f"{action['tool']} {cut(call, _SHOWN)}"
        question = text(loop.language, "ask.ungrounded", claims=", ".join(claims), call=about)
        writes["decision"] = {**cast(Decision, state["decision"]), "status": "ask_user", "question": question}
    return {**writes, "happening": happened("ungrounded", note)}


def _sources(state: PlanActState) -> Sources:
    return Sources(
        said=[state["goal"], state["before"]],
        shown=[one["result"] for one in state["observations"] if one["ok"]],
        failed=[one["result"] for one in state["observations"] if not one["ok"]],
        answered=[(one["question"], one["answer"]) for one in state["clarifications"]],
    )
