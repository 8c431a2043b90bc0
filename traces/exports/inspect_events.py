"""A run's events as the transcript of a sample of Inspect AI. Imported only where Inspect AI is installed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from inspect_ai.dataset import Sample
from inspect_ai.event import Event as InspectEvent
from inspect_ai.event import (
    InfoEvent,
    ModelEvent,
    SampleInitEvent,
    ScoreEvent,
    SpanBeginEvent,
    SpanEndEvent,
    ToolEvent,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import CORRECT, INCORRECT, Score
from inspect_ai.tool import ToolCallError

from ..._internal.strict_json import deeper_than, dumps, entries, mapping
from ..events import Event
from ..lookup import number
from .prov import times

_MAX_DEPTH = 100
"""Levels of lists and objects that are kept as they are; what is deeper is written as JSON, as a text."""


def usage_of(usage: object) -> ModelUsage:
    """Tokens as Inspect counts them: those from a cache are not among the input."""
    counts = mapping(usage)
    read, cached = int(number(counts.get("input_tokens"))), int(number(counts.get("cached_tokens")))
    written = int(number(counts.get("output_tokens")))
    total = int(number(counts.get("total_tokens"))) or read + written
    fresh = max(0, read - cached)
    return ModelUsage(
        input_tokens=fresh, output_tokens=written, total_tokens=total, input_tokens_cache_read=cached or None
    )


def assistant(text: str, model: str, reasoning: str = "") -> ChatMessageAssistant:
    """A reply as a message."""
    if not reasoning:
        return ChatMessageAssistant(content=text, model=model, source="generate")
    parts: list[Content] = [ContentReasoning(reasoning=reasoning), ContentText(text=text)]
    return ChatMessageAssistant(content=parts, model=model, source="generate")


def opinion(critique: Event, answer: str | None = None) -> Score:
    """A critique as a score; one that could not be read is none."""
    data = mapping(critique["data"])
    accepted, said = data.get("accepted"), str(data.get("feedback") or "") or None
    if accepted is None:
        return Score.unscored(reason="grader_failed", answer=answer, explanation=said)
    return Score(value=number(data.get("score")), answer=answer, explanation=said, metadata={"accepted": accepted})


class Transcript:
    """Turns events, oldest first, into those of Inspect.

    A reply belongs with what came of it, so replies wait for the next event of another kind: those before an attempt
    open its span.

    Args:
        model: that answered.
        task: of the run.
        target: the right answer; "" if it is not known.
    """

    def __init__(self, model: str, task: str, target: str) -> None:
        self._model = model
        self._events: list[InspectEvent] = []
        self._init = Sample(input=task, target=target)
        self._start: datetime | None = None
        self._time = datetime.fromtimestamp(0, UTC)
        self._waiting: list[Event] = []
        # The spans around the next event: of the attempt, of the runs inside the run, and of their attempts.
        self._spans: list[tuple[str, bool]] = []
        self._calls: dict[str, Event] = {}

    def add(self, event: Event) -> None:
        """Add what an event says."""
        kind = event["kind"]
        if kind == "thought":
            self._waiting.append(event)
        elif kind == "attempt":
            self._end_attempt()
            self._begin(event, f"attempt {event['data'].get('number')}", "attempt", (*self._waiting, event)[0])
            self._flush(entries(event["data"].get("request")))
            shown = {name: value for name, value in event["data"].items() if name not in ("request", "reply", "usage")}
            self._info(event, shown)
        else:
            if kind == "outcome":
                # Replies that led to no attempt are not the last one's.
                self._end_attempt()
            self._flush()
            self._add_other(event)

    def finished(self, scores: Mapping[str, Score]) -> list[InspectEvent]:
        """All events, with the scores of the sample as the last ones."""
        self._flush()
        for action in self._calls.values():
            self._tool(action, action, {"unfinished": True})
        while self._spans:
            self._end()
        for name, score in scores.items():
            self._events.append(ScoreEvent(score=score, scorer=name, timestamp=self._time, working_start=self.seconds))
        return self._events

    def _add_other(self, event: Event) -> None:
        kind, data = event["kind"], mapping(event["data"])
        if kind == "goal":
            if self._start is None:
                self._events.append(SampleInitEvent(sample=self._init, state={}, **self._about(event)))
            else:
                self._begin(event, str(data.get("mode") or "run"), "agent")
            return
        if kind == "action":
            self._calls[event["id"]] = event
        elif kind == "observation":
            sources = [link["source"] for link in event["links"]]
            again = isinstance(data.get("attempt"), int)
            action = next((self._calls[source] for source in sources if source in self._calls), event)
            if not again:
                self._calls.pop(action["id"], None)
            self._tool(event, action, {"kind_of_failure": data.get("kind_of_failure") or None})
        elif kind == "verdict":
            self._score(event, "verifier", _verdict(data))
        elif kind == "critique":
            self._score(event, str(data.get("by")), opinion(event))
        else:
            self._info(event, data)
            if kind == "outcome" and self._spans:
                self._end()

    def _flush(self, request: list[Any] | None = None) -> None:
        """The replies that wait, as calls of the model; of an attempt's the trace has the messages that were sent."""
        sent = [_message(mapping(message)) for message in request or ()]
        refused: list[ChatMessage] = []
        for event in self._waiting:
            data = mapping(event["data"])
            reply = str(data.get("reply") or "")
            said = assistant(reply, self._model, str(data.get("reasoning") or ""))
            reason: Literal["max_tokens", "stop"] = "max_tokens" if data.get("truncated") else "stop"
            seconds = number(data.get("seconds"))
            kept = ("feedback", "parser", "error", "prose", "item", "of", "step", "decision")
            about = self._about(event, seconds)
            about["metadata"] |= {name: _shallow(data[name]) for name in kept if data.get(name)}
            self._events.append(
                ModelEvent(
                    model=self._model,
                    input=[*sent, *refused],
                    tools=[],
                    tool_choice="none",
                    config=GenerateConfig(),
                    output=ModelOutput(
                        model=self._model,
                        choices=[ChatCompletionChoice(message=said, stop_reason=reason)],
                        usage=usage_of(data.get("usage")),
                        time=seconds,
                    ),
                    completed=self._time,
                    working_time=seconds,
                    **about,
                )
            )
            # Only the latest refused reply, and the parser's feedback on it, are replayed to the model.
            feedback = str(data.get("feedback") or "")
            refused = [assistant(reply, self._model), ChatMessageUser(content=feedback)] if sent and feedback else []
        self._waiting = []

    def _tool(self, event: Event, action: Event, told: dict[str, Any]) -> None:
        given, data = mapping(action["data"]), mapping(event["data"])
        arguments: object = given.get("input")
        failed = data.get("ok") is False
        result, seconds = str(data.get("result") or ""), number(data.get("seconds"))
        kind = "timeout" if data.get("kind_of_failure") == "timeout" else "unknown"
        about = self._about(event, seconds)
        about["metadata"] |= told
        shown = _shallow(dict(mapping(arguments)) or {"input": arguments})
        if not isinstance(shown, dict):
            shown = {"input": shown}
        self._events.append(
            ToolEvent(
                id=action["id"],
                function=str(given.get("tool") or ""),
                arguments=cast("dict[str, Any]", shown),
                result=result,
                error=ToolCallError(kind, result) if failed else None,
                completed=self._time,
                working_time=seconds,
                **about,
            )
        )

    def _score(self, event: Event, scorer: str, score: Score) -> None:
        self._events.append(ScoreEvent(score=score, scorer=scorer, intermediate=True, **self._about(event)))

    def _info(self, event: Event, data: Mapping[str, Any]) -> None:
        self._events.append(InfoEvent(source=event["kind"], data=_shallow(dict(data)), **self._about(event)))

    def _begin(self, event: Event, name: str, kind: str, first: Event | None = None) -> None:
        about = self._about(first or event, number(mapping((first or event)["data"]).get("seconds")))
        parent = self._spans[-1][0] if self._spans else None
        self._spans.append((event["id"], kind == "attempt"))
        about |= {"span_id": event["id"], "uuid": None}
        self._events.append(SpanBeginEvent(id=event["id"], parent_id=parent, name=name, type=kind, **about))

    def _end(self) -> None:
        span, _ = self._spans.pop()
        self._events.append(SpanEndEvent(id=span, span_id=span, timestamp=self._time, working_start=self.seconds))

    def _end_attempt(self) -> None:
        if self._spans and self._spans[-1][1]:
            self._end()

    def _about(self, event: Event, seconds: float = 0.0) -> dict[str, Any]:
        """When it began, and where it belongs; a time that cannot be read is that of the event before."""
        ended = times(event)[1]
        if ended:
            moment = datetime.fromisoformat(ended)
            self._time = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if self._start is None:
            self._start = self._time
        began = self._time - timedelta(seconds=min(seconds, self.seconds))
        return {
            "uuid": event["id"],
            "span_id": self._spans[-1][0] if self._spans else None,
            "timestamp": began,
            "working_start": max(0.0, (began - self._start).total_seconds()),
            "metadata": {"seq": event["seq"]},
        }

    @property
    def seconds(self) -> float:
        """From the first event to the last one so far."""
        return max(0.0, (self._time - self._start).total_seconds()) if self._start else 0.0


def _verdict(data: Mapping[str, Any]) -> Score:
    status, said = data.get("status"), str(data.get("feedback") or "") or None
    about = {"score": data.get("score"), "kind": data.get("kind") or None}
    if status == "unverified":
        return Score.unscored(reason="scoring_failed", explanation=said, metadata=about)
    return Score(value=CORRECT if status == "passed" else INCORRECT, explanation=said, metadata=about)


def _message(sent: Mapping[str, Any]) -> ChatMessage:
    content = sent.get("content")
    text = content if isinstance(content, str) else dumps(content)
    if sent.get("role") == "system":
        return ChatMessageSystem(content=text)
    return ChatMessageAssistant(content=text) if sent.get("role") == "ai" else ChatMessageUser(content=text)


def _shallow(value: Any) -> Any:
    return dumps(value) if deeper_than(_MAX_DEPTH, value) else value
