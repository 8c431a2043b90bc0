"""Several tool calls in one round, for one step or for several that do not require each other."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.tools import BaseTool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.prebuilt import InjectedState
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    Invoke,
    act,
    acts,
    done,
    echo_tool,
    last_words,
    parallel,
    plan_step,
    planned,
    play,
    replanned,
    twin,
)
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Guards, create_plan_act_graph
from thoughtgraph.tools.calls.idempotency import idempotency_key


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def looking(name: str = "look", **options: Any) -> BaseTool:
    """A tool that may be called beside others."""

    def look(at: str) -> str:
        """Look at something."""
        if at == "nothing":
            raise ValueError("there is nothing to see")
        return f"{name} {at}"

    look.__name__ = name
    return parallel(look, **options)


def at_once(*calls: Any, steps: Sequence[Any] = ("a",)) -> list[str]:
    """A run that makes these calls in its only round."""
    return [planned(*steps), acts(*calls), done("seen"), replanned(response="end")]


def results(played: Any) -> list[str]:
    return [seen["result"] for seen in played.result["observations"]]


class TestOneStep:
    """Several calls for the only step of a round."""

    def test_the_calls_run_at_the_same_time_and_come_back_in_their_order(self, invoke: Invoke) -> None:
        both = threading.Barrier(2, timeout=20)

        def meet(at: str) -> str:
            """Wait for the other."""
            both.wait()
            return f"met {at}"

        played = play(invoke, at_once(("meet", "a"), ("meet", "b")), [parallel(meet)], interactive=False)
        assert results(played) == ["met a", "met b"]
        shown = last_words(played.model, 2)
        assert shown.index("met a") < shown.index("met b")

    def test_every_call_counts_as_a_step(self, invoke: Invoke) -> None:
        played = play(invoke, at_once(("look", "a"), ("look", "b"), ("look", "c")), [looking()], interactive=False)
        # Two thoughts, three calls, a replan.
        assert played.result["steps"] == 6
        assert played.result["stop_reason"]["kind"] == "goal_met"

    def test_the_trace_has_each_call_with_its_own_result(self, invoke: Invoke) -> None:
        played = play(invoke, at_once(("look", "a"), ("look", "nothing")), [looking()], interactive=False)
        events = {event["id"]: event for event in played.result["events"]}
        assert [event["seq"] for event in events.values()] == list(range(len(events)))
        seen = [event for event in events.values() if event["kind"] == "observation"]
        for one in seen:
            [link] = one["links"]
            cause = events[link["source"]]
            assert cause["kind"] == "action" and cause["data"]["input"] == one["data"]["input"]
            assert link["relation"] == ("led_to" if one["data"]["ok"] else "failed")
        assert [one["data"]["ok"] for one in seen] == [True, False]
        thought = next(event for event in events.values() if event["data"].get("decision"))
        assert len(thought["data"]["decision"]["next_actions"]) == 2
        graph = ContextGraph.from_run(played.result)
        assert graph.nx.number_of_nodes() == len(events)

    def test_failures_beside_each_other_count_for_the_error_rate(self, invoke: Invoke) -> None:
        played = play(
            invoke,
            [planned("a"), acts(("look", "nothing"), ("look", "b")), act("look", "nothing"), "words"],
            [looking()],
            interactive=False,
            guards=Guards(error_min_calls=3),
        )
        assert played.result["stop_reason"] == {"kind": "error_rate", "value": pytest.approx(2 / 3), "limit": 0.5}

    def test_a_step_all_of_whose_calls_failed_has_failed(self, invoke: Invoke) -> None:
        replies = at_once(("look", "nothing"), ("peek", "nothing"))
        played = play(invoke, replies, [looking(), looking("peek")], interactive=False)
        assert [item["status"] for item in played.result["plan"]] == ["failed"]
        assert played.result["stop_reason"]["kind"] == "steps_failed"

    def test_a_call_that_only_repeats_itself_is_refused_and_the_others_are_made(self, invoke: Invoke) -> None:
        replies = [planned("a"), *[act("look", "a")] * 3, acts(("look", "a"), ("look", "b"))]
        played = play(invoke, [*replies, done("seen"), replanned(response="end")], [looking()], interactive=False)
        assert [seen["ok"] for seen in played.result["observations"]] == [True, True, True, False, True]
        refused = [event for event in played.result["events"] if event["data"].get("kind_of_failure") == "repeated"]
        assert len(refused) == 1

    def test_rounds_that_repeat_each_other_are_a_loop(self, invoke: Invoke) -> None:
        replies = [planned("a"), *[acts(("look", "a"), ("look", "b"))] * 3, "words"]
        played = play(invoke, replies, [looking()], interactive=False)
        assert played.result["stop_reason"]["kind"] == "loop_pattern"

    def test_a_list_of_one_is_a_call(self, invoke: Invoke) -> None:
        played = play(invoke, at_once(("echo", "x")), [echo_tool()], interactive=False)
        assert results(played) == ["echo x"]

    def test_a_call_finds_the_state_and_a_key_of_its_own(self, invoke: Invoke) -> None:
        keys: list[str | None] = []

        def note(text: str, state: Annotated[dict[str, Any], InjectedState]) -> str:
            """Note a text."""
            keys.append(idempotency_key())
            return f"{text} for {state['goal']}"

        played = play(invoke, at_once(("note", "a"), ("note", "b")), [parallel(note)], interactive=False)
        assert results(played) == ["a for Get it done", "b for Get it done"]
        assert len(set(keys)) == 2


@pytest.mark.parametrize(
    ("calls", "options", "feedback"),
    [
        ([("look", "a"), ("echo", "b")], {}, "echo may not be called beside other tools"),
        ([("look", "a"), ("look", " a")], {}, "Call 2 is the same as one before it"),
        ([("look", "a"), ("fly", "b")], {}, "Call 2: There is no tool 'fly'"),
        ([("look", str(number)) for number in range(9)], {}, "has 9 calls; there is room for 8"),
        ([("look", str(number)) for number in range(4)], {"max_steps": 4}, "has 4 calls; there is room for 3"),
    ],
    ids=["alone", "same", "unknown", "many", "room"],
)
def test_calls_that_cannot_be_made_go_back_with_exact_feedback(
    invoke: Invoke, calls: list[Any], options: dict[str, Any], feedback: str
) -> None:
    replies = [planned("a"), acts(*calls), done("seen"), replanned(response="end")]
    played = play(invoke, replies, [looking(), echo_tool()], interactive=False, **options)
    assert feedback in last_words(played.model, 2)
    assert not played.result["observations"]


def test_a_model_whose_tools_are_called_alone_is_neither_told_nor_heard_of_more(invoke: Invoke) -> None:
    replies = [planned("a"), acts(("echo", "a"), ("echo", "b")), done("seen"), replanned(response="end")]
    played = play(invoke, replies, [echo_tool()], interactive=False)
    assert "no tool may be called beside others" in last_words(played.model, 2)
    assert "next_actions" not in str(played.model.requests[0][0].content)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_instructions_name_the_tools_that_may_be_called_at_once(invoke: Invoke, language: Any) -> None:
    played = play(invoke, at_once(("look", "a"), ("look", "b")), [looking()], interactive=False, language=language)
    system = str(played.model.requests[0][0].content)
    assert '"next_actions": [{' in system and "look" in system.rpartition("\n")[0].rpartition("\n")[2]


def test_calls_at_once_have_a_worked_example_where_two_tools_may_make_them(invoke: Invoke) -> None:
    tools = [looking(), looking("peek")]
    played = play(invoke, at_once(("look", "a"), ("peek", "b")), tools, interactive=False)
    shown = [str(message.content) for message in played.model.requests[0] if message.type == "ai"]
    [example] = [json.loads(words) for words in shown if "next_actions" in words]
    assert [call["tool"] for call in example["next_actions"]] == ["look", "peek"]


def test_a_constrained_reply_may_make_several_calls_where_a_tool_says_so(invoke: Invoke) -> None:
    for tools, told in (([looking()], True), ([echo_tool()], False)):
        calls = at_once((getattr(tools[0], "name", "echo"), "a"))
        played = play(invoke, calls, tools, interactive=False, constrained=True)
        schema = played.model.options[1]["response_format"]["json_schema"]["schema"]
        forms = schema["properties"]["reply"]["anyOf"]
        assert any("next_actions" in form["properties"] for form in forms) is told


class TestSeveralSteps:
    """Steps that do not require each other, and whose tools may be called at once, are worked on in one round."""

    STEPS = (plan_step("see a", "look"), plan_step("see b", "look"), plan_step("compare", "look", [1, 2]))

    def test_independent_steps_are_worked_on_at_once(self, invoke: Invoke) -> None:
        replies = [planned(*self.STEPS), acts(("look", "a"), ("look", "b")), done("seen both")]
        replies += [replanned(plan_step("compare", "look")), act("look", "c"), done("same"), replanned(response="end")]
        played = play(invoke, replies, [looking()], interactive=False)
        asked = last_words(played.model, 1)
        assert "1: see a\n2: see b\n" in asked and "compare" not in asked
        steps = [(item["step"], item["status"], item["response"]) for item in played.result["plan"]]
        assert steps == [("see a", "done", "seen both"), ("see b", "done", "seen both"), ("compare", "done", "same")]
        assert [seen.get("step") for seen in played.result["observations"]] == [1, 2, None]

    def test_a_step_is_done_or_failed_by_its_own_calls(self, invoke: Invoke) -> None:
        replies = [planned(*self.STEPS[:2]), acts(("look", "a", 2), ("look", "nothing", 1)), done("seen")]
        played = play(invoke, [*replies, replanned(response="end")], [looking()], interactive=False)
        assert [item["status"] for item in played.result["plan"]] == ["failed", "done"]
        assert played.result["stop_reason"]["kind"] == "partly_done"

    def test_a_step_without_a_call_stays_open(self, invoke: Invoke) -> None:
        replies = [planned(*self.STEPS[:2]), acts(("look", "a", 1), ("look", "b", 1)), done("seen")]
        replies += [replanned("see b"), done("not needed"), replanned(response="end")]
        played = play(invoke, replies, [looking()], interactive=False)
        assert "Open steps: see b" in last_words(played.model, 3)

    def test_a_call_for_no_step_goes_back(self, invoke: Invoke) -> None:
        replies = [planned(*self.STEPS[:2]), act("look", "a"), acts(("look", "a"), ("look", "b")), done("seen")]
        played = play(invoke, [*replies, replanned(response="end")], [looking()], interactive=False)
        assert 'add `"step"` to the call, one of 1, 2' in last_words(played.model, 2)

    def test_independent_steps_come_before_those_that_wait(self, invoke: Invoke) -> None:
        steps = (plan_step("see a", "look"), plan_step("use a", "look", [1]), plan_step("see b", "peek"))
        replies = [planned(*steps), acts(("look", "a"), ("peek", "b")), done("seen"), replanned("use a")]
        tools = [looking(), looking("peek")]
        played = play(invoke, [*replies, done("used"), replanned(response="end")], tools, interactive=False)
        assert [item["step"] for item in played.result["plan"]] == ["see a", "see b", "use a"]

    @pytest.mark.parametrize("other", ["echo", None], ids=["alone", "unnamed"])
    def test_steps_whose_tools_do_not_say_so_wait(self, invoke: Invoke, other: str | None) -> None:
        replies = [planned(plan_step("see a", "look"), plan_step("b", other)), act("look", "a"), done("seen")]
        replies += [replanned("b"), done("B"), replanned(response="end")]
        played = play(invoke, replies, [looking(), echo_tool()], interactive=False)
        assert "Step 1 of 2: see a" in last_words(played.model, 1)


def test_a_tool_that_ends_the_run_cannot_be_parallel() -> None:
    with pytest.raises(ValueError, match="look: a tool with return_direct=True cannot be parallel as well"):
        create_plan_act_graph(ScriptedModel(replies=[]), [looking(return_direct=True)], interactive=False)


def test_a_call_that_is_done_is_not_made_again_where_another_one_crashed(tmp_path: Path) -> None:
    class Crash(BaseException):
        pass

    made: list[str] = []
    first_done = threading.Event()

    def fetch(name: str) -> str:
        """Fetch something."""
        if name == "bad":
            assert first_done.wait(20)
            if "bad" not in made:
                made.append("bad")
                raise Crash
        made.append(name)
        first_done.set()
        return f"got {name}"

    with SqliteSaver.from_conn_string(str(tmp_path / "runs.sqlite")) as saver:
        replies = at_once(("fetch", "good"), ("fetch", "bad"))
        graph = create_plan_act_graph(ScriptedModel(replies=replies), [parallel(fetch)], checkpointer=saver)
        with pytest.raises(Crash):
            graph.invoke(dict(GOAL), THREAD, durability="sync")
        resumed = graph.invoke(None, THREAD, durability="sync")
    assert [seen["result"] for seen in resumed["observations"]] == ["got good", "got bad"]
    assert made.count("good") == 1
    numbers = [event["seq"] for event in resumed["events"]]
    assert numbers == list(range(len(numbers)))
