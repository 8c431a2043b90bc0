"""The crew of a weekend festival: terse tools that return lines of text, and shifts that hold nothing but codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from langchain_core.tools import BaseTool, ToolException, tool

from benchmarks.applications.cases import Application, Case, Like, call

DAYS = ("fri", "sat", "sun")
AREAS = {"A1": "North Gate", "A2": "Main Stage", "A3": "Riverside Bar", "A4": "First Aid Tent", "A5": "Car Park"}
CREW = {
    "C02": ("Amara Diallo", "555-0102"),
    "C05": ("Bex Turner", "555-0125"),
    "C07": ("Marek Zielinski", "555-0133"),
    "C09": ("Luca Ferri", "555-0149"),
    "C12": ("Yuki Tanaka", "555-0152"),
    "C15": ("Oskar Lund", "555-0171"),
}


def _shifts() -> dict[int, dict[str, Any]]:
    rows: list[tuple[int, str, str, str, str, int, list[str]]] = [
        (101, "fri", "14:00", "18:00", "A1", 2, ["C07", "C15"]),
        (102, "fri", "18:00", "23:00", "A2", 2, ["C05", "C09"]),
        (103, "sat", "10:30", "14:30", "A1", 2, ["C02"]),
        (104, "sat", "16:00", "22:00", "A3", 2, ["C05", "C15"]),
        (105, "sat", "12:00", "16:00", "A2", 2, ["C15"]),
        (106, "sun", "09:00", "13:00", "A4", 1, []),
        (107, "sun", "10:00", "15:00", "A5", 2, ["C12"]),
        (108, "sun", "12:00", "20:00", "A3", 2, ["C02", "C09"]),
    ]
    return {
        number: {
            "day": day,
            "start": start,
            "end": end,
            "area": area,
            "needed": needed,
            "crew": {one: CREW[one][0] for one in crew},
        }
        for number, day, start, end, area, needed, crew in rows
    }


@dataclass
class Festival:
    """Who works when and where; messages are those of the run."""

    shifts: dict[int, dict[str, Any]] = field(default_factory=_shifts)
    messages: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def shift(self, number: int) -> dict[str, Any]:
        """A shift that there is."""
        if number not in self.shifts:
            raise ToolException(f"no shift {number}, see shifts")
        return self.shifts[number]


def _member(number: str) -> str:
    if number not in CREW:
        raise ToolException(f"no crew member {number!r}, see crew")
    return CREW[number][0]


def _time(told: str) -> str:
    try:
        return datetime.strptime(told, "%H:%M").strftime("%H:%M")
    except ValueError:
        raise ToolException(f"{told!r} is not a time, use HH:MM") from None


def tools(festival: Festival) -> Sequence[BaseTool]:
    """The tools over one festival."""

    @tool
    def crew(search: str = "") -> str:
        """Crew members: code, name, phone."""
        words = search.casefold().split()
        found = [
            f"{number} {name}, {phone}"
            for number, (name, phone) in CREW.items()
            if all(word in name.casefold() for word in words)
        ]
        return "\n".join(found) or f"nobody called {search!r}"

    @tool
    async def areas() -> str:
        """Areas of the site and their codes."""
        return "\n".join(f"{code} {name}" for code, name in AREAS.items())

    @tool
    def shifts(day: Annotated[str, "fri, sat or sun"] = "") -> str:
        """Shifts, of one day or all."""
        told = day.casefold().strip()[:3]
        if told and told not in DAYS:
            raise ToolException(f"no shifts on {day!r}, use fri, sat or sun")
        return "\n".join(
            f"{number}: {one['day']} {one['start']}-{one['end']}, area {one['area']}, "
            f"{len(one['crew'])} of {one['needed']} ({', '.join(one['crew']) or 'nobody yet'})"
            for number, one in festival.shifts.items()
            if told in ("", one["day"])
        )

    @tool
    def assign(shift: int, member: str) -> str:
        """Put a crew member on a shift."""
        one, name = festival.shift(shift), _member(member)
        if member in one["crew"]:
            raise ToolException(f"{member} is already on shift {shift}")
        if len(one["crew"]) >= one["needed"]:
            raise ToolException(f"shift {shift} is full")
        for number, other in festival.shifts.items():
            meets = other["day"] == one["day"] and other["start"] < one["end"] and one["start"] < other["end"]
            if meets and member in other["crew"]:
                raise ToolException(f"{member} has shift {number} at that time ({other['start']}-{other['end']})")
        one["crew"][member] = name
        return f"{name} is on shift {shift}"

    @tool
    def unassign(shift: int, member: str) -> str:
        """Take a crew member off a shift."""
        one, name = festival.shift(shift), _member(member)
        if member not in one["crew"]:
            raise ToolException(f"{member} is not on shift {shift}")
        del one["crew"][member]
        return f"{name} is off shift {shift}"

    @tool
    def set_time(shift: int, start: str = "", end: str = "") -> str:
        """Change the start and/or the end of a shift (HH:MM)."""
        one = festival.shift(shift)
        if not start and not end:
            raise ToolException("give a start or an end")
        new = {"start": _time(start or one["start"]), "end": _time(end or one["end"])}
        if new["start"] >= new["end"]:
            raise ToolException("a shift must end after it starts")
        one.update(new)
        return f"shift {shift} is {one['start']}-{one['end']}"

    @tool
    def text_crew(member: str, body: str) -> str:
        """Send a text message to a crew member."""
        name = _member(member)
        festival.messages[str(len(festival.messages) + 1)] = {"to": member, "body": body}
        return f"sent to {name}"

    return [crew, areas, shifts, assign, unassign, set_time, text_crew]


CASES = [
    Case("start", "question", "what time does Amara start on saturday?",
         [call("crew", search="Amara"), call("shifts", day="sat")], "Amara starts at 10:30 on Saturday.",
         says=[r"\b10[:. ]?30\b|half past (?:10|ten)|\bten.thirty\b"]),
    Case("most", "question", "Who has the most shifts over the whole weekend so far?",
         [call("shifts"), call("crew")], "Oskar Lund has the most, three shifts.",
         says=["oskar|lund"], never_says=["amara|bex|marek|luca|yuki"]),
    Case("ill", "act", "Bex is ill, pls take her off the bar on saturday",
         [call("crew", search="Bex"), call("areas"), call("shifts", day="sat"),
          call("unassign", shift=104, member="C05")],
         "Bex Turner is off the bar shift on Saturday.", {"shifts": {104: {"crew": {"C05": None}}}}),
    Case("tent", "act", "Put Marek Zielinski in the first aid tent on Sunday.",
         [call("crew", search="Marek Zielinski"), call("areas"), call("shifts", day="sun"),
          call("assign", shift=106, member="C07")],
         "Marek Zielinski is in the first aid tent on Sunday.",
         {"shifts": {106: {"crew": {"C07": "Marek Zielinski"}}}}),
    Case("instead", "act", "Luca can't do the main stage on friday evening. Take him off and put Yuki there insted.",
         [call("crew"), call("areas"), call("shifts", day="fri"), call("unassign", shift=102, member="C09"),
          call("assign", shift=102, member="C12")],
         "Yuki Tanaka is at the main stage on Friday evening in place of Luca Ferri.",
         {"shifts": {102: {"crew": {"C09": None, "C12": "Yuki Tanaka"}}}}),
    Case("shuttle-zh", "act", "请给Oskar Lund发条短信：周五的班车早上9点出发。",
         [call("crew", search="Oskar Lund"), call("text_crew", member="C15", body="周五的班车早上9点出发。")],
         "已给Oskar Lund发了短信，告诉他周五的班车早上9点出发。",
         {"messages": {"1": {"to": "C15", "body": Like("9|九|nine")}}}, language="zh"),
    Case("cars", "lacking", "The car park shift on Sunday has to start earlier. Can you change that?",
         [call("areas"), call("shifts", day="sun"), call("set_time", shift=107, start="08:30")],
         "The car park shift on Sunday starts at 8:30 now.", {"shifts": {107: {"start": "08:30"}}},
         reply="At 8:30, the end stays as it is."),
    Case("both", "impossible", "Can you put Amara on the car park on Sunday too?",
         [call("crew", search="Amara"), call("areas"), call("shifts", day="sun"),
          call("assign", shift=107, member="C02")],
         "Amara cannot do the car park on Sunday: she has another shift from 12:00 to 20:00.",
         says=[r"\bnot?\b|n.t\b|cannot|unable|already|another shift|overlap|conflict|clash"],
         never_says=[r"(?:has been|was|is) (?:now |successfully )?(?:put|assigned|added) (?:to|on|in|at) (?:the )?"
                     r"(?:car park|shift 107)|is (?:now )?on the car park|^i(?:'ve| have)? (?:put|assigned|added)"]),
]  # fmt: skip

APPLICATION = Application("festival", "You help to plan the crew of a weekend festival.", Festival, tools, CASES)
