"""A day or a time in a call that the user was asked about: the answer puts the right one in its place."""

from __future__ import annotations

import re
from datetime import datetime

from ....._internal.texts import shortened
from .....tools.calls.grounding import is_denial
from .....tools.dates.told import moment_in, told_times
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...state import Clarification
from ..effect import as_written

_MOMENT = re.compile(r"(?<![\d:-])(?:\d{4}-\d\d-\d\d|\d\d:\d\d)(?![\d:-])")
_SHOWN = 200
"""Letters of a call in a question."""


def shown_call(action: Action) -> str:
    """A call as a question shows it."""
    return f"{action['tool']} {shortened(as_written(action['input']), _SHOWN)}"


def is_moment(claim: str) -> bool:
    """Whether a claim is a day, or a time of day, alone."""
    return bool(_MOMENT.fullmatch(claim))


def asked_about(waiting: Action, question: str, loop: PlanActLoop) -> str:
    """The day or the time in a call that a question asks about, whether it is right; "" for another question."""
    call = shown_call(waiting)
    moments = _MOMENT.findall(as_written(waiting["input"]))
    return next((one for one in moments if loop.text("ask.ungrounded", claims=one, call=call) == question), "")


def with_answer(waiting: Action, claim: str, given: Clarification, now: datetime) -> Action | None:
    """A call with the one day or time that an answer gives, in the place of the one that was asked about; None for an
    answer that gives none, or both."""
    answer = given["answer"]
    if given["assumed"] or (is_denial(answer) and not told_times(answer, now)):
        return None
    when, is_time = moment_in(answer, None, now), ":" in claim
    if when is None or when.end or when.has_time is not is_time or when.has_date is is_time:
        return None
    right = f"{when.moment:%H:%M}" if is_time else f"{when.moment:%Y-%m-%d}"
    value = waiting["input"]
    if isinstance(value, str):
        return {**waiting, "input": value.replace(claim, right, 1)}
    return {**waiting, "input": {name: right if one == claim else one for name, one in value.items()}}
