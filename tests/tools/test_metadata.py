"""What a tool says of itself in its `metadata` is checked when a graph is built, and None says nothing."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Any

import pytest
from langchain_core.tools import tool
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.tools import ToolMetadata
from thoughtgraph.tools.calls.effects import may_change, says_effects
from thoughtgraph.tools.metadata import check_metadata, metadata_of


@tool
def pay(to: str, amount: float) -> str:
    """Pay someone."""
    return f"paid {to} {amount}"


def telling(**metadata: Any) -> Any:
    """The tool, with its metadata."""
    return pay.model_copy(update={"metadata": metadata})


FIT: list[dict[str, Any]] = [
    {"effects": True, "parallel": True, "grounded": ["to"], "required": ["amount", lambda given, told: None]},
    {"effects": lambda given: True, "grounded": True, "required": lambda given, told: None, "context": lambda told: ""},
    {"as_told": lambda given, told: dict(given), "meant_for": lambda given, told: ("pay", dict(given))},
    {"examples": [], "plans": (), "effects": False, "parallel": False, "grounded": ("to",)},
    {"names": ["cash", "transfer"]},
    {"customer": 7, "required": None, "effects": None},
]


@pytest.mark.parametrize("metadata", FIT, ids=lambda given: ",".join(given))
def test_what_a_loop_can_go_by_is_taken(metadata: dict[str, Any]) -> None:
    check_metadata(telling(**metadata))
    create_plan_act_graph(ScriptedModel(replies=[]), [telling(**metadata)], interactive=False)


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ({"effects": "yes"}, "metadata['effects'] of the tool 'pay': give True, False, or a function"),
        ({"parallel": "yes"}, "metadata['parallel'] of the tool 'pay': give True or False"),
        ({"parallel": lambda: True}, "give True or False"),
        ({"grounded": "to"}, "give True, a list of arguments"),
        ({"grounded": ["to", "whom"]}, "names 'whom', which is no argument of it"),
        ({"required": "to"}, "give arguments, functions, or one function"),
        ({"required": ["whom"]}, "names 'whom', which is no argument of it"),
        ({"required": True}, "give arguments, functions"),
        ({"as_told": {}}, "metadata['as_told'] of the tool 'pay': give a function"),
        ({"meant_for": "todo"}, "metadata['meant_for'] of the tool 'pay': give a function"),
        ({"context": "Eva"}, "give a function of what is known"),
        ({"examples": "Pay Bob."}, "give a list of `ToolExample`"),
        ({"names": "cash"}, "give a list of texts"),
        ({"names": ["cash", 7]}, "give a list of texts"),
        ({"plans": [("Pay Bob.", [])]}, "give a list of `PlanExample`"),
    ],
    ids=lambda given: given if isinstance(given, str) else None,
)
def test_what_it_could_not_go_by_fails_at_the_build(metadata: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match="of the tool 'pay'") as refused:
        create_plan_act_graph(ScriptedModel(replies=[]), [telling(**metadata)], interactive=False)
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ({"effects": lambda: True}, "cannot be called with (arguments)"),
        ({"grounded": lambda given, told: []}, "cannot be called with (arguments)"),
        ({"required": lambda given: None}, "cannot be called with (arguments, told)"),
        ({"required": ["to", lambda given: None]}, "cannot be called with (arguments, told)"),
        ({"as_told": lambda given: given}, "cannot be called with (arguments, told)"),
        ({"meant_for": lambda given, *, told: None}, "cannot be called with (arguments, told)"),
        ({"context": lambda: ""}, "cannot be called with (told)"),
        ({"context": asyncio.sleep}, "is async"),
    ],
    ids=lambda given: None if isinstance(given, str) else "",
)
def test_a_function_that_cannot_be_called_with_what_is_known_fails_at_the_build(
    metadata: dict[str, Any], problem: str
) -> None:
    (key,) = metadata
    with pytest.raises(ValueError, match=re.escape(f"metadata[{key!r}] of the tool 'pay': its function {problem}")):
        create_plan_act_graph(ScriptedModel(replies=[]), [telling(**metadata)], interactive=False)


@pytest.mark.parametrize(
    "metadata",
    [
        {"effects": bool},
        {"effects": lambda given, also="": True},
        {"required": partial(lambda language, given, told: None, "en")},
        {"context": str},
    ],
    ids=["a class", "a default", "a partial", "a builtin"],
)
def test_whatever_can_be_called_so_is_taken(metadata: dict[str, Any]) -> None:
    check_metadata(telling(**metadata))


def test_none_says_nothing() -> None:
    silent = telling(effects=None, required=None)
    assert (metadata_of(silent), says_effects(silent), may_change(silent)) == ({}, False, False)


def test_the_keys_can_be_written_as_a_type() -> None:
    assert metadata_of(telling(**ToolMetadata(effects=True, grounded=["to"]))) == {"effects": True, "grounded": ["to"]}
