"""Calls that a user's words do not want: what the model is told in place of them."""

from __future__ import annotations

import pytest
from thoughtgraph.tests.support.commands import becomes

_CAT = "/todo add worm the cat"
_PRESENT = "/todo add wrap Sylvester's present"
_TILER = ("/schedule add Tiler --at 2026-03-13 08:00", "/schedule add Window fitter --at 2026-03-17 14:00")


def hint_of(said: str, command: str, *setup: str, before: str = "") -> str:
    """What the model is told in place of a call; "" where the call is made."""
    against = becomes(said, command, *setup, before=before)[1]
    return against.hint or against.question if against else ""


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("today I shall just sit in the sun with the cat. no orders", "/todo done worm the cat", _CAT),
        ("today I shall just sit in the sun with the cat. no orders", "/todo rm worm the cat", _CAT),
        ("a quiet day with the cat, so no requests from me", "/todo done worm the cat", _CAT),
        ("Don't put anything in for Friday just yet. Sylvester hasn't answered", "/todo done 1", _PRESENT),
        ("please don't book anything for Sylvester yet", "/todo rm wrap Sylvester's present", _PRESENT),
        ("Hold off on booking anything for Sylvester's birthday", "/todo done 1", _PRESENT),
    ],
)
def test_nothing_is_done_for_who_wants_nothing(said: str, command: str, setup: str) -> None:
    assert "nothing is to be done" in hint_of(said, command, setup)


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("I just wormed the cat", "/todo done worm the cat", _CAT),
        ("just wormed the cat, phew", "/todo done worm the cat", _CAT),
        ("Don't put anything in for Friday, and cancel Sylvester's present", "/todo rm 1", _PRESENT),
        ("drop Sylvester's present from my list. don't book anything", "/todo rm 1", _PRESENT),
        ("the vet moved the cat to 4, so don't book anything then", "/schedule edit cat --at 16:00",
         "/schedule add cat to the vet --at 2026-03-13 15:00"),
        ("the wormer takes no orders, scrap the cat thing", "/todo rm worm the cat", _CAT),
    ],
)  # fmt: skip
def test_news_and_orders_beside_such_words_are_carried_out(said: str, command: str, setup: str) -> None:
    assert not hint_of(said, command, setup)


@pytest.mark.parametrize(
    "said",
    [
        "Skip's been picked up. Shove the tiler to Tuesday same time",
        "bump the tiler to tuesday would you",
        "can you nudge the tiler along to tuesday",
    ],
)
def test_an_appointment_that_is_shoved_to_a_day_is_moved(said: str) -> None:
    assert "/schedule edit 1 --at 2026-03-17" in hint_of(said, "/schedule rm Tiler", *_TILER)


@pytest.mark.parametrize(
    "said", ["nudge the tiler to send the quote on tuesday", "shove a reminder about the tiler on for tuesday"]
)
def test_who_is_nudged_to_do_something_is_not_moved(said: str) -> None:
    assert "--at" not in hint_of(said, "/schedule rm Tiler", *_TILER)


def test_the_words_that_shove_an_appointment_are_no_todo() -> None:
    said = "Shove the tiler to Tuesday same time, oh and we're out of grout"
    assert "/schedule edit 1" in hint_of(said, "/todo add shove the tiler to Tuesday same time", *_TILER)
    for duty in ("nudge the tiler about the grout", "nudge the tiler to send the quote"):
        assert not hint_of(f"todo: {duty}", f"/todo add {duty}", *_TILER)


_GARY = (
    "/schedule add Gary's leaving do --at 2026-03-20 18:00",
    "/todo add call Anna",
    "/todo add water Mr Plum's ferns",
)


@pytest.mark.parametrize(
    ("said", "command", "becomes_this"),
    [
        ("You have me at Gary's leaving do. There is no Gary. He's called Garth", "/schedule rm 1",
         "/schedule edit 1 Garth's leaving do"),
        ("You wrote Gary's leaving do. He's actually called Garth", "/schedule edit 1 Garth",
         "/schedule edit 1 Garth's leaving do"),
        ("the leaving do. there's no Gary, his name is Osbert", "/schedule rm Gary's leaving do",
         "/schedule edit 1 Osbert's leaving do"),
        ("that's not Mr Plum with the ferns, he's called Ash", "/todo done 2", "/todo edit 2 water Mr Ash's ferns"),
    ],
)  # fmt: skip
def test_a_name_that_is_put_right_renames_the_entry(said: str, command: str, becomes_this: str) -> None:
    assert becomes_this in hint_of(said, command, *_GARY)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Delete Gary's leaving do, the new boss is called Garth and cancelled it", "/schedule rm 1"),
        ("Gary's leaving do is off. his sister is called Gerry by the way", "/schedule rm 1"),
        ("Gary's leaving do is at 8 now, and his boss is called Garth", "/schedule edit 1 --at 20:00"),
        ("he's called Anna, tick it off", "/todo done call Anna"),
        ("the dentist called Anna back, done", "/todo done 1"),
    ],
)
def test_a_name_in_passing_renames_nothing(said: str, command: str) -> None:
    assert not hint_of(said, command, *_GARY)


