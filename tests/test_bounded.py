"""A server whose answer never ends holds no run for ever."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.plan_act import TWINS
from thoughtgraph import Backoff, ModelUnavailableError, astream_think, athink, open_model, stream_think, think
from thoughtgraph.runtime.bounded import bounded_clients

ONCE = Backoff(attempts=1)


def bounded(server: OpenAIServer, **limits: Any) -> ChatOpenAI:
    """A model as `open_model` makes one, with other limits."""
    clients = bounded_clients(**limits)
    options: Any = {**clients, "max_retries": 0, "default_headers": {"Connection": "close"}}
    return ChatOpenAI(base_url=server.base_url, model="m", api_key=SecretStr("none"), **options)


def said(model: Any, form: str, *, stream: bool) -> str:
    """What a model says, by either twin, streamed or not."""
    if not stream:
        if form == "sync":
            return think(model, "Hello", backoff=ONCE).reply
        return asyncio.run(athink(model, "Hello", backoff=ONCE)).reply

    async def streamed() -> str:
        return "".join([piece.text async for piece in astream_think(model, "Hello", backoff=ONCE)])

    if form == "sync":
        return "".join(piece.text for piece in stream_think(model, "Hello", backoff=ONCE))
    return asyncio.run(streamed())


@pytest.mark.parametrize("form", TWINS)
def test_an_answer_that_trickles_is_given_up_after_its_time(form: str) -> None:
    with OpenAIServer([Reply("word " * 2_000, chunk_delay=0.01)]) as server:
        with pytest.raises(ModelUnavailableError, match="timed out") as lost:
            said(bounded(server, max_seconds=0.2), form, stream=True)
        assert lost.value.partial.startswith("word ")


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_without_end_is_given_up_after_its_size(form: str, stream: bool) -> None:
    with OpenAIServer([Reply("word " * 20_000)]) as server, pytest.raises(ModelUnavailableError):
        said(bounded(server, max_bytes=10_000), form, stream=stream)


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_within_its_bounds_is_whole(form: str, stream: bool) -> None:
    with OpenAIServer([Reply("word " * 200)]) as server:
        assert said(bounded(server, max_bytes=1_000_000), form, stream=stream).strip() == ("word " * 200).strip()


def test_a_server_given_by_its_address_is_bounded() -> None:
    with OpenAIServer([]) as server, open_model(f"{server.base_url}#m") as model:
        assert model.http_client.event_hooks["response"]  # type: ignore[attr-defined]
        assert model.http_async_client.event_hooks["response"]  # type: ignore[attr-defined]
