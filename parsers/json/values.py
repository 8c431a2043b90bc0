"""Finds the JSON values in a loose reply, valid or mended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..._internal.fences import find_fences
from .mending import mended

_TOKEN = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_LANGUAGES = frozenset({"json", "jsonc", "json5", ""})
_MAX_SPANS = 32
_MAX_TOKENS = 150_000
"""Most brackets and strings to look at: more than any real reply has, and a limit for a hostile one."""
_STARTS_LIKE_JSON = re.compile(r'\{\s{0,50}"|\[\s{0,50}["{\[\d-]')
FULL_WIDTH = str.maketrans("：，｛｝［］“”", ':,{}[]""')
TOO_DEEP: Any = object()


def json_values(reply: str) -> Iterator[Any]:
    """JSON objects and arrays in the reply, the likeliest first: valid ones from last to first, then repaired ones."""
    if reply.lstrip()[:1] in ("{", "["):
        # A reply that is only JSON, as constrained ones are, needs no search.
        try:
            yield _loaded(reply)
            return
        except ValueError:
            pass
    texts = [reply[start:end] for start, end in _spans(reply)]
    # A block marked as JSON is the answer; a bracket in the prose after it is not.
    texts += [fence.body for fence in find_fences(reply, last=_MAX_SPANS) if fence.language in _LANGUAGES]
    cut = _cut_off_start(reply)
    if cut is not None and (value := mended(reply[cut:])):
        # A complete value inside a value that was cut off is only part of the answer.
        yield value
    broken: list[str] = []
    for text in reversed(texts):
        try:
            value = _loaded(text)
        except ValueError:
            broken.append(text)
            continue
        if value is TOO_DEEP or isinstance(value, (dict, list)):
            yield value
    opening = re.search(r"[{\[｛［]", reply)
    if opening:
        broken.append(reply[opening.start() :])
    for text in broken[:4]:
        for spelled in dict.fromkeys((text, text.translate(FULL_WIDTH))):
            if value := mended(spelled):
                yield value


def json_scalars(reply: str) -> Iterator[Any]:
    """The numbers, texts, booleans and nulls that a reply, or a block in it marked as JSON, is as a whole."""
    blocks = [fence.body for fence in find_fences(reply, last=_MAX_SPANS) if fence.language in _LANGUAGES]
    for text in (*reversed(blocks), reply):
        try:
            value = json.loads(text, parse_constant=_refused)
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, (dict, list)):
            yield value


def _refused(name: str) -> Any:
    raise ValueError(f"JSON has no {name}")


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        return TOO_DEEP


def _cut_off_start(text: str) -> int | None:
    """The start of a JSON value that the reply does not close; a lone bracket in prose does not count."""
    open_brackets: list[int] = []
    for token in islice(_TOKEN.finditer(text), _MAX_TOKENS):
        if token[0] in "{[":
            open_brackets.append(token.start())
        elif token[0] in "}]" and open_brackets:
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
            if mark in "{[":
                start = token.start() if depth == 0 else start
                depth += 1
            elif mark in "}]" and depth:
                depth -= 1
                if depth == 0:
                    spans.append((start, token.end()))
                    if len(spans) > 4 * _MAX_SPANS:
                        del spans[: 2 * _MAX_SPANS]
        if depth == 0 or tokens >= _MAX_TOKENS:
            break
        position = start + 1
    return spans[-_MAX_SPANS:]
