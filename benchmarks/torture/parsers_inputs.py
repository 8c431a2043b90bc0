"""Texts to read: soups of the formats' own tokens, replies of the corpus with damage, values too deep or too large."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CORPUS = [
    str(json.loads(line)["reply"])
    for line in (Path(__file__).parents[2] / "tests" / "corpus" / "replies.jsonl").read_text("utf-8").split("\n")
    if line
]
"""Real replies of models, and hand-made ones."""


def tokens(*rows: str) -> list[str]:
    """Texts that stand in rows, with bars between them."""
    return [token for row in rows for token in row.split("¦")]


ANYWHERE = tokens(
    "\n¦\n\n¦\r\n¦\r¦\t¦ ¦    ¦\x00¦\x0b¦\x0c¦\x1b¦\x85¦\xa0¦\u2028¦\ufeff¦\ud83d¦\udc80¦\U0001f600¦é¦e\u0301",
    "\u0316¦\u202e",
    "\u200d¦ﷺ¦İ¦ß¦１¦٣¦²¦𝟙¦'¦\"¦“¦”¦’¦\\¦\\\\¦/¦%¦$¦&¦word¦-1¦0¦NaN¦                              ",
)
"""What may stand in any text, and does harm in some."""
HEAVY = [
    piece * times
    for times, pieces in (
        (60, ["[", '{"a":', "<think>", "=", "~"]),
        (300, ["(", "`", '{"a":[', "<b>", "零", "k", "```\n", "[Plan]\n", "x.", " as done", "\u0301\u0316"]),
        (1_501, ["[", '"', "\\", " ", "\n", "-", "\ud83d", "9,"]),
        (4_400, ["9", " "]),
    )
    for piece in pieces
]
HEAVY += ["&#" + "9" * 4_400 + ";", "[" * 101 + "1" + "]" * 101, '{"a":' * 700 + "1" + "}" * 700]
"""Long runs, each at times put into a text."""
FENCES = tokens("```¦```\n¦````¦~~~¦```python\n¦```json\n¦```markdown\n¦```path\n¦\n```\n¦   ```¦`")
HEADERS = tokens(
    "[Plan]¦[Answer]¦Plan¦Answer:¦**Plan**¦## Answer\n¦【结论】¦结论：¦# ¦- ¦1. ¦Step 2:¦=====¦\n=====\n¦==========\n",
    "\n[Plan]\nwalk¦\n[Answer]\nhome\n¦**¦__¦> ¦：¦:¦**Understand**\n¦**Analyze**\n¦**Plan**\n¦**Execute**\n",
    "**Verify**\n",
)
THOUGHTS = tokens("<think>¦</think>¦<thinking>¦</thinking>¦<THINK>¦\n</think>\n¦<think¦</¦>¦<")
OPINIONS = tokens(
    "[Critique]\n¦[Score]\n¦[Verdict]\n¦[Mistake]\n¦[Next time]\n¦ACCEPT¦REVISE¦accepted¦reject¦ not ¦ but ",
    " if ¦don't ¦never",
    "7¦10¦8/10¦9,5¦out of 10¦0-10¦100%¦it is wrong¦\n[Critique]\nwrong\n[Score]\n3\n[Verdict]\nREVISE¦verdict:¦10/10",
    "Take the index -1 instead of 0.¦\n[Mistake]\nIt was late.\n[Next time]\nStart early.",
)
JSON = tokens(
    '{¦}¦[¦]¦:¦,¦{}¦[]¦"a"¦"goal"¦"steps"¦{"goal": "x", "steps": ["a"]}¦true¦null¦1¦-0¦1e999¦Infinity¦"\\ud800"',
    '"\\u0000"',
    "'a'¦None¦// c\n¦/*¦,]¦,}¦：¦｛¦"
    + '{"a": {"b": [1, 2]}}¦{"kind": "cat", "lives": 12}¦{"kind": "dog", "name": "x"}',
)
PAYLOADS = tokens(
    '{"status": "planned", "plan": ["a", "b"]}¦{"status": "replanned", "plan": []}¦"status"¦"planned"¦"plan"',
    '"next_action"',
    '{"status": "continue", "next_action": {"tool": "echo", "input": "/todo list"}}¦"done"¦"response"',
    '"requires"¦"continue"',
    '{"status": "done", "response": "ok"}¦{"status": "ask_user", "question": "Which?"}¦"ask_user"¦"thought"¦"none"',
    '{"step": "a", "tool": "todo", "requires": [1]}¦"tool"¦"input"',
)
CODE = tokens(
    "def solve(x):\n¦    return x\n¦import re\n¦class A:\n¦    pass\n¦x = 1\n¦lambda¦(¦)¦[¦]¦{¦}¦async ¦await ",
    "match x:\n¦    case ",
    "if ¦else:\n¦for i in ¦f'{¦'''¦\"\"\"¦\\\n¦@¦:=¦->¦not ¦- ¦~¦**¦*¦global x\n¦yield ¦0x¦1_000¦# ```\n",
    "solve = ¦print(solve(1))\n",
)
FILES = tokens("```path\nnotes.md\n```\n¦```path notes.md```\n¦path¦notes.md¦SKIPPED: ¦SKIP¦skip: ¦Skip - why\n")
DATES = tokens(
    "today¦tomorrow¦tonight¦next ¦this ¦in ¦the day after ¦monday¦fri¦sunday next week¦week¦month¦at ¦3pm¦12 am",
    "15:00¦25:00",
    "10:00-11:30¦ to ¦noon¦midnight¦o'clock¦2026-12-01¦2026-02-30¦dec 3¦3rd of may¦1/2¦T10:00Z¦+99:99¦9999¦99¦2",
    " hours¦ days",
    " years¦a ¦half an hour¦1.5¦90m¦1h30m¦明天¦下午¦3点¦下周一¦十二月三日¦半小时后¦两个半小时¦到¦零¦一¦年¦月¦日¦周¦..",
)
LINES = tokens(
    "/todo ¦/schedule ¦/view ¦／todo ¦/ todo:¦add ¦list ¦done ¦rm ¦edit ¦find ¦show ¦clear ¦next¦undo ¦help",
    "添加 ¦完成 ¦1¦2¦#1",
    ", ¦ and ¦--due ¦--due=¦--tag ¦--at ¦--for ¦--place ¦--priority ¦--nothing ¦-due ¦high¦none¦work¦buy milk",
    "all¦done¦overdue",
    "call; /todo list¦/todo add buy milk¦/todo add 买牛奶 --due ¦/schedule add dentist --at tomorrow 10:00",
    "/schedule list ¦/view ",
)
PAGES = tokens(
    '<li class="b_algo">¦<li class=b_no>¦<li class="b_algo b_ad">¦</li>¦<h2>¦</h2>¦<a href="http://a.b/">¦</a>',
    "title¦<p>¦</p>",
    '<a href="https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9h">¦<a href="/ck/a?u=a1¦<a href="http://[¦<!--¦-->',
    "<![CDATA[¦]]>¦<!DOCTYPE",
    "<?xml¦<script>¦</script>¦&amp;¦&#65;¦&#x41;¦&#xD800;¦&nbsp¦;¦<¦>¦=¦</¦<b<b<b¦<div><div><div>¦javascript:",
    "http://\u2100/",
    '<span class="algoSlug_icon">¦<div class="b_caption">',
    '<li class="b_algo"><h2><a href="http://a.b/">A</a></h2><p>words</p></li>',
)
NAMES = tokens(
    "a¦notes.md¦.¦..¦/¦\\¦:¦con¦NUL¦com1.txt¦lpt¹¦~¦$HOME¦%20¦*¦?¦|¦" + "a" * 120 + "¦" + "é" * 130,
    " ¦¦-rf¦.bashrc¦\x7f¦C:¦文¦.txt¦aux ¦．．¦／¦conin$",
)
_EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("goal", {"task": "x"}),
    ("plan", {"items": [{"step": "a", "tool": None}]}),
    ("thought", {"reply": "<b>", "decision": {"status": "continue"}, "usage": {"input_tokens": 3}, "seconds": 1}),
    ("action", {"tool": "todo", "input": {"a": [1, {"b": None}]}, "item": 1}),
    ("observation", {"tool": "todo", "ok": False, "result": "no", "error": "x", "kind_of_failure": "timeout"}),
    ("attempt", {"number": 1, "answer": "x = 1", "strategy": "first"}),
    ("verdict", {"status": "failed", "feedback": "no", "kind": "failed", "details": {}}),
    ("critique", {"accepted": None, "score": 0.5, "by": "critic"}),
    ("reflection", {"reflection": "r", "lessons": ["l"], "source": "memory"}),
    ("outcome", {"answer": "x", "best": 1, "verdict": "passed", "stop_reason": {"kind": "passed", "value": 1}}),
]
_COMMON = {"version": 1, "run_id": "r", "time": "2026-01-01T00:00:00+00:00"}
RUN = [
    {
        **_COMMON,
        "id": f"r:{n}",
        "seq": n,
        "kind": kind,
        "links": [{"source": f"r:{n - 1}", "relation": "led_to"}],
        "data": data,
    }
    for n, (kind, data) in enumerate(_EVENTS)
]
"""The events of a run, in order."""
RUN_LINES = [json.dumps(event) + "\n" for event in RUN]


def soup(rng: random.Random, known: Sequence[str]) -> str:
    """Up to two dozen tokens in a row."""
    return "".join(rng.choices(known, k=rng.randrange(1, 24)))


def damaged(rng: random.Random, text: str, known: Sequence[str]) -> str:
    """A text with up to three places cut out, doubled, moved or replaced by a token."""
    for _ in range(rng.randrange(1, 4)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + int(rng.expovariate(1 / 12)))
        piece = rng.choice((rng.choice(known), "", text[start:end] * 2, text[:8]))
        text = text[:start] + piece + text[end:]
    return text


def value(rng: random.Random, depth: int = 0) -> Any:
    """A JSON value, at times one that is hard to keep."""
    kind = rng.random()
    if depth < 5 and kind < 0.25:
        return {rng.choice(_KEYS): value(rng, depth + 1) for _ in range(rng.randrange(4))}
    if depth < 5 and kind < 0.4:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if depth and kind < 0.41:
        return _nested(rng.choice((40, 60, 99, 101, 300, 600)))
    return rng.choice(_PLAIN)


def _nested(depth: int) -> Any:
    inner: Any = 1
    for _ in range(depth):
        inner = [inner]
    return inner


_KEYS = ["tool", "input", "args", "a", "b", "query", "command", "items", "goal", "steps", "", "\ud800", "k" * 200]
_PLAIN: list[Any] = json.loads(
    r"""[null, true, false, 0, 1, -1, 9223372036854775808, 18446744073709551616, -9223372036854775809, 0.5, 1e308, NaN,
    Infinity, "", " ", "x", "calculate", "echo", "keep", "/todo list", "\ud83d", "\u0000", "none", "3", "a\nb"]"""
)
_PLAIN += [10**400, "y" * 700]
