"""Promises about retries, transport and tools that no test held them to until a mutant survived."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.types import Command
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel
from thoughtgraph import think, think_with_retry
from thoughtgraph._internal.steps import run
from thoughtgraph.errors import ModelUnavailableError, ToolContractError
from thoughtgraph.models import Backoff
from thoughtgraph.models.transport import is_model_error, is_transport_error
from thoughtgraph.parsers.contract import success
from thoughtgraph.tools.calls.executor import ToolExecutor
from thoughtgraph.traces.events import recording

AT_ONCE = Backoff(max_attempts=2, initial_interval=0.0)


class RefusedError(Exception):
    """An error of some provider's client, which knows the server's status."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"the server said {status_code}")
        self.status_code = status_code


@pytest.mark.parametrize("status", [408, 409, 424, 425, 429, 498, 500, 502, 503, 504, 529])
def test_a_status_that_passes_is_tried_again(status: int) -> None:
    assert is_transport_error(RefusedError(status))


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ("Event loop is closed", True),
        ("<asyncio.locks.Event object at 0x7f [unset]> is bound to a different event loop", True),
        ("Task got Future attached to a different loop", True),
        ("dictionary changed size during iteration", False),
    ],
)
def test_a_connection_of_another_event_loop_is_opened_again(said: str, passes: bool) -> None:
    assert is_transport_error(RuntimeError(said)) is passes


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422, 501, 505])
def test_a_status_that_stays_is_not_tried_again(status: int) -> None:
    assert not is_transport_error(RefusedError(status))


@pytest.mark.parametrize("status", [501, 505])
def test_what_a_server_has_not_got_is_not_tried_again_whatever_langchain_says(status: int) -> None:
    with OpenAIServer(lambda body, index: Reply("no such method", status=status)) as server:
        model = ChatOpenAI(base_url=server.base_url, api_key=SecretStr("none"), model="m", max_retries=0)
        with pytest.raises(ModelUnavailableError, match=r"after 1 call.*no such method"):
            think(model, "x")
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "theirs"), [(399, False), (400, True), (404, True), (503, True), (599, True), (600, False)]
)
def test_what_a_server_refused_is_no_mistake_in_the_program(status: int, theirs: bool) -> None:
    assert is_model_error(RefusedError(status)) is theirs


def test_waiting_begins_short_and_has_an_end() -> None:
    assert Backoff() == Backoff(max_attempts=5, initial_interval=0.5, max_interval=30.0, jitter=True)


def test_the_reply_under_the_raised_cap_is_recorded_behind_the_one_that_was_cut() -> None:
    cut = AIMessage("Half a", response_metadata={"finish_reason": "length"})
    with recording("run") as recorder:
        assert think_with_retry(ScriptedModel(replies=[cut, "A whole reply."]), "Go.", success) == "A whole reply."
    first, second = recorder.events
    assert (first["data"]["reply"], first["links"]) == ("Half a", [])
    assert second["links"] == [{"source": first["id"], "relation": "retried"}]


def test_a_tool_that_commands_the_graph_instead_of_answering_is_refused_however_late() -> None:
    seen: list[int] = []

    @tool
    def move() -> Any:
        """Go on elsewhere, at the second attempt."""
        seen.append(1)
        if len(seen) == 1:
            raise TimeoutError("slow")
        return Command(goto="elsewhere")

    with pytest.raises(ToolContractError, match="the tool 'move' returned a Command"):
        ToolExecutor({"move": move}, backoff=AT_ONCE).execute({"tool": "move", "input": {}}, "run:1")
    assert len(seen) == 2


def test_a_long_complaint_of_a_tool_is_shortened_where_it_labels_an_edge_alone() -> None:
    @tool
    def grumble() -> str:
        """Fail at length."""
        raise TimeoutError("o" * 800)

    with recording("run") as recorder:
        cause = recorder.add("action", tool="grumble", input={})
        steps = ToolExecutor({"grumble": grumble}, backoff=AT_ONCE).steps
        assert not run(steps({"tool": "grumble", "input": {}}, "run:1", cause)).ok
    failed = recorder.events[1]
    assert len(failed["links"][0].get("error", "")) == 500
    assert len(failed["data"]["result"]) > 800
