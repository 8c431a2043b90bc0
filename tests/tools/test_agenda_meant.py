"""Commands that do another thing than the user's words speak of, and those that only look so."""

from __future__ import annotations

from datetime import datetime

import pytest
from support.commands import becomes
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.agenda.checks.put_right.as_told import as_told
from thoughtgraph.tools.agenda.checks.rules import missing_of
from thoughtgraph.tools.calls.required import meant_for
from thoughtgraph.tools.metadata import Missing, Told, metadata_of
from thoughtgraph.traces.shapes import Action

NOW = datetime(2026, 3, 11, 9, 0)
TYRES = "/todo add take the winter tyres off"
CAKE = "/todo add bake a cake"
YOGA = "/schedule add yoga class --at 2026-03-12 18:00"
SAID = Told(["hello"], "", (), NOW)
YOGA_SAID = (
    "User: yoga tomorrow at six\nAssistant: It is scheduled.\n(What was done: … → Added appointment 1: yoga class.)"
)
CAKE_SAID = (
    "User: note: bake a cake\nAssistant: Noted.\n(What was done: /todo add bake a cake → Added todo 1: bake a cake.)"
)


def judged(setup: list[str], said: str, command: str, before: str = "") -> Missing | None:
    """What speaks against a command."""
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in setup:
            agenda.run(line)
        return missing_of(agenda, command, Told([said], before, (), NOW))


