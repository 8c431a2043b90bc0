"""A restaurant's floor and kitchen: its tools take tables and dishes, and have no numbers to look up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, Like, call


class Course(StrEnum):
    """A part of the menu."""

    STARTER = "starter"
    MAIN = "main"
    DESSERT = "dessert"
    DRINK = "drink"


def _menu() -> dict[str, dict[str, Any]]:
    rows = [
        ("Pumpkin soup", "starter", 7.5),
        ("Beet salad", "starter", 8.9),
        ("Lamb stew", "main", 19.5),
        ("Mushroom risotto", "main", 16.0),
        ("Trout", "main", 22.0),
        ("Lemon tart", "dessert", 6.5),
        ("House white", "drink", 5.5),
        ("House red", "drink", 5.8),
    ]
    return {dish: {"course": course, "price": price, "available": True} for dish, course, price in rows}


def _tables() -> dict[str, dict[str, Any]]:
    rows = [(2, 4, 0), (3, 2, 2), (4, 4, 4), (5, 2, 2), (7, 6, 3), (8, 6, 0)]
    return {str(number): {"seats": seats, "guests": guests} for number, seats, guests in rows}


def _orders() -> dict[str, dict[str, dict[str, Any]]]:
    rows = {
        "3": {"Pumpkin soup": 1, "Trout": 1},
        "4": {"Lamb stew": 2, "Mushroom risotto": 2},
        "5": {"Beet salad": 2},
    }
    return {table: {dish: {"count": n, "note": ""} for dish, n in dishes.items()} for table, dishes in rows.items()}


@dataclass
class Restaurant:
    """The menu, who sits where, and what they have ordered, by table and dish."""

    menu: dict[str, dict[str, Any]] = field(default_factory=_menu)
    tables: dict[str, dict[str, Any]] = field(default_factory=_tables)
    orders: dict[str, dict[str, dict[str, Any]]] = field(default_factory=_orders)

    def dish(self, name: str) -> str:
        """A dish by its name, in whatever case."""
        for dish in self.menu:
            if dish.casefold() == name.strip().casefold():
                return dish
        raise ToolException(f"{name!r} is not on the menu.")

    def table(self, number: int) -> dict[str, Any]:
        """A table that there is."""
        if str(number) not in self.tables:
            raise ToolException(f"There is no table {number}.")
        return self.tables[str(number)]

    def ordered(self, table: int, dish: str) -> dict[str, Any]:
        """What a table has ordered of a dish."""
        entry = self.orders.get(str(table), {}).get(self.dish(dish))
        if not entry:
            raise ToolException(f"Table {table} has not ordered {dish}.")
        return entry


class Line(BaseModel):
    """One line of an order."""

    dish: str = Field(..., description="as on the menu")
    count: int = Field(1, ge=1)
    note: str | None = Field(None, description="what the kitchen has to know")


class OrderInput(BaseModel):
    """What a table orders."""

    table: int
    lines: list[Line] = Field(..., min_length=1)


class TakeOrder(BaseTool):
    """Writes down what guests want."""

    name: str = "take_order"
    description: str = "Send an order of a table to the kitchen. Adds to what the table has ordered before."
    args_schema: ArgsSchema | None = OrderInput
    restaurant: Restaurant

    def _run(self, table: int, lines: list[Line]) -> dict[str, Any]:
        place, dishes = self.restaurant.table(table), [self.restaurant.dish(line.dish) for line in lines]
        if not place["guests"]:
            raise ToolException(f"Nobody sits at table {table}.")
        for dish in dishes:
            if not self.restaurant.menu[dish]["available"]:
                raise ToolException(f"{dish} is sold out.")
        for dish, line in zip(dishes, lines, strict=True):
            entry = self.restaurant.orders.setdefault(str(table), {}).setdefault(dish, {"count": 0, "note": ""})
            entry["count"] += line.count
            entry["note"] = "; ".join(filter(None, [entry["note"], line.note]))
        return {"table": table, "ordered": [f"{line.count} x {line.dish}" for line in lines]}


def tools(restaurant: Restaurant) -> Sequence[BaseTool]:
    """The tools over one restaurant."""

    @tool("show_menu")
    def menu(course: Course | None = None) -> str:
        """The menu with prices."""
        return "\n".join(
            f"{dish} ({one['course']}) {one['price']:.2f}" + ("" if one["available"] else " SOLD OUT")
            for dish, one in restaurant.menu.items()
            if course is None or one["course"] == course.value
        )

    @tool
    async def table_status(table: int) -> dict[str, Any]:
        """Get seats, guests, ordered dishes and the bill of a table."""
        ordered = restaurant.orders.get(str(table), {})
        bill = sum(restaurant.menu[dish]["price"] * one["count"] for dish, one in ordered.items())
        return {**restaurant.table(table), "ordered": ordered, "bill": f"{bill:.2f}"}

    @tool
    def seat_guests(table: int, guests: int) -> str:
        """Seat guests at a table.

        Returns an error message if the table is taken or too small.
        """
        place = restaurant.table(table)
        if place["guests"]:
            return f"ERROR: table {table} is taken"
        if guests > place["seats"]:
            return f"ERROR: table {table} has only {place['seats']} seats"
        place["guests"] = guests
        return f"seated {guests} at table {table}"

    @tool
    def move_guests(from_table: int, to_table: int) -> str:
        """Guests change the table, and take their order along."""
        old, new = restaurant.table(from_table), restaurant.table(to_table)
        if new["guests"] or old["guests"] > new["seats"]:
            raise ToolException(f"Table {to_table} is taken or too small.")
        new["guests"], old["guests"] = old["guests"], 0
        if ordered := restaurant.orders.pop(str(from_table), None):
            restaurant.orders[str(to_table)] = ordered
        return "done"

    def cancel_dish(table: int, dish: str, count: int | None = None) -> str:
        """Take a dish off a table's order. Without a count, all of it."""
        entry, name = restaurant.ordered(table, dish), restaurant.dish(dish)
        entry["count"] -= count or entry["count"]
        if entry["count"] <= 0:
            del restaurant.orders[str(table)][name]
        return f"Cancelled {name} for table {table}."

    def kitchen_note(table: int, dish: str, note: str) -> str:
        entry = restaurant.ordered(table, dish)
        entry["note"] = "; ".join(filter(None, [entry["note"], note]))
        return "The kitchen knows."

    def set_available(dish: str, available: bool) -> bool:
        restaurant.menu[restaurant.dish(dish)]["available"] = available
        return True

    return [
        menu,
        table_status,
        seat_guests,
        move_guests,
        TakeOrder(restaurant=restaurant),
        StructuredTool.from_function(cancel_dish),
        StructuredTool.from_function(kitchen_note, description="Tell the kitchen about a dish a table has ordered"),
        StructuredTool.from_function(
            set_available, name="set_dish_available", description="Mark a dish as sold out (False) or back (True)."
        ),
    ]


