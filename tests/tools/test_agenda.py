"""The agenda as a whole: one file, effects applied once, its tools, two languages, and no input that breaks it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import BaseTool
from thoughtgraph._internal.texts import Language
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.schedule import SCHEDULE_ORDERS
from thoughtgraph.tools.agenda.todo import TODO_ORDERS
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool
from thoughtgraph.tools.calls.idempotency import tool_call

NOW = datetime(2026, 11, 20, 9, 30, 17)  # a Friday


def opened(path: str | Path = ":memory:", language: Language = "en") -> Agenda:
    return Agenda(path, language=language, clock=lambda: NOW)


@pytest.fixture
def agenda() -> Iterator[Agenda]:
    with opened() as agenda:
        yield agenda


def test_the_file_and_its_folder_are_created_and_what_was_answered_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "agenda.db"
    with opened(path) as agenda:
        agenda.run("/todo add buy milk --due tomorrow --tag home")
        agenda.run("/schedule add Dentist tomorrow 15:00")
        before = agenda.todos(), agenda.appointments()
    with opened(path) as agenda:
        assert (agenda.todos(), agenda.appointments()) == before
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


@pytest.mark.parametrize("obstacle", ["folder", "file in the way", "no database"])
def test_a_file_that_cannot_be_opened_is_a_clear_error(tmp_path: Path, obstacle: str) -> None:
    path = tmp_path / "agenda.db"
    if obstacle == "folder":
        path.mkdir()
    elif obstacle == "file in the way":
        path.write_text("x")
        path = path / "agenda.db"
    else:
        path.write_bytes(b"certainly no database" * 100)
    with pytest.raises(CommandError, match="agenda's file cannot be used"):
        opened(path)


def test_a_closed_agenda_says_so_and_raises_nothing_else(agenda: Agenda) -> None:
    agenda.close()
    for line in ("/todo", "/todo add x"):
        with pytest.raises(CommandError, match="closed"):
            agenda.run(line)


def test_an_unknown_language_state_or_priority_is_refused(agenda: Agenda) -> None:
    with pytest.raises(ValueError, match="unknown language 'fr'"):
        Agenda(":memory:", language="fr")  # pyright: ignore[reportArgumentType]
    for wrong in ({"state": "opened"}, {"priority": "urgent"}):
        with pytest.raises(ValueError, match="choose from"):
            agenda.todos(**wrong)  # pyright: ignore[reportArgumentType]


def test_typed_reading_filters(agenda: Agenda) -> None:
    for text in ("a --tag home", "b --tag home --priority high", "c --priority high", "d"):
        agenda.run(f"/todo add {text}")
    agenda.run("/todo done 1")
    assert [todo.text for todo in agenda.todos("open", priority="high")] == ["b", "c"]
    assert [todo.text for todo in agenda.todos(tag="#Home")] == ["b", "a"]
    assert [todo.text for todo in agenda.todos("done")] == ["a"]


@pytest.mark.parametrize(
    "line", ["", "hello", "todo add x", "/", "/foo", "/todos", "/todolist", "/help", "//todo add x"]
)
def test_only_the_three_commands_are_carried_out(agenda: Agenda, line: str) -> None:
    with pytest.raises(CommandError, match="/todo, /schedule or /view") as caught:
        agenda.run(line)
    assert caught.value.command == line


@pytest.mark.parametrize("line", ["/todo add x\n/todo add y", "/todo add x ; /todo add y", "/todo list\n\n  /view"])
def test_two_commands_in_one_line_are_refused(agenda: Agenda, line: str) -> None:
    with pytest.raises(CommandError, match="one command at a time"):
        agenda.run(line)
    assert agenda.todos() == []


def test_a_line_of_any_length_is_refused_at_once(agenda: Agenda) -> None:
    for line in ("/todo list " + "x" * 5_000, "/todo add x" + "\n" * 5_000 + "y"):
        with pytest.raises(CommandError, match="500 characters"):
            agenda.run(line)


CHANGES = [
    "/todo add again",
    "/todo done 1",
    "/todo undo 2",
    "/todo edit 1 changed",
    "/todo rm 1",
    "/todo clear done",
    "/schedule add again tomorrow 15:00",
    "/schedule edit 1 --at 16:00",
    "/schedule rm 1",
]


@pytest.mark.parametrize("line", CHANGES)
def test_a_command_under_a_known_key_gives_the_first_answer_and_changes_nothing(tmp_path: Path, line: str) -> None:
    path = tmp_path / "agenda.db"
    with opened(path) as agenda:
        for before in ("/todo add a", "/todo add b", "/todo done 2", "/schedule add c tomorrow 10:00"):
            agenda.run(before)
        first = agenda.run(line, key="run:5")
        after = agenda.todos(), agenda.appointments()
        assert agenda.run(line, key="run:5") == first
    with opened(path, language="zh") as agenda:
        assert agenda.run(f" {line}\n", key="run:5") == first
        assert (agenda.todos(), agenda.appointments()) == after


def test_every_key_is_an_effect_of_its_own(agenda: Agenda) -> None:
    answers = [agenda.run("/todo add x", key=key) for key in ("run:1", "run:2", "run:1", None, None)]
    assert len(agenda.todos()) == 4
    assert answers[2] == answers[0] != answers[1]


def test_a_key_of_another_command_is_refused(agenda: Agenda) -> None:
    agenda.run("/todo add x", key="run:5")
    with pytest.raises(CommandError, match=r"run:5 belongs to another command \(/todo add x\)"):
        agenda.run("/todo add y", key="run:5")
    assert [todo.text for todo in agenda.todos()] == ["x"]


def test_a_command_that_failed_does_not_use_up_its_key(agenda: Agenda) -> None:
    with pytest.raises(CommandError):
        agenda.run("/todo done 1", key="run:5")
    agenda.run("/todo add x")
    assert agenda.run("/todo done 1", key="run:5") == "Done: 1: x."


def test_reading_under_a_key_shows_what_is_there_now(agenda: Agenda) -> None:
    agenda.run("/todo", key="run:5")
    agenda.run("/todo add x")
    assert "1: x" in agenda.run("/todo", key="run:5")


def test_an_order_that_fails_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "agenda.db"
    with opened(path) as agenda, sqlite3.connect(path) as db:
        agenda.run("/todo add a")
        agenda.run("/todo add b")
        db.execute("CREATE TRIGGER stop BEFORE DELETE ON todos WHEN old.id = 2 BEGIN SELECT RAISE(ABORT, 'stop'); END")
        db.commit()
        with pytest.raises(CommandError, match="stop"):
            agenda.run("/todo rm 1 2", key="run:5")
        assert [todo.text for todo in agenda.todos()] == ["a", "b"]
        assert agenda.run("/todo rm 1") == "Removed todo 1: a."
    db.close()


def test_threads_share_an_agenda(tmp_path: Path) -> None:
    with opened(tmp_path / "agenda.db") as agenda, ThreadPoolExecutor(8) as pool:
        lines = [f"/todo add number {number} --due friday 10:00" for number in range(40)]
        answers = list(pool.map(agenda.run, lines, [f"run:{number % 20}" for number in range(20)] + [None] * 20))
        assert len(set(answers)) == 40
        assert sorted(todo.id for todo in agenda.todos()) == list(range(1, 41))
        assert {todo.due for todo in agenda.todos()} == {datetime(2026, 11, 27, 10)}


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("/todo add buy milk", "buy milk"),
        ("todo add buy milk", "buy milk"),
        ("add buy milk", "buy milk"),
        ("/add buy milk", "buy milk"),
        ("／todo add buy milk", "buy milk"),
        ("Todo: new buy milk", "buy milk"),
        ("`/todo add buy milk`", "buy milk"),
        ('"/todo add buy milk"', "buy milk"),
        ('/todo add "buy milk"', "buy milk"),
        ("/todo add /view of the sea", "/view of the sea"),
    ],
)
def test_the_todo_tool_puts_the_start_of_a_line_right(agenda: Agenda, command: str, kept: str) -> None:
    tool = todo_tool(agenda)
    assert tool.invoke({"command": command}) == f"Added todo 1: {kept}."
    assert [todo.text for todo in agenda.todos()] == [kept]


def test_each_tool_takes_its_own_commands_only(agenda: Agenda) -> None:
    todo, schedule = todo_tool(agenda), schedule_tool(agenda)
    assert "Open todos" in todo.invoke("add x") + todo.invoke("view todo")
    assert "Added appointment 1" in schedule.invoke("add Dentist tomorrow 15:00")
    assert "1: Dentist" in schedule.invoke("schedule list")
    for tool, wrong in [
        (todo, "/schedule add x tomorrow 10:00"),
        (todo, "schedule list"),
        (todo, "buy milk"),
        (todo, ""),
        (todo, "rm -rf /"),
        (schedule, "/todo add x"),
        (schedule, "/view"),
        (schedule, "done 1"),
    ]:
        with pytest.raises(CommandError, match=r"/todo|/schedule|There is no|No todo here"):
            tool.invoke(wrong)
    assert (len(agenda.todos()), len(agenda.appointments())) == (1, 1)


async def test_the_tools_apply_a_call_once_in_sync_and_async(agenda: Agenda) -> None:
    todo, schedule = todo_tool(agenda), schedule_tool(agenda)
    with tool_call("run:7"):
        answers = [todo.invoke("add x"), await todo.ainvoke("add x"), await todo.ainvoke({"command": "/todo add x"})]
    with tool_call("run:8"):
        planned = [await schedule.ainvoke("add y tomorrow 9:00"), schedule.invoke("add y tomorrow 9:00")]
    assert (len(agenda.todos()), len(agenda.appointments())) == (1, 1)
    assert len(set(answers)) == len(set(planned)) == 1
    await todo.ainvoke("add x")
    assert len(agenda.todos()) == 2


@pytest.mark.parametrize("make", [todo_tool, schedule_tool])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_tools_description_is_short_and_each_of_its_commands_works(
    language: Language, make: Callable[[Agenda], BaseTool]
) -> None:
    filled = {"TEXT": "buy milk", "WHEN": "tomorrow 9:00", "ID": "2", "DATE": "2030-01-02"}
    filled |= {"内容": "买牛奶", "时间": "明天9:00", "编号": "2", "日期": "2030-01-02"}
    with opened(language=language) as agenda:
        tool = make(agenda)
        commands = re.findall(r"`(/[^`]+)`", tool.description)
        tokens = re.findall(r"[A-Za-z]+|[^\sA-Za-z]", tool.description)
    assert list(tool.args) == ["command"]
    assert len(tokens) <= 140
    assert {command.split()[1] for command in commands} >= {"add", "list", "rm", "edit"}
    for command in commands:
        for placeholder, value in filled.items():
            command = command.replace(placeholder, value)
        with opened(language=language) as agenda:
            for number in range(3):
                agenda.run(f"/{tool.name} add entry {number} --{'due' if tool.name == 'todo' else 'at'} tomorrow 8:00")
            assert make(agenda).invoke(command)


SCRIPT = [
    *("/todo", "/todo add a --due today 9:00 --tag x --priority low", "/todo add b --priority high", "/todo list all"),
    *(
        "/todo done 1 1",
        "/todo done 1",
        "/todo undo 1",
        "/todo undo 1",
        "/todo edit 1 c",
        "/todo edit 1",
        "/todo show 1",
    ),
    *("/todo find c", "/todo find zzz", "/todo done zzz", "/todo rm", "/todo rm 9", "/todo clear", "/todo clear done"),
    *("/todo help", "/todo zzz", "/todo add", "/todo list --tag zzz", "/todo add x --due 1/2/2026", "/todo rm 1 2"),
    *("/todo rm 1", "/schedule", "/schedule add a tomorrow 9:00 --place p", "/schedule add b today 9:00 --for 2d"),
    *(
        "/schedule list all",
        "/schedule list 2030-01-01",
        "/schedule next",
        "/schedule edit 1 --for 2m",
        "/schedule add",
    ),
    *("/schedule add x --at 25:00", "/schedule add x", "/schedule find zzz", "/schedule find a", "/schedule rm zzz"),
    *("/schedule help", "/schedule zzz", "/schedule rm 1 2", "/view", "/view today", "/view done", "/view zzz", "/zzz"),
]


def test_every_answer_in_chinese_is_chinese() -> None:
    with opened(language="zh") as agenda:
        for line in SCRIPT:
            try:
                answer = agenda.run(line)
            except CommandError as refused:
                answer = str(refused)
            assert any("\u4e00" <= character <= "\u9fff" for character in answer), line


_WORDS = [
    *(word for order in (TODO_ORDERS, SCHEDULE_ORDERS) for word in order),
    *("--due", "--tag", "--priority", "--at", "--for", "--place", "—due", "-tag", "--x", "high", "none", "all", "week"),
    *("1", "#1", "2,3", "99999999999999999999", "tomorrow", "15:00", "3pm", "friday", "2026-12-01..2026-12-05", "in"),
    *(
        "1/2/2026",
        "25:00",
        "90m",
        "by",
        "for",
        '"',
        "'",
        "“",
        "明天下午3点",
        "，",
        "\x00",
        "\n",
        "\ud800",
        "buy",
        "milk",
    ),
    *("'); DROP TABLE todos; --", "' OR 1=1 --", "%", "\\", "{x}", "/todo", "{0}"),
]
_LINES = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_WORDS), max_size=9).map(" ".join))


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(["/todo ", "/schedule ", "/view ", "/todo add ", "/"]), _LINES), max_size=5))
def test_any_line_is_answered_or_refused_and_a_refused_one_changes_nothing(lines: list[tuple[str, str]]) -> None:
    with opened() as agenda:
        agenda.run("/todo add milk")
        agenda.run("/schedule add milk tomorrow 10:00")
        for start, rest in lines:
            before = agenda.todos(), agenda.appointments()
            try:
                assert agenda.run(start + rest)
            except CommandError as refused:
                assert str(refused)
                assert (agenda.todos(), agenda.appointments()) == before
        assert all(1 <= len(todo.text) <= 500 and "\n" not in todo.text for todo in agenda.todos())
        assert all(entry.start < entry.end for entry in agenda.appointments())


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=60))
def test_whatever_a_text_holds_is_data(word: str) -> None:
    with opened() as agenda:
        agenda.run("/todo add other")
        agenda.run(f"/todo add x{word}x y")
        assert {todo.text for todo in agenda.todos()} == {"other", f"x{word}x y"}
        assert f"x{word}x y" in agenda.run("/todo list")
