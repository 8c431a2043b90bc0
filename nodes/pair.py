"""The nodes of a pair of graphs, and what they keep in the state; `pair_graphs` puts them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, cast

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, RemoveMessage, convert_to_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from .._internal.channel import appended, fresh, numbered
from ..models.messages import add_usage, content_parts, usage_of
from ..traces.events import Event, Link, Recorder, hand_over, recording
from ..traces.lookup import answer_lines
from ..traces.shapes import Attempt, StopReason
from .channels import PairedThread

# Of LangGraph's steps, up to the end of the run. Its limit has to leave one more than are taken.
_STEPS_AFTER_ATTEMPT = 3
_STEPS_OF_A_ROUND = 5


class Mark(TypedDict):
    """A place in the messages: after the one with this id, or after this many if the last one has no id."""

    id: str | None
    count: int


class Pairing(TypedDict):
    """What the loop notes for itself.

    Attributes:
        run_id: of the trace.
        begun: where the run's own messages begin.
        asked: where the messages of the current round begin.
        answered: where those of the main graph end.
        standing: where those of the last attempt with an answer end; None while there is none.
        current: the attempt that is being judged.
    """

    run_id: str
    begun: Mark
    asked: Mark
    answered: Mark
    standing: Mark | None
    current: Attempt | None


class PairedState(TypedDict):
    """What the loop reads and writes beside the keys of the two graphs.

    Attributes:
        messages: the conversation, on which both graphs work.
        attempts: every answer of the main graph that was judged, in order.
        events: the trace; `ContextGraph.from_run` reads it.
        stop_reason: why the run ended; None while it runs.
        pairing: private; where the run and its current round stand in the messages, and the attempt that is judged.
        thread_kind: private; whose thread it is.
        pairing_steps_left: private; LangGraph's steps up to the caller's `recursion_limit`.
    """

    messages: list[AnyMessage]
    attempts: Annotated[list[Attempt], numbered()]
    events: Annotated[list[Event], appended()]
    stop_reason: StopReason | None
    pairing: Pairing
    thread_kind: Annotated[dict[str, str], PairedThread]
    pairing_steps_left: RemainingSteps


def begin(state: PairedState) -> dict[str, Any]:
    """Start the run's trace; a thread that is used again starts from scratch."""
    messages = _messages(state)
    texts = [_text(message) for message in reversed(messages) if isinstance(message, HumanMessage)]
    recorder = Recorder()
    recorder.add("goal", task=texts[0] if texts else "", mode="paired")
    here = _mark(messages)
    return {
        "thread_kind": PairedThread.here(),
        "attempts": fresh(state.get("attempts"), []),
        "events": fresh(state.get("events"), recorder.events),
        "stop_reason": None,
        "pairing": Pairing(run_id=recorder.run_id, begun=here, asked=here, answered=here, standing=None, current=None),
    }


def attempt(state: PairedState) -> dict[str, Any]:
    """Note what the main graph answered."""
    messages, pairing, done = _messages(state), state["pairing"], state["attempts"]
    new = _since(messages, pairing["asked"])
    # A graph that adds nothing may have rewritten its answer in place.
    answer = _answer(new or _since(messages, pairing["begun"]))
    lines = answer_lines(answer)
    earlier = next((a["number"] for a in done if answer is not None and answer_lines(a["answer"]) == lines), None)
    current = Attempt(
        number=len(done) + 1,
        strategy="repair" if done else "first",
        reply=answer or "",
        answer=answer,
        repeats=earlier,
        verdict="failed" if answer is None else "unverified",
        feedback="",
        critique="",
        score=0.0,
        accepted=None,
        kind="" if answer else "no_answer",
        usage=add_usage(*map(usage_of, new)),
        event="",
    )
    cause = Link(source=state["events"][-1]["id"], relation="revised" if done else "led_to")
    with recording(pairing["run_id"], len(state["events"])) as recorder:
        current["event"] = recorder.add("attempt", [cause], **current)
    here = _mark(messages)
    stop = _out_of_steps(state["pairing_steps_left"], _STEPS_AFTER_ATTEMPT)
    return {
        "attempts": [current] if stop else [],
        "events": recorder.events,
        "stop_reason": stop,
        "pairing": {
            **pairing,
            "answered": here,
            "standing": here if answer is not None and (new or not pairing["standing"]) else pairing["standing"],
            "current": current,
        },
    }


