"""A verifier that runs a command over the answer in the sandbox."""

from __future__ import annotations

import os
import re
import shlex
import sysconfig
from collections.abc import Sequence
from itertools import product
from os import PathLike, fspath
from pathlib import Path
from shutil import which
from typing import cast

from ..._internal.fences import fenced, find_fences
from ..._internal.numbers import check_kind, items_of
from ...parsers.contract import ParseDict, any_text, success
from ...parsers.wrapping import split_think
from ..files import check_file_name
from ..sandbox.limits import SandboxLimits, SandboxVerdict, as_limits
from ..sandbox.running import run_command
from ..verdict import FormattedVerifier, Verdict
from .file_blocks import PLAIN, PROSE, file_block

_SHOWN_OUTPUT = 1_500
_LONGEST_NAME = 200
_INSTRUCTIONS = """\
Answer with one fenced block that holds the whole content of the file `{file}`, and write nothing else.

Example. For the task "Write a file that holds the word hello." you answer:

```
hello
```"""
_WIDE = (
    "The file is the whole answer, with the fences and all words around them. If only the block is meant, write it and "
    "nothing else."
)
_ENDED = {
    "timeout": "did not finish in time",
    "memory": "used more memory than allowed",
    "output_limit": "printed more than allowed",
}


_UNFOUND = (126, 127)
"""What shells exit with that cannot start a program."""
_LACKS = tuple(
    (re.compile(pattern), advice)
    for pattern, advice in (
        (
            r"(?:# )?(?:Fatal process (?:OOM in|out of memory:) Failed to reserve|Could not reserve enough space for"
            r"|fatal error: failed to reserve|runtime: cannot reserve) ",
            "It needs room for more than memory_mb={memory}: give SandboxLimits(memory_mb=4096), say",
        ),
        (
            r"(?=.*(?:/dev/fd/|/dev/std(?:in|out|err)\b|/proc\b))"
            r".*(?i:No such file|not found|available|(?:cannot|can't|could not) open)",
            "The sandbox has no /proc, and with it no /dev/stdin and no <(…): let the command read files or a pipe",
        ),
        (
            r".*: error while loading shared libraries: ",
            "The sandbox has no /proc, by which a program finds libraries that lie beside it, and of others what "
            "`readable` names: name their folder there, and in LD_LIBRARY_PATH by `env`",
        ),
        (
            r".*: No module named '?[\w.]+'?$",
            "The command has the Python environment that runs thoughtgraph: install it there",
        ),
        (
            r"Can't locate \S+ in @INC|Error: Cannot find module |.*: cannot load such file -- ",
            "The sandbox has the modules that lie in /usr: name the folders of others in `readable`, and give them to "
            "the command",
        ),
        (
            r".*(?:Network is unreachable|failure in name resolution|Could not resolve host|EAI_AGAIN)",
            "The sandbox has no network: let the command do without",
        ),
    )
)
"""What programs say that lack something, such as node, Java and Go of memory to start in; and what to do about it."""
_FENCED = re.compile(r"\s*(?:```|~~~)")
_ABSENT = re.compile(
    r"no such file|not found|does not exist|permission denied|(?:cannot|can't|could not) open", re.IGNORECASE
)
_UNSTARTED = re.compile(
    r"\S+: (?:line )?\d+: ([^\s:]+): (?:command )?not found|\S*\benv: \W(\S+)\W: No such file or directory"
)
_PATH = re.compile(r"(?<=[\s'\"`\u2018(=])/[^\s:,;'\"`\u2019()]+")
_LOOKED_FOR = ("/etc/", "/proc/", "/sys/", "/dev/", "/run/", "/var/", "/usr/")
"""Where programs look by themselves for what they can do without, and what the sandbox has."""


