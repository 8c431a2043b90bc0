"""The office of a small rental firm: tools as classes, with nested dates, and some that say what has effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field, PrivateAttr

from benchmarks.applications.cases import Application, Case, Like, call

Kind = Literal["van", "estate", "minibus"]
Work = Literal["oil", "brakes", "tires", "inspection"]


def _vehicles() -> dict[str, dict[str, Any]]:
    rows = [("KL-310", "van", 48210), ("KL-312", "van", 91640), ("ES-77", "estate", 30915), ("MB-9", "minibus", 63120)]
    return {plate: {"kind": kind, "km": km} for plate, kind, km in rows}


def _bookings() -> dict[str, dict[str, Any]]:
    rows = [
        (501, "ES-77", "Alma Voss", "2026-03-10", "2026-03-12"),
        (502, "KL-312", "Bakker Flowers", "2026-03-12", "2026-03-14"),
        (503, "MB-9", "St. Brigid School", "2026-03-14", "2026-03-15"),
        (504, "KL-310", "Leon Hoffmann", "2026-03-17", "2026-03-18"),
        (505, "ES-77", "Leon Hoffmann", "2026-04-02", "2026-04-06"),
        (506, "KL-310", "陈伟", "2026-03-20", "2026-03-20"),
    ]
    return {
        str(number): {"plate": plate, "customer": customer, "start": start, "end": end}
        for number, plate, customer, start, end in rows
    }


@dataclass
class Fleet:
    """The cars, who has booked them, and when they go to the workshop."""

    vehicles: dict[str, dict[str, Any]] = field(default_factory=_vehicles)
    bookings: dict[str, dict[str, Any]] = field(default_factory=_bookings)
    workshop: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def vehicle(self, plate: str) -> dict[str, Any]:
        """A vehicle that there is."""
        if plate not in self.vehicles:
            raise ToolException(f"Unknown plate {plate!r}.")
        return self.vehicles[plate]

    def booking(self, number: int) -> dict[str, Any]:
        """A booking that there is."""
        if str(number) not in self.bookings:
            raise ToolException(f"Unknown booking {number}.")
        return self.bookings[str(number)]

    def check_free(self, plate: str, start: date, end: date, *, but: int = 0) -> None:
        """Refuse days on which somebody else has the vehicle."""
        self.vehicle(plate)
        if end < start:
            raise ToolException("The end is before the start.")
        for number, one in self.bookings.items():
            if one["plate"] == plate and number != str(but) and one["start"] <= str(end) and str(start) <= one["end"]:
                raise ToolException(f"{plate} is booked from {one['start']} to {one['end']} by {one['customer']}.")


class Period(BaseModel):
    """Days, the first and the last included."""

    start: date
    end: date


class SearchBookings(BaseModel):
    """What bookings to look for; everything that is left out is not looked at."""

    customer: str | None = Field(default=None, description="Name, or a part of it.")
    plate: str | None = Field(default=None, description="License plate.")


class NewBooking(BaseModel):
    """A booking to make."""

    plate: str = Field(description="License plate.")
    customer: str = Field(description="Who rents it.")
    period: Period = Field(description="First and last day.")


class BookingChange(BaseModel):
    """A change of a booking; what is left out stays."""

    booking_id: int
    start: date | None = None
    end: date | None = None


class FindBookingsTool(BaseTool):
    """Reads the bookings."""

    name: str = "find_bookings"
    description: str = "Find bookings by customer and/or plate. Returns their ids and dates."
    args_schema: ArgsSchema | None = SearchBookings
    fleet: Fleet

    def _run(self, customer: str | None = None, plate: str | None = None) -> list[dict[str, Any]]:
        name = (customer or "").casefold()
        return [
            {"booking_id": int(number), **one}
            for number, one in self.fleet.bookings.items()
            if name in one["customer"].casefold() and plate in (None, one["plate"])
        ]


class CreateBookingTool(BaseTool):
    """Makes a booking."""

    name: str = "create_booking"
    description: str = "Rent a vehicle to a customer for a period of days."
    args_schema: ArgsSchema | None = NewBooking
    _fleet: Fleet = PrivateAttr()

    def __init__(self, fleet: Fleet) -> None:
        super().__init__()
        self._fleet = fleet

    def _run(self, plate: str, customer: str, period: Period) -> dict[str, Any]:
        self._fleet.check_free(plate, period.start, period.end)
        number = str(max(map(int, self._fleet.bookings), default=500) + 1)
        entry = {"plate": plate, "customer": customer, "start": str(period.start), "end": str(period.end)}
        self._fleet.bookings[number] = entry
        return {"booking_id": int(number), **entry}


def tools(fleet: Fleet) -> Sequence[BaseTool]:
    """The tools over one firm."""

    @tool
    async def list_vehicles(kind: Kind | None = None) -> list[dict[str, Any]]:
        """All vehicles with plate and mileage (km), optionally only one kind."""
        return [{"plate": plate, **one} for plate, one in fleet.vehicles.items() if kind in (None, one["kind"])]

    @tool(parse_docstring=True)
    def is_free(plate: str, start: date, end: date) -> bool:
        """Check whether a vehicle is free.

        Args:
            plate: License plate of the vehicle.
            start: The first day.
            end: The last day, the same as the first for a single day.

        Returns:
            True if nobody has booked it on any of the days.
        """
        try:
            fleet.check_free(plate, start, end)
        except ToolException:
            fleet.vehicle(plate)
            return False
        return True

    def change_booking(booking_id: int, start: date | None = None, end: date | None = None) -> dict[str, Any]:
        entry = fleet.booking(booking_id)
        first, last = start or date.fromisoformat(entry["start"]), end or date.fromisoformat(entry["end"])
        fleet.check_free(entry["plate"], first, last, but=booking_id)
        entry |= {"start": str(first), "end": str(last)}
        return entry

    @tool
    def cancel_booking(booking_id: int, reason: str = "") -> str:
        """Cancel a booking by its id."""
        fleet.booking(booking_id)
        del fleet.bookings[str(booking_id)]
        return f"Booking {booking_id} cancelled"

    @tool
    def set_mileage(plate: str, km: int) -> str:
        """Enter the reading of a vehicle's odometer, in km. It can only go up."""
        vehicle = fleet.vehicle(plate)
        if km < vehicle["km"]:
            raise ToolException(f"The reading is lower than the last one, {vehicle['km']} km.")
        vehicle["km"] = km
        return f"{plate}: {km} km"

    @tool
    def book_workshop(plate: str, day: date, work: list[Work]) -> str:
        """Send a vehicle to the workshop on a day.

        plate: license plate
        work: everything that is to be done
        """
        fleet.check_free(plate, day, day)
        known = fleet.workshop.get(plate, {})
        before: list[Work] = known["work"] if known.get("day") == str(day) else []
        fleet.workshop[plate] = {"day": str(day), "work": sorted({*before, *work})}
        return f"{plate} goes to the workshop on {day}: {', '.join(fleet.workshop[plate]['work'])}"

    list_vehicles.metadata = {"effects": False}
    cancel_booking.metadata = {"effects": True}
    return [
        list_vehicles,
        is_free,
        FindBookingsTool(fleet=fleet, metadata={"effects": False}),
        CreateBookingTool(fleet),
        StructuredTool.from_function(
            change_booking, description="Change the first or the last day of a booking.", args_schema=BookingChange
        ),
        cancel_booking,
        set_mileage,
        book_workshop,
    ]


