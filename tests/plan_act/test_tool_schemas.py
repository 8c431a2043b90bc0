"""Tools that say what they take by a model of pydantic 1 or a JSON schema: shown, checked and called like others."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import InjectedState
from pydantic import BaseModel, field_validator, v1
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.tools.schemas import problems_of

WHO = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
PEOPLE = {"type": "array", "items": {"$ref": "#/$defs/Who"}}
TREE = {"type": "object", "properties": {"of": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}


class Words(v1.BaseModel):
    text: str = v1.Field(description="what to say")
    times: int = 1


def say(text: str, times: int = 1) -> str:
    return " ".join([text] * times)


def saying() -> BaseTool:
    old: Any = Words
    return StructuredTool.from_function(say, name="say", description="Say.", args_schema=old)


def taking(**properties: Any) -> BaseTool:
    """A tool with a JSON schema, whose fields that begin with a capital are definitions."""
    fields = {name: about for name, about in properties.items() if name.islower()}
    schema = {"type": "object", "properties": fields, "required": [*fields][:1]}
    schema["$defs"] = {name: about for name, about in properties.items() if not name.islower()}
    return StructuredTool.from_function(
        lambda **given: str(given), name="take", description="Take.", args_schema=schema
    )


def one(name: str, *given: Any) -> list[str]:
    return [planned("do it"), *[act(name, each) for each in given], done("Done."), replanned(response="Done.")]


@pytest.mark.parametrize(("given", "result"), [({"text": "hi", "times": 2}, "hi hi"), ("hi", "hi")], ids=str)
def test_a_model_of_pydantic_1_is_a_schema_like_any_other(invoke: Invoke, given: Any, result: str) -> None:
    played = play(invoke, one("say", given), [saying()], interactive=False)
    assert [(seen["ok"], seen["result"]) for seen in played.result["observations"]] == [(True, result)]
    assert '{"text": string (what to say), "times"?: integer = 1}' in str(played.model.requests[0][0].content)


def test_what_does_not_fit_it_goes_back_with_its_field(invoke: Invoke) -> None:
    played = play(invoke, one("say", {"times": "many"}, {"text": "hi"}), [saying()], interactive=False)
    assert "`text`: field required; `times`: value is not a valid integer" in last_words(played.model, 2)
    assert [seen["result"] for seen in played.result["observations"]] == ["hi"]


def test_what_the_user_is_asked_for_may_be_missing_from_it(invoke: Invoke) -> None:
    tool = saying()
    tool.metadata = {"required": ["text"]}
    replies = [planned("do it"), *[act("say", {"times": 1})] * 2, done("Done."), replanned(response="Done.")]
    played = play(invoke, replies, [tool], answers=["hi"])
    assert [seen["result"] for seen in played.result["observations"]] == ["hi"]


def test_a_field_of_it_may_have_an_alias(invoke: Invoke) -> None:
    class Mail(v1.BaseModel):
        text: str
        sender: str = v1.Field("me", alias="from")

    old: Any = Mail
    tool = StructuredTool.from_function(
        lambda text, sender="me": f"{text} {sender}", name="f", description="d", args_schema=old
    )
    played = play(invoke, one("f", {"text": "hi"}), [tool], interactive=False)
    assert [seen["result"] for seen in played.result["observations"]] == ["hi me"]


def test_an_argument_that_it_cannot_have_filled_in_is_refused_by_name() -> None:
    class WithState(v1.BaseModel):
        text: str
        state: Annotated[dict[str, Any], InjectedState]

    old: Any = WithState
    tool = StructuredTool.from_function(lambda text, state: text, name="f", description="d", args_schema=old)
    with pytest.raises(ValueError, match=r"'state' of the tool 'f' cannot be filled in.*pydantic 2"):
        create_plan_act_graph(ScriptedModel(replies=[]), [tool], interactive=False)


@pytest.mark.parametrize(
    ("tool", "wrong", "said", "right"),
    [
        (taking(who={"$ref": "#/$defs/Who"}, Who=WHO), {"who": "eva"}, "`who`: Input should be of type object", WHO),
        (taking(who={"$ref": "#/$defs/Who"}, Who=WHO), {"who": {}}, "`who.name`: Field required", WHO),
        (taking(who={"allOf": [{"$ref": "#/$defs/Who"}]}, Who=WHO), {"who": {}}, "`who.name`: Field required", WHO),
        (taking(who=PEOPLE, Who=WHO), {"who": [{"name": "a"}, {}]}, "`who.1.name`: Field required", [WHO]),
        (taking(n={"type": ["integer", "null"]}), {"n": True}, "`n`: Input should be of type integer or null", None),
        (taking(n={"anyOf": [{"type": "string"}, WHO]}), {"n": 5}, "`n`: Input should be of type string", "s"),
        (taking(n={"enum": ["a", "b"]}), {"n": "c"}, "`n`: Input should be one of 'a', 'b'", "a"),
        (taking(n={"const": 5}), {"n": 6}, "`n`: Input should be 5", 5),
        (taking(t={"$ref": "#/$defs/Tree"}, Tree=TREE), {"t": {"of": [{"of": 1}]}}, "`t.of.0.of`: Input", {"of": [{}]}),
    ],
    ids=["no object", "empty", "all of", "in a list", "either", "any of", "enum", "const", "in a tree"],
)
def test_a_call_is_held_to_a_json_schema(invoke: Invoke, tool: Any, wrong: Any, said: str, right: Any) -> None:
    name = next(iter(wrong))
    value = {"name": "a"} if right is WHO else [{"name": "a"}] if right == [WHO] else right
    played = play(invoke, one("take", wrong, {name: value}), [tool], interactive=False)
    assert said in last_words(played.model, 2)
    assert [seen["result"] for seen in played.result["observations"]] == [str({name: value})]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"q": {"$ref": "#/definitions/Q"}}, "required": ["q"], "definitions": {"Q": {"type": "string"}}},
        {"type": "object", "properties": {"q": True}},
        {"properties": {"q": {"$ref": "#/$defs/Q"}}, "$defs": {"Q": {"$ref": "#/$defs/Q"}}},
        {"type": 5, "properties": {"q": {"type": [5]}}, "required": 7},
    ],
    ids=["definitions", "anything", "in a circle", "none at all"],
)
def test_a_schema_of_another_kind_ends_no_run(invoke: Invoke, schema: Any) -> None:
    tool = StructuredTool.from_function(lambda **given: str(given), name="f", description="d", args_schema=schema)
    played = play(invoke, one("f", {"q": "x"}), [tool], interactive=False)
    assert [seen["result"] for seen in played.result["observations"]] == ["{'q': 'x'}"]


def test_what_may_be_null_may_be_null(invoke: Invoke) -> None:
    played = play(invoke, one("take", {"n": None}), [taking(n={"type": "string", "nullable": True})], interactive=False)
    assert [seen["result"] for seen in played.result["observations"]] == ["{'n': None}"]


def test_a_value_that_is_nested_deep_is_looked_at_to_a_depth() -> None:
    """Two branches that refer back are tried twice as often at every level."""
    branch = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    tool = taking(t={"$ref": "#/$defs/Tree"}, Tree={"anyOf": [branch, {**branch, "minItems": 0}]})
    value: Any = 5
    for _ in range(60):
        value = [value]
    assert problems_of(tool, {"t": value}, ()) == []
    assert problems_of(tool, {"t": [5]}, ()) == ["`t.0`: Input should be of type array"]


class Place(BaseModel):
    name: str

    @field_validator("name", mode="before")
    @classmethod
    def shortened(cls, value: Any) -> Any:
        return value.strip()


def test_a_validator_that_breaks_costs_its_call_alone(invoke: Invoke) -> None:
    def visit(place: Place) -> str:
        """Visit a place."""
        return f"at {place.name}"

    replies = one("visit", {"place": {"name": 5}}, {"place": {"name": " x "}})
    seen = play(invoke, replies, [visit], interactive=False).result["observations"]
    assert [look["ok"] for look in seen] == [False, True]
    assert "'int' object has no attribute 'strip'" in seen[0]["result"]
    assert seen[1]["result"] == "at x"


@pytest.mark.filterwarnings("ignore:This API is in beta")
def test_a_graph_that_was_made_a_tool_breaks_no_graph_that_is_built() -> None:
    """Its schema has messages, whose own validators raise what pydantic does not take for a misfit."""
    answer = create_plan_act_graph(ScriptedModel(replies=[]), [], interactive=False)
    tool: Any = answer.as_tool(name="ask", description="Ask.")
    assert create_plan_act_graph(ScriptedModel(replies=[]), [tool], interactive=False)
