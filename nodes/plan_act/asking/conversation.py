"""The plan-act loop's conversation with its model: what it is shown, what it is asked, what its replies change.

One conversation serves the run. Its turns are kept in the state; over budget the early ones give way to a summary.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import BaseMessage
from pydantic import TypeAdapter

from ...._internal.steps import Steps
from ...._internal.texts import Language, shortened
from ....errors import ParseFailedError, TruncatedError
from ....models.messages import NO_USAGE
from ....models.options import sampling_options
from ....models.retry import cascade_steps
from ....models.streams.circles import once
from ....models.streams.pieces import Thought
from ....models.thought import ChatModel, thought_steps
from ....models.transport import loss_of
from ....parsers.first_payload import PAYLOAD_STATUSES, first_payload
from ....parsers.json.reply import json_parser
from ....tools.calls.action_check import text_argument
from ....tools.notation import type_notation
from ....traces.shapes import PLANNER, StopReason, Usage
from ..checks.answer import answer_check, results_instead
from ..checks.confirm import likelihood_after
from ..checks.require import as_user_told
from ..guards import trip_of
from ..loop import PlanActLoop
from ..plans.at_once import AtOnce
from ..plans.payloads import PayloadParser, as_json
from ..plans.phases import Phase
from ..plans.progress import current_steps, finished, remaining
from ..plans.schemas import as_json_of, response_format
from ..prompts.advice import analyze_tool_results, depth_hint, generate_guidance
from ..prompts.context import Assembled
from ..prompts.examples import chosen
from ..prompts.report import calls_of_step, may_end_in_prose, warnings
from ..prompts.texts import text
from ..prompts.turns import (
    Turn,
    finished_line,
    kept_tail,
    last_turn,
    observation_turn,
    out_of_sight,
    resumed_turn,
    said,
    step_turn,
    to_request,
    turn_tokens,
    with_media,
    without_request,
)
from ..state import Cut, Observation, PlanActState, clarified, happened

_WARMTH = 0.8
MAX_OBSERVATION = 10_000
"""Characters of a result that are kept."""
MAX_OBSERVATIONS = 100
"""Results that the model is shown."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A payload, None if none could be read, and what the request changes in the state; `prose` if the payload stands
    for an answer in plain words, and `instead_of`, what was wrong with the answer in whose place it stands."""

    payload: Any
    writes: dict[str, Any]
    prose: bool = False
    instead_of: str = ""


def ask(phase: Phase, state: PlanActState, loop: PlanActLoop) -> Steps[Asked]:
    """One round: three attempts at a payload, of each model in turn; a round that fails is an observation.

    What the checks sent back, the next model is asked for: a small one would mostly write it again.
    """
    tools = loop.executor.tools
    calls = calls_of_step(state) if phase == "thought" else ()
    # What a person has rejected is not to be tried in another way.
    rejected = state["events"][-1]["data"].get("kind_of_failure") == "rejected"
    # Nor was a call made that was held back; but an answer that went back for what it leaves undone has been told so.
    held_back = phase == "thought" and not calls and state["incomplete"] == 1 and not state["unfounded"]
    failed_before = held_back or (len(calls) == 1 and not calls[0]["ok"] and not rejected)
    steps = current_steps(state)
    check_action = as_user_told(state, loop)
    at_once = AtOnce(check_action, loop.parallel, steps, loop.guards.max_steps - state["steps"] - 1)
    parser = PayloadParser(
        phase,
        at_once.call if phase == "thought" else check_action,
        check_actions=at_once.calls,
        failed_before=failed_before,
        language=loop.language,
        check_answer=answer_check(state, loop),
        goal=state["goal"] if phase == "plan" and tools else "",
        open_steps=[item["step"] for item in remaining(state)],
        hears_prose=lambda: may_end_in_prose(phase, state),
    )
    options: dict[str, Any] = {} if loop.guards.confirm_below is None else {"logprobs": True}
    if loop.constrained:
        plain = {name: text_argument(tool) is not None for name, tool in tools.items()}
        options["response_format"] = response_format(phase, plain, at_once=bool(loop.parallel))
    insisted = state["happening"]["kind"] == "incomplete" and state["incomplete"] > 1
    # At temperature 0 a model goes on with what was refused.
    again = calls[-1] if len(calls) > 1 and _again(*calls[-2:]) else None
    warm = insisted or state["unreadable"] > 0 or again is not None

    def options_of(model: ChatModel) -> dict[str, Any]:
        return options | (sampling_options(model, _WARMTH, seed=len(calls)) if warm else {})

    started = loop.timer()

    def spent() -> dict[str, Any]:
        return {"seconds": state["seconds"] + loop.timer() - started}

    try:
        shown = _shown(state, state["turns"])
        if again:
            number, total = len(finished(state)) + 1, len(state["plan"])
            step = step_turn(loop.language, number, total, step_words(state, loop.language), state["goal"])
            shown = out_of_sight(shown, again["input"], step)
        request = _request(shown, state, loop)
        sent_back = state["ungrounded"] + state["incomplete"] + state["unfounded"]
        parsed = yield from cascade_steps(loop.models, request, parser, options=options_of, first=sent_back)
    except (ParseFailedError, TruncatedError) as failed:
        cut_off = isinstance(failed, TruncatedError)
        reply = failed.raw_reply if cut_off else failed.raw_replies[-1]
        problem = text(loop.language, "note.cut_off") if cut_off else failed.feedbacks[-1]
        seen = Observation(tool=PLANNER, input=phase, ok=False, result=shortened(problem, MAX_OBSERVATION))
        return Asked(
            None,
            {
                **spent(),
                "unreadable": state["unreadable"] + 1,
                "observations": [seen],
                "turns": [said("assistant", shortened(once(reply), 1_000) or "(empty reply)")],
                "happening": happened("unreadable", problem),
            },
        )
    except Exception as failed:  # noqa: BLE001 - `loss_of` raises what is a mistake
        return Asked(None, {**spent(), "failure": loss_of(failed, achieved=len(state["turns"]) > 1)})
    prose, instead_of = parsed.content.pop("prose", False), parsed.content.pop("instead_of", "")
    if shown := results_instead(parsed.content.get("response") or "", state, loop):
        parsed.content["response"] = shown
    turns = [said("assistant", as_json(parsed.content))]
    likelihood = likelihood_after(phase, parsed.content["status"], parsed.thought.likelihood, state)
    writes = {**spent(), "unreadable": 0, "turns": turns, "likelihood": likelihood}
    return Asked(parsed.content, writes, prose, instead_of)


def _again(first: Observation, second: Observation) -> bool:
    """Whether a call that failed was made again as it was; a model at temperature 0 would go on with it."""
    same = (first["tool"], first["input"]) == (second["tool"], second["input"])
    return same and not first["ok"] and not second["ok"]


def best_answer(state: PlanActState, stop: StopReason, loop: PlanActLoop) -> Steps[tuple[str, Usage]]:
    """A last call for what can be said; "" if the reply has no words for the user."""
    turn = last_turn(loop.language, text(loop.language, f"stop.{trip_of(stop)}"), state["goal"])
    turns = _shown(state, state["turns"])
    if turns[-1]["speaker"] == "user":
        turn = said("user", f"{without_request(turns.pop())}\n\n{turn['words']}")
    try:
        thought: Thought = yield from thought_steps(loop.models, _request([*turns, turn], state, loop))
    except Exception as failed:  # noqa: BLE001 - `loss_of` raises what is a mistake
        loss_of(failed)
        # The run has ended with a reason of its own; that is what is reported.
        return "", NO_USAGE
    return _words_of(thought.reply), thought.usage


def structured(state: PlanActState, response: str, loop: PlanActLoop) -> Steps[tuple[Any, Usage]]:
    """The answer in the form that `response_format` asks for, as JSON; None if the model does not manage it."""
    adapter: TypeAdapter[Any] = TypeAdapter(loop.response_format)
    form = type_notation(adapter.json_schema())
    turn = said("user", text(loop.language, "turn.structured", answer=response, form=form))
    request = _request([turn], state, loop)
    schema = {"schema": loop.response_format}
    try:
        parsed = yield from cascade_steps(loop.models, request, json_parser, parser_kwargs=schema)
    except (ParseFailedError, TruncatedError) as failed:
        return None, Usage(**failed.usage)
    except Exception as failed:  # noqa: BLE001 - `loss_of` raises what is a mistake
        loss_of(failed)
        # The run has ended with an answer; that is what is reported.
        return None, Usage(**cast(Usage, getattr(failed, "usage", NO_USAGE)))
    return as_json_of(parsed.content, adapter), parsed.usage


def _words_of(reply: str) -> str:
    """The answer in a reply; of one that came as a payload, out of habit, its response."""
    found = first_payload(reply, PAYLOAD_STATUSES)
    try:
        payload: object = found.value if found else json.loads(reply)
    except (ValueError, RecursionError):
        return reply.strip()
    said = cast("dict[str, Any]", payload).get("response") if isinstance(payload, dict) else None
    if isinstance(said, str):
        return said.strip()
    return "" if found else reply.strip()


def _shown(state: PlanActState, turns: Sequence[Turn]) -> list[Turn]:
    """The turns that the model is shown: all, or a summary and those since the last cut."""
    cut = state["cut"]
    return [cut["summary"], *turns[cut["start"] :]] if cut else list(turns)


def _room(state: PlanActState, loop: PlanActLoop) -> int:
    """Tokens that are left to the run's own turns."""
    before = _system(state, loop).tokens + sum(map(turn_tokens, _examples(state, loop)))
    return max(loop.context_tokens - before, loop.context_tokens // 4)


def _examples(state: PlanActState, loop: PlanActLoop) -> Sequence[Turn]:
    if not loop.examples:
        return ()
    # What every run is shown comes first, so that a server's prompt cache keeps it from run to run.
    room = loop.context_tokens // 2 - sum(map(turn_tokens, loop.examples))
    shown = chosen(state["goal"], loop.bank, recalls=bool(state["before"]), room=room)
    if shown:
        shown[0] = said("user", f"{text(loop.language, 'turn.now', now=state['now'])}\n{shown[0]['words']}")
    return [*loop.examples, *shown]


def _system(state: PlanActState, loop: PlanActLoop) -> Assembled:
    # Only where the parts do not all fit can progress change them, which costs a prompt cache its beginning.
    return loop.coordinator.assemble(state["goal"], loop.context_tokens // 2, _used(state, loop))


def _request(turns: Sequence[Turn], state: PlanActState, loop: PlanActLoop) -> list[BaseMessage]:
    system = _system(state, loop)
    return to_request(system.text, [*_examples(state, loop), *turns], loop.guidance_role)


def said_in_turn(turn: Turn, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Append a turn; where the conversation has grown too long, say from where on it is shown."""
    turns = _shown(state, [*state["turns"], turn])
    start = kept_tail(turns, _room(state, loop), MAX_OBSERVATIONS)
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


def result_turn(seen: Sequence[Observation], results: Sequence[str], state: PlanActState, loop: PlanActLoop) -> Turn:
    """The results of a round's calls as the model is shown them, with guidance by the first handler for the goal.

    Args:
        seen: the observations that are kept.
        results: the whole results, of which the prompt may have less room than the observations.
        state: of the run.
        loop: its settings.
    """
    language = loop.language
    analysis = analyze_tool_results([one["result"] for one in seen], failed=not all(one["ok"] for one in seen))
    step = step_words(state, language)
    own = generate_guidance(
        state["goal"], analysis, state["depth"], handlers=loop.handlers, step=step, language=language
    )
    hint = depth_hint(state["depth"], state["steps"], loop.guards.max_steps, language=language)
    advice = [own, hint, *warnings(state, loop.guards, language)]
    room = min(MAX_OBSERVATION, 2 * loop.context_tokens) // len(seen)
    shown = [(one["tool"], one["ok"], shortened(result, room)) for one, result in zip(seen, results, strict=True)]
    given = "\n\n".join(part for part in advice if part)
    turn = observation_turn(language, shown, given)
    return with_media(turn, [block for one in seen for block in one.get("blocks", ())], loop.media)


def step_words(state: PlanActState, language: Language) -> str:
    """What the round works on."""
    return text(language, "turn.between").join(item["step"] for item in current_steps(state).values())


def _used(state: PlanActState, loop: PlanActLoop) -> float:
    return min(1.0, state["steps"] / loop.guards.max_steps)
