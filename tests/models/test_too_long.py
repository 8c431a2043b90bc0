"""A request that is longer than its model takes: one error, whoever refuses it and in whichever words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphInterrupt
from pydantic import SecretStr
from support.cascades import small
from support.modes import TASK
from support.openai_server import OpenAIServer, Reply
from support.plan_act import GOAL, act, done, echo_tool, no_waiting, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import (
    Verdict,
    astream_think,
    athink,
    create_plan_act_graph,
    create_reflection_graph,
    generate_with_retry,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.errors import ModelUnavailableError, RequestTooLongError, TruncatedError

pytestmark = pytest.mark.slow

# What servers that speak like OpenAI's say, with their status.
SAID = {
    "OpenAI": (
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
    "llama.cpp": (400, "request (5017 tokens) exceeds the available context size (4096 tokens), try increasing it"),
    "llama.cpp before": (500, "the request exceeds the available context size. try increasing the context size"),
    "vLLM": (
        400,
        "'max_tokens' is too large: 8192. This model's maximum context length is 65536 tokens and your request has",
    ),
    "vLLM without a cap": (400, "max_tokens must be at least 1, got -904."),
    "SGLang": (400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    "SGLang allowed": (400, "Input length (5000 tokens) exceeds the maximum allowed length (4090 tokens)."),
    "TGI": (422, "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000"),
    "TGI sum": (
        422,
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
    ),
    "TensorRT": (400, "Prompt length (5000) exceeds maximum input length (4096)."),
    "LM Studio": (400, "The number of tokens to keep from the initial prompt is greater than the context length."),
    "Ollama": (400, "prompt too long; exceeded max context length by 904 tokens"),
    "Mistral": (
        400,
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    ),
    "Groq": (400, "Please reduce the length of the messages or completion."),
    "Groq's minute": (413, "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7000"),
    "OpenAI's minute": (429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000."),
    "xAI": (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    "OpenRouter": (
        400,
        "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens",
    ),
    "Moonshot": (400, "Invalid request: Your request exceeded model token limit: 8192"),
    "MiniMax": (400, "invalid params, context window exceeds limit"),
    "Zhipu": (400, "Prompt exceeds max length"),
    "DashScope": (400, "Range of input length should be [1, 30720]"),
    "Copilot": (400, "prompt token count of 130000 exceeds the limit of 128000"),
    "watsonx": (400, "the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model"),
    "Fireworks": (400, "The prompt is too long: 9000, model maximum context length: 8192"),
    "Cohere": (400, "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000."),
    "proxy": (413, "<html>nothing that says why</html>"),
}
OTHERS = {
    "temperature": (400, "temperature: Input should be less than or equal to 2; max_tokens was 10"),
    "cap": (400, "max_tokens must be at most 4096"),
    "no cap": (400, "max_tokens must be at least 1, got 0."),
    "key": (401, "the key of the project Context Window is wrong"),
    "echo": (
        422,
        "{'type': 'missing', 'loc': ('body', 'n'), 'msg': 'Field required', 'input': {'m': 'context window'}}",
    ),
}


def client(server: OpenAIServer, **options: Any) -> Any:
    """A client of a server that leaves all retrying to thoughtgraph."""
    return ChatOpenAI(base_url=server.base_url, api_key=SecretStr("none"), model="m", max_retries=0, **options)


async def asked(way: str, model: Any) -> None:
    """Ask in one of the four ways."""
    if way == "think":
        think(model, "x")
    elif way == "athink":
        await athink(model, "x")
    elif way == "stream":
        list(stream_think(model, "x"))
    else:
        _ = [piece async for piece in astream_think(model, "x")]


@pytest.mark.parametrize(("status", "said"), SAID.values(), ids=SAID)
def test_whatever_a_server_says_it_is_one_error_and_one_request(status: int, said: str) -> None:
    with OpenAIServer(lambda body, index: Reply(said, status=status)) as server:
        with pytest.raises(RequestTooLongError, match=r"longer than the model takes.*`context_tokens`") as caught:
            think(client(server), "x")
        assert len(server.requests) == 1
    assert said[:30] in str(caught.value) and caught.value.__cause__ is not None


@pytest.mark.parametrize(("status", "said"), OTHERS.values(), ids=OTHERS)
def test_another_refusal_is_not_said_to_be_about_the_length(status: int, said: str) -> None:
    with (
        OpenAIServer(lambda body, index: Reply(said, status=status)) as server,
        pytest.raises(Exception, match=r".") as caught,
    ):
        think(client(server), "x")
    assert not isinstance(caught.value, RequestTooLongError)


def test_a_limit_of_tokens_per_minute_is_still_waited_out(monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    said = "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 28000, Requested 5000."
    with OpenAIServer(
        [Reply(said, status=429), Reply("Too many tokens, please wait", status=429), Reply("a")]
    ) as server:
        assert think(client(server), "x").reply == "a"


@pytest.mark.parametrize("way", ["think", "athink", "stream", "astream"])
async def test_the_error_comes_in_every_way_of_asking_also_inside_of_a_stream(way: str) -> None:
    told = {
        "error": {"message": "Your input exceeds the context window of this model.", "code": "context_length_exceeded"}
    }
    event = Reply(raw_body=f"data: {json.dumps(told)}\n\n", content_type="text/event-stream")
    with OpenAIServer(lambda body, index: event) as server:
        with pytest.raises(RequestTooLongError):
            await asked(way, client(server, streaming=True))
        assert len(server.requests) == 1


def test_a_pause_or_an_error_of_the_library_stays_what_it_is() -> None:
    for error in (GraphInterrupt(), ModelUnavailableError(ValueError("context window"), 1), KeyError("context window")):
        with pytest.raises(type(error)):
            think(ScriptedModel(replies=[error]), "x")


TOO_LONG = ContextOverflowError("9000 tokens are more than 8192")


def accepted(reply: str) -> Any:
    """A parser that takes every reply."""
    return {"status": "success", "content": reply}


def refused(reply: str) -> Any:
    """A parser that takes none."""
    return {"status": "error", "feedback": "more"}


def test_the_next_model_of_a_cascade_is_asked() -> None:
    first, second = small(TOO_LONG), small("a", name="large")
    assert think_with_retry([first, second], "x", accepted) == "a"
    result = create_reflection_graph(actor=[small(TOO_LONG), small("a", name="large")], max_attempts=2).invoke(TASK)
    assert result["answer"] == "a"
    replies = [planned("a"), done("b"), replanned(response="b")]
    overflowing = small(*[TOO_LONG] * 3)
    result = create_plan_act_graph([overflowing, small(*replies, name="large")], [], interactive=False).invoke(GOAL)
    assert result["stop_reason"]["kind"] == "goal_met"


def test_what_the_replies_before_have_cost_and_said_is_in_the_error() -> None:
    model = ScriptedModel(replies=["no", TOO_LONG])
    with pytest.raises(RequestTooLongError) as caught:
        think_with_retry(model, "x", refused)
    assert (caught.value.raw_replies, caught.value.feedbacks) == (["no"], ["more"])
    assert caught.value.usage["total_tokens"] > 0
    with pytest.raises(RequestTooLongError):
        generate_with_retry(ScriptedModel(replies=[TOO_LONG]), "x", "markdown")


def test_a_raised_cap_for_which_there_is_no_room_is_said_in_the_servers_words() -> None:
    cut = AIMessage("cut", response_metadata={"finish_reason": "length"})
    with pytest.raises(TruncatedError) as caught:
        think_with_retry(ScriptedModel(replies=[cut, TOO_LONG]), "x", accepted)
    assert (caught.value.raw_reply, caught.value.refusal) == ("cut", str(TOO_LONG))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("before", [[], [planned("a"), act("echo", "x")]], ids=["at once", "under way"])
def test_a_plan_ends_with_what_was_done_and_names_the_setting(before: list[str], language: Any) -> None:
    model = ScriptedModel(replies=[*before, TOO_LONG])
    graph = create_plan_act_graph(model, [echo_tool()], interactive=False, language=language)
    result = graph.invoke(GOAL)
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert "`context_tokens`" in result["response"].partition("\n")[0]
    assert "key" not in result["response"] and "密钥" not in result["response"]
    assert ("echo x" in result["response"]) == bool(before)


@pytest.mark.parametrize("mode", ["external_loop", "reflexion", "actor_critic", "best_of_n"])
@pytest.mark.parametrize("before", [[], ["a"]], ids=["at once", "later"])
def test_a_reflection_loop_keeps_its_best_answer_and_says_why_it_ended(mode: str, before: list[str]) -> None:
    def failing(task: str, answer: str) -> Verdict:
        return Verdict("failed", "no")

    model = ScriptedModel(replies=[*before, *[TOO_LONG] * 4])
    settings: dict[str, Any] = {} if mode == "best_of_n" else {"verifier": failing}
    result = create_reflection_graph(mode, actor=model, max_attempts=3, **settings).invoke(TASK)  # type: ignore[arg-type]
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert "longer than the model takes" in result["stop_reason"]["value"]
    assert result["answer"] == "".join(before)


WITHOUT_MONEY: list[tuple[int, dict[str, str]]] = [
    (429, {"code": "insufficient_quota"}),
    (429, {"type": "exceeded_current_quota_error"}),
    (429, {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}),
    (402, {"message": "Insufficient Balance"}),
    (402, {}),
    (400, {"message": "Your credit balance is too low to access the API.", "type": "invalid_request_error"}),
    (400, {"code": "Arrearage"}),
    (400, {"type": "budget_exceeded"}),
    (403, {"message": "Sorry, your account balance is insufficient"}),
]


def without_money(status: int, error: dict[str, str]) -> Reply:
    """What a server says to an account that has none."""
    said = {"message": "You exceeded your current quota, check your plan.", **error}
    return Reply(raw_body=json.dumps({"error": said}), status=status)


@pytest.mark.parametrize(("status", "error"), WITHOUT_MONEY)
def test_an_account_without_money_is_not_waited_for(status: int, error: dict[str, str]) -> None:
    with OpenAIServer(lambda request, index: without_money(status, error)) as server:
        with pytest.raises(ModelUnavailableError, match=r"after 1 call.*" + error.get("message", "check your plan")):
            think(client(server), "x")
        assert len(server.requests) == 1


@pytest.mark.parametrize(("status", "error"), WITHOUT_MONEY[3:6])
def test_a_model_without_money_is_followed_by_the_next(status: int, error: dict[str, str]) -> None:
    with OpenAIServer(lambda request, index: without_money(status, error)) as server:
        models: list[Any] = [client(server), ScriptedModel(replies=["yes", "yes", planned(response="It is yes.")])]
        assert think_with_retry(models, "x", lambda reply: {"status": "success", "content": reply}) == "yes"
        assert create_reflection_graph(actor=models).invoke({"task": "t"})["answer"] == "yes"
        assert create_plan_act_graph(models, [], interactive=False).invoke(GOAL)["response"] == "It is yes."


@pytest.mark.parametrize("status", [400, 403])
def test_another_refusal_is_not_said_to_be_about_money(status: int) -> None:
    with OpenAIServer([Reply("a balance sheet has to be a list", status=status)]) as server:
        with pytest.raises(Exception, match="balance sheet") as caught:
            think(client(server), "x")
        assert not isinstance(caught.value, ModelUnavailableError)