WRONG = [
    ([TYRES], "phew, got the winter tyres off the car!", "/todo rm take the winter tyres off", "", "/todo done 1"),
    (
        [CAKE],
        "The cake is behind me",
        "/todo rm bake a cake",
        "",
        "/todo done 1",
    ),
    ([CAKE], "the first one on my list is over with", "/todo rm 1", "", "/todo done 1"),
    ([CAKE], "cake's been taken care of", "/todo rm 1", "", "/todo done 1"),
    ([CAKE], "I ate all of the cake", "/todo rm bake a cake", "", "To remove it all the same, make the call again."),
    (["/todo add fetch the suit"], "he fetched the suit today", "/todo rm fetch the suit", "", "/todo done 1"),
    (["/todo add buy a tent"], "I bought the tent", "/todo add buy a tent", "", "/todo done 1"),
    ([TYRES], "finally took the tyres off", "/todo add take the winter tyres off", "", "/todo done 1"),
    ([CAKE], "we don't need the cake any more", "/todo add bake a cake", "", "/todo rm 1"),
    ([YOGA], "sorry, friday I meant", "/schedule rm 1", YOGA_SAID, "/schedule edit 1 --at 2026-03-13"),
    ([YOGA], "no, half past six", "/schedule add half past six --at 18:30", YOGA_SAID, "/schedule edit 1"),
    ([YOGA], "no, half past six", "/todo add half past six", YOGA_SAID, "/schedule edit 1"),
    ([CAKE], "not a cake, cookies!", "/todo rm 1", CAKE_SAID, "/todo edit 1 bake a cookies"),
    ([], "my test is on friday, nothing you need to do", "/todo add test --due friday", "", "nothing is to be done"),
    (
        [],
        "Would have been lovely to ski tomorrow. Oh well",
        "/todo add ski --due tomorrow",
        "",
        "nothing is to be done",
    ),
    ([], "周五我考试，你不用管", "/todo add 考试 --due 周五", "", "nothing is to be done"),
    ([CAKE], "*pie. Sorry!", "/todo add pie", CAKE_SAID, "/todo edit 1"),
    (
        ["/schedule add Lunch with Farah --at friday 12:00"],
        "*Farid",
        "/schedule add Farid",
        YOGA_SAID.replace("yoga class", "Lunch with Farah"),
        "/schedule edit 1 Lunch with Farid",
    ),
    (
        ["/schedule add Lunch with Farah --at friday 12:00"],
        "*Farid",
        "/schedule edit Lunch with Farid Lunch with Farid",
        YOGA_SAID.replace("yoga class", "Lunch with Farah"),
        "/schedule edit 1 Lunch with Farid",
    ),
    (
        ["/todo add pay Ludo 40 euros"],
        "make that fifty. And sunday will do",
        "/todo add make that fifty",
        CAKE_SAID.replace("bake a cake", "pay Ludo 40 euros"),
        "/todo edit 1 pay Ludo 50 euros --due 2026-03-15",
    ),
    (
        ["/todo add pay Ludo 40 euros --due thursday"],
        "make that fifty. And sunday is early enough",
        "/todo add pay Ludo 40 euros --due sunday",
        CAKE_SAID.replace("bake a cake", "pay Ludo 40 euros"),
        "/todo edit 1 pay Ludo 50 euros --due 2026-03-15",
    ),
    (
        [YOGA],
        "no, wait: friday or maybe saturday",
        "/schedule add yoga class --at friday 18:00",
        YOGA_SAID,
        "/schedule edit 1",
    ),
    ([CAKE], "no, three of them", "/todo add three of them", CAKE_SAID, "/todo edit 1"),
    ([YOGA], "What time did you put down for that?", "/schedule add yoga class --at tomorrow 18:00", YOGA_SAID, "list"),
    ([YOGA], "瑜伽课是几点？", "/schedule add 瑜伽课 --at 明天18:00", "", "/schedule list"),
    ([YOGA], "push the yoga class back by an hour", "/schedule edit 1 --for 1h", "", "--at 2026-03-12 19:00"),
    ([], "the permit runs out on the 20th", "/todo add renew the permit", "", "--due 2026-03-20"),
]
RIGHT = [
    ([CAKE], "Take the cake off the list, you're an angel", "/todo rm 1", ""),
    ([], "Add milk to my list. You don't need to do anything else", "/todo add milk", ""),
    ([YOGA], "move the yoga to friday, but don't change anything else", "/schedule edit 1 --at friday", ""),
    ([TYRES], "The winter tyres can stay on, drop that", "/todo rm 1", ""),
    ([TYRES], "the winter tyres are off", "/todo done 1", ""),
    ([CAKE], "不用做蛋糕了，去掉吧", "/todo rm 1", ""),
    ([CAKE], "*pie", "/todo edit 1 bake a pie", CAKE_SAID),
    ([CAKE], "bake two cakes for Nora", "/todo add bake two cakes for Nora", ""),
    ([YOGA], "take it out again", "/schedule rm 1", YOGA_SAID),
    ([YOGA], "and the sauna on friday at eight", "/schedule add sauna --at friday 20:00", YOGA_SAID),
    ([YOGA], "another yoga class on saturday at 10", "/schedule add yoga class --at saturday 10:00", ""),
    ([YOGA], "could you put the dentist on friday at nine?", "/schedule add dentist --at friday 9:00", ""),
    ([YOGA], "is it possible to move yoga to seven in the evening?", "/schedule edit 1 --at 19:00", ""),
    ([YOGA], "how about moving yoga to 19:00?", "/schedule edit 1 --at 19:00", ""),
    ([YOGA], "能不能把瑜伽课取消？", "/schedule rm 1", ""),
    ([YOGA], "the yoga class will take an hour", "/schedule edit 1 --for 1h", ""),
    ([], "No appointment, but I have to read the meter by monday", "/todo add read the meter --due monday", ""),
    ([], "Leo was here on monday. Note: pay him back", "/todo add pay Leo back", ""),
]


@pytest.mark.parametrize(("setup", "said", "command", "before", "hint"), WRONG)
def test_a_command_that_does_another_thing_is_held_back(
    setup: list[str], said: str, command: str, before: str, hint: str
) -> None:
    found = judged(setup, said, command, before)
    assert found is not None
    assert hint in found.hint
    assert not found.at_once


@pytest.mark.parametrize(("setup", "said", "command", "before"), RIGHT)
def test_a_command_that_is_meant_is_not(setup: list[str], said: str, command: str, before: str) -> None:
    assert judged(setup, said, command, before) is None


