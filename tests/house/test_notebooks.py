"""The notebooks as they are kept: whole, run from top to bottom, of public parts, and without traces of a machine."""

from __future__ import annotations

import ast
import importlib
import json
import os
import platform
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import nbformat
import pytest
import thoughtgraph
from support.paths import ROOT
from thoughtgraph import ContextGraph

FOLDER = ROOT / "notebooks"
NAMES = ["comparing", "own_tasks", "plan_act", "quickstart", "reading_a_run", "reflection_modes", "your_own_parts"]
PATHS = [FOLDER / f"{name}.ipynb" for name in NAMES]
RUNS = sorted((FOLDER / "data").glob("*.jsonl"))
OF_A_MACHINE = re.compile(
    r"/(?:home|root|Users|tmp|var|private|opt|mnt|usr|work)/\w|[A-Z]:\\\\?Users|(?:127\.0\.0\.1|localhost|\[::1\]):\d+"
)
PUBLIC_MODULES = {"thoughtgraph.errors", "thoughtgraph.graphs.building"}
LONGEST_CELL = 30
LARGEST_FILE = 400_000

each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    """The cells of a kind, as the file has them."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def saved_outputs(path: Path) -> str:
    """All that the cells have put out, as one text."""
    outputs = [output for cell in cells(path, "code") for output in cell["outputs"]]
    texts = [output["text"] for output in outputs if "text" in output]
    texts += [text for output in outputs for text in output.get("data", {}).values()]
    return "\n".join("".join(text) if isinstance(text, list) else str(text) for text in texts)


def test_every_notebook_there_is_is_checked_here() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == NAMES


@each_notebook
def test_a_notebook_is_valid_and_begins_with_its_title(path: Path) -> None:
    nbformat.validate(nbformat.read(path, as_version=4))  # pyright: ignore[reportUnknownMemberType]
    assert source(cells(path, "markdown")[0]).startswith("# ")
    assert len({cell["id"] for kind in ("code", "markdown") for cell in cells(path, kind)}) > 10


@each_notebook
def test_the_saved_outputs_are_of_one_run_from_top_to_bottom(path: Path) -> None:
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert len(outputs) >= len(code) // 2, "save the outputs: python notebooks/run.py --save"
    assert [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"] == []


@each_notebook
def test_nothing_in_a_notebook_tells_the_machine_it_ran_on(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert OF_A_MACHINE.findall(saved_outputs(path) + "".join(map(source, cells(path, "code")))) == []
    assert str(Path.home()) == "/" or f"{Path.home()}/" not in text
    assert len(platform.node()) < 5 or platform.node() == "localhost" or platform.node() not in text


@pytest.mark.parametrize("text", ["in /home/eva/x.py", "C:\\Users\\eva", "http://127.0.0.1:8080/v1", "/tmp/x"])
def test_that_check_would_find_a_trace(text: str) -> None:
    assert OF_A_MACHINE.search(text)


@each_notebook
def test_a_notebook_imports_public_names_and_plays_no_tricks_with_paths(path: Path) -> None:
    public = set(thoughtgraph.__all__)
    for cell in cells(path, "code"):
        assert "sys.path" not in source(cell) and not source(cell).lstrip().startswith(("!", "%"))
        for node in ast.walk(ast.parse(source(cell))):
            if isinstance(node, ast.Import):
                assert not [name.name for name in node.names if name.name.startswith("thoughtgraph")]
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("thoughtgraph"):
                names = {name.name for name in node.names}
                module = importlib.import_module(node.module or "")
                assert [name for name in names if name.startswith("_") or not hasattr(module, name)] == []
                if node.module == "thoughtgraph":
                    assert names <= public
                else:
                    offered = node.module in PUBLIC_MODULES or names <= set(module.__dict__.get("__all__", ()))
                    assert offered, f"{node.module} does not offer {names}"
                    assert not names & public, f"import {names & public} from thoughtgraph"


@each_notebook
def test_cells_are_short_and_files_small(path: Path) -> None:
    assert [source(cell) for cell in cells(path, "code") if len(source(cell).splitlines()) > LONGEST_CELL] == []
    assert path.stat().st_size < LARGEST_FILE


@each_notebook
def test_links_lead_to_files_that_are_there(path: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", "".join(map(source, cells(path, "markdown"))))
    assert [link for link in links if "://" not in link and not (FOLDER / link).exists()] == []


def test_the_quickstart_ends_with_the_page_of_its_run() -> None:
    outputs = [output for cell in cells(FOLDER / "quickstart.ipynb", "code") for output in cell["outputs"]]
    pages = ["".join(output["data"]["text/html"]) for output in outputs if "text/html" in output.get("data", {})]
    assert len(pages) == 1 and pages[0].startswith("<iframe") and "srcdoc=" in pages[0]


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_a_kept_run_is_whole_and_tells_no_machine(path: Path) -> None:
    assert ContextGraph.from_run(path).metrics().finished
    assert OF_A_MACHINE.search(path.read_text(encoding="utf-8")) is None


def test_a_kept_run_has_failures_with_and_without_a_fix_and_a_repeat() -> None:
    found = ContextGraph.from_run(FOLDER / "data" / "actor_critic.jsonl")
    assert found.repeats() and all(failure.fixed_by for failure in found.failures())
    lost = ContextGraph.from_run(FOLDER / "data" / "not_solved.jsonl")
    assert len(lost.path_to_outcome()) < len(lost.events) and not any(failure.fixed_by for failure in lost.failures())


@pytest.mark.parametrize(
    ("act", "is_refused"),
    [
        ("socket.create_connection(('192.0.2.1', 80), 0.1)", True),
        ("socket.getaddrinfo('example.com', 80)", True),
        ("socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 53))", True),
        ("socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))", True),
        ("server = socket.create_server(('127.0.0.1', 0)); socket.create_connection(server.getsockname())", False),
        ("socket.getaddrinfo('localhost', 80)", False),
        ("[end.close() for end in socket.socketpair()]", False),
    ],
    ids=["address", "name", "datagram", "ipv6", "loopback", "localhost", "pair"],
)
def test_a_notebooks_kernel_reaches_loopback_alone(act: str, is_refused: bool) -> None:
    environment = {**os.environ, "PYTHONPATH": str(FOLDER / "offline")}
    run = subprocess.run(
        [sys.executable, "-c", f"import socket; {act}"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert ("PermissionError: notebooks run without a network" in run.stderr) == is_refused, run.stderr
    assert (run.returncode == 0) != is_refused


ASKING = """
import asyncio, httpcore, sys
url, way, *said = sys.argv[1:]
async def ask(text):
    async with httpcore.AsyncConnectionPool() as pool:
        return await pool.request("POST", url, content=text.encode())
