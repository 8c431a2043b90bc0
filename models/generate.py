"""Generate one file with a model: a `path` block, a content block, and a retry that insists on the format.

Method: docs/background/parsing_and_feedback.md (the temperature drops with each attempt; a reminder from the second
attempt on).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableLambda

from .._internal.numbers import check_kind, items_of, number, whole_number
from .._internal.steps import Steps, arun, run
from ..errors import ParseFailedError, TruncatedError
from ..parsers.markdown_blocks import SKIP_KEYWORDS, parse_markdown_with_skip
from ..traces.events import Link, record
from ..traces.shapes import Usage
from .messages import NO_USAGE
from .options import refused_of, taken, uncached
from .streams.pieces import Thought, circled, said
from .streams.untruncated import Asking, untruncated_steps
from .thought import ChatModel
from .transport import LOST, Backoff

_BACKOFF = Backoff(initial_interval=2.0, max_interval=10.0)
_LOWEST = 0.3
"""The temperature to which a higher one falls."""
_PARSER = parse_markdown_with_skip.__name__

_FORMAT = """\
You write one file. Answer with two fenced blocks and nothing else: a `path` block that holds the bare file name, then a
`{tag}` block that holds the whole text of the file. A program reads your answer and saves the file. If the file itself
contains fenced blocks, open and close your `{tag}` block with four backticks."""

_EXAMPLE_REQUEST = "Write a file hello.{suffix} that says hello."
_EXAMPLE_ANSWER = """\
```path
hello.{suffix}
```

```{tag}
hello
```"""

_REMINDER = """\


Your answer must have the exact format: one ```path block with the file name and one ```{tag} block with the whole \
content, both closed, and no text outside of them."""

_MAY_SKIP = " Only if there is no file to write, answer with one line instead: `{keyword}: ` and the reason."

_SUFFIXES = {"python": "py", "markdown": "md", "latex": "tex", "text": "txt", "javascript": "js", "typescript": "ts"}


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """A file that a model wrote, not saved yet.

    Attributes:
        file_name: the model's file name, unchecked; None if it skipped.
        file_content: the text of the file; None if it skipped.
        raw_response: the reply that held it.
        usage: tokens of all attempts.
        is_skipped: the model declined to write a file.
        skip_reason: why; None if a file was written.
    """

    file_name: str | None
    file_content: str | None
    raw_response: str
    usage: Usage
    is_skipped: bool = False
    skip_reason: str | None = None


def generate_with_retry(
    model: ChatModel,
    prompt: str,
    content_tag: str,
    *,
    system_prompt: str | None = None,
    allow_skip: bool = False,
    skip_keywords: Sequence[str] = SKIP_KEYWORDS,
    temperature: float | None = 0.7,
    max_tokens: int | None = None,
    max_attempts: int = 3,
    backoff: Backoff | None = None,
) -> GeneratedFile:
    """Ask a model for one file until its reply holds a `path` block and a content block.

    The temperature drops by 0.1 per attempt, down to 0.3; a lower one stays as it is. From the second attempt on the
    prompt repeats the format. If the temperature is refused, as it is for reasoning models, the model is asked again
    without one. After a failed parse the model is asked again at once; only provider errors cause a wait (2 to 10 s,
    exponential). Every reply is recorded as an event `thought`, as in `think_with_retry`.

    Args:
        model: any LangChain chat model.
        prompt: what to write.
        content_tag: language tag of the content block, such as `"markdown"` or `"latex"`.
        system_prompt: goes before the format's description, which is always sent, with an example as an earlier turn.
        allow_skip: the model may decline to write a file, and the prompt says how. Otherwise a skip is a failed parse.
        skip_keywords: words with which a model declines; the prompt names the first.
        temperature: temperature of the first attempt; None leaves the model's own in every attempt. Not sent to a model
            whose class takes none.
        max_tokens: output cap of a reply; None leaves the model's own. A reply that hits it raises the cap once.
        max_attempts: total attempts, including the first.
        backoff: how to retry provider errors.

    Returns:
        The file, or a skip. Save it with `save_file`, which checks the name.

    Raises:
        ParseFailedError: no reply held both blocks; carries every reply and the total usage.
        TruncatedError: the reply hit the raised output cap too, or the provider refused to raise it.
        ModelUnavailableError: the model could not be reached.
        RequestTooLongError: the prompt is longer than the model takes.
        ValueError: `max_attempts` is below 1, `content_tag` is no tag, or `skip_keywords` is empty or no list.
    """
    request = _asked(prompt, content_tag, system_prompt, allow_skip, skip_keywords)
    return run(_steps(model, request, temperature, max_tokens, max_attempts, backoff))


async def agenerate_with_retry(
    model: ChatModel,
    prompt: str,
    content_tag: str,
    *,
    system_prompt: str | None = None,
    allow_skip: bool = False,
    skip_keywords: Sequence[str] = SKIP_KEYWORDS,
    temperature: float | None = 0.7,
    max_tokens: int | None = None,
    max_attempts: int = 3,
    backoff: Backoff | None = None,
) -> GeneratedFile:
    """Async twin of `generate_with_retry`."""
    request = _asked(prompt, content_tag, system_prompt, allow_skip, skip_keywords)
    return await arun(_steps(model, request, temperature, max_tokens, max_attempts, backoff))


def create_file_node(model: ChatModel, content_tag: str, **options: Any) -> Runnable[Any, dict[str, Any]]:
    """`generate_with_retry` as a LangGraph node: reads `prompt` from the state, writes `file` as a JSON-ready dict.

    Args:
        model: any LangChain chat model.
        content_tag: language tag of the content block.
        **options: passed to `generate_with_retry`.
    """

    def generate_file(state: Mapping[str, Any]) -> dict[str, Any]:
        return {"file": asdict(generate_with_retry(model, state["prompt"], content_tag, **options))}

    async def agenerate_file(state: Mapping[str, Any]) -> dict[str, Any]:
        return {"file": asdict(await agenerate_with_retry(model, state["prompt"], content_tag, **options))}

    return RunnableLambda(generate_file, afunc=agenerate_file, name="generate_file")


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked for."""

    prompt: str
    tag: str
    system_prompt: str | None
    allow_skip: bool
    skip_keywords: tuple[str, ...]

    def messages(self, *, again: bool, repetition: str) -> list[BaseMessage]:
        """The messages of an attempt; all attempts share their beginning.

        Args:
            again: an attempt has failed.
            repetition: where the last reply began to run in circles; "" if it did not.
        """
        names = {"tag": self.tag, "suffix": _SUFFIXES.get(self.tag.lower(), self.tag.lower())}
        may_skip = _MAY_SKIP.format(keyword=self.skip_keywords[0]) if self.allow_skip else ""
        instructions = _FORMAT.format(**names) + may_skip
        reminder = _REMINDER.format(tag=self.tag) + may_skip if again else ""
        if repetition:
            reminder += f"\n\n{repetition}"
        return [
            SystemMessage(f"{self.system_prompt}\n\n{instructions}" if self.system_prompt else instructions),
            HumanMessage(_EXAMPLE_REQUEST.format(**names)),
            AIMessage(_EXAMPLE_ANSWER.format(**names)),
            HumanMessage(self.prompt + reminder),
        ]


