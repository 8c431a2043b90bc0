"""What a request has in common with others beside words: questions, news, and what is called off or moved."""

from __future__ import annotations

from datetime import datetime

import pytest
from thoughtgraph.nodes.plan_act.checks.clauses import is_all_questions, only_asks
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.checks.rules import missing_of
from thoughtgraph.tools.likeness import reports, traits
from thoughtgraph.tools.metadata import Told


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
        ("my aunt comes right when we have the recital", False),
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
        ("there won't be one this week", {"off"}),
        ("the match isn't going ahead", {"off"}),
        ("there won't be a problem", set()),
        ("there won't be one free seat left", set()),
        ("I was late, that won't happen again", set()),
        ("the match won't happen", {"off"}),
        ("Trunks: found", {"done"}),
        ("strike that one through", {"done"}),
        ("away with him from the calendar", {"off"}),
        ("push the dentist to friday", {"moved"}),
        ("the invoice is sent. is there anything else", {"done"}),
        ("the invoice has to be sent by friday", set()),
        ("I need to get the forms sent today", set()),
        ("the shed wants sorted", set()),
        ("finally got the forms sent", {"done"}),
        ("作业周五前要写完", set()),
        ("作业写完了", {"done"}),
    ],
)
def test_news_are_told_from_questions(said: str, told: set[str]) -> None:
    assert reports(said) == told


CASES = [
    ("How many jars are left?", "somewhere each all one"),
    ("am i free on tuesday", "somewhere each all one"),
    ("At what hour does the tram leave?", "somewhere each all"),
    ("my aunt has to know: how old is the bridge?", "somewhere each all"),
    ("Was it red or blue, the folder?", "somewhere each one"),
    ("wait, which jars did I mark as empty", "somewhere one"),
    ("The jar? Washed.", ""),
    ("Bin the jars, and what is on tuesday?", "somewhere each"),
    ("Could you add jars?", "somewhere"),
    ("Is there any way you could note that the jars are empty?", "somewhere"),
    ("thanks, that is all", "each"),
    ("add jars", ""),
    ("什么时候开会？", "somewhere each all one"),
    ("帮我看看什么时候开会", "somewhere each all"),
]
"""By the user's words, where a question is: somewhere in them; in each sentence, or a courtesy; in all that is said,
but for the reason; or in one sentence from its first word to its last."""


@pytest.mark.parametrize(("said", "where"), CASES)
def test_there_are_four_ways_to_ask(said: str, where: str) -> None:
    told = Told([said], "", (), datetime(2026, 3, 11, 9, 0))
    with Agenda(":memory:") as agenda:
        held_back = missing_of(agenda, "/todo rm 1", told)
    found = {
        "somewhere": "asks" in traits(said),
        "each": is_all_questions(said),
        "all": only_asks(said),
        "one": held_back is not None and "only asks" in held_back.hint,
    }
    assert {name for name, is_so in found.items() if is_so} == set(where.split())


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("we've just paid the plumber", True),
        ("just been to the vet", True),
        ("I'd just finished the ironing", True),
        ("I shall just sit in the sun", False),
        ("please just leave it", False),
        ("not just yet", False),
        ("just the one for me", False),
        ("the bins have been emptied", True),
        ("Henderson have been trading under another name", False),
        ("she has been ringing all day", False),
        ("the skip's been picked up", True),
        ("it's been a long day", False),
        ("the fair is over", True),
        ("tea straight after the spring fair is over", False),
    ],
)
def test_just_and_been_and_over_tell_of_something_done_only_as_news(said: str, done: bool) -> None:
    assert ("done" in traits(said)) is done
