"""Writes completely or not at all, with the permissions that writing in place would give a file, to a real path."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from .numbers import check_kind
from .redact import redacted

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""Also what `Path` makes of one. A drive of Windows has a single letter."""


def local_path(place: str | Path) -> Path:
    """The path of a file or a folder that may still have to be made.

    Raises:
        ValueError: it is none, blank, or an address: `s3://bucket` would become a folder called `s3:`.
    """
    check_kind("the path", place, str | os.PathLike, "a text or a Path")
    if not str(place).strip():
        raise ValueError("the path is empty: name a file or a folder")
    if _ADDRESS.match(str(place)):
        raise ValueError(f"{redacted(str(place))!r} is an address, and this is kept on this machine: give a path")
    return Path(place)


def check_replaceable(target: Path) -> None:
    """Refuse a device, a pipe or a folder, and a link to one: moved over `/dev/null`, a file would take its place.

    Raises:
        FileExistsError: something is there that is no regular file.
    """
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, "a folder, a device or a pipe is there; name a file", str(target))


def write_whole(target: Path, content: bytes) -> None:
    """Write a file under a temporary name next to its target and move it there.

    A new file gets the mode that `open` gives. A regular file that is replaced keeps its mode, and its owner and group
    if this process may set them. A symbolic link to one is replaced, never followed.

    Args:
        target: the path, in a folder that exists.
        content: the whole content.

    Raises:
        OSError: it cannot be written; what was there is unchanged.
    """
    check_replaceable(target)
    old = _regular(target)
    temporary = target.with_name(f".thoughtgraph-{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # The system applies the umask; reading it in Python would change it for all threads for a moment.
    handle = os.open(temporary, flags, 0o600 if old else 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if old:
            _like(temporary, old)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def append_whole(target: Path, content: bytes) -> None:
    """Append to a file.

    Args:
        target: the path; the file is created if it is missing.
        content: the whole content.

    Raises:
        OSError: it cannot be written; what was there is unchanged.
    """
    with target.open("ab", buffering=0) as file:
        end, left = file.tell(), content
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            file.truncate(end)
            raise


def _regular(target: Path) -> os.stat_result | None:
    try:
        found = target.lstat()
    except FileNotFoundError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _like(path: Path, old: os.stat_result) -> None:
    mode = old.st_mode & 0o777
    new = path.stat()
    if hasattr(os, "chown"):
        if new.st_gid != old.st_gid:
            try:
                os.chown(path, -1, old.st_gid)
            except OSError:
                # One group's permissions must not go to another group.
                mode &= 0o707 | (mode & 0o007) << 3
        if new.st_uid != old.st_uid:
            with suppress(OSError):
                os.chown(path, old.st_uid, -1)
    path.chmod(mode)
