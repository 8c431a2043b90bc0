"""Something that cannot judge is refused when the graph is built, in every mode; what is no verdict, when it comes."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import partial
from typing import Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel
from support.modes import all_modes
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, PythonTests, Verdict, create_reflection_graph, python_parser
from thoughtgraph.errors import VerifierContractError
from thoughtgraph.tools.verdict import FormattedVerifier


def one_argument(answer: str) -> Verdict:
    """A judge that forgets the task."""
    return Verdict("passed")


class Said(StrEnum):
    """What a judge says, as members of an enum."""

    FAILED = "failed"
    FORM = "form"


class Parts:
    """Says how an answer is written, but not how it is parsed."""

    instructions = criteria = ""

    def __call__(self, task: str, answer: str) -> Verdict:
        return Verdict("passed")


class Logging:
    """Judges, and has a function that says nothing."""

    func = staticmethod(lambda: None)

    def __call__(self, task: str, answer: str) -> bool:
        return answer == "4"


class City(BaseModel):
    """What an answer could be held to."""

    name: str


class Format(FormattedVerifier):
    """Says how an answer is written."""

    def __call__(self, task: str, answer: str, /) -> Verdict:
        return Verdict("passed")


class WithParser(Format):
    """Python makes a method of the function."""

    parse: Any = python_parser


class WithStaticParser(Format):
    """The function stays one."""

    parse: Any = staticmethod(python_parser)


class WithMethod(Format):
    """A method that was written elsewhere is one all the same."""

    def _written_elsewhere() -> Any:  # type: ignore[misc]
        def parse(self: Any, raw_reply: str) -> Any:
            return python_parser(raw_reply)

        return parse

    parse: Any = _written_elsewhere()


def formatted(**parts: Any) -> Format:
    """A verifier with some parts as they are given."""
    verifier = Format()
    vars(verifier).update(parts)
    return verifier


@all_modes
@pytest.mark.parametrize(
    ("unfit", "said"),
    [
        ("assert 1", r"is of type str and cannot be called; for tests in Python use PythonTests"),
        (1, r"is of type int and cannot be called"),
        ({"type": "object"}, r"is of type dict and cannot be called; of a schema, JSONSchemaVerifier is one"),
        (PythonTests, r"PythonTests is a class: pass an instance"),
        (City, r"City is a class: of a schema, JSONSchemaVerifier\(City\) is one"),
        (one_argument, r"one_argument cannot be called with \(task, answer\): too many positional arguments"),
        (lambda: Verdict("passed"), r"cannot be called with \(task, answer\)"),
        (lambda task, answer, *, strict: Verdict("passed"), r"missing a required argument: 'strict'"),
        (Parts(), r"Parts has no parse: derive it from FormattedVerifier"),
        (formatted(criteria=None), r"Format has criteria = None, which has to be a text"),
        (formatted(instructions=5), r"Format has instructions = 5, which has to be a text"),
        (formatted(parse="json"), r"Format has parse = 'json', which has to be a parser"),
        (WithParser(), r"WithParser would give .* itself .*: return python_parser\(raw_reply\)"),
    ],
    ids=[
        "text",
        "number",
        "dict",
        "class",
        "schema",
        "one-argument",
        "no-argument",
        "a-third-argument",
        "half-a-format",
        "no-criteria",
        "wrong-instructions",
        "no-parser",
        "parser-as-method",
    ],
)
def test_something_that_cannot_judge_is_refused_when_the_graph_is_built(mode: Any, unfit: Any, said: str) -> None:
    with pytest.raises(VerifierContractError, match=said):
        create_reflection_graph(mode.name, actor=ScriptedModel(replies=[]), verifier=unfit)


@pytest.mark.parametrize(
    "fit",
    [
        lambda task, answer: Verdict("passed"),
        lambda *given: Verdict("passed"),
        lambda task, answer, strict=True: Verdict("passed"),
        partial(lambda strict, task, answer: Verdict("passed"), True),
        Parts().__call__,
        Logging(),
        lambda task, answer: Verdict(answer) or None,
        lambda task, answer: task and answer and "no",
        PythonTests("assert f(1) == 2"),
        {"a": Verdict("passed")}.get,
        formatted(criteria="Be brief.", instructions=""),
        WithStaticParser(),
        WithMethod(),
    ],
)
def test_what_can_be_called_with_task_and_answer_is_taken(fit: Any) -> None:
    create_reflection_graph(actor=ScriptedModel(replies=[]), verifier=fit)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": None}, {"kind": 404}, {"details": ["a"]}, {"details": None}, {"feedback": None},
        {"status": "success"}, {"status": ["passed"]}, {"failed_on": "style"}, {"score": 70},
        {"score": Decimal("NaN")}, {"score": Decimal("sNaN")}, {"score": float("nan")}, {"score": 10**400},
    ],
    ids=str,
)  # fmt: skip
def test_a_verdict_that_nothing_could_read_is_told_of_the_verifier(wrong: dict[str, Any]) -> None:
    wanted = {"kind": "a text", "details": "a dict", "feedback": "a text", "status": "'passed', 'failed' or ",
              "failed_on": "'form', 'substance' or None", "score": "a number from 0 to 1"}  # fmt: skip
    graph = create_reflection_graph(
        "external_loop",
        actor=ScriptedModel(replies=["4"]),
        verifier=lambda *_: Verdict(**{"status": "passed", **wrong}),
    )
    (field,) = wrong
    with pytest.raises(VerifierContractError, match=f"not a valid Verdict: {field} is .*, not {wanted[field]}"):
        graph.invoke({"task": "2 + 2"})


def endless() -> dict[str, Any]:
    """Details that hold themselves."""
    details: dict[str, Any] = {}
    details["again"] = details
    return details


@pytest.mark.parametrize(
    "details", [{(1, 2): "ok"}, {"at": {date(2026, 3, 1): [{3: 4}]}}, endless()], ids=["a", "b", "c"]
)
def test_details_that_json_cannot_hold_cost_no_run(details: dict[Any, Any]) -> None:
    graph = create_reflection_graph(
        "external_loop",
        actor=ScriptedModel(replies=["4"]),
        verifier=lambda task, answer: Verdict("passed", details=details),
    )
    run = graph.invoke({"task": "2 + 2"})
    assert run["verdict"] == "passed"
    ContextGraph.from_run(run)


def test_members_of_an_enum_are_kept_as_texts() -> None:
    said: Any = Verdict(cast(Any, Said.FAILED), Said.FORM, kind=Said.FAILED, failed_on=cast(Any, Said.FORM))
    graph = create_reflection_graph(
        actor=ScriptedModel(replies=["4"]), verifier=lambda *_: said, max_attempts=1, checkpointer=InMemorySaver()
    )
    run = graph.invoke({"task": "2 + 2"}, {"configurable": {"thread_id": "1"}})
    (attempt,) = run["attempts"]
    kept = run["verdict"], *(attempt[name] for name in ("verdict", "feedback", "kind", "failed_on"))
    assert kept == ("failed", "failed", "form", "failed", "form")
    assert {type(text) for text in kept} == {str}


@pytest.mark.parametrize("kind", ["bool_", "float32", "array"])
def test_the_score_of_a_verdict_may_be_a_scalar_of_numpy(kind: str) -> None:
    numpy: Any = pytest.importorskip("numpy")
    verdict = Verdict("failed", "no", score=getattr(numpy, kind)(1))
    graph = create_reflection_graph(
        actor=ScriptedModel(replies=["x"]), verifier=lambda task, answer: verdict, max_attempts=1
    )
    (attempt,) = graph.invoke({"task": "t"})["attempts"]
    assert type(attempt["score"]) is float
    assert attempt["score"] == 1.0
