"""A request that is longer than its model takes, as each provider's client raises it."""

from __future__ import annotations

from typing import Any, cast

import anthropic
import httpx
import pytest
from botocore.exceptions import ClientError
from google.genai.errors import ClientError as GoogleError
from langchain_core.exceptions import ContextOverflowError
from ollama import ResponseError
from support.scripted import ScriptedModel
from thoughtgraph import think
from thoughtgraph.errors import RequestTooLongError

pytestmark = pytest.mark.slow
RESPONSE = httpx.Response(400, request=httpx.Request("POST", "http://x"))
WORDS = "prompt is too long: 208310 tokens > 200000 maximum"
OWN = {
    "LangChain": ContextOverflowError("no"),
    "Anthropic": anthropic.BadRequestError(WORDS, response=cast("Any", RESPONSE), body={"error": {"message": WORDS}}),
    "Bedrock": ClientError(
        {
            "Error": {"Code": "ValidationException", "Message": "Input is too long for requested model."},
            "ResponseMetadata": {"HTTPStatusCode": 400},  # type: ignore[typeddict-item]
        },
        "Converse",
    ),
    "Gemini": GoogleError(
        400, {"error": {"message": "The input token count (9) exceeds the maximum number of tokens"}}
    ),
    "Ollama": ResponseError('{"error": "input length exceeds the context length"}', 500),
    "llama-cpp-python": ValueError("Requested tokens (600) exceed context window of 512"),
}


@pytest.mark.parametrize("error", OWN.values(), ids=OWN)
def test_every_clients_own_class_becomes_that_error(error: Exception) -> None:
    model = ScriptedModel(replies=[error])
    with pytest.raises(RequestTooLongError):
        think(model, "x")
    assert len(model.requests) == 1
