"""What is kept of calls for the checks of repeats, with equal marks for equal calls, and of requests that ended."""

from __future__ import annotations

import hashlib
import json
from typing import Any, cast

from typing_extensions import TypedDict

from ....traces.shapes import Action, StopReason


class CallMark(TypedDict):
    """A tool call as the checks see it.

    Attributes:
        tool: its name.
        call: fingerprint of the tool and its canonical arguments.
        outcome: fingerprint of the call and its result.
        ok: whether it worked.
        refused: it was not executed, because it would only have repeated itself.
    """

    tool: str
    call: str
    outcome: str
    ok: bool
    refused: bool


def mark_of(action: Action, ok: bool, result: str, *, refused: bool = False) -> CallMark:
    """A call as the checks see it. The order of arguments and white space around them make no difference."""
    call = call_fingerprint(action)
    outcome = _digest(f"{call}\0{ok}\0{' '.join(result.split())}")
    return CallMark(tool=action["tool"], call=call, outcome=outcome, ok=ok, refused=refused)


def call_fingerprint(action: Action) -> str:
    """The same for two calls of the same tool with the same arguments, however they are spelled."""
    return _digest(json.dumps([action["tool"], _canonical(action["input"])], sort_keys=True, ensure_ascii=False))


def _canonical(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, dict):
        return {str(key): _canonical(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in cast("list[Any]", value)]
    return value if isinstance(value, (int, float, bool, type(None))) else str(value)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class PartEnd(TypedDict):
    """How one of several requests in a goal ended: the answer, why, and how many observations and steps there were."""

    answered: str
    stop: StopReason
    observations: int
    steps: int
