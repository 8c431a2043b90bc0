"""The contract of a parser: it takes a raw reply and returns success or says what is missing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NotRequired, TypedDict, cast, get_origin

from langgraph.errors import GraphBubbleUp
from typing_extensions import TypeVar

from .._internal.redact import line_of
from .._internal.steps import exits_as_errors, is_async
from ..errors import ParserContractError, ToolContractError

Content = TypeVar("Content", default=Any)
"""What a parser makes of a reply."""


class Accepted(TypedDict, Generic[Content]):
    """The dict form of a success; `content` may be of any type."""

    status: Literal["success"]
    content: Content


class Refused(TypedDict):
    """The dict form of an error.

    `kept` is what was right in a refused reply. If the parser has a parameter `kept`, `think_with_retry` passes it on
    with the next reply, and asks the model only for what is missing or has to change.
    """

    status: Literal["error"]
    feedback: str
    kept: NotRequired[Any]


ParseDict = Accepted[Content] | Refused
"""The dict form of a parse result, by its `status`: `Accepted` or `Refused`. `ParseDict[str]` has a text as content."""

_ABSENT: Any = object()
_OF_THE_CALLER = ("model", "messages", "parser", "max_retries", "echo_reasoning", "backoff")
"""Arguments of `think_with_retry` itself, which never reach a parser."""


# No slots: with them, Python 3.11 cannot call `ParseResult[str](…)`.
@dataclass(frozen=True)
class ParseResult(Generic[Content]):
    """The typed form of a parse result; see `ParseDict`. An absent content is `{}`."""

    status: Literal["success", "error"]
    content: Content = _ABSENT
    feedback: str = ""
    kept: Any = None


ParserReturn = ParseDict[Content] | ParseResult[Content] | Mapping[str, Any]
"""What a parser returns; a plain mapping has the keys of `ParseDict`."""

Parser = Callable[..., ParserReturn[Content]]
"""`parser(raw_reply, **kwargs)` → `{"status": "success", "content": …}` or `{"status": "error", "feedback": …}`."""


def success(content: Content) -> Accepted[Content]:
    """A parse result that accepts the reply."""
    return {"status": "success", "content": content}


def error(feedback: str, kept: Any = None) -> Refused:
    """A parse result that refuses the reply and tells the model why; `kept` is what was right in it."""
    refused: Refused = {"status": "error", "feedback": feedback}
    return {**refused, "kept": kept} if kept else refused


def parser_name(parser: Callable[..., Any]) -> str:
    """The name of a parser, or of any other user's callable, for messages."""
    # A `functools.partial` has no name of its own.
    parser = getattr(parser, "func", parser)
    return getattr(parser, "__name__", None) or type(parser).__name__


def takes_kept(parser: Callable[..., Any]) -> bool:
    """Whether a parser has a parameter `kept`; a function around a parser that keeps something need not have one."""
    try:
        return "kept" in inspect.signature(parser).parameters
    except (TypeError, ValueError):
        return False


def check_parser(parser: Parser, kwargs: Mapping[str, Any]) -> None:
    """Refuse what is no parser, and arguments that it cannot be called with, before a reply is paid for.

    Raises:
        ParserContractError: it cannot be called, is async or a type, or does not take the arguments; of a parser of
            this library, also if one has a wrong value.
    """
    while _is_own(parser) and hasattr(parser, "__wrapped__"):
        # A pipe passes its arguments on.
        parser = cast(Any, parser).__wrapped__
    name = parser_name(parser)
    if not callable(parser):
        raise ParserContractError(f"{parser!r:.80}", f"is of type {name} and cannot be called", "")
    given: object = get_origin(parser) or parser
    if isinstance(given, type) and not issubclass(given, ParseResult):
        raise ParserContractError(name, "is a type", "", "Pass json_parser, and the type as its schema.")
    if is_async(parser):
        raise ParserContractError(name, "is async: make it a plain function", "")
    try:
        # What wraps a parser may have arguments of its own.
        signature = inspect.signature(parser, follow_wrapped=False)
    except (TypeError, ValueError):
        # Some callables that are written in C have no signature.
        return
    names = list(signature.parameters)[1:]
    advice = f"Pass `think_with_retry` the parser's own arguments: {', '.join(names) or 'none'}. "
    if taken := [name for name in names if name in _OF_THE_CALLER]:
        given = ", ".join(f"{name}=…" for name in taken)
        advice += f"It has arguments of these names itself, so bind them: functools.partial({name}, {given})."
    else:
        advice += "Those of `think_with_retry` are max_retries, echo_reasoning and backoff."
    try:
        signature.bind("", **kwargs)
        inner = getattr(parser, "func", parser)
        if _is_own(inner) and not hasattr(inner, "__wrapped__"):
            # It has no effects, and looks at its arguments before it looks at the reply.
            parser("", **kwargs)
    except Exception as misfit:
        raise ParserContractError(name, f"cannot be called so: {misfit}", "", advice) from misfit


