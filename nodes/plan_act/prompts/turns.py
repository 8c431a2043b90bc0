"""The turns of a plan-act conversation: its system message, and what asks for a plan, a thought, a replan.

One conversation serves the whole run and only ever grows at its end: the instructions hold nothing that changes, every
request is the one before with a turn or two added, but for what a model would only write again. A server that caches
prompts reads each token once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, NotRequired

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool
from typing_extensions import TypedDict

from ...._internal.fences import fenced
from ...._internal.texts import Language
from ....models.messages import Prepared, estimate_tokens, whole_characters
from .context import ContextComponent
from .instructions import AT_ONCE, INSTRUCTIONS
from .texts import text
from .tool_list import tool_list

GuidanceRole = Literal["user", "system"]


class Turn(TypedDict):
    """One turn of the conversation with the model.

    Not called `role` and `content`: LangGraph makes messages of dicts that look like messages.

    Attributes:
        speaker: `"user"` or `"assistant"`.
        words: the text.
        guidance: advice that follows the text of a user's turn; "" for none.
        observation: whether it shows a tool's result.
        blocks: images and files that the model is shown with it.
    """

    speaker: Literal["user", "assistant"]
    words: str
    guidance: str
    observation: bool
    blocks: NotRequired[list[dict[str, Any]]]


def turn_of(
    speaker: Literal["user", "assistant"], words: str, *, guidance: str = "", observation: bool = False
) -> Turn:
    """A turn."""
    return Turn(speaker=speaker, words=words, guidance=guidance, observation=observation)


def with_media(turn: Turn, blocks: Iterable[dict[str, Any]], kinds: Collection[str]) -> Turn:
    """A turn with those images and files that the model can be shown."""
    shown = [block for block in blocks if str(block.get("type")) in kinds]
    return {**turn, "blocks": shown} if shown else turn


def media_lines(language: Language, blocks: Iterable[dict[str, Any]], kinds: Collection[str] | None) -> list[str]:
    """A line for each image or file, which says whether the model is shown it; to the user, with None, what it is."""
    lines: list[str] = []
    for block in blocks:
        kind = str(block.get("type"))
        named = f"{kind} {block.get('mime_type') or ''}".strip()
        key = "result.media" if kinds and kind in kinds else "result.media_left_out"
        lines.append(f"[{named}]" if kinds is None else text(language, key, kind=named))
    return lines


_BLOCK_TOKENS, _HEADINGS = 1_000, 20
"""Estimates: what a provider counts for an image or a page, and of the headings above instructions and tools."""


def components(
    tools: Mapping[str, BaseTool],
    own: Sequence[ContextComponent],
    context_tokens: int,
    language: Language,
    parallel: Collection[str] = (),
) -> list[ContextComponent]:
    """The parts of the system message: instructions, tools in a fixed order, the user's own."""
    room = context_tokens // 2 - estimate_tokens(INSTRUCTIONS[language]) - _HEADINGS
    listed = tool_list(tools, room, language) or text(language, "system.no_tools")
    if parallel:
        listed += f"\n{text(language, 'system.at_once', names=', '.join(sorted(parallel)))}{AT_ONCE[language]}"
    return [
        ContextComponent(text(language, "system.how"), INSTRUCTIONS[language], "instructions"),
        ContextComponent(text(language, "system.tools"), listed, "tools"),
        *own,
    ]


def moment(date: datetime, language: Language) -> str:
    """A time as the model is told it, with its day of the week."""
    # Not `%Y`, which writes the year 800 with three digits on Linux.
    minute = date.isoformat(" ")[:16]
    return f"{minute}（星期{'一二三四五六日'[date.weekday()]}）" if language == "zh" else f"{minute} ({date:%A})"


def goal_turn(language: Language, goal: str, now: str, background: str, context: str) -> Turn:
    """Asks for the plan."""
    time_line = f"{text(language, 'turn.now', now=now)}\n" if now else ""
    # It may hold the results of earlier runs.
    before = f"{time_line}{text(language, 'turn.before', before=fenced(background))}\n" if background else time_line
    if context:
        before += f"{text(language, 'turn.context', context=fenced(context))}\n"
    return turn_of("user", f"{before}{text(language, 'turn.plan', goal=goal)}")


