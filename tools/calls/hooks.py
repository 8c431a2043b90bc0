"""Calls the functions in `tool.metadata` ("hooks").

A hook gets a call's arguments with the tool's defaults filled in, as the tool itself will get them. A hook that raises,
or returns a value of the wrong kind, is a mistake in the program; the error names the tool and the key.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp

from ..._internal.redact import line_of
from ...errors import ToolContractError
from ...traces.shapes import Action
from ..metadata import Missing, metadata_of
from ..schemas import defaults_of, input_schema
from .action_check import arguments, text_argument

_log = logging.getLogger("thoughtgraph.tools")


def full_arguments(tool: BaseTool, action: Action) -> dict[str, Any]:
    """A call's arguments, with the defaults of those that it leaves out."""
    given = arguments(tool, action["input"])
    return {**given, **{name: value for name, value in defaults_of(tool).items() if name not in given}}


def grounded_texts(tool: BaseTool, action: Action) -> list[str]:
    """The texts of a call that are held to what was said; none if its tool does not ask for it, all where the tool's
    function fails.

    An argument that has its default, or one of a fixed choice of values, is the tool's own word.
    """
    given = metadata_of(tool).get("grounded")
    if not given:
        return []
    values = arguments(tool, action["input"])
    if callable(given):
        full = full_arguments(tool, action)
        own = [value for name, value in full.items() if name not in values]
        means = "All of its arguments are held to what was said"
        given = call_hook_safely(tool.name, "grounded", given, full, means)
        if given is not True:
            return [said for said in given or () if said not in own]
    about = input_schema(tool).get("properties", {})
    names = list(values) if given is True else [name for name in given if name in values]
    return [said for name in names for said in _texts_in(values[name], about.get(name, {}))]


def input_of(
    tool: BaseTool, action: Action, meant: BaseTool, changed: Mapping[str, Any], full: Mapping[str, Any]
) -> str | dict[str, Any]:
    """The input of a call whose arguments a hook has changed, as a text or a dict, as the call had it.

    Args:
        tool: the tool that the model called.
        action: the model's call.
        meant: the tool that will be called.
        changed: the new arguments. Defaults that were only filled in are left out again.
        full: the arguments that the hook got.
    """
    given, after = arguments(tool, action["input"]), defaults_of(meant)
    known = input_schema(meant).get("properties", {})

    def filled_in(name: str, value: Any) -> bool:
        # What a function made as a default is another one every time.
        defaults = after if name in known and meant is not tool else full
        return name not in given and name in defaults and value == defaults[name]

    kept = {name: value for name, value in changed.items() if not filled_in(name, value)}
    alone = kept.get(text_argument(meant) or "") if len(kept) == 1 and isinstance(action["input"], str) else None
    return alone if isinstance(alone, str) else kept


def call_hook(tool: str, key: str, hook: Callable[..., Any], *arguments: Any) -> Any:
    """Call a hook and check what it returns.

    Args:
        tool: the name of its tool.
        key: its key in `tool.metadata`.
        hook: the function.
        arguments: what it is called with.

    Raises:
        ToolContractError: it raised, or returned a value that its key does not allow.
    """
    try:
        found = hook(*arguments)
    except GraphBubbleUp:
        # It may pause the graph by `interrupt()`.
        raise
    except Exception as problem:
        raise ToolContractError(tool, f"raised {line_of(problem)}", key) from problem
    kinds, fits = _RETURNS[key]
    if found is not None and not fits(found):
        raise ToolContractError(tool, f"returned {type(found).__name__} {str(found)[:80]!r}; it gives {kinds}", key)
    return found


def call_hook_safely(
    tool: str, key: str, hook: Callable[[dict[str, Any]], Any], arguments: dict[str, Any], means: str
) -> Any:
    """`call_hook` where an error would end a run for good: in an edge of the graph, or after the tool was called.

    A hook that fails counts as one that returned True, and a warning is logged.

    Args:
        tool: the name of its tool.
        key: its key in `tool.metadata`.
        hook: the function.
        arguments: what it is called with.
        means: the consequence of the failure, for the warning: the beginning of a sentence.
    """
    try:
        return call_hook(tool, key, hook, arguments)
    except ToolContractError as failed:
        _warn(f"the function in `{key}` of the tool {tool!r} {failed.problem}. {means} until it is mended.")
        return True


def _texts_in(value: Any, about: Mapping[str, Any]) -> Iterator[str]:
    """The texts and numbers in an argument, but for what its schema itself gives."""
    if isinstance(value, Mapping):
        fields = about.get("properties", {})
        for name, item in cast("Mapping[str, Any]", value).items():
            yield from _texts_in(item, fields.get(name, {}))
    elif isinstance(value, (list, tuple)):
        for item in cast("Sequence[Any]", value):
            yield from _texts_in(item, about.get("items", {}))
    elif "enum" in about or "const" in about or value is None or isinstance(value, bool):
        return
    elif "default" not in about or about["default"] != value:
        yield str(value)


@lru_cache(maxsize=256)
def _warn(said: str) -> None:
    # Once: a run asks about each of its calls in every round.
    _log.warning(said)


def _is_texts(found: object) -> bool:
    return isinstance(found, Sequence) and not isinstance(found, str) and all(map(_is_text, cast("list[Any]", found)))


def _is_text(found: object) -> bool:
    return isinstance(found, str)


def _is_call(found: object) -> bool:
    pair = cast("Sequence[Any]", found) if isinstance(found, (tuple, list)) else ()
    return len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], Mapping)


_RETURNS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "effects": ("True or False", lambda found: isinstance(found, bool)),
    "grounded": ("a list of texts", _is_texts),
    # `"to" not in given and Missing(…)` is False where nothing is missing.
    "required": ("a `Missing` or None", lambda found: not found or isinstance(found, Missing)),
    "completed": ("the call's input, as a text or a dict, or None", lambda found: isinstance(found, (str, Mapping))),
    "as_told": ("the arguments, as a dict", lambda found: isinstance(found, Mapping)),
    "meant_for": ("the name of a tool and its arguments, as a tuple of a text and a dict", _is_call),
    "context": ("a text", _is_text),
    "stands_alone": ("True or False", lambda found: isinstance(found, bool)),
    # Whatever it is, the person is shown it as a text.
    "interrupt_on": ("a text", lambda found: True),
}
"""By key: what its hook returns, in words and as a check. None is allowed under every key."""
