"""The nodes that pause for the user: for an answer, and for the approval of tool calls.

LangGraph runs a node again from its beginning when the run is resumed, so they record what the user said, and write it
to the state, only after the pause.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NotRequired, get_args

from langchain_core.messages import BaseMessage
from langgraph.runtime import get_runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from ..._internal.strict_json import dumps, entries, mapping
from ..._internal.texts import shortened
from ...errors import ThreadStateError
from ...models.messages import content_parts
from ...tools.calls.action_check import arguments
from ...tools.calls.hooks import call_hook
from ...traces.events import Recorder
from ...traces.shapes import ASK_USER, HUMAN_REVIEW, Action, StopReason
from ..channels import thread_id
from ..trace import cause_of, run_recording
from .asking.conversation import MAX_OBSERVATION, step_words
from .guards import calls_to_make
from .loop import Approval, DecisionType, PlanActLoop
from .plans.progress import current_actions, remaining
from .prompts.turns import answered_note
from .state import CallResult, Clarification, PlanActState, happened, step_counters

_CANCEL = frozenset({"cancel", "/cancel", "取消当前任务"})
_GIVES_UP = re.compile(
    r"(?:(?:oh|ah|no|nah|nope|ok|okay|well|actually)\b[,.! ]*)*"
    r"(?:never ?mind|forget (?:about )?(?:it|that|the whole thing)|don['’]?t bother|leave it(?: be| at that)?)"
    r"(?:[,. ]+(?:then|now|please|thanks|thank you|about it|that))*[.! ]*"
    r"|(?:哦|那|那就|还是|没事)?[，,]?(?:算了|不用了|别管了|不弄了)[吧啦]?[，,]?(?:谢谢)?[。！! ]*",
    re.IGNORECASE,
)
"""An answer that says nothing but that the user no longer wants it: "oh, never mind then"."""


def is_cancel(said: str) -> bool:
    """Whether the user cancels the task: `cancel`, `/cancel` or `取消当前任务`, in any case, also in full width."""
    return unicodedata.normalize("NFKC", said).strip().casefold() in _CANCEL


def ask_user(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Pause for the user's answer; `read_answer` then completes the call that waits, or the rest is planned again."""
    decision = state["decision"]
    if not decision or not decision["question"]:
        raise ThreadStateError(thread_id(), "ask_user", "the `decision` has no question")
    question = str(decision["question"])
    if loop.interactive:
        resumed_with: object = interrupt(f"{loop.ask_prefix}{question}")
        words = content_parts(resumed_with)[1] if isinstance(resumed_with, BaseMessage) else str(resumed_with)
        answer = shortened(words.strip(), MAX_OBSERVATION)
    else:
        answer = loop.text("ask.assumption")
    with run_recording(state) as recorder:
        recorder.add("observation", cause_of(state), tool=ASK_USER, input=question, ok=True, result=answer)
    # With several open steps, the user may give up only one of them.
    if is_cancel(answer) or (_GIVES_UP.fullmatch(answer) and len(remaining(state)) < 2):
        return _cancelled(state, recorder)
    clarification = Clarification(question=question, answer=answer, assumed=not loop.interactive)
    return {
        "clarifications": [clarification],
        "questions": state["questions"] + 1,
        # After help from the user, the share of failed calls is counted from zero.
        **({"calls": 0, "errors": 0} if loop.interactive else {}),
        # If a call waits for the answer, `read_answer` completes it.
        "decision": decision if decision["next_action"] else None,
        "phase": "replan",
        **step_counters(),
        "happening": happened("answered", answered_note(loop.language, question, answer)),
        "events": recorder.events,
    }


def _cancelled(state: PlanActState, recorder: Recorder) -> dict[str, Any]:
    return {"stop": StopReason(kind="cancelled", value=state["steps"], limit=None), "events": recorder.events}


class Decided(TypedDict):
    """What a person decided about a call: LangChain's `Decision`, checked."""

    type: DecisionType
    message: NotRequired[str]
    action: NotRequired[Action]


