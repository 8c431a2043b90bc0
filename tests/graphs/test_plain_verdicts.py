"""What a verifier may say in place of a `Verdict`: True or False, an object, or a failed assertion."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
from pydantic import BaseModel
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


class City(BaseModel):
    """What an answer is read as."""

    name: str


SETTINGS: dict[str, Any] = {}
NOTHING: Any = None


class Reading:
    """A judge that is an object, with a setting that is missing."""

    settings: ClassVar[dict[str, str]] = {}

    def __call__(self, task: str, answer: str) -> bool:
        return json.loads(answer) == [4]

    def own(self, task: str, answer: str) -> bool:
        """Trips over its own setting."""
        return self.settings["wanted"] == answer


def running(task: str, answer: str) -> bool:
    """Runs the answer."""
    names: dict[str, Any] = {}
    exec(answer, names)  # noqa: S102
    return names["x"] == 4


def rebinding(task: str, answer: str) -> bool:
    """Gives its argument another value."""
    answer = answer.upper()
    return int(answer) == 4


def unpacking(task: str, answer: str) -> bool:
    """Wants two parts."""
    first, second = answer.split(",")
    return first != second


def refusing(task: str, answer: str) -> bool:
    """Refuses by a `ValueError`, as a validator of pydantic's does."""
    if "," not in answer:
        raise ValueError("write two words")
    return True


def in_sql(task: str, answer: str) -> bool:
    """Asks a database."""
    with closing(sqlite3.connect(":memory:")) as database:
        return database.execute(answer).fetchall() == [(4,)]


def starting(task: str, answer: str) -> bool:
    """Runs the answer as a program."""
    return not subprocess.run([sys.executable, "-c", answer], check=True, capture_output=True).stdout


async def waiting(task: str, answer: str) -> bool:
    """Reads a number, a moment later."""
    await asyncio.sleep(0)
    return float(answer) == 4


def with_helper(task: str, answer: str) -> bool:
    """Has the answer read elsewhere."""
    return unpacking(task, answer)


@pytest.mark.parametrize(
    ("verifier", "reply", "said"),
    [
        (lambda task, answer: json.loads(answer) == [4], "[4]", "JSONDecodeError: Expecting value: line 1"),
        (lambda prompt, text: int(text) == 4, "4", "ValueError: invalid literal for int() with base 10: 'four'"),
        (lambda task, answer: answer.split()[3] == "d", "a b c d", "IndexError: list index out of range"),
        (lambda task, answer: bool(ast.parse(answer).body), "4", "SyntaxError: '(' was never closed"),
        (lambda task, answer: bool(City.model_validate_json(answer)), '{"name": "Bern"}', "ValidationError: 1 val"),
        (lambda task, answer: re.search(r"\d", answer).group() == "4", "4", "AttributeError: 'NoneType' object"),  # pyright: ignore[reportOptionalMemberAccess]
        (lambda task, answer: Decimal(answer) == 4, "4", "InvalidOperation: "),
        (lambda task, answer: bool(ElementTree.fromstring(answer)) or True, "<a/>", "ParseError: syntax error"),
        (lambda task, answer: sum(int(part) for part in answer.split(",")) == 4, "1,3", "ValueError: invalid lit"),
        (partial(lambda wanted, task, answer: int(answer) == wanted, 4), "4", "ValueError: invalid literal"),
        (Reading(), "[4]", "JSONDecodeError: Expecting value"),
        (Reading().__call__, "[4]", "JSONDecodeError: Expecting value"),
        (running, "x = 4", "NameError: name 'four' is not defined"),
        (lambda task, answer: eval(answer) == 4, "2 + 2", "NameError: name 'four' is not defined"),  # noqa: S307
        (lambda task, answer: next(c for c in answer if c.isdigit()) == "4", "4", "RuntimeError: raised StopIteration"),
        (starting, "pass", "CalledProcessError: Command "),
        (rebinding, "4", "ValueError: invalid literal for int() with base 10: 'FOUR'"),
        (unpacking, "a,b", "ValueError: not enough values to unpack (expected 2, got 1)"),
        (with_helper, "a,b", "ValueError: not enough values to unpack (expected 2, got 1)"),
        (refusing, "a,b", "ValueError: write two words"),
        (in_sql, "SELECT 4", 'OperationalError: near "four": syntax error'),
        (waiting, "4", "ValueError: could not convert string to float: 'four'"),
    ],
)
def test_an_answer_that_its_code_cannot_read_has_failed_on_its_form(verifier: Any, reply: str, said: str) -> None:
    model = ScriptedModel(replies=["four(" if "never closed" in said else "four", reply])
    graph = create_reflection_graph(actor=model, verifier=verifier, max_attempts=2)
    first, second = graph.invoke({"task": "2 + 2"})["attempts"]
    assert (first["verdict"], first.get("failed_on"), second["verdict"]) == ("failed", "form", "passed")
    assert first["feedback"].startswith(f"What checks the answer could not read it: {said}")
    assert said in str(model.requests[1][-1].content)


