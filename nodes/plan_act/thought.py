"""The node that asks what to do about the current step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._internal.steps import Steps
from ...models.messages import recorded_usage
from ...traces.shapes import Decision, PlanItem, StopKind, StopReason
from ..trace import run_recording
from .asking.conversation import step_words
from .asking.round import ask
from .checks.calls.wanted import note_of_missed_order, note_of_missed_wish, vain_call
from .checks.effect import claim_sent_back, claim_without_call, ignored_sent_back, ignores_news, missing_call, sent_back
from .checks.entries.told import note_of_other_entry
from .checks.planned.missed_days import note_of_missed_days
from .checks.planned.uncalled import is_undone, left_uncalled, only_read
from .checks.planned.untried import note_of_untried
from .checks.questions import (
    MOST_SENT_BACK,
    asked_before,
    asks_for_form,
    asks_for_words,
    asks_nothing,
    is_copied,
    is_users_question,
)
from .checks.require import gap_in
from .loop import PlanActLoop
from .plans.items import arranged, failed_items, normalized
from .plans.progress import calls_of_step, current_steps, finished_here, remaining, steps_ended
from .prompts.report import step_error
from .prompts.turns import finished_note
from .state import PlanActState, clarified, happened


def thought(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Ask what to do about the current step: act, finish it, or put a question."""
    if not remaining(state):
        # The user has removed the open steps from the plan: `guidance` asks for a new one.
        return {"decision": None, "happening": happened("done")}
    with run_recording(state) as recorder:
        asked = yield from ask("thought", state, loop)
        writes: dict[str, Any] = {**asked.writes, "steps": state["steps"] + 1, "depth": state["depth"] + 1}
        writes |= {"decision": asked.payload, "events": recorder.events}
        writes["usage"] = recorded_usage(state["usage"], recorder.events)
        if asked.payload is None:
            return writes
        writes["happening"] = happened("decided")
        thought_event = recorder.events[-1]
        assert thought_event["kind"] == "thought", "a payload was read from the reply before it"
        thought_event["data"].update(
            item=min(current_steps(state)),
            of=len(state["plan"]),
            step=step_words(state, loop),
            steps=writes["steps"],
            max_steps=loop.guards.max_steps,
        )
        if asked.prose:
            thought_event["data"]["prose"] = True
            stop = StopReason(kind="answered", value=writes["steps"], limit=None)
            return {**writes, "decision": None, "stop": stop, "response": asked.payload["response"]}
        thought_event["data"]["decision"] = asked.payload
        writes["gap"] = yield from gap_in(asked.payload, state, loop)
        if asked.payload["status"] == "done":
            # Including the replies that were refused in this round.
            so_far: PlanActState = {**state, "events": [*state["events"], *recorder.events]}
            writes |= _done_update(asked.payload["response"], writes["steps"], so_far, loop)
        elif asked.payload["status"] == "ask_user":
            writes |= _question_update(asked.payload, writes["steps"], state, loop)
        return writes


