"""Splits a slash line into command, order, text, options and ids, tolerant of how people and small models write."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ..._internal.texts import Language
from ...errors import CommandError
from ..dates.when import When, read_when
from ..dates.words import fold
from .texts import text

MAX_TEXT = 500
_MAX_LINE = 4_000

_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

_ORDERS = {
    "add": "add new create 添加 新增 新建",
    "list": "list ls 列表 列出",
    "show": "show 查看",
    "done": "done complete completed finish finished check mark tick 完成",
    "undo": "undo reopen 撤销",
    "edit": "edit update change move reschedule modify rename postpone 修改 编辑 推迟",
    "rm": "rm delete remove del cancel bin trash scrap erase discard 删除 取消",
    "find": "find search 查找 搜索",
    "clear": "clear 清除",
    "next": "next",
    "help": "help 帮助",
}
ORDERS = {word: order for order, words in _ORDERS.items() for word in words.split()}
"""Every word for an order, in lower case → the order it stands for."""

OPTIONS = {
    "due": "due",
    "tag": "tag",
    "tags": "tag",
    "priority": "priority",
    "at": "at",
    "when": "at",
    "for": "for",
    "duration": "for",
    "place": "place",
    "location": "place",
}
"""Every name of an option → the one that it stands for."""
# Text in double quotes may look like an option; after a single dash, only a known name is an option.
_OPTION = re.compile(
    rf'(?<!\S)"[^"]*"(?!\S)|(?<!\S)(?:--(?P<any>[a-z][a-z-]*)|-(?P<known>{"|".join(OPTIONS)}))'
    r"(?:\s*[=:]|(?=[\u4e00-\u9fff])|(?!\S))",
    re.IGNORECASE,
)
VALUE = r"(?:(?!\s--).)+"
"""A pattern of what there is before the next option."""
NEW_TODO = re.compile(r"/?\s*todo\s+add\b", re.IGNORECASE)
NEW_APPOINTMENT = re.compile(r"/?\s*schedule\s+add\b", re.IGNORECASE)
_JOINED = re.compile(r"\s*([a-zA-Z]+|添加|新增|新建)(?=[\u4e00-\u9fff])")
_COMMAND = re.compile(r"/(?:todo|schedule|view)\b", re.IGNORECASE)
_NEXT_COMMAND = re.compile(
    rf"^(\W*(?:(?:todo|schedule|view)\s+)?(?:{'|'.join(ORDERS)})\s+(?!/)\S.*?)['\"]?(?:\s*[,;|&]+|\s+and)?\s+['\"]?"
    rf"/(?:todo|schedule|view)\s+(?:{'|'.join(ORDERS)})\b.*",
    re.IGNORECASE,
)
_IDS = re.compile(r"#?\d+(?:(?:\s*(?:[,、和]|\band\b)\s*(?:and\s+)?|\s+)#?\d+)*")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of the text after an order.

    Attributes:
        text: everything outside the options, on one line.
        options: option → its values in order.
    """

    text: str
    options: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def option(self, name: str) -> str | None:
        """The value of an option that may be given once."""
        return next(iter(self.options.get(name, [])), None)


def one_line(line: str) -> str:
    """A line with a space in place of every invisible character: line ends, control and direction characters."""
    return _INVISIBLE.sub(" ", line).strip()


def first_command(line: str, said: str) -> str:
    """The first of several commands, on one line: a small model writes one for each step that it plans.

    Args:
        line: as the model wrote it.
        said: the user's words, which may have a command in them.

    Example:
        >>> first_command("/todo rm bread; /todo add two rolls", "no bread, but two rolls")
        '/todo rm bread'
    """
    return line if _COMMAND.search(said) else _NEXT_COMMAND.sub(r"\1", one_line(line))


def next_word(line: str) -> tuple[str, str]:
    """The first word, folded and in lower case, and the rest of the line unchanged; an order is one before Chinese
    characters, too, where no space is usual."""
    folded = fold(line)
    word = re.match(r"\s*(\S*)\s*", folded)
    assert word is not None
    if (joined := _JOINED.match(folded)) and joined[1].casefold() in ORDERS:
        word = joined
    return word[1].casefold(), line[word.end() :]


def parted(line: str) -> tuple[str, str, str]:
    """The kind, the order by its usual name and the details of a command: `("todo", "rm", "milk")` of
    `/todo delete milk`; "" for an order that there is not."""
    kind, rest = next_word(line.removeprefix("/"))
    word, details = next_word(rest)
    return kind, ORDERS.get(word.rstrip(":,"), ""), details


def check_length(line: str, language: Language) -> None:
    """Refuse a line that is longer than any command needs.

    Raises:
        CommandError: it is longer than 4,000 characters.
    """
    if len(line) > _MAX_LINE:
        raise CommandError(line, text(language, "agenda.too_long", limit=MAX_TEXT, length=len(line)))


