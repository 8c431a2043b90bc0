"""Keeps text from a model from controlling a terminal, and a terminal's encoding from ending a command.

What does end a command is an output that nobody takes, with an exit code that means nothing else.
"""

from __future__ import annotations

import codecs
import os
import re
import unicodedata
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, TextIO, cast

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
    is_ascii = asked in ("C", "POSIX") and not any(map(os.environ.get, ("PYTHONIOENCODING", "PYTHONUTF8")))
    for stream in streams:
        if isinstance(stream, TextIOWrapper) and (is_ascii or not stream.encoding.lower().startswith("utf")):
            stream.reconfigure(encoding="ascii" if is_ascii else None, errors=_ERRORS)


READER_GONE = 141
"""The exit code of a program whose reader has ended, as of `head -1`: what a shell reports of SIGPIPE."""
_UNWRITABLE = 2


class _Output(FileIO):
    """Standard output or error, below every buffer, so that no library makes its own exit code of a failed write."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as problem:
            # What is still in the buffers goes nowhere, and does not fail again while the program ends.
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self.fileno())
            os.close(nothing)
            if isinstance(problem, BrokenPipeError):
                raise SystemExit(READER_GONE) from None
            with suppress(OSError):
                os.write(2, f"thoughtgraph: cannot write the output: {problem.strerror}\n".encode())
            raise SystemExit(_UNWRITABLE) from None


def ending_output(stream: TextIO) -> TextIO:
    """A standard stream that ends the program where it cannot be written."""
    if not isinstance(stream, TextIOWrapper):
        return stream
    raw = cast(Any, _Output(stream.fileno(), "wb", closefd=False))
    return TextIOWrapper(
        raw if isinstance(cast(object, stream.buffer), FileIO) else BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


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
