"""How should a model be asked to repair the form of its answer? The same first replies, asked again in every way.

    python benchmarks/repairing.py --model local:qwen2.5-coder-0.5b

Texts are read into JSON, and questions to a database are written as SQL, at temperature 0. Each answer that has the
wrong form is asked for again, once: as a whole in the same conversation, as a whole without the answer in sight, and
as a fresh sample; of JSON also the wrong fields alone, in both ways.

form     the answer has the right form, though it may be wrong
accepted it passes the visible check
right    it passes the hidden one, too
copied   it is the answer that was refused
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from thoughtgraph import Verdict, open_model
from thoughtgraph._internal.strict_json import dumps
from thoughtgraph.models.options import with_options
from thoughtgraph.models.thought import ChatModel
from thoughtgraph.nodes.reflection.request import Before, attempt_messages
from thoughtgraph.tools.verdict import FormattedVerifier, PatchedVerifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.solving.checks import scorer_of, tasks_of, verifier_of

AT_ONCE = 8
COLD, WARM = {"temperature": 0.0}, {"temperature": 0.8, "seed": 1}
WHOLE = "Change that and nothing else: write the whole answer again, in the format that the task asks for."
PARTS = "Write the fields that have to change, corrected, and no others, as one JSON object. The rest is kept."


@dataclass(frozen=True, slots=True)
class Case:
    """A task, and an answer to it whose form is wrong."""

    prompt: str
    check: FormattedVerifier
    score: Callable[[str, str], Verdict]
    answer: str
    feedback: str

    def asks(self, strategy: str, **shown: Any) -> list[BaseMessage]:
        """The request of a loop with this strategy."""
        return attempt_messages(self.prompt, self.check.instructions, self.check.criteria, strategy, Before(**shown))

    def goes_on(self, words: str) -> list[BaseMessage]:
        """The first conversation, continued."""
        return [*self.asks("first"), AIMessage(self.answer), HumanMessage(f"{self.feedback}\n\n{words}")]

    def patch(self) -> list[BaseMessage]:
        """The request for the wrong fields alone; for the whole answer if all of them are."""
        assert isinstance(self.check, PatchedVerifier)
        return self.asks("repair_form", patch_words=self.check.patch_words(self.answer), form_notes=[self.feedback])


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask again.

    Attributes:
        messages: for a case.
        parts: the reply is put together with the answer.
        samples: at a higher temperature.
    """

    messages: Callable[[Case], list[BaseMessage]]
    parts: bool = False
    samples: bool = False


WHOLES = {
    "whole, in the conversation": Way(lambda case: case.goes_on(WHOLE)),
    "whole, answer not in sight": Way(lambda case: case.asks("repair_form", form_notes=[case.feedback])),
    "fresh sample": Way(lambda case: case.asks("fresh"), samples=True),
}
WAYS = {
    "extraction": {
        **WHOLES,
        "wrong fields, in the conversation": Way(lambda case: case.goes_on(PARTS), parts=True),
        "wrong fields, answer not in sight": Way(Case.patch, parts=True),
    },
    "sql": WHOLES,
}

Ask = Callable[[list[BaseMessage], Mapping[str, float]], Awaitable[str]]


async def first_cases(domain: str, ask: Ask) -> list[Case]:
    """The tasks whose first answer has the wrong form."""

    async def one(row: Any) -> Case | None:
        fields = {**row.fields, "domain": domain}
        check = verifier_of(fields)
        assert isinstance(check, FormattedVerifier)
        reply = await ask(attempt_messages(row.prompt, check.instructions, check.criteria, "first"), COLD)
        answer = _answer(check.parse(reply))
        verdict: Any = check(row.prompt, answer)
        wrong = answer and verdict.failed_on == "form"
        return Case(row.prompt, check, scorer_of(fields), answer, verdict.feedback) if wrong else None

    return [case for case in await asyncio.gather(*map(one, tasks_of(domain))) if case]


def _answer(parsed: Any) -> str:
    content = parsed["content"] if parsed["status"] == "success" else ""
    return content if isinstance(content, str) else dumps(content, ensure_ascii=False)


async def again(case: Case, way: Way, ask: Ask) -> tuple[bool, bool, bool, bool, int]:
    """Whether the form is right now, the answer accepted, right, a copy; and the characters of the reply."""
    reply = await ask(way.messages(case), WARM if way.samples else COLD)
    patched = way.parts and isinstance(case.check, PatchedVerifier)
    answer = _answer(case.check.patch(case.answer, reply) if patched else case.check.parse(reply))
    verdict: Any = case.check(case.prompt, answer)
    accepted = verdict.status == "passed"
    right = accepted and case.score(case.prompt, answer).status == "passed"
    form = bool(answer) and (accepted or verdict.failed_on == "substance")
    return form, accepted, right, answer == case.answer, len(reply)


async def measure(model: ChatModel, console: Console) -> None:
    """Print the tables."""
    free = asyncio.Semaphore(AT_ONCE)

    async def ask(messages: list[BaseMessage], options: Mapping[str, float]) -> str:
        async with free:
            reply = await with_options(model, options).ainvoke(messages)
            return str(reply.content)

    with Progress(console=Console(stderr=True), transient=True) as bar:
        for domain, ways in WAYS.items():
            row = bar.add_task(f"{domain}: first answers, then ways", total=1 + len(ways))
            cases = await first_cases(domain, ask)
            bar.advance(row)
            table = Table("asked again", "form", "accepted", "right", "copied", "characters", box=None)
            for name, way in ways.items():
                ended = await asyncio.gather(*(again(case, way, ask) for case in cases))
                table.add_row(name, *(str(sum(counts)) for counts in zip(*ended, strict=True)))
                bar.advance(row)
            wrong = f"{len(cases)} of {len(tasks_of(domain))} first answers have the wrong form"
            console.print(f"\n{domain}: {wrong}", highlight=False)
            console.print(table)


def main() -> None:
    """Measure a model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local:qwen2.5-coder-0.5b")
    with open_model(parser.parse_args().model, slots=AT_ONCE) as model:
        asyncio.run(measure(model, Console(width=120)))


if __name__ == "__main__":
    main()
