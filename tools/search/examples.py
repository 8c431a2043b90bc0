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
        "input": "bridge at Remagen builder",
    },
    {
        "goal": "when does the botanical garden open on saturdays",
        "steps": ["search the internet for the opening hours of the botanical garden"],
        "input": "botanical garden opening hours saturday",
    },
    {
        "goal": "Look up what a ferry to Texel costs",
        "steps": ["search the internet for the price of a ferry to Texel"],
        "input": "ferry to Texel price",
    },
    {
        "goal": "is the mountain pass open again?",
        "steps": ["search the internet for whether the mountain pass is open"],
        "input": "mountain pass open",
    },
    {
        "goal": "Find out when the street festival starts and put it into my calendar",
        "steps": ["search the internet for the start of the street festival", "schedule 'street festival'"],
    },
    {"goal": "How much is 7 times 8?", "steps": [], "response": "7 times 8 is 56."},
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
    {"goal": "赵州桥是谁建造的？", "steps": ["上网搜索赵州桥的建造者"], "input": "赵州桥 建造者"},
    {"goal": "植物园周六几点开门", "steps": ["上网搜索植物园周六的开放时间"], "input": "植物园 周六 开放时间"},
    {"goal": "查一下去鼓浪屿的船票多少钱", "steps": ["上网搜索去鼓浪屿的船票价格"], "input": "鼓浪屿 船票 价格"},
    {"goal": "七乘八等于几？", "steps": [], "response": "七乘八等于五十六。"},
]
SEARCH_EXAMPLES: Mapping[Language, list[ToolExample]] = {"en": _ENGLISH, "zh": _CHINESE}
SEARCH_PLANS: Mapping[Language, list[PlanExample]] = {
    "en": [*_ENGLISH_PLANS, *_CHINESE_PLANS],
    "zh": [*_CHINESE_PLANS, *_ENGLISH_PLANS],
}