class CommandVerifier(FormattedVerifier):
    """Verifies an answer by running a command over it in the sandbox: exit status 0 passes.

    The answer is written to a file in the folder in which the command starts. The command sees that folder, the
    system's programs in `/usr`, this environment of Python, and what `readable` names, all but the folder read-only; no
    home, no network, no environment variables. The actor reads the exit status and the end of what the command printed.
    If the sandbox cannot run it, the verdict is `"unverified"`; so it is where the command itself, a shell or a wrapper
    script, does not find a program that it starts, a module of Python's or a file that `readable` would have to name,
    is left too little memory to start in, or needs what the sandbox does not have: a network, or `/proc`, as
    `/dev/stdin` and `<(…)` do. Where it looks like that, the command is run once more over an empty file: what it says
    there, too, is not the answer's doing.

    If the command executes the answer (`python answer.py`), the answer chooses the exit status: use `PythonTests`.

    Args:
        command: the program and its arguments; no shell. A program without a path is searched in this environment of
            Python, and then in `PATH`.
        file: the name of the answer's file, which the command's arguments may name.
        limits: time, memory, output and processes of one run. Some programs reserve far more memory than they use:
            node needs `SandboxLimits(memory_mb=4096)`, say.
        readable: files and folders that the command needs besides, such as a configuration; name them by their
            absolute paths in the command. If this program runs as root, everyone has to be allowed to read them.

    Attributes:
        instructions: asks for one fenced block.
        criteria: the command.

    Raises:
        ValueError: the command is empty, a single string, no text, or its program is not found; something `readable`
            does not exist; or `limits` are none.
        UnsafeFileNameError: `file` is not a bare file name.

    Example:
        >>> verify = CommandVerifier(["grep", "-q", "tea", "answer.txt"])
        >>> verify("Write about tea.", "I like tea.").status
        'passed'
    """

    def __init__(
        self,
        command: Sequence[str | PathLike[str]],
        *,
        file: str = "answer.txt",
        limits: SandboxLimits | None = None,
        readable: Sequence[str | PathLike[str]] = (),
    ) -> None:
        words = _words(command)
        check_kind("file", file, str, "a file's name")
        check_file_name(file)
        # A `python` in `PATH` may be a wrapper that looks for others where the sandbox has nothing.
        program = which(words[0], path=sysconfig.get_path("scripts")) or which(words[0])
        if program is None:
            what = "is not found: install it, or give its path"
            if Path(words[0]).exists():
                what = "is no program: give a file that may be executed (`chmod +x`)"
            raise ValueError(f"the program {words[0]!r} of the command {what}")
        paths = items_of("readable", readable, "a list of files and folders")
        absent = [str(path) for path in paths if not Path(path).exists()]
        if absent:
            raise ValueError(f"the command is to read {', '.join(absent)}, which does not exist")
        self.limits = as_limits(limits)
        self.instructions = _INSTRUCTIONS.format(file=file)
        self._shown = shlex.join(words)
        self.criteria = f"It is saved as `{file}`, and then `{self._shown}` has to succeed."
        self._file = file
        self._command = [str(Path(program).absolute()), *words[1:]]
        # The program itself, for one that lies outside of what every command may read.
        self._readable = tuple(str(Path(path).absolute()) for path in (*paths, self._command[0]))

    def parse(self, raw_reply: str, /) -> ParseDict:
        """Parse a reply: the block with the file's name beside its tag, in the line above or in a remark at its top, or
        else one whose tag fits the file, such as `python` for `a.py`, with all that is inside it.

        Of several it is the longest that does not import or run the file, or a later version of it, with most of its
        words; a Python file also gets what it needs of other blocks. Without one it is a block whose tag is not that of
        another file, such as `postgresql` for `a.sql`, and then any, those with commands and outputs last; or the whole
        reply if it has none, or is a Markdown file itself.
        A file of plain text (`.txt`, `.rst`) without a block of its kind is the whole reply, unless that is one block
        with one line before it at most.
        """
        reply = split_think(raw_reply.replace("\r\n", "\n"))[1]
        block = file_block(reply, self._file)
        return any_text(reply) if block is None else success(f"{block}\n")

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Run the command over an answer: what the file holds, or, but for a text, a reply that begins with it."""
        if _FENCED.match(answer) and not self._file.lower().endswith(PROSE):
            # As a scorer of others' replies it is called with a whole one.
            answer = str(self.parse(answer).get("content"))
        try:
            answer.encode()
        except UnicodeEncodeError as odd:
            return Verdict(
                "failed", f"The answer cannot be saved as UTF-8: {odd.reason}.", kind="error", failed_on="form"
            )
        # A plain text is the whole reply where it might have been a block of it.
        is_wide = self._file.lower().endswith(PLAIN) and find_fences(answer)
        return self._verdict(self._run(answer), _WIDE if is_wide else "")

    def _run(self, answer: str) -> SandboxVerdict:
        return run_command(self._command, {self._file: answer}, self.limits, self._readable)

    def _verdict(self, result: SandboxVerdict, note: str = "") -> Verdict:
        printed = _end_of(result.output.strip())
        details = {"status": result.status, "reason": result.reason, "output": printed, "seconds": result.seconds}
        why = result.reason if result.status == "unsupported" else self._why_unrun(result)
        if why:
            return Verdict("unverified", f"The command could not be run: {why}", None, "unsupported", details)
        if result.status == "passed":
            return Verdict("passed", details=details)
        ended = _ENDED.get(result.status) or result.reason.removeprefix("The command ").rstrip(".")
        said = f" It printed:\n{fenced(printed)}" if printed else " It printed nothing."
        named = self._shown if len(self._shown) <= _LONGEST_NAME else f"{self._shown[:_LONGEST_NAME]}…"
        feedback = f"`{named}` {ended}.{said}\n{note}".rstrip()
        return Verdict("failed", feedback, 0.0, result.status, details)

    def _why_unrun(self, result: SandboxVerdict) -> str:
        """What kept the command itself from running, which is nothing that the answer can mend; "" for nothing."""
        why = self._suspected(result)
        if not why:
            return ""
        # An answer may hold the same words, or be run itself and say them. It has no part in a run without it.
        without = self._run("")
        return why if (without.reason, self._suspected(without)) == (result.reason, why) else ""

    def _suspected(self, result: SandboxVerdict) -> str:
        """What seems to have kept the command from running, by what was printed; the answer may have chosen that."""
        lines = result.output.splitlines() if result.status in ("failed", "error") else []
        for line, (pattern, advice) in product(lines, _LACKS):
            if pattern.match(line):
                return f"{line.strip('# ')}. {advice.format(memory=self.limits.memory_mb)}"
        # A command that goes on, as after a warning, says something else behind it.
        said = next((line for line in reversed(lines) if line.strip()), "")
        if _misses_what_is_here(said):
            return (
                f"{said}. This machine has it, and the sandbox cannot read it: name it in `readable`, and give a "
                "program by its path"
            )
        own = (line for line in lines if line.startswith(f"{self._command[0]}: "))
        said = next((line for line in own if self._file not in line), "")
        if not said or not any(result.reason.endswith(f" {status}.") for status in _UNFOUND):
            return ""
        return (
            f"{said}. In the sandbox there are the system's programs, this environment of Python and what `readable` "
            "names: name what is missing there, or the program that a wrapper would start"
        )


def _end_of(output: str) -> str:
    """The end of what was printed, from the beginning of a line on if there is one."""
    if len(output) <= _SHOWN_OUTPUT:
        return output
    cut = output[-_SHOWN_OUTPUT:]
    rest = cut.partition("\n")[2]
    return f"…\n{rest or cut}"


def _misses_what_is_here(line: str) -> bool:
    """Whether a line tells the lack of a file or a program that there is outside of the sandbox."""
    if not _ABSENT.search(line):
        return False
    if found := _UNSTARTED.fullmatch(line):
        return which(found[1] or found[2]) is not None
    paths = [path.rstrip(".") for path in _PATH.findall(line) if not path.startswith(_LOOKED_FOR)]
    # The answer may have had to write a file to /tmp.
    return bool(paths) and Path(paths[-1]).parent != Path("/tmp") and which(paths[-1], mode=os.F_OK) is not None


def _words(command: Sequence[str | PathLike[str]]) -> list[str]:
    """The words of a command.

    Raises:
        ValueError: there are none, or one is no text that a program can be given.
    """
    given = items_of("the command", command, "a list of a program and its arguments")
    if not given:
        raise ValueError("the command is a list of a program and its arguments, and it is empty")
    words: list[str] = []
    for word in cast("tuple[str | PathLike[str], ...]", given):
        try:
            words.append(fspath(word))
        except TypeError:
            raise ValueError(f"the command is a list of texts, and one of them is {word!r}") from None
        if "\0" in words[-1]:
            raise ValueError(f"the command is a list of texts without null characters, got {words[-1]!r}")
    return words
