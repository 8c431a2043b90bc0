"""The results of a run, read together: `joined` over what its tools returned."""

from __future__ import annotations

from collections.abc import Sequence

from .....tools.calls.effects import tells
from .....tools.calls.names import spelled
from ...loop import PlanActLoop
from ...state import Observation, PlanActState
from ..effect import successful_calls
from .joined import Result, joined, told_more

_MOST_SHOWN = 8


def read_together(state: PlanActState, loop: PlanActLoop) -> list[Observation]:
    """The calls that worked, with their results as `joined` gives them, but for those of tools that do something."""
    calls = successful_calls(state, loop)
    results = _results(calls, loop)
    texts = dict(zip([one.text for one in results], joined(tuple(results)), strict=True))
    return [{**seen, "result": texts.get(seen["result"], seen["result"])} for seen in calls]


def shown_together(
    new: Sequence[Observation], state: PlanActState, loop: PlanActLoop
) -> tuple[dict[str, str], list[str]]:
    """What results tell the model together with those before.

    Returns:
        The text of each new result to which names were put, by the text of the result; and the entries of earlier
        results of which the new ones tell more, a few at most.
    """
    before = _results(successful_calls(state, loop), loop)
    added = _results([seen for seen in new if seen["ok"] and seen["tool"] in loop.tools], loop)
    old, texts = joined(tuple(before)), joined((*before, *added))
    own = {one.text: text for one, text in zip(added, texts[len(before) :], strict=True) if text != one.text}
    told = [one for place in range(len(before)) for one in told_more(old[place], texts[place], before[place])]
    return own, list(dict.fromkeys(told))[:_MOST_SHOWN]


def _results(calls: Sequence[Observation], loop: PlanActLoop) -> list[Result]:
    """The results of calls that only read, each with what its tool is about."""
    found: list[Result] = []
    for seen in calls:
        if tells(tool := loop.tools[seen["tool"]]):
            named = frozenset(spelled(tool.name))
            found.append(Result(named, named | {*spelled(tool.description.partition(". ")[0])}, seen["result"]))
    return found