@pytest.mark.parametrize(
    ("setup", "said", "command", "before", "asked"),
    [
        (
            [YOGA],
            "dropped the mat off, that's done. Yoga class tomorrow",
            "/schedule add yoga class --at 9:00",
            "",
            "at what time is “yoga class” on Thu 2026-03-12?",
        ),
        ([CAKE], "make it pie", "/todo edit bake a cake --due friday", CAKE_SAID, "by when should this be done now"),
    ],
)
def test_nothing_speaks_against_a_command_that_lacks_a_time(
    setup: list[str], said: str, command: str, before: str, asked: str
) -> None:
    found = judged(setup, said, command, before)
    assert found is not None
    assert found.question.startswith(asked)
    assert (found.at_once, found.hint) == (True, "")


@pytest.mark.parametrize(
    ("command", "is_its_line"),
    [
        ("/schedule edit 1, yoga class, Thu 2026-03-12 18:00", True),
        ("/schedule edit 1 yoga class, 2026-03-12 18:00 --place gym", True),
        ("/schedule edit 1 yoga class for two", False),
        ("/schedule edit 1 evening yoga", False),
        ("/schedule edit 1 --at friday 18:00", False),
    ],
)
def test_an_entry_does_not_get_its_own_line_as_its_text(command: str, is_its_line: bool) -> None:
    found = judged([YOGA], "we're hosting, not them, so our place. On friday then", command)
    assert (found is not None and "the entry as it is: 1: yoga class" in found.hint and found.stands) is is_its_line


ASKED_NEW = [
    ("Mark the todo 'fly to the moon' as done", "/todo add fly to the moon", "fly to the moon"),
    ("tick fly to the moon off", "/todo add fly to the moon --priority high", "fly to the moon"),
    ("please remove the ferry from my calendar", "/schedule add ferry --at friday 9:00", "ferry"),
    ("把修车标记为完成", "/todo add 修车", "修车"),
    ("mark the essays", "/todo add mark the essays", ""),
    ("cancel the gym subscription by friday", "/todo add cancel the gym subscription --due friday", ""),
    ("tick the dentist off and put the optician on my list", "/todo add go to the optician", ""),
]


@pytest.mark.parametrize(
    ("answer", "command"),
    [
        ("both", "/todo rm 1 2"),
        ("all of them", "/todo rm 1 2"),
        ("cancel them all", "/todo rm 1 2"),
        ("两个都删", "/todo rm 1 2"),
        ("I have told you all there is, please go by that.", None),
        ("that is all I know", None),
        ("我已经都说了，请照办。", None),
        ("the insurance: insure", "/todo rm 2"),
    ],
)
def test_an_answer_with_all_in_it_does_not_mean_all_of_them(answer: str, command: str | None) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in ("/todo add wash the car", "/todo add insure the car"):
            agenda.run(line)
        found = missing_of(agenda, "/todo rm the car", Told(["the car thing can go"], "", (), NOW))
        assert found is not None
        assert found.completed(answer) == command


@pytest.mark.parametrize(
    ("said", "command", "asked"),
    ASKED_NEW,
)
def test_an_order_about_what_is_not_there_adds_nothing_unasked(said: str, command: str, asked: str) -> None:
    found = judged([], said, command)
    assert (asked in found.question and found.at_once and found.stands) if asked and found else (found is None)
    if found:
        assert found.completed("yes, please") == command
        assert found.completed("no") is None


def test_the_answer_settles_it() -> None:
    setup, said, command, before, _ = WRONG[0]
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in [*setup, "/todo add paint the fence"]:
            agenda.run(line)
        found = missing_of(agenda, command, Told([said], before, (), NOW))
        assert found is not None
        assert "/todo done 1" in found.question
        assert (found.completed("yes"), found.completed("no")) == ("/todo done 1", None)
        assert found.completed("the fence, I mean") == "/todo done 2"


