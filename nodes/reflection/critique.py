"""A model's opinion of an answer: asked for in loose sections, parser-validated, and None if it cannot be read.

Sources: docs/background/reflection_modes.md; Shinn et al. 2023 (Reflexion) for an
evaluator that is a model. An opinion does not verify anything: an answer that only has one is reported as unverified.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from ..._internal.steps import Steps
from ...errors import ParseFailedError, TruncatedError
from ...models.named import model_name
from ...models.retry import MAX_FEEDBACK, retry_steps
from ...models.thought import ChatModel
from ...models.transport import loss_of
from ...parsers.contract import ParseDict, error, success
from ...parsers.copied import copies
from ...parsers.sections import multi_section_parser
from ...traces.lookup import brief
from ...traces.shapes import Attempt
from ..trace import run_recording
from .loop import ReflectionLoop
from .state import ReflectionState, current_attempt, settled_or_current, spent

HEADERS = ("[Critique]", "[Score]", "[Verdict]")

_SYSTEM = """\
You review answers to tasks. Compare the answer with everything the task asks for, and try it on an example of your \
own. Say in one to three sentences what is wrong and how to mend it, or why it is right. Do not write a new answer. \
The score goes from 0 (useless) to 10 (right in everything). The verdict is ACCEPT or REVISE."""

_REQUEST = """\
The task:
{task}

The answer to review:
{answer}{failed}

Reply in three sections: [Critique], [Score] and [Verdict]."""

_REPLY = """\
[Critique]
{critique}
[Score]
{score}
[Verdict]
{verdict}"""

# As earlier turns: a small model copies an example that stands in its instructions, and gives up the format in prose.
_EXAMPLES = (
    (
        "Write a function `last(items)` that returns the last item of a list.",
        "```python\ndef last(items):\n    return items[0]\n```",
        "`last([1, 2])` gives 1, the first item, where 2 is wanted. Take the index -1 instead of 0.",
        "2",
        "REVISE",
    ),
    (
        "Name three rivers that flow through France.",
        "Loire, Seine and Rhône",
        "All three rivers flow through France, and three were asked for. Nothing is missing.",
        "10",
        "ACCEPT",
    ),
)

_FAILED = """

The answer was tried, and failed:
{feedback}
So the verdict is REVISE. In [Critique], explain what in the answer causes this, and how to mend it."""

_SCALE = re.compile(r"(?:/|(?:out )?of|from 0 to|0 ?(?:-|–|to)) ?10(?:\.0)?\b(?![.,]?\d)", re.IGNORECASE)
_OTHER_SCALE = re.compile(r"[ ,(]+(?:\w+ )?(?:out )?of \d", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,/−-])(?<!/ )\d{1,3}(?:[.,]\d{1,3})?(?![\d%/]|\.?\d| ?[%/])")
_MARKUP = re.compile(r"[*_`\"'\[\]]+")
# An acceptance begins with its word; what is merely found somewhere in a sentence may be denied in ways nobody listed.
_LEADS = re.compile(
    r"\W*(?:verdict\W*)?(?:i (?:would |can |want to )?)?(?:accept(?:ed)?|approved?)\b(?! ?\?)"
    # What follows at once may take it back: "ACCEPT: no", "accept it only with changes".
    r"(?![^\w.!]*(?:(?:it|this|that|the answer) )?(?:with|when|only|pending|provided|assuming|subject|conditional\w*"
    r"|(?:is|would|needs?)(?! (?:right|correct|complete|fine|good|perfect|no\b))"
    r"|(?:please )?(?:fix|mend|change)|(?:no|false|none|nothing)\W*$)(?!\w))"
)
_ACCEPT = re.compile(r"\b(?:accept(?:ed)?|approved?)\b")
_REVISE = re.compile(r"\b(?:revis\w+|reject\w*)\b")
# Whatever denies or puts conditions: with it, nothing is taken for an acceptance.
_DENIAL = re.compile(r"\b(?:not|never|no way|cannot|unable|refuse|\w+n't)\b[^.,;!]{0,30}?\b(?:accept|approve)\w*")
_DOUBT = re.compile(
    r"\b(?:not|never|cannot|\w+n't|but|if|once|unless|until|before|after|except|however|then"
    r"|though|although)\b|[❌✗✘]"
)
_COPIED = tuple(example[2] for example in _EXAMPLES)
_LONGEST_OPINION = 2_000
"""Characters of a score or a verdict that are read: Unicode's normal form takes quadratic time for accents in a row."""
_SHOWN_ANSWER, _SHOWN_REPLY = 8_000, 200


