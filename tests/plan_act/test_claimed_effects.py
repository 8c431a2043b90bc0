"""An answer that says something was done which no call did: sent back once, then a step that failed."""

from __future__ import annotations

import json
import re
import sys
from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from support.paths import ROOT
from support.plan_act import THREAD, Invoke, act, done, last_words, planned, play, replanned
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import Guards, create_plan_act_graph
from thoughtgraph.nodes.plan_act.checks.claims import Grounds, unfounded
from thoughtgraph.nodes.plan_act.checks.clauses import is_all_questions
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool
from thoughtgraph.tools.metadata import metadata_of

sys.path.insert(0, str(ROOT))

from benchmarks.assistant.dataset import load_requests, new_agenda

pytestmark = pytest.mark.slow

CALLS_THAT_READ = re.compile(r"/\w+ (?:list|show|find|next|view)|/view")
NEWS = {"goal": "The bank has been called"}
TICK = act("todo", "/todo done call the bank")
LOOK = act("todo", "/todo list")
LIE = done("I ticked off 'call the bank'.")
END = replanned(response="That is off your list.")


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


def run(invoke: Invoke, replies: list[str], language: Any = "en", **options: Any) -> tuple[Any, list[str]]:
    """A run over an agenda with two todos, and those that are open in the end."""
    with Agenda(":memory:", clock=now, language=language) as agenda:
        for words in ("call the bank", "water the plants"):
            agenda.run(f"/todo add {words}")
        options = {"goal": NEWS, "clock": now, "language": language, **options}
        played = play(invoke, replies, [todo_tool(agenda), schedule_tool(agenda)], **options)
        return played, [todo.text for todo in agenda.todos("open")]


def test_a_claim_without_a_call_goes_back_and_the_call_is_made(invoke: Invoke) -> None:
    played, left = run(invoke, [planned("tick it off"), LIE, TICK, LIE, END])
    assert text("en", "note.unfounded", claim="I ticked off 'call the bank'.") in last_words(played.model, 2)
    assert (left, played.result["stop_reason"]["kind"]) == (["water the plants"], "goal_met")
    [verdict] = [event["data"] for event in played.result["events"] if event["kind"] == "verdict"]
    assert (verdict["status"], verdict["kind"]) == ("failed", "unfounded")


def test_a_look_at_the_list_ticks_nothing_off(invoke: Invoke) -> None:
    _, left = run(invoke, [planned("tick it off"), LOOK, LIE, TICK, LIE, END])
    assert left == ["water the plants"]


@pytest.mark.parametrize(("language", "claim"), [("en", "I ticked off 'call the bank'."), ("zh", "已完成。")])
def test_a_claim_that_comes_again_fails_the_step_and_the_run(invoke: Invoke, language: Any, claim: str) -> None:
    lie = done(claim)
    played, left = run(invoke, [planned("tick it off"), lie, lie, replanned(response="That is all.")], language)
    [item] = played.result["plan"]
    assert (item["status"], item["response"]) == ("failed", text(language, "claimed.step", claim=claim))
    assert played.result["stop_reason"]["kind"] == "steps_failed"
    assert len(left) == 2


def test_every_step_has_to_have_its_own_effect(invoke: Invoke) -> None:
    replies = [
        planned("tick off 'call the bank'", "tick off 'water the plants'"),
        TICK,
        LIE,
        replanned("tick off 'water the plants'"),
        done("Done."),
        done("'water the plants' is done."),
        replanned(response="Both are done."),
    ]
    played, left = run(invoke, replies, goal={"goal": "The bank has been called, the plants have their water"})
    assert [item["status"] for item in played.result["plan"]] == ["done", "failed"]
    assert (left, played.result["stop_reason"]["kind"]) == (["water the plants"], "partly_done")


def test_a_later_step_may_speak_of_what_an_earlier_one_did(invoke: Invoke) -> None:
    replies = [planned("tick it off", "tell the user"), TICK, LIE, replanned("tell the user"), LIE, END]
    played, _ = run(invoke, replies)
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_an_answer_at_once_that_claims_an_effect_goes_back_and_a_plan_follows(invoke: Invoke) -> None:
    played, left = run(invoke, [planned(response="Ticked off!"), planned("tick it off"), TICK, LIE, END])
    assert "Ticked off!" in last_words(played.model, 1)
    assert (left, played.result["stop_reason"]["kind"]) == (["water the plants"], "goal_met")


