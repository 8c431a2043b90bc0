"""Appointments that the user names only to tell when something else is."""

from __future__ import annotations

import pytest
from thoughtgraph.tests.support.commands import becomes

_SETUP = (
    "/schedule add Budget call --at 2026-03-12 11:00",
    "/schedule add Audit meeting --at 2026-03-13 11:00-12:40",
    "/schedule add Demo --at 2026-03-13 16:00",
    "/todo add file the expenses",
)
_LUNCH = "lunch w/ Cosima on friday, straight after the audit meeting ends. calendar it"


@pytest.mark.parametrize(
    ("said", "command", "becomes_this"),
    [
        (_LUNCH, "/schedule add lunch w/ Cosima", "/schedule add lunch w/ Cosima --at 2026-03-13 12:40"),
        (_LUNCH, "/schedule add lunch w/ Cosima --at friday", "/schedule add lunch w/ Cosima --at 2026-03-13 12:40"),
        (
            _LUNCH,
            "/schedule add lunch w/ Cosima --at friday 13:00",
            "/schedule add lunch w/ Cosima --at 2026-03-13 12:40",
        ),
        (_LUNCH, "/todo add lunch w/ Cosima --due friday", "/schedule add lunch w/ Cosima --at 2026-03-13 12:40"),
        (
            "Friday, once the audit meeting is over: debrief with Bo, 30 minutes",
            "/schedule add debrief with Bo --at friday --for 30m",
            "/schedule add debrief with Bo --at 2026-03-13 12:40 --for 30m",
        ),
        (
            "coffee with Jo straight after the demo",
            "/schedule add coffee with Jo straight after the demo",
            "/schedule add coffee with Jo --at 2026-03-13 17:00",
        ),
        (
            "catch up with Jo as soon as the demo is done, 45 min at Blue Bean",
            "/schedule add catch up with Jo --at friday --for 45m --place Blue Bean",
            "/schedule add catch up with Jo --at 2026-03-13 17:00 --for 45m --place Blue Bean",
        ),
        (
            "move the demo to straight after the audit meeting",
            "/schedule edit Demo --at friday",
            "/schedule edit Demo --at 2026-03-13 12:40",
        ),
    ],
)
def test_what_follows_an_appointment_begins_at_its_end(said: str, command: str, becomes_this: str) -> None:
    assert becomes(said, command, *_SETUP) == (becomes_this, None)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("lunch with Bo after the audit meeting at 1", "/schedule add lunch with Bo --at friday 13:00"),
        ("lunch with Bo some time after the audit meeting", "/schedule add lunch with Bo --at friday 13:00"),
        ("lunch with Bo on monday right after the audit meeting", "/schedule add lunch with Bo --at monday 13:00"),
        ("right after the audit meeting I fly to Rome. and Ana is on Monday", "/schedule add Ana --at monday 9:00"),
        ("Mum's train is right after the demo starts", "/schedule add Mum's train --at friday 16:05"),
        ("a walk right after lunch on friday", "/schedule add walk --at friday 13:00"),
        ("right after the gym ends I see Bo", "/schedule add Bo --at friday 13:00"),
    ],
)
def test_no_other_time_is_taken_for_an_end(said: str, command: str) -> None:
    assert becomes(said, command, *_SETUP)[0] == command


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (_LUNCH, "/schedule edit Audit meeting --place lunch w/ Cosima"),
        (_LUNCH, "/schedule edit 2 lunch w/ Cosima"),
        ("before the demo I need to file the slides, put that down", "/schedule edit 3 file the slides"),
        ("print the handouts before the audit meeting", "/schedule rm 2"),
        ("move the demo to straight after the audit meeting", "/schedule edit Audit meeting --at friday 14:00"),
        ("Cosima has the keys until the budget call, note it", "/schedule edit 1 --place Cosima"),
    ],
)
def test_who_only_tells_the_time_by_an_entry_does_not_change_it(said: str, command: str) -> None:
    against = becomes(said, command, *_SETUP)[1]
    assert against
    assert "only to say when something else is" in against.hint


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("move the audit meeting to after the demo", "/schedule edit 2 --at friday 17:00"),
        ("the demo is at 5 now, before the demo I eat", "/schedule edit demo --at 17:00"),
        ("before I forget, the demo is in room 4", "/schedule edit demo --place room 4"),
        ("after the budget call was so long, make the demo 30 minutes", "/schedule edit demo --for 30m"),
        ("the audit meeting needs the big room, after the demo got it", "/schedule edit 2 --place big room"),
        ("no time after the budget call, cancel the demo", "/schedule rm 3"),
        ("until further notice the demo is off", "/schedule rm demo"),
    ],
)
def test_an_entry_of_which_more_is_said_is_changed(said: str, command: str) -> None:
    against = becomes(said, command, *_SETUP)[1]
    assert not (against and "only to say when" in against.hint)
