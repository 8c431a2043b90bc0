"""What a crash, a pause or a lost model leaves of a run, in every reflection mode."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.exceptions import ModelInvalidRequestError
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, interrupt
from support.modes import (
    ACTOR_CRITIC,
    MODES,
    REFLEXION,
    RIGHT,
    TASK,
    THREAD,
    Clock,
    Judge,
    Mode,
    Script,
    all_modes,
    comparable,
    judged_runs,
    judging_modes,
    wrong,
)
from support.plan_act import TWINS, no_waiting, twin
from thoughtgraph import Verdict

pytestmark = pytest.mark.slow

ANSWERS = [wrong(0.2), wrong(0.4), RIGHT]
GONE = [ConnectionError("gone")] * 5


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


@pytest.fixture(params=["memory", "sqlite"])
def saver(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Any]:
    """Opens the same checkpoints again and again; those in a file as another process would."""
    kept = InMemorySaver()

    @contextmanager
    def opened() -> Generator[Any]:
        if request.param == "memory":
            yield kept
        else:
            with SqliteSaver.from_conn_string(str(tmp_path / "runs.sqlite")) as found:
                yield found

    return opened


class CrashingJudge(Judge):
    """Crashes once, over one answer."""

    fatal = wrong(0.4)

    def __call__(self, task: str, answer: str) -> Verdict:
        """Judge an answer, or crash."""
        verdict = super().__call__(task, answer)
        if self.seen.count(answer) == 1 and answer == self.fatal:
            raise KeyboardInterrupt
        return verdict


def crash_in_actor(script: Script) -> None:
    script.actor.replies.insert(script.actor.replies.index(wrong(0.4)), KeyboardInterrupt())


def crash_in_reflection(script: Script) -> None:
    script.actor.replies.insert(1, KeyboardInterrupt())


def crash_in_critic(script: Script) -> None:
    script.critic.replies.insert(1, KeyboardInterrupt())


def crash_in_verifier(script: Script) -> None:
    script.verifier = CrashingJudge()


CRASHES = [
    *((mode, True, crash) for mode in MODES for crash in (crash_in_actor, crash_in_verifier)),
    (REFLEXION, True, crash_in_reflection),
    (REFLEXION, False, crash_in_actor),
    (REFLEXION, False, crash_in_reflection),
    (REFLEXION, False, crash_in_critic),
    (ACTOR_CRITIC, True, crash_in_critic),
    (ACTOR_CRITIC, False, crash_in_actor),
    (ACTOR_CRITIC, False, crash_in_critic),
]


def described(value: Mode | bool | Callable[[Script], None]) -> str:
    """A parameter as a test's id shows it."""
    if isinstance(value, bool):
        return "verifier" if value else "critic-alone"
    return value.name if isinstance(value, Mode) else value.__name__


@pytest.mark.parametrize(("mode", "verified", "crash"), CRASHES, ids=described)
def test_a_crashed_run_goes_on_where_it_was_and_asks_nobody_twice(
    mode: Mode, verified: bool, crash: Callable[[Script], None], saver: Callable[[], Any]
) -> None:
    undisturbed = mode.script(ANSWERS, verified=verified)
    expected = undisturbed.run(twin("sync"))
    script = mode.script(ANSWERS, verified=verified)
    crash(script)
    with saver() as checkpoints, pytest.raises(KeyboardInterrupt):
        script.graph(checkpointer=checkpoints).invoke(dict(TASK), THREAD)
    with saver() as checkpoints:
        result = script.graph(checkpointer=checkpoints).invoke(None, THREAD)
    assert comparable(result) == comparable(expected)
    for model in (script.actor, script.critic):
        assert len(model.requests) == len(model.replies), "a call was made twice, or not at all"
    if verified:
        extra = [wrong(0.4)] if crash is crash_in_verifier else []
        assert sorted(script.verifier.seen) == sorted([*ANSWERS, *extra])
    ids = [event["id"] for event in result["events"]]
    assert len(ids) == len(set(ids))
    assert [event["seq"] for event in result["events"]] == list(range(len(ids)))
    script.lint()


@judging_modes
def test_a_crash_of_the_critic_does_not_have_the_verifier_run_again(mode: Mode) -> None:
    seen: list[str] = []

    def undecided(task: str, answer: str) -> Verdict:
        seen.append(answer)
        return Verdict("unverified", "no tool for that")

    script = mode.script([RIGHT], verified=False, verifier=undecided)
    script.critic.replies.insert(0, KeyboardInterrupt())
    graph = script.graph(checkpointer=InMemorySaver())
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(dict(TASK), THREAD)
    assert graph.invoke(None, THREAD)["stop_reason"]["kind"] == "accepted"
    assert seen == [RIGHT]


