"""Classes of the user's own, and LangChain's fakes: what they hold and count costs no reply."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, HumanMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableLambda
from support.plan_act import echo_tool
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, athink, create_plan_act_graph, create_reflection_graph, stream_think, think
from thoughtgraph.errors import ModelUnavailableError
from thoughtgraph.models import Backoff

KEY = "0123-key-of-the-user"


def never(task: str, answer: str) -> Verdict:
    """Passes nothing."""
    return Verdict("failed", "no")


class Own(BaseChatModel):
    """Fails at first, if it is to; then it counts."""

    held: Any = None
    api_key: str = KEY
    seed: Any = None
    fails: bool = False
    calls: int = 0

    @property
    def _llm_type(self) -> str:
        return "own"

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        self.calls += 1
        if self.fails and self.calls == 1:
            raise ConnectionResetError(f"dropped {KEY}")
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"answer {self.calls}"))])


class Unbound:
    """A proxy outside of its context: it cannot be asked for anything."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("outside of context")


class Vault:
    """A secret that cannot be had now."""

    def get_secret_value(self) -> str:
        """As pydantic's has it."""
        raise OSError("sealed")


HELD = {"proxy": Unbound(), "proxies": [Unbound()], "vault": Vault(), "gone": weakref.proxy(Vault())}


@pytest.mark.parametrize("held", HELD)
def test_what_cannot_be_searched_for_secrets_replaces_no_error(held: str) -> None:
    again = Backoff(max_attempts=2, initial_interval=0.001)
    assert think(Own(held=HELD[held], fails=True), "x", backoff=again).reply == "answer 2"
    with pytest.raises(ModelUnavailableError, match=r"dropped \[redacted\]"):
        think(Own(held=HELD[held], fails=True), "x", backoff=Backoff(max_attempts=1))


FAKES = {"chat": FakeListChatModel, "text": FakeListLLM}


@pytest.mark.parametrize("fake", FAKES)
@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
def test_a_model_that_counts_its_calls_in_a_field_is_no_copy_where_nothing_is_set(mode: Any, fake: str) -> None:
    model: Any = FAKES[fake](responses=["a", "b", "c"])
    graph = create_reflection_graph(mode, actor=model, verifier=never, max_attempts=3)
    run = graph.with_config(max_concurrency=1).invoke({"task": "t"})
    assert [attempt["answer"] for attempt in run["attempts"]] == ["a", "b", "c"]


@pytest.mark.parametrize("seed", ["fixed", [1, 2]], ids=str)
@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
def test_a_seed_that_is_no_number_stays_what_it_is(mode: Any, seed: Any) -> None:
    graph = create_reflection_graph(mode, actor=Own(seed=seed), verifier=never, max_attempts=2)
    answers = [attempt["answer"] for attempt in graph.invoke({"task": "t"})["attempts"]]
    assert sorted(map(str, answers)) == ["answer 1", "answer 2"]


@pytest.mark.parametrize("read", [0, 7])
def test_a_reply_of_which_only_the_prompt_is_told_has_cost_tokens(read: int) -> None:
    usage: Any = {"input_tokens": read, "output_tokens": 0, "total_tokens": read}
    thought = think(ScriptedModel(replies=[AIMessage("x" * 40, usage_metadata=usage)]), "y" * 28)
    assert (thought.usage["input_tokens"], thought.usage["output_tokens"], thought.estimated) == (7, 10, True)
    assert thought.usage["total_tokens"] == 17
    told: Any = {"input_tokens": 7, "output_tokens": 0, "total_tokens": 7}
    empty = think(ScriptedModel(replies=[AIMessage("", usage_metadata=told)]), "y")
    assert (empty.usage["total_tokens"], empty.estimated) == (7, False)


def test_a_call_of_which_no_tokens_are_told_has_cost_some() -> None:
    called = AIMessage(
        "", tool_calls=[{"name": "stock", "args": {"item": "apples " * 20, "by": date(2026, 11, 28)}, "id": "1"}]
    )
    thought = think(ScriptedModel(replies=[called]), "x")
    assert thought.usage["output_tokens"] > 30 and thought.estimated and not thought.reply


def test_a_call_that_nobody_could_read_has_cost_some() -> None:
    cut = AIMessage(
        "", invalid_tool_calls=[{"name": "stock", "args": '{"item": "' + "apples " * 20, "id": "1", "error": None}]
    )
    thought = think(ScriptedModel(replies=[cut]), "x")
    assert thought.usage["output_tokens"] > 30 and thought.estimated and not thought.reply


