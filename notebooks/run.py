"""Runs notebooks from top to bottom, without a network, and fails on the first error.

python notebooks/run.py [--fresh | --save] [NOTEBOOK …]

Requests to the embedded model get the replies in `data/replies` that it gave to the same requests before. What is new
is asked of the model itself, whose weights have to be there: `thoughtgraph model pull qwen2.5-coder-0.5b`. With
`--fresh` all requests are. With `--save` each is once, and outputs and replies are kept.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

HERE = Path(__file__).resolve().parent
TIMEOUT = 600
"""Seconds that one cell may take."""


class CellError(Exception):
    """A cell of a notebook could not be run."""


def run(path: Path, replies: dict[str, str]) -> nbformat.NotebookNode:
    """Run a notebook in a kernel of its own, which reaches loopback alone.

    Args:
        path: the notebook.
        replies: variables that say where replies are kept; see `offline/sitecustomize.py`.

    Raises:
        CellError: names the notebook, the cell and the error.
    """
    notebook = nbformat.read(path, as_version=4)
    # No times in the file: a notebook that gives the same outputs again is the same file.
    client = NotebookClient(notebook, timeout=TIMEOUT, kernel_name="python3", record_timing=False)
    client.extra_arguments = ["--log-level=ERROR"]
    client.resources = {"metadata": {"path": str(path.parent)}}
    before = [os.environ[name] for name in ("PYTHONPATH",) if name in os.environ]
    environment = {**os.environ, **replies, "PYTHONPATH": os.pathsep.join([str(HERE / "offline"), *before])}
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
    parser.add_argument("--fresh", action="store_true", help="ask the model for every reply")
    parser.add_argument("--save", action="store_true", help="ask the model anew, and keep outputs and replies")
    arguments = parser.parse_args()
    for path in arguments.notebooks:
        started = time.perf_counter()
        kept = path.resolve().parent / "data" / "replies" / f"{path.stem}.jsonl.gz"
        with TemporaryDirectory() as folder:
            new = Path(folder) / kept.name
            known = {} if arguments.fresh else {"NOTEBOOK_REPLIES": str(kept)}
            try:
                notebook = run(path, {"NOTEBOOK_REPLIES": str(new), "NOTEBOOK_SAVES": "1"} if arguments.save else known)
            except CellError as error:
                print(error, file=sys.stderr)
                return 1
            print(f"{path.name}: {len(notebook.cells)} cells in {time.perf_counter() - started:.0f} s", flush=True)
            if arguments.save:
                nbformat.write(notebook, path)
                kept.unlink(missing_ok=True)
                if new.exists():
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    shutil.move(new, kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
