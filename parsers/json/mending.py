"""Reads JSON with the usual mistakes, in time linear in its length, and refuses what it would have to guess.

A library that repairs whatever it gets makes 1 of `1 000` and a list of a bracket in prose. Here every character of the
JSON goes into the value, except for comments; what is neither a number nor in quotes is a text as a whole.
"""

from __future__ import annotations

import re
from typing import Any

from ..wrapping import INVISIBLE
from .leaves import is_number, number_of, text_of
from .sums import worked_out

MAX_READ = 20_000
"""Longest text to read, in characters: mending is for mistakes in a normal reply, not for a megabyte of noise."""
_DEEPEST = 200
_SHOWN = 60

_MARKS = dict(zip("：，｛｝［］", ":,{}[]", strict=True))
_CLOSERS = {'"': '"', "“": '“”"', "”": '“”"', "'": "'", "‘": "‘’'", "’": "‘’'"}
"""What closes a text, by what opens it."""
_STOPS = {opening: re.compile(rf"\\.|[{closers}]", re.DOTALL) for opening, closers in _CLOSERS.items()}

# All repeats are bounded, possessive or at the end, so that every mark costs a constant; no group's is possessive.
# A mark right before a word is a tag.
_REMARK = r"//|/\*|#(?=[\s#]|\Z)"
_BLANK = re.compile(rf"(?:[\s{INVISIBLE}]++|/\*(?s:.*?)(?:\*/|\Z)|(?:{_REMARK})[^\n]*+)*")
_AT_REMARK = re.compile(rf"\s*+(?:{_REMARK})")
_DIVIDED = re.compile(r"\s*+//\s*+[\d(]")
_QUOTED_NAME = (
    r"""(?:"(?:[^"\\\n]|\\.){0,300}"|'(?:[^'\\\n]|\\.|(?<=\w)'(?=\w)){0,300}'|[“”][^“”\n]{0,300}+[“”]"""
    r"""|[‘’](?:[^‘’\n]|(?<=\w)’(?=\w)){0,300}[‘’])"""
    r"\s{0,50}+[:：]"
)
_NAME = rf"(?:{_QUOTED_NAME}|[^\W\d][\w$.-]{{0,60}}+(?: [\w$.-]{{1,60}}+){{0,4}}\s{{0,50}}+[:：]|\d{{1,9}}+:(?=\s))"
_AT_NAME = re.compile(_NAME)
_ENDS = r"[\s}\]`]{0,50}+\Z"
"""Nothing but brackets is left."""
_GAP = r"\s{0,200}+"
_MORE_TEXTS = rf"""(?:[,，]{_GAP}"(?=[^"\n]{{0,300}}?\s)(?:[^"\\\n]|\\.){{0,300}}"{_GAP}){{1,9}}[}}}}｝]"""
"""Further texts of the field before, to the end of an object; a word alone may be a name."""
_AFTER_TEXT = {
    "{": re.compile(
        rf"{_GAP}(?:[}}｝]|{_REMARK}|\+{_GAP}[\"']|[,，]{_GAP}(?:{_NAME}|[}}｝]|\Z|{_REMARK})|{_MORE_TEXTS})"
        rf"|{_ENDS}|\s{{1,200}}+{_QUOTED_NAME}|[ \t\r]{{0,200}}+\n{_GAP}{_NAME}"
    ),
    "[": re.compile(
        rf"{_GAP}(?:[\]］]|{_REMARK}|\+{_GAP}[\"']"
        rf"|[,，]{_GAP}(?:[\"'“”‘’\[{{［｛\]］\d.+-]|(?i:true|false|null|none)\b|\Z|{_REMARK}))"
        rf"|{_ENDS}|\s{{1,200}}+[\"“'‘{{\[]"
    ),
}
"""What follows the quote that closes a text, in an object and in a list; another quote belongs to the text."""
_AT_MORE = re.compile(rf"{_GAP}{_MORE_TEXTS}")
_BARE = re.compile(rf"(?:(?!\s(?:{_REMARK}))[^,，{{}}\[\]｛｝［］\n\"“”`])*")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_NO_VALUE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)|\.{2,}|…+", re.IGNORECASE)
_SWALLOWED = re.compile(r"""["”]\s{0,50}+[:：,}\]]""")
"""Matches where a text that is never closed has taken in the end of another."""
_PROSE = re.compile(r"[^\s,]\s*\n\s*\n\s*\Z")
"""Matches the text before what stands behind a blank line, and not behind a comma."""
OPENING = re.compile(r"[{\[｛［]")
_FIELD = rf"[,，]{_GAP}{_QUOTED_NAME}\s{{0,50}}+(?:[\"'“‘\[{{［｛\d-]|(?i:true|false|null|none)\b)"
_GOES_ON = re.compile(
    rf"(?:{_GAP}|[^\s\"'“‘]{{1,20}}?){_FIELD}|[^\n{{\[｛［]{{0,100}}?{_FIELD}[^{{\[｛［]{{0,300}}?[}}｝]"
)