def _question_update(decision: Decision, steps: int, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """The update for a question to the user; empty for one that is put as it is."""
    question = decision["question"] or ""
    earlier = next((one for one in clarified(state) if normalized(one["question"]) == normalized(question)), None)
    if earlier:
        return asked_before(question, earlier["answer"], state, loop)
    if is_users_question(question, state["goal"]):
        return _users_question_update(decision, steps, state, loop)
    if asks_for_form(question) and not state["unfounded"]:
        return sent_back(loop, "note.own_form", goal=state["goal"])
    if asks_for_words(question, state["goal"]) and not state["unfounded"]:
        return sent_back(loop, "note.own_words", goal=state["goal"])
    says_nothing = is_copied(question, state, loop) or (state["observations"] and asks_nothing(question))
    return sent_back(loop, "note.asks_nothing") if says_nothing and not state["unfounded"] else {}


def _users_question_update(decision: Decision, steps: int, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """The update where the model asks the user what the user has asked: it is told to answer the question itself. If it
    asks again, the last result is taken as the answer."""
    read = [seen["result"] for seen in calls_of_step(state) if seen["ok"]]
    if read and state["unfounded"]:
        answered = {**decision, "status": "done", "question": None, "response": read[-1]}
        return {"decision": answered, **_done_update(read[-1], steps, state, loop)}
    if state["unfounded"] < MOST_SENT_BACK:
        return sent_back(loop, "note.own_question", context=state["context"] or "-")
    return {}


def _done_update(said: str, steps: int, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """The update for the current steps, which the model calls done. Once, the reply goes back if no call supports it;
    after that, steps without support are left as failed."""
    # By step: what `said` claims and no call did; the step's words if it needed a call and had none; and what its last
    # call came to if none did anything. Of several steps, those without a call stay open.
    items = current_steps(state)
    called = [number for number in items if calls_of_step(state, number)] or [min(items)]
    claims = {number: claim_without_call(said, state, loop, number) for number in called}
    left = {step: missing_call(said, state, loop, step) for step in claims}
    vain = {step: vain_call(said, state, loop, step) for step in claims}
    uncalled = left_uncalled(said, claims, state, loop)
    if not state["unfounded"]:
        if claim := _first(claims):
            return claim_sent_back(claim, state, loop)
        if uncalled:
            return {"happening": happened("unfounded", uncalled)}
        if claim := _first(left):
            return sent_back(loop, "note.uncalled", claim=claim)
        if result := _first(vain):
            return sent_back(loop, "note.in_vain", result=result)
        if ignores_news(state, loop):
            return ignored_sent_back(state, loop)
        missed = note_of_missed_wish(state, loop, said)
        if len(remaining(state)) == 1:
            missed = missed or note_of_missed_days(state, loop, said) or note_of_other_entry(said, state, loop)
        if missed and missed["key"] == "note.read_first":
            return {"happening": happened("unread", loop.text(missed.pop("key"), **missed))}
        if missed:
            return sent_back(loop, **missed)
    if state["unfounded"] < MOST_SENT_BACK:
        undone = note_of_missed_order(state, loop, said)
        if len(remaining(state)) == 1:
            undone = undone or only_read(said, state, loop) or note_of_untried(said, state, loop)
        told = [event["data"].get("feedback") for event in state["events"] if event["kind"] == "verdict"]
        # Once more if more is known by now.
        is_news = not state["unfounded"] or _was_called_since(state)
        if undone and is_news and (note := sent_back(loop, **undone))["happening"]["note"] not in told:
            return note
    done: dict[int, PlanItem] = {}
    notes: list[str] = []
    for number, claim in claims.items():
        item, error = items[number], step_error(state, number) or vain[number]
        if claim and not error:
            error = loop.text("claimed.step", claim=claim)
        elif (left[number] or uncalled) and not error:
            error = loop.text("uncalled.step", claim=said)
        # If every call of a step failed, or no call carried it out, the model's words are not its result.
        done[number] = {**item, "status": "failed" if error else "done", "response": error or said}
        notes.append(finished_note(loop.language, number, item["step"], error or said, failed=bool(error)))
    rest = [index for index in range(len(remaining(state))) if index + min(items) not in done]
    writes = steps_ended(state, [*done.values(), *arranged(remaining(state), rest)], "\n".join(notes))
    if state["direct"] and not rest and not failed_items([*finished_here(state), *done.values()]):
        kind: StopKind = "answered" if is_undone(state, loop) else "goal_met"
        writes |= {"stop": StopReason(kind=kind, value=steps, limit=None), "response": said}
    return writes


def _was_called_since(state: PlanActState) -> bool:
    """Whether a call was made, or held back, since a reply went back."""
    kinds = (event["kind"] for event in reversed(state["events"]))
    return next((kind for kind in kinds if kind in ("verdict", "observation")), "") == "observation"


def _first(by_step: Mapping[int, str]) -> str:
    """What is found first, step by step; "" for nothing."""
    return next(filter(None, by_step.values()), "")
