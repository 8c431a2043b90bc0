"""What a parser is, and how parsers compose with checks (rows T3 and T7)."""

from __future__ import annotations

from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage
from support.scripted import ScriptedModel
from thoughtgraph import ParseResult, json_parser, multi_section_parser, pipe, python_parser, think_with_retry
from thoughtgraph.errors import ParserContractError


def strip(raw_reply: str, *, unit: str = "") -> Any:
    """Takes every reply that is not blank."""
    text = raw_reply.strip().removesuffix(unit)
    return {"status": "success", "content": text} if text else {"status": "error", "feedback": "Write something."}


def number(text: str) -> Any:
    """A check that changes the content."""
    good = text.isdigit()
    return {"status": "success", "content": int(text)} if good else {"status": "error", "feedback": f"{text}: not one"}


def positive(value: int) -> Any:
    """A check that keeps the content."""
    return {"status": "success"} if value > 0 else {"status": "error", "feedback": "It must be positive."}


def typed(value: int) -> ParseResult:
    """A check with a typed result."""
    return ParseResult("success", value * 2) if value < 9 else ParseResult("error", feedback="At most 9.")


def test_the_check_sees_the_content_and_its_content_is_the_pipes() -> None:
    assert pipe(strip, number)(" 7 ") == {"status": "success", "content": 7}


def test_a_check_without_content_keeps_what_was_parsed() -> None:
    assert pipe(pipe(strip, number), positive)("7") == {"status": "success", "content": 7}


@pytest.mark.parametrize("nothing", [None, {}, "", 0, False], ids=repr)
def test_a_check_may_find_something_falsy(nothing: Any) -> None:
    result: Any = pipe(strip, lambda text: {"status": "success", "content": nothing})("7")
    assert result == {"status": "success", "content": nothing}


def test_typed_results_compose_with_dicts() -> None:
    checked = pipe(pipe(strip, number), typed)
    assert checked("7") == {"status": "success", "content": 14}
    assert checked("10") == {"status": "error", "feedback": "At most 9."}


def test_a_typed_success_without_content_keeps_what_was_parsed() -> None:
    """As its dict form does."""
    result: Any = pipe(strip, lambda text: ParseResult("success"))("7")
    assert result == {"status": "success", "content": "7"}


@pytest.mark.parametrize(
    ("reply", "said"),
    [(" ", "Write something."), ("x", "x: not one"), ("0", "It must be positive."), ("10", "At most 9.")],
    ids=["parser", "first check", "second check", "third check"],
)
def test_the_feedback_of_the_first_that_refuses_is_the_pipes(reply: str, said: str) -> None:
    result = pipe(pipe(pipe(strip, number), positive), typed)(reply)
    assert result == {"status": "error", "feedback": said}


def test_a_check_is_not_asked_about_a_refused_reply() -> None:
    def never(content: Any) -> Any:
        pytest.fail("the check was called")

    assert pipe(strip, never)("")["status"] == "error"


def test_keywords_go_to_the_parser_alone() -> None:
    assert pipe(strip, number)("7 kg", unit=" kg") == {"status": "success", "content": 7}


def test_a_pipe_is_named_after_its_parts() -> None:
    assert getattr(pipe(strip, number), "__name__", "") == "pipe(strip, number)"


def test_the_builtin_parsers_compose() -> None:
    def as_json(sections: dict[str, str]) -> Any:
        return json_parser(sections["[Data]"], dict[str, int])

    checked = pipe(multi_section_parser, as_json)
    headers = ["[Data]"]
    assert checked('[Data]\n{"a": 1}', section_headers=headers) == {"status": "success", "content": {"a": 1}}
    complaint: Any = checked('[Data]\n{"a": "x"}', section_headers=headers)
    assert "`a`" in complaint["feedback"]
    complaint = checked('{"a": 1}', section_headers=headers)
    assert "[Data]" in complaint["feedback"]


@pytest.mark.parametrize("reply", [None, 5, AIMessage("[Data]\n1")], ids=["nothing", "a number", "a message"])
def test_what_is_no_text_is_no_reply(reply: Any) -> None:
    for parse in (json_parser, python_parser, lambda it: multi_section_parser(it, section_headers=["[Data]"])):
        with pytest.raises(ValueError, match=r"a reply has to be a text; that of a message is `message\.text`"):
            parse(reply)


def test_a_type_in_place_of_a_reply_is_told_from_a_schema() -> None:
    with pytest.raises(
        ValueError, match="got the type int: pass json_parser itself as the parser, and the type as its"
    ):
        think_with_retry(ScriptedModel(replies=["1"]), "How many?", json_parser(cast(Any, int)))


@pytest.mark.parametrize(
    "returned",
    [None, "yes", {}, {"status": "error"}, ParseResult("error")],
    ids=["none", "text", "empty", "no feedback", "an empty result"],
)
@pytest.mark.parametrize("where", ["parser", "check"])
def test_a_breach_names_the_part_that_broke_the_contract(where: str, returned: Any) -> None:
    def culprit(value: Any) -> Any:
        return returned

    broken = pipe(culprit, number) if where == "parser" else pipe(strip, culprit)
    with pytest.raises(ParserContractError, match="parser culprit") as caught:
        broken("7")
    assert (caught.value.parser, caught.value.raw_reply) == ("culprit", "7")


def test_a_parser_that_would_end_the_program_breaks_the_contract() -> None:
    """As one does that hands the reply to `argparse`."""

    def culprit(raw_reply: str) -> Any:
        raise SystemExit(2)

    with pytest.raises(
        ParserContractError, match=r"parser culprit raised .*tried to end the program \(SystemExit: 2\)"
    ):
        think_with_retry(ScriptedModel(replies=["7"]), "Name a number.", culprit)