def test_an_answer_at_once_that_claims_it_again_has_failed(invoke: Invoke) -> None:
    replies = [planned(response="Ticked off!"), planned(response="It has been ticked off already.")]
    played, _ = run(invoke, replies, goal={"goal": "tick the bank off"})
    assert played.result["stop_reason"]["kind"] == "steps_failed"
    assert played.result["response"].endswith(text("en", "end.words", answer="It has been ticked off already."))


def test_the_last_answer_is_held_to_it_as_well(invoke: Invoke) -> None:
    told = done("You have to call the bank.")
    replies = [planned("look"), LOOK, told, told, told, replanned(response="I ticked it off.")]
    played, left = run(invoke, [*replies, replanned("tick it off"), TICK, LIE, END])
    assert text("en", "note.unused", context="todo 1: call the bank") in last_words(played.model, 4)
    assert "I ticked it off." in last_words(played.model, 6)
    assert left == ["water the plants"]


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        (
            {"goal": "What did I do?", "background": "User: The rent\nAssistant: I added 'pay rent'."},
            "I added 'pay rent'.",
        ),
        ({"goal": "What is on my list?"}, "'Call the bank' and 'water the plants' are on your list."),
        ({"goal": "Is the bank done?"}, "No, 'call the bank' is not done."),
        ({"goal": "Hi there!"}, "Hello! I can add todos and appointments."),
    ],
    ids=["before", "list", "denied", "offer"],
)
def test_a_question_may_be_answered_without_a_call_that_changes_something(
    invoke: Invoke, goal: dict[str, Any], answer: str
) -> None:
    looked = [planned("look"), LOOK, done(answer), replanned(response=answer)]
    played, _ = run(invoke, [planned(response=answer)] if "list" not in goal["goal"] else looked, goal=goal)
    assert played.result["stop_reason"]["kind"] in ("answered", "goal_met")
    assert played.result["response"] == answer


def test_the_next_run_of_the_thread_is_told_what_was_done(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        first = [planned("a"), act("todo", "/todo add milk"), done("A"), replanned()]
        model = ScriptedModel(replies=[*first, planned(response="Hm."), planned(response="Hm.")])
        graph = create_plan_act_graph(model, [todo_tool(agenda)], checkpointer=InMemorySaver())
        for goal in ("buy milk", "undo that"):
            result = invoke(graph, {"goal": goal}, THREAD)
    assert "(What was done: /todo add milk → Added todo 1: milk.)" in last_words(model, -2)
    assert "Added todo 1" in result["events"][0]["data"]["before"]


def test_without_a_tool_that_has_effects_nothing_is_checked(invoke: Invoke) -> None:
    played = play(invoke, [planned("a"), done("I ticked it off."), replanned(response="Done.")])
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_a_tool_of_ones_own_says_that_it_has_effects(invoke: Invoke) -> None:
    @tool
    def mail(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    mail.metadata = {"effects": True}
    replies = [
        planned("a"),
        done("I've sent it."),
        act("mail", "Eva"),
        done("I've sent it."),
        replanned(response="Sent."),
    ]
    assert play(invoke, replies, [mail]).result["stop_reason"]["kind"] == "goal_met"


def test_a_declaration_that_says_nothing_fails_at_the_build() -> None:
    @tool
    def mail(to: str) -> str:
        """Send a mail."""
        return to

    mail.metadata = {"effects": ["to"]}
    with pytest.raises(ValueError, match="'effects'"):
        create_plan_act_graph(ScriptedModel(replies=[]), [mail], interactive=False)


CLAIMS = (
    "I added 'what she can't find'.",
    "I've added milk to your list.",
    "Done!",
    "OK, added todo 7: buy milk.",
    "The haircut is scheduled for Tuesday.",
    "Your dentist appointment has now been moved to Friday.",
    "Milk is on your list.",
    "Sure! Removed 'renew the gym card'.",
    "The call is marked as done.",
    "好的，已添加待办“买牛奶”。",
    "已把“浇花”加入待办清单。",
    "会议改到周五了。",
    "搞定！",
    "已安排周六14:00体检。",
    "I've booked the dentist on May 12.",
    "已添加申请护照到清单。",
    "已添加特别会议。",
)
NO_CLAIMS = (
    "May I have it moved once it is booked?",
    "It may have been added.",
    "请稍后查看，已添加的会显示。",
    "I could not add it.",
    "Nothing was removed.",
    "Done todos (2): milk, bread",
    "You have two todos: return the books, and call the bank.",
    "Shall I mark it as done?",
    "There is no todo 7.",
    "Anything added later will show up.",
    "The tower was completed in 1889.",
    "I can add it if you want.",
    "Noted.",
    "您有两件待办：还书，以及给银行打电话。",
    "未完成的待办（2）：还书",
    "没有添加任何待办。",
    "要不要我帮您添加？",
)


@pytest.mark.parametrize("answer", CLAIMS)
def test_a_claim_without_any_call_is_seen(answer: str) -> None:
    assert unfounded(answer, Grounds("buy milk", "buy milk"))


@pytest.mark.parametrize("answer", NO_CLAIMS)
def test_what_claims_nothing_is_left_alone(answer: str) -> None:
    assert unfounded(answer, Grounds("buy milk", "buy milk")) == ""


@pytest.mark.parametrize("answer", ["It is 10:00 now.", "The Louvre is open now.", "Both are in Paris now."])
def test_how_things_are_now_claims_nothing_where_the_user_only_asks(answer: str) -> None:
    assert unfounded(answer, Grounds("What is the time, and is it open?", "look it up", [], [""])) == ""
    assert unfounded(answer, Grounds("Open it at ten", "open it", [], [""])) == answer


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        ("What did I do today?", True),
        ("thanks! and what is left?", True),
        ("Tell me what is on Friday", True),
        ("谢谢！还有什么事？", True),
        ("Could you add milk?", False),
        ("The bank has been called", False),
        ("add milk. What else is there?", False),
        ("能帮我加个待办吗？", False),
    ],
)
def test_a_question_is_told_from_an_order(goal: str, asked: bool) -> None:
    assert is_all_questions(goal) == asked


