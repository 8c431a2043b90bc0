"""Calls that change something are confirmed by the user where the model was not sure of its reply."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    Invoke,
    act,
    acts,
    ask,
    done,
    last_words,
    planned,
    play,
    replanned,
    twin,
    with_call,
)
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph
from thoughtgraph.models.messages import likelihood_of
from thoughtgraph.nodes.plan_act.guards import Guards

SURE, UNSURE = 0.99, 0.5
ASKING = Guards(confirm_below=0.9)
END = [done("sent"), replanned(response="sent")]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def reply(payload: str, likelihood: float, tokens: int = 4) -> AIMessage:
    """A reply that reports how likely it was."""
    logged = {"content": [{"token": "x", "logprob": math.log(likelihood)}] * tokens}
    return AIMessage(payload, response_metadata={"finish_reason": "stop", "logprobs": logged})


def mail(sent: list[str], **metadata: Any) -> BaseTool:
    """A tool that changes something."""

    @tool
    def send(text: str) -> str:
        """Send a mail."""
        sent.append(text)
        return f"sent {text}"

    send.metadata = {"effects": True, **metadata}
    return send


@pytest.mark.parametrize(
    ("likelihood", "asked"), [(SURE, False), (0.9001, False), (0.8999, True), (UNSURE, True)], ids=str
)
def test_a_call_is_confirmed_where_its_reply_was_less_likely_than_asked_for(
    invoke: Invoke, likelihood: float, asked: bool
) -> None:
    sent: list[str] = []
    replies = [reply(planned("send it"), SURE), reply(act("send", "hello"), likelihood), *END]
    played = play(invoke, replies, [mail(sent)], answers=["yes"] if asked else [], guards=ASKING)
    assert sent == ["hello"]
    assert len(played.shown) == asked
    assert all("send hello" in question for question in played.shown)
    thoughts = [event["data"] for event in played.result["events"] if event["kind"] == "thought"]
    assert [one.get("likelihood") for one in thoughts] == [SURE, round(likelihood, 4), None, None]
    assert played.model.options[1]["logprobs"] is True


def test_a_call_that_comes_with_a_plan_is_confirmed_too(invoke: Invoke) -> None:
    sent: list[str] = []
    replies = [reply(with_call(planned("send it"), "send", "hello"), UNSURE), done("sent")]
    played = play(invoke, replies, [mail(sent)], answers=["Yes, please."], guards=ASKING)
    assert (sent, len(played.shown), played.result["stop_reason"]["kind"]) == (["hello"], 1, "goal_met")


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "Y",
        "Yes, please.",
        "OK!",
        "ＯＫ",
        "sure, go ahead",
        "that's right",
        "do it",
        "对",
        "好的",
        "是的，谢谢",
        "可以。",
    ],
)
def test_a_plain_yes_makes_the_call_without_the_model(invoke: Invoke, answer: str) -> None:
    sent: list[str] = []
    replies = [reply(planned("a"), SURE), reply(act("send", "hello"), UNSURE), *END]
    play(invoke, replies, [mail(sent)], answers=[answer], guards=ASKING)
    assert sent == ["hello"]


@pytest.mark.parametrize(
    "answer",
    [
        "no",
        "not right",
        "yes, but to Tom",
        "hello Tom, not hello",
        "at 5 pm",
        "2",
        "the last one",
        "either",
        "what a match last night!",
        "no, just telling you",
        "thanks",
        "send it to the others first",
        "不对",
        "好像不是",
        "是给汤姆的",
    ],
)
def test_what_is_no_plain_yes_goes_to_the_model_and_nothing_is_done_before(invoke: Invoke, answer: str) -> None:
    sent: list[str] = []
    replies = [
        reply(planned("send it"), SURE),
        reply(act("send", "hello"), UNSURE),
        replanned("send it"),
        reply(act("send", "hello Tom"), UNSURE),
        *END,
    ]
    played = play(invoke, replies, [mail(sent)], answers=[answer], guards=ASKING)
    assert sent == ["hello Tom"], "who was asked once is not asked again"
    assert answer in last_words(played.model, 2)


def test_a_model_that_does_not_say_how_sure_it_is_is_not_sure(invoke: Invoke) -> None:
    sent: list[str] = []
    played = play(
        invoke, [reply(planned("a"), SURE), act("send", "hello"), *END], [mail(sent)], answers=["ok"], guards=ASKING
    )
    assert (sent, len(played.shown)) == (["hello"], 1)


@pytest.mark.parametrize("plan", [UNSURE, None], ids=str)
def test_a_plan_that_the_model_was_not_sure_of_makes_its_calls_unsure(invoke: Invoke, plan: float | None) -> None:
    sent: list[str] = []
    first = planned("send it") if plan is None else reply(planned("send it"), plan)
    replies = [first, reply(act("send", "hello"), SURE), *END]
    played = play(invoke, replies, [mail(sent)], answers=["yes"], guards=ASKING)
    assert (sent, len(played.shown)) == (["hello"], 1)


def test_how_a_step_was_reported_says_nothing_of_the_next_one(invoke: Invoke) -> None:
    sent: list[str] = []
    one, two = (reply(act("send", words), SURE) for words in ("one", "two"))
    told = reply(done("sent"), UNSURE), reply(replanned("send two"), SURE)
    replies = [reply(planned("send one", "send two"), SURE), one, *told, two, *END]
    played = play(invoke, replies, [mail(sent)], guards=ASKING)
    assert (sent, played.shown) == (["one", "two"], [])


def test_what_changes_nothing_is_not_confirmed(invoke: Invoke) -> None:
    sent: list[str] = []
    reads = mail(sent, effects=lambda arguments: arguments["text"] != "a draft")
    told = "This is the draft."
    replies = [
        reply(planned("look"), SURE),
        reply(act("send", "a draft"), UNSURE),
        done(told),
        replanned(response=told),
    ]
    played = play(invoke, replies, [reads], guards=ASKING)
    assert (sent, played.shown) == (["a draft"], [])


def test_whoever_was_asked_about_the_goal_is_not_asked_again(invoke: Invoke) -> None:
    sent: list[str] = []
    replies = [
        reply(planned("a"), SURE),
        ask("To whom?"),
        replanned("a"),
        reply(act("send", "hello Tom"), UNSURE),
        *END,
    ]
    played = play(invoke, replies, [mail(sent)], answers=["to Tom"], guards=ASKING)
    assert (sent, len(played.shown)) == (["hello Tom"], 1)


def test_several_calls_are_one_question_and_come_again_after_it(invoke: Invoke) -> None:
    sent: list[str] = []
    both = acts(("send", "one"), ("send", "two"))
    replies = [reply(planned("a"), SURE), reply(both, UNSURE), replanned("a"), reply(both, UNSURE), *END]
    played = play(invoke, replies, [mail(sent, parallel=True)], answers=["yes"], guards=ASKING)
    assert sorted(sent) == ["one", "two"]
    assert "send one; send two" in played.shown[0]


def test_where_nobody_can_be_asked_the_call_is_made(invoke: Invoke) -> None:
    sent: list[str] = []
    replies = [reply(planned("a"), SURE), reply(act("send", "hello"), UNSURE), *END]
    play(invoke, replies, [mail(sent)], guards=ASKING, interactive=False)
    assert sent == ["hello"]


def test_where_no_question_is_left_the_call_is_made(invoke: Invoke) -> None:
    sent: list[str] = []
    replies = [reply(planned("a"), SURE), reply(act("send", "hello"), UNSURE), *END]
    play(invoke, replies, [mail(sent)], guards=Guards(confirm_below=0.9, max_questions=0))
    assert sent == ["hello"]


def test_what_a_person_approves_anyway_needs_no_confirmation(invoke: Invoke) -> None:
    sent: list[str] = []
    model = ScriptedModel(replies=[reply(planned("a"), SURE), reply(act("send", "hello"), UNSURE), *END])
    saver = InMemorySaver()
    graph = create_plan_act_graph(model, [mail(sent)], guards=ASKING, interrupt_on={"send": True}, checkpointer=saver)
    waits = invoke(graph, dict(GOAL), THREAD)["__interrupt__"][0].value
    assert waits["action_requests"][0]["name"] == "send"
    invoke(graph, Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    assert sent == ["hello"]


def test_a_cancelled_call_is_not_made(invoke: Invoke) -> None:
    sent: list[str] = []
    replies = [reply(planned("a"), SURE), reply(act("send", "hello"), UNSURE)]
    played = play(invoke, replies, [mail(sent)], answers=["cancel"], guards=ASKING)
    assert (sent, played.result["stop_reason"]["kind"]) == ([], "cancelled")


def test_the_pause_is_in_the_checkpoint_and_another_graph_goes_on(invoke: Invoke) -> None:
    sent: list[str] = []
    saver = InMemorySaver()
    first = ScriptedModel(replies=[reply(planned("a"), SURE), reply(act("send", "hello"), UNSURE)])
    graph = create_plan_act_graph(first, [mail(sent)], guards=ASKING, checkpointer=saver)
    assert "send hello" in invoke(graph, dict(GOAL), THREAD)["__interrupt__"][0].value
    later = create_plan_act_graph(ScriptedModel(replies=END), [mail(sent)], guards=ASKING, checkpointer=saver)
    assert invoke(later, Command(resume="yes"), THREAD)["stop_reason"]["kind"] == "goal_met"
    assert sent == ["hello"]


def test_without_the_setting_nothing_is_asked_of_the_model_or_of_the_user(invoke: Invoke) -> None:
    sent: list[str] = []
    played = play(invoke, [reply(planned("a"), SURE), reply(act("send", "hello"), 0.01), *END], [mail(sent)])
    assert (sent, played.shown) == (["hello"], [])
    assert not any("logprobs" in options for options in played.model.options)


def test_two_runs_that_differ_in_how_sure_the_model_was_are_the_same_run(invoke: Invoke) -> None:
    one, other = (
        play(invoke, [reply(planned("a"), SURE), reply(act("send", "hello"), sure), *END], [mail([])], guards=ASKING)
        for sure in (SURE, 0.95)
    )
    assert ContextGraph.from_run(one.result).compare(ContextGraph.from_run(other.result)).position is None


def test_a_model_whose_class_cannot_report_it_is_refused_before_anything_is_spent() -> None:
    model = FakeListChatModel(responses=[])
    with pytest.raises(ValueError, match="confirm_below needs models that report log-probabilities: FakeListChatModel"):
        create_plan_act_graph(model, [mail([])], guards=ASKING, checkpointer=InMemorySaver())


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan, "0.9", True])
def test_a_likelihood_is_a_number_from_0_to_1(wrong: Any) -> None:
    with pytest.raises(ValueError, match="confirm_below"):
        Guards(confirm_below=wrong)


@pytest.mark.parametrize(
    ("reported", "likelihood"),
    [
        ({"content": [{"logprob": 0.0}]}, 1.0),
        ({"content": [{"logprob": math.log(0.5)}, {"logprob": math.log(0.125)}]}, 0.25),
        ({"content": []}, None),
        ({"content": None}, None),
        (None, None),
        ("high", None),
        ({"content": [{"logprob": None}, 3, {"logprob": math.log(0.25)}]}, 0.25),
        ({"content": [{"logprob": "much"}]}, None),
        ({"content": [{"logprob": math.nan}]}, None),
    ],
    ids=repr,
)
def test_a_likelihood_is_read_from_what_a_server_reports_whatever_that_is(
    reported: Any, likelihood: float | None
) -> None:
    found = likelihood_of(AIMessage("x", response_metadata={"logprobs": reported}))
    assert found == (None if likelihood is None else pytest.approx(likelihood))


@given(st.lists(st.floats(max_value=0, allow_nan=False) | st.just(-math.inf), min_size=1))
def test_a_likelihood_is_between_0_and_1_and_no_more_than_its_likeliest_token(logged: list[float]) -> None:
    tokens = [{"logprob": one} for one in logged]
    found = likelihood_of(AIMessage("x", response_metadata={"logprobs": {"content": tokens}}))
    assert found is not None
    assert 0 <= found <= math.exp(max(logged)) + 1e-9
