"""A thought and how it arrives: a stream is sorted into reasoning and reply, and watched for repetition."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.utils import message_chunk_to_message

from ...errors import ModelUnavailableError
from ...parsers.wrapping import CLOSE_BEGINS, LONGEST_CLOSE, THINK_OPEN, THINK_OPENINGS, closing_of, split_think
from ...traces.shapes import Reply, Usage
from ..messages import (
    content_parts,
    estimate_tokens,
    hold_usage,
    is_from_cache,
    likelihood_of,
    named_by,
    read_usage,
    usage_of,
    whole_characters,
)
from ..transport import is_transport_error
from .chunks import Apart, Spent, is_of_the_whole, says_something, whole
from .circles import Watch, circle_in
from .finish import check_ended, check_readable, check_said, finish_reason_of, has_ended
from .no_reply import reply_held_back
from .written_calls import all_written


@dataclass(frozen=True, slots=True)
class Thought:
    """One reply of a model.

    Attributes:
        reasoning: the model's thinking before its answer; "" if it shows none.
        reply: the answer without the reasoning.
        usage: tokens of the call.
        finish_reason: `"stop"`, `"length"` (the output cap was hit), `"repetition"` (it ran in circles, so that the
            stream was closed), `"tool_calls"`, …; None if unknown.
        seconds: how long the call took, including waits for the server; 0.0 for a streamed one.
        message: the model's message as it came, of a stream the whole; None if the thought was made without one.
        estimated: `usage` is estimated from the texts as far as the server did not report it, so that budgets hold.
    """

    reasoning: str
    reply: str
    usage: Usage
    finish_reason: str | None
    seconds: float = field(default=0.0, compare=False)
    message: BaseMessage | None = field(default=None, compare=False, repr=False)
    estimated: bool = field(default=False, compare=False)

    @property
    def likelihood(self) -> float | None:
        """How likely the reply was to its model, per token; None if the model was not asked, or did not say."""
        return likelihood_of(self.message)


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a streamed thought, as it arrives: of its reasoning or of its reply."""

    kind: Literal["reasoning", "reply"]
    text: str
    thought: None = None


@dataclass(frozen=True, slots=True)
class DonePiece:
    """The last piece of a streamed thought: it carries the whole `Thought`."""

    thought: Thought
    kind: Literal["done"] = "done"
    text: str = ""


ThoughtPiece = TextPiece | DonePiece
"""A piece of a streamed thought; its `kind` says which."""


def thought_of(message: BaseMessage | str) -> Thought:
    """Read a LangChain reply as a `Thought`; a chain that ends in an output parser gives the text alone.

    Raises:
        TypeError: it is neither a message nor a text, or its text cannot be found.
        ModelAPIError: its server broke it off.
    """
    message = _as_message(message)
    check_ended(message)
    check_readable(message)
    given, text = map(whole_characters, content_parts(message))
    inline, reply = split_think(text)
    return Thought(
        reasoning="\n".join(part for part in (given.strip(), inline) if part),
        reply=reply,
        usage=usage_of(message),
        finish_reason=finish_reason_of(message),
        message=message,
    )


def _as_message(given: Any) -> AIMessage:
    """What a model returned as its message, also a text, or what is told as of somebody else."""
    if isinstance(given, AIMessage):
        return given
    if isinstance(given, BaseMessage):
        about = {"additional_kwargs": given.additional_kwargs, "response_metadata": given.response_metadata}
        return AIMessage(given.content, **about)
    if not isinstance(given, str):
        raise TypeError(f"a chat model has to return a message or a text, and this one returned {type(given).__name__}")
    return AIMessage(content=given)


def with_usage(thought: Thought, sent: Sequence[BaseMessage]) -> Thought:
    """A thought of which the tokens are estimated as far as its server has not told them; every prompt has some."""
    reported = thought.usage
    said = estimate_tokens(thought.reasoning) + estimate_tokens(all_written(thought.reply, thought.message))
    if is_from_cache(thought.message) or (reported["input_tokens"] and (reported["output_tokens"] or not said)):
        return thought
    read = reported["input_tokens"] or sum(estimate_tokens("".join(content_parts(message))) for message in sent)
    usage = read_usage({**reported, "input_tokens": read, "output_tokens": reported["output_tokens"] or said})
    return replace(thought, usage=usage, estimated=True)