@pytest.mark.parametrize(
    ("said", "command", "meant"),
    [
        ("friday at two in the afternoon", "/schedule edit 2 --at 2:00", "/schedule edit 2 --at 2026-03-13 14:00"),
        ("Move my meeting to Friday at 14:00", "/schedule edit 2 --at 14:00", "/schedule edit 2 --at 2026-03-13 14:00"),
        ("friday 14:00 or saturday 14:00", "/schedule edit 2 --at 14:00", "/schedule edit 2 --at 14:00"),
        ("at two at night", "/schedule edit 2 --at 2:00", "/schedule edit 2 --at 2:00"),
        (
            "optician on friday, 9:00",
            "/schedule add optician on friday --at 9:00",
            "/schedule add optician --at 2026-03-13 9:00",
        ),
        ("Eva in two hours", "/schedule add Eva --at 11:00 --for 2h", "/schedule add Eva --at 2026-03-11 11:00"),
        ("两小时后见小林", "/schedule add 见小林 --at 11:00 --for 2h", "/schedule add 见小林 --at 2026-03-11 11:00"),
        (
            "Eva in an hour, for 2h",
            "/schedule add Eva --at 10:00 --for 1h",
            "/schedule add Eva --at 2026-03-11 10:00 --for 2h",
        ),
        (
            "Eva at 11:00 for two hours",
            "/schedule add Eva --at 11:00 --for 2h",
            "/schedule add Eva --at 11:00 --for 2h",
        ),
        ("a talk on paper at 9:00", "/schedule add talk on paper --at 9:00", "/schedule add talk on paper --at 9:00"),
        ("cancel it on friday", "/schedule rm 2", "/schedule rm 2"),
        (
            "two hours on March 20 at 10:00",
            "/schedule add x --at thursday 20:00",
            "/schedule add x --at 2026-03-20 10:00 --for 2h",
        ),
        ("friday quarter past two", "/schedule add x --at friday 14:00", "/schedule add x --at 2026-03-13 14:15"),
        ("friday at 10", "/schedule add x --at friday", "/schedule add x --at 2026-03-13 10:00"),
        ("friday at 10", "/schedule add x --at friday 10am-11am", "/schedule add x --at friday 10am-11am"),
        ("friday at 10, push it an hour", "/schedule edit 1 --at friday 11:00", "/schedule edit 1 --at friday 11:00"),
        (
            "friday 10:00, 30 minutes",
            "/schedule add x --at friday 10:00 --for 1h",
            "/schedule add x --at friday 10:00 --for 30m",
        ),
        (
            "at ten in the morning on friday, an hour and a quarter",
            "/schedule add x --at friday 10:00 --for 1h 45m",
            "/schedule add x --at friday 10:00 --for 1h15m",
        ),
        (
            "my 3 o'clock tomorrow has to shift to 4:30, same day",
            "/schedule edit x --at Thursday 2026-03-12 14:30",
            "/schedule edit x --at 2026-03-12 16:30",
        ),
        (
            "friday 10:00, 30 minutes after the vet",
            "/schedule add x --at friday 10:00",
            "/schedule add x --at friday 10:00",
        ),
        ("on friday", "/schedule add x --at friday 9:00", "/schedule add x --at friday 9:00"),
        ("这周末有没有安排？", "/schedule list 明天", "/schedule list 这周末"),
        ("what is on this weekend?", "/schedule list friday", "/schedule list this weekend"),
        ("what is on on friday?", "/schedule list tomorrow", "/schedule list 2026-03-13"),
        ("what is on on friday?", "/schedule list week", "/schedule list 2026-03-13"),
        ("what is on after friday?", "/schedule list week", "/schedule list week"),
        ("what is on on friday and saturday?", "/schedule list friday", "/schedule list friday"),
        ("what is on?", "/schedule list tomorrow", "/schedule list tomorrow"),
    ],
)
def test_a_command_gets_the_day_and_the_hour_that_the_user_named(said: str, command: str, meant: str) -> None:
    assert as_told(command, Told([said], "", (), NOW)) == meant


