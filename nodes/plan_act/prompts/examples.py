"""Worked examples for the model: whole runs, as earlier turns of the conversation.

A small model takes an example that stands in its instructions for the task itself and copies its words; of the same
example as an earlier turn it takes the form. Tools bring their own examples, so that a run is shown with the tools that
there are: `tool.metadata["examples"]`, a list of `ToolExample`, and `tool.metadata["plans"]`, a list of `PlanExample`.
Where no tool does, an example is made of a tool's schema. Every payload is shown, a question to the user included.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from ...._internal.texts import Language
from ....tools.dates.found import SOME_DAY
from ....tools.examples import ToolExample
from ....tools.metadata import metadata_of
from ..plans.payloads import as_json
from .advice import analyze_tool_results, generate_guidance
from .made_examples import MadeRun, made_examples, made_runs
from .shown_plans import plan_reply
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
)


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
    runs, made = _tool_examples(tools), list[MadeRun]()
    if not runs:
        together = made_examples({name: tools[name] for name in parallel}, language)
        runs = [together] if len(together) > 1 else []
        made = made_runs(tools, language)
    if not runs and not tools:
        runs = [[("", _without_tools(language))]]
    if not runs and not made:
        return []
    if not any("question" in example for run in runs for _, example in run):
        # A question of the tools' own is copied: "What should I do with the book?", about a book that is named.
        runs = [[("", _without_tools(language))], *runs]
    turns = [
        goal_turn(language, text(language, "example.greeting"), "", "", ""),
        turn_of("assistant", plan_reply([], text(language, "example.greeted"))),
    ]
    turns += [turn for examples in runs for turn in _run(examples, language, parallel)]
    # Where a run shows how to go on with a call, plans bring their first one along.
    shows_next = any(len(run.calls) > 1 for run in made)
    for run in made:
        turns += _made_run(run, language) if shows_next else _run([_as_example(run)], language, parallel)
    return turns


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
    goal = text(language, "example.both").join(example["goal"] for _, example in examples if example["goal"])
    steps = [example["step"] for _, example in examples]
    now = moment(SOME_DAY, language)
    asked = examples[0][1]
    if len(examples) == 2 and {tool for tool, _ in examples} <= set(parallel) and "question" not in asked:
        return _run_at_once(examples, goal, now, language)
    turns = [goal_turn(language, goal, now, "", "")]
    if "question" in asked and "answer" in asked:
        note = answered_note(language, asked["question"], asked["answer"])
        turns += [
            turn_of("assistant", plan_reply([goal], None)),
            step_turn(language, 1, 1, goal, goal),
            turn_of("assistant", as_json({"status": "ask_user", "question": asked["question"]})),
            replan_turn(language, goal, note, [goal]),
            turn_of("assistant", plan_reply(steps, None, "replanned")),
        ]
    else:
        turns.append(turn_of("assistant", plan_reply(steps, None)))
    for index, (tool, example) in enumerate(examples):
        analysis = analyze_tool_results([example["result"]])
        advice = generate_guidance(example["step"], analysis, 1, language=language)
        action = {"tool": tool, "input": example["input"]}
        call = [
            turn_of("assistant", as_json({"status": "continue", "next_action": action})),
            observation_turn(language, [(tool, True, example["result"])], advice),
        ]
        rest = steps[index + 1 :]
        final = None if rest else " ".join(one["response"] for _, one in examples if one["goal"])
        turns += [
            step_turn(language, index + 1, len(steps), example["step"], goal),
            *(call if tool else ()),
            turn_of("assistant", as_json({"status": "done", "response": example["response"]})),
            replan_turn(language, goal, finished_note(language, index + 1, example["step"], example["response"]), rest),
            turn_of("assistant", plan_reply(rest, final, "replanned")),
        ]
    return turns


def _as_example(run: MadeRun) -> tuple[str, ToolExample]:
    (call, result) = run.calls[0]
    shown = ToolExample(goal=run.goal, step=run.goal, input=call["input"], result=result, response=run.response)
    return call["tool"], shown


def _made_run(run: MadeRun, language: Language) -> list[Turn]:
    """A run of one step. Its plan brings a single call along, and what is said of that is the answer; several calls are
    made with `continue`."""
    (first, _), *others = run.calls
    plan = plan_reply([run.goal], None, call=None if others else first)
    turns = [goal_turn(language, run.goal, moment(SOME_DAY, language), "", ""), turn_of("assistant", plan)]
    replies = [{"status": "continue", "next_action": call} for call, _ in others]
    replies.append({"status": "done", "response": run.response})
    if others:
        begins = as_json({"status": "continue", "next_action": first})
        turns += [step_turn(language, 1, 1, run.goal, run.goal), turn_of("assistant", begins)]
    for count, ((call, result), reply) in enumerate(zip(run.calls, replies, strict=True), 1):
        analysis = analyze_tool_results([shown for _, shown in run.calls[:count]])
        advice = generate_guidance(run.goal, analysis, count, language=language)
        turns += [observation_turn(language, [(call["tool"], True, result)], advice)]
        turns += [turn_of("assistant", as_json(reply))]
    if others:
        note = finished_note(language, 1, run.goal, run.response)
        turns += [replan_turn(language, run.goal, note, [])]
        turns += [turn_of("assistant", plan_reply([], run.response, "replanned"))]
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
        turn_of("assistant", plan_reply([], both, "replanned")),
    ]
