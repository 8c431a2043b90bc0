"""The forms of an answer that applications bring along: LangChain's strategies, aliases for reading alone."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, ToolStrategy
from pydantic import AliasChoices, AliasPath, BaseModel, Field, RootModel, field_validator, v1
from support.plan_act import Invoke, planned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.errors import ParserContractError


class Mail(BaseModel):
    sender: str = Field(validation_alias="from")


class Chosen(BaseModel):
    sender: str = Field(validation_alias=AliasChoices("from", "who"), serialization_alias="by")


class Nested(BaseModel):
    sender: str = Field(validation_alias=AliasPath("a", "b"))
    at: str = Field("", validation_alias=AliasPath("a", "c"))


class Box(BaseModel):
    first: Mail
    others: list[Mail] = Field(validation_alias="more")
    by_name: dict[str, Mail]


class Mails(RootModel[list[Mail]]):
    """A list of its own."""


BOX = '{"first": {"from": "a"}, "more": [{"from": "b"}], "by_name": {"x": {"from": "c"}}}'


@pytest.mark.parametrize(
    ("form", "reply"),
    [
        (Mail, '{"from": "eva"}'),
        (Chosen, '{"who": "eva"}'),
        (Nested, '{"a": {"b": "eva", "c": "x"}}'),
        (Box, BOX),
        (Mails, '[{"from": "eva"}]'),
    ],
)
def test_an_answer_is_kept_under_the_names_that_its_type_reads(invoke: Invoke, form: Any, reply: str) -> None:
    model = ScriptedModel(replies=[planned(response="x"), reply])
    graph = create_plan_act_graph(model, [], interactive=False, response_format=form)
    kept = invoke(graph, {"goal": "x"})["structured_response"]
    assert form.model_validate(kept) == form.model_validate_json(reply)


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy, AutoStrategy])
def test_of_langchains_strategies_the_type_counts(invoke: Invoke, strategy: Any) -> None:
    model = ScriptedModel(replies=[planned(response="x"), '{"from": "eva"}'])
    graph = create_plan_act_graph(model, [], interactive=False, response_format=strategy(Mail))
    assert invoke(graph, {"goal": "x"})["structured_response"] == {"from": "eva"}


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (ToolStrategy({"title": "Mail", "type": "object", "properties": {}}), "a JSON schema or a name is none"),
        (type("Old", (v1.BaseModel,), {}), "a model of pydantic 1 is none"),
    ],
    ids=["schema", "pydantic 1"],
)
def test_what_is_no_type_for_pydantic_is_refused_when_the_graph_is_built(form: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"response_format has to be a type that pydantic knows: {said}"):
        create_plan_act_graph(ScriptedModel(replies=[]), [], interactive=False, response_format=form)


class Known(BaseModel):
    sender: str

    @field_validator("sender")
    @classmethod
    def address(cls, name: str) -> str:
        """Breaks for everybody but Eva, and refuses Adam."""
        if name == "adam":
            raise ValueError("adam has none")
        return {"eva": "eva@example.org"}[name]


def test_a_validator_that_breaks_is_named_with_the_tokens_of_the_run(invoke: Invoke) -> None:
    replies = [planned(response="x"), '{"sender": "adam"}', '{"sender": "kain"}']
    model = ScriptedModel(replies=replies)
    graph = create_plan_act_graph(model, [], interactive=False, response_format=Known)
    with pytest.raises(ParserContractError, match=r"Known: a validator raised KeyError: 'kain'") as caught:
        invoke(graph, {"goal": "x"})
    assert caught.value.usage["total_tokens"] == 3 * 15
    assert caught.value.raw_reply == replies[-1]