REQUESTS = load_requests("dev")


def test_no_right_answer_of_the_benchmark_is_taken_for_a_false_claim() -> None:
    """Each request's right answer behind its right calls, and behind a look at the lists."""
    alarms: list[str] = []
    for request in REQUESTS:
        with new_agenda(request) as agenda:
            before = [f"{turn.said} {turn.answer}" for turn in request.before]
            for call in (call for turn in request.before for call in turn.calls):
                before.append(agenda.run(call.input))
            shown = [agenda.run(look) for look in ("/todo list all", "/schedule list all")]
            shown += [hit.snippet for hits in request.pages.values() for hit in hits]
            made = [(call, agenda.run(call.input)) for call in request.calls if call.tool != "internet_search"]
        effects = [f"{call.input} {result}" for call, result in made if not CALLS_THAT_READ.search(call.input)]
        if unfounded(request.answer, Grounds(request.said, request.said, effects, [*before, *shown])):
            alarms.append(request.id)
    print(f"false alarms: {len(alarms)} of {len(REQUESTS)} right answers")
    assert alarms == []


def test_the_same_answers_without_a_call_are_seen_where_they_claim_something() -> None:
    changing = [request for request in REQUESTS if request.has_effect]
    seen = [one.id for one in changing if unfounded(one.answer, Grounds(one.said, one.said))]
    print(f"seen: {len(seen)} of {len(changing)} answers without their effect")
    assert len(seen) >= 0.7 * len(changing)


@pytest.mark.parametrize(
    ("words", "told"), [("I ticked off 'call the bank'.", False), ("The bank is still on your list.", True)]
)
def test_the_last_words_of_a_run_that_was_stopped_claim_nothing_either(invoke: Invoke, words: str, told: bool) -> None:
    played, left = run(invoke, [planned("tick it off"), words], guards=Guards(max_tokens=1))
    assert (left, played.result["stop_reason"]["kind"]) == (["call the bank", "water the plants"], "token_budget")
    assert (words in played.result["response"]) is told