def revision_turn(language: Language, issues: Sequence[str], phase: str) -> Turn:
    """Sends a plan back with what is wrong with it."""
    return turn_of("user", text(language, "turn.revise", issues=_listed(issues), phase=phase.upper()))


def step_turn(language: Language, number: int, total: int, step: str, goal: str) -> Turn:
    """Asks for a thought on a step."""
    return turn_of("user", text(language, "turn.step", goal=goal, number=number, total=total, step=step))


def steps_turn(language: Language, steps: Mapping[int, str], total: int, goal: str) -> Turn:
    """Asks for a thought on several steps that need nothing of each other."""
    listed = "\n".join(f"{number}: {step}" for number, step in steps.items())
    return turn_of("user", text(language, "turn.steps", goal=goal, total=total, steps=listed))


def observation_turn(
    language: Language, results: Sequence[tuple[str, bool, str]], guidance: str, asked: str = "", more: str = ""
) -> Turn:
    """Shows what tool calls came to (tool, whether it worked, result), each as a block: it may hold words like ours.
    `more` follows them."""
    keys = {True: "turn.result", False: "turn.result_failed"}
    blocks = [text(language, keys[ok], tool=tool, result=fenced(result)) for tool, ok, result in results]
    shown = "\n\n".join(filter(None, [*blocks, more]))
    advice = [guidance, asked or text(language, "turn.next_action")]
    return turn_of("user", shown, guidance="\n\n".join(filter(None, advice)), observation=True)


def note_turn(language: Language, note: str, phase: str) -> Turn:
    """Tells the model what was wrong with its last decision."""
    return turn_of("user", text(language, "turn.note", note=note, phase=phase.upper()))


def finished_note(language: Language, number: int, step: str, response: str, *, failed: bool = False) -> str:
    """Says that a step is finished, in the model's words, or that it failed, with the tool's error as a block."""
    if failed:
        return text(language, "note.failed", number=number, step=step, error=fenced(response))
    return text(language, "note.finished", number=number, step=step, response=response)


def finished_by_note(language: Language, number: int, step: str, result: str) -> str:
    """Says that a step is finished by a call, with its result as a block."""
    return text(language, "note.finished_by", number=number, step=step, result=fenced(result))


def finished_line(language: Language, step: str, response: str, *, failed: bool) -> str:
    """A finished step as one line of a list, with the error as a block if it failed."""
    return text(language, "line.failed", step=step, error=fenced(response)) if failed else f"{step}: {response}"


def answered_note(language: Language, question: str, answer: str) -> str:
    """Says what the user answered."""
    return text(language, "note.answered", question=question, answer=answer)


def replan_turn(language: Language, goal: str, note: str, open_steps: Sequence[str]) -> Turn:
    """Asks which steps remain."""
    still = text(language, "turn.between").join(open_steps) or text(language, "turn.none")
    asked = text(language, "turn.remaining" if open_steps else "turn.remaining_or_answer")
    return turn_of("user", text(language, "turn.replan", note=note, goal=goal, steps=still, asked=asked))


def last_turn(language: Language, warning: str, goal: str) -> Turn:
    """Asks for the best answer there is."""
    return turn_of("user", text(language, "turn.last", warning=warning, goal=goal))


def without_request(turn: Turn) -> str:
    """A user's turn without its advice and without the request for JSON that ends it."""
    # An observation's request is part of its advice; its words come from a tool. Any other request is the last line.
    return turn["words"] if turn["observation"] else turn["words"].rpartition("\n\n")[0]


