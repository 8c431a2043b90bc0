"""The graphs of `langgraph.json` under LangGraph's own development server, spoken to by its SDK."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from support.openai_server import OpenAIServer, Reply
from support.paths import ROOT

pytestmark = pytest.mark.slow

ASKS = [
    {"status": "planned", "plan": ["book it"]},
    {"status": "ask_user", "question": "When?"},
    {"status": "replanned", "plan": [], "response": "Three it is."},
]
MODES = ["external_loop", "reflexion", "actor_critic", "best_of_n"]


def answer(request: dict[str, Any], number: int) -> Reply:
    """What the model says: a script for the plan-act loop, a word for every other task."""
    turns = [str(message["content"]) for message in request["messages"]]
    if "Phase PLAN" not in turns[0]:
        return Reply("hello")
    last = turns[-1].split("The user's goal:")[-1]
    phase = next((number for number, name in enumerate(("PLAN", "THOUGHT", "REPLAN")) if f"Phase {name}" in last), 0)
    return Reply(json.dumps(ASKS[phase]))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncLangGraphClient]:
    """A client of a running server, which has to end by itself when it is told to."""
    folder = tmp_path_factory.mktemp("served")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # The server keeps its files where it is started, which is not to be the repository.
    config = json.loads((ROOT / "langgraph.json").read_text())
    graphs = {name: str(ROOT / path) for name, path in config["graphs"].items()}
    (folder / "langgraph.json").write_text(json.dumps({**config, "graphs": graphs}))
    command = [str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port)]
    with OpenAIServer(answer) as model, (folder / "log").open("w") as log:
        settings = {"THOUGHTGRAPH_MODEL": f"{model.base_url}#scripted", "XDG_DATA_HOME": str(folder)}
        environment = {**os.environ, **settings, "LANGSMITH_TRACING": "false", "NO_COLOR": "1"}
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(600):
                assert process.poll() is None, (folder / "log").read_text()
                try:
                    if httpx.get(f"{address}/ok").is_success:
                        break
                except httpx.TransportError:
                    time.sleep(0.1)
            with get_sync_client(url=address) as client:
                yield client
            process.send_signal(signal.SIGINT)
            process.wait(60)
        finally:
            process.kill()
        assert "Blocking call" not in (folder / "log").read_text()


def test_every_loop_is_served_and_answers(client: SyncLangGraphClient) -> None:
    assert {found["graph_id"] for found in client.assistants.search()} == {*MODES, "plan_act"}
    for mode in MODES:
        thread = client.threads.create()["thread_id"]
        result: Any = client.runs.wait(thread, mode, input={"task": "Greet me."})
        assert (result["answer"], result["verdict"]) == ("hello", "unverified"), result


def test_a_run_is_streamed_paused_resumed_and_its_state_can_be_read(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    modes: Any = ["updates", "custom"]
    chunks = list(client.runs.stream(thread, "plan_act", input={"goal": "Book it"}, stream_mode=modes))
    assert {chunk.event for chunk in chunks} == {"metadata", *modes}
    events = [event for chunk in chunks if chunk.event == "custom" for event in chunk.data["events"]]
    assert [event["kind"] for event in events] == ["goal", "thought", "plan", "thought"]
    paused = client.threads.get_state(thread)
    assert paused["next"] == ["ask_user"]
    assert paused["values"]["plan"][0]["step"] == "book it"
    assert "When?" in str(paused["interrupts"])
    result: Any = client.runs.wait(thread, "plan_act", command={"resume": "at three"})
    assert (result["response"], result["stop_reason"]["kind"]) == ("Three it is.", "goal_met")
    assert len(client.threads.get_state(thread)["values"]["clarifications"]) == 1


def test_the_drawing_of_a_graph_can_be_fetched(client: SyncLangGraphClient) -> None:
    found = next(one for one in client.assistants.search() if one["graph_id"] == "reflexion")
    drawing: Any = client.assistants.get_graph(found["assistant_id"])
    assert {"attempt", "reflect", "outcome"} <= {node["id"] for node in drawing["nodes"]}