@pytest.mark.parametrize(
    ("answer", "is_told"),
    [
        ("The gas safety certificate is already on your todo list.", False),
        ("You already have the gas safety certificate on your list.", False),
        ("The bank is already on your list.", True),
        ("You already have the call to the bank on your list.", True),
    ],
)
def test_that_something_is_there_already_needs_such_an_entry(invoke: Invoke, answer: str, is_told: bool) -> None:
    goal = {"goal": "the gas safety certificate, before the bank calls for it"}
    played, _ = run(invoke, [planned(response=answer)] * 2, goal=goal)
    # Of what is there, the model is only asked whether anything is to be done about it.
    assert (text("en", "note.unfounded", claim=answer) in last_words(played.model, 1)) is not is_told
    assert (played.result["stop_reason"]["kind"] == "answered") is is_told


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        ("The gas certificate is already on your list.", True),
        ("燃气证书已经在您的待办清单里了。", True),
        ("The rent for the flat is already on your list.", False),
        ("The rent for the flat is on your list.", True),
        ("The rent for the flat is still in your calendar.", False),
        ("I have already added the rent for the flat.", True),
        ("You already have a meeting then, so which is it?", False),
    ],
)
def test_what_is_known_bears_out_only_what_is_so_already(answer: str, seen: bool) -> None:
    known = Grounds("the gas certificate", "add the gas certificate", there=["todo 2: chase the rent for the flat"])
    assert bool(unfounded(answer, known)) is seen


def test_a_null_character_stands_for_no_title() -> None:
    assert unfounded("\x00 I ticked off 'call the bank'.", Grounds("Call the bank", "tick it off"))


def test_last_words_that_give_the_user_the_effect_are_dropped(invoke: Invoke) -> None:
    with Agenda(":memory:") as agenda:
        agenda.run("/todo add call the bank")
        wrong = act("todo", "/todo done fly to the moon")
        replies = [planned("a"), *[wrong] * 5, "You marked the todo 'fly to the moon' as done."]
        # The request has a word of the todo that there is, so the user is not asked which one is meant.
        goal = {"goal": "Mark 'fly to the moon' as done, not the call"}
        result = play(invoke, replies, [todo_tool(agenda)], goal=goal, interactive=False).result
    assert "You marked" not in result["response"]
    assert "nothing yet" in result["response"]


def test_news_that_no_call_has_heeded_goes_back_once(invoke: Invoke) -> None:
    news = {"goal": "calling the bank is no longer necessary"}
    look, told = act("todo", "/todo show 1"), done("You wanted to call the bank.")
    gone = [act("todo", "/todo rm 1"), done("I removed 'call the bank'."), END]
    played, left = run(invoke, [planned("see to the call of the bank"), look, told, *gone], goal=news)
    assert text("en", "note.unused", context="todo 1: call the bank") in last_words(played.model, 3)
    assert left == ["water the plants"]
    # The second time it is taken.
    stays = replanned(response="You wanted to call the bank.")
    played, left = run(invoke, [planned("see to the call of the bank"), look, told, told, stays], goal=news)
    assert left == ["call the bank", "water the plants"]


@pytest.mark.parametrize("goal", ["when was I going to call the bank?", "show me what there is about the bank"])
def test_a_request_that_tells_no_news_may_only_read(invoke: Invoke, goal: str) -> None:
    replies = [planned("show the todo 'call the bank'"), act("todo", "/todo show 1"), done("1: call the bank"), END]
    played, _ = run(invoke, replies, goal={"goal": goal})
    assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(
    ("answer", "is_told"),
    [
        ("The report is due in 20 days.", True),
        ("20 days, on 31 March.", True),
        ("It is due on 31 March.", True),
        ("The report is due in 26 days.", False),
        ("26 days are left.", False),
        ("It takes 3 days to write.", True),
    ],
)
def test_days_that_are_counted_otherwise_than_the_tool_does_give_way_to_its_result(
    invoke: Invoke, answer: str, is_told: bool
) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/todo add finish the report --due 2026-03-31")
        replies = [planned("show the todo 'finish the report'"), act("todo", "/todo show 1"), done(answer)]
        goal = {"goal": "how long until the report is due?"}
        end = replanned(response=answer)
        result = play(invoke, [*replies, end], [todo_tool(agenda)], goal=goal, clock=now).result
    assert ("Due in 20 days." in result["response"]) is not is_told
    assert (answer in result["response"]) is is_told


@pytest.mark.parametrize(
    ("answer", "is_told"),
    [
        ("The dentist is on Friday, 13 March.", True),
        ("The dentist is moved from Thursday, 12 March to Friday, 13 March.", True),
        ("The dentist is on Friday, 12 March.", False),
        ("The dentist is on 13 March; it was to be on 12 March.", True),
        ("The dentist is on 14 March.", False),
    ],
)
def test_an_answer_with_another_date_than_the_call_gives_way_to_the_result(
    invoke: Invoke, answer: str, is_told: bool
) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/schedule add dentist --at thursday 8:00")
        move = act("schedule", "/schedule edit 1 --at friday")
        replies = [planned("move the dentist"), move, done(answer), replanned(response=answer)]
        goal = {"goal": "the dentist can't make thursday, friday instead, same time"}
        result = play(invoke, replies, [schedule_tool(agenda)], goal=goal, clock=now).result
    assert (result["response"] == answer) is is_told
    assert ("Changed appointment 1" in result["response"]) is not is_told


