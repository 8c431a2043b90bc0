"""Checkpoints in SQLite and PostgreSQL: one run a thread, clear errors, nothing committed is lost."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from support.plan_act import GOAL, THREAD, act, ask, done, echo_tool, planned, replanned, twin
from support.postgres import postgres_server
from support.scripted import ScriptedModel
from thoughtgraph import ThoughtGraphError, create_plan_act_graph, open_checkpoints
from thoughtgraph.checkpoints import Checkpoints, SqliteCheckpoints
from thoughtgraph.checkpoints.postgres import PostgresCheckpoints
from thoughtgraph.errors import CheckpointError, ThreadConflictError
from typing_extensions import TypedDict

pytestmark = pytest.mark.slow


class Around(TypedDict):
    """The state of a graph around a loop."""

    goal: str
    response: str
    events: list[Any]


REPLIES = [planned("a"), act("echo", "x"), done("A"), replanned(response="end")]


@pytest.fixture(scope="module")
def server() -> Generator[str]:
    """The address of a PostgreSQL server."""
    with postgres_server() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A new file, or a new database on a server."""
    if request.param == "sqlite":
        yield str(tmp_path / "deep" / "runs.sqlite")
        return
    address: str = request.getfixturevalue("server")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE DATABASE fresh")
        yield address.replace("/postgres?", "/fresh?")
        connection.execute("DROP DATABASE fresh WITH (FORCE)")


def graph(checkpointer: Any, replies: list[Any] | None = None, tool: Callable[..., str] | None = None) -> Any:
    """A run of a tool call."""
    model = ScriptedModel(replies=REPLIES if replies is None else replies)
    return create_plan_act_graph(model, [tool or echo_tool()], checkpointer=checkpointer)


def whole(values: dict[str, Any]) -> bool:
    """No event is lost, doubled, or of another run."""
    events = values["events"]
    return [event["seq"] for event in events] == [*range(len(events))] and len({e["run_id"] for e in events}) == 1


@pytest.mark.parametrize("form", ["sync", "async"])
def test_a_text_with_a_null_character_is_kept_by_either_database(place: str, form: str) -> None:
    replies = [planned("a\0b"), ask("Which\0?"), replanned(response="en\0d")]
    with open_checkpoints(place) as checkpointer:
        run = twin(form)
        run(graph(checkpointer, replies[:2]), {"goal": "g\0"}, THREAD)
        ended = run(graph(checkpointer, replies[2:]), Command(resume="this\0"), THREAD)
        kept = graph(checkpointer).get_state(THREAD).values
    assert (kept["goal"], kept["response"]) == ("g\0", ended["response"]) == ("g\0", "en\0d")
    assert kept["clarifications"][0]["answer"] == "this\0"
    assert whole(kept)


@pytest.mark.parametrize("first", ["sync", "async"])
@pytest.mark.parametrize("second", ["sync", "async"])
def test_a_pause_is_resumed_in_either_form_over_either_database(place: str, first: str, second: str) -> None:
    def run(form: str, value: Any, replies: list[str]) -> Any:
        with open_checkpoints(place) as checkpointer:
            built = graph(checkpointer, replies)
            return built.invoke(value, THREAD) if form == "sync" else asyncio.run(built.ainvoke(value, THREAD))

    paused = run(first, GOAL, [planned("a"), ask("Which?")])
    assert paused["__interrupt__"][0].value == "Please confirm: Which?"
    ended = run(second, Command(resume="this"), [replanned(response="end")])
    assert ended["response"] == "end"
    assert whole(ended)


@pytest.mark.parametrize("durability", ["sync", "exit"])
def test_of_two_runs_on_a_thread_one_stops_with_an_error_and_the_other_is_whole(place: str, durability: Any) -> None:
    with open_checkpoints(place) as one, open_checkpoints(place) as other:

        def interfering(text: str) -> str:
            """Run on the same thread meanwhile."""
            graph(other).invoke(GOAL, THREAD, durability="sync")
            return text

        stopped = graph(one, tool=named("echo", interfering))
        with pytest.raises(ThreadConflictError) as conflict:
            stopped.invoke(GOAL, THREAD, durability=durability)
        assert conflict.value.thread_id == "1"
        assert conflict.value.found is not None
        assert "Give each run a thread of its own" in str(conflict.value)
        assert 'resuming again works, and `durability="sync"` avoids it' in str(conflict.value)
        kept = graph(other).get_state(THREAD)
        assert kept.values["response"] == "end"
        assert whole(kept.values)
        assert not kept.tasks


def named(name: str, function: Callable[..., str]) -> Callable[..., str]:
    """A tool under another name."""
    function.__name__ = name
    return function


