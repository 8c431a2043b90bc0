"""A model whose replies are kept: what it was asked before is not asked again, in no condition and on no other day.

Conditions ask the same at first, so they share these replies: they are compared on the same luck, and cost the time of
one. With all replies there, a run needs no model, and gives the same tables again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Mapping
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from thoughtgraph import open_model
from thoughtgraph._internal.strict_json import dumps
from thoughtgraph.evaluation.results import add_line, read_lines
from thoughtgraph.models.options import with_options
from thoughtgraph.models.streams.finish import finish_reason_of
from thoughtgraph.models.thought import ChatModel

REPLIES = Path(__file__).parent / "replies"
_CAP = 1024
"""Tokens a reply, at most; named here, since it is part of a request."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered to a request.

    Attributes:
        request: the start of the SHA-256 of its messages and options; without the seed at temperature 0.
        text: the reply; what had arrived, of one that was cut.
        finish: why it ended; None if it was cut, for it ran in circles.
        read: tokens of the prompt; 0 if it was cut, for the server told nothing.
        written: tokens of the reply; if it was cut, the pieces in which it arrived.
    """

    request: str
    text: str
    finish: str | None
    read: int
    written: int


class Replies:
    """The replies of one model.

    Args:
        folder: of all models' replies.
        name: the model's.

    Raises:
        RunFileError: a line of its file cannot be read.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / f"{re.sub(r'[^A-Za-z0-9.]+', '-', name)}.jsonl"
        self._known = {reply.request: reply for reply in read_lines(self._path, Reply)}

    def get(self, request: str) -> Reply | None:
        """The reply to a request; None if it was never made."""
        return self._known.get(request)

    def add(self, reply: Reply) -> None:
        """Keep a reply. Of two to the same request, made at the same time, the first one stays."""
        if reply.request not in self._known:
            self._known[reply.request] = reply
            self._path.parent.mkdir(parents=True, exist_ok=True)
            add_line(self._path, asdict(reply))


class RecordedModel(BaseChatModel):
    """A chat model that streams kept replies, and asks another model, once, for those that are missing.

    Args:
        model_name: the other model's.
        replies: what it has answered before.
        asked: gives the other model, when it is needed.
        temperature: set by loops, on a copy; so are `seed` and `max_tokens`.
    """

    model_name: str
    replies: Replies
    asked: Callable[[], ChatModel]
    temperature: float = 0.0
    seed: int | None = None
    max_tokens: int = _CAP
    streaming: bool = True

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError("the benchmark asks its models asynchronously")

    async def _astream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        options: dict[str, Any] = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        if self.temperature:
            options["seed"] = self.seed
        request = _digest([[message.type, message.content] for message in messages], {**options, **kwargs})
        known = self.replies.get(request)
        chunks = _in_pieces(known, self.model_name) if known else self._live(messages, request, options, kwargs)
        async with aclosing(chunks):
            async for chunk in chunks:
                yield ChatGenerationChunk(message=chunk)

    async def _live(
        self, messages: list[BaseMessage], request: str, options: Mapping[str, Any], keywords: Mapping[str, Any]
    ) -> AsyncGenerator[AIMessageChunk]:
        whole, pieces = AIMessageChunk(""), 0
        try:
            async for chunk in with_options(self.asked(), options).astream(messages, **keywords):
                whole += chunk
                pieces += bool(chunk.text)
                yield chunk
        except GeneratorExit:
            # Whoever reads has closed the stream.
            self.replies.add(Reply(request, whole.text, None, 0, pieces))
            raise
        usage = whole.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
        counts = usage["input_tokens"], usage["output_tokens"]
        self.replies.add(Reply(request, whole.text, finish_reason_of(whole), *counts))


def _digest(*parts: Any) -> str:
    return hashlib.sha256(dumps(parts).encode()).hexdigest()[:24]


async def _in_pieces(reply: Reply, name: str) -> AsyncGenerator[AIMessageChunk]:
    # Token by token, for what watches a reply while it is written; letter by letter where nobody counted.
    count = reply.written or len(reply.text) or 1
    ends = [len(reply.text) * number // count for number in range(count + 1)]
    for start, end in pairwise(ends):
        yield AIMessageChunk(reply.text[start:end])
    if reply.finish is not None:
        yield AIMessageChunk(
            "",
            response_metadata={"finish_reason": reply.finish, "model_name": name},
            usage_metadata={
                "input_tokens": reply.read,
                "output_tokens": reply.written,
                "total_tokens": reply.read + reply.written,
            },
        )


@contextmanager
def recorded(name: str, folder: Path, slots: int) -> Generator[RecordedModel]:
    """A model whose replies are kept in a folder; it is opened when the first reply is missing.

    Args:
        name: as `open_model` takes it.
        folder: of the replies of all models.
        slots: requests at the same time, of an embedded one.

    Raises:
        RunFileError: its file there cannot be read.
        ModelSetupError: when asked, it cannot be opened.
    """
    with ExitStack() as opened:
        asked = cache(lambda: opened.enter_context(open_model(name, slots=slots, max_tokens=_CAP)))
        yield RecordedModel(model_name=name, replies=Replies(folder, name), asked=asked)
