"""Think with retry over several models: when the next one is asked, and what the trace and the errors tell of it."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from support.cascades import Named, small, used_up
from support.plan_act import no_waiting
from thoughtgraph import athink_with_retry, think_with_retry
from thoughtgraph.errors import ModelUnavailableError, ParseFailedError, ParserContractError, TruncatedError
from thoughtgraph.traces import recording

pytestmark = pytest.mark.parametrize("twin", ["sync", "async"])
GONE = [ConnectionError("gone")] * 5
CUT = AIMessage("ye", response_metadata={"finish_reason": "length"})


async def ask(twin: str, models: Any, **options: Any) -> Any:
    """`think_with_retry` or its async twin."""
    if twin == "sync":
        return think_with_retry(models, "Go.", wants_yes, **options)
    return await athink_with_retry(models, "Go.", wants_yes, **options)


def wants_yes(raw_reply: str) -> Any:
    """Accepts the word yes, and cannot read the word break."""
    if raw_reply == "break":
        raise ZeroDivisionError
    done = raw_reply == "yes"
    return {"status": "success", "content": raw_reply} if done else {"status": "error", "feedback": f"Not {raw_reply}."}


def large(*replies: Any) -> Named:
    """The last model."""
    return small(*replies, name="large")


async def test_the_next_model_gets_a_conversation_of_its_own_and_the_same_limits(twin: str) -> None:
    first, last = small("no", "nay"), large("non", "yes")
    assert await ask(twin, [first, last], max_retries=2) == "yes"
    assert last.requests[0] == first.requests[0]
    assert [str(message.content) for message in last.requests[1]] == ["Go.", "non", "Not non."]
    assert used_up(first, last)


async def test_a_model_whose_reply_is_accepted_leaves_the_others_unasked(twin: str) -> None:
    first, last = small("no", "yes"), large()
    assert await ask(twin, (first, last)) == "yes"
    assert last.requests == []


async def test_a_model_that_is_gone_or_cut_off_is_followed_by_the_next(
    twin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    assert await ask(twin, [small(*GONE), small(CUT, CUT, name="between"), large("yes")]) == "yes"


class RefusedError(Exception):
    """An error of some provider's client, which knows the server's status."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"the server said {status_code}")
        self.status_code = status_code


@pytest.mark.parametrize("status", [401, 403, 404, 410])
async def test_a_model_that_refuses_every_request_is_followed_by_the_next_which_says_so(
    twin: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    refusal = RefusedError(status)
    with recording() as recorder:
        assert await ask(twin, [small(refusal), large("no", "yes")]) == "yes"
    told: list[Any] = [event["data"] for event in recorder.events]
    assert [data.get("gone", "") for data in told] == [str(refusal), ""]
    assert f"small refuses every request: {refusal}" in caplog.text
    # Of the last one, and of one alone, it is raised as it is.
    for first in ([small("no", "no", "no")], [small(refusal)], []):
        with pytest.raises(RefusedError) as raised:
            await ask(twin, [*first, large(RefusedError(status))])
        assert [note.partition(",")[0] for note in getattr(raised.value, "__notes__", [])] == ["small"] * len(first)


@pytest.mark.parametrize("status", [400, 422])
async def test_a_mistake_in_the_request_is_no_reason_to_ask_another_model(twin: str, status: int) -> None:
    last = large("yes")
    with pytest.raises(RefusedError):
        await ask(twin, [small(RefusedError(status)), last])
    assert last.requests == []


async def test_what_was_refused_is_in_the_error_of_a_model_that_is_gone_or_cut_off(
    twin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    for last in (large("non", *GONE), large("non", CUT, CUT)):
        with pytest.raises((ModelUnavailableError, TruncatedError)) as lost:
            await ask(twin, [small("no", "nay", "nope"), last])
        assert lost.value.raw_replies == ["no", "nay", "nope", "non"]
        assert lost.value.feedbacks == ["Not no.", "Not nay.", "Not nope.", "Not non."]
    with pytest.raises(ModelUnavailableError) as lost:
        await ask(twin, small("no", *GONE))
    assert lost.value.raw_replies == ["no"]


async def test_the_trace_names_the_model_of_every_reply(twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    reported = AIMessage("no", response_metadata={"model_name": "small-2026"})
    with recording() as recorder:
        await ask(twin, [small(reported, "no"), small(*GONE, name="between"), large("no", "yes")], max_retries=2)
    told: list[Any] = [event["data"] for event in recorder.events]
    assert [data["model"] for data in told] == ["small-2026", "small", "large", "large"]
    assert ["gone" in data.get("gone", "") for data in told] == [False, False, True, False]
    chain = [[link["source"] for link in event["links"]] for event in recorder.events]
    assert chain == [[], *[[event["id"]] for event in recorder.events[:-1]]]


async def test_one_model_alone_is_as_it_was(twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with recording() as recorder, pytest.raises(ModelUnavailableError) as lost:
        no_waiting(monkeypatch)
        await ask(twin, [small("no", *GONE)])
    assert isinstance(lost.value.__cause__, ConnectionError)
    assert "model" not in recorder.events[0]["data"]


async def test_the_last_error_carries_what_all_have_said_and_cost(twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    with pytest.raises(ParseFailedError) as failed:
        await ask(twin, [small("a", "b"), small(*GONE, name="between"), large("c", "d")], max_retries=2)
    assert (failed.value.raw_replies, failed.value.attempts) == (["a", "b", "c", "d"], 4)
    assert failed.value.usage["total_tokens"] == 4 * 15
    notes = failed.value.__notes__
    assert [note.partition(",")[0] for note in notes] == ["small", "between"]
    with pytest.raises(ModelUnavailableError) as lost:
        await ask(twin, [small("a", "b"), large(*GONE)], max_retries=2)
    assert lost.value.usage["total_tokens"] == 2 * 15
    assert isinstance(lost.value.__cause__, ConnectionError)
    with pytest.raises(TruncatedError) as cut:
        await ask(twin, [small("a", "b"), large(CUT, CUT)], max_retries=2)
    assert cut.value.usage["total_tokens"] >= 2 * 15


async def test_a_mistake_of_the_parser_is_no_reason_to_ask_another_model(twin: str) -> None:
    last = large("yes")
    with pytest.raises(ParserContractError):
        await ask(twin, [small("no"), last], unknown=True)
    assert last.requests == []


async def test_a_parser_that_breaks_tells_the_tokens_of_all_models(twin: str) -> None:
    with pytest.raises(ParserContractError, match="raised ZeroDivisionError") as broken:
        await ask(twin, [small("no", "nay"), large("non", "break")], max_retries=2)
    assert broken.value.usage["total_tokens"] == 4 * 15
    assert broken.value.raw_reply == "break"


@pytest.mark.parametrize(
    ("models", "message"),
    [([], "model is empty"), ([3], "model has to be a LangChain chat model"), ([twice := small(), twice], "twice")],
    ids=["empty", "no-model", "twice"],
)
async def test_what_is_no_cascade_is_refused(twin: str, models: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        await ask(twin, models)
