"""Runs notebooks from top to bottom, without a network, and fails on the first error; `--save` keeps the outputs.

python notebooks/run.py [--save] [NOTEBOOK …]

The weights of the embedded model have to be there: `thoughtgraph model pull qwen2.5-coder-0.5b`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

HERE = Path(__file__).resolve().parent
TIMEOUT = 600
"""Seconds that one cell may take."""


class CellError(Exception):
    """A cell of a notebook could not be run."""


def run(path: Path) -> nbformat.NotebookNode:
    """Run a notebook in a kernel of its own, which reaches loopback alone.

    Raises:
        CellError: names the notebook, the cell and the error.
    """
    notebook = nbformat.read(path, as_version=4)
    # No times in the file: a notebook that gives the same outputs again is the same file.
    client = NotebookClient(notebook, timeout=TIMEOUT, kernel_name="python3", record_timing=False)
    client.extra_arguments = ["--log-level=ERROR"]
    client.resources = {"metadata": {"path": str(path.parent)}}
    before = [os.environ[name] for name in ("PYTHONPATH",) if name in os.environ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE / "offline"), *before])}
    with client.setup_kernel(env=environment):
        for number, cell in enumerate(notebook.cells):
            try:
                client.execute_cell(cell, number)
            except (CellControlSignal, DeadKernelError) as problem:
                raise CellError(f"{path.name}, cell {number} ({cell.id}): {problem}") from None
    return notebook


def main() -> int:
    """Run the notebooks named, or all beside this file; exit code 1 where one fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, default=sorted(HERE.glob("*.ipynb")))
    parser.add_argument("--save", action="store_true", help="keep the outputs in the files")
    arguments = parser.parse_args()
    for path in arguments.notebooks:
        started = time.perf_counter()
        try:
            notebook = run(path)
        except CellError as error:
            print(error, file=sys.stderr)
            return 1
        print(f"{path.name}: {len(notebook.cells)} cells in {time.perf_counter() - started:.0f} s", flush=True)
        if arguments.save:
            nbformat.write(notebook, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
