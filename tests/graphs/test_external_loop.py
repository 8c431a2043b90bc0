"""The External-Loop graph: its edges in both directions, its outcome, its trace, and its life as a LangGraph."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import networkx
import pytest
from langchain_core.exceptions import ModelInvalidRequestError
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel, ValidationError
from support.scripted import ScriptedModel, code, lint_order
from support.waits import no_waits
from thoughtgraph import ContextGraph, PythonTests, Verdict, create_reflection_graph
from thoughtgraph.errors import ModelUnavailableError, VerifierContractError

TASK = {"task": "Write `double(x)`, which doubles a number."}
TESTS = PythonTests("assert double(2) == 4\nassert double(0) == 0\nassert double(3) == 6")
GOOD = code("def double(x):\n    return x * 2")
HALF = code("def double(x):\n    return x * 2 if x < 3 else 7")
ZERO = code("def double(x):\n    return 0")
BAD = code("def double(x):\n    return x - 9")
WORSE = code("def double(x):\n    return 'no'")


@pytest.fixture(params=["sync", "async"])
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    if request.param == "sync":
        return lambda graph, *args: graph.invoke(*args)
    return lambda graph, *args: asyncio.run(graph.ainvoke(*args))


def solve(
    invoke: Any, replies: list[Any], verifier: Any = TESTS, **options: Any
) -> tuple[dict[str, Any], ScriptedModel]:
    """Run the loop over scripted replies."""
    model = ScriptedModel(replies=replies)
    graph = create_reflection_graph("external_loop", actor=model, verifier=verifier, **options)
    result = invoke(graph, dict(TASK))
    assert len(model.requests) == len(replies), "the loop asked for fewer replies than scripted"
    lint_order(model.requests)
    return result, model


def test_a_first_answer_that_passes_ends_the_run(invoke: Any) -> None:
    result, _ = solve(invoke, [GOOD])
    assert result["verdict"] == "passed"
    assert result["stop_reason"] == {"kind": "passed", "value": 1, "limit": None}
    assert result["answer"] == "def double(x):\n    return x * 2"
    assert [attempt["strategy"] for attempt in result["attempts"]] == ["first"]


def test_feedback_of_a_failed_answer_reaches_the_actor(invoke: Any) -> None:
    result, model = solve(invoke, [HALF, GOOD], strategies=["repair"])
    assert result["verdict"] == "passed"
    assert [attempt["score"] for attempt in result["attempts"]] == [pytest.approx(2 / 3), 1.0]
    first, second = model.requests
    assert second[: len(first)] == first, "the second request does not start with the first"
    assert second[2].content == HALF
    assert "`assert double(3) == 6`: expected 6, got 7" in second[3].content


def test_a_strategy_is_kept_while_it_gains_and_left_when_it_does_not(invoke: Any) -> None:
    result, _ = solve(invoke, [BAD, ZERO, HALF, WORSE, GOOD], strategies=["repair", "fresh"], max_attempts=5)
    strategies = [attempt["strategy"] for attempt in result["attempts"]]
    assert strategies == ["first", "repair", "repair", "repair", "fresh"]


def test_a_fresh_attempt_is_hotter_and_says_nothing_of_earlier_ones(invoke: Any) -> None:
    _, model = solve(invoke, [BAD, GOOD], strategies=["fresh"])
    assert model.requests[1] == model.requests[0]
    assert model.options == [{}, {"temperature": 0.8, "seed": 1}]


def test_attempts_have_seeds_far_from_those_of_other_runs(invoke: Any) -> None:
    model = ScriptedModel(replies=[BAD, ZERO, GOOD], seed=70)
    invoke(create_reflection_graph(actor=model, verifier=TESTS, strategies=["fresh"]), dict(TASK))
    first, second, third = [options.get("seed") for options in model.options]
    assert first is None and third == second + 1
    assert not {second, third} & set(range(60, 80)), "runs with the next seeds would have the same samples"


def test_a_model_whose_temperature_was_left_alone_is_not_told_one(invoke: Any) -> None:
    model = ScriptedModel(replies=[BAD, GOOD], temperature=None)
    invoke(create_reflection_graph(actor=model, verifier=TESTS), dict(TASK))
    assert model.options == [{}, {"seed": 1}]


def test_a_bound_temperature_counts_as_the_models_own(invoke: Any) -> None:
    model = ScriptedModel(replies=[BAD, GOOD], temperature=None)
    invoke(create_reflection_graph(actor=model.bind(temperature=0.1), verifier=TESTS), dict(TASK))
    assert [options["temperature"] for options in model.options] == [0.1, 0.8]


def test_a_lesson_names_the_failure_without_showing_the_code(invoke: Any) -> None:
    _, model = solve(invoke, [HALF, GOOD], strategies=["lesson"])
    prompt = str(model.requests[1][-1].content)
    assert len(model.requests[1]) == 2
    assert "expected 6, got 7" in prompt
    assert "x < 3" not in prompt


def test_a_repeated_answer_is_not_verified_again_and_changes_the_strategy(invoke: Any) -> None:
    seen: list[str] = []

    def verifier(task: str, answer: str) -> Verdict:
        seen.append(answer)
        return Verdict("passed") if answer == "three" else Verdict("failed", "no")

    result, _ = solve(invoke, ["one", " one\n", "three"], verifier, strategies=["repair", "fresh"])
    assert seen == ["one", "three"]
    assert [attempt["repeats"] for attempt in result["attempts"]] == [None, 1, None]
    assert [attempt["strategy"] for attempt in result["attempts"]] == ["first", "repair", "fresh"]


def test_an_answer_that_differs_by_a_blank_line_is_verified(invoke: Any) -> None:
    one, two = (code(f'def text():\n    return """a{gap}b"""') for gap in ("\n", "\n\n"))
    result, _ = solve(invoke, [one, two], PythonTests("assert text() == 'a\\n\\nb'"), max_attempts=2)
    assert [attempt["repeats"] for attempt in result["attempts"]] == [None, None]
    assert result["verdict"] == "passed"


def test_answers_that_only_repeat_end_the_run(invoke: Any) -> None:
    result, _ = solve(invoke, [BAD, BAD, BAD], max_attempts=9)
    assert result["stop_reason"] == {"kind": "repeated_answer", "value": 2, "limit": 2}
    assert result["verdict"] == "failed"


def test_attempts_without_a_better_score_end_the_run(invoke: Any) -> None:
    replies = [code(f"def double(x):\n    return x - {number}") for number in range(9, 14)]
    result, _ = solve(invoke, replies, max_attempts=50)
    assert result["stop_reason"] == {"kind": "no_improvement", "value": 4, "limit": 4}


def test_the_limit_of_attempts_ends_the_run_with_the_best_answer(invoke: Any) -> None:
    result, _ = solve(invoke, [ZERO, HALF, WORSE], max_attempts=3)
    assert result["stop_reason"] == {"kind": "max_iterations", "value": 3, "limit": 3}
    assert "x < 3" in result["answer"]
    assert result["verdict"] == "failed"


def test_of_two_equal_attempts_the_earlier_is_kept(invoke: Any) -> None:
    result, _ = solve(invoke, [ZERO, code("def double(x):\n    return x * 0")], max_attempts=2)
    assert result["answer"].endswith("return 0")


def test_without_a_verifier_the_answer_is_unverified(invoke: Any) -> None:
    result, _ = solve(invoke, ["It is 4."], None)
    assert (result["answer"], result["verdict"]) == ("It is 4.", "unverified")
    assert result["stop_reason"]["kind"] == "unverified"


def test_what_a_verifier_cannot_judge_is_unverified_and_says_why(invoke: Any) -> None:
    result, _ = solve(invoke, ["4"], lambda task, answer: Verdict("unverified", "no tool for that"))
    assert result["verdict"] == "unverified"
    assert result["stop_reason"]["value"] == "no tool for that"


def test_a_verifier_that_raises_costs_nothing_but_its_verdict(invoke: Any) -> None:
    def verifier(task: str, answer: str) -> Verdict:
        raise RuntimeError("out of order")

    result, _ = solve(invoke, ["4"], verifier)
    assert (result["answer"], result["verdict"]) == ("4", "unverified")
    assert "RuntimeError: out of order" in result["stop_reason"]["value"]


def test_a_verifier_that_breaks_its_contract_is_named(invoke: Any) -> None:
    def looks_good(task: str, answer: str) -> Any:
        return "yes" if answer else True

    with pytest.raises(VerifierContractError, match=r"looks_good returned str \(yes\)"):
        solve(invoke, ["4"], looks_good)


def test_an_async_verifier_works_in_both_twins(invoke: Any) -> None:
    async def verifier(task: str, answer: str) -> Verdict:
        await asyncio.sleep(0)
        return Verdict("passed")

    assert solve(invoke, ["4"], verifier)[0]["verdict"] == "passed"


def test_a_reply_without_an_answer_is_asked_once_more_then_is_a_failed_attempt(invoke: Any) -> None:
    result, model = solve(
        invoke, ["I cannot.", "No code, sorry.", GOOD], strategies=["repair", "fresh"], form_repairs=0
    )
    first, second = result["attempts"]
    assert (first["answer"], first["kind"], first["verdict"]) == (None, "no_answer", "failed")
    assert second["strategy"] == "fresh", "a conversation without an answer was continued"
    assert "no code in the reply" in str(model.requests[1][-1].content)
    assert result["verdict"] == "passed"


def test_a_run_in_which_nothing_could_be_read_ends_failed_with_an_empty_answer(invoke: Any) -> None:
    result, _ = solve(invoke, ["no"] * 3, max_attempts=2)
    assert (result["answer"], result["verdict"], result["stop_reason"]["kind"]) == ("", "failed", "max_iterations")


def test_a_cut_off_reply_is_a_failed_attempt_that_asks_for_less(invoke: Any) -> None:
    cut = AIMessage("def do", response_metadata={"finish_reason": "length"})
    result, _ = solve(invoke, [cut, cut, GOOD])
    assert result["attempts"][0]["kind"] == "truncated"
    assert result["verdict"] == "passed"


def test_a_model_that_goes_away_ends_the_run_with_what_was_achieved(invoke: Any) -> None:
    with no_waits():
        result, _ = solve(invoke, [HALF, *[ConnectionError("gone")] * 5])
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert "gone" in result["stop_reason"]["value"]
    assert "x < 3" in result["answer"]


def test_an_error_that_is_not_the_networks_is_raised_at_once(invoke: Any) -> None:
    with pytest.raises(PermissionError, match="bad key"):
        solve(invoke, [PermissionError("bad key")])


def test_usage_is_summed_over_all_attempts(invoke: Any) -> None:
    result, _ = solve(invoke, [BAD, GOOD])
    assert result["usage"] == {"input_tokens": 20, "output_tokens": 10, "total_tokens": 30, "cached_tokens": 0}


def test_the_input_is_left_as_it_was(invoke: Any) -> None:
    given = dict(TASK)
    before = copy.deepcopy(given)
    invoke(create_reflection_graph(actor=ScriptedModel(replies=[GOOD]), verifier=TESTS), given)
    assert given == before


@pytest.mark.parametrize("given", [{}, {"task": ""}, {"task": "  \n"}], ids=["none", "empty", "blank"])
def test_an_empty_task_is_refused_before_the_model_is_asked(invoke: Any, given: dict[str, Any]) -> None:
    model = ScriptedModel(replies=[])
    with pytest.raises(ValueError, match="task is empty"):
        invoke(create_reflection_graph(actor=model), given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "magic"}, "unknown mode 'magic'"),
        ({"max_attempts": 0}, "max_attempts must be at least 1"),
        ({"strategies": ["pray"]}, "strategies are some of"),
        ({"strategies": []}, "strategies are some of"),
        ({"strategies": ["fresh", "escalate"]}, "'escalate' comes with several models as the actor$"),
        ({"strategies": ["repair_form"]}, "'repair_form' comes with form_repairs$"),
        ({"strategies": [["fresh"]]}, r"got \(\['fresh'\],\)$"),
    ],
    ids=["mode", "iterations", "unknown-strategy", "no-strategy", "of-a-cascade", "of-form", "nested"],
)
def test_wrong_options_are_refused_at_build(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_reflection_graph(actor=ScriptedModel(replies=[]), **options)


def test_the_drawn_graph_shows_exactly_the_declared_edges() -> None:
    graph = create_reflection_graph(actor=ScriptedModel(replies=[]), strategies=["repair", "fresh", "lesson"])
    drawn = {(edge.source, edge.target, edge.conditional) for edge in graph.get_graph().edges}
    retries = ("repair", "fresh", "lesson", "repair_form")
    assert drawn == {
        ("__start__", "begin", False),
        ("begin", "attempt", False),
        ("attempt", "verify", True),
        ("attempt", "outcome", True),
        ("verify", "outcome", True),
        ("outcome", "__end__", False),
        *(("attempt", name, True) for name in retries),
        *(("verify", name, True) for name in retries),
        *((name, "attempt", False) for name in retries),
    }


def test_the_budget_of_steps_is_the_loops_own() -> None:
    graph = create_reflection_graph(actor=ScriptedModel(replies=[]), max_attempts=7)
    assert graph.config is not None
    assert graph.config["recursion_limit"] < 100


def test_streaming_tells_of_every_node(invoke: Any) -> None:
    graph = create_reflection_graph(actor=ScriptedModel(replies=[BAD, GOOD]), verifier=TESTS)
    nodes = [next(iter(update)) for update in graph.stream(dict(TASK), stream_mode="updates")]
    assert nodes == ["begin", "attempt", "verify", "fresh", "attempt", "verify", "outcome"]


def test_it_works_as_a_subgraph(invoke: Any) -> None:
    from thoughtgraph.nodes.reflection.state import ReflectionState

    loop = create_reflection_graph(actor=ScriptedModel(replies=[BAD, GOOD]), verifier=TESTS)
    parent = StateGraph(ReflectionState)
    parent.add_node("solve", loop)
    parent.add_edge(START, "solve")
    parent.add_edge("solve", END)
    result = invoke(parent.compile(), dict(TASK))
    assert (result["verdict"], len(result["attempts"])) == ("passed", 2)


def test_a_thread_that_is_used_again_starts_anew(invoke: Any) -> None:
    model = ScriptedModel(replies=[BAD, GOOD, GOOD])
    graph = create_reflection_graph(actor=model, verifier=TESTS, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    first = invoke(graph, dict(TASK), config)
    second = invoke(graph, dict(TASK), config)
    assert (len(first["attempts"]), len(second["attempts"])) == (2, 1)
    assert first["events"][0]["run_id"] != second["events"][0]["run_id"]


def test_a_run_that_crashed_resumes_from_sqlite_without_asking_again(tmp_path: Any) -> None:
    """The verifier's process dies in attempt 2; another one, on the same file, goes on behind the model's reply."""
    config: Any = {"configurable": {"thread_id": "1"}}
    broken = [False, True]

    def verifier(task: str, answer: str) -> Verdict:
        if answer != "first" and broken.pop():
            raise KeyboardInterrupt
        return Verdict("passed") if answer == "second" else Verdict("failed", "no")

    with SqliteSaver.from_conn_string(str(tmp_path / "runs.sqlite")) as saver:
        model = ScriptedModel(replies=["first", "second"])
        graph = create_reflection_graph(actor=model, verifier=verifier, checkpointer=saver)
        with pytest.raises(KeyboardInterrupt):
            graph.invoke(dict(TASK), config)
    with SqliteSaver.from_conn_string(str(tmp_path / "runs.sqlite")) as saver:
        silent = ScriptedModel(replies=[])
        resumed = create_reflection_graph(actor=silent, verifier=verifier, checkpointer=saver)
        result = resumed.invoke(None, config)
    assert (result["verdict"], len(result["attempts"]), silent.requests) == ("passed", 2, [])
    ids = [event["id"] for event in result["events"]]
    assert len(ids) == len(set(ids))
    assert [event["seq"] for event in result["events"]] == list(range(len(ids)))


def test_a_verifier_may_ask_the_user(invoke: Any) -> None:
    def ask(task: str, answer: str) -> Verdict:
        reply = interrupt({"answer": answer})
        return Verdict("passed") if reply == "yes" else Verdict("failed", str(reply))

    model = ScriptedModel(replies=["red", "blue"])
    graph = create_reflection_graph(actor=model, verifier=ask, strategies=["repair"], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    paused = invoke(graph, dict(TASK), config)
    assert paused["__interrupt__"][0].value == {"answer": "red"}
    invoke(graph, Command(resume="too warm"), config)
    result = invoke(graph, Command(resume="yes"), config)
    assert (result["answer"], result["verdict"]) == ("blue", "passed")
    assert "too warm" in str(model.requests[1][-1].content)


class Opinion(BaseModel):
    right: bool


def test_an_answer_of_another_kind_than_a_verifier_asks_for_can_be_given_again(invoke: Any) -> None:
    def ask(task: str, answer: str) -> Verdict:
        return Verdict("passed" if interrupt(answer, response_schema=Opinion).right else "failed")

    graph = create_reflection_graph(
        actor=ScriptedModel(replies=["red"]), verifier=ask, strategies=["repair"], checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "1"}}
    invoke(graph, dict(TASK), config)
    with pytest.raises(ValidationError, match="Opinion"):
        invoke(graph, Command(resume="hello"), config)
    assert graph.get_state(config).interrupts[0].value == "red"
    assert invoke(graph, Command(resume={"right": True}), config)["verdict"] == "passed"


def test_the_state_is_plain_json_for_a_strict_serializer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    saver = InMemorySaver()
    graph = create_reflection_graph(actor=ScriptedModel(replies=[BAD, GOOD]), verifier=TESTS, checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "1"}}
    result = graph.invoke(dict(TASK), config)
    assert graph.get_state(config).values["attempts"] == result["attempts"]


def test_both_twins_leave_the_same_trace() -> None:
    def trace(events: list[dict[str, Any]]) -> list[Any]:
        return [
            (e["seq"], e["kind"], [link["relation"] for link in e["links"]], e["data"].get("reply")) for e in events
        ]

    def loop() -> Any:
        return create_reflection_graph(actor=ScriptedModel(replies=[BAD, "none", GOOD]), verifier=TESTS)

    assert trace(loop().invoke(dict(TASK))["events"]) == trace(asyncio.run(loop().ainvoke(dict(TASK)))["events"])


def test_the_context_graph_says_what_led_to_what(invoke: Any, tmp_path: Any) -> None:
    result, _ = solve(invoke, [HALF, GOOD], strategies=["repair"])
    graph = ContextGraph.from_run(result)
    kinds = [data["kind"] for _, data in graph.nx.nodes(data=True)]
    assert kinds == ["goal", "thought", "attempt", "verdict", "thought", "attempt", "verdict", "outcome"]
    relations = [data["relation"] for _, _, data in graph.nx.edges(data=True)]
    assert relations == ["led_to", "led_to", "failed", "revised", "led_to", "verified", "led_to"]
    failed = next(data for _, _, data in graph.nx.edges(data=True) if data["relation"] == "failed")
    assert "expected 6, got 7" in failed["error"]
    assert ContextGraph.from_run(graph.save(tmp_path / "run.jsonl")).events == graph.events


def test_the_models_error_is_a_thoughtgraph_error() -> None:
    assert issubclass(ModelUnavailableError, ConnectionError)


def test_an_answer_that_differs_in_its_indentation_is_another_answer(invoke: Any) -> None:
    inside = code("def double(x):\n    for n in [x]:\n        x = n * 2\n        return 0\n    return x")
    outside = code("def double(x):\n    for n in [x]:\n        x = n * 2\n    return x\n    return 0")
    dedented = code("def double(x):\n    for n in [x]:\n        x = n * 2\n    return 0\n    return x")
    result, _ = solve(invoke, [inside, dedented, outside], max_attempts=3)
    assert [attempt["repeats"] for attempt in result["attempts"]] == [None, None, None]
    assert result["verdict"] == "passed"


def test_a_refused_request_costs_no_attempt_made_before(invoke: Any) -> None:
    class RefusedError(ModelInvalidRequestError):
        pass

    result, _ = solve(invoke, [HALF, RefusedError("context too long")])
    assert (result["stop_reason"]["kind"], result["verdict"]) == ("model_unavailable", "failed")
    assert "context too long" in str(result["stop_reason"]["value"])
    with pytest.raises(RefusedError):
        solve(invoke, [RefusedError("bad key")])


@pytest.mark.parametrize("verdict", [Verdict("success"), Verdict("failed", score=1.5)], ids=["status", "score"])  # type: ignore[arg-type]
def test_a_verdict_out_of_bounds_is_refused(invoke: Any, verdict: Verdict) -> None:
    with pytest.raises(VerifierContractError, match="not a valid Verdict"):
        solve(invoke, ["4"], lambda task, answer: verdict)


def test_the_trace_of_a_cut_off_reply_hangs_together(invoke: Any) -> None:
    cut = AIMessage("def do", response_metadata={"finish_reason": "length"})
    result, _ = solve(invoke, [cut, GOOD])
    graph = ContextGraph.from_run(result).nx
    assert networkx.number_weakly_connected_components(graph) == 1