def _is_own(parser: object) -> bool:
    # Not its `__module__`, which a wrapper copies.
    return str(getattr(parser, "__globals__", {}).get("__name__")).startswith(f"{__package__}.")


def apply_parser(parser: Parser, raw_reply: str, kwargs: Mapping[str, Any]) -> ParseResult:
    """Call a parser and hold it to its contract.

    Raises:
        ParserContractError: it raised (wrong arguments included), or returned something other than a parse result.
        ToolContractError: a function that a tool brings, and that the parser asks, did so.
    """
    name = parser_name(parser)
    try:
        with exits_as_errors():
            returned: object = parser(raw_reply, **kwargs)
    except (GraphBubbleUp, ParserContractError, ToolContractError):
        # A check may pause the graph by `interrupt()`; a tool's own mistake is none of the parser's, nor a pipe's that
        # of its part.
        raise
    except Exception as problem:
        raise ParserContractError(name, f"raised {line_of(problem)}", raw_reply) from problem
    return _checked(name, returned, raw_reply)


def _checked(name: str, returned: object, raw_reply: str) -> ParseResult:
    if isinstance(returned, ParseResult):
        typed = cast("ParseResult[Any]", returned)
        result = replace(typed, content={}) if typed.content is _ABSENT else typed
    elif isinstance(returned, Mapping):
        fields = cast("Mapping[str, Any]", returned)
        feedback, kept = fields.get("feedback") or "", fields.get("kept")
        result = ParseResult[Any](fields.get("status"), fields.get("content", {}), feedback, kept)  # pyright: ignore[reportArgumentType]
    else:
        raise ParserContractError(name, f"returned {type(returned).__name__}", raw_reply)
    if result.status == "success":
        return result
    if result.status != "error":
        raise ParserContractError(name, f"returned the status {result.status!r}", raw_reply)
    if not isinstance(result.feedback, str) or not result.feedback.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParserContractError(name, "returned an error without feedback", raw_reply)
    return result


def _has_content(returned: object) -> bool:
    if isinstance(returned, ParseResult):
        return returned.content is not _ABSENT
    return "content" in cast("Mapping[str, Any]", returned)


def pipe(parser: Parser, check: Parser) -> Callable[..., ParseDict]:
    """Compose a parser with a validator: `check` sees the parser's content, and its feedback reaches the model.

    Args:
        parser: gets the raw reply and the keyword arguments.
        check: gets the parser's `content` and returns a parse result, whose `content` becomes the pipe's. A success
            without content keeps the parser's content.

    Raises:
        ParserContractError: one of the two cannot be called.

    Example:
        >>> def short(plan):
        ...     return success(plan) if len(plan) < 9 else error("Keep the plan below 9 characters.")
        >>> pipe(lambda reply: success(reply.strip()), short)(" go ")["content"]
        'go'
    """
    parts: tuple[object, ...] = (parser, check)
    for part in parts:
        if not callable(part):
            raise ParserContractError(f"{part!r:.80}", f"is of type {type(part).__name__} and cannot be called", "")

    def piped(raw_reply: str, **kwargs: Any) -> ParseDict:
        parsed = _checked(parser_name(parser), parser(raw_reply, **kwargs), raw_reply)
        if parsed.status == "error":
            return error(parsed.feedback, parsed.kept)
        returned: object = check(parsed.content)
        checked = _checked(parser_name(check), returned, raw_reply)
        if checked.status == "error":
            return error(checked.feedback)
        return success(checked.content if _has_content(returned) else parsed.content)

    piped.__name__ = f"pipe({parser_name(parser)}, {parser_name(check)})"
    # Its parameters are those of the parser.
    piped.__wrapped__ = parser  # pyright: ignore[reportFunctionMemberAccess]
    return piped


def any_text(raw_reply: str) -> ParseDict:
    """A parser that accepts any reply that is not empty."""
    text = raw_reply.strip()
    return success(text) if text else error("Your reply was empty. Write your answer.")
