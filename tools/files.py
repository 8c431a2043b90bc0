"""Saves what a model wrote, under a bare name inside one folder, whole or not at all."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._internal.atomic import write_whole
from ..errors import UnsafeFileNameError
from ..models.generate import GeneratedFile

_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{d}{n}" for d in ("com", "lpt") for n in (*range(10), *"¹²³")}
)
# Zero-width joiners stay: Persian and emoji need them.
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]"
)
_SLASHES = re.compile("[/\\\\\u2044\u2215\u2216\u29f5\u29f8\u29f9]")
_MAX_BYTES = 255


def save_file(result: GeneratedFile | Mapping[str, Any], folder: str | Path) -> Path:
    """Write a generated file into a folder.

    The file appears whole or not at all: it is written to a temporary file next to the target and then moved. It
    replaces a regular file of that name and keeps its mode, owner and group as far as this process is allowed to.

    Args:
        result: what `generate_with_retry` returned, or its dict from a graph's state.
        folder: the target folder; created if missing.

    Returns:
        The path of the written file.

    Raises:
        UnsafeFileNameError: the name is not a bare file name (`../x`, absolute paths, drive letters, NUL and control
            characters, device names such as `con.txt`), or a symlink or folder has it already. Nothing is written.
        ValueError: the result is a skip and has nothing to save.
    """
    if isinstance(result, GeneratedFile):
        name, content, reason = result.file_name, result.file_content, result.skip_reason
    else:
        name, content, reason = result.get("file_name"), result.get("file_content"), result.get("skip_reason")
    if name is None or content is None:
        raise ValueError(f"nothing to save: the model skipped the file ({reason or 'no reason given'})")
    check_file_name(name)
    target = Path(folder) / name
    if target.is_symlink():
        raise UnsafeFileNameError(name, "there is a symbolic link of that name")
    if target.exists() and not target.is_file():
        raise UnsafeFileNameError(name, "there is something of that name that is not a regular file")
    written = (content if content.endswith("\n") else content + "\n").encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, written)
    return target


def check_file_name(name: str) -> None:
    """Refuse a name that is not a bare file name on every system.

    Raises:
        UnsafeFileNameError: the message says what is wrong with the name.
    """
    reason = _refusal(name)
    if reason:
        raise UnsafeFileNameError(name, reason)


def _refusal(name: str) -> str | None:
    if not name or name != name.strip():
        return "the name is empty or starts or ends with white space"
    if _CONTROL.search(name):
        return "the name holds NUL, control, direction or invisible characters"
    try:
        encoded = name.encode("utf-8")
    except UnicodeEncodeError:
        return "the name is not valid Unicode"
    if len(encoded) > _MAX_BYTES:
        return f"the name is longer than {_MAX_BYTES} bytes"
    # Read the name as a file system does that folds look-alikes: full-width slashes and dots, ligatures of dots.
    folded = unicodedata.normalize("NFKC", name)
    if folded in (".", "..") or folded.endswith("."):
        return "the name is a folder reference or ends with a dot"
    if _SLASHES.search(folded):
        return "the name is a path"
    if name.startswith("-"):
        return "the name starts with a dash, which commands take for an option"
    if any(mark in name for mark in ':*?"<>|~$%'):
        return "the name holds a drive letter or a character that shells or file systems interpret"
    if folded.split(".")[0].strip().lower() in _DEVICES:
        return "the name is a device"
    return None
