"""What a call cannot do without, and the question to the user where it is missing: `tool.metadata["required"]`.

A small model rarely asks: it invents what is missing, or picks one of two. So what a tool requires is asked about by
the loop, in the tool's own words, and the call is completed from the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool

from ..._internal.texts import Language
from ...traces.shapes import Action
from ..metadata import Missing, Told, metadata_of
from ..schemas import input_schema
from .action_check import arguments, is_blank, required_arguments
from .grounding import is_denial
from .hooks import call_hook, full_arguments, input_of
from .texts import text


def missing(tool: BaseTool, action: Action, told: Told, language: Language) -> Missing | None:
    """What a call lacks; None if it is complete.

    Args:
        tool: that is called.
        action: the call.
        told: what is known.
        language: of the question about an argument.
    """
    required = metadata_of(tool).get("required")
    for needs in [required] if callable(required) else required or ():
        if callable(needs) and (found := call_hook(tool.name, "required", needs, full_arguments(tool, action), told)):
            return found
    values = arguments(tool, action["input"])
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
    put_right = metadata_of(tool).get("as_told")
    if put_right is None:
        return action
    full = full_arguments(tool, action)
    changed = call_hook(tool.name, "as_told", put_right, dict(full), told)
    return action if changed is None else {**action, "input": input_of(tool, action, tool, changed, full)}


def meant_for(tools: Mapping[str, BaseTool], action: Action, told: Told) -> Action:
    """The call that is meant, by `metadata["meant_for"]` of the tool that was called: a small model confuses two tools
    with alike commands. The other tool is then called like any other, with its own checks and approvals.

    Args:
        tools: that there are.
        action: the call, with arguments that fit its tool.
        told: what is known.
    """
    tool = tools[action["tool"]]
    told_apart = metadata_of(tool).get("meant_for")
    if told_apart is None:
        return action
    full = full_arguments(tool, action)
    found = call_hook(tool.name, "meant_for", told_apart, dict(full), told)
    if found is None or found[0] not in tools:
        return action
    name, changed = found
    return {**action, "tool": name, "input": input_of(tool, action, tools[name], changed, full)}
