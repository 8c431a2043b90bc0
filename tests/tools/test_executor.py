"""The tool executor: which failures are tried again, what is said about them, and what the trace keeps (row R5)."""

from __future__ import annotations

import asyncio
import json
import socket
from datetime import date
from types import SimpleNamespace
from typing import Any, get_args
from urllib.error import URLError

import pytest
from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, ValidationError
from support.plan_act import no_waiting
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph, create_reflection_graph
from thoughtgraph.errors import CommandError, SearchError
from thoughtgraph.models import Backoff
from thoughtgraph.tools.calls import ToolExecutor, ToolResult
from thoughtgraph.tools.calls.executor import failure_kind
from thoughtgraph.tools.calls.results import FailureKind
from thoughtgraph.traces import Event, recording
from thoughtgraph.traces.events import Link, record
from thoughtgraph.traces.shapes import Action

twins = pytest.mark.parametrize("twin", ["sync", "async"])


def probe(*outcomes: object) -> tuple[BaseTool, list[str]]:
    """A tool that returns or raises one outcome a call, the last one from then on; and its calls."""
    calls: list[str] = []

    def body(text: str) -> object:
        """Probe something."""
        calls.append(text)
        outcome = outcomes[min(len(calls), len(outcomes)) - 1]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return StructuredTool.from_function(body, name="probe"), calls


async def execute(twin: str, tool: BaseTool, given: Any = "go", **options: Any) -> ToolResult:
    """One call by either twin, without waiting between attempts."""
    executor = ToolExecutor({"probe": tool}, **{"backoff": Backoff(max_attempts=3, initial_interval=0.0), **options})
    if twin == "sync":
        return executor.execute({"tool": "probe", "input": given}, "run:1")
    return await executor.aexecute({"tool": "probe", "input": given}, "run:1")


TRANSIENT = {
    "timeout": TimeoutError("slow"),
    "connection": ConnectionResetError("reset by peer"),
    "rate_limit": RuntimeError("HTTP 429: too many requests"),
}
FINAL = {
    "authorization": PermissionError("not yours"),
    "bad_arguments": ValueError("13th month"),
    "not_found": FileNotFoundError("notes.txt"),
    "empty": SearchError("empty", "Bing", "milk", "no result"),
    "other": ZeroDivisionError("division by zero"),
}


@twins
@pytest.mark.parametrize("error", TRANSIENT.values(), ids=TRANSIENT)
async def test_a_transient_failure_is_tried_again_with_the_same_input(twin: str, error: Exception) -> None:
    tool, calls = probe(error, error, "done")
    assert await execute(twin, tool) == ToolResult(True, "done", attempts=3)
    assert calls == ["go"] * 3


@twins
@pytest.mark.parametrize(("kind", "error"), TRANSIENT.items(), ids=TRANSIENT)
async def test_a_failure_that_stays_is_reported_after_the_retries(twin: str, kind: str, error: Exception) -> None:
    tool, calls = probe(error)
    result = await execute(twin, tool, backoff=Backoff(max_attempts=2, initial_interval=0.0))
    assert (result.ok, result.kind, result.attempts, len(calls)) == (False, kind, 2, 2)


@twins
@pytest.mark.parametrize(("kind", "error"), FINAL.items(), ids=FINAL)
async def test_other_failures_are_not_tried_again(twin: str, kind: str, error: Exception) -> None:
    tool, calls = probe(error, "never")
    result = await execute(twin, tool)
    assert (result.ok, result.attempts, len(calls)) == (False, 1, 1)
    assert result.kind == failure_kind(error)


class ClientError(Exception):
    """An error of some HTTP client: what it says has the address, whose words may mean anything."""

    def __init__(self, status: int, said: str = "for url 'http://x/connections/7?timeout=5&api_key=k'") -> None:
        super().__init__(said)
        self.response = SimpleNamespace(status_code=status)


@twins
@pytest.mark.parametrize(
    ("status", "kind", "attempts"),
    [
        (400, "bad_arguments", 1),
        (401, "authorization", 1),
        (403, "authorization", 1),
        (404, "not_found", 1),
        (408, "timeout", 3),
        (422, "bad_arguments", 1),
        (429, "rate_limit", 3),
        (500, "connection", 3),
        (503, "connection", 3),
        (504, "timeout", 3),
    ],
)
async def test_a_status_says_more_than_the_words_around_it(twin: str, status: int, kind: str, attempts: int) -> None:
    tool, calls = probe(ClientError(status))
    result = await execute(twin, tool)
    assert (result.kind, result.attempts, len(calls)) == (kind, attempts, attempts)