def critique(state: PairedState, *, max_attempts: int) -> dict[str, Any]:
    """Note what the critique graph said: a user's message that it left as the last one is a critique."""
    messages, pairing = _messages(state), state["pairing"]
    current, here = pairing["current"], _mark(messages)
    assert current is not None, "an attempt comes before every critique"
    rejected = here != pairing["answered"] and isinstance(messages[-1], HumanMessage)
    score, feedback = (0.0, _text(messages[-1])) if rejected else (1.0, "")
    with recording(pairing["run_id"], len(state["events"])) as recorder:
        link = Link(source=current["event"], relation="led_to")
        recorder.add(
            "critique",
            [link],
            accepted=not rejected,
            score=score,
            feedback=feedback,
            by="critic",
            attempt=current["number"],
        )
    judged: Attempt = {
        **current,
        "accepted": not rejected,
        "score": score,
        "feedback": feedback,
        "kind": current["kind"] or ("rejected" if rejected else ""),
    }
    return {
        "attempts": [judged],
        "events": recorder.events,
        "stop_reason": _stop_of([*state["attempts"], judged], state["pairing_steps_left"], max_attempts),
        "pairing": {**pairing, "asked": here, "current": None},
    }


def outcome(state: PairedState, *, removes: bool) -> dict[str, Any]:
    """Report the answer that stands, and make it the last message if something else came after it."""
    pairing, attempts = state["pairing"], state["attempts"]
    stop_reason = state["stop_reason"]
    assert stop_reason is not None, "both edges lead here with a reason only"
    best = next((done for done in reversed(attempts) if done["answer"] is not None), None)
    with recording(pairing["run_id"], len(state["events"])) as recorder:
        recorder.add(
            "outcome",
            [Link(source=state["events"][-1]["id"], relation="led_to")],
            answer=(best["answer"] if best else None) or "",
            verdict=(best["verdict"] if best else None) or "failed",
            stop_reason=stop_reason,
            best=best["number"] if best else None,
            usage=add_usage(*(done["usage"] for done in attempts)),
        )
    hand_over([*state["events"], *recorder.events])
    update: dict[str, Any] = {"events": recorder.events}
    messages = _messages(state)
    rejected = stop_reason["kind"] != "accepted" or isinstance(messages[-1], HumanMessage)
    standing = pairing["standing"]
    if removes and rejected and standing and standing["id"] in [message.id for message in messages]:
        update["messages"] = [RemoveMessage(id=message.id) for message in _since(messages, standing) if message.id]
    return update


def _stop_of(attempts: Sequence[Attempt], steps_left: int, max_attempts: int) -> StopReason | None:
    """The reason to stop after a critique, or None."""
    last, count = attempts[-1], len(attempts)
    if last["accepted"]:
        if last["answer"] is None:
            return StopReason(kind="unverified", value="the main graph gave no answer", limit=None)
        return StopReason(kind="accepted", value=count, limit=None)
    if count >= max_attempts:
        return StopReason(kind="max_iterations", value=count, limit=max_attempts)
    if count > 1 and _same(last, attempts[-2]):
        return StopReason(kind="repeated_answer", value=2, limit=2)
    return _out_of_steps(steps_left, _STEPS_OF_A_ROUND)


def _messages(state: PairedState) -> list[BaseMessage]:
    return convert_to_messages(cast(Any, state.get("messages") or []))


def _mark(messages: Sequence[BaseMessage]) -> Mark:
    last = messages[-1].id if messages else None
    return Mark(id=last, count=0 if last else len(messages))


def _since(messages: Sequence[BaseMessage], mark: Mark) -> list[BaseMessage]:
    """The messages after a mark; all of them if the message it names has been removed."""
    if mark["id"] is None:
        return list(messages[mark["count"] :])
    ids = [message.id for message in messages]
    return list(messages[ids.index(mark["id"]) + 1 :]) if mark["id"] in ids else list(messages)


def _answer(messages: Sequence[BaseMessage]) -> str | None:
    """The last words that are not the user's; if all are, the last ones."""
    own = [message for message in messages if not isinstance(message, HumanMessage)]
    texts = (_text(message) for message in reversed(own or messages))
    return next((text for text in texts if text.strip()), None)


def _same(one: Attempt, other: Attempt) -> bool:
    return all(answer_lines(one[key]) == answer_lines(other[key]) for key in ("answer", "feedback"))


def _text(message: BaseMessage) -> str:
    return content_parts(message)[1]


def _out_of_steps(left: int, needed: int) -> StopReason | None:
    free = left - 1
    return StopReason(kind="recursion_limit", value=free, limit=needed) if free < needed else None
