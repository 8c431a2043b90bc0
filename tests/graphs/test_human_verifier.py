"""The user as a verifier: asked once for each attempt, in every mode, also after a restart."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from support.modes import RIGHT, TASK, THREAD, Mode, all_modes
from support.plan_act import GOAL, act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_plan_act_graph, create_reflection_graph, open_checkpoints
from thoughtgraph.errors import MissingCheckpointerError
from thoughtgraph.graphs.middleware import VerifyMiddleware
from thoughtgraph.tools import FormattedVerifier, solver_tool
from thoughtgraph.tools.verifiers import HumanVerifier
from typing_extensions import TypedDict

pytestmark = pytest.mark.slow


class Outer(TypedDict, total=False):
    """The state of a graph around a loop."""

    task: str
    verdict: str


ANSWERS = ["wrong 0.0", "wrong 0.1", RIGHT]


@pytest.fixture(params=["sync", "async"])
def how(request: pytest.FixtureRequest) -> str:
    """Invoke a graph by either twin."""
    return request.param


def resumed(how: str, graph: Any, given: Any) -> dict[str, Any]:
    """What a graph returns on its thread."""
    return graph.invoke(given, THREAD) if how == "sync" else asyncio.run(graph.ainvoke(given, THREAD))


@all_modes
def test_each_attempt_is_asked_about_once(how: str, mode: Mode) -> None:
    script = mode.script(ANSWERS, verifier=HumanVerifier(question="Well?"))
    graph = script.graph(checkpointer=InMemorySaver())
    asked: list[Any] = []
    result = resumed(how, graph, dict(TASK))
    for said in ("Too loud.", {"passed": False, "feedback": "Too soft.", "score": 0.5}, True):
        [pause] = result["__interrupt__"]
        asked.append(pause.value)
        result = resumed(how, graph, Command(resume=said))
    assert asked == [{"task": TASK["task"], "answer": answer, "question": "Well?"} for answer in ANSWERS]
    json.dumps(asked)
    assert [attempt["verdict"] for attempt in result["attempts"]] == ["failed", "failed", "passed"]
    assert [attempt["feedback"] for attempt in result["attempts"][:2]] == ["Too loud.", "Too soft."]
    assert (result["verdict"], result["attempts"][1]["score"]) == ("passed", 0.5)
    assert len(script.actor.requests) == len(script.actor.replies)
    kinds = [event["kind"] for event in result["events"]]
    assert (kinds.count("attempt"), kinds.count("verdict")) == (3, 3)
    assert ContextGraph.from_run(result).why_stopped().kind == "passed"


@all_modes
def test_the_question_outlives_the_process(tmp_path: Path, mode: Mode) -> None:
    script = mode.script(["wrong 0.0", RIGHT], verifier=HumanVerifier())
    with open_checkpoints(tmp_path / "runs.sqlite") as checkpointer:
        paused = script.graph(checkpointer=checkpointer).invoke(dict(TASK), THREAD)
    assert paused["__interrupt__"][0].value["answer"] == "wrong 0.0"
    for said, left in (("No good.", True), ("yes", False)):
        with open_checkpoints(tmp_path / "runs.sqlite") as checkpointer:
            result = script.graph(checkpointer=checkpointer).invoke(Command(resume=said), THREAD)
        assert ("__interrupt__" in result) == left
    assert [attempt["verdict"] for attempt in result["attempts"]] == ["failed", "passed"]
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))
    assert len(script.actor.requests) == len(script.actor.replies)


@pytest.mark.parametrize(
    ("said", "verdict", "feedback"),
    [
        (True, "passed", ""),
        (False, "failed", "The answer failed its check."),
        ("Yes.", "passed", ""),
        ("OK!", "passed", ""),
        ("是的。", "passed", ""),
        ("no", "failed", "The answer failed its check."),
        ("yes, but shorter", "failed", "yes, but shorter"),
        (" Shorter. ", "failed", "Shorter."),
        ({"passed": True, "feedback": "Nice."}, "passed", "Nice."),
    ],
)
def test_the_users_word_is_the_verdict(how: str, said: Any, verdict: str, feedback: str) -> None:
    assert verdict_for(how, said) == (verdict, feedback)


@pytest.mark.parametrize(
    "said",
    [
        "true",
        "True",
        "TRUE.",
        '"true"',
        "Yep",
        "passed",
        "looks good",
        "Yes, it is.",
        "It's right.",
        "yes, that is correct!",
        "OK, thanks",
        "Looks good to me.",
        "All good 👍",
        "LGTM",
        "nothing is wrong",
        "pass",
        "I accept.",
        "Approve",
        "No problems.",
        "It works, thanks!",
        "👍🏽",
        "✔️",
        "真",
        "是的，很好",
        "没问题。",
        "对的",
        '{"passed": true}',
    ],
)
def test_words_that_only_agree_pass_also_as_a_text_of_a_form(how: str, said: str) -> None:
    assert verdict_for(how, said) == ("passed", "")


@pytest.mark.parametrize(
    "said",
    [
        "false",
        "False.",
        "FALSE",
        "n",
        "No!",
        "Wrong",
        "nope",
        "👎",
        "假",
        "错了。",
        '"false"',
        "fail",
        "Rejected.",
        "✗",
    ],
)
def test_words_that_only_deny_say_nothing_of_what_is_wrong(how: str, said: str) -> None:
    assert verdict_for(how, said) == ("failed", "The answer failed its check.")


@pytest.mark.parametrize(
    "said",
    [
        "yes, but shorter",
        "yes please add tests",
        "OK, now in French",
        "yes and no",
        "Looks good?",
        "not right",
        "good question",
        "Correct the second line.",
        "true, false",
        "The answer is 4",
        "thanks",
        "是的，但是短一点",
        "对不对",
        "可以短一点吗",
        "no, it is too long",
        "no problem is solved",
        "no errors, but too long",
        "it works for 2",
        "pass the limit as an argument",
        "I accept half of it",
        "nothing",
        "wrong year",
        '{"x": 1}',
        "it is right " * 10,
    ],
)
def test_what_says_more_is_what_is_wrong(how: str, said: str) -> None:
    assert verdict_for(how, said) == ("failed", said.strip())


def test_an_object_may_come_as_a_text() -> None:
    assert verdict_for("sync", '{"passed": false, "feedback": "Too long."}') == ("failed", "Too long.")


def verdict_for(how: str, said: Any) -> tuple[str, str]:
    """The verdict on an answer, and what the model reads of it."""
    model = ScriptedModel(replies=["an answer"])
    graph = create_reflection_graph(actor=model, verifier=HumanVerifier(), max_attempts=1, checkpointer=InMemorySaver())
    resumed(how, graph, dict(TASK))
    result = resumed(how, graph, Command(resume=said))
    return result["verdict"], result["attempts"][0]["feedback"]


@pytest.mark.parametrize(
    ("odd", "wrong"),
    [
        ({"passed": True, "score": 7}, "score: it should be less than or equal to 1, not 7. "),
        ('{"passed": true, "score": 7}', "score: it should be less than or equal to 1, not 7. "),
        ({"passed": "yes"}, 'passed: write true or false, not "yes". '),
        ({"feedback": "Nice."}, "passed: this field is missing. "),
        (1, ""),
    ],
)
def test_what_is_wrong_with_an_object_is_named_when_it_is_asked_again(how: str, odd: Any, wrong: str) -> None:
    model = ScriptedModel(replies=["an answer"])
    graph = create_reflection_graph(actor=model, verifier=HumanVerifier(), checkpointer=InMemorySaver())
    resumed(how, graph, dict(TASK))
    for _ in range(2):
        problem = resumed(how, graph, Command(resume=odd))["__interrupt__"][0].value["problem"]
        assert problem.startswith(f"{wrong}Resume with true, false")


@pytest.mark.parametrize(
    "odd", [1, "", "  ", [], {"passed": "yes"}, {"feedback": "Nice."}, {"passed": True, "score": 7}]
)
def test_what_says_neither_is_asked_again(how: str, odd: Any) -> None:
    model = ScriptedModel(replies=["an answer"])
    graph = create_reflection_graph(actor=model, verifier=HumanVerifier(), checkpointer=InMemorySaver())
    first = resumed(how, graph, dict(TASK))["__interrupt__"][0].value
    again = resumed(how, graph, Command(resume=odd))["__interrupt__"][0].value
    assert again == {**first, "problem": again["problem"]}
    assert "passed" in again["problem"]
    result = resumed(how, graph, Command(resume=True))
    assert (result["verdict"], len(result["attempts"])) == ("passed", 1)


class Wrapped(FormattedVerifier):
    """Asks the user about answers that are long enough."""

    def __call__(self, task: str, answer: str, /) -> Any:
        """Judge an answer."""
        return HumanVerifier()(task, answer) if len(answer) > 3 else Verdict("failed", "too short")


@all_modes
def test_without_a_checkpointer_a_run_ends_before_the_model_is_asked(how: str, mode: Mode) -> None:
    script = mode.script(ANSWERS, verifier=HumanVerifier())
    graph = script.graph()
    with pytest.raises(MissingCheckpointerError, match="a verifier that asks nobody"):
        asyncio.run(graph.ainvoke(dict(TASK))) if how == "async" else graph.invoke(dict(TASK))
    assert script.actor.requests == []


def asking(task: str, answer: str) -> Verdict:
    """Ask by LangGraph's own means."""
    if len(answer) < 4:
        return Verdict("failed", "too short")
    return Verdict("passed") if interrupt(answer) else Verdict("failed")


