"""The summary of a long result, which the model is shown instead of the cut result."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import HumanMessage

from ...._internal.fences import fenced
from ...._internal.steps import Steps
from ...._internal.texts import shortened
from ....models.messages import add_usage, estimate_tokens
from ....models.thought import thought_steps
from ....models.transport import is_model_error
from ....traces.shapes import Action
from ..loop import PlanActLoop
from ..plans.progress import current_steps, remaining
from ..state import PlanActState
from .conversation import longest_shown


def summarized(
    result: str, action: Action, state: PlanActState, loop: PlanActLoop
) -> Steps[tuple[str, dict[str, Any]]]:
    """Ask the model to summarize a long result toward the current step, if the loop summarizes results.

    Of the result, half of the context's tokens are sent.

    Returns:
        The summary, under a line that says that it is one, and the update of the state with its cost. The summary is ""
        if the result can be shown as it is, or the model failed or said nothing.
    """
    limit = longest_shown(loop)
    if not loop.summarize_results or len(result) <= limit:
        return "", {}
    started = loop.timer()
    step = current_steps(state).get(action.get("step", 0)) or remaining(state)[0]
    room = loop.context_tokens // 2 * len(result) // estimate_tokens(result)
    about = {"goal": state["goal"], "step": step["step"], "result": fenced(shortened(result, room))}
    request = HumanMessage(loop.text("summary.ask", **about))
    try:
        thought = yield from thought_steps(loop.models, [request])
    except Exception as failed:
        if not is_model_error(failed):
            raise
        return "", {"seconds": state["seconds"] + loop.timer() - started}
    spent = {
        "usage": add_usage(state["usage"], thought.usage),
        "seconds": state["seconds"] + loop.timer() - started,
    }
    said = thought.reply.strip()
    if not said:
        return "", spent
    return shortened(loop.text("summary.shown", length=len(result), summary=said), limit), spent