def test_two_runs_over_one_checkpointer_conflict_as_well(place: str) -> None:
    with open_checkpoints(place) as checkpointer:

        def interfering(text: str) -> str:
            """Run on the same thread meanwhile."""
            graph(checkpointer).invoke(GOAL, THREAD)
            return text

        with pytest.raises(ThreadConflictError):
            graph(checkpointer, tool=named("echo", interfering)).invoke(GOAL, THREAD, durability="sync")
        assert whole(graph(checkpointer).get_state(THREAD).values)


def test_a_thread_that_was_deleted_under_a_run_is_a_conflict(place: str) -> None:
    with open_checkpoints(place) as checkpointer, open_checkpoints(place) as other:

        def deleting(text: str) -> str:
            """Delete the thread."""
            other.delete_thread("1")
            return text

        with pytest.raises(ThreadConflictError, match="was deleted"):
            graph(checkpointer, tool=named("echo", deleting)).invoke(GOAL, THREAD, durability="sync")
        assert checkpointer.get_tuple(THREAD) is None


def test_time_travel_and_updates_of_the_state_are_no_conflicts(place: str) -> None:
    with open_checkpoints(place) as checkpointer:
        built = graph(checkpointer, REPLIES * 3)
        built.invoke(GOAL, THREAD)
        history = list(built.get_state_history(THREAD))
        past = next(state for state in history if state.next == ("act",))
        again = built.invoke(None, past.config)
        assert whole(again)
        forked = built.update_state(past.config, {"goal": "something else"})
        assert built.get_state(forked).values["goal"] == "something else"
        assert len(list(built.get_state_history(THREAD))) > len(history)


@pytest.mark.parametrize("form", ["sync", "async"])
def test_a_question_can_be_asked_again_and_answered_otherwise(place: str, form: str) -> None:
    run, end = twin(form), replanned(response="end")
    with open_checkpoints(place) as checkpointer:
        built = graph(checkpointer, [planned("a"), ask("Which?"), end, end])
        run(built, GOAL, THREAD)
        question = built.get_state(THREAD).config
        run(built, Command(resume="this"), THREAD)
        assert run(built, None, question)["__interrupt__"][0].value == "Please confirm: Which?"
        again = run(built, Command(resume="that"), THREAD)
        assert [given["answer"] for given in again["clarifications"]] == ["that"]
        assert whole(again)


@pytest.mark.parametrize("form", ["sync", "async"])
def test_a_graph_around_a_loop_goes_back_with_it(place: str, form: str) -> None:
    """A loop with a thread of its own goes back to where it was then, or to its beginning."""
    run = twin(form)
    with open_checkpoints(place) as checkpointer:
        loop = create_plan_act_graph(ScriptedModel(replies=REPLIES * 4), [echo_tool()], checkpointer=True)
        outer = StateGraph(Around).add_node("loop", loop).add_edge(START, "loop").compile(checkpointer)
        for _ in range(2):
            run(outer, GOAL, THREAD)
        for past in [state for state in outer.get_state_history(THREAD) if state.next == ("loop",)]:
            again = run(outer, None, past.config)
            assert again["response"] == "end"
            assert whole(again)


def test_runs_on_other_threads_are_left_alone(place: str) -> None:
    with open_checkpoints(place) as one, open_checkpoints(place) as other:

        def elsewhere(text: str) -> str:
            """Run on another thread."""
            return graph(other).invoke(GOAL, {"configurable": {"thread_id": "2"}})["response"]

        ended = graph(one, tool=named("echo", elsewhere)).invoke(GOAL, THREAD)
        assert ended["observations"][0]["result"] == "end"
        assert whole(graph(one).get_state({"configurable": {"thread_id": "2"}}).values)


def opened(place: str, said: Any) -> None:
    """In a process of its own: open checkpoints, and say how that went."""
    try:
        with open_checkpoints(place) as checkpointer:
            checkpointer.get_tuple({"configurable": {"thread_id": "1"}})
        said.put("opened")
    except BaseException as error:  # noqa: BLE001 - the test reads it
        said.put(repr(error))