_FLAT = (
    "/schedule add Van hire --at 2026-03-21 08:00 --place Quarry Road",
    "/schedule add Flat viewing --at 2026-03-12 18:00 --place 14 Quarry Road",
)
_FLAT_ADDED = (
    "User: flat viewing thurs 6pm, 14 quarry road\nAssistant: It is in your calendar.\n(What was done: /schedule add "
    "Flat viewing --at 2026-03-12 18:00 --place 14 Quarry Road → Added appointment 2: Flat viewing, Thu 2026-03-12 "
    "18:00-19:00, at 14 Quarry Road.)"
)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("*Quarry LANE. i mix those two up every time", "/schedule edit 2 Quarry LANE"),
        ("*Quarry LANE. i mix those two up every time", "/schedule edit 2 --place Quarry LANE"),
        ("*Quarry LANE. i mix those two up every time", "/schedule edit 1 Quarry LANE"),
        ("*Quarry LANE. i mix those two up every time", "/schedule add Quarry LANE"),
        ("*14 Quarry Lane", "/schedule edit 2 14 Quarry Lane"),
        ("sorry, quarry lane, not road", "/schedule edit 2 quarry lane"),
        ("I meant Quarry Lane", "/schedule edit 2 Quarry Lane"),
    ],
)
def test_a_correction_of_the_place_changes_no_text(said: str, command: str) -> None:
    assert "/schedule edit 2 --place 14 Quarry Lane" in hint_of(said, command, *_FLAT, before=_FLAT_ADDED)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("*Quarry Lane. i mix those two up every time", "/schedule edit 2 --place 14 Quarry Lane"),
        ("*Room viewing", "/schedule edit 2 Room viewing"),
        ("call it the Quarry Road viewing", "/schedule edit 2 Quarry Road viewing"),
        ("rename it to Quarry Lane flat", "/schedule edit 2 Quarry Lane flat"),
        ("it's at the town hall now", "/schedule edit 2 --place town hall"),
        ("the van hire is at Quarry Lane", "/schedule edit 1 --place Quarry Lane"),
        ("*Thurs 7pm", "/schedule edit 2 --at 19:00"),
    ],
)
def test_other_changes_of_a_text_or_a_place_stand(said: str, command: str) -> None:
    assert not hint_of(said, command, *_FLAT, before=_FLAT_ADDED)


_PENS = (
    "/todo add order ear tags",
    "/todo add muck out the lambing pens",
    "/todo add write up the lambing records",
    "/todo done 2",
)
_PENS_DONE = (
    "User: that's the lambing pens done\nAssistant: Mucking out the lambing pens is ticked off.\n(What was done: /todo "
    "done 2 → Done: 2: muck out the lambing pens.)"
)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("No no, sorry, it was the records I'd finished. The pens are still a midden.", "/todo done 2"),
        ("No no, it was the records. The pens are still a midden.", "/todo add muck out the lambing pens"),
        ("oh no, the pens aren't done. only the records", "/todo done muck out the lambing pens"),
        ("wrong one, sorry: not the pens, the records", "/todo done 2"),
        ("the pens still need doing, I meant the records", "/todo done 2"),
    ],
)
def test_what_was_ticked_off_by_mistake_is_opened_again(said: str, command: str) -> None:
    assert "/todo undo 2" in hint_of(said, command, *_PENS, before=_PENS_DONE)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("yes the pens are done", "/todo done 2"),
        ("it was the records I'd finished", "/todo done 3"),
        ("add mucking out the lambing pens again for friday", "/todo add muck out the lambing pens --due friday"),
        ("the pens still need disinfecting", "/todo add disinfect the lambing pens"),
        ("the records are not done and never will be, delete them", "/todo rm 3"),
        ("isn't the record thing finished? it is, tick it off", "/todo done 3"),
    ],
)
def test_other_news_of_what_is_ticked_off_stands(said: str, command: str) -> None:
    assert not hint_of(said, command, *_PENS, before=_PENS_DONE)


def test_what_is_not_done_is_not_ticked_off() -> None:
    assert "Leave it" in hint_of("the lambing records aren't done", "/todo done 3", *_PENS)


_INVOICE = "/todo add send Henderson Ltd the invoice --due 2026-03-16"


@pytest.mark.parametrize(
    "command", ["/todo edit 1 --due mon", "/todo add send Henderson Ltd the invoice", "/todo done 1"]
)
def test_who_wants_a_change_and_leaves_open_which_is_asked(command: str) -> None:
    said = "Henderson Ltd have been trading under a different name since Monday. Correct that on my list please"
    against = becomes(said, command, _INVOICE)[1]
    assert against
    assert "/todo done" not in against.hint
    assert "Henderson" in against.question or "/todo edit 1" in against.question


def test_who_says_what_an_entry_is_already_is_not_asked() -> None:
    against = becomes("the Henderson invoice goes out on monday", "/todo edit 1 --due mon", _INVOICE)[1]
    assert against is None or not against.question


