"""JSON with mistakes is taken whole or refused: nothing of it is lost, and nothing is guessed."""

from __future__ import annotations

import json
from datetime import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoughtgraph import json_parser
from thoughtgraph.parsers.first_payload import first_payload

steady = settings(deadline=None)  # a shared machine is no reason to fail


def taken(reply: str, schema: Any = None) -> Any:
    """The value of a reply that must parse."""
    result: Any = json_parser(reply, schema)
    assert result["status"] == "success", result
    return result["content"]


def told(reply: str, schema: Any = None) -> str:
    """The feedback on a reply that must not parse."""
    result: Any = json_parser(reply, schema)
    assert result["status"] == "error", result
    return result["feedback"]


WITHOUT_QUOTES = ["1 000 000", "12:30", "5 or 6", "10 kg", "10^6", "0.7 million", "2024-01-02", "1.2.3", "5%", "007"]
WITHOUT_QUOTES += ["~5", "don't know", "5 (approx.)", "null null", "-5 to -3", "1e", "3/4", "0x1F", "https://a.b/c"]


@pytest.mark.parametrize("written", WITHOUT_QUOTES)
def test_a_value_without_quotes_is_a_number_or_a_text_as_a_whole(written: str) -> None:
    assert taken(f'{{"a": {written}, "b": 1}}') == {"a": written, "b": 1}
    assert taken(f'{{"b": 1, "a": [{written}, 2]}}') == {"b": 1, "a": [written, 2]}
    if written != "007":
        assert f'`a`: write a number, not "{written}"' in told(f'So: {{"a": {written}}}.', dict[str, float])


def test_the_type_decides_what_a_value_without_quotes_means() -> None:
    assert taken('{"t": 12:30}', dict[str, time]) == {"t": time(12, 30)}
    assert '`n`: write a whole number, not "1 000"' in told('{"n": 1 000}', dict[str, int])


# Behind a bracket that closes the object stands prose, which may be anything.
MARKS = st.text("0123456789.,:+-*/^%_e kmg'()=…`{[]\"#", min_size=1, max_size=9)


