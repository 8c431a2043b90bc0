"""The nodes `plan` and `replan`, which ask for a plan, and `validate_plan`, which checks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..._internal.steps import Steps
from ...models.messages import recorded_usage
from ...tools.metadata import finishes_step
from ...traces.shapes import Action, Decision, PlanItem, StopReason
from ..trace import run_recording
from .asking.round import ask
from .checks.calls.wanted import passed_over, to_other_tools
from .checks.draft import Draft, forgotten, unasked, without_repeated, without_steps
from .checks.effect import (
    calls_with_effect,
    claim_sent_back,
    claim_without_call,
    failed_check,
    ignored_sent_back,
    ignores_entries,
    sent_back,
)
from .checks.planned.uncalled import is_undone
from .checks.require import gap_in
from .loop import PlanActLoop
from .plans.at_once import independent
from .plans.check import in_order, plan_issues
from .plans.items import arranged, failed_items, first_step, normalized, open_item
from .plans.phases import Phase
from .plans.progress import calls_of_run, finished_here, remaining
from .prompts.report import last_error
from .prompts.turns import revision_turn
from .state import Gap, PlanActState, happened, step_counters


def plan(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Ask for the plan, or in the phase "replan" for the steps that remain.

    An answer in place of a plan is sent back if nothing supports it, and so is a first plan of which no step was asked
    for. Any other plan is corrected: steps that nobody asked for, that are finished or that are repeated are
    removed, and wishes that it leaves out are added.
    """
    phase: Literal["plan", "replan"] = "replan" if state["phase"] == "replan" else "plan"
    with run_recording(state) as recorder:
        asked = yield from ask(phase, state, loop)
        steps = state["steps"] + (1 if phase == "replan" else 0)
        writes: dict[str, Any] = {**asked.writes, "steps": steps, "events": recorder.events}
        writes["usage"] = recorded_usage(state["usage"], recorder.events)
        if (payload := asked.payload) is None:
            return writes
        if asked.prose:
            thought = recorder.events[-1]
            assert thought["kind"] == "thought", "the words are a reply"
            thought["data"]["prose"] = True
        if asked.instead_of:
            failed_check(recorder, state, asked.instead_of, kind="unfounded")
        claim = "" if payload["plan"] else claim_without_call(payload["response"] or "", state, loop)
        if back := _answer_sent_back(payload, claim, phase, state, loop):
            return writes | back
        draft, gap = yield from _with_gap(without_repeated(payload, state, loop), phase, state, loop)
        is_unwanted = bool(gap and gap["unwanted"])
        unsupported = unasked(draft, is_unwanted, state, loop)
        note = loop.text("note.invented", claim="; ".join(unsupported), goal=state["goal"])
        may_go_back = phase == "plan" and not state["unfounded"]
        if may_go_back and unsupported and all(item["step"] in unsupported for item in draft.items):
            return {**writes, "happening": happened("unfounded", _with_context(note, is_unwanted, state, loop))}
        if payload["plan"] and not draft.items:
            # The plan named only finished steps. They do not come back, and the open ones stay.
            draft = Draft(remaining(state), None)
        if unsupported:
            failed_check(recorder, state, note, kind="unfounded")
            draft = without_steps(draft, unsupported, state)
        if parts := forgotten(draft, phase, state, loop):
            failed_check(recorder, state, loop.text("note.left_out", parts="; ".join(parts)))
            draft = draft._replace(items=[*draft.items, *map(open_item, parts)])
        items = draft.items
        brought: Any = {"next_action": draft.call} if items and draft.call else {}
        used = {"steps": steps, "max_steps": loop.guards.max_steps}
        recorder.add("plan", recorder.after_last(), phase=phase, items=items, **used, **brought)
        writes |= {"happening": happened("planned"), "plan": items, "direct": False, "decision": None, "gap": None}
        if not items:
            named_finished = bool(payload["plan"]) and not unsupported
            empty = _is_empty(payload, phase, state, loop)
            writes["stop"] = _end(claim, phase, state, loop, steps, named_finished=named_finished, empty=empty)
            writes["response"] = payload["response"] or ""
        elif draft.call:
            writes |= {"decision": _decided(draft.call), "direct": _is_last(items, state, loop), "gap": gap}
        if items and first_step(items) != first_step(remaining(state)):
            # The same step again is one about which the user was asked; the calls made for it still count.
            writes["seen_before"] = len(state["observations"])
        return writes


def _with_gap(draft: Draft, phase: Phase, state: PlanActState, loop: PlanActLoop) -> Steps[tuple[Draft, Gap | None]]:
    """The plan, and what the call that it brought along lacks."""
    first = draft.items[0]["step"] if draft.items else ""
    if not (first and draft.call):
        return draft, None
    gap = yield from gap_in(_decided(draft.call), state, loop, first)
    if gap and gap["unwanted"] and (phase == "replan" or len(draft.items) > 1):
        # The step may be right though its call is not: a thought asks for another call.
        return draft._replace(call=None), None
    return draft, gap


