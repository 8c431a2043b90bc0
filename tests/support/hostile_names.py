"""File names as a hostile or confused model gives them, and what saving under each may come to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from thoughtgraph.errors import UnsafeFileNameError
from thoughtgraph.models import GeneratedFile
from thoughtgraph.tools import save_file

_UP = ("..", ".", "a/..", "%2e%2e", "\uff0e\uff0e", "\u2025", "..;", "....")
_SLASHES = ("/", "\\", "//", "\\\\", "\uff0f", "\uff3c", "\u2044", "\u2215", "\u29f8", "\ufe68", "%2f/", "\0/")
_STARTS = (
    "/",
    "//",
    "\\\\",
    "\\\\?\\",
    "\\\\.\\",
    "C:",
    "c:\\",
    "Z:/",
    "file:",
    "file://",
    "~/",
    "~root/",
    "$HOME/",
    "-",
)
_DEVICES = (
    "con",
    "PRN",
    "Aux",
    "NUL",
    "com1",
    "COM9",
    "com\u00b9",
    "lpt1",
    "LPT\u00b3",
    "conin$",
    "CONOUT$",
    "\uff4e\uff55\uff4c",
)
_SUFFIXES = ("", ".txt", ".tar.gz", " ", " .py", ":", ".", ":stream")
_INVISIBLE = (
    *map(chr, (0, 1, 7, 8, 9, 10, 11, 12, 13, 27, 31, 127, 0x80, 0x85, 0x9B, 0x9F, 0xAD)),
    *map(chr, (0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202D, 0x202E, 0x2060, 0x2066, 0x2069)),
    *map(chr, (0x206F, 0x3164, 0xFEFF, 0xFFF9, 0xD800, 0xDCFF)),
)  # fmt: skip
_SPACES = (" ", "\u00a0", "\u3000", "\u2003", "\t", "\n")

FINE = (
    "a.txt", "README", ".gitignore", "a b.txt", "a..b.txt", "über.md", "文件：说明？.txt", "файл.py", "🎉.md",
    "👩\u200d🔬.md",
    "console.txt", "com10.txt", "nullable.py", "a,b;c=d.txt", "it's (1) [2] {3} #4 @5 +6 -7 !8.txt", "a" * 251 + ".txt",
    "__proto__", "constructor", "CON-text.md", "a`id`.txt", "x;rm -rf .txt", "a&&b.txt", "..a", "…a",
)  # fmt: skip


def refused_names() -> list[str]:
    """Names of which none may be written, each once."""
    names = [
        "",
        ".",
        "..",
        "...",
        " ",
        "\n",
        "~",
        "*",
        "?",
        "a|b",
        "a<b",
        "a>b",
        'a"b',
        "a$b",
        "%TEMP%",
        "-rf",
        "--help",
    ]
    names += [f"{up}{slash}{name}" for up in _UP for slash in _SLASHES for name in ("a.txt", "etc/passwd")]
    names += [f"{start}{name}" for start in _STARTS for name in ("a.txt", "etc/passwd")]
    names += [f"{device}{suffix}" for device in _DEVICES for suffix in _SUFFIXES]
    names += [f"a{mark}b.txt" for mark in _INVISIBLE] + [f"a.txt{mark}" for mark in _INVISIBLE]
    names += [f"{space}a.txt" for space in _SPACES] + [f"a.txt{space}" for space in _SPACES]
    names += [f"a{dot}" for dot in (".", "..", ". .", "\uff0e", "\u2024", "\u2026")]
    names += ["a" * 256, "ü" * 128, "文" * 86, "🎉" * 64, "a" * 100_000, f"{'../' * 3000}a"]
    return list(dict.fromkeys(names))


def random_names(chance: Random) -> Iterator[str]:
    """Names without end, put together from what is dangerous and what is not."""
    parts = [
        *_UP,
        *_SLASHES,
        *_STARTS,
        *_DEVICES,
        *_SUFFIXES,
        *_INVISIBLE,
        *_SPACES,
        "a",
        "b.txt",
        "passwd",
        "e\u0301",
        "文",
    ]
    while True:
        yield "".join(chance.choices(parts, k=chance.randint(1, 6)))


def saving_problem(name: str, folder: Path, *, refused: bool | None = None) -> str:
    """What went wrong when a name was saved under, "" for nothing: refused whole, or written whole and there alone.

    Args:
        name: of the file.
        folder: empty, in a folder of its own that is empty besides.
        refused: what has to come of it; None for either.
    """
    try:
        written = save_file(
            GeneratedFile(name, "text", "raw", {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}), folder
        )
    except UnsafeFileNameError as refusal:
        if refused is False:
            return f"{name[:60]!r} was refused: {refusal}"
        str(refusal).encode()
        left = tree(folder.parent)
        return "" if left == [folder.name] else f"{name[:60]!r} was refused and left {left}"
    except Exception as error:  # noqa: BLE001 - whatever else is raised is what is looked for
        return f"{name[:60]!r} raised {type(error).__name__}: {error}"
    left, whole = tree(folder.parent), written.read_text() == "text\n"
    written.unlink()
    if refused:
        return f"{name[:60]!r} was written"
    alone = left == sorted([folder.name, f"{folder.name}/{name}"])
    return "" if alone and whole and written == folder / name else f"{name[:60]!r} was written as {left}"


def tree(folder: Path) -> list[str]:
    """Everything below a folder, so that a stray temporary file shows, too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
