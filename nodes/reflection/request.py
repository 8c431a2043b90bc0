"""The actor's request for each way of trying."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from ..._internal.steps import Steps
from ..._internal.strict_json import dumps
from ...errors import ParseFailedError, TruncatedError
from ...memory.lessons import Lesson, lessons_text
from ...models.messages import EMPTY_REPLY
from ...models.options import WARMTH, sampling_options
from ...models.retry import MAX_FEEDBACK, retry_steps
from ...models.thought import ChatModel
from ...parsers.contract import Parser
from ...traces.shapes import Usage
from .reflect import remembered

SYSTEM = "You solve the user's task. Follow the format that is asked for."

_REPAIR = """\
{feedback}

Find the mistake in your solution and write the corrected solution, whole and in the same format."""

_LESSON = """\


An earlier solution, written by somebody else, failed:
{feedback}
Think of what it must have got wrong, and write a solution that works differently."""

_CRITIQUE = """\


What a reviewer says of it: {critique}"""

_NOTED = """\


What you noted about your failures, oldest first:
{reflections}"""

_REFLECTED = """\


You have tried before and failed. What you noted about your failures, oldest first:
{reflections}

The last attempt failed with:
{feedback}
Heed your notes, and write a solution that works."""

_FORM_NOTES = """\


Earlier answers could not be judged as they were written:
{notes}
Heed that, and write an answer."""
"""It does not show the earlier answers: a small model would copy them with their mistakes."""

_WITH_LESSONS = """\
{lessons}

This is your task now. Take over only what fits it.

{prompt}"""


_WARMER = (0.0, 0.2)
"""What is added to `WARMTH`, sample by sample."""
_OTHERWISE = (
    "",
    "Solve it in another way than the one that comes to mind first.",
    "Keep it as plain as you can, and think of the unusual cases.",
)
"""What is added to the task, sample by sample. With the temperatures, that makes six different requests."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of asking the actor for one answer; `answer` is None if no reply passed the parser."""

    reply: str
    answer: str | None
    feedback: str
    kind: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Before:
    """What the actor may be told of its earlier answers.

    Attributes:
        reply: the last one, to repair.
        feedback: what was wrong with it.
        critique: how a reviewer explains that.
        reflections: what the actor noted about its failures; `"lesson"` and `"repair"` show the latest.
        form_notes: what was wrong with the form of earlier answers.
        patch_words: ask for only a part of the answer, if `"repair_form"` does not need the whole answer again.
    """

    reply: str = ""
    feedback: str = ""
    critique: str = ""
    reflections: Sequence[str] = ()
    form_notes: Sequence[str] = ()
    patch_words: str = ""


_NOTHING = Before()


def attempt_messages(
    task: str,
    instructions: str,
    criteria: str,
    strategy: str,
    before: Before = _NOTHING,
    lessons: Sequence[Lesson] = (),
) -> list[BaseMessage]:
    """The actor's request.

    Args:
        task: the task as the user gave it.
        instructions: the format of an answer, from the verifier. It stands in the system message, before the task: a
            small model that reads a worked example after its task takes it for the task.
        criteria: what the answer will be held to, from the verifier; placed after the task.
        strategy: `"repair"` continues the conversation after the last reply, the others start from scratch: `"lesson"`
            with what went wrong before, `"repair_form"`, `"fresh"` and `"escalate"` with what was wrong with the form
            of earlier answers, if anything. All share their beginning, so that a server can take it from its cache.
        before: what came before.
        lessons: of similar tasks. They stand before the task, for the reason above; `"fresh"` goes without them.
    """
    prompt = f"{task.strip()}\n\n{criteria.strip()}".strip()
    if lessons and strategy != "fresh":
        prompt = _WITH_LESSONS.format(lessons=lessons_text(lessons), prompt=prompt)
    shown = _shown(before.feedback, before.critique)
    if strategy == "lesson" and before.reflections:
        prompt += _REFLECTED.format(reflections=remembered(before.reflections), feedback=shown)
    elif strategy == "lesson":
        prompt += _LESSON.format(feedback=shown)
    elif before.patch_words:
        prompt += f"\n\n{before.patch_words}"
    elif before.form_notes and strategy in ("repair_form", "fresh", "escalate"):
        prompt += _FORM_NOTES.format(notes="\n".join(f"- {note[:MAX_FEEDBACK]}" for note in before.form_notes))
    messages: list[BaseMessage] = [SystemMessage(instructions.strip() or SYSTEM), HumanMessage(prompt)]
    if strategy == "repair":
        if before.reflections:
            shown += _NOTED.format(reflections=remembered(before.reflections))
        messages += [AIMessage(before.reply or EMPTY_REPLY), HumanMessage(_REPAIR.format(feedback=shown))]
    return messages


def another_sample(
    messages: Sequence[BaseMessage], model: ChatModel, number: int
) -> tuple[list[BaseMessage], dict[str, Any]]:
    """The request for one more sample, and the options of the call: words and temperature take turns.

    Args:
        messages: what the first sample was asked with.
        model: that is asked.
        number: of the sample among those after the first, from 1; its seed, too.
    """
    *before, last = messages
    words = _OTHERWISE[(number - 1) % len(_OTHERWISE)]
    # At the end, so that a server finds what comes before in its cache.
    asked = HumanMessage(f"{last.content}\n\n{words}") if words else last
    warmth = WARMTH + _WARMER[(number - 1) % len(_WARMER)]
    return [*before, asked], sampling_options(model, warmth, seed=number)


def repair_words(feedback: str, critique: str = "") -> str:
    """Asks for another answer in the same conversation.

    Args:
        feedback: what was wrong with the last one.
        critique: how a reviewer explains that; "" for none.
    """
    return _REPAIR.format(feedback=_shown(feedback, critique))


def _shown(feedback: str, critique: str) -> str:
    explained = _CRITIQUE.format(critique=critique[:MAX_FEEDBACK]) if critique else ""
    return feedback[:MAX_FEEDBACK] + explained


def answer_steps(
    actor: ChatModel, messages: list[BaseMessage], parser: Parser, options: Mapping[str, Any], *, max_retries: int
) -> Steps[Answered]:
    """Ask the actor for an answer. A reply that does not parse is sent back, up to `max_retries` replies in all; one
    that was cut off is asked for again with a higher cap."""
    try:
        parsed = yield from retry_steps(actor, messages, parser, max_retries=max_retries, options=options)
    except ParseFailedError as failed:
        usage = Usage(**failed.usage)
        return Answered(failed.raw_replies[-1], None, failed.feedbacks[-1], "no_answer", usage)
    except TruncatedError as cut:
        feedback = "Your reply was cut off because it was too long. Write a shorter solution."
        return Answered(cut.raw_reply, None, feedback, "truncated", Usage(**cut.usage))
    content: object = parsed.content
    answer = content if isinstance(content, str) else dumps(content, ensure_ascii=False, default=str)
    return Answered(parsed.thought.reply, answer, "", "", parsed.usage)
