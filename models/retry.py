"""Think with retry: ask loosely, parse strictly, and continue the conversation with exactly what is missing.

Method: docs/background/parsing_and_feedback.md (loose section markers, exact feedback, conversational correction).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable
from langchain_core.runnables.base import RunnableBindingBase
from typing_extensions import TypedDict

from .._internal.steps import Steps, arun, run
from ..errors import ModelUnavailableError, ParseFailedError, ParserContractError, TruncatedError
from ..parsers.contract import Parser, apply_parser, parser_name
from ..traces.events import Event, Link, record
from ..traces.shapes import Usage
from .messages import NO_USAGE, Messages, add_usage, to_messages
from .thought import ChatModel, Thought, think_steps
from .transport import Backoff

MAX_FEEDBACK = 2_000
"""Characters of feedback that are replayed to the model; more would grow the request without saying more."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """An accepted reply.

    Attributes:
        content: the parser's content.
        thought: the accepted reply itself.
        usage: tokens of all attempts.
        attempts: replies it took.
    """

    content: Any
    thought: Thought
    usage: Usage
    attempts: int


def think_with_retry(
    model: ChatModel,
    messages: Messages,
    parser: Parser,
    *,
    max_retries: int = 3,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **parser_kwargs: Any,
) -> Any:
    """Call a model until its reply passes `parser`, and return the parser's content.

    A refused reply stays in the conversation as the model's turn and the parser's feedback follows as the user's. Only
    the latest refused reply and its feedback are replayed, so the request does not grow with the attempts; all of them
    are recorded in the trace. A reply cut off by the output cap is not a format error: the cap is raised once.

    Args:
        model: any LangChain chat model.
        messages: a prompt, or a list of messages; never changed. Show an example of the format in it.
        parser: `parser(raw_reply, **parser_kwargs)` → `{"status", "content", "feedback"}`; pass it as it is.
        max_retries: attempts in all, the first included.
        echo_reasoning: send the model's earlier reasoning back with its refused reply.
        backoff: how transport errors are waited out; they never enter the conversation.
        **parser_kwargs: the parser's own arguments.

    Returns:
        The parser's `content`, of whatever type; `{}` where it gave none.

    Raises:
        ParseFailedError: no reply passed; carries every reply, every feedback and the summed usage.
        TruncatedError: the reply hit the raised output cap, too.
        ParserContractError: the parser did not return a parse result.
        ModelUnavailableError: the model could not be reached.
        ValueError: `messages` is empty, or `max_retries` is below 1.

    Example:
        >>> from thoughtgraph import multi_section_parser, think_with_retry
        >>> sections = think_with_retry(                                        # doctest: +SKIP
        ...     model, prompt, multi_section_parser, section_headers=["[Plan]", "[Answer]"]
        ... )
    """
    return run(retry_steps(model, messages, parser, max_retries, echo_reasoning, backoff, {}, parser_kwargs)).content


async def athink_with_retry(
    model: ChatModel,
    messages: Messages,
    parser: Parser,
    *,
    max_retries: int = 3,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **parser_kwargs: Any,
) -> Any:
    """Async twin of `think_with_retry`."""
    steps = retry_steps(model, messages, parser, max_retries, echo_reasoning, backoff, {}, parser_kwargs)
    return (await arun(steps)).content


def retry_steps(
    model: ChatModel,
    messages: Messages,
    parser: Parser,
    max_retries: int,
    echo_reasoning: bool,
    backoff: Backoff | None,
    options: Mapping[str, Any],
    parser_kwargs: Mapping[str, Any],
) -> Steps[Parsed]:
    """`think_with_retry` as steps, for nodes that need the reply and its usage beside the content."""
    if max_retries < 1:
        raise ValueError(f"max_retries counts all attempts and must be at least 1, got {max_retries}")
    base = to_messages(messages, echo_reasoning=echo_reasoning)
    tail: list[BaseMessage] = []
    replies: list[str] = []
    feedbacks: list[str] = []
    usage = NO_USAGE
    links: list[Link] = []
    while len(replies) < max_retries:
        thought, usage = yield from untruncated_steps(model, base + tail, usage, backoff, options, links)
        about = _said(thought)
        try:
            result = apply_parser(parser, thought.reply, parser_kwargs)
        except ParserContractError as broken:
            record("thought", links, **about, parser=parser_name(parser), feedback="", error=str(broken))
            raise
        event = record("thought", links, **about, parser=parser_name(parser), feedback=result.feedback)
        links = [Link(source=event, relation="retried")] if event else []
        replies.append(thought.reply)
        if result.status == "success":
            return Parsed(result.content, thought, usage, len(replies))
        feedbacks.append(result.feedback)
        tail = _turns(thought, result.feedback, echo_reasoning)
    raise ParseFailedError(parser_name(parser), replies, feedbacks, usage)


class _Said(TypedDict):
    """A reply as its event shows it."""

    reply: str
    reasoning: str
    usage: Usage
    seconds: float


def _said(thought: Thought) -> _Said:
    return _Said(reply=thought.reply, reasoning=thought.reasoning, usage=thought.usage, seconds=thought.seconds)


def _turns(thought: Thought, feedback: str, echo_reasoning: bool) -> list[BaseMessage]:
    kept: dict[str, Any] = {"reasoning_content": thought.reasoning} if echo_reasoning and thought.reasoning else {}
    shown = feedback if len(feedback) <= MAX_FEEDBACK else feedback[:MAX_FEEDBACK] + " …"
    # Several servers refuse an empty assistant turn.
    return [AIMessage(thought.reply or "(empty reply)", additional_kwargs=kept), HumanMessage(shown)]


def untruncated_steps(
    model: ChatModel,
    messages: list[BaseMessage],
    usage: Usage,
    backoff: Backoff | None,
    options: Mapping[str, Any],
    links: list[Link],
) -> Steps[tuple[Thought, Usage]]:
    """One call, and where it hits the output cap one more with twice the cap; adds what they cost to `usage`.

    A cut-off reply is recorded behind `links`, which then lead from it to whatever is recorded next.
    """
    thought = yield from _thought_after(usage, model, messages, backoff, dict(options))
    usage = add_usage(usage, thought.usage)
    if thought.finish_reason != "length":
        return thought, usage
    _record_cut(thought, links)
    name, cap = output_cap(model)
    raised = 2 * max(cap or 0, thought.usage["output_tokens"], 512)
    thought = yield from _thought_after(usage, model, messages, backoff, {**options, name: raised})
    usage = add_usage(usage, thought.usage)
    if thought.finish_reason == "length":
        _record_cut(thought, links)
        raise TruncatedError(thought.reply, raised, usage)
    return thought, usage


def _thought_after(
    usage: Usage, model: ChatModel, messages: list[BaseMessage], backoff: Backoff | None, options: dict[str, Any]
) -> Steps[Thought]:
    """One call; where the model is lost over it, the error carries what the replies before have cost."""
    try:
        return (yield from think_steps(model, messages, backoff, options))
    except ModelUnavailableError as gone:
        gone.usage = dict(usage)
        raise


def recorded_usage(usage: Usage, events: Sequence[Event]) -> Usage:
    """A usage and that of the recorded replies, so that none is forgotten where a later call fails."""
    for event in events:
        if event["kind"] == "thought":
            usage = add_usage(usage, event["data"]["usage"])
    return usage


def _record_cut(thought: Thought, links: list[Link]) -> None:
    event = record("thought", links, **_said(thought), feedback="", truncated=True)
    links[:] = [Link(source=event, relation="retried")] if event else []


def output_cap(model: Runnable[Any, Any]) -> tuple[str, int | None]:
    """What a model calls its output cap, and the cap itself where one is set."""
    bound: dict[str, Any] = {}
    while isinstance(model, RunnableBindingBase):
        bound = {**model.kwargs, **bound}
        model = model.bound
    for name in ("max_tokens", "max_output_tokens", "num_predict"):
        if name in bound or hasattr(model, name):
            value = bound.get(name, getattr(model, name, None))
            return name, value if isinstance(value, int) and value > 0 else None
    return "max_tokens", None
