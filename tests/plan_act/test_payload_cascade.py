"""Several models in the plan-act loop: a payload that one does not bring is asked of the next."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from support.cascades import small, used_up
from support.plan_act import GOAL, THREAD, TWINS, act, done, echo_tool, no_waiting, plan_step, planned, replanned, twin
from thoughtgraph import Guards, create_plan_act_graph

PLAN = planned(plan_step("Say it", "echo"))
CALL, DONE, END = act("echo", {"text": "hi"}), done("It is said."), replanned(response="Done.")
UNREAD = ["{", "{", "{"]
GONE = [ConnectionError("gone")] * 5


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


def loop(*models: Any, **options: Any) -> Any:
    """The plan-act loop over some models, the cheapest first."""
    return create_plan_act_graph(list(models), [echo_tool()], interactive=False, **options)


def large(*replies: Any) -> Any:
    """The last model."""
    return small(*replies, name="large")


def models_of(result: dict[str, Any]) -> list[str]:
    """The model of each reply that was read."""
    thoughts = [event["data"] for event in result["events"] if event["kind"] == "thought"]
    return [data["model"] for data in thoughts if not data["feedback"]]


def test_a_payload_that_nobody_could_read_is_asked_of_the_next_model(invoke: Any) -> None:
    first, last = small(PLAN, *UNREAD, DONE, END), large(CALL)
    result = invoke(loop(first, last), dict(GOAL))
    # The next payload is the first model's again.
    assert models_of(result) == ["small", "large", "small", "small"]
    assert (result["response"], result["stop_reason"]["kind"]) == ("Done.", "goal_met")
    assert last.requests[0] == first.requests[1], "the next model sees what the first was asked"
    assert used_up(first, last)


def test_a_round_that_the_last_model_could_read_is_no_unreadable_one(invoke: Any) -> None:
    first, last = small(PLAN, *UNREAD * 3), large(CALL, DONE, END)
    result = invoke(loop(first, last), dict(GOAL))
    assert result["stop_reason"]["kind"] == "goal_met"
    assert result["steps"] == invoke(loop(small(PLAN, CALL, DONE, END)), dict(GOAL))["steps"]


def test_rounds_that_no_model_could_bring_end_the_run(invoke: Any) -> None:
    first, last = small(*UNREAD * 9), large(*UNREAD * 9)
    result = invoke(loop(first, last), dict(GOAL))
    assert result["stop_reason"]["kind"] == "planner_unavailable"
    assert len(first.requests) - len(last.requests) in (0, 1), "the last call, for what can be said, is the first's"


def test_a_model_that_is_gone_is_followed_by_the_next_which_says_so(
    invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    result = invoke(loop(small(*GONE * 4), large(PLAN, CALL, DONE, END)), dict(GOAL))
    assert models_of(result) == ["large"] * 4
    thoughts = [event["data"] for event in result["events"] if event["kind"] == "thought"]
    assert all("gone" in data["gone"] for data in thoughts)


def test_a_last_model_that_is_gone_ends_the_run(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    result = invoke(loop(small(PLAN, *UNREAD, "I was stopped."), large(*GONE)), dict(GOAL))
    assert result["stop_reason"]["kind"] == "model_unavailable"


def test_tokens_of_all_models_count(invoke: Any) -> None:
    result = invoke(loop(small(PLAN, *UNREAD, DONE, END), large(CALL)), dict(GOAL))
    assert result["usage"]["total_tokens"] == 7 * 15


def test_a_crash_asks_the_models_of_the_round_again(invoke: Any) -> None:
    first, last = small(PLAN, *UNREAD * 2, DONE, END), large(KeyboardInterrupt(), CALL)
    graph = loop(first, last, checkpointer=InMemorySaver())
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(dict(GOAL), THREAD)
    assert models_of(invoke(graph, None, THREAD)) == ["small", "large", "small", "small"]
    assert used_up(first, last)


def pay(amount: int) -> str:
    """Pay somebody."""
    return f"paid {amount}"


def test_a_call_that_a_check_sent_back_is_asked_of_the_next_model(invoke: Any) -> None:
    paying = StructuredTool.from_function(pay, metadata={"grounded": ["amount"]})
    first = small(planned("pay", "say it"), act("pay", {"amount": 9}), done("It is paid."), END)
    last = large(act("pay", {"amount": 7}), done("7 paid."))
    graph = create_plan_act_graph([first, last], [paying], interactive=False)
    result = invoke(graph, {"goal": "Pay 7, and say so"})
    assert [seen["result"] for seen in result["observations"]] == ["paid 7"]
    assert models_of(result)[:4] == ["small", "small", "large", "large"]
    assert "9 appears nowhere" in str(last.requests[0][-1].content), "it is told what was wrong"
    assert models_of(result)[4:] and set(models_of(result)[4:]) == {"small"}, "the next step is the first model's"


def test_where_the_next_model_is_gone_the_first_is_asked_after_all(
    invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    paying = StructuredTool.from_function(pay, metadata={"grounded": ["amount"]})
    first = small(planned("pay"), act("pay", {"amount": 9}), act("pay", {"amount": 7}), done("7 paid."), END)
    graph = create_plan_act_graph([first, large(*GONE * 4)], [paying], interactive=False)
    assert [seen["result"] for seen in invoke(graph, {"goal": "Pay 7"})["observations"]] == ["paid 7"]


def test_only_a_model_that_takes_a_temperature_is_told_one(invoke: Any) -> None:
    def fail(x: str) -> str:
        """Fail."""
        raise ValueError("no")

    call = act("fail", {"x": "a"})
    first, last = small(planned("a"), call, call, *UNREAD, END), large(done("It failed."))
    last.temperature = None
    graph = create_plan_act_graph(
        [first, last], [StructuredTool.from_function(fail)], interactive=False, guards=Guards(error_threshold=1.0)
    )
    invoke(graph, dict(GOAL))
    assert [options.get("temperature") for options in first.options][3:6] == [0.8] * 3
    assert last.options[0].get("temperature") is None


def test_a_call_that_no_check_sent_back_stays_with_the_first_model(invoke: Any) -> None:
    paying = StructuredTool.from_function(pay, metadata={"grounded": ["amount"]})
    first, last = small(planned("pay"), act("pay", {"amount": 7}), done("7 paid."), END), large()
    result = invoke(create_plan_act_graph([first, last], [paying], interactive=False), {"goal": "Pay 7"})
    assert (result["stop_reason"]["kind"], last.requests) == ("goal_met", [])


@pytest.mark.parametrize(
    ("models", "message"),
    [([], "model is empty"), ([small(), 3], "model has to be a LangChain"), ([twice := small(), twice], "twice")],
    ids=["empty", "no-model", "twice"],
)
def test_what_is_no_cascade_is_refused(models: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_plan_act_graph(models, [], interactive=False)


def test_media_are_shown_only_if_every_model_takes_them() -> None:
    seeing, blind = small(), large()
    seeing.profile = blind.profile = {"image_inputs": True}
    both = loop(seeing, blind).builder.loop.media
    blind.profile = {}
    assert (both, loop(seeing, blind).builder.loop.media) == (frozenset({"image"}), frozenset())
