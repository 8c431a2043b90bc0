"""Four times the text may not take much more than four times as long, whatever the text is."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from effort import Effort, Row
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from parsers_inputs import tokens
from parsers_soup import finding
from parsers_targets import TARGETS, Target
from parsers_watch import Lost, Mark, watched
from thoughtgraph import stream_think

_SIZES = (5_000, 50_000)
_TIMES = 4
_MOST = 8.0
"""Growth for four times the text; linear is 4, square 16."""
_TOO_SHORT = 0.05
"""Seconds of the processor below which a time says nothing."""
_PIECES = tokens(
    "\n¦ ¦\t¦`¦```\n¦~~~\n¦```a\n¦````\n```\n¦=====\n¦===== ¦[Plan]\n¦[Plan] ¦#### **** ####\n¦```\n[Plan]\n```\n¦**",
    "> - 1. ¦<think>¦</think>¦</think>\n¦<¦{¦[¦{'a':¦[]¦'¦'\\¦\\¦{'a¦['¦},¦{('¦[1,¦{'a'¦/*¦```path\n¦x = (\n¦lambda:",
    '{"¦{"a"¦("¦["¦{"a":¦"¦"\\¦{("¦<li class="b_algo">¦[" ¦```python\n¦SKIP¦SKIP ¦(¦\u0301\u0316¦İ¦ﷺ¦\ud83d¦é¦word ',
    "not accept ¦n't ¦10/10 ¦from 0 to ¦9¦1,2 ¦- ¦零¦1 and ¦<b>¦<!--¦<!¦&#¦&amp¦</¦<a href='¦\r\n¦\r¦\x00¦\u2028¦: ",
)


def _growing_marks(length: int) -> str:
    """Fences that grow by a mark each, so that none closes another."""
    rows: list[str] = []
    size = 0
    while size < length:
        rows.append("`" * (3 + len(rows)))
        size += len(rows[-1]) + 1
    return "\n".join(rows)


def _nested(length: int) -> str:
    return "[" * (length // 2) + "]" * (length // 2)


def _between(piece: str, opening: str, closing: str) -> Callable[[int], str]:
    return lambda length: opening + piece * (length // len(piece)) + closing


FAMILIES: dict[str, Callable[[int], str]] = {
    **{ascii(piece): _between(piece, "", "") for piece in _PIECES},
    "growing fences": _growing_marks,
    "nested lists": _nested,
    "a page of accents as a score": _between("\u0301\u0316", "[Critique]\nno\n[Score]\n7", "\n[Verdict]\nREVISE"),
    "a page of accents as a verdict": _between("\u0301\u0316", "[Critique]\nno\n[Score]\n7\n[Verdict]\nREVISE", ""),
    "a score of digits": _between("1.1 ", "[Critique]\nno\n[Score]\n", "\n[Verdict]\nREVISE"),
    "code that is not closed": _between("a = 1\n```\n", "```python\nx = '''\n", ""),
    "one line of a result": _between("b ", '<li class="b_algo"><h2><a href="http://a.b/">', "</a></h2></li>"),
}


@dataclass
class _Grown:
    count: int = 0
    most: tuple[float, str] = (0.0, "")
    broke: list[str] = field(default_factory=list[str])


def growth(effort: Effort) -> Iterator[Row]:
    """The row of times."""
    chance = effort.random("growth")
    every = [(target, family, size) for target in range(len(TARGETS)) for family in FAMILIES for size in _SIZES]
    chance.shuffle(every)
    # Every parser and every family at least once.
    first = [(index % len(TARGETS), family, _SIZES[index % len(_SIZES)]) for index, family in enumerate(FAMILIES)]
    chosen = [*first, *every][: max(len(first), effort.count(len(every)))]
    jobs = [[(family, size) for number, family, size in chosen if number == target] for target in range(len(TARGETS))]

    def run(target: int, mark: Mark) -> _Grown:
        return _grown(TARGETS[target], jobs[target], mark)

    until = time.monotonic() + effort.seconds(120) + 20
    total = _Grown()
    for target, found in watched(run, range(len(TARGETS)), effort.workers, 60, until):
        if isinstance(found, Lost):
            total.broke.append(f"{TARGETS[target].name}: {found.how} {found.text}")
            continue
        total.count += found.count
        total.broke += found.broke
        total.most = max(total.most, found.most)
    _stream(total)
    note = f"the largest growth for {_TIMES} times the text: {total.most[0]:.1f} times as long ({total.most[1]})"
    yield Row(f"texts that grow, {len(FAMILIES)} families", total.count, total.broke, note)


def _grown(target: Target, pairs: list[tuple[str, int]], mark: Mark) -> _Grown:
    grown = _Grown()
    for family, size in pairs:
        short, long = FAMILIES[family](size), FAMILIES[family](_TIMES * size)
        mark(f"{family} up to {_TIMES * size:,} characters")
        try:
            _compare(f"{target.name} on {family} from {size:,} characters", target.check, short, long, grown)
        except Exception as problem:  # noqa: BLE001 - whatever comes is the finding
            grown.broke.append(finding(target, problem, long)[1])
    return grown


def _compare(name: str, check: Callable[[Any], None], short: Any, long: Any, grown: _Grown) -> None:
    grown.count += 1
    ratios: list[float] = []
    for runs in (1, 3, 3):
        whole = _seconds(check, long, runs)
        ratios.append(whole / max(_seconds(check, short, runs), 0.001) if whole > _TOO_SHORT else 0.0)
        if ratios[-1] <= _MOST:
            break
    # What is measured once, while other processes run, may be off: the last and most careful measurement counts.
    grown.most = max(grown.most, (ratios[-1], name))
    if min(ratios) > _MOST:
        grown.broke.append(f"{name}: {min(ratios):.1f} times as long for {_TIMES} times the text ({whole:.2f} s)")


def _seconds(check: Callable[[Any], None], text: Any, runs: int) -> float:
    times: list[float] = []
    # The collector begins to look at everything from some number of objects on, which is its own growth.
    gc.disable()
    try:
        for _ in range(runs):
            started = time.thread_time()
            check(text)
            times.append(time.thread_time() - started)
    finally:
        gc.enable()
    return sorted(times)[runs // 2]


class _Pieces(BaseChatModel):
    """A model that streams a text in pieces."""

    text: str

    @property
    def _llm_type(self) -> str:
        return "pieces"

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError("it only streams")

    def _stream(self, messages: Any, *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        for start in range(0, len(self.text), 5):
            yield ChatGenerationChunk(message=AIMessageChunk(content=self.text[start : start + 5]))


def _stream(grown: _Grown) -> None:
    def read(text: str) -> None:
        for _ in stream_think(_Pieces(text=text), "go"):
            pass

    for piece in ("word ", "<think>", "</think", "\n"):
        for opening in ("", "<think>"):
            short, long = (opening + piece * (size // len(piece)) for size in (10_000, 40_000))
            _compare(f"a stream of {opening}{piece!r}", read, short, long, grown)
