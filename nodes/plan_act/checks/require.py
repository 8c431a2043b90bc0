"""Asks the user for what a call cannot do without, and completes the call from the answer.

In the order in which they are called:

1. `as_user_told` checks each call that the model writes, and puts it as the user means it.
2. `gap_in` tells what a call lacks (`Gap`), when a thought or a plan has decided on it.
3. The node `require` sends such a call back to the model, leaves its step as failed, or has the user asked. The call
   waits in the decision (`next_action`) while the node `ask_user` does so.
4. The node `read_answer` completes the call that waits, or has the model plan again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ...._internal.steps import Call, Steps
from ....tools.calls.effects import may_change, only_reads
from ....tools.calls.grounding import is_declined
from ....tools.calls.hooks import call_hook
from ....tools.calls.names import words_of
from ....tools.calls.required import as_told, meant_for, missing
from ....tools.likeness import marks
from ....tools.metadata import Missing, Told, metadata_of
from ....traces.shapes import Action, Decision, PlanItem
from ...trace import run_recording
from ..guards import calls_to_make
from ..loop import PlanActLoop
from ..plans.forms import LONGEST_STEP
from ..plans.items import normalized, open_item
from ..plans.payloads import as_json
from ..plans.progress import calls_of_step, current_actions, current_steps, finished, remaining, steps_ended
from ..prompts.turns import finished_note, note_turn, turn_of
from ..state import Clarification, Gap, PlanActState, clarified, happened, now_of, users_words
from .another import asks_of_another, is_another_request, is_of_its_own, parted
from .calls.as_dates import with_iso_dates
from .calls.doubts import other_entry
from .calls.moments import asked_about, asks_if_right, with_answer
from .calls.stated import incomplete_notes, record_held_back
from .calls.wanted import to_other_tools
from .confirm import confirmed, is_only_yes
from .ground import ungrounded_calls
from .questions import MOST_SENT_BACK, answer_to, ask_decision, asked_before, is_open, says_nothing_new


def gap_in(decision: Decision | None, state: PlanActState, loop: PlanActLoop, step: str = "") -> Steps[Gap | None]:
    """What the first of the calls that were decided on lacks; None if they are complete, or were asked about.

    Args:
        decision: with the calls.
        step: for which a plan brings the call along.
    """
    asked = {normalized(given["question"]) for given in clarified(state)}
    for action in current_actions(cast(PlanActState, {**state, "decision": decision})):
        if (failed := _failed_again(action, state, loop)) and normalized(failed) not in asked:
            return Gap(question=failed, tool=action["tool"], at_once=True, hint="", unwanted=False)
        found = yield from _missing(action, state, loop, users_words(state)[1:], step)
        if not found:
            continue
        question = found.question
        gap = Gap(
            question=question, tool=action["tool"], at_once=found.at_once, hint=found.hint, unwanted=found.unwanted
        )
        # Nothing is lost by a call that changes nothing.
        harmless = only_reads(loop.tools[action["tool"]])
        stands = found.stands and not (harmless and says_nothing_new(question, state))
        if stands or _is_left_open(question, state):
            return gap
        # A new plan may bring the call of a step once more. Another call of the step was told of something else.
        told = any(_gap_note(gap, loop) in note for note in incomplete_notes(state))
        insists = told or state["incomplete"] >= MOST_SENT_BACK
        # A question that was asked is settled, and so is a note without a question that the model was told before.
        if normalized(question) not in asked and (question or not insists):
            return gap
    return None


def _is_left_open(question: str, state: PlanActState) -> bool:
    """Whether the user was asked, and the answer says of none of what was asked about that it is meant."""
    answer = answer_to(question, state)
    return is_declined(question, answer, now_of(state)) or (is_only_yes(answer) and is_open(question))


def _failed_again(action: Action, state: PlanActState, loop: PlanActLoop) -> str:
    """The question about a call that keeps failing: twice as it is, or three calls of its tool with one error; "" for
    any other."""
    tool = loop.tools[action["tool"]]
    if not loop.interactive or not metadata_of(tool).get("required") or not may_change(tool):
        return ""
    calls = [seen for seen in calls_of_step(state)[-3:] if not seen["ok"] and seen["tool"] == action["tool"]]
    same = [seen for seen in calls[-2:] if seen["input"] == action["input"]]
    if len(same) < 2 and not (len(calls) == 3 and len({seen["result"] for seen in calls}) == 1):
        return ""
    return loop.text("ask.failed", error=calls[-1]["result"].partition("\n")[0])


def require(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Put the question about what is missing; where the user may have said it, send the call back first."""
    gap, decision = state["gap"], state["decision"]
    assert gap is not None and decision is not None, "the route here has both"
    note = _gap_note(gap, loop)
    if gap["unwanted"]:
        note = to_other_tools(note, state, loop)
    with run_recording(state) as recorder:
        action = next(one for one in current_actions(state) if one["tool"] == gap["tool"])
        record_held_back(recorder, action, note, "incomplete", state)
    writes: dict[str, Any] = {
        "incomplete": state["incomplete"] + 1,
        "gap": None,
        "events": recorder.events,
        "decision": None,
    }
    if given := answer_to(gap["question"], state):
        return {**writes, **asked_before(gap["question"], given, state, loop)}
    if not gap["question"] and note in incomplete_notes(state):
        return {**writes, **_left_as_failed(gap["hint"], state, loop)}
    writes["happening"] = happened("incomplete", note)
    if gap["question"] and (gap["at_once"] or _was_sent_back(gap, note, state)):
        alone = decision["next_action"] if len(current_actions(state)) == 1 else None
        writes["decision"] = ask_decision(gap["question"], alone)
    return writes