def out_of_sight(turns: Sequence[Turn], call: Any, step: Turn) -> list[Turn]:
    """A conversation without the call that its last rounds made again and again, though it failed: of an answer that it
    sees, a small model writes a copy, mistakes included.

    Args:
        turns: of the conversation; the last one says what is wrong.
        call: the input of the call, as it stands in the replies.
        step: the turn that asks for the step.
    """
    written = f'"input": {json.dumps(call, ensure_ascii=False)}'
    kept, asked = list(turns[:-1]), turns[-1]
    while len(kept) > 1 and kept[-1]["speaker"] == "assistant" and written in kept[-1]["words"]:
        del kept[-1]
        asked = kept.pop()
    if asked is turns[-1]:
        return list(turns)
    words = [without_request(step)] if step["words"] not in asked["words"] else []
    return [*kept, {**turns[-1], "words": "\n\n".join([without_request(asked), *words, turns[-1]["words"]])}]


def resumed_turn(
    language: Language,
    goal: str,
    now: str,
    finished: Sequence[str],
    answers: Sequence[str],
    open_steps: Sequence[str],
) -> Turn:
    """Stands for everything that was left out of a conversation that had grown too long."""
    none = text(language, "turn.none")
    done, rest = (_listed(lines or [none]) for lines in (finished, open_steps))
    answer_lines = f"\n{text(language, 'turn.answers', answers=_listed(answers))}" if answers else ""
    given = {"now": text(language, "turn.now", now=now), "goal": goal, "done": done, "told": answer_lines, "rest": rest}
    return turn_of("user", text(language, "turn.resumed", **given))


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def to_request(system: str, turns: Sequence[Turn], guidance_role: GuidanceRole) -> Prepared:
    """The messages of a call, in an order that providers accept.

    One system message leads; user and assistant take turns. With `guidance_role="system"` advice is a system message
    of its own right after the result it belongs to, for providers that allow one there; otherwise it ends the user's
    turn.
    """
    if guidance_role == "user":
        messages = [_shown(turn, turn["guidance"]) for turn in turns]
    else:
        messages = [message for turn in turns for message in _apart(turn)]
    return Prepared([_message("system", system, ""), *messages])


def _apart(turn: Turn) -> list[BaseMessage]:
    words = _shown(turn, "")
    return [words, _message("system", turn["guidance"], "")] if turn["guidance"] else [words]


def _shown(turn: Turn, guidance: str) -> BaseMessage:
    message = _message(turn["speaker"], turn["words"], guidance)
    if blocks := turn.get("blocks"):
        content: list[str | dict[Any, Any]] = [{"type": "text", "text": message.content}, *blocks]
        return HumanMessage(content)
    return message


@lru_cache(maxsize=4096)
def _message(role: str, words: str, guidance: str) -> BaseMessage:
    # A long run sends the same turns with every call; building their messages each time would cost more than the rest.
    content = whole_characters(f"{words}\n\n{guidance}" if guidance else words)
    if role == "system":
        return SystemMessage(content)
    return AIMessage(content) if role == "assistant" else HumanMessage(content)


def turn_tokens(turn: Turn) -> int:
    """Estimated tokens of a turn."""
    return _tokens(turn["words"], turn["guidance"]) + _BLOCK_TOKENS * len(turn.get("blocks", ()))


@lru_cache(maxsize=4096)
def _tokens(words: str, guidance: str) -> int:
    return estimate_tokens(words) + estimate_tokens(guidance)


def kept_tail(turns: Sequence[Turn], budget: int, max_observations: int) -> int | None:
    """Where the part of a conversation starts that is kept when it has grown too long; None while it has not.

    Too long is more than the budget, or more observations than may be shown. Of a conversation over budget half the
    budget is kept, so that the cut moves seldom and a prompt cache is of use between two cuts. What is kept begins
    with a reply of the model, to which the turn that stands for the rest leads.
    """
    if len(turns) < 4:
        return None
    observations = [index for index, turn in enumerate(turns) if turn["observation"]]
    start = 0
    if len(observations) > max_observations:
        start = observations[-max_observations] - 1
    if sum(map(turn_tokens, turns)) > budget:
        room = budget // 2
        index = len(turns)
        while index > start and room >= 0:
            index -= 1
            room -= turn_tokens(turns[index])
        start = max(start, index + 1)
    if start == 0:
        return None
    while start < len(turns) and turns[start]["speaker"] != "assistant":
        start += 1
    # The last reply and what came of it are always kept.
    return min(start, len(turns) - 2)
