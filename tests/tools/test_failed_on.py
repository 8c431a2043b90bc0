"""What verifiers say a failed answer failed on: its form, or its substance."""

from __future__ import annotations

import sys

import pytest
from langchain_core.tools import tool
from pydantic import BaseModel, Field, model_validator
from thoughtgraph import PythonTests
from thoughtgraph.tools.verifiers import CommandVerifier, JSONSchemaVerifier, ToolVerifier

pytestmark = pytest.mark.slow

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
ADD, STACK = "assert add(1, 2) == 3", "stack = Stack()\nstack.push(3)\nassert stack.top() == 3"
PYTEST = "from solution import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
MODULE = "import solution\n\n\ndef test_add():\n    assert solution.add(1, 2) == 3\n"

FORM = {
    "no-code": (ADD, "I cannot."),
    "no-such-name": (ADD, "def plus(a, b): return a + b"),
    "does-not-parse": (ADD, "def add(a, b: return a + b"),
    "does-not-compile": (ADD, "def add(a, b): return a + b\nreturn 3"),
    "a-name-is-missing-while-it-loads": (ADD, "def add(a: List[int], b): return a + b"),
    "no-such-import": (ADD, "from nowhere import plus\n\ndef add(a, b): return plus(a, b)"),
    "too-many-arguments": (ADD, "def add(a): return a"),
    "too-few-arguments": (ADD, "def add(a, b, c): return a + b"),
    "unknown-argument": ("assert add(a=1, other=2) == 3", "def add(a, b): return a + b"),
    "no-such-method": (STACK, "class Stack:\n    def push(self, x): self.x = x"),
    "a-method's-arguments": (STACK, "class Stack:\n    def push(self): pass\n    def top(self): return 3"),
    "the-constructor's-arguments": (STACK, "class Stack:\n    def __init__(self, size): pass"),
    "pytest": (PYTEST, "def add(a): return a"),
    "pytest-module": (MODULE, "def plus(a, b): return a + b"),
    "check": ("def check(candidate):\n    assert candidate(1, 2) == 3", "def add(a): return a"),
}
SUBSTANCE = {
    "a-wrong-value": (ADD, "def add(a, b): return a - b"),
    "raises": (ADD, "def add(a, b): return a / 0"),
    "a-helper's-arguments": (ADD, "def plus(a): return a\n\ndef add(a, b): return plus(a, b)"),
    "its-own-arguments": (ADD, "def add(a, b): return add(a)"),
    "a-name-is-missing-inside": (ADD, "def add(a, b): return math.fsum([a, b])"),
    "says-that-its-arguments-are-wrong": (
        ADD,
        "def add(a, b): raise TypeError('add() takes 1 positional argument but 2 were given')",
    ),
    "nothing-comes-back": ("assert add(1, 2).total == 3", "def add(a, b): pass"),
    "also-a-wrong-value": (f"{ADD}\nassert add(1) == 1", "def add(a): return 2"),
    "does-not-finish": (ADD, "def add(a, b):\n    while True: pass"),
    "pytest-raises-inside": (PYTEST, "def add(a, b): return plus(a)\n\ndef plus(a, b): return a"),
}


def verifier_of(source: str) -> PythonTests:
    """The verifier; HumanEval's `check` tests `add`."""
    return PythonTests(source, entry_point="add" if "candidate" in source else None)


@LINUX
@pytest.mark.parametrize("name", FORM)
def test_code_that_cannot_be_called_as_the_tests_call_it_failed_on_its_form(name: str) -> None:
    tests, code = FORM[name]
    verdict = verifier_of(tests)("add", code)
    assert (verdict.status, verdict.failed_on) == ("failed", "form")


@LINUX
@pytest.mark.parametrize("name", SUBSTANCE)
def test_code_that_runs_and_is_wrong_failed_on_its_substance(name: str) -> None:
    tests, code = SUBSTANCE[name]
    verdict = verifier_of(tests)("add", code)
    assert (verdict.status, verdict.failed_on) == ("failed", "substance")


@LINUX
def test_code_that_passes_failed_on_nothing() -> None:
    assert verifier_of(ADD)("add", "def add(a, b): return a + b").failed_on is None


@LINUX
def test_the_feedback_on_form_says_what_is_called_and_how() -> None:
    feedback = verifier_of(ADD)("add", "def add(a): return a").feedback
    assert feedback == (
        "The tests call the code in another way than it was written. Write it so that these calls work:\n"
        "- `assert add(1, 2) == 3`: raised TypeError: add() takes 1 positional argument but 2 were given"
    )


class City(BaseModel):
    """A structured answer."""

    name: str
    people: int = Field(ge=0)


@pytest.mark.parametrize("answer", ["Oslo", "{}", '{"name": "Oslo", "people": "many"}', '{"name": "a", "people": -1}'])
def test_an_answer_that_does_not_fit_its_schema_failed_on_its_form(answer: str) -> None:
    verdict = JSONSchemaVerifier(City)("Name a city.", answer)
    assert (verdict.status, verdict.failed_on) == ("failed", "form")


class Bill(BaseModel):
    food: int
    total: int

    @model_validator(mode="after")
    def add_up(self) -> Bill:
        if self.food > self.total:
            raise ValueError("food is more than total")
        return self


def test_a_rule_of_the_models_own_is_about_substance() -> None:
    verify = JSONSchemaVerifier(Bill)
    assert verify("", '{"food": 3, "total": 2}').failed_on == "substance"
    assert verify("", '{"food": 3, "total": "a"}').failed_on == "form"


@LINUX
def test_what_made_a_command_fail_is_unknown() -> None:
    verdict = CommandVerifier(["grep", "-q", "tea", "answer.txt"])("Write about tea.", "I like milk.")
    assert (verdict.status, verdict.failed_on) == ("failed", None)


@pytest.mark.parametrize(("said", "status", "about"), [("form", "failed", "form"), ("style", "unverified", None)])
async def test_a_tool_may_say_what_an_answer_failed_on(said: str, status: str, about: str | None) -> None:
    @tool
    def review(answer: str) -> dict[str, object]:
        """Review an answer."""
        return {"passed": False, "feedback": "No heading.", "failed_on": said}

    verdict = await ToolVerifier(review)("Write.", "text")
    assert (verdict.status, verdict.failed_on) == (status, about)
