"""Which entries a model is shown for a request: one that shares a word with it by chance is taken for what is meant."""

from __future__ import annotations

from datetime import datetime

import pytest
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.likeness import is_chinese
from thoughtgraph.tools.metadata import Told, metadata_of

NOW = datetime(2026, 3, 11, 9)


def shown(said: str, *setup: str) -> str:
    with Agenda(":memory:", language="zh" if is_chinese(said) else "en", clock=lambda: NOW) as agenda:
        for line in setup:
            agenda.run(line)
        told = Told([said], "", (), NOW, "", ())
        return "\n".join(metadata_of(tool(agenda))["context"](told) for tool in (todo_tool, schedule_tool)).strip()


@pytest.mark.parametrize(
    ("said", "entry"),
    [
        ("3 tubs of grout from Haddows wants to go on my list", "/todo add take the tile cutter back to Haddows"),
        (
            "Remember me to hand in the paper of Ludmila, latest day is the 20th",
            "/todo add buy rain trousers for Ludmila",
        ),
        ("The man to read the meter comes on Monday at 8:15. Enter him", "/todo add clear the meter cupboard"),
        (
            "The hearing clinic wants me on the 24th. Would you write that in?",
            "/todo add new batteries for the hearing aid",
        ),
        ("阳台那盆君子兰该换土了，先给我记上，下周日弄", "/todo add 给阳台的花浇水"),
    ],
)
def test_an_entry_with_one_word_of_something_new_is_not_shown(said: str, entry: str) -> None:
    assert shown(said, entry) == ""


@pytest.mark.parametrize(
    ("said", "entry"),
    [
        ("the grout thing can come off my list", "/todo add buy 3 tubs of grout from Haddows"),
        ("I've been back to Haddows, so that's done", "/todo add take the tile cutter back to Haddows"),
        ("move the one with Ludmila to Friday", "/schedule add swimming lesson with Ludmila --at 2026-03-20 15:00"),
        ("I misspelt a name in the task about the offer", "/todo add send Mr Petrosian the offer"),
        ("君子兰换好土了", "/todo add 给阳台的君子兰换土"),
        ("我妈哪天到来着？几点去接？", "/schedule add 去高铁站接妈妈 --at 2026-03-20 17:25"),
        (
            "push thursdays physio back by an hour pls",
            "/schedule add Physio --at 2026-03-12 15:00 --place Hollis Street clinic",
        ),
        ("老爸的票买了吗", "/todo add 给爸爸买票"),
    ],
)
def test_an_entry_that_is_meant_by_one_of_its_words_is_shown(said: str, entry: str) -> None:
    assert entry.split(" --")[0].partition("add ")[2] in shown(said, entry)


def test_a_wife_is_no_grandmother() -> None:
    assert shown("老婆哪天到来着？", "/schedule add 去高铁站接婆婆 --at 2026-03-20 17:25") == ""


def test_beside_the_entry_that_is_meant_none_is_shown_that_only_shares_its_word() -> None:
    setup = ("/todo add take the winter tyres off the car", "/todo add clean out the boot of the car")
    assert (
        shown("phew, finally got the winter tyres off the car!", *setup) == "todo 1: take the winter tyres off the car"
    )


def test_two_that_are_meant_by_the_same_word_are_both_shown() -> None:
    setup = ("/todo add ring Delacroix about the invoice", "/todo add ring Delacroix about the van")
    assert len(shown("spoke to Delacroix at long last, tick it off", *setup).splitlines()) == 2
