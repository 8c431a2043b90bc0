"""Tool calls that wait for a person: approved, edited, rejected, or answered in the tool's place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain.agents.middleware.human_in_the_loop import HITLRequest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from pydantic import TypeAdapter
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    Invoke,
    act,
    acts,
    broken_tool,
    counter_tool,
    done,
    echo_tool,
    last_words,
    parallel,
    planned,
    replanned,
    twin,
)
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import ContextGraph, Guards, create_plan_act_graph
from thoughtgraph.errors import MissingCheckpointerError

REPLIES = [planned("say x"), act("echo", "x"), done("said"), replanned(response="end")]
ALL = ["approve", "edit", "reject", "respond"]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def waiting(replies: list[Any], *tools: Any, **options: Any) -> tuple[Any, ScriptedModel]:
    """A loop whose calls of `echo` wait for a person."""
    model = ScriptedModel(replies=list(replies))
    options.setdefault("interrupt_on", {"echo": True})
    options.setdefault("checkpointer", InMemorySaver())
    return create_plan_act_graph(model, list(tools) or [echo_tool()], **options), model


def decide(*decisions: dict[str, Any]) -> Command[Any]:
    return Command(resume={"decisions": list(decisions)})


def asked(result: dict[str, Any]) -> Any:
    return result["__interrupt__"][0].value


def test_the_request_has_the_shape_of_langchains(invoke: Invoke) -> None:
    graph, _ = waiting(REPLIES)
    request = asked(invoke(graph, dict(GOAL), THREAD))
    TypeAdapter(HITLRequest).validate_python(request)
    assert request == {
        "action_requests": [{"name": "echo", "args": {"text": "x"}, "description": "For the step: say x"}],
        "review_configs": [{"action_name": "echo", "allowed_decisions": ALL}],
    }


def test_an_approved_call_is_made(invoke: Invoke) -> None:
    calls: list[str] = []
    graph, _ = waiting(REPLIES, echo_tool(calls))
    invoke(graph, dict(GOAL), THREAD)
    assert calls == []
    result = invoke(graph, decide({"type": "approve"}), THREAD)
    assert (calls, result["response"]) == (["x"], "end")


def test_an_edited_call_is_made_as_edited_and_traced(invoke: Invoke) -> None:
    calls: list[str] = []
    graph, _ = waiting(REPLIES, echo_tool(calls))
    invoke(graph, dict(GOAL), THREAD)
    edited = {"type": "edit", "edited_action": {"name": "echo", "args": {"text": "y"}}}
    result = invoke(graph, decide(edited), THREAD)
    assert calls == ["y"]
    assert result["observations"][0]["input"] == "y"
    approval = next(event["data"] for event in result["events"] if event["data"].get("tool") == "human_review")
    assert approval["input"] == {"tool": "echo", "input": "x"}
    assert json.loads(approval["result"]) == {"type": "edit", "action": {"tool": "echo", "input": "y"}}


@pytest.mark.parametrize(("message", "told"), [("too loud", "too loud"), (None, "unless the user asks for it")])
def test_a_rejected_call_is_not_made_and_the_model_is_told_why(invoke: Invoke, message: Any, told: str) -> None:
    calls: list[str] = []
    graph, model = waiting(REPLIES, echo_tool(calls))
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, decide({"type": "reject", **({"message": message} if message else {})}), THREAD)
    assert calls == [] and told in last_words(model, 2)
    assert [item["status"] for item in result["plan"]] == ["failed"]
    [seen] = [event["data"] for event in result["events"] if event["data"].get("kind_of_failure") == "rejected"]
    assert seen["ok"] is False


def test_a_rejection_is_no_failure_of_the_tool(invoke: Invoke) -> None:
    replies = [planned("a"), *[act("echo", str(n)) for n in range(5)], done("A"), replanned(response="end")]
    graph, _ = waiting(replies)
    invoke(graph, dict(GOAL), THREAD)
    for _ in range(5):
        result = invoke(graph, decide({"type": "reject"}), THREAD)
    assert result["stop_reason"]["kind"] == "steps_failed"


@pytest.mark.parametrize("message", ["too loud", None])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_run_whose_only_call_was_rejected_says_so(invoke: Invoke, message: Any, language: Any) -> None:
    graph, _ = waiting(REPLIES, language=language)
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, decide({"type": "reject", **({"message": message} if message else {})}), THREAD)
    assert text(language, "why.rejected") in result["response"]
    assert text(language, "end.advice_rejected") in result["response"]
    assert text(language, "why.steps_failed", value="") not in result["response"]
    assert (message or "") in result["response"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("others", "advice"),
    [
        ([done("B")], ["end.advice_rejected"]),
        ([act("broken", "x"), done("B")], ["end.advice_failed", "end.advice_rejected"]),
    ],
    ids=["rejected", "and failed"],
)
def test_what_to_do_about_a_rejection_is_said_where_other_steps_are_done(
    invoke: Invoke, others: list[Any], advice: list[str], language: Any
) -> None:
    replies = [planned("a", "b", "c"), act("echo", "x"), *[done("A")] * 2, replanned("b", "c"), *others]
    replies += [*[done("B")] * (len(others) - 1), replanned("c"), act("count", "c"), done("C")]
    replies.append(replanned(response="end"))
    graph, model = waiting(replies, echo_tool(), broken_tool(), counter_tool(), language=language, advice="call us")
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, decide({"type": "reject"}), THREAD)
    assert result["stop_reason"]["kind"] == "partly_done"
    for_user, for_model = text(language, "approve.rejected").split("\n")
    assert f"- a: {for_user}\n" in result["response"]
    assert for_model not in result["response"] and for_model in last_words(model, 2)
    said, *more = [text(language, key) for key in advice]
    told = said + "".join(text(language, "end.or", advice=one) for one in [*more, "call us"])
    assert result["response"].endswith(f"\n{text(language, 'end.next')} {told}")


def test_a_run_in_which_one_step_failed_and_one_was_rejected_advises_for_both(invoke: Invoke) -> None:
    replies = [planned("a", "b"), act("broken", "x"), *[done("A")] * 2, replanned("b"), act("echo", "x")]
    graph, _ = waiting([*replies, *[done("B")] * 2, replanned(response="end")], echo_tool(), broken_tool())
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, decide({"type": "reject"}), THREAD)
    assert result["stop_reason"]["kind"] == "steps_failed"
    for key in ("end.advice_failed", "end.advice_rejected"):
        assert text("en", key) in result["response"]


def test_a_run_that_ends_with_a_failure_after_a_rejection_names_the_failure(invoke: Invoke) -> None:
    replies = [planned("a"), act("echo", "x"), *[act("broken", "x")] * 2, *[done("A")] * 2, replanned(response="end")]
    graph, _ = waiting(replies, echo_tool(), broken_tool())
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, decide({"type": "reject"}), THREAD)
    assert text("en", "why.steps_failed", value="ValueError: this cannot work") in result["response"]
    assert text("en", "why.rejected") not in result["response"]


def test_a_persons_answer_stands_for_the_tools(invoke: Invoke) -> None:
    calls: list[str] = []
    graph, model = waiting(REPLIES, echo_tool(calls))
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, decide({"type": "respond", "message": "I said it myself."}), THREAD)
    assert calls == [] and "I said it myself." in last_words(model, 2)
    assert [(seen["ok"], seen["result"]) for seen in result["observations"]] == [(True, "I said it myself.")]
    assert result["stop_reason"]["kind"] == "goal_met"


def test_of_several_calls_each_has_its_decision(invoke: Invoke) -> None:
    def look(text: str) -> str:
        """Look."""
        return f"saw {text}"

    replies = [planned("a"), acts(("echo", "a"), ("look", "b"), ("echo", "c")), done("A"), replanned(response="end")]
    graph, _ = waiting(replies, parallel(echo_tool()), parallel(look))
    request = asked(invoke(graph, dict(GOAL), THREAD))
    assert [one["args"] for one in request["action_requests"]] == [{"text": "a"}, {"text": "c"}]
    assert len(request["review_configs"]) == 1
    result = invoke(graph, decide({"type": "reject", "message": "no"}, {"type": "approve"}), THREAD)
    seen = [(seen["ok"], seen["result"].rpartition(": ")[2]) for seen in result["observations"]]
    assert seen == [(False, "no"), (True, "saw b"), (True, "echo c")]


@pytest.mark.parametrize("direct", [True, False])
def test_beside_other_calls_an_edited_call_is_one_that_may_stand_there(invoke: Invoke, direct: bool) -> None:
    @tool(return_direct=direct)
    def alone(text: str) -> str:
        """Say the last word."""
        return f"alone {text}"

    def look(text: str) -> str:
        """Look."""
        return f"saw {text}"

    def edit(name: str) -> dict[str, Any]:
        return {"type": "edit", "edited_action": {"name": name, "args": {"text": "z"}}}

    replies = [planned("a"), acts(("echo", "a"), ("echo", "b")), done("A"), replanned(response="end")]
    graph, _ = waiting(replies, parallel(echo_tool()), parallel(look), alone)
    invoke(graph, dict(GOAL), THREAD)
    again = asked(invoke(graph, decide({"type": "approve"}, edit("alone")), THREAD))
    assert "may not be called beside" in again["problem"]
    result = invoke(graph, decide(edit("echo"), edit("look")), THREAD)
    assert [seen["result"] for seen in result["observations"]] == ["echo z", "saw z"]
    assert result["response"] == "end"


def test_a_call_alone_may_be_edited_to_one_that_ends_the_run(invoke: Invoke) -> None:
    @tool(return_direct=True)
    def alone(text: str) -> str:
        """Say the last word."""
        return f"alone {text}"

    graph, _ = waiting(REPLIES[:2], parallel(echo_tool()), alone)
    invoke(graph, dict(GOAL), THREAD)
    edit = {"type": "edit", "edited_action": {"name": "alone", "args": {"text": "z"}}}
    assert invoke(graph, decide(edit), THREAD)["response"] == "alone z"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("yes", 'such as {"decisions": [{"type": "approve"}]}'),
        ({"decisions": []}, "as many decisions as there are calls"),
        ({"decisions": [{"type": "approve"}] * 2}, "as many decisions as there are calls"),
        ({"decisions": [{"type": "respond", "message": "x"}]}, "approve or edit"),
        ({"decisions": [{"type": "edit"}]}, "edited_action"),
        ({"decisions": [{"type": "edit", "edited_action": {"name": "fly", "args": {}}}]}, "There is no tool 'fly'"),
        ({"decisions": [{"type": "edit", "edited_action": {"name": "echo", "args": {"texts": 1}}}]}, "Field required"),
        ({"decisions": ["approve"]}, "approve or edit"),
    ],
)
def test_a_response_that_does_not_fit_is_asked_for_again_and_nothing_is_lost(
    invoke: Invoke, answer: Any, problem: str
) -> None:
    calls: list[str] = []
    graph, _ = waiting(REPLIES, echo_tool(calls), interrupt_on={"echo": {"allowed_decisions": ["approve", "edit"]}})
    invoke(graph, dict(GOAL), THREAD)
    again = asked(invoke(graph, Command(resume=answer), THREAD))
    assert problem in again["problem"] and again["action_requests"][0]["name"] == "echo"
    assert invoke(graph, decide({"type": "approve"}), THREAD)["response"] == "end"
    assert calls == ["x"]


def test_the_user_can_cancel_instead(invoke: Invoke) -> None:
    graph, _ = waiting(REPLIES[:2])
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, Command(resume="cancel"), THREAD)
    assert result["stop_reason"]["kind"] == "cancelled"
    report = ContextGraph.from_run(result).why_stopped()
    assert [event["data"]["result"] for event in report.evidence] == ["cancel"]


def test_a_decision_is_a_persons_and_no_call_of_a_tool(invoke: Invoke) -> None:
    graph, _ = waiting(REPLIES)
    invoke(graph, dict(GOAL), THREAD)
    result = invoke(graph, decide({"type": "reject"}), THREAD)
    trace = ContextGraph.from_run(result)
    prov = json.loads(trace.to_prov())
    assert set(prov["agent"]) >= {"agent:user"} and "tool:human_review" not in prov["agent"]
    assert (trace.metrics().failed_calls, trace.metrics().questions) == (1, 0)


def test_other_tools_do_not_wait_and_a_refused_repeat_is_not_asked_about(invoke: Invoke) -> None:
    replies = [planned("a"), act("broken", "x"), *[act("echo", "x")] * 4, done("A"), replanned(response="end")]
    graph, _ = waiting(replies, echo_tool(), broken_tool())
    result = invoke(graph, dict(GOAL), THREAD)
    for _ in range(3):
        assert asked(result)["action_requests"][0]["name"] == "echo"
        result = invoke(graph, decide({"type": "approve"}), THREAD)
    assert "__interrupt__" not in result
    assert [seen["ok"] for seen in result["observations"]] == [False, True, True, True, False]


def test_a_decision_may_come_in_another_process(tmp_path: Any) -> None:
    calls: list[str] = []
    path = str(tmp_path / "runs.sqlite")
    with SqliteSaver.from_conn_string(path) as saver:
        graph, _ = waiting(REPLIES[:2], echo_tool(calls), checkpointer=saver)
        graph.invoke(dict(GOAL), THREAD)
    with SqliteSaver.from_conn_string(path) as saver:
        graph, _ = waiting(REPLIES[2:], echo_tool(calls), checkpointer=saver)
        assert graph.invoke(decide({"type": "approve"}), THREAD)["response"] == "end"
    assert calls == ["x"]


def say(text: str) -> str:
    """Say a text."""
    SAID.append(text)
    return f"said {text}"


def tell(text: str) -> str:
    """Tell a text."""
    return say(text)


SAID: list[str] = []
RESPOND = {"type": "respond", "message": "told"}


@pytest.mark.parametrize(
    ("decision", "made", "results"),
    [
        ({"type": "approve"}, ["x"], ["said x"]),
        ({"type": "edit", "edited_action": {"name": "say", "args": {"text": "y"}}}, ["y"], ["said y"]),
        ({"type": "reject"}, [], [text("en", "approve.rejected")]),
        (RESPOND, [], ["told"]),
    ],
    ids=["approve", "edit", "reject", "respond"],
)
def test_a_decision_holds_where_the_graph_that_is_resumed_would_not_have_asked(
    invoke: Invoke, decision: dict[str, Any], made: list[str], results: list[str]
) -> None:
    SAID.clear()
    saver = InMemorySaver()
    graph, _ = waiting([planned("say x"), act("say", "x")], say, interrupt_on={"say": True}, checkpointer=saver)
    invoke(graph, dict(GOAL), THREAD)
    later, _ = waiting([*[done("said")] * 2, replanned(response="end")], say, interrupt_on={}, checkpointer=saver)
    # A response that does not fit is asked for again, about the call.
    again = asked(invoke(later, decide(), THREAD))
    assert again["action_requests"] == [{"name": "say", "args": {"text": "x"}, "description": "For the step: say x"}]
    result = invoke(later, decide(decision), THREAD)
    assert (SAID, [seen["result"] for seen in result["observations"]]) == (made, results)


@pytest.mark.parametrize("first", [{"say": True}, {"say": True, "tell": True}], ids=["one", "both"])
@pytest.mark.parametrize("then", [{}, {"say": True, "tell": True}], ids=["none", "both"])
def test_decisions_about_all_calls_of_a_round_hold_where_none_or_all_wait_now(
    invoke: Invoke, first: dict[str, bool], then: dict[str, bool]
) -> None:
    SAID.clear()
    saver, tools = InMemorySaver(), [parallel(say), parallel(tell)]
    replies = [planned("say"), acts(("say", "x"), ("tell", "y")), done("said"), replanned(response="end")]
    graph, _ = waiting(replies[:2], *tools, interrupt_on=first, checkpointer=saver)
    invoke(graph, dict(GOAL), THREAD)
    later, _ = waiting(replies[2:], *tools, interrupt_on=then, checkpointer=saver)
    result = invoke(later, decide({"type": "approve"}, {"type": "reject"}), THREAD)
    assert (SAID, [seen["ok"] for seen in result["observations"]]) == (["x"], [True, False])


@pytest.mark.parametrize(
    "decision",
    [{"type": "edit", "edited_action": {"name": "tell", "args": {"text": "z"}}}, {"type": "reject"}],
    ids=["edit", "reject"],
)
def test_more_decisions_than_calls_that_wait_are_asked_for_again(invoke: Invoke, decision: dict[str, Any]) -> None:
    SAID.clear()
    replies = [planned("say"), acts(("say", "x"), ("tell", "y"))]
    graph, _ = waiting(replies, parallel(say), parallel(tell), interrupt_on={"tell": ["approve", "reject"]})
    invoke(graph, dict(GOAL), THREAD)
    again = asked(invoke(graph, decide(decision, {"type": "approve"}), THREAD))
    assert "as many decisions as there are calls" in again["problem"] and SAID == []


@pytest.mark.parametrize("decision", [{"type": "approve"}, RESPOND], ids=["approve", "respond"])
def test_a_decision_about_a_tool_that_is_gone_does_not_stop_the_run(invoke: Invoke, decision: dict[str, Any]) -> None:
    saver = InMemorySaver()
    graph, _ = waiting([planned("say x"), act("say", "x")], say, interrupt_on={"say": True}, checkpointer=saver)
    invoke(graph, dict(GOAL), THREAD)
    replies = [*[done("said")] * (1 if decision == RESPOND else 2), replanned(response="end")]
    later, _ = waiting(replies, echo_tool(), interrupt_on={}, checkpointer=saver)
    [request] = asked(invoke(later, decide(), THREAD))["action_requests"]
    assert (request["name"], request["args"]) == ("say", {"input": "x"})
    [seen] = invoke(later, decide(decision), THREAD)["observations"]
    told = "told" if decision == RESPOND else "LookupError: there is no tool 'say'"
    assert seen["result"].startswith(told)


def test_approved_calls_of_tools_that_are_gone_fail_beside_each_other(invoke: Invoke) -> None:
    saver, tools = InMemorySaver(), [parallel(say), parallel(tell)]
    gate = {"say": True, "tell": True}
    replies = [planned("say"), acts(("say", "x"), ("tell", "y"))]
    graph, _ = waiting(replies, *tools, interrupt_on=gate, checkpointer=saver)
    invoke(graph, dict(GOAL), THREAD)
    later, _ = waiting([*[done("said")] * 2, replanned(response="end")], interrupt_on={}, checkpointer=saver)
    result = invoke(later, decide({"type": "approve"}, {"type": "approve"}), THREAD)
    assert ["there is no tool" in seen["result"] for seen in result["observations"]] == [True, True]


def test_a_call_that_the_resumed_graph_refuses_as_a_repeat_is_not_made(invoke: Invoke) -> None:
    SAID.clear()
    saver, gate = InMemorySaver(), {"say": True}
    graph, _ = waiting([planned("say x"), *[act("say", "x")] * 3], say, interrupt_on=gate, checkpointer=saver)
    invoke(graph, dict(GOAL), THREAD)
    for _ in range(2):
        invoke(graph, decide({"type": "approve"}), THREAD)
    replies = [done("said"), replanned(response="end")]
    guards = Guards(duplicate_threshold=2)
    later, _ = waiting(replies, say, interrupt_on=gate, checkpointer=saver, guards=guards)
    result = invoke(later, decide({"type": "approve"}), THREAD)
    assert (SAID, [seen["ok"] for seen in result["observations"]]) == (["x", "x"], [True, True, False])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"fly": True}, "interrupt_on names no tool of the loop: fly"),
        ({"echo": ["maybe"]}, "has to be True, or some of approve, edit, reject, respond"),
        ({"echo": []}, "has to be True"),
        ({"echo": "approve"}, "has to be True"),
        ({"echo": {"allowed": ["approve"]}}, "takes allowed_decisions and description, got allowed"),
        ({"echo": {"allowed_decisions": ["approve"], "when": bool}}, "got when"),
        ({"echo": {"allowed_decisions": ["approve"], "description": 5}}, "description is a text or a function, got 5"),
        ({"echo": None}, "has to be True"),
        (["echo"], "maps names of tools to decisions, as {'echo': True} does, got"),
        (True, "as {'send_mail': True} does, got True"),
    ],
)
def test_what_names_no_tool_or_decision_is_refused_when_the_graph_is_built(given: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        waiting([], interrupt_on=given)


def test_the_person_is_told_what_the_program_says_of_a_call(invoke: Invoke) -> None:
    def told(call: Any, state: Any, runtime: Any) -> str:
        return f"{call['name']} {call['args']['text']} for {state['goal']} by {runtime.context}"

    for description, shown in (("Look.", "Look."), (told, "echo x for Get it done by eva"), ("", "say x")):
        config = {"allowed_decisions": ["approve"], "description": description}
        graph, _ = waiting(REPLIES, interrupt_on={"echo": config})
        request = asked(invoke(graph, GOAL, THREAD, context="eva"))
        assert shown in TypeAdapter(HITLRequest).validate_python(request)["action_requests"][0]["description"]
        assert invoke(graph, decide({"type": "approve"}), THREAD, context="eva")["response"] == "end"


@pytest.mark.parametrize(
    ("interactive", "instead"), [(False, "or no interrupt_on"), (True, "interactive=False, .* and no")]
)
def test_approval_needs_a_checkpointer(interactive: bool, instead: str) -> None:
    with pytest.raises(MissingCheckpointerError, match=instead):
        waiting([], interactive=interactive, checkpointer=None)


def test_calls_that_never_wait_need_no_checkpointer() -> None:
    waiting([], interrupt_on={"echo": False}, interactive=False, checkpointer=None)


def test_a_tool_set_to_false_does_not_wait(invoke: Invoke) -> None:
    graph, _ = waiting(REPLIES, interrupt_on={"echo": False})
    assert invoke(graph, dict(GOAL), THREAD)["response"] == "end"


@pytest.mark.parametrize("changed", [False, True])
def test_a_call_whose_text_a_changed_tool_cannot_take_is_not_made_without_it(invoke: Invoke, changed: bool) -> None:
    sent: list[str] = []

    def send(to: str = "everyone") -> str:
        """Send it."""
        sent.append(to)
        return f"sent to {to}"

    def send_later(to: str = "everyone", at: str = "now") -> str:
        """Send it."""
        return send(to)

    settings: Any = {"checkpointer": InMemorySaver(), "interrupt_on": {"send": True}}
    said = "It could not be sent." if changed else "Sent to Eva."
    invoke(waiting([planned("send it"), act("send", "Eva")], tool("send")(send), **settings)[0], GOAL, THREAD)
    script = [*[done(said)] * (1 + changed), replanned(response=said)]
    resumed, _ = waiting(script, tool("send")(send_later if changed else send), **settings)
    run = invoke(resumed, decide({"type": "approve"}), THREAD)
    assert sent == ([] if changed else ["Eva"])
    assert run["observations"][0]["ok"] is not changed
    assert ("send takes no plain text" in run["observations"][0]["result"]) is changed
