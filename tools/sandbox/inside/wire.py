"""Messages between the processes of one sandbox: a length, then the bytes."""

from __future__ import annotations

import marshal
import os
import sys
from _json import encode_basestring_ascii  # pyright: ignore[reportMissingModuleSource, reportUnknownVariableType, reportAttributeAccessIssue]
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Report = Callable[..., None]
_HEAD = 8
_LARGEST = 1 << 28


def send(descriptor: int, message: bytes) -> None:
    """Write one message."""
    _write(descriptor, len(message).to_bytes(_HEAD, "little") + message)


def _write(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def receive(descriptor: int) -> Any:
    """Read one message.

    Raises:
        EOFError: the other side is gone.
        ValueError: what came is no message.
    """
    size = int.from_bytes(_read(descriptor, _HEAD), "little")
    if size > _LARGEST:
        raise ValueError("not a message")
    return marshal.loads(_read(descriptor, size))


def _read(descriptor: int, size: int) -> bytes:
    read = bytearray()
    while len(read) < size:
        chunk = os.read(descriptor, min(size - len(read), 1 << 20))
        if not chunk:
            raise EOFError
        read += chunk
    return bytes(read)


def reporter(descriptor: int, secret: str) -> Callable[..., None]:
    """Writes reports to the program outside, a JSON object a line; the secret tells them from forged ones.

    A process that the code has forked and left to go on with the tests ends at its first report.
    """
    process = os.getpid()

    def report(**fields: str | int | bool) -> None:
        if os.getpid() != process:
            os._exit(0)
        # Without the module `json`, which takes longer to import than a verdict takes.
        parts = [f'"{name}":{_text(value)}' for name, value in {"secret": secret, **fields}.items()]
        _write(descriptor, b"\n{" + ",".join(parts).encode() + b"}\n")

    return report


def _text(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else encode_basestring_ascii(value)


def flush() -> None:
    """Bring what was printed on its way, before somebody reports."""
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - an import more
            stream.flush()
        except Exception:  # noqa: BLE001 - the candidate may have closed or replaced it
            pass