@pytest.mark.parametrize(
    ("goal", "answer", "added"),
    [
        ("what have I got this week?", "This week: call the bank.", ["dentist"]),
        ("what have I got this week?", "You have to call the bank, and the dentist on Thursday at 8:00.", []),
        ("what's on this week?", "The dentist is on Thursday.", ["call the bank", "dentist"]),
        ("which of my todos is about the bank?", "Call the bank.", []),
        ("what is next on my calendar this week?", "The dentist is.", ["dentist"]),
        ("what have I got this week in the morning?", "The dentist.", ["dentist"]),
        ("what else have I got this week?", "The dentist.", ["dentist"]),
        ("what do I have with the bank this week?", "Call the bank.", []),
    ],
)
def test_what_an_answer_leaves_out_of_what_was_asked_for_is_added(
    invoke: Invoke, goal: str, answer: str, added: list[str]
) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        for line in ("/todo add call the bank --due friday", "/schedule add dentist --at thursday 8:00"):
            agenda.run(line)
        replies = [planned("view the week"), act("todo", "/view week"), done(answer), replanned(response=answer)]
        result = play(
            invoke, replies, [todo_tool(agenda), schedule_tool(agenda)], goal={"goal": goal}, clock=now
        ).result
    first, *more = result["response"].splitlines()
    assert first == answer
    assert [any(text in line for line in more) for text in ("call the bank", "dentist")] == [
        text in added for text in ("call the bank", "dentist")
    ]


MOVE = act("todo", "/todo edit 1 --due friday")
MOVED = "Changed todo 1: call the bank (due Fri 2026-03-13)."


@pytest.mark.parametrize(
    ("goal", "answer", "told"),
    [
        ("the bank by friday", "I gave 'call the bank' a high priority.", MOVED),
        ("the bank by friday, it is urgent", "'call the bank' is urgent and due on Friday.", None),
        ("the bank by friday", "I set a recurring call of the bank.", MOVED),
        ("the bank by friday", "I set the call of the bank for every other friday.", MOVED),
        ("the bank by friday", "The call of the bank, two hours each, is on friday.", None),
        ("the bank by friday, as every month", "I set the call of the bank for this month, as every month.", None),
        ("the bank by friday", "I have moved 'to do it'.", MOVED),
        ("the bank by friday", "I have moved 'call the bank'.", None),
    ],
)
def test_an_answer_that_tells_of_what_no_call_did_gives_way_to_the_result(
    invoke: Invoke, goal: str, answer: str, told: str | None
) -> None:
    said = done(answer)
    played, _ = run(invoke, [planned("move the call of the bank"), MOVE, said, replanned()], goal={"goal": goal})
    assert played.result["response"] == (told or answer)


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        ("'revise for the maths mock' is marked as done.", False),
        ("Both mocks, Spanish and maths, are marked as done.", False),
        ("The revision for maths is now done.", False),
        ("'revise for the Spanish mock' is marked as done.", True),
        ("It is marked as done. The maths mock is still to come.", True),
    ],
)
def test_an_answer_names_no_entry_that_the_user_did_not_choose(invoke: Invoke, answer: str, stays: bool) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        for subject in ("maths", "Spanish"):
            agenda.run(f"/todo add revise for the {subject} mock")
        replies = [planned("mark 'revise for the maths mock'"), act("todo", "/todo done revise for the maths mock")]
        goal, say = {"goal": "the revision for one of my mocks is done, tick it off"}, ["the Spanish one"]
        tools = [todo_tool(agenda)]
        result = play(invoke, [*replies, done(answer), replanned()], tools, goal=goal, answers=say, clock=now).result
        assert [todo.text for todo in agenda.todos("open")] == ["revise for the maths mock"]
    assert result["response"] == (answer if stays else "Done: 2: revise for the Spanish mock.")


