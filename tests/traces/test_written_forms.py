"""A known secret is found however it is written: escaped, percent-encoded, as base64, and in mixtures of these."""

from __future__ import annotations

import html
import json
import re
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from thoughtgraph._internal.redact import MARK, redact_error, redacted

SECRETS = {
    "quote": 'pass"word-xyz',
    "backslash": "pass\\word\\\\xyz",
    "umlaut": "päss-wört-xyz",
    "slash": "pass/word/xyz+=",
    "apostrophe": "pass'word-xyz",
    "blank": "pass word & <xyz>",
    "emoji": "pass\U0001f600word",
    "lines": "-----BEGIN\nMII/x+\ty\r\n-----END",
    "percent": "pass%40word-xyz",
    "plain": "correct-horse-battery",
    "all special": "\"\\/'<>&%+=",
}
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": lambda s: json.dumps(s)[1:-1],
    "JSON in UTF-8": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "JSON with slashes": lambda s: json.dumps(s)[1:-1].replace("/", "\\/"),
    "JSON upper case": lambda s: "".join(
        f"\\u{unit.upper()}" if len(unit) == 4 else unit
        for c in s
        for unit in (
            [c]
            if c.isascii() and c not in '"\\\n\r\t'
            else [c.encode("utf-16-be").hex()[i : i + 4] for i in range(0, len(c.encode("utf-16-be").hex()), 4)]
        )
    ),
    "JSON for HTML": lambda s: (
        json.dumps(s)[1:-1].replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    ),
    "JSON in JSON": lambda s: json.dumps(json.dumps(s))[1:-1],
    "JSON three times": lambda s: json.dumps(json.dumps(json.dumps(s))),
    "repr": repr,
    "ascii": ascii,
    "repr of bytes": lambda s: repr(s.encode()),
    "JSON of repr": lambda s: json.dumps(repr(s)),
    "repr of JSON": lambda s: repr(json.dumps(s)),
    "bytes as Latin-1": lambda s: s.encode().decode("latin-1"),
    "percent": lambda s: quote(s, safe=""),
    "percent, lower case": lambda s: "".join(
        c if c.isalnum() and c.isascii() else "".join(f"%{b:02x}" for b in c.encode()) for c in s
    ),
    "percent, slashes left": quote,
    "form": quote_plus,
    "percent twice": lambda s: quote(quote(s, safe=""), safe=""),
    "percent in JSON": lambda s: json.dumps(quote_plus(s)),
    "HTML": html.escape,
    "HTML by number": lambda s: "".join(c if c.isalnum() and c.isascii() else f"&#{ord(c)};" for c in s),
    "HTML by hexadecimal": lambda s: "".join(c if c.isalnum() and c.isascii() else f"&#x{ord(c):X};" for c in s),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_known_secret_is_found_in_every_form(secret: str, form: str) -> None:
    written = FORMS[form](secret)
    shown = redacted(f"before [{written}] after", [secret])
    assert MARK in shown
    # Quotes of the form's own may be left.
    left = re.fullmatch(r"before \[(.*)\] after", shown.replace(MARK, ""), re.DOTALL)
    assert left is not None
    assert set(left[1]) <= set("b'\"\\")


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode], ids=["standard", "for addresses"])
@pytest.mark.parametrize("before", ["", "u", "us"], ids="at {0}".format)
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_known_secret_is_found_in_base64(secret: str, before: str, encode: Callable[[bytes], bytes]) -> None:
    coded = encode(f"{before}{secret}:more".encode()).decode()
    shown = redacted(f"header {coded} refused", [secret])
    assert MARK in shown
    left = shown.partition(MARK)
    # What is left of the secret is less than a byte at either end.
    assert len(left[0].removeprefix("header ")) <= len(encode(before.encode()).decode().rstrip("=")) + 1
    assert secret.encode()[2:-2] not in shown.encode()


secrets = st.text(st.characters(codec="utf-8", exclude_characters="[]"), min_size=8, max_size=12)


@settings(max_examples=80, deadline=None)
@given(secrets, st.sampled_from(sorted(FORMS)))
@example("\\" * 9, "JSON")
@example('\\"' * 5, "JSON in JSON")
@example("\\u0041\\n" * 3, "repr")
def test_any_secret_is_found_in_any_form(secret: str, form: str) -> None:
    assert MARK in redacted(f"x {FORMS[form](secret)} y", [secret])


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_bytes_and_causes_of_an_error_lose_every_form(secret: str) -> None:
    error = ValueError(
        f"sent {json.dumps(secret)}", {"body": secret.encode(), "url": f"http://h/?q={quote_plus(secret)}"}
    )
    redact_error(error, [secret])
    assert str(error).count(MARK) == 3


@pytest.mark.parametrize(
    "text", ["", "password", "pass word", "pass\\word", "correct horse battery", "%%%%", "\\\\\\\\"]
)
def test_what_only_resembles_a_secret_is_left(text: str) -> None:
    assert redacted(text, SECRETS.values()) == text


def test_an_empty_secret_is_none() -> None:
    assert redacted("as it is", [""]) == "as it is"


@pytest.mark.parametrize(
    "piece", ["\\", "%25", "&#0", "\\u00", "p", "pass\\", "%", '"', '\\\\\\\\"', "pass\\\\\\\\\\\\\\\\"]
)
def test_reading_a_long_error_takes_time_in_proportion(piece: str) -> None:
    """In processor time: four times the text may take no sixteen times as long."""

    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.process_time()
        redacted(text, SECRETS.values())
        return time.process_time() - started

    seconds(1_000)
    assert seconds(80_000) < 10 * seconds(20_000) + 0.1
