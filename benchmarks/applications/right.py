"""Are the cases right? Their own calls and answers must pass, straight and through the loop.

A right call that the loop sends back, asks about or changes is a false alarm of its checks, and is listed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from langchain_core.tools import ToolException

from benchmarks.applications.cases import Application, Case, Verdict, judge, leaves
from benchmarks.applications.player import player
from benchmarks.applications.solve import Made, solve

_HELD = ("ungrounded", "incomplete", "repeated")
"""Kinds of calls that were not made, and not for what their tool says."""


def straight(app: Application, case: Case, *, made: int | None = None) -> Verdict:
    """What the judge says when the right calls, or as many of them, are made on the tools themselves."""
    state = app.state()
    tools = {tool.name: tool for tool in app.tools(state)}
    before = leaves(state)
    for one in case.calls[:made]:
        try:
            asyncio.run(tools[one.tool].ainvoke(dict(one.given)))
        except ToolException:
            if case.kind != "impossible":
                raise
    return judge(case, before, leaves(state), case.answer, asked=1)


def alarms(app: Application, case: Case, *, whole: bool = False) -> Iterator[str]:
    """What the loop makes of the right calls, but for making them and giving the answer.

    Args:
        whole: the plan has one step, in place of one for each call.
    """
    made = Made()
    row = solve(player(case, lambda: len(made.calls), whole=whole), app, case, made=made)
    if row.problem:
        yield f"problem: {row.problem}"
    for asked, _ in row.asked[bool(case.reply) :]:
        yield f"asked: {asked}"
    for event in row.events:
        data = event["data"]
        if event["kind"] == "observation" and data.get("kind_of_failure") in _HELD:
            yield f"{data['kind_of_failure']}: {data['tool']} {data['input']}: {data['result']}"
        if event["kind"] == "verdict" and data["status"] == "failed":
            yield f"verdict: {data}"
    right = [(one.tool, dict(one.given)) for one in case.calls]
    # What the loop looks up itself needs no arguments.
    if [one for one in row.made if one[1] or one in right] != right:
        yield f"calls: {row.made}"
    # A step that failed is reported with the tool's error, and the model's words as its own.
    if row.response != case.answer and not (case.kind == "impossible" and case.answer in row.response):
        yield f"answer: {row.response!r} in place of {case.answer!r}"


def report(cases: Sequence[tuple[Application, Case]]) -> int:
    """Print what is wrong with the cases, and what the loop makes of them; 1 if a case is wrong."""
    wrong = 0
    for app, case in cases:
        problem = straight(app, case).problem
        if case.wants and not problem and not straight(app, case, made=0).missing:
            problem = "it is right although nothing was done"
        wrong += bool(problem)
        print(f"{'✘' if problem else '✔'} {app.name}/{case.id} {problem}".rstrip())
        for whole in (False, True):
            for alarm in alarms(app, case, whole=whole):
                print(f"    the loop, {'one step' if whole else 'a step a call'}: {alarm}")
    print(f"\n{len(cases) - wrong} of {len(cases)} cases are right")
    return int(wrong > 0)
