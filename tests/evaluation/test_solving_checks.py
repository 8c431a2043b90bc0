"""What the visible checks of the benchmark's domains say, and that no answer can do harm."""

from __future__ import annotations

import sys
from copy import deepcopy
from typing import Any

import pytest
from support.paths import ROOT
from thoughtgraph._internal.strict_json import dumps

sys.path.insert(0, str(ROOT))

from benchmarks.solving.checks import tasks_of, verifier_of
from benchmarks.solving.checks.extraction import SCHEMAS, Fields, Values
from benchmarks.solving.checks.rules import RULES
from benchmarks.solving.checks.sql import FirstDatabase
from benchmarks.solving.checks.writing import Rules

WRITING = [task.row for task in tasks_of("writing")]
FIRST = {row["schema"]: row["reference"] for row in reversed([task.row for task in tasks_of("extraction")])}

CASES: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "words": ({"least": 2, "most": 3}, "Two words.", "One.", "1 words; 2 to 3"),
    "sentences": ({"least": 2, "most": 2}, "It is 3.5 m. Good!", "It is 3.5 m.", "1 sentences; exactly 2"),
    "lines": ({"least": 2, "most": 2}, "a\n\nb", "a", "1 lines"),
    "paragraphs": ({"count": 2}, "a\nb\n\nc", "a\nb\nc", "1 paragraphs"),
    "characters": ({"most": 3}, "abc", "abcd", "4 characters; at most 3"),
    "line_words": ({"least": 1, "most": 2}, "1. a b\nc", "a\nb c d", "Line 2 has 3 words; 1 to 2"),
    "sentence_words": ({"least": 1, "most": 2}, "A b. C.", "A b. C d e.", "Sentence 2 has 3 words"),
    "uses": ({"words": ["tea", "cup"]}, "Tea in a cup.", "Teapot in a cup.", "does not use 'tea'"),
    "uses_one_of": ({"words": ["tea", "cup"]}, "A cup.", "A mug.", "none of tea, cup"),
    "uses_times": ({"word": "tea", "count": 2}, "Tea, tea.", "Tea.", "'tea' 1 times; exactly 2"),
    "avoids": ({"words": ["tea"]}, "A teapot.", "My tea.", "uses 'tea', which it must not"),
    "avoids_characters": ({"characters": "ez"}, "A box.", "A zebra.", "characters 'e', 'z'"),
    "in_order": ({"words": ["a", "b"]}, "a b a", "b a", "do not first come in this order"),
    "starts_with": ({"start": "We"}, "We go.", "They go.", "does not start with 'We'"),
    "ends_with": ({"end": "!"}, "Go!\n", "Go.", "does not end with '!'"),
    "initials": ({"letters": "AB"}, "ant\nBee", "ant\ncat", "letters AC; AB"),
    "line_starts": ({"start": "- "}, "- a\n- b", "- a\nb", "Line 2 does not start with '- '"),
    "line_ends": ({"end": "x"}, "ax\nbx", "a\nbx", "Line 1 does not end with 'x'"),
    "numbered": ({}, "1. a\n2. b", "1. a\n3. b", "Line 2 does not start with '2. '"),
    "word_initial": ({"letter": "s"}, "Six sons.", "Six men.", "'men' does not start"),
    "avoids_initial": ({"letter": "c"}, "1. dog", "1. Cow", "'Cow' starts with the letter 'c'"),
    "lowercase": ({}, "all low.", "All low.", "'All' is not in lower case"),
    "uppercase": ({}, "ALL UP 2", "ALL up", "'up' is not in upper case"),
    "no_digits": ({}, "ten", "10", "has a digit"),
    "questions": ({"count": 1}, "Who? Me.", "Who? Why?", "2 questions; exactly 1"),
    "alphabetical": ({}, "- Ant\n- bee", "bee\nant", "Line 2 is not in alphabetical order"),
    "reverse_alphabetical": ({}, "bee\nant", "ant\nbee", "not in reverse alphabetical order"),
    "rising": ({}, "a\nb c", "a b\nc d", "Line 2 does not have more words"),
    "different_lines": ({}, "a\nb", "1. a\n2. A", "Two lines are the same"),
    "different_starts": ({}, "We go. You stay.", "We go. We stay.", "start with the same word"),
    "different_words": ({}, "one two", "one two One", "uses 'one' more than once"),
    "parts": ({"mark": ",", "count": 2}, "a, b", "a, b, c", "Line 1 does not have exactly 2 parts"),
    "avoids_start": ({"word": "the"}, "A cat. It sleeps.", "A cat. The dog.", "starts with 'the'"),
    "sentence_starts": ({"words": ["Go", "Stop"]}, "Go on. Stop it.", "Stop. Go.", "do not start with Go, Stop"),
    "sentence_rising": ({}, "A b. C d e.", "A b. C d.", "have [2, 2] words"),
    "line_counts": ({"counts": [1, 2]}, "a\nb c", "a b\nc", "have [2, 1] words; [1, 2]"),
    "first_line_words": ({"count": 1}, "a\nb c", "a b\nc", "Line 1 has 2 words"),
    "line_first_words": ({"words": ["We", "You"]}, "We go\nYou go", "We go\nYour go", "do not start with We, You"),
    "first_line_upper": ({}, "TEA\n\nIs good.", "Tea\n\nIs good.", "'Tea' is not in upper case"),
    "text_sentences": ({"count": 1}, "TEA\n\nIs good.", "TEA\n\nIs good. Is hot.", "2 sentences; exactly 1"),
    "inner_line_ends": ({"end": ","}, "a,\nb.", "a\nb.", "Line 1 does not end with ','"),
    "not_ends": ({"end": "."}, "a, b", "a, b.", "ends with '.', which it must not"),
    "dialog": ({"speakers": ["A", "B"]}, "A: Hi\nB: Hi", "A: Hi\nA: Hi", "Line 2 does not start with 'B:'"),
    "longest_word": ({"letters": 3}, "a cat", "a lion", "'lion' has more than 3 letters"),
    "characters_times": ({"character": ",", "count": 1}, "a, b", "a b", "',' 0 times; exactly 1"),
    "first_letter_not": ({"letters": "ae"}, "Be", "At", "starts with 'a'"),
    "chain": ({}, "tree eagle ear", "tree ant", "'ant' does not start with the last letter of 'tree'"),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_passes_what_meets_it_and_says_what_does_not(name: str) -> None:
    arguments, good, bad, words = CASES[name]
    verify = Rules([{"rule": name, **arguments}])
    assert verify("Write.", good).status == "passed", verify("Write.", good).feedback
    verdict = verify("Write.", bad)
    assert (verdict.status, verdict.points) == ("failed", 0.0)
    assert words in verdict.feedback


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It costs 3.50 or 1,000.", 5),
        ("The U.S. at 9:30 a.m.", 5),
        ("One, two.Three", 3),
        ("well-known, it's", 2),
        ("\u6211\u559c\u6b22\u559d\u8336\u3002", 5),
        ("\u559d tea", 2),
    ],
)
def test_a_number_an_abbreviation_and_a_chinese_character_are_a_word_each(text: str, count: int) -> None:
    assert RULES["words"](text, least=count, most=count) == ""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Mr. Smith came. He left.", 2),
        ("Herbs, e.g. Mint, are good.", 1),
        ("At 9 a.m. we go. It is late.", 2),
        ("It ends at 9 a.m. We go.", 2),
        ("Well... maybe. No... Yes.", 3),
        ("i like tea. she does not.", 2),
        ("The sea is\ncalm today. It\nsleeps.", 2),
        ("The sea\nThe land", 2),
        ("- apples\n- pears", 2),
        ("\u201cI like tea.\u201d She smiled.", 2),
        ("\u201cI like tea!\u201d she said.", 1),
        ("**Bold.** Next.", 2),
        ("\u6211\u559d\u8336\u3002\u4f60\u5462\uff1f\u597d\uff01", 3),
    ],
)
def test_a_sentence_ends_where_a_reader_ends_it(text: str, count: int) -> None:
    assert RULES["sentences"](text, least=count, most=count) == ""


