"""Self-reflection: the actor says in its own words why an attempt failed and what to do next time.

Source: Shinn et al. 2023, Reflexion: Language Agents with Verbal Reinforcement Learning. As there, a few of the latest
reflections are the memory that the next attempt starts from.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from ..._internal.steps import Steps
from ...errors import ParseFailedError, TruncatedError
from ...models.retry import MAX_FEEDBACK, retry_steps
from ...models.thought import ChatModel
from ...models.transport import loss_of
from ...parsers.contract import ParseDict, error, success
from ...parsers.copied import copies
from ...parsers.sections import multi_section_parser
from ..trace import run_recording
from .loop import ReflectionLoop
from .state import Reflection, ReflectionState, spent

HEADERS = ("[Mistake]", "[Next time]")
MEMORY = 3
"""Reflections that are shown to the actor; the paper keeps one to three."""

_SYSTEM = """\
You tried to solve a task and failed. Think about why. Say in one sentence what the mistake was, and in one or two \
sentences what to do differently next time. Do not write the solution."""

_REQUEST = """\
The task:
{task}

Your answer:
{answer}

What happened:
{feedback}

Reply in two sections: [Mistake] and [Next time]."""

# As an earlier turn: see the critic's examples.
_EXAMPLE_REQUEST = _REQUEST.format(
    task="Write a function `days(year)` that returns the number of days of a year.",
    answer="def days(year):\n    return 365",
    feedback="Failed: `assert days(2024) == 366`: expected 366, got 365.",
)
_MISTAKE = "I returned the days of an ordinary year and forgot that a leap year has one day more."
_NEXT_TIME = "Find out first whether the year is a leap year, and add its extra day."
_EXAMPLE_REPLY = f"[Mistake]\n{_MISTAKE}\n[Next time]\n{_NEXT_TIME}"

_SHOWN_ANSWER = 6_000
_SHOWN_REFLECTION = 800


def reflection_messages(task: str, answer: str, feedback: str) -> list[BaseMessage]:
    """The request for a reflection on one failed answer."""
    request = _REQUEST.format(task=task.strip(), answer=answer[:_SHOWN_ANSWER], feedback=feedback[:MAX_FEEDBACK])
    return [
        SystemMessage(_SYSTEM),
        HumanMessage(_EXAMPLE_REQUEST),
        AIMessage(_EXAMPLE_REPLY),
        HumanMessage(request),
    ]


def reflection_parser(raw_reply: str, *, kept: Mapping[str, str] | None = None) -> ParseDict:
    """Read a reflection: `{"status": "success", "content": "mistake → what to do"}`, or an error that names what is
    missing. `kept` are sections of an earlier reply."""
    parsed = multi_section_parser(raw_reply, HEADERS, kept=kept)
    if parsed.get("status") == "error":
        return parsed
    sections: dict[str, str] = parsed.get("content") or {}
    mistake, next_time = (" ".join(sections[header].split()) for header in HEADERS)
    if copies(f"{mistake} {next_time}", (_MISTAKE, _NEXT_TIME)):
        return error("That is what you noted about an earlier task. Think about your last answer.")
    return success(f"{mistake} → {next_time}")


def _reflection_steps(actor: ChatModel, task: str, answer: str, feedback: str) -> Steps[str]:
    """Ask the actor to reflect on its failed answer; "" if what it noted could not be read."""
    messages = reflection_messages(task, answer, feedback)
    try:
        parsed = yield from retry_steps(actor, messages, reflection_parser)
    except (ParseFailedError, TruncatedError):
        return ""
    return str(parsed.content)


def remembered(reflections: Sequence[str]) -> str:
    """The latest reflections as the actor reads them."""
    latest = reflections[-MEMORY:]
    return "\n".join(f"{number}. {text[:_SHOWN_REFLECTION]}" for number, text in enumerate(latest, 1))


def reflect(state: ReflectionState, loop: ReflectionLoop) -> Steps[dict[str, Any]]:
    """Have the actor say why it failed; without a readable reflection the next attempt has the feedback alone."""
    failed = state["attempts"][-1]
    started = time.monotonic()
    with run_recording(state) as recorder:
        try:
            actor, answer = loop.model(state["level"]), failed["answer"] or ""
            noted = yield from _reflection_steps(actor, state["task"], answer, failed["feedback"])
        except Exception as lost:  # noqa: BLE001 - `loss_of` raises what is a mistake
            return {**spent(state, recorder, time.monotonic() - started), "failure": loss_of(lost)}
        recorder.add("reflection", recorder.after_last(), reflection=noted, attempt=failed["number"])
    reflections = [Reflection(attempt=failed["number"], text=noted)] if noted else []
    return {"reflections": reflections, **spent(state, recorder, time.monotonic() - started)}
