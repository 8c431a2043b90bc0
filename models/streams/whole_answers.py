"""Answers in whole to a request for a stream, and streams without an end: OpenAI's client passes over what is no event,
and so over an error, and over the page of a proxy, and takes a stream that was cut short for a whole one."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

from ..._internal.strict_json import dumps, loads_or, mapping
from .finish import CUT_SHORT

_LONGEST = 100_000
"""Bytes of an answer that are kept; one that says only what went wrong is shorter."""
_LONGEST_TEXT = 300
_OF_EVENTS = re.compile(rb"\s*(?::|(?:data|event|id|retry):)")
_DELTA = re.compile(rb'"delta"\s*:\s*\{')
_ENDED = re.compile(rb'data:\s*\[DONE\]|"finish_reason"\s*:\s*"')
_LONGEST_MARK = 100
_EVENT = re.compile(rb"[\r\n](?:data|event):")


def hearing(model: Any) -> dict[str, Any]:
    """The fields of a model of `ChatOpenAI`'s kind that hold its clients, with such clients."""
    return {name: _Streams(made) for name in ("client", "async_client") if (made := getattr(model, name))}


class _Streams:
    """A client's completions, of whose streams an answer in whole is an event, unless it holds a reply.

    What the client makes of the event is what it makes of an error inside of a stream.
    """

    def __init__(self, completions: Any) -> None:
        self._completions = completions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._completions, name)

    def create(self, **payload: Any) -> Any:
        """A stream, or one that can be awaited."""
        made = self._completions.create(**payload)
        return _awaited(made) if hasattr(made, "__await__") else _watched(made)


async def _awaited(made: Any) -> Any:
    return _watched(await made)


def _watched(stream: Any) -> Any:
    # Only a stream has the response; one that is no HTTP response has nothing to be read.
    response: Any = getattr(stream, "response", None)
    if hasattr(response, "iter_bytes"):
        parts, aparts = response.iter_bytes, response.aiter_bytes
        response.iter_bytes = lambda: _read(parts())
        response.aiter_bytes = lambda: _aread(aparts())
    return stream


def _read(parts: Iterator[bytes]) -> Iterator[bytes]:
    whole, end = _Whole(), _End()
    for part in parts:
        end.seen(part)
        yield whole.seen(part)
    yield whole.event() or end.event()


async def _aread(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    whole, end = _Whole(), _End()
    async for part in parts:
        end.seen(part)
        yield whole.seen(part)
    yield whole.event() or end.event()


class _End:
    """Whether a stream came to its end: it gives the reason why the reply ended, or the mark behind everything.

    Some servers leave out one of the two. A stream with neither was cut short by what stands between, such as a proxy
    that gave up and closed the connection as if all had been said.
    """

    def __init__(self) -> None:
        self._last = b""
        self._begun = self._has_ended = False

    def seen(self, part: bytes) -> None:
        """Take note of a part, which may end in the middle of a mark."""
        self._last += part
        self._begun = self._begun or bool(_DELTA.search(self._last))
        self._has_ended = self._has_ended or bool(_ENDED.search(self._last))
        self._last = self._last[-_LONGEST_MARK:]

    def event(self) -> bytes:
        """An error, if a reply began and did not end."""
        cut = self._begun and not self._has_ended
        return f"\n\ndata: {dumps({'error': {'message': CUT_SHORT}})}\n\n".encode() if cut else b""


class _Whole:
    """An answer so far, as long as it may be in whole and not a stream of events."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._may_be = True

    def seen(self, part: bytes) -> bytes:
        if self._may_be:
            self._kept += part
            self._may_be = not _OF_EVENTS.match(self._kept) and len(self._kept) <= _LONGEST
        return part

    def event(self) -> bytes:
        """The answer again, as an event: an object, or a text as the message of one; nothing if it holds a reply."""
        kept = bytes(self._kept).strip() if self._may_be else b""
        answer = mapping(loads_or(kept, None))
        if kept and kept[:1] not in b"[{" and not _EVENT.search(kept):
            answer = {"message": kept.decode("utf-8", "replace")[:_LONGEST_TEXT]}
        return f"\n\ndata: {dumps(answer)}\n\n".encode() if answer and not answer.get("choices") else b""
