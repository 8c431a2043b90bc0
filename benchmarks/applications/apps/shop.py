"""The back office of a shop: its tools say which of them change something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, Like, call

Supplier = Literal["Hollis", "Nordtex", "Pellworth"]


def _items() -> dict[str, dict[str, Any]]:
    rows = [
        ("M-102", "Enamel mug, blue", 14, 9.5),
        ("M-103", "Enamel mug, white", 40, 9.5),
        ("T-210", "Cast iron teapot", 3, 48.0),
        ("L-305", "Linen towel", 4, 16.0),
        ("W-310", "Walnut board", 22, 31.0),
        ("C-401", "Beeswax candle", 9, 7.25),
    ]
    return {sku: {"name": name, "stock": stock, "price": price} for sku, name, stock, price in rows}


def _reserved() -> dict[str, dict[str, Any]]:
    return {
        "r1": {"sku": "L-305", "quantity": 3, "customer": "Mr. Brandt"},
        "r2": {"sku": "C-401", "quantity": 2, "customer": "Lucia Ferro"},
    }


@dataclass
class Shop:
    """What is in stock, what is reserved, and what was ordered in the run."""

    items: dict[str, dict[str, Any]] = field(default_factory=_items)
    reserved: dict[str, dict[str, Any]] = field(default_factory=_reserved)
    ordered: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def item(self, sku: str) -> dict[str, Any]:
        """An item that there is."""
        if sku not in self.items:
            raise ToolException(f"There is no item {sku!r}.")
        return self.items[sku]

    def lines(self, skus: Sequence[str]) -> str:
        """Some items, one a line."""
        found = [
            f"{sku}: {self.items[sku]['name']}, {self.items[sku]['stock']} in stock, {self.items[sku]['price']:.2f} EUR"
            for sku in skus
        ]
        return "\n".join(found) or "Nothing found."


class Reservation(BaseModel):
    """What is put aside for whom."""

    sku: str = Field(description="the item's number, such as X-100")
    quantity: int = Field(ge=1)
    customer: str


class Order(BaseModel):
    """What is ordered from a supplier."""

    sku: str = Field(description="the item's number, such as X-100")
    quantity: int = Field(ge=1)
    supplier: Supplier | None = Field(None, description="left out for the usual one")


def tools(shop: Shop) -> Sequence[BaseTool]:
    """The tools over one shop."""

    @tool
    def find_item(words: str) -> str:
        """Find items by words of their name, with number, stock and price."""
        wanted = [word.rstrip("s") for word in words.casefold().replace(",", " ").split()]
        names = {sku: item["name"].casefold() for sku, item in shop.items.items()}
        return shop.lines([sku for sku, name in names.items() if all(word in name for word in wanted)])

    @tool
    def stock_report(below: int | None = None) -> str:
        """List the items with their stock, all or those with fewer pieces than a number."""
        return shop.lines([sku for sku, item in shop.items.items() if below is None or item["stock"] < below])

    @tool
    async def list_reservations(customer: str | None = None) -> list[dict[str, Any]]:
        """List what is put aside, for all customers or for one."""
        return [
            {"reservation": number, **kept}
            for number, kept in shop.reserved.items()
            if not customer or customer.split()[-1].casefold() in kept["customer"].casefold()
        ]

    def reserve_item(sku: str, quantity: int, customer: str) -> str:
        item = shop.item(sku)
        if item["stock"] < quantity:
            raise ToolException(f"Only {item['stock']} of {item['name']} in stock.")
        item["stock"] -= quantity
        number = f"r{len(shop.reserved) + 1}"
        shop.reserved[number] = {"sku": sku, "quantity": quantity, "customer": customer}
        return f"Reservation {number}: {quantity} x {item['name']} for {customer}."

    def order_item(sku: str, quantity: int, supplier: Supplier | None = None) -> str:
        shop.item(sku)
        shop.ordered[f"o{len(shop.ordered) + 1}"] = {"sku": sku, "quantity": quantity, "supplier": supplier or "usual"}
        return f"Ordered {quantity} x {shop.items[sku]['name']}."

    @tool
    def change_price(sku: str, price: float) -> str:
        """Change the price of an item, in euros."""
        item = shop.item(sku)
        item["price"] = round(price, 2)
        return f"{item['name']} now costs {item['price']:.2f} EUR."

    for reads in (find_item, stock_report, list_reservations):
        reads.metadata = {"effects": False}
    change_price.metadata = {"effects": True}
    return [
        find_item,
        stock_report,
        list_reservations,
        StructuredTool.from_function(
            reserve_item,
            description="Put pieces of an item aside for a customer.",
            args_schema=Reservation,
            metadata={"effects": True},
        ),
        StructuredTool.from_function(
            order_item,
            description="Order more pieces of an item from a supplier.",
            args_schema=Order,
            metadata={"effects": True},
        ),
        change_price,
    ]


def _kept(sku: str, quantity: int, customer: str, left: int) -> dict[str, Any]:
    entry = {"sku": sku, "quantity": quantity, "customer": Like(customer)}
    return {"items": {sku: {"stock": left}}, "reserved": {"r3": entry}}


def _ordered(sku: str, quantity: int, supplier: str = "") -> dict[str, Any]:
    return {"ordered": {"o1": {"sku": sku, "quantity": quantity, "supplier": Like(supplier)}}}


CASES = [
    Case("mugs", "question", "A lady on the phone asks how many of the blue mugs we still have.",
         [call("find_item", words="blue mug")], "We have 14 of the blue enamel mugs.", says=[r"\b14\b"]),
    Case("low", "question", "What is running low? I mean fewer than five pieces.", [call("stock_report", below=5)],
         "Running low are the cast iron teapot with 3 pieces and the linen towel with 4.",
         says=["teapot", "towel"], never_says=["walnut", "mug"]),
    Case("okafor", "act", "Mrs. Okafor will pick up four white enamel mugs on Saturday, put them aside for her.",
         [call("find_item", words="enamel mug white"),
          call("reserve_item", sku="M-103", quantity=4, customer="Mrs. Okafor")],
         "Four white enamel mugs are put aside for Mrs. Okafor.", _kept("M-103", 4, "okafor", 36)),
    Case("walnut", "act", "The walnut boards have got dearer for us. From now on they should be 34.50.",
         [call("find_item", words="walnut board"), call("change_price", sku="W-310", price=34.5)],
         "The walnut board now costs 34.50 euros.", {"items": {"W-310": {"price": 34.5}}}),
    Case("candles", "act", "We'll be out of beeswax candles by Friday, get fifty more from Hollis.",
         [call("find_item", words="beeswax candle"), call("order_item", sku="C-401", quantity=50, supplier="Hollis")],
         "I ordered 50 beeswax candles from Hollis.", _ordered("C-401", 50, "hollis")),
    Case("discount", "act", "Nobody buys the cast iron teapot. Take ten percent off what it costs.",
         [call("find_item", words="cast iron teapot"), call("change_price", sku="T-210", price=43.2)],
         "The cast iron teapot now costs 43.20 euros.", {"items": {"T-210": {"price": 43.2}}}),
    Case("brandt", "act", "Whatever Mr. Brandt has reserved, order the same number of it again.",
         [call("list_reservations", customer="Mr. Brandt"), call("order_item", sku="L-305", quantity=3)],
         "I ordered 3 linen towels.", _ordered("L-305", 3)),
    Case("towels", "lacking", "The linen towels sell like mad, please order more of them.",
         [call("find_item", words="linen towel"), call("order_item", sku="L-305", quantity=24)],
         "I ordered 24 linen towels.", _ordered("L-305", 24), reply="Two dozen."),
    Case("hotel", "impossible", "The Grand Hotel wants thirty of the cast iron teapots, set them aside.",
         [call("find_item", words="cast iron teapot"),
          call("reserve_item", sku="T-210", quantity=30, customer="Grand Hotel")],
         "I could not set aside thirty teapots: only 3 are in stock.",
         says=[r"not|n.t\b|only|unable"], never_says=[r"^i (?:have )?(?:reserved|set aside|put)"]),
    Case("price-de", "act", "Setz den Preis vom Artikel W-310 bitte auf 29,90 Euro herunter.",
         [call("change_price", sku="W-310", price=29.9)],
         "Der Artikel W-310 kostet jetzt 29,90 Euro.", {"items": {"W-310": {"price": 29.9}}}, language="de"),
]  # fmt: skip

APPLICATION = Application("shop", "You work in the back office of a shop.", Shop, tools, CASES)
