"""Puts what a reply wrote again into the JSON that was there: what was right stays, and what was wrong is replaced."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

Path = tuple[int | str, ...]
_MOST_GONE = 20
"""Fields of which each is tried to be left out: a hostile object may have any number."""
_MOST_COMPARED = 100_000
"""Pairs of items of two lists that are compared."""


def mergers(kept: Any, written: Any, wrong: Collection[Path] = (), misnamed: Collection[Path] = ()) -> Iterator[Any]:
    """What a reply may mean that writes a part of a value again, the likeliest first.

    That is the kept value with the fields that are written, at any depth; then with each object as it is written that
    was wrong as a whole; then with every field of the top as it is written. Where the value was wrong as a whole,
    something may have had to go: then it comes without one of the fields that are not written, and the reply alone.

    A list with a wrong item is written with all its items, or with the wrong ones alone. One that may be either and
    lacks right items stays as it was: its wrong items are asked for again, and none is lost.

    Args:
        kept: the value of an earlier reply.
        written: that of the next one.
        wrong: the paths in `kept` of what was wrong with it, as `place_of` gives them; `()` for the value as a whole.
        misnamed: of fields with a wrong name, which go where their object is written again.

    Example:
        >>> next(mergers({"a": {"b": 1, "c": "x"}}, {"a": {"c": 2}}, [("a", "c")]))
        {'a': {'b': 1, 'c': 2}}
        >>> next(mergers({"a": [{"b": 1, "c": "x"}, {"b": 2, "c": 3}]}, {"a": [{"c": 4}]}, [("a", 0, "c")]))
        {'a': [{'b': 1, 'c': 4}, {'b': 2, 'c': 3}]}
    """
    kept = without(kept, [path for path in misnamed if path[:-1] and place_of(written, path[:-1]) == path[:-1]])
    unclear: list[Any] = []
    likeliest = _merged(kept, written, wrong, unclear, whole=False)
    yield likeliest
    if unclear:
        return
    replaced = _merged(kept, written, [path for path in wrong if path], unclear, whole=True)
    if replaced != likeliest:
        yield replaced
    if isinstance(kept, dict) and isinstance(written, dict):
        shallow = {**cast("dict[str, Any]", kept), **cast("dict[str, Any]", written)}
        if shallow != likeliest:
            yield shallow
    if () in wrong and isinstance(replaced, dict):
        fields = cast("dict[str, Any]", replaced)
        for gone in [name for name in fields if name not in written][:_MOST_GONE]:
            yield {name: field for name, field in fields.items() if name != gone}
        yield written


def _merged(kept: Any, written: Any, wrong: Collection[Path], unclear: list[Any], *, whole: bool) -> Any:
    if whole and () in wrong:
        return written
    below = _below(wrong)
    if isinstance(kept, dict) and isinstance(written, dict):
        old, new = cast("dict[str, Any]", kept), cast("dict[str, Any]", written)
        return old | {
            name: _merged(old[name], field, below.get(name, ()), unclear, whole=whole) if name in old else field
            for name, field in new.items()
        }
    if isinstance(kept, list) and isinstance(written, list):
        return _items(cast("list[Any]", kept), cast("list[Any]", written), below, unclear, whole=whole)
    return written


def _items(
    old: list[Any], new: list[Any], below: Mapping[int | str, Sequence[Path]], unclear: list[Any], *, whole: bool
) -> list[Any]:
    """The items of a list; those that were wrong may be written alone, or among all."""
    mended = sorted(place for place in below if isinstance(place, int) and place < len(old))
    right = [item for place, item in enumerate(old) if place not in below]
    few = len(new) * len(right) < _MOST_COMPARED
    alone = few and len(new) == len(mended) < len(old) and not any(item in right for item in new)
    # Else it may be in another order, or without what was wrong.
    among = len(new) == len(old) and [item for place, item in enumerate(new) if place not in below] == right
    if mended and not alone and len(new) < len(old) and not (few and all(item in new for item in right)):
        unclear.append(old)
        return old
    if not mended or not (alone or among):
        return new
    items = list(old if alone else new)
    for number, place in enumerate(mended):
        items[place] = _merged(old[place], new[number if alone else place], below[place], unclear, whole=whole)
    return items


def _below(paths: Collection[Path]) -> dict[int | str, list[Path]]:
    """The paths by their first part, without it."""
    below: dict[int | str, list[Path]] = {}
    for path in paths:
        if path:
            below.setdefault(path[0], []).append(path[1:])
    return below


def known_parts(value: Any, path: Path) -> int:
    """How many parts of a path lead through a value, before one that is no part of it."""
    for number, part in enumerate(path):
        if not _has(value, part):
            return number
        value = value[part]
    return len(path)


def _has(value: Any, part: int | str) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(cast("list[Any]", value))


def place_of(value: Any, path: Path, *, missing: bool = False) -> Path:
    """The path of an error as it leads through a value.

    What is no part of the value is left out, such as the name of one of several types.

    Args:
        value: that the error is about.
        path: as the error has it.
        missing: the last part is the name of a field that is missing, and stays.

    Example:
        >>> place_of({"pet": {"lives": "x"}}, ("pet", "cat", "lives"))
        ('pet', 'lives')
    """
    found: list[int | str] = []
    for number, part in enumerate(path, 1):
        if _has(value, part):
            value = value[part]
        elif not missing or number < len(path):
            continue
        found.append(part)
    return tuple(found)


def without(value: Any, gone: Collection[Path]) -> Any:
    """A value without the fields at some paths.

    Example:
        >>> without({"a": {"b": 1, "c": 2}}, [("a", "c")])
        {'a': {'b': 1}}
    """
    below = _below(gone)
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        left = {name: field for name, field in fields.items() if () not in below.get(name, ())}
        return {name: without(field, below.get(name, ())) for name, field in left.items()}
    if isinstance(value, list):
        return [without(item, below.get(place, ())) for place, item in enumerate(cast("list[Any]", value))]
    return value
