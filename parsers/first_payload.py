"""Picks the JSON object of a reply that counts: the first payload.

A model that writes on after its payload invents what the tool, the user or the next round will say; none of that has
happened. So the objects are read in order and repaired if necessary, and a broken object is not skipped for a valid one
after it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, cast

from .._internal.strict_json import entries, mapping
from .json.mending import mended
from .json.readings import plain_name, unescaped, unwrapped
from .json.values import TOO_DEEP, json_scalars, json_values


def _firsts(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which the first of a repeated name counts, as the first of several payloads does: a plan of one step
    came with two calls, and only the first was that of the step."""
    found: dict[str, Any] = {}
    for name, value in fields:
        found.setdefault(name, value)
    return found


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_firsts)
_MAX_TRIED, _MAX_MENDED = 1_000, 8
"""Most braces to look at, and most broken objects to repair: more than any real reply has."""
_BRACE = re.compile(r"[{｛]")
_START = re.compile(
    r"[{｛]\s{0,50}[\"'“]?(?:thought|status|plan|next_actions?|question|response)[\"'”]?\s{0,50}[:：]", re.IGNORECASE
)
_INSIDE = re.compile(r"(?:[\"'”]\s*[:：]|[\[,，［])\s*\Z")
"""Matches the text before an object that is part of another one."""
_WAITING = frozenset({"continue", "ask_user"})
"""Statuses that wait for an answer from a tool or the user."""
WRAPPER = "reply"
"""The field below which a payload stands where a server holds replies to a schema."""
_FIELDS = {
    plain_name(name): name
    for name in ("status", "thought", "plan", "next_action", "next_actions", "question", "response", "tool", "input")
}
PAYLOAD_STATUSES = frozenset({"planned", "replanned", "done", *_WAITING})
_BLANK = re.compile(r"\.{3}|…|<[^<>]*>|ANSWER|QUESTION|STEP|NAME|WHAT CAME OF IT")
"""Placeholders that the format's example shows instead of real text."""
_LISTED = re.compile(r"[\s,，;；]*")
_TAKES_BACK = re.compile(
    r"(?:[\s`*_>#.…—–-]|\bjson\b|\b(?:oh|uh|ah|hm+)\b[,.]?)*"
    r"(?:wait\b(?! for)|no\s?[,.:;!…—–-]|(?:no|nope) wait|actually\b|correct(?:ion|ed)\b|sorry\b|apologies|oops\b"
    r"|rather\b|scratch that|on second thoughts?|i mean\b|my mistake|let me (?:correct|fix|redo|revise)"
    r"|(?:that|this)(?:'s| is| was) (?:wrong|incorrect|not right)"
    r"|等等|等一下|等下|且慢|不对|不，|不是|错了|有误|更正|纠正|修正|改正|抱歉|对不起|应该是|应为|我是说)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FirstPayload:
    """The payload of a reply that counts.

    Attributes:
        value: the object, not checked yet; None if it cannot be repaired.
        copied: it is the format's example, not filled in.
        taken_back: the words after it say that the model meant another one.
        followed: other payloads come after it.
        beside: the payloads right after it, with commas and blanks alone between them.
    """

    value: Any
    copied: bool
    taken_back: bool
    followed: bool
    beside: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    value: Any
    start: int
    end: int


def first_payload(reply: str, statuses: Collection[str]) -> FirstPayload | None:
    """The first payload of a reply that has one of the statuses, or that waits for a result; None if there is none.

    A payload that waits counts in every phase: a plan after a call relies on a result that the model invented. Skips a
    payload of another phase that does not wait, and a copy of the format unless there is nothing else.

    Args:
        reply: the model's reply.
        statuses: the values of `status` that this phase allows.
    """
    found = [one for one in _payloads(reply) if _counts(one.value, statuses)]
    if not found and (other := _written_otherwise(reply)):
        found = [one for one in _payloads(other) if _counts(one.value, statuses)]
    meant = [one for one in found if not _is_copy(one.value)]
    if not meant:
        return FirstPayload(found[0].value, copied=True, taken_back=False, followed=False) if found else None
    first = meant[0]
    others = [one for one in meant[1:] if one.value != first.value]
    taken_back = bool(others) and bool(_TAKES_BACK.match(reply[first.end : others[0].start]))
    beside: list[Any] = []
    last = first
    for one in others:
        if not _LISTED.fullmatch(reply, last.end, one.start):
            break
        beside.append(one.value)
        last = one
    return FirstPayload(first.value, copied=False, taken_back=taken_back, followed=bool(others), beside=tuple(beside))


def _payloads(reply: str) -> Iterator[_Found]:
    """The objects that are payloads, or were meant to be, in the reply's order."""
    position, broken = 0, 0
    for _ in range(_MAX_TRIED):
        opening = _BRACE.search(reply, position)
        if opening is None:
            return
        start = opening.start()
        value: Any = None
        try:
            value, position = _DECODER.raw_decode(reply, start)
        except ValueError:
            position = start + 1
        except RecursionError:
            value, position = TOO_DEEP, start + 1
        if isinstance(value, dict):
            value = _spelled(_unwrapped(cast("dict[str, Any]", value)))
            if _is_payload(cast("dict[str, Any]", value)):
                yield _Found(value, start, position)
        elif _START.match(reply, start):
            broken += 1
            if broken > _MAX_MENDED:
                return
            position = _end_of_broken(reply, start)
            yield _Found(value or _mended(reply[start:position]), start, position)


def _unwrapped(value: dict[str, Any]) -> Any:
    """What a server that holds replies to a schema has below its only field."""
    inner = value.get(WRAPPER) if len(value) == 1 else None
    return cast(Any, inner) if isinstance(inner, dict) else value


def _spelled(value: dict[str, Any]) -> dict[str, Any]:
    """A payload with the names that its fields have, and its status as it is meant: `"nextAction"`, `"CONTINUE"`."""
    named: dict[str, Any] = {}
    for name, item in value.items():
        own = _FIELDS.get(plain_name(name), name)
        named[name if own in value or own in named else own] = item
    if _status(named) in PAYLOAD_STATUSES:
        named["status"] = _status(named)
    call = named.get("next_action")
    return {**named, "next_action": _spelled(cast("dict[str, Any]", call))} if isinstance(call, dict) else named


def _written_otherwise(reply: str) -> str:
    """The object of a reply out of what it is wrapped in, or with one escape less; "" if there is none."""
    if text := unescaped(reply):
        return text
    for value in chain(islice(json_values(reply), _MAX_MENDED), json_scalars(reply)):
        for inner in (value, *unwrapped(value)):
            if isinstance(inner, dict) and _is_payload(_spelled(cast("dict[str, Any]", inner))):
                return json.dumps(inner)
    return ""


def _end_of_broken(reply: str, start: int) -> int:
    """The start of the next payload that is not part of the one that starts here."""
    for following in _START.finditer(reply, start + 1):
        if not _INSIDE.search(reply, max(start, following.start() - 60), following.start()):
            return following.start()
    return len(reply)


def _mended(text: str) -> Any:
    value = mended(text)
    named = _spelled(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}
    return named if _is_payload(named) else None


def _status(value: Mapping[str, Any]) -> str:
    return str(value.get("status")).strip().lower()


def _is_payload(value: Mapping[str, Any]) -> bool:
    """Whether an object is a payload of any phase, even a faulty one; a tool's result may have a status too."""
    return _status(value) in PAYLOAD_STATUSES or bool(value.get("next_action") or value.get("next_actions"))


def _counts(value: Any, statuses: Collection[str]) -> bool:
    if not isinstance(value, dict):
        # Its purpose is unknown; it comes before all others and may have been a call.
        return True
    payload = cast("dict[str, Any]", value)
    status = _status(payload)
    return status in statuses or status in _WAITING or (status not in PAYLOAD_STATUSES)


def _is_copy(value: Any) -> bool:
    """Whether it is the format from the instructions, with its placeholders still in place."""
    if not isinstance(value, dict):
        return False
    payload = cast("dict[str, Any]", value)
    action, plan = payload.get("next_action"), payload.get("plan")
    said: list[Any] = [payload.get("response"), payload.get("question")]
    said += [mapping(call).get("tool") for call in (action, *entries(payload.get("next_actions")))]
    for item in entries(plan):
        said.append(cast("dict[str, Any]", item).get("step") if isinstance(item, dict) else item)
    return any(isinstance(one, str) and _BLANK.fullmatch(one.strip()) for one in said)
