"""One run as a sample of an Inspect AI log. Imported only where Inspect AI is installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

from inspect_ai.log import EvalError, EvalSample, EvalSampleLimit
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput, ModelUsage
from inspect_ai.scorer import CORRECT, INCORRECT, Score

from ..._internal.strict_json import map_texts, mapping
from ..events import AttemptEvent, Event
from ..lookup import best_attempt, in_turn, number, outcome_of, own_events
from ..stops import why_stopped
from .inspect_events import Transcript, assistant, opinion, usage_of
from .prov import times

_LIMITS: dict[str, Literal["token", "working"]] = {"token_budget": "token", "time_budget": "working"}


def sample_of(events: Sequence[Event], sample_id: int, epoch: int, model: str, target: str) -> EvalSample:
    """One run as a sample.

    Args:
        events: of the run, at least one.
        sample_id: the same for runs of the same task.
        epoch: which run of the task it is, from 1.
        model: that answered.
        target: the right answer; "" if it is not known.
    """
    events = [cast(Event, map_texts(event, _written, keys=True)) for event in events]
    goal, outcome = mapping(events[0]["data"]), outcome_of(events)
    ended = mapping(outcome and outcome["data"])
    task = str(goal.get("task") or "")
    answer = str(ended.get("answer") or ended.get("response") or "")
    stop, why = mapping(ended.get("stop_reason")), why_stopped(events)
    best = best_attempt(events, outcome)
    scores = _scores(events, ended, answer, best)
    transcript = Transcript(model, task, target)
    for place in in_turn(events):
        transcript.add(events[place])
    first, last = times(events[0])[1], times(events[-1])[1]
    messages: list[ChatMessage] = [ChatMessageUser(content=task)]
    output = ModelOutput(model=model)
    if answer:
        output = ModelOutput.from_message(assistant(answer, model))
        output.model = model
        messages.append(output.message)
    done = transcript.finished(scores)
    limit = _LIMITS.get(str(stop.get("kind")))
    return EvalSample(
        id=sample_id,
        epoch=epoch,
        input=task,
        target=target,
        messages=messages,
        output=output,
        scores=scores,
        metadata={
            "run_id": events[0]["run_id"],
            "mode": goal.get("mode"),
            "stop_reason": dict(stop) or None,
            "why_stopped": why.sentence,
            "attempts": sum(event["kind"] == "attempt" for event in own_events(events)),
            "best_attempt": ended.get("best"),
        },
        events=done,
        model_usage={model: usage_of(ended.get("usage"))} if outcome else {},
        started_at=first or None,
        completed_at=last or None if outcome else None,
        total_time=transcript.seconds,
        uuid=events[0]["run_id"],
        error=None if outcome else EvalError(message=why.sentence, traceback="", traceback_ansi=""),
        limit=EvalSampleLimit(type=limit, limit=number(stop.get("limit"))) if limit else None,
    )


def usage_sum(usages: Iterable[Mapping[str, ModelUsage]]) -> dict[str, ModelUsage]:
    """The tokens of all samples, by model."""
    total: dict[str, ModelUsage] = {}
    for usage in usages:
        for model, spent in usage.items():
            total[model] = total[model] + spent if model in total else spent
    return total


def _scores(
    events: Sequence[Event], ended: Mapping[str, Any], answer: str, best: AttemptEvent | None
) -> dict[str, Score]:
    """What is known of the answer that the run returned: the verdict, and the last opinions of models about it."""
    scores: dict[str, Score] = {}
    verdict = ended.get("verdict")
    own = own_events(events)
    judged = [event for event in own if event["kind"] == "verdict"]
    if best:
        judged = [event for event in judged if best["id"] in (link["source"] for link in event["links"])]
    if verdict in ("passed", "failed"):
        feedback = "" if verdict == "passed" or not judged else str(judged[-1]["data"].get("feedback") or "")
        value = CORRECT if verdict == "passed" else INCORRECT
        scores["verifier"] = Score(value=value, answer=answer, explanation=feedback or None)
    elif verdict == "unverified" and judged:
        said = str(judged[-1]["data"].get("feedback") or "")
        scores["verifier"] = Score.unscored(reason="scoring_failed", answer=answer, explanation=said or None)
    for event in own:
        if event["kind"] == "critique" and best and event["data"].get("attempt") == best["data"].get("number"):
            scores[str(event["data"].get("by"))] = opinion(event, answer)
    return scores


def _written(text: str) -> str:
    """A text with what UTF-8 cannot hold, half a surrogate pair, as its code: Inspect writes UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()
