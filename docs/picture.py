"""Draws docs/run.svg: a real run in a terminal, as the README shows it.

python docs/picture.py
"""

from __future__ import annotations

import io
import json
from pathlib import Path

from rich.console import Console
from thoughtgraph import PythonTests, create_reflection_graph, open_model
from thoughtgraph.runtime.console import LiveRun

HERE = Path(__file__).parent
TASKS = HERE.parent / "benchmarks" / "solving" / "demo.jsonl"


def main() -> None:
    """Solve tasks of the demo until one has needed a second attempt, and draw that run."""
    with open_model("local:qwen2.5-coder-0.5b", slots=1) as model:
        for line in TASKS.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            verifier = PythonTests(row["visible_tests"])
            graph = create_reflection_graph(actor=model, verifier=verifier, max_iterations=5)
            with LiveRun(Console(file=io.StringIO()), row["prompt"]) as live:
                for update in graph.stream({"task": row["prompt"]}, stream_mode="updates"):
                    live.update(update)
            attempts = sum(event["kind"] == "attempt" for event in live.events)
            if live.verdict == "passed" and attempts > 1:
                drawn = Console(record=True, width=100, file=io.StringIO())
                drawn.print(live.view())
                drawn.save_svg(str(HERE / "run.svg"), title="thoughtgraph solve")
                print(f"{row['task_id']}: {attempts} attempts, drawn")
                return


if __name__ == "__main__":
    main()
