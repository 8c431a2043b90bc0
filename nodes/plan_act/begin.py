"""The first node: the goal is checked, and the run begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import AnyMessage

from ..._internal.channel import fresh
from ..._internal.steps import Steps
from ..._internal.strict_json import mapping
from ...models.messages import NO_USAGE, media_in
from ...traces.events import Recorder, current_place
from ...traces.lookup import own_events
from ...traces.shapes import UPDATE_STATE, PlanItem
from ..asked import asked, checked_text
from ..channels import PlanActThread, taken_up
from ..trace import cause_of, run_recording
from .asking.exchanges import done_in, exchanges_in, exchanges_text, one_line
from .asking.goal import plan_request, requests_in, turn_to
from .loop import PlanActLoop
from .plans.progress import remaining
from .prompts.turns import moment
from .state import Exchange, PlanActState, happened, step_counters


def begin(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Find the goal and start the run; a thread that is used again starts from scratch, with what was said before."""
    given, asking = asked(state, "goal")
    goal = checked_text(given, state, "goal", "what the user wants")
    if not isinstance(cast(object, state.get("background") or ""), str):
        raise ValueError("background has to be a text: what was said before and may matter")
    # What was given with one run does not belong to the next one on the thread.
    cut_short = _cut_short(state, loop)
    background = state.get("background") or exchanges_text(_told(state, asking, cut_short), loop.language)
    date = loop.clock()
    now = moment(date, loop.language)
    blocks = media_in(asking) if asking else []
    first, *parts = [goal] if blocks else (yield from requests_in(goal, background, date, loop))
    background, context, turn = yield from plan_request(first, background, now, date, loop, blocks)
    recorder = Recorder(place=current_place.get())
    carried = {"before": background} if background else {}
    looked_up = {"context": context} if context else {}
    recorder.add("goal", task=goal, mode="plan_act", **carried, **looked_up)
    # In the order of `PlanActState`.
    return {
        **taken_up(state, "goal", first),
        "parts": parts,
        "part_ends": [],
        "background": "",
        "before": background,
        "context": context,
        "exchanges": cut_short,
        "last_read": asking.id if asking else None,
        "now": now,
        "plan": fresh(state.get("plan"), []),
        "revised": False,
        "direct": False,
        "seen_before": 0,
        "phase": "plan",
        "happening": happened("started"),
        "decision": None,
        "steps_at_once": 1,
        "results": [],
        "gap": None,
        **step_counters(),
        "turns": fresh(state.get("turns"), [turn]),
        "cut": None,
        "observations": fresh(state.get("observations"), []),
        "clarifications": fresh(state.get("clarifications"), []),
        "settled": 0,
        "trail": [],
        "calls": 0,
        "errors": 0,
        "steps": 0,
        "unreadable": 0,
        "questions": 0,
        "repeated_questions": 0,
        "seconds": 0.0,
        "usage": NO_USAGE,
        "failure": "",
        "stop": None,
        "response": "",
        "structured_response": None,
        "stop_reason": None,
        "run_id": recorder.run_id,
        "thread_kind": PlanActThread.here(),
        "events": fresh(state.get("events"), recorder.events),
    }


def _told(state: PlanActState, asking: AnyMessage | None, cut_short: Sequence[Exchange]) -> list[Exchange]:
    """The earlier exchanges: of a run with messages, those before the last message, with what runs did for them; else
    the earlier runs of the thread."""
    runs = [*(state.get("exchanges") or []), *cut_short]
    if asking is None:
        return runs
    done = {run["said"]: run["done"] for run in runs if "done" in run}
    answers = {run["said"]: run["answered"] for run in runs}
    earlier = exchanges_in(state["messages"][:-1])
    for one in earlier:
        words = one_line(one["said"])
        if words in done:
            one["done"] = done[words]
        # A question that was not answered is no message.
        one["answered"] = one["answered"] or answers.get(words, "")
    return earlier


def _cut_short(state: PlanActState, loop: PlanActLoop) -> list[Exchange]:
    """The run before as an exchange, if it was cut short: it has not ended, and waits for an answer or had an effect.

    New input begins a run that knows nothing of that one: neither what "the red one" answers, nor what "undo that"
    means."""
    if not (events := state.get("events")) or state.get("stop_reason"):
        return []
    goals: list[str] = []
    for event in own_events(events):
        if event["kind"] == "goal":
            goals.append(event["data"]["task"])
        elif event["kind"] == "observation" and event["data"]["tool"] == UPDATE_STATE:
            changed = mapping(event["data"]["input"]).get("field") == "goal"
            goals += [event["data"]["result"]] if changed else []
    decision = state["decision"]
    question = (decision and decision["question"]) or ""
    if any(one["question"] == question for one in state["clarifications"]):
        question = ""
    exchange = Exchange(said=one_line(goals[-1]), answered=one_line(question))
    if done := done_in(state, loop):
        exchange["done"] = one_line(done)
    return [exchange] if question or done else []


def change_goal(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Turn to what the user wants in place of an answer: the step that was asked about is left as failed, and the other
    request is planned as if it began a run, with what remains of the plan behind it."""
    given, steps = state["clarifications"][-1], remaining(state)
    left = loop.text("another.step", question=given["question"])
    failed: list[PlanItem] = [{**item, "status": "failed", "response": left} for item in steps[:1]]
    goal = "\n".join([given["answer"], *(item["step"] for item in steps[1:])])
    exchange = Exchange(said=state["goal"], answered=given["question"])
    turned = yield from turn_to(goal, exchange, state, loop)
    with run_recording(state) as recorder:
        changed = {"field": "goal", "before": state["goal"]}
        recorder.add("observation", cause_of(state), tool=UPDATE_STATE, input=changed, ok=True, result=goal)
    return {**turned, "exchanges": [exchange], "plan": failed, "events": recorder.events}
