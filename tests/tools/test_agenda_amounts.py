"""What belongs into the text of a new entry, such as an amount, and what does not, such as its day and time."""

from __future__ import annotations

import pytest
from support.commands import becomes


@pytest.mark.parametrize(
    ("said", "text", "made"),
    [
        ("3 tubs of grout from Haddows want to go on my list", "grout from Haddows", "3 tubs of grout from Haddows"),
        ("can you put 6 eggs on my list", "buy eggs", "buy 6 eggs"),
        ("we need 2kg of plain flour, put it down", "buy plain flour", "buy 2kg of plain flour"),
        ("get half a dozen eggs pls", "buy some eggs", "buy half a dozen eggs"),
        ("a couple of bags of compost please", "compost", "a couple of bags of compost"),
        ("buy a litre of milk", "buy milk", "buy a litre of milk"),
        ("order 50 chairs for the hall", "order chairs for the hall", "order 50 chairs for the hall"),
    ],
)
def test_an_amount_that_is_left_out_is_put_back(said: str, text: str, made: str) -> None:
    assert becomes(said, f"/todo add {text}") == (f"/todo add {made}", None)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        # No amount of it.
        ("remind me to mark the ward 6 charts", "mark the charts"),
        ("I need to mark the year 9 essays", "mark the essays"),
        ("the end of term report needs writing, list", "write the term report"),
        ("a week of leave needs booking, put it on my list", "book leave"),
        ("a friend of Eva needs the key, put it on my list: give Eva the key", "give Eva the key"),
        ("a bit of paint would do the shed good, on my list", "paint the shed"),
        # It is there, or might be of one or of another.
        ("buy 6 eggs", "buy 6 eggs"),
        ("buy 2 bags of sand and 3 tins of sand paint", "buy sand"),
    ],
)
def test_another_number_is_no_amount(said: str, text: str) -> None:
    assert becomes(said, f"/todo add {text}")[0] == f"/todo add {text}"


def test_a_detail_without_an_option_of_its_own_stands_in_the_text() -> None:
    said = "Oh and nappies on the list, size 3"
    assert becomes(said, "/todo add nappies --size 3") == ("/todo add nappies size 3", None)
    assert becomes(said, "/todo add nappies --size 3 --priority low")[0] == "/todo add nappies size 3"


@pytest.mark.parametrize("option", ["--size 4", "--colour blue", "--list 3"])
def test_a_detail_that_nobody_gave_is_left_to_the_tool(option: str) -> None:
    assert becomes("nappies on the list, size 3", f"/todo add nappies {option}")[0] == f"/todo add nappies {option}"


@pytest.mark.parametrize(
    ("said", "text", "made"),
    [
        (
            "put down for tomorrow that I ask the school for her homework",
            "put down for tomorrow that I ask the school for her homework",
            "ask the school for her homework",
        ),
        ("note down for friday that we must thaw the stock", "note down for friday that we must thaw", "thaw"),
        ("put down tomorrow's menu on my list", "put down tomorrow's menu", "put down tomorrow's menu"),
    ],
)
def test_the_day_for_which_it_is_put_down_is_no_part_of_the_text(said: str, text: str, made: str) -> None:
    assert becomes(said, f"/todo add {text}")[0] == f"/todo add {made}"


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        ("call Eva tomorrow at 5", "/todo add call Eva tomorrow at 5", "/todo add call Eva --due 2026-03-12 17:00"),
        ("dentist tomorrow at 5", "/todo add dentist tomorrow at 5", "/schedule add dentist --at 2026-03-12 17:00"),
        ("haircut friday half 3", "/todo add haircut --due friday 15:30", "/schedule add haircut --at friday 15:30"),
        (
            "remind me to ring Bo on monday at half past nine",
            "/todo add ring Bo on monday at half past nine",
            "/todo add ring Bo --due 2026-03-16 09:30",
        ),
        ("明天下午五点看牙", "/todo add 看牙 明天下午五点", "/todo add 看牙 --due 2026-03-12 17:00"),
        # The moment of something else; a day alone may be that, too; nothing that nobody said.
        ("buy a ticket for friday 8 pm", "/todo add buy a ticket for friday 8 pm", None),
        ("ring Bo on monday", "/todo add ring Bo on monday", None),
        ("call Eva", "/todo add call Eva tomorrow at 5", None),
        # A duty about an occasion.
        ("confirm the dentist tomorrow at 5", "/todo add confirm the dentist --due tomorrow 17:00", None),
    ],
)
def test_the_moment_at_the_end_of_a_text_is_that_of_the_entry(said: str, command: str, made: str | None) -> None:
    assert becomes(said, command)[0] == (made or command)
