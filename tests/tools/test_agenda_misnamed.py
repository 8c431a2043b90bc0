"""An entry with a wrong name that the user puts right is renamed, whatever a small model makes of the two names."""

import pytest
from support.commands import becomes

FLORIAN = (
    "/schedule add Tutoring Florian --at 2026-03-19 16:00",
    "/todo add mark Ottoline's fractions",
    "/schedule add Tutoring Florian --at 2026-03-16 16:00",
)
BEFORE = (
    "User: tutoring with Florian, Monday at 4 pm\nAssistant: It is in.\n(What was done: /schedule add Tutoring "
    "Florian --at 2026-03-16 16:00 → Added appointment 2: Tutoring Florian, Mon 2026-03-16 16:00-17:00.)"
)
PASSPORT = ("/todo add photos for Casimir's bus pass", "/todo add renew Casimir's passport", "/todo add buy plugs")
ODILE = (
    "The passport thing on my list isn't Casimir's, his is fine, it's Odile's that runs out. Needs doing by the 27th."
)


@pytest.mark.parametrize(
    "said",
    [
        "I've mixed up my pupils. It's Ottoline who comes on Monday, not Florian. Time is right.",
        "Tutoring on Monday is with Ottoline, not Florian",
        "I'm seeing Ottoline instead of Florian on Monday",
        "sorry, Monday is Ottoline, not Florian",
        "monday's not florian, its ottoline",
        "wait, not Florian - I meant Ottoline, on Monday",
        "it isn't Florian on Monday but Ottoline",
        "It's not Florian but Ottoline on Monday, and add milk to my list",
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        "/todo edit 1 mark Ottoline's fractions",
        "/schedule edit 2 Tutoring Ottoline",
        "/schedule edit 1 Tutoring Ottoline",
        "/schedule edit Tutoring Florian --at monday",
        "/schedule add Tutoring Ottoline --at monday 16:00",
    ],
)
def test_the_one_that_is_meant_gets_the_right_name(said: str, call: str) -> None:
    assert becomes(said, call, *FLORIAN, before=BEFORE) == ("/schedule edit 2 Tutoring Ottoline", None)


@pytest.mark.parametrize(
    "call",
    ["done photos for Casimir's bus pass", "edit 2 --due 2026-03-27", "rm 2", "add Odile's passport --due 27th"],
)
def test_its_day_goes_with_it(call: str) -> None:
    assert becomes(ODILE, f"/todo {call}", *PASSPORT) == ("/todo edit 2 renew Odile's passport --due 2026-03-27", None)


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("It's not Florian who's coming on Monday, cancel it", "/schedule rm 2"),
        ("Not Florian on Monday, he's away", "/schedule edit 2 --at tuesday"),
        (
            "add tutoring with Ottoline, not Florian, for Friday at 4",
            "/schedule add Tutoring Ottoline --at friday 16:00",
        ),
        ("Move Florian on Monday to Tuesday, not Ottoline", "/schedule edit 2 --at tuesday"),
        ("cancel Monday, it's not Florian but Ottoline who is ill", "/schedule rm 2"),
        ("It's Ottoline on Monday, not Florian, and add milk to my list", "/todo add milk"),
        ("it's Ottoline on Monday, not Bettina", "/schedule edit 2 Tutoring Ottoline"),
    ],
)
def test_another_wish_is_left_alone(said: str, call: str) -> None:
    assert becomes(said, call, *FLORIAN, before=BEFORE)[0] == call


def test_of_two_that_are_there_none_is_renamed() -> None:
    forms = ("/todo add send Ben's form", "/todo add send Anna's form")
    assert becomes("it's Ben's form that went off, not Anna's", "/todo done 1", *forms)[0] == "/todo done 1"


def test_a_name_is_put_right_once() -> None:
    done = ["Changed appointment 2: Tutoring Ottoline, Mon 2026-03-16 16:00-17:00."]
    setup = (*FLORIAN[:2], "/schedule add Tutoring Ottoline --at 2026-03-16 16:00")
    call = "/todo edit 1 mark Ottoline's fractions"
    said = "It's Ottoline on Monday, not Florian"
    assert becomes(said, call, *setup, before=BEFORE, done=done)[0] == call


ORTHODONTIST = (
    "/schedule add Noor's orthodontist --at 2026-03-18 15:50",
    "/schedule add Noor's netball --at 2026-03-18 17:30",
)
BEFORE = (
    "User: put in the orthodontist\nAssistant: Added appointment 1: Noor's orthodontist, Wed 2026-03-18 15:50-16:50."
)


@pytest.mark.parametrize("command", ["/schedule edit Noor's orthodontist --place Ayub's", "/schedule rm 1"])
@pytest.mark.parametrize(
    "said", ["that one's Ayub's", "Oh, that one's Ayub's. Noor isn't seen until some time in April."]
)
def test_what_was_spoken_of_gets_the_name_of_its_owner(said: str, command: str) -> None:
    made = becomes(said, command, *ORTHODONTIST, before=BEFORE)
    assert made == ("/schedule edit 1 Ayub's orthodontist", None)


@pytest.mark.parametrize("said", ["that one's Noor's", "that's Ayub's birthday, cancel it", "is that one Ayub's?"])
def test_another_owner_of_something_else_is_no_name(said: str) -> None:
    assert becomes(said, "/schedule rm 1", *ORTHODONTIST, before=BEFORE)[0] == "/schedule rm 1"