_OUT = "Skip's been picked up so that's that. Shove the tiler to Tuesday same time, oh and we're out of grout, list"


@pytest.mark.parametrize(
    ("said", "command", "becomes_this"),
    [
        (_OUT, "/todo add list", "/todo add grout"),
        ("dishwasher tablets, list please", "/todo add list", "/todo add dishwasher tablets"),
        (_OUT, "/todo add grout", "/todo add grout"),
        ("todo: shopping list", "/todo add shopping list", "/todo add shopping list"),
        ("print the price list, that's it", "/todo add price list", "/todo add price list"),
    ],
)
def test_list_alone_is_an_order_and_no_text(said: str, command: str, becomes_this: str) -> None:
    assert becomes(said, command) == (becomes_this, None)


def test_the_question_that_the_model_was_told_is_no_text() -> None:
    question = "what should be on the todo list?"
    assert hint_of("make a list", "/todo add list") == question
    assert hint_of("make a list", "/todo add what should be on the todo list") == question
    assert not hint_of("put down what to do when: the boiler leaks", "/todo add what to do when the boiler leaks")


def test_what_has_been_picked_up_is_done_and_not_removed() -> None:
    skip = "/todo add get the skip picked up"
    assert becomes(_OUT, "/todo rm get the skip picked up", skip)[0] == "/todo done 1"
    assert becomes("the skip is picked up", "/todo rm 1", skip)[0] == "/todo done 1"
    assert becomes("the skip won't be picked up, scrap that", "/todo rm 1", skip) == ("/todo rm 1", None)
    assert becomes("drop the skip from my list, it's been a long day", "/todo rm 1", skip) == ("/todo rm 1", None)


@pytest.mark.parametrize(
    ("said", "at", "thing"),
    [
        (
            "Lachlan looks at the dartboard tonight at 8, put him in",
            "2026-03-11 20:00",
            "Lachlan looks at the dartboard",
        ),
        ("Dinner with Cleo on Friday at seven, put that in my calendar", "2026-03-13 19:00", "Dinner with Cleo"),
        ("please add supper with Bo on Friday at seven", "2026-03-13 19:00", "supper with Bo"),
        ("supper with Bo is on Friday at seven. Note it", "2026-03-13 19:00", "supper with Bo"),
        ("周五七点跟老王吃饭，记一下", "2026-03-13 19:00", "跟老王吃饭"),
    ],
)
def test_something_new_is_no_other_time_of_an_entry_that_nobody_named(said: str, at: str, thing: str) -> None:
    quiz = (
        "/schedule add 瑜伽 --at 2026-03-13 20:00" if thing[0] == "跟" else "/schedule add Quiz --at 2026-03-12 20:00"
    )
    asked = becomes(said, f"/schedule edit 1 --at {at}", quiz)[1]
    assert asked is not None
    assert asked.hint.endswith(f"/schedule add {thing} --at {at}")
    assert not asked.at_once
    assert asked.completed("yes" if thing[0] != "跟" else "好") == f"/schedule add {thing} --at {at}"


@pytest.mark.parametrize(
    "said",
    [
        "the quiz is on Friday at seven, put that in",
        "move the thing on Thursday to Friday at seven",
        "Friday at seven, note that",
        "the one on Thursday is on Friday at seven",
    ],
)
def test_another_time_of_an_entry_is_no_new_one(said: str) -> None:
    asked = becomes(said, "/schedule edit 1 --at 2026-03-13 19:00", "/schedule add Quiz night --at 2026-03-12 20:00")[1]
    assert asked is None or "/schedule add" not in asked.hint


BOAT = ("/todo add varnish the boat", "/todo add read Middlemarch", "/todo add 给船刷漆")


@pytest.mark.parametrize(
    "said",
    [
        "My grandson said his first word yesterday, 'boat' of all things! Made my whole week.",
        'she called it a "boat", can you believe it',
        "The film 'Boat of Fools' was awful",
        "My sister paints, and “the little boat” hangs in a gallery now",
    ],
)
@pytest.mark.parametrize("command", ["/todo add varnish the boat", "/todo done varnish the boat", "/todo rm 1"])
def test_a_word_of_an_entry_in_a_quotation_is_no_news_of_it(said: str, command: str) -> None:
    asked = becomes(said, command, *BOAT)[1]
    assert asked is not None
    assert asked.hint.startswith("The user only quotes a word of this")
    assert not asked.question


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("'boat' is done", "/todo done 1"),
        ("tick off 'boat'", "/todo done 1"),
        ('"varnish the boat" - all shiny now', "/todo done 1"),
        ("'Ahoy!' he cried, for the boat shines again", "/todo done 1"),
        ("'Middlemarch' was wonderful", "/todo done 2"),
        ('bump "varnish the boat" up to the top', "/todo edit 1 --priority high"),
        ("please delete 'boat'", "/todo rm 1"),
    ],
)
def test_what_is_quoted_may_name_an_entry(said: str, command: str) -> None:
    assert becomes(said, command, *BOAT) == (command, None)