def test_a_chinese_question_is_one() -> None:
    assert RULES["questions"]("\u4f60\u5462\uff1f\u597d\u3002", count=1) == ""


@pytest.mark.parametrize(
    ("text", "word", "used"),
    [
        ("In conclusion, it works.", "in conclusion", True),
        ("In the conclusion it works.", "in conclusion", False),
        ("A cup of Green tea.", "green tea", True),
        ("The dog's bone.", "dog", True),
        ("The dog\u2019s bone.", "dog", True),
        ("It's fine.", "it's", True),
        ("All dogs.", "dog", False),
        ("Dog.", "dog's", False),
        ("\u6211\u559d\u8336", "\u8336", True),
        ("\u6211\u559d\u8336", "\u559d\u8336", True),
        ("\u6211\u559d\u6c34", "\u8336", False),
    ],
)
def test_a_phrase_and_a_chinese_word_can_be_asked_for_and_forbidden(text: str, word: str, used: bool) -> None:
    assert (RULES["uses"](text, words=[word]) == "") is used
    assert (RULES["avoids"](text, words=[word]) == "") is not used


def test_every_rule_is_in_use_and_no_text_makes_one_raise() -> None:
    used = {rule["rule"] for row in WRITING for rule in (*row["visible_rules"], *row["hidden_rules"])}
    assert used == set(RULES) == set(CASES)
    for text in ("", ".", "?!\n- \n1.", "\u2019\u2014\ud800", "a\n" * 5_000, "x" * 30_000):
        for name, (arguments, *_) in CASES.items():
            assert Rules([{"rule": name, **arguments}])("Write.", text).status in ("passed", "failed")


