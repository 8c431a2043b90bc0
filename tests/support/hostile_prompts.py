"""Results of tools that talk to the model, and how the model is shown them."""

from __future__ import annotations

from typing import Any

from markdown_it import MarkdownIt
from support.plan_act import act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.models.messages import whole_characters
from thoughtgraph.tools.search import SearchResult, internet_search_tool

_GUIDANCE = ("Go on with the task: Fetch it\n", "The tool call met a problem.", "The tool calls are finished.")


def quoting_problems(result: str, *, fails: bool = False) -> list[str]:
    """Where a tool's result stands in a prompt as anything but the text of one fenced block."""

    def fetch(text: str) -> str:
        """Fetch a text."""
        if fails:
            raise ValueError(result)
        return result

    found: list[str] = []
    replies = [planned("Fetch it"), act("fetch", "x"), done("Done."), replanned(response="Done.")]
    if fails:
        replies = [
            planned("Fetch it"),
            act("fetch", "x"),
            done("Failed."),
            done("Failed."),
            replanned(response="Failed."),
        ]
    model = ScriptedModel(replies=replies)
    create_plan_act_graph(model, [fetch], interactive=False).invoke({"goal": "Fetch it"})
    shown = str(model.requests[2][-1].content)
    found += _block_problems(shown, result, exact=not fails)
    # A decision that was asked to be thought over is left out of later requests.
    for number, request in enumerate([] if fails else model.requests[:-1], 1):
        later = model.requests[number]
        if later[: len(request)] != request:
            found.append(f"request {number + 1} does not begin with the one before")
    return [f"{problem}, for {result[:40]!r}" for problem in found]


def search_problems(words: str) -> list[str]:
    """The same for a search, whose results are quoted line by line besides."""

    class Provider:
        name = "scripted"

        def search(self, query: str, top_k: int = 3) -> list[SearchResult]:
            return [SearchResult(words, words, f"https://a.example/{number}") for number in range(top_k)]

    shown = str(internet_search_tool(Provider()).invoke({"query": "x"}))
    lines = shown.splitlines()
    ours = sum(line.startswith(("1. ", "2. ", "3. ")) for line in lines[1:])
    others = [line for line in lines[1:] if not line.startswith(("1. ", "2. ", "3. ", "   "))]
    found = [f"a line of its own: {others[0][:60]!r}"] if others or ours != 3 else []
    return [f"{problem}, for {words[:40]!r}" for problem in [*found, *quoting_problems(shown)]]


def _block_problems(shown: str, result: str, *, exact: bool) -> list[str]:
    first, _, rest = shown.partition("\n")
    if first not in ("Result of fetch (ok):", "Result of fetch (FAILED):"):
        return [f"the turn begins with {first[:60]!r}"]
    marks, _, rest = rest.partition("\n")
    if set(marks) != {"`"} or len(marks) < 3:
        return ["there is no fence"]
    inside, fence, after = rest.partition(f"\n{marks}\n\n")
    found = [] if fence else ["the block is not closed"]
    if exact and inside != whole_characters(result):
        found.append("the block does not hold the result as it is")
    if marks in inside:
        found.append("the result closes its block")
    if after.count("Phase ") != 1 or not after.startswith(_GUIDANCE):
        found.append(f"behind the block stands {after[:60]!r}")
    blocks: list[Any] = [token for token in MarkdownIt().parse(shown) if token.type == "fence"]
    if len(blocks) != 1:
        found.append(f"Markdown sees {len(blocks)} blocks")
    return found
