"""What a request has in common with others beside words: questions, news, and what is called off or moved."""

from __future__ import annotations

import pytest
from thoughtgraph.nodes.plan_act.plans.covered import only_asks
from thoughtgraph.tools.likeness import reports, traits


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("have i sent the invoice yet", True),
        ("Did I pay the rent", True),
        ("so did we book the hall", True),
        ("is Eva coming", True),
        ("are there eggs on the list", True),
        ("any appointments tomorrow", True),
        ("ok and why is the dentist on friday", True),
        ("What is left?", True),
        ("do the dishes tomorrow", False),
        ("have the car washed on monday", False),
        ("was at the dentist already", False),
        ("has to be done by friday: taxes", False),
        ("any day is fine, book the gym", False),
        ("I sent the invoice, is all", False),
        ("had the tyres changed", False),
        ("did the dishes", False),
        ("ok did that", False),
        ("do you mind adding milk to my list", False),
        ("why don't you add milk", False),
        ("are you able to move the dentist to 4", False),
        ("any milk we have left has to go on the list", False),
        ("any slot after 3 works for me", False),
    ],
)
def test_a_question_needs_no_mark(said: str, asks: bool) -> None:
    assert ("asks" in traits(said)) is asks
    if asks:
        assert reports(said) == frozenset()


@pytest.mark.parametrize("said", ["have i sent the invoice yet", "did I pay the rent", "any appointments tomorrow"])
def test_who_only_asks_wants_no_change(said: str) -> None:
    assert only_asks(said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("the invoice is sent", {"done"}),
        ("I have paid the rent", {"done"}),
        ("the rehearsal is off", {"off"}),
        ("push the dentist to friday", {"moved"}),
        ("the invoice is sent. is there anything else", {"done"}),
    ],
)
def test_news_are_told_from_questions(said: str, told: set[str]) -> None:
    assert reports(said) == told
