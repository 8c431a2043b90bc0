"""A request that names nothing yet, or breaks off before it does, is asked about at once."""

from __future__ import annotations

import pytest

from tests.support.commands import becomes


@pytest.mark.parametrize(
    ("said", "text", "begun"),
    [
        ("Remind me to pick up the, hang on, there's somebody at the door", "pick up the parcel", "pick up the"),
        ("remind me to pick up the... hold on", "pick up the", "pick up the"),
        ("remind me to pick up the", "pick up the", "pick up the"),
        ("Remind me to buy some, one sec, the baby's crying", "buy some", "buy some"),
        ("put down that i need to fetch the, oh, there's the doorbell", "fetch the, oh", "fetch the"),
        ("i must book an… back in a sec", "book an", "book an"),
        ("Add milk to my list and remind me to call my, wait, the phone", "call my phone", "call my"),
        ("提醒我去取那个，等一下，有人敲门", "取那个", "去取那个"),
    ],
)
def test_a_request_that_breaks_off_is_asked_about(said: str, text: str, begun: str) -> None:
    asked = becomes(said, f"/todo add {text}")[1]

    assert asked is not None and asked.at_once and asked.stands
    assert f"“{begun} …”" in asked.question or f"“{begun}……”" in asked.question


@pytest.mark.parametrize(
    "text",
    [
        "pick up the dry cleaning, hang on, there's somebody at the door",
        "pick up the, hang on, dry cleaning",
        "pick up the, um, dry cleaning",
        "pick up the... dry cleaning",
        "pick up the car. Hang on, there's somebody at the door",
        "buy the - what's it called - grout",
        "buy vitamin a",
        "wait for the plumber",
        "ring the doorbell company",
        "tell the kids",
        "read the... I Ching",
        "call the, sorry, the plumber",
    ],
)
def test_a_request_that_goes_on_is_not_asked_about(text: str) -> None:
    assert becomes(f"remind me to {text}", f"/todo add {text}")[1] is None


def test_what_is_complete_beside_it_is_added() -> None:
    said = "Add milk to my list and remind me to pick up the, hang on, the door"

    assert becomes(said, "/todo add milk")[1] is None
    assert becomes("提醒我去取快递，等一下，有人敲门", "/todo add 取快递")[1] is None


@pytest.mark.parametrize(
    ("answer", "added"),
    [
        ("Right, where was I. The dry cleaning", "/todo add pick up the dry cleaning"),
        ("dry cleaning", "/todo add pick up the dry cleaning"),
        ("pick up the dry cleaning", "/todo add pick up the dry cleaning"),
        ("no", None),
    ],
)
def test_the_answer_gives_the_rest(answer: str, added: str | None) -> None:
    said = "Remind me to pick up the, hang on, there's somebody at the door"
    asked = becomes(said, "/todo add pick up the, hang on, there's somebody at the door")[1]

    assert asked is not None
    assert asked.completed(answer) == added


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("oh and one more for my list, nearly forgot!!", "nearly forgot!!"),
        ("oh and one more for my list, nearly forgot!!", "bleed the radiators"),
        ("another one for the list before i forget", "before i forget"),
        ("one last thing, i almost forgot", "one last thing"),
        ("can you add a todo?", "buy milk"),
        ("还有一件事，差点忘了，帮我记一下", "差点忘了"),
    ],
)
def test_a_request_that_names_nothing_yet_is_asked_about(said: str, text: str) -> None:
    asked = becomes(said, f"/todo add {text}", "/todo add bleed the radiators")[1]

    assert asked is not None and asked.at_once
    assert asked.completed("descale the kettle") == "/todo add descale the kettle"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("one more coat of paint for the shed, put it on my list", "one more coat of paint for the shed"),
        ("one more for my list: stamps", "stamps"),
        ("oh nearly forgot, stamps", "stamps"),
        ("one more job, mend the gate", "mend the gate"),
        ("remind me to buy another blanket", "buy another blanket"),
        ("还有一件事，记得买盐", "买盐"),
    ],
)
def test_what_is_named_beside_such_words_is_added(said: str, text: str) -> None:
    assert becomes(said, f"/todo add {text}")[1] is None
