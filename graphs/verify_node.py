"""The node that has an answer judged by running something, and the verifier's contract."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable
from dataclasses import asdict
from typing import Any, cast

from langgraph.errors import GraphBubbleUp

from ..nodes.contract import parser_name
from ..nodes.steps import Call, Steps, finished
from ..tools.verdict import Verdict, VerdictStatus, Verifier
from ..trace.errors import VerifierContractError
from ..trace.events import Link, Recorder, Relation, recording
from .reflection_nodes import Collaborators, current_attempt, kept
from .state import Attempt, ReflectionState


def verify(state: ReflectionState, parts: Collaborators, *, critic_follows: bool = False) -> Steps[dict[str, Any]]:
    """Let the verifier judge the current answer. What it cannot judge is unverified.

    Args:
        state: has the answer in `current`.
        parts: has the verifier.
        critic_follows: an answer that did not pass stays in `current`, for a critic.
    """
    with recording(state["run_id"], len(state["events"])) as recorder:
        judged, seconds = yield from verified(state, parts, recorder)
    settled = judged["verdict"] == "passed" or not critic_follows
    return {**kept(judged, settled), "seconds": state["seconds"] + seconds, "events": recorder.events}


def verified(state: ReflectionState, parts: Collaborators, recorder: Recorder) -> Steps[tuple[Attempt, float]]:
    """The current attempt with the verifier's verdict on it, and the seconds that it took."""
    current = current_attempt(state)
    assert current["answer"] is not None, "an attempt without an answer is settled at once"
    started = time.monotonic()
    verdict = yield from _judged(parts.verifier, state["task"], current["answer"])
    seconds = time.monotonic() - started
    link = Link(source=current["event"], relation=_SHOWN_AS[verdict.status])
    if verdict.status == "failed":
        link["error"] = verdict.feedback[:500]
    recorder.add("verdict", [link], **{**asdict(verdict), "score": verdict.points, "seconds": round(seconds, 3)})
    judged: Attempt = {
        **current,
        "verdict": verdict.status,
        "feedback": verdict.feedback,
        "score": verdict.points,
        "kind": verdict.kind,
    }
    return judged, seconds


_SHOWN_AS: dict[VerdictStatus, Relation] = {"passed": "verified", "failed": "failed", "unverified": "led_to"}


def _judged(verifier: Verifier | None, task: str, answer: str) -> Steps[Verdict]:
    if verifier is None:
        return Verdict("unverified", "There is no verifier.")
    try:
        verdict: object = yield Call(
            lambda: _finished(verifier(task, answer)), lambda: _averdict(verifier, task, answer)
        )
    except GraphBubbleUp:
        # A verifier may ask the user by `interrupt()`.
        raise
    except Exception as error:  # noqa: BLE001 - a broken verifier must not cost the run its answers
        return Verdict("unverified", f"The verifier raised {type(error).__name__}: {error}", kind="verifier_error")
    if not isinstance(verdict, Verdict) or verdict.status not in _SHOWN_AS or not 0 <= verdict.points <= 1:
        raise VerifierContractError(parser_name(cast(Any, verifier)), verdict)
    return verdict


def _finished(verdict: Verdict | Awaitable[Verdict]) -> Any:
    return finished(verdict) if inspect.isawaitable(verdict) else verdict


async def _averdict(verifier: Verifier, task: str, answer: str) -> Any:
    if inspect.iscoroutinefunction(verifier) or inspect.iscoroutinefunction(getattr(verifier, "__call__", None)):  # noqa: B004
        return await cast(Any, verifier)(task, answer)
    verdict = await asyncio.to_thread(verifier, task, answer)
    return await verdict if inspect.isawaitable(verdict) else verdict
