"""The example plans that tools bring: which of them a run is shown, and the example call most like a request."""

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
from .made_examples import made_plans
from .texts import text
from .turns import Turn, goal_turn, turn_of, turn_tokens

SHOWN = 8
"""Example plans that a run is shown."""
_SHOWN_RECALLING = 3
"""How many of them refer to an earlier exchange, in a run that has one."""
_SHOWN_OTHERS = 2
"""How many of the rest differ from the request: they are about an existing entry where it is not, or the reverse."""
_ALIKE_PART = 3
"""The best-ranked third of the plans counts as like the goal."""


@dataclass(frozen=True, slots=True)
class ShownPlan:
    """An example plan.

    Attributes:
        goal: the goal that it is for.
        recalls: whether it refers to an earlier exchange.
        of_known: whether it is about an existing entry.
        kind: its tool, and the first words and the options of its call; plans of one kind are much alike.
        usual: whether it has the kind of its tool's first example.
        reads: whether its tool says that it never changes anything.
        tool: the tool that brings it.
        example: the plan as the tool gives it.
        language: the language of the run.
        made: whether it was made of the tool's schema, where no tool brings an example.
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
    made: bool

    @property
    def turns(self) -> tuple[Turn, Turn]:
        """The request and the reply. They are built only when they are shown: there are hundreds of examples."""
        given = self.example
        asked = goal_turn(self.language, self.goal, "", given.get("background", ""), given.get("context", ""))
        call = {"tool": self.tool, "input": given["input"]} if "input" in given else None
        reply = plan_reply(given["steps"], None if call else given.get("response"), call=call)
        return asked, turn_of("assistant", reply)


def plan_examples(tools: Mapping[str, BaseTool], language: Language) -> tuple[ShownPlan, ...]:
    """The example plans of all tools; one made of each tool's schema if no tool brings an example."""
    found: list[ShownPlan] = []
    own = any(metadata_of(tool).get(key) for tool in tools.values() for key in ("examples", "plans"))
    made = {} if own else {name: [plan] for name, plan in made_plans(tools, language)}
    for name, tool in sorted(tools.items()):
        plans, reads = list(metadata_of(tool).get("plans", ())), metadata_of(tool).get("effects") is False
        plans += made.get(name, [])
        for example in plans:
            kind = _kind(name, example)
            usual = kind == _kind(name, plans[0])
            sort = "background" in example, "context" in example
            found.append(ShownPlan(example["goal"], *sort, kind, usual, reads, name, example, language, name in made))
    return tuple(found)


def _kind(tool: str, example: PlanExample) -> tuple[str, ...]:
    given = example.get("input")
    if given is None:
        return (str(min(len(example["steps"]), 2)),)
    if isinstance(given, str):
        options = sorted({word for word in given.split() if word.startswith("--")})
        return (tool, *given.split()[:2], *options)
    return (tool, *sorted(given))


def example_turns(goal: str, plans: Sequence[ShownPlan], *, recalls: bool, of_known: bool, room: int) -> list[Turn]:
    """The example plans whose goals are most like a goal, as turns, the most alike last.

    A small model picks one of the plans that it sees. So they differ: one plan of each kind, and the usual kind of each
    tool among them. If the goal is no question, a plan of a tool that only reads has to be like the goal: a small model
    tends to search for what it should note. The words alone do not show well enough which kind of order is meant.

    Args:
        goal: the user's words.
        plans: the examples to choose from.
        recalls: whether there was an earlier exchange. Then some plans refer to one, too, and come first: a small model
            otherwise repeats the earlier request, and it copies what stands right before the goal.
        of_known: whether the goal names an existing entry. Then most of the plans do, too; otherwise most do not, since
            only an existing entry can be changed.
        room: tokens that the turns may take; at least one plan is shown.
    """
    ranked = _ranked(goal, [plan for plan in plans if not plan.recalls])
    after = _ranked(goal, [plan for plan in plans if plan.recalls]) if recalls else []
    few = min(_SHOWN_RECALLING, len(after))
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


def like_call(goal: str, plans: Sequence[ShownPlan], tools: Mapping[str, BaseTool], *, of_known: bool) -> str:
    """The example call of some tools whose goal is most like a goal, with that goal, as a note; "" if there is none.

    For a question, only calls that read are considered.

    Args:
        goal: the user's words.
        plans: the examples to choose from.
        tools: the tools that may be called.
        of_known: whether the goal names an existing entry.
    """
    own = [plan for plan in plans if plan.tool in tools and not plan.made]
    fitting = [plan for plan in own if "input" in plan.example and not plan.recalls]
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


def _ranked(goal: str, plans: Sequence[ShownPlan]) -> list[ShownPlan]:
    """The plans, those most like a goal first."""
    return [plans[index] for index in reversed(most_alike(goal, [plan.goal for plan in plans], len(plans)))]


def _differing(ranked: Sequence[ShownPlan], count: int, asks: bool) -> list[ShownPlan]:
    """This many of the plans, in their order: preferably one of each usual kind, then one of each kind, then any."""

    def usual(place: int) -> bool:
        return ranked[place].usual and (asks or not ranked[place].reads or _ALIKE_PART * place < len(ranked))

    firsts: dict[tuple[str, ...], int] = {}
    for place, plan in enumerate(ranked):
        firsts.setdefault(plan.kind, place)
    leading = set(firsts.values())
    in_turn = sorted(range(len(ranked)), key=lambda at: (at not in leading, not usual(at), at))
    return [ranked[place] for place in sorted(in_turn[:count])]


def plan_reply(
    steps: Sequence[str], response: str | None, status: str = "planned", *, call: Mapping[str, Any] | None = None
) -> str:
    """A plan as a model replies with it, perhaps with the call of its first step."""
    plan: list[dict[str, Any]] = [{"step": step, "tool": None, "requires": []} for step in steps]
    return as_json({"status": status, "plan": plan, "response": response, "next_action": call})