class _UnreadableError(ValueError):
    """A text is no JSON; the message tells the model where, and what to do about it."""


def mended(text: str) -> object:
    """The first object or array in a text; None if there is none that can be read."""
    try:
        return _read(text)
    except _UnreadableError:
        return None


def complaint(text: str) -> str:
    """Why the first object or array in a text cannot be read, and where; empty if it can."""
    try:
        _read(text)
    except _UnreadableError as problem:
        return str(problem)
    return ""


def _read(text: str) -> Any:
    opening = OPENING.search(text)
    if opening is None:
        raise _UnreadableError("There is no JSON in the reply")
    reader = _Reader(text[opening.start() : opening.start() + MAX_READ + 1])
    try:
        value = reader.value("", 0)
    finally:
        if reader.at > MAX_READ:
            raise _UnreadableError(
                f"The JSON has a mistake, and is too long to be mended: more than {MAX_READ:,} characters"
            )
    if goes_on(reader.text, reader.at):
        raise reader.unreadable("the JSON is closed too early")
    return value


def mended_whole(text: str) -> object:
    """What a text is that has nothing but an object or an array, or several objects one after the other; else None."""
    found: list[Any] = []
    reader = _Reader(text[: MAX_READ + 1])
    try:
        while (mark := reader.mark()) == "{" or (mark == "[" and not found) or (mark == "," and found):
            if mark == ",":
                reader.at += 1
            else:
                found.append(reader.value("", 0))
    except _UnreadableError:
        return None
    several = len(found) > 1
    # A fence is an end, and not that of the text.
    unread = reader.at < len(reader.text) or reader.at > MAX_READ
    if unread or not found or (several and isinstance(found[0], list)):
        return None
    return found if several else found[0]


def goes_on(text: str, end: int) -> bool:
    """Whether another field comes after the end of an object: it was closed too early."""
    return bool(_GOES_ON.match(text, end))


