"""Finds out whether a text that is being written runs in circles: its end is one piece, repeated without variation.

Small models do that until the output cap stops them. A text whose last characters repeat with a period contains the
same characters one period earlier, so one search finds any period up to a limit. It is made over ends of growing
length, each once in half of its length: the work grows with the text and no faster.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

_REPEATS = 12
"""Least repetitions in a row; a refrain, a row of a table or a line of code comes back less often, and varies."""
_LENGTHS = tuple(600 << doubled for doubled in range(8))
"""Characters that the repetitions cover; the longest piece that is found has a twelfth of the last."""
_STEP = _LENGTHS[0] // 2
_PUNCTUATED = 1 / 5
"""A piece with more digits and punctuation is a row of data."""
_LONGEST_VALUE = 16
"""So is one with a separator for so many characters, on average."""
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Circle:
    """Where a text runs in circles.

    Attributes:
        start: the position at which the first copy begins, in whole lines if there are any.
        period: characters of one copy.
        shown: the copy in one line, cut short; "" if it is white space.
    """

    start: int
    period: int
    shown: str


def circle_in(text: str) -> Circle | None:
    """The circle in which a text ends, or None.

    Prose and code count as circling when the same characters come 12 times in a row and cover 600 characters. Where
    equal rows are common in good texts, it takes more: one character 2,400, rows of data and columns of values 4,800,
    and what has no words 19,200.

    Args:
        text: a reply, or what has arrived of it.

    Example:
        >>> circle_in("Yes. " + "I will check it again. " * 40).shown
        'I will check it again.'
        >>> circle_in("| 0 | 0 | 0 |\\n" * 60)
    """
    period = next((found for length in _LENGTHS if (found := _period(text, length, length))), 0)
    if not period:
        return None
    unit = text[-period:]
    start = len(text) - period
    while start >= period and text.startswith(unit, start - period):
        start -= period
    while start and text[start - 1] == text[start - 1 + period]:
        start -= 1
    for boundary in ("\n", " "):
        if start and boundary in unit:
            start = text.find(boundary, start - 1, start + period) + 1
            break
    shown = " ".join(text[start : start + period].split())
    return Circle(start, period, shown if len(shown) <= _SHOWN else shown[:_SHOWN] + " …")


class Watch:
    """Watches a text while it arrives, for `circle_in`.

    It demands an eighth more than `circle_in`, which still finds the circle after white space was taken off the text.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._new = 0
        self._blocks: deque[str] = deque()
        self._kept = 0
        self._seen = 0
        self._due = {length: _further(length) for length in _LENGTHS}

    def circles(self, piece: str) -> bool:
        """Take in a piece, and say whether the text runs in circles now."""
        self._pieces.append(piece)
        self._new += len(piece)
        if self._new < _STEP:
            return False
        self._blocks.append("".join(self._pieces)[-_further(_LENGTHS[-1]) :])
        self._pieces.clear()
        self._kept += len(self._blocks[-1])
        self._seen += self._new
        self._new = 0
        while self._kept - len(self._blocks[0]) >= _further(_LENGTHS[-1]):
            self._kept -= len(self._blocks.popleft())
        return any(self._checked(length) for length, due in self._due.items() if self._seen >= due)

    def _checked(self, length: int) -> bool:
        self._due[length] = self._seen + length // 2
        end: list[str] = []
        left = _further(length)
        for block in reversed(self._blocks):
            end.append(block[-left:])
            left -= len(end[-1])
            if not left:
                break
        return bool(_period("".join(reversed(end)), length, _further(length)))


def _further(length: int) -> int:
    return length + length // 8


def _period(text: str, length: int, window: int) -> int:
    """The period of the last characters of a text; 0 if there is none, or if such a piece may well come that often.

    Args:
        text: the text.
        length: the characters that have to repeat 12 times or more.
        window: the characters that are looked at, at least as many.
    """
    start = len(text) - window
    longest = length // _REPEATS
    if start < 0:
        return 0
    found = text.find(text[start + longest :], start, len(text) - 1)
    if found < 0:
        return 0
    unit = text[found - start - longest :]
    period = (unit + unit).find(unit, 1)
    return period if length >= _enough(unit[:period]) else 0


def _enough(unit: str) -> int:
    """How many characters the copies of a piece have to cover, by how common such copies are in good texts."""
    if len(unit) == 1 or unit.isspace():
        return 2_400
    letters = {character for character in unit.lower() if character.isalpha()}
    if len(letters) < 2:
        return 19_200
    visible = "".join(unit.split())
    data = sum(not character.isalpha() for character in visible)
    separators = sum(map(unit.count, ",;|\t"))
    if data > _PUNCTUATED * len(visible) or separators * _LONGEST_VALUE > len(unit) or _is_column(unit):
        return 4_800
    return 600


def _is_column(unit: str) -> bool:
    """Whether no line of the copies has two words: they are values, such as a label for each row, or an encoding."""
    # Twice, since a space at the end of a copy stands before the next one.
    lines = [line for line in (unit * 2).splitlines() if line.strip()]
    if any(len(line.split()) > 1 for line in lines):
        return False
    # A script without capitals may write whole sentences without a space; a value has no marks of punctuation.
    return unit.lower() != unit.upper() or ("\n" in unit and all(line.strip().isalnum() for line in lines))


def once(reply: str) -> str:
    """A reply up to the end of the first copy: a model that reads many copies goes on with them."""
    circle = circle_in(reply)
    return reply[: circle.start + circle.period] if circle else reply
