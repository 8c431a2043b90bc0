"""Reflection loops with a memory of failures: what they ask it, what the actor reads, and what they give it to keep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from support.modes import (
    ACTOR_CRITIC,
    MODES,
    REFLEXION,
    RIGHT,
    TASK,
    THREAD,
    Mode,
    all_modes,
    comparable,
    judging_modes,
    retrying_modes,
    unless_right,
    wrong,
)
from support.plan_act import TWINS, last_words, no_waiting, twin
from thoughtgraph import ContextGraph, Verdict
from thoughtgraph.memory import FailureMemory, open_failure_memory
from thoughtgraph.memory.lessons import Lesson, lessons_text

pytestmark = pytest.mark.slow


def lesson(key: str, **about: Any) -> Lesson:
    """A lesson of an earlier run."""
    return Lesson(
        **{  # pyright: ignore[reportArgumentType]
            "key": key,
            "task": f"Task {key}",
            "kind": "wrong",
            "error": f"Error {key}",
            "lesson": f"Lesson {key}",
            "fix": f"Fix {key}",
            "evidence": ["old:1", "old:2"],
            "time": "2026-01-01T00:00:00+00:00",
            "similarity": 0.5,
            **about,
        }
    )


class Notebook:
    """A memory that offers what it was told to, a list a call, and notes what it is asked and given."""

    def __init__(self, *offers: list[Lesson]) -> None:
        self.offers = list(offers)
        self.asked: list[tuple[str, str, str]] = []
        self.kept: list[Lesson] = []

    def recall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """The next offer; the last one again and again."""
        self.asked.append((task, kind, error))
        if not self.offers:
            return []
        return self.offers.pop(0) if len(self.offers) > 1 else self.offers[0]

    async def arecall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """Async twin of `recall`."""
        return self.recall(task, kind=kind, error=error)

    def remember(self, lessons: Sequence[Lesson]) -> None:
        """Keep lessons."""
        self.kept.extend(lessons)

    async def aremember(self, lessons: Sequence[Lesson]) -> None:
        """Async twin of `remember`."""
        self.remember(lessons)


class Broken(Notebook):
    """A memory whose store is gone."""

    def recall(self, task: str, *, kind: str = "", error: str = "") -> list[Lesson]:
        """Fail."""
        raise OSError("disk I/O error")

    def remember(self, lessons: Sequence[Lesson]) -> None:
        """Fail."""
        raise OSError("disk is full")


class ReadOnly(Notebook):
    """A memory that can be read but not written to."""

    def remember(self, lessons: Sequence[Lesson]) -> None:
        """Fail."""
        raise OSError("disk is full")


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


@retrying_modes
def test_memory_is_asked_before_the_first_attempt_and_with_every_failure(invoke: Any, mode: Mode) -> None:
    memory = Notebook()
    result = mode.script([wrong(0.1), None, RIGHT]).run(invoke, memory=memory, strategies=["lesson"])
    task = TASK["task"]
    first, second = (attempt["feedback"] for attempt in result["attempts"][:2])
    assert memory.asked == [(task, "", ""), (task, "wrong", first), (task, "no_answer", second)]


@all_modes
def test_lessons_stand_before_the_task_and_not_in_the_system_message(invoke: Any, mode: Mode) -> None:
    script = mode.script([RIGHT])
    script.run(invoke, memory=Notebook([lesson("a"), lesson("b", lesson="")]))
    system, human = script.actor.requests[0]
    assert system.content == "Answer in one line."
    said = str(human.content)
    places = [
        said.index(part) for part in ("Task a", "Error a", "Lesson a", "Fix a", "Task b", "Error b", TASK["task"])
    ]
    assert places == sorted(places)
    assert said.endswith("Say the right thing.\n\nOnly the right answer counts.")


@all_modes
@pytest.mark.parametrize("memory", [None, Notebook()], ids=["no-memory", "nothing-similar"])
def test_without_lessons_the_prompt_is_the_task(mode: Mode, memory: Notebook | None) -> None:
    script = mode.script([RIGHT])
    result = script.run(twin("sync"), memory=memory)
    assert script.actor.requests[0][1].content == "Say the right thing.\n\nOnly the right answer counts."
    assert "reflection" not in {event["kind"] for event in result["events"]}


@retrying_modes
def test_lessons_stay_with_every_attempt_and_new_ones_join_when_a_failure_brings_them(invoke: Any, mode: Mode) -> None:
    script = mode.script([wrong(0.1), wrong(0.2), RIGHT])
    memory = Notebook([lesson("a")], [lesson("a")], [lesson("a"), lesson("b")])
    result = script.run(invoke, memory=memory, strategies=["lesson"])
    sent = [e["data"]["request"][1]["content"] for e in result["events"] if e["kind"] == "attempt"]
    assert sent[1].startswith(sent[0])
    assert ["Task b" in request for request in sent] == [False, False, True]
    assert all("Task a" in request for request in sent)


@all_modes
def test_a_fresh_attempt_goes_without_lessons(invoke: Any, mode: Mode) -> None:
    result = mode.script([wrong(0.1), RIGHT]).run(invoke, memory=Notebook([lesson("a")]), strategies=["fresh"])
    sent = [e["data"]["request"][1]["content"] for e in result["events"] if e["kind"] == "attempt"]
    assert ["Task a" in request for request in sent] == [True, False]


@all_modes
def test_nothing_is_looked_for_that_nobody_would_read(invoke: Any, mode: Mode) -> None:
    memory = Notebook([lesson("a")], [lesson("b")])
    result = mode.script([wrong(0.1), RIGHT]).run(invoke, memory=memory, strategies=["fresh"])
    assert len(memory.asked) == 1
    recalled = [event for event in result["events"] if event["data"].get("source") == "memory"]
    assert len(recalled) == 1


@all_modes
def test_a_failure_that_taught_nothing_is_not_shown(invoke: Any, mode: Mode) -> None:
    script = mode.script([RIGHT])
    result = script.run(invoke, memory=Notebook([lesson("a", lesson="", fix="")]))
    assert "Task a" not in str(script.actor.requests[0][1].content)
    assert "reflection" not in {event["kind"] for event in result["events"]}


@all_modes
def test_a_failure_that_was_never_fixed_is_shown_where_the_user_wants_it(
    invoke: Any, mode: Mode, tmp_path: Path
) -> None:
    with open_failure_memory(tmp_path / "memory.sqlite", bare_failures=True) as memory:
        memory.remember([lesson("a", task=TASK["task"], lesson="", fix="")])
        script = mode.script([RIGHT])
        result = script.run(invoke, memory=memory)
    assert "Went wrong:\n```\nError a\n```\n\nThis is your task now." in str(script.actor.requests[0][1].content)
    assert [len(e["data"]["lessons"]) for e in result["events"] if e["kind"] == "reflection"] == [1]


def test_a_failure_of_an_external_loop_that_was_never_fixed_reaches_the_next_run_or_not() -> None:
    for bare in (False, True):
        memory = FailureMemory(InMemoryStore(), bare_failures=bare)
        first, second = (MODES[0].script([wrong(0.1)]), MODES[0].script([RIGHT]))
        first.run(twin("sync"), memory=memory, max_attempts=1)
        second.run(twin("sync"), memory=memory)
        assert ("<wrong 0.1> is wrong" in str(second.actor.requests[0][1].content)) is bare


@all_modes
def test_recalled_lessons_are_in_the_trace_and_the_attempt_learned_from_them(invoke: Any, mode: Mode) -> None:
    result = mode.script([wrong(0.1), RIGHT]).run(invoke, memory=Notebook([lesson("a")]))
    events = {event["id"]: event for event in result["events"]}
    (recalled,) = [e for e in result["events"] if e["data"].get("source") == "memory"]
    assert recalled["kind"] == "reflection"
    assert recalled["data"]["lessons"] == [lesson("a")]
    learned = [e for e in events.values() for link in e["links"] if link["source"] == recalled["id"]]
    assert [(e["kind"], e["seq"]) for e in learned] == [("thought", 2)]
    assert ContextGraph.from_run(result).nx.in_degree(recalled["id"]) == 1


@all_modes
def test_failures_are_kept_with_the_answer_that_passed(invoke: Any, mode: Mode) -> None:
    memory = Notebook()
    result = mode.script([wrong(0.1), wrong(0.2), RIGHT]).run(invoke, memory=memory)
    assert len(memory.kept) == 2
    events = {event["id"]: event for event in result["events"]}
    for kept, attempt in zip(memory.kept, result["attempts"], strict=False):
        assert (kept["task"], kept["kind"], kept["fix"]) == (TASK["task"], "wrong", RIGHT)
        assert f"<{attempt['answer']}> is wrong" in kept["error"]
        assert [events[id]["data"]["answer"] for id in kept["evidence"]] == [attempt["answer"], RIGHT]
        assert {events[id]["kind"] for id in kept["evidence"]} == {"attempt"}


@all_modes
def test_failures_without_a_success_are_kept_without_a_fix(invoke: Any, mode: Mode) -> None:
    memory = Notebook()
    mode.script([wrong(0.1), wrong(0.2)]).run(invoke, memory=memory, max_attempts=2)
    assert [(kept["fix"], len(kept["evidence"])) for kept in memory.kept] == [("", 1), ("", 1)]


@all_modes
@pytest.mark.parametrize(
    ("answers", "count"),
    [([RIGHT], 0), ([wrong(0.1), wrong(0.1), RIGHT], 1)],
    ids=["passed-at-once", "repeated"],
)
def test_only_what_failed_anew_is_kept(invoke: Any, mode: Mode, answers: list[str], count: int) -> None:
    memory = Notebook()
    mode.script(answers).run(invoke, memory=memory)
    assert len(memory.kept) == count


def test_the_same_failure_of_two_answers_is_one_lesson(invoke: Any) -> None:
    memory = Notebook()
    script = MODES[0].script(["a", "b", RIGHT], verifier=unless_right(Verdict("failed", "no")))
    script.run(invoke, memory=memory)
    assert [kept["error"] for kept in memory.kept] == ["no"]


@judging_modes
def test_the_opinion_of_a_model_is_never_kept(invoke: Any, mode: Mode) -> None:
    memory = Notebook()
    result = mode.script([wrong(0.1), wrong(0.2), RIGHT], verified=False).run(invoke, memory=memory)
    assert result["stop_reason"]["kind"] == "accepted"
    assert memory.kept == []


def test_what_a_critic_said_of_a_failure_is_no_part_of_its_evidence(invoke: Any) -> None:
    memory = Notebook()
    ACTOR_CRITIC.script([wrong(0.1), RIGHT]).run(invoke, memory=memory)
    assert [kept["error"] for kept in memory.kept] == ["<wrong 0.1> is wrong"]


def test_a_failure_is_kept_with_the_reflection_on_it_and_not_on_another(invoke: Any) -> None:
    memory = Notebook()
    REFLEXION.script([wrong(0.1), wrong(0.2), RIGHT]).run(invoke, memory=memory)
    assert [kept["lesson"] for kept in memory.kept] == [
        "Mistake 1. → Do it like 1.",
        "Mistake 2. → Do it like 2.",
    ]


@all_modes
def test_failures_are_kept_when_the_model_is_lost_too(invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    memory = Notebook()
    script = mode.script([wrong(0.1), RIGHT])
    script.actor.replies[-1:] = [ConnectionError("gone")] * 5
    assert script.run(invoke, memory=memory)["stop_reason"]["kind"] == "model_unavailable"
    assert [kept["fix"] for kept in memory.kept] == [""]


@all_modes
@pytest.mark.parametrize("memory", [Broken(), ReadOnly([lesson("a")])], ids=["unreadable", "read-only"])
def test_a_broken_memory_costs_no_run_its_answer_and_is_reported(
    invoke: Any, mode: Mode, memory: Notebook, caplog: pytest.LogCaptureFixture
) -> None:
    result = mode.script([wrong(0.1), RIGHT]).run(invoke, memory=memory)
    assert (result["answer"], result["verdict"]) == (RIGHT, "passed")
    assert "disk is full" in caplog.text
    assert ("disk I/O error" in caplog.text) is isinstance(memory, Broken)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([{"lesson": "Think."}], "key"),
        ([{**lesson("a"), "fix": None}], "fix"),
        (["Think."], "valid dictionary"),
        ("Think.", "valid list"),
        (None, "valid list"),
    ],
)
@pytest.mark.parametrize("bare", [True, False])
def test_what_is_no_lesson_costs_no_run_its_answer(
    invoke: Any, caplog: pytest.LogCaptureFixture, given: Any, said: str, bare: bool
) -> None:
    memory: Any = Notebook(given)
    memory.bare_failures = bare
    script = REFLEXION.script([RIGHT])
    assert script.run(invoke, memory=memory)["verdict"] == "passed"
    assert "no lessons were recalled" in caplog.text
    assert said in caplog.text
    assert last_words(script.actor, 0) == "Say the right thing.\n\nOnly the right answer counts."


def test_a_lesson_may_have_more_than_its_fields(invoke: Any) -> None:
    more: Any = {**lesson("a"), "owner": object()}
    script = REFLEXION.script([RIGHT])
    graph = script.graph(memory=Notebook([more]), checkpointer=InMemorySaver())
    assert invoke(graph, dict(TASK), THREAD)["verdict"] == "passed"
    assert "Lesson a" in last_words(script.actor, 0)


@all_modes
def test_both_twins_leave_the_same_trace_and_the_same_memory(mode: Mode) -> None:
    runs = [(mode.script([wrong(0.1), RIGHT]), Notebook([lesson("a")], [lesson("b")])) for _ in TWINS]
    one, other = (
        comparable(script.run(twin(name), memory=memory)) for name, (script, memory) in zip(TWINS, runs, strict=True)
    )
    assert one == other
    first, second = (memory for _, memory in runs)
    assert first.asked == second.asked
    assert [(k["error"], k["fix"], k["lesson"]) for k in first.kept] == [
        (k["error"], k["fix"], k["lesson"]) for k in second.kept
    ]


@all_modes
def test_a_crashed_run_keeps_its_lessons_and_keeps_them_once(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    script = mode.script([wrong(0.1), RIGHT])
    script.actor.replies.insert(len(script.actor.replies) - 1, KeyboardInterrupt())
    memory = Notebook([lesson("a")])
    options: dict[str, Any] = {} if mode.samples else {"strategies": ["lesson"]}
    graph = script.graph(memory=memory, checkpointer=InMemorySaver(), **options)
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(dict(TASK), THREAD)
    asked = len(memory.asked)
    result = graph.invoke(None, THREAD)
    assert (result["verdict"], len(memory.kept), len(memory.asked)) == ("passed", 1, asked)
    if not mode.samples:
        assert "Task a" in last_words(script.actor) or "Task a" in str(script.actor.requests[-1][1].content)
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))


@all_modes
def test_a_thread_that_is_used_again_starts_without_the_lessons_of_the_run_before(mode: Mode) -> None:
    script = mode.script([RIGHT])
    script.actor.replies *= 2
    graph = script.graph(memory=Notebook([lesson("a")], []), checkpointer=InMemorySaver())
    graph.invoke(dict(TASK), THREAD)
    graph.invoke(dict(TASK), THREAD)
    assert ["Task a" in str(request[1].content) for request in script.actor.requests] == [True, False]


def test_long_lessons_are_cut_and_keep_their_white_space() -> None:
    shown = lessons_text([lesson("a", task="t " * 5_000, error="e\n" * 5_000, lesson="l " * 5_000, fix="f " * 5_000)])
    assert len(shown) < 3_200
    assert "e\ne\ne" in shown
    assert 'squeeze("a   b")' in lessons_text([lesson("a", error='squeeze("a   b")')])
    assert lessons_text([]) == ""
