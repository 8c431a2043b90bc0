"""The planner: the nodes `plan` and `replan`, and the check of what they bring."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from ..._internal.steps import Steps
from ...models.retry import recorded_usage
from ...tools.calls.effects import may_change
from ...traces.events import Link
from ...traces.shapes import Action, Decision, PlanItem, StopReason
from .checks.answer import worked
from .checks.effect import changed, claimed, is_unused, keeps, orders, sent_back
from .checks.ground import now_of
from .checks.require import gap_in
from .loop import PlanActLoop
from .plans.at_once import independent
from .plans.check import in_order, plan_issues
from .plans.covered import is_invented, is_there, left_out, only_asks, told_twice
from .plans.items import arranged, first_step, open_item, without_finished
from .plans.payloads import LONGEST_STEP
from .plans.taken_back import taken_back
from .prompts.conversation import ask
from .prompts.report import end_of_plan
from .prompts.texts import text
from .prompts.turns import revision_turn
from .state import PlanActState, finished, happened, remaining, run_recording


def plan(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Ask for the plan, or in phase replan for what remains of it; finished steps never come back."""
    phase: Literal["plan", "replan"] = "replan" if state["phase"] == "replan" else "plan"
    counted = 1 if phase == "replan" else 0
    with run_recording(state) as recorder:
        asked = yield from ask(phase, state, loop)
        writes: dict[str, Any] = {**asked.writes, "steps": state["steps"] + counted, "events": recorder.events}
        writes["usage"] = recorded_usage(state["usage"], recorder.events)
        payload = asked.payload
        if payload is None:
            return writes
        if asked.prose:
            said = recorder.events[-1]
            assert said["kind"] == "thought", "the words are a reply"
            said["data"]["prose"] = True
        if asked.instead_of:
            last = Link(source=recorder.events[-1]["id"], relation="failed", error=asked.instead_of)
            recorder.add("verdict", [last], status="failed", feedback=asked.instead_of, kind="unfounded")
        said_done = "" if payload["plan"] else claimed(payload["response"] or "", state, loop)
        if not state["unfounded"]:
            if said_done:
                return writes | sent_back(said_done, loop)
            if phase == "plan" and not payload["plan"] and is_unused(state):
                note = text(loop.language, "note.unused", context=state["context"])
                return writes | {"happening": happened("unfounded", note)}
        items, call = without_finished(payload["plan"], finished(state)), payload.get("next_action")
        done = [item["step"] for item in finished(state) if item["status"] == "done"]
        repeated = told_twice([*done, *(item["step"] for item in items)])
        # A step that was planned before stays: it may add again what was removed.
        planned = {item["step"] for item in remaining(state)}
        effects = [seen["result"] for seen in worked(state, loop) if changed(seen, loop)]
        repeated += [
            place + len(done)
            for place, item in enumerate(items)
            if effects and item["step"] not in planned and is_there(item["step"], effects, now_of(state))
        ]
        kept = [place for place in range(len(items)) if place + len(done) not in repeated]
        items = arranged(items, kept) if repeated else items
        decision = Decision(status="continue", thought=None, next_action=call, question=None, response=None)
        gap = (yield from gap_in(decision, state, loop)) if items and call else None
        unwanted = items[0]["step"] if gap and gap["unwanted"] else ""
        only_asked = only_asks(state["goal"]) and not state["clarifications"]

        def is_asked_for(item: PlanItem) -> bool:
            if item["step"] == unwanted:
                return False
            return not orders(item, loop, keeps) or not (only_asked or is_invented(item["step"], _known(state)))

        invented = [item["step"] for item in items if not is_asked_for(item)]
        if len(invented) == len(items) and phase == "plan" and invented and not state["unfounded"]:
            return writes | sent_back("; ".join(invented), loop, "note.invented", goal=state["goal"])
        writes |= {"happening": happened("planned"), "direct": False, "decision": None, "gap": None}
        if payload["plan"] and not items:
            # What is finished does not come back, and what is open is not lost by naming finished steps alone.
            items, call = remaining(state), None
        if invented:
            note = text(loop.language, "note.invented", claim="; ".join(invented), goal=state["goal"])
            last = Link(source=recorder.events[-1]["id"], relation="failed", error=note)
            recorder.add("verdict", [last], status="failed", feedback=note, kind="unfounded")
            kept = [place for place, item in enumerate(items) if item["step"] not in invented]
            # The goal itself is the step where the model has no other.
            items = arranged(items, kept) or ([] if finished(state) else [open_item(state["goal"][:LONGEST_STEP])])
            # The call is that of the first step.
            call = call if 0 in kept else None
        if (items or phase == "replan") and any(map(may_change, loop.executor.tools.values())):
            said = _words([*finished(state), *items], call, state["context"])
            back = taken_back(state["goal"], said, state["before"], loop.language)
            parts = [text(loop.language, "step.take_back", done=done)[:LONGEST_STEP] for done in back]
            parts = parts or left_out(state["goal"], said, state["context"])
            if phase == "replan":
                # A model forgets the step that it has not planned itself.
                parts = [part for part in parts if any(part == item["step"] for item in remaining(state))]
            if parts:
                # Sent back, a small model plans what was left out, and leaves out the rest.
                note = text(loop.language, "note.left_out", parts="; ".join(parts))
                last = Link(source=recorder.events[-1]["id"], relation="failed", error=note)
                recorder.add("verdict", [last], status="failed", feedback=note)
                items = [*items, *map(open_item, parts)]
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")]
        limit = loop.guards.max_steps
        brought: Any = {"next_action": call} if items and call else {}
        recorder.add("plan", links, phase=phase, items=items, steps=writes["steps"], max_steps=limit, **brought)
        writes["plan"] = items
        if not items:
            steps = writes["steps"]
            stop = end_of_plan(state, "repeated_plan" if payload["plan"] and not invented else "goal_met", steps)
            if said_done:
                why = text(loop.language, "claimed.run", claim=said_done)
                stop = StopReason(kind="steps_failed", value=why, limit=None)
            elif phase == "plan":
                stop = StopReason(kind="answered", value=steps, limit=None)
            writes["stop"] = stop
            writes["response"] = payload["response"] or ""
        elif call:
            writes |= {"decision": decision, "direct": True, "gap": gap}
        if items and first_step(items) != first_step(remaining(state)):
            # Else it is the step that the user was asked about, which keeps the calls that it has made.
            writes["seen_before"] = len(state["observations"])
        return writes