@pytest.mark.parametrize("status", [200, 302, 409, 501, 4040])
def test_where_a_status_tells_nothing_the_words_do(status: int) -> None:
    assert failure_kind(ClientError(status)) == "timeout"
    assert failure_kind(ClientError(status, "no luck")) == "other"


def test_a_class_says_more_than_a_status() -> None:
    error = TimeoutError("slow")
    error.status_code = 404  # pyright: ignore[reportAttributeAccessIssue]
    assert failure_kind(error) == "timeout"


@twins
async def test_the_wait_doubles_with_every_attempt_up_to_a_cap(twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("time.sleep", waits.append)
    monkeypatch.setattr("asyncio.sleep", noted)
    doubling = Backoff(max_attempts=5, initial_interval=0.5, max_interval=3.0, jitter=False)
    await execute(twin, probe(TimeoutError())[0], backoff=doubling)
    assert waits == [0.5, 1.0, 2.0, 3.0]
    waits.clear()
    executor = ToolExecutor({"probe": probe(TimeoutError())[0]})
    await executor.aexecute({"tool": "probe", "input": "go"}, "run:1")
    assert [0.5 <= waits[0] <= 1.0, 1.0 <= waits[1] <= 2.0, len(waits) == 2] == [True] * 3, waits


class BusyError(Exception):
    """What a client of HTTP raises over a server that names a wait."""

    def __init__(self, asked: Any) -> None:
        super().__init__("HTTP 429: too many requests")
        self.response = SimpleNamespace(headers=asked)


@twins
@pytest.mark.parametrize(
    ("headers", "waited"), [({"retry-after": "0.7"}, 0.7), ({"retry-after": "600"}, 3.0), ("odd", 0.5), ({}, 0.5)]
)
async def test_a_tool_is_given_the_wait_that_its_server_asks_for(
    twin: str, headers: Any, waited: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("time.sleep", waits.append)
    monkeypatch.setattr("asyncio.sleep", noted)
    backoff = Backoff(max_attempts=2, initial_interval=0.5, max_interval=3.0, jitter=False)
    assert (await execute(twin, probe(BusyError(headers), "done")[0], backoff=backoff)).result == "done"
    assert waits == [waited]


def invalid() -> ValidationError:
    class Wanted(BaseModel):
        number: int

    with pytest.raises(ValidationError) as caught:
        Wanted.model_validate({"number": "many"})
    return caught.value


KINDS: list[tuple[Exception, FailureKind]] = [
    (TimeoutError(), "timeout"),
    (TimeoutError(), "timeout"),
    (RuntimeError("the request timed out"), "timeout"),
    (type("ReadTimeout", (Exception,), {})("no bytes"), "timeout"),
    (RuntimeError("请求超时"), "timeout"),
    (SearchError("timeout", "Bing", "milk", "slow"), "timeout"),
    (BrokenPipeError("gone"), "connection"),
    (type("ConnectError", (Exception,), {})("refused"), "connection"),
    (RuntimeError("HTTP 503"), "connection"),
    (RuntimeError("网络不可用"), "connection"),
    (SearchError("network", "Bing", "milk", "HTTP 500"), "connection"),
    (RuntimeError("Rate limit reached"), "rate_limit"),
    (RuntimeError("触发限流"), "rate_limit"),
    (RuntimeError("401 Unauthorized"), "authorization"),
    (ValueError("invalid API key"), "authorization"),
    (RuntimeError("没有权限"), "authorization"),
    (PermissionError("deadline.txt"), "authorization"),
    (invalid(), "bad_arguments"),
    (TypeError("unexpected keyword"), "bad_arguments"),
    (CommandError("/todo fly", "unknown order"), "bad_arguments"),
    (RuntimeError("missing parameter: city"), "bad_arguments"),
    (RuntimeError("参数错误"), "bad_arguments"),
    (ValueError("13th month"), "bad_arguments"),
    (KeyError("milk"), "not_found"),
    (RuntimeError("HTTP 404"), "not_found"),
    (RuntimeError("该文件不存在"), "not_found"),
    (SearchError("empty", "Bing", "milk", "nothing"), "empty"),
    (SearchError("parse", "Bing", "milk", "no page"), "other"),
    (SearchError("refused", "Bing", "milk", "a private address"), "other"),
    (ZeroDivisionError("division by zero"), "other"),
]


@pytest.mark.parametrize(("error", "kind"), KINDS, ids=[f"{kind}: {error!r:.40}" for error, kind in KINDS])
def test_the_kind_of_a_failure_follows_from_its_class_or_its_words(error: Exception, kind: FailureKind) -> None:
    assert failure_kind(error) == kind


HARDER_KINDS: list[tuple[Exception, FailureKind]] = [
    (socket.gaierror(-2, "Name or service not known"), "connection"),
    (URLError(socket.gaierror(-3, "Temporary failure in name resolution")), "connection"),
    (RuntimeError("服务返回429错误"), "rate_limit"),
    (RuntimeError("auth failed"), "authorization"),
    (ExceptionGroup("unhandled errors in a TaskGroup", [ExceptionGroup("", [ConnectionError("reset")])]), "connection"),
    (ExceptionGroup("unhandled errors", [ConnectionError("reset"), KeyError("milk")]), "other"),
]


@pytest.mark.parametrize(
    ("error", "kind"),
    HARDER_KINDS,
    ids=["no name server", "behind a URL", "in Chinese", "short", "in a group", "in a group with others"],
)
def test_the_kind_of_a_failure_is_told_from_words_in_any_surroundings(error: Exception, kind: FailureKind) -> None:
    assert failure_kind(error) == kind


ADVICE: dict[FailureKind, tuple[str, str]] = {
    "timeout": ("allow more time", "建议：增加超时时间或检查网络连接"),
    "connection": ("check the network", "建议：检查网络连接，或稍后重试"),
    "rate_limit": ("asks for fewer calls", "建议：调用过于频繁，请稍后再试"),
    "authorization": ("check the API key", "建议：检查API密钥或权限是否正确"),
    "bad_arguments": ("check the arguments of probe", "建议：检查probe的参数是否正确"),
    "not_found": ("look up what there is", "建议：所指对象不存在，请先查询再操作"),
    "empty": ("use other words", "建议：没有结果，请更换关键词"),
    "other": ("or take another tool", "建议：检查probe的参数是否正确，或使用其他工具"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_the_last_failure_comes_with_advice_in_the_users_language(kind: FailureKind, language: Any) -> None:
    error = {**TRANSIENT, **FINAL}[kind]
    executor = ToolExecutor({"probe": probe(error)[0]}, backoff=Backoff(max_attempts=1), language=language)
    said, _, advice = executor.execute({"tool": "probe", "input": "go"}, "run:1").result.rpartition("\n")
    assert str(error) in said
    assert ADVICE[kind][language == "zh"] in advice


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("milk"), "KeyError: 'milk'"),
        (RuntimeError(), "RuntimeError: no message"),
        (SearchError("empty", "Bing", "milk", "no result"), "Bing search failed (empty): no result"),
        (ToolException("Name a city."), "Name a city."),
        (
            ExceptionGroup("unhandled errors", [KeyError("milk"), ExceptionGroup("below", [RuntimeError()])]),
            "ExceptionGroup: unhandled errors (2 sub-exceptions): KeyError: 'milk'; "
            "ExceptionGroup: below (1 sub-exception): RuntimeError: no message",
        ),
    ],
    ids=["foreign", "without words", "our own", "the tool's own", "a group"],
)
def test_a_failure_names_its_class_only_where_the_words_alone_would_not_do(error: Exception, said: str) -> None:
    executor = ToolExecutor({"probe": probe(error)[0]})
    assert executor.execute({"tool": "probe", "input": "go"}, "run:1").result.split("\n")[0] == said


@twins
async def test_a_tool_that_does_not_exist_is_not_called(twin: str) -> None:
    executor = ToolExecutor({})
    action: Any = {"tool": "fly", "input": "home"}
    result = executor.execute(action, "run:1") if twin == "sync" else await executor.aexecute(action, "run:1")
    assert (result.ok, result.kind, result.attempts) == (False, "not_found", 0)
    assert "there is no tool 'fly'" in result.result


@twins
async def test_arguments_that_do_not_fit_are_a_failure_with_advice(twin: str) -> None:
    result = await execute(twin, probe("never")[0], {"text": ["not", "text"]})
    assert (result.ok, result.kind) == (False, "bad_arguments")


@twins
@pytest.mark.parametrize(
    ("words", "kind", "attempts"), [("connection refused", "connection", 3), ("unknown city", "other", 1)]
)
async def test_a_failure_that_a_tool_reports_itself_is_treated_like_one_it_raises(
    twin: str, words: str, kind: str, attempts: int
) -> None:
    tool, calls = probe(ToolException(words))
    tool.handle_tool_error = True
    result = await execute(twin, tool)
    assert (result.ok, result.kind, result.attempts, len(calls)) == (False, kind, attempts, attempts)
    assert result.result.startswith(f"{words}\nAdvice: ")


RETURNED: dict[str, tuple[object, str]] = {
    "text": ("milk", "milk"),
    "nothing": ("", ""),
    "number": (3, "3"),
    "object": ({"牛奶": 1}, '{"牛奶": 1}'),
    "content blocks": ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
    "no records": ([], "[]"),
    "records called files": ([{"type": "file", "name": "a.py"}], '{"type": "file", "name": "a.py"}'),
    "records called documents": ([{"type": "document", "id": 7}] * 2, '{"type": "document", "id": 7}\n' * 2),
    "records called texts": ([{"type": "text", "value": 1}], '{"type": "text", "value": 1}'),
    "records called files that are elsewhere": (
        [{"type": "text", "text": "two:"}, {"type": "file", "source_type": "url", "link": "a"}],
        'two:\n{"type": "file", "source_type": "url", "link": "a"}',
    ),
    "a record that is no JSON": ([{"type": "json", "day": date(2026, 1, 2)}], '{"type": "json", "day": "2026-01-02"}'),
    "records with keys of their own": ([{"type": "json", (1, 2): 3}], "{'type': 'json', (1, 2): 3}"),
}


@twins
@pytest.mark.parametrize(("returned", "shown"), RETURNED.values(), ids=RETURNED)
async def test_what_a_tool_returns_is_shown_as_text(twin: str, returned: object, shown: str) -> None:
    assert await execute(twin, probe(returned)[0]) == ToolResult(True, shown.strip())


def with_artifact(artifact: object) -> BaseTool:
    """A tool with something for the program beside what it says to the model."""

    def body(text: str) -> tuple[str, object]:
        """Probe something."""
        return "seen", artifact

    return StructuredTool.from_function(body, name="probe", response_format="content_and_artifact")


@twins
@pytest.mark.parametrize("artifact", [None, "events", [1, 2], {"rows": [1]}], ids=["nothing", "text", "list", "dict"])
async def test_an_artifact_of_another_kind_is_not_taken_for_a_trace(twin: str, artifact: object) -> None:
    result = await execute(twin, with_artifact(artifact))
    assert (result.ok, result.result, list(result.events)) == (True, "seen", [])


CALENDAR = {"events": [{"title": "Lunch", "kind": "goal", "id": "1"}]}


@twins
@pytest.mark.parametrize("artifact", [CALENDAR, {"events": {"count": 2}}], ids=["a calendar", "no list"])
async def test_events_of_another_kind_are_not_taken_for_a_trace(twin: str, artifact: object) -> None:
    result = await execute(twin, with_artifact(artifact))
    assert (result.ok, result.result, list(result.events)) == (True, "seen", [])


@twins
async def test_a_tool_that_was_a_run_itself_hands_over_its_trace(twin: str) -> None:
    inner = create_reflection_graph(actor=ScriptedModel(replies=["42"])).invoke({"task": "Compute."})
    result = await execute(twin, with_artifact({"events": inner["events"]}))
    assert result.events == inner["events"]


def test_an_adopted_trace_keeps_its_links_and_hangs_on_its_cause() -> None:
    inner: list[Event] = create_reflection_graph(actor=ScriptedModel(replies=["42"])).invoke({"task": "?"})["events"]
    with recording("outer") as recorder:
        action = recorder.add("action")
        ids = recorder.adopt(inner, [Link(source=action, relation="led_to")])
    assert ids == [f"outer:{number}" for number in range(1, len(inner) + 1)]
    new_ids = dict(zip([event["id"] for event in inner], ids, strict=True))
    for before, after in zip(inner, recorder.events[1:], strict=True):
        sources = [new_ids[link["source"]] for link in before["links"]] or [action]
        assert [link["source"] for link in after["links"]] == sources
        assert (after["kind"], after["data"]) == (before["kind"], before["data"])
        assert [link["relation"] for link in after["links"][: len(before["links"])]] == [
            link["relation"] for link in before["links"]
        ]


def test_a_link_to_what_was_not_adopted_gives_way_to_the_cause() -> None:
    with recording("inner") as inner:
        first = record("goal", task="?")
        record("thought", [Link(source=str(first), relation="led_to")])
    with recording("outer") as outer:
        outer.adopt(inner.events[1:], [Link(source="outer:9", relation="led_to")])
    assert outer.events[0]["links"] == [{"source": "outer:9", "relation": "led_to"}]


@twins
async def test_every_failed_attempt_is_recorded_the_last_one_with_its_kind_and_advice(twin: str) -> None:
    with recording() as recorder:
        result = await execute(twin, probe(TimeoutError("one"), ConnectionError("two"), ValueError("three"))[0])
    seen = [(event["kind"], event["data"]) for event in recorder.events]
    about = {"tool": "probe", "input": "go", "ok": False}
    assert result.result.startswith("ValueError: three\nAdvice: ")
    assert seen == [
        ("observation", {**about, "result": "TimeoutError: one", "attempt": 1}),
        ("observation", {**about, "result": "ConnectionError: two", "attempt": 2}),
        ("observation", {**about, "result": result.result, "kind_of_failure": "bad_arguments"}),
    ]


@twins
async def test_a_call_that_works_in_the_end_leaves_only_its_failed_attempts(twin: str) -> None:
    with recording() as recorder:
        assert (await execute(twin, probe(TimeoutError("one"), "done")[0])).ok
    assert [event["data"].get("attempt") for event in recorder.events] == [1]


def test_in_a_loop_the_last_failure_is_recorded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    replies = [
        {"status": "planned", "plan": ["probe"]},
        {"status": "continue", "next_action": {"tool": "probe", "input": "go"}},
        {"status": "done", "response": "It failed."},
        {"status": "done", "response": "It failed."},
        {"status": "replanned", "plan": [], "response": "It failed."},
    ]
    model = ScriptedModel(replies=[json.dumps(reply) for reply in replies])
    tool, calls = probe(TimeoutError("one"), ValueError("two"))
    events = create_plan_act_graph(model, [tool], interactive=False).invoke({"goal": "Probe."})["events"]
    failures = [event["data"]["result"].split("\n")[0] for event in events if event["kind"] == "observation"]
    assert (failures, len(calls)) == (["TimeoutError: one", "ValueError: two"], 2)


def test_the_context_graph_shows_every_failed_call_behind_its_action(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    replies = [
        {"status": "planned", "plan": ["probe"]},
        {"status": "continue", "next_action": {"tool": "probe", "input": "go"}},
        {"status": "done", "response": "probed"},
        {"status": "replanned", "plan": [], "response": "Done."},
    ]
    model = ScriptedModel(replies=[json.dumps(reply) for reply in replies])
    tool, _ = probe(TimeoutError("one"), ConnectionError("two"), "found")
    events = create_plan_act_graph(model, [tool], interactive=False).invoke({"goal": "Probe."})["events"]
    action = next(event["id"] for event in events if event["kind"] == "action")
    links = [event["links"] for event in events if event["kind"] == "observation"]
    assert links == [
        [{"source": action, "relation": "failed", "error": "TimeoutError: one"}],
        [{"source": action, "relation": "failed", "error": "ConnectionError: two"}],
        [{"source": action, "relation": "led_to"}],
    ]


@pytest.mark.parametrize(
    ("effects", "calls"), [(True, 1), (False, 3), (None, 3), (lambda given: given["item"] == "tea", 1)]
)
@pytest.mark.parametrize("form", ["sync", "async"])
def test_a_call_with_an_effect_is_not_made_again_because_its_error_speaks_of_a_connection(
    monkeypatch: pytest.MonkeyPatch, effects: Any, calls: int, form: str
) -> None:
    no_waiting(monkeypatch)
    placed: list[str] = []

    @tool
    def order(item: str) -> str:
        """Order an item."""
        placed.append(item)
        raise RuntimeError("order placed; confirmation mail: connection refused")

    order.metadata = {} if effects is None else {"effects": effects}
    executor = ToolExecutor({"order": order})
    action = Action(tool="order", input={"item": "tea"})
    result = executor.execute(action, "k") if form == "sync" else asyncio.run(executor.aexecute(action, "k"))
    assert (len(placed), result.ok, result.attempts) == (calls, False, calls)
