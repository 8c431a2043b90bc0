"""What `import thoughtgraph` costs beside what it needs of langgraph; each import in a fresh interpreter.

    python benchmarks/importing.py

Target: 1.1 × the imports that the loops need anyway.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from rich.console import Console
from rich.table import Table

NEEDED = "import langgraph.graph, langgraph.types, langgraph.channels, langchain_core.language_models, networkx"
STATEMENTS = {
    "nothing": "pass",
    "import thoughtgraph": "import thoughtgraph",
    "what the loops need of others": NEEDED,
    "the loops": "from thoughtgraph import create_reflection_graph, think_with_retry, ContextGraph",
}


def milliseconds(statement: str) -> float:
    """The median of some fresh interpreters."""
    times: list[float] = []
    for _ in range(7):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def main() -> None:
    """Measure and print."""
    taken = {name: milliseconds(statement) for name, statement in STATEMENTS.items()}
    base, needed = taken["nothing"], taken["what the loops need of others"]
    table = Table("what", "ms", "without the interpreter", "× what the loops need")
    for name, value in taken.items():
        table.add_row(name, f"{value:.0f}", f"{value - base:.0f}", f"{(value - base) / (needed - base):.2f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
