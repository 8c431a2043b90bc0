"""Is it worth to keep what was right in a refused reply? Each task twice, the first reply the same in both.

    python benchmarks/keeping.py --model local:qwen2.5-coder-0.5b

At temperature 0 both ways begin with the same reply. If it is refused, one way asks for what was wrong and keeps the
rest, the other asks for the whole again. Printed: the tasks whose first reply was refused with something right in it,
how many of these ended with an accepted reply, with one that passes the hidden check too, and the tokens after the
first reply.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from thoughtgraph import athink_with_retry, json_parser, multi_section_parser, open_model
from thoughtgraph.errors import ParseFailedError
from thoughtgraph.models.options import with_options
from thoughtgraph.models.thought import ChatModel
from thoughtgraph.parsers.contract import error
from thoughtgraph.traces.events import recording

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.solving.checks import scorer_of, tasks_of
from benchmarks.solving.checks.extraction import SCHEMAS

AT_ONCE = 8
TOPICS = (
    "a school trip to a lake",
    "moving a small office",
    "a bake sale for a library",
    "a beginner's running group",
    "repainting a kitchen",
    "a street music evening",
    "learning to read maps",
    "a repair café",
    "a garden on a roof",
    "a week without cars",
)
HEADERS = ("[Goal]", "[Team]", "[Steps]", "[Budget]", "[Risks]", "[First day]", "[Message to the team]")
PLAN = (
    "Plan {topic}. Write one or two sentences under each of these section headers: {headers}. In the message to the "
    "team, do not repeat the rest."
)


@dataclass(frozen=True, slots=True)
class Case:
    """A task.

    Attributes:
        domain: `"json"` or `"sections"`.
        prompt: for the model.
        parser: reads the reply.
        settings: of the parser.
        right: whether what the parser accepted is right.
    """

    domain: str
    prompt: str
    parser: Callable[..., Any]
    settings: dict[str, Any]
    right: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a task went: its first reply refused in part, accepted in the end, right; later replies, and their tokens."""

    partly: bool
    accepted: bool
    right: bool
    replies: int
    read: int
    written: int


def cases() -> list[Case]:
    """Texts to read into JSON, and plans under headers."""
    found: list[Case] = []
    for task in tasks_of("extraction"):
        score = scorer_of({**task.fields, "domain": "extraction"})

        def right(value: Any, score: Any = score, prompt: str = task.prompt) -> bool:
            return score(prompt, json.dumps(value.model_dump(mode="json"))).status == "passed"

        schema = {"schema": SCHEMAS[task.fields["schema"]]}
        found.append(Case("json", task.prompt, json_parser, schema, right))
    for topic in TOPICS:
        prompt = PLAN.format(topic=topic, headers=", ".join(HEADERS))
        headers = {"section_headers": list(HEADERS)}
        found.append(Case("sections", prompt, multi_section_parser, headers, lambda _: True))
    return found


def whole(parser: Callable[..., Any]) -> Callable[..., Any]:
    """The parser without what it keeps: the model is asked for all of it again."""

    def parse(raw_reply: str, **settings: Any) -> Any:
        result = parser(raw_reply, **settings)
        if "kept" not in result:
            return result
        said, _, _ = result["feedback"].partition(" Write `")
        form = "corrected JSON again in a ```json block" if parser is json_parser else "reply again, with all headers"
        return error(f"{said} Write the whole {form}.")

    return parse


async def ended(model: ChatModel, case: Case, keeps: bool) -> Ended:
    """Run a task one way."""
    value = None
    with recording() as recorder, suppress(ParseFailedError):
        parser = case.parser if keeps else whole(case.parser)
        value = await athink_with_retry(model, case.prompt, parser, **case.settings)
    first, *later = [event["data"] for event in recorder.events if event["kind"] == "thought"]
    partly = bool(later) and "kept" in case.parser(str(first.get("reply") or ""), **case.settings)
    usages: list[Any] = [data["usage"] for data in later]
    read, written = (sum(usage[f"{way}_tokens"] for usage in usages) for way in ("input", "output"))
    return Ended(partly, value is not None, value is not None and case.right(value), len(later), read, written)


async def measured(model: ChatModel, chosen: list[Case]) -> dict[str, list[tuple[Ended, Ended]]]:
    """How every task went, with the rest kept and as a whole again, by domain."""
    results: dict[str, list[tuple[Ended, Ended]]] = {}
    free = asyncio.Semaphore(AT_ONCE)
    with Progress(console=Console(stderr=True)) as bar:
        row = bar.add_task("tasks", total=len(chosen))

        async def one(case: Case) -> None:
            async with free:
                pair = (await ended(model, case, True), await ended(model, case, False))
            results.setdefault(case.domain, []).append(pair)
            bar.advance(row)

        await asyncio.gather(*map(one, chosen))
    return results


def main() -> None:
    """Run all tasks both ways, and print what came of those that were refused in part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local:qwen2.5-coder-0.5b")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth task")
    args = parser.parse_args()
    console = Console(width=160)
    with open_model(args.model, slots=AT_ONCE) as opened:
        model = with_options(opened, {"temperature": 0.0})
        results = asyncio.run(measured(model, cases()[:: args.every]))
    for domain, pairs in results.items():
        partly = [pair for pair in pairs if pair[0].partly]
        console.print(f"{args.model}, {domain}: {len(partly)} of {len(pairs)} refused in part at first")
        for place, way in enumerate(("the rest kept", "whole again")):
            ways = [pair[place] for pair in partly]
            accepted, right = sum(way.accepted for way in ways), sum(way.right for way in ways)
            tokens = f"{sum(way.read for way in ways):,} read, {sum(way.written for way in ways):,} written"
            said = f"accepted {accepted}, right {right}, {sum(way.replies for way in ways)} further replies: {tokens}"
            console.print(f"  {way}: {said}", highlight=False)


if __name__ == "__main__":
    main()