class ClientResponseError(Exception):
    """As aiohttp's, which warns whoever reads its code."""

    def __init__(self, status: int) -> None:
        super().__init__(f"{status}")
        self.status = status

    @property
    def code(self) -> int:
        """The old name."""
        raise DeprecationWarning("use status instead")


class ContentTypeError(ClientResponseError):
    """Of a page in place of JSON."""


class InWordsError(Exception):
    """As Gemini's."""

    code = 503
    status = "UNAVAILABLE"


class OddError(ConnectionError):
    """Has a code that is no code, as its server sent it."""

    code = ["busy"]  # noqa: RUF012 - nobody changes it


class ContentLengthError(type("HttpProcessingError", (Exception,), {})):
    """As aiohttp's of an answer that stopped short, which has a status that nobody sent."""

    code = 400


def over_half_an_answer(error: Exception) -> Exception:
    """As aiohttp raises its own errors."""
    error.__cause__ = ContentLengthError("Not enough data")
    return error


HALVES = [type("ClientPayloadError", (Exception,), {})("half"), ClientResponseError(400)]


@pytest.mark.parametrize("half", HALVES, ids=["body", "head"])
def test_half_an_answer_is_no_refusal(half: Exception) -> None:
    model = ScriptedModel(replies=[over_half_an_answer(half), "fine"])
    assert think(model, "x", backoff=Backoff(max_attempts=2, initial_interval=0.001)).reply == "fine"


ANSWERS = [OddError(), ClientResponseError(429), ClientResponseError(503), ContentTypeError(200), InWordsError()]


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_a_status_is_read_from_the_errors_of_every_client(answer: Exception) -> None:
    model = ScriptedModel(replies=[answer, "fine"])
    assert think(model, "x", backoff=Backoff(max_attempts=2, initial_interval=0.001)).reply == "fine"


class SpentError(Exception):
    """Tells a status in a number, and in words that no money is left."""

    status = 429
    code = "insufficient_quota"


def test_a_code_in_words_counts_beside_a_status_in_a_number() -> None:
    model = ScriptedModel(replies=[SpentError("no"), "never asked for"])
    with pytest.raises(ModelUnavailableError):
        think(model, "x", backoff=Backoff(max_attempts=2, initial_interval=0.001))
    assert len(model.requests) == 1


def test_a_refusal_is_the_servers_whatever_its_client_calls_the_status() -> None:
    model = ScriptedModel(replies=["a", ClientResponseError(401)])
    run = create_reflection_graph(actor=model, verifier=never, max_attempts=3).invoke({"task": "t"})
    assert (run["answer"], run["stop_reason"]["kind"]) == ("a", "model_unavailable")


CHAINS: dict[str, Callable[[Any], Any]] = {
    "model": lambda model: model,
    "prompt": lambda model: PROMPT | model,
    "parser": lambda model: PROMPT | model | StrOutputParser(),
    "bound": lambda model: (PROMPT | model.bind(user="me")).with_config(tags=["t"]),
    "fallbacks": lambda model: (PROMPT | model).with_fallbacks([model]),
}
PROMPT = ChatPromptTemplate([MessagesPlaceholder("messages")])


class Stops(Own):
    """Says what it was called with."""

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"{stop} {kwargs.get('top_k')}"))])


@pytest.mark.parametrize("chain", CHAINS)
async def test_keywords_reach_the_model_behind_a_prompt(chain: str) -> None:
    model = CHAINS[chain](Stops())
    assert think(model, "x", stop=["#"], top_k=3).reply == "['#'] 3"
    assert (await athink(model, "x", stop=["#"], top_k=3)).reply == "['#'] 3"
    streamed = list(stream_think(model, "x", stop=["#"], top_k=3))[-1].thought
    assert streamed is not None
    assert streamed.reply == "['#'] 3"


PLACED: dict[str, Any] = {
    "optional": ChatPromptTemplate.from_messages([("system", "Be brief."), ("placeholder", "{messages}")]),
    "filled in": ChatPromptTemplate([("system", "Be {how}."), MessagesPlaceholder("messages")]).partial(how="brief"),
    "beside another": ChatPromptTemplate(
        [("system", "Be brief."), MessagesPlaceholder("history", optional=True), MessagesPlaceholder("messages")]
    ),
    "beside one that is filled in": ChatPromptTemplate(
        [MessagesPlaceholder("history", optional=True), ("placeholder", "{messages}")]
    ).partial(history=[("system", "Be brief.")]),
}


