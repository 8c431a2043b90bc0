"""What is said about a run: to the model while it nears a limit, and to the user when it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from ...._internal.texts import Language
from ....traces.shapes import PLANNER, StopReason
from ..guards import Limits, pattern_length, repeats
from ..loop import PlanActLoop
from ..plans.items import failed_items
from ..plans.phases import Phase
from ..state import Observation, PlanActState, finished, remaining
from .texts import text

_SHOWN = 200
_REFUSED = tuple(text(language, "refused_repeat", count="\0").partition("\0")[0] for language in get_args(Language))


def warnings(state: PlanActState, guards: Limits, language: Language) -> list[str]:
    """Warnings for the model, from the guards' share of each limit on."""
    at = guards.warn_at
    found: list[str] = []
    if state["steps"] >= at * guards.max_steps:
        found.append(text(language, "warn.steps", remaining=max(0, guards.max_steps - state["steps"])))
    trail = state["trail"]
    repeated, pattern = repeats(trail, guards), pattern_length(trail, guards)
    # A single call is neither a repeat nor a pattern, however low the limits are.
    if repeated >= max(2, at * guards.duplicate_threshold) or pattern >= max(2, at * guards.loop_window):
        found.append(text(language, "warn.repeats", tool=trail[-1]["tool"]))
    counted = state["errors"] and state["calls"] >= guards.error_min_calls
    if counted and state["errors"] / state["calls"] >= at * guards.error_threshold:
        found.append(text(language, "warn.errors", rate=state["errors"] / state["calls"]))
    used = state["usage"]["total_tokens"]
    if guards.max_tokens is not None and used >= at * guards.max_tokens:
        found.append(text(language, "warn.tokens", used=used, limit=guards.max_tokens))
    if guards.max_seconds is not None and state["seconds"] >= at * guards.max_seconds:
        found.append(text(language, "warn.time", used=state["seconds"], limit=guards.max_seconds))
    return found


def end_of_plan(state: PlanActState, kind: Literal["goal_met", "repeated_plan"], steps: int) -> StopReason:
    """Why a run ends whose plan has nothing left: as the model sees it, unless what was tried has failed."""
    calls = _calls(state["observations"])
    failed = failed_items(finished(state))
    if calls and not any(seen["ok"] for seen in calls):
        return StopReason(kind="steps_failed", value=_error(calls), limit=None)
    if failed and not any(item["status"] == "done" for item in finished(state)):
        return StopReason(kind="steps_failed", value=failed[-1]["response"], limit=None)
    if failed:
        return StopReason(kind="partly_done", value=len(failed), limit=None)
    return StopReason(kind=kind, value=steps, limit=None)


def last_response(state: PlanActState) -> str:
    """What the last step that was done came to; "" if none was."""
    return next((item["response"] for item in reversed(finished(state)) if item["status"] == "done"), "")


def done_lines(state: PlanActState) -> list[str]:
    """What a run has achieved, a line each: steps that are done, and calls of the step it was at that worked."""
    lines = [f"{item['step']}: {item['response']}" for item in finished(state) if item["status"] == "done"]
    worked = [seen for seen in calls_of_step(state) if seen["ok"]]
    return lines + [f"{seen['tool']} {_brief(seen['input'])} → {_brief(seen['result'])}" for seen in worked]


def failed_lines(state: PlanActState, language: Language) -> list[str]:
    """What did not work and was not made good, for the user: a model may well pass over it."""
    lines = [f"- {item['step']}: {item['response']}" for item in failed_items(finished(state))]
    return [text(language, "end.failed"), *lines] if lines else []


def step_error(state: PlanActState, number: int) -> str:
    """The last error of a current step if none of its calls worked; "" if one did, or none was made."""
    calls = calls_of_step(state, number)
    if not calls or any(seen["ok"] for seen in calls):
        return ""
    return _error(calls)


def may_end_in_prose(phase: Phase, state: PlanActState) -> bool:
    """Whether plain words may end the run: no tool was called yet, or all calls worked and this is the last step."""
    calls = _calls(state["observations"])
    return phase == "plan" or (
        phase == "thought" and (not calls or (len(remaining(state)) == 1 and all(seen["ok"] for seen in calls)))
    )


def calls_of_step(state: PlanActState, number: int | None = None) -> Sequence[Observation]:
    """What the tool calls of the current step came to; where a round works on several, of all or of one of them."""
    calls = _calls(state["observations"][state["seen_before"] :])
    # A call without a step was made while the round worked on one.
    return calls if number is None else [seen for seen in calls if seen.get("step", number) == number]


def _calls(observations: Sequence[Observation]) -> Sequence[Observation]:
    return [seen for seen in observations if seen["tool"] != PLANNER]


def _error(calls: Sequence[Observation]) -> str:
    """The last error of calls; of one that was not made again, the error that it had."""
    made = [seen for seen in calls if not seen["result"].startswith(_REFUSED)]
    return _brief((made or calls)[-1]["result"].partition("\n")[0])


def ending(state: PlanActState, stop: StopReason, best: str, loop: PlanActLoop) -> str:
    """The answer of a run that could not finish: what is known, what is done, why it stopped, what to do next."""
    kind, language = stop["kind"], loop.language
    parts: list[str] = []
    if kind in ("planner_unavailable", "model_unavailable", "repeated_question", "too_many_questions"):
        parts.append(text(language, kind))
    if best:
        parts.append(text(language, "end.best", answer=best))
    done = done_lines(state)
    nothing = text(language, "end.nothing_done")
    parts.append("\n".join([text(language, "end.done"), *(f"- {line}" for line in done or [nothing])]))
    parts += failed_lines(state, language) or _failed_call(state, kind, language)
    why = text(language, f"why.{kind}", value=stop["value"], limit=stop["limit"])
    parts.append(f"{text(language, 'end.why')} {why}")
    if remaining(state):
        rest = [f"- {item['step']}" for item in remaining(state)]
        parts.append("\n".join([text(language, "end.open"), *rest]))
    if kind != "steps_failed":
        return "\n".join([*parts, what_next("end.advice", loop)])
    parts.append(what_next("end.advice_failed", loop))
    if state["response"]:
        parts.append(text(language, "end.words", answer=state["response"]))
    return "\n".join(parts)


def carried_on(state: PlanActState, language: Language) -> str:
    """What the next run is told of one that could not finish: what it did, what it did not, and the last error of a
    call. What the model says of it is left out: the next run would take it for known."""
    done = done_lines(state) or [text(language, "end.nothing_done")]
    parts = [text(language, "end.done"), *(f"- {line}" for line in done)]
    left = [f"- {item['step']}" for item in [*failed_items(finished(state)), *remaining(state)]]
    parts += [text(language, "end.failed"), *left] if left else []
    calls = _calls(state["observations"])
    return "\n".join([*parts, _error(calls)] if calls and not calls[-1]["ok"] else parts)


def _failed_call(state: PlanActState, kind: str, language: Language) -> list[str]:
    """The last call, where it belonged to a step that the plan has dropped; only of a run that it made fail."""
    calls = _calls(state["observations"])
    if kind != "steps_failed" or not calls:
        return []
    last = calls[-1]
    return [text(language, "end.failed"), f"- {last['tool']} {_brief(last['input'])}: {_error(calls)}"]


def what_next(key: str, loop: PlanActLoop) -> str:
    """What the user can do next: the loop's advice, and the application's own."""
    own = text(loop.language, "end.or", advice=loop.advice) if loop.advice else ""
    return f"{text(loop.language, 'end.next')} {text(loop.language, key)}{own}"


def _brief(value: object) -> str:
    shown = " ".join(str(value).split())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
