"""The one way in which the functions in `tool.metadata` are called.

They are given a call's arguments with the defaults of those that it leaves out, as the tool itself will be. One that
raises, or returns something else than it is to give, is a mistake in the program; the error names the tool and the key.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp

from ..._internal.redact import message_of
from ...errors import ToolContractError
from ...traces.shapes import Action
from ..metadata import Missing
from ..schemas import defaults_of, input_schema
from .action_check import arguments, text_argument

_log = logging.getLogger("thoughtgraph.tools")


def full_arguments(tool: BaseTool, action: Action) -> dict[str, Any]:
    """A call's arguments, with the defaults of those that it leaves out."""
    given = arguments(tool, action["input"])
    return {**given, **{name: value for name, value in defaults_of(tool).items() if name not in given}}


def input_of(
    tool: BaseTool, action: Action, meant: BaseTool, changed: Mapping[str, Any], full: Mapping[str, Any]
) -> str | dict[str, Any]:
    """The input of a call whose arguments a function has changed, in the form that the call had.

    Args:
        tool: that the model called.
        action: its call.
        meant: the tool that is called in the end.
        changed: its arguments. Defaults that were only filled in are left out again.
        full: the call's arguments as the function was given them.
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


def called(tool: str, key: str, function: Callable[..., Any], *known: Any) -> Any:
    """What a function gives.

    Args:
        tool: the name of the tool that it belongs to.
        key: under which it was given.
        function: to be called.
        known: what it is called with.

    Raises:
        ToolContractError: it raised, or returned something else than the key asks for.
    """
    try:
        found = function(*known)
    except GraphBubbleUp:
        # It may pause the graph by `interrupt()`.
        raise
    except Exception as problem:
        raise ToolContractError(tool, f"raised {type(problem).__name__}: {message_of(problem)}", key) from problem
    kinds, fits = _GIVES[key]
    if found is not None and not fits(found):
        raise ToolContractError(tool, f"returned {type(found).__name__} {str(found)[:80]!r}; it gives {kinds}", key)
    return found


def called_safely(
    tool: str, key: str, function: Callable[[dict[str, Any]], Any], known: dict[str, Any], means: str
) -> Any:
    """The same of a function that is asked where an error would end a run for good: in an edge of the graph, or after
    the call. Where it fails, a warning is logged, and True stands for what it gives.

    Args:
        tool: the name of the tool that it belongs to.
        key: under which it was given.
        function: to be called.
        known: what it is called with.
        means: what follows until it is mended, as a sentence without its end.
    """
    try:
        return called(tool, key, function, known)
    except ToolContractError as failed:
        _warn(f"the function in `{key}` of the tool {tool!r} {failed.problem}. {means} until it is mended.")
        return True


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


_GIVES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
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
"""What a function gives under each key, in words and as a check; None says nothing under any of them."""