def test_processes_may_open_a_new_database_at_once(place: str) -> None:
    context = multiprocessing.get_context("spawn")
    said = context.Queue()
    processes = [context.Process(target=opened, args=(place, said)) for _ in range(3)]
    for process in processes:
        process.start()
    words = [said.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert words == ["opened"] * 3


def test_a_connection_that_the_server_closed_is_opened_again(server: str) -> None:
    def closing_connections(text: str) -> str:
        """Close every other connection to the server."""
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        return text

    with open_checkpoints(server) as checkpointer:
        config: Any = {"configurable": {"thread_id": "closed"}}
        ended = graph(checkpointer, tool=named("echo", closing_connections)).invoke(GOAL, config)
        assert ended["response"] == "end"
        assert whole(graph(checkpointer).get_state(config).values)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://eva:s3cret@127.0.0.1:1/runs",
        "postgresql://eva:s3cret@127.0.0.1:1/runs?unknown=s3cret",
        "postgresql://eva:s3cret:s3cret@127.0.0.1:1/runs",
        "postgres://eva:s3cret@127.0.0.1:1/runs?connect_timeout=1",
    ],
)
def test_a_server_that_cannot_be_reached_is_named_without_its_password(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(CheckpointError) as refused, open_checkpoints(address):
        pass
    assert refused.value.kind == "unreachable"
    assert isinstance(refused.value, ThoughtGraphError)
    said = f"{refused.value} {refused.value.where} {refused.value.__cause__} {caplog.text}"
    assert "s3cret" not in said


@pytest.mark.parametrize(
    "address", ["postgresql+psycopg://eva:s3cret@db/runs", "sqlite:///runs.sqlite", "mysql://eva:s3cret@db/runs"]
)
def test_the_address_of_something_else_is_no_file_name(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="cannot open") as refused, open_checkpoints(address):
        pass
    assert "s3cret" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["", " "], ids=repr)
def test_no_place_is_no_database_that_vanishes(place: str) -> None:
    with pytest.raises(ValueError, match="the place of the checkpoints is empty"), open_checkpoints(place):
        pass


def test_a_path_is_no_connection() -> None:
    with pytest.raises(ValueError, match=r"`open_checkpoints` takes a path, got 'runs\.sqlite'"):
        SqliteCheckpoints("runs.sqlite")  # type: ignore[arg-type]


@pytest.mark.parametrize("place", [None, 3, b"runs.sqlite"], ids=repr)
def test_what_is_no_place_is_refused(place: Any) -> None:
    with (
        pytest.raises(ValueError, match="the place of the checkpoints has to be a path or an address"),
        open_checkpoints(place),
    ):
        pass


@pytest.mark.parametrize("way", ["no folder", "a folder", "no database"])
def test_a_file_that_cannot_be_opened_is_named_with_what_to_do(tmp_path: Path, way: str) -> None:
    path = tmp_path / "runs.sqlite"
    if way == "no folder":
        path.write_text("a file")
        path = path / "runs.sqlite"
    elif way == "a folder":
        path.mkdir()
    else:
        path.write_bytes(b"no database at all" * 100)
    with pytest.raises(CheckpointError) as refused, open_checkpoints(path):
        pass
    assert refused.value.kind == ("damaged" if way == "no database" else "read_only")
    assert str(path) in str(refused.value)


