"""Notes an SQLite file's commits in a second file, outside its write-ahead log.

A commit stays in that log until SQLite moves it into the database file. If a killed process's log is lost or damaged,
SQLite reads the older state that is left and reports no error. So this file also records the number of each thread's
last commit. If the database has a lower number, commits were lost.

The note is not flushed to disk, which would double the cost of a commit. It survives any end of a process. After a
system crash it holds what the system had written by then, which may lag the log but is never ahead of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from struct import Struct
from zlib import crc32

# Length of the thread's id, number, deleted; inodes of the database and of the note, and the schema's version.
_HEAD = Struct("<HQ?QQI")
_SUM = Struct("<I")
_LONGEST_ID = 0xFFFF
_REMEMBERED_THREADS = 10_000


@dataclass(frozen=True, slots=True)
class Commit:
    """The last known commit of a thread; `deleted` if it removed the thread."""

    number: int
    deleted: bool


class Witness:
    """The note of one database file, with one slot per thread and process; each process overwrites its own slots.

    Errors in writing it are ignored, because they are not a reason to refuse a commit.

    Args:
        database: the SQLite file.
    """

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}-commits")
        self.log = database.with_name(f"{database.name}-wal")
        self._database = database
        self._file: FileIO | None = None
        self._schema = 0
        self._inodes = 0, 0
        self._places: dict[str, int] = {}

    def read(self, schema: int) -> dict[str, Commit]:
        """The last commit of each thread, by its id.

        Returns none if the database is not the one that was noted, but a backup or a new file in its place.

        Args:
            schema: the version of the database's schema, which changes when SQLite makes a copy.
        """
        try:
            content, inode, of_database = self.path.read_bytes(), _inode(self.path), _inode(self._database)
        except OSError:
            return {}
        commits: dict[str, Commit] = {}
        place = 0
        while place + _HEAD.size <= len(content):
            length, number, deleted, database, own, version = _HEAD.unpack_from(content, place)
            end = place + _HEAD.size + length
            if content[end : end + _SUM.size] != _SUM.pack(crc32(content[place:end])):
                break
            thread_id = content[place + _HEAD.size : end].decode("utf-8", "surrogatepass")
            # If the whole folder was copied, both inodes differ, and the note is still valid.
            same = version == schema and (database == of_database or own != inode)
            if same and number > commits.get(thread_id, Commit(0, deleted=False)).number:
                commits[thread_id] = Commit(number, deleted)
            place = end + _SUM.size
        return commits

    def reserve(self, thread_id: str, schema: Callable[[], int]) -> None:
        """Reserve a slot for a thread, or close the note on errors; only one process at a time may call this."""
        with suppress(OSError):
            if self._file is None or _inode(self.path) != self._inodes[1]:
                self._open(schema())
            if thread_id not in self._places and self._file:
                place = self._file.seek(0, os.SEEK_END)
                self._file.write(self._slot(thread_id, 0, deleted=False))
                self._places[thread_id] = place
                if len(self._places) > _REMEMBERED_THREADS:
                    del self._places[next(iter(self._places))]
            return
        self.close()

    def note(self, thread_id: str, number: int, *, deleted: bool) -> None:
        """Note a commit after it is made."""
        place = self._places.get(thread_id)
        if self._file and place is not None:
            with suppress(OSError):
                self._file.seek(place)
                self._file.write(self._slot(thread_id, number, deleted=deleted))

    def close(self) -> None:
        """Close the note but keep the file."""
        self._places.clear()
        if self._file:
            self._file.close()
            self._file = None

    def discard(self) -> None:
        """Remove the note."""
        self.close()
        with suppress(OSError):
            self.path.unlink()

    def _open(self, schema: int) -> None:
        self.close()
        of_database = self._database.stat()

        def opened(path: str, _: int) -> int:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            # Anyone who may write the database may write the note.
            return os.open(path, flags, of_database.st_mode & 0o666)

        self._file = FileIO(str(self.path), "r+", opener=opened)
        self._schema, self._inodes = schema, (of_database.st_ino, _inode(self.path))

    def _slot(self, thread_id: str, number: int, *, deleted: bool) -> bytes:
        name = thread_id.encode("utf-8", "surrogatepass")
        if len(name) > _LONGEST_ID:
            raise OSError(f"a thread id of {len(name)} bytes has no slot")
        slot = _HEAD.pack(len(name), number, deleted, *self._inodes, self._schema) + name
        return slot + _SUM.pack(crc32(slot))


def _inode(path: Path) -> int:
    return path.stat().st_ino & 0xFFFF_FFFF_FFFF_FFFF
