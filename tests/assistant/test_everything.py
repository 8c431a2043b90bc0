"""A request for everything on a list: the command that is made of it needs no confirmation of its ids."""

from __future__ import annotations

import pytest
from support.waits import no_waits

from benchmarks.assistant.dataset import Call, Request
from benchmarks.assistant.player import player
from benchmarks.assistant.run import solve

PASSPORT, NURSERY, PEAS = "renew my passport", "pay the nursery", "stake the sweet peas"
SETUP = [f"/todo add {one}" for one in (PASSPORT, NURSERY, PEAS)]


@pytest.mark.parametrize(
    ("said", "command", "left"),
    [
        ("delete all my todos", "/todo rm all", []),
        ("delete everything on my todo list", "/todo rm everything", []),
        ("delete everything on my todo list except the passport", "/todo rm all except passport", [PASSPORT]),
        ("delete everything on my list but the passport", "/todo rm 2, 3", [PASSPORT]),
        ("delete everything on my list except the passport", f"/todo rm {NURSERY} {PEAS}", [PASSPORT]),
        ("mark everything as done except the passport", "/todo done all", [PASSPORT]),
    ],
)
def test_everything_goes_and_nobody_is_asked(said: str, command: str, left: list[str]) -> None:
    request = Request(id="x", kind="change", language="en", said=said, setup=SETUP, calls=[], answer="OK.")
    with no_waits():
        row = solve(player([Call(tool="todo", input=command)], "OK."), request)
    assert row.asked == []
    assert [one.split("'")[1] for one in row.agenda if " open " in one] == left


def test_ids_of_a_request_that_does_not_say_all_are_asked_about() -> None:
    request = Request(
        id="x", kind="change", language="en", said="clean it up a bit", setup=SETUP, calls=[], answer="OK."
    )
    with no_waits():
        row = solve(player([Call(tool="todo", input="/todo rm 2, 3")], "OK."), request)
    assert len(row.asked) == 1
    assert len(row.agenda) == len(SETUP)
