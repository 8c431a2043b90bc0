"""Generate one file with a model: a `path` block, a content block, and a retry that insists on the format.

Method: docs/background/parsing_and_feedback.md (the temperature drops with each attempt; a reminder from the second
attempt on).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableLambda

from .._internal.steps import Steps, arun, run
from ..errors import ParseFailedError
from ..parsers.markdown_blocks import parse_markdown_with_skip
from ..traces.shapes import Usage
from .messages import NO_USAGE
from .retry import untruncated_steps
from .thought import ChatModel
from .transport import Backoff

_BACKOFF = Backoff(initial_interval=2.0, max_interval=10.0)
_LOWEST_TEMPERATURE = 0.3

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

_MAY_SKIP = " Only if there is no file to write, answer with one line instead: `SKIPPED: ` and the reason."

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
    temperature: float = 0.7,
    max_attempts: int = 3,
    backoff: Backoff | None = None,
) -> GeneratedFile:
    """Ask a model for one file until its reply holds a `path` block and a content block.

    The temperature drops by 0.1 per attempt, down to 0.3, and from the second attempt on the prompt repeats the format.
    After a failed parse the model is asked again at once; only provider errors cause a wait (2 to 10 s, exponential).

    Args:
        model: any LangChain chat model.
        prompt: what to write.
        content_tag: language tag of the content block, such as `"markdown"` or `"latex"`.
        system_prompt: goes before the format's description, which is always sent, with an example as an earlier turn.
        allow_skip: the model may decline to write a file, and the prompt says how. Otherwise a skip is a failed parse.
        temperature: temperature of the first attempt.
        max_attempts: total attempts, including the first.
        backoff: how to retry provider errors.

    Returns:
        The file, or a skip. Save it with `save_file`, which checks the name.

    Raises:
        ParseFailedError: no reply held both blocks; carries every reply and the total usage.
        TruncatedError: the reply hit the raised output cap too.
        ModelUnavailableError: the model could not be reached.
        ValueError: `max_attempts` is below 1.
    """
    return run(_steps(model, prompt, content_tag, system_prompt, allow_skip, temperature, max_attempts, backoff))


async def agenerate_with_retry(
    model: ChatModel,
    prompt: str,
    content_tag: str,
    *,
    system_prompt: str | None = None,
    allow_skip: bool = False,
    temperature: float = 0.7,
    max_attempts: int = 3,
    backoff: Backoff | None = None,
) -> GeneratedFile:
    """Async twin of `generate_with_retry`."""
    return await arun(_steps(model, prompt, content_tag, system_prompt, allow_skip, temperature, max_attempts, backoff))


def create_file_node(model: ChatModel, content_tag: str, **options: Any) -> Runnable[Mapping[str, Any], dict[str, Any]]:
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


def _steps(
    model: ChatModel,
    prompt: str,
    content_tag: str,
    system_prompt: str | None,
    allow_skip: bool,
    temperature: float,
    max_attempts: int,
    backoff: Backoff | None,
) -> Steps[GeneratedFile]:
    if max_attempts < 1:
        raise ValueError(f"max_attempts must be at least 1, got {max_attempts}")
    names = {"tag": content_tag, "suffix": _SUFFIXES.get(content_tag.lower(), content_tag.lower())}
    may_skip = _MAY_SKIP if allow_skip else ""
    instructions = _FORMAT.format(**names) + may_skip
    opening: list[BaseMessage] = [
        SystemMessage(f"{system_prompt}\n\n{instructions}" if system_prompt else instructions),
        HumanMessage(_EXAMPLE_REQUEST.format(**names)),
        AIMessage(_EXAMPLE_ANSWER.format(**names)),
    ]
    replies: list[str] = []
    feedbacks: list[str] = []
    usage = NO_USAGE
    for attempt in range(max_attempts):
        reminder = _REMINDER.format(tag=content_tag) + may_skip if attempt else ""
        messages = [*opening, HumanMessage(prompt + reminder)]
        # Rounded, because subtracting floats is not exact.
        cooler = {"temperature": max(_LOWEST_TEMPERATURE, round(temperature - 0.1 * attempt, 4))}
        thought, usage = yield from untruncated_steps(model, messages, usage, backoff or _BACKOFF, cooler, [])
        found = parse_markdown_with_skip(thought.reply, content_tag)
        if found.file_name is not None or (found.is_skipped and allow_skip):
            return GeneratedFile(
                found.file_name, found.file_content, thought.reply, usage, found.is_skipped, found.skip_reason
            )
        replies.append(thought.reply)
        skipped = " The model skipped, which was not allowed." if found.is_skipped else ""
        feedbacks.append(f"There were no complete ```path and ```{content_tag} blocks.{skipped}")
    raise ParseFailedError("parse_markdown_with_skip", replies, feedbacks, usage)