def approve(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Pause until a person has decided about the round's calls that need it.

    The interrupt's value is LangChain's `HITLRequest`, and the run is resumed with a `HITLResponse`: one decision for
    each call, in the same order. If the response does not fit, the person is asked again, with the reason in `problem`.
    If the graph that resumes the run needs no approval for any of the calls, they all wait for one as before. A
    `description` that is a function is called before the pause, and again whenever the run is resumed.
    """
    actions = list(current_actions(state))
    to_come = calls_to_make(state, loop.guards)
    if not to_come:
        return {"results": []}
    places = [place for place in to_come if actions[place]["tool"] in loop.interrupt_on] or to_come
    waiting = [actions[place] for place in places]
    asked = _request(waiting, state, loop)
    answer: object = interrupt(asked)
    alone = len(actions) == 1
    decided = _decisions(answer, waiting, loop, alone=alone)
    while isinstance(decided, str):
        if isinstance(answer, str) and is_cancel(answer):
            with run_recording(state) as recorder:
                for action in waiting:
                    _record(recorder, state, action, answer)
            return _cancelled(state, recorder)
        answer = interrupt({**asked, "problem": decided})
        decided = _decisions(answer, waiting, loop, alone=alone)
    results: list[CallResult] = []
    with run_recording(state) as recorder:
        for place, one in zip(places, decided, strict=True):
            _record(recorder, state, actions[place], dumps(dict(one), ensure_ascii=False))
            if one["type"] in ("reject", "respond"):
                results.append(_answered(place, one, loop))
            elif "action" in one:
                actions[place] = {**actions[place], **one["action"]}
    decision = state["decision"]
    assert decision is not None, "calls come from a decision"
    edited = {"next_actions": actions} if len(actions) > 1 else {"next_action": actions[0]}
    return {"decision": {**decision, **edited}, "results": results, "events": recorder.events}


def _record(recorder: Recorder, state: PlanActState, action: Action, said: str) -> None:
    call = {"tool": action["tool"], "input": action["input"]}
    recorder.add("observation", cause_of(state), tool=HUMAN_REVIEW, input=call, ok=True, result=said)


def _approval(tool: str, loop: PlanActLoop) -> Approval:
    return loop.interrupt_on.get(tool) or Approval(get_args(DecisionType))


def _request(actions: Sequence[Action], state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    requests: list[dict[str, Any]] = []
    configs: dict[str, dict[str, Any]] = {}
    for action in actions:
        name, given, approval = action["tool"], action["input"], _approval(action["tool"], loop)
        tool = loop.tools.get(name)
        # A tool that is no longer there cannot say what its argument is called.
        values = arguments(tool, given) if tool else given if isinstance(given, dict) else {"input": given}
        description = approval.description
        if callable(description):
            call = {"name": name, "args": values, "id": None, "type": "tool_call"}
            description = call_hook(name, "interrupt_on", description, call, dict(state), get_runtime())
        description = str(description or "") or loop.text("approve.step", step=step_words(state, loop))
        requests.append({"name": name, "args": values, "description": description})
        configs[name] = {"action_name": name, "allowed_decisions": list(approval.allowed)}
    return {"action_requests": requests, "review_configs": list(configs.values())}


def _decisions(answer: object, actions: Sequence[Action], loop: PlanActLoop, *, alone: bool) -> list[Decided] | str:
    """The decisions about the calls that wait, or what is wrong with them; `alone` if the round has one call in all."""
    decisions = entries(mapping(answer).get("decisions"))
    if len(decisions) != len(actions):
        shown = dumps({"decisions": [{"type": _approval(action["tool"], loop).allowed[0]} for action in actions]})
        return f"resume with as many decisions as there are calls, in their order, such as {shown}"
    checked_decisions: list[Decided] = []
    for fields, action in zip(map(mapping, decisions), actions, strict=True):
        allowed = _approval(action["tool"], loop).allowed
        if fields.get("type") not in allowed:
            return f"a decision about {action['tool']} has the type {' or '.join(allowed)}"
        message = fields.get("message")
        if fields["type"] == "respond" and not isinstance(message, str):
            return "`respond` needs a `message`, which stands for the tool's result"
        decided = Decided(type=fields["type"])
        if isinstance(message, str) and fields["type"] in ("reject", "respond"):
            decided["message"] = shortened(message.strip(), MAX_OBSERVATION)
        if fields["type"] == "edit":
            call = mapping(fields.get("edited_action"))
            checked = loop.check_action({"tool": call.get("name"), "input": call.get("args")})
            if isinstance(checked, str):
                return f"`edit` needs an `edited_action` with `name` and `args` that the tool takes: {checked}"
            if not alone and checked["tool"] not in {action["tool"], *loop.parallel}:
                return f"`edit` gives a call of {checked['tool']}, which may not be called beside the others"
            decided["action"] = checked
        checked_decisions.append(decided)
    return checked_decisions


def _answered(place: int, one: Decided, loop: PlanActLoop) -> CallResult:
    """The result of a call that was not made, in the person's words."""
    if one["type"] == "respond":
        return CallResult(place=place, ok=True, result=one.get("message", ""), kind="")
    reason = one.get("message", "")
    result = loop.text("approve.rejected_why" if reason else "approve.rejected", reason=reason)
    return CallResult(place=place, ok=False, result=result, kind="rejected")
