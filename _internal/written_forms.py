"""Finds a text in the forms that logs, addresses and programs write: escaped, percent-encoded, base64."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import lru_cache
from html.entities import codepoint2name
from urllib.parse import unquote

# Each layer of JSON doubles what is before a quote.
_ESCAPED = r"\\{1,8}"
_LETTERS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "\0": "0"}


def without(text: str, words: str, instead: str) -> str:
    """Replace `words`, and `words` with percent-encoding decoded, by a mark in any of these forms:

    - unchanged;
    - escaped as in JSON, JavaScript, Python's `repr` and `ascii`, of text and of bytes, up to three times over;
    - percent-encoded, also more than once, with `+` for a space;
    - with HTML's character references;
    - as base64 of UTF-8, at any offset in the encoded data; a character at either end may remain.

    The first four may be mixed. ASCII letters and digits are matched literally, since nothing escapes them.

    Args:
        text: the text to search, in linear time.
        words: the words to replace; not empty.
        instead: the mark.
    """
    patterns, coded = _forms(words)
    for core in coded:
        text = text.replace(core, instead)
    for pattern in patterns:
        text = pattern.sub(lambda _: instead, text)
    return text


@lru_cache(maxsize=256)
def _forms(words: str) -> tuple[list[re.Pattern[str]], list[str]]:
    return [re.compile(_pattern(form)) for form in dict.fromkeys((words, unquote(words)))], _base64(words)


def _pattern(text: str) -> str:
    runs = re.findall(r"\\+|[^\\]", text, re.DOTALL)
    return "".join(_backslashes(len(run)) if run[0] == "\\" else _character(run) for run in runs)


def _backslashes(count: int) -> str:
    other = f"(?:{_ESCAPED}(?:{_any_case('u005c')}|{_any_case('x5c')})|{_outside_of_programs(chr(92))})"
    return rf"(?:\\{{{count},{8 * count}}}|{other}{{{count}}})"


def _character(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    inside = [re.escape(character)] if character.isascii() and character.isprintable() else []
    inside += [_LETTERS[character]] if character in _LETTERS else []
    inside += [_any_case(f"x{ord(character):02x}")] if ord(character) < 256 else []
    units = character.encode("utf-16-be", "surrogatepass").hex()
    inside.append(_ESCAPED.join(_any_case(f"u{units[at : at + 4]}") for at in range(0, len(units), 4)))
    inside.append(_any_case(f"U{ord(character):08x}"))
    inside.append(_ESCAPED.join(_any_case(f"x{byte:02x}") for byte in _utf8(character)))
    bare = [re.escape(character), *([r"\+"] if character == " " else [])]
    # Headers are bytes; a reader that decodes them as Latin-1 sees other characters.
    bare += [] if character.isascii() else [re.escape(_utf8(character).decode("latin-1"))]
    return f"(?:{'|'.join(bare)}|{_ESCAPED}(?:{'|'.join(inside)})|{_outside_of_programs(character)})"


def _outside_of_programs(character: str) -> str:
    percent = "".join(f"%(?:25){{0,3}}{_any_case(f'{byte:02x}')}" for byte in _utf8(character))
    code = ord(character)
    named = [codepoint2name[code]] if code in codepoint2name else ["apos"] if character == "'" else []
    references = "|".join([*named, f"#0{{0,4}}{code}", f"#[xX]0{{0,4}}{_any_case(f'{code:x}')}"])
    return f"(?:{percent}|&(?:{references});)"


def _any_case(digits: str) -> str:
    """A pattern for hexadecimal digits in either case; a prefix such as `u` or `x` does not change."""
    return "".join(f"[{digit}{digit.upper()}]" if digit in "abcdef" else digit for digit in digits)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _base64(text: str) -> list[str]:
    """The part of the base64 text that does not depend on the text around it, for each of the three alignments."""
    raw, found = _utf8(text), list[str]()
    for offset, begin in ((0, 0), (1, 2), (2, 3)):
        coded = b64encode(b"\0" * offset + raw).decode()
        core = coded[begin : (offset + len(raw)) * 8 // 6]
        # Anything shorter would match by chance in many texts.
        found += [core, core.translate(str.maketrans("+/", "-_"))] if len(core) >= 8 else []
    return list(dict.fromkeys(found))
