"""The nodes that draw samples: how many at once, one each, and one after the other as an attempt to be judged.

A batch has one sample, then one, two, four, …: an easy task costs one sample, a hard one few rounds of waiting.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from math import ceil
from typing import Any

from langchain_core.messages import BaseMessage

from ...._internal.redact import redacted
from ...._internal.steps import Call, Steps
from ....models.messages import NO_USAGE, recorded_usage
from ....models.transport import loss_of
from ....traces.events import Event, Link, recording
from ....traces.lookup import answer_lines
from ....traces.shapes import Attempt
from ..attempt import as_sent, attempt_cause, attempt_of, model_lost
from ..loop import ReflectionLoop
from ..request import Answered, another_sample, answer_steps, attempt_messages
from ..state import settled_or_current, spent
from ..stop import larger_left
from .agreement import is_same_key, keyed
from .state import Sample, SampledState, SampleInput

_log = logging.getLogger("thoughtgraph.samples")


def draw(state: SampledState, loop: ReflectionLoop) -> dict[str, Any]:
    """Say how many samples are drawn at once."""
    first: dict[str, Any] = {"keys": []} if state["strategy"] == "first" else {}
    return {"batch": _batch(state, loop), "waiting": [], **first}


def _batch(state: SampledState, loop: ReflectionLoop) -> int:
    attempts = state["attempts"]
    if state["strategy"] != "fresh" or larger_left(state, loop) or loop.held:
        # A model starts with one sample, a smaller model of a cascade draws no other, and a held loop makes one a time.
        return 1
    drawn = _drawn(attempts)
    wanted = min(drawn, loop.attempts_left(len(attempts)))
    # No more than would be drawn before a budget is spent if they were drawn one by one. What a smaller model's sample
    # took says nothing of this model's.
    of_model = _events_after(attempts[:-drawn], state["events"])
    used, each = state["usage"]["total_tokens"], recorded_usage(NO_USAGE, of_model)["total_tokens"] / drawn
    if loop.max_tokens is not None and each:
        wanted = min(wanted, ceil((loop.max_tokens - used) / each))
    if loop.max_cost is not None and (cost := loop.cost(of_model) / drawn):
        wanted = min(wanted, ceil((loop.max_cost - loop.cost(state["events"])) / cost))
    return max(1, wanted)


def _events_after(attempts: Sequence[Attempt], events: Sequence[Event]) -> Sequence[Event]:
    """The events that came after these attempts."""
    last = attempts[-1]["event"] if attempts else ""
    return events[next((place for place, event in enumerate(events, 1) if event["id"] == last), 0) :]


def _drawn(attempts: Sequence[Attempt]) -> int:
    """How many attempts the model that was asked last has made."""
    return 1 + next((place for place, done in enumerate(reversed(attempts)) if done["strategy"] != "fresh"), 0)


def sample_inputs(state: SampledState) -> list[SampleInput]:
    """What each sample of the batch is drawn with."""
    done = len(state["attempts"])
    return [
        SampleInput(
            task=state["task"],
            strategy=state["strategy"],
            level=state["level"],
            lessons=state["lessons"],
            number=number,
            alone=not done,
            silent_nodes=state["silent_nodes"] if number == done + 1 else [],
        )
        for number in range(done + 1, done + 1 + state["batch"])
    ]


def sample(state: SampleInput, loop: ReflectionLoop) -> Steps[dict[str, Any]]:
    """Ask the actor for one sample."""
    messages, options = _request(state, loop)
    lost, key = "", None
    began = time.monotonic()
    # A sample that is drawn again, after an update of the state, is another one.
    with recording(uuid.uuid4().hex[:12]) as recorder:
        try:
            answered = yield from answer_steps(
                loop.model(state["level"]), messages, loop.parser, options, max_retries=2
            )
        except Exception as failed:  # noqa: BLE001 - `loss_of` raises what is a mistake
            lost = loss_of(failed, achieved=not state["alone"], others=larger_left(state, loop))
            answered = Answered("", None, "", "", NO_USAGE)
        seconds = time.monotonic() - began
        # A key may take its time, as any function of the user's.
        answered, key = yield Call(lambda: keyed(answered, loop.key))
    drawn = Sample(
        number=state["number"],
        **asdict(answered),
        key=key,
        request=as_sent(messages),
        began=began,
        seconds=seconds,
        events=recorder.events,
        source="",
        lost=lost,
    )
    return {"samples": [drawn]}


def _request(state: SampleInput, loop: ReflectionLoop) -> tuple[list[BaseMessage], dict[str, Any]]:
    """The messages of a sample, and the options of the call: the model's own for its first one, then others in turn."""
    strategy, number = state["strategy"], state["number"]
    messages = attempt_messages(state["task"], loop.instructions, loop.criteria, strategy, lessons=state["lessons"])
    if strategy != "fresh":
        return messages, {}
    return another_sample(messages, loop.model(state["level"]), number - 1)