def _dish(count: int, note: str = "") -> dict[str, Any]:
    return {"count": count, "note": Like(note)}


CASES = [
    Case("bill", "question", "Table 4 would like to pay soon, what do they come to so far?",
         [call("table_status", table=4)], "Table 4 comes to 71.00.", says=[r"\b71\b"]),
    Case("cheap", "question", "guest on a budget.. which main is the cheapest and what is it?",
         [call("show_menu", course="main")], "The mushroom risotto is the cheapest main, for 16.00.",
         says=["risotto", r"\b16\b"], never_says=["cheapest (?:main |dish |course )*is (?:the )?(?:lamb|trout)"]),
    Case("seven", "act", "Table seven: two pumpkin soups and a trout. No butter on the fish please.",
         [call("take_order", table=7, lines=[{"dish": "Pumpkin soup", "count": 2},
                                             {"dish": "Trout", "count": 1, "note": "no butter"}])],
         "Table 7 gets two pumpkin soups and a trout without butter.",
         {"orders": {"7": {"Pumpkin soup": {"count": 2, "note": ""}, "Trout": _dish(1, "butter")}}}),
    Case("walk-in", "act", "3 people just walked in without a booking, sit them down at table 2",
         [call("seat_guests", table=2, guests=3)], "The three guests sit at table 2.",
         {"tables": {"2": {"guests": 3}}}),
    Case("tart", "act", "Chef says the lemon tart's gone for tonight.",
         [call("set_dish_available", dish="Lemon tart", available=False)],
         "The lemon tart is marked as sold out.", {"menu": {"Lemon tart": {"available": False}}}),
    Case("onions", "act", "Four wants one more lamb stew, and the kitchen must leave the onions out of all their "
         "stews.",
         [call("take_order", table=4, lines=[{"dish": "Lamb stew", "count": 1}]),
          call("kitchen_note", table=4, dish="Lamb stew", note="no onions")],
         "Table 4 gets a third lamb stew, and the kitchen leaves out the onions.",
         {"orders": {"4": {"Lamb stew": _dish(3, "onion")}}}),
    Case("window", "act", "The couple at 5 asks if they could sit by the window instead, that's table 8. If it's "
         "free, let them.",
         [call("table_status", table=8), call("move_guests", from_table=5, to_table=8)],
         "The couple sits at table 8 now.",
         {"tables": {"5": {"guests": 0}, "8": {"guests": 2}},
          "orders": {"5": None, "8": {"Beet salad": {"count": 2, "note": ""}}}}),
    Case("wine", "lacking", "And a glass of the house wine for table 7, thanks!",
         [call("take_order", table=7, lines=[{"dish": "House white", "count": 1}])],
         "Table 7 gets a glass of the house white.", {"orders": {"7": {"House white": _dish(1)}}},
         reply="The white one."),
    Case("nine", "impossible", "Big family, nine of them, put them all at table 8.",
         [call("seat_guests", table=8, guests=9)], "Nine people do not fit at table 8: it has only 6 seats.",
         says=[r"not|n.t\b|only|unable|too small"],
         never_says=[r"(?:is|are|was|were|have been|has been) (?:now )?seated"]),
    Case("suppe-de", "act", "Tisch 3 möchte die Kürbissuppe doch nicht mehr, bitte stornieren. Die Forelle bleibt.",
         [call("cancel_dish", table=3, dish="Pumpkin soup")],
         "Die Kürbissuppe von Tisch 3 ist storniert.", {"orders": {"3": {"Pumpkin soup": None}}}, language="de"),
]  # fmt: skip

APPLICATION = Application(
    "kitchen", "You are the assistant of a restaurant's waiters and cooks.", Restaurant, tools, CASES
)
