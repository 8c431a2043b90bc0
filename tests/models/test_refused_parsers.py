"""What is no parser, and arguments that a parser does not take, are refused before the model is asked."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import pytest
from pydantic import BaseModel
from support.scripted import ScriptedModel
from thoughtgraph import athink_with_retry, json_parser, multi_section_parser, pipe, think_with_retry
from thoughtgraph.errors import ParserContractError
from thoughtgraph.parsers import python_parser
from thoughtgraph.parsers.contract import success


class Count(BaseModel):
    """What a reply has to hold."""

    cats: int


async def waits(raw_reply: str) -> Any:
    """An async parser."""
    return success(raw_reply)


def needs_more(raw_reply: str, unit: str) -> Any:
    """A parser with an argument of its own."""
    return success(raw_reply + unit)


@functools.wraps(json_parser)
def wrapper(raw_reply: str, *, unit: str, **settings: Any) -> Any:
    """A parser around another, with an argument of its own."""
    return success((json_parser(raw_reply, **settings), unit))


PIPED = pipe(json_parser, success)
REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "none": (None, {}, "parser None is of type NoneType"),
    "a text": ("json", {}, "parser 'json' is of type str"),
    "async": (waits, {}, "is async"),
    "a schema in its place": (Count, {}, "Count is a type. Pass json_parser, and the type as its schema"),
    "a plain type": (int, {}, "int is a type"),
    "a type with arguments": (dict[str, int], {}, "dict is a type"),
    "an unknown argument": (json_parser, {"scheme": Count}, "scheme.* own arguments: schema, kept"),
    "a limit by another name": (json_parser, {"max_attempts": 2}, "Those of `think_with_retry` are max_retries"),
    "one behind a pipe": (PIPED, {"scheme": Count}, "scheme"),
    "one that is missing": (needs_more, {}, "'unit'"),
    "a schema that is none": (json_parser, {"schema": "Count"}, "a type that pydantic knows"),
    "a JSON schema": (json_parser, {"schema": {"type": "object"}}, "a type that pydantic knows"),
    "an instance": (json_parser, {"schema": Count(cats=1)}, "a type that pydantic knows"),
    "a schema behind a pipe": (PIPED, {"schema": 5}, "a type that pydantic knows"),
    "a schema in a partial": (functools.partial(json_parser, schema=5), {}, "a type that pydantic knows"),
    "one header": (multi_section_parser, {"section_headers": "[Plan]"}, "is a list with at least one header"),
    "a header that is none": (
        multi_section_parser,
        {"section_headers": ["[A]", 1]},
        "each of section_headers has to be",
    ),
    "headers in a header": (multi_section_parser, {"section_headers": [["[A]"]]}, "each of section_headers has to be"),
    "a pattern that is none": (
        multi_section_parser,
        {"section_headers": [None], "regex_mode": True},
        "has to be a text",
    ),
    "an unknown mode": (multi_section_parser, {"section_headers": ["[A]"], "match_mode": "SOME"}, "match_mode"),
    "one name": (python_parser, {"names": "add"}, "names has to be a list of names"),
}


@pytest.mark.parametrize(("parser", "arguments", "words"), REFUSED.values(), ids=REFUSED)
async def test_a_parser_that_cannot_be_called_so_costs_no_reply(
    parser: Any, arguments: dict[str, Any], words: str
) -> None:
    model = ScriptedModel(replies=["7"])
    with pytest.raises(ParserContractError, match=words) as refused:
        think_with_retry(model, "Go.", parser, **arguments)
    assert (model.requests, refused.value.raw_reply) == ([], "")
    with pytest.raises(ParserContractError, match=words):
        await athink_with_retry(model, "Go.", parser, **arguments)
    assert model.requests == []


TAKEN: dict[str, tuple[Any, dict[str, Any]]] = {
    "any arguments": (lambda raw_reply, **settings: success(raw_reply), {"unit": "g"}),
    "no schema": (json_parser, {}),
    "a schema": (json_parser, {"schema": Count}),
    "one that cannot be hashed": (json_parser, {"schema": Annotated[dict[str, int], ["pets"]]}),
    "a schema in a partial of a pipe": (functools.partial(PIPED, schema=Count), {}),
    "arguments that only a wrapper takes": (wrapper, {"unit": "g", "schema": Count}),
    "an argument of its own": (needs_more, {"unit": "g"}),
}


@pytest.mark.parametrize(("parser", "arguments"), TAKEN.values(), ids=TAKEN)
def test_a_parser_that_takes_its_arguments_is_asked(parser: Any, arguments: dict[str, Any]) -> None:
    assert think_with_retry(ScriptedModel(replies=['{"cats": 2}']), "Go.", parser, **arguments)


def test_an_argument_with_a_name_of_the_callers_is_bound_to_the_parser() -> None:
    def about(raw_reply: str, messages: str) -> Any:
        return success(f"{raw_reply} {messages}")

    with pytest.raises(ParserContractError, match=r"functools\.partial\(about, messages=…\)"):
        think_with_retry(ScriptedModel(replies=[]), "Go.", about)
    bound = functools.partial(about, messages="here")
    assert think_with_retry(ScriptedModel(replies=["7"]), "Go.", bound) == "7 here"


def test_a_users_parser_sees_no_other_reply_than_the_models() -> None:
    seen: list[Any] = []

    def own(value: Any) -> Any:
        seen.append(value)
        return success(value)

    for parser in (own, pipe(own, own), pipe(json_parser, own), functools.partial(pipe(own, own))):
        think_with_retry(ScriptedModel(replies=["7"]), "Go.", parser)
    assert set(seen) == {"7", 7}
