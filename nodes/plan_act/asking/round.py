"""One round with the model: what it is asked for, and what its reply changes in the state.

Where a person has changed the goal or the plan while the run waited, the last turn is written anew first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ...._internal.channel import fresh
from ...._internal.steps import Steps
from ...._internal.texts import shortened
from ....errors import ParseFailedError, TruncatedError
from ....models.options import WARMTH, sampling_options
from ....models.retry import Parsed, cascade_steps
from ....models.streams.circles import once
from ....models.thought import ChatModel
from ....models.transport import loss_of
from ....tools.calls.action_check import text_argument
from ....traces.events import current_place
from ....traces.shapes import ASK_USER, PLANNER, UPDATE_STATE
from ..checks.answer import answer_check, results_instead
from ..checks.confirm import likelihood_after
from ..checks.require import as_user_told
from ..loop import PlanActLoop
from ..plans.at_once import AtOnce
from ..plans.payloads import PayloadParser, as_json
from ..plans.phases import Phase
from ..plans.progress import calls_of_run, calls_of_step, current_steps, remaining
from ..plans.schemas import response_format
from ..prompts.turns import Turn, out_of_sight, turn_of, with_media
from ..state import Observation, PlanActState, happened
from .conversation import MAX_OBSERVATION, current_step_turn, request_of, shown_turns, turn_of_round
from .goal import plan_request


@dataclass(frozen=True, slots=True)
class Asked:
    """What a round brought.

    Attributes:
        payload: that was asked for; None if none could be read, or no model could be reached.
        writes: what the round changes in the state, whatever the payload says.
        prose: the payload stands for an answer in plain words.
        instead_of: what was wrong with the answer in whose place the payload stands; "" for none.
    """

    payload: Any
    writes: dict[str, Any]
    prose: bool = False
    instead_of: str = ""


def ask(phase: Phase, state: PlanActState, loop: PlanActLoop) -> Steps[Asked]:
    """One round with the model, after a person's changes of the goal or the plan: it goes by its last turn, so that
    is written anew."""
    place, last = current_place.get(), state["events"][-1]
    if place is None or last.get("step") != place.step or last["data"].get("tool") != UPDATE_STATE:
        return (yield from _ask(phase, state, loop))
    changed = (yield from _planned_anew(state, loop)) if phase == "plan" else {"turns": _written_anew(state, loop)}
    asked = yield from _ask(phase, cast(PlanActState, {**state, **changed}), loop)
    turns = [*changed["turns"], *asked.writes.get("turns", ())]
    return replace(asked, writes={**changed, **asked.writes, "turns": fresh(state["turns"], turns)})


def _planned_anew(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """The update for a goal that a person has put in place of another; nothing has been done for it."""
    _, context, turn = yield from plan_request(state["goal"], state["before"], state["now"], loop.clock(), loop)
    blocks = state["turns"][0].get("blocks", ())
    return {"context": context, "cut": None, "turns": [with_media(turn, blocks, loop.media)]}


def _written_anew(state: PlanActState, loop: PlanActLoop) -> list[Turn]:
    """The conversation with its last turn as the changed plan has it."""
    *before, last = state["turns"]
    turn = turn_of_round(state, loop)[0]
    if state["happening"]["kind"] == "observed":
        # The results stay.
        return [*before, cast(Turn, {**last, "guidance": turn["words"]})]
    return [*before, turn]


def _ask(phase: Phase, state: PlanActState, loop: PlanActLoop) -> Steps[Asked]:
    """Three attempts at a payload, of each model in turn; a round that fails is an observation.

    What the checks sent back, the next model is asked for: a small one would mostly write it again.
    """
    calls = calls_of_step(state) if phase == "thought" else ()
    parser, options = _parser(phase, calls, state, loop), _options(phase, calls, state, loop)
    started = loop.timer()
    turns = shown_turns(state, state["turns"])
    if again := _made_again(calls):
        turns = out_of_sight(turns, again["input"], current_step_turn(state, loop))
    request = request_of(turns, state, loop)
    first = state["ungrounded"] + state["incomplete"] + state["unfounded"]
    try:
        parsed = yield from cascade_steps(loop.models, request, parser, options=options, first=first)
    except (ParseFailedError, TruncatedError) as failed:
        asked = _unread(failed, phase, state, loop)
    except Exception as failed:  # noqa: BLE001 - `loss_of` raises what is a mistake
        asked = Asked(None, {"failure": loss_of(failed, achieved=len(state["turns"]) > 1)})
    else:
        asked = _read(parsed, phase, state, loop)
    seconds = state["seconds"] + loop.timer() - started
    return replace(asked, writes={**asked.writes, "seconds": seconds})


def _parser(phase: Phase, calls: Sequence[Observation], state: PlanActState, loop: PlanActLoop) -> PayloadParser:
    # What a person has rejected is not to be tried in another way.
    rejected = state["events"][-1]["data"].get("kind_of_failure") == "rejected"
    # Nor was a call made that was held back; but an answer that went back for what it leaves undone has been told so.
    held_back = phase == "thought" and not calls and state["incomplete"] == 1 and not state["unfounded"]
    check_action = as_user_told(state, loop)
    steps_left = loop.guards.max_steps - state["steps"] - 1
    at_once = AtOnce(check_action, loop.parallel, current_steps(state), steps_left)
    return PayloadParser(
        phase,
        at_once.call if phase == "thought" else check_action,
        check_actions=at_once.calls,
        failed_before=held_back or (len(calls) == 1 and not calls[0]["ok"] and not rejected),
        language=loop.language,
        check_answer=answer_check(state, loop),
        goal=state["goal"] if phase == "plan" and loop.tools else "",
        open_steps=[item["step"] for item in remaining(state)],
        hears_calls_of=(*loop.tools, ASK_USER),
        hears_prose=_may_end_in_prose(phase, state),
    )


def _may_end_in_prose(phase: Phase, state: PlanActState) -> bool:
    """Whether plain words may end the run: no tool was called yet, or all calls worked and this is the last step."""
    calls = calls_of_run(state)
    return phase == "plan" or (
        phase == "thought" and (not calls or (len(remaining(state)) == 1 and all(seen["ok"] for seen in calls)))
    )


def _options(
    phase: Phase, calls: Sequence[Observation], state: PlanActState, loop: PlanActLoop
) -> Callable[[ChatModel], dict[str, Any]]:
    """What each model is called with: warmer where it was told something and would go on as before."""
    fixed: dict[str, Any] = {} if loop.guards.confirm_below is None else {"logprobs": True}
    if loop.constrained:
        plain = {name: text_argument(tool) is not None for name, tool in loop.tools.items()}
        fixed["response_format"] = response_format(phase, plain, several_calls=bool(loop.parallel))
    held = state["happening"]["kind"]
    insisted = held in ("incomplete", "ungrounded", "unfounded") and state[held] > 1
    warm = insisted or state["unreadable"] > 0 or _made_again(calls) is not None

    def options_of(model: ChatModel) -> dict[str, Any]:
        return fixed | (sampling_options(model, WARMTH, seed=len(calls)) if warm else {})

    return options_of


def _made_again(calls: Sequence[Observation]) -> Observation | None:
    """The last call, if it failed as the one before, which was the same: at temperature 0 a model goes on with it."""
    if len(calls) < 2:
        return None
    first, second = calls[-2:]
    same = (first["tool"], first["input"]) == (second["tool"], second["input"])
    return second if same and not first["ok"] and not second["ok"] else None


def _read(parsed: Parsed, phase: Phase, state: PlanActState, loop: PlanActLoop) -> Asked:
    payload: dict[str, Any] = parsed.content
    prose, instead_of = payload.pop("prose", False), payload.pop("instead_of", "")
    if shown := results_instead(payload.get("response") or "", state, loop):
        payload["response"] = shown
    turns = [turn_of("assistant", as_json(payload))]
    likelihood = likelihood_after(phase, payload["status"], parsed.thought.likelihood, state)
    return Asked(payload, {"unreadable": 0, "turns": turns, "likelihood": likelihood}, prose, instead_of)


def _unread(failed: ParseFailedError | TruncatedError, phase: Phase, state: PlanActState, loop: PlanActLoop) -> Asked:
    if isinstance(failed, TruncatedError):
        reply, problem = failed.raw_reply, loop.text("note.cut_off")
    else:
        reply, problem = failed.raw_replies[-1], failed.feedbacks[-1]
    seen = Observation(tool=PLANNER, input=phase, ok=False, result=shortened(problem, MAX_OBSERVATION))
    writes = {
        "unreadable": state["unreadable"] + 1,
        "observations": [seen],
        "turns": [turn_of("assistant", shortened(once(reply), 1_000) or "(empty reply)")],
        "happening": happened("unreadable", problem),
    }
    return Asked(None, writes)
