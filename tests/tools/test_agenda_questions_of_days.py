"""A question about a day is answered by what there is on it, whatever a small model calls for."""

import pytest
from support.commands import becomes

SETUP = (
    "/schedule add Parent-teacher chat --at 2026-03-13 16:30 --for 30m",
    "/schedule add Pick up Marit from the ferry --at 2026-03-14 18:00",
    "/todo add swap lockers with Tallulah",
)
ARVO = "am i free friday arvo? Tallulah wants me to cover her shift 2 til 6"


@pytest.mark.parametrize(
    ("said", "call", "listed"),
    [
        (ARVO, "/todo done swap lockers with Tallulah", "/schedule list 2026-03-13"),
        (ARVO, "/schedule add cover Tallulah's shift of lockers --at friday 14:00-18:00", "/schedule list 2026-03-13"),
        ("what's on friday?", "/schedule rm 1", "/view 2026-03-13"),
        ("anything on the 20th?", "/schedule rm 1", "/view 2026-03-20"),
        ("Is the 20th free?", "/schedule rm 1", "/schedule list 2026-03-20"),
        ("whats on saturday besides the ferry?", "/schedule list saturday --except ferry", "/view saturday"),
    ],
)
def test_a_question_about_a_day_lists_it(said: str, call: str, listed: str) -> None:
    assert becomes(said, call, *SETUP) == (listed, None)


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("am i free friday? if so add gym at 5", "/schedule add gym --at friday 17:00"),
        ("can you move the chat to friday at 5?", "/schedule edit 1 --at friday 17:00"),
        ("when do I swap lockers?", "/todo done 1"),
        ("what's on friday or saturday?", "/schedule rm 1"),
        ("is it possible to cancel the chat on friday?", "/schedule rm 1"),
    ],
)
def test_another_request_lists_nothing(said: str, call: str) -> None:
    assert becomes(said, call, *SETUP)[0] == call


FERRY = "What time's the last ferry back from Skarholm on a Sunday, could you look for me?"


def test_what_is_to_be_looked_up_is_not_found_in_an_entry() -> None:
    missing = becomes(FERRY, "/schedule find Pick up Marit from the ferry", *SETUP)[1]
    assert missing is not None
    assert "Skarholm" in missing.hint
    assert not missing.stands


@pytest.mark.parametrize(
    ("said", "call"),
    [
        (FERRY, "/schedule find ferry"),
        (
            "when do I pick up Marit from the ferry, could you look it up?",
            "/schedule find Pick up Marit from the ferry",
        ),
        ("what time is the ferry on saturday, can you look for me?", "/schedule find Pick up Marit from the ferry"),
        ("what's the thing with the boat?", "/schedule find Pick up Marit from the ferry"),
    ],
)
def test_what_the_user_may_mean_is_looked_for(said: str, call: str) -> None:
    assert becomes(said, call, *SETUP) == (call, None)