def test_each_broken_rule_is_named_and_costs_its_share_of_the_score() -> None:
    rules = [{"rule": "lines", "least": 2, "most": 2}, {"rule": "uses", "words": ["tea"]}, {"rule": "no_digits"}]
    verdict = Rules(rules)("Write.", "coffee")
    assert verdict.feedback.splitlines() == [
        "These rules are not met:",
        "- The text has 1 lines that are not empty; exactly 2 are asked for.",
        "- The text does not use 'tea'.",
    ]
    assert verdict.points == pytest.approx(1 / 3)


BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("invoice", {"total": 1}, "total is 1.0, but the amounts add up to 210.0"),
    (
        "invoice",
        {"lines": [{"item": "x", "quantity": 2, "price": 3, "amount": 5}]},
        "$.lines[0]: amount is",
    ),
    ("invoice", {"extra": 1}, "$.extra: there is no such field"),
    ("booking", {"departure": "2026-06-05"}, "departure 2026-06-05 is not after arrival 2026-06-05"),
    ("booking", {"nights": 9}, "nights is 9, but there are 3"),
    ("booking", {"arrival": "5 June"}, "$.arrival: write a date as YYYY-MM-DD"),
    ("meeting", {"end": "11:00"}, "end 11:00 is not after start 12:00"),
    ("meeting", {"minutes": 1}, "minutes is 1, but there are 75"),
    ("meeting", {"start": "2 pm"}, "$.start: String should match"),
    ("meeting", {"attendees": ["Ana", "Ana"]}, "names somebody twice"),
    ("match", {"result": "draw"}, "result is 'draw', but the goals are 3 to 1"),
    ("match", {"away": "Reds"}, "the same team"),
    ("poll", {"total": 1}, "total is 1, but the votes add up to 13"),
    ("poll", {"winner": "Monday"}, "not the option with the most votes"),
    ("budget", {"saved": 1}, "saved is 1.0, but income minus the expenses is 990.0"),
    ("trip", {"total_km": 1}, "total_km is 1, but the legs add up to 665"),
    ("trip", {"round_trip": True}, "round_trip has to be true exactly if"),
    (
        "trip",
        {"legs": [{"start": "A", "end": "B", "km": 1}, {"start": "C", "end": "D", "km": 1}]},
        "legs[0] ends in B, but the next one starts in C",
    ),
    ("shipment", {"due": "2026-03-01"}, "due 2026-03-01 is before sent 2026-03-02"),
    ("shipment", {"express": False}, "due is 2 days after sent"),
    ("shipment", {"total_kg": 1}, "total_kg is 1.0, but the parcels add up to 5.7"),
    ("recipe", {"total_minutes": 1}, "total_minutes is 1, but prep and cook make 30"),
    ("recipe", {"ingredients": ["egg", "egg"]}, "names something twice"),
    ("weather", {"warmest": "2026-03-01"}, "warmest is 2026-03-01, but that is not the day with 7.0 degrees"),
    ("weather", {"coldest": "2026-03-02"}, "coldest is 2026-03-02"),
    ("weather", {"frost": True}, "frost has to be true exactly if"),
    (
        "weather",
        {"readings": [{"day": "2026-03-02", "celsius": 1}, {"day": "2026-03-01", "celsius": 0}]},
        "in the order",
    ),
]