@pytest.mark.parametrize(
    ("tool", "command", "meant"),
    [
        ("todo", "/todo add coffee with Mr Adeyemi", ("todo", "/todo add coffee with Mr Adeyemi")),
        ("schedule", "/schedule rm bake a cake", ("todo", "/todo rm 1")),
        ("todo", "/todo edit yoga class --due tomorrow 18:30", ("schedule", "/schedule edit 1 --at tomorrow 18:30")),
        ("todo", "/schedule edit 1 --at 18:30", ("schedule", "/schedule edit 1 --at 18:30")),
        ("schedule", "/view week", ("todo", "/view week")),
        ("todo", "/todo rm bake a cake", ("todo", "/todo rm bake a cake")),
        ("todo", "/todo rm 9", ("todo", "/todo rm 9")),
        ("todo", "/todo rm sauna", ("todo", "/todo rm sauna")),
        ("schedule", "/schedule add bake a cake --at 9:00", ("schedule", "/schedule add bake a cake --at 9:00")),
        ("todo", "nonsense", ("todo", "nonsense")),
    ],
)
def test_a_command_is_for_the_list_that_has_the_entry(tool: str, command: str, meant: tuple[str, str]) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(CAKE)
        agenda.run(YOGA)
        tools = {one.name: one for one in (todo_tool(agenda), schedule_tool(agenda))}
        call = meant_for(tools, Action(tool=tool, input=command), SAID)
        assert (call["tool"], call["input"]) == meant
        alone = meant_for({tool: tools[tool]}, Action(tool=tool, input={"command": command}), SAID)
        assert alone == {"tool": tool, "input": {"command": command}}


@pytest.mark.parametrize(
    ("said", "command", "meant"),
    [
        (["hello"], "/schedule rm yoga class, Thu 2026-03-12 18:00", "/schedule rm 1"),
        (["hello"], "/schedule edit yoga class, Thu 2026-03-12 18:00 --at 19:00", "/schedule edit 1 --at 19:00"),
        (["hello"], "/schedule rm pilates, Fri 2026-03-13 18:00", "/schedule rm pilates, Fri 2026-03-13 18:00"),
        (["hello"], "/todo done bake a cake, Fri 2026-03-13", "/todo done 1"),
        (["hello"], "/todo done bake a cake", "/todo done bake a cake"),
        (["it is off", "the yoga"], "/schedule rm it is off", "/schedule rm 1"),
        (["yoga is off"], "/schedule rm the yoga session", "/schedule rm 1"),
        (["yoga and sauna are off"], "/schedule rm the yoga session", "/schedule rm 1"),
        (["buy a gift, and what is on thursday?"], "/schedule rm the gift", "/schedule rm the gift"),
        (["yoga is off"], "/schedule rm the meeting", "/schedule rm the meeting"),
        (["move the swim to thursday"], "/schedule edit swim --at thursday", "/schedule edit swim --at thursday"),
        (["move it", "the one on thursday"], "/schedule edit swim --at 19:00", "/schedule edit 1 --at 19:00"),
        (["the cake is in the oven"], "/todo done cake mixing", "/todo done 1"),
        (["the roof is done"], "/todo done the roof", "/todo done the roof"),
    ],
)
def test_words_that_no_entry_has_mean_its_line_or_what_the_user_names(
    said: list[str], command: str, meant: str
) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(f"{CAKE} --due friday")
        agenda.run(YOGA)
        agenda.run("/schedule add sauna --at 2026-03-15 10:00")
        tools = {one.name: one for one in (todo_tool(agenda), schedule_tool(agenda))}
        call = meant_for(tools, Action(tool=command[1:].split()[0], input=command), Told(said, "", (), NOW))
        assert call["input"] == meant


def test_what_an_empty_list_cannot_have_is_looked_for_in_the_other_one() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(YOGA)
        tools = {one.name: one for one in (todo_tool(agenda), schedule_tool(agenda))}
        command = "/todo rm tomorrow's thing"
        assert meant_for(tools, Action(tool="todo", input=command), SAID)["input"] == "/schedule rm tomorrow's thing"
        agenda.run(CAKE)
        assert meant_for(tools, Action(tool="todo", input=command), SAID)["input"] == command


