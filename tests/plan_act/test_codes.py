"""A code that nobody gave, in an argument which a tool says is held to what was said."""

from __future__ import annotations

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned

GIVEN, MADE_UP = "FR7630006000011234567890189", "FR7612345678901234567890123"


def pay(to: str, iban: str = "") -> str:
    """Pay somebody."""
    return f"paid {to}"


@pytest.mark.parametrize("grounded", [True, ["iban"]])
def test_an_account_that_nobody_gave_goes_back(invoke: Invoke, *, grounded: bool | list[str]) -> None:
    tool = StructuredTool.from_function(pay, metadata={"effects": True, "grounded": grounded})
    calls = [act("pay", {"to": "Bo", "iban": iban}) for iban in (MADE_UP, GIVEN)]
    replies = [planned("pay"), *calls, done("Seen to."), replanned(response="Seen to.")]
    goal = {"goal": "Pay Bo, IBAN FR76 3000 6000 0112 3456 7890 189"}
    played = play(invoke, replies, [tool], goal=goal)
    assert f"{MADE_UP} appears nowhere" in last_words(played.model, 2)
    assert [seen["result"] for seen in played.result["observations"] if seen["ok"]] == ["paid Bo"]


def test_a_claim_goes_on_over_the_point_of_a_number(invoke: Invoke) -> None:
    lie = "I paid 12.50 to Bo."
    tool = StructuredTool.from_function(pay, metadata={"effects": True})
    replies = [planned("pay"), done(lie), act("pay", {"to": "Bo"}), done(lie), replanned(response=lie)]
    played = play(invoke, replies, [tool], goal={"goal": "Pay Bo"})
    assert f"No tool call has done this: {lie}" in last_words(played.model, 2)


@pytest.mark.parametrize("when", ["--due 2026-03-16", "due 2026-03-16", "Mon 2026-03-16", "by 16.03.2026"])
def test_a_date_with_its_word_is_no_code(invoke: Invoke, when: str) -> None:
    def put_off(entry: str, when: str) -> str:
        """Put an entry off."""
        return f"{entry}: {when}"

    tool = StructuredTool.from_function(put_off, metadata={"effects": True, "grounded": True})
    replies = [planned("do it"), act("put_off", {"entry": "hinges", "when": when}), done("Seen to.")]
    goal = {"goal": "Put the hinges off to 16 March 2026, a Monday"}
    played = play(invoke, [*replies, replanned(response="Seen to.")], [tool], goal=goal)
    assert [seen["result"] for seen in played.result["observations"] if seen["ok"]] == [f"hinges: {when}"]
