"""Entries that have a word of a request by chance: a small model takes them for what is meant."""

from __future__ import annotations

import pytest
from support.commands import NOW, becomes
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.likeness import traits, wants_nothing
from thoughtgraph.tools.metadata import Told, metadata_of

FRIDAY = (
    "/schedule add Bank appointment --at 2026-03-13 10:00",
    "/schedule add Osteopath appointment --at 2026-03-13 14:30",
    "/schedule add Night shift --at 2026-03-14 22:00 --for 8h",
)
SHIFTS = ("/schedule add Bar shift --at 2026-03-16 18:00", "/schedule add Bar shift --at 2026-03-17 18:00")
LAB = "/todo add ring the lab about the blood results"
COLOR = "Can you put my color course in for the 24th please, it's at the academy in Preston"
SLEEVE = "Lola's coming in on Saturday for her half sleeve, it'll take 3 hours. can you put her in"


def shown(said: str, *setup: str) -> str:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in setup:
            agenda.run(line)
        told = Told([said], "", (), NOW)
        known = [metadata_of(tool)["context"](told) for tool in (todo_tool(agenda), schedule_tool(agenda))]
        return "\n".join(filter(None, known))


@pytest.mark.parametrize(
    ("said", "entry"),
    [
        (
            "renew taxi badge, it needs doing by 31st march, put it on as high priority",
            "/todo add get taxi meter checked",
        ),
        (
            "ive got my licence medical on 23rd march half 10 in the morning, stick it in please",
            "/todo add ask depot for the medical papers",
        ),
        (
            "viewing this afternoon 4.15 at 14 Orchard Terrace with the Whitakers. can you pop that in for me",
            "/schedule add Viewing at 3 Orchard Close --at 2026-03-12 11:00",
        ),
        (SLEEVE, "/todo add draw Lola's half sleeve --due 2026-03-13"),
        (
            "doctors can fit me in next week at 2.20, can you add it please",
            "/todo add ask doctor for a note for last week",
        ),
    ],
)
def test_what_shares_words_with_something_new_is_not_shown(said: str, entry: str) -> None:
    assert shown(said, entry) == ""


@pytest.mark.parametrize(
    ("said", "entry"),
    [
        ("the taxi meter got checked today", "/todo add get taxi meter checked"),
        ("the quiz is on Friday at seven, put that in", "/schedule add Pub quiz --at 2026-03-12 20:00"),
        (
            "move the viewing at Orchard Close to Friday at 4",
            "/schedule add Viewing at 3 Orchard Close --at 2026-03-12 11:00",
        ),
        ("I rang the lab, tick that off", LAB),
    ],
)
def test_what_a_request_is_about_is_shown(said: str, entry: str) -> None:
    assert entry.partition(" add ")[2].partition(" --")[0] in shown(said, entry)


def test_the_appointments_of_a_day_are_shown_and_asked_about_where_one_of_them_is_called_off() -> None:
    said = "cancel my appointment on friday please, they want me in for an extra shift"
    assert all(one in shown(said, *FRIDAY) for one in ("Bank appointment", "Osteopath appointment"))
    made, asked = becomes(said, "/schedule rm Night shift", *FRIDAY)
    assert made == "/schedule rm Night shift"
    assert asked
    assert "Bank appointment" in asked.question
    assert "Osteopath" in asked.question
    assert "Night" not in asked.question
    assert becomes(said, "/schedule rm Night shift", *FRIDAY[1:]) == ("/schedule rm 1", None)
    assert becomes("cancel my night shift please", "/schedule rm Night shift", *FRIDAY) == (
        "/schedule rm Night shift",
        None,
    )


def test_the_one_on_the_day_that_is_off_is_removed() -> None:
    said = "Leave Monday's shift alone but the Tuesday one is off"
    assert becomes(said, "/schedule rm 1", *SHIFTS) == ("/schedule rm 2", None)


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("ive got my licence medical on 23rd march half 10", False),
        ("I've got a haircut saturday at 11", False),
        ("we've got the vet tomorrow", False),
        ("I've got the milk", True),
        ("ive got the parcel", True),
        ("I've paid the bill", True),
    ],
)
def test_what_is_to_come_is_no_news_of_something_done(said: str, done: bool) -> None:
    assert ("done" in traits(said)) is done


@pytest.mark.parametrize(
    ("said", "nothing"),
    [
        ("that's great thanks, have a lovely day", True),
        ("thanks, have a good one!", True),
        ("perfect, see you later", True),
        ("that's great, can you move it", False),
        ("have a lovely day out with Jo on sunday", False),
    ],
)
def test_good_wishes_want_nothing(said: str, nothing: bool) -> None:
    assert wants_nothing(said) is nothing


def test_a_new_todo_that_is_there_and_done_by_the_users_words_is_ticked_off() -> None:
    said = "Add cat litter to my list please. I also rang the lab about the blood results so you can tick that off"
    assert becomes(said, "/todo add ring the lab about the blood results", LAB) == ("/todo done 1", None)
    again = "I rang the lab about the blood results, add it again for next week"
    assert becomes(again, "/todo add ring the lab about the blood results", LAB)[0].startswith("/todo add")