@pytest.mark.parametrize(
    ("step", "command", "meant"),
    [
        (
            "add the todo 'fix it' due Saturday 18:00",
            "/schedule rm fix it",
            ("todo", "/todo add fix it --due Saturday 18:00"),
        ),
        (
            "schedule 'fix it' on friday 9am",
            "/schedule edit fix it --at 9:00",
            ("schedule", "/schedule add fix it --at friday 9am"),
        ),
        ("add the todo 'fix it' some day", "/todo rm fix it", ("todo", "/todo add fix it")),
        ("remove the todo 'fix it'", "/todo rm fix it", ("todo", "/todo rm fix it")),
        ("add the todo 'bake a cake'", "/todo rm bake a cake", ("todo", "/todo rm bake a cake")),
    ],
)
def test_a_call_that_changes_what_is_to_be_added_adds_it(step: str, command: str, meant: tuple[str, str]) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(CAKE)
        tools = {one.name: one for one in (todo_tool(agenda), schedule_tool(agenda))}
        told = Told(["fix it"], "", (), NOW, step)
        call = meant_for(tools, Action(tool=command[1:].split()[0], input=command), told)
    assert (call["tool"], call["input"]) == meant


@pytest.mark.parametrize(
    ("said", "command", "meant"),
    [
        ("cake = baked", "/todo undo bake a cake", "/todo done 1"),
        ("the cake is still to be baked", "/todo undo bake a cake", "/todo undo bake a cake"),
        ("plants done", "/todo undo water the plants", "/todo undo water the plants"),
    ],
)
def test_an_open_todo_is_not_opened_again(said: str, command: str, meant: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for line in (CAKE, "/todo add water the plants", "/todo done 2"):
            agenda.run(line)
        call = meant_for({"todo": todo_tool(agenda)}, Action(tool="todo", input=command), Told([said], "", (), NOW))
    assert call == {"tool": "todo", "input": meant}


@pytest.mark.parametrize(
    ("said", "tool"),
    [
        ("coffee with Mr Adeyemi, diary pls", "schedule"),
        ("和林老师喝咖啡，放进日历", "schedule"),
        ("Pencil coffee with Mr Adeyemi in for friday", "schedule"),
        ("coffee with Mr Adeyemi, and put a pencil in my bag", "todo"),
        ("no appointment, just coffee with Mr Adeyemi", "todo"),
        ("coffee with Mr Adeyemi: on my list, not in the calendar", "todo"),
    ],
)
def test_what_is_for_the_calendar_is_no_todo(said: str, tool: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        tools = {one.name: one for one in (todo_tool(agenda), schedule_tool(agenda))}
        told = Told([said], "", (), NOW)
        call = meant_for(tools, Action(tool="todo", input="/todo add coffee --due friday --priority high"), told)
        changed = (
            "/schedule add coffee --at friday"
            if tool == "schedule"
            else "/todo add coffee --due friday --priority high"
        )
        assert (call["tool"], call["input"]) == (tool, changed)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("/todo list --urgent", "bake a cake (high priority)"),
        ("/todo list --priority urgent", "Open todos (1)"),
        ("/todo list nonsense", "cannot be narrowed down to “nonsense”. All of it:\nOpen todos (1)"),
        ("/todo list --status open", "Open todos (1)"),
        ("/todo list --state done", "No done todos"),
        ("/todo list --on 2026-03-01", "No todo passes"),
        ("/schedule list --by saturday", "yoga class"),
        ("/todo list --filter mine", "narrowed down to “--filter mine”"),
        ("/schedule list thisweek", "yoga class"),
        ("/schedule list --date 2026-03-01", "No appointments"),
        ("/schedule list someday", "All of it:"),
        ("/view --on 2026-03-01", "No appointments"),
        ("/view soon", "yoga class"),
    ],
)
def test_a_list_with_a_filter_that_cannot_be_read_shows_all(command: str, shown: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(f"{CAKE} --priority high")
        agenda.run(YOGA)
        tool = schedule_tool(agenda) if command.startswith("/schedule") else todo_tool(agenda)
        assert shown in tool.invoke(command)
        with pytest.raises(ValueError, match="Unknown option"):
            todo_tool(agenda).invoke("/todo add milk --nonsense 3")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("weekend", 1),
        ("this weekend", 1),
        ("周末", 1),
        ("by saturday", 2),
        ("周六之前", 2),
        ("thisweek", 2),
        ("friday", 0),
    ],
)
def test_periods_are_read_as_people_name_them(words: str, count: int) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(YOGA)
        agenda.run("/schedule add choir --at 2026-03-14 18:00")
        assert agenda.run(f"/schedule list {words}").count("2026-03-1") == count