def _decided(call: Action) -> Decision:
    """The decision to make the call that a plan brought along."""
    return Decision(status="continue", thought=None, next_action=call, question=None, response=None)


def _with_context(note: str, is_unwanted: bool, state: PlanActState, loop: PlanActLoop) -> str:
    """What the model is told of a plan of which no step was asked for, with what it may plan instead."""
    if is_unwanted:
        return to_other_tools(note, state, loop)
    return loop.text("note.invented_of", note=note, context=state["context"]) if state["context"] else note


def _is_last(items: Sequence[PlanItem], state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether the run can end with the one step of this plan, without a replan: the plan leaves no open step out, and
    every finished step has the result of a call, which the run's answer can show."""
    results = {seen["result"] for seen in calls_with_effect(state, loop) if finishes_step(loop.tools[seen["tool"]])}
    dropped = {normalized(item["step"]) for item in remaining(state)} - {normalized(item["step"]) for item in items}
    return len(items) == 1 and not dropped and all(item["response"] in results for item in finished_here(state))


def _answer_sent_back(
    payload: Mapping[str, Any], claim: str, phase: Phase, state: PlanActState, loop: PlanActLoop
) -> dict[str, Any] | None:
    """The update that sends an answer back, once in a step: if it claims what no call did, drops every step, or
    ignores what the tools know or are for; else None."""
    if state["unfounded"]:
        return None
    if claim:
        return claim_sent_back(claim, state, loop)
    if _is_empty(payload, phase, state, loop):
        return sent_back(loop, "note.nothing_done")
    if phase == "plan" and not payload["plan"]:
        if ignores_entries(state):
            return ignored_sent_back(state, loop)
        if over := passed_over(payload["response"] or "", state, loop):
            return sent_back(loop, **over)
    return None


def _is_empty(payload: Mapping[str, Any], phase: Phase, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a new plan drops all steps and has no answer either, though nothing has been tried."""
    tried = finished_here(state) or any(seen["tool"] in loop.tools for seen in calls_of_run(state))
    return phase == "replan" and not (payload["plan"] or payload["response"] or tried)


def _end(
    claim: str, phase: Phase, state: PlanActState, loop: PlanActLoop, steps: int, *, named_finished: bool, empty: bool
) -> StopReason:
    """The stop reason of a run whose new plan has no open step: the goal is met, as the model says, unless the calls or
    the steps have failed."""
    if empty:
        return StopReason(kind="steps_failed", value=loop.text("end.emptied"), limit=None)
    if claim:
        return StopReason(kind="steps_failed", value=loop.text("claimed.run", claim=claim), limit=None)
    if phase == "plan":
        return StopReason(kind="answered", value=steps, limit=None)
    calls, failed = calls_of_run(state), failed_items(finished_here(state))
    if calls and not any(seen["ok"] for seen in calls):
        return StopReason(kind="steps_failed", value=last_error(calls), limit=None)
    if failed and not any(item["status"] == "done" for item in finished_here(state)):
        return StopReason(kind="steps_failed", value=failed[-1]["response"], limit=None)
    if failed:
        return StopReason(kind="partly_done", value=len(failed), limit=None)
    if is_undone(state, loop):
        return StopReason(kind="answered", value=steps, limit=None)
    return StopReason(kind="repeated_plan" if named_finished else "goal_met", value=steps, limit=None)


def validate_plan(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Check that the plan can be carried out. Its issues go back to the model once; then they are repaired here."""
    items = remaining(state)
    issues = plan_issues(items, loop.tools, language=loop.language)
    with run_recording(state) as recorder:
        if issues and not state["revised"]:
            failed_check(recorder, state, "; ".join(issues))
            turns = [revision_turn(loop.language, issues, state["phase"])]
            return {"revised": True, "turns": turns, "events": recorder.events}
    tools = loop.tools
    known: list[PlanItem] = [{**item, "tool": item["tool"] if item["tool"] in tools else None} for item in items]
    ordered = arranged(known, in_order(known))
    together = independent(ordered, loop.parallel)
    rest = [index for index in range(len(ordered)) if index not in together]
    # A call that came with the plan belongs to the plan's first step. It is kept if that step is still the first, and
    # is made alone.
    recorded_plans = [event["data"]["items"] for event in state["events"] if event["kind"] == "plan"]
    stays = (
        len(together) == 1
        and bool(recorded_plans and recorded_plans[-1])
        and recorded_plans[-1][0]["step"] == ordered[0]["step"]
    )
    return {
        **({} if stays else {"decision": None, "gap": None}),
        "plan": arranged(ordered, [*together, *rest]),
        "steps_at_once": max(1, len(together)),
        "revised": False,
        "phase": "thought",
        **step_counters(),
        "happening": happened("planned"),
    }
