"""Requests in English with the call for each: every order of the agenda, questions and refusals.

The goal, the step, and the command that carries it out; without a command a plan that needs more than one call, or the
answer at once. The most usual ones come first: where no words are alike, those are shown.
"""

from __future__ import annotations

from ...examples import PlanExample
from .rows import Row, plans

_TODO: list[Row] = [
    ("could you jot down that the hedge needs cutting", "add the todo 'cut the hedge'", "add cut the hedge"),
    ("New task, urgent: call the plumber", "add the todo 'call the plumber'", "add call the plumber --priority high"),
    ("The bank has been called", "mark the todo 'call the bank' as done", "done call the bank"),
    ("Which of my tasks are due this week?", "list the todos due this week", "list --due week"),
    ("I don't need to buy stamps any more", "remove the todo 'buy stamps'", "rm buy stamps"),
    (
        "The library books have to be back on Monday, make that a todo",
        "add the todo 'bring the library books back' due Monday",
        "add bring the library books back --due monday",
    ),
    ("what's still open?", "list the open todos", "list"),
    ("what must be finished until wednesday?", "list the todos due by Wednesday", "list --due by wednesday"),
    ("note: shampoo and toothpaste", "add the todo 'buy shampoo and toothpaste'", "add buy shampoo and toothpaste"),
    (
        "hand in the essay until thursday 5pm",
        "add the todo 'hand in the essay'",
        "add hand in the essay --due thursday 17:00",
    ),
    (
        "somewhen i should sort the photos, not important",
        "add the todo 'sort the photos'",
        "add sort the photos --priority low",
    ),
    (
        "for work: prepare the slides by wednesday",
        "add the todo 'prepare the slides'",
        "add prepare the slides --due wednesday --tag work",
    ),
    ("I've finished ironing", "mark the todo 'ironing' as done", "done ironing"),
    ("dog is washed, cross that off", "mark the todo 'wash the dog' as done", "done wash the dog"),
    ("just paid the phone bill!", "mark the todo 'pay the phone bill' as done", "done pay the phone bill"),
    (
        "Oops, the attic isn't tidied yet after all",
        "mark the todo 'tidy the attic' as open again",
        "undo tidy the attic",
    ),
    ("Forget about the car wash", "remove the todo 'car wash'", "rm car wash"),
    ("drop number 4 from the list pls", "remove the todo 4", "rm 4"),
    (
        "the recycling can wait until tuesday",
        "change the due date of 'recycling' to Tuesday",
        "edit recycling --due tuesday",
    ),
    ("make the roof repair urgent", "give the todo 'roof repair' high priority", "edit roof repair --priority high"),
    ("todo 3 should say grey socks", "change the text of todo 3 to 'grey socks'", "edit 3 grey socks"),
    ("did I write down anything about the piano?", "find the todos about the piano", "find piano"),
    ("show me the finished tasks", "list the done todos", "list done"),
    ("am I late with something?", "list the overdue todos", "list --due overdue"),
    ("which chores are most pressing?", "list the todos with high priority", "list --priority high"),
    ("throw out all the finished tasks", "clear the done todos", "clear done"),
    ("when did I add the thing with the gutter?", "show the todo 'gutter'", "show gutter"),
    ("how does my week look, tasks and dates?", "show the todos and appointments of this week", "/view week"),
    ("Can you send my boss an e-mail?", "", "= I cannot send e-mails. I can note it as a todo, if you like."),
    ("ok great, bye for now", "", "= Goodbye!"),
    ("what can you do?", "", "= I keep your todo list and your calendar, and I can search the internet."),
    (
        "Ring the vet and water the ferns, both today",
        "add the todo 'ring the vet' due today; add the todo 'water the ferns' due today",
        "",
    ),
    ("The parcel came, and I still need tape", "mark the todo 'parcel' as done; add the todo 'buy tape'", ""),
]
_TODO_AFTER: list[tuple[str, str, Row]] = [
    (
        "Paint the fence on Monday",
        "I added 'paint the fence' to your todo list.\n"
        "(What was done: /todo add paint the fence --due monday → Added todo 4: paint the fence (due Mon 2024-05-13).)",
        ("And the gate, too", "add the todo 'paint the gate' due Monday", "add paint the gate --due monday"),
    ),
    (
        "Dentist on Monday, 9:00",
        "The dentist is scheduled for Monday, 9:00.",
        ("What is on my list?", "list the open todos", "list"),
    ),
    (
        "add coffee beans",
        "Added.\n(What was done: /todo add coffee beans → Added todo 6: coffee beans.)",
        ("undo that", "remove the todo 6", "rm 6"),
    ),
    (
        "I mowed the lawn",
        "Well done!\n(What was done: /todo done mow the lawn → Done: 2: mow the lawn.)",
        ("sorry, that was wrong, it isn't mowed", "mark the todo 2 as open again", "undo 2"),
    ),
    (
        "note the rent for the 1st",
        "Noted.\n(What was done: /todo add rent --due 2024-06-01 → Added todo 8: rent (due Sat 2024-06-01).)",
        ("no, the 3rd", "change the due date of todo 8 to the 3rd of June", "edit 8 --due 2024-06-03"),
    ),
    (
        "I walked the dog",
        "Done.\n(What was done: /todo done walk the dog → Done: 5: walk the dog.)",
        ("which change was that?", "", "= I marked 'walk the dog' as done."),
    ),
]
_SCHEDULE: list[Row] = [
    (
        "Swimming with Nadia, Sunday 11am",
        "schedule 'swimming with Nadia' on Sunday 11:00",
        "add swimming with Nadia --at sunday 11:00",
    ),
    ("What is on my calendar tomorrow?", "list the appointments of tomorrow", "list tomorrow"),
    ("My yoga class moves to 18:00", "move the appointment 'yoga class' to 18:00", "edit yoga class --at 18:00"),
    ("The meeting with Tom is cancelled", "remove the appointment 'meeting with Tom'", "rm meeting with Tom"),
    (
        "theatre saturday half past seven pm at the Globe",
        "schedule 'theatre' on Saturday 19:30",
        "add theatre --at saturday 19:30 --place the Globe",
    ),
    (
        "block two hours for the tax return, thursday from 9",
        "schedule 'tax return' on Thursday 9:00 for 2 hours",
        "add tax return --at thursday 9:00 --for 2h",
    ),
    (
        "job interview on june 12th 14:15",
        "schedule 'job interview' on 12 June 14:15",
        "add job interview --at june 12 14:15",
    ),
    (
        "pick up grandma from the station today 5 pm",
        "schedule 'pick up grandma' today 17:00",
        "add pick up grandma from the station --at today 17:00",
    ),
    (
        "Call with the landlord in three hours",
        "schedule 'call with the landlord' in 3 hours",
        "add call with the landlord --at in 3 hours",
    ),
    ("I need an appointment at the garage", "schedule an appointment at the garage", ""),
    ("set up a chat with Lena sometime", "schedule a chat with Lena", ""),
    ("anything planned for next week?", "list the appointments of next week", "list next week"),
    ("am I free on friday?", "list the appointments of Friday", "list friday"),
    ("where do I have to be next?", "show the next appointment", "next"),
    ("When is the massage?", "find the appointment 'massage'", "find massage"),
    ("show me everything in the calendar", "list all appointments", "list all"),
    ("details of appointment 5?", "show the appointment 5", "show 5"),
    (
        "Push the massage to Wednesday at ten",
        "move the appointment 'massage' to Wednesday 10:00",
        "edit massage --at wednesday 10:00",
    ),
    ("the choir starts at 20:00 instead", "move the appointment 'choir' to 20:00", "edit choir --at 20:00"),
    (
        "the board meeting will take three hours",
        "make the appointment 'board meeting' 3 hours long",
        "edit board meeting --for 3h",
    ),
    (
        "we meet in the park, not at the cafe: brunch",
        "change the place of 'brunch' to the park",
        "edit brunch --place the park",
    ),
    ("Tennis is off", "remove the appointment 'tennis'", "rm tennis"),
    ("delete appointment 6", "remove the appointment 6", "rm 6"),
    (
        "Please invite Paul by mail to the party",
        "",
        "= I cannot send invitations. I can put the party into your calendar.",
    ),
    (
        "Haircut tuesday at 4, and get flowers before",
        "schedule 'haircut' on Tuesday 16:00; add the todo 'get flowers' due Tuesday",
        "",
    ),
]
_SCHEDULE_AFTER: list[tuple[str, str, Row]] = [
    (
        "Hi!",
        "Hello! What can I do for you?",
        (
            "Put the concert into my calendar, Saturday at 20:00",
            "schedule 'concert' on Saturday 20:00",
            "add concert --at saturday 20:00",
        ),
    ),
    (
        "Massage on Thursday at 10",
        "It is scheduled.\n"
        "(What was done: /schedule add massage --at thursday 10:00 → "
        "Added appointment 3: massage, Thu 2024-05-09 10:00-11:00.)",
        ("rather at noon", "move the appointment 3 to 12:00", "edit 3 --at 12:00"),
    ),
    (
        "Massage on Thursday at 10",
        "It is scheduled.\n"
        "(What was done: /schedule add massage --at thursday 10:00 → "
        "Added appointment 3: massage, Thu 2024-05-09 10:00-11:00.)",
        ("oh no, take it out again", "remove the appointment 3", "rm 3"),
    ),
    (
        "cancel the choir",
        "The choir is cancelled.\n"
        "(What was done: /schedule rm choir → Removed appointment 2: choir, Fri 2024-05-10 19:00-20:00.)",
        ("bring it back please", "schedule 'choir' on 2024-05-10 19:00", "add choir --at 2024-05-10 19:00"),
    ),
]


def todo_plans() -> list[PlanExample]:
    """The plans of the todo list."""
    return plans("todo", _TODO, _TODO_AFTER, "en")


def schedule_plans() -> list[PlanExample]:
    """The plans of the calendar."""
    return plans("schedule", _SCHEDULE, _SCHEDULE_AFTER, "en")
