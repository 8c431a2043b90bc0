"""What models put around a reply or its sections: reasoning, code fences, and characters that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from .._internal.fences import Fence, Fenced, find_fences
from .._internal.numbers import check_kind

INVISIBLE = "\ufeff\u200b-\u200f\u2060"
"""Byte-order marks and characters without a width, as ranges for a regular expression."""

WINDOW = 1 << 15
"""How much of a text to search at once from its end."""
CLOSING = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*$", re.MULTILINE)
"""A line that may close a fence."""
FILLED_LINE = re.compile(r"^[ \t]*+\S[^\n]*+$", re.MULTILINE)
_LEADING = re.compile(rf"\A[{INVISIBLE}]++")
_RULE = re.compile(r"-{3,}+|={3,}+|\*{3,}+|_{3,}+")
_DIFF = re.compile(r"^(?:\+|@@)", re.MULTILINE)
_FIRST_RULE = re.compile(r"[ \t]*+\n[ \t]*+(?P<rule>(?P<mark>[-=])(?P=mark){2,})[ \t]*+(?:\n|\Z)")
_CLOSING_TAG = re.compile(r"(?:(?:^|\n)[ \t]*+[<\[]|(?<=\S)\[)/([^<>\[\]\n]{1,80}+)[>\]]\Z")
_TOKEN = r"(?:<[|｜][^\s<>|｜]{1,40}+[|｜]>|</s>|<end_of_turn>|<eos>)"
_TOKENS_BEFORE = re.compile(rf"(?:\s*{_TOKEN})+\s*")
_TOKENS_BEHIND = re.compile(rf"(?:(?<=\S){_TOKEN})+\s*\Z")
_LAST_TOKENS = re.compile(rf"\n\s*(?:{_TOKEN}\s*)+\Z")
_LONGEST_TOKENS = 300
_WHITE = (*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F)
_BLANKS = "".join(map(chr, (*_WHITE, 0x3000, 0xFEFF, *range(0x200B, 0x2010), 0x2060)))
"""White space, and what nobody sees."""
# Where reasoning begins and ends.
_SPELLINGS = {
    # Most models' and Seed's, Kimi's.
    r"(?i:<(?:seed:)?think(?:ing)?>)": r"(?i:</(?:seed:)?think(?:ing)?>)",
    "◁think▷": "◁/think▷",
    # gpt-oss' channels, of which the reply may come without any other.
    r"(?:<\|start\|>assistant)?(?:<\|channel\|>analysis<\|message\|>|(?=<\|channel\|>final<\|message\|>))": (
        r"(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>"
        r"|<\|end\|>(?:<\|start\|>assistant)?(?=<\|channel\|>commentary)"
    ),
    # Mistral's. What is not closed may be the header of a section.
    r"(?P<may_be_a_header>\[THINK\])": r"\[/THINK\]",
}
THINK_OPEN = re.compile(rf"\s*(?:{'|'.join(f'({opening})' for opening in _SPELLINGS)})")
THINK_OPENINGS = (
    *("<think>", "<thinking>", "<seed:think>", "◁think▷", "[think]"),
    *(f"{start}<|channel|>{name}<|message|>" for start in ("", "<|start|>assistant") for name in ("analysis", "final")),
)
"""In lower case."""
LONGEST_CLOSE = len("<|end|><|start|>assistant<|channel|>final<|message|>")
CLOSE_BEGINS = re.compile(r"[<◁[]")
_CLOSES = [re.compile(closing) for closing in _SPELLINGS.values()]
_ASIDE = re.compile(
    r"\s*<(thoughts?|reasoning|reflection|analysis|scratchpad)>.*?</\1>\s*(?=\S)", re.IGNORECASE | re.DOTALL
)
_QUOTE = re.compile(r"^[ \t]*> ?", re.MULTILINE)
_ALL_QUOTED = re.compile(r"(?:[ \t]*>(?!>)[^\n]*(?:\n|\Z)|[ \t\r]*\n)+[ \t]*")
_LATER_MARKS = re.compile(
    r"(?P<opening>^[ \t]*<think(?:ing)?>)|</think(?:ing)?>[ \t\r]*$|(?P<quotes>\"{3}|'{3})",
    re.IGNORECASE | re.MULTILINE,
)
_LONE_CLOSE = re.compile(r"^[ \t]*</think(?:ing)?>[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
_WRAPPERS = frozenset({"", "markdown", "md", "text", "txt", "plaintext"})


def check_reply(reply: object) -> None:
    """Refuse what is no text.

    Raises:
        ValueError: says how to pass the text of a message, or a type.
    """
    if isinstance(reply, type):
        wanted = "pass json_parser itself as the parser, and the type as its schema"
        raise ValueError(f"a parser takes a reply, got the type {reply.__name__}: {wanted}")
    check_kind("a reply", reply, str, "a text; that of a message is `message.text`")


def plain_lines(reply: str) -> str:
    """A reply without its reasoning, with `\\n` at the end of each line and nothing invisible at its beginning."""
    check_reply(reply)
    return without_tokens(without_thoughts(_LEADING.sub("", reply.replace("\r\n", "\n").replace("\r", "\n"))))


def without_tokens(reply: str) -> str:
    """A reply without the tokens around it by which a chat template marks turns: a server whose template is not the
    model's shows them. A token behind a space may be what the reply is about."""
    before = _TOKENS_BEFORE.match(reply) if reply.lstrip()[:1] == "<" else None
    behind = _TOKENS_BEHIND.search(reply, max(0, len(reply) - _LONGEST_TOKENS))
    return reply[before.end() if before else 0 : behind.start() if behind else len(reply)]