@pytest.mark.parametrize("verifier", [Wrapped(), asking], ids=["by HumanVerifier", "by interrupt"])
def test_a_verifier_that_asks_the_user_at_times_needs_a_checkpointer_when_it_does(how: str, verifier: Any) -> None:
    options: dict[str, Any] = {"verifier": verifier, "max_attempts": 2}
    graph = create_reflection_graph(actor=ScriptedModel(replies=["1", "2"]), **options)
    assert [attempt["verdict"] for attempt in resumed(how, graph, dict(TASK))["attempts"]] == ["failed", "failed"]
    graph = create_reflection_graph(actor=ScriptedModel(replies=["1", "long"]), **options)
    with pytest.raises(MissingCheckpointerError):
        resumed(how, graph, dict(TASK))
    graph = create_reflection_graph(actor=ScriptedModel(replies=["1", "long"]), checkpointer=InMemorySaver(), **options)
    assert resumed(how, graph, dict(TASK))["__interrupt__"]
    assert resumed(how, graph, Command(resume=True))["verdict"] == "passed"


@pytest.mark.parametrize("kept", [True, False], ids=["with a checkpointer", "without"])
@pytest.mark.parametrize("as_node", [True, False], ids=["a node", "called in a node"])
def test_a_graph_inside_another_asks_where_that_one_has_a_checkpointer(how: str, as_node: bool, kept: bool) -> None:
    model = ScriptedModel(replies=[RIGHT, RIGHT])
    inner = create_reflection_graph(actor=model, verifier=HumanVerifier())

    def called(state: Any) -> Any:
        return {"verdict": inner.invoke({"task": state["task"]})["verdict"]}

    outer = StateGraph(Outer).add_node("inner", inner if as_node else called).add_edge(START, "inner")
    graph = outer.compile(checkpointer=InMemorySaver() if kept else None)
    if kept:
        assert resumed(how, graph, dict(TASK))["__interrupt__"]
        assert resumed(how, graph, Command(resume=True))["verdict"] == "passed"
        return
    with pytest.raises(MissingCheckpointerError):
        resumed(how, graph, dict(TASK))
    assert model.requests == []


