"""JSON in a loose reply: found, mended where models slip, checked by a type."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema, model_validator
from support.scripted import ScriptedModel
from thoughtgraph import json_parser, pipe, think_with_retry
from thoughtgraph.errors import ParserContractError
from thoughtgraph.parsers.contract import success

steady = settings(deadline=None)  # a shared machine is no reason to fail


class Step(BaseModel):
    """A part of a plan."""

    name: str
    minutes: int = 0


class Plan(BaseModel):
    """What the tests want from a reply."""

    model_config = ConfigDict(extra="forbid")

    goal: str
    steps: list[Step]
    budget: float | None
    tags: dict[str, str]
    done: bool


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
tame = st.text("abc XYZ 0189 计划é.!?-_", max_size=12).map(str.strip)
"""Text without quotes, brackets and commas, whose place in a broken JSON nobody could tell."""


def plans(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Plan]:
    """Plans made of such texts."""
    steps = st.lists(st.builds(Step, name=texts, minutes=st.integers(-9, 999)), max_size=3)
    budgets = st.one_of(st.none(), st.floats(-1e6, 1e6, allow_nan=False))
    tags = st.dictionaries(texts, texts, max_size=2)
    return st.builds(Plan, goal=texts, steps=steps, budget=budgets, tags=tags, done=st.booleans())


def parsed(reply: str, schema: Any = Plan) -> Any:
    """The value of a reply that must parse."""
    result: Any = json_parser(reply, schema)
    assert result["status"] == "success", result
    return result["content"]


def feedback(reply: str, schema: Any = Plan) -> str:
    """The feedback on a reply that must not parse."""
    result: Any = json_parser(reply, schema)
    assert result["status"] == "error", result
    return result["feedback"]


INDENT = st.sampled_from([None, 0, 2])
FRAMES = {
    "alone": "{}",
    "in prose": "Sure, here it is: {} I hope that helps.",
    "on its line": "Sure!\n\n{}\n\nAnything else?",
    "fenced": "Sure!\n\n```json\n{}\n```\n\nAnything else?",
    "fenced without a tag": "```\n{}\n```",
    "fence never closed": "```json\n{}",
    "behind another value": 'First [1, 2] and {{"draft": true}}, then:\n{}',
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@steady
@given(plan=plans(words), indent=INDENT, ascii_only=st.booleans())
def test_a_value_survives_what_stands_around_it(frame: str, plan: Plan, indent: int | None, ascii_only: bool) -> None:
    dumped = json.dumps(plan.model_dump(), indent=indent, ensure_ascii=ascii_only)
    assert parsed(frame.format(dumped)) == plan
    assert parsed(frame.format(dumped), None) == plan.model_dump()


@pytest.mark.parametrize("frame", ["{}", "Here: {}", "```json\n{}\n```"], ids=["alone", "in prose", "fenced"])
@steady
@given(plan=plans(tame), indent=INDENT)
def test_trailing_commas_are_mended(frame: str, plan: Plan, indent: int | None) -> None:
    dumped = json.dumps(plan.model_dump(), indent=indent, ensure_ascii=False)
    assert parsed(frame.format(dumped[:-1] + ",}")) == plan


CUT_FRAMES = pytest.mark.parametrize("frame", ["{}", "Here: {}", "```json\n{}"], ids=["alone", "in prose", "fenced"])


@CUT_FRAMES
@steady
@given(plan=plans(tame), indent=INDENT)
def test_a_value_that_was_cut_off_at_its_end_is_closed(frame: str, plan: Plan, indent: int | None) -> None:
    dumped = json.dumps(plan.model_dump(), indent=indent, ensure_ascii=False)
    assert parsed(frame.format(dumped[:-1])) == plan


@CUT_FRAMES
@steady
@given(texts=st.lists(tame.filter(bool), min_size=1, max_size=4), lost=st.integers(1, 3))
def test_of_a_value_that_was_cut_off_no_inner_part_is_taken_for_the_whole(
    frame: str, texts: list[str], lost: int
) -> None:
    """Where any object will do, an inner one that is complete must not pass for the answer."""
    value = {"first": {"names": texts}, "then": {"last": texts[-1]}}
    dumped = json.dumps(value, ensure_ascii=False)
    assert parsed(frame.format(dumped[:-lost]), None) == value


SLIPS = {
    "single quotes": "{'goal': 'go', 'steps': [], 'budget': None, 'tags': {}, 'done': True}",
    "comments": '{"goal": "go", // why\n "steps": [], "budget": null, /* no */ "tags": {}, "done": true}',
    "bare keys": '{goal: "go", steps: [], budget: null, tags: {}, done: true}',
    "full-width marks": '｛"goal"："go"，"steps"：［］，"budget"：null，"tags"：｛｝，"done"：true｝',
    "curly quotes": "{“goal”: “go”, “steps”: [], “budget”: null, “tags”: {}, “done”: true}",
    "raw line break": '{"goal": "go", "steps": [], "budget": null, "tags": {},\n\n "done": true\n}',
    "missing comma": '{"goal": "go" "steps": [], "budget": null, "tags": {}, "done": true}',
    "thinking before": 'I need {goal, steps}.\n{"goal": "go", "steps": [], "budget": null, "tags": {}, "done": true}',
}


@pytest.mark.parametrize("reply", SLIPS.values(), ids=SLIPS)
def test_usual_slips_are_mended(reply: str) -> None:
    assert parsed(reply) == Plan(goal="go", steps=[], budget=None, tags={}, done=True)


@steady
@given(first=plans(tame), second=plans(tame))
def test_of_several_values_the_last_that_fits_is_taken(first: Plan, second: Plan) -> None:
    reply = f"```json\n{first.model_dump_json()}\n```\nBetter:\n```json\n{second.model_dump_json()}\n```\nand [1, 2]."
    assert parsed(reply) == second


def test_a_quoted_brace_is_text() -> None:
    assert parsed('{"a": "}{", "b": "\\"}"}', None) == {"a": "}{", "b": '"}'}


WRONG: dict[str, tuple[tuple[str | int, ...], Any, str]] = {
    "text": (("goal",), 7, "goal"),
    "nested": (("steps", 0, "name"), 7, "steps[0].name"),
    "deep in a list": (("steps", 1, "minutes"), "soon", "steps[1].minutes"),
    "union": (("budget",), "much", "budget"),
    "dict": (("tags", "k"), [], "tags.k"),
    "flag": (("done",), "perhaps", "done"),
    "extra": (("bonus",), 1, "bonus"),
}


@steady
@given(wrong=st.sets(st.sampled_from(sorted(WRONG)), min_size=1), gone=st.booleans())
def test_the_feedback_names_every_wrong_path_and_no_other(wrong: set[str], gone: bool) -> None:
    value: Any = {
        "goal": "go",
        "steps": [{"name": "a"}, {"name": "b", "minutes": 1}],
        "budget": 1.5,
        "tags": {"k": "v"},
        "done": True,
    }
    for path, bad, _ in (WRONG[name] for name in wrong):
        place = value
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = bad
    if gone:
        del value["goal"]
    expected = {WRONG[name][2] for name in wrong} | ({"goal"} if gone else set())
    complaint = feedback(json.dumps(value))
    assert {path for _, _, path in WRONG.values() if f"`{path}`" in complaint} == expected


def test_the_feedback_is_about_the_value_that_is_nearest() -> None:
    near = '{"goal": "go", "steps": [], "budget": 1, "tags": {}, "done": "perhaps"}'
    complaint = feedback(f"[1, 2] {near} [] {{}}")
    assert "`done`" in complaint and "perhaps" in complaint and "goal" not in complaint


def test_the_feedback_on_a_huge_value_stays_small() -> None:
    assert len(feedback(json.dumps({"goal": 1, "steps": ["x" * 99] * 500, "bonus": "y" * 9_000}))) < 2_000


@pytest.mark.parametrize("reply", ["", "No JSON here.", "42", '"text"', "{", "[", "```json\n```", "} ]", "nan"])
def test_a_reply_without_json_is_told_the_fields(reply: str) -> None:
    complaint = feedback(reply)
    assert "```json" in complaint
    assert all(name in complaint for name in Plan.model_fields) or "`" in complaint


class Money:
    """A type of the user's that pydantic cannot describe as a JSON schema."""

    def __init__(self, amount: object) -> None:
        self.amount = amount


