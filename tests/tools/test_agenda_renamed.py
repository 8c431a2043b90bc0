"""An entry that is to have another name, where the user does not say which."""

from __future__ import annotations

import pytest

from tests.support.commands import becomes

LIST = (
    "/todo add send Henderson Ltd the invoice --due 2026-03-16",
    "/todo add reorder toner",
    "/schedule add Site visit --at 2026-03-12 13:00",
)
HENDERSON = "Henderson Ltd have been trading under a different name since Monday. Correct that on my list please"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (HENDERSON, "/todo edit send Henderson Ltd the invoice --due mon"),
        (HENDERSON, "/todo edit 1 send the renamed company the invoice"),
        (HENDERSON, "/todo done 1"),
        (HENDERSON, "/todo add Henderson Ltd new name"),
        ("henderson has changed its name, update my list", "/todo edit 1 henderson new name"),
        ("rename the toner one please", "/todo edit 2 toner"),
        ("the site visit needs another title, change it", "/schedule edit 1 visit"),
    ],
)
def test_a_new_name_that_nobody_gives_is_asked_about(said: str, command: str) -> None:
    asked = becomes(said, command, *LIST)[1]

    assert asked is not None and asked.at_once
    assert "what is the new name?" in asked.question


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (
            "Henderson Ltd are called Larkspur now. Correct that on my list please",
            "/todo edit 1 send Larkspur the invoice",
        ),
        (
            "Henderson Ltd have a new name, Larkspur Interiors. Correct that on my list please",
            "/todo edit 1 send Larkspur Interiors the invoice",
        ),
        ("rename the toner one to ink", "/todo edit 2 reorder ink"),
        ("add to my list: change the name on the toner account", "/todo add change the name on the toner account"),
        ("remind me to change the name on the Henderson invoice", "/todo add change the name on the Henderson invoice"),
        ("the toner is in, done. and rename the site visit", "/todo done 2"),
        ([HENDERSON, "Larkspur Interiors"], "/todo edit 1 send Larkspur Interiors the invoice"),
    ],
)
def test_a_name_that_is_given_and_one_that_is_to_be_changed_elsewhere_are_not(
    said: str | list[str], command: str
) -> None:
    assert becomes(said, command, *LIST)[1] is None


@pytest.mark.parametrize(
    ("answer", "changed"),
    [
        ("Larkspur Interiors", "/todo edit 1 send Larkspur Interiors the invoice"),
        ("They are Larkspur Interiors now", "/todo edit 1 send Larkspur Interiors the invoice"),
        ("send Larkspur the invoice", "/todo edit 1 send Larkspur the invoice"),
        ("no idea", None),
    ],
)
def test_the_answer_stands_in_place_of_the_old_name(answer: str, changed: str | None) -> None:
    asked = becomes(HENDERSON, "/todo edit 1 send the renamed company the invoice", *LIST)[1]

    assert asked is not None
    assert asked.completed(answer) == changed


def test_a_chinese_entry_is_renamed_by_the_answer() -> None:
    asked = becomes("把买碳粉那条改个名字", "/todo edit 1 碳粉", "/todo add 买碳粉")[1]

    assert asked is not None
    assert asked.completed("买墨盒") == "/todo edit 1 买墨盒"
    assert becomes("把买碳粉那条改名叫买墨盒", "/todo edit 1 买墨盒", "/todo add 买碳粉")[1] is None
