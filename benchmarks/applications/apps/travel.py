"""The travel desk of a company: a toolkit whose searches show offers that other tools book."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, time
from typing import Any, Literal

from langchain_core.tools import BaseTool, BaseToolkit, ToolException, tool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, call

City = Literal["Munich", "Vienna", "Zurich"]
Comfort = Literal["first", "second"]
TRAINS: dict[str, tuple[str, str, str, str, int]] = {
    "EC61": ("Munich", "Vienna", "06:30", "10:35", 64),
    "RJ67": ("Munich", "Vienna", "13:30", "17:30", 59),
    "RJ60": ("Vienna", "Munich", "10:20", "14:20", 72),
    "RJ66": ("Vienna", "Munich", "16:20", "20:20", 81),
    "RJ68": ("Vienna", "Munich", "18:20", "22:25", 57),
    "EC191": ("Munich", "Zurich", "07:15", "10:45", 48),
    "EC197": ("Munich", "Zurich", "15:15", "18:45", 52),
    "EC198": ("Zurich", "Munich", "18:35", "22:05", 39),
}
HOTELS: dict[str, tuple[str, str, int]] = {
    "V1": ("Hotel Donau", "Vienna", 128),
    "V2": ("Pension Linde", "Vienna", 89),
    "V3": ("Ringpalais", "Vienna", 145),
    "Z2": ("Gasthaus Adler", "Zurich", 118),
    "P1": ("Hotel des Halles", "Paris", 160),
}


def _trips() -> dict[str, dict[str, Any]]:
    rows = [
        ("T1", "Berlin", "supplier audit", "2026-03-03", "2026-03-05"),
        ("T2", "Zurich", "client visit", "2026-03-17", "2026-03-18"),
        ("T3", "Vienna", "trade fair", "2026-03-23", "2026-03-25"),
        ("T4", "Paris", "design workshop", "2026-04-14", "2026-04-16"),
    ]
    return {
        number: {"city": city, "purpose": why, "start": start, "end": end} for number, city, why, start, end in rows
    }


def _bookings() -> dict[str, dict[str, Any]]:
    return {
        "T2-out": {"train": "EC191", "day": "2026-03-17", "comfort": "second"},
        "T2-back": {"train": "EC198", "day": "2026-03-18", "comfort": "second"},
        "T2-hotel": {"hotel": "Z2", "check_in": "2026-03-17", "nights": 1},
        "T3-hotel": {"hotel": "V1", "check_in": "2026-03-23", "nights": 2},
        "T4-out": {"train": "TGV9576", "day": "2026-04-14", "comfort": "second"},
        "T4-back": {"train": "TGV9579", "day": "2026-04-16", "comfort": "second"},
        "T4-hotel": {"hotel": "P1", "check_in": "2026-04-14", "nights": 2},
    }


@dataclass
class Desk:
    """The trips of one traveler with what is booked and spent; an expense is kept by what it is, and how often."""

    trips: dict[str, dict[str, Any]] = field(default_factory=_trips)
    bookings: dict[str, dict[str, Any]] = field(default_factory=_bookings)
    expenses: dict[str, dict[str, int]] = field(
        default_factory=lambda: {"T1": {"taxi 23.50 EUR": 1, "meal 41.00 EUR": 1}}
    )

    def trip(self, number: str) -> dict[str, Any]:
        """A trip that there is."""
        if number not in self.trips:
            raise ToolException(f"unknown trip {number!r}")
        return self.trips[number]

    def train(self, offer: str, comfort: Comfort) -> dict[str, Any]:
        """A booking of an offer."""
        train, _, day = offer.partition("@")
        if train not in TRAINS or not day:
            raise ToolException(f"unknown offer {offer!r}, search for trains first")
        if comfort == "first" and "Zurich" in TRAINS[train][:2]:
            raise ToolException("company rules: first class only for journeys of four hours or more, this one has 3:30")
        return {"train": train, "day": str(date.fromisoformat(day)), "comfort": comfort}

    def stay(self, number: str, hotel: str, check_in: date | str, nights: int) -> dict[str, Any]:
        """A booking of a hotel in the city of a trip."""
        if hotel not in HOTELS or HOTELS[hotel][1] != self.trip(number)["city"]:
            raise ToolException(f"unknown hotel {hotel!r} in {self.trip(number)['city']}")
        return {"hotel": hotel, "check_in": str(check_in), "nights": nights}

    def add(self, booking_id: str, booking: dict[str, Any]) -> str:
        """Keep a booking, unless there is one."""
        if booking_id in self.bookings:
            raise ToolException(f"{booking_id} is booked already, change or cancel it")
        self.bookings[booking_id] = booking
        return booking_id


class Route(BaseModel):
    """From where to where, and when."""

    origin: City
    destination: City
    day: date
    not_before: time | None = Field(default=None, description="Earliest departure, HH:MM")


class HotelBooking(BaseModel):
    """A room for one person."""

    trip_id: str
    hotel_id: str = Field(description="As shown by search_hotels.")
    check_in: date
    nights: int = Field(ge=1)


class BookHotel(BaseTool):
    """Books a room; it can only be awaited."""

    name: str = "book_hotel"
    description: str = "Books a room for a trip."
    args_schema: ArgsSchema | None = HotelBooking
    desk: Desk

    def _run(self, trip_id: str, hotel_id: str, check_in: date, nights: int) -> str:
        raise NotImplementedError("book_hotel is async")

    async def _arun(self, trip_id: str, hotel_id: str, check_in: date, nights: int) -> str:
        return f"booked: {self.desk.add(f'{trip_id}-hotel', self.desk.stay(trip_id, hotel_id, check_in, nights))}"


class Changes(BaseModel):
    """Whatever is to be different; the rest stays."""

    offer: str | None = Field(default=None, description="trains: another offer")
    comfort: Comfort | None = Field(default=None, description="trains: class")
    hotel: str | None = Field(default=None, description="hotels: another hotel_id")
    check_in: date | None = None
    nights: int | None = Field(default=None, ge=1)


class Receipt(BaseModel):
    """Money spent on a trip."""

    kind: Literal["taxi", "meal", "ticket", "other"]
    amount: float = Field(gt=0)
    currency: Literal["EUR", "CHF"] = "EUR"


class TravelToolkit(BaseToolkit):
    """The tools over one desk."""

    desk: Desk

    def get_tools(self) -> list[BaseTool]:
        """All of them."""
        desk = self.desk

        @tool
        def my_trips(trip_id: str | None = None) -> str:
            """Lists your trips. With a trip_id: everything booked and spent on it."""
            if trip_id is None:
                rows = [f"| {number} | {' | '.join(one.values())} |" for number, one in desk.trips.items()]
                return "\n".join(["| trip_id | city | purpose | from | to |", "|---|---|---|---|---|", *rows])
            desk.trip(trip_id)
            booked = [f"{key}: {one}" for key, one in desk.bookings.items() if key.startswith(f"{trip_id}-")]
            spent = [f"{key} (x{times})" for key, times in desk.expenses.get(trip_id, {}).items()]
            return f"booked: {'; '.join(booked) or 'nothing'}\nspent: {'; '.join(spent) or 'nothing'}"

        @tool
        def search_trains(route: Route) -> list[dict[str, Any]]:
            """Search direct trains on a day. Each has an `offer` which can be booked."""
            return [
                {"offer": f"{name}@{route.day}", "departs": departs, "arrives": arrives, "eur": price}
                for name, (origin, destination, departs, arrives, price) in TRAINS.items()
                if (origin, destination) == (route.origin, route.destination)
                and (route.not_before is None or departs >= f"{route.not_before:%H:%M}")
            ]

        @tool
        def book_train(trip_id: str, offer: str, comfort: Comfort = "second") -> dict[str, str]:
            """Book a train (an offer from the search) for a trip."""
            booking = desk.train(offer, comfort)
            way = "out" if TRAINS[booking["train"]][1] == desk.trip(trip_id)["city"] else "back"
            return {"booking_id": desk.add(f"{trip_id}-{way}", booking), "status": "confirmed"}

        @tool(description="hotels in a city, price per night in EUR")
        async def search_hotels(city: str, max_price: float | None = None) -> str:
            found = [
                f"{hotel_id}: {name}, {price} EUR a night"
                for hotel_id, (name, where, price) in HOTELS.items()
                if where.casefold() == city.casefold() and (max_price is None or price <= max_price)
            ]
            return "\n".join(found) or "none"

        @tool
        def change_booking(booking_id: str, changes: Changes) -> dict[str, Any]:
            """Change something about a train or hotel that is booked."""
            old = desk.bookings.get(booking_id)
            if old is None:
                return {"error": f"no booking {booking_id}"}
            try:
                if "train" in old:
                    offer = changes.offer or f"{old['train']}@{old['day']}"
                    new = desk.train(offer, changes.comfort or old["comfort"])
                else:
                    stay = changes.model_dump(include={"hotel", "check_in", "nights"}, exclude_none=True)
                    new = desk.stay(booking_id.split("-")[0], **(old | stay))
            except ToolException as error:
                return {"error": str(error)}
            desk.bookings[booking_id] = new
            return {booking_id: new}

        @tool
        def cancel_bookings(booking_ids: list[str]) -> list[str]:
            """Cancels trains and hotels, returns what was cancelled."""
            return [one for one in booking_ids if desk.bookings.pop(one, None)]

        @tool("expense_report")
        def hand_in(trip_id: str, receipts: list[Receipt]) -> str:
            """Hand in receipts for a trip, to have the money back."""
            desk.trip(trip_id)
            known = desk.expenses.setdefault(trip_id, {})
            for one in receipts:
                key = f"{one.kind} {one.amount:.2f} {one.currency}"
                known[key] = known.get(key, 0) + 1
            return f"{len(receipts)} handed in, {sum(one.amount for one in receipts):.2f} in all"

        reads, books = [my_trips, search_trains, search_hotels], [book_train, BookHotel(desk=desk)]
        return [*reads, *books, change_booking, cancel_bookings, hand_in]


def _route(origin: City, destination: City, day: str) -> dict[str, Any]:
    return {"origin": origin, "destination": destination, "day": day}


CASES = [
    Case("spent", "question", "What have I put in for Berlin so far, all in all?",
         [call("my_trips"), call("my_trips", trip_id="T1")], "You have handed in 64.50 euros for Berlin.",
         says=[r"64[.,]50?\b|sixty-four (?:euros? )?(?:and )?(?:a half|fifty)"]),
    Case("last", "question", "last train home from vienna on the 25th, when does it go and what would it cost me?",
         [call("search_trains", route=_route("Vienna", "Munich", "2026-03-25"))],
         "The last train leaves Vienna at 18:20 and costs 57 euros.",
         says=[r"\b18[:.]20|\b6[:.]20|twenty past six", r"\b57\b|fifty-seven"]),
    Case("noon", "act", "I need a train to the fair in Vienna, on the Monday it starts. Has to get me there before "
         "noon.",
         [call("my_trips"), call("search_trains", route=_route("Munich", "Vienna", "2026-03-23")),
          call("book_train", trip_id="T3", offer="EC61@2026-03-23")],
         "You are on EC61 on 23 March, in Vienna at 10:35.",
         {"bookings": {"T3-out": {"train": "EC61", "day": "2026-03-23", "comfort": "second"}}}),
    Case("night", "act", "Zurich: client wants me there for the Thursday too, so one more night at the hotel and the "
         "same train back, just a day later. Thx!",
         [call("my_trips"), call("my_trips", trip_id="T2"),
          call("search_trains", route=_route("Zurich", "Munich", "2026-03-19")),
          call("change_booking", booking_id="T2-hotel", changes={"nights": 2}),
          call("change_booking", booking_id="T2-back", changes={"offer": "EC198@2026-03-19"})],
         "You stay two nights in Zurich and take EC198 back on Thursday.",
         {"bookings": {"T2-hotel": {"nights": 2}, "T2-back": {"day": "2026-03-19"}}}),
    Case("receipts", "act", "Two more receipts from Berlin: thirty-two euros for the cab to the airport, and "
         "eighty-seven fifty for the dinner with the supplier.",
         [call("my_trips"),
          call("expense_report", trip_id="T1",
               receipts=[{"kind": "taxi", "amount": 32}, {"kind": "meal", "amount": 87.5}])],
         "Both receipts for Berlin are handed in.",
         {"expenses": {"T1": {"taxi 32.00 EUR": 1, "meal 87.50 EUR": 1}}}),
    Case("off", "act", "The Paris workshop is off :( Please get me out of all that's booked for it.",
         [call("my_trips"), call("my_trips", trip_id="T4"),
          call("cancel_bookings", booking_ids=["T4-out", "T4-back", "T4-hotel"])],
         "The trains and the hotel for Paris are cancelled.",
         {"bookings": {"T4-out": None, "T4-back": None, "T4-hotel": None}}),
    Case("dear", "act", "My boss says the hotel for the fair is too dear. Is there one below a hundred a night? Then "
         "I'll take that for the same nights instead, otherwise leave it.",
         [call("my_trips"), call("my_trips", trip_id="T3"), call("search_hotels", city="Vienna", max_price=100),
          call("change_booking", booking_id="T3-hotel", changes={"hotel": "V2"})],
         "Pension Linde has a room for 89 euros a night, and you are booked there instead.",
         {"bookings": {"T3-hotel": {"hotel": "V2"}}}, says=["linde"]),
    Case("home", "lacking", "And a train home from the fair please, on the last day.",
         [call("my_trips"), call("search_trains", route=_route("Vienna", "Munich", "2026-03-25")),
          call("book_train", trip_id="T3", offer="RJ66@2026-03-25")],
         "You are on RJ66 at 16:20 on 25 March.",
         {"bookings": {"T3-back": {"train": "RJ66", "day": "2026-03-25", "comfort": "second"}}},
         reply="The one at twenty past four in the afternoon."),
    Case("first", "impossible", "I have to work on the way to Zurich, would you put me in first class on my train "
         "there?",
         [call("my_trips"), call("my_trips", trip_id="T2"),
          call("change_booking", booking_id="T2-out", changes={"comfort": "first"})],
         "First class is not allowed on the train to Zurich: it takes less than four hours.",
         says=[r"not|n.t\b|unable|only|rule|four hours|4 hours"],
         never_says=[r"(?:are|train is|ha(?:s|ve) been) (?:now )?(?:upgraded|(?:\w+ed )?(?:in|into|to) first)"]),
    Case("later-zh", "act", "去苏黎世那天上午我走不开，把去程的火车改成下午的那班，回程不变。",
         [call("my_trips"), call("my_trips", trip_id="T2"),
          call("search_trains", route=_route("Munich", "Zurich", "2026-03-17")),
          call("change_booking", booking_id="T2-out", changes={"offer": "EC197@2026-03-17"})],
         "去苏黎世的火车已改为下午15:15的EC197。", {"bookings": {"T2-out": {"train": "EC197"}}}, language="zh"),
]  # fmt: skip

ABOUT = "You are the travel desk of a company. The user works in its office in Munich and travels from there."
APPLICATION = Application("travel", ABOUT, Desk, lambda desk: TravelToolkit(desk=desk).get_tools(), CASES)
