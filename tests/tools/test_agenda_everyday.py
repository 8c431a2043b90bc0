"""Requests as people make them in a day, and the calls that a small model makes of them: what is carried out."""

import pytest
from support.commands import becomes

PLUMBER = "/todo add plumber is coming --due thursday 8:00"
COFFEE = "/schedule add coffee with Nadia --at 2026-03-17 16:00"
NADIA = (
    "User: tuesday at 4\nAssistant: It is in.\n(What was done: /schedule add coffee with Nadia --at 2026-03-17 16:00 "
    "→ Added appointment 1: coffee with Nadia, Tue 2026-03-17 16:00-17:00.)"
)
SHIFT = "User: shift tomorrow\nAssistant: It is in.\n(What was done: /schedule add shift --at tomorrow 18:30 → Added.)"


@pytest.mark.parametrize(
    ("said", "call", "carried_out"),
    [
        (
            "the plumber is coming thursday between 8 and 10, jot that down",
            "/todo add plumber is coming --due thursday 8:00-10:00",
            "/schedule add plumber is coming --at thursday 8:00-10:00",
        ),
        (
            "pay the plumber between the 8th and the 10th",
            "/todo add pay the plumber --due 2026-04-08",
            "/todo add pay the plumber --due 2026-04-08",
        ),
        (
            "I still have to ring the insurance about the leak, preferably today",
            "/todo add ring the insurance --due today",
            "/todo add ring the insurance --due today",
        ),
        (
            "order 5 bags of pellets and 2 of corn, today if possible",
            "/schedule add order pellets --at today 12:00",
            "/schedule add order pellets --at today 12:00",
        ),
        (
            "swimming lessons start on the 18th at 5, half an hour each",
            "/schedule add swimming lessons --at 18:30 --for 30m",
            "/schedule add swimming lessons --at 2026-03-18 17:00 --for 30m",
        ),
    ],
)
def test_what_is_new_is_put_down_as_it_was_said(said: str, call: str, carried_out: str) -> None:
    # What was said before has a time of its own.
    assert becomes(said, call, before=SHIFT)[0] == carried_out


@pytest.mark.parametrize(
    ("said", "call", "carried_out"),
    [
        (
            "plumber can't make thursday, he's coming friday instead, same time",
            "/todo edit 1 --due friday 12:00",
            "/todo edit 1 --due 2026-03-13",
        ),
        ("the plumber comes on friday instead", "/todo edit 1 --due friday 12:00", "/todo edit 1 --due 2026-03-13"),
        ("the plumber comes on friday at 12", "/todo edit 1 --due friday 12:00", "/todo edit 1 --due friday 12:00"),
        (
            "the dentist is on friday after lunch",
            "/schedule edit 1 --at friday 12:00",
            "/schedule edit 1 --at friday 12:00",
        ),
        (
            "the plumber comes on friday, same time as the dentist",
            "/todo edit 1 --due friday 12:00",
            "/todo edit 1 --due friday 12:00",
        ),
    ],
)
def test_who_moves_an_entry_to_another_day_keeps_its_time(said: str, call: str, carried_out: str) -> None:
    assert becomes(said, call, PLUMBER, "/schedule add dentist --at thursday 9:00")[0] == carried_out


@pytest.mark.parametrize(
    ("said", "call", "carried_out"),
    [
        ("lose the library books, Tom will take them", "/todo undo return the library books", "/todo rm 1"),
        ("the library books are back", "/todo undo return the library books", "/todo done 1"),
    ],
)
def test_what_is_open_cannot_be_opened_again(said: str, call: str, carried_out: str) -> None:
    assert becomes(said, call, "/todo add return the library books")[0] == carried_out


def test_a_word_in_common_makes_no_date_of_another_thing_ones_own() -> None:
    said = "return the library books, and book a table at Nonna's on the 21st"
    call = "/todo add return the library books --due monday"
    assert becomes(said, call)[0] == "/todo add return the library books"
    assert becomes(said, "/todo add return the library books")[1] is None
    assert becomes("return the library books on the 21st", "/todo add return the library books")[1] is not None
    said = "the report has to be typed. It is the report that is due by Friday"
    assert becomes(said, "/todo add type the report --due friday")[0] == "/todo add type the report --due friday"


def test_a_time_told_by_another_one_is_not_put_back_to_that() -> None:
    said, step = (
        "remind me an hour before that to bring her book back",
        "schedule 'bring her book back' 1 hour before 2026-03-17 16:00",
    )
    call = "/schedule add bring her book back --at 2026-03-17 15:00"
    assert becomes(said, call, COFFEE, before=NADIA, step=step)[0] == call


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("doctor at 4 on monday, be there a quarter early", "/schedule add doctor --at monday 15:45"),
        ("pick-up 30 minutes after school ends at 3 on friday", "/schedule add pick-up --at friday 15:30"),
        ("yoga at 6 and shower after that on friday", "/schedule add shower --at friday 19:00"),
        ("meet at 3 on friday, coffee beforehand", "/schedule add coffee --at friday 14:30"),
        ("the shop closes at 6 on friday so get the cake at lunch", "/schedule add get the cake --at friday 12:30"),
        ("lunch friday at 7 Hills", "/schedule add lunch --at friday 12:00"),
    ],
)
def test_a_time_that_is_told_by_another_one_stays(said: str, call: str) -> None:
    assert becomes(said, call)[0] == call


