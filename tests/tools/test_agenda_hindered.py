"""What only hinders something else on a day is not what is to be moved, and what need not be on its day is there."""

import pytest
from support.commands import becomes

SETUP = (
    "/todo add post the signed lease --due 2026-03-11",
    "/todo add ring the lawyers about the lease --due 2026-03-11",
    "/schedule add Thurlby site visit --at 2026-03-12 09:30 --for 6h",
)
CALL = (
    "The solicitor call doesn't have to be today. Tomorrow'll do... actually no, I'm in Thurlby all day tomorrow, "
    "make it Friday"
)


@pytest.mark.parametrize(
    "said",
    [
        CALL,
        "The solicitor call can wait. I'm in Thurlby tomorrow, make it Friday.",
        "The solicitor call needn't be today, but we've got the Thurlby visit tomorrow. Friday then.",
    ],
)
def test_what_hinders_is_not_moved(said: str) -> None:
    missing = becomes(said, "/schedule edit Thurlby site visit --at Friday", *SETUP)[1]
    assert missing is not None
    assert "only to say when" in missing.hint


@pytest.mark.parametrize(
    "said",
    [
        "I've got the Thurlby visit tomorrow, make it Friday",
        "I'm in Leeds tomorrow, move the Thurlby site visit to Friday",
        "The Thurlby visit doesn't have to be tomorrow, make it Friday",
    ],
)
def test_what_is_meant_is_moved(said: str) -> None:
    missing = becomes(said, "/schedule edit Thurlby site visit --at Friday", *SETUP)[1]
    assert missing is None


def test_what_need_not_be_on_its_day_is_asked_for_and_not_added() -> None:
    missing = becomes(CALL, "/todo add the solicitor call", *SETUP)[1]
    assert missing is not None
    assert missing.at_once
    assert "2: ring the lawyers" in missing.question
    assert missing.completed("the second one") == "/todo edit 2 --due 2026-03-13"


def test_an_answer_that_names_none_of_them_is_no_leave_to_add_it() -> None:
    call = "/todo add the solicitor call --due 2026-03-11"
    missing = becomes([CALL, "I have told you all there is"], call, *SETUP)[1]
    assert missing is not None
    assert missing.stands
    assert becomes([CALL, "none of them, add a new one"], call, *SETUP)[1] is None


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("remind me to ring Bo, it doesn't have to be today", "/todo add ring Bo"),
        ("add buy stamps, that needn't happen tomorrow", "/todo add buy stamps"),
    ],
)
def test_what_is_new_is_added(said: str, call: str) -> None:
    assert becomes(said, call, *SETUP) == (call, None)


@pytest.mark.parametrize(
    ("said", "day"),
    [("dinner with Bo tomorrow, no make it friday", "friday"), ("dinner with Bo tomorrow, make it friday", "friday")],
)
def test_a_day_that_is_taken_back_is_still_a_slip(said: str, day: str) -> None:
    assert becomes(said, f"/todo add dinner with Bo --due {day}", *SETUP)[0].endswith(("friday", "2026-03-13"))
