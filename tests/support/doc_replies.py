"""What a page of the documentation meets when it is executed: a model's replies, files, and names of the reader's."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.graph import START, MessagesState, StateGraph
from support.openai_server import Reply
from support.plan_act import act, ask, done, planned, replanned
from support.scripted import ScriptedModel, code
from thoughtgraph import create_reflection_graph


@dataclass(frozen=True)
class Scene:
    """What a page meets.

    Attributes:
        script: of the model, all of it asked for; or a function of the request.
        files: of the folder it runs in, by name.
        names: that the page takes as given.
    """

    script: Sequence[Reply] | Callable[[dict[str, Any], int], Reply] = ()
    files: dict[str, str] = field(default_factory=dict[str, str])
    names: Callable[[], dict[str, Any]] = dict[str, Any]


def said(*replies: str) -> list[Reply]:
    """Replies that are texts alone."""
    return [Reply(text) for text in replies]


WRONG = code("def double(x):\n    return x + 2")
RIGHT = code("def double(x):\n    return 2 * x")
SLUG_WRONG = code("def slug(title):\n    return title.lower().replace(' ', '-')")
SLUG_RIGHT = code("import re\n\n\ndef slug(title):\n    return '-'.join(re.findall(r'[a-z0-9]+', title.lower()))")
REFLECTION = "[Mistake]\nI added 2 instead of multiplying by it.\n[Next time]\nMultiply the number by 2."


def critique(verdict: str, score: int, text: str) -> str:
    """A critic's reply."""
    return f"[Critique]\n{text}\n[Score]\n{score}\n[Verdict]\n{verdict}"


def stock_call() -> Reply:
    """A reply that calls the tool of the page on middleware."""
    function = {"name": "stock", "arguments": json.dumps({"item": "apples"})}
    return Reply(tool_calls=[{"id": "1", "type": "function", "function": function}], finish_reason="tool_calls")


def compared(body: dict[str, Any], index: int) -> Reply:
    """Whoever is asked, actor, evaluator or critic, in whatever order."""
    system = str(body["messages"][0]["content"])
    if system.startswith("You review"):
        return Reply(critique("ACCEPT", 9, "It doubles both numbers."))
    if "capital of" in str(body["messages"][-1]["content"]):
        return Reply("Paris")
    if system.startswith("You tried"):
        return Reply(REFLECTION)
    return Reply(RIGHT if index % 2 else WRONG)


def coding_task(name: str) -> str:
    """A line of a dataset."""
    tests = {"visible_tests": "assert double(2) == 4", "hidden_tests": "assert double(5) == 10"}
    return json.dumps({"task_id": name, "prompt": "Write `double(x)`.", "entry_point": "double", **tests}) + "\n"


def two_graphs() -> dict[str, Any]:
    """A main graph and a critique graph, as somebody has them who comes from langgraph-reflection."""

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [("assistant", f"Answer {len(state['messages'])}.")]}

    def judge(state: MessagesState) -> dict[str, Any]:
        return {"messages": [] if len(state["messages"]) > 2 else [("user", "Say more.")]}

    built: dict[str, Any] = {}
    for name, node in (("assistant_graph", answer), ("judge_graph", judge)):
        graph = StateGraph(MessagesState)
        graph.add_node("work", node)
        graph.add_edge(START, "work")
        built[name] = graph.compile()
    return {**built, "model": ScriptedModel(replies=[RIGHT])}


