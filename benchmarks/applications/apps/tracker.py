"""The tickets of a software team: plain tools that say nothing of their effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, Like, call

Status = Literal["open", "in progress", "closed"]
TEAM = ("Priya", "Tomas", "Mei", "Rafael")


class Priority(StrEnum):
    """How soon a ticket should be done."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"


def _tickets() -> dict[str, dict[str, Any]]:
    rows = [
        (11, "Invoice totals are off by a cent", "open", "Rafael", "high"),
        (12, "Export times out for large projects", "in progress", "Tomas", "normal"),
        (13, "Dark mode for the settings page", "open", "Mei", "low"),
        (14, "Search ignores umlauts", "in progress", "Priya", "normal"),
        (15, "Dark mode for the mobile app", "open", "Priya", "normal"),
        (16, "Printing to PDF cuts off the last page", "open", "Tomas", "normal"),
        (17, "Flaky test in the upload suite", "open", None, "low"),
    ]
    names = ("title", "status", "assignee", "priority")
    return {str(number): dict(zip(names, row, strict=True)) for number, *row in rows}


@dataclass
class Tracker:
    """The tickets by their number, comments by ticket, and the day of each release."""

    tickets: dict[str, dict[str, Any]] = field(default_factory=_tickets)
    comments: dict[str, str] = field(default_factory=dict[str, str])
    releases: dict[str, str] = field(default_factory=lambda: {"2.4": "2026-03-20", "3.0": "2026-05-04"})

    def ticket(self, number: int) -> dict[str, Any]:
        """A ticket that there is."""
        if str(number) not in self.tickets:
            raise ToolException(f"Ticket {number} does not exist.")
        return self.tickets[str(number)]


class Search(BaseModel):
    """Which tickets to find; what is left out does not matter."""

    text: str | None = Field(None, description="words of the title")
    status: Status | None = None
    assignee: str | None = None


class Update(BaseModel):
    """What changes of a ticket; what is left out stays."""

    ticket_id: int
    status: Status | None = None
    priority: Priority | None = None
    assignee: str | None = None


def tools(tracker: Tracker) -> Sequence[BaseTool]:
    """The tools over one team's tickets."""

    def search(text: str | None = None, status: str | None = None, assignee: str | None = None) -> list[dict[str, Any]]:
        words = (text or "").casefold().split()
        return [
            {"ticket_id": int(number), **ticket}
            for number, ticket in tracker.tickets.items()
            if all(word in ticket["title"].casefold() for word in words)
            and status in (None, ticket["status"])
            and (assignee is None or assignee.casefold() == str(ticket["assignee"]).casefold())
        ]

    @tool
    def create_ticket(title: str, priority: Priority = Priority.NORMAL, assignee: str | None = None) -> str:
        """File a new ticket."""
        number = str(max(map(int, tracker.tickets)) + 1)
        new = {"title": title, "status": "open", "assignee": assignee, "priority": priority.value}
        tracker.tickets[number] = new
        return f"Created ticket {number}: {title}"

    def update(
        ticket_id: int, status: str | None = None, priority: Priority | None = None, assignee: str | None = None
    ) -> str:
        ticket = tracker.ticket(ticket_id)
        if assignee and assignee not in TEAM:
            raise ToolException(f"{assignee} is not in the team: {', '.join(TEAM)}.")
        given = {"status": status, "priority": priority and priority.value, "assignee": assignee}
        ticket |= {name: value for name, value in given.items() if value}
        return f"Updated ticket {ticket_id}: {ticket}"

    @tool
    def add_comment(ticket_id: int, text: str) -> str:
        """Write a comment below a ticket."""
        tracker.ticket(ticket_id)
        tracker.comments[str(ticket_id)] = f"{tracker.comments.get(str(ticket_id), '')}\n{text}".strip()
        return f"Commented on ticket {ticket_id}."

    @tool
    async def team_load() -> dict[str, int]:
        """How many tickets each member of the team has that are not closed."""
        busy = [one["assignee"] for one in tracker.tickets.values() if one["status"] != "closed"]
        return {name: busy.count(name) for name in TEAM}

    @tool
    def set_release_date(version: str, day: date) -> str:
        """Set the day on which a version is released."""
        if version not in tracker.releases:
            raise ToolException(f"There is no version {version}; there are {', '.join(tracker.releases)}.")
        tracker.releases[version] = str(day)
        return f"Version {version} is released on {day}."

    return [
        StructuredTool.from_function(
            search, name="search_tickets", description="Search the tickets.", args_schema=Search
        ),
        create_ticket,
        StructuredTool.from_function(
            update,
            name="update_ticket",
            description="Change the status, the priority or the assignee of a ticket.",
            args_schema=Update,
        ),
        add_comment,
        team_load,
        set_release_date,
    ]  # fmt: skip


