"""Changes whose new moment or place stands behind the entry; entries that are named in full, or side by side."""

from __future__ import annotations

import pytest
from support.commands import NOW, becomes
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.agenda import Agenda

BOOT = "/schedule add Boot sale --at 2026-03-15 07:00 --for 4h --place Cattle Market"
LUNCH = "/schedule add Sunday lunch --at 2026-03-15 13:00"
MILK = "/todo add buy milk --due 2026-03-13"
BINS = "/todo add bins friday"
ANODES = ("/todo add order gaskets", "/todo add order zinc anodes")
ANODES_SAID = "User: Add to the list: order zinc anodes\nAssistant: It is on the list: order zinc anodes."


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        ("/schedule move 1 to friday 9:00", "1: Boot sale, Fri 2026-03-13 09:00-13:00, at Cattle Market"),
        ("/schedule move boot sale to friday 9:00", "1: Boot sale, Fri 2026-03-13 09:00-13:00, at Cattle Market"),
        ("/schedule move boot sale friday 9:00", "1: Boot sale, Fri 2026-03-13 09:00-13:00, at Cattle Market"),
        ("/schedule edit 1 at 8am", "1: Boot sale, Sun 2026-03-15 08:00-12:00, at Cattle Market"),
        ("/schedule move 1 to the Green", "1: Boot sale, Sun 2026-03-15 07:00-11:00, at the Green"),
        ("/schedule move boot sale to the Green", "1: Boot sale, Sun 2026-03-15 07:00-11:00, at the Green"),
        ("/schedule edit 1 to boot fair", "1: boot fair, Sun 2026-03-15 07:00-11:00, at Cattle Market"),
        ("/schedule edit 1 lunch at noon", "1: lunch at noon, Sun 2026-03-15 07:00-11:00, at Cattle Market"),
        ("/schedule 推迟 1 到 friday 9:00", "1: Boot sale, Fri 2026-03-13 09:00-13:00, at Cattle Market"),
        ("/todo edit 1 saturday", "1: buy milk (due Sat 2026-03-14)"),
        ("/todo postpone buy milk until saturday", "1: buy milk (due Sat 2026-03-14)"),
        ("/todo edit buy milk to saturday --priority high", "1: buy milk (due Sat 2026-03-14, high priority)"),
        ("/todo edit 1 to buy oat milk", "1: buy oat milk (due Fri 2026-03-13)"),
        ("/todo edit 1 buy oat milk by saturday", "1: buy oat milk (due Sat 2026-03-14)"),
        ("/todo edit bins friday --priority high", "2: bins friday (high priority)"),
        ("/todo edit 1 call Eva on friday", "1: call Eva on friday (due Fri 2026-03-13)"),
    ],
)
def test_a_new_moment_or_place_may_stand_behind_its_entry(command: str, changed: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in (BOOT, LUNCH, MILK, BINS):
            agenda.run(line)
        assert changed in agenda.run(command)


def test_a_change_that_names_no_entry_is_refused_with_those_there_are() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(BOOT)
        with pytest.raises(CommandError, match="1: Boot sale"):
            agenda.run("/schedule move the jumble to friday 9:00")


@pytest.mark.parametrize(
    ("find", "shown", "hidden"),
    [
        ("/todo find market", "1: Boot sale", "buy milk"),
        ("/schedule find milk", "1: buy milk", "Boot sale"),
        ("/todo find jumble", "buy milk", "Boot sale"),
    ],
)
def test_a_search_that_finds_nothing_in_one_list_tells_of_the_other(find: str, shown: str, hidden: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(BOOT)
        agenda.run(MILK)
        found = agenda.run(find)
        assert shown in found
        assert hidden not in found


@pytest.mark.parametrize(
    ("said", "command", "setup", "carried_out"),
    [
        pytest.param(
            "They've moved the boot sale on Sunday to the Green. Can you change that for me?",
            "/schedule move boot sale on sunday to the Green",
            (BOOT, LUNCH),
            "/schedule move boot sale on sunday --place the Green",
            id="a-place",
        ),
        pytest.param(
            "Actually the boot sale starts at half past seven, not seven",
            "/schedule edit 1 --at 07:30 --place half past seven",
            (BOOT,),
            "/schedule edit 1 --at 07:30",
            id="a-time-for-a-place",
        ),
        pytest.param(
            "boot sale on Sunday at 7 am, put it in my calendar",
            "/schedule add boot sale --at sunday 07:00 --place my calendar",
            (),
            "/schedule add boot sale --at sunday 07:00",
            id="the-calendar-for-a-place",
        ),
        pytest.param(
            "can u push my eyebrow appt tmrw back to quarter past 5",
            "/schedule edit 1 --at the next day at 5:15",
            ("/schedule add Eyebrow wax --at 2026-03-12 16:45 --for 30m",),
            "/schedule edit 1 --at 2026-03-12 17:15",
            id="an-hour-on-a-day-that-cannot-be-read",
        ),
        pytest.param(
            "move the playdate to 3 o'clock",
            "/schedule edit 1 --at 3 o'clock",
            ("/schedule add Playdate --at 2026-03-12 14:00 --for 2h",),
            "/schedule edit 1 --at 15:00",
            id="an-hour-near-its-own",
        ),
        pytest.param(
            "ive dropped the keys back at Mrs Abara's",
            "/todo give Mrs Abara her keys back",
            ("/todo add give Mrs Abara her keys back", MILK),
            "/todo done 1",
            id="news-in-place-of-a-command",
        ),
        pytest.param(
            "鸭肠和毛肚都订好了",
            "/todo done 订鸭肠",
            ("/todo add 订毛肚", "/todo add 订黄喉", "/todo add 订鸭肠"),
            "/todo done 1, 3",
            id="news-of-two",
        ),
        pytest.param(
            "I've paid the rent and bought the milk",
            "/todo done pay the rent",
            ("/todo add pay the rent", MILK),
            "/todo done 1, 2",
            id="news-of-two-with-two-verbs",
        ),
        pytest.param(
            "The rent is paid, and add milk",
            "/todo done pay the rent",
            ("/todo add pay the rent", MILK),
            "/todo done pay the rent",
            id="news-and-a-wish",
        ),
        pytest.param(
            "I've paid the rent and the milk goes off tomorrow",
            "/todo done pay the rent",
            ("/todo add pay the rent", MILK),
            "/todo done pay the rent",
            id="news-and-what-is-to-come",
        ),
        pytest.param(
            "I've paid the rent and the milk is next",
            "/todo done pay the rent",
            ("/todo add pay the rent", MILK),
            "/todo done pay the rent",
            id="news-and-what-comes-next",
        ),
        pytest.param(
            "I've sorted the rent and the milk",
            "/todo done pay the rent",
            ("/todo add pay the rent", MILK),
            "/todo done 1, 2",
            id="news-of-two-with-one-verb",
        ),
        pytest.param(
            "I've paid the rent and the milk isn't bought",
            "/todo done pay the rent",
            ("/todo add pay the rent", MILK),
            "/todo done pay the rent",
            id="news-and-what-is-open",
        ),
        pytest.param(
            "给豆瓣酱厂打款那个改到20号",
            "/schedule edit 去豆瓣酱厂看货 --at 2026-03-24 09:00",
            ("/todo add 给豆瓣酱厂打款 --due 2026-03-15", "/schedule add 去豆瓣酱厂看货 --at 2026-03-24 09:00"),
            "/todo edit 1 --due 2026-03-20",
            id="an-entry-named-in-full",
        ),
        pytest.param(
            "move lunch to after gym class, at 3 pm",
            "/schedule edit lunch with Bo --at 15:00",
            ("/schedule add lunch with Bo --at 2026-03-12 12:00", "/schedule add gym class --at 2026-03-12 14:00"),
            "/schedule edit lunch with Bo --at 15:00",
            id="another-entry-that-tells-when",
        ),
        pytest.param(
            "Wednesday next week: call the class surveyor about the hull report",
            "/schedule add call the class surveyor about the hull report --at wednesday",
            (),
            "/todo add call the class surveyor about the hull report --due 2026-03-18",
            id="a-duty-on-a-day",
        ),
        pytest.param(
            "Ollies match is sat 10.30 at Marsh Lane, add pls",
            "/todo add pls",
            ("/todo add wash Ollie's kit",),
            "/todo add Ollies match",
            id="a-courtesy-for-a-text",
        ),
        pytest.param(
            "cancel my appointment on friday please",
            "/schedule rm my appointment on friday",
            ("/schedule add Bank visit --at 2026-03-13 10:00", "/schedule add Night shift --at 2026-03-14 22:00"),
            "/schedule rm 1",
            id="the-one-of-its-day",
        ),
    ],
)
def test_what_is_carried_out(said: str, command: str, setup: tuple[str, ...], carried_out: str) -> None:
    assert becomes(said, command, *setup)[0] == carried_out


@pytest.mark.parametrize(
    ("said", "command", "setup", "asked"),
    [
        pytest.param(
            "ive made the phone call, tick it off",
            "/todo done phone Jodie about the shift swap",
            ("/todo add phone Jodie about the shift swap", "/todo add phone college about the bursary"),
            "which todo do you mean?",
            id="one-of-two-calls",
        ),
        pytest.param(
            "Crew meeting in the mess on Friday at 07:30, half an hour.",
            "/schedule edit crew change --at 07:30",
            ("/schedule add Crew change --at 2026-03-17 12:00",),
            "do you mean this?",
            id="another-thing-of-the-crew",
        ),
        pytest.param(
            "Can you put my colour course in for the 24th please, it's at the academy in Preston",
            "/todo add colour course --due the 24th",
            (),
            "at what time",
            id="put-in-for-a-day",
        ),
        pytest.param(
            "cancel my appointment on friday please",
            "/schedule rm my appointment on friday",
            ("/schedule add Bank visit --at 2026-03-13 10:00", "/schedule add Osteopath --at 2026-03-13 14:30"),
            "which appointment do you mean?",
            id="two-on-the-day",
        ),
        pytest.param(
            "Thank you, my dear, that will be everything for this morning.",
            "/todo done choose the hymns",
            ("/todo add choose the hymns",),
            "is this right?",
            id="thanks",
        ),
    ],
)
def test_what_is_asked(said: str, command: str, setup: tuple[str, ...], asked: str) -> None:
    missing = becomes(said, command, *setup)[1]
    assert missing is not None
    assert asked in missing.question


def test_a_move_by_a_length_is_no_other_length() -> None:
    reviews = ("/schedule add 需求评审会 --at 2026-03-12 10:00", "/schedule add 代码评审会 --at 2026-03-13 15:00")
    missing = becomes(["评审会往后推半个小时", "代码那个"], "/schedule edit 2 --for 3h", *reviews)[1]
    assert missing is not None
    assert "/schedule edit 2 --at 2026-03-13 15:30" in missing.hint
    assert becomes("代码评审会开两个小时", "/schedule edit 2 --for 2h", *reviews)[1] is None


@pytest.mark.parametrize("command", ["/todo undo order zinc anodes", "/todo add order aluminium anodes"])
def test_a_correction_of_a_word_is_a_change(command: str) -> None:
    missing = becomes("No, not zinc. Aluminium anodes.", command, *ANODES, before=ANODES_SAID)[1]
    assert missing is not None
    assert "/todo edit 2 order Aluminium anodes" in missing.hint


def test_what_a_hint_says_of_a_command_is_no_new_text() -> None:
    said = "Sorry, I said zinc. It is something else."
    missing = becomes(said, "/todo edit 2, then the corrected words", *ANODES, before=ANODES_SAID)[1]
    assert missing is not None
    assert "Nobody said" in missing.hint
    assert (
        becomes("Sorry, make it brass anodes", "/todo edit 2 order brass anodes", *ANODES, before=ANODES_SAID)[1]
        is None
    )


def test_a_question_in_place_of_a_command_is_read() -> None:
    said = "Good morning! What have I got on today?"
    assert becomes(said, said, LUNCH)[0] == "/view 2026-03-11"
