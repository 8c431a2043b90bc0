"""The worked examples of the assistant's tools; a small model learns to use them only from these."""

from __future__ import annotations

from ..examples import PlanExample, ToolExample

TODO_EXAMPLES: list[ToolExample] = [
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
TODO_PLANS: list[PlanExample] = [
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
]
SCHEDULE_EXAMPLES: list[ToolExample] = [
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
SCHEDULE_PLANS: list[PlanExample] = [
    {"goal": "What is on my calendar tomorrow?", "steps": ["list the appointments of tomorrow"]},
    {
        "goal": "My yoga class moves to 18:00",
        "steps": ["list the appointments to find the yoga class", "move the appointment 'yoga class' to 18:00"],
    },
    {"goal": "The meeting with Tom is cancelled", "steps": ["remove the appointment 'meeting with Tom'"]},
]
