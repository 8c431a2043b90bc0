"""Promises about events and state that no test held them to until a mutant survived."""

from __future__ import annotations

import re
from typing import Any

from support.modes import EXTERNAL_LOOP, RIGHT, TASK, wrong
from thoughtgraph.traces.events import Recorder, record, recording


def test_an_event_says_by_which_version_it_was_written_when_and_where_in_its_run() -> None:
    with recording() as recorder:
        first, second = record("goal", task="count"), record("thought", reply="one")
    run = recorder.run_id
    assert re.fullmatch("[0-9a-f]{12}", run)
    assert [event["seq"] for event in recorder.events] == [0, 1]
    assert [first, second] == [f"{run}:0", f"{run}:1"] == [event["id"] for event in recorder.events]
    for event in recorder.events:
        assert (event["version"], event["run_id"]) == (1, run)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", event["time"])


def test_nothing_is_kept_outside_of_a_recording_nor_behind_it() -> None:
    assert record("goal", task="before") is None
    with recording("outer") as outer:
        with recording("inner") as inner:
            record("goal", task="inside")
        record("goal", task="outside")
    assert record("goal", task="behind") is None
    assert [event["data"]["task"] for event in inner.events] == ["inside"]
    assert [event["data"]["task"] for event in outer.events] == ["outside"]


def test_a_recording_ends_with_an_error_as_well() -> None:
    try:
        with recording("run"):
            raise RuntimeError("stop")
    except RuntimeError:
        assert record("goal", task="behind") is None


def test_a_cause_is_said_for_one_event_alone() -> None:
    recorder = Recorder("run", 3, [{"source": "run:2", "relation": "led_to"}])
    recorder.add("thought")
    recorder.add("thought")
    recorder.add("thought", [{"source": "run:4", "relation": "verified"}])
    said = [[link["source"] for link in event["links"]] for event in recorder.events]
    assert said == [["run:2"], [], ["run:4"]]


def test_the_outcome_says_what_the_run_has_cost_and_which_attempt_was_best() -> None:
    script = EXTERNAL_LOOP.script([wrong(0.1), wrong(0.5), RIGHT])
    result: Any = script.graph().invoke(dict(TASK))
    outcome = result["events"][-1]["data"]
    assert outcome["usage"] == result["usage"]
    assert result["usage"]["total_tokens"] == 45
    assert (outcome["best"], outcome["stop_reason"]) == (3, result["stop_reason"])
