"""The nodes of the plan-act loop, in the order in which a task meets them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import uuid4

from langchain_core.exceptions import ModelError
from langchain_core.messages import BaseMessage
from langgraph.types import Overwrite, interrupt

from ..nodes.catalogue import Language, text
from ..nodes.context import Assembled, Coordinator
from ..nodes.guidance import TaskHandler, analyze_tool_results, depth_hint, generate_guidance
from ..nodes.messages import NO_USAGE, Usage, add_usage
from ..nodes.payloads import Action, Phase, as_json, payload_parser, response_format
from ..nodes.plan_check import in_order, plan_issues
from ..nodes.planning import (
    GuidanceRole,
    Turn,
    answered_note,
    finished_note,
    goal_turn,
    kept_tail,
    last_turn,
    note_turn,
    observation_turn,
    replan_turn,
    resumed_turn,
    revision_turn,
    said,
    step_turn,
    to_request,
    turn_tokens,
)
from ..nodes.retry import retry_steps
from ..nodes.steps import Steps
from ..nodes.think import ChatModel, Thought, think_steps
from ..tools.executor import ToolExecutor, action_check, adopt, text_argument
from ..trace.errors import ModelUnavailableError, ParseFailedError, TruncatedError
from ..trace.events import Link, Recorder, recording
from .edges import TRIPPED
from .guards import Guards, call_fingerprint, find_stop, mark_of, repeats, trail_length
from .plan_report import ending, last_response, warnings
from .plan_state import Clarification, Cut, Happening, Observation, PlanActInput, PlanActState, PlanItem
from .state import StopReason

PAYLOAD_ATTEMPTS = 3
MAX_OBSERVATION = 10_000
"""Characters of a result that are kept."""
MAX_OBSERVATIONS = 100
"""Results that the model is shown."""
CANCEL_COMMAND = "取消当前任务"


@dataclass(frozen=True, slots=True)
class PlanActParts:
    """What the loop works with; none of it is part of the state."""

    model: ChatModel
    executor: ToolExecutor
    handlers: Sequence[TaskHandler]
    coordinator: Coordinator
    examples: Sequence[Turn]
    clock: Callable[[], datetime]
    timer: Callable[[], float]


@dataclass(frozen=True, slots=True)
class PlanActSettings:
    """How the loop behaves; see `create_plan_act_graph`."""

    guards: Guards
    interactive: bool
    ask_prefix: str
    language: Language
    guidance_role: GuidanceRole
    constrained: bool
    context_tokens: int


def begin(state: PlanActInput, parts: PlanActParts) -> dict[str, Any]:
    """Check the goal and start the run; a thread that is used again starts anew."""
    goal = cast(object, state.get("goal"))
    background = state.get("background") or ""
    if not isinstance(goal, str) or not goal.strip():
        raise ValueError('goal is empty: invoke the graph with {"goal": "what the user wants"}')
    now = parts.clock().strftime("%Y-%m-%d %H:%M (%A)")
    recorder = Recorder(uuid4().hex[:12])
    recorder.add("goal", task=goal)
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
        "happening": _happened("started"),
        "observations": Overwrite([]),
        "clarifications": Overwrite([]),
        "turns": Overwrite([goal_turn(goal, now, background)]),
        "cut": None,
        "trail": [],
        "calls": 0,
        "errors": 0,
        "steps": 0,
        "depth": 0,
        "unreadable": 0,
        "questions": 0,
        "repeated_questions": 0,
        "seconds": 0.0,
        "usage": NO_USAGE,
        "failure": "",
        "stop": None,
        "events": Overwrite(recorder.events),
    }


def plan(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Steps[dict[str, Any]]:
    """Ask for the plan, or in phase replan for what remains of it; finished steps never come back."""
    phase: Phase = "replan" if state["phase"] == "replan" else "plan"
    counted = 1 if phase == "replan" else 0
    with _recording(state) as recorder:
        asked = yield from _ask(phase, state, parts, settings)
        writes: dict[str, Any] = {**asked.writes, "steps": state["steps"] + counted, "events": recorder.events}
        payload = asked.payload
        if payload is None:
            return writes
        known = {_plain(item["step"]) for item in state["finished"]}
        new = [step for step in payload["plan"] if _plain(step["step"]) not in known]
        items = [PlanItem(**step, status="open", response="") for step in new]
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")]
        recorder.add(
            "plan", links, phase=phase, items=items, steps=writes["steps"], max_steps=settings.guards.max_steps
        )
        writes["remaining"] = items
        if not items:
            kind = "answered" if phase == "plan" else "repeated_plan" if payload["plan"] else "goal_met"
            writes["stop"] = StopReason(kind=kind, value=writes["steps"], limit=None)
            writes["response"] = payload["response"] or ""
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
    ordered = [items[index] for index in in_order(items)]
    mended = [{**item, "tool": item["tool"] if item["tool"] in tools else None} for item in ordered]
    return {
        "remaining": mended,
        "issues": [],
        "revised": False,
        "phase": "thought",
        "depth": 0,
        "happening": _happened("planned"),
    }


def guidance(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> dict[str, Any]:
    """Write the user's turn of this round: what happened, advice on it, and warnings from 80 % of a limit on."""
    turn = _next_turn(state, parts, settings)
    turns = _shown(state, [*state["turns"], turn])
    start = kept_tail(turns, _room(state, parts, settings), MAX_OBSERVATIONS)
    if start is None:
        return {"turns": [turn]}
    finished = [f"{item['step']}: {item['response']}" for item in state["finished"]]
    rest = [item["step"] for item in state["remaining"]]
    summary = resumed_turn(state["goal"], state["now"], finished, rest)
    # All turns stay in their channel; writing the kept ones anew with every cut would make checkpoints grow squarely.
    return {"turns": [turn], "cut": Cut(start=len(state["turns"]) + 1 - (len(turns) - start), summary=summary)}


