"""The node that has an answer judged by running something; the contract of verifiers is in tools/verdict.py."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, cast, get_args

from langgraph.errors import GraphBubbleUp, is_invalid_resume

from ..._internal.numbers import as_pythons_own, is_share
from ..._internal.redact import line_of, redacted
from ..._internal.steps import Call, Steps, acall_user_function, call_user_function
from ..._internal.strict_json import dumps, loads, storable
from ...errors import MissingCheckpointerError, ScriptExhaustedError, VerifierContractError
from ...parsers.contract import parser_name
from ...tools.verdict import Verdict, Verifier
from ...tools.verifiers.judgment import RAISED, blamed, unjudged, verdict_of, wrong_with
from ...traces.events import Link, Relation, recording
from ...traces.shapes import Attempt, FailedOn, VerdictStatus
from .loop import ReflectionLoop
from .state import ReflectionState, current_attempt, settled_or_current, spent
from .stop import way_after

_UNREAD = "What checks the answer could not read it:"
_MOST_RAISED = 3
"""Answers in a row for which a verifier may raise the same error, if it judges none."""


def verify(
    state: ReflectionState, loop: ReflectionLoop, *, leaves: Collection[VerdictStatus] = ()
) -> Steps[dict[str, Any]]:
    """Let the verifier judge the current answer. What it cannot judge is unverified.

    Args:
        state: has the answer in `current`.
        loop: has the verifier.
        leaves: verdicts after which the answer stays in `current`, so that a model can comment on it. A failed answer
            does not stay if no further attempt would read the comment: there is none, or it starts from scratch with a
            larger model, or it repairs the form, or it is a fresh sample.
    """
    current = current_attempt(state)
    assert current["answer"] is not None, "an attempt without an answer is settled at once"
    started = time.monotonic()
    # A verifier may be a loop of its own, whose run is inside this one.
    cause = [Link(source=current["event"], relation="led_to")]
    with recording(state["run_id"], len(state["events"]), cause) as recorder:
        verdict = yield from _judged(loop.verifier, state["task"], current["answer"])
        if _always_raised(verdict, state["attempts"]):
            raised = verdict.feedback.removeprefix(_UNREAD)
            verdict = unjudged(f"The verifier raised{raised} for each of {_MOST_RAISED} answers: it may be broken")
        link = Link(source=current["event"], relation=_RELATION[verdict.status])
        if verdict.status == "failed":
            link["error"] = verdict.feedback[:500]
        seconds = time.monotonic() - started
        # What passed has not failed, whatever its verifier names every verdict by.
        failed_on = verdict.failed_on if verdict.status == "failed" else None
        kind = "" if verdict.status == "passed" else verdict.kind
        optional: dict[str, Any] = {"failed_on": failed_on} if failed_on else {}
        # The trace is JSON, whatever a verifier thinks worth keeping.
        try:
            details = storable(loads(dumps(_with_text_keys(verdict.details), default=str)))
        except (ValueError, RecursionError) as odd:
            details = {"unreadable": str(odd)}
        recorder.add(
            "verdict",
            [link],
            status=verdict.status,
            feedback=verdict.feedback,
            score=verdict.points,
            kind=kind,
            details=details,
            seconds=round(seconds, 3),
            **optional,
        )
    judged: Attempt = {
        **current,
        "verdict": verdict.status,
        "feedback": verdict.feedback or ("The answer failed its check." if verdict.status == "failed" else ""),
        "score": verdict.points,
        "kind": kind,
    }
    if failed_on:
        judged["failed_on"] = failed_on
    writes = spent(state, recorder, seconds)
    grown = {"attempts": [*state["attempts"], judged], "events": [*state["events"], *recorder.events]}
    ended = cast(ReflectionState, {**state, **writes, **grown})
    unread = verdict.status == "failed" and (way_after(ended, loop) or not loop.notes_are_read)
    stays = verdict.status in leaves and not unread
    return {**settled_or_current(judged, settled=not stays), **writes}


def _with_text_keys(value: Any) -> Any:
    """Details whose keys JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): _with_text_keys(inside) for key, inside in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_with_text_keys(inside) for inside in cast("Sequence[Any]", value)]
    return value


def _always_raised(verdict: Verdict, attempts: Sequence[Attempt]) -> bool:
    """Whether the verifier has said nothing yet, and raised the same for one answer after another."""
    earlier = [one for one in attempts if one["answer"] is not None and one["repeats"] is None]
    same = [one for one in earlier if (one["kind"], one["feedback"]) == (RAISED, verdict.feedback)]
    return verdict.kind == RAISED and len(same) == len(earlier) >= _MOST_RAISED - 1


_RELATION: dict[VerdictStatus, Relation] = {"passed": "verified", "failed": "failed", "unverified": "led_to"}


def _judged(verifier: Verifier | None, task: str, answer: str) -> Steps[Verdict]:
    if verifier is None:
        return Verdict("unverified", "There is no verifier.")
    try:
        # It may run code of the model's in the program, which must not end it.
        said: object = yield Call(
            partial(call_user_function, verifier, task, answer), partial(acall_user_function, verifier, task, answer)
        )
    except (GraphBubbleUp, MissingCheckpointerError, ScriptExhaustedError):
        # A verifier may ask the user by `interrupt()`, and may ask a model of its own, which a test scripts.
        raise
    except AssertionError as failed:
        return Verdict("failed", redacted(str(failed)))
    except Exception as error:
        # A broken verifier must not cost the run its answers.
        if is_invalid_resume(error):
            # The verifier is not broken: the person's answer is not of the kind that it asked for.
            raise
        blame = blamed(error, task, answer)
        if blame == "verifier":
            return unjudged(redacted(f"The verifier raised {line_of(error)}"))
        kind = "unreadable" if blame == "answer" else RAISED
        return Verdict("failed", redacted(f"{_UNREAD} {line_of(error)}"), kind=kind, failed_on="form")
    verdict = verdict_of(said)
    wrong = _unfit(verdict) if verdict else wrong_with(said)
    wrong = "end it with `return True` or `return False`" if said is None else wrong
    if verdict is None or wrong:
        returned = f"returned {type(said).__name__} ({str(said)[:120]}), not a valid Verdict"
        raise VerifierContractError(parser_name(cast(Any, verifier)), f"{returned}: {wrong}" if wrong else returned)
    # A checkpoint keeps no number of numpy's, and no member of an enum.
    return Verdict(
        cast(VerdictStatus, str.__str__(verdict.status)),
        str.__str__(verdict.feedback),
        None if verdict.score is None else float(cast(float, as_pythons_own(verdict.score))),
        str.__str__(verdict.kind),
        verdict.details,
        verdict.failed_on and cast(FailedOn, str.__str__(verdict.failed_on)),
    )


def _unfit(verdict: Verdict) -> str:
    """What is wrong with the first field of a verdict that is not valid; "" if all fields are."""
    fits = (
        ("status", verdict.status in get_args(VerdictStatus), "'passed', 'failed' or 'unverified'"),
        ("feedback", isinstance(cast(object, verdict.feedback), str), "a text"),
        ("score", is_share(verdict.points), "a number from 0 to 1"),
        ("kind", isinstance(cast(object, verdict.kind), str), "a text"),
        ("details", isinstance(cast(object, verdict.details), Mapping), "a dict"),
        ("failed_on", verdict.failed_on in (None, *get_args(FailedOn)), "'form', 'substance' or None"),
    )
    wrong = ((name, wanted) for name, fit, wanted in fits if not fit)
    return next((f"{name} is {getattr(verdict, name)!r:.80}, not {wanted}" for name, wanted in wrong), "")
