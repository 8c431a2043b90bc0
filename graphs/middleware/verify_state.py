"""What `VerifyMiddleware` writes into an agent's state, and how the state of its loop is kept in there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, cast

from ..._internal.channel import appended, numbered
from ...nodes.reflection.state import ReflectionState
from ...traces.events import Event
from ...traces.shapes import Attempt, VerdictStatus
from .base import GuardedState, OmitFromSchema, PrivateStateAttr

_Output = OmitFromSchema(input=True, output=False)
LISTS = ("attempts", "events")
"""What the agent's state and the loop's have in common."""
_KEPT = ("task", "run_id", "strategy", "failure", "seconds", "usage", "answered", "best_form")
"""What `verification` keeps of the loop's state from one answer to the next."""


class VerifiedState(GuardedState):
    """What `VerifyMiddleware` adds to the agent's state; what is not private is part of the agent's output.

    Attributes:
        verdict: what is known of the answer: `"passed"`, `"failed"` or `"unverified"`; None until the run ends.
        attempts: every answer with its verdict and feedback, as in a reflection graph; without an answer where there
            was none.
        events: the trace: the agent's own calls, its answers and what was judged of them; `ContextGraph.from_run` reads
            it.
        verification: the rest of the loop's state; private.
        replied: the id of the model's last message, "" before the first of the run; private.
    """

    verdict: NotRequired[Annotated[VerdictStatus | None, _Output]]
    attempts: NotRequired[Annotated[list[Attempt], _Output, numbered()]]
    events: NotRequired[Annotated[list[Event], _Output, appended()]]
    verification: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]
    replied: NotRequired[Annotated[str, PrivateStateAttr]]


class LoopState(ReflectionState):
    """The state of a reflection loop, with what only this middleware knows.

    Attributes:
        answered: the id of the message judged last; before the first answer, of the last one that the agent was given.
        best_form: the `structured_response` that came with the best answer; None without one.
    """

    answered: str
    best_form: Any


def kept(loop_state: Mapping[str, Any]) -> dict[str, Any]:
    """What `verification` holds until the next answer."""
    return {name: loop_state[name] for name in _KEPT}


def new_entries(judged: LoopState, state: VerifiedState) -> dict[str, Any]:
    """What the lists have gained since the agent's state."""
    return {name: judged[name][len(state.get(name) or []) :] for name in LISTS}


def updated(before: LoopState, writes: dict[str, Any]) -> LoopState:
    """The state after a node's writes; lists grow at their end."""
    lists = {name: [*before[name], *writes.get(name, [])] for name in LISTS}
    return cast(LoopState, {**before, **writes, **lists})
