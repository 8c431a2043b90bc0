"""The nodes of the plan-act loop, in the order in which a task meets them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from uuid import uuid4

from langgraph.types import Overwrite, interrupt

from ..nodes.catalogue import text
from ..nodes.messages import NO_USAGE, Usage, add_usage, read_usage
from ..nodes.payloads import Action, Phase
from ..nodes.plan_check import in_order, plan_issues
from ..nodes.planning import (
    answered_note,
    finished_note,
    goal_turn,
    note_turn,
    replan_turn,
    revision_turn,
    step_turn,
)
from ..nodes.retry import recorded_usage
from ..nodes.steps import Steps
from ..tools.executor import adopt
from ..trace.events import Event, Link, Recorder, recording
from .edges import TRIPPED
from .guards import Limits, call_fingerprint, find_stop, mark_of, repeats, trail_length
from .plan_conversation import (
    MAX_OBSERVATION,
    PlanActParts,
    PlanActSettings,
    ask,
    best_answer,
    cut,
    happened,
    result_turn,
    said_in_turn,
)
from .plan_items import first_step, plain, without_finished
from .plan_report import (
    advice_behind_failures,
    end_of_plan,
    ending,
    failed_lines,
    last_response,
    step_error,
    warnings,
)
from .plan_state import Clarification, Observation, PlanActInput, PlanActState, PlanItem
from .state import StopReason

CANCEL_COMMAND = "取消当前任务"


def begin(state: PlanActInput, parts: PlanActParts) -> dict[str, Any]:
    """Check the goal and start the run; a thread that is used again starts anew."""
    goal = cast(object, state.get("goal"))
    background = state.get("background") or ""
    if not isinstance(goal, str) or not goal.strip():
        raise ValueError('goal is empty: invoke the graph with {"goal": "what the user wants"}')
    now = parts.clock().strftime("%Y-%m-%d %H:%M (%A)")
    recorder = Recorder(uuid4().hex[:12])
    recorder.add("goal", task=goal, mode="plan_act")
    return {
        "goal": goal,
        "background": background,
        "now": now,
        "run_id": recorder.run_id,
        "phase": "plan",
        "remaining": [],
        "finished": Overwrite([]),
        "revised": False,
        "issues": [],
        "decision": None,
        "result": None,
        "happening": happened("started"),
        "observations": Overwrite([]),
        "clarifications": Overwrite([]),
        "turns": Overwrite([goal_turn(goal, now, background)]),
        "cut": None,
        "trail": [],
        "calls": 0,
        "errors": 0,
        "steps": 0,
        "depth": 0,
        "seen_before": 0,
        "unreadable": 0,
        "questions": 0,
        "repeated_questions": 0,
        "seconds": 0.0,
        "usage": NO_USAGE,
        "failure": "",
        "stop": None,
        "response": "",
        "stop_reason": None,
        "plan": [],
        "events": Overwrite(recorder.events),
    }


def plan(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Steps[dict[str, Any]]:
    """Ask for the plan, or in phase replan for what remains of it; finished steps never come back."""
    phase: Phase = "replan" if state["phase"] == "replan" else "plan"
    counted = 1 if phase == "replan" else 0
    with _recording(state) as recorder:
        asked = yield from ask(phase, state, parts, settings)
        writes: dict[str, Any] = {**asked.writes, "steps": state["steps"] + counted, "events": recorder.events}
        writes["usage"] = recorded_usage(state["usage"], recorder.events)
        payload = asked.payload
        if payload is None:
            return writes
        items = without_finished(payload["plan"], state["finished"])
        if payload["plan"] and not items:
            # What is finished does not come back, and what is open is not lost by naming finished steps alone.
            items = state["remaining"]
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")]
        recorder.add(
            "plan", links, phase=phase, items=items, steps=writes["steps"], max_steps=settings.guards.max_steps
        )
        writes["remaining"] = items
        if not items:
            steps = writes["steps"]
            stop = end_of_plan(state, "repeated_plan" if payload["plan"] else "goal_met", steps)
            writes["stop"] = StopReason(kind="answered", value=steps, limit=None) if phase == "plan" else stop
            writes["response"] = payload["response"] or ""
        elif first_step(items) != first_step(state["remaining"]):
            # Else it is the step that the user was asked about, which keeps the calls that it has made.
            writes["seen_before"] = len(state["observations"])
        return writes


def validate_plan(state: PlanActState, parts: PlanActParts) -> dict[str, Any]:
    """Check that the plan can be carried out; its issues go back once, then it is mended as far as that goes."""
    items = state["remaining"]
    issues = plan_issues(items, parts.executor.tools)
    with _recording(state) as recorder:
        if issues and not state["revised"]:
            last = state["events"][-1]["id"]
            link = Link(source=last, relation="failed", error="; ".join(issues)[:500])
            recorder.add("verdict", [link], status="failed", feedback="; ".join(issues))
            turns = [revision_turn(issues, state["phase"])]
            return {"issues": issues, "revised": True, "turns": turns, "events": recorder.events}
    tools = parts.executor.tools
    order = in_order(items)
    number = {index + 1: place for place, index in enumerate(order, 1)}
    mended: list[PlanItem] = []
    for item in (items[index] for index in order):
        tool = item["tool"] if item["tool"] in tools else None
        mended.append({**item, "tool": tool, "requires": [number[n] for n in item["requires"] if n in number]})
    return {
        "remaining": mended,
        "issues": [],
        "revised": False,
        "phase": "thought",
        "depth": 0,
        "happening": happened("planned"),
    }


def guidance(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> dict[str, Any]:
    """Write the user's turn of this round: what happened, what is asked for, warnings from 80 % of a limit on."""
    happening = state["happening"]
    if happening["kind"] in ("unreadable", "repeated_question"):
        turn = note_turn(happening["note"], state["phase"])
    elif state["phase"] == "replan":
        turn = replan_turn(state["goal"], happening["note"], [item["step"] for item in state["remaining"]])
    else:
        number = len(state["finished"]) + 1
        total = number - 1 + len(state["remaining"])
        turn = step_turn(number, total, state["remaining"][0]["step"], state["goal"])
    advice = "\n".join(warnings(state, settings.guards, settings.language))
    return said_in_turn({**turn, "guidance": advice}, state, parts, settings)