@pytest.mark.parametrize("kept", [True, False], ids=["with a checkpointer", "without"])
def test_an_agent_asks_where_it_has_a_checkpointer(kept: bool) -> None:
    model = ScriptedModel(replies=["done"])
    checkpointer = InMemorySaver() if kept else None
    agent = create_agent(model, [], middleware=[VerifyMiddleware(HumanVerifier())], checkpointer=checkpointer)
    given: Any = {"messages": [("user", "hello")]}
    if kept:
        assert agent.invoke(given, THREAD)["__interrupt__"]
        return
    with pytest.raises(MissingCheckpointerError):
        agent.invoke(given, THREAD)
    assert model.requests == []


@pytest.mark.parametrize("kept", [True, False], ids=["with a checkpointer", "without"])
def test_a_loop_as_a_tool_asks_where_the_loop_around_it_has_a_checkpointer(kept: bool) -> None:
    actor = ScriptedModel(replies=[RIGHT])
    solve = solver_tool(create_reflection_graph(actor=actor, verifier=HumanVerifier()))
    replies = [planned("solve"), act(solve.name, "it"), done("solved"), replanned(response="end")]
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies),
        [solve],
        interactive=False,
        checkpointer=InMemorySaver() if kept else None,
    )
    if kept:
        assert graph.invoke(dict(GOAL), THREAD)["__interrupt__"]
        return
    with pytest.raises(MissingCheckpointerError):
        graph.invoke(dict(GOAL), THREAD)
    assert actor.requests == []
