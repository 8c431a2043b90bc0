"""The node that keeps the results of the round's calls and shows them to the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..._internal.steps import Steps
from ..._internal.strict_json import dumps
from ..._internal.texts import shortened
from ...errors import ThreadStateError
from ...models.messages import NO_USAGE, add_usage
from ...tools.likeness import marks
from ...tools.metadata import finishes_step
from ...traces.events import Link, Recorder
from ...traces.shapes import Action, PlanItem, StopReason
from ..channels import thread_id
from ..trace import cause_of, run_recording
from .asking.conversation import MAX_OBSERVATION, append_turn, result_turn
from .asking.summary import summarized
from .checks.calls.look_up import looked_up, other_to_call
from .checks.clauses import CLAUSES
from .checks.effect import call_and_result, had_effect
from .checks.entries.together import shown_together
from .guards import calls_to_make, repeats, trail_length
from .loop import PlanActLoop
from .plans.items import arranged
from .plans.marks import mark_of
from .plans.progress import current_actions, current_steps, remaining, steps_ended
from .prompts.turns import finished_by_note, media_lines
from .state import CallResult, Observation, PlanActState, happened


def observe(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Keep the results of the calls, and write the user's turn: results, advice, warnings.

    A repeated call that was refused is an observation, too. The model may be shown a summary of a long result; the run
    keeps the result itself, cut.
    """
    actions, guards = current_actions(state), loop.guards
    writes: dict[str, Any] = {"results": [], "happening": happened("observed"), **_counted_at_once(state)}
    writes |= {"trail": state["trail"], "calls": state["calls"], "errors": state["errors"]}
    results = {one["place"]: one for one in state["results"]}
    if not actions:
        raise ThreadStateError(thread_id(), "observe", "what it needs is not in the state (there is no call)")
    if calls_to_make(state, guards):
        raise ThreadStateError(thread_id(), "observe", "a call has no result in `results`")
    observations: list[Observation] = []
    shown: list[str] = []
    direct = len(actions) == 1 and _is_direct(actions[0], results.get(0), loop)
    refusal = loop.text("refused_repeat", count=repeats(state["trail"], guards))
    with run_recording(state) as recorder:
        causes = _adopted(state, recorder)
        for place, action in enumerate(actions):
            done = results.get(place) or CallResult(place=place, ok=False, result=refusal, kind="repeated")
            before = cast(PlanActState, {**state, **writes})
            summary, spent = ("", {}) if direct else (yield from summarized(done["result"], action, before, loop))
            writes |= spent
            media = media_lines(loop.language, done.get("blocks", ()), None if direct else loop.media)
            whole = "\n".join(filter(None, [done["result"], *media]))
            seen = Observation(**action, ok=done["ok"], result=shortened(whole, MAX_OBSERVATION))
            source = causes.get(place) or done.get("event") or cause_of(state)[0]["source"]
            _record(recorder, seen, done, summary, source)
            writes |= _counted(action, done, before, loop)
            # The trace does without what came with the result.
            attached: Any = {name: part for name, part in done.items() if name in ("blocks", "artifact")}
            observations.append(cast(Observation, {**seen, **attached}))
            shown.append(summary or whole)
    writes["trail"] = writes["trail"][-(trail_length(guards) + len(actions) - 1) :]
    writes |= {"observations": observations, "events": recorder.events}
    if direct:
        (seen,), (item, *rest) = observations, remaining(state)
        writes["plan"] = [{**item, "status": "done", "response": seen["result"]}, *rest]
        writes["stop"] = StopReason(kind="returned_direct", value=seen["tool"], limit=None)
        # A result that is kept is cut to a limit; an answer is not.
        return {**writes, "response": shown[0]}
    if finished := _step_finished(observations, shown[0], state, loop):
        return writes | finished
    together, told_more = shown_together(observations, state, loop)
    events = [*state["events"], *recorder.events]
    known = {"observations": [*state["observations"], *observations], "events": events}
    after = cast(PlanActState, {**state, **writes, **known})
    asked = looked_up(state, after, loop) or other_to_call(after, loop)
    shown = [together.get(one, one) for one in shown]
    turn = result_turn(observations, shown, cast(PlanActState, {**state, **writes}), loop, asked, told_more)
    return {**writes, **append_turn(turn, state, loop)}