SCENES: dict[str, Scene] = {
    "README.md": Scene(
        said(SLUG_RIGHT, "[Plan]\nBake.\n[Answer]\nWe bake."), names=lambda: {"prompt": "Plan a picnic."}
    ),
    "docs/first_steps_hosted.md": Scene(said(SLUG_WRONG, SLUG_RIGHT, "Air scatters blue light more than red.")),
    "docs/plan_act.md": Scene(
        said(
            planned("find out when the lunch is"),
            ask("At what time is the lunch?"),
            replanned("schedule 'lunch with Eva' on friday 12:00"),
            act("schedule", "/schedule add lunch with Eva --at friday 12:00"),
            done("Lunch with Eva is on Friday at 12:00."),
            replanned(response="Lunch with Eva is in your calendar."),
        )
    ),
    "docs/assistant.md": Scene(
        said(
            planned("add the todo 'buy milk'"),
            act("todo", "/todo add buy milk --due tomorrow"),
            done("Added."),
            replanned(response="I shall remind you."),
            planned("schedule 'lunch with Eva' on friday 12:00"),
            act("schedule", "/schedule add lunch with Eva --at friday 12:00"),
            done("Scheduled."),
            replanned(response="It is in your calendar."),
        )
    ),
    "docs/middleware.md": Scene([*said(WRONG, RIGHT), stock_call(), Reply("Three apples are in stock.")]),
    "docs/migrating.md": Scene(names=two_graphs),
    "docs/comparing.md": Scene(compared, files={"tasks.jsonl": coding_task("1") + coding_task("2")}),
    "docs/data_format.md": Scene(files={"broken.jsonl": coding_task("1") + '{"task_id": "2", "task": "Write it."}\n'}),
    "docs/observability.md": Scene(
        said(RIGHT),
        names=lambda: {"graph": create_reflection_graph(actor=ScriptedModel(replies=[RIGHT]))},
    ),
    "docs/context_graph.md": Scene(said(WRONG, RIGHT, RIGHT, RIGHT, '{"name": "Oslo"}')),
    "docs/models.md": Scene(
        [
            Reply("hello"),
            Reply("hello"),
            Reply("150", reasoning_content="2.5 * 60 = 150"),
            *said("```python\ndef double(x): return x\n```", "```python\ndef double(x): return 2 * x\n```"),
        ]
    ),
    "docs/durability.md": Scene(said(RIGHT, RIGHT, RIGHT, RIGHT, "Tea is hot.", "Steam above the cup", RIGHT, RIGHT)),
    "docs/reflection.md": Scene(
        said(
            *(WRONG, RIGHT),
            RIGHT,
            *(WRONG, REFLECTION, RIGHT),
            "Air is blue.",
            critique("REVISE", 4, "Say what scatters the light."),
            "Air scatters blue light more than red light.",
            critique("ACCEPT", 9, "It is right and short."),
            *(WRONG, RIGHT),
            *("Two pens are 6, and 4 more: 10", "10", "It is 10", "It is 10"),
            WRONG,
            *(code(f"def add({head}") for head in ("a): return a", "a, b): return a - b", "a, b): return a + b")),
            *('{"name": "Oslo", "people": -1}', '{"name": "Oslo", "people": 709000}'),
            "```sh\necho hello\n```",
            *("Tea is a very hot drink.", "A hot drink."),
            *("pear, apple, fig", "apple, fig, pear"),
            *(WRONG, RIGHT),
            *(WRONG, code("def double(x):\n    return x * x")),
        )
    ),
    "docs/errors.md": Scene(said("Oslo.", "It is Oslo.")),
    "docs/index.md": Scene(said(SLUG_WRONG, SLUG_RIGHT)),
    "docs/thinking.md": Scene(
        [
            Reply("150", reasoning_content="2.5 * 60 = 150"),
            Reply("[Plan]\n1. Make tea\n2. Walk to the lake"),
            Reply("[Answer]\nWe make tea and walk to the lake."),
            Reply("No idea."),
            Reply("Still none."),
            *said("Tea?", "Tea, yes.", "[Plan]\nMake tea."),
            Reply("Paris.", reasoning_content="France, so Paris."),
            Reply("import", finish_reason="length"),
            Reply("import http", finish_reason="length"),
            Reply("Hm. " + "I like tea. " * 100, finish_reason="length"),
            Reply("=====\nGreen tea."),
            Reply(status=503),
            Reply("hello"),
            Reply(status=503),
            Reply(status=503),
            Reply("Fine."),
            Reply("Fine."),
        ]
    ),
    "docs/parsers.md": Scene(
        said(
            "\n".join(
                f"**{step}**\n{text}"
                for step, text in {
                    "Understand": "Convert 3.5 hours into minutes.",
                    "Analyze": "One hour has 60 minutes.",
                    "Plan": "Multiply.",
                    "Execute": "3.5 * 60 = 210",
                    "Verify": "210 / 60 = 3.5",
                }.items()
            ),
            '{"name": "Paris", "people": 2100000}',
            '{"name": "Bergen", "people": 290000}',
            "It depends.",
            "No, it is 7 * 13.",
            "```path\nnotes.md\n```\n\n```markdown\nTea is best hot.\n```",
        )
    ),
}
