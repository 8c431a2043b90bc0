"""Works out sums that stand in the place of a number, `2 * 45`, as small models write them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from fractions import Fraction

_NUMBER = r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?"
_PART = rf"\({{0,3}}{_NUMBER}\){{0,3}}"
# Without spaces it may be a date or a fraction.
_SUM = re.compile(rf"(?P<sum>{_PART}(?: [-+*/] {_PART}){{1,20}})(?: = (?P<total>{_NUMBER}))?")
_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: Fraction.__add__,
    ast.Sub: Fraction.__sub__,
    ast.Mult: Fraction.__mul__,
    ast.Div: Fraction.__truediv__,
}


def worked_out(written: str) -> int | float | None:
    """The value of a sum; None of anything else, and of one with a wrong total, for nobody knows what is meant.

    Example:
        >>> worked_out("2 * (45 + 1)"), worked_out("2 + 2 = 5")
        (92, None)
    """
    found = _SUM.fullmatch(written)
    if found is None:
        return None
    try:
        value = _value(ast.parse(found["sum"], mode="eval").body, found["sum"])
    except (SyntaxError, ZeroDivisionError):
        return None
    if value < 0 and re.match(r"\d[\d.]* -[^(]*\Z", found["sum"]):
        # "10 - 12" are pages, or years.
        return None
    if found["total"] and Fraction(found["total"]) != value:
        return None
    return value.numerator if value.denominator == 1 else float(value)


def _value(part: ast.expr, written: str) -> Fraction:
    if isinstance(part, ast.BinOp):
        return _OPERATORS[type(part.op)](_value(part.left, written), _value(part.right, written))
    if isinstance(part, ast.UnaryOp):
        return -_value(part.operand, written)
    # As it is written: a float would not be exact.
    return Fraction(written[part.col_offset : part.end_col_offset])
