"""The forms in which models write a section header, as regular expressions for the start of a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Literal

from .wrapping import INVISIBLE, trimmed

# What models put around a header: quotes, bullets, numbers, heading marks, emphasis. All repeats are bounded and
# possessive, so that a hostile line costs a constant.
_LEAD = (
    rf"^(?!\n)(?:[ \t{INVISIBLE}#>*_`+•‣·–—\u25a0-\u27bf\ufe0f\U0001f300-\U0001faff-]{{1,12}}+"
    r"|[(（]?\d{1,3}+[.)）、．]|[(（]?第?[一二三四五六七八九十]{1,3}+[步章节部]?[、.:：)）][ \t]?|[\u2460-\u2473]"
    r"|(?:step|part|section)[ \t]{1,2}+\d{1,3}+[.):]){0,4}"
)
_BARE_LEAD = rf"^(?!\n)[ \t{INVISIBLE}#*_]{{0,12}}+"
_MARKED = rf"(?=[ \t{INVISIBLE}>\d.)+`-]{{0,12}}+[#*_])"
_AFTER = r"[ \t]{0,4}+[*_`#]{0,8}+[ \t]{0,4}+"
_COLON = r"[:：](?:[:：–—-]{1,3}+(?=[ \t]*+$))?[ \t*_`]{0,8}+"
_TAG = r"</?(?:b|i|u|em|strong|h[1-6]|p|div|span|center|summary|details)>"
_NUMBER = (
    r"\d{1,3}+(?:\.\d{1,3}+){0,3}|(?:[ivx]{1,4}+|[a-z])(?=[.)])|[\u2460-\u2473]"
    r"|第?[一二三四五六七八九十]{1,3}+[步章节部]?(?=[、.:：)）])|(?:step|part|section|phase|stage)(?![^\W\d])"
)
_BEFORE = rf"(?:{_TAG}|{_NUMBER}|(?!</)[^\w\n,;!?…]|_){{0,20}}"
_BEHIND = rf"(?:{_TAG}|[^\w\n.,;!?…]|_){{0,20}}$"
_UNDERLINED = r"[ \t]{0,4}+(?=\n[ \t]{0,4}+(?:-{3,}+|={3,}+)[ \t]{0,4}+$)"


def core_of(header: str) -> str:
    """A header without any emphasis, heading marks and colon from the caller."""
    return header.strip().lstrip("#*_ \t").rstrip("*_:： \t")


def name_of(header: str) -> str:
    """A header without its brackets, too."""
    return header.strip("[]【】 #*_:：\t")


def _words(text: str) -> str:
    return r"[ \t_-]{1,4}".join(re.escape(word) for word in text.split())


_FLAT = str.maketrans(f"{ascii_uppercase}_-", f"{ascii_lowercase}  ")
"""Keeps the length of a text, so that a place in it stays the same place."""


def in_tags(text: str, headers: Sequence[str]) -> dict[str, str]:
    """What stands between tags of the headers' names, such as `<answer>42</answer>`; of several the last one."""
    lowered = text.translate(_FLAT)
    found: dict[str, str] = {}
    for header in headers:
        opening = f"<{' '.join(name_of(header).lower().split())}>"
        end = lowered.rfind(f"</{opening[1:]}")
        start = lowered.rfind(opening, 0, max(end, 0))
        if start >= 0:
            found[header] = text[start + len(opening) : end]
    return found


def to_closing_tag(text: str, inside: str) -> str:
    """The text of a section, without its closing tag and what stands behind it if it opens with a tag of its name.

    Args:
        text: of the section.
        inside: what stands between the tags of its name; "" for no tags.
    """
    rest = text.removeprefix(inside)
    return inside if inside and rest != text and rest.lstrip().startswith("</") else text


def strict(header: str) -> str:
    """`[Plan]` in its brackets, with its text below or beside it; `Plan` alone on its line, or before a colon."""
    core = core_of(header)
    # A header such as "1. Plan" starts like a decoration; the decoration pattern must not consume its start.
    begins_decorated = re.match(_LEAD, f"{core}:", re.IGNORECASE)
    lead = _BARE_LEAD if begins_decorated and begins_decorated.end() else _LEAD
    if is_bracketed(core):
        words = rf"[\[【][ \t]{{0,2}}{_words(name_of(core))}[ \t]{{0,2}}[\]】]"
        return rf"{lead}{words}{_AFTER}(?:{_COLON}|[–—-]{{1,3}}+(?=[ \t]*+$))?"
    return rf"{lead}\[?{_words(core)}\]?(?![^\W_]){_AFTER}(?:{_COLON}|$)"


def is_bracketed(core: str) -> bool:
    """Whether a header stands in one pair of brackets: `[Plan]`."""
    return core[0] in "[【" and core[-1] in "]】" and not set(core[1:-1]) & set("[]【】")


def loose(header: str) -> str:
    """`Plan` instead of `[Plan]`, if marks or a colon show that it is a header."""
    words = _words(name_of(header))
    return rf"{_LEAD}{words}(?![^\W_]){_AFTER}{_COLON}|{_MARKED}{_LEAD}{words}(?![^\W_]){_AFTER}$"


