"""What is said about a run: to the model while it nears a limit, and to the user when it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ...._internal.numbers import shown_number, shown_share
from ...._internal.texts import Language
from ....errors import RequestTooLongError
from ....tools.calls.action_check import is_about_a_call
from ....traces.lookup import brief
from ....traces.shapes import StopReason
from ..guards import Counted, Limits, pattern_length, repeats
from ..loop import PlanActLoop
from ..plans.items import failed_items
from ..plans.progress import calls_of_run, calls_of_step, finished, remaining
from ..state import Observation, PlanActState
from .texts import text

_SHOWN = 200
_REFUSED = tuple(text(language, "refused_repeat", count="\0").partition("\0")[0] for language in get_args(Language))

_REJECTED = tuple(
    text(language, key, reason="\0").partition("\0")[0].partition("\n")[0]
    for language in get_args(Language)
    for key in ("approve.rejected", "approve.rejected_why")
)


def warnings(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """Warnings for the model, each once."""
    return list(dict.fromkeys(near(state, loop.guards, loop.language).values()))


def near(counted: Counted, limits: Limits, language: Language) -> dict[str, str]:
    """The limits of which the share `warn_at` is used up, each with a warning for the model: `"steps"`, `"repeats"`,
    `"loop"`, `"errors"`, `"tokens"`, `"time"`."""
    at, trail = limits.warn_at, counted["trail"]
    found: dict[str, str] = {}
    if counted["steps"] >= at * limits.max_steps:
        found["steps"] = text(language, "warn.steps", remaining=max(0, limits.max_steps - counted["steps"]))
    # A single call is neither a repeat nor a pattern, however low the limits are.
    repeated = repeats(trail, limits)
    if repeated >= 2 and not trail[-1]["ok"]:
        found["repeats"] = text(language, "warn.failed_again", tool=trail[-1]["tool"])
    elif repeated >= max(2, at * limits.duplicate_threshold):
        found["repeats"] = text(language, "warn.repeats", tool=trail[-1]["tool"])
    if pattern_length(trail, limits) >= max(2, at * limits.loop_window):
        found["loop"] = text(language, "warn.repeats", tool=trail[-1]["tool"])
    rate = counted["errors"] / max(1, counted["calls"])
    if rate and counted["calls"] >= limits.error_min_calls and rate >= at * limits.error_threshold:
        found["errors"] = text(language, "warn.errors", rate=shown_share(rate))
    used = counted["usage"]["total_tokens"]
    if limits.max_tokens is not None and used >= at * limits.max_tokens:
        found["tokens"] = text(language, "warn.tokens", used=used, limit=limits.max_tokens)
    if limits.max_seconds is not None and counted["seconds"] >= at * limits.max_seconds:
        used, limit = shown_number(counted["seconds"]), shown_number(limits.max_seconds)
        found["time"] = text(language, "warn.time", used=used, limit=limit)
    return found


def last_response(state: PlanActState) -> str:
    """What the last step that was done came to; "" if none was."""
    return next((item["response"] for item in reversed(finished(state)) if item["status"] == "done"), "")


def _done_lines(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """What a run has achieved, under a heading: a line for each finished step, and one for each call of the current
    step that worked; equal calls once."""
    lines = [f"{item['step']}: {item['response']}" for item in finished(state) if item["status"] == "done"]
    worked = [seen for seen in calls_of_step(state) if seen["ok"]]
    calls = [f"{seen['tool']} {brief(seen['input'], _SHOWN)} → {brief(seen['result'], _SHOWN)}" for seen in worked]
    done = [*lines, *dict.fromkeys(calls)] or [loop.text("end.nothing_done")]
    return [loop.text("end.done"), *(f"- {line}" for line in done)]


def failed_lines(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """What did not work and was not made good, for the user: a model may well pass over it."""
    lines = [f"- {item['step']}: {item['response']}" for item in failed_items(finished(state))]
    return [loop.text("end.failed"), *lines] if lines else []


def step_error(state: PlanActState, number: int) -> str:
    """The last error of a current step if none of its calls worked; "" if one did, or none was made."""
    calls = calls_of_step(state, number)
    if not calls or any(seen["ok"] for seen in calls):
        return ""
    return last_error(calls)


def last_error(calls: Sequence[Observation]) -> str:
    """The last error of calls; of one that was not made again, the error that it had."""
    made = [seen for seen in calls if not seen["result"].startswith(_REFUSED)]
    return brief((made or calls)[-1]["result"].partition("\n")[0], _SHOWN)


def ending(state: PlanActState, stop: StopReason, best: str, loop: PlanActLoop) -> str:
    """The answer of a run that could not finish: what is known, what is done, why it stopped, what to do next."""
    kind = stop["kind"]
    parts: list[str] = []
    unfit, too_long = False, False
    if kind in ("planner_unavailable", "model_unavailable", "repeated_question", "too_many_questions"):
        too_long = str(stop["value"]).startswith(RequestTooLongError.OPENING)
        unread = state["observations"][-1]["result"] if kind == "planner_unavailable" else ""
        cut_off, unfit = unread == loop.text("note.cut_off"), is_about_a_call(unread)
        problem = unread.removesuffix(loop.text("reply.only_the_first")).strip()
        key = "request_too_long" if too_long else "cut_off" if cut_off else "unfit_call" if unfit else kind
        parts.append(loop.text(key, problem=problem))
    if best:
        parts.append(loop.text("end.best", answer=best))
    parts += _done_lines(state, loop)
    parts += failed_lines(state, loop) or _failed_call(state, kind, loop)
    # What a person did not want has not failed.
    rejected = kind == "steps_failed" and str(stop["value"]).startswith(_REJECTED)
    meant = "rejected" if rejected else "unfit_call" if unfit else ""
    parts.append(f"{loop.text('end.why')} {why(loop.language, stop, meant)}")
    if remaining(state):
        rest = [f"- {item['step']}" for item in remaining(state)]
        parts.append("\n".join([loop.text("end.open"), *rest]))
    if kind != "steps_failed":
        lost = "end.advice_too_long" if too_long else "end.advice_model"
        advice = {"model_unavailable": lost, "recursion_limit": "end.advice_recursion"}.get(kind, "end.advice")
        return "\n".join([*parts, _what_next(loop, advice)])
    parts.append(after_failures(state, loop, str(stop["value"])))
    if state["response"] and str(stop["value"]) not in state["response"]:
        parts.append(loop.text("end.words", answer=state["response"]))
    return "\n".join(parts)


def carried_on(state: PlanActState, loop: PlanActLoop) -> str:
    """What the next run is told of one that could not finish: what it did, what it did not, and the last error of a
    call. What the model says of it is left out: the next run would take it for known."""
    parts = _done_lines(state, loop)
    left = [f"- {item['step']}" for item in [*failed_items(finished(state)), *remaining(state)]]
    parts += [loop.text("end.failed"), *left] if left else []
    calls = calls_of_run(state)
    return "\n".join([*parts, last_error(calls)] if calls and not calls[-1]["ok"] else parts)


def _failed_call(state: PlanActState, kind: str, loop: PlanActLoop) -> list[str]:
    """The last call that failed: of the step that the run has stopped in, or, where it has made the run fail, of one
    that the plan has dropped."""
    made = calls_of_run(state) if kind == "steps_failed" else calls_of_step(state)
    calls = [seen for seen in made if not seen["ok"] and not seen["result"].startswith(_REFUSED)]
    if not calls or (kind == "steps_failed" and any(seen["ok"] for seen in made)):
        return []
    last = calls[-1]
    return [loop.text("end.failed"), f"- {last['tool']} {brief(last['input'], _SHOWN)}: {last_error(calls)}"]


def after_failures(state: PlanActState, loop: PlanActLoop, error: str = "") -> str:
    """What the user can do about steps that failed, or about an error where none has: another thing where a person has
    rejected their calls."""
    errors = [item["response"] for item in failed_items(finished(state))] or [error]
    rejected = [one.startswith(_REJECTED) for one in errors]
    keys = {"end.advice_failed": not all(rejected), "end.advice_rejected": any(rejected)}
    return _what_next(loop, *(key for key, fits in keys.items() if fits))


def _what_next(loop: PlanActLoop, *keys: str) -> str:
    """What the user can do next: the loop's advice, and the application's own."""
    advice = [*(loop.text(key) for key in keys), *filter(None, [loop.advice])]
    more = "".join(loop.text("end.or", advice=one) for one in advice[1:])
    return f"{loop.text('end.next')} {advice[0]}{more}"


def why(language: Language, stop: StopReason, key: str = "") -> str:
    """Why a run stopped.

    Args:
        language: of the words.
        stop: the reason.
        key: whose words they are, if they are not those of its kind.
    """
    show = shown_share if stop["kind"] == "error_rate" else shown_number
    value, limit = (show(part) if isinstance(part, int | float) else part for part in (stop["value"], stop["limit"]))
    return text(language, f"why.{key or stop['kind']}", value=value, limit=limit)
