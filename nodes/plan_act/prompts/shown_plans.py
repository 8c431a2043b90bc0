"""The plans that tools bring: which of them a run is shown, and how one is called for a like request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.tools import BaseTool

from ...._internal.texts import Language
from ....tools.calls.effects import changes
from ....tools.examples import PlanExample
from ....tools.likeness import traits
from ....tools.metadata import metadata_of
from ....tools.ranking import most_alike
from ....traces.shapes import Action
from ..plans.payloads import as_json
from .texts import text
from .turns import Turn, goal_turn, turn_of, turn_tokens

SHOWN = 8
"""Plans that a run is shown, of those that the tools bring."""
_SHOWN_AFTER = 3
"""How many of them follow something that was said before, in a run with a background."""
_SHOWN_OTHERS = 2
"""How many of the rest are of the other sort: about something that is there, where the request names nothing that is,
and the other way round."""
_OF_THE_LIKE = 3
"""The part of the plans that is like a goal: the first third of those ranked."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan that tools show.

    Attributes:
        goal: what it is for.
        recalls: whether it follows something said before.
        of_known: whether it is about something that is there.
        kind: what it has in common with others: its tool, the first words and the options of its call.
        usual: whether its kind is the first that its tool shows.
        reads: whether its tool says that it changes nothing, whatever it is called with.
        tool: whose plan it is.
        example: the plan.
        language: of the run.
    """

    goal: str
    recalls: bool
    of_known: bool
    kind: tuple[str, ...]
    usual: bool
    reads: bool
    tool: str
    example: PlanExample
    language: Language

    @property
    def turns(self) -> tuple[Turn, Turn]:
        """The request and the reply; written when they are shown, for there are hundreds of plans."""
        given = self.example
        asked = goal_turn(self.language, self.goal, "", given.get("background", ""), given.get("context", ""))
        return asked, turn_of("assistant", _reply(self.tool, given))


def bank(tools: Mapping[str, BaseTool], language: Language) -> tuple[Planned, ...]:
    """The plans that the tools show."""
    found: list[Planned] = []
    for name, tool in sorted(tools.items()):
        plans, reads = list(metadata_of(tool).get("plans", ())), metadata_of(tool).get("effects") is False
        for example in plans:
            kind = _kind(name, example)
            usual = kind == _kind(name, plans[0])
            sort = "background" in example, "context" in example
            found.append(Planned(example["goal"], *sort, kind, usual, reads, name, example, language))
    return tuple(found)


def _kind(tool: str, example: PlanExample) -> tuple[str, ...]:
    given = example.get("input")
    if given is None:
        return (str(min(len(example["steps"]), 2)),)
    if isinstance(given, str):
        options = sorted({word for word in given.split() if word.startswith("--")})
        return (tool, *given.split()[:2], *options)
    return (tool, *sorted(given))


def chosen(goal: str, plans: Sequence[Planned], *, recalls: bool, of_known: bool, room: int) -> list[Turn]:
    """The plans whose goals are most like a goal, as turns, the most alike last.

    A small model picks one of the plans that it sees, so those that it sees differ: one of a kind, the usual kinds of
    every tool among them. For what is no question, those of a tool that only reads have to be like it: a small model
    searches for what is to be noted. Words alone do not tell well enough which order is meant.

    Args:
        goal: the user's words.
        plans: those to choose from.
        recalls: whether something was said before; some of the plans then follow something, too, and come first: a
            small model else does what was said before once more, and copies what stands right before the goal.
        of_known: whether the request names something that is there; most of the plans then do, else most do not: what
            is not there cannot be changed.
        room: tokens that they may take; one is shown at least.
    """
    ranked = _ranked(goal, [plan for plan in plans if not plan.recalls])
    after = _ranked(goal, [plan for plan in plans if plan.recalls]) if recalls else []
    few = min(_SHOWN_AFTER, len(after))
    # A question reads, whatever it names.
    asks = "asks" in traits(goal)
    alike = [plan for plan in ranked if asks or plan.of_known == of_known]
    others = [plan for plan in ranked if not asks and plan.of_known != of_known]
    of_others = min(_SHOWN_OTHERS, len(others))
    found = _differing(alike, SHOWN - few - of_others, asks)
    kinds = {plan.kind for plan in found}
    found += _differing([plan for plan in others if plan.kind not in kinds], of_others, asks)
    turns: list[Turn] = []
    for plan in [*found, *_differing(after, few, asks)]:
        shown = plan.turns
        room -= sum(map(turn_tokens, shown))
        if room < 0 and turns:
            return turns
        turns = [*shown, *turns]
    return turns


def like_call(goal: str, plans: Sequence[Planned], tools: Mapping[str, BaseTool], *, of_known: bool) -> str:
    """The call of some tools that the request most like a goal led to, with that request; "" where they show none.

    To a question only calls that read are like, whatever they name.

    Args:
        goal: the user's words.
        plans: those to choose from.
        tools: whose call it is to be.
        of_known: whether the goal names something that is there.
    """
    fitting = [plan for plan in plans if plan.tool in tools and "input" in plan.example and not plan.recalls]
    if "asks" in traits(goal):
        calls = [Action(tool=plan.tool, input=plan.example.get("input", "")) for plan in fitting]
        alike = [plan for plan, call in zip(fitting, calls, strict=True) if not changes(tools[plan.tool], call)]
    else:
        alike = [plan for plan in fitting if plan.of_known == of_known]
    ranked = _ranked(goal, alike)
    if not ranked:
        return ""
    first = ranked[0]
    call = as_json({"tool": first.tool, "input": first.example.get("input")})
    return text(first.language, "note.like_call", goal=first.goal, call=call)


def _ranked(goal: str, plans: Sequence[Planned]) -> list[Planned]:
    """Plans, the most like a goal first."""
    return [plans[index] for index in reversed(most_alike(goal, [plan.goal for plan in plans], len(plans)))]


def _differing(ranked: Sequence[Planned], count: int, asks: bool) -> list[Planned]:
    """Of plans with the most alike first, those of usual kinds, then one of each kind, then others."""

    def usual(place: int) -> bool:
        return ranked[place].usual and (asks or not ranked[place].reads or _OF_THE_LIKE * place < len(ranked))

    firsts: dict[tuple[str, ...], int] = {}
    for place, plan in enumerate(ranked):
        firsts.setdefault(plan.kind, place)
    leading = set(firsts.values())
    in_turn = sorted(range(len(ranked)), key=lambda at: (at not in leading, not usual(at), at))
    return [ranked[place] for place in sorted(in_turn[:count])]


def _reply(tool: str, example: PlanExample) -> str:
    if "input" not in example:
        return plan_reply(example["steps"], example.get("response"))
    return plan_reply(example["steps"], None, call={"tool": tool, "input": example["input"]})


def plan_reply(
    steps: Sequence[str], response: str | None, status: str = "planned", *, call: Mapping[str, Any] | None = None
) -> str:
    """A plan as a model replies with it, perhaps with the call of its first step."""
    plan: list[dict[str, Any]] = [{"step": step, "tool": None, "requires": []} for step in steps]
    return as_json({"status": status, "plan": plan, "response": response, "next_action": call})
