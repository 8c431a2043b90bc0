"""Think with retry: ask loosely, parse strictly, and continue the conversation with exactly what is missing.

Method: docs/background/parsing_and_feedback.md (loose section markers, exact feedback, conversational correction).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from .._internal.numbers import whole_number
from .._internal.steps import Steps, arun, run
from ..errors import ParseFailedError, ParserContractError, ToolContractError, TruncatedError
from ..parsers.contract import Content, Parser, apply_parser, check_parser, parser_name, takes_kept
from ..traces.events import Link, record
from ..traces.shapes import Usage
from .messages import EMPTY_REPLY, NO_USAGE, Messages, add_usage, to_messages, with_reasoning
from .named import as_models, model_name
from .options import WARMTH, refused_of, sampling_options
from .streams.circles import once
from .streams.pieces import Thought, circled, said
from .streams.untruncated import Asking, untruncated_steps
from .streams.written_calls import all_written, with_calls
from .thought import ChatModel
from .transport import LOST, Backoff, is_gone

_log = logging.getLogger("thoughtgraph.models")

MAX_FEEDBACK = 2_000
"""Characters of feedback that are replayed to the model; more would grow the request without saying more."""

_NONE: Mapping[str, Any] = MappingProxyType({})
_FILTERED = "The provider's content filter cut your reply off. Answer in other words."
_CALLED = "You called a tool in place of a reply, and nothing can be called in that way: write text."
_KEPT = "Write only the parts that are missing or have to change, each of them whole; the rest of your reply is kept."


@dataclass(frozen=True, slots=True)
class Parsed:
    """An accepted reply.

    Attributes:
        content: the parser's content.
        thought: the accepted reply itself.
        usage: tokens of all attempts.
        attempts: replies it took, of all models.
    """

    content: Any
    thought: Thought
    usage: Usage
    attempts: int


def think_with_retry(
    model: ChatModel | Sequence[ChatModel],
    messages: Messages,
    parser: Parser[Content],
    *,
    max_retries: int = 3,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **parser_kwargs: Any,
) -> Content:
    """Call a model until its reply passes `parser`, and return the parser's content.

    A refused reply stays in the conversation as the model's turn and the parser's feedback follows as the user's. Only
    the latest refused reply and its feedback are replayed, so the request does not grow with the attempts; all of them
    are recorded in the trace. A reply cut off by the output cap is not a format error: the cap is raised once. One that
    was cut off while it ran in circles, or by the provider's content filter, is a failed attempt, and the model is told
    so. If the parser keeps what was right in a refused reply, the model is asked only for the rest.

    Args:
        model: any LangChain chat model; or several, the cheapest first. If a model's replies were all refused or cut
            off, its server is gone or refuses the key, or the request is too long for it, the next is asked in a
            conversation of its own, with the same limits. In the trace every reply then names its model, and the first
            after a model that is gone says so.
        messages: a prompt, or a list of messages; never changed. Show an example of the format in it.
        parser: `parser(raw_reply, **parser_kwargs)` → `{"status", "content", "feedback"}`; pass it as it is. If it has
            a parameter `kept`, the `kept` of a refused reply is passed on to it with the next one.
        max_retries: attempts of each model in all, the first included.
        echo_reasoning: send the model's earlier reasoning back with its refused reply.
        backoff: how transport errors are waited out; they never enter the conversation.
        **parser_kwargs: the parser's own arguments; one with a name of those above is bound to the parser before, by
            `functools.partial(parser, messages=…)`.

    Returns:
        The parser's `content`, of the type that its annotation gives, `ParseDict[str]`; `{}` where it gave none.

    Raises:
        ParseFailedError: no reply passed; carries every reply, every feedback and the summed usage.
        TruncatedError: the reply hit the raised output cap, too.
        ParserContractError: the parser is none, does not take these arguments, or did not return a parse result.
        ToolContractError: a function that a tool brings, and that the parser asks, raised.
        ModelUnavailableError: the model could not be reached.
        RequestTooLongError: the request is longer than the model takes.
        ValueError: `messages` is empty, `max_retries` is below 1, or `model` is empty or has a model twice.

        Of several models the last one's error is raised, with the usage of all, and notes on the others.

    Example:
        >>> from thoughtgraph import multi_section_parser, think_with_retry
        >>> sections = think_with_retry(                                        # doctest: +SKIP
        ...     model, prompt, multi_section_parser, section_headers=["[Plan]", "[Answer]"]
        ... )
    """
    models = as_models(model, "model")
    check_parser(parser, parser_kwargs)
    steps = cascade_steps(
        models, messages, parser, parser_kwargs, max_retries=max_retries, echo_reasoning=echo_reasoning, backoff=backoff
    )
    return run(steps).content


async def athink_with_retry(
    model: ChatModel | Sequence[ChatModel],
    messages: Messages,
    parser: Parser[Content],
    *,
    max_retries: int = 3,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **parser_kwargs: Any,
) -> Content:
    """Async twin of `think_with_retry`."""
    models = as_models(model, "model")
    check_parser(parser, parser_kwargs)
    steps = cascade_steps(
        models, messages, parser, parser_kwargs, max_retries=max_retries, echo_reasoning=echo_reasoning, backoff=backoff
    )
    return (await arun(steps)).content


def cascade_steps(
    models: Sequence[ChatModel],
    messages: Messages,
    parser: Parser,
    parser_kwargs: Mapping[str, Any] = _NONE,
    *,
    options: Mapping[str, Any] | Callable[[ChatModel], Mapping[str, Any]] = _NONE,
    first: int = 0,
    **settings: Any,
) -> Steps[Parsed]:
    """`think_with_retry` as steps: the models in turn, until a reply of one is accepted.

    `first` is the place of the one to begin with; one that is past the last stands for the last. Those before it are
    asked if it and those behind it bring nothing. Options may be a function of the model; the other settings are those
    of `retry_steps`.
    """
    start = min(first, len(models) - 1)
    models = [*models[start:], *models[:start]]
    usage, replies, feedbacks, notes = NO_USAGE, list[str](), list[str](), list[str]()
    links: list[Link] = []
    gone = ""
    for model in models:
        # One model alone is named by its provider, or not at all.
        named = {"model": model_name(model), **({"gone": gone} if gone else {})} if len(models) > 1 else {}
        own = options(model) if callable(options) else options
        try:
            parsed = yield from retry_steps(
                model, messages, parser, parser_kwargs, options=own, links=links, named=named, **settings
            )
        except Exception as failed:
            refused = isinstance(failed, (ParseFailedError, TruncatedError))
            if not (refused or is_gone(failed)):
                if isinstance(failed, ParserContractError):
                    failed.usage = dict(add_usage(usage, cast(Usage, {**NO_USAGE, **failed.usage})))
                raise
            gone = "" if refused else "; ".join(filter(None, [gone, str(failed)]))
            # A provider's own error, as over a key, has none of these.
            usage = add_usage(usage, cast(Usage, {**NO_USAGE, **getattr(failed, "usage", {})}))
            replies += getattr(failed, "raw_replies", [])
            feedbacks += getattr(failed, "feedbacks", [])
            if model is not models[-1]:
                notes.append(f"{named['model']}, which was asked before: {failed}")
                if not isinstance(failed, (ParseFailedError, TruncatedError, *LOST)):
                    _log.warning("the next model is asked, as %s refuses every request: %s", named["model"], failed)
                continue
            error: Exception = failed
            if isinstance(failed, (ParseFailedError, TruncatedError, *LOST)):
                failed.usage, failed.raw_replies, failed.feedbacks = dict(usage), replies, feedbacks
            if isinstance(failed, ParseFailedError) and len(models) > 1:
                error = ParseFailedError(failed.parser, replies, feedbacks, usage)
            for note in notes:
                error.add_note(note)
            if error is failed:
                raise
            raise error from failed
        else:
            return replace(parsed, usage=add_usage(usage, parsed.usage), attempts=len(replies) + parsed.attempts)
    raise AssertionError("there is a last model")


def retry_steps(
    model: ChatModel,
    messages: Messages,
    parser: Parser,
    parser_kwargs: Mapping[str, Any] = _NONE,
    *,
    max_retries: int = 3,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    options: Mapping[str, Any] = _NONE,
    links: list[Link] | None = None,
    named: Mapping[str, str] = _NONE,
) -> Steps[Parsed]:
    """One model's `think_with_retry` as steps, for nodes that need the reply and its usage beside the content.

    `links` lead to the first reply, and then from the last one on. `named` tells of the model where several are asked.
    """
    max_retries = whole_number("max_retries", max_retries)
    base = to_messages(messages, echo_reasoning=echo_reasoning)
    tail: list[BaseMessage] = []
    replies, feedbacks, usage = list[str](), list[str](), NO_USAGE
    asking: Asking = Asking(model, backoff, options, [] if links is None else links, named)
    kept: dict[str, Any] = {}
    while len(replies) < max_retries:
        try:
            thought, usage, asking = yield from untruncated_steps(asking, [*base, *tail] if tail else base, usage)
        except (TruncatedError, *LOST) as lost:
            lost.raw_replies, lost.feedbacks = replies, feedbacks
            raise
        except Exception as refusal:
            if not (refused := refused_of(asking.options, refusal)):
                raise
            asking = replace(asking, options=_without(asking.options, refused))
            continue
        about = said(thought, asking.named)
        sent = about["reply"]
        asking = replace(asking, named=_without(asking.named, ("gone",)))
        repetition = circled(thought)
        if cut := repetition or (_FILTERED if thought.finish_reason == "content_filter" else ""):
            asking.next_follows(record("thought", asking.links, **about, feedback=cut, circled=bool(repetition)))
            replies.append(sent)
            feedbacks.append(cut)
            tail = _turns(replace(thought, reply=once(thought.reply), message=None), cut, echo_reasoning=False)
            continue
        # A call says as much as a payload to the parser that knows the tools.
        heard = with_calls(thought.reply, thought.message) if hasattr(parser, "hears_calls_of") else thought.reply
        try:
            result = apply_parser(parser, heard, {**parser_kwargs, **kept})
        except (ParserContractError, ToolContractError) as broken:
            record("thought", asking.links, **about, parser=parser_name(parser), feedback="", error=str(broken))
            if isinstance(broken, ParserContractError):
                broken.usage = dict(usage)
            raise
        if result.kept and takes_kept(parser):
            kept = {"kept": result.kept}
            result = replace(result, feedback=f"{result.feedback}\n{_KEPT}")
        if result.status == "error" and sent and not heard:
            result = replace(result, feedback=f"{_CALLED} {result.feedback}")
        if sent in replies:
            # It would come a third time: the feedback does not reach the model.
            warmer = sampling_options(model, WARMTH, seed=len(replies))
            asking = replace(asking, options={**asking.options, **warmer})
        name, feedback = parser_name(parser), result.feedback
        asking.next_follows(record("thought", asking.links, **about, parser=name, feedback=feedback))
        replies.append(sent)
        if result.status == "success":
            return Parsed(result.content, thought, usage, len(replies))
        feedbacks.append(result.feedback)
        tail = _turns(thought, result.feedback, echo_reasoning)
    raise ParseFailedError(parser_name(parser), replies, feedbacks, usage)


def _turns(thought: Thought, feedback: str, echo_reasoning: bool) -> list[BaseMessage]:
    shown = feedback if len(feedback) <= MAX_FEEDBACK else feedback[:MAX_FEEDBACK] + " …"
    # As text, since nothing ran that could answer a call.
    called = all_written("", thought.message)
    if echo_reasoning and thought.reasoning:
        refused = with_reasoning(thought.message, thought.reasoning, thought.reply, called)
    else:
        refused = AIMessage(thought.reply + called or EMPTY_REPLY)
    return [refused, HumanMessage(shown)]


def _without(fields: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}
