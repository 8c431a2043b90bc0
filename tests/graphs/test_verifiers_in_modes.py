"""The ready-made verifiers in every reflection mode, sync and async."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import ToolException, tool
from support.modes import RIGHT, all_modes
from support.plan_act import TWINS, twin
from support.raw_server import JSON, Connection, RawServer, whole
from thoughtgraph.tools.verifiers import CommandVerifier, HTTPVerifier, ToolVerifier

pytestmark = pytest.mark.slow

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


@tool
async def review(answer: str, task: str, depth: int = 1) -> dict[str, Any]:
    """Review an answer."""
    return {"passed": answer == RIGHT, "feedback": f"{task}: no {answer}"}


@tool
def fail(text: str) -> str:
    """Fail."""
    raise ToolException("no service")


@all_modes
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda url: CommandVerifier(["grep", "-qx", RIGHT, "answer.txt"]), marks=on_linux, id="command"),
        pytest.param(lambda url: HTTPVerifier(url), id="http"),
        pytest.param(lambda url: ToolVerifier(review), id="tool"),
    ],
)
def test_they_judge_in_every_mode_and_form(mode: Any, make: Callable[[str], Any], invoke: Any) -> None:
    def answer(client: Connection) -> None:
        said = json.loads(service.requests[-1].partition(b"\r\n\r\n")[2])["answer"]
        client.send(whole(json.dumps({"passed": said == RIGHT, "feedback": "no"}).encode(), JSON))

    with RawServer(answer) as service:
        result = mode.script(["wrong 0.0", RIGHT], verifier=make(service.url)).run(invoke)
    assert [attempt["verdict"] for attempt in result["attempts"]] == ["failed", "passed"]
    assert result["verdict"] == "passed"


@all_modes
def test_a_tool_that_raises_and_a_service_that_is_gone_are_unverified(mode: Any, invoke: Any) -> None:
    for verifier in (ToolVerifier(fail), HTTPVerifier("http://127.0.0.1:9")):
        result = mode.script([RIGHT], verified=False, verifier=verifier).run(invoke)
        assert result["verdict"] == "unverified"
        verdict = next(event["data"] for event in result["events"] if event["kind"] == "verdict")
        assert (verdict["status"], verdict["kind"]) == ("unverified", "verifier_error")


@all_modes
@pytest.mark.parametrize("form", ["sync", "async"])
@pytest.mark.parametrize(
    ("leaving", "said"),
    [
        (SystemExit(3), "it tried to end the program (SystemExit: 3)"),
        (asyncio.CancelledError(), "it was canceled by what it waits for"),
        (pytest.skip.Exception("no judge today"), "it was skipped: no judge today"),
    ],
)
def test_a_verifier_that_would_end_the_program_or_its_task_could_not_judge(
    mode: Any, invoke: Any, form: str, leaving: BaseException, said: str
) -> None:
    def leave(task: str, answer: str) -> Any:
        raise leaving

    async def aleave(task: str, answer: str) -> Any:
        raise leaving

    script = mode.script([RIGHT], verified=False, verifier=leave if form == "sync" else aleave)
    verdicts = [event["data"] for event in script.run(invoke)["events"] if event["kind"] == "verdict"]
    assert verdicts[0]["status"] == "unverified"
    assert said in verdicts[0]["feedback"]


@all_modes
@pytest.mark.parametrize("form", ["sync", "async"])
def test_what_pytest_finds_wrong_in_a_verifier_is_a_failed_answer(mode: Any, invoke: Any, form: str) -> None:
    def judge(task: str, answer: str) -> bool:
        if answer != RIGHT:
            with pytest.raises(ValueError):
                len(answer)
        return True

    async def ajudge(task: str, answer: str) -> bool:
        return judge(task, answer)

    result = mode.script(["wrong 0.0", RIGHT], verifier=judge if form == "sync" else ajudge).run(invoke)
    first = result["attempts"][0]
    assert (first["verdict"], first["feedback"]) == ("failed", "DID NOT RAISE ValueError")
    assert result["verdict"] == "passed"