def _booked(plate: str, customer: str, start: str, end: str) -> dict[str, Any]:
    return {"bookings": {"507": {"plate": plate, "customer": Like(customer), "start": start, "end": end}}}


CASES = [
    Case("weekend", "question", "Somebody asks about the minibus for this weekend, is it still to be had?",
         [call("list_vehicles", kind="minibus"), call("is_free", plate="MB-9", start="2026-03-14", end="2026-03-15")],
         "No, the minibus is not free this weekend.", says=[r"\bno\b|not|n.t\b|booked|taken|unavailable|reserved"],
         never_says=[r"\byes\b|it is free|is (?:still )?available"]),
    Case("longer", "act", "Alma Voss called, she'd like to keep the car two days longer. Fine with me.",
         [call("find_bookings", customer="Alma Voss"), call("change_booking", booking_id=501, end="2026-03-14")],
         "Alma Voss keeps the car until 14 March.", {"bookings": {"501": {"end": "2026-03-14"}}}),
    Case("rovers", "act", "The Rovers football club needs the minibus, Saturday and Sunday next week. Book it for them "
         "pls",
         [call("list_vehicles", kind="minibus"),
          call("create_booking", plate="MB-9", customer="Rovers football club",
               period={"start": "2026-03-21", "end": "2026-03-22"})],
         "The minibus is booked for the Rovers football club, 21 and 22 March.",
         _booked("MB-9", "rovers", "2026-03-21", "2026-03-22")),
    Case("squeal", "act", "KL-310: brakes squeal and the tires are worn. To the workshop with it on Monday, have them "
         "see to both.",
         [call("book_workshop", plate="KL-310", day="2026-03-16", work=["brakes", "tires"])],
         "KL-310 goes to the workshop on Monday for its brakes and tires.",
         {"workshop": {"KL-310": {"day": "2026-03-16", "work": ["brakes", "tires"]}}}),
    Case("other", "act", "Dora Lindqvist is moving on Friday, just that one day. She had KL-312 last time and wants it "
         "again, but if that's taken give her our other van.",
         [call("is_free", plate="KL-312", start="2026-03-13", end="2026-03-13"), call("list_vehicles", kind="van"),
          call("create_booking", plate="KL-310", customer="Dora Lindqvist",
               period={"start": "2026-03-13", "end": "2026-03-13"})],
         "KL-312 is taken on Friday, so Dora Lindqvist has KL-310.",
         _booked("KL-310", "dora lindqvist", "2026-03-13", "2026-03-13"), says=["310|other van"]),
    Case("oona", "lacking", "Oona Field takes the estate from next Monday, put her down.",
         [call("list_vehicles", kind="estate"),
          call("create_booking", plate="ES-77", customer="Oona Field",
               period={"start": "2026-03-16", "end": "2026-03-18"})],
         "Oona Field has the estate from Monday to Wednesday.",
         _booked("ES-77", "oona field", "2026-03-16", "2026-03-18"), reply="She brings it back on that Wednesday."),
    Case("hoffmann", "lacking", "Please cancel Leon Hoffmann's booking, he phoned this morning.",
         [call("find_bookings", customer="Leon Hoffmann"), call("cancel_booking", booking_id=505)],
         "Leon Hoffmann's booking in April is cancelled.", {"bookings": {"505": None}},
         reply="The one over Easter, in April."),
    Case("clock", "impossible", "The driver wrote down 61,300 km for MB-9 when he came back, enter that.",
         [call("set_mileage", plate="MB-9", km=61300)],
         "I could not enter 61,300 km: the last reading of MB-9 was 63,120 km.",
         says=[r"not|n.t\b|lower|unable|less"],
         never_says=[r"(?:is|was|has been) (?:now )?(?:set|updated|entered|recorded)"]),
    Case("kombi-de", "act", "Der Kombi ist wieder da, er hat jetzt 31.480 Kilometer runter. Trägst du das ein?",
         [call("list_vehicles", kind="estate"), call("set_mileage", plate="ES-77", km=31480)],
         "Der Kombi hat jetzt 31.480 km.", {"vehicles": {"ES-77": {"km": 31480}}}, language="de"),
    Case("chen-zh", "act", "陈伟不用车了，麻烦把他的预订取消。",
         [call("find_bookings", customer="陈伟"), call("cancel_booking", booking_id=506)],
         "陈伟的预订已取消。", {"bookings": {"506": None}}, language="zh"),
]  # fmt: skip

APPLICATION = Application(
    "fleet", "You work in the office of a small firm that rents out cars and vans.", Fleet, tools, CASES
)
