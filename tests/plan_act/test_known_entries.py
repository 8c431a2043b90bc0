"""What tools know of what a request speaks of: shown before the plan, and not passed over in silence."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

import pytest
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned, with_call
from support.scripted import ScriptedModel
from support.waits import no_waits
from thoughtgraph import Guards, create_plan_act_graph
from thoughtgraph.nodes.plan_act.checks.covered import left_out
from thoughtgraph.nodes.plan_act.checks.draft import taken_back
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.likeness import reports
from thoughtgraph.tools.metadata import Told

pytestmark = pytest.mark.slow

KEYS = "/todo add give Greta the spare keys"
NEWS = "Got a message from Greta, she has the keys now"


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


def run(invoke: Invoke, setup: list[str], said: Any, replies: list[Any], **options: Any) -> tuple[Any, Agenda]:
    """A run over an agenda; `said` is the goal, or the whole input."""
    agenda = Agenda(":memory:", clock=now, language=options.get("language", "en"))
    for line in setup:
        agenda.run(line)
    tools = [todo_tool(agenda), schedule_tool(agenda)]
    given = said if isinstance(said, dict) else {"goal": said}
    return play(invoke, replies, tools, goal=given, clock=now, **options), agenda


def answered(said: str, shown: str) -> list[str]:
    """The replies of a model that only answers; what is done becomes a step once it has answered twice."""
    answers = [planned(response="Fine.")] * (2 if shown else 1)
    if reports(said) != {"done"} or not shown.startswith("todo") or shown.endswith("(done)"):
        return answers
    return [*answers, act("todo", f"/todo done {shown[5]}"), done("OK."), replanned(response="OK.")]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (NEWS, "todo 1: give Greta the spare keys"),
        ("the bakery called", ""),
        ("yoga moves to friday", "appointment 1: yoga class, Thu 2026-03-12 18:00"),
        ("cancel the thing tomorrow at 6 pm", "appointment 1: yoga class, Thu 2026-03-12 18:00"),
        ("I have not watered the plants yet", "todo 2: water the plants (done)"),
    ],
)
def test_the_entries_that_a_request_names_stand_before_it(invoke: Invoke, said: str, shown: str) -> None:
    setup = [KEYS, "/todo add water the plants", "/todo done 2", "/schedule add yoga class --at tomorrow 18:00"]
    played, _ = run(invoke, setup, said, answered(said, shown))
    asked = last_words(played.model, 0)
    assert (f"What is there already:\n```\n{shown}\n```\nThe user's goal: {said}" in asked) is bool(shown)
    assert played.result["events"][0]["data"].get("context", "") == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("so can i have a lie-in on thursday?", "appointment 1: yoga class, Thu 2026-03-12 18:00-19:30"),
        ("am I free on friday?", ""),
        ("what is there on saturday?", "appointment 2: camp, Sat 2026-03-14 09:00 until 2026-03-16 09:00"),
        ("am I free on thursday at noon?", ""),
        ("put the dentist on thursday", ""),
    ],
)
def test_a_question_about_a_day_is_shown_what_is_on_it(invoke: Invoke, said: str, shown: str) -> None:
    replies = [planned(response="Fine.")]
    setup = ["/schedule add yoga class --at tomorrow 18:00 --for 1h30m", "/schedule add camp --at 14th 9:00 --for 48h"]
    played, _ = run(invoke, setup, said, replies)
    assert played.result["events"][0]["data"].get("context", "") == shown


def test_at_most_four_of_each_list_are_shown(invoke: Invoke) -> None:
    setup = [f"/todo add call number {number} about the roof" for number in range(9)]
    played, _ = run(invoke, setup, "how many calls about the roof?", [planned(response="Nine.")])
    assert played.result["events"][0]["data"]["context"].count("\n") == 3


def test_an_answer_that_passes_over_it_goes_back_once(invoke: Invoke) -> None:
    call = act("todo", "/todo done 1")
    played, agenda = run(
        invoke,
        [KEYS],
        NEWS,
        [planned(response="Good for her!"), with_call(planned("x"), "todo", "/todo done 1"), done("Done.")],
    )
    assert call and [todo.done for todo in agenda.todos()] == [True]
    assert "todo 1: give Greta the spare keys" in last_words(played.model, 1)
    assert [event["data"]["kind"] for event in played.result["events"] if event["kind"] == "verdict"] == ["unfounded"]


def test_the_same_answer_again_is_taken_unless_something_is_done(invoke: Invoke) -> None:
    answer = planned(response="Good for her!")
    played, agenda = run(invoke, [KEYS], "the spare keys, always the spare keys", [answer, answer])
    assert (played.result["response"], [todo.done for todo in agenda.todos()]) == ("Good for her!", [False])
    assert played.result["stop_reason"]["kind"] == "answered"
    tick = act("todo", "/todo done 1")
    played, agenda = run(invoke, [KEYS], NEWS, [answer, answer, tick, done("Ticked off."), replanned(response="OK.")])
    assert [todo.done for todo in agenda.todos()] == [True]
    assert played.result["plan"][0]["step"].startswith("mark the todo")


def test_a_question_is_answered_from_it_at_once(invoke: Invoke) -> None:
    played, _ = run(invoke, [KEYS], "What about the spare keys?", [planned(response="Give them to Greta.")])
    assert played.result["response"] == "Give them to Greta."


def test_any_tool_can_say_what_it_knows(invoke: Invoke) -> None:
    heard: list[Told] = []

    def knows(told: Told) -> str:
        heard.append(told)
        return "Eva: eva@example.org"

    tool = StructuredTool.from_function(
        lambda to: "sent", name="mail", description="Send.", metadata={"context": knows, "grounded": ["to"]}
    )
    replies = [planned("a"), act("mail", "eva@example.org"), done("Sent."), replanned(response="Sent.")]
    played = play(invoke, replies, [tool], goal={"goal": "write to Eva", "background": "Hi!"})
    assert [(told.request, told.before) for told in heard] == [(["write to Eva"], "Hi!")]
    assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize("asks", [False, True])
def test_which_of_several_is_done_is_left_to_a_tool_that_asks(invoke: Invoke, asks: bool) -> None:
    about = {
        "context": lambda told: "job 1: sand the door\njob 2: paint the door",
        "effects": True,
        **({"required": lambda given, told: None} if asks else {}),
    }
    tool = StructuredTool.from_function(lambda job: "Closed.", name="jobs", description="Close a job.", metadata=about)
    answer = planned(response="The door it is.")
    step = [act("jobs", "1"), done("Closed."), replanned(response="Closed.")] if asks else []
    played = play(invoke, [answer, answer, *step], [tool], goal={"goal": "the door is done"})
    assert played.result["stop_reason"]["kind"] == ("goal_met" if asks else "answered")


def test_what_a_tool_knows_is_a_function() -> None:
    tool = StructuredTool.from_function(lambda to: "", name="mail", description="Send.", metadata={"context": "Eva"})
    with pytest.raises(ValueError, match="'mail'"):
        create_plan_act_graph(ScriptedModel(replies=[]), [tool], checkpointer=InMemorySaver())


BOTH = "The parcel is sent, and remind me of the candles"


def test_what_a_plan_leaves_out_becomes_a_step(invoke: Invoke) -> None:
    replies = [
        with_call(planned("tick off the parcel"), "todo", "/todo done send the parcel"),
        done("The parcel is done."),
        replanned("remind me of the candles"),
        act("todo", "/todo add candles"),
        done("The candles are noted."),
        replanned(response="The parcel is done, the candles are noted."),
    ]
    played, agenda = run(invoke, ["/todo add send the parcel"], BOTH.replace(", and ", ", "), replies)
    assert [(todo.text, todo.done) for todo in agenda.todos()] == [("candles", False), ("send the parcel", True)]
    events = {event["kind"]: event["data"] for event in reversed(played.result["events"])}
    assert "which becomes a step: remind me of the candles" in events["verdict"]["feedback"]
    assert [item["step"] for item in events["plan"]["items"]] == ["tick off the parcel", "remind me of the candles"]


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ("The parcel is sent, phew", "tick off the parcel"),
        ("The parcel is sent, my mother visits on friday", "tick off the parcel"),
        ("The parcel is sent. Not the letter.", "tick off the parcel"),
        ("The parcel is sent, and remind me of the candles", "tick off the parcel and note the candles"),
        ("The parcel is sent, and remind me of the candles", "do it"),
        ("The parcel is sent. What is left?", "tick off the parcel, list the todos"),
        ("快递寄了，很急", "标记寄快递"),
    ],
)
def test_a_plan_that_leaves_nothing_out_stays_as_it_is(invoke: Invoke, said: str, step: str) -> None:
    replies = [with_call(planned(step), "todo", "/todo list"), done("Nothing is on the list.")]
    played, _ = run(invoke, [], said, replies)
    assert len(played.result["plan"]) == 1


@pytest.mark.parametrize("between", [", ", "\n", " "])
def test_plans_in_a_row_are_one_plan(invoke: Invoke, between: str) -> None:
    plans = between.join([with_call(planned("note tape"), "todo", "/todo add tape"), planned("note glue")])
    replies = [
        plans,
        act("todo", "/todo add tape"),
        done("T"),
        replanned("note glue"),
        act("todo", "/todo add glue"),
        done("G"),
        replanned(response="Tape and glue."),
    ]
    played, agenda = run(invoke, [], "tape. glue", replies)
    assert [todo.text for todo in agenda.todos()] == ["tape", "glue"]
    assert len(played.result["plan"]) == 2


def test_a_plan_after_words_of_the_models_own_is_made_up(invoke: Invoke) -> None:
    first = with_call(planned("note tape"), "todo", "/todo add tape")
    _, agenda = run(invoke, [], "tape", [f"{first}\nResult: ok\n{planned('note glue')}", done("Tape is noted.")])
    assert [todo.text for todo in agenda.todos()] == ["tape"]


def test_an_answer_that_leaves_out_what_was_read_is_told_it(invoke: Invoke) -> None:
    replies = [with_call(planned("look"), "todo", "/todo list"), done("The list is shown.")]
    played, _ = run(invoke, [KEYS], "What is on my list?", replies)
    assert played.result["response"] == "The list is shown.\nOpen todos (1):\n1: give Greta the spare keys"


def test_an_answer_that_tells_it_stays_as_it_is(invoke: Invoke) -> None:
    replies = [with_call(planned("look"), "todo", "/todo list"), done("Greta needs the keys.")]
    assert run(invoke, [KEYS], "What is on my list?", replies)[0].result["response"] == "Greta needs the keys."


def test_the_users_words_again_give_way_to_what_was_done(invoke: Invoke) -> None:
    said = "The letter to the council is written"
    replies = [with_call(planned("tick"), "todo", "/todo done letter to the council"), done(f"{said}.")]
    played, _ = run(invoke, ["/todo add write the letter to the council"], said, replies)
    assert played.result["response"] == "Done: 1: write the letter to the council."


def test_a_call_of_the_wrong_tool_waits_for_the_approval_of_the_right_one(invoke: Invoke) -> None:
    call = act("todo", "/todo rm yoga class")
    replies = [planned("a"), call, *[done("It stays.")] * 2, *[replanned(response="It stays.")] * 2]
    agenda = Agenda(":memory:", clock=now)
    agenda.run("/schedule add yoga class --at tomorrow 18:00")
    tools = [todo_tool(agenda), schedule_tool(agenda)]
    goal = {"goal": "yoga is off"}
    no = {"decisions": [{"type": "reject"}]}
    played = play(
        invoke, replies, tools, goal=goal, clock=now, interrupt_on={"schedule": True}, answers=cast(Any, [no])
    )
    assert [entry.text for entry in agenda.appointments()] == ["yoga class"]
    assert played.shown[0]["action_requests"][0]["name"] == "schedule"


def test_a_number_that_was_guessed_is_not_taken_after_a_call_that_found_nothing(invoke: Invoke) -> None:
    guess = "The Velmora cave is 100 metres deep."
    replies = [
        planned(response=guess),
        act("todo", "/todo find cave"),
        done(guess),
        done("I found nothing about it."),
        replanned(response="I found nothing about it."),
    ]
    played, _ = run(invoke, [], "How deep is the Velmora cave?", replies)
    assert "100" in last_words(played.model, 3)
    assert "100" not in played.result["response"]


def test_last_words_that_no_result_supports_are_left_out(invoke: Invoke) -> None:
    def ferry(query: str) -> str:
        """Look a ferry up."""
        raise TimeoutError("no answer in time")

    calls = [act("ferry", f"ferry {number}") for number in range(3)]
    replies = [planned("look it up"), *calls, "The ferry leaves at 17:00."]
    with no_waits():
        goal: Any = {"goal": "When does the ferry leave?"}
        played = play(invoke, replies, [ferry], goal=goal, guards=Guards(error_min_calls=3))
    assert played.result["stop_reason"]["kind"] == "error_rate"
    assert "17:00" not in played.result["response"]


def test_a_step_whose_call_was_held_back_is_not_done_at_once(invoke: Invoke) -> None:
    replies = [
        planned("note it"),
        act("todo", "/todo add the tyres off"),
        done("It is there."),
        act("todo", "/todo done 1"),
        done("They are ticked off."),
        replanned(response="The tyres are ticked off."),
    ]
    played, agenda = run(invoke, ["/todo add take the tyres off"], "finally took the tyres off", replies)
    assert [todo.done for todo in agenda.todos()] == [True]
    assert "so the step is not done" in last_words(played.model, 3)


@pytest.mark.parametrize(
    ("goal", "plan", "context", "left"),
    [
        ("Cancel squash, and tell me what is on friday", "remove squash", "", ["tell me what is on friday"]),
        ("two things: glue. Tape", "note glue", "", ["Tape"]),
        (
            "The laundry and the dishes are finished",
            "tick off the laundry",
            "todo 1: wash the dishes",
            ["the dishes are finished (todo 1: wash the dishes)"],
        ),
        ("The laundry and the dishes are finished", "tick off the laundry", "", []),
        ("Find the capital of France, then double its population", "search the capital of France", "", []),
        ("make that fifty. And Sunday will do", "move 'pay Ludo 40 euros' to sunday", "", ["make that fifty"]),
        ("make that fifty. And Sunday will do", "change 'pay Ludo 40 euros' to 50, due sunday", "", []),
        ("make that 3. And Sunday will do", "move 'lunch with Ludo' to sunday 15:00", "", []),
        ("a call with the bank at noon, block that", "schedule 'bank call' at noon", "", []),
        ("tea with Ann at four. Pencil her in please!", "schedule 'tea with Ann'", "", []),
        ("面试提前到周四，顺便加个待办，打印简历", "把 '面试' 改到周四, 添加待办 '打印简历'", "", []),
        (
            "I bought the rollers but what I need to do is clean the grill can you update my list",
            "update the todo list with 'clean the grill'",
            "todo 2: buy rollers",
            ["I bought the rollers (todo 2: buy rollers)"],
        ),
        ("快递取回来了，另外提醒我给客户发报价单", "标记取快递", "", ["提醒我给客户发报价单"]),
        (
            "Dropped the car off. I fetch it tomorrow at five - pop that in the calendar",
            "mark 'drop the car off' as done",
            "todo 1: drop the car off",
            ["I fetch it tomorrow at five"],
        ),
        (
            "The gutter? Sorted since yesterday.",
            "show the todo 'clean the gutter'\n/todo show clean the gutter",
            "todo 2: clean the gutter",
            ["The gutter: Sorted since yesterday (todo 2: clean the gutter)"],
        ),
        (
            "The gutter? Sorted since yesterday.",
            "mark the todo 'clean the gutter' as done\n/todo done 2",
            "todo 2: clean the gutter",
            [],
        ),
        (
            "Rent went out, off my plate. anything else I've to finish before the week is over?",
            "mark the todo 'pay the rent' as done",
            "todo 1: pay the rent",
            ["anything else I've to finish before the week is over"],
        ),
        (
            "Can you put milk on my list and cancel the dentist?",
            "put milk on the list",
            "",
            ["cancel the dentist"],
        ),
        ("Rent went out. anything else to finish?", "mark 'pay the rent' as done, list the todos", "", []),
        ("She took the form, so that's it. into the diary with it", "mark 'the form' as done", "todo 1: the form", []),
        ("The form is in. can it live on the list so that I have it there?", "add the todo 'the form'", "", []),
        ("I'm off to note the form. list that for me?? 9pm is the latest, no hurry", "add the todo 'the form'", "", []),
        ("The form is gone. They want to see me sooner. It takes place by video.", "mark 'the form' as done", "", []),
        ("Ann needs the form. we no longer need to get stamps", "add the todo 'Ann: the form'", "", []),
        (
            "报销单交了，可以勾了。还有，后天跟供应商的那个视频会，对方要挪到下午三点",
            "标记 '交报销单' 完成",
            "待办 1: 交报销单\n日程 2: 供应商视频会",
            ["对方要挪到下午三点 (日程 2: 供应商视频会)"],
        ),
        ("put these on my todos - milk, bread, eggs", "add the todo 'milk'", "", ["bread", "eggs"]),
        ("add milk, write the log", "add the todo 'milk'", "", ["write the log"]),
        (
            "pick up the dry cleaning, return the library books, and book a table at Nonna's",
            "add the todo 'pick up the dry cleaning'",
            "",
            ["return the library books", "book a table at Nonna's"],
        ),
        (
            "pick up the dry cleaning, return the library books, and book a table at Nonna's for my parents",
            "add the todo 'pick up the dry cleaning'\nadd the todo 'return the library books'",
            "",
            ["book a table at Nonna's for my parents"],
        ),
        (
            "grandma's done, and the bins are out",
            "mark the todo 'call grandma' as done",
            "todo 2: call grandma\ntodo 3: take the bins out",
            ["the bins are out (todo 3: take the bins out)"],
        ),
        (
            "grandma's done, and the bins are not out",
            "mark the todo 'call grandma' as done",
            "todo 2: call grandma\ntodo 3: take the bins out",
            [],
        ),
        ("push everything that is still open to friday", "move 'milk' to friday", "todo 1: milk, Mon 2026-03-16", []),
        (
            "change the call to friday, and move the yoga to friday",
            "move 'call' to friday",
            "",
            ["move the yoga to friday"],
        ),
        (
            "Swimming trunks: found, tick. Goggles: nowhere, so buying some goes on the list",
            "add the todo 'buy some goggles'",
            "2: find the swimming trunks",
            ["Swimming trunks: found (2: find the swimming trunks)"],
        ),
        (
            "车洗完啦，这条划掉；下周一下午两点半学校开运动会，日历上给我占住",
            "把待办 '洗车' 标记为完成",
            "1: 洗车",
            ["下周一下午两点半学校开运动会"],
        ),
        ("周五下午三点体检，帮我在日程里记一下", "安排 '体检' 周五15:00", "", []),
        ("see the dentist, costs a fortune", "add the todo 'see the dentist'", "", []),
        ("fetch the parcel, locker 12, code 4711", "add the todo 'fetch the parcel'", "", []),
        ("meet Paul, near the station", "add the todo 'meet Paul'", "", []),
        ("feed the cat, Tom has the key", "add the todo 'feed the cat'", "", []),
        ("change the school hall to room 12", "change the place of 'parent evening' to room 12", "", []),
        ("change the hall to room 12, add milk", "change the place to room 12", "", ["add milk"]),
        ("change the hall to room 12, add milk", "add the todo 'milk'", "", ["change the hall to room 12"]),
        ("what about the gutter?", "show the todo 'clean the gutter'", "todo 2: clean the gutter", []),
        (
            "Osman: eye test, 17 March, 9.40 am. Ruth: choir, same day, 5 pm. Both in the calendar, and lamp oil, list",
            "add the todo 'lamp oil'",
            "",
            ["Osman: eye test, 17 March, 9.40 am", "Ruth: choir, same day, 5 pm"],
        ),
        # The verb of a clause is the next one's, too.
        ("Add milk. I should like to go home and change my shirt", "add the todo 'milk'", "", []),
        ("Add milk. I need to ring Osman and buy oil", "add the todo 'milk'", "", ["I need to ring Osman", "buy oil"]),
    ],
)
def test_only_wishes_are_left_out(goal: str, plan: str, context: str, left: list[str]) -> None:
    assert left_out(goal, plan, context) == left


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("the second one on my list is behind me", "todo 2: vacuum the car"),
        ("The last item can go", "todo 3: write to the choir"),
        ("第一条做完了", "todo 1: sort the records"),
        ("the ninth one is done", ""),
        ("for the first time in weeks", ""),
    ],
)
def test_an_entry_is_known_by_its_place_on_the_list(invoke: Invoke, said: str, shown: str) -> None:
    setup = ["/todo add sort the records", "/todo add vacuum the car", "/todo add write to the choir"]
    played, _ = run(invoke, setup, said, answered(said, shown))
    assert played.result["events"][0]["data"].get("context", "") == shown


def test_news_about_an_entry_is_not_covered_by_a_word_of_another_wish() -> None:
    context = "todo 1: drop the car off at the garage"
    goal = "Dropped the car off at the garage. I fetch it again tomorrow at five, put that in the calendar"
    assert left_out(goal, "schedule 'fetch the car' tomorrow 17:00", context) == [
        "Dropped the car off at the garage (todo 1: drop the car off at the garage)"
    ]
    assert left_out(goal, "mark 'drop the car off at the garage' as done, schedule 'fetch the car'", context) == []


GONE = "(What was done: /schedule rm Recording → Removed appointment 1: Podcast recording, Fri 2026-03-13 16:00.)"


@pytest.mark.parametrize(
    ("goal", "plan", "before", "back"),
    [
        ("argh, not the recording, that one stays! The brunch is off", "remove 'brunch'", GONE, True),
        ("not the recording but the brunch", "put 'recording' back and remove 'brunch'", GONE, False),
        ("not on Friday, on Sunday", "move it to sunday", GONE, False),
        ("the brunch is off as well", "remove 'brunch'", GONE, False),
        ("not the brunch", "remove 'lunch'", GONE, False),
        ("not the recording", "remove 'brunch'", "User: hi\nAssistant: Hello.", False),
        ("not the recording", "remove 'brunch'", f"{GONE}\nUser: thanks\nAssistant: You are welcome.", False),
    ],
)
def test_what_a_request_takes_back_and_the_plan_has_no_word_of_is_found(
    goal: str, plan: str, before: str, back: bool
) -> None:
    done = GONE.removeprefix("(What was done: ").removesuffix(")")
    assert taken_back(goal, plan, before, "en") == [done] * back


def test_of_several_calls_the_one_that_is_meant_is_taken_back() -> None:
    before = "（实际执行：/todo rm 1 2 → 已删除 1: 买米; 2: 买面; /schedule rm 1 → 已删除日程 1: 看牙）"
    assert taken_back("看牙不是取消，留着", "删除 '开会'", before, "zh") == ["/schedule rm 1 → 已删除日程 1: 看牙"]


def test_what_is_taken_back_becomes_a_step(invoke: Invoke) -> None:
    background = f"User: friday's podcast is off\nAssistant: I removed it.\n{GONE}"
    setup = ["/schedule add Podcast brunch --at 2026-03-15 11:00"]
    replies = [
        planned("remove 'brunch'"),
        act("schedule", "/schedule rm Podcast brunch"),
        done("It is gone."),
        replanned(response="It is gone."),
        act("schedule", "/schedule add Podcast recording --at 2026-03-13 16:00"),
        done("It is back."),
        replanned(response="Done."),
    ]
    said = {"goal": "not the recording, that one stays! The brunch got cancelled", "background": background}
    played, agenda = run(invoke, setup, said, replies)
    assert [one.text for one in agenda.appointments()] == ["Podcast recording"]
    assert played.result["plan"][1]["step"].startswith("take back: /schedule rm Recording")


def test_what_has_become_another_entry_is_not_taken_back(invoke: Invoke) -> None:
    added = "(What was done: /todo add order ink → Added todo 1: order ink.)"
    change = act("todo", "/todo edit 1 order toner")
    replies = [planned("correct it"), change, done("Corrected."), replanned(response="It is toner now.")]
    said = {"goal": "not ink, toner!", "background": f"User: note: order ink\nAssistant: Added.\n{added}"}
    _, agenda = run(invoke, ["/todo add order ink"], said, replies)
    assert [one.text for one in agenda.todos()] == ["order toner"]


@pytest.mark.parametrize(
    ("goal", "shown"),
    [
        ("*Farid, sorry", "not Farah, but Farid"),
        ("Farid*", "not Farah, but Farid"),
        ("*Farah", ""),
        ("*dinner", ""),
        ("Farid *please*", ""),
        ("**Farid** called", ""),
    ],
)
def test_a_word_with_a_star_corrects_the_last_request(invoke: Invoke, goal: str, shown: str) -> None:
    background = "User: tea with Ann\nAssistant: Ok.\nUser: lunch with Farah\nAssistant: It is there."
    replies = [planned(response="Fine.")] * (2 if shown else 1)
    played, _ = run(invoke, [], {"goal": goal, "background": background}, replies)
    assert played.result["events"][0]["data"].get("context", "").endswith(shown)
    assert bool(played.result["events"][0]["data"].get("context")) is bool(shown)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("The yoga class is removed.", "Changed appointment 1"),
        ("I deleted it and it is at 18:00 now.", "Changed appointment 1"),
        ("The 'swimming pool' is at 18:00 now.", "Changed appointment 1"),
        ("'It can't be late' is at 18:00 now.", "Changed appointment 1"),
        ("'Yoga' is at 18:00 now.", "'Yoga' is at 18:00 now."),
        ("It was not removed.", "It was not removed."),
        ("It is at 18:00 now.", "It is at 18:00 now."),
    ],
)
def test_an_answer_tells_of_the_change_that_was_made(invoke: Invoke, answer: str, told: str) -> None:
    replies = [
        planned("move it"),
        act("schedule", "/schedule edit 1 --at 18:00"),
        done(answer),
        replanned(response=answer),
    ]
    played, _ = run(invoke, ["/schedule add yoga class --at tomorrow 17:00"], "yoga at 18:00 instead", replies)
    assert played.result["response"].startswith(told)


def test_an_answer_may_quote_what_a_call_returned(invoke: Invoke) -> None:
    answer = "Yoga is at 18:00 now; 'swimming' stays as it is."
    calls = [act("schedule", "/schedule list"), act("schedule", "/schedule edit 1 --at 18:00")]
    setup = ["/schedule add yoga class --at tomorrow 17:00", "/schedule add swimming --at friday 9:00"]
    replies = [planned("move it"), *calls, done(answer), replanned(response=answer)]
    played, _ = run(invoke, setup, "yoga at 18:00 instead", replies)
    assert played.result["response"] == answer


def test_a_step_that_was_added_to_the_plan_is_not_lost_when_the_rest_is_planned(invoke: Invoke) -> None:
    said = "add candles to my list, cancel the squash game"
    candles, squash = act("todo", "/todo add candles"), act("schedule", "/schedule rm squash")
    replies = [planned("add the todo 'candles'"), candles, done("Added."), replanned(response="Added 'candles'.")]
    replies += [squash, done("Canceled."), replanned(response="Both are done.")]
    played, agenda = run(invoke, ["/schedule add squash game --at tomorrow 18:00"], said, replies)
    assert [item["status"] for item in played.result["plan"]] == ["done", "done"]
    assert agenda.appointments() == []


REPORTS = ["/todo add write the report on bed rails", "/todo add write the report on hand hygiene"]


@pytest.mark.parametrize(
    ("said", "verb", "call", "left"),
    [
        ("the report is done", "finish '{}'", "/todo done {}", [True]),
        ("remove the report", "drop '{}'", "/todo rm {}", []),
    ],
)
def test_a_step_for_each_entry_that_may_be_meant_is_settled_by_the_users_choice(
    invoke: Invoke, said: str, verb: str, call: str, left: list[bool]
) -> None:
    steps = [verb.format(f"write the report on {one}") for one in ("bed rails", "hand hygiene")]
    replies = [planned(*steps), act("todo", call.format("write the report on bed rails")), done("Seen to.")]
    played, agenda = run(invoke, REPORTS, said, replies, answers=["hand hygiene"])
    assert played.result["stop_reason"]["kind"] == "goal_met"
    assert [(item["step"], item["status"]) for item in played.result["plan"]] == [(steps[0], "done")]
    assert [one.done for one in agenda.todos() if "hygiene" in one.text] == left
    assert [one.done for one in agenda.todos() if "rails" in one.text] == [False]


@pytest.mark.parametrize("other", ["remove 'write the report on hand hygiene'", "finish 'write the report' today"])
def test_another_step_stays_behind_the_users_choice(invoke: Invoke, other: str) -> None:
    steps = ["finish 'write the report on bed rails'", other]
    call = act("todo", "/todo done write the report on bed rails")
    replies = [planned(*steps), call, replanned(response="The rest can wait.")]
    played, _ = run(invoke, REPORTS, "the report is done", replies, answers=["hand hygiene"])
    # Else the model would not be asked what remains.
    assert "REPLAN" in last_words(played.model) and other in last_words(played.model)


def test_another_wish_stays_behind_the_users_choice(invoke: Invoke) -> None:
    steps = ["finish 'write the report on bed rails'", "add the todo 'call the ward'"]
    replies = [
        planned(*steps),
        act("todo", "/todo done write the report on bed rails"),
        replanned(steps[1]),
        act("todo", "/todo add call the ward"),
        done("Added."),
        replanned(response="Both are done."),
    ]
    said = "the report is done, and note: call the ward"
    _, agenda = run(invoke, REPORTS, said, replies, answers=["hand hygiene"])
    assert {one.text.split()[-1]: one.done for one in agenda.todos()} == {
        "rails": False,
        "hygiene": True,
        "ward": False,
    }


@pytest.mark.parametrize("said", ["The report on bed rails is finished.", "The report on bed rails is done."])
def test_an_answer_about_the_entry_that_was_not_chosen_gives_way_to_the_result(invoke: Invoke, said: str) -> None:
    call = act("todo", "/todo done write the report on bed rails")
    replies = [planned("finish 'write the report on bed rails'"), call, done(said), replanned(response=said)]
    played, _ = run(invoke, REPORTS, "the report is finished", replies, answers=["the second one"])
    assert played.result["response"] == "Done: 2: write the report on hand hygiene."


@pytest.mark.parametrize(("after", "starts"), [("audit meeting ends", "12:40"), ("demo is over", "17:00")])
@pytest.mark.parametrize("given", ["", " --at friday", " --at 2026-03-13 13:00"])
def test_what_follows_an_appointment_is_added_at_its_end(invoke: Invoke, after: str, starts: str, given: str) -> None:
    setup = ["/schedule add Audit meeting --at 2026-03-13 11:00-12:40", "/schedule add Demo --at 2026-03-13 16:00"]
    call = act("schedule", f"/schedule add lunch w/ Cosima{given}")
    replies = [planned("add the appointment 'lunch w/ Cosima'"), call, done("In."), done("In.")]
    said = f"lunch w/ Cosima on friday, straight after the {after}. calendar it"
    played, agenda = run(invoke, setup, said, replies)
    [lunch] = [one for one in agenda.appointments(start=now()) if one.text == "lunch w/ Cosima"]
    assert f"{lunch.start:%Y-%m-%d %H:%M}" == f"2026-03-13 {starts}"
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_what_only_says_why_is_no_part_of_a_list() -> None:
    goal = "Please write in my list: bring back the ladder until Sunday. He is asking already two times."
    assert left_out(goal, "add the todo 'bring back the ladder' due Sunday") == []
    listed = "For my list: bring back the ladder. I'm out of tape and I need to buy screws."
    assert left_out(listed, "add the todo 'bring back the ladder'") == ["I'm out of tape", "I need to buy screws"]


def test_a_question_that_was_looked_up_ticks_nothing_off(invoke: Invoke) -> None:
    said = "Café Ombrello just messaged again. How many espresso cups did they want, was it 12?"
    plan, wants = planned("find the todo about Café Ombrello"), "Café Ombrello wants 18 espresso cups."
    replies = [plan, act("todo", "/todo find espresso"), done(wants), done(wants)]
    played, agenda = run(invoke, ["/todo add glaze 18 espresso cups for Café Ombrello"], said, replies)
    assert [event for event in played.result["events"] if event["kind"] == "verdict"] == []
    assert agenda.todos("done") == []
