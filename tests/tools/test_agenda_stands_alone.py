"""Whether a request needs what was said before: a small model takes that for a part of the request."""

from datetime import datetime

import pytest
from support.plan_act import planned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph._internal.texts import Language
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool

NOW = datetime(2026, 3, 11, 9)


def carried(said: str, background: str, *setup: str, language: Language = "en") -> str:
    """What a request is told of what was said before."""
    with Agenda(":memory:", language=language, clock=lambda: NOW) as agenda:
        for command in setup:
            agenda.run(command)
        model = ScriptedModel(replies=[planned(response="...")] * 20)
        tools = [todo_tool(agenda), schedule_tool(agenda)]
        graph = create_plan_act_graph(model, tools, language=language, clock=lambda: NOW, interactive=False)
        run = graph.invoke({"goal": said, "background": background})
    told = str(run["events"][0]["data"].get("before", ""))
    assert (background in str(model.requests[0][-1].content)) is bool(told)
    return told


BILL = "User: remind me to pay the bill by Friday\nAssistant: I added 'pay the bill' to your todo list."
LUNCH = "User: lunch with Eva on Friday at noon\nAssistant: Lunch with Eva is in your calendar."
CHINESE = "用户：提醒我周五交电费\n助手：“交电费”已经记下了。"


@pytest.mark.parametrize(
    "said",
    [
        "Also I have a dentist appointment next Tuesday at 3:30pm",
        "and a team meeting tomorrow from 10 to 11:30 in the canteen",
        "set up a call with Anna on friday",
        "remind me to invoice the Whitlocks",
        "what have I got on for Eva next week?",
        "do I have anything on wednesday afternoon?",
        "the bill has been paid now",
        "I still have to mark the year 9 essays",
    ],
)
def test_a_request_that_says_all_by_itself_is_told_nothing_of_the_one_before(said: str) -> None:
    assert carried(said, BILL, "/todo add pay the bill --due friday") == ""


@pytest.mark.parametrize(
    "said",
    [
        "make that 1 pm instead",
        "undo that",
        "sorry, I meant Thursday",
        "and buy some stamps for it too",
        "with Tom as well on Friday at noon",
        "change the place to the town hall",
        "high priority please",
        "the deadline should be Thursday evening",
        "better at half past three in the afternoon",
        "when did you put it?",
        "which day did you put lunch with Eva on?",
        "Eva can't",
        "tomorrow would be fine as well, I think",
    ],
)
def test_one_that_points_back_or_leaves_something_out_is_told_of_it(said: str) -> None:
    assert carried(said, LUNCH, "/schedule add lunch with Eva --at friday 12:00") == LUNCH


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("下周二下午三点半我要去看牙，帮我记一下", ""),
        ("改成周六吧，别忘了", CHINESE),
        ("你刚记的是哪一天？", CHINESE),
    ],
)
def test_the_same_in_chinese(said: str, told: str) -> None:
    assert carried(said, CHINESE, "/todo add 交电费 --due 星期五", language="zh") == told


def test_a_background_of_the_programs_own_is_always_shown() -> None:
    assert carried("remind me to invoice the Whitlocks", "The user lives in Rome.") == "The user lives in Rome."