def run_on(header: str) -> str:
    """`[Plan]`, or `**Plan:**`, behind the end of a sentence or a number on the same line."""
    words = rf"[ \t]{{0,2}}{_words(name_of(header))}[ \t]{{0,2}}"
    forms = rf"\*\*\[?{words}\]?(?:[:：]\*\*|\*\*[:：])"
    if is_bracketed(core_of(header)):
        forms += rf"|[\[【]{words}[\]】]"
    return rf"(?<=[.!?。！？…;；\d)\]*`\"”])[ \t]{{1,4}}(?={forms})"


def alone(header: str) -> str:
    """`Plan` on a line with nothing but decoration, of whatever kind; empty for a name that has some of its own.

    A name that was asked for in brackets needs decoration, or a line below it: else it may be an answer of one word.
    """
    name = name_of(header) if is_bracketed(core_of(header)) else core_of(header)
    if not (name[0].isalnum() and name[-1].isalnum()):
        return ""
    words = _words(name)
    bare = rf"(?![ \t{INVISIBLE}]*+{words}[ \t]*+$)" if is_bracketed(core_of(header)) else ""
    return rf"^(?!\n)(?:{bare}{_BEFORE}{words}(?![^\W_]){_BEHIND}|[ \t{INVISIBLE}]{{0,12}}+{words}{_UNDERLINED})"


_SYMBOL = r"([-+*>•‣·–—◦…\u2190-\u21ff\u25a0-\u27bf\U0001f300-\U0001faff])\ufe0f?(?!\1)|--(?!-)|//(?!/)"
_BULLET = re.compile(rf"[ \t{INVISIBLE}]*+(?:{_SYMBOL})[ \t]*+(?:\[[ \tx]?\])?", re.IGNORECASE)
_COUNT = re.compile(
    rf"[ \t{INVISIBLE}]*+(?:(?:{_SYMBOL})[ \t]++)?[(（]?(?:\d{{1,3}}+(?:\.\d{{1,3}}+){{0,3}}[.):：、）](?!\d)"
    r"|\d{1,3}+(?:\.\d{1,3}+){1,3}(?=[ \t])|(?:[ivx]{1,4}|[a-z])[.)](?=[ \t])|[\u2460-\u2473]"
    r"|第?[一二三四五六七八九十]{1,3}[步章节部]?[、.:：)]|(?:step|part|section|phase|stage)[ \t]++\d{1,3}(?!\w))",
    re.IGNORECASE,
)
_NEW_BULLET = re.compile(rf"[ \t{INVISIBLE}]*+[•‣·–—\u25a0-\u25ff]")
_PLAINLY = re.compile(r"[*#=~<]|__|(?<!\w)_|_(?!\w)|[–—-][ \t]*$")
"""What makes a header of a name behind a bullet or number."""
_OPENING, _CLOSED = frozenset("\"'“”„‘’«»「『(（`"), frozenset("\"'“”‘’«»」』)）`")
_ENDED = frozenset(".!?。！？…>")
_RULED = re.compile(r"[ \t]*+(?:-{3,}+|={3,}+|\*{3,}+|_{3,}+)[ \t]*+")

_Kind = Literal["bullet", "number", "quote", "row", "tag"]


def is_content(text: str, match: re.Match[str], *, alone: bool, beside: bool) -> bool:
    """Whether what looks like a header is an item of a list or a quoted word, and so a part of a section's text.

    Args:
        text: the reply.
        match: what looks like a header.
        alone: whether the pattern was that of a name with any decoration.
        beside: whether another header stands in its brackets, so that this one would be written in another way.
    """
    head = match[0]
    # `- Plan:` has always been a header; that a colon makes one of `• Plan:`, too, is only sure without other items.
    if not alone and (("[" in head or "【" in head) or (re.search("[:：]", head) and not _NEW_BULLET.match(head))):
        return False
    kind, length = _kind_of(head)
    if kind is None or _PLAINLY.search(head, length):
        return False
    if beside and (alone or _NEW_BULLET.match(head)):
        return True
    (above, near), below = _above(text, match.start()), _below(text, match.end())
    kinds = {_kind_of(above)[0], _kind_of(below)[0]}
    in_sentence = near and not _RULED.fullmatch(above) and (above.rstrip()[-1] not in _ENDED or below[:1].islower())
    if kind == "quote" and in_sentence:
        return True
    return kind in kinds or (head[0] in " \t" and kind in ("bullet", "number") and bool(kinds & {"bullet", "number"}))


def _kind_of(line: str) -> tuple[_Kind | None, int]:
    """What a line would be an item of, and the length of its mark."""
    if match := _COUNT.match(line):
        return "number", match.end()
    if match := _BULLET.match(line):
        return "bullet", match.end()
    bare = trimmed(line)
    closed = bare.rstrip(" \t:：.,;")
    if len(closed) > 1 and closed[0] in _OPENING and closed[-1] in _CLOSED:
        return "quote", 0
    if bare.startswith("|"):
        return "row", 0
    if len(bare) > 2 and bare[0] == "<" and bare[1].isalpha() and bare.find(">") == len(bare) - 1:
        return "tag", len(line)
    return None, 0


def _above(text: str, start: int) -> tuple[str, bool]:
    """The next filled line above an offset, and whether it is right above it."""
    end = start - 1
    while end > 0:
        begin = text.rfind("\n", 0, end) + 1
        if (line := text[begin:end]).strip():
            return line, end == start - 1
        end = begin - 1
    return "", False


def _below(text: str, start: int) -> str:
    """The next filled line below the line of an offset."""
    while start := text.find("\n", start) + 1:
        if line := text[start : text.find("\n", start) % (len(text) + 1)].strip():
            return line
    return ""