def test_the_entry_that_a_step_names_beside_it_is_no_part_of_the_text() -> None:
    said = "Add cat litter please, and I've got a haircut Saturday at 11 at Bella's"
    step = "I've got a haircut Saturday at 11 at Bella's (appointment 1: Haircut for Theo, Thu 2026-03-19 16:00)"
    made, _ = becomes(said, f"/schedule add {step} --at saturday 11:00")
    assert made == "/schedule add haircut --at saturday 11:00 --place Bella's"
    # What follows the time says more than where it is.
    made, _ = becomes(
        "I've got lunch Saturday at 1 with Mum", "/schedule add lunch Saturday at 1 with Mum --at saturday 13:00"
    )
    assert made == "/schedule add lunch Saturday at 1 with Mum --at saturday 13:00"


def test_where_it_is_is_the_place() -> None:
    made, _ = becomes([COLOR, "10 am"], "/schedule add color course --at the 24th in Preston")
    assert made == "/schedule add color course --at 2026-03-24 10:00 --place the academy in Preston"
    made, _ = becomes(
        "call for Jo on the 24th at 10, he's at the academy", "/schedule add see Jo --at 2026-03-24 10:00"
    )
    assert "--place" not in made


def test_a_length_stays_where_an_answer_begins_with_an_hour() -> None:
    made, _ = becomes([SLEEVE, "11 in the morning"], "/schedule add Lola's half sleeve --at 2026-03-14 11:00")
    assert made == "/schedule add Lola's half sleeve --at 2026-03-14 11:00 --for 3h"


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            "周五晚上八点跟阿杰打羽毛球，奥体中心",
            "/schedule add 羽毛球 --at 周五 20:00 --place 好体中心",
            "/schedule add 羽毛球 --at 周五 20:00 --place 奥体中心",
        ),
        (
            "下周一下午两点到四点，图书馆小组讨论",
            "/schedule add 图书小组讨论 --at 下周一 14:00-16:00",
            "/schedule add 图书馆小组讨论 --at 下周一 14:00-16:00",
        ),
        ("周五三点跟老周下棋", "/schedule add 和老周下棋 --at 周五 15:00", "/schedule add 和老周下棋 --at 周五 15:00"),
        ("明天交物业费", "/todo add 付物业费 --due 明天", "/todo add 交物业费 --due 明天"),
        ("明天把物业费交了", "/todo add 交物业费 --due 明天", "/todo add 交物业费 --due 明天"),
    ],
)
def test_chinese_words_are_those_of_the_user(said: str, command: str, made: str) -> None:
    assert becomes(said, command)[0] == made


def test_the_day_of_an_appointment_is_none_of_a_todo_that_shares_its_words() -> None:
    said = "周五晚上八点跟阿杰打羽毛球，奥体中心，加到日历。另外待办里记一条买羽毛球"
    assert becomes(said, "/todo add 买羽毛球") == ("/todo add 买羽毛球", None)


def test_a_run_ends_nothing_that_it_has_just_changed() -> None:
    said, done = "actually I meant vitamin D, not C", ["Changed todo 1: buy vitamin D tablets."]
    _, held = becomes(
        said, "/todo done 1", "/todo add buy vitamin D tablets", before="User: add vitamin C tablets", done=done
    )
    assert held
    assert held.unwanted
    listed = ["Open todos (1):\n1: buy vitamin D tablets"]
    assert (
        becomes("the vitamins are in the cupboard", "/todo done 1", "/todo add buy vitamin D tablets", done=listed)[1]
        is None
    )
    said = "I meant vitamin D, and I have bought it, so tick it off"
    assert becomes(said, "/todo done 1", "/todo add buy vitamin D tablets", done=done) == ("/todo done 1", None)


@pytest.mark.parametrize(
    "command", ["/todo add put Lola in", "/todo add put her in", "/schedule add put Lola in --at saturday"]
)
def test_who_is_put_in_has_an_appointment(command: str) -> None:
    made, asked = becomes(SLEEVE, command)
    assert made.startswith("/schedule add Lola's coming in for her half sleeve --at ")
    assert asked
    assert "at what time" in asked.question


def test_what_is_put_in_as_a_todo_stays_one() -> None:
    said = "renew taxi badge by 31st march, put it in as high priority"
    made, _ = becomes(said, "/todo add renew taxi badge --due 2026-03-31 --priority high")
    assert made == "/todo add renew taxi badge --due 2026-03-31 --priority high"


def test_a_table_for_guests_is_in_the_evening() -> None:
    said = ["book a table for me and Tom", "Friday half seven at Luigi's"]
    made, _ = becomes(said, "/schedule add table for me and Tom --at 2026-03-13 07:30")
    assert made == "/schedule add table for me and Tom --at 2026-03-13 19:30 --place Luigi's"
    made, _ = becomes(
        "book a table for breakfast on friday at 8", "/schedule add table for breakfast --at 2026-03-13 08:00"
    )
    assert made == "/schedule add table for breakfast --at 2026-03-13 08:00"
