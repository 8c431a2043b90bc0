"""A bad model behind a bad server: what it answers ends no run but with a reason, and never with a stray error."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from support.bad_calls import CALLS
from support.bad_replies import BROKEN, SHAPES, UNREADABLE, USAGES
from support.bad_runs import LOOPS, tried
from support.bad_ways import Table, table
from support.modes import MODES, Mode
from support.openai_server import OpenAIServer, Reply
from support.plan_act import GOAL, act, done, echo_tool, no_waiting, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import (
    Verdict,
    athink,
    create_plan_act_graph,
    create_reflection_graph,
    open_model,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.errors import ModelUnavailableError

# OpenAI's client warns while it dumps what a server got wrong.
pytestmark = [pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"), pytest.mark.slow]

TASK: Any = {"task": "Say the right thing."}
HALF = "half \ud800 a pair"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)


@pytest.fixture(scope="module")
def at() -> Generator[Table]:
    """A bad server and its clients."""
    with table() as opened:
        yield opened


def body(message: Any = None, **top: Any) -> Reply:
    """A completion as it goes over the wire, whatever is in it."""
    choice = {"index": 0, "message": message or {"role": "assistant", "content": "fine"}, "finish_reason": "stop"}
    return Reply(raw_body=json.dumps({"choices": [choice], **top}))


def said(text: str) -> Reply:
    """A text that may hold what UTF-8 cannot: in JSON it is escaped."""
    return body({"role": "assistant", "content": text})


def never(task: str, answer: str) -> Verdict:
    """A verifier that repeats what it fails."""
    return Verdict("failed", f"no: {answer}")


@pytest.mark.parametrize("loop", [*LOOPS, *CALLS])
def test_a_random_script_of_faults_breaks_no_promise(loop: str, at: Table) -> None:
    plays = {**LOOPS, **CALLS}
    found = [tried(loop, plays[loop], at, f"test:{loop}:{number}") for number in range(6)]
    assert [(run.case, run.problems) for run in found if run.problems] == []
    assert sum(run.requests for run in found) >= 6


WRONG = {
    **{f"body {name}": Reply(raw_body=json.dumps(shape)) for name, shape in SHAPES.items()},
    **{f"message {name}": Reply(raw_body=json.dumps({"choices": [{"message": m}]})) for name, m in UNREADABLE.items()},
    **{name: BROKEN[name] for name in ("page", "image", "no text", "nested deep", "long number", "redirect nowhere")},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
async def test_an_answer_of_the_wrong_shape_is_a_fault_of_transport(wrong: Reply) -> None:
    replies = [wrong, Reply("fine"), wrong, Reply("fine")]
    with OpenAIServer(replies) as server, open_model(f"{server.base_url}#m") as model:
        assert think(model, "Say fine.").reply == "fine"
        assert (await athink(model, "Say fine.")).reply == "fine"
        assert len(server.requests) == 4


STREAMS = {
    "empty": Reply(raw_body="", content_type="text/event-stream"),
    "no stream": Reply(raw_body="{}"),
    "number": Reply(raw_body="data: 5\n\n", content_type="text/event-stream"),
    "no text": Reply(raw_body=b"data: \xff\xfe\n\n", content_type="text/event-stream"),
    "deep": Reply(raw_body=f"data: {'[' * 60_000}\n\n", content_type="text/event-stream"),
    "choice": Reply(raw_body='data: {"choices": [7]}\n\n', content_type="text/event-stream"),
}


@pytest.mark.parametrize("wrong", STREAMS.values(), ids=STREAMS)
def test_a_stream_of_the_wrong_shape_is_a_fault_of_transport(wrong: Reply) -> None:
    with OpenAIServer([wrong, Reply("fine"), wrong, Reply("fine")]) as server:
        with open_model(f"{server.base_url}#m") as model:
            pieces = list(stream_think(model, "Say fine."))
        with open_model(f"{server.base_url}#m", streaming=True) as model:
            assert think(model, "Say fine.").reply == "fine"
    assert pieces[-1].thought is not None and pieces[-1].thought.reply == "fine"


def test_a_mistake_of_the_program_is_no_fault_of_transport() -> None:
    with OpenAIServer([]) as server, open_model(f"{server.base_url}#m") as model:
        with pytest.raises(TypeError, match="no_such_option"):
            think(model, "Say fine.", no_such_option=1)
        with pytest.raises(TypeError, match="no_such_option"):
            list(stream_think(model, "Say fine.", no_such_option=1))


@pytest.mark.parametrize("usage", [*USAGES, "lots", [1, 2], {"prompt_tokens": "1", "completion_tokens": None}], ids=str)
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
def test_whatever_is_reported_as_usage_the_tokens_are_counts(usage: Any, streaming: bool) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "fine"}, "finish_reason": "stop"}]}
    events = f"data: {json.dumps(chunk | {'usage': usage})}\n\ndata: [DONE]\n\n"
    sent = Reply(raw_body=events, content_type="text/event-stream") if streaming else body(usage=usage)
    saver = SqliteSaver(sqlite3.connect(":memory:", check_same_thread=False))
    server = OpenAIServer(lambda request, index: sent)
    with server, open_model(f"{server.base_url}#m", streaming=streaming) as model:
        graph = create_reflection_graph(actor=model, verifier=never, checkpointer=saver)
        result = graph.invoke(TASK, {"configurable": {"thread_id": "1"}})
    assert result["answer"] == "fine"
    assert all(type(count) is int and 0 <= count < 10**13 for count in result["usage"].values())


def test_a_usage_that_cannot_be_read_under_its_tier_costs_no_reply() -> None:
    odd = body(service_tier=[1], usage={"prompt_tokens": 1})
    with OpenAIServer([odd]) as server, open_model(f"{server.base_url}#m") as model:
        thought = think(model, "Say fine.")
    assert (thought.reply, thought.estimated) == ("fine", True)


def test_a_block_that_says_nothing_adds_nothing() -> None:
    reply = AIMessage([{"type": "text", "text": None}, {"type": "reasoning", "summary": "odd"}, "fine"])
    assert think(ScriptedModel(replies=[reply]), "Say fine.").reply == "fine"


def test_half_a_surrogate_pair_can_be_sent_back_and_printed() -> None:
    refusal = {"status": "error", "feedback": HALF}
    with OpenAIServer(lambda request, index: said(HALF)) as server, open_model(f"{server.base_url}#m") as model:
        with pytest.raises(ValueError, match="accepted none of 2 replies") as failed:
            think_with_retry(model, HALF, lambda reply: refusal, max_retries=2)
        sent = [message["content"] for message in server.requests[1].body["messages"]]
    assert sent == ["half \ufffd a pair"] * 3
    assert failed.value.raw_replies[0].encode() == "half \ufffd a pair".encode()  # type: ignore[attr-defined]


def test_half_a_surrogate_pair_in_a_payload_goes_round_the_loop() -> None:
    def store(data: dict[str, Any]) -> str:
        """Keep data."""
        return str(data)

    replies = [planned("a"), act("store", {"data": {"x": HALF}}), done("done"), replanned(response="end")]
    with OpenAIServer(list(map(Reply, replies))) as server, open_model(f"{server.base_url}#m") as model:
        result = create_plan_act_graph(model, [store], interactive=False).invoke(GOAL)
    assert (result["stop_reason"]["kind"], len(result["observations"])) == ("goal_met", 1)


class RefusedError(Exception):
    """A provider's error that is none of LangChain's."""

    status_code = 418


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_a_refusal_of_any_provider_costs_nothing_that_was_achieved(mode: Mode) -> None:
    script = mode.script(["wrong 0.4", "right"])
    script.actor.replies[-1] = RefusedError("no such luck")
    result = script.graph().invoke(TASK)
    assert (result["answer"], result["stop_reason"]["kind"]) == ("wrong 0.4", "model_unavailable")
    with pytest.raises(RefusedError):
        create_reflection_graph(mode.name, actor=ScriptedModel(replies=[RefusedError("no such luck")])).invoke(TASK)


@pytest.mark.parametrize("status", [402, 413, 422])
def test_a_refusal_in_the_middle_of_a_plan_ends_it_with_what_was_done(status: int) -> None:
    replies = [Reply(planned("a")), Reply(act("echo", "x")), Reply("no", status=status)]
    with OpenAIServer(replies) as server, open_model(f"{server.base_url}#m") as model:
        result = create_plan_act_graph(model, [echo_tool()], interactive=False).invoke(GOAL)
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert [seen["result"] for seen in result["observations"]] == ["echo x"]


@pytest.mark.parametrize("lost", [RefusedError("no"), *[ConnectionError("gone")]], ids=["refused", "gone"])
@pytest.mark.parametrize("first", ["no JSON", AIMessage("cut", response_metadata={"finish_reason": "length"})])
def test_tokens_of_a_round_in_which_the_model_was_lost_are_counted(first: Any, lost: Exception) -> None:
    if isinstance(first, AIMessage):
        first = first.model_copy(
            update={"usage_metadata": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}
        )
    model = ScriptedModel(replies=[planned("a"), first, *[lost] * 5])
    result = create_plan_act_graph(model, [], interactive=False).invoke(GOAL)
    assert (result["stop_reason"]["kind"], result["usage"]["total_tokens"]) == ("model_unavailable", 30)


def test_a_lost_model_keeps_the_cut_off_reply_and_says_what_it_has_cost() -> None:
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    cut = AIMessage("cut", response_metadata={"finish_reason": "length"}, usage_metadata=usage)  # type: ignore[arg-type]
    model = ScriptedModel(replies=[cut, *[ConnectionError("gone")] * 5])
    with pytest.raises(ModelUnavailableError) as lost:
        think_with_retry(model, "Go.", lambda reply: {"status": "success", "content": reply})
    assert (lost.value.usage["total_tokens"], lost.value.partial) == (15, "cut")


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
def test_a_constrained_reply_that_is_cut_off_has_its_cap_raised(streaming: bool) -> None:
    replies = [Reply('{"status": "pla', finish_reason="length"), Reply(planned(response="Hi"))]
    with OpenAIServer(replies) as server, open_model(f"{server.base_url}#m", streaming=streaming) as model:
        result = create_plan_act_graph(model, [], interactive=False, constrained=True).invoke(GOAL)
    assert (result["response"], result["usage"]["total_tokens"] > 0) == ("Hi", True)


def test_a_last_answer_that_is_nested_deep_is_an_answer() -> None:
    replies = [planned("a"), act("echo", "x"), act("echo", "y"), "[" * 100_000]
    result = create_plan_act_graph(
        ScriptedModel(replies=replies), [echo_tool()], interactive=False, max_steps=3
    ).invoke(GOAL)
    assert (result["stop_reason"]["kind"], result["response"] != "") == ("max_iterations", True)