@pytest.mark.parametrize(
    "answer", ["The gym is moved to 18:00, right after the dentist.", "The gym and the dentist are now on Friday."]
)
def test_an_answer_may_name_what_the_goal_names_and_an_earlier_step_changed(invoke: Invoke, answer: str) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        for name, at in (("gym", "2026-03-13 7:00"), ("dentist", "2026-03-12 17:00")):
            agenda.run(f"/schedule add {name} --at {at}")
        moves = [act("schedule", f"/schedule edit {line}") for line in ("2 --at 2026-03-13 17:00", "1 --at 18:00")]
        replies = [planned("dentist", "gym"), moves[0], done("Moved."), replanned("gym"), moves[1], done(answer)]
        goal = {"goal": "dentist on Friday at 5 pm instead, the gym at 6 pm, after the dentist"}
        end, tools = replanned(response=answer), [schedule_tool(agenda)]
        result = play(invoke, [*replies, end], tools, goal=goal, clock=now).result
    assert answer in result["response"]


def test_the_end_of_an_appointment_is_not_when_it_was_moved_to(invoke: Invoke) -> None:
    call = act("schedule", "/schedule add gym --at 2026-03-13 7:00")
    for answer, stays in (
        ("Gym is scheduled for Friday at 08:00.", False),
        ("Gym is from 7:00 to 8:00.", True),
        ("Gym is booked until 8:00.", True),
        ("Gym is booked for 7:00 PM.", False),
        ("Gym is booked for 7:00 a.m.", True),
    ):
        goal = {"goal": "gym on Friday at 7am"}
        played, _ = run(invoke, [planned("book the gym"), call, done(answer), replanned()], goal=goal)
        assert (played.result["response"] == answer) is stays


def test_an_effect_that_another_call_had_on_it_is_not_told(invoke: Invoke) -> None:
    lie = "The bank is called, and 'water the plants' has been added to your list."
    replies = [planned("tick it off", "add polish"), TICK, done("Ticked."), replanned("add polish")]
    replies += [act("todo", "/todo add polish"), done("Added."), replanned("water the plants")]
    replies += [act("todo", "/todo done water the plants"), done("Done."), replanned(response=lie)]
    said = "The bank was called, the plants are watered, and polish is to go on the list"
    played, _ = run(invoke, replies, goal={"goal": said})
    assert "added to your list" not in played.result["response"]
    assert "Done: 2: water the plants." in played.result["response"]


def test_what_a_failed_run_claims_is_not_carried_into_the_next_one(invoke: Invoke) -> None:
    lie = done("I have scheduled the bank for 14:15.")
    with Agenda(":memory:", clock=now) as agenda:
        replies = [planned("book the bank"), lie, lie, replanned(response="That is all."), planned(response="Hm.")]
        options: Any = {"checkpointer": InMemorySaver(), "interactive": False, "clock": now}
        graph = create_plan_act_graph(ScriptedModel(replies=replies), [schedule_tool(agenda)], **options)
        first = invoke(graph, {"goal": "the bank, book it"}, THREAD)
        second = invoke(graph, {"goal": "thanks anyway"}, THREAD)
    assert "14:15" in first["response"]
    before = second["events"][0]["data"]["before"]
    assert "book the bank" in before
    assert "14:15" not in before


@pytest.mark.parametrize(
    ("goal", "call", "answer", "stays"),
    [
        ("remind me to wash the car", "/todo add wash the car", "The car is washed.", False),
        ("remind me to wash the car", "/todo add wash the car", "It is on your list, to be washed.", True),
        ("remind me to wash the car", "/todo add wash the car", "'wash the car' is noted.", True),
        ("the plants have their water", "/todo done water the plants", "The plants are watered.", True),
        ("the car is washed, add polish", "/todo add polish the car", "The car is washed, polish is noted.", True),
        # Another effect than the call's.
        ("rang the bank", "/todo done call the bank", "The place of 'call the bank' has been changed.", False),
        ("rang the bank", "/todo done call the bank", "'call the bank' has been added to your list.", False),
        ("rang the bank", "/todo done call the bank", "I have not changed anything else.", True),
        ("note polish", "/todo add polish", "I added 'polish' to your list, it is saved and updated.", True),
    ],
)
def test_what_was_only_noted_is_not_told_as_done(
    invoke: Invoke, goal: str, call: str, answer: str, stays: bool
) -> None:
    told = done(answer)
    played, _ = run(invoke, [planned("see to it"), act("todo", call), told, replanned()], goal={"goal": goal})
    assert (played.result["response"] == answer) is stays


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Gym is scheduled for Monday, 13 March.", "gym, Fri 2026-03-13"),
        ("Gym is on Friday, 13 May.", "gym, Fri 2026-03-13"),
        ("Gym is on May 13.", "gym, Fri 2026-03-13"),
        ("健身安排在 5 月 13 日周五。", "gym, Fri 2026-03-13"),
        ("Gym is scheduled for Friday, 13 March.", ""),
        ("Gym is on the calendar for Mar 13th.", ""),
        ("健身安排在3月13日周五。", ""),
        ("Gym is on 13 March, two days after today, 11 March.", ""),
        ("Gym is on 13 March, before the race of 4 April.", ""),
    ],
)
def test_an_answer_with_a_date_that_nobody_gave_gives_way_to_the_result(invoke: Invoke, answer: str, told: str) -> None:
    gym = act("schedule", "/schedule add gym --at 2026-03-13 7:00")
    goal = {"goal": "gym on Friday at 7am, the race is on 4 April"}
    played, _ = run(invoke, [planned("book the gym"), gym, done(answer), replanned(response=answer)], goal=goal)
    assert (told or answer) in played.result["response"]
    assert (answer in played.result["response"]) is not bool(told)


