"""Finds the JSON values in a loose reply, valid or mended."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from typing import Any

from ..._internal.fences import Fence, find_fences
from .leaves import is_number, number_of
from .mending import MAX_READ, OPENING, complaint, goes_on, mended, mended_whole

_TOKEN = re.compile(r'[{}\[\]｛｝［］]|"(?:[^"\\]|\\.)*"?', re.DOTALL)
_LANGUAGES = frozenset({"json", "jsonc", "json5", ""})
_MAX_SPANS = 32
_MAX_TOKENS = 150_000
"""Most brackets and strings to look at: more than any real reply has, and a limit for a hostile one."""
_MAX_MENDED = 4
_STARTS_LIKE_JSON = re.compile(r"""[{｛]\s{0,50}(?:["'“]|\w{1,60}\s{0,5}[:：])|[\[［]\s{0,50}["{\[\d-]""")
_SURELY_JSON = re.compile(r"""\s{0,50}(?:[{｛]\s{0,50}["'“]|[\[［]\s{0,50}[{｛])""")
_MAX_LINES = 10_000
_BETWEEN_LINES = re.compile(r"\s*+,?\s*+")
TOO_DEEP: Any = object()
_ANSWER = re.compile(r"(?:\b(?:answer|result|output|json)|答案|结果|输出)[\s*_`]*[:：]$", re.IGNORECASE)
_REMARK = re.compile(r"\[\s*(?:\d{1,4}\s*)?\]|\{\s*\}")
_IS = re.compile(
    r"(?:\b(?:is|are|was|were|be|becomes?|returns?|gives?|equals?|prints?)|[=:：是为])[\s`*]*$", re.IGNORECASE
)
"""What stands before a value that a sentence states."""


class _Shown(IntEnum):
    """How a reply shows a value, what is likeliest its answer first."""

    AS_ANSWER = 0
    """In a block of JSON, or behind "Answer:"."""
    ON_LINES = 1
    IN_TEXT = 2
    AS_REMARK = 3
    """`[1]`, `[]` or `{}` in running text: the number of a source, or a word of it."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value may be: the text that it is if it is valid, and the text that it begins."""

    text: str
    rest: str
    shown: _Shown = _Shown.IN_TEXT
    block: bool = False


def json_values(reply: str) -> Iterator[Any]:
    """JSON objects and arrays in the reply, the likeliest first: valid ones from last to first, then mended ones."""
    return (value for value, _ in _found(reply))


def json_answers(reply: str) -> Iterator[Any]:
    """Those of `json_values` that a reply shows as its answer: what is in blocks of JSON or behind "Answer:".

    Without such it is what stands on lines of its own, and else what is in running text. There `[1]`, `[]` and `{}`
    count only if there is nothing else.
    """
    return (value for value, _ in _found(reply, most_shown=True))


def _found(reply: str, *, most_shown: bool = False) -> Iterator[tuple[Any, _Shown]]:
    if reply.lstrip()[:1] in ("{", "["):
        # A reply that is only JSON, as constrained ones are, needs no search.
        try:
            yield _loaded(reply), _Shown.ON_LINES
            return
        except ValueError:
            pass
    cut, places = _places(reply)
    if most_shown:
        most = min((place.shown for place in (*places, *filter(None, [cut]))), default=_Shown.IN_TEXT)
        places = [place for place in places if place.shown is most]
        cut = cut if cut and cut.shown is most else None
    for text in (reply, *(place.text for place in places if place.block)):
        if lines := _lines(text) or _mended(text):
            yield lines, _Shown.ON_LINES
    if cut is not None:
        # A complete value inside a value that was cut off is only part of the answer.
        if (value := mended(cut.rest)) is not None:
            yield value, cut.shown
        elif _SURELY_JSON.match(cut.rest):
            # What was written before it is no answer in its place.
            return
    broken: list[_Place] = []
    tried = 0
    for place in places:
        try:
            value = _loaded(place.text)
        except ValueError:
            surely = _SURELY_JSON.match(place.rest)
            if not surely and not (most_shown and place.shown is _Shown.AS_ANSWER):
                broken.append(place)
                continue
            tried += 1
            value = mended(place.rest)
            if value is None and not surely:
                continue
            if value is None or tried > _MAX_MENDED:
                # What was written before it is no answer in its place.
                return
        if value is TOO_DEEP or isinstance(value, (dict, list)):
            yield value, place.shown
    for place in broken[:_MAX_MENDED]:
        # What is empty is no answer, unless it is so as it stands.
        if value := mended(place.rest):
            yield value, place.shown


def _lines(text: str) -> list[Any]:
    """The objects of a text that has nothing but several of them, one after the other."""
    found: list[Any] = []
    position = len(text) - len(text.lstrip())
    try:
        while position < len(text):
            value, end = _DECODER.raw_decode(text, position)
            if not isinstance(value, dict) or len(found) == _MAX_LINES:
                return []
            found.append(value)
            blank = _BETWEEN_LINES.match(text, end)
            position = blank.end() if blank else end
    except (ValueError, RecursionError):
        return []
    return found if len(found) > 1 else []


def _mended(text: str) -> object:
    try:
        _loaded(text)
    except ValueError:
        return mended_whole(text)
    # What is valid is found as it stands.
    return None


def problem_of(reply: str) -> str:
    """Why there is no value in a reply: the place at which what is most like JSON cannot be read."""
    cut, places = _places(reply)
    for rest in (place.rest for place in (*filter(None, [cut]), *places)):
        if _STARTS_LIKE_JSON.match(rest.strip()) and (problem := complaint(rest)):
            return problem
    words = map(str.strip, _whole_texts(reply))
    endless = next((word for word in words if is_number(word) and number_of(word) is None), None)
    return f"No number is as large as {endless[:60]}" if endless else "There is no JSON in the reply"


def _places(reply: str) -> tuple[_Place | None, list[_Place]]:
    """The place of a value that was cut off, and all other places where a value may be, the likeliest first."""
    opening = OPENING.search(reply)
    if opening is None:
        return None, []
    fences = find_fences(reply)

    def rest(start: int) -> str:
        around = next((fence for fence in reversed(fences) if fence.start <= start), None)
        end = start + MAX_READ + 1
        if around and around.closed and start < around.end:
            # The closing fence is no part of it.
            end = min(end, reply.rfind("\n", start, around.end) + 1)
        return reply[start:end]

    marked = [fence for fence in fences[-_MAX_SPANS:] if fence.language in _LANGUAGES]
    blocks = [fence for fence in marked if _holds_json(fence)]

    def shown(start: int, end: int) -> _Shown:
        if any(fence.start <= start < fence.end for fence in blocks):
            return _Shown.AS_ANSWER
        stop = reply.find("\n", end)
        before, after = reply[reply.rfind("\n", 0, start) + 1 : start], reply[end : stop if stop >= 0 else len(reply)]
        before, after = before.strip(" \t`*_"), after.strip(" \t\r`*_.,;")
        if not after and _ANSWER.search(before):
            return _Shown.AS_ANSWER
        if not after and (not before or before[-1] in ":："):
            return _Shown.ON_LINES
        is_remark = _REMARK.fullmatch(reply[start:end]) and not _IS.search(before)
        return _Shown.AS_REMARK if is_remark else _Shown.IN_TEXT

    cut = _cut_off_start(reply)
    # What stands inside of a value that was cut off is no value of its own.
    spans = [span for span in _spans(reply) if cut is None or span[0] < cut]
    # An empty box, "[ ]", is an item of a list of tasks.
    spans = [(start, end) for start, end in reversed(spans) if reply[start:end] != "[ ]"]
    found = {
        start: _Place("" if goes_on(reply, end) else reply[start:end], rest(start), shown(start, end))
        for start, end in spans
    }
    # A block marked as JSON is the answer; a bracket in the prose after it is not.
    places: list[_Place] = []
    for fence in reversed(marked):
        inside = [start for start in found if fence.start <= start < fence.end] if fence in blocks else []
        if len(inside) > 1 and all(found[start].text for start in inside):
            # Of several values in one block, the last counts, as without a block.
            places += [found.pop(start) for start in inside]
        as_shown = _Shown.AS_ANSWER if fence in blocks else _Shown.IN_TEXT
        places.append(_Place(fence.body, fence.body + "\n" * fence.closed, as_shown, block=True))
    # A list of numbers in prose may be anything, such as a source.
    places += sorted(found.values(), key=lambda place: not _SURELY_JSON.match(place.rest))
    places.append(_Place("", rest(opening.start())))
    return None if cut is None else _Place("", rest(cut), shown(cut, len(reply))), places


def _holds_json(fence: Fence) -> bool:
    """Whether a block is there for its JSON; one without a tag may hold anything."""
    text = fence.body.strip()
    if fence.language or not text:
        return bool(text)
    try:
        return isinstance(_loaded(text), (dict, list)) or bool(_SURELY_JSON.match(text))
    except ValueError:
        return bool(_SURELY_JSON.match(text))


def json_scalars(reply: str) -> Iterator[Any]:
    """The numbers, texts, booleans and nulls that a reply, or a block in it marked as JSON, is as a whole."""
    for text in _whole_texts(reply):
        try:
            value = _loaded(text)
        except ValueError:
            continue
        if value is not TOO_DEEP and not isinstance(value, (dict, list)):
            yield value


def _whole_texts(reply: str) -> list[str]:
    """The blocks that may be JSON, from last to first, and the reply."""
    blocks = [fence.body for fence in find_fences(reply, last=_MAX_SPANS) if fence.language in _LANGUAGES]
    return [*reversed(blocks), reply]


def _loaded(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except RecursionError:
        return TOO_DEEP


def _refused(name: str) -> Any:
    raise ValueError(f"JSON has no {name}")


def _finite(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _refused(written)


def _cut_off_start(text: str) -> int | None:
    """The start of a JSON value that the reply does not close; a lone bracket in prose does not count."""
    open_brackets: list[int] = []
    for token in islice(_TOKEN.finditer(text), _MAX_TOKENS):
        if token[0] in "{[｛［":
            open_brackets.append(token.start())
        elif token[0] in "}]｝］" and open_brackets:
            open_brackets.pop()
    return next((start for start in open_brackets[:_MAX_SPANS] if _STARTS_LIKE_JSON.match(text, start)), None)


def _spans(text: str) -> list[tuple[int, int]]:
    """Outermost balanced `{…}` and `[…]`; a limited number of brackets that are never closed are skipped."""
    spans: list[tuple[int, int]] = []
    position = tokens = 0
    for _ in range(_MAX_SPANS):
        depth, start = 0, -1
        for token in islice(_TOKEN.finditer(text, position), _MAX_TOKENS - tokens):
            tokens += 1
            mark = token[0]
            if mark in "{[｛［":
                start = token.start() if depth == 0 else start
                depth += 1
            elif mark in "}]｝］" and depth:
                depth -= 1
                if depth == 0:
                    spans.append((start, token.end()))
                    if len(spans) > 4 * _MAX_SPANS:
                        del spans[: 2 * _MAX_SPANS]
        if depth == 0 or tokens >= _MAX_TOKENS:
            break
        position = start + 1
    return spans[-_MAX_SPANS:]


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refused, parse_float=_finite)