def options_of(
    rest: str, allowed: Mapping[str, Callable[[str], int] | None], language: Language, *, text_may_follow: bool = False
) -> Parts:
    """Separate the text from the options, which may be anywhere.

    A value extends to the next option. If the text may follow and has not started yet, as in
    `--due tomorrow buy milk`, the option's function says where the value ends.

    Args:
        rest: the text after the order.
        allowed: option → a function that gives the length of the value at the start of a text, or None if the value
            always extends to the next option.
        language: of the error messages.
        text_may_follow: whether the text may come after the first value.

    Raises:
        CommandError: an option is unknown, has no value, or is given twice.
    """
    marks = [mark for mark in _OPTION.finditer(fold(rest)) if mark["any"] or mark["known"]]
    starts = [*(mark.start() for mark in marks), len(rest)]
    pieces = [rest[: starts[0]].strip()]
    options: dict[str, list[str]] = {}
    for mark, end in zip(marks, starts[1:], strict=True):
        name = OPTIONS.get((mark["any"] or mark["known"]).casefold(), "")
        if name not in allowed:
            known = ", ".join(f"--{option}" for option in allowed) or "-"
            raise CommandError(rest, text(language, "agenda.unknown_option", option=mark[0].strip(" =:"), known=known))
        value = rest[mark.end() : end].strip()
        if not unquoted(value):
            raise CommandError(rest, text(language, "agenda.empty_option", option=f"--{name}"))
        length = allowed[name]
        if text_may_follow and length and not any(pieces) and (taken := length(value)):
            pieces.append(value[taken:].strip())
            value = value[:taken]
        if name in options and name != "tag":
            raise CommandError(rest, text(language, "agenda.option_twice", option=f"--{name}"))
        options.setdefault(name, []).append(unquoted(value))
    return Parts(unquoted(" ".join(filter(None, pieces))), options)


def option(names: str, value: str = VALUE) -> re.Pattern[str]:
    """An option in a line as models write it, such as `--at=friday`; groups: `mark` for all before the value, `name`,
    and `value`.

    Args:
        names: patterns of its names, with `|` between them.
        value: a pattern of the value; without one it extends to the next option.
    """
    return re.compile(rf"(?P<mark>(?<!\S)--(?P<name>{names})[\s=:]+)(?P<value>{value})", re.IGNORECASE)


AT, FOR, DATED, MOMENT = option("at|when"), option("for|duration"), option("due|at"), option("at|due|when")
"""The options of times, by the names that models give them."""


def option_value(line: str, of: re.Pattern[str]) -> str | None:
    """The value of the first such `option` in a line; None if there is none."""
    found = of.search(line)
    return found["value"].strip() if found else None


def moment_of(line: str, of: re.Pattern[str], now: datetime) -> When | None:
    """The moment in the first such `option` of a line; None if there is none, or none that can be read."""
    value = option_value(line, of)
    return read_when(value, now) if value else None


def with_value(line: str, of: re.Pattern[str], value: str) -> str:
    """A line with another value of the first such `option`."""
    return of.sub(lambda found: f"{found['mark']}{value}", line, count=1)


def without_option(line: str, of: re.Pattern[str]) -> str:
    """A line without each such `option`, and without the spaces before it."""
    return re.sub(rf"\s*{of.pattern}", "", line, flags=re.IGNORECASE)


def unquoted(value: str) -> str:
    """A text with single spaces, without a pair of quotes around all of it."""
    value = " ".join(value.split())
    folded = fold(value)
    quote = folded[:1]
    if len(value) < 2 or quote not in "\"'`" or folded[-1] != quote:
        return value
    # An apostrophe is inside a word; any other quote inside would make it two quoted texts.
    return value if re.search(rf"(?<!\w){quote}|{quote}(?!\w)", folded[1:-1]) else value[1:-1].strip()


def is_nothing(value: str) -> bool:
    """Whether an option's value says to clear the field."""
    return fold(value).casefold() in ("none", "无")


def checked_text(value: str, language: Language) -> str:
    """A text without the quotes around it, checked for its length.

    Raises:
        CommandError: it is empty or longer than 500 characters.
    """
    value = unquoted(value)
    if not value:
        raise CommandError(value, text(language, "agenda.no_text"))
    if len(value) > MAX_TEXT:
        raise CommandError(value, text(language, "agenda.too_long", limit=MAX_TEXT, length=len(value)))
    return value


def ids_of(words: str) -> list[int]:
    """The ids in `3`, `#3`, `1 2`, `1, 2 and 3`, each once; empty if the words are anything else."""
    folded = fold(words).strip()
    if not _IDS.fullmatch(folded):
        return []
    return list(dict.fromkeys(int(number) for number in re.findall(r"\d+", folded)))
