"""The node that keeps what a call came to, and shows it to the model."""

from __future__ import annotations

from typing import Any, cast

from ..._internal.steps import Steps
from ...traces.events import Link
from ...traces.shapes import StopReason
from .guards import mark_of, repeats, trail_length
from .loop import PlanActLoop
from .prompts.conversation import MAX_OBSERVATION, result_turn, said_in_turn
from .prompts.summary import summarized
from .prompts.texts import text
from .state import CallResult, Observation, PlanActState, current_action, cut, happened, remaining, run_recording


def observe(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Keep what the call came to, and write the user's turn about it: the result, what to make of it, warnings.

    A call that was not made, because it only repeated itself, is an observation, too. Of a long result the model may be
    shown a summary; the run keeps the result itself, cut.
    """
    action, guards = current_action(state), loop.guards
    done = state["result"]
    refused = done is None
    if done is None:
        count = repeats(state["trail"], guards)
        done = CallResult(ok=False, result=text(loop.language, "refused_repeat", count=count), kind="repeated")
    ok, result = done["ok"], cut(done["result"], MAX_OBSERVATION)
    seen = Observation(tool=action["tool"], input=action["input"], ok=ok, result=result)
    summary, spent = yield from summarized(done["result"], state, loop)
    counts = not refused and action["tool"] not in guards.exempt_tools
    with run_recording(state) as recorder:
        link = Link(source=done.get("event") or state["events"][-1]["id"], relation="led_to" if ok else "failed")
        if not ok:
            link["error"] = result[:500]
        seconds = round(done.get("seconds", 0.0), 3)
        more: dict[str, Any] = {"ignored": done["ignored"]} if "ignored" in done else {}
        if summary:
            more["summary"] = summary
        recorder.add("observation", [link], **seen, kind_of_failure=done["kind"], seconds=seconds, **more)
    mark = mark_of(action, ok, done["result"], refused=refused)
    writes: dict[str, Any] = {
        "result": None,
        "trail": [*state["trail"], mark][-trail_length(guards) :],
        "calls": state["calls"] + counts,
        "errors": state["errors"] + (counts and not ok),
        "happening": happened("observed"),
    }
    writes |= spent
    if ok and loop.executor.tools[action["tool"]].return_direct:
        item, *rest = remaining(state)
        writes["plan"] = [{**item, "status": "done", "response": result}, *rest]
        writes["stop"] = StopReason(kind="returned_direct", value=action["tool"], limit=None)
        return {**writes, "response": result, "observations": [seen], "events": recorder.events}
    turn = result_turn(seen, summary or done["result"], cast(PlanActState, {**state, **writes}), loop)
    return {
        **writes,
        "observations": [seen],
        "events": recorder.events,
        **said_in_turn(turn, state, loop),
    }
