"""What the model is asked once a run has ended: the best answer that there is, and the answer in a form."""

from __future__ import annotations

import json
from typing import Any, cast

from pydantic import TypeAdapter

from ...._internal.steps import Steps
from ....errors import ParseFailedError, ParserContractError, TruncatedError
from ....models.messages import NO_USAGE, add_usage
from ....models.retry import cascade_steps
from ....models.streams.circles import once
from ....models.streams.pieces import Thought
from ....models.thought import thought_steps
from ....models.transport import loss_of
from ....parsers.first_payload import PAYLOAD_STATUSES, first_payload
from ....parsers.json.reply import json_parser
from ....tools.notation import type_notation
from ....traces.shapes import StopReason, Usage
from ..guards import trip_of
from ..loop import PlanActLoop
from ..plans.schemas import as_json_of
from ..prompts.turns import last_turn, turn_of, without_request
from ..state import PlanActState
from .conversation import request_of, shown_turns


def best_answer(state: PlanActState, stop: StopReason, loop: PlanActLoop) -> Steps[tuple[str, Usage]]:
    """A last call for what can be said; "" if the reply has no words for the user."""
    turn = last_turn(loop.language, loop.text(f"stop.{trip_of(stop)}"), state["goal"])
    turns = shown_turns(state, state["turns"])
    if turns[-1]["speaker"] == "user":
        turn = turn_of("user", f"{without_request(turns.pop())}\n\n{turn['words']}")
    try:
        # A small model tells of the examples as well, as of what the user has asked for.
        request = request_of([*turns, turn], state, loop, examples=False)
        thought: Thought = yield from thought_steps(loop.models, request)
    except Exception as failed:  # noqa: BLE001 - `loss_of` raises what is a mistake
        loss_of(failed)
        # The run has ended with a reason of its own; that is what is reported.
        return "", NO_USAGE
    return _words_of(once(thought.reply)), thought.usage


def structured_answer(state: PlanActState, response: str, loop: PlanActLoop) -> Steps[tuple[Any, Usage]]:
    """The answer in the form that `response_format` asks for, as JSON; None if the model does not manage it."""
    adapter: TypeAdapter[Any] = TypeAdapter(loop.response_format)
    form = type_notation(adapter.json_schema())
    turn = turn_of("user", loop.text("turn.structured", answer=response, form=form))
    request = request_of([turn], state, loop)
    schema = {"schema": loop.response_format}
    try:
        parsed = yield from cascade_steps(loop.models, request, json_parser, parser_kwargs=schema)
    except (ParseFailedError, TruncatedError) as failed:
        return None, Usage(**failed.usage)
    except ParserContractError as broken:
        # A mistake in the type ends the run, of which nothing else tells what it took.
        broken.usage = dict(add_usage(state["usage"], cast(Usage, broken.usage)))
        raise
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
