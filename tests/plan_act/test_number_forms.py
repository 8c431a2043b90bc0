"""The forms in which people and models write numbers, of arguments that are held to what was said."""

from __future__ import annotations

from datetime import datetime

import pytest
from thoughtgraph.tools.calls.grounding import Sources, ungrounded

NOW = datetime(2026, 3, 11, 9)


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("Virez 1 250,50 € à Bo", "1250.50"),
        ("Virez 1\u202f250,50 € à Bo", "1250.5"),
        ("Pay Bo CHF 1'250.50", "1250.5"),
        ("Pay Bo ₹1,50,000", "150000"),
        ("Pay Bo 2.5 million", "2500000"),
        ("ادفع لبو ١٨٫٥٠ ريال", "18.5"),
        ("支付Bo 3万5千元", "35000"),
        ("Pay Bo 18,25 €", "18.25"),
        ("Pay Bo 7", "7.00"),
        ("Come at 18:30", "18.30"),
    ],
)
def test_a_number_is_known_in_every_form(said: str, given: str) -> None:
    assert ungrounded([given], Sources([said]), NOW) == []


@pytest.mark.parametrize(("said", "given"), [("Pay Bo 1 250,50 €", "1520.5"), ("Pay Bo 18,25 €", "18.35")])
def test_another_number_is_not(said: str, given: str) -> None:
    assert ungrounded([given], Sources([said]), NOW) == [given]
