"""Worked examples for the model: whole runs, as earlier turns of the conversation.

A small model takes an example that stands in its instructions for the task itself and copies its words; of the same
example as an earlier turn it takes the form. Tools bring their own examples, so that a run is shown with the tools that
there are: `tool.metadata["examples"]`, a list of `ToolExample`, and `tool.metadata["plans"]`, a list of `PlanExample`.
Where no tool does, an example is made of a tool's schema. Every payload is shown, a question to the user included.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from json import dumps
from typing import Any

from langchain_core.tools import BaseTool

from ...._internal.texts import Language
from ....tools.examples import PlanExample, ToolExample
from ....tools.likeness import traits
from ....tools.metadata import metadata_of
from ....tools.ranking import most_alike
from ..plans.payloads import as_json
from .advice import analyze_tool_results, generate_guidance
from .made_examples import asking, made_example
from .texts import text
from .turns import (
    Turn,
    answered_note,
    finished_note,
    goal_turn,
    moment,
    observation_turn,
    replan_turn,
    step_turn,
    steps_turn,
    turn_of,
    turn_tokens,
)

_NOW = datetime(2024, 5, 6, 8)


SHOWN = 8
"""Plans that a run is shown, of those that the tools bring."""
_SHOWN_AFTER = 3
"""How many of them follow something that was said before, in a run with a background."""
_SHOWN_OTHERS = 2
"""How many of the rest are of the other sort: about something that is there, where the request names nothing that is,
and the other way round."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan that tools show.

    Attributes:
        goal: what it is for.
        recalls: whether it follows something said before.
        of_known: whether it is about something that is there.
        kind: what it has in common with others: its tool, the first words and the options of its call.
        usual: whether its kind is the first that its tool shows.
        tool: whose plan it is.
        example: the plan.
        language: of the run.
    """

    goal: str
    recalls: bool
    of_known: bool
    kind: tuple[str, ...]
    usual: bool
    tool: str
    example: PlanExample
    language: Language

    @property
    def turns(self) -> tuple[Turn, Turn]:
        """The request and the reply; written when they are shown, for there are hundreds of plans."""
        given = self.example
        asked = goal_turn(self.language, self.goal, "", given.get("background", ""), given.get("context", ""))
        return asked, turn_of("assistant", _reply(self.tool, given))


def _tool_examples(tools: Mapping[str, BaseTool]) -> list[list[tuple[str, ToolExample]]]:
    """The examples that tools bring along, grouped into runs: the first of two tools together, every other alone.

    A tool whose plans show its calls needs no run alone, but for a question to the user.
    """
    firsts: list[tuple[str, ToolExample]] = []
    others: list[tuple[str, ToolExample]] = []
    for name, tool in sorted(tools.items()):
        brought = metadata_of(tool).get("examples", ())
        firsts += [(name, example) for example in brought[:1]]
        others += [(name, example) for example in brought[1:]]
    alone = [one for one in (*firsts[:-2], *others) if "question" in one[1] or not _shows_calls(tools[one[0]])]
    return ([firsts[-2:]] if firsts else []) + [[one] for one in alone]


def _shows_calls(tool: BaseTool) -> bool:
    return any("input" in plan for plan in metadata_of(tool).get("plans", ()))


def demonstration(
    tools: Mapping[str, BaseTool], language: Language, parallel: Collection[str] = frozenset()
) -> list[Turn]:
    """Example runs as turns, a greeting first; empty if no example can be made for any of the tools.

    Two tools of one run that may be called beside each other are.
    """
    runs = _tool_examples(tools)
    if not runs and (made := made_example(tools, language)):
        beside = {name: tools[name] for name in parallel if name != made[0] and made[0] in parallel}
        other = made_example(beside, language)
        runs = [[made, other] if other else [made]]
    elif not runs and not tools:
        runs = [[("", _without_tools(language))]]
    if not runs:
        return []
    if not any("question" in example for run in runs for _, example in run):
        name, example = runs[0][0]
        runs = [[(name, asking(name, example, language))], *runs]
    turns = [
        goal_turn(language, text(language, "example.greeting"), "", "", ""),
        turn_of("assistant", _plan([], text(language, "example.greeted"))),
    ]
    return [*turns, *(turn for examples in runs for turn in _run(examples, language, parallel))]


def bank(tools: Mapping[str, BaseTool], language: Language) -> tuple[Planned, ...]:
    """The plans that the tools show."""
    found: list[Planned] = []
    for name, tool in sorted(tools.items()):
        plans = list(metadata_of(tool).get("plans", ()))
        for example in plans:
            kind = _kind(name, example)
            usual = kind == _kind(name, plans[0])
            sort = "background" in example, "context" in example
            found.append(Planned(example["goal"], *sort, kind, usual, name, example, language))
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
    every tool among them. Words alone do not tell well enough which order is meant.

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
    found = [*_differing(alike, SHOWN - few - of_others), *_differing(others, of_others)]
    turns: list[Turn] = []
    for plan in [*found, *_differing(after, few)]:
        shown = plan.turns
        room -= sum(map(turn_tokens, shown))
        if room < 0 and turns:
            return turns
        turns = [*shown, *turns]
    return turns


def like_call(goal: str, plans: Sequence[Planned], tools: Collection[str], *, of_known: bool) -> str:
    """The call of some tools that the request most like a goal led to, with that request; "" where they show none.

    Args:
        goal: the user's words.
        plans: those to choose from.
        tools: whose call it is to be.
        of_known: whether the goal names something that is there.
    """
    fitting = [plan for plan in plans if plan.tool in tools and "input" in plan.example and not plan.recalls]
    ranked = _ranked(goal, [plan for plan in fitting if plan.of_known == of_known])
    if not ranked:
        return ""
    first = ranked[0]
    call = dumps({"tool": first.tool, "input": first.example.get("input")}, ensure_ascii=False)
    return text(first.language, "note.like_call", goal=first.goal, call=call)


def _ranked(goal: str, plans: Sequence[Planned]) -> list[Planned]:
    """Plans, the most like a goal first."""
    return [plans[index] for index in reversed(most_alike(goal, [plan.goal for plan in plans], len(plans)))]


def _differing(ranked: Sequence[Planned], count: int) -> list[Planned]:
    """Of plans with the most alike first, those of usual kinds, then one of each kind, then others."""
    firsts: dict[tuple[str, ...], int] = {}
    for place, plan in enumerate(ranked):
        firsts.setdefault(plan.kind, place)
    leading = set(firsts.values())
    in_turn = sorted(range(len(ranked)), key=lambda at: (at not in leading, not ranked[at].usual, at))
    return [ranked[place] for place in sorted(in_turn[:count])]


def _reply(tool: str, example: PlanExample) -> str:
    if "input" not in example:
        return _plan(example["steps"], example.get("response"))
    call = {"tool": tool, "input": example["input"]}
    return as_json({"status": "planned", "plan": _steps(example["steps"]), "next_action": call})


def _without_tools(language: Language) -> ToolExample:
    return ToolExample(
        goal=text(language, "example.wish.goal"),
        step=text(language, "example.wish.step"),
        question=text(language, "example.wish.question"),
        answer=text(language, "example.wish.answer"),
        input="",
        result="",
        response=text(language, "example.wish.response"),
    )


def _run(examples: Sequence[tuple[str, ToolExample]], language: Language, parallel: Collection[str]) -> list[Turn]:
    goal = text(language, "example.both").join(example["goal"] for _, example in examples)
    steps = [example["step"] for _, example in examples]
    now = moment(_NOW, language)
    asked = examples[0][1]
    if len(examples) == 2 and {tool for tool, _ in examples} <= set(parallel) and "question" not in asked:
        return _run_at_once(examples, goal, now, language)
    turns = [goal_turn(language, goal, now, "", "")]
    if "question" in asked and "answer" in asked:
        note = answered_note(language, asked["question"], asked["answer"])
        turns += [
            turn_of("assistant", _plan([goal], None)),
            step_turn(language, 1, 1, goal, goal),
            turn_of("assistant", as_json({"status": "ask_user", "question": asked["question"]})),
            replan_turn(language, goal, note, [goal]),
            turn_of("assistant", _plan(steps, None, "replanned")),
        ]
    else:
        turns.append(turn_of("assistant", _plan(steps, None)))
    for index, (tool, example) in enumerate(examples):
        analysis = analyze_tool_results([example["result"]])
        advice = generate_guidance(example["step"], analysis, 1, language=language)
        action = {"tool": tool, "input": example["input"]}
        call = [
            turn_of("assistant", as_json({"status": "continue", "next_action": action})),
            observation_turn(language, [(tool, True, example["result"])], advice),
        ]
        rest = steps[index + 1 :]
        final = None if rest else " ".join(one["response"] for _, one in examples)
        turns += [
            step_turn(language, index + 1, len(steps), example["step"], goal),
            *(call if tool else ()),
            turn_of("assistant", as_json({"status": "done", "response": example["response"]})),
            replan_turn(language, goal, finished_note(language, index + 1, example["step"], example["response"]), rest),
            turn_of("assistant", _plan(rest, final, "replanned")),
        ]
    return turns


def _run_at_once(examples: Sequence[tuple[str, ToolExample]], goal: str, now: str, language: Language) -> list[Turn]:
    """A run whose steps need nothing of each other."""
    steps = {number: example["step"] for number, (_, example) in enumerate(examples, 1)}
    plan: list[dict[str, Any]] = [{"step": example["step"], "tool": tool, "requires": []} for tool, example in examples]
    calls = [{"tool": tool, "input": example["input"], "step": n} for n, (tool, example) in enumerate(examples, 1)]
    results = [(tool, True, example["result"]) for tool, example in examples]
    both = " ".join(example["response"] for _, example in examples)
    task = text(language, "turn.between").join(steps.values())
    advice = generate_guidance(task, analyze_tool_results([result for *_, result in results]), 1, language=language)
    note = "\n".join(finished_note(language, number, step, both) for number, step in steps.items())
    return [
        goal_turn(language, goal, now, "", ""),
        turn_of("assistant", as_json({"status": "planned", "plan": plan})),
        steps_turn(language, steps, len(steps), goal),
        turn_of("assistant", as_json({"status": "continue", "next_actions": calls})),
        observation_turn(language, results, advice),
        turn_of("assistant", as_json({"status": "done", "response": both})),
        replan_turn(language, goal, note, []),
        turn_of("assistant", _plan([], both, "replanned")),
    ]


def _plan(steps: Sequence[str], response: str | None, status: str = "planned") -> str:
    return as_json({"status": status, "plan": _steps(steps), "response": response})


def _steps(steps: Sequence[str]) -> list[dict[str, Any]]:
    return [{"step": step, "tool": None, "requires": []} for step in steps]