CASES = [
    Case("priya", "question", "What is Priya busy with at the moment?",
         [call("search_tickets", status="in progress", assignee="Priya")],
         "Priya is working on ticket 14, Search ignores umlauts.", says=["umlaut"], never_says=["export"]),
    Case("load", "question", "Who on the team has the most on their plate?", [call("team_load")],
         "Priya and Tomas have the most, with 2 tickets each.", says=["priya", "tomas"], never_says=["mei has"]),
    Case("safari", "act",
         "When you paste a password in Safari, the login page crashes. That needs a ticket of its own, high priority.",
         [call("create_ticket", title="Login page crashes when a password is pasted in Safari", priority="high")],
         "I filed ticket 18 with high priority.",
         {"tickets": {"18": {"title": Like("safari"), "status": "open", "assignee": None, "priority": "high"}}}),
    Case("export", "act", "Good news, the thing with the export timing out is fixed, so that ticket is done with.",
         [call("search_tickets", text="export"), call("update_ticket", ticket_id=12, status="closed")],
         "Ticket 12 is closed.", {"tickets": {"12": {"status": "closed"}}}),
    Case("dark", "act", "Tomas takes over both of the dark mode tickets.",
         [call("search_tickets", text="dark mode"), call("update_ticket", ticket_id=13, assignee="Tomas"),
          call("update_ticket", ticket_id=15, assignee="Tomas")],
         "Tickets 13 and 15 now belong to Tomas.",
         {"tickets": {"13": {"assignee": "Tomas"}, "15": {"assignee": "Tomas"}}}),
    Case("cent", "act", "Leave a note on the invoice ticket that the customer can live with it until April.",
         [call("search_tickets", text="invoice"),
          call("add_comment", ticket_id=11, text="The customer can live with it until April.")],
         "I left the note on ticket 11.", {"comments": {"11": Like("april")}}),
    Case("flaky", "act", "Whoever has the least to do and isn't Mei should look after the flaky test.",
         [call("team_load"), call("search_tickets", text="flaky test"),
          call("update_ticket", ticket_id=17, assignee="Rafael")],
         "Rafael has the flaky test now, ticket 17.", {"tickets": {"17": {"assignee": "Rafael"}}}),
    Case("release", "lacking", "We won't make it with version 2.4, the release has to be put off.",
         [call("set_release_date", version="2.4", day="2026-03-27")],
         "Version 2.4 is released on 27 March now.", {"releases": {"2.4": "2026-03-27"}}, reply="To Friday the 27th."),
    Case("ninety-nine", "impossible", "Ticket 99 is settled, close it.",
         [call("update_ticket", ticket_id=99, status="closed")],
         "I could not close ticket 99: it does not exist.",
         says=[r"not|n.t\b|no (?:such )?ticket|unable"], never_says=[r"99 (?:is|has been|was) (?:now )?closed"]),
    Case("pdf-de", "act", "Das Ticket mit dem PDF-Druck ist jetzt dringend, stell die Priorität bitte um.",
         [call("search_tickets", text="pdf"), call("update_ticket", ticket_id=16, priority="urgent")],
         "Ticket 16 ist jetzt als dringend eingestuft.", {"tickets": {"16": {"priority": "urgent"}}}, language="de"),
]  # fmt: skip

APPLICATION = Application("tracker", "You keep the tickets of a software team.", Tracker, tools, CASES)