@pytest.mark.parametrize(
    ("verifier", "said"),
    [
        (lambda task, answer: unknown(answer), "NameError: name 'unknown' is not defined"),  # pyright: ignore[reportUndefinedVariable] # noqa: F821
        (lambda task, answer: Path("/nowhere/wanted").read_text() == answer, "FileNotFoundError"),
        (lambda task, answer: answer == SETTINGS["wanted"], "KeyError: 'wanted'"),
        (lambda task, answer: answer == SETTINGS[task], "KeyError: '2 + 2'"),
        (lambda task, answer: NOTHING.wanted == answer, "AttributeError: 'NoneType' object has no attribute 'wanted'"),
        (lambda task, answer: answer.get("name"), "AttributeError: 'str' object has no attribute 'get'"),
        (lambda task, answer: __import__("nowhere").check(answer), "ModuleNotFoundError"),
        (Reading().own, "KeyError: 'wanted'"),
    ],
)
def test_an_error_of_its_own_judges_nothing(verifier: Any, said: str) -> None:
    (attempt,) = judged(verifier, "four")
    assert attempt["verdict"] == "unverified"
    assert attempt["feedback"].startswith(f"The verifier raised {said}")


@pytest.mark.parametrize(
    ("verifier", "said"),
    [
        (lambda task, answer: answer["name"] == "Bern", "TypeError: string indices must be integers"),
        (refusing, "ValueError: write two words"),
    ],
)
def test_one_that_raises_the_same_for_every_answer_is_told_to_be_broken(verifier: Any, said: str) -> None:
    model = ScriptedModel(replies=["one", "two", "three", "a,b"])
    run = create_reflection_graph(actor=model, verifier=verifier, max_attempts=9).invoke({"task": "2 + 2"})
    assert [attempt["verdict"] for attempt in run["attempts"]] == ["failed", "failed", "unverified"]
    assert (run["verdict"], run["stop_reason"]["kind"]) == ("unverified", "unverified")
    assert run["stop_reason"]["value"].startswith(f"The verifier raised {said}")
    assert run["stop_reason"]["value"].endswith("for each of 3 answers: it may be broken")


def test_one_that_has_judged_an_answer_is_not_broken() -> None:
    model = ScriptedModel(replies=["one", "x,x", "two", "three", "a,b"])
    run = create_reflection_graph(actor=model, verifier=lambda t, a: refusing(t, a) and a != "x,x", max_attempts=9)
    assert run.invoke({"task": "2 + 2"})["verdict"] == "passed"


def test_a_scorer_fails_what_it_cannot_read() -> None:
    model = ScriptedModel(replies=["2", "two"])
    graded = evaluate(["a", "b"], model, scorer=lambda t, a: float(a) == 2, modes=[], controls=False, concurrency=1)
    assert [(row["scored"], row["problem"]) for row in graded.rows()] == [("passed", ""), ("failed", "")]


def annotated(task: str, answer: str) -> None:
    """Says by its annotation that it says nothing."""
    assert answer


def asserting_alone(task: str, answer: str) -> Any:
    """A test, which says nothing of what is right."""
    if task:
        assert answer
    else:
        return None


async def asserting_later(task: str, answer: str) -> Any:
    """The same, async."""
    await asyncio.sleep(0)
    assert answer


class Asserting:
    """The same, as an object."""

    def __call__(self, task: str, answer: str) -> Any:
        assert answer


def counting(task: str, answer: str) -> Any:
    """Says what a program would."""
    if answer == "4":
        return 0
    return 1


def naming(task: str, answer: str) -> Any:
    """Says it in words."""
    if answer == "4":
        return "right"
    return False


def yielding(task: str, answer: str) -> Any:
    """Returns nothing that says anything."""
    yield answer == "4"


def other_way_round(answer: str, task: str) -> Verdict:
    """Would judge the task."""
    return Verdict("passed" if answer == "4" else "failed")


UNSAID: list[Any] = [annotated, asserting_alone, asserting_later, Asserting(), Asserting().__call__, silent]


@pytest.mark.parametrize(
    ("verifier", "problem"),
    [
        (other_way_round, r"takes \(answer, task\), but the task comes first"),
        (lambda answer, wanted: True, r"takes \(answer, wanted\), but the task comes first"),
        (lambda row, task: True, r"takes \(row, task\), but the task comes first"),
        *((one, r"returns None, which says nothing of the answer: end it with `return True`") for one in UNSAID),
        (naming, r"returns 'right', which is no verdict: return True or False"),
        (lambda task, answer: (False, "no"), r"returns \(False, 'no'\), which is no verdict"),
        (yielding, r"yielding is a generator: end it with `return`"),
    ],
)
def test_what_its_signature_shows_is_refused_before_the_model_is_asked(verifier: Any, problem: str) -> None:
    with pytest.raises(VerifierContractError, match=problem):
        create_reflection_graph(actor=ScriptedModel(replies=[]), verifier=verifier)
    with pytest.raises(VerifierContractError, match=problem):
        evaluate(["2 + 2"], ScriptedModel(replies=[]), modes=["reflexion"], scorer=verifier)


def test_a_number_is_a_score_and_no_verdict() -> None:
    with pytest.raises(VerifierContractError, match=r"counting returns [01], which is no verdict"):
        create_reflection_graph(actor=ScriptedModel(replies=[]), verifier=counting)
    graded = evaluate(["2 + 2"], ScriptedModel(replies=["4"]), modes=[], scorer=counting, controls=False)
    assert [row["score"] for row in graded.rows()] == [0.0]


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
