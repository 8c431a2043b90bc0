"""What an answer claims of tools that say nothing of their effects: their names alone tell what they do."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from support.plan_act import THREAD, Invoke, act, done, last_words, planned, play, replanned
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import create_plan_act_graph
from thoughtgraph.nodes.plan_act.checks.claims import claims_by_name
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.tools import todo_tool
from thoughtgraph.tools.calls.effects import named_effect

LIE = "I've booked the Rose room."
END = replanned(response=LIE)
ROOM = {"goal": "Book the Rose room"}


def named(name: str, **more: Any) -> BaseTool:
    """A tool that says no more of itself than its name does."""

    def run(about: str) -> str:
        return "ok"

    return StructuredTool.from_function(run, name=name, description="For rooms.", **more)


def test_a_claim_of_what_no_call_did_goes_back_and_the_call_is_made(invoke: Invoke) -> None:
    replies = [planned("book the room"), done(LIE), act("book_room", "Rose"), done(LIE), END]
    played = play(invoke, replies, [named("book_room")], goal=ROOM)
    assert text("en", "note.unfounded", claim=LIE) in last_words(played.model, 2)
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_the_order_itself_is_no_news_that_it_is_done(invoke: Invoke) -> None:
    lie = "I've set the heating to 20."
    goal = {"goal": "Set the heating to 20"}
    played = play(invoke, [planned(response=lie), planned(response=lie)], [named("set_heating")], goal=goal)
    assert played.result["stop_reason"]["kind"] == "steps_failed"


def test_a_claim_that_comes_again_has_failed(invoke: Invoke) -> None:
    played = play(invoke, [END, END], [named("book_room")], goal=ROOM)
    assert played.result["stop_reason"]["kind"] == "steps_failed"
    assert LIE in played.result["response"]


@pytest.mark.parametrize("other", ["reserve", "make_reservation", "run"])
def test_any_call_that_may_have_done_it_supports_the_claim(invoke: Invoke, other: str) -> None:
    replies = [planned("book the room"), act(other, "Rose"), done(LIE), END]
    played = play(invoke, replies, [named("book_room"), named(other)], goal=ROOM)
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_a_look_books_nothing(invoke: Invoke) -> None:
    replies = [planned("book it"), act("find_rooms", "Rose"), done(LIE), act("book_room", "Rose"), done(LIE), END]
    played = play(invoke, replies, [named("book_room"), named("find_rooms")], goal=ROOM)
    assert [seen["tool"] for seen in played.result["observations"]] == ["find_rooms", "book_room"]


@pytest.mark.parametrize(
    ("tool", "goal", "answer"),
    [
        (named("book_room"), "Which room did you book?", LIE),
        (named("book_room"), "Book the Rose room", "I could not do that: say for which day."),
        (named("book_room", metadata={"effects": False}), "Book the Rose room", LIE),
        (named("create_file"), "A poem on files", "I created a poem on files for you: ..."),
        (named("plan_trip"), "Plan a trip", "I planned a trip for you: ..."),
        (named("add"), "Add two and three", "I added them."),
        (named("run_code"), "How do I install it? Tell me the command", "Run the following command: pip install x."),
        (named("reset_password"), "My router does not work", "Reset your router: hold the button for ten seconds."),
        (named("remove_from_cart"), "This list without duplicates: a, a, b", "a, b. I removed the duplicates."),
        (named("book_room"), "Translate: Das Zimmer wurde gebucht", "The room has been booked."),
        (named("book_room"), "Say it in other words: she booked the room", "She says that I booked the room."),
    ],
)
def test_an_answer_that_may_be_true_ends_the_run(invoke: Invoke, tool: BaseTool, goal: str, answer: str) -> None:
    played = play(invoke, [planned(response=answer)], [tool], goal={"goal": goal})
    assert played.result["stop_reason"]["kind"] == "answered"


def test_what_a_tool_returned_or_an_earlier_run_did_may_be_told(invoke: Invoke) -> None:
    def get_ticket(about: str) -> str:
        return "Ticket 17: closed on 3 May by Ana"

    reader = StructuredTool.from_function(get_ticket, description="Get it.")
    said = "Ticket 17 has been closed by Ana."
    replies = [planned("get it"), act("get_ticket", "17"), done(said), replanned(response=said)]
    played = play(invoke, replies, [reader, named("close_ticket")], goal={"goal": "Sum ticket 17 up"})
    assert (played.result["stop_reason"]["kind"], played.result["response"]) == ("goal_met", said)
    before = {"goal": "Confirm that once more please", "background": f"User: Book the Rose room\nAssistant: {LIE}"}
    again = play(invoke, [planned(response=LIE)], [named("book_room")], goal=before)
    assert again.result["stop_reason"]["kind"] == "answered"


def test_beside_tools_that_say_their_effects_a_call_of_one_that_does_not_supports_a_claim(invoke: Invoke) -> None:
    said = "I sent the email to Bob."
    replies = [planned("send the email"), act("send_email", "hi"), done(said), replanned(response=said)]
    with Agenda(":memory:", clock=lambda: datetime(2026, 3, 11, 9)) as agenda:
        tools = [todo_tool(agenda), named("send_email")]
        played = play(invoke, replies, tools, goal={"goal": "Email Bob hi"})
    assert (played.result["stop_reason"]["kind"], played.result["response"]) == ("goal_met", said)


def test_beside_tools_that_say_their_effects_what_another_does_is_known_by_its_name(invoke: Invoke) -> None:
    said = "I have refunded the order."
    replies = [planned("refund it"), done(said), act("refund_order", "12"), done(said), replanned(response=said)]
    tools = [named("note", metadata={"effects": True}), named("refund_order")]
    played = play(invoke, replies, tools, goal={"goal": "Refund order 12"})
    assert [seen["tool"] for seen in played.result["observations"]] == ["refund_order"]
    assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(("tool", "told"), [("book_room", True), ("find_rooms", False), ("room", False)])
def test_the_next_request_is_told_the_call_that_may_have_changed_something(
    invoke: Invoke, tool: str, told: bool
) -> None:
    replies = [planned("x"), act(tool, "Rose"), done("It is seen to."), replanned(response="It is seen to.")]
    model = ScriptedModel(replies=[*replies, planned(response="I cannot.")])
    graph = create_plan_act_graph(model, [named(tool)], checkpointer=InMemorySaver())
    invoke(graph, {"goal": "See to the Rose room"}, THREAD)
    invoke(graph, {"goal": "undo that"}, THREAD)
    assert (f"(What was done: {tool} Rose → ok)" in last_words(model, -1)) is told


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("cancel_order", "Sure! I have just cancelled it."),
        ("cancelOrder", "It has been canceled."),
        ("submit_form", "Submitted your form."),
        ("add_to_cart", "I added two lamps to your cart."),
        ("set_heating", "I've set the heating to 20 degrees"),
        ("send-email", "We sent it."),
        ("undo_last", "I undid it."),
        ("run_report", "I've run it."),
        ("run_report", "Okay, ran the report."),
    ],
)
def test_what_a_tool_does_is_read_from_its_name(name: str, answer: str) -> None:
    assert claims_by_name(answer, [named_effect(named(name))])


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("cancel_order", "Canceled orders are shown in gray."),
        ("cancel_order", "You canceled it last week."),
        ("cancel_order", "Shall I say that I have canceled it?"),
        ("send_email", "The email was sent by Al."),
        ("set_heating", "I set out to help you."),
        ("run_report", "I run it every day."),
        ("cut_video", "Cut the video with ffmpeg."),
        ("write_file", "I wrote a short poem about a file."),
    ],
)
def test_what_others_did_and_what_is_made_of_words_claims_nothing(name: str, answer: str) -> None:
    assert not claims_by_name(answer, [named_effect(named(name))])


@pytest.mark.parametrize("name", ["get_room", "plan_trip", "run", "convertUnits"])
def test_a_name_that_changes_nothing_or_tells_nothing(name: str) -> None:
    assert named_effect(named(name)) == ("", "")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("refund_order", "订单1234已退款。"),
        ("book_room", "好的，已经为您预订了玫瑰厅。"),
        ("cancel_order", "订单取消成功。"),
        ("send_email", "刚刚给王老师发送了邮件"),
    ],
)
def test_in_chinese_too(invoke: Invoke, name: str, answer: str) -> None:
    goal = {"goal": "请处理订单1234"}
    replies = [planned("处理订单"), done(answer), done(answer), replanned(response="还没有处理。")]
    played = play(invoke, replies, [named(name)], goal=goal, language="zh")
    assert played.result["stop_reason"]["kind"] == "steps_failed"
    made = [planned("处理订单"), act(name, "1234"), done(answer), replanned(response=answer)]
    played = play(invoke, made, [named(name)], goal=goal, language="zh")
    assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(
    ("tools", "goal", "answer"),
    [
        (["cancel_order"], "你取消了订单吗？", "已取消。"),
        (["cancel_order"], "我已取消订单，记住", "好的，订单已取消。"),
        (["cancel_order"], "取消订单", "订单还没有取消。"),
        (["cancel_order"], "取消订单", "要取消吗？"),
        (["cancel_order"], "取消订单", "已取消的订单显示为灰色。"),
        (["book_room"], "看看订单", "已查到订单。"),
        (["send_email"], "看看错误", "已发现错误。"),
        (["send_email"], "翻译：The mail has been sent", "邮件已发送。"),
    ],
)
def test_a_chinese_answer_that_may_be_true_ends_the_run(
    invoke: Invoke, tools: list[str], goal: str, answer: str
) -> None:
    replies = [planned(response=answer)]
    played = play(invoke, replies, [named(name) for name in tools], goal={"goal": goal}, language="zh")
    assert played.result["stop_reason"]["kind"] == "answered"


def test_what_a_look_showed_may_be_told_in_chinese(invoke: Invoke) -> None:
    replies = [planned("看订单"), act("get_order", "1234"), done("订单已发货。"), replanned(response="订单已发货。")]
    tools = [named("get_order"), named("ship_order")]
    played = play(invoke, replies, tools, goal={"goal": "订单1234若未发货就取消"}, language="zh")
    assert played.result["stop_reason"]["kind"] == "goal_met"


def pay(to: str = "", amount: float = 0) -> str:
    """Pay someone."""
    return f"paid {amount:g} to {to}"


def list_debts(about: str) -> str:
    """List debts."""
    return "30 to Eva"


HELD = [({"grounded": ["amount"]}, {"to": "Eva", "amount": 50}), ({"required": ["to"]}, {"amount": 50})]


def paying(metadata: dict[str, Any]) -> BaseTool:
    return StructuredTool.from_function(pay, metadata=metadata)


@pytest.mark.parametrize(("metadata", "given"), HELD, ids=["ungrounded", "incomplete"])
@pytest.mark.parametrize("said", ["Done.", "I've paid it.", "It is done.", "已取消。"])
def test_a_call_that_was_held_back_has_done_nothing(
    invoke: Invoke, metadata: dict[str, Any], given: dict[str, Any], said: str
) -> None:
    # A call that lacks something has failed, so its first `done` goes back for that alone.
    replies = [planned("pay"), act("pay", given), *[done(said)] * (3 if "required" in metadata else 2)]
    replies.append(replanned(response="The rest is not known."))
    played = play(invoke, replies, [paying(metadata)], goal={"goal": "Pay what I owe"})
    assert played.result["stop_reason"]["kind"] == "steps_failed"
    assert played.result["observations"] == []


def test_what_an_earlier_call_of_the_tool_did_is_not_what_the_held_one_would_have(invoke: Invoke) -> None:
    replies = [planned("pay Bob 20", "pay Eva"), act("pay", {"to": "Bob", "amount": 20}), done("I've paid Bob.")]
    replies += [replanned("pay Eva"), act("pay", {"to": "Eva", "amount": 50}), *[done("I've paid Eva.")] * 2]
    replies += [replanned(response="I've paid Bob.")]
    tools = [paying({"grounded": ["amount"]})]
    played = play(invoke, replies, tools, goal={"goal": "Pay Bob 20, and Eva what I owe her"})
    assert played.result["stop_reason"]["kind"] == "partly_done"


@pytest.mark.parametrize("said", ["I cannot pay it: how much is it?", "Nothing was paid.", "You owe Eva something."])
def test_who_says_that_it_was_not_made_claims_nothing(invoke: Invoke, said: str) -> None:
    metadata, given = HELD[0]
    replies = [planned("pay"), act("pay", given), done(said), replanned(response=said)]
    played = play(invoke, replies, [paying(metadata)], goal={"goal": "Pay Eva what I owe"})
    assert played.result["stop_reason"]["kind"] == "answered"


def test_a_call_that_was_put_right_may_be_told(invoke: Invoke) -> None:
    metadata, given = HELD[0]
    replies = [planned("pay"), act("pay", given), act("list_debts", "Eva"), act("pay", {**given, "amount": 30})]
    replies += [done("Done."), replanned(response="I've paid Eva 30.")]
    tools = [paying(metadata), StructuredTool.from_function(list_debts)]
    played = play(invoke, replies, tools, goal={"goal": "Pay Eva what I owe"})
    assert (played.result["stop_reason"]["kind"], played.result["response"]) == ("goal_met", "I've paid Eva 30.")


REFUSED = [act("book_room", {"wrong": 1}), act("reserve", "Rose"), act("", "Rose")]


@pytest.mark.parametrize("refused", REFUSED, ids=["does not fit", "no tool", "no name"])
def test_a_call_that_was_refused_has_done_nothing(invoke: Invoke, refused: str) -> None:
    replies = [planned("book it"), refused, done("Done."), done("It is done."), replanned(response="It is not known.")]
    played = play(invoke, replies, [named("book_room"), named("find_rooms")], goal=ROOM)
    assert played.result["stop_reason"]["kind"] == "steps_failed"


@pytest.mark.parametrize(
    ("tools", "replies", "stop"),
    [
        (["book_room"], [REFUSED[0], done("I could not do it.")], "answered"),
        (["book_room"], [REFUSED[0], act("book_room", "Rose"), done("Done.")], "goal_met"),
        (["book_room", "find_rooms"], [act("find_room", "Rose"), act("find_rooms", "Rose"), done("Done.")], "goal_met"),
        (["find_rooms"], [REFUSED[1], done("Done.")], "goal_met"),
    ],
    ids=["honest", "put right", "a reader put right", "readers alone"],
)
def test_where_no_refused_call_was_needed_the_step_is_done(
    invoke: Invoke, tools: Any, replies: list[str], stop: str
) -> None:
    script = [planned("see to it"), *replies, replanned(response="See above.")]
    played = play(invoke, script, list(map(named, tools)), goal={"goal": "See to the Rose room"})
    assert played.result["stop_reason"]["kind"] == stop