def unquoted(text: str) -> str:
    """A reply that is quoted as a whole, without the marks of the quote; any other as it is."""
    return _QUOTE.sub("", text) if _ALL_QUOTED.fullmatch(text) else text


def split_think(text: str) -> tuple[str, str]:
    """Take a leading `<think>` block off a reply: `(reasoning, reply)`.

    A block that is never closed is all reasoning: the reply was cut off before its answer began. Some chat templates
    put the opening tag into the prompt, so that only a closing tag, alone on its line, comes back; what stands before
    it is reasoning too. A tag anywhere else belongs to the answer.
    """
    check_reply(text)
    opening = THINK_OPEN.match(text)
    if opening is None:
        # Looked for first, since it takes far less time.
        lone = _LONE_CLOSE.search(text) if "</think" in text.lower() else None
        if lone is None or "<think" in text[: lone.start()].lower():
            return "", text
        if Fenced(find_fences(text)).around(lone.start()):
            return "", text
        return text[: lone.start()].strip(), text[lone.end() :].lstrip()
    closing = closing_of(opening).search(text, opening.end())
    if closing is None and opening["may_be_a_header"]:
        return "", text
    if closing is None:
        return text[opening.end() :].strip(), ""
    return text[opening.end() : closing.start()].strip(), text[closing.end() :].lstrip()


def without_aside(reply: str) -> str:
    """A reply without a block before it in which a model thinks by a tag of its own, or as Gemini shows its thoughts.

    Where the tags of a reply are the caller's to choose, such a block may be content.
    """
    aside = _ASIDE.match(reply)
    return reply[aside.end() :] if aside else reply


def closing_of(opening: re.Match[str]) -> re.Pattern[str]:
    """What ends the reasoning that begins so, by `THINK_OPEN`."""
    return _CLOSES[(opening.lastindex or 1) - 1]


def without_thoughts(text: str) -> str:
    """A reply without its reasoning: the leading block, and those further down that open and close at the ends of
    lines; not those in a block of code, or in a text in quotes."""
    reply = split_think(text)[1]
    if "<think" not in reply.lower():
        return reply
    fences, kept, end = Fenced(find_fences(reply)), list[str](), 0
    # One pass: a reply that runs in circles may hold a hundred thousand tags.
    opened, in_text = -1, ""
    for mark in _LATER_MARKS.finditer(reply):
        if mark["quotes"]:
            if opened < 0 and in_text in ("", mark["quotes"]):
                in_text = "" if in_text else mark["quotes"]
        elif mark["opening"]:
            if opened < 0 and not in_text and not fences.around(mark.start()):
                opened = mark.start()
        elif opened >= 0:
            kept.append(reply[end:opened])
            opened, end = -1, mark.end()
    return "".join([*kept, reply[end:]]).strip() if end else reply