def test_figures_that_are_no_date_end_no_run(invoke: Invoke) -> None:
    gym = act("schedule", "/schedule add gym --at 2026-03-13 7:00")
    goal = {"goal": "gym on Friday at 7am, as in 2026-13-45"}
    answer = "Gym is on Friday, 13 March."
    played, _ = run(invoke, [planned("book the gym"), gym, done(answer), replanned(response=answer)], goal=goal)
    assert played.result["response"] == answer


@pytest.mark.parametrize(
    ("question", "empty"), [("What should I do next?", True), ("What should I do about Eva?", False)]
)
def test_a_question_that_asks_nothing_goes_back_once(invoke: Invoke, question: str, empty: bool) -> None:
    asks = json.dumps({"status": "ask_user", "question": question})
    after = [done("Both are open."), replanned(response="Both are open.")] if empty else [replanned(response="Eva.")]
    replies = [planned("look"), LOOK, asks, *after]
    played, _ = run(invoke, replies, goal={"goal": "what is left to do?"}, answers=[] if empty else ["Nothing"])
    assert (text("en", "note.asks_nothing") in last_words(played.model, 3)) is empty


@pytest.mark.parametrize("news", ["The bank? Called since yesterday.", "You know the bank? Called it."])
def test_a_topic_is_no_question_so_its_news_go_back_once(invoke: Invoke, news: str) -> None:
    replies = [planned(response="I see."), planned("tick it off"), TICK, done("Ticked off."), END]
    played, left = run(invoke, replies, goal={"goal": news})
    note = text("en", "note.unused", context="todo 1: call the bank")
    marked = text("en", "note.unused_done", note=note, orders="mark the todo 'call the bank' as done")
    assert marked in last_words(played.model, 1)
    assert left == ["water the plants"]


def test_what_is_no_news_is_told_without_an_order(invoke: Invoke) -> None:
    replies = [planned(response="I see."), planned(response="I see.")]
    played, _ = run(invoke, replies, goal={"goal": "the bank, the bank, always the bank"})
    assert "The step for what is done" not in last_words(played.model, 1)


def test_a_question_that_an_example_puts_goes_back_once(invoke: Invoke) -> None:
    with Agenda(":memory:") as agenda:
        plans = metadata_of(todo_tool(agenda)).get("plans", ())
    copied = next(one["goal"] for one in plans if one["goal"].endswith("?"))
    replies = [
        planned("look"),
        json.dumps({"status": "ask_user", "question": copied}),
        LOOK,
        done("Two."),
        replanned(response="Two."),
    ]
    played, _ = run(invoke, replies, goal={"goal": "look at the list"})
    assert text("en", "note.asks_nothing") in last_words(played.model, 2)


def test_news_that_a_plan_leaves_out_become_the_order_to_mark_the_entry(invoke: Invoke) -> None:
    goal = {"goal": "I called the bank, but I still need to clean the barbecue by Sunday"}
    add = act("todo", "/todo add clean the barbecue --due sunday")
    mark = "mark the todo 'call the bank' as done"
    replies = [planned("add the todo 'clean the barbecue'"), add, replanned(mark), TICK, done("Done."), END]
    played, left = run(invoke, replies, goal=goal)
    assert mark in last_words(played.model, 2)
    assert left == ["clean the barbecue", "water the plants"]
