"""The reception of a small hotel: enums and optional arguments; a stay has the numbers of its guest and its room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any

from langchain_core.tools import BaseTool, ToolException, tool
from pydantic import Field

from benchmarks.applications.cases import Application, Case, call

TITLES = {"mr", "mrs", "ms", "mister", "family", "frau", "herr", "the"}


class StayStatus(StrEnum):
    """How far a stay is."""

    BOOKED = "booked"
    CHECKED_IN = "checked_in"
    CHECKED_OUT = "checked_out"


class Item(StrEnum):
    """What a guest can be charged for."""

    MINIBAR = "minibar"
    LAUNDRY = "laundry"
    PARKING = "parking"
    SAUNA = "sauna"


def _guests() -> dict[int, dict[str, str]]:
    rows = [
        (5012, "Karim Haddad", "+33 5550 112"),
        (5019, "Claire Delacroix", "+33 5550 187"),
        (5020, "Ana Moreno", "+34 5550 140"),
        (5033, "Ingrid Solberg", "+47 5550 165"),
        (5041, "Peter Lang", "+43 5550 103"),
        (5044, "Yusuf Demir", "+90 5550 129"),
    ]
    return {number: {"name": name, "phone": phone} for number, name, phone in rows}


def _rooms() -> dict[int, dict[str, Any]]:
    rows = [
        (4, "Garden Suite", 190, 4),
        (7, "Rose Room", 110, 2),
        (12, "Blue Room", 105, 2),
        (21, "Lighthouse", 140, 2),
        (31, "Attic", 85, 1),
        (33, "Old Library", 120, 2),
    ]
    return {number: {"name": name, "rate": rate, "beds": beds} for number, name, rate, beds in rows}


def _stays() -> dict[str, dict[str, Any]]:
    rows = [
        ("bk-188", 5012, 31, "2026-02-03", "2026-02-05", False, "checked_out"),
        ("bk-201", 5041, 21, "2026-03-09", "2026-03-11", False, "checked_in"),
        ("bk-204", 5012, 12, "2026-03-10", "2026-03-13", True, "checked_in"),
        ("bk-205", 5019, 7, "2026-03-10", "2026-03-14", True, "checked_in"),
        ("bk-207", 5020, 4, "2026-03-08", "2026-03-13", False, "checked_in"),
        ("bk-210", 5033, 31, "2026-03-10", "2026-03-16", True, "checked_in"),
        ("bk-212", 5044, 21, "2026-03-11", "2026-03-15", True, "booked"),
    ]
    names = ("guest_id", "room", "arrival", "departure", "breakfast", "status")
    return {number: dict(zip(names, row, strict=True)) for number, *row in rows}


@dataclass
class Hotel:
    """Who stays in which room; charges and wake-up calls are those of the run."""

    guests: dict[int, dict[str, str]] = field(default_factory=_guests)
    rooms: dict[int, dict[str, Any]] = field(default_factory=_rooms)
    stays: dict[str, dict[str, Any]] = field(default_factory=_stays)
    charges: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    wake_up_calls: dict[str, str] = field(default_factory=dict[str, str])

    def stay(self, number: str) -> dict[str, Any]:
        """A stay that is not over."""
        if number not in self.stays:
            raise ToolException(f"Unknown stay {number!r}. Use get_stays to look it up.")
        if self.stays[number]["status"] == "checked_out":
            raise ToolException(f"The guest of stay {number} has already checked out.")
        return self.stays[number]

    def room(self, number: int) -> dict[str, Any]:
        """A room that there is."""
        if number not in self.rooms:
            raise ToolException(f"Unknown room {number}. Use get_rooms to look it up.")
        return self.rooms[number]


def tools(hotel: Hotel) -> Sequence[BaseTool]:
    """The tools over one hotel."""

    @tool
    def search_guests(name: str | None = None) -> list[dict[str, Any]]:
        """Search guests by first or last name."""
        words = [word for word in (name or "").casefold().replace(".", "").split() if word not in TITLES]
        return [
            {"guest_id": number, **one}
            for number, one in hotel.guests.items()
            if all(word in one["name"].casefold() for word in words)
        ]

    @tool
    async def get_rooms(min_beds: int | None = None) -> list[dict[str, Any]]:
        """Get the rooms with number, name, nightly rate and beds."""
        return [{"room": number, **one} for number, one in hotel.rooms.items() if one["beds"] >= (min_beds or 0)]

    @tool
    def get_stays(status: StayStatus | None = None) -> list[dict[str, Any]]:
        """Get stays, optionally only those with a status."""
        return [
            {"stay_id": number, **one}
            for number, one in hotel.stays.items()
            if status is None or one["status"] == status.value
        ]

    @tool
    def update_stay(
        stay_id: str, departure: date | None = None, room: int | None = None, breakfast: bool | None = None
    ) -> dict[str, Any]:
        """Change a stay. Only what is given is changed.

        Args:
            stay_id: ID of the stay, e.g. bk-100
            departure: new day of departure
            room: number of another room
            breakfast: whether breakfast is included
        """
        stay = hotel.stay(stay_id)
        new = dict(stay)
        if departure is not None:
            new["departure"] = str(departure)
        if room is not None:
            hotel.room(room)
            new["room"] = room
        if breakfast is not None:
            new["breakfast"] = breakfast
        for number, other in hotel.stays.items():
            if number == stay_id or other["status"] == "checked_out" or other["room"] != new["room"]:
                continue
            if other["arrival"] < new["departure"] and new["arrival"] < other["departure"]:
                raise ToolException(f"Room {new['room']} is occupied until {other['departure']} (stay {number}).")
        stay.update(new)
        return {"stay_id": stay_id, **stay}

    @tool
    def set_stay_status(stay_id: str, status: StayStatus) -> dict[str, Any]:
        """Check a guest in or out."""
        hotel.stay(stay_id)["status"] = status.value
        return {"stay_id": stay_id, "status": status.value}

    @tool
    def add_charge(
        stay_id: str, item: Item, amount: Annotated[float, Field(gt=0, description="in euros")]
    ) -> dict[str, Any]:
        """Add a charge to the bill of a stay."""
        if hotel.stay(stay_id)["status"] != "checked_in":
            raise ToolException(f"The guest of stay {stay_id} is not checked in.")
        hotel.charges[str(len(hotel.charges) + 1)] = {"stay_id": stay_id, "item": item.value, "amount": amount}
        return {"stay_id": stay_id, "item": item.value, "amount": amount}

    @tool
    def set_wake_up_call(room: int, at: str) -> dict[str, Any]:
        """Set the wake-up call of a room for the next morning.

        Args:
            room: room number
            at: time as HH:MM
        """
        hotel.room(room)
        try:
            told = datetime.strptime(at, "%H:%M").strftime("%H:%M")
        except ValueError:
            raise ToolException(f"{at!r} is not a time like 07:15.") from None
        hotel.wake_up_calls[str(room)] = told
        return {"room": room, "wake_up_call": told}

    return [search_guests, get_rooms, get_stays, update_stay, set_stay_status, add_charge, set_wake_up_call]


CASES = [
    Case("which", "question", "which room is mrs Delacroix in again?",
         [call("search_guests", name="Delacroix"), call("get_stays", status="checked_in")],
         "Claire Delacroix is in room 7.", says=[r"\b7\b|\bseven\b|\brose\b"],
         never_says=[r"room (?:4|12|21|31|33)\b"]),
    Case("breakfast", "question", "How many of the guests who are checked in right now have breakfast included?",
         [call("get_stays", status="checked_in")], "Three of them have breakfast included.",
         says=[r"\b3\b|\bthree\b"]),
    Case("minibar", "act", "Please put 18.50 for the minibar on Mr Haddad's bill.",
         [call("search_guests", name="Haddad"), call("get_stays", status="checked_in"),
          call("add_charge", stay_id="bk-204", item="minibar", amount=18.5)],
         "18.50 euros for the minibar are on Karim Haddad's bill.",
         {"charges": {"1": {"stay_id": "bk-204", "item": "minibar", "amount": 18.5}}}),
    Case("key", "act", "The guest from the Lighthouse just handed in the key and paid, check him out pls",
         [call("get_rooms"), call("get_stays", status="checked_in"),
          call("set_stay_status", stay_id="bk-201", status="checked_out")],
         "Peter Lang from the Lighthouse is checked out.", {"stays": {"bk-201": {"status": "checked_out"}}}),
    Case("longer", "act", "Ana Moreno and her family are staying until Sunday now, and they'd like breakfast included.",
         [call("search_guests", name="Ana Moreno"), call("get_stays", status="checked_in"),
          call("update_stay", stay_id="bk-207", departure="2026-03-15", breakfast=True)],
         "Ana Moreno stays until Sunday, March 15, with breakfast.",
         {"stays": {"bk-207": {"departure": "2026-03-15", "breakfast": True}}}),
    Case("weckruf-de", "act", "Bitte einen Weckruf für Frau Delacroix, morgen früh um halb sieben.",
         [call("search_guests", name="Delacroix"), call("get_stays", status="checked_in"),
          call("set_wake_up_call", room=7, at="06:30")],
         "Frau Delacroix in Zimmer 7 wird morgen um 6:30 Uhr geweckt.", {"wake_up_calls": {"7": "06:30"}},
         language="de"),
    Case("parking", "lacking", "Can you add the parking to Ingrid Solberg's bill?",
         [call("search_guests", name="Ingrid Solberg"), call("get_stays", status="checked_in"),
          call("add_charge", stay_id="bk-210", item="parking", amount=24)],
         "24 euros for parking are on Ingrid Solberg's bill.",
         {"charges": {"1": {"stay_id": "bk-210", "item": "parking", "amount": 24.0}}}, reply="It's 24 euros."),
    Case("suite", "impossible", "Mr. Haddad would like to move to the Garden Suite today, can you change his room?",
         [call("search_guests", name="Haddad"), call("get_rooms"), call("get_stays", status="checked_in"),
          call("update_stay", stay_id="bk-204", room=4)],
         "Karim Haddad cannot move to the Garden Suite: it is occupied until March 13.",
         says=[r"\bnot?\b|n.t\b|cannot|unable|occupied|taken|unavailable|in use"],
         never_says=[r"(?:has been|have been|was|is) (?:now |successfully )?(?:moved|changed)\b|"
                     r"^i(?:'ve| have)? (?:moved|changed)|haddad is now in"]),
]  # fmt: skip

APPLICATION = Application("hotel", "You help at the reception of a small hotel.", Hotel, tools, CASES)
