"""Detects a reply that repeats the prompt's own example, in whole or in part, as small models often do."""

from __future__ import annotations

from collections.abc import Iterable

_WORDS = 6
"""This many words in a row from an example are not a coincidence."""


def copies(text: str, examples: Iterable[str]) -> bool:
    """Whether a text contains six words in a row from an example, or all of a shorter example.

    Example:
        >>> copies("Check it, and take the index -1 instead of 0.", ["Take the index -1 instead of 0."])
        True
    """
    said = f" {' '.join(text.lower().split())} "
    for example in examples:
        words = example.lower().split()
        for start in range(max(1, len(words) - _WORDS + 1)):
            if f" {' '.join(words[start : start + _WORDS])} " in said:
                return True
    return False
