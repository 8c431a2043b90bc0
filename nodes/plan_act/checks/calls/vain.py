"""Whether a step is called done though its calls, which were to do something, say or show that they did not.

What an answer claims is found by verbs, and a small model claims in many other words ("the booking is complete", "your
table is waiting"), in any language. Where nothing was done, an answer that does not say so is wrong, whatever it says.
"""

from __future__ import annotations

from .....tools.calls.effects import acts, may_change, only_reads
from .....tools.likeness import marks, wants_nothing
from ...loop import PlanActLoop
from ...plans.progress import calls_of_step
from ...prompts.report import last_error
from ...state import PlanActState
from ..claims import IS_OLDER
from ..clauses import OF_WORDS, merely_asks
from ..effect import came_to_nothing
from .wanted import denies_in_any_language


def in_vain(said: str, state: PlanActState, loop: PlanActLoop, step: int) -> str:
    """What the last call of a step came to that was to do something, where no call did and the answer does not say so;
    else "".

    Only tools count that act by their names or say that they change something: that `run_tests` failed is what was
    asked for. An answer says so by a denial, by "already" of what is so already, or by a word of the result's own.
    """
    goal, tools = state["goal"], loop.tools
    if wants_nothing(goal) or merely_asks(goal) or OF_WORDS.search(goal) or denies_in_any_language(said):
        return ""
    calls = [seen for seen in calls_of_step(state, step) if seen["tool"] in tools]
    vain = [seen for seen in calls if not seen["ok"] or came_to_nothing(seen, state, loop)]
    did = [seen for seen in calls if seen not in vain and not only_reads(tools[seen["tool"]])]
    acting = [seen for seen in vain if acts(tools[seen["tool"]]) or may_change(tools[seen["tool"]])]
    if did or not acting:
        return ""
    last = acting[-1]
    is_older = IS_OLDER.search(said) and IS_OLDER.search(last["result"])
    # "Only 3 are left" tells why nothing was done, though it denies nothing.
    why = marks(last["result"]) - marks(f"{goal} {last['input']} {last['tool'].replace('_', ' ')}")
    return "" if is_older or why & marks(said) else last_error(acting)
