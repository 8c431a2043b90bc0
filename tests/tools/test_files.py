"""Saving what a model wrote: a bare name, inside the folder, whole or not at all."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from support.scripted import ScriptedModel
from thoughtgraph import ThoughtGraphError, generate_with_retry
from thoughtgraph.errors import UnsafeFileNameError
from thoughtgraph.models import GeneratedFile
from thoughtgraph.tools import save_file

HOSTILE = {
    "empty": "",
    "space": " ",
    "line-end": "\n",
    "leading-space": " a.txt",
    "trailing-space": "a.txt ",
    "trailing-line-end": "a.txt\n",
    "no-break-space": "a.txt\u00a0",
    "dot": ".",
    "dot-dot": "..",
    "three-dots": "...",
    "trailing-dot": "a.txt.",
    "trailing-dots": "a..",
    "parent": "../a.txt",
    "parents": "../../../../etc/passwd",
    "parent-inside": "a/../../a.txt",
    "subfolder": "sub/a.txt",
    "here": "./a.txt",
    "trailing-slash": "a/",
    "absolute": "/etc/passwd",
    "absolute-tmp": "/tmp/a.txt",
    "double-slash": "//server/share",
    "home": "~/a.txt",
    "home-short": "~",
    "home-of-root": "~root",
    "backslash": "a\\b.txt",
    "backslash-parent": "..\\a.txt",
    "unc-path": "\\\\server\\share\\a.txt",
    "verbatim-path": "\\\\?\\C:\\a.txt",
    "drive": "C:\\a.txt",
    "drive-slash": "C:/a.txt",
    "drive-relative": "C:a.txt",
    "drive-alone": "c:",
    "stream": "a.txt:hidden",
    "stream-data": "a.txt::$DATA",
    "url": "file:///etc/passwd",
    "nul": "\0",
    "nul-inside": "a\0.txt",
    "nul-extension": "a.txt\0.png",
    "line-inside": "a\nb.txt",
    "carriage-return": "a\rb.txt",
    "tab": "a\tb.txt",
    "escape": "a\x1b[2J.txt",
    "delete": "a\x7f.txt",
    "second-control": "a\x85.txt",
    "right-to-left-override": "a\u202etxt.exe",
    "left-to-right-embedding": "a\u202ab.txt",
    "isolate": "a\u2066b.txt",
    "right-to-left-mark": "a\u200fb.txt",
    "arabic-letter-mark": "a\u061cb.txt",
    "line-separator": "a\u2028b.txt",
    "paragraph-separator": "a\u2029b.txt",
    "surrogate": "a\ud800.txt",
    "surrogate-escape": "a\udcff.txt",
    "device-con": "CON",
    "device-con-extension": "con.txt",
    "device-nul": "nul",
    "device-nul-extensions": "NUL.tar.gz",
    "device-aux": "Aux.py",
    "device-prn": "prn",
    "device-com": "COM1.log",
    "device-com-superscript": "com\u00b9.txt",
    "device-lpt": "lpt9",
    "device-space": "con .txt",
    "device-conin": "CONIN$",
    "star": "*.txt",
    "question": "a?.txt",
    "quote": 'a".txt',
    "less": "a<b.txt",
    "greater": "a>b.txt",
    "pipe": "a|b.txt",
    "variable": "$HOME.txt",
    "percent-variable": "%TEMP%.txt",
    "percent-slash": "..%2fa.txt",
    "too-long": "a" * 256,
    "too-long-in-bytes": "ü" * 128,
    "huge": "a" * 100_000,
}
FINE = [
    "a.txt", "README", ".gitignore", "a b.txt", "a..b.txt", "über.md", "文件.txt", "файл.py", "🎉.md", "console.txt",
    "com10.txt", "nullable.py", "a,b;c=d.txt", "it's (1) [2] {3} #4 @5 +6 -7 !8.txt", "a" * 251 + ".txt",
]  # fmt: skip


def generated(name: str | None, content: str | None = "text") -> GeneratedFile:
    return GeneratedFile(name, content, "raw", {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2})


def names(folder: Path) -> list[str]:
    """Everything below a folder, so that a stray temporary file shows, too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty target folder inside an otherwise empty one."""
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


@pytest.mark.parametrize("name", [pytest.param(name, id=key) for key, name in HOSTILE.items()])
def test_hostile_name_is_refused_and_nothing_is_written(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(UnsafeFileNameError) as caught:
        save_file(generated(name), folder)
    assert caught.value.file_name == name
    assert isinstance(caught.value, ThoughtGraphError)
    assert len(str(caught.value)) < 600
    assert names(folder.parent) == ["target"]


def test_refusal_of_a_name_creates_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UnsafeFileNameError):
        save_file(generated("../a.txt"), tmp_path / "new")
    assert names(tmp_path) == []


def test_refusal_says_what_is_wrong_in_printable_text(folder: Path) -> None:
    with pytest.raises(
        UnsafeFileNameError, match=r"refused to write 'a\\x1bb': .*control.* Only a bare file name"
    ) as caught:
        save_file(generated("a\x1bb"), folder)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", FINE)
def test_bare_name_is_saved_under_that_name(folder: Path, name: str) -> None:
    path = save_file(generated(name, "text\n"), folder)
    assert path == folder / name
    assert path.read_text(encoding="utf-8") == "text\n"
    assert names(folder) == [name]


@pytest.mark.parametrize(
    ("content", "stored"),
    [
        pytest.param("a", b"a\n", id="line-end-added"),
        pytest.param("a\n", b"a\n", id="line-end-kept"),
        pytest.param("a\n\n", b"a\n\n", id="blank-line-kept"),
        pytest.param("ü 文 🎉", "ü 文 🎉\n".encode(), id="utf-8"),
        pytest.param("a\nb\n", b"a\nb\n", id="unix-line-ends"),
        pytest.param("  a\t\n", b"  a\t\n", id="white-space-kept"),
    ],
)
def test_content_is_stored_as_utf_8_with_a_last_line_end(folder: Path, content: str, stored: bytes) -> None:
    assert save_file(generated("a.txt", content), folder).read_bytes() == stored


def test_folder_is_created_and_may_be_given_as_text(tmp_path: Path) -> None:
    path = save_file(generated("a.txt"), str(tmp_path / "new" / "deeper"))
    assert path == tmp_path / "new" / "deeper" / "a.txt"
    assert names(tmp_path) == ["new", "new/deeper", "new/deeper/a.txt"]


def test_regular_file_is_replaced_whole(folder: Path) -> None:
    (folder / "a.txt").write_text("a much longer text than the new one\n")
    save_file(generated("a.txt", "new"), folder)
    assert (folder / "a.txt").read_text() == "new\n"
    assert names(folder) == ["a.txt"]


def test_replacing_leaves_other_links_to_the_old_file_alone(folder: Path, tmp_path: Path) -> None:
    """A hard link is another way out of the folder."""
    outside = tmp_path / "outside.txt"
    outside.write_text("old")
    os.link(outside, folder / "a.txt")
    save_file(generated("a.txt", "new"), folder)
    assert outside.read_text() == "old"


@pytest.mark.parametrize("target", ["outside.txt", "missing.txt", "target", "target/a.txt", "/dev/null"])
def test_symlink_is_refused_and_its_target_untouched(folder: Path, tmp_path: Path, target: str) -> None:
    (tmp_path / "outside.txt").write_text("old")
    (folder / "a.txt").symlink_to(tmp_path / target)
    with pytest.raises(UnsafeFileNameError, match="symbolic link"):
        save_file(generated("a.txt", "new"), folder)
    assert (tmp_path / "outside.txt").read_text() == "old"
    assert names(tmp_path) == ["outside.txt", "target", "target/a.txt"]


def test_folder_of_the_name_is_refused(folder: Path) -> None:
    (folder / "a.txt").mkdir()
    with pytest.raises(UnsafeFileNameError, match="not a regular file"):
        save_file(generated("a.txt"), folder)
    assert names(folder) == ["a.txt"]


def test_pipe_of_the_name_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "a.txt")
    with pytest.raises(UnsafeFileNameError, match="not a regular file"):
        save_file(generated("a.txt"), folder)
    assert names(folder) == ["a.txt"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "ctrl-c"])
@pytest.mark.parametrize("old", ["old", None], ids=["replacing", "new"])
def test_failed_write_leaves_what_was_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, old: str | None
) -> None:
    def fail(_: int) -> None:
        raise error

    if old:
        (folder / "a.txt").write_text(old)
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        save_file(generated("a.txt", "new"), folder)
    assert {path.name: path.read_text() for path in folder.iterdir()} == ({"a.txt": old} if old else {})


def test_text_that_is_not_unicode_leaves_no_file(folder: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        save_file(generated("a.txt", "good \ud800 bad"), folder)
    assert names(folder) == []


def test_file_is_not_executable(folder: Path) -> None:
    assert not save_file(generated("a.sh", "#!/bin/sh"), folder).stat().st_mode & 0o111


def test_skipped_file_cannot_be_saved_and_says_why(folder: Path) -> None:
    skipped = GeneratedFile(None, None, "SKIPPED: none", generated("a").usage, True, "nothing to write")
    with pytest.raises(ValueError, match=r"nothing to save: .*nothing to write"):
        save_file(skipped, folder)
    assert names(folder) == []


@pytest.mark.parametrize(
    "state", [{}, {"file_name": None, "file_content": None}, {"file_name": "a.txt"}, {"file_content": "text"}]
)
def test_incomplete_state_is_nothing_to_save(folder: Path, state: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="nothing to save"):
        save_file(state, folder)
    assert names(folder) == []


def test_empty_content_is_a_file(folder: Path) -> None:
    """An empty file was generated; only a missing one was skipped."""
    assert save_file(generated("__init__.py", ""), folder).exists()


def test_dict_from_a_state_is_saved_like_the_result(folder: Path) -> None:
    assert save_file(asdict(generated("a.txt", "text")), folder).read_text() == "text\n"


def test_dict_from_a_state_is_checked_like_the_result(folder: Path) -> None:
    with pytest.raises(UnsafeFileNameError):
        save_file(asdict(generated("../a.txt")), folder)
    assert names(folder.parent) == ["target"]


def test_name_from_a_model_is_checked(folder: Path) -> None:
    """From the reply to the folder: the name that the model gave is the one that is refused."""
    model = ScriptedModel(replies=["```path\n../../evil.md\n```\n\n```markdown\nHello.\n```"])
    with pytest.raises(UnsafeFileNameError) as caught:
        save_file(generate_with_retry(model, "write", "markdown"), folder)
    assert caught.value.file_name == "../../evil.md"
    assert names(folder.parent) == ["target"]
