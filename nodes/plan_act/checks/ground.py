"""Finds the calls that state something nobody gave, and sends them back."""

from __future__ import annotations

import re
from typing import Any

from ...._internal.texts import shortened
from ....tools.calls.grounding import Sources, held, ungrounded
from ....tools.dates.told import told_times
from ....traces.events import Link
from ....traces.shapes import Action
from ...trace import cause_of, run_recording
from ..loop import PlanActLoop
from ..plans.progress import current_actions
from ..prompts.texts import text
from ..state import PlanActState, clarified, happened, now_of, users_words
from .effect import as_written
from .questions import answer_to, asked_before, to_ask

_SHOWN = 200
_AGREED = "yes"
_TIMES = re.compile(r"\d:\d\d|\d-\d\d|\d[hm]\b")


def ungrounded_calls(state: PlanActState, loop: PlanActLoop) -> list[tuple[Action, list[str]]]:
    """The calls decided on that state something nobody gave, with what that is: a pure function of the state."""
    found: list[tuple[Action, list[str]]] = []
    for action in current_actions(state):
        texts = held(loop.executor.tools[action["tool"]], action)
        if texts and (claims := ungrounded(texts, sources_of(state), now_of(state))):
            found.append((action, claims))
    return found


def ground(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Send a call back that states something nobody gave; the second time in a step, ask the user about it."""
    found = ungrounded_calls(state, loop)
    action, claims = found[0]
    named = ", ".join(dict.fromkeys(claim for _, some in found for claim in some))
    times = ", ".join(one for words in users_words(state) for one in told_times(words, now_of(state)))
    key = "note.not_told"
    if times and _TIMES.search(named):
        key = "note.told" if len(state["plan"]) == 1 else "note.told_some"
    mend = text(loop.language, key, times=times)
    note = text(loop.language, "note.ungrounded", tool=action["tool"], claims=named, mend=mend)
    with run_recording(state) as recorder:
        link = Link(source=cause_of(state)[0]["source"], relation="failed", error=note)
        recorder.add("observation", [link], **action, ok=False, result=note, kind_of_failure="ungrounded")
    writes: dict[str, Any] = {"ungrounded": state["ungrounded"] + 1, "events": recorder.events, "decision": None}
    if state["ungrounded"]:
        about = f"{action['tool']} {shortened(as_written(action['input']), _SHOWN)}"
        question = text(loop.language, "ask.ungrounded", claims=", ".join(claims), call=about)
        if answer := answer_to(question, state):
            return {**writes, **asked_before(question, answer, state, loop)}
        writes["decision"] = to_ask(question)
    return {**writes, "happening": happened("ungrounded", note)}


def sources_of(state: PlanActState) -> Sources:
    """Where what a call states may come from."""
    return Sources(
        said=[state["goal"], state["before"], state["context"]],
        shown=[one["result"] for one in state["observations"] if one["ok"]],
        failed=[*(one["result"] for one in state["observations"] if not one["ok"]), *asked_back(state)],
        # With nobody to ask, what was asked is taken as agreed to.
        answered=[(one["question"], _AGREED if one["assumed"] else one["answer"]) for one in clarified(state)],
    )


def asked_back(state: PlanActState) -> list[str]:
    """What calls lacked, in the tools' words, which may name entries by their numbers."""
    seen = [event["data"] for event in state["events"] if event["kind"] == "observation"]
    return [data["result"] for data in seen if data.get("kind_of_failure") == "incomplete"]
