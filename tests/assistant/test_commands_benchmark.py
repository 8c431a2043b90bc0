"""The benchmark of commands without a model: what it counts, and that the checks stay as good as they are."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support.waits import no_waits

from benchmarks.assistant import commands

PAIRS: list[dict[str, Any]] = [json.loads(line) for line in commands.PAIRS.read_text(encoding="utf-8").splitlines()]
RIGHT = ["/todo done post the parcel"]


def pair(**given: Any) -> dict[str, Any]:
    """A request with a parcel on the list."""
    setup = ["/todo add post the parcel"]
    return {
        "said": "posted the parcel",
        "setup": setup,
        "language": "en",
        "right": [RIGHT],
        "wrong": [],
        "lacks": None,
    } | given


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [("right", True)]),
        ({"said": "I haven't posted the parcel yet"}, [("right", False)]),
        ({"wrong": ["/todo add posted the parcel"]}, [("right", True), ("wrong", True)]),
        ({"wrong": ["/todo edit 1 --priority high"]}, [("right", True), ("wrong", True)]),
        ({"right": [], "wrong": ["/todo done post the parcel"]}, [("wrong", False)]),
        (
            {
                "said": "lunch with Ann on friday",
                "right": [["/schedule add lunch with Ann --at friday 12:00"]],
                "lacks": "time",
            },
            [("lacking", True)],
        ),
    ],
    ids=["made", "held back", "caught", "put right", "missed", "asked"],
)
def test_what_becomes_of_a_command_is_judged_by_its_effect(given: dict[str, Any], expected: Any) -> None:
    with no_waits():
        assert [row[:2] for row in commands.judged(pair(**given))] == expected


def test_every_request_is_told_apart_and_its_right_commands_do_something() -> None:
    assert len({one["said"] for one in PAIRS}) == len(PAIRS) == 673
    for one in (given for given in PAIRS if not given["lacks"]):
        reads = all(
            re.match(r"/(?:view|\w+ (?:list|show|find|next))\b", line) for given in one["right"] for line in given
        )
        for given in one["right"]:
            assert reads or commands.by_hand(one, given) != commands.by_hand(one, []), one["said"]


@pytest.mark.slow
def test_the_shares_do_not_fall() -> None:
    with no_waits():
        rows = [row for one in PAIRS[::20] for row in commands.judged(one)]
    shares = {
        name: sum(good for kind, good, _ in rows if kind == name) / sum(kind == name for kind, *_ in rows)
        for name in ("right", "wrong")
    }
    assert shares["right"] >= 0.9
    assert shares["wrong"] >= 0.55
