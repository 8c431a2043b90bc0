"""The control of the assistant's benchmark: LangChain's agent on the same requests, over scripted models."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from support.agent_model import AgentModel, calls
from support.assistants import planned
from support.paths import ROOT
from support.scripted import ScriptedModel
from support.waits import no_waits

sys.path.insert(0, str(ROOT))

from benchmarks.assistant.dataset import Request, load_requests
from benchmarks.assistant.run import Way, solve

pytestmark = pytest.mark.slow

DEV = {request.id: request for request in load_requests("dev")}


def right_calls(request: Request) -> list[AIMessage]:
    arguments = {"todo": "command", "schedule": "command", "internet_search": "query"}
    return [calls((call.tool, {arguments[call.tool]: call.input})) for call in request.calls]


@pytest.mark.parametrize("request_", [pytest.param(one, id=one.id) for one in DEV.values()])
def test_the_right_calls_are_right_without_a_check(request_: Request) -> None:
    replies = [*([AIMessage("Which one, or when?")] if request_.reply else []), *right_calls(request_)]
    model = AgentModel(replies=[*replies, AIMessage(request_.answer)])
    with no_waits():
        row = solve(model, request_, way="native")
    assert (row.problem, row.stop) == ("", "answered")
    assert [answer for _, answer in row.asked] == ([request_.reply] if request_.reply else [])
    assert row.calls == len(model.requests)
    assert any("content" in message for message in row.events)


def test_a_constrained_request_may_have_turns_before_it() -> None:
    request = DEV["half-past"]
    model = ScriptedModel(replies=[planned(response="OK.")])
    solve(model, request, way="constrained")
    assert model.options[0]["response_format"]["json_schema"]["name"] == "plan"


@pytest.mark.parametrize("way", ["native", "typed"])
def test_what_was_said_before_is_known(way: Way) -> None:
    request = DEV["half-past"]
    model = AgentModel(replies=[AIMessage("OK.")])
    solve(model, request, way=way)
    told = [str(message.content) for message in model.requests[0]]
    assert told[1] == request.before[0].said
    assert told[-1] == request.said
    assert any(request.before[0].answer in one for one in told)
    assert any("Added" in one for one in told), "what came of the calls is known"
    assert "2026-03-11 09:00" in told[0]


def typed(request: str, *made: tuple[str, dict[str, Any]]) -> tuple[str, AgentModel]:
    model = AgentModel(replies=[*map(calls, made), AIMessage(DEV[request].answer)])
    return solve(model, DEV[request], way="typed").problem, model


def test_typed_tools_do_what_the_commands_do() -> None:
    problem, _ = typed("cat-food", ("add_todo", {"text": "buy cat food"}))
    assert problem == ""
    problem, _ = typed("deadline-hour", ("add_todo", {"text": "phone the insurance", "due": "2026-03-12 16:00"}))
    assert problem == ""
    problem, _ = typed("half-past", ("edit_appointment", {"id": 1, "start": "2026-03-01 8:00"}))
    assert problem


def test_what_a_command_refuses_the_model_reads() -> None:
    _, model = typed("cat-food", ("remove_todo", {"id": 99}), ("add_todo", {"text": "x", "due": "on a whim"}))
    results = [str(message.content) for message in model.requests[-1] if message.type == "tool"]
    assert len(results) == 2
    assert all(result.startswith("Error: ") for result in results)
    model = AgentModel(replies=[calls(("todo", {"command": "/todo rm 99"})), AIMessage("OK.")])
    solve(model, DEV["cat-food"], way="native")
    assert str(model.requests[-1][-1].content).startswith("Error: ")


def test_a_run_without_end_stops_and_has_no_answer() -> None:
    model = AgentModel(replies=[calls(("todo", {"command": "/todo list"}))], forever=True)
    row = solve(model, DEV["cat-food"], way="native")
    assert (row.stop, row.response, row.calls) == ("max_iterations", "", 20)
    assert not row.right