@dataclass(frozen=True, slots=True)
class Critique:
    """What a critic said; `accepted` is None if its replies could not be read.

    Attributes:
        accepted: whether it would take the answer.
        score: 0 to 1.
        feedback: what is wrong and how to fix it; for an unreadable critique what was said in its place.
    """

    accepted: bool | None
    score: float
    feedback: str


def critique_messages(task: str, criteria: str, answer: str, failed_with: str = "") -> list[BaseMessage]:
    """The critic's request.

    Args:
        task: the task as the user gave it.
        criteria: what the answer is held to, from the verifier.
        answer: the answer, shown up to 8,000 characters.
        failed_with: the verifier's feedback if it failed the answer; the critic then explains the failure.
    """
    messages: list[BaseMessage] = [SystemMessage(_SYSTEM)]
    for known, given, critique, score, verdict in _EXAMPLES:
        messages.append(HumanMessage(_REQUEST.format(task=known, answer=given, failed="")))
        messages.append(AIMessage(_REPLY.format(critique=critique, score=score, verdict=verdict)))
    wanted = f"{task.strip()}\n\n{criteria.strip()}".strip()
    failed = _FAILED.format(feedback=failed_with[:MAX_FEEDBACK]) if failed_with else ""
    messages.append(HumanMessage(_REQUEST.format(task=wanted, answer=answer[:_SHOWN_ANSWER], failed=failed)))
    return messages


def critique_parser(raw_reply: str, *, failed: bool = False, kept: Mapping[str, str] | None = None) -> ParseDict:
    """Read a critique.

    Args:
        raw_reply: the critic's reply.
        failed: the answer has failed its check, so a verdict that accepts it is refused.
        kept: sections of an earlier reply; see `multi_section_parser`.

    Returns:
        `{"status": "success", "content": {"accepted": bool, "score": 0 to 1, "feedback": str}}`, or an error whose
        feedback names what is missing. A verdict that says both or neither is an error, not an acceptance.
    """
    parsed = multi_section_parser(raw_reply, HEADERS, kept=kept)
    if parsed.get("status") == "error":
        return parsed
    sections: dict[str, str] = parsed.get("content") or {}
    critique, shown_score, shown_verdict = (sections[header] for header in HEADERS)
    if copies(critique, _COPIED):
        return error("That is the critique of an earlier answer. Look at the last answer, and say what you see there.")
    points = _points(shown_score)
    accept = _acceptance(shown_verdict)
    wrong: dict[str, str] = {}
    if points is None:
        wrong["[Score]"] = f"[Score] is one number from 0 to 10, not {shown_score[:40]!r}."
    if accept is None:
        wrong["[Verdict]"] = f"[Verdict] is one word, ACCEPT or REVISE, not {shown_verdict[:40]!r}."
    if points is None or accept is None:
        return error(" ".join(wrong.values()), {name: text for name, text in sections.items() if name not in wrong})
    if accept and failed:
        return error("The answer has failed its check, so [Verdict] is REVISE. Explain in [Critique] what causes it.")
    return success({"accepted": accept, "score": points / 10, "feedback": critique})


def _points(shown: str) -> float | None:
    """The score from 0 to 10; None for none, or one on another scale."""
    text = _SCALE.sub(" ", unicodedata.normalize("NFKC", shown[:_LONGEST_OPINION]))
    number = _NUMBER.search(text)
    if number is None or _OTHER_SCALE.match(text, number.end()):
        return None
    points = float(number.group().replace(",", "."))
    return points if points <= 10 else None


