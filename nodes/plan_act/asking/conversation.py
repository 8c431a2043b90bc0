"""The plan-act loop's conversation with its model: what it is shown, and how it grows.

One conversation serves the run. Its turns are kept in the state; over budget the early ones give way to a summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from ...._internal.fences import fenced
from ...._internal.texts import shortened
from ..loop import PlanActLoop
from ..plans.phases import Phase
from ..plans.progress import current_steps, finished, remaining
from ..prompts.advice import analyze_tool_results, depth_hint, generate_guidance
from ..prompts.context import Assembled
from ..prompts.report import warnings
from ..prompts.shown_plans import example_turns
from ..prompts.turns import (
    Turn,
    finished_line,
    kept_tail,
    note_turn,
    observation_turn,
    replan_turn,
    resumed_turn,
    step_turn,
    steps_turn,
    to_request,
    turn_of,
    turn_tokens,
    with_media,
)
from ..state import Cut, Observation, PlanActState, clarified

MAX_OBSERVATION = 10_000
"""Characters of a result that are kept."""
_MAX_OBSERVATIONS = 100
"""Results that the model is shown."""
_NOTES = ("unreadable", "repeated_question", "ungrounded", "unfounded", "unread", "incomplete")


def shown_turns(state: PlanActState, turns: Sequence[Turn]) -> list[Turn]:
    """The turns that the model is shown: all, or a summary and those since the last cut."""
    cut = state["cut"]
    return [cut["summary"], *turns[cut["start"] :]] if cut else list(turns)


def longest_shown(loop: PlanActLoop) -> int:
    """Characters of a round's results that the model is shown."""
    return min(MAX_OBSERVATION, 2 * loop.context_tokens)


def _examples(state: PlanActState, loop: PlanActLoop) -> Sequence[Turn]:
    if not loop.examples:
        return ()
    # What every run is shown comes first, so that a server's prompt cache keeps it from run to run.
    room = loop.context_tokens // 2 - sum(map(turn_tokens, loop.examples))
    shown = example_turns(
        state["goal"], loop.plan_examples, recalls=bool(state["before"]), of_known=bool(state["context"]), room=room
    )
    if shown:
        shown[0] = turn_of("user", f"{loop.text('turn.now', now=state['now'])}\n{shown[0]['words']}")
    return [*loop.examples, *shown]


def _system(state: PlanActState, loop: PlanActLoop) -> Assembled:
    # Only where the parts do not all fit can progress change them, which costs a prompt cache its beginning.
    progress = min(1.0, state["steps"] / loop.guards.max_steps)
    return loop.coordinator.assemble(state["goal"], loop.context_tokens // 2, progress)


def request_of(
    turns: Sequence[Turn], state: PlanActState, loop: PlanActLoop, *, examples: bool = True
) -> list[BaseMessage]:
    """The messages of a call that shows the model these turns, after what every call begins with; or without the
    examples, where it is to tell what was done."""
    system = _system(state, loop)
    return to_request(system.text, [*(_examples(state, loop) if examples else ()), *turns], loop.guidance_role)


def append_turn(turn: Turn, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Append a turn; where the conversation has grown too long, say from where on it is shown."""
    turns = shown_turns(state, [*state["turns"], turn])
    # What every request begins with leaves the run's own turns at least a quarter of the budget.
    before = _system(state, loop).tokens + sum(map(turn_tokens, _examples(state, loop)))
    room = max(loop.context_tokens - before, loop.context_tokens // 4)
    start = kept_tail(turns, room, _MAX_OBSERVATIONS)
    if start is None:
        return {"turns": [turn]}
    done = [
        finished_line(loop.language, item["step"], item["response"], failed=item["status"] == "failed")
        for item in finished(state)
    ]
    rest = [item["step"] for item in remaining(state)]
    answers = [f"{given['question']} {given['answer']}" for given in clarified(state)]
    summary = resumed_turn(loop.language, state["goal"], state["now"], done, answers, rest)
    summary = with_media(summary, state["turns"][0].get("blocks", ()), loop.media)
    first = len(state["turns"]) + 1 - (len(turns) - start)
    # All turns stay in their channel: with the kept ones written again at every cut, checkpoints grow quadratically.
    return {"turns": [turn], "cut": Cut(start=first, summary=summary)}


def result_turn(
    seen: Sequence[Observation],
    results: Sequence[str],
    state: PlanActState,
    loop: PlanActLoop,
    asked: str = "",
    told_more: Sequence[str] = (),
) -> Turn:
    """The results of a round's calls as the model is shown them, with guidance by the first handler for the goal.

    Args:
        seen: the observations that are kept.
        results: the whole results, of which the prompt may have less room than the observations.
        asked: what the model is asked for, in place of that guidance.
        told_more: entries of earlier results of which these tell more.
    """
    language = loop.language
    analysis = analyze_tool_results([one["result"] for one in seen], failed=not all(one["ok"] for one in seen))
    step = step_words(state, loop)
    own = ""
    if not asked:
        own = generate_guidance(
            state["goal"], analysis, state["depth"], handlers=loop.task_handlers, step=step, language=language
        )
    hint = depth_hint(state["depth"], state["steps"], loop.guards.max_steps, language=language)
    advice = [own, hint, *warnings(state, loop)]
    room = longest_shown(loop) // len(seen)
    shown = [(one["tool"], one["ok"], shortened(result, room)) for one, result in zip(seen, results, strict=True)]
    given = "\n\n".join(part for part in advice if part)
    more = loop.text("turn.told_more", entries=fenced("\n".join(told_more))) if told_more else ""
    turn = observation_turn(language, shown, given, asked, more)
    return with_media(turn, [block for one in seen for block in one.get("blocks", ())], loop.media)


def turn_of_round(state: PlanActState, loop: PlanActLoop) -> tuple[Turn, Phase]:
    """The user's turn of a round without a result: what happened and what is asked for; and the phase that it opens."""
    happening = state["happening"]
    # The user may have taken the open steps out of the plan.
    phase = "replan" if state["phase"] == "thought" and not remaining(state) else state["phase"]
    if happening["kind"] in _NOTES:
        turn = note_turn(loop.language, happening["note"], state["phase"])
    elif phase == "replan":
        rest = [item["step"] for item in remaining(state)]
        turn = replan_turn(loop.language, state["goal"], happening["note"], rest)
    else:
        turn = current_step_turn(state, loop)
    return turn, phase


def current_step_turn(state: PlanActState, loop: PlanActLoop) -> Turn:
    """Asks for a thought on what the round works on."""
    steps = {number: item["step"] for number, item in current_steps(state).items()}
    total, goal = len(state["plan"]), state["goal"]
    if len(steps) > 1:
        return steps_turn(loop.language, steps, total, goal)
    [(number, step)] = steps.items()
    return step_turn(loop.language, number, total, step, goal)


def step_words(state: PlanActState, loop: PlanActLoop) -> str:
    """What the round works on."""
    return loop.text("turn.between").join(item["step"] for item in current_steps(state).values())
