"""Right runs that look like failed or unfinished ones: results with a "not" or a "failed" that tell of no failure,
wishes that go on about the one before, days by their date in every week, numbers that nobody has to give."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool, Tool
from plan_act.test_told_failures import MARCH, giving, is_met, run
from support.plan_act import Invoke, act, done, planned, play, replanned
from thoughtgraph.nodes.plan_act.checks.clauses import OF_WORDS
from thoughtgraph.tools.calls.effects import acts, only_reads
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
    played = play(invoke, replies, tools, goal={"goal": "Book the Blue room, then list the rooms"})
    assert len(played.model.requests) == len(replies)
    # Nothing was booked, and the answer says so.
    assert played.result["stop_reason"]["kind"] == "answered"
    assert played.result["response"] == "Blue could not be booked, but Red is free."


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


@pytest.mark.parametrize(
    ("name", "description", "is_act"),
    [
        ("door_lock_state", "Lock state of each door", False),
        ("shop_order_list", "Ordered items of a shop", False),
        ("crm_move_deal", "Moves a deal", True),
        ("crm_copy_apply_label", "Apply a label", False),
        ("crm_apply_label", "Applies a label", True),
    ],
)
def test_a_noun_behind_a_servers_name_is_no_verb(name: str, description: str, is_act: bool) -> None:
    tool = _tool(name, description, x="string")
    assert acts(tool) is is_act and not only_reads(tool)


WAIT = _tool("wait", "Wait.", seconds="number")
ROTATE = _tool("rotate", "Rotate it.", degrees="number")
NOTE = _tool("note", "Note it.", text="string")


@pytest.mark.parametrize(
    ("goal", "tool", "given", "passes"),
    [
        ("Restart server 3 and see that it is up", WAIT, {"seconds": 9}, True),
        ("Turn the picture upside down", ROTATE, {"degrees": 180}, True),
        ("Turn the picture by 90 degrees", ROTATE, {"degrees": 18}, False),
        ("Note 12 crates for PO-4711 in 2026", NOTE, {"text": "PO-4711 for 12 crates 2026"}, True),
        ("Notiere 12 Kisten für KW-4711", NOTE, {"text": "KW47 11 12 Kisten 2026"}, True),
        ("Note the account of Bo", NOTE, {"text": "GB33 BUKB 2020 1555 5555 55"}, False),
    ],
)
def test_numbers_that_a_model_may_know_and_those_that_it_may_not(
    invoke: Invoke, goal: str, tool: BaseTool, given: dict[str, Any], passes: bool
) -> None:
    replies = [planned("do it"), act(tool.name, given), done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, replies, [tool], goal={"goal": goal}, interactive=False, **MARCH)
    assert len(played.result["observations"]) == passes


@pytest.mark.parametrize(
    ("goal", "day"),
    [
        ("Book a room from March 20, recurring", "2026-03-27"),
        ("Book a room on Fridays from March 20", "2026-03-27"),
        ("Move the review from March 27 to the Friday after", "2026-04-03"),
        ("Reserva una sala cada semana desde el 20/03", "2026-03-27"),
        ("Réserve une salle chaque semaine à partir du 20.03.2026", "2026-03-27"),
        ("3月20日から毎週部屋を予約して", "2026-03-27"),
    ],
)
def test_a_day_of_every_week_may_be_a_later_one(invoke: Invoke, goal: str, day: str) -> None:
    book = _tool("book_room", "Book a room.", day="string")
    played = run(invoke, goal, [book], [act("book_room", {"day": day})], "Seen to.", **MARCH)
    assert len(played.result["observations"]) == 1


@pytest.mark.parametrize(
    ("description", "passes"),
    [
        ("Send an SMS to Bo", False),
        ("Search notes, ignoring case", False),
        ("Lists my loans. No input needed", True),
        ("Listet meine Ausleihen auf; die Eingabe wird ignoriert", True),
        ("列出借阅的书，忽略输入", True),
    ],
)
def test_an_empty_text_goes_only_to_a_tool_that_says_so(invoke: Invoke, description: str, passes: bool) -> None:
    def loans(_: str) -> str:
        return "Gilead"

    tool = Tool(name="loans", description=description, func=loans)
    first = [act("loans", "")] if passes else [act("loans", ""), act("loans", "all")]
    replies = [planned("do it"), *first, done("Gilead"), replanned(response="Gilead")]
    given = play(invoke, replies, [tool], goal={"goal": "My loans"}).result["observations"]
    assert [seen["input"] for seen in given] == ["" if passes else "all"]


@pytest.mark.parametrize(
    ("goal", "of_words"),
    [
        ("Write a poem about time off", True),
        ("Write Bo about the day off", True),
        ("Write the day off request", True),
        ("Write two damaged crates off", False),
        ("Write the printer off", False),
    ],
)
def test_writing_about_a_day_off_is_writing(goal: str, of_words: bool) -> None:
    assert bool(OF_WORDS.search(goal)) is of_words