def thought(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Steps[dict[str, Any]]:
    """Ask what to do about the current step: act, finish it, or put a question."""
    guards = settings.guards
    with _recording(state) as recorder:
        asked = yield from _ask("thought", state, parts, settings)
        writes: dict[str, Any] = {**asked.writes, "steps": state["steps"] + 1, "depth": state["depth"] + 1}
        writes |= {"decision": asked.payload, "events": recorder.events}
        if asked.payload is None:
            return writes
        item = state["remaining"][0]
        number = len(state["finished"]) + 1
        about = {"item": number, "of": number - 1 + len(state["remaining"]), "step": item["step"]}
        counts = {"steps": writes["steps"], "max_steps": guards.max_steps}
        recorder.events[-1]["data"].update(decision=asked.payload, **about, **counts)
        if asked.payload["status"] == "done":
            response = asked.payload["response"]
            done: PlanItem = {**item, "status": "done", "response": response}
            writes |= {"finished": [done], "remaining": state["remaining"][1:], "phase": "replan", "depth": 0}
            writes["happening"] = _happened("done", finished_note(number, item["step"], response))
        elif asked.payload["status"] == "ask_user":
            question = asked.payload["question"]
            earlier = next((c for c in state["clarifications"] if _plain(c["question"]) == _plain(question)), None)
            if earlier:
                note = f"You asked this before: {question} The answer was: {earlier['answer']} Go on with it."
                writes["happening"] = _happened("repeated_question", note)
                writes["repeated_questions"] = state["repeated_questions"] + 1
        return writes


def act(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Steps[dict[str, Any]]:
    """Carry out one tool call. Its key makes a repeat after a crash recognisable."""
    action = _action(state)
    key = f"{state['run_id']}:{state['steps']}:{call_fingerprint(action)}"
    with _recording(state) as recorder:
        steps = state["steps"] + 1
        event = recorder.add(
            "action", _cause(state), **action, key=key, steps=steps, max_steps=settings.guards.max_steps
        )
        result = yield from parts.executor.steps(action, key)
        adopt(result.events, [Link(source=event, relation="led_to")])
    return {
        "steps": steps,
        "result": {"ok": result.ok, "result": result.result, "kind": result.kind, "event": event},
        "events": recorder.events,
    }


def observe(state: PlanActState, settings: PlanActSettings) -> dict[str, Any]:
    """Keep what the call came to; a call that was not made, because it repeated itself, is an observation, too."""
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
        recorder.add("observation", [link], **seen, kind_of_failure=done["kind"])
    mark = mark_of(action, ok, str(done["result"]), refused=refused)
    return {
        "observations": [seen],
        "result": None,
        "trail": [*state["trail"], mark][-trail_length(guards) :],
        "calls": state["calls"] + counts,
        "errors": state["errors"] + (counts and not ok),
        "happening": _happened("observed"),
        "events": recorder.events,
    }


def ask_user(state: PlanActState, settings: PlanActSettings) -> dict[str, Any]:
    """Pause for the user's answer. Nothing else happens here: LangGraph runs this node again on resume."""
    decision = state["decision"]
    question = str(decision["question"]) if decision else ""
    if settings.interactive:
        answer = str(interrupt(f"{settings.ask_prefix}{question}")).strip()
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
        "happening": _happened("answered", answered_note(question, answer)),
        "events": recorder.events,
    }


def trip(state: PlanActState, guards: Guards) -> dict[str, Any]:
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
            best, spent = yield from _best_answer(state, stop, parts, settings)
            usage = add_usage(usage, spent)
        if stop["kind"] == "cancelled":
            response = text(language, "cancelled")
        elif stop["kind"] in ("answered", "goal_met", "repeated_plan"):
            response = state.get("response") or last_response(state) or text(language, "end.finished")
        else:
            response = ending(state, stop, best, language)
        plan = [*state["finished"], *state["remaining"]]
        about = {"stop_reason": stop, "steps": state["steps"], "usage": usage}
        recorder.add("outcome", _cause(state), response=response, plan=plan, **about)
    return {"response": response, "stop_reason": stop, "plan": plan, "usage": usage, "events": recorder.events}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A payload, None where none could be read, and what the asking changes in the state."""

    payload: Any
    writes: dict[str, Any]


def _ask(phase: Phase, state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Steps[_Asked]:
    """One round with the model: three attempts at a payload; a round that fails is an observation."""
    tools = parts.executor.tools
    failed = phase == "thought" and state["depth"] == 1 and state["happening"]["kind"] == "observed"
    failed = failed and not state["observations"][-1]["ok"]
    parser = payload_parser(phase, action_check(tools), failed_before=failed)
    options: dict[str, Any] = {}
    if settings.constrained:
        plain = {name: text_argument(tool) is not None for name, tool in tools.items()}
        options = {"response_format": response_format(phase, plain)}
    started = parts.timer()

    def spent(usage: Any) -> dict[str, Any]:
        return {
            "usage": add_usage(state["usage"], Usage(**usage)),
            "seconds": state["seconds"] + parts.timer() - started,
        }

    try:
        request = _request(_shown(state, state["turns"]), state, parts, settings)
        parsed = yield from retry_steps(parts.model, request, parser, PAYLOAD_ATTEMPTS, False, None, options, {})
    except (ParseFailedError, TruncatedError) as failed:
        cut_off = isinstance(failed, TruncatedError)
        reply = failed.raw_reply if cut_off else failed.raw_replies[-1]
        problem = "Your reply was cut off: write less." if cut_off else failed.feedbacks[-1]
        seen = Observation(tool="planner", input=phase, ok=False, result=cut(problem, MAX_OBSERVATION))
        return _Asked(
            None,
            {
                **spent(failed.usage),
                "unreadable": state["unreadable"] + 1,
                "observations": [seen],
                "turns": [said("assistant", cut(reply, 1_000) or "(empty reply)")],
                "happening": _happened("unreadable", problem),
            },
        )
    except (ModelUnavailableError, ModelError) as failed:
        if isinstance(failed, ModelError) and len(state["turns"]) == 1:
            # A wrong key or a wrong request: nothing has been achieved that could be lost.
            raise
        return _Asked(None, {**spent(NO_USAGE), "failure": str(failed)})
    turns = [said("assistant", as_json(parsed.content))]
    return _Asked(parsed.content, {**spent(parsed.usage), "unreadable": 0, "turns": turns})


def _best_answer(
    state: PlanActState, stop: StopReason, parts: PlanActParts, settings: PlanActSettings
) -> Steps[tuple[str, Usage]]:
    key = "stop.budget" if stop["kind"] in ("token_budget", "time_budget") else f"stop.{stop['kind']}"
    turn = last_turn(text(settings.language, key), state["goal"])
    turns = _shown(state, state["turns"])
    if turns[-1]["speaker"] == "user":
        turn = said("user", f"{turns[-1]['words']}\n\n{turns[-1]['guidance']}\n\n{turn['words']}")
        turns.pop()
    try:
        thought: Thought = yield from think_steps(
            parts.model, _request([*turns, turn], state, parts, settings), None, {}
        )
    except (ModelUnavailableError, ModelError):
        # The run has ended with a reason of its own; that is what is reported.
        return "", NO_USAGE
    return thought.reply.strip(), thought.usage


def _shown(state: PlanActState, turns: Sequence[Turn]) -> list[Turn]:
    """The turns that the model is shown: all, or a summary and those since the last cut."""
    cut = state["cut"]
    return [cut["summary"], *turns[cut["start"] :]] if cut else list(turns)


def _room(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> int:
    """Tokens that are left to the run's own turns."""
    before = _system(state, parts, settings).tokens + sum(map(turn_tokens, parts.examples))
    return max(settings.context_tokens - before, settings.context_tokens // 4)


def _system(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Assembled:
    budget = settings.context_tokens // 2
    return parts.coordinator.assemble(state["goal"], budget, _progress(state, settings))


def _request(
    turns: Sequence[Turn], state: PlanActState, parts: PlanActParts, settings: PlanActSettings
) -> list[BaseMessage]:
    system = _system(state, parts, settings)
    return to_request(system.text, [*parts.examples, *turns], settings.guidance_role)


def _next_turn(state: PlanActState, parts: PlanActParts, settings: PlanActSettings) -> Turn:
    happening, language = state["happening"], settings.language
    advice = warnings(state, settings.guards, language)
    if happening["kind"] == "observed":
        seen, item = state["observations"][-1], state["remaining"][0]
        analysis = analyze_tool_results([seen["result"]], failed=not seen["ok"])
        handler = next((one for one in parts.handlers if one.can_handle(state["goal"])), None)
        task = state["goal"] if handler else item["step"]
        handlers = [handler] if handler else []
        own = generate_guidance(task, analysis, state["depth"], handlers=handlers, language=language)
        hint = depth_hint(state["depth"], state["steps"], settings.guards.max_steps, language=language)
        shown = cut(seen["result"], min(MAX_OBSERVATION, 2 * settings.context_tokens))
        return observation_turn(
            seen["tool"], seen["ok"], shown, "\n\n".join(part for part in (own, hint, *advice) if part)
        )
    if happening["kind"] in ("unreadable", "repeated_question"):
        turn = note_turn(happening["note"], state["phase"])
    elif state["phase"] == "replan":
        turn = replan_turn(state["goal"], happening["note"], [item["step"] for item in state["remaining"]])
    else:
        number = len(state["finished"]) + 1
        turn = step_turn(number, number - 1 + len(state["remaining"]), state["remaining"][0]["step"], state["goal"])
    return {**turn, "guidance": "\n".join(advice)}


def _happened(kind: Any, note: str = "") -> Happening:
    return Happening(kind=kind, note=note)


def _action(state: PlanActState) -> Action:
    decision = state["decision"]
    assert decision is not None and decision["next_action"] is not None, "after_thought leads here with an action only"
    return decision["next_action"]


def _recording(state: PlanActState) -> Any:
    return recording(state["run_id"], len(state["events"]), _cause(state))


def _cause(state: PlanActState) -> list[Link]:
    return [Link(source=state["events"][-1]["id"], relation="led_to")]


def _progress(state: PlanActState, settings: PlanActSettings) -> float:
    return min(1.0, state["steps"] / settings.guards.max_steps)


def _plain(words: str) -> str:
    """A step or a question without what makes no difference between two of them."""
    return re.sub(r"[\W_]+", " ", words.lower()).strip()


def cut(result: str, limit: int) -> str:
    """A text within a limit; what is left out is counted at its end."""
    if len(result) <= limit:
        return result
    mark = f"\n… [cut: {len(result)} characters in all]"
    return result[: limit - len(mark)] + mark