def _was_sent_back(gap: Gap, note: str, state: PlanActState) -> bool:
    """Whether a call was sent back often enough: twice if nobody asked for it, else once; or other calls of the step
    were."""
    return incomplete_notes(state).count(note) > (1 if gap["unwanted"] else 0) or state["incomplete"] >= MOST_SENT_BACK


def _gap_note(gap: Gap, loop: PlanActLoop) -> str:
    """What the model is told of a call that lacks something."""
    key = "note.doubtful" if gap["hint"] else "note.incomplete"
    return loop.text(key, tool=gap["tool"], question=gap["question"], hint=gap["hint"])


def _left_as_failed(why: str, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """The update that leaves a step as failed: its call came again, and nobody is to be asked about it."""
    number, step, rest = min(current_steps(state)), remaining(state)[0], remaining(state)[1:]
    note = finished_note(loop.language, number, step["step"], why, failed=True)
    failed: PlanItem = {**step, "status": "failed", "response": why}
    return steps_ended(state, [failed, *rest], note)


def read_answer(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Complete the call that waits for the user's answer; where none waits, or the answer does not settle it, the model
    plans again, and where it is another request, that is planned."""
    decision, given = state["decision"], clarified(state)[-1]
    waiting = decision["next_action"] if decision else None
    if decision is None or waiting is None:
        return (yield from _planned_again(given, state, loop))
    if (entry := other_entry(waiting, given, state, loop)) is not None:
        put = yield from _settled(decision, entry, given, state, loop)
        return put or {"decision": None}
    if asks_if_right(waiting, given["question"], loop):
        put = waiting if not given["assumed"] and is_only_yes(given["answer"]) else None
        if put is None and (claim := asked_about(waiting, given["question"], loop)):
            put = with_answer(waiting, claim, given, now_of(state))
        if put:
            return (yield from _settled(decision, put, given, state, loop)) or {"decision": None}
        return (yield from _planned_again(given, state, loop))
    if confirmed(waiting, given["question"], given["answer"], loop):
        return _made_next(decision, waiting, state, loop)
    return (yield from _completed(decision, waiting, given, state, loop))


def _planned_again(given: Clarification, state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """The update for an answer that completes no call: the model plans again, or plans it if it is another request."""
    another = yield from is_another_request(given, state, loop)
    return {"decision": None, **({"phase": "plan"} if another else {})}


def _completed(
    decision: Decision, waiting: Action, given: Clarification, state: PlanActState, loop: PlanActLoop
) -> Steps[dict[str, Any]]:
    """The update for a call that waits for what it lacks. The answer may complete it, be another request, or both: "at
    ten, and add milk to my list"."""
    as_another_request, unsettled = {"decision": None, "phase": "plan"}, {"decision": None}
    found = yield from _missing(waiting, state, loop, [one["answer"] for one in clarified(state)[:-1]])
    known = "\n".join([state["goal"], given["question"], str(waiting["input"])])
    answer, further = parted(given["answer"], known, now_of(state))
    own = is_of_its_own(given["answer"], known, now_of(state))
    asks: bool = yield Call(lambda: asks_of_another(given["answer"], known, loop))
    if asks or (found is None and own):
        return as_another_request
    if found is None:
        # The question was what to do about a call that failed: no answer to that completes it.
        return unsettled
    value = None if given["assumed"] else call_hook(waiting["tool"], "completed", found.completed, answer or further)
    if further and not answer:
        # "Add batteries" may also be what the call waits for: then its words are in the call.
        if not marks(str(value)) & marks(further):
            return as_another_request
        further = ""
    if not value:
        return as_another_request if own else unsettled
    settled = yield from _settled(decision, {"tool": waiting["tool"], "input": value}, given, state, loop)
    if not settled:
        return unsettled
    steps = _without_alternatives(state, given["question"])
    if len(steps) < len(remaining(state)):
        settled |= {"plan": steps, "direct": len(steps) == 1 and not finished(state)}
    if further:
        settled |= {"plan": [*steps, open_item(further[:LONGEST_STEP])], "direct": False}
    return settled


def _settled(
    decision: Decision, completed: Action, given: Clarification, state: PlanActState, loop: PlanActLoop
) -> Steps[dict[str, Any]]:
    """The update that makes a completed call next; empty if the call still lacks something."""
    # The answer may say more than was asked: "at one, in the canteen".
    action = as_user_told(state, loop)(completed)
    if isinstance(action, str):
        return {}
    settled = _made_next(decision, action, state, loop)
    changed = cast(PlanActState, {**state, "decision": settled["decision"], "results": []})
    if ungrounded_calls(changed, loop) or not calls_to_make(changed, loop.guards):
        return {}
    still = yield from gap_in(settled["decision"], state, loop)
    return {} if still and normalized(still["question"]) != normalized(given["question"]) else settled


def _without_alternatives(state: PlanActState, question: str) -> list[PlanItem]:
    """The open steps without those that the answer to a question has settled beside the current one: a small model
    plans a step for each entry that may be meant. They begin alike, and nothing but words of the question, which lists
    the entries, tells them apart."""
    steps, asked = remaining(state), frozenset(words_of(question))
    if not steps or "\n" not in question.strip():
        return steps
    first, *rest = (words_of(item["step"]) for item in steps)
    settled = [words[:1] == first[:1] and frozenset(words) ^ frozenset(first) <= asked for words in rest]
    return [item for item, gone in zip(steps, (False, *settled), strict=True) if not gone]


def _made_next(decision: Decision, action: Action, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """The update that makes a call next which the user's answer has settled."""
    completed: Decision = {**decision, "status": "continue", "question": None, "next_action": action}
    note = note_turn(loop.language, state["happening"]["note"], "thought")
    return {
        "decision": completed,
        "phase": "thought",
        "happening": happened("decided"),
        "turns": [note, turn_of("assistant", as_json(completed))],
    }


def _missing(
    action: Action, state: PlanActState, loop: PlanActLoop, answers: Sequence[str], step: str = ""
) -> Steps[Missing | None]:
    # The graph that is resumed may be without it.
    tool = loop.tools.get(action["tool"])
    if tool is None or not metadata_of(tool).get("required"):
        return None
    told = told_of(state, action, answers, step)
    # It may look at what the tool keeps, which can block.
    found: Missing | None = yield Call(lambda: missing(tool, action, told, loop.language))
    return found


def told_of(state: PlanActState, action: Action, answers: Sequence[str], step: str = "") -> Told:
    """What is known when a call is decided on.

    Args:
        answers: to questions.
        step: for which a plan brings the call along; another call is for those that the run works on.
    """
    if state["phase"] == "thought":
        step = " ".join(item["step"] for item in current_steps(state).values())
    worked = [seen for seen in state["observations"] if seen["ok"]]
    return Told(
        request=[state["goal"], *answers],
        before=state["before"],
        elsewhere=[seen["result"] for seen in worked if seen["tool"] != action["tool"]],
        now=now_of(state),
        step=step,
        done=[seen["result"] for seen in worked if seen["tool"] == action["tool"]],
        context=state["context"],
    )


def as_user_told(state: PlanActState, loop: PlanActLoop) -> Callable[[Mapping[str, Any]], Action | str]:
    """The check of a call, which also puts it as it is meant: to the tool for it, in the user's terms."""

    def check(call: Mapping[str, Any]) -> Action | str:
        step = str(call.get("step") or "")
        action = loop.check_action(with_iso_dates(call, loop.tools, now_of(state), state["goal"]))
        if isinstance(action, str):
            return action
        tools, answers = loop.tools, users_words(state)[1:]
        action = meant_for(tools, action, told_of(state, action, answers, step))
        return as_told(tools[action["tool"]], action, told_of(state, action, answers, step))

    return check
