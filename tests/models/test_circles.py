"""A text that runs in circles is found while it is written, and no good text is taken for one."""

from __future__ import annotations

import base64
import csv
import io
import json
import random
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import ROOT
from thoughtgraph.models.streams.circles import Watch, circle_in

SENTENCE = "I will check the result once more and then write the answer. "
CIRCLES = {
    "sentence": SENTENCE,
    "short words": "the ",
    "line": "We need to look at the list again.\n",
    "code": "    result = compute the total\n",
    "block of lines": "def total(numbers):\n    count the numbers\n    return the count\n\n",
    "long block": "".join(
        f"Step {word}: look at the {word}.\n" for word in ["alpha", "beta", "gamma", "delta", "omega"]
    )
    * 2,
    "Chinese": "我再检查一遍答案。",
    "Chinese lines": "我再检查一遍答案。\n",
    "a word a line": "thinking\n",
    "letters": "ab",
    "one character": "!",
    "empty lines": "\n",
    "rows of data": '{"step": "look", "done": false},\n',
    "zeros": "0, ",
}


def found_at(text: str, size: int) -> int | None:
    """How much of a text has arrived when it is found to circle, in pieces of a size; None if it never is."""
    watch = Watch()
    return next((at + size for at in range(0, len(text), size) if watch.circles(text[at : at + size])), None)


