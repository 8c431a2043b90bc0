"""The worked examples that the assistant's tools bring along; a small model learns their use from them alone."""

from __future__ import annotations

from ..nodes.examples import ToolExample

TODO_EXAMPLES: list[ToolExample] = [
    {
        "goal": "I must not forget to water the plants",
        "step": "add 'water the plants' to the todo list",
        "input": "/todo add water the plants",
        "result": "Added todo 7: water the plants.",
        "response": "I added 'water the plants' to your todo list.",
    },
    {
        "goal": "what do I still have to do?",
        "step": "list the open todos",
        "input": "/todo list",
        "result": "2 open todos:\n1. return the books (due Fri 2024-05-10)\n4. call the bank",
        "response": "You have two todos: return the books by Friday, and call the bank.",
    },
    {
        "goal": "I have called the bank",
        "step": "mark the todo 'call the bank' as done",
        "input": "/todo done call the bank",
        "result": "Done: todo 4, call the bank.",
        "response": "'Call the bank' is done.",
    },
]
SCHEDULE_EXAMPLES: list[ToolExample] = [
    {
        "goal": "put lunch with Eva on Friday at noon into my calendar",
        "step": "schedule 'lunch with Eva' on Friday 12:00",
        "input": "/schedule add lunch with Eva --at friday 12:00",
        "result": "Added appointment 2: lunch with Eva (Fri 2024-05-10 12:00-13:00).",
        "response": "Lunch with Eva is scheduled for Friday, 10 May, 12:00.",
    },
]
SEARCH_EXAMPLES: list[ToolExample] = [
    {
        "goal": "how high is the Eiffel Tower?",
        "step": "search the internet for the height of the Eiffel Tower",
        "input": "Eiffel Tower height",
        "result": "1. Eiffel Tower facts\n   The tower is 330 metres high.\n   https://tower.example/facts",
        "response": "The Eiffel Tower is 330 metres high (https://tower.example/facts).",
    },
]