class _Reader:
    """Reads a text from one place on."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def unreadable(self, why: str, start: int | None = None) -> _UnreadableError:
        """An error that shows the text from a place on."""
        start = self.at if start is None else start
        if not self.text[start:].strip():
            return _UnreadableError("The JSON breaks off at its end")
        return _UnreadableError(f"The JSON cannot be read at `{' '.join(self.text[start:].split())[:_SHOWN]}`: {why}")

    def mark(self) -> str:
        """The next character that is neither white space nor part of a comment; empty at the end, or at a fence."""
        start = self.at
        blank = _BLANK.match(self.text, start)
        self.at = blank.end() if blank else start
        if self.at == len(self.text) and self.at > start and self._ends_in_remark(start):
            raise self.unreadable("a comment takes in all that follows", start)
        mark = self.text[self.at : self.at + 1]
        return "" if self.text.startswith("```", self.at) else _MARKS.get(mark, mark)

    def _ends_in_remark(self, start: int) -> bool:
        line = self.text[max(start, self.text.rfind("\n", start) + 1) :]
        is_open = self.text.rfind("/*", start) > self.text.rfind("*/", start)
        return is_open or "//" in line or "#" in line

    def value(self, within: str, deep: int) -> Any:
        mark = self.mark()
        if deep > _DEEPEST:
            raise self.unreadable(f"it is nested deeper than {_DEEPEST} levels")
        if mark and mark in "{[":
            self.at += 1
            return self.fields(deep + 1) if mark == "{" else self.items(deep + 1)
        return self.quoted(within) if mark in _CLOSERS else self.bare(within, deep)

    def fields(self, deep: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        all_quoted = False
        while not self.closed("}"):
            start = self.at
            name = _AT_NAME.match(self.text, start)
            written = name[0][:-1].strip() if name else ""
            quoted = written[:1] in _CLOSERS
            if all_quoted and deep == 1 and not quoted and _PROSE.search(self.text[:start][-_SHOWN:]):
                # Its bracket was forgotten, and prose goes on.
                break
            if name is None:
                raise self.unreadable('write "name": value')
            self.at = name.end()
            all_quoted = quoted
            loose = not quoted and self.mark() not in _CLOSERS
            value = self.value("{", deep)
            if loose and deep == 1 and isinstance(value, str):
                # Braces in prose may have a colon as well.
                raise self.unreadable("write names and texts in quotes", start)
            texts = [value]
            while isinstance(value, str) and _AT_MORE.match(self.text, self.at):
                self.comma()
                self.mark()
                texts.append(self.quoted("{"))
            found[text_of(written[1:-1]) if quoted else written] = texts if len(texts) > 1 else value
            self.comma()
        return found

    def items(self, deep: int) -> list[Any]:
        found: list[Any] = []
        while not self.closed("]"):
            found.append(self.value("[", deep))
            self.comma()
        return found

    def comma(self) -> None:
        if self.mark() == ",":
            self.at += 1
            if not self.mark():
                raise self.unreadable("the JSON breaks off")

    def closed(self, closing: str) -> bool:
        """Whether an object or a list ends here: with its bracket, or because nothing else is left."""
        mark = self.mark()
        if mark == closing:
            self.at += 1
            return True
        if mark and mark in "}]" and not re.compile(_ENDS).match(self.text, self.at):
            raise self.unreadable(f"here `{closing}` is missing")
        return not mark or mark in "}]"

    def quoted(self, within: str) -> str:
        """A text in quotes, or several that a plus joins."""
        parts = [self._part(within)]
        while self.mark() == "+":
            self.at += 1
            if self.mark() not in _CLOSERS:
                raise self.unreadable("here a text is missing")
            parts.append(self._part(within))
        return "".join(parts)

    def _part(self, within: str) -> str:
        """A text in quotes; one that was cut off goes to the end."""
        start, stop = self.at + 1, _STOPS[self.text[self.at]]
        inner: list[int] = []
        for found in stop.finditer(self.text, start):
            if found[0][0] == "\\":
                continue
            if _AFTER_TEXT[within].match(self.text, found.end()):
                break
            before, after = self.text[found.start() - 1], self.text[found.end() : found.end() + 1]
            if found[0] not in "'’" or not (before.isalnum() and after.isalnum()):
                inner.append(found.start())
        else:
            found = None
        end = found.start() if found else len(self.text)
        if (found is None and (inner or _SWALLOWED.search(self.text, start))) or not self._paired(inner, start):
            raise self.unreadable('close the text, and write a quote inside of it as \\"')
        self.at = found.end() if found else end
        return text_of(self.text[start:end] if found else self.text[start:].rstrip())

    def _paired(self, inner: list[int], start: int) -> bool:
        """Whether quotes inside of a text open and close in turn: else it would be two texts, or nobody knows."""
        for number, place in enumerate(inner):
            before, after = self.text[place - 1] if place > start else " ", self.text[place + 1]
            opens = not _in_word(before) and not after.isspace()
            closes = not before.isspace() and not _in_word(after)
            if not (closes if number % 2 else opens):
                return False
        return len(inner) % 2 == 0

    def bare(self, within: str, deep: int) -> Any:
        """A number, a word of JSON, or a text without quotes, always to its end."""
        start = self.at
        found = _BARE.match(self.text, start)
        word, self.at = (found[0].strip(), found.end()) if found else ("", start)
        if not word:
            raise self.unreadable("here a value is missing", start)
        following = self.text[self.at : self.at + 1]
        known = word.lower() in _WORDS
        value = _WORDS[word.lower()] if known else number_of(word)
        if not following and word == self.text[start:] and not known:
            raise self.unreadable("the JSON breaks off", start)
        complete = known or value is not None
        if _AT_REMARK.match(self.text, self.at) and (not complete or _DIVIDED.match(self.text, self.at)):
            # It may be a part of the value.
            raise self.unreadable("write a text in quotes, and a number with digits and one point alone", start)
        # A comma may be missing before the next name.
        if following and following in '"“”{[｛［`' and not (complete and _AT_NAME.match(self.text, self.at)):
            raise self.unreadable("write a text in quotes", start)
        if complete:
            return value
        if _NO_VALUE.fullmatch(word) or is_number(word):
            raise self.unreadable("JSON has no such value, write a number, a text or null", start)
        value = worked_out(word)
        if value is not None:
            return value
        part_of_number = re.compile(r"(?<=\d,)\d").match(self.text, start)
        if part_of_number or re.search(r"\w\s{0,9}[:：](?:\s|$)", word) or word.count("(") != word.count(")"):
            raise self.unreadable("write a text in quotes, and a number with digits and one point alone", start)
        if within == "[" and deep == 1:
            # A bracket in prose has words as well.
            raise self.unreadable("write a text in quotes", start)
        return word


def _in_word(mark: str) -> bool:
    """Whether a mark is part of a word of a script that puts spaces between them."""
    return mark.isalnum() and mark < "\u2e80"
