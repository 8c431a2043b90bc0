"""Removes secrets from error texts before they reach a state, a trace, a log, a page or a terminal.

Providers quote what they received ("Incorrect API key provided: sk-…"), and clients quote the addresses that they
called. A secret is recognized by its value in any written form (from environment variables with telling names, or from
the model in use), or by its shape.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from html.entities import codepoint2name
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

MARK = "[redacted]"

# Each layer of JSON doubles what is before a quote.
_ESCAPED = r"\\{1,8}"
_LETTERS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "\0": "0"}

_SHORTEST = 8
_MEMBERS = 5
_DEEPEST = 6
_NAMES = "api[-_ ]?key|access[-_]?key|secret|passw(?:or)?d|passphrase|pwd|(?:access|api|auth|refresh|id)[-_]?token"
_NAMED = re.compile(
    r"(?:^|[-_])(?:[a-z]*(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization)|cookie|pat|pwd)(?=[-_]|$)",
    re.IGNORECASE,
)
# `AWS_SECRET_FILE` is a place, and `MAX_TOKENS` is a number.
_NOT_NAMED = re.compile(r"(?:^|[-_])(?:file|path|dir|name|type|url|sock|count|limit|parallelism)$", re.IGNORECASE)
# A hostile or broken server may send a megabyte: no pattern looks far ahead, and none backtracks.
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(shape, re.IGNORECASE), instead)
    for shape, instead in (
        (r"(?<![\w-])(?:sk|pk|rk)[-_][\w-]{10,}+", MARK),
        (r"(?<!\w)(?:gh[pousr]_|github_pat_|glpat-|hf_|gsk_|xai-|lsv2_|xox[abprs]-)[\w-]{10,}+", MARK),
        (r"(?<!\w)(?:AIza[\w-]{30,}+|AKIA[0-9A-Z]{12,}+|eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?)", MARK),
        (r"\b(bearer|basic)\s{1,9}+(?=[^\s\"',;<>]{0,400}?[\d=])[^\s\"',;<>]{8,}+", rf"\1 {MARK}"),
        (
            r"\b(authorization[\"']?\s{0,9}+[:=]\s{0,9}+(?:b?[\"'])?(?:[a-z]{1,20}\s{1,9}+|(?![a-z]{1,20}\s)))[^\s\"',;<>\[]++",
            rf"\1{MARK}",
        ),
        (r"\b([a-z][a-z0-9+.-]{0,20}://)[^\s/?#\"'<>]{1,400}@", rf"\1{MARK}@"),
        (
            r"([?&;][\w.-]{0,40}?(?:key|token|secret|passw(?:or)?d|auth|credential|signature)[\w.-]{0,40}=)[^&\s\"'<>#]++",
            rf"\1{MARK}",
        ),
        (rf"(?<![a-z0-9])((?:{_NAMES})[\"']?\s{{0,9}}+[:=]\s{{0,9}}+[\"']?)[^\s\"',;&)}}\[]++", rf"\1{MARK}"),
        (r"\b(api key provided: )[^\s\"',;\[]{0,400}[^\s\"',;.\[]", rf"\1{MARK}"),
    )
)


def redacted(text: str, known: Iterable[str] = ()) -> str:
    """A text with `[redacted]` in place of every secret.

    Args:
        text: an error's text, or an address.
        known: secrets in addition to those in the environment.

    Example:
        >>> redacted("Incorrect API key provided: sk-proj-0123456789. Ask at https://me:pass@host/v1?api_key=12345")
        'Incorrect API key provided: [redacted]. Ask at https://[redacted]@host/v1?api_key=[redacted]'
    """
    # The longest first: one secret may be the start of another.
    for secret in sorted({*_environment(), *known}, key=len, reverse=True):
        if secret:
            text = _without(text, secret)
    for shape, instead in _SHAPES:
        text = shape.sub(instead, text)
    return text


def message_of(error: BaseException) -> str:
    """What an error says, a group with the first of its errors; "" where its own class fails to say it."""
    try:
        if isinstance(error, BaseExceptionGroup):
            # As a task group raises, whose own words tell only how many there are.
            members = cast("BaseExceptionGroup[BaseException]", error).exceptions[:_MEMBERS]
            said = "; ".join(map(line_of, members))
            return f"{error}: {said}"
        return str(error).strip()
    except Exception:  # noqa: BLE001 - of anybody's class
        return ""


def line_of(error: BaseException) -> str:
    """An error with its class, in a line; many say nothing more, such as time-outs and plain `assert`s."""
    return f"{type(error).__name__}: {message_of(error) or 'no message'}"


def redact_error(error: BaseException, known: Iterable[str] = ()) -> None:
    """Remove secrets from an error, its notes and its causes, in place, so that callers can still catch its class."""
    secrets, seen, cleaned, waiting = list(known), set[int](), list[BaseException](), cast("list[Any]", [error])
    while waiting:
        found: Any = waiting.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        waiting += [found.__cause__, found.__context__]
        members: Any = getattr(found, "exceptions", ())
        waiting += members if issubclass(type(found), BaseExceptionGroup) else ()
        with suppress(Exception):
            found.args = tuple(_cleaned(value, secrets) for value in found.args)
        for name in ("strerror", "filename", *cast("dict[str, Any]", vars(found))):
            with suppress(Exception):  # A property of the class may raise.
                value: Any = getattr(found, name, None)
                if (clean := _cleaned(value, secrets)) is not value:
                    setattr(found, name, clean)
        cleaned.append(found)
    for found in cleaned:
        _say_without(found, secrets)


def _say_without(error: Any, known: list[str]) -> None:
    """Have an error say no secret of an object that it holds: aiohttp's say the address."""
    for name, write in (("__str__", str), ("__repr__", repr)):
        with suppress(Exception):
            said, kind = write(error), cast("type[Any]", type(error))
            if (clean := redacted(said, known)) == said:
                continue
            if kind.__module__ == "builtins":  # Python holds on to these classes.
                error.args = (clean,)
                return
            own: dict[str, Any] = {"__module__": kind.__module__, name: staticmethod(partial(str, clean))}
            error.__class__ = type(kind.__name__, (kind,), own)


