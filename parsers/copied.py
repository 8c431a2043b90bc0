"""Whether a reply gives back a prompt's own example: small models do, whole or in part, and it says nothing."""

from __future__ import annotations

from collections.abc import Iterable

_WORDS = 6
"""So many words in a row, of an example, are no coincidence."""


def copies(text: str, examples: Iterable[str]) -> bool:
    """Whether a text contains six words in a row of an example, or the whole of a shorter one.

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
