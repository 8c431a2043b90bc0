"""An answer that failed on its form goes back to the model; one that failed on its substance is tried anew."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, ConfigDict
from support.cascades import cascade, small, used_up
from support.modes import (
    ACTOR_CRITIC,
    EXTERNAL_LOOP,
    REFLEXION,
    RIGHT,
    TASK,
    THREAD,
    Judge,
    Mode,
    comparable,
    critic_for,
    judging_modes,
    reflection,
    retrying_modes,
    wrong,
)
from support.plan_act import TWINS, no_waiting, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_reflection_graph
from thoughtgraph.errors import VerifierContractError
from thoughtgraph.nodes.reflection_defaults import DEFAULT_FORM_REPAIRS
from thoughtgraph.tools.verifiers import JSONSchemaVerifier
from thoughtgraph.traces import run_metrics, summarize

SHAPELESS = "shapeless"
ROUTED = {
    "external_loop": {"attempt", "verify"},
    "reflexion": {"attempt", "verify", "evaluate", "reflect"},
    "actor_critic": {"attempt", "verify", "critique"},
    "second_thoughts": {"attempt", "ponder"},
}


class FormJudge(Judge):
    """A `Judge` that says of every failure what it was about."""

    def __call__(self, task: str, answer: str) -> Verdict:
        """Judge an answer; those that begin with `shapeless` lack their form."""
        if answer.startswith(SHAPELESS):
            self.seen.append(answer)
            return Verdict("failed", f"<{answer}> has no form", 0.0, "odd", failed_on="form")
        verdict = super().__call__(task, answer)
        return verdict if verdict.status == "passed" else Verdict("failed", verdict.feedback, failed_on="substance")


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


def loop(mode: Mode, *replies: Any, critic: list[Any] | None = None, **options: Any) -> tuple[Any, ScriptedModel]:
    """The mode over a scripted actor, with form repairs on, and the actor."""
    actor = ScriptedModel(replies=list(replies))
    settings: dict[str, Any] = {"max_attempts": 6, "form_repairs": 1, "verifier": FormJudge(), **options}
    reviewer = ScriptedModel(replies=critic or [])
    return create_reflection_graph(mode.name, actor=actor, critic=critic_for(mode.name, reviewer), **settings), actor


class Forgetful(JSONSchemaVerifier):
    """A verifier that cannot say which parts to ask for again."""

    def patch_words(self, answer: str, /) -> str:
        """Break."""
        raise RuntimeError("oops")


def test_where_the_parts_cannot_be_named_the_whole_is_asked_for(invoke: Any) -> None:
    model = ScriptedModel(replies=['{"name": 1, "beds": 2}', '{"name": "a", "beds": 2}'])
    graph = create_reflection_graph(actor=model, verifier=Forgetful({"properties": {"name": {"type": "string"}}}))
    result = invoke(graph, dict(TASK))
    assert (result["verdict"], ways(result)) == ("passed", ["first", "repair_form"])
    assert "are written already" not in str(model.requests[1][-1].content)


def ways(result: dict[str, Any]) -> list[str]:
    """How each attempt was asked for."""
    return [attempt["strategy"] for attempt in result["attempts"]]


@retrying_modes
def test_a_failure_of_form_goes_back_with_its_feedback_and_without_the_answer(invoke: Any, mode: Mode) -> None:
    graph, actor = loop(mode, SHAPELESS, RIGHT)
    result = invoke(graph, dict(TASK))
    assert (ways(result), result["verdict"]) == (["first", "repair_form"], "passed")
    (system, first), (same, second) = actor.requests
    assert same == system
    assert str(second.content).startswith(str(first.content)), "a server's cache keeps the task"
    assert f"- <{SHAPELESS}> has no form" in str(second.content)
    assert actor.options[1] == actor.options[0], "a repair is no sample of a higher temperature"
    # Neither a reflection nor a critique comes in between.
    assert [event["kind"] for event in result["events"]][1:7] == ["thought", "attempt", "verdict"] * 2


def noted(actor: ScriptedModel) -> list[list[str]]:
    """Of each request, what was said about the form of earlier answers."""
    asked = ["\n".join(str(message.content) for message in request) for request in actor.requests]
    return [[line for line in text.splitlines() if line.startswith("- <")] for text in asked]


def test_what_was_wrong_with_the_form_is_told_to_later_samples_too(invoke: Any) -> None:
    answers = ["shapeless a", "shapeless b", wrong(0.1), "shapeless c", wrong(0.2), "shapeless d", wrong(0.3), RIGHT]
    graph, actor = loop(EXTERNAL_LOOP, *answers, max_attempts=8, patience=8)
    assert invoke(graph, dict(TASK))["verdict"] == "passed"
    notes = [f"- <shapeless {letter}> has no form" for letter in "abcd"]
    assert noted(actor)[:4] == [[], notes[:1], notes[:2], notes[:2]]
    assert noted(actor)[-1] == notes[1:], "the latest three"


def test_what_is_said_twice_is_told_once(invoke: Any) -> None:
    graph, actor = loop(EXTERNAL_LOOP, "shapeless a", "shapeless b", RIGHT, verifier=Scored())
    assert invoke(graph, dict(TASK))["verdict"] == "passed"
    assert str(actor.requests[2]).count("- no form") == 1


def test_a_larger_model_is_told_what_was_wrong_with_the_form(invoke: Any) -> None:
    last = EXTERNAL_LOOP.script([RIGHT], verifier=FormJudge())
    graph = cascade([small(SHAPELESS, SHAPELESS)], last, form_repairs=1)
    assert ways(invoke(graph, dict(TASK))) == ["first", "repair_form", "escalate"]
    assert noted(last.actor) == [[f"- <{SHAPELESS}> has no form"]]


def test_where_form_is_not_repaired_a_fresh_sample_is_told_nothing(invoke: Any) -> None:
    graph, actor = loop(EXTERNAL_LOOP, SHAPELESS, RIGHT, form_repairs=0)
    assert invoke(graph, dict(TASK))["verdict"] == "passed"
    assert actor.requests[1] == actor.requests[0]


@retrying_modes
def test_a_failure_of_substance_goes_to_the_strategies(invoke: Any, mode: Mode) -> None:
    script = mode.script([wrong(0.1), RIGHT], verifier=FormJudge())
    result = script.run(invoke, form_repairs=1)
    assert "repair_form" not in ways(result)
    assert [attempt.get("failed_on") for attempt in result["attempts"]] == ["substance", None]


@retrying_modes
def test_a_failure_of_which_nothing_is_known_counts_as_one_of_substance(invoke: Any, mode: Mode) -> None:
    result = mode.script([wrong(0.1), RIGHT]).run(invoke, form_repairs=1)
    assert "repair_form" not in ways(result)
    assert "failed_on" not in result["attempts"][0]


@retrying_modes
def test_a_reply_that_cannot_be_read_failed_on_its_form(invoke: Any, mode: Mode) -> None:
    graph, actor = loop(mode, "", "", RIGHT)
    result = invoke(graph, dict(TASK))
    assert (ways(result), result["verdict"]) == (["first", "repair_form"], "passed")
    assert (result["attempts"][0]["failed_on"], result["attempts"][0]["kind"]) == ("form", "no_answer")
    assert "Your reply was empty" in str(actor.requests[-1][-1].content)


def test_a_repair_of_form_has_one_try(invoke: Any) -> None:
    graph, actor = loop(EXTERNAL_LOOP, SHAPELESS, "", RIGHT)
    assert ways(invoke(graph, dict(TASK))) == ["first", "repair_form", "fresh"]
    assert used_up(actor)


def test_a_reply_that_was_cut_off_says_nothing_of_its_form(invoke: Any) -> None:
    cut = AIMessage("right or", response_metadata={"finish_reason": "length"})
    graph, _ = loop(EXTERNAL_LOOP, cut, cut, RIGHT)
    result = invoke(graph, dict(TASK))
    assert ways(result) == ["first", "fresh"]
    assert "failed_on" not in result["attempts"][0]


@retrying_modes
@pytest.mark.parametrize("repairs", [0, 1, 2])
def test_form_is_repaired_so_often_in_a_row_and_no_more(invoke: Any, mode: Mode, repairs: int) -> None:
    odd = [f"{SHAPELESS} {number}" for number in range(3)]
    noted = [reflection(repairs + 1)] if mode is REFLEXION else []
    critic = ["[Critique]\nOdd.\n[Score]\n1\n[Verdict]\nREVISE"] if mode is ACTOR_CRITIC else []
    graph, actor = loop(mode, *odd[: repairs + 1], *noted, RIGHT, critic=critic, form_repairs=repairs)
    result = invoke(graph, dict(TASK))
    taken = ways(result)
    assert taken[: repairs + 1] == ["first", *["repair_form"] * repairs]
    assert taken[repairs + 1] in ("fresh", "lesson", "repair")
    assert used_up(actor)


def test_each_new_sample_may_have_its_form_repaired(invoke: Any) -> None:
    graph, _ = loop(EXTERNAL_LOOP, "shapeless a", "shapeless b", "shapeless c", RIGHT)
    assert ways(invoke(graph, dict(TASK))) == ["first", "repair_form", "fresh", "repair_form"]


def test_the_strategy_stays_what_it_was_where_a_repair_of_form_made_the_answer_better(invoke: Any) -> None:
    answers = [wrong(0.1), SHAPELESS, wrong(0.3), RIGHT]
    graph, _ = loop(EXTERNAL_LOOP, *answers, strategies=["repair", "fresh"], verifier=Scored())
    assert ways(invoke(graph, dict(TASK))) == ["first", "repair", "repair_form", "repair"]


def test_the_strategy_changes_where_a_repair_of_form_brought_nothing(invoke: Any) -> None:
    answers = [wrong(0.3), SHAPELESS, wrong(0.1), RIGHT]
    graph, _ = loop(EXTERNAL_LOOP, *answers, strategies=["repair", "fresh"], verifier=Scored())
    assert ways(invoke(graph, dict(TASK))) == ["first", "repair", "repair_form", "fresh"]


class Scored(Judge):
    """A `Judge` of which only what is `shapeless` fails on its form."""

    def __call__(self, task: str, answer: str) -> Verdict:
        """Judge an answer."""
        if answer.startswith(SHAPELESS):
            return Verdict("failed", "no form", 0.0, failed_on="form")
        return super().__call__(task, answer)


def test_the_same_shapeless_answer_again_is_not_judged_again_and_ends_the_repairs(invoke: Any) -> None:
    judge = FormJudge()
    graph, _ = loop(EXTERNAL_LOOP, SHAPELESS, SHAPELESS, RIGHT, verifier=judge)
    result = invoke(graph, dict(TASK))
    assert ways(result) == ["first", "repair_form", "fresh"]
    assert (result["attempts"][1]["kind"], result["attempts"][1]["failed_on"]) == ("repeated", "form")
    assert judge.seen == [SHAPELESS, RIGHT]


@retrying_modes
def test_limits_hold_for_repairs_too(invoke: Any, mode: Mode) -> None:
    graph, _ = loop(mode, SHAPELESS, max_attempts=1)
    assert invoke(graph, dict(TASK))["stop_reason"]["kind"] == "max_iterations"
    graph, _ = loop(mode, SHAPELESS, max_tokens=15)
    assert invoke(graph, dict(TASK))["stop_reason"]["kind"] == "token_budget"


@judging_modes
def test_what_only_a_model_rejects_is_never_a_failure_of_form(invoke: Any, mode: Mode) -> None:
    result = mode.script([wrong(0.1), RIGHT], verified=False).run(invoke, form_repairs=1)
    assert "repair_form" not in ways(result)


@retrying_modes
def test_a_smaller_model_repairs_its_form_before_the_larger_one_is_asked(invoke: Any, mode: Mode) -> None:
    last = mode.script([RIGHT], verifier=FormJudge())
    first = small(SHAPELESS, wrong(0.1))
    result = invoke(cascade([first], last, form_repairs=1), dict(TASK))
    told = [(attempt["model"], attempt["strategy"]) for attempt in result["attempts"]]
    assert told == [("small", "first"), ("small", "repair_form"), ("ScriptedModel", "escalate")]
    assert used_up(first, last.actor, last.critic)


@retrying_modes
def test_a_repair_of_form_takes_no_attempt_from_a_larger_model(invoke: Any, mode: Mode) -> None:
    last = mode.script([RIGHT], verifier=FormJudge())
    result = invoke(cascade([small(SHAPELESS)], last, form_repairs=1, max_attempts=2), dict(TASK))
    assert ways(result) == ["first", "escalate"]


@retrying_modes
def test_a_model_that_is_gone_during_its_repair_is_followed_by_the_next(
    invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    last = mode.script([RIGHT], verifier=FormJudge())
    result = invoke(cascade([small(SHAPELESS, *[ConnectionError("gone")] * 5)], last, form_repairs=2), dict(TASK))
    assert ways(result) == ["first", "escalate"]
    assert result["verdict"] == "passed"


@retrying_modes
def test_the_trace_and_the_metrics_tell_form_from_substance(mode: Mode) -> None:
    noted = [reflection(2)] if mode is REFLEXION else []
    critic = ["[Critique]\nOdd.\n[Score]\n1\n[Verdict]\nREVISE"] if mode is ACTOR_CRITIC else []
    graph, _ = loop(mode, SHAPELESS, wrong(0.1), *noted, RIGHT, critic=critic)
    result = graph.invoke(dict(TASK))
    verdicts = [event["data"] for event in result["events"] if event["kind"] == "verdict"]
    assert [verdict.get("failed_on") for verdict in verdicts] == ["form", "substance", None]
    metrics = run_metrics(result["events"])
    assert (metrics.failed_on, metrics.form_repairs) == ({"form": 1, "substance": 1}, 1)
    assert summarize([metrics, metrics]).failed_on == {"form": 2, "substance": 2}
    assert "form repairs 1" in str(metrics)
    trace = ContextGraph.from_run(result)
    assert "verdict failed on form" in str(trace.loop_drawing().walks[0])


def test_runs_of_an_earlier_version_say_nothing_of_it() -> None:
    events: Any = mode_events()
    for event in events:
        event["data"].pop("failed_on", None)
    assert run_metrics(ContextGraph(events).events).failed_on == {"unknown": 1}


def mode_events() -> list[dict[str, Any]]:
    """The events of a run that fails on form once."""
    graph, _ = loop(EXTERNAL_LOOP, SHAPELESS, RIGHT)
    return cast(Any, graph.invoke(dict(TASK))["events"])


@retrying_modes
def test_a_crash_in_a_repair_of_form_repeats_nothing(invoke: Any, mode: Mode) -> None:
    expected, _ = loop(mode, SHAPELESS, RIGHT)
    saved = InMemorySaver()
    graph, actor = loop(mode, SHAPELESS, KeyboardInterrupt(), RIGHT, checkpointer=saved)
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(dict(TASK), THREAD)
    result = invoke(graph, None, THREAD)
    assert comparable(result) == comparable(expected.invoke(dict(TASK)))
    assert used_up(actor)


@retrying_modes
def test_both_twins_leave_the_same_result_and_trace(mode: Mode) -> None:
    one, other = (twin(name)(loop(mode, SHAPELESS, "", RIGHT, max_attempts=2)[0], dict(TASK)) for name in TWINS)
    assert comparable(one) == comparable(other)


@retrying_modes
def test_the_drawing_shows_the_way_back_where_there_is_one(mode: Mode) -> None:
    drawn = loop(mode)[0].get_graph()
    assert {(edge.source, edge.conditional) for edge in drawn.edges if edge.target == "repair_form"} == {
        (source, True) for source in ROUTED[mode.name]
    }
    assert {(edge.target, edge.conditional) for edge in drawn.edges if edge.source == "repair_form"} == {
        ("attempt", False)
    }
    assert "repair_form" not in loop(mode, form_repairs=0)[0].get_graph().nodes


@retrying_modes
def test_by_default_only_the_external_loop_repairs_form(mode: Mode) -> None:
    nodes = create_reflection_graph(mode.name, actor=ScriptedModel(replies=[])).get_graph().nodes
    assert ("repair_form" in nodes) == bool(DEFAULT_FORM_REPAIRS.get(mode.name)) == (mode is EXTERNAL_LOOP)


def test_a_number_below_0_is_refused() -> None:
    with pytest.raises(ValueError, match="form_repairs must be at least 0, got -1"):
        create_reflection_graph(actor=ScriptedModel(replies=[]), form_repairs=-1)


def test_a_verdict_that_failed_on_something_else_is_refused(invoke: Any) -> None:
    odd = cast(Any, Verdict)("failed", "no", failed_on="style")
    graph = create_reflection_graph(actor=ScriptedModel(replies=["x"]), verifier=lambda task, answer: odd)
    with pytest.raises(VerifierContractError, match="not a valid Verdict"):
        invoke(graph, dict(TASK))


def test_a_passed_answer_failed_on_nothing(invoke: Any) -> None:
    graph = create_reflection_graph(
        actor=ScriptedModel(replies=["x"]), verifier=lambda task, answer: Verdict("passed", failed_on="form")
    )
    assert "failed_on" not in invoke(graph, dict(TASK))["attempts"][0]


class City(BaseModel):
    """A structured answer."""

    name: str
    people: int


CITY_SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "people": {"type": "integer"}},
    "required": ["name", "people"],
    "additionalProperties": False,
}


class StrictCity(City):
    """Without further fields."""

    model_config = ConfigDict(extra="forbid")


@pytest.mark.parametrize("schema", [StrictCity, CITY_SCHEMA], ids=["pydantic", "dict"])
@pytest.mark.parametrize(
    "first", ['{"name": "Oslo"}', '{"name": "Oslo", "people": "many"}', '{"name": "Oslo", "size": 1}']
)
def test_only_the_fields_that_are_wrong_are_asked_for_and_put_to_the_others(
    invoke: Any, schema: Any, first: str
) -> None:
    actor = ScriptedModel(replies=[first, '{"people": 709000}'])
    graph = create_reflection_graph(actor=actor, verifier=JSONSchemaVerifier(schema))
    result = invoke(graph, {"task": "Name a city."})
    assert (ways(result), result["verdict"]) == (["first", "repair_form"], "passed")
    assert json.loads(result["answer"]) == {"name": "Oslo", "people": 709000}
    system, asked = actor.requests[1]
    assert (system.type, asked.type) == ("system", "human")
    assert 'Write one JSON object with "people" alone.' in str(asked.content)
    assert "Oslo" not in str(asked.content), "a model that sees its answer may copy it"


def test_a_whole_answer_is_taken_too_where_only_a_field_was_asked_for(invoke: Any) -> None:
    actor = ScriptedModel(replies=['{"name": "Oslo", "people": "many"}', '{"name": "Rome", "people": 2700000}'])
    result = invoke(create_reflection_graph(actor=actor, verifier=JSONSchemaVerifier(City)), {"task": "Name a city."})
    assert json.loads(result["answer"]) == {"name": "Rome", "people": 2700000}


@pytest.mark.parametrize(
    "first", ['{"people": "many"}', "[1]", '"Oslo"'], ids=["nothing-right", "no-object", "no-json"]
)
def test_an_answer_without_a_right_field_is_asked_for_as_a_whole(invoke: Any, first: str) -> None:
    actor = ScriptedModel(replies=[first, '{"name": "Oslo", "people": 709000}'] * 2)
    graph = create_reflection_graph(actor=actor, verifier=JSONSchemaVerifier(City))
    assert invoke(graph, {"task": "Name a city."})["verdict"] == "passed"
    assert "alone" not in str(actor.requests[1][-1].content)


def test_a_repair_after_that_shows_the_whole_answer(invoke: Any) -> None:
    replies = ['{"name": "Oslo"}', '{"people": "many"}', '{"name": "Oslo", "people": 709000}']
    actor = ScriptedModel(replies=replies)
    graph = create_reflection_graph(actor=actor, verifier=JSONSchemaVerifier(City), strategies=["repair"])
    assert invoke(graph, {"task": "Name a city."})["verdict"] == "passed"
    assert json.loads(str(actor.requests[2][2].content)) == {"name": "Oslo", "people": "many"}
