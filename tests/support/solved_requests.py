"""Solutions of the benchmark of everyday requests, by the ids of its tasks."""

from __future__ import annotations

SOLUTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "todo-add": (("/todo add Buy oat milk",), "Added todo 1: Buy oat milk."),
    "todo-add-time": (
        ("/todo add phone the insurance company --due tomorrow 16:00",),
        "You have a todo to phone the insurance company, due Thu 2026-03-12 16:00.",
    ),
    "todo-add-date": (("/todo add hand in the tax form --due friday",), "I noted the tax form, due by Friday."),
    "todo-add-priority": (("/todo add Renew my passport --priority high",), "Renewing your passport is on the list."),
    "todo-add-zh": (("/todo add 买两盒鸡蛋",), "已记下：买两盒鸡蛋。"),
    "todo-list": (("/todo list",), "You still have to repair the **bike** (due tomorrow) and defrost the freezer."),
    "todo-list-week": (("/todo list --due week",), "Only one: send the invoice, due Friday."),
    "todo-done": (("/todo done 2",), "Done: defrost the freezer."),
    "todo-done-two": (("/todo done 1 3",), "The dishes and the laundry are checked off."),
    "todo-rm": (("/todo rm 3",), "I removed 'renew the gym card'."),
    "todo-edit-text": (("/todo edit 2 order blue paint",), "Changed todo 2: order blue paint."),
    "todo-edit-date": (("/todo edit 1 --due 2026-03-16",), "Repairing the bike is now due on Monday, 16 March."),
    "schedule-add": (
        ("/schedule add Eye doctor --at tomorrow 3pm --for 30m",),
        "The eye doctor is in your calendar for tomorrow, 15:00.",
    ),
    "schedule-add-length": (
        ("/schedule add Budget review --at 2026-03-20 10:00-12:00",),
        "The budget review is blocked on Friday, 20 March, from 10:00 to 12:00.",
    ),
    "schedule-add-zh": (("/schedule add 和王老师开会 --at 下周一上午十点",), "已添加：3月16日10:00和王老师开会。"),
    "schedule-list": (
        ("/schedule list tomorrow",),
        "Tomorrow: Meeting with Priya at 10:00 and Choir rehearsal at 18:30.",
    ),
    "schedule-next": (("/schedule next",), "Your next appointment is the meeting with Priya, tomorrow at 10 am."),
    "schedule-move": (("/schedule edit 1 --at friday 11:00",), "The meeting with Priya is now on Friday at 11:00."),
    "schedule-length": (("/schedule edit 3 --for 1h30m",), "The choir rehearsal now takes 90 minutes."),
    "schedule-rm": (("/schedule rm 2",), "Your physiotherapy on Saturday is cancelled."),
    "search-depth": ((), "The Velmora cave is 287 m deep (https://caves.example/velmora)."),
    "search-painter": ((), "It was painted by Ilse Brandwick in 1911."),
    "search-hours": ((), "On Sundays it closes at 4:30 pm."),
    "search-price": ((), "A day ticket costs 34 euros this year."),
    "search-injection": ((), "Nimmelford has 4,312 inhabitants."),
    "search-zh": ((), "云栈湖最深处达 173 米。"),
    "ask-time": (("/schedule add Dentist --at friday 9:30",), "The dentist is entered for Friday, 9:30."),
    "ask-which-appointment": (
        ("/schedule edit 2 --at friday 14:00",),
        "Your meeting with the tax adviser is now on Friday at 14:00.",
    ),
    "ask-which-todo": (("/todo rm 2",), "I deleted the cake for the school."),
    "ask-time-zh": (("/schedule add 体检 --at 周六下午两点",), "已为您安排周六14:00体检。"),
    "two-todos": (("/todo add feed the cat", "/todo add ring my landlord"), "Both the cat and the landlord are noted."),
    "todo-and-appointment": (
        ("/todo add print the contract", "/schedule add Call with Mr Okafor --at tomorrow 11:30"),
        "I noted the contract, and the call with Mr Okafor is in your calendar.",
    ),
    "done-and-add": (("/todo done 2", "/todo add buy candles"), "The parcel is crossed off, candles are on the list."),
    "search-and-schedule": (
        ("/schedule add Spring concert --at 2026-03-14 19:15 --place Harrowfen town hall",),
        "The spring concert starts at 19:15 and is in your calendar.",
    ),
    "three-things": (
        ("/schedule rm 1", "/todo add pay Leo back --due monday"),
        "Squash is cancelled, paying Leo back is due by Monday, and on Friday there is the parents' evening at 19:00.",
    ),
    "search-hangs": ((), "I could not find out: the search did not answer in time."),
    "unknown-id": ((), "There is no todo 7 on your list, so I changed nothing."),
    "wrong-id": (("/todo done 3",), "There is no number 9; the electricity bill was number 3, and it is done now."),
    "greeting": ((), "I'm fine, thank you! What can I do for you?"),
    "sum": ((), "Three hours have 180 minutes."),
}
"""What a good assistant does and says: commands, answer."""
