"""Steps that nobody asked for, steps that are called done without a call, and questions that were put before."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, done, last_words, plan_step, planned, play, replanned, with_call
from support.texts import text
from thoughtgraph import Guards
from thoughtgraph.nodes.plan_act.checks.covered import is_remarked
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.search import SearchResult, internet_search_tool
from thoughtgraph.tools.search.texts import text as search_text

pytestmark = pytest.mark.slow

FERNS = "add the todo 'water the ferns'"
LUNCH = {"goal": "lunch with Eva on friday at 12:00"}
BOOK = act("schedule", "/schedule add Lunch with Eva --at friday 12:00")


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


def run(invoke: Invoke, replies: list[str], setup: tuple[str, ...] = (), **options: Any) -> tuple[Any, list[str]]:
    """A run over an agenda of its own, and what it holds in the end."""
    with Agenda(":memory:", clock=now) as agenda:
        for line in setup:
            agenda.run(line)
        played = play(invoke, replies, [todo_tool(agenda), schedule_tool(agenda)], clock=now, **options)
        kept = [one.text for one in agenda.todos("open")] + [one.text for one in agenda.appointments()]
        return played, kept


def verdicts(played: Any) -> list[str]:
    """What went wrong with replies, in words."""
    return [event["data"]["feedback"] for event in played.result["events"] if event["kind"] == "verdict"]


def test_a_step_about_what_nobody_spoke_of_is_left_out_and_the_trace_says_so(invoke: Invoke) -> None:
    replies = [planned("schedule 'lunch with Eva'", FERNS), BOOK, done("Booked."), replanned(response="Booked.")]
    played, kept = run(invoke, replies, goal=LUNCH)
    assert kept == ["Lunch with Eva"]
    assert [item["step"] for item in played.result["plan"]] == ["schedule 'lunch with Eva'"]
    assert verdicts(played) == [text("en", "note.invented", claim=FERNS, goal=LUNCH["goal"])]


def test_an_invented_step_does_not_come_back_when_the_rest_is_planned(invoke: Invoke) -> None:
    replies = [planned("schedule 'lunch with Eva'"), BOOK, done("Booked."), replanned(FERNS, response="Booked.")]
    played, kept = run(invoke, replies, goal=LUNCH)
    assert (kept, played.result["stop_reason"]["kind"]) == (["Lunch with Eva"], "goal_met")


def test_a_plan_of_nothing_else_goes_back_once(invoke: Invoke) -> None:
    plan = with_call(planned(FERNS), "todo", "/todo add water the ferns")
    replies = [plan, planned("schedule 'lunch with Eva'"), BOOK, done("Booked."), replanned(response="Booked.")]
    played, kept = run(invoke, replies, goal=LUNCH)
    assert kept == ["Lunch with Eva"]
    assert text("en", "note.invented", claim=FERNS, goal=LUNCH["goal"]) in last_words(played.model, 1)


def test_the_second_time_the_goal_itself_is_the_step(invoke: Invoke) -> None:
    plan = with_call(planned(FERNS), "todo", "/todo add water the ferns")
    replies = [plan, plan, BOOK, done("Booked."), replanned(response="Booked.")]
    played, kept = run(invoke, replies, goal=LUNCH)
    assert kept == ["Lunch with Eva"]
    assert [item["step"] for item in played.result["plan"]] == [LUNCH["goal"]]


@pytest.mark.parametrize(
    ("goal", "setup", "step", "call"),
    [
        ("my ferns need water", (), FERNS, "/todo add water the ferns"),
        ("watering the ferns!", (), FERNS, "/todo add water the ferns"),
        ("别忘了浇花", (), FERNS, "/todo add 浇花"),
        (
            "the second one is done",
            ("/todo add a", "/todo add water the ferns"),
            "mark 'water the ferns'",
            "/todo done 2",
        ),
        ("water", (), "add the todo", "/todo add water"),
    ],
    ids=["said", "alike", "another language", "shown", "nothing quoted"],
)
def test_a_step_that_may_be_meant_stays(invoke: Invoke, goal: str, setup: Any, step: str, call: str) -> None:
    replies = [planned(step), act("todo", call), done("It is done."), replanned(response="It is done.")]
    played, _ = run(invoke, replies, setup, goal={"goal": goal})
    assert verdicts(played) == []
    assert [item["step"] for item in played.result["plan"]] == [step]


def test_an_entry_that_nobody_spoke_of_is_not_added_after_the_user_was_asked_either(invoke: Invoke) -> None:
    call = act("todo", "/todo add water the ferns")
    replies = [planned("add it"), call, replanned("add it"), call, call]
    played, kept = run(invoke, replies, goal={"goal": "put it on my list"}, answers=["I have told you all I know"])
    assert (kept, played.result["stop_reason"]["kind"]) == ([], "repeated_question")
    assert len(played.shown) == 1


def test_the_same_question_about_an_invention_is_put_once(invoke: Invoke) -> None:
    def pay(amount: int) -> str:
        """Pay somebody."""
        return f"paid {amount}"

    tool = StructuredTool.from_function(pay, metadata={"grounded": ["amount"]})
    call = act("pay", {"amount": 9})
    replies = [planned("pay"), call, call, replanned("pay"), call, call, call]
    played = play(invoke, replies, [tool], goal={"goal": "Pay them"}, answers=["I have told you all I know"])
    assert len(played.shown) == 1
    assert played.result["stop_reason"] == {"kind": "repeated_question", "value": 2, "limit": 2}
    assert played.result["observations"] == []


def test_a_step_that_orders_a_change_is_not_done_without_a_call(invoke: Invoke) -> None:
    step = "schedule 'lunch with Eva'"
    replies = [planned(step), done("I could not find Eva."), BOOK, done("Booked."), replanned(response="Booked.")]
    played, kept = run(invoke, replies, goal=LUNCH)
    assert kept == ["Lunch with Eva"]
    assert text("en", "note.uncalled", claim=step) in last_words(played.model, 2)


def test_the_second_time_the_step_has_failed(invoke: Invoke) -> None:
    lost = done("I could not find Eva.")
    replies = [planned("schedule 'lunch with Eva'"), lost, lost, replanned(response="I could not find Eva.")]
    played, kept = run(invoke, replies, goal=LUNCH)
    assert (kept, played.result["stop_reason"]["kind"]) == ([], "steps_failed")
    assert played.result["plan"][0]["response"] == text("en", "uncalled.step", claim="I could not find Eva.")


@pytest.mark.parametrize(
    "step", ["tell the user about lunch with Eva", "add up the hours until lunch with Eva", "find 'lunch with Eva'"]
)
def test_a_step_that_orders_no_change_by_a_tool_may_be_done_in_words(invoke: Invoke, step: str) -> None:
    replies = [planned(step), done("Lunch is at noon."), replanned(response="Lunch is at noon.")]
    played, _ = run(invoke, replies, goal=LUNCH)
    assert (verdicts(played), played.result["stop_reason"]["kind"]) == ([], "goal_met")


def test_what_an_earlier_step_did_needs_no_second_call(invoke: Invoke) -> None:
    plan = planned("schedule 'lunch with Eva'", "add the lunch with Eva to the schedule")
    rest = replanned("add the lunch with Eva to the schedule")
    replies = [plan, BOOK, done("Booked."), rest, done("It is there."), replanned(response="Booked.")]
    played, kept = run(invoke, replies, goal=LUNCH)
    assert (kept, played.result["stop_reason"]["kind"]) == (["Lunch with Eva"], "goal_met")


class Pages:
    """Finds the same for every query."""

    name = "pages"

    def __init__(self) -> None:
        self.queries: list[str] = []

    def search(self, query: str, top_k: int) -> list[SearchResult]:
        """One page."""
        self.queries.append(query)
        return [SearchResult("Page", f"All about {query}.", "https://page.example")]


@pytest.mark.parametrize(
    ("goal", "query", "made"),
    [
        ("cancel the Lisbon hotel by six. Task with that deadline", "Lisbon hotel", False),
        ("Shall we say the 19th for the architect? Pencil her in.", "architect name", False),
        ("which of my chores and jobs have no day yet?", "jobs without a day", False),
        ("Recommend a good book about Roman history", "best books Roman history", True),
        ("帮我做一份东京三日旅行日程", "东京 三日 旅行", True),
        ("when does the zoo open?", "zoo opening hours", True),
        ("find out what the zoo costs and put it on my list", "zoo price", True),
        ("动物园几点开门", "动物园 开放时间", True),
        ("Price of the zoo train? Look it up, I'm on a budget", "zoo train price", True),
        ("how much is the zoo, I've only got a tenner", "zoo price", True),
        ("动物园门票多少钱？我周末想去", "动物园 门票", True),
        ("When am I at the zoo next? It may be closed.", "zoo opening hours", False),
        ("what's on friday, I have no idea", "friday events", False),
        ("wipe my whole list bar the urgent one", "plumber phone number", False),
        ("what is the tallest building on earth?", "Burj Khalifa height", True),
        ("a good pizzeria near the harbor please", "Italian restaurants by the harbor", True),
    ],
)
def test_a_search_that_nobody_asked_for_goes_back_twice_and_is_then_asked_about(
    invoke: Invoke, goal: str, query: str, made: bool
) -> None:
    pages, call = Pages(), act("internet_search", query)
    insists, answers = ([], []) if made else ([call, call], ["Yes, do search"])
    replies = [planned("search"), call, *insists, done("It is so."), replanned(response="It is so.")]
    tools = [internet_search_tool(pages)]
    played = play(invoke, replies, tools, goal={"goal": goal}, clock=now, answers=answers)
    assert (pages.queries, len(played.shown)) == ([query], len(answers))
    assert (search_text("en", "search.unasked") in last_words(played.model, 2)) is not made
    warm = [number for number, options in enumerate(played.model.options) if options.get("temperature") == 0.8]
    assert warm == ([] if made else [3])


def test_what_the_user_says_in_place_of_a_consent_is_planned_anew(invoke: Invoke) -> None:
    pages, call = Pages(), act("internet_search", "architect name")
    goal = "Shall we say the 19th for the architect? Pencil her in."
    book = act("schedule", "/schedule add architect --at 2026-03-19 9:00")
    rest = replanned("schedule 'architect' on the 19th at nine")
    replies = [planned("pencil her in"), call, call, call, rest, book, done("Booked."), replanned(response="Booked.")]
    with Agenda(":memory:", clock=now) as agenda:
        tools = [schedule_tool(agenda), internet_search_tool(pages)]
        played = play(invoke, replies, tools, goal={"goal": goal}, clock=now, answers=["Nine in the morning"])
        assert [f"{one.text} {one.start:%d %H:%M}" for one in agenda.appointments()] == ["architect 19 09:00"]
    [question] = played.shown
    assert last_words(played.model, 2).count("These tools do such things: schedule.") == 1
    assert "architect name" in question
    assert pages.queries == []


@pytest.mark.parametrize(
    ("answer", "made"),
    [
        ("I have told you all there is, please go by that.", True),
        ("The architect, as I said", True),
        ("我已经都说了，请照办。", True),
        ("put it on my list", False),
        ("not really", False),
        ("Nine in the morning", False),
    ],
)
def test_a_search_that_the_user_was_asked_about_is_made_unless_the_answer_is_a_no_or_says_something_else(
    invoke: Invoke, answer: str, made: bool
) -> None:
    pages, call = Pages(), act("internet_search", "architect name")
    goal = "Which architect is it on my calendar? Note it down."
    again = [call] if made else [call, call]
    ending = [done("It is so."), replanned(response="It is so.")] if made else []
    replies = [planned("search"), call, call, call, replanned("search"), *again, *ending]
    played = play(invoke, replies, [internet_search_tool(pages)], goal={"goal": goal}, clock=now, answers=[answer])
    assert (pages.queries, len(played.shown)) == (["architect name"] * made, 1)


@pytest.mark.parametrize("insists", [False, True])
def test_the_step_of_a_search_that_nobody_asked_for_goes_with_it(invoke: Invoke, insists: bool) -> None:
    step, goal = "search the internet for the architect's name", "the architect on friday at noon, pencil her in"
    search = with_call(planned(step), "internet_search", "architect name")
    book = act("schedule", "/schedule add architect --at friday 12:00")
    plan = search if insists else planned("schedule 'the architect'")
    replies = [search, plan, book, done("It is there."), replanned(response="It is there.")]
    pages = Pages()
    with Agenda(":memory:", clock=now) as agenda:
        tools = [schedule_tool(agenda), internet_search_tool(pages)]
        played = play(invoke, replies, tools, goal={"goal": goal}, clock=now)
        assert [one.text for one in agenda.appointments()] == ["architect"]
    assert pages.queries == []
    assert text("en", "note.invented", claim=step, goal=goal) in last_words(played.model, 1)
    assert '"tool": "schedule", "input": "/schedule ' in last_words(played.model, 1)
    assert [item["step"] for item in played.result["plan"]] == [goal if insists else "schedule 'the architect'"]


def test_the_call_of_a_step_that_goes_is_not_made(invoke: Invoke) -> None:
    pages, goal = Pages(), "the architect on friday at noon, pencil her in"
    plan = with_call(planned("search for the architect", "schedule 'the architect'"), "internet_search", "architect")
    book = act("schedule", "/schedule add architect --at friday 12:00")
    with Agenda(":memory:", clock=now) as agenda:
        tools = [schedule_tool(agenda), internet_search_tool(pages)]
        replies = [plan, book, done("It is there."), replanned(response="It is there.")]
        played = play(invoke, replies, tools, goal={"goal": goal}, clock=now)
    held = [event for event in played.result["events"] if event["data"].get("kind_of_failure") == "incomplete"]
    assert (pages.queries, held) == ([], [])


@pytest.mark.parametrize(
    ("goal", "kept"),
    [
        ("my kid has to know: how long does the zoo train take?", []),
        ("book the zoo train on friday at nine, and how long does it take?", ["zoo train"]),
    ],
)
def test_who_only_asks_gets_no_entry(invoke: Invoke, goal: str, kept: list[str]) -> None:
    book = act("schedule", "/schedule add zoo train --at friday 9:00")
    more = [book, done("It is there.")] if kept else []
    replies = [planned("search for the zoo train", "schedule 'zoo train'"), act("internet_search", "zoo train")]
    replies += [
        done("Not long."),
        replanned("schedule 'zoo train'"),
        *more,
        *[replanned(response="So.")] * bool(kept),
    ]
    with Agenda(":memory:", clock=now) as agenda:
        tools = [schedule_tool(agenda), internet_search_tool(Pages())]
        play(invoke, replies, tools, goal={"goal": goal}, clock=now)
        assert [one.text for one in agenda.appointments()] == kept


@pytest.mark.parametrize(
    ("goal", "before", "made"),
    [
        ("*Farid, sorry", True, False),
        ("*Farid, sorry", False, True),
        ("and who is Farid?", True, True),
        ("look up Farid", True, True),
    ],
)
def test_who_goes_on_about_the_last_request_asks_for_no_search(
    invoke: Invoke, goal: str, before: bool, made: bool
) -> None:
    pages, search = Pages(), with_call(planned("search for Farid"), "internet_search", "Farid")
    said = {"goal": goal} | ({"background": "User: lunch with Farah\nAssistant: It is there."} if before else {})
    # That nothing was done about what is there is told once.
    refused = [search, planned("ask"), done("So be it."), done("So be it."), replanned(response="So.")]
    replies = [search, done("So be it.")] if made else refused
    play(invoke, replies, [internet_search_tool(pages)], goal=said, clock=now)
    assert pages.queries == (["Farid"] if made else [])


def test_a_call_that_failed_twice_as_it_was_is_asked_for_at_a_higher_temperature(invoke: Invoke) -> None:
    def fail(x: str) -> str:
        """Fail."""
        raise ValueError("no")

    first, other = act("fail", {"x": "a"}), act("fail", {"x": "b"})
    replies = [planned("a"), first, first, other, done("No."), replanned(response="No.")]
    played = play(invoke, replies, [StructuredTool.from_function(fail)], guards=Guards(error_threshold=1.0))
    assert [options.get("temperature") for options in played.model.options] == [None] * 3 + [0.8] + [None] * 2


def test_after_a_round_that_nobody_could_read_the_next_is_sampled(invoke: Invoke) -> None:
    circling = '{"status": "planned", "plan": ["' + "buy more bread and butter " * 60
    replies = [circling, circling, circling, planned("look"), done("There."), replanned(response="There.")]
    played = play(invoke, replies, [])
    assert [options.get("temperature") for options in played.model.options] == [None, None, 0.8, 0.8, None, None]
    # It does not see again how it ran in circles.
    shown = "".join(str(message.content) for message in played.model.requests[3])
    assert shown.count("bread and butter") < 10


def test_the_steps_for_the_details_of_one_entry_go(invoke: Invoke) -> None:
    details = ["add the todo 'concert' due friday 19:00 --place hall", "add the todo 'concert' due friday --for 1h"]
    plan = planned("schedule 'concert' on friday 19:00", *details, "schedule 'concert' on saturday 19:00")
    with Agenda(":memory:", clock=now) as agenda:
        replies = [plan, act("schedule", "/schedule add concert --at friday 19:00"), done("It is there.")]
        replies += [replanned("schedule 'concert' on saturday 19:00")]
        replies += [act("schedule", "/schedule add concert --at saturday 19:00"), done("It is there.")]
        replies += [replanned(response="Both are there.")]
        goal = {"goal": "the concert is on friday and on saturday, both at seven in the evening"}
        result = play(invoke, replies, [schedule_tool(agenda), todo_tool(agenda)], goal=goal, clock=now).result
        assert len(agenda.appointments()) == 2
    assert [item["step"] for item in result["plan"]] == [
        "schedule 'concert' on friday 19:00",
        "schedule 'concert' on saturday 19:00",
    ]


@pytest.mark.parametrize(
    ("goal", "planned_again", "left"),
    [
        ("Ludo gets fifty", "add the todo 'pay Ludo 50 euros'", 1),
        ("Ludo gets fifty, and note sixty for him", "add the todo 'pay Ludo 60 euros'", 2),
    ],
    ids=["the same", "another"],
)
def test_what_a_call_has_brought_is_no_new_step(invoke: Invoke, goal: str, planned_again: str, left: int) -> None:
    first = [
        planned("change 'pay Ludo 40 euros' to 50"),
        act("todo", "/todo edit 1 pay Ludo 50 euros"),
        done("It is 50."),
    ]
    more = (
        [act("todo", "/todo add pay Ludo 60 euros"), done("Added."), replanned(response="Fine.")] if left == 2 else []
    )
    replies = [*first, replanned(planned_again), *more]
    played, kept = run(invoke, replies, setup=("/todo add pay Ludo 40 euros",), goal={"goal": goal})
    assert len(kept) == left
    assert played.result["stop_reason"]["kind"] == ("goal_met" if left == 2 else "repeated_plan")


FRIDGE = "the fridge is fixed, cost me 340 for a hose"


@pytest.mark.parametrize(
    ("goal", "second", "kept"),
    [
        (FRIDGE, "add the todo 'buy a hose'", []),
        (f"{FRIDGE}. get it done", "add the todo 'get it done'", []),
        (f"{FRIDGE}. We need a new hose", "add the todo 'get a hose'", ["get a hose"]),
        (f"{FRIDGE}. we're out of oil", "add the todo 'buy oil'", ["buy oil"]),
        (f"{FRIDGE}. The hose wants oil, put that down", "add the todo 'oil the hose'", ["oil the hose"]),
        (f"{FRIDGE}. two for my list: oil, a cloth", "add the todo 'buy a cloth'", ["buy a cloth"]),
    ],
    ids=["remark", "pointer", "need", "lack", "pointed-at", "list"],
)
def test_a_second_entry_of_what_is_only_remarked_on_is_not_added(
    invoke: Invoke, goal: str, second: str, kept: list[str]
) -> None:
    add = act("todo", second.replace("add the todo ", "/todo add ").replace("'", ""))
    replies = [planned("mark 'get the fridge fixed' as done", second), act("todo", "/todo done 1"), done("Done.")]
    replies += [replanned(second), add, done("Added.")] if kept else []
    setup = ("/todo add get the fridge fixed",)
    played, todos = run(invoke, [*replies, replanned(response="Fine.")], setup, goal={"goal": goal})
    assert todos == kept
    assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("remind me to water the plants and fix the bike", "fix the bike"),
        ("call Bo, wash the car", "wash the car"),
        ("Buy milk, bread and eggs", "bread"),
        ("I need milk, bread and eggs", "eggs"),
        ("Rent is paid. Thank Ann for me", "thank Ann"),
        ("Rent is paid. visit gran", "visit gran"),
        ("The tap drips, remind me to fix it", "fix it"),
    ],
)
def test_what_an_order_goes_on_with_is_no_remark(goal: str, text: str) -> None:
    assert not is_remarked(f"add the todo '{text}'", goal)


def test_what_an_order_follows_may_be_what_is_ordered() -> None:
    assert is_remarked("add the todo 'buy a hose'", f"Add oil to my list. {FRIDGE}")
    assert not is_remarked("add the todo 'buy a hose'", f"{FRIDGE}. Add oil to my list")


def set_status(ticket: int, status: str) -> str:
    """Set the status of a ticket."""
    return f"{ticket} is {status}"


@pytest.mark.parametrize(
    ("goal", "step"),
    [
        ("The customer is happy with number 12, close it", "set the status of ticket 12 to 'resolved'"),
        ("How tall is the most famous landmark in Paris?", "search for 'Eiffel Tower height'"),
        ("客户很满意，关掉12号工单", "把状态设为“已解决”"),
    ],
)
def test_the_steps_of_other_tools_may_name_what_nobody_said(invoke: Invoke, goal: str, step: str) -> None:
    tool = StructuredTool.from_function(set_status, metadata={"effects": True})
    replies = [
        planned(step, "tell the user"),
        act("set_status", {"ticket": 12, "status": "resolved"}),
        done("It is so."),
    ]
    replies += [replanned("tell the user"), done("Told."), replanned(response="Done so far.")]
    result = play(invoke, replies, [tool], goal={"goal": goal}).result
    assert [item["status"] for item in result["plan"]] == ["done", "done"]


def test_a_step_of_another_tool_needs_its_call_only_if_the_plan_names_the_tool(invoke: Invoke) -> None:
    def email(to: str) -> str:
        """Send an email, and return the draft."""
        return f"sent to {to}"

    tool = StructuredTool.from_function(email, metadata={"effects": True})
    goal = {"goal": "Edit the draft email for tone"}
    edited = [planned("edit the draft email"), done("Dear all, …"), replanned(response="Dear all, …")]
    assert play(invoke, edited, [tool], goal=goal).result["stop_reason"]["kind"] == "goal_met"
    named = [
        planned(plan_step("edit the draft email", "email")),
        done("Well."),
        done("Well."),
        replanned(response="Well."),
    ]
    assert play(invoke, named, [tool], goal=goal).result["stop_reason"]["kind"] == "steps_failed"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "Lunch is booked for Friday 14:00 to 15:00.",
            "Added appointment 1: Lunch with Eva, Fri 2026-03-13 12:00-13:00.",
        ),
        ("Lunch is booked for March 17.", "Added appointment 1: Lunch with Eva, Fri 2026-03-13 12:00-13:00."),
        ("Lunch is booked for Friday, 13 March, at noon.", ""),
        ("Your lunch is on Friday from 12:00 to 13:00.", ""),
        ("You have 7 days to cancel it.", ""),
    ],
)
def test_an_answer_that_tells_another_time_than_was_booked_gives_way_to_the_result(
    invoke: Invoke, said: str, shown: str
) -> None:
    call = with_call(planned("schedule 'lunch with Eva'"), "schedule", "/schedule add Lunch with Eva --at friday 12:00")
    played, _ = run(invoke, [call, done(said)], goal=LUNCH)
    assert played.result["response"] == (shown or said)


def test_results_of_a_step_are_its_own_also_after_a_call_that_failed(invoke: Invoke) -> None:
    wrong = act("schedule", "/schedule add Lunch with Eva --at noonish 99:00")
    late = done("Booked for 23:59.")
    replies = [planned("look", "schedule 'lunch with Eva'"), act("schedule", "/schedule list"), done("Nothing there.")]
    replies += [replanned("schedule 'lunch with Eva'"), wrong, BOOK, late, replanned(response="Booked.")]
    played, _ = run(invoke, replies, goal=LUNCH)
    assert played.result["plan"][-1]["response"].startswith("Added appointment 1")


DIARY = {"goal": "Plumber on Monday at a quarter to nine, kindly enter that in my diary"}
PLUMBER = with_call(planned("schedule 'plumber' on monday 8:45"), "schedule", "/schedule add plumber --at monday 8:45")


@pytest.mark.parametrize(
    "said",
    [
        "I cannot enter appointments.",
        "I'm sorry, but I can't assist with that.",
        "At a quarter to nine, kindly enter that in my diary.",
    ],
)
def test_an_answer_that_denies_what_a_tool_does_goes_back_once(invoke: Invoke, said: str) -> None:
    played, kept = run(invoke, [planned(response=said), PLUMBER, done("Booked.")], goal=DIARY)
    assert kept == ["plumber"]
    assert "schedule" in verdicts(played)[0]
    played, kept = run(invoke, [planned(response=said), planned(response="I cannot do it.")], goal=DIARY)
    assert (kept, played.result["response"].splitlines()[0]) == ([], "I cannot do it.")


def test_so_does_one_of_what_is_to_be_kept_by_the_users_words(invoke: Invoke) -> None:
    goal = {"goal": "ive got the plumber on monday at a quarter to nine, stick it in please"}
    played, kept = run(
        invoke, [planned(response="I cannot stick the plumber in."), PLUMBER, done("Booked.")], goal=goal
    )
    assert kept == ["plumber"]
    assert len(verdicts(played)) == 1


@pytest.mark.parametrize("goal", ["Order me a pizza", "What is in my diary on Friday?"])
def test_an_answer_that_denies_anything_else_stands(invoke: Invoke, goal: str) -> None:
    said = "Nothing is there." if goal.startswith("What") else "I cannot order a pizza."
    assert verdicts(run(invoke, [planned(response=said)], goal={"goal": goal})[0]) == []


def test_a_step_about_somebody_of_whom_nobody_spoke_is_left_out(invoke: Invoke) -> None:
    card = "add the todo 'buy a card for Zack'"
    replies = [planned("schedule 'lunch with Eva'", card), BOOK, done("Booked."), replanned(response="Booked.")]
    played, kept = run(invoke, replies, goal={"goal": "lunch with Eva on friday at 12:00, and I want a card for Mona"})
    assert "Lunch with Eva" in kept
    assert card in verdicts(played)[0]


def test_a_search_for_what_the_lists_have_goes_back_once(invoke: Invoke) -> None:
    searched: list[str] = []

    class Pages:
        name = "pages"

        def search(self, query: str, top_k: int) -> list[SearchResult]:
            searched.append(query)
            return [SearchResult("Game", "at noon", "https://game.example/")]

    look = with_call(planned("search for the game"), "internet_search", "under 10s game")
    goal = {"goal": "what time is the game on sunday and where is it?"}
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/schedule add Under 10s game --at 2026-03-15 11:30 --place Bramley Fields")
        tools = [todo_tool(agenda), schedule_tool(agenda), internet_search_tool(Pages())]
        replies = [look, act("schedule", "/schedule list 2026-03-15"), done("At 11:30, at Bramley Fields.")]
        played = play(invoke, replies, tools, goal=goal, clock=now)
        assert (searched, played.result["response"]) == ([], "At 11:30, at Bramley Fields.")
        search = act("internet_search", "under 10s game")
        insists = [planned("look it up"), search, search, done("At noon."), replanned(response="At noon.")]
        play(invoke, insists, tools, goal=goal, clock=now)
        assert searched == ["under 10s game"]