class Offer(BaseModel):
    """Holds such a type."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    price: Annotated[Money, BeforeValidator(Money)]


def test_a_type_without_a_json_schema_is_still_a_type() -> None:
    assert parsed('{"price": 3}', Offer).price.amount == 3
    assert "```json" in feedback("No JSON here.", Offer)


@pytest.mark.parametrize(
    ("schema", "reply", "value"),
    [
        (None, "[1, 2]", [1, 2]),
        (list[int], 'Take ["1", 2].', [1, 2]),
        (dict[str, list[int]], '{"a": [1]}', {"a": [1]}),
        (list[Step], '[{"name": "a"}]', [Step(name="a")]),
        (Plan | Step, '{"name": "a", "minutes": 3}', Step(name="a", minutes=3)),
    ],
    ids=["none", "list", "dict", "models", "union"],
)
def test_any_type_of_pydantic_is_a_schema(schema: Any, reply: str, value: Any) -> None:
    assert parsed(reply, schema) == value


def test_the_model_is_told_the_path_and_answers_again() -> None:
    model = ScriptedModel(replies=['{"name": "a", "minutes": "soon"}', '{"name": "a", "minutes": 5}'])
    assert think_with_retry(model, "Plan.", json_parser, schema=Step) == Step(name="a", minutes=5)
    assert "`minutes`" in str(model.requests[1][-1].content)


MARKS = ['{"goal": ', '"go"', "[", "]", "{", "}", ",", ":", "\\", "'", "“"]
MARKS += ["```json\n", "\n```\n", "null", "1e999", "NaN"]
noise = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=2))).map("".join))


@settings(steady, max_examples=300)
@given(reply=noise)
@example(reply='{"goal": ' * 400)
@example(reply='{"goal": "\ud800"}')
@example(reply='{"goal": 1' + "0" * 5000 + "}")
def test_any_text_is_answered_within_the_contract(reply: str) -> None:
    for schema in (None, Plan, list[int]):
        result: Any = json_parser(reply, schema)
        if result["status"] == "error":
            assert result["feedback"].strip()
        elif schema is Plan:
            assert isinstance(result["content"], Plan)
        elif schema is None:
            json.dumps(result["content"])
        else:
            assert isinstance(result["content"], list)


HOSTILE = {
    "opened": "[" * 200_000,
    "objects opened": '{"a":' * 40_000,
    "closed": "]" * 200_000,
    "pairs": "[]" * 100_000,
    "nested": "[" * 100_000 + "]" * 100_000,
    "one string": '{"a": "' + "x" * 200_000,
    "escapes": '"' + "\\" * 200_000,
    "quotes": '"' * 200_000,
    "fences": "```json\n{\n```\n" * 14_000,
    "broken values": '{"goal": 1,, ' * 15_000,
    "commas": "[" + "," * 200_000,
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_reply_is_read_to_its_end(reply: str) -> None:
    for schema in (None, Plan):
        assert json_parser(reply, schema).get("status") in ("success", "error")


def test_a_strict_model_is_read_as_json() -> None:
    class Entry(BaseModel):
        model_config = ConfigDict(strict=True)
        day: date
        tags: set[str]
        count: int

    entry = '{"day": "2024-01-01", "tags": ["a"], "count": 1}'
    assert json_parser(entry, schema=Entry).get("content") == Entry(day=date(2024, 1, 1), tags={"a"}, count=1)
    assert json_parser(entry.replace("1}", '"1"}'), schema=Entry)["status"] == "error"


class Ratio(BaseModel):
    """Its validators raise what pydantic takes for no refusal."""

    a: int
    b: int

    @model_validator(mode="before")
    @classmethod
    def known(cls, given: Any) -> Any:
        assert given["b"] != 99
        return given

    @model_validator(mode="after")
    def divided(self) -> Ratio:
        assert self.a / self.b
        return self


def test_a_reply_on_which_a_validator_breaks_is_refused_for_its_form() -> None:
    model = ScriptedModel(replies=['{"a": 1}', '{" a": 1, " b": 2}'])
    assert think_with_retry(model, "Give a ratio.", json_parser, schema=Ratio) == Ratio(a=1, b=2)
    assert "`b`: this field is missing" in model.requests[1][-1].content


@pytest.mark.parametrize("around", [json_parser, pipe(json_parser, success)])
def test_a_validator_that_breaks_on_a_right_form_is_told_with_the_type_and_the_value(around: Any) -> None:
    model = ScriptedModel(replies=['As in {"a": "x"}:\n```json\n{"a": 1, "b": 0}\n```'])
    with pytest.raises(ParserContractError) as broken:
        think_with_retry(model, "Give a ratio.", around, schema=Ratio)
    said = (
        'json_parser could not hold the reply to Ratio: a validator raised ZeroDivisionError: division by zero for {"a'
    )
    assert said in str(broken.value)
    assert '"b": 0' in broken.value.raw_reply


@pytest.mark.parametrize("between", ["\n", "\n\n// wait, that is wrong:\n", ",\n", "\nNo, rather:\n"], ids=repr)
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "```\n{}\n```", "As in {{}}:\n```json\n{}\n```\n[1]"])
def test_of_several_objects_in_one_block_the_last_counts_as_without_a_block(around: str, between: str) -> None:
    reply = around.format(f'{{"name": "a"}}{between}{{"name": "b"}}')
    assert json_parser(reply, Step).get("content") == Step(name="b")
    if "No" not in between:
        assert json_parser(reply, list[Step]).get("content") == [Step(name="a"), Step(name="b")]


class Closed(BaseModel):
    """Takes no other field."""

    model_config = ConfigDict(extra="forbid")

    n: int


ODD: list[tuple[Any, str, str]] = [
    (Callable[[], int], "1", ""),
    (Annotated[Any, WithJsonSchema({"$ref": "elsewhere.json"})], "1", ""),
    (Annotated[Any, WithJsonSchema({"type": "array", "items": True})], "[1]", ""),
    (tuple[int, str], '[1, "a"]', '{"a": 1}'),
    (float | bool, "true", '"x"'),
    (None, "null", "1"),
    (int | None, "null", '"x"'),
    (dict[str, list[int]], '{"a": [1]}', '{"a": [[]]}'),
    (Closed, '{"n": 1}', '{"m": 1, "n": 1}'),
]


@pytest.mark.parametrize(("kind", "right", "wrong"), ODD)
def test_of_any_type_whose_validator_breaks_the_form_alone_is_told(kind: Any, right: str, wrong: str) -> None:
    def breaks(given: Any) -> Any:
        raise KeyError("b")

    schema = Annotated[kind, BeforeValidator(breaks)]
    with pytest.raises(ParserContractError, match="a validator raised KeyError: 'b' for"):
        json_parser(right, schema)
    if wrong:
        assert "does not fit" in json_parser(wrong, schema)["feedback"]
