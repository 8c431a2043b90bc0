"""One budget of tokens for many tasks: who gets a further attempt, when it is spent, and how it goes on later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from support.cascades import small
from support.modes import Judge
from support.scripted import ScriptedModel
from support.worth import CALL, RETRY, Answering, Killed, answered, judge, rows, scorer
from thoughtgraph import ContextGraph, Verdict
from thoughtgraph.errors import ModelUnavailableError, RunFileError
from thoughtgraph.evaluation import Comparison, aevaluate, evaluate, save_plot
from thoughtgraph.evaluation.conditions import RETRY_ONLY, Condition
from thoughtgraph.traces import Price, Prices
from thoughtgraph.traces.metrics.share import Share

pytestmark = pytest.mark.slow


def under(
    answers: dict[str, list[Any]],
    max_tokens: int | None,
    modes: Any = (RETRY_ONLY,),
    judged: bool = True,
    model: Answering | None = None,
    **options: Any,
) -> tuple[Comparison, list[str]]:
    """A comparison without controls, and the tasks in the order in which the mode asked for them."""
    # One shot comes first, and takes an answer of each task.
    model = model or Answering(answers={name: ["one shot 0", *said] for name, said in answers.items()})
    settings: dict[str, Any] = {"concurrency": 1, "controls": False, "max_attempts": 4, **options}
    verifier = judge if judged else None
    comparison = evaluate(
        rows("".join(answers)), model, modes=modes, verifier=verifier, scorer=scorer, max_tokens=max_tokens, **settings
    )
    return comparison, model.asked[len(answers) :]


def continued(answers: dict[str, list[Any]]) -> Answering:
    """A model for an evaluation that goes on: one shot is not asked for again."""
    return Answering(answers=answers)


class Dear(Answering):
    """Task a costs twice as much as another."""

    def _generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> Any:
        self.tokens = 2 * CALL if "Do task a." in str(messages[-1].content) else CALL
        return super()._generate(messages, *args, **kwargs)


def test_every_task_gets_one_attempt_and_then_the_most_promising_go_on() -> None:
    answers = {"a": answered(1, 1, 1, 1), "b": answered(5, 6, 9), "c": answered(3, 4, 4, 4), "d": answered(9)}
    comparison, asked = under(answers, 8 * CALL)
    assert asked == ["a", "b", "c", "d", "b", "c", "b", "a"]
    assert comparison[RETRY].tokens == 8 * CALL
    assert [(row["task_id"], row["stop"]) for row in comparison.rows()[4:]] == [
        ("a", "token_budget"),
        ("b", "passed"),
        ("c", "token_budget"),
        ("d", "passed"),
    ]


def test_a_task_that_stays_nearly_right_lets_others_go_first() -> None:
    _, asked = under({"a": answered(6, 6, 6, 6), "b": answered(4, 4, 4, 4)}, 8 * CALL)
    assert "".join(asked) == "ab" + "ababab"


def test_of_equal_scores_the_cheaper_task_goes_first() -> None:
    answers = {"a": answered(3, 3), "b": answered(3, 3)}
    model = Dear(answers={name: ["one shot 0", *said] for name, said in answers.items()})
    _, asked = under(answers, 3 * CALL + 1, model=model)
    assert asked == ["a", "b", "b"]


def test_a_task_whose_attempts_cost_twice_as_much_has_to_promise_twice_as_much() -> None:
    for score, first in ((5, "b"), (8, "a")):
        answers = {"a": answered(score, score), "b": answered(2, 2)}
        model = Dear(answers={name: ["one shot 0", *said] for name, said in answers.items()})
        _, asked = under(answers, 3 * CALL + 1, model=model)
        assert asked[2] == first


def test_an_id_that_no_checkpoint_could_keep_names_a_run_all_the_same() -> None:
    tasks = [{"task_id": name, "prompt": "Say it."} for name in ("\ud800", "\udfff", "a\0b")]
    model = ScriptedModel(replies=[f"reply {number}" for number in range(99)])
    options: dict[str, Any] = {"modes": ["external_loop"], "verifier": lambda task, answer: Verdict("failed")}
    compared = evaluate(tasks, model, **options, max_attempts=2, max_tokens=1_000)
    assert [condition.problems for condition in compared.conditions] == [{}] * len(compared.conditions)
    assert len(compared.conditions) > 3 and compared["external_loop"].attempts == 2


def test_no_task_gets_more_than_its_attempts() -> None:
    comparison, asked = under({"a": answered(8, 8, 8), "b": answered(1, 1, 1)}, 100 * CALL, max_attempts=2)
    assert asked == ["a", "b", "a", "b"]
    assert [row["stop"] for row in comparison.rows()[2:]] == ["max_iterations"] * 2


def test_the_first_attempts_are_made_in_any_case_and_the_note_says_so() -> None:
    comparison, asked = under({"a": answered(1), "b": answered(1)}, CALL)
    assert asked == ["a", "b"]
    assert any("took 2,000 of 1,000 tokens" in note for note in comparison.notes())


def test_attempts_at_the_same_time_do_not_spend_the_budget_twice() -> None:
    answers = {name: answered(1, 1, 1) for name in "abcd"}
    _, asked = under(answers, 5 * CALL, concurrency=4)
    assert len(asked) == 5


@pytest.mark.parametrize("mode", ["external_loop", "reflexion", "actor_critic", "best_of_n"])
def test_a_run_made_attempt_by_attempt_is_the_run_made_at_once(tmp_path: Path, mode: str) -> None:
    # Of two samples that are drawn at once, either may get the next answer.
    points = (1, 9) if mode == "best_of_n" else (1, 2, 9)

    def kinds(folder: Path) -> list[tuple[Any, ...]]:
        (path,) = (path for path in folder.glob("*/a.jsonl") if path.parent.name != "one-shot")
        events: list[Any] = list(ContextGraph.from_run(path).events)
        links = [[(link["source"].split(":")[1], link["relation"]) for link in event["links"]] for event in events]
        known = ("strategy", "number", "verdict", "status", "stop_reason", "usage", "critique", "text")
        return [
            (event["kind"], event.get("node"), event.get("after"), link, [event["data"].get(name) for name in known])
            for event, link in zip(events, links, strict=True)
        ]

    for max_tokens in (None, 100 * CALL):
        under({"a": answered(*points)}, max_tokens, [mode], save=tmp_path / str(max_tokens))
    assert kinds(tmp_path / "100000") == kinds(tmp_path / "None")


@pytest.mark.parametrize("condition", ["reflexion", "actor_critic"])
def test_nothing_is_asked_about_a_failure_before_its_further_attempt_is_paid(condition: str) -> None:
    comparison, asked = under({"a": answered(1, 1)}, CALL, [condition])
    assert (asked, comparison[condition].tokens) == (["a"], CALL)


@pytest.mark.parametrize("judged", [True, False])
def test_no_sample_is_paid_for_that_nothing_judges(judged: bool) -> None:
    comparison, asked = under({"a": answered(1, 2, 3, 9)}, 3 * CALL, ["best_of_n"], judged=judged)
    assert (asked, comparison["best_of_n"].tokens) == (["a"] * 3, 3 * CALL)
    assert comparison["best_of_n"].attempts == 3


def test_a_loop_without_a_verifier_shares_the_budget_too() -> None:
    comparison, asked = under(
        {"a": answered(1, 1, 1), "b": answered(1, 1, 1)}, 5 * CALL, ["actor_critic"], judged=False
    )
    assert asked == ["a", "b", "a"]
    assert comparison["actor_critic"].tokens == 6 * CALL


def going_on(folder: Path, model: Answering, names: str = "ab", **options: Any) -> Comparison:
    """The evaluation of a folder, with more of everything."""
    settings: dict[str, Any] = {"max_tokens": 100 * CALL, "max_attempts": 3, "modes": [RETRY_ONLY]}
    settings |= {"verifier": judge, **options}
    return evaluate(rows(names), model, scorer=scorer, concurrency=1, controls=False, save=folder, **settings)


@pytest.mark.parametrize(
    ("max_tokens", "max_attempts", "first", "then"),
    [(3 * CALL, 4, "abb", "aba"), (100 * CALL, 2, "abba", "ba")],
    ids=["budget", "attempts"],
)
def test_a_finished_evaluation_goes_on_with_more(
    tmp_path: Path, max_tokens: int, max_attempts: int, first: str, then: str
) -> None:
    before, asked = under(
        {"a": answered(1, 2), "b": answered(3, 4)}, max_tokens, max_attempts=max_attempts, save=tmp_path
    )
    model = continued({"a": ["second 2", "third 2"][-then.count("a") :], "b": ["third 9"]})
    after = going_on(tmp_path, model)
    assert ("".join(asked), "".join(model.asked)) == (first, then)
    assert (before[RETRY].solved, after[RETRY].solved) == (Share(0, 2), Share(1, 2))
    assert after[RETRY].tokens == 6 * CALL
    for name in "ab":
        events = ContextGraph.from_run(tmp_path / "retry-only--external-loop-" / f"{name}.jsonl").events
        assert [event["data"]["number"] for event in events if event["kind"] == "attempt"] == [1, 2, 3]
        assert [event["kind"] for event in events].count("outcome") == 1


def test_with_the_same_limits_nothing_is_asked_scored_or_written_again(tmp_path: Path) -> None:
    scored: list[str] = []

    def scorer(task: str, answer: str) -> bool:
        scored.append(answer)
        return answer.endswith(" 9")

    model = Answering(answers={"a": ["one shot 0", *answered(1, 2)], "b": ["one shot 0", *answered(1, 9)]})
    options: dict[str, Any] = {"modes": [RETRY_ONLY], "verifier": judge, "scorer": scorer, "max_attempts": 2}
    options |= {"max_tokens": 100 * CALL, "concurrency": 1, "controls": False, "save": tmp_path}
    first = evaluate(rows("ab"), model, **options)
    files = {path: path.read_bytes() for path in tmp_path.glob("*/*.jsonl")}
    assert len(scored) == 2 + 4
    assert evaluate(rows("ab"), continued({}), **options) == first
    assert len(scored) == 2 + 4
    assert {path: path.read_bytes() for path in tmp_path.glob("*/*.jsonl")} == files


def test_an_interrupted_evaluation_pays_for_no_attempt_twice(tmp_path: Path) -> None:
    deadly = True

    def killing(task: str, answer: str) -> Verdict:
        if deadly and answer == "third 9":
            raise Killed
        return judge(task, answer)

    answers = {"a": ["one shot 0", *answered(1, 2), "third 9"], "b": ["one shot 0", *answered(3, 9)]}
    with pytest.raises(Killed):
        going_on(tmp_path, Answering(answers=answers), verifier=killing)
    deadly = False
    comparison = going_on(tmp_path, continued({}), verifier=killing)
    assert (comparison[RETRY].solved, comparison[RETRY].tokens) == (Share(2, 2), 5 * CALL)
    assert [point.tokens for point in comparison[RETRY].curve] == [1_000, 2_000, 3_000, 4_000, 5_000]


def test_a_run_that_lost_its_model_goes_on_where_it_was(tmp_path: Path) -> None:
    lost = ModelUnavailableError(OSError("down"), 1)
    answers = {"a": ["one shot 0", *answered(1), lost], "b": ["one shot 0", lost]}
    first = going_on(tmp_path, Answering(answers=answers))
    assert list(first[RETRY].problems) == ["a", "b"]
    model = continued({"a": ["second 9"], "b": ["first 9"]})
    second = going_on(tmp_path, model)
    assert model.asked == ["b", "a"]
    assert (second[RETRY].problems, second[RETRY].solved, second[RETRY].tokens) == ({}, Share(2, 2), 3 * CALL)


def test_a_task_that_raises_does_not_take_the_others_with_it() -> None:
    answers = {"a": [PermissionError("not this one")], "b": answered(1, 9)}
    comparison, asked = under(answers, 100 * CALL)
    assert asked == ["a", "b", "b"]
    assert comparison[RETRY].problems == {"a": "PermissionError: not this one"}
    assert comparison[RETRY].solved == Share(1, 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
        ({"max_tokens": -1}, "max_tokens must be at least 1"),
        ({"max_tokens": 10}, "first prompts of 2 tasks have about"),
        ({"max_tokens": 5_000, "max_attempts": 0}, "max_attempts must be at least 1"),
    ],
    ids=["none", "negative", "less than the prompts", "no attempt"],
)
def test_a_budget_for_nothing_is_refused_before_a_model_is_asked(
    tmp_path: Path, options: dict[str, int], words: str
) -> None:
    model = continued({})
    with pytest.raises(ValueError, match=words):
        going_on(tmp_path, model, **options)
    assert model.asked == []
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_reports_no_tokens_cannot_hold_a_budget() -> None:
    model = Answering(answers={"a": ["one shot 0", *answered(1, 2, 3)]}, tokens=0)
    with pytest.raises(ValueError, match="reports no tokens"):
        under({"a": []}, 5_000, model=model)
    assert model.asked == ["a", "a"]


@pytest.mark.parametrize("what", ["no budget", "checkpoints"])
def test_a_folder_that_cannot_go_on_is_refused(tmp_path: Path, what: str) -> None:
    under({"a": answered(1, 1)}, None if what == "no budget" else 2 * CALL, max_attempts=2, save=tmp_path)
    for path in tmp_path.glob("*/checkpoints.sqlite*"):
        path.unlink()
    with pytest.raises(RunFileError, match="choose another folder"):
        going_on(tmp_path, continued({}), "a")


DOLLAR = Prices({"Answering": Price(input=1_000, output=1_000)})
"""By which a call costs one dollar."""


@pytest.mark.parametrize(("max_tokens", "max_cost"), [(None, 4), (4 * CALL, 100), (100 * CALL, 4)])
def test_a_budget_of_dollars_is_shared_as_one_of_tokens(max_tokens: int | None, max_cost: float) -> None:
    answers = {"a": answered(1, 1, 1), "b": answered(5, 6, 7)}
    comparison, asked = under(answers, max_tokens, max_cost=max_cost, prices=DOLLAR)
    assert asked == ["a", "b", "b", "b"]
    kind = "token_budget" if max_tokens == 4 * CALL else "cost_budget"
    assert [row["stop"] for row in comparison.rows()[2:]] == [kind] * 2
    assert comparison[RETRY].max_cost == max_cost


def test_an_evaluation_goes_on_with_more_dollars(tmp_path: Path) -> None:
    under({"a": answered(9), "b": answered(3, 4)}, None, max_cost=3, prices=DOLLAR, save=tmp_path)
    events = ContextGraph.from_run(tmp_path / "retry-only--external-loop-" / "b.jsonl").events
    assert events[-1]["data"]["stop_reason"] == {"kind": "cost_budget", "value": 3.0, "limit": 3}
    model = continued({"b": ["third 9"]})
    after = going_on(tmp_path, model, max_tokens=None, max_cost=4, prices=DOLLAR)
    # What the task that is solved has cost is still spent.
    assert (model.asked, after[RETRY].solved) == (["b"], Share(2, 2))
    assert going_on(tmp_path, continued({}), max_tokens=None, max_cost=4, prices=DOLLAR)[RETRY] == after[RETRY]


def no_verdict(task: str, answer: str) -> Any:
    """A verifier that is none."""
    return judge(task, answer) if answer.endswith((" 0", " 9")) else 5


@pytest.mark.parametrize("budget", [{"max_tokens": 4 * CALL}, {"max_cost": 4, "prices": DOLLAR}], ids=str)
def test_what_a_task_spent_before_it_raised_counts_and_is_told(budget: dict[str, Any]) -> None:
    options: dict[str, Any] = {
        "verifier": no_verdict,
        "scorer": scorer,
        "concurrency": 1,
        "controls": False,
        "max_attempts": 4,
    }
    # What breaks is the second attempt at a, and the first at c.
    answers = {"a": ["one 0", *answered(0, 3, 9)], "b": ["one 0", *answered(0, 0, 0, 0)], "c": ["one 0", *answered(3)]}
    model = Answering(answers=answers)
    comparison = evaluate(rows("abc"), model, modes=[RETRY_ONLY], **budget, **options)
    assert model.asked[3:] == ["a", "b", "c", "a"]
    spent = {row["task_id"]: row["input_tokens"] + row["output_tokens"] for row in comparison.rows()[3:]}
    assert spent == {"a": 2 * CALL, "b": CALL, "c": CALL}
    assert comparison[RETRY].tokens == 4 * CALL
    assert list(comparison[RETRY].problems) == ["a", "c"]


def test_dollars_beyond_the_budget_are_told() -> None:
    class Naming(Answering):
        def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
            result = super()._generate(messages, *args, **kwargs)
            result.generations[0].message.response_metadata["model_name"] = "Answering"
            return result

    model = Naming(answers={name: ["one shot 0", *answered(1)] for name in "ab"})
    prices = Prices({**DOLLAR.own, "Naming": Price(input=0, output=0)})
    comparison, _ = under({"a": [], "b": []}, None, model=model, max_cost=1, prices=prices)
    assert any("took $2.00 of $1.00" in note for note in comparison.notes())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_cost": 0, "prices": DOLLAR}, "max_cost must be more than 0"),
        ({"max_cost": 1}, "max_cost needs the models' prices"),
        ({"max_cost": 1, "prices": Prices()}, "the price of Answering is unknown"),
        (
            {"max_cost": 1, "prices": DOLLAR, "critic": ScriptedModel(replies=[]), "modes": ["actor_critic"]},
            "the price of ScriptedModel",
        ),
        ({"max_cost": 0.001, "prices": DOLLAR}, r"max_cost is \$0.001, but to read the first prompts of 2 tasks costs"),
    ],
    ids=["none", "no prices", "no price", "critic", "less than the prompts"],
)
def test_a_budget_of_dollars_for_nothing_is_refused_before_a_model_is_asked(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    model = continued({})
    with pytest.raises(ValueError, match=words):
        going_on(tmp_path, model, max_tokens=None, **options)
    assert model.asked == []
    assert list(tmp_path.iterdir()) == []


def test_the_curve_counts_what_was_solved_after_each_attempt() -> None:
    comparison, _ = under({"a": answered(3, 9), "b": answered(9), "c": answered(2, 2)}, 5 * CALL)
    curve = comparison[RETRY].curve
    assert [point.tokens for point in curve] == [1_000, 2_000, 3_000, 4_000, 5_000]
    assert [point.solved for point in curve] == [Share(count, 3) for count in (0, 1, 1, 2, 2)]
    assert comparison.one_shot.curve == ()


async def test_inside_of_an_event_loop_it_is_awaited() -> None:
    model = Answering(answers={"a": ["one shot 0", "first 9"]})
    comparison = await aevaluate(rows("a"), model, modes=[RETRY_ONLY], verifier=judge, max_tokens=5_000)
    assert comparison[RETRY].solved == Share(1, 1)


def test_the_best_of_n_has_a_curve_with_a_point_for_each_n() -> None:
    said = {
        "a": ["one shot 0", *answered(1, 2, 9), *answered(1, 9)],
        "b": ["one shot 0", *answered(9), *answered(1, 2, 9)],
    }
    comparison, _ = under(said, 4 * CALL, controls=True, model=Answering(answers=said))
    best = comparison.conditions[-1]
    assert best.title == "best of 2 (≥ tokens of retry only)"
    assert [(point.tokens, point.solved.count) for point in best.curve] == [(2_000, 0), (4_000, 1)]


def test_the_picture_has_the_curves_of_those_that_shared_a_budget(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pictures: list[str] = []
    for max_tokens in (None, 5 * CALL):
        said = {name: ["one shot 0", *answered(1, 2, 9), *answered(1, 9, 1, 1)] for name in "ab"}
        comparison, _ = under(said, max_tokens, controls=True, model=Answering(answers=said))
        pictures.append(save_plot(comparison, tmp_path / f"{max_tokens}.svg").read_text())
    assert ["tokens of all tasks, in the order of the attempts" in picture for picture in pictures] == [False, True]


def test_only_the_model_that_is_asked_first_has_to_be_paid_for_the_first_prompts() -> None:
    cheap, dear = small(*["no"] * 2), small(*["no"] * 2, name="large")
    prices = Prices({"small": Price(1, 1), "large": Price(1_000_000, 1)})
    cascade: Any = Condition("external_loop", models=("small", "large"))
    settings: dict[str, Any] = {"verifier": Judge(), "scorer": Judge(), "controls": False, "prices": prices}
    comparison = evaluate(["Say it."], [cheap, dear], modes=[cascade], max_cost=0.5, max_attempts=2, **settings)
    assert [condition.title for condition in comparison.conditions]
    assert cheap.requests
    with pytest.raises(ValueError, match="costs large about"):
        evaluate(["Say it."], [cheap, dear], modes=["external_loop"], max_cost=0.5, **settings)