def cost_of(reply: AIMessage, sent: Sequence[BaseMessage]) -> Usage:
    """The tokens of a reply that another has asked for; see `with_usage`."""
    return with_usage(Thought(*content_parts(reply), usage_of(reply), None, message=reply), sent).usage


_BATCH, _HELD = 256, 4_096
"""Chunks that are joined at once; most characters of white space held back, since they may belong to neither part."""


class Stream:
    """Sorts incoming text into reasoning and reply while a `<think>` tag may still be incomplete.

    When `circles` is set, the model repeats itself: the caller closes the stream and takes what has arrived. Each
    character is looked at a fixed number of times, because long reasoning arrives in very many pieces.
    """

    def __init__(self) -> None:
        self._chunks: list[AIMessage] = []  # the last ones, one by one
        self._joined: list[AIMessage] = []  # the earlier ones, in batches: many small objects are slow to keep
        self._text: list[str] = []
        self._waiting = ""  # not sorted yet
        self._halves = ["", ""]  # of a character that JSON writes in two
        self._part: Literal["undecided", "reasoning", "between", "reply"] = "undecided"
        self._closing = THINK_OPEN  # of the reasoning
        self._watches = Watch(), Watch()
        self._said = 0
        self._told = dict[str, Any]()
        self._spent, self._apart = Spent(), Apart()
        self.circles = False

    def feed(self, given: Any) -> list[ThoughtPiece]:
        """Take in a chunk, a text of a chain that ends in an output parser, and return the pieces that it completes."""
        chunk = _as_message(given)
        check_ended(chunk)
        hold_usage(chunk)
        self._chunks.append(self._told_once(chunk))
        if len(self._chunks) == _BATCH:
            self._joined.append(whole(self._chunks))
            self._chunks.clear()
        reasoning, text = (self._characters(part, said) for part, said in enumerate(content_parts(chunk)))
        self._said += bool(reasoning or text)
        if not finish_reason_of(chunk):
            of_reasoning, of_text = self._watches
            self.circles = of_reasoning.circles(reasoning) or of_text.circles(text)
        pieces: list[ThoughtPiece] = [TextPiece("reasoning", reasoning)] if reasoning else []
        if text:
            self._text.append(text)
            self._waiting += text
            pieces += self._sorted(final=False)
        return pieces

    def _characters(self, part: int, text: str) -> str:
        """A text for UTF-8, without the half of a character at its end, which waits for the other half."""
        text = self._halves[part] + text
        end = len(text) - ("\ud800" <= text[-1:] <= "\udbff")
        self._halves[part] = text[end:]
        return whole_characters(text[:end])

    def _told_once(self, chunk: AIMessage) -> AIMessage:
        """A copy, since a model may fill the same chunk again, without what is said of the whole reply: LangChain would
        join "stop" and "stop", and add up tokens that were told twice. Of what is said again the last counts."""
        said = {key: value for key, value in chunk.response_metadata.items() if is_of_the_whole(value)}
        self._told |= {key: value for key, value in said.items() if says_something(value) or key not in self._told}
        metadata = {key: value for key, value in chunk.response_metadata.items() if key not in said}
        parts, spent = self._apart.numbered(chunk.content), self._spent.newly(chunk.usage_metadata)
        return chunk.model_copy(update={"content": parts, "response_metadata": metadata, "usage_metadata": spent})

    def _sorted(self, *, final: bool) -> list[ThoughtPiece]:
        pieces: list[ThoughtPiece] = []
        if self._part == "undecided":
            self._decide(final=final)
        if self._part == "reasoning":
            pieces += self._thought(final=final)
        if self._part == "between":
            # White space between reasoning and reply belongs to neither.
            self._waiting = self._waiting.lstrip()
            self._part = "reply" if self._waiting else "between"
        if self._part == "reply" and self._waiting:
            pieces.append(TextPiece("reply", self._waiting))
            self._waiting = ""
        return pieces

    def _decide(self, *, final: bool) -> None:
        start = self._waiting.lstrip().lower()
        undecided = len(self._waiting) <= _HELD and any(tag.startswith(start) for tag in THINK_OPENINGS)
        if opening := THINK_OPEN.match(self._waiting):
            self._closing = closing_of(opening)
            self._part, self._waiting = "reasoning", self._waiting[opening.end() :].lstrip()
        elif final or not undecided:
            self._part = "reply"

    def _thought(self, *, final: bool) -> list[ThoughtPiece]:
        closing = self._closing.search(self._waiting)
        if closing:
            told, self._waiting = self._waiting[: closing.start()].rstrip(), self._waiting[closing.end() :]
            self._part = "between"
        elif final:
            told, self._waiting = self._waiting.rstrip(), ""
        else:
            # The last characters may be the start of the closing tag, and white space may be the end of the reasoning.
            end = len(self._waiting.rstrip())
            begun = CLOSE_BEGINS.search(self._waiting, max(0, end - LONGEST_CLOSE), end)
            held = len(self._waiting[: begun.start() if begun else end].rstrip())
            held = max(held, len(self._waiting) - _HELD)
            told, self._waiting = self._waiting[:held], self._waiting[held:]
        return [TextPiece("reasoning", told)] if told else []

    def finish(self) -> list[ThoughtPiece]:
        """The pieces that are left when the stream ends, and the whole thought."""
        self._waiting += whole_characters(self._halves[1])
        left = self._sorted(final=True) if self._waiting else []
        return [*left, DonePiece(self.thought())]

    def thought(self) -> Thought:
        """The thought that has arrived so far; a `ModelAPIError` where no chunk has said anything."""
        message = message_chunk_to_message(whole([*self._joined, *self._chunks]))
        message.response_metadata = {**self._told, **message.response_metadata}
        # A text, and a whole message of a class that does not stream, tell of nothing else.
        if self._chunks and all(isinstance(chunk, AIMessageChunk) for chunk in self._chunks) and not self.circles:
            check_said(cast(AIMessage, message))
        thought = thought_of(message)
        if not self.circles:
            return thought
        # A server reports the usage at the end of a stream. One chunk is one token or more.
        spent = max(self._said, thought.usage["output_tokens"])
        return replace(thought, usage=read_usage({**thought.usage, "output_tokens": spent}), finish_reason="repetition")

    @contextmanager
    def may_break_at_its_end(self) -> Generator[None]:
        """Take a connection that drops behind the reason why the reply ended for the end, as nothing is missing, and a
        client that raises over that reason as well."""
        try:
            yield
        except Exception as error:
            if reply := reply_held_back(error):
                self._told["finish_reason"] = reply.response_metadata["finish_reason"]
            elif not has_ended(self._told) or not is_transport_error(error):
                raise

    def broken(self, error: Exception) -> ModelUnavailableError:
        """The error for a stream that broke after its first piece."""
        text = "".join(self._text)
        return ModelUnavailableError(error, attempts=1, partial=split_think(text)[1] or text)


def circled(thought: Thought) -> str:
    """What to tell a model whose reply was cut off while it ran in circles; "" for any other reply."""
    if thought.finish_reason not in ("repetition", "length"):
        return ""
    circle = circle_in(thought.reply) or circle_in(thought.reasoning)
    if circle is None and thought.finish_reason == "length":
        return ""
    where = f' from "{circle.shown}" on' if circle and circle.shown else ""
    return f"Your reply repeated itself{where}: write each thing once and stop."


def said(thought: Thought, named: Mapping[str, str] = MappingProxyType({})) -> Reply:
    """A reply as its event shows it, with what it called.

    Args:
        thought: the reply.
        named: what the trace tells of the model where several are asked: its name, unless the reply has one, and why a
            smaller one is gone.
    """
    more: dict[str, Any] = {"reply": all_written(thought.reply, thought.message), **named, **named_by(thought.message)}
    if (likelihood := thought.likelihood) is not None:
        more["likelihood"] = round(likelihood, 4)
    more |= {"from_cache": True} if is_from_cache(thought.message) else {}
    more |= {"estimated": True} if thought.estimated else {}
    return Reply(reasoning=thought.reasoning, usage=thought.usage, seconds=thought.seconds, **more)
