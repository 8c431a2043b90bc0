"""What was written in a format is read back as it was, and read again it is the same: hypothesis writes it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from effort import Effort, Row
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from parsers_contract import hold
from parsers_inputs import RUN
from parsers_tools import NOW
from thoughtgraph import ContextGraph, multi_section_parser
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser, as_json
from thoughtgraph.nodes.reflection.critique import HEADERS, critique_parser
from thoughtgraph.nodes.reflection.reflect import reflection_parser
from thoughtgraph.parsers.chain_of_thought import STEPS, chain_of_thought_parser
from thoughtgraph.parsers.code import python_parser
from thoughtgraph.parsers.json.reply import json_parser
from thoughtgraph.parsers.markdown_blocks import parse_markdown_with_skip
from thoughtgraph.parsers.wrapping import split_think
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.dates.periods import parse_period
from thoughtgraph.tools.dates.when import parse_when, tell

_WORDS = st.text("abcdefgh äé文字,.;!?0123456789", min_size=1, max_size=30).filter(str.strip)
_TEXT = st.lists(_WORDS, min_size=1, max_size=4).map("\n".join).map(str.strip)
_ANY = st.text(max_size=30)
_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _ANY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_ANY, inner, max_size=4),
    max_leaves=12,
)
_OBJECT = st.lists(_JSON, max_size=4) | st.dictionaries(_ANY, _JSON, max_size=4)
_NAMES = st.from_regex(r"[a-z]{2,8}", fullmatch=True)
_MOMENTS = st.integers(0, 366 * 24 * 60 * 100).map(lambda minutes: datetime(2000, 1, 1) + timedelta(minutes=minutes))


def _sections(content: tuple[str, str]) -> None:
    wanted = dict(zip(("[Plan]", "[Answer]"), content, strict=True))
    written = "\n\n".join(f"{header}\n{text}" for header, text in wanted.items())
    hold(multi_section_parser(written, list(wanted)).get("content") == wanted, "sections are read back")


def _rule(text: str) -> None:
    hold(multi_section_parser(f"before\n=====\n{text}").get("content") == text, "the block behind a rule is read back")


def _steps(texts: list[str]) -> None:
    wanted = dict(zip(STEPS, texts, strict=True))
    written = "\n".join(f"**{step}**\n{text}" for step, text in wanted.items())
    read = chain_of_thought_parser(written).get("content")
    hold(read == {step.lower(): text for step, text in wanted.items()}, "steps are read back")


def _json(given_: tuple[Any, bool, int | None]) -> None:
    value, fenced, indent = given_
    written = json.dumps(value, indent=indent, ensure_ascii=False)
    shown = f"Here it is:\n```json\n{written}\n```" if fenced else written
    hold(json_parser(shown).get("content") == value, "a value is read back")


def _think(given_: tuple[str, str]) -> None:
    reasoning, reply = given_
    hold(split_think(f"<think>\n{reasoning}\n</think>\n\n{reply}") == (reasoning, reply), "both parts are read back")
    hold(split_think(reply) == ("", reply), "a reply without a tag stays as it is")


def _file(given_: tuple[str, str]) -> None:
    name, content = given_
    found = parse_markdown_with_skip(f"```path\n{name}.md\n```\n\n```markdown\n{content}\n```", "markdown")
    hold((found.file_name, found.file_content) == (f"{name}.md", content), "a file is read back")


def _code(given_: tuple[str, list[int]]) -> None:
    name, numbers = given_
    body = "\n".join(f"    x{index} = {number}" for index, number in enumerate(numbers))
    written = f"def f_{name}(x):\n{body}\n    return {numbers!r}"
    hold(
        python_parser(f"So:\n```python\n{written}\n```\nDone.", [f"f_{name}"]).get("content") == written,
        "code is read back",
    )


def _plan(given_: tuple[list[tuple[str, str | None, list[int]]], str]) -> None:
    steps, response = given_
    plan = [{"step": step, "tool": tool, "requires": requires} for step, tool, requires in steps]
    wanted = {"status": "planned", "plan": plan, "response": response, "next_action": None}
    read: Any = PayloadParser("plan")(json.dumps(wanted))
    hold(read["content"] == wanted, "a plan is read back")
    again: Any = PayloadParser("plan")(as_json(read["content"]))
    hold(again["content"] == wanted, "and again")


def _critique(given_: tuple[str, int, bool]) -> None:
    text, score, accepted = given_
    sections = zip(HEADERS, (text, str(score), "ACCEPT" if accepted else "REVISE"), strict=True)
    read = critique_parser("\n".join(f"{header}\n{said}" for header, said in sections)).get("content")
    hold(read == {"accepted": accepted, "score": score / 10, "feedback": text}, "a critique is read back")


def _reflection(given_: tuple[str, str]) -> None:
    mistake, following = (" ".join(part.split()) for part in given_)
    read = reflection_parser(f"[Mistake]\n{mistake}\n[Next time]\n{following}").get("content")
    hold(read == f"{mistake} → {following}", "a reflection is read back")


def _moment(moment: datetime) -> None:
    for written in (f"{moment:%Y-%m-%d %H:%M}", f"{moment:%Y-%m-%dT%H:%M}", f"{moment:%Y/%m/%d}, {moment:%H:%M}"):
        hold(parse_when(written, NOW).moment == moment, "a moment is read back")
    chinese = f"{moment.year}年{moment.month}月{moment.day}日{moment.hour}点{moment.minute:02}分"
    hold(parse_when(chinese, NOW).moment == moment, "a Chinese moment is read back")
    days = parse_period(f"{moment:%Y-%m-%d}..{moment:%Y-%m-%d}", NOW)
    hold(days.start <= moment < days.end and days.end - days.start == timedelta(days=1), "a day is read back")
    hold(bool(tell(moment, "zh")), "a moment can be told")


def _todo(given_: tuple[str, datetime, list[str]]) -> None:
    words, due, tags = given_
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        tagged = f" --tag {','.join(tags)}" if tags else ""
        agenda.run(f'/todo add "{words}" --due {due:%Y-%m-%d %H:%M}{tagged}')
        (todo,) = agenda.todos()
        hold((todo.text, todo.due, sorted(todo.tags)) == (words, due, sorted({*tags})), "a todo is read back")
        agenda.run("/todo edit 1 --priority high")
        (again,) = agenda.todos()
        hold((again.text, again.due, again.tags) == (todo.text, todo.due, todo.tags), "and stays as it is")


def _run(data: list[dict[str, Any]]) -> None:
    events: Any = [{**event, "data": about} for event, about in zip(RUN, data, strict=False)]
    graph = ContextGraph(events)
    again = ContextGraph.from_run(graph.to_json())
    hold(again.events == graph.events and again.to_json() == graph.to_json(), "a run is read back")


_tags = st.lists(_NAMES.filter(lambda name: name not in ("none",)), max_size=3)
_steps_of_a_plan = st.lists(
    st.tuples(
        _TEXT.filter(lambda text: len(text) < 400),
        st.none() | st.just("todo"),
        st.lists(st.integers(-9, 9), max_size=3),
    ),
    min_size=1,
    max_size=5,
)
FORMATS: dict[str, tuple[Any, Callable[[Any], None], int]] = {
    "sections": (st.tuples(_TEXT, _TEXT), _sections, 4_000),
    "rule": (_TEXT, _rule, 4_000),
    "chain of thought": (st.lists(_TEXT, min_size=5, max_size=5), _steps, 1_500),
    "JSON": (st.tuples(_OBJECT, st.booleans(), st.sampled_from([None, 2])), _json, 3_000),
    "think block": (st.tuples(_TEXT, _TEXT), _think, 4_000),
    "Markdown file": (st.tuples(_NAMES, _TEXT), _file, 3_000),
    "Python code": (st.tuples(_NAMES, st.lists(st.integers(), max_size=5)), _code, 2_000),
    "plan": (st.tuples(_steps_of_a_plan, _TEXT), _plan, 1_000),
    "critique": (st.tuples(_TEXT, st.integers(0, 10), st.booleans()), _critique, 3_000),
    "reflection": (st.tuples(_TEXT, _TEXT), _reflection, 3_000),
    "moment": (_MOMENTS, _moment, 1_000),
    "todo": (st.tuples(_NAMES, _MOMENTS, _tags), _todo, 500),
    "run": (st.lists(st.dictionaries(_ANY, _JSON, max_size=3), min_size=1, max_size=9), _run, 800),
}


def written(effort: Effort) -> Iterator[Row]:
    """The row of well-formed texts."""
    tried = 0
    broke: list[str] = []
    for name, (strategy, check, whole) in FORMATS.items():
        until = time.monotonic() + (effort.seconds(60) + 10) / len(FORMATS)
        count, problem = _tried(strategy, check, effort.count(whole), effort.seed, until)
        tried += count
        if problem is not None:
            notes = ascii(" ".join(getattr(problem, "__notes__", ())))[:500]
            broke.append(f"{name}: {type(problem).__name__}: {str(problem)[:200]} {notes}")
        elif not count:
            broke.append(f"{name}: was not tried")
    yield Row(f"well-formed texts of {len(FORMATS)} formats, read back", tried, broke)


def _tried(
    strategy: Any, check: Callable[[Any], None], examples: int, number: int, until: float
) -> tuple[int, Exception | None]:
    count = 0

    def counted(case: Any) -> None:
        nonlocal count
        if time.monotonic() < until:
            count += 1
            check(case)

    rules = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    try:
        rules(seed(number)(given(strategy)(counted)))()
    except Exception as problem:  # noqa: BLE001 - whatever comes is the finding
        return count, problem
    return count, None
