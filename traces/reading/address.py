"""Run files at an address such as `s3://bucket/runs/a.jsonl`, read and written through fsspec."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from ..._internal.atomic import write_whole
from ..._internal.redact import redacted
from ...errors import MissingLibraryError, RunFileError


def is_address(place: object) -> bool:
    """Whether this is the address of a file, and not a path."""
    return isinstance(place, str) and "://" in place


def read_at(address: str) -> bytes:
    """The content of a file.

    Raises:
        MissingLibraryError: fsspec, or what it needs for this kind of address, is not installed.
        RunFileError: it cannot be read.
    """
    try:
        system, path = _located(address)
        return bytes(system.cat_file(path))
    except MissingLibraryError:
        raise
    except Exception as problem:
        raise RunFileError(f"cannot read the run {_spoken(address, problem)}") from problem


def write_at(address: str, content: bytes) -> None:
    """Write a file, whole or not at all.

    Raises:
        MissingLibraryError: fsspec, or what it needs for this kind of address, is not installed.
        RunFileError: it cannot be written.
    """
    try:
        system, path = _located(address)
        if isinstance(system, import_module("fsspec.implementations.local").LocalFileSystem):
            target = Path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, content)
        else:
            # No folder is made: object storage has none, and a bucket with a wrong name should not come to be.
            system.pipe_file(path, content)
    except MissingLibraryError:
        raise
    except Exception as problem:
        raise RunFileError(f"cannot write the run {_spoken(address, problem)}") from problem


def _located(address: str) -> tuple[Any, str]:
    try:
        found: tuple[Any, str] = import_module("fsspec.core").url_to_fs(address)
    except ImportError as missing:
        lacks_fsspec = missing.name is not None and missing.name.startswith("fsspec")
        advice = "pip install fsspec, and its library for that storage, such as s3fs" if lacks_fsspec else str(missing)
        raise MissingLibraryError(f"{redacted(address)} needs another library: {advice}") from missing
    return found


def _spoken(address: str, problem: Exception) -> str:
    return redacted(f"{address}: {type(problem).__name__}: {problem}")