@pytest.mark.parametrize(("schema", "change", "words"), BROKEN)
def test_a_rule_across_fields_says_what_does_not_fit(schema: str, change: dict[str, Any], words: str) -> None:
    verify = Fields(schema)
    assert verify("Read.", dumps(FIRST[schema])).status == "passed"
    verdict = verify("Read.", dumps({**FIRST[schema], **change}))
    assert verdict.status == "failed"
    assert words in verdict.feedback


def test_every_schema_is_in_use_and_tried() -> None:
    assert set(FIRST) == set(SCHEMAS) == {schema for schema, *_ in BROKEN}


def test_the_values_of_an_extraction_are_compared_as_far_as_the_text_decides_them() -> None:
    compare = Values("trip", FIRST["trip"])
    same, other = deepcopy(FIRST["trip"]), deepcopy(FIRST["trip"])
    same["legs"][0]["start"] = "the  LYON"
    other["legs"][0]["start"] = "Paris"
    assert compare("Read.", dumps(same)).status == "passed"
    verdict = compare("Read.", dumps(other))
    assert (verdict.status, verdict.feedback) == ("failed", "Wrong: legs.")


def first_of(query: str, reference: str = "SELECT name FROM products ORDER BY id", ordered: bool = True) -> Any:
    return FirstDatabase("shop", reference, ordered=ordered)("Ask.", query)


HARM = {
    "delete": "DELETE FROM products",
    "select and delete": "SELECT 1; DELETE FROM products",
    "drop in with": "WITH a AS (SELECT 1) DELETE FROM products",
    "attach": "ATTACH 'other.sqlite' AS other",
    "pragma": "PRAGMA writable_schema = ON",
    "pragma function": "SELECT * FROM pragma_database_list",
    "extension": "SELECT load_extension('libc.so.6')",
    "file": "SELECT writefile('x', 'y')",
    "vacuum": "VACUUM INTO 'copy.sqlite'",
    "transaction": "BEGIN",
    "endless": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
    "many rows": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i FROM n",
    "large value": "SELECT zeroblob(2000000000)",
    "grown value": "SELECT printf('%.*c', 100000000, 'x')",
    "long sorting": "SELECT * FROM order_lines a, order_lines b, order_lines c, order_lines d, order_lines e, "
    "order_lines f, order_lines g ORDER BY random()",
    "long query": "SELECT 1 WHERE 1 IN (" + "1," * 5_000 + "1)",
    "deep": "SELECT " + "(" * 500 + "1" + ")" * 500,
    "zero byte": "SELECT 1\0",
    "surrogate": "SELECT '\ud800'",
    "nothing": "",
}


