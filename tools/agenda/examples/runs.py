"""The worked examples of the assistant's tools, by language; a small model learns to use them only from these."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from ...._internal.texts import Language
from ...examples import PlanExample, ToolExample
from ..request import KINDS, Kind
from .requests import plans

_QUOTED = re.compile(r"(?<!\w)'(.+?)'(?!\w)")
_ENGLISH_TODO_EXAMPLES: list[ToolExample] = [
    {
        "goal": "I must not forget to water the plants",
        "step": "add the todo 'water the plants'",
        "input": "/todo add water the plants",
        "result": "Added todo 7: water the plants.",
        "response": "I added 'water the plants' to your todo list.",
    },
]
_ENGLISH_SCHEDULE_EXAMPLES: list[ToolExample] = [
    {
        "goal": "put lunch with Eva on Friday at noon into my calendar",
        "step": "schedule 'lunch with Eva' on Friday 12:00",
        "input": "/schedule add lunch with Eva --at friday 12:00",
        "result": "Added appointment 2: lunch with Eva, Fri 2024-05-10 12:00-13:00.",
        "response": "Lunch with Eva is scheduled for Friday, 10 May, 12:00.",
    },
    {
        "goal": "book me a haircut",
        "step": "schedule 'haircut' on Tuesday 16:00",
        "question": "When should the haircut be?",
        "answer": "Tuesday at 4 pm",
        "input": "/schedule add haircut --at tuesday 16:00",
        "result": "Added appointment 3: haircut, Tue 2024-05-07 16:00-17:00.",
        "response": "The haircut is scheduled for Tuesday, 7 May, 16:00.",
    },
]
_CHINESE_TODO_EXAMPLES: list[ToolExample] = [
    {
        "goal": "别让我忘了浇花",
        "step": "添加待办 '浇花'",
        "input": "/todo add 浇花",
        "result": "已添加待办 7: 浇花。",
        "response": "已把“浇花”加入待办清单。",
    },
]
_CHINESE_SCHEDULE_EXAMPLES: list[ToolExample] = [
    {
        "goal": "周五中午和小林吃午饭，放进日历",
        "step": "安排日程 '和小林吃午饭'，周五 12:00",
        "input": "/schedule add 和小林吃午饭 --at 周五 12:00",
        "result": "已添加日程 2: 和小林吃午饭，2024-05-10 周五 12:00-13:00。",
        "response": "已安排 5 月 10 日周五 12:00 和小林吃午饭。",
    },
    {
        "goal": "帮我约个理发",
        "step": "安排日程 '理发'，周二 16:00",
        "question": "理发安排在什么时候？",
        "answer": "周二下午4点",
        "input": "/schedule add 理发 --at 周二 16:00",
        "result": "已添加日程 3: 理发，2024-05-07 周二 16:00-17:00。",
        "response": "已安排 5 月 7 日周二 16:00 理发。",
    },
]
EXAMPLES: Mapping[Kind, Mapping[Language, list[ToolExample]]] = {
    "todo": {"en": _ENGLISH_TODO_EXAMPLES, "zh": _CHINESE_TODO_EXAMPLES},
    "schedule": {"en": _ENGLISH_SCHEDULE_EXAMPLES, "zh": _CHINESE_SCHEDULE_EXAMPLES},
}


def example_plans(kind: Kind, language: Language) -> list[PlanExample]:
    """The plans that a tool shows: in the language first, and in the other one for those who mix them."""
    first, second = (plans(kind, one) for one in (("zh", "en") if language == "zh" else ("en", "zh")))
    return [*first, *second]


@cache
def example_texts() -> frozenset[str]:
    """The entries that the examples' plans name."""
    told = [plan for kind in KINDS for plan in example_plans(kind, "en")]
    steps = [step for plan in told for step in plan["steps"]]
    steps += [run["step"] for runs in EXAMPLES.values() for some in runs.values() for run in some]
    return frozenset(named.casefold() for step in steps for named in _QUOTED.findall(step))
