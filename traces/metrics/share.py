"""Counts with what they leave uncertain."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`, with its 95 % interval.

    Example:
        >>> str(Share(18, 44))
        '18/44, 41% (28%–56%)'
    """

    count: int
    of: int

    @property
    def value(self) -> float:
        """0 to 1; 0 where there is nothing to take a share of."""
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson 1927), also right for small numbers and for none or all; (0, 1) of nothing."""
        if not self.of:
            return 0.0, 1.0
        z, n = 1.96, self.of
        center = (self.value + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(self.value * (1 - self.value) / n + z * z / (4 * n * n))
        return max(0.0, center - half), min(1.0, center + half)

    def overlaps(self, other: Share) -> bool:
        """Whether the two intervals have something in common."""
        (low, high), (other_low, other_high) = self.interval, other.interval
        return low <= other_high and other_low <= high

    def __str__(self) -> str:
        if not self.of:
            return "–"
        low, high = self.interval
        return f"{self.count}/{self.of}, {self.value:.0%} ({low:.0%}–{high:.0%})"


def sign_test(fixed: int, broken: int) -> float:
    """How likely a split at least this uneven would be if both directions were equally likely (two-sided, exact).

    For two conditions over the same tasks: `fixed` are solved by the second alone, `broken` by the first alone.

    Example:
        >>> sign_test(6, 0)
        0.03125
    """
    n = fixed + broken
    tail = sum(comb(n, k) for k in range(min(fixed, broken) + 1)) / 2**n
    return min(1.0, 2 * tail)