def validate_plan(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Check that the plan can be carried out; its issues go back once, then it is repaired as far as possible."""
    items = remaining(state)
    issues = plan_issues(items, loop.executor.tools, language=loop.language)
    with run_recording(state) as recorder:
        if issues and not state["revised"]:
            last = state["events"][-1]["id"]
            link = Link(source=last, relation="failed", error="; ".join(issues)[:500])
            recorder.add("verdict", [link], status="failed", feedback="; ".join(issues))
            turns = [revision_turn(loop.language, issues, state["phase"])]
            return {"issues": issues, "revised": True, "turns": turns, "events": recorder.events}
    tools = loop.executor.tools
    known: list[PlanItem] = [{**item, "tool": item["tool"] if item["tool"] in tools else None} for item in items]
    ordered = arranged(known, in_order(known))
    together = independent(ordered, loop.parallel)
    rest = [index for index in range(len(ordered)) if index not in together]
    return {
        "plan": arranged(ordered, [*together, *rest]),
        "at_once": len(together),
        "issues": [],
        "revised": False,
        "unfounded": 0,
        "phase": "thought",
        "depth": 0,
        "happening": happened("planned"),
    }


def _known(state: PlanActState) -> str:
    """What was said, asked and shown."""
    talked = [said for one in state["clarifications"] for said in (one["question"], one["answer"])]
    shown = [seen["result"] for seen in state["observations"] if seen["tool"] != "planner"]
    return "\n".join([state["goal"], state["before"], state["context"], *talked, *shown])


def _words(items: Sequence[PlanItem], call: Action | None, context: str) -> str:
    """What a plan and its call say, with the entries that they name by their numbers."""
    said = "\n".join([*(item["step"] for item in items), str(call["input"]) if call else ""])
    numbers = set(re.findall(r"\d+", said))
    named = [line for line in context.splitlines() if numbers.intersection(re.findall(r"(\d+):", line))]
    return "\n".join([said, *named])
