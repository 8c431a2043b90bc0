"""What a verifier may say in place of a `Verdict`: True or False, an object, or a failed assertion."""

from __future__ import annotations

from typing import Any

import pytest
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_reflection_graph
from thoughtgraph.errors import VerifierContractError
from thoughtgraph.evaluation import evaluate


def asserting(task: str, answer: str) -> bool:
    """A judge in the manner of a test."""
    # pytest adds words of its own to an `assert` in this file.
    if answer != "4":
        raise AssertionError(f"{answer} is not {task}")
    return True


async def agreeing(task: str, answer: str) -> bool:
    """An async judge without feedback."""
    return answer == "4"


def scoring(task: str, answer: str) -> dict[str, Any]:
    """A judge that says what a service would."""
    return {"passed": answer == "4", "feedback": "Count again.", "score": 1.0 if answer == "4" else 0.25}


def silent(task: str, answer: str) -> Any:
    """A judge that forgets to say anything."""
    assert answer


def judged(verifier: Any, *replies: str) -> list[dict[str, Any]]:
    """The attempts of a run."""
    graph = create_reflection_graph(
        actor=ScriptedModel(replies=list(replies)), verifier=verifier, max_attempts=2, strategies=["repair"]
    )
    run = graph.invoke({"task": "2 + 2"})
    assert run["verdict"] == run["attempts"][-1]["verdict"]
    return run["attempts"]


@pytest.mark.parametrize(
    ("verifier", "feedback", "score"),
    [
        (asserting, "5 is not 2 + 2", 0.0),
        (agreeing, "The answer failed its check.", 0.0),
        (scoring, "Count again.", 0.25),
    ],
)
def test_it_fails_and_passes_answers_as_a_verdict_does(verifier: Any, feedback: str, score: float) -> None:
    first, second = judged(verifier, "5", "4")
    assert (first["verdict"], first["feedback"], first["score"]) == ("failed", feedback, score)
    assert (second["verdict"], second["score"]) == ("passed", 1.0)


@pytest.mark.parametrize("kind", ["bool_", "array"])
def test_a_bool_may_be_one_of_numpy(kind: str) -> None:
    numpy: Any = pytest.importorskip("numpy")
    (attempt,) = judged(lambda task, answer: getattr(numpy, kind)(answer == "4"), "4")
    assert attempt["verdict"] == "passed"


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        # An exit status or a count of errors would pass what has failed.
        (1, r"returned int \(1\)"),
        (0.5, r"returned float"),
        ("passed", r"returned str \(passed\)"),
        ((True, "fine"), r"returned tuple"),
        ({"score": 1}, r"returned dict .*: passed: this field is missing"),
        ({"passed": "yes"}, r"returned dict .*: passed: write true or false"),
        (None, r"returned NoneType .*: end it with `return True`"),
    ],
    ids=str,
)
def test_nothing_else_counts_as_one(said: Any, problem: str) -> None:
    with pytest.raises(VerifierContractError, match=problem):
        judged(lambda task, answer: said, "4")


def test_an_error_that_is_no_failed_assertion_judges_nothing() -> None:
    (attempt,) = judged(lambda task, answer: {}[answer], "4")
    assert attempt["verdict"] == "unverified"


def annotated(task: str, answer: str) -> None:
    """Says by its annotation that it says nothing."""
    assert answer


def other_way_round(answer: str, task: str) -> Verdict:
    """Would judge the task."""
    return Verdict("passed" if answer == "4" else "failed")


@pytest.mark.parametrize(
    ("verifier", "problem"),
    [
        (other_way_round, r"takes \(answer, task\), but the task comes first"),
        (lambda answer, wanted: True, r"takes \(answer, wanted\), but the task comes first"),
        (lambda row, task: True, r"takes \(row, task\), but the task comes first"),
        (annotated, r"returns None, which says nothing of the answer: end it with `return True`"),
    ],
)
def test_what_its_signature_shows_is_refused_before_the_model_is_asked(verifier: Any, problem: str) -> None:
    with pytest.raises(VerifierContractError, match=problem):
        create_reflection_graph(actor=ScriptedModel(replies=[]), verifier=verifier)
    with pytest.raises(VerifierContractError, match=problem):
        evaluate(["2 + 2"], ScriptedModel(replies=[]), modes=["reflexion"], scorer=verifier)


@pytest.mark.parametrize("verifier", [lambda prompt, output: True, lambda task, *rest: True, lambda *given: True])
def test_other_names_are_taken_in_their_order(verifier: Any) -> None:
    assert judged(verifier, "4")[0]["verdict"] == "passed"


@pytest.mark.parametrize("judge", [asserting, agreeing, scoring])
def test_one_function_is_verifier_and_scorer(judge: Any) -> None:
    compared = evaluate(
        ["2 + 2"],
        ScriptedModel(replies=["5", "4", "5"]),
        modes=["external_loop"],
        verifier=judge,
        scorer=judge,
        max_attempts=2,
        controls=False,
        concurrency=1,
    )
    rows = {row["condition"]: (row["verdict"], row["scored"], row["problem"]) for row in compared.rows()}
    assert sorted(rows.values()) == [("failed", "failed", ""), ("passed", "passed", "")], rows
