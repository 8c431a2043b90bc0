"""Works out sums that stand in the place of a number, `2 * 45`, as small models write them."""

from __future__ import annotations

import re
from fractions import Fraction

_NUMBER = r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?"
# Without spaces it may be a date or a fraction.
_SUM = re.compile(rf"(?P<sum>{_NUMBER}(?: [-+*/] {_NUMBER}){{1,20}})(?: = (?P<total>{_NUMBER}))?")


def worked_out(written: str) -> int | float | None:
    """The value of a sum; None of anything else, and of one with a wrong total, for nobody knows what is meant.

    Example:
        >>> worked_out("2 * 45 + 1"), worked_out("2 + 2 = 5")
        (91, None)
    """
    found = _SUM.fullmatch(written)
    if found is None:
        return None
    first, *words = found["sum"].split()
    numbers = [Fraction(first)]
    for operator, word in zip(words[::2], words[1::2], strict=True):
        number = Fraction(word)
        if operator in "*/":
            if operator == "/" and not number:
                return None
            numbers[-1] = numbers[-1] * number if operator == "*" else numbers[-1] / number
        else:
            numbers.append(number if operator == "+" else -number)
    value = sum(numbers)
    if value < 0 and words[0] == "-" and numbers[0] >= 0:
        # "10 - 12" are pages, or years.
        return None
    if found["total"] and Fraction(found["total"]) != value:
        return None
    return value.numerator if value.denominator == 1 else float(value)
