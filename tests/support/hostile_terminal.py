"""What a person's terminal is sent of runs whose every word steers terminals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from langchain_core.tools import tool
from rich.console import Console
from support.hostile_markup import filled
from support.plan_act import act, ask, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import Assistant, ContextGraph, create_reflection_graph
from thoughtgraph.cli.console import LiveRun, show_result
from thoughtgraph.cli.main import app
from thoughtgraph.cli.talk import talk
from thoughtgraph.evaluation.results import TaskResult
from thoughtgraph.memory.failure_memory import open_failure_memory
from thoughtgraph.traces import summarize
from typer.testing import CliRunner

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def problems(events: list[Any], text: str, place: Path) -> list[str]:
    """Where a text reaches a terminal as more than text, or takes the display down.

    Args:
        events: of a run, which is filled with the text.
        text: from a model, a tool, a user.
        place: an empty folder.
    """
    found: list[str] = []
    for name, show in _SHOWN.items():
        try:
            shown = show(events, text, place)
        except Exception as error:  # noqa: BLE001 - whatever breaks is found, too
            found.append(f"{name}: {type(error).__name__}: {str(error)[:100]}, for {text[:30]!r}")
            continue
        if steering := _STEERING.search(shown):
            around = shown[max(0, steering.start() - 30) : steering.end() + 30]
            found.append(f"{name}: {steering[0]!r} in {around!r}, for {text[:30]!r}")
        if "[red]" in text and "[red]" not in shown:
            found.append(f"{name}: markup was read, for {text[:30]!r}")
    return found


def _console() -> Console:
    return Console(file=StringIO(), width=200, color_system=None)


def _written(console: Console) -> str:
    stream: Any = console.file
    # As a terminal is written to: half a character cannot be.
    return stream.getvalue().encode().decode()


def _solve(events: list[Any], text: str, place: Path) -> str:
    console = _console()
    graph = create_reflection_graph(actor=ScriptedModel(replies=[text or "x"] * 9), max_attempts=2)
    live = LiveRun(console, text)
    with live:
        for update in graph.stream({"task": text or "x"}, stream_mode="updates"):
            live.update(update)
    return _written(console)


def _chat(events: list[Any], text: str, place: Path) -> str:
    def lookup(words: str) -> str:
        """Look up."""
        return text

    console = _console()
    replies = [
        planned(f"Look {text}"),
        act("lookup", text),
        ask(f"Which {text}?"),
        replanned(f"Look {text}"),
        done(text),
    ]
    model = ScriptedModel(replies=[*replies, *[replanned(response=f"Done {text}")] * 9])
    said = iter([f"Look {text}", f"That {text}", f"/todo add {text}", f"/x{text}", "/plan", "/view", "/quit"])
    with Assistant(model, folder=place / f"chat{abs(hash(text))}", language="en", tools=[tool(lookup)]) as assistant:
        talk(assistant, console, lambda prompt: next(said))
    return _written(console)


def _dataset(events: list[Any], text: str, place: Path) -> str:
    console = _console()
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    attempt = {"strategy": "first", "verdict": "failed", "score": 0.0, "kind": text, "feedback": text}
    stop = {"kind": "error", "value": text, "limit": None}
    show_result(console, TaskResult(text, "failed", stop, text, [attempt], usage, 1.0, text))
    return _written(console)


def _commands(events: list[Any], text: str, place: Path) -> str:
    run = ContextGraph(filled(events, text)).save(place / "runs" / "run.jsonl")
    memory = place / "memory.sqlite"
    lesson: Any = dict.fromkeys(("key", "task", "kind", "error", "lesson", "fix", "time"), text)
    with open_failure_memory(memory) as kept:
        kept.clear()
        kept.remember([{**lesson, "evidence": [text], "similarity": 0.0}])
        key = kept.lessons()[0]["key"]
    return "".join(map(_output, _calls(run, memory, key, len(events))))


def _answers(events: list[Any], text: str, place: Path) -> str:
    """What `print` shows of the answers to a program's questions."""
    graph = ContextGraph(filled(events, text))
    other = ContextGraph(filled(events[:-1], text[:1]))
    metrics = graph.metrics()
    shown = [graph, graph.why_stopped(), graph.cost(), graph.revisions(), graph.compare(other), graph.loop_drawing()]
    shown += [metrics, summarize([metrics]), *graph.failures(), *graph.repeats()]
    return "\n".join(map(str, shown)).encode().decode()


def _calls(run: Path, memory: Path, key: str, events: int) -> Iterator[list[str]]:
    yield ["trace", "list", str(run.parent)]
    yield ["trace", "show", str(run)]
    yield ["trace", "show", str(run), "--failures"]
    yield ["trace", "diff", str(run), str(run)]
    yield from (["trace", "show", str(run), "--event", str(number)] for number in range(0, events, 4))
    yield ["memory", "list", "--file", str(memory)]
    yield ["memory", "show", key, "--file", str(memory)]


def _output(arguments: list[str]) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, f"{' '.join(arguments)} ended with {result.exit_code}: {result.output[:200]}"
    return result.output


_SHOWN = {"solve": _solve, "chat": _chat, "dataset": _dataset, "commands": _commands, "answers": _answers}
