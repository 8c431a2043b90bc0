"""Keeps text from a model from controlling a terminal, and a terminal's encoding from ending a command."""

from __future__ import annotations

import codecs
import os
import re
import unicodedata
from io import TextIOWrapper
from typing import TextIO

# A lone surrogate controls nothing, but it cannot be sent to a terminal.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: object) -> str:
    """Replace control characters, except line feeds and tabs, and the characters that reorder displayed text."""
    return _CONTROL.sub("\ufffd", str(text))


_PLAIN_MARKS = {
    "✔": "+", "✘": "x", "→": "->", "–": "-", "−": "-", "…": "...", "›": ">", "▶": ">", "•": "*", "×": "x", "≤": "<=",
    "≥": ">=", "█": "#", "▓": "=", "░": "-", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'",
}  # fmt: skip
_ERRORS = "thoughtgraph.plain_marks"


def plain_marks(*streams: TextIO) -> None:
    """Let streams that are not in UTF-8 take any text: marks become ASCII, and other characters escapes.

    The locale "C" counts as ASCII where it was asked for, although Python itself then writes UTF-8.
    """
    codecs.register_error(_ERRORS, _without_marks)
    asked = os.environ.get("LC_ALL") or os.environ.get("LANG")
    is_ascii = asked in ("C", "POSIX") and not {"PYTHONIOENCODING", "PYTHONUTF8"} & set(os.environ)
    for stream in streams:
        if isinstance(stream, TextIOWrapper) and (is_ascii or not stream.encoding.lower().startswith("utf")):
            stream.reconfigure(encoding="ascii" if is_ascii else None, errors=_ERRORS)


def _without_marks(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain_mark, error.object[error.start : error.end])), error.end


def _plain_mark(character: str) -> str:
    if character in _PLAIN_MARKS:
        return _PLAIN_MARKS[character]
    if "\u2800" <= character <= "\u28ff":  # a frame of a spinner
        return "."
    folded = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return folded or character.encode("ascii", "backslashreplace").decode()