def take(state: SampledState, loop: ReflectionLoop) -> dict[str, Any]:
    """Make the next sample an attempt. The events of a new batch join the trace first, by the samples' numbers.

    An answer given before is not judged again. Where samples only agree, every answer counts at once.
    """
    batch = sorted(state["samples"], key=lambda found: found["number"])
    seconds = _waited(batch)
    cause = attempt_cause(state)
    with recording(state["run_id"], len(state["events"])) as recorder:
        waiting = state["waiting"]
        for found in batch:
            # Each follows from what the whole batch follows from: none has seen another.
            ids = recorder.adopt(found["events"], cause)
            if found["lost"]:
                _log.warning("sample %d was lost: %s", found["number"], redacted(found["lost"]))
            else:
                joined: Sample = {**found, "events": [], "source": ids[-1] if ids else ""}
                waiting = [*waiting, joined]
        if not waiting:
            lost = model_lost((found["lost"] for found in batch), state, loop)
            return {**spent(state, recorder, seconds), **lost, "samples": []}
        taken = waiting[0]
        current: Attempt = {**_attempt(taken, state, loop), "model": loop.model_name(state["level"])}
        links = [Link(source=taken["source"], relation="led_to")] if taken["source"] else cause
        gone = {"gone": state["gone"]} if state["gone"] else {}
        current["event"] = recorder.add(
            "attempt", links, **current, request=taken["request"], seconds=round(taken["seconds"], 3), **gone
        )
    return {
        **settled_or_current(current, settled=current["verdict"] is not None),
        **spent(state, recorder, seconds),
        "gone": "",
        "samples": [],
        "waiting": waiting[1:],
        "keys": [*state["keys"], taken["key"]] if loop.key else [],
    }


def _attempt(taken: Sample, state: SampledState, loop: ReflectionLoop) -> Attempt:
    answered = Answered(taken["reply"], taken["answer"], taken["feedback"], taken["kind"], taken["usage"])
    attempt = attempt_of(answered, state)
    if not loop.agrees or taken["answer"] is None:
        return attempt
    if loop.key:
        first = next((number for number, key in enumerate(state["keys"], 1) if is_same_key(key, taken["key"])), None)
    else:
        lines = answer_lines(taken["answer"])
        alike = (a["number"] for a in state["attempts"] if a["answer"] and answer_lines(a["answer"]) == lines)
        first = next(alike, None)
    return {**attempt, "repeats": first, "verdict": "unverified", "feedback": "", "kind": ""}


def _waited(batch: Sequence[Sample]) -> float:
    """The seconds in which at least one sample of a batch was drawn: most are drawn side by side."""
    total, until = 0.0, float("-inf")
    for found in sorted(batch, key=lambda found: found["began"]):
        end = found["began"] + found["seconds"]
        total += max(0.0, end - max(found["began"], until))
        until = max(until, end)
    return total
