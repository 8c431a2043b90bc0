"""LangChain's chat model classes as a user makes them, each against a server of its provider's API.

The table in docs/models.md is made from these cases: what it says is what the tests find in the requests.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr
from support.wires.anthropic import Anthropic
from support.wires.bedrock import Bedrock
from support.wires.chat_completions import ChatCompletions
from support.wires.gemini import Gemini
from support.wires.mistral import Mistral
from support.wires.ollama import Ollama
from support.wires.responses import Responses
from support.wires.server import Wire

KEY = SecretStr("none-of-your-business")


@dataclass(frozen=True)
class Case:
    """A class and the API that it calls.

    Attributes:
        title: the class as the docs name it.
        make: a model from the server's address, and settings by the class's own names.
        wire: the API.
        names: of the class's settings for temperature, seed and output cap; the seed is None if there is none.
        sent: where those stand in a request: keys from the outside in.
        turn: the turn that carries earlier reasoning, as it stands in a request; None if the class never sends any.
    """

    title: str
    make: Callable[..., BaseChatModel]
    wire: Wire
    names: tuple[str, str | None, str]
    sent: tuple[str, str | None, str]
    turn: Any

    def find(self, body: dict[str, Any], option: int) -> Any:
        """An option in a request; None if it is not there."""
        found: Any = body
        for key in (self.sent[option] or "seed").split("."):
            found = found.get(key) if isinstance(found, dict) else None
        return found


def _openai(url: str, **settings: Any) -> BaseChatModel:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(base_url=f"{url}/v1", api_key=KEY, model="scripted", max_retries=0, **settings)


def _responses(url: str, **settings: Any) -> BaseChatModel:
    return _openai(url, **{"use_responses_api": True, **settings})


def _deepseek(url: str, **settings: Any) -> BaseChatModel:
    from langchain_deepseek import ChatDeepSeek

    return ChatDeepSeek(base_url=f"{url}/v1", api_key=KEY, model="scripted", max_retries=0, **settings)


def _ollama(url: str, **settings: Any) -> BaseChatModel:
    from langchain_ollama import ChatOllama

    return ChatOllama(base_url=url, model="scripted", **{"reasoning": True, **settings})


def _anthropic(url: str, **settings: Any) -> BaseChatModel:
    from langchain_anthropic import ChatAnthropic

    return ChatAnthropic(base_url=url, api_key=KEY, model="scripted", max_retries=0, **settings)  # pyright: ignore


def _gemini(url: str, **settings: Any) -> BaseChatModel:
    from langchain_google_genai import ChatGoogleGenerativeAI

    given = {"include_thoughts": True, **settings}
    return ChatGoogleGenerativeAI(base_url=url, api_key=KEY, model="gemini-2.5-flash", max_retries=0, **given)


@cache
def _aws() -> Any:
    """A session of Amazon's client, whose descriptions of its services take a while to load."""
    from boto3.session import Session

    return Session(aws_access_key_id="none", aws_secret_access_key="none-of-your-business", region_name="us-east-1")


def _bedrock(url: str, **settings: Any) -> BaseChatModel:
    from botocore.config import Config
    from langchain_aws import ChatBedrockConverse

    once = Config(retries={"total_max_attempts": 1})
    client = _aws().client("bedrock-runtime", endpoint_url=url, config=once)
    name = "anthropic.claude-sonnet-4-20250514-v1:0"
    return ChatBedrockConverse(client=client, bedrock_client=client, model=name, **settings)


def _mistral(url: str, **settings: Any) -> BaseChatModel:
    from langchain_mistralai import ChatMistralAI

    return ChatMistralAI(base_url=f"{url}/v1", api_key=KEY, model="scripted", max_retries=0, **settings)


CASES = [
    Case(
        "`ChatOpenAI`, and any server with its API",
        _openai,
        ChatCompletions(),
        ("temperature", "seed", "max_tokens"),
        ("temperature", "seed", "max_completion_tokens"),
        {"content": "no", "role": "assistant", "reasoning_content": "Hm, hm."},
    ),
    Case(
        "`ChatOpenAI` on the Responses API",
        _responses,
        Responses(),
        ("temperature", None, "max_tokens"),
        ("temperature", None, "max_output_tokens"),
        {
            "id": "rs_1",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "Hm, hm."}],
            "encrypted_content": "sealed",
        },
    ),
    Case(
        "`ChatDeepSeek`",
        _deepseek,
        ChatCompletions(),
        ("temperature", "seed", "max_tokens"),
        ("temperature", "seed", "max_tokens"),
        None,
    ),
    Case(
        "`ChatOllama`",
        _ollama,
        Ollama(),
        ("temperature", "seed", "num_predict"),
        ("options.temperature", "options.seed", "options.num_predict"),
        {"role": "assistant", "content": "no", "thinking": "Hm, hm."},
    ),
    Case(
        "`ChatAnthropic`",
        _anthropic,
        Anthropic(),
        ("temperature", None, "max_tokens"),
        ("temperature", None, "max_tokens"),
        {"type": "thinking", "thinking": "Hm, hm.", "signature": "signed"},
    ),
    Case(
        "`ChatGoogleGenerativeAI`",
        _gemini,
        Gemini(),
        ("temperature", "seed", "max_output_tokens"),
        ("generationConfig.temperature", "generationConfig.seed", "generationConfig.maxOutputTokens"),
        {"text": "Hm, hm.", "thought": True},
    ),
    Case(
        "`ChatBedrockConverse`",
        _bedrock,
        Bedrock(),
        ("temperature", None, "max_tokens"),
        ("inferenceConfig.temperature", None, "inferenceConfig.maxTokens"),
        {"reasoningContent": {"reasoningText": {"text": "Hm, hm.", "signature": "signed"}}},
    ),
    Case(
        "`ChatMistralAI`",
        _mistral,
        Mistral(),
        ("temperature", "random_seed", "max_tokens"),
        ("temperature", "random_seed", "max_tokens"),
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm, hm."}]},
    ),
]


def holds(body: Any, part: Any) -> bool:
    """Whether a part stands somewhere in a request."""
    if body == part:
        return True
    inside = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    return any(holds(item, part) for item in inside)


def dump(body: Any) -> str:
    """A request as text."""
    return json.dumps(body, ensure_ascii=False)
