"""How much does the plan-act assistant get done, and what does it cost? Forty tasks, judged by effect and answer.

    python benchmarks/assistant/run.py --model local:qwen2.5-coder-0.5b
    python benchmarks/assistant/run.py --model http://127.0.0.1:8080/v1 --mode schema --save runs/assistant.jsonl

Each task gets an agenda of its own, the real tools, a search engine on this machine, and a scripted user.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from thoughtgraph import create_plan_act_graph, open_model
from thoughtgraph.graphs.plan_act.create import PlanActGraph
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool
from thoughtgraph.tools.search import internet_search_tool
from thoughtgraph.tools.search.bing import BingSearchProvider
from thoughtgraph.traces.metrics.share import Share
from thoughtgraph.traces.shapes import StopReason

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.search_server import SearchServer  # noqa: E402

from benchmarks.assistant.checks import NOW, RIGHT_BUT, Task  # noqa: E402
from benchmarks.assistant.tasks import TASKS  # noqa: E402

MAX_ANSWERS = 4
CONTEXT_TOKENS = 6_000
SERVED_CONTEXT = 8_192
MAX_TOKENS = 300
PATIENCE = {True: 0.5, False: 10.0}
"""Seconds that a search may take, where the engine hangs and where it answers."""


@dataclass(frozen=True)
class Row:
    """One task that was run."""

    id: str
    kind: str
    goal: str
    problem: str
    """What is wrong with the outcome; "" for success."""
    stop: str
    steps: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    seconds: float
    calls: int
    refused_replies: int
    """Replies that were sent back: no payload, a call that fits no tool, given up too early, cut off."""
    lost_rounds: int
    """Rounds in which no attempt was read."""
    asked: list[tuple[str, str]]
    """Questions to the user, and what the user said."""
    response: str
    todos: list[str]
    appointments: list[str]
    turns: list[dict[str, Any]]
    """The conversation as the model saw it last, without the system message."""
    events: list[dict[str, Any]]
    """The trace, with every raw reply."""


def solve(model: BaseChatModel, task: Task, *, constrained: bool, max_steps: int) -> Row:
    """Run one task from a fresh agenda to the verdict."""
    started = time.perf_counter()
    mode = "slow_headers" if task.search_hangs else "results"
    with (
        tempfile.TemporaryDirectory() as folder,
        Agenda(Path(folder) / "agenda.sqlite", language=task.language, clock=lambda: NOW) as agenda,
        SearchServer(task.pages, mode=mode) as server,
    ):
        task.prepare(agenda)
        provider = BingSearchProvider(base_url=server.base_url, timeout=PATIENCE[task.search_hangs], allow_private=True)
        graph = create_plan_act_graph(
            model,
            [todo_tool(agenda), schedule_tool(agenda), internet_search_tool(provider, language=task.language)],
            max_steps=max_steps,
            language=task.language,
            context_tokens=CONTEXT_TOKENS,
            constrained=constrained,
            clock=lambda: NOW,
            checkpointer=InMemorySaver(),
        )
        config: RunnableConfig = {"configurable": {"thread_id": task.id}}
        asked: list[tuple[str, str]] = []
        response, stop, crash = "", None, ""
        try:
            response, stop = converse(graph, config, task, asked)
        except Exception as error:  # noqa: BLE001 - one task that breaks must not end the benchmark
            crash = f"{type(error).__name__}: {error}"[:500]
        values: dict[str, Any] = graph.get_state(config).values
        events: list[dict[str, Any]] = values.get("events", [])
        calls = sum(event["kind"] == "action" for event in events)
        usage: dict[str, int] = values.get("usage", {})
        return Row(
            id=task.id,
            kind=task.kind,
            goal=task.goal,
            problem=task.check(agenda, response, stop, calls) if stop else crash,
            stop=stop["kind"] if stop else "crash",
            steps=values.get("steps", 0),
            input_tokens=usage.get("input_tokens", 0),
            cached_tokens=usage.get("cached_tokens", 0),
            output_tokens=usage.get("output_tokens", 0),
            seconds=round(time.perf_counter() - started, 1),
            calls=calls,
            refused_replies=sum(is_refused(event) for event in events),
            lost_rounds=sum(seen["tool"] == "planner" for seen in values.get("observations", [])),
            asked=asked,
            response=response,
            todos=[str(todo) for todo in agenda.todos()],
            appointments=[str(appointment) for appointment in agenda.appointments()],
            turns=values.get("turns", []),
            events=events,
        )


def converse(
    graph: PlanActGraph, config: RunnableConfig, task: Task, asked: list[tuple[str, str]]
) -> tuple[str, StopReason]:
    """Run the graph and answer its questions; gives the response and why it ended."""
    said: Any = {"goal": task.goal}
    while True:
        result: dict[str, Any] = graph.invoke(said, config)
        if "__interrupt__" not in result:
            return result["response"], result["stop_reason"]
        question = str(result["__interrupt__"][0].value)
        if len(asked) == MAX_ANSWERS:
            return question, StopReason(kind="too_many_questions", value=MAX_ANSWERS + 1, limit=MAX_ANSWERS)
        answer = task.answer_to(len(asked))
        asked.append((question, answer))
        said = Command(resume=answer)


def is_refused(event: dict[str, Any]) -> bool:
    """Whether an event is a reply that was sent back."""
    data = event["data"]
    return event["kind"] == "thought" and bool(data.get("feedback") or data.get("truncated"))


def line(row: Row) -> str:
    """A task in one line."""
    tokens = f"{row.input_tokens:,}+{row.output_tokens:,}"
    figures = f"{row.steps:>2} steps {tokens:>12} tokens {row.seconds:>6.1f} s  {row.stop}"
    return f"{'✘' if row.problem else '✔'} {row.id:<24} {figures}" + (f"\n    {row.problem}" if row.problem else "")


def summary(rows: Sequence[Row], seconds: float) -> str:
    """The figures of a run, as Markdown."""
    kinds = list(dict.fromkeys(row.kind for row in rows))
    sent = sum(row.input_tokens for row in rows)
    cached = sum(row.cached_tokens for row in rows) / sent if sent else 0.0
    thoughts = sum(event["kind"] == "thought" for row in rows for event in row.events)
    refused, lost = sum(row.refused_replies for row in rows), sum(row.lost_rounds for row in rows)
    stops = Counter(row.stop for row in rows if row.problem)
    late = sum(row.problem.startswith(RIGHT_BUT) for row in rows)
    return "\n".join(
        [
            "| kind | solved | share (95 %) | steps | tokens in | tokens out |",
            "| --- | --- | --- | --- | --- | --- |",
            *(share(kind, [row for row in rows if row.kind == kind]) for kind in kinds),
            share("all", rows),
            "",
            f"- prompt tokens from the server's cache: {cached:.0%} of {sent:,}",
            f"- replies that were sent back: {refused} of {thoughts}; rounds lost to them: {lost}",
            f"- failures by how they ended: {', '.join(f'{stop} {n}' for stop, n in stops.most_common()) or 'none'}",
            f"- of these with the right effect and answer, but not ended by themselves: {late}",
            f"- seconds: {seconds:.0f}",
        ]
    )


def share(name: str, rows: Sequence[Row]) -> str:
    """A line of the table."""
    solved, n = sum(not row.problem for row in rows), len(rows)
    low, high = Share(solved, n).interval
    means = [
        statistics.mean(getattr(row, field) for row in rows) for field in ("steps", "input_tokens", "output_tokens")
    ]
    return (
        f"| {name} | {solved}/{n} | {solved / n:.0%} ({low:.0%}–{high:.0%}) "
        f"| {means[0]:.1f} | {means[1]:,.0f} | {means[2]:,.0f} |"
    )


def chosen(only: str | None, limit: int | None) -> list[Task]:
    """The tasks to run; `only` names ids and kinds."""
    names = set(only.split(",")) if only else set[str]()
    unknown = names - {name for task in TASKS for name in (task.id, task.kind)}
    if unknown:
        raise SystemExit(f"no such task or kind: {', '.join(sorted(unknown))}")
    return [task for task in TASKS if not names or names & {task.id, task.kind}][:limit]


def main() -> None:
    """Parse the arguments, open the model, run the tasks, sum up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="as for `thoughtgraph solve`; default: the embedded 0.5B")
    parser.add_argument("--mode", choices=("text", "schema"), default="text", help="hold replies to a JSON schema?")
    parser.add_argument("--only", help="ids or kinds of tasks, with commas")
    parser.add_argument("--limit", type=int, help="only the first so many tasks")
    parser.add_argument("--concurrency", type=int, default=1, help="tasks at the same time")
    parser.add_argument("--max-steps", type=int, default=20, help="of a task")
    parser.add_argument("--save", type=Path, help="keep every raw reply in this JSONL file")
    args = parser.parse_args()
    tasks = chosen(args.only, args.limit)
    rows: list[Row] = []
    if args.save:
        args.save.parent.mkdir(parents=True, exist_ok=True)
        args.save.write_text("", encoding="utf-8")
    with (
        open_model(
            args.model, slots=args.concurrency, context=SERVED_CONTEXT, temperature=0.0, max_tokens=MAX_TOKENS
        ) as model,
        ThreadPoolExecutor(args.concurrency) as pool,
    ):
        started = time.perf_counter()
        schema = args.mode == "schema"
        runs = [pool.submit(solve, model, task, constrained=schema, max_steps=args.max_steps) for task in tasks]
        for done in as_completed(runs):
            rows.append(done.result())
            print(line(rows[-1]), flush=True)
            if rows[-1].stop == "model_unavailable":
                pool.shutdown(wait=False, cancel_futures=True)
                raise SystemExit(f"the model is gone; {len(tasks) - len(rows) + 1} of {len(tasks)} tasks were not run")
            if args.save:
                with args.save.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(rows[-1]), ensure_ascii=False) + "\n")
        print(f"\n{args.model or 'default model'}, {args.mode}, {len(rows)} tasks, {args.max_steps} steps at most\n")
        print(summary(rows, time.perf_counter() - started))


if __name__ == "__main__":
    main()
