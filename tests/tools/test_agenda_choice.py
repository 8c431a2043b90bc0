"""Which entries an answer means, and what a request excepts from "everything": nothing goes that is to stay."""

from __future__ import annotations

import pytest
from support.commands import NOW, becomes
from thoughtgraph.tools.agenda.checks.asked_about.choice import chosen_by
from thoughtgraph.tools.agenda.checks.entries import Entry
from thoughtgraph.tools.likeness import traits

LIST = (
    "/todo add renew my passport --priority high",
    "/todo add pay the nursery --priority high",
    "/todo add stake the sweet peas",
    "/todo add wash the net curtains",
)
BOARD = ("/todo add annual leave form", "/todo add renew my passport", "/todo add pay the nursery")


@pytest.mark.parametrize(
    "said",
    [
        "wipe my whole list bar the urgent one",
        "Take everything off my list apart from the urgent one please.",
        "all of my todos can go except the urgent one",
        "delete all of my todos, but not the important one",
        "clear the whole list, just keep the urgent one",
        "remove everything on my list. leave the urgent one",
    ],
)
@pytest.mark.parametrize("command", ["/todo rm all", "/todo rm everything", "/todo rm 2,3,4", "/todo rm 1, 3, 4"])
def test_what_a_request_leaves_open_of_what_stays_is_asked_about(said: str, command: str) -> None:
    made, asked = becomes(said, command, *LIST)
    assert made == command
    assert asked is not None
    assert asked.at_once
    assert asked.question.startswith("which of these is to stay?\n1: renew my passport")
    for answer in ("the passport", "1", "the first one", "the passport stays", "keep the passport, the rest can go"):
        assert asked.completed(answer) == "/todo rm 2 3 4", answer
    for answer in (
        "the nursery, the peas and the curtains can go",
        "don't remove the passport",
        "all but the passport",
    ):
        assert asked.completed(answer) == "/todo rm 2 3 4", answer
    assert asked.completed("the passport and the nursery") == "/todo rm 3 4"
    assert asked.completed("what do you mean?") is None
    # Once it is answered, only what the answer leaves may go.
    assert becomes([said, "the passport stays"], "/todo rm 2 3 4", *LIST)[1] is None
    assert becomes([said, "the passport stays"], "/todo rm 1 3 4", *LIST)[1] is not None


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("remove everything from my list except the passport", "2, 3, 4"),
        ("remove everything from my list besides the passport and the peas.", "2, 4"),
        ("remove everything from my list apart from the urgent ones", "3, 4"),
    ],
)
def test_what_a_request_excepts_by_name_or_priority_stays(said: str, left: str) -> None:
    assert becomes(said, "/todo rm all", *LIST) == (f"/todo rm {left}", None)
    assert becomes(said, f"/todo rm {left}", *LIST)[1] is None
    _, held = becomes(said, "/todo rm 1, 2, 3, 4", *LIST)
    assert held is not None
    assert not held.at_once, "the user has said it, so the model is told first"


@pytest.mark.parametrize("named", ["all except passport", "everything but the passport", "all bar my passport"])
def test_a_command_for_all_but_one_is_for_the_others(named: str) -> None:
    said = "delete everything on my todo list except the passport"
    assert becomes(said, f"/todo remove {named}", *LIST) == ("/todo rm 2, 3, 4", None)
    _, asked = becomes("delete everything on my list except the urgent one", "/todo rm all except urgent", *LIST)
    assert asked is not None
    assert asked.question.startswith("which of these is to stay?")


def test_an_entry_of_such_a_name_is_one() -> None:
    there = ("/todo add pack everything but the kitchen sink", *LIST)
    said = "remove 'pack everything but the kitchen sink'"
    assert becomes(said, "/todo rm pack everything but the kitchen sink", *there)[1] is None


@pytest.mark.parametrize("said", ["the passport stays", "leave the passport", "keep the passport on there"])
def test_what_stays_is_not_done(said: str) -> None:
    _, held = becomes(said, "/todo done renew my passport", *LIST)
    assert held is not None
    assert held.stands


def test_the_one_urgent_entry_is_known() -> None:
    said = "wipe my whole list bar the urgent one"
    assert becomes(said, "/todo rm all", LIST[0], *LIST[2:]) == ("/todo rm 2, 3", None)


def test_the_model_is_told_what_stays_of_a_chinese_list() -> None:
    said = "把清单上的全部删掉，除了护照"
    there = ("/todo add 换护照", "/todo add 给玫瑰浇水", "/todo add 洗窗帘")
    _, held = becomes(said, "/todo rm all", *there)
    assert held is not None
    assert held.hint == "用户要保留：1: 换护照。请用：/todo rm 2 3"
    assert becomes(said, "/todo rm 2 3", *there)[1] is None


