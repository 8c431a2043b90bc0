"""Think with retry: ask loosely, parse strictly, and continue the conversation with exactly what is missing.

Method: docs/background/parsing_and_feedback.md (loose section markers, exact feedback, conversational correction).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NotRequired, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from typing_extensions import TypedDict

from .._internal.steps import Steps, arun, run
from ..errors import ModelUnavailableError, ParseFailedError, ParserContractError, TruncatedError
from ..parsers.contract import Parser, apply_parser, parser_name
from ..traces.events import Event, Link, record
from ..traces.shapes import Usage
from .messages import EMPTY_REPLY, NO_USAGE, Messages, add_usage, named_by, to_messages, with_reasoning
from .options import taken
from .streams.circles import circle_in, once
from .streams.pieces import Thought
from .thought import ChatModel, think_steps
from .transport import Backoff, is_refusal

MAX_FEEDBACK = 2_000
"""Characters of feedback that are replayed to the model; more would grow the request without saying more."""

_KEPT = "Write only what is missing; the rest of your reply is kept."


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
    are recorded in the trace. A reply cut off by the output cap is not a format error: the cap is raised once. One that
    was cut off while it ran in circles is a failed attempt, and the model is told where its repetition began. If the
    parser keeps what was right in a refused reply, the model is asked only for the rest.

    Args:
        model: any LangChain chat model.
        messages: a prompt, or a list of messages; never changed. Show an example of the format in it.
        parser: `parser(raw_reply, **parser_kwargs)` → `{"status", "content", "feedback"}`; pass it as it is. The `kept`
            of a refused reply is passed on to it with the next one.
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
    kept: dict[str, Any] = {}
    while len(replies) < max_retries:
        thought, usage = yield from untruncated_steps(
            model, [*base, *tail] if tail else base, usage, backoff, options, links
        )
        about = said(thought)
        if repetition := circled(thought):
            event = record("thought", links, **about, feedback=repetition, circled=True)
            links = [Link(source=event, relation="retried")] if event else []
            replies.append(thought.reply)
            feedbacks.append(repetition)
            tail = _turns(replace(thought, reply=once(thought.reply)), repetition, echo_reasoning=False)
            continue
        try:
            result = apply_parser(parser, thought.reply, {**parser_kwargs, **kept})
        except ParserContractError as broken:
            record("thought", links, **about, parser=parser_name(parser), feedback="", error=str(broken))
            raise
        if result.kept:
            kept = {"kept": result.kept}
            result = replace(result, feedback=f"{result.feedback}\n{_KEPT}")
        event = record("thought", links, **about, parser=parser_name(parser), feedback=result.feedback)
        links = [Link(source=event, relation="retried")] if event else []
        replies.append(thought.reply)
        if result.status == "success":
            return Parsed(result.content, thought, usage, len(replies))
        feedbacks.append(result.feedback)
        tail = _turns(thought, result.feedback, echo_reasoning)
    raise ParseFailedError(parser_name(parser), replies, feedbacks, usage)


class Said(TypedDict):
    """A reply as its event shows it."""

    reply: str
    reasoning: str
    usage: Usage
    seconds: float
    model: NotRequired[str]
    provider: NotRequired[str]


def said(thought: Thought) -> Said:
    names = cast(Any, named_by(thought.message))
    return Said(reply=thought.reply, reasoning=thought.reasoning, usage=thought.usage, seconds=thought.seconds, **names)


def circled(thought: Thought) -> str:
    """What to tell a model whose reply was cut off while it ran in circles; "" for any other reply."""
    if thought.finish_reason not in ("repetition", "length"):
        return ""
    circle = circle_in(thought.reply) or circle_in(thought.reasoning)
    if circle is None and thought.finish_reason == "length":
        return ""
    where = f' from "{circle.shown}" on' if circle and circle.shown else ""
    return f"Your reply repeated itself{where}: write each thing once and stop."


def _turns(thought: Thought, feedback: str, echo_reasoning: bool) -> list[BaseMessage]:
    shown = feedback if len(feedback) <= MAX_FEEDBACK else feedback[:MAX_FEEDBACK] + " …"
    if echo_reasoning and thought.reasoning:
        refused = with_reasoning(thought.message, thought.reasoning, thought.reply)
    else:
        refused = AIMessage(thought.reply or EMPTY_REPLY)
    return [refused, HumanMessage(shown)]


def untruncated_steps(
    model: ChatModel,
    messages: list[BaseMessage],
    usage: Usage,
    backoff: Backoff | None,
    options: Mapping[str, Any],
    links: list[Link],
) -> Steps[tuple[Thought, Usage]]:
    """One call, and if it hits the output cap one more with twice the cap; adds what they cost to `usage`.

    A cut-off reply is recorded after `links`, which then lead from it to whatever is recorded next. A model whose class
    takes no cap is asked once more as it is: another reply may be shorter. A reply that ran in circles is returned as
    it is: with a higher cap the model would only repeat itself longer.
    """
    thought = yield from _thought_after(usage, model, messages, backoff, options)
    usage = add_usage(usage, thought.usage)
    if thought.finish_reason != "length" or circled(thought):
        return thought, usage
    _record_cut(thought, links)
    cut = thought
    known = taken(model)
    cap = options.get("max_tokens", known.get("max_tokens"))
    raised = 2 * max(cap if isinstance(cap, int) else 0, cut.usage["output_tokens"], 512)
    more = {"max_tokens": raised} if "max_tokens" in {*known, *options} else {}
    try:
        thought = yield from _thought_after(usage, model, messages, backoff, {**options, **more})
    except Exception as refusal:
        if not more or not is_refusal(refusal):
            raise
        raise TruncatedError(cut.reply, raised, usage, refusal) from refusal
    usage = add_usage(usage, thought.usage)
    if thought.finish_reason == "length" and not circled(thought):
        _record_cut(thought, links)
        raise TruncatedError(thought.reply, raised if more else None, usage)
    return thought, usage


def _thought_after(
    usage: Usage, model: ChatModel, messages: list[BaseMessage], backoff: Backoff | None, options: Mapping[str, Any]
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
    event = record("thought", links, **said(thought), feedback="", truncated=True)
    links[:] = [Link(source=event, relation="retried")] if event else []
