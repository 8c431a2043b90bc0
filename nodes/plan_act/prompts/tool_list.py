"""How the model is told of the tools: a line each, with everything that their schemas say about a call's input.

The notation follows TypeScript's, which models know: `{"name": string, "count"?: integer = 1, "kind": "a" | "b"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.tools import BaseTool

from ...._internal.texts import Language
from ....models.messages import estimate_tokens
from ....tools.notation import MOST_NESTED, Notation
from ....tools.schemas import input_schema
from .texts import text


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much a list says, and the text that tells what it leaves out."""

    note: str
    described: bool
    nested: int
    inputs: bool = True


_DETAILS = (
    _Detail("", described=True, nested=MOST_NESTED),
    _Detail("system.no_meanings", described=False, nested=MOST_NESTED),
    _Detail("system.no_nested_fields", described=False, nested=1),
    _Detail("system.no_fields", described=False, nested=0, inputs=False),
)


def tool_list(tools: Mapping[str, BaseTool], budget: int, language: Language = "en") -> str:
    """The tools in a fixed order, one line each, in as much detail as the budget allows.

    Args:
        tools: by name.
        budget: tokens, as `estimate_tokens` counts them. Where a list in full detail has more, it leaves out what the
            fields mean, then nested fields, then all fields, and says so.
        language: of what it says itself.

    Returns:
        The lines; the least detailed list comes whole, whatever the budget.
    """
    listed = ""
    for detail in _DETAILS:
        lines = [f"- {name}: {_about(tool, detail, language)}" for name, tool in sorted(tools.items())]
        listed = "\n".join([*lines, *([text(language, detail.note)] if detail.note else [])])
        if estimate_tokens(listed) <= budget:
            break
    return listed


def _about(tool: BaseTool, detail: _Detail, language: Language) -> str:
    about = " ".join(tool.description.split())
    schema = input_schema(tool)
    properties: dict[str, dict[str, Any]] = schema["properties"]
    only = next(iter(properties.values())) if len(properties) == 1 else {}
    if not detail.inputs or (only.get("type") == "string" and set(only) <= {"type", "title"}):
        return about
    notation = Notation(schema.get("$defs", {}), described=detail.described, nested=detail.nested)
    # A call may give a single text as it is.
    shown = notation.field_of(only) if only.get("type") == "string" else notation.object_of(schema)
    # One line whatever a schema's texts hold, so that no text can pass for another tool.
    return " ".join(f"{about} {text(language, 'system.input', shown=shown)}".split())