@pytest.mark.parametrize(
    ("answer", "command"),
    [
        ("the passport", "/todo rm 2"),
        ("2", "/todo rm 2"),
        ("2 and 3", "/todo rm 2 3"),
        ("the passport and the nursery", "/todo rm 2 3"),
        ("not the passport, the nursery", "/todo rm 3"),
        ("the nursery. keep the passport", "/todo rm 3"),
        ("keep the passport and the leave form, please", "/todo rm 3"),
        ("the passport, keep the rest", "/todo rm 2"),
        ("the rest can go, the passport stays", "/todo rm 1 3"),
        ("everything but the passport", "/todo rm 1 3"),
        ("all of them", "/todo rm 1 2 3"),
        # A word of an entry's own, and an entry with a letter wrong.
        ("the leave form", "/todo rm 1"),
        ("leave form please", "/todo rm 1"),
        ("nursrey", "/todo rm 3"),
        # Two are left, and nothing says which.
        ("not the passport", None),
        ("the passport stays", None),
        ("none of your business", None),
    ],
)
def test_an_answer_that_says_what_stays_ends_nothing_of_it(answer: str, command: str | None) -> None:
    _, asked = becomes("remove the thing I told you about", "/todo rm that thing", *BOARD)
    assert asked is not None
    assert asked.completed(answer) == command


@pytest.mark.parametrize(("answer", "goes"), [("yes", True), ("the nurrsery", True), ("keep the nursery", False)])
def test_an_entry_that_is_to_stay_is_not_agreed_to(answer: str, goes: bool) -> None:
    _, asked = becomes("I paid Ruth, tick it", "/todo done 2", "/todo add stake the peas", "/todo add pay the nursery")
    assert asked is not None
    assert (asked.completed(answer) == "/todo done 2") is goes


def test_an_answer_to_a_question_of_the_models_may_name_the_entry_with_a_letter_wrong() -> None:
    there = ("/todo add tell Perpetua about the rota", "/todo add tell Odile about the leak")
    said = ["she knows now, caught her in the car park. tick it", "odlie, srry"]
    assert becomes(said, "/todo done 2", *there)[1] is None
    assert becomes(said, "/todo done 1", *there)[1] is not None


THREE = ("/todo add renew my passport", "/todo add paint the nursery", "/todo add buy peas")


@pytest.mark.parametrize(
    ("answer", "command"),
    [
        # What stays, by its place or number, or all of it.
        ("keep the first one", None),
        ("the first stays", None),
        ("not the first one", None),
        ("the peas stay", None),
        ("don't touch 2", None),
        ("keep them all", None),
        ("no, all of them stay", None),
        ("leave all of them", None),
        ("I need every one of them", None),
        ("the nursery is not done yet", None),
        ("the passport has to stay, peas too", "/todo rm 2"),
        ("the passport and peas are done, nursery isn't", "/todo rm 1 3"),
        ("all but the first", "/todo rm 2 3"),
        ("all but the last one", "/todo rm 1 2"),
        # What need not stay.
        ("no need to keep the passport", "/todo rm 1"),
        ("I don't want to keep the peas", "/todo rm 3"),
        ("I want to keep the peas", None),
        # Which others, is open.
        ("the rest", None),
        ("the other one", None),
        ("not the passport, the other one", None),
        # "All" and "every" that mean one, or some.
        ("all right, the peas", "/todo rm 3"),
        ("the one every week", None),
        ("both", None),
        ("both the passport and the peas", "/todo rm 1 3"),
        ("every one of them", "/todo rm 1 2 3"),
        ("all three please", "/todo rm 1 2 3"),
        ("the first two", "/todo rm 1 2"),
        ("the first and the third", "/todo rm 1 3"),
        ("the one at 2 pm", None),
        ("I think number 2", "/todo rm 2"),
        ("1" * 5000, None),
    ],
)
def test_an_answer_is_not_read_as_its_opposite(answer: str, command: str | None) -> None:
    _, asked = becomes("remove the thing I told you about", "/todo rm that thing", *THREE)
    assert asked is not None
    assert asked.completed(answer) == command


