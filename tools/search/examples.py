"""The search tool's worked examples; a small model learns to use it only from them."""

from __future__ import annotations

from ..examples import PlanExample, ToolExample

SEARCH_EXAMPLES: list[ToolExample] = [
    {
        "goal": "how high is the Eiffel Tower?",
        "step": "search the internet for the height of the Eiffel Tower",
        "input": "Eiffel Tower height",
        "result": "1. Eiffel Tower facts\n   The tower is 330 metres high.\n   https://tower.example/facts",
        "response": "The Eiffel Tower is 330 metres high (https://tower.example/facts).",
    },
]


SEARCH_PLANS: list[PlanExample] = [
    {
        "goal": "Who built the bridge at Remagen?",
        "steps": ["search the internet for the builder of the bridge at Remagen"],
    },
]
