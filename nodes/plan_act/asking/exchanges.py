"""What was said and done before, as the next run is told it, and as it is read from what a run was told."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from ...._internal.texts import Language
from ....models.messages import content_parts, estimate_tokens, whole_characters
from ....tools.calls.effects import named_effect, says_effects
from ....traces.lookup import brief
from ..checks.effect import as_written, had_effect, successful_calls
from ..loop import PlanActLoop
from ..prompts.texts import text
from ..state import Exchange, PlanActState

_MAX_CHARACTERS = 400
"""Of what one side said before."""
_MAX_TOKENS = 800
"""Of all that was said before; a small model's context is soon full."""
_CALL = " → "
"""Between a call and its result."""


def exchanges_in(messages: Sequence[BaseMessage]) -> list[Exchange]:
    """What the user said and what was answered; tool calls and their results are left out."""
    found: list[Exchange] = []
    for message in messages:
        words = content_parts(message)[1].strip()
        if message.type == "human":
            found.append(Exchange(said=words, answered=""))
        elif message.type == "ai" and words and found:
            found[-1]["answered"] = words
    return found


def exchanges_text(exchanges: Sequence[Exchange], language: Language) -> str:
    """Exchanges as the next run is told them: the latest 800 tokens, each side that said something on one line; "" for
    none."""
    shown: list[str] = []
    tokens = 0
    for exchange in reversed(exchanges):
        said, answered = one_line(exchange["said"]), one_line(exchange["answered"])
        line = text(language, "turn.exchange", said=said, answered=answered)
        if not answered:
            line = line.partition("\n")[0]
        if done := exchange.get("done"):
            line += f"\n{text(language, 'turn.exchange_done', done=one_line(done))}"
        tokens += estimate_tokens(line)
        if tokens > _MAX_TOKENS:
            break
        shown.insert(0, line)
    return "\n".join(shown)


def one_line(words: str) -> str:
    """Words on one line, where no text can pass for another speaker's, cut to 400 characters."""
    return brief(whole_characters(words), _MAX_CHARACTERS)


def done_in(state: PlanActState, loop: PlanActLoop) -> str:
    """The calls of a run that had an effect, or by their tool's name may have had one, each with the first line of its
    result; "" for none.

    The next request is told them: "undo that" needs to know what was done, and to which entry.
    """
    tools, shown = loop.tools, list[str]()
    for seen in successful_calls(state, loop, since=0):
        tool = tools[seen["tool"]]
        if had_effect(seen, loop) or (not says_effects(tool) and named_effect(tool)[0]):
            given = as_written(seen["input"])
            call = given if given.lstrip("/").startswith(seen["tool"]) else f"{seen['tool']} {given}"
            shown.append(f"{call}{_CALL}{seen['result'].partition(chr(10))[0]}")
    return "; ".join(shown)


def said_before(before: str, language: Language) -> list[str]:
    """What the user said, from what is told of earlier exchanges, oldest first."""
    first = text(language, "turn.exchange", said="\0", answered="").split("\0")[0]
    return [line.removeprefix(first) for line in before.splitlines() if line.startswith(first)]


def done_before(before: str, language: Language) -> list[str]:
    """The calls of the last exchange, each with its result."""
    first, last = text(language, "turn.exchange_done", done="\0").split("\0")
    line = "".join(before.splitlines()[-1:])
    if not line.startswith(first):
        return []
    done: list[str] = []
    for part in line.removeprefix(first).removesuffix(last).split("; "):
        if _CALL in part or not done:
            done.append(part)
        else:
            # The mark between two calls may be part of a call's own words.
            done[-1] += f"; {part}"
    return done
