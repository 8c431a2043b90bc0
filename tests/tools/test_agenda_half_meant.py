"""Commands that have a word of what the user means, and mean something else: a caller, a place on the way, a tag."""

from __future__ import annotations

import pytest
from support.commands import NOW, becomes
from thoughtgraph.tools.agenda import Agenda, todo_tool
from thoughtgraph.tools.metadata import metadata_of

LAMBS = "stick down order 12 bags of lamb milk powder off Tarrants, theyre to drop it at the top gate not the yard"
POWDER = "/todo add order 12 bags of lamb milk powder off Tarrants"
TRAILER = "/todo add ring Tarrants about the trailer hire bill"
CUPS = ("/todo add order 200 paper cups for the kiosk", "/todo add order 200 paper cups for the staff canteen")
VIOLIN = (
    "/schedule add Emilka violin --at 2026-03-11 15:30",
    "/schedule add Emilka violin --at 2026-03-18 15:30",
)
PHYSIO = (
    "/todo add do the physio exercises",
    "/schedule add Physio --at 2026-03-12 15:00 --for 45m",
    "/schedule add Physio --at 2026-03-17 15:00",
)
BOILER = "/schedule add Boiler man --at 2026-03-11 14:00"
ROTA = ("/todo add finish rota for next week", "/todo add ask Dawid if he can cover Easter Monday")
DAWID = "next weeks rota is done and sent out. even Dawids happy for once"
OFFICE = "/todo add translate birth certificate for the foreigners office"
DATE = "Hello please, I have a date in the foreigners office the 24th of march at 10:15, put this in my calendar"
SICK = "say no violin today, the teacher is sick"