def test_what_is_written_of_the_list_is_no_part_of_an_entry() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        todo_tool(agenda).invoke("/todo add put order new lightbulbs on my list")
        todo_tool(agenda).invoke("/todo add put the poster on the wall")
        assert [todo.text for todo in agenda.todos()] == ["order new lightbulbs", "put the poster on the wall"]
        schedule_tool(agenda).invoke("/schedule add yoga --at friday 9:00")
        assert schedule_tool(agenda).invoke("/schedule rm 1: yoga").startswith("Removed appointment 1")
        assert todo_tool(agenda).invoke("/todo done todo 1").startswith("Done: 1")


def test_an_edit_that_changes_nothing_says_so() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run(CAKE)
        agenda.run(YOGA)
        for line in ("/todo edit 1 bake a cake", "/schedule edit 1 --at 2026-03-12 18:00", "/schedule edit 1 --for 1h"):
            with pytest.raises(ValueError, match="Nothing would change: 1"):
                agenda.run(line)


@pytest.mark.parametrize(
    ("said", "text", "kept"),
    [
        ("Remind me to water the plants, and schedule lunch with Eva on Friday at 12:00", "water the plants", False),
        ("batteries. And the recycling has to be out by tomorrow", "batteries", False),
        ("浇花，另外周五和小红吃饭", "浇花", False),
        ("batteries. And the recycling has to be out by tomorrow", "bring the recycling out", True),
        ("The permit runs out on friday, I have to renew it by then", "renew the permit", True),
        ("The party is on friday. Buy candles before", "buy candles", True),
        ("Ring the vet and water the ferns, both today", "water the ferns", True),
        ("For friday: wash the car, iron the shirts", "iron the shirts", True),
        ("hand in the essay until friday", "hand in the essay", True),
        ("friday, please", "wax the skis", True),
        ("My wife saw to the boiler, and they say it wants a service by friday. Keep that", "the boiler", True),
        ("My wife saw to the boiler, and it's lunch with Eva on friday", "see to the boiler", False),
        ("wash the car, and they deliver the sofa on friday", "wash the car", False),
    ],
)
def test_a_date_that_was_given_with_other_words_is_of_something_else(said: str, text: str, kept: bool) -> None:
    put_right = as_told(f"/todo add {text} --due 2026-03-13", Told([said], "", (), NOW))
    assert put_right.partition(" --due ")[0] == f"/todo add {text}"
    assert (" --due 2026-03-1" in put_right) == kept


def test_an_option_that_is_said_twice_counts_once() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        schedule_tool(agenda).invoke("/schedule add insurance --at tomorrow 16:00 --deadline 4pm")
        schedule_tool(agenda).invoke("/schedule add yoga --at friday 9:00 --to 10:30")
        first, second = agenda.appointments()
    assert (first.text, f"{first.start:%d %H:%M}", f"{second.end:%d %H:%M}") == ("insurance", "12 16:00", "13 10:30")


