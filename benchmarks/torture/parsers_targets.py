"""Every parser of what a model wrote, the tokens of its format, and how many texts it is given."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import parsers_contract as contract
import parsers_inputs as inputs
import parsers_tools as tools
from pydantic import BaseModel, Field
from thoughtgraph import multi_section_parser, pipe
from thoughtgraph.nodes.reflection.critique import critique_parser
from thoughtgraph.nodes.reflection.reflect import reflection_parser
from thoughtgraph.parsers.chain_of_thought import chain_of_thought_parser
from thoughtgraph.parsers.contract import error, success
from thoughtgraph.parsers.json.reply import json_parser


class Plan(BaseModel):
    """A usual schema."""

    goal: str
    steps: list[str]


class Tree(BaseModel):
    """One that holds itself."""

    a: int | str | None = None
    b: list[Tree] = Field(default_factory=list["Tree"])


class Cat(BaseModel):
    """One of two, told apart by a field."""

    kind: Literal["cat"]
    lives: int = Field(ge=1, le=9)


class Dog(BaseModel):
    """The other."""

    kind: Literal["dog"]
    name: str


@dataclass(frozen=True)
class Target:
    """A parser under attack.

    Attributes:
        name: for reports.
        check: gives it a text, and raises where the contract is not kept.
        tokens: of its format.
        count: texts that the whole torture makes for it.
        make: texts of its own kind, for formats that no soup of tokens would hit.
        replies: whether damaged replies of the corpus are given to it, too.
    """

    name: str
    check: Callable[[str], None]
    tokens: Sequence[str]
    count: int
    make: Callable[[random.Random], str] | None = None
    replies: bool = True
    vocabulary: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        """Two tokens of the format for each that may stand anywhere."""
        rounds = 1 + 2 * len(inputs.ANYWHERE) // len(self.tokens)
        object.__setattr__(self, "vocabulary", [*list(self.tokens) * rounds, *inputs.ANYWHERE])

    def text(self, rng: random.Random) -> str:
        """The next text."""
        kind = rng.random()
        if kind > 0.98:
            return inputs.soup(rng, self.vocabulary) + rng.choice(inputs.HEAVY) + inputs.soup(rng, self.vocabulary)
        if self.make and kind < 0.5:
            made = self.make(rng)
            return made if kind < 0.3 else inputs.damaged(rng, made, self.vocabulary)
        if self.replies and kind < 0.2:
            return inputs.damaged(rng, rng.choice(inputs.CORPUS), self.vocabulary)
        return inputs.soup(rng, self.vocabulary)


def _critique(failed: bool) -> Callable[[str], None]:
    def check(text: str) -> None:
        content = contract.result_of(critique_parser(text, failed=failed))
        if content is not None:
            contract.hold(type(content["accepted"]) is bool and 0 <= content["score"] <= 1, "a verdict and a score")
            contract.hold(not (failed and content["accepted"]), "what failed its check is not accepted")

    return check


def _reflection(text: str) -> None:
    content = contract.result_of(reflection_parser(text))
    contract.hold(content is None or "\n" not in content, "a reflection is one line")


def _short(found: Any) -> Any:
    return success(found) if len(json.dumps(found)) < 100 else error("Keep it below 100 characters.")


_piped = pipe(json_parser, _short)


def _pipe(text: str) -> None:
    contract.result_of(_piped(text))


def _json(rng: random.Random) -> str:
    return json.dumps(inputs.value(rng), ensure_ascii=rng.random() < 0.5)


def _action(rng: random.Random) -> str:
    return json.dumps({"tool": rng.choice(["calculate", "echo", "keep", "Echo", "x"]), "input": inputs.value(rng)})


def _thought(rng: random.Random) -> str:
    about = {name: inputs.value(rng) for name in ("thought", "question", "response") if rng.random() < 0.4}
    action = json.loads(_action(rng)) if rng.random() < 0.6 else inputs.value(rng)
    status = rng.choice(["continue", "continue", "done", "ask_user", None])
    return json.dumps({"status": status, "next_action": action, **about})


def _plan(status: str) -> Callable[[random.Random], str]:
    def make(rng: random.Random) -> str:
        steps = [{"step": inputs.value(rng, 4), "tool": inputs.value(rng, 5), "requires": [rng.randrange(-1, 5)]}]
        plan = rng.choice((steps * rng.randrange(4), ["a", "b"], ["a", *steps], inputs.value(rng)))
        return json.dumps({"status": status, "plan": plan, "response": inputs.value(rng, 4)})

    return make


def _run(rng: random.Random) -> str:
    return tools.damaged_run(rng, inputs.RUN_LINES)


_LOOSE = [*inputs.HEADERS, *inputs.FENCES]
_VALUES = [*inputs.JSON, *inputs.FENCES[:6]]
_SAID = [*inputs.PAYLOADS, *inputs.JSON]
_HEADERS = ["[Plan]", "[Answer]"]
_PATTERNS = [r"#+ .*", r"\[(?:Plan|Answer)\]", r"\d+\. \w+"]
TARGETS = [
    Target("sections", contract.sections(lambda text: multi_section_parser(text, _HEADERS)), _LOOSE, 350_000),
    Target(
        "any section",
        contract.sections(
            lambda text: multi_section_parser(text, ["Plan", "Step 2: Act", "【结论】"], match_mode="ANY")
        ),
        _LOOSE,
        400_000,
    ),
    Target(
        "sections by pattern",
        contract.sections(lambda text: multi_section_parser(text, _PATTERNS, True, "ANY")),
        _LOOSE,
        600_000,
    ),
    Target("rule", contract.sections(multi_section_parser), _LOOSE, 1_200_000),
    Target("chain of thought", contract.sections(chain_of_thought_parser), _LOOSE, 300_000),
    Target("think block", contract.think, [*inputs.THOUGHTS, *inputs.FENCES], 2_600_000),
    Target("fences", contract.fences, inputs.FENCES, 1_800_000),
    Target("critique", _critique(False), inputs.OPINIONS, 150_000),
    Target("critique of a failure", _critique(True), inputs.OPINIONS, 150_000),
    Target("reflection", _reflection, [*inputs.OPINIONS, *inputs.HEADERS], 300_000),
    Target("any JSON", contract.any_json, _VALUES, 10_000, _json),
    Target("JSON model", contract.typed_json(Plan), _VALUES, 4_000, _json),
    Target("JSON numbers", contract.typed_json(dict[str, float]), _VALUES, 4_000, _json),
    Target("JSON tree", contract.typed_json(Tree), _VALUES, 4_000, _json),
    Target("JSON union", contract.typed_json(list[Cat | Dog]), _VALUES, 4_000, _json),
    Target("JSON, then a check", _pipe, _VALUES, 4_000, _json),
    Target("plan", contract.payload("plan"), _SAID, 4_000, _plan("planned")),
    Target("replan", contract.payload("replan"), _SAID, 4_000, _plan("replanned")),
    Target("thought", contract.payload("thought", tools.check_action), _SAID, 8_000, _thought),
    Target("action", tools.actions, inputs.JSON, 200_000, _action, replies=False),
    Target("Python code", contract.code("solve"), [*inputs.CODE, *inputs.FENCES], 250_000),
    Target("any Python code", contract.code(), [*inputs.CODE, *inputs.FENCES], 250_000),
    Target("Python file", contract.file_blocks("python"), [*inputs.FILES, *inputs.FENCES], 350_000),
    Target("Markdown file", contract.file_blocks("markdown"), [*inputs.FILES, *inputs.FENCES], 350_000),
    Target("file name", tools.file_names, inputs.NAMES, 1_400_000, replies=False),
    Target("date", tools.dates, inputs.DATES, 100_000, replies=False),
    Target("date in a text", tools.dates_in_text, [*inputs.DATES, "buy milk ", "due ", "by "], 10_000, replies=False),
    Target("command line", tools.lines, [*inputs.LINES, *inputs.DATES[:20]], 120_000, replies=False),
    Target("page of results", tools.result_pages, inputs.PAGES, 15_000, replies=False),
    Target("run file", tools.run_files, inputs.RUN_LINES, 12_000, _run, replies=False),
]
"""All of them."""
