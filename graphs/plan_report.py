"""What is said about a run: to the model while it nears a limit, and to the user when it ends."""

from __future__ import annotations

from collections.abc import Sequence

from ..nodes.catalogue import Language, text
from .guards import Limits, pattern_length, repeats
from .plan_state import Observation, PlanActState
from .state import StopReason

_SHOWN = 200


def warnings(state: PlanActState, guards: Limits, language: Language) -> list[str]:
    """Warnings for the model, from the guards' share of each limit on."""
    at = guards.warn_at
    found: list[str] = []
    if state["steps"] >= at * guards.max_steps:
        found.append(text(language, "warn.steps", remaining=max(0, guards.max_steps - state["steps"])))
    trail = state["trail"]
    repeated, pattern = repeats(trail, guards), pattern_length(trail, guards)
    # One call is no repeat and no pattern, however low the limits are.
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


def last_response(state: PlanActState) -> str:
    """What the last finished step came to; "" where none is finished."""
    return state["finished"][-1]["response"] if state["finished"] else ""


def done_lines(state: PlanActState) -> list[str]:
    """What a run has achieved, a line each: steps that are done, and calls of the step it was at that worked."""
    lines = [f"{item['step']}: {item['response']}" for item in state["finished"] if item["status"] == "done"]
    worked = [seen for seen in _calls_of_step(state) if seen["ok"]]
    return lines + [f"{seen['tool']} {_brief(seen['input'])} → {_brief(seen['result'])}" for seen in worked]


def failed_lines(state: PlanActState, language: Language) -> list[str]:
    """What did not work and was not made good, for the user: a model may well pass over it."""
    done = {item["step"] for item in state["finished"] if item["status"] == "done"}
    failed = [item for item in state["finished"] if item["status"] == "failed" and item["step"] not in done]
    lines = [f"- {item['step']}: {item['response']}" for item in failed]
    return [text(language, "end.failed"), *lines] if lines else []


def step_error(state: PlanActState) -> str:
    """The last error of the current step where none of its calls worked; "" where one did, or none was made."""
    calls = _calls_of_step(state)
    if not calls or any(seen["ok"] for seen in calls):
        return ""
    return _brief(calls[-1]["result"].partition("\n")[0])


def _calls_of_step(state: PlanActState) -> Sequence[Observation]:
    return [seen for seen in state["observations"][state["seen_before"] :] if seen["tool"] != "planner"]


def ending(state: PlanActState, stop: StopReason, best: str, language: Language) -> str:
    """The answer of a run that could not finish: what is known, what is done, why it stopped, what to do next."""
    kind = stop["kind"]
    parts: list[str] = []
    if kind in ("planner_unavailable", "repeated_question", "too_many_questions"):
        parts.append(text(language, kind))
    elif kind == "model_unavailable":
        parts.append(text(language, "planner_unavailable"))
    if best:
        parts.append(text(language, "end.best", answer=best))
    done = done_lines(state)
    nothing = text(language, "end.nothing_done")
    parts.append("\n".join([text(language, "end.done"), *(f"- {line}" for line in done or [nothing])]))
    parts += failed_lines(state, language)
    why = text(language, f"why.{kind}", value=stop["value"], limit=stop["limit"])
    parts.append(f"{text(language, 'end.why')} {why}")
    if state["remaining"]:
        rest = [f"- {item['step']}" for item in state["remaining"]]
        parts.append("\n".join([text(language, "end.open"), *rest]))
    parts.append(f"{text(language, 'end.next')} {text(language, 'end.advice')}")
    return "\n".join(parts)


def _brief(value: object) -> str:
    shown = " ".join(str(value).split())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