def thought(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Steps[dict[str, Any]]:
    """Ask what to do about the current step: act, finish it, or put a question."""
    guards = settings.guards
    with _recording(state) as recorder:
        asked = yield from ask("thought", state, parts, settings)
        writes: dict[str, Any] = {**asked.writes, "steps": state["steps"] + 1, "depth": state["depth"] + 1}
        writes |= {"decision": asked.payload, "events": recorder.events}
        writes["usage"] = recorded_usage(state["usage"], recorder.events)
        if asked.payload is None:
            return writes
        writes["happening"] = happened("decided")
        item = state["remaining"][0]
        number = len(state["finished"]) + 1
        about = {"item": number, "of": number - 1 + len(state["remaining"]), "step": item["step"]}
        counts = {"steps": writes["steps"], "max_steps": guards.max_steps}
        recorder.events[-1]["data"].update(decision=asked.payload, **about, **counts)
        if asked.payload["status"] == "done":
            error = step_error(state)
            # What a model says of a step whose every call failed is not what came of it.
            response = error or asked.payload["response"]
            done: PlanItem = {**item, "status": "failed" if error else "done", "response": response}
            writes |= {"finished": [done], "remaining": state["remaining"][1:], "phase": "replan", "depth": 0}
            writes["seen_before"] = len(state["observations"])
            writes["happening"] = happened("done", finished_note(number, item["step"], response, failed=bool(error)))
        elif asked.payload["status"] == "ask_user":
            question = asked.payload["question"]
            earlier = next((c for c in state["clarifications"] if plain(c["question"]) == plain(question)), None)
            if earlier:
                note = f"You asked this before: {question} The answer was: {earlier['answer']} Go on with it."
                writes["happening"] = happened("repeated_question", note)
                writes["repeated_questions"] = state["repeated_questions"] + 1
        return writes


def act(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Steps[dict[str, Any]]:
    """Carry out one tool call. Its key makes a repeat after a crash recognisable."""
    action = _action(state)
    key = f"{state['run_id']}:{state['steps']}:{call_fingerprint(action)}"
    started = parts.timer()
    with _recording(state) as recorder:
        steps = state["steps"] + 1
        event = recorder.add(
            "action", _cause(state), **action, key=key, steps=steps, max_steps=settings.guards.max_steps
        )
        result = yield from parts.executor.steps(action, key, event)
        adopt(result.events, [Link(source=event, relation="led_to")])
    seconds = parts.timer() - started
    told = {"ok": result.ok, "result": result.result, "kind": result.kind, "event": event, "seconds": seconds}
    if result.ignored:
        told["ignored"] = result.ignored
    return {
        "steps": steps,
        "seconds": state["seconds"] + seconds,
        "result": told,
        "usage": add_usage(state["usage"], _spent_inside(result.events)),
        "events": recorder.events,
    }


def _spent_inside(events: Sequence[Event]) -> Usage:
    """The tokens of the run that a tool itself was."""
    outcomes = [event for event in events if event["kind"] == "outcome" and event["run_id"] == events[0]["run_id"]]
    return read_usage(outcomes[-1]["data"].get("usage")) if outcomes else NO_USAGE


def observe(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> dict[str, Any]:
    """Keep what the call came to, and write the user's turn about it: the result, what to make of it, warnings.

    A call that was not made, because it only repeated itself, is an observation, too.
    """
    action, guards = _action(state), settings.guards
    done = state["result"]
    refused = done is None
    if done is None:
        count = repeats(state["trail"], guards)
        done = {"ok": False, "result": text(settings.language, "refused_repeat", count=count), "kind": "repeated"}
    ok, result = bool(done["ok"]), cut(str(done["result"]), MAX_OBSERVATION)
    seen = Observation(tool=action["tool"], input=action["input"], ok=ok, result=result)
    counts = not refused and action["tool"] not in guards.exempt_tools
    with _recording(state) as recorder:
        link = Link(source=str(done.get("event") or state["events"][-1]["id"]), relation="led_to" if ok else "failed")
        if not ok:
            link["error"] = result[:500]
        seconds = round(float(done.get("seconds") or 0.0), 3)
        ignored = {"ignored": done["ignored"]} if "ignored" in done else {}
        recorder.add("observation", [link], **seen, kind_of_failure=done["kind"], seconds=seconds, **ignored)
    mark = mark_of(action, ok, str(done["result"]), refused=refused)
    writes: dict[str, Any] = {
        "result": None,
        "trail": [*state["trail"], mark][-trail_length(guards) :],
        "calls": state["calls"] + counts,
        "errors": state["errors"] + (counts and not ok),
        "happening": happened("observed"),
    }
    turn = result_turn(seen, cast(PlanActState, {**state, **writes}), parts, settings)
    return {
        **writes,
        "observations": [seen],
        "events": recorder.events,
        **said_in_turn(turn, state, parts, settings),
    }


def ask_user(state: PlanActState, settings: PlanActSettings) -> dict[str, Any]:
    """Pause for the user's answer. Nothing else happens here: LangGraph runs this node again on resume."""
    decision = state["decision"]
    question = str(decision["question"]) if decision else ""
    if settings.interactive:
        answer = cut(str(interrupt(f"{settings.ask_prefix}{question}")).strip(), MAX_OBSERVATION)
    else:
        answer = text(settings.language, "ask.assumption")
    with _recording(state) as recorder:
        recorder.add("observation", _cause(state), tool="ask_user", input=question, ok=True, result=answer)
    if answer == CANCEL_COMMAND:
        stop = StopReason(kind="cancelled", value=state["steps"], limit=None)
        return {"stop": stop, "events": recorder.events}
    given = Clarification(question=question, answer=answer, assumed=not settings.interactive)
    return {
        "clarifications": [given],
        "questions": state["questions"] + 1,
        "decision": None,
        "phase": "replan",
        "depth": 0,
        "happening": happened("answered", answered_note(question, answer)),
        "events": recorder.events,
    }


def trip(state: PlanActState, guards: Limits) -> dict[str, Any]:
    """Keep the reason of the check that ended the run."""
    return {"stop": find_stop(state, guards)}


def finalize(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Steps[dict[str, Any]]:
    """Report. A run that a check has ended gets a last call for the best answer, which may fail without harm."""
    stop = state["stop"] or find_stop(state, settings.guards)
    assert stop is not None, "every route to the end has a reason"
    usage, language = state["usage"], settings.language
    with _recording(state) as recorder:
        best = ""
        if stop["kind"] in (*TRIPPED, "token_budget", "time_budget"):
            best, spent = yield from best_answer(state, stop, parts, settings)
            usage = add_usage(usage, spent)
        if stop["kind"] == "cancelled":
            response = text(language, "cancelled")
        elif stop["kind"] in ("answered", "goal_met", "repeated_plan"):
            response = state.get("response") or last_response(state) or text(language, "end.finished")
        elif stop["kind"] == "partly_done":
            said = state.get("response") or last_response(state) or text(language, "end.part")
            response = "\n".join([said, *failed_lines(state, language), advice_behind_failures(language)])
        else:
            response = ending(state, stop, best, language)
        plan = [*state["finished"], *state["remaining"]]
        about = {"stop_reason": stop, "steps": state["steps"], "usage": usage}
        recorder.add("outcome", _cause(state), response=response, plan=plan, **about)
    return {"response": response, "stop_reason": stop, "plan": plan, "usage": usage, "events": recorder.events}


def _action(state: PlanActState) -> Action:
    decision = state["decision"]
    assert decision is not None and decision["next_action"] is not None, "after_thought leads here with an action only"
    return decision["next_action"]


def _recording(state: PlanActState) -> Any:
    return recording(state["run_id"], len(state["events"]), _cause(state))


def _cause(state: PlanActState) -> list[Link]:
    return [Link(source=state["events"][-1]["id"], relation="led_to")]
