"""The front desk of a small gym: tools that are methods of an object, one of them with several actions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, call

Sport = Literal["yoga", "spinning", "pilates", "boxing"]
Plan = Literal["single", "family", "student"]


class Trainer(Enum):
    """Who gives classes."""

    INGA = "Inga"
    MARCO = "Marco"
    NOOR = "Noor"
    DEZ = "Dez"


def _members() -> dict[str, dict[str, Any]]:
    rows = [
        (2001, "Greta Lund", "family"),
        (2002, "Omar Haddad", "single"),
        (2003, "Greta Lindner", "single"),
        (2004, "Paul Sorensen", "single"),
        (2005, "王芳", "single"),
        (2006, "Beth Okoro", "student"),
        (2007, "Tim Achterberg", "single"),
    ]
    return {str(number): {"name": name, "plan": plan, "paused_until": ""} for number, name, plan in rows}


def _classes() -> dict[str, dict[str, Any]]:
    rows = [
        ("YO-11", "yoga", "2026-03-11 18:00", "Inga", 3),
        ("PI-12", "pilates", "2026-03-12 09:30", "Noor", 4),
        ("SP-12", "spinning", "2026-03-12 19:00", "Marco", 3),
        ("YO-13", "yoga", "2026-03-13 07:00", "Inga", 4),
        ("SP-14", "spinning", "2026-03-14 10:00", "Marco", 4),
        ("BX-16", "boxing", "2026-03-16 20:00", "Dez", 5),
        ("PI-17", "pilates", "2026-03-17 09:30", "Noor", 4),
        ("YO-18", "yoga", "2026-03-18 18:00", "Inga", 3),
    ]
    return {
        code: {"sport": sport, "start": start, "trainer": trainer, "places": places}
        for code, sport, start, trainer, places in rows
    }


def _places() -> dict[str, dict[str, str]]:
    return {
        "YO-11": {"2001": "booked", "2003": "booked", "2006": "booked"},
        "PI-12": {"2006": "booked"},
        "SP-12": {"2001": "booked", "2004": "booked", "2007": "booked", "2005": "waiting"},
        "YO-13": {"2004": "booked"},
        "SP-14": {"2002": "booked"},
        "BX-16": {"2002": "booked", "2006": "booked"},
        "PI-17": {"2004": "booked", "2001": "booked"},
        "YO-18": {"2001": "booked"},
    }


@dataclass
class Gym:
    """The members, the classes of the next days, and who has a place or waits for one."""

    members: dict[str, dict[str, Any]] = field(default_factory=_members)
    classes: dict[str, dict[str, Any]] = field(default_factory=_classes)
    places: dict[str, dict[str, str]] = field(default_factory=_places)

    def member(self, number: int) -> dict[str, Any]:
        """A member that there is."""
        if str(number) not in self.members:
            raise ToolException(f"There is no member {number}.")
        return self.members[str(number)]

    def list_of(self, code: str) -> dict[str, str]:
        """Who is down for a class."""
        if code not in self.classes:
            raise ToolException(f"There is no class {code!r}.")
        return self.places[code]

    def free(self, code: str) -> int:
        """How many places are left."""
        return self.classes[code]["places"] - list(self.list_of(code).values()).count("booked")


class FrontDesk:
    """What the desk can do; its methods are the tools."""

    def __init__(self, gym: Gym) -> None:
        self._gym = gym

    def find_member(self, name: str) -> list[dict[str, Any]]:
        """Find members by name or part of a name."""
        word = name.split()[-1].casefold()
        return [
            {"member_no": int(number), **one}
            for number, one in self._gym.members.items()
            if word in one["name"].casefold()
        ]

    def timetable(self, day: date | None = None, sport: Sport | None = None) -> str:
        """The classes, all of them or those of a day or of a sport, with the places that are free (JSON)."""
        rows = [
            {"class_code": code, **one, "free": self._gym.free(code)}
            for code, one in self._gym.classes.items()
            if sport in (None, one["sport"]) and (day is None or one["start"].startswith(str(day)))
        ]
        return json.dumps({"classes": rows})

    def book_class(self, member_no: int, class_code: str, wait_if_full: bool = False) -> dict[str, Any] | str:
        """Book a place in a class for a member. If the class is full the member goes on its waiting list,
        but only with wait_if_full."""
        member, there = self._gym.member(member_no), self._gym.list_of(class_code)
        if str(member_no) in there:
            return f"{member['name']} is on the list already ({there[str(member_no)]})"
        full = not self._gym.free(class_code)
        if full and not wait_if_full:
            return f"FULL: no place left in {class_code}"
        there[str(member_no)] = "waiting" if full else "booked"
        return {"status": there[str(member_no)], "class": class_code, "member": member["name"]}

    def leave_class(self, member_no: int, class_code: str) -> str:
        """Take a member out of a class or off its waiting list. Whoever waits first gets the place."""
        there = self._gym.list_of(class_code)
        if not there.pop(str(member_no), ""):
            raise ToolException(f"Member {member_no} is not on the list of {class_code}.")
        for number, status in there.items():
            if status == "waiting" and self._gym.free(class_code):
                there[number] = "booked"
        return "done"

    async def bookings_of(self, member_no: int) -> list[str]:
        """bookings"""
        self._gym.member(member_no)
        return [
            f"{code} {self._gym.classes[code]['sport']} {self._gym.classes[code]['start']} {there[str(member_no)]}"
            for code, there in self._gym.places.items()
            if str(member_no) in there
        ]

    def substitute(
        self,
        class_code: Annotated[str, "code of the class, as the timetable has it"],
        trainer: Annotated[Trainer, "who gives it from now on"],
    ) -> dict[str, str]:
        """Give a class to another trainer."""
        self._gym.list_of(class_code)
        self._gym.classes[class_code]["trainer"] = trainer.value
        return {class_code: trainer.value}


class Change(BaseModel):
    """What becomes of a membership."""

    action: Literal["pause", "resume", "switch_plan"]
    until: date | None = Field(default=None, description="For a pause: its last day.")
    plan: Plan | None = Field(default=None, description="For a switch: the new plan.")


class MembershipInput(BaseModel):
    """Whose membership is changed, and how."""

    member_no: int
    change: Change


class Membership(BaseTool):
    """Pauses, resumes and switches."""

    name: str = "membership"
    description: str = "Pause or resume a membership, or switch it to another plan."
    args_schema: ArgsSchema | None = MembershipInput
    gym: Gym

    def _run(self, member_no: int, change: Change) -> dict[str, Any]:
        member = self.gym.member(member_no)
        if change.action == "pause":
            if change.until is None:
                raise ToolException("A pause needs its last day (until).")
            member["paused_until"] = str(change.until)
        elif change.action == "resume":
            member["paused_until"] = ""
        else:
            if change.plan is None:
                raise ToolException("Which plan?")
            member["plan"] = change.plan
        return {"member_no": member_no, **member}


def tools(gym: Gym) -> Sequence[BaseTool]:
    """The tools over one gym."""
    desk = FrontDesk(gym)
    methods = [desk.find_member, desk.timetable, desk.book_class, desk.leave_class, desk.substitute]
    made = [StructuredTool.from_function(method) for method in methods]
    return [*made, StructuredTool.from_function(coroutine=desk.bookings_of), Membership(gym=gym)]


CASES = [
    Case("boxing", "question", "who's doing the boxing on monday again? and how many more can we squeeze in",
         [call("timetable", day="2026-03-16", sport="boxing")],
         "Dez gives the boxing class on Monday, and three places are left.", says=["dez", r"\b3\b|three"]),
    Case("early", "act", "Beth Okoro would like to come to the early yoga this Friday.",
         [call("find_member", name="Beth Okoro"), call("timetable", day="2026-03-13", sport="yoga"),
          call("book_class", member_no=2006, class_code="YO-13")],
         "Beth Okoro has a place in the yoga class on Friday at 7.", {"places": {"YO-13": {"2006": "booked"}}}),
    Case("queue", "act", "Spinning tomorrow evening for Omar Haddad, and if there's no bike left he's happy to queue",
         [call("find_member", name="Omar Haddad"), call("timetable", day="2026-03-12", sport="spinning"),
          call("book_class", member_no=2002, class_code="SP-12", wait_if_full=True)],
         "Spinning tomorrow is full, so Omar Haddad is on the waiting list.",
         {"places": {"SP-12": {"2002": "waiting"}}}, says=["wait|queue|list"]),
    Case("back", "act", "Poor Paul Sorensen, his back again. He can't make any of his classes this week, take him out "
         "please. Next week he hopes to be fine.",
         [call("find_member", name="Paul Sorensen"), call("bookings_of", member_no=2004),
          call("leave_class", member_no=2004, class_code="SP-12"),
          call("leave_class", member_no=2004, class_code="YO-13")],
         "Paul Sorensen is out of spinning on Thursday and yoga on Friday.",
         {"places": {"SP-12": {"2004": None, "2005": "booked"}, "YO-13": {"2004": None}}}),
    Case("flu", "act", "Inga has the flu. Dez will do her yoga tonight, and Noor the one on Friday morning, she just "
         "told me.",
         [call("timetable", sport="yoga"), call("substitute", class_code="YO-11", trainer="Dez"),
          call("substitute", class_code="YO-13", trainer="Noor")],
         "Dez gives the yoga class tonight, Noor the one on Friday.",
         {"classes": {"YO-11": {"trainer": "Dez"}, "YO-13": {"trainer": "Noor"}}}),
    Case("greta", "lacking", "Greta just rang, boxing on Monday for her pls",
         [call("find_member", name="Greta Lindner"), call("timetable", day="2026-03-16", sport="boxing"),
          call("book_class", member_no=2003, class_code="BX-16")],
         "Greta Lindner is booked for boxing on Monday.", {"places": {"BX-16": {"2003": "booked"}}},
         reply="Lindner, sorry. The other one never boxes."),
    Case("pause", "lacking", "Beth Okoro is going abroad for a term. Could you put her membership on hold?",
         [call("find_member", name="Beth Okoro"),
          call("membership", member_no=2006, change={"action": "pause", "until": "2026-05-31"})],
         "The membership of Beth Okoro is paused until 31 May.",
         {"members": {"2006": {"paused_until": "2026-05-31"}}}, reply="From now until the last day of May."),
    Case("tonight", "impossible", "Omar Haddad wants into yoga tonight, but don't put him on any waiting list, he "
         "hates that.",
         [call("find_member", name="Omar Haddad"), call("timetable", day="2026-03-11", sport="yoga"),
          call("book_class", member_no=2002, class_code="YO-11")],
         "The yoga class tonight is full, so Omar Haddad has no place.",
         says=[r"full|not|n.t\b|unable|no (?:\w+ )?(?:place|spot|room|space)|booked out"],
         never_says=[r"haddad (?:is|has been|was) (?:now |successfully )?(?:booked|signed|added|enrolled)"]),
    Case("beides-de", "act", "Tim Achterberg will am Samstag zum Spinning und nächsten Dienstag zum Pilates. Trag ihn "
         "bitte für beides ein.",
         [call("find_member", name="Tim Achterberg"), call("timetable", day="2026-03-14", sport="spinning"),
          call("timetable", day="2026-03-17", sport="pilates"),
          call("book_class", member_no=2007, class_code="SP-14"),
          call("book_class", member_no=2007, class_code="PI-17")],
         "Tim Achterberg ist für Spinning am Samstag und Pilates am Dienstag eingetragen.",
         {"places": {"SP-14": {"2007": "booked"}, "PI-17": {"2007": "booked"}}}, language="de"),
    Case("family-zh", "act", "王芳的先生和孩子也要来，帮她把会籍换成家庭套餐吧。",
         [call("find_member", name="王芳"),
          call("membership", member_no=2005, change={"action": "switch_plan", "plan": "family"})],
         "王芳的会籍已换成家庭套餐。", {"members": {"2005": {"plan": "family"}}}, language="zh"),
]  # fmt: skip

APPLICATION = Application("gym", "You help at the front desk of a small gym.", Gym, tools, CASES)