@pytest.mark.parametrize(
    ("said", "command", "made", "setup"),
    [
        (LAMBS, "/todo edit order 12 bags of lamb milk powder --tag Tarrants", POWDER, (TRAILER,)),
        (LAMBS, "/todo add order 12 bags of lamb milk powder --tag Tarrants", POWDER, (TRAILER,)),
        ("need 3 rolls of twin from Medlows", "/todo add 3 rolls of twin from Medlows --tag medlows", None, ()),
        ("tag it Medlows: buy twin", "/todo add buy twin --tag medlows", "/todo add buy twin --tag medlows", ()),
        (
            "push thursday's physio back by an hour",
            "/todo edit 1 --at 13:00",
            "/schedule edit 1 --at 2026-03-12 16:00",
            PHYSIO,
        ),
        ("push the physio exercises back to friday", "/todo edit 1 --due friday", "/todo edit 1 --due friday", PHYSIO),
        (
            "boiler man just texted, hes stuck on the motorway and will be here at 4 today instead of 2",
            "/schedule edit Boiler man --place the motorway",
            "/schedule edit 1 --at 2026-03-11 16:00",
            (BOILER,),
        ),
        (SICK, "/schedule rm Emilka violin", "/schedule rm 1", VIOLIN),
        (
            "seed potatoes, make that 8 kilos not 5",
            "/todo edit order 5 kilos of seed potatoes --quantity 8 kilos",
            "/todo edit 1 order 8 kilos of seed potatoes",
            ("/todo add order 5 kilos of seed potatoes --due 2026-03-16",),
        ),
        ("what have I got on thurs evening?", "/schedule list this week", "/view 2026-03-12", ()),
        ("what have I got on from thursday on?", "/schedule list this week", "/view this week", ()),
        (
            "Extra rehearsal for the altos on Sunday the 22nd at 11.45, in the vestry. Put that in please",
            "/schedule add altos rehearsal --at 2026-03-22 11:45",
            "/schedule add altos rehearsal --at 2026-03-22 11:45 --place the vestry",
            (),
        ),
        (
            "my theory test is on the 25th at 8.40, at the test centre in Belmont, put it in",
            "/schedule add theory test --at 2026-03-25 08:40",
            "/schedule add theory test --at 2026-03-25 08:40 --place the test centre in Belmont",
            (),
        ),
        ("下周四八点半要去做产检，帮我加到日历里吧", "/schedule add 产检 --at 2026-03-19 08:30", None, ()),
        (
            "phew what a night. three admissions and not a single hot tea. off to bed now, morning!",
            "/schedule done Night shift",
            "/schedule done Night shift",
            ("/schedule add Night shift --at 2026-03-12 20:30",),
        ),
    ],
)
def test_what_is_meant_is_made_of_it(said: str, command: str, made: str | None, setup: tuple[str, ...]) -> None:
    assert becomes(said, command, *setup)[0] == (made or command.partition(" --tag")[0])


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        # The text of a todo for an appointment of which the user says little of it.
        (DATE, "/schedule add translate birth certificate for the foreigners office --at the 24th 10:15", (OFFICE,)),
        # Who rang is no entry.
        (
            "dentist rang, they can squeeze both girls in, friday the 20th ten past nine in the morning. stick it in",
            "/schedule edit dentist Rufus --at 2026-03-20 09:10",
            ("/schedule add Dentist Rufus --at 2026-04-10 9:10",),
        ),
        (DAWID, "/todo rm ask Dawid if he can cover Easter Monday", ROTA),
        ("make the paper cups 400 instead of 200 please", "/todo edit 1 --quantity 400", CUPS),
    ],
)
def test_what_only_shares_words_is_held_back(said: str, command: str, setup: tuple[str, ...]) -> None:
    assert becomes(said, command, *setup)[1] is not None


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("translate the birth certificate for the foreigners office", OFFICE.replace("todo", "schedule", 1), ()),
        (
            "dentist Rufus rang, he can see us on friday the 20th at ten past nine instead",
            "/schedule edit dentist Rufus --at 2026-03-20 09:10",
            ("/schedule add Dentist Rufus --at 2026-04-10 9:10",),
        ),
        ("the rota is done, and Dawid can cover Easter Monday, so drop that one", "/todo rm 2", ROTA),
    ],
)
def test_what_is_meant_is_not_held_back(said: str, command: str, setup: tuple[str, ...]) -> None:
    missing = becomes(said, command, *setup)[1]
    assert missing is None or "on the list already" not in missing.question + missing.hint
    assert missing is None or "stays as it is" not in missing.hint


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        ("show me my garden todos", "/todo list --tag garden", "/todo list --tag garden"),
        ("put the milk with the garden ones", "/todo edit 2 --tag garden", "/todo edit 2 --tag garden"),
        ("show me my todos", "/todo list --tag garden", "/todo list"),
    ],
)
def test_a_tag_of_which_the_user_has_a_word_stays_where_nothing_is_added(said: str, command: str, made: str) -> None:
    assert becomes(said, command, "/todo add rake leaves --tag garden", "/todo add buy milk")[0] == made


@pytest.mark.parametrize(
    ("command", "held"),
    [
        ("/todo done finish rota for next week", []),
        ("/todo rm Finish rota for next week", []),
        ("/todo add finish plan for next week", ["finish plan for next week"]),
        ("/todo edit finish rota for next week --due friday", ["finish rota for next week --due friday"]),
    ],
)
def test_a_date_in_the_name_of_an_entry_is_not_held_to_what_was_said(command: str, held: list[str]) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run("/todo add finish rota for next week --due 2026-03-12")
        metadata = metadata_of(todo_tool(agenda))
        assert metadata["grounded"]({"command": command}) == held
        assert metadata["effects"]({"command": command})


def test_a_run_does_not_take_back_what_it_has_moved() -> None:
    said = "周六那节亲子音乐课改到周日吧，时间不变，周六我临时得加班"
    setup = ("/schedule add 亲子音乐课 --at 2026-03-14 10:00", "/schedule edit 1 --at 2026-03-15 10:00")
    done = ["已修改日程 1: 亲子音乐课, 2026-03-15 周日 10:00-11:00。"]
    back = "/schedule edit 1 --at 2026-03-14 10:00"
    missing = becomes(said, back, *setup, done=done)[1]
    assert missing is not None
    assert missing.stands
    assert missing.unwanted
    # In another run it may go back.
    assert becomes("亲子音乐课还是改回周六十点", back, *setup)[1] is None
