"""Steps that end with a refusal that no tool has given, or with no words of their own after one of several orders."""

from __future__ import annotations

import re

from .....tools.calls.effects import ACTIONS, acting_tools, tells
from ...loop import PlanActLoop
from ...plans.progress import calls_of_step
from ...plans.prose import is_part_of
from ...state import PlanActState, clarified
from ..calls.ids import ready_call
from ..calls.stated import observed
from ..calls.wanted import denies_in_any_language, to_call
from ..clauses import JOINTS, beginnings, merely_asks, orders_act
from ..effect import keeps_entries, successful_calls
from .uncalled import results_as_answer

_DONE = re.compile(r"\W*(?:done|okay|ok|sure|all right)\b\W*", re.IGNORECASE)


def note_of_untried(said: str, state: PlanActState, loop: PlanActLoop) -> dict[str, str]:
    """The arguments of `sent_back` if the last step denies what the goal orders, though nothing was tried and a call is
    ready to be made; or if it has no words of its own, and the goal has more orders than calls that acted; else {}."""
    goal, tools, acting = state["goal"], loop.tools, acting_tools(loop.tools)
    if clarified(state) or merely_asks(goal) or not orders_act(goal) or any(map(keeps_entries, tools.values())):
        return {}
    made = successful_calls(state, loop)
    tried = [one for one in observed(state) if one["tool"] in tools and not tells(tools[one["tool"]])]
    if made and not tried and denies_in_any_language(said):
        ready = {name: tool for name, tool in acting.items() if ready_call(tool, state, loop)}
        return to_call(ready, state, loop, "note.untried") if ready else {}
    acted = [seen for seen in made if not tells(tools[seen["tool"]])]
    shown = results_as_answer([seen for seen in calls_of_step(state) if seen in made], state, loop)
    orders = [
        one for one in JOINTS.split(goal) if one and any(re.fullmatch(ACTIONS, first) for first in beginnings(one))
    ]
    repeats = said == shown or is_part_of(_DONE.sub("", said), goal)
    if acted and repeats and len(orders) > len(acted):
        return to_call(acting, state, loop, "note.some_done")
    return {}
