"""What a call cannot do without, and the question to the user where it is missing: `tool.metadata["required"]`.

A small model rarely asks: it invents what is missing, or picks one of two. So what a tool requires is asked about by
the loop, in the tool's own words, and the call is completed from the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from langchain_core.tools import BaseTool

from ..._internal.texts import Language
from ...traces.shapes import Action
from ..schemas import input_schema
from .action_check import arguments, is_blank, required_arguments
from .grounding import is_denial
from .texts import text


@dataclass(frozen=True, slots=True)
class Told:
    """What is known when a call is decided on.

    Attributes:
        request: the user's words: the goal, and the answers to questions.
        before: what was said before the goal.
        elsewhere: what other tools returned.
        now: what relative dates count from: local, without a zone.
        step: of the plan, which the call is for; "" if it came with the plan.
    """

    request: Sequence[str]
    before: str
    elsewhere: Sequence[str]
    now: datetime
    step: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that a call cannot do without.

    Attributes:
        question: to the user; "" to leave it at what the model is told.
        completed: gives the call's input from the answer; None where the answer does not settle it.
        at_once: whether it is known that the user did not say it. Else the model is told first, and the user is asked
            the second time.
        hint: what the model is told in place of the question.
        stands: whether the call is not made either where the user was asked and the answer did not settle it.
        unwanted: whether nobody asked for such a call: then the plan's step for it goes, too.
    """

    question: str
    completed: Callable[[str], str | dict[str, Any] | None]
    at_once: bool = True
    hint: str = ""
    stands: bool = False
    unwanted: bool = False


Needs = Callable[[Mapping[str, Any], Told], "Missing | None"]
"""Looks at a call's arguments and at what is known, and says what is missing."""


def check_required(tool: BaseTool) -> None:
    """Refuse a tool that requires an argument which it does not have.

    Raises:
        ValueError: names the tool and the argument, or says what `metadata["required"]` may be.
    """
    given: Any = (tool.metadata or {}).get("required")
    if given is None or callable(given):
        return
    if not isinstance(given, (list, tuple)):
        raise ValueError(
            f"metadata['required'] of the tool {tool.name!r}: give arguments, functions, or one function alone"
        )
    known = input_schema(tool).get("properties", {})
    for name in cast("Sequence[object]", given):
        if not callable(name) and name not in known:
            raise ValueError(
                f"metadata['required'] of the tool {tool.name!r} names {name!r}, which is no argument of it"
            )


def missing(tool: BaseTool, action: Action, told: Told, language: Language) -> Missing | None:
    """What a call lacks; None if it is complete.

    Args:
        tool: that is called.
        action: the call.
        told: what is known.
        language: of the question about an argument.
    """
    required: Any = (tool.metadata or {}).get("required")
    values = arguments(tool, action["input"])
    for needs in [required] if callable(required) else required or ():
        if callable(needs) and (found := cast(Needs, needs)(values, told)):
            return found
    for name in required_arguments(tool):
        if is_blank(values.get(name)):
            about = input_schema(tool).get("properties", {}).get(name, {})
            meant = re.sub(r"[\s.。]+$", "", str(about.get("description") or name.replace("_", " ")))
            question = text(language, "required.ask", tool=tool.name, about=meant)
            return Missing(question, lambda answer, name=name: _filled(values, name, answer), at_once=False)
    return None


def _filled(values: Mapping[str, Any], name: str, answer: str) -> dict[str, Any] | None:
    unsettled = is_denial(answer) or is_blank(answer) or re.search(r"[?？]\s*$", answer)
    return None if unsettled else {**values, name: answer}


def as_told(tool: BaseTool, action: Action, told: Told) -> Action:
    """A call as the user's words have it, by `tool.metadata["as_told"]`: without options that nobody asked for, and
    with what the words leave no doubt about.

    Args:
        tool: that is called.
        action: the call, with arguments that fit the tool.
        told: what is known.
    """
    put_right: Any = (tool.metadata or {}).get("as_told")
    if put_right is None:
        return action
    values = arguments(tool, action["input"])
    changed: dict[str, Any] = put_right(values, told)
    if changed == values:
        return action
    return {**action, "input": changed if isinstance(action["input"], Mapping) else next(iter(changed.values()))}


def meant_for(tools: Mapping[str, BaseTool], action: Action, told: Told) -> Action:
    """The call that is meant, by `metadata["meant_for"]` of the tool that was called: a small model confuses two tools
    with alike commands. The other tool is then called like any other, with its own checks and approvals.

    Args:
        tools: that there are.
        action: the call, with arguments that fit its tool.
        told: what is known.
    """
    tool = tools[action["tool"]]
    told_apart: Any = (tool.metadata or {}).get("meant_for")
    if told_apart is None:
        return action
    values = arguments(tool, action["input"])
    name, changed = told_apart(values, told)
    if name not in tools or (name, changed) == (action["tool"], values):
        return action
    return {
        **action,
        "tool": name,
        "input": changed if isinstance(action["input"], Mapping) else next(iter(changed.values())),
    }