@pytest.mark.parametrize("prompt", PLACED.values(), ids=PLACED)
async def test_a_prompt_has_the_messages_in_its_place_for_them(prompt: Any) -> None:
    model = ScriptedModel(replies=["It is 42."] * 3)
    chain = (prompt | model).with_config(tags=["t"])
    assert think(chain, "Why?").reply == (await athink(chain, "Why?")).reply == "It is 42."
    assert list(stream_think(chain, "Why?"))[-1].thought
    assert [[one.content for one in request] for request in model.requests] == [["Be brief.", "Why?"]] * 3


NO_PLACE: dict[str, Any] = {
    "text": ChatPromptTemplate.from_template("Answer this: {question}"),
    "plain text": PromptTemplate.from_template("Answer this: {question}"),
    "one more": ChatPromptTemplate([("system", "Be {how}."), MessagesPlaceholder("messages")]),
    "none": ChatPromptTemplate([("system", "Be brief.")]),
}


@pytest.mark.parametrize("prompt", NO_PLACE.values(), ids=NO_PLACE)
def test_a_prompt_without_a_place_for_the_messages_is_refused(prompt: Any) -> None:
    chain = (prompt | ScriptedModel(replies=[])).with_retry()
    with pytest.raises(ValueError, match="model begins with a prompt that has no place for the messages"):
        think(chain, "Why?")
    with pytest.raises(ValueError, match="actor begins with a prompt"):
        create_reflection_graph(actor=chain)

    def variables(messages: Any) -> dict[str, Any]:
        return {"question": messages[-1].content, "how": "brief", "messages": messages}

    first = RunnableLambda(variables)
    assert think(first | prompt | ScriptedModel(replies=["It is 42."]), "Why?").reply == "It is 42."


def test_a_prompt_behind_another_step_is_left_alone() -> None:
    prompt = ChatPromptTemplate([("system", "Say hi."), ("placeholder", "{history}")])
    model = ScriptedModel(replies=["Hi."])
    chain = RunnableLambda(lambda messages: {}) | prompt | model
    assert think(chain, "Why?").reply == "Hi."
    assert [one.content for one in model.requests[0]] == ["Say hi."]


class Profiled(Own):
    """Has a profile of another kind than LangChain's."""

    profile: Any = "fast"


def test_a_profile_of_another_kind_says_nothing() -> None:
    graph = create_plan_act_graph(Profiled(), [echo_tool()], interactive=False)
    run = graph.invoke({"goal": "Get it done"})
    assert run["stop_reason"]["kind"] != "goal_met"


class Streams(Own):
    """Says that the user speaks, as some servers do."""

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        for word in ("It ", "is 42."):
            yield ChatGenerationChunk(message=HumanMessageChunk(content=word))


class Says(Own):
    """Says something as somebody."""

    message: BaseMessage

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.message)])


MODELS = [
    Streams(),
    Says(message=HumanMessage("It is 42.")),
    Says(message=ChatMessage(content="It is 42.", role="bot")),
]


@pytest.mark.parametrize("model", MODELS, ids=["streams", "human", "bot"])
async def test_a_reply_in_another_role_is_the_models_however_it_is_asked_for(model: Own) -> None:
    streamed = list(stream_think(model, "x"))[-1].thought
    if not isinstance(model, Streams):
        assert streamed == think(model, "x") == await athink(model, "x")
    assert streamed is not None
    assert streamed.reply == "It is 42."
    assert isinstance(streamed.message, AIMessage)


class GuardedError(Exception):
    """One of whose attributes may not be read."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.__dict__["detail"] = said

    @property
    def detail(self) -> str:
        raise RuntimeError("no detail")


@pytest.mark.parametrize("twin", ["think", "athink"])
async def test_an_error_whose_attributes_may_not_be_read_is_raised_as_it_is(twin: str) -> None:
    model = ScriptedModel(replies=[GuardedError("the key sk-1234567890abcdef is wrong")])
    with pytest.raises(GuardedError, match="is wrong"):
        think(model, "x") if twin == "think" else await athink(model, "x")


class MuteError(Exception):
    """Says something that nobody has told it."""

    def __str__(self) -> str:
        return str(vars(self)["told"])


@pytest.mark.parametrize("twin", ["think", "athink"])
async def test_an_error_that_cannot_say_itself_is_raised_as_it_is(twin: str) -> None:
    model = ScriptedModel(replies=[MuteError()])
    with pytest.raises(MuteError):
        think(model, "x") if twin == "think" else await athink(model, "x")
