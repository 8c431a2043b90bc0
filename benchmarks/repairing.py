"""How should a model be asked to repair the form of its answer? The same first replies, asked again in every way.

    python benchmarks/repairing.py --model local:qwen2.5-coder-0.5b

Texts are read into JSON at temperature 0. Each answer that does not fit its type in form is asked for again, once: as a
whole in the same conversation, the wrong fields alone in the same conversation, the wrong fields alone without the
answer in sight (as `repair_form` does), and as a fresh sample.

form     the answer has the form of the type, though it may break a rule across fields
accepted it fits the type
right    it also has the values of the text
copied   it is the answer that was refused
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from thoughtgraph import Verdict, open_model
from thoughtgraph._internal.strict_json import dumps
from thoughtgraph.models.options import with_options
from thoughtgraph.models.thought import ChatModel

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.solving.checks import scorer_of, tasks_of
from benchmarks.solving.checks.extraction import Fields

AT_ONCE = 8
COLD, WARM = {"temperature": 0.0}, {"temperature": 0.8, "seed": 1}
WHOLE = "Change that and nothing else: write the whole answer again, in the format that the task asks for."
PARTS = "Write the fields that have to change, corrected, and no others, as one JSON object. The rest is kept."


@dataclass(frozen=True, slots=True)
class Case:
    """A task, and an answer to it whose form is wrong."""

    prompt: str
    check: Fields
    score: Callable[[str, str], Verdict]
    answer: str
    feedback: str

    @property
    def start(self) -> list[BaseMessage]:
        """The request for the first answer."""
        return [SystemMessage(self.check.instructions), HumanMessage(self.prompt)]

    def goes_on(self, words: str) -> list[BaseMessage]:
        """The same conversation, continued."""
        return [*self.start, AIMessage(self.answer), HumanMessage(f"{self.feedback}\n\n{words}")]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask again.

    Attributes:
        messages: for a case.
        parts: the reply is put together with the answer.
        options: of the model.
    """

    messages: Callable[[Case], list[BaseMessage]]
    parts: bool
    options: dict[str, Any]


def without_the_answer(case: Case) -> list[BaseMessage]:
    """The request for the wrong fields alone; for the whole answer if all of them are."""
    words = case.check.patch_words(case.answer)
    system, asked = case.start
    return [system, HumanMessage(f"{asked.content}\n\n{words}")] if words else case.goes_on(WHOLE)


WAYS = {
    "whole, in the conversation": Way(lambda case: case.goes_on(WHOLE), False, COLD),
    "wrong fields, in the conversation": Way(lambda case: case.goes_on(PARTS), True, COLD),
    "wrong fields, answer not in sight": Way(without_the_answer, True, COLD),
    "fresh sample": Way(lambda case: case.start, False, WARM),
}

Ask = Callable[[list[BaseMessage], dict[str, Any]], Awaitable[str]]


async def first_cases(ask: Ask) -> list[Case]:
    """The tasks whose first answer has the wrong form."""

    async def one(row: Any) -> Case | None:
        fields = {**row.fields, "domain": "extraction"}
        check = Fields(row.fields["schema"])
        reply = await ask([SystemMessage(check.instructions), HumanMessage(row.prompt)], COLD)
        answer = _answer(check.parse(reply))
        verdict = check(row.prompt, answer)
        wrong = answer and verdict.failed_on == "form"
        return Case(row.prompt, check, scorer_of(fields), answer, verdict.feedback) if wrong else None

    return [case for case in await asyncio.gather(*map(one, tasks_of("extraction"))) if case]


def _answer(parsed: Any) -> str:
    return dumps(parsed["content"], ensure_ascii=False) if parsed["status"] == "success" else ""


async def again(case: Case, way: Way, ask: Ask) -> tuple[bool, bool, bool, bool, int]:
    """Whether the form is right now, the answer accepted, right, a copy; and the characters of the reply."""
    reply = await ask(way.messages(case), way.options)
    answer = _answer(case.check.patch(case.answer, reply) if way.parts else case.check.parse(reply))
    verdict = case.check(case.prompt, answer)
    accepted = verdict.status == "passed"
    right = accepted and case.score(case.prompt, answer).status == "passed"
    return accepted or verdict.failed_on == "substance", accepted, right, answer == case.answer, len(reply)


async def measure(model: ChatModel, console: Console) -> None:
    """Print the table."""
    free = asyncio.Semaphore(AT_ONCE)

    async def ask(messages: list[BaseMessage], options: dict[str, Any]) -> str:
        async with free:
            reply = await with_options(model, options).ainvoke(messages)
            return str(reply.content)

    with Progress(console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task("first answers, then ways", total=1 + len(WAYS))
        cases = await first_cases(ask)
        bar.advance(row)
        table = Table("asked again", "form", "accepted", "right", "copied", "characters", box=None)
        for name, way in WAYS.items():
            ended = await asyncio.gather(*(again(case, way, ask) for case in cases))
            table.add_row(name, *(str(sum(counts)) for counts in zip(*ended, strict=True)))
            bar.advance(row)
    console.print(f"{len(cases)} of {len(tasks_of('extraction'))} first answers have the wrong form")
    console.print(table)


def main() -> None:
    """Measure a model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local:qwen2.5-coder-0.5b")
    with open_model(parser.parse_args().model, slots=AT_ONCE) as model:
        asyncio.run(measure(model, Console(width=120)))


if __name__ == "__main__":
    main()
