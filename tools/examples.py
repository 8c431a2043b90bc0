"""Worked examples that a tool provides for prompts: `tool.metadata["examples"]` and `tool.metadata["plans"]`."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict


class ToolExample(TypedDict):
    """One use of a tool, from the user's words to the answer.

    Attributes:
        goal: what a user says.
        step: the step of a plan that it becomes.
        input: the tool's input.
        result: what the tool returns.
        response: the final answer to the user.
        question: the question to ask first.
        answer: the user's answer to it.
    """

    goal: str
    step: str
    input: str | dict[str, Any]
    result: str
    response: str
    question: NotRequired[str]
    answer: NotRequired[str]


class PlanExample(TypedDict):
    """A goal in the user's words and the plan for it; the example does not carry it out.

    Of many, a run is shown those whose goals are most like its own.

    Attributes:
        goal: what a user says.
        steps: the plan; empty for a goal that is answered at once.
        context: what the tool would know of it, as its `metadata["context"]` says it.
        background: what was said before; such an example is shown to runs that have a background, and to no other.
        input: of a plan of one step: the input of the call that carries it out.
        response: the answer at once.
    """

    goal: str
    steps: list[str]
    context: NotRequired[str]
    background: NotRequired[str]
    input: NotRequired[str | dict[str, Any]]
    response: NotRequired[str]
