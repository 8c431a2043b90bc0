"""How many prompt tokens of a plan-act run does the server take from its KV cache?

    python benchmarks/cache/run.py                                     the embedded 0.5B
    python benchmarks/cache/run.py --model http://127.0.0.1:8080/v1    any server that reports cached tokens

The first call of every goal is left out: what it finds in the cache is left from the goal before. "At best" is what a
server could serve if it kept everything it has read and written in the call before; the rest is new in the prompt.
The lowest call shows where a conversation was not continued to the letter. Target: 90 % after the first call.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from rich.console import Console
from rich.table import Table
from thoughtgraph import create_plan_act_graph, open_model
from thoughtgraph.models.messages import usage_of
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.search import SearchResult, internet_search_tool
from thoughtgraph.traces.shapes import Usage

TARGET = 0.9
SERVED_CONTEXT, CONTEXT_TOKENS, MAX_TOKENS = 8_192, 6_000, 300
GOALS = (
    "Add buy milk to my todo list",
    "Remind me to call mom and to water the plants",
    "What is on my todo list?",
    "Put three todos on my list: pack the bags, book a taxi, print the tickets",
    "Find out how high the Eiffel Tower is and note it as a todo",
)


class CallUsage(BaseCallbackHandler):
    """Collects the usage of every call to the model, retries included."""

    def __init__(self) -> None:
        self.calls: list[Usage] = []

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """Keep what the reply reports."""
        generation = response.generations[0][0]
        if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
            self.calls.append(usage_of(generation.message))


class OneFact:
    """A search that knows one fact."""

    name = "one fact"

    def search(self, query: str, top_k: int) -> list[SearchResult]:
        """The fact, whatever is asked."""
        return [SearchResult("The Eiffel Tower", "It is 330 metres high.", "https://tower.example/")]


def run(model: BaseChatModel, goal: str, constrained: bool) -> tuple[str, list[Usage]]:
    """Why a run ended, and what its calls cost."""
    usage = CallUsage()
    with Agenda(":memory:") as agenda:
        tools = [todo_tool(agenda), schedule_tool(agenda), internet_search_tool(OneFact())]
        graph = create_plan_act_graph(
            model, tools, interactive=False, constrained=constrained, context_tokens=CONTEXT_TOKENS
        )
        result = graph.invoke({"goal": goal}, {"callbacks": [usage]})
    return result["stop_reason"]["kind"], usage.calls


def prompt_tokens(calls: Sequence[Usage]) -> tuple[int, int, int]:
    """Prompt tokens after the first call: sent, taken from the cache, and what could have been."""
    later = list(pairwise(calls))
    best = sum(min(call["input_tokens"], before["total_tokens"]) for before, call in later)
    return sum(call["input_tokens"] for _, call in later), sum(call["cached_tokens"] for _, call in later), best


def share(part: int, whole: int) -> str:
    """A share for the table."""
    return f"{part / whole:.1%}" if whole else "–"


def main() -> None:
    """Parse the arguments, open the model, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="as for `thoughtgraph solve`; default: the embedded 0.5B")
    parser.add_argument("--constrained", action="store_true", help="hold replies to the payload's schema")
    parser.add_argument("--goals", type=int, default=len(GOALS), help="only the first so many goals")
    args = parser.parse_args()
    console = Console(width=140)
    table = Table("goal", "ended by", "calls", "prompt tokens after it", "cached", "share", "at best", "lowest call")
    sums = [0, 0, 0]
    options: dict[str, Any] = {"temperature": 0.0, "max_tokens": MAX_TOKENS}
    with open_model(args.model, slots=1, context=SERVED_CONTEXT, **options) as model:
        for goal in GOALS[: args.goals]:
            with console.status(goal):
                ended, calls = run(model, goal, args.constrained)
            sent, cached, best = prompt_tokens(calls)
            sums = [total + part for total, part in zip(sums, (sent, cached, best), strict=True)]
            shares = [call["cached_tokens"] / call["input_tokens"] for call in calls[1:]]
            lowest = f"{min(shares):.0%}" if shares else "–"
            cells = (f"{sent:,}", f"{cached:,}", share(cached, sent), share(best, sent), lowest)
            table.add_row(goal, ended, str(len(calls)), *cells)
    sent, cached, best = sums
    table.add_section()
    table.add_row("all", "", "", f"{sent:,}", f"{cached:,}", share(cached, sent), share(best, sent), "")
    console.print(table)
    reached = bool(sent) and cached / sent >= TARGET
    console.print(f"target {TARGET:.0%}: {'reached' if reached else 'MISSED'}", highlight=False)


if __name__ == "__main__":
    main()