def _counted(action: Action, done: CallResult, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """A call as the limits count it. One that was refused or answered by a person has no event, and does not count."""
    outcome = done["result"] + (dumps(done["blocks"]) if "blocks" in done else "")
    mark = mark_of(action, done["ok"], outcome, refused=done["kind"] == "repeated")
    counts = "event" in done and action["tool"] not in loop.guards.exempt_tools
    return {
        "trail": [*state["trail"], mark],
        "calls": state["calls"] + counts,
        "errors": state["errors"] + (counts and not done["ok"]),
    }


def _step_finished(
    seen: Sequence[Observation], shown: str, state: PlanActState, loop: PlanActLoop
) -> dict[str, Any] | None:
    """The update where a single call has finished a step; None if the model has to say what came of it.

    Only tools with `finishes_step` finish a step. It may be a later step: a small model sometimes calls for one. A step
    with several clauses may need more than one call, and of the last step the model has to report the result.
    """
    steps, first = remaining(state), seen[0]
    if len(seen) > 1 or state["steps_at_once"] > 1 or len(steps) < 2:
        return None
    if state["direct"] or first["tool"] not in loop.tools:
        return None
    if not (finishes_step(loop.tools[first["tool"]]) and first["ok"] and had_effect(first, loop)):
        return None
    # A date may be written in many ways, and its year stands in every one.
    words = frozenset(word for word in marks(call_and_result(first)) if not word[0].isdigit())
    place = max(range(len(steps)), key=lambda index: len(words & marks(steps[index]["step"])))
    if CLAUSES.search(steps[place]["step"].rstrip(" .!。！")):
        return None
    ended: PlanItem = {**steps[place], "status": "done", "response": first["result"]}
    rest = arranged(steps, [index for index in range(len(steps)) if index != place])
    note = finished_by_note(loop.language, min(current_steps(state)) + place, ended["step"], shown)
    # `seen_before` counts this result, too.
    after = cast(PlanActState, {**state, "observations": [*state["observations"], *seen]})
    return steps_ended(after, [ended, *rest], note)


def _counted_at_once(state: PlanActState) -> dict[str, Any]:
    """The cost of calls that were made side by side; `act` has already counted that of a single call."""
    at_once = [one for one in state["results"] if "events" in one]
    if not at_once:
        return {}
    usage = add_usage(state["usage"], *(one.get("usage", NO_USAGE) for one in at_once))
    # They ran beside each other.
    longest = max(one.get("seconds", 0.0) for one in at_once)
    return {"steps": state["steps"] + len(at_once), "seconds": state["seconds"] + longest, "usage": usage}


def _adopted(state: PlanActState, recorder: Recorder) -> dict[int, str]:
    """Add the events of calls that were made side by side to the trace; returns the new id of each call's event."""
    thought, ids = cause_of(state), dict[int, str]()
    for one in sorted(state["results"], key=lambda one: one["place"]):
        if events := one.get("events"):
            ids[one["place"]] = recorder.adopt(events, thought)[0]
    return ids


def _record(recorder: Recorder, seen: Observation, done: CallResult, summary: str, source: str) -> None:
    link = Link(source=source, relation="led_to" if seen["ok"] else "failed")
    if not seen["ok"]:
        link["error"] = seen["result"][:500]
    more: dict[str, Any] = {"ignored": done["ignored"]} if "ignored" in done else {}
    if summary:
        more["summary"] = summary
    seconds = round(done.get("seconds", 0.0), 3)
    recorder.add("observation", [link], **seen, kind_of_failure=done["kind"], seconds=seconds, **more)


def _is_direct(action: Action, done: CallResult | None, loop: PlanActLoop) -> bool:
    """Whether a result is the run's answer: it comes from a tool with `return_direct`."""
    # A person may have answered for a tool that is gone from the graph that was resumed.
    tool = loop.tools.get(action["tool"])
    return bool(tool and done and done["ok"] and tool.return_direct)
