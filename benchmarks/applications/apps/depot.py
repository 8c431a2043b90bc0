"""A warehouse and its stock: a tool that takes a bare text, one made from a runnable, answers with an error flag."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool, Tool, ToolException, convert_runnable_to_tool, tool
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, Like, call

Supplier = Literal["Keller", "Nordpack", "Safeline"]


def _articles() -> dict[str, dict[str, Any]]:
    rows = [
        ("4711", "hex bolts M8", "box", 20),
        ("4712", "hex bolts M10", "box", 20),
        ("5020", "leather work gloves", "pair", 40),
        ("5033", "safety goggles", "piece", 15),
        ("6100", "packing tape", "roll", 50),
        ("6150", "shrink film", "roll", 10),
        ("7200", "cable ties 300 mm", "bag", 10),
    ]
    return {number: {"name": name, "unit": unit, "minimum": least} for number, name, unit, least in rows}


def _bins() -> dict[str, dict[str, int]]:
    return {
        "A-01": {"4711": 34},
        "A-02": {"4712": 12},
        "A-05": {"7200": 40},
        "B-03": {"5020": 60},
        "B-04": {"5033": 9},
        "B-07": {},
        "C-01": {"5020": 31},
        "C-02": {"6100": 120, "6150": 18},
    }


def _orders() -> dict[str, dict[str, Any]]:
    rows = [
        ("PO-31", "Nordpack", {"6100": 60}, "2026-03-03", "received"),
        ("PO-32", "Keller", {"4712": 30}, "2026-03-11", "open"),
        ("PO-33", "Safeline", {"5020": 80}, "2026-03-13", "open"),
        ("PO-34", "Nordpack", {"6150": 15}, "2026-03-24", "open"),
        ("PO-35", "Keller", {"7200": 25}, "2026-03-27", "open"),
    ]
    return {
        number: {"supplier": supplier, "lines": lines, "due": due, "status": status}
        for number, supplier, lines, due, status in rows
    }


@dataclass
class Depot:
    """What lies where, what has gone out, and what is on order."""

    articles: dict[str, dict[str, Any]] = field(default_factory=_articles)
    bins: dict[str, dict[str, int]] = field(default_factory=_bins)
    orders: dict[str, dict[str, Any]] = field(default_factory=_orders)
    sent: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def bin(self, code: str) -> dict[str, int]:
        """A bin that there is."""
        if code not in self.bins:
            raise ToolException(f"no bin {code!r}")
        return self.bins[code]

    def check_article(self, number: str) -> None:
        """Refuse an article that there is not."""
        if number not in self.articles:
            raise ToolException(f"no article {number!r}")

    def total(self, number: str) -> int:
        """How much of an article lies in all bins."""
        return sum(bin_.get(number, 0) for bin_ in self.bins.values())

    def take(self, number: str, code: str, quantity: int) -> None:
        """Take some of an article out of a bin."""
        self.check_article(number)
        there = self.bin(code).get(number, 0)
        if not 0 < quantity <= there:
            raise ToolException(f"{code} has {there} of {number}, {quantity} cannot be taken out")
        self.bins[code][number] = there - quantity
        if there == quantity:
            del self.bins[code][number]

    def put(self, number: str, code: str, quantity: int) -> None:
        """Put some of an article into a bin."""
        self.check_article(number)
        self.bin(code)[number] = self.bin(code).get(number, 0) + quantity


class Position(BaseModel):
    """A part of a delivery."""

    article_no: str
    quantity: int = Field(gt=0)
    bin: str = Field(description="Where it is put.")


class GoodsOut(BaseModel):
    """Goods that leave the house."""

    article_no: str
    quantity: int = Field(gt=0)
    bin: str
    receiver: str = Field(description="The site or the customer that gets them.")


class OrderLine(BaseModel):
    """What is ordered."""

    article_no: str
    quantity: int = Field(gt=0)


def tools(depot: Depot) -> Sequence[BaseTool]:
    """The tools over one depot."""

    def find_article(words: str) -> str:
        wanted = words.casefold().split()
        found = [
            f"{number} | {one['name']} | per {one['unit']}"
            for number, one in depot.articles.items()
            if any(word.rstrip("s") in one["name"].casefold() for word in wanted) or number in wanted
        ]
        return "\n".join(found) or "(nothing found)"

    @tool
    def stock(article_no: str | None = None, below_minimum: bool = False) -> dict[str, Any]:
        """How much we have and in which bins.

        article_no: only this article (default: everything)
        below_minimum: only what has fallen below its minimum
        """
        if article_no is not None:
            depot.check_article(article_no)
        return {
            number: {
                **one,
                "total": depot.total(number),
                "bins": {code: bin_[number] for code, bin_ in depot.bins.items() if number in bin_},
            }
            for number, one in depot.articles.items()
            if article_no in (None, number) and not (below_minimum and depot.total(number) >= one["minimum"])
        }

    def goods_in(positions: list[Position], order_no: str | None = None) -> dict[str, Any]:
        order = depot.orders.get(order_no or "")
        if order_no and (order is None or order["status"] not in ("open", "partial")):
            return {"ok": False, "error": f"{order_no} is not open"}
        for one in positions:
            depot.check_article(one.article_no)
            depot.bin(one.bin)
        for one in positions:
            depot.put(one.article_no, one.bin, one.quantity)
        if order:
            came = {one.article_no: 0 for one in positions}
            for one in positions:
                came[one.article_no] += one.quantity
            whole = all(came.get(number, 0) >= quantity for number, quantity in order["lines"].items())
            order["status"] = "received" if whole else "partial"
        return {"ok": True, "order_status": order and order["status"]}

    def goods_out(given: Mapping[str, Any]) -> str:
        one = GoodsOut.model_validate(given)
        depot.take(one.article_no, one.bin, one.quantity)
        number = f"S{len(depot.sent) + 1}"
        depot.sent[number] = {"article": one.article_no, "quantity": one.quantity, "receiver": one.receiver}
        return f"delivery note {number}"

    @tool
    def transfer(
        article_no: str,
        from_bin: Annotated[str, "code like A-01"],
        to_bin: Annotated[str, "code like A-01"],
        quantity: Annotated[int | None, "leave out to move all of it"] = None,
    ) -> str:
        """Moves stock from bin to bin."""
        depot.bin(to_bin)
        moved = quantity or depot.bin(from_bin).get(article_no, 0)
        depot.take(article_no, from_bin, moved)
        depot.put(article_no, to_bin, moved)
        return f"{moved} x {article_no}: {from_bin} -> {to_bin}"

    @tool
    async def list_orders(supplier: Supplier | None = None, include_received: bool = False) -> str:
        """Orders at our suppliers (JSON)."""
        return json.dumps([
            {"order_no": number, **one, "lines": [
                {"article": depot.articles[article]["name"], "article_no": article, "quantity": quantity}
                for article, quantity in one["lines"].items()
            ]}
            for number, one in depot.orders.items()
            if supplier in (None, one["supplier"]) and (include_received or one["status"] in ("open", "partial"))
        ])  # fmt: skip

    def place_order(supplier: Supplier, lines: list[OrderLine], due: date | None = None) -> dict[str, Any]:
        for one in lines:
            depot.check_article(one.article_no)
        number = f"PO-{max(int(order[3:]) for order in depot.orders) + 1}"
        entry: dict[str, Any] = {
            "supplier": supplier,
            "lines": {one.article_no: one.quantity for one in lines},
            "due": str(due or ""),
            "status": "open",
        }
        depot.orders[number] = entry
        return {"ok": True, "order_no": number}

    def update_order(order_no: str, due: date | None = None, cancel: bool = False) -> dict[str, Any]:
        """Change when an order is due, or cancel it."""
        if order_no not in depot.orders or depot.orders[order_no]["status"] not in ("open", "partial"):
            return {"ok": False, "error": f"there is no open order {order_no}"}
        if cancel:
            depot.orders[order_no]["status"] = "cancelled"
        elif due:
            depot.orders[order_no]["due"] = str(due)
        return {"ok": True, "order_no": order_no, **depot.orders[order_no]}

    return [
        Tool("find_article", find_article, "Finds article numbers. Input: a word of the article's name."),
        stock,
        StructuredTool.from_function(
            goods_in, description="Book a delivery into the bins, with the number of our order if there was one."
        ),
        convert_runnable_to_tool(
            RunnableLambda(goods_out), GoodsOut, name="goods_out", description="Book goods out of a bin."
        ),
        transfer,
        list_orders,
        StructuredTool.from_function(place_order, description="Order from a supplier"),
        StructuredTool.from_function(update_order),
    ]


CASES = [
    Case("short", "question", "Are we running short of anything at the moment?", [call("stock", below_minimum=True)],
         "The hex bolts M10 and the safety goggles are below their minimum.", says=["m10|4712", "goggles|5033"],
         never_says=[r"\b(?:tape|film|gloves|cable ties)\b"]),
    Case("film", "question", "when is the film from nordpack supposed to get here??",
         [call("list_orders", supplier="Nordpack")], "The shrink film is due on 24 March.",
         says=[r"\b24|twenty-fourth"]),
    Case("hamburg", "act", "Two dozen pairs of the leather gloves are off to the Hamburg site, I took them from C-01.",
         [call("find_article", tool_input="leather work gloves"),
          call("goods_out", article_no="5020", quantity=24, bin="C-01", receiver="Hamburg site")],
         "Two dozen pairs of gloves are booked out of C-01 for the Hamburg site.",
         {"bins": {"C-01": {"5020": 7}},
          "sent": {"S1": {"article": "5020", "quantity": 24, "receiver": Like("hamburg")}}}),
    Case("truck", "act", "Keller's truck was here with the M10 bolts we ordered, only twenty of the thirty boxes tho. "
         "They're in A-02 now, book them in against the order",
         [call("list_orders", supplier="Keller"),
          call("goods_in", positions=[{"article_no": "4712", "quantity": 20, "bin": "A-02"}], order_no="PO-32")],
         "Twenty boxes of M10 bolts are booked into A-02; ten of the order are still to come.",
         {"bins": {"A-02": {"4712": 32}}, "orders": {"PO-32": {"status": "partial"}}}),
    Case("shelf", "act", "We need room on shelf C-02. All of the packing tape has gone over to B-07, the film stays.",
         [call("find_article", tool_input="packing tape"),
          call("transfer", article_no="6100", from_bin="C-02", to_bin="B-07")],
         "All of the packing tape is in B-07 now.", {"bins": {"C-02": {"6100": None}, "B-07": {"6100": 120}}}),
    Case("goggles", "act", "How many goggles are left? Less than a dozen, and you order another thirty from Safeline, "
         "to be here by Friday next week.",
         [call("find_article", tool_input="goggles"), call("stock", article_no="5033"),
          call("place_order", supplier="Safeline", lines=[{"article_no": "5033", "quantity": 30}], due="2026-03-20")],
         "Nine goggles are left, so thirty more are ordered from Safeline, due on 20 March.",
         {"orders": {"PO-36": {"supplier": "Safeline", "lines": {"5033": 30}, "due": "2026-03-20",
                               "status": "open"}}}, says=[r"\b9\b|nine|thirty|\b30\b"]),
    Case("ties", "lacking", "Some cable ties have to go out to the site in Graz. They're in A-05.",
         [call("find_article", tool_input="cable ties"),
          call("goods_out", article_no="7200", quantity=6, bin="A-05", receiver="Graz site")],
         "Six bags of cable ties are booked out for the site in Graz.",
         {"bins": {"A-05": {"7200": 34}},
          "sent": {"S1": {"article": "7200", "quantity": 6, "receiver": Like("graz")}}},
         reply="Half a dozen bags should do."),
    Case("linz", "impossible", "The Linz site wants fifty boxes of the M8 bolts today, all at once. Please book them "
         "out of A-01.",
         [call("find_article", tool_input="hex bolts M8"),
          call("goods_out", article_no="4711", quantity=50, bin="A-01", receiver="Linz site")],
         "Fifty boxes cannot go out: A-01 has only 34.", says=[r"\b34\b|not|n.t\b|unable|only|thirty-four"],
         never_says=[r"(?:fifty|50) boxes (?:of .{2,9} bolts )?(?:have|were|are) (?:now )?(?:been )?(?:booked|sent)"]),
    Case("storno-de", "act", "Die Kabelbinder, die wir bei Keller bestellt haben, brauchen wir doch nicht. Bitte "
         "stornieren, die Schrauben aber nicht!",
         [call("list_orders", supplier="Keller"), call("update_order", order_no="PO-35", cancel=True)],
         "Die Bestellung der Kabelbinder ist storniert, die Schrauben kommen.",
         {"orders": {"PO-35": {"status": "cancelled"}}}, language="de"),
    Case("later-zh", "act", "Safeline 来电话说我们订的手套要晚几天，下周四才能到，你改一下订单。",
         [call("list_orders", supplier="Safeline"), call("update_order", order_no="PO-33", due="2026-03-19")],
         "手套的订单已改为3月19日到货。", {"orders": {"PO-33": {"due": "2026-03-19"}}}, language="zh"),
]  # fmt: skip

APPLICATION = Application("depot", "You keep the stock of a warehouse for building sites.", Depot, tools, CASES)
