"""The search tool's worked examples, by language; a small model learns to use it only from them."""

from __future__ import annotations

from collections.abc import Mapping

from ..._internal.texts import Language
from ..examples import PlanExample, ToolExample

_ENGLISH: list[ToolExample] = [
    {
        "goal": "how high is the Eiffel Tower?",
        "step": "search the internet for the height of the Eiffel Tower",
        "input": "Eiffel Tower height",
        "result": "1. Eiffel Tower facts\n   The tower is 330 metres high.\n   https://tower.example/facts",
        "response": "The Eiffel Tower is 330 metres high (https://tower.example/facts).",
    },
]
_ENGLISH_PLANS: list[PlanExample] = [
    {
        "goal": "Who built the bridge at Remagen?",
        "steps": ["search the internet for the builder of the bridge at Remagen"],
    },
]
_CHINESE: list[ToolExample] = [
    {
        "goal": "埃菲尔铁塔有多高？",
        "step": "上网搜索埃菲尔铁塔的高度",
        "input": "埃菲尔铁塔 高度",
        "result": "1. 埃菲尔铁塔概况\n   铁塔高 330 米。\n   https://tower.example/facts",
        "response": "埃菲尔铁塔高 330 米（https://tower.example/facts）。",
    },
]
_CHINESE_PLANS: list[PlanExample] = [
    {"goal": "赵州桥是谁建造的？", "steps": ["上网搜索赵州桥的建造者"]},
]
SEARCH_EXAMPLES: Mapping[Language, list[ToolExample]] = {"en": _ENGLISH, "zh": _CHINESE}
SEARCH_PLANS: Mapping[Language, list[PlanExample]] = {"en": _ENGLISH_PLANS, "zh": _CHINESE_PLANS}