def _acceptance(shown: str) -> bool | None:
    """Whether a verdict accepts; None if it says both or neither, makes conditions, or is as long as a page."""
    if len(shown) > _LONGEST_OPINION:
        return None
    text = unicodedata.normalize("NFKC", shown).replace("’", "'").lower()
    text = " ".join(_MARKUP.sub(lambda mark: "'" if mark.group() == "'" else " ", text).split())
    rest = _DENIAL.sub(" ", text)
    accepts = bool(_ACCEPT.search(rest))
    refuses = rest != text or bool(_REVISE.search(text))
    if accepts == refuses or (accepts and (not _LEADS.match(text) or _DOUBT.search(text))):
        return None
    return accepts


def critique_steps(critic: ChatModel, task: str, criteria: str, answer: str, failed_with: str = "") -> Steps[Critique]:
    """Ask a critic for its opinion; what stays unreadable after three replies is neither accept nor reject."""
    messages = critique_messages(task, criteria, answer, failed_with)
    try:
        parsed = yield from retry_steps(critic, messages, critique_parser, parser_kwargs={"failed": bool(failed_with)})
    except ParseFailedError as unreadable:
        # What the critic was told speaks to a model, and these words are for the user.
        last = brief(unreadable.raw_replies[-1], _SHOWN_REPLY) or "nothing"
        return Critique(
            None, 0.0, f"The critic was asked {len(unreadable.raw_replies)} times, and said at last: {last}"
        )
    except TruncatedError:
        return Critique(None, 0.0, "The critique was cut off by the output cap.")
    content = parsed.content
    return Critique(content["accepted"], content["score"], content["feedback"])


def unreadable(state: ReflectionState, loop: ReflectionLoop) -> dict[str, Any]:
    """Settle an attempt that stays unjudged, because its critique could not be read."""
    return settled_or_current({**current_attempt(state), "kind": "unreadable_critique"}, settled=True)


def criticize(
    state: ReflectionState, loop: ReflectionLoop, *, by: Literal["critic", "evaluator"]
) -> Steps[dict[str, Any]]:
    """Ask a model for its opinion of the current answer, and settle the attempt with it.

    The verifier's verdict stands: a failed answer stays failed and keeps its score, and the critique explains the
    failure. An unverified answer whose critique cannot be read stays in `current`. `by` is named in the trace.
    """
    judged = current_attempt(state)
    failed_with = judged["feedback"] if judged["verdict"] == "failed" else ""
    started = time.monotonic()
    with run_recording(state) as recorder:
        try:
            opinion = yield from critique_steps(
                loop.critic, state["task"], loop.criteria, judged["answer"] or "", failed_with
            )
        except Exception as lost:  # noqa: BLE001 - `loss_of` raises what is a mistake
            return {
                **settled_or_current(judged, settled=True),
                **spent(state, recorder, time.monotonic() - started),
                # The actor has answered, and may be another model on another server.
                "failure": f"the {by}, {model_name(loop.critic)}: {loss_of(lost)}",
            }
        recorder.add(
            "critique",
            recorder.after_last(),
            accepted=opinion.accepted,
            score=opinion.score,
            feedback=opinion.feedback,
            by=by,
            attempt=judged["number"],
        )
    return {**_with_opinion(judged, opinion), **spent(state, recorder, time.monotonic() - started)}


def _with_opinion(judged: Attempt, critique: Critique) -> dict[str, Any]:
    if critique.accepted is None and judged["verdict"] == "unverified":
        return settled_or_current(
            {**judged, "feedback": f"The critique could not be read. {critique.feedback}"}, settled=False
        )
    if critique.accepted is None:
        return settled_or_current(judged, settled=True)
    if judged["verdict"] == "failed":
        return settled_or_current({**judged, "accepted": False, "critique": critique.feedback}, settled=True)
    opinion: Attempt = {
        **judged,
        "accepted": critique.accepted,
        "score": critique.score,
        "feedback": critique.feedback,
        "kind": "" if critique.accepted else "rejected",
    }
    return settled_or_current(opinion, settled=True)
