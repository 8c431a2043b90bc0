"""The worked examples of the assistant's tools, by language; a small model learns to use them only from these."""

from __future__ import annotations

from collections.abc import Mapping

from ...._internal.texts import Language
from ...examples import PlanExample, ToolExample

_ENGLISH_TODO_EXAMPLES: list[ToolExample] = [
    {
        "goal": "I must not forget to water the plants",
        "step": "add the todo 'water the plants'",
        "input": "/todo add water the plants",
        "result": "Added todo 7: water the plants.",
        "response": "I added 'water the plants' to your todo list.",
    },
    {
        "goal": "what do I still have to do?",
        "step": "list the open todos",
        "input": "/todo list",
        "result": "Open todos (2):\n1: return the books (due Fri 2024-05-10)\n4: call the bank",
        "response": "You have two todos: return the books by Friday, and call the bank.",
    },
]
_ENGLISH_TODO_PLANS: list[PlanExample] = [
    {
        "goal": "New task, urgent: call the plumber",
        "steps": ["add the todo 'call the plumber' with high priority"],
    },
    {
        "goal": "The library books have to be back on Monday, make that a todo",
        "steps": ["add the todo 'bring the library books back' due Monday"],
    },
    {"goal": "The bank has been called", "steps": ["mark the todo 'call the bank' as done"]},
    {"goal": "Which of my tasks are due this week?", "steps": ["list the todos due this week"]},
    {"goal": "I don't need to buy stamps any more", "steps": ["remove the todo 'buy stamps'"]},
    {"goal": "记一个待办：给妈妈打电话", "steps": ["添加待办 '给妈妈打电话'"]},
    {
        "background": "User: Paint the fence on Monday\nAssistant: I added 'paint the fence' to your todo list.",
        "goal": "And the gate, too",
        "steps": ["add the todo 'paint the gate' due Monday"],
    },
    {
        "background": "User: Dentist on Monday, 9:00\nAssistant: The dentist is scheduled for Monday, 9:00.",
        "goal": "What is on my list?",
        "steps": ["list the open todos"],
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
_ENGLISH_SCHEDULE_PLANS: list[PlanExample] = [
    {"goal": "What is on my calendar tomorrow?", "steps": ["list the appointments of tomorrow"]},
    {
        "goal": "My yoga class moves to 18:00",
        "steps": ["list the appointments to find the yoga class", "move the appointment 'yoga class' to 18:00"],
    },
    {"goal": "The meeting with Tom is cancelled", "steps": ["remove the appointment 'meeting with Tom'"]},
    {
        "background": "User: Hi!\nAssistant: Hello! What can I do for you?",
        "goal": "Put the concert into my calendar, Saturday at 20:00",
        "steps": ["schedule 'concert' on Saturday 20:00"],
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
    {
        "goal": "我还有什么事没做？",
        "step": "列出未完成的待办",
        "input": "/todo list",
        "result": "未完成的待办（2）：\n1: 还书（截止 2024-05-10 周五）\n4: 给银行打电话",
        "response": "您有两件待办：周五前还书，以及给银行打电话。",
    },
]
_CHINESE_TODO_PLANS: list[PlanExample] = [
    {"goal": "新任务，很急：联系水管工", "steps": ["添加高优先级的待办 '联系水管工'"]},
    {"goal": "图书馆的书周一要还，记成待办", "steps": ["添加待办 '还图书馆的书'，周一到期"]},
    {"goal": "银行的电话打完了", "steps": ["把待办 '给银行打电话' 标记为完成"]},
    {"goal": "这周有哪些任务到期？", "steps": ["列出本周到期的待办"]},
    {"goal": "不用买邮票了", "steps": ["删除待办 '买邮票'"]},
    {"goal": "记一个待办：给妈妈打电话", "steps": ["添加待办 '给妈妈打电话'"]},
    {
        "background": "用户：周一要刷围栏\n助手：已把“刷围栏”加入待办清单。",
        "goal": "还有大门也要刷",
        "steps": ["添加待办 '刷大门'，周一到期"],
    },
    {
        "background": "用户：周一 9 点看牙医\n助手：已安排周一 9:00 看牙医。",
        "goal": "清单上有什么？",
        "steps": ["列出未完成的待办"],
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
_CHINESE_SCHEDULE_PLANS: list[PlanExample] = [
    {"goal": "明天有什么安排？", "steps": ["列出明天的日程"]},
    {"goal": "瑜伽课改到 18:00", "steps": ["列出日程，找到瑜伽课", "把日程 '瑜伽课' 改到 18:00"]},
    {"goal": "和小王的会议取消了", "steps": ["删除日程 '和小王的会议'"]},
    {
        "background": "用户：你好！\n助手：你好！有什么可以帮您？",
        "goal": "周六晚上 8 点听音乐会，放进日历",
        "steps": ["安排日程 '听音乐会'，周六 20:00"],
    },
]
TODO_EXAMPLES: Mapping[Language, list[ToolExample]] = {"en": _ENGLISH_TODO_EXAMPLES, "zh": _CHINESE_TODO_EXAMPLES}
TODO_PLANS: Mapping[Language, list[PlanExample]] = {"en": _ENGLISH_TODO_PLANS, "zh": _CHINESE_TODO_PLANS}
SCHEDULE_EXAMPLES: Mapping[Language, list[ToolExample]] = {
    "en": _ENGLISH_SCHEDULE_EXAMPLES,
    "zh": _CHINESE_SCHEDULE_EXAMPLES,
}
SCHEDULE_PLANS: Mapping[Language, list[PlanExample]] = {"en": _ENGLISH_SCHEDULE_PLANS, "zh": _CHINESE_SCHEDULE_PLANS}