for text in said:
    if way == "async":
        reply = asyncio.run(ask(text))
    else:
        reply = httpcore.request("POST", url, content=text.encode())
    print(reply.status, dict(reply.headers)[b"Content-Type"].decode(), reply.content.decode())
"""


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_request_gets_the_reply_that_was_kept_and_a_new_one_is_asked(tmp_path: Path, way: str) -> None:
    asked: list[str] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked.append(text)
            self.send_response(500 if text == "broken" else 200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(f"data: {text}, {len(asked)} é".encode())

    def ask(*said: str, **more: str) -> list[str]:
        known = {"NOTEBOOK_REPLIES": str(tmp_path / "kept.gz"), "PYTHONPATH": str(FOLDER / "offline"), **more}
        url = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
        run = subprocess.run(
            [sys.executable, "-c", ASKING, url, way, *said],
            env={**os.environ, **known},
            capture_output=True,
            timeout=60,
        )
        assert run.returncode == 0, run.stderr
        return run.stdout.decode().splitlines()

    server = HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        first = ask("tea", "milk", "tea", "broken", NOTEBOOK_SAVES="1")
        assert first == [
            "200 text/event-stream data: tea, 1 é",
            "200 text/event-stream data: milk, 2 é",
            "200 text/event-stream data: tea, 1 é",
            "500 text/event-stream data: broken, 3 é",
        ]
        assert ask("milk", "tea", "new", "broken") == [
            first[1],
            first[0],
            "200 text/event-stream data: new, 4 é",
            "500 text/event-stream data: broken, 5 é",
        ]
        assert ask("new") == ["200 text/event-stream data: new, 6 é"], "kept although nothing was to be saved"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.slow
def test_the_runner_names_notebook_and_cell_of_an_error(tmp_path: Path) -> None:
    path = tmp_path / "broken.ipynb"
    written = [("first", "print('kept?')"), ("second", "1 / 0")]
    kept = [
        {"cell_type": "code", "id": name, "metadata": {}, "execution_count": None, "outputs": [], "source": code}
        for name, code in written
    ]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": kept}), encoding="utf-8")
    before = path.read_bytes()
    command = [sys.executable, str(FOLDER / "run.py"), "--save", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1
    assert "broken.ipynb, cell 1 (second)" in run.stderr and "ZeroDivisionError" in run.stderr
    assert path.read_bytes() == before, "a notebook that failed is not saved"