@pytest.mark.parametrize("size", [1, 7, 5_000], ids="{} characters".format)
@pytest.mark.parametrize("copy", CIRCLES.values(), ids=CIRCLES)
def test_a_circle_is_found_while_it_arrives(copy: str, size: int) -> None:
    text = "Let me think.\nFirst, " + copy * (60_000 // len(copy))
    at = found_at(text, size)
    assert at is not None
    assert at <= 22_500 + size
    assert circle_in(text[:at].rstrip("\n ") if copy.strip() else text[:at]) is not None


@pytest.mark.parametrize("name", ["sentence", "short words", "line", "block of lines", "Chinese", "Chinese lines"])
def test_prose_and_code_are_found_within_forty_copies(name: str) -> None:
    copy = CIRCLES[name]
    at = found_at("Let me think.\n" + copy * 500, 4)
    assert at is not None
    assert at < max(1_400, 40 * len(copy))


def test_a_circle_says_where_it_begins_and_what_comes_again() -> None:
    circle = circle_in("Plan:\n1. Look.\n" + "2. Look   again,\n   and again.\n" * 50 + "2. Lo")
    assert circle is not None
    assert (circle.start, circle.period, circle.shown) == (15, 31, "2. Look again, and again.")


def test_what_comes_again_is_shown_in_a_line_of_bounded_length() -> None:
    circle = circle_in(" ".join(f"word{chr(97 + n)}" for n in range(20)).join(["Go. "] + [" "] * 20) * 3)
    assert circle is not None
    assert len(circle.shown) <= 82
    assert "\n" not in circle.shown


@given(
    before=st.text(max_size=50),
    copy=st.text("abc defg\n", min_size=1, max_size=120),
    copies=st.integers(1, 80),
)
def test_what_is_found_repeats_over_most_of_six_hundred_characters(before: str, copy: str, copies: int) -> None:
    text = before + copy * copies
    circle = circle_in(text)
    if circle is not None:
        run = text[circle.start :]
        # Of 600 characters the first 50 may be anything, and the start is put to the next line or word.
        assert len(run) + circle.period >= max(550, 12 * circle.period)
        assert run == (run[: circle.period] * (len(run) // circle.period + 1))[: len(run)]


@given(
    before=st.text("xyz \n", max_size=300),
    copy=st.text("abcdefgh", min_size=20, max_size=100).filter(lambda copy: len(set(copy)) > 1),
    size=st.integers(1, 900),
)
def test_every_piece_of_words_that_is_repeated_long_enough_is_found(before: str, copy: str, size: int) -> None:
    text = before + copy * (6_000 // len(copy))
    assert circle_in(text) is not None
    assert found_at(text, size) is not None


def table(rows: int) -> str:
    """A Markdown table of equal cells."""
    return "| name | done | note |\n| --- | --- | --- |\n" + "| task | no | - |\n" * rows


def comma_separated(rows: int) -> str:
    """Rows as a program writes them."""
    out = io.StringIO()
    csv.writer(out).writerows([["Oslo", "Norway", "open"]] * rows)
    return out.getvalue()


def poem() -> str:
    """Stanzas with a refrain of two lines."""
    stanzas = (f"The {thing} came down to the water\nand {thing} was all that it said.\n" for thing in WORDS)
    return "".join(f"{stanza}Row on, row on, my daughter,\nthe night is a wonderful thread.\n\n" for stanza in stanzas)


WORDS = [f"{a}{b}" for a in ("sun", "moon", "bird", "tree", "star") for b in ("light", "song", "shade", "rise", "fall")]
GOOD = {
    "Markdown table": table(80),
    "empty table": "|  |  |  |\n" * 300,
    "check list": "- [ ] \n" * 300,
    "long list": "".join(f"{n}. item {n}\n" for n in range(2_000)),
    "equal bullets": "- to do\n" * 60,
    "similar asserts": "".join(f"    assert double({n}) == {2 * n}\n" for n in range(400)),
    "equal asserts": "    assert next(numbers) == 0\n" * 20,
    "JSON, equal rows": json.dumps([{"name": "task", "done": False, "tags": []}] * 80, indent=None),
    "JSON, equal rows, indented": json.dumps([{"name": "task", "done": False}] * 60, indent=2),
    "JSON lines": '{"role": "user", "content": "hi"}\n' * 100,
    "JSON of nulls": json.dumps([None] * 700),
    "list of booleans": repr([False] * 600),
    "CSV": comma_separated(200),
    "tabs": "yes\tno\tyes\n" * 300,
    "table of zeros": ("0 " * 60 + "\n") * 60,
    "zeros with points": ("0.0, " * 40 + "\n") * 60,
    "hex dump": ("00 " * 16 + "\n") * 200,
    "HTML rows": "<tr><td></td><td></td></tr>\n" * 120,
    "rulers": ("=" * 100 + "\n" + "-" * 100 + "\n" + "~" * 79 + "\n") * 20,
    "long ruler": "#" * 2_000,
    "blank lines": "\n" * 2_000,
    "ASCII art": "\n".join(" " * (40 - n) + "*" * (2 * n + 1) for n in range(40)),
    "grid": ("+---" * 20 + "+\n" + "|   " * 20 + "|\n") * 40,
    "poem": poem(),
    "chorus": "Oh my love, my love\nis a river, is a river.\n" * 11,
    "laughter": "ha " * 150,
    "repeated lines of code": "".join(f"    total = total + rows[{n}].price * rows[{n}].count\n" for n in range(300)),
    "match arms": "".join(f'        case "{word}":\n            return "{word}"\n' for word in WORDS),
    "equal calls": "    next(lines)\n" * 35,
    "base64": base64.b64encode(random.Random(1).randbytes(15_000)).decode(),
    "base64 of zeros": base64.encodebytes(bytes(1_500)).decode(),
    "base64 of spaces": base64.encodebytes(b" " * 1_500).decode(),
    "labels": "neutral\n" * 400,
    "Chinese labels": "未开始\n" * 400,
    "truth values": "True\nFalse\n" * 200,
    "gene": "CAG" * 700,
    "code of one word a line": "    nop\n" * 200,
    "escaped zeros": "\\x00" * 500,
    "spaces before code": " " * 2_000 + "x = 1",
    "Lorem ipsum": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.\n\n" * 11,
}


@pytest.mark.parametrize("size", [7, 1_000], ids="{} characters".format)
@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_no_good_text_is_taken_for_a_circle_at_any_point(text: str, size: int) -> None:
    assert found_at(text, size) is None
    assert circle_in(text) is None


TEXTS = {".py", ".pyi", ".md", ".json", ".jsonl", ".js", ".css", ".html", ".svg", ".toml", ".ipynb"}
OF_A_MACHINE = {"build", "dist", "runs", "node_modules"}


def repository_files() -> Iterator[tuple[str, str]]:
    """The texts of this repository, or of a source distribution."""
    kept = [path for path in ROOT.iterdir() if not path.name.startswith(".") and path.name not in OF_A_MACHINE]
    for path in sorted(one for top in kept for one in ([top] if top.is_file() else top.rglob("*"))):
        # What models have written may well run in circles.
        if path.suffix in TEXTS and not {"_build", "replies"} & set(path.parts):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_no_file_of_this_repository_is_taken_for_a_circle_at_any_point() -> None:
    files = dict(repository_files())
    assert len(files) > 500
    assert [name for name, text in files.items() if found_at(text, 40) or circle_in(text)] == []
    assert found_at("".join(files.values()), 4_000) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["0 " * 9_000 + SENTENCE, "a" * 2_300 + "b", "".join(WORDS)], ids=["data", "run", "words"]
)
def test_four_times_the_text_takes_no_more_than_eight_times_as_long(text: str) -> None:
    def seconds(size: int) -> float:
        long = "".join(f"{n} {text}" for n in range(size // len(text)))
        started = time.process_time()
        assert found_at(long, 8) is None
        return time.process_time() - started

    # Quadratic, it would be sixteen times.
    assert min(seconds(1_000_000) for _ in range(3)) < 8 * min(seconds(250_000) for _ in range(3))