@pytest.mark.parametrize(
    ("said", "given", "right"),
    [
        ("push the dinner back by one hour, and drop yoga", "--at 2026-03-11 18:30", "2026-03-12 20:30"),
        ("dinner half an hour earlier please", "--at 20:00", "2026-03-12 19:00"),
        ("push the dinner back by an hour", "--for 1h", "2026-03-12 20:30"),
        ("push the dinner back by an hour", "--at 20:30", ""),
        ("push the dinner back by an hour", "--at 2026-03-12 20:30", ""),
        ("push the dinner back by an hour", "--at 2026-03-12 19:30", ""),
        ("push the dinner back by an hour to 20:30", "--at 20:30", ""),
        ("dinner moves to 21:00, and yoga an hour later", "--at 21:00", ""),
        ("the dinner takes two hours, and I'll be back later", "--for 2h", ""),
        ("the dinner on thursday: could it be an hour earlier?", "--at 20:30", "2026-03-12 18:30"),
        ("push the dinner back another 30 minutes", "--for 30m", "2026-03-12 20:00"),
        ("make the dinner two hours long", "--for 2h", ""),
        (
            "The dinner. Sunita phoned, could I come twenty minutes earlier?",
            "--at 18:10",
            "2026-03-12 19:10",
        ),
    ],
)
def test_a_move_by_a_length_is_worked_out(said: str, given: str, right: str) -> None:
    dinner = "/schedule add Dinner with Sunita --at 2026-03-12 19:30"
    found = judged([dinner], said, f"/schedule edit dinner {given}")
    assert (found.hint if found else "").endswith(f"/schedule edit 1 --at {right}" if right else "")
    assert bool(found) is bool(right)


@pytest.mark.parametrize(
    ("said", "at", "asked"),
    [
        ("dentist, 11am, one of the mornings next week", "2026-03-18 11:00", "on which day"),
        ("dentist some day next week at 11", "wednesday 11:00", "on which day"),
        ("下周找一天上午十点看牙医", "下周三10:00", "on which day"),
        ("dentist next month, 11 in the morning", "2026-04-11 11:00", "on which day"),
        ("dentist next week", "next week", "Give the day and the time of day"),
        ("dentist on tuesday next week at 11", "2026-03-17 11:00", ""),
        ("next week on the 19th, dentist at 11", "2026-03-19 11:00", ""),
        ("下周三上午十点看牙医", "2026-03-18 10:00", ""),
        ("dentist at 11, same day next week", "2026-03-18 11:00", ""),
        ("dentist next weekend, saturday at 11", "2026-03-14 11:00", ""),
        ("dentist on friday next week at 11", "2026-03-20 11:00", ""),
        ("it’s the dentist, today at 11", "2026-03-11 11:00", ""),
        ("dentist on the 12th of next month at 11", "2026-04-12 11:00", ""),
        ("下个月十五号上午十点看牙医", "2026-04-15 10:00", ""),
        ("dentist on friday next week", "2026-03-20", "at what time is “dentist” on Fri 2026-03-20"),
    ],
)
def test_a_week_names_no_day(said: str, at: str, asked: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        found = missing_of(agenda, f"/schedule add dentist --at {at}", Told([said], "", (), NOW))
    assert asked in (found.question if found else "")
    assert bool(found) is bool(asked)


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("/todo find not done", "/todo list"),
        ("/todo find all open todos", "/todo list"),
        ("/todo find remaining", "/todo list"),
        ("/todo find done", "/todo find done"),
        ("/todo find the open day", "/todo find the open day"),
    ],
)
def test_a_search_for_what_is_open_lists_it(command: str, made: str) -> None:
    with Agenda(":memory:") as agenda:
        told = Told(["What's left on my list?"], "", (), datetime(2026, 3, 11, 9))
        assert metadata_of(todo_tool(agenda))["meant_for"]({"command": command}, told) == ("todo", {"command": made})


@pytest.mark.parametrize(
    ("said", "named", "order"),
    [
        ("Two for the list: pay the brewery (Friday) and descale the glasswasher.", "pay the brewery", "add"),
        ("pay the brewery by friday please", "pay the brewery", "add"),
        # It is about the one that is there.
        ("the window cleaner wants his money by friday", "window cleaner", "edit"),
        ("the cleaner can wait until friday", "pay cleaner", "edit"),
    ],
)
def test_a_change_of_what_is_not_there_and_is_wanted_adds_it(said: str, named: str, order: str) -> None:
    line, _ = becomes(said, f"/todo edit {named} --due friday", "/todo add pay the window cleaner --due thursday")
    assert line == f"/todo {order} {named} --due friday"
