"""LangChain's own model classes, each against a server of its provider's API (rows T8, T9 and H5)."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from operator import itemgetter
from typing import Any

import pytest
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import (
    ConfigurableField,
    RouterRunnable,
    RunnableBranch,
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
)
from pydantic import PrivateAttr
from support.model_classes import CASES, Case, dump, holds
from support.paths import ROOT
from support.wires.responses import Responses
from support.wires.server import INPUT_TOKENS, OUTPUT_TOKENS, Said, WireServer
from thoughtgraph import (
    Verdict,
    astream_think,
    athink,
    athink_with_retry,
    create_reflection_graph,
    generate_with_retry,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.errors import ModelUnavailableError, TruncatedError
from thoughtgraph.models import Backoff, DonePiece, Thought, ThoughtPiece

QUICK = Backoff(max_attempts=3, initial_interval=0.01, max_interval=0.02)
ANSWER = Said("It is 42.", "Hm, hm.")
CUT = Said("half of", is_cut=True)
BUSY = Said("busy", status=503)
TOO_LARGE = Said("such a cap is too large", status=400)
TEMPERATURE, SEED, CAP = range(3)

WAYS = pytest.mark.parametrize("way", ["think", "athink", "stream", "astream"])
TWINS = pytest.mark.parametrize("twin", ["sync", "async"])
CLASSES = pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)

pytestmark = [
    pytest.mark.slow,
    # Of the libraries of these classes: sockets that they leave to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


async def pieces_by(way: str, model: Any, messages: Any = "Why?", **options: Any) -> list[ThoughtPiece]:
    """A thought in one of the four ways, the unstreamed ones as a single piece."""
    if way == "think":
        return [DonePiece(think(model, messages, backoff=QUICK, **options))]
    if way == "athink":
        return [DonePiece(await athink(model, messages, backoff=QUICK, **options))]
    if way == "stream":
        return list(stream_think(model, messages, backoff=QUICK, **options))
    return [piece async for piece in astream_think(model, messages, backoff=QUICK, **options)]


async def thought_by(way: str, model: Any, messages: Any = "Why?", **options: Any) -> Thought:
    """The whole thought."""
    thought = (await pieces_by(way, model, messages, **options))[-1].thought
    assert thought is not None
    return thought


def wants_yes(raw_reply: str) -> Any:
    """Accepts the word yes."""
    done = raw_reply == "yes"
    return {"status": "success", "content": raw_reply} if done else {"status": "error", "feedback": "Say yes."}


async def asked(twin: str, model: Any, messages: Any = "Why?", **options: Any) -> str:
    """`think_with_retry` or its async twin."""
    if twin == "sync":
        return think_with_retry(model, messages, wants_yes, backoff=QUICK, **options)
    return await athink_with_retry(model, messages, wants_yes, backoff=QUICK, **options)


def once(model: Any) -> str:
    """`think_with_retry`, with short waits."""
    return think_with_retry(model, "Why?", wants_yes, backoff=QUICK)


@CLASSES
@WAYS
async def test_reasoning_and_reply_come_apart(case: Case, way: str) -> None:
    with WireServer(case.wire, [ANSWER]) as server:
        pieces = await pieces_by(way, case.make(server.url))
    thought = pieces[-1].thought
    assert thought is not None
    assert (thought.reply, thought.reasoning) == ("It is 42.", "Hm, hm.")
    assert (thought.usage["input_tokens"], thought.usage["output_tokens"]) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert thought.finish_reason != "length"
    if "stream" in way:
        for kind, whole in (("reasoning", thought.reasoning), ("reply", thought.reply)):
            told = [piece.text for piece in pieces if piece.kind == kind]
            assert len(told) > 1 and "".join(told) == whole


@CLASSES
@WAYS
async def test_the_output_cap_has_one_name(case: Case, way: str) -> None:
    with WireServer(case.wire, [CUT]) as server:
        assert (await thought_by(way, case.make(server.url))).finish_reason == "length"


@CLASSES
@WAYS
async def test_a_busy_server_is_asked_the_same_again(case: Case, way: str) -> None:
    with WireServer(case.wire, [BUSY, ANSWER]) as server:
        assert (await thought_by(way, case.make(server.url))).reply == "It is 42."
        assert len(server.bodies) == 2 and server.bodies[0] == server.bodies[1]
    with WireServer(case.wire, [BUSY] * 3) as server, pytest.raises(ModelUnavailableError) as caught:
        await thought_by(way, case.make(server.url))
    assert caught.value.attempts == 3 and "busy" in str(caught.value)


@CLASSES
@TWINS
async def test_the_raised_cap_arrives(case: Case, twin: str) -> None:
    with WireServer(case.wire, [CUT, Said("yes")] * 3) as server:
        assert await asked(twin, case.make(server.url, **{case.names[CAP]: 900})) == "yes"
        # Ollama's own client takes no such keyword; see below for what may be bound to its class.
        bound = {"options": {"num_predict": 900}} if "Ollama" in case.title else {case.names[CAP]: 900}
        assert await asked(twin, case.make(server.url).bind(**bound)) == "yes"
        assert await asked(twin, case.make(server.url)) == "yes"
        caps = [case.find(body, CAP) for body in server.bodies]
    assert caps[:4] == [900, 1800] * 2
    assert caps[5] == 2 * max(caps[4] or 0, OUTPUT_TOKENS)


@CLASSES
@TWINS
async def test_a_refused_cap_keeps_the_reply_that_was_cut(case: Case, twin: str) -> None:
    with WireServer(case.wire, [CUT, TOO_LARGE]) as server, pytest.raises(TruncatedError) as caught:
        await asked(twin, case.make(server.url, **{case.names[CAP]: 900}))
    cut = caught.value
    assert (cut.raw_reply, cut.max_tokens, cut.usage["output_tokens"]) == ("half of", 1800, OUTPUT_TOKENS)
    assert "such a cap is too large" in cut.refusal
    assert "refused a cap of 1800" in str(cut)


@CLASSES
def test_a_loop_goes_on_after_a_refused_cap(case: Case) -> None:
    with WireServer(case.wire, [CUT, TOO_LARGE, Said("yes")]) as server:
        graph = create_reflection_graph(actor=case.make(server.url, **{case.names[CAP]: 900}), verifier=only_yes)
        result = graph.invoke({"task": "Go."})
    assert (result["verdict"], result["attempts"][0]["reply"]) == ("passed", "half of")


@CLASSES
@TWINS
@pytest.mark.parametrize("echo", [True, False])
async def test_echo_says_whether_reasoning_goes_back(case: Case, twin: str, echo: bool) -> None:
    with WireServer(case.wire, [Said("no", "Hm, hm."), Said("yes")]) as server:
        assert await asked(twin, case.make(server.url), echo_reasoning=echo) == "yes"
        body = server.bodies[1]
    assert "no" in dump(body) and "Say yes." in dump(body)
    assert ("Hm, hm." in dump(body)) == (echo and case.turn is not None)
    assert case.turn is None or holds(without_empty(body), case.turn) == echo


def without_empty(body: Any) -> Any:
    """A request without nulls and empty lists, which some clients add."""
    if isinstance(body, dict):
        return {name: without_empty(value) for name, value in body.items() if value is not None}
    return [without_empty(item) for item in body] if isinstance(body, list) else body


@CLASSES
@pytest.mark.parametrize("way", ["think", "astream"])
@pytest.mark.parametrize("echo", [True, False])
async def test_reasoning_in_the_callers_history_is_sent_or_withheld(case: Case, way: str, echo: bool) -> None:
    with WireServer(case.wire, [Said("no", "Hm, hm."), Said("yes")]) as server:
        model = case.make(server.url)
        first = think(model, "Go.", backoff=QUICK).message
        history = [HumanMessage("Go."), first, HumanMessage("Say yes.")]
        await thought_by(way, model, history, echo_reasoning=echo)
        body = server.bodies[1]
    assert ("Hm, hm." in dump(body)) == (echo and case.turn is not None)
    assert isinstance(first, AIMessage) and "Hm, hm." in f"{first.content}{first.additional_kwargs}"


def only_yes(task: str, answer: str) -> Verdict:
    """Passes the word yes."""
    return Verdict("passed") if answer == "yes" else Verdict("failed", feedback="Say yes.")


@CLASSES
@TWINS
async def test_a_second_attempt_is_hotter_and_has_its_own_seed(case: Case, twin: str) -> None:
    with WireServer(case.wire, [Said("no"), Said("yes")]) as server:
        model = case.make(server.url, **{case.names[TEMPERATURE]: 0.2})
        graph = create_reflection_graph(actor=model, verifier=only_yes, strategies=["fresh"])
        result = graph.invoke({"task": "Go."}) if twin == "sync" else await graph.ainvoke({"task": "Go."})
        first, second = server.bodies
    assert result["verdict"] == "passed"
    assert [case.find(body, TEMPERATURE) for body in (first, second)] == [0.2, 0.8]
    assert [case.find(body, SEED) for body in (first, second)] == [None, 1 if case.names[SEED] else None]
    assert case.names[SEED] or "seed" not in dump(second)


@CLASSES
@pytest.mark.parametrize("way", ["think", "astream"])
async def test_options_of_a_call_have_one_name(case: Case, way: str) -> None:
    with WireServer(case.wire, [ANSWER]) as server:
        await thought_by(way, case.make(server.url), temperature=0.25, max_tokens=321)
        assert [case.find(server.bodies[0], option) for option in (TEMPERATURE, CAP)] == [0.25, 321]


@CLASSES
@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_retry_after_is_honored(case: Case, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured by the time that the back-off would wait, after the errors that the real clients raise."""
    waits: list[float] = []

    def seconds(self: Backoff, attempt: int, error: BaseException | None = None) -> float:
        waits.append(real(self, attempt, error))
        return 0.0

    real = Backoff.seconds
    monkeypatch.setattr(Backoff, "seconds", seconds)
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    limited = Said("slow down", status=429, headers={"Retry-After": "45" if form == "seconds" else when})
    patient = Backoff(max_attempts=2, initial_interval=0.01, max_interval=90.0)
    with WireServer(case.wire, [limited, ANSWER] * 2) as server:
        assert think(case.make(server.url), "Why?", backoff=patient).reply == "It is 42."
        assert (await athink(case.make(server.url), "Why?", backoff=patient)).reply == "It is 42."
    assert len(waits) == 2 and all(40 < wait <= 60 for wait in waits)