@pytest.mark.parametrize("query", HARM.values(), ids=HARM)
def test_a_query_that_would_do_harm_or_never_end_is_a_failed_answer(query: str) -> None:
    verdict = first_of(query)
    assert verdict.status == "failed"
    assert verdict.feedback
    assert not list(ROOT.glob("*.sqlite"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT title FROM products", "no such column: title. The table products has the columns id, name, category,"),
        ("SELECT name FROM goods", "no such table: goods. The tables are customers, products, orders, order_lines."),
        ("SELECT name FORM products", "syntax error"),
        ("DELETE FROM products", "Only one SELECT may run"),
        ("SELECT name, price FROM products", "gives 2 columns; asked for: 1"),
        ("SELECT name FROM products WHERE id < 3", "gives 2 rows; right: 4. Missing: ('rug',); ('pan',)."),
        ("SELECT name || '!' FROM products", "('mug',); ('rug',) and 1 more. Not right: ('lamp!',)"),
        ("SELECT name FROM products ORDER BY name", "not their order: row 3 has to be ('rug',)"),
    ],
)
def test_a_query_is_told_what_is_wrong_with_it_on_the_first_database(query: str, words: str) -> None:
    verdict = first_of(query)
    assert verdict.status == "failed"
    assert words in verdict.feedback
    judged = "gives" in words or "Not right" in words or "order:" in words
    assert verdict.failed_on == ("substance" if judged else "form")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (
            "SELECT o.quantity FROM orders AS o JOIN order_lines ol ON o.id = ol.order_id",
            "SQLite: no such column: o.quantity. The table orders has the columns id, customer_id, placed_on, status."
            " quantity is a column of order_lines, not of orders.",
        ),
        (
            "SELECT name FROM products WHERE product_id IN (SELECT id FROM orders)",
            "no such column: product_id. The table products has the columns id, name, category, price. The table orders"
            " has the columns id, customer_id, placed_on, status. product_id is a column of order_lines, not of"
            " products or orders.",
        ),
        ("SELECT orders.town FROM orders, customers c", "town is a column of customers, not of orders."),
    ],
)
def test_a_query_with_a_wrong_column_is_told_which_table_has_it(query: str, words: str) -> None:
    assert first_of(query).feedback.endswith(words)


@pytest.mark.parametrize("name", ["endless", "many rows", "long sorting"])
def test_a_query_that_takes_too_much_failed_on_its_substance(name: str) -> None:
    assert first_of(HARM[name]).failed_on == "substance"


def test_names_of_columns_and_an_order_that_nobody_asked_for_do_not_count() -> None:
    assert first_of("SELECT name AS n FROM products ORDER BY name DESC", ordered=False).status == "passed"


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ("```sql\nSELECT 1\n```\nor\n```sql\nSELECT 2;\n```", "SELECT 2;"),
        ("select 3", "select 3"),
        ("```\nWITH a AS (SELECT 4) SELECT * FROM a\n```", "WITH a AS (SELECT 4) SELECT * FROM a"),
        ("-- All.\nSELECT 5", "-- All.\nSELECT 5"),
        ("```sql\n/* All. */ SELECT 5\n```", "/* All. */ SELECT 5"),
        ("```mysql\nSELECT 6\n```", "SELECT 6"),
        ("```sqlite3\nSELECT 6\n```", "SELECT 6"),
        ("VALUES (7)", "VALUES (7)"),
        ("The query is:\n\nSELECT 8\nFROM a;\n\nIt's with all rows.", "SELECT 8\nFROM a;"),
        ("SELECT 8 FROM a\n\nThis gives all rows.", "SELECT 8 FROM a"),
        ("SELECT 8 FROM a\n\nWHERE b = 'x; y'", "SELECT 8 FROM a\n\nWHERE b = 'x; y'"),
        ("You can select it with `SELECT 9`.", "SELECT 9"),
        ("SELECT 1; DELETE FROM a", "SELECT 1; DELETE FROM a"),
    ],
)
def test_the_last_query_of_a_reply_is_the_answer(reply: str, query: str) -> None:
    assert FirstDatabase("shop", "SELECT 1", ordered=False).parse(reply) == {"status": "success", "content": query}


@pytest.mark.parametrize("reply", ["I do not know.", "I select with care.", "```python\nSELECT = 1\n```", ""])
def test_a_reply_without_a_query_is_sent_back(reply: str) -> None:
    parsed = FirstDatabase("shop", "SELECT 1", ordered=False).parse(reply)
    assert "no SELECT statement" in str(parsed.get("feedback"))


def test_a_text_in_a_block_is_the_text() -> None:
    verifier: Any = verifier_of(WRITING[0])
    assert verifier.parse("Sure:\n\n```text\nThe sea.\n```")["content"] == "The sea."
    assert verifier.parse(" The sea. ")["content"] == "The sea."
    assert "no remark before or after it" in verifier.instructions