def test_a_full_disk_is_an_error_with_a_way_on_and_the_run_goes_on_behind_its_last_step(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with open_checkpoints(path) as checkpointer:
        connection: sqlite3.Connection = checkpointer.conn  # type: ignore[attr-defined]

        def filling(text: str) -> str:
            """Leave the file no room."""
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")
            return text * 10_000

        built = graph(checkpointer, tool=named("echo", filling))
        with pytest.raises(CheckpointError) as full:
            built.invoke(GOAL, THREAD, durability="sync")
        assert full.value.kind == "full"
        assert "Make room" in str(full.value)
        connection.execute("PRAGMA max_page_count = 1000000")
        ended = graph(checkpointer, [act("echo", "x"), done("A"), replanned(response="end")][1:]).invoke(None, THREAD)
        assert ended["response"] == "end"
        assert whole(ended)


def test_a_file_that_another_process_holds_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.sqlite"
    with open_checkpoints(path) as checkpointer, closing(sqlite3.connect(path)) as holder:
        checkpointer.conn.execute("PRAGMA busy_timeout = 1")  # type: ignore[attr-defined]
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(CheckpointError) as locked:
            graph(checkpointer).invoke(GOAL, THREAD)
        assert locked.value.kind == "locked"
        holder.rollback()
        assert graph(checkpointer).invoke(GOAL, THREAD)["response"] == "end"


@pytest.mark.parametrize("damage", [b"", b"\xff\xff\xff", b"\xc1"])
def test_a_damaged_checkpoint_names_the_newest_that_can_be_read_and_a_run_goes_on_from_there(
    tmp_path: Path, damage: bytes
) -> None:
    path = tmp_path / "runs.sqlite"
    with open_checkpoints(path) as checkpointer:
        stream = graph(checkpointer).stream(GOAL, THREAD, durability="sync")
        for update in stream:
            if "act" in update:
                break
        stream.close()
        ids = [found.config["configurable"]["checkpoint_id"] for found in checkpointer.list(THREAD)]
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = ?", (damage, ids[0]))
    with open_checkpoints(path) as checkpointer:
        built = graph(checkpointer, [act("echo", "x"), done("A"), replanned(response="end")])
        with pytest.raises(CheckpointError) as damaged:
            built.invoke(None, THREAD)
        assert (damaged.value.kind, damaged.value.thread_id) == ("damaged", "1")
        assert damaged.value.readable == ids[1]
        assert ids[1] in str(damaged.value)
        config: Any = {"configurable": {"thread_id": "1", "checkpoint_id": damaged.value.readable}}
        built = graph(checkpointer, [done("A"), replanned(response="end")])
        assert whole(built.invoke(None, config))
        assert graph(checkpointer).get_state(THREAD).values["response"] == "end"


def test_writes_that_cannot_be_read_are_a_damaged_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with open_checkpoints(path) as checkpointer:
        graph(checkpointer).invoke(GOAL, THREAD)
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE writes SET value = x'c1' WHERE channel = 'events'")
    with open_checkpoints(path) as checkpointer, pytest.raises(CheckpointError) as damaged:
        graph(checkpointer).get_state(THREAD)
    assert damaged.value.kind == "damaged"


def test_an_error_of_the_state_itself_is_passed_on_as_it_is(place: str) -> None:
    with open_checkpoints(place) as checkpointer, pytest.raises(Exception) as refused:
        checkpointer.put_writes(
            {"configurable": {"thread_id": "1", "checkpoint_ns": "", "checkpoint_id": "1"}},
            [("channel", lambda: None)],
            "task",
        )
    assert not isinstance(refused.value, ThoughtGraphError)


def test_both_databases_give_a_checkpointer_of_one_kind(place: str) -> None:
    with open_checkpoints(place) as checkpointer:
        assert isinstance(checkpointer, Checkpoints)


def test_what_a_run_in_between_two_of_its_steps_left_is_taken_up(tmp_path: Path) -> None:
    """LangGraph leaves a step out of `next` whose writes were kept, but not yet the checkpoint behind them."""
    with open_checkpoints(tmp_path / "runs.sqlite") as checkpointer:
        graph(checkpointer).invoke(GOAL, THREAD, durability="sync")
        newest = checkpointer.get_tuple(THREAD)
        assert newest is not None
        with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as store, store:
            name = newest.config["configurable"]["checkpoint_id"]
            store.execute("DELETE FROM checkpoints WHERE checkpoint_id = ?", (name,))
            store.execute("DELETE FROM writes WHERE checkpoint_id = ?", (name,))
        cut = graph(checkpointer).get_state(THREAD)
        assert (cut.next, bool(cut.tasks)) == ((), True)
        assert graph(checkpointer, []).invoke(None, THREAD)["response"] == "end"


def test_a_slow_statement_keeps_no_other_run_waiting(server: str) -> None:
    with open_checkpoints(server) as checkpoints, psycopg.connect(server, autocommit=True) as observer:
        assert isinstance(checkpoints, PostgresCheckpoints)
        slow = threading.Thread(target=lambda: raised.append(sleeping(checkpoints)))
        raised: list[CheckpointError] = []
        slow.start()
        query = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'"
        while (found := observer.execute(query).fetchone()) is None:
            pass
        assert graph(checkpoints).invoke(GOAL, {"configurable": {"thread_id": "beside"}})["response"] == "end"
        assert slow.is_alive()
        observer.execute("SELECT pg_cancel_backend(%s)", found)
        slow.join()
        assert raised[0].kind == "locked"


def sleeping(checkpoints: PostgresCheckpoints) -> CheckpointError:
    """Hold a connection until the statement is canceled."""
    with pytest.raises(CheckpointError) as caught:
        checkpoints.execute("SELECT pg_sleep(600)")
    return caught.value


def test_a_statement_goes_on_when_every_connection_of_the_pool_was_lost(server: str) -> None:
    with open_checkpoints(server) as checkpoints, psycopg.connect(server, autocommit=True) as observer:
        assert isinstance(checkpoints, PostgresCheckpoints)
        barrier = threading.Barrier(3)

        def used() -> None:
            with checkpoints._connection():  # pyright: ignore[reportPrivateUsage]
                barrier.wait()

        users = [threading.Thread(target=used) for _ in range(3)]
        for user in users:
            user.start()
        for user in users:
            user.join()
        lost = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        ended = observer.execute(f"{lost} AND backend_type = 'client backend'").fetchone()
        assert ended is not None
        assert ended[0] >= 3
        assert checkpoints.execute("SELECT %s AS answer", (42,)) == [{"answer": 42}]
