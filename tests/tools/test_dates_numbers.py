"""Numbers as they are written: in every way, and in texts of any length."""

from __future__ import annotations

import time

import pytest
from thoughtgraph.tools.dates.numbers import numbers_in


@pytest.mark.parametrize(
    ("words", "number"),
    [("1,5 million", 1.5e6), ("2.5 million", 2.5e6), ("3万5千", 35_000), ("1.5万", 15_000), ("1 250,50 €", 1250.5)],
)
def test_a_number_is_read_as_it_is_meant(words: str, number: float) -> None:
    assert number in numbers_in(words)


@pytest.mark.parametrize("part", ["1", "1.2", "1 ", "1,", "1万"])
def test_long_texts_are_read_at_once(part: str) -> None:
    began = time.perf_counter()
    numbers_in(part * 20_000)
    # A time that grows with the square is many seconds.
    assert time.perf_counter() - began < 3
