"""The assistant from Python: routing, pauses that outlive it, commands meanwhile, and what it says without a model."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.types import interrupt
from support.assistants import Searches, acts, asks, done, opened, planned, replanned
from support.cascades import small
from support.paths import TESTS
from support.plan_act import acts as at_once
from support.plan_act import no_waiting
from support.scripted import ScriptedModel, lint_order
from support.texts import text
from thoughtgraph import Assistant, ContextGraph, Guards

pytestmark = pytest.mark.slow


def handle(assistant: Assistant, said: str, form: str) -> str:
    return assistant.handle(said) if form == "sync" else asyncio.run(assistant.ahandle(said))


forms = pytest.mark.parametrize("form", ["sync", "async"])


@forms
def test_plain_words_reach_the_tools_and_the_run_is_saved(tmp_path: Path, form: str) -> None:
    script = (
        planned("add milk"),
        acts("todo", "/todo add buy milk"),
        done("added"),
        replanned(response="I added milk."),
    )
    assistant, model = opened(tmp_path, *script)
    with assistant:
        assert handle(assistant, "buy milk please", form) == "I added milk."
        assert [todo.text for todo in assistant.agenda.todos()] == ["buy milk"]
        assert assistant.pending is None
        assert "✔ add milk" in assistant.handle("/plan")
    lint_order(model.requests)
    saved = list((tmp_path / "runs").glob("*.jsonl"))
    assert [event["kind"] for event in ContextGraph.from_run(saved[0]).events][-1] == "outcome"


@forms
@pytest.mark.parametrize("line", ["/todo add x", "／todo add x", "  /TODO add x"])
def test_a_slash_line_never_reaches_the_model(tmp_path: Path, form: str, line: str) -> None:
    assistant, model = opened(tmp_path)
    with assistant:
        handle(assistant, line, form)
        assert [todo.text for todo in assistant.agenda.todos()] == ["x"]
    assert model.requests == []


def test_an_unknown_or_wrong_command_is_explained_and_never_reaches_the_model(tmp_path: Path) -> None:
    assistant, model = opened(tmp_path)
    with assistant:
        assert "/schedule" in assistant.handle("/remind me")
        assert "/todo rm" in assistant.handle("/todo rm 7")
    assert model.requests == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_model_it_says_so_and_the_commands_work(tmp_path: Path, language: Any) -> None:
    with Assistant(None, folder=tmp_path, language=language, search=Searches()) as assistant:
        assert assistant.handle("hello") == text(language, "no_model")
        assert assistant.handle("/resume") == text(language, "chat.nothing_pending")
        assistant.handle("/schedule add 2030-01-02 10:00 Gym")
        assert [entry.text for entry in assistant.agenda.appointments()] == ["Gym"]


@forms
def test_a_question_waits_for_its_answer_in_another_assistant_on_the_same_folder(tmp_path: Path, form: str) -> None:
    first, _ = opened(tmp_path, planned("schedule the dentist"), asks("When?"), language="zh")
    with first:
        assert handle(first, "约牙医", form) == "请确认：When?"
    script = (
        replanned("schedule it"),
        acts("schedule", "/schedule add dentist --at tomorrow 15:00"),
        done("scheduled"),
        replanned(response="Scheduled."),
    )
    second, model = opened(tmp_path, *script, language="zh")
    with second:
        assert (second.pending, second.question, second.goal) == ("question", "请确认：When?", "约牙医")
        second.handle("/todo add meanwhile")
        assert second.pending == "question"
        assert handle(second, "tomorrow at three", form) == "Scheduled."
        assert second.agenda.appointments()[0].start == datetime(2026, 3, 12, 15)
    assert len(model.requests) == 4
    assert "tomorrow at three" in str(model.requests[0][-1].content)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("command", ["/cancel", " /CANCEL ", "cancel", "Cancel", "取消当前任务", " 取消当前任务 "])
def test_a_pending_task_is_cancelled_by_every_command(tmp_path: Path, command: str, language: Any) -> None:
    assistant, model = opened(tmp_path, planned("a"), asks("Which?"), language=language)
    with assistant:
        assistant.handle("do it")
        assert assistant.handle(command) == text(language, "cancelled")
        assert assistant.pending is None
        assert assistant.handle(command) == text(language, "nothing_to_cancel")
    assert len(model.requests) == 2


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    class Stopping(ScriptedModel):
        def _generate(self, *args: Any, **kwargs: Any) -> Any:
            if len(self.requests) == 2:
                raise KeyboardInterrupt
            return super()._generate(*args, **kwargs)

    model = Stopping(replies=[planned("add"), acts("todo", "/todo add once")])
    with Assistant(model, folder=tmp_path, language="en", search=Searches()) as assistant:
        with pytest.raises(KeyboardInterrupt):
            assistant.handle("add once")
        assert assistant.pending == "run"
        assert [todo.text for todo in assistant.agenda.todos()] == ["once"]
    again, after = opened(tmp_path, done("added"), replanned(response="There."))
    with again:
        assert again.handle("/resume") == "There."
        assert [todo.text for todo in again.agenda.todos()] == ["once"]
    assert len(after.requests) == 2


KILLED = """
import os, signal, sys
from pathlib import Path
from langchain_core.tools import tool
sys.path.insert(0, {tests!r})
from support.assistants import Searches, acts, clock, planned
from support.scripted import ScriptedModel
from thoughtgraph import Assistant
from thoughtgraph.tools.agenda import Agenda
run = Agenda.run
def killed(self, command, key=None):
    answer = run(self, command, key)
    os.kill(os.getpid(), signal.SIGKILL)
    return answer
