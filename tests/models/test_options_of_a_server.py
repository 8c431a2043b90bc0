"""What `open_model` takes beside the name of a model of OpenAI's, or the address of a server: key, name, proxy."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from support.openai_server import OpenAIServer, Reply
from support.raw_server import JSON, RawServer, completion, whole
from thoughtgraph import open_model, think
from thoughtgraph.errors import ModelSetupError
from thoughtgraph.models import ReasoningChatOpenAI

NOWHERE = "http://server.invalid/v1"


def by_proxy(client: Any) -> None:
    client.send(whole(completion("by proxy"), JSON))


@pytest.mark.parametrize("given", ["option", "environment"])
@pytest.mark.parametrize("spec", ["openai:gpt-x", f"{NOWHERE}#m", NOWHERE])
def test_the_proxy_of_langchains_class_is_used_for_every_request(
    spec: str, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openais-own")
    monkeypatch.setenv("no_proxy", "*")
    options: dict[str, Any] = {"base_url": NOWHERE} if spec.startswith("openai:") else {}
    with RawServer(by_proxy) as proxy:
        if given == "environment":
            monkeypatch.setenv("OPENAI_PROXY", proxy.url)
        else:
            options["openai_proxy"] = proxy.url.removeprefix("http://")
        with open_model(spec, **options) as model:
            assert think(model, "Hello").reply == "by proxy"
        assert [request.split(b" ")[1] for request in proxy.requests][-1] == f"{NOWHERE}/chat/completions".encode()
        assert len(proxy.requests) == (2 if spec == NOWHERE else 1)


def test_no_proxy_stands_between_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(by_proxy) as proxy, OpenAIServer([Reply("direct")]) as server:
        monkeypatch.setenv("OPENAI_PROXY", proxy.url)
        with open_model(server.base_url, openai_proxy=None) as model:
            assert think(model, "Hello").reply == "direct"
        assert not proxy.requests


def test_a_proxy_of_the_environment_brings_no_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setattr("langchain_openai.chat_models._client_utils._proxy_env_warning_emitted", False, raising=False)
    with caplog.at_level(logging.WARNING), open_model(f"{NOWHERE}#m"):
        assert not caplog.messages


def test_key_and_name_may_be_options_of_an_address_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THOUGHTGRAPH_API_KEY", "sk-of-the-environment")
    with OpenAIServer([Reply("hello")]) as server:
        with open_model(server.base_url, api_key="sk-of-this-call") as model:
            assert think(model, "Hello").reply == "hello"
        sent = [request.headers.get("authorization") for request in server.requests]
        assert sent == ["Bearer sk-of-this-call"] * 2
        with open_model(server.base_url, model="other") as named:
            assert isinstance(named, ReasoningChatOpenAI)
            assert named.model_name == "other"
        assert len(server.requests) == 2, "the server was asked for a name that was given"


@pytest.mark.parametrize("spec", ["openai:gpt-x", f"{NOWHERE}#m"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"temperature": "hot"}, r"`temperature`: Input should be a valid number"),
        ({"openai_proxy": "ftp://me:secret@proxy"}, r"Unknown scheme for proxy"),
    ],
)
def test_an_option_that_does_not_fit_is_named_in_one_line(spec: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelSetupError, match=said) as refused:
        open_model(spec, **{"api_key": "sk-of-this-call", **options})
    assert spec.partition("#")[0] in str(refused.value)
    assert not [mark for mark in ("\n", "secret", "sk-of") if mark in str(refused.value)]