@pytest.mark.parametrize("when", ["first thing", "half past", "at opening", "eod", "at close of business"])
def test_who_says_something_of_a_time_does_not_keep_the_old_one(when: str) -> None:
    call = "/schedule edit 1 --at friday 12:00"
    assert becomes(f"move the dentist to friday, {when}", call, "/schedule add dentist --at thursday 9:00")[0] == call


@pytest.mark.parametrize(
    ("said", "call"),
    [
        (
            "submit the form, the desk is open from 9 to 11 on friday",
            "/todo add submit the form --due friday 9:00-11:00",
        ),
        ("renew the passport between may and june", "/todo add renew the passport --due 2026-05-01 - 2026-06-30"),
    ],
)
def test_a_span_of_something_else_or_of_days_makes_no_appointment(said: str, call: str) -> None:
    assert becomes(said, call)[0].startswith("/todo add")


ERRANDS = "buy stamps, drop the suit at the cleaner's and ring the vet"


@pytest.mark.parametrize(
    ("said", "named", "is_duty"),
    [
        (ERRANDS, "buy stamps", True),
        (ERRANDS, "drop the suit at the cleaner's", True),
        ("buy stamps is off", "buy stamps", False),
        ("remove buy stamps", "buy stamps", False),
        ("stamps are not needed", "stamps", False),
    ],
)
def test_a_duty_that_is_not_there_is_to_be_added(said: str, named: str, is_duty: bool) -> None:
    held = becomes(said, f"/todo rm {named}", "/todo add bring a cake")[1]
    assert bool(held and f"/todo add {named}" in held.hint) is is_duty
    # What is there may go.
    there = becomes(said, f"/todo rm {named}", f"/todo add {named}")[1]
    assert not (there and f"/todo add {named}" in there.hint)


def test_a_number_of_a_room_is_no_time() -> None:
    held = becomes("meeting on friday in room no 9", "/schedule add meeting --at friday 10:00")[1]
    assert held and "time" in held.question


@pytest.mark.parametrize(
    "said", ["I ticked off the bread, undo that", "tick off the bread", "took bread off by mistake"]
)
def test_what_is_ticked_off_is_not_removed(said: str) -> None:
    assert "rm" not in becomes(said, "/todo undo bread", "/todo add bread")[0]


@pytest.mark.parametrize(
    ("said", "entry", "is_done"),
    [
        ("the bins are out", "take the bins out", True),
        ("grandma's done, and the bins are already out", "take the bins out", True),
        ("the washing's up", "hang the washing up", True),
        ("winter tyres are on now", "put the winter tyres on", True),
        ("take the bins out, forget it", "take the bins out", False),
        ("the bins are not out yet", "take the bins out", False),
        ("the cat is out", "take the bins out", False),
        ("the bins are in", "take the bins out", False),
        ("the bin men are out", "take the bins out", False),
        ("the internet is down", "find out why the internet is down", False),
        ("the printer is out again", "sort out the printer", False),
    ],
)
def test_where_a_thing_is_may_say_that_it_is_done(said: str, entry: str, is_done: bool) -> None:
    command, held = becomes(said, "/todo rm 1", f"/todo add {entry}")
    assert (command == "/todo done 1" or bool(held and "To mark it: /todo done 1" in held.hint)) is is_done


CHIROPODIST = ("/schedule add Chiropodist --at 2026-03-12 11:00", "/schedule add Bridge evening --at 2026-03-19 18:00")


@pytest.mark.parametrize(
    ("said", "command", "meant"),
    [
        ("the chiropodist is on friday rather than thursday", "edit Chiropodist --at 11:00", "2026-03-13 11:00"),
        ("the chiropodist is on thursday instead of friday", "edit Chiropodist --at 11:00", "2026-03-12 11:00"),
        ("chiropodist friday at two in the afternoon", "edit Chiropodist --at 14:00", "2026-03-13 14:00"),
        (
            "move the chiropodist? Dr Lee can only do friday at 2 in the afternoon",
            "edit 1 --at 14:00",
            "2026-03-13 14:00",
        ),
        ("the chiropodist is Dr Lee instead of Dr Kim on friday at 2 pm", "edit 1 --at 14:00", "2026-03-13 14:00"),
        ("instead of thursday the chiropodist is now friday at 2 pm", "edit 1 --at 14:00", "2026-03-13 14:00"),
    ],
)
def test_an_entry_is_moved_to_the_day_that_it_is_on_now(said: str, command: str, meant: str) -> None:
    moved, _ = becomes(said, f"/schedule {command}", *CHIROPODIST)
    assert moved.endswith(f"--at {meant}")


@pytest.mark.parametrize("named", ["Bridge evening", "2"])
def test_an_entry_does_not_get_the_time_that_another_one_gets(named: str) -> None:
    said = "the chiropodist is on friday at two in the afternoon, and as for the bridge evening, there won't be one"
    step = "change the time of 'Bridge evening' to saturday 18:00"
    moved, _ = becomes(said, f"/schedule edit {named} --at saturday 18:00", *CHIROPODIST, step=step)
    assert moved == f"/schedule edit {named} --at saturday 18:00"
