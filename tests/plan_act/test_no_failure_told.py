"""Right runs that look like failed or unfinished ones: results with a "not" or a "failed" that tell of no failure,
wishes that go on about the one before, days by their date in every week, numbers that nobody has to give."""

from __future__ import annotations

import json

import pytest
from langchain_core.tools import BaseTool
from plan_act.test_told_failures import MARCH, giving, is_met, run
from support.plan_act import Invoke, act, done, planned, play, replanned
from thoughtgraph.tools.calls.results import tells_failure


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("Declined the invitation", "decline invitation"),
        ("Denied access", "deny access"),
        ("Error report filed", "report the error"),
        ("Failed jobs restarted: 3", "restart the failed jobs"),
        ("Sent: I can't come", "Text Bo that I can't come"),
        ("Don't Stop Me Now is playing", "play Don't Stop Me Now"),
        ("Error 404 added", "add Error 404"),
        ("Failover complete", ""),
        ("You will not receive emails from us", ""),
        ("You don't need to do anything else", ""),
        ("Marked as not spam", ""),
        ("Do not disturb is on", ""),
        ("Booked but not yet paid", ""),
        ("Guests cannot see it anymore", ""),
        ("Files failed: 0, moved: 3", ""),
        ("Sorry to see you go, you are unsubscribed", ""),
        ("Not-Aus aktiviert", ""),
        ("No se olvide: reservado", ""),
        ("{'error': None, 'id': 3}", ""),
        ('{"error": null, "rows": [1, 2', ""),
        (json.dumps([{"error": None, "id": 3}]), ""),
        (json.dumps({"error": "none"}), ""),
        (json.dumps({"error": {"code": 0}}), ""),
        (json.dumps({"added": 3, "errors": ["row 4"]}), ""),
        (json.dumps({"status": "declined"}), "decline"),
        (json.dumps({"status": "ok", "error": "low battery"}), ""),
        ("x" * 200_000, ""),
        ("[" * 200_000, ""),
    ],
)
def test_no_failure_is_told(result: str, said: str) -> None:
    assert not tells_failure(result, said)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("Error: offline", "report the error"),
        ("Failed to decline", "decline"),
        ("Failed to restart", "restart the failed job"),
        ("Payment declined", "pay the bill"),
        ("You don't have access", ""),
        ("I do not have permission", ""),
        ("Error: 0 seats left", ""),
        ("Door not locked", "lock the door"),
        ("{'error': 'offline'}", ""),
        (json.dumps(["Error: offline"]), ""),
        (json.dumps({"status": "declined"}), "pay"),
        (json.dumps({"error": {"code": 4}}), ""),
        (json.dumps({"data": None, "errors": [{"message": "offline"}]}), ""),
    ],
)
def test_a_failure_is_told(result: str, said: str) -> None:
    assert tells_failure(result, said)


def test_what_a_call_was_to_do_is_known_from_the_goal_and_the_call(invoke: Invoke) -> None:
    send = giving("send_message", "Send a message.", "Sent: I can't come", to="string", text="string")
    calls = [act("send_message", {"to": "Bo", "text": "I can't come"})]
    assert is_met(run(invoke, "Tell Bo to go without me", [send], calls, "I sent Bo the message."))


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ("Error: already booked by Eva", "The Blue room has already been booked by Eva."),
        ("Error: already booked by you", "You have already booked the Blue room."),
        ("Error: 已被预订", "蓝色会议室已经被Eva预订了。"),
        ("Error: schon reserviert", "Der Raum ist schon reserviert."),
    ],
)
def test_why_a_call_did_nothing_may_be_told(invoke: Invoke, result: str, told: str) -> None:
    book = giving("book_room", "Book a room.", result, room="string")
    assert (
        run(invoke, "Book the Blue room", [book], [act("book_room", {"room": "Blue"})], told).result["response"] == told
    )


def test_that_nothing_was_done_already_is_no_reason(invoke: Invoke) -> None:
    book = giving("book_room", "Book a room.", "Error: no such room", room="string")
    lie, truth = "I have already booked the Blue room.", "There is no Blue room."
    played = run(invoke, "Book the Blue room", [book], [act("book_room", {"room": "Blue"})], lie, truth)
    assert played.result["response"] == truth


def test_a_call_in_vain_says_nothing_of_a_later_step(invoke: Invoke) -> None:
    tools = [
        giving("book_room", "Book a room.", "Error: taken", room="string"),
        giving("list_rooms", "List the rooms.", "Blue: booked by Eva; Red: free"),
    ]
    told = "Blue has been booked by Eva, Red is free."
    replies = [planned("book it", "list the rooms"), act("book_room", {"room": "Blue"})]
    replies += [done("Blue could not be booked: taken."), replanned("list the rooms"), act("list_rooms", {})]
    replies += [done(told), replanned(response="Blue could not be booked, but Red is free.")]
    assert is_met(play(invoke, replies, tools, goal={"goal": "Book the Blue room, then list the rooms"}))


def _tool(name: str, description: str, **fields: str) -> BaseTool:
    return giving(name, description, "ok", **fields)


TABLE = _tool("book_table", "Book a table.", place="string", time="string")
LUIGI = act("book_table", {"place": "Luigi", "time": "2026-03-13 20:00"})
TISCH = _tool("reserviere_tisch", "Reserviert einen Tisch.", ort="string", zeit="string")
MESA = _tool("reserva_mesa", "Reserva una mesa.", lugar="string", hora="string")


@pytest.mark.parametrize(
    ("goal", "tools", "call"),
    [
        (
            "Book Luigi for Friday and make it 8 pm",
            [TABLE, _tool("make_payment", "Make a payment.", to="string")],
            LUIGI,
        ),
        ("Book Luigi for Friday and set it to 8 pm", [TABLE, _tool("set_alarm", "Set an alarm.", at="string")], LUIGI),
        (
            "Book Luigi for Friday and make it large",
            [TABLE, _tool("machine", "Lets you make tea.", kind="string")],
            LUIGI,
        ),
        (
            "Reserviere Luigi für Freitag und mache es um 20 Uhr",
            [TISCH, _tool("mache_kaffee", "Macht einen Kaffee.", art="string")],
            act("reserviere_tisch", {"ort": "Luigi", "zeit": "2026-03-13 20:00"}),
        ),
        (
            "Reserva Luigi el viernes y pon lo de siempre",
            [MESA, _tool("pon_alarma", "Pone una alarma.", hora="string")],
            act("reserva_mesa", {"lugar": "Luigi", "hora": "2026-03-13 20:00"}),
        ),
    ],
)
def test_a_wish_that_goes_on_about_the_one_before_is_none_of_its_own(
    invoke: Invoke, goal: str, tools: list[BaseTool], call: str
) -> None:
    played = run(invoke, goal, tools, [call], "That is seen to.", **MARCH)
    assert is_met(played) and len(played.result["observations"]) == 1


@pytest.mark.parametrize("older", [True, False])
def test_what_was_read_to_be_so_need_not_be_done(invoke: Invoke, older: bool) -> None:
    tools = [
        giving("get_status", "Get the status of the house.", "front door: locked"),
        _tool("start_heating", "Start the heating.", room="string"),
        _tool("lock_door", "Lock a door.", door="string"),
    ]
    calls = [act("get_status", {}), act("start_heating", {"room": "all"})]
    goal = "Start the heating and lock the front door"
    if older:
        assert is_met(run(invoke, goal, tools, calls, "The heating is on; the front door was already locked."))
    else:
        calls.append(done("Both are seen to."))
        assert is_met(run(invoke, goal, tools, [*calls, act("lock_door", {"door": "front"})], "Both are seen to."))