EFFORT: dict[str, tuple[dict[str, Any], Any]] = {
    "`ChatOpenAI`, and any server with its API": ({"reasoning_effort": "high"}, {"reasoning_effort": "high"}),
    "`ChatOpenAI` on the Responses API": (
        {"reasoning": {"effort": "high", "summary": "auto"}, "include": ["reasoning.encrypted_content"]},
        {"reasoning": {"effort": "high", "summary": "auto"}, "include": ["reasoning.encrypted_content"]},
    ),
    "`ChatDeepSeek`": ({"extra_body": {"thinking": {"type": "enabled"}}}, {"thinking": {"type": "enabled"}}),
    "`ChatOllama`": ({"reasoning": "high"}, {"think": "high"}),
    "`ChatAnthropic`": (
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
    "`ChatGoogleGenerativeAI`": ({"thinking_budget": 512}, {"thinkingConfig": {"thinking_budget": 512}}),
    "`ChatBedrockConverse`": (
        {"additional_model_request_fields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
    "`ChatMistralAI`": ({"model_kwargs": {"reasoning_effort": "high"}}, {"reasoning_effort": "high"}),
}


@CLASSES
def test_effort_and_thinking_budgets_pass_through_untouched(case: Case) -> None:
    given, sent = EFFORT[case.title]
    bound = given.get("model_kwargs", given)
    with WireServer(case.wire, [CUT, Said("yes")] * 2) as server:
        assert once(case.make(server.url, **given)) == "yes"
        assert once(case.make(server.url).bind(**bound)) == "yes"
        for body in server.bodies:
            place = body.get("generationConfig") or body.get("additionalModelRequestFields") or body
            for name, value in sent.items():
                found = place[name]
                assert {**found, **value} == found if isinstance(value, dict) else found == value
        caps = [case.find(body, CAP) for body in server.bodies]
    assert caps[1] and caps[3]


GROUPED: dict[str, tuple[str, dict[str, Any], float]] = {
    "`ChatOllama`": ("options", {"num_predict": 900, "temperature": 0.2, "top_p": 0.625}, 0.625),
    "`ChatGoogleGenerativeAI`": (
        "generation_config",
        {"max_output_tokens": 900, "temperature": 0.2, "top_p": 0.625},
        0.625,
    ),
    "`ChatBedrockConverse`": ("inferenceConfig", {"maxTokens": 900, "temperature": 0.2, "topP": 0.625}, 0.625),
}


@pytest.mark.parametrize("case", [case for case in CASES if case.title in GROUPED], ids=lambda case: case.title)
def test_options_bound_as_a_group_are_set_inside_of_it(case: Case) -> None:
    name, group, kept = GROUPED[case.title]
    with WireServer(case.wire, [Said("no"), CUT, Said("yes")]) as server:
        model = case.make(server.url).bind(**{name: group})
        result = create_reflection_graph(actor=model, verifier=only_yes, strategies=["fresh"]).invoke({"task": "Go."})
        first, second, third = server.bodies
    assert result["verdict"] == "passed"
    assert [case.find(body, TEMPERATURE) for body in (first, second, third)] == [0.2, 0.8, 0.8]
    assert [case.find(body, CAP) for body in (first, second, third)] == [900, 900, 1800]
    assert [holds(body, kept) for body in (first, second, third)] == [True] * 3
    assert group == GROUPED[case.title][1]


FURTHER: dict[str, tuple[str, dict[str, Any]]] = {
    "`ChatOpenAI`, and any server with its API": ("extra_body", {"max_tokens": 900}),
    "`ChatDeepSeek`": ("model_kwargs", {"max_tokens": 900}),
    "`ChatMistralAI`": ("model_kwargs", {"max_tokens": 900}),
}


@pytest.mark.parametrize("case", [case for case in CASES if case.title in FURTHER], ids=lambda case: case.title)
@pytest.mark.filterwarnings("ignore:.*should be specified explicitly:UserWarning")
def test_a_cap_among_further_parameters_is_raised_there(case: Case) -> None:
    name, given = FURTHER[case.title]
    with WireServer(case.wire, [CUT, Said("yes")]) as server:
        try:
            model = case.make(server.url, **{name: given})
        except ValueError:  # the class takes no field among them
            model = case.make(server.url)
            setattr(model, name, given)
        assert think_with_retry(model, "Why?", wants_yes, backoff=QUICK) == "yes"
        assert [body["max_tokens"] for body in server.bodies] == [900, 1800]


def configurable(model: Any) -> Any:
    """A model whose temperature is configured, at 0.1."""
    fields = model.configurable_fields(temperature=ConfigurableField(id="heat"))
    return fields.with_config(configurable={"heat": 0.1})


def same(given: Any) -> Any:
    """A step that changes nothing."""
    return given


WRAPPINGS: dict[str, Callable[[Any], Any]] = {
    "with_retry": lambda model: model.with_retry(stop_after_attempt=2),
    "with_fallbacks": lambda model: model.with_fallbacks([model]),
    "with_config": lambda model: model.with_config(tags=["mine"]),
    "bind": lambda model: model.bind(stop=["###"]),
    "configurable_fields": configurable,
    "configured from outside": lambda model: model.configurable_fields(
        temperature=ConfigurableField(id="heat")
    ).with_retry().with_config(configurable={"heat": 0.1}),
    "configurable_alternatives": lambda model: model.configurable_alternatives(
        ConfigurableField(id="which"), default_key="this", other=model.bind(stop=["###"])
    ).with_config(configurable={"which": "other"}),
    "sequence": lambda model: model | RunnableLambda(lambda message: message),
    "branch": lambda model: RunnableBranch((lambda messages: len(messages) > 2, model.bind(stop=["###"])), model),
    "parallel": lambda model: RunnableParallel(said=model.with_retry(), asked=same) | itemgetter("said"),
    "assign": lambda model: {"asked": same} | RunnablePassthrough.assign(said=itemgetter("asked") | model).pick("said"),
    "router": lambda model: {"key": lambda _: "a", "input": same} | RouterRunnable({"a": model}),
    "all of them": lambda model: configurable(model).bind(stop=["###"]).with_fallbacks([model]).with_retry(),
}  # fmt: skip


WRAPPED = [
    # What is wrapped around a model is gone through without a look at its class.
    *(pytest.param(CASES[0], wrapping, id=f"{wrapping}-{CASES[0].title}") for wrapping in WRAPPINGS),
    *(pytest.param(case, "branch", id=f"branch-{case.title}") for case in CASES[1:]),
    # LangChain cannot configure Bedrock's fields: its constructor refuses some of their names.
    *(pytest.param(case, "all of them", id=case.title) for case in CASES[1:] if "Bedrock" not in case.title),
]


@pytest.mark.parametrize(("case", "wrapping"), WRAPPED)
def test_whatever_a_model_is_wrapped_in(case: Case, wrapping: str) -> None:
    with WireServer(case.wire, [Said("no", "Hm, hm."), CUT, Said("no"), CUT, Said("yes", "Hm, hm.")]) as server:
        model = WRAPPINGS[wrapping](case.make(server.url, **{"temperature": 0.1, case.names[CAP]: 900}))
        before = repr(model)
        assert think(model, "Why?", backoff=QUICK).reasoning == "Hm, hm."
        graph = create_reflection_graph(actor=model, verifier=only_yes, strategies=["fresh"])
        assert graph.invoke({"task": "Go."})["verdict"] == "passed"
        assert repr(model) == before, "the user's model has changed"
    assert [case.find(body, CAP) for body in server.bodies] == [900, 900, 1800, 900, 1800]
    assert [case.find(body, TEMPERATURE) for body in server.bodies] == [0.1, 0.1, 0.1, 0.8, 0.8]
    assert [case.find(body, SEED) for body in server.bodies[3:]] == [1 if case.names[SEED] else None] * 2


FILE = Said("```path\nnotes.md\n```\n\n```markdown\n# Notes\n```")


def generated(model: Any, **options: Any) -> Any:
    """`generate_with_retry`, with short waits."""
    return generate_with_retry(model, "Write notes.", "markdown", backoff=QUICK, **options)


@CLASSES
def test_a_file_is_asked_for_with_the_callers_temperature_and_cap(case: Case) -> None:
    with WireServer(case.wire, [Said("no file"), FILE, FILE]) as server:
        generated(case.make(server.url), max_tokens=900)
        own = case.make(server.url).model_copy(update={"temperature": None})
        assert (generated(own, temperature=None)).file_name == "notes.md"
        first, second, third = server.bodies
    assert [case.find(body, TEMPERATURE) for body in (first, second, third)] == [0.7, 0.6, None]
    assert [case.find(body, CAP) for body in (first, second)] == [900, 900]


@CLASSES
def test_a_refused_temperature_is_left_out(case: Case) -> None:
    refused = Said("`temperature` is not supported by this model", status=400)
    with WireServer(case.wire, [refused, Said("no file"), FILE]) as server:
        model = case.make(server.url).model_copy(update={"temperature": None})
        assert (generated(model)).file_name == "notes.md"
        assert [case.find(body, TEMPERATURE) for body in server.bodies] == [0.7, None, None]


@pytest.mark.parametrize("way", ["think", "athink"])
async def test_open_models_send_their_reasoning_in_full_on_the_responses_api(way: str) -> None:
    """Of a stream, LangChain's class takes only the summary."""
    case = next(case for case in CASES if "Responses" in case.title)
    with WireServer(Responses(in_full=True), [ANSWER]) as server:
        assert (await thought_by(way, case.make(server.url))).reasoning == "Hm, hm."


@CLASSES
@WAYS
async def test_a_server_that_is_gone_is_unavailable(case: Case, way: str) -> None:
    with WireServer(case.wire, []) as server:
        pass
    with pytest.raises(ModelUnavailableError) as caught:
        await thought_by(way, case.make(server.url))
    assert caught.value.attempts == 3


@CLASSES
def test_a_refused_request_is_raised_at_once(case: Case) -> None:
    with WireServer(case.wire, [Said("no such luck", status=400)]) as server:
        with pytest.raises(Exception, match="no such luck") as caught:
            once(case.make(server.url))
        assert len(server.bodies) == 1
    assert not isinstance(caught.value, TruncatedError | ModelUnavailableError)


def test_a_model_configured_at_run_time_has_its_options_and_its_reasoning() -> None:
    """`init_chat_model` without a model returns a class of its own, which makes the model when it is called."""
    case = CASES[0]
    with WireServer(case.wire, [Said("no", "Hm, hm."), CUT, Said("yes")]) as server:
        settings = {"base_url": f"{server.url}/v1", "api_key": "none", "max_retries": 0}
        model: Any = init_chat_model(configurable_fields=("model", "temperature"), **settings)
        graph = create_reflection_graph(actor=model, verifier=only_yes, strategies=["fresh"])
        chosen = {"model": "openai:scripted", "temperature": 0.1}
        result = graph.invoke({"task": "Go."}, {"configurable": chosen})
    assert result["verdict"] == "passed"
    assert [case.find(body, TEMPERATURE) for body in server.bodies] == [0.1, 0.8, 0.8]
    assert [case.find(body, CAP) for body in server.bodies] == [None, None, 2 * OUTPUT_TOKENS]


class Strict(BaseChatModel):
    """A class of the user's own that takes its temperature, and no keyword at all."""

    replies: list[AIMessage]
    temperature: float = 0.1
    temperatures: list[float]
    _calls: int = PrivateAttr(0)

    @property
    def _llm_type(self) -> str:
        return "strict"

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None) -> ChatResult:
        self.temperatures.append(self.temperature)
        self._calls += 1
        return ChatResult(generations=[ChatGeneration(message=self.replies[self._calls - 1])])


def cut(text: str) -> AIMessage:
    """A reply that hit the cap."""
    return AIMessage(text, response_metadata={"finish_reason": "length"})


def test_a_class_of_the_users_own_gets_what_it_declares_and_nothing_else() -> None:
    model = Strict(replies=[AIMessage("no"), cut("ye"), AIMessage("yes")], temperatures=[])
    graph = create_reflection_graph(actor=model, verifier=only_yes, strategies=["fresh"])
    assert graph.invoke({"task": "Go."})["verdict"] == "passed"
    assert (model.temperatures, model.temperature) == ([0.1, 0.8, 0.8], 0.1)


def test_a_class_that_takes_no_option_gets_none_for_a_file() -> None:
    model = FakeListChatModel(responses=["no file", FILE.text])
    assert generated(model).file_name == "notes.md"


def test_a_class_without_a_cap_is_asked_once_more() -> None:
    model = Strict(replies=[cut("ye"), cut("y")], temperatures=[])
    with pytest.raises(TruncatedError, match="takes no output cap") as caught:
        think_with_retry(model, "Why?", wants_yes)
    assert (caught.value.raw_reply, caught.value.max_tokens) == ("y", None)


def test_an_option_that_a_class_does_not_take_is_left_to_its_own_invoke() -> None:
    with pytest.raises(TypeError, match="seed"):
        think(Strict(replies=[AIMessage("yes")], temperatures=[]), "Why?", seed=1)


PAGE = ROOT / "docs" / "models.md"
BEGIN = "<!-- classes: made from tests/support/model_classes.py by UPDATE_SNAPSHOTS=1 pytest tests/models -->\n"
END = "<!-- end of classes -->"


def table() -> str:
    """What the tests above find in the requests of each class."""
    rows = ["| class | temperature | seed | output cap | earlier reasoning |", "| --- | --- | --- | --- | --- |"]
    for case in CASES:
        names = " | ".join("not taken" if name is None else f"`{name}`" for name in case.sent)
        rows.append(f"| {case.title} | {names} | {'kept' if case.turn else 'never sent'} |")
    return "\n".join(["", *rows, "", ""])


def test_the_table_in_the_docs_is_that_of_the_tests() -> None:
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    shown, after = rest.split(END)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        PAGE.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")
        shown = table()
    assert shown == table(), "if the change is meant: UPDATE_SNAPSHOTS=1 pytest"
