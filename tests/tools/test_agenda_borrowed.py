"""A new entry with words of one that is there, which the user has not said."""

from __future__ import annotations

import pytest
from support.commands import becomes

SLOT = "/schedule add Loading slot Antwerp --at 2026-03-16 05:45"
TOM = "/todo add get a card for Tom --due 2026-03-12"
FANS = "/todo add 买广场舞的扇子"


@pytest.mark.parametrize(
    ("said", "command", "there", "carried_out"),
    [
        pytest.param(
            "The loading slot in Rotterdam is on the 17th at quarter past six in the morning, put that in",
            "/schedule add loading slot Antwerp --at 2026-03-17 06:15",
            SLOT,
            "/schedule add loading slot --at 2026-03-17 06:15",
            id="nothing-in-its-place",
        ),
        pytest.param(
            "get a card for Ella, her birthday is on Sunday",
            "/todo add get a card for Tom",
            TOM,
            "/todo add get a card for Ella",
            id="a-name-in-its-place",
        ),
        pytest.param(
            "I need to buy a card for his teacher by Friday",
            "/todo add buy a card for Zack's teacher --due friday",
            TOM,
            "/todo add buy a card for his teacher --due friday",
            id="a-name-that-nobody-said",
        ),
        pytest.param(
            "后天晚上七点广场舞排练，帮我记一下",
            "/schedule add 买广场舞的扇子 --at 2026-03-13 19:00",
            FANS,
            "/schedule add 广场舞排练 --at 2026-03-13 19:00",
            id="chinese",
        ),
    ],
)
def test_the_users_words_take_the_place_of_an_entrys(said: str, command: str, there: str, carried_out: str) -> None:
    assert becomes(said, command, there) == (carried_out, None)


@pytest.mark.parametrize(
    ("said", "command", "there"),
    [
        pytest.param("get a card for Tom's mum", "/todo add get a card for Tom's mum", TOM, id="all-said"),
        pytest.param("put the loading slot Antwrep in for Friday 7am",
                     "/schedule add loading slot Antwerp --at 2026-03-13 07:00", SLOT, id="a-slip"),
        pytest.param("lunch with my mother on Sunday", "/todo add lunch with Mum", TOM, id="a-relative"),
        pytest.param("flour, we need some", "/todo add buy flour", "/todo add buy rye flour", id="the-verb"),
        pytest.param("a present for my sister", "/todo add buy a gift for my sister", TOM, id="no-entrys-word"),
    ],
)  # fmt: skip
def test_a_text_without_such_words_stays(said: str, command: str, there: str) -> None:
    assert becomes(said, command, there)[0].casefold() == command.casefold()


def test_what_is_told_of_an_entry_makes_no_new_one_of_other_words() -> None:
    said, command = "the slot is moved to Friday at 7", "/schedule add loading slot Antwerp --at 2026-03-13 07:00"
    assert "Antwerp" in becomes(said, command, SLOT)[0]
