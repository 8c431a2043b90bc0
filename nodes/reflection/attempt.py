"""The node that asks the actor for an answer. How the answer is asked for: `request.py`."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.messages import BaseMessage

from ..._internal.redact import redacted
from ..._internal.steps import Steps
from ...models.options import WARMTH, sampling_options
from ...models.transport import loss_of
from ...parsers.contract import Parser
from ...tools.verdict import PatchedVerifier
from ...traces.events import Link, Relation, recording
from ...traces.shapes import Attempt, Strategy
from .loop import ReflectionLoop
from .request import Answered, Before, another_sample, answer_steps, attempt_messages
from .state import ReflectionState, settled_or_current, spent
from .stop import larger_left

_log = logging.getLogger("thoughtgraph.attempt")


def attempt(state: ReflectionState, loop: ReflectionLoop) -> Steps[dict[str, Any]]:
    """Ask the actor, as the current strategy says. An answer that was given before is not judged again."""
    patched = _patched(state, loop)
    messages, options = _request(state, loop, patched)
    parser: Parser = patched.parser if patched else loop.parser
    started = time.monotonic()
    with recording(state["run_id"], len(state["events"]), attempt_cause(state)) as recorder:
        try:
            answered = yield from answer_steps(
                loop.model(state["level"]),
                messages,
                parser,
                options,
                max_retries=1 if state["strategy"] == "repair_form" else 2,
            )
        except Exception as failed:  # noqa: BLE001 - `loss_of` raises what is a mistake
            reason = loss_of(failed, achieved=bool(state["attempts"]), others=larger_left(state, loop))
            return {**spent(state, recorder, time.monotonic() - started), **model_lost([reason], state, loop)}
        seconds = time.monotonic() - started
        current: Attempt = {**attempt_of(answered, state), "model": loop.model_name(state["level"])}
        gone = {"gone": state["gone"]} if state["gone"] else {}
        current["event"] = recorder.add(
            "attempt", recorder.after_last(), **current, request=as_sent(messages), seconds=round(seconds, 3), **gone
        )
    return {
        **settled_or_current(current, settled=current["verdict"] is not None),
        **spent(state, recorder, seconds),
        "gone": "",
    }


def model_lost(reasons: Iterable[str], state: ReflectionState, loop: ReflectionLoop) -> dict[str, Any]:
    """What a node writes if the model cannot be reached: the next model of a cascade is asked, or the run ends."""
    causes = "; ".join(dict.fromkeys(filter(None, [state["gone"], *reasons])))
    if not larger_left(state, loop):
        return {"failure": causes}
    _log.warning("the next model is asked, as %s gives no reply: %s", loop.model_name(state["level"]), redacted(causes))
    return {"gone": causes}


def as_sent(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """The messages of a request, as its event has them."""
    return [{"role": message.type, "content": message.content} for message in messages]


_FOLLOWS_AS: dict[Strategy, Relation] = {
    "first": "led_to",
    "repair": "revised",
    "fresh": "retried",
    "lesson": "learned_from",
    "repair_form": "revised",
    "escalate": "retried",
}


def attempt_cause(state: ReflectionState) -> list[Link]:
    """The links of an attempt's event: to the goal, or to what was learned of the last attempt; and to any lessons."""
    events = state["events"]
    last = events[-1]
    if last["kind"] != "reflection" or last["data"].get("source") != "memory":
        return [Link(source=last["id"], relation=_FOLLOWS_AS[state["strategy"]])]
    before = Link(source=events[-2]["id"], relation=_FOLLOWS_AS[state["strategy"]])
    return [before, Link(source=last["id"], relation="learned_from")]


@dataclass(frozen=True, slots=True)
class _Patched:
    """How to ask for only a part of an answer, and the parser that puts the part into the earlier answer."""

    words: str
    parser: Parser


def _patched(state: ReflectionState, loop: ReflectionLoop) -> _Patched | None:
    """How to repair only a part of the last answer; None if the whole answer has to be written again."""
    verifier = loop.verifier
    if state["strategy"] != "repair_form" or not isinstance(verifier, PatchedVerifier):
        return None
    answer = state["attempts"][-1]["answer"]
    try:
        words = verifier.patch_words(answer) if answer else ""
    except Exception:  # noqa: BLE001 - the answer can be asked for as a whole
        _log.warning("%s could not say which parts to ask for again", type(verifier).__name__, exc_info=True)
        return None
    return _Patched(words, partial(verifier.patch, answer)) if answer and words else None


def _request(
    state: ReflectionState, loop: ReflectionLoop, patched: _Patched | None
) -> tuple[list[BaseMessage], dict[str, Any]]:
    """The messages of the attempt, and the options of the call."""
    strategy, done = state["strategy"], state["attempts"]
    last = done[-1]["reply"] if done else ""
    if done and done[-1]["strategy"] == "repair_form" and isinstance(loop.verifier, PatchedVerifier):
        # The reply may hold only a part of the answer.
        last = done[-1]["answer"] or last
    before = Before(
        reply=last,
        feedback=done[-1]["feedback"] if done else "",
        critique=done[-1]["critique"] if done else "",
        reflections=[reflection["text"] for reflection in state["reflections"]],
        form_notes=_form_notes(done) if loop.form_repairs else (),
        patch_words=patched.words if patched else "",
    )
    messages = attempt_messages(state["task"], loop.instructions, loop.criteria, strategy, before, state["lessons"])
    if strategy in ("first", "repair_form", "escalate"):
        return messages, {}
    model = loop.model(state["level"])
    if strategy == "fresh":
        return another_sample(messages, model, len(done))
    return messages, sampling_options(model, WARMTH, seed=len(done))


_MOST_NOTES = 3


def _form_notes(done: Sequence[Attempt]) -> list[str]:
    """What was wrong with the form of earlier answers, the latest ones; each once."""
    notes = [attempt["feedback"] for attempt in done if attempt.get("failed_on") == "form" and not attempt["repeats"]]
    return list(dict.fromkeys(notes))[-_MOST_NOTES:]


def attempt_of(answered: Answered, state: ReflectionState) -> Attempt:
    """An answer as an attempt. An unreadable one has failed at once; a repeated one has its first verdict."""
    done = state["attempts"]
    earlier = _earlier(done, answered.answer)
    attempt = Attempt(
        number=len(done) + 1,
        strategy=state["strategy"],
        reply=answered.reply,
        answer=answered.answer,
        repeats=None,
        verdict="failed" if answered.answer is None else None,
        feedback=answered.feedback,
        critique="",
        score=0.0,
        accepted=None,
        kind=answered.kind,
        usage=answered.usage,
        event="",
    )
    failed_on = "form" if answered.kind == "no_answer" else None
    if earlier:
        attempt["repeats"], attempt["kind"] = earlier["number"], "repeated"
        attempt["feedback"] = f"This is the answer of attempt {earlier['number']} again. {earlier['feedback']}"
        attempt["verdict"], attempt["accepted"] = earlier["verdict"], earlier["accepted"]
        attempt["critique"], attempt["score"] = earlier["critique"], earlier["score"]
        failed_on = earlier.get("failed_on")
    if failed_on:
        attempt["failed_on"] = failed_on
    return attempt


def _earlier(done: list[Attempt], answer: str | None) -> Attempt | None:
    """The earlier attempt with exactly this answer: one that differs by a blank line may get another verdict. Attempts
    that nobody could judge do not count, since a service that was down may be up now."""
    judged = (a for a in done if a["verdict"] != "unverified" or a["accepted"] is not None)
    return next((a for a in judged if answer is not None and a["answer"] == answer), None)