@steady
@given(MARKS)
def test_no_mark_of_a_value_is_lost(written: str) -> None:
    result: Any = json_parser(f'{{"a": {written}, "b": 1}}')
    if result["status"] == "error":
        return
    value = result["content"]
    if "a" not in value or isinstance(value["a"], (dict, list)) or "#" in written or '"' in written:
        return
    assert {"a", "b"} <= set(value)
    if len(value) > 2:
        return
    if isinstance(value["a"], str):
        assert value["a"] == written.strip() or written.strip()[0] == "'"
    elif " " not in written.strip():
        assert float(written) == value["a"]


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ('{"a": 1,000}', "`000}`"),
        ('{"a": 12,50}', "`50}`"),
        ('{"a": [12,50 EUR]}', "`50 EUR]}`"),
        ("[1,000, 2]", "`000, 2]`"),
        ("[1 000 000]", "`1 000 000]`"),
        ('{"a": NaN}', "`NaN}`"),
        ('{"a": -Infinity}', "`-Infinity}`"),
        ('{"a": 1e999}', "`1e999}`"),
        ("1e999", "No number is as large as 1e999"),
        ("+5", "There is no JSON"),
        ('["a", ...]', "`...]`"),
        ('{"a": b: 1}', "`b: 1}`"),
        ("{a: 1 b: 2}", "`1 b: 2}`"),
        ('{"a": f(1, 2)}', "`f(1, 2)}`"),
        ('{"a": , "b": 2}', '`, "b": 2}`'),
        ('{"a" 1}', '`"a" 1}`'),
        ('{"a": "x", "title"}', '`"x", "title"}`'),
        ('{"a": "x" "y"}', '`"x" "y"}`'),
        ('{"a": "one" or "two"}', '`"one" or "two"}`'),
        ('["say "a", "b" now", "c"]', '`"say "a", "b" now", "c"]`'),
        ("{'a': 'the dogs' bowl', 'b': 1}", "`'the dogs' bowl', 'b': 1}`"),
        ('{"a": \'b", "c": 1}', '`\'b", "c": 1}`'),
        ('{"a": [1, 2, "b": 3}', '`"b": 3}`'),
        ('{"a": 1}, "b": 2}', '`, "b": 2}`'),
        ('{"a": 12', "`12`"),
        ('{"a": tru', "`tru`"),
        ('{"a": [1, 2], "b', '`"b`'),
        ('{"a": [1, 2], "b": ', "breaks off"),
        ('{"a": [1, 2], ', "breaks off"),
        ('[{"a": 1}, {"a": "x",', "breaks off"),
    ],
)
def test_what_can_be_read_in_several_ways_is_refused_at_its_place(reply: str, place: str) -> None:
    assert place in told(reply)
    assert place in told(f"Here:\n```json\n{reply}\n```" if "off" not in place and reply[-1] in "]}" else reply)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("{'a': 'it's fine', 'b': 1}", {"a": "it's fine", "b": 1}),
        ("['it's', 'that's', 'rock 'n' roll']", ["it's", "that's", "rock 'n' roll"]),
        ("{'a': 'it\\'s', \"b\": \"it's\"}", {"a": "it's", "b": "it's"}),
        ('{"a": "Say "hi", then go", "b": 2}', {"a": 'Say "hi", then go', "b": 2}),
        ('{"a": "use "]" here"}', {"a": 'use "]" here'}),
        ('{"a": "他说"你好"再见"}', {"a": '他说"你好"再见'}),
        ("{“a”: “b”, ‘c’: ‘it’s’}", {"a": "b", "c": "it’s"}),
        ('｛"a"："去，北京"，"b"：［1，2］｝', {"a": "去，北京", "b": [1, 2]}),
        ('{"a": "b " + "c"}', {"a": "b c"}),
        ('{"a": "50% \\(x\\)"}', {"a": "50% \\(x\\)"}),
        ('{"a": 1_000, "b": +5, "c": .5}', {"a": 1000, "b": 5, "c": 0.5}),
        ('{"a": 1 "b": 2\n"c": 3}', {"a": 1, "b": 2, "c": 3}),
        ("{a: 1\nb: 2}", {"a": 1, "b": 2}),
        ('{1: "a", 2: "b"}', {"1": "a", "2": "b"}),
        ('{"a": 1 // one\n, "b": 2 # two\n}', {"a": 1, "b": 2}),
        ('{"colors": [red, green]}', {"colors": ["red", "green"]}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('{"a": 1\n\nHope this helps: yes.', {"a": 1}),
        ('```json\n{"a": 12\n```\nDone.', {"a": 12}),
        ('```json\n{"a": "cut\n```\nDone.', {"a": "cut"}),
        ('{"a": 1}\n{"a": 2}\n{"a": 3}', [{"a": 1}, {"a": 2}, {"a": 3}]),
        ('{"a": 1}\n\nCorrection:\n\n{"a": 2}', {"a": 2}),
        ('<think>{"a": 1}?</think>\n{"a": 2,}', {"a": 2}),
    ],
)
def test_what_is_clear_is_taken_whole(reply: str, value: Any) -> None:
    assert taken(reply) == value


@pytest.mark.parametrize(
    "prose",
    [
        *("Sorry [not available].", "see {this}", "[Your Name]", "- [ ] milk\n- [x] tea", "[a](https://b.c)", "{a, b}"),
        *("\\frac{1}{2}", "see {note: this}", "{1, 2}", "at {12:30}", "[red, green]", "[10 kg]"),
    ],
)
@pytest.mark.parametrize("frame", ["{}", "I am afraid so: {} And so on."])
def test_brackets_in_prose_are_no_json(prose: str, frame: str) -> None:
    assert "```json" in told(frame.replace("{}", prose) if frame != "{}" else prose)
    assert "```json" in told(prose, list[str])


