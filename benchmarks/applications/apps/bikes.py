"""A bike repair shop: plain functions that return dicts; repairs know their customer by the number alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

from langchain_core.tools import BaseTool, ToolException, tool

from benchmarks.applications.cases import Application, Case, Like, call

STATUSES = ("booked", "in progress", "waiting for parts", "ready", "collected")
TITLES = {"mr", "mrs", "ms", "miss"}
SUNDAY = 6


def _customers() -> dict[int, dict[str, str]]:
    rows = [
        (318, "Tom Achebe", "555-0121"),
        (322, "Wilma Kraus", "555-0134"),
        (327, "Jonas Weber", "555-0147"),
        (331, "Ines Duarte", "555-0150"),
        (340, "Oleg Petrenko", "555-0163"),
        (345, "Nia Foster", "555-0178"),
    ]
    return {number: {"name": name, "phone": phone} for number, name, phone in rows}


def _repair(
    customer_id: int, bike: str, work: str, status: str, price: int, dropoff: str, pickup: str
) -> dict[str, Any]:
    return {
        "customer_id": customer_id,
        "bike": bike,
        "work": work,
        "status": status,
        "price": price,
        "dropoff": dropoff,
        "pickup": pickup,
        "parts": {},
    }


def _repairs() -> dict[str, dict[str, Any]]:
    return {
        "R29": _repair(322, "Cargo bike", "New motor mount", "collected", 340, "2026-02-23", "2026-02-27"),
        "R31": _repair(327, "Mountain bike", "Fork service", "in progress", 120, "2026-03-06", "2026-03-13"),
        "R32": _repair(318, "Folding bike", "Replace brake pads", "waiting for parts", 45, "2026-03-06", "2026-03-17"),
        "R33": _repair(327, "Tandem", "True both wheels", "ready", 70, "2026-03-05", "2026-03-12"),
        "R34": _repair(331, "Gravel bike", "New drivetrain", "booked", 260, "2026-03-10", "2026-03-18"),
        "R36": _repair(322, "E-bike", "Replace display", "in progress", 95, "2026-03-09", "2026-03-13"),
    }


def _parts() -> dict[str, dict[str, Any]]:
    rows = [
        ("P-1180", "Chain, 11 speed", 4),
        ("P-1190", "Chain, 8 speed", 2),
        ("P-2040", "Brake pads, disc", 0),
        ("P-2051", "Brake cable", 9),
        ("P-3300", "Inner tube, 28 inch", 12),
    ]
    return {number: {"name": name, "in_stock": stock} for number, name, stock in rows}


@dataclass
class Workshop:
    """Whose bikes are repaired, and the parts on the shelf."""

    customers: dict[int, dict[str, str]] = field(default_factory=_customers)
    repairs: dict[str, dict[str, Any]] = field(default_factory=_repairs)
    parts: dict[str, dict[str, Any]] = field(default_factory=_parts)

    def repair(self, number: str) -> dict[str, Any]:
        """A repair that there is."""
        if number not in self.repairs:
            raise ToolException(f"There is no repair {number!r}, see list_repairs.")
        return self.repairs[number]


def _open_on(day: date) -> None:
    if day.weekday() == SUNDAY:
        raise ToolException("The shop is closed on Sundays.")


def tools(shop: Workshop) -> Sequence[BaseTool]:
    """The tools over one shop."""

    @tool
    def find_customers(name: str = "") -> list[dict[str, Any]]:
        """Find customers by name. Without a name, all customers are returned."""
        words = [word for word in name.casefold().replace(".", "").split() if word not in TITLES]
        return [
            {"customer_id": number, **one}
            for number, one in shop.customers.items()
            if all(word in one["name"].casefold() for word in words)
        ]

    @tool
    async def list_repairs(include_collected: bool = False) -> list[dict[str, Any]]:
        """List the repairs in the shop with bike, work, status, price and pickup day."""
        return [
            {"repair_id": number, **one, "parts": list(one["parts"])}
            for number, one in shop.repairs.items()
            if include_collected or one["status"] != "collected"
        ]

    @tool
    def find_parts(text: str) -> list[dict[str, Any]]:
        """Find spare parts by a word of their name."""
        words = text.casefold().replace("-", " ").split()
        return [
            {"part_no": number, **one}
            for number, one in shop.parts.items()
            if all(word.rstrip("s") in one["name"].casefold() for word in words)
        ]

    @tool
    def book_repair(
        customer_id: int, bike: str, work: str, day: Annotated[date, "when the bike is brought in"]
    ) -> dict[str, Any]:
        """Book a new repair for a customer."""
        if customer_id not in shop.customers:
            raise ToolException(f"There is no customer {customer_id}, see find_customers.")
        _open_on(day)
        number = f"R{31 + len(shop.repairs)}"
        shop.repairs[number] = _repair(customer_id, bike, work, "booked", 0, str(day), "")
        return {"repair_id": number, "status": "booked", "dropoff": str(day)}

    @tool
    def set_repair_status(repair_id: str, status: str) -> dict[str, Any]:
        """Set the status of a repair: booked, in progress, waiting for parts, ready or collected."""
        repair = shop.repair(repair_id)
        told = status.casefold().replace("_", " ")
        if told not in STATUSES:
            raise ToolException(f"status must be one of: {', '.join(STATUSES)}.")
        repair["status"] = told
        return {"repair_id": repair_id, "status": told}

    @tool
    def move_pickup(repair_id: str, day: date) -> dict[str, Any]:
        """Move the day on which a repaired bike is picked up."""
        repair = shop.repair(repair_id)
        _open_on(day)
        repair["pickup"] = str(day)
        return {"repair_id": repair_id, "pickup": str(day)}

    @tool
    def reserve_part(repair_id: str, part_no: Annotated[str, "like P-1000"]) -> dict[str, Any]:
        """Reserve one piece of a part for a repair."""
        repair = shop.repair(repair_id)
        if part_no not in shop.parts:
            raise ToolException(f"There is no part {part_no!r}, see find_parts.")
        part = shop.parts[part_no]
        if not part["in_stock"]:
            raise ToolException(f"{part['name']} ({part_no}): out of stock, next delivery on 2026-03-24.")
        part["in_stock"] -= 1
        repair["parts"][part_no] = repair["parts"].get(part_no, 0) + 1
        return {"repair_id": repair_id, "reserved": part["name"], "left": part["in_stock"]}

    return [find_customers, list_repairs, find_parts, book_repair, set_repair_status, move_pickup, reserve_part]


def _booked(customer_id: int, bike: str, work: str, day: str) -> dict[str, Any]:
    told = {"bike": Like(bike), "work": Like(work)}
    return {"repairs": {"R37": _repair(customer_id, "", "", "booked", 0, day, "") | told}}


CASES = [
    Case("done", "question", "Is Tom Achebe's bike done yet?",
         [call("find_customers", name="Tom Achebe"), call("list_repairs")],
         "Not yet: Tom Achebe's folding bike is waiting for parts.",
         says=[r"\bwait|\bparts?\b|\bno\b|\bnot\b|n.t\b"], never_says=[r"^yes\b"]),
    Case("dearest", "question", "who's got the most expensive repair in the shop right now?",
         [call("list_repairs"), call("find_customers")],
         "Ines Duarte has the most expensive one, the new drivetrain for 260.",
         says=["duarte|ines"], never_says=["achebe|kraus|weber|petrenko|foster"]),
    Case("display", "act", "Just finished Wilma Kraus' e-bike, mark it as ready pls",
         [call("find_customers", name="Wilma Kraus"), call("list_repairs"),
          call("set_repair_status", repair_id="R36", status="ready")],
         "Wilma Kraus's e-bike is marked as ready.", {"repairs": {"R36": {"status": "ready"}}}),
    Case("tandem", "act", "Jonas Weber cant make it tomorrow. Move the pickup of his tandem to Saturday please.",
         [call("find_customers", name="Jonas Weber"), call("list_repairs"),
          call("move_pickup", repair_id="R33", day="2026-03-14")],
         "Jonas Weber picks up his tandem on Saturday, March 14.", {"repairs": {"R33": {"pickup": "2026-03-14"}}}),
    Case("chain", "act", "I'm starting on Ms. Duarte's bike now. Reserve an 11 speed chain for it and set the repair "
         "to in progress.",
         [call("find_customers", name="Duarte"), call("list_repairs"), call("find_parts", text="11 speed chain"),
          call("reserve_part", repair_id="R34", part_no="P-1180"),
          call("set_repair_status", repair_id="R34", status="in progress")],
         "An 11 speed chain is reserved for Ines Duarte's gravel bike, and the repair is in progress.",
         {"repairs": {"R34": {"status": "in progress", "parts": {"P-1180": 1}}}, "parts": {"P-1180": {"in_stock": 3}}}),
    Case("puncture", "act", "Oleg Petrenko has a puncture on his city bike, he'll bring it in tomorrow. "
         "Can you book it?",
         [call("find_customers", name="Oleg Petrenko"),
          call("book_repair", customer_id=340, bike="City bike", work="Fix puncture", day="2026-03-12")],
         "Oleg Petrenko's city bike is booked for tomorrow.",
         _booked(340, "city", "punct|flat|tyre|tire|tube", "2026-03-12")),
    Case("gears", "lacking", "Please book Nia Foster's road bike in for a gear tune-up.",
         [call("find_customers", name="Nia Foster"),
          call("book_repair", customer_id=345, bike="Road bike", work="Gear tune-up", day="2026-03-13")],
         "Nia Foster's road bike is booked for Friday, March 13.",
         _booked(345, "road", "gear|tune", "2026-03-13"), reply="She'll bring it this Friday."),
    Case("pads", "impossible", "Reserve the disc brake pads for Tom Achebe's folding bike please",
         [call("find_customers", name="Tom Achebe"), call("list_repairs"), call("find_parts", text="brake pads"),
          call("reserve_part", repair_id="R32", part_no="P-2040")],
         "The disc brake pads are out of stock until March 24, so none could be reserved.",
         says=[r"out of stock|\bnot?\b|n.t\b|cannot|unable|\bnone\b|\b0\b|zero|unavailable"],
         never_says=[r"(?:pads|bike) (?:is|are|was|were|has been|have been) (?:now |successfully )?reserved\b|"
                     r"^i(?:'ve| have)? reserved"]),
]  # fmt: skip

APPLICATION = Application("bikes", "You help the people at the counter of a bike repair shop.", Workshop, tools, CASES)