def neat(text: str, name: str = "", *, is_bare: bool = False) -> str:
    """The text of a section without what only parts it from others. What may be content stays.

    Args:
        text: all from the end of the section's header to the next header.
        name: the name of the section; a closing tag of that name at the end belongs to the header.
        is_bare: whether the header is a mere name, so that even three dashes right below underline it.
    """
    rule = _FIRST_RULE.match(text)
    if rule and (is_bare or len(rule["rule"]) > 3):
        rest = text[rule.end() :].strip()
        # Two rules may hold the front matter of a file, or the title of a document.
        if not re.search(rf"^[ \t]*+{rule['mark']}{{3,}}+[ \t]*+$", rest[: _end(rest)], re.MULTILINE):
            text = rest
    text = trimmed(text)
    text = text[: _end(text)]
    tokens = _LAST_TOKENS.search(text, max(0, len(text) - _LONGEST_TOKENS)) if text[-1:] == ">" else None
    text = text[: tokens.start()].rstrip() if tokens else text
    tag = _CLOSING_TAG.search(text, max(0, len(text) - 100))
    opened = f"{tag[0].strip()[0]}{tag[1].lower()}" if tag else ""
    if tag and tag[1].lower().replace("_", " ") == name.lower() and opened not in text.lower():
        text = text[: tag.start()].rstrip()
    # A line of tildes at the end may underline a title.
    fences = find_fences(text) if "```" in text else []
    if fences and not fences[-1].closed and not fences[-1].body.strip() and "`" in text[fences[-1].start :]:
        text = text[: fences[-1].start].rstrip()
    return text


def _end(text: str) -> int:
    """Where a text ends without rules behind a blank line and without an empty item of its list."""
    end = len(text)
    while end:
        start = text.rfind("\n", 0, end) + 1
        before = start
        while before and text[before - 1].isspace():
            before -= 1
        line = text[start:end].strip()
        if _RULE.fullmatch(line):
            # A rule right below a line belongs to it, and one of two may end the front matter of a file.
            if before and (text.count("\n", before, start) < 2 or text.startswith(line[:3])):
                break
        elif line not in ("-", "*", "•") or _DIFF.search(text) or not _is_item(text, before, line):
            break
        end = before
    return end


def _is_item(text: str, end: int, bullet: str) -> bool:
    return text[text.rfind("\n", 0, end) + 1 : end].lstrip().startswith(f"{bullet} ")


def trimmed(line: str) -> str:
    """A line without white space and invisible characters around it."""
    return line.strip(_BLANKS)


def unwrapped(text: str, fences: list[Fence], begins: Callable[[str], bool]) -> Iterator[str]:
    """Other readings of a reply: its fences hold the sections, and not only what the sections are about.

    Args:
        begins: whether a line begins a section.

    Returns:
        The text of the blocks that begin with a section, if there are several, and nothing but white space separates
        them or their fences name a language; then the text from the first fence to the last line that could close it.
    """
    own = [fence for fence in fences if begins(_first_line(text, fence.body_start))]
    if len(own) > 1 and all(
        after.info or not text[before.end : after.start].strip() for before, after in pairwise(own)
    ):
        # If a fence is left over at the end, the last section holds blocks with the same fences.
        last = own[-1].body if fences[-1].closed else _to_last_fence(text, own[-1].body_start)
        yield "\n".join([*(fence.body for fence in own[:-1]), last])
    if fences and (fences[0].language in _WRAPPERS or fences[0] in own[:1]):
        yield _to_last_fence(text, fences[0].body_start)


def _to_last_fence(text: str, start: int) -> str:
    last = next(from_end(text, CLOSING), None)
    return text[start : last.start() if last and last.start() > start else len(text)]


def _first_line(text: str, position: int) -> str:
    line = FILLED_LINE.search(text, position)
    return line[0] if line else ""


def from_end(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Matches of a line pattern from last to first; reads only as much text as the caller needs."""
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, max(0, end - WINDOW)) + 1
        yield from reversed(list(pattern.finditer(text, start, end)))
        end = start
