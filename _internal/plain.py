"""Keeps text from a model from controlling a terminal."""

from __future__ import annotations

import re

# A lone surrogate controls nothing, but it cannot be sent to a terminal.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: object) -> str:
    """Replace control characters, except line feeds and tabs, and the characters that reorder displayed text."""
    return _CONTROL.sub("\ufffd", str(text))