@all_modes
def test_a_verifier_may_ask_the_user_and_nothing_is_asked_twice(invoke: Any, mode: Mode) -> None:
    def ask(task: str, answer: str) -> Verdict:
        said = interrupt({"answer": answer})
        return Verdict("passed") if said == "yes" else Verdict("failed", str(said))

    script = mode.script(ANSWERS, verifier=ask)
    graph = script.graph(checkpointer=InMemorySaver(), max_seconds=60)
    paused = invoke(graph, dict(TASK), THREAD)
    assert paused["__interrupt__"][0].value == {"answer": ANSWERS[0]}
    paused = invoke(graph, Command(resume="too warm"), THREAD)
    assert paused["__interrupt__"][0].value == {"answer": ANSWERS[1]}
    assert [event["kind"] for event in paused["events"]].count("verdict") == 1
    invoke(graph, Command(resume="too cold"), THREAD)
    result = invoke(graph, Command(resume="yes"), THREAD)
    assert (result["answer"], result["verdict"]) == (RIGHT, "passed")
    assert ["too warm" in attempt["feedback"] for attempt in result["attempts"]] == [True, False, False]
    assert ["too cold" in attempt["feedback"] for attempt in result["attempts"]] == [False, True, False]
    assert len(script.actor.requests) == len(script.actor.replies)
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))
    script.lint()


@all_modes
def test_the_time_that_a_user_takes_is_not_the_runs(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)

    def ask(task: str, answer: str) -> Verdict:
        return Verdict("passed") if interrupt(answer) == "yes" else Verdict("failed", "no")

    script = mode.script([wrong(0.2), RIGHT], verifier=ask)
    graph = script.graph(checkpointer=InMemorySaver(), max_seconds=50)
    graph.invoke(dict(TASK), THREAD)
    clock.now += 1_000
    graph.invoke(Command(resume="no"), THREAD)
    clock.now += 1_000
    assert graph.invoke(Command(resume="yes"), THREAD)["verdict"] == "passed"
    assert graph.get_state(THREAD).values["seconds"] < 10


@judged_runs
def test_an_actor_that_goes_away_ends_the_run_with_what_was_achieved(
    invoke: Any, mode: Mode, verified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    script = mode.script([wrong(0.4), wrong(0.6)], verified=verified)
    script.actor.replies[-1:] = GONE
    result = script.run(invoke)
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert "gone" in result["stop_reason"]["value"]
    assert (result["answer"], len(result["attempts"])) == (wrong(0.4), 1)
    assert result["verdict"] == ("failed" if verified else "unverified")


@all_modes
def test_an_actor_that_was_never_there_ends_the_run_without_an_answer(
    invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    script = mode.script([RIGHT])
    script.actor.replies[:] = GONE
    result = script.run(invoke)
    assert (result["answer"], result["verdict"], result["attempts"]) == ("", "failed", [])
    assert result["stop_reason"]["kind"] == "model_unavailable"


class RefusedError(ModelInvalidRequestError):
    """A provider's word for a request that it will never take."""


@all_modes
def test_a_wrong_key_is_raised_before_anything_was_achieved_and_costs_nothing_after(invoke: Any, mode: Mode) -> None:
    script = mode.script([RIGHT])
    script.actor.replies[:] = [RefusedError("bad key")]
    with pytest.raises(RefusedError):
        invoke(script.graph(), dict(TASK))
    script = mode.script([wrong(0.4), RIGHT])
    script.actor.replies[-1] = RefusedError("context too long")
    result = script.run(invoke)
    assert (result["answer"], result["stop_reason"]["kind"]) == (wrong(0.4), "model_unavailable")


@all_modes
@pytest.mark.parametrize("lost", [GONE, [RefusedError("context too long")]], ids=["transport", "refused"])
def test_tokens_of_a_reply_before_the_model_was_lost_are_counted(
    invoke: Any, mode: Mode, lost: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    script = mode.script([wrong(0.4), RIGHT])
    script.actor.replies[-1:] = ["", *lost]
    result = script.run(invoke)
    spent = sum(event["data"]["usage"]["total_tokens"] for event in result["events"] if event["kind"] == "thought")
    assert result["usage"]["total_tokens"] == spent
