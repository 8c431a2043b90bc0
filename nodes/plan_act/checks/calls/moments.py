"""A day, a time or an amount in a call that the user was asked about: the answer puts the right one in its place."""

from __future__ import annotations

import re
from datetime import datetime

from ....._internal.strict_json import map_texts
from ....._internal.texts import shortened
from .....tools.calls.grounding import is_denial
from .....tools.dates.numbers import numbers_in
from .....tools.dates.told import moment_in, told_times
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...state import Clarification
from ..effect import as_written

_MOMENT = re.compile(r"(?<![\d:-])(?:\d{4}-\d\d-\d\d|\d\d:\d\d)(?![\d:-])")
_DAY_AND_TIME = re.compile(r"(?<![\d:-])(\d{4}-\d\d-\d\d)([T ])\d\d:\d\d(?![\d-])")
_AMOUNT = re.compile(r"(?<![\w.:-])\d+(?:\.\d+)?(?![\w:-]|\.\d)")
_SHOWN = 200
"""Letters of a call in a question."""


def shown_call(action: Action) -> str:
    """A call as a question shows it."""
    return f"{action['tool']} {shortened(as_written(action['input']), _SHOWN)}"


def asks_if_right(waiting: Action, question: str, loop: PlanActLoop) -> bool:
    """Whether a question asks if what a call states, and nobody gave, is right."""
    head, tail = loop.text("ask.ungrounded", claims="\0", call=shown_call(waiting)).split("\0")
    return question.startswith(head) and question.endswith(tail)


def asked_about(waiting: Action, question: str, loop: PlanActLoop) -> str:
    """The day, the time or the amount in a call that a question asks about, whether it is right; "" for another
    question."""
    call, written = shown_call(waiting), as_written(waiting["input"])
    # A question names the two parts of a moment each.
    both = {f"{one[1]}, {one[0][len(one[1]) + 1 :]}": one[0] for one in _DAY_AND_TIME.finditer(written)}
    found = {**both, **{one: one for one in (*_MOMENT.findall(written), *_AMOUNT.findall(written))}}
    asked = (one for one in found if loop.text("ask.ungrounded", claims=one, call=call) == question)
    return next((found[one] for one in asked), "")


def with_answer(waiting: Action, claim: str, given: Clarification, now: datetime) -> Action | None:
    """A call with the one day, time or amount that an answer gives, in the place of the one that was asked about; None
    for an answer that gives none, or several."""
    answer = given["answer"]
    if both := _DAY_AND_TIME.fullmatch(claim):
        when = None if given["assumed"] else moment_in(answer, None, now)
        if when is None or when.end or not when.has_time:
            return None
        day = f"{when.moment:%Y-%m-%d}" if when.has_date else both[1]
        return _put(waiting, claim, f"{day}{both[2]}{when.moment:%H:%M}")
    if not _MOMENT.fullmatch(claim):
        return None if given["assumed"] else _with_amount(waiting, float(claim), answer)
    if given["assumed"] or (is_denial(answer) and not told_times(answer, now)):
        return None
    when, is_time = moment_in(answer, None, now), ":" in claim
    if when is None or when.end or when.has_time is not is_time or when.has_date is is_time:
        return None
    return _put(waiting, claim, f"{when.moment:%H:%M}" if is_time else f"{when.moment:%Y-%m-%d}")


def _put(waiting: Action, claim: str, right: str) -> Action:
    """A call with a text in the place of another one."""
    value = waiting["input"]
    if isinstance(value, str):
        return {**waiting, "input": value.replace(claim, right, 1)}

    def put(one: str) -> str:
        return right if one == claim else one.replace(claim, right) if _DAY_AND_TIME.fullmatch(one) else one

    return {**waiting, "input": map_texts(value, put)}


def _with_amount(waiting: Action, asked: float, answer: str) -> Action | None:
    """A call with the one number that an answer gives, in the place of the one that was asked about."""
    numbers, value = numbers_in(answer), waiting["input"]
    if len(numbers) != 1 or isinstance(value, str):
        return None
    given = numbers.pop()
    right = int(given) if given == int(given) else given
    places = [name for name, one in value.items() if type(one) in (int, float) and one == asked]
    return {**waiting, "input": {**value, places[0]: right}} if len(places) == 1 else None