def _asked(
    prompt: str, tag: str, system_prompt: str | None, allow_skip: bool, skip_keywords: Sequence[str]
) -> _Request:
    """A request, or an error for one that no reply could fulfill."""
    check_kind("prompt", prompt, str, "a text")
    check_kind("content_tag", tag, str, "a text")
    if not re.fullmatch(r"[^\s`~]+", tag) or tag.lower() == "path":
        raise ValueError(
            f"content_tag has to be a tag of a block other than `path`, such as 'markdown', got {tag!r:.80}"
        )
    words = items_of("skip_keywords", skip_keywords, "a list of words")
    return _Request(prompt, tag, system_prompt, allow_skip, words)


def _cooled(temperature: float, attempts: int) -> float:
    """The temperature after some failed attempts."""
    # Rounded, because subtracting floats is not exact.
    return max(min(temperature, _LOWEST), round(temperature - 0.1 * attempts, 4))


def _steps(
    model: ChatModel,
    request: _Request,
    temperature: float | None,
    max_tokens: int | None,
    max_attempts: int,
    backoff: Backoff | None,
) -> Steps[GeneratedFile]:
    max_attempts = whole_number("max_attempts", max_attempts)
    temperature = None if temperature is None else number("temperature", temperature, least=0)
    max_tokens = None if max_tokens is None else whole_number("max_tokens", max_tokens)
    if not request.skip_keywords:
        raise ValueError("skip_keywords is empty: name the words with which the model may decline")
    replies: list[str] = []
    feedbacks: list[str] = []
    links: list[Link] = []
    backoff = backoff or _BACKOFF
    options: dict[str, Any] = {} if max_tokens is None else {"max_tokens": max_tokens}
    cooling = temperature if "temperature" in taken(model) else None
    repetition = ""
    raised: int | None = None
    thought: Thought
    usage: Usage = NO_USAGE
    for attempt in range(max_attempts):
        messages = request.messages(again=attempt > 0, repetition=repetition)
        cooler = {} if cooling is None else {"temperature": _cooled(cooling, attempt)}
        # The second request is also the third, to which LangChain's cache would give the refused reply again.
        fresh = uncached(model, cooler) if attempt else {}
        asking = Asking(model, backoff, {**options, **fresh, **cooler}, links, raised=raised)
        try:
            try:
                thought, usage, asking = yield from untruncated_steps(asking, messages, usage)
            except Exception as refused:
                if not refused_of(cooler, refused):
                    raise
                cooling = None
                asking = replace(asking, options={**options, **fresh})
                thought, usage, asking = yield from untruncated_steps(asking, messages, usage)
        except (TruncatedError, *LOST) as lost:
            lost.raw_replies, lost.feedbacks = replies, feedbacks
            raise
        raised = asking.raised
        found = parse_markdown_with_skip(thought.reply, request.tag, request.skip_keywords)
        repetition = circled(thought)
        accepted = not repetition and (found.file_name is not None or (found.is_skipped and request.allow_skip))
        skipped = " The model skipped, which was not allowed." if found.is_skipped else ""
        problem = repetition or f"There were no complete ```path and ```{request.tag} blocks.{skipped}"
        feedback = "" if accepted else problem
        how: dict[str, Any] = {"circled": True} if repetition else {"parser": _PARSER}
        about = said(thought)
        asking.next_follows(record("thought", asking.links, **about, **how, feedback=feedback))
        if accepted:
            return GeneratedFile(
                found.file_name, found.file_content, thought.reply, usage, found.is_skipped, found.skip_reason
            )
        replies.append(about["reply"])
        feedbacks.append(feedback)
    raise ParseFailedError(_PARSER, replies, feedbacks, usage)
