"""What a call cannot do without: asked for by the loop in the tool's own words, and filled in from the answer."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import pytest
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import Field
from support.plan_act import THREAD, Invoke, act, done, last_words, planned, play, replanned, twin, with_call
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import create_plan_act_graph
from thoughtgraph.nodes.plan_act.guards import Guards
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.texts import text as agenda_text
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool
from thoughtgraph.tools.metadata import Missing

pytestmark = pytest.mark.slow

END = [done("A"), replanned(response="end")]
MEETINGS = (
    "/schedule add Meeting with Priya --at 2026-03-12 10:00",
    "/schedule add Meeting with Tom --at 2026-03-13 15:00",
)
CAKES = ("/todo add bake a cake for Nora", "/todo add bake a cake for the school", "/todo add oil the hinges")


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


def run(
    invoke: Invoke, goal: str, replies: list[str], *, setup: tuple[str, ...] = (), language: Any = "en", **options: Any
) -> tuple[Any, list[str], list[str]]:
    """A run over an agenda of its own, and its appointments and todos in the end."""
    with Agenda(":memory:", clock=now, language=language) as agenda:
        for line in setup:
            agenda.run(line)
        options = {"clock": now, "language": language, **options}
        played = play(invoke, replies, [schedule_tool(agenda), todo_tool(agenda)], goal={"goal": goal}, **options)
        kept = [f"{one.start:%m-%d %H:%M} {one.text}" for one in agenda.appointments()]
        return played, kept, [todo.text for todo in agenda.todos("open")]


@pytest.mark.parametrize(("goal", "at_once"), [("cancel it", True), ("cancel my talk", False)])
def test_who_names_nothing_at_all_is_asked_at_once_which_entry_it_is(invoke: Invoke, goal: str, at_once: bool) -> None:
    call = act("schedule", "/schedule rm meeting with Bob")
    replies = [planned("a"), *[call] * (1 if at_once else 2), *END]
    played, kept, _ = run(invoke, goal, replies, setup=MEETINGS, answers=["Tom's, I mean"])
    assert len(played.shown) == 1
    assert kept == ["03-12 10:00 Meeting with Priya"]


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("Oh right: buy a new shower curtain.", "buy a new shower curtain"),
        ("um a shower curtain", "a shower curtain"),
        ("It's the shower curtain", "the shower curtain"),
        ("right shoe to the cobbler", "right shoe to the cobbler"),
        ("It: by Stephen King", "It: by Stephen King"),
    ],
)
def test_an_answer_that_names_a_new_entry_is_taken_without_its_opening(invoke: Invoke, answer: str, kept: str) -> None:
    call = act("todo", "/todo add what my wife asked for")
    replies = [planned("a"), call, call, *END]
    _, _, todos = run(invoke, "add what my wife asked for to the list", replies, answers=[answer])
    assert todos == [kept]


def test_a_time_is_no_name_of_an_entry(invoke: Invoke) -> None:
    call = act("schedule", "/schedule add the appointment --at friday 9:00")
    replies = [planned("a"), call, call, replanned(response="What is it?")]
    _, kept, _ = run(invoke, "put the appointment in for friday at nine", replies, answers=["Nine in the morning"])
    assert kept == []


@pytest.mark.parametrize(
    "call", ["/schedule add Dentist --at friday 18:30", "/schedule add Dentist", "add Dentist --at friday"]
)
def test_a_time_that_nobody_gave_is_asked_for_whatever_the_call_says(invoke: Invoke, call: str) -> None:
    replies = [planned("a"), act("schedule", call), *END]
    played, kept, _ = run(invoke, "Add an appointment with the dentist", replies, answers=["Friday at 9:30"])
    assert played.shown == [f"Please confirm: {agenda_text('en', 'schedule.ask_when', text='Dentist')}"]
    assert kept == ["03-13 09:30 Dentist"]
    assert "You asked the user: when is" in str(played.model.requests[2])
    [refused] = [
        event["data"] for event in played.result["events"] if event["data"].get("kind_of_failure") == "incomplete"
    ]
    assert refused["tool"] == "schedule"


def test_the_day_that_was_given_is_kept_and_only_the_time_is_asked_for(invoke: Invoke) -> None:
    replies = [planned("a"), act("schedule", "/schedule add Dentist --at friday 8:00 --for 30m --place Bonn"), *END]
    goal = "Dentist on Friday in Bonn for 30 minutes"
    played, kept, _ = run(invoke, goal, replies, answers=["half past two in the afternoon"])
    assert "on Fri 2026-03-13" in played.shown[0]
    assert kept == ["03-13 14:30 Dentist"]
    assert "14:30-15:00" in played.result["observations"][0]["result"]
    assert "Bonn" in played.result["observations"][0]["result"]


def test_an_answer_may_say_more_than_was_asked(invoke: Invoke) -> None:
    replies = [planned("a"), act("schedule", "/schedule add lunch with Bo --at friday"), *END]
    played, kept, _ = run(invoke, "Lunch with Bo on Friday", replies, answers=["1pm, at the Canteen, for 90 minutes"])
    assert kept == ["03-13 13:00 lunch with Bo"]
    assert "13:00-14:30, at the Canteen" in played.result["observations"][0]["result"]


def test_the_question_is_in_the_users_language(invoke: Invoke) -> None:
    replies = [planned("a"), act("schedule", "/schedule add 体检 --at 明天 14:00"), *END]
    played, kept, _ = run(invoke, "帮我安排一次体检", replies, language="zh", answers=["周六下午两点"])
    assert played.shown == [f"请确认：{agenda_text('zh', 'schedule.ask_when', text='体检')}"]
    assert kept == ["03-14 14:00 体检"]


def test_an_answer_about_a_call_whose_tool_is_gone_is_left_to_the_model(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        options: dict[str, Any] = {"checkpointer": InMemorySaver(), "clock": now}
        call = act("schedule", "/schedule add Dentist --at friday 8:00")
        tools = [schedule_tool(agenda), todo_tool(agenda)]
        graph = create_plan_act_graph(ScriptedModel(replies=[planned("a"), call]), tools, **options)
        assert invoke(graph, {"goal": "Add the dentist"}, THREAD)["__interrupt__"]
        model = ScriptedModel(replies=[replanned(response="There is no calendar.")])
        graph = create_plan_act_graph(model, tools[1:], **options)
        result = invoke(graph, Command(resume="half past two"), THREAD)
        assert result["response"] == "There is no calendar."
        assert "half past two" in last_words(model, 0)


def test_an_answer_that_does_not_settle_it_is_left_to_the_model(invoke: Invoke) -> None:
    right = act("schedule", "/schedule add Dentist --at friday 15:00")
    replies = [planned("a"), act("schedule", "/schedule add Dentist --at friday 8:00"), replanned("a"), right, *END]
    played, kept, _ = run(invoke, "Add the dentist", replies, answers=["Friday at three or at four"])
    assert "Friday at three or at four" in last_words(played.model, 2)
    assert kept == ["03-13 15:00 Dentist"]


def test_the_same_question_is_not_put_twice(invoke: Invoke) -> None:
    guess = act("schedule", "/schedule add Dentist --at friday 8:00")
    given_up = done("I asked for the time.")
    replies = [planned("a"), guess, replanned("a"), guess, given_up, given_up, replanned(response="end")]
    played, kept, _ = run(invoke, "Add the dentist", replies, answers=["what do you mean?"])
    assert (len(played.shown), kept) == (1, [])


def test_one_of_two_entries_is_asked_about_and_the_call_is_made_for_the_one_that_is_meant(invoke: Invoke) -> None:
    replies = [planned("a"), act("schedule", "/schedule edit 1 --at friday 14:00"), *END]
    played, kept, _ = run(
        invoke, "Move my meeting to Friday at 14:00", replies, setup=MEETINGS, answers=["The one with Tom"]
    )
    assert "1: Meeting with Priya" in played.shown[0] and "2: Meeting with Tom" in played.shown[0]
    assert kept == ["03-12 10:00 Meeting with Priya", "03-13 14:00 Meeting with Tom"]


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("Cancel the meeting with Tom", "Tom's"),
        ("Tom can't come, the meeting is off", "2"),
        ("Tom is ill, drop it", "the one with Tom"),
    ],
)
def test_an_entry_that_the_users_words_fit_less_than_another_is_asked_about(
    invoke: Invoke, goal: str, answer: str
) -> None:
    replies = [planned("a"), act("schedule", "/schedule rm 1"), *END]
    _, kept, _ = run(invoke, goal, replies, setup=MEETINGS, answers=[answer])
    assert kept == ["03-12 10:00 Meeting with Priya"]


@pytest.mark.parametrize("goal", ["Friday's meeting is off", "Cancel the meeting on Friday"])
def test_the_one_of_two_entries_whose_day_the_user_names_is_not_asked_about(invoke: Invoke, goal: str) -> None:
    replies = [planned("a"), act("schedule", "/schedule rm 1"), *END]
    played, kept, _ = run(invoke, goal, replies, setup=MEETINGS)
    assert (played.shown, kept) == ([], ["03-12 10:00 Meeting with Priya"])


@pytest.mark.parametrize("call", ["/todo rm 1", "/todo rm cake", "/todo rm bake a cake"])
@pytest.mark.parametrize("answer", ["the school", "2", "the second one", "the last"])
def test_a_text_or_a_number_that_fits_several_is_asked_about(invoke: Invoke, call: str, answer: str) -> None:
    goal = "I only need to bake one cake after all. Delete the other from my list."
    played, _, left = run(invoke, goal, [planned("a"), act("todo", call), *END], setup=CAKES, answers=[answer])
    assert "bake a cake for Nora" in played.shown[0]
    assert left == ["bake a cake for Nora", "oil the hinges"]


def test_a_change_to_what_is_not_there_becomes_a_question(invoke: Invoke) -> None:
    call = act("schedule", "/schedule rm texting her")
    replies = [planned("remove it"), call, call, *END]
    played, kept, _ = run(invoke, "She can't make it, so that one's off", replies, setup=MEETINGS, answers=["Tom's"])
    assert "which appointment do you mean?" in played.shown[0]
    assert "called" not in played.shown[0], "the user did not call anything so"
    assert kept == ["03-12 10:00 Meeting with Priya"]


@pytest.mark.parametrize("count", [1, 20])
def test_an_entry_that_is_not_there_is_asked_about_among_those_that_are(invoke: Invoke, count: int) -> None:
    call = act("schedule", "/schedule rm the architect")
    setup = [f"/schedule add rehearsal no {n} --at 2026-03-12 10:00" for n in range(1, count + 1)]
    replies = [planned("cancel the architect"), call, *END]
    played, kept, _ = run(invoke, "cancel the architect", replies, setup=setup, answers=["1"])
    [question] = played.shown
    assert f"{count}: rehearsal no {count}" in question
    assert question.endswith("None of these is called “the architect”.")
    assert len(kept) == count - 1


def test_what_the_other_list_may_have_goes_back_first(invoke: Invoke) -> None:
    setup = [
        "/schedule add rehearsal --at 2026-03-12 10:00",
        "/todo add pay the architect",
        "/todo add see the architect",
    ]
    wrong, right = act("schedule", "/schedule rm the architect"), act("todo", "/todo rm pay the architect")
    goal = "cancel the architect, the one to pay"
    played, kept, left = run(invoke, goal, [planned("cancel it"), wrong, right, *END], setup=setup)
    assert (played.shown, left, len(kept)) == ([], ["see the architect"], 1)


def test_what_somebody_asked_for_is_no_text_of_an_entry(invoke: Invoke) -> None:
    call = act("todo", "/todo add what my wife asked for")
    goal = "add what my wife asked for to the todo list"
    replies = [planned("add it"), call, call, *END]
    _, _, left = run(invoke, goal, replies, setup=(), answers=["a new shower curtain"])
    assert left == ["a new shower curtain"]


def test_all_of_them_may_be_meant(invoke: Invoke) -> None:
    replies = [planned("a"), act("todo", "/todo done 1"), *END]
    _, _, left = run(invoke, "The cake is baked", replies, setup=CAKES, answers=["both"])
    assert left == ["oil the hinges"]


def test_a_new_time_that_nobody_gave_is_asked_for(invoke: Invoke) -> None:
    replies = [planned("a"), act("schedule", "/schedule edit 1 --at friday 8:00"), *END]
    played, kept, _ = run(invoke, "Reschedule Priya", replies, setup=MEETINGS, answers=["Monday at 16:00"])
    shown = "1: Meeting with Priya, Thu 2026-03-12 10:00"
    assert played.shown == [f"Please confirm: {agenda_text('en', 'schedule.ask_new_time', entry=shown)}"]
    assert "03-16 16:00 Meeting with Priya" in kept


@pytest.mark.parametrize("given", ["8:20", "tomorrow 8:20", "2026-03-12 08:20", "8:20 in the morning"])
def test_the_day_of_a_time_that_is_over_for_today_is_asked_for(invoke: Invoke, given: str) -> None:
    replies = [planned("a"), act("schedule", f"/schedule add Dermatologist --at {given}"), *END]
    goal = "Add the dermatologist, it's at 8:20 in the morning"
    played, kept, _ = run(invoke, goal, replies, answers=["That's on the 24th of March"])
    assert played.shown == ["Please confirm: on which day is “Dermatologist” at 08:20?"]
    assert kept == ["03-24 08:20 Dermatologist"]


@pytest.mark.parametrize(
    "said", ["dermatologist at 15:20", "dermatologist tomorrow at 8:20", "dermatologist friday 8:20"]
)
def test_the_day_is_not_asked_for_where_it_is_clear(invoke: Invoke, said: str) -> None:
    replies = [planned("a"), act("schedule", f"/schedule add Dermatologist --at {said.split(' ', 1)[1]}"), *END]
    played, kept, _ = run(invoke, said, replies)
    assert (played.shown, len(kept)) == ([], 1)


def test_a_new_deadline_that_nobody_gave_is_asked_for(invoke: Invoke) -> None:
    replies = [planned("a"), act("todo", "/todo edit 3 --due friday"), *END]
    played, _, _ = run(invoke, "Change the deadline of the hinges", replies, setup=CAKES, answers=["on monday"])
    assert "by when should this be done now: 3: oil the hinges?" in played.shown[0]
    assert "due Mon 2026-03-16" in played.result["observations"][-1]["result"]


@pytest.mark.parametrize(
    ("goal", "call"),
    [
        ("Dentist on Friday at half past six", "/schedule add Dentist --at friday 18:30"),
        ("dentist tmrw 3pm", "/schedule add Dentist --at tomorrow 15:00"),
        ("Put coffee right after my meeting with Tom", "/schedule add Coffee --at 2026-03-13 16:00"),
        ("Cancel the meeting with Tom", "/schedule rm 2"),
        ("Cancel both meetings", "/schedule rm 1 2"),
        ("Cancel meeting 2", "/schedule rm 2"),
        ("Tom is ill, drop it", "/schedule rm 2"),
        ("That thing on the agenda is off", "/schedule rm 2"),
        ("Cancel Friday's meeting", "/schedule rm 2"),
        ("Push my call with Priya back by an hour", "/schedule edit 1 --at 2026-03-12 11:00"),
        ("Meeting with Priya goes to 11:00", "/schedule edit 1 --at 11:00"),
    ],
)
def test_a_complete_request_is_not_asked_about(invoke: Invoke, goal: str, call: str) -> None:
    def missing(tool: BaseTool) -> Any:
        from thoughtgraph.tools.calls.required import missing
        from thoughtgraph.tools.metadata import Told

        told = Told([goal], "", (), now())
        return missing(tool, {"tool": "schedule", "input": call}, told, "en")

    with Agenda(":memory:", clock=now) as agenda:
        for line in MEETINGS:
            agenda.run(line)
        assert missing(schedule_tool(agenda)) is None


def test_nobody_to_ask_leaves_it_to_the_model_with_an_assumption(invoke: Invoke) -> None:
    replies = [planned("a"), act("schedule", "/schedule add Dentist --at friday 8:00"), replanned(response="end")]
    played, kept, _ = run(invoke, "Add the dentist", replies, interactive=False)
    [assumed] = played.result["clarifications"]
    assert (assumed["assumed"], kept) == (True, [])


def test_no_question_beyond_the_limit(invoke: Invoke) -> None:
    replies = [planned("a"), act("schedule", "/schedule add Dentist --at friday 8:00")]
    played, kept, _ = run(invoke, "Add the dentist", replies, guards=Guards(max_questions=0))
    assert (played.result["stop_reason"]["kind"], kept) == ("too_many_questions", [])


def test_a_completed_call_still_needs_the_approval_of_a_person(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        model = ScriptedModel(replies=[planned("a"), act("schedule", "/schedule add Dentist"), *END])
        graph = create_plan_act_graph(
            model,
            [schedule_tool(agenda)],
            clock=now,
            checkpointer=InMemorySaver(),
            interrupt_on={"schedule": True},
        )
        invoke(graph, {"goal": "Add the dentist"}, THREAD)
        asked = invoke(graph, Command(resume="friday 9:30"), THREAD)["__interrupt__"][0].value
        assert asked["action_requests"][0]["args"] == {"command": "/schedule add Dentist --at 2026-03-13 09:30"}
        assert agenda.appointments() == []
        invoke(graph, Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
        assert len(agenda.appointments()) == 1


def paying(required: Any = ("to",)) -> tuple[BaseTool, list[str]]:
    """A tool that requires an argument, and what was paid."""
    paid: list[str] = []

    @tool
    def pay(to: Annotated[str, Field(description="who gets the money.")], amount: float = 1.0) -> str:
        """Pay someone."""
        paid.append(f"{to} {amount:g}")
        return "paid"

    pay.metadata = {"required": list(required)}
    return pay, paid


@pytest.mark.parametrize(
    "given", [{"amount": 5}, {"to": "", "amount": 5}, {"to": None, "amount": 5}, {"to": "unknown", "amount": 5}]
)
def test_an_argument_that_is_left_out_goes_back_once_and_then_to_the_user(
    invoke: Invoke, given: dict[str, Any]
) -> None:
    pay, paid = paying()
    replies = [planned("a"), act("pay", given), act("pay", given), *END]
    played = play(invoke, replies, [pay], answers=["Eva"])
    assert played.shown == ["Please confirm: what should pay be given as: who gets the money?"]
    assert "cannot do without this" in last_words(played.model, 2)
    assert paid == ["Eva 5"]


def test_an_argument_that_comes_the_second_time_asks_nothing(invoke: Invoke) -> None:
    pay, paid = paying()
    played = play(invoke, [planned("a"), act("pay", {}), act("pay", {"to": "Bob"}), *END], [pay])
    assert (played.shown, paid) == ([], ["Bob 1"])


def test_a_no_is_not_filled_in(invoke: Invoke) -> None:
    pay, paid = paying()
    replies = [planned("a", "b"), act("pay", {}), act("pay", {}), replanned(response="Nothing was paid.")]
    play(invoke, replies, [pay], answers=["no, never mind"])
    assert paid == []


def test_the_search_asks_for_what_to_search_for() -> None:
    from thoughtgraph.tools.search import internet_search_tool
    from thoughtgraph.tools.search.bing import BingSearchProvider

    found = internet_search_tool(BingSearchProvider(), language="zh")
    assert (found.metadata or {})["required"][0] == "query"
    replies = [planned("a"), act("internet_search", ""), act("internet_search", " ")]
    played = play(twin("sync"), replies, [found], answers=["不用了"], language="zh")
    assert len(played.shown) == 1
    assert text("zh", "ask.prefix") in played.shown[0]


@pytest.mark.parametrize(("required", "named"), [(["whom"], "'whom'"), ("to", "metadata")])
def test_a_wrong_declaration_fails_at_the_build(required: Any, named: str) -> None:
    pay, _ = paying()
    pay.metadata = {"required": required}
    with pytest.raises(ValueError, match=named):
        create_plan_act_graph(ScriptedModel(replies=[]), [pay], interactive=False)


def test_a_call_that_a_new_plan_brings_again_is_made_though_its_tool_doubts_it(invoke: Invoke) -> None:
    made: list[str] = []

    @tool
    def keep(text: str) -> str:
        """Write a text down."""
        if text == "ink":
            raise ValueError("there is no room for it")
        made.append(text)
        return f"Kept: {text}"

    doubt = Missing(question="", completed=lambda _: None, at_once=False, hint="Is it for today? Or the same call.")
    keep.metadata = {"effects": True, "required": [lambda given, told: doubt]}
    brings = with_call(replanned("note milk"), "keep", "milk")
    first = with_call(planned("note milk", "wait"), "keep", "milk")
    replies = [first, act("keep", "ink"), done("I can not."), done("I can not."), brings, *END]
    result, _, _ = play(invoke, replies, [keep])
    assert made == ["milk"]
    assert result["stop_reason"]["kind"] in ("goal_met", "partly_done")


TWO_WISHES = "descale the glasswasher, and add candles to my list"
GIVES_UP = "I tried to change the other one, but the tool failed."


def test_a_wish_with_which_the_model_gives_up_before_any_call_goes_back(invoke: Invoke) -> None:
    steps = ("descale the glasswasher", "add the todo 'candles'")
    add = act("todo", "/todo add descale the glasswasher")
    replies = [planned(*steps), done(GIVES_UP), add, act("todo", "/todo add candles"), replanned(response="end")]
    played, _, left = run(invoke, TWO_WISHES, replies)
    assert left == ["descale the glasswasher", "candles"]
    assert text("en", "note.uncalled", claim=steps[0]) in last_words(played.model, 2)


def test_a_wish_with_which_the_model_gives_up_again_has_failed(invoke: Invoke) -> None:
    steps = ("descale the glasswasher", "add the todo 'candles'")
    replies = [planned(*steps), done(GIVES_UP), done(GIVES_UP), replanned(steps[1]), act("todo", "/todo add candles")]
    played, _, left = run(invoke, TWO_WISHES, [*replies, *END])
    assert left == ["candles"]
    assert [item["status"] for item in played.result["plan"]] == ["failed", "done"]


@pytest.mark.parametrize("said", ["That is up to you, so nothing was added.", "Descale it with vinegar."])
def test_a_wish_that_is_answered_in_other_words_stands(invoke: Invoke, said: str) -> None:
    steps = ("descale the glasswasher", "add the todo 'candles'")
    replies = [planned(*steps), done(said), act("todo", "/todo add candles"), *END]
    played, _, left = run(invoke, TWO_WISHES, replies)
    assert left == ["candles"]
    assert played.result["plan"][0]["status"] == "done"
