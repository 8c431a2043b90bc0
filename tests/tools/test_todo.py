"""`/todo`: what every order does, what it forgives, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.items import Todo
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool

NOW = datetime(2026, 11, 20, 9, 30, 17)  # a Friday


@pytest.fixture
def agenda() -> Iterator[Agenda]:
    with Agenda(":memory:", clock=lambda: NOW) as opened:
        yield opened


def add(agenda: Agenda, *texts: str) -> None:
    for text in texts:
        agenda.run(f"/todo add {text}")


def by_id(agenda: Agenda) -> dict[int, Todo]:
    return {todo.id: todo for todo in agenda.todos()}


def test_add_keeps_every_field_and_names_it_in_the_answer(agenda: Agenda) -> None:
    answer = agenda.run("/todo add buy milk --due tomorrow 15:00 --tag home --tag #Shop --priority high")
    assert answer == "Added todo 1: buy milk (due Sat 2026-11-21 15:00, high priority, #home, #shop)."
    due = datetime(2026, 11, 21, 15)
    created = datetime(2026, 11, 20, 9, 30, 17)
    assert agenda.todos() == [Todo(1, "buy milk", False, due, True, "high", ("home", "shop"), created)]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("/todo add buy milk", "buy milk"),
        ("/TODO Add buy milk", "buy milk"),
        ("  /todo   add   buy    milk  ", "buy milk"),
        ("/todo new buy milk", "buy milk"),
        ("/todo create: buy milk", "buy milk"),
        ("/todo 添加 买牛奶", "买牛奶"),
        ('/todo add "buy milk"', "buy milk"),
        ("/todo add “buy milk”", "buy milk"),
        ("/todo add 'buy mom's gift'", "buy mom's gift"),
        ("/todo add buy mom's gift", "buy mom's gift"),
        ("/todo add the 'a' and 'b' keys", "the 'a' and 'b' keys"),
        ("/todo add 'a' and 'b'", "'a' and 'b'"),
        ('/todo add say "hi" to Bob', 'say "hi" to Bob'),
        ('/todo add a 5" pipe', 'a 5" pipe'),
        ("／ｔｏｄｏ　ａｄｄ　买牛奶，面包", "买牛奶，面包"),
        ('/todo add "explain --due and --foo"', "explain --due and --foo"),
        ("/todo add well-known x - y -- z", "well-known x - y -- z"),
        ("/todo add due tomorrow", "due tomorrow"),
        ("/todo add done", "done"),
        ("/todo add first\nsecond\tthird\x00", "first second third"),
        ("/todo add ünïcödé 😀 👩‍💻", "ünïcödé 😀 👩‍💻"),
        ("/todo add x'); DROP TABLE todos; --", "x'); DROP TABLE todos; --"),
        ("/todo add a\ud800b", "a b"),
        ("/todo add " + "x" * 500, "x" * 500),
    ],
)
def test_a_text_is_kept_as_it_was_meant(agenda: Agenda, line: str, text: str) -> None:
    agenda.run(line)
    assert [(todo.text, todo.due, todo.tags) for todo in agenda.todos()] == [(text, None, ())]


@pytest.mark.parametrize(
    "line",
    [
        "/todo add report --due friday 10:00 --tag work --priority low",
        "/todo add --due friday 10:00 --tag work --priority low report",
        "/todo add --due friday 10:00 report --priority low --tag work",
        "/todo add --priority low report --due friday 10:00 --tag work",
        "/todo add --tag work --due=friday 10:00 report --PRIORITY: low",
        "/todo add report —due friday 10:00 –tag #work, work -priority LOW",
        "/todo add report －－ｄｕｅ　friday １０：００ ——tags ＃work ——priority “low”",
        "/todo add report --tag work --priority 低 --due 下周五上午10点",
    ],
)
def test_options_stand_anywhere_and_in_any_spelling(agenda: Agenda, line: str) -> None:
    agenda.run(line)
    (todo,) = agenda.todos()
    assert (todo.text, todo.tags, todo.priority) == ("report", ("work",), "low")
    assert (todo.due, todo.due_has_time) == (datetime(2026, 11, 27, 10), True)


def test_a_due_date_at_the_very_end_is_taken_and_a_loose_date_is_not(agenda: Agenda) -> None:
    add(agenda, "pay rent by 2026-12-01", "call mar by may", "dinner tomorrow 19:00", '"buy milk" due friday')
    assert [(todo.text, todo.due, todo.due_has_time) for _, todo in sorted(by_id(agenda).items())] == [
        ("pay rent", datetime(2026, 12, 1), False),
        ("call mar by may", None, False),
        ("dinner tomorrow 19:00", None, False),
        ("buy milk", datetime(2026, 11, 27), False),
    ]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("/todo add", "text is missing"),
        ('/todo add ""', "text is missing"),
        ("/todo add --due tomorrow", "text is missing"),
        ("/todo add " + "x" * 501, "500 characters; this one has 501"),
        ("/todo add " + "x" * 100_000, "500 characters"),
        ("/todo add x --due soonish", '"soonish" is not a date'),
        ("/todo add x --due friday mornin", '"friday mornin" is not a date'),
        ("/todo add --due tomorrow 25:00 x", "does not exist"),
        ("/todo add x by 1/12/2026", "year-month-day"),
        ("/todo add x --due", "--due has no value"),
        ('/todo add x --tag ""', "--tag has no value"),
        ("/todo add x --tag #", "--tag has no value"),
        ("/todo add x --due today --due friday", "given twice"),
        ("/todo add x --dew today", r'"--dew"; known here: --due, --tag, --priority'),
        ("/todo add x --place here", '"--place"'),
        ("/todo add x --priority urgent", "low, normal or high"),
        ("/todo add x --tag " + "t" * 51, "50 characters"),
    ],
)
def test_a_refused_add_changes_nothing_and_shows_the_usage(agenda: Agenda, line: str, part: str) -> None:
    with pytest.raises(CommandError, match=part) as caught:
        agenda.run(line)
    assert agenda.todos() == []
    if len(line) < 4_000:
        assert "/todo add buy milk --due tomorrow 15:00" in str(caught.value)


@pytest.mark.parametrize("ids", ["1 3", "#1, #3", "1,3", "1 and 3", "1、３", "3 1 1"])
def test_orders_take_several_ids(agenda: Agenda, ids: str) -> None:
    add(agenda, "a", "b", "c")
    agenda.run(f"/todo done {ids}")
    assert [todo.done for todo in by_id(agenda).values()] == [False, True, True]
    agenda.run(f"/todo undo {ids}")
    assert not any(todo.done for todo in agenda.todos())
    agenda.run(f"/todo rm {ids}")
    assert [todo.text for todo in agenda.todos()] == ["b"]


@pytest.mark.parametrize(
    "order", ["done 9", "done 1 9", "undo 1 9", "rm 9", "rm 1 9", "show 9", "edit 9 x", "rm " + "9" * 30]
)
def test_an_unknown_id_changes_nothing_and_names_what_there_is(agenda: Agenda, order: str) -> None:
    add(agenda, "buy milk", "buy eggs --priority high")
    before = agenda.todos()
    with pytest.raises(CommandError, match="There are: 1: buy milk; 2: buy eggs"):
        agenda.run(f"/todo {order}")
    assert agenda.todos() == before


def test_done_takes_the_text_of_exactly_one_open_todo(agenda: Agenda) -> None:
    add(agenda, "Buy milk", "buy eggs", "eggs")
    assert agenda.run("/todo done MILK") == "Done: 1: Buy milk."
    assert agenda.run("/todo done eggs") == "Done: 3: eggs."
    assert agenda.run("/todo done BUY milk") == "Done already: 1: Buy milk."
    with pytest.raises(CommandError, match="2: buy eggs"):
        agenda.run("/todo done milk")
    add(agenda, "boil eggs")
    with pytest.raises(CommandError, match=r"several todos.*2: buy eggs; 4: boil eggs"):
        agenda.run("/todo done eggs")
    assert agenda.run("/todo undo milk") == "Open again: 1: Buy milk."


def test_removing_takes_a_text_that_fits_one_todo_and_never_guesses_between_two(agenda: Agenda) -> None:
    add(agenda, "buy milk", "buy eggs")
    with pytest.raises(CommandError, match="several todos"):
        agenda.run("/todo rm buy")
    assert agenda.run("/todo delete MILK") == "Removed todo 1: buy milk."
    assert [todo.text for todo in agenda.todos()] == ["buy eggs"]


@pytest.mark.parametrize("words", ["mark milk as done", "tick milk off", "check Buy Milk", "done 1"])
def test_done_is_understood_in_everyday_words(agenda: Agenda, words: str) -> None:
    add(agenda, "buy milk")
    assert agenda.run(f"/todo {words}") == "Done: 1: buy milk."


def test_moving_and_cancelling_are_changes_and_never_new_appointments(agenda: Agenda) -> None:
    schedule = schedule_tool(agenda)
    schedule.invoke("/schedule add yoga --at tomorrow 18:00")
    with pytest.raises(CommandError, match="1: yoga"):
        schedule.invoke("/schedule move tennis --at tomorrow 19:00")
    assert "19:00" in schedule.invoke("/schedule move 1 --at tomorrow 19:00")
    assert "20:00" in schedule.invoke("/schedule move yoga --at tomorrow 20:00")
    schedule.invoke("/schedule cancel yoga")
    assert agenda.appointments() == []


def test_the_tool_takes_one_commands_form_for_the_other(agenda: Agenda) -> None:
    tool = todo_tool(agenda)
    assert "(due " in tool.invoke("/todo add call the bank --at tomorrow 15:00")
    schedule = schedule_tool(agenda)
    assert schedule.invoke("/schedule lunch with Eva --at tomorrow 12:00").startswith("Added appointment 1: lunch")


def test_marking_twice_is_no_error_and_says_so(agenda: Agenda) -> None:
    add(agenda, "a", "b")
    agenda.run("/todo finish 1")
    assert agenda.run("/todo check 1 2 2") == "Done: 2: b.\nDone already: 1: a."


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("buy bread", ("buy bread", datetime(2026, 11, 21, 15), True, "high", ("home",))),
        (": buy bread", ("buy bread", datetime(2026, 11, 21, 15), True, "high", ("home",))),
        ("3 eggs", ("3 eggs", datetime(2026, 11, 21, 15), True, "high", ("home",))),
        ("--due 2026-12-01", ("milk", datetime(2026, 12, 1), False, "high", ("home",))),
        ("--due 16:00", ("milk", datetime(2026, 11, 21, 16), True, "high", ("home",))),
        ("due friday", ("milk", datetime(2026, 11, 27), False, "high", ("home",))),
        ("bread by friday", ("bread", datetime(2026, 11, 27), False, "high", ("home",))),
        ("--due none", ("milk", None, False, "high", ("home",))),
        ("--tag none --priority normal", ("milk", datetime(2026, 11, 21, 15), True, "normal", ())),
        ("--tag a b", ("milk", datetime(2026, 11, 21, 15), True, "high", ("a", "b"))),
    ],
)
def test_edit_changes_what_is_named_and_keeps_the_rest(
    agenda: Agenda, change: str, expected: tuple[object, ...]
) -> None:
    add(agenda, "milk --due tomorrow 15:00 --tag home --priority high", "other")
    assert agenda.run(f"/todo edit #1{change if change[0] == ':' else ' ' + change}").startswith("Changed todo 1: ")
    todo = by_id(agenda)[1]
    assert (todo.text, todo.due, todo.due_has_time, todo.priority, todo.tags) == expected
    assert by_id(agenda)[2].text == "other"


@pytest.mark.parametrize(
    "line", ["/todo edit", "/todo edit 1", "/todo edit milk x", "/todo edit 1,2 x", "/todo edit 1 --due"]
)
def test_an_edit_that_names_no_todo_or_no_change_is_refused(agenda: Agenda, line: str) -> None:
    add(agenda, "milk", "eggs")
    before = agenda.todos()
    with pytest.raises(CommandError, match="/todo edit 2 buy bread"):
        agenda.run(line)
    assert agenda.todos() == before


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("/todo", [4, 2, 1, 3]),
        ("/todo list", [4, 2, 1, 3]),
        ("/todo ls open", [4, 2, 1, 3]),
        ("/todo list done", [5]),
        ("/todo show completed", [5]),
        ("/todo show all", [4, 2, 1, 3, 5]),
        ("/todo list --tag home", [2, 3]),
        ("/todo list all --tag #Home", [2, 3, 5]),
        ("/todo list --tag home shop", [3]),
        ("/todo list --priority high", [1]),
        ("/todo list --due today", [4]),
        ("/todo list --due tomorrow", [2]),
        ("/todo list tomorrow", [2]),
        ("/todo list --due week --tag home", [2]),
        ("/todo list --due overdue", [4]),
        ("/todo list --due 2026-11-21", [2]),
        ("/todo list --due 2026-11-20..2026-11-21", [4, 2]),
        ("/todo list --due next week", []),
    ],
)
def test_list_filters_and_puts_the_next_due_first(agenda: Agenda, line: str, ids: list[int]) -> None:
    add(
        agenda,
        "a --priority high",
        "b --due tomorrow --tag home",
        "c --tag home,shop --priority low",
        "d --due today 9:00",
        "e --tag home --due 2026-11-19",
    )
    agenda.run("/todo done 5")
    lines = agenda.run(line).splitlines()
    assert [int(row.split(":")[0]) for row in lines[1:]] == ids


def test_what_is_due_today_is_not_overdue_before_its_time(agenda: Agenda) -> None:
    add(agenda, "day --due today", "later --due today 9:31", "past --due today 9:29", "old --due 2026-11-19")
    assert agenda.run("/todo list overdue").splitlines() == [
        "Open todos (2):",
        "4: old (due Thu 2026-11-19, overdue)",
        "3: past (due Fri 2026-11-20 09:29, overdue)",
    ]
    agenda.run("/todo done 3 4")
    assert "overdue" not in agenda.run("/todo list all")


@pytest.mark.parametrize(
    "line", ["/todo list open done", "/todo list nonsense", "/todo list --due", "/todo list x --due today"]
)
def test_a_filter_that_the_list_does_not_know_is_refused(agenda: Agenda, line: str) -> None:
    with pytest.raises(CommandError, match="Usage: /todo list"):
        agenda.run(line)


def test_an_empty_list_shows_no_command_that_a_model_would_take_for_an_entry(agenda: Agenda) -> None:
    assert agenda.run("/todo") == "No open todos."
    add(agenda, "a")
    assert agenda.run("/todo list --tag x") == "No todo passes this filter. Every todo: /todo list all"


def test_find_looks_for_all_words_in_texts_and_tags(agenda: Agenda) -> None:
    add(agenda, "Buy MILK for mom --tag shop", "buy milk", "100% sure")
    agenda.run("/todo done 1")
    assert agenda.run("/todo find mom milk").splitlines()[1:] == ["1: Buy MILK for mom (#shop, done)"]
    assert agenda.run("/todo find #shop").splitlines()[0] == "Todos found (1):"
    assert agenda.run("/todo find %").splitlines()[1:] == ["3: 100% sure"]
    assert "No todo holds" in agenda.run("/todo find cheese")
    with pytest.raises(CommandError, match="words to find"):
        agenda.run("/todo find")


def test_show_gives_one_todo_with_its_date_of_birth(agenda: Agenda) -> None:
    add(agenda, "milk", "eggs")
    assert agenda.run("/todo show 2") == "2: eggs, added Fri 2026-11-20 09:30"


@pytest.mark.parametrize(
    ("due", "told"),
    [
        ("2026-12-10", "Due in 20 days."),
        ("tomorrow", "Due tomorrow."),
        ("2026-11-20 23:00", "Due today."),
        ("2026-11-19", "Due yesterday."),
        ("2026-11-17", "Due 3 days ago."),
    ],
)
def test_what_is_shown_tells_how_many_days_are_left(agenda: Agenda, due: str, told: str) -> None:
    agenda.run(f"/todo add eggs --due {due}")
    assert agenda.run("/todo show 1").splitlines()[1:] == [told]
    agenda.run("/todo done 1")
    assert agenda.run("/todo show 1").splitlines()[1:] == []


def test_the_days_that_are_left_are_told_in_chinese() -> None:
    with Agenda(":memory:", language="zh", clock=lambda: datetime(2026, 11, 20, 9)) as agenda:
        agenda.run("/todo add 写报告 --due 2026-12-10")
        agenda.run("/schedule add 看牙 --at 2026-11-21 10:00")
        assert agenda.run("/todo show 1").splitlines()[1] == "20 天后到期。"
        assert agenda.run("/schedule show 1").splitlines()[1] == "就是明天。"


def test_clear_removes_done_todos_only_and_only_when_told_which(agenda: Agenda) -> None:
    add(agenda, "a", "b", "c")
    agenda.run("/todo done 1 2")
    for line in ("/todo clear", "/todo clear all"):
        with pytest.raises(CommandError, match="/todo clear done"):
            agenda.run(line)
    assert agenda.run("/todo clear done") == "Removed 2 done todo(s)."
    assert [todo.id for todo in agenda.todos()] == [3]


def test_an_id_is_never_given_twice(agenda: Agenda) -> None:
    add(agenda, "a", "b")
    agenda.run("/todo rm 2")
    assert agenda.run("/todo add c").startswith("Added todo 3")


def test_an_unknown_order_suggests_to_add_it(agenda: Agenda) -> None:
    with pytest.raises(CommandError, match=r'"buy".*add, list, done.*/todo add buy bread'):
        agenda.run("/todo buy bread")
    assert agenda.todos() == []


def test_long_lists_in_messages_are_cut_and_say_so(agenda: Agenda) -> None:
    add(agenda, *(f"todo {number}" for number in range(25)))
    with pytest.raises(CommandError, match="20: todo 19; and 5 more") as caught:
        agenda.run("/todo done 99")
    assert len(str(caught.value)) < 600


def test_help_shows_every_order(agenda: Agenda) -> None:
    shown = agenda.run("/todo help")
    assert all(
        f"/todo {order}" in shown for order in ("add", "list", "done", "undo", "edit", "rm", "show", "find", "clear")
    )
