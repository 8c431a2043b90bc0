"""What a call states, what was shown that it may come from, and the record of a call that is not made for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from langchain_core.tools import BaseTool

from ....._internal.strict_json import mapping
from .....tools.calls.action_check import arguments
from .....tools.calls.effects import only_reads
from .....tools.metadata import metadata_of
from .....tools.schemas import free_values, input_schema
from .....traces.events import Link, Recorder
from .....traces.shapes import Action, ObservationData
from ....trace import cause_of
from ...loop import PlanActLoop
from ...state import Observation, PlanActState

MAX_SHOWN = 2_000


def stated_values(tool: BaseTool, action: Action, loop: PlanActLoop) -> list[tuple[str, Any, bool]]:
    """The arguments of a call: name, value, and whether the tool requires it. Nested arguments count, too.

    Values that the program itself gave the model are left out. There are none for a tool that only reads, and for one
    that names in its metadata what the user must have said (`grounded`)."""
    if "grounded" in metadata_of(tool) or only_reads(tool):
        return []
    told, schema = loop.coordinator.of_the_program(), input_schema(tool)
    given = free_values(arguments(tool, action["input"]), schema, mapping(schema.get("$defs")))
    return [(name, value, needed) for name, value, needed in given if not _is_told(value, told)]


def each_of(value: Any) -> list[Any]:
    """The values of an argument, which may be a list."""
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def values_in(given: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The texts and integers in arguments, and in the objects and lists among them, each with its name."""
    if isinstance(given, Mapping):
        for field, value in cast("Mapping[str, Any]", given).items():
            yield from values_in(value, field)
    elif isinstance(given, list):
        for value in cast("list[Any]", given):
            yield from values_in(value, name)
    elif isinstance(given, str | int) and not isinstance(given, bool):
        yield name, given


def shown_texts(state: PlanActState) -> list[str]:
    """What was said before, and what tools told of the request, and returned."""
    return [*read_texts(state), *(one["result"] for one in state["observations"] if not one["ok"])]


def read_texts(state: PlanActState) -> list[str]:
    """`shown_texts` without errors: a number in one, such as a limit, is none that the user wants."""
    return [state["before"], state["context"], *(one["result"] for one in state["observations"] if one["ok"])]


def as_answer(seen: Iterable[Observation]) -> str:
    """The results of calls, each once and at most so long, to be shown in the place of an answer."""
    return "\n".join(dict.fromkeys(one["result"][:MAX_SHOWN] for one in seen))


def observed(state: PlanActState) -> list[ObservationData]:
    """What became of every call of the run, in order, those that were held back included."""
    return [event["data"] for event in state["events"] if event["kind"] == "observation"]


def incomplete_notes(state: PlanActState) -> list[str]:
    """What calls lacked, in the tools' words, which may name entries by their numbers."""
    return [data["result"] for data in observed(state) if data.get("kind_of_failure") == "incomplete"]


def record_held_back(
    recorder: Recorder, action: Action, why: str, kind: str, state: PlanActState, **about: Any
) -> None:
    """Record that a call is not made, as a failed observation; `kind` is the word of the check."""
    link = Link(source=cause_of(state)[0]["source"], relation="failed", error=why)
    recorder.add("observation", [link], **action, ok=False, result=why, kind_of_failure=kind, **about)


def _is_told(value: Any, told: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(str(value))}(?!\w|\.\d)", told) is not None