@contextmanager
def redacting(source: object) -> Generator[None]:
    """Remove secrets, including those of the model `source`, from any error that leaves the block."""
    try:
        yield
    except (Exception, BaseExceptionGroup) as error:
        redact_error(error, secrets_of(source))
        raise


def secrets_of(source: object) -> set[str]:
    """The keys, passwords and authorization headers that a model holds, even if it is bound or wrapped."""
    found: set[str] = set()
    _collect(source, "", found, 0, set())
    return {secret for secret in found if len(secret) >= _SHORTEST}


def _collect(value: Any, name: str, found: set[str], depth: int, seen: set[int]) -> None:
    # The search must not replace the error that it is for: urllib3's pool of connections refuses to be listed, a proxy
    # to be asked outside of its context.
    with suppress(Exception):
        _search(value, name, found, depth, seen)


def _search(value: Any, name: str, found: set[str], depth: int, seen: set[int]) -> None:
    if isinstance(value, str):
        if _is_named(name):
            found |= {value, value.partition(" ")[2]}
        elif "://" in value:
            found |= _in_address(value)
        return
    if depth > _DEEPEST or id(value) in seen or value is None or isinstance(value, (bool, int, float, bytes)):
        return
    seen.add(id(value))
    revealed: Any = getattr(value, "get_secret_value", None)
    if callable(revealed):
        found.add(str(revealed()))
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[Any, Any]", value).items():
            _collect(item, str(key), found, depth + 1, seen)
    elif isinstance(value, (list, tuple)):
        for item in cast("list[Any]", value):
            _collect(item, name, found, depth + 1, seen)
    elif type(value).__module__.partition(".")[0] not in ("builtins", "httpx", "asyncio", "threading"):
        # What has no attributes holds nothing.
        for key, item in cast("dict[str, Any]", vars(value)).items():
            _collect(item, key, found, depth + 1, seen)


def _in_address(address: str) -> set[str]:
    try:
        parts = urlsplit(address)
        given = {parts.password or "", parts.username or "" if not parts.password else ""}
        return given | {value for name, value in parse_qsl(parts.query) if _is_named(name)}
    except ValueError:
        return set()


def _environment() -> set[str]:
    # A shell's `PWD` is its working folder.
    return {
        value for name, value in os.environ.items() if len(value) >= _SHORTEST and name != "PWD" and _is_named(name)
    }


def _is_named(name: str) -> bool:
    return bool(_NAMED.search(name)) and not _NOT_NAMED.search(name)


def _cleaned(value: Any, known: list[str], depth: int = 0) -> Any:
    """The value without secrets; the same object if there are none."""
    if isinstance(value, str):
        clean = redacted(value, known)
        return value if clean == value else clean
    if isinstance(value, bytes):
        text = value.decode("latin-1")
        clean = redacted(text, known)
        return value if clean == text else clean.encode("latin-1")
    if depth < _DEEPEST and isinstance(value, dict):
        whole = cast("dict[Any, Any]", value)
        made: Any = {key: _cleaned(item, known, depth + 1) for key, item in whole.items()}
        return made if any(made[key] is not item for key, item in whole.items()) else whole
    if depth < _DEEPEST and type(value) in (list, tuple):
        given = cast("list[Any]", value)
        items = [_cleaned(item, known, depth + 1) for item in given]
        changed = any(new is not old for new, old in zip(items, given, strict=True))
        return type(given)(items) if changed else given
    return value


def _without(text: str, words: str) -> str:
    """Replace `words`, and `words` with percent-encoding decoded, by a mark in any of these forms:

    - unchanged;
    - escaped as in JSON, JavaScript, Python's `repr` and `ascii`, of text and of bytes, up to three times over;
    - percent-encoded, also more than once, with `+` for a space;
    - with HTML's character references;
    - as base64 of UTF-8, at any offset in the encoded data; a character at either end may remain.

    The first four may be mixed. ASCII letters and digits are matched literally, since nothing escapes them."""
    patterns, coded = _forms(words)
    for core in coded:
        text = text.replace(core, MARK)
    for pattern in patterns:
        text = pattern.sub(MARK, text)
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
