"""Makes chat-template markers in messages harmless for an embedded model.

llama.cpp first writes the messages into the template, then looks for control tokens in all of it. So `<|im_end|>` in a
tool's result would end the turn. A zero-width character after the marker's first character changes nothing for a
reader, but the tokenizer no longer sees a marker. The served file itself says which texts are markers.
"""

from __future__ import annotations

import json
import mmap
import re
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

from ..._internal.strict_json import loads_or

KNOWN_MARKERS = frozenset(
    {
        *(f"<|{name}|>" for name in ("im_start", "im_end", "im_sep", "endoftext", "end_of_text", "begin_of_text")),
        *(f"<|{name}|>" for name in ("eot_id", "eom_id", "start_header_id", "end_header_id", "python_tag", "end")),
        *(f"<|{name}|>" for name in ("system", "user", "assistant", "tool", "observation", "channel", "message")),
        *(f"<|{name}|>" for name in ("fim_prefix", "fim_middle", "fim_suffix", "fim_pad", "repo_name", "file_sep")),
        *("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>", "<start_of_turn>", "<end_of_turn>"),
        *("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
        *("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"),
    }
)
"""Markers of the common templates, for files that list none."""

_BREAK = "\u200b"
_SAID_IN = ("messages", "tools", "functions", "prompt", "input", "instructions")
_UNKNOWN, _CONTROL, _USER_DEFINED = 2, 3, 4
# Markers in a template count even if they are not single tokens.
_IN_TEMPLATE = re.compile(r"<[|｜][^<>\n]{1,60}>|<[^<>\s|｜]{1,60}[|｜]>|\[/?[A-Z_]{2,30}\]|<</?[A-Z]{2,10}>>")

_MARKED = re.compile(r"[<\[|｜].*[>\]|｜]")


def without_markers(markers: Iterable[str]) -> Callable[[bytes], bytes]:
    """A function that breaks markers in the body of a chat request: in messages, their names and calls, and in tools.

    Args:
        markers: texts that the tokenizer or the template treats as control markers.
    """
    known = frozenset(marker for marker in markers if len(marker) > 1)
    lengths = sorted(set(map(len, known)))
    first = re.compile("[" + "".join(map(re.escape, {marker[0] for marker in known})) + "]") if known else None

    def broken(text: str) -> str:
        def put(found: re.Match[str]) -> str:
            at = found.start()
            hit = any(text[at : at + length] in known for length in lengths)
            return found.group() + _BREAK if hit else found.group()

        return first.sub(put, text) if first else text

    def through(value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            # Templates receive a call's arguments as an object, with nothing escaped.
            parsed = _object(value) if name == "arguments" else None
            return broken(value) if parsed is None else json.dumps(through(parsed))
        if isinstance(value, list):
            return [through(item) for item in cast("list[Any]", value)]
        if isinstance(value, dict):
            held = cast("dict[str, Any]", value)
            return {broken(key): through(item, key) for key, item in held.items()}
        return value

    def rewrite(body: bytes) -> bytes:
        payload = _object(body)
        if payload is None:
            return body
        said = {name: payload[name] for name in _SAID_IN if name in payload}
        made: dict[str, Any] = through(said)
        return body if made == said else json.dumps({**payload, **made}).encode()

    return rewrite


def markers_of(weights: Path) -> frozenset[str]:
    """The markers of a GGUF file: the control tokens of its vocabulary and the markers in its chat template.

    Returns `KNOWN_MARKERS` if the file cannot be read. They are included if it has no template, since llama.cpp then
    uses a common one.
    """
    try:
        with weights.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            tokens, types, template = _vocabulary(data)
    except (OSError, ValueError, struct.error, IndexError, OverflowError):
        return KNOWN_MARKERS
    found = set(_IN_TEMPLATE.findall(template)) if template else set(KNOWN_MARKERS)
    for token, kind in zip(tokens, types, strict=False):
        text = token.decode("utf-8", "replace")
        # Vocabularies also have user-defined tokens for HTML and for runs of spaces; those are not markers.
        marks = kind == _USER_DEFINED and _MARKED.search(text) and (text in template or "|" in text or "｜" in text)
        if (kind in (_UNKNOWN, _CONTROL) and not text.isalnum() and text.strip()) or marks:
            found.add(text)
    return frozenset(found)


def _object(text: str | bytes) -> dict[str, Any] | None:
    value = loads_or(text, None, json.loads)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9
_VERSIONS = (2, 3)


def _vocabulary(data: mmap.mmap) -> tuple[list[bytes], list[int], str]:
    """Tokens, their types and the chat templates of a GGUF file.

    Raises:
        ValueError, struct.error: the file is not a GGUF file, or ends early.
    """
    magic, version, _, count = struct.unpack_from("<4sIQQ", data)
    if magic != b"GGUF" or version not in _VERSIONS:
        raise ValueError("no GGUF file of a known version")
    at = struct.calcsize("<4sIQQ")
    wanted: dict[str, Any] = {}
    for _ in range(count):
        key, at = _text(data, at)
        (kind,) = struct.unpack_from("<I", data, at)
        value, at = _value(data, at + 4, kind)
        wanted[key.decode("utf-8", "replace")] = value
    templates = [text for key, text in wanted.items() if key.startswith("tokenizer.chat_template")]
    template = "\n".join(text.decode("utf-8", "replace") for text in templates if isinstance(text, bytes))
    return wanted.get("tokenizer.ggml.tokens", []), wanted.get("tokenizer.ggml.token_type", []), template


def _text(data: mmap.mmap, at: int) -> tuple[bytes, int]:
    (length,) = struct.unpack_from("<Q", data, at)
    start = at + 8
    if length > len(data) - start:
        raise ValueError("the file ends within a text")
    return data[start : start + length], start + length


def _value(data: mmap.mmap, at: int, kind: int) -> tuple[Any, int]:
    if kind == _TEXT:
        return _text(data, at)
    if kind == _ARRAY:
        inner, count = struct.unpack_from("<IQ", data, at)
        return _array(data, at + 12, inner, count)
    number = struct.Struct(f"<{_NUMBERS[kind]}" if kind in _NUMBERS else "")
    if not number.size:
        raise ValueError(f"a value of the unknown type {kind}")
    return number.unpack_from(data, at)[0], at + number.size


def _array(data: mmap.mmap, at: int, kind: int, count: int) -> tuple[list[Any], int]:
    if count > len(data) - at:
        raise ValueError("the file ends within a list")
    if kind in _NUMBERS:
        numbers = struct.Struct(f"<{count}{_NUMBERS[kind]}")
        return list(numbers.unpack_from(data, at)), at + numbers.size
    items: list[Any] = []
    for _ in range(count):
        item, at = _value(data, at, kind)
        items.append(item)
    return items, at
