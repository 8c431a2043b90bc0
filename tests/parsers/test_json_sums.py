"""JSON of small models: sums in the place of numbers, and spaces around the names of fields."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from thoughtgraph.parsers import json_parser


class Line(BaseModel, extra="forbid"):
    """A line of an invoice."""

    item: str
    amount: float


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2 * 45", 90),
        ("2 * 45 + 1 * 120", 210),
        ("10 - 2 * 3", 4),
        ("-1 + 3", 2),
        ("7 / 2", 3.5),
        ("2000 - (850 + 400)", 750),
        ("1200 - (700 + (30 * 4)) - 0.5", 379.5),
        ("100 - (80 + 30)", -10),
        ("(2 + 3) * 4 = 20", 20),
        ("0.1 + 0.2", 0.3),
        ("48.00 + 6.20 = 54.20", 54.2),
    ],
)
@pytest.mark.parametrize("frame", ['{"item": "x", "amount": %s}', '```json\n{"item": "x",\n "amount": %s\n}\n```'])
def test_a_sum_is_worked_out(frame: str, written: str, meant: float) -> None:
    assert json_parser(frame % written, Line)["content"] == Line(item="x", amount=meant)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "2 * 45", "b": 1,}',
        '{"a": "x: 1 + 1, y", "b": 1,}',
        "{'a': '2026-03-01', 'b': 1}",
        '{"a": "say \\"[1 + 1]\\"", "b": 1,}',
    ],
)
def test_what_is_text_stays_text(text: str) -> None:
    content: Any = json_parser(text)["content"]
    assert isinstance(content["a"], str)
    assert content["a"].strip("\"'") in text.replace('\\"', '"')


@pytest.mark.parametrize("written", ["2 + 2 = 5", "1 / 0", "2026-03-01", "1 +", "2 * (3 + 4", "2) * (3", "1 / (2 - 2)"])
def test_what_nobody_can_work_out_is_no_number(written: str) -> None:
    assert json_parser(f'{{"item": "x", "amount": {written}}}', Line)["status"] == "error"


def test_names_with_spaces_around_them_are_those_that_the_schema_has() -> None:
    assert json_parser('{" item": "x", "amount ": 1}', Line)["content"] == Line(item="x", amount=1)
    lines = json_parser('[{" item": "x", "amount": 1}]', list[Line])
    assert lines["content"] == [Line(item="x", amount=1)]
    assert json_parser('{" item": "x"}')["content"] == {" item": "x"}, "without a schema nothing is known of names"
    both = json_parser('{"item": "x", " item": "y", "amount": 1}', Line)
    assert "` item`" in both["feedback"], "one of the two would be lost"


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_valid_json_is_never_changed(value: Any) -> None:
    assert json_parser(json.dumps([value]))["content"] == [value]


@given(st.text(alphabet='0123456789.+-*/ =:,[]{}"\\x', max_size=80))
def test_any_text_is_an_answer_or_feedback(text: str) -> None:
    assert json_parser("{" + text, Line)["status"] in ("success", "error")


@pytest.mark.parametrize(
    "text",
    [
        "{'note': 'ratio: 4 / 2, ok', 'n': 1,}",
        '{"pages": 10 - 12}',
        '{"years": 2019 - 2021}',
        '{"date": 2024 - 01 - 02}',
    ],
)
def test_a_range_a_date_and_a_text_are_no_sums(text: str) -> None:
    content = json_parser(text).get("content")
    assert content is None or not {-2, -679, 2021, "ratio: 2, ok"} & set(content.values())