Agenda.run = killed
model = ScriptedModel(replies=[planned("add"), acts("todo", "/todo add once")])
with Assistant(model, folder={folder!r}, language="en", search=Searches(), clock=clock) as assistant:
    assistant.handle("add once")
"""


def test_a_run_killed_between_effect_and_checkpoint_goes_on_and_applies_the_effect_once(tmp_path: Path) -> None:
    program = KILLED.format(tests=str(TESTS), folder=str(tmp_path))
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ))
    assert killed.returncode == -9, killed.stderr
    assistant, model = opened(tmp_path, done("added"), replanned(response="There."))
    with assistant:
        assert assistant.pending == "run"
        assert assistant.handle("/resume") == "There."
        assert [todo.text for todo in assistant.agenda.todos()] == ["once"]
    assert len(model.requests) == 2


def test_a_run_killed_between_a_steps_writes_and_its_checkpoint_is_pending(tmp_path: Path) -> None:
    first, _ = opened(tmp_path, planned("search"), acts("internet_search", "zoo"), KeyboardInterrupt())
    with first, pytest.raises(KeyboardInterrupt):
        first.handle("When is the zoo open?")
    # The newest checkpoint never came; what the step before it had written did.
    with sqlite3.connect(tmp_path / "checkpoints.sqlite") as store:
        (newest,) = store.execute("SELECT max(checkpoint_id) FROM checkpoints").fetchone()
        for table in ("checkpoints", "writes"):
            store.execute(f"DELETE FROM {table} WHERE checkpoint_id = ?", (newest,))
    store.close()
    second, _ = opened(tmp_path, done("9 to 17"), replanned(response="From 9 to 17."))
    with second:
        assert second.pending == "run"
        assert second.handle("/resume") == "From 9 to 17."


def test_a_new_request_takes_the_place_of_a_run_that_was_stopped(tmp_path: Path) -> None:
    broken, _ = opened(tmp_path, planned("a"), KeyboardInterrupt("stop"))
    with broken, pytest.raises(KeyboardInterrupt):
        list(broken.stream("first"))
    assistant, _ = opened(tmp_path, planned(response="Second."))
    with assistant:
        assert assistant.pending == "run"
        assert assistant.handle("second") == "Second."
        assert assistant.pending is None


@forms
def test_progress_comes_as_events_before_the_answer(tmp_path: Path, form: str) -> None:
    script = (planned("search"), acts("internet_search", "zoo"), done("9 to 17"), replanned(response="9 to 17."))
    assistant, _ = opened(tmp_path, *script)

    async def collected() -> list[Any]:
        return [piece async for piece in assistant.astream("when does the zoo open?")]

    with assistant:
        pieces = list(assistant.stream("when does the zoo open?")) if form == "sync" else asyncio.run(collected())
    assert pieces[-1] == "9 to 17."
    kinds = [piece["kind"] for piece in pieces[:-1]]
    assert kinds[:3] == ["goal", "thought", "plan"]
    assert {"action", "observation", "outcome"} <= set(kinds)
    thought = next(piece for piece in pieces[:-1] if piece["kind"] == "thought" and "decision" in piece["data"])
    assert {"item": 1, "of": 1, "steps": 1, "max_steps": 20}.items() <= thought["data"].items()


def test_what_the_model_is_not_sure_of_is_confirmed_and_an_assistant_without_a_model_takes_the_setting(
    tmp_path: Path,
) -> None:
    guards = Guards(confirm_below=0.9)
    with Assistant(None, folder=tmp_path / "none", guards=guards) as without:
        assert "buy milk" in without.handle("/todo add buy milk")
    replies = planned("add milk"), acts("todo", "/todo add buy milk"), done("added"), replanned(response="Done.")
    assistant, _ = opened(tmp_path, *replies, guards=guards)
    with assistant:
        assert "/todo add buy milk" in assistant.handle("buy milk please")
        assert assistant.agenda.todos() == []
        assert assistant.handle("yes") == "Done."
        assert [todo.text for todo in assistant.agenda.todos()] == ["buy milk"]


def test_the_limits_are_those_of_the_loop(tmp_path: Path) -> None:
    assistant, _ = opened(tmp_path, planned("a"), asks("One?"), guards=Guards(max_questions=0), max_steps=9)
    with assistant:
        assert assistant.handle("go").startswith(text("en", "too_many_questions"))
        assert text("en", "chat.steps", steps=1, max_steps=9) in assistant.handle("/plan")


@forms
def test_without_a_limit_of_questions_it_asks_as_often_as_it_must(tmp_path: Path, form: str) -> None:
    rounds = [reply for number in range(12) for reply in (asks(f"Question {number}?"), replanned("a"))]
    script = (planned("a"), *rounds, done("A"), replanned(response="Clear now."))
    assistant, _ = opened(tmp_path, *script, guards=Guards(max_questions=None), max_steps=40)
    with assistant:
        shown = [handle(assistant, "go", form)]
        shown += [handle(assistant, f"answer {number}", form) for number in range(12)]
    assert shown == [*(f"Please confirm: Question {number}?" for number in range(12)), "Clear now."]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_has_the_prefix_of_the_language_or_ones_own(tmp_path: Path, language: Any) -> None:
    for options, prefix in (({}, text(language, "ask.prefix")), ({"ask_prefix": "Q: "}, "Q: ")):
        assistant, _ = opened(tmp_path / prefix[:1], planned("a"), asks("Which?"), language=language, **options)
        with assistant:
            assert assistant.handle("go") == f"{prefix}Which?"


def test_a_tool_may_take_only_so_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    over = threading.Event()

    @tool
    def wait(what: str) -> str:
        """Wait."""
        return f"{what}: {over.wait(60)}"

    script = (planned("w"), acts("wait", "x"), done("no"), done("no"), replanned(response="?"))
    assistant, _ = opened(tmp_path, *script, tools=[wait], tool_timeout=0.01)
    with assistant:
        assert text("en", "end.failed") in assistant.handle("wait")
    over.set()


@forms
def test_a_long_result_is_summarized_for_the_model(tmp_path: Path, form: str) -> None:
    script = (
        planned("list"),
        acts("todo", "/todo list"),
        "Three hundred todos.",
        done("listed"),
        replanned(response="300."),
    )
    assistant, model = opened(tmp_path, *script)
    with assistant:
        for number in range(300):
            assistant.agenda.run(f"/todo add water plant {number} and its many sisters")
        assert handle(assistant, "how many todos?", form) == "300."
    assert "Three hundred todos." in str(model.requests[3][-1].content)
    assert "water plant" not in str(model.requests[3][-1].content)


@forms
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_run_that_cannot_finish_points_at_the_commands(tmp_path: Path, form: str, language: Any) -> None:
    assistant, _ = opened(tmp_path, *["{broken"] * 6, language=language)
    with assistant:
        said = handle(assistant, "buy milk", form)
    assert said.startswith(text(language, "planner_unavailable"))
    assert text(language, "chat.advice") in said
    assert "/todo" in said and "/schedule" in said


def test_a_model_that_refuses_its_first_request_is_reported_and_leaves_nothing_pending(tmp_path: Path) -> None:
    from langchain_core.exceptions import ModelAuthenticationError

    assistant, _ = opened(tmp_path, ModelAuthenticationError("wrong key"))
    with assistant:
        said = assistant.handle("hello")
        assert said == text("en", "chat.refused", error="wrong key")
        assert "/todo" in said
        assert assistant.pending is None


def test_the_model_is_named_and_a_wrong_name_leaves_it_in_place(tmp_path: Path) -> None:
    assistant, _ = opened(tmp_path, planned(response="Hi."))
    with assistant:
        assert "ScriptedModel" in assistant.handle("/model")
        assert "nowhere.gguf" in assistant.handle("/model nowhere.gguf")
        assert assistant.handle("hello") == "Hi."


def test_several_models_are_asked_in_turn_the_cheapest_first(tmp_path: Path) -> None:
    first, last = small("{", "{", "{"), small(planned(response="Hi."), name="large")
    with Assistant([first, last], folder=tmp_path, language="en") as assistant:
        assert "small → large" in assistant.handle("/model")
        assert assistant.handle("hello") == "Hi."


@pytest.mark.parametrize("named", ["local:a, local:a", "nowhere.gguf, local:a", ","])
def test_models_of_which_one_is_no_good_leave_the_old_one_in_place(tmp_path: Path, named: str) -> None:
    assistant, _ = opened(tmp_path, planned(response="Hi."))
    with assistant:
        assert assistant.handle(f"/model {named}") != text("en", "chat.model", model="ScriptedModel")
        assert "ScriptedModel" in assistant.handle("/model")
        assert assistant.handle("hello") == "Hi."


def test_further_tools_are_offered_to_the_model(tmp_path: Path) -> None:
    @tool
    def lucky(number: int) -> str:
        """Say whether a number is lucky."""
        return f"{number} is lucky"

    script = (planned("ask"), acts("lucky", {"number": 7}), done("7 is lucky"), replanned(response="Lucky."))
    assistant, model = opened(tmp_path, *script, tools=[lucky])
    with assistant:
        assert assistant.handle("is 7 lucky?") == "Lucky."
    assert "lucky" in str(model.requests[0][0].content)


def test_a_new_task_drops_the_checkpoints_of_the_one_before(tmp_path: Path) -> None:
    assistant, _ = opened(tmp_path, *[planned(response="Hi.")] * 5)
    counts: list[int] = []
    with assistant:
        for _ in range(5):
            assistant.handle("hello")
            with sqlite3.connect(tmp_path / "checkpoints.sqlite") as db:
                counts += db.execute("SELECT count(*) FROM checkpoints").fetchone()
            db.close()
    assert len(set(counts)) == 1


@forms
def test_tools_that_ask_at_once_are_answered_one_after_the_other(tmp_path: Path, form: str) -> None:
    @tool
    def pick(what: str) -> str:
        """Let the user pick."""
        return f"{interrupt(f'Which {what}?')} {what}"

    pick.metadata = {"parallel": True}
    script = (
        planned("pick"),
        at_once(("pick", "tea"), ("pick", "cake")),
        done("Picked."),
        replanned(response="Green tea, apple cake."),
    )
    assistant, _ = opened(tmp_path, *script, tools=[pick])
    with assistant:
        assert handle(assistant, "let me pick tea and cake", form) == "Which tea?"
        assert handle(assistant, "green", form) == assistant.question == "Which cake?"
        assert handle(assistant, "apple", form) == "Green tea, apple cake."
    (saved,) = (tmp_path / "runs").glob("*.jsonl")
    seen = [event["data"] for event in ContextGraph.from_run(saved).events if event["kind"] == "observation"]
    assert [one["result"] for one in seen] == ["green tea", "apple cake"]
