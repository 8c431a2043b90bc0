"""Why a run stopped: the reason it gave, in words and with the events that show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._internal.numbers import shown_number
from .._internal.plain import plain
from .._internal.strict_json import mapping
from .events import Event, ObservationEvent, OutcomeEvent
from .lookup import best_attempt, brief, judged_as, line, name, outcome_of, own_events, separate_runs
from .metrics.money import dollars
from .shapes import PERSON

_WORDS = {
    "passed": "the answer of attempt {value} passed its check",
    "unverified": "nothing could check the last answer: {value}",
    "accepted": "a model accepted the answer of attempt {value}, which is an opinion and no check",
    "agreement": "{value} of {limit} samples agree on the answer, which is no check",
    "unreadable_critique": "nothing judged the last answer: {value}",
    "no_improvement": "{value} attempts in a row brought no better result; the limit is {limit}",
    "low_score": "no attempt scored more than {value}; a further one takes {limit}",
    "repeated_answer": "{value} answers in a row had been given before; the limit is {limit}",
    "model_unavailable": "the model gave no answer: {value}",
    "answered": "the model answered in words; no tool was called that changes anything",
    "goal_met": "the model saw nothing left to do, and no step had failed",
    "repeated_plan": "the model planned nothing but what was done",
    "returned_direct": "the result of the tool {value} is the answer",
    "partly_done": "{value} of the steps failed, and the model saw nothing left to do",
    "steps_failed": "what was tried failed or was rejected; the last that was said of it: {value}",
    "cancelled": "the user cancelled the task",
    "duplicate_tool_calls": "the same call was made {value} times with the same result, and asked for again",
    "loop_pattern": "the last {value} calls only repeated a pattern",
    "error_rate": "{value} of the tool calls failed; the limit is {limit}",
    "token_budget": "{value} tokens were used; the limit is {limit}",
    "time_budget": "{value} seconds were used; the limit is {limit}",
    "cost_budget": "{value} were spent; the limit is {limit}",
    "planner_unavailable": "{value} rounds in a row brought no reply that could be used; the limit is {limit}",
    "repeated_question": "the model kept asking what had been answered",
    "recursion_limit": "the recursion limit left no room for another round",
    "rule": "{value}",
    "cut_short": "the agent was stopped before it answered: {value}",
    "error": "the task could not be run: {value}",
    "too_many_questions": "the model asked more than {limit} questions",
}

ANSWERED = ("answered", "goal_met", "repeated_plan", "returned_direct", "partly_done")
"""The kinds of stop at which a plan-act loop has answered its goal."""


@dataclass(frozen=True, slots=True)
class StopReport:
    """Why a run stopped.

    Attributes:
        kind: as in the run's `stop_reason`; `"paused"` while a question of the plan-act loop waits for its answer,
            `"interrupted"` for any other run without an outcome, `"empty"` for one without events.
        value: what met the limit, or what there is to say; None if there is nothing.
        limit: the limit that was met; None if it was not a limit.
        sentence: the reason in words.
        evidence: the events that show it, oldest first.
    """

    kind: str
    value: float | str | None
    limit: float | None
    sentence: str
    evidence: tuple[Event, ...]

    def __str__(self) -> str:
        shown = "".join(f"\n  {event['seq']}. {line(event)}" for event in self.evidence)
        return plain(f"{self.sentence}{shown}")


def why_stopped(events: Sequence[Event]) -> StopReport:
    """The reason why a run stopped, whether it came to its end or not.

    Of several runs side by side the sentence and the evidence are of all, and the rest of the first that did not pass.
    """
    runs = [_why(run) for run in separate_runs(events)]
    if len(runs) < 2:
        return runs[0] if runs else _why(events)
    first = next((run for run in runs if run.kind != "passed"), runs[0])
    sentence = "\n".join(f"Run {number}: {run.sentence}" for number, run in enumerate(runs, 1))
    evidence = tuple(event for run in runs for event in run.evidence)
    return StopReport(first.kind, first.value, first.limit, sentence, evidence)


def _why(events: Sequence[Event]) -> StopReport:
    if not events:
        return StopReport("empty", None, None, "Nothing has happened yet.", ())
    outcome = outcome_of(events)
    if outcome is None:
        return _without_outcome(events)
    reason = mapping(outcome["data"].get("stop_reason"))
    kind, value, limit = str(reason.get("kind") or "unknown"), reason.get("value"), reason.get("limit")
    words = stop_words(reason, unit=limited(outcome["data"]))
    return StopReport(
        kind, value, limit, f"It stopped because {_sentence(words)}", tuple(_evidence(events, kind, outcome))
    )


def has_failed(events: Sequence[Event]) -> bool:
    """Whether a run has ended without what it was asked for: its answer failed its check, or its goal was not met."""
    outcome = outcome_of(events)
    data: Mapping[str, Any] = outcome["data"] if outcome else {}
    if "verdict" in data:
        return data["verdict"] == "failed"
    return "response" in data and mapping(data.get("stop_reason")).get("kind") not in ANSWERED


def limited(outcome: Mapping[str, Any]) -> str:
    """What `max_iterations` limits in a run, `"attempts"` or `"steps"`, by the data of its outcome."""
    # Only a reflection loop names a best attempt.
    return "attempts" if "best" in outcome else "steps"


def stop_words(reason: Mapping[str, Any], *, unit: str = "attempts") -> str:
    """A stop reason in words that can follow "because".

    Args:
        reason: a run's `stop_reason`; an unknown kind is spelled out.
        unit: what `max_iterations` limits, `"attempts"` or `"steps"`.
    """
    kind, value, limit = str(reason.get("kind") or "unknown"), reason.get("value"), reason.get("limit")
    if kind == "max_iterations":
        return f"the limit of {_shown(limit)} {unit} was reached"
    if kind == "cost_budget":
        value, limit = (dollars(part) if isinstance(part, int | float) else part for part in (value, limit))
    if kind in _WORDS:
        return _WORDS[kind].format(value=_shown(value), limit=_shown(limit))
    return ", ".join([brief(kind), *(f"{_shown(part)}" for part in (value, limit) if part is not None)])


def _without_outcome(events: Sequence[Event]) -> StopReport:
    last = events[-1]
    error = None
    if last["kind"] == "thought":
        decision, error = mapping(last["data"].get("decision")), last["data"].get("error")
        if decision.get("status") == "ask_user":
            question = brief(decision.get("question"), 300)
            return StopReport("paused", question, None, f"It waits for an answer to: {question}", (last,))
    words = f"It has no outcome: it was interrupted, waits, or still runs after {name(last)} (event {last['seq']})"
    if error:
        words += f"; the last error: {brief(error, 300)}"
    return StopReport("interrupted", None, None, _sentence(words), (last,))


def _sentence(words: str) -> str:
    """Words with one full stop at their end."""
    return f"{words.rstrip(' .')}."


def _shown(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return brief(value, 300)
    return shown_number(value)


def _evidence(events: Sequence[Event], kind: str, outcome: OutcomeEvent) -> Sequence[Event]:
    own = own_events(events)
    best = best_attempt(events, outcome)
    attempts = [event for event in own if event["kind"] == "attempt"]
    found: Sequence[Event] = ()
    if best is not None and kind in ("max_iterations", "low_score", "repeated_answer", "no_improvement"):
        found = attempts if kind in ("max_iterations", "low_score") else attempts[attempts.index(best) :]
    elif best is not None and kind != "model_unavailable":
        # The best answer may be an earlier one than the one that could not be judged.
        found = judged_as(events, attempts[-1] if kind in ("unverified", "unreadable_critique") else best)
    elif kind in _SHOWS:
        found = _SHOWS[kind](own)
        value = mapping(outcome["data"].get("stop_reason")).get("value")
        if kind == "loop_pattern" and isinstance(value, int) and value > 0:
            found = found[-value:]
    if found:
        return found
    causes = {link["source"] for link in outcome["links"]}
    return [event for event in events if event["id"] in causes]


def _last_plan(own: Sequence[Event]) -> Sequence[Event]:
    return [event for event in own if event["kind"] == "plan"][-1:]


def _last_answer(own: Sequence[Event]) -> Sequence[Event]:
    seen = [event for event in own if event["kind"] == "observation"]
    return [event for event in seen if event["data"].get("tool") in PERSON][-1:]


def _same_calls(own: Sequence[Event]) -> Sequence[Event]:
    calls = _calls(own)
    about = [(call["data"].get("tool"), call["data"].get("input")) for call in calls]
    return [call for call, same in zip(calls, about, strict=True) if same == about[-1]]


def _failed_calls(own: Sequence[Event]) -> Sequence[Event]:
    return [call for call in _calls(own) if not call["data"].get("ok")]


def _unreadable(own: Sequence[Event]) -> Sequence[Event]:
    return [event for event in own if event["kind"] == "thought" and event["data"].get("feedback")]


def _questions(own: Sequence[Event]) -> Sequence[Event]:
    thoughts = [event for event in own if event["kind"] == "thought"]
    return [event for event in thoughts if mapping(event["data"].get("decision")).get("status") == "ask_user"]


def _calls(own: Sequence[Event]) -> Sequence[ObservationEvent]:
    seen = [event for event in own if event["kind"] == "observation"]
    return [event for event in seen if event["data"].get("tool") not in PERSON]


_SHOWS: dict[str, Callable[[Sequence[Event]], Sequence[Event]]] = {
    "answered": _last_plan,
    "goal_met": _last_plan,
    "repeated_plan": _last_plan,
    "returned_direct": lambda own: _calls(own)[-1:],
    "partly_done": _failed_calls,
    "steps_failed": _failed_calls,
    "cancelled": _last_answer,
    "duplicate_tool_calls": _same_calls,
    "loop_pattern": _calls,
    "error_rate": _failed_calls,
    "planner_unavailable": _unreadable,
    "repeated_question": _questions,
    "too_many_questions": _questions,
}
