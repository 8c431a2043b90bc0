"""The first node: the goal is checked, and the run begins."""

from __future__ import annotations

from typing import Any, cast

from langchain_core.messages import AnyMessage

from ..._internal.channel import fresh
from ..._internal.steps import Steps
from ...models.messages import NO_USAGE, media_in
from ...traces.events import Recorder, current_place
from ...traces.shapes import UPDATE_STATE, PlanItem
from ..asked import asked, checked_text
from ..channels import PlanActThread, taken_up
from ..trace import cause_of, run_recording
from .asking.exchanges import exchanges_in, exchanges_text, one_line
from .asking.goal import plan_request
from .loop import PlanActLoop
from .plans.progress import remaining
from .prompts.turns import moment
from .state import Cut, Exchange, PlanActState, happened, step_counters


def begin(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Find the goal and start the run; a thread that is used again starts from scratch, with what was said before."""
    given, asking = asked(state, "goal")
    goal = checked_text(given, state, "goal", "what the user wants")
    if not isinstance(cast(object, state.get("background") or ""), str):
        raise ValueError("background has to be a text: what was said before and may matter")
    # What was given with one run does not belong to the next one on the thread.
    background = state.get("background") or exchanges_text(_told(state, asking), loop.language)
    date = loop.clock()
    now = moment(date, loop.language)
    blocks = media_in(asking) if asking else []
    background, context, turn = yield from plan_request(goal, background, now, date, loop, blocks)
    recorder = Recorder(place=current_place.get())
    carried = {"before": background} if background else {}
    looked_up = {"context": context} if context else {}
    recorder.add("goal", task=goal, mode="plan_act", **carried, **looked_up)
    # In the order of `PlanActState`.
    return {
        **taken_up(state, "goal", goal),
        "background": "",
        "before": background,
        "context": context,
        "last_read": asking.id if asking else None,
        "now": now,
        "plan": fresh(state.get("plan"), []),
        "revised": False,
        "direct": False,
        "seen_before": 0,
        "phase": "plan",
        "happening": happened("started"),
        "decision": None,
        "at_once": 1,
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


def _told(state: PlanActState, asking: AnyMessage | None) -> list[Exchange]:
    """What was said before: the messages before the one that asks, with what runs did for them, or else those runs."""
    ended = list(state.get("exchanges") or [])
    if asking is None:
        return ended
    done = {one["said"]: one["done"] for one in ended if "done" in one}
    earlier = exchanges_in(state["messages"][:-1])
    for one in earlier:
        if (words := one_line(one["said"])) in done:
            one["done"] = done[words]
    return earlier


def change_goal(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Turn to what the user wants in place of an answer: the step that was asked about is left as failed, and the other
    request is planned as if it began a run, with what remains of the plan behind it."""
    given, steps = state["clarifications"][-1], remaining(state)
    left = loop.text("another.step", question=given["question"])
    failed: list[PlanItem] = [{**item, "status": "failed", "response": left} for item in steps[:1]]
    goal = "\n".join([given["answer"], *(item["step"] for item in steps[1:])])
    exchange = Exchange(said=state["goal"], answered=given["question"])
    before = "\n".join(filter(None, [state["before"], exchanges_text([exchange], loop.language)]))
    before, context, turn = yield from plan_request(goal, before, state["now"], loop.clock(), loop)
    with run_recording(state) as recorder:
        changed = {"field": "goal", "before": state["goal"]}
        recorder.add("observation", cause_of(state), tool=UPDATE_STATE, input=changed, ok=True, result=goal)
    return {
        "events": recorder.events,
        "exchanges": [exchange],
        **taken_up(state, "goal", goal),
        "before": before,
        "context": context,
        "plan": failed,
        "cut": Cut(start=len(state["turns"]), summary=turn),
        "settled": len(state["clarifications"]),
        "seen_before": len(state["observations"]),
        "phase": "plan",
        "happening": happened("started"),
    }
