"""Tasks on the todo list and on the calendar alone, and the entries that they start from."""

from __future__ import annotations

from datetime import date, datetime

from .checks import Task, WantAppointment, WantTodo

HOUSEHOLD = (
    "/todo add repair the bike --due tomorrow",
    "/todo add defrost the freezer",
    "/todo add renew the gym card",
)

TODO = (
    Task(
        "todo-add",
        "todo",
        "I'm running out of oat milk, put it on my todo list.",
        todos=(WantTodo("oat milk"),),
    ),
    Task(
        "todo-add-time",
        "todo",
        "I must phone the insurance company tomorrow at 4 pm. Make that a todo with a deadline.",
        todos=(WantTodo("insurance", due=datetime(2026, 3, 12, 16, 0)),),
    ),
    Task(
        "todo-add-date",
        "todo",
        "The tax form has to be handed in by Friday, note that as a todo for me.",
        setup=HOUSEHOLD[1:],
        todos=(WantTodo("tax", due=date(2026, 3, 13)),),
    ),
    Task(
        "todo-add-priority",
        "todo",
        "Renewing my passport is really important, so add it with high priority to my todos.",
        todos=(WantTodo("renew passport", priority="high"),),
    ),
    Task(
        "todo-add-zh",
        "todo",
        "我得买两盒鸡蛋，放进我的待办清单吧",
        todos=(WantTodo("鸡蛋"),),
        language="zh",
    ),
    Task(
        "todo-list",
        "todo",
        "Is there anything left on my todo list?",
        setup=(*HOUSEHOLD, "/todo done 3"),
        says=(r"\bbike\b", r"\bfreezer\b"),
        never_says=(r"\bgym\b",),
    ),
    Task(
        "todo-list-week",
        "todo",
        "What do I have to get done by Saturday?",
        setup=(
            "/todo add order new glasses --due 2026-04-20",
            "/todo add send the invoice --due friday",
            "/todo add sharpen the knives",
        ),
        says=(r"\binvoice\b",),
        never_says=(r"\bglasses\b",),
    ),
    Task(
        "todo-done",
        "todo",
        "I've defrosted the freezer, tick that off my list.",
        setup=HOUSEHOLD,
        touched_todos=(2,),
        todos=(WantTodo("defrost freezer", done=True),),
    ),
    Task(
        "todo-done-two",
        "todo",
        "Both the laundry and the dishes are finished, you can check them off.",
        setup=("/todo add wash the dishes", "/todo add clean the oven", "/todo add do the laundry"),
        touched_todos=(1, 3),
        todos=(WantTodo("dishes", done=True), WantTodo("laundry", done=True)),
    ),
    Task(
        "todo-rm",
        "todo",
        "Forget about the gym card, it can go from my todo list.",
        setup=HOUSEHOLD,
        touched_todos=(3,),
        says=(r"gym|remov|delet|taken|took|done|finished",),
    ),
    Task(
        "todo-edit-text",
        "todo",
        "On my list it says white paint, but it has to be blue paint. Please correct that.",
        setup=("/todo add get a ladder", "/todo add order white paint"),
        touched_todos=(2,),
        todos=(WantTodo("blue paint", without="white"),),
    ),
    Task(
        "todo-edit-date",
        "todo",
        "I won't manage to repair the bike tomorrow, move that task to next Monday.",
        setup=HOUSEHOLD,
        touched_todos=(1,),
        todos=(WantTodo("repair bike", due=date(2026, 3, 16)),),
    ),
)

DIARY = (
    "/schedule add Meeting with Priya --at 2026-03-12 10:00",
    "/schedule add Physiotherapy --at 2026-03-14 11:00 --for 30m",
    "/schedule add Choir rehearsal --at 2026-03-12 18:30",
)

SCHEDULE = (
    Task(
        "schedule-add",
        "schedule",
        "I'm seeing the eye doctor tomorrow at 3 pm, please put it into my calendar.",
        appointments=(WantAppointment("eye doctor", datetime(2026, 3, 12, 15, 0)),),
    ),
    Task(
        "schedule-add-length",
        "schedule",
        "Block two hours for the budget review on March 20 at 10:00.",
        setup=DIARY,
        appointments=(WantAppointment("budget", datetime(2026, 3, 20, 10, 0), 120),),
    ),
    Task(
        "schedule-add-zh",
        "schedule",
        "下周一上午十点和王老师开会，帮我加到日程里",
        appointments=(WantAppointment("王老师", datetime(2026, 3, 16, 10, 0)),),
        language="zh",
    ),
    Task(
        "schedule-list",
        "schedule",
        "How does my Thursday look?",
        setup=DIARY,
        says=(r"\bpriya\b", r"\b(?:choir|rehearsal)\b"),
        never_says=(r"\bphysio",),
    ),
    Task(
        "schedule-next",
        "schedule",
        "When is my next appointment, and with whom?",
        setup=(*DIARY[1:], DIARY[0]),
        says=(r"\bpriya\b", r"\b10(?:[:.]00|\s?am|\s?a\.m|\s?o'clock)"),
    ),
    Task(
        "schedule-move",
        "schedule",
        "The meeting with Priya was moved to Friday at 11.",
        setup=DIARY,
        touched_appointments=(1,),
        appointments=(WantAppointment("priya", datetime(2026, 3, 13, 11, 0), 60),),
    ),
    Task(
        "schedule-length",
        "schedule",
        "The choir rehearsal takes an hour and a half, not one hour. Correct that in my calendar.",
        setup=DIARY,
        touched_appointments=(3,),
        appointments=(WantAppointment("choir", datetime(2026, 3, 12, 18, 30), 90),),
    ),
    Task(
        "schedule-rm",
        "schedule",
        "My knee is fine again, so cancel the physiotherapy on Saturday.",
        setup=DIARY,
        touched_appointments=(2,),
        says=(r"physio|cancel|remov|delet|finished",),
    ),
)
