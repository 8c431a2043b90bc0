"""Runs every notebook from top to bottom and fails on the first error; `--save` keeps the outputs.

python notebooks/run.py [--save]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def main() -> None:
    """Execute the notebooks beside this file."""
    for path in sorted(HERE.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        started = time.perf_counter()
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": HERE}}).execute()
        print(f"{path.name}: {len(notebook.cells)} cells in {time.perf_counter() - started:.0f} s")
        if "--save" in sys.argv[1:]:
            nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
