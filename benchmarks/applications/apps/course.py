"""A teacher's gradebook: its tools take names of pupils, which may be unclear, and numbers of assignments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, Like, call

PUPILS = ["Amelie Stone", "Theo Lang", "Ben Ito", "Ben Carver", "Clara Voss"]


def _assignments() -> dict[str, dict[str, Any]]:
    rows = [
        ("A1", "Rock quiz", "2026-03-02", 20),
        ("A2", "Volcano essay", "2026-03-09", 20),
        ("A3", "River poster", "2026-03-18", 30),
    ]
    return {number: {"title": title, "due": due, "max_points": points} for number, title, due, points in rows}


def _marks() -> dict[str, dict[str, float]]:
    return {"A1": {"Amelie Stone": 14.0, "Theo Lang": 16.5}, "A2": {"Ben Carver": 12.0}, "A3": {}}


@dataclass
class Gradebook:
    """What a class has to do, what it got for it, and who was away."""

    assignments: dict[str, dict[str, Any]] = field(default_factory=_assignments)
    marks: dict[str, dict[str, float]] = field(default_factory=_marks)
    absences: dict[str, dict[str, dict[str, Any]]] = field(default_factory=lambda: {name: {} for name in PUPILS})

    def pupil(self, name: str) -> str:
        """The full name of a pupil."""
        found = [one for one in PUPILS if name.casefold() in one.casefold()]
        if len(found) != 1:
            raise ToolException(f"Which {name!r}? {', '.join(found)}" if found else f"No {name!r} in this class.")
        return found[0]

    def assignment(self, number: str) -> dict[str, Any]:
        """An assignment that there is."""
        if number not in self.assignments:
            raise ToolException(f"No assignment {number!r}.")
        return self.assignments[number]


class Mark(BaseModel):
    """The points of one pupil."""

    pupil: str
    points: float = Field(ge=0)


class MarksInput(BaseModel):
    """The points of some pupils for one assignment."""

    assignment_id: str = Field(description="e.g. A7")
    marks: list[Mark]


def tools(book: Gradebook) -> Sequence[BaseTool]:
    """The tools over one gradebook."""

    @tool
    def class_list() -> list[str]:
        """The pupils."""
        return PUPILS

    @tool
    async def list_assignments() -> dict[str, dict[str, Any]]:
        """All assignments by id, with title, due date and the highest number of points"""
        return book.assignments

    @tool
    def marks_of(pupil: str) -> str:
        """Get what a pupil got so far.

        Args:
            pupil (str): the pupil's name

        Returns:
            str: one line for each assignment
        """
        name = book.pupil(pupil)
        return "\n".join(
            f"{one['title']}: {book.marks[number].get(name, 'no mark yet')} of {one['max_points']}"
            for number, one in book.assignments.items()
        )

    def record_marks(assignment_id: str, marks: list[Mark]) -> str:
        most = book.assignment(assignment_id)["max_points"]
        given = {book.pupil(mark.pupil): mark.points for mark in marks}
        if any(points > most for points in given.values()):
            raise ToolException(f"There are at most {most} points for this.")
        book.marks[assignment_id] |= given
        return "\n".join(f"{name}: {points}" for name, points in given.items())

    @tool("mark_absent")
    def absent(
        pupil: Annotated[str, "name of the pupil"],
        day: Annotated[date, "the day that was missed"],
        excused: Annotated[bool, "whether the parents have told us why"] = False,
        reason: Annotated[str | None, "if known"] = None,
    ) -> dict[str, Any]:
        """Record that a pupil was absent on a day."""
        name = book.pupil(pupil)
        if day.weekday() >= 5:
            raise ToolException("There is no school on that day.")
        book.absences[name][str(day)] = {"excused": excused, "reason": reason or ""}
        return {"pupil": name, "day": str(day), "excused": excused}

    def create_assignment(title: str, due: date, max_points: int = 20) -> str:
        """Give the class something to do.

        :param title: what it is
        :param due: when it has to be handed in
        :param max_points: the highest number of points
        """
        number = f"A{len(book.assignments) + 1}"
        book.assignments[number] = {"title": title, "due": str(due), "max_points": max_points}
        book.marks[number] = {}
        return number

    @tool
    async def change_due_date(assignment_id: str, due: date) -> str:
        """Change until when an assignment has to be handed in."""
        book.assignment(assignment_id)["due"] = str(due)
        return f"Due on {due:%A}, {due}."

    return [
        class_list,
        list_assignments,
        marks_of,
        StructuredTool.from_function(
            record_marks, description="Enter marks, or overwrite them.", args_schema=MarksInput
        ),
        absent,
        StructuredTool.from_function(create_assignment),
        change_due_date,
    ]


def _away(name: str, excused: bool, *days: str, reason: str = "") -> dict[str, Any]:
    return {"absences": {name: {day: {"excused": excused, "reason": Like(reason)} for day in days}}}


CASES = [
    Case("poster", "question", "When did I say they have to hand in that poster?", [call("list_assignments")],
         "The river poster is due on Wednesday, 18 March.", says=[r"\b18(?:th)?\b|next wednesday"]),
    Case("sick", "act", "Theo Lang's mother called, he's sick today. So that's excused.",
         [call("mark_absent", pupil="Theo Lang", day="2026-03-11", excused=True, reason="sick")],
         "Theo Lang is marked as absent today, excused.", _away("Theo Lang", True, "2026-03-11")),
    Case("skipped", "act", "amelie wasnt there on monday and tuesday and i've heard nothing from her parents",
         [call("mark_absent", pupil="Amelie", day="2026-03-09"),
          call("mark_absent", pupil="Amelie", day="2026-03-10")],
         "Amelie Stone is marked as absent on Monday and on Tuesday, not excused.",
         _away("Amelie Stone", False, "2026-03-09", "2026-03-10")),
    Case("volcano", "act", "Volcano essays are graded, finally! Amelie seventeen, Theo eleven and a half, Clara the "
         "full twenty. Ben Ito never handed his in, so zero.",
         [call("list_assignments"),
          call("record_marks", assignment_id="A2", marks=[
              {"pupil": "Amelie", "points": 17}, {"pupil": "Theo", "points": 11.5}, {"pupil": "Clara", "points": 20},
              {"pupil": "Ben Ito", "points": 0}])],
         "The marks of the volcano essay are entered: Amelie 17, Theo 11.5, Clara 20 and Ben Ito 0.",
         {"marks": {"A2": {"Amelie Stone": 17, "Theo Lang": 11.5, "Clara Voss": 20, "Ben Ito": 0}}}),
    Case("delta", "act", "They should draw me a map of the Nile delta until Friday. Ten points at most.",
         [call("create_assignment", title="Map of the Nile delta", due="2026-03-13", max_points=10)],
         "The map of the Nile delta is due on Friday, for up to 10 points.",
         {"assignments": {"A4": {"title": Like("delta"), "due": "2026-03-13", "max_points": 10}}}),
    Case("push", "act", "Half the class moans about the river poster. Fine, they get another week for it.",
         [call("list_assignments"), call("change_due_date", assignment_id="A3", due="2026-03-25")],
         "The river poster is due a week later now, on 25 March.",
         {"assignments": {"A3": {"due": "2026-03-25"}}}),
    Case("ben", "lacking", "Ben made up for the rock quiz, 15 points.",
         [call("list_assignments"),
          call("record_marks", assignment_id="A1", marks=[{"pupil": "Ben Carver", "points": 15}])],
         "Ben Carver has 15 points for the rock quiz.", {"marks": {"A1": {"Ben Carver": 15}}}, reply="Ben Carver"),
    Case("bonus", "impossible", "Clara Voss drew the best rock ever in her rock quiz, give her 25 points.",
         [call("list_assignments"),
          call("record_marks", assignment_id="A1", marks=[{"pupil": "Clara Voss", "points": 25}])],
         "I could not give Clara 25 points: there are at most 20 for the rock quiz.",
         says=[r"not|n.t\b|at most|only|maximum|unable"],
         never_says=[r"(?:has been|was|is|have been|were) (?:given|awarded|recorded|entered)"]),
    Case("theo-zh", "question", "Theo的岩石小测验（Rock quiz）得了多少分？", [call("marks_of", pupil="Theo")],
         "Theo得了16.5分。", says=[r"16\.5|十六分半|十六点五"], language="zh"),
    Case("essay-zh", "act", "把Volcano essay的截止日期改到下周一，谢谢。",
         [call("list_assignments"), call("change_due_date", assignment_id="A2", due="2026-03-16")],
         "Volcano essay的截止日期已改到3月16日。", {"assignments": {"A2": {"due": "2026-03-16"}}}, language="zh"),
]  # fmt: skip

APPLICATION = Application("course", "You keep the gradebook of a teacher of geography.", Gradebook, tools, CASES)
