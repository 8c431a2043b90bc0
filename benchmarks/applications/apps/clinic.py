"""The booking desk of a clinic: its tools say which of them change something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any, Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, Like, call

Doctor = Literal["Dr. Amin", "Dr. Lund"]
HOURS = ["09:00", "09:30", "10:00", "10:30", "11:00", "12:00", "14:00", "15:30", "16:00"]


def _booked() -> dict[str, dict[str, Any]]:
    rows = [
        ("Ada Brook", "Dr. Lund", "2026-03-12", "09:00", "check-up"),
        ("Ilya Petrov", "Dr. Amin", "2026-03-13", "10:30", "vaccination"),
        ("Grete Sorensen", "Dr. Lund", "2026-03-12", "11:00", "consultation"),
        ("Samuel Okonkwo", "Dr. Amin", "2026-03-12", "14:00", "check-up"),
        ("Noor Haddad", "Dr. Amin", "2026-03-13", "16:00", "consultation"),
    ]
    names = ("patient", "doctor", "day", "at", "kind")
    return {str(number): dict(zip(names, row, strict=True)) for number, row in enumerate(rows, start=1)}


@dataclass
class Desk:
    """The appointments, by their number."""

    booked: dict[str, dict[str, Any]] = field(default_factory=_booked)

    def free(self, doctor: str, day: date) -> list[str]:
        """The times at which a doctor has nothing."""
        if day.weekday() >= 5:
            return []
        taken = {one["at"] for one in self.booked.values() if (one["doctor"], one["day"]) == (doctor, str(day))}
        return [at for at in HOURS if at not in taken]

    def check(self, doctor: str, day: date, at: str) -> None:
        """Refuse a time that is not free."""
        if day.weekday() >= 5:
            raise ToolException("The clinic is closed at weekends.")
        if at not in self.free(doctor, day):
            raise ToolException(f"{doctor} has no free time on {day} at {at}.")

    def entry(self, number: int) -> dict[str, Any]:
        """An appointment that there is."""
        if str(number) not in self.booked:
            raise ToolException(f"There is no appointment {number}.")
        return self.booked[str(number)]


class Booking(BaseModel):
    """A new appointment."""

    patient: str = Field(description="full name")
    doctor: Doctor
    day: date
    at: time = Field(description="the time of day")
    kind: Literal["check-up", "vaccination", "consultation"]
    note: str | None = None


def tools(desk: Desk) -> Sequence[BaseTool]:
    """The tools over one desk."""

    @tool
    def free_times(doctor: Doctor, day: date) -> str:
        """List the free times of a doctor on a day."""
        return ", ".join(desk.free(doctor, day)) or f"{doctor} has no free time on {day}."

    @tool
    async def find_appointments(patient: str) -> str:
        """Find the appointments of a patient by the name."""
        name = patient.split()[-1].casefold()
        found = [
            f"{number}: {one['patient']}, {date.fromisoformat(one['day']):%a} {one['day']} {one['at']}, "
            f"{one['doctor']}, {one['kind']}"
            for number, one in desk.booked.items()
            if name in one["patient"].casefold()
        ]
        return "\n".join(found) or f"No appointment of {patient}."

    def book(patient: str, doctor: str, day: date, at: time, kind: str, note: str | None = None) -> str:
        hour = f"{at:%H:%M}"
        desk.check(doctor, day, hour)
        number = str(max(map(int, desk.booked), default=0) + 1)
        desk.booked[number] = {"patient": patient, "doctor": doctor, "day": str(day), "at": hour, "kind": kind}
        return f"Booked as number {number}: {patient} with {doctor} on {day} at {hour}."

    @tool
    def move_appointment(appointment_id: int, day: date, at: time) -> str:
        """Move an appointment to another day or time."""
        entry, hour = desk.entry(appointment_id), f"{at:%H:%M}"
        desk.check(entry["doctor"], day, hour)
        entry |= {"day": str(day), "at": hour}
        return f"{entry['patient']} comes on {day} at {hour} now."

    @tool
    def cancel_appointment(appointment_id: int) -> str:
        """Cancel an appointment."""
        entry = desk.entry(appointment_id)
        del desk.booked[str(appointment_id)]
        return f"Cancelled the appointment of {entry['patient']}."

    free_times.metadata = find_appointments.metadata = {"effects": False}
    move_appointment.metadata = cancel_appointment.metadata = {"effects": True}
    booking = StructuredTool.from_function(
        book,
        name="book_appointment",
        description="Book an appointment for a patient.",
        args_schema=Booking,
        metadata={"effects": True},
    )
    return [free_times, find_appointments, booking, move_appointment, cancel_appointment]


def _new(patient: str, doctor: Doctor, day: str, at: str, kind: str) -> dict[str, Any]:
    entry = {"patient": Like(patient), "doctor": doctor, "day": day, "at": at, "kind": Like(kind)}
    return {"booked": {"6": entry}}


CASES = [
    Case("petrov", "question", "Mr. Petrov forgot when he is due. When is it?",
         [call("find_appointments", patient="Petrov")],
         "Mr. Petrov comes on Friday, 13 March, at 10:30.", says=[r"13|friday", r"10[:.]30|half past ten"]),
    Case("afternoon", "question", "Has Dr. Amin anything free on Friday after lunch?",
         [call("free_times", doctor="Dr. Amin", day="2026-03-13")],
         "Dr. Amin is free at 14:00 and at 15:30.", says=[r"14[:.]00|\b2(?:[:.]00)? ?pm", r"15[:.]30|3[:.]30 ?pm"]),
    Case("weiss", "act", "Hanna Weiss needs her vaccination, Friday at half past three with Dr. Amin suits her.",
         [call("book_appointment", patient="Hanna Weiss", doctor="Dr. Amin", day="2026-03-13", at="15:30",
               kind="vaccination")],
         "Hanna Weiss is booked with Dr. Amin on Friday at 15:30.",
         _new("hanna weiss", "Dr. Amin", "2026-03-13", "15:30", "vaccination")),
    Case("off", "act", "Mr. Petrov is down with the flu, take him off the list.",
         [call("find_appointments", patient="Petrov"), call("cancel_appointment", appointment_id=2)],
         "Mr. Petrov's appointment is cancelled.", {"booked": {"2": None}}),
    Case("later", "act", "Mrs. Sorensen's bus gets in late. An hour later on the same day would be fine for her.",
         [call("find_appointments", patient="Sorensen"),
          call("move_appointment", appointment_id=3, day="2026-03-12", at="12:00")],
         "Mrs. Sorensen comes on Thursday at 12:00 now.", {"booked": {"3": {"at": "12:00"}}}),
    Case("first", "act", "Give Lea Novak the first free slot that Dr. Lund has tomorrow, it's just a check-up.",
         [call("free_times", doctor="Dr. Lund", day="2026-03-12"),
          call("book_appointment", patient="Lea Novak", doctor="Dr. Lund", day="2026-03-12", at="09:30",
               kind="check-up")],
         "Lea Novak is booked with Dr. Lund tomorrow at 9:30.",
         _new("lea novak", "Dr. Lund", "2026-03-12", "09:30", "check-up")),
    Case("huber", "lacking", "Karl Huber wants to talk something over with Dr. Lund on Monday, book him in.",
         [call("book_appointment", patient="Karl Huber", doctor="Dr. Lund", day="2026-03-16", at="10:00",
               kind="consultation")],
         "Karl Huber is booked with Dr. Lund on Monday at 10:00.",
         _new("karl huber", "Dr. Lund", "2026-03-16", "10:00", "consultation"), reply="At ten in the morning."),
    Case("okonkwo", "lacking", "Samuel Okonkwo has to come some other time, move him please.",
         [call("find_appointments", patient="Samuel Okonkwo"),
          call("move_appointment", appointment_id=4, day="2026-03-17", at="09:00")],
         "Samuel Okonkwo comes on Tuesday, 17 March, at 9:00 now.",
         {"booked": {"4": {"day": "2026-03-17", "at": "09:00"}}}, reply="Next Tuesday at nine in the morning."),
    Case("sunday", "impossible", "Squeeze Otto Haas in on Sunday at noon with Dr. Amin, for a check-up.",
         [call("book_appointment", patient="Otto Haas", doctor="Dr. Amin", day="2026-03-15", at="12:00",
               kind="check-up")],
         "I could not book Otto Haas: the clinic is closed at weekends.",
         says=[r"not|n.t\b|closed|unable|no free"], never_says=[r"(?:is|has been|was) booked"]),
    Case("wang-zh", "act", "王芳想在周五下午两点找Dr. Amin打疫苗，帮她约一下。",
         [call("book_appointment", patient="王芳", doctor="Dr. Amin", day="2026-03-13", at="14:00",
               kind="vaccination")],
         "已为王芳预约周五14:00的Dr. Amin。", _new("王芳", "Dr. Amin", "2026-03-13", "14:00", "vaccination"),
         language="zh"),
]  # fmt: skip

APPLICATION = Application("clinic", "You work at the booking desk of a clinic.", Desk, tools, CASES)