@pytest.mark.parametrize(
    ("answer", "command"),
    [
        ("都不要删", None),
        ("都留着", None),
        ("留下第一个", None),
        ("另外那个", None),
        ("留言那个", "/todo rm 1"),
        ("留下给爷爷留言", None),
        ("全部删掉", "/todo rm 1 2 3"),
        ("房租和面包", "/todo rm 2 3"),
    ],
)
def test_a_chinese_answer_is_not_read_as_its_opposite(answer: str, command: str | None) -> None:
    there = ("/todo add 给爷爷留言", "/todo add 交房租", "/todo add 买面包")
    _, asked = becomes("把我说过的那个删掉", "/todo rm 那个东西", *there)
    assert asked is not None
    assert asked.completed(answer) == command


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("the passport, not the nursery", "2 3 4"),
        ("the passport stays, and the nursery", "3 4"),
        ("not the passport", None),
        ("the nursery isn't done yet", "1 3 4"),
        ("I don't need the nursery", "2"),
    ],
)
def test_what_is_not_the_answer_to_what_stays_does_not_stay(answer: str, left: str | None) -> None:
    _, asked = becomes("wipe my whole list bar the urgent one", "/todo rm all", *LIST)
    assert asked is not None
    assert asked.completed(answer) == (f"/todo rm {left}" if left else None)


@pytest.mark.parametrize("answer", ["yes please", "correct", "that's right", "yes, thanks"])
def test_words_that_agree_are_no_misspelled_entries(answer: str) -> None:
    there = (
        "/todo add sign the lease",
        "/todo add collect parcel",
        "/todo add night shift",
        "/todo add clean fish tanks",
    )
    _, asked = becomes("I transferred it to Ruth, tick it", "/todo done 5", *there, "/todo add pay the nursery")
    assert asked is not None
    assert asked.completed(answer) == "/todo done 5"
    assert asked.completed("the leese") == "/todo done 1"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Remove the passport and the nursery, leave the rest", "/todo rm 1, 2"),
        ("tick off 1 and 3 and leave the others open", "/todo done 1, 3"),
        ("Delete the first two and keep the last one", "/todo rm 1, 2"),
        ("I paid the nursery and staked the peas, but the shop was out of eggs", "/todo done 2, 3"),
        ("the passport and the nursery are done, but the rest is still open", "/todo done 1, 2"),
        ("Remove the passport and the nursery, but not the curtains", "/todo rm 1, 2"),
        ("Delete all todos, but not the appointments", "/todo rm 1, 2, 3, 4"),
    ],
)
def test_what_a_request_leaves_as_it_is_is_not_asked_about(said: str, command: str) -> None:
    assert becomes(said, command, *LIST) == (command, None)


def test_a_request_for_some_of_a_list_is_not_completed_to_all_of_it() -> None:
    _, held = becomes("remove the passport and the nursery, keep the peas", "/todo rm 1, 2, 3", *LIST)
    assert held is not None
    assert held.hint.endswith("Use: /todo rm 1 2")


def test_an_excepted_entry_is_the_one_that_its_words_name_best() -> None:
    calls = ("/todo add call mum", "/todo add call dad", "/todo add call the bank")
    said = "remove the calls to mum and dad, but not the call to the bank"
    assert becomes(said, "/todo rm 1, 2", *calls) == ("/todo rm 1, 2", None)
    assert becomes("delete everything but the bank call", "/todo rm all", *calls) == ("/todo rm 1, 2", None)
    said = "delete everything except the bank and the call to dad"
    assert becomes(said, "/todo rm 1", *calls)[1] is None
    assert becomes(said, "/todo rm all", *calls)[0] == "/todo rm 1"


def test_a_row_of_figures_is_no_entry() -> None:
    said, there = "remove the peas", ("/todo add stake the sweet peas", "/todo add shell the peas")
    assert becomes([said, "1" * 5000], "/todo rm 1", *there)[1] is not None


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [("not mum, the second one", 2), ("not the first one", 2), ("the second one", 2), ("mum, on the second", 1)],
)
def test_an_entry_that_an_answer_only_leaves_is_not_the_chosen_one(answer: str, chosen: int) -> None:
    calls = [Entry(1, "call mum", "call mum", None), Entry(2, "call the bank", "call the bank", None)]
    found = chosen_by(answer, calls, NOW)
    assert found is not None
    assert found.id == chosen


ALIKE = ("/todo add ring Delacroix about the invoice", "/todo add ring Delacroix about the van")


@pytest.mark.parametrize(
    "said",
    [
        "spoke to Delacroix at long last, tick it off",
        "At last I got hold of Delacroix, cross it off",
        "rang Delacroix last night, tick that off",
        "Rang Delacroix first thing this morning. That's done",
        "caught Delacroix for a second last week, so that one is done",
    ],
)
def test_words_that_count_no_entries_leave_open_which_of_two_is_meant(said: str) -> None:
    asked = becomes(said, "/todo done 1", *ALIKE)[1]
    assert asked is not None
    assert asked.question.startswith("which todo do you mean?")


