"""How deep JSON is nested: Python reads more levels than it can always write, show or compare again."""

from __future__ import annotations

from typing import Any, cast


def deeper_than(levels: int, value: object) -> bool:
    """Whether lists and objects are nested in more than so many levels.

    Example:
        >>> deeper_than(2, {"a": [1]}), deeper_than(1, {"a": [1]})
        (False, True)
    """
    # Level by level: a function that called itself would meet the very limit that it is here to keep others from.
    level: list[Any] = [value] if isinstance(value, (dict, list)) else []
    for _ in range(levels):
        level = [
            item
            for held in level
            for item in (cast("dict[str, Any]", held).values() if isinstance(held, dict) else cast("list[Any]", held))
            if isinstance(item, (dict, list))
        ]
    return bool(level)