@pytest.mark.parametrize("after", ["Note [2].", 'It is {"b": 1}.', "", "[]"])
def test_nothing_else_stands_in_for_a_block_that_cannot_be_read(after: str) -> None:
    assert "`12:30 pm: 5}`" in told(f'First {{"a": 1}}.\n```json\n{{"t": 12:30 pm: 5}}\n```\n{after}')


def test_a_broken_correction_does_not_leave_its_draft() -> None:
    assert "`b: 2}`" in told('{"a": 1}\n\nCorrection: {"a": b: 2}')
    assert "`x y} then [1]`" in told('{"t": 12, x y} then [1]')


@steady
@given(
    st.dictionaries(st.text("ab", min_size=1), st.text("ab '\",:{}[]\\\n“”，。", max_size=8), min_size=1, max_size=3)
)
def test_texts_in_pythons_form_are_read_as_they_are_or_refused(value: dict[str, str]) -> None:
    result: Any = json_parser(repr(value))
    if not any("\\" in text or "\n" in text for text in value.values()):
        assert result["status"] == "error" or result["content"] == value
    assert taken(json.dumps(value)[:-1] + ",}") == value


@pytest.mark.parametrize(
    "reply",
    [
        'The format is {"a": 0, "b": 0}.\n\n{"a": 5, "b": 6',
        '{"draft": [1, 2]}\nCorrected: {"draft": [1, 2, 3',
        '{"old": 1}\n\nNow the new one: {"new": 12',
    ],
)
def test_what_stands_before_an_answer_that_breaks_off_is_no_answer(reply: str) -> None:
    assert "breaks off" in json_parser(reply)["feedback"]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"title": Fix issue #3, "n": 1}', {"title": "Fix issue #3", "n": 1}),
        ('{"lang": C #, "n": 1}', {"lang": "C #", "n": 1}),
        ('{"tags": [\n  #travel,\n  #food\n]}', {"tags": ["#travel", "#food"]}),
        ('{"a": 0}[, "b": 1}', None),
        ('{"a": 0}{, "b": 1}', None),
        ('{"n": 1, // count\n "b": 2 # two\n}', {"n": 1, "b": 2}),
        ('{"n": 1 /* c */, "b": "x" // y\n}', {"n": 1, "b": "x"}),
        ('{"expr": a // b, "n": 1}', None),
        ('{"ratio": 3 // 2}', None),
        ('{"ratio": 3 // 2\n}', None),
        ('{"a": "b" # and so on}', None),
    ],
)
def test_a_comment_takes_in_nothing_that_is_said(reply: str, value: Any) -> None:
    parsed = json_parser(reply)
    assert (parsed["content"] if parsed["status"] == "success" else None) == value


def test_texts_that_plus_signs_join_may_be_many() -> None:
    joined = " + ".join(['"y"'] * 1_200)
    assert json_parser(f'{{"a": {joined}}}')["content"] == {"a": "y" * 1_200}
    payload = first_payload(f'{{"status": "done", "response": {joined},}}', {"done"})
    assert payload is not None and payload.value["response"] == "y" * 1_200


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 1} is the result, "b": was left out.', {"a": 1}),
        ('The answer is {"a": 1}, "a": being the count.', {"a": 1}),
        ("{'a': 1},\n{'a': 2}", [{"a": 1}, {"a": 2}]),
        ('{"a": {"input": "x y", "z w"}, "b": 1}', {"a": {"input": ["x y", "z w"]}, "b": 1}),
        ('{"a": "x", "b": "y", "z a",\n "w a" }', {"a": "x", "b": ["y", "z a", "w a"]}),
        (r'{"t": "\frac{1}{2} and \beta, then\n\d"}', {"t": "\\frac{1}{2} and \\beta, then\n\\d"}),
    ],
)
def test_what_is_plainly_meant_is_taken(reply: str, value: Any) -> None:
    assert json_parser(reply)["content"] == value


def test_a_long_list_with_a_mistake_is_said_to_be_too_long() -> None:
    assert "too long to be mended" in json_parser("[" + '{"a": 1}, ' * 3_000 + "]")["feedback"]