@pytest.mark.parametrize(
    "said",
    ["tick off the last Delacroix one", "the second of the Delacroix calls is done", "both Delacroix calls done"],
)
def test_the_last_one_of_several_is_not_asked_about(said: str) -> None:
    assert becomes(said, "/todo done 2", *ALIKE)[1] is None


def test_an_exclamation_asks_nothing() -> None:
    for said in ("what a filthy job", "The gutters are clear, what a relief", "What an idiot I am!"):
        assert "asks" not in traits(said), said
    for said in ("what a plumber costs, do you know?", "what is a verruca", "what at two?"):
        assert "asks" in traits(said), said


KILN = ("/todo add get the kiln repaired", "/todo add sweep out the kiln room")


@pytest.mark.parametrize(
    "said",
    [
        "Kiln's mended, cross that off",
        "the kiln is working again",
        "kiln firing fine again, tick it off",
        "somebody came and mended the kiln, so that one can be ticked off",
        "the kiln heats like new",
        "Kiln fixed!",
    ],
)
def test_of_two_entries_that_are_not_alike_the_model_chooses_by_what_the_user_says(said: str) -> None:
    for command in ("/todo done 1", "/todo done get the kiln repaired"):
        assert becomes(said, command, *KILN) == (command, None)


@pytest.mark.parametrize(
    "said",
    ["the kiln's done", "half of the kiln is done", "tick off the kiln", "kiln is sorted", "cross off the kiln thing"],
)
def test_words_that_may_be_said_of_either_entry_are_asked_about(said: str) -> None:
    asked = becomes(said, "/todo done 1", *KILN)[1]
    assert asked is not None
    assert asked.question.startswith("which todo do you mean?")


def test_what_is_to_go_is_asked_about_though_the_entries_are_not_alike() -> None:
    asked = becomes("drop the kiln thing, we are selling up", "/todo rm 1", *KILN)[1]
    assert asked is not None
    assert asked.question.startswith("which todo do you mean?")


CLASSES = (
    "/schedule add Pottery class --at 2026-03-16 18:00 --place Barn",
    "/schedule add Kids' pottery --at 2026-03-14 10:00 --place Barn",
    "/schedule add Class photo --at 2026-03-18 09:00",
)


@pytest.mark.parametrize(
    ("said", "command", "meant"),
    [
        ("Monday's class is in the annexe now", "/schedule edit 3 --place annexe", "/schedule edit 1 --place annexe"),
        ("the class on Monday: annexe, not barn", "/schedule edit 2 --place annexe", "/schedule edit 1 --place annexe"),
        ("cancel the pottery on Saturday", "/schedule rm 1", "/schedule rm 2"),
        ("Wednesday's class thing is off", "/schedule rm Pottery class", "/schedule rm 3"),
        ("Cancel the pottery on Saturday", "/schedule rm 2", "/schedule rm 2"),
        # The day is of something else, that to which it moves, or nothing is named that the other has.
        ("cancel the pottery class, I'm away on Saturday", "/schedule rm 1", "/schedule rm 1"),
        ("move the pottery class to Saturday", "/schedule edit 1 --at saturday", "/schedule edit 1 --at saturday"),
        ("pottery class Saturday 4pm, bin the one in March", "/schedule rm 1", "/schedule rm 1"),
        ("the kids are off on Monday, cancel their pottery", "/schedule rm 2", "/schedule rm 2"),
        ("cancel the kids' pottery on Monday", "/schedule rm 2", "/schedule rm 2"),
    ],
)
def test_the_day_that_the_user_names_tells_which_of_several_appointments_is_meant(
    said: str, command: str, meant: str
) -> None:
    made, asked = becomes(said, command, *CLASSES)
    assert made == meant
    assert asked is None or not asked.question.startswith("which")


def test_what_is_called_off_by_its_day_is_not_another_one_that_is_added_again() -> None:
    there = ("/schedule add Dentist Bryony --at 2026-03-12 09:40", "/schedule add Dentist for me --at 2026-03-26 11:00")
    command = "/schedule add Dentist for me --at 2026-03-26 11:00"
    for said, meant in (
        ("Cancel her dentist tomorrow", 1),
        ("the dentist tomorrow is off", 1),
        ("cancel my dentist", 2),
    ):
        asked = becomes(said, command, *there)[1]
        assert asked is not None, said
        assert asked.hint.endswith(f"/schedule rm {meant}"), said


def test_what_is_put_off_to_a_day_is_not_called_off() -> None:
    said, command = "the concert's been put off until the 28th", "/schedule add Concert --at 2026-03-28 19:00"
    asked = becomes(said, command, "/schedule add Concert --at 2026-03-21 19:00")[1]
    assert asked is None or "/schedule rm" not in asked.hint
